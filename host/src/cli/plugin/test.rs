//! `plugin test`: golden calls on a simulated Mac made for each, or from their journals on none.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use clap::Args;
use serde_json::{Value as Json, json};
use tempfile::TempDir;

use super::golden::{CALLS, Golden, Names};
use super::{Failure, author, engine, operator, read, working};
use crate::apps::{self, Roots};
use crate::cli::options::Common;
use crate::cli::paint;
use crate::osascript;
use crate::pipeline::{Pipeline, Settings};
use crate::plugins::engine::engine::Now;
use crate::plugins::engine::journal::Recording;
use crate::plugins::engine::package::{self, Package};
use crate::plugins::trial::{Trial, Tried};
use crate::simulated::{self, NOTE, World};
use crate::state::State;

#[derive(Debug, Args)]
pub(in crate::cli) struct Test {
    /// The package, or the folder with plugin.toml, which is built first where it has a Cargo.toml; `calls` is beside it.
    #[arg(default_value = ".", value_name = "FILE|DIR")]
    what: PathBuf,
    /// Writes the answers into the files of the calls.
    #[arg(long)]
    update: bool,
    /// Keeps beside each call what the plugin asked and was told.
    #[arg(long)]
    record: bool,
    /// Makes the calls from what was recorded, without any Mac.
    #[arg(long, conflicts_with_all = ["update", "record"])]
    replay: bool,
    /// A folder that it may read, or start language servers for; `--root` says the same here.
    #[arg(long, value_name = "DIR")]
    folder: Vec<PathBuf>,
}

/// What came of one golden call.
struct Row {
    name: String,
    outcome: Outcome,
    milliseconds: u128,
}

enum Outcome {
    Same,
    Written,
    Differs(String),
}

impl Test {
    pub(super) fn run(self, common: &Common, roots: Vec<PathBuf>) -> Result<(), Failure> {
        let golden = Golden::all(&self.calls())?;
        let bytes = read(&self.package()?)?;
        let package = package::read(&bytes)?;
        let trial = self.trial(&bytes, &package, &roots)?;
        let rows = working("testing", async {
            match self.replay {
                true => replay(&trial, &package, &golden).await,
                false => self.live(&trial, &package, golden).await,
            }
        })??;
        show(&rows, common)
    }

    fn calls(&self) -> PathBuf {
        match self.what.is_dir() {
            true => self.what.join(CALLS),
            false => self.what.with_file_name(CALLS),
        }
    }

    fn package(&self) -> Result<PathBuf, Failure> {
        let folder = &self.what;
        match folder.is_dir() {
            false => Ok(folder.clone()),
            true if folder.join("Cargo.toml").is_file() => author::build(folder, None),
            true => Ok(folder.join(format!("{}.wasm", author::id(&folder.join("plugin.toml"))?))),
        }
    }

    /// Links the package with all that it wants.
    fn trial(&self, bytes: &[u8], package: &Package, roots: &[PathBuf]) -> Result<Trial, Failure> {
        let folders = self.folder.iter().chain(roots).map(|path| operator::folder(path));
        let folders = folders.collect::<Result<Vec<String>, Failure>>()?;
        let mut grants = package.grants();
        // A recording needs no folder, but is asked for the one that it was made with.
        operator::add_folders(&mut grants, package, &folders)?;
        Ok(Trial::new(&engine()?, bytes, package, grants)?)
    }

    async fn live(&self, trial: &Trial, package: &Package, golden: Vec<Golden>) -> Result<Vec<Row>, Failure> {
        let bench = Bench::new()?;
        let mut rows = Vec::new();
        for mut golden in golden {
            let began = Instant::now();
            let Tried { mut answer, recording } = bench.call(trial, package, &golden).await?;
            let mut names = Names::default();
            answer = answer.map(|body| named(&mut names, body)).map_err(|body| named(&mut names, body));
            let milliseconds = began.elapsed().as_millis();
            let mut outcome = self.compare(&mut golden, &answer)?;
            if self.record && !matches!(outcome, Outcome::Differs(_)) {
                let recording = names.recording(&recording);
                golden.record(&recording)?;
                // A plugin that takes references apart, or sorts by them, goes another way with other ones.
                if let Some(how) = repeats(trial, tool(package, &golden)?, &golden, recording).await {
                    outcome = Outcome::Differs(format!("its journal does not repeat it: {how}"));
                }
            }
            rows.push(Row { name: golden.name, outcome, milliseconds });
        }
        Ok(rows)
    }

    fn compare(&self, golden: &mut Golden, answer: &Result<Json, Json>) -> Result<Outcome, Failure> {
        Ok(match golden.difference(answer) {
            None => Outcome::Same,
            Some(_) if self.update => {
                golden.update(answer)?;
                Outcome::Written
            }
            Some(how) => Outcome::Differs(how),
        })
    }
}

fn named(names: &mut Names, mut body: Json) -> Json {
    names.name(&mut body);
    body
}

async fn replay(trial: &Trial, package: &Package, golden: &[Golden]) -> Result<Vec<Row>, Failure> {
    let mut rows = Vec::new();
    for golden in golden {
        let (began, tool) = (Instant::now(), tool(package, golden)?);
        let how = match golden.recorded()? {
            Some(recording) => repeats(trial, tool, golden, recording).await,
            None => Some("it was not recorded; --record does that".to_owned()),
        };
        let outcome = how.map_or(Outcome::Same, Outcome::Differs);
        rows.push(Row { name: golden.name.clone(), outcome, milliseconds: began.elapsed().as_millis() });
    }
    Ok(rows)
}

