//! Plugins beside the built-in tools. What a plugin asks goes the way of every call; the engine is in `iac-plugins`.

#[cfg(not(feature = "plugins"))]
mod absent;
#[cfg(feature = "plugins")]
pub(crate) mod backend;
#[cfg(feature = "plugins")]
mod bridge;
#[cfg(feature = "plugins")]
mod live;
#[cfg(feature = "plugins")]
pub(crate) mod trial;
#[cfg(feature = "plugins")]
mod waiting;

#[cfg(not(feature = "plugins"))]
pub use absent::{Plugins, Tool};
#[cfg(feature = "plugins")]
pub use iac_plugins::descriptor::Descriptor as Tool;
#[cfg(feature = "plugins")]
pub use live::Plugins;

#[cfg(feature = "plugins")]
pub use iac_plugins as engine;
use serde::Serialize;

/// Where plugins are, below the state directory and below the cache.
pub const FOLDER: &str = "plugins";

/// How the code of plugins is run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Engine {
    /// Compiled, but interpreted where this system refuses executable memory.
    #[default]
    Auto,
    /// Compiled to machine code.
    Native,
    /// Interpreted: slower, and without any executable memory.
    Interpreter,
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
