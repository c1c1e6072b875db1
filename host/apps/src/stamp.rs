//! Files: a stamp that identifies one version of a file without reading it, and a read that is limited to the largest
//! dictionary.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use iac_core::dictionary::sdef::MOST_BYTES;
use serde::{Deserialize, Serialize};

/// The size of a file and its modification time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Stamp {
    size: u64,
    /// Nanoseconds since 1970.
    changed: u128,
}

/// A file with its stamp.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Source {
    pub(crate) path: PathBuf,
    pub(crate) stamp: Stamp,
}

impl Stamp {
    /// Returns the stamp of a regular file; `None` for anything else.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        let known = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
        let changed = known.modified().ok()?.duration_since(UNIX_EPOCH).unwrap_or_default();
        Some(Self { size: known.len(), changed: changed.as_nanos() })
    }
}

impl Source {
    /// Returns a regular file with its current stamp; `None` for anything else.
    pub(crate) fn of(path: PathBuf) -> Option<Self> {
        let stamp = Stamp::of(&path)?;
        Some(Self { path, stamp })
    }
}

/// Reads as much of a file as the parser accepts, plus one byte, so that the parser can report that the file is too
/// large.
pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(MOST_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}
