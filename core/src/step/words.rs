//! Objects, values and commands in words, for the human who is asked.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use super::show::value;
use crate::action::Invocation;
use crate::app::App;
use crate::change::Subject;
use crate::dictionary::Dictionary;
use crate::marshal::{Given, Place};
use crate::specifier::{Path, one_line, quoted, quoted_to};
use crate::value::Value;

/// What objects are called, by the way that leads to them.
pub(super) type Names = BTreeMap<Path, String>;

/// As much of a text as a human reads before deciding, in characters.
const LONGEST: usize = 80;

/// The same of the text of a message that is sent: its beginning decides.
const TEXT: usize = 400;

/// So many characters that did not change stand before those that did.
const CONTEXT: usize = 20;

/// An object by its name: `message "Invoice" ("Ada Lovelace <ada@example.org>") of mailbox "INBOX"`, and below it a
/// line for each fact.
pub(super) fn object(subject: &Subject, row: &Json, app: &App) -> String {
    let path = &subject.path;
    let Ok(dictionary) = app.dictionary() else { return path.to_string() };
    let part = |at: usize| row.get(at).and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
    let mut told = part(1)
        .iter()
        .take(subject.labels.len())
        .filter_map(|label| label_text(&value(label, None, dictionary)));
    let mut words = match told.next() {
        None => path.to_string(),
        Some(name) => {
            let more = told.next().map(|more| format!(" ({})", quoted(&more))).unwrap_or_default();
            let of = path.last().filter(|(container, _)| container.last().is_some());
            let of = of.map(|(container, _)| format!(" of {container}")).unwrap_or_default();
            format!("{} {}{more}{of}", path.class(), quoted(&name))
        }
    };
    for (fact, read) in subject.facts.iter().zip(part(4)) {
        words.push_str(&format!("\n  {}: {}", fact.caption, told_fact(read, dictionary)));
    }
    words
}

fn label_text(value: &Value) -> Option<String> {
    match value {
        Value::Text(text) | Value::Date(text) | Value::File(text) => Some(text.clone()),
        Value::Excerpt(part) => Some(part.text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// The value of a fact. An unreadable fact says so, because its absence would look like "none".
fn told_fact(read: &Json, dictionary: &Dictionary) -> String {
    match value(read, None, dictionary) {
        Value::Null => "none".to_owned(),
        Value::List(items) if items.is_empty() => "none".to_owned(),
        Value::List(items) => items.iter().map(|item| text(&plain(item))).collect::<Vec<_>>().join(", "),
        Value::Failed { .. } => "cannot be read".to_owned(),
        value => match plain(&value) {
            Json::String(text) if text.is_empty() => "none".to_owned(),
            Json::String(text) => long(&text),
            other => shown(&other),
        },
    }
}

/// A text of which a human reads more than of others: what is sent.
pub(super) fn long(text: &str) -> String {
    quoted_to(text, TEXT) + &length(text, TEXT)
}

fn plain(value: &Value) -> Json {
    value.to_json(&mut |source| Json::from(source))
}

fn text(value: &Json) -> String {
    value.as_str().map_or_else(|| shown(value), quoted)
}

/// A value as the client gave it, on one line; one that is cut says how long it is.
pub(super) fn shown(value: &Json) -> String {
    match value {
        Json::Null => "nothing".to_owned(),
        Json::String(text) => quoted(text) + &length(text, LONGEST),
        Json::Bool(_) | Json::Number(_) => value.to_string(),
        // Each field and each item is shown, so that a long one hides no other.
        Json::Object(fields) if !fields.contains_key("$") => {
            let fields = fields.iter().map(|(name, value)| format!("{}: {}", one_line(name), shown(value)));
            format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
        }
        Json::Array(items) => format!("[{}]", items.iter().map(shown).collect::<Vec<_>>().join(", ")),
        other => {
            let text = other.to_string();
            one_line(&text) + &length(&text, LONGEST)
        }
    }
}

/// How long a text is of which not everything is shown.
fn length(text: &str, most: usize) -> String {
    let count = text.chars().count();
    if count > most { format!(" ({count} characters)") } else { String::new() }
}

/// An old and a new value: of long ones the part in which they differ.
pub(super) fn difference(old: &Json, new: &Json) -> (String, String) {
    let as_text = |value: &Json| match value {
        Json::String(text) => text.clone(),
        other => other.to_string(),
    };
    let (before, after): (Vec<char>, Vec<char>) =
        (as_text(old).chars().collect(), as_text(new).chars().collect());
    let is_text = |value: &Json| value.is_string();
    if before.len().max(after.len()) <= LONGEST || !is_text(old) || !is_text(new) {
        return (shown(old), shown(new));
    }
    let same = before.iter().zip(&after).take_while(|(a, b)| a == b).count();
    let from = same.saturating_sub(CONTEXT);
    let part = |text: &[char]| {
        let lead = if from > 0 { "…" } else { "" };
        let rest: String = text.get(from..).unwrap_or_default().iter().collect();
        format!("{lead}{} ({} characters)", quoted(&rest), text.len())
    };
    (part(&before), part(&after))
}

/// A command with its named parameters: `"move" (to: mailbox "Archive")`; `names` says what objects among them are called.
pub(super) fn command(invocation: &Invocation, names: &Names) -> String {
    let name = quoted(&invocation.term);
    let direct = invocation.direct.iter().filter(|direct| direct.objects().is_empty());
    let direct = direct.map(|value| given(value, names));
    let named = invocation
        .parameters
        .iter()
        .map(|each| format!("{}: {}", one_line(&each.term), given(&each.value, names)));
    let parts: Vec<String> = direct.chain(named).collect();
    if parts.is_empty() { name } else { format!("{name} ({})", parts.join(", ")) }
}

/// A value on its way to an app, on one line. Each text in it is cut and quoted by itself; nothing is left out.
pub(super) fn given(value: &Given, names: &Names) -> String {
    let name = |path: &Path| names.get(path).cloned().unwrap_or_else(|| path.to_string());
    match value {
        Given::Null => "nothing".to_owned(),
        Given::Bool(flag) => flag.to_string(),
        Given::Number(number) => number.to_string(),
        Given::Text(text) => quoted(text) + &length(text, LONGEST),
        Given::Date(date) => one_line(date),
        Given::File(path) => format!("file {}", quoted(path)),
        Given::Enumerator(name) => one_line(name),
        Given::Class(class) => one_line(class),
        Given::List(items) => {
            let items: Vec<String> = items.iter().map(|item| given(item, names)).collect();
            format!("[{}]", items.join(", "))
        }
        Given::Record(fields) => {
            let fields = fields.iter().map(|(key, value)| format!("{key}: {}", given(value, names)));
            format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
        }
        Given::Object(path) => name(path),
        Given::Place(place) => match place {
            Place::Beginning(of, member) => {
                format!("the beginning of the {} elements of {}", member.term, name(of))
            }
            Place::End(of, member) => format!("the end of the {} elements of {}", member.term, name(of)),
            Place::Before(of) => format!("the place before {}", name(of)),
            Place::After(of) => format!("the place after {}", name(of)),
        },
    }
}
