//! Statistics of an app's lane, for the tool `system` and for tests.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use iac_core::step::{Event, RunFailure};
use serde::{Serialize, Serializer};

use crate::worker::Worker;

/// Counts since the start of the server.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Counts {
    /// Scripts that clients asked for.
    pub calls: u64,
    /// Scripts that started.
    pub began: u64,
    /// Apple events that the scripts report to have sent.
    pub events: u64,
    /// Calls that reached the time limit.
    pub timeouts: u64,
    /// Calls that the client cancelled.
    pub cancelled: u64,
    /// Calls that failed with `app_busy`.
    pub busy: u64,
    /// Reads that ran a second time.
    pub retried: u64,
    /// Reads that ran without the turn.
    pub without_turn: u64,
    /// Scripts that ran in their own process.
    pub one_shots: u64,
    /// Workers that were let go, by the reason.
    pub retired: BTreeMap<String, u64>,
    /// Time spent waiting for earlier scripts and for other servers.
    pub waited: Times,
    /// Time spent running.
    pub ran: Times,
}

/// A sum of times.
#[derive(Clone, Copy, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Times {
    pub count: u64,
    /// Their sum, in milliseconds.
    #[serde(serialize_with = "to_microseconds")]
    pub total_ms: f64,
    /// The longest, in milliseconds.
    #[serde(serialize_with = "to_microseconds")]
    pub longest_ms: f64,
}

/// One worker.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WorkerReport {
    /// Its process id, if the process is on this machine.
    pub pid: Option<u32>,
    /// How many scripts it has run.
    pub calls: u64,
    /// Its resident memory when last measured, in bytes.
    pub memory: u64,
    /// Its age in milliseconds.
    pub age_ms: u64,
}

/// The statistics of a lane.
#[derive(Debug, Default)]
pub(crate) struct Record(Mutex<Inner>);

#[derive(Clone, Debug, Default)]
pub(crate) struct Inner {
    pub(crate) counts: Counts,
    pub(crate) waiting: usize,
    worker: Option<Seen>,
}

#[derive(Clone, Debug)]
struct Seen {
    pid: Option<u32>,
    calls: u64,
    memory: u64,
    since: Instant,
}

impl Record {
    /// Changes the counts.
    pub(crate) fn count(&self, change: impl FnOnce(&mut Counts)) {
        change(&mut self.lock().counts);
    }

    /// Counts a reserved place. Returns false if `most` places are already taken.
    pub(crate) fn came(&self, most: usize) -> bool {
        let mut inner = self.lock();
        let room = inner.waiting < most;
        inner.waiting += usize::from(room);
        room
    }

    /// Counts that a place is served now.
    pub(crate) fn is_next(&self) {
        self.lock().waiting -= 1;
    }

    /// Counts a script that a client asks for.
    pub(crate) fn asked(&self) {
        self.lock().counts.calls += 1;
    }

    /// Counts a script that starts.
    pub(crate) fn began(&self, since: Instant) {
        let mut inner = self.lock();
        inner.counts.began += 1;
        inner.counts.waited.add(since.elapsed());
    }

    /// Counts a script that ended, even if nobody waits any more.
    pub(crate) fn ended(&self, began: Instant, event: &Event) {
        let mut inner = self.lock();
        inner.counts.ran.add(began.elapsed());
        inner.counts.events += events(event);
    }

    /// Counts the client's answer.
    pub(crate) fn answered(&self, event: &Event) {
        let Event::Failed(failure) = event else { return };
        let counts = &mut self.lock().counts;
        match failure {
            RunFailure::Timeout(_) => counts.timeouts += 1,
            RunFailure::Cancelled => counts.cancelled += 1,
            RunFailure::Busy(_) => counts.busy += 1,
            RunFailure::TooLarge(_)
            | RunFailure::Script { .. }
            | RunFailure::Unstarted(_)
            | RunFailure::Process(_) => {}
        }
    }

    /// Records the state of the lane's worker.
    pub(crate) fn kept(&self, worker: &Worker) {
        let seen =
            Seen { pid: worker.pid(), calls: worker.calls(), memory: worker.memory(), since: worker.since() };
        self.lock().worker = Some(seen);
    }

    /// Records that the lane has no worker any more.
    pub(crate) fn retired(&self, why: &str) {
        let mut inner = self.lock();
        inner.worker = None;
        *inner.counts.retired.entry(why.to_owned()).or_default() += 1;
    }

    /// Returns a copy of all statistics.
    pub(crate) fn look(&self) -> Inner {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    pub(crate) fn worker(&self) -> Option<WorkerReport> {
        let Seen { pid, calls, memory, since } = self.worker.clone()?;
        let age_ms = u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX);
        Some(WorkerReport { pid, calls, memory, age_ms })
    }
}

impl Times {
    fn add(&mut self, time: Duration) {
        let ms = time.as_secs_f64() * 1000.0;
        self.count += 1;
        self.total_ms += ms;
        self.longest_ms = self.longest_ms.max(ms);
    }
}

/// Rounds milliseconds to microseconds. More digits would help nobody.
fn to_microseconds<S: Serializer>(ms: &f64, into: S) -> Result<S::Ok, S::Error> {
    into.serialize_f64((ms * 1e3).round() / 1e3)
}

/// Reads the number of events from an envelope. It stands after the value, so the search starts at the end. A quote
/// inside a string is always escaped.
fn events(event: &Event) -> u64 {
    let Event::Replied(text) = event else { return 0 };
    let digits = text.rsplit_once("\"events\":").map_or("", |(_, rest)| rest);
    digits
        .split(|c: char| !c.is_ascii_digit())
        .next()
        .and_then(|digits| digits.parse().ok())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_three_digits() {
        let mut times = Times::default();
        for ms in [1.1, 2.2, 0.000_4] {
            times.add(Duration::from_secs_f64(ms / 1e3));
        }
        let shown = serde_json::json!({"count": 3, "totalMs": 3.3, "longestMs": 2.2});
        assert_eq!(serde_json::to_value(times).unwrap(), shown);
    }

    #[test]
    fn events_of_an_envelope() {
        let check =
            |text: &str, expected| assert_eq!(events(&Event::Replied(text.to_owned())), expected, "{text}");
        check(r#"{"ok":true,"value":"\"events\":9","events":3,"strategy":null}"#, 3);
        check(r#"{"ok":false,"number":-600,"message":"x","at":"open","events":12}"#, 12);
        check("nothing", 0);
    }
}
