//! The request: the arguments of the tool.

use iac_plugin::{Arguments, Fault, Json, Object, json};

use crate::clock::{Day, minute_of_day};
use crate::span::Span;

const MOST_DAYS: i64 = 31;
const MOST_MINUTES: i64 = 24 * 60;
pub(crate) const WEEKDAYS: [&str; 7] =
    ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

const KEYS: &[&str] = &["from", "days", "minutes", "workStart", "workEnd", "workingDays", "calendars"];

/// The parsed arguments.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Request {
    pub(crate) first: Day,
    pub(crate) days: i64,
    /// The length of the shortest slot that is shown.
    pub(crate) minutes: i64,
    /// Minutes of the day at which work begins and ends.
    pub(crate) work: (i64, i64),
    pub(crate) working_days: [bool; 7],
    /// Names; `None` for all calendars.
    pub(crate) calendars: Option<Vec<String>>,
}

impl Request {
    /// Reads the arguments; the defaults are the week of `today` and office hours.
    pub(crate) fn read(arguments: Arguments, today: Day) -> Result<Self, Fault> {
        let given = arguments.object();
        given.only(KEYS, &[])?;
        Ok(Self {
            first: first(given.text("from")?, today)?,
            days: given.whole("days", 1, MOST_DAYS)?.unwrap_or(7),
            minutes: given.whole("minutes", 1, MOST_MINUTES)?.unwrap_or(30),
            work: work(given.text("workStart")?, given.text("workEnd")?)?,
            working_days: working_days(&given)?,
            calendars: given.texts("calendars")?,
        })
    }

    /// Returns all requested days as one span.
    pub(crate) fn range(&self) -> Span {
        Span { start: self.first.start(), end: Day(self.first.0 + self.days).start() }
    }

    /// Returns the working hours of a day; empty on a free day.
    pub(crate) fn working(&self, day: Day) -> Span {
        let works = WEEKDAYS.iter().zip(self.working_days).nth(usize::try_from(day.weekday()).unwrap_or(0));
        let (from, to) = self.work;
        Span::of_day(day, from, if works.is_some_and(|(_, works)| works) { to } else { from })
    }
}

pub(crate) fn schema() -> Json {
    let time =
        |words: &str| json!({"type": "string", "pattern": "^[0-2][0-9]:[0-5][0-9]$", "description": words});
    json!({
        "type": "object",
        "properties": {
            "from": {"type": "string", "format": "date", "description": "first day, such as 2026-01-26; Monday of this week"},
            "days": {"type": "integer", "minimum": 1, "maximum": MOST_DAYS, "description": "how many days, 7"},
            "minutes": {"type": "integer", "minimum": 1, "maximum": MOST_MINUTES, "description": "shortest free slot, 30"},
            "workStart": time("when work begins, 09:00"),
            "workEnd": time("when work ends, 17:00; at most 24:00"),
            "workingDays": {
                "type": "array",
                "items": {"type": "string", "enum": WEEKDAYS},
                "description": "days on which there are free slots; monday to friday"
            },
            "calendars": {
                "type": "array",
                "items": {"type": "string"},
                "minItems": 1,
                "description": "names of the calendars to look at; all"
            }
        },
        "additionalProperties": false
    })
}

fn first(given: Option<&str>, today: Day) -> Result<Day, Fault> {
    let Some(text) = given else { return Ok(Day(today.0 - today.weekday())) };
    Day::parse(text)
        .ok_or_else(|| Fault::invalid(format!("`from` is `{text}`, expected a date such as {today}")))
}

fn work(start: Option<&str>, end: Option<&str>) -> Result<(i64, i64), Fault> {
    let (from, to) = (time("workStart", start.unwrap_or("09:00"))?, time("workEnd", end.unwrap_or("17:00"))?);
    if from < to {
        return Ok((from, to));
    }
    let end = end.unwrap_or("17:00");
    Err(Fault::invalid(format!("`workEnd` is `{end}`, expected a time after `workStart`")))
}

fn time(name: &str, text: &str) -> Result<i64, Fault> {
    minute_of_day(text)
        .ok_or_else(|| Fault::invalid(format!("`{name}` is `{text}`, expected a time such as 09:30")))
}

fn working_days(given: &Object<'_>) -> Result<[bool; 7], Fault> {
    // An empty list is a week without free slots.
    if given.list("workingDays")? == Some(&[]) {
        return Ok([false; 7]);
    }
    let Some(names) = given.texts("workingDays")? else {
        return Ok([true, true, true, true, true, false, false]);
    };
    let unknown = names.iter().find(|name| !WEEKDAYS.contains(&name.as_str()));
    if let Some(name) = unknown {
        let expected = WEEKDAYS.join(", ");
        return Err(Fault::invalid(format!("`workingDays` holds `{name}`, expected some of {expected}")));
    }
    Ok(WEEKDAYS.map(|day| names.iter().any(|name| name == day)))
}
