//! The Mac's time zone as the script reports it: when its offset changes. The core has no time zone data of its own,
//! which could be older than the Mac's.

use serde::Deserialize;

/// The length of a day, in milliseconds of civil time, in which all days have the same length.
pub(crate) const DAY: i64 = 86_400_000;

/// The offsets from UTC over a span of time. Times are milliseconds since 1970, civil times as if they were UTC.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Zone(Vec<(i64, i64)>);

impl Zone {
    /// Makes a zone from its changes: the time of each change, and the offset from UTC after it, in milliseconds. The
    /// first offset also holds before its time.
    pub fn new(changes: Vec<(i64, i64)>) -> Self {
        Self(changes)
    }

    /// Returns the offset at an instant.
    pub fn offset(&self, instant: i64) -> i64 {
        let later = self.0.partition_point(|(from, _)| *from <= instant);
        self.0.get(later.saturating_sub(1)).map_or(0, |(_, offset)| *offset)
    }

    /// Returns the civil time at an instant.
    pub fn civil(&self, instant: i64) -> i64 {
        instant + self.offset(instant)
    }

    /// Returns the instant of a civil time. A time that occurs twice is the first one. A time that the clock skips is
    /// counted with the offset from before the skip, as JavaScript does.
    pub fn instant(&self, civil: i64) -> i64 {
        let mut before = self.0.first().map_or(0, |(_, offset)| *offset);
        for (from, offset) in self.0.iter().skip(1) {
            if civil < from + before.max(*offset) {
                break;
            }
            before = *offset;
        }
        civil - before
    }

    /// Writes an instant as the scripts do: `2026-02-02T09:00:00+01:00`.
    pub fn stamp(&self, instant: i64) -> String {
        let (offset, civil) = (self.offset(instant), self.civil(instant));
        let last = if civil < 0 { jiff::Timestamp::MIN } else { jiff::Timestamp::MAX };
        let time = jiff::Timestamp::from_millisecond(civil).unwrap_or(last);
        let time = jiff::tz::TimeZone::UTC.to_datetime(time);
        let minutes = offset / 60_000;
        let (sign, minutes) = (if minutes < 0 { '-' } else { '+' }, minutes.abs());
        format!("{}{sign}{:02}:{:02}", time.strftime("%Y-%m-%dT%H:%M:%S"), minutes / 60, minutes % 60)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::Zone;

    const HOUR: i64 = 3_600_000;

    /// Berlin in 2026: summer time from 29 March to 25 October, 01:00 UTC both.
    pub(in crate::series) fn berlin() -> Zone {
        Zone::new(vec![(0, HOUR), (1_774_746_000_000, 2 * HOUR), (1_792_890_000_000, HOUR)])
    }

    /// The instant of a local time in Berlin.
    pub(in crate::series) fn at(text: &str) -> i64 {
        let civil: jiff::civil::DateTime = text.parse().expect("the test's own date");
        berlin().instant(jiff::tz::Offset::UTC.to_timestamp(civil).expect("in range").as_millisecond())
    }

    fn check(civil: &str, expected: &str) {
        assert_eq!(berlin().stamp(at(civil)), expected);
    }

    #[test]
    fn civil_times_become_instants() {
        check("2026-01-10T09:00:00", "2026-01-10T09:00:00+01:00");
        check("2026-03-29T01:59:59", "2026-03-29T01:59:59+01:00");
        check("2026-03-29T02:30:00", "2026-03-29T03:30:00+02:00");
        check("2026-03-29T03:00:00", "2026-03-29T03:00:00+02:00");
        check("2026-10-25T02:30:00", "2026-10-25T02:30:00+02:00");
        check("2026-10-25T03:00:00", "2026-10-25T03:00:00+01:00");
        check("2026-12-01T00:00:00", "2026-12-01T00:00:00+01:00");
    }

    #[test]
    fn without_changes_civil_time_is_utc() {
        let zone = Zone::default();
        assert_eq!((zone.instant(5), zone.civil(5)), (5, 5));
        assert_eq!(Zone::new(vec![(0, -5 * HOUR - 1_800_000)]).stamp(0), "1969-12-31T18:30:00-05:30");
    }
}
