//! The files that scripts see: their own writes in this world, the files of the world, and this machine's own.
//!
//! Only the first layer is ever written, below `state/files`; nothing else of the machine changes. Scripts may write
//! where a Mac's user may write: not in the system's own folders.

use crate::world::journal;
use std::cell::RefCell;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// The layers; only the first is writable.
#[derive(Debug)]
pub(crate) struct Files {
    own: PathBuf,
    below: Vec<PathBuf>,
    home: String,
    /// The folder that a script went to, if it went to one; this machine need not have it.
    here: RefCell<Option<PathBuf>>,
}

/// The failures of a file operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The file does not exist.
    Gone,
    /// The folder that should hold it is not there.
    NoFolder,
    /// A script may not change the existing file.
    Denied,
    /// Something has that name already.
    Taken,
}

impl Refusal {
    /// Its word in the bridge's own code.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Gone => "gone",
            Self::NoFolder => "folder",
            Self::Denied => "denied",
            Self::Taken => "taken",
        }
    }
}

/// The kind of file at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Nothing,
    File,
    Folder,
}

/// The facts about a file; times in seconds since 1970.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attributes {
    pub(crate) kind: Kind,
    pub(crate) size: u64,
    pub(crate) modified: f64,
    pub(crate) created: f64,
}

/// Folders of a Mac in which its user writes nothing.
const OF_THE_SYSTEM: [&str; 10] =
    ["/System", "/usr", "/bin", "/sbin", "/etc", "/dev", "/proc", "/Library", "/private/etc", "/boot"];

/// The folders of every home.
const OF_HOMES: [&str; 8] =
    ["Desktop", "Documents", "Downloads", "Library", "Movies", "Music", "Pictures", "Public"];

impl Files {
    /// The files of a world with its bundles in `base`.
    pub(crate) fn new(world: &Path, base: &Path, home: &str) -> Self {
        let below = vec![world.to_owned(), base.to_owned()];
        Self { own: world.join("state/files"), below, home: home.to_owned(), here: RefCell::default() }
    }

    pub(crate) fn read(&self, path: &str) -> Option<Vec<u8>> {
        fs::read(self.found(path)?).ok()
    }

    pub(crate) fn kind(&self, path: &str) -> Kind {
        match self.found(path) {
            Some(found) if found.is_dir() => Kind::Folder,
            Some(_) => Kind::File,
            None if self.is_of_home(path) => Kind::Folder,
            None => Kind::Nothing,
        }
    }

    /// The names in a folder, of all layers, sorted; `None` if it is not a folder.
    pub(crate) fn list(&self, path: &str) -> Option<Vec<String>> {
        if self.kind(path) != Kind::Folder {
            return None;
        }
        let folders = self.places(path).into_iter().filter_map(|place| fs::read_dir(place).ok());
        let entries = folders.flat_map(|folder| folder.flatten());
        let mut names: Vec<String> =
            entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        if self.absolute(path) == Path::new(&self.home) {
            names.extend(OF_HOMES.iter().map(|name| (*name).to_owned()));
        }
        names.sort();
        names.dedup();
        Some(names)
    }

    pub(crate) fn attributes(&self, path: &str) -> Option<Attributes> {
        let kind = self.kind(path);
        let found = self.found(path).and_then(|found| fs::metadata(found).ok());
        let seconds = |time: Option<SystemTime>| {
            let since = time.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
            since.unwrap_or_default().as_secs_f64()
        };
        let modified = seconds(found.as_ref().and_then(|found| found.modified().ok()));
        let created = found.as_ref().and_then(|found| found.created().ok());
        let created = created.map_or(modified, |time| seconds(Some(time)));
        let size = found.map_or(0, |found| found.len());
        (kind != Kind::Nothing).then_some(Attributes { kind, size, modified, created })
    }

