//! Writes the audit log on a thread of its own: reads are not held up by it, and writes wait until it is on the disk.

use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use iac_core::Millis;
use iac_core::audit::Entry;
use tokio::sync::oneshot;

use super::{State, StateError};

/// How long the writer rests after an entry that nobody waits for: to wake it for each would hold up the calls.
const REST: Duration = Duration::from_millis(1);

/// A queue to the log.
#[derive(Debug)]
pub struct Recorder {
    entries: Option<Sender<Waiting>>,
    writer: Option<JoinHandle<()>>,
}

struct Waiting {
    at: Millis,
    entry: Entry,
    /// Told once it is on the disk; `None` where nobody waits.
    done: Option<oneshot::Sender<Result<(), StateError>>>,
}

impl Recorder {
    /// Begins to write into the logs of a state directory.
    pub fn new(state: Arc<State>) -> Self {
        let (entries, waiting) = channel::<Waiting>();
        let writer = std::thread::spawn(move || {
            while let Ok(first) = waiting.recv() {
                let mut awaited = write(&state, first);
                awaited |= waiting.try_iter().fold(false, |awaited, next| write(&state, next) | awaited);
                if !awaited {
                    std::thread::sleep(REST);
                }
            }
            if let Err(error) = state.close() {
                tracing::error!(%error, "the audit log cannot be written");
            }
        });
        Self { entries: Some(entries), writer: Some(writer) }
    }

    /// Writes an entry down some time soon.
    pub fn note(&self, at: Millis, entry: Entry) {
        let waiting = Waiting { at, entry, done: None };
        let sent = self.entries.as_ref().is_some_and(|entries| entries.send(waiting).is_ok());
        if !sent {
            tracing::error!("the audit log is closed");
        }
    }

    /// Writes an entry down, and returns once it is on the disk.
    ///
    /// # Errors
    /// It cannot be written.
    pub async fn record(&self, at: Millis, entry: Entry) -> Result<(), StateError> {
        let (done, written) = oneshot::channel();
        let waiting = Waiting { at, entry, done: Some(done) };
        let closed = || StateError::Damaged { path: "audit".into(), error: "the log is closed".to_owned() };
        let entries = self.entries.as_ref().ok_or_else(closed)?;
        entries.send(waiting).map_err(|_| closed())?;
        written.await.map_err(|_| closed())?
    }
}

/// Writes one entry; says whether somebody waited for it.
fn write(state: &State, Waiting { at, entry, done }: Waiting) -> bool {
    let written = state.record(at, &entry, done.is_some());
    match done {
        Some(done) => {
            drop(done.send(written));
            true
        }
        None => {
            if let Err(error) = written {
                tracing::error!(%error, "the audit log cannot be written");
            }
            false
        }
    }
}

impl Drop for Recorder {
    /// What was noted is written before the process ends.
    fn drop(&mut self) {
        drop(self.entries.take());
        if self.writer.take().is_some_and(|writer| writer.join().is_err()) {
            tracing::error!("the audit log ended in a panic");
        }
    }
}
