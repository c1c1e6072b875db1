//! Follows links for the core, which names the paths that an action would reach. Only the disk knows where a link
//! leads.
//!
//! One lasting thread does this, because a disk may never answer. If it hangs, another thread takes its place, and no
//! path goes through the folder that it waits for until that folder answers.

use std::collections::HashMap;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use iac_core::permission::{Closed, Links};

/// How long to wait for a disk. Other calls wait meanwhile, and even over a very slow network a share answers within a
/// second.
const PATIENCE: Duration = Duration::from_secs(2);

/// No system takes a longer path, so nothing is behind it. A text of a client may be longer.
const LONGEST: usize = 4 * 1024;

/// The most threads that wait for folders that do not answer. After that, no path is looked at until one answers.
const MOST_STUCK: usize = 4;

/// Finds the real path of an existing file or folder.
type Look = fn(&Path) -> io::Result<PathBuf>;

/// The folder at which a thread looks now. Only this thread and those who wait for it hold it.
type At = Mutex<Option<PathBuf>>;

/// Makes the function that follows links.
pub(super) fn links() -> Links {
    let readers = Readers { patience: PATIENCE, look: |path| path.canonicalize(), threads: Mutex::default() };
    Links::new(move |paths| readers.follow(paths))
}

/// The threads that follow links.
struct Readers {
    patience: Duration,
    look: Look,
    threads: Mutex<Threads>,
}

#[derive(Default)]
struct Threads {
    working: Option<Reader>,
    /// The threads that have not answered in time. They end by themselves once the disk answers.
    stuck: Vec<Arc<At>>,
}

#[derive(Clone)]
struct Reader {
    asks: Sender<Ask>,
    at: Arc<At>,
}

struct Ask {
    paths: Vec<String>,
    done: Sender<Vec<String>>,
}

impl Readers {
    /// Returns the paths behind all links. The error is a folder that does not answer.
    fn follow(&self, paths: &[String]) -> Result<Vec<String>, String> {
        let first = || paths.first().cloned().unwrap_or_default();
        let (done, answer) = channel();
        let at = self.ask(Ask { paths: paths.to_vec(), done })?.ok_or_else(first)?;
        if let Ok(found) = answer.recv_timeout(self.patience) {
            return Ok(found);
        }
        let folder = self.give_up(&at).map(|folder| folder.to_string_lossy().into_owned());
        // It may have answered at this very moment.
        answer.try_recv().map_err(|_| folder.unwrap_or_else(first))
    }

    /// Gives paths to a thread; `None` if there is none. The error is a folder that does not answer.
    fn ask(&self, ask: Ask) -> Result<Option<Arc<At>>, String> {
        let mut threads = lock(&self.threads);
        threads.stuck.retain(is_running);
        let silent = threads.stuck.iter().filter_map(|at| Some(names(lock(at).as_deref()?)));
        let silent: Vec<Vec<String>> = silent.collect();
        if let Some(path) = ask.paths.iter().find(|path| leads_through(Path::new(path), &silent)) {
            return Err(path.clone());
        }
        let reader = match threads.working.take().filter(|reader| is_running(&reader.at)) {
            Some(reader) => Some(reader),
            None if threads.stuck.len() < MOST_STUCK => Reader::start(self.look).ok(),
            None => None,
        };
        let sent = reader.filter(|reader| reader.asks.send(ask).is_ok());
        threads.working.clone_from(&sent);
        Ok(sent.map(|reader| reader.at))
    }

    /// Lets another thread take the place of this one. Returns the folder for which it waits.
    fn give_up(&self, at: &Arc<At>) -> Option<PathBuf> {
        let mut threads = lock(&self.threads);
        if threads.working.take_if(|reader| Arc::ptr_eq(&reader.at, at)).is_some() {
            threads.stuck.push(Arc::clone(at));
        }
        lock(at).clone()
    }
}

impl Reader {
    /// Starts the thread. It ends when nothing can ask it any longer.
    fn start(look: Look) -> io::Result<Self> {
        let (asks, asked): (_, Receiver<Ask>) = channel();
        let at: Arc<At> = Arc::default();
        let own = Arc::clone(&at);
        let run = move || {
            // If a look panics, the thread drops its half of `own`, so that nothing waits for it.
            while let Ok(Ask { paths, done }) = asked.recv() {
                let mut walk = Walk { look, at: &own, seen: HashMap::new() };
                let found = paths.iter().map(|path| walk.behind(path)).collect();
                *lock(&own) = None;
                // The caller may have given up waiting.
                _ = done.send(found);
            }
        };
        std::thread::Builder::new().name("links".to_owned()).spawn(run)?;
        Ok(Self { asks, at })
    }
}

/// Whether the thread still runs. Those who ask or wait hold the folder too, but only briefly.
fn is_running(at: &Arc<At>) -> bool {
    Arc::strong_count(at) > 1
}

/// Follows the paths of one question, folder by folder from the root, so that it is known which folder does not answer.
struct Walk<'a> {
    look: Look,
    at: &'a At,
    /// The real path of each folder and file on the way; `None` if it does not exist.
    seen: HashMap<PathBuf, Option<PathBuf>>,
}

