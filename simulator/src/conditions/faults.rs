//! Faults: which events of which apps fail, and how.

use crate::world::{WorldError, content, failed, journal};
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A file of faults.
#[derive(Debug)]
pub(crate) struct Faults {
    faults: Vec<Fault>,
    /// How long events wait before they time out; `None` for as long as on a Mac.
    pub(crate) timeout: Option<Duration>,
    state: PathBuf,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    faults: Vec<Fault>,
    /// In milliseconds.
    #[serde(default)]
    timeout: Option<u64>,
}

/// One fault: which events it applies to, and what it does to them.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Fault {
    /// A bundle id; any app if absent.
    #[serde(default)]
    app: Option<String>,
    /// `get`, `set`, `count`, or a command's name; any event if absent.
    #[serde(default)]
    event: Option<String>,
    /// A part of the event's target, as the trace writes it.
    #[serde(default)]
    target: Option<String>,
    /// The first matching event that the fault applies to, counted from 1 over all processes.
    #[serde(default = "one")]
    occurrence: u64,
    /// How many events it applies to; if absent, all from there on.
    #[serde(default)]
    times: Option<u64>,
    #[serde(rename = "do")]
    pub(crate) effect: Effect,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub(crate) enum Effect {
    /// The event fails with this error number.
    Error(i32),
    /// The event takes this many milliseconds longer.
    Slow(u64),
    /// The app does not respond for this many milliseconds; null means for ever.
    Hang(Option<u64>),
    /// The app does not respond for this many milliseconds, even if this osascript is killed meanwhile.
    Block(u64),
    /// The app quits, which breaks the connection.
    Die,
    /// osascript ends with the exit status of a segmentation fault.
    Crash,
    /// osascript writes this many bytes to stdout.
    Flood(usize),
    /// The answer is a string with this many characters.
    Huge(usize),
    /// A dialog asks the user for consent. The answer comes after this many milliseconds.
    Dialog { after: u64, allow: bool },
    /// A write reports success but does nothing.
    Ignore,
    /// Before the event, this many elements disappear from the collection that it reads.
    Shrink(usize),
}

fn one() -> u64 {
    1
}

impl Faults {
    pub(super) fn read(path: &Path, state: &Path) -> Result<Self, WorldError> {
        let text = std::fs::read(path).map_err(|error| failed(path, error))?;
        let written: Written = serde_json::from_slice(&text).map_err(|error| content(path, error))?;
        let timeout = written.timeout.map(Duration::from_millis);
        Ok(Self { faults: written.faults, timeout, state: state.to_owned() })
    }

    /// Returns the fault that applies to an event, if one does. Every matching event is counted.
    pub(crate) fn meet(&self, app: &str, event: &str, target: &str) -> Result<Option<Effect>, WorldError> {
        let matching: Vec<usize> =
            (0..self.faults.len()).filter(|at| self.faults[*at].matches(app, event, target)).collect();
        if matching.is_empty() {
            return Ok(None);
        }
        let counts = self.count(&matching)?;
        let met = matching.iter().zip(counts).find(|(at, count)| self.faults[**at].meets(*count));
        Ok(met.map(|(at, _)| self.faults[*at].effect.clone()))
    }

    /// Adds one to the event count of each of these faults, over all processes.
    fn count(&self, matching: &[usize]) -> Result<Vec<u64>, WorldError> {
        let path = self.state.join("faults");
        std::fs::create_dir_all(&self.state).map_err(|error| failed(&self.state, error))?;
        let _lock = journal::lock(&self.state.join("faults.lock")).map_err(|error| failed(&path, error))?;
        let text = std::fs::read(&path).unwrap_or_default();
        let mut counts: Vec<u64> = serde_json::from_slice(&text).unwrap_or_default();
        counts.resize(self.faults.len(), 0);
        matching.iter().for_each(|at| counts[*at] += 1);
        let text = serde_json::to_vec(&counts).map_err(|error| content(&path, error))?;
        journal::replace(&path.with_extension("next"), &path, &text).map_err(|error| failed(&path, error))?;
        Ok(matching.iter().map(|at| counts[*at]).collect())
    }
}

impl Fault {
    fn matches(&self, app: &str, event: &str, target: &str) -> bool {
        let is = |wanted: &Option<String>, found: &str| wanted.as_ref().is_none_or(|wanted| wanted == found);
        is(&self.app, app)
            && is(&self.event, event)
            && self.target.as_ref().is_none_or(|part| target.contains(part.as_str()))
    }

    fn meets(&self, count: u64) -> bool {
        let after = count.checked_sub(self.occurrence);
        after.is_some_and(|after| self.times.is_none_or(|times| after < times))
    }
}
