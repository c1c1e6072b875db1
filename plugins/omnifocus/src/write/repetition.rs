//! Repetition: turns a caller's words into a repetition rule of OmniFocus.

use iac_plugin::{Fault, Json, Object, json};

use crate::Moment;
use crate::dates::{self, End};

const KEYS: &[&str] = &[
    "frequency",
    "interval",
    "daysOfWeek",
    "daysOfMonth",
    "count",
    "endDate",
    "weekStart",
    "setPositions",
    "method",
    "scheduleType",
    "anchorDateKey",
    "catchUpAutomatically",
    "ruleString",
];
const REDIRECTS: &[(&str, &str)] = &[
    ("unit", "use `frequency`: daily, weekly, monthly, yearly"),
    ("steps", "use `interval`"),
    ("every", "use `interval`"),
    ("months", "OmniFocus cannot repeat in chosen months: use `frequency` yearly and a date in that month"),
    ("until", "use `endDate`"),
    ("days", "use `daysOfWeek`"),
];
const FREQUENCIES: [(&str, &str); 6] = [
    ("minutely", "MINUTELY"),
    ("hourly", "HOURLY"),
    ("daily", "DAILY"),
    ("weekly", "WEEKLY"),
    ("monthly", "MONTHLY"),
    ("yearly", "YEARLY"),
];
const DAYS: [&str; 7] = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"];

/// Reads the rule of an object. Null, and the method or schedule `none`, remove the rule.
pub(super) fn read(object: &Object<'_>, moment: &Moment) -> Result<Option<Json>, Fault> {
    if !object.has("repetitionRule") {
        return Ok(None);
    }
    let Some(rule) = object.object("repetitionRule")? else { return Ok(Some(Json::Null)) };
    rule.only(KEYS, REDIRECTS)?;
    let Some((schedule, anchor)) = schedule(&rule)? else { return Ok(Some(Json::Null)) };
    let text = match rule.text("ruleString")? {
        Some(text) => given(&rule, text)?,
        None => written(&rule, moment)?,
    };
    let method = match (schedule, anchor) {
        ("Regularly", _) => "Fixed",
        (_, Some("DeferDate")) => "DeferUntilDate",
        _ => "DueDate",
    };
    let catch_up = rule.flag("catchUpAutomatically")?.unwrap_or(true);
    Ok(Some(
        json!({"rule": text, "schedule": schedule, "anchor": anchor, "catchUp": catch_up, "method": method}),
    ))
}

/// Chooses the date that the rule of a new item moves: the due date, or else the defer date or the planned date.
pub(super) fn anchor(set: &mut Json) {
    if set["rule"].is_object() && set["rule"]["anchor"].is_null() {
        let dates = [("due", "DueDate"), ("defer", "DeferDate"), ("planned", "PlannedDate")];
        let found = dates.iter().find(|(key, _)| set[*key].is_number());
        set["rule"]["anchor"] = json!(found.map_or("DueDate", |(_, anchor)| anchor));
    }
}

/// When the next occurrence comes, and the date that it moves; without a date, the item's own dates decide.
type Schedule = (&'static str, Option<&'static str>);

/// Reads the date from which the next one is counted; `None` if the item shall not repeat.
fn schedule(rule: &Object<'_>) -> Result<Option<Schedule>, Fault> {
    let methods = [
        ("fixed", ("Regularly", None)),
        ("due_after_completion", ("FromCompletion", Some("DueDate"))),
        ("defer_after_completion", ("FromCompletion", Some("DeferDate"))),
        ("start_after_completion", ("FromCompletion", Some("DeferDate"))),
        ("none", ("None", None)),
    ];
    let schedules = [
        ("regularly", "Regularly"),
        ("from_completion", "FromCompletion"),
        ("fromcompletion", "FromCompletion"),
        ("none", "None"),
    ];
    let anchors = [
        ("due_date", "DueDate"),
        ("defer_date", "DeferDate"),
        ("planned_date", "PlannedDate"),
        ("duedate", "DueDate"),
        ("deferdate", "DeferDate"),
        ("planneddate", "PlannedDate"),
    ];
    let (by_method, anchor) = rule.word("method", &methods)?.unwrap_or(("Regularly", None));
    let schedule = rule.word("scheduleType", &schedules)?.unwrap_or(by_method);
    let anchor = rule.word("anchorDateKey", &anchors)?.or(anchor);
    Ok((schedule != "None").then_some((schedule, anchor)))
}

