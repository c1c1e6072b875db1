//! A write in words, for the human who is asked.

use serde_json::Value as Json;

use super::{Open, Setting};
use crate::call::How;
use crate::change::beyond;
use crate::dictionary::Dictionary;
use crate::marshal::Given;
use crate::permission::Wording;
use crate::specifier::{quoted, read_source};
use crate::step::words::{difference, shown};
use crate::value::Value;

impl Setting {
    /// The question: the new values, and for each object its old and new values.
    pub(super) fn wording(
        &self,
        app: &str,
        id: &str,
        plugin: Option<String>,
        dictionary: Option<&Dictionary>,
    ) -> Wording {
        Wording {
            app: app.to_owned(),
            plugin,
            deed: self.deed(),
            objects: self.open.iter().map(|open| open.line(dictionary)).collect(),
            count: self.open.len(),
            consequence: self
                .open
                .iter()
                .find_map(|open| beyond(id, open.change.subject.path.class()))
                .map(str::to_owned),
        }
    }

    /// `set "read status" to true`, or only the names where the values differ.
    fn deed(&self) -> String {
        let mut parts: Vec<String> = Vec::new();
        for open in &self.open {
            for (at, slot) in open.change.subject.slots.iter().enumerate() {
                let part = match open.joins.get(at) {
                    Some(Some((how, added))) => {
                        let side = if *how == How::Append { "end" } else { "beginning" };
                        let text = match added {
                            Json::Array(items) => items.iter().map(shown).collect::<Vec<_>>().join(", "),
                            text => shown(text),
                        };
                        format!("add {text} at the {side} of {}", quoted(&slot.term))
                    }
                    _ => {
                        let value = open.object(at).unwrap_or_else(|| shown(open.wanted(at)));
                        format!("set {} to {value}", quoted(&slot.term))
                    }
                };
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
    fn line(&self, dictionary: Option<&Dictionary>) -> String {
        let olds =
            self.change.expected.old.as_ref().and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
        let slots = &self.change.subject.slots;
        let changes = slots.iter().enumerate().map(|(at, slot)| {
            let new = || self.object(at).unwrap_or_else(|| shown(self.wanted(at)));
            let (old, new) = match olds.get(at).map(Value::decode) {
                Some(Ok(Value::Failed { .. })) | None => ("(cannot be read)".to_owned(), new()),
                Some(Ok(Value::Object(source))) => (way(&source, dictionary), new()),
                Some(Ok(Value::Null)) if self.object(at).is_some() => ("nothing".to_owned(), new()),
                Some(Ok(old)) => difference(&old.to_json(&mut |source| Json::from(source)), self.wanted(at)),
                Some(Err(_)) => ("?".to_owned(), new()),
            };
            let name = quoted(&slot.term);
            format!("\n  {name} old: {old}\n  {name} new: {new}")
        });
        format!("{}{}", self.words, changes.collect::<String>())
    }

    /// A new value as the client gave it.
    fn wanted(&self, at: usize) -> &Json {
        self.given.get(at).unwrap_or(&Json::Null)
    }

    /// A new value that is an object, in words, because people do not read JSON.
    fn object(&self, at: usize) -> Option<String> {
        match self.change.values.get(at)? {
            Given::Object(path) => Some(path.to_string()),
            _ => None,
        }
    }
}

/// The object that an app named, in words where the way to it can be read.
fn way(source: &str, dictionary: Option<&Dictionary>) -> String {
    let path = dictionary.and_then(|dictionary| read_source(dictionary, source));
    path.map_or_else(|| quoted(source), |path| path.to_string())
}
