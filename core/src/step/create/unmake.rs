//! Undo of new objects: the server deletes them, unless someone has changed one of them since.

use serde_json::{Value as Json, json};

use super::saving;
use crate::action::{Action, Deed, Invocation, Seen};
use crate::app::App;
use crate::change::{DELETE, Look};
use crate::dictionary::{Dictionary, Identifier};
use crate::fault::{Code, Fault};
use crate::identity::Anchors;
use crate::marshal::Given;
use crate::osa_error::OsaError;
use crate::permission::classify;
use crate::specifier::{Path, Specifier};
use crate::step::carried::{self, Carried};
use crate::step::command::{Sending, uncertain};
use crate::step::{Outcome, Step, Then, World, held, in_app, trace};
use crate::undo::{Made, Undo, Way};
use crate::words::{Level, TextWindow};

/// The error number for an object that does not exist.
const MISSING: i64 = -1728;

/// Begins `iac_mcp_undo` for objects that were made, all in one app.
pub(in crate::step) fn start(undos: &[Undo], world: &mut World<'_>) -> Result<Step, Fault> {
    let first = undos.first().ok_or_else(|| mixed("nothing is named"))?;
    let app = world.apps.find(&first.app)?;
    let dictionary = app.dictionary()?.clone();
    let (mut targets, mut seen, mut left) = (Vec::new(), Vec::new(), Vec::new());
    for undo in undos {
        let Way::Create { made, stays } = &undo.way else {
            return Err(mixed("another kind of write is among them"));
        };
        left.extend(stays.iter().cloned().map(Carried::Left));
        for object in made {
            let specifier = Specifier::parse(&object.object, "object")?;
            let resolved = specifier.resolve(&dictionary, &mut *held(world.references, app, world.now));
            let path = match resolved {
                Ok(resolved) => resolved.path,
                // Some apps can make a part for which their dictionary has no elements, such as an attachment in a
                // message. It is deleted with its owner.
                Err(_) if !object.is_top => continue,
                Err(error) => return Err(error.into()),
            };
            seen.push(as_made(object, path.clone()));
            if object.is_top {
                targets.push(path);
            }
        }
    }
    // The last one made is deleted first.
    targets.reverse();
    let invocation = delete(targets, seen, app, &dictionary)?;
    let action = Action::of(app, Deed::Command(Box::new(invocation)));
    let level = classify(&action, world.gate.policy.levels()).level.max(Level::Modify);
    let Deed::Command(invocation) = &action.deed else { return Err(no_delete(app)) };
    let sending = Sending::back(invocation, level, undos.to_vec());
    let step = in_app(app, action.deed, 0, Then::Command(Box::new(sending)), world);
    Ok(carried::with(step, left))
}

/// The state that an object must have to be deleted: as it was when it was made.
fn as_made(object: &Made, path: Path) -> Seen {
    let looks = object.looks.iter().filter_map(|(look, shown)| Some((Look::read(look)?, shown.clone())));
    let (looks, shown): (Vec<Look>, Vec<Json>) = looks.unzip();
    Seen { path, looks, shown: Json::from(shown) }
}

fn delete(
    targets: Vec<Path>,
    seen: Vec<Seen>,
    app: &App,
    dictionary: &Dictionary,
) -> Result<Invocation, Fault> {
    let command = dictionary.commands.iter().find(|command| command.code == DELETE);
    let command = command.ok_or_else(|| no_delete(app))?;
    let mut targets: Vec<Given> = targets.into_iter().map(Given::Object).collect();
    let each = targets.len() > 1;
    let direct = if each { Given::List(targets) } else { targets.pop().ok_or_else(|| no_delete(app))? };
    Ok(Invocation {
        term: command.name.clone(),
        code: command.code.clone(),
        identifier: Identifier::of(&command.name).ok_or_else(|| no_delete(app))?,
        takes_direct: true,
        direct: Some(direct),
        each,
        parameters: Vec::new(),
        text: TextWindow { offset: 0, limit: 1_000 },
        is_fragile: false,
        seen,
        moves: None,
        anchors: Some(Anchors::default()),
        save: saving(app, dictionary).map(Box::new),
    })
}

