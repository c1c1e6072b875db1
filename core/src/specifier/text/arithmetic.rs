//! Arithmetic in values: `(10 * 1000 * 1000)`, `((current date) - 7 * days)`. The server folds it, so that no sum
//! reaches an app.

use serde_json::{Number, Value as Json, json};

use super::Parser;
use super::error::{Fail, shown};
use super::tokens::Kind;
use crate::moment::Moment;

/// The deepest nesting of parentheses in a value.
const DEEPEST: usize = 14;

/// The words that stand for a number of seconds.
const SECONDS: [(&str, i64); 4] = [("minutes", 60), ("hours", 3_600), ("days", 86_400), ("weeks", 604_800)];

/// A number as AppleScript counts: an integer, or a real if an integer would be too large.
#[derive(Clone, Copy)]
enum Count {
    Whole(i64),
    Real(f64),
}

impl Count {
    fn real(self) -> f64 {
        match self {
            Self::Whole(whole) => whole as f64,
            Self::Real(real) => real,
        }
    }

    fn with(
        self,
        other: Self,
        whole: impl Fn(i64, i64) -> Option<i64>,
        real: impl Fn(f64, f64) -> f64,
    ) -> Self {
        let exact = match (self, other) {
            (Self::Whole(one), Self::Whole(other)) => whole(one, other),
            _ => None,
        };
        exact.map_or_else(|| Self::Real(real(self.real(), other.real())), Self::Whole)
    }

    fn to_json(self) -> Option<Json> {
        match self {
            Self::Whole(whole) => Some(json!(whole)),
            Self::Real(real) => Number::from_f64(real).map(Json::Number),
        }
    }
}

impl Parser<'_> {
    /// A number that is computed: in parentheses, or with a sign behind it. `None` for a number alone.
    pub(super) fn computed(&self, at: usize) -> Option<(Json, usize)> {
        let (count, end) = self.sum(at, 0)?;
        let is_alone = end == at + 1 || (end == at + 2 && self.is_sign(at, "-"));
        Some((count.to_json().filter(|_| !is_alone)?, end))
    }

    fn sum(&self, at: usize, depth: usize) -> Option<(Count, usize)> {
        let (mut total, mut end) = self.product(at, depth)?;
        loop {
            let is_minus = self.is_sign(end, "-");
            if !is_minus && !self.is_sign(end, "+") {
                return Some((total, end));
            }
            let (next, behind) = self.product(end + 1, depth)?;
            total = match is_minus {
                true => total.with(next, i64::checked_sub, |one, other| one - other),
                false => total.with(next, i64::checked_add, |one, other| one + other),
            };
            end = behind;
        }
    }

    fn product(&self, at: usize, depth: usize) -> Option<(Count, usize)> {
        let (mut total, mut end) = self.factor(at, depth)?;
        while self.is_sign(end, "*") {
            let (next, behind) = self.factor(end + 1, depth)?;
            total = total.with(next, i64::checked_mul, |one, other| one * other);
            end = behind;
        }
        Some((total, end))
    }

    fn factor(&self, at: usize, depth: usize) -> Option<(Count, usize)> {
        if depth > DEEPEST {
            return None;
        }
        match self.kind(at)? {
            Kind::Number(digits) => {
                let whole = digits.parse().ok().map(Count::Whole);
                whole.or_else(|| digits.parse().ok().map(Count::Real)).map(|count| (count, at + 1))
            }
            Kind::Sign("-") => {
                let (count, end) = self.factor(at + 1, depth + 1)?;
                Some((Count::Whole(0).with(count, i64::checked_sub, |one, other| one - other), end))
            }
            Kind::Sign("(") => {
                let (count, end) = self.sum(at + 1, depth + 1)?;
                self.is_sign(end, ")").then_some((count, end + 1))
            }
            Kind::Word(word) => {
                let (_, seconds) = SECONDS.iter().find(|(unit, _)| word.eq_ignore_ascii_case(unit))?;
                Some((Count::Whole(*seconds), at + 1))
            }
            _ => None,
        }
    }

    /// A moment, also a computed one: `((current date) - 7 * days)`, `(current date) - 3600`.
    pub(super) fn moment(&self, at: usize) -> Result<Option<(String, usize)>, Fail> {
        let start = self.offset(at);
        let Some((moment, length)) = Moment::prefix(&self.text[start..]) else { return Ok(None) };
        Ok(Some((moment.to_string(), self.behind_date(start + length)?)))
    }

    /// The token behind a date that ends at a byte.
    ///
    /// # Errors
    /// The byte is inside a token: `now - 14dys` is a slip, not 14 seconds.
    pub(super) fn behind_date(&self, byte: usize) -> Result<usize, Fail> {
        let end = self.token_behind(byte);
        let Some(cut) = self.tokens[..end].last().filter(|token| token.end > byte) else { return Ok(end) };
        let wrong = format!("{} is no part of a date", shown(&self.text[cut.start..cut.end]));
        let instead = "write a day such as 2026-01-27, or a time such as `now - 14 days` or `yesterday 9:30`";
        Err(Fail::refused(end - 1, end, wrong, instead))
    }

    /// The first token that begins at a byte or behind it.
    pub(super) fn token_behind(&self, byte: usize) -> usize {
        self.tokens.iter().position(|token| token.start >= byte).unwrap_or(self.tokens.len())
    }

    /// The error for parentheses that hold no value.
    pub(super) fn no_value_inside(&self, at: usize) -> Fail {
        let inside = self.phrase(at + 1);
        let instead = "write the value out: a text in quotes, a number, a date, true, false or missing value";
        inside.unwrap_or_else(|| {
            Fail::refused(at, at + 1, format!("{} begins no value", self.shown(at + 1)), instead)
        })
    }
}
