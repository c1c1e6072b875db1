//! A separate temporary folder for each server, removed with the server. A server that is killed leaves files behind:
//! clangd left a gigabyte in one day.

use std::fs;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Once;
use std::sync::atomic::{AtomicU32, Ordering};

use rustix::process::{Pid, test_kill_process};

use crate::launch::Process;

/// The prefix of the folders' names, before the process id.
const PREFIX: &str = "iac-language-server-";

/// A process with its folder. The process is dropped first.
pub(crate) struct Tidy {
    process: Box<dyn Process>,
    _folder: Folder,
}

impl Process for Tidy {
    fn wait(&mut self) -> Pin<Box<dyn Future<Output = String> + Send + '_>> {
        self.process.wait()
    }
}

/// A folder that is removed on drop.
#[derive(Debug)]
pub(crate) struct Folder(PathBuf);

impl Folder {
    /// Makes a folder below `base`; `None` if that is not writable. The first call also removes the folders of dead
    /// processes.
    pub(crate) fn make(base: &Path) -> Option<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        static REMOVED: Once = Once::new();
        REMOVED.call_once(|| remove_left(base));
        let own = std::process::id();
        let path = base.join(format!("{PREFIX}{own}-{}", NEXT.fetch_add(1, Ordering::Relaxed)));
        fs::DirBuilder::new().mode(0o700).create(&path).ok()?;
        Some(Self(path))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Ties the folder to the lifetime of a process.
    pub(crate) fn with(self, process: Box<dyn Process>) -> Box<dyn Process> {
        Box::new(Tidy { process, _folder: self })
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A folder that cannot be removed now is removed by the next process.
        drop(fs::remove_dir_all(&self.0));
    }
}

fn remove_left(base: &Path) {
    for entry in fs::read_dir(base).into_iter().flatten().flatten() {
        if entry.file_name().to_str().and_then(made_by).is_some_and(|pid| test_kill_process(pid).is_err()) {
            drop(fs::remove_dir_all(entry.path()));
        }
    }
}

/// Returns the process id from a folder's name.
fn made_by(name: &str) -> Option<Pid> {
    let (pid, _) = name.strip_prefix(PREFIX)?.split_once('-')?;
    Pid::from_raw(pid.parse().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_go_with_their_processes() {
        let base = tempfile::tempdir().unwrap();
        let (left, other) =
            (base.path().join(format!("{PREFIX}2147483646-0")), base.path().join("other-2147483646-0"));
        fs::create_dir_all(left.join("preamble")).unwrap();
        fs::create_dir(&other).unwrap();
        remove_left(base.path());
        assert!(!left.exists() && other.exists());
        let folder = Folder::make(base.path()).unwrap();
        let path = folder.path().to_owned();
        fs::create_dir(path.join("preamble")).unwrap();
        remove_left(base.path());
        assert!(path.exists());
        drop(folder);
        assert!(!path.exists());
        assert!(Folder::make(&base.path().join("none")).is_none());
    }
}
