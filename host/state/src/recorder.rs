//! Writes the audit log on a separate thread. Reads do not wait for it; changes wait until their entry is on disk.

use std::iter::once;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use iac_core::Millis;
use iac_core::audit::Entry;
use tokio::sync::{Mutex, oneshot};

use crate::{State, StateError};

/// How long the writer pauses after an entry that nobody waits for. Waking it for each entry would slow the calls
/// down.
const REST: Duration = Duration::from_millis(5);

/// How long an entry may take to reach the disk. Another process may hold the lock for two seconds, and a missing
/// volume never answers.
const SILENT: Duration = Duration::from_secs(10);

/// How long the process waits for its last entries before it ends.
const LAST: Duration = Duration::from_secs(3);

/// A queue of entries for the log.
#[derive(Debug)]
pub struct Recorder {
    entries: Option<Sender<Waiting>>,
    /// Makes waiting callers go on in order of arrival. An entry may be on disk before its caller checks.
    turn: Mutex<()>,
    /// Disconnected when the writer thread has ended.
    ended: std::sync::Mutex<Receiver<()>>,
}

/// Builds an entry on the writer thread, so that the caller does not wait for the formatting.
type Making = Box<dyn FnOnce() -> Entry + Send>;

struct Waiting {
    at: Millis,
    entry: Making,
    /// Notified when the entry is on disk; `None` if nobody waits.
    done: Option<oneshot::Sender<Result<(), StateError>>>,
}

impl Recorder {
    /// Starts a writer for the logs of a state directory.
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

    /// Queues an entry and returns at once. It is written soon.
    pub fn note(&self, at: Millis, entry: impl FnOnce() -> Entry + Send + 'static) {
        let waiting = Waiting { at, entry: Box::new(entry), done: None };
        let sent = self.entries.as_ref().is_some_and(|entries| entries.send(waiting).is_ok());
        if !sent {
            tracing::error!("the audit log is closed");
        }
    }

    /// Queues an entry and returns once it is on disk.
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

/// Writes entries in order, and syncs whenever a caller waits. Returns whether a caller waited.
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
    /// Writes the remaining entries before the process ends, but not for ever: a process that cannot end would be
    /// worse.
    fn drop(&mut self) {
        drop(self.entries.take());
        let ended = self.ended.get_mut().unwrap_or_else(PoisonError::into_inner);
        if ended.recv_timeout(LAST) == Err(RecvTimeoutError::Timeout) {
            tracing::error!("the end of the audit log is lost: the volume does not respond");
        }
    }
}
