//! A recurrence rule in words: `every 2 weeks on Monday and Thursday, 10 times`.

use jiff::civil::Date;

const DAYS: [(&str, &str); 7] = [
    ("MO", "Monday"),
    ("TU", "Tuesday"),
    ("WE", "Wednesday"),
    ("TH", "Thursday"),
    ("FR", "Friday"),
    ("SA", "Saturday"),
    ("SU", "Sunday"),
];

const MONTHS: [&str; 12] = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November", "December",
];

/// The parts of a rule. A rule with any other part has no words.
#[derive(Default)]
struct Parts<'r> {
    frequency: Option<&'r str>,
    interval: Option<u32>,
    days: Option<&'r str>,
    dates: Option<&'r str>,
    month: Option<&'r str>,
    end: Option<String>,
    week: Option<&'r str>,
}

/// Puts a rule in words, if the words say all of it.
pub(crate) fn in_words(rule: &str) -> Option<String> {
    let rule = rule.trim();
    let rule = rule.strip_prefix("RRULE:").unwrap_or(rule).trim_end_matches(';');
    let mut parts = Parts::default();
    for part in rule.split(';') {
        parts.take(part.split_once('=')?)?;
    }
    let interval = parts.interval.unwrap_or(1);
    let unit = match parts.frequency? {
        "DAILY" => "day",
        "WEEKLY" => "week",
        "MONTHLY" => "month",
        "YEARLY" => "year",
        _ => return None,
    };
    // The first day of a week matters only if weeks between are left out.
    if parts.week.is_some() && interval > 1 && unit == "week" {
        return None;
    }
    let every = if interval == 1 { format!("every {unit}") } else { format!("every {interval} {unit}s") };
    let on = match (unit, parts.days, parts.dates, parts.month) {
        (_, None, None, None) => String::new(),
        ("week", Some(days), None, None) => format!(" on {}", list(days, day)?),
        ("month", Some(days), None, None) => format!(" on {}", list(days, day_of_month)?),
        ("month", None, Some(dates), None) => format!(" on {}", list(dates, date)?),
        ("year", None, None, Some(months)) => format!(" in {}", list(months, month)?),
        ("year", None, Some(dates), Some(months)) => {
            format!(" on {} of {}", list(dates, date)?, list(months, month)?)
        }
        ("year", Some(days), None, Some(months)) => {
            format!(" on {} of {}", list(days, day_of_month)?, list(months, month)?)
        }
        _ => return None,
    };
    Some(format!("{every}{on}{}", parts.end.unwrap_or_default()))
}

impl<'r> Parts<'r> {
    /// Takes a part. No part may come twice.
    fn take(&mut self, (name, value): (&str, &'r str)) -> Option<()> {
        let text = |slot: &mut Option<&'r str>| slot.replace(value).is_none().then_some(());
        match name {
            "FREQ" => text(&mut self.frequency),
            "BYDAY" => text(&mut self.days),
            "BYMONTHDAY" => text(&mut self.dates),
            "BYMONTH" => text(&mut self.month),
            "WKST" => text(&mut self.week),
            "INTERVAL" => {
                let interval = number(value).filter(|number| *number > 0)?;
                self.interval.replace(interval).is_none().then_some(())
            }
            "COUNT" => {
                let end = match number(value).filter(|number| *number > 0)? {
                    1 => ", once".to_owned(),
                    count => format!(", {count} times"),
                };
                self.end.replace(end).is_none().then_some(())
            }
            "UNTIL" => self.end.replace(format!(", until {}", until(value)?)).is_none().then_some(()),
            _ => None,
        }
    }
}

/// Reads digits only, because a sign or a blank may mean something else to an app.
fn number(text: &str) -> Option<u32> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

/// `20261231`, `20261231T225959Z` or a local time without the Z.
fn until(text: &str) -> Option<String> {
    let (day, time) = text.split_once('T').map_or((text, None), |(day, time)| (day, Some(time)));
    let part = |text: &str, from: usize, to: usize| text.get(from..to).and_then(number);
    if day.len() != 8 {
        return None;
    }
    let year = i16::try_from(part(day, 0, 4)?).ok()?;
    let (month, date) = (i8::try_from(part(day, 4, 6)?).ok()?, i8::try_from(part(day, 6, 8)?).ok()?);
    let day = Date::new(year, month, date).ok()?;
    let weekday = DAYS.get(usize::try_from(day.weekday().to_monday_zero_offset()).ok()?)?.1;
    let day = format!("{} {day}", &weekday[..3]);
    let Some(time) = time else { return Some(day) };
    let (clock, zone) = time.strip_suffix('Z').map_or((time, ""), |clock| (clock, " UTC"));
    let (hour, minute, second) = (part(clock, 0, 2)?, part(clock, 2, 4)?, part(clock, 4, 6)?);
    let is_time = clock.len() == 6 && hour < 24 && minute < 60 && second < 60;
    is_time.then(|| format!("{day} {hour:02}:{minute:02}:{second:02}{zone}"))
}

/// Some items in words: `Monday, Tuesday and Friday`.
fn list(items: &str, word: impl Fn(&str) -> Option<String>) -> Option<String> {
    let words: Vec<String> = items.split(',').map(word).collect::<Option<_>>()?;
    let (last, others) = words.split_last()?;
    Some(if others.is_empty() { last.clone() } else { format!("{} and {last}", others.join(", ")) })
}

fn day(code: &str) -> Option<String> {
    DAYS.iter().find(|(known, _)| *known == code).map(|(_, name)| (*name).to_owned())
}

/// `every Monday`, `the first Monday`, `the last Friday`.
fn day_of_month(code: &str) -> Option<String> {
    let (which, code) = code.split_at_checked(code.len().checked_sub(2)?)?;
    let name = day(code)?;
    let which = match which {
        "" => return Some(format!("every {name}")),
        "1" | "+1" => "first",
        "2" | "+2" => "second",
        "3" | "+3" => "third",
        "4" | "+4" => "fourth",
        "5" | "+5" => "fifth",
        "-1" => "last",
        "-2" => "second to last",
        _ => return None,
    };
    Some(format!("the {which} {name}"))
}

/// `day 15`, `the last day`.
fn date(text: &str) -> Option<String> {
    match text {
        "-1" => Some("the last day".to_owned()),
        text => number(text).filter(|date| (1..=31).contains(date)).map(|date| format!("day {date}")),
    }
}

fn month(text: &str) -> Option<String> {
    let at = usize::try_from(number(text)?).ok()?.checked_sub(1)?;
    MONTHS.get(at).map(|name| (*name).to_owned())
}

#[cfg(test)]
mod tests {
    use super::in_words;

