//! Dates in words: `friday 17:00`, `next monday`, `end of month`, `in 2 weeks`, `3 days ago`.
//!
//! The forms are those of the server's own tools. A plugin has no access to them, so it reads the words itself. Words
//! that name a day, a week, a month or a year mean all of it. `end of month` means the last day of the month, because a
//! task is due on a day.

use jiff::civil::{Date, Time};
use jiff::{Span, ToSpan as _, Zoned};

use super::{Said, Way};

/// The maximum number of spans in a row, such as `+ 1 month - 2 days`.
const MOST_SPANS: usize = 8;

/// The largest number before a unit.
const MOST: i64 = 100_000;

const NUMBERS: [&str; 12] =
    ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
const WEEKDAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
const MONTHS: [&str; 12] = [
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
    "november", "december",
];
/// Parts of a day, and whether their hours are those after noon.
const DAY_PARTS: [(&str, bool); 4] =
    [("morning", false), ("afternoon", true), ("evening", true), ("night", true)];

/// Reads a phrase; `None` for any other text.
pub(super) fn read(text: &str, now: &Zoned) -> Option<Said> {
    let mut scan = Scan { tokens: tokens(text)?, at: 0, now };
    let early = scan.clock();
    let base = match scan.attempt(Scan::base) {
        Some(base) => base,
        None => early.map(|_| Base::day(now.date()))?,
    };
    let mut when = When { base, clock: early, later: Span::new() };
    when.clock = when.clock.or_else(|| scan.clock_or_part());
    for _ in 0..MOST_SPANS {
        let Some((span, whole)) = scan.attempt(Scan::signed) else { break };
        match whole {
            true => when.base = when.base.moved(span)?,
            false => when.later = when.later.checked_add(span).ok()?,
        }
    }
    if when.later.is_zero() {
        when.clock = when.clock.or_else(|| scan.clock());
    }
    if scan.at < scan.tokens.len() { None } else { when.said(now) }
}

/// Reads a text that is nothing but a time: `09:00`, `9am`, `9 pm`, `at 9`, `noon`.
pub(crate) fn time(text: &str) -> Option<Time> {
    // A time does not depend on the present.
    let mut scan = Scan { tokens: tokens(text)?, at: 0, now: &Zoned::default() };
    scan.time().filter(|_| scan.at == scan.tokens.len())
}

/// What a phrase begins from: some days, or the present.
#[derive(Clone)]
enum Base {
    Days(Date, Date),
    /// Days that end or begin today.
    Rolling(Date, Date, Way),
    Now(Zoned),
}

/// A base with a time of its day, and with hours and minutes that are added to it.
struct When {
    base: Base,
    clock: Option<Time>,
    later: Span,
}

impl When {
    fn said(self, now: &Zoned) -> Option<Said> {
        let exact = self.clock.is_some() || self.later.get_hours() != 0 || self.later.get_minutes() != 0;
        let at = match (self.base, self.clock) {
            (Base::Days(first, last), None) if !exact => return Some(Said::Days(first, last)),
            (Base::Rolling(first, last, way), None) if !exact => {
                return Some(Said::Rolling(first, last, way));
            }
            // Several days have no time.
            (Base::Rolling(..), _) => return None,
            (Base::Days(first, _), clock) => {
                first.to_datetime(clock.unwrap_or(Time::midnight())).to_zoned(now.time_zone().clone()).ok()?
            }
            // Hours and minutes from now lead to a time already.
            (Base::Now(_), Some(_)) => return None,
            (Base::Now(at), None) => at,
        };
        let at = at.checked_add(self.later).ok()?;
        Some(Said::Instant(at.timestamp().as_millisecond()))
    }
}

impl Base {
    fn day(day: Date) -> Self {
        Self::Days(day, day)
    }

