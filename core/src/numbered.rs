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
/// Mail's dictionary has -1 for no flag, and its menu of flags lists the seven colours. Published scripts for Finder
/// count the colours of labels from 1. The dictionary of Reminders: 1–4 are high, 5 is medium, 6–9 are low, 0 is none.
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

/// Properties with minutes from the start of an event, negative for before: an app, and the property.
///
/// # Source
/// Calendar's dictionary, about the alarms of an event.
const INTERVALS: [(&str, &str); 1] = [("com.apple.iCal", "trigger interval")];

/// Whether the numbers of a property are minutes from the start of an event.
pub(crate) fn is_interval(app: &str, property: &str) -> bool {
    INTERVALS.iter().any(|row| same_id(row.0, app) && row.1 == property)
}

/// Such a number in words: `15 minutes before`, `1 day and 2 hours before`, `at the start`.
pub(crate) fn from_start(minutes: &Json) -> Option<String> {
    let minutes = minutes.as_i64()?;
    let all = minutes.unsigned_abs();
    let units = [(all / 1440, "day"), (all % 1440 / 60, "hour"), (all % 60, "minute")];
    let told = |(count, unit): (u64, &str)| match count {
        0 => None,
        1 => Some(format!("1 {unit}")),
        count => Some(format!("{count} {unit}s")),
    };
    let told: Vec<String> = units.into_iter().filter_map(told).collect();
    let side = if minutes < 0 { "before" } else { "after" };
    Some(match told.as_slice() {
        [] => "at the start".to_owned(),
        [only] => format!("{only} {side}"),
        [days, hours] => format!("{days} and {hours} {side}"),
        several => format!("{} {side}", several.join(", ")),
    })
}

/// Returns all of them, for an error: `0 red, 1 orange`.
pub(crate) fn listed(numbers: Numbers) -> String {
    numbers.iter().map(|each| format!("{} {}", each.written, each.word)).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::from_start;

    #[test]
    fn minutes_from_the_start_in_words() {
        for (minutes, words) in [
            (-15, "15 minutes before"),
            (-1, "1 minute before"),
            (0, "at the start"),
            (30, "30 minutes after"),
            (-90, "1 hour and 30 minutes before"),
            (-1440, "1 day before"),
            (-1501, "1 day, 1 hour, 1 minute before"),
        ] {
            assert_eq!(from_start(&json!(minutes)).as_deref(), Some(words));
        }
        assert_eq!(from_start(&json!("x")), None);
        assert!(from_start(&json!(i64::MIN)).is_some());
    }
}
