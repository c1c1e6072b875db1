//! References that survive a server: one file for each process. After the process has ended, the next start takes its
//! file over.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use iac_core::reference::Saved;

use crate::own::{self, Own};
use crate::volume::Volume;
use crate::{StateError, file, regular};

/// The size limit for one process: the most references that can be held, each with the longest specifier.
const MOST: u64 = 64 * regular::MOST;

/// The saved references of one process, and access to those of ended processes.
#[derive(Debug)]
pub struct SavedReferences {
    folder: PathBuf,
    volume: Volume,
    own: Arc<Mutex<Option<Own>>>,
}

/// References that ended processes left behind. [`Left::taken`] removes their files.
#[derive(Debug, Default)]
pub struct Left {
    /// The references.
    pub saved: Vec<Saved>,
    files: Vec<(PathBuf, File)>,
}

impl SavedReferences {
    /// Makes the value. No file is opened yet.
    pub(crate) fn new(folder: PathBuf, volume: Volume) -> Self {
        Self { folder, volume, own: Arc::default() }
    }

    /// Reads the files of ended processes. A file that cannot be read counts as empty, and so do all files if the
    /// volume does not respond.
    pub fn left(&self) -> Left {
        let folder = self.folder.clone();
        let left = self.volume.reach(&[&self.folder], move || Ok(Left::read(&folder)));
        left.inspect_err(|error| tracing::warn!(%error, "references of earlier processes are not loaded"))
            .unwrap_or_default()
    }

    /// Writes the references of this process. If there are none and never were any, it writes nothing.
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
            let there = match own.take().filter(Own::is_there) {
                Some(own) => own,
                None => Own::claim(&folder)?,
            };
            file::replace(own.insert(there).path(), &text, MOST)
        })
    }
}

impl Left {
    fn read(folder: &Path) -> Self {
        let mut left = Self::default();
        for (path, lock) in own::left(folder) {
            let text = regular::bytes(&path, MOST).unwrap_or_default().unwrap_or_default();
            left.saved.extend(serde_json::from_slice::<Vec<Saved>>(&text).unwrap_or_default());
            left.files.push((path, lock));
        }
        left
    }
}

impl Left {
    /// Removes the files, once their contents are stored elsewhere.
    pub fn taken(self) {
        for (path, _lock) in &self.files {
            own::remove(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

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
