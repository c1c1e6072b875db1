//! The form of the answer to a mutation.

use iac_plugin::serde_json::Map;
use iac_plugin::{Fault, Json, json};

use super::lines;
use super::plan::{Done, Form, Plan, Step};
use super::words::line;
use crate::Moment;

/// Fields with times; the answer shows them in local time.
const DATES: [&str; 7] =
    ["dueDate", "deferDate", "plannedDate", "completionDate", "dropDate", "lastReviewDate", "nextReviewDate"];

/// The number of characters of a note that the answer reads back.
const NOTE: usize = 200;

/// Shows what a dry run would do.
pub(super) fn planned(plan: &Plan, moment: &Moment) -> Json {
    let mut steps: Vec<&Step> = plan.steps.iter().collect();
    steps.sort_by_key(|step| step.index);
    let rows: Vec<Json> = steps
        .into_iter()
        .map(|step| {
            let mut row = begun(step);
            if let Some(id) = &step.id {
                row["id"] = json!(id);
                row["name"] = step.said["name"].clone();
            }
            match &step.failure {
                Some(failure) => row["error"] = failure.clone(),
                None => row["would"] = json!(line(plan, step, moment)),
            }
            row
        })
        .collect();
    let failed = plan.steps.iter().filter(|step| step.failure.is_some()).count();
    let idle = plan.steps.iter().filter(|step| plan.is_idle(step)).count();
    let mut summary = json!({"planned": rows.len() - failed - idle, "errors": failed});
    if idle > 0 {
        summary["unchanged"] = json!(idle);
    }
    let mut metadata = json!({"note": "nothing was changed; all names and ids were looked up"});
    if let Some(found) = &plan.found {
        metadata["filter_description"] = json!(found);
    }
    json!({"success": failed == 0, "dryRun": true, "data": {"summary": summary, "results": rows}, "metadata": metadata})
}

/// The answer if the conditions of a change name nothing.
pub(super) fn nothing(plan: &Plan) -> Json {
    let note = "nothing matches, so nothing was changed and nobody was asked";
    let metadata = json!({"total_count": 0, "filter_description": plan.found, "note": note});
    json!({"success": true, "data": {"summary": {"errors": 0}, "results": []}, "metadata": metadata, "undo": null})
}

/// Shows the results of a plan.
///
/// # Errors
/// Nothing was changed, because a step could not be resolved or the only one failed.
pub(super) fn done(plan: &Plan, done: &Done, app: Option<String>, moment: &Moment) -> Result<Json, Fault> {
    if let Some(at) = done.refused {
        return Err(refused(plan, at, &done.rows[at]));
    }
    if plan.form == Form::Single {
        let row = &done.rows[0];
        if row["success"] != true {
            return Err(refused(plan, 0, row).suggest_unknown(plan, done));
        }
        return Ok(undoable(single(plan, row, moment), plan, done, app, moment));
    }
    Ok(undoable(many(plan, done, moment), plan, done, app, moment))
}

/// Adds the undo to the answer: a call of this plugin. The host stores it, and the caller gets an id in its place.
/// Null if there is no undo.
fn undoable(mut answer: Json, plan: &Plan, done: &Done, app: Option<String>, moment: &Moment) -> Json {
    answer["undo"] = Json::Null;
    let rows = plan.steps.iter().zip(&done.rows).enumerate();
    let changed = |row: &Json| row["success"] == true && row["unchanged"] != true;
    let ran = rows.filter(|(_, (_, row))| changed(row)).map(|(at, (step, _))| (at, step));
    let (stays, back): (Vec<_>, Vec<_>) =
        ran.partition(|(at, _)| done.stays.iter().any(|(stays, _)| stays == at));
    // An undo in part is one too, and a step that failed may have changed something.
    let told = if back.is_empty() { stays } else { back };
    let mut steps: Vec<&Step> = told.into_iter().map(|(_, step)| step).collect();
    if steps.is_empty() {
        steps.extend(plan.steps.first());
    }
    if !done.back.is_empty() {
        answer["undo"] = json!({
            "tool": "omnifocus_write",
            "arguments": {"mutation": {"operation": "restore", "steps": done.back}},
            "words": lines::done(plan, &steps, moment),
            "app": app,
        });
    }
    // The steps of an undo are not those of the caller, and a list of them would read as if the undo had failed.
    let is_told = plan.form != Form::Undo && !done.back.is_empty() && !done.stays.is_empty();
    if is_told {
        let stays: Vec<Json> =
            done.stays.iter().map(|(at, why)| json!({"index": plan.steps[*at].index, "why": why})).collect();
        answer["notUndone"] = json!(stays);
    }
    answer
}

