//! Tells whether a project's own settings hide some of its files from the server.

mod compile_commands;
mod tsconfig;

use serde_json::Value as Json;

use crate::disk::Disk;
use crate::listing::Found;
use crate::profile::Profile;

const MOST: u64 = 1024 * 1024;

/// Extensions that a TypeScript project is expected to include. Whether it includes JavaScript depends on another
/// setting.
const TYPED: [&str; 4] = ["ts", "tsx", "mts", "cts"];

/// Tells whether the project excludes a file that the server could read.
pub(crate) fn is_narrow(profile: &Profile, disk: &Disk, found: &[Found]) -> bool {
    if profile.scope.as_deref() == Some("tsconfig") {
        let typed = |found: &&Found| TYPED.contains(&found.extension());
        let projects = tsconfig::Projects::of(disk);
        return projects.is_some_and(|it| found.iter().filter(typed).any(|found| !it.have(&found.path)));
    }
    if profile.scope.as_deref() == Some("compile-commands") {
        // A file that others include is read together with them and needs no command of its own.
        let alone = |found: &&Found| {
            profile.files.contains_key(found.extension())
                && !profile.included.iter().any(|extension| extension == found.extension())
        };
        let commanded = compile_commands::commanded(disk);
        return commanded.is_some_and(|it| found.iter().filter(alone).any(|found| !it.contains(&found.path)));
    }
    !outside(profile, disk, found).is_empty()
}

/// Returns the files that the project's settings hide from the server.
pub(crate) fn outside<'a>(profile: &Profile, disk: &Disk, found: &'a [Found]) -> Vec<&'a Found> {
    let Some(included) = profile.scope.as_deref().and_then(|kind| included(kind, disk)) else {
        return Vec::new();
    };
    let kept = |found: &&Found| !included.iter().any(|prefix| is_below(&found.path, prefix));
    found.iter().filter(|found| profile.files.contains_key(found.extension())).filter(kept).collect()
}

/// Returns the path prefixes that the project includes; `None` if it names none.
fn included(kind: &str, disk: &Disk) -> Option<Vec<String>> {
    let json = |file: &str| {
        let (bytes, _) = disk.read(file, MOST).ok()?;
        serde_json::from_slice::<Json>(&bytes).ok()
    };
    let configured = match json("pyrightconfig.json") {
        Some(configured) => configured,
        None => {
            let (bytes, _) = disk.read("pyproject.toml", MOST).ok()?;
            let project: Json = toml::from_str(&String::from_utf8_lossy(&bytes)).ok()?;
            let tool = project.get("tool")?;
            // Pyright's settings also apply to servers that are based on it.
            tool.get(kind).or_else(|| tool.get("pyright"))?.clone()
        }
    };
    let patterns = configured.get("include")?.as_array()?;
    Some(patterns.iter().filter_map(Json::as_str).map(prefix).collect())
}

/// Returns the folders of a pattern before its first wildcard.
fn prefix(pattern: &str) -> String {
    let parts = pattern.split('/').filter(|part| !matches!(*part, "" | "."));
    parts.take_while(|part| !part.contains(['*', '?'])).collect::<Vec<_>>().join("/")
}

