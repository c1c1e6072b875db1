//! Files that several processes read and replace.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::{StateError, regular};

/// The content of a file. It is read again when the file was changed or replaced.
#[derive(Debug)]
pub(crate) struct Watched<T> {
    path: PathBuf,
    /// The size limit in bytes.
    most: u64,
    /// The content that was last read, and the file's stamp then; `None` if there was no file.
    seen: Option<(Option<Stamp>, Arc<T>)>,
}

/// The metadata that changes when a file is written or replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp([i64; 7]);

impl<T: Default> Watched<T> {
    pub(crate) fn new(path: PathBuf, most: u64) -> Self {
        Self { path, most, seen: None }
    }

    /// Returns the content, or the default if there is no file.
    pub(crate) fn read(
        &mut self,
        parse: fn(&Path, &str) -> Result<T, StateError>,
    ) -> Result<Arc<T>, StateError> {
        let before = stamp(&self.path)?;
        if let Some((seen, value)) = &self.seen
            && *seen == before
        {
            return Ok(Arc::clone(value));
        }
        self.seen = None;
        let text = if before.is_some() { regular::text(&self.path, self.most)? } else { None };
        let value = Arc::new(text.map_or_else(|| Ok(T::default()), |text| parse(&self.path, &text))?);
        // If the file changed during the read, it is read again next time.
        let same = before.is_none() || stamp(&self.path).is_ok_and(|after| after == before);
        self.seen = same.then(|| (before, Arc::clone(&value)));
        Ok(value)
    }

    /// Returns the content of the last read, however old it is.
    pub(crate) fn last(&self) -> Option<Arc<T>> {
        self.seen.as_ref().map(|(_, value)| Arc::clone(value))
    }
}

fn stamp(path: &Path) -> Result<Option<Stamp>, StateError> {
    match path.metadata() {
        Ok(found) => Ok(Some(Stamp([
            i64::from_ne_bytes(found.dev().to_ne_bytes()),
            i64::from_ne_bytes(found.ino().to_ne_bytes()),
            i64::from_ne_bytes(found.size().to_ne_bytes()),
            found.mtime(),
            found.mtime_nsec(),
            found.ctime(),
            found.ctime_nsec(),
        ]))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(StateError::io(path)(error)),
    }
}

/// The prefix of a temporary file that will replace another file.
const FRESH: &str = ".new-";

/// A temporary file older than this is left over from a writer that was killed.
const ABANDONED: Duration = Duration::from_secs(60);

/// Removes the temporary files that killed processes have left in a state directory.
pub(crate) fn clean(folder: &Path) {
    for folder in [folder.to_owned(), folder.join("audit"), folder.join("references"), folder.join("servers")]
    {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        for entry in entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(FRESH)) {
            let written = entry.metadata().and_then(|found| found.modified());
            let age = written.ok().and_then(|written| written.elapsed().ok()).unwrap_or_default();
            if age >= ABANDONED
                && let Err(error) = fs::remove_file(entry.path())
            {
                tracing::debug!(%error, "{} stays", entry.path().display());
            }
        }
    }
}

/// How long to wait for the lock of shared files. A process holds it for a few hundredths of a second, but one that
/// was suspended would hold it for ever.
const PATIENCE: Duration = Duration::from_secs(2);

/// How often the lock is tried.
const POLL: Duration = Duration::from_millis(3);

/// Acquires the lock of shared files. It is released when the file is dropped.
pub(crate) fn lock(path: &Path) -> Result<File, StateError> {
    let file = regular::open(path, OpenOptions::new().create(true).append(true).mode(0o600))?;
    let end = Instant::now() + PATIENCE;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::Error(error)) => return Err(StateError::io(path)(error)),
            Err(TryLockError::WouldBlock) if Instant::now() >= end => {
                return Err(StateError::Held { path: path.to_owned() });
            }
            Err(TryLockError::WouldBlock) => std::thread::sleep(POLL),
        }
    }
}

/// Replaces a file atomically. A reader, or the next start after a power failure, finds either the old file or the
/// new one. It refuses to write more than a reader accepts, because after that nothing could run.
pub(crate) fn replace(path: &Path, bytes: &[u8], most: u64) -> Result<(), StateError> {
    replace_in(path, bytes, most, true)
}

/// Replaces a file that is of no use after a power failure. It does not wait for the disk.
pub(crate) fn replace_passing(path: &Path, bytes: &[u8], most: u64) -> Result<(), StateError> {
    replace_in(path, bytes, most, false)
}

fn replace_in(path: &Path, bytes: &[u8], most: u64, durable: bool) -> Result<(), StateError> {
    if bytes.len() as u64 > most {
        return Err(StateError::TooLarge { path: path.to_owned(), most });
    }
    let write = || {
        let folder = path.parent().ok_or_else(|| io::Error::other("a file is in a folder"))?;
        let mut fresh = tempfile::Builder::new().prefix(FRESH).tempfile_in(folder)?;
        fresh.write_all(bytes)?;
        if durable {
            fresh.as_file().sync_all()?;
        }
        fresh.persist(path)?;
        if durable { File::open(folder)?.sync_all() } else { Ok(()) }
    };
    write().map_err(StateError::io(path))
}
