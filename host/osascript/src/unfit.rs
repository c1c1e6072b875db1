//! Tells whether the server should stop trying to start workers for now.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::worker::Broken;

/// After this time the server tries again, because the machine may only have been too busy.
const AGAIN: Duration = Duration::from_mins(5);

/// Remembers when a worker last failed to start.
#[derive(Debug, Default)]
pub(crate) struct Unfit(Mutex<Option<Instant>>);

impl Unfit {
    /// Records a failure. If not even a process could be started, it is not the worker's fault, and the next one is
    /// tried as usual.
    pub(crate) fn failed(&self, broken: &Broken) {
        if matches!(broken, Broken::Unstartable(_)) {
            return;
        }
        tracing::warn!(%broken, "no worker can be kept; each script gets its own process");
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    pub(crate) fn is_set(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_some_and(|since| since.elapsed() < AGAIN)
    }
}
