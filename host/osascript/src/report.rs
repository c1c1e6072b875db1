//! The supervisor's state, for people.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::lane::Entrance;
use crate::record::{Counts, WorkerReport};
use crate::standing::Standing;
use crate::turns::Holder;

/// The state of all apps.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// How many processes are kept.
    pub workers: usize,
    /// How many may be.
    pub most_workers: usize,
    /// Whether this `osascript` was found to be unable to keep processes.
    pub unfit: bool,
    /// Every app that got a script, by bundle id; the empty id is the system.
    pub apps: BTreeMap<String, AppReport>,
}

/// The state of one app.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AppReport {
    /// `open`, `waiting` (for another server), `running`, `busy` (a call was answered without it), `suspect`.
    pub state: &'static str,
    /// The same in words, unless it is open.
    pub because: Option<String>,
    /// The server that holds the turn, while this one waits for it.
    pub holder: Option<Holder>,
    /// How many scripts wait.
    pub waiting: usize,
    /// The process that is kept for it.
    pub worker: Option<WorkerReport>,
    /// Counts since the start.
    #[serde(flatten)]
    pub counts: Counts,
}

pub(crate) fn of(entrance: &Entrance) -> AppReport {
    let standing = entrance.standing.borrow().clone();
    let inner = entrance.record.look();
    let state = standing.word();
    let because = (state != "open").then(|| standing.to_string());
    let holder = if let Standing::Waits(holder) = standing { holder } else { None };
    AppReport { state, because, holder, waiting: inner.waiting, worker: inner.worker(), counts: inner.counts }
}
