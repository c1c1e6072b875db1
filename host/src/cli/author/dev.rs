//! `plugin dev`: rebuilds and tests the plugin in a folder after every change.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use clap::Args;
use ignore::WalkBuilder;

use super::test::Test;
use crate::cli::options::Common;
use crate::cli::{Failure, paint};
use crate::plugins::engine::manifest::MANIFEST;

#[derive(Debug, Args)]
pub(in crate::cli) struct Dev {
    /// The folder with plugin.toml.
    #[arg(default_value = ".", value_name = "DIR")]
    what: PathBuf,
    /// A folder to grant, for reading or for language servers; `--root` means the same here.
    #[arg(long, value_name = "DIR")]
    folder: Vec<PathBuf>,
}

/// How often the folder is checked: fast enough for a person, and cheap for the machine.
const LOOK: Duration = Duration::from_millis(300);

/// A fingerprint of the files. It changes when a file is written, created or removed.
type Stamp = (usize, Option<SystemTime>);

impl Dev {
    pub(super) fn run(self, common: &Common, roots: &[PathBuf]) -> Result<(), Failure> {
        if !self.what.is_dir() {
            return Err(Failure::Misuse(format!("{} is not a folder, expected one", self.what.display())));
        }
        if !self.what.join(MANIFEST).is_file() {
            let what = format!("{} has no {MANIFEST}", self.what.display());
            return Err(Failure::Misuse(format!("{what}\n`iac-mcp plugin new ID` makes a plugin")));
        }
        loop {
            let before = stamp(&self.what);
            match Test::of(self.what.clone(), self.folder.clone()).run(common, roots.to_vec()) {
                Ok(()) | Err(Failure::Said) => {}
                Err(failure) => writeln!(paint::stderr(), "{failure}")?,
            }
            writeln!(paint::stderr(), "waiting for a change in {}; Ctrl-C ends this", self.what.display())?;
            while stamp(&self.what) == before {
                std::thread::sleep(LOOK);
            }
        }
    }
}

/// Fingerprints the sources. `.gitignore` names the files that a build writes, so a build does not count as a change.
fn stamp(folder: &Path) -> Stamp {
    let walk = WalkBuilder::new(folder).require_git(false).git_global(false).parents(false).build();
    let files = walk.flatten().filter(|entry| entry.file_type().is_some_and(|it| it.is_file()));
    let written = files
        .filter(|file| !is_made(file.path()))
        .map(|file| file.metadata().ok().and_then(|metadata| metadata.modified().ok()));
    written.fold((0, None), |(count, newest), time| (count + 1, newest.max(time)))
}

/// Whether a build wrote a file. This matters in a folder without a `.gitignore`.
fn is_made(file: &Path) -> bool {
    file.extension().is_some_and(|it| it == "wasm" || it == "journal" || it == "lock")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_sources_change_a_folder() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let put = |name: &str| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().expect("it is in the folder"))
                .expect("a folder can be made");
            std::fs::File::create(path).expect("a file can be made");
        };
        put("src/lib.rs");
        std::io::Write::write_all(
            &mut std::fs::File::create(folder.path().join(".gitignore")).expect("a file can be made"),
            b"/target\n",
        )
        .expect("a file can be written");
        let before = stamp(folder.path());
        put("target/debug/it");
        put("demo.wasm");
        assert_eq!(stamp(folder.path()), before);
        put("src/more.rs");
        assert_ne!(stamp(folder.path()), before);
    }
}
