//! `sim`: manages simulated Macs that are kept, and recordings of runs of osascript.

mod record;

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use iac_simulator::WorldError;
use iac_simulator::worlds::{self, Amounts};
use iac_state::shell_word;
use serde_json::json;

use super::options::{Common, Mac};
use super::{Failure, paint};
use crate::simulated;

/// Creates, shows and resets simulated Macs for `--world DIR`, and records runs of osascript.
#[derive(Debug, Args)]
pub(super) struct Sim {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Creates a simulated Mac in a new folder.
    New(New),
    /// Undoes all changes in a simulated Mac.
    Reset {
        /// The folder of the simulated Mac.
        folder: PathBuf,
    },
    /// Shows the apps of a simulated Mac and the number of their objects.
    Show {
        /// The folder of the simulated Mac.
        folder: PathBuf,
    },
    /// Records every run of osascript by a command, or repeats a recording.
    Record(record::Record),
}

#[derive(Debug, Args)]
struct New {
    /// The folder to create; it must be new or empty.
    folder: PathBuf,
    /// The number of messages in the first inbox.
    #[arg(long, value_parser = amount)]
    messages: Option<usize>,
    /// The number of calendar events.
    #[arg(long, value_parser = amount)]
    events: Option<usize>,
    /// The number of additional files in the home folder.
    #[arg(long, value_parser = amount)]
    files: Option<usize>,
    /// The number of reminders and tasks.
    #[arg(long, value_parser = amount)]
    tasks: Option<usize>,
    /// The same seed makes the same Mac.
    #[arg(long, default_value_t = 0)]
    seed: u64,
}

impl Sim {
    pub(super) fn run(self, common: &Common, mac: &Mac) -> Result<(), Failure> {
        match self.command {
            Command::New(new) => new.run(common),
            Command::Reset { folder } => reset(a_mac(&folder)?, common),
            Command::Show { folder } => show(&worlds::show(a_mac(&folder)?)?, common),
            Command::Record(record) => record.run(common, mac),
        }
    }
}

impl New {
    /// Creates the Mac. The built-in Mac is unpacked into the folder, and a reset goes back to that state.
    fn run(self, common: &Common) -> Result<(), Failure> {
        let Self { folder, messages, events, files, tasks, seed } = self;
        if std::fs::read_dir(&folder).is_ok_and(|mut entries| entries.next().is_some()) {
            let what = format!("{} is not empty\nname a folder that does not exist yet", folder.display());
            return Err(Failure::Misuse(what));
        }
        let base = folder.join("base");
        simulated::unpack(&base).map_err(Failure::Failed)?;
        worlds::generate(&folder, &base, &Amounts { messages, events, files, tasks, seed })?;
        let (name, word) = (folder.display(), shell_word(&folder.to_string_lossy()));
        let said = format!("created {name}; use it with: iac-mcp serve --world {word}");
        Ok(paint::done(&said, &json!({ "world": folder }), common.json)?)
    }
}

/// Checks that a folder contains a simulated Mac.
fn a_mac(folder: &Path) -> Result<&Path, Failure> {
    if ["world.json", "mac.json"].iter().any(|name| folder.join(name).exists()) {
        return Ok(folder);
    }
    let what = format!("{} is not a simulated Mac: it has neither world.json nor mac.json", folder.display());
    Err(Failure::Failed(what + "\n`iac-mcp sim new DIR` creates one"))
}

fn reset(folder: &Path, common: &Common) -> Result<(), Failure> {
    worlds::reset(folder)?;
    let said = format!("{} has its original state again", folder.display());
    Ok(paint::done(&said, &json!({ "world": folder }), common.json)?)
}

fn amount(text: &str) -> Result<usize, String> {
    let amount = text.parse().ok().filter(|amount| *amount <= Amounts::MOST);
    amount.ok_or_else(|| format!("expected a number from 0 to {}", Amounts::MOST))
}

fn show(apps: &[worlds::AppSummary], common: &Common) -> Result<(), Failure> {
    if common.json {
        return Ok(paint::answer(&json!({ "apps": apps }), true)?);
    }
    let mut table = paint::table(&["App", "Bundle id", "Running", "#Objects"]);
    for app in apps {
        let running = if app.running { "yes" } else { "no" };
        table.add_row([&app.name, &app.bundle_id, running, &app.objects.to_string()]);
    }
    Ok(paint::print(&table)?)
}

impl From<WorldError> for Failure {
    fn from(error: WorldError) -> Self {
        Self::Failed(error.to_string())
    }
}
