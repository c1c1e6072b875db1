//! Places that stay closed to every call, even below a root that was granted.

use std::collections::{HashMap, HashSet};
use std::fmt::Debug;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use cap_std::fs::{Dir, Metadata, MetadataExt as _};

/// Knows the closed places by their names. They depend on the program that uses this crate.
pub trait Closed: Debug + Send + Sync {
    /// Returns the closed place that a real path is, or is in, in words.
    fn holds(&self, path: &Path) -> Option<String>;
    /// Whether a closed place may have this as its last name, in any spelling. It is quick, because every name below
    /// a root is asked about.
    fn may_be(&self, name: &str) -> bool;
    /// The paths of the closed places that may exist.
    fn places(&self) -> Vec<PathBuf>;
}

/// Closes nothing.
#[derive(Debug)]
pub struct Nothing;

impl Closed for Nothing {
    fn holds(&self, _: &Path) -> Option<String> {
        None
    }

    fn may_be(&self, _: &str) -> bool {
        false
    }

    fn places(&self) -> Vec<PathBuf> {
        Vec::new()
    }
}

/// A file or a folder, however it is named: its device and its inode.
type Id = (u64, u64);

/// Separates the closed places below one root from the rest. It compares names, and also files themselves, because one
/// file can have several names.
#[derive(Debug)]
pub struct Fence {
    closed: Arc<dyn Closed>,
    root: PathBuf,
    /// The closed place that the root is, or is in.
    around: Option<String>,
    /// The closed places that exist now.
    there: HashSet<Id>,
    /// Whether one of them is below the root.
    is_below: bool,
}

impl Fence {
    /// Looks where the closed places are now. `root` is a real path.
    pub fn new(root: &Path, closed: &Arc<dyn Closed>) -> Self {
        let own = id(root);
        let (mut there, mut is_below) = (HashSet::new(), false);
        for place in closed.places().iter().filter_map(|place| place.canonicalize().ok()) {
            there.extend(id(&place));
            is_below |= own.is_some() && place.ancestors().skip(1).any(|above| id(above) == own);
        }
        let is_in = |folder: &Path| id(folder).is_some_and(|id| there.contains(&id));
        let by_id = || root.ancestors().find(|above| is_in(above)).map(|above| above.display().to_string());
        let around = closed.holds(root).or_else(by_id);
        Self { closed: Arc::clone(closed), root: root.to_owned(), around, there, is_below }
    }

    /// The closed place that the root is, or is in, in words. Nothing below the root may be read then.
    pub fn around(&self) -> Option<&str> {
        self.around.as_deref()
    }

    /// Whether a closed place is below the root.
    pub fn is_above(&self) -> bool {
        self.is_below
    }

    /// Whether an open file or folder is closed. `path` led to it from the handle of the root, possibly through links.
    pub fn closes(&self, dir: &Dir, path: &str, opened: &Metadata) -> bool {
        let opened = (opened.dev(), opened.ino());
        if self.around.is_some() || self.there.contains(&opened) {
            return true;
        }
        let Ok(real) = dir.canonicalize(path) else { return true };
        if real.as_os_str().is_empty() || real == Path::new(".") {
            return false;
        }
        // If another file stands at this path by now, its names say nothing about the open one.
        let is_same = dir.metadata(&real).is_ok_and(|now| (now.dev(), now.ino()) == opened);
        !is_same || self.closes_real(dir, &real)
    }

    /// Whether an entry of a folder that is not closed itself is closed. `path` leads to it from the root without
    /// links.
    pub fn closes_entry(&self, path: &str, entry: &Metadata) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        self.around.is_some()
            || self.there.contains(&(entry.dev(), entry.ino()))
            || self.closed.may_be(name) && self.closed.holds(&self.root.join(path)).is_some()
    }

    fn closes_real(&self, dir: &Dir, real: &Path) -> bool {
        let may_be = real.components().any(|name| self.closed.may_be(&name.as_os_str().to_string_lossy()));
        if may_be && self.closed.holds(&self.root.join(real)).is_some() {
            return true;
        }
        let is_there = |folder: &Path| {
            let found = dir.metadata(folder);
            found.map_or(true, |found| self.there.contains(&(found.dev(), found.ino())))
        };
        // Only then can a folder on the way be a closed one under another name.
        self.is_below && real.ancestors().any(|folder| !folder.as_os_str().is_empty() && is_there(folder))
    }
}

