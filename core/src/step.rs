//! The state machine that connects the modules: the core decides, the shell runs, the core continues.
//!
//! ```text
//! let mut step = start(call, &mut world);
//! loop { step = match step {
//!     Run(r) => resume(r.pending, run(r.script).await, &mut world),
//!     Ask(a) => resume(a.pending, Event::Answered(ask(&a.question).await), &mut world),
//!     Load(l) => resume(l.pending, Event::Loaded, &mut with_dictionary(&l.app).await),
//!     Done(o) => return o,
//! } }
//! ```

mod apps;
mod asking;
mod back;
mod carried;
mod command;
mod compare;
mod consent;
mod copies;
mod create;
mod dates;
mod elements;
mod filed;
mod first;
mod frontmost;
mod health;
mod launching;
mod listing;
mod moves;
mod names;
mod occurrence;
mod owner;
mod placing;
mod properties;
mod query;
mod repeated;
mod rest;
mod run_script;
mod script;
mod set;
mod show;
mod trace;
mod unresolved;
mod validate;
mod values;
mod web;
mod words;

use std::ops::Deref;
use std::sync::Arc;

use serde_json::{Value as Json, json};

use asking::{Behind, out_of_turn, propose};
use trace::Sent;
pub use unresolved::{Unresolved, unresolved};

use crate::Millis;
use crate::action::{Action, Deed};
use crate::app::{App, Apps};
use crate::call::{Call, Release};
use crate::describe::describe;
use crate::fault::{Code, Fault};
use crate::foreign;
use crate::jxa::Script;
use crate::labels;
use crate::osa_error::OsaError;
use crate::permission::{Answer, Decided, Gate, Question, Source};
use crate::plan;
use crate::reference::{Object, References};
use crate::reply::Reply;
use crate::specifier::{Held, Path, SpecifierError};
use crate::undo::{self, Renamed, Undo, Wanted};
use crate::words::{Level, RefId};

/// The state that the core may read and change during a decision. All of it belongs to the shell.
pub struct World<'a> {
    /// Every app, with the dictionaries that [`wants`] named.
    pub apps: &'a Apps,
    /// The reference store.
    pub references: &'a mut References,
    /// The measured times and sizes.
    pub learned: &'a mut plan::Learned,
    /// The policy and grants, loaded only for a decision.
    pub gate: &'a dyn Deref<Target = Gate>,
    /// The folder that `~/` means on the Mac; empty if unknown.
    pub home: &'a str,
    /// The time.
    pub now: Millis,
    /// Gives a fresh random id.
    pub fresh: &'a mut dyn FnMut() -> RefId,
}

/// The next step.
#[derive(Debug)]
pub enum Step {
    /// Run a script and come back with the result.
    Run(Run),
    /// Ask a human and come back with the answer.
    Ask(Ask),
    /// Read a dictionary that no argument has named and come back with [`Event::Loaded`].
    Load(Load),
    /// The answer.
    Done(Outcome),
}

/// A script to run.
#[derive(Debug)]
pub struct Run {
    /// The bundle id of the app that it sends events to; empty if there is none.
    pub app: Arc<str>,
    /// The script.
    pub script: Script,
    /// Whether it needs a separate process, and why.
    pub apart: Option<Apart>,
    /// The decision that allowed it.
    pub decided: Arc<Decided>,
    /// The state that [`resume`] needs.
    pub pending: Pending,
}

/// The reason to run the script in a separate process and not in the lane of its app.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Apart {
    /// It waits for a human, and goes on if its client leaves.
    ForHuman,
    /// The client wrote it, so it shares nothing with other scripts, and it ends with its client or after its timeout.
    OfClient,
    /// It is not a script: the shell sends the request that is its data.
    Web,
}

/// A question to a human.
#[derive(Debug)]
pub struct Ask {
    /// The question.
    pub question: Question,
    /// The state that [`resume`] needs.
    pub pending: Pending,
}

/// A dictionary to read.
#[derive(Debug)]
pub struct Load {
    /// The app, by bundle id.
    pub app: String,
    /// The state that [`resume`] needs.
    pub pending: Pending,
}

/// The result of a script or a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// The script ended with this result.
    Replied(String),
    /// The script has no answer.
    Failed(RunFailure),
    /// A human was asked.
    Answered(Answer),
    /// The dictionary was read, if it could be.
    Loaded,
}

