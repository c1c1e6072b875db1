//! The server accepts everything that a command's schema allows, and refuses everything else before anything runs.

use std::collections::BTreeSet;
use std::sync::Arc;

use iac_core::Millis;
use iac_core::app::Apps;
use iac_core::call::Call;
use iac_core::catalog::{Catalog, CommandTool};
use iac_core::permission::{Gate, Policy, Profile};
use iac_core::plan::Learned;
use iac_core::reference::{RefId, References};
use iac_core::step::{self, Event, Step, World};
use serde_json::{Map, Value as Json, json};

use crate::support::arguments::{Dice, arguments};
use crate::support::corpus::{all, dictionary};

/// The number of argument sets for each command.
const ROUNDS: usize = 8;

#[test]
fn what_a_schema_allows_is_taken() {
    let apps = Apps(all());
    let mut wrong = Vec::new();
    for_each_tool(&apps, |catalog, tool, dice| {
        for _ in 0..ROUNDS {
            let Some(given) = arguments(&tool.input_schema, dictionary_of(&apps, tool), dice) else {
                continue;
            };
            if !jsonschema::draft202012::new(&tool.input_schema)
                .unwrap()
                .is_valid(&Json::Object(given.clone()))
            {
                wrong.push(format!("{}: the test makes {given:?}", tool.name));
            }
            match begin(&apps, catalog, &tool.name, given.clone()) {
                Step::Run(_) => {}
                Step::Done(outcome) if is_about_permission(&outcome.body) => {}
                Step::Done(outcome) => {
                    wrong.push(format!("{} {given:?}: {}", tool.name, outcome.body["message"]))
                }
                Step::Load(_) => wrong.push(format!("{} reads a dictionary", tool.name)),
                Step::Ask(_) => wrong.push(format!("{} asks", tool.name)),
            }
        }
    });
    assert!(
        wrong.is_empty(),
        "{} of them, such as\n{}",
        wrong.len(),
        wrong[..wrong.len().min(40)].join("\n")
    );
}

#[test]
fn what_a_schema_does_not_allow_is_refused() {
    let apps = Apps(all());
    let mut wrong = Vec::new();
    for_each_tool(&apps, |catalog, tool, dice| {
        let Some(good) = arguments(&tool.input_schema, dictionary_of(&apps, tool), dice) else { return };
        for (name, bad) in spoiled(&tool.input_schema, &good) {
            let shown = format!("{} {}", tool.name, Json::Object(bad.clone()));
            match begin(&apps, catalog, &tool.name, bad) {
                Step::Done(outcome) => {
                    let body = outcome.body;
                    let names_it =
                        body["parameter"].as_str().is_some_and(|parameter| parameter.contains(&name));
                    let schema = body["schema"]["type"] == "object";
                    if !(outcome.is_error && body["error"] == "invalid_parameter" && names_it && schema) {
                        wrong.push(format!("{shown}: {body}"));
                    }
                }
                _ => wrong.push(format!("{shown}: would run")),
            }
        }
    });
    assert!(
        wrong.is_empty(),
        "{} of them, such as\n{}",
        wrong.len(),
        wrong[..wrong.len().min(40)].join("\n")
    );
}

/// Valid arguments with one mistake each, and the parameter with the mistake.
fn spoiled(schema: &Json, good: &Map<String, Json>) -> Vec<(String, Map<String, Json>)> {
    let with = |name: &str, value: Json| {
        let mut bad = good.clone();
        bad.insert(name.to_owned(), value);
        (name.to_owned(), bad)
    };
    let mut all = vec![with("noSuchParameter", json!(1))];
    for name in schema["required"].as_array().into_iter().flatten().filter_map(Json::as_str) {
        let mut bad = good.clone();
        bad.shift_remove(name);
        all.push((name.to_owned(), bad));
    }
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let bad = match property["type"].as_str() {
            Some("boolean" | "integer" | "number") => json!("yes"),
            Some("string") if property["enum"].is_array() => json!("no such value"),
            Some("string") if property["format"] == "date-time" => json!("some day"),
            Some("string") => json!(7),
            Some("array") => json!("not a list"),
            _ => continue,
        };
        all.push(with(name, bad));
    }
    all
}

fn for_each_tool(apps: &Apps, mut each: impl FnMut(&Catalog, &CommandTool, &mut Dice)) {
    let catalog = Catalog::new(&apps.0, &BTreeSet::new(), &[]);
    for tool in catalog.tools() {
        each(&catalog, tool, &mut Dice::new(&tool.name));
    }
}

fn dictionary_of<'a>(apps: &'a Apps, tool: &CommandTool) -> &'a iac_core::dictionary::Dictionary {
    dictionary(apps.find(tool.app()).expect("the tool has an app"))
}

/// The policy is the profile `trusted` without rules, which refuses only shells.
fn begin(apps: &Apps, catalog: &Catalog, name: &str, arguments: Map<String, Json>) -> Step {
    let gate = Gate { policy: Arc::new(Policy::of(Profile::Trusted)), ..Gate::default() };
    let mut references = References::default();
    let mut learned = Learned::default();
    let mut fresh = || RefId::from_random([9; 10]);
    let mut world = World {
        apps,
        references: &mut references,
        learned: &mut learned,
        gate: &&gate,
        home: "/Users/alex",
        now: Millis(1),
        fresh: &mut fresh,
    };
    let call: Call = catalog.find(name).expect("the catalog has the tool").call(arguments.clone());
    let mut step = step::start(call, &mut world);
    // The Mac gives the offset of a date before the server parses the call; no app is involved.
    while let Step::Run(run) = step {
        let data: Json = serde_json::from_str(run.script.data()).expect("the data of a script is JSON");
        let asked = data["moments"].as_array().filter(|_| run.app.is_empty());
        let Some(count) = asked.map(Vec::len) else { return Step::Run(run) };
        let dates = vec!["2026-01-27T10:30:00+01:00"; count];
        let reply = json!({ "ok": true, "value": dates, "events": 0 }).to_string();
        step = step::resume(run.pending, Event::Replied(reply), &mut world);
    }
    step
}

fn is_about_permission(body: &Json) -> bool {
    body["error"] == "permission_denied" || body["error"] == "permission_required"
}
