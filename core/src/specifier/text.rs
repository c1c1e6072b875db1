//! Reads AppleScript's reference form with an app's dictionary: `subject of message 3 of inbox`.
//!
//! A text becomes the same [`Specifier`] that JSON becomes; no part of the text reaches an app as source code.
//!
//! The owner of a step is to its right, so a word may have several meanings until the rest is read. At each step the
//! parser tries all terms of the dictionary that fit, the longest first. The reading that came farthest decides the
//! error.

mod apply;
mod arithmetic;
mod chain;
mod compare;
mod error;
mod refuse;
mod step;
mod test;
mod tokens;
mod value;

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

use super::{Container, Specifier, SpecifierError};
use crate::dictionary::{APPLICATION, Dictionary};
use crate::filter::Filter;
use apply::{Class, Owner};
use chain::Chain;
use error::{Fail, shown};
use tokens::{Kind, Token, tokens};

pub(crate) use test::POSIX_PATH;

/// The most bytes of a text. A name or an id may fill most of it.
const LONGEST: usize = 16 * 1024;

/// The most readings to try for a text; it bounds the time.
const MOST_READINGS: usize = 4_000;

/// The deepest nesting of a specifier, as in JSON.
const DEEPEST: usize = 32;

/// The meaning of a text.
#[derive(Clone, Debug, PartialEq)]
pub enum Written {
    /// An object, several of them, or a property.
    Object {
        /// The specifier.
        specifier: Specifier,
        /// Whether the parser added a container that the text left out, such as the front document.
        completed: bool,
    },
    /// Only a reference.
    Reference(crate::words::RefId),
    /// A file: `POSIX file "/tmp/a.txt"`.
    File(String),
    /// A place, which only the arguments `at` and `to` accept: `end of inbox`.
    Place {
        /// Its position.
        position: Position,
        /// The container; for `before` and `after`, the object beside the place.
        of: Container,
        /// The class of the elements to which it belongs, if the text names it.
        element: Option<String>,
    },
}

/// The position of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    /// Before all elements.
    Beginning,
    /// After all elements.
    End,
    /// Before an object.
    Before,
    /// After an object.
    After,
}

impl Position {
    /// The spelling of `position` in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Beginning => "beginning",
            Self::End => "end",
            Self::Before => "before",
            Self::After => "after",
        }
    }
}

impl Specifier {
    /// Reads AppleScript's reference form.
    ///
    /// # Errors
    /// [`SpecifierError::Text`] with the place and what to write instead, or a name that the dictionary lacks, with the
    /// nearest ones.
    pub fn from_text(text: &str, dictionary: &Dictionary) -> Result<Self, SpecifierError> {
        match Written::read(text, dictionary)? {
            Written::Object { specifier, .. } => Ok(specifier),
            Written::Reference(id) => {
                Err(refused(format!("`{id}` is a reference"), "give the reference by itself"))
            }
            Written::File(path) => Err(refused(
                format!("{} is a file, not an object of the app", shown(&path)),
                "name an object of the app",
            )),
            Written::Place { position, .. } => Err(refused(
                format!("`{} …` is a place, which only `at` and `to` take", position.as_str()),
                "name an object, without the place",
            )),
        }
    }
}

fn refused(wrong: String, instead: &str) -> SpecifierError {
    SpecifierError::Text { at: 1, wrong, instead: instead.to_owned() }
}

impl Written {
    /// Reads AppleScript's reference form, places and files included.
    ///
    /// # Errors
    /// As [`Specifier::from_text`].
    pub fn read(text: &str, dictionary: &Dictionary) -> Result<Self, SpecifierError> {
        Parser::read(text, dictionary, |parser| parser.written())
    }

    /// Writes it as the JSON that replaces the text among arguments.
    pub fn to_json(&self) -> Json {
        match self {
            Self::Object { specifier, .. } => specifier.to_json(),
            Self::Reference(id) => json!(id.to_string()),
            Self::File(path) => json!(path),
            Self::Place { position, of, element } => {
                let mut place = json!({ "position": position.as_str(), "of": of.to_json() });
                if let Some(element) = element {
                    place["element"] = json!(element);
                }
                place
            }
        }
    }
}

impl Filter<String> {
    /// Reads a filter on elements of a class in AppleScript's words: `read status is false and sender contains "ann"`.
    ///
    /// # Errors
    /// As [`Specifier::from_text`].
    pub fn from_text(text: &str, class: &str, dictionary: &Dictionary) -> Result<Self, SpecifierError> {
        Parser::read(text, dictionary, |parser| {
            let start = usize::from(parser.is_word(parser.start, &chain::FILTERS)) + parser.start;
            let (filter, end) = parser.test(start, class)?;
            parser.ends_at(end, "`and`, `or` or the end").map(|()| filter)
        })
    }
}