/// Why a script has no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RunFailure {
    /// The deadline passed.
    #[error("no answer within {} seconds", .0.0 / 1000)]
    Timeout(Millis),
    /// The client cancelled the call.
    #[error("the call was cancelled")]
    Cancelled,
    /// The app still works on an earlier call.
    #[error("the app is busy: {0}")]
    Busy(String),
    /// It wrote more than may be read.
    #[error("the answer is larger than {0} bytes")]
    TooLarge(usize),
    /// The script raised an error outside of its envelope.
    #[error("{message} ({number})")]
    Script {
        /// The number.
        number: i64,
        /// The text.
        message: String,
    },
    /// `osascript` could not be started, so that nothing of the script ran.
    #[error("osascript: {0}")]
    Unstarted(String),
    /// `osascript` died, or its answer had the wrong form.
    #[error("osascript: {0}")]
    Process(String),
}

/// The state of the machine while a script runs.
#[derive(Debug)]
pub struct Pending {
    app: Arc<str>,
    /// The name of the app in messages.
    name: String,
    events: u64,
    then: Then,
    /// The call, in case its app must be opened first.
    kept: Option<Box<launching::Kept>>,
    /// The facts that were found earlier in this call.
    carried: Vec<carried::Carried>,
    /// The further parts of an undo.
    rest: Option<Box<rest::Rest>>,
}

#[derive(Debug)]
enum Then {
    Apps(apps::Listing),
    Consent(consent::Consent),
    Query(Box<query::Query>),
    Missing(Box<query::Missing>),
    Dates(Box<dates::Dates>),
    Frontmost(frontmost::Front),
    Naming(Box<names::Naming>),
    Properties(properties::Reading),
    Elements(Box<elements::Listing>),
    Occurrences(Box<elements::Filling>),
    Placing(Box<placing::Placing>),
    Command(Box<command::Sending>),
    Script(script::Inside),
    RunScript,
    Web(Level),
    Set(Box<set::Setting>),
    Create(Box<create::Creating>),
    Validating(Box<validate::Validating>),
    Looking(Box<asking::Looking>),
    Opening(Box<asking::Opening>),
    Filing(Box<asking::Filing>),
    Asked(Box<asking::Asking>),
    Back(Box<moves::Back>),
    Unmade(Box<create::Unmade>),
    Launching(Box<launching::Launching>),
}

/// The answer to a call.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// The client's answer: a result or an error.
    pub body: Json,
    /// Whether it is an error.
    pub is_error: bool,
    /// Apple events sent.
    pub events: u64,
    /// How the server read it, if there was a choice.
    pub strategy: Option<String>,
    /// The decision that ended the call, if one did, for the audit log.
    pub refused: Option<Arc<Decided>>,
    /// Writes with an inverse, for the shell to keep.
    pub undo: Vec<Undo>,
    /// Ids of undone writes, for the shell to forget.
    pub undone: Vec<String>,
    /// Objects that were moved or renamed, for the shell to lead the undos there that it has stored before.
    pub renamed: Vec<Renamed>,
}

/// Stands for all apps in the result of [`wants`].
pub const EVERY_APP: &str = "*";

/// Returns the apps with dictionaries that a call needs, in the client's spelling or as bundle ids, or [`EVERY_APP`].
pub fn wants(call: &Call, references: &References) -> Vec<String> {
    if let Call::Frontmost { apps, .. } = call {
        return apps.clone();
    }
    let named = match call {
        Call::Describe { app, .. } => Some(app.clone().unwrap_or_else(|| EVERY_APP.to_owned())),
        Call::Script(call) => Some(call.app.clone()),
        other => other.app().map(str::to_owned),
    };
    let undone = match call {
        Call::Undo { wanted: Wanted::List(_), .. } => Vec::new(),
        Call::Undo { undos, .. } => undos.iter().map(|undo| undo.app.clone()).collect(),
        _ => Vec::new(),
    };
    let held = call.references().into_iter().filter_map(|id| references.app_of(id).map(str::to_owned));
    let apps: std::collections::BTreeSet<String> = named.into_iter().chain(held).chain(undone).collect();
    apps.into_iter().collect()
}

/// Returns the answer to a call that asks for consent while the dialog of macOS is open.
pub fn consent_is_open(app: &str) -> Outcome {
    Outcome { body: consent::open(app), ..Outcome::default() }
}

/// Begins a call.
pub fn start(call: Call, world: &mut World<'_>) -> Step {
    let kept = launching::Kept::of(&call, world);
    let step = started(call, world);
    launching::with(step, kept, world)
}

