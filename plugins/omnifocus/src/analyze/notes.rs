//! Turns meeting notes into tasks that can be created: from items that a model extracted, or from their text. It
//! creates nothing: it looks up existing items, and the answer contains a batch for `omnifocus_write`.

mod phrase;
mod text;

use iac_plugin::{Fault, Json, Object, json};

use super::scope::Usual;
use super::{Analysis, answer};
use crate::answer::{self as answers, Found};
use crate::dates;
use crate::program::{Kind, Predicate, Query};
use crate::{Engine, Moment};

/// One proposed task.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Item {
    pub(super) name: String,
    pub(super) project: Option<String>,
    pub(super) tags: Vec<String>,
    pub(super) due: Option<String>,
    pub(super) defer: Option<String>,
    pub(super) minutes: Option<i64>,
    pub(super) flagged: Option<bool>,
    pub(super) note: Option<String>,
    /// Values that the words suggest but do not state.
    pub(super) suggested: Suggested,
}

/// Values that the words of the text suggest.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Suggested {
    pub(super) minutes: Option<i64>,
    pub(super) tags: Vec<String>,
    /// How certain the reading is; `None` for items from a model.
    pub(super) confidence: Option<&'static str>,
}

const PARAMS: &[&str] =
    &["items", "text", "extractTasks", "defaultProject", "defaultTags", "validateAgainstExisting"];
const ITEM: &[&str] =
    &["name", "project", "tags", "dueDate", "deferDate", "estimatedMinutes", "flagged", "note"];

/// The maximum number of items of one call: as many as a batch may have.
const MOST: usize = 100;

pub(super) fn run(analysis: &Analysis<'_>, engine: &mut dyn Engine) -> Result<Json, Fault> {
    analysis.only(PARAMS)?;
    let moment = analysis.moment;
    let form = "exactly one of `items` and `text`";
    let missing = || Fault::invalid(format!("`analysis.params` has none or both, expected {form}"));
    let params = analysis.params.as_ref().ok_or_else(missing)?;
    if params.has("items") == params.has("text") {
        return Err(missing());
    }
    let (mut items, unparsed) = match params.text("text")? {
        Some(text) => text::read(text, moment),
        None => (read(params, moment)?, vec![]),
    };
    if items.len() > MOST {
        return Err(Fault::invalid(format!("there are {} items, expected at most {MOST}", items.len()))
            .suggest("give the notes in parts"));
    }
    let default_tags = params.texts("defaultTags")?.unwrap_or_default();
    for item in &mut items {
        if item.project.is_none() {
            item.project = params.text("defaultProject")?.map(str::to_owned);
        }
        let missing = default_tags.iter().filter(|tag| !item.tags.contains(tag)).cloned();
        let missing: Vec<String> = missing.collect();
        item.tags.extend(missing);
    }
    let scope = analysis.scope(Usual::Active)?;
    let validate = params.flag("validateAgainstExisting")?.unwrap_or(true);
    let (existing, warnings) = if validate && !items.is_empty() {
        let mut found = answers::run(engine, moment, queries(&items, &scope.tasks(Some("added"))))?;
        (Some(Existing::read(&mut found)), found.warnings)
    } else {
        (None, vec![])
    };
    let payload = params.flag("extractTasks")?.unwrap_or(true);
    let data = show(&items, existing.as_ref(), unparsed, payload);
    Ok(answer("parse_meeting_notes", data, &scope, moment, warnings))
}

