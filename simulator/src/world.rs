//! A simulated Mac: a directory with app bundles, their data, and the changes that scripts made.

pub(crate) mod bundle;
pub(crate) mod change;
pub(crate) mod data;
mod index;
pub(crate) mod journal;
mod letters;
pub(crate) mod model;
mod stored;

use crate::schema::Schema;
use crate::value::local_seconds;
use bundle::{Bundle, Definition};
use change::Change;
use iac_core::dictionary::{Dictionary, Includes, ProblemKind, parse, suites};
use journal::{Entry, Header, Journal, News};
use model::Model;
use std::cell::{Cell, OnceCell, RefCell};
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Instant;

/// The variable that names the directory of the simulated Mac in which `osascript` runs.
pub const WORLD_VARIABLE: &str = "IAC_MCP_WORLD";

/// The errors of a world's files.
#[derive(Debug, thiserror::Error)]
pub enum WorldError {
    #[error("cannot use {}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    #[error("{} is not as it should be: {message}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// The fault, and what was expected.
        message: String,
    },
}

/// `mac.json`: when the data was captured, and the user of the Mac.
#[derive(Clone, Debug, serde::Deserialize)]
pub(crate) struct Mac {
    /// The local time at which the data was captured.
    pub(crate) anchor: String,
    /// The local time to use as now, or `anchor`; the real time if absent.
    #[serde(default)]
    pub(crate) clock: Option<String>,
    /// The home folder, for example `/Users/alex`.
    #[serde(default)]
    pub(crate) home: String,
    /// The user's name.
    #[serde(default)]
    pub(crate) user: String,
}

/// `world.json` of a world whose bundles and data are elsewhere.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct Settings {
    /// The directory with `mac.json`, bundles and data.
    pub(crate) base: Option<PathBuf>,
    /// As in `mac.json`; it takes precedence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) clock: Option<String>,
}

/// A simulated Mac, as one process sees it.
#[derive(Debug)]
pub(crate) struct World {
    folder: PathBuf,
    /// The folder of the bundles, and of the data that the world's own directory lacks.
    base: PathBuf,
    pub(crate) mac: Mac,
    journal: Journal,
    /// The apps that were addressed, in order.
    apps: RefCell<Vec<Rc<App>>>,
    folders: OnceCell<Vec<PathBuf>>,
    /// The wall clock of this process, set before the first event, and the instant at which it was set.
    clock: OnceCell<(i64, Instant)>,
}

/// The changes of one event. They are applied at once and written together.
#[derive(Clone, Debug)]
pub(crate) struct Changes {
    app: Rc<App>,
    made: Rc<RefCell<Vec<Change>>>,
    /// Whether they are kept even if the event fails.
    kept: Rc<Cell<bool>>,
}

impl Changes {
    /// For an event that changes nothing. Its temporary objects are dropped.
    pub(crate) fn none(app: &Rc<App>) -> Self {
        Self { app: Rc::clone(app), made: Rc::default(), kept: Rc::default() }
    }

    /// Keeps the changes even if the event fails, because a script that throws has already done its earlier work.
    pub(crate) fn keep(&self) {
        self.kept.set(true);
    }

    pub(crate) fn apply(&self, change: Change) {
        self.app.model.borrow_mut().apply(&change);
        self.made.borrow_mut().push(change);
    }
}

/// One app of a world.
#[derive(Debug)]
pub(crate) struct App {
    pub(crate) bundle: Bundle,
    pub(crate) schema: Schema,
    pub(crate) model: RefCell<Model>,
    /// The script for behaviour that the dictionary cannot describe.
    pub(crate) behaviour: Option<String>,
}

impl World {
    /// Opens a world's directory. Apps are read when they are addressed.
    pub(crate) fn open(folder: &Path) -> Result<Self, WorldError> {
        let settings = settings(folder)?;
        let base = settings.base.map_or_else(|| folder.to_owned(), |base| folder.join(base));
        let path = base.join("mac.json");
        let mut mac: Mac = serde_json::from_slice(&read(&path)?).map_err(|error| content(&path, error))?;
        mac.clock = settings.clock.or(mac.clock);
        if local_seconds(&mac.anchor).is_none() {
            return Err(content(&path, format!("`anchor` is `{}`, expected a local time", mac.anchor)));
        }
        let journal = Journal::new(folder.join("state"));
        journal.news()?;
        let (apps, folders, clock) = Default::default();
        Ok(Self { folder: folder.to_owned(), base, mac, journal, apps, folders, clock })
    }

