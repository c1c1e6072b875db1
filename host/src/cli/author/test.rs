//! `plugin test`: runs golden calls, each on a new simulated Mac, or from its journal without a Mac.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use clap::Args;
use serde_json::{Value as Json, json};

use super::golden::{Golden, Names, short};
use super::macs::{Macs, NO_NETWORK};
use super::subject::{Subject, Which};
use crate::cli::Failure;
use crate::cli::options::Common;
use crate::cli::package::working;
use crate::cli::paint;
use crate::plugins::engine::engine::{INTERPRETED, Line, LogLevel, Report};
use crate::plugins::engine::journal::Recording;
use crate::plugins::trial::{Trial, Tried};
use crate::web::Web;

#[derive(Debug, Args)]
pub(in crate::cli) struct Test {
    #[command(flatten)]
    which: Which,
    /// Writes the answers to the files of the calls.
    #[arg(long)]
    update: bool,
    /// Records each call's questions and answers in a journal beside it.
    #[arg(long)]
    record: bool,
    /// Repeats the calls from their journals, without any Mac.
    #[arg(long, conflicts_with_all = ["update", "record"])]
    replay: bool,
}

/// The result of one golden call.
struct Row {
    name: String,
    outcome: Outcome,
    milliseconds: u128,
    log: Vec<Line>,
    /// The guest's stack when it was stopped.
    place: Vec<String>,
    /// The whole answer or error, if it differs. The table shows only the first difference.
    got: Option<Json>,
}

/// The most characters of a difference in the table: two or three lines of a cell in an ordinary window. The cause of
/// an error often comes later, so it is also shown below the table.
const CELL: usize = 160;

/// The most characters of a difference below the table: a few screens. `--json` has all of it.
const WHOLE: usize = 8_000;

enum Outcome {
    Same,
    Written,
    Differs(String),
}

impl Test {
    /// Makes the test of the plugin in a folder.
    pub(super) fn of(folder: PathBuf, granted: Vec<PathBuf>) -> Self {
        Self { which: Which::of(folder, granted), update: false, record: false, replay: false }
    }

    pub(super) fn run(self, common: &Common, roots: Vec<PathBuf>) -> Result<(), Failure> {
        let mut subject = self.which.find(common, &roots)?;
        let golden = std::mem::take(&mut subject.golden);
        let trial = subject.trial(common)?;
        let rows = working("testing", async {
            match self.replay {
                true => replay(&trial, &subject, &golden).await,
                false => self.live(&trial, &subject, golden, common.state().as_deref()).await,
            }
        })??;
        show(&rows, common)
    }

