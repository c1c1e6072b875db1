//! The values to write: the data of a create, the changes of an update.

use iac_plugin::{Fault, Json, Object, json};

use super::repetition;
use super::request::{REDIRECTS, Target};
use crate::Moment;
use crate::dates;

/// What the reader of the data needs to know.
pub(super) struct Context<'a> {
    pub(super) moment: &'a Moment,
    /// The temporary ids of the batch, each with the kind of item that it will be.
    pub(super) temps: &'a [(String, Target)],
}

/// The data of a new item.
pub(super) struct Made {
    pub(super) name: String,
    pub(super) temp: Option<String>,
    pub(super) place: Json,
    pub(super) set: Json,
}

/// The hours that a day without a time means: for due, deferred, reviewed and completed.
const DUE: i8 = 17;
const MORNING: i8 = 8;
const MIDNIGHT: i8 = 0;
pub(super) const NOON: i8 = 12;

const TASK_KEYS: &[&str] = &[
    "name", "note", "project", "projectId", "parentTaskId", "tags", "dueDate", "deferDate", "plannedDate",
    "flagged", "estimatedMinutes", "notifications", "repetitionRule", "sequential", "status",
];
const PROJECT_KEYS: &[&str] = &[
    "name", "note", "folder", "status", "tags", "dueDate", "deferDate", "plannedDate", "flagged",
    "estimatedMinutes", "notifications", "repetitionRule", "sequential", "singleActions", "reviewInterval",
];
const CREATE_KEYS: &[&str] = &["tempId", "parentTempId"];
const FOLDER_KEYS: &[&str] = &["name", "folder", "status"];
const UPDATE_KEYS: &[&str] = &[
    "appendNote",
    "afterTaskId",
    "beforeTaskId",
    "addTags",
    "removeTags",
    "addNotifications",
    "clearDueDate",
    "clearDeferDate",
    "clearPlannedDate",
    "clearEstimatedMinutes",
];
const REVIEW_KEYS: &[&str] = &["lastReviewDate", "nextReviewDate"];

/// Reads the data of a create; temporary ids may also stand beside the data.
pub(super) fn create(
    data: &Object<'_>,
    beside: &Object<'_>,
    target: Target,
    context: &Context<'_>,
) -> Result<Made, Fault> {
    only(data, target, &[CREATE_KEYS])?;
    let name = name(data)?.ok_or_else(|| nameless(data))?;
    let temp = either(data, beside, "tempId")?;
    let parent = either(data, beside, "parentTempId")?;
    let place = match target {
        Target::Task => {
            task_place(data, parent.as_deref(), context)?.unwrap_or_else(|| json!({"inbox": true}))
        }
        Target::Project | Target::Folder if parent.is_some() => {
            return Err(Fault::invalid(format!(
                "`{}` cannot be: a project stands in a folder",
                data.at("parentTempId")
            ))
            .suggest("use `folder`, or make a task"));
        }
        Target::Project | Target::Folder => folder(data, "folder")?.unwrap_or_else(|| json!({})),
    };
    let mut set = values(data, target, context)?;
    repetition::anchor(&mut set);
    // A new item has nothing to clear, and its name is separate.
    if let Json::Object(map) = &mut set {
        map.remove("name");
        map.retain(|_, value| !value.is_null());
    }
    Ok(Made { name, temp, place, set })
}

/// Reads the changes of an update.
pub(super) fn update(given: &Object<'_>, target: Target, context: &Context<'_>) -> Result<Json, Fault> {
    let more: &[&[&str]] = match target {
        Target::Task => &[UPDATE_KEYS],
        Target::Project => &[UPDATE_KEYS, REVIEW_KEYS],
        Target::Folder => &[],
    };
    only(given, target, more)?;
    let mut set = values(given, target, context)?;
    let place = place(given, target, context)?;
    if let Some(place) = place {
        set["move"] = place;
    }
    if set.as_object().is_some_and(|set| set.is_empty()) {
        return Err(Fault::invalid(format!("`{}` changes nothing", given.path()))
            .suggest("name at least one field, such as {\"flagged\":true}"));
    }
    Ok(set)
}

/// Reads the destination of an existing item; `None` if no place is given.
pub(super) fn place(
    object: &Object<'_>,
    target: Target,
    context: &Context<'_>,
) -> Result<Option<Json>, Fault> {
    let beside: Vec<&str> =
        ["afterTaskId", "beforeTaskId"].into_iter().filter(|key| object.has(key)).collect();
    if target != Target::Task {
        return match beside.first() {
            Some(key) => Err(Fault::invalid(format!("`{}` is a place of tasks", object.at(key)))
                .suggest("a project stands in a `folder`")),
            None => folder(object, "folder"),
        };
    }
    let Some(key) = beside.first() else { return task_place(object, None, context) };
    let others = ["beforeTaskId", "parentTaskId", "project", "projectId"];
    if let Some(other) = others.iter().find(|other| *other != key && object.has(other)) {
        let (one, other) = (object.at(key), object.at(other));
        return Err(Fault::invalid(format!("`{one}` and `{other}` are both places"))
            .suggest("a task beside another one is where that one is: leave one of them out"));
    }
    let id = object.text(key)?.ok_or_else(|| object.wrong(key, "the id of a task"))?;
    let side = if *key == "afterTaskId" { "after" } else { "before" };
    Ok(Some(json!({ side: {"id": id} })))
}

