//! The hash chain: how a line is written, and where a log was changed.

use serde::ser::SerializeMap as _;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value as Json};
use sha2::{Digest as _, Sha256};

use super::Entry;
use crate::Millis;

/// The hash of a line, 64 hexadecimal characters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Hash(String);

impl Hash {
    /// The hash that the first line of a log names.
    pub fn none() -> Self {
        Self("0".repeat(64))
    }

    /// Reads 64 hexadecimal characters.
    pub fn parse(text: &str) -> Option<Self> {
        (text.len() == 64 && text.chars().all(|c| c.is_ascii_hexdigit())).then(|| Self(text.to_owned()))
    }

    /// The hexadecimal characters.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn of(text: &str) -> Self {
        let digit = |four: u8| char::from_digit(four.into(), 16).unwrap_or_default();
        let digest = Sha256::digest(text.as_bytes());
        Self(digest.into_iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect())
    }
}

/// A place in another log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// The name of its file.
    pub file: String,
    /// The number of the line, from 1.
    pub line: u64,
    /// The hash of that line.
    pub hash: Hash,
}

/// The end of a log that is being written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    /// How many lines there are.
    pub lines: u64,
    /// The hash of the last one.
    pub last: Hash,
}

impl Default for Chain {
    fn default() -> Self {
        Self { lines: 0, last: Hash::none() }
    }
}

/// One line of a log that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// From 1.
    pub number: u64,
    /// Its fields.
    pub fields: Map<String, Json>,
    /// Its hash.
    pub hash: Hash,
}

/// The place at which a log was changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Broken {
    /// The line is not an entry: it was damaged, or cut during writing.
    #[error("line {line} is damaged or cut off")]
    Damaged {
        /// From 1.
        line: u64,
    },
    /// The line does not have the hash that it says.
    #[error("line {line} was changed: its content does not have its hash")]
    Changed {
        /// From 1.
        line: u64,
    },
    /// The line does not follow on the line before it.
    #[error(
        "lines were taken out, put in or moved before line {line}: it does not follow on the line before it"
    )]
    Gap {
        /// From 1.
        line: u64,
    },
}

impl Broken {
    /// The number of the line, from 1.
    pub fn line(&self) -> u64 {
        match self {
            Self::Damaged { line } | Self::Changed { line } | Self::Gap { line } => *line,
        }
    }
}

const HASH: &str = ",\"hash\":\"";

/// A line without its hash.
struct Next<'a> {
    line: u64,
    now: Millis,
    entry: &'a Entry,
    before: &'a Hash,
}

impl Serialize for Next<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_map(None)?;
        fields.serialize_entry("line", &self.line)?;
        fields.serialize_entry("time", &time(self.now))?;
        fields.serialize_entry("kind", self.entry.kind())?;
        self.entry.write(&mut fields)?;
        fields.serialize_entry("before", self.before)?;
        fields.end()
    }
}

impl Chain {
    /// Writes the next line, with its newline, and extends the chain.
    pub fn append(&mut self, now: Millis, entry: &Entry) -> String {
        let next = Next { line: self.lines + 1, now, entry, before: &self.last };
        let mut text = serde_json::to_string(&next).expect("an entry is plain data");
        let hash = Hash::of(&text);
        text.truncate(text.len() - "}".len());
        text.extend([HASH, hash.as_str(), "\"}\n"]);
        *self = Self { lines: self.lines + 1, last: hash };
        text
    }

    /// Reads the next line, without its newline.
    ///
    /// # Errors
    /// The line does not follow on the line before it.
    fn read(&mut self, text: &str) -> Result<Line, Broken> {
        let line = self.lines + 1;
        let damaged = || Broken::Damaged { line };
        let (body, hash) = split(text).ok_or_else(damaged)?;
        let fields: Map<String, Json> = serde_json::from_str(&body).map_err(|_| damaged())?;
        if Hash::of(&body) != hash {
            return Err(Broken::Changed { line });
        }
        let follows = fields.get("before").and_then(Json::as_str) == Some(self.last.as_str());
        if !follows || fields.get("line").and_then(Json::as_u64) != Some(line) {
            return Err(Broken::Gap { line });
        }
        *self = Self { lines: line, last: hash.clone() };
        Ok(Line { number: line, fields, hash })
    }
}

