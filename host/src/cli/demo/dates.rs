//! Formats dates as people say them.

use jiff::civil::{Date, DateTime};
use jiff::{ToSpan as _, Zoned};

/// A week, from its Monday to the next Monday.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Week {
    pub(super) monday: Date,
    pub(super) next: Date,
}

impl Week {
    /// Returns the week of a day.
    pub(super) fn of(day: Date) -> Self {
        let monday = day.saturating_sub(i32::from(day.weekday().to_monday_zero_offset()).days());
        Self { monday, next: monday.saturating_add(7.days()) }
    }

    /// Formats the week, for example `16 to 22 November`.
    pub(super) fn in_words(self) -> String {
        let sunday = self.next.saturating_sub(1.day());
        let first = if sunday.month() == self.monday.month() { "%-d" } else { "%-d %B" };
        format!("{} to {}", self.monday.strftime(first), sunday.strftime("%-d %B"))
    }
}

/// Today, in the time zone of this computer.
pub(super) fn today() -> Date {
    Zoned::now().date()
}

/// Parses the local date and time in an answer.
pub(super) fn read(text: &str) -> Option<DateTime> {
    text.parse().ok()
}

/// Formats a point in time relative to a day, for example `today at 09:12`.
pub(super) fn in_words(at: DateTime, today: Date) -> String {
    let day = match today.since(at.date()).map(|span| span.get_days()) {
        Ok(0) => "today".to_owned(),
        Ok(1) => "yesterday".to_owned(),
        Ok(2..7) => at.strftime("on %A").to_string(),
        _ => at.strftime("on %-d %B %Y").to_string(),
    };
    format!("{day} at {}", at.strftime("%H:%M"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weeks_begin_on_monday() {
        let check =
            |day: &str, expected: &str| assert_eq!(Week::of(day.parse().unwrap()).in_words(), expected);
        check("2026-11-16", "16 to 22 November");
        check("2026-11-22", "16 to 22 November");
        check("2026-11-30", "30 November to 6 December");
    }

    #[test]
    fn days_as_people_say_them() {
        let check = |at: &str, expected: &str| {
            assert_eq!(in_words(read(at).unwrap(), "2026-11-21".parse().unwrap()), expected);
        };
        check("2026-11-21T09:12:00+01:00", "today at 09:12");
        check("2026-11-20T23:59:00+01:00", "yesterday at 23:59");
        check("2026-11-17T00:00:00-08:00", "on Tuesday at 00:00");
        check("2025-11-21T08:00:00+00:00", "on 21 November 2025 at 08:00");
    }
}
