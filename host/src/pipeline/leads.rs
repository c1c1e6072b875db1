//! Follows links for the core, which names the paths that an action would reach. Only the disk knows where a link leads.

use std::collections::HashSet;
use std::path::{Component, Path, PathBuf};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use iac_core::permission::Links;

use crate::closed::resolved;

/// How long to wait for a disk. Other calls wait meanwhile, and even over a very slow network a share answers within a
/// second.
const PATIENCE: Duration = Duration::from_secs(2);

/// No system takes a longer path, so nothing is behind it. A text of a client may be longer.
const LONGEST: usize = 4 * 1024;

/// The disks that have not answered yet. No path on them is looked at again, so that threads do not pile up.
type Silent = Arc<Mutex<HashSet<PathBuf>>>;

/// Makes the function that follows links.
pub(super) fn links() -> Links {
    let silent = Silent::default();
    Links::new(move |paths| follow(paths, &silent, PATIENCE, resolved))
}

/// Returns the paths behind all links; `None` if that takes too long.
fn follow(
    paths: &[String],
    silent: &Silent,
    patience: Duration,
    resolve: fn(&Path) -> PathBuf,
) -> Option<Vec<String>> {
    let disks: HashSet<PathBuf> = paths.iter().map(|path| disk(Path::new(path))).collect();
    if !lock(silent).is_disjoint(&disks) {
        return None;
    }
    let (done, answer) = channel();
    let (paths, waiting, own) = (paths.to_owned(), Arc::clone(silent), disks.clone());
    let look = move || {
        let found = paths.iter().map(|path| match path.len() {
            0..=LONGEST => resolve(Path::new(path)).to_string_lossy().into_owned(),
            _ => path.clone(),
        });
        // The caller may have given up waiting.
        drop(done.send(found.collect::<Vec<String>>()));
        lock(&waiting).retain(|disk| !own.contains(disk));
    };
    std::thread::Builder::new().name("links".to_owned()).spawn(look).ok()?;
    if let Ok(found) = answer.recv_timeout(patience) {
        return Some(found);
    }
    lock(silent).extend(disks.iter().cloned());
    // It may have answered at this very moment.
    let found = answer.try_recv().ok();
    if found.is_some() {
        lock(silent).retain(|disk| !disks.contains(disk));
    }
    found
}

/// The beginning of a path that tells one disk from another: `/Volumes/USB`, `/Users/ada`.
fn disk(path: &Path) -> PathBuf {
    path.components().filter(|name| !matches!(name, Component::CurDir)).take(3).collect()
}

fn lock(silent: &Silent) -> std::sync::MutexGuard<'_, HashSet<PathBuf>> {
    silent.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Instant;

    use super::*;

    fn text(path: &Path) -> String {
        path.to_string_lossy().into_owned()
    }

    #[test]
    fn links_are_followed_as_far_as_they_go() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().canonicalize().unwrap();
        let state = folder.join("state");
        std::fs::create_dir_all(&state).unwrap();
        std::os::unix::fs::symlink(&state, folder.join("link")).unwrap();
        std::os::unix::fs::symlink(folder.join("link"), folder.join("again")).unwrap();
        let closed = crate::closed::closed(Some(&state), "/nobody").with_links(links());
        for name in ["link/policy.toml", "again/new/file", "again", "link/../state/x", "link/none/../x"] {
            assert!(closed.place(&text(&folder.join(name))).is_some(), "{name}");
        }
        for name in ["", "other", "link/../other"] {
            assert_eq!(closed.place(&text(&folder.join(name))), None, "{name}");
        }
    }

    static GOES_ON: AtomicBool = AtomicBool::new(false);

    #[test]
    fn a_disk_that_does_not_answer_is_waited_for_once() {
        fn slow(path: &Path) -> PathBuf {
            while path.starts_with("/Volumes/slow") && !GOES_ON.load(Ordering::Acquire) {
                std::thread::sleep(Duration::from_millis(5));
            }
            path.to_owned()
        }
        let silent = Silent::default();
        let ask = |path: &str, patience| follow(&[path.to_owned()], &silent, patience, slow);
        assert_eq!(ask("/Volumes/slow/a", Duration::from_millis(30)), None);
        let (began, long) = (Instant::now(), Duration::from_secs(60));
        assert_eq!(ask("/Volumes/slow/b", long), None, "no one waits a second time");
        assert_eq!(ask("/Volumes/other/b", long), Some(vec!["/Volumes/other/b".to_owned()]));
        assert!(began.elapsed() < Duration::from_secs(30));
        GOES_ON.store(true, Ordering::Release);
        while ask("/Volumes/slow/b", long).is_none() {
            assert!(began.elapsed() < Duration::from_secs(60), "once it answers, it is asked again");
        }
    }
}
