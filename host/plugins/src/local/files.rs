//! Reads text below a root, through a directory handle that cannot leave it.

use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use cap_std::ambient_authority;
use cap_std::fs::{Dir, File, FileType, Metadata, OpenOptions, OpenOptionsExt as _};
use iac_language_servers::closed::{Fence, Fences};
use rustix::fs::OFlags;
use serde_json::{Value as Json, json};

use crate::failure::Fault;

/// A granted root, without the closed places in it.
pub(super) struct Root {
    dir: Dir,
    fence: Arc<Fence>,
}

impl Root {
    pub(super) fn open(root: &str, fences: &Fences) -> Result<Self, Fault> {
        let unavailable =
            |error: io::Error| Fault::new("unavailable", format!("`{root}` cannot be read: {error}"));
        let real = Path::new(root).canonicalize().map_err(unavailable)?;
        let dir = Dir::open_ambient_dir(&real, ambient_authority()).map_err(unavailable)?;
        let fence = fences.of(&real);
        match fence.around() {
            Some(place) => {
                let message = format!("`{root}` is in {place}, which is closed to every call");
                Err(Fault::new("permission_denied", message))
            }
            None => Ok(Self { dir, fence }),
        }
    }

    /// Lists a folder. Entries that are closed are left out.
    pub(super) fn entries(&self, path: &str, after: Option<&str>, limit: u32) -> Result<Json, Fault> {
        let at = if path.is_empty() { "." } else { path };
        let failed = |error: io::Error| refused(path, &error);
        let directory = self.dir.open_dir(at).map_err(failed)?;
        self.check(at, &directory.dir_metadata().map_err(failed)?)?;
        let real = self.dir.canonicalize(at).map_err(failed)?;
        let mut entries: Vec<(String, Json)> = Vec::new();
        for entry in directory.entries().map_err(failed)?.flatten() {
            let Ok(name) = entry.file_name().into_string() else { continue };
            if after.is_some_and(|after| name.as_str() <= after) {
                continue;
            }
            let Ok(metadata) = entry.metadata() else { continue };
            if !self.fence.closes_entry(&real.join(&name).to_string_lossy(), &metadata) {
                entries.push((name.clone(), show(&name, &metadata)));
            }
        }
        entries.sort_by(|(one, _), (other, _)| one.cmp(other));
        let entries: Vec<Json> = entries.into_iter().take(limit as usize).map(|(_, shown)| shown).collect();
        Ok(json!({ "entries": entries }))
    }

    pub(super) fn read(&self, path: &str, offset: u64, limit: u32) -> Result<Json, Fault> {
        let file = open(&self.dir, path)?;
        let metadata = file.metadata().map_err(|error| refused(path, &error))?;
        self.check(path, &metadata)?;
        match metadata.is_file() {
            true => text(file, path, offset, limit),
            false => Err(invalid(path, "is not a regular file")),
        }
    }

    fn check(&self, path: &str, opened: &Metadata) -> Result<(), Fault> {
        match self.fence.closes(&self.dir, path, opened) {
            true => Err(Fault::new("permission_denied", format!("`{path}` is closed to every call"))),
            false => Ok(()),
        }
    }
}

fn text(mut file: File, path: &str, offset: u64, limit: u32) -> Result<Json, Fault> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(offset)).map_err(|error| refused(path, &error))?;
    file.take(u64::from(limit)).read_to_end(&mut bytes).map_err(|error| refused(path, &error))?;
    let whole = match std::str::from_utf8(&bytes) {
        Ok(text) => text,
        // A character that the byte limit has cut in two is not an error.
        Err(error) if error.error_len().is_none() => {
            std::str::from_utf8(&bytes[..error.valid_up_to()]).expect("this much was found to be valid")
        }
        Err(error) => {
            return Err(invalid(
                path,
                &format!("is not UTF-8 at byte {}", offset + error.valid_up_to() as u64),
            ));
        }
    };
    Ok(json!({ "text": whole }))
}

/// Opens a file. A pipe would wait for a writer, so the file is opened without blocking and checked before it is read.
fn open(directory: &Dir, path: &str) -> Result<File, Fault> {
    let mut options = OpenOptions::new();
    options.read(true);
    options.custom_flags(OFlags::NONBLOCK.bits().cast_signed());
    directory.open_with(path, &options).map_err(|error| refused(path, &error))
}

fn show(name: &str, metadata: &Metadata) -> Json {
    let modified = metadata.modified().ok().map(cap_std::time::SystemTime::into_std);
    let modified =
        modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok()).map_or(0, |since| since.as_millis());
    let size = if metadata.is_file() { metadata.len() } else { 0 };
    let kind = kind(metadata.file_type());
    json!({ "name": name, "kind": kind, "size": size, "modified": u64::try_from(modified).unwrap_or(0) })
}

fn kind(file_type: FileType) -> &'static str {
    if file_type.is_file() {
        "file"
    } else if file_type.is_dir() {
        "directory"
    } else if file_type.is_symlink() {
        "link"
    } else {
        "other"
    }
}

/// Converts an I/O error. If the path is at fault, so is the caller; other errors are the system's.
fn refused(path: &str, error: &io::Error) -> Fault {
    match error.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::NotADirectory | io::ErrorKind::InvalidInput => {
            invalid(path, &format!("is not below the root, or has another kind: {error}"))
        }
        _ => Fault::new("unavailable", format!("`{path}` cannot be read: {error}")),
    }
}

fn invalid(path: &str, fault: &str) -> Fault {
    Fault::new("invalid_parameter", format!("`{path}` {fault}"))
}
