//! A mutation as steps, and the code that runs them.

use iac_plugin::{Fault, Json, json};

use super::{lines, restore};
use crate::{Engine, Moment, Script};

/// The plan of a mutation.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) form: Form,
    pub(super) steps: Vec<Step>,
    /// Whether the first failure ends the run.
    pub(super) stop: bool,
    /// Whether a failure undoes the new items.
    pub(super) atomic: bool,
    pub(super) dry_run: bool,
    pub(super) minimal: bool,
    /// Whether the answer maps temporary ids to real ones.
    pub(super) mapping: bool,
    /// The conditions that named the items, in words.
    pub(super) found: Option<String>,
}

/// The form of the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// One result.
    Single,
    /// One row for each operation.
    Batch,
    /// One row for each id.
    Bulk,
    /// One row for each step of an undo.
    Undo,
}

/// One step of the program.
#[derive(Clone, Debug)]
pub(super) struct Step {
    /// Its position among the operations as the caller wrote them.
    pub(super) index: usize,
    pub(super) operation: &'static str,
    pub(super) target: &'static str,
    /// The step in the script's form.
    pub(super) json: Json,
    pub(super) temp: Option<String>,
    /// The id of the existing item that it changes.
    pub(super) id: Option<String>,
    /// The script's report about the item that it would touch; null if it names no existing item.
    pub(super) said: Json,
    /// The script's report at the time of the original change, if this step undoes one; null otherwise.
    pub(super) was: Json,
    /// The reason why it does not run.
    pub(super) failure: Option<Json>,
}

impl Step {
    /// Makes a step from its form for the script.
    pub(super) fn new(index: usize, operation: &'static str, target: &'static str, json: Json) -> Self {
        let (said, was) = (Json::Null, Json::Null);
        Self { index, operation, target, json, temp: None, id: None, said, was, failure: None }
    }

    /// Whether the step only creates an item, and so needs no lookup.
    pub(super) fn names_nothing(&self) -> bool {
        let place = self.json["at"].as_object();
        let is_free = place.is_some_and(|place| {
            place.is_empty()
                || place.contains_key("inbox")
                || place.values().all(|place| !place["temp"].is_null())
        });
        self.json["do"] == "create"
            && is_free
            && ["tags", "alerts"].iter().all(|key| self.json["set"][*key].is_null())
    }

    /// The acts of the step, as the package declares them.
    fn acts(&self) -> Vec<String> {
        let said = self.said["acts"].as_array().map(Vec::as_slice).unwrap_or_default();
        let said: Vec<String> = said.iter().filter_map(Json::as_str).map(str::to_owned).collect();
        if said.is_empty() { vec![format!("create {}", self.target)] } else { said }
    }

    /// The name of the item that it changes; its id if the name is not known.
    pub(super) fn name(&self) -> &str {
        self.said["name"].as_str().or(self.id.as_deref()).unwrap_or_default()
    }

    /// Whether the step removes something that existed before, or ends more than its own item.
    pub(super) fn loses(&self) -> bool {
        let acts = self.acts();
        let ends = acts.iter().any(|act| act.starts_with("complete "));
        let more = self.said["open"].as_i64() > Some(0) || !self.said["alsoCompletes"].is_null();
        let falls =
            matches!(self.said["becomes"].as_str(), Some("completed" | "dropped")) && self.id.is_some();
        falls || (ends && more) || acts.iter().any(|act| LOSSES.iter().any(|loss| act.starts_with(loss)))
    }

    /// How many other items the step takes along.
    pub(super) fn extent(&self) -> i64 {
        ["total", "projects", "folders", "tags", "below"]
            .iter()
            .filter_map(|key| self.said[*key].as_i64())
            .chain(
                self.said["alsoCompletes"]
                    .as_array()
                    .map(|ended| i64::try_from(ended.len()).unwrap_or(i64::MAX)),
            )
            .sum()
    }
}

/// The first words of the acts that lose data.
const LOSSES: [&str; 5] = ["delete ", "merge ", "drop ", "overwrite ", "end "];

