//! Finds the scriptable apps and reads their dictionaries, each as late as possible, and caches the results.

mod cache;
mod stamp;
mod suites;
mod resources;
mod bundle;
mod definition;
mod parallel;
mod roots;
mod converted;
mod index;

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use iac_core::app::{App, Apps};
use iac_core::dictionary::{Counts, Way};
use iac_core::fault::{Code, Fault};
use iac_core::step::EVERY_APP;

use cache::Cache;
use converted::Converted;
pub use definition::Definition;
use definition::{Shelf, Sources};
use index::{Bundle, Index, Refused};
pub use roots::Roots;

/// How the apps of a Mac are found.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    pub roots: Roots,
    /// The cache folder; `None` for no cache.
    pub cache: Option<PathBuf>,
    /// The file of the standard suite to use if the system has none.
    pub standard: Option<PathBuf>,
}

/// What a call needs to know about the apps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Need {
    /// The list of apps, and the dictionaries of these apps, spelled in any way, or of [`EVERY_APP`].
    Dictionaries(Vec<String>),
    /// The number of terms of each app.
    Counts,
}

/// The scriptable apps of a Mac. They are searched for once in each process.
#[derive(Debug)]
pub struct Catalog {
    settings: Settings,
    cache: Option<Cache>,
    /// What is known so far. It is replaced as a whole, so a call keeps the version that it began with.
    apps: RwLock<Option<Arc<Apps>>>,
    /// The output of the system's converter.
    converted: Converted,
    /// What was found on disk. It is locked while anything is read.
    found: Mutex<Option<OnDisk>>,
}

/// The bundles, in the order of the apps, and the index that is saved between starts.
#[derive(Debug)]
struct OnDisk {
    bundles: Vec<Bundle>,
    refused: Vec<Refused>,
    index: Index,
}

impl Catalog {
    /// Makes a catalog. Nothing is read until it is needed.
    pub fn new(settings: Settings) -> Self {
        let cache = settings.cache.clone().map(Cache::new);
        let converted = Converted::new(cache.clone());
        Self { settings, cache, apps: RwLock::default(), converted, found: Mutex::default() }
    }

    /// Returns the apps if everything that the call needs is already known.
    pub fn ready(&self, need: &Need) -> Option<Arc<Apps>> {
        let apps = self.known()?;
        let known = match need {
            Need::Counts => apps.0.iter().all(|app| app.counts.is_some()),
            Need::Dictionaries(terms) => {
                let every = || apps.0.iter().all(|app| app.dictionary.is_some());
                let one = |term: &str| apps.find(term).map_or(true, |app| app.dictionary.is_some());
                terms.iter().all(|term| if term == EVERY_APP { every() } else { one(term) })
            }
        };
        known.then_some(apps)
    }

