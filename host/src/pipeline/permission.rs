//! The host's part of permission, between a call and its scripts: the policy and grants, the user, and the audit log.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use iac_core::Millis;
use iac_core::audit::{CallWords, Entry, redact};
use iac_core::call::Call;
use iac_core::fault::Fault;
use iac_core::permission::{Answer, Choice, Closed, Decided, Gate, Level, Policy, Question};
use iac_core::step::{Event, Outcome, RunFailure};
use iac_state::{Recorder, State, StateError};
use serde::Deserialize;
use serde_json::{Map, Value as Json};
use tokio_util::sync::CancellationToken;

use super::{internal, leads};
use crate::closed;
use crate::consent::{Asked, Caller};

/// How long an answer waits for its undo record to be stored.
const LATE: Duration = Duration::from_secs(1);

/// How long the disk may take. Two servers that block each other need some seconds, and a missing volume never
/// answers.
const SILENT: Duration = Duration::from_secs(10);

/// What the audit log calls the language servers.
pub(crate) const SERVERS: &str = "language-servers";

/// Everything that permission depends on in the host.
#[derive(Debug)]
pub(super) struct Permission {
    state: Arc<State>,
    recorder: Recorder,
    calls: AtomicU64,
    closed: Arc<Closed>,
}

/// One call, as decisions and the audit log see it.
#[derive(Clone, Debug)]
pub(super) struct Attempt<'a> {
    pub(super) caller: &'a Caller,
    called: Arc<Called>,
    closed: Arc<Closed>,
}

/// A call before it is formatted for the log. That happens only once, on the log's thread.
struct Called {
    number: u64,
    tool: String,
    client: String,
    plugin: Option<String>,
    arguments: Map<String, Json>,
    words: OnceLock<Arc<CallWords>>,
}

/// The arguments may be private, so they are not shown.
impl std::fmt::Debug for Called {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Called")
            .field("number", &self.number)
            .field("tool", &self.tool)
            .finish_non_exhaustive()
    }
}

impl Called {
    fn words(&self) -> Arc<CallWords> {
        let make = || CallWords {
            number: self.number,
            tool: self.tool.clone(),
            client: self.client.clone(),
            plugin: self.plugin.clone(),
            arguments: redact(&self.arguments),
        };
        Arc::clone(self.words.get_or_init(|| Arc::new(make())))
    }
}

impl Permission {
    pub(super) fn new(state: Arc<State>, home: &str) -> Self {
        let recorder = Recorder::new(Arc::clone(&state));
        let closed = Arc::new(closed::closed(Some(state.folder()), home).with_links(leads::links()));
        Self { state, recorder, calls: AtomicU64::default(), closed }
    }

    pub(super) fn state(&self) -> &State {
        &self.state
    }

