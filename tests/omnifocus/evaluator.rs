//! An independent implementation of the filters: it goes through the caller's filter and all tasks, as a plain script
//! lists them.

use iac_plugin::Json;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, ToSpan as _};

use crate::world::{NOW, World};

/// Lists all tasks except the roots of projects, with everything that a filter may ask about.
pub(crate) const LIST: &str = r#"
    const ms = (date) => (date ? date.getTime() : null);
    const folders = (project) => {
        const names = [];
        for (let at = project ? project.parentFolder : null; at; at = at.parent) names.unshift(at.name);
        return names;
    };
    // A task can be done if no level above it holds it back; the levels are gone through from the top.
    const left = (task) => !['Completed', 'Dropped'].some((done) => String(task.taskStatus).includes(done));
    const paused = new Set(flattenedTags.filter((tag) => tag.status === Tag.Status.OnHold).flatMap((tag) => [tag, ...tag.flattenedTags]));
    const free = new Set();
    const walk = (tasks, inOrder, open) => tasks.forEach((task, at) => {
        const goes = open && !(inOrder && tasks.slice(0, at).some(left));
        const ready = goes && !task.tags.some((tag) => paused.has(tag)) && !task.children.some(left);
        if (ready && !(task.effectiveDeferDate > new Date())) free.add(task);
        walk(task.children, task.sequential, goes);
    });
    walk(inbox, false, true);
    for (const each of flattenedProjects)
        walk(each.tasks, each.sequential && !each.containsSingletonActions, each.status !== Project.Status.OnHold);
    JSON.stringify(flattenedTasks.filter((task) => !task.project).map((task) => ({
        id: task.id.primaryKey, name: task.name.normalize(), note: task.note.normalize(), flagged: task.flagged, inInbox: task.inInbox,
        status: String(task.taskStatus).replace(/^.*: |\]$/g, ''), done: task.completed, gone: task.dropDate !== null,
        available: left(task) && free.has(task), blocked: left(task) && !free.has(task),
        tags: task.tags.map((tag) => tag.name), minutes: task.estimatedMinutes ?? null, sequential: task.sequential,
        project: task.containingProject ? task.containingProject.name : null,
        projectId: task.containingProject ? task.containingProject.id.primaryKey : null,
        folders: folders(task.containingProject),
        dueDate: ms(task.dueDate), deferDate: ms(task.deferDate), plannedDate: ms(task.plannedDate),
        effectiveDueDate: ms(task.effectiveDueDate), effectiveDeferDate: ms(task.effectiveDeferDate),
        effectivePlannedDate: ms(task.effectivePlannedDate), effectiveFlagged: task.effectiveFlagged,
        completionDate: ms(task.completionDate), added: ms(task.added), modified: ms(task.modified),
    })))"#;

pub(crate) fn list(world: &World) -> Vec<Json> {
    serde_json::from_str(&world.evaluate(LIST).unwrap()).unwrap()
}

/// Returns the ids of what a filter matches, in the order of the database.
pub(crate) fn matching<'a>(filter: &Json, tasks: &'a [Json]) -> Vec<&'a Json> {
    tasks.iter().filter(|task| with_default(filter, task)).collect()
}

fn state(task: &Json) -> &'static str {
    match task["status"].as_str().unwrap() {
        _ if task["done"] == true => "completed",
        _ if task["gone"] == true => "dropped",
        "Dropped" => "dropped",
        "Completed" => "completed",
        _ => "active",
    }
}

/// The objects whose keys must all hold: this one, and those in its `AND`.
fn together(filter: &Json) -> Vec<&Json> {
    let below = filter["AND"].as_array().into_iter().flatten().flat_map(together);
    std::iter::once(filter).chain(below).collect()
}

fn asks_for_state(filter: &Json) -> bool {
    together(filter).iter().any(|object| {
        ["status", "completed", "completionDate", "dropDate"].iter().any(|key| object.get(key).is_some())
            || object.get("NOT").is_some_and(asks_anywhere)
    })
}

fn asks_anywhere(filter: &Json) -> bool {
    asks_for_state(filter)
        || together(filter)
            .iter()
            .flat_map(|object| object["OR"].as_array().into_iter().flatten())
            .any(asks_anywhere)
}

/// Completed items count only if a filter asks for them, at its top level or in one item of an `OR`.
fn with_default(filter: &Json, task: &Json) -> bool {
    if asks_for_state(filter) {
        return holds(filter, task);
    }
    let asking = |choice: &&Json| choice.as_array().unwrap().iter().any(asks_anywhere);
    let choices = together(filter).into_iter().filter_map(|object| object.get("OR"));
    match choices.into_iter().find(asking) {
        None => holds(filter, task) && state(task) == "active",
        Some(choice) => {
            let mut branches = choice.as_array().unwrap().iter();
            holds(filter, task) && branches.any(|branch| with_default(branch, task))
        }
    }
}

/// Whether a filter holds. A missing value fulfils no condition on a date or a number.
fn holds(filter: &Json, task: &Json) -> bool {
    filter.as_object().unwrap().iter().all(|(key, value)| condition(key, value, task))
}

