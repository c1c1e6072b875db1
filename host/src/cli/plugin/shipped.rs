//! The plugins that come with this program: embedded in it, beside it, or as source in the repository where it was
//! built.

use std::collections::BTreeSet;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::found::{Found, SUFFIX};
use super::place::Place;
use crate::cli::Failure;
use crate::cli::author::build;
use crate::cli::package::read;
use crate::plugins::Engine as Choice;
use crate::plugins::engine::PluginId;

/// The packages that are embedded in the program. At build time, `IAC_MCP_PACKAGES` named their folder.
const CARRIED: &[(&str, &[u8])] = &include!(concat!(env!("OUT_DIR"), "/packages.rs"));

/// How many levels above the program its packages and its sources are searched.
const BESIDE: usize = 2;
const ABOVE: usize = 4;

/// The folder in which the program was built, because `cargo install` moves the program; `None` if the packages are
/// embedded.
const BUILT: Option<&str> = option_env!("IAC_MCP_SOURCE");

/// Finds the package that a name means: a file, or the id of a plugin that comes with this program.
///
/// # Errors
/// There is no such file or plugin, or its source does not build.
pub(super) fn package(given: &Path, login: Option<&str>) -> Result<Found, Failure> {
    if let Some(place) = given.to_str().map(Place::parse).transpose()?.flatten() {
        return place.fetch(login);
    }
    if login.is_some() {
        return Err(Failure::Misuse("--login is for registries (oci://…) only".to_owned()));
    }
    let id = given.to_str().and_then(|id| id.parse::<PluginId>().ok()).filter(|_| !given.is_file());
    if id.is_none() && !given.exists() {
        let what = format!("there is no file {}", given.display());
        let hint = "name a package that `iac-mcp plugin pack` wrote, an address with its digest, or the id of a bundled plugin";
        return Err(Failure::Failed(format!("{what}\n{hint}")));
    }
    if given.is_dir() && id.is_none() {
        return Err(Failure::Misuse(of_folder(given)));
    }
    match id {
        Some(id) => named(&id, &std::env::current_exe()?, BUILT.map(Path::new), CARRIED, user()),
        None => file(given.to_owned()),
    }
}

/// Finds the current package at the source of an installed plugin, without building anything.
///
/// # Errors
/// Nothing was found at the address that it came from.
pub(super) fn again(id: &PluginId, source: &str, login: Option<&str>) -> Result<Option<Found>, Failure> {
    if let Some(place) = Place::parse(source)? {
        return place.fetch_newest(login).map(Some);
    }
    let path = Path::new(source);
    let carried = || CARRIED.iter().find(|(name, _)| *name == id.as_str());
    Ok(match path.extension().is_some_and(|it| it == "wasm") && path.is_file() {
        true => file(path.to_owned()).ok(),
        false => carried().map(|(_, bytes)| carry(bytes, path)),
    })
}

/// Tells whether a plugin is embedded in the program or beside it.
pub(super) fn comes_with(id: &PluginId) -> bool {
    let is_carried = CARRIED.iter().any(|(name, _)| *name == id.as_str());
    is_carried || std::env::current_exe().is_ok_and(|program| beside(id, &program).is_some())
}

/// Returns the ids of the embedded plugins.
pub(super) fn carried() -> BTreeSet<PluginId> {
    CARRIED.iter().filter_map(|(name, _)| name.parse().ok()).collect()
}

/// Reads a package and the signature beside it.
pub(super) fn file(from: PathBuf) -> Result<Found, Failure> {
    let beside = PathBuf::from(format!("{}{SUFFIX}", from.display()));
    let signature = match beside.is_file() {
        true => Some(String::from_utf8_lossy(&read(&beside)?).into_owned()),
        false => None,
    };
    Ok(Found { bytes: read(&from)?, from: std::path::absolute(from)?.display().to_string(), signature })
}

fn carry(bytes: &[u8], from: &Path) -> Found {
    Found { bytes: bytes.to_vec(), from: from.display().to_string(), signature: None }
}

