//! The traces of a change: the undo records, or a note, so that "the last change" never means an older one.

use serde_json::Value as Json;

use super::moves::{self, Moving};
use super::{Outcome, Step, World, copies};
use crate::action::{Action, Copies, Deed, Invocation};
use crate::app::{App, same_id};
use crate::change::DELETE;
use crate::marshal::Given;
use crate::osa_error::OsaError;
use crate::permission::{READS, classify};
use crate::specifier::{Path, quoted};
use crate::undo::{NO_REVERSE, Undo};
use crate::words::{Level, RefId};

/// Events that open, show or print something, and change nothing that an undo could mean: launch, reopen, activate,
/// open, print, select, reveal, and the equivalent commands of Notes, Calendar, Music, Reminders,
/// Things and Keynote.
const SHOWS: [&str; 14] = [
    "aevtoapp", "ascrnoop", "aevtrapp", "miscactv", "aevtodoc", "aevtpdoc", "miscslct", "miscmvis",
    "noteshow", "wrbtaec3", "hookRevl", "remishow", "THGSshow", "KntcKjmp",
];

/// Commands, each with the command that reverses it, by their codes. The answer only names the second one. As an undo,
/// it would also reopen objects that were completed before, and it could not remove the completed copy of an object
/// that repeats.
///
/// # Source
/// OmniFocus' dictionary: `mark complete` and `mark dropped`, and `mark incomplete`.
const REVERSES: [(&str, &str); 2] = [("OFOCFCMc", "OFOCFCMi"), ("OFOCFCMd", "OFOCFCMi")];

/// Apps that keep deleted objects for a while: an app, a class, and how one comes back.
///
/// # Source
/// Mail's and Notes' user guides, as for what the question says of these deletions.
const KEEPS: [(&str, &str, &str); 2] = [
    ("com.apple.mail", "message", "`move` out of the Trash mailbox does"),
    ("com.apple.Notes", "note", "`move` out of Recently Deleted does, if its account has that folder"),
];

/// The reason why an uncertain change cannot be undone.
pub(super) const UNKNOWN: &str = "the app did not say whether it was done";

/// The outcome of a change that was made only in part.
pub(super) const PARTIAL: &str = "partial";

/// The reason why a partial change cannot be undone.
pub(super) const HALF: &str = "one of its values was refused, and the others could not be put back";

/// The trace of one command.
#[derive(Debug)]
pub(super) struct Trace {
    /// `ran "move"`
    did: String,
    /// The code of its event.
    code: String,
    /// The class of its first target; empty if it has none.
    class: String,
    /// Whether it has a lasting effect, so that an undo of the last change must not reach an earlier one.
    lasts: bool,
    /// The moved objects, for following them and for undo.
    moving: Option<Moving>,
    /// The values that are read from the copies, for undo.
    copies: Option<Copies>,
}

impl Trace {
    pub(super) fn new(invocation: &Invocation, level: Level) -> Self {
        let is_read = READS.iter().any(|(code, _)| *code == invocation.code);
        let lasts = level > Level::Safe && !shows(invocation) && !is_read;
        let targets = invocation.direct.as_ref().map(Given::objects).unwrap_or_default();
        let about = match targets.as_slice() {
            [] => String::new(),
            [one] => match one.name() {
                Some(name) => format!(" of {} {}", one.class(), quoted(name)),
                None => format!(" of one {}", if one.class().is_empty() { "object" } else { one.class() }),
            },
            several => format!(" of {} objects", several.len()),
        };
        let did = format!("ran {}{about}", quoted(&invocation.term));
        let class = targets.first().map(|path| path.class().to_owned()).unwrap_or_default();
        Self { did, code: invocation.code.clone(), class, lasts, moving: None, copies: None }
    }

    /// The trace of one command among others.
    pub(super) fn of(invocation: &Invocation, app: &App, world: &World<'_>) -> Self {
        let action = Action::of(app, Deed::Command(Box::new(invocation.clone())));
        Self::new(invocation, classify(&action, world.gate.policy.levels()).level)
    }

