//! Waits until a server has loaded the project. Few servers report it; each profile names the most reliable sign.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value as Json, json};
use tokio::time::{Instant, sleep};

use super::parse::Reader;
use super::{Halt, Server};
use crate::connection::lock;
use crate::listing::Found;
use crate::profile::Ready;
use crate::tracker::Warm;

/// How long a server must have had no work.
const SETTLE: Duration = Duration::from_millis(400);

/// The longest wait for a sign. After that, the server is assumed to have loaded all that it ever will.
const LONGEST: Duration = Duration::from_secs(120);

const STEP: Duration = Duration::from_millis(20);

/// How many files are tried as the file to open.
const TRIED: usize = 5;

/// How often they are tried. Some servers outline nothing until they have had time to load.
const READ: usize = 5;

/// File sizes in bytes that are quick to read but not empty.
const EASY: std::ops::Range<u64> = 100..40_000;

impl Server {
    /// Waits for the sign. The result goes to the tracker.
    pub(crate) async fn warm_up(self: Arc<Self>) {
        let deadline = Instant::now() + LONGEST;
        let known = match &self.profile.ready {
            Ready::Start => true,
            Ready::Status { .. } => return,
            Ready::Progress { grace_ms, .. } => {
                self.by_progress(Duration::from_millis(*grace_ms), deadline).await
            }
            Ready::Log { .. } => self.by_log(deadline).await,
            Ready::Anchor => self.by_anchor(deadline).await,
            Ready::Canary => self.by_canary(deadline).await,
            Ready::Unknown => self.by_equal_answers(deadline).await,
        };
        lock(&self.heard.tracker).warm = if known { Warm::Known } else { Warm::Assumed };
    }

    /// Waits for work to end. Some servers begin to load only once a file is open.
    async fn by_progress(&self, grace: Duration, deadline: Instant) -> bool {
        if self.profile.anchor {
            self.open_anchor(deadline).await;
        }
        let began = Instant::now();
        loop {
            let (begun, ended, busy) = {
                let tracker = lock(&self.heard.tracker);
                (tracker.has_begun(), tracker.has_ended(), tracker.is_busy())
            };
            if (ended || (!begun && began.elapsed() >= grace)) && !busy {
                return ended || self.profile.anchor;
            }
            if self.is_over(deadline) {
                return false;
            }
            sleep(STEP).await;
        }
    }

    async fn by_log(&self, deadline: Instant) -> bool {
        while !lock(&self.heard.tracker).logged {
            if self.is_over(deadline) {
                return false;
            }
            sleep(STEP).await;
        }
        self.settle(deadline).await
    }

    async fn by_anchor(&self, deadline: Instant) -> bool {
        let opened = self.open_anchor(deadline).await;
        opened && self.settle(deadline).await
    }

    /// Opens a file that stays open, and requests its outline. If there is no file, the server has no project to
    /// load.
    async fn open_anchor(&self, deadline: Instant) -> bool {
        for path in self.candidates() {
            if self.anchor(&path).await.is_err() {
                continue;
            }
            let answer = self.ask("textDocument/documentSymbol", &self.document(&path), deadline).await;
            if answer.is_ok() {
                return true;
            }
        }
        self.candidates().is_empty()
    }

    /// Searches for a name from a file that is closed again. If the server finds it, it has read the project by
    /// itself.
    async fn by_canary(&self, deadline: Instant) -> bool {
        let Some(names) = self.canaries(deadline).await else { return self.candidates().is_empty() };
        loop {
            for (path, name) in &names {
                let found = self.ask("workspace/symbol", &json!({"query": name}), deadline).await;
                if found.is_ok_and(|found| self.holds(&found, path)) {
                    return self.settle(deadline).await;
                }
            }
            if self.is_over(deadline) {
                return false;
            }
            sleep(STEP * 2).await;
        }
    }

    /// Waits for two equal answers. This is a weak sign, so it is not recorded as certain.
    async fn by_equal_answers(&self, deadline: Instant) -> bool {
        let names = self.canaries(deadline).await.unwrap_or_default();
        let mut before = Json::Null;
        for _ in 0..20 {
            let query = names.first().map_or("", |(_, name)| name.as_str());
            let Ok(answer) = self.ask("workspace/symbol", &json!({"query": query}), deadline).await else {
                break;
            };
            if answer == before || self.is_over(deadline) {
                break;
            }
            before = answer;
            sleep(SETTLE).await;
        }
        false
    }

    /// Takes one name from each of a few files, and closes them again.
    async fn canaries(&self, deadline: Instant) -> Option<Vec<(String, String)>> {
        for _ in 0..READ {
            let mut names = Vec::new();
            for path in self.candidates() {
                if let Ok(Some(name)) = self.first_name(&path, deadline).await {
                    names.push((path.clone(), name));
                }
            }
            for path in self.candidates() {
                self.hide(&path).await;
            }
            if !names.is_empty() {
                return Some(names);
            }
            sleep(SETTLE).await;
        }
        None
    }

    async fn first_name(&self, path: &str, deadline: Instant) -> Result<Option<String>, Halt> {
        let shown = self.show(path).await?;
        let answer = self.ask("textDocument/documentSymbol", &self.document(path), deadline).await?;
        let (symbols, _) = Reader::new(self).knowing(path, shown.text).outline(&answer, path);
        let named = |name: &&str| name.len() > 2 && name.chars().all(|c| c.is_alphanumeric() || c == '_');
        Ok(symbols
            .iter()
            .filter(|symbol| symbol.parent.is_none())
            .map(|it| it.name.as_str())
            .find(named)
            .map(str::to_owned))
    }

    fn holds(&self, found: &Json, path: &str) -> bool {
        let mut reader = Reader::new(self);
        let found = found.as_array().map(Vec::as_slice).unwrap_or_default();
        found.iter().filter_map(|item| reader.information(item)).any(|symbol| symbol.location.path == path)
    }

    async fn settle(&self, deadline: Instant) -> bool {
        loop {
            let quiet = {
                let tracker = lock(&self.heard.tracker);
                !tracker.is_busy() && tracker.worked.elapsed() >= SETTLE
            };
            if quiet {
                return true;
            }
            if self.is_over(deadline) {
                return false;
            }
            sleep(STEP).await;
        }
    }

    fn is_over(&self, deadline: Instant) -> bool {
        self.ended().is_some() || Instant::now() + STEP >= deadline
    }

    /// Returns a few files of the server's languages. The most common file types of the root come first, since they
    /// belong to the project. Configuration files, declaration files and files that are hard to parse come last.
    fn candidates(&self) -> Vec<String> {
        let found = self.files.all();
        let spoken = found.iter().filter(|found| self.profile.files.contains_key(found.extension()));
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for found in spoken.clone() {
            *counts.entry(found.extension()).or_default() += 1;
        }
        let mut spoken: Vec<&Found> = spoken.collect();
        spoken.sort_by_cached_key(|found| {
            let aside = found.path.ends_with(".d.ts") || found.path.contains("config");
            (
                aside,
                !EASY.contains(&found.stamp.size),
                Reverse(counts[found.extension()]),
                found.path.as_str(),
            )
        });
        spoken.into_iter().take(TRIED).map(|found| found.path.clone()).collect()
    }
}
