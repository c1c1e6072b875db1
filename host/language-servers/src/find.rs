//! Finds the program of a profile.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use serde_json::Value as Json;

use crate::profile::{Package, Profile};
use crate::settings::Settings;

/// Finds the program of a profile, or returns why there is none.
pub(crate) fn program(profile: &Profile, settings: &Settings, root: &Path) -> Result<PathBuf, String> {
    let name = profile.command.first().map_or("", String::as_str);
    if name.contains('/') {
        let path = PathBuf::from(name);
        return if is_program(&path) {
            Ok(path)
        } else {
            Err(format!("`{name}` is not an executable program"))
        };
    }
    let local = profile.local.iter().map(|folder| root.join(folder));
    let mut old = None;
    for found in local.chain(settings.path.iter().cloned()).map(|folder| folder.join(name)) {
        if !is_program(&found) {
            continue;
        }
        match profile.package.as_ref().and_then(|package| too_old(package, &found)) {
            None => return Ok(found),
            Some(version) => old = Some(version),
        }
    }
    Err(match old {
        Some(version) => format!("{name} has version {version}, which is not a language server"),
        None => format!("{name} not found on PATH"),
    })
}

fn is_program(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

/// Returns the version of a program's package if it is too old. A program without a package is accepted.
fn too_old(package: &Package, program: &Path) -> Option<String> {
    let real = program.canonicalize().ok()?;
    let described =
        real.ancestors().skip(1).take(4).find_map(|folder| describes(&folder.join("package.json"), package));
    let version = described?;
    let first: u64 = version.split('.').next()?.parse().ok()?;
    (first < package.at_least).then_some(version)
}

fn describes(file: &Path, package: &Package) -> Option<String> {
    let described: Json = serde_json::from_slice(&std::fs::read(file).ok()?).ok()?;
    let named = described.get("name")?.as_str()? == package.name;
    named.then(|| described.get("version")?.as_str().map(str::to_owned)).flatten()
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::io::Write as _;

    use serde_json::json;

    use super::*;

    fn put(path: &Path, text: &str, mode: u32) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        File::create(path).unwrap().write_all(text.as_bytes()).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    fn check(version: &str, mode: u32, expected: Result<&str, &str>) {
        let root = tempfile::tempdir().unwrap();
        let package = root.path().join("node_modules/typescript");
        put(&package.join("bin/tsc"), "", mode);
        put(
            &package.join("package.json"),
            &json!({"name": "typescript", "version": version}).to_string(),
            0o644,
        );
        let bin = root.path().join("node_modules/.bin");
        fs::create_dir_all(&bin).unwrap();
        std::os::unix::fs::symlink("../typescript/bin/tsc", bin.join("tsc")).unwrap();
        let settings = Settings::standard([]);
        let profile = settings.profiles.iter().find(|profile| profile.name == "tsc").unwrap();
        let found = program(profile, &settings, root.path());
        let found = found.map(|path| path.strip_prefix(root.path()).unwrap().display().to_string());
        assert_eq!(found.as_deref().map_err(String::as_str), expected);
    }

    #[test]
    fn programs_are_found() {
        check("7.0.2", 0o755, Ok("node_modules/.bin/tsc"));
        check("5.9.3", 0o755, Err("tsc has version 5.9.3, which is not a language server"));
        check("7.0.2", 0o644, Err("tsc not found on PATH"));
    }
}