    pub(super) fn attempt<'a>(
        &self,
        tool: &str,
        arguments: &Map<String, Json>,
        caller: &'a Caller,
    ) -> Attempt<'a> {
        Attempt { caller, called: self.called(tool, arguments, caller), closed: Arc::clone(&self.closed) }
    }

    fn called(&self, tool: &str, arguments: &Map<String, Json>, caller: &Caller) -> Arc<Called> {
        Arc::new(Called {
            number: self.calls.fetch_add(1, Ordering::Relaxed) + 1,
            tool: tool.to_owned(),
            client: caller.client.clone(),
            plugin: caller.plugin.clone(),
            arguments: arguments.clone(),
            words: OnceLock::new(),
        })
    }

    /// Returns everything that decisions depend on at this moment.
    ///
    /// # Errors
    /// It cannot be read. Nothing may run then.
    pub(super) fn gate(&self, attempt: &Attempt<'_>, now: Millis) -> Result<Gate, Fault> {
        let gate = self.state.gate(now, attempt.caller.plugin.clone())?;
        let Caller { app, most, takes_back, .. } = attempt.caller;
        Ok(Gate {
            app: app.clone(),
            most: *most,
            takes_back: *takes_back,
            closed: Arc::clone(&attempt.closed),
            ..gate
        })
    }

    /// Returns the policy. If it cannot be read, returns one that denies everything.
    pub(super) fn policy(&self) -> Arc<Policy> {
        self.state.gate(Millis(0), None).unwrap_or_else(|_| shut()).policy
    }

    /// Gives `iac_mcp_undo` the stored undo records.
    pub(super) async fn with_undos(&self, call: Call, now: Millis) -> Result<Call, Fault> {
        if !call.wants_undos() {
            return Ok(call);
        }
        let known = self.blocking(move |state| state.undos(now)).await??;
        call.with_undos(&known, now)
    }

    /// Logs a decision before it takes effect. For a change, the entry must be on disk before the change runs.
    ///
    /// # Errors
    /// The entry of a change cannot be written.
    pub(super) async fn decided(
        &self,
        attempt: &Attempt<'_>,
        decided: &Arc<Decided>,
        now: Millis,
    ) -> Result<(), Fault> {
        let entry = decision(attempt, decided);
        self.write(entry, decided.harm.level > Level::Safe, now).await
    }

    /// Records how a script ended. The script has run, so a failure of the log cannot prevent it.
    pub(super) async fn executed(
        &self,
        attempt: &Attempt<'_>,
        (app, level): (&str, Level),
        event: &Event,
        (began, now): (Instant, Millis),
    ) {
        let elapsed_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        let end = is_short(event).then(|| event.clone()).ok_or_else(|| ended(event));
        let (app, called) = (app.to_owned(), Arc::clone(&attempt.called));
        let entry = move || {
            let (result, events) = end.map_or_else(|known| known, |event| ended(&event));
            Entry::Execution { call: called.words(), app, result, events, elapsed_ms }
        };
        if let Err(fault) = self.write(entry, level > Level::Safe, now).await {
            tracing::error!("{}", fault.message);
        }
    }

    /// Records that language servers were opened, which counts as a read.
    pub(super) fn opened(&self, tool: &str, root: &str, ok: bool, caller: &Caller, now: Millis) {
        let mut arguments = Map::new();
        arguments.insert("root".to_owned(), root.into());
        let called = self.called(tool, &arguments, caller);
        let result = if ok { "ok" } else { "unavailable" }.to_owned();
        let app = SERVERS.to_owned();
        let entry = move || Entry::Execution { call: called.words(), app, result, events: 0, elapsed_ms: 0 };
        self.recorder.note(now, entry);
    }

    async fn write(
        &self,
        entry: impl FnOnce() -> Entry + Send + 'static,
        durable: bool,
        now: Millis,
    ) -> Result<(), Fault> {
        if durable {
            return Ok(self.recorder.record(now, entry).await?);
        }
        self.recorder.note(now, entry);
        Ok(())
    }

    /// Asks the user behind a call; `None` if the call ends here and the client repeats it with the answer.
    pub(super) async fn ask(
        &self,
        question: &Question,
        attempt: &Attempt<'_>,
        cancel: &CancellationToken,
        now: Millis,
    ) -> Option<Answer> {
        let entry = Entry::question(attempt.called.words(), question);
        self.recorder.note(now, || entry);
        let Some(patience) = attempt.caller.patience() else {
            return Some(Answer::Unanswered("there was no time left to ask".to_owned()));
        };
        let asked = tokio::select! {
            asked = attempt.caller.asker.ask(question, patience) => asked,
            () = cancel.cancelled() => Asked::Answered(Answer::Unanswered("the call was cancelled".to_owned())),
        };
        let answer = match asked {
            Asked::Answered(answer) => answer,
            Asked::Later => return None,
            Asked::NoWay(why) => Answer::NoWay(why),
        };
        Some(answer)
    }

    /// Stores an approval for more than one use. If that fails, the approval is valid once.
    pub(super) async fn keep_grants(&self, question: &Question, answer: &Answer, now: Millis) {
        let Answer::Chosen { choice: choice @ (Choice::Hour | Choice::Always), digest, by } = answer else {
            return;
        };
        if *digest != question.digest() || !question.offers(*choice) {
            return;
        }
        let always = *choice == Choice::Always;
        let grants: Vec<_> =
            question.scopes().iter().map(|scope| scope.grant(grant_id(), always, by.clone(), now)).collect();
        match self.blocking(move |state| state.grant(grants, now)).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::error!(%error, "the approval is not stored"),
            Err(fault) => tracing::error!("{}", fault.message),
        }
    }

    /// Ends a call: logs a refusal, stores the undo record, and records that untrusted content was read. An undo that
    /// cannot be stored is not offered.
    pub(super) async fn ended(
        &self,
        attempt: &Attempt<'_>,
        outcome: &mut Outcome,
        apps: &[Arc<str>],
        now: Millis,
    ) {
        if let Some(decided) = &outcome.refused {
            self.recorder.note(now, decision(attempt, decided));
        }
        if !self.keeps_undos(outcome, now).await {
            let lost: BTreeSet<&str> = outcome.undo.iter().map(iac_core::undo::Undo::shown_id).collect();
            withdraw(&mut outcome.body, &lost);
        }
        if outcome.body.get("untrusted") == Some(&Json::Bool(true)) {
            self.taint(apps.iter().any(|app| self.state.is_content_of_others(app))).await;
        }
    }

    /// Stores and deletes undo records, and updates the others with the new paths of moved objects. Returns false if
    /// that failed or took too long.
    pub(super) async fn keeps_undos(&self, outcome: &Outcome, now: Millis) -> bool {
        let (undo, undone, renamed) = (outcome.undo.clone(), outcome.undone.clone(), outcome.renamed.clone());
        if undo.is_empty() && undone.is_empty() && renamed.is_empty() {
            return true;
        }
        let kept = self.blocking(move |state| state.keep_undos(&undo, &undone, &renamed, now));
        match tokio::time::timeout(LATE, kept).await {
            Ok(Ok(Ok(()))) => return true,
            Ok(Ok(Err(error))) => tracing::error!(%error, "the write cannot be undone"),
            Ok(Err(fault)) => tracing::error!("{}", fault.message),
            Err(_) => tracing::error!("the undo record was not stored in time"),
        }
        false
    }

    /// Records that a plugin gets from its store what these apps and web servers may have said.
    pub(super) async fn recalled(&self, sources: &BTreeSet<String>) {
        if sources.is_empty() {
            return;
        }
        // No call to an app has read the policy here.
        let policy = self.policy();
        self.taint(sources.iter().any(|source| policy.is_content_of_others(source))).await;
    }

    /// Records that untrusted content was read. The policy that allowed the read also says whose content it is.
    async fn taint(&self, of_others: bool) {
        if !of_others || !self.state.read_untrusted() {
            return;
        }
        // The client gets the text only after every other server knows that the client has it.
        match self.blocking(State::tell_untrusted).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => {
                tracing::error!(%error, "other servers do not know that untrusted content was read")
            }
            Err(fault) => tracing::error!("{}", fault.message),
        }
    }

    /// Runs work that may wait for the disk on a blocking thread.
    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&State) -> Result<T, StateError> + Send + 'static,
    ) -> Result<Result<T, StateError>, Fault> {
        let state = Arc::clone(&self.state);
        let done = tokio::task::spawn_blocking(move || work(&state));
        match tokio::time::timeout(SILENT, done).await {
            Ok(done) => done.map_err(|error| internal(&error)),
            Err(_) => Ok(Err(StateError::Silent { path: self.state.folder().to_owned() })),
        }
    }
}

