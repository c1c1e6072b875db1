//! The part of XPointer that dictionaries use to choose what to include.
//!
//! The supported form is a path of child steps from the root, each with predicates over the element's name and
//! attributes:
//! `xpointer(/dictionary/suite/node()[not(self::command and ((@name = 'delete') or (@name = 'move')))])`.

use quick_xml::events::BytesStart;

/// The part of an included file to use.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Selection {
    pub(super) steps: Vec<Step>,
}

/// One step down: the children to follow.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Step {
    name: Test,
    predicates: Vec<Condition>,
}

/// A name, or any.
#[derive(Clone, Debug, PartialEq)]
enum Test {
    Any,
    Named(String),
}

#[derive(Clone, Debug, PartialEq)]
enum Condition {
    Either(Vec<Self>),
    All(Vec<Self>),
    Not(Box<Self>),
    Itself(Test),
    Has(String),
    Equals(String, String),
    Differs(String, String),
}

impl Selection {
    /// Every suite of a dictionary.
    pub(super) fn suites() -> Self {
        let step = |name: &str| Step { name: Test::Named(name.to_owned()), predicates: Vec::new() };
        Self { steps: vec![step("dictionary"), step("suite")] }
    }

    /// Reads an `xpointer` attribute; `None` if it uses something that we do not support.
    pub(super) fn parse(pointer: &str) -> Option<Self> {
        let path = pointer.trim().strip_prefix("xpointer(")?.strip_suffix(')')?;
        let mut rest = Cursor { tokens: tokens(path)?, at: 0, depth: 0 };
        let mut steps = Vec::new();
        while rest.take(&Token::Sign('/')) {
            steps.push(rest.step()?);
        }
        (rest.at == rest.tokens.len() && !steps.is_empty()).then_some(Self { steps })
    }
}

impl Step {
    /// Returns whether this step selects an element.
    pub(super) fn admits(&self, element: &BytesStart<'_>) -> bool {
        self.name.admits(element) && self.predicates.iter().all(|condition| condition.holds(element))
    }
}

impl Test {
    fn admits(&self, element: &BytesStart<'_>) -> bool {
        match self {
            Self::Any => true,
            Self::Named(name) => element.name().as_ref() == name.as_str(),
        }
    }
}

impl Condition {
    fn holds(&self, element: &BytesStart<'_>) -> bool {
        match self {
            Self::Either(any) => any.iter().any(|each| each.holds(element)),
            Self::All(all) => all.iter().all(|each| each.holds(element)),
            Self::Not(inner) => !inner.holds(element),
            Self::Itself(test) => test.admits(element),
            Self::Has(name) => attribute(element, name).is_some(),
            Self::Equals(name, value) => attribute(element, name).is_some_and(|found| found == *value),
            Self::Differs(name, value) => attribute(element, name).is_some_and(|found| found != *value),
        }
    }
}

fn attribute(element: &BytesStart<'_>, name: &str) -> Option<String> {
    let raw = element.try_get_attribute(name).ok().flatten()?;
    Some(super::attributes::unescape(&raw.value).0.into_owned())
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Sign(char),
    Differs,
    Axis,
    Word(String),
    Text(String),
}

fn tokens(mut path: &str) -> Option<Vec<Token>> {
    let mut found = Vec::new();
    while let Some(first) = path.trim_start().chars().next() {
        path = path.trim_start();
        let (token, length) = match first {
            '"' | '\'' => {
                let inner = path[1..].find(first)?;
                (Token::Text(path[1..=inner].to_owned()), inner + 2)
            }
            '!' if path.starts_with("!=") => (Token::Differs, 2),
            ':' if path.starts_with("::") => (Token::Axis, 2),
            '/' | '[' | ']' | '(' | ')' | '@' | '=' | '*' => (Token::Sign(first), 1),
            _ => {
                let length =
                    path.find(|c: char| !(c.is_alphanumeric() || "-_.".contains(c))).unwrap_or(path.len());
                (Token::Word(path[..length].to_owned()), length)
            }
        };
        path = path.get(length.max(1)..).filter(|_| length > 0)?;
        found.push(token);
    }
    Some(found)
}

/// How deep conditions may nest.
const DEEPEST: usize = 32;

struct Cursor {
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
}

impl Cursor {
    fn step(&mut self) -> Option<Step> {
        let name = self.test()?;
        let mut predicates = Vec::new();
        while self.take(&Token::Sign('[')) {
            predicates.push(self.either()?);
            self.take(&Token::Sign(']')).then_some(())?;
        }
        Some(Step { name, predicates })
    }

    fn test(&mut self) -> Option<Test> {
        if self.take(&Token::Sign('*')) {
            return Some(Test::Any);
        }
        let name = self.word()?;
        let call = self.take(&Token::Sign('('));
        match (name.as_str(), call) {
            ("node", true) => self.take(&Token::Sign(')')).then_some(Test::Any),
            (_, true) => None,
            (_, false) => Some(Test::Named(name)),
        }
    }

    fn either(&mut self) -> Option<Condition> {
        self.depth += 1;
        let mut any = vec![(self.depth <= DEEPEST).then(|| self.all())??];
        while self.take(&Token::Word("or".to_owned())) {
            any.push(self.all()?);
        }
        self.depth -= 1;
        Some(Condition::Either(any))
    }

    fn all(&mut self) -> Option<Condition> {
        let mut all = vec![self.single()?];
        while self.take(&Token::Word("and".to_owned())) {
            all.push(self.single()?);
        }
        Some(Condition::All(all))
    }

    fn single(&mut self) -> Option<Condition> {
        if self.take(&Token::Sign('(')) {
            return self.closed();
        }
        if self.take(&Token::Sign('@')) {
            return self.comparison();
        }
        match self.word()?.as_str() {
            "not" if self.take(&Token::Sign('(')) => Some(Condition::Not(Box::new(self.closed()?))),
            "self" if self.take(&Token::Axis) => Some(Condition::Itself(self.test()?)),
            _ => None,
        }
    }

    fn closed(&mut self) -> Option<Condition> {
        let inner = self.either()?;
        self.take(&Token::Sign(')')).then_some(inner)
    }

    fn comparison(&mut self) -> Option<Condition> {
        let name = self.word()?;
        if self.take(&Token::Sign('=')) {
            return Some(Condition::Equals(name, self.text()?));
        }
        if self.take(&Token::Differs) {
            return Some(Condition::Differs(name, self.text()?));
        }
        Some(Condition::Has(name))
    }

    fn word(&mut self) -> Option<String> {
        let Some(Token::Word(word)) = self.tokens.get(self.at) else { return None };
        self.at += 1;
        Some(word.clone())
    }

    fn text(&mut self) -> Option<String> {
        let Some(Token::Text(text)) = self.tokens.get(self.at) else { return None };
        self.at += 1;
        Some(text.clone())
    }

    fn take(&mut self, token: &Token) -> bool {
        let here = self.tokens.get(self.at) == Some(token);
        self.at += usize::from(here);
        here
    }
}
