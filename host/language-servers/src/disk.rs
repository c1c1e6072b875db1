//! The only access to files: a directory handle on the root. No path leads out of it, not even through links.

use std::borrow::Cow;
use std::io::{self, Read as _};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, Metadata, OpenOptions, OpenOptionsExt as _};
use rustix::fs::OFlags;

use crate::closed::{Closed, Fence, Fences};
use crate::types::{Cause, Failure};
use crate::uri;

/// The largest file that is read for a server.
pub(crate) const MOST_FILE: u64 = 10 * 1024 * 1024;

/// A root: its directory handle, its real path, and what is closed below it.
pub(crate) struct Disk {
    dir: Dir,
    path: PathBuf,
    fences: Fences,
}

/// The parts of a file's metadata that show a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub(crate) size: u64,
    /// Nanoseconds since 1970.
    pub(crate) modified: u64,
}

impl Stamp {
    pub(crate) fn of(metadata: &Metadata) -> Self {
        let modified = metadata.modified().ok().map(cap_std::time::SystemTime::into_std);
        Self { size: metadata.len(), modified: modified.map_or(0, since_1970) }
    }

    /// A number that changes when the file does.
    pub(crate) fn number(self) -> u64 {
        self.modified.rotate_left(17) ^ self.size.wrapping_mul(0x9E37_79B9_7F4A_7C15)
    }

    /// Whether the last change is so recent that a further change might leave the same stamp.
    pub(crate) fn is_recent(self) -> bool {
        since_1970(SystemTime::now()).saturating_sub(self.modified) < nanoseconds(Duration::from_secs(2))
    }
}

