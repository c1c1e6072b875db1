//! Relative dates: `now`, `today + 2 weeks`, `next monday at 9:00`. The core knows no clock and no zone, so that a moment stays
//! a description, and the script makes a date of it in the zone of the Mac.

mod part;

use serde_json::{Value as Json, json};

pub use part::Part;

/// A point in time that is told from the present.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    from: From,
    /// The time of that day, in seconds, if the text names one.
    clock: Option<i64>,
    span: Span,
}

/// What a moment is counted from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum From {
    /// The present.
    Now,
    /// The beginning of the present day, week, month or year.
    Start(Unit),
    /// The beginning of a day of the week; 0 is Monday.
    Weekday(i64, Which),
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

/// How far from there; months and days have no fixed length, so they are counted by the calendar.
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

/// As the OmniFocus plugin writes them: `now-90m`, `today+1mo`.
const SHORT: [(&str, Unit); 6] = [
    ("m", Unit::Minute),
    ("h", Unit::Hour),
    ("d", Unit::Day),
    ("w", Unit::Week),
    ("mo", Unit::Month),
    ("y", Unit::Year),
];

/// As many of a unit may be added.
const MOST: i64 = 1_000_000;

/// A moment is not farther away, in years: dates of JavaScript reach about 270,000 years.
const FARTHEST: i64 = 10_000;

/// As many spans may follow each other.
const MOST_SPANS: usize = 8;

/// As many parentheses may be opened.
const DEEPEST: usize = 8;

const WEEKDAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/// The grammar in one line, for errors and descriptions.
pub const GRAMMAR: &str = "now, today, tomorrow, yesterday, monday … sunday, last, this or next week, month or year, with a time or with + or - \
     minutes, hours, days, weeks, months or years, such as `friday 17:00` or `today + 2 weeks`";

impl Moment {
    /// Reads a moment; `None` where the text is anything else.
    pub fn parse(text: &str) -> Option<Self> {
        let (moment, end) = Self::prefix(text)?;
        text[end..].trim().is_empty().then_some(moment)
    }

    /// Reads a moment at the beginning of a text; returns it and how many bytes it takes.
    pub(crate) fn prefix(text: &str) -> Option<(Self, usize)> {
        let mut scan = Scan { text, at: 0, depth: 0 };
        let mut moment = scan.start()?;
        moment.clock = scan.clock();
        for _ in 0..MOST_SPANS {
            let before = scan.at;
            match scan.signed_span() {
                Some(span) => moment.span = moment.span.plus(span)?,
                None => {
                    scan.at = before;
                    break;
                }
            }
        }
        // A time behind hours or minutes would be another time than they lead to.
        if moment.clock.is_none() && moment.span.seconds == 0 {
            moment.clock = scan.clock();
        }
        Some((moment, scan.at))
    }

    /// Reads a date, or a date and time, as ISO 8601 writes them.
    pub fn is_date(text: &str) -> bool {
        text.parse::<jiff::Timestamp>().is_ok() || text.parse::<jiff::civil::DateTime>().is_ok()
    }

    /// The beginning of what follows the day, week, month or year that it names as a whole; `None` for a point in time.
    pub fn period_end(&self) -> Option<Self> {
        let Span { months, days, seconds } = self.span;
        let more = match self.from {
            _ if seconds != 0 || self.clock.is_some() => None,
            From::Start(Unit::Day) | From::Weekday(..) if months == 0 => Some(Span::of(1, Unit::Day)),
            From::Start(Unit::Week) if months == 0 && days % 7 == 0 => Some(Span::of(1, Unit::Week)),
            From::Start(Unit::Month) if days == 0 => Some(Span::of(1, Unit::Month)),
            From::Start(Unit::Year) if days == 0 && months % 12 == 0 => Some(Span::of(1, Unit::Year)),
            _ => None,
        };
        Some(Self { span: self.span.plus(more?)?, ..*self })
    }

