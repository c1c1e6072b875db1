//! The journal: the changes that all processes of a world share, in one file of lines that is appended to under a
//! lock.
//!
//! A line has all changes of one event, so an event happened entirely or not at all. The first line is the header. A
//! line without a line break is an unfinished write of a killed process, which got no answer: readers ignore it, and
//! the next writer cuts it off. When the file grows too long, whole models are written beside it, and a new file
//! replaces it. Processes notice that by the file's identity and load everything again.

use super::change::Change;
use super::{WorldError, content, failed};
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// A journal longer than this is replaced by a new one, in bytes.
pub(crate) const LONGEST: u64 = 1 << 20;

/// The first line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Header {
    /// The generation of the snapshots that this journal continues; 0 means the base data.
    pub(crate) generation: u64,
    /// The wall clock at the world's first change. The data is shifted to it.
    pub(crate) now: i64,
    /// The apps that have a snapshot of this generation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) snapshots: Vec<String>,
}

/// All changes of one event.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Entry {
    /// The bundle id.
    pub(crate) app: String,
    pub(crate) changes: Vec<Change>,
}

/// What other processes have written since the last read.
#[derive(Debug, PartialEq)]
pub(crate) enum News {
    /// These entries, possibly none.
    Entries(Vec<Entry>),
    /// Another journal has replaced this one, so everything must be loaded again.
    Replaced,
}

/// A world's journal as one process sees it.
#[derive(Debug)]
pub(crate) struct Journal {
    folder: PathBuf,
    open: RefCell<Option<Open>>,
}

#[derive(Debug)]
struct Open {
    file: File,
    /// The file's identity. A new journal has a new one.
    identity: (u64, u64),
    header: Header,
    /// The length that was read, always up to the end of a line.
    read: u64,
}

impl Journal {
    /// Makes the journal of a folder, which need not exist yet.
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder, open: RefCell::new(None) }
    }

    pub(crate) fn header(&self) -> Option<Header> {
        self.open.borrow().as_ref().map(|open| open.header.clone())
    }

    /// Returns the wall clock of the first change.
    pub(crate) fn began(&self) -> Option<i64> {
        self.open.borrow().as_ref().map(|open| open.header.now)
    }

    pub(crate) fn snapshot(&self, generation: u64, app: &str) -> PathBuf {
        self.folder.join(format!("{generation}-{app}.json"))
    }

    fn path(&self) -> PathBuf {
        self.folder.join("journal")
    }

    /// Reads the new lines. Returns [`News::Replaced`] the first time, and after a new journal has replaced this one.
    pub(crate) fn news(&self) -> Result<News, WorldError> {
        let path = self.path();
        let Ok(found) = fs::metadata(&path) else {
            let had = self.open.borrow_mut().take().is_some();
            return Ok(if had { News::Replaced } else { News::Entries(Vec::new()) });
        };
        let mut open = self.open.borrow_mut();
        if let Some(open) = open.as_mut().filter(|open| open.identity == identity(&found)) {
            if found.len() == open.read {
                return Ok(News::Entries(Vec::new()));
            }
            let lines = open.lines().map_err(|error| failed(&path, error))?;
            return Ok(News::Entries(entries(&path, &lines)?));
        }
        *open = Open::new(&path)?;
        Ok(News::Replaced)
    }

    /// Returns all entries that were read so far.
    pub(crate) fn entries(&self) -> Result<Vec<Entry>, WorldError> {
        let (open, path) = (self.open.borrow(), self.path());
        let Some(open) = open.as_ref() else { return Ok(Vec::new()) };
        let text = open.all().map_err(|error| failed(&path, error))?;
        let lines = text.split_once('\n').map_or("", |(_, lines)| lines);
        entries(&path, lines)
    }

    /// Waits until only this process may write. The lock is released when the file is dropped or the process ends.
    pub(crate) fn lock(&self) -> Result<File, WorldError> {
        fs::create_dir_all(&self.folder).map_err(|error| failed(&self.folder, error))?;
        let path = self.folder.join("lock");
        lock(&path).map_err(|error| failed(&path, error))
    }

    /// Writes one event's changes. The caller must hold the lock and must have read all new lines under it.
    pub(crate) fn append(&self, entry: &Entry, now: i64) -> Result<(), WorldError> {
        let path = self.path();
        if self.open.borrow().is_none() {
            self.begin(Header { generation: 0, now, snapshots: Vec::new() })?;
        }
        let mut line = serde_json::to_string(entry).map_err(|error| content(&path, error))?;
        line.push('\n');
        let mut open = self.open.borrow_mut();
        let open = open.as_mut().expect("a journal was begun");
        open.append(line.as_bytes()).map_err(|error| failed(&path, error))
    }

    pub(crate) fn is_long(&self) -> bool {
        self.open.borrow().as_ref().is_some_and(|open| open.read > LONGEST)
    }

    /// Replaces the journal by a new one atomically. The caller must hold the lock.
    pub(crate) fn begin(&self, header: Header) -> Result<(), WorldError> {
        let (path, next) = (self.path(), self.folder.join("journal.next"));
        let mut line = serde_json::to_string(&header).map_err(|error| content(&path, error))?;
        line.push('\n');
        replace(&next, &path, line.as_bytes()).map_err(|error| failed(&path, error))?;
        *self.open.borrow_mut() = Open::new(&path)?;
        Ok(())
    }

    /// Removes all state. The caller must hold the lock.
    pub(crate) fn clear(&self) -> Result<(), WorldError> {
        let _ = fs::remove_file(self.path());
        *self.open.borrow_mut() = None;
        let _ = fs::remove_file(self.folder.join("faults"));
        let _ = fs::remove_file(self.folder.join("pasteboard"));
        let _ = fs::remove_dir_all(self.folder.join("files"));
        self.clear_snapshots(u64::MAX)
    }

    /// Removes the snapshots of all other generations.
    pub(crate) fn clear_snapshots(&self, keep: u64) -> Result<(), WorldError> {
        let kept = format!("{keep}-");
        let all = fs::read_dir(&self.folder).map_err(|error| failed(&self.folder, error))?;
        for entry in all.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.ends_with(".json") && !name.starts_with(&kept) {
                let _ = fs::remove_file(entry.path());
            }
        }
        Ok(())
    }
}