    /// Moved by days, weeks, months or years.
    fn moved(self, span: Span) -> Option<Self> {
        Some(match self {
            Self::Days(first, last) | Self::Rolling(first, last, _) => {
                Self::Days(first.checked_add(span).ok()?, last.checked_add(span).ok()?)
            }
            Self::Now(at) => Self::Now(at.checked_add(span).ok()?),
        })
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Period {
    Day,
    Week,
    Month,
    Year,
}

impl Period {
    fn read(word: &str) -> Option<Self> {
        Some(match word {
            "day" => Self::Day,
            "week" => Self::Week,
            "month" => Self::Month,
            "year" => Self::Year,
            _ => return None,
        })
    }

    fn span(self, count: i64) -> Span {
        match self {
            Self::Day => count.days(),
            Self::Week => count.weeks(),
            Self::Month => count.months(),
            Self::Year => count.years(),
        }
    }

    /// Its first and last day, so many periods after the one of a day.
    fn around(self, day: Date, count: i64) -> Option<Base> {
        let first = match self {
            Self::Day => day,
            Self::Week => monday(day)?,
            Self::Month => day.first_of_month(),
            Self::Year => day.first_of_year(),
        };
        let first = first.checked_add(self.span(count)).ok()?;
        let last = first.checked_add(self.span(1)).ok()?.yesterday().ok()?;
        Some(Base::Days(first, last))
    }
}

/// The Monday of a day's week.
fn monday(day: Date) -> Option<Date> {
    day.checked_sub(i64::from(day.weekday().to_monday_zero_offset()).days()).ok()
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Word(String),
    /// A number, and how many digits it has.
    Number(i64, usize),
    Sign(char),
}

fn tokens(text: &str) -> Option<Vec<Token>> {
    let mut found = Vec::new();
    let mut rest = text.trim();
    while let Some(first) = rest.chars().next() {
        let run = |is_part: fn(&char) -> bool| rest.chars().take_while(is_part).map(char::len_utf8).sum();
        let length: usize = if first.is_ascii_digit() {
            run(char::is_ascii_digit)
        } else if first.is_ascii_alphabetic() {
            run(char::is_ascii_alphabetic)
        } else {
            first.len_utf8()
        };
        let (token, after) = rest.split_at(length);
        found.push(if first.is_ascii_digit() {
            Token::Number(token.parse().ok()?, length)
        } else if first.is_ascii_alphabetic() {
            Token::Word(token.to_ascii_lowercase())
        } else {
            Token::Sign(first)
        });
        rest = after.trim_start();
    }
    Some(found)
}

struct Scan<'a> {
    tokens: Vec<Token>,
    at: usize,
    now: &'a Zoned,
}

impl Scan<'_> {
    /// Runs a part; if it fails, nothing was read.
    fn attempt<T>(&mut self, part: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let before = self.at;
        let found = part(self);
        if found.is_none() {
            self.at = before;
        }
        found
    }

    fn word(&mut self) -> Option<String> {
        let Some(Token::Word(word)) = self.tokens.get(self.at) else { return None };
        self.at += 1;
        Some(word.clone())
    }

    fn passes(&mut self, words: &[&str]) -> bool {
        self.attempt(|scan| scan.word().filter(|word| words.contains(&word.as_str()))).is_some()
    }

    fn number(&mut self) -> Option<i64> {
        let Some(Token::Number(number, _)) = self.tokens.get(self.at) else { return None };
        self.at += 1;
        Some(*number)
    }

    fn sign(&mut self, sign: char) -> bool {
        let is_there = self.tokens.get(self.at) == Some(&Token::Sign(sign));
        self.at += usize::from(is_there);
        is_there
    }

    fn base(&mut self) -> Option<Base> {
        if let Some(base) = self.attempt(Self::counted).or_else(|| self.attempt(Self::written)) {
            return Some(base);
        }
        while self.passes(&["on", "the"]) {}
        if let Some(base) = self.attempt(Self::calendar) {
            return Some(base);
        }
        let today = self.now.date();
        let day = |days: i64| today.checked_add(days.days()).ok().map(Base::day);
        let word = self.word()?;
        match word.as_str() {
            "now" => Some(Base::Now(self.now.clone())),
            "right" if self.passes(&["now"]) => Some(Base::Now(self.now.clone())),
            "today" => day(0),
            "tomorrow" => day(1),
            "yesterday" => day(-1),
            "day" if self.passes(&["after"]) && self.passes(&["tomorrow"]) => day(2),
            "day" if self.passes(&["before"]) && self.passes(&["yesterday"]) => day(-2),
            "weekend" => self.weekend(0),
            "this" => self.named(0),
            "next" => self.named(1),
            "last" | "past" => self.named(-1),
            "in" => {
                let (span, whole) = self.span()?;
                self.away(span, whole)
            }
            "end" => self.edge(true),
            "start" | "beginning" => self.edge(false),
            other => {
                let day = weekday(other)?;
                self.in_week(day)
            }
        }
    }

    /// Days, weeks and longer lead to a day, and hours and minutes to an instant.
    fn away(&self, span: Span, whole: bool) -> Option<Base> {
        let base = if whole { Base::day(self.now.date()) } else { Base::Now(self.now.clone()) };
        base.moved(span)
    }

