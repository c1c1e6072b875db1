//! Relative dates: `now`, `today + 2 weeks`, `next monday at 9:00`. The core has no clock and no time zone. So a moment
//! stays a description, and the script turns it into a date in the time zone of the Mac.

mod part;
mod scan;

use jiff::civil::{Date, DateTime};
use serde_json::{Value as Json, json};

pub use part::Part;
use scan::Scan;

use crate::dictionary::names;

/// A point in time relative to the present.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    from: From,
    /// The time of that day, in seconds, if the text names one.
    clock: Option<i64>,
    span: Span,
}

/// The base of a relative moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum From {
    /// The present.
    Now,
    /// The beginning of the present day, week, month or year.
    Start(Unit),
    /// The beginning of a day of the week; 0 is Monday.
    Weekday(i64, Which),
    /// The beginning of a date.
    Date(Date),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Which {
    /// The day itself, if that is today, or the first one after it.
    Coming,
    /// The first one after today.
    Next,
    /// The last one before today.
    Last,
}

/// The distance from the base. Months and days have no fixed length, so they are counted by the calendar.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Span {
    months: i64,
    days: i64,
    seconds: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    Second,
    Minute,
    Hour,
    Day,
    Week,
    Month,
    Year,
}

const UNITS: [(&str, Unit); 7] = [
    ("second", Unit::Second),
    ("minute", Unit::Minute),
    ("hour", Unit::Hour),
    ("day", Unit::Day),
    ("week", Unit::Week),
    ("month", Unit::Month),
    ("year", Unit::Year),
];

/// Short names of units, as the OmniFocus plugin writes them: `now-90m`, `today+1mo`.
const SHORT: [(&str, Unit); 6] = [
    ("m", Unit::Minute),
    ("h", Unit::Hour),
    ("d", Unit::Day),
    ("w", Unit::Week),
    ("mo", Unit::Month),
    ("y", Unit::Year),
];

/// The greatest distance of a moment from now, in years. JavaScript dates reach about 270,000 years.
const FARTHEST: i64 = 10_000;

const DAY_SECONDS: i64 = 24 * 3600;

/// The largest number before a unit: the seconds of more than [`FARTHEST`] years.
const MOST: f64 = 4e11;

const TODAY: From = From::Start(Unit::Day);

/// The first day of a weekend; 0 is Monday.
const SATURDAY: i64 = 5;

const WEEKDAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/// The grammar in one line, for errors and descriptions.
pub const GRAMMAR: &str = "now, today, tomorrow, yesterday, monday … sunday, last, this or next week, month or year, end of …, with a time or with \
     + or - minutes, hours, days, weeks, months or years, such as `friday 17:00` or `today + 2 weeks`";

/// The day, week, month or year that a text names: its beginning and the beginning of the next one. `None` for a point
/// in time.
pub(crate) fn span(text: &str) -> Option<[String; 2]> {
    match Moment::parse(text) {
        Some(moment) => Some([moment.to_string(), moment.period_end()?.to_string()]),
        None => Part::Date.span(&json!(text)),
    }
}

impl Moment {
    const fn at(from: From) -> Self {
        Self { from, clock: None, span: Span { months: 0, days: 0, seconds: 0 } }
    }

    fn days(count: i64) -> Self {
        Self { span: Span::of(count, Unit::Day), ..Self::at(TODAY) }
    }

    /// A date, perhaps with a time, in the time zone of the Mac.
    fn of_date(text: &str) -> Option<Self> {
        // The parser skips an offset. A time with one is a time by itself, not one of the Mac's zone.
        let has_zone = jiff::fmt::temporal::Pieces::parse(text).ok()?;
        let has_zone = has_zone.offset().is_some() || has_zone.time_zone_annotation().is_some();
        let date: DateTime = text.parse().ok().filter(|_| !has_zone)?;
        if date.subsec_nanosecond() != 0 {
            return None;
        }
        let time = date.time();
        let clock = (i64::from(time.hour()) * 60 + i64::from(time.minute())) * 60 + i64::from(time.second());
        let has_time = text.trim().len() > "2026-01-27".len();
        Some(Self { clock: has_time.then_some(clock), ..Self::at(From::Date(date.date())) })
    }

