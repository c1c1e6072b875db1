//! Calls to a simulated Mac that misbehaves, and servers that end in any way.
#![forbid(unsafe_code)]
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test starts programs and fails loudly"
)]

#[path = "support/copied.rs"]
mod copied;
#[path = "support/mac.rs"]
mod mac;
#[path = "support/mark.rs"]
mod mark;
#[path = "support/rig.rs"]
mod rig;
#[path = "support/server.rs"]
mod server;

#[path = "running/disk.rs"]
mod disk;
#[path = "running/elsewhere.rs"]
mod elsewhere;
#[path = "running/ends.rs"]
mod ends;
#[path = "running/faults.rs"]
mod faults;
#[path = "running/full.rs"]
#[cfg(target_os = "linux")]
mod full;
#[path = "running/odd.rs"]
mod odd;
#[path = "running/references.rs"]
mod references;
#[path = "running/soak.rs"]
mod soak;
#[path = "running/swapped.rs"]
mod swapped;
#[path = "running/together.rs"]
mod together;
