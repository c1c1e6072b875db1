//! The current status of each running server, for `iac-mcp top`: one file for each server.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value as Json;

use crate::own::{self, Own};
use crate::volume::Volume;
use crate::{StateError, file, regular};

/// The size limit of a status, for writers and readers.
const MOST: u64 = regular::MOST;

/// The folder of these files in a state directory.
const NAME: &str = "servers";

/// The published status of this server.
#[derive(Debug)]
pub struct Status {
    folder: PathBuf,
    volume: Volume,
    own: Arc<Mutex<Option<Own>>>,
}

impl Status {
    /// Makes the value. No file is opened yet.
    pub(crate) fn new(state: &Path, volume: Volume) -> Self {
        Self { folder: state.join(NAME), volume, own: Arc::default() }
    }

    /// Replaces the status of this server. The first call also removes the files of servers that were killed.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, status: &Json) -> Result<(), StateError> {
        let text = status.to_string();
        let (own, folder) = (Arc::clone(&self.own), self.folder.clone());
        self.volume.reach(&[&self.folder], move || {
            let mut own = own.lock().unwrap_or_else(PoisonError::into_inner);
            let there = match own.take().filter(Own::is_there) {
                Some(own) => own,
                None => {
                    own::left(&folder).iter().for_each(|(path, _lock)| own::remove(path));
                    Own::claim(&folder)?
                }
            };
            file::replace_passing(own.insert(there).path(), text.as_bytes(), MOST)
        })
    }

    /// Removes the status, because the server is ending.
    pub fn end(&self) {
        let own = Arc::clone(&self.own);
        let removed = self.volume.reach(&[&self.folder], move || {
            let own = own.lock().unwrap_or_else(PoisonError::into_inner).take();
            own.iter().for_each(|own| own::remove(own.path()));
            Ok(())
        });
        if let Err(error) = removed {
            tracing::debug!(%error, "the status of this server stays");
        }
    }
}

/// Reads the status of every running server of a state directory. A killed server no longer holds its lock, so its
/// file is ignored.
pub fn living(state: &Path) -> Vec<Json> {
    let read = |path: PathBuf| serde_json::from_slice(&regular::bytes(&path, MOST).ok()??).ok();
    own::living(&state.join(NAME)).filter_map(read).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write as _;

    use serde_json::json;

    use super::*;

    #[test]
    fn only_the_living_are_read_and_the_dead_are_removed() {
        let state = tempfile::tempdir().unwrap();
        let status = || Status::new(state.path(), Volume::unknown());
        let files = || fs::read_dir(state.path().join(NAME)).unwrap().count();
        assert_eq!(living(state.path()), [] as [Json; 0]);
        let (alive, killed) = (status(), status());
        alive.write(&json!({ "calls": 1 })).unwrap();
        killed.write(&json!({ "calls": 2 })).unwrap();
        assert_eq!(living(state.path()).len(), 2);
        drop(killed);
        alive.write(&json!({ "calls": 3 })).unwrap();
        assert_eq!(living(state.path()), [json!({ "calls": 3 })]);
        assert_eq!(files(), 4, "looking removes nothing");
        let next = status();
        next.write(&json!({ "calls": 4 })).unwrap();
        assert_eq!((living(state.path()).len(), files()), (2, 4));
        next.end();
        assert_eq!((living(state.path()), files()), (vec![json!({ "calls": 3 })], 2));
    }

    #[test]
    fn a_folder_that_is_removed_is_made_again() {
        let state = tempfile::tempdir().unwrap();
        let status = Status::new(state.path(), Volume::unknown());
        status.write(&json!(1)).unwrap();
        fs::remove_dir_all(state.path().join(NAME)).unwrap();
        assert_eq!(living(state.path()), [] as [Json; 0]);
        status.write(&json!(2)).unwrap();
        assert_eq!(living(state.path()), [json!(2)]);
    }

    #[test]
    fn what_another_put_there_is_no_server() {
        let state = tempfile::tempdir().unwrap();
        let folder = state.path().join(NAME);
        fs::create_dir(&folder).unwrap();
        for (name, text) in [("1-0.json", "{}"), ("2-0.json", "{}"), ("2-0.lock", "")] {
            fs::File::create(folder.join(name)).unwrap().write_all(text.as_bytes()).unwrap();
        }
        assert_eq!(living(state.path()), [] as [Json; 0]);
    }
}