    /// Follows the moved objects, or the copies, if there are any.
    pub(super) fn following(
        self,
        invocation: &mut Invocation,
        references: &[Option<RefId>],
        app: &App,
    ) -> Self {
        let Some(dictionary) = app.dictionary.as_deref() else { return self };
        let (looks, moving) = moves::of(invocation, references, app, dictionary).unzip();
        let copies = copies::of(invocation, app, dictionary);
        (invocation.moves, invocation.copies) = (looks, copies.clone());
        Self { moving, copies, ..self }
    }

    /// Whether the answer tells what an undo needs.
    pub(super) fn is_followed(&self) -> bool {
        self.moves() || self.copies.is_some()
    }

    pub(super) fn moves(&self) -> bool {
        self.moving.is_some()
    }

    /// The permanent effect, in words; `None` for a command that only shows something.
    pub(super) fn did(&self) -> Option<&str> {
        self.lasts.then_some(self.did.as_str())
    }

    /// Why this server does not undo the command, and what the user or the client can do instead.
    pub(super) fn why(&self, app: &App) -> String {
        let by_command = || {
            let (_, reverse) = REVERSES.iter().find(|(code, _)| *code == self.code)?;
            let mut commands = app.dictionary.as_ref()?.commands.iter();
            let term = quoted(&commands.find(|command| command.code == *reverse)?.name);
            Some(format!("the command {term} does, also for objects that were so before"))
        };
        let is_a = |class: &str| app.dictionary.as_ref().is_some_and(|all| all.is_a(&self.class, class));
        let is_kept = |row: &&(&str, &str, &str)| same_id(row.0, &app.bundle_id) && is_a(row.1);
        let kept = KEEPS.iter().find(is_kept).filter(|_| self.code == DELETE).map(|row| row.2.to_owned());
        match kept.or_else(by_command) {
            Some(way) => format!("this server does not undo it: {way}"),
            None => NO_REVERSE.to_owned(),
        }
    }

    /// The app's own answer, and which targets are still where they were, although the app answered without an error.
    pub(super) fn still_there(&self, answer: &Json) -> (Json, Vec<bool>) {
        if let Some(moving) = &self.moving {
            return (answer.clone(), moving.stay(answer));
        }
        match answer {
            Json::Array(answers) if answers.iter().any(is_there) => {
                let there = answers.iter().map(is_there).collect();
                (answers.iter().map(app_said).collect(), there)
            }
            one => (app_said(one), vec![is_there(one)]),
        }
    }

    /// The note about an object that is still there, and whether this may be all that the app does for it.
    pub(super) fn is_still_there(&self, app: &str) -> (String, bool) {
        match NO_EFFECT.iter().find(|row| same_id(row.0, app) && row.1 == self.code) {
            Some((.., why)) => (format!("{STILL_THERE}. {why}"), true),
            None => (STILL_THERE.to_owned(), false),
        }
    }

    /// Splits an answer into the app's own answer and the undo of each target.
    pub(super) fn split(&self, answer: &Json, app: &App, world: &mut World<'_>) -> (Json, Vec<Option<Undo>>) {
        if let Some(copies) = &self.copies {
            return copies::split(copies, answer, app, world);
        }
        let Some(moving) = &self.moving else { return (answer.clone(), Vec::new()) };
        let (answer, reports) = moves::split(answer);
        (answer, moving.moved(&reports, app, world))
    }

    /// As [`Self::split`], for a move into an object whose path was not known before the script ran: `real` gives it.
    pub(super) fn split_at(
        &self,
        answer: &Json,
        real: &dyn Fn(&Path) -> Option<Path>,
        app: &App,
        world: &mut World<'_>,
    ) -> (Json, Vec<Option<Undo>>) {
        let (own, reports) = moves::split(answer);
        match self.moving.as_ref().and_then(|moving| moving.to(real)) {
            Some(moving) => (own, moving.moved(&reports, app, world)),
            None => (own, vec![None]),
        }
    }
}