    /// What a date and its spans amount to. The calendar of the Mac is not needed for it.
    fn date(&self) -> Option<DateTime> {
        let From::Date(date) = self.from else { return None };
        let Span { months, days, seconds } = self.span;
        let none = jiff::Span::new();
        let date = date.checked_add(none.try_months(months).ok()?).ok()?;
        let date =
            date.checked_add(none.try_days(days).ok()?).ok()?.to_datetime(jiff::civil::Time::midnight());
        date.checked_add(none.try_seconds(seconds + self.clock.unwrap_or(0)).ok()?).ok()
    }

    /// Whether it is within the years that a date can have.
    fn is_near(&self) -> bool {
        !matches!(self.from, From::Date(_)) || self.date().is_some()
    }

    /// The moment at a time of its day: of the last day, if it is the end of a period. `None` if it has a time.
    fn at_clock(self, clock: i64) -> Option<Self> {
        let Self { from, span, .. } = self;
        let span = match span.seconds {
            0 => span,
            // The last second of a period, as `edge` writes it.
            -1 if from != From::Now => Span { days: span.days - 1, seconds: 0, ..span },
            _ => return None,
        };
        self.clock.is_none().then_some(Self { from, clock: Some(clock), span })
    }

    /// The Saturday of the week that is `weeks` after this week.
    fn weekend(weeks: i64) -> Self {
        Self {
            span: Span { days: weeks * 7 + SATURDAY, ..Span::default() },
            ..Self::at(From::Start(Unit::Week))
        }
    }

    /// Reads a moment; `None` for any other text.
    pub fn parse(text: &str) -> Option<Self> {
        let (moment, end) = Self::prefix(text)?;
        text[end..].trim().is_empty().then_some(moment)
    }

    /// Reads a moment at the beginning of a text; returns it and how many bytes it takes.
    pub(crate) fn prefix(text: &str) -> Option<(Self, usize)> {
        let mut scan = Scan::new(text);
        let moment = scan.whole()?;
        Some((moment, scan.at))
    }

