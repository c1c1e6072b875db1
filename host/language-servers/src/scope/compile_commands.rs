//! The files that `compile_commands.json` names. A C server reads these by itself, and no others.

use std::collections::BTreeSet;

use serde::Deserialize;

use super::join;
use crate::disk::Disk;

/// Where to look for it. The first one that exists is used.
const PLACES: [&str; 2] = ["compile_commands.json", "build/compile_commands.json"];

const MOST: u64 = 64 * 1024 * 1024;

#[derive(Deserialize)]
struct Command {
    directory: String,
    file: String,
}

/// Returns the files that have a command, relative to the root; `None` if there is no `compile_commands.json`. If it
/// cannot be parsed, the set is empty.
pub(super) fn commanded(disk: &Disk) -> Option<BTreeSet<String>> {
    let place = PLACES.into_iter().find(|place| disk.exists(place))?;
    let commands: Option<Vec<Command>> =
        disk.read(place, MOST).ok().and_then(|(bytes, _)| serde_json::from_slice(&bytes).ok());
    let root = disk.path().to_string_lossy();
    let below = |command: Command| {
        let whole = if command.file.starts_with('/') {
            command.file
        } else {
            format!("{}/{}", command.directory, command.file)
        };
        let whole = format!("/{}", join("", &whole));
        Some(whole.strip_prefix(root.trim_end_matches('/'))?.strip_prefix('/')?.to_owned())
    };
    Some(commands.unwrap_or_default().into_iter().filter_map(below).collect())
}