/// Accepts a rule in the form that a read returns.
fn given(rule: &Object<'_>, text: &str) -> Result<String, Fault> {
    let parts = [
        "frequency", "interval", "daysOfWeek", "daysOfMonth", "count", "endDate", "weekStart", "setPositions",
    ];
    if let Some(key) = parts.iter().find(|key| rule.has(key)) {
        return Err(Fault::invalid(format!(
            "`{}` and `{}` exclude each other",
            rule.at("ruleString"),
            rule.at(key)
        ))
        .suggest("give the rule string alone, or its parts"));
    }
    let text = text.trim().trim_start_matches("RRULE:").to_ascii_uppercase();
    let known = ["FREQ", "INTERVAL", "BYDAY", "BYMONTHDAY", "COUNT", "UNTIL", "WKST", "BYSETPOS"];
    let mut names = text.split(';').map(|part| part.split('=').next().unwrap_or_default());
    match names.find(|name| !known.contains(name)) {
        Some(name) => Err(Fault::invalid(format!(
            "`{}` has `{name}`, which OmniFocus does not take",
            rule.at("ruleString")
        ))
        .suggest(format!("it takes {}", known.join(", ")))),
        None if !text.starts_with("FREQ=") => Err(rule.wrong("ruleString", "a rule that begins with FREQ=")),
        None => match text.split(';').find(|part| !is_part(part)) {
            Some(part) => Err(Fault::invalid(format!(
                "`{}` has `{part}`, which OmniFocus does not take",
                rule.at("ruleString")
            ))
            .suggest(
                "write it as FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TH;UNTIL=20261231, or give `frequency` and its like",
            )),
            None => Ok(text),
        },
    }
}

/// Whether a part of a rule has a value that OmniFocus understands. It would take another one without a word.
fn is_part(part: &str) -> bool {
    let Some((name, value)) = part.split_once('=') else { return false };
    let whole = |text: &str| text.parse::<i64>().is_ok_and(|number| number >= 1);
    let within = |most: i64| {
        value
            .split(',')
            .all(|text| text.parse::<i64>().is_ok_and(|number| number != 0 && number.abs() <= most))
    };
    match name {
        "FREQ" => FREQUENCIES.iter().any(|(_, word)| *word == value),
        "INTERVAL" | "COUNT" => whole(value),
        "BYDAY" => value.split(',').all(is_day),
        "BYMONTHDAY" => within(31),
        "BYSETPOS" => within(366),
        "WKST" => DAYS.contains(&value),
        "UNTIL" => is_end(value),
        _ => false,
    }
}

/// `MO`, `2TU` or `-1FR`.
fn is_day(text: &str) -> bool {
    let Some(at) = text.len().checked_sub(2).filter(|at| text.is_char_boundary(*at)) else { return false };
    let (position, day) = text.split_at(at);
    let is_near = |position: &str| position.parse::<i64>().is_ok_and(|at| at != 0 && at.abs() <= 53);
    DAYS.contains(&day) && (position.is_empty() || is_near(position))
}

/// `20261231`, or with a time `20261231T220000Z`.
fn is_end(text: &str) -> bool {
    let (day, time) = text.split_once('T').map_or((text, None), |(day, time)| (day, Some(time)));
    let digits =
        |text: &str, count: usize| text.len() == count && text.bytes().all(|each| each.is_ascii_digit());
    digits(day, 8)
        && jiff::civil::Date::strptime("%Y%m%d", day).is_ok()
        && time.is_none_or(|time| digits(time.trim_end_matches('Z'), 6))
}