/// Returns the first difference between a recorded call and the same call now.
async fn repeats(trial: &Trial, tool: &str, golden: &Golden, recording: Recording) -> Option<String> {
    match trial.replay((tool, &golden.call.arguments), recording).await {
        Ok(answer) => golden.difference(&answer),
        Err(how) => Some(how),
    }
}

/// Which tool a call means.
fn tool<'a>(package: &'a Package, golden: &'a Golden) -> Result<&'a str, Failure> {
    let mut names = package.tools.iter().map(|tool| tool.name.as_str());
    let known = names.clone().collect::<Vec<_>>().join(", ");
    let found = match (&golden.call.tool, names.len()) {
        (Some(tool), _) => names.find(|name| name == tool),
        (None, 1) => names.next(),
        (None, _) => None,
    };
    let name = &golden.name;
    found.ok_or_else(|| Failure::Misuse(format!("{CALLS}/{name}.json: expected `tool` to be one of {known}")))
}

/// Where simulated Macs are made: one set of apps, and for each call a world of its own.
struct Bench {
    folder: TempDir,
    now: Now,
}

impl Bench {
    fn new() -> Result<Self, Failure> {
        let folder = tempfile::Builder::new().prefix("iac-mcp-test-").tempdir()?;
        let base = folder.path().join("base");
        simulated::unpack(&base).map_err(Failure::Failed)?;
        let now = now(&base.join(NOTE))?;
        Ok(Self { folder, now })
    }

    async fn call(&self, trial: &Trial, package: &Package, golden: &Golden) -> Result<Tried, Failure> {
        let tool = tool(package, golden)?;
        let own = self.folder.path().join("calls").join(&golden.name);
        let pipeline = Arc::new(self.pipeline(&own)?);
        let call = (tool, &golden.call.arguments);
        let tried = trial.call(&pipeline, &own.join("plugins"), call, Recording::at(self.now.clone())).await;
        pipeline.shutdown().await;
        tried.map_err(Failure::Failed)
    }

    /// A Mac at the instant at which its data was taken, where everything is allowed that the gate can allow.
    fn pipeline(&self, own: &Path) -> Result<Pipeline, Failure> {
        let (mac, state, base) = (own.join("mac"), own.join("state"), self.folder.path().join("base"));
        let settings = json!({ "base": base, "clock": "anchor" }).to_string();
        author::write(&mac.join("world.json"), settings.as_bytes())?;
        author::write(&state.join("policy.toml"), POLICY.as_bytes())?;
        let world = World::kept(mac.clone())?;
        let mut osascript = osascript::Settings::simulated(&std::env::current_exe()?, &mac);
        osascript.environment.push((OsString::from("TZ"), OsString::from("UTC")));
        let cache = Some(self.folder.path().join("cache"));
        Ok(Pipeline::new(Settings {
            apps: apps::Settings { roots: Roots::below(world.base()), cache, standard: None },
            osascript,
            home: world.home(),
            world: Some(world),
            state: Some(State::open(state)?),
            ..Settings::default()
        })?)
    }
}

/// What was read is a plugin's own business here: no human is there to be asked.
const POLICY: &str = "profile = \"trusted\"\nafter-untrusted = \"as-usual\"\n";

/// The instant at which a simulated Mac's data was taken, in UTC.
fn now(note: &Path) -> Result<Now, Failure> {
    let note: Json = serde_json::from_slice(&read(note)?).unwrap_or_default();
    let anchor = note["anchor"].as_str().and_then(|text| text.parse::<jiff::civil::DateTime>().ok());
    let anchor = anchor.and_then(|local| local.to_zoned(jiff::tz::TimeZone::UTC).ok());
    let anchor =
        anchor.ok_or_else(|| Failure::Failed("the simulated Mac does not say when it is".to_owned()))?;
    let milliseconds = u64::try_from(anchor.timestamp().as_millisecond()).unwrap_or_default();
    Ok(Now { milliseconds, ..Now::default() })
}

fn show(rows: &[Row], common: &Common) -> Result<(), Failure> {
    if common.json {
        let calls: Vec<Json> = rows.iter().map(Row::json).collect();
        paint::answer(&json!({ "calls": calls }), true)?;
    } else {
        let mut table = paint::table(&["Call", "Result", "#ms", "First difference"]);
        for Row { name, outcome, milliseconds } in rows {
            let how = if let Outcome::Differs(how) = outcome { how } else { "" };
            table.add_row([name, outcome.name(), &milliseconds.to_string(), how]);
        }
        paint::print(&table)?;
    }
    let differs = rows.iter().any(|row| matches!(row.outcome, Outcome::Differs(_)));
    if differs { Err(Failure::Said) } else { Ok(()) }
}

impl Row {
    fn json(&self) -> Json {
        let mut row = json!({
            "call": self.name, "result": self.outcome.name(), "milliseconds": self.milliseconds as u64,
        });
        if let Outcome::Differs(how) = &self.outcome {
            row["difference"] = json!(how);
        }
        row
    }
}

impl Outcome {
    fn name(&self) -> &'static str {
        match self {
            Self::Same => "ok",
            Self::Written => "written",
            Self::Differs(_) => "differs",
        }
    }
}