fn single(plan: &Plan, row: &Json, moment: &Moment) -> Json {
    let step = &plan.steps[0];
    let mut data = json!({"operation": step.operation, "target": step.target});
    merge(&mut data, outcome(row, plan.minimal, moment));
    let mut answer = json!({"success": true, "data": data});
    if let Some(warnings) = warnings(row) {
        answer["warnings"] = warnings;
    }
    answer
}

/// Whether a step did what it was for. A change has a warning for a value that OmniFocus did not accept, but an undo
/// that leaves the value has failed.
fn worked(plan: &Plan, row: &Json) -> bool {
    row["success"] == true && !(plan.form == Form::Undo && row["missed"] == true)
}

fn many(plan: &Plan, done: &Done, moment: &Moment) -> Json {
    let is_mapped = plan.mapping && done.rolled_back.is_none();
    let mut rows: Vec<(usize, Json)> = plan
        .steps
        .iter()
        .zip(&done.rows)
        .filter(|(step, row)| !plan.minimal || is_told(step, row, is_mapped))
        .map(|(step, row)| {
            let mut shown = begun(step);
            shown["success"] = json!(worked(plan, row));
            match failure(step, row) {
                Some(error) => shown["error"] = error,
                None => merge(&mut shown, changed(step, outcome(row, plan.minimal, moment), plan.form)),
            }
            if let Some(warnings) = warnings(row) {
                shown["warnings"] = warnings;
            }
            (step.index, shown)
        })
        .collect();
    rows.sort_by_key(|(index, _)| *index);
    let worked = plan.steps.iter().zip(&done.rows).filter(|(_, row)| worked(plan, row));
    let (unchanged, succeeded): (Vec<_>, Vec<_>) = worked.partition(|(_, row)| row["unchanged"] == true);
    let succeeded: Vec<&Step> = succeeded.into_iter().map(|(step, _)| step).collect();
    let count = |operation: &str| succeeded.iter().filter(|step| step.operation == operation).count();
    let errors = plan.steps.len() - succeeded.len() - unchanged.len();
    let mut summary = json!({"created": count("create"), "updated": count("update"), "completed": count("complete"), "deleted": count("delete"), "errors": errors});
    if !unchanged.is_empty() {
        summary["unchanged"] = json!(unchanged.len());
    }
    if count("skip") > 0 {
        summary["skipped"] = json!(count("skip"));
    }
    // Each item of a bulk deletion stands alone.
    let whole = if plan.form == Form::Bulk && !plan.stop { errors < plan.steps.len() } else { errors == 0 };
    let rows: Vec<Json> = rows.into_iter().map(|(_, row)| row).collect();
    let mut data = json!({ "summary": summary });
    if plan.form == Form::Undo && !succeeded.is_empty() {
        data["undone"] = json!(lines::few(&succeeded));
    }
    data["results"] = json!(rows);
    if is_mapped {
        data["tempIdMapping"] = Json::Object(mapping(plan, done));
    }
    let mut answer = json!({"success": whole, "data": data});
    if let Some(found) = &plan.found {
        answer["metadata"] = json!({"filter_description": found});
    }
    if let Some(back) = &done.rolled_back {
        rolled_back(&mut answer, plan, back);
    }
    answer
}

