//! The trace: one line of JSON for every Apple event, so that tests can count events instead of measuring time.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

/// The variable that names the trace file. Without it, no trace is written.
pub const TRACE_VARIABLE: &str = "IAC_MCP_TRACE";

/// One line of a trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Traced {
    /// The bundle id of the app.
    pub app: String,
    /// `get`, `set`, `count`, a command's name, or `launch` if an event launched the app first.
    pub event: String,
    /// Its target, in the dictionary's terms.
    pub target: String,
    /// Its parameters, by the names that scripts use. A direct parameter that is not an object is named `direct`.
    /// Long values are cut.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub with: BTreeMap<String, String>,
    /// How long the app took, in microseconds.
    #[serde(rename = "us")]
    pub microseconds: u64,
    /// The number of the error, if it failed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub error: Option<i32>,
}

/// The trace file of a process. Without one, nothing is written.
#[derive(Debug, Default)]
pub(crate) struct Trace(Option<File>);

impl Trace {
    /// Opens the file for appending.
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

/// Reads a trace. A missing file counts as a trace without events.
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
