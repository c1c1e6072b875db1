//! The files that scripts see, in layers: the files that scripts wrote in this world, the world's own files, and this
//! machine's.
//!
//! Only the first layer is ever written, below `state/files`; nothing else on the machine changes. Scripts may write
//! where a Mac's user may write, so not in the system's folders.

use crate::world::journal;
use std::cell::RefCell;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// The layers of files. Only the first one is writable.
#[derive(Debug)]
pub(crate) struct Files {
    own: PathBuf,
    below: Vec<PathBuf>,
    home: String,
    /// The folder that a script changed to, if any. It need not exist on this machine.
    here: RefCell<Option<PathBuf>>,
}

/// Why a file operation failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The file does not exist.
    Gone,
    /// The folder that should contain it does not exist.
    NoFolder,
    /// A script may not change the existing file.
    Denied,
    /// The name is taken.
    Taken,
}

impl Refusal {
    /// The word for it in the bridge's JavaScript.
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

/// A file's metadata. Times are in seconds since 1970.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attributes {
    pub(crate) kind: Kind,
    pub(crate) size: u64,
    pub(crate) modified: f64,
    pub(crate) created: f64,
}

/// Folders that a Mac's user cannot write to.
const OF_THE_SYSTEM: [&str; 10] =
    ["/System", "/usr", "/bin", "/sbin", "/etc", "/dev", "/proc", "/Library", "/private/etc", "/boot"];

/// The folders that every home folder has.
const OF_HOMES: [&str; 8] =
    ["Desktop", "Documents", "Downloads", "Library", "Movies", "Music", "Pictures", "Public"];

impl Files {
    /// Opens the files of a world whose bundles are in `base`.
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

    /// Lists the names in a folder over all layers, sorted; `None` if it is not a folder.
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

    /// Writes a file, replacing what it had.
    ///
    /// # Errors
    /// Its folder does not exist, a folder has its name, or the user may not write there.
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

    /// Makes a folder. With `between`, it also makes the parents, and the folder may already exist.
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

    /// Removes a file that a script wrote. Files of the other layers cannot be removed.
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

    /// Checks that a script may write at a path.
    pub(crate) fn may_write(&self, path: &str) -> Result<(), Refusal> {
        let path = self.absolute(path);
        let alone = path.parent() == Some(Path::new("/"));
        let forbidden = OF_THE_SYSTEM.iter().any(|folder| path.starts_with(folder));
        if alone || forbidden { Err(Refusal::Denied) } else { Ok(()) }
    }

    /// Checks that a script wrote the file, because only such files can be changed or removed.
    fn may_change(&self, path: &str) -> Result<(), Refusal> {
        if self.own_place(path).exists() { Ok(()) } else { Err(Refusal::Denied) }
    }

    /// Returns the real path for a new file. Its folder must exist in some layer, and is created in the first one.
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

    /// Returns the real path of a file, from the first layer that has it.
    fn found(&self, path: &str) -> Option<PathBuf> {
        self.places(path).into_iter().find(|place| place.exists())
    }

    fn is_of_home(&self, path: &str) -> bool {
        let path = self.absolute(path);
        let home = Path::new(&self.home);
        path == home || OF_HOMES.iter().any(|folder| path == home.join(folder))
    }

    /// The current folder, which relative paths start from.
    pub(crate) fn here(&self) -> PathBuf {
        let machine = || std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
        self.here.borrow().clone().unwrap_or_else(machine)
    }

    /// Changes the current folder. The caller has checked that it is a folder.
    pub(crate) fn enter(&self, path: &str) {
        let folder = self.absolute(path);
        self.here.replace(Some(folder));
    }

    /// Makes a path absolute, without `.` and `..`.
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
