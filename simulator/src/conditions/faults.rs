//! Faults: which event of which app goes wrong, and how.

use crate::world::{WorldError, content, failed, journal};
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A file of faults.
#[derive(Debug)]
pub(crate) struct Faults {
    faults: Vec<Fault>,
    /// How long events wait before they give up, if not as long as on a Mac.
    pub(crate) timeout: Option<Duration>,
    state: PathBuf,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    faults: Vec<Fault>,
    /// Milliseconds.
    #[serde(default)]
    timeout: Option<u64>,
}

/// One fault: the events that it applies to, and its effect on them.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Fault {
    /// A bundle id; absent: any app.
    #[serde(default)]
    app: Option<String>,
    /// `get`, `set`, `count`, or a command's name; absent: any event.
    #[serde(default)]
    event: Option<String>,
    /// A part of the event's target as the trace writes it.
    #[serde(default)]
    target: Option<String>,
    /// The first of the matching events that it meets, counted from 1 over all processes.
    #[serde(default = "one")]
    occurrence: u64,
    /// How many of them; absent: all from there on.
    #[serde(default)]
    times: Option<u64>,
    #[serde(rename = "do")]
    pub(crate) effect: Effect,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub(crate) enum Effect {
    /// The event ends with this error.
    Error(i32),
    /// The event takes this many milliseconds longer.
    Slow(u64),
    /// The app answers no one for this many milliseconds; null: for ever.
    Hang(Option<u64>),
    /// The app hangs for this time, even if this osascript is killed meanwhile.
    Block(u64),
    /// The app ends, and the connection with it.
    Die,
    /// osascript itself ends, by a segmentation fault as far as its status tells.
    Crash,
    /// osascript writes this many bytes to stdout.
    Flood(usize),
    /// The answer is a text with this many characters.
    Huge(usize),
    /// A dialog asks the person for consent. The answer comes after this many milliseconds.
    Dialog { after: u64, allow: bool },
    /// A write that is answered, and not made.
    Ignore,
    /// Before the event, this many elements vanish from the collection that it reads.
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

    /// The fault that meets an event, if one does; every matching event is counted.
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

    /// Counts one more event for each of these faults, for all processes together.
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