/// Begins a call, or continues one after a lookup.
fn started(call: Call, world: &mut World<'_>) -> Step {
    if call.makes_references() && world.references.is_full(world.now) {
        return failed(&too_many(), 0);
    }
    for id in call.references() {
        world.references.wake(id, world.apps);
    }
    let validated = if world.references.limits().validate { validate::before(&call, world) } else { None };
    validated.unwrap_or_else(|| begin(call, world))
}

fn too_many() -> Fault {
    Fault::new(
        Code::TooManyReferences,
        "the server holds too many references, all of them made within the last minute",
        "release references that you do not need with iac_mcp_release_reference, or wait a minute",
    )
}

fn begin(mut call: Call, world: &mut World<'_>) -> Step {
    if let Err(fault) = first::read(&mut call, world) {
        return failed(&fault, 0);
    }
    if let Some(step) = dates::begin(&call, world) {
        return step;
    }
    if let Some(step) = first::begin(&call, world) {
        return step.unwrap_or_else(|fault| failed(&fault, 0));
    }
    if let Some(step) = values::begin(&call, world) {
        return step.unwrap_or_else(|fault| failed(&fault, 0));
    }
    let step = match call {
        Call::ListApps { search } => apps::start(search.as_deref(), world),
        Call::Describe { app, question } => {
            let rules = world.gate.policy.levels();
            describe(app.as_deref(), &question, world.apps, rules).map(|body| done(body, 0))
        }
        Call::QueryObject { app, specifier } => query::start(&app, &specifier, world),
        Call::GetProperties { app: _, references, list, properties, text } => {
            properties::start(references, list, properties.as_deref(), text, world)
        }
        Call::GetElements(call) => elements::start(&call, None, world),
        Call::Frontmost { apps, list: false } => frontmost::start(apps.first().map(String::as_str), world),
        Call::Frontmost { apps, list: true } => Ok(frontmost::start_all(apps, world)),
        Call::Command(call) => command::start(&call, world),
        Call::Script(call) => script::start(&call, world),
        Call::RunScript(call) => run_script::start(call, world),
        Call::Web(call) => Ok(web::start(call, world)),
        Call::Consent { app, access } => consent::start(app.as_deref(), access.as_deref(), world),
        Call::SetProperty(call) => set::start(&call, world),
        Call::Create(call) => create::start(&call, world),
        Call::Undo { wanted: Wanted::List(offset), undos } => Ok(done(undo::list(&undos, offset), 0)),
        Call::Undo { undos, .. } => back::start(&undos, world),
        Call::Release(release) => released(&release, world),
        Call::ReferenceStats { validate: true } => Ok(validate::all(world)),
        Call::ReferenceStats { validate: false } => Ok(done(health::stats(world), 0)),
    };
    step.unwrap_or_else(|fault| failed(&fault, 0))
}

/// Continues a call after its script ran, or after a human was asked.
pub fn resume(mut pending: Pending, event: Event, world: &mut World<'_>) -> Step {
    let kept = pending.kept.take();
    if let (Then::Launching(launching), Some(kept), Event::Replied(_)) = (&pending.then, &kept, &event) {
        return launching.clone().resume(kept.clone(), event, &pending, world);
    }
    let mut carried = std::mem::take(&mut pending.carried);
    let rest = pending.rest.take();
    let step = resumed(pending, event, world);
    carried.extend(world.references.take_renamed().into_iter().map(carried::Carried::Renamed));
    let step = carried::with(step, carried);
    rest::with(launching::with(step, kept, world), rest, world)
}

