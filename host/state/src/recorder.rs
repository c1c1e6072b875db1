//! Writes the audit log on a thread of its own: reads are not held up by it, and writes wait until it is on the disk.

use std::iter::once;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use iac_core::Millis;
use iac_core::audit::Entry;
use tokio::sync::{Mutex, oneshot};

use crate::{State, StateError};

/// How long the writer rests after an entry without a waiting caller. Waking it for each entry would delay the calls.
const REST: Duration = Duration::from_millis(5);

/// How long an entry may take to reach the disk. Another process may hold the lock for two seconds; a missing volume
/// takes for ever.
const SILENT: Duration = Duration::from_secs(10);

/// How long the end of a process waits for its last entries.
const LAST: Duration = Duration::from_secs(3);

/// A queue to the log.
#[derive(Debug)]
pub struct Recorder {
    entries: Option<Sender<Waiting>>,
    /// Waiting callers continue in order of arrival. An entry may be on the disk before its caller checks.
    turn: Mutex<()>,
    /// Closed when the writer has ended.
    ended: std::sync::Mutex<Receiver<()>>,
}

/// Makes an entry in the thread that writes it, so that the caller does not wait for the formatting.
type Making = Box<dyn FnOnce() -> Entry + Send>;

struct Waiting {
    at: Millis,
    entry: Making,
    /// Notified when the entry is on the disk; `None` if no one waits.
    done: Option<oneshot::Sender<Result<(), StateError>>>,
}

impl Recorder {
    /// Begins to write into the logs of a state directory.
    pub fn new(state: Arc<State>) -> Self {
        let (entries, waiting) = channel::<Waiting>();
        let (alive, ended) = channel();
        std::thread::spawn(move || {
            let _alive: Sender<()> = alive;
            while let Ok(first) = waiting.recv() {
                let came: Vec<Waiting> = once(first).chain(waiting.try_iter()).collect();
                if !write(&state, came) {
                    std::thread::sleep(REST);
                }
            }
            if let Err(error) = state.close() {
                tracing::error!(%error, "the audit log cannot be written");
            }
        });
        Self { entries: Some(entries), turn: Mutex::default(), ended: ended.into() }
    }

    /// Records an entry soon, but not at once.
    pub fn note(&self, at: Millis, entry: impl FnOnce() -> Entry + Send + 'static) {
        let waiting = Waiting { at, entry: Box::new(entry), done: None };
        let sent = self.entries.as_ref().is_some_and(|entries| entries.send(waiting).is_ok());
        if !sent {
            tracing::error!("the audit log is closed");
        }
    }

    /// Writes an entry down, and returns once it is on the disk.
    ///
    /// # Errors
    /// It cannot be written.
    pub async fn record(
        &self,
        at: Millis,
        entry: impl FnOnce() -> Entry + Send + 'static,
    ) -> Result<(), StateError> {
        let closed = || StateError::Damaged { path: "audit".into(), error: "the log is closed".to_owned() };
        let entries = self.entries.as_ref().ok_or_else(closed)?;
        let recorded = async {
            let _turn = self.turn.lock().await;
            let (done, written) = oneshot::channel();
            let waiting = Waiting { at, entry: Box::new(entry), done: Some(done) };
            entries.send(waiting).map_err(|_| closed())?;
            written.await.map_err(|_| closed())?
        };
        let silent = |_| StateError::Silent { path: "audit".into() };
        tokio::time::timeout(SILENT, recorded).await.map_err(silent)?
    }
}

/// Writes entries in order, and flushes whenever a caller waits for one. Returns whether there was one.
fn write(state: &State, came: Vec<Waiting>) -> bool {
    let (mut together, mut awaited) = (Vec::new(), false);
    for Waiting { at, entry, done } in came {
        together.push((at, entry()));
        if let Some(done) = done {
            awaited = true;
            drop(done.send(all(state, &std::mem::take(&mut together), true)));
        }
    }
    if let Err(error) = all(state, &together, false) {
        tracing::error!(%error, "the audit log cannot be written");
    }
    awaited
}

fn all(state: &State, entries: &[(Millis, Entry)], durable: bool) -> Result<(), StateError> {
    let entries: Vec<_> = entries.iter().map(|(at, entry)| (*at, entry)).collect();
    state.record_all(&entries, durable)
}

impl Drop for Recorder {
    /// Writes the remaining entries before the process ends, unless the disk does not accept them. A process that
    /// cannot end would be worse.
    fn drop(&mut self) {
        drop(self.entries.take());
        let ended = self.ended.get_mut().unwrap_or_else(PoisonError::into_inner);
        if ended.recv_timeout(LAST) == Err(RecvTimeoutError::Timeout) {
            tracing::error!("the end of the audit log is lost: the volume does not respond");
        }
    }
}
