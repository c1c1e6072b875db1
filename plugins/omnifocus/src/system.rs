//! `omnifocus_system`: which OmniFocus is installed, and whether it answers.

use iac_plugin::{Arguments, Fault, Json, Tool, json};

use crate::answer::Answers;
use crate::program::{self, Kind, Predicate, Query};
use crate::{Engine, Moment, Script, answer};

pub(crate) fn tool() -> Tool {
    Tool::reads("omnifocus_system", DESCRIPTION, schema())
        .titled("OmniFocus: version, diagnostics and metrics")
}

const DESCRIPTION: &str = "Says which OmniFocus answers and how much it holds. operation: version (default), diagnostics \
(what works and what to do where it does not), metrics (counts of tasks, projects, tags, folders, perspectives).";

fn schema() -> Json {
    json!({
        "type": "object",
        "properties": {"operation": {"enum": ["version", "diagnostics", "metrics"]}},
    })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operation {
    Version,
    Diagnostics,
    Metrics,
}

/// Answers one call.
///
/// # Errors
/// `invalid_parameter` if an argument is not understood, and, except for diagnostics, the errors of the engine.
pub(crate) fn call(arguments: Arguments, moment: &Moment, engine: &mut dyn Engine) -> Result<Json, Fault> {
    let object = arguments.object();
    object.only(&["operation"], &[("cache", "nothing is cached: every answer is of this moment")])?;
    let operations = [
        ("version", Operation::Version),
        ("diagnostics", Operation::Diagnostics),
        ("metrics", Operation::Metrics),
    ];
    match object.word("operation", &operations)?.unwrap_or(Operation::Version) {
        Operation::Version => version(moment, engine),
        Operation::Diagnostics => Ok(diagnostics(moment, engine)),
        Operation::Metrics => metrics(moment, engine),
    }
}

fn version(moment: &Moment, engine: &mut dyn Engine) -> Result<Json, Fault> {
    let about = about(moment, engine, vec![])?.about;
    let mut data = plugin();
    data["omnifocus"] = json!({"app": engine.app(), "version": about["version"], "build": about["build"]});
    data["features"] = about["features"].clone();
    Ok(json!({"success": true, "data": data}))
}

fn plugin() -> Json {
    json!({"plugin": {"id": "omnifocus", "version": env!("CARGO_PKG_VERSION"), "api": "0.1"}})
}

fn about(moment: &Moment, engine: &mut dyn Engine, queries: Vec<Query>) -> Result<Answers, Fault> {
    let mut program = program::program(moment, queries);
    program["about"] = json!(true);
    answer::send(engine, &program)
}

/// If something is wrong, diagnostics returns it with its remedy as an answer and not as an error.
fn diagnostics(moment: &Moment, engine: &mut dyn Engine) -> Json {
    let everything = Predicate::everything();
    let one = Query::new(Kind::Tasks, &everything).roots().rows(&["id"], &[], 0, 1);
    let mut checks = Vec::new();
    let mut check = |name: &str, result: Result<Json, Fault>| {
        checks.push(match result {
            Ok(found) => json!({"check": name, "ok": true, "found": found}),
            Err(fault) => json!({
                "check": name, "ok": false, "error": fault.code, "message": fault.message,
                "suggestion": fault.suggestion,
            }),
        });
    };
    match about(moment, engine, vec![one]) {
        Ok(mut answers) => {
            check("OmniFocus answers", Ok(answers.about.clone()));
            check("the database can be read", Ok(json!({"tasks": answers.take().total()})));
        }
        Err(mut fault) => {
            // No one has reported how an OmniFocus without Pro answers, so diagnostics mentions the license beside any
            // error.
            if !matches!(&*fault.code, "unknown_app" | "app_not_found" | "app_not_running") {
                let before = fault.suggestion.take().map(|before| format!("{before}; ")).unwrap_or_default();
                fault.suggestion = Some(format!("{before}{PRO}"));
            }
            check("OmniFocus answers", Err(fault));
        }
    }
    check(
        "the zone of local times",
        Ok(json!({"now": moment.text(moment.milliseconds()), "zone": moment.zone()})),
    );
    let healthy = checks.iter().all(|check| check["ok"] == true);
    let mut data = plugin();
    data["healthy"] = json!(healthy);
    data["app"] = json!(engine.app());
    data["scripts"] =
        [Script::Read, Script::Look, Script::Write].iter().map(|script| script.name()).collect();
    data["checks"] = Json::Array(checks);
    json!({"success": true, "data": data})
}

const PRO: &str = "scripts inside OmniFocus are a feature of OmniFocus Pro: if the license is Standard, upgrade it in \
    OmniFocus, under its menu, Licenses";

fn metrics(moment: &Moment, engine: &mut dyn Engine) -> Result<Json, Fault> {
    let everything = Predicate::everything();
    let states = |kind, words: &[&'static str]| {
        let count =
            |query: Query, word: &&'static str| query.count(word, &Predicate::Is("status", json!(word)));
        words.iter().fold(Query::new(kind, &everything), count)
    };
    let tasks = states(Kind::Tasks, TASKS)
        .count("available", &Predicate::flag("available", true))
        .count("inbox", &Predicate::flag("inInbox", true).and(Predicate::Is("status", json!("active"))))
        .count("recurring", &Predicate::Exists("repetitionRule", true));
    let queries = vec![
        tasks,
        states(Kind::Projects, PROJECTS),
        states(Kind::Tags, TAGS),
        states(Kind::Folders, FOLDERS),
        Query::new(Kind::Perspectives, &everything),
    ];
    let mut answers = answer::run(engine, moment, queries)?;
    let mut data = json!({});
    let more: Vec<&str> = [TASKS, &["available", "inbox", "recurring"]].concat();
    for (kind, labels) in [
        ("tasks", more.as_slice()),
        ("projects", PROJECTS),
        ("tags", TAGS),
        ("folders", FOLDERS),
        ("perspectives", &[]),
    ] {
        let found = answers.take();
        data[kind] = json!({"total": found.total()});
        for label in labels {
            data[kind][*label] = json!(found.count(label));
        }
    }
    Ok(json!({"success": true, "data": data, "metadata": {"asOf": moment.text(moment.milliseconds())}}))
}

const TASKS: &[&str] = &["active", "completed", "dropped"];
const PROJECTS: &[&str] = &["active", "on_hold", "completed", "dropped"];
const TAGS: &[&str] = &["active", "on_hold", "dropped"];
const FOLDERS: &[&str] = &["active", "dropped"];
