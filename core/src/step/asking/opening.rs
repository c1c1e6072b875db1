//! Whether a change would open its app. The question says so, and a yes to it is then a yes to both.

use serde_json::json;

use super::{Behind, Step, Then, World, ask, run};
use crate::action::{Action, Deed, Invocation, SystemDeed};
use crate::app::STANDARD_ADDITIONS;
use crate::fault::{Code, Fault};
use crate::jxa;
use crate::permission::{Decision, Unasked, Wording, decide};
use crate::reply::Reply;
use crate::schema;
use crate::specifier::quoted;

/// A question while the system is asked whether its app runs.
#[derive(Debug)]
pub(in crate::step) struct Opening {
    unasked: Unasked,
    wording: Wording,
    then: Then,
}

/// Asks about an action that looked at nothing in its app. One that did has seen the app running.
pub(in crate::step) fn ask_unseen(
    unasked: Unasked,
    wording: Wording,
    behind: Behind,
    then: Then,
    world: &World<'_>,
) -> Step {
    if !may_open(unasked.action()) {
        return ask_now(unasked, wording, behind, then);
    }
    let apps = vec![unasked.action().app.to_string()];
    let files = files(unasked.action());
    let action = Action::of_system(SystemDeed::Running { apps, files });
    match decide(action, "the system", world.gate, world.now) {
        Decision::Allow(approved) => {
            let opening = Opening { unasked, wording, then };
            run(approved, behind, Then::Opening(Box::new(opening)), world)
        }
        // A rule against that is no reason not to ask.
        _ => ask_now(unasked, wording, behind, then),
    }
}

/// The files that an action reads: nobody is asked about one that is not there.
pub(in crate::step) fn files(action: &Action) -> Vec<String> {
    let commands = action.deed.commands();
    // Where a file is copied to, or what is written, need not be there.
    let reads = commands.into_iter().filter(|command| command.file_to_be().is_none());
    reads.flat_map(Invocation::files_to_read).collect()
}

/// Puts the question as it is.
pub(in crate::step) fn ask_now(unasked: Unasked, wording: Wording, behind: Behind, then: Then) -> Step {
    let parts = jxa::canonical(unasked.action());
    ask(unasked.ask(wording, parts), behind, then)
}

/// Whether the app is opened for this if it is not running, and the question does not say so anyway.
fn may_open(action: &Action) -> bool {
    match &action.deed {
        Deed::Command(invocation) => invocation.code != schema::LAUNCH && &*action.app != STANDARD_ADDITIONS,
        Deed::Create(_) => true,
        _ => false,
    }
}

impl Opening {
    pub(in crate::step) fn resume(self, reply: Option<Reply>, behind: Behind) -> Result<Step, Fault> {
        let Self { unasked, mut wording, then } = self;
        let answer = reply.and_then(|reply| reply.result.ok()).unwrap_or_default();
        let seen = answer["there"].as_array().map(Vec::as_slice).unwrap_or_default();
        let missing = files(unasked.action()).into_iter().zip(seen).find(|(_, seen)| **seen == json!(false));
        if let Some((file, _)) = missing {
            let message = format!("there is no file at {}", quoted(&file));
            let fault = Fault::new(
                Code::InvalidParameter,
                message,
                "check the path; nothing was done and nobody was asked",
            );
            return Err(fault.with("path", file));
        }
        if answer["running"] == json!([false]) {
            let opens = format!("{} is not running, and a yes also opens it", behind.name);
            wording.consequence =
                Some(wording.consequence.map_or(opens.clone(), |first| format!("{first}; {opens}")));
        }
        Ok(ask_now(unasked, wording, behind, then))
    }
}