/// Whether a minimal answer has a row for a step: if it failed, has a warning, or made an item whose id is nowhere
/// else.
fn is_told(step: &Step, row: &Json, is_mapped: bool) -> bool {
    let makes = match step.operation {
        "create" => !is_mapped,
        operation => matches!(operation, "duplicate" | "convert"),
    };
    row["success"] != true || warnings(row).is_some() || makes
}

fn mapping(plan: &Plan, done: &Done) -> Map<String, Json> {
    let pairs = plan.steps.iter().zip(&done.rows).filter_map(|(step, row)| {
        let id = row["item"]["id"].as_str().filter(|_| step.operation == "create")?;
        Some((step.temp.clone()?, json!(id)))
    });
    pairs.collect()
}

/// Lists the items that were rolled back, and those that still exist.
fn rolled_back(answer: &mut Json, plan: &Plan, back: &Json) {
    let left: Vec<Json> = back["left"].as_array().cloned().unwrap_or_default();
    let kept: Vec<usize> = back["kept"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Json::as_u64)
        .filter_map(|at| plan.steps.get(usize::try_from(at).ok()?))
        .map(|step| step.index)
        .collect();
    answer["rolledBack"] = if left.is_empty() && kept.is_empty() { json!(true) } else { json!("partial") };
    answer["data"]["summary"]["created"] = json!(left.len());
    if !left.is_empty() {
        let ids: Vec<&Json> = left.iter().map(|item| &item["id"]).collect();
        answer["orphanedItems"] = json!({"count": left.len(), "ids": ids});
        answer["rollbackFailures"] = json!(left);
    }
    if !kept.is_empty() {
        answer["notRolledBack"] =
            json!({"operations": kept, "why": "only what was created can be taken back"});
    }
}

fn begun(step: &Step) -> Json {
    json!({"index": step.index, "operation": step.operation, "target": step.target})
}

fn merge(into: &mut Json, more: Json) {
    if let (Json::Object(into), Json::Object(more)) = (into, more) {
        into.extend(more);
    }
}

/// Shows the result of a successful step.
fn outcome(row: &Json, minimal: bool, moment: &Moment) -> Json {
    let mut shown = json!({});
    if row["deleted"].is_object() && row["item"].is_object() {
        shown["removed"] = row["deleted"].clone();
    } else if row["deleted"].is_object() {
        merge(&mut shown, row["deleted"].clone());
        shown["permanent"] = json!(true);
    }
    if row["item"].is_object() {
        let item = item(&row["item"], moment);
        let shown_whole = if minimal { json!({"id": item["id"], "name": item["name"]}) } else { item };
        merge(&mut shown, shown_whole);
    }
    if row["next"].is_object() {
        shown["next"] = json!({"id": row["next"]["id"], "dueDate": moment.show(&row["next"]["dueDate"]), "deferDate": moment.show(&row["next"]["deferDate"])});
    }
    for key in ["createdTags", "retagged", "alsoCompleted", "unchanged"] {
        if !row[key].is_null() {
            shown[key] = row[key].clone();
        }
    }
    shown
}

/// The result of one of many steps that make the same change: the item, and what of it the change is about. All values
/// of many items would fill the answer.
fn changed(step: &Step, mut outcome: Json, form: Form) -> Json {
    let is_same_for_all = form == Form::Bulk && matches!(step.operation, "update" | "complete");
    if let (true, Json::Object(fields)) = (is_same_for_all, &mut outcome) {
        let set = step.json["set"].as_object().into_iter().flatten().map(|(key, _)| key.as_str());
        let about: Vec<&str> = set.chain([step.operation]).flat_map(fields_of).copied().collect();
        let others = ["id", "name", "next", "createdTags", "retagged", "alsoCompleted", "unchanged"];
        fields.retain(|key, _| others.contains(&key.as_str()) || about.contains(&key.as_str()));
    }
    outcome
}

