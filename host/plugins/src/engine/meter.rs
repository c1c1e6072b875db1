//! Time that a guest computes, without what it waits for.

use std::time::{Duration, Instant};

use super::ticker::TICK;

/// Counts compute time from tick to tick.
pub(super) struct Meter {
    since: Instant,
    spent: Duration,
    budget: Duration,
}

impl Meter {
    pub(super) fn new(budget: Duration) -> Self {
        Self { since: Instant::now(), spent: Duration::ZERO, budget }
    }

    /// The guest begins to compute, or goes on.
    pub(super) fn resume(&mut self) {
        self.since = Instant::now();
    }

    /// Counts what was computed since the guest went on. A machine that is busy elsewhere is not the guest's fault: one
    /// stretch counts as two ticks at most, since within two ticks it would have been seen.
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
