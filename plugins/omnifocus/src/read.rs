//! `omnifocus_read`: one query, one run of the script, one answer that says what it left out.

mod export;
mod mode;
mod request;
mod show;
mod summary;

use iac_plugin::{Arguments, Fault, Json, Object, Tool, json};

use crate::program::Kind;
use crate::{Engine, Moment, answer};
use request::Request;

pub(crate) fn tool() -> Tool {
    Tool::reads("omnifocus_read", DESCRIPTION, schema()).titled("Query OmniFocus")
}

/// Answers one call.
///
/// # Errors
/// `invalid_parameter` if an argument is not understood or names something missing, and the errors of the engine.
pub(crate) fn call(arguments: Arguments, moment: &Moment, engine: &mut dyn Engine) -> Result<Json, Fault> {
    let request = Request::read(arguments, moment)?;
    let mut answers = answer::run(engine, moment, request.queries(moment))?;
    request.show(&mut answers, moment)
}

/// The items that a change names by conditions.
pub(crate) struct Named {
    pub(crate) ids: Vec<String>,
    /// How many match in all; more than `ids` has, if there are more than the limit.
    pub(crate) total: i64,
    /// The conditions in words.
    pub(crate) description: String,
}

/// Finds the items of a kind, at most `most`, that the keys `filters`, `mode` and `daysAhead` of a change name.
///
/// # Errors
/// A key is not understood, names something missing, or may mean another item than the caller thinks: a change does not
/// take the first of several.
pub(crate) fn named(
    query: &Object<'_>,
    kind: Kind,
    most: i64,
    moment: &Moment,
    engine: &mut dyn Engine,
) -> Result<Named, Fault> {
    let part = request::named(query, kind, most, moment)?;
    let mut answers = answer::run(engine, moment, vec![part.query(moment)])?;
    let warnings = part.filter.warnings.iter().map(|warning| json!(warning)).chain(answers.warnings.clone());
    if let Some(warning) = warnings.into_iter().next() {
        let words = warning.as_str().or_else(|| warning["warning"].as_str());
        let words = words.map_or_else(|| warning.to_string(), str::to_owned);
        let mut fault = Fault::invalid(format!("`{}`: {words}; nothing was changed", query.at("filters")))
            .suggest("a change takes only filters without a warning; name it by its id, or read the items and give their `ids`");
        fault.detail = Some(json!({ "warning": warning }));
        return Err(fault);
    }
    let mut found = answers.take();
    let rows = found.take_rows();
    let ids = rows.iter().filter_map(|row| row.first()?.as_str().map(str::to_owned)).collect();
    Ok(Named { ids, total: found.total(), description: part.description(moment) })
}

const DESCRIPTION: &str = "Queries OmniFocus: tasks, projects, tags, folders, perspectives, or an export of them. \
Completed and dropped tasks and projects are left out unless `status` asks for them; every answer tells its filters, total_count and \
truncation.
FILTERS (all must hold): status, flagged, inInbox, available, blocked, project (name, id or null = inbox), folder \
(\"Work/Clients\" or null), tags {any|all|none:[names], below:true for tags below them}, dueDate deferDate plannedDate (effectiveDueDate \
and its like: also through project or group) completionDate added modified {before|after (not that day or week itself)|onOrBefore|onOrAfter|between (both included)|exists}, estimatedMinutes {equals|lessThan|greaterThan|between}, name and text \
{contains|matches(regex)}, id (or a list); AND:[..] OR:[..] NOT:{..} nest.
DATES: now, today, tomorrow, yesterday with an offset (now+3days, today-1w; m h d w mo y), friday 17:00, next week, end of month, in 2 weeks, YYYY-MM-DD (the whole day), \
YYYY-MM-DD HH:mm, RFC 3339.
MODES (tasks): inbox, overdue, today (overdue, due in 3 days, or flagged), upcoming, available, blocked, flagged, forecast (sections: past, today, each day, flagged), forecast_past, search, smart_suggest \
(what to do next: overdue +100, due today +80, flagged +50, available +30, 15 minutes or less +20).
EXAMPLES of query: {type:\"tasks\",filters:{project:null}} inbox | {type:\"tasks\",filters:{dueDate:{before:\"now\"}}} \
overdue | {type:\"tasks\",filters:{OR:[{dueDate:{before:\"now+3days\"}},{flagged:true}],tags:{any:[\"work\"]}},\
fields:[\"id\",\"name\",\"dueDate\"],sort:[{field:\"dueDate\",order:\"asc\"}],limit:10} | \
{type:\"projects\",filters:{reviewDue:true}} | {type:\"tasks\",mode:\"smart_suggest\",limit:10} | \
{type:\"export\",exportType:\"tasks\",format:\"csv\"}. countOnly is the cheapest answer; details gives every field and \
whole notes.";

fn schema() -> Json {
    let number = |least: i64, most: i64| json!({"type": "integer", "minimum": least, "maximum": most});
    json!({
        "type": "object",
        "properties": {"query": {
            "type": "object",
            "properties": {
                "type": {"enum": ["tasks", "projects", "tags", "perspectives", "folders", "export"]},
                "filters": {"type": "object", "description": "conditions that all hold; see the description"},
                "summary": {"type": "boolean"},
                "fields": {"type": "array", "items": {"type": "string"}},
                "sort": {"type": "array", "items": {
                    "type": "object",
                    "properties": {"field": {"type": "string"}, "order": {"enum": ["asc", "desc"]}},
                    "required": ["field"],
                }},
                "limit": {"type": "integer", "minimum": 1, "maximum": 500, "description": "25 for tasks and projects"},
                "offset": {"type": "integer", "minimum": 0},
                "mode": {"enum": mode::WORDS},
                "daysAhead": number(1, 30),
                "details": {"type": "boolean"},
                "countOnly": {"type": "boolean"},
                "fastSearch": {"type": "boolean", "description": "text looks at names only"},
                "includeProjectRoot": {"type": "boolean"},
                "includeStats": {"type": "boolean", "description": "projects: task counts and next task"},
                "exportType": {"enum": ["tasks", "projects", "all"]},
                "format": {"enum": ["json", "csv", "markdown"]},
            },
            "required": ["type"],
        }},
        "required": ["query"],
    })
}
