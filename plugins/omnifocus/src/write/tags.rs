//! `tag_manage`: creates, renames, nests and deletes tags.

use iac_plugin::{Fault, Json, Object, json};

use super::plan::Step;

pub(super) const ACTIONS: [&str; 9] =
    ["create", "rename", "delete", "merge", "nest", "reparent", "unnest", "set_status", "set_exclusive"];

/// The steps that undo a change of a tag, by their names in the script.
pub(super) const STEPS: [&str; 6] = ["rename", "nest", "unnest", "set", "delete", "unmerge"];

const KEYS: &[&str] = &[
    "operation", "action", "tagName", "newName", "parentTag", "targetTag", "status", "exclusive",
    "minimalResponse",
];

/// Reads the mutation as a step.
pub(super) fn step(mutation: &Object<'_>) -> Result<Step, Fault> {
    mutation.only(
        KEYS,
        &[
            ("name", "use `tagName`"),
            ("tag", "use `tagName`"),
            ("parent", "use `parentTag`"),
            ("target", "use `targetTag` for merge"),
        ],
    )?;
    let words: Vec<(&str, &str)> = ACTIONS.iter().map(|word| (*word, *word)).collect();
    let action = mutation.word("action", &words)?.ok_or_else(|| {
        Fault::invalid(format!("`mutation.action` is missing, expected one of {}", ACTIONS.join(", ")))
    })?;
    fitting(mutation, action)?;
    let name = need(mutation, "tagName")?;
    let json = program(mutation, action, name)?;
    Ok(Step::new(0, action, "tag", json))
}

/// Refuses fields that an action does not use.
fn fitting(mutation: &Object<'_>, action: &str) -> Result<(), Fault> {
    let used: &[&str] = match action {
        "create" | "nest" | "reparent" => &["parentTag"],
        "rename" => &["newName"],
        "merge" => &["targetTag", "newName"],
        "set_status" => &["status"],
        "set_exclusive" => &["exclusive"],
        _ => &[],
    };
    let optional = ["newName", "parentTag", "targetTag", "status", "exclusive"];
    let unused = optional.iter().find(|key| mutation.has(key) && !used.contains(key));
    match unused {
        Some(key) => {
            Err(Fault::invalid(format!("`{}` means nothing to the action `{action}`", mutation.at(key)))
                .suggest(if used.is_empty() {
                    "leave it out".to_owned()
                } else {
                    format!("it takes {}", used.join(", "))
                }))
        }
        None => Ok(()),
    }
}

fn program(mutation: &Object<'_>, action: &str, name: &str) -> Result<Json, Fault> {
    let mut json = json!({"do": "tag", "action": action, "name": name});
    match action {
        "create" => {
            let under = mutation.text("parentTag")?;
            if under.is_some() && name.contains(" : ") {
                return Err(Fault::invalid(
                    "`mutation.tagName` is a path and `mutation.parentTag` is given too",
                )
                .suggest("write \"Parent : Child\", or the name and its parent"));
            }
            json["under"] = json!(under);
        }
        "rename" => {
            json["to"] = json!(need(mutation, "newName")?);
        }
        "merge" => {
            let key = if mutation.has("targetTag") { "targetTag" } else { "newName" };
            json["to"] = json!(need(mutation, key)?);
        }
        "nest" | "reparent" => {
            // Without a parent, a tag moves out of the tag that contains it.
            let top = mutation.has("parentTag") && mutation.text("parentTag").ok().flatten().is_none();
            if top && action == "reparent" {
                json["action"] = json!("unnest");
            } else {
                json["action"] = json!("nest");
                json["under"] = json!(need(mutation, "parentTag")?);
            }
        }
        "set_status" => {
            let all = [("active", "active"), ("on_hold", "on_hold"), ("dropped", "dropped")];
            let status = mutation
                .word("status", &all)?
                .ok_or_else(|| mutation.wrong("status", "one of active, on_hold, dropped"))?;
            json["action"] = json!("set");
            json["status"] = json!(status);
        }
        "set_exclusive" => {
            let exclusive =
                mutation.flag("exclusive")?.ok_or_else(|| mutation.wrong("exclusive", "true or false"))?;
            json["action"] = json!("set");
            json["exclusive"] = json!(exclusive);
        }
        _ => (),
    }
    Ok(json)
}

fn need<'a>(mutation: &Object<'a>, key: &str) -> Result<&'a str, Fault> {
    let found = mutation.text(key)?.map(str::trim);
    found.ok_or_else(|| {
        Fault::invalid(format!("`{}` is missing, expected the name of a tag", mutation.at(key)))
    })
}
