//! Writes of the last hour that can be undone.

use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use crate::Millis;
use crate::dictionary::Dictionary;
use crate::fault::{Code, Fault};
use crate::specifier::read_source;
use crate::value::Value;
use crate::words::RefId;

/// The time during which a write can be undone.
const HOUR: Millis = Millis(60 * 60 * 1000);

/// The longest old value to store. Longer ones would copy the app's content to the state directory.
const LONGEST: usize = 64 * 1024;

/// The way back of one write: a property of an object, or its place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Undo {
    /// `undo_` and 16 base32 characters.
    pub id: String,
    /// The id of all writes of the same call, where there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    /// The bundle id of the app.
    pub app: String,
    /// The specifier that leads to the object; null where a plugin knows it.
    pub object: Json,
    /// The object in words.
    pub words: String,
    /// The identity of the object.
    pub mark: Option<String>,
    /// When it was written.
    pub at: Millis,
    /// The write.
    #[serde(flatten)]
    pub way: Way,
}

/// A write and its inverse.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Way {
    /// A property was set.
    Set {
        /// The property's term.
        property: String,
        /// The value before the write, as a client would give it.
        old: Json,
        /// The value after the write, as the script encoded it. If the current value differs, someone else changed it
        /// since.
        now: Json,
    },
    /// The object was moved.
    Move {
        /// The specifier of the container that it was in.
        from: Json,
        /// That of the container that it went to.
        to: Json,
        /// Where it is now, if the app has said so.
        landed: Option<Json>,
        /// Its class.
        element: String,
    },
    /// A plugin changed something, and takes it back by a call of its own.
    Call {
        /// The plugin.
        plugin: String,
        /// Its tool.
        tool: String,
        /// The arguments, as the plugin has given them.
        arguments: serde_json::Map<String, Json>,
    },
    /// Objects were made.
    Create {
        /// In the order in which they were made.
        made: Vec<Made>,
    },
}

/// An object that was made, as it was read directly afterwards.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Made {
    /// The specifier that leads to it.
    pub object: Json,
    /// The object in words.
    pub words: String,
    /// Whether it goes away by itself: what was made in another new object goes with that.
    pub is_top: bool,
    /// What was read of it, and how: a property, or `#` and elements that are counted.
    pub looks: Vec<(String, Json)>,
}

impl Undo {
    /// Makes an id from a fresh one.
    pub fn id(fresh: RefId) -> String {
        fresh.to_string().replacen("ref_", "undo_", 1)
    }

    /// Whether it can still be undone.
    pub fn counts(&self, now: Millis) -> bool {
        now.since(self.at) < HOUR
    }
}

/// Finds the named writes, the latest first, because undo must reverse the latest write first.
///
/// # Errors
/// One of them is unknown, too old, or never had an inverse.
pub(crate) fn find(ids: &[String], known: &[Undo], now: Millis) -> Result<Vec<Undo>, Fault> {
    let mut found = Vec::new();
    for id in ids {
        let undo = known.iter().find(|undo| undo.id == *id && undo.counts(now)).ok_or_else(|| unknown(id))?;
        found.push(undo.clone());
    }
    found.sort_by_key(|undo| std::cmp::Reverse(undo.at));
    Ok(found)
}

fn unknown(id: &str) -> Fault {
    let message =
        format!("`{id}` cannot be undone: no write of the last hour has that id, or it was undone already");
    let suggestion = "the field `undo` in the answer of iac_mcp_set_property has the id; null means that no inverse exists";
    Fault::new(Code::InvalidParameter, message, suggestion).with("parameter", "undo")
}

/// Writes a value that was read as a client would give it; `None` where it cannot be written back.
pub(crate) fn restorable(value: &Value, dictionary: &Dictionary) -> Option<Json> {
    match value {
        Value::Null => Some(Json::Null),
        Value::Bool(flag) => Some(json!(flag)),
        Value::Number(number) => Some(Json::Number(number.clone())),
        Value::Text(text) => (text.len() <= LONGEST).then(|| json!(text)),
        Value::Date(text) | Value::File(text) => Some(json!(text)),
        Value::List(items) => items.iter().map(|item| restorable(item, dictionary)).collect(),
        Value::Record(fields) => {
            let field = |(key, value): &(String, Value)| Some((key.clone(), restorable(value, dictionary)?));
            fields.iter().map(field).collect::<Option<serde_json::Map<_, _>>>().map(Json::Object)
        }
        Value::Object(source) => read_source(dictionary, source)
            .filter(crate::specifier::Path::is_stable)
            .map(|path| path.to_json()),
        Value::Excerpt(_) | Value::Data { .. } | Value::Other(_) | Value::Failed { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_is_read_as_it_was_written() {
        let null = Json::Null;
        for way in [
            Way::Set { property: "name".to_owned(), old: null.clone(), now: null.clone() },
            Way::Move { from: null.clone(), to: null.clone(), landed: None, element: "file".to_owned() },
            Way::Call { plugin: "p".to_owned(), tool: "t".to_owned(), arguments: serde_json::Map::new() },
        ] {
            let (id, app, words) = ("undo_a".to_owned(), "com.example.App".to_owned(), "x".to_owned());
            let undo = Undo { id, app, object: null.clone(), words, mark: None, at: Millis(1), way };
            let text = serde_json::to_string(&undo).expect("plain data");
            assert_eq!(serde_json::from_str::<Undo>(&text).expect("it was just written"), undo, "{text}");
        }
    }
}