/// The results of the steps, in their order.
#[derive(Clone, Debug, Default)]
pub(super) struct Done {
    pub(super) rows: Vec<Json>,
    pub(super) rolled_back: Option<Json>,
    /// The step that could not be resolved, so that nothing was changed.
    pub(super) refused: Option<usize>,
    /// The steps that undo everything, the last change first.
    pub(super) back: Vec<Json>,
    /// The steps that cannot be undone, or not in full, each with the reason.
    pub(super) stays: Vec<(usize, String)>,
}

/// The number of characters of data that fit beside the script into the host's limit. It leaves room for the values
/// that one part passes to the next.
const BUDGET: usize = 133_000;

impl Plan {
    pub(super) fn single(step: Step) -> Self {
        // If an item is created only in part, it is removed again.
        let atomic = step.operation.starts_with("create");
        let (stop, mapping) = (true, false);
        let (dry_run, minimal, found) = (false, false, None);
        Self { form: Form::Single, steps: vec![step], stop, atomic, dry_run, minimal, mapping, found }
    }

    /// Runs the possible steps: all at once, or in parts if they are too long for one program. The human is asked once,
    /// about all of them.
    ///
    /// # Errors
    /// A step that is too long alone, an atomic plan that is too long, and those of the engine.
    pub(super) fn run(&self, moment: &Moment, engine: &mut dyn Engine) -> Result<Done, Fault> {
        let mut done = Done { rows: vec![Json::Null; self.steps.len()], ..Done::default() };
        let parts = self.parts()?;
        if parts.is_empty() {
            done.leave_out(self);
            return Ok(done);
        }
        let steps: Vec<&Step> = parts.iter().flatten().map(|at| &self.steps[*at]).collect();
        let mut acts: Vec<String> = Vec::new();
        for act in steps.iter().flat_map(|step| step.acts()) {
            if !acts.contains(&act) {
                acts.push(act);
            }
        }
        let objects = lines::describe(self, steps, moment);
        match engine.run_all(Script::Write, &self.programs(&parts), &acts, &objects) {
            Ok(answers) => done.take_all(&parts, &answers)?,
            Err(fault) => return Err(done.so_far(self, &parts, fault)),
        }
        done.leave_out(self);
        if parts.len() > 1 && !done.back.is_empty() {
            // The change is made. If this fails, its undo only lacks the comparison.
            let _ = restore::tell(&mut done.back, engine);
        }
        Ok(done)
    }

    pub(super) fn programs(&self, parts: &[Vec<usize>]) -> Vec<Json> {
        let program = |(at, part): (usize, &Vec<usize>)| {
            let steps: Vec<&Json> = part.iter().map(|at| &self.steps[*at].json).collect();
            let more = at + 1 < parts.len();
            json!({"stop": self.stop, "atomic": self.atomic, "more": more, "ordered": self.form != Form::Undo, "steps": steps})
        };
        parts.iter().enumerate().map(program).collect()
    }

    /// Whether a step of a change of many items is left out, because its item has the new values already. Nobody is
    /// asked about it. A step of a batch is not left out, because the steps before it may change the item.
    pub(super) fn is_idle(&self, step: &Step) -> bool {
        self.form == Form::Bulk && step.said["same"] == true && step.said["stays"].is_null()
    }

    /// The name of the item that a create makes.
    pub(super) fn made(&self, temp: &str) -> Option<&str> {
        self.steps.iter().find(|step| step.temp.as_deref() == Some(temp))?.json["name"].as_str()
    }

    /// Divides the steps that can be run, in their order, so that each part is short enough.
    pub(super) fn parts(&self) -> Result<Vec<Vec<usize>>, Fault> {
        let (mut parts, mut room) = (Vec::new(), 0);
        let runs = |step: &Step| step.failure.is_none() && !self.is_idle(step);
        for (at, step) in self.steps.iter().enumerate().filter(|(_, step)| runs(step)) {
            let weight = weight(&step.json);
            if weight > BUDGET {
                return Err(Fault::invalid(format!("operation {} has {weight} characters", step.index))
                    .suggest(format!("keep its note and names below {BUDGET} characters together")));
            }
            if weight > room {
                parts.push(Vec::new());
                room = BUDGET;
            }
            room -= weight;
            parts.last_mut().expect("a part was just begun").push(at);
        }
        if self.atomic && parts.len() > 1 {
            return Err(Fault::invalid("the operations are too long to be undone together")
                .suggest("send fewer of them, or leave out `atomicOperation`"));
        }
        Ok(parts)
    }
}

