//! A call to an app that is not running. No app is opened unasked: a human may allow it, and then the call begins
//! again.

use serde_json::json;

use super::asking::{Behind, propose};
use super::{Event, Outcome, Pending, Run, Step, Then, World, create, failed, first, read, started};
use crate::action::{Action, Deed};
use crate::call::{Call, Mode};
use crate::change::QUIT;
use crate::dictionary::names;
use crate::fault::Code;
use crate::permission::{Decision, Source, decide};
use crate::schema;

/// The original call, in case its app must be opened first.
#[derive(Clone, Debug)]
pub(super) struct Kept {
    call: Call,
    /// Whether its app was already opened for it. That happens only once.
    is_opened: bool,
    /// Whether no one can be asked, as of the beginning of the call.
    is_alone: bool,
}

/// An app that is being opened, and the answer if it does not start.
#[derive(Clone, Debug)]
pub(super) struct Launching {
    outcome: Outcome,
}

impl Kept {
    /// Keeps a call if its app may be opened for it.
    pub(super) fn of(call: &Call, world: &World<'_>) -> Option<Box<Self>> {
        let takes_it = match call {
            Call::QueryObject { .. }
            | Call::GetProperties { .. }
            | Call::GetElements(_)
            | Call::SetProperty(_)
            | Call::Create(_) => true,
            // There is nothing to quit in an app that is not running.
            Call::Command(call) => {
                call.mode != Mode::DryRun && names::key(&call.command) != "quit" && call.command != QUIT
            }
            _ => false,
        };
        // A plugin reads only open apps, because its calls are many and the user sees none of them.
        (takes_it && world.gate.plugin.is_none())
            .then(|| Box::new(Self { call: call.clone(), is_opened: false, is_alone: world.gate.alone }))
    }
}

/// Continues a call to an app that is not running: asks a human whether to open the app.
pub(super) fn with(step: Step, kept: Option<Box<Kept>>, world: &mut World<'_>) -> Step {
    let Some(kept) = kept else { return step };
    match step {
        Step::Run(run) => Step::Run(Run { pending: run.pending.keeping(kept), ..run }),
        Step::Ask(mut ask) => {
            ask.pending = ask.pending.keeping(kept);
            Step::Ask(ask)
        }
        Step::Load(mut load) => {
            load.pending = load.pending.keeping(kept);
            Step::Load(load)
        }
        Step::Done(mut outcome) => match opening(&mut outcome, &kept, world) {
            Some((action, name)) => {
                let behind = Behind { name, events: outcome.events };
                let step = propose(action, behind, Then::Launching(Box::new(Launching { outcome })), world);
                with(step, Some(kept), world)
            }
            None => Step::Done(outcome),
        },
    }
}

impl Launching {
    /// Begins the call again once its app runs.
    pub(super) fn resume(
        self,
        mut kept: Box<Kept>,
        event: Event,
        pending: &Pending,
        world: &mut World<'_>,
    ) -> Step {
        let events = pending.events;
        let reply = match read(event, &pending.app, &pending.name) {
            Ok(reply) => reply,
            Err(fault) => return failed(&fault, events),
        };
        let events = events + reply.events;
        match reply.result {
            Ok(answer) if answer["runs"] == json!(true) => {
                kept.is_opened = true;
                let step = first::with_events(started(kept.call.clone(), world), events);
                with(step, Some(kept), world)
            }
            Ok(_) => Step::Done(Outcome { events, ..self.outcome }),
            Err(error) => failed(&error.to_fault(&pending.app, &pending.name), events),
        }
    }
}

impl Pending {
    fn keeping(self, kept: Box<Kept>) -> Self {
        Self { kept: Some(kept), ..self }
    }
}

/// The launch that an answer asks for, if it may be proposed: a human can be asked about it, or has allowed it. If no
/// one can be asked, the answer says what the user can do.
fn opening(outcome: &mut Outcome, kept: &Kept, world: &World<'_>) -> Option<(Action, String)> {
    let is_off = outcome.is_error
        && outcome.body["error"] == json!(Code::AppNotRunning.name())
        && outcome.body["retryable"] == json!(true);
    if !is_off || kept.is_opened {
        return None;
    }
    let app = world.apps.find(outcome.body["app"].as_str()?).ok()?;
    let action = Action::of(app, Deed::Command(Box::new(create::launch()?)));
    let may = match decide(action.clone(), &app.name, world.gate, world.now) {
        Decision::Ask(unasked) if kept.is_alone => {
            let (name, allow) = (&app.name, unasked.command_lines());
            outcome.body["suggestion"] = json!(format!(
                "ask the user to open {name}, or to let this server open it with {allow}; then try again"
            ));
            outcome.body["policyLine"] = json!(unasked.policy_line());
            false
        }
        Decision::Ask(_) => true,
        Decision::Allow(approved) => match approved.source() {
            // A profile allows what the client requests, and the client has not requested a launch.
            Source::Profile(_) => false,
            Source::Rule { line, .. } => approved.may_launch() || names_it(*line, world),
            _ => approved.may_launch(),
        },
        Decision::Deny(_) => false,
    };
    may.then(|| (action, app.name.clone()))
}

/// Whether the rule in a line of the policy is about the command that opens an app.
fn names_it(line: usize, world: &World<'_>) -> bool {
    let mut rules = world.gate.policy.rules().iter().filter(|rule| rule.line == line);
    let is_it = |term: &String| names::key(term) == schema::LAUNCH_TERM || term == schema::LAUNCH;
    rules.any(|rule| rule.command.as_ref().is_some_and(is_it))
}