/// How long the places of closed files are taken as known. Looking costs about a hundred calls of the system.
const KNOWN: Duration = Duration::from_secs(1);

/// The fences of some roots, each for a second.
#[derive(Debug)]
pub struct Fences {
    closed: Arc<dyn Closed>,
    known: Mutex<HashMap<PathBuf, (Instant, Arc<Fence>)>>,
}

impl Fences {
    /// Knows none yet.
    pub fn new(closed: Arc<dyn Closed>) -> Self {
        Self { closed, known: Mutex::default() }
    }

    /// Returns what is closed below a root, which is a real path.
    pub fn of(&self, root: &Path) -> Arc<Fence> {
        let known = self.known().get(root).filter(|(since, _)| since.elapsed() <= KNOWN).cloned();
        if let Some((_, fence)) = known {
            return fence;
        }
        // Nothing is locked meanwhile, because a disk may not answer.
        let (since, fence) = (Instant::now(), Arc::new(Fence::new(root, &self.closed)));
        self.known().insert(root.to_owned(), (since, Arc::clone(&fence)));
        fence
    }

    fn known(&self) -> MutexGuard<'_, HashMap<PathBuf, (Instant, Arc<Fence>)>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn id(path: &Path) -> Option<Id> {
    std::fs::metadata(path).ok().map(|found| (found.dev(), found.ino()))
}

#[cfg(test)]
pub(crate) mod tests {
    use cap_std::ambient_authority;

    use super::*;

    /// Closes these paths, and every `secret.rs`.
    #[derive(Debug)]
    pub(crate) struct These(pub(crate) Vec<PathBuf>);

    impl Closed for These {
        fn holds(&self, path: &Path) -> Option<String> {
            let is_closed = path.ends_with("secret.rs") || self.0.iter().any(|place| path.starts_with(place));
            is_closed.then(|| "a closed place".to_owned())
        }

        fn may_be(&self, name: &str) -> bool {
            name == "secret.rs" || self.0.iter().any(|place| place.ends_with(name))
        }

        fn places(&self) -> Vec<PathBuf> {
            self.0.clone()
        }
    }

    pub(crate) fn put(path: &Path, text: &str) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::io::Write::write_all(&mut std::fs::File::create(path).unwrap(), text.as_bytes()).unwrap();
    }

    #[test]
    fn a_fence_is_built_once_in_a_second() {
        let folder = tempfile::tempdir().unwrap();
        let fences = Fences::new(Arc::new(Nothing));
        let first = fences.of(folder.path());
        let began = Instant::now();
        let second = fences.of(folder.path());
        assert!(Arc::ptr_eq(&first, &second) || began.elapsed() > KNOWN / 2);
        std::thread::sleep(KNOWN + Duration::from_millis(1));
        assert!(!Arc::ptr_eq(&first, &fences.of(folder.path())));
    }

    #[test]
    fn a_closed_place_is_closed_under_every_name() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let at = |path: &str| root.join(path);
        for path in ["state/policy.toml", "state/deep/er", "open/a.rs", "open/secret.rs"] {
            put(&at(path), "x");
        }
        std::os::unix::fs::symlink("../state", at("open/link")).unwrap();
        std::os::unix::fs::symlink("secret.rs", at("open/b.rs")).unwrap();
        std::fs::hard_link(at("state/policy.toml"), at("open/hard")).unwrap();
        let check = |root: &Path, closed: &[&str], path: &str, expected| {
            let closed: Arc<dyn Closed> = Arc::new(These(closed.iter().map(|path| at(path)).collect()));
            let dir = Dir::open_ambient_dir(root, ambient_authority()).unwrap();
            let found = dir.metadata(path).unwrap();
            let fence = Fence::new(root, &closed);
            assert_eq!(fence.closes(&dir, path, &found), expected, "{closed:?} {path}");
        };
        for path in
            ["state", "state/policy.toml", "state/deep/er", "open/link", "open/link/deep/er", "open/../state"]
        {
            check(&root, &["state"], path, true);
            // The name says nothing here, and the folder itself decides.
            check(&root, &["open/link"], path, true);
        }
        for path in ["open", "open/a.rs", "."] {
            check(&root, &["state"], path, false);
        }
        check(&root, &[], "open/secret.rs", true);
        check(&root, &[], "open/b.rs", true);
        check(&root, &["state/policy.toml"], "open/hard", true);
        check(&at("state"), &["state"], "policy.toml", true);
        check(&at("state/deep"), &["open/link"], "er", true);
    }
}
