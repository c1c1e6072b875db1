//! A separate simulated Mac.

use std::fs;
use std::path::Path;

use serde_json::{Value as Json, json};
use tempfile::TempDir;

use super::copied::copy;

/// Unpacks a Mac with these faults.
pub(crate) fn mac(faults: &Json) -> TempDir {
    let mac = tempfile::tempdir().unwrap();
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/mac"), mac.path());
    fs::write(mac.path().join("faults.json"), json!({ "faults": faults }).to_string()).unwrap();
    mac
}
