//! The answer to commands in a row.

use serde_json::{Value as Json, json};

use super::{for_good, is_done, targets, tell_saved};
use crate::app::App;
use crate::dictionary::Dictionary;
use crate::fault::Fault;
use crate::step::create::Creating;
use crate::step::{Outcome, Step, World, trace};
use crate::undo::{self, NO_REVERSE, Undo};

impl Creating {
    /// The answer to commands in a row: the answer to the first, and in it the results of the others.
    pub(super) fn ran(
        mut self,
        answer: &Json,
        app: &App,
        dictionary: &Dictionary,
        events: u64,
        world: &mut World<'_>,
    ) -> Result<Step, Fault> {
        let (mut rows, sets) = self.apart_sets(&answer["then"], app, world)?;
        let (ways, did) = self.left(&mut rows, app, world);
        let mut undo = self.written(ways, &sets);
        undo.extend(did);
        undo.extend(for_good(&sets, app, world));
        let is_kept = undo.iter().any(|undo| !undo.is_lasting());
        let id = undo::together(&mut undo, world.fresh).filter(|_| is_kept);
        let told = self.followed(&Json::from(rows), app, dictionary, world);
        let mut told = self.in_order(told, sets);
        // Properties may be set before the first command.
        let at = told.iter().position(|entry| entry.get("command").is_some()).unwrap_or_default();
        if let Some(error) = told.iter().take(at + 1).find_map(|entry| entry.get("error")) {
            let mut body = error.clone();
            if at > 0 || self.row().is_some_and(|(first, _)| first.each) {
                body["note"] = json!(match at {
                    0 => "some of the targets may be done: look at them; what follows was not tried",
                    _ =>
                        "what is set before the command may be done: `undo` takes it back; look at the targets",
                });
                body["undo"] = json!(id);
            }
            return Ok(Step::Done(Outcome { body, is_error: true, events, undo, ..Outcome::default() }));
        }
        let first = if told.is_empty() { Json::Null } else { told.remove(at) };
        let is_done = told.iter().all(|each| each.get("error").is_none());
        let mut body = json!({
            "success": is_done, "app": &*app.bundle_id, "data": first["data"], "undo": id, "then": told,
            "untrusted": true,
        });
        tell_saved(&answer["saved"], app, &mut body);
        Ok(Step::Done(Outcome { body, events, undo, ..Outcome::default() }))
    }

    /// The way back of each of successive commands, and a record of those that have none. Replaces each trace in `rows`
    /// by the app's answer.
    fn left(&self, rows: &mut [Json], app: &App, world: &mut World<'_>) -> (Vec<Vec<Undo>>, Option<Undo>) {
        let (mut ways, mut did): (Vec<Vec<Undo>>, Vec<String>) = Default::default();
        for ((row, trace), next) in rows.iter_mut().zip(&self.traces).zip(&self.creation.then) {
            let back = match row.get("value") {
                Some(answer) => {
                    let (answer, back) = trace.split(answer, app, world);
                    row["value"] = answer;
                    back.into_iter().flatten().collect()
                }
                None => Vec::new(),
            };
            let is_done = match row.get("value").and_then(Json::as_array).filter(|_| next.sent.each) {
                Some(answers) => trace::is_done(answers, targets(&next.sent)),
                None => is_done(row),
            };
            let unknown = if row.get("unknown").is_some() { " with an unknown outcome" } else { "" };
            let stays = trace.did().filter(|_| back.is_empty() && (is_done || !unknown.is_empty()));
            did.extend(stays.map(|did| format!("{did}{unknown}")));
            ways.push(back);
        }
        let lasting = (!did.is_empty()).then(|| {
            let did = format!("{} {}", app.name, did.join(", then "));
            Undo::lasting(&app.bundle_id, did, NO_REVERSE, (world.fresh)(), world.now)
        });
        (ways, lasting)
    }
}
