//! Handles a line that is not a message: repairs it, or finds the request that it belongs to.

use rmcp::model::RequestId;
use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};

/// Replaces every unpaired surrogate by U+FFFD. JSON can express them, but a Rust string cannot. Some clients write
/// them for an emoji that was cut in two. `None` if there is none.
pub(super) fn without_lone_surrogates(line: &[u8]) -> Option<Vec<u8>> {
    let mut better = line.to_vec();
    let (mut at, mut found) = (0, false);
    while let Some(rest) = line.get(at..).filter(|rest| !rest.is_empty()) {
        at += match (unit(rest), rest.get(6..).and_then(unit)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 12,
            (Some(0xD800..=0xDFFF), _) => {
                better.get_mut(at + 2..at + 6)?.copy_from_slice(b"fffd");
                found = true;
                6
            }
            (Some(_), _) => 6,
            (None, _) if rest.starts_with(b"\\") => 2,
            (None, _) => 1,
        };
    }
    found.then_some(better)
}

/// Parses the UTF-16 unit of an escape at the start of a text.
fn unit(text: &[u8]) -> Option<u16> {
    let digits = text.strip_prefix(b"\\u")?.get(..4)?;
    let digits = std::str::from_utf8(digits).ok().filter(|digits| !digits.starts_with('+'))?;
    u16::from_str_radix(digits, 16).ok()
}

/// The part of a message that says who waits for its answer. The rest of the line is skipped without parsing, however
/// deeply it is nested.
#[derive(Deserialize)]
struct Head {
    #[serde(default, deserialize_with = "given")]
    id: Option<Option<RequestId>>,
    method: Option<IgnoredAny>,
    result: Option<IgnoredAny>,
    error: Option<IgnoredAny>,
}

/// Distinguishes an id that is `null` from no id.
fn given<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Option<RequestId>>, D::Error> {
    Option::deserialize(from).map(Some)
}

/// Finds the request that waits for an answer to an invalid line. Returns its id, or an inner `None` if the id cannot
/// be read, as JSON-RPC requires. Notifications and answers get no answer: the outer `None`.
pub(super) fn whom_to_answer(line: &[u8]) -> Option<Option<RequestId>> {
    // serde would read a JSON array as the fields in order, so only an object is tried.
    let head = line.trim_ascii_start().starts_with(b"{").then(|| serde_json::from_slice::<Head>(line));
    match head {
        Some(Ok(Head { id: Some(id), method: Some(_), .. })) => Some(id),
        Some(Ok(Head { result: Some(_), .. } | Head { error: Some(_), .. })) => None,
        Some(Ok(Head { id: None, method: Some(_), .. })) => None,
        Some(Ok(Head { id, .. })) => Some(id.flatten()),
        Some(Err(_)) | None => Some(None),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value as Json, json};

    use super::*;

    #[test]
    fn lone_surrogates_are_replaced_and_pairs_are_not() {
        let check = |line: &str, expected: Option<&str>| {
            let better = without_lone_surrogates(line.as_bytes());
            assert_eq!(better.as_deref(), expected.map(str::as_bytes), "{line}");
        };
        check(r#""x\ud83d""#, Some(r#""x\ufffd""#));
        check(r#""\uDE00\uD83D""#, Some(r#""\ufffd\ufffd""#));
        check(r#""\ud83d\u0041\ud83d\ude00""#, Some(r#""\ufffd\u0041\ud83d\ude00""#));
        check(r#""\ud83d\ud83d\ude00""#, Some(r#""\ufffd\ud83d\ude00""#));
        check(r#""\ud83d\ude00 \u00e4""#, None);
        check(r#""\\ud83d""#, None);
        check(r#""\\\ud83d""#, Some(r#""\\\ufffd""#));
        check(r#""\u+83d \u12"#, None);
        check("", None);
    }

    #[test]
    fn whoever_waits_for_an_answer_is_found() {
        let check = |line: &str, expected: Option<Json>| {
            let found = whom_to_answer(line.as_bytes()).map(|id| serde_json::to_value(id).unwrap());
            assert_eq!(found, expected, "{line}");
        };
        let unknown = || Some(Json::Null);
        check("hello", unknown());
        check("", unknown());
        check(r#"{"id":1,"method":"m","params":{"id":2,"x":[{"id":3}],"y":1e400}}"#, Some(json!(1)));
        check(r#"{"method":"m","params":{"id":"no"},"id":"a\u0062\"c"}"#, Some(json!("ab\"c")));
        check(r#"{"params":"{\"id\":1}","id" : -5 , "method":"m"}"#, Some(json!(-5)));
        check(
            &format!(r#"{{"x":{}1{},"id":8,"method":"m"}}"#, "[".repeat(5_000), "]".repeat(5_000)),
            Some(json!(8)),
        );
        check(r#"{"id":1,"method":"m"}{"id":2,"method":"m"}"#, unknown());
        check(r#"[{"id":1,"method":"m"},{"method":"n"}]"#, unknown());
        check(r#"["x", "y"]"#, unknown());
        check(r#"{"id":7,"method":"m","params":{"x":"#, unknown());
        check(r#"{"id":[1],"method":"m"}"#, unknown());
        check(r#"{"id":null,"method":"m"}"#, unknown());
        check(r#"{"id":6}"#, Some(json!(6)));
        check(r#"{"method":"notifications/x","params":1}"#, None);
        check(r#"{"id":4,"result":{"x":1e400}}"#, None);
        check(r#"{"id":4,"error":{"code":1}}"#, None);
    }

    proptest! {
        /// Never fails, whatever the input, and valid JSON stays valid.
        #[test]
        fn any_bytes_can_be_looked_at(bytes in any::<Vec<u8>>(), text in r#"(\\u[dD][89a-fA-F][0-9a-f]{2}|\\\\|x){0,9}"#) {
            whom_to_answer(&bytes);
            let text = format!("\"{text}\"");
            let better = without_lone_surrogates(text.as_bytes()).unwrap_or(text.into_bytes());
            prop_assert!(serde_json::from_slice::<String>(&better).is_ok());
        }
    }
}