fn written(rule: &Object<'_>, moment: &Moment) -> Result<String, Fault> {
    let frequency = rule
        .word("frequency", &FREQUENCIES)?
        .ok_or_else(|| rule.wrong("frequency", "one of minutely, hourly, daily, weekly, monthly, yearly"))?;
    let mut parts = vec![format!("FREQ={frequency}")];
    let interval = rule.whole("interval", 1, 1000)?.unwrap_or(1);
    if interval > 1 {
        parts.push(format!("INTERVAL={interval}"));
    }
    let days = days_of_week(rule, frequency)?;
    parts.extend(days.map(|days| format!("BYDAY={}", days.join(","))));
    parts.extend(numbers(rule, "daysOfMonth", 31)?.map(|days| format!("BYMONTHDAY={days}")));
    let count = rule.whole("count", 1, 10_000)?;
    let end = rule.get("endDate").filter(|end| !end.is_null());
    if count.is_some() && end.is_some() {
        return Err(Fault::invalid(format!(
            "`{}` and `{}` exclude each other",
            rule.at("count"),
            rule.at("endDate")
        ))
        .suggest("give one of them"));
    }
    parts.extend(count.map(|count| format!("COUNT={count}")));
    if let Some(end) = end {
        let last = dates::read(&rule.at("endDate"), end, End::Right, moment)?;
        parts.push(format!("UNTIL={}", moment.day_of(last).strftime("%Y%m%d")));
    }
    if let Some(start) = rule.get("weekStart").filter(|start| !start.is_null()) {
        parts.push(format!(
            "WKST={}",
            day(start).ok_or_else(|| rule.wrong("weekStart", "a day such as MO, or 1 to 7"))?
        ));
    }
    parts.extend(numbers(rule, "setPositions", 366)?.map(|positions| format!("BYSETPOS={positions}")));
    Ok(parts.join(";"))
}

/// Reads days of the week: 1 for Monday to 7 for Sunday, `MO`, or an object with a position in the month.
fn days_of_week(rule: &Object<'_>, frequency: &str) -> Result<Option<Vec<String>>, Fault> {
    const FORM: &str = "a list of 1 (Monday) to 7 (Sunday), MO to SU, or {\"day\":\"MO\",\"position\":-1}";
    let Some(list) = rule.list("daysOfWeek")? else { return Ok(None) };
    let path = rule.at("daysOfWeek");
    if list.is_empty() || !["WEEKLY", "MONTHLY", "YEARLY"].contains(&frequency) {
        let accepted =
            if list.is_empty() { FORM } else { "a frequency of weekly, monthly or yearly beside it" };
        return Err(Fault::expected(&path, &json!(list), accepted));
    }
    let mut days = Vec::new();
    for value in list {
        let position = value.get("position").filter(|position| !position.is_null());
        let name =
            day(value.get("day").unwrap_or(value)).ok_or_else(|| Fault::expected(&path, value, FORM))?;
        let position = match position {
            None => String::new(),
            Some(position) => {
                let near =
                    position.as_i64().filter(|at| *at != 0 && (-5..=5).contains(at) && frequency != "WEEKLY");
                near.ok_or_else(|| {
                    Fault::expected(&path, value, "a position from -5 to 5, monthly or yearly")
                })?
                .to_string()
            }
        };
        days.push(format!("{position}{name}"));
    }
    Ok(Some(days))
}

fn day(value: &Json) -> Option<&'static str> {
    let number = value.as_i64().or_else(|| value.as_str()?.parse().ok());
    if let Some(number) = number {
        return DAYS.get(usize::try_from(number - 1).ok()?).copied();
    }
    let text = value.as_str()?.trim().to_ascii_uppercase();
    let full = ["MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY"];
    let at = DAYS
        .iter()
        .position(|day| *day == text)
        .or_else(|| full.iter().position(|day| text.len() >= 3 && day.starts_with(&text)))?;
    Some(DAYS[at])
}

fn numbers(rule: &Object<'_>, key: &str, most: i64) -> Result<Option<String>, Fault> {
    let Some(list) = rule.list(key)? else { return Ok(None) };
    let one = |value: &Json| value.as_i64().filter(|number| *number != 0 && number.abs() <= most);
    let numbers: Option<Vec<String>> =
        list.iter().map(|value| one(value).map(|number| number.to_string())).collect();
    match numbers.filter(|numbers| !numbers.is_empty()) {
        Some(numbers) => Ok(Some(numbers.join(","))),
        None => Err(rule.wrong(key, &format!("a list of numbers from -{most} to {most} without 0"))),
    }
}
