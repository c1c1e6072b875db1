//! The arguments of `omnifocus_write`.

use iac_plugin::serde_json::Map;
use iac_plugin::{Arguments, Fault, Json, Object, json};

use super::changes::{self, Context};
use super::plan::{Form, Plan, Step};
use super::{batch, found, restore, tags};
use crate::{Engine, Moment};

pub(super) const OPERATIONS: [&str; 11] = [
    "create", "update", "complete", "skip", "duplicate", "convert", "delete", "batch", "bulk_delete",
    "create_folder", "tag_manage",
];

/// Words of other tools, and what to write instead.
pub(super) const REDIRECTS: &[(&str, &str)] = &[
    ("estimate", "use `estimatedMinutes`"),
    ("context", "use `tags`"),
    ("contexts", "use `tags`"),
    ("priority", "use `flagged`"),
    ("due", "use `dueDate`"),
    ("defer", "use `deferDate`"),
    ("startDate", "use `deferDate`"),
    ("notes", "use `note`"),
    ("title", "use `name`"),
    ("subtasks", "use `batch`, with `parentTempId` in each subtask"),
    ("children", "use `batch`, with `parentTempId` in each child"),
    ("completed", "use the operation `complete`, or `status`"),
    ("ids", "one change of many items is a mutation of its own: update, complete or delete with `ids`"),
    (
        "filters",
        "one change of many items is a mutation of its own: update, complete or delete with `filters`",
    ),
    ("query", "use `filters`, as omnifocus_read has them"),
    ("where", "use `filters`, as omnifocus_read has them"),
];

/// The subject of a mutation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    Task,
    Project,
    Folder,
}

impl Target {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Task => "task",
            Self::Project => "project",
            Self::Folder => "folder",
        }
    }
}

/// Reads the arguments of a call.
///
/// # Errors
/// `invalid_parameter` if an argument is not understood.
pub(super) fn read(arguments: Arguments, moment: &Moment, engine: &mut dyn Engine) -> Result<Plan, Fault> {
    if arguments.object().has("data") && !arguments.object().has("operation") {
        return Err(Fault::invalid("`mutation` is missing")
            .suggest("write {\"mutation\":{\"operation\":\"create\",\"target\":\"task\",\"data\":{…}}}"));
    }
    let map = repaired(arguments.envelope("mutation", "operation")?);
    let mutation = Object::root("mutation", &map);
    if mutation.get("operation").and_then(Json::as_str) == Some("restore") {
        return restore::read(&mutation);
    }
    let words: Vec<(&str, &str)> = OPERATIONS.iter().map(|word| (*word, *word)).collect();
    let operation = mutation.word("operation", &words)?.ok_or_else(|| {
        Fault::invalid(format!("`mutation.operation` is missing, expected one of {}", OPERATIONS.join(", ")))
    })?;
    let context = Context { moment, temps: &[] };
    let mut plan = match operation {
        "batch" => batch::read(&mutation, moment)?,
        "update" | "complete" | "delete" | "bulk_delete" if found::is_meant(&map) => {
            of_found(&map, operation, &context, engine)?
        }
        "bulk_delete" => bulk(&mutation, ids(&mutation)?)?,
        "delete" if mutation.has("ids") => bulk(&mutation, ids(&mutation)?)?,
        "update" | "complete" if mutation.has("ids") => many(&map, operation, ids(&mutation)?, &context)?,
        "tag_manage" => Plan::single(tags::step(&mutation)?),
        "create_folder" => Plan::single(folder(&mutation)?),
        operation => Plan::single(step(&mutation, operation, 0, &context)?),
    };
    plan.minimal = mutation.flag("minimalResponse")?.unwrap_or(false);
    Ok(plan)
}

