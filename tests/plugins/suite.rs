//! What plugins can do, and above all what they cannot.

mod bounds;
mod guests;
mod hostile;
mod local;
mod packages;
mod registry;
mod servers;
