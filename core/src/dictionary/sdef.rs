//! Reads a scripting dictionary.

use super::{Dictionary, Problem};
use std::collections::BTreeMap;

/// Included files that the host has loaded, by href.
pub type Includes = BTreeMap<String, Vec<u8>>;

/// Reads a dictionary from the bytes of an `.sdef` file.
pub fn parse(_bytes: &[u8], _includes: &Includes) -> (Dictionary, Vec<Problem>) {
    (Dictionary::default(), Vec::new())
}
