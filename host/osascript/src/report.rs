//! The supervisor's state, for people to read.

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
    /// The number of workers.
    pub workers: usize,
    /// The most workers.
    pub most_workers: usize,
    /// Whether this `osascript` cannot serve as a worker.
    pub unfit: bool,
    /// Every app that got a script, by bundle id. The empty id stands for scripts that talk to no app.
    pub apps: BTreeMap<String, AppReport>,
}

/// The state of one app.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AppReport {
    /// `open`, `waiting` (for another server), `running`, `busy` (a call ended before the app answered), or
    /// `suspect`.
    pub state: &'static str,
    /// An explanation of the state, unless it is `open`.
    pub because: Option<String>,
    /// The server that holds the turn, if this one waits for it.
    pub holder: Option<Holder>,
    /// The number of waiting scripts.
    pub waiting: usize,
    /// The app's worker.
    pub worker: Option<WorkerReport>,
    /// Statistics since the start of the server.
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
