//! A simulated OmniFocus whose clock stands still.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use iac_plugin::{Arguments, Fault, Json, json};
use iac_simulator::worlds::{self, Amounts};
use omnifocus::{Engine, Moment, Script};
use tempfile::TempDir;

/// The time of the simulated Mac's data: 28 January 2026, 09:30 in Vienna, a Wednesday.
pub(crate) const NOW: i64 = 1_769_589_000_000;
pub(crate) const ZONE: &str = "Europe/Vienna";

pub(crate) fn moment() -> Moment {
    Moment::new(NOW, ZONE, 3_600)
}

/// A separate world; only one test sees its changes.
pub(crate) struct World {
    _folder: TempDir,
    path: PathBuf,
    /// The number of script runs.
    pub(crate) runs: usize,
    /// The questions that a human would have got, with one entry for each change.
    pub(crate) asked: Vec<Asked>,
    /// Code for a change by another user of OmniFocus, between the question and the change.
    pub(crate) meanwhile: Option<String>,
    /// The error that the engine returns instead of making a change.
    pub(crate) fault: Option<Fault>,
    /// An act that the host does not pass to the script.
    pub(crate) withheld: Option<String>,
    /// Code that changes OmniFocus's own functions before a read or a change, so that one of them fails.
    pub(crate) sabotage: String,
}

/// The contents of a question: the acts, and a line for each object.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) acts: Vec<String>,
    pub(crate) lines: Vec<String>,
}

impl World {
    /// Makes the world that comes with the project.
    pub(crate) fn new() -> Self {
        Self::made(worlds::create)
    }

    /// Makes a world with this many tasks; the seed decides which.
    pub(crate) fn with_tasks(tasks: usize, seed: u64) -> Self {
        let amounts = Amounts { tasks: Some(tasks), seed, ..Amounts::default() };
        Self::made(|path, base| worlds::generate(path, base, &amounts))
    }

    fn made(make: impl Fn(&Path, &Path) -> Result<(), iac_simulator::WorldError>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("world");
        let base = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/mac");
        make(&path, &base).unwrap();
        let settings = path.join("world.json");
        let mut world: Json = serde_json::from_slice(&std::fs::read(&settings).unwrap()).unwrap();
        world["clock"] = json!("anchor");
        write(&settings, &world.to_string());
        Self {
            _folder: folder,
            path,
            runs: 0,
            asked: Vec::new(),
            meanwhile: None,
            fault: None,
            withheld: None,
            sabotage: String::new(),
        }
    }

    /// Calls a tool; an error is returned as an object with `error` and `suggestion`.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Json) -> Json {
        match self.try_call(tool, arguments) {
            Ok(answer) => answer,
            Err(fault) => json!({"error": fault.message, "suggestion": fault.suggestion}),
        }
    }

    pub(crate) fn try_call(&mut self, tool: &str, arguments: &Json) -> Result<Json, Fault> {
        let map = arguments.as_object().unwrap().clone();
        omnifocus::call(tool, Arguments::from(map), &moment(), self)
    }

    /// Evaluates source code inside OmniFocus and returns the result.
    pub(crate) fn evaluate(&self, source: &str) -> Result<String, String> {
        let program = format!("Application('OmniFocus').evaluateJavascript({})", json!(source));
        #[expect(clippy::disallowed_methods, reason = "the simulated Mac is a program")]
        let mut child = Command::new(env!("CARGO_BIN_EXE_omnifocus-osascript"))
            .args(["-l", "JavaScript", "-"])
            .env("IAC_MCP_WORLD", &self.path)
            .env("TZ", ZONE)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(program.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        match output.status.success() {
            true => Ok(String::from_utf8(output.stdout).unwrap()),
            false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
        }
    }
}

impl World {
    fn run_as(
        &mut self,
        script: Script,
        program: &Json,
        before: Option<&Json>,
        acts: &[String],
    ) -> Result<Json, Fault> {
        self.runs += 1;
        let (file, fixed) = script.source();
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../plugins/omnifocus");
        let read = |file| std::fs::read_to_string(folder.join(file)).unwrap();
        let (text, shared) = (read(file), read(Script::SHARED));
        let fixed: Json = fixed.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect();
        let (data, acts) = (json!(program.to_string()), json!(acts));
        let before = before.map_or_else(|| "undefined".to_owned(), Json::to_string);
        let sabotage = if script != Script::Look { self.sabotage.as_str() } else { "" };
        let source = format!(
            "{sabotage}\nJSON.stringify(((fixed, shared) => (\n{text}\n))({fixed}, (\n{shared}\n)())(JSON.parse({data}), {before}, Object.freeze({acts})))"
        );
        assert!(source.chars().count() < 240_000, "the script and its data are too long");
        let answer = self.evaluate(&source).map_err(|error| Fault::new("execution_failed", error))?;
        Ok(serde_json::from_str(&answer).unwrap())
    }
}

impl Engine for World {
    fn run(&mut self, script: Script, program: &Json) -> Result<Json, Fault> {
        self.run_as(script, program, None, &[])
    }

    fn run_all(
        &mut self,
        script: Script,
        programs: &[Json],
        acts: &[String],
        objects: &[String],
    ) -> Result<Vec<Json>, Fault> {
        if script == Script::Write {
            self.asked.push(Asked { acts: acts.to_vec(), lines: objects.to_vec() });
            if let Some(source) = self.meanwhile.take() {
                self.evaluate(&source).unwrap();
            }
            if let Some(fault) = self.fault.take() {
                return Err(fault);
            }
        }
        let acts: Vec<String> =
            acts.iter().filter(|act| self.withheld.as_ref() != Some(*act)).cloned().collect();
        let mut answers: Vec<Json> = Vec::new();
        for program in programs {
            let before = answers.last().map(|answer| answer["carry"].clone());
            if before.as_ref().is_some_and(Json::is_null) {
                break;
            }
            answers.push(self.run_as(script, program, before.as_ref(), &acts)?);
        }
        Ok(answers)
    }

    fn app(&self) -> Option<String> {
        Some("com.omnigroup.OmniFocus4".to_owned())
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "a test keeps its own files, and nothing else reads them at the same time"
)]
pub(crate) fn write(path: &Path, text: &str) {
    std::fs::write(path, text).unwrap();
}
