//! Reads the words of a moment: `friday at 5 pm`, `3 days ago`, `end of next month`.

use super::{From, Moment, Span, TODAY, Unit, WEEKDAYS, Which};

/// The largest number of open parentheses.
const DEEPEST: usize = 8;

/// Parts of a day, and the hour after which their hours are counted.
const DAY_PARTS: [(&str, i64); 4] =
    [("morning", 0), ("afternoon", AFTERNOON), ("evening", AFTERNOON), ("night", AFTERNOON)];

const AFTERNOON: i64 = 12;

/// The numbers that people write in words, from one.
const NUMBERS: [&str; 12] =
    ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];

/// Reads words, numbers and signs; white space between them does not count.
#[derive(Clone, Copy)]
pub(super) struct Scan<'a> {
    text: &'a str,
    pub(super) at: usize,
    /// How many parentheses are open; it bounds the recursion.
    depth: usize,
    /// Whether AppleScript computes what was read so far, as in `today + 1 * days`: the result is a point in time and
    /// not a day.
    is_computed: bool,
}

/// The largest number of spans in a row.
const MOST_SPANS: usize = 8;

impl<'a> Scan<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0, depth: 0, is_computed: false }
    }
}

impl Scan<'_> {
    /// A moment at the beginning of the text.
    pub(super) fn whole(&mut self) -> Option<Moment> {
        let mut moment = self.sum()?;
        // A time after hours or minutes would contradict them.
        if moment.clock.is_none() && moment.span.seconds == 0 {
            let is_day = moment.from != From::Now;
            moment.clock = self.clock().or((self.is_computed && is_day).then_some(0));
        }
        moment.is_near().then_some(moment)
    }

    /// A moment and the spans behind it.
    fn sum(&mut self) -> Option<Moment> {
        let mut moment = self.moment()?;
        for _ in 0..MOST_SPANS {
            if self.tried(Self::time_of_day).is_some() {
                let is_now = moment.from == From::Now && moment.clock.is_none();
                moment = (is_now && moment.span.seconds == 0).then_some(Moment { from: TODAY, ..moment })?;
                self.is_computed = true;
                continue;
            }
            let Some(span) = self.tried(Self::signed_span) else { break };
            moment.span = moment.span.plus(span)?;
        }
        Some(moment)
    }

    /// `- (time of (current date))`, with which scripts find the beginning of today.
    fn time_of_day(&mut self) -> Option<()> {
        let time = |scan: &mut Self| {
            let is_time = scan.passes(&["time"]) && scan.passes(&["of"]);
            (is_time && scan.start()? == Moment::at(From::Now)).then_some(())
        };
        if !self.sign('-') {
            return None;
        }
        self.inside(time).or_else(|| self.tried(time))
    }

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
        if let Some(moment) = self.inside(Self::sum).or_else(|| self.counted()) {
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
            "date" => return self.literal(),
            "in" => self.span().map(|span| Moment { span, ..Moment::at(From::Now) })?,
            "end" => return self.edge(true),
            "start" | "beginning" => return self.edge(false),
            day => self.of_week(weekday(day)?)?,
        };
        self.part_of(begin)
    }

    /// `date "2026-01-27"`, `date "tomorrow"`
    fn literal(&mut self) -> Option<Moment> {
        let (text, _) = self.rest().strip_prefix('"')?.split_once('"')?;
        let moment = Moment::parse(text).or_else(|| Moment::of_date(text))?;
        self.skip(text.len() + 2);
        Some(moment)
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

    /// Reads a part, or nothing.
    fn tried<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let before = *self;
        let found = read(self);
        if found.is_none() {
            *self = before;
        }
        found
    }

    /// Reads a part in parentheses, or nothing.
    fn inside<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        self.tried(|scan| {
            if !scan.sign('(') {
                return None;
            }
            let found = scan.deeper(read)?;
            scan.sign(')').then_some(found)
        })
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
        let mut hour = self.number().filter(|hour| *hour < 24)?;
        let mut parts = [0, 0];
        let mut is_time = has_at;
        for part in &mut parts {
            if !self.sign(':') {
                break;
            }
            // `9:5` is a slip for 9:05 or 9:50, and nobody can tell which.
            let digits = self.rest().bytes().take_while(u8::is_ascii_digit).count();
            *part = self.number().filter(|part| digits == 2 && *part < 60)?;
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
        is_time.then_some(hour * 3600 + parts[0] * 60 + parts[1])
    }

    fn signed_span(&mut self) -> Option<Span> {
        let is_minus = self.sign('-');
        if !is_minus && !self.sign('+') {
            return None;
        }
        let span = self.spans()?;
        Some(if is_minus { span.back() } else { span })
    }

    /// A span, or several in parentheses: `(7 * days + 3 * hours)`. A number alone counts seconds.
    fn spans(&mut self) -> Option<Span> {
        let amount = |scan: &mut Self| {
            let (count, unit) = scan.product()?;
            Span::counted(count, unit.unwrap_or(Unit::Second))
        };
        self.tried(amount).or_else(|| {
            self.inside(|scan| {
                let mut sum = amount(scan)?;
                while let Some(span) = scan.tried(Self::signed_span) {
                    sum = sum.plus(span)?;
                }
                Some(sum)
            })
        })
    }

    /// `3 days`, `3 * days`, `7 * 24 * hours`, `0.5 * days`, `(3 * days)`, `3days`
    fn span(&mut self) -> Option<Span> {
        let (count, unit) = self.product()?;
        Span::counted(count, unit?)
    }

    fn product(&mut self) -> Option<(f64, Option<Unit>)> {
        let (mut count, mut unit) = self.factor()?;
        if unit.is_none() {
            unit = self.tried(|scan| Unit::parse(&scan.word()?));
        }
        while self.sign('*') {
            let (times, of) =
                self.tried(Self::factor).or_else(|| Some((1.0, Some(Unit::parse(&self.word()?)?))))?;
            if unit.is_some() && of.is_some() {
                return None;
            }
            (count, unit) = (count * times, unit.or(of));
            self.is_computed |= unit.is_some();
        }
        Some((count, unit))
    }

    fn factor(&mut self) -> Option<(f64, Option<Unit>)> {
        if let Some(product) = self.inside(Self::product) {
            return Some(product);
        }
        let word = self.tried(Self::word);
        match word.as_deref() {
            Some("a" | "an") => Some((1.0, None)),
            Some("half") => {
                (self.passes(&["a", "an"]) && self.passes(&["hour"])).then_some((0.5, Some(Unit::Hour)))
            }
            Some(word) => {
                let at = NUMBERS.iter().position(|number| *number == word)?;
                Some((i32::try_from(at + 1).ok()?.into(), None))
            }
            None => self.decimal().map(|count| (count, None)),
        }
    }

    /// A number, perhaps with a fraction.
    fn decimal(&mut self) -> Option<f64> {
        let rest = self.rest();
        let digits = |text: &str| text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let whole = digits(rest);
        let fraction = rest[whole..].strip_prefix('.').map_or(0, digits);
        let end = whole + if fraction > 0 { fraction + 1 } else { 0 };
        let number = rest[..end].parse().ok()?;
        self.skip(end);
        Some(number)
    }

    fn rest(&self) -> &str {
        self.text[self.at..].trim_start()
    }

    fn skip(&mut self, bytes: usize) {
        self.at = self.text.len() - self.rest().len() + bytes;
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
        let number = rest[..end].parse().ok()?;
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
