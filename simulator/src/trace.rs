//! The trace: one JSON line for every Apple event, so that tests count events instead of guessing time.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

/// Names the file that gets the trace; without it none is written.
pub const TRACE_VARIABLE: &str = "IAC_MCP_TRACE";

/// One line of a trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Traced {
    /// The bundle id of the app.
    pub app: String,
    /// `get`, `set`, `count`, a command's name, or `launch` if an event started the app first.
    pub event: String,
    /// Its subject, in the dictionary's terms.
    pub target: String,
    /// Its parameters by the names that scripts give them, a direct parameter that is not an object as `direct`; long texts
    /// are cut.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub with: BTreeMap<String, String>,
    /// How long the app took, in microseconds.
    #[serde(rename = "us")]
    pub microseconds: u64,
    /// The number of the error it ended with.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub error: Option<i32>,
}

/// The file for the trace of a process; without a file nothing is written.
#[derive(Debug, Default)]
pub(crate) struct Trace(Option<File>);

impl Trace {
    /// Opens the file to append to.
    pub(crate) fn open(path: Option<&Path>) -> io::Result<Self> {
        let file = path.map(|path| OpenOptions::new().create(true).append(true).open(path));
        Ok(Self(file.transpose()?))
    }

    pub(crate) fn is_on(&self) -> bool {
        self.0.is_some()
    }

    /// Appends one line in one write, so that lines of several processes do not mix.
    pub(crate) fn write(&self, line: &Traced) -> io::Result<()> {
        let Some(mut file) = self.0.as_ref() else { return Ok(()) };
        let mut text = serde_json::to_string(line)?;
        text.push('\n');
        file.write_all(text.as_bytes())
    }
}

/// Reads a trace; a file that does not exist is one without events.
///
/// # Errors
/// The file cannot be read or a line is not an event.
pub fn read(path: &Path) -> io::Result<Vec<Traced>> {
    match fs::read_to_string(path) {
        Ok(text) => text.lines().map(|line| Ok(serde_json::from_str(line)?)).collect(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}
