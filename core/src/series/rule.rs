//! The occurrences of a series, by the rules of RFC 5545.

use ical::recur::expand::IcalRecurExpand;
use ical::recur::{IcalRecurDateTime, IcalRecurRule};

use super::{DAY, Zone};

/// The number of occurrences that are looked at in one series. An hourly series reaches it after eleven years.
const MOST: usize = 100_000;

/// A rule that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a recurrence rule: `{0}`. Expected the form of RFC 5545, such as FREQ=WEEKLY;BYDAY=MO")]
pub struct Unreadable(String);

/// Why a rule is not passed to an app.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WrongRule {
    /// It cannot be read.
    #[error(transparent)]
    Unreadable(#[from] Unreadable),
    /// It can be read, but it repeats more often than an event of a calendar can.
    #[error("an event cannot repeat so often: `{0}`. Expected FREQ=DAILY, WEEKLY, MONTHLY or YEARLY")]
    Frequency(String),
}

/// How often an event of a calendar may repeat.
///
/// # Source
/// EventKit's `EKRecurrenceFrequency` has these four.
const FREQUENCIES: [&str; 4] = ["FREQ=DAILY", "FREQ=WEEKLY", "FREQ=MONTHLY", "FREQ=YEARLY"];

/// Occurrences in a span.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Occurrences {
    /// When they start, in milliseconds since 1970, in order.
    pub starts: Vec<i64>,
    /// Whether the series has more occurrences before the end of the span than were looked at.
    pub is_cut: bool,
}

/// Returns the occurrences of a series from one instant to another, both included.
///
/// `start` is the first occurrence. It always belongs to the series, even if the rule does not give its day, because
/// the app stores the event with that date.
///
/// # Errors
/// The rule cannot be read.
pub fn occurrences(
    rule: &str,
    start: i64,
    excluded: &[i64],
    zone: &Zone,
    (from, to): (i64, i64),
) -> Result<Occurrences, Unreadable> {
    let unreadable = || Unreadable(rule.to_owned());
    let text = rule.trim();
    let text = text.strip_prefix("RRULE:").unwrap_or(text);
    // The end may be given in UTC, as local time, or as a day, so it is compared here as an instant.
    let (parts, until): (Vec<&str>, Vec<&str>) =
        text.split(';').filter(|part| !part.is_empty()).partition(|part| !is_until(part));
    let until = match until.as_slice() {
        [] => None,
        [until, ..] => Some(end(&until[UNTIL.len()..], zone).ok_or_else(unreadable)?),
    };
    let rule = IcalRecurRule::parse(&parts.join(";")).map_err(|_| unreadable())?;
    if rule.interval == 0 {
        return Err(unreadable());
    }
    let first = IcalRecurDateTime::from_seconds(zone.civil(start).div_euclid(1000));
    let to = until.map_or(to, |until| until.min(to));
    let mut found = Occurrences::default();
    let mut is_first = true;
    let mut push = |instant: i64| {
        if instant >= from && instant <= to && !excluded.contains(&instant) {
            found.starts.push(instant);
        }
    };
    for (at, civil) in IcalRecurExpand::new(rule, first).enumerate() {
        let instant = zone.instant(civil.seconds() * 1000);
        if std::mem::take(&mut is_first) && instant != start {
            push(start);
        }
        if instant > to {
            break;
        }
        if at == MOST {
            found.is_cut = true;
            return Ok(found);
        }
        push(instant);
    }
    if is_first {
        push(start);
    }
    Ok(found)
}

/// Checks that an event can have a rule. An empty rule is valid: the event does not repeat.
///
/// # Errors
/// It cannot be read, or repeats more often than daily.
pub fn check_rule(rule: &str) -> Result<(), WrongRule> {
    if rule.trim().is_empty() {
        return Ok(());
    }
    occurrences(rule, 0, &[], &Zone::default(), (0, 0))?;
    let rule = rule.trim().to_uppercase();
    let text = rule.strip_prefix("RRULE:").unwrap_or(&rule);
    let is_known = text.split(';').any(|part| FREQUENCIES.contains(&part.trim()));
    if is_known { Ok(()) } else { Err(WrongRule::Frequency(rule)) }
}

const UNTIL: &str = "UNTIL=";

fn is_until(part: &str) -> bool {
    part.get(..UNTIL.len()).is_some_and(|name| name.eq_ignore_ascii_case(UNTIL))
}