    /// Whether the list of apps is known already.
    pub fn is_known(&self) -> bool {
        self.apps.read().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Returns the bundle id of an app in any spelling, if the list of apps is known already.
    pub fn known_as(&self, term: &str) -> Option<Arc<str>> {
        Some(Arc::clone(&self.known()?.find(term).ok()?.bundle_id))
    }

    /// Reads what is missing, and returns the apps. This may block.
    pub fn load(&self, need: &Need) -> Arc<Apps> {
        let mut on_disk = self.on_disk();
        let OnDisk { bundles, index, .. } = on_disk.get_or_insert_with(|| self.search());
        let new = || Arc::new(Apps(bundles.iter().map(Bundle::app).collect()));
        let mut apps = self.known().unwrap_or_else(new);
        match need {
            Need::Counts => self.count(bundles, index, &mut apps),
            Need::Dictionaries(terms) => self.read(&unread(terms, &apps), bundles, &mut apps),
        }
        *self.apps.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&apps));
        apps
    }

    /// Returns the apps that a call needs, that have no readable dictionary, and that were not converted yet, as
    /// their paths on their Mac. This may block.
    pub fn unconverted(&self, need: &Need) -> Vec<String> {
        let mut on_disk = self.on_disk();
        let OnDisk { bundles, .. } = on_disk.get_or_insert_with(|| self.search());
        let apps = self.known().unwrap_or_else(|| Arc::new(Apps(bundles.iter().map(Bundle::app).collect())));
        let needed: Vec<usize> = match need {
            Need::Counts => (0..apps.0.len()).filter(|at| apps.0[*at].counts.is_none()).collect(),
            Need::Dictionaries(terms) => unread(terms, &apps),
        };
        let lacks = |bundle: &&Bundle| {
            self.shelf(bundle).locate(bundle.definition.as_deref()).way() == Way::Standard
                && !self.converted.was_tried(&bundle.folder)
        };
        let needed = needed.into_iter().map(|at| &bundles[at]);
        needed.filter(lacks).map(|bundle| bundle.shown(&bundle.folder)).collect()
    }

    /// Stores the converter's output for the app at a path on its Mac; `None` if the converter failed. This may
    /// block.
    pub fn keep_converted(&self, path: &str, made: Option<Vec<u8>>) {
        let on_disk = self.on_disk();
        let mut bundles = on_disk.iter().flat_map(|on_disk| &on_disk.bundles);
        if let Some(bundle) = bundles.find(|bundle| bundle.shown(&bundle.folder) == path) {
            let list = self.shelf(bundle).property_list();
            self.converted.keep(&bundle.folder, list, made);
        }
    }

    /// Reads the dictionary of one app, spelled in any way, with its problems. This may block.
    ///
    /// # Errors
    /// There is no such app, or its dictionary cannot be read.
    pub fn definition(&self, term: &str) -> Result<(App, Definition), Fault> {
        let apps = self.load(&Need::Dictionaries(Vec::new()));
        let app = apps.find(term)?;
        let on_disk = self.on_disk();
        let bundles = on_disk.iter().flat_map(|on_disk| &on_disk.bundles);
        let bundle = bundles.into_iter().find(|bundle| *bundle.id == *app.bundle_id);
        let unreadable = || {
            let message = format!("the scripting dictionary of {} could not be read", app.name);
            Fault::new(Code::Unavailable, message, "read the log with IAC_MCP_LOG=warn")
        };
        let definition = bundle.and_then(|bundle| self.read_one(bundle)).ok_or_else(unreadable)?;
        Ok((app.clone(), definition))
    }

    /// Returns the problems of the bundles on disk. The Boolean tells whether a problem may send a call to the wrong
    /// app. This may block.
    pub fn troubles(&self) -> Vec<(String, bool)> {
        self.load(&Need::Dictionaries(Vec::new()));
        let on_disk = self.on_disk();
        let claims = on_disk.iter().flat_map(|on_disk| &on_disk.bundles);
        let claims = claims.filter_map(|bundle| Some((bundle.claim()?, bundle.is_of_system())));
        let refused = on_disk.iter().flat_map(|on_disk| &on_disk.refused);
        let refused =
            refused.map(|refused| (format!("{}: {}", refused.folder.display(), refused.why), false));
        claims.chain(refused).collect()
    }

    /// Returns the names of the apps, by how their terminology was obtained. It reads no dictionary, but it may
    /// block.
    pub fn ways(&self) -> BTreeMap<Way, Vec<String>> {
        let apps = self.load(&Need::Dictionaries(Vec::new()));
        let on_disk = self.on_disk();
        let bundles = on_disk.iter().flat_map(|on_disk| &on_disk.bundles);
        let mut ways: BTreeMap<Way, Vec<String>> = BTreeMap::new();
        for (bundle, app) in bundles.zip(&apps.0) {
            let way = self.shelf(bundle).locate(bundle.definition.as_deref()).way();
            ways.entry(way).or_default().push(app.name.clone());
        }
        ways
    }

    fn known(&self) -> Option<Arc<Apps>> {
        self.apps.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn on_disk(&self) -> MutexGuard<'_, Option<OnDisk>> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn search(&self) -> OnDisk {
        let mut index = Index::load(self.cache.as_ref(), &self.settings.roots);
        let (bundles, refused) = index.search(&self.settings.roots);
        index.save(self.cache.as_ref());
        for bundle in &bundles {
            match bundle.claim() {
                // A second copy of an app is normal. A bundle that claims the id of a system app is not.
                Some(claim) if bundle.is_of_system() => tracing::warn!("{claim}"),
                Some(claim) => tracing::info!("{claim}"),
                None => {}
            }
        }
        for Refused { folder, why } in &refused {
            tracing::info!(why, app = %folder.display(), "an app is skipped");
        }
        OnDisk { bundles, refused, index }
    }

    fn read(&self, missing: &[usize], bundles: &[Bundle], apps: &mut Arc<Apps>) {
        let read = parallel::map(missing, |at| self.read_one(&bundles[*at]));
        let found: Vec<(usize, Definition)> =
            missing.iter().zip(read).filter_map(|(at, definition)| Some((*at, definition?))).collect();
        if found.is_empty() {
            return;
        }
        let apps = Arc::make_mut(apps);
        for (at, definition) in found {
            apps.0[at].counts = Some(definition.dictionary.counts());
            apps.0[at].dictionary = Some(Arc::new(definition.dictionary));
        }
    }

    /// Reads a dictionary. It comes from the cache if its sources are unchanged.
    fn read_one(&self, bundle: &Bundle) -> Option<Definition> {
        let shelf = self.shelf(bundle);
        let mut sources = shelf.locate(bundle.definition.as_deref());
        let name = sources.name();
        let kept =
            self.cache.as_ref().and_then(|cache| cache.get::<(Sources, Definition)>("dictionary", &name));
        if let Some((made_of, definition)) = kept
            && shelf.is_current(&made_of, &sources)
        {
            return Some(definition);
        }
        let definition = parse(bundle, &shelf, &mut sources)?;
        if let Some(cache) = &self.cache {
            cache.put("dictionary", &name, &(&sources, &definition));
        }
        Some(definition)
    }

    /// Counts the terms of each app. It parses only dictionaries that are new or changed, and keeps none in memory.
    fn count(&self, bundles: &[Bundle], index: &mut Index, apps: &mut Arc<Apps>) {
        let missing: Vec<usize> = (0..apps.0.len()).filter(|at| apps.0[*at].counts.is_none()).collect();
        let counted = parallel::map(&missing, |at| self.count_one(&bundles[*at], index));
        let apps = Arc::make_mut(apps);
        for (at, (made_of, counts)) in missing.into_iter().zip(counted) {
            index.set_counts(&bundles[at].folder, made_of, counts);
            apps.0[at].counts = Some(counts);
        }
        index.save(self.cache.as_ref());
    }

    fn count_one(&self, bundle: &Bundle, index: &Index) -> (Sources, Counts) {
        let shelf = self.shelf(bundle);
        let mut sources = shelf.locate(bundle.definition.as_deref());
        if let Some((made_of, counts)) = index.counts(&bundle.folder, &shelf, &sources) {
            return (made_of, counts);
        }
        let counts = parse(bundle, &shelf, &mut sources).map(|definition| definition.dictionary.counts());
        (sources, counts.unwrap_or_default())
    }

    fn shelf(&self, bundle: &Bundle) -> Shelf {
        let shelf = Shelf::new(&bundle.folder, &bundle.base, self.settings.standard.as_deref());
        let converted = self.converted.of(&bundle.folder, shelf.property_list().as_ref());
        shelf.with_converted(converted)
    }
}