/// Whether a class is one of files: a name in it without a container may be a path.
pub(super) fn is_of_files(class: &str) -> bool {
    apply::FILES.contains(&class)
}

fn is_application(word: &str) -> bool {
    word.eq_ignore_ascii_case("application") || word.eq_ignore_ascii_case("app")
}

struct Parser<'a> {
    text: &'a str,
    dictionary: &'a Dictionary,
    tokens: Vec<Token>,
    /// The first token of the object, after `tell application "…" to`.
    start: usize,
    /// What a chain without a container starts from: the application, an unknown object, or the expression after `)
    /// of`.
    bases: Vec<Owner>,
    /// The results of [`Parser::chain`] so far. The key is the token, the classes that a filter may test, and the index
    /// of the base.
    memo: BTreeMap<(usize, Vec<usize>, usize), Result<Chain, Fail>>,
    readings: usize,
    depth: usize,
}

/// The indexes in [`Parser::bases`] of the application, and of an object that is not known yet.
const AT_APPLICATION: usize = 0;
const AT_UNKNOWN: usize = 1;

impl<'a> Parser<'a> {
    fn read<T>(
        text: &'a str,
        dictionary: &'a Dictionary,
        read: impl FnOnce(&mut Self) -> Result<T, Fail>,
    ) -> Result<T, SpecifierError> {
        if text.len() > LONGEST {
            let wrong = format!("the text is longer than {LONGEST} bytes");
            return Err(refused(wrong, "name one object, with as few words as possible"));
        }
        let base = |class| Owner::base(Container::Specifier(Box::new(Specifier::Application)), class);
        let mut parser = Self {
            text,
            dictionary,
            tokens: Vec::new(),
            start: 0,
            bases: vec![base(Class::Of(APPLICATION.to_owned())), base(Class::Open)],
            memo: BTreeMap::new(),
            readings: 0,
            depth: 0,
        };
        let result = tokens(text).and_then(|tokens| {
            parser.tokens = tokens;
            parser.start = parser.told();
            read(&mut parser).map_err(|fail| parser.refusal(parser.start, &fail).unwrap_or(fail))
        });
        result.map_err(|fail| fail.error(text, |token| parser.offset(token)))
    }

    fn written(&mut self) -> Result<Written, Fail> {
        if let Some(file) = self.file()? {
            return Ok(Written::File(file));
        }
        match self.object(self.start) {
            Ok(Chain { object, completed, .. }) => Ok(match object.container {
                Container::Reference(id) => Written::Reference(id),
                Container::Specifier(specifier) => match *specifier {
                    Specifier::Text(path) => Written::File(path),
                    specifier => Written::Object { specifier, completed },
                },
            }),
            Err(fail) => self.place().or_else(|| self.place_inside()).unwrap_or(Err(fail)),
        }
    }

    /// `(after last paragraph of document 1)`: a place in parentheses.
    fn place_inside(&mut self) -> Option<Result<Written, Fail>> {
        let last = self.tokens.len().checked_sub(1)?;
        if !self.is_sign(self.start, "(") || self.closing(self.start) != Some(last) {
            return None;
        }
        // The results so far belong to a text that ended before the parenthesis.
        self.memo.clear();
        let close = self.tokens.pop()?;
        self.start += 1;
        let place = self.place();
        if place.is_none() {
            self.tokens.push(close);
            self.start -= 1;
        }
        place
    }

    fn object(&mut self, at: usize) -> Result<Chain, Fail> {
        let chain = self.chain(at, &[], AT_APPLICATION)?;
        self.ends_at(chain.end, "`of`, `whose` or the end")?;
        match depth(&chain.object.container) > DEEPEST {
            true => Err(too_deep(at, chain.end)),
            false => Ok(chain),
        }
    }

    /// `tell application "Mail" to` is skipped: the app is known by now.
    fn told(&self) -> usize {
        let is_told = self.is_word(0, &["tell"])
            && self.is_word(1, &["application", "app"])
            && matches!(self.kind(2), Some(Kind::Text(_)))
            && self.is_word(3, &["to"]);
        if is_told { 4 } else { 0 }
    }