/// Reads the end of a series as the last instant that belongs to it.
fn end(text: &str, zone: &Zone) -> Option<i64> {
    let digits = text.strip_suffix(['Z', 'z']).unwrap_or(text);
    let is_utc = digits.len() < text.len();
    let civil = IcalRecurDateTime::parse(digits).ok()?.seconds() * 1000;
    Some(match (digits.contains('T'), is_utc) {
        (true, true) => civil,
        (true, false) => zone.instant(civil),
        (false, _) => zone.instant(civil + DAY) - 1,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::series::zone::tests::{at, berlin};

    /// Occurrences from the beginning to the end of 2026.
    fn check(rule: &str, start: &str, excluded: &[&str], expected: &[&str]) {
        let excluded: Vec<i64> = excluded.iter().map(|date| at(date)).collect();
        let span = (at("2026-01-01"), at("2026-12-31T23:59"));
        let found = occurrences(rule, at(start), &excluded, &berlin(), span).expect(rule);
        let expected: Vec<i64> = expected.iter().map(|date| at(date)).collect();
        assert_eq!(found.starts, expected, "{rule}");
        assert!(!found.is_cut, "{rule}");
    }

    #[test]
    fn a_series_keeps_its_hour_when_the_clocks_change() {
        let rule = "FREQ=WEEKLY;INTERVAL=1;BYDAY=MO;COUNT=3";
        check(rule, "2026-03-23T09:00", &[], &["2026-03-23T09:00", "2026-03-30T09:00", "2026-04-06T09:00"]);
    }

    #[test]
    fn it_ends_where_it_says() {
        let start = "2026-03-23T09:00";
        let two = ["2026-03-23T09:00", "2026-03-30T09:00"];
        // 09:00 in Berlin is 07:00 UTC on that day.
        check("RRULE:FREQ=WEEKLY;UNTIL=20260330T070000Z", start, &[], &two);
        check("FREQ=WEEKLY;UNTIL=20260330T065959Z", start, &[], &two[..1]);
        check("FREQ=WEEKLY;UNTIL=20260330T090000", start, &[], &two);
        check("FREQ=WEEKLY;UNTIL=20260330", start, &[], &two);
        check("FREQ=WEEKLY;UNTIL=20260329", start, &[], &two[..1]);
    }

    #[test]
    fn excluded_dates_are_left_out_and_still_count() {
        let left = ["2026-03-23T09:00", "2026-04-06T09:00"];
        check("FREQ=WEEKLY;COUNT=3", "2026-03-23T09:00", &["2026-03-30T09:00"], &left);
    }

    #[test]
    fn the_first_date_belongs_to_it() {
        check(
            "FREQ=WEEKLY;BYDAY=MO;COUNT=1",
            "2026-12-23T10:00",
            &[],
            &["2026-12-23T10:00", "2026-12-28T10:00"],
        );
        check("FREQ=YEARLY;UNTIL=20250101", "2026-02-01T10:00", &[], &[]);
    }

    #[test]
    fn rules_that_are_not_ones_are_refused() {
        for rule in ["", "daily", "FREQ=SOMETIMES", "FREQ=DAILY;INTERVAL=0", "FREQ=DAILY;UNTIL=soon"] {
            let error = occurrences(rule, 0, &[], &Zone::default(), (0, 1)).expect_err(rule);
            assert!(error.to_string().contains("RFC 5545"), "{error}");
            assert_eq!(check_rule(rule).is_err(), !rule.is_empty(), "{rule}");
        }
        assert_eq!(check_rule("FREQ=WEEKLY;BYDAY=MO;UNTIL=20261231"), Ok(()));
        assert_eq!(check_rule("RRULE:freq=monthly;INTERVAL=2"), Ok(()));
        for rule in ["FREQ=SECONDLY", "FREQ=MINUTELY;INTERVAL=1440", "FREQ=HOURLY;COUNT=2"] {
            assert_eq!(check_rule(rule), Err(WrongRule::Frequency(rule.to_owned())));
        }
    }

    #[test]
    fn a_series_without_end_is_not_followed_for_ever() {
        let found =
            occurrences("FREQ=SECONDLY", 0, &[], &Zone::default(), (0, i64::MAX)).expect("it is a rule");
        assert!(found.is_cut);
        assert_eq!(found.starts.len(), MOST);
    }
}
