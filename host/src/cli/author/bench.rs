//! `plugin bench`: measures the costs of a plugin and compares them with the design's limits.
//!
//! Each golden call runs on a simulated Mac, which gives the total time, the Apple events and the resources used.
//! Then the call is repeated with the answers of the first run, which gives the time of the engine and the plugin
//! without any app.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;
use serde_json::{Value as Json, json};

use super::golden::Golden;
use super::macs::{Macs, NO_NETWORK};
use super::subject::{Subject, Which};
use crate::cli::Failure;
use crate::cli::options::Common;
use crate::cli::package::{engine, working};
use crate::cli::paint;
use crate::pipeline::Pipeline;
use crate::plugins::engine::engine::{Engine, Report};
use crate::plugins::engine::installed::Installed;
use crate::plugins::engine::journal::Recording;
use crate::plugins::engine::limits::Limits;
use crate::plugins::engine::registry::open_cache;
use crate::plugins::trial::{Trial, Tried};
use crate::web::Web;

#[derive(Debug, Args)]
pub(in crate::cli) struct Bench {
    #[command(flatten)]
    which: Which,
    /// Only the call with this name.
    #[arg(long, value_name = "NAME")]
    call: Option<String>,
    /// The number of rounds.
    #[arg(long, value_name = "N", default_value_t = 101, value_parser = clap::value_parser!(u32).range(3..=10_000))]
    rounds: u32,
}

/// The design's limits for loading compiled code from the cache, and for a call of 1 KiB in a fresh store.
const LOAD: Duration = Duration::from_millis(1);
const CALL: Duration = Duration::from_micros(150);

/// How many times the whole call runs. It takes as long as the apps need, so it runs less often.
const WHOLE: u32 = 11;

/// Times of the same thing, shortest first.
struct Times(Vec<Duration>);

/// One line of the table.
struct Row {
    what: &'static str,
    times: Times,
    target: Option<Duration>,
}

/// The measurements of one call.
struct Measured {
    name: String,
    rows: Vec<Row>,
    report: Report,
    events: u64,
}

impl Bench {
    pub(super) fn run(self, common: &Common, roots: Vec<PathBuf>) -> Result<(), Failure> {
        let mut subject = self.which.find(common, &roots)?;
        let golden = self.chosen(std::mem::take(&mut subject.golden))?;
        let (engine, trial) = (engine(common.plugin_engine)?, subject.trial(common)?);
        let (load, measured) = working("measuring", async {
            let macs = Macs::new()?;
            let load = self.load(&engine, &subject, &macs.folder().join("kept"))?;
            let mut measured = Vec::new();
            for golden in &golden {
                measured.push(self.measure(&macs, &trial, subject.tool(golden)?, golden).await?);
            }
            Ok::<_, Failure>((load, measured))
        })??;
        match common.json {
            true => Ok(paint::answer(&all(&subject, &engine, &load, &measured), true)?),
            false => show(&engine, &load, &measured),
        }
    }

    fn chosen(&self, golden: Vec<Golden>) -> Result<Vec<Golden>, Failure> {
        let Some(wanted) = &self.call else { return Ok(golden) };
        let names = golden.iter().map(|golden| golden.name.clone()).collect::<Vec<_>>().join(", ");
        let found: Vec<Golden> = golden.into_iter().filter(|golden| golden.name == *wanted).collect();
        match found.is_empty() {
            true => Err(Failure::Misuse(format!("there is no call `{wanted}`, expected one of {names}"))),
            false => Ok(found),
        }
    }

