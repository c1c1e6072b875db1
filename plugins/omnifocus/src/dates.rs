//! Dates as a caller writes them.
//!
//! `now`, `today`, `tomorrow` or `yesterday`, each with an optional offset such as `now+3days` or `today-1w`; words
//! such as `friday 17:00`, `next week`, `in 2 weeks`; `2026-01-31`; `2026-01-31 17:00`, in local time; RFC 3339 with an
//! offset. A day is a whole day: as the start of a span it means its beginning, and as the end of a span its end;
//! `before` and `after` leave all of it out. Weeks, months and years are whole in the same way.

mod phrase;

use iac_plugin::{Fault, Json, Object};
use jiff::civil::{Date, DateTime};
use jiff::{Span, Timestamp};

use crate::Moment;
pub(crate) use phrase::{month, this_year_or_next, time, weekday};

/// The forms of a date, for errors.
pub(crate) const FORM: &str = "now, today, tomorrow or yesterday with an optional offset such as now+3days or today-1w \
    (m, h, d, w, mo, y), or words such as friday 17:00, next monday, end of month, in 2 weeks or 3 days ago, or \
    YYYY-MM-DD, or YYYY-MM-DD HH:mm in local time, or RFC 3339 with an offset";

/// What to write for a date that is one day or one time.
const ONE_DAY: &str = "one day or one time; a week, a month or a year is longer, so name a day, such as friday next week or \
    end of month";

/// Which end of a span a date stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// A day means its first millisecond.
    Left,
    /// A day means its last millisecond.
    Right,
}

/// A span of time, both ends included; a missing end is open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Range {
    pub(crate) from: Option<i64>,
    pub(crate) to: Option<i64>,
}

/// The meaning of a date: an instant, or the days from the first to the last one.
enum Said {
    Instant(i64),
    Days(Date, Date),
    /// `last 7 days` and `next 7 days`: days that end or begin today.
    Rolling(Date, Date, Way),
}

/// Whether days around today lie behind or ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Back,
    Ahead,
}

/// Reads a date at one end of a span, in milliseconds since 1970.
pub(crate) fn read(path: &str, value: &Json, end: End, moment: &Moment) -> Result<i64, Fault> {
    let said = value.as_str().and_then(|text| say(text, moment));
    match (said, end) {
        (Some(Said::Instant(instant)), _) => Ok(instant),
        (Some(Said::Days(first, _) | Said::Rolling(first, ..)), End::Left) => Ok(moment.start_of(first)),
        (Some(Said::Days(_, last) | Said::Rolling(_, last, _)), End::Right) => Ok(moment.end_of(last)),
        (None, _) => Err(match value.as_str().filter(|text| is_no_day(text)) {
            Some(text) => Fault::invalid(format!("`{path}` is `{text}`, and there is no such day"))
                .suggest("name a day that the month has, such as its last one: `end of month`"),
            None => Fault::expected(path, value, FORM),
        }),
    }
}

/// Whether a text names a day that its month does not have, such as `2026-02-30` or `Feb 30`.
fn is_no_day(text: &str) -> bool {
    let digits: Vec<&str> = text.trim().get(..10).unwrap_or_default().split('-').collect();
    if let [year, month, day] = digits[..]
        && [year, month, day].map(str::len) == [4, 2, 2]
        && let (Ok(year), Ok(month), Ok(day)) = (year.parse(), month.parse(), day.parse())
    {
        return Date::new(year, month, day).is_err();
    }
    let words: Vec<String> =
        text.split(|letter: char| !letter.is_ascii_alphanumeric()).map(str::to_lowercase).collect();
    let day = |word: &String| word.trim_end_matches(char::is_alphabetic).parse::<i8>().ok();
    words.windows(2).any(|pair| {
        let found = month(&pair[0]).zip(day(&pair[1])).or_else(|| month(&pair[1]).zip(day(&pair[0])));
        // A leap year has every day.
        found.is_some_and(|(month, day)| day > 0 && Date::new(2024, month, day).is_err())
    })
}

/// Reads a date that is one instant: a day means the given hour of that day.
pub(crate) fn at_hour(path: &str, value: &Json, hour: i8, moment: &Moment) -> Result<i64, Fault> {
    let (from, to) = (read(path, value, End::Left, moment)?, read(path, value, End::Right, moment)?);
    if from == to {
        return Ok(from);
    }
    if moment.day_of(from) != moment.day_of(to) {
        return Err(Fault::expected(path, value, ONE_DAY));
    }
    let at = moment.day_of(from).at(hour, 0, 0, 0).to_zoned(moment.now().time_zone().clone());
    at.map(|at| at.timestamp().as_millisecond()).map_err(|_| Fault::expected(path, value, FORM))
}

