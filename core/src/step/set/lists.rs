//! A list that gets or loses some items, in words: what is added, what is removed, and how many items stay.

use jiff::Timestamp;

use super::Open;
use crate::dictionary::Dictionary;
use crate::marshal::Given;
use crate::specifier::{Path, quoted, read_source};
use crate::step::words::{self, Names};
use crate::value::Value;

/// The difference of two lists, with the items in words.
pub(super) struct Difference {
    added: Vec<String>,
    removed: Vec<String>,
    kept: usize,
}

/// An item in a form in which two lists compare.
#[derive(PartialEq)]
enum Key {
    Text(String),
    Date(Timestamp),
    Object(Path),
}

impl Open {
    /// The difference that a change makes in a list; `None` if the whole old and new lists say it better.
    pub(super) fn list_difference(&self, at: usize, dictionary: Option<&Dictionary>) -> Option<Difference> {
        let old = Value::decode(self.change.expected.old.as_ref()?.get(at)?).ok()?;
        match (&old, self.change.values.get(at)?) {
            (Value::List(old), Given::List(new)) => difference(old, new, dictionary, &self.names),
            _ => None,
        }
    }
}

impl Difference {
    /// The lines about a property in a question.
    pub(super) fn lines(&self, term: &str) -> Vec<String> {
        let name = quoted(term);
        let line = |what: &str, items: &[String]| {
            (!items.is_empty()).then(|| format!("{name} {what}: {}", items.join(", ")))
        };
        let stay = match self.kept {
            1 => format!("{name} also keeps 1 item as it is"),
            several => format!("{name} also keeps {several} items as they are"),
        };
        let lines = [line("gets", &self.added), line("loses", &self.removed), Some(stay)];
        lines.into_iter().flatten().collect()
    }
}

/// Compares two lists. Numbers are not compared, because a list of them is one thing, such as a colour or a rectangle.
/// If no item stays, or the items that stay change their order, the two whole lists say more.
fn difference(
    old: &[Value],
    new: &[Given],
    dictionary: Option<&Dictionary>,
    names: &Names,
) -> Option<Difference> {
    let mut left: Vec<(Key, String)> =
        old.iter().map(|item| read(item, dictionary, names)).collect::<Option<_>>()?;
    let news: Vec<(Key, String)> = new.iter().map(|item| given(item, names)).collect::<Option<_>>()?;
    let (mut added, mut at, mut kept) = (Vec::new(), 0, 0);
    let last = news.iter().rposition(|(key, _)| left.iter().any(|(old, _)| old == key));
    let all = news.len();
    let mut removed = Vec::new();
    for (place, (key, words)) in news.into_iter().enumerate() {
        match left.iter().skip(at).position(|(old, _)| *old == key) {
            Some(distance) => {
                removed.extend(left.drain(at..at + distance).map(|(_, words)| words));
                at += 1;
                kept += 1;
            }
            // An item that seemed to be removed appears later, so the order changes.
            None if removed.contains(&words) => return None,
            // An added item that is not at the end also needs its position.
            None if last.is_some_and(|last| place < last) => {
                added.push(format!("{words} (as item {} of {all})", place + 1));
            }
            None => added.push(words),
        }
    }
    removed.extend(left.drain(at..).map(|(_, words)| words));
    (kept > 0 && !(added.is_empty() && removed.is_empty())).then_some(Difference { added, removed, kept })
}

fn read(item: &Value, dictionary: Option<&Dictionary>, names: &Names) -> Option<(Key, String)> {
    match item {
        Value::Text(text) => given(&Given::Text(text.clone()), names),
        Value::Date(date) => given(&Given::Date(date.clone()), names),
        Value::Object(source) => given(&Given::Object(read_source(dictionary?, source)?), names),
        _ => None,
    }
}

fn given(item: &Given, names: &Names) -> Option<(Key, String)> {
    let key = match item {
        Given::Text(text) => Key::Text(text.clone()),
        Given::Date(date) => Key::Date(date.parse().ok()?),
        Given::Object(path) => Key::Object(path.clone()),
        _ => return None,
    };
    Some((key, words::given(item, names)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(old: &[&str], new: &[&str]) -> Option<Vec<String>> {
        let old: Vec<Value> = old.iter().map(|text| Value::Text((*text).to_owned())).collect();
        let new: Vec<Given> = new.iter().map(|text| Given::Text((*text).to_owned())).collect();
        difference(&old, &new, None, &Names::new()).map(|found| found.lines("tags"))
    }

    #[test]
    fn a_list_says_what_it_gets_and_loses() {
        let check = |old: &[&str], new: &[&str], expected: &[&str]| {
            assert_eq!(lines(old, new).unwrap_or_default(), expected, "{old:?} {new:?}");
        };
        check(&["a"], &["a", "b"], &["\"tags\" gets: \"b\"", "\"tags\" also keeps 1 item as it is"]);
        check(
            &["a", "b", "c"],
            &["a", "c", "d", "d"],
            &[
                "\"tags\" gets: \"d\", \"d\"",
                "\"tags\" loses: \"b\"",
                "\"tags\" also keeps 2 items as they are",
            ],
        );
        check(
            &["a", "b"],
            &["c", "a", "b"],
            &["\"tags\" gets: \"c\" (as item 1 of 3)", "\"tags\" also keeps 2 items as they are"],
        );
        check(
            &["a", "a", "b"],
            &["a", "b"],
            &["\"tags\" loses: \"a\"", "\"tags\" also keeps 2 items as they are"],
        );
        for (old, new) in [
            (&["a", "b"][..], &["b", "a"][..]),
            (&["a", "b", "c"], &["c", "b", "a", "d"]),
            (&["a"], &["b"]),
            (&[], &["b"]),
            (&["a"], &[]),
            (&["a"], &["a"]),
        ] {
            check(old, new, &[]);
        }
    }

    #[test]
    fn dates_are_the_same_in_every_zone_and_numbers_are_one_thing() {
        let date = |text: &str| Given::Date(text.to_owned());
        let old = [Value::Date("2026-10-14T07:00:00+02:00".to_owned())];
        let new = [date("2026-10-14T05:00:00Z"), date("2026-10-21T07:00:00+02:00")];
        let found = difference(&old, &new, None, &Names::new()).expect("one stays");
        assert_eq!(
            found.lines("excluded dates"),
            [
                "\"excluded dates\" gets: Wed 2026-10-21 07:00 +02:00",
                "\"excluded dates\" also keeps 1 item as it is"
            ]
        );
        let number = |number: u32| (Value::Number(number.into()), Given::Number(number.into()));
        let (olds, news): (Vec<Value>, Vec<Given>) = [number(1), number(2)].into_iter().unzip();
        assert!(difference(&olds[..1], &news, None, &Names::new()).is_none());
    }
}