/// Reads the items that a model extracted.
fn read(params: &Object<'_>, moment: &Moment) -> Result<Vec<Item>, Fault> {
    let form = "a list of objects such as {\"name\":\"Call Sarah\",\"dueDate\":\"2026-02-01\"}";
    let wrong = || params.wrong("items", form);
    let list =
        params.list("items").map_err(|_| wrong())?.filter(|list| !list.is_empty()).ok_or_else(wrong)?;
    let item = |(index, value): (usize, &Json)| {
        let object = Object::of(format!("{}[{index}]", params.at("items")), value)?;
        object.only(ITEM, &[("title", "use `name`"), ("estimate", "use `estimatedMinutes`")])?;
        let name =
            object.text("name")?.ok_or_else(|| Fault::expected(&object.at("name"), &Json::Null, "a name"))?;
        Ok(Item {
            name: name.trim().to_owned(),
            project: object.text("project")?.map(str::to_owned),
            tags: object.texts("tags")?.unwrap_or_default(),
            due: dates::local(&object, "dueDate", moment)?,
            defer: dates::local(&object, "deferDate", moment)?,
            minutes: object.whole("estimatedMinutes", 0, 1_000_000)?,
            flagged: object.flag("flagged")?,
            note: object.text("note")?.map(str::to_owned),
            suggested: Suggested::default(),
        })
    };
    list.iter().enumerate().map(item).collect()
}

fn queries(items: &[Item], tasks: &Predicate) -> Vec<Query> {
    let everything = Predicate::everything();
    let names = items.iter().map(|item| item.name.trim().to_lowercase()).collect();
    let same = tasks.clone().and(Predicate::Named(names));
    let live = Predicate::Among("status", vec!["active", "on_hold"]);
    vec![
        Query::new(Kind::Projects, &live).rows(&["id", "name"], &[], 0, 10_000),
        Query::new(Kind::Tags, &everything).rows(&["id", "name", "path"], &[], 0, 10_000),
        Query::new(Kind::Tasks, &same).rows(&["id", "name", "project", "projectId"], &[], 0, 1_000),
    ]
}

/// The existing items of OmniFocus.
struct Existing {
    projects: Vec<(Json, String)>,
    /// The ids, names and paths of all tags, in lower case.
    tags: Vec<String>,
    tasks: Vec<Vec<Json>>,
}

impl Existing {
    fn read(found: &mut answers::Answers) -> Self {
        let (mut projects, mut tags, mut tasks) = (found.take(), found.take(), found.take());
        let text = |value: &Json| value.as_str().unwrap_or_default().to_owned();
        let rows = |found: &mut Found| found.take_rows();
        Self {
            projects: rows(&mut projects).into_iter().map(|row| (row[0].clone(), text(&row[1]))).collect(),
            tags: rows(&mut tags).into_iter().flatten().map(|known| text(&known).to_lowercase()).collect(),
            tasks: rows(&mut tasks),
        }
    }

    /// Finds the project for a text, and how well it fits: the text is the id, the name in any case, or a part of the
    /// name.
    fn project(&self, wanted: &str) -> (Option<&(Json, String)>, &'static str) {
        let lower = wanted.to_lowercase();
        let exact = |(id, name): &&(Json, String)| id == wanted || name == wanted;
        let folded = |(_, name): &&(Json, String)| name.to_lowercase() == lower;
        let part = |(_, name): &&(Json, String)| {
            let name = name.to_lowercase();
            name.contains(&lower) || lower.contains(&name)
        };
        let fits = self.projects.iter().find(exact).or_else(|| self.projects.iter().find(folded));
        match fits {
            Some(project) => (Some(project), "exact"),
            None => {
                self.projects.iter().find(part).map_or((None, "none"), |project| (Some(project), "partial"))
            }
        }
    }

    /// Whether a write would use an existing tag for this name or path.
    fn has_tag(&self, wanted: &str) -> bool {
        let path: Vec<&str> = wanted.split(" : ").map(str::trim).collect();
        self.tags.contains(&path.join(" : ").to_lowercase())
    }

    /// Finds an active task of the same name in the same project.
    fn duplicate(&self, item: &Item, project: Option<&(Json, String)>) -> Option<&Vec<Json>> {
        let name = item.name.trim().to_lowercase();
        self.tasks.iter().find(|row| {
            let same = row[1].as_str().is_some_and(|other| other.trim().to_lowercase() == name);
            same && row[3] == project.map_or(Json::Null, |(id, _)| id.clone())
        })
    }
}