impl Done {
    /// Adds the results of the steps that were left out.
    fn leave_out(&mut self, plan: &Plan) {
        for (step, row) in plan.steps.iter().zip(&mut self.rows).filter(|(step, _)| plan.is_idle(step)) {
            let item = json!({"id": step.id, "name": step.said["name"]});
            *row = json!({"success": true, "unchanged": true, "item": item, "warnings": []});
        }
    }

    /// Adds to an error what the earlier parts have done.
    fn so_far(mut self, plan: &Plan, parts: &[Vec<usize>], mut fault: Fault) -> Fault {
        let mut detail = fault.detail.take().filter(Json::is_object).unwrap_or_else(|| json!({}));
        let answers = detail.as_object_mut().and_then(|detail| detail.remove("answers"));
        if let Some(Json::Array(answers)) = answers
            && let Err(other) = self.take_all(parts, &answers)
        {
            return other;
        }
        let told = |step: &Step, row: &Json| json!({"index": step.index, "operation": step.operation, "id": row["item"]["id"]});
        let pairs = plan.steps.iter().zip(&self.rows).filter(|(_, row)| row["success"] == true);
        let done: Vec<Json> = pairs.map(|(step, row)| told(step, row)).collect();
        // The running part may have been done, completely or in part. The parts after it were never sent.
        let running = parts.iter().find(|part| part.iter().all(|at| self.rows[*at].is_null()));
        let of = |at: &usize| plan.steps[*at].index;
        if detail["outcome"] == "unknown" {
            fault.retryable = false;
            detail["unknown"] = running.map(|part| part.iter().map(of).collect()).unwrap_or_default();
        }
        if !done.is_empty() {
            fault.retryable = false;
            fault.message = format!(
                "{}; {} of {} operations were done before",
                fault.message,
                done.len(),
                plan.steps.len()
            );
            let later = parts.iter().skip_while(|part| Some(*part) != running).skip(1);
            detail["done"] = json!(done);
            detail["notRun"] = later.flatten().map(of).collect();
        }
        fault.detail = Some(detail).filter(|detail| detail != &json!({}));
        fault
    }

    /// Reads the answers of the parts that have run.
    fn take_all(&mut self, parts: &[Vec<usize>], answers: &[Json]) -> Result<(), Fault> {
        parts.iter().zip(answers).try_for_each(|(part, answer)| self.take(part, answer))
    }

    fn take(&mut self, part: &[usize], answer: &Json) -> Result<(), Fault> {
        let rows = answer["rows"].as_array().filter(|rows| rows.len() == part.len());
        let Some(rows) = rows else {
            return Err(Fault::new("execution_failed", "the answer of OmniFocus has no form that is known")
                .suggest("query what was to be changed: it may have happened"));
        };
        let before = self.rows.iter().any(|row| row["success"] == true);
        for (at, row) in part.iter().zip(rows) {
            self.rows[*at] = row.clone();
        }
        let refused = answer["refused"].as_u64().and_then(|at| part.get(usize::try_from(at).ok()?).copied());
        if refused.is_some() && before {
            // Only this part has changed nothing; its other steps did not run.
            for at in part {
                let row = &mut self.rows[*at];
                row["skipped"] = json!(row["error"].is_null());
            }
        } else {
            self.refused = refused;
        }
        let mut back = answer["undo"]["steps"].as_array().cloned().unwrap_or_default();
        back.append(&mut self.back);
        self.back = back;
        let stays = answer["undo"]["left"].as_array().into_iter().flatten();
        self.stays.extend(stays.filter_map(|left| {
            let at = usize::try_from(left["at"].as_u64()?).ok()?;
            Some((*part.get(at)?, left["why"].as_str()?.to_owned()))
        }));
        if answer["rolledBack"].is_object() {
            self.rolled_back = Some(answer["rolledBack"].clone());
        }
        Ok(())
    }
}

/// Returns how long a value is as a literal of ASCII inside a script.
pub(super) fn weight(json: &Json) -> usize {
    let one = |letter: char| match letter {
        '"' | '\\' => 4,
        letter if letter.is_ascii() => 1,
        letter => 7 * letter.len_utf16(),
    };
    json.to_string().chars().map(one).sum()
}
