//! The state of one call, and the functions of its imports.

mod apps;
mod changes;
mod files;
mod http;
mod place;
mod scripts;
mod servers;
mod store;

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Instant;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use wasmtime::Trap;
use wasmtime::component::ResourceTable;

use super::bindings::iac::plugin::{clock, log, settings, types};
use super::limiter::Limiter;
use super::meter::Meter;
use super::{Report, Setup};
use crate::capability::Capability;
use crate::failure::{self, Bound, Crash, Failure, Fault, line};
use crate::host::{Caller, Host, Progress, Question, Refusal, Told};

pub(super) use changes::Changes;
use changes::Way;

pub use changes::Changed;
pub use place::INTERPRETED;

#[expect(unreachable_pub, reason = "the generated bindings export it again")]
pub use {apps::App, files::Directory, servers::Workspace};

/// The severity of a line in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogLevel {
    /// Something is wrong.
    Error,
    /// Something is odd.
    Warn,
    /// A normal step.
    Info,
    /// For the author.
    Debug,
}

impl LogLevel {
    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warn => "warn",
            Self::Info => "info",
            Self::Debug => "debug",
        }
    }
}

/// A line that a plugin wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Its severity.
    pub level: LogLevel,
    /// Its message, without control characters.
    pub text: String,
}

/// The instant that a guest sees.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Now {
    /// Milliseconds since 1970.
    pub milliseconds: u64,
    /// Seconds that local time is ahead of UTC.
    pub offset_seconds: i32,
    /// The name of the zone.
    pub zone: String,
}

impl Default for Now {
    fn default() -> Self {
        Self { milliseconds: 0, offset_seconds: 0, zone: "UTC".to_owned() }
    }
}

/// The state of one call. It ends with the store of the call.
pub(super) struct State {
    pub(super) limiter: Limiter,
    pub(super) meter: Meter,
    pub(super) caller: Caller,
    pub(super) instantiated: Option<Instant>,
    /// The apps and web servers with untrusted text that the call has read from its store. The host knows of them.
    recalled: BTreeSet<String>,
    pub(super) changes: Changes,
    setup: Arc<Setup>,
    is_read_only: bool,
    now: Now,
    host: Arc<dyn Host>,
    table: ResourceTable,
    stopped: Option<Failure>,
    /// The faults that the host has returned in this call, the last few.
    told: VecDeque<Fault>,
    host_calls: u32,
    /// Requests to web servers.
    requests: u32,
    traffic: usize,
    log: Vec<Line>,
    /// The guest's stack when it was stopped.
    place: Vec<String>,
}

/// The result of a host function. The outer error ends the call; the inner one is returned to the guest.
type Returned<T> = wasmtime::Result<Result<T, types::Fault>>;

const LINE: usize = 1_024;
const REASON: usize = 500;
const PROGRESS: usize = 200;
const TOLD: usize = 16;

impl State {
    pub(super) fn new(setup: Arc<Setup>, caller: Caller, now: Now, host: Arc<dyn Host>) -> Self {
        let mut table = ResourceTable::new();
        table.set_max_capacity(setup.limits.handles);
        let tool = setup.tools.iter().find(|tool| tool.name == caller.tool);
        Self {
            limiter: Limiter::new(&setup.limits),
            meter: Meter::new(setup.limits.compute),
            is_read_only: tool.is_none_or(|tool| tool.read_only),
            instantiated: None,
            recalled: BTreeSet::new(),
            changes: Changes::default(),
            stopped: None,
            told: VecDeque::new(),
            host_calls: 0,
            requests: 0,
            traffic: 0,
            log: Vec::new(),
            place: Vec::new(),
            setup,
            caller,
            now,
            host,
            table,
        }
    }

    /// Counts the guest's compute time, once a tick while it computes.
    pub(super) fn tick(&mut self) -> wasmtime::Result<()> {
        self.meter.count();
        if self.meter.is_over() {
            let budget = self.meter.budget();
            return Err(self.stop(Failure::slow(Bound::Compute, budget)));
        }
        Ok(())
    }

    /// Gives the reason why a call ended. It comes from the recorded state, never from the text of an error.
    pub(super) fn classify(&mut self, error: &wasmtime::Error) -> Failure {
        self.place = place::of(error);
        if let Some(failure) = self.stopped.take() {
            return failure;
        }
        let errors = self.log.iter().filter(|line| line.level == LogLevel::Error);
        let said = failure::cause(errors.map(|line| line.text.as_str())).map(|said| line(&said, REASON));
        if let Some(failure) = self.limiter.hit() {
            return failure.with(said);
        }
        // A guest that gets no memory from the system aborts. That is not its fault.
        if let Some(why) = self.limiter.starved() {
            return Failure::Starved(why);
        }
        let reason = match error.downcast_ref::<Trap>() {
            // In an interpreter, the stack names no function of the author.
            Some(trap @ Trap::StackOverflow) => format!("{trap}: a function calls itself too deeply"),
            Some(trap) => trap.to_string(),
            // Before the guest's first instruction, only the system can fail: for lack of address space, pages or a
            // pool slot.
            None if self.instantiated.is_none() && self.place.is_empty() => {
                return Failure::Starved(line(&error.root_cause().to_string(), REASON));
            }
            None => error.root_cause().to_string(),
        };
        Failure::Trap(Crash { reason: line(&reason, REASON), place: self.place.clone(), said })
    }

