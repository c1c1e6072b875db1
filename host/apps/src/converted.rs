//! The system converter's output for apps without a dictionary that the server can read.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::cache::Cache;
use crate::stamp::Source;

/// The kind of these files among those of the cache.
const KIND: &str = "converted";

/// A dictionary as the converter wrote it; `None` if it made none.
type Made = Option<Vec<u8>>;

/// The converted dictionaries, each with the state of the app's property list at that time.
#[derive(Debug)]
pub(crate) struct Converted {
    cache: Option<Cache>,
    /// By the app's folder. An app whose property list has changed has to be converted again.
    known: Mutex<BTreeMap<PathBuf, (Option<Source>, Made)>>,
}

impl Converted {
    pub(crate) fn new(cache: Option<Cache>) -> Self {
        Self { cache, known: Mutex::default() }
    }

    /// The output for an app that still has this property list.
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

    /// Whether this process has asked the converter about an app, and got nothing.
    pub(crate) fn was_tried(&self, folder: &Path) -> bool {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(folder).is_some_and(|(_, made)| made.is_none())
    }

    /// Keeps the output. An empty result holds for this process only: the next one may reach a converter.
    pub(crate) fn keep(&self, folder: &Path, list: Option<Source>, made: Made) {
        let entry = (list, made);
        if let Some(cache) = self.cache.as_ref().filter(|_| entry.1.is_some()) {
            cache.put(KIND, &folder.to_string_lossy(), &entry);
        }
        self.known.lock().unwrap_or_else(PoisonError::into_inner).insert(folder.to_owned(), entry);
    }
}
