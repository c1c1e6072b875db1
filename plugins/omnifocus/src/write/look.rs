//! Looks up the items that a mutation names, before anyone is asked and before anything is changed. The script is the
//! one that later applies the mutation.

use iac_plugin::{Fault, Json, json};

use super::plan::{Form, Plan};
use super::show;
use crate::{Engine, Script};

/// Resolves every step, and keeps what each would touch.
///
/// A missing or ambiguous item is refused; in a plan that continues after errors, only the steps that name it fail.
///
/// # Errors
/// `invalid_parameter` for the first step that fails, and the errors of the engine.
pub(super) fn resolve(plan: &mut Plan, engine: &mut dyn Engine) -> Result<(), Fault> {
    if plan.steps.iter().all(|step| step.names_nothing()) {
        return Ok(());
    }
    let parts = plan.parts()?;
    let answers = engine.run_all(Script::Look, &plan.programs(&parts), &[], &[])?;
    for (part, answer) in parts.iter().zip(&answers) {
        let rows = answer["rows"].as_array().filter(|rows| rows.len() == part.len());
        let rows = rows.ok_or_else(|| {
            Fault::new("execution_failed", "the answer of OmniFocus has no form that is known")
                .suggest("nothing was changed; report it with the version of OmniFocus")
        })?;
        for (at, row) in part.iter().zip(rows) {
            take(plan, *at, row)?;
        }
    }
    Ok(())
}

fn take(plan: &mut Plan, at: usize, row: &Json) -> Result<(), Fault> {
    let mut row = row.clone();
    let was = &plan.steps[at].was;
    if row["error"].is_null() && !was.is_null() && *was != row["said"] {
        let what = plan.steps[at].target;
        // An object to delete goes with what is below it, so any of that may be what has changed.
        let goes_along = ["total", "tags", "folders"].iter().any(|key| row["said"][*key].as_i64() > Some(0));
        let acts = row["said"]["acts"].as_array().map(Vec::as_slice).unwrap_or_default();
        let deletes = acts.iter().any(|act| act.as_str().is_some_and(|act| act.starts_with("delete ")));
        let near = if deletes && goes_along { json!(["below"]) } else { json!([]) };
        row["error"] = json!({"reason": "altered", "what": what, "value": row["said"]["name"], "near": near});
    }
    if row["error"].is_null() {
        plan.steps[at].said = row["said"].clone();
        // The script refuses an item that has changed since the human saw it.
        plan.steps[at].json["seen"] = row["said"].clone();
        return Ok(());
    }
    let goes_on = plan.form != Form::Single && !plan.stop && !plan.atomic;
    let (message, suggestion) = show::words(&row["error"]);
    if goes_on {
        plan.steps[at].failure = Some(json!({"message": message, "suggestion": suggestion}));
        return Ok(());
    }
    let message = match plan.form {
        Form::Batch => {
            format!("operation {} of the batch: {message}; nothing was changed", plan.steps[at].index)
        }
        Form::Undo => format!("{message}; nothing was undone"),
        Form::Bulk => format!("{message}; nothing was changed"),
        Form::Single => message,
    };
    let mut fault = Fault::invalid(message).suggest(suggestion);
    fault.detail = Some(row["error"].clone());
    Err(fault)
}