/// The answer if none of the new objects exists any more; `None` if it is unsure whether any of them was deleted.
pub(in crate::step) fn all_gone(undos: &[Undo], app: &App, events: u64) -> Option<Outcome> {
    let made = |undo: &Undo| match &undo.way {
        Way::Create { made, .. } => made.clone(),
        _ => Vec::new(),
    };
    let tops: Vec<Made> = undos.iter().flat_map(made).filter(|made| made.is_top).collect();
    let gone = json!({ "$": "error", "number": MISSING });
    let rows = if tops.len() == 1 { gone } else { Json::from(vec![gone; tops.len()]) };
    tops.iter().any(Made::is_surely_gone).then(|| unmade(undos, &rows, app, events))
}

/// The answer after new objects were deleted.
pub(in crate::step) fn unmade(undos: &[Undo], answer: &Json, app: &App, events: u64) -> Outcome {
    let made = |undo: &Undo| match &undo.way {
        Way::Create { made, .. } => made.clone(),
        _ => Vec::new(),
    };
    let tops: Vec<(String, Made)> = undos
        .iter()
        .flat_map(|undo| made(undo).into_iter().map(|made| (undo.id.clone(), made)))
        .filter(|(_, made)| made.is_top)
        .rev()
        .collect();
    let answers = match answer {
        Json::Array(answers) if tops.len() > 1 => answers.clone(),
        one => vec![one.clone()],
    };
    let (mut left, mut lost) = (Vec::new(), 0);
    let mut changes = Vec::new();
    for (at, (id, made)) in tops.iter().enumerate() {
        let row = answers.get(at).cloned().unwrap_or_else(|| json!({ "$": "untried" }));
        let mut change = json!({ "object": made.words, "created": "deleted", "undo": null });
        let error = OsaError::of_row(&row, "command");
        if error.as_ref().is_some_and(OsaError::is_missing_object) {
            // A second undo would not find it either.
            if made.is_surely_gone() {
                change["created"] = json!("was gone");
            } else {
                change["created"] = json!("not found");
                change["error"] = not_found().to_json();
                lost += 1;
            }
            changes.push(change);
            continue;
        }
        if let Some(error) = error {
            change["error"] = uncertain(error.to_fault(&app.bundle_id, &app.name)).to_json();
        } else if row.get("$").and_then(Json::as_str) == Some("untried") {
            change["error"] = Fault::new(Code::Unavailable, "it was not tried", "try it again").to_json();
        } else if trace::is_there(&row) {
            change["unverified"] = json!(trace::STILL_THERE);
        }
        if change.get("error").is_some() || change.get("unverified").is_some() {
            change["created"] = json!("still there");
            left.push(id.as_str());
        }
        changes.push(change);
    }
    let is_done = |undo: &&Undo| lost < tops.len() && !left.contains(&undo.id.as_str());
    let undone: Vec<String> = undos.iter().filter(is_done).map(|undo| undo.id.clone()).collect();
    let success = left.is_empty() && lost == 0;
    let body = json!({ "success": success, "changes": changes, "untrusted": true });
    Outcome { body, is_error: undone.is_empty(), events, undone, ..Outcome::default() }
}

/// The error for an object that only its name leads to.
fn not_found() -> Fault {
    let message = "nothing has its name any more: it was deleted, moved or renamed";
    Fault::new(Code::ReferenceInvalid, message, "look for it if the user wants it deleted")
}

fn mixed(why: &str) -> Fault {
    let message = format!("new objects are deleted by a call of their own, and {why}");
    Fault::new(Code::InvalidParameter, message, "take each back by its own id").with("parameter", "undo")
}

fn no_delete(app: &App) -> Fault {
    let message = format!("{} has no command to delete what was made", app.name);
    Fault::new(Code::UnknownCommand, message, "delete it by hand")
}
