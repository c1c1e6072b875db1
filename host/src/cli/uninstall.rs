//! `uninstall`: takes the server out of the clients to which `setup` added it, and lists everything that is left and
//! how to remove it.

use std::io::Write as _;
use std::path::Path;

use clap::Args;
use iac_state::shell_word;
use serde_json::{Value as Json, json};

use super::options::Common;
use super::setup::{self, Taken};
use super::{Failure, ask, directories, installation, package, paint};
use crate::clients::CLIENTS;
use crate::plugins::engine::PluginId;

/// Removes this server from the MCP clients to which `setup` added it, and lists everything that is left.
///
/// Restores each client's file to its state before `setup`. If the client has changed the file since, removes only the
/// entry. The program, its state and its cache stay: the command says where they are and how to remove them.
#[derive(Debug, Args)]
pub(super) struct Uninstall {
    /// Removes the server without asking.
    #[arg(long, conflicts_with = "dry_run")]
    yes: bool,
    /// Shows what would be done, and changes nothing.
    #[arg(long)]
    dry_run: bool,
}

impl Uninstall {
    pub(super) fn run(self, common: &Common) -> Result<(), Failure> {
        let foreseen = setup::foresee(common)?;
        if self.dry_run {
            return tell(common, &foreseen);
        }
        if !self.yes && !foreseen.is_empty() {
            if !common.json {
                foreseen.iter().try_for_each(Taken::print)?;
            }
            ask::agree(false, "Take the server out of these files?")?;
        }
        let taken = setup::take_back(&setup::Wanted::default(), common)?;
        if !taken.is_empty() && !common.json {
            writeln!(
                paint::stderr(),
                "restart the clients that run now, because they keep their server until then"
            )?;
        }
        tell(common, &taken)
    }
}

/// Reports the changes of the clients' files, and everything that is left.
fn tell(common: &Common, taken: &[Taken]) -> Result<(), Failure> {
    let left = left(common, taken)?;
    if common.json {
        let clients: Vec<Json> = taken.iter().map(Taken::json).collect();
        let left: Vec<Json> = left.iter().map(|(what, how)| json!({ "what": what, "how": how })).collect();
        paint::answer(&json!({ "clients": clients, "left": left }), true)?;
    } else {
        if taken.is_empty() {
            writeln!(paint::stdout(), "no client has the server from `setup`")?;
        }
        taken.iter().try_for_each(Taken::print)?;
        writeln!(paint::stdout(), "\nThis is left, for you to remove:")?;
        for (what, how) in left {
            writeln!(paint::stdout(), "- {what}: {how}")?;
        }
    }
    if taken.iter().any(|each| each.what.is_err()) { Err(Failure::Said) } else { Ok(()) }
}

/// Lists everything that this command does not remove, and how to remove it.
fn left(common: &Common, taken: &[Taken]) -> Result<Vec<(String, String)>, Failure> {
    let mut left = Vec::new();
    for client in &CLIENTS {
        // In a dry run the entries still exist. Entries that could not be removed are already listed.
        let found = setup::installed(client).and_then(Result::ok);
        let Some(entry) = found.filter(|entry| taken.iter().all(|each| each.file != entry.file)) else {
            continue;
        };
        let what = format!("the entry in {}, which is not in the records of `setup`", entry.file.display());
        left.push((what, format!("take it out by hand, because {} still starts the server", client.title)));
    }
    // The Keychain cannot be searched, so each command must run while the plugin's package still says what it keeps
    // there.
    let plugins = if directories::is_mac() { package::with_secrets(common) } else { Vec::new() };
    left.extend(plugins.iter().map(|id| in_keychain(id, common.state.as_deref())));
    let folders = [
        ("the policy, approvals, plugins with their data, and the audit log", common.state()),
        ("the cache", common.cache()),
    ];
    for (what, folder) in folders {
        if let Some(folder) = folder.filter(|folder| folder.is_dir()) {
            let word = shell_word(&std::path::absolute(&folder)?.to_string_lossy());
            left.push((format!("{what} in {}", folder.display()), format!("run `rm -r {word}`")));
        }
    }
    let program = installation::program()?;
    left.push((format!("the program {}", program.display()), installation::removal(&program)));
    if directories::is_mac() {
        left.push((
            "your answers to macOS".to_owned(),
            "switch off what you do not need in System Settings > Privacy & Security > Automation, Calendars, Reminders".to_owned(),
        ));
    }
    Ok(left)
}

/// Says what a plugin keeps in the Keychain, and how to remove it. `state` is the state directory if it was named.
fn in_keychain(id: &PluginId, state: Option<&Path>) -> (String, String) {
    let option = state.map(|state| format!(" --state {}", shell_word(&state.to_string_lossy())));
    let command = format!("iac-mcp plugin remove {id}{}", option.unwrap_or_default());
    (
        format!("secrets of the plugin {id} in your Keychain"),
        format!("run `{command}` before you remove the state folder"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plugin_with_secrets_is_removed_before_the_state() {
        let id: PluginId = "rates".parse().expect("the test's own id");
        let (what, how) = in_keychain(&id, None);
        assert_eq!(what, "secrets of the plugin rates in your Keychain");
        assert_eq!(how, "run `iac-mcp plugin remove rates` before you remove the state folder");
        let (_, how) = in_keychain(&id, Some(Path::new("/a b")));
        assert!(how.contains("`iac-mcp plugin remove rates --state '/a b'`"), "{how}");
    }
}
