//! Copies of folders.

use std::fs;
use std::path::Path;

/// Copies a folder; links remain links.
pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        match fs::read_link(&from) {
            Ok(target) => std::os::unix::fs::symlink(target, to).unwrap(),
            Err(_) if from.is_dir() => copy(&from, &to),
            Err(_) => drop(fs::copy(from, to).unwrap()),
        }
    }
}