    /// Writes a file whole.
    ///
    /// # Errors
    /// Its folder is not there, a folder has its name, or the place is not the user's.
    pub(crate) fn write(&self, path: &str, bytes: &[u8]) -> Result<(), Refusal> {
        self.may_write(path)?;
        if self.kind(path) == Kind::Folder {
            return Err(Refusal::Denied);
        }
        let place = self.place(path)?;
        let mut next = place.clone().into_os_string();
        next.push(".part");
        journal::replace(Path::new(&next), &place, bytes).map_err(|_| Refusal::Denied)
    }

    /// Makes a folder, and its parents if `between`; only then may it exist already.
    pub(crate) fn make_folder(&self, path: &str, between: bool) -> Result<(), Refusal> {
        self.may_write(path)?;
        match self.kind(path) {
            Kind::File => Err(Refusal::Taken),
            Kind::Folder if !between => Err(Refusal::Taken),
            Kind::Folder => Ok(()),
            Kind::Nothing if between => fs::create_dir_all(self.own_place(path)).map_err(|_| Refusal::Denied),
            Kind::Nothing => fs::create_dir_all(self.place(path)?).map_err(|_| Refusal::Denied),
        }
    }

    /// Removes a file that scripts wrote. They cannot remove files of the layers below.
    pub(crate) fn remove(&self, path: &str) -> Result<(), Refusal> {
        if self.kind(path) == Kind::Nothing {
            return Err(Refusal::Gone);
        }
        self.may_change(path)?;
        let place = self.own_place(path);
        let removed = if place.is_dir() { fs::remove_dir_all(place) } else { fs::remove_file(place) };
        removed.map_err(|_| Refusal::Denied)
    }

    pub(crate) fn copy(&self, from: &str, to: &str) -> Result<(), Refusal> {
        match (self.kind(from), self.kind(to)) {
            (Kind::Nothing, _) => Err(Refusal::Gone),
            (Kind::File, Kind::Nothing) => self.write(to, &self.read(from).ok_or(Refusal::Gone)?),
            (Kind::Folder, Kind::Nothing) => self.copy_folder(from, to),
            _ => Err(Refusal::Taken),
        }
    }

    fn copy_folder(&self, from: &str, to: &str) -> Result<(), Refusal> {
        self.make_folder(to, false)?;
        let names = self.list(from).unwrap_or_default();
        names.iter().try_for_each(|name| self.copy(&format!("{from}/{name}"), &format!("{to}/{name}")))
    }

    pub(crate) fn rename(&self, from: &str, to: &str) -> Result<(), Refusal> {
        if self.kind(from) == Kind::Nothing {
            return Err(Refusal::Gone);
        }
        self.may_change(from)?;
        self.copy(from, to)?;
        self.remove(from)
    }

    /// Whether a script may write at a path.
    pub(crate) fn may_write(&self, path: &str) -> Result<(), Refusal> {
        let path = self.absolute(path);
        let alone = path.parent() == Some(Path::new("/"));
        let forbidden = OF_THE_SYSTEM.iter().any(|folder| path.starts_with(folder));
        if alone || forbidden { Err(Refusal::Denied) } else { Ok(()) }
    }

    /// Only what scripts wrote can be taken away.
    fn may_change(&self, path: &str) -> Result<(), Refusal> {
        if self.own_place(path).exists() { Ok(()) } else { Err(Refusal::Denied) }
    }

    /// The place of a new file: its folder must exist in some layer, and is created in this one.
    fn place(&self, path: &str) -> Result<PathBuf, Refusal> {
        let absolute = self.absolute(path);
        let folder = absolute.parent().unwrap_or(&absolute).to_string_lossy().into_owned();
        if self.kind(&folder) != Kind::Folder {
            return Err(Refusal::NoFolder);
        }
        let place = self.own_place(path);
        let parent = place.parent().unwrap_or(&place);
        fs::create_dir_all(parent).map_err(|_| Refusal::Denied)?;
        Ok(place)
    }

    fn own_place(&self, path: &str) -> PathBuf {
        below(&self.own, &self.absolute(path))
    }

