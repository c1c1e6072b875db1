//! A simulated Mac: a directory of app bundles and their data.

pub(crate) mod bundle;
pub(crate) mod data;
pub(crate) mod model;

use crate::schema::Schema;
use crate::value::local_seconds;
use bundle::Bundle;
use iac_core::dictionary::{Includes, parse};
use model::Model;
use std::cell::{OnceCell, RefCell};
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// What can be wrong with a world's files.
#[derive(Debug, thiserror::Error)]
pub enum WorldError {
    /// A file could not be read or written.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// Which file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// A file's content is not what it should be.
    #[error("{} is not as it should be: {message}", path.display())]
    Content {
        /// Which file.
        path: PathBuf,
        /// What is wrong and what was expected.
        message: String,
    },
}

/// `mac.json`: when the data was taken, and whose Mac it is.
#[derive(Clone, Debug, serde::Deserialize)]
pub(crate) struct Mac {
    /// The local time at which the data was current.
    pub(crate) anchor: String,
    /// A local time to take as now, or `anchor`; absent: the real time.
    #[serde(default)]
    pub(crate) clock: Option<String>,
}

/// A simulated Mac, as one process sees it.
#[derive(Debug)]
pub(crate) struct World {
    root: PathBuf,
    pub(crate) mac: Mac,
    /// The apps that were addressed, in that order.
    apps: RefCell<Vec<Rc<App>>>,
    folders: OnceCell<Vec<PathBuf>>,
    /// The wall clock, set before the first event.
    now: OnceCell<i64>,
}

/// One app of a world.
#[derive(Debug)]
pub(crate) struct App {
    pub(crate) bundle: Bundle,
    pub(crate) schema: Schema,
    pub(crate) model: RefCell<Model>,
}

impl World {
    /// Opens a world's directory; apps are read when they are addressed.
    pub(crate) fn open(root: &Path) -> Result<Self, WorldError> {
        let path = root.join("mac.json");
        let text = read(&path)?;
        let mac: Mac = serde_json::from_slice(&text).map_err(|error| content(&path, error))?;
        if local_seconds(&mac.anchor).is_none() {
            return Err(content(&path, format!("`anchor` is `{}`, expected a local time", mac.anchor)));
        }
        let (apps, folders, now) = Default::default();
        Ok(Self { root: root.to_owned(), mac, apps, folders, now })
    }

    /// The time that scripts are to see: the world's own clock, else the local time given here.
    pub(crate) fn set_now(&self, local: i64) {
        let fixed = self.fixed_clock();
        self.now.get_or_init(|| fixed.unwrap_or(local));
    }

    /// The time at which the world's clock starts, if it has one of its own.
    pub(crate) fn fixed_clock(&self) -> Option<i64> {
        match self.mac.clock.as_deref()? {
            "anchor" => local_seconds(&self.mac.anchor),
            other => local_seconds(other),
        }
    }

    pub(crate) fn app(&self, at: usize) -> Rc<App> {
        Rc::clone(&self.apps.borrow()[at])
    }

    /// Finds an app by name, bundle id or path, as `Application()` does; `None` where the Mac has no such app.
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
        let app = self.load(bundle)?;
        self.apps.borrow_mut().push(Rc::new(app));
        Ok(Some(self.apps.borrow().len() - 1))
    }

    fn bundle(&self, target: &str) -> Option<Bundle> {
        if let Some(path) = target.strip_prefix('/') {
            return Bundle::read(&self.root.join(path.trim_end_matches('/')));
        }
        let folders = self.folders.get_or_init(|| bundle::folders(&self.root));
        let name = target.strip_suffix(".app").unwrap_or(target);
        let named = folders.iter().find(|folder| same_name(&bundle::display_name(folder), name));
        named.and_then(|folder| Bundle::read(folder)).or_else(|| {
            let looks_like_id = target.contains('.');
            let all = folders.iter().filter(|_| looks_like_id).filter_map(|folder| Bundle::read(folder));
            all.into_iter().find(|bundle| bundle.id.eq_ignore_ascii_case(target))
        })
    }

    fn load(&self, bundle: Bundle) -> Result<App, WorldError> {
        let schema = bundle.definition(&self.root).map(|bytes| self.schema(&bytes)).unwrap_or_default();
        let path = self.root.join("data").join(format!("{}.json", bundle.id));
        let mut loaded = match fs::read(&path) {
            Ok(text) => data::load(&text).map_err(|error| content(&path, error))?,
            Err(_) => data::Loaded::default(),
        };
        loaded.model.shift = self.shift(loaded.shift);
        loaded.model.application();
        Ok(App { bundle, schema, model: RefCell::new(loaded.model) })
    }

    fn schema(&self, bytes: &[u8]) -> Schema {
        let includes = self.includes(bytes);
        Schema::new(parse(bytes, &includes).0)
    }

    /// The files that a dictionary includes, as far as this world has them.
    fn includes(&self, bytes: &[u8]) -> Includes {
        let text = String::from_utf8_lossy(bytes);
        let hrefs = text.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next());
        let file = |href: &str| {
            let path = href.strip_prefix("file://localhost").or_else(|| href.strip_prefix("file://"))?;
            fs::read(self.root.join(path.trim_start_matches('/'))).ok()
        };
        hrefs.filter_map(|href| Some((href.to_owned(), file(href)?))).collect()
    }

    /// How many seconds an app's dates move, so that data taken at the anchor looks current.
    fn shift(&self, by: data::Shift) -> i64 {
        let anchor = local_seconds(&self.mac.anchor).unwrap_or_default();
        by.seconds(anchor, self.now.get().copied().unwrap_or(anchor))
    }
}

impl Bundle {
    fn answers_to(&self, target: &str) -> bool {
        same_name(&self.name, target) || self.id.eq_ignore_ascii_case(target)
    }
}

/// The file system of a Mac does not tell case apart, and apps are found by their folder's name.
fn same_name(a: &str, b: &str) -> bool {
    a == b || a.to_lowercase() == b.to_lowercase()
}

fn read(path: &Path) -> Result<Vec<u8>, WorldError> {
    fs::read(path).map_err(|source| WorldError::Read { path: path.to_owned(), source })
}

fn content(path: &Path, message: impl ToString) -> WorldError {
    WorldError::Content { path: path.to_owned(), message: message.to_string() }
}
