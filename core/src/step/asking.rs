//! Decides about an action, asks a human if necessary, and only then writes the script.

mod looking;
mod opening;

pub(super) use looking::{Looking, shown};
pub(super) use opening::{Filing, Opening, ask_seen, ask_unseen};

use std::sync::Arc;

use super::{Apart, Ask, Outcome, Pending, Run, Step, Then, World, failed};
use crate::action::{Action, Deed};
use crate::fault::{Code, Fault};
use crate::permission::{
    self, Answer, Answered, Approved, Asked, Decided, Decision, Question, Refusal, Unasked, Wording,
};

/// The context of an action that every result needs: its app in words, and the work of the call so far.
#[derive(Clone, Debug)]
pub(super) struct Behind {
    pub(super) name: String,
    pub(super) events: u64,
}

/// An action with an open question, and its continuation.
#[derive(Debug)]
pub(super) struct Asking {
    asked: Asked,
    then: Then,
}

/// Proposes an action: the gate decides, and an allowed action becomes a script. No action becomes a script otherwise.
pub(super) fn propose(action: Action, behind: Behind, then: Then, world: &World<'_>) -> Step {
    match permission::decide(action, &behind.name, world.gate, world.now) {
        Decision::Allow(approved) => opening::look_for_files(approved, behind, then, world),
        Decision::Ask(unasked) => looking::look(unasked, behind, then, world),
        Decision::Deny(refusal) => refused(refusal, behind.events),
    }
}

/// The largest number of characters of a question, several screens. The longest message to send fits, and so do 25 sets
/// of values. A person would not read more before answering.
const LONGEST: usize = 30_000;

/// Asks a human about an action in these words. `parts` are the parts of its script, so that the answer counts for this
/// script only.
pub(super) fn put(
    unasked: Unasked,
    mut wording: Wording,
    parts: Vec<String>,
    behind: Behind,
    then: Then,
) -> Step {
    // A script has its own limits, and all of it is shown. The client cannot divide the old values of an undo among
    // several calls, so a long undo shows only its first lines.
    let is_script = !wording.script.is_empty();
    if wording.is_undo {
        shorten(&mut wording.objects);
    }
    let asked = unasked.ask(wording, parts);
    let length = asked.question().text().chars().count();
    if length <= LONGEST || is_script {
        return ask(asked, behind, then);
    }
    let message = format!(
        "the question to a human would have {length} characters, expected at most {LONGEST}, so that a person can read it"
    );
    let suggestion =
        "nothing was done and nobody was asked; make several calls with fewer objects or values each";
    failed(&Fault::new(Code::InvalidParameter, message, suggestion), behind.events)
}

/// Leaves out the last lines of a question that is too long, and says how many. Half of the room stays for the rest of
/// the question.
fn shorten(lines: &mut Vec<String>) {
    let mut left = LONGEST / 2;
    let fits = |line: &String| {
        let length = line.chars().count();
        let fits = length <= left;
        left = left.saturating_sub(length);
        fits
    };
    let count = lines.iter().map(fits).take_while(|fits| *fits).count();
    let more = lines.len() - count;
    if more > 0 {
        lines.truncate(count);
        lines.push(format!("and {more} more, for which this question has no room"));
    }
}

/// Asks a human this question.
fn ask(asked: Asked, behind: Behind, then: Then) -> Step {
    let question = asked.question().clone();
    let pending = Pending {
        app: asked.action().app.clone(),
        name: behind.name,
        events: behind.events,
        then: Then::Asked(Box::new(Asking { asked, then })),
        kept: None,
        carried: Vec::new(),
        rest: None,
    };
    Step::Ask(Ask { question, pending })
}

/// Runs an approved action.
pub(super) fn run(approved: Approved, behind: Behind, then: Then, world: &World<'_>) -> Step {
    let app = approved.action().app.clone();
    let then = match then {
        Then::Script(inside) => Then::Script(inside.before(&approved)),
        other => other,
    };
    let Behind { name, events } = behind;
    let pending =
        Pending { app: app.clone(), name, events, then, kept: None, carried: Vec::new(), rest: None };
    let apart = match &approved.action().deed {
        Deed::RunScript { .. } => Some(Apart::OfClient),
        Deed::Web(_) => Some(Apart::Web),
        deed => deed.asks_macos().then_some(Apart::ForHuman),
    };
    let (script, decided) = approved.into_script(&world.learned.costs(&app));
    Step::Run(Run { app, script, apart, decided: Arc::new(decided), pending })
}

impl Asking {
    /// Whether the action is a lookup, and a call waits for the answer.
    pub(super) fn looks_up(&self) -> bool {
        self.then.looks_up()
    }

    pub(super) fn question(&self) -> &Question {
        self.asked.question()
    }

    /// Adds a note to the question, once.
    pub(super) fn note(&mut self, note: &str) {
        self.asked.note(note);
    }

    /// Continues with the human's answer.
    pub(super) fn answered(self, answer: Answer, behind: Behind, world: &World<'_>) -> Step {
        let Self { asked, then } = self;
        match asked.answered(answer, &behind.name, world.gate, world.now) {
            Answered::Yes(approved) => run(*approved, behind, then, world),
            Answered::No(refusal) => refused(*refusal, behind.events),
            Answered::Again(asked) => ask(*asked, behind, then),
        }
    }
}

/// Ends a call that the gate refused.
pub(super) fn refused(refusal: Refusal, events: u64) -> Step {
    let Refusal { source, harm, scopes, fault } = refusal;
    let decided = Decided { allowed: false, harm, source, scopes };
    let body = fault.to_json();
    Step::Done(Outcome {
        body,
        is_error: true,
        events,
        refused: Some(Arc::new(decided)),
        ..Outcome::default()
    })
}

/// The error for an event that does not belong to the pending step.
pub(super) fn out_of_turn(what: &str) -> Fault {
    Fault::new(
        Code::Internal,
        format!("the server expected something else than {what}"),
        "this is a bug in the server; please report it",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_undo_counts_what_it_leaves_out() {
        let mut lines = vec!["x".repeat(LONGEST / 4); 9];
        shorten(&mut lines);
        assert_eq!((lines.len(), lines[2].as_str()), (3, "and 7 more, for which this question has no room"));
        let mut few = vec!["x".to_owned(); 9];
        shorten(&mut few);
        assert_eq!(few.len(), 9);
    }
}