fn condition(key: &str, value: &Json, task: &Json) -> bool {
    match key {
        "AND" => value.as_array().unwrap().iter().all(|item| holds(item, task)),
        "OR" => value.as_array().unwrap().iter().any(|item| holds(item, task)),
        "NOT" => !holds(value, task),
        "status" => state(task) == value.as_str().unwrap(),
        "completed" => value == (state(task) == "completed") && (value == true || state(task) == "active"),
        "flagged" | "effectiveFlagged" | "inInbox" | "sequential" => task[key] == *value,
        "hasNote" => (task["note"] != "") == *value,
        "available" | "blocked" => task[key] == *value,
        "tags" => tags(value, task),
        "project" if value.is_null() => task["inInbox"] == true,
        "project" | "projectId" => task[key] == *value,
        "folder" => folder(value, task),
        "name" => text(value, &[&task["name"]]),
        "text" => text(value, &[&task["name"], &task["note"]]),
        "estimatedMinutes" => minutes(value, &task["minutes"]),
        date => span(value, &task[date]),
    }
}

fn tags(value: &Json, task: &Json) -> bool {
    let held = task["tags"].as_array().unwrap();
    let names = |key: &str| value[key].as_array().cloned();
    names("any").is_none_or(|names| names.iter().any(|name| held.contains(name)))
        && names("all").is_none_or(|names| names.iter().all(|name| held.contains(name)))
        && names("none").is_none_or(|names| !names.iter().any(|name| held.contains(name)))
}

/// The segments must be names of folders above the task, one below the other, in any case.
fn folder(value: &Json, task: &Json) -> bool {
    let above: Vec<String> = task["folders"]
        .as_array()
        .unwrap()
        .iter()
        .map(|name| name.as_str().unwrap().to_lowercase())
        .collect();
    let Some(path) = value.as_str() else { return task["project"].is_string() && above.is_empty() };
    let segments: Vec<String> = path.split('/').map(str::to_lowercase).collect();
    above.windows(segments.len()).any(|window| window == segments)
}

/// The patterns of the tests are plain words, so a substring search is enough.
fn text(value: &Json, texts: &[&Json]) -> bool {
    let wanted = value["contains"].as_str().or(value["matches"].as_str()).unwrap().to_lowercase();
    texts.iter().any(|text| text.as_str().unwrap().to_lowercase().contains(&wanted))
}

fn minutes(value: &Json, held: &Json) -> bool {
    if let Some(there) = value["exists"].as_bool() {
        return held.is_null() != there;
    }
    let Some(held) = held.as_f64() else { return false };
    let number = |key: &str| value[key].as_f64();
    number("equals").is_none_or(|number| held == number)
        && number("lessThan").is_none_or(|number| held < number)
        && number("greaterThan").is_none_or(|number| held > number)
        && value["between"]
            .as_array()
            .is_none_or(|ends| held >= ends[0].as_f64().unwrap() && held <= ends[1].as_f64().unwrap())
}

fn span(value: &Json, held: &Json) -> bool {
    if let Some(there) = value["exists"].as_bool() {
        return held.is_null() != there;
    }
    let Some(held) = held.as_i64() else { return false };
    let between = value["between"].as_array();
    let since = value["onOrAfter"].as_str().or(between.map(|ends| ends[0].as_str().unwrap()));
    let until = value["onOrBefore"].as_str().or(between.map(|ends| ends[1].as_str().unwrap()));
    since.is_none_or(|date| held >= instant(date, false))
        && until.is_none_or(|date| held <= instant(date, true))
        && value["after"].as_str().is_none_or(|date| held > instant(date, true))
        && value["before"].as_str().is_none_or(|date| held < instant(date, false))
}

/// The dates of the tests: a day, a local time, `today±Nd`, `now±Nd` or `now±Nh`.
fn instant(date: &str, end: bool) -> i64 {
    let zone = TimeZone::get("Europe/Vienna").unwrap();
    let now = Timestamp::from_millisecond(NOW).unwrap().to_zoned(zone.clone());
    let offset = |rest: &str| -> Span {
        if rest.is_empty() {
            return Span::new();
        }
        let (count, unit) = rest.split_at(rest.len() - 1);
        let count: i64 = count.parse().unwrap();
        if unit == "h" { count.hours() } else { count.days() }
    };
    if let Some(rest) = date.strip_prefix("now") {
        return (&now + offset(rest)).timestamp().as_millisecond();
    }
    if date.len() > 10 && !date.starts_with("today") {
        let local: jiff::civil::DateTime = date.replace(' ', "T").parse().unwrap();
        return local.to_zoned(zone).unwrap().timestamp().as_millisecond();
    }
    let day: Date = match date.strip_prefix("today") {
        Some(rest) => now.date() + offset(rest),
        None => date.parse().unwrap(),
    };
    let start = |day: Date| day.to_zoned(zone.clone()).unwrap().timestamp().as_millisecond();
    if end { start(day.tomorrow().unwrap()) - 1 } else { start(day) }
}
