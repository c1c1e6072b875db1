//! A write in words, for the human who is asked.

use serde_json::Value as Json;

use super::{Open, Setting};
use crate::marshal::Given;
use crate::permission::Wording;
use crate::specifier::quoted;
use crate::step::words::{difference, shown};
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
            consequence: None,
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
            return parts.join(", ");
        }
        // Values that are many stand with their objects; the properties are all named here.
        let slots = self.open.iter().flat_map(|open| &open.change.subject.slots);
        let names: std::collections::BTreeSet<String> = slots.map(|slot| quoted(&slot.term)).collect();
        format!("set {}", names.into_iter().collect::<Vec<_>>().join(", "))
    }
}

impl Open {
    /// The object, and below it for each property the old and the new value on lines of their own: side by side, values in
    /// a script that runs from right to left would change places on the screen.
    fn line(&self) -> String {
        let olds =
            self.change.expected.old.as_ref().and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
        let slots = &self.change.subject.slots;
        let changes = slots.iter().enumerate().map(|(at, slot)| {
            let object = self.change.values.get(at).and_then(|value| match value {
                Given::Object(path) => Some(Json::from(path.to_string())),
                _ => None,
            });
            let new = object.as_ref().or(self.given.get(at)).unwrap_or(&Json::Null);
            let (old, new) = match olds.get(at).map(Value::decode) {
                Some(Ok(Value::Failed { .. })) | None => ("(cannot be read)".to_owned(), shown(new)),
                Some(Ok(old)) => difference(&old.to_json(&mut |source| Json::from(source)), new),
                Some(Err(_)) => ("?".to_owned(), shown(new)),
            };
            let name = quoted(&slot.term);
            format!("\n  {name} old: {old}\n  {name} new: {new}")
        });
        format!("{}{}", self.words, changes.collect::<String>())
    }
}
