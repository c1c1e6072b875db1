//! A running server: the state that the host keeps about it, and how it is asked.

mod declared;
mod diagnostics;
mod documents;
mod heard;
mod imports;
mod marks;
mod names;
mod parse;
mod questions;
mod edits;
mod start;
mod uses;
mod words;
mod warm;

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value as Json;
use tokio::time::Instant;

use crate::connection::{Connection, Trouble, lock};
use crate::disk::{Disk, Stamp};
use crate::files::Files;
use crate::listing::Listing;
use crate::profile::{Profile, Ready, WithoutProject};
use crate::text::Encoding;
use crate::tracker::Warm;
use crate::types::{Abilities, Cause, Doubt, Failure, Freshness, State, Symbols};

use documents::Documents;
use heard::Heard;

use declared::code_lines;
pub(crate) use start::{Start, start};

/// After this many unanswered questions in a row, a server counts as dead.
const SILENCE: u32 = 3;

/// An unanswered question counts against the server only if it had at least this much time.
const PATIENCE: Duration = Duration::from_secs(1);

/// The suggestion for an answer that did not come in time.
const SLOW: &str = "ask again: the server keeps what it has read, and the first question after its start takes longest; or \
                    allow more time, or ask about less";

/// The most outlines that are cached.
const OUTLINES: usize = 5_000;

/// A server that runs.
pub(crate) struct Server {
    pub(crate) profile: Arc<Profile>,
    pub(crate) pid: Option<u32>,
    /// Memory in bytes, as last measured.
    pub(crate) memory: AtomicU64,
    disk: Arc<Disk>,
    files: Arc<Files>,
    connection: Connection,
    heard: Arc<Heard>,
    encoding: Encoding,
    version: Option<String>,
    capabilities: Json,
    documents: tokio::sync::Mutex<Documents>,
    told: Mutex<HashMap<String, Stamp>>,
    /// The listing that was last compared with `told`.
    compared: Mutex<Option<Arc<Listing>>>,
    changed: Mutex<Instant>,
    generation: AtomicU64,
    /// The generation of the last change of a file that others include.
    included: AtomicU64,
    outlines: Mutex<HashMap<String, Outline>>,
    used: Mutex<Instant>,
    silence: Mutex<Silence>,
    /// When its memory was last seen to change.
    stirred: Mutex<Option<Instant>>,
    /// Changes that the server was told of but that its open texts do not reflect yet.
    unfollowed: Mutex<Vec<(String, u8)>>,
    is_project: bool,
    scoped: AtomicBool,
}

/// An outline, with the stamp of its file and the generation in which it was made.
type Outline = (Stamp, u64, Arc<Symbols>);

/// The number of unanswered questions since the last answer. Questions that wait at the same time count as one,
/// because a busy server answers none of them.
#[derive(Default)]
struct Silence {
    questions: u32,
    since: Option<Instant>,
}

/// Why a question to a running server has no answer.
#[derive(Debug)]
pub(crate) enum Halt {
    /// The failure is returned to the caller.
    Failure(Failure),
    /// The server has ended; the question can be put to a new one.
    Ended(String),
}

impl From<Failure> for Halt {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

/// How much of the project an answer depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reach {
    /// The text of one file.
    File,
    /// The relation of one file to others.
    Known,
    /// All files.
    Project,
}

impl Server {
    /// Returns how it ended, if it has. A server that no longer answers counts as ended.
    pub(crate) fn ended(&self) -> Option<String> {
        let silent = lock(&self.silence).questions >= SILENCE;
        self.connection.ended().or_else(|| silent.then(|| format!("it left {SILENCE} questions unanswered")))
    }

    pub(crate) fn state(&self) -> State {
        lock(&self.heard.tracker).state(&self.profile)
    }

    pub(crate) fn message(&self) -> Option<String> {
        lock(&self.heard.tracker).message()
    }

    pub(crate) fn work(&self) -> Option<String> {
        lock(&self.heard.tracker).work()
    }

    pub(crate) fn version(&self) -> Option<String> {
        self.version.clone()
    }

