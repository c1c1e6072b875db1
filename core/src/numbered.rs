//! Numbers that stand for a colour or a priority. A dictionary only calls them integers, and people know them by words.

use serde_json::Value as Json;

use crate::app::same_id;

/// The words for numbers.
pub(crate) type Numbers = &'static [(i64, &'static str)];

/// An app, a property, and the word for each number.
///
/// # Source
/// Mail's dictionary has -1 for no flag, and its menu of flags lists the seven colours. Published scripts for Finder count
/// the colours of labels from 1. The dictionary of Reminders: 1–4 are high, 5 is medium, 6–9 are low, 0 is none.
const NUMBERED: [(&str, &str, Numbers); 3] = [
    (
        "com.apple.mail",
        "flag index",
        &[
            (-1, "none"),
            (0, "red"),
            (1, "orange"),
            (2, "yellow"),
            (3, "green"),
            (4, "blue"),
            (5, "purple"),
            (6, "gray"),
        ],
    ),
    (
        "com.apple.finder",
        "label index",
        &[
            (0, "none"),
            (1, "orange"),
            (2, "red"),
            (3, "yellow"),
            (4, "blue"),
            (5, "purple"),
            (6, "green"),
            (7, "gray"),
        ],
    ),
    ("com.apple.reminders", "priority", &[(0, "none"), (1, "high"), (5, "medium"), (9, "low")]),
];

/// Returns the words for the numbers of a property; none if it has none.
pub(crate) fn numbers(app: &str, property: &str) -> Numbers {
    let row = NUMBERED.iter().find(|row| same_id(row.0, app) && row.1 == property);
    row.map_or(&[], |row| row.2)
}

/// Whether a word stands for a number of such a property, in any app.
pub(crate) fn is_number(property: &str, word: &str) -> bool {
    NUMBERED.iter().any(|row| row.1 == property && number(row.2, word).is_some())
}

/// Returns the number for a word.
pub(crate) fn number(numbers: Numbers, word: &str) -> Option<i64> {
    let word = word.trim().to_lowercase().replace("grey", "gray");
    numbers.iter().find(|each| each.1 == word).map(|each| each.0)
}

/// Returns the word for a number.
pub(crate) fn word(numbers: Numbers, number: &Json) -> Option<&'static str> {
    let number = number.as_i64()?;
    numbers.iter().find(|each| each.0 == number).map(|each| each.1)
}

/// Returns all of them, for an error: `0 red, 1 orange`.
pub(crate) fn listed(numbers: Numbers) -> String {
    numbers.iter().map(|(number, word)| format!("{number} {word}")).collect::<Vec<_>>().join(", ")
}
