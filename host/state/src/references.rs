//! References that survive a server: one file per process. The next start loads it after its owner has ended.
//!
//! An owner holds a lock beside its file for as long as it lives, so that no process number has to be trusted.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use iac_core::reference::Saved;

use crate::volume::Volume;
use crate::{StateError, file, regular};

/// The most that is kept for one process: as many references as may be held, with the longest ways.
const MOST: u64 = 64 * regular::MOST;

/// The saved references of one process, and those that it may take over.
#[derive(Debug)]
pub struct SavedReferences {
    folder: PathBuf,
    volume: Volume,
    own: Arc<Mutex<Option<Own>>>,
}

/// The file of this process, with the lock that shows that the process is alive.
#[derive(Debug)]
struct Own {
    path: PathBuf,
    alive: File,
}

/// What an earlier process left behind; its files go when this is dropped by [`Left::taken`].
#[derive(Debug, Default)]
pub struct Left {
    /// The references.
    pub saved: Vec<Saved>,
    files: Vec<(PathBuf, File)>,
}

impl SavedReferences {
    /// Looks at nothing yet.
    pub(crate) fn new(folder: PathBuf, volume: Volume) -> Self {
        Self { folder, volume, own: Arc::default() }
    }

    /// Reads the files of ended processes. An unreadable file counts as empty, and so does a volume that does not
    /// respond.
    pub fn left(&self) -> Left {
        let folder = self.folder.clone();
        let left = self.volume.reach(&[&self.folder], move || Ok(Left::read(&folder)));
        left.inspect_err(|error| tracing::warn!(%error, "references of earlier processes are not loaded"))
            .unwrap_or_default()
    }

    /// Writes the references of this process; where there are none and never were, nothing is written.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn save(&mut self, saved: &[Saved]) -> Result<(), StateError> {
        let text = serde_json::to_vec(saved).expect("saved references are plain data");
        let (own, folder, is_empty) = (Arc::clone(&self.own), self.folder.clone(), saved.is_empty());
        self.volume.reach(&[&self.folder], move || {
            let mut own = own.lock().unwrap_or_else(PoisonError::into_inner);
            if is_empty && own.is_none() {
                return Ok(());
            }
            // If its lock was removed, the process needs another file.
            let there = match own.take().filter(Own::is_there) {
                Some(own) => own,
                None => Own::claim(&folder)?,
            };
            file::replace(&own.insert(there).path, &text, MOST)
        })
    }
}

impl Left {
    fn read(folder: &Path) -> Self {
        let mut left = Self::default();
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.extension().is_some_and(|ending| ending == "json")
                && let Some(lock) = lock_of(&path).ok().filter(|lock| lock.try_lock().is_ok())
            {
                let text = regular::bytes(&path, MOST).unwrap_or_default().unwrap_or_default();
                left.saved.extend(serde_json::from_slice::<Vec<Saved>>(&text).unwrap_or_default());
                left.files.push((path, lock));
            }
        }
        left
    }
}

impl Own {
    fn claim(folder: &Path) -> Result<Self, StateError> {
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

    fn is_there(&self) -> bool {
        self.alive.metadata().is_ok_and(|found| found.nlink() > 0)
    }
}

impl Left {
    /// Removes the files, once what they hold is kept elsewhere.
    pub fn taken(self) {
        for (path, _lock) in &self.files {
            for gone in [path.clone(), path.with_extension("lock")] {
                if let Err(error) = fs::remove_file(&gone) {
                    tracing::debug!(%error, "{} stays", gone.display());
                }
            }
        }
    }
}

fn lock_of(path: &Path) -> Result<File, StateError> {
    regular::open(&path.with_extension("lock"), OpenOptions::new().create(true).append(true).mode(0o600))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(n: u8) -> Vec<Saved> {
        let id = format!("ref_aaaaaaaaaaaaaaa{}", char::from(b'a' + n));
        vec![Saved {
            id,
            app: "com.apple.mail".into(),
            specifier: "application".into(),
            created: 1,
            used: 2,
            mark: None,
            occurrence: None,
        }]
    }

    #[test]
    fn the_living_keep_theirs_and_the_dead_are_inherited() {
        let folder = tempfile::tempdir().unwrap();
        let mut alive = SavedReferences::new(folder.path().join("references"), Volume::unknown());
        let mut dead = SavedReferences::new(folder.path().join("references"), Volume::unknown());
        alive.save(&one(0)).unwrap();
        dead.save(&one(1)).unwrap();
        drop(dead);
        let heir = SavedReferences::new(folder.path().join("references"), Volume::unknown());
        let left = heir.left();
        assert_eq!(left.saved, one(1));
        assert_eq!(heir.left().saved, [], "two heirs do not take the same");
        left.taken();
        drop(alive);
        assert_eq!(heir.left().saved, one(0));
    }

    #[test]
    fn a_folder_that_is_removed_is_made_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("references");
        let mut alive = SavedReferences::new(path.clone(), Volume::unknown());
        alive.save(&one(0)).unwrap();
        fs::remove_dir_all(&path).unwrap();
        alive.save(&one(1)).unwrap();
        let heir = SavedReferences::new(path, Volume::unknown());
        assert_eq!(heir.left().saved, [], "its owner lives");
        drop(alive);
        assert_eq!(heir.left().saved, one(1));
    }

    #[test]
    fn what_is_damaged_or_empty_is_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let mut saved = SavedReferences::new(folder.path().to_owned(), Volume::unknown());
        saved.save(&[]).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        File::create(folder.path().join("7-0.json")).unwrap();
        assert_eq!(saved.left().saved, []);
    }
}
