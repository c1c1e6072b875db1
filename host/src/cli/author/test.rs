//! `plugin test`: golden calls on a simulated Mac made for each, or from their journals on none.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use clap::Args;
use serde_json::{Value as Json, json};

use super::golden::{Golden, Names};
use super::macs::Macs;
use super::subject::{Subject, Which};
use crate::cli::Failure;
use crate::cli::options::Common;
use crate::cli::package::working;
use crate::cli::paint;
use crate::plugins::engine::journal::Recording;
use crate::plugins::trial::{Trial, Tried};

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
        let mut subject = self.which.find(common, &roots)?;
        let golden = std::mem::take(&mut subject.golden);
        let trial = subject.trial(common)?;
        let rows = working("testing", async {
            match self.replay {
                true => replay(&trial, &subject, &golden).await,
                false => self.live(&trial, &subject, golden).await,
            }
        })??;
        show(&rows, common)
    }

    async fn live(&self, trial: &Trial, subject: &Subject, golden: Vec<Golden>) -> Result<Vec<Row>, Failure> {
        let macs = Macs::new()?;
        let mut rows = Vec::new();
        for mut golden in golden {
            let (began, tool) = (Instant::now(), subject.tool(&golden)?);
            let Tried { mut answer, recording, .. } = call(&macs, trial, tool, &golden).await?;
            let mut names = Names::default();
            answer = answer.map(|body| named(&mut names, body)).map_err(|body| named(&mut names, body));
            let milliseconds = began.elapsed().as_millis();
            let mut outcome = self.compare(&mut golden, &answer)?;
            if self.record && !matches!(outcome, Outcome::Differs(_)) {
                let recording = names.recording(&recording);
                golden.record(&recording)?;
                // A plugin that takes references apart, or sorts by them, goes another way with other ones.
                if let Some(how) = repeats(trial, tool, &golden, recording).await {
                    outcome = Outcome::Differs(format!("the call differs from its journal: {how}"));
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

async fn replay(trial: &Trial, subject: &Subject, golden: &[Golden]) -> Result<Vec<Row>, Failure> {
    let mut rows = Vec::new();
    for golden in golden {
        let (began, tool) = (Instant::now(), subject.tool(golden)?);
        let how = match golden.recorded()? {
            Some(recording) => repeats(trial, tool, golden, recording).await,
            None => Some("it has no journal; record one with --record".to_owned()),
        };
        let outcome = how.map_or(Outcome::Same, Outcome::Differs);
        rows.push(Row { name: golden.name.clone(), outcome, milliseconds: began.elapsed().as_millis() });
    }
    Ok(rows)
}

/// Makes a call on a Mac of its own.
async fn call(macs: &Macs, trial: &Trial, tool: &str, golden: &Golden) -> Result<Tried, Failure> {
    let own = macs.folder().join("calls").join(&golden.name);
    let pipeline = Arc::new(macs.pipeline(&own)?);
    let call = (tool, &golden.call.arguments);
    let tried = trial.call(&pipeline, &own.join("plugins"), call, Recording::at(macs.now())).await;
    pipeline.shutdown().await;
    tried.map_err(Failure::Failed)
}

/// Returns the first difference between a recorded call and the same call now.
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