/// Moves up values that small models put one level too deep: the id, and `changes` in `data`. Their meaning is
/// certain.
fn repaired(mut mutation: Map<String, Json>) -> Map<String, Json> {
    let takes_id = matches!(
        mutation.get("operation").and_then(Json::as_str),
        Some("update" | "complete" | "skip" | "duplicate" | "convert" | "delete")
    );
    if !takes_id {
        return mutation;
    }
    let nested = mutation
        .get("data")
        .and_then(|data| data.get("changes"))
        .filter(|changes| changes.is_object())
        .cloned();
    for key in ["data", "changes"] {
        let Some(Json::Object(inner)) = mutation.get_mut(key) else { continue };
        let id = inner.get("id").filter(|id| id.is_string()).cloned();
        if let Some(id) = id {
            inner.remove("id");
            mutation.entry("id").or_insert(id);
        }
    }
    if let (Some(changes), false) = (nested, mutation.contains_key("changes")) {
        mutation.remove("data");
        mutation.insert("changes".to_owned(), changes);
    }
    if mutation.get("data").is_some_and(|data| data.as_object().is_some_and(Map::is_empty))
        && mutation.get("operation").is_some_and(|word| word != "update")
    {
        mutation.remove("data");
    }
    mutation
}

/// Reads one create, update, complete or delete, alone or in a batch.
pub(super) fn step(
    object: &Object<'_>,
    operation: &str,
    index: usize,
    context: &Context<'_>,
) -> Result<Step, Fault> {
    let keys: &[&str] = match operation {
        "create" => &["operation", "target", "data", "tempId", "parentTempId", "minimalResponse"],
        "update" => &["operation", "target", "id", "changes", "data", "minimalResponse"],
        "complete" => &["operation", "target", "id", "completionDate", "minimalResponse"],
        "skip" => &["operation", "target", "id", "minimalResponse"],
        "duplicate" => &[
            "operation", "target", "id", "project", "parentTaskId", "folder", "name", "includeSubtasks",
            "minimalResponse",
        ],
        "convert" => &["operation", "target", "id", "folder", "minimalResponse"],
        _ => &["operation", "target", "id", "target_id", "minimalResponse"],
    };
    object.only(keys, REDIRECTS)?;
    match operation {
        "create" => create(object, index, context),
        "update" => update(object, index, context),
        "complete" => complete(object, index, context),
        "skip" => skip(object, index, context),
        "duplicate" => duplicate(object, index, context),
        "convert" => convert(object, index, context),
        _ => delete(object, index, context),
    }
}

/// Reads the target; a create must name one.
fn target(object: &Object<'_>) -> Result<Option<Target>, Fault> {
    object.word("target", &[("task", Target::Task), ("project", Target::Project)])
}

/// Reads the target of a step that changes or deletes an existing item.
fn any_target(object: &Object<'_>) -> Result<Target, Fault> {
    let all = [("task", Target::Task), ("project", Target::Project), ("folder", Target::Folder)];
    Ok(object.word("target", &all)?.unwrap_or(Target::Task))
}

/// A skip needs an existing item that repeats.
fn skip(object: &Object<'_>, index: usize, context: &Context<'_>) -> Result<Step, Fault> {
    if target(object)? == Some(Target::Project) {
        return Err(Fault::invalid(format!("`{}` is `project`, expected task", object.at("target")))
            .suggest("OmniFocus skips occurrences of tasks; complete the project, or drop it"));
    }
    let (id, reference) = reference(object, &["id"], context)?;
    let json = json!({"do": "skip", "kind": "task", "id": reference});
    Ok(Step { id, ..Step::new(index, "skip", "task", json) })
}

fn create(object: &Object<'_>, index: usize, context: &Context<'_>) -> Result<Step, Fault> {
    let target = target(object)?.ok_or_else(|| {
        Fault::invalid(format!("`{}` is missing, expected task or project", object.at("target")))
    })?;
    let data = object.object("data")?.ok_or_else(|| {
        Fault::invalid(format!("`{}` is missing, expected an object with `name`", object.at("data")))
    })?;
    let made = changes::create(&data, object, target, context)?;
    let mut json =
        json!({"do": "create", "kind": target.word(), "name": made.name, "at": made.place, "set": made.set});
    if let Some(temp) = &made.temp {
        json["temp"] = json!(temp);
    }
    Ok(Step { temp: made.temp, ..Step::new(index, "create", target.word(), json) })
}

