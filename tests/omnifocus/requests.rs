//! Changes: calls of the tools in one world, what a human is asked, and each answer as a whole.
//!
//! A scenario of `requests/` begins with `=== title`. Then come calls, `tool {arguments}` on one line each, and after
//! `---` the requests to the app and the results. `{{task:Name}}`, `{{project:Name}}`, `{{folder:Name}}` and
//! `{{tag:Name}}` in arguments stand for the id of the first item with the name. `UPDATE_EXPECT=1` writes the actual
//! results.

use std::path::Path;

use iac_plugin::{Json, json, serde_json};

use crate::scenarios::files;
use crate::world::{Asked, World, write};

#[test]
fn every_scenario_behaves_as_written() {
    let mut failures = Vec::new();
    for file in files("requests") {
        failures.extend(check(&file));
    }
    assert!(failures.is_empty(), "{} scenarios differ\n{}", failures.len(), failures.join("\n"));
}

/// If a mutation is too long for one program, it runs as several, and temporary ids stay valid across them.
#[test]
fn a_long_batch_is_divided() {
    let mut world = World::new();
    let task = |at: usize| {
        let mut data =
            json!({"name": format!("task {at}"), "note": "\"ä\"\n".repeat(600), "tempId": format!("t{at}")});
        if at > 0 {
            data["parentTempId"] = json!("t0");
        }
        json!({"operation": "create", "target": "task", "data": data})
    };
    let operations: Vec<Json> = (0..100).map(task).collect();
    let mut mutation =
        json!({"mutation": {"operation": "batch", "minimalResponse": true, "operations": operations}});
    let answer: Json =
        serde_json::from_str(&call_of(&mut world, "omnifocus_write", &mutation.to_string())).unwrap();
    assert_eq!(
        answer["data"]["summary"],
        json!({"created": 100, "updated": 0, "completed": 0, "deleted": 0, "errors": 0})
    );
    assert!(world.runs > 2, "{} runs", world.runs);
    let children = world.evaluate("flattenedTasks.byName('task 0').children.length");
    assert_eq!(children.unwrap().trim_end(), "99");
    mutation["mutation"]["atomicOperation"] = json!(true);
    let refused = call_of(&mut world, "omnifocus_write", &mutation.to_string());
    assert!(
        refused.starts_with("invalid_parameter: the operations are too long to be undone together"),
        "{refused}"
    );
    let wide: Vec<Json> = (0..101).map(task).collect();
    let refused = call_of(
        &mut world,
        "omnifocus_write",
        &json!({"mutation": {"operation": "batch", "operations": wide}}).to_string(),
    );
    assert!(
        refused.starts_with("invalid_parameter: `mutation.operations` has 101 items, expected 1 to 100"),
        "{refused}"
    );
}

fn check(file: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(file).unwrap();
    let text = format!("\n{}", text.trim_end());
    let scenarios: Vec<(String, String)> = text.split("\n=== ").skip(1).map(split).collect();
    assert!(!scenarios.is_empty(), "{} has no scenario", file.display());
    let happened: Vec<String> = scenarios.iter().map(|(calls, _)| run(calls)).collect();
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        rewrite(file, &scenarios, &happened);
    }
    let pairs = scenarios.iter().zip(&happened).filter(|((_, expected), happened)| expected != *happened);
    pairs
        .map(|((calls, expected), happened)| format!("== {calls}expected\n{expected}happened\n{happened}"))
        .collect()
}

/// A scenario's title, its calls, and the expected text.
fn split(scenario: &str) -> (String, String) {
    let (calls, expected) = scenario.split_once("\n---").unwrap_or((scenario.trim_end(), ""));
    let expected = expected.trim_matches('\n');
    (format!("{calls}\n"), if expected.is_empty() { String::new() } else { format!("{expected}\n") })
}

fn rewrite(file: &Path, scenarios: &[(String, String)], happened: &[String]) {
    let mut text = String::new();
    for ((calls, _), happened) in scenarios.iter().zip(happened) {
        text.push_str(&format!("=== {calls}---\n{happened}\n"));
    }
    write(file, &(text.trim_end().to_owned() + "\n"));
}

/// Runs the calls of a scenario in its own world.
fn run(calls: &str) -> String {
    let mut world = World::new();
    let mut out = String::new();
    for call in calls.lines().skip(1) {
        let (tool, arguments) = call.split_once(' ').unwrap();
        let arguments = named(&world, arguments);
        let answer = call_of(&mut world, &format!("omnifocus_{tool}"), &arguments);
        for Asked { acts, lines } in world.asked.drain(..) {
            out.push_str(&format!("? {}\n", acts.join(", ")));
            lines.iter().for_each(|line| out.push_str(&format!("  - {line}\n")));
        }
        out.push_str(&format!("{}\n", still(&answer)));
    }
    out
}

/// The world's clock starts at 09:30 and keeps running, so the seconds depend on the speed of the machine.
fn still(answer: &str) -> String {
    let mut text = answer.to_owned();
    for (at, _) in answer.match_indices("T09:30:") {
        text.replace_range(at + 7..at + 9, "00");
    }
    text
}

fn call_of(world: &mut World, tool: &str, arguments: &str) -> String {
    let arguments: Json =
        serde_json::from_str(arguments).unwrap_or_else(|error| panic!("{arguments}: {error}"));
    match world.try_call(tool, &arguments) {
        Ok(mut answer) => {
            // The undo has its own tests.
            if let Some(answer) = answer.as_object_mut() {
                answer.shift_remove("undo");
            }
            answer.to_string()
        }
        Err(fault) => {
            format!("{}: {}; {}", fault.code, fault.message, fault.suggestion.unwrap_or_default())
        }
    }
}

/// Replaces placeholders by ids.
fn named(world: &World, arguments: &str) -> String {
    let mut text = arguments.to_owned();
    while let Some(start) = text.find("{{") {
        let end = start + text[start..].find("}}").unwrap();
        let (kind, name) = text[start + 2..end].split_once(':').unwrap();
        let list = json!({"task": "Tasks", "project": "Projects", "folder": "Folders", "tag": "Tags"});
        let script = format!(
            "flattened{}.find((x) => x.name === {} && !x.project).id.primaryKey",
            list[kind].as_str().unwrap(),
            json!(name)
        );
        text.replace_range(start..end + 2, world.evaluate(&script).unwrap().trim_end());
    }
    text
}
