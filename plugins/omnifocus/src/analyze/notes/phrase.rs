//! Reads the dates, times and tags in the words of one line.

use jiff::civil::{Date, Time, date};

use crate::Moment;
use crate::dates::{month, this_year_or_next, time, weekday};

/// The words of a line; words that were understood are removed.
pub(super) struct Words<'a>(Vec<&'a str>);

/// Words before a deadline. They come before the words for the day of something, such as `for Monday`.
const DEADLINE: &[&str] = &["by", "due", "before", "until", "deadline"];

/// Words before the day of something, which is a due date if there is no deadline.
const OCCASION: &[&str] = &["on", "for"];

/// Words before the date on which a task becomes available.
const DEFER: &[&str] = &["not until", "wait until", "starting", "after", "from"];

/// A day and a time, of which a text may name only one.
struct When {
    day: Option<Date>,
    time: Option<Time>,
    /// Where it stood.
    at: usize,
}

impl<'a> Words<'a> {
    pub(super) fn of(line: &'a str) -> Self {
        Self(line.split_whitespace().collect())
    }

    /// Returns the rest of the line.
    pub(super) fn text(&self) -> String {
        self.0.join(" ").trim_end_matches([',', ';', ':', '-', '–', ' ']).trim_end_matches('.').to_owned()
    }

    /// Removes words such as `@phone`.
    pub(super) fn take_tags(&mut self) -> Vec<String> {
        let tag = |word: &&str| plain(word).strip_prefix('@').is_some_and(|tag| !tag.is_empty());
        let tags = self.0.iter().copied().filter(tag);
        let tags = tags.map(|word| plain(word).trim_start_matches('@').to_owned()).collect();
        self.0.retain(|word| !tag(word));
        tags
    }

    /// Removes the due date. A deadline without a day, such as `by 5pm`, is that of the day before it
    /// (`tomorrow by 5pm`) or of the occasion; otherwise the next time to come, or today for `EOD`.
    pub(super) fn take_due(&mut self, moment: &Moment) -> Option<String> {
        let Some(When { day, time, at }) = self.take(DEADLINE, false, moment) else {
            return self.take(OCCASION, false, moment).and_then(When::text);
        };
        let mut day = day.or_else(|| self.take_day_before(at, moment));
        if day.is_none() {
            day = self.take(OCCASION, false, moment).and_then(|when| when.day);
        }
        let soon = if time.is_some_and(|time| time <= moment.now().time()) { 1 } else { 0 };
        When { day: day.or_else(|| Some(moment.day_in(soon))), time, at }.text()
    }

    /// Removes the date on which the task becomes available.
    pub(super) fn take_defer(&mut self, moment: &Moment) -> Option<String> {
        self.take(DEFER, true, moment).and_then(When::text)
    }

    /// Removes the first date or time after one of some words, together with that word.
    fn take(&mut self, markers: &[&str], begins: bool, moment: &Moment) -> Option<When> {
        for start in 0..self.0.len() {
            for marker in markers {
                let Some(length) = self.marker(start, marker) else { continue };
                // "not until Monday" says when to begin, and not when to finish.
                if *marker == "until"
                    && start > 0
                    && matches!(lower(self.0[start - 1]).as_str(), "not" | "wait")
                {
                    continue;
                }
                let mut first = start + length;
                while markers == DEADLINE && matches!(self.word(first).as_str(), "on" | "by" | "the" | "is") {
                    first += 1;
                }
                if let Some((day, time, words)) = self.when(first, begins, moment)
                    && (day.is_some() || markers == DEADLINE)
                {
                    self.0.drain(start..first + words);
                    return Some(When { day, time, at: start });
                }
            }
        }
        None
    }

    /// Reads a day, a time or both, and returns how many words they take.
    fn when(
        &self,
        start: usize,
        begins: bool,
        moment: &Moment,
    ) -> Option<(Option<Date>, Option<Time>, usize)> {
        let ends = self.day_ends(start);
        let after = start + ends;
        let after = if ends > 0 && self.word(after) == "on" { after + 1 } else { after };
        if let Some((day, words)) = self.date(after, begins, moment) {
            let next = after + words;
            let (time, more) = self.clock(next).unzip();
            let more = more.unwrap_or_else(|| self.day_ends(next));
            return Some((Some(day), self.glued(after).or(time), next + more - start));
        }
        if ends > 0 {
            return Some((None, None, ends));
        }
        let (time, words) = self.clock(start)?;
        let after = start + words;
        let after = after + usize::from(self.word(after) == "on");
        Some(match self.date(after, begins, moment) {
            Some((day, more)) => (Some(day), Some(time), after + more - start),
            None => (None, Some(time), words),
        })
    }