fn resumed(pending: Pending, event: Event, world: &mut World<'_>) -> Step {
    let Pending { app, name, mut events, then, .. } = pending;
    let (event, then) = match (event, then) {
        (Event::Answered(answer), Then::Asked(asking)) => {
            return asking.answered(answer, Behind { name, events }, world);
        }
        other => other,
    };
    let (event, then) = match (event, then) {
        (Event::Loaded, Then::Frontmost(front)) if front.is_loading() => {
            return front.loaded(events, world).unwrap_or_else(|fault| failed(&fault, events));
        }
        other => other,
    };
    if let (Event::Failed(failure), Then::Web(level)) = (&event, &then) {
        return failed(&web::failed(failure, &name, *level), 0);
    }
    let ran = !matches!(event, Event::Failed(RunFailure::Unstarted(_)));
    let sent = if ran { then.sent(&app, &name) } else { None };
    let reply = read(event, &app, &name);
    if let Ok(reply) = &reply {
        events += reply.events;
        world.learned.measured(&app, &reply.spent);
    }
    let step = match (reply, then) {
        (Err(fault), Then::Command(sending)) if ran && sending.changes() => Err(command::uncertain(fault)),
        (Err(fault), Then::Script(inside)) if ran && inside.changes() => {
            Err(inside.after(command::uncertain(fault)))
        }
        (Err(fault), Then::Script(inside)) => Err(inside.after(fault)),
        (Err(fault), Then::RunScript) if ran => Err(run_script::failed(fault)),
        (Err(fault), Then::Create(creating)) if ran && creating.writes() => Err(command::uncertain(fault)),
        (Err(fault), Then::Set(setting)) if ran && setting.writes() => Err(command::uncertain(fault)),
        (reply, Then::Opening(opening)) => opening.resume(reply.ok(), Behind { name, events }, world),
        (reply, Then::Filing(filing)) => Ok(filing.resume(reply.ok(), Behind { name, events }, world)),
        (reply, Then::Unmade(unmade)) => unmade.resume(reply.ok(), &app, events, world),
        (reply, Then::Naming(naming)) => Ok(naming.resume(reply.ok(), events)),
        (reply, Then::Frontmost(front)) => front.resume(reply, events, world),
        (reply, Then::Validating(validating)) => Ok(validating.resume(reply.ok(), events, world)),
        (Err(fault), Then::Consent(consent)) => consent.failed(fault, events),
        (Err(fault), _) => Err(fault),
        (Ok(reply), Then::Apps(listing)) => listing.resume(reply, world),
        (Ok(reply), Then::Consent(consent)) => consent.resume(reply, events, world),
        (Ok(reply), Then::Query(query)) => query.resume(reply, &app, events, world),
        (Ok(reply), Then::Missing(missing)) => missing.resume(reply, &app, events, world),
        (Ok(reply), Then::Dates(dates)) => dates.resume(reply, events, world),
        (Ok(reply), Then::Properties(reading)) => reading.resume(reply, &app, events, world),
        (Ok(reply), Then::Elements(listing)) => listing.resume(reply, &app, events, world),
        (Ok(reply), Then::Occurrences(filling)) => filling.resume(reply, &app, events, world),
        (Ok(reply), Then::Placing(placing)) => placing.resume(reply, &app, events, world),
        (Ok(reply), Then::Command(sending)) => sending.resume(reply, &app, events, world),
        (Ok(reply), Then::Script(inside)) => inside.resume(reply, &app, Behind { name, events }, world),
        (Ok(reply), Then::Web(_)) => web::resume(reply),
        (Ok(reply), Then::RunScript) => run_script::resume(reply, events, world),
        (Ok(reply), Then::Create(creating)) => creating.resume(reply, &app, events, world),
        (Ok(reply), Then::Set(setting)) => setting.resume(reply, &app, events, world),
        (Ok(reply), Then::Back(back)) => back.resume(reply, &app, events, world),
        (Ok(reply), Then::Looking(looking)) => looking.resume(reply, events, world),
        (Ok(_), Then::Launching(_)) => Err(out_of_turn("a launch without its call")),
        (Ok(_), Then::Asked(_)) => Err(out_of_turn("a script's reply")),
    };
    let mut step = step.unwrap_or_else(|fault| failed(&fault, events));
    if let Step::Done(outcome) = &mut step
        && world.gate.plugin.is_none()
    {
        labels::named(&app, &mut outcome.body);
    }
    trace::kept(step, sent, world)
}

impl Run {
    /// Whether it only looks up or checks what the call needs, so that the decision about the call itself follows.
    pub fn is_lookup(&self) -> bool {
        // What a question shows is read after the decision to ask.
        self.pending.then.looks_up() && !matches!(self.decided.source, Source::Preview { .. })
    }

    /// Whether it opens the app of the call, which is not running.
    pub fn opens_app(&self) -> bool {
        matches!(self.pending.then, Then::Launching(_))
    }
}

impl Ask {
    /// Whether it is about a lookup, so that the decision about the call itself follows.
    pub fn is_lookup(&self) -> bool {
        matches!(&self.pending.then, Then::Asked(asking) if asking.looks_up())
    }
}

impl Then {
    /// Whether the answer is a part of the way to the call itself.
    fn looks_up(&self) -> bool {
        match self {
            Self::Query(query) => query.looks_up(),
            Self::Elements(listing) => listing.looks_up(),
            Self::Occurrences(filling) => filling.looks_up(),
            Self::Missing(missing) => missing.looks_up(),
            Self::Validating(validating) => validating.looks_up(),
            Self::Set(setting) => !setting.writes(),
            Self::Create(creating) => !creating.writes(),
            Self::Dates(_) | Self::Placing(_) | Self::Opening(_) | Self::Filing(_) | Self::Back(_) => true,
            _ => false,
        }
    }

