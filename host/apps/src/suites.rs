//! The `.scriptSuite` and `.scriptTerminology` files of an app without an `.sdef`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use iac_core::dictionary::suites::{FOLDERS, MOST_PAIRS, Pair};
use serde::{Deserialize, Serialize};

use crate::stamp::{Source, read};

/// A suite with its terminology, and their stamps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Files {
    suite: Source,
    terminology: Option<Source>,
}

/// Finds the suites of an app and of the frameworks inside it. macOS merges the terms of both.
pub(crate) fn find(bundle: &Path) -> Vec<Files> {
    let contents = bundle.join("Contents");
    let frameworks = listed(&contents.join("Frameworks"), "framework");
    let resources = frameworks.iter().map(|framework| framework.join("Resources"));
    let folders = [contents.join("Resources")].into_iter().chain(resources);
    let suites = folders.flat_map(|folder| listed(&folder, "scriptSuite"));
    // One more than the reader accepts, so that the reader can report that there are too many.
    suites.filter_map(files).take(MOST_PAIRS + 1).collect()
}

/// Reads the files.
///
/// # Errors
/// One of them cannot be read.
pub(crate) fn pairs(files: &[Files]) -> io::Result<Vec<Pair>> {
    let pair = |Files { suite, terminology }: &Files| {
        let name = suite.path.file_stem().map(|name| name.to_string_lossy().into_owned());
        let terminology = terminology.as_ref().map(|file| read(&file.path)).transpose()?;
        Ok(Pair { name: name.unwrap_or_default(), suite: read(&suite.path)?, terminology })
    };
    files.iter().map(pair).collect()
}

/// A name that identifies these files, whatever they contain.
pub(crate) fn name(files: &[Files]) -> String {
    let paths = files.iter().map(|files| files.suite.path.to_string_lossy());
    Vec::from_iter(paths).join("\n")
}

/// One suite and the terminology that belongs to it; `None` if there is no such suite.
pub(crate) fn files(suite: PathBuf) -> Option<Files> {
    let terminology = terminology(&suite).and_then(Source::of);
    Some(Files { suite: Source::of(suite)?, terminology })
}

/// The terminology in English, or in any language if there is no English one.
fn terminology(suite: &Path) -> Option<PathBuf> {
    let folder = suite.parent()?;
    let name = Path::new(suite.file_name()?).with_extension("scriptTerminology");
    let preferred = FOLDERS.iter().map(|language| folder.join(language));
    let others = listed(folder, "lproj");
    preferred.chain(others).map(|language| language.join(&name)).find(|path| path.is_file())
}

/// The files of a folder with this extension, sorted by name.
pub(crate) fn listed(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut paths: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|found| found == extension)).collect();
    paths.sort();
    paths
}
