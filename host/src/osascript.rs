//! Runs scripts: one door to `osascript`, with deadlines, limits and nothing left behind.

mod guard;
mod one_shot;
mod raised;
mod settings;
mod spawn;

use std::io;

use iac_core::Millis;
use iac_core::jxa::Script;
use iac_core::step::{Event, RunFailure};
use spawn::Liveness;
use tokio_util::sync::CancellationToken;

pub use guard::guard;
pub use settings::{Kind, Settings};
pub(crate) use spawn::own_server;

/// Runs scripts and answers for every process that it starts.
#[derive(Debug)]
pub struct Supervisor {
    settings: Settings,
    liveness: Liveness,
    closed: CancellationToken,
}

impl Supervisor {
    /// Makes a supervisor; it starts no process before the first script.
    ///
    /// # Errors
    /// No more files can be opened.
    pub fn new(settings: Settings) -> io::Result<Self> {
        Ok(Self { settings, liveness: Liveness::new()?, closed: CancellationToken::new() })
    }

    /// Runs a script that talks to one app, by bundle id; empty if it talks to none.
    ///
    /// Answers within the time limit, whatever happens.
    pub async fn run(&self, _app: &str, _kind: Kind, script: &Script, cancel: CancellationToken) -> Event {
        let timeout = self.settings.timeout;
        tokio::select! {
            event = one_shot::run(&self.settings, &self.liveness, script) => event,
            () = tokio::time::sleep(timeout) => Event::Failed(RunFailure::Timeout(millis(timeout))),
            () = cancel.cancelled() => Event::Failed(RunFailure::Cancelled),
            () = self.closed.cancelled() => Event::Failed(RunFailure::Process("the server is stopping".to_owned())),
        }
    }

    /// Kills what is still running.
    pub async fn shutdown(&self) {
        self.closed.cancel();
    }
}

fn millis(duration: std::time::Duration) -> Millis {
    Millis(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX))
}
