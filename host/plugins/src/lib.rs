//! The plugin engine: packages, grants, limits, and the sandbox that runs components.
//!
//! This is the only crate that uses wasmtime. A plugin's questions leave the crate as [`host::Question`], so the
//! permission gate stays in the host. The answers are data. Each module imports only modules above it.
#![deny(unsafe_code)]

pub mod http;
pub mod capability;
mod id;
#[path = "../../../core/src/foreign/invisible.rs"]
mod invisible;
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