    /// Distinguishes the guest's own fault from one that the host has returned and the guest passes on. A guest may add
    /// words to the message. If only the host can know a code and the fault has no detail, the host's message must be
    /// in the guest's, because nothing else shows that this refusal is meant.
    pub(super) fn said(&self, fault: Fault) -> Failure {
        let is_hosts = failure::is_hosts(&fault.code);
        let same = |told: &&Fault| {
            let is_meant = !is_hosts || fault.detail.is_some() || fault.message.contains(&told.message);
            told.code == fault.code && told.detail == fault.detail && is_meant
        };
        match self.told.iter().find(same) {
            Some(told) if is_hosts && told.message == fault.message => Failure::Passed(told.clone()),
            Some(_) => Failure::Passed(fault),
            None => Failure::Fault(fault),
        }
    }

    fn tell(&mut self, fault: &Fault) {
        if self.told.len() >= TOLD {
            self.told.pop_front();
        }
        self.told.push_back(fault.clone());
    }

    /// Returns what the call has used.
    pub(super) fn report(self, began: Instant) -> Report {
        let instantiated = self.instantiated.unwrap_or_else(Instant::now);
        Report {
            instantiate: instantiated - began,
            execute: instantiated.elapsed(),
            compute: self.meter.spent(),
            memory: self.limiter.memory(),
            host_calls: self.host_calls,
            traffic: self.traffic,
            changed: self.changes.known(),
            untrusted: self.caller.heard.sources().is_some(),
            log: self.log,
            place: self.place,
        }
    }

    /// Asks the host, and counts the question against the call's limits.
    async fn ask<T: DeserializeOwned>(&mut self, question: Question, bytes: usize) -> Returned<T> {
        let answer = self.ask_json(question, bytes).await?;
        Ok(answer.and_then(|answer| {
            serde_json::from_value(answer)
                .map_err(|error| fault("internal", format!("the host's answer: {error}")))
        }))
    }

    async fn ask_json(&mut self, question: Question, bytes: usize) -> Returned<Json> {
        Ok(self.ask_told(question, bytes).await?.map(Told::into_json))
    }

    async fn ask_told(&mut self, question: Question, bytes: usize) -> Returned<Told> {
        self.count_call()?;
        self.count_traffic(bytes)?;
        self.meter.count();
        let change = Way::of(&question);
        self.changes.begin(change);
        let answer = self.host.ask(&self.caller, question).await;
        self.changes.end(change, &answer);
        if self.caller.cancelled.is_cancelled() {
            return Err(self.stop(Failure::Cancelled));
        }
        self.meter.resume();
        match answer {
            Ok(answer) => Ok(Ok(answer)),
            Err(Refusal::Fault(fault)) => {
                self.tell(&fault);
                Ok(Err(fault.into()))
            }
            Err(Refusal::Diverged(how)) => Err(self.stop(Failure::Diverged(how))),
            Err(Refusal::Suspended) => Err(self.stop(Failure::Suspended)),
        }
    }

    /// Refuses a function of an interface that was not granted: says why, and what to do.
    pub(super) fn refuse(&mut self, capability: Capability) -> wasmtime::Result<(String, String)> {
        self.count_call()?;
        let commands = self.setup.wanted.arguments(capability);
        let commands: Vec<String> = commands.iter().map(|wanted| self.command(wanted)).collect();
        let advice = format!("only the user can change this: {}", commands.join(" and "));
        let message = format!("the plugin has no grant for `{capability}`");
        self.denied(Fault::new("permission_denied", message.as_str()).suggest(advice.as_str()));
        Ok((message, advice))
    }

    /// Refuses something before the gate is asked. The guest may pass the refusal on, as it may those of the gate.
    fn denied(&mut self, refusal: Fault) -> types::Fault {
        self.tell(&refusal);
        refusal.into()
    }

    /// Refuses a change in a tool that declares itself read-only.
    fn read_only(&mut self) -> types::Fault {
        let refusal = Fault::new("permission_denied", "the tool declares itself read-only");
        self.denied(refusal.suggest("this is a bug in the plugin: tell the user, and try another way"))
    }

