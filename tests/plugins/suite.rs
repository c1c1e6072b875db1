//! What plugins can do, and above all what they cannot.

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
