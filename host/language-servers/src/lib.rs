//! Language servers: starts them, watches them, and asks them questions that only read.
//!
//! A server's output is untrusted, and an answer may be incomplete, so every answer says how reliable it is. The
//! caller's [`launch::Launch`] starts processes. Files are read only below the root. The modules stand in the order
//! in which a question passes them.
#![forbid(unsafe_code)]

pub mod types;
pub mod closed;
pub mod launch;
pub mod profile;
mod code;
pub mod settings;
mod find;
mod text;
mod macros;
mod part;
mod temporary;
mod tracker;
mod uri;
mod disk;
mod watch;
mod listing;
mod scope;
mod wire;
mod connection;
mod files;
mod includes;
mod holders;
mod server;
mod keeper;
mod workspace;
mod ask;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use connection::lock;
use keeper::House;
use launch::Launch;
use settings::Settings;
use types::Failure;

pub use ask::{Ask, Reply};
pub use workspace::{Each, Workspace};

/// All language servers of a process. Running servers are killed when the last handle is dropped.
pub struct LanguageServers {
    house: Arc<House>,
    workspaces: Mutex<HashMap<PathBuf, Arc<Workspace>>>,
}

impl LanguageServers {
    /// Makes the shared state. No server is started yet.
    pub fn new(launcher: Arc<dyn Launch>, settings: Settings) -> Self {
        let house = Arc::new(House { launcher, settings, keepers: Mutex::default() });
        Self { house, workspaces: Mutex::default() }
    }

    /// Opens a root by its absolute path, for one call. Its servers stay alive between calls, and the questions of a
    /// call see every change of files from before it.
    ///
    /// # Errors
    /// `NotFound` if it is not a readable folder.
    pub fn workspace(&self, root: &Path) -> Result<Arc<Workspace>, Failure> {
        let mut workspaces = lock(&self.workspaces);
        if let Some(workspace) = workspaces.get(root).filter(|workspace| workspace.is_at(root)) {
            workspace.begin();
            return Ok(Arc::clone(workspace));
        }
        let workspace = Arc::new(Workspace::open(root, &self.house)?);
        workspaces.insert(root.to_owned(), Arc::clone(&workspace));
        Ok(workspace)
    }

    /// Returns a root that was opened before, without checking that it still exists.
    ///
    /// # Errors
    /// It was not opened before and cannot be opened now.
    pub fn opened(&self, root: &Path) -> Result<Arc<Workspace>, Failure> {
        let before = lock(&self.workspaces).get(root).map(Arc::clone);
        before.map_or_else(|| self.workspace(root), Ok)
    }

    /// Asks all servers to stop, without waiting for them.
    pub fn stop(&self) {
        lock(&self.workspaces).values().for_each(|workspace| workspace.stop());
    }
}
