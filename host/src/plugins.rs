//! Plugins beside the built-in tools. What a plugin asks goes the way of every call; the engine is in `iac-plugins`.

#[cfg(not(feature = "plugins"))]
mod absent;
#[cfg(feature = "plugins")]
mod bridge;
#[cfg(feature = "plugins")]
mod live;
#[cfg(feature = "plugins")]
pub(crate) mod trial;
#[cfg(feature = "plugins")]
mod waiting;

#[cfg(not(feature = "plugins"))]
pub use absent::Plugins;
#[cfg(feature = "plugins")]
pub use live::Plugins;

#[cfg(feature = "plugins")]
pub use iac_plugins as engine;
use serde::Serialize;
use serde_json::Value as Json;

/// Where plugins are, below the state directory and below the cache.
pub const FOLDER: &str = "plugins";

/// A tool of a plugin, as it was when its package was made.
#[derive(Clone, Debug, PartialEq)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// A title for people.
    pub title: Option<String>,
    /// What it does, in the plugin's words.
    pub description: String,
    /// JSON Schema of its arguments.
    pub input_schema: Json,
    /// It changes nothing.
    pub read_only: bool,
    /// It may remove or overwrite what was there.
    pub destructive: bool,
    /// A second call with the same arguments changes nothing more.
    pub idempotent: bool,
}

/// How a plugin does.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// Its id.
    pub id: String,
    /// Its version.
    pub version: String,
    /// How many calls have ended since it was loaded.
    pub calls: u64,
    /// How many of them without an answer.
    pub failures: u64,
    /// Why it is not called, if it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quarantined: Option<String>,
}

impl Plugins {
    /// Tells whether a plugin has a tool of that name.
    pub fn has(&self, name: &str) -> bool {
        self.tools().iter().any(|tool| tool.name == name)
    }
}