    /// Returns how many words say "at the end of the day"; none if these words do not.
    fn day_ends(&self, start: usize) -> usize {
        let text: Vec<String> = (0..4).map(|offset| self.word(start + offset)).collect();
        match text.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            ["eod" | "cob" | "eob", ..] => 1,
            ["end" | "close", "of", "the", "day"] => 4,
            ["end" | "close", "of", "day" | "business" | "play", _] => 3,
            _ => 0,
        }
    }

    /// Removes a day that stands directly before a place, with its own `on` or `for`.
    fn take_day_before(&mut self, end: usize, moment: &Moment) -> Option<Date> {
        let (start, day) = (1..=3.min(end)).rev().find_map(|words| {
            let (day, read) = self.date(end - words, false, moment)?;
            (read == words).then_some((end - words, day))
        })?;
        let is_marked = start > 0 && OCCASION.contains(&self.word(start - 1).as_str());
        self.0.drain(start - usize::from(is_marked)..end);
        Some(day)
    }

    fn word(&self, at: usize) -> String {
        self.0.get(at).map(|word| lower(word)).unwrap_or_default()
    }

    /// Reads the time in `2026-12-10T09:00`.
    fn glued(&self, at: usize) -> Option<Time> {
        let (_, time) = plain(self.0.get(at)?).split_once(['T', 't'])?;
        crate::dates::time(time)
    }

    /// Reads a time after a date, and returns how many words it takes: `09:00`, `9am`, `9 pm`, `at 9`, `at noon`.
    fn clock(&self, start: usize) -> Option<(Time, usize)> {
        (1..=3).rev().find_map(|count| {
            let words: Vec<String> =
                self.0.get(start..start + count)?.iter().map(|word| lower(word)).collect();
            Some((time(&words.join(" "))?, count))
        })
    }

    /// Returns how many words a marker has if it begins here.
    fn marker(&self, start: usize, marker: &str) -> Option<usize> {
        let words: Vec<&str> = marker.split(' ').collect();
        let here = self.0.get(start..start + words.len())?;
        here.iter().zip(&words).all(|(here, word)| lower(here) == **word).then_some(words.len())
    }

    /// Reads a date, and returns how many words it takes.
    fn date(&self, start: usize, begins: bool, moment: &Moment) -> Option<(Date, usize)> {
        let word = |offset: usize| self.word(start + offset);
        let today = moment.today();
        let (first, second, third) = (word(0), word(1), word(2));
        let day = match (first.as_str(), second.as_str(), third.as_str()) {
            ("today", ..) => (today, 1),
            ("tomorrow", ..) => (moment.day_in(1), 1),
            ("this", "week", _) => (friday(today, 0), 2),
            ("next", "week", _) if begins => (later(monday(today), 7), 2),
            ("next", "week", _) => (friday(today, 1), 2),
            ("end", "of", _) => return self.end(start, today),
            ("eow", ..) => (friday(today, 0), 1),
            ("eom", ..) => (today.last_of_month(), 1),
            ("eoy", ..) => (today.last_of_year(), 1),
            ("next", "month", _) => (today.last_of_month().tomorrow().ok()?, 2),
            (name, ..) if weekday(name).is_some() => (next(today, weekday(name)?), 1),
            ("next" | "this", name, _) if weekday(name).is_some() => (next(today, weekday(name)?), 2),
            (name, day, year) if month(name).is_some() => in_month(today, month(name)?, day, year)?,
            (day, name, year) if month(name).is_some() => in_month(today, month(name)?, day, year)?,
            (text, ..) => (written(text, today)?, 1),
        };
        Some(day)
    }

    /// Reads `end of the week`, `end of next month`. The week of people at work ends on Friday.
    fn end(&self, start: usize, today: Date) -> Option<(Date, usize)> {
        let mut at = start + 2;
        at += usize::from(self.word(at) == "the");
        let is_next = self.word(at) == "next";
        at += usize::from(is_next || self.word(at) == "this");
        let last = |last: Date, again: fn(Date) -> Date| -> Option<Date> {
            Some(if is_next { again(last.tomorrow().ok()?) } else { last })
        };
        let day = match self.word(at).as_str() {
            "week" => friday(today, i64::from(is_next)),
            "month" => last(today.last_of_month(), Date::last_of_month)?,
            "year" => last(today.last_of_year(), Date::last_of_year)?,
            _ => return None,
        };
        Some((day, at + 1 - start))
    }

    /// Removes a duration: `20 min`, `2h`, `(1 hour)`.
    pub(super) fn take_minutes(&mut self) -> Option<i64> {
        for start in 0..self.0.len() {
            let first = lower(self.0[start]);
            let digits = first.bytes().take_while(u8::is_ascii_digit).count();
            let Ok(count) = first[..digits].parse::<i64>() else { continue };
            let (unit, words) = match &first[digits..] {
                "" => (self.0.get(start + 1).map(|word| lower(word)).unwrap_or_default(), 2),
                unit => (unit.to_owned(), 1),
            };
            let factor = match unit.as_str() {
                "m" | "min" | "mins" | "minute" | "minutes" => 1,
                "h" | "hr" | "hrs" | "hour" | "hours" => 60,
                _ => continue,
            };
            self.0.drain(start..start + words);
            return Some(count * factor).filter(|minutes| *minutes <= 10_000);
        }
        None
    }
}