fn only(object: &Object<'_>, target: Target, more: &[&[&str]]) -> Result<(), Fault> {
    let (own, foreign) = match target {
        Target::Task => (
            TASK_KEYS,
            [
                ("folder", "a task stands in a project: use `project`"),
                ("reviewInterval", "it belongs to projects"),
            ],
        ),
        Target::Project | Target::Folder => (
            PROJECT_KEYS,
            [
                ("project", "a project stands in a folder: use `folder`"),
                ("parentTaskId", "it belongs to tasks"),
            ],
        ),
    };
    if target == Target::Folder {
        return object.only(FOLDER_KEYS, &[("parentFolder", "use `folder`"), ("parent", "use `folder`")]);
    }
    let known: Vec<&str> = own.iter().chain(more.iter().copied().flatten()).copied().collect();
    let redirects: Vec<(&str, &str)> = foreign.iter().chain(REDIRECTS).copied().collect();
    object.only(&known, &redirects)
}

/// Makes the fault of an item without a name.
pub(super) fn nameless(object: &Object<'_>) -> Fault {
    Fault::invalid(format!("`{}` is missing, expected a name that is not empty", object.at("name")))
}

fn either(data: &Object<'_>, beside: &Object<'_>, key: &str) -> Result<Option<String>, Fault> {
    let (inner, outer) = (data.text(key)?, beside.text(key)?);
    if inner.is_some() && outer.is_some() && inner != outer {
        return Err(Fault::invalid(format!("`{}` and `{}` differ", data.at(key), beside.at(key)))
            .suggest("write it in `data` only"));
    }
    Ok(inner.or(outer).map(str::to_owned))
}

/// Reads a name; it must not be empty.
pub(super) fn name(object: &Object<'_>) -> Result<Option<String>, Fault> {
    match object.get("name") {
        Some(Json::Null) => Err(object.wrong("name", "a name that is not empty")),
        _ => Ok(object.text("name")?.map(str::to_owned)),
    }
}

/// Reads every value except the place: the values that the script sets.
fn values(object: &Object<'_>, target: Target, context: &Context<'_>) -> Result<Json, Fault> {
    let mut set = json!({});
    let mut put = |key: &str, value: Option<Json>| {
        if let Some(value) = value {
            set[key] = value;
        }
    };
    put("name", name(object)?.map(Json::from));
    put("note", note(object)?);
    if let Some(text) = object.text("appendNote")? {
        if object.has("note") {
            let (one, other) = (object.at("note"), object.at("appendNote"));
            return Err(Fault::invalid(format!("`{one}` and `{other}` are both given"))
                .suggest("`note` replaces all of it: leave one of them out"));
        }
        put("append", Some(json!(text)));
    }
    for (key, word) in [("flagged", "flagged"), ("sequential", "sequential"), ("singleActions", "single")] {
        put(word, object.flag(key)?.map(Json::from));
    }
    let dates = [
        ("dueDate", "clearDueDate", "due", DUE),
        ("deferDate", "clearDeferDate", "defer", MORNING),
        ("plannedDate", "clearPlannedDate", "planned", MORNING),
        ("lastReviewDate", "", "reviewed", MIDNIGHT),
        ("nextReviewDate", "", "nextReview", MIDNIGHT),
    ];
    for (key, clear, word, hour) in dates {
        let found = cleared(object, clear)?.then_some(None).or(date(object, key, hour, context.moment)?);
        if found == Some(None) && clear.is_empty() {
            return Err(object.wrong(key, "a date; OmniFocus has no project without a review"));
        }
        put(word, found.map(Json::from));
    }
    put("estimate", minutes(object)?);
    put("tags", tags(object)?);
    put("alerts", notifications(object, context.moment)?);
    put("rule", repetition::read(object, context.moment)?);
    put("status", status(object, target)?.map(Json::from));
    put("review", review(object)?);
    Ok(set)
}

fn note(object: &Object<'_>) -> Result<Option<Json>, Fault> {
    match object.get("note") {
        None => Ok(None),
        Some(Json::Null) => Ok(Some(json!(""))),
        Some(Json::String(note)) => Ok(Some(json!(note))),
        Some(_) => Err(object.wrong("note", "a text; null or \"\" empties it")),
    }
}

