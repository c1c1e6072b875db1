//! The real server as a separate process, with the simulated Mac.

#![forbid(unsafe_code)]
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test starts programs and fails loudly"
)]

#[path = "server/cli.rs"]
mod cli;
#[path = "server/consent.rs"]
mod consent;
#[path = "server/eras.rs"]
mod eras;
#[path = "server/errors.rs"]
mod errors;
#[path = "server/flood.rs"]
mod flood;
#[path = "server/hostile.rs"]
mod hostile;
#[path = "server/lines.rs"]
mod lines;
#[path = "server/plugins.rs"]
mod plugins;
#[path = "server/questions.rs"]
mod questions;
#[path = "server/session.rs"]
mod session;
#[path = "server/sockets.rs"]
mod sockets;
