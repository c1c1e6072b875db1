//! Reads the dates, times and tags in the words of one line.

use jiff::civil::{Date, Time, date};

use crate::Moment;
use crate::dates::{time, weekday};

/// The words of a line; words that were understood are removed.
pub(super) struct Words<'a>(Vec<&'a str>);

/// Words before a due date.
pub(super) const DUE: &[&str] = &["by", "due", "before", "until", "deadline", "on", "for"];

/// Words before the date on which a task becomes available.
pub(super) const DEFER: &[&str] = &["not until", "wait until", "starting", "after", "from"];

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

    /// Removes the first date after one of some words, together with that word.
    pub(super) fn take_date(&mut self, markers: &[&str], moment: &Moment) -> Option<String> {
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
                let begins = markers == DEFER;
                if let Some((date, words)) = self.date(start + length, begins, moment) {
                    let (time, more) = self.clock(start + length + words).unzip();
                    let (glued, more) = (self.glued(start + length), more.unwrap_or(0));
                    self.0.drain(start..start + length + words + more);
                    let time = glued.or(time).map(|time| time.strftime(" %H:%M").to_string());
                    return Some(format!("{date}{}", time.unwrap_or_default()));
                }
            }
        }
        None
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
        let word = |offset: usize| self.0.get(start + offset).map(|word| lower(word)).unwrap_or_default();
        let today = moment.today();
        let (first, second, third) = (word(0), word(1), word(2));
        let friday = |day: Date| on_or_after(day, FRIDAY);
        let week = monday(today);
        let day = match (first.as_str(), second.as_str(), third.as_str()) {
            ("today", ..) => (today, 1),
            ("tomorrow", ..) => (moment.day_in(1), 1),
            ("this", "week", _) => (friday(week), 2),
            ("next", "week", _) if begins => (later(week, 7), 2),
            ("next", "week", _) => (friday(later(week, 7)), 2),
            ("end", "of", "month") => (today.last_of_month(), 3),
            ("next", "month", _) => (today.last_of_month().tomorrow().ok()?, 2),
            (name, ..) if weekday(name).is_some() => (next(today, weekday(name)?), 1),
            ("next", name, _) if weekday(name).is_some() => (next(today, weekday(name)?), 2),
            (name, number, _) if month(name).is_some() => {
                (this_year_or_next(today, month(name)?, day_of(number)?)?, 2)
            }
            (text, ..) => (written(text, today)?, 1),
        };
        Some(day)
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

const MONTHS: [&str; 12] = [
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
    "november", "december",
];

fn month(name: &str) -> Option<i8> {
    let found = MONTHS.iter().position(|month| name.len() >= 3 && (*month == name || month[..3] == *name))?;
    i8::try_from(found + 1).ok()
}

fn day_of(text: &str) -> Option<i8> {
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_lowercase());
    digits.parse().ok()
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

fn this_year_or_next(today: Date, month: i8, day: i8) -> Option<Date> {
    let of = |year: i16| Date::new(year, month, day).ok();
    match of(today.year()) {
        Some(found) if found >= today => Some(found),
        _ => of(today.year() + 1),
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
