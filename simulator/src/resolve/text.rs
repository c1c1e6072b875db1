//! The elements that texts have: paragraphs, words, characters.

use super::Found;
use crate::os_error::{Answer, NO_SUCH_OBJECT, refuse};
use crate::value::Value;

/// Whether texts have elements of that class.
pub(super) fn has(class: &str) -> bool {
    ["paragraph", "word", "character", "attribute run", "attachment", "text"].contains(&class)
}

/// The parts of a text; a paragraph keeps its line end.
pub(super) fn parts(whole: &str, class: &str) -> Answer<Found> {
    let parts: Vec<&str> = match class {
        "paragraph" => whole.split_inclusive('\n').collect(),
        "word" => {
            whole.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty()).collect()
        }
        "character" => return Ok(leaves(whole.chars().map(String::from))),
        "attribute run" | "text" => vec![whole],
        // Texts are plain here: nothing is in them but characters.
        "attachment" => Vec::new(),
        _ => return refuse(NO_SUCH_OBJECT),
    };
    Ok(leaves(parts.into_iter().map(str::to_owned)))
}

fn leaves(parts: impl Iterator<Item = String>) -> Found {
    Found::Many(parts.map(|part| Found::Leaf(Value::text(part))).collect())
}
