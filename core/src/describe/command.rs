//! One command: its level, its arguments as JSON Schema, and a call to begin with.

use indexmap::IndexMap;
use serde_json::{Map, Value as Json, json};

use super::budget::Answer;
use super::{LARGEST, class, term, unknown};
use crate::app::App;
use crate::dictionary::{Command, Dictionary};
use crate::fault::Fault;
use crate::foreign;
use crate::permission::{LevelRule, classify_command};
use crate::schema::{self, TARGET};
use crate::words::Level;

const NEXT: &str =
    "the parameters are checked when the command is called, and the error says what is expected";

pub(super) fn command(
    app: &App,
    dictionary: &Dictionary,
    wanted: &str,
    rules: &[LevelRule],
) -> Result<Json, Fault> {
    let named = dictionary.commands_named(wanted);
    let by_code = || dictionary.commands.iter().filter(|command| command.code == wanted).collect();
    let found: Vec<&Command> = if named.is_empty() { by_code() } else { named };
    if found.is_empty() {
        let known = dictionary.commands.iter().filter(|command| !command.hidden);
        return Err(unknown(app, "command", wanted, known.map(|command| command.name.as_str())));
    }
    let mut by_code: IndexMap<&str, Vec<&Command>> = IndexMap::new();
    for command in found {
        by_code.entry(&command.code).or_default().push(command);
    }
    let share = LARGEST / by_code.len().max(1);
    let mut shown: Vec<Json> =
        by_code.values().map(|same| one(app, dictionary, &schema::merged(same), rules, share)).collect();
    if shown.len() == 1 {
        return Ok(shown.remove(0));
    }
    Ok(
        json!({ "app": &*app.bundle_id, "definitions": shown, "note": "the arguments decide which one applies" }),
    )
}

/// The event that makes objects. It has a tool of its own, which takes fewer arguments.
const MAKE: &str = "corecrel";

fn one(app: &App, dictionary: &Dictionary, command: &Command, rules: &[LevelRule], most: usize) -> Json {
    let classified = classify_command(&app.bundle_id, command, rules);
    let tool = match classified.level {
        _ if command.code == MAKE => "iac_mcp_create",
        Level::Safe => "iac_mcp_read_command",
        _ => "iac_mcp_run_command",
    };
    let first = json!({
        "app": &*app.bundle_id,
        "command": term(&command.name),
        "code": term(&command.code),
        "level": classified.level.as_str(),
        "reason": format!("it {}", classified.reason),
        "tool": tool,
    });
    let mut answer = Answer::new(first, most);
    let said = foreign::clean(command.description.as_deref().unwrap_or_default(), 240);
    if !said.is_empty() {
        answer.add("description", json!(format!("— {said}")));
    }
    if command.code == MAKE {
        answer.add("example", json!({ "app": &*app.bundle_id, "class": "…", "properties": {} }));
        return answer.finish(NEXT);
    }
    if let Some(result) = &command.result {
        answer.add("result", json!(class::kind(&result.kind, dictionary)));
    }
    let full = schema::full(dictionary, command);
    answer.add("example", example(app, command, &full));
    answer.add("schema", full);
    if answer.has_left_out("schema") {
        answer.add("schema", schema::compact(dictionary, command));
    }
    answer.finish(NEXT)
}

/// A call with the required arguments, and placeholders for their values.
fn example(app: &App, command: &Command, schema: &Json) -> Json {
    let mut call = json!({ "app": &*app.bundle_id, "command": term(&command.name) });
    let required = schema.get("required").and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
    let mut arguments = Map::new();
    for name in required.iter().filter_map(Json::as_str) {
        let value = sample(&schema["properties"][name]);
        if name == TARGET {
            call[TARGET] = value;
        } else {
            arguments.insert(name.to_owned(), value);
        }
    }
    if !arguments.is_empty() {
        call["arguments"] = Json::Object(arguments);
    }
    call
}

/// A value that a schema takes.
fn sample(schema: &Json) -> Json {
    if let Some(first) = schema.get("anyOf").and_then(|all| all.get(0)) {
        return sample(first);
    }
    let says = |word: &str| schema["description"].as_str().is_some_and(|words| words.contains(word));
    match schema["type"].as_str() {
        Some("string") if schema["enum"][0].is_string() => schema["enum"][0].clone(),
        Some("string") if schema["format"] == "date-time" => json!("2026-01-27T10:30:00"),
        Some("string") if says("reference") => json!("ref_…"),
        Some("string") if says("path of a file") => json!("~/Documents/file.txt"),
        Some("string") => json!("…"),
        Some("integer") => json!(1),
        Some("number") => json!(1.5),
        Some("boolean") => json!(true),
        Some("array") => json!([sample(&schema["items"])]),
        Some("object") => json!({}),
        _ => Json::Null,
    }
}
