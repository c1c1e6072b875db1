//! The time of the call.

use crate::bindings::iac::plugin::clock;
pub use crate::bindings::iac::plugin::clock::Instant;

/// Returns the instant at which the call began; it is the same for the whole call.
pub fn now() -> Instant {
    clock::now()
}
