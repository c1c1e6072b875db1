//! The operator's settings.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use iac_core::permission::Level;

/// Whether a script may run again if its outcome is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It only reads.
    Read,
    /// It may change something.
    Change,
}

impl From<Level> for Kind {
    fn from(level: Level) -> Self {
        match level {
            Level::Safe => Self::Read,
            Level::Modify | Level::Dangerous => Self::Change,
        }
    }
}

/// How scripts are run.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The program and its first arguments, for example `["ssh", "mini", "osascript"]`.
    pub command: Vec<OsString>,
    /// Variables set for it, beside those of this process.
    pub environment: Vec<(OsString, OsString)>,
    /// This program as the guard of each process; `None` to start processes without a guard.
    pub guard: Option<PathBuf>,
    /// When a client is answered at the latest.
    pub timeout: Duration,
    /// The directory of the locks that several servers share; `None` to go without.
    pub locks: Option<PathBuf>,
    /// Whether processes are kept for the next script.
    pub workers: bool,
    /// The most that one script may write, in bytes.
    pub output: usize,
    /// The most processes to keep.
    pub most_workers: usize,
    /// How long an idle worker is kept.
    pub idle: Duration,
    /// How much memory a worker may gain before it is replaced, in bytes.
    pub growth: u64,
    /// How long a script may run after its client was answered. Killing it earlier can leave the app with a queue that
    /// it never empties.
    pub linger: Duration,
    /// How long a read waits for another server's turn, and any call for an app that has fallen silent.
    pub patience: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            command: vec!["/usr/bin/osascript".into()],
            environment: Vec::new(),
            guard: std::env::current_exe().ok(),
            timeout: Duration::from_secs(30),
            locks: None,
            workers: true,
            output: 10_000_000,
            most_workers: 6,
            idle: Duration::from_mins(5),
            growth: 64 << 20,
            linger: Duration::from_secs(130),
            patience: Duration::from_secs(2),
        }
    }
}

impl Settings {
    /// Runs scripts in the simulator that `binary`, which is this program, carries.
    pub fn simulated(binary: &Path, world: &Path) -> Self {
        Self {
            command: vec![binary.into(), "osascript".into()],
            guard: Some(binary.to_owned()),
            environment: vec![("IAC_MCP_WORLD".into(), world.into())],
            ..Self::default()
        }
    }
}
