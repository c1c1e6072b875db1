//! How often a plugin may fail: decided here, without a clock.

use std::collections::VecDeque;

/// Milliseconds on any clock that does not go back.
pub type Millis = u64;

const WINDOW: Millis = 10 * 60 * 1000;
const MOST: usize = 3;

/// The crashes of one plugin, and whether it is still called.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    crashes: VecDeque<Millis>,
    reason: Option<String>,
}

impl Record {
    /// Notes a crash; the third one within ten minutes ends the plugin's use. Returns whether it was that one.
    pub fn crashed(&mut self, now: Millis, why: &str) -> bool {
        self.crashes.retain(|at| now.saturating_sub(*at) < WINDOW);
        self.crashes.push_back(now);
        let quarantined = self.crashes.len() >= MOST && self.reason.is_none();
        if quarantined {
            self.reason = Some(format!("{MOST} failures in 10 minutes, the last one: {why}"));
        }
        quarantined
    }

    /// Puts a quarantine of an earlier process in place.
    pub fn quarantined(reason: String) -> Self {
        Self { crashes: VecDeque::new(), reason: Some(reason) }
    }

    /// Returns why the plugin is no longer called.
    pub fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(crashes: &[Millis], quarantined: bool) {
        let mut record = Record::default();
        for at in crashes {
            record.crashed(*at, "it stopped with an error");
        }
        assert_eq!(record.reason().is_some(), quarantined, "{crashes:?}");
    }

    #[test]
    fn three_crashes_in_ten_minutes_are_too_many() {
        check(&[], false);
        check(&[0, 1], false);
        check(&[0, 1, 2], true);
        check(&[0, 1, WINDOW - 1], true);
        check(&[0, 1, WINDOW], false);
        check(&[0, 300_000, 600_001, 900_002, 1_200_003], false);
        check(&[0, 1, 2, 5_000_000], true);
    }
}