/// A copy goes directly after its original, unless a place is given.
fn duplicate(object: &Object<'_>, index: usize, context: &Context<'_>) -> Result<Step, Fault> {
    let target = target(object)?.unwrap_or(Target::Task);
    let foreign = if target == Target::Task { "folder" } else { "project" };
    if object.has(foreign) || (target == Target::Project && object.has("parentTaskId")) {
        return Err(Fault::invalid(format!(
            "`{}` is not a place of a {}",
            object.at(foreign),
            target.word()
        ))
        .suggest("a task goes to a `project` or `parentTaskId`, a project to a `folder`"));
    }
    let (id, reference) = reference(object, &["id"], context)?;
    let to = changes::place(object, target, context)?;
    let (name, alone) = (changes::name(object)?, object.flag("includeSubtasks")? == Some(false));
    let json = json!({"do": "duplicate", "kind": target.word(), "id": reference, "to": to, "name": name, "alone": alone});
    Ok(Step { id, ..Step::new(index, "duplicate", target.word(), json) })
}

/// A task becomes a project, and the tasks below it become the project's tasks.
fn convert(object: &Object<'_>, index: usize, context: &Context<'_>) -> Result<Step, Fault> {
    if target(object)? == Some(Target::Project) {
        return Err(object.wrong("target", "task, which becomes a project"));
    }
    let (id, reference) = reference(object, &["id"], context)?;
    let to = changes::place(object, Target::Project, context)?.unwrap_or_else(|| json!({}));
    let json = json!({"do": "convert", "kind": "task", "id": reference, "to": to});
    Ok(Step { id, ..Step::new(index, "convert", "task", json) })
}

fn update(object: &Object<'_>, index: usize, context: &Context<'_>) -> Result<Step, Fault> {
    let target = any_target(object)?;
    let (id, reference) = reference(object, &["id"], context)?;
    let key = if object.has("changes") { "changes" } else { "data" };
    let given = object.object(key)?.ok_or_else(|| {
        Fault::invalid(format!(
            "`{}` is missing, expected an object with what to change",
            object.at("changes")
        ))
    })?;
    let set = changes::update(&given, target, context)?;
    let json = json!({"do": "update", "kind": target.word(), "id": reference, "set": set});
    Ok(Step { id, ..Step::new(index, "update", target.word(), json) })
}

fn complete(object: &Object<'_>, index: usize, context: &Context<'_>) -> Result<Step, Fault> {
    let target = target(object)?.unwrap_or(Target::Task);
    let (id, reference) = reference(object, &["id"], context)?;
    let when = changes::date(object, "completionDate", changes::NOON, context.moment)?.flatten();
    let json = json!({"do": "complete", "kind": target.word(), "id": reference, "when": when});
    Ok(Step { id, ..Step::new(index, "complete", target.word(), json) })
}

fn delete(object: &Object<'_>, index: usize, context: &Context<'_>) -> Result<Step, Fault> {
    let target = any_target(object)?;
    let (id, reference) = reference(object, &["id", "target_id"], context)?;
    Ok(deletion(target, id, reference, index))
}

fn deletion(target: Target, id: Option<String>, reference: Json, index: usize) -> Step {
    let json = json!({"do": "delete", "kind": target.word(), "id": reference});
    Step { id, ..Step::new(index, "delete", target.word(), json) }
}

/// Reads the id of the item that a step changes: an id of OmniFocus, or a temporary id of the same batch.
fn reference(
    object: &Object<'_>,
    keys: &[&str],
    context: &Context<'_>,
) -> Result<(Option<String>, Json), Fault> {
    let key = keys.iter().find(|key| object.has(key)).unwrap_or(&keys[0]);
    let Some(id) = object.text(key)? else {
        return Err(Fault::invalid(format!(
            "`{}` is missing, expected the id of a task or project",
            object.at(key)
        ))
        .suggest("query for its id first"));
    };
    let made = context.temps.iter().any(|(temp, _)| temp == id);
    Ok(if made { (None, json!({ "temp": id })) } else { (Some(id.to_owned()), json!({ "id": id })) })
}

