//! The plugins as they are installed now. The file of receipts is looked at before each use, so that running servers
//! follow their operator. A volume that does not answer must not keep the server from answering.

use std::fmt;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use iac_language_servers::closed::{Closed, Nothing};
use iac_plugins::registry::Registry;
use tokio::sync::{oneshot, watch};
use tokio::time::timeout;

use super::Engine;
use super::live::Changes;

/// How long a look may take before the server no longer looks on threads that answer.
const PATIENCE: Duration = Duration::from_millis(500);

/// The installed plugins.
pub(super) struct Shelf {
    state: Option<PathBuf>,
    cache: Option<PathBuf>,
    engine: Engine,
    /// What no plugin reads.
    closed: Arc<dyn Closed>,
    current: Mutex<Current>,
    changed: watch::Sender<Changes>,
    /// Whether a look hangs. Until it ends, the plugins are those that were found last.
    is_silent: AtomicBool,
}

/// The registry, and the stamp of the file that it was read from.
#[derive(Default)]
struct Current {
    stamp: Option<Stamp>,
    registry: Option<Arc<Registry>>,
    /// Why there is no registry although plugins are installed.
    problem: Option<String>,
}

/// Distinguishes a file from another one that replaced it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    inode: u64,
    bytes: u64,
    written: (i64, i64),
}

impl Default for Shelf {
    fn default() -> Self {
        Self {
            state: None,
            cache: None,
            engine: Engine::default(),
            closed: Arc::new(Nothing),
            current: Mutex::default(),
            changed: watch::Sender::default(),
            is_silent: AtomicBool::default(),
        }
    }
}

impl Shelf {
    /// Finds the plugins below `state`. This state does not count as a change.
    pub(super) fn open(
        state: Option<PathBuf>,
        cache: Option<PathBuf>,
        engine: Engine,
        closed: Arc<dyn Closed>,
    ) -> Self {
        let shelf = Self { state, cache, engine, closed, ..Self::default() };
        shelf.look();
        Self { changed: watch::Sender::default(), ..shelf }
    }

    /// Returns how often each list has changed since the start.
    pub(super) fn changes(&self) -> watch::Receiver<Changes> {
        self.changed.subscribe()
    }

    /// Returns the currently installed plugins, or those that were found last if the volume does not answer.
    pub(super) fn registry(&self) -> Option<Arc<Registry>> {
        if !self.is_silent.load(Ordering::Acquire) {
            self.look();
        }
        self.current().registry.clone()
    }

    /// Returns why the installed plugins cannot be used, if so.
    pub(super) fn problem(&self) -> Option<String> {
        drop(self.registry());
        self.current().problem.clone()
    }

    /// Looks on a thread of its own, which may hang without holding up the end of the process.
    pub(super) async fn look_aside(self: &Arc<Self>) {
        let shelf = Arc::clone(self);
        self.aside(move || shelf.look()).await;
    }

    /// Runs a look. From the moment when it takes too long until it ends, nobody else looks.
    async fn aside(&self, look: impl FnOnce() + Send + 'static) {
        let (done, mut ended) = oneshot::channel();
        let look = move || {
            look();
            // The server may have ended meanwhile.
            let _ = done.send(());
        };
        if let Err(error) = thread::Builder::new().name("plugin-list".to_owned()).spawn(look) {
            tracing::debug!(%error, "nobody looks for plugins");
            return;
        }
        if timeout(PATIENCE, &mut ended).await.is_err() {
            self.is_silent.store(true, Ordering::Release);
            tracing::warn!("the list of plugins cannot be read: its volume does not answer");
            let _ = ended.await;
            self.is_silent.store(false, Ordering::Release);
        }
    }

    /// Reads the file again if it is another one. Nothing is locked while it is read.
    fn look(&self) {
        let Some(state) = self.state.as_deref() else { return };
        let file = state.join("installed.json");
        loop {
            let (seen, before) = {
                let current = self.current();
                (current.stamp, current.registry.clone())
            };
            let unseen = |error: io::Error| (None, Some(format!("{}: {error}", file.display())));
            let (stamp, unseen) = Stamp::of(&file).map_or_else(unseen, |stamp| (stamp, None));
            let is_same = stamp == seen;
            let read = stamp.filter(|_| !is_same).map(|_| self.read(state, before.as_deref())).transpose();
            let mut current = self.current();
            if current.stamp != seen {
                // Another thread was faster, and may have read an older file.
                continue;
            }
            if is_same {
                if stamp.is_none() {
                    current.problem = unseen;
                }
                return;
            }
            let (registry, problem) = match read {
                Ok(read) => (read, unseen),
                Err(problem) => (None, Some(problem)),
            };
            let before = current.registry.take();
            self.changed.send_if_modified(|changes| changes.count(before.as_deref(), registry.as_deref()));
            *current = Current { stamp, registry, problem };
            return;
        }
    }

    fn current(&self) -> MutexGuard<'_, Current> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read(&self, state: &Path, before: Option<&Registry>) -> Result<Arc<Registry>, String> {
        let cache = self.cache.as_deref();
        let read = match before {
            Some(before) => before.again(state, cache),
            None => Registry::open(state, cache, self.engine.decided(), Arc::clone(&self.closed)),
        };
        read.inspect_err(|error| tracing::error!(%error, "plugins are off"))
            .map(Arc::new)
            .map_err(|error| error.to_string())
    }
}

impl Stamp {
    /// `None` if there is no file.
    fn of(file: &Path) -> io::Result<Option<Self>> {
        match std::fs::metadata(file) {
            Ok(found) => {
                let written = (found.mtime(), found.mtime_nsec());
                Ok(Some(Self { inode: found.ino(), bytes: found.len(), written }))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }
}

impl fmt::Debug for Shelf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shelf").field("state", &self.state).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[tokio::test]
    async fn a_volume_that_does_not_answer_holds_nobody_up() {
        let state = tempfile::tempdir().unwrap();
        let shelf =
            Arc::new(Shelf::open(Some(state.path().to_owned()), None, Engine::default(), Arc::new(Nothing)));
        let (answer, silence) = mpsc::channel::<()>();
        let looking = Arc::clone(&shelf);
        let look = move || {
            let _ = silence.recv();
        };
        let looking = tokio::spawn(async move { looking.aside(look).await });
        while !shelf.is_silent.load(Ordering::Acquire) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        // A file that could not be read would be noticed.
        let mut file = std::fs::File::create(state.path().join("installed.json")).unwrap();
        io::Write::write_all(&mut file, b"no list").unwrap();
        assert_eq!(shelf.problem(), None, "nobody looks");
        drop(answer);
        looking.await.unwrap();
        assert!(shelf.problem().is_some(), "the volume answers again");
    }
}
