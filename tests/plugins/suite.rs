//! The capabilities of plugins, and above all their limits.

mod bounds;
mod components;
mod engines;
mod guests;
mod hostile;
mod local;
mod packages;
mod registry;
mod released;
mod servers;
mod wasi;
