//! Writes a [`Specifier`] back as the JSON that it is read from.

use serde_json::{Map, Value as Json, json};

use super::{Container, Id, Specifier};

impl Specifier {
    /// Writes the specifier as [`Specifier::parse`] reads it.
    pub fn to_json(&self) -> Json {
        match self {
            Self::Text(text) => json!(text),
            Self::Application => json!("application"),
            Self::Element { element, index, container } => {
                picked("element", element, container, [("index", json!(index))])
            }
            Self::Named { element, name, container } => {
                picked("named", element, container, [("name", json!(name))])
            }
            Self::Id { element, id, container } => picked("id", element, container, [("id", id.to_json())]),
            Self::Filter { element, container, filter, limit, last, only } => {
                let last = last.then(|| ("last", json!(true)));
                let only = only.then(|| ("only", json!(true)));
                let fields = [("where", filter.to_json()), ("limit", json!(limit))];
                picked("filter", element, container, fields.into_iter().chain(last).chain(only))
            }
            Self::Every { element, container, filter, range } => {
                let filter = filter.as_ref().map(|filter| ("where", filter.to_json()));
                let range = range.map(|(from, to)| [("from", json!(from)), ("to", json!(to))]);
                picked("every", element, container, filter.into_iter().chain(range.into_iter().flatten()))
            }
            Self::Property { property, of } => {
                json!({ "type": "property", "property": property, "of": of.to_json() })
            }
        }
    }
}

impl Container {
    /// Writes the container as [`Container::parse`] reads it.
    pub fn to_json(&self) -> Json {
        match self {
            Self::Specifier(specifier) => specifier.to_json(),
            Self::Reference(id) => json!(id.to_string()),
        }
    }
}

impl Id {
    fn to_json(&self) -> Json {
        match self {
            Self::Number(id) => json!(id),
            Self::Text(id) => json!(id),
        }
    }
}

fn picked(
    form: &str,
    element: &str,
    container: &Container,
    fields: impl IntoIterator<Item = (&'static str, Json)>,
) -> Json {
    let mut object = Map::new();
    object.insert("type".to_owned(), json!(form));
    object.insert("element".to_owned(), json!(element));
    object.extend(fields.into_iter().map(|(name, value)| (name.to_owned(), value)));
    object.insert("container".to_owned(), container.to_json());
    Json::Object(object)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_is_read_back() {
        let name = json!({ "property": "name", "op": "==", "value": "x" });
        let test = json!({ "and": [name, { "or": [name, { "not": name }] }] });
        let inbox = json!({ "type": "property", "property": "inbox", "of": "application" });
        for specifier in [
            json!("application"),
            json!({ "type": "element", "element": "message", "index": -1, "container": inbox }),
            json!({ "type": "named", "element": "mailbox", "name": "Work", "container": "ref_abcdefghijklmnop" }),
            json!({ "type": "id", "element": "message", "id": 12, "container": inbox }),
            json!({ "type": "id", "element": "message", "id": "12", "container": inbox }),
            json!({ "type": "filter", "element": "message", "where": test, "limit": 5, "container": inbox }),
            json!({ "type": "filter", "element": "message", "where": test, "limit": 1, "last": true, "container": inbox }),
            json!({ "type": "every", "element": "message", "container": inbox }),
            json!({ "type": "every", "element": "message", "where": test, "container": inbox }),
            json!({ "type": "every", "element": "message", "from": 0, "to": 9, "container": inbox }),
        ] {
            let read = Specifier::parse(&specifier, "specifier").unwrap();
            assert_eq!(read.to_json(), specifier);
        }
    }
}
