//! Parses servers' answers into one form. An answer is untrusted and never fails as a whole: parts that make no sense
//! are skipped.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::Value as Json;

use super::{Server, names};
use crate::text::{Text, converted, raw_range};
use crate::types::{Completion, Diagnostic, Location, Range, Symbol};

/// The most items of one answer.
pub(super) const MOST: usize = 20_000;

/// The greatest depth of an outline.
const DEEPEST: usize = 64;

const LONGEST_NAME: usize = 1_000;
const LONGEST_TEXT: usize = 20_000;

/// Parses the answers of one server. It reads each file that an answer names only once.
pub(super) struct Reader<'a> {
    server: &'a Server,
    texts: HashMap<String, Option<Arc<Text>>>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(server: &'a Server) -> Self {
        Self { server, texts: HashMap::new() }
    }

    /// Supplies the text of a file that was already read.
    pub(super) fn knowing(mut self, path: &str, text: Arc<Text>) -> Self {
        self.texts.insert(path.to_owned(), Some(text));
        self
    }

    /// Parses an outline. Also returns whether it was flat.
    pub(super) fn outline(&mut self, answer: &Json, path: &str) -> (Vec<Symbol>, bool) {
        let items = answer.as_array().map(Vec::as_slice).unwrap_or_default();
        let flat = items.iter().any(|item| item.get("location").is_some());
        let mut symbols = Vec::new();
        if flat {
            symbols.extend(items.iter().take(MOST).filter_map(|item| self.information(item)));
            if let Some(text) = self.texts.get(path).and_then(Option::as_ref) {
                symbols.iter_mut().for_each(|symbol| names::find(symbol, text));
            }
        } else {
            self.tree(items, path, None, 0, &mut symbols);
        }
        (symbols, flat)
    }

    fn tree(
        &mut self,
        items: &[Json],
        path: &str,
        parent: Option<u32>,
        depth: usize,
        into: &mut Vec<Symbol>,
    ) {
        for item in items {
            if into.len() >= MOST || depth >= DEEPEST {
                return;
            }
            let Some(symbol) = self.named(item, path, parent) else { continue };
            let at = u32::try_from(into.len()).ok();
            into.push(symbol);
            let children = item.get("children").and_then(Json::as_array);
            self.tree(children.map(Vec::as_slice).unwrap_or_default(), path, at, depth + 1, into);
        }
    }

    /// Parses an item with a range and a range of its name.
    fn named(&mut self, item: &Json, path: &str, parent: Option<u32>) -> Option<Symbol> {
        let range = item.get("range").and_then(raw_range)?;
        let name_range = item.get("selectionRange").and_then(raw_range).unwrap_or(range);
        let mut symbol = Symbol {
            name: text(item, "name", LONGEST_NAME)?,
            kind: small(item.get("kind")),
            detail: text(item, "detail", LONGEST_NAME).filter(|detail| !detail.is_empty()),
            location: Location { path: path.to_owned(), range: self.convert(path, range) },
            name_range: self.convert(path, name_range),
            container: None,
            parent,
            deprecated: is_deprecated(item),
        };
        if let Some(text) = self.texts.get(path).and_then(Option::as_ref) {
            names::settle(&mut symbol, text);
        }
        Some(symbol)
    }

    /// Parses an entry of a call or type hierarchy.
    pub(super) fn entry(&mut self, item: &Json) -> Option<Symbol> {
        let path = self.server.disk.named(item.get("uri")?.as_str()?);
        self.named(item, &path, None)
    }

    /// Parses a `SymbolInformation`. LSP allows its location to have no range.
    pub(super) fn information(&mut self, item: &Json) -> Option<Symbol> {
        let place = item.get("location")?;
        let path = self.server.disk.named(place.get("uri")?.as_str()?);
        let range = place.get("range").and_then(raw_range).unwrap_or_default();
        let range = self.convert(&path, range);
        Some(Symbol {
            name: text(item, "name", LONGEST_NAME)?,
            kind: small(item.get("kind")),
            detail: None,
            location: Location { path, range },
            name_range: range,
            container: text(item, "containerName", LONGEST_NAME).filter(|name| !name.is_empty()),
            parent: None,
            deprecated: is_deprecated(item),
        })
    }

    /// Parses one location, a list of locations, or a list of links.
    pub(super) fn locations(&mut self, answer: &Json) -> Vec<Location> {
        let one = std::slice::from_ref(answer);
        let items = answer.as_array().map_or(one, Vec::as_slice);
        items.iter().take(MOST).filter_map(|item| self.location(item)).collect()
    }

    fn location(&mut self, item: &Json) -> Option<Location> {
        let (uri, range) = match item.get("targetUri") {
            Some(uri) => (uri, item.get("targetSelectionRange").or_else(|| item.get("targetRange"))?),
            None => (item.get("uri")?, item.get("range")?),
        };
        let path = self.server.disk.named(uri.as_str()?);
        let range = self.convert(&path, raw_range(range)?);
        Some(Location { path, range })
    }

    /// Reads ranges in one file.
    pub(super) fn ranges(&mut self, ranges: Option<&Json>, path: &str) -> Vec<Location> {
        let ranges = ranges.and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
        let ranges = ranges.iter().take(MOST).filter_map(raw_range);
        ranges.map(|range| Location { path: path.to_owned(), range: self.convert(path, range) }).collect()
    }

    /// Reads diagnostics of one file.
    pub(super) fn diagnostics(&mut self, items: &Json, path: &str) -> Vec<Diagnostic> {
        let items = items.as_array().map(Vec::as_slice).unwrap_or_default();
        items.iter().take(MOST).filter_map(|item| self.diagnostic(item, path)).collect()
    }

    fn diagnostic(&mut self, item: &Json, path: &str) -> Option<Diagnostic> {
        let range = item.get("range").and_then(raw_range)?;
        let code = item.get("code").and_then(|code| match code {
            Json::String(code) => Some(code.clone()),
            Json::Number(code) => Some(code.to_string()),
            _ => None,
        });
        Some(Diagnostic {
            location: Location { path: path.to_owned(), range: self.convert(path, range) },
            severity: item.get("severity").map_or(1, |severity| small(Some(severity)).clamp(1, 4)),
            code,
            source: text(item, "source", LONGEST_NAME),
            message: message(item)?,
        })
    }

    /// Converts a range if the text can be read. Files outside the root are never read.
    fn convert(&mut self, path: &str, range: Range) -> Range {
        if path.starts_with('/') || path.contains("://") {
            return range;
        }
        if !self.texts.contains_key(path) {
            let text = self.server.files.text(path).ok().map(|(text, _)| text);
            self.texts.insert(path.to_owned(), text);
        }
        match self.texts.get(path).and_then(Option::as_ref) {
            Some(text) => converted(range, text, self.server.encoding),
            None => range,
        }
    }
}