    /// A file alone; a path after `file` or `alias` must be a path of the system.
    fn file(&self) -> Result<Option<String>, Fail> {
        if let Some((path, _)) = self.posix_file(self.start).filter(|(_, end)| self.is_end(*end)) {
            return Ok(Some(path.to_owned()));
        }
        let posix = self.is_word(self.start, &["posix"]) && self.is_word(self.start + 1, &["file"]);
        let at = self.start + if posix { 2 } else { 1 };
        let is_file = posix || self.is_word(self.start, &["file"]);
        let Some(Kind::Text(path)) = self.kind(at).filter(|_| is_file && self.is_end(at + 1)) else {
            return Ok(None);
        };
        match posix {
            true => Err(Fail::refused(at, at, "expected an absolute path", "write `POSIX file \"/…\"`")),
            false => Ok(Some(path.clone()).filter(|path| path.starts_with('/') || path.starts_with("~/"))),
        }
    }

    /// `end of inbox`, `after message 3 of inbox`; `None` if the text does not begin like a place.
    fn place(&mut self) -> Option<Result<Written, Fail>> {
        let at = self.start + usize::from(self.is_word(self.start, &["at"]));
        let at = at + usize::from(self.is_word(at, &["the"]));
        let position = match self.word(at)?.as_str() {
            "beginning" => Position::Beginning,
            "end" => Position::End,
            "before" => Position::Before,
            "after" => Position::After,
            _ => return None,
        };
        let is_inside = matches!(position, Position::Beginning | Position::End);
        let has_container = self.is_word(at + 1, &["of", "in"]);
        if is_inside && !has_container && !self.is_end(at + 1) {
            return None;
        }
        if is_inside && !has_container {
            let of = Container::Specifier(Box::new(Specifier::Application));
            return Some(Ok(Written::Place { position, of, element: None }));
        }
        let object = self.object(at + 1 + usize::from(is_inside));
        Some(object.map(|chain| {
            let (of, element) = among(chain.object.container, is_inside);
            Written::Place { position, of, element }
        }))
    }

    fn kind(&self, at: usize) -> Option<&Kind> {
        self.tokens.get(at).map(|token| &token.kind)
    }

    fn word(&self, at: usize) -> Option<String> {
        match self.kind(at)? {
            Kind::Word(word) => Some(word.to_lowercase()),
            _ => None,
        }
    }

    fn is_word(&self, at: usize, words: &[&str]) -> bool {
        matches!(self.kind(at), Some(Kind::Word(word)) if words.iter().any(|each| word.eq_ignore_ascii_case(each)))
    }

    fn is_sign(&self, at: usize, sign: &str) -> bool {
        matches!(self.kind(at), Some(Kind::Sign(found)) if *found == sign)
    }

    /// Whether the text ends here, perhaps after a full stop.
    fn is_end(&self, at: usize) -> bool {
        at >= self.tokens.len() || (at + 1 == self.tokens.len() && self.is_sign(at, "."))
    }

    fn ends_at(&self, at: usize, expected: &str) -> Result<(), Fail> {
        if self.is_end(at) { Ok(()) } else { Err(self.unexpected(at, expected)) }
    }

    fn unexpected(&self, at: usize, expected: &str) -> Fail {
        let wrong = format!("expected {expected}, got {}", self.shown(at));
        Fail::expected(at, wrong, format!("write {expected} there; a text has the form `message 3 of inbox`"))
    }

    /// The text of some tokens, with single blanks.
    fn words(&self, from: usize, to: usize) -> String {
        let start = self.tokens.get(from).map_or(self.text.len(), |token| token.start);
        let end = to.checked_sub(1).and_then(|last| self.tokens.get(last)).map_or(start, |token| token.end);
        let words = self.text.get(start..end).unwrap_or_default();
        words.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    fn shown(&self, at: usize) -> String {
        if at < self.tokens.len() { shown(&self.words(at, at + 1)) } else { "the end".to_owned() }
    }

    fn offset(&self, token: usize) -> usize {
        self.tokens.get(token).map_or(self.text.len(), |token| token.start)
    }
}

/// How many containers are nested.
fn depth(container: &Container) -> usize {
    let mut depth = 0;
    let mut next = Some(container);
    while let Some(Container::Specifier(specifier)) = next {
        (depth, next) = (depth + 1, specifier.container());
    }
    depth
}

fn too_deep(at: usize, reach: usize) -> Fail {
    let wrong = format!("the text has more than {DEEPEST} steps, or too many meanings");
    Fail::refused(at, reach, wrong, "start from a reference to a container")
}

/// `beginning of every task of project "X"` means a place in the project, among its tasks.
fn among(of: Container, is_inside: bool) -> (Container, Option<String>) {
    match of {
        Container::Specifier(specifier) if is_inside => match *specifier {
            Specifier::Every { element, container, filter: None, range: None } => (container, Some(element)),
            other => (Container::Specifier(Box::new(other)), None),
        },
        other => (other, None),
    }
}