impl Disk {
    /// Opens a root by an absolute path.
    ///
    /// # Errors
    /// `NotFound` if it is not a readable folder, and `Outside` if it is in a closed place.
    pub(crate) fn open(root: &Path, closed: &Arc<dyn Closed>) -> Result<Self, Failure> {
        let missing = |error: io::Error| {
            Failure::new(Cause::NotFound, format!("the root `{}` cannot be read: {error}", root.display()))
        };
        let path = root.canonicalize().map_err(missing)?;
        let dir = Dir::open_ambient_dir(&path, ambient_authority()).map_err(missing)?;
        let fences = Fences::new(Arc::clone(closed));
        if let Some(place) = fences.of(&path).around() {
            let message =
                format!("the root `{}` is in {place}, which is closed to every call", root.display());
            return Err(Failure::new(Cause::Outside, message));
        }
        Ok(Self { dir, path, fences })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Tells whether a path leads to this same folder.
    pub(crate) fn is_at(&self, path: &Path) -> bool {
        let own = rustix::fs::fstat(&self.dir);
        let there = rustix::fs::stat(path);
        matches!((own, there), (Ok(own), Ok(there)) if (own.st_dev, own.st_ino) == (there.st_dev, there.st_ino))
    }

    pub(crate) fn dir(&self) -> &Dir {
        &self.dir
    }

    /// Returns what is closed below the root.
    pub(crate) fn fence(&self) -> Arc<Fence> {
        self.fences.of(&self.path)
    }

    /// Returns the metadata of a path that is not closed.
    fn metadata(&self, path: &str) -> Option<Metadata> {
        let path = if path.is_empty() { "." } else { path };
        let found = self.dir.metadata(path).ok()?;
        (!self.fence().closes(&self.dir, path, &found)).then_some(found)
    }

    /// Returns the URI of a path below the root.
    pub(crate) fn uri(&self, path: &str) -> String {
        uri::of(&self.path.join(path))
    }

    /// Converts a server's URI to a path below the root, or else to an absolute path.
    pub(crate) fn named(&self, uri: &str) -> String {
        let Some(absolute) = uri::path(uri) else { return uri.to_owned() };
        let below = absolute.strip_prefix(&self.path).ok().and_then(Path::to_str);
        below.map_or_else(|| absolute.to_string_lossy().into_owned(), str::to_owned)
    }

    /// Parses a path from a caller: relative, or absolute below the root. An absolute path may lead to the root through
    /// links, such as `/tmp` on a Mac.
    ///
    /// # Errors
    /// `Outside` if it leads out of the root.
    pub(crate) fn below(&self, path: &str) -> Result<String, Failure> {
        let outside = || Failure::new(Cause::Outside, format!("path is outside the workspace root: {path}"));
        let given = Path::new(path);
        let given =
            if given.is_absolute() { self.stripped(given).ok_or_else(outside)? } else { given.into() };
        let mut below = Vec::new();
        for component in given.components() {
            match component {
                Component::Normal(name) => below.push(name.to_str().ok_or_else(outside)?),
                Component::CurDir => {}
                Component::ParentDir => drop(below.pop().ok_or_else(outside)?),
                Component::RootDir | Component::Prefix(_) => return Err(outside()),
            }
        }
        Ok(below.join("/"))
    }

    /// Returns the rest of an absolute path below the root. The first folder on the way that is really below the root
    /// decides. What follows it is taken as it is, because reading goes through the handle, which follows no link out.
    fn stripped<'a>(&self, given: &'a Path) -> Option<Cow<'a, Path>> {
        if let Ok(rest) = given.strip_prefix(&self.path) {
            return Some(rest.into());
        }
        let mut above: Vec<&Path> = given.ancestors().collect();
        above.reverse();
        above.into_iter().find_map(|folder| {
            let real = folder.canonicalize().ok()?;
            let below = real.strip_prefix(&self.path).ok()?;
            Some(below.join(given.strip_prefix(folder).ok()?).into())
        })
    }

    /// Returns the stamp of a regular file; `None` if there is none.
    pub(crate) fn stamp(&self, path: &str) -> Option<Stamp> {
        self.metadata(path).filter(Metadata::is_file).map(|metadata| Stamp::of(&metadata))
    }

    pub(crate) fn exists(&self, path: &str) -> bool {
        self.metadata(path).is_some()
    }

    /// Says why nothing can be read at a path: it is closed, or nothing is there.
    pub(crate) fn missing(&self, path: &str) -> Failure {
        let is_there = self.dir.metadata(path).is_ok();
        if is_there { closed(path) } else { missing(path) }
    }

    /// Reads a regular file. A pipe would wait for a writer, so the file is opened without blocking.
    ///
    /// # Errors
    /// `NotFound`, `Outside` (also for a closed file) and `TooLarge`.
    pub(crate) fn read(&self, path: &str, most: u64) -> Result<(Vec<u8>, Stamp), Failure> {
        let mut options = OpenOptions::new();
        options.read(true).custom_flags(OFlags::NONBLOCK.bits().cast_signed());
        let refused = |error: io::Error| refused(path, &error);
        let file = self.dir.open_with(path, &options).map_err(refused)?;
        let metadata = file.metadata().map_err(refused)?;
        if !metadata.is_file() {
            return Err(Failure::new(Cause::Invalid, format!("`{path}` is not a regular file")));
        }
        if self.fence().closes(&self.dir, path, &metadata) {
            return Err(closed(path));
        }
        let mut bytes = Vec::new();
        file.take(most + 1).read_to_end(&mut bytes).map_err(refused)?;
        if bytes.len() as u64 > most {
            let message = format!("`{path}` has {} bytes, expected at most {most}", metadata.len());
            return Err(Failure::new(Cause::TooLarge, message));
        }
        Ok((bytes, Stamp::of(&metadata)))
    }
}

fn closed(path: &str) -> Failure {
    Failure::new(Cause::Outside, format!("`{path}` is closed to every call"))
}

fn missing(path: &str) -> Failure {
    Failure::new(Cause::NotFound, format!("path not found: {path}"))
}

/// Converts an I/O error. The sandbox reports a path that leads out of the root as `PermissionDenied`.
fn refused(path: &str, error: &io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => missing(path),
        io::ErrorKind::PermissionDenied => Failure::new(
            Cause::Outside,
            format!("path is outside the workspace root, or cannot be read: {path}"),
        ),
        _ => Failure::new(Cause::Failed, format!("`{path}` cannot be read: {error}")),
    }
}

fn since_1970(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, nanoseconds)
}

fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::closed::Nothing;
    use crate::closed::tests::{These, put};

    /// Opens a root below which nothing is closed.
    pub(crate) fn open(root: &Path) -> Result<Disk, Failure> {
        let closed: Arc<dyn Closed> = Arc::new(Nothing);
        Disk::open(root, &closed)
    }

    fn check(disk: &Disk, path: &str, expected: Result<&str, Cause>) {
        let below = disk.below(path);
        assert_eq!(
            below.as_deref().map_err(|failure| failure.cause),
            expected.as_deref().map_err(|cause| *cause),
            "{path}"
        );
    }

    #[test]
    fn no_path_leaves_the_root() {
        let folder = tempfile::tempdir().unwrap();
        let disk = open(folder.path()).unwrap();
        let absolute = disk.path().join("a.rs");
        check(&disk, "src/./x/../a.rs", Ok("src/a.rs"));
        check(&disk, absolute.to_str().unwrap(), Ok("a.rs"));
        check(&disk, "", Ok(""));
        check(&disk, "../a.rs", Err(Cause::Outside));
        check(&disk, "a/../../a.rs", Err(Cause::Outside));
        check(&disk, "/etc/hosts", Err(Cause::Outside));
        std::os::unix::fs::symlink("/etc/hosts", folder.path().join("link")).unwrap();
        assert_eq!(disk.read("link", 10).unwrap_err().cause, Cause::Outside);
        assert_eq!(disk.read("none", 10).unwrap_err().cause, Cause::NotFound);
        assert_eq!(disk.stamp("link"), None);
    }

    #[test]
    fn an_absolute_path_may_lead_through_links() {
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &str| folder.path().join(path);
        std::fs::create_dir_all(at("real/root/src")).unwrap();
        std::os::unix::fs::symlink("real", at("way")).unwrap();
        std::os::unix::fs::symlink("real/root/src", at("short")).unwrap();
        std::os::unix::fs::symlink("/etc", at("real/root/out")).unwrap();
        let disk = open(&at("real/root")).unwrap();
        let check = |path: &str, expected| check(&disk, at(path).to_str().unwrap(), expected);
        check("way/root/src/new.rs", Ok("src/new.rs"));
        check("way/root", Ok(""));
        check("short/a.rs", Ok("src/a.rs"));
        check("way/root/../other", Err(Cause::Outside));
        check("way/other", Err(Cause::Outside));
        check("none/root/a.rs", Err(Cause::Outside));
        check("way/root/out/hosts", Ok("out/hosts"));
        assert_eq!(disk.read("out/hosts", 10).unwrap_err().cause, Cause::Outside);
    }

    #[test]
    fn what_is_closed_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for path in ["a.rs", "state/x.rs", "deep/state/x.rs", "deep/secret.rs"] {
            put(&root.join(path), "x");
        }
        std::os::unix::fs::symlink("state/x.rs", root.join("link.rs")).unwrap();
        std::os::unix::fs::symlink("state", root.join("way")).unwrap();
        let closed: Arc<dyn Closed> = Arc::new(These(vec![root.join("state")]));
        let disk = Disk::open(&root, &closed).unwrap();
        for path in ["state/x.rs", "link.rs", "way/x.rs", "deep/secret.rs"] {
            assert_eq!(disk.read(path, 10).unwrap_err().cause, Cause::Outside, "{path}");
            assert_eq!((disk.stamp(path), disk.exists(path)), (None, false), "{path}");
            assert_eq!(disk.missing(path).cause, Cause::Outside, "{path}");
        }
        assert_eq!(disk.missing("none").cause, Cause::NotFound);
        assert!(disk.read("a.rs", 10).is_ok() && disk.exists("deep/state") && disk.exists(""));
        let wrong = Disk::open(&root.join("state"), &closed).err().expect("a closed root is refused");
        assert!(wrong.message.contains("is in a closed place"), "{}", wrong.message);
    }

    #[test]
    fn a_folder_that_was_made_again_is_another_one() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("root");
        std::fs::create_dir(&root).unwrap();
        let disk = open(&root).unwrap();
        assert!(disk.is_at(&root));
        std::fs::rename(&root, folder.path().join("other")).unwrap();
        assert!(!disk.is_at(&root));
        std::fs::create_dir(&root).unwrap();
        assert!(!disk.is_at(&root));
    }

    #[test]
    fn uris_of_servers() {
        let folder = tempfile::tempdir().unwrap();
        let disk = open(folder.path()).unwrap();
        assert_eq!(disk.named(&disk.uri("a b/é@.ts")), "a b/é@.ts");
        assert_eq!(disk.named("file:///usr/lib/x.pyi"), "/usr/lib/x.pyi");
        assert_eq!(disk.named("rust-analyzer://x"), "rust-analyzer://x");
    }
}
