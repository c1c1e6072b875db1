//! Days of a repeating event, from the rule that Calendar shows: `FREQ=WEEKLY;INTERVAL=1;BYDAY=TU,TH`.
//!
//! Supports rules by days, rules by weeks with weekdays, and rules by months and years with the same date.

use std::ops::Range;

use crate::clock::{DAY, Day, Minute, digits, minute_of_day};

/// A rule that this module supports.
#[derive(Debug)]
pub(crate) struct Rule {
    every: Every,
    interval: i64,
    /// Days of the week, 0 for Monday; empty if the rule names none.
    weekdays: Vec<i64>,
    week_start: i64,
    count: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Every {
    Day,
    Week,
    Month,
    Year,
}

impl Rule {
    /// Reads a rule; `None` if this module does not support a part of it.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut rule =
            Self { every: frequency(text)?, interval: 1, weekdays: Vec::new(), week_start: 0, count: None };
        for part in parts(text) {
            rule.take(part)?;
        }
        let by_day = matches!(rule.every, Every::Day | Every::Week);
        (by_day || rule.weekdays.is_empty()).then_some(rule)
    }

    /// Returns the days on which the event begins. `first` is the day on which it first began; this day always counts.
    pub(crate) fn days(&self, first: Day, within: Range<i64>) -> Vec<Day> {
        let falls = |day: &Day| *day == first || self.falls_on(first, *day);
        match self.count {
            None => (first.0.max(within.start)..within.end).map(Day).filter(falls).collect(),
            Some(count) => {
                let all = (first.0..within.end).map(Day).filter(falls).take(count);
                all.filter(|day| day.0 >= within.start).collect()
            }
        }
    }

    fn take(&mut self, (name, value): (&str, &str)) -> Option<()> {
        match name {
            "FREQ" | "UNTIL" => {}
            "INTERVAL" => self.interval = value.parse().ok().filter(|interval| *interval > 0)?,
            "COUNT" => self.count = Some(value.parse().ok()?),
            "BYDAY" => self.weekdays = value.split(',').map(weekday).collect::<Option<_>>()?,
            "WKST" => self.week_start = weekday(value)?,
            _ => return None,
        }
        Some(())
    }

    fn falls_on(&self, first: Day, day: Day) -> bool {
        let ((year, month, date), (first_year, first_month, first_date)) = (day.date(), first.date());
        let (passed, fits) = match self.every {
            Every::Day => (day.0 - first.0, self.is_named(day, true)),
            Every::Week => {
                (self.week(day) - self.week(first), self.is_named(day, day.weekday() == first.weekday()))
            }
            Every::Month => ((year - first_year) * 12 + month - first_month, date == first_date),
            Every::Year => (year - first_year, (month, date) == (first_month, first_date)),
        };
        fits && passed % self.interval == 0
    }

    fn is_named(&self, day: Day, otherwise: bool) -> bool {
        if self.weekdays.is_empty() { otherwise } else { self.weekdays.contains(&day.weekday()) }
    }

    fn week(&self, day: Day) -> i64 {
        // Day 4 was the first Monday of 1970.
        (day.0 - 4 - self.week_start).div_euclid(7)
    }
}

/// Returns the last minute at which a repetition may begin, by the wall clock; `ahead` is how many minutes the wall
/// clock is ahead of UTC now. If daylight saving time is different at that minute, the result is an hour off.
pub(crate) fn until(text: &str, ahead: i64) -> Option<Minute> {
    let (_, value) = parts(text).find(|(name, value)| *name == "UNTIL" && value.is_ascii())?;
    let date = value.get(..8)?;
    let day = Day::of(digits(&date[..4], 4)?, digits(&date[4..6], 2)?, digits(&date[6..], 2)?)?;
    let Some(time) = value.get(9..13) else { return Some(Minute(day.start().0 + DAY - 1)) };
    let minute = day.start().0 + minute_of_day(&format!("{}:{}", &time[..2], &time[2..]))?;
    Some(Minute(if value.ends_with('Z') { minute + ahead } else { minute }))
}

fn parts(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let rule = text.trim().trim_start_matches("RRULE:");
    rule.split(';').filter(|part| !part.is_empty()).map(|part| part.split_once('=').unwrap_or((part, "")))
}