/// Reads a date into the form that a write takes: a day, or a local time.
pub(crate) fn local(object: &Object<'_>, key: &str, moment: &Moment) -> Result<Option<String>, Fault> {
    let Some(value) = object.get(key).filter(|value| !value.is_null()) else { return Ok(None) };
    let path = object.at(key);
    let (from, to) = (read(&path, value, End::Left, moment)?, read(&path, value, End::Right, moment)?);
    if moment.day_of(from) != moment.day_of(to) {
        return Err(Fault::expected(&path, value, ONE_DAY));
    }
    let local = moment.text(from);
    let text = if from == to { local[..16].replace('T', " ") } else { local[..10].to_owned() };
    Ok(Some(text))
}

/// The keys of a range, with the end of the date that each means, and the milliseconds from there to the range.
/// `before` and `after` leave out all of a day, a week or a month.
const STARTS: [(&str, End, i64); 2] = [("after", End::Right, 1), ("onOrAfter", End::Left, 0)];
const ENDS: [(&str, End, i64); 2] = [("before", End::Left, -1), ("onOrBefore", End::Right, 0)];

/// Reads `before`, `onOrBefore`, `after`, `onOrAfter` or `between` of an object. The other keys of the object are the
/// caller's.
pub(crate) fn range(object: &Object<'_>, moment: &Moment) -> Result<Option<Range>, Fault> {
    let (from, to) = (bound(object, STARTS, moment)?, bound(object, ENDS, moment)?);
    match (from, to, between(object, moment)?) {
        (None, None, None) => Ok(None),
        (from, to, None) => ordered(object, Range { from, to }).map(Some),
        (None, None, Some(span)) => ordered(object, span).map(Some),
        _ => Err(Fault::invalid(format!("`{}` has between and another bound", object.path()))
            .suggest("give between alone, or a start and an end")),
    }
}

/// Reads one end of a range, under one of two keys.
fn bound(object: &Object<'_>, keys: [(&str, End, i64); 2], moment: &Moment) -> Result<Option<i64>, Fault> {
    let [(first, ..), (second, ..)] = keys;
    if object.has(first) && object.has(second) {
        return Err(Fault::invalid(format!("`{}` has both {first} and {second}", object.path()))
            .suggest("leave one of them out"));
    }
    let given = keys.into_iter().find_map(|(key, end, step)| Some((key, object.get(key)?, end, step)));
    let Some((key, value, end, step)) = given else { return Ok(None) };
    // Nothing useful is before the days that begin today, or after those that end today: a caller means these days.
    match (key, value.as_str().and_then(|text| say(text, moment))) {
        ("after", Some(Said::Rolling(first, _, Way::Back))) => return Ok(Some(moment.start_of(first))),
        ("before", Some(Said::Rolling(_, last, Way::Ahead))) => return Ok(Some(moment.end_of(last))),
        _ => {}
    }
    Ok(Some(read(&object.at(key), value, end, moment)?.saturating_add(step)))
}

fn between(object: &Object<'_>, moment: &Moment) -> Result<Option<Range>, Fault> {
    let Some(value) = object.get("between") else { return Ok(None) };
    let path = object.at("between");
    let Some([left, right]) = value.as_array().map(Vec::as_slice) else {
        return Err(Fault::expected(&path, value, "a list of two dates"));
    };
    let from = read(&format!("{path}[0]"), left, End::Left, moment)?;
    let to = read(&format!("{path}[1]"), right, End::Right, moment)?;
    Ok(Some(Range { from: Some(from), to: Some(to) }))
}

fn ordered(object: &Object<'_>, span: Range) -> Result<Range, Fault> {
    match (span.from, span.to) {
        (Some(from), Some(to)) if from > to => {
            Err(Fault::invalid(format!("`{}` ends before it begins, so nothing can match", object.path()))
                .suggest("write the earlier date first"))
        }
        _ => Ok(span),
    }
}

fn say(text: &str, moment: &Moment) -> Option<Said> {
    let text = text.trim();
    offset(text, moment).or_else(|| phrase::read(text, moment.now()))
}

