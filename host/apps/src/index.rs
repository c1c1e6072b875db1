//! The index of all app bundles that were found, and what is known about them without their dictionaries.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use iac_core::app::App;
use iac_core::dictionary::Counts;
use serde::{Deserialize, Serialize};

use crate::bundle::{self, Info};
use crate::cache::Cache;
use crate::definition::{Shelf, Sources};
use crate::parallel;
use crate::roots::{Found, Roots};
use crate::stamp::Stamp;

/// The kind of this entry in the cache.
const KIND: &str = "apps";

/// One scriptable app on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Bundle {
    pub(crate) folder: PathBuf,
    /// The folder that stands in for `/`.
    pub(crate) base: PathBuf,
    pub(crate) id: String,
    version: String,
    /// Other bundles that claim the same id.
    pub(crate) others: Vec<PathBuf>,
    /// The name of its dictionary file, as its property list spells it.
    pub(crate) definition: Option<String>,
}

impl Bundle {
    /// Whether it is part of macOS, which nobody can modify.
    pub(crate) fn is_of_system(&self) -> bool {
        is_of_system(&self.folder, &self.base)
    }

    /// Returns the path that a folder has on its own Mac.
    pub(crate) fn shown(&self, folder: &Path) -> String {
        folder
            .strip_prefix(&self.base)
            .map_or_else(|_| folder.display().to_string(), |below| format!("/{}", below.display()))
    }

    /// Returns a note if other bundles claim its id.
    pub(crate) fn claim(&self) -> Option<String> {
        let others: Vec<String> = self.others.iter().map(|folder| self.shown(folder)).collect();
        (!others.is_empty()).then(|| {
            format!(
                "{} is the id of several bundles: {} is used, {} is not; remove the wrong one",
                self.id,
                self.shown(&self.folder),
                others.join(" and "),
            )
        })
    }

    /// Returns the app in the core's form, without its dictionary.
    pub(crate) fn app(&self) -> App {
        App {
            bundle_id: self.id.as_str().into(),
            name: bundle::name(&self.folder),
            version: self.version.clone(),
            counts: None,
            others: self.others.iter().map(|folder| self.shown(folder)).collect(),
            dictionary: None,
        }
    }
}

/// A folder that looks like an app but cannot be used, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refused {
    pub(crate) folder: PathBuf,
    pub(crate) why: String,
}

/// What is known about each app folder, by path.
#[derive(Debug, Default)]
pub(crate) struct Index {
    name: String,
    entries: BTreeMap<PathBuf, Entry>,
    changed: bool,
}

fn is_of_system(folder: &Path, base: &Path) -> bool {
    folder.starts_with(base.join("System"))
}

/// What is known about one app folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Entry {
    /// The stamp of the property list.
    stamp: Stamp,
    info: Result<Info, String>,
    /// The number of its terms, and the sources that were counted.
    counts: Option<(Sources, Counts)>,
}

impl Index {
    /// Loads the entries that an earlier process saved for the same roots.
    pub(crate) fn load(cache: Option<&Cache>, roots: &Roots) -> Self {
        let name = format!("{roots:?}");
        let entries = cache.and_then(|cache| cache.get(KIND, &name)).unwrap_or_default();
        Self { name, entries, changed: false }
    }

    /// Saves the entries if any of them changed.
    pub(crate) fn save(&mut self, cache: Option<&Cache>) {
        if let Some(cache) = cache.filter(|_| self.changed) {
            cache.put(KIND, &self.name, &self.entries);
        }
        self.changed = false;
    }

    /// Finds every scriptable app, sorted by name, and the bundles that cannot be used. If several bundles have one
    /// id, the system's own wins, then the one in the best place.
    ///
    /// macOS compares bundle ids without regard to case, so they are compared that way here too.
    pub(crate) fn search(&mut self, roots: &Roots) -> (Vec<Bundle>, Vec<Refused>) {
        let mut found = roots.search();
        found.sort_by_cached_key(|found| {
            // The system's copy comes first, because a program that can write to /Applications cannot write below
            // /System.
            let is_of_system = is_of_system(&found.folder, &found.base);
            (!is_of_system, found.rank, found.folder.as_os_str().len(), found.folder.clone())
        });
        self.update(&found);
        let mut bundles: Vec<Bundle> = Vec::new();
        let mut refused = Vec::new();
        for found in found {
            match self.bundle(found) {
                Ok(Some(bundle)) => {
                    match bundles.iter_mut().find(|known| known.id.eq_ignore_ascii_case(&bundle.id)) {
                        Some(known) => known.others.push(bundle.folder),
                        None => bundles.push(bundle),
                    }
                }
                Ok(None) => {}
                Err(why) => refused.push(why),
            }
        }
        // If two apps have the same name, the system's app comes first.
        bundles.sort_by_cached_key(|bundle| {
            (bundle::name(&bundle.folder).to_lowercase(), !bundle.is_of_system(), bundle.id.clone())
        });
        (bundles, refused)
    }

    /// Reads the property lists that are new or changed, and drops the entries of apps that are gone.
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

    fn bundle(&self, found: Found) -> Result<Option<Bundle>, Refused> {
        let Some(entry) = self.entries.get(&found.folder) else { return Ok(None) };
        let info = entry.info.clone();
        let Info { id, version, scriptable, definition } =
            info.map_err(|why| Refused { folder: found.folder.clone(), why })?;
        let Found { folder, base, .. } = found;
        Ok(scriptable.then_some(Bundle { folder, base, id, version, others: Vec::new(), definition }))
    }

    /// Returns the number of an app's terms, if none of its dictionary's sources has changed since they were counted.
    pub(crate) fn counts(&self, folder: &Path, shelf: &Shelf, now: &Sources) -> Option<(Sources, Counts)> {
        let counted = self.entries.get(folder)?.counts.as_ref()?;
        shelf.is_current(&counted.0, now).then(|| counted.clone())
    }

    /// Stores the number of an app's terms.
    pub(crate) fn set_counts(&mut self, folder: &Path, made_of: Sources, counts: Counts) {
        if let Some(entry) = self.entries.get_mut(folder) {
            let new = Some((made_of, counts));
            self.changed |= entry.counts != new;
            entry.counts = new;
        }
    }
}