    /// The change that a script makes, if it makes one.
    fn sent(&self, app: &str, name: &str) -> Option<Sent> {
        match self {
            Self::Command(sending) => sending.sent(app, name),
            Self::Script(inside) => inside.sent(app, name),
            Self::RunScript => Some(run_script::sent()),
            Self::Set(setting) => setting.sent(app),
            Self::Create(creating) => creating.sent(app, name),
            _ => None,
        }
    }
}

fn read(event: Event, app: &str, name: &str) -> Result<Reply, Fault> {
    match event {
        Event::Replied(text) => Reply::parse(&text).map_err(|error| {
            Fault::new(Code::Internal, error.to_string(), "this is a bug in the server; please report it")
                .untrusted()
        }),
        Event::Failed(RunFailure::Script { number, message }) => {
            Err(OsaError { number, message, at: String::new(), by: None }.to_fault(app, name))
        }
        Event::Failed(failure) => Err(run_failed(&failure, app, name)),
        Event::Answered(_) => Err(out_of_turn("a human's answer")),
        Event::Loaded => Err(out_of_turn("a dictionary")),
    }
}

fn run_failed(failure: &RunFailure, app: &str, name: &str) -> Fault {
    let (code, suggestion) = match failure {
        RunFailure::Timeout(_) => (
            Code::Timeout,
            "the app may show a dialog, or macOS may show a consent dialog; look at the screen, then try again, or ask for less",
        ),
        RunFailure::Cancelled => (Code::Cancelled, "the call will have no further effect"),
        RunFailure::Busy(_) => {
            (Code::AppBusy, "wait until the app has finished, or use another app in the meantime")
        }
        RunFailure::TooLarge(_) => {
            (Code::ResultTooLarge, "ask for fewer elements, fewer properties, or a smaller textLimit")
        }
        RunFailure::Script { .. } | RunFailure::Unstarted(_) | RunFailure::Process(_) => {
            (Code::Unavailable, "run `iac-mcp doctor`")
        }
    };
    let fault = match failure {
        // The process wrote this before it ended, and it may contain text of an app.
        RunFailure::Process(said) => {
            Fault::new(code, foreign::says(&format!("{name}: osascript"), said, foreign::ERROR), suggestion)
                .untrusted()
        }
        failure => Fault::new(code, format!("{name}: {failure}"), suggestion),
    };
    fault.in_app(app)
}

/// Proposes a deed in an app: the gate decides, and an allowed deed becomes a script.
fn in_app(app: &App, deed: Deed, events: u64, then: Then, world: &World<'_>) -> Step {
    let behind = Behind { name: app.name.clone(), events };
    propose(Action::of(app, deed), behind, then, world)
}

fn done(body: Json, events: u64) -> Step {
    Step::Done(Outcome { body, events, ..Outcome::default() })
}

fn failed(fault: &Fault, events: u64) -> Step {
    Step::Done(Outcome { body: fault.to_json(), is_error: true, events, ..Outcome::default() })
}

/// Returns the paths of references to one app.
fn held<'a>(references: &'a mut References, app: &'a App, now: Millis) -> Box<Held<'a>> {
    Box::new(move |id| {
        let held = references.touch(*id, now)?;
        if held.object.app == app.bundle_id {
            return Ok(held.object.path.clone());
        }
        let (other, app) = (held.object.app.to_string(), app.bundle_id.to_string());
        Err(SpecifierError::OtherApp { reference: *id, other, app })
    })
}

/// Makes a reference to an object that exists according to the app's answer.
fn remember(path: Path, app: &App, world: &mut World<'_>) -> RefId {
    keep(Object::new(app.bundle_id.clone(), path), world)
}

fn keep(object: Object, world: &mut World<'_>) -> RefId {
    let fresh = (world.fresh)();
    world.references.intern(object, world.now, fresh)
}

fn released(release: &Release, world: &mut World<'_>) -> Result<Step, Fault> {
    let count = match release {
        Release::References(ids) => ids.iter().filter(|id| world.references.release(**id)).count(),
        Release::App(app) => {
            let app = world.apps.find(app)?.bundle_id.clone();
            world.references.release_app(&app)
        }
    };
    Ok(done(json!({ "released": count }), 0))
}
