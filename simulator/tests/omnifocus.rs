//! Runs the scenarios of `omnifocus/` against the simulated OmniFocus. A scenario calls the plugin's tools natively,
//! runs the package's own scripts inside the app, and shows each answer.
//!
//! A scenario begins with `=== title`. Then come calls, `tool {arguments}` on one line each, and after `---` the
//! requests to the app and the results. `{{task:Name}}`, `{{project:Name}}`, `{{folder:Name}}` and `{{tag:Name}}` in
//! arguments stand for the id of the first item with the name. `UPDATE_EXPECT=1` writes the actual results.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use iac_plugin::{Arguments, Fault, Json, json, serde_json};
use omnifocus::{Engine, Moment, Script};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

#[test]
fn every_scenario_behaves_as_written() {
    let mut failures = Vec::new();
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder("tests/omnifocus")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    for file in files {
        failures.extend(check(&file));
    }
    assert!(failures.is_empty(), "{} scenarios differ\n{}", failures.len(), failures.join("\n"));
}

/// If a mutation is too long for one program, it runs as several, and temporary ids stay valid across them.
#[test]
fn a_long_batch_is_divided() {
    let folder = tempfile::tempdir().unwrap();
    let mut app = Simulated::new(folder.path());
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
    let answer: Json = serde_json::from_str(&app.call("omnifocus_write", &mutation.to_string())).unwrap();
    assert_eq!(
        answer["data"]["summary"],
        json!({"created": 100, "updated": 0, "completed": 0, "deleted": 0, "errors": 0})
    );
    assert!(app.runs > 2, "{} runs", app.runs);
    assert_eq!(app.evaluate("flattenedTasks.byName('task 0').children.length"), "99");
    mutation["mutation"]["atomicOperation"] = json!(true);
    let refused = app.call("omnifocus_write", &mutation.to_string());
    assert!(
        refused.starts_with("invalid_parameter: the operations are too long to be undone together"),
        "{refused}"
    );
    let wide: Vec<Json> = (0..101).map(task).collect();
    let refused = app.call(
        "omnifocus_write",
        &json!({"mutation": {"operation": "batch", "operations": wide}}).to_string(),
    );
    assert!(
        refused.starts_with("invalid_parameter: `mutation.operations` has 101 items, expected 1 to 100"),
        "{refused}"
    );
}