    /// Returns how long the server has been idle.
    pub(crate) fn unused(&self) -> Duration {
        lock(&self.used).elapsed()
    }

    /// Returns its abilities, including those that it registered after its start.
    pub(crate) fn abilities(&self) -> Abilities {
        let registered = |method: &str| {
            lock(&self.heard.tracker).registered.values().any(|(registered, _)| registered == method)
        };
        let option = |key: &str| {
            self.capabilities.get(key).filter(|value| !value.is_null() && **value != Json::Bool(false))
        };
        let denied = |key: &str| self.profile.denied.iter().any(|denied| denied == key);
        let has = |key: &str, method: &str| !denied(key) && (option(key).is_some() || registered(method));
        Abilities {
            document_symbols: has("documentSymbolProvider", "textDocument/documentSymbol"),
            workspace_symbols: has("workspaceSymbolProvider", "workspace/symbol"),
            references: has("referencesProvider", "textDocument/references"),
            definition: has("definitionProvider", "textDocument/definition"),
            type_definition: has("typeDefinitionProvider", "textDocument/typeDefinition"),
            implementations: has("implementationProvider", "textDocument/implementation"),
            calls: has("callHierarchyProvider", "textDocument/prepareCallHierarchy"),
            types: has("typeHierarchyProvider", "textDocument/prepareTypeHierarchy"),
            hover: has("hoverProvider", "textDocument/hover"),
            completions: has("completionProvider", "textDocument/completion"),
            pull_diagnostics: has("diagnosticProvider", "textDocument/diagnostic"),
            workspace_diagnostics: self.pulls_whole(),
            rename: has("renameProvider", "textDocument/rename"),
            actions: has("codeActionProvider", "textDocument/codeAction"),
        }
    }

    fn pulls_whole(&self) -> bool {
        let whole = |options: &Json| options.get("workspaceDiagnostics") == Some(&Json::Bool(true));
        let tracker = lock(&self.heard.tracker);
        let mut registered =
            tracker.registered.values().filter(|(method, _)| method == "textDocument/diagnostic");
        self.capabilities.get("diagnosticProvider").is_some_and(whole)
            || registered.any(|(_, options)| whole(options))
    }

    /// Sends a request, and repeats it if the server reports that it was interrupted.
    async fn ask(&self, method: &str, params: &Json, deadline: Instant) -> Result<Json, Halt> {
        *lock(&self.used) = Instant::now();
        let (mut wait, began) = (Duration::from_millis(50), Instant::now());
        loop {
            match self.connection.request(method, params, deadline).await {
                Err(Trouble::Refused { code: -32801 | -32802, .. }) if Instant::now() + wait < deadline => {
                    tokio::time::sleep(wait).await;
                    wait = (wait * 2).min(Duration::from_secs(2));
                }
                answer => return self.heard_of(answer, method, began),
            }
        }
    }

    /// Asks a question about the whole project. A server that could not read the project may refuse. Its refusal
    /// counts as an empty answer with a doubt, and the host still adds what it learns from the texts.
    async fn ask_project(&self, method: &str, params: &Json, deadline: Instant) -> Result<Json, Halt> {
        match self.ask(method, params, deadline).await {
            Err(Halt::Failure(Failure { cause: Cause::Failed, .. })) if self.state() == State::Degraded => {
                Ok(Json::Null)
            }
            answer => answer,
        }
    }

    fn heard_of(&self, answer: Result<Json, Trouble>, method: &str, began: Instant) -> Result<Json, Halt> {
        match answer {
            // A busy server would lose its progress in a restart, and a server that had no time to answer proves
            // nothing.
            Err(Trouble::Timeout) if self.is_busy_since(began) || began.elapsed() < PATIENCE => {}
            Err(Trouble::Timeout) => lock(&self.silence).lasts(began),
            _ => *lock(&self.silence) = Silence::default(),
        }
        answer.map_err(|trouble| match trouble {
            Trouble::Ended(reason) => Halt::Ended(reason),
            Trouble::Timeout => self.too_slow(method).into(),
            Trouble::Refused { code: -32601, .. } => self.unsupported(method).into(),
            Trouble::Refused { code: -32801 | -32802, message } => {
                let message = format!("{} was disturbed until time was up: {message}", self.profile.name);
                Failure::new(Cause::Timeout, message).retry(1_000).into()
            }
            Trouble::Refused { code, message } => {
                let message: String = message.chars().take(500).collect();
                let said = format!("{} refused {method} ({code}): {message}", self.profile.name);
                let failure = Failure::new(Cause::Failed, said);
                // The likely reason is a problem of the project.
                self.message().into_iter().fold(failure, Failure::suggest).into()
            }
        })
    }

