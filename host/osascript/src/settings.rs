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
    /// Environment variables to set for it, in addition to those of this process.
    pub environment: Vec<(OsString, OsString)>,
    /// The path of this program, which then guards each process; `None` to start processes without a guard.
    pub guard: Option<PathBuf>,
    /// The time limit within which every client is answered.
    pub timeout: Duration,
    /// The directory of the locks that several servers share; `None` for no locks.
    pub locks: Option<PathBuf>,
    /// Whether a process is reused for the next script.
    pub workers: bool,
    /// The most output of one script, in bytes.
    pub output: usize,
    /// The most workers.
    pub most_workers: usize,
    /// How long an idle worker is kept.
    pub idle: Duration,
    /// How many bytes a worker's memory may grow before the worker is replaced.
    pub growth: u64,
    /// How long a script may go on after its client got an error. Killing it earlier can leave the app with events
    /// that it never finishes.
    pub linger: Duration,
    /// How long a read waits for another server's turn, and how long any call waits for an app that does not answer.
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
    /// Runs scripts in the simulator, which is a part of `binary`, this program.
    pub fn simulated(binary: &Path, world: &Path) -> Self {
        Self {
            command: vec![binary.into(), "osascript".into()],
            guard: Some(binary.to_owned()),
            environment: vec![("IAC_MCP_WORLD".into(), world.into())],
            ..Self::default()
        }
    }
}
