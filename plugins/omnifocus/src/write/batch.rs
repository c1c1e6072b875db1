//! Compiles many operations to one program: creates (parents first), then updates, completes and deletes.

use iac_plugin::{Fault, Json, Object};

use super::changes::Context;
use super::plan::{Form, Plan, Step};
use super::request::{self, REDIRECTS, Target};
use crate::Moment;

/// The maximum number of operations or ids in one call.
pub(super) const MOST: usize = 100;

const KEYS: &[&str] = &[
    "operation", "operations", "createSequentially", "returnMapping", "stopOnError", "atomicOperation",
    "dryRun", "minimalResponse",
];
const WORDS: [(&str, &str); 7] = [
    ("create", "create"),
    ("update", "update"),
    ("complete", "complete"),
    ("skip", "skip"),
    ("duplicate", "duplicate"),
    ("convert", "convert"),
    ("delete", "delete"),
];

/// Reads the operations of a batch.
pub(super) fn read(mutation: &Object<'_>, moment: &Moment) -> Result<Plan, Fault> {
    mutation.only(
        KEYS,
        &[
            ("atomic", "use `atomicOperation`"),
            ("items", "use `operations`"),
            ("target", "each operation has its own target"),
        ],
    )?;
    if mutation.flag("createSequentially")? == Some(false) {
        return Err(Fault::invalid("`mutation.createSequentially` is `false`, expected true")
            .suggest("leave it out: creates are made one after the other, parents first"));
    }
    let list = mutation.list("operations")?.filter(|list| (1..=MOST).contains(&list.len()));
    let list = list.ok_or_else(|| match mutation.get("operations").and_then(Json::as_array) {
        Some(list) => {
            Fault::invalid(format!("`mutation.operations` has {} items, expected 1 to {MOST}", list.len()))
                .suggest("send them in several calls")
        }
        None => mutation.wrong("operations", &format!("a list of 1 to {MOST} operations")),
    })?;
    let operations = written(mutation, list)?;
    let temps = temps(&operations)?;
    let context = Context { moment, temps: &temps };
    let steps: Result<Vec<Step>, Fault> = operations
        .iter()
        .enumerate()
        .map(|(at, (word, object))| request::step(object, word, at, &context))
        .collect();
    let steps = ordered(named(steps?, &temps))?;
    Ok(Plan {
        form: Form::Batch,
        steps,
        stop: mutation.flag("stopOnError")?.unwrap_or(true),
        atomic: mutation.flag("atomicOperation")?.unwrap_or(false),
        dry_run: mutation.flag("dryRun")?.unwrap_or(false),
        minimal: false,
        mapping: mutation.flag("returnMapping")?.unwrap_or(true),
        found: None,
    })
}

/// Pairs each operation with its word.
fn written<'a>(mutation: &Object<'_>, list: &'a [Json]) -> Result<Vec<(&'static str, Object<'a>)>, Fault> {
    let one = |(at, item): (usize, &'a Json)| {
        let object = Object::of(format!("{}[{at}]", mutation.at("operations")), item)?;
        match object.word("operation", &WORDS)? {
            Some(word) => Ok((word, object)),
            None => {
                object.only(&["operation", "target", "data", "id", "changes"], REDIRECTS)?;
                Err(Fault::expected(
                    &object.at("operation"),
                    &Json::Null,
                    "one of create, update, complete, skip, duplicate, convert, delete",
                ))
            }
        }
    };
    list.iter().enumerate().map(one).collect()
}

/// Finds the temporary ids of all creates, each once.
fn temps(operations: &[(&'static str, Object<'_>)]) -> Result<Vec<(String, Target)>, Fault> {
    let mut temps: Vec<(String, Target)> = Vec::new();
    for (_, object) in operations.iter().filter(|(word, _)| *word == "create") {
        let inner = object.object("data")?.map(|data| data.text("tempId")).transpose()?.flatten();
        let Some(temp) = inner.or(object.text("tempId")?) else { continue };
        if temps.iter().any(|(known, _)| known == temp) {
            return Err(Fault::invalid(format!(
                "`{}` has the tempId `{temp}` of another create",
                object.path()
            ))
            .suggest("give each create its own `tempId`"));
        }
        let target = object.word("target", &[("task", Target::Task), ("project", Target::Project)])?;
        temps.push((temp.to_owned(), target.unwrap_or(Target::Task)));
    }
    Ok(temps)
}

/// Gives every create a temporary id, so that the answer can map this id to the real one.
fn named(mut steps: Vec<Step>, temps: &[(String, Target)]) -> Vec<Step> {
    for step in steps.iter_mut().filter(|step| step.operation == "create" && step.temp.is_none()) {
        let mut name = format!("auto_{}", step.index + 1);
        while temps.iter().any(|(temp, _)| *temp == name) {
            name.push('_');
        }
        step.json["temp"] = Json::String(name.clone());
        step.temp = Some(name);
    }
    steps
}

/// Puts parents before their children, and sorts the operations by phase.
fn ordered(steps: Vec<Step>) -> Result<Vec<Step>, Fault> {
    let phase = |step: &Step| match step.operation {
        "create" => 0,
        "update" | "duplicate" | "convert" => 1,
        "complete" | "skip" => 2,
        _ => 3,
    };
    let (mut waiting, mut rest): (Vec<Step>, Vec<Step>) =
        steps.into_iter().partition(|step| phase(step) == 0);
    let mut done: Vec<Step> = Vec::new();
    while !waiting.is_empty() {
        let free = waiting.iter().position(|step| {
            parent(step).is_none_or(|parent| done.iter().any(|step| step.temp.as_deref() == Some(parent)))
        });
        let Some(free) = free else {
            let circle: Vec<&str> = waiting.iter().filter_map(|step| step.temp.as_deref()).collect();
            return Err(Fault::invalid(format!(
                "the tempIds {} are each other's parents",
                circle.join(", ")
            ))
            .suggest("one of them must have a parent that is there, or none"));
        };
        done.push(waiting.remove(free));
    }
    rest.sort_by_key(phase);
    done.append(&mut rest);
    Ok(done)
}

/// The temporary id of a create's container.
fn parent(step: &Step) -> Option<&str> {
    let place = &step.json["at"];
    place["task"]["temp"].as_str().or_else(|| place["project"]["temp"].as_str())
}