    /// What to write instead of words that name no point in time, or several.
    pub fn instead(text: &str) -> Option<&'static str> {
        let text = text.to_lowercase();
        let words: Vec<&str> =
            text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
        let has = |known: &[&str]| words.iter().any(|word| known.contains(word));
        let is_month = |word: &&str| part::is_month(word);
        if has(&["tonight", "morning", "afternoon", "evening", "night", "eod", "cob"]) {
            return Some("say the hour, such as `today 20:00` or `tomorrow evening at 7`");
        }
        if has(&["midnight"]) {
            return Some("write `today 0:00` for the beginning of today, or `tomorrow 0:00` for its end");
        }
        if has(&["weekend"]) {
            return Some("write `this weekend`, or `this weekend + 1 week` for the one after it");
        }
        if has(&["few", "couple", "several", "soon", "later", "asap"]) {
            return Some("say how long from now, such as `in 2 days` or `3 hours ago`");
        }
        let is_number = |word: &&str| word.parse::<u32>().is_ok();
        let is_date = words.len() > 1 && words.iter().all(is_number);
        (is_date || words.iter().any(is_month))
            .then_some("write the year, the month and the day, such as 2026-01-27 or 2026-01-27 15:00")
    }

    /// Whether it starts at `now`. Nothing would ever equal it.
    pub(crate) const fn is_instant(&self) -> bool {
        matches!(self.from, From::Now)
    }

    /// Whether it is a date of the calendar, and so the same on every day.
    pub(crate) const fn is_fixed(&self) -> bool {
        matches!(self.from, From::Date(_))
    }

    /// Reads a date, or a date and time, as ISO 8601 writes them.
    pub fn is_date(text: &str) -> bool {
        text.parse::<jiff::Timestamp>().is_ok() || text.parse::<DateTime>().is_ok()
    }

    /// The end of the day, week, month or year that the moment names: the beginning of the next one. `None` for a point
    /// in time.
    pub fn period_end(&self) -> Option<Self> {
        let Span { months, days, seconds } = self.span;
        let more = match self.from {
            _ if seconds != 0 || self.clock.is_some() => None,
            From::Start(Unit::Day) | From::Weekday(..) | From::Date(_) if months == 0 => {
                Some(Span::of(1, Unit::Day))
            }
            From::Start(Unit::Week) if months == 0 && days % 7 == 0 => Some(Span::of(1, Unit::Week)),
            From::Start(Unit::Week) if months == 0 && days.rem_euclid(7) == SATURDAY => {
                Some(Span::of(2, Unit::Day))
            }
            From::Start(Unit::Month) if days == 0 => Some(Span::of(1, Unit::Month)),
            From::Start(Unit::Year) if days == 0 && months % 12 == 0 => Some(Span::of(1, Unit::Year)),
            _ => None,
        };
        Some(Self { span: self.span.plus(more?)?, ..*self })
    }

    /// The beginning of its day, week, month or year, and the beginning of the next one; `None` if hours may lead to
    /// another day.
    fn day(&self) -> Option<(Self, Self)> {
        if let Some(end) = self.period_end() {
            return Some((*self, end));
        }
        let begin = Self { clock: Some(0), ..*self };
        let end = Self { span: self.span.plus(Span::of(1, Unit::Day))?, ..begin };
        (self.span.seconds == 0).then_some((begin, end))
    }

    /// Writes the moment as data for a script: a date that does not depend on the present is one already.
    pub fn to_data(&self) -> Json {
        let (from, weekday) = match self.from {
            From::Now => ("now", None),
            From::Start(unit) => (unit.name(), None),
            From::Weekday(day, Which::Coming) => ("coming", Some(day)),
            From::Weekday(day, Which::Next) => ("next", Some(day)),
            From::Weekday(day, Which::Last) => ("last", Some(day)),
            From::Date(_) => return json!({ "$": "date", "v": self.date().map(written) }),
        };
        let Span { months, days, seconds } = self.span;
        let mut data = json!({
            "$": "moment", "said": self.to_string(),
            "from": from, "weekday": weekday, "months": months, "days": days, "seconds": seconds,
        });
        if let Some(clock) = self.clock {
            data["clock"] = json!(clock);
        }
        data
    }
}

/// A distance from a property's own date: `due date + 1 day`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shift(Span);

impl Shift {
    /// Reads it; `None` if the text does not begin with this property, in any spelling.
    pub(crate) fn parse(text: &str, property: &str) -> Option<Self> {
        let (own, span) = text.split_at(text.find(['+', '-'])?);
        let moment =
            Moment::parse(&format!("now {span}")).filter(|_| names::key(own) == names::key(property))?;
        (moment.from == From::Now && moment.clock.is_none()).then_some(Self(moment.span))
    }

    /// The date at that distance from another one. Days and longer spans are counted by the calendar: such a result
    /// names no zone, so the Mac's own counts, as it does for the other date.
    pub(crate) fn of(self, date: &str) -> Option<String> {
        // Hours and minutes pass on the clock of the world, also when local clocks change. The result keeps the offset.
        let offset =
            jiff::fmt::temporal::Pieces::parse(date).ok().and_then(|pieces| pieces.to_numeric_offset());
        if let (Span { months: 0, days: 0, seconds }, Some(offset)) = (self.0, offset) {
            let at = date.parse::<jiff::Timestamp>().ok()?;
            let at = at.checked_add(jiff::SignedDuration::from_secs(seconds)).ok()?;
            return Some(at.display_with_offset(offset).to_string());
        }
        let date: DateTime = date.get(..19)?.parse().ok()?;
        let Span { months, days, seconds } = self.0;
        // One after the other, because all parts of a span of this library have one sign.
        let empty = jiff::Span::new();
        let spans = [empty.try_months(months), empty.try_days(days), empty.try_seconds(seconds)];
        let add = |date: DateTime, span: Result<jiff::Span, _>| date.checked_add(span.ok()?).ok();
        let shifted = spans.into_iter().try_fold(date, add)?;
        Some(written(shifted))
    }
}

/// A local time, as programs write it.
fn written(date: DateTime) -> String {
    date.strftime("%Y-%m-%dT%H:%M:%S").to_string()
}

