//! Checks in the files of MCP clients whether the program that they start exists.

use std::path::Path;

use serde_json::Value as Json;

use super::super::setup::{self, Entry};
use super::{check, note};
use crate::clients::{CLIENTS, Client};

/// Returns a check for each client that starts this server, or that has a file that cannot be read.
pub(super) fn all() -> Vec<Json> {
    let found: Vec<Json> = CLIENTS.iter().filter_map(one).collect();
    if found.is_empty() {
        let what = "no client starts this server yet; `iac-mcp setup` offers the clients on this computer";
        return vec![note("clients", what)];
    }
    found
}

fn one(client: &Client) -> Option<Json> {
    let title = client.title;
    let Entry { file, command, arguments } = match setup::installed(client)? {
        Ok(entry) => entry,
        Err((file, error)) => {
            let what = format!(
                "{title}: {}: {error}; mend the file by hand, the client cannot read it either",
                file.display()
            );
            return Some(check("clients", false, &what));
        }
    };
    let again = format!("`{}`", setup::command_again(client, &arguments));
    let program = Path::new(&command);
    let is_ours =
        || program.canonicalize().ok() == std::env::current_exe().and_then(|own| own.canonicalize()).ok();
    Some(match () {
        () if !program.is_absolute() => check(
            "clients",
            false,
            &format!(
                "{title} starts `{command}`, and apps do not see your PATH; expected a whole path: run {again}"
            ),
        ),
        () if !program.is_file() => {
            check("clients", false, &format!("{title} starts {command}, which is not there: run {again}"))
        }
        () if is_passing(program) => check(
            "clients",
            false,
            &format!(
                "{title} starts {command}, a place that the next update removes: run {again} from the installed program"
            ),
        ),
        () if !is_ours() => {
            note("clients", &format!("{title} starts another copy, {command} ({})", file.display()))
        }
        () => check("clients", true, &format!("{title} starts this program ({})", file.display())),
    })
}

/// Whether an update will remove a path: a version in Homebrew's Cellar, or a file in npx's cache.
fn is_passing(program: &Path) -> bool {
    let parts: Vec<_> =
        program.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
    parts.iter().any(|part| part == "Cellar" || part == "_npx")
}
