//! A write in words, for the human who is asked.

use serde_json::Value as Json;

use super::{Open, Setting};
use crate::permission::Wording;
use crate::specifier::quoted;
use crate::step::words::shown;
use crate::value::Value;

impl Setting {
    /// The question: what would be set to what, and for each object its old and new values.
    pub(super) fn wording(&self, app: &str, plugin: Option<String>) -> Wording {
        Wording {
            app: app.to_owned(),
            plugin,
            deed: self.deed(),
            objects: self.open.iter().map(Open::line).collect(),
            count: self.open.len(),
        }
    }

    /// `set "read status" to true`, or only the names where the values differ.
    fn deed(&self) -> String {
        let mut parts: Vec<String> = Vec::new();
        for open in &self.open {
            for (slot, given) in open.change.subject.slots.iter().zip(&open.given) {
                let part = format!("set {} to {}", quoted(&slot.term), shown(given));
                if !parts.contains(&part) {
                    parts.push(part);
                }
            }
        }
        if parts.len() <= 3 {
            parts.join(", ")
        } else {
            format!("{} and {} more", parts[..2].join(", "), parts.len() - 2)
        }
    }
}

impl Open {
    /// `message "Invoice" of mailbox "INBOX": false → true`.
    fn line(&self) -> String {
        let olds =
            self.change.expected.old.as_ref().and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
        let slots = &self.change.subject.slots;
        let changes = slots.iter().enumerate().map(|(at, slot)| {
            let old = olds.get(at).map_or_else(|| "?".to_owned(), encoded);
            let new = self.given.get(at).map_or_else(|| "?".to_owned(), shown);
            let name = if slots.len() == 1 { String::new() } else { format!("{} ", quoted(&slot.term)) };
            format!("{name}{old} → {new}")
        });
        format!("{}: {}", self.words, changes.collect::<Vec<_>>().join(", "))
    }
}

/// A value as a script encoded it, on one line.
fn encoded(value: &Json) -> String {
    match Value::decode(value) {
        Ok(Value::Failed { .. }) => "(cannot be read)".to_owned(),
        Ok(value) => shown(&value.to_json(&mut |source| Json::from(source))),
        Err(_) => "?".to_owned(),
    }
}