fn frequency(text: &str) -> Option<Every> {
    match parts(text).find(|(name, _)| *name == "FREQ")?.1 {
        "DAILY" => Some(Every::Day),
        "WEEKLY" => Some(Every::Week),
        "MONTHLY" => Some(Every::Month),
        "YEARLY" => Some(Every::Year),
        _ => None,
    }
}

/// Reads `MO` to `SU`; `1MO`, the first of a month, is something else.
fn weekday(text: &str) -> Option<i64> {
    let place = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"].iter().position(|name| *name == text)?;
    i64::try_from(place).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(rule: &str, first: &str, expected: &[&str]) {
        let (first, january) = (Day::parse(first).unwrap(), Day::parse("2026-01-01").unwrap().0);
        let days = Rule::parse(rule).unwrap().days(first, january..january + 20);
        let days: Vec<String> = days.iter().map(|day| day.to_string()[8..].to_owned()).collect();
        assert_eq!(days, expected, "{rule} from {first}");
    }

    #[test]
    fn rules_are_worked_out() {
        // 2026-01-01 is a Thursday.
        check("FREQ=DAILY;INTERVAL=5", "2025-12-30", &["04", "09", "14", "19"]);
        check("FREQ=DAILY;BYDAY=SA", "2025-12-30", &["03", "10", "17"]);
        check("FREQ=WEEKLY;INTERVAL=1;BYDAY=TU,TH", "2025-12-16", &["01", "06", "08", "13", "15", "20"]);
        check("RRULE:FREQ=WEEKLY", "2025-12-16", &["06", "13", "20"]);
        check("FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,SU", "2025-12-29", &["04", "12", "18"]);
        check("FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,SU;WKST=SU", "2025-12-29", &["11", "12"]);
        check("FREQ=WEEKLY;COUNT=3", "2025-12-30", &["06", "13"]);
        check("FREQ=WEEKLY;BYDAY=FR;COUNT=2", "2026-01-07", &["07", "09"]);
        check("FREQ=MONTHLY;INTERVAL=2", "2025-11-15", &["15"]);
        check("FREQ=MONTHLY;INTERVAL=2", "2025-12-15", &[]);
        check("FREQ=YEARLY;INTERVAL=1;UNTIL=20300101", "1990-01-08", &["08"]);
        check("FREQ=YEARLY;INTERVAL=5", "1990-01-08", &[]);
        check("FREQ=DAILY", "2026-02-01", &[]);
    }

    #[test]
    fn other_rules_are_not_guessed_at() {
        for rule in [
            "",
            "FREQ=HOURLY",
            "FREQ=MONTHLY;BYDAY=1MO",
            "FREQ=MONTHLY;BYDAY=MO",
            "FREQ=MONTHLY;BYMONTHDAY=-1",
            "FREQ=WEEKLY;BYDAY=2TU",
            "FREQ=WEEKLY;INTERVAL=0",
            "FREQ=WEEKLY;INTERVAL=-1",
            "FREQ=WEEKLY;COUNT=x",
            "FREQ=WEEKLY;BYSETPOS=1",
            "FREQ=YEARLY;BYMONTH=2",
            "WEEKLY",
        ] {
            assert!(Rule::parse(rule).is_none(), "{rule}");
        }
    }

    #[test]
    fn an_end_is_by_the_wall_clock() {
        let shown = |rule| until(rule, 60).map(|minute| minute.to_string());
        assert_eq!(shown("FREQ=DAILY;UNTIL=20260131T225959Z").as_deref(), Some("2026-01-31T23:59"));
        assert_eq!(shown("FREQ=DAILY;UNTIL=20260131T225959").as_deref(), Some("2026-01-31T22:59"));
        assert_eq!(shown("FREQ=MONTHLY;BYDAY=1MO;UNTIL=20260131").as_deref(), Some("2026-01-31T23:59"));
        for none in ["FREQ=DAILY", "UNTIL=2026", "UNTIL=20260231", "UNTIL=20260131T0é0", "UNTIL=2026é0131"]
        {
            assert_eq!(shown(none), None, "{none}");
        }
    }
}
