//! Compares the values after a write with the written ones.

use crate::dictionary::{Dictionary, names};
use crate::marshal::Given;
use crate::specifier::read_source;
use crate::value::Value;

/// Compares a written value with the value that was read back. Returns `None` if they cannot be compared, because apps
/// return object names in their own form.
pub(crate) fn holds(given: &Given, read: &Value, dictionary: &Dictionary) -> Option<bool> {
    match (given, read) {
        (Given::Object(path), Value::Object(source)) => {
            (read_source(dictionary, source).as_ref() == Some(path)).then_some(true)
        }
        (Given::Place(_), _) => None,
        // Calendar returns missing value for an empty list of dates.
        (Given::List(items), Value::Null) if items.is_empty() => Some(true),
        (Given::List(items), Value::List(held)) => all(
            items.len() == held.len(),
            items.iter().zip(held).map(|(given, read)| holds(given, read, dictionary)),
        ),
        (Given::Record(fields), Value::Record(held)) => {
            let field = |name: &str| held.iter().find(|(key, _)| names::key(key) == names::key(name));
            let same = fields.iter().map(|(name, given)| match field(name.as_str()) {
                Some((_, read)) => holds(given, read, dictionary),
                None => Some(false),
            });
            all(true, same)
        }
        // So do many apps for an empty text.
        (Given::Text(text), Value::Null) if text.is_empty() => Some(true),
        (given, read) => Some(is(given, read)),
    }
}

fn all(so_far: bool, mut parts: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    parts.try_fold(so_far, |all, part| part.map(|part| all && part))
}

fn is(given: &Given, read: &Value) -> bool {
    match (given, read) {
        (Given::Null, Value::Null) => true,
        (Given::Bool(given), Value::Bool(read)) => given == read,
        (Given::Number(given), Value::Number(read)) => near(given.as_f64(), read.as_f64()),
        (Given::Text(given), Value::Text(read)) => lines(given) == lines(read),
        (Given::Enumerator(given) | Given::Class(given), Value::Text(read)) => {
            names::key(given) == names::key(read)
        }
        (Given::Date(given), Value::Date(read)) => same_time(given, read),
        (Given::File(given), Value::File(read)) => given.trim_end_matches('/') == read.trim_end_matches('/'),
        (Given::File(given), Value::Text(read)) => given == read,
        (Given::Text(given), Value::File(read)) => given == read,
        _ => false,
    }
}

/// Some apps store reals in four bytes, so the comparison allows for rounding.
fn near(a: Option<f64>, b: Option<f64>) -> bool {
    let (Some(a), Some(b)) = (a, b) else { return false };
    (a - b).abs() <= 1e-6 * a.abs().max(1.0)
}

/// Apps differ in how they write line ends.
fn lines(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// Compares whole seconds. A time without an offset means local time.
fn same_time(given: &str, read: &str) -> bool {
    let stamp = |text: &str| text.parse::<jiff::Timestamp>().ok().map(|time| time.as_second());
    match stamp(given) {
        Some(given) => Some(given) == stamp(read),
        None => {
            let wall = |text: &str| {
                text.parse::<jiff::civil::DateTime>().ok().map(|time| time.strftime("%F %T").to_string())
            };
            let local = read.get(..19).and_then(wall);
            local.is_some() && wall(given) == local
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dictionary::Identifier;
    use serde_json::{Value as Json, json};

    fn check(given: Given, read: Json, expected: Option<bool>) {
        let value = Value::decode(&read).expect("an encoded value");
        assert_eq!(holds(&given, &value, &Dictionary::default()), expected, "{given:?} {read}");
    }

    #[test]
    fn the_same_value_in_other_words() {
        check(Given::Number(1.into()), json!(1.0), Some(true));
        check(Given::Number(1.into()), json!(2), Some(false));
        check(Given::Bool(true), json!(false), Some(false));
        check(Given::Text("a\nb".into()), json!("a\rb"), Some(true));
        check(Given::Text("a".into()), json!("b"), Some(false));
        check(Given::Text("a".into()), json!(null), Some(false));
        check(Given::Enumerator("on hold status".into()), json!("onHoldStatus"), Some(true));
        check(Given::File("/a/".into()), json!({"$": "file", "v": "/a"}), Some(true));
        check(Given::Null, json!(null), Some(true));
    }

    #[test]
    fn times_are_compared_as_they_were_meant() {
        let read = json!({"$": "date", "v": "2026-01-27T10:30:00.250-05:00"});
        check(Given::Date("2026-01-27T15:30:00Z".into()), read.clone(), Some(true));
        check(Given::Date("2026-01-27T10:30:00".into()), read.clone(), Some(true));
        check(Given::Date("2026-01-27T10:31:00".into()), read.clone(), Some(false));
        check(Given::Date("2026-01-27T10:30:00Z".into()), read, Some(false));
    }

    #[test]
    fn parts_are_compared_one_by_one() {
        let list =
            |items: &[&str]| Given::List(items.iter().map(|item| Given::Text((*item).into())).collect());
        check(list(&["a"]), json!(["a"]), Some(true));
        check(list(&["a"]), json!(["a", "b"]), Some(false));
        let key = Identifier::of("red").expect("an identifier");
        let record = Given::Record(vec![(key, Given::Number(1.into()))]);
        check(record.clone(), json!({"$": "record", "v": [["red", 1], ["green", 2]]}), Some(true));
        check(record, json!({"$": "record", "v": [["green", 2]]}), Some(false));
    }

    #[test]
    fn an_object_by_another_way_cannot_be_told() {
        let path = crate::specifier::Path::application();
        check(Given::Object(path), json!({"$": "object", "v": "Application(\"X\").y.byId(1)"}), None);
    }
}
