//! Lines in the server's log, and progress for the caller.

pub use crate::bindings::iac::plugin::log::{Level, progress, write};

/// Writes a line for people who read the log.
pub fn info(message: &str) {
    write(Level::Info, message);
}

/// Writes a line about something odd.
pub fn warn(message: &str) {
    write(Level::Warn, message);
}

/// Writes a line for the author.
pub fn debug(message: &str) {
    write(Level::Debug, message);
}
