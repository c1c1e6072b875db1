//! Resolves links in paths among a call's arguments. Only the disk knows where a link leads, so the core cannot do
//! this.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use iac_core::permission::{Closed, Where};
use serde_json::{Map, Value as Json};

use crate::clients;

/// Returns the places that no argument may lead to: the state directory, by any path, and the clients' configuration.
pub(super) fn closed(state: &Path, home: &str) -> Closed {
    let words = "the state directory of this server".to_owned();
    let own = [state.to_owned(), resolved(state)].map(|path| Where::At(path.to_string_lossy().into_owned()));
    let own = own.into_iter().map(|place| (place, words.clone()));
    let clients = clients::closed();
    let behind: Vec<(Where, String)> = clients
        .iter()
        .filter_map(|(place, words)| Some((behind_link(place, home)?, words.clone())))
        .collect();
    Closed::new(home, own.chain(clients).chain(behind))
}

/// Returns the real path of a client's configuration, if its usual path is a link, for example into a repository of
/// dotfiles.
fn behind_link(place: &Where, home: &str) -> Option<Where> {
    let Where::InHome(rest) = place else { return None };
    let usual = Path::new(home).join(rest);
    let real = usual.is_absolute().then(|| resolved(&usual))?;
    (real != usual).then(|| Where::At(real.to_string_lossy().into_owned()))
}

/// Resolves the arguments that are paths and pass through links.
pub(super) async fn of(arguments: &Map<String, Json>, closed: &Closed) -> BTreeMap<String, String> {
    let mut texts = Vec::new();
    arguments.values().for_each(|value| collect(value, &mut texts));
    let paths: Vec<(String, Vec<String>)> = texts
        .into_iter()
        .map(|text| (text.to_owned(), closed.paths(text)))
        .filter(|(_, paths)| !paths.is_empty())
        .collect();
    if paths.is_empty() {
        return BTreeMap::new();
    }
    let look = move || {
        let lead = |(text, paths): (String, Vec<String>)| {
            let found = paths.iter().find_map(|path| {
                let led = resolved(Path::new(path)).to_string_lossy().into_owned();
                (led != *path).then_some(led)
            });
            found.map(|led| (text, led))
        };
        paths.into_iter().filter_map(lead).collect()
    };
    // If the disk cannot be read, only the spelling is checked.
    tokio::task::spawn_blocking(look).await.unwrap_or_default()
}

fn collect<'a>(value: &'a Json, found: &mut Vec<&'a str>) {
    match value {
        Json::String(text) => found.push(text),
        Json::Array(items) => items.iter().for_each(|item| collect(item, found)),
        Json::Object(fields) => fields.values().for_each(|field| collect(field, found)),
        _ => {}
    }
}

/// Follows every link in the part of a path that exists. The rest stays as it is.
fn resolved(path: &Path) -> PathBuf {
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[tokio::test]
    async fn links_are_followed_as_far_as_they_go() {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().join("state");
        std::fs::create_dir_all(&state).unwrap();
        std::os::unix::fs::symlink(&state, folder.path().join("link")).unwrap();
        std::os::unix::fs::symlink(folder.path().join("link"), folder.path().join("again")).unwrap();
        let closed = closed(&state, "/nobody");
        for name in ["link/policy.toml", "again/new/file", "again", "link/../state/x"] {
            let text = folder.path().join(name).to_string_lossy().into_owned();
            let arguments = json!({ "arguments": { "deep": [{ "file": text }] } });
            let leads = of(arguments.as_object().unwrap(), &closed).await;
            let led = leads.get(&text).cloned().unwrap_or(text);
            assert!(Path::new(&led).starts_with(state.canonicalize().unwrap()), "{led}");
        }
        let home = folder.path().join("home");
        std::fs::create_dir_all(folder.path().join("dotfiles/claude")).unwrap();
        std::fs::create_dir_all(&home).unwrap();
        std::os::unix::fs::symlink(folder.path().join("dotfiles/claude"), home.join(".claude")).unwrap();
        let behind = behind_link(&Where::InHome(".claude".to_owned()), &home.to_string_lossy());
        let real = folder.path().canonicalize().unwrap().join("dotfiles/claude");
        assert_eq!(behind, Some(Where::At(real.to_string_lossy().into_owned())));
        let none = of(json!({ "app": "Mail", "value": "a text" }).as_object().unwrap(), &closed).await;
        assert!(none.is_empty());
    }
}
