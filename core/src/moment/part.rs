//! Parts of a date: `month of birth date`, `start date.weekday`.

use jiff::civil::{Date, ISOWeekDate, Weekday};
use serde_json::{Value as Json, json};

use super::{From, Moment, Unit, WEEKDAYS};
use crate::dictionary::TypeExpr;

/// A part of a date, in the time zone of the Mac.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The year.
    Year,
    /// The month of the year, from 1.
    Month,
    /// The week with its year, numbered as in ISO 8601: `2026-W05`.
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
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
    "november", "december",
];

impl Part {
    /// Reads a part's name. Like AppleScript, it accepts the plural too, such as `hours`.
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

    /// Whether its values are texts and not numbers.
    pub fn is_text(self) -> bool {
        matches!(self, Self::Week | Self::Date | Self::Weekday)
    }

    /// The type of its values.
    pub fn kind(self) -> TypeExpr {
        TypeExpr::one(if self.is_text() { "text" } else { "integer" })
    }

    /// The forms of the values that it is compared with, for errors.
    pub fn forms(self) -> &'static str {
        match self {
            Self::Year => "a year such as 2026, or this year",
            Self::Month => "a month from 1 to 12, or its English name",
            Self::Week => "a week such as 2026-W48, or this week",
            Self::Date => "a day such as 2026-01-27, tomorrow or monday, without a time",
            Self::Day => "a day of the month from 1 to 31",
            Self::Weekday => "the English name of a day of the week, such as Monday or Mon",
            Self::Hour => "an hour from 0 to 23",
            Self::Minute => "a minute from 0 to 59",
        }
    }

    /// The value that a filter compares with, in the form of [`Self::of`]: a month and a day of the week have names.
    /// `None` if no date has this part.
    pub fn meant(self, value: &Json) -> Option<Json> {
        let text = value.as_str().map(str::trim);
        match self {
            Self::Month if text.is_some() => named(text?, &MONTHS).map(|at| json!(at + 1)),
            Self::Weekday => {
                let text = text?.to_lowercase();
                let at = named(text.strip_suffix('s').unwrap_or(&text), &WEEKDAYS);
                at.or_else(|| named(&text, &WEEKDAYS)).map(|at| json!(titled(WEEKDAYS[at])))
            }
            Self::Week => week(text?).map(|week| json!(format!("{:04}-W{:02}", week.year(), week.week()))),
            Self::Date => day(text?).map(|day| json!(day.to_string())),
            _ => value.as_f64().filter(|number| self.has(*number)).map(|_| value.clone()),
        }
    }

    /// Whether a date can have this number as this part.
    fn has(self, number: f64) -> bool {
        let (least, most) = match self {
            Self::Month => (1.0, 12.0),
            Self::Day => (1.0, 31.0),
            Self::Hour => (0.0, 23.0),
            Self::Minute => (0.0, 59.0),
            _ => (1.0, 9999.0),
        };
        number.fract() == 0.0 && (least..=most).contains(&number)
    }

    /// The day, week or year that a value names: its beginning and the beginning of the next one, in the form of a
    /// filter on the date itself. `None` for parts that recur, such as a weekday, and for other values.
    pub fn span(self, value: &Json) -> Option<[String; 2]> {
        if let Some(moment) = value.as_str().and_then(Moment::parse) {
            let (begin, end) = match (self, moment.from) {
                (Self::Date, _) => moment.day(),
                (Self::Week, From::Start(Unit::Week)) | (Self::Year, From::Start(Unit::Year)) => {
                    Some((moment, moment.period_end()?))
                }
                _ => None,
            }?;
            return Some([begin.to_string(), end.to_string()]);
        }
        let (begin, end) = match self {
            Self::Date => day(value.as_str()?).map(|day| (day, day.tomorrow()))?,
            Self::Week => {
                let monday = week(value.as_str()?)?.date();
                (monday, monday.checked_add(jiff::Span::new().weeks(1)))
            }
            Self::Year => {
                let year = value.as_f64().filter(|year| self.has(*year))? as i16;
                (Date::new(year, 1, 1).ok()?, Date::new(year + 1, 1, 1))
            }
            _ => return None,
        };
        Some([begin.to_string(), end.ok()?.to_string()])
    }

    /// The sort key. Days of the week are sorted from Monday on, not by their names.
    pub fn ranked(self, value: Json) -> Json {
        let at = value.as_str().filter(|_| self == Self::Weekday).and_then(|text| named(text, &WEEKDAYS));
        at.map_or(value, |at| json!(at))
    }

    /// The part of a local time, in milliseconds since 1970 as if it were UTC; null if the time is outside the
    /// calendar's range.
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

/// Whether a word is the name of a month, or its beginning.
pub(super) fn is_month(word: &str) -> bool {
    named(word, &MONTHS).is_some()
}

/// The index of a name among others; its first letters are enough.
fn named(text: &str, names: &[&str]) -> Option<usize> {
    let text = text.to_lowercase();
    let is_it = |name: &&str| **name == text || (text.len() >= 3 && name.starts_with(&text));
    names.iter().position(is_it)
}

fn titled(name: &str) -> String {
    name[..1].to_uppercase() + &name[1..]
}

/// A day without a time, in a year that every engine reads.
fn day(text: &str) -> Option<Date> {
    let is_bare = text.len() == "2026-01-27".len() && text.is_ascii();
    text.parse::<Date>().ok().filter(|day| is_bare && day.year() > 0)
}

/// `2026-W48`, `2026W48`, `2026-w5`
fn week(text: &str) -> Option<ISOWeekDate> {
    let (year, week) = text.split_once(['w', 'W'])?;
    let number =
        |text: &str| text.parse::<i16>().ok().filter(|_| text.bytes().all(|byte| byte.is_ascii_digit()));
    let year = number(year.strip_suffix('-').unwrap_or(year)).filter(|year| *year > 0)?;
    ISOWeekDate::new(year, number(week)?.try_into().ok()?, Weekday::Monday).ok()
}