impl Walk<'_> {
    /// Follows every link in the part of a path that exists. The rest stays as it is.
    fn behind(&mut self, path: &str) -> String {
        if path.len() > LONGEST {
            return path.to_owned();
        }
        let (mut way, mut real) = (PathBuf::new(), PathBuf::new());
        let mut names = Path::new(path).components();
        for name in names.by_ref() {
            way.push(name);
            match self.real(&way) {
                Some(found) => real = found,
                None => {
                    real.push(name);
                    break;
                }
            }
        }
        names.fold(real, |real, name| real.join(name)).to_string_lossy().into_owned()
    }

    fn real(&mut self, way: &Path) -> Option<PathBuf> {
        if let Some(seen) = self.seen.get(way) {
            return seen.clone();
        }
        *lock(self.at) = Some(way.to_owned());
        let real = (self.look)(way).ok();
        self.seen.insert(way.to_owned(), real.clone());
        real
    }
}

/// Whether a path goes through one of these folders, in any spelling.
fn leads_through(path: &Path, silent: &[Vec<String>]) -> bool {
    let mut way = Vec::new();
    !silent.is_empty()
        && path.components().any(|name| {
            step(&mut way, name);
            silent.contains(&way)
        })
}

/// The names of a path, as closed paths are compared.
fn names(path: &Path) -> Vec<String> {
    let mut names = Vec::new();
    path.components().for_each(|name| step(&mut names, name));
    names
}

fn step(names: &mut Vec<String>, name: Component<'_>) {
    match name {
        Component::Normal(name) => names.push(Closed::folded(&name.to_string_lossy())),
        Component::ParentDir => drop(names.pop()),
        Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Instant;

    use super::*;

    fn text(path: &Path) -> String {
        path.to_string_lossy().into_owned()
    }

    #[test]
    fn links_are_followed_as_far_as_they_go() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().canonicalize().unwrap();
        let state = folder.join("state");
        std::fs::create_dir_all(&state).unwrap();
        std::os::unix::fs::symlink(&state, folder.join("link")).unwrap();
        std::os::unix::fs::symlink(folder.join("link"), folder.join("again")).unwrap();
        let closed = crate::closed::closed(Some(&state), "/nobody").with_links(links());
        for name in ["link/policy.toml", "again/new/file", "again", "link/../state/x", "link/none/../x"] {
            assert!(closed.place(&text(&folder.join(name))).is_some(), "{name}");
        }
        for name in ["", "other", "link/../other"] {
            assert_eq!(closed.place(&text(&folder.join(name))), None, "{name}");
        }
    }

    static GOES_ON: AtomicBool = AtomicBool::new(false);

    #[test]
    fn a_folder_that_does_not_answer_is_waited_for_once() {
        fn slow(path: &Path) -> io::Result<PathBuf> {
            while path.starts_with("/Users/alex/NAS") && !GOES_ON.load(Ordering::Acquire) {
                std::thread::sleep(Duration::from_millis(5));
            }
            Ok(path.to_owned())
        }
        let mut readers =
            Readers { patience: Duration::from_millis(30), look: slow, threads: Mutex::default() };
        let ask = |readers: &Readers, path: &str| readers.follow(&[path.to_owned()]);
        assert_eq!(ask(&readers, "/Users/alex/NAS/deep/a"), Err("/Users/alex/NAS".to_owned()));
        let began = Instant::now();
        readers.patience = Duration::from_secs(60);
        for path in ["/Users/alex/NAS/b", "/users/Alex/nas", "/Users/x/../alex/NAS/../b"] {
            assert_eq!(ask(&readers, path), Err(path.to_owned()), "no one waits a second time");
        }
        for path in ["/Users/alex/Desktop/a", "/Users/alex", "/Users/alex/NAS2"] {
            assert_eq!(ask(&readers, path), Ok(vec![path.to_owned()]));
        }
        assert!(began.elapsed() < Duration::from_secs(30));
        GOES_ON.store(true, Ordering::Release);
        while ask(&readers, "/Users/alex/NAS/b").is_err() {
            assert!(began.elapsed() < Duration::from_secs(60), "once it answers, it is asked again");
        }
    }

    #[test]
    fn few_threads_wait_for_silent_folders() {
        fn never(path: &Path) -> io::Result<PathBuf> {
            while path.starts_with("/silent") && path != Path::new("/silent") {
                std::thread::park();
            }
            Ok(path.to_owned())
        }
        let readers = Readers { patience: Duration::from_millis(20), look: never, threads: Mutex::default() };
        for number in 0..9 {
            assert!(readers.follow(&[format!("/silent/{number}/a")]).is_err());
        }
        assert_eq!(lock(&readers.threads).stuck.len(), MOST_STUCK);
    }

    #[test]
    fn a_look_that_panics_is_not_the_last() {
        fn fails(path: &Path) -> io::Result<PathBuf> {
            assert!(!path.ends_with("bad"), "a test");
            Ok(path.to_owned())
        }
        let readers = Readers { patience: Duration::from_secs(60), look: fails, threads: Mutex::default() };
        for path in ["/x/bad", "/x/good", "/x/bad", "/x/bad/a"] {
            let found = readers.follow(&[path.to_owned()]);
            assert_eq!(found.is_ok(), path.ends_with("good"), "{path}");
        }
        let began = Instant::now();
        while readers.follow(&["/x/good".to_owned()]).is_err() {
            assert!(began.elapsed() < Duration::from_secs(60));
        }
    }
}