    /// Sets the time that scripts see: the world's own clock, or else the local time given here.
    pub(crate) fn set_clock(&self, local: i64) {
        let fixed = self.fixed_clock();
        self.clock.get_or_init(|| (fixed.unwrap_or(local), Instant::now()));
    }

    /// Returns the time at which the world's clock starts, if it has its own.
    pub(crate) fn fixed_clock(&self) -> Option<i64> {
        match self.mac.clock.as_deref()? {
            "anchor" => local_seconds(&self.mac.anchor),
            other => local_seconds(other),
        }
    }

    /// The wall-clock time that the data is shifted to: the time of the world's first change, so that it stays the
    /// same.
    fn origin(&self) -> i64 {
        let anchor = || local_seconds(&self.mac.anchor).unwrap_or_default();
        let began = self.journal.began();
        began.or_else(|| self.clock.get().map(|(clock, _)| *clock)).unwrap_or_else(anchor)
    }

    /// The time that apps store. If the world has its own clock, this time does not advance, so that the same calls
    /// make the same data.
    pub(crate) fn now(&self) -> i64 {
        match self.clock.get() {
            Some((clock, set)) if self.fixed_clock().is_none() => {
                clock + i64::try_from(set.elapsed().as_secs()).unwrap_or_default()
            }
            _ => self.origin(),
        }
    }

    /// The folder with the world's changes.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The folder of the bundles.
    pub(crate) fn base(&self) -> &Path {
        &self.base
    }

    pub(crate) fn app(&self, at: usize) -> Rc<App> {
        Rc::clone(&self.apps.borrow()[at])
    }

    /// Finds an app by name, bundle id or path, as `Application()` does; `None` if the Mac has no such app.
    pub(crate) fn find(&self, target: &str) -> Result<Option<usize>, WorldError> {
        let known = self.apps.borrow().iter().position(|app| app.bundle.answers_to(target));
        if known.is_some() {
            return Ok(known);
        }
        let Some(bundle) = self.bundle(target) else { return Ok(None) };
        let same = self.apps.borrow().iter().position(|app| app.bundle.folder == bundle.folder);
        if same.is_some() {
            return Ok(same);
        }
        self.sync()?;
        let app = self.load(bundle)?;
        self.apps.borrow_mut().push(Rc::new(app));
        Ok(Some(self.apps.borrow().len() - 1))
    }

    /// Applies the changes that other processes made.
    pub(crate) fn sync(&self) -> Result<(), WorldError> {
        match self.journal.news()? {
            News::Entries(entries) => {
                for app in self.apps.borrow().iter() {
                    let mut model = app.model.borrow_mut();
                    entries
                        .iter()
                        .filter(|entry| entry.app == app.bundle.id)
                        .for_each(|entry| model.replay(entry));
                }
            }
            News::Replaced => {
                for app in self.apps.borrow().iter() {
                    *app.model.borrow_mut() = self.model(&app.bundle.id)?;
                }
            }
        }
        Ok(())
    }

    /// Lets one event change an app's newest objects, while no other process can.
    ///
    /// # Errors
    /// The error of the work, in which case nothing is changed, or `broken` for an error of a file.
    pub(crate) fn change<T, E>(
        &self,
        app: &Rc<App>,
        work: impl FnOnce(&Changes) -> Result<T, E>,
        broken: impl Fn(WorldError) -> E,
    ) -> Result<T, E> {
        let _lock = self.journal.lock().map_err(&broken)?;
        self.sync().map_err(&broken)?;
        let changes = Changes::none(app);
        let result = work(&changes);
        let made = changes.made.take();
        if made.is_empty() {
            return result;
        }
        if changes.kept.get() && result.is_err() {
            self.keep(app, made).map_err(&broken)?;
            return result;
        }
        let kept = result.and_then(|result| self.keep(app, made).map(|()| result).map_err(&broken));
        if kept.is_err() {
            *app.model.borrow_mut() = self.model(&app.bundle.id).map_err(&broken)?;
        }
        kept
    }

    fn keep(&self, app: &App, changes: Vec<Change>) -> Result<(), WorldError> {
        self.journal.append(&Entry { app: app.bundle.id.clone(), changes }, self.origin())?;
        self.shorten()
    }

