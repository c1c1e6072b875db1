//! Lines in the server's log, and progress for the caller.

pub use crate::bindings::iac::plugin::log::{Level, progress, write};

/// Writes a line for people who read the log.
pub fn info(message: &str) {
    write(Level::Info, message);
}

/// Writes a line about something unexpected.
pub fn warn(message: &str) {
    write(Level::Warn, message);
}

/// Writes a line for the author of the plugin.
pub fn debug(message: &str) {
    write(Level::Debug, message);
}

/// Writes an error that the operator should know about.
pub fn error(message: &str) {
    write(Level::Error, message);
}

/// Writes the message and the place of a panic into the log. Without it, the host knows only that the code aborted.
pub(crate) fn report_panics() {
    std::panic::set_hook(Box::new(|panic| error(&panic.to_string())));
}