/// Parses completions, in the server's order of preference.
pub(super) fn completions(answer: &Json) -> Vec<Completion> {
    let items = answer.get("items").unwrap_or(answer);
    let items = items.as_array().map(Vec::as_slice).unwrap_or_default();
    let mut items: Vec<(&str, &Json)> = items.iter().take(MOST).map(|item| (rank(item), item)).collect();
    items.sort_by_key(|(rank, _)| *rank);
    items.into_iter().filter_map(|(_, item)| completion(item)).collect()
}

fn rank(item: &Json) -> &str {
    let text = |key: &str| item.get(key).and_then(Json::as_str).filter(|text| !text.is_empty());
    text("sortText").or_else(|| text("label")).unwrap_or_default()
}

fn completion(item: &Json) -> Option<Completion> {
    let label = text(item, "label", LONGEST_NAME)?;
    let label = label.trim_start_matches([' ', '•']).to_owned();
    let edit = item.get("textEdit").and_then(|edit| text(edit, "newText", LONGEST_NAME));
    let insert = edit.or_else(|| text(item, "insertText", LONGEST_NAME)).unwrap_or_else(|| label.clone());
    let more = item.get("labelDetails").and_then(|more| text(more, "detail", LONGEST_NAME));
    let detail = text(item, "detail", LONGEST_NAME).or(more).filter(|detail| !detail.is_empty());
    Some(Completion { label, kind: small(item.get("kind")), detail, insert })
}

/// Parses hover contents, in any of the forms that LSP has had.
pub(super) fn markdown(answer: &Json) -> Option<String> {
    let contents = answer.get("contents")?;
    let parts = contents.as_array().map_or(std::slice::from_ref(contents), Vec::as_slice);
    let parts: Vec<String> = parts.iter().filter_map(part).filter(|part| !part.trim().is_empty()).collect();
    (!parts.is_empty()).then(|| cut(&parts.join("\n\n"), LONGEST_TEXT))
}

fn part(part: &Json) -> Option<String> {
    let value = part.get("value").and_then(Json::as_str);
    match (part.as_str(), part.get("language").and_then(Json::as_str), value) {
        (Some(text), ..) => Some(text.to_owned()),
        (None, Some(language), Some(value)) => Some(format!("```{language}\n{value}\n```")),
        (None, None, value) => value.map(str::to_owned),
        (None, Some(_), None) => None,
    }
}

/// Parses a message: plain text, or markup content since LSP 3.18.
fn message(item: &Json) -> Option<String> {
    text(item, "message", LONGEST_TEXT).or_else(|| text(item.get("message")?, "value", LONGEST_TEXT))
}

fn is_deprecated(item: &Json) -> bool {
    let tagged = |tags: &Vec<Json>| tags.iter().any(|tag| tag.as_u64() == Some(1));
    item.get("tags").and_then(Json::as_array).is_some_and(tagged)
        || item.get("deprecated") == Some(&Json::Bool(true))
}

pub(super) fn text(item: &Json, key: &str, most: usize) -> Option<String> {
    item.get(key).and_then(Json::as_str).map(|text| cut(text, most))
}

fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => text[..at].to_owned(),
        None => text.to_owned(),
    }
}

fn small(number: Option<&Json>) -> u8 {
    number.and_then(Json::as_u64).and_then(|number| u8::try_from(number).ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn hovers_have_many_shapes() {
        let check = |contents: Json, expected: Option<&str>| {
            assert_eq!(markdown(&json!({"contents": contents})).as_deref(), expected);
        };
        check(json!("a"), Some("a"));
        check(json!({"kind": "markdown", "value": "a"}), Some("a"));
        check(json!({"language": "rust", "value": "fn a()"}), Some("```rust\nfn a()\n```"));
        check(json!(["a", {"language": "c", "value": "b"}, ""]), Some("a\n\n```c\nb\n```"));
        check(json!([]), None);
        check(json!(1), None);
        assert_eq!(markdown(&Json::Null), None);
    }

    #[test]
    fn completions_come_in_order_of_preference() {
        let answer = json!({"isIncomplete": true, "items": [
            {"label": "c"}, {"label": "•b", "sortText": "1", "kind": 2, "detail": "int"},
            {"label": "a", "sortText": "2", "textEdit": {"newText": "a()"}}, {"kind": 3},
        ]});
        let shown: Vec<String> = completions(&answer)
            .iter()
            .map(|item| format!("{} {} {:?}", item.label, item.insert, item.detail))
            .collect();
        assert_eq!(shown, [r#"b b Some("int")"#, "a a() None", "c c None"]);
        assert_eq!(completions(&Json::Null), []);
    }
}
