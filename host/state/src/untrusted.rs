//! When any server of this state directory last read untrusted text. A client that restarts its server, or runs two,
//! still has that text in its conversation.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Serialize};

use crate::{StateError, file, regular};
use file::Watched;

/// The name of the file in the state directory.
pub(crate) const NAME: &str = "untrusted.json";

/// A time is not written again within this interval, because a client that reads mail does so many times a minute.
/// Readers of the file add the interval, so the protection may last too long but never ends too early.
const COARSE: Duration = Duration::from_secs(30);

/// The last read of untrusted text, by this process and by the others.
#[derive(Debug)]
pub(crate) struct Untrusted {
    path: PathBuf,
    own: Mutex<Option<Moment>>,
    shared: Mutex<Watched<Shared>>,
}

/// The contents of the file.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Shared {
    read: Option<Moment>,
}

/// A moment on two clocks, in milliseconds. The monotonic clock counts from the start of the machine and cannot be
/// set. The wall clock goes on after a restart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Moment {
    at: u64,
    since_boot: u64,
}

impl Moment {
    fn now() -> Self {
        // On a Mac this clock keeps running while the machine sleeps.
        let since_boot = Duration::try_from(clock_gettime(ClockId::Monotonic)).unwrap_or_default();
        let at = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self { at: millis(at), since_boot: millis(since_boot) }
    }

    /// How long ago this was. If the machine was restarted since, it is at least the time since the restart.
    fn age(self, now: Self) -> Duration {
        let age = match now.since_boot.checked_sub(self.since_boot) {
            Some(age) => age,
            None => now.at.saturating_sub(self.at).max(now.since_boot),
        };
        Duration::from_millis(age)
    }
}

impl Untrusted {
    pub(crate) fn new(folder: &Path) -> Self {
        let path = folder.join(NAME);
        let shared = Mutex::new(Watched::new(path.clone(), regular::MOST));
        Self { path, own: Mutex::default(), shared }
    }

    /// Records a read of untrusted text. It applies to this process at once. Returns whether the file must be
    /// written.
    pub(crate) fn note(&self) -> bool {
        let now = Moment::now();
        *lock(&self.own) = Some(now);
        let known = lock(&self.shared).last().and_then(|shared| shared.read);
        known.is_none_or(|read| read.age(now) >= COARSE)
    }

    /// Writes the file, which tells the other processes.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(crate) fn write(&self) -> Result<(), StateError> {
        let shared = Shared { read: Some(Moment::now()) };
        let text = serde_json::to_string(&shared).expect("two numbers are plain data") + "\n";
        file::replace(&self.path, text.as_bytes(), regular::MOST)
    }

    /// Returns how long ago untrusted text was read; `None` if it never was.
    ///
    /// # Errors
    /// The file cannot be read or parsed.
    pub(crate) fn age(&self) -> Result<Option<Duration>, StateError> {
        let shared = lock(&self.shared).read(parse)?.read;
        let own = *lock(&self.own);
        if shared.is_none() && own.is_none() {
            return Ok(None);
        }
        let now = Moment::now();
        let shared = shared.map(|read| read.age(now).saturating_sub(COARSE));
        Ok([shared, own.map(|read| read.age(now))].into_iter().flatten().min())
    }
}

fn parse(path: &Path, text: &str) -> Result<Shared, StateError> {
    serde_json::from_str(text)
        .map_err(|error| StateError::Damaged { path: path.to_owned(), error: error.to_string() })
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: u64 = 3_600_000;

    #[test]
    fn a_clock_that_is_set_moves_nothing() {
        let check = |now: (u64, u64), hours| {
            let read = Moment { at: 10 * HOUR, since_boot: 5 * HOUR };
            let now = Moment { at: now.0 * HOUR, since_boot: now.1 * HOUR };
            assert_eq!(read.age(now), Duration::from_millis(hours * HOUR), "{now:?}");
        };
        check((10, 5), 0);
        check((11, 6), 1);
        check((99, 5), 0); // wall clock set forward
        check((1, 6), 1); // wall clock set back
        check((12, 0), 2); // machine restarted
        check((99, 1), 89); // and switched off for long
        check((1, 2), 2); // and wall clock set back: at least the time since the restart
    }

    #[test]
    fn every_process_knows_of_it() {
        let folder = tempfile::tempdir().unwrap();
        let (reads, other) = (Untrusted::new(folder.path()), Untrusted::new(folder.path()));
        assert_eq!((reads.age().unwrap(), other.age().unwrap()), (None, None));
        assert!(reads.note());
        assert!(reads.age().unwrap().is_some(), "also where it cannot be written");
        reads.write().unwrap();
        assert!(other.age().unwrap().is_some_and(|age| age < Duration::from_secs(30)));
        assert!(reads.age().is_ok() && !reads.note(), "it was written just now");
        std::fs::remove_file(folder.path().join(NAME)).unwrap();
        assert_eq!(other.age().unwrap(), None);
        std::os::unix::fs::symlink("/dev/zero", folder.path().join(NAME)).unwrap();
        assert!(other.age().is_err());
    }
}