fn show(items: &[Item], existing: Option<&Existing>, unparsed: Vec<String>, payload: bool) -> Json {
    let mut shown = Vec::new();
    let mut operations = Vec::new();
    for item in items {
        let (row, ready) = one(item, existing);
        if ready {
            operations.push(operation(item, &row));
        }
        shown.push((row, ready));
    }
    let count = |test: &dyn Fn(&Json) -> bool| shown.iter().filter(|(row, _)| test(row)).count();
    let mut data = json!({
        "summary": {
            "items": items.len(),
            "readyToCreate": shown.iter().filter(|(_, ready)| *ready).count(),
            "duplicates": count(&|row| !row["duplicateOf"].is_null()),
            "partialProjects": count(&|row| row["project"]["match"] == "partial"),
            "unknownProjects": count(&|row| row["project"]["match"] == "none"),
            "unparsed": unparsed.len(),
        },
        "unparsed": unparsed,
    });
    data["items"] = shown.into_iter().map(|(row, _)| row).collect();
    if payload && !operations.is_empty() {
        data["batchPayload"] = json!({"mutation": {"operation": "batch", "operations": operations}});
    }
    data
}

fn one(item: &Item, existing: Option<&Existing>) -> (Json, bool) {
    let mut row = task(item);
    let (found, fit) = match (&item.project, existing) {
        (Some(_), None) => (None, "unchecked"),
        (Some(name), Some(existing)) => existing.project(name),
        (None, _) => (None, "inbox"),
    };
    if let Some(name) = &item.project {
        row["project"] = json!({
            "requested": name,
            "resolved": found.map(|(id, name)| json!({"id": id, "name": name})),
            "match": fit,
        });
    }
    let known = |tag: &&String| existing.is_none_or(|existing| existing.has_tag(tag));
    let (have, new): (Vec<&String>, Vec<&String>) = item.tags.iter().partition(known);
    row["tags"] = if existing.is_some() {
        json!({"existing": have, "new": new})
    } else {
        json!({"unchecked": item.tags})
    };
    let exact = found.filter(|_| fit == "exact");
    let duplicate = existing.and_then(|existing| existing.duplicate(item, exact));
    row["duplicateOf"] =
        duplicate.map_or(Json::Null, |row| json!({"id": row[0], "name": row[1], "project": row[2]}));
    let ready = duplicate.is_none() && matches!(fit, "exact" | "inbox" | "unchecked");
    row["readyToCreate"] = json!(ready);
    let suggested = &item.suggested;
    if let Some(confidence) = suggested.confidence {
        row["confidence"] = json!(confidence);
        row["suggested"] = json!({"estimatedMinutes": suggested.minutes, "tags": suggested.tags});
    }
    (row, ready)
}

/// The fields that a write accepts unchanged.
fn task(item: &Item) -> Json {
    let mut task = json!({"name": item.name});
    let parts = [
        ("dueDate", item.due.as_ref().map(|due| json!(due))),
        ("deferDate", item.defer.as_ref().map(|defer| json!(defer))),
        ("estimatedMinutes", item.minutes.map(|minutes| json!(minutes))),
        ("flagged", item.flagged.map(|flagged| json!(flagged))),
        ("note", item.note.as_ref().map(|note| json!(note))),
    ];
    for (key, value) in parts {
        if let Some(value) = value {
            task[key] = value;
        }
    }
    task
}

/// Makes the operation that creates an item whose project is certain.
fn operation(item: &Item, row: &Json) -> Json {
    let mut data = task(item);
    match row["project"]["match"].as_str() {
        Some("exact") => data["project"] = row["project"]["resolved"]["id"].clone(),
        Some("unchecked") => data["project"] = row["project"]["requested"].clone(),
        _ => {}
    }
    if !item.tags.is_empty() {
        data["tags"] = json!(item.tags);
    }
    json!({"operation": "create", "target": "task", "data": data})
}
