//! Time by the wall clock of the Mac: nine o'clock is nine o'clock, whatever the offset from UTC is on that day.

use std::fmt;

/// Minutes of a day.
pub(crate) const DAY: i64 = 24 * 60;

/// A day, counted from 1970-01-01.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Day(pub(crate) i64);

/// A minute by the wall clock, counted from the first minute of 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Minute(pub(crate) i64);

impl Day {
    /// Reads `2026-01-27`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let parts: Vec<&str> = text.split('-').collect();
        let [year, month, day] = parts[..] else { return None };
        Self::of(digits(year, 4)?, digits(month, 2)?, digits(day, 2)?)
    }

    /// Returns the day of a date; `None` if the month has no such day.
    pub(crate) fn of(year: i64, month: i64, day: i64) -> Option<Self> {
        // The year begins in March here, so that the leap day is its last day.
        let (from_march, in_year) = if month > 2 { (month - 3, year) } else { (month + 9, year - 1) };
        let days = in_year * 365 + leap_days(in_year) + (from_march * 153 + 2) / 5 + day - 1;
        let found = Self(days - 719_468);
        (found.date() == (year, month, day)).then_some(found)
    }

    /// Returns year, month and day.
    pub(crate) fn date(self) -> (i64, i64, i64) {
        let days = self.0 + 719_468;
        let era = days.div_euclid(146_097);
        let of_era = days.rem_euclid(146_097);
        let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (year * 365 + leap_days(year));
        let from_march = (of_year * 5 + 2) / 153;
        let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
        let later = i64::from(month <= 2);
        (era * 400 + year + later, month, of_year - (from_march * 153 + 2) / 5 + 1)
    }

    /// Returns the index in the week: 0 for Monday.
    pub(crate) fn weekday(self) -> i64 {
        (self.0 + 3).rem_euclid(7)
    }

    pub(crate) fn start(self) -> Minute {
        Minute(self.0 * DAY)
    }
}

impl Minute {
    /// Reads `2026-01-27T10:30:00+01:00` as the wall clock shows it, and whether seconds were left out.
    pub(crate) fn parse(text: &str) -> Option<(Self, bool)> {
        let day = Day::parse(text.get(..10)?)?;
        let time = minute_of_day(text.get(11..16)?)?;
        let seconds = text.get(16..19).is_some_and(|seconds| seconds.starts_with(':') && seconds != ":00");
        (text.get(10..11)? == "T" && time < DAY).then_some((Self(day.0 * DAY + time), seconds))
    }

    pub(crate) fn day(self) -> Day {
        Day(self.0.div_euclid(DAY))
    }
}

/// Reads `09:30` as minutes from midnight; `24:00` is the end of a day.
pub(crate) fn minute_of_day(text: &str) -> Option<i64> {
    let (hours, minutes) = text.split_once(':')?;
    let (hours, minutes) = (digits(hours, 2)?, digits(minutes, 2)?);
    (minutes < 60 && hours * 60 + minutes <= DAY).then_some(hours * 60 + minutes)
}

/// Reads exactly `count` digits.
pub(crate) fn digits(text: &str, count: usize) -> Option<i64> {
    let all = text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit());
    all.then(|| text.parse().ok()).flatten()
}

fn leap_days(year: i64) -> i64 {
    year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400)
}

impl fmt::Display for Day {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = self.date();
        write!(formatter, "{year:04}-{month:02}-{day:02}")
    }
}

impl fmt::Display for Minute {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of_day = self.0.rem_euclid(DAY);
        write!(formatter, "{}T{:02}:{:02}", self.day(), of_day / 60, of_day % 60)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<(i64, i64)>) {
        assert_eq!(Day::parse(text).map(|day| (day.0, day.weekday())), expected, "{text}");
    }

    #[test]
    fn days_are_read_strictly() {
        check("1970-01-01", Some((0, 3)));
        check("1969-12-31", Some((-1, 2)));
        check("2000-02-29", Some((11_016, 1)));
        check("2026-11-22", Some((20_779, 6)));
        for wrong in [
            "2026-02-29", "1900-02-29", "2026-13-01", "2026-00-10", "2026-1-1", "2026-01-01T", "",
            "+026-01-01",
        ] {
            check(wrong, None);
        }
    }

    #[test]
    fn every_day_of_eight_centuries_is_read_back() {
        for day in (-146_097..146_097).map(Day) {
            assert_eq!(Day::parse(&day.to_string()), Some(day));
        }
    }

    #[test]
    fn minutes_are_those_of_the_wall_clock() {
        let read = |text| Minute::parse(text).map(|(minute, cut)| (minute.to_string(), cut));
        let half_past = Some(("2026-01-27T10:30".to_owned(), false));
        assert_eq!(read("2026-01-27T10:30:00+01:00"), half_past);
        assert_eq!(read("2026-01-27T10:30:00-11:00"), half_past);
        assert_eq!(read("2026-01-27T10:30:59Z"), Some(("2026-01-27T10:30".to_owned(), true)));
        for wrong in
            ["2026-01-27", "2026-01-27T24:00:00Z", "2026-01-27 10:30:00", "2026-01-27T10:60:00Z", "ééééééééé"]
        {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
