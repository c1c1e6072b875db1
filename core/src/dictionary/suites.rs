//! Reads the older form of a dictionary: property lists in pairs, a suite with codes and types, and a terminology with
//! names.
//!
//! # Source
//! Apple's Cocoa Scripting Guide, appendix B, describes the two files. The terms are made as the system's own converter
//! makes them, according to its public results for TextEdit, Script Editor and Database Events.

mod tree;
mod entry;
mod registry;
mod types;
mod convert;

use super::merge::merged;
use super::problems::Problems;
use super::sdef::MOST_INCLUDES;
use super::{Dictionary, Problem, ProblemKind, Way};
use convert::Conversion;
use registry::{Registry, Source};
use serde_json::Value as Json;
use tree::Room;

/// The most pairs of one app.
pub const MOST_PAIRS: usize = MOST_INCLUDES;

/// The folders that hold an app's terminologies, best first: scripts use the English terms. The last one is the folder
/// of the suites itself.
pub const FOLDERS: [&str; 7] =
    ["en.lproj", "English.lproj", "en_US.lproj", "en-US.lproj", "en_GB.lproj", "Base.lproj", ""];

/// The two files of one suite.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pair {
    /// The name of the files without extension.
    pub name: String,
    /// The bytes of `NAME.scriptSuite`.
    pub suite: Vec<u8>,
    /// The bytes of `NAME.scriptTerminology`; without them scripts see the suite's own keys.
    pub terminology: Option<Vec<u8>>,
}

/// The suites that the system adds to every app without an `.sdef`: standard terms, text, and the terms for printing.
///
/// # Source
/// Names, codes, types and access are those that the system's converter writes.
const SYSTEM: [(&str, &[u8], &[u8]); 3] = [
    (
        "NSCoreSuite",
        include_bytes!("suites/system/NSCoreSuite.scriptSuite"),
        include_bytes!("suites/system/NSCoreSuite.scriptTerminology"),
    ),
    (
        "NSTextSuite",
        include_bytes!("suites/system/NSTextSuite.scriptSuite"),
        include_bytes!("suites/system/NSTextSuite.scriptTerminology"),
    ),
    (
        "TypeDefinitions",
        include_bytes!("suites/system/TypeDefinitions.scriptSuite"),
        include_bytes!("suites/system/TypeDefinitions.scriptTerminology"),
    ),
];

/// Reads the dictionary of an app from its pairs; the suites of the system are added, as the system does it.
///
/// An app's own suite replaces a suite of the system with the same name. An error in a file becomes a problem, and the
/// rest of the file counts.
pub fn parse(pairs: &[Pair]) -> (Dictionary, Vec<Problem>) {
    let mut problems = Problems::default();
    let mut room = Room::default();
    let mut own = Vec::new();
    for pair in pairs.iter().take(MOST_PAIRS) {
        own.extend(source(pair, &mut room, &mut problems));
    }
    if pairs.len() > MOST_PAIRS {
        problems.add(0, "suites".to_owned(), ProblemKind::Limit(format!("more than {MOST_PAIRS} suites")));
    }
    own.sort_by(|one, other| one.file.cmp(&other.file));
    let mut suites = system(&mut problems);
    // The converter writes its own types after all suites.
    let types = suites.pop();
    suites.retain(|each| own.iter().all(|own| own.name() != each.name()));
    suites.append(&mut own);
    suites.extend(types);
    let registry = Registry { suites };
    let terms = Conversion::new(&registry, &mut problems).terms();
    let dictionary = Dictionary { way: Way::Suites, ..merged(terms, &mut problems) };
    (dictionary, problems.into_vec())
}

fn system(problems: &mut Problems) -> Vec<Source> {
    let mut room = Room::default();
    let read = |(name, suite, terminology): &(&str, &[u8], &[u8])| {
        let pair =
            Pair { name: (*name).to_owned(), suite: suite.to_vec(), terminology: Some(terminology.to_vec()) };
        source(&pair, &mut room, problems)
    };
    SYSTEM.iter().filter_map(read).collect()
}

fn source(pair: &Pair, room: &mut Room, problems: &mut Problems) -> Option<Source> {
    let mut read = |bytes: &[u8], extension: &str| {
        let (line, problem) = match room.read(bytes) {
            Ok(entries) => return Some(Json::from(entries)),
            Err(fault) => fault,
        };
        problems.add(line, format!("{}.{extension}", pair.name), problem);
        None
    };
    let facts = read(&pair.suite, "scriptSuite")?;
    let words = match &pair.terminology {
        Some(bytes) => read(bytes, "scriptTerminology"),
        None => {
            let what =
                "the suite has no terminology; its own keys are its terms, and they are hidden".to_owned();
            problems.add(0, format!("{}.scriptSuite", pair.name), ProblemKind::Defect(what));
            None
        }
    };
    Some(Source { file: pair.name.clone(), facts, words })
}