fn cleared(object: &Object<'_>, key: &str) -> Result<bool, Fault> {
    Ok(!key.is_empty() && object.flag(key)?.unwrap_or(false))
}

/// Reads a date; null clears it. A day means the given hour of that day.
pub(super) fn date(
    object: &Object<'_>,
    key: &str,
    hour: i8,
    moment: &Moment,
) -> Result<Option<Option<i64>>, Fault> {
    let value = match object.get(key) {
        None => return Ok(None),
        Some(Json::Null) => return Ok(Some(None)),
        Some(Json::String(text)) if text.trim().is_empty() => {
            return Err(object.wrong(key, "a date").suggest("use null to clear it"));
        }
        Some(value) => value,
    };
    dates::at_hour(&object.at(key), value, hour, moment).map(|at| Some(Some(at)))
}

fn minutes(object: &Object<'_>) -> Result<Option<Json>, Fault> {
    if object.get("estimatedMinutes").and_then(Json::as_str).is_some_and(|text| text.trim().is_empty()) {
        return Err(object.wrong("estimatedMinutes", "whole minutes").suggest("use null to clear it"));
    }
    if object.get("estimatedMinutes") == Some(&Json::Null) || cleared(object, "clearEstimatedMinutes")? {
        return Ok(Some(Json::Null));
    }
    Ok(object.whole("estimatedMinutes", 0, 525_600)?.map(Json::from))
}

fn tags(object: &Object<'_>) -> Result<Option<Json>, Fault> {
    let mut json = json!({});
    let mut split: Vec<&str> = Vec::new();
    for (key, word) in [("tags", "replace"), ("addTags", "add"), ("removeTags", "remove")] {
        let names = match object.get(key) {
            None => continue,
            // Null removes all tags, and so does an empty list.
            Some(Json::Null) if key == "tags" => Vec::new(),
            Some(Json::Array(items)) if items.is_empty() && key == "tags" => Vec::new(),
            Some(_) => object.texts(key)?.unwrap_or_default(),
        };
        // `A : : B` has an empty part too: its marks share a space.
        let is_blank = |part: &str| matches!(part.trim(), "" | ":") || part.trim().starts_with(": ");
        if let Some(blank) = names.iter().find(|name| name.split(" : ").any(is_blank)) {
            return Err(Fault::expected(
                &object.at(key),
                &json!(blank),
                "names of tags; \"Parent : Child\" is a path",
            ));
        }
        let mut distinct: Vec<String> = Vec::new();
        for name in names {
            let name = name.trim().to_owned();
            if !distinct.contains(&name) {
                distinct.push(name);
            }
        }
        json[word] = json!(distinct);
        // One text may be meant as a list. Only OmniFocus knows which tags there are.
        if object.get(key).and_then(Json::as_str).is_some_and(|text| text.contains(',')) {
            split.push(word);
        }
    }
    if !split.is_empty() {
        json["split"] = json!(split);
    }
    Ok(json.as_object().is_some_and(|map| !map.is_empty()).then_some(json))
}

/// Reads notifications: all of them, or some that are added to the existing ones. Each is a date, or minutes from the
/// due date.
fn notifications(object: &Object<'_>, moment: &Moment) -> Result<Option<Json>, Fault> {
    let mut json = json!({});
    for (key, word) in [("notifications", "replace"), ("addNotifications", "add")] {
        let all = match object.get(key) {
            None => continue,
            Some(Json::Null) => &[][..],
            Some(_) => object.list(key)?.unwrap_or_default(),
        };
        let one = |(at, value): (usize, &Json)| match value.as_i64() {
            Some(minutes) => Ok(json!({ "minutes": minutes })),
            None => {
                let path = format!("{}[{at}]", object.at(key));
                dates::at_hour(&path, value, MORNING, moment).map(|at| json!({ "at": at })).map_err(|_| {
                    let form = "a date, or whole minutes from the due date such as -60 for an hour before";
                    Fault::expected(&path, value, form)
                })
            }
        };
        json[word] = all.iter().enumerate().map(one).collect::<Result<_, _>>()?;
    }
    Ok(json.as_object().is_some_and(|map| !map.is_empty()).then_some(json))
}

