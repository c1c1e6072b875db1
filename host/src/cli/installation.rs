//! Finds out from its path how this program was installed, and which commands update and remove it.

use std::path::{Path, PathBuf};

use iac_state::shell_word;
use rustix::fs::Access;

/// The kinds of installation that a path reveals: the part of the path that identifies it, the command that updates
/// the program, and the command that removes it.
const WAYS: [(&str, &str, &str); 4] = [
    ("/Cellar/", "run `brew upgrade iac-mcp`", "run `brew uninstall iac-mcp`"),
    (
        "/node_modules/",
        "update the npm package, for example with `npm update`",
        "remove the npm package, for example with `npm uninstall --global`",
    ),
    (
        "/.cargo/bin/",
        "install it again with cargo, as you did the first time",
        "run `cargo uninstall iac-mcp`",
    ),
    (
        "/Claude Extensions/",
        "open the new .mcpb file with Claude Desktop",
        "remove the extension in the settings of Claude Desktop",
    ),
];

/// The running program with all links resolved, because Homebrew starts it through a link that does not show how it
/// was installed.
pub(super) fn program() -> std::io::Result<PathBuf> {
    let named = std::env::current_exe()?;
    Ok(named.canonicalize().unwrap_or(named))
}

/// The command that updates a program. It is worded as the end of a sentence.
pub(super) fn update(program: &Path) -> &'static str {
    way(program).map_or("replace this program with the one of that page", |(_, update, _)| update)
}

/// The command that removes a program. It is worded as the end of a sentence.
pub(super) fn removal(program: &Path) -> String {
    let by_hand = || {
        let word = shell_word(&program.to_string_lossy());
        let folder = program.parent().unwrap_or(Path::new("/"));
        let sudo = if rustix::fs::access(folder, Access::WRITE_OK).is_ok() { "" } else { "sudo " };
        format!("run `{sudo}rm {word}`")
    };
    way(program).map_or_else(by_hand, |(_, _, removal)| (*removal).to_owned())
}

fn way(program: &Path) -> Option<&'static (&'static str, &'static str, &'static str)> {
    let program = program.to_string_lossy();
    WAYS.iter().find(|(part, ..)| program.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_updated_and_removed_as_it_was_installed() {
        for (program, updated, removed) in [
            ("/opt/homebrew/Cellar/iac-mcp/0.1.0/bin/iac-mcp", "brew upgrade", "brew uninstall"),
            ("/u/node_modules/@o/iac-mcp-darwin/bin/iac-mcp", "npm update", "npm uninstall"),
            ("/u/.cargo/bin/iac-mcp", "with cargo", "cargo uninstall"),
            ("/u/Claude Extensions/x/server/iac-mcp", "open the new .mcpb", "settings of Claude Desktop"),
            ("/no such folder/iac-mcp", "replace this program", "sudo rm '/no such folder/iac-mcp'"),
        ] {
            let program = Path::new(program);
            assert!(update(program).contains(updated), "{}: {}", program.display(), update(program));
            assert!(removal(program).contains(removed), "{}: {}", program.display(), removal(program));
        }
        let folder = tempfile::tempdir().expect("a folder");
        let removed = removal(&folder.path().join("iac-mcp"));
        assert!(removed.starts_with("run `rm /"), "{removed}");
    }
}
