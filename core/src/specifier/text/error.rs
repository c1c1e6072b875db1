//! The reason why a text cannot be read: of all failed readings, the one that came farthest.

use crate::foreign::clean;
use crate::specifier::SpecifierError;

/// How much a failure says, from least to most. It decides between readings that came equally far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Weight {
    /// Another word was expected.
    Expected,
    /// The words fit, but the dictionary has no such property or element.
    Unknown,
    /// The error is known, and so is the remedy.
    Refused,
}

/// Why one reading of a text failed.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Fail {
    /// How many tokens were read.
    reach: usize,
    weight: Weight,
    what: What,
}

#[derive(Clone, Debug, PartialEq)]
enum What {
    Known(Box<SpecifierError>),
    Text { at: At, wrong: String, instead: String },
}

/// The position of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum At {
    Byte(usize),
    Token(usize),
}

impl Fail {
    /// The error for characters that form no token.
    pub(super) fn lexical(byte: usize, wrong: &str, instead: &str) -> Self {
        let what = What::Text { at: At::Byte(byte), wrong: wrong.to_owned(), instead: instead.to_owned() };
        Self { reach: 0, weight: Weight::Refused, what }
    }

    /// The error if another word was expected at a token.
    pub(super) fn expected(token: usize, wrong: String, instead: String) -> Self {
        let what = What::Text { at: At::Token(token), wrong, instead };
        Self { reach: token, weight: Weight::Expected, what }
    }

    /// The error for a form that the parser knows and refuses.
    pub(super) fn refused(
        token: usize,
        reach: usize,
        wrong: impl Into<String>,
        instead: impl Into<String>,
    ) -> Self {
        let what = What::Text { at: At::Token(token), wrong: wrong.into(), instead: instead.into() };
        Self { reach, weight: Weight::Refused, what }
    }

    /// The error for a name that the dictionary lacks.
    pub(super) fn unknown(reach: usize, error: SpecifierError) -> Self {
        Self { reach, weight: Weight::Unknown, what: What::Known(Box::new(error)) }
    }

    /// The failure of the reading that came farther. If both came equally far, takes the one of greater weight; with
    /// equal weights, the first one.
    pub(super) fn or(self, other: Option<Self>) -> Self {
        match other {
            Some(other) if (other.reach, other.weight) >= (self.reach, self.weight) => other,
            _ => self,
        }
    }

    /// Whether the form is known and refused.
    pub(super) fn is_refusal(&self) -> bool {
        self.weight == Weight::Refused
    }

    /// The token at which it failed, if another word was expected there.
    pub(super) fn token(&self) -> Option<usize> {
        match self.what {
            What::Text { at: At::Token(token), .. } if self.weight == Weight::Expected => Some(token),
            What::Known(_) => Some(self.reach),
            What::Text { .. } => None,
        }
    }

    /// Converts it to an error; `offset` gives the first byte of a token.
    pub(super) fn error(self, text: &str, offset: impl Fn(usize) -> usize) -> SpecifierError {
        match self.what {
            What::Known(error) => *error,
            What::Text { at, wrong, instead } => {
                let byte = match at {
                    At::Byte(byte) => byte,
                    At::Token(token) => offset(token),
                };
                let at = text.get(..byte).unwrap_or(text).chars().count() + 1;
                SpecifierError::Text { at, wrong, instead }
            }
        }
    }
}

/// Words of the text, made safe for a message.
pub(super) fn shown(words: &str) -> String {
    format!("`{}`", clean(words, 60).replace('`', "'"))
}
