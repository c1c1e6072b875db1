//! What an operator can set.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Whether a script may be run again where its end is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It only reads.
    Read,
    /// It may change something.
    Change,
}

/// How scripts are run.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The program and its first arguments, for example `["ssh", "mini", "osascript"]`.
    pub command: Vec<OsString>,
    /// Variables set for it, beside those of this process.
    pub environment: Vec<(OsString, OsString)>,
    /// This program, which guards what is started; `None` to start it without a guard.
    pub guard: Option<PathBuf>,
    /// When a client is answered at the latest.
    pub timeout: Duration,
    /// The directory of the locks that several servers share; `None` to go without.
    pub locks: Option<PathBuf>,
    /// Whether processes are kept for the next script.
    pub workers: bool,
    /// The most that one script may write, in bytes.
    pub output: usize,
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