fn status(object: &Object<'_>, target: Target) -> Result<Option<&'static str>, Fault> {
    let all = [
        ("active", "active"),
        ("completed", "completed"),
        ("done", "completed"),
        ("dropped", "dropped"),
        ("on_hold", "on_hold"),
        ("onHold", "on_hold"),
    ];
    let status = object.word("status", &all)?;
    if target == Target::Folder && !matches!(status, None | Some("active" | "dropped")) {
        return Err(object.wrong("status", "active or dropped, which a folder can be"));
    }
    if target == Target::Task && status == Some("on_hold") {
        return Err(Fault::invalid(format!(
            "`{}` is `on_hold`, which only projects can be",
            object.at("status")
        ))
        .suggest("put its project on hold, defer the task, or give it a tag that is on hold"));
    }
    Ok(status)
}

/// Reads how often a project is reviewed: a number of days, or steps of a unit.
fn review(object: &Object<'_>) -> Result<Option<Json>, Fault> {
    const FORM: &str = "a number of days, or {\"steps\":2,\"unit\":\"week\"} with day, week, month or year";
    let Some(given) = object.get("reviewInterval") else { return Ok(None) };
    if given.is_object() {
        let interval = Object::of(object.at("reviewInterval"), given)?;
        interval.only(&["steps", "unit"], &[("days", "write {\"steps\":3,\"unit\":\"day\"}")])?;
        let words = [
            ("day", "days"),
            ("days", "days"),
            ("week", "weeks"),
            ("weeks", "weeks"),
            ("month", "months"),
            ("months", "months"),
            ("year", "years"),
            ("years", "years"),
        ];
        let unit = interval
            .word("unit", &words)?
            .ok_or_else(|| interval.wrong("unit", "day, week, month or year"))?;
        let steps =
            interval.whole("steps", 1, 1000)?.ok_or_else(|| interval.wrong("steps", "a whole number"))?;
        return Ok(Some(json!({"steps": steps, "unit": unit})));
    }
    let days = object
        .whole("reviewInterval", 1, 36_500)
        .ok()
        .flatten()
        .ok_or_else(|| object.wrong("reviewInterval", FORM))?;
    let units = [(365, "years"), (30, "months"), (7, "weeks"), (1, "days")];
    let (size, unit) =
        units.into_iter().find(|(size, _)| days % size == 0).expect("every number is divisible by 1");
    Ok(Some(json!({"steps": days / size, "unit": unit})))
}

/// Reads where a task goes; a parent takes precedence over a project.
fn task_place(
    object: &Object<'_>,
    parent_temp: Option<&str>,
    context: &Context<'_>,
) -> Result<Option<Json>, Fault> {
    if let Some(temp) = parent_temp {
        return temp_place(object, temp, context).map(Some);
    }
    match object.get("parentTaskId") {
        None => (),
        Some(value) if value.is_null() || value == "" => {
            let top = project(object, context)?;
            return Ok(Some(top.unwrap_or_else(|| json!({"top": true}))));
        }
        Some(_) => {
            let id = object.text("parentTaskId")?.unwrap_or_default();
            return Ok(Some(match context.temps.iter().any(|(temp, _)| temp == id) {
                true => temp_place(object, id, context)?,
                false => json!({"task": {"id": id}}),
            }));
        }
    }
    project(object, context)
}

fn temp_place(object: &Object<'_>, temp: &str, context: &Context<'_>) -> Result<Json, Fault> {
    match context.temps.iter().find(|(known, _)| known == temp) {
        Some((_, Target::Task)) => Ok(json!({"task": {"temp": temp}})),
        Some(_) => Ok(json!({"project": {"temp": temp}})),
        None => Err(Fault::invalid(format!(
            "`{}` is `{temp}`, which no create of this batch has as its tempId",
            object.at("parentTempId")
        ))
        .suggest(
            "give the parent that `tempId`, or use `parentTaskId` or `project` for what is there already",
        )),
    }
}

fn project(object: &Object<'_>, context: &Context<'_>) -> Result<Option<Json>, Fault> {
    let key = if object.has("projectId") { "projectId" } else { "project" };
    match object.get(key) {
        None => Ok(None),
        Some(Json::Null) => Ok(Some(json!({"inbox": true}))),
        Some(Json::String(name)) if name.trim().is_empty() || name == "null" => {
            Ok(Some(json!({"inbox": true})))
        }
        Some(Json::String(name)) => match context.temps.iter().find(|(temp, _)| temp == name) {
            Some((_, Target::Project)) => Ok(Some(json!({"project": {"temp": name}}))),
            _ => Ok(Some(json!({ "project": name }))),
        },
        Some(_) => Err(object.wrong(key, "the name or id of a project; null for the inbox")),
    }
}

/// Reads a folder: a path, a name or an id; null is the top level.
pub(super) fn folder(object: &Object<'_>, key: &str) -> Result<Option<Json>, Fault> {
    match object.get(key) {
        None => Ok(None),
        Some(Json::Null) => Ok(Some(json!({}))),
        Some(Json::String(path)) if path.trim().is_empty() || path == "null" => Ok(Some(json!({}))),
        Some(Json::String(path)) => Ok(Some(json!({"folder": path.trim()}))),
        Some(_) => Err(object.wrong(key, "the path, name or id of a folder; null for the top")),
    }
}
