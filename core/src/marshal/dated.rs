//! Relative dates, and dates without an offset, among the values of a call, after the Mac has resolved them.

use serde_json::{Value as Json, json};

use super::Given;
use crate::dictionary::Identifier;

/// A text that may be a relative date, with its date. If no date is expected, it stays a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Dated {
    /// The date with its time and offset.
    pub(crate) date: String,
    /// The text.
    pub(crate) said: String,
    /// Whether the named local time does not exist, so that the date is a different one.
    pub(crate) is_skipped: bool,
}

/// The field that holds the date. No property or parameter has this name.
const DATE: &str = "$date";

impl Dated {
    /// Reads the form that [`Self::to_json`] writes.
    pub(crate) fn of(json: &Json) -> Option<Self> {
        let fields = json.as_object().filter(|fields| fields.len() == 3)?;
        let text = |name: &str| fields.get(name).and_then(Json::as_str).map(str::to_owned);
        Some(Self { date: text(DATE)?, said: text("said")?, is_skipped: fields.get("skipped")?.as_bool()? })
    }

    /// Writes it as one value.
    pub(crate) fn to_json(&self) -> Json {
        json!({ DATE: self.date, "said": self.said, "skipped": self.is_skipped })
    }
}

/// The value of a call as people see it: each relative date is replaced by its date, unless only a text is expected
/// there, and AppleScript's form of a file, of a rectangle or of no value by what it means.
pub(crate) fn as_meant(json: &Json, given: &Given) -> Json {
    match (json, given) {
        (Json::Array(items), Given::List(all)) if items.len() == all.len() => {
            items.iter().zip(all).map(|(item, given)| as_meant(item, given)).collect()
        }
        (Json::Object(fields), Given::Record(all)) if fields.len() == all.len() => {
            let field = |((name, json), (_, given)): ((&String, &Json), &(_, Given))| {
                (name.clone(), as_meant(json, given))
            };
            Json::Object(fields.iter().zip(all).map(field).collect())
        }
        (Json::String(_), Given::File(path)) => Json::from(path.as_str()),
        (Json::String(_), Given::Null) => Json::Null,
        (Json::String(_), Given::Number(number)) => Json::from(number.clone()),
        (Json::Array(_), Given::Record(fields)) => {
            let number = |(name, given): &(Identifier, Given)| match given {
                Given::Number(number) => Some((name.as_str().to_owned(), Json::from(number.clone()))),
                _ => None,
            };
            Json::Object(fields.iter().filter_map(number).collect())
        }
        _ => match Dated::of(json) {
            Some(dated) if matches!(given, Given::Date(_)) => Json::from(dated.date),
            Some(dated) => Json::from(dated.said),
            None => json.clone(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_what_it_means() {
        let check = |json: Json, given: Given, expected: Json| assert_eq!(as_meant(&json, &given), expected);
        let identifier = |name: &str| Identifier::of(name).expect("an identifier");
        let dated = |said: &str| {
            Dated { date: "2026-01-27T10:30:00".to_owned(), said: said.to_owned(), is_skipped: false }
                .to_json()
        };
        let date = || Given::Date("2026-01-27T10:30:00".to_owned());
        check(dated("tomorrow"), date(), json!("2026-01-27T10:30:00"));
        check(dated("tomorrow"), Given::Text("tomorrow".to_owned()), json!("tomorrow"));
        check(json!("file \"a\""), Given::File("/a".to_owned()), json!("/a"));
        check(json!("missing value"), Given::Null, Json::Null);
        check(json!("2 * 3"), Given::Number(6.into()), json!(6));
        check(json!("plain"), Given::Text("plain".to_owned()), json!("plain"));
        check(
            json!([dated("today"), "b"]),
            Given::List(vec![date(), Given::Text("b".to_owned())]),
            json!(["2026-01-27T10:30:00", "b"]),
        );
        check(
            json!({ "due": dated("today"), "name": "x" }),
            Given::Record(vec![
                (identifier("due"), date()),
                (identifier("name"), Given::Text("x".to_owned())),
            ]),
            json!({ "due": "2026-01-27T10:30:00", "name": "x" }),
        );
        let side = |name: &str, number: i64| (identifier(name), Given::Number(number.into()));
        check(json!([1, 2]), Given::Record(vec![side("x", 1), side("y", 2)]), json!({ "x": 1, "y": 2 }));
        let odd = Given::Record(vec![side("x", 1), (identifier("y"), Given::Null)]);
        check(json!([1, 2]), odd, json!({ "x": 1 }));
    }

    #[test]
    fn only_its_own_form_is_a_date_in_words() {
        for json in [
            json!("x"),
            json!({}),
            json!({ "$date": 1, "said": "x", "skipped": true }),
            json!({ "$date": "x", "said": 1, "skipped": true }),
            json!({ "$date": "x", "said": "x", "skipped": 1 }),
            json!({ "$date": "x", "said": "x", "other": true }),
            json!({ "date": "x", "said": "x", "skipped": true }),
        ] {
            assert_eq!(Dated::of(&json).map(|it| it.date), None, "{json}");
        }
    }
}