/// A word without the punctuation around it.
fn plain(word: &str) -> &str {
    word.trim_matches([',', '.', ';', ':', '(', ')', '!', '?', '"'])
}

fn lower(word: &str) -> String {
    plain(word).to_lowercase()
}

fn day_of(text: &str) -> Option<i8> {
    ["st", "nd", "rd", "th"].iter().find_map(|end| text.strip_suffix(end)).unwrap_or(text).parse().ok()
}

/// A day of the week; 0 is Monday.
const FRIDAY: i64 = 4;

fn monday(day: Date) -> Date {
    later(day, -i64::from(day.weekday().to_monday_zero_offset()))
}

fn later(day: Date, days: i64) -> Date {
    day.saturating_add(jiff::Span::new().days(days))
}

fn on_or_after(day: Date, wanted: i64) -> Date {
    let ahead = wanted - i64::from(day.weekday().to_monday_zero_offset());
    later(day, ahead.rem_euclid(7))
}

/// The next day of this kind, never today.
fn next(today: Date, wanted: i64) -> Date {
    on_or_after(later(today, 1), wanted)
}

/// The Friday of this week or a later one; if it is over, today.
fn friday(today: Date, weeks: i64) -> Date {
    on_or_after(later(monday(today), 7 * weeks), FRIDAY).max(today)
}

/// A day of a month, with the year if one follows.
fn in_month(today: Date, month: i8, day: &str, year: &str) -> Option<(Date, usize)> {
    let day = day_of(day)?;
    match year.parse::<i16>().ok().filter(|_| year.len() == 4) {
        Some(year) => Date::new(year, month, day).ok().map(|found| (found, 3)),
        None => this_year_or_next(today, month, day).map(|found| (found, 2)),
    }
}

/// Reads `2026-02-01` or `2/1`.
fn written(text: &str, today: Date) -> Option<Date> {
    if let Some((month, day)) = text.split_once('/') {
        return this_year_or_next(today, month.parse().ok()?, day.parse().ok()?);
    }
    let text = text.split('t').next().unwrap_or_default();
    let shape = text.len() == 10 && text.bytes().filter(u8::is_ascii_digit).count() == 8;
    text.parse().ok().filter(|found| shape && *found >= date(1970, 1, 1))
}

impl When {
    /// The form that a write takes; none without a day.
    fn text(self) -> Option<String> {
        let time = self.time.map(|time| time.strftime(" %H:%M").to_string());
        self.day.map(|day| format!("{day}{}", time.unwrap_or_default()))
    }
}

/// The usual time in minutes for the action that a verb names.
pub(super) fn usual_minutes(name: &str) -> Option<i64> {
    let first = name.split_whitespace().next().map(lower)?;
    Some(match first.as_str() {
        "call" | "email" | "ask" | "text" | "send" | "reply" | "schedule" | "book" | "follow" | "pay" => 15,
        "review" | "read" | "check" | "update" | "buy" | "meet" | "discuss" => 30,
        "write" | "draft" | "prepare" | "plan" | "create" | "organize" => 60,
        "design" | "build" | "develop" | "implement" | "research" | "analyze" => 120,
        "migrate" | "workshop" => 180,
        _ => return None,
    })
}

/// The contexts that the words mention.
pub(super) fn contexts(name: &str) -> Vec<String> {
    let words: Vec<String> = name.split_whitespace().map(lower).collect();
    let has = |wanted: &[&str]| words.iter().any(|word| wanted.contains(&word.as_str()));
    let mut contexts: Vec<String> = Vec::new();
    if words.windows(2).any(|pair| matches!(pair[0].as_str(), "waiting" | "wait") && pair[1] == "for") {
        contexts.push("waiting-for".to_owned());
    }
    if has(&["call", "phone"]) {
        contexts.push("phone".to_owned());
    }
    if has(&["email", "draft", "write"]) {
        contexts.push("computer".to_owned());
    }
    if has(&["buy", "errand", "errands"]) {
        contexts.push("errands".to_owned());
    }
    let speaks = ["discuss", "talk", "meet", "speak", "agenda"];
    let person = |pair: &[&str]| {
        let name = plain(pair[1]);
        let capital = name.chars().next().is_some_and(char::is_uppercase);
        (lower(pair[0]) == "with" && capital).then(|| format!("agenda-{name}"))
    };
    if has(&speaks) {
        let spoken: Vec<&str> = name.split_whitespace().collect();
        contexts.extend(spoken.windows(2).find_map(person));
    }
    contexts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_speak_of_contexts() {
        for (name, expected) in [
            ("Call Bob", "phone"),
            ("Discuss plans with Sarah", "agenda-Sarah"),
            ("Waiting for the offer", "waiting-for"),
            ("Buy milk", "errands"),
            ("Think", ""),
        ] {
            assert_eq!(contexts(name).join(","), expected, "{name}");
        }
        assert_eq!(usual_minutes("Draft the plan"), Some(60));
        assert_eq!(usual_minutes("Think"), None);
    }
}