    /// Loads the code from a separate cache, as a server does that starts again.
    fn load(&self, engine: &Arc<Engine>, subject: &Subject, folder: &Path) -> Result<Row, Failure> {
        let kept = Installed::open(folder)?;
        let cache = open_cache(&folder.join("code"), &kept);
        let cache = cache.ok_or_else(|| Failure::Failed("compiled code cannot be cached here".to_owned()))?;
        let load = || engine.compile(&subject.bytes, Some(&cache)).map(drop);
        load().map_err(|error| Failure::Failed(error.to_string()))?;
        let mut times = Vec::new();
        for _ in 0..self.rounds {
            let began = Instant::now();
            load().map_err(|error| Failure::Failed(error.to_string()))?;
            times.push(began.elapsed());
        }
        Ok(Row { what: "load from the cache", times: Times::new(times), target: Some(LOAD) })
    }

    async fn measure(
        &self,
        macs: &Macs,
        trial: &Trial,
        tool: &str,
        golden: &Golden,
    ) -> Result<Measured, Failure> {
        let own = macs.folder().join("calls").join(&golden.name);
        let pipeline = Arc::new(macs.pipeline(&own, Web::nowhere(NO_NETWORK))?);
        let call = (tool, &golden.call.arguments);
        let measured = self.on(&pipeline, &own.join("plugins"), trial, call, macs).await;
        pipeline.shutdown().await;
        let (whole, first) = measured?;
        let Tried { recording, report, events, .. } = first;
        let mut times = Vec::new();
        for _ in 0..self.rounds {
            let again = recording.clone();
            let began = Instant::now();
            drop(trial.replay(call, again).await.map_err(Failure::Failed)?);
            times.push(began.elapsed());
        }
        let rows = vec![
            Row {
                what: "fresh store and call, without the apps",
                times: Times::new(times),
                target: Some(CALL),
            },
            Row { what: "whole call on the simulated Mac", times: whole, target: None },
        ];
        Ok(Measured { name: golden.name.clone(), rows, report, events })
    }

    /// Runs the call on a simulated Mac. The first call warms it up, and returns the recording.
    async fn on(
        &self,
        pipeline: &Arc<Pipeline>,
        store: &Path,
        trial: &Trial,
        call: (&str, &serde_json::Map<String, Json>),
        macs: &Macs,
    ) -> Result<(Times, Tried), Failure> {
        let once = || trial.call(pipeline, store, call, Recording::at(macs.now()));
        let first = once().await.map_err(Failure::Failed)?;
        let mut times = Vec::new();
        for _ in 0..self.rounds.min(WHOLE) {
            let began = Instant::now();
            drop(once().await.map_err(Failure::Failed)?);
            times.push(began.elapsed());
        }
        Ok((Times::new(times), first))
    }
}

impl Times {
    fn new(mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        Self(times)
    }

    /// Returns a percentile of the times.
    fn at(&self, hundredths: usize) -> Duration {
        let last = self.0.len().saturating_sub(1);
        self.0.get((last * hundredths).div_ceil(100)).copied().unwrap_or_default()
    }
}

impl Row {
    /// Returns the median as a share of the limit.
    fn share(&self) -> Option<f64> {
        self.target.map(|target| self.times.at(50).as_secs_f64() / target.as_secs_f64())
    }

    fn cells(&self, of: &str) -> [String; 7] {
        let Self { what, times, target } = self;
        let target = target.map(|target| format!("≤ {}", shown(target))).unwrap_or_default();
        let share = self.share().map(|share| format!("{share:.2}")).unwrap_or_default();
        let [min, median, p90] = [0, 50, 90].map(|at| shown(times.at(at)));
        [of.to_owned(), (*what).to_owned(), min, median, p90, target, share]
    }

    fn json(&self) -> Json {
        let [min, median, p90] = [0, 50, 90].map(|at| microseconds(self.times.at(at)));
        let mut row = json!({
            "what": self.what, "rounds": self.times.0.len(),
            "minMicroseconds": min, "medianMicroseconds": median, "p90Microseconds": p90,
        });
        if let (Some(target), Some(share)) = (self.target, self.share()) {
            row["targetMicroseconds"] = json!(microseconds(target));
            row["share"] = json!((share * 1e3).round() / 1e3);
        }
        row
    }
}