fn is_below(path: &str, prefix: &str) -> bool {
    prefix.is_empty()
        || path.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Joins two paths. The second may contain `.` and `..`. A path that would leave the root stops at the root.
fn join(folder: &str, path: &str) -> String {
    let mut names: Vec<&str> = folder.split('/').filter(|name| !name.is_empty()).collect();
    for name in path.split('/') {
        match name {
            "" | "." => {}
            ".." => drop(names.pop()),
            name => names.push(name),
        }
    }
    names.join("/")
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::Write as _;

    use super::*;
    use crate::listing;
    use crate::profile::known;

    fn check(settings: &[(&str, &str)], expected: bool) {
        check_of("pyright", [("src/a.py", ""), ("tests/b.py", ""), ("docs/c.md", "")], settings, expected);
    }

    fn check_of(profile: &str, files: [(&str, &str); 3], settings: &[(&str, &str)], expected: bool) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap().to_string_lossy().into_owned();
        for (path, text) in files.iter().chain(settings) {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            File::create(path).unwrap().write_all(text.replace("ROOT", &root).as_bytes()).unwrap();
        }
        let disk = crate::disk::tests::open(folder.path()).unwrap();
        let profile = known().into_iter().find(|known| known.name == profile).unwrap();
        assert_eq!(
            is_narrow(&profile, &disk, &listing::list(&disk, false, &|_| true)),
            expected,
            "{settings:?}"
        );
    }

    #[test]
    fn what_the_project_says() {
        check(&[], false);
        check(&[("pyproject.toml", "[tool.pyright]\ninclude = [\"src\"]")], true);
        check(&[("pyproject.toml", "[tool.pyright]\ninclude = [\"./src/**\", \"tests\"]")], false);
        check(&[("pyproject.toml", "[tool.mypy]\ninclude = [\"src\"]")], false);
        check(&[("pyrightconfig.json", "{\"include\": [\"src\"]}")], true);
        check(
            &[("pyrightconfig.json", "{}"), ("pyproject.toml", "[tool.pyright]\ninclude = [\"src\"]")],
            false,
        );
    }

    #[test]
    fn what_compile_commands_say() {
        let files = [("src/a.c", ""), ("b.cpp", ""), ("src/a.h", "")];
        let check = |settings: &[(&str, &str)], expected| check_of("clangd", files, settings, expected);
        check(&[], false);
        let one = "[{\"directory\": \"ROOT/src\", \"file\": \"a.c\"}]";
        let both = "[{\"directory\": \"ROOT/src\", \"file\": \"./a.c\"}, {\"directory\": \"ROOT/src\", \"file\": \"../b.cpp\"}]";
        let whole = "[{\"directory\": \"/\", \"file\": \"ROOT/b.cpp\"}, {\"directory\": \"/x\", \"file\": \"ROOT/src/a.c\"}]";
        check(&[("compile_commands.json", one)], true);
        check(&[("compile_commands.json", both)], false);
        check(&[("build/compile_commands.json", whole)], false);
        check(&[("compile_commands.json", "no JSON")], true);
    }

    #[test]
    fn what_a_tsconfig_says() {
        let files = [("src/a.ts", ""), ("tests/b.test.tsx", ""), ("eslint.config.js", "")];
        let check = |settings: &[(&str, &str)], expected| {
            check_of("tsc", files, settings, expected);
            check_of("typescript-language-server", files, settings, expected);
        };
        check(&[], false);
        check(&[("tsconfig.json", "{}")], false);
        check(&[("tsconfig.json", "no JSON")], false);
        check(&[("tsconfig.json", "{\"include\": [\"src\"]}")], true);
        check(
            &[("tsconfig.json", "{ // why\n \"include\": [\"./src/**/*\", /* \"x\" */ \"tests\",],\n}")],
            false,
        );
        check(&[("tsconfig.json", "{\"include\": [\"*.ts\"]}")], true);
        check(&[("tsconfig.json", "{\"include\": [\"**/*.ts\"]}")], true);
        check(&[("tsconfig.json", "{\"files\": [\"src/a.ts\"]}")], true);
        check(&[("tsconfig.json", "{\"exclude\": [\"**/*.test.tsx\"]}")], true);
        check(
            &[("tsconfig.json", "{\"extends\": \"./base\"}"), ("base.json", "{\"include\": [\"src\"]}")],
            true,
        );
        let parts =
            "{\"files\": [], \"references\": [{\"path\": \"./src\"}, {\"path\": \"tests/tsconfig.t.json\"}]}";
        check(&[("tsconfig.json", parts), ("src/tsconfig.json", "{}")], true);
        let both = [("tsconfig.json", parts), ("src/tsconfig.json", "{}"), ("tests/tsconfig.t.json", "{}")];
        check(&both, false);
    }
}
