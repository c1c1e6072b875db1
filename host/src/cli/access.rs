//! `access`: shows the macOS permissions besides those for apps, and asks for them.

use std::io::Write as _;

use clap::Args;
use iac_core::Millis;
use iac_core::series::{Index, index, indexes};
use serde_json::{Value as Json, json};

use super::options::{Common, Mac};
use super::{Failure, paint};

/// How long a dialog of macOS stays open, and how much later its answer may arrive, in seconds.
const PATIENCE: u64 = 600;
const SPARE: u64 = 20;

/// Seconds to wait on a simulated Mac. Its world answers at once or never.
const AT_ONCE: u64 = 1;

/// The status number before macOS has asked.
const UNASKED: i64 = 0;

/// The state of a simulated Mac that does not say what its person answers.
const SILENT: &str = "this simulated Mac does not answer its dialogs; to answer yes, write `\"answer\": true` in `eventkit.json` in its folder";

/// The status number of full access.
const FULL: i64 = 3;

/// macOS asks about the app that started this program: an answer in a terminal counts for that terminal, and not for
/// another MCP client.
#[derive(Debug, Args)]
pub(super) struct Access {
    /// The access to ask for: calendars or reminders. Without it the command shows the current access, and opens no
    /// dialog.
    subject: Option<String>,
}

impl Access {
    pub(super) fn run(self, common: &Common, mut mac: Mac) -> Result<(), Failure> {
        let is_simulated = mac.simulated || mac.world.is_some();
        let patience = if is_simulated { AT_ONCE } else { PATIENCE };
        mac.timeout = mac.timeout.or(Some(patience + SPARE));
        let (chosen, wait) = match &self.subject {
            None => (indexes().map(|(_, index)| index).collect(), None),
            Some(subject) => {
                (vec![index(subject).ok_or_else(|| unknown(subject))?.1], Some(Millis(patience * 1000)))
            }
        };
        if wait.is_some() && !common.json && !is_simulated {
            writeln!(paint::stderr(), "macOS may show its dialog now; it may be behind other windows.")?;
            writeln!(paint::stderr(), "Do not press Ctrl-C meanwhile: macOS may keep that as a no.")?;
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let standing = runtime.block_on(async {
            let router = mac.router(common, &[])?;
            let mut standing = Vec::new();
            for index in chosen {
                standing.push((index, router.pipeline.access(index, wait).await));
            }
            router.pipeline.shutdown().await;
            Ok::<_, Failure>(standing)
        })?;
        let (mut is_well, mut shown) = (true, Vec::new());
        for (index, status) in standing {
            let status = status.map_err(Failure::Failed)?;
            is_well &= wait.is_none() || status == Some(FULL);
            let words = match (wait, status, is_simulated) {
                (Some(_), Some(UNASKED), true) => SILENT.to_owned(),
                (Some(_), Some(UNASKED), false) => {
                    "nobody answered the dialog of macOS; try again".to_owned()
                }
                _ => index.standing(status),
            };
            shown.push(print(index, &words, status, common)?);
        }
        match (common.json, &shown[..]) {
            (true, [one]) if self.subject.is_some() => paint::answer(one, true)?,
            (true, all) => paint::answer(&json!(all), true)?,
            (false, _) => {}
        }
        if is_well { Ok(()) } else { Err(Failure::Said) }
    }
}

/// Prints the state of access to a library for people, and returns it for programs.
fn print(index: &Index, words: &str, status: Option<i64>, common: &Common) -> Result<Json, Failure> {
    let full = status == Some(FULL);
    if !common.json {
        writeln!(paint::stdout(), "{}: {words}", index.subject)?;
    }
    Ok(json!({ "subject": index.subject, "full": full, "state": words }))
}

fn unknown(subject: &str) -> Failure {
    let known: Vec<&str> = indexes().map(|(_, index)| index.subject.as_str()).collect();
    Failure::Misuse(format!("cannot ask for access to `{subject}`\nexpected one of: {}", known.join(", ")))
}