    fn places(&self, path: &str) -> Vec<PathBuf> {
        let path = self.absolute(path);
        let layers = std::iter::once(&self.own).chain(&self.below);
        layers.map(|layer| below(layer, &path)).chain([path.clone()]).collect()
    }

    /// The first layer's file at a path.
    fn found(&self, path: &str) -> Option<PathBuf> {
        self.places(path).into_iter().find(|place| place.exists())
    }

    fn is_of_home(&self, path: &str) -> bool {
        let path = self.absolute(path);
        let home = Path::new(&self.home);
        path == home || OF_HOMES.iter().any(|folder| path == home.join(folder))
    }

    /// The folder from which paths without a root begin.
    pub(crate) fn here(&self) -> PathBuf {
        let machine = || std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
        self.here.borrow().clone().unwrap_or_else(machine)
    }

    /// Changes to a folder. The caller knows that it is a folder.
    pub(crate) fn enter(&self, path: &str) {
        let folder = self.absolute(path);
        self.here.replace(Some(folder));
    }

    /// A path from the root, without `.` and `..`.
    pub(crate) fn absolute(&self, path: &str) -> PathBuf {
        let mut plain = PathBuf::from("/");
        for part in self.here().join(path).components() {
            match part {
                Component::ParentDir => _ = plain.pop(),
                Component::Normal(name) => plain.push(name),
                _ => (),
            }
        }
        plain
    }
}

fn below(layer: &Path, path: &Path) -> PathBuf {
    layer.join(path.strip_prefix("/").unwrap_or(path))
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test lays out the machine below the world")]
mod tests {
    use super::{Files, Kind, Refusal};

    #[test]
    fn only_the_first_layer_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let world = folder.path().join("world");
        std::fs::create_dir_all(world.join("Users/alex")).unwrap();
        let files = Files::new(&world, folder.path(), "/Users/alex");
        let check = |done: Result<(), Refusal>, expected: Result<(), Refusal>| assert_eq!(done, expected);
        check(files.write("/Users/alex/Documents/a.txt", b"one"), Ok(()));
        check(files.write("/Users/alex/Documents/none/a.txt", b"one"), Err(Refusal::NoFolder));
        check(files.write("/usr/local/a.txt", b"one"), Err(Refusal::Denied));
        check(files.write("/a.txt", b"one"), Err(Refusal::Denied));
        check(files.make_folder("/Users/alex/Documents/x/y", false), Err(Refusal::NoFolder));
        check(files.make_folder("/Users/alex/Documents/x/y", true), Ok(()));
        check(files.make_folder("/Users/alex/Documents/x", false), Err(Refusal::Taken));
        check(files.copy("/Users/alex/Documents/a.txt", "/Users/alex/Documents/x/b.txt"), Ok(()));
        check(
            files.copy("/Users/alex/Documents/a.txt", "/Users/alex/Documents/x/b.txt"),
            Err(Refusal::Taken),
        );
        check(files.rename("/Users/alex/Documents/x", "/Users/alex/Documents/../Desktop/z"), Ok(()));
        assert_eq!(files.read("/Users/alex/Desktop/z/b.txt").unwrap(), b"one");
        assert_eq!(files.list("/Users/alex/Desktop/z").unwrap(), ["b.txt", "y"]);
        assert_eq!(files.kind("/Users/alex/Documents/x"), Kind::Nothing);
        check(files.remove("/Users/alex/Documents/a.txt"), Ok(()));
        check(files.remove("/Users/alex/Documents/a.txt"), Err(Refusal::Gone));
        let machine = folder.path().join("real.txt");
        std::fs::write(&machine, "real").unwrap();
        let machine = machine.to_str().unwrap();
        check(files.remove(machine), Err(Refusal::Denied));
        check(files.write(machine, b"changed"), Ok(()));
        assert_eq!(files.read(machine).unwrap(), b"changed", "a script sees what it wrote");
        assert_eq!(std::fs::read(machine).unwrap(), b"real", "the machine does not");
    }
}
