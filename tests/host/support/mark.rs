//! Finds the processes that a test started, whatever their parent is.

use std::ffi::OsString;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

const VARIABLE: &str = "IAC_MCP_TEST_MARK";

/// An environment variable that every process passes on to its children.
pub(crate) struct Mark(String);

impl Mark {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        Self(format!("{}.{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed)))
    }

    pub(crate) fn variable(&self) -> (OsString, OsString) {
        (VARIABLE.into(), self.0.clone().into())
    }

    /// The process ids; zombies have no environment, so they do not count.
    pub(crate) fn living(&self) -> Vec<u32> {
        let wanted = format!("{VARIABLE}={}", self.0);
        let has =
            |environment: &[u8]| environment.split(|byte| *byte == 0).any(|each| each == wanted.as_bytes());
        let numbers = std::fs::read_dir("/proc")
            .unwrap()
            .filter_map(|entry| entry.unwrap().file_name().to_str()?.parse().ok());
        numbers.filter(|pid| std::fs::read(format!("/proc/{pid}/environ")).is_ok_and(|it| has(&it))).collect()
    }

    /// Waits until no process is left, for at most two seconds.
    pub(crate) async fn gone(&self) {
        let end = Instant::now() + Duration::from_secs(2);
        while !self.living().is_empty() {
            assert!(Instant::now() < end, "still there: {:?}", self.living());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}
