//! Answers that stay within a size and say what they left out.

use serde_json::{Map, Value as Json, json};

/// An answer that grows until its room is used up.
pub(super) struct Answer {
    fields: Map<String, Json>,
    left_out: Map<String, Json>,
    most: usize,
}

/// Room for the list of omitted parts, in bytes.
const KEPT: usize = 200;

impl Answer {
    /// An answer of at most `most` bytes. Its first part is short and always included.
    pub(super) fn new(first: Json, most: usize) -> Self {
        let fields = if let Json::Object(fields) = first { fields } else { Map::new() };
        Self { fields, left_out: Map::new(), most }
    }

    /// Adds a field if there is room. Otherwise the answer names it as left out.
    pub(super) fn add(&mut self, name: &str, value: Json) {
        if self.size_of(name, &value) <= self.room() {
            self.left_out.shift_remove(name);
            self.fields.insert(name.to_owned(), value);
        } else {
            self.left_out.insert(name.to_owned(), json!("too long"));
        }
    }

    /// Whether a field was left out.
    pub(super) fn has_left_out(&self, name: &str) -> bool {
        self.left_out.contains_key(name)
    }

    /// Adds as many items of a list as fit into a share (in percent) of the remaining room.
    pub(super) fn list(&mut self, name: &str, items: Vec<Json>, share: usize) {
        let room = self.share(name, share);
        let mut taken: Vec<Json> = Vec::new();
        let mut size = 0;
        for item in &items {
            size += item.to_string().len() + 1;
            if size > room {
                break;
            }
            taken.push(item.clone());
        }
        self.note(name, items.len() - taken.len());
        if !taken.is_empty() {
            self.fields.insert(name.to_owned(), Json::from(taken));
        }
    }

    /// Adds as many entries of a table as fit into a share of the room: with their long texts if all of them fit,
    /// otherwise with their short ones.
    pub(super) fn table(&mut self, name: &str, rows: Vec<(String, Texts)>, share: usize) {
        let room = self.share(name, share);
        let size =
            |name: &String, text: &str| json!(name).to_string().len() + json!(text).to_string().len() + 2;
        let long: usize = rows.iter().map(|(name, texts)| size(name, &texts.long)).sum();
        let total = rows.len();
        let mut taken = Map::new();
        let mut used = 0;
        for (name, texts) in rows {
            let text = if long <= room { texts.long } else { texts.short };
            used += size(&name, &text);
            if used > room {
                break;
            }
            taken.insert(name, Json::from(text));
        }
        self.note(name, total - taken.len());
        if !taken.is_empty() {
            self.fields.insert(name.to_owned(), Json::Object(taken));
        }
    }

    /// The answer with the list of omitted parts.
    pub(super) fn finish(mut self, how: &str) -> Json {
        if !self.left_out.is_empty() {
            self.left_out.insert("more".to_owned(), json!(how));
            self.fields.insert("leftOut".to_owned(), Json::Object(self.left_out));
        }
        Json::Object(self.fields)
    }

    fn share(&self, name: &str, share: usize) -> usize {
        (self.room() * share / 100).saturating_sub(name.len() + 6)
    }

    fn note(&mut self, name: &str, missing: usize) {
        if missing > 0 {
            self.left_out.insert(name.to_owned(), json!(missing));
        }
    }

    fn room(&self) -> usize {
        let used = Json::Object(self.fields.clone()).to_string().len();
        self.most.saturating_sub(used + KEPT)
    }

    fn size_of(&self, name: &str, value: &Json) -> usize {
        name.len() + value.to_string().len() + 4
    }
}

/// The text about one entry of a table.
pub(super) struct Texts {
    /// The type alone.
    pub(super) short: String,
    /// The type and the app's own words.
    pub(super) long: String,
}
