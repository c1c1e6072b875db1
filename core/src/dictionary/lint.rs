//! Finds faults in a dictionary and names their places.

mod codes;
mod names;
mod reach;
mod types;

use super::{Dictionary, Problem, ProblemKind};
use serde::Serialize;

/// One thing that is wrong with a dictionary, or may be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Lint {
    /// Which rule found it.
    pub rule: Rule,
    /// How bad it is.
    pub weight: Weight,
    /// The line of the file, from 1; `None` if no line applies.
    pub line: Option<usize>,
    /// The place: for example `parameter "to" of command "move"`.
    pub place: String,
    /// The fault and its consequence.
    pub message: String,
}

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Weight {
    /// Terms are lost or cannot be used.
    Error,
    /// A script will not do what the author intended.
    Warning,
    /// Often intended.
    Note,
}

/// The rules of the lint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// Part of the file was not read.
    Unreadable,
    /// Something in the file is not as it should be.
    Defect,
    /// An included file is missing.
    MissingInclude,
    /// A type that nothing defines.
    UndefinedType,
    /// A parent or an element's class that nothing defines.
    UndefinedClass,
    /// A class that inherits from itself, directly or indirectly.
    InheritanceCycle,
    /// A term that is defined twice.
    RedefinedTerm,
    /// A term that JXA has no identifier for.
    NoIdentifier,
    /// Two terms with one JXA identifier, or one that JXA uses itself.
    IdentifierCollision,
    /// Two terms with one code.
    DuplicateCode,
    /// A property, parameter or result without a type.
    MissingType,
    /// A class that nothing leads to.
    UnreachableClass,
}

impl Rule {
    fn weight(self) -> Weight {
        match self {
            Self::Unreadable | Self::MissingInclude | Self::InheritanceCycle => Weight::Error,
            Self::Defect
            | Self::UndefinedType
            | Self::UndefinedClass
            | Self::NoIdentifier
            | Self::IdentifierCollision => Weight::Warning,
            Self::RedefinedTerm | Self::MissingType | Self::DuplicateCode | Self::UnreachableClass => {
                Weight::Note
            }
        }
    }
}

/// Looks for everything that is wrong with a dictionary. The parser's problems come first.
pub fn lint(dictionary: &Dictionary, problems: &[Problem]) -> Vec<Lint> {
    let mut found = Found(problems.iter().map(of_problem).collect());
    types::check(dictionary, &mut found);
    names::check(dictionary, &mut found);
    codes::check(dictionary, &mut found);
    reach::check(dictionary, &mut found);
    found.0
}

fn of_problem(problem: &Problem) -> Lint {
    let rule = match &problem.kind {
        ProblemKind::MissingInclude(_) => Rule::MissingInclude,
        ProblemKind::Defect(text) if text.starts_with("it is defined twice") => Rule::RedefinedTerm,
        ProblemKind::Defect(_) => Rule::Defect,
        ProblemKind::Malformed(_) | ProblemKind::NotAPropertyList(_) | ProblemKind::Limit(_) => {
            Rule::Unreadable
        }
    };
    let line = Some(problem.line).filter(|line| *line > 0);
    let message = problem.kind.to_string();
    Lint { rule, weight: rule.weight(), line, place: problem.place.clone(), message }
}

impl std::fmt::Display for Lint {
    /// `warning, line 12, class "a": it inherits from …`
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let weight = match self.weight {
            Weight::Error => "error",
            Weight::Warning => "warning",
            Weight::Note => "note",
        };
        write!(f, "{weight}, ")?;
        if let Some(line) = self.line {
            write!(f, "line {line}, ")?;
        }
        write!(f, "{}: {}", self.place, self.message)
    }
}

/// The findings so far.
struct Found(Vec<Lint>);

impl Found {
    fn add(&mut self, rule: Rule, place: impl Into<String>, message: impl Into<String>) {
        let (place, message) = (place.into(), message.into());
        self.0.push(Lint { rule, weight: rule.weight(), line: None, place, message });
    }
}