/// Reads a whole log, up to the first line that is not as it was written.
pub fn lines(log: &str) -> (Vec<Line>, Option<Broken>) {
    let mut chain = Chain::default();
    let mut read = Vec::new();
    for text in log.split_inclusive('\n') {
        let whole = text.strip_suffix('\n').ok_or(Broken::Damaged { line: chain.lines + 1 });
        match whole.and_then(|text| chain.read(text)) {
            Ok(line) => read.push(line),
            Err(broken) => return (read, Some(broken)),
        }
    }
    (read, None)
}

/// Takes the hash off a line.
fn split(text: &str) -> Option<(String, Hash)> {
    let (open, rest) = text.rsplit_once(HASH)?;
    let hash = Hash::parse(rest.strip_suffix("\"}")?)?;
    Some((format!("{open}}}"), hash))
}

/// Formats a time as RFC 3339 in UTC with milliseconds, so that texts sort by time. A year that RFC 3339 cannot express
/// gives plain milliseconds.
pub fn time(now: Millis) -> String {
    let millis = i64::try_from(now.0).ok().and_then(|millis| jiff::Timestamp::from_millisecond(millis).ok());
    millis.map_or_else(|| now.0.to_string(), |time| format!("{time:.3}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn log(entries: usize) -> Vec<String> {
        let mut chain = Chain::default();
        let order = |n: usize| Entry::Operator { order: format!("order {n} \"hash\":\"x\"\n\u{2028}") };
        (0..entries).map(|n| chain.append(Millis(1_700_000_000_000 + n as u64), &order(n))).collect()
    }

    fn broken(lines_of_log: &[String]) -> Option<Broken> {
        lines(&lines_of_log.concat()).1
    }

    #[test]
    fn what_was_written_is_read() {
        let (read, broken) = lines(&log(3).concat());
        assert_eq!((read.len(), broken), (3, None));
        assert_eq!(read[1].fields["time"], "2023-11-14T22:13:20.001Z");
        assert_eq!(lines("").1, None);
    }

    #[test]
    fn texts_are_in_the_order_of_time() {
        let check = |millis, expected: &str| assert_eq!(time(Millis(millis)), expected);
        check(1_700_000_000_000, "2023-11-14T22:13:20.000Z");
        check(1_700_000_000_190, "2023-11-14T22:13:20.190Z");
        check(1_700_000_000_195, "2023-11-14T22:13:20.195Z");
        check(u64::MAX, "18446744073709551615");
    }

    #[test]
    fn a_change_is_found_where_it_is() {
        let whole = log(4);
        let mut edited = whole.clone();
        edited[1] = edited[1].replace("order 1", "order 7");
        assert_eq!(broken(&edited), Some(Broken::Changed { line: 2 }));
        let mut without = whole.clone();
        without.remove(1);
        assert_eq!(broken(&without), Some(Broken::Gap { line: 2 }));
        let mut swapped = whole.clone();
        swapped.swap(1, 2);
        assert_eq!(broken(&swapped), Some(Broken::Gap { line: 2 }));
        let mut twice = whole.clone();
        twice.insert(1, whole[0].clone());
        assert_eq!(broken(&twice), Some(Broken::Gap { line: 2 }));
        let mut cut = whole.clone();
        cut[3].truncate(20);
        assert_eq!(broken(&cut), Some(Broken::Damaged { line: 4 }));
        let mut without_newline = whole;
        without_newline[3].pop();
        assert_eq!(broken(&without_newline), Some(Broken::Damaged { line: 4 }));
    }

    proptest! {
        #[test]
        fn no_byte_can_be_changed_unseen(at in 0_usize..2_000, to: u8) {
            let whole = log(4).concat();
            let mut bytes = whole.clone().into_bytes();
            let at = at % bytes.len();
            prop_assume!(bytes[at] != to);
            bytes[at] = to;
            let found = String::from_utf8(bytes).map(|text| lines(&text).1);
            prop_assert!(!matches!(found, Ok(None)));
        }
    }
}
