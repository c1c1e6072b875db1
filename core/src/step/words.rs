//! Objects, values and commands in words, for the human who is asked.

use serde_json::Value as Json;

use super::show::value;
use crate::action::Invocation;
use crate::app::App;
use crate::change::Subject;
use crate::marshal::Given;
use crate::specifier::{one_line, quoted};
use crate::value::Value;

/// An object by what it is called: `message "Invoice" ("Ada Lovelace <ada@example.org>") of mailbox "INBOX"`.
pub(super) fn object(subject: &Subject, labels: &Json, app: &App) -> String {
    let path = &subject.path;
    let Ok(dictionary) = app.dictionary() else { return path.to_string() };
    let read =
        labels.get("v").or(Some(labels)).and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
    let mut told = read
        .iter()
        .take(subject.labels.len())
        .filter_map(|label| label_text(&value(label, None, dictionary)));
    let Some(name) = told.next() else { return path.to_string() };
    let mut words = format!("{} {}", path.class(), quoted(&name));
    if let Some(more) = told.next() {
        words.push_str(&format!(" ({})", quoted(&more)));
    }
    match path.last() {
        Some((container, _)) if container.last().is_some() => format!("{words} of {container}"),
        _ => words,
    }
}

fn label_text(value: &Value) -> Option<String> {
    match value {
        Value::Text(text) | Value::Date(text) | Value::File(text) => Some(text.clone()),
        Value::Excerpt(part) => Some(part.text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// A value as the client gave it, on one line.
pub(super) fn shown(value: &Json) -> String {
    match value {
        Json::Null => "nothing".to_owned(),
        Json::String(text) => quoted(text),
        Json::Bool(_) | Json::Number(_) => value.to_string(),
        other => one_line(&other.to_string()),
    }
}

/// A command with its named parameters: `"move" (to: mailbox "Archive")`.
pub(super) fn command(invocation: &Invocation) -> String {
    let name = quoted(&invocation.term);
    let direct = invocation.direct.iter().filter(|direct| direct.objects().is_empty()).map(given);
    let named =
        invocation.parameters.iter().map(|each| format!("{}: {}", one_line(&each.term), given(&each.value)));
    let parts: Vec<String> = direct.chain(named).collect();
    if parts.is_empty() { name } else { format!("{name} ({})", parts.join(", ")) }
}

/// A value on its way to an app, on one line; every text in it is cut and quoted by itself.
fn given(value: &Given) -> String {
    match value {
        Given::Null => "nothing".to_owned(),
        Given::Bool(flag) => flag.to_string(),
        Given::Number(number) => number.to_string(),
        Given::Text(text) => quoted(text),
        Given::Date(date) => one_line(date),
        Given::File(path) => format!("file {}", quoted(path)),
        Given::Enumerator(name) => one_line(name),
        Given::Class(class) => format!("a {}", one_line(class)),
        Given::List(items) => several(items.iter().map(given).collect(), "[", "]"),
        Given::Record(fields) => several(
            fields.iter().map(|(name, value)| format!("{name}: {}", given(value))).collect(),
            "{",
            "}",
        ),
        Given::Object(path) => path.to_string(),
        Given::Place(place) => place.to_string(),
    }
}

/// As many parts of a list or record as a human reads.
const PARTS: usize = 8;

fn several(mut parts: Vec<String>, open: &str, close: &str) -> String {
    let more = parts.len().saturating_sub(PARTS);
    parts.truncate(PARTS);
    if more > 0 {
        parts.push(format!("and {more} more"));
    }
    format!("{open}{}{close}", parts.join(", "))
}
