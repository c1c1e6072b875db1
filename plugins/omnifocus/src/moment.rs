//! The instant of a call, and the time zone in which it is shown.

use iac_plugin::Json;
use iac_plugin::clock::Instant;
use jiff::civil::Date;
use jiff::tz::{Offset, TimeZone};
use jiff::{Timestamp, Zoned};

/// The instant at which a call began, in the operator's zone. It does not change, so compiling is a pure function.
#[derive(Clone, Debug)]
pub struct Moment {
    now: Zoned,
}

/// The milliseconds of a day without a clock change.
pub(crate) const DAY: i64 = 86_400_000;

impl Moment {
    /// Makes a moment from milliseconds since 1970, in a zone with a name such as `Europe/Vienna`. If the name is
    /// unknown, local time is always `offset_seconds` ahead of UTC.
    pub fn new(milliseconds: i64, zone: &str, offset_seconds: i32) -> Self {
        let zone = TimeZone::get(zone).ok().filter(|_| zone != "UTC" || offset_seconds == 0);
        let zone = zone.unwrap_or_else(|| fixed(offset_seconds));
        Self { now: timestamp(milliseconds).to_zoned(zone) }
    }

    pub(crate) fn of(instant: &Instant) -> Self {
        let milliseconds = i64::try_from(instant.milliseconds).unwrap_or(i64::MAX);
        Self::new(milliseconds, &instant.zone, instant.offset_seconds)
    }

    /// Returns now.
    pub(crate) fn now(&self) -> &Zoned {
        &self.now
    }

    /// Returns now in milliseconds since 1970.
    pub(crate) fn milliseconds(&self) -> i64 {
        self.now.timestamp().as_millisecond()
    }

    /// Returns the name of the zone, or its offset if it has no name.
    pub(crate) fn zone(&self) -> String {
        let zone = self.now.time_zone();
        zone.iana_name().map_or_else(|| self.now.offset().to_string(), str::to_owned)
    }

    /// Returns today.
    pub(crate) fn today(&self) -> Date {
        self.now.date()
    }

    /// Returns the first millisecond of a local day.
    pub(crate) fn start_of(&self, day: Date) -> i64 {
        let start = day.to_zoned(self.now.time_zone().clone());
        start.map_or(i64::MAX, |start| start.timestamp().as_millisecond())
    }

    /// Returns the last millisecond of a local day.
    pub(crate) fn end_of(&self, day: Date) -> i64 {
        day.tomorrow().map_or(i64::MAX, |next| self.start_of(next) - 1)
    }

    /// Returns the first millisecond of the day that is `days` after today.
    pub(crate) fn start_in(&self, days: i64) -> i64 {
        self.start_of(self.day_in(days))
    }

    /// Returns the day that is `days` after today.
    pub(crate) fn day_in(&self, days: i64) -> Date {
        self.today().saturating_add(jiff::Span::new().days(days))
    }

    /// Returns the local day of an instant.
    pub(crate) fn day_of(&self, milliseconds: i64) -> Date {
        timestamp(milliseconds).to_zoned(self.now.time_zone().clone()).date()
    }

    /// Shows an instant as RFC 3339 with the local offset; null stays null.
    pub(crate) fn show(&self, value: &Json) -> Json {
        #[expect(clippy::cast_possible_truncation, reason = "milliseconds of a date have no fraction")]
        let milliseconds = value.as_i64().or_else(|| value.as_f64().map(|value| value as i64));
        milliseconds.map_or(Json::Null, |milliseconds| Json::String(self.text(milliseconds)))
    }

    /// Shows an instant as RFC 3339 with the local offset, without fractions of a second.
    pub(crate) fn text(&self, milliseconds: i64) -> String {
        let local = timestamp(milliseconds).to_zoned(self.now.time_zone().clone());
        local.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string()
    }

