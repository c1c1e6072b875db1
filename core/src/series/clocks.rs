//! The times of the year in which no zone changes its clocks.

use super::Zone;

/// The first and the last day of each such time, as month and day.
///
/// # Source
/// The tz database 2026: since 2024 only Morocco, which has no summer time in Ramadan, changes its clocks in them.
const QUIET: [[(i8, i8); 2]; 2] = [[(5, 1), (8, 31)], [(11, 8), (2, 14)]];

/// Whether a time of the day in any zone is the same time of the day in another zone at both instants. A zone's offset
/// is the same in all winters.
pub(crate) fn agree(zone: &Zone, one: i64, other: i64) -> bool {
    let quiet = |instant: i64| {
        let civil = jiff::Timestamp::from_millisecond(zone.civil(instant)).ok()?;
        let date = jiff::tz::TimeZone::UTC.to_datetime(civil).date();
        let day = (date.month(), date.day());
        QUIET.iter().position(|[first, last]| match first <= last {
            true => (*first..=*last).contains(&day),
            false => day >= *first || day <= *last,
        })
    };
    one == other || quiet(one).is_some_and(|season| quiet(other) == Some(season))
}

#[cfg(test)]
mod tests {
    use super::super::zone::tests::{at, berlin};
    use super::agree;

    #[test]
    fn clocks_agree_within_a_summer_and_within_winters() {
        let check = |one: &str, other: &str| agree(&berlin(), at(one), at(other));
        assert!(check("2026-06-01T09:00:00", "2026-08-31T09:00:00"));
        assert!(check("2025-11-10T09:00:00", "2026-02-14T23:00:00"));
        assert!(check("2026-01-10T09:00:00", "2026-12-24T09:00:00"));
        assert!(check("2026-03-30T09:00:00", "2026-03-30T09:00:00"), "the first date is never worked out");
        assert!(!check("2026-06-01T09:00:00", "2026-11-30T09:00:00"));
        assert!(!check("2026-03-10T09:00:00", "2026-03-31T09:00:00"));
        assert!(!check("2026-02-15T09:00:00", "2026-01-10T09:00:00"));
    }
}