    /// If the journal is too long, replaces it by snapshots of all changed apps and a new journal.
    fn shorten(&self) -> Result<(), WorldError> {
        let Some(old) = self.journal.header().filter(|_| self.journal.is_long()) else { return Ok(()) };
        let mut apps: BTreeSet<String> = old.snapshots.iter().cloned().collect();
        apps.extend(self.journal.entries()?.into_iter().map(|entry| entry.app));
        let generation = old.generation + 1;
        for app in &apps {
            let path = self.journal.snapshot(generation, app);
            let text = serde_json::to_vec(&self.model(app)?).map_err(|error| content(&path, error))?;
            journal::replace(&path.with_extension("next"), &path, &text)
                .map_err(|error| failed(&path, error))?;
        }
        self.journal.begin(Header { generation, now: old.now, snapshots: apps.into_iter().collect() })?;
        self.journal.clear_snapshots(generation)
    }

    /// Drops all changes.
    pub(crate) fn reset(&self) -> Result<(), WorldError> {
        let _lock = self.journal.lock()?;
        self.journal.clear()
    }

    /// Returns the name and bundle id of each running app, and whether it is in front.
    pub(crate) fn running(&self) -> Result<Vec<(String, String, bool)>, WorldError> {
        self.sync()?;
        let mut running = Vec::new();
        for bundle in self.bundles() {
            let model = self.model(&bundle.id)?;
            let front = model.value(crate::value::APP, "frontmost") == Some(&crate::value::Value::Bool(true));
            // An app that is reachable through a link as well is listed once.
            if model.running && running.iter().all(|(_, id, _)| *id != bundle.id) {
                running.push((bundle.name, bundle.id, front));
            }
        }
        Ok(running)
    }

    /// Returns the path of an app on this Mac.
    pub(crate) fn path_of(&self, app: &App) -> String {
        let below = app.bundle.folder.strip_prefix(&self.base).unwrap_or(&app.bundle.folder);
        format!("/{}", below.to_string_lossy())
    }

    /// Reads a text file at a path of this Mac, relative to its root.
    pub(crate) fn read_text(&self, path: &Path) -> Option<String> {
        let own = fs::read_to_string(self.folder.join(path));
        own.or_else(|_| fs::read_to_string(self.base.join(path))).ok()
    }

    /// Returns all app bundles of this Mac.
    pub(crate) fn bundles(&self) -> Vec<Bundle> {
        self.folders().iter().filter_map(|folder| Bundle::read(folder)).collect()
    }

    fn folders(&self) -> &[PathBuf] {
        self.folders.get_or_init(|| bundle::folders(&self.base))
    }

    fn bundle(&self, target: &str) -> Option<Bundle> {
        if let Some(path) = target.strip_prefix('/') {
            return Bundle::read(&self.base.join(path.trim_end_matches('/')));
        }
        let name = target.strip_suffix(".app").unwrap_or(target);
        let named = self.folders().iter().find(|folder| same_name(&bundle::display_name(folder), name));
        named.and_then(|folder| Bundle::read(folder)).or_else(|| {
            let looks_like_id = target.contains('.');
            let mut all =
                self.folders().iter().filter(|_| looks_like_id).filter_map(|folder| Bundle::read(folder));
            all.find(|bundle| bundle.id.eq_ignore_ascii_case(target))
        })
    }

    fn load(&self, bundle: Bundle) -> Result<App, WorldError> {
        let schema =
            bundle.definition(&self.base).map(|definition| self.schema(&definition)).unwrap_or_default();
        let model = RefCell::new(self.model(&bundle.id)?);
        let behaviour = self.behaviour(&bundle.id)?;
        Ok(App { bundle, schema, model, behaviour })
    }

    /// Returns the behaviour script of an app, if it has one.
    pub(crate) fn behaviour(&self, app: &str) -> Result<Option<String>, WorldError> {
        let path = self.data_file(&format!("{app}.js"));
        let Some(text) = read_if_there(&path)? else { return Ok(None) };
        String::from_utf8(text).map(Some).map_err(|error| content(&path, error))
    }

    /// Reads an app's objects: its base data or snapshot, with all changes since.
    pub(crate) fn model(&self, app: &str) -> Result<Model, WorldError> {
        let read = self.read_model(app);
        // A missing snapshot was replaced by another process after the journal was read, so both are read again.
        if read.is_err() && self.journal.news()? == News::Replaced { self.model(app) } else { read }
    }

