//! The plugins as they are installed now. Each use waits for a look at the file of receipts, so that running servers
//! follow their operator. One thread reads this file, and nothing waits long for it, so a volume that does not answer
//! does not stop the server.

use std::fmt;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use iac_language_servers::closed::{Closed, Nothing};
use iac_plugins::registry::Registry;
use tokio::sync::{oneshot, watch};
use tokio::time::timeout;

use super::Engine;
use super::live::Changes;

/// How long a request waits for a look. After this time, requests do not wait until the look ends: they get the
/// plugins that were found last.
const PATIENCE: Duration = Duration::from_millis(500);

/// The installed plugins.
#[derive(Default)]
pub(super) struct Shelf {
    held: Arc<Held>,
    /// Started by the first look after the start.
    reader: Mutex<Option<Arc<Reader>>>,
}

/// What is known of the plugins, and where they are.
struct Held {
    state: Option<PathBuf>,
    /// Where the stores of plugins are, if not below `state`.
    own: Option<PathBuf>,
    cache: Option<PathBuf>,
    engine: Engine,
    /// What no plugin reads.
    closed: Arc<dyn Closed>,
    current: Mutex<Current>,
    changed: watch::Sender<Changes>,
}

/// A thread that looks for those who ask. It may hang without delaying the end of the process.
struct Reader {
    asked: mpsc::Sender<oneshot::Sender<()>>,
    /// When the current look began.
    began: Arc<Mutex<Option<Instant>>>,
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

impl Default for Held {
    fn default() -> Self {
        Self {
            state: None,
            own: None,
            cache: None,
            engine: Engine::default(),
            closed: Arc::new(Nothing),
            current: Mutex::default(),
            changed: watch::Sender::default(),
        }
    }
}

impl Shelf {
    /// Finds the plugins below `state`, with their stores below `own` or there too. This state does not count as a
    /// change.
    pub(super) fn open(
        state: Option<PathBuf>,
        own: Option<PathBuf>,
        cache: Option<PathBuf>,
        engine: Engine,
        closed: Arc<dyn Closed>,
    ) -> Self {
        let held = Held { state, own, cache, engine, closed, ..Held::default() };
        held.look();
        Self { held: Arc::new(Held { changed: watch::Sender::default(), ..held }), ..Self::default() }
    }

    /// Returns how often each list has changed since the start.
    pub(super) fn changes(&self) -> watch::Receiver<Changes> {
        self.held.changed.subscribe()
    }

    /// Looks whether the plugins have changed. Returns false if the look takes too long.
    pub(super) async fn look(&self) -> bool {
        if self.held.state.is_none() {
            return true;
        }
        match self.reader() {
            Ok(reader) => reader.look().await,
            Err(error) => {
                tracing::warn!(%error, "cannot start the thread that reads the plugin list");
                true
            }
        }
    }

    /// Returns the plugins that the last look found.
    pub(super) fn registry(&self) -> Option<Arc<Registry>> {
        self.held.current().registry.clone()
    }

    /// Returns why the installed plugins cannot be used, if so.
    pub(super) fn problem(&self) -> Option<String> {
        self.held.current().problem.clone()
    }

    /// Returns the thread that reads the file. It is started again if a look has panicked.
    fn reader(&self) -> io::Result<Arc<Reader>> {
        let mut reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(reader) = reader.as_ref().filter(|reader| reader.is_running()) {
            return Ok(Arc::clone(reader));
        }
        let held = Arc::clone(&self.held);
        Ok(Arc::clone(reader.insert(Arc::new(Reader::start(move || held.look())?))))
    }
}

impl Reader {
    /// Starts the thread. It ends when the reader is dropped.
    fn start(look: impl Fn() + Send + 'static) -> io::Result<Self> {
        let (asked, asks) = mpsc::channel::<oneshot::Sender<()>>();
        let began = Arc::default();
        let beginning = Arc::clone(&began);
        let run = move || {
            while let Ok(first) = asks.recv() {
                // One look answers everyone who has asked before it.
                let waiting: Vec<_> = std::iter::once(first).chain(asks.try_iter()).collect();
                set(&beginning, Some(Instant::now()));
                look();
                set(&beginning, None);
                // Those who have waited too long have gone.
                waiting.into_iter().for_each(|done| _ = done.send(()));
            }
        };
        thread::Builder::new().name("plugin-list".to_owned()).spawn(run)?;
        Ok(Self { asked, began })
    }

