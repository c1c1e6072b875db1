//! An undo of writes that differ in app or kind: part by part, the latest first, each with its own question.

use std::collections::VecDeque;

use indexmap::IndexSet;
use serde_json::{Value as Json, json};

use super::{Outcome, Step, World, failed, rest, set};
use crate::fault::{Code, Fault};
use crate::undo::{self, Undo, Way};

/// The note about parts that were not tried.
const NOT_TRIED: &str =
    "the undo stopped here, and the changes in `notTried` were not tried: call again with these ids";

/// The note about the error of a part after the first one.
const STOPPED: &str = "`changes` says what happened before the error, which is about the rest";

/// Errors after which nothing more is tried: someone refused, or the app does not answer.
const STOPS: [Code; 7] = [
    Code::PermissionDenied,
    Code::PermissionRequired,
    Code::AutomationNotAuthorized,
    Code::Timeout,
    Code::AppBusy,
    Code::Unavailable,
    Code::Cancelled,
];

/// What an undo still has to do, and what it has done.
#[derive(Debug)]
pub(super) struct Rest {
    /// What the current part wrote, in words.
    wrote: Vec<String>,
    parts: VecDeque<Part>,
    done: Outcome,
}

/// Writes that one call can take back.
#[derive(Debug)]
struct Part {
    /// The ids that a client would give to take them back.
    ids: Vec<String>,
    undos: Vec<Undo>,
}

/// Begins `iac_mcp_undo`.
pub(super) fn start(undos: &[Undo], world: &mut World<'_>) -> Result<Step, Fault> {
    let parts = undo::parts(undos);
    if parts.len() > 1 && undos.iter().any(|undo| matches!(undo.way, Way::Call { .. })) {
        // The plugin itself takes back what it has done.
        return Err(undo::apart(&parts));
    }
    let part = |part: &Vec<&Undo>| Part {
        ids: undo::ids_of(part, &parts).into_iter().map(str::to_owned).collect(),
        undos: part.iter().copied().cloned().collect(),
    };
    let mut parts: VecDeque<Part> = parts.iter().map(part).collect();
    let Some(first) = parts.pop_front() else { return set::start_undo(&[], world) };
    let step = set::start_undo(&first.undos, world);
    if parts.is_empty() {
        return step;
    }
    let step = step.unwrap_or_else(|fault| failed(&fault, 0));
    let done = Outcome { is_error: true, ..Outcome::default() };
    let rest = rest::Rest::Undo(Rest { wrote: first.wrote(), parts, done });
    Ok(rest::with(step, Some(Box::new(rest)), world))
}

/// Whether an undo ends with this part. It goes on if the part could not restore something, or if someone has changed
/// an object since, because the other parts are about other objects. It ends after a refusal, or if the app has stopped
/// answering.
fn stops(outcome: &Outcome) -> bool {
    let changes = outcome.body["changes"].as_array().into_iter().flatten();
    let mut errors = changes.map(|change| &change["error"]).chain([&outcome.body]);
    errors.any(|error| {
        error["outcome"] == json!("unknown") || STOPS.iter().any(|code| error["error"] == json!(code.name()))
    })
}

impl Part {
    fn wrote(&self) -> Vec<String> {
        undo::in_words(&self.undos.iter().collect::<Vec<_>>())
    }
}

impl Rest {
    /// Takes the outcome of a part, and begins the next one; `None` after the last.
    pub(super) fn next(&mut self, outcome: Outcome, world: &mut World<'_>) -> Option<Step> {
        let stops = stops(&outcome);
        self.add(outcome, stops);
        let part = self.parts.pop_front_if(|_| !stops)?;
        self.wrote = part.wrote();
        Some(set::start_undo(&part.undos, world).unwrap_or_else(|fault| failed(&fault, 0)))
    }

    /// Adds the outcome of a part. The error of one part becomes an entry in `changes`. The error that ends the undo
    /// stands beside `changes`.
    fn add(&mut self, mut outcome: Outcome, stops: bool) {
        if outcome.body["error"].is_string() && !stops {
            let failed = json!({ "wrote": self.wrote, "error": outcome.body, "undo": null });
            outcome.body = json!({ "success": false, "changes": [failed], "untrusted": true });
        }
        let done = &mut self.done;
        let parts = self.parts.iter_mut().map(|part| &mut part.undos);
        parts.chain([&mut done.undo]).for_each(|undos| undo::follow(undos, &outcome.renamed));
        if done.body.is_null() {
            done.body = outcome.body;
        } else if outcome.body["changes"].is_array() {
            done.body["success"] =
                json!(done.body["success"] == json!(true) && outcome.body["success"] == json!(true));
            for field in ["changes", "left"] {
                let Some(more) = outcome.body[field].as_array().cloned() else { continue };
                match done.body[field].as_array_mut() {
                    Some(all) => all.extend(more),
                    None => done.body[field] = Json::from(more),
                }
            }
            self.note(outcome.body["note"].as_str());
        } else {
            done.body["success"] = json!(false);
            done.body["error"] = outcome.body;
            self.note(Some(STOPPED));
        }
        let done = &mut self.done;
        done.is_error &= outcome.is_error;
        done.events += outcome.events;
        done.refused = outcome.refused.or_else(|| done.refused.take());
        done.undo.extend(outcome.undo);
        done.undone.extend(outcome.undone);
        done.renamed.extend(outcome.renamed);
    }

    fn note(&mut self, note: Option<&str>) {
        let Some(note) = note else { return };
        let body = &mut self.done.body;
        let notes = match body["note"].as_str() {
            Some(notes) if notes.contains(note) => return,
            Some(notes) => format!("{notes}; {note}"),
            None => note.to_owned(),
        };
        body["note"] = json!(notes);
    }

    /// The outcome of all parts. One id takes back all that this undo has written.
    pub(super) fn ended(mut self, world: &mut World<'_>) -> Outcome {
        let ids: IndexSet<&String> = self.parts.iter().flat_map(|part| &part.ids).collect();
        // A part of changes without an inverse has no ids.
        if !ids.is_empty() {
            self.done.body["notTried"] = json!(ids);
            self.note(Some(NOT_TRIED));
        }
        let Self { mut done, .. } = self;
        if !done.undo.iter().all(Undo::is_lasting) {
            done.body["undo"] = json!(undo::together(&mut done.undo, world.fresh));
        }
        done
    }
}
