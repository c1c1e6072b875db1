//! Reads a scripting dictionary.

mod attributes;
mod frame;
mod library;
mod members;
mod stream;
mod terms;
mod xpointer;

use super::{Dictionary, Problem, ProblemKind, encoding};
use std::collections::BTreeMap;

/// Included files that the host has loaded, by href.
///
/// An href may be written as in the including file, or in any other way that means the same file.
pub type Includes = BTreeMap<String, Vec<u8>>;

// These limits bound the time and memory that a hostile dictionary can take.

/// The largest size of a dictionary or an included file, in bytes.
pub const MOST_BYTES: usize = 10_000_000;
/// The largest number of elements in a dictionary with its includes.
pub const MOST_ELEMENTS: usize = 100_000;
/// The largest number of included files.
pub const MOST_INCLUDES: usize = 50;
/// The largest amount of included text, in bytes. A file counts each time it is included.
pub const MOST_INCLUDED_BYTES: usize = 20_000_000;
/// The deepest nesting of elements in one file.
pub const DEEPEST: usize = 64;
/// The deepest nesting of includes.
pub const DEEPEST_INCLUDE: usize = 8;

/// Reads a dictionary from the bytes of an `.sdef` file.
///
/// A file with faults is read as far as it goes, and each fault is a problem. A missing include is a
/// [`ProblemKind::MissingInclude`]; the host loads it and parses again. The system's standard suite, if it is missing,
/// is replaced by one of our own with the same terms. Nothing outside the given bytes is ever loaded.
pub fn parse(bytes: &[u8], includes: &Includes) -> (Dictionary, Vec<Problem>) {
    let library = library::Library::new(includes);
    if bytes.len() > MOST_BYTES {
        let mut stream = stream::Stream::empty(&library);
        stream.problem("file", too_large());
        return terms::read(stream);
    }
    let decoded = encoding::decode(bytes);
    let mut stream = stream::Stream::new(&decoded.text, &library);
    if let Some(defect) = &decoded.defect {
        stream.problem("file", ProblemKind::Defect(defect.clone()));
    }
    terms::read(stream)
}

fn too_large() -> ProblemKind {
    ProblemKind::Limit(format!("larger than {} MB", MOST_BYTES / 1_000_000))
}