    /// `next monday`, `this week`, `last weekend`, `last 7 days`
    fn named(&mut self, count: i64) -> Option<Base> {
        if count != 0
            && let Some((span, whole)) = self.attempt(Self::span)
        {
            let today = self.now.date();
            // Today is one of these days.
            return match self.away(if count < 0 { span.negate() } else { span }, whole)? {
                Base::Days(_, last) if count > 0 => {
                    Some(Base::Rolling(today, last.yesterday().ok()?.max(today), Way::Ahead))
                }
                Base::Days(first, _) => {
                    Some(Base::Rolling(first.tomorrow().ok()?.min(today), today, Way::Back))
                }
                instant => Some(instant),
            };
        }
        let word = self.word()?;
        if let Some(day) = weekday(&word) {
            return self.weekday(day, count).map(Base::day);
        }
        // What "next weekend" means depends on the speaker and on the day.
        if word == "weekend" {
            return if count < 1 { self.weekend(count) } else { None };
        }
        let period = Period::read(&word).filter(|period| *period != Period::Day)?;
        if period == Period::Week {
            self.passes(&["on"]);
            if let Some(day) = self.attempt(|scan| scan.word().and_then(|word| weekday(&word))) {
                return self.day_in_week(day, count);
            }
        }
        period.around(self.now.date(), count)
    }

    /// A day of the week: today or later, the first one after today, or the last one before today.
    fn weekday(&self, day: i64, which: i64) -> Option<Date> {
        let today = self.now.date();
        let ahead = (day - i64::from(today.weekday().to_monday_zero_offset())).rem_euclid(7);
        let days = match which {
            0 => ahead,
            1 if ahead == 0 => 7,
            1 => ahead,
            _ => ahead - 7,
        };
        today.checked_add(days.days()).ok()
    }

    fn weekend(&self, count: i64) -> Option<Base> {
        let saturday = monday(self.now.date())?.checked_add((count * 7 + 5).days()).ok()?;
        Some(Base::Days(saturday, saturday.tomorrow().ok()?))
    }

    fn day_in_week(&self, day: i64, count: i64) -> Option<Base> {
        Some(Base::day(monday(self.now.date())?.checked_add((count * 7 + day).days()).ok()?))
    }

    /// `friday`, `friday next week`, `friday of this week`
    fn in_week(&mut self, day: i64) -> Option<Base> {
        let week = self.attempt(|scan| {
            scan.passes(&["of"]);
            let count = match scan.word()?.as_str() {
                "this" => 0,
                "next" => 1,
                "last" => -1,
                _ => return None,
            };
            scan.passes(&["week"]).then_some(count)
        });
        match week {
            Some(count) => self.day_in_week(day, count),
            None => self.weekday(day, 0).map(Base::day),
        }
    }

    /// The first or the last day of a day, week, month or year.
    fn edge(&mut self, is_end: bool) -> Option<Base> {
        self.passes(&["of"]);
        while self.passes(&["the"]) {}
        let today = self.now.date();
        let named = self.attempt(|scan| Period::read(&scan.word()?)?.around(today, 0));
        let (Base::Days(first, last) | Base::Rolling(first, last, _)) = named.or_else(|| self.base())? else {
            return None;
        };
        Some(Base::day(if is_end { last } else { first }))
    }

    /// `3 days ago`, `3 days from now`, `a week from friday`, `2 days before tomorrow`
    fn counted(&mut self) -> Option<Base> {
        let (span, whole) = self.span()?;
        match self.word()?.as_str() {
            "ago" => self.away(span.negate(), whole),
            "from" if self.passes(&["now"]) => self.away(span, whole),
            word @ ("from" | "after" | "before") if whole => {
                // A count does not begin with another count, so this is not endless.
                let day = self.attempt(Self::written).or_else(|| self.plain())?;
                day.moved(if word == "before" { span.negate() } else { span })
            }
            _ => None,
        }
    }

    /// A base that is not counted from another one.
    fn plain(&mut self) -> Option<Base> {
        match self.tokens.get(self.at) {
            Some(Token::Word(word)) if !is_count(word) => self.base(),
            _ => None,
        }
    }

    /// `2026-01-31`, if a time in words follows.
    fn written(&mut self) -> Option<Base> {
        let shape = self.tokens.get(self.at..self.at + 5)?;
        let [
            Token::Number(year, 4),
            Token::Sign('-'),
            Token::Number(month, 2),
            Token::Sign('-'),
            Token::Number(day, 2),
        ] = shape
        else {
            return None;
        };
        let day = Date::new((*year).try_into().ok()?, (*month).try_into().ok()?, (*day).try_into().ok()?);
        self.at += 5;
        day.ok().map(Base::day)
    }

