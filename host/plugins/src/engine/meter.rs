//! Measures a guest's compute time, without its waiting time.

use std::time::{Duration, Instant};

use super::ticker::TICK;

/// Adds up compute time from tick to tick.
pub(super) struct Meter {
    since: Instant,
    spent: Duration,
    budget: Duration,
}

impl Meter {
    pub(super) fn new(budget: Duration) -> Self {
        Self { since: Instant::now(), spent: Duration::ZERO, budget }
    }

    /// Marks that the guest starts or resumes computing.
    pub(super) fn resume(&mut self) {
        self.since = Instant::now();
    }

    /// Adds the compute time since the guest resumed. A busy machine is not the guest's fault: one stretch counts as
    /// two ticks at most, because two ticks would have interrupted the guest.
    pub(super) fn count(&mut self) {
        self.spent += self.since.elapsed().min(TICK * 2);
        self.since = Instant::now();
    }

    pub(super) fn spent(&self) -> Duration {
        self.spent
    }

    pub(super) fn is_over(&self) -> bool {
        self.spent >= self.budget
    }

    pub(super) fn budget(&self) -> Duration {
        self.budget
    }
}