/// `now - 14 days`, as [`Moment::parse`] reads it; a date as programs write it.
impl std::fmt::Display for Moment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(date) = self.date() {
            return match self.clock.is_none() && self.span.seconds == 0 {
                true => write!(f, "{}", date.date()),
                false => f.write_str(&written(date)),
            };
        }
        match self.from {
            From::Now => f.write_str("now")?,
            From::Start(Unit::Day) => f.write_str("today")?,
            From::Start(unit) => write!(f, "this {}", unit.name())?,
            From::Date(date) => write!(f, "{date}")?,
            From::Weekday(day, which) => {
                f.write_str(match which {
                    Which::Coming => "",
                    Which::Next => "next ",
                    Which::Last => "last ",
                })?;
                let day = usize::try_from(day).ok().and_then(|day| WEEKDAYS.get(day));
                f.write_str(day.copied().unwrap_or_default())?;
            }
        }
        if let Some(clock) = self.clock {
            write!(f, " at {}:{:02}", clock / 3600, clock / 60 % 60)?;
            if clock % 60 != 0 {
                write!(f, ":{:02}", clock % 60)?;
            }
        }
        self.span.fmt(f)
    }
}

impl std::fmt::Display for Span {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let units = [
            (self.months, 12, "year", 1, "month"),
            (self.days, 7, "week", 1, "day"),
            (self.seconds, 3600, "hour", 60, "minute"),
        ];
        for (amount, long, long_name, short, short_name) in units {
            let (count, name) = match amount {
                0 => continue,
                whole if whole % long == 0 => (whole / long, long_name),
                whole if whole % short == 0 => (whole / short, short_name),
                seconds => (seconds, "second"),
            };
            let sign = if count < 0 { '-' } else { '+' };
            let plural = if count.abs() == 1 { "" } else { "s" };
            write!(f, " {sign} {} {name}{plural}", count.abs())?;
        }
        Ok(())
    }
}

impl Span {
    fn of(count: i64, unit: Unit) -> Self {
        let mut span = Self::default();
        match unit {
            Unit::Second => span.seconds = count,
            Unit::Minute => span.seconds = count * 60,
            Unit::Hour => span.seconds = count * 3600,
            Unit::Day => span.days = count,
            Unit::Week => span.days = count * 7,
            Unit::Month => span.months = count,
            Unit::Year => span.months = count * 12,
        }
        span
    }

    /// A count that may have a fraction, if the unit has a fixed length in AppleScript.
    fn counted(count: f64, unit: Unit) -> Option<Self> {
        if count > MOST {
            return None;
        }
        let is_fixed = !matches!(unit, Unit::Month | Unit::Year);
        let span = match count.fract() == 0.0 {
            true => Self::of(count as i64, unit),
            false => {
                let one = Self::of(1, unit);
                let seconds = (one.days * DAY_SECONDS + one.seconds) as f64 * count;
                is_fixed.then(|| Self::of(seconds.round() as i64, Unit::Second))?
            }
        };
        span.plus(Self::default())
    }

    fn back(self) -> Self {
        Self { months: -self.months, days: -self.days, seconds: -self.seconds }
    }

    fn plus(self, other: Self) -> Option<Self> {
        let sum = Self {
            months: self.months + other.months,
            days: self.days + other.days,
            seconds: self.seconds + other.seconds,
        };
        let is_near = sum.months.abs() <= FARTHEST * 12
            && sum.days.abs() <= FARTHEST * 365
            && sum.seconds.abs() <= FARTHEST * 365 * DAY_SECONDS;
        is_near.then_some(sum)
    }
}

impl Unit {
    fn parse(word: &str) -> Option<Self> {
        let short = SHORT.iter().find(|(short, _)| *short == word).map(|(_, unit)| *unit);
        let named = |name: &str| word == name || word.strip_suffix('s') == Some(name);
        short.or_else(|| UNITS.iter().find(|(name, _)| named(name)).map(|(_, unit)| *unit))
    }

    fn name(self) -> &'static str {
        UNITS.iter().find(|(_, unit)| *unit == self).map_or("", |(name, _)| name)
    }
}

#[cfg(test)]
mod tests;