    fn command(&self, arguments: &str) -> String {
        format!("`iac-mcp plugin grant {} {arguments}`", self.setup.id)
    }

    /// Refuses an app or a script that was not granted, and says what to do. `arguments` are those of `plugin grant`.
    fn not_granted(&mut self, message: &str, arguments: &str, is_wanted: bool) -> types::Fault {
        let command = self.command(arguments);
        let suggestion = match is_wanted {
            true => format!("only the user can change this: {command}"),
            false => {
                format!(
                    "plugin.toml does not ask for it: the author can add it there, or the user can grant it: {command}"
                )
            }
        };
        // It may quote the guest, and a line break would let the rest look like a line of the host.
        self.denied(Fault::new("permission_denied", line(message, REASON)).suggest(suggestion))
    }

    fn count_call(&mut self) -> wasmtime::Result<()> {
        self.host_calls += 1;
        let most = self.setup.limits.host_calls;
        if self.host_calls <= most { Ok(()) } else { Err(self.over(Bound::HostCalls, most as usize)) }
    }

    fn count_traffic(&mut self, bytes: usize) -> wasmtime::Result<()> {
        self.traffic = self.traffic.saturating_add(bytes);
        let most = self.setup.limits.traffic;
        if self.traffic <= most { Ok(()) } else { Err(self.over(Bound::Traffic, most)) }
    }

    fn over(&mut self, bound: Bound, limit: usize) -> wasmtime::Error {
        self.stop(Failure::Stopped { bound, limit: bound.at(limit), said: None })
    }

    fn stop(&mut self, failure: Failure) -> wasmtime::Error {
        let error = wasmtime::Error::msg(failure.to_string());
        self.stopped = Some(failure);
        error
    }
}

impl types::Host for State {}

impl log::Host for State {
    async fn write(&mut self, level: log::Level, message: String) -> wasmtime::Result<()> {
        let most = self.setup.limits.log_lines;
        if self.log.len() >= most as usize {
            return Err(self.over(Bound::LogLines, most as usize));
        }
        let level = LogLevel::from(level);
        let text = line(&message, LINE);
        let plugin = self.caller.plugin.as_str();
        match level {
            LogLevel::Error => tracing::error!(target: "plugin", plugin, "{text}"),
            LogLevel::Warn => tracing::warn!(target: "plugin", plugin, "{text}"),
            LogLevel::Info => tracing::info!(target: "plugin", plugin, "{text}"),
            LogLevel::Debug => tracing::debug!(target: "plugin", plugin, "{text}"),
        }
        self.log.push(Line { level, text });
        Ok(())
    }

    async fn progress(&mut self, done: u32, total: Option<u32>, message: String) -> wasmtime::Result<()> {
        self.count_call()?;
        let progress = Progress { done, total, message: line(&message, PROGRESS) };
        self.host.progress(&self.caller, progress);
        Ok(())
    }
}

impl clock::Host for State {
    async fn now(&mut self) -> wasmtime::Result<clock::Instant> {
        self.count_call()?;
        Ok(clock::Instant {
            milliseconds: self.now.milliseconds,
            offset_seconds: self.now.offset_seconds,
            zone: self.now.zone.clone(),
        })
    }
}

impl settings::Host for State {
    async fn get(&mut self, key: String) -> wasmtime::Result<Option<String>> {
        self.count_call()?;
        Ok(self.setup.settings.get(&key).map(Json::to_string))
    }
}

impl From<log::Level> for LogLevel {
    fn from(level: log::Level) -> Self {
        match level {
            log::Level::Error => Self::Error,
            log::Level::Warn => Self::Warn,
            log::Level::Info => Self::Info,
            log::Level::Debug => Self::Debug,
        }
    }
}

impl From<types::Fault> for Fault {
    fn from(fault: types::Fault) -> Self {
        Self {
            code: fault.code,
            message: fault.message,
            suggestion: fault.suggestion,
            retryable: fault.retryable,
            detail: fault.detail.as_deref().and_then(detail),
        }
    }
}

impl From<Fault> for types::Fault {
    fn from(fault: Fault) -> Self {
        Self {
            code: fault.code,
            message: fault.message,
            suggestion: fault.suggestion,
            retryable: fault.retryable,
            detail: fault.detail.map(|detail| detail.to_string()),
        }
    }
}

/// Parses the detail of a guest's fault; `None` if it is too long or not an object.
fn detail(text: &str) -> Option<Json> {
    if text.len() > 16 * 1024 {
        return None;
    }
    serde_json::from_str::<Map<String, Json>>(text).ok().map(Json::Object)
}

fn fault(code: &str, message: impl Into<String>) -> types::Fault {
    Fault::new(code, message).into()
}