    /// Runs the calls. A web request that is recorded may need a secret from `state`.
    async fn live(
        &self,
        trial: &Trial,
        subject: &Subject,
        golden: Vec<Golden>,
        state: Option<&Path>,
    ) -> Result<Vec<Row>, Failure> {
        let macs = Macs::new()?;
        let mut rows = Vec::new();
        for mut golden in golden {
            if !self.record && golden.recorded()?.is_some_and(|recording| recording.asks_the_web()) {
                // A web server may answer differently tomorrow, which says nothing about the plugin.
                rows.extend(replay(trial, subject, std::slice::from_ref(&golden)).await?);
                continue;
            }
            let web = if self.record { Web::of(state) } else { Web::nowhere(NO_NETWORK) };
            let (began, tool) = (Instant::now(), subject.tool(&golden)?);
            let trial = &subject.set(trial, &golden)?;
            let Tried { mut answer, recording, report, .. } = call(&macs, trial, tool, &golden, web).await?;
            let mut names = Names::default();
            answer = answer.map(|body| named(&mut names, body)).map_err(|body| named(&mut names, body));
            let milliseconds = began.elapsed().as_millis();
            let mut outcome = self.compare(&mut golden, &answer)?;
            if self.record && !matches!(outcome, Outcome::Differs(_)) {
                let recording = names.recording(&recording);
                golden.record(&recording)?;
                // A plugin that depends on the characters of references, for example by sorting them, behaves
                // differently with other ones.
                if let Some(how) = repeats(trial, tool, &golden, recording).await {
                    outcome = Outcome::Differs(format!("the call differs from its journal: {how}"));
                }
            }
            let got = matches!(outcome, Outcome::Differs(_)).then(|| answer.unwrap_or_else(|error| error));
            let Report { log, place, .. } = report;
            rows.push(Row { name: golden.name, outcome, milliseconds, log, place, got });
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

async fn replay(trial: &Trial, subject: &Subject, golden: &[Golden]) -> Result<Vec<Row>, Failure> {
    let mut rows = Vec::new();
    for golden in golden {
        let (began, tool) = (Instant::now(), subject.tool(golden)?);
        let how = match golden.recorded()? {
            Some(recording) => repeats(&subject.set(trial, golden)?, tool, golden, recording).await,
            None => Some("it has no journal; record one with --record".to_owned()),
        };
        let outcome = how.map_or(Outcome::Same, Outcome::Differs);
        let (name, milliseconds) = (golden.name.clone(), began.elapsed().as_millis());
        rows.push(Row { name, outcome, milliseconds, log: Vec::new(), place: Vec::new(), got: None });
    }
    Ok(rows)
}

/// Replays the golden calls of a package from their journals, as [`Test`] does. Returns the differences.
///
/// # Errors
/// There are no golden calls, or one is malformed.
pub(in crate::cli) fn replayed(
    common: &Common,
    bytes: Vec<u8>,
    calls: &Path,
    roots: &[PathBuf],
) -> Result<Vec<String>, Failure> {
    let subject = Subject::of(bytes, Golden::all(calls)?, roots)?;
    let trial = subject.trial(common)?;
    let rows = working("testing", replay(&trial, &subject, &subject.golden))??;
    let differs = rows.into_iter().filter_map(|row| match row.outcome {
        Outcome::Differs(how) => Some(format!("its call {}: {}", row.name, short(&how, CELL))),
        Outcome::Same | Outcome::Written => None,
    });
    Ok(differs.collect())
}

/// Runs a call on a simulated Mac of its own.
async fn call(macs: &Macs, trial: &Trial, tool: &str, golden: &Golden, web: Web) -> Result<Tried, Failure> {
    let own = macs.folder().join("calls").join(&golden.name);
    let pipeline = Arc::new(macs.pipeline(&own, web)?);
    let call = (tool, &golden.call.arguments);
    let tried = trial.call(&pipeline, &own.join("plugins"), call, Recording::at(macs.now())).await;
    pipeline.shutdown().await;
    tried.map_err(Failure::Failed)
}

/// Returns the first difference between a recorded call and its replay.
async fn repeats(trial: &Trial, tool: &str, golden: &Golden, recording: Recording) -> Option<String> {
    match trial.replay((tool, &golden.call.arguments), recording).await {
        Ok(answer) => golden.difference(&answer),
        Err(how) => Some(how),
    }
}

fn show(rows: &[Row], common: &Common) -> Result<(), Failure> {
    if common.json {
        let calls: Vec<Json> = rows.iter().map(Row::json).collect();
        paint::answer(&json!({ "calls": calls }), true)?;
    } else {
        let mut table = paint::table(&["Call", "Result", "#ms", "First difference"]);
        for Row { name, outcome, milliseconds, .. } in rows {
            let how = if let Outcome::Differs(how) = outcome { how } else { "" };
            table.add_row([name, outcome.name(), &milliseconds.to_string(), &short(how, CELL)]);
        }
        paint::print(&table)?;
        rows.iter().try_for_each(Row::explain)?;
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
        if let Some(got) = &self.got {
            row["got"] = got.clone();
        }
        if !self.log.is_empty() {
            let line = |line: &Line| json!({"level": line.level.name(), "text": line.text});
            row["log"] = self.log.iter().map(line).collect();
        }
        if !self.place.is_empty() {
            row["place"] = json!(self.place);
        }
        row
    }

    /// Prints what the table cut off, the plugin's log, and where the plugin was stopped. For a call that passes, it
    /// prints only warnings.
    fn explain(&self) -> Result<(), Failure> {
        let mut out = paint::stdout();
        if let Outcome::Differs(how) = &self.outcome
            && short(how, CELL) != *how
        {
            writeln!(out, "{}: {}", self.name, short(how, WHOLE))?;
        }
        let all = matches!(self.outcome, Outcome::Differs(_));
        for Line { level, text } in &self.log {
            if all || matches!(level, LogLevel::Error | LogLevel::Warn) {
                writeln!(out, "{}: {}: {text}", self.name, level.name())?;
            }
        }
        if !self.place.is_empty() {
            writeln!(out, "{}: stopped in {}", self.name, self.place.join(" called by "))?;
        }
        if self.place.last().is_some_and(|place| place == INTERPRETED) {
            let how = "\"The line of Python\" in docs/plugin-debugging.md shows how to find the line";
            writeln!(out, "{}: {how}", self.name)?;
        }
        Ok(())
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
