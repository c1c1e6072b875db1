//! The dates that a series can leave out, which are its own dates.

use super::{DAY, Zone, occurrences};

/// A series, as its app stores it. Times are milliseconds since 1970.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repeating {
    /// Its rule; empty if it does not repeat.
    pub rule: String,
    /// Its first date.
    pub start: i64,
}

/// Why a series cannot leave a date out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoDate {
    /// It has one date only.
    #[error("the event does not repeat, so there is no date to leave out")]
    Once,
    /// The series has no date there.
    #[error("the series has no date on {said}{}", nearest(.near))]
    Other {
        /// The date that was given.
        said: String,
        /// The nearest that it has.
        near: Vec<String>,
    },
    /// It has several on that day.
    #[error("the series has several dates on that day: {}", .0.join(", "))]
    Several(Vec<String>),
}

/// How far from the given date an error looks for dates of the series: a leap year and a day, so that it finds a yearly
/// date.
const NEAR: i64 = 367 * DAY;

impl Repeating {
    /// Returns the date of the series that a given date means: the same date, or for midnight the date on that day.
    /// `None` if the rule cannot be read, because then the dates are unknown.
    ///
    /// # Errors
    /// The series has no date there, or several.
    pub fn date(&self, given: i64, zone: &Zone) -> Result<Option<i64>, NoDate> {
        if self.rule.trim().is_empty() {
            return Err(NoDate::Once);
        }
        let between =
            |from, to| occurrences(&self.rule, self.start, &[], zone, (from, to)).map(|found| found.starts);
        let Ok(exact) = between(given, given) else { return Ok(None) };
        if !exact.is_empty() {
            return Ok(Some(given));
        }
        let civil = zone.civil(given);
        let is_midnight = civil.rem_euclid(DAY) == 0;
        let on_day = between(given, zone.instant(civil + DAY) - 1).unwrap_or_default();
        match on_day.as_slice() {
            [only] if is_midnight => Ok(Some(*only)),
            [_, _, ..] if is_midnight => {
                Err(NoDate::Several(on_day.iter().map(|date| zone.stamp(*date)).collect()))
            }
            _ => {
                let before = between(given - NEAR, given).unwrap_or_default().pop();
                let after = between(given, given + NEAR).unwrap_or_default().into_iter().next();
                let near = before.into_iter().chain(after).map(|date| zone.stamp(date)).collect();
                Err(NoDate::Other { said: zone.stamp(given), near })
            }
        }
    }
}

fn nearest(near: &[String]) -> String {
    if near.is_empty() { String::new() } else { format!("; the nearest are {}", near.join(" and ")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::series::zone::tests::{at, berlin};

    fn check(rule: &str, start: &str, given: &str, expected: &str) {
        let series = Repeating { rule: rule.to_owned(), start: at(start) };
        let said = match series.date(at(given), &berlin()) {
            Ok(date) => date.map_or("unknown".to_owned(), |date| berlin().stamp(date)),
            Err(error) => error.to_string(),
        };
        assert_eq!(said, expected, "{rule} {given}");
    }

    #[test]
    fn a_date_of_the_series_is_taken_and_a_day_means_its_date() {
        const TUESDAYS: &str = "FREQ=WEEKLY;BYDAY=TU";
        let start = "2026-09-01T09:15";
        check(TUESDAYS, start, "2026-11-24T09:15", "2026-11-24T09:15:00+01:00");
        check(TUESDAYS, start, "2026-11-24", "2026-11-24T09:15:00+01:00");
        check(TUESDAYS, start, "2026-10-20", "2026-10-20T09:15:00+02:00");
        check("FREQ=DAILY", "2026-01-10", "2026-11-24", "2026-11-24T00:00:00+01:00");
    }

    #[test]
    fn other_dates_are_refused_with_the_nearest() {
        const TUESDAYS: &str = "FREQ=WEEKLY;BYDAY=TU;UNTIL=20261124";
        let start = "2026-09-01T09:15";
        let nearest = "; the nearest are 2026-11-17T09:15:00+01:00 and 2026-11-24T09:15:00+01:00";
        check(
            TUESDAYS,
            start,
            "2026-11-23T15:15",
            &format!("the series has no date on 2026-11-23T15:15:00+01:00{nearest}"),
        );
        check(
            TUESDAYS,
            start,
            "2026-11-23",
            &format!("the series has no date on 2026-11-23T00:00:00+01:00{nearest}"),
        );
        check(
            TUESDAYS,
            start,
            "2026-12-01T09:15",
            "the series has no date on 2026-12-01T09:15:00+01:00; the nearest are 2026-11-24T09:15:00+01:00",
        );
        check("", start, "2026-09-01T09:15", "the event does not repeat, so there is no date to leave out");
        check("now and then", start, "2026-09-01T09:15", "unknown");
        let twice =
            "the series has several dates on that day: 2026-09-03T09:00:00+02:00, 2026-09-03T15:00:00+02:00";
        check("FREQ=DAILY;BYHOUR=9,15;BYMINUTE=0", "2026-09-01T09:00", "2026-09-03", twice);
    }
}