/// Formats a time with three significant digits.
fn shown(time: Duration) -> String {
    let microseconds = time.as_secs_f64() * 1e6;
    let (value, unit) = if microseconds < 1e3 { (microseconds, "µs") } else { (microseconds / 1e3, "ms") };
    let digits = if value < 10.0 { 2 } else { usize::from(value < 100.0) };
    format!("{value:.digits$} {unit}")
}

fn microseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e7).round() / 10.0
}

fn all(subject: &Subject, engine: &Engine, load: &Row, measured: &[Measured]) -> Json {
    let calls: Vec<Json> = measured.iter().map(Measured::json).collect();
    let package = &subject.package;
    json!({
        "plugin": package.manifest.id, "version": package.manifest.version, "bytes": package.size,
        "engine": engine.backend().name(), "load": load.json(), "calls": calls,
    })
}

impl Measured {
    fn json(&self) -> Json {
        let Report { instantiate, compute, memory, host_calls, traffic, .. } = &self.report;
        let rows: Vec<Json> = self.rows.iter().map(Row::json).collect();
        json!({
            "call": self.name, "times": rows, "appleEvents": self.events,
            "instantiateMicroseconds": microseconds(*instantiate),
            "computeMicroseconds": microseconds(*compute), "memoryBytes": memory,
            "hostCalls": host_calls, "boundaryBytes": traffic,
        })
    }

    /// The resources that the call used, each with its limit.
    fn used(&self) -> [(&'static str, String, String); 5] {
        const MIB: f64 = 1024.0 * 1024.0;
        let Report { compute, memory, host_calls, traffic, .. } = &self.report;
        let bounds = Limits::standard();
        let mib = |bytes: usize| format!("{:.2} MiB", bytes as f64 / MIB);
        [
            ("computing", shown(*compute), shown(bounds.compute)),
            ("memory", mib(*memory), mib(bounds.memory)),
            ("host calls", host_calls.to_string(), bounds.host_calls.to_string()),
            ("over the boundary", mib(*traffic), mib(bounds.traffic)),
            ("Apple events", self.events.to_string(), String::new()),
        ]
    }
}

fn show(engine: &Engine, load: &Row, measured: &[Measured]) -> Result<(), Failure> {
    use std::io::Write as _;

    let mut times = paint::table(&["Call", "Time", "#Least", "#Median", "#90 %", "#To reach", "#Share"]);
    times.add_row(load.cells(""));
    let mut used = paint::table(&["Call", "Used", "#Once", "#At most"]);
    for call in measured {
        for row in &call.rows {
            times.add_row(row.cells(&call.name));
        }
        for (what, once, most) in call.used() {
            used.add_row([&call.name, what, &once, &most]);
        }
    }
    paint::print(&times)?;
    writeln!(paint::stdout())?;
    paint::print(&used)?;
    let engine = engine.backend().name();
    Ok(writeln!(paint::stdout(), "\nengine: {engine}; a share up to 1 is within the design's target")?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_by_their_place() {
        let times = Times::new((1..=11).rev().map(Duration::from_millis).collect());
        assert_eq!([0, 50, 90, 100].map(|at| times.at(at).as_millis()), [1, 6, 10, 11]);
        assert_eq!(Times::new(Vec::new()).at(50), Duration::ZERO);
        let row = Row { what: "x", times, target: Some(Duration::from_millis(12)) };
        assert_eq!(row.share(), Some(0.5));
    }

    #[test]
    fn times_have_three_digits() {
        for (nanoseconds, expected) in [
            (1_234, "1.23 µs"),
            (45_678, "45.7 µs"),
            (456_789, "457 µs"),
            (1_500_000, "1.50 ms"),
            (2_000_000_000, "2000 ms"),
        ] {
            assert_eq!(shown(Duration::from_nanos(nanoseconds)), expected);
        }
    }
}
