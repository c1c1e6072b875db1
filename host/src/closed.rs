//! The places that stay closed to every call: the state directory, and the files from which clients start programs.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use iac_core::permission::{Closed, Where};
use iac_language_servers::closed::Closed as Places;

use crate::clients;

/// Returns the places that no argument may lead to: the state directory, by any path, and the clients' configuration.
pub(crate) fn closed(state: Option<&Path>, home: &str) -> Closed {
    Closed::new(home, places(state, home))
}

fn places(state: Option<&Path>, home: &str) -> Vec<(Where, String)> {
    let words = "the state directory of this server".to_owned();
    let own = state.into_iter().flat_map(|state| [state.to_owned(), resolved(state)]);
    let own = own.map(|path| (Where::At(path.to_string_lossy().into_owned()), words.clone()));
    let clients = clients::closed();
    let behind: Vec<(Where, String)> = clients
        .iter()
        .filter_map(|(place, words)| Some((behind_link(place, home)?, words.clone())))
        .collect();
    own.chain(clients).chain(behind).collect()
}

/// Returns the real path of a client's configuration, if its usual path is a link, for example into a repository of
/// dotfiles.
fn behind_link(place: &Where, home: &str) -> Option<Where> {
    let Where::InHome(rest) = place else { return None };
    let usual = Path::new(home).join(rest);
    let real = usual.is_absolute().then(|| resolved(&usual))?;
    (real != usual).then(|| Where::At(real.to_string_lossy().into_owned()))
}

/// Follows every link in the part of a path that exists. The rest stays as it is.
pub(crate) fn resolved(path: &Path) -> PathBuf {
    let mut rest = Vec::new();
    let mut at = path;
    loop {
        if let Ok(real) = at.canonicalize() {
            return rest.iter().rev().fold(real, |real, part| real.join(part));
        }
        // A path that ends with `..` has no file name and is left as it is, so only its spelling is checked.
        let (Some(parent), Some(name)) = (at.parent(), at.file_name()) else { return path.to_owned() };
        rest.push(name);
        at = parent;
    }
}

/// The same places for files that this server reads itself for plugins. They are files of this computer, even if the
/// apps are those of a simulated Mac.
#[derive(Debug)]
pub(crate) struct Files {
    closed: Closed,
    names: HashSet<String>,
    places: Vec<PathBuf>,
}

impl Files {
    pub(crate) fn of(state: Option<&Path>) -> Self {
        let home = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
        let home = home.to_string_lossy();
        let all = places(state, &home);
        let path = |(place, _): &(Where, String)| match place {
            Where::At(path) => Some(PathBuf::from(path)),
            Where::InHome(rest) => Some(Path::new(&*home).join(rest)),
            Where::Ends(_) => None,
        };
        let places = all.iter().filter_map(path).filter(|path| path.is_absolute()).collect();
        let closed = Closed::new(&home, all);
        let names = closed.last_names().map(str::to_owned).collect();
        Self { closed, names, places }
    }
}

impl Places for Files {
    fn holds(&self, path: &Path) -> Option<String> {
        self.closed.place(&path.to_string_lossy()).map(str::to_owned)
    }

    fn may_be(&self, name: &str) -> bool {
        self.names.contains(&Closed::folded(name))
    }

    fn places(&self) -> Vec<PathBuf> {
        self.places.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clients_file_is_closed_behind_its_link() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join("home");
        std::fs::create_dir_all(folder.path().join("dotfiles/claude")).unwrap();
        std::fs::create_dir_all(&home).unwrap();
        std::os::unix::fs::symlink(folder.path().join("dotfiles/claude"), home.join(".claude")).unwrap();
        let behind = behind_link(&Where::InHome(".claude".to_owned()), &home.to_string_lossy());
        let real = folder.path().canonicalize().unwrap().join("dotfiles/claude");
        assert_eq!(behind, Some(Where::At(real.to_string_lossy().into_owned())));
    }

    #[test]
    fn files_are_closed_by_their_names() {
        let folder = tempfile::tempdir().unwrap();
        let files = Files::of(Some(folder.path()));
        let check = |path: &Path, expected: bool| {
            assert_eq!(files.holds(path).is_some(), expected, "{}", path.display());
        };
        check(&folder.path().join("policy.toml"), true);
        check(Path::new("/Volumes/code/project/.vscode/mcp.json"), true);
        check(Path::new("/Users/somebody/.cursor/mcp.json"), true);
        check(Path::new("/Volumes/code/project/src/main.rs"), false);
        assert!(files.may_be("MCP.json") && files.may_be("mcp.json.") && !files.may_be("main.rs"));
        assert!(files.places().contains(&folder.path().to_owned()));
    }
}