/// The indexes of the named apps whose dictionaries are not loaded, without duplicates.
fn unread(terms: &[String], apps: &Apps) -> Vec<usize> {
    let all = terms.iter().any(|term| term == EVERY_APP);
    let named: BTreeSet<&str> =
        terms.iter().filter_map(|term| Some(&*apps.find(term).ok()?.bundle_id)).collect();
    let wanted = |app: &App| app.dictionary.is_none() && (all || named.contains(&*app.bundle_id));
    apps.0.iter().enumerate().filter(|(_, app)| wanted(app)).map(|(at, _)| at).collect()
}

/// Reads the dictionary in one file. Its includes may be beside it or below `base`, which stands in for `/`.
///
/// # Errors
/// The file cannot be read.
pub fn read_file(path: &Path, base: &Path, standard: Option<&Path>) -> io::Result<Definition> {
    let folder = path.parent().unwrap_or(path);
    let mut sources = Shelf::file(path)?;
    Shelf::new(folder, base, standard).parse(&mut sources)
}

fn parse(bundle: &Bundle, shelf: &Shelf, sources: &mut Sources) -> Option<Definition> {
    let definition = shelf.parse(sources);
    definition
        .inspect_err(|error| tracing::warn!(%error, app = bundle.id, "a dictionary cannot be read"))
        .ok()
}