    /// Shows an instant as a person reads it, in the form of the server's own questions: local time with the weekday
    /// and the offset, and with seconds only if there are any.
    pub(crate) fn wall(&self, milliseconds: i64) -> String {
        let local = timestamp(milliseconds).to_zoned(self.now.time_zone().clone());
        let form = if local.second() == 0 { "%a %Y-%m-%d %H:%M %:z" } else { "%a %Y-%m-%d %H:%M:%S %:z" };
        local.strftime(form).to_string()
    }

    /// Shows an instant for a person; `None` if the value is not one.
    pub(crate) fn wall_of(&self, value: &Json) -> Option<String> {
        value.as_f64().map(|value| {
            #[expect(clippy::cast_possible_truncation, reason = "milliseconds of a date have no fraction")]
            let milliseconds = value as i64;
            self.wall(milliseconds)
        })
    }

    /// Returns the changes of local time, from ten years ago to ten years ahead: pairs of an instant and the
    /// milliseconds by which local time is then ahead of UTC. The first pair also covers everything before it.
    pub(crate) fn offsets(&self) -> Vec<(i64, i64)> {
        let (from, to) = (timestamp(self.milliseconds() - SPAN), timestamp(self.milliseconds() + SPAN));
        let zone = self.now.time_zone();
        let ahead = |offset: Offset| i64::from(offset.seconds()) * 1_000;
        let mut offsets = vec![(-8_640_000_000_000_000, ahead(zone.to_offset(from)))];
        for change in zone.following(from).take_while(|change| change.timestamp() <= to) {
            offsets.push((change.timestamp().as_millisecond(), ahead(change.offset())));
        }
        offsets
    }
}

/// How far before and after now a program knows the clock changes.
const SPAN: i64 = 3_653 * DAY;

fn fixed(offset_seconds: i32) -> TimeZone {
    Offset::from_seconds(offset_seconds).map_or(TimeZone::UTC, Offset::to_time_zone)
}

/// Returns the nearest instant that the calendar supports.
fn timestamp(milliseconds: i64) -> Timestamp {
    let end = if milliseconds < 0 { Timestamp::MIN } else { Timestamp::MAX };
    Timestamp::from_millisecond(milliseconds).unwrap_or(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOON: i64 = 1_769_600_000_000; // 2026-01-28T11:33:20Z

    #[test]
    fn a_zone_is_taken_by_its_name_and_else_by_its_offset() {
        for (zone, offset, expected) in [
            ("Europe/Vienna", 0, "2026-01-28T12:33:20+01:00"),
            ("Nowhere/At_all", 19_800, "2026-01-28T17:03:20+05:30"),
            ("UTC", 0, "2026-01-28T11:33:20+00:00"),
            ("UTC", -18_000, "2026-01-28T06:33:20-05:00"),
        ] {
            assert_eq!(Moment::new(NOON, zone, offset).text(NOON), expected, "{zone}");
        }
    }

    #[test]
    fn a_person_reads_local_time() {
        let moment = Moment::new(NOON, "Europe/Vienna", 3_600);
        assert_eq!(moment.wall(NOON), "Wed 2026-01-28 12:33:20 +01:00");
        let minute = moment.wall_of(&iac_plugin::json!(NOON - 20_000));
        assert_eq!(minute.as_deref(), Some("Wed 2026-01-28 12:33 +01:00"));
        assert_eq!(moment.wall_of(&Json::Null), None);
    }

    #[test]
    fn a_day_is_as_long_as_the_clocks_make_it() {
        let moment = Moment::new(NOON, "Europe/Vienna", 3_600);
        let day = jiff::civil::date(2026, 3, 29);
        assert_eq!(moment.end_of(day) + 1 - moment.start_of(day), 23 * 3_600_000);
    }

    #[test]
    fn changes_of_the_clocks_are_listed() {
        let moment = Moment::new(NOON, "Europe/Vienna", 3_600);
        let changes = moment.offsets();
        assert_eq!(changes.len(), 41);
        assert!(
            changes
                .contains(&(moment.start_of(jiff::civil::date(2026, 3, 29)) + 2 * 3_600_000, 2 * 3_600_000))
        );
    }
}