/// Reads one change of all items that fulfil some conditions.
fn of_found(
    map: &Map<String, Json>,
    operation: &str,
    context: &Context<'_>,
    engine: &mut dyn Engine,
) -> Result<Plan, Fault> {
    if let Some(key) = ["id", "ids"].into_iter().find(|key| map.contains_key(*key)) {
        return Err(Fault::invalid(format!("`mutation.{key}` and `mutation.filters` are both given"))
            .suggest("use one of them; `filters` may have `id` as one more condition"));
    }
    let mut rest = map.clone();
    found::KEYS.iter().for_each(|key| drop(rest.remove(*key)));
    let plan = |ids: Vec<String>| match operation {
        "update" | "complete" => many(&rest, operation, ids, context),
        _ => bulk(&Object::root("mutation", &rest), ids),
    };
    // Wrong changes are an error before anything is searched.
    plan(vec!["?".to_owned()])?;
    let target = any_target(&Object::root("mutation", &rest))?;
    let found = found::find(map, target, context.moment, engine)?;
    Ok(Plan { found: Some(found.description), ..plan(found.ids)? })
}

fn bulk(mutation: &Object<'_>, ids: Vec<String>) -> Result<Plan, Fault> {
    mutation.only(&["operation", "target", "ids", "dryRun", "minimalResponse"], REDIRECTS)?;
    let target = target(mutation)?.unwrap_or(Target::Task);
    let steps = ids.into_iter().enumerate();
    let steps = steps.map(|(at, id)| deletion(target, Some(id.clone()), json!({ "id": id }), at));
    Ok(Plan {
        form: Form::Bulk,
        steps: steps.collect(),
        stop: false,
        atomic: false,
        dry_run: mutation.flag("dryRun")?.unwrap_or(false),
        minimal: false,
        mapping: false,
        found: None,
    })
}

/// Reads one change of many items: the same step for each of them.
fn many(
    map: &Map<String, Json>,
    operation: &str,
    ids: Vec<String>,
    context: &Context<'_>,
) -> Result<Plan, Fault> {
    let mutation = Object::root("mutation", map);
    if mutation.has("id") {
        return Err(
            Fault::invalid("`mutation.id` and `mutation.ids` are both given").suggest("use one of them")
        );
    }
    let mut one = map.clone();
    for key in ["ids", "dryRun", "stopOnError"] {
        one.remove(key);
    }
    let mut steps = Vec::new();
    for (at, id) in ids.into_iter().enumerate() {
        one.insert("id".to_owned(), Json::String(id));
        steps.push(step(&Object::root("mutation", &one), operation, at, context)?);
    }
    Ok(Plan {
        form: Form::Bulk,
        steps,
        stop: mutation.flag("stopOnError")?.unwrap_or(true),
        atomic: false,
        dry_run: mutation.flag("dryRun")?.unwrap_or(false),
        minimal: false,
        mapping: false,
        found: None,
    })
}

/// Reads the ids of a change of many items.
fn ids(mutation: &Object<'_>) -> Result<Vec<String>, Fault> {
    let ids = mutation
        .texts("ids")?
        .filter(|ids| ids.len() <= batch::MOST)
        .ok_or_else(|| mutation.wrong("ids", &format!("a list of 1 to {} ids", batch::MOST)))?;
    match (1..ids.len()).find(|at| ids[..*at].contains(&ids[*at])) {
        Some(twice) => {
            Err(Fault::invalid(format!("`mutation.ids` has `{}` twice", ids[twice]))
                .suggest("name each id once"))
        }
        None => Ok(ids),
    }
}

fn folder(mutation: &Object<'_>) -> Result<Step, Fault> {
    mutation.only(&["operation", "target", "data", "minimalResponse"], REDIRECTS)?;
    let data = mutation
        .object("data")?
        .ok_or_else(|| Fault::invalid("`mutation.data` is missing, expected {name, parentFolder}"))?;
    data.only(
        &["name", "parentFolder"],
        &[("parent", "use `parentFolder`"), ("folder", "use `parentFolder`")],
    )?;
    let name = changes::name(&data)?.ok_or_else(|| changes::nameless(&data))?;
    let above = changes::folder(&data, "parentFolder")?.unwrap_or_else(|| json!({}));
    let json = json!({"do": "create", "kind": "folder", "name": name, "at": above, "set": {}});
    Ok(Step::new(0, "create_folder", "folder", json))
}