/// Whether a script has found an object after it was deleted.
pub(super) fn is_there(answer: &Json) -> bool {
    answer.get("$").and_then(Json::as_str) == Some("there")
}

fn app_said(answer: &Json) -> Json {
    if is_there(answer) { answer["value"].clone() } else { answer.clone() }
}

/// The note about an object that is still there. The app may need time, or may keep deleted objects.
pub(super) const STILL_THERE: &str = "the app answered without an error, and it is still there; look again before you tell the user that it is done";

/// Commands that do nothing to some objects, without an error: an app, the event, and what to tell the user.
///
/// # Source
/// A published server for Mail: `delete` of a message in a Trash mailbox changes nothing, and no script can delete a
/// message for good.
const NO_EFFECT: [(&str, &str, &str); 1] = [(
    "com.apple.mail",
    DELETE,
    "No script can delete a message for good: if it was in a Trash mailbox already, it stays there until the user empties the Trash in Mail (Mailbox > Erase Deleted Items)",
)];

/// Whether a command only shows something.
pub(super) fn shows(invocation: &Invocation) -> bool {
    SHOWS.contains(&invocation.code.as_str())
}

/// Whether a command that was sent once for each of several targets reached at least one of them, as far as its answer
/// tells.
pub(super) fn is_done(answers: &[Json], targets: usize) -> bool {
    let is_untried = |answer: &Json| answer.get("$").and_then(Json::as_str) == Some("untried");
    let is_failed = |answer: &Json| OsaError::of_row(answer, "command").is_some();
    answers.len() < targets || answers.iter().any(|answer| is_untried(answer) || !is_failed(answer))
}

/// A change that was sent, in case its outcome stays unknown.
#[derive(Debug)]
pub(super) struct Sent {
    /// The app, by bundle id; empty if it is about none.
    pub(super) app: String,
    /// The command, in words: `Finder ran "move"`.
    pub(super) did: String,
}

/// Says which changes cannot be undone. Every answer to a change has either an undo id or this note.
fn for_good(mut outcome: Outcome, world: &World<'_>) -> Outcome {
    let lasting: Vec<String> =
        outcome.undo.iter().filter(|undo| undo.is_lasting()).map(Undo::for_good).collect();
    let is_said = |body: &Json| {
        let entries = body["changes"].as_array().into_iter().flatten();
        entries.chain([body]).any(|entry| entry.get("noWayBack").is_some())
    };
    let tells = !outcome.is_error && outcome.body.is_object() && world.gate.plugin.is_none();
    if tells && !lasting.is_empty() && !is_said(&outcome.body) {
        if outcome.body.get("undo").is_none() {
            outcome.body["undo"] = Json::Null;
        }
        outcome.body["noWayBack"] = Json::from(lasting);
    }
    outcome
}

/// Records a change with an unknown outcome, or one that was made in part, so that "the last change" does not mean an
/// earlier one.
pub(super) fn kept(step: Step, sent: Option<Sent>, world: &mut World<'_>) -> Step {
    let Step::Done(mut outcome) = step else { return step };
    let Some(sent) = sent.filter(|_| outcome.undo.is_empty()) else {
        return Step::Done(for_good(outcome, world));
    };
    let undo = match outcome.body.get("outcome").and_then(Json::as_str) {
        Some("unknown") => unknown(&sent.app, &sent.did, world),
        Some(PARTIAL) => {
            let did = format!("{}, in part", sent.did);
            Undo::lasting(&sent.app, did, HALF, (world.fresh)(), world.now)
        }
        _ => return Step::Done(outcome),
    };
    outcome.undo.push(undo);
    Step::Done(outcome)
}

/// The record of a change with an unknown outcome.
pub(super) fn unknown(app: &str, did: &str, world: &mut World<'_>) -> Undo {
    let did = format!("{did}, with an unknown outcome");
    Undo::lasting(app, did, UNKNOWN, (world.fresh)(), world.now)
}
