//! The one list of fields: which kind of item has them, which are returned by default, which a filter may name, and
//! which are dates.

use iac_plugin::{Fault, Json, Object, nearest};

use crate::Moment;
use crate::program::Kind;

/// A field of a kind: when an answer has it, and whether a filter may name it.
struct Field {
    name: &'static str,
    shown: Shown,
    is_filter: bool,
}

/// When an answer has a field.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shown {
    /// In every answer, unless the caller names other fields.
    Always,
    /// Only if the caller names it or asks for `details`.
    Asked,
    /// Only if the caller names it, because it is slow: it reads all tasks of a project, or the attachments and alerts
    /// of an item.
    Costly,
    /// Never: the field is only for filters.
    Never,
}

impl Field {
    /// A filter may name it too.
    const fn filtered(self) -> Self {
        Self { is_filter: true, ..self }
    }
}

const fn shown(name: &'static str) -> Field {
    Field { name, shown: Shown::Always, is_filter: false }
}

const fn asked(name: &'static str) -> Field {
    Field { name, shown: Shown::Asked, is_filter: false }
}

const fn costly(name: &'static str) -> Field {
    Field { name, shown: Shown::Costly, is_filter: false }
}

const fn condition(name: &'static str) -> Field {
    Field { name, shown: Shown::Never, is_filter: true }
}

const TASKS: &[Field] = &[
    shown("id").filtered(),
    shown("name").filtered(),
    shown("flagged").filtered(),
    shown("completed").filtered(),
    shown("dueDate").filtered(),
    shown("deferDate").filtered(),
    shown("tags").filtered(),
    shown("project").filtered(),
    shown("available").filtered(),
    shown("hasNote").filtered(),
    asked("blocked").filtered(),
    asked("estimatedMinutes").filtered(),
    asked("plannedDate").filtered(),
    asked("completionDate").filtered(),
    asked("added").filtered(),
    asked("modified").filtered(),
    asked("dropDate").filtered(),
    asked("note"),
    asked("projectId").filtered(),
    asked("repetitionRule"),
    asked("parentTaskId").filtered(),
    asked("parentTaskName"),
    asked("inInbox").filtered(),
    asked("isProjectRoot"),
    asked("sequential").filtered(),
    asked("status").filtered(),
    asked("effectiveDueDate").filtered(),
    asked("dueFrom"),
    asked("effectiveDeferDate").filtered(),
    asked("effectivePlannedDate").filtered(),
    asked("effectiveFlagged").filtered(),
    asked("isRepeating").filtered(),
    costly("nextOccurrence"),
    asked("childCount"),
    asked("depth"),
    asked("link"),
    costly("notifications"),
    costly("attachments"),
    costly("linkedFiles"),
    condition("subtreeOf"),
    condition("perspective"),
    condition("folder"),
    condition("text"),
];

const PROJECTS: &[Field] = &[
    shown("id").filtered(),
    shown("name").filtered(),
    shown("status").filtered(),
    shown("flagged").filtered(),
    shown("dueDate").filtered(),
    shown("deferDate").filtered(),
    shown("folder").filtered(),
    asked("note"),
    asked("completionDate").filtered(),
    asked("folderPath"),
    asked("folderId"),
    asked("sequential").filtered(),
    asked("lastReviewDate").filtered(),
    asked("nextReviewDate").filtered(),
    asked("reviewInterval"),
    asked("defaultSingletonActionHolder"),
    asked("tags").filtered(),
    asked("plannedDate").filtered(),
    asked("effectiveDueDate").filtered(),
    asked("effectiveDeferDate").filtered(),
    asked("effectivePlannedDate").filtered(),
    asked("effectiveFlagged").filtered(),
    asked("hasNote").filtered(),
    asked("added").filtered(),
    asked("modified").filtered(),
    asked("estimatedMinutes").filtered(),
    asked("repetitionRule"),
    asked("singleActions"),
    costly("taskCounts"),
    costly("nextTask"),
    asked("isRepeating").filtered(),
    costly("nextOccurrence"),
    costly("stalled").filtered(),
    asked("link"),
    costly("notifications"),
    costly("attachments"),
    costly("linkedFiles"),
    condition("completed"),
    condition("reviewDue"),
    condition("text"),
];

const TAGS: &[Field] = &[
    shown("id").filtered(),
    shown("name").filtered(),
    shown("parentId"),
    shown("status").filtered(),
    asked("path"),
    asked("depth"),
    asked("available"),
    asked("remaining"),
    asked("total"),
    asked("allowsNextAction"),
    asked("childrenAreMutuallyExclusive"),
];

const FOLDERS: &[Field] = &[
    shown("id").filtered(),
    shown("name").filtered(),
    shown("status").filtered(),
    shown("depth"),
    shown("path"),
    shown("parentId"),
    shown("childCount"),
    shown("projectCount"),
    shown("children"),
    condition("folder"),
];

const PERSPECTIVES: &[Field] = &[
    shown("name"),
    shown("type"),
    shown("isBuiltIn"),
    shown("identifier"),
    shown("filterRuleCount"),
    shown("filterAggregation"),
    asked("filterRules"),
];

fn table(kind: Kind) -> &'static [Field] {
    match kind {
        Kind::Tasks => TASKS,
        Kind::Projects => PROJECTS,
        Kind::Tags => TAGS,
        Kind::Folders => FOLDERS,
        Kind::Perspectives => PERSPECTIVES,
    }
}

fn names(kind: Kind, has: impl Fn(&Field) -> bool) -> Vec<&'static str> {
    table(kind).iter().filter(|field| has(field)).map(|field| field.name).collect()
}

/// Returns every field of a kind.
pub(crate) fn all(kind: Kind) -> Vec<&'static str> {
    names(kind, |field| field.shown != Shown::Never)
}

/// Returns the fields that an answer has by default.
pub(crate) fn defaults(kind: Kind) -> Vec<&'static str> {
    names(kind, |field| field.shown == Shown::Always)
}

/// Returns the fields of `details`: all except the costly ones.
pub(crate) fn details(kind: Kind) -> Vec<&'static str> {
    names(kind, |field| matches!(field.shown, Shown::Always | Shown::Asked))
}

/// Returns the filter keys of a kind; perspectives have none.
pub(crate) fn conditions(kind: Kind) -> Vec<&'static str> {
    let mut keys = names(kind, |field| field.is_filter);
    if !keys.is_empty() {
        keys.extend(["AND", "OR", "NOT"]);
    }
    keys
}

pub(crate) fn find(name: &str, kind: Kind) -> Option<&'static str> {
    all(kind).into_iter().find(|field| *field == name)
}

/// Reads the name of a field; the error for a field of another kind says where it belongs.
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
    let near = nearest(name, &all(kind)).map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
    Err(fault.suggest(format!("{near}fields: {}", all(kind).join(", "))))
}

/// Reads `fields` of a query; the id is always included.
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

/// Converts a value to the form of an answer: dates in local time.
pub(crate) fn show(field: &str, value: Json, moment: &Moment) -> Json {
    match value {
        Json::Array(mut alerts) if field == "notifications" => {
            alerts.iter_mut().for_each(|alert| alert["at"] = moment.show(&alert["at"]));
            Json::Array(alerts)
        }
        Json::Object(dates) if field == "nextOccurrence" => {
            dates.into_iter().map(|(name, at)| (name, moment.show(&at))).collect()
        }
        value if is_date(field) => moment.show(&value),
        value => value,
    }
}

/// Whether a field is a date.
pub(crate) fn is_date(field: &str) -> bool {
    field.ends_with("Date") || matches!(field, "added" | "modified" | "nextOccurrence")
}