    fn read_model(&self, app: &str) -> Result<Model, WorldError> {
        let header = self.journal.header().unwrap_or_default();
        let mut model = if header.snapshots.iter().any(|each| each == app) {
            let path = self.journal.snapshot(header.generation, app);
            let model: Model =
                serde_json::from_slice(&read(&path)?).map_err(|error| content(&path, error))?;
            model.restored()
        } else {
            self.base_model(app)?
        };
        self.journal.entries()?.iter().filter(|entry| entry.app == app).for_each(|entry| model.replay(entry));
        Ok(model)
    }

    fn base_model(&self, app: &str) -> Result<Model, WorldError> {
        let path = self.data_file(&format!("{app}.json"));
        let mut loaded = match read_if_there(&path)? {
            Some(text) => data::load(&text).map_err(|error| content(&path, error))?,
            None => data::Loaded::default(),
        };
        loaded.model.shift = self.shift(loaded.shift);
        loaded.model.move_letters();
        loaded.model.application();
        Ok(loaded.model)
    }

    /// Returns a data file's path: in the world itself, or else in its base.
    fn data_file(&self, name: &str) -> PathBuf {
        let own = self.folder.join("data").join(name);
        if own.is_file() { own } else { self.base.join("data").join(name) }
    }

    /// Returns what the system's converter makes of the app at a path: an `.sdef` stays as it is. This converter
    /// cannot convert `.scriptSuite` files.
    pub(crate) fn definition(&self, path: &str) -> Option<Vec<u8>> {
        match self.bundle(path)?.definition(&self.base)? {
            Definition::Sdef(bytes) => Some(bytes),
            Definition::Suites(_) => None,
        }
    }

    fn schema(&self, definition: &Definition) -> Schema {
        let (dictionary, problems) = match definition {
            Definition::Sdef(bytes) => parse(bytes, &self.includes(bytes)),
            Definition::Suites(pairs) => suites::parse(pairs),
        };
        // For XML that is not well-formed, the system's parser gives no terms at all, so scripts have none either.
        let broken = problems.iter().any(|problem| matches!(problem.kind, ProblemKind::Malformed(_)));
        Schema::new(if broken { Dictionary::default() } else { dictionary })
    }

    /// Returns the files that a dictionary includes, if this world has them.
    fn includes(&self, bytes: &[u8]) -> Includes {
        let text = String::from_utf8_lossy(bytes);
        let hrefs = text.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next());
        let file = |href: &str| {
            let path = href.strip_prefix("file://localhost").or_else(|| href.strip_prefix("file://"))?;
            fs::read(self.base.join(path.trim_start_matches('/'))).ok()
        };
        hrefs.filter_map(|href| Some((href.to_owned(), file(href)?))).collect()
    }

    /// Returns by how many seconds an app's dates are shifted, so that data captured at the anchor looks current.
    fn shift(&self, by: data::Shift) -> i64 {
        let anchor = local_seconds(&self.mac.anchor).unwrap_or_default();
        by.seconds(anchor, self.origin())
    }
}

impl Model {
    fn replay(&mut self, entry: &Entry) {
        entry.changes.iter().for_each(|change| self.apply(change));
    }
}

impl Bundle {
    fn answers_to(&self, target: &str) -> bool {
        same_name(&self.name, target) || self.id.eq_ignore_ascii_case(target)
    }
}

/// Reads `world.json`. A directory without one is its own base.
pub(crate) fn settings(folder: &Path) -> Result<Settings, WorldError> {
    let path = folder.join("world.json");
    match read_if_there(&path)? {
        Some(text) => serde_json::from_slice(&text).map_err(|error| content(&path, error)),
        None => Ok(Settings::default()),
    }
}

/// Compares names without regard to case, as a Mac's file system does. Apps are found by the name of their folder.
fn same_name(a: &str, b: &str) -> bool {
    a == b || a.to_lowercase() == b.to_lowercase()
}

fn read(path: &Path) -> Result<Vec<u8>, WorldError> {
    fs::read(path).map_err(|source| failed(path, source))
}

/// Reads a file that need not exist. If it exists but cannot be read, that is an error.
pub(crate) fn read_if_there(path: &Path) -> Result<Option<Vec<u8>>, WorldError> {
    match read(path) {
        Err(WorldError::File { source, .. }) if source.kind() == io::ErrorKind::NotFound => Ok(None),
        read => read.map(Some),
    }
}

pub(crate) fn failed(path: &Path, source: io::Error) -> WorldError {
    WorldError::File { path: path.to_owned(), source }
}

pub(crate) fn content(path: &Path, message: impl ToString) -> WorldError {
    WorldError::Content { path: path.to_owned(), message: message.to_string() }
}
