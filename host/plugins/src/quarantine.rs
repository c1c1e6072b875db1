//! Decides when a plugin that keeps failing is quarantined, without reading a clock.

use std::collections::VecDeque;

/// Milliseconds on any monotonic clock.
pub type Millis = u64;

const WINDOW: Millis = 10 * 60 * 1000;
const MOST: usize = 3;

/// The crashes of one plugin, and whether it is quarantined.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    crashes: VecDeque<Millis>,
    reason: Option<String>,
}

impl Record {
    /// Records a crash. The third one within ten minutes quarantines the plugin. Returns whether this crash did.
    pub fn crashed(&mut self, now: Millis, why: &str) -> bool {
        self.crashes.retain(|at| now.saturating_sub(*at) < WINDOW);
        self.crashes.push_back(now);
        let quarantined = self.crashes.len() >= MOST && self.reason.is_none();
        if quarantined {
            self.reason = Some(format!("{MOST} failures in 10 minutes, the last one: {why}"));
        }
        quarantined
    }

    /// Restores a quarantine of an earlier process.
    pub fn quarantined(reason: String) -> Self {
        Self { crashes: VecDeque::new(), reason: Some(reason) }
    }

    /// Returns why the plugin is quarantined.
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
