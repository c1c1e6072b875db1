//! The limits of a call. None of them is optional: the type requires each limit.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The most instances, memories and tables of one component. Each takes host memory that no other limit counts. A
/// component from an ordinary compiler has one to five of each; one made from several languages or with a Python
/// interpreter has thirty to forty. The package reader uses the same limit.
pub(crate) const MOST_PARTS: usize = 64;

/// Every limit of one call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Time that the guest itself computes.
    pub compute: Duration,
    /// Time from start to answer, waiting included, except for a human.
    pub wall: Duration,
    /// Bytes of all linear memories together.
    pub memory: usize,
    /// Elements of all tables together.
    pub table_elements: usize,
    /// Handles open at the same time.
    pub handles: usize,
    /// The most bytes that the guest can pass to the host in one call of a function.
    pub crossing: usize,
    /// Bytes of all questions and answers together.
    pub traffic: usize,
    /// Bytes of one answer from the host.
    pub reply: usize,
    /// Bytes of the call's own answer.
    pub output: usize,
    pub log_lines: u32,
    /// Calls of host functions.
    pub host_calls: u32,
}

/// The operator's limits, in place of the defaults.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Overrides {
    /// Milliseconds that the guest computes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compute_ms: Option<u64>,
    /// Milliseconds from start to answer, except for a human.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wall_ms: Option<u64>,
    /// MiB of memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_mib: Option<u64>,
}

/// The error for a limit that is out of range.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{name}` is {value}, expected 1 to {most}")]
pub struct OutOfBounds {
    name: &'static str,
    value: u64,
    most: u64,
}

const MIB: usize = 1024 * 1024;

impl Limits {
    /// Returns the limits of a host with default settings.
    ///
    /// Two seconds of compute time are enough for 10,000 tasks many times over. The minute of wall time does not count
    /// while a person is asked.
    pub const fn standard() -> Self {
        Self {
            compute: Duration::from_secs(2),
            wall: Duration::from_secs(60),
            memory: 64 * MIB,
            table_elements: 10_000,
            handles: 1_000,
            crossing: 8 * MIB,
            traffic: 64 * MIB,
            reply: 4 * MIB,
            output: MIB,
            log_lines: 200,
            host_calls: 1_000,
        }
    }

    /// Replaces limits by the operator's values.
    ///
    /// # Errors
    /// A value is 0 or above the maximum.
    pub fn with(mut self, overrides: &Overrides) -> Result<Self, OutOfBounds> {
        if let Some(value) = overrides.compute_ms {
            self.compute = Duration::from_millis(bounded("compute_ms", value, 60_000)?);
        }
        if let Some(value) = overrides.wall_ms {
            self.wall = Duration::from_millis(bounded("wall_ms", value, 600_000)?);
        }
        if let Some(value) = overrides.memory_mib {
            self.memory = usize::try_from(bounded("memory_mib", value, 1_024)?).unwrap_or(1_024) * MIB;
        }
        Ok(self)
    }
}

fn bounded(name: &'static str, value: u64, most: u64) -> Result<u64, OutOfBounds> {
    if (1..=most).contains(&value) { Ok(value) } else { Err(OutOfBounds { name, value, most }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(overrides: &str, expected: &str) {
        let overrides: Overrides = serde_json::from_str(overrides).expect("the test's own overrides");
        let shown = match Limits::standard().with(&overrides) {
            Ok(limits) => format!("{:?} {:?} {}", limits.compute, limits.wall, limits.memory / MIB),
            Err(error) => error.to_string(),
        };
        assert_eq!(shown, expected);
    }

    #[test]
    fn no_bound_can_be_taken_away() {
        check("{}", "2s 60s 64");
        check(r#"{"compute_ms":10,"wall_ms":1000,"memory_mib":1}"#, "10ms 1s 1");
        check(r#"{"compute_ms":0}"#, "`compute_ms` is 0, expected 1 to 60000");
        check(r#"{"memory_mib":100000}"#, "`memory_mib` is 100000, expected 1 to 1024");
    }
}
