//! Whether a change would open its app. The question says so, and a yes to it is then a yes to both.

use serde_json::json;

use super::{Behind, Step, Then, World, ask, run};
use crate::action::{Action, Deed, SystemDeed};
use crate::app::STANDARD_ADDITIONS;
use crate::jxa;
use crate::permission::{Decision, Unasked, Wording, decide};
use crate::reply::Reply;
use crate::schema;

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
    let action = Action::of_system(SystemDeed::Running { apps });
    match decide(action, "the system", world.gate, world.now) {
        Decision::Allow(approved) => {
            let opening = Opening { unasked, wording, then };
            run(approved, behind, Then::Opening(Box::new(opening)), world)
        }
        // A rule against that is no reason not to ask.
        _ => ask_now(unasked, wording, behind, then),
    }
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
    pub(in crate::step) fn resume(self, reply: Option<Reply>, behind: Behind) -> Step {
        let Self { unasked, mut wording, then } = self;
        let answer = reply.and_then(|reply| reply.result.ok()).unwrap_or_default();
        if answer["running"] == json!([false]) {
            let opens = format!("{} is not running, and a yes also opens it", behind.name);
            wording.consequence =
                Some(wording.consequence.map_or(opens.clone(), |first| format!("{first}; {opens}")));
        }
        ask_now(unasked, wording, behind, then)
    }
}
