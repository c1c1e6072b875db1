//! Shared parts of the core's tests: the simulated Mac's dictionaries, and expected texts.

pub(crate) mod arguments;
pub(crate) mod corpus;
pub(crate) mod desk;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use iac_core::app::{App, Apps};
use iac_core::dictionary::{self, Dictionary, Includes, Problem, ProblemKind};

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the crate is in a folder of the repository")
        .to_owned()
}

/// Some of the simulated Mac's apps.
pub(crate) fn apps() -> Apps {
    static APPS: OnceLock<Apps> = OnceLock::new();
    let listed = [
        ("com.apple.mail", "Mail", "System/Applications/Mail.app/Contents/Resources/Mail.sdef"),
        (
            "com.apple.finder",
            "Finder",
            "System/Library/CoreServices/Finder.app/Contents/Resources/Finder.sdef",
        ),
        ("com.apple.iCal", "Calendar", "System/Applications/Calendar.app/Contents/Resources/iCal.sdef"),
        ("com.apple.Music", "Music", "System/Applications/Music.app/Contents/Resources/com.apple.Music.sdef"),
        ("com.apple.Notes", "Notes", "System/Applications/Notes.app/Contents/Resources/Notes.sdef"),
        (
            "com.apple.reminders",
            "Reminders",
            "System/Applications/Reminders.app/Contents/Resources/Reminders.sdef",
        ),
        (
            "com.apple.MobileSMS",
            "Messages",
            "System/Applications/Messages.app/Contents/Resources/Messages.sdef",
        ),
        (
            "com.omnigroup.OmniFocus4",
            "OmniFocus",
            "Applications/OmniFocus.app/Contents/Resources/OmniFocus.sdef",
        ),
        (
            "com.apple.systemevents",
            "System Events",
            "System/Library/CoreServices/System Events.app/Contents/Resources/SystemEvents.sdef",
        ),
    ];
    let load = |(id, name, file): (&str, &str, &str)| App {
        bundle_id: id.into(),
        name: name.to_owned(),
        version: "1.0".to_owned(),
        counts: None,
        others: Vec::new(),
        dictionary: Some(Arc::new(dictionary(&root().join("fixtures/mac").join(file)).0)),
    };
    APPS.get_or_init(|| Apps(listed.into_iter().map(load).collect())).clone()
}

/// Parses a dictionary; its includes are looked up by file name in the simulated Mac.
pub(crate) fn dictionary(file: &Path) -> (Dictionary, Vec<Problem>) {
    let bytes = fs::read(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let mut includes = Includes::new();
    loop {
        let (dictionary, problems) = dictionary::parse(&bytes, &includes);
        let missing = problems.iter().find_map(|problem| match &problem.kind {
            ProblemKind::MissingInclude(href) => find(href).map(|bytes| (href.clone(), bytes)),
            _ => None,
        });
        let Some((href, bytes)) = missing else { return (dictionary, problems) };
        includes.insert(href, bytes);
    }
}

fn find(href: &str) -> Option<Vec<u8>> {
    let name = href.rsplit('/').next()?;
    fs::read(root().join("fixtures/mac/System/Library/ScriptingDefinitions").join(name)).ok()
}

/// Compares a text with the one in a file; `UPDATE_EXPECT=1` writes the file instead.
pub(crate) fn expect(file: &Path, got: &str) -> Result<(), String> {
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(file, got).expect("the expectation can be written");
        return Ok(());
    }
    let wanted = fs::read_to_string(file).unwrap_or_default();
    let message = || format!("{} differs (UPDATE_EXPECT=1 rewrites it); got:\n{got}", file.display());
    if wanted == got { Ok(()) } else { Err(message()) }
}