    /// Whether it has sent anything since `then`, or its memory has changed, which means that it is working.
    fn is_busy_since(&self, then: Instant) -> bool {
        self.connection.has_spoken_since(then) || lock(&self.stirred).is_some_and(|at| at > then)
    }

    /// Records how much memory it uses now.
    pub(crate) fn weighs(&self, memory: u64) {
        let before = self.memory.swap(memory, Ordering::Relaxed);
        if before != 0 && memory != before {
            *lock(&self.stirred) = Some(Instant::now());
        }
    }

    fn too_slow(&self, method: &str) -> Failure {
        let what = method.rsplit('/').next().unwrap_or(method);
        let failure =
            Failure::new(Cause::Timeout, format!("{} did not answer {what} in time", self.profile.name));
        failure.suggest(SLOW).retry(1_000)
    }

    fn unsupported(&self, method: &str) -> Failure {
        let what = method.rsplit('/').next().unwrap_or(method);
        Failure::new(Cause::Unsupported, format!("{} does not provide {what}", self.profile.name))
    }

    fn require(&self, has: impl Fn(&Abilities) -> bool, what: &str) -> Result<(), Halt> {
        if has(&self.abilities()) { Ok(()) } else { Err(self.unsupported(what).into()) }
    }

    /// Returns how reliable an answer is. `before` is the server's state when the request was sent; the answer has
    /// just arrived.
    fn freshness(&self, reach: Reach, before: State) -> Freshness {
        let mut freshness = Freshness {
            doubts: Vec::new(),
            settled: u64::try_from(lock(&self.heard.tracker).worked.elapsed().as_millis())
                .unwrap_or(u64::MAX),
            generation: self.generation.load(Ordering::Relaxed),
        };
        let states = if reach == Reach::File { [State::Ready; 2] } else { [before, self.state()] };
        if states.contains(&State::Loading) {
            freshness.doubt(Doubt::Loading);
        }
        let is_ill = reach != Reach::File && lock(&self.heard.tracker).is_ill();
        if is_ill || states.contains(&State::Degraded) {
            freshness.doubt(Doubt::Degraded);
        }
        if reach == Reach::Project {
            self.doubt_project(&mut freshness);
        }
        freshness
    }

    fn doubt_project(&self, freshness: &mut Freshness) {
        let assumed = lock(&self.heard.tracker).warm == Warm::Assumed;
        if assumed && !matches!(self.profile.ready, Ready::Status { .. }) {
            freshness.doubt(Doubt::ReadinessUnknown);
        }
        if !self.is_project && self.profile.without_project == WithoutProject::OpenOnly {
            freshness.doubt(Doubt::OpenOnly);
        }
        if self.scoped.load(Ordering::Relaxed) {
            freshness.doubt(Doubt::Scope);
        }
    }

    /// Asks it to shut down. Dropping the last handle kills it.
    pub(crate) async fn stop(&self) {
        let deadline = Instant::now() + Duration::from_secs(2);
        if self.connection.request("shutdown", &Json::Null, deadline).await.is_ok() {
            self.connection.notify("exit", &Json::Null);
            let ending = tokio::time::timeout(Duration::from_secs(1), self.connection.end());
            drop(ending.await);
        }
    }
}

impl Silence {
    /// Counts a question that was left without an answer. It was sent at `began`.
    fn lasts(&mut self, began: Instant) {
        if self.since.is_none_or(|since| began >= since) {
            self.questions += 1;
            self.since = Some(Instant::now());
        }
    }
}
