//! Relative dates: `now`, `today + 2 weeks`, `next monday at 9:00`. The core has no clock and no time zone. So a moment
//! stays a description, and the script turns it into a date in the time zone of the Mac.

mod part;

use serde_json::{Value as Json, json};

pub use part::Part;

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

/// The largest number before a unit.
const MOST: i64 = 1_000_000;

/// The greatest distance of a moment from now, in years. JavaScript dates reach about 270,000 years.
const FARTHEST: i64 = 10_000;

/// The largest number of spans in a row.
const MOST_SPANS: usize = 8;

/// The largest number of open parentheses.
const DEEPEST: usize = 8;

const TODAY: From = From::Start(Unit::Day);

/// Parts of a day, and the hour after which their hours are counted.
const DAY_PARTS: [(&str, i64); 4] =
    [("morning", 0), ("afternoon", AFTERNOON), ("evening", AFTERNOON), ("night", AFTERNOON)];

const AFTERNOON: i64 = 12;

/// The first day of a weekend; 0 is Monday.
const SATURDAY: i64 = 5;

/// The numbers that people write in words, from one.
const NUMBERS: [&str; 12] =
    ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];

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
        let mut scan = Scan { text, at: 0, depth: 0 };
        let mut moment = scan.moment()?;
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
        // A time after hours or minutes would contradict them.
        if moment.clock.is_none() && moment.span.seconds == 0 {
            moment.clock = scan.clock();
        }
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

    /// Reads a date, or a date and time, as ISO 8601 writes them.
    pub fn is_date(text: &str) -> bool {
        text.parse::<jiff::Timestamp>().is_ok() || text.parse::<jiff::civil::DateTime>().is_ok()
    }

    /// The end of the day, week, month or year that the moment names: the beginning of the next one. `None` for a point
    /// in time.
    pub fn period_end(&self) -> Option<Self> {
        let Span { months, days, seconds } = self.span;
        let more = match self.from {
            _ if seconds != 0 || self.clock.is_some() => None,
            From::Start(Unit::Day) | From::Weekday(..) if months == 0 => Some(Span::of(1, Unit::Day)),
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

    /// Reads the form that [`Self::to_data`] writes.
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

    /// The date at that distance from another one. Days and longer spans are counted by the calendar: such a result names no
    /// zone, so the Mac's own counts, as it does for the other date.
    pub(crate) fn of(self, date: &str) -> Option<String> {
        // Hours and minutes pass on the clock of the world, also when local clocks change. The result keeps the offset.
        let offset =
            jiff::fmt::temporal::Pieces::parse(date).ok().and_then(|pieces| pieces.to_numeric_offset());
        if let (Span { months: 0, days: 0, seconds }, Some(offset)) = (self.0, offset) {
            let at = date.parse::<jiff::Timestamp>().ok()?;
            let at = at.checked_add(jiff::SignedDuration::from_secs(seconds)).ok()?;
            return Some(at.display_with_offset(offset).to_string());
        }
        let date: jiff::civil::DateTime = date.get(..19)?.parse().ok()?;
        let Span { months, days, seconds } = self.0;
        // One after the other, because all parts of a span of this library have one sign.
        let empty = jiff::Span::new();
        let spans = [empty.try_months(months), empty.try_days(days), empty.try_seconds(seconds)];
        let add =
            |date: jiff::civil::DateTime, span: Result<jiff::Span, _>| date.checked_add(span.ok()?).ok();
        let shifted = spans.into_iter().try_fold(date, add)?;
        Some(shifted.strftime("%Y-%m-%dT%H:%M:%S").to_string())
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

    fn back(self) -> Self {
        Self { months: -self.months, days: -self.days, seconds: -self.seconds }
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
    /// A day and perhaps a time in it, in either order, or a time of today.
    fn moment(&mut self) -> Option<Moment> {
        let before = self.at;
        if let Some(clock) = self.clock() {
            let end = self.at;
            return self.start().and_then(|moment| moment.at_clock(clock)).or_else(|| {
                self.at = end;
                Some(Moment { from: TODAY, clock: Some(clock), span: Span::default() })
            });
        }
        self.at = before;
        let moment = self.start()?;
        let end = self.at;
        let timed = self.clock().and_then(|clock| moment.at_clock(clock));
        if timed.is_none() {
            self.at = end;
        }
        Some(timed.unwrap_or(moment))
    }

    fn start(&mut self) -> Option<Moment> {
        if self.open() {
            let moment = self.start()?;
            return self.sign(')').then_some(moment);
        }
        if let Some(moment) = self.counted() {
            return Some(moment);
        }
        while self.passes(&["on", "the"]) {}
        let word = self.word()?;
        let begin = match word.as_str() {
            "now" => Moment::at(From::Now),
            "right" => self.passes(&["now"]).then(|| Moment::at(From::Now))?,
            "current" => self.passes(&["date"]).then(|| Moment::at(From::Now))?,
            "today" => Moment::at(TODAY),
            "tonight" => return self.hour_of(Moment::at(TODAY), AFTERNOON),
            "tomorrow" => Moment::days(1),
            "yesterday" => Moment::days(-1),
            "day" if self.passes(&["after"]) => self.passes(&["tomorrow"]).then(|| Moment::days(2))?,
            "day" if self.passes(&["before"]) => self.passes(&["yesterday"]).then(|| Moment::days(-2))?,
            "this" | "next" | "last" | "past" => self.named(&word)?,
            "weekend" => Moment::weekend(0),
            "in" => self.span().map(|span| Moment { span, ..Moment::at(From::Now) })?,
            "end" => return self.edge(true),
            "start" | "beginning" => return self.edge(false),
            day => self.of_week(weekday(day)?)?,
        };
        self.part_of(begin)
    }

    /// `next monday`, `this week`, `last weekend`, `last 7 days`
    fn named(&mut self, which: &str) -> Option<Moment> {
        let before = self.at;
        if which != "this"
            && let Some(span) = self.span()
        {
            let span = if which == "next" { span } else { span.back() };
            return Some(Moment { span, ..Moment::at(From::Now) });
        }
        self.at = before;
        let (count, day) = match which {
            "this" => (0, Which::Coming),
            "next" => (1, Which::Next),
            "last" => (-1, Which::Last),
            _ => return None,
        };
        let word = self.word()?;
        if let Some(at) = weekday(&word) {
            return Some(Moment::at(From::Weekday(at, day)));
        }
        // "Next weekend" depends on the speaker and on the day.
        if word == "weekend" {
            return (count < 1).then(|| Moment::weekend(count));
        }
        // `this morning` is a part of today.
        if count == 0 && DAY_PARTS.iter().any(|(part, _)| *part == word) {
            self.at = before;
            return Some(Moment::at(TODAY));
        }
        let unit = Unit::parse(&word).filter(|unit| unit.name() == word)?;
        let is_long = matches!(unit, Unit::Week | Unit::Month | Unit::Year);
        let moment = Moment { span: Span::of(count, unit), ..Moment::at(From::Start(unit)) };
        let end = self.at;
        self.passes(&["on"]);
        let day = self.word().and_then(|word| weekday(&word)).filter(|_| unit == Unit::Week);
        let moment = match day {
            Some(day) => Moment { span: moment.span.plus(Span::of(day, Unit::Day))?, ..moment },
            None => {
                self.at = end;
                moment
            }
        };
        is_long.then_some(moment)
    }

    /// A day of the week, today or later, or in a named week: `friday of next week`.
    fn of_week(&mut self, day: i64) -> Option<Moment> {
        let before = self.at;
        self.passes(&["of"]);
        let count = match self.word().as_deref() {
            Some("this") => 0,
            Some("next") => 1,
            Some("last") => -1,
            _ => {
                self.at = before;
                return Some(Moment::at(From::Weekday(day, Which::Coming)));
            }
        };
        if !self.passes(&["week"]) {
            self.at = before;
            return Some(Moment::at(From::Weekday(day, Which::Coming)));
        }
        let span = Span::of(count, Unit::Week).plus(Span::of(day, Unit::Day))?;
        Some(Moment { span, ..Moment::at(From::Start(Unit::Week)) })
    }

    /// The beginning or the last second of a day, week, month or year.
    fn edge(&mut self, is_end: bool) -> Option<Moment> {
        self.passes(&["of"]);
        while self.passes(&["the"]) {}
        let before = self.at;
        let unit = self.word().and_then(|word| Unit::parse(&word).filter(|unit| unit.name() == word));
        let whole = match unit.filter(|unit| !matches!(unit, Unit::Second | Unit::Minute | Unit::Hour)) {
            Some(unit) if !self.passes(&["after", "before"]) => Moment::at(From::Start(unit)),
            _ => {
                self.at = before;
                self.deeper(Self::start)?
            }
        };
        let end = whole.period_end()?;
        if !is_end {
            return Some(whole);
        }
        Some(Moment { span: end.span.plus(Span::of(-1, Unit::Second))?, ..end })
    }

    /// Reads a part of a day, which needs an hour: `tomorrow evening at 7`. People disagree about when an evening
    /// begins.
    fn part_of(&mut self, day: Moment) -> Option<Moment> {
        let before = self.at;
        let word = self.word();
        match DAY_PARTS.iter().find(|(part, _)| Some(*part) == word.as_deref()) {
            Some((_, first)) => self.hour_of(day, *first),
            None => {
                self.at = before;
                Some(day)
            }
        }
    }

    /// A time in a part of a day that begins after an hour: nine in the evening is 21:00.
    fn hour_of(&mut self, day: Moment, first: i64) -> Option<Moment> {
        let clock = self.clock()?;
        let is_said = self.text[..self.at].trim_end().to_lowercase().ends_with(['m', 'n']);
        let hour = clock / 3600;
        let clock = match hour {
            _ if is_said => clock,
            1..12 if first == AFTERNOON => clock + AFTERNOON * 3600,
            0 | 12 if first == AFTERNOON => return None,
            _ => clock,
        };
        Some(Moment { clock: Some(clock), ..day })
    }

    /// `3 days ago`, `3 days from now`, `a week from friday`, `2 days before tomorrow`
    fn counted(&mut self) -> Option<Moment> {
        let before = self.at;
        let found = self.span().and_then(|span| match self.word()?.as_str() {
            "ago" => Some(Moment { span: span.back(), ..Moment::at(From::Now) }),
            word @ ("from" | "after" | "before") => {
                let day = self.deeper(Self::start).filter(|day| day.clock.is_none())?;
                let span = if word == "before" { span.back() } else { span };
                Some(Moment { span: day.span.plus(span)?, ..day })
            }
            _ => None,
        });
        if found.is_none() {
            self.at = before;
        }
        found
    }

    /// Reads a nested part, within the limit on parentheses.
    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        if self.depth == DEEPEST {
            return None;
        }
        self.depth += 1;
        let found = read(self);
        self.depth -= 1;
        found
    }

    /// Skips one word, if it is one of these.
    fn passes(&mut self, words: &[&str]) -> bool {
        let before = self.at;
        let is_it = self.word().is_some_and(|word| words.contains(&word.as_str()));
        if !is_it {
            self.at = before;
        }
        is_it
    }

    /// `15:00`, `at 9`, `5 pm`, `at 9:30 am`, `noon`, in seconds; it reads nothing if there is no time.
    fn clock(&mut self) -> Option<i64> {
        let before = self.at;
        let found = self.time();
        if found.is_none() {
            self.at = before;
        }
        found
    }

    fn time(&mut self) -> Option<i64> {
        let is_first = self.text[..self.at].trim().is_empty();
        let has_at = self.passes(&["at"]);
        let word = self.at;
        match self.word().as_deref() {
            Some("noon") => return Some(12 * 3600),
            // Without a day, either end of today may be meant.
            Some("midnight") if !is_first => return Some(0),
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
        let span = self.span().filter(|_| sign != 0)?;
        Some(if sign < 0 { span.back() } else { span })
    }

    /// `3 days`, `3 * days`, `(3 * days)`, `3days`
    fn span(&mut self) -> Option<Span> {
        if self.open() {
            let span = self.span()?;
            return self.sign(')').then_some(span);
        }
        let start = self.at;
        let word = self.word();
        let count = match word.as_deref() {
            Some("a" | "an") => 1,
            Some("half") => {
                return (self.passes(&["a", "an"]) && self.passes(&["hour"]))
                    .then(|| Span::of(30, Unit::Minute));
            }
            word => match NUMBERS.iter().position(|number| word == Some(number)) {
                Some(at) => i64::try_from(at).ok()? + 1,
                None => {
                    self.at = start;
                    self.number()?
                }
            },
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

/// A day of the week, or its first letters.
fn weekday(word: &str) -> Option<i64> {
    let is_it = |day: &&str| word.len() >= 3 && day.starts_with(word);
    WEEKDAYS.iter().position(is_it).and_then(|at| i64::try_from(at).ok())
}

#[cfg(test)]
mod tests;
