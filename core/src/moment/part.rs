//! Parts of a date: `month of birth date`, `start date.weekday`.

use serde_json::{Value as Json, json};

use crate::dictionary::{TypeExpr, TypeRef};

/// A part of a date, in the zone of the Mac.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The year.
    Year,
    /// The month of the year, from 1.
    Month,
    /// The week with its year, as ISO 8601 counts them: `2026-W05`.
    Week,
    /// The day without its time: `2026-01-27`.
    Date,
    /// The day of the month, from 1.
    Day,
    /// The day of the week by its English name.
    Weekday,
    /// The hour of the day, from 0.
    Hour,
    /// The minute of the hour, from 0.
    Minute,
}

const PARTS: [(&str, Part); 8] = [
    ("year", Part::Year),
    ("month", Part::Month),
    ("week", Part::Week),
    ("date", Part::Date),
    ("day", Part::Day),
    ("weekday", Part::Weekday),
    ("hour", Part::Hour),
    ("minute", Part::Minute),
];

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

impl Part {
    /// Reads a part's name, in the singular or, as AppleScript says `hours`, in the plural.
    pub fn parse(word: &str) -> Option<Self> {
        let word = word.trim().to_lowercase();
        let is_it = |name: &str| word == name || word.strip_suffix('s') == Some(name);
        PARTS.iter().find(|(name, _)| is_it(name)).map(|(_, part)| *part)
    }

    /// The name.
    pub fn as_str(self) -> &'static str {
        PARTS.iter().find(|(_, part)| *part == self).map_or("", |(name, _)| name)
    }

    /// Every name, for errors.
    pub fn names() -> impl Iterator<Item = &'static str> {
        PARTS.iter().map(|(name, _)| *name)
    }

    /// Whether it is a text and not a number.
    pub fn is_text(self) -> bool {
        matches!(self, Self::Week | Self::Date | Self::Weekday)
    }

    /// The type of its values.
    pub fn kind(self) -> TypeExpr {
        let name = if self.is_text() { "text" } else { "integer" };
        TypeExpr(vec![TypeRef { name: name.to_owned(), ..TypeRef::default() }])
    }

    /// The value that a filter compares with: a month may be written by its name.
    pub fn meant(self, value: &Json) -> Json {
        let month = value.as_str().filter(|_| self == Self::Month).and_then(|text| {
            let text = text.to_lowercase();
            MONTHS.iter().position(|month| text == *month || (text.len() == 3 && month.starts_with(&text)))
        });
        month.map_or_else(|| value.clone(), |at| json!(at + 1))
    }

    /// The part of a civil time, in milliseconds since 1970 as if it were UTC; null for a time that no calendar has.
    pub fn of(self, civil: i64) -> Json {
        let Ok(time) = jiff::Timestamp::from_millisecond(civil) else { return Json::Null };
        let time = jiff::tz::TimeZone::UTC.to_datetime(time);
        match self {
            Self::Year => json!(time.year()),
            Self::Month => json!(time.month()),
            Self::Day => json!(time.day()),
            Self::Hour => json!(time.hour()),
            Self::Minute => json!(time.minute()),
            Self::Date => json!(time.strftime("%Y-%m-%d").to_string()),
            Self::Week => json!(time.strftime("%G-W%V").to_string()),
            Self::Weekday => json!(time.strftime("%A").to_string()),
        }
    }
}
