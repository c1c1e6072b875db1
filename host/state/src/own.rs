//! Files that each belong to one process. The owner holds a lock beside its file as long as it lives, so nobody has
//! to rely on process ids.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use crate::{StateError, regular};

/// The file of this process, and the held lock that shows that the process is alive.
#[derive(Debug)]
pub(crate) struct Own {
    path: PathBuf,
    alive: File,
}

impl Own {
    /// Claims a free name in a folder, which is created if it is missing.
    ///
    /// # Errors
    /// The folder or the lock cannot be created.
    pub(crate) fn claim(folder: &Path) -> Result<Self, StateError> {
        DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(StateError::io(folder))?;
        for attempt in 0_u32.. {
            let path = folder.join(format!("{}-{attempt}.json", std::process::id()));
            let lock = lock_of(&path)?;
            match lock.try_lock() {
                Ok(()) => return Ok(Self { path, alive: lock }),
                Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(error)) => return Err(StateError::io(&path)(error)),
            }
        }
        unreachable!("one of four thousand million names is free")
    }

    /// Whether the lock file still exists. If it was removed, the process must claim another file.
    pub(crate) fn is_there(&self) -> bool {
        self.alive.metadata().is_ok_and(|found| found.nlink() > 0)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

/// Returns the files whose owners have ended. Each is locked, so that no other process takes it too.
pub(crate) fn left(folder: &Path) -> Vec<(PathBuf, File)> {
    let locked = |path: PathBuf| {
        let lock = lock_of(&path).ok().filter(|lock| lock.try_lock().is_ok())?;
        Some((path, lock))
    };
    all(folder).filter_map(locked).collect()
}

/// Returns the files whose owners are alive. It creates and writes nothing.
pub(crate) fn living(folder: &Path) -> impl Iterator<Item = PathBuf> {
    // The lock is shared, so that several readers do not mistake each other for the owner.
    let is_held = |path: &PathBuf| {
        let lock = regular::open(&path.with_extension("lock"), OpenOptions::new().read(true));
        lock.is_ok_and(|lock| matches!(lock.try_lock_shared(), Err(TryLockError::WouldBlock)))
    };
    all(folder).filter(is_held)
}

/// Removes a file and its lock.
pub(crate) fn remove(path: &Path) {
    for gone in [path.to_owned(), path.with_extension("lock")] {
        if let Err(error) = fs::remove_file(&gone) {
            tracing::debug!(%error, "{} stays", gone.display());
        }
    }
}

fn all(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|ending| ending == "json"))
}

fn lock_of(path: &Path) -> Result<File, StateError> {
    regular::open(&path.with_extension("lock"), OpenOptions::new().create(true).append(true).mode(0o600))
}
