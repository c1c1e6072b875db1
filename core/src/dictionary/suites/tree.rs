//! A property list as a tree, in any format, within limits.

use crate::dictionary::ProblemKind;
use crate::dictionary::encoding;
use crate::dictionary::sdef::{DEEPEST, MOST_BYTES, MOST_ELEMENTS, MOST_INCLUDED_BYTES};
use plist::stream::{AsciiReader, BinaryReader, Event, OwnedEvent, XmlReader};
use serde_json::{Map, Value as Json};
use std::io::Cursor;

/// The entries of a dictionary in a property list.
pub(super) type Entries = Map<String, Json>;

/// What is left of the limits for the property lists of one app. A small binary file can refer to one value many times,
/// so decoded values and texts count, not the bytes of the file.
pub(super) struct Room {
    values: usize,
    text: usize,
}

/// A fault of a file: the line from 1, or 0 if none is known, and the problem.
pub(super) type Fault = (usize, ProblemKind);

impl Default for Room {
    fn default() -> Self {
        Self { values: MOST_ELEMENTS, text: MOST_INCLUDED_BYTES }
    }
}

impl Room {
    /// Reads a property list in binary, XML or ASCII form; its root must be a dictionary.
    ///
    /// # Errors
    /// The bytes are not a property list, or exceed a limit.
    pub(super) fn read(&mut self, bytes: &[u8]) -> Result<Entries, Fault> {
        if bytes.len() > MOST_BYTES {
            return Err(limit(format!("larger than {} MB", MOST_BYTES / 1_000_000)));
        }
        if bytes.starts_with(b"bplist") {
            return self.root(BinaryReader::new(Cursor::new(bytes)), b"");
        }
        let text = encoding::decode(bytes).text;
        let text = text.trim_start();
        match text.starts_with('<') {
            true => self.root(XmlReader::new(text.as_bytes()), text.as_bytes()),
            false => self.root(AsciiReader::new(text.as_bytes()), text.as_bytes()),
        }
    }

    fn root(
        &mut self,
        events: impl Iterator<Item = Result<OwnedEvent, plist::Error>>,
        text: &[u8],
    ) -> Result<Entries, Fault> {
        let mut open: Vec<Node> = Vec::new();
        for event in events {
            let event = event.map_err(|error| malformed(&error.to_string(), text))?;
            self.take(&event)?;
            let value = match event {
                Event::StartArray(_) | Event::StartDictionary(_) if open.len() >= DEEPEST => {
                    return Err(limit(format!("nested deeper than {DEEPEST}")));
                }
                Event::StartArray(_) => {
                    open.push(Node::List(Vec::new()));
                    continue;
                }
                Event::StartDictionary(_) => {
                    open.push(Node::Entries(Map::new(), None));
                    continue;
                }
                Event::EndCollection => match open.pop() {
                    Some(node) => node.value(),
                    None => return Err(malformed("a bracket closes nothing", text)),
                },
                Event::String(text) => Json::String(text.into_owned()),
                Event::Integer(number) => Json::String(number.to_string()),
                Event::Boolean(yes) => Json::Bool(yes),
                // Suites have no other values.
                _ => Json::Null,
            };
            match (open.last_mut(), value) {
                (Some(node), value) => node.put(value),
                (None, Json::Object(entries)) => return Ok(entries),
                (None, _) => break,
            }
        }
        let end =
            if open.is_empty() { "expected a dictionary at the top" } else { "the file ends too early" };
        Err(malformed(end, text))
    }

    fn take(&mut self, event: &OwnedEvent) -> Result<(), Fault> {
        let (values, text) = match event {
            Event::StartArray(Some(length)) | Event::StartDictionary(Some(length)) => {
                (usize::try_from(*length).unwrap_or(usize::MAX), 0)
            }
            Event::String(text) => (1, text.len()),
            Event::Data(bytes) => (1, bytes.len()),
            _ => (1, 0),
        };
        let more = format!("more than {MOST_ELEMENTS} values in the property lists of one app");
        self.values = self.values.checked_sub(values).ok_or_else(|| limit(more))?;
        let most = MOST_INCLUDED_BYTES / 1_000_000;
        let more = format!("more than {most} MB of text in the property lists of one app");
        self.text = self.text.checked_sub(text).ok_or_else(|| limit(more))?;
        Ok(())
    }
}

/// A collection that is still open.
enum Node {
    List(Vec<Json>),
    /// The entries so far, and the key of the next one.
    Entries(Entries, Option<String>),
}

impl Node {
    fn put(&mut self, value: Json) {
        match self {
            Self::List(values) => values.push(value),
            Self::Entries(entries, key) => match (key.take(), value) {
                (Some(key), value) => drop(entries.insert(key, value)),
                (None, Json::String(text)) => *key = Some(text),
                // A key that is not text is ignored, so its value is read as the next key.
                (None, _) => {}
            },
        }
    }

    fn value(self) -> Json {
        match self {
            Self::List(values) => values.into(),
            Self::Entries(entries, _) => entries.into(),
        }
    }
}

fn limit(what: String) -> Fault {
    (0, ProblemKind::Limit(what))
}

/// The library gives the position in the file only at the end of its message: `… (offset 12)`.
fn malformed(error: &str, text: &[u8]) -> Fault {
    let split = error.strip_suffix(')').and_then(|head| head.rsplit_once(" (offset "));
    let (what, offset) = split.map_or((error, None), |(what, offset)| (what, offset.parse::<usize>().ok()));
    let line = offset
        .filter(|_| !text.is_empty())
        .map_or(0, |offset| 1 + memchr::memchr_iter(b'\n', &text[..offset.min(text.len())]).count());
    (line, ProblemKind::NotAPropertyList(what.to_owned()))
}
