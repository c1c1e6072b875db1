//! Undo: the write script returned the steps, and the host stored them and now sends them again.
//!
//! The plugin looks them up, asks about them and applies them like those of any mutation. If an item has changed since
//! the original change, nothing is undone.

use iac_plugin::{Fault, Json, Object, json};

use super::plan::{Form, Plan, Step};
use super::tags;
use crate::{Engine, Script};

const KEYS: &[&str] = &[
    "do", "kind", "id", "set", "when", "action", "name", "to", "under", "beside", "status", "exclusive",
    "once", "finished", "merged", "tasks", "children", "was",
];

/// Reads the steps.
pub(super) fn read(mutation: &Object<'_>) -> Result<Plan, Fault> {
    mutation.only(&["operation", "steps"], &[])?;
    let form = "a list of steps, as `undo` of an answer has them";
    let list = mutation.list("steps")?.filter(|list| !list.is_empty());
    let list = list.ok_or_else(|| mutation.wrong("steps", form))?;
    let steps = list.iter().enumerate().map(|(at, json)| step(mutation, at, json));
    Ok(Plan {
        form: Form::Undo,
        steps: steps.collect::<Result<_, _>>()?,
        stop: true,
        atomic: false,
        dry_run: false,
        minimal: true,
        mapping: false,
        found: None,
    })
}

/// Adds to the steps of an undo the present reports about their items, after a change in several runs: a run does not
/// know what the later ones do to its items.
///
/// # Errors
/// The errors of the engine; the steps are then as before.
pub(super) fn tell(steps: &mut [Json], engine: &mut dyn Engine) -> Result<(), Fault> {
    let mutation = json!({"operation": "restore", "steps": steps});
    let plan = read(&Object::of("mutation", &mutation)?)?;
    let answers = engine.run_all(Script::Look, &plan.programs(&plan.parts()?), &[], &[])?;
    let rows: Vec<&Json> =
        answers.iter().flat_map(|answer| answer["rows"].as_array().into_iter().flatten()).collect();
    if rows.len() == steps.len() {
        for (step, row) in
            steps.iter_mut().zip(rows).filter(|(_, row)| row["error"].is_null() && row["said"].is_object())
        {
            step["was"] = row["said"].clone();
        }
    }
    Ok(())
}

fn step(mutation: &Object<'_>, index: usize, json: &Json) -> Result<Step, Fault> {
    let object = Object::of(format!("{}[{index}]", mutation.at("steps")), json)?;
    object.only(KEYS, &[])?;
    let all = [("update", "update"), ("complete", "complete"), ("delete", "delete"), ("tag", "tag")];
    let missing = |key| object.wrong(key, "a step of `undo`");
    let word = object.word("do", &all)?.ok_or_else(|| missing("do"))?;
    let (operation, target, id) = if word == "tag" {
        let actions = tags::STEPS.map(|action| (action, action));
        let action = object.word("action", &actions)?.ok_or_else(|| missing("action"))?;
        (action, "tag", object.text("name")?.ok_or_else(|| missing("name"))?)
    } else {
        let kinds = [("task", "task"), ("project", "project"), ("folder", "folder")];
        let kind = object.word("kind", &kinds)?.ok_or_else(|| missing("kind"))?;
        let reference = object.object("id")?.ok_or_else(|| missing("id"))?;
        (word, kind, reference.text("id")?.ok_or_else(|| missing("id"))?)
    };
    if word == "update" && object.object("set")?.is_none() {
        return Err(missing("set"));
    }
    let mut json = json.clone();
    let was = json.as_object_mut().and_then(|step| step.remove("was")).unwrap_or_default();
    Ok(Step { id: Some(id.to_owned()), was, ..Step::new(index, operation, target, json) })
}
