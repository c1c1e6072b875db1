//! Object specifiers: how a script says which object it means, without sending an event.

use crate::value::Value;
use std::fmt::Write as _;
use std::rc::Rc;

/// One step of the path to an object. It contains the step before it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Specifier {
    pub(crate) root: Root,
    pub(crate) step: Step,
}

/// Where a path begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Root {
    /// An app of the world, by its index in the world's list.
    App(usize),
    /// `Application.currentApplication()`: osascript itself, which has no dictionary.
    Current,
    /// `ObjectSpecifier()`: the object under test in a filter.
    It,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Step {
    /// The root itself.
    Root,
    /// A property, by the dictionary's term.
    Property {
        of: Rc<Specifier>,
        term: Rc<str>,
    },
    /// All elements of a class, by the name of the class.
    Elements {
        of: Rc<Specifier>,
        class: Rc<str>,
    },
    /// An index from 0, or from the end if negative.
    Index {
        of: Rc<Specifier>,
        index: i64,
    },
    Name {
        of: Rc<Specifier>,
        name: Value,
    },
    Id {
        of: Rc<Specifier>,
        id: Value,
    },
    /// The `first`, `last`, `middle` or `any` element.
    Ordinal {
        of: Rc<Specifier>,
        which: Ordinal,
    },
    /// The elements that pass a test.
    Where {
        of: Rc<Specifier>,
        filter: Rc<Filter>,
    },
    /// Several objects, as listed.
    Each {
        all: Vec<Rc<Specifier>>,
    },
    /// A property or elements by a script's identifier, before the app is known: below `ObjectSpecifier()`.
    Member {
        of: Rc<Specifier>,
        identifier: Rc<str>,
    },
    /// An insertion location: at an end of elements, or beside one element.
    Insertion {
        of: Rc<Specifier>,
        edge: Edge,
    },
}

/// The kind of an insertion location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Edge {
    Beginning,
    End,
    Before,
    After,
}

impl Edge {
    /// The word for it in scripts and in the trace.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Beginning => "beginning",
            Self::End => "end",
            Self::Before => "before",
            Self::After => "after",
        }
    }
}

/// A test, and how it compares strings.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Filter {
    pub(crate) test: Test,
    pub(crate) rules: TextRules,
}

/// A filter's test.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Test {
    /// `by_name` marks the short form `{name: 'x'}`, which cannot express an enumerator.
    Compare {
        left: Rc<Specifier>,
        operator: Operator,
        right: Value,
        by_name: bool,
    },
    All(Vec<Self>),
    Any(Vec<Self>),
    None(Vec<Self>),
}

/// An operator of a filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    Equals,
    Contains,
    BeginsWith,
    EndsWith,
    Greater,
    GreaterOrEqual,
    Less,
    LessOrEqual,
}

impl Operator {
    /// Returns the operator that a script's key means.
    pub(crate) fn of(key: &str) -> Option<Self> {
        Some(match key {
            "_equals" | "=" => Self::Equals,
            "_contains" => Self::Contains,
            "_beginsWith" => Self::BeginsWith,
            "_endsWith" => Self::EndsWith,
            "_greaterThan" | ">" => Self::Greater,
            "_greaterThanEquals" | ">=" => Self::GreaterOrEqual,
            "_lessThan" | "<" => Self::Less,
            "_lessThanEquals" | "<=" => Self::LessOrEqual,
            _ => return None,
        })
    }

    pub(crate) fn key(self) -> &'static str {
        match self {
            Self::Equals => "_equals",
            Self::Contains => "_contains",
            Self::BeginsWith => "_beginsWith",
            Self::EndsWith => "_endsWith",
            Self::Greater => "_greaterThan",
            Self::GreaterOrEqual => "_greaterThanEquals",
            Self::Less => "_lessThan",
            Self::LessOrEqual => "_lessThanEquals",
        }
    }
}

/// The differences that a comparison of strings ignores. AppleScript's default is to ignore only case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TextRules {
    pub(crate) case: bool,
    pub(crate) diacriticals: bool,
    pub(crate) white_space: bool,
    pub(crate) hyphens: bool,
    pub(crate) punctuation: bool,
}

