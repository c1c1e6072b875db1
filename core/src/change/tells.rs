//! What the answer to a command tells besides the app's own, because most apps answer nothing to a change.

use super::Look;
use crate::app::{STANDARD_ADDITIONS, same_id};
use crate::dictionary::Identifier;

/// A value that the script reads from the app before or after the command.
#[derive(Clone, Debug, PartialEq)]
pub struct Tell {
    /// Its name in the answer.
    pub name: &'static str,
    /// How it is read.
    pub look: Look,
    /// Whether it is read before the command.
    pub is_before: bool,
    /// Whether it is read only if the app answers with an empty text.
    pub if_empty: bool,
    /// The terms on the way to it, which a rule may forbid to read.
    pub terms: &'static [&'static str],
}

/// An app, its command, the name of the value, the way to it, and when it is read. The elements at the end of a way
/// that begins with `#` are counted.
type Row = (&'static str, &'static str, &'static str, &'static [&'static str], bool);

/// The name of the kinds and sizes of what the clipboard holds. A picture reads as an empty text, too.
pub(crate) const HOLDS: &str = "holds";

/// The name of values that the command itself sets back, if it gets them as its arguments.
pub(crate) const OLD: &str = "old";

const MUSIC: &str = "com.apple.Music";
const NOW: &[&str] = &["current track", "name"];

/// # Source
/// Music's dictionary: `current track` is the track that plays. Finder's: `trash` has `items`. Standard Additions:
/// `get volume settings` returns what `set volume` changes.
const ROWS: [Row; 7] = [
    (MUSIC, "hookPlay", "playing", NOW, false),
    (MUSIC, "hookNext", "playing", NOW, false),
    (MUSIC, "hookPrev", "playing", NOW, false),
    (MUSIC, "hookResu", "playing", NOW, false),
    ("com.apple.finder", "fndrempt", "removed", &["trash", "#items"], true),
    (STANDARD_ADDITIONS, "JonsgClp", HOLDS, &["clipboard info"], false),
    (STANDARD_ADDITIONS, "aevtstvl", OLD, &["get volume settings"], true),
];

/// The values for the answer to a command.
pub(crate) fn tells(app: &str, code: &str) -> Vec<Tell> {
    let tell = |(_, _, name, terms, is_before): &Row| {
        let way: Vec<Identifier> =
            terms.iter().map(|term| Identifier::of(term.trim_start_matches('#'))).collect::<Option<_>>()?;
        let is_count = terms.last().is_some_and(|term| term.starts_with('#'));
        let look = if is_count { Look::Count(way) } else { Look::Property(way) };
        Some(Tell { name, look, is_before: *is_before, if_empty: *name == HOLDS, terms })
    };
    ROWS.iter().filter(|row| same_id(row.0, app) && row.1 == code).filter_map(tell).collect()
}
