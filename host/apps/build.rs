//! Computes a version of the dictionary reader, so that no program uses the cached results of another reader.

use std::hash::Hasher as _;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::{fs, hash};

/// The source files that determine how a dictionary is read.
const READER: [&str; 5] = [
    "../../core/src/dictionary.rs",
    "../../core/src/dictionary",
    "src/definition.rs",
    "src/suites.rs",
    "../../Cargo.lock",
];

fn main() -> io::Result<()> {
    tell(&format!("cargo::rustc-env=IAC_MCP_READER={:016x}", reader()?))?;
    READER.iter().chain(&["build.rs"]).try_for_each(|path| tell(&format!("cargo::rerun-if-changed={path}")))
}

fn reader() -> io::Result<u64> {
    let mut hasher = hash::DefaultHasher::new();
    for path in READER {
        for file in files(Path::new(path))? {
            hasher.write(file.to_string_lossy().as_bytes());
            hasher.write(&fs::read(&file)?);
        }
    }
    Ok(hasher.finish())
}

/// Lists every file below a path, sorted; the path itself if it is a file.
fn files(path: &Path) -> io::Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let entries = fs::read_dir(path)?.map(|entry| Ok(entry?.path()));
    let mut entries = entries.collect::<io::Result<Vec<_>>>()?;
    entries.sort();
    let below = entries.iter().map(|path| files(path)).collect::<io::Result<Vec<_>>>()?;
    Ok(below.into_iter().flatten().collect())
}

fn tell(line: &str) -> io::Result<()> {
    writeln!(io::stdout(), "{line}")
}