    /// Waits for a look that begins after this call. Returns false if it takes too long.
    async fn look(&self) -> bool {
        if self.is_late() {
            return false;
        }
        let (done, ended) = oneshot::channel();
        // If the thread has ended, so has the channel, and the next look starts another thread.
        _ = self.asked.send(done);
        timeout(PATIENCE, ended).await.is_ok()
    }

    /// Tells whether the thread has not ended: it holds the other half of `began`.
    fn is_running(&self) -> bool {
        Arc::strong_count(&self.began) > 1
    }

    /// Tells whether the current look has already taken too long.
    fn is_late(&self) -> bool {
        let began = *self.began.lock().unwrap_or_else(PoisonError::into_inner);
        began.is_some_and(|began| began.elapsed() >= PATIENCE)
    }
}

fn set(began: &Mutex<Option<Instant>>, to: Option<Instant>) {
    *began.lock().unwrap_or_else(PoisonError::into_inner) = to;
}

impl Held {
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
                // Another look was faster, and may have read an older file.
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
            None => {
                let (own, closed) = (self.own.clone(), Arc::clone(&self.closed));
                Registry::open(state, own, cache, self.engine.decided(), closed)
            }
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
        f.debug_struct("Shelf").field("state", &self.held.state).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shelf(state: &Path) -> Shelf {
        Shelf::open(Some(state.to_owned()), None, None, Engine::default(), Arc::new(Nothing))
    }

    fn write(state: &Path, text: &[u8]) {
        let mut file = std::fs::File::create(state.join("installed.json")).unwrap();
        io::Write::write_all(&mut file, text).unwrap();
    }

    #[tokio::test]
    async fn a_request_waits_for_a_look() {
        let state = tempfile::tempdir().unwrap();
        let shelf = shelf(state.path());
        write(state.path(), b"no list");
        assert_eq!(shelf.problem(), None, "nothing has looked yet");
        assert!(shelf.look().await);
        assert!(shelf.problem().is_some());
    }

    #[tokio::test]
    async fn a_volume_that_does_not_answer_stops_nothing() {
        let state = tempfile::tempdir().unwrap();
        let shelf = shelf(state.path());
        let (answer, silence) = mpsc::channel::<()>();
        let held = Arc::clone(&shelf.held);
        let reader = Reader::start(move || {
            _ = silence.recv();
            held.look();
        });
        *shelf.reader.lock().unwrap() = Some(Arc::new(reader.unwrap()));
        write(state.path(), b"no list");
        let begin = Instant::now();
        assert!(!shelf.look().await);
        assert!(begin.elapsed() >= PATIENCE);
        let begin = Instant::now();
        for _ in 0..50 {
            assert!(!shelf.look().await);
        }
        assert!(begin.elapsed() < 50 * PATIENCE, "the later requests do not wait");
        assert_eq!(shelf.problem(), None, "the plugins are those that were found last");
        drop(answer);
        for _ in 0..500 {
            if shelf.problem().is_some() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        assert!(shelf.problem().is_some(), "the volume answers again");
        assert!(shelf.look().await);
    }

    #[tokio::test]
    async fn a_look_that_panics_is_not_the_last() {
        let state = tempfile::tempdir().unwrap();
        let shelf = shelf(state.path());
        let reader = Reader::start(|| panic!("a test"));
        *shelf.reader.lock().unwrap() = Some(Arc::new(reader.unwrap()));
        write(state.path(), b"no list");
        shelf.look().await;
        while shelf.problem().is_none() {
            shelf.look().await;
        }
    }
}
