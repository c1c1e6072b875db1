//! The fields of each kind: which there are, which are returned without being asked for, and which are dates.

use iac_plugin::{Fault, Json, Object, nearest};

use crate::Moment;
use crate::program::Kind;

const TASKS: &[&str] = &[
    "id",
    "name",
    "completed",
    "flagged",
    "blocked",
    "available",
    "hasNote",
    "estimatedMinutes",
    "dueDate",
    "deferDate",
    "plannedDate",
    "completionDate",
    "added",
    "modified",
    "dropDate",
    "note",
    "projectId",
    "project",
    "tags",
    "repetitionRule",
    "parentTaskId",
    "parentTaskName",
    "inInbox",
    "isProjectRoot",
    "sequential",
    "status",
    "effectiveDueDate",
    "effectiveDeferDate",
    "effectivePlannedDate",
    "effectiveFlagged",
    "isRepeating",
    "nextOccurrence",
    "childCount",
    "depth",
    "link",
    "notifications",
    "attachments",
    "linkedFiles",
];

const PROJECTS: &[&str] = &[
    "id",
    "name",
    "status",
    "flagged",
    "note",
    "dueDate",
    "deferDate",
    "completionDate",
    "folder",
    "folderPath",
    "folderId",
    "sequential",
    "lastReviewDate",
    "nextReviewDate",
    "reviewInterval",
    "defaultSingletonActionHolder",
    "tags",
    "plannedDate",
    "hasNote",
    "added",
    "modified",
    "estimatedMinutes",
    "repetitionRule",
    "singleActions",
    "taskCounts",
    "nextTask",
    "isRepeating",
    "nextOccurrence",
    "stalled",
    "link",
    "notifications",
    "attachments",
    "linkedFiles",
];

/// What costs a look at all tasks of a project, or at what hangs on an item: returned only where it is asked for by name.
const COSTLY: &[&str] =
    &["taskCounts", "nextTask", "nextOccurrence", "stalled", "notifications", "attachments", "linkedFiles"];

const TAGS: &[&str] = &[
    "id",
    "name",
    "parentId",
    "status",
    "path",
    "depth",
    "available",
    "remaining",
    "total",
    "allowsNextAction",
    "childrenAreMutuallyExclusive",
];

const FOLDERS: &[&str] =
    &["id", "name", "status", "depth", "path", "parentId", "childCount", "projectCount", "children"];

const PERSPECTIVES: &[&str] =
    &["name", "type", "isBuiltIn", "identifier", "filterRuleCount", "filterAggregation", "filterRules"];

/// Returns every field of a kind.
pub(crate) fn all(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::Tasks => TASKS,
        Kind::Projects => PROJECTS,
        Kind::Tags => TAGS,
        Kind::Folders => FOLDERS,
        Kind::Perspectives => PERSPECTIVES,
    }
}

/// Returns the fields that an answer has unless others are asked for.
pub(crate) fn defaults(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::Tasks => &[
            "id",
            "name",
            "flagged",
            "completed",
            "dueDate",
            "deferDate",
            "tags",
            "project",
            "available",
            "hasNote",
        ],
        Kind::Projects => &["id", "name", "status", "flagged", "dueDate", "deferDate", "folder"],
        Kind::Tags => &TAGS[..4],
        Kind::Folders => FOLDERS,
        Kind::Perspectives => &PERSPECTIVES[..6],
    }
}

/// Returns what `details` returns: everything but what is costly.
pub(crate) fn details(kind: Kind) -> Vec<&'static str> {
    all(kind).iter().copied().filter(|field| !COSTLY.contains(field)).collect()
}

/// Returns the field with a name.
pub(crate) fn find(name: &str, kind: Kind) -> Option<&'static str> {
    all(kind).iter().copied().find(|field| *field == name)
}

/// Reads the name of a field; one of another kind is told where it belongs.
pub(crate) fn read(path: &str, value: &Json, kind: Kind) -> Result<&'static str, Fault> {
    let name = value.as_str().ok_or_else(|| Fault::expected(path, value, "the name of a field"))?;
    if let Some(field) = find(name, kind) {
        return Ok(field);
    }
    let fault = Fault::invalid(format!("`{path}` is `{name}`, expected a field of {}", kind.word()));
    let kinds = [Kind::Tasks, Kind::Projects, Kind::Tags, Kind::Folders, Kind::Perspectives];
    if let Some(other) = kinds.into_iter().find(|other| find(name, *other).is_some()) {
        return Err(fault.suggest(format!(
            "`{name}` is a field of {}: query them, or use one of {}",
            other.word(),
            all(kind).join(", ")
        )));
    }
    let near = nearest(name, all(kind)).map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
    Err(fault.suggest(format!("{near}fields: {}", all(kind).join(", "))))
}

/// Reads `fields` of a query; the id is always among them.
pub(crate) fn list(query: &Object<'_>, kind: Kind) -> Result<Option<Vec<&'static str>>, Fault> {
    let Some(names) = query.list("fields")? else { return Ok(None) };
    let mut fields: Vec<&'static str> = find("id", kind).into_iter().collect();
    for (index, name) in names.iter().enumerate() {
        let field = read(&format!("{}[{index}]", query.at("fields")), name, kind)?;
        if !fields.contains(&field) {
            fields.push(field);
        }
    }
    if names.is_empty() {
        Err(query.wrong("fields", "a list of fields that is not empty"))
    } else {
        Ok(Some(fields))
    }
}

/// Shows a value as an answer has it: dates in local time.
pub(crate) fn show(field: &str, value: Json, moment: &Moment) -> Json {
    match value {
        Json::Array(mut alerts) if field == "notifications" => {
            alerts.iter_mut().for_each(|alert| alert["at"] = moment.show(&alert["at"]));
            Json::Array(alerts)
        }
        value if is_date(field) => moment.show(&value),
        value => value,
    }
}

/// Whether a field is a date.
pub(crate) fn is_date(field: &str) -> bool {
    field.ends_with("Date") || matches!(field, "added" | "modified" | "nextOccurrence")
}
