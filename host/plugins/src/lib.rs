//! The plugin engine: packages, grants, bounds, and the sandbox that components run in.
//!
//! The only crate that knows wasmtime. A plugin's questions leave this crate as a [`host::Question`], so that the one
//! gate stays with the host; the answers are data. Each module imports only modules above it.
#![deny(unsafe_code)]

pub mod http;
pub mod capability;
mod id;
pub mod failure;
mod schema;
pub mod descriptor;
pub mod limits;
pub mod signature;
pub mod manifest;
pub mod script;
pub mod host;
pub mod engine;
pub mod package;
pub mod index;
pub mod installed;
pub mod journal;
pub mod local;
pub mod quarantine;
pub mod registry;

pub use id::{InvalidId, PluginId};
