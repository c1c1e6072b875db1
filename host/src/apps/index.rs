//! Every app bundle that was found, and what is known of it without its dictionary.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use iac_core::app::App;
use iac_core::dictionary::Counts;
use serde::{Deserialize, Serialize};

use super::bundle::{self, Info};
use super::cache::Cache;
use super::definition::{Shelf, Sources};
use super::parallel;
use super::roots::{Found, Roots};
use super::stamp::Stamp;

/// The kind of the index among the files of the cache.
const KIND: &str = "apps";

/// One scriptable app on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Bundle {
    pub(super) folder: PathBuf,
    /// The folder that stands for `/`.
    pub(super) base: PathBuf,
    pub(super) id: String,
    version: String,
    /// The name of its dictionary's file, as its property list has it.
    pub(super) definition: Option<String>,
}

impl Bundle {
    /// The app as the core knows it, without its dictionary.
    pub(super) fn app(&self) -> App {
        App {
            bundle_id: self.id.as_str().into(),
            name: bundle::name(&self.folder),
            version: self.version.clone(),
            counts: None,
            dictionary: None,
        }
    }
}

/// What was read of each app folder, by its path.
#[derive(Debug, Default)]
pub(super) struct Index {
    name: String,
    entries: BTreeMap<PathBuf, Entry>,
    changed: bool,
}

/// What was read of one app folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Entry {
    /// The property list as it was.
    stamp: Stamp,
    info: Result<Info, String>,
    /// How much its dictionary offers, and what that was made of.
    counts: Option<(Sources, Counts)>,
}

impl Index {
    /// Reads what an earlier process knew of the same roots.
    pub(super) fn load(cache: Option<&Cache>, roots: &Roots) -> Self {
        let name = format!("{roots:?}");
        let entries = cache.and_then(|cache| cache.get(KIND, &name)).unwrap_or_default();
        Self { name, entries, changed: false }
    }

    /// Keeps what is known, if anything of it is new.
    pub(super) fn save(&mut self, cache: Option<&Cache>) {
        if let Some(cache) = cache.filter(|_| self.changed) {
            cache.put(KIND, &self.name, &self.entries);
        }
        self.changed = false;
    }

    /// Finds every scriptable app, by name; of several copies of one app the one in the best place.
    pub(super) fn search(&mut self, roots: &Roots) -> Vec<Bundle> {
        let mut found = roots.search();
        found.sort_by(|a, b| {
            (a.rank, a.folder.as_os_str().len(), &a.folder).cmp(&(
                b.rank,
                b.folder.as_os_str().len(),
                &b.folder,
            ))
        });
        self.update(&found);
        let mut seen = BTreeSet::new();
        let bundles = found.into_iter().filter_map(|found| self.bundle(found));
        let mut bundles: Vec<Bundle> =
            bundles.filter(|bundle| seen.insert(bundle.id.to_lowercase())).collect();
        bundles.sort_by_cached_key(|bundle| (bundle::name(&bundle.folder).to_lowercase(), bundle.id.clone()));
        bundles
    }

    /// Reads the property lists that are new or changed, and forgets those that are gone.
    fn update(&mut self, found: &[Found]) {
        let known = std::mem::take(&mut self.entries);
        let read = parallel::map(found, |found| {
            let list = found.folder.join("Contents/Info.plist");
            let stamp = Stamp::of(&list)?;
            let same = known.get(&found.folder).filter(|entry| entry.stamp == stamp).cloned();
            Some(same.unwrap_or_else(|| Entry { stamp, info: bundle::read(&list), counts: None }))
        });
        let entries = found.iter().zip(read);
        self.entries = entries.filter_map(|(found, entry)| Some((found.folder.clone(), entry?))).collect();
        self.changed |= self.entries != known;
    }

    fn bundle(&self, found: Found) -> Option<Bundle> {
        let info = match &self.entries.get(&found.folder)?.info {
            Ok(info) => info.clone(),
            Err(error) => {
                tracing::debug!(error, app = %found.folder.display(), "passed over: its property list cannot be read");
                return None;
            }
        };
        let Info { id, version, scriptable, definition } = info;
        scriptable.then_some(Bundle { folder: found.folder, base: found.base, id, version, definition })
    }

    /// Returns how much an app offers, if nothing of its dictionary has changed since that was counted.
    pub(super) fn counts(&self, folder: &Path, shelf: &Shelf, now: &Sources) -> Option<(Sources, Counts)> {
        let counted = self.entries.get(folder)?.counts.as_ref()?;
        shelf.is_current(&counted.0, now).then(|| counted.clone())
    }

    /// Keeps how much an app offers.
    pub(super) fn set_counts(&mut self, folder: &Path, made_of: Sources, counts: Counts) {
        if let Some(entry) = self.entries.get_mut(folder) {
            let new = Some((made_of, counts));
            self.changed |= entry.counts != new;
            entry.counts = new;
        }
    }
}
