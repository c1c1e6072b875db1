//! A simulated Mac of one's own.

use std::fs;
use std::path::Path;

use serde_json::{Value as Json, json};
use tempfile::TempDir;

/// Unpacks a Mac with these faults.
pub(crate) fn mac(faults: &Json) -> TempDir {
    let mac = tempfile::tempdir().unwrap();
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/mac"), mac.path());
    fs::write(mac.path().join("faults.json"), json!({ "faults": faults }).to_string()).unwrap();
    mac
}

/// Copies a folder; links stay links.
fn copy(from: &Path, to: &Path) {
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