    #[test]
    fn words_say_all_of_a_rule_or_nothing() {
        for (rule, words) in [
            ("FREQ=WEEKLY;INTERVAL=1", Some("every week")),
            ("RRULE:FREQ=DAILY;INTERVAL=3;", Some("every 3 days")),
            ("FREQ=WEEKLY;INTERVAL=1;BYDAY=TU,TH", Some("every week on Tuesday and Thursday")),
            (
                "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE,FR;COUNT=10",
                Some("every 2 weeks on Monday, Wednesday and Friday, 10 times"),
            ),
            ("FREQ=WEEKLY;WKST=MO", Some("every week")),
            ("FREQ=WEEKLY;INTERVAL=2;WKST=SU", None),
            ("FREQ=MONTHLY;BYMONTHDAY=1,-1", Some("every month on day 1 and the last day")),
            ("FREQ=MONTHLY;BYDAY=2TU", Some("every month on the second Tuesday")),
            ("FREQ=MONTHLY;BYDAY=MO,-1FR", Some("every month on every Monday and the last Friday")),
            ("FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13", None),
            ("FREQ=MONTHLY;BYDAY=MO,TU;BYSETPOS=-1", None),
            ("FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU", Some("every year on the last Sunday of March")),
            ("FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=24", Some("every year on day 24 of December")),
            ("FREQ=YEARLY;BYMONTH=1,7", Some("every year in January and July")),
            ("FREQ=YEARLY;BYDAY=20MO", None),
            ("FREQ=DAILY;UNTIL=20261231", Some("every day, until Thu 2026-12-31")),
            ("FREQ=DAILY;UNTIL=20261231T225959Z", Some("every day, until Thu 2026-12-31 22:59:59 UTC")),
            ("FREQ=DAILY;UNTIL=20261231T080000", Some("every day, until Thu 2026-12-31 08:00:00")),
            ("FREQ=DAILY;UNTIL=20260231", None),
            ("FREQ=DAILY;UNTIL=2026123é", None),
            ("FREQ=DAILY;COUNT=1", Some("every day, once")),
            ("FREQ=DAILY;COUNT=2;UNTIL=20261231", None),
            ("FREQ=DAILY;COUNT=0", None),
            ("FREQ=DAILY;INTERVAL=0", None),
            ("FREQ=DAILY;INTERVAL=+2", None),
            ("FREQ=DAILY;FREQ=WEEKLY", None),
            ("FREQ=HOURLY", None),
            ("FREQ=DAILY;BYHOUR=9", None),
            ("FREQ=WEEKLY;BYDAY=1MO", None),
            ("FREQ=WEEKLY;BYDAY=é", None),
            ("FREQ=MONTHLY;BYDAY=é", None),
            ("FREQ=WEEKLY;BYDAY=", None),
            ("INTERVAL=1", None),
            ("every day", None),
            ("", None),
        ] {
            assert_eq!(in_words(rule).as_deref(), words, "{rule}");
        }
    }
}