impl Default for TextRules {
    fn default() -> Self {
        Self { case: true, diacriticals: false, white_space: false, hyphens: false, punctuation: false }
    }
}

/// An element by a word for its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ordinal {
    First,
    Middle,
    Last,
    Any,
}

impl Step {
    /// Returns the same step below another object.
    pub(crate) fn below(mut self, object: Rc<Specifier>) -> Self {
        match &mut self {
            Self::Root | Self::Each { .. } => (),
            Self::Property { of, .. }
            | Self::Elements { of, .. }
            | Self::Index { of, .. }
            | Self::Name { of, .. }
            | Self::Id { of, .. }
            | Self::Ordinal { of, .. }
            | Self::Where { of, .. }
            | Self::Member { of, .. }
            | Self::Insertion { of, .. } => *of = object,
        }
        self
    }
}

impl Specifier {
    pub(crate) fn root(root: Root) -> Rc<Self> {
        Rc::new(Self { root, step: Step::Root })
    }

    pub(crate) fn then(root: Root, step: Step) -> Rc<Self> {
        Rc::new(Self { root, step })
    }

    /// Returns the same last step after another path.
    pub(crate) fn after(&self, path: Rc<Self>) -> Rc<Self> {
        Self::then(path.root, self.step.clone().below(path))
    }

    /// Returns the step before this one.
    pub(crate) fn of(&self) -> Option<&Rc<Self>> {
        match &self.step {
            Step::Root | Step::Each { .. } => None,
            Step::Property { of, .. }
            | Step::Elements { of, .. }
            | Step::Index { of, .. }
            | Step::Name { of, .. }
            | Step::Id { of, .. }
            | Step::Ordinal { of, .. }
            | Step::Where { of, .. }
            | Step::Member { of, .. }
            | Step::Insertion { of, .. } => Some(of),
        }
    }
}

/// Formats a path in the dictionary's terms, for the trace: `mailbox "INBOX" of account id "A1"`.
pub(crate) fn describe(specifier: &Specifier) -> String {
    let mut text = String::new();
    write_step(&mut text, &specifier.step);
    let mut step = specifier;
    while let Some(of) = step.of() {
        let named_already =
            !matches!(step.step, Step::Property { .. } | Step::Elements { .. } | Step::Insertion { .. });
        if !named_already && of.step != Step::Root {
            text.push_str(" of ");
            write_step(&mut text, &of.step);
        }
        step = of;
    }
    text
}

fn write_step(text: &mut String, step: &Step) {
    let written = match step {
        Step::Root => write!(text, "application"),
        Step::Property { term, .. } => write!(text, "{term}"),
        Step::Elements { class, .. } => write!(text, "every {class}"),
        Step::Index { of, index } => write!(text, "{} {}", class_of(of), index + i64::from(*index >= 0)),
        Step::Name { of, name } => write!(text, "{} {}", class_of(of), shown(name)),
        Step::Id { of, id } => write!(text, "{} id {}", class_of(of), shown(id)),
        Step::Ordinal { of, which } => write!(text, "{which:?} {}", class_of(of)),
        Step::Where { of, .. } => write!(text, "every {} whose …", class_of(of)),
        Step::Member { identifier, .. } => write!(text, "{identifier}"),
        Step::Insertion { edge, .. } => write!(text, "{}", edge.word()),
        Step::Each { all } => {
            let all: Vec<String> = all.iter().map(|each| describe(each)).collect();
            write!(text, "{{{}}}", all.join(", "))
        }
    };
    debug_assert!(written.is_ok(), "writing to a String does not fail");
}

fn class_of(elements: &Specifier) -> &str {
    match &elements.step {
        Step::Elements { class, .. } => class,
        Step::Where { of, .. } => class_of(of),
        _ => "item",
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::Int(number) => number.to_string(),
        Value::Real(number) => number.to_string(),
        other => format!("{:?}", other.as_text().unwrap_or("…")),
    }
}
