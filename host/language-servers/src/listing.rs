//! The files of a root, without those that Git ignores and those that tools have made.

use std::path::Path;
use std::sync::Arc;

use cap_std::fs::Dir;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::disk::{Disk, Stamp};
use crate::watch::Watch;

/// Folders without symbols of the project.
const SKIPPED: [&str; 9] =
    [".git", ".hg", ".svn", ".jj", "node_modules", "__pycache__", ".venv", ".tox", ".mypy_cache"];

/// Files that mark a folder as made by a tool: a cache, a virtual environment of Python.
const MARKS: [&str; 2] = ["CACHEDIR.TAG", "pyvenv.cfg"];

/// More than this is not a project.
const MOST: usize = 200_000;
const DEEPEST: usize = 64;

/// A regular file of the root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) path: String,
    pub(crate) stamp: Stamp,
}

impl Found {
    /// Returns the text after the last dot of the name, or the name if it has no dot.
    pub(crate) fn extension(&self) -> &str {
        extension(&self.path)
    }
}

/// Returns what follows the last dot of a path's name, or the whole name.
pub(crate) fn extension(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map_or(name, |(_, extension)| extension)
}

/// Lists all regular files, in order of their paths' bytes. Leaves out those that cannot be read.
pub(crate) fn list(disk: &Disk, ignored: bool) -> Vec<Found> {
    walk(disk, ignored, None)
}

/// Lists the files that Git does not ignore, and watches the folders on the way.
pub(crate) fn list_and_watch(disk: &Disk, watch: &mut dyn Watch) -> Vec<Found> {
    watch.begin_walk();
    let found = walk(disk, false, Some(watch));
    watch.end_walk();
    found
}

fn walk<'a>(disk: &'a Disk, ignored: bool, watch: Option<&'a mut (dyn Watch + 'a)>) -> Vec<Found> {
    let mut walk = Walk { root: disk.dir(), found: Vec::new(), ignored, watch };
    walk.enter(disk.dir(), "", &[], 0);
    walk.found.sort_unstable_by(|one, other| one.path.cmp(&other.path));
    walk.found
}

struct Walk<'a> {
    root: &'a Dir,
    found: Vec<Found>,
    ignored: bool,
    watch: Option<&'a mut dyn Watch>,
}

impl Walk<'_> {
    fn enter(&mut self, dir: &Dir, path: &str, above: &[Arc<Gitignore>], depth: usize) {
        if let Some(watch) = &mut self.watch {
            watch.folder(dir, path);
        }
        let Ok(entries) = dir.entries() else { return };
        let mut rules = above.to_vec();
        if !self.ignored {
            rules.extend(read_rules(dir, path));
        }
        for entry in entries.flatten() {
            let Ok(name) = entry.file_name().into_string() else { continue };
            let Ok(kind) = entry.file_type() else { continue };
            let path = if path.is_empty() { name.clone() } else { format!("{path}/{name}") };
            if self.found.len() >= MOST || is_ignored(&rules, &path, kind.is_dir()) {
                continue;
            }
            if kind.is_dir() {
                self.folder(dir, &name, &path, &rules, depth);
            } else if let Ok(metadata) =
                // A link may lead up, as long as it stays below the root.
                if kind.is_symlink() { self.root.metadata(&path) } else { entry.metadata() }
                && metadata.is_file()
            {
                if let Some(watch) = self.watch.as_mut().filter(|_| kind.is_symlink()) {
                    watch.link(&path);
                }
                self.found.push(Found { path, stamp: Stamp::of(&metadata) });
            }
        }
    }

    fn folder(&mut self, dir: &Dir, name: &str, path: &str, rules: &[Arc<Gitignore>], depth: usize) {
        if SKIPPED.contains(&name) || depth >= DEEPEST {
            return;
        }
        let Ok(below) = dir.open_dir(name) else { return };
        if !MARKS.iter().any(|mark| below.exists(mark)) {
            self.enter(&below, path, rules, depth + 1);
        }
    }
}

fn read_rules(dir: &Dir, path: &str) -> Option<Arc<Gitignore>> {
    let text = dir.read_to_string(".gitignore").ok()?;
    let mut builder = GitignoreBuilder::new(Path::new("/").join(path));
    for line in text.lines() {
        if let Err(error) = builder.add_line(None, line) {
            tracing::debug!(%error, "a line of .gitignore is left out");
        }
    }
    builder.build().ok().map(Arc::new)
}

/// The innermost file that says something about a path decides.
fn is_ignored(rules: &[Arc<Gitignore>], path: &str, is_folder: bool) -> bool {
    let path = Path::new("/").join(path);
    let said = rules.iter().rev().map(|rules| rules.matched(&path, is_folder)).find(|said| !said.is_none());
    said.is_some_and(|said| said.is_ignore())
}

#[cfg(test)]
mod tests {
    use std::fs::{File, create_dir_all};
    use std::io::Write as _;

    use super::*;

    fn check(files: &[(&str, &str)], ignored: bool, expected: &[&str]) {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = folder.path().join(path);
            create_dir_all(path.parent().unwrap()).unwrap();
            File::create(path).unwrap().write_all(text.as_bytes()).unwrap();
        }
        let found = list(&Disk::open(folder.path()).unwrap(), ignored);
        let paths: Vec<&str> = found.iter().map(|found| found.path.as_str()).collect();
        assert_eq!(paths, expected);
    }

    #[test]
    fn what_git_ignores_is_left_out() {
        let files = [
            (".gitignore", "/out\n*.log\n!keep.log\n"),
            ("out/a.rs", ""),
            ("src/out/a.rs", ""),
            ("src/.gitignore", "gen.rs\n"),
            ("src/gen.rs", ""),
            ("src/x.log", ""),
            ("src/keep.log", ""),
            ("node_modules/a/index.js", ""),
            ("target/CACHEDIR.TAG", ""),
            ("target/a.rs", ""),
        ];
        check(&files, false, &[".gitignore", "src/.gitignore", "src/keep.log", "src/out/a.rs"]);
        let all = [
            ".gitignore", "out/a.rs", "src/.gitignore", "src/gen.rs", "src/keep.log", "src/out/a.rs",
            "src/x.log",
        ];
        check(&files, true, &all);
    }

    #[test]
    fn extensions() {
        for (path, expected) in
            [("a/b.c.rs", "rs"), ("a.d/Makefile", "Makefile"), ("x", "x"), (".bashrc", "bashrc")]
        {
            assert_eq!(extension(path), expected, "{path}");
        }
    }
}