/// Locks a file, which is created if it is missing.
pub(crate) fn lock(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new().create(true).append(true).open(path)?;
    loop {
        match file.lock() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => (),
            other => return other.map(|()| file),
        }
    }
}

/// Writes a file completely, then renames it into place.
pub(crate) fn replace(next: &Path, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create(next)?;
    file.write_all(bytes)?;
    fs::rename(next, path)
}

fn identity(found: &fs::Metadata) -> (u64, u64) {
    (found.dev(), found.ino())
}

fn entries(path: &Path, lines: &str) -> Result<Vec<Entry>, WorldError> {
    lines.lines().map(|line| serde_json::from_str(line).map_err(|error| content(path, error))).collect()
}

impl Open {
    fn new(path: &Path) -> Result<Option<Self>, WorldError> {
        let file = OpenOptions::new().read(true).append(true).open(path);
        let file = file.or_else(|_| File::open(path)).map_err(|error| failed(path, error))?;
        let found = file.metadata().map_err(|error| failed(path, error))?;
        let mut open = Self { file, identity: identity(&found), header: Header::default(), read: 0 };
        let text = open.lines().map_err(|error| failed(path, error))?;
        let first = text.lines().next().unwrap_or_default();
        open.header = serde_json::from_str(first).map_err(|error| content(path, error))?;
        Ok(Some(open))
    }

    /// Reads on to the end of the last complete line.
    fn lines(&mut self) -> io::Result<String> {
        let mut bytes = Vec::new();
        self.file.seek(SeekFrom::Start(self.read))?;
        self.file.read_to_end(&mut bytes)?;
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        bytes.truncate(whole);
        self.read += whole as u64;
        String::from_utf8(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
    }

    /// Returns everything that was read so far.
    fn all(&self) -> io::Result<String> {
        let mut text = String::new();
        (&self.file).seek(SeekFrom::Start(0))?;
        (&self.file).take(self.read).read_to_string(&mut text)?;
        Ok(text)
    }

    fn append(&mut self, line: &[u8]) -> io::Result<()> {
        if self.file.metadata()?.len() > self.read {
            self.file.set_len(self.read)?;
        }
        self.file.write_all(line)?;
        self.read += line.len() as u64;
        Ok(())
    }
}
