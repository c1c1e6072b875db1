//! The plugins that come with this program: in it, beside it, or as source in the repository in which it was built.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crate::cli::Failure;
use crate::cli::author::build;
use crate::cli::package::read;
use crate::plugins::Engine as Choice;
use crate::plugins::engine::PluginId;

/// A package, and where it was found.
pub(super) struct Found {
    pub(super) bytes: Vec<u8>,
    /// The path, or the program where it is part of that.
    pub(super) from: PathBuf,
}

/// The packages that were put into the program: those of the folder that `IAC_MCP_PACKAGES` named when it was built.
const CARRIED: &[(&str, &[u8])] = &include!(concat!(env!("OUT_DIR"), "/packages.rs"));

/// How far above the program its packages and its sources are looked for.
const BESIDE: usize = 2;
const ABOVE: usize = 4;

/// Where the program was built; `cargo install` puts it elsewhere.
const BUILT: &str = env!("CARGO_MANIFEST_DIR");

/// Finds the package that somebody means: a file, or the id of a plugin that comes with this program.
///
/// # Errors
/// There is no such file and no such plugin; or its source does not build.
pub(super) fn package(given: &Path) -> Result<Found, Failure> {
    let id = given.to_str().and_then(|id| id.parse::<PluginId>().ok()).filter(|_| !given.is_file());
    if id.is_none() && !given.exists() {
        let what = format!("there is no file {}", given.display());
        let hint = "name a package that `iac-mcp plugin pack` wrote, or the id of a bundled plugin";
        return Err(Failure::Failed(format!("{what}\n{hint}")));
    }
    match id {
        Some(id) => named(&id, &std::env::current_exe()?, Path::new(BUILT), CARRIED, user()),
        None => file(given.to_owned()),
    }
}

/// Finds what is now at the place that an installed plugin came from, without building anything.
pub(super) fn again(id: &PluginId, source: &Path) -> Option<Found> {
    let carried = || CARRIED.iter().find(|(name, _)| *name == id.as_str());
    let is_package = source.extension().is_some_and(|it| it == "wasm") && source.is_file();
    match is_package {
        true => file(source.to_owned()).ok(),
        false => carried().map(|(_, bytes)| Found { bytes: bytes.to_vec(), from: source.to_owned() }),
    }
}

fn file(from: PathBuf) -> Result<Found, Failure> {
    Ok(Found { bytes: read(&from)?, from })
}

fn named(
    id: &PluginId,
    program: &Path,
    built: &Path,
    carried: &[(&str, &[u8])],
    user: u32,
) -> Result<Found, Failure> {
    let folders = || program.ancestors().skip(1).map(|folder| folder.join("plugins"));
    let mut packages = folders().take(BESIDE).map(|folder| folder.join(format!("{id}.wasm")));
    if let Some(package) = packages.find(|package| package.is_file()) {
        return file(package);
    }
    if let Some((_, bytes)) = carried.iter().find(|(name, _)| *name == id.as_str()) {
        return Ok(Found { bytes: bytes.to_vec(), from: program.to_owned() });
    }
    let built = built.parent().map(|repository| repository.join("plugins"));
    let mut sources = folders().take(ABOVE).chain(built).map(|folder| folder.join(id.as_str()));
    // A build runs code of its source, and others may be able to write above the program or where it was built.
    let is_own = |folder: &Path| folder.metadata().is_ok_and(|metadata| metadata.uid() == user);
    match sources.find(|source| source.join("plugin.toml").is_file() && is_own(source)) {
        Some(source) => file(build::build(Choice::default(), &source, None)?),
        None => Err(Failure::Failed(missing(id, carried))),
    }
}

fn user() -> u32 {
    rustix::process::geteuid().as_raw()
}

fn missing(id: &PluginId, carried: &[(&str, &[u8])]) -> String {
    let names: Vec<&str> = carried.iter().map(|(name, _)| *name).collect();
    let carried = if names.is_empty() {
        "this program was built without bundled packages".to_owned()
    } else {
        format!("this program contains {}", names.join(", "))
    };
    format!(
        "there is no file `{id}`, and {carried}. In a checkout of its source that belongs to you, run `iac-mcp plugin build plugins/{id}` and then `iac-mcp plugin add plugins/{id}/{id}.wasm`"
    )
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
            named(&id, &folder.path().join("bin/iac-mcp"), &folder.path().join("host"), carried, user);
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
        check(&[], &[], Err("this program was built without bundled packages. In a checkout of its source"));
        check(&[], &[("omnifocus", b"")], Err("this program contains omnifocus. In a checkout"));
    }

    #[test]
    fn no_source_of_another_user_is_built() {
        let source = ["plugins/code-query/plugin.toml"];
        check_as(user() + 1, &source, &[], Err("there is no file `code-query`"));
    }
}