    /// `Dec 24`, `24 December`, `December 24th, 2026`; without a year it is today or later.
    fn calendar(&mut self) -> Option<Base> {
        let early = self.attempt(Self::day_of_month);
        if early.is_some() {
            self.passes(&["of"]);
        }
        let month = month(&self.word()?)?;
        let day = match early {
            Some(day) => day,
            None => self.day_of_month()?,
        };
        let year = self.attempt(|scan| {
            scan.sign(',');
            let Some(Token::Number(year, 4)) = scan.tokens.get(scan.at) else { return None };
            scan.at += 1;
            i16::try_from(*year).ok()
        });
        let found = match year {
            Some(year) => Date::new(year, month, day).ok(),
            None => this_year_or_next(self.now.date(), month, day),
        };
        found.map(Base::day)
    }

    fn day_of_month(&mut self) -> Option<i8> {
        let Some(Token::Number(day, 1 | 2)) = self.tokens.get(self.at) else { return None };
        let day = i8::try_from(*day).ok();
        self.at += 1;
        self.passes(&["st", "nd", "rd", "th"]);
        day
    }

    /// A count of a unit, and whether the unit is a day or longer.
    fn span(&mut self) -> Option<(Span, bool)> {
        let count = match self.number() {
            Some(number) => number,
            None => {
                let word = self.word()?;
                match word.as_str() {
                    "a" | "an" => 1,
                    "half" => {
                        let is_hour = self.passes(&["a", "an"]) && self.passes(&["hour"]);
                        return is_hour.then(|| (30_i64.minutes(), false));
                    }
                    word => i64::try_from(NUMBERS.iter().position(|number| *number == word)?).ok()? + 1,
                }
            }
        };
        let unit = self.word()?;
        super::by(Some(count).filter(|count| *count <= MOST)?, &unit)
    }

    fn signed(&mut self) -> Option<(Span, bool)> {
        let back = self.sign('-');
        if !back && !self.sign('+') {
            return None;
        }
        let (span, whole) = self.span()?;
        Some((if back { span.negate() } else { span }, whole))
    }

    fn clock(&mut self) -> Option<Time> {
        self.attempt(Self::time)
    }

    /// A time, also one in a part of the day: `evening at 7` is 19:00. A part of the day alone is not a time.
    fn clock_or_part(&mut self) -> Option<Time> {
        self.attempt(|scan| {
            let word = scan.word()?;
            let (_, after_noon) = DAY_PARTS.iter().find(|(part, _)| *part == word)?;
            let time = scan.time()?;
            let shifts = *after_noon && (1..12).contains(&time.hour());
            Some(if shifts { time.with().hour(time.hour() + 12).build().ok()? } else { time })
        })
        .or_else(|| self.clock())
    }

    /// `15:00`, `at 9`, `5 pm`, `noon`; `midnight` only after a day.
    fn time(&mut self) -> Option<Time> {
        let is_first = self.at == 0;
        let has_at = self.passes(&["at"]);
        if self.passes(&["noon"]) {
            return Time::new(12, 0, 0, 0).ok();
        }
        if !is_first && self.passes(&["midnight"]) {
            return Some(Time::midnight());
        }
        let mut hour = self.number()?;
        let mut parts = [0, 0];
        let mut is_time = has_at;
        for part in &mut parts {
            if !self.sign(':') {
                break;
            }
            // `9:5` is a slip and not a time.
            let Some(Token::Number(number, 2)) = self.tokens.get(self.at) else { return None };
            *part = *number;
            self.at += 1;
            is_time = true;
        }
        let half = self.attempt(|scan| scan.word().filter(|word| word == "am" || word == "pm"));
        if let Some(half) = half {
            if !(1..=12).contains(&hour) {
                return None;
            }
            hour = hour % 12 + if half == "pm" { 12 } else { 0 };
            is_time = true;
        }
        let [minute, second] = parts;
        let time = Time::new(hour.try_into().ok()?, minute.try_into().ok()?, second.try_into().ok()?, 0);
        time.ok().filter(|_| is_time)
    }
}

fn is_count(word: &str) -> bool {
    matches!(word, "a" | "an" | "half") || NUMBERS.contains(&word)
}

/// A month from 1, by its name or its first three letters.
pub(crate) fn month(word: &str) -> Option<i8> {
    let is_it = |month: &&str| *month == word || month[..3] == *word;
    MONTHS.iter().position(is_it).and_then(|at| i8::try_from(at + 1).ok())
}

/// This day of the year; if it is over, the one of the next year.
pub(crate) fn this_year_or_next(today: Date, month: i8, day: i8) -> Option<Date> {
    let of = |year: i16| Date::new(year, month, day).ok();
    of(today.year()).filter(|found| *found >= today).or_else(|| of(today.year() + 1))
}

/// A day of the week from 0 for Monday, by its name or its first letters.
pub(crate) fn weekday(word: &str) -> Option<i64> {
    let is_it = |day: &&str| word.len() >= 3 && day.starts_with(word);
    WEEKDAYS.iter().position(is_it).and_then(|at| i64::try_from(at).ok())
}
