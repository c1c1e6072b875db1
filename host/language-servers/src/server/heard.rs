//! Handles the server's own notifications and requests. The host answers every request at once, but carries out none.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::{Value as Json, json};
use tokio::time::Instant;

use crate::connection::{Listener, lock};
use crate::disk::Disk;
use crate::profile::Profile;
use crate::text::raw_range;
use crate::tracker::Tracker;

/// The most files whose diagnostics are kept.
const MOST_PUSHED: usize = 20_000;

/// The most hidden regions that are kept for one file.
const MOST_HIDDEN: usize = 20_000;

pub(super) struct Heard {
    pub(super) tracker: Mutex<Tracker>,
    pub(super) pushed: Mutex<HashMap<String, Pushed>>,
    /// Lines that the server leaves out of a text: first and last of each region.
    pub(super) hidden: Mutex<HashMap<String, Vec<(u32, u32)>>>,
    /// Counts the server's requests to refresh diagnostics.
    pub(super) refreshed: AtomicU64,
    profile: Arc<Profile>,
    disk: Arc<Disk>,
}

/// Diagnostics that the server sent by itself.
#[derive(Clone, Debug)]
pub(super) struct Pushed {
    pub(super) version: Option<i64>,
    pub(super) at: Instant,
    pub(super) items: Json,
}

impl Heard {
    pub(super) fn new(profile: Arc<Profile>, disk: Arc<Disk>) -> Self {
        Self {
            tracker: Mutex::new(Tracker::new()),
            pushed: Mutex::default(),
            hidden: Mutex::default(),
            refreshed: AtomicU64::new(0),
            profile,
            disk,
        }
    }

    fn publish(&self, params: &Json) {
        let Some(uri) = params.get("uri").and_then(Json::as_str) else { return };
        let path = self.disk.named(uri);
        let mut pushed = lock(&self.pushed);
        if pushed.len() < MOST_PUSHED || pushed.contains_key(&path) {
            let version = params.get("version").and_then(Json::as_i64);
            let items = params.get("diagnostics").cloned().unwrap_or_default();
            pushed.insert(path, Pushed { version, at: Instant::now(), items });
        }
    }

    /// Receives the lines that the server leaves out because a build condition is not met.
    fn hide(&self, params: &Json) {
        let uri = params.pointer("/textDocument/uri").or_else(|| params.get("uri")).and_then(Json::as_str);
        let Some(path) = uri.map(|uri| self.disk.named(uri)) else { return };
        let regions = params.get("regions").and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
        let lines = |region: &Json| raw_range(region).map(|range| (range.start.line, range.end.line));
        let lines = regions.iter().take(MOST_HIDDEN).filter_map(lines).collect();
        let mut hidden = lock(&self.hidden);
        if hidden.len() < MOST_PUSHED || hidden.contains_key(&path) {
            hidden.insert(path, lines);
        }
    }

    fn register(&self, params: &Json) {
        let registrations = params.get("registrations").and_then(Json::as_array);
        let mut tracker = lock(&self.tracker);
        for registration in registrations.into_iter().flatten().take(1_000) {
            let text =
                |key: &str| registration.get(key).and_then(Json::as_str).unwrap_or_default().to_owned();
            let options = registration.get("registerOptions").cloned().unwrap_or_default();
            tracker.registered.insert(text("id"), (text("method"), options));
        }
    }

    /// The protocol misspells the key `unregistrations` as `unregisterations`.
    fn unregister(&self, params: &Json) {
        let gone = params.get("unregisterations").or_else(|| params.get("unregistrations"));
        let mut tracker = lock(&self.tracker);
        for id in
            gone.and_then(Json::as_array).into_iter().flatten().filter_map(|gone| gone.get("id")?.as_str())
        {
            tracker.registered.remove(id);
        }
    }

    fn configuration(&self, params: &Json) -> Json {
        let items = params.get("items").and_then(Json::as_array);
        let section = |item: &Json| self.profile.section(item.get("section").and_then(Json::as_str));
        items.map(|items| items.iter().map(section).collect()).unwrap_or_default()
    }
}

impl Listener for Heard {
    fn hear(&self, method: &str, params: &Json) {
        match method {
            "$/progress" => lock(&self.tracker).progress(params, &self.profile),
            "experimental/serverStatus" => lock(&self.tracker).status(params),
            "language/status" => lock(&self.tracker).fail(params, &self.profile),
            "textDocument/publishDiagnostics" => self.publish(params),
            "textDocument/inactiveRegions" => self.hide(params),
            "window/logMessage" | "window/showMessage" => {
                let said = params.get("message").and_then(Json::as_str).unwrap_or_default();
                lock(&self.tracker).log(said, &self.profile);
                tracing::debug!(server = self.profile.name, said, "a language server says");
            }
            _ => {}
        }
    }

    fn answer(&self, method: &str, params: &Json) -> Result<Json, (i64, String)> {
        match method {
            "workspace/configuration" => Ok(self.configuration(params)),
            "client/registerCapability" => {
                self.register(params);
                Ok(Json::Null)
            }
            "client/unregisterCapability" => {
                self.unregister(params);
                Ok(Json::Null)
            }
            "workspace/workspaceFolders" => Ok(folders(&self.disk)),
            "workspace/applyEdit" => Ok(json!({"applied": false, "failureReason": "this client only reads"})),
            "workspace/diagnostic/refresh" => {
                self.refreshed.fetch_add(1, Ordering::Relaxed);
                Ok(Json::Null)
            }
            "window/workDoneProgress/create" | "window/showMessageRequest" => Ok(Json::Null),
            "window/showDocument" => Ok(json!({"success": false})),
            _ if method.ends_with("/refresh") => Ok(Json::Null),
            _ => Err((-32601, format!("this client does not answer {method}"))),
        }
    }
}

/// Returns the workspace folders: only the root.
pub(super) fn folders(disk: &Disk) -> Json {
    let name = disk.path().file_name().map(|name| name.to_string_lossy().into_owned());
    json!([{"uri": disk.uri(""), "name": name.unwrap_or_default()}])
}
