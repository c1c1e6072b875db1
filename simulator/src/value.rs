//! The values in Apple events: those that apps store, accept and return.

pub(crate) mod specifier;

use crate::value::specifier::Specifier;
use indexmap::IndexMap;
use std::rc::Rc;

/// A value in an app's data or in an event. It is kept small, because apps have many.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    /// AppleScript's `missing value`, `null` in JavaScript.
    Missing,
    Bool(bool),
    Int(i64),
    Real(f64),
    Text(Rc<str>),
    /// A string with unpaired surrogates, which a Rust string cannot hold.
    Utf16(Rc<[u16]>),
    /// The local wall-clock time in seconds since 1970. A Mac's long date has no time zone and no fraction.
    Date(i64),
    /// A POSIX path.
    File(Rc<str>),
    /// The name of an enumerator, with spaces.
    Enumerator(Rc<str>),
    /// The name of a class, with spaces.
    Class(Rc<str>),
    /// Raw data with a four-character type.
    Data(Rc<Data>),
    List(Vec<Self>),
    Record(Box<Fields>),
    /// An object in an event.
    Object(Rc<Specifier>),
    /// An object of the same app, in its data.
    Held(ObjectId),
}

/// A record's fields.
pub(crate) type Fields = IndexMap<Rc<str>, Value>;

/// Bytes with their four-character type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Data {
    pub(crate) kind: Rc<str>,
    pub(crate) bytes: Vec<u8>,
}

/// An object's index in its app's arena. It is stable as long as the base data and the journal are.
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

    /// Returns the text of a string, an enumerator, a class name or a path.
    pub(crate) fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) | Self::Enumerator(text) | Self::Class(text) | Self::File(text) => Some(text),
            _ => None,
        }
    }
}

impl From<f64> for Value {
    /// A whole number that a double represents exactly becomes an integer, as JavaScript for Automation sends it.
    fn from(number: f64) -> Self {
        const EXACT: f64 = 9_007_199_254_740_992.0;
        if number.fract() == 0.0 && number.abs() < EXACT {
            #[expect(clippy::cast_possible_truncation, reason = "whole and within 2^53")]
            return Self::Int(number as i64);
        }
        Self::Real(number)
    }
}

/// Parses a local time such as `2026-01-27T10:30:00` or `2026-01-27` to wall-clock seconds since 1970.
pub(crate) fn local_seconds(text: &str) -> Option<i64> {
    let time: jiff::civil::DateTime =
        text.parse().ok().or_else(|| Some(text.parse::<jiff::civil::Date>().ok()?.at(0, 0, 0, 0)))?;
    Some(time.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp().as_second())
}

/// Formats wall-clock seconds as the data files do.
pub(crate) fn local_text(seconds: i64) -> String {
    jiff::Timestamp::from_second(seconds)
        .map(|time| time.to_zoned(jiff::tz::TimeZone::UTC).datetime().to_string())
        .unwrap_or_default()
}
