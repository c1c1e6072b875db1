//! Arguments without private text: the log shows the action but nothing that someone wrote.

use serde_json::{Map, Value as Json, json};

use crate::words::RefId;

/// Arguments that contain only terms of dictionaries, references or counts.
const TERMS: [&str; 19] = [
    "app", "class", "command", "dryRun", "elementType", "element", "property", "properties", "type", "op",
    "order", "index", "limit", "offset", "textOffset", "textLimit", "tool", "language", "sha256",
];

/// Arguments that hold further arguments.
const NESTS: [&str; 12] = [
    "specifier", "container", "of", "where", "and", "or", "not", "at", "objects", "children", "changes",
    "elements",
];

/// A longer text is not a term.
const LONGEST: usize = 80;

/// Returns the shape of arguments. Keys, terms, references and counts stay; everything else becomes its kind and
/// length.
pub fn redact(arguments: &Map<String, Json>) -> Json {
    arguments.iter().map(|(name, value)| (name.clone(), field(name, value))).collect()
}

fn nest(value: &Json) -> Json {
    match value {
        Json::Object(fields) => redact(fields),
        Json::Array(items) => items.iter().map(nest).collect(),
        other => hidden(other),
    }
}

fn field(name: &str, value: &Json) -> Json {
    let is_term =
        |value: &Json| !value.is_object() && !value.is_array() && value.to_string().len() <= LONGEST;
    match value {
        Json::Array(items) if TERMS.contains(&name) && items.iter().all(is_term) => value.clone(),
        value if TERMS.contains(&name) && is_term(value) => value.clone(),
        Json::Object(_) | Json::Array(_) if NESTS.contains(&name) => nest(value),
        value => hidden(value),
    }
}

fn hidden(value: &Json) -> Json {
    match value {
        Json::Null | Json::Bool(_) => value.clone(),
        Json::Number(_) => json!("number"),
        // Words for objects contain text that someone wrote; references and undo ids do not.
        Json::String(text) if is_id(text) => value.clone(),
        Json::String(text) => json!(format!("text of {} characters", text.chars().count())),
        Json::Array(items) => items.iter().map(hidden).collect(),
        Json::Object(fields) => fields.iter().map(|(name, value)| (name.clone(), hidden(value))).collect(),
    }
}

fn is_id(text: &str) -> bool {
    RefId::parse(text).is_some() || RefId::parse(&text.replacen("undo_", "ref_", 1)).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(arguments: Json, expected: Json) {
        let fields = arguments.as_object().expect("arguments have names");
        assert_eq!(redact(fields), expected, "{arguments}");
    }

    #[test]
    fn what_somebody_wrote_is_counted_only() {
        check(
            json!({ "reference": "ref_aaaaaaaaaaaaaaaa", "property": "subject", "value": "My secret" }),
            json!({ "reference": "ref_aaaaaaaaaaaaaaaa", "property": "subject", "value": "text of 9 characters" }),
        );
        check(
            json!({ "properties": ["content"], "value": 7 }),
            json!({ "properties": ["content"], "value": "number" }),
        );
        check(
            json!({ "properties": { "content": "Dear" } }),
            json!({ "properties": { "content": "text of 4 characters" } }),
        );
        check(json!({ "value": { "app": "secret" } }), json!({ "value": { "app": "text of 6 characters" } }));
        let event = json!({ "class": "event", "properties": { "summary": "Divorce" } });
        let without = json!({ "class": "event", "properties": { "summary": "text of 7 characters" } });
        check(
            json!({ "class": "calendar", "children": [event.clone()], "objects": [event] }),
            json!({ "class": "calendar", "children": [without.clone()], "objects": [without] }),
        );
        check(json!({ "app": "x".repeat(99) }), json!({ "app": "text of 99 characters" }));
    }

    #[test]
    fn where_it_was_done_stays() {
        let filter = json!({ "and": [{ "property": "sender", "op": "==", "value": "a@b.c" }] });
        let without =
            json!({ "and": [{ "property": "sender", "op": "==", "value": "text of 5 characters" }] });
        check(
            json!({ "app": "Mail", "where": filter, "limit": 5 }),
            json!({ "app": "Mail", "where": without, "limit": 5 }),
        );
        let named =
            json!({ "type": "named", "element": "mailbox", "name": "Divorce", "container": "application" });
        let hidden = json!({ "type": "named", "element": "mailbox", "name": "text of 7 characters", "container": "text of 11 characters" });
        check(json!({ "specifier": named }), json!({ "specifier": hidden }));
    }
}
