//! Comparison operators in AppleScript's words.

use super::Parser;
use super::tokens::Kind;
use crate::filter::Operator;

/// How two values are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comparison {
    /// As a filter does.
    By(Operator),
    /// The opposite of that.
    Not(Operator),
    /// One of a list.
    In,
    /// None of a list.
    NotIn,
}

use Comparison::{By, In, Not, NotIn};
use Operator::{Contains, EndsWith, Equal, Greater, GreaterOrEqual, Less, LessOrEqual, NotEqual, StartsWith};

/// The most words of an operator: `is not greater than or equal to`.
const LONGEST: usize = 7;

/// Every spelling; `isn't` is read as `is not`, `are` as `is`, `doesn't` and `do not` as `does not`.
const SPELLINGS: [(&str, Comparison); 71] = [
    ("=", By(Equal)),
    ("==", By(Equal)),
    ("is", By(Equal)),
    ("equal", By(Equal)),
    ("equals", By(Equal)),
    ("equal to", By(Equal)),
    ("is equal", By(Equal)),
    ("is equal to", By(Equal)),
    ("≠", By(NotEqual)),
    ("!=", By(NotEqual)),
    ("/=", By(NotEqual)),
    ("is not", By(NotEqual)),
    ("is not equal", By(NotEqual)),
    ("is not equal to", By(NotEqual)),
    ("does not equal", By(NotEqual)),
    (">", By(Greater)),
    ("greater than", By(Greater)),
    ("is greater than", By(Greater)),
    ("comes after", By(Greater)),
    ("is after", By(Greater)),
    ("is not less than or equal", By(Greater)),
    ("is not less than or equal to", By(Greater)),
    ("<", By(Less)),
    ("less than", By(Less)),
    ("is less than", By(Less)),
    ("comes before", By(Less)),
    ("is before", By(Less)),
    ("is not greater than or equal", By(Less)),
    ("is not greater than or equal to", By(Less)),
    ("≥", By(GreaterOrEqual)),
    (">=", By(GreaterOrEqual)),
    ("greater than or equal", By(GreaterOrEqual)),
    ("greater than or equal to", By(GreaterOrEqual)),
    ("is greater than or equal", By(GreaterOrEqual)),
    ("is greater than or equal to", By(GreaterOrEqual)),
    ("is not less than", By(GreaterOrEqual)),
    ("does not come before", By(GreaterOrEqual)),
    ("≤", By(LessOrEqual)),
    ("<=", By(LessOrEqual)),
    ("less than or equal", By(LessOrEqual)),
    ("less than or equal to", By(LessOrEqual)),
    ("is less than or equal", By(LessOrEqual)),
    ("is less than or equal to", By(LessOrEqual)),
    ("is not greater than", By(LessOrEqual)),
    ("does not come after", By(LessOrEqual)),
    ("contains", By(Contains)),
    ("contain", By(Contains)),
    ("does not contain", Not(Contains)),
    ("starts with", By(StartsWith)),
    ("start with", By(StartsWith)),
    ("begins with", By(StartsWith)),
    ("begin with", By(StartsWith)),
    ("does not start with", Not(StartsWith)),
    ("does not begin with", Not(StartsWith)),
    ("ends with", By(EndsWith)),
    ("end with", By(EndsWith)),
    ("does not end with", Not(EndsWith)),
    ("is in", In),
    ("is contained by", In),
    ("is one of", In),
    ("is not in", NotIn),
    ("is not contained by", NotIn),
    ("is not one of", NotIn),
    ("startswith", By(StartsWith)),
    ("endswith", By(EndsWith)),
    ("not contains", Not(Contains)),
    ("is greater", By(Greater)),
    ("is less", By(Less)),
    ("is not before", By(GreaterOrEqual)),
    ("is not after", By(LessOrEqual)),
    ("is equals", By(Equal)),
];

impl Parser<'_> {
    /// The operators that may begin at a token, longest first, and the tokens after them.
    pub(super) fn comparisons(&self, at: usize) -> Vec<(Comparison, usize)> {
        let mut found = Vec::new();
        let mut words = String::new();
        for end in at + 1..=at + LONGEST {
            let Some(word) = self.operator_word(end - 1) else { break };
            words += if words.is_empty() { "" } else { " " };
            words += &word;
            found.extend(SPELLINGS.iter().find(|(spelling, _)| *spelling == words).map(|(_, by)| (*by, end)));
        }
        found.reverse();
        found
    }

    fn operator_word(&self, at: usize) -> Option<String> {
        match self.kind(at)? {
            Kind::Sign(sign) => Some((*sign).to_owned()),
            Kind::Word(word) => Some(match word.to_lowercase().as_str() {
                "isn't" | "aren't" => "is not".to_owned(),
                "doesn't" | "don't" => "does not".to_owned(),
                "are" => "is".to_owned(),
                "do" => "does".to_owned(),
                other => other.to_owned(),
            }),
            _ => None,
        }
    }
}
