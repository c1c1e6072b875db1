//! The server's status for `iac-mcp top`.

use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::{Value as Json, json};

use super::Pipeline;
use crate::activity::{self, Activity};

impl Pipeline {
    /// The calls of the clients.
    pub(crate) fn activity(&self) -> &Activity {
        &self.activity
    }

    /// What this server is doing now, without the arguments and results of any call.
    pub(crate) fn doing(&self) -> Json {
        let mut doing = self.activity.look();
        doing["version"] = json!(env!("CARGO_PKG_VERSION"));
        doing["process"] = json!(std::process::id());
        let up = u64::try_from(self.clock.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        doing["since"] = json!(activity::now().saturating_sub(up));
        doing["events"] = json!(self.counters.events.load(Ordering::Relaxed));
        doing["osascript"] = json!(self.supervisor.report());
        doing
    }

    /// Waits until the status changes. While a call is running, it waits at most this long.
    pub(crate) async fn does_something_else(&self, most: Duration) {
        tokio::select! {
            () = self.activity.changed(most) => {}
            () = self.supervisor.worker_let_go() => {}
        }
    }
}