fn decision(attempt: &Attempt<'_>, decided: &Arc<Decided>) -> impl FnOnce() -> Entry + Send + use<> {
    let (called, decided) = (Arc::clone(&attempt.called), Arc::clone(decided));
    move || Entry::Decision { call: called.words(), decided }
}

/// The policy to use if the files cannot be read. Running calls are still answered, but nothing more runs.
pub(super) fn shut() -> Gate {
    let policy = Policy::parse("rules = [{ decision = \"deny\", reason = \"the policy cannot be read\" }]");
    Gate { policy: Arc::new(policy.expect("it is correct: a test reads it")), ..Gate::default() }
}

/// Removes the ids of undo records that could not be stored from an answer. The ids are random, so nothing else
/// equals one.
fn withdraw(body: &mut Json, lost: &BTreeSet<&str>) {
    match body {
        Json::String(text) if lost.contains(text.as_str()) => *body = Json::Null,
        Json::Array(items) => items.iter_mut().for_each(|item| withdraw(item, lost)),
        Json::Object(fields) => fields.values_mut().for_each(|field| withdraw(field, lost)),
        _ => {}
    }
}

fn grant_id() -> String {
    let mut bits = [0; 5];
    getrandom::fill(&mut bits).expect("the system gives random bytes to every process");
    format!("grant_{}", data_encoding::BASE32_NOPAD.encode(&bits).to_lowercase())
}