/// The tool descriptions that a client loads before its first call.
#[test]
fn the_tools_stay_small() {
    let tools = omnifocus::tools();
    let size = |tool: &iac_plugin::Tool| tool.description.len() + tool.input_schema.to_string().len();
    let all: usize = tools.iter().map(size).sum();
    assert!(
        all < 12_288,
        "{all} bytes: {:?}",
        tools.iter().map(|tool| (&tool.name, size(tool))).collect::<Vec<_>>()
    );
    assert!(tools.iter().all(|tool| tool.description.chars().count() <= 2_000));
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

#[expect(clippy::disallowed_methods, reason = "a test writes its expectations on request")]
fn rewrite(file: &Path, scenarios: &[(String, String)], happened: &[String]) {
    let mut text = String::new();
    for ((calls, _), happened) in scenarios.iter().zip(happened) {
        text.push_str(&format!("=== {calls}---\n{happened}\n"));
    }
    std::fs::write(file, text.trim_end().to_owned() + "\n").unwrap();
}

/// Runs the calls of a scenario in its own world.
fn run(calls: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let mut app = Simulated::new(folder.path());
    let mut out = String::new();
    for call in calls.lines().skip(1) {
        let (tool, arguments) = call.split_once(' ').unwrap();
        let arguments = app.named(arguments);
        let answer = app.call(&format!("omnifocus_{tool}"), &arguments);
        for line in app.asked.drain(..) {
            out.push_str(&format!("{line}\n"));
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

fn folder(below: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(below)
}

/// The simulated OmniFocus, as the plugin's host would reach it.
struct Simulated {
    world: PathBuf,
    /// The changes, in the words that a human would see.
    asked: Vec<String>,
    /// The number of scripts that ran.
    runs: usize,
}

impl Simulated {
    fn new(folder: &Path) -> Self {
        let world = folder.join("world");
        iac_simulator::worlds::create(&world, &self::folder("../fixtures/mac")).unwrap();
        let settings = json!({"base": self::folder("../fixtures/mac"), "clock": "anchor"}).to_string();
        #[expect(clippy::disallowed_methods, reason = "a test orders its world")]
        std::fs::write(world.join("world.json"), settings).unwrap();
        Self { world, asked: Vec::new(), runs: 0 }
    }

    fn call(&mut self, tool: &str, arguments: &str) -> String {
        let arguments: Json =
            serde_json::from_str(arguments).unwrap_or_else(|error| panic!("{arguments}: {error}"));
        let Json::Object(arguments) = arguments else { panic!("arguments are an object") };
        let moment = Moment::new(1_769_589_000_000, "Europe/Berlin", 3_600);
        match omnifocus::call(tool, Arguments::from(arguments), &moment, self) {
            Ok(mut answer) => {
                // The undo has its own tests, in tests/omnifocus/undo.rs.
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
    fn named(&self, arguments: &str) -> String {
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
            text.replace_range(start..end + 2, &self.evaluate(&script));
        }
        text
    }

    fn evaluate(&self, source: &str) -> String {
        let script = format!("Application('OmniFocus').evaluateJavascript({})", json!(source));
        #[expect(clippy::disallowed_methods, reason = "the program under test is started here")]
        let mut command = Command::new(env!("CARGO_BIN_EXE_osascript"));
        command.args(["-l", "JavaScript"]).env("IAC_MCP_WORLD", &self.world).env("TZ", "Europe/Berlin");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{source}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim_end_matches('\n').to_owned()
    }
}

impl Simulated {
    fn interpret(&mut self, script: Script, program: &Json, handed: Option<&Json>, acts: &[String]) -> Json {
        let parsed = |data: &Json| format!("JSON.parse({})", json!(data.to_string()));
        let handed = handed.map_or("undefined".to_owned(), parsed);
        let (data, acts) = (parsed(program), parsed(&json!(acts)));
        let source = format!("JSON.stringify(({})({data}, {handed}, Object.freeze({acts})))", text(script));
        assert!(source.len() < 240_000, "the host takes no more");
        self.runs += 1;
        serde_json::from_str(&self.evaluate(&source)).unwrap()
    }
}

impl Engine for Simulated {
    fn run(&mut self, script: Script, program: &Json) -> Result<Json, Fault> {
        Ok(self.interpret(script, program, None, &[]))
    }

    fn run_all(
        &mut self,
        script: Script,
        programs: &[Json],
        acts: &[String],
        objects: &[String],
    ) -> Result<Vec<Json>, Fault> {
        if script == Script::Write {
            self.asked.push(format!("? {}", acts.join(", ")));
            self.asked.extend(objects.iter().map(|line| format!("  - {line}")));
        }
        let mut answers: Vec<Json> = Vec::new();
        for program in programs {
            let handed = answers.last().map(|answer| answer["carry"].clone());
            if handed.as_ref().is_some_and(Json::is_null) {
                break;
            }
            answers.push(self.interpret(script, program, handed.as_ref(), acts));
        }
        Ok(answers)
    }

    fn app(&self) -> Option<String> {
        Some("com.omnigroup.OmniFocus4".to_owned())
    }
}

/// A script in the form in which the package contains it.
fn text(script: Script) -> String {
    let (file, fixed) = script.source();
    let read = |file| std::fs::read_to_string(folder(&format!("../plugins/omnifocus/{file}"))).unwrap();
    let (text, shared) = (read(file), read(Script::SHARED));
    let fixed: Json = fixed.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect();
    format!("((fixed, shared) => (\n{text}\n))({fixed}, (\n{shared}\n)())")
}
