//! Numbers that stand for a colour or a priority. A dictionary only calls them integers, and people know them by words.

use serde_json::Value as Json;

use crate::app::same_id;

/// A word, the number that is written for it, and the first and the last number that it stands for.
#[derive(Debug, PartialEq)]
pub struct Named {
    word: &'static str,
    written: i64,
    from: i64,
    to: i64,
}

/// The words for the numbers of a property.
pub(crate) type Numbers = &'static [Named];

const fn one(number: i64, word: &'static str) -> Named {
    Named { word, written: number, from: number, to: number }
}

/// An app, a property, and its words.
///
/// # Source
/// Mail's dictionary has -1 for no flag, and its menu of flags lists the seven colours. Published scripts for Finder count
/// the colours of labels from 1. The dictionary of Reminders: 1–4 are high, 5 is medium, 6–9 are low, 0 is none.
const NUMBERED: [(&str, &str, Numbers); 3] = [
    (
        "com.apple.mail",
        "flag index",
        &[
            one(-1, "none"),
            one(0, "red"),
            one(1, "orange"),
            one(2, "yellow"),
            one(3, "green"),
            one(4, "blue"),
            one(5, "purple"),
            one(6, "gray"),
        ],
    ),
    (
        "com.apple.finder",
        "label index",
        &[
            one(0, "none"),
            one(1, "orange"),
            one(2, "red"),
            one(3, "yellow"),
            one(4, "blue"),
            one(5, "purple"),
            one(6, "green"),
            one(7, "gray"),
        ],
    ),
    (
        "com.apple.reminders",
        "priority",
        &[
            one(0, "none"),
            Named { word: "high", written: 1, from: 1, to: 4 },
            one(5, "medium"),
            Named { word: "low", written: 9, from: 6, to: 9 },
        ],
    ),
];

/// Returns the words for the numbers of a property; none if it has none.
pub(crate) fn numbers(app: &str, property: &str) -> Numbers {
    let row = NUMBERED.iter().find(|row| same_id(row.0, app) && row.1 == property);
    row.map_or(&[], |row| row.2)
}

/// Whether a word stands for a number of such a property, in any app.
pub(crate) fn is_number(property: &str, word: &str) -> bool {
    NUMBERED.iter().any(|row| row.1 == property && range(row.2, word).is_some())
}

fn named(numbers: Numbers, word: &str) -> Option<&'static Named> {
    let word = word.trim().to_lowercase().replace("grey", "gray");
    numbers.iter().find(|each| each.word == word)
}

/// Returns the number to write for a word.
pub(crate) fn number(numbers: Numbers, word: &str) -> Option<i64> {
    named(numbers, word).map(|named| named.written)
}

/// Returns the first and the last number that a word stands for.
pub(crate) fn range(numbers: Numbers, word: &str) -> Option<[i64; 2]> {
    named(numbers, word).map(|named| [named.from, named.to])
}

/// Returns the word for a number.
pub(crate) fn word(numbers: Numbers, number: &Json) -> Option<&'static str> {
    let number = number.as_i64()?;
    numbers.iter().find(|each| (each.from..=each.to).contains(&number)).map(|each| each.word)
}

/// Returns all of them, for an error: `0 red, 1 orange`.
pub(crate) fn listed(numbers: Numbers) -> String {
    numbers.iter().map(|each| format!("{} {}", each.written, each.word)).collect::<Vec<_>>().join(", ")
}