/// The fields of an item that a property of a change is about.
fn fields_of(property: &str) -> &'static [&'static str] {
    match property {
        "note" | "append" | "cut" => &["note"],
        "flagged" => &["flagged"],
        "sequential" => &["sequential"],
        "single" => &["singleActions"],
        "due" => &["dueDate"],
        "defer" => &["deferDate"],
        "planned" => &["plannedDate"],
        "reviewed" | "nextReview" | "review" => &["lastReviewDate", "nextReviewDate", "reviewInterval"],
        "estimate" => &["estimatedMinutes"],
        "tags" => &["tags"],
        "alerts" => &["notifications"],
        "rule" => &["repetitionRule"],
        "move" => &["project", "parentTaskId", "inInbox", "folder", "path"],
        "status" | "complete" => &["status", "completionDate", "dropDate"],
        _ => &[],
    }
}

fn warnings(row: &Json) -> Option<Json> {
    row["warnings"].as_array().filter(|warnings| !warnings.is_empty()).map(|warnings| json!(warnings))
}

/// Shows an item as it is in OmniFocus now; empty and unset values are left out.
fn item(read: &Json, moment: &Moment) -> Json {
    let mut shown = Map::new();
    for (key, value) in read.as_object().into_iter().flatten() {
        let empty = value.is_null() || value == "" || value.as_array().is_some_and(Vec::is_empty);
        if empty || (*value == false && key != "flagged") {
            continue;
        }
        if DATES.contains(&key.as_str()) {
            shown.insert(key.clone(), moment.show(value));
        } else if key == "notifications" {
            shown.insert(key.clone(), notifications(value, moment));
        } else if key == "note" {
            let note = value.as_str().unwrap_or_default();
            let cut: String = note.chars().take(NOTE).collect();
            shown.insert(
                key.clone(),
                if cut.len() < note.len() { json!(format!("{cut}...")) } else { json!(note) },
            );
        } else {
            shown.insert(key.clone(), value.clone());
        }
    }
    Json::Object(shown)
}

/// Notifications in the form that a change takes: minutes from the due date, or a date.
fn notifications(alerts: &Json, moment: &Moment) -> Json {
    let one = |alert: &Json| match &alert["minutes"] {
        Json::Null => moment.show(&alert["at"]),
        minutes => minutes.clone(),
    };
    alerts.as_array().into_iter().flatten().map(one).collect()
}

fn failure(step: &Step, row: &Json) -> Option<Json> {
    if let Some(failure) = &step.failure {
        return Some(failure.clone());
    }
    if row["success"] == true {
        return None;
    }
    if row["rolledBack"] == true {
        return Some(json!({"message": "taken back, since another operation failed"}));
    }
    if row.is_null() || row["skipped"] == true {
        return Some(json!({"message": "not run, since an operation before it failed"}));
    }
    let (message, suggestion) = words(&row["error"]);
    Some(json!({"message": message, "suggestion": suggestion}))
}

fn refused(plan: &Plan, at: usize, row: &Json) -> Fault {
    let (message, suggestion) = words(&row["error"]);
    let step = &plan.steps[at];
    let message = match plan.form {
        Form::Single => message,
        Form::Bulk => format!("{message}; nothing was changed"),
        Form::Batch | Form::Undo => {
            format!("operation {} of the batch: {message}; nothing was changed", step.index)
        }
    };
    let mut fault = Fault::invalid(message).suggest(suggestion);
    if row["error"]["reason"] == "failed" {
        fault.code = "execution_failed".into();
    }
    fault.detail = Some(
        json!({"operation": step.operation, "index": step.index, "reason": row["error"]["reason"], "what": row["error"]["what"], "value": row["error"]["value"], "near": row["error"]["near"]}),
    );
    fault
}

