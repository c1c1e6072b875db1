//! Finds out whether a change would open its app. The question then says so, and one approval allows both.

use serde_json::json;

use super::looking::look;
use super::{Behind, Step, Then, World, put, refused, run};
use crate::action::{Action, Deed, Invocation, SystemDeed};
use crate::app::STANDARD_ADDITIONS;
use crate::fault::{Code, Fault};
use crate::jxa;
use crate::permission::{Approved, Decision, Unasked, Wording, decide, decide_replacing};
use crate::reply::Reply;
use crate::schema;
use crate::specifier::quoted;
use crate::step::words;

/// A question while the system is asked whether its app runs.
#[derive(Debug)]
pub(in crate::step) struct Opening {
    unasked: Unasked,
    wording: Wording,
    then: Then,
}

/// An approved action while the system is asked whether a file that it writes already exists.
#[derive(Debug)]
pub(in crate::step) struct Filing {
    approved: Approved,
    then: Then,
}

/// Runs an allowed action. First it looks for the files that the action writes, if it would not be allowed to replace
/// them.
pub(super) fn look_for_files(approved: Approved, behind: Behind, then: Then, world: &World<'_>) -> Step {
    let files = written(approved.action());
    let may = |action: &Action| {
        let decision = decide_replacing(action.clone(), &behind.name, world.gate, world.now);
        matches!(decision, Decision::Allow(_))
    };
    if files.is_empty() || may(approved.action()) {
        return run(approved, behind, then, world);
    }
    let action = Action::of_system(SystemDeed::Running { apps: Vec::new(), files });
    match decide(action, "the system", world.gate, world.now) {
        Decision::Allow(look) => run(look, behind, Then::Filing(Box::new(Filing { approved, then })), world),
        // If no one may look for the file, it may exist.
        _ => replacing(approved, behind, then, world),
    }
}

/// Continues with an allowed action that replaces a file.
fn replacing(approved: Approved, behind: Behind, then: Then, world: &World<'_>) -> Step {
    let action = approved.action().clone();
    match decide_replacing(action, &behind.name, world.gate, world.now) {
        Decision::Allow(_) => run(approved, behind, then, world),
        Decision::Ask(unasked) => look(unasked, behind, then, world),
        Decision::Deny(refusal) => refused(refusal, behind.events),
    }
}

impl Filing {
    pub(in crate::step) fn resume(self, reply: Option<Reply>, behind: Behind, world: &World<'_>) -> Step {
        let Self { approved, then } = self;
        let answer = reply.and_then(|reply| reply.result.ok()).unwrap_or_default();
        let seen = answer["there"].as_array().map(Vec::as_slice).unwrap_or_default();
        // If the server cannot look for a file, the file may exist.
        let is_new = !seen.is_empty() && seen.iter().all(|seen| *seen == json!(false));
        if is_new { run(approved, behind, then, world) } else { replacing(approved, behind, then, world) }
    }
}

/// Asks about an action without a look at its objects. A look shows that the app runs.
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
    let files = [files(unasked.action()), written(unasked.action())].concat();
    let action = Action::of_system(SystemDeed::Running { apps, files });
    match decide(action, "the system", world.gate, world.now) {
        Decision::Allow(approved) => {
            let opening = Opening { unasked, wording, then };
            run(approved, behind, Then::Opening(Box::new(opening)), world)
        }
        // A rule that forbids opening is not a reason to skip the question.
        _ => ask_now(unasked, wording, behind, then),
    }
}

/// Asks about an action after a look at its objects, which has shown that the app runs.
pub(in crate::step) fn ask_seen(
    unasked: Unasked,
    wording: Wording,
    behind: Behind,
    then: Then,
    world: &World<'_>,
) -> Step {
    let action = unasked.action();
    // The objects of a command were read in the app, so the app runs.
    let is_seen = matches!(action.deed, Deed::Command(_)) || files(action).is_empty();
    if is_seen && written(action).is_empty() {
        return ask_now(unasked, wording, behind, then);
    }
    ask_unseen(unasked, wording, behind, then, world)
}

/// The files that an action writes: the question names those that already exist.
fn written(action: &Action) -> Vec<String> {
    action.deed.commands().into_iter().filter_map(Invocation::file_to_be).map(str::to_owned).collect()
}

/// The files that an action reads. If one is missing, the server asks no one.
fn files(action: &Action) -> Vec<String> {
    let commands = action.deed.commands();
    // The destination of a copy, or a file to write, need not exist.
    let reads = commands.into_iter().filter(|command| command.file_to_be().is_none());
    reads.flat_map(Invocation::files_to_read).collect()
}

/// Asks the question without a further look.
fn ask_now(unasked: Unasked, wording: Wording, behind: Behind, then: Then) -> Step {
    let parts = jxa::canonical(unasked.action());
    put(unasked, wording, parts, behind, then)
}

/// Whether the app is opened for this if it is not running. False if the question already says so.
fn may_open(action: &Action) -> bool {
    match &action.deed {
        Deed::Command(invocation) => invocation.code != schema::LAUNCH && &*action.app != STANDARD_ADDITIONS,
        Deed::Create(_) => true,
        _ => false,
    }
}

impl Opening {
    pub(in crate::step) fn resume(
        self,
        reply: Option<Reply>,
        behind: Behind,
        world: &World<'_>,
    ) -> Result<Step, Fault> {
        let Self { unasked, mut wording, then } = self;
        let answer = reply.and_then(|reply| reply.result.ok()).unwrap_or_default();
        let seen = answer["there"].as_array().map(Vec::as_slice).unwrap_or_default();
        let files = files(unasked.action());
        let missing = files.iter().zip(seen).find(|(_, seen)| **seen == json!(false));
        if let Some((file, _)) = missing {
            let message = format!("there is no file at {}", quoted(file));
            let fault = Fault::new(
                Code::InvalidParameter,
                message,
                "check the path; nothing was done and nobody was asked",
            );
            return Err(fault.with("path", file.as_str()));
        }
        let mut note = |more: String| {
            wording.consequence = Some(match wording.consequence.take() {
                Some(first) => format!("{first}; {more}"),
                None => more,
            });
        };
        let written = written(unasked.action());
        let seen = seen.iter().skip(files.len());
        let there: Vec<&String> = written
            .iter()
            .zip(seen)
            .filter(|(_, seen)| **seen == json!(true))
            .map(|(file, _)| file)
            .collect();
        for file in &there {
            note(format!("there is a file at {} already, and the app may replace it", words::long(file)));
        }
        if answer["running"] == json!([false]) {
            note(format!("{} is not running, and a yes also opens it", behind.name));
        }
        let unasked = match there.is_empty() {
            true => unasked,
            false => match unasked.replacing(&behind.name, world.gate, world.now) {
                Decision::Ask(unasked) => unasked,
                Decision::Allow(approved) => return Ok(run(approved, behind, then, world)),
                Decision::Deny(refusal) => return Ok(refused(refusal, behind.events)),
            },
        };
        Ok(ask_now(unasked, wording, behind, then))
    }
}
