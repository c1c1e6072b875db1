//! Dates as a caller writes them.
//!
//! `now`, `today`, `tomorrow` or `yesterday`, each with an optional offset such as `now+3days` or `today-1w`;
//! `2026-01-31`; `2026-01-31 17:00`, in local time; RFC 3339 with an offset. A day is a whole day: as the start of a
//! span it means its beginning, and as the end of a span its end.

use iac_plugin::{Fault, Json, Object};
use jiff::civil::{Date, DateTime};
use jiff::{Span, Timestamp};

use crate::Moment;

/// The forms of a date, for errors.
pub(crate) const FORM: &str = "now, today, tomorrow or yesterday with an optional offset such as now+3days or today-1w \
    (m, h, d, w, mo, y), or YYYY-MM-DD, or YYYY-MM-DD HH:mm in local time, or RFC 3339 with an offset";

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

/// The meaning of a date: an instant, or a whole day.
enum Said {
    Instant(i64),
    Day(Date),
}

/// Reads a date at one end of a span, in milliseconds since 1970.
pub(crate) fn read(path: &str, value: &Json, end: End, moment: &Moment) -> Result<i64, Fault> {
    let said = value.as_str().and_then(|text| say(text, moment));
    match (said, end) {
        (Some(Said::Instant(instant)), _) => Ok(instant),
        (Some(Said::Day(day)), End::Left) => Ok(moment.start_of(day)),
        (Some(Said::Day(day)), End::Right) => Ok(moment.end_of(day)),
        (None, _) => Err(Fault::expected(path, value, FORM)),
    }
}

/// Reads a date that is one instant: a day means the given hour of that day.
pub(crate) fn at_hour(path: &str, value: &Json, hour: i8, moment: &Moment) -> Result<i64, Fault> {
    let (from, to) = (read(path, value, End::Left, moment)?, read(path, value, End::Right, moment)?);
    if from == to {
        return Ok(from);
    }
    let at = moment.day_of(from).at(hour, 0, 0, 0).to_zoned(moment.now().time_zone().clone());
    at.map(|at| at.timestamp().as_millisecond()).map_err(|_| Fault::expected(path, value, FORM))
}

/// Reads a date into the form that a write takes: a day, or a local time.
pub(crate) fn local(object: &Object<'_>, key: &str, moment: &Moment) -> Result<Option<String>, Fault> {
    let Some(value) = object.get(key).filter(|value| !value.is_null()) else { return Ok(None) };
    let path = object.at(key);
    let (from, to) = (read(&path, value, End::Left, moment)?, read(&path, value, End::Right, moment)?);
    let local = moment.text(from);
    let text = if from == to { local[..16].replace('T', " ") } else { local[..10].to_owned() };
    Ok(Some(text))
}

/// Reads `before`, `after` or `between` of an object. The other keys of the object are the caller's.
pub(crate) fn range(object: &Object<'_>, moment: &Moment) -> Result<Option<Range>, Fault> {
    let one =
        |key: &str, end| object.get(key).map(|value| read(&object.at(key), value, end, moment)).transpose();
    let (before, after) = (one("before", End::Right)?, one("after", End::Left)?);
    let between = between(object, moment)?;
    match (before, after, between) {
        (None, None, None) => Ok(None),
        (to, from, None) => ordered(object, Range { from, to }).map(Some),
        (None, None, Some(span)) => ordered(object, span).map(Some),
        _ => Err(Fault::invalid(format!("`{}` has between and one of before and after", object.path()))
            .suggest("give one of before, after or between")),
    }
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
        (Said::Instant(instant), true) => Some(Said::Day(moment.day_of(instant))),
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
        return text.parse().ok().map(Said::Day);
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

    #[test]
    fn anything_else_is_none() {
        for text in [
            "",
            "soon",
            "next week",
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
    fn spans_have_an_order_and_one_form() {
        let moment = moment();
        for (value, expected) in [
            (json!({"before": "2026-01-01"}), "None..Some(2026-01-01T23:59:59+01:00)"),
            (json!({"after": "2026-01-01"}), "Some(2026-01-01T00:00:00+01:00)..None"),
            (
                json!({"between": ["today", "today"]}),
                "Some(2026-01-28T00:00:00+01:00)..Some(2026-01-28T23:59:59+01:00)",
            ),
            (
                json!({"after": "today", "before": "tomorrow"}),
                "Some(2026-01-28T00:00:00+01:00)..Some(2026-01-29T23:59:59+01:00)",
            ),
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
                "`dueDate` has between and one of before and after",
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
