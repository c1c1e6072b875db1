//! The volume of the state directory. A network volume may stop answering, and then every file access blocks for
//! ever. The thread that answers clients must not block.

use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use crate::StateError;

/// How long to wait for the volume. Even over a very slow network a share answers within a second.
const PATIENCE: Duration = Duration::from_secs(2);

/// How to access the files of a state directory.
#[derive(Clone, Debug)]
pub(crate) struct Volume {
    /// Whether it is a disk of this machine, which either answers or fails.
    is_local: bool,
    /// Whether an earlier access has not returned yet.
    hangs: Arc<AtomicBool>,
}

impl Volume {
    /// Determines the kind of volume of a folder. This may block like any other access.
    pub(crate) fn of(folder: &Path) -> Self {
        Self { is_local: is_local(folder), hangs: Arc::default() }
    }

    /// The state before the kind of volume is known.
    pub(crate) fn unknown() -> Self {
        Self { is_local: false, hangs: Arc::default() }
    }

    /// Accesses the files at `paths`, and gives up after two seconds if they may be on a network. While an access
    /// hangs, no other is started, so that threads do not pile up.
    pub(crate) fn reach<T: Send + 'static>(
        &self,
        paths: &[&Path],
        work: impl FnOnce() -> Result<T, StateError> + Send + 'static,
    ) -> Result<T, StateError> {
        // A link may lead to another volume.
        let leads_away = |path: &&Path| path.symlink_metadata().is_ok_and(|found| found.is_symlink());
        if self.is_local && !paths.iter().any(leads_away) {
            return work();
        }
        self.aside(paths.first().copied().unwrap_or(Path::new("")), PATIENCE, work)
    }

    fn aside<T: Send + 'static>(
        &self,
        path: &Path,
        patience: Duration,
        work: impl FnOnce() -> Result<T, StateError> + Send + 'static,
    ) -> Result<T, StateError> {
        let silent = || StateError::Silent { path: path.to_owned() };
        if self.hangs.load(Ordering::Acquire) {
            return Err(silent());
        }
        let (done, answer) = channel();
        let hangs = Arc::clone(&self.hangs);
        std::thread::spawn(move || {
            // The caller may have given up waiting.
            drop(done.send(work()));
            hangs.store(false, Ordering::Release);
        });
        match answer.recv_timeout(patience) {
            Ok(result) => result,
            Err(RecvTimeoutError::Disconnected) => Err(silent()),
            Err(RecvTimeoutError::Timeout) => {
                self.hangs.store(true, Ordering::Release);
                // It may have returned at this very moment.
                answer.try_recv().unwrap_or_else(|_| Err(silent())).inspect(|_| {
                    self.hangs.store(false, Ordering::Release);
                })
            }
        }
    }
}

/// Folders of the system, which are never on a network. On a Mac `/` is the sealed system volume, and `/var` is on
/// the volume of the users' folders.
const OF_THE_SYSTEM: [&str; 2] = ["/", "/var"];

/// Whether a folder is on the same volume as one of the system's folders. Any other volume counts as a network
/// volume.
fn is_local(folder: &Path) -> bool {
    let device = |path: &Path| path.metadata().map(|found| found.dev()).ok();
    let own = device(folder);
    own.is_some() && OF_THE_SYSTEM.iter().any(|path| device(Path::new(path)) == own)
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    #[test]
    fn what_does_not_answer_is_waited_for_once() {
        let volume = Volume::unknown();
        let (go, wait) = channel::<()>();
        let short = Duration::from_millis(30);
        let hangs = volume.aside(Path::new("policy.toml"), short, move || {
            let _ = wait.recv();
            Ok(1)
        });
        let wrong = hangs.unwrap_err().to_string();
        assert!(wrong.contains("policy.toml") && wrong.contains("does not respond"), "{wrong}");
        let began = Instant::now();
        assert!(volume.aside(Path::new("x"), Duration::from_secs(60), || Ok(2)).is_err());
        assert!(began.elapsed() < Duration::from_secs(5), "nothing waits behind what hangs");
        go.send(()).unwrap();
        let end = Instant::now() + Duration::from_secs(10);
        while volume.aside(Path::new("x"), Duration::from_secs(60), || Ok(3)).ok() != Some(3) {
            assert!(Instant::now() < end, "once it has come back, it is asked again");
        }
    }

    #[test]
    fn a_link_is_followed_aside() {
        let folder = tempfile::tempdir().unwrap();
        let (link, file) = (folder.path().join("link"), folder.path().join("file"));
        std::os::unix::fs::symlink("/nowhere", &link).unwrap();
        let volume = Volume { is_local: true, hangs: Arc::default() };
        let here = std::thread::current().id();
        let ran = move |paths: &[&Path]| volume.reach(paths, || Ok(std::thread::current().id())).unwrap();
        assert_eq!(ran(&[&file]), here);
        assert_ne!(ran(&[&file, &link]), here);
    }
}