/// Says why a step failed, and what to do next.
pub(super) fn words(error: &Json) -> (String, String) {
    let (what, value) = (error["what"].as_str().unwrap_or("item"), error["value"].as_str().unwrap_or("?"));
    let near: Vec<&str> = error["near"].as_array().into_iter().flatten().filter_map(Json::as_str).collect();
    let all = format!("query {what}s for their exact names and ids");
    match error["reason"].as_str().unwrap_or_default() {
        "not_found" if what == "project" && value.eq_ignore_ascii_case("inbox") => {
            (format!("no project `{value}`"), "the inbox is not a project: write `project`: null".to_owned())
        }
        "list" => (
            format!("`{value}` is one text, and `{}` of it is not a tag", near.join("` and `")),
            "write a list, such as [\"Home\",\"Work\"]; tags of a list that do not exist are made".to_owned(),
        ),
        "not_found" if near.is_empty() => (format!("no {what} `{value}`"), all),
        "not_found" => {
            (format!("no {what} `{value}`"), format!("did you mean `{}`? Else {all}", near.join("` or `")))
        }
        "ambiguous" => (
            format!("{} {what}s are named `{value}`", near.len()),
            format!("use one of the ids: {}", near.join(", ")),
        ),
        "not_live" => (
            format!("the {what} `{value}` is completed or dropped"),
            format!("use its id to write there all the same: {}", near.join(", ")),
        ),
        "exists" => {
            (format!("there is a {what} `{value}` already"), "use it, or choose another name".to_owned())
        }
        "cycle" => (
            format!("the {what} `{value}` is the one that was to go there, or lies below it"),
            "choose another place".to_owned(),
        ),
        "no_id" => (
            format!("no {what} has the id `{value}`"),
            match near.first() {
                Some(&"root") => "it is the root of a project: use target `project`".to_owned(),
                Some(&other) if !other.is_empty() => {
                    format!("it is the id of a {other}: use target `{other}`")
                }
                _ => format!("query {what}s for their ids; it may have been deleted"),
            },
        ),
        "by_name" => (
            format!("`{value}` is the name of a {what}, and its id is needed"),
            format!("use the id: {}", near.join(", ")),
        ),
        "not_repeating" => (
            format!("the {what} `{value}` does not repeat, so there is no occurrence to skip"),
            "drop it with `status` dropped, or defer it".to_owned(),
        ),
        "no_due" => (
            format!(
                "the {what} `{value}` has no due date, so it has no notification in minutes from that date"
            ),
            "give it a `dueDate` too, or a date and a time as the notification".to_owned(),
        ),
        "not_asked" => (
            format!("it would now {value}, which the user has not approved"),
            "send it again: what it touches has changed meanwhile".to_owned(),
        ),
        "altered" if !near.is_empty() => (
            format!(
                "the {what} `{value}`, or something that goes with it, was changed since, so that it is left as it is"
            ),
            "look at what it holds now, then delete it by hand or with `delete`".to_owned(),
        ),
        "altered" => (
            format!("the {what} `{value}` was changed since, so that it is left as it is"),
            "change it by hand, or with an update".to_owned(),
        ),
        "changed" => (
            format!("the {what} `{value}` has changed since it was looked up"),
            "send it again, so that it is looked up as it is now".to_owned(),
        ),
        "not_made" => (format!("what `{value}` stands for was not made"), "its own row says why".to_owned()),
        "exclusive" => (
            format!("`{}` are tags of `{value}`, of which an item can have only one", near.join("` and `")),
            "name one of them".to_owned(),
        ),
        "too_old" => (
            format!("this OmniFocus has no `{what}`"),
            format!("it takes version {value} or newer; leave it out"),
        ),
        _ => (format!("OmniFocus refused: {value}"), "query what it holds now, then try again".to_owned()),
    }
}

/// Says what a single failed operation left behind.
trait Aftermath {
    fn suggest_unknown(self, plan: &Plan, done: &Done) -> Self;
}

impl Aftermath for Fault {
    fn suggest_unknown(mut self, plan: &Plan, done: &Done) -> Self {
        let left = done
            .rolled_back
            .as_ref()
            .and_then(|back| back["left"].as_array())
            .filter(|left| !left.is_empty());
        if let (Some(left), Some(detail)) = (left, self.detail.as_mut()) {
            detail["orphanedItems"] = json!(left);
        }
        if plan.steps[0].operation == "update" && self.code == "execution_failed" {
            self = self.suggest("some fields may have been written: query what it holds now");
        }
        self
    }
}