/// The part of an envelope that tells how a script ended. Its result is skipped.
#[derive(Deserialize)]
struct End {
    ok: bool,
    number: Option<i64>,
    #[serde(default)]
    events: u64,
}

impl End {
    fn parse(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }
}

/// Whether an answer is short enough to be kept until the log's thread parses how the script ended.
fn is_short(event: &Event) -> bool {
    matches!(event, Event::Replied(text) if text.len() <= 4 * 1024)
}

/// Returns how a script ended, in one word or number, and its number of Apple events.
fn ended(event: &Event) -> (String, u64) {
    match event {
        Event::Replied(text) => match End::parse(text) {
            Some(End { ok: true, events, .. }) => ("ok".to_owned(), events),
            Some(End { number: Some(number), events, .. }) => (number.to_string(), events),
            _ => ("unreadable".to_owned(), 0),
        },
        Event::Failed(RunFailure::Timeout(_)) => ("timeout".to_owned(), 0),
        Event::Failed(RunFailure::Cancelled) => ("cancelled".to_owned(), 0),
        Event::Failed(RunFailure::Busy(_)) => ("busy".to_owned(), 0),
        Event::Failed(RunFailure::TooLarge(_)) => ("too large".to_owned(), 0),
        Event::Failed(RunFailure::Script { number, .. }) => (number.to_string(), 0),
        Event::Failed(RunFailure::Unstarted(_)) => ("not started".to_owned(), 0),
        Event::Failed(RunFailure::Process(_)) => ("died".to_owned(), 0),
        Event::Answered(_) => ("answered".to_owned(), 0),
        Event::Loaded => ("loaded".to_owned(), 0),
    }
}

#[cfg(test)]
mod tests {
    use iac_core::permission::{Ruling, Scope, forecast};

    use super::*;

    #[test]
    fn how_a_script_ended_stands_in_its_envelope() {
        let check = |text: &str, word: &str, events| {
            assert_eq!(ended(&Event::Replied(text.to_owned())), (word.to_owned(), events), "{text}");
        };
        check(r#"{"ok":true,"value":[{"ok":false}],"events":3,"strategy":null}"#, "ok", 3);
        check(r#"{"ok":false,"number":-1728,"message":"x","at":"object","events":1}"#, "-1728", 1);
        check(r#"{"ok":false,"events":1}"#, "unreadable", 0);
        check("what", "unreadable", 0);
    }

    #[test]
    fn the_closed_gate_is_closed() {
        for level in [Level::Safe, Level::Modify, Level::Dangerous] {
            for app in ["com.apple.mail", "", "com.example.any"] {
                let scope = Scope { app: app.to_owned(), level, ..Scope::default() };
                let (ruling, _) = forecast(&scope, "Mail", false, &shut(), Millis(0));
                assert_eq!(ruling, Ruling::Deny, "{app} {level:?}");
            }
        }
    }
}
