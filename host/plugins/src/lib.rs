//! The plugin engine: packages, grants, bounds, and the sandbox that components run in.
//!
//! The only crate that knows wasmtime. What a plugin asks of the world leaves this crate as a [`host::Question`], so that
//! the one gate stays with the host; what comes back is data. Modules stand in the order of a plugin's life.
#![deny(unsafe_code)]
#![warn(missing_docs)]

pub mod capability;
pub mod descriptor;
pub mod engine;
pub mod failure;
pub mod host;
mod id;
pub mod installed;
pub mod journal;
pub mod limits;
pub mod local;
pub mod manifest;
pub mod package;
pub mod quarantine;
pub mod registry;

pub use id::{InvalidId, PluginId};
