//! An undo of writes that differ in app or kind: part by part, the latest first, each with its own question.

use std::collections::VecDeque;

use serde_json::{Value as Json, json};

use super::{Outcome, Step, World, failed, set};
use crate::fault::Fault;
use crate::undo::{self, Undo, Way};

/// What an undo still has to do, and what it has done.
#[derive(Debug)]
pub(super) struct Rest {
    parts: VecDeque<Vec<Undo>>,
    done: Outcome,
}

/// Begins `iac_mcp_undo`.
pub(super) fn start(undos: &[Undo], world: &mut World<'_>) -> Result<Step, Fault> {
    let parts = undo::parts(undos);
    if parts.len() > 1 && undos.iter().any(|undo| matches!(undo.way, Way::Call { .. })) {
        // The plugin itself takes back what it has done.
        return Err(undo::apart(&parts));
    }
    let mut parts: VecDeque<Vec<Undo>> =
        parts.into_iter().map(|part| part.into_iter().cloned().collect()).collect();
    let Some(first) = parts.pop_front() else { return set::start_undo(&[], world) };
    let step = set::start_undo(&first, world)?;
    if parts.is_empty() {
        return Ok(step);
    }
    Ok(with(step, Some(Box::new(Rest { parts, done: Outcome::default() })), world))
}

/// Goes on with the next part when a step has ended one.
pub(super) fn with(mut step: Step, rest: Option<Box<Rest>>, world: &mut World<'_>) -> Step {
    let Some(mut rest) = rest else { return step };
    loop {
        let outcome = match step {
            Step::Run(mut run) => {
                run.pending.rest = Some(rest);
                return Step::Run(run);
            }
            Step::Load(mut load) => {
                load.pending.rest = Some(rest);
                return Step::Load(load);
            }
            Step::Ask(mut ask) => {
                ask.pending.rest = Some(rest);
                return Step::Ask(ask);
            }
            Step::Done(outcome) => outcome,
        };
        let is_whole = outcome.body["success"] == json!(true);
        rest.add(outcome);
        step = match rest.parts.pop_front().filter(|_| is_whole) {
            Some(part) => set::start_undo(&part, world).unwrap_or_else(|fault| failed(&fault, 0)),
            None => return Step::Done(rest.done),
        };
    }
}

impl Rest {
    /// Adds the outcome of a part. Of a part that failed the error stands beside what was done before.
    fn add(&mut self, outcome: Outcome) {
        let done = &mut self.done;
        let is_first = done.body.is_null();
        if outcome.is_error && !is_first {
            done.body["success"] = json!(false);
            done.body["error"] = outcome.body;
            done.body["note"] =
                json!("what `changes` names was taken back before the error, which is about the rest");
        } else if is_first {
            done.body = outcome.body;
            done.is_error = outcome.is_error;
        } else {
            done.body["success"] = outcome.body["success"].clone();
            for field in ["changes", "left"] {
                let Some(more) = outcome.body[field].as_array().cloned() else { continue };
                match done.body[field].as_array_mut() {
                    Some(all) => all.extend(more),
                    None => done.body[field] = Json::from(more),
                }
            }
        }
        done.events += outcome.events;
        done.refused = outcome.refused.or_else(|| done.refused.take());
        done.undo.extend(outcome.undo);
        done.undone.extend(outcome.undone);
    }
}
