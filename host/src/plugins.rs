//! Plugins in addition to the built-in tools. A plugin's calls go through the same pipeline as all others. The engine
//! is in `iac-plugins`.

pub(crate) mod backend;
mod bridge;
mod live;
mod shelf;
pub(crate) mod trial;
mod waiting;

pub use iac_plugins::descriptor::Descriptor as Tool;
pub use live::{Changes, Found, Plugins};

pub use iac_plugins as engine;

/// The folder of plugins, both in the state directory and in the cache.
pub const FOLDER: &str = "plugins";

/// How the code of plugins is run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Engine {
    /// Compiled, but interpreted if this system refuses executable memory.
    #[default]
    Auto,
    /// Compiled to machine code.
    Native,
    /// Interpreted: slower, and without any executable memory.
    Interpreter,
}