/// Reads the short forms: a word with an offset, or digits.
fn offset(text: &str, moment: &Moment) -> Option<Said> {
    let word = text.bytes().take_while(u8::is_ascii_alphabetic).count();
    let (word, rest) = text.split_at(word);
    let days = match word.to_ascii_lowercase().as_str() {
        "now" => return shifted(moment.now().clone(), rest.trim()).map(|(said, _)| said),
        "today" => 0,
        "tomorrow" => 1,
        "yesterday" => -1,
        "" => return written(text, moment),
        _ => return None,
    };
    let start = moment.day_in(days).to_zoned(moment.now().time_zone().clone()).ok()?;
    match shifted(start, rest.trim())? {
        (Said::Instant(instant), true) => {
            let day = moment.day_of(instant);
            Some(Said::Days(day, day))
        }
        (said, _) => Some(said),
    }
}

/// Moves an instant by an offset such as `+3days`; also says whether the offset is in whole days.
fn shifted(from: jiff::Zoned, offset: &str) -> Option<(Said, bool)> {
    if offset.is_empty() {
        return Some((Said::Instant(from.timestamp().as_millisecond()), true));
    }
    let sign = match offset.as_bytes()[0] {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let offset = offset[1..].trim();
    let digits = offset.bytes().take_while(u8::is_ascii_digit).count();
    let (count, unit) = offset.split_at(digits);
    let count = sign * count.parse::<i64>().ok().filter(|count| *count <= 100_000)?;
    let (span, whole) = by(count, unit.trim())?;
    let moved = from.checked_add(span).ok()?;
    Some((Said::Instant(moved.timestamp().as_millisecond()), whole))
}

fn by(count: i64, unit: &str) -> Option<(Span, bool)> {
    let span = Span::new();
    Some(match unit.to_ascii_lowercase().as_str() {
        "m" | "min" | "mins" | "minute" | "minutes" => (span.try_minutes(count).ok()?, false),
        "h" | "hour" | "hours" => (span.try_hours(count).ok()?, false),
        "d" | "day" | "days" => (span.try_days(count).ok()?, true),
        "w" | "week" | "weeks" => (span.try_weeks(count).ok()?, true),
        "mo" | "month" | "months" => (span.try_months(count).ok()?, true),
        "y" | "year" | "years" => (span.try_years(count).ok()?, true),
        _ => return None,
    })
}

/// Reads a date of digits. The calendar's own parser is lenient, so the form is checked first.
fn written(text: &str, moment: &Moment) -> Option<Said> {
    let shape: String =
        text.chars().map(|letter| if letter.is_ascii_digit() { '0' } else { letter }).collect();
    if shape == "0000-00-00" {
        return text.parse().ok().map(|day| Said::Days(day, day));
    }
    let local = matches!(
        shape.replacen(' ', "T", 1).as_str(),
        "0000-00-00T00:00" | "0000-00-00T00:00:00" | "0000-00-00T00:00:00.000"
    );
    if local {
        let civil: DateTime = text.replacen(' ', "T", 1).parse().ok()?;
        let zoned = civil.to_zoned(moment.now().time_zone().clone()).ok()?;
        return Some(Said::Instant(zoned.timestamp().as_millisecond()));
    }
    let offset = shape.ends_with('Z') || shape.ends_with('z') || shape.ends_with("00:00");
    if !shape.starts_with("0000-00-00T00:00") || !offset {
        return None;
    }
    text.parse::<Timestamp>().ok().map(|instant| Said::Instant(instant.as_millisecond()))
}

#[cfg(test)]
mod tests {
    use iac_plugin::json;

    use super::*;

    /// Wednesday 28 January 2026, 09:30 in Vienna.
    fn moment() -> Moment {
        Moment::new(1_769_589_000_000, "Europe/Vienna", 3_600)
    }

    fn check(text: &str, left: &str, right: &str) {
        let moment = moment();
        for (end, expected) in [(End::Left, left), (End::Right, right)] {
            let shown = match read("date", &json!(text), end, &moment) {
                Ok(instant) => moment.text(instant),
                Err(_) => "none".to_owned(),
            };
            assert_eq!(shown, expected, "{text} at its {end:?}");
        }
    }

    fn instant(text: &str, expected: &str) {
        check(text, expected, expected);
    }

    #[test]
    fn a_day_is_a_whole_day() {
        check("today", "2026-01-28T00:00:00+01:00", "2026-01-28T23:59:59+01:00");
        check("Tomorrow", "2026-01-29T00:00:00+01:00", "2026-01-29T23:59:59+01:00");
        check("yesterday", "2026-01-27T00:00:00+01:00", "2026-01-27T23:59:59+01:00");
        check("today-1w", "2026-01-21T00:00:00+01:00", "2026-01-21T23:59:59+01:00");
        check("today + 1 month", "2026-02-28T00:00:00+01:00", "2026-02-28T23:59:59+01:00");
        check("2026-03-29", "2026-03-29T00:00:00+01:00", "2026-03-29T23:59:59+02:00");
    }

    #[test]
    fn an_instant_is_an_instant_at_both_ends() {
        instant("now", "2026-01-28T09:30:00+01:00");
        instant("now+3days", "2026-01-31T09:30:00+01:00");
        instant("now-90m", "2026-01-28T08:00:00+01:00");
        instant("now+2mo", "2026-03-28T09:30:00+01:00");
        instant("now+1y", "2027-01-28T09:30:00+01:00");
        instant("today+8h", "2026-01-28T08:00:00+01:00");
        instant("2026-07-01 17:00", "2026-07-01T17:00:00+02:00");
        instant("2026-07-01T17:00:30", "2026-07-01T17:00:30+02:00");
        instant("2026-07-01T17:00:00Z", "2026-07-01T19:00:00+02:00");
        instant("2026-07-01T17:00:00-05:00", "2026-07-02T00:00:00+02:00");
    }

    /// The forms that the server's own tools read, with the same meaning.
    #[test]
    fn words_for_days_are_days() {
        for (text, first, last) in [
            ("friday", "01-30", "01-30"),
            ("Fri", "01-30", "01-30"),
            ("on Wednesday", "01-28", "01-28"),
            ("this wednesday", "01-28", "01-28"),
            ("next wednesday", "02-04", "02-04"),
            ("next monday", "02-02", "02-02"),
            ("last monday", "01-26", "01-26"),
            ("last wednesday", "01-21", "01-21"),
            ("friday next week", "02-06", "02-06"),
            ("friday of this week", "01-30", "01-30"),
            ("next week on wednesday", "02-04", "02-04"),
            ("the day after tomorrow", "01-30", "01-30"),
            ("day before yesterday", "01-26", "01-26"),
            ("in 2 weeks", "02-11", "02-11"),
            ("in a month", "02-28", "02-28"),
            ("in three days", "01-31", "01-31"),
            ("3 days ago", "01-25", "01-25"),
            ("2 weeks from now", "02-11", "02-11"),
            ("a week from friday", "02-06", "02-06"),
            ("two days before next monday", "01-31", "01-31"),
            ("last 7 days", "01-22", "01-28"),
            ("next 30 days", "01-28", "02-26"),
            ("past 2 weeks", "01-15", "01-28"),
            ("end of next 7 days", "02-03", "02-03"),
            ("next 1 day", "01-28", "01-28"),
            ("start of last 7 days", "01-22", "01-22"),
            ("last 7 days + 1 day", "01-23", "01-29"),
            ("today + 2 weeks", "02-11", "02-11"),
            ("tomorrow + 1 month - 2 days", "02-26", "02-26"),
            ("friday + 1 week", "02-06", "02-06"),
            ("this week", "01-26", "02-01"),
            ("next week", "02-02", "02-08"),
            ("last month", "2025-12-01", "2025-12-31"),
            ("this year", "01-01", "12-31"),
            ("this weekend", "01-31", "02-01"),
            ("last weekend", "01-24", "01-25"),
            ("this weekend + 1 week", "02-07", "02-08"),
            ("start of week", "01-26", "01-26"),
            ("start of the week", "01-26", "01-26"),
            ("beginning of next month", "02-01", "02-01"),
            ("end of month", "01-31", "01-31"),
            ("end of next month", "02-28", "02-28"),
            ("end of the week", "02-01", "02-01"),
            ("end of last year", "2025-12-31", "2025-12-31"),
            ("end of day", "01-28", "01-28"),
            ("end of tomorrow", "01-29", "01-29"),
            ("Dec 24", "2026-12-24", "2026-12-24"),
            ("on December 24th", "2026-12-24", "2026-12-24"),
            ("24 Dec", "2026-12-24", "2026-12-24"),
            ("the 5th of January", "2027-01-05", "2027-01-05"),
            ("Jan 28", "01-28", "01-28"),
            ("March 5, 2027", "2027-03-05", "2027-03-05"),
            ("2 weeks before Dec 24", "2026-12-10", "2026-12-10"),
        ] {
            let day = |day: &str| if day.len() == 5 { format!("2026-{day}") } else { day.to_owned() };
            check(text, &format!("{}T00:00:00+01:00", day(first)), &format!("{}T23:59:59+01:00", day(last)));
        }
    }

    #[test]
    fn days_around_today_are_whole_on_their_side() {
        for (key, text, from, to) in [
            ("after", "last 7 days", "2026-01-22T00:00:00+01:00", ""),
            ("onOrAfter", "last 7 days", "2026-01-22T00:00:00+01:00", ""),
            ("before", "last 7 days", "", "2026-01-21T23:59:59+01:00"),
            ("before", "next 7 days", "", "2026-02-03T23:59:59+01:00"),
            ("after", "next 7 days", "2026-02-04T00:00:00+01:00", ""),
            ("before", "next week", "", "2026-02-01T23:59:59+01:00"),
        ] {
            let (moment, given) = (moment(), json!({ key: text }));
            let found = range(&Object::of("dueDate", &given).unwrap(), &moment).unwrap().unwrap();
            let shown = |end: Option<i64>| end.map(|at| moment.text(at)).unwrap_or_default();
            assert_eq!((&shown(found.from)[..], &shown(found.to)[..]), (from, to), "{key} {text}");
        }
    }

    #[test]
    fn words_with_a_time_are_instants() {
        for (text, at) in [
            ("now - 14 days", "01-14T09:30"),
            ("now - 1 month - 2 days", "2025-12-26T09:30"),
            ("in 2 hours", "01-28T11:30"),
            ("in half an hour", "01-28T10:00"),
            ("90 minutes ago", "01-28T08:00"),
            ("last 3 hours", "01-28T06:30"),
            ("tomorrow 17:00", "01-29T17:00"),
            ("tomorrow at 5 pm", "01-29T17:00"),
            ("tomorrow at 9", "01-29T09:00"),
            ("tomorrow noon", "01-29T12:00"),
            ("tomorrow midnight", "01-29T00:00"),
            ("today 17:00", "01-28T17:00"),
            ("friday 17:00", "01-30T17:00"),
            ("wednesday 8:00", "01-28T08:00"),
            ("next monday 09:00", "02-02T09:00"),
            ("next monday + 9 hours", "02-02T09:00"),
            ("friday 12am", "01-30T00:00"),
            ("9am next monday", "02-02T09:00"),
            ("10:00 tomorrow", "01-29T10:00"),
            ("tomorrow evening at 7", "01-29T19:00"),
            ("friday afternoon 2:30", "01-30T14:30"),
            ("tomorrow + 1 day 9:30", "01-30T09:30"),
            ("tomorrow 9:30 + 2 hours", "01-29T11:30"),
            ("in 3 days at 8:00", "01-31T08:00"),
            ("end of month 17:00", "01-31T17:00"),
            ("8pm", "01-28T20:00"),
            ("at 20:00", "01-28T20:00"),
            ("noon", "01-28T12:00"),
            ("2026-01-29 9:00", "01-29T09:00"),
            ("2026-01-29 5pm", "01-29T17:00"),
            ("2026-01-29 at 9:15", "01-29T09:15"),
            ("Feb 3 at 5pm", "02-03T17:00"),
            ("3 Feb 2026 9:30", "02-03T09:30"),
        ] {
            let at = if at.len() == 11 { format!("2026-{at}") } else { at.to_owned() };
            instant(text, &format!("{at}:00+01:00"));
        }
    }

    #[test]
    fn a_time_of_a_note_is_nothing_but_a_time() {
        for text in ["09:00", "9am", "9 am", "at 9", "at 9:00"] {
            assert_eq!(time(text), Some(jiff::civil::time(9, 0, 0, 0)), "{text}");
        }
        for text in ["", "9", "9:5", "13pm", "at 24", "9 boxes", "at 9 boxes", "friday 9:00"] {
            assert_eq!(time(text), None, "{text}");
        }
    }

    #[test]
    fn a_value_is_one_day_or_one_time() {
        let moment = moment();
        let at = |text: &str| at_hour("dueDate", &json!(text), 17, &moment).map(|at| moment.text(at));
        assert_eq!(at("end of month").unwrap_or_default(), "2026-01-31T17:00:00+01:00");
        assert_eq!(at("friday").unwrap_or_default(), "2026-01-30T17:00:00+01:00");
        let fault = at("next week").expect_err("a week is longer than a day");
        assert!(fault.message.contains("one day or one time"), "{}", fault.message);
    }

    #[test]
    fn anything_else_is_none() {
        for text in [
            "",
            "soon",
            "Feb 30",
            "Dec",
            "Dec 24 25",
            "next weekend",
            "tomorrow morning",
            "tonight",
            "midnight",
            "november",
            "29.11.2026",
            "2026-W49",
            "+3d",
            "8",
            "today 15",
            "today 25:00",
            "today 9:5",
            "in 2 hours at 8:00",
            "2 hours ago 9:30",
            "9:30 in half an hour",
            "last 3 hours at 8:00",
            "now 15:00",
            "now + 2 hours 15:00",
            "today + 2 hours 15:00",
            "fr",
            "a few days ago",
            "3 days from",
            "a week from a week from friday",
            "end of now",
            "friday or saturday",
            "2026-02-30 9:00",
            "now+",
            "now+3",
            "now+3 fortnights",
            "now*3d",
            "today+99999999d",
            "2026-02-30",
            "2026-1-1",
            "26-01-01",
            "2026-01-01 25:00",
            "2026-01-01T10",
            "01/02/2026",
            "now 3days",
            "nowish",
            "2026-01-01T10:00[Europe/Vienna]",
        ] {
            instant(text, "none");
        }
    }

    #[test]
    fn a_day_that_does_not_exist_is_told() {
        let told = |text: &str| {
            let fault = read("dueDate", &json!(text), End::Left, &moment()).err();
            fault.is_some_and(|fault| fault.message.ends_with("there is no such day"))
        };
        for text in [
            "2026-02-30", "2026-13-01", "2026-02-30 9:00", "Feb 30", "31 April", "June 31st 9:00",
            "2025-02-29",
        ] {
            assert!(told(text), "{text}");
        }
        for text in ["", "soon", "2026-02-28", "29.11.2026", "Feb 3 soon", "2026-1-1", "may 5 or 6"] {
            assert!(!told(text), "{text}");
        }
    }

    #[test]
    fn spans_have_an_order_and_one_form() {
        let moment = moment();
        for (value, expected) in [
            (json!({"before": "2026-01-01"}), "None..Some(2025-12-31T23:59:59+01:00)"),
            (json!({"onOrBefore": "2026-01-01"}), "None..Some(2026-01-01T23:59:59+01:00)"),
            (json!({"after": "2026-01-01"}), "Some(2026-01-02T00:00:00+01:00)..None"),
            (json!({"onOrAfter": "2026-01-01"}), "Some(2026-01-01T00:00:00+01:00)..None"),
            (json!({"before": "next week"}), "None..Some(2026-02-01T23:59:59+01:00)"),
            (json!({"onOrBefore": "next week"}), "None..Some(2026-02-08T23:59:59+01:00)"),
            (json!({"after": "this month"}), "Some(2026-02-01T00:00:00+01:00)..None"),
            (json!({"onOrAfter": "this month"}), "Some(2026-01-01T00:00:00+01:00)..None"),
            (json!({"before": "now"}), "None..Some(2026-01-28T09:29:59+01:00)"),
            (json!({"onOrBefore": "now"}), "None..Some(2026-01-28T09:30:00+01:00)"),
            (
                json!({"between": ["today", "today"]}),
                "Some(2026-01-28T00:00:00+01:00)..Some(2026-01-28T23:59:59+01:00)",
            ),
            (
                json!({"onOrAfter": "today", "before": "tomorrow"}),
                "Some(2026-01-28T00:00:00+01:00)..Some(2026-01-28T23:59:59+01:00)",
            ),
            (
                json!({"after": "today", "before": "tomorrow"}),
                "`dueDate` ends before it begins, so nothing can match",
            ),
            (json!({"after": "today", "onOrAfter": "today"}), "`dueDate` has both after and onOrAfter"),
            (
                json!({"between": ["tomorrow", "today"]}),
                "`dueDate` ends before it begins, so nothing can match",
            ),
            (
                json!({"between": ["today"]}),
                "`dueDate.between` is `[\"today\"]`, expected a list of two dates",
            ),
            (
                json!({"between": ["today", "today"], "after": "now"}),
                "`dueDate` has between and another bound",
            ),
        ] {
            let object = Object::of("dueDate", &value).expect("an object");
            let shown = match range(&object, &moment) {
                Ok(span) => {
                    let span = span.unwrap_or_default();
                    let show = |end: Option<i64>| {
                        end.map_or("None".to_owned(), |end| format!("Some({})", moment.text(end)))
                    };
                    format!("{}..{}", show(span.from), show(span.to))
                }
                Err(fault) => fault.message,
            };
            assert_eq!(shown, expected, "{value}");
        }
    }
}
