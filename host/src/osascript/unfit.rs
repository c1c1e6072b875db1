//! Whether workers are not worth trying for now.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// After this time another one is tried: the machine may only have been too busy.
const AGAIN: Duration = Duration::from_mins(5);

/// Remembers when a worker last failed to start.
#[derive(Debug, Default)]
pub(super) struct Unfit(Mutex<Option<Instant>>);

impl Unfit {
    pub(super) fn set(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    pub(super) fn is_set(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_some_and(|since| since.elapsed() < AGAIN)
    }
}
