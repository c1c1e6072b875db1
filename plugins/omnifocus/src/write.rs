//! `omnifocus_write`: a mutation is compiled to steps, its items are looked up, and one script applies it.

mod batch;
mod changes;
mod found;
mod lines;
mod look;
mod plan;
mod repetition;
mod request;
mod restore;
mod show;
mod tags;
mod words;

use iac_plugin::{Arguments, Fault, Json, Tool, json};

use crate::{Engine, Moment};

pub(crate) fn tool() -> Tool {
    Tool::changes("omnifocus_write", DESCRIPTION, schema()).titled("Change OmniFocus")
}

/// Answers one call.
///
/// # Errors
/// `invalid_parameter` if an argument is not understood, not found or ambiguous, before anything was changed; the
/// errors of the engine.
pub(crate) fn call(arguments: Arguments, moment: &Moment, engine: &mut dyn Engine) -> Result<Json, Fault> {
    let mut plan = request::read(arguments, moment, engine)?;
    if plan.steps.is_empty() {
        return Ok(show::nothing(&plan));
    }
    look::resolve(&mut plan, engine)?;
    if plan.dry_run {
        return Ok(show::planned(&plan, moment));
    }
    let done = plan.run(moment, engine)?;
    show::done(&plan, &done, engine.app(), moment)
}

const DESCRIPTION: &str = "Changes OmniFocus: tasks, projects, folders, tags. All names and ids are resolved first (one \
miss changes nothing); answers read back what OmniFocus then holds, with warnings for what did not stick. Deleting is \
permanent.
OPERATIONS: update (target, id, changes; in place of id: ids, or filters as omnifocus_read has them, make one change of many items), complete (id, ids or filters, completionDate?), create (target, data), skip (id: one \
occurrence), duplicate (id, project | parentTaskId | folder, name, includeSubtasks), convert (id, folder: a task to a project), delete (id, ids or filters), batch (operations: up to 100 that differ; creates come first, parents first, then updates, \
completes, deletes; tempId in data is an id within the batch, parentTempId a parent; stopOnError true, atomicOperation, dryRun), \
create_folder (data {name, parentFolder}), tag_manage (action, tagName, newName | parentTag | targetTag | status | \
exclusive).
DATES: YYYY-MM-DD (due 17:00, defer and planned 08:00, completion 12:00), YYYY-MM-DD HH:mm in local time, now+3days, \
tomorrow, friday 17:00, end of month; null clears. project: exact name or id; null = inbox. folder: \"Work/Clients\"; null = top. tags replaces all, \
addTags and removeTags do not; \"Parent : Child\" is a path; missing tags are made. status: task active, completed, \
dropped; project also on_hold. reviewInterval: days or {steps, unit}.
repetitionRule: {frequency, interval, daysOfWeek [1=Mon..7=Sun or {day:\"MO\",position:-1}], daysOfMonth, count or endDate, \
method fixed | due-after-completion | defer-after-completion}.
EXAMPLES of mutation: {operation:\"update\",filters:{effectiveDueDate:{before:\"now\"}},changes:{dueDate:\"friday 17:00\"}} | \
{operation:\"create\",target:\"task\",data:{name:\"Review goals\",project:\"Planning\",tags:[\"work\"],\
dueDate:\"2025-01-15 17:00\"}} | {operation:\"batch\",operations:[{operation:\"create\",target:\"project\",data:{name:\"Trip\",\
tempId:\"p\"}},{operation:\"create\",target:\"task\",data:{name:\"Tickets\",parentTempId:\"p\"}}]}";

fn schema() -> Json {
    let target = json!({"enum": ["task", "project", "folder"], "description": "needed to create; else task unless said; \
        folder to update (name, folder, status) or delete"});
    let data = json!({"type": "object", "description": "name, note, project, folder, parentTaskId, tags, dueDate, \
        deferDate, plannedDate, flagged, estimatedMinutes, sequential, status, repetitionRule, reviewInterval, \
        notifications (dates, or minutes from the due date)"});
    let changes = json!({"type": "object", "description": "as data, and appendNote, afterTaskId, beforeTaskId, addTags, removeTags, addNotifications, clearDueDate, \
        clearDeferDate, clearPlannedDate, clearEstimatedMinutes, lastReviewDate, nextReviewDate"});
    let flag = json!({"type": "boolean"});
    let text = json!({"type": "string"});
    json!({
        "type": "object",
        "properties": {"mutation": {
            "type": "object",
            "properties": {
                "operation": {"enum": request::OPERATIONS},
                "target": target, "data": data, "id": text, "changes": changes, "completionDate": text,
                "operations": {"type": "array", "maxItems": 100, "items": {"type": "object"}},
                "ids": {"type": "array", "maxItems": 100, "items": text, "description": "in place of id: update, complete, delete"},
                "filters": {"type": "object", "description": "in place of ids, also with mode: as in omnifocus_read"},
                "mode": text,
                "dryRun": flag, "stopOnError": flag, "atomicOperation": flag, "returnMapping": flag,
                "minimalResponse": {"type": "boolean", "description": "counts, failures, warnings and new ids only"},
                "action": {"enum": tags::ACTIONS},
                "tagName": text, "newName": text, "parentTag": text, "targetTag": text,
                "status": {"enum": ["active", "on_hold", "dropped"]}, "exclusive": flag, "includeSubtasks": flag,
            },
            "required": ["operation"],
        }},
        "required": ["mutation"],
    })
}