    /// The beginning of the day that it lies in, or of the longer time that it names, and the beginning of what follows;
    /// `None` where hours lead to another day.
    fn day(&self) -> Option<(Self, Self)> {
        if let Some(end) = self.period_end() {
            return Some((*self, end));
        }
        let begin = Self { clock: Some(0), ..*self };
        let end = Self { span: self.span.plus(Span::of(1, Unit::Day))?, ..begin };
        (self.span.seconds == 0).then_some((begin, end))
    }

    /// Writes the moment as data for a script.
    pub fn to_data(&self) -> Json {
        let (from, weekday) = match self.from {
            From::Now => ("now", None),
            From::Start(unit) => (unit.name(), None),
            From::Weekday(day, Which::Coming) => ("coming", Some(day)),
            From::Weekday(day, Which::Next) => ("next", Some(day)),
            From::Weekday(day, Which::Last) => ("last", Some(day)),
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

    /// Reads what [`Self::to_data`] wrote.
    pub fn from_data(data: &Json) -> Option<Self> {
        let number = |name: &str| data.get(name).and_then(Json::as_i64);
        let weekday = |which| number("weekday").map(|day| From::Weekday(day, which));
        let from = match data.get("from").filter(|_| data["$"] == "moment")?.as_str()? {
            "now" => From::Now,
            "coming" => weekday(Which::Coming)?,
            "next" => weekday(Which::Next)?,
            "last" => weekday(Which::Last)?,
            unit => From::Start(Unit::parse(unit)?),
        };
        let span = Span { months: number("months")?, days: number("days")?, seconds: number("seconds")? };
        Some(Self { from, clock: number("clock"), span })
    }
}

/// `now - 14 days`, as [`Moment::parse`] reads it.
impl std::fmt::Display for Moment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.from {
            From::Now => f.write_str("now")?,
            From::Start(Unit::Day) => f.write_str("today")?,
            From::Start(unit) => write!(f, "this {}", unit.name())?,
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

    fn plus(self, other: Self) -> Option<Self> {
        let sum = Self {
            months: self.months + other.months,
            days: self.days + other.days,
            seconds: self.seconds + other.seconds,
        };
        let is_near = sum.months.abs() <= FARTHEST * 12 && sum.days.abs() <= FARTHEST * 365;
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

/// Reads words, numbers and signs; white space between them does not count.
#[derive(Clone, Copy)]
struct Scan<'a> {
    text: &'a str,
    at: usize,
    /// How many parentheses are open; it bounds the recursion.
    depth: usize,
}

impl Scan<'_> {
    fn start(&mut self) -> Option<Moment> {
        if self.open() {
            let moment = self.start()?;
            return self.sign(')').then_some(moment);
        }
        let spanned = |from, span| Some(Moment { from, clock: None, span });
        let plain = |from| spanned(from, Span::default());
        let today = From::Start(Unit::Day);
        if let Some(span) = self.ago() {
            return spanned(From::Now, span);
        }
        match self.word()?.as_str() {
            "now" => plain(From::Now),
            "current" => (self.word()? == "date").then_some(()).and_then(|()| plain(From::Now)),
            "today" => plain(today),
            "tomorrow" => spanned(today, Span::of(1, Unit::Day)),
            "yesterday" => spanned(today, Span::of(-1, Unit::Day)),
            "this" => self.named(0, Which::Coming),
            "next" => self.named(1, Which::Next),
            "last" => self.named(-1, Which::Last),
            "in" => self.span().and_then(|span| spanned(From::Now, span)),
            day => plain(From::Weekday(weekday(day)?, Which::Coming)),
        }
    }

    /// A day of the week, or a week, month or year counted from the present one.
    fn named(&mut self, count: i64, which: Which) -> Option<Moment> {
        let word = self.word()?;
        if let Some(day) = weekday(&word) {
            return Some(Moment { from: From::Weekday(day, which), clock: None, span: Span::default() });
        }
        let unit = Unit::parse(&word).filter(|unit| unit.name() == word)?;
        let is_long = matches!(unit, Unit::Week | Unit::Month | Unit::Year);
        is_long.then(|| Moment { from: From::Start(unit), clock: None, span: Span::of(count, unit) })
    }

    /// `3 days ago`, `3 days from now`
    fn ago(&mut self) -> Option<Span> {
        let before = self.at;
        let span = self.span().and_then(|span| match self.word()?.as_str() {
            "ago" => Some(Span { months: -span.months, days: -span.days, seconds: -span.seconds }),
            "from" => self.word().filter(|word| word == "now").map(|_| span),
            _ => None,
        });
        if span.is_none() {
            self.at = before;
        }
        span
    }

    /// `15:00`, `at 9`, `5 pm`, `at 9:30 am`, `noon`, in seconds; nothing is read where no time stands.
    fn clock(&mut self) -> Option<i64> {
        let before = self.at;
        let found = self.time();
        if found.is_none() {
            self.at = before;
        }
        found
    }

    fn time(&mut self) -> Option<i64> {
        let start = self.at;
        let has_at = self.word().is_some_and(|word| word == "at");
        if !has_at {
            self.at = start;
        }
        let word = self.at;
        match self.word().as_deref() {
            Some("noon") => return Some(12 * 3600),
            Some("midnight") => return Some(0),
            _ => self.at = word,
        }
        let mut hour = self.number()?;
        let mut parts = [0, 0];
        let mut is_time = has_at;
        for part in &mut parts {
            if !self.sign(':') {
                break;
            }
            *part = self.number().filter(|part| *part < 60)?;
            is_time = true;
        }
        let end = self.at;
        match self.word().as_deref() {
            Some(half @ ("am" | "pm")) if (1..=12).contains(&hour) => {
                hour = hour % 12 + if half == "pm" { 12 } else { 0 };
                is_time = true;
            }
            _ => self.at = end,
        }
        (is_time && hour < 24).then_some(hour * 3600 + parts[0] * 60 + parts[1])
    }

    fn signed_span(&mut self) -> Option<Span> {
        let sign = if self.sign('+') { 1 } else { -i64::from(self.sign('-')) };
        let Span { months, days, seconds } = self.span().filter(|_| sign != 0)?;
        Some(Span { months: sign * months, days: sign * days, seconds: sign * seconds })
    }

    /// `3 days`, `3 * days`, `(3 * days)`, `3days`
    fn span(&mut self) -> Option<Span> {
        if self.open() {
            let span = self.span()?;
            return self.sign(')').then_some(span);
        }
        let start = self.at;
        let count = match self.word().as_deref() {
            Some("a" | "an") => 1,
            _ => {
                self.at = start;
                self.number()?
            }
        };
        self.sign('*');
        Some(Span::of(count, Unit::parse(&self.word()?)?))
    }

    fn rest(&self) -> &str {
        self.text[self.at..].trim_start()
    }

    fn skip(&mut self, bytes: usize) {
        self.at = self.text.len() - self.rest().len() + bytes;
    }

    fn open(&mut self) -> bool {
        let is_open = self.depth < DEEPEST && self.sign('(');
        self.depth += usize::from(is_open);
        is_open
    }

    fn sign(&mut self, sign: char) -> bool {
        let is_there = self.rest().starts_with(sign);
        if is_there {
            self.skip(sign.len_utf8());
        }
        is_there
    }

    fn number(&mut self) -> Option<i64> {
        let rest = self.rest();
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let number = rest[..end].parse().ok().filter(|number| *number <= MOST)?;
        self.skip(end);
        Some(number)
    }

    fn word(&mut self) -> Option<String> {
        let rest = self.rest();
        let end = rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len());
        let is_whole = !rest[end..].starts_with(|c: char| c.is_ascii_digit() || c == '_');
        let word = rest[..end].to_lowercase();
        self.skip(end);
        (is_whole && !word.is_empty()).then_some(word)
    }
}

fn weekday(word: &str) -> Option<i64> {
    WEEKDAYS.iter().position(|day| *day == word).and_then(|at| i64::try_from(at).ok())
}

#[cfg(test)]
mod tests;
