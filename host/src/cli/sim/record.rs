//! `sim record`: records how a command runs osascript, to read the runs or to repeat them on another Mac.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use iac_simulator::record::{self, Again, Osascript, Run};
use serde_json::json;

use crate::cli::options::{Common, Mac};
use crate::cli::{Failure, paint};

#[derive(Debug, Args)]
pub(super) struct Record {
    /// The recording: one line of JSON per run of osascript.
    file: PathBuf,
    /// Repeats every run of the recording and reports different answers.
    #[arg(long, conflicts_with = "command")]
    again: bool,
    /// The command, after `--`; runs of the `osascript` on its PATH are recorded.
    #[arg(last = true, required_unless_present = "again")]
    command: Vec<OsString>,
}

impl Record {
    pub(super) fn run(self, common: &Common, mac: &Mac) -> Result<(), Failure> {
        let (world, settings) = mac.osascript(common)?;
        if let Some(world) = &world {
            world.unpack().map_err(Failure::Failed)?;
        }
        let osascript = Osascript { command: settings.command, environment: settings.environment };
        if self.again {
            return again(&self.file, &osascript, common);
        }
        let status = record::record(&self.file, &std::env::current_exe()?, &osascript, &self.command)?;
        if status.success() {
            Ok(())
        } else {
            Err(Failure::Failed(format!("the command ended with {status}")))
        }
    }
}

fn again(file: &Path, osascript: &Osascript, common: &Common) -> Result<(), Failure> {
    let runs = record::again(record::read(file)?, osascript)?;
    let different = runs.iter().filter(|run| !run.differences().is_empty()).count();
    if common.json {
        let shown: Vec<_> = runs.iter().map(to_json).collect();
        paint::answer(&json!({ "runs": shown, "different": different }), true)?;
    } else {
        show(&runs, &mut anstream::stdout())?;
        let runs = paint::count(runs.len(), "run");
        writeln!(anstream::stdout(), "{runs}, {different} with a different answer")?;
    }
    if different == 0 { Ok(()) } else { Err(Failure::Said) }
}

fn to_json(run: &Again) -> serde_json::Value {
    json!({ "recorded": run.recorded, "happened": run.happened, "differences": run.differences() })
}

/// Shows each run that differs, with the recorded and the actual result.
fn show(runs: &[Again], out: &mut impl Write) -> io::Result<()> {
    for (run, number) in runs.iter().zip(1..) {
        for part in run.differences() {
            let said = |run: &Run| match part {
                "status" => run.status.to_string(),
                "stdout" => format!("{:?}", run.stdout),
                _ => format!("{:?}", run.stderr),
            };
            let arguments = run.recorded.arguments.join(" ");
            writeln!(out, "run {number}: osascript {arguments}")?;
            writeln!(out, "  {part} was {}\n  {part} is  {}", said(&run.recorded), said(&run.happened))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_shown_with_both_answers() {
        let recorded =
            Run { arguments: vec!["-e".into(), "1".into()], stdout: "1\n".into(), ..Run::default() };
        let happened = Run { stdout: "2\n".into(), ..recorded.clone() };
        let (same, other) = (recorded.clone(), recorded.clone());
        let runs = [Again { recorded: same, happened: other }, Again { recorded, happened }];
        let mut out = Vec::new();
        show(&runs, &mut out).unwrap();
        let said = "run 2: osascript -e 1\n  stdout was \"1\\n\"\n  stdout is  \"2\\n\"\n";
        assert_eq!(String::from_utf8(out).unwrap(), said);
        assert_eq!(to_json(&runs[1])["differences"], json!(["stdout"]));
    }
}
