//! The values of Apple events: those that apps hold, accept and answer.

pub(crate) mod specifier;

use crate::value::specifier::Specifier;
use indexmap::IndexMap;
use std::rc::Rc;

/// One value, in an app's data or in an event. It is small, because apps have many.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    /// AppleScript's `missing value`, `null` in JavaScript.
    Missing,
    Bool(bool),
    Int(i64),
    Real(f64),
    Text(Rc<str>),
    /// A text with lone surrogates, which Rust's own text cannot hold.
    Utf16(Rc<[u16]>),
    /// Seconds since 1970 of the local wall clock; a Mac's long date has no zone and no fraction.
    Date(i64),
    /// A POSIX path.
    File(Rc<str>),
    /// An enumerator's name, with spaces.
    Enumerator(Rc<str>),
    /// A class's name, with spaces.
    Class(Rc<str>),
    /// Raw data of a four-character type.
    Data(Rc<Data>),
    List(Vec<Self>),
    Record(Box<Fields>),
    /// An object, in an event.
    Object(Rc<Specifier>),
    /// An object of the same app, in its data.
    Held(ObjectId),
}

/// A record's fields.
pub(crate) type Fields = IndexMap<Rc<str>, Value>;

/// Bytes, and their four-character type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Data {
    pub(crate) kind: Rc<str>,
    pub(crate) bytes: Vec<u8>,
}

/// An object's place in its app's arena; stable as long as base data and journal are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub(crate) struct ObjectId(pub(crate) u32);

/// The application object of every model.
pub(crate) const APP: ObjectId = ObjectId(0);

impl Value {
    pub(crate) fn text(text: impl Into<Rc<str>>) -> Self {
        Self::Text(text.into())
    }

    pub(crate) fn as_number(&self) -> Option<f64> {
        match self {
            #[expect(clippy::cast_precision_loss, reason = "JavaScript's numbers are doubles too")]
            Self::Int(number) => Some(*number as f64),
            Self::Real(number) => Some(*number),
            _ => None,
        }
    }

    /// The text of texts, enumerators and class names.
    pub(crate) fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) | Self::Enumerator(text) | Self::Class(text) | Self::File(text) => Some(text),
            _ => None,
        }
    }
}

impl From<f64> for Value {
    /// A whole number that a double holds exactly becomes an integer, as JavaScript for Automation sends it.
    fn from(number: f64) -> Self {
        const EXACT: f64 = 9_007_199_254_740_992.0;
        if number.fract() == 0.0 && number.abs() < EXACT {
            #[expect(clippy::cast_possible_truncation, reason = "whole and within 2^53")]
            return Self::Int(number as i64);
        }
        Self::Real(number)
    }
}

/// Reads a local time such as `2026-01-27T10:30:00` or `2026-01-27`, as seconds of the wall clock since 1970.
pub(crate) fn local_seconds(text: &str) -> Option<i64> {
    let time: jiff::civil::DateTime =
        text.parse().ok().or_else(|| Some(text.parse::<jiff::civil::Date>().ok()?.at(0, 0, 0, 0)))?;
    Some(time.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp().as_second())
}

/// Writes seconds of the wall clock as the data files do.
pub(crate) fn local_text(seconds: i64) -> String {
    jiff::Timestamp::from_second(seconds)
        .map(|time| time.to_zoned(jiff::tz::TimeZone::UTC).datetime().to_string())
        .unwrap_or_default()
}
