//! The output of the system's converter, for apps whose dictionary the server cannot read itself.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::cache::Cache;
use crate::stamp::Source;

/// The kind of these entries in the cache.
const KIND: &str = "converted";

/// A dictionary as the converter wrote it; `None` if it made none.
type Made = Option<Vec<u8>>;

/// The converted dictionaries. Each is kept with the stamp that the app's property list had at the time.
#[derive(Debug)]
pub(crate) struct Converted {
    cache: Option<Cache>,
    /// By the app's folder. An app must be converted again when its property list changes.
    known: Mutex<BTreeMap<PathBuf, (Option<Source>, Made)>>,
}

impl Converted {
    pub(crate) fn new(cache: Option<Cache>) -> Self {
        Self { cache, known: Mutex::default() }
    }

    /// Returns the output for an app, if its property list is unchanged.
    pub(crate) fn of(&self, folder: &Path, list: Option<&Source>) -> Made {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if !known.contains_key(folder) {
            let kept: Option<(Option<Source>, Made)> =
                self.cache.as_ref()?.get(KIND, &folder.to_string_lossy());
            known.insert(folder.to_owned(), kept?);
        }
        let (made_of, made) = known.get(folder)?;
        made.clone().filter(|_| made_of.as_ref() == list)
    }

    /// Whether this process has asked the converter about an app, in vain.
    pub(crate) fn was_tried(&self, folder: &Path) -> bool {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(folder).is_some_and(|(_, made)| made.is_none())
    }

    /// Stores the output. A failure is remembered only in this process, because the next one may reach a converter.
    pub(crate) fn keep(&self, folder: &Path, list: Option<Source>, made: Made) {
        let entry = (list, made);
        if let Some(cache) = self.cache.as_ref().filter(|_| entry.1.is_some()) {
            cache.put(KIND, &folder.to_string_lossy(), &entry);
        }
        self.known.lock().unwrap_or_else(PoisonError::into_inner).insert(folder.to_owned(), entry);
    }
}
