//! Diagnostics. Some servers must be asked for them, others send them, and some do both.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value as Json, json};
use tokio::time::{Instant, sleep};

use super::documents::Shown;
use super::heard::Pushed;
use super::parse::Reader;
use super::{Halt, Reach, Server};
use crate::connection::lock;
use crate::types::{Answered, Diagnostic, Doubt};

/// How long a server must have sent nothing more about a file before its diagnostics count as complete.
const QUIET: Duration = Duration::from_millis(250);

/// How long after a change in another file the server may still correct earlier diagnostics.
const RIPPLE: Duration = Duration::from_millis(1_000);

/// If a server has sent nothing about a file for this time, it has nothing to send.
const SILENCE: Duration = Duration::from_secs(15);

const STEP: Duration = Duration::from_millis(20);

/// How long an answer about the whole root may take. After that the server is assumed to be long polling for changes.
const LONG_POLL: Duration = Duration::from_secs(10);

impl Server {
    /// Returns the diagnostics of the newest text of a file.
    pub(crate) async fn diagnostics(
        &self,
        path: &str,
        deadline: Instant,
    ) -> Result<Answered<Diagnostic>, Halt> {
        self.refresh().await;
        let before = self.state();
        let (items, is_stale) = self.raw_diagnostics(path, deadline).await?;
        let shown = self.show(path).await?;
        let mut reader = Reader::new(self).knowing(path, shown.text);
        let found: BTreeSet<Diagnostic> = reader.diagnostics(&Json::Array(items), path).into_iter().collect();
        let mut freshness = self.freshness(Reach::Known, before);
        if is_stale {
            freshness.doubt(Doubt::Stale);
        }
        Ok(Answered { items: found.into_iter().collect(), freshness })
    }

    /// Returns the diagnostics of the newest text of a file, as the server gave them, and whether they may belong to
    /// an older text.
    pub(super) async fn raw_diagnostics(
        &self,
        path: &str,
        deadline: Instant,
    ) -> Result<(Vec<Json>, bool), Halt> {
        let shown = self.show(path).await?;
        let list = |items: Option<&Json>| items.and_then(Json::as_array).cloned().unwrap_or_default();
        let pulls = self.abilities().pull_diagnostics;
        let mut found = Vec::new();
        let pushed = if pulls {
            let answer = self.ask("textDocument/diagnostic", &self.document(path), deadline).await?;
            found.extend(list(answer.get("items")));
            self.pushed(path, &shown)
        } else {
            self.wait_for_push(path, &shown, deadline).await?
        };
        let is_stale = !pulls && pushed.is_none();
        found.extend(list(pushed.as_ref().map(|pushed| &pushed.items)));
        Ok((found, is_stale))
    }

    /// Returns what the server sent about exactly this text.
    fn pushed(&self, path: &str, shown: &Shown) -> Option<Pushed> {
        let pushed = lock(&self.heard.pushed).get(path).cloned()?;
        let fresh = match pushed.version {
            Some(version) => version >= shown.version,
            None => pushed.at >= shown.synced,
        };
        fresh.then_some(pushed)
    }

    /// Waits until the server has sent diagnostics of this text and then stays quiet.
    async fn wait_for_push(
        &self,
        path: &str,
        shown: &Shown,
        deadline: Instant,
    ) -> Result<Option<Pushed>, Halt> {
        let began = Instant::now();
        loop {
            if let Some(reason) = self.ended() {
                return Err(Halt::Ended(reason));
            }
            let pushed = self.pushed(path, shown);
            let changed = *lock(&self.changed);
            if let Some(pushed) = &pushed
                && pushed.at.elapsed() >= QUIET
                && (pushed.at >= changed + QUIET || changed.elapsed() >= RIPPLE)
            {
                return Ok(Some(pushed.clone()));
            }
            // A server that is still loading may send nothing for a long time. One that has loaded the project and is
            // silent has nothing to send.
            let silent = began.elapsed() >= SILENCE && !lock(&self.heard.tracker).is_busy();
            if Instant::now() + STEP >= deadline || (silent && pushed.is_none()) {
                return Ok(pushed);
            }
            sleep(STEP).await;
        }
    }

    /// Returns the diagnostics of the whole root, from a server that supports the request.
    pub(crate) async fn workspace_diagnostics(
        &self,
        deadline: Instant,
    ) -> Result<Answered<Diagnostic>, Halt> {
        self.require(|abilities| abilities.workspace_diagnostics, "workspace diagnostic")?;
        self.refresh().await;
        let before = self.state();
        let deadline = deadline.min(Instant::now() + LONG_POLL);
        let answer = self.ask("workspace/diagnostic", &json!({"previousResultIds": []}), deadline).await?;
        let reports = answer.get("items").and_then(Json::as_array);
        let mut reader = Reader::new(self);
        let mut found = BTreeSet::new();
        for report in reports.map(Vec::as_slice).unwrap_or_default() {
            let Some(uri) = report.get("uri").and_then(Json::as_str) else { continue };
            let path = self.disk.named(uri);
            found.extend(
                report.get("items").map(|items| reader.diagnostics(items, &path)).unwrap_or_default(),
            );
        }
        Ok(Answered { items: found.into_iter().collect(), freshness: self.freshness(Reach::Project, before) })
    }
}