fn named(
    id: &PluginId,
    program: &Path,
    built: Option<&Path>,
    carried: &[(&str, &[u8])],
    user: u32,
) -> Result<Found, Failure> {
    if let Some(package) = beside(id, program) {
        return file(package);
    }
    if let Some((_, bytes)) = carried.iter().find(|(name, _)| *name == id.as_str()) {
        return Ok(carry(bytes, program));
    }
    let built = built.and_then(Path::parent).map(|repository| repository.join("plugins"));
    let mut sources = folders(program).take(ABOVE).chain(built).map(|folder| folder.join(id.as_str()));
    // A build runs code from its source folder. Others may be able to write above the program or in its build folder,
    // so the source must belong to this user.
    let is_own = |folder: &Path| folder.metadata().is_ok_and(|metadata| metadata.uid() == user);
    match sources.find(|source| source.join("plugin.toml").is_file() && is_own(source)) {
        Some(source) => file(build::build((Choice::default(), None), &source, None)?),
        None => Err(Failure::Failed(missing(id, carried))),
    }
}

/// Finds the package of a plugin beside the program.
fn beside(id: &PluginId, program: &Path) -> Option<PathBuf> {
    let mut packages = folders(program).take(BESIDE).map(|folder| folder.join(format!("{id}.wasm")));
    packages.find(|package| package.is_file())
}

/// Returns the folders beside and above the program that may hold plugins.
fn folders(program: &Path) -> impl Iterator<Item = PathBuf> {
    program.ancestors().skip(1).map(|folder| folder.join("plugins"))
}

fn user() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// Says how to name the package of a plugin's folder.
fn of_folder(folder: &Path) -> String {
    let shown = folder.display();
    let package = build::id(&folder.join("plugin.toml")).map(|id| folder.join(format!("{id}.wasm")));
    let how = match package {
        Ok(package) if package.is_file() => format!("name its package: {}", package.display()),
        Ok(package) => {
            format!("build it with `iac-mcp plugin build {shown}`, then name {}", package.display())
        }
        Err(_) => "name a package that `iac-mcp plugin pack` wrote".to_owned(),
    };
    format!("{shown} is a folder, expected a package\n{how}")
}

fn missing(id: &PluginId, carried: &[(&str, &[u8])]) -> String {
    if Path::new(id.as_str()).is_dir() {
        return of_folder(Path::new(id.as_str()));
    }
    let names: Vec<&str> = carried.iter().map(|(name, _)| *name).collect();
    let carried = if names.is_empty() {
        "this program was built without bundled packages".to_owned()
    } else {
        format!("this program contains {}", names.join(", "))
    };
    // Only in the source is there something to build.
    let source = format!("plugins/{id}");
    let how = match Path::new(&source).join("plugin.toml").is_file() {
        true => format!("build it with `iac-mcp plugin build {source}`, then add `{source}/{id}.wasm`"),
        false => {
            "name a package file, an address with its digest, or run the command in a checkout of the plugin's source that belongs to you".to_owned()
        }
    };
    format!("there is no file `{id}`, and {carried}\n{how}")
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    const CARRIES: &[(&str, &[u8])] = &[("code-query", b"carried")];

    fn check(files: &[&str], carried: &[(&str, &[u8])], expected: Result<&str, &str>) {
        check_as(user(), files, carried, expected);
    }

    fn check_as(user: u32, files: &[&str], carried: &[(&str, &[u8])], expected: Result<&str, &str>) {
        let folder = tempfile::tempdir().unwrap();
        for path in files {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::File::create(path).unwrap().write_all(b"beside").unwrap();
        }
        let id: PluginId = "code-query".parse().unwrap();
        let found =
            named(&id, &folder.path().join("bin/iac-mcp"), Some(&folder.path().join("host")), carried, user);
        match (found, expected) {
            (Ok(found), Ok(expected)) => assert_eq!(String::from_utf8(found.bytes).unwrap(), expected),
            (Err(failure), Err(expected)) => {
                let said = format!("{failure:?}");
                assert!(said.contains(expected), "{said}");
            }
            (found, _) => panic!("{files:?}: {:?}, expected {expected:?}", found.map(|found| found.from)),
        }
    }

    #[test]
    fn packages_are_beside_the_program_or_in_it() {
        check(&["bin/plugins/code-query.wasm"], &[], Ok("beside"));
        check(&["plugins/code-query/plugin.toml"], &[], Err("plugin.toml: TOML parse error"));
        check(&["plugins/code-query.wasm"], CARRIES, Ok("beside"));
        check(&["plugins/other.wasm"], CARRIES, Ok("carried"));
        check(&[], &[], Err("this program was built without bundled packages"));
        check(&[], &[("omnifocus", b"")], Err("this program contains omnifocus"));
    }

    #[test]
    fn no_source_of_another_user_is_built() {
        let source = ["plugins/code-query/plugin.toml"];
        check_as(user() + 1, &source, &[], Err("there is no file `code-query`"));
    }
}
