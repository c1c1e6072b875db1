//! Reads text below a root, through a directory handle that cannot leave it.

use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::time::UNIX_EPOCH;

use cap_std::ambient_authority;
use cap_std::fs::{Dir, File, FileType, Metadata, OpenOptions, OpenOptionsExt as _};
use rustix::fs::OFlags;
use serde_json::{Value as Json, json};

use crate::failure::Fault;

pub(super) fn open(root: &str) -> Result<Json, Fault> {
    directory(root, "").map(|_| json!({}))
}

pub(super) fn entries(root: &str, path: &str, after: Option<&str>, limit: u32) -> Result<Json, Fault> {
    let directory = directory(root, path)?;
    let listed = directory.entries().map_err(|error| refused(path, &error))?;
    let mut entries: Vec<(String, Json)> = Vec::new();
    for entry in listed.flatten() {
        let Ok(name) = entry.file_name().into_string() else { continue };
        if after.is_none_or(|after| name.as_str() > after) {
            let shown = entry.metadata().map(|metadata| show(&name, &metadata));
            entries.extend(shown.map(|shown| (name, shown)));
        }
    }
    entries.sort_by(|(one, _), (other, _)| one.cmp(other));
    let entries: Vec<Json> = entries.into_iter().take(limit as usize).map(|(_, shown)| shown).collect();
    Ok(json!({ "entries": entries }))
}

pub(super) fn read(root: &str, path: &str, offset: u64, limit: u32) -> Result<Json, Fault> {
    let directory = directory(root, "")?;
    let mut file = regular(&directory, path)?;
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

fn directory(root: &str, path: &str) -> Result<Dir, Fault> {
    let unavailable =
        |error: io::Error| Fault::new("unavailable", format!("`{root}` cannot be read: {error}"));
    let directory = Dir::open_ambient_dir(root, ambient_authority()).map_err(unavailable)?;
    if path.is_empty() {
        Ok(directory)
    } else {
        directory.open_dir(path).map_err(|error| refused(path, &error))
    }
}

/// Opens a regular file. A pipe would wait for a writer, so the file is opened without blocking and checked before it
/// is read.
fn regular(directory: &Dir, path: &str) -> Result<File, Fault> {
    let mut options = OpenOptions::new();
    options.read(true);
    options.custom_flags(OFlags::NONBLOCK.bits().cast_signed());
    let file = directory.open_with(path, &options).map_err(|error| refused(path, &error))?;
    let is_file =
        file.metadata().map(|metadata| metadata.is_file()).map_err(|error| refused(path, &error))?;
    if is_file { Ok(file) } else { Err(invalid(path, "is not a regular file")) }
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
