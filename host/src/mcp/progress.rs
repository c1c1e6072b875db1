//! Sends progress of a call to a client that asked for it.
//!
//! The progress number must only increase, so it is the time since the start of the call, in seconds. A plugin's own
//! count is in the message.

use std::convert::Infallible;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::RequestContext;
use rmcp::{Peer, RoleServer};
use tokio::time::Instant;
use tokio_util::task::TaskTracker;

use crate::consent::Listener;

/// How often a client is told that a call is still running.
const PROGRESS: Duration = Duration::from_secs(10);

/// The shortest interval between two messages of a plugin.
const PAUSE: Duration = Duration::from_secs(1);

/// Sends progress messages to a client that asked for them.
#[derive(Debug)]
pub(super) struct Progress {
    peer: Peer<RoleServer>,
    token: ProgressToken,
    began: Instant,
    told: Mutex<Option<Instant>>,
    telling: TaskTracker,
}

impl Progress {
    /// Returns a sender, if the caller asked for progress messages.
    pub(super) fn of(context: &RequestContext<RoleServer>) -> Option<Self> {
        let (peer, token) = (context.peer.clone(), context.meta.get_progress_token()?);
        Some(Self { peer, token, began: Instant::now(), told: Mutex::default(), telling: TaskTracker::new() })
    }

    /// Keeps reporting that the call is still running.
    pub(super) async fn say(&self) -> Infallible {
        let mut elapsed = Duration::ZERO;
        loop {
            tokio::time::sleep(PROGRESS).await;
            elapsed += PROGRESS;
            let message = format!("still waiting for the app after {} s", elapsed.as_secs());
            tell(self.peer.clone(), self.message(elapsed, message)).await;
        }
    }

    /// Waits until all messages of a plugin were sent, because a client stops listening once it has the answer.
    pub(super) async fn is_said(&self) {
        self.telling.close();
        self.telling.wait().await;
    }

    fn message(&self, elapsed: Duration, message: String) -> ProgressNotificationParam {
        ProgressNotificationParam::new(self.token.clone(), elapsed.as_secs_f64()).with_message(message)
    }

    /// Whether a message may be sent now. A message that follows the last one too soon is dropped.
    fn may_tell(&self, now: Instant) -> bool {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let may = told.is_none_or(|told| now - told >= PAUSE);
        if may {
            *told = Some(now);
        }
        may
    }
}

impl Listener for Progress {
    fn hear(&self, done: u32, total: Option<u32>, message: &str) {
        let now = Instant::now();
        if !self.may_tell(now) {
            return;
        }
        let of = total.map(|total| format!(" of {total}")).unwrap_or_default();
        let progress = self.message(now - self.began, format!("{done}{of}: {message}"));
        self.telling.spawn(tell(self.peer.clone(), progress));
    }
}

async fn tell(peer: Peer<RoleServer>, progress: ProgressNotificationParam) {
    if let Err(error) = peer.notify_progress(progress).await {
        tracing::debug!(%error, "progress was not sent");
    }
}
