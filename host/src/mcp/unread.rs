//! What can be made of a line that is no message: a better line, or whose it was.

use rmcp::model::RequestId;

/// How many bytes of a key or an id are looked at; a longer id is not found.
const TOKEN: usize = 256;
/// How many messages of one line are told apart.
const MESSAGES: usize = 100;

/// Puts U+FFFD for every surrogate without its other half, which JSON can write and no text can hold. Some clients write
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

/// The unit of UTF-16 that an escape at the beginning stands for.
fn unit(text: &[u8]) -> Option<u16> {
    let digits = text.strip_prefix(b"\\u")?.get(..4)?;
    let digits = std::str::from_utf8(digits).ok().filter(|digits| !digits.starts_with('+'))?;
    u16::from_str_radix(digits, 16).ok()
}

/// A look at text that goes by: finds the ids of the messages in it, however deep, long or broken the rest of it is.
#[derive(Debug, Default)]
pub(super) struct Glance {
    depth: usize,
    /// How many objects and lists are open around a message and with it.
    message: Option<usize>,
    inside: Inside,
    token: Vec<u8>,
    key: Vec<u8>,
    is_value: bool,
    found: Vec<Found>,
}

#[derive(Debug, Default, PartialEq)]
enum Inside {
    #[default]
    Nothing,
    Word,
    Text,
    Escape,
}

/// A message, as far as it could be read.
#[derive(Debug, Default)]
struct Found {
    id: Option<RequestId>,
    has_id: bool,
    has_method: bool,
    is_answer: bool,
    is_whole: bool,
}

impl Found {
    /// An answer is not answered, and neither is a notification; what breaks off may have had an id.
    fn is_answered(&self) -> bool {
        !self.is_answer && (self.has_id || !self.has_method || !self.is_whole)
    }
}

impl Glance {
    /// Looks at more of the text.
    pub(super) fn at(&mut self, text: &[u8]) {
        for byte in text {
            self.byte(*byte);
        }
    }

    /// Who waits for an answer: requests by their ids; `None` once for any that nothing is known of.
    pub(super) fn whom_to_answer(self) -> Vec<Option<RequestId>> {
        if self.found.is_empty() {
            return vec![None];
        }
        let mut answered: Vec<_> =
            self.found.into_iter().filter(Found::is_answered).map(|found| found.id).collect();
        answered.dedup_by(|one, other| one.is_none() && other.is_none());
        answered
    }

    fn byte(&mut self, byte: u8) {
        match (&self.inside, byte) {
            (Inside::Escape, _) => self.keep(byte, Inside::Text),
            (Inside::Text, b'\\') => self.keep(byte, Inside::Escape),
            (Inside::Text, b'"') => {
                self.keep(byte, Inside::Nothing);
                self.token_ends();
            }
            (Inside::Text, _) => self.keep(byte, Inside::Text),
            (_, b'"') => {
                self.token.clear();
                self.keep(byte, Inside::Text);
            }
            (inside, b'a'..=b'z' | b'0'..=b'9' | b'.' | b'+' | b'-' | b'E') => {
                if *inside != Inside::Word {
                    self.token.clear();
                }
                self.keep(byte, Inside::Word);
            }
            (_, _) => self.mark(byte),
        }
    }

    /// What stands between the words.
    fn mark(&mut self, byte: u8) {
        if std::mem::take(&mut self.inside) == Inside::Word {
            self.token_ends();
        }
        match byte {
            b'{' | b'[' => self.opens(byte),
            b'}' | b']' => self.closes(),
            b':' if self.is_direct() => {
                self.key = std::mem::take(&mut self.token);
                self.is_value = true;
            }
            b',' if self.is_direct() => self.is_value = false,
            _ => return,
        }
        self.token.clear();
    }

    fn keep(&mut self, byte: u8, inside: Inside) {
        if self.is_direct() && self.token.len() < TOKEN {
            self.token.push(byte);
        }
        self.inside = inside;
    }

    /// Whether this is in a message itself, not in what one of its values holds.
    fn is_direct(&self) -> bool {
        self.message == Some(self.depth)
    }

    fn opens(&mut self, byte: u8) {
        self.depth += 1;
        if byte == b'{' && self.message.is_none() && self.found.len() < MESSAGES {
            self.message = Some(self.depth);
            self.found.push(Found::default());
            self.is_value = false;
        }
    }

    fn closes(&mut self) {
        if self.is_direct() {
            self.message = None;
            if let Some(found) = self.found.last_mut() {
                found.is_whole = true;
            }
        }
        self.depth = self.depth.saturating_sub(1);
    }

    fn token_ends(&mut self) {
        if !self.is_direct() {
            return;
        }
        let Some(found) = self.found.last_mut() else { return };
        if self.is_value {
            if self.key == b"\"id\"" {
                found.id = serde_json::from_slice(&self.token).ok();
            }
            return;
        }
        match &self.token[..] {
            b"\"id\"" => found.has_id = true,
            b"\"method\"" => found.has_method = true,
            b"\"result\"" | b"\"error\"" => found.is_answer = true,
            _ => {}
        }
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
        let check = |line: &str, expected: &[Json]| {
            let mut glance = Glance::default();
            glance.at(line.as_bytes());
            let found = glance.whom_to_answer();
            let found: Vec<Json> = found.iter().map(|id| serde_json::to_value(id).unwrap()).collect();
            assert_eq!(found, expected, "{line}");
        };
        check("hello", &[json!(null)]);
        check("", &[json!(null)]);
        check(r#"{"id":1,"method":"m","params":{"id":2,"x":[{"id":3}],"y":1e400}}"#, &[json!(1)]);
        check(r#"{"method":"m","params":{"id":"no"},"id":"a\u0062\"c"}"#, &[json!("ab\"c")]);
        check(r#"{"params":"{\"id\":1}","id" : -5 , "method":"m"}"#, &[json!(-5)]);
        check(r#"{"id":1,"method":"m"}{"id":2,"method":"m"}"#, &[json!(1), json!(2)]);
        check(r#"[{"id":1,"method":"m"},{"method":"n"},{"id":"b","method":"m"}]"#, &[json!(1), json!("b")]);
        check("[1,2]", &[json!(null)]);
        check(r#"{"id":7,"method":"m","params":{"x":"#, &[json!(7)]);
        check(r#"{"method":"m","params":{"x":"#, &[json!(null)]);
        check(r#"{"id":1"#, &[json!(null)]);
        check(r#"{"id":[1],"method":"m"}"#, &[json!(null)]);
        check(r#"{"id":null,"method":"m"}"#, &[json!(null)]);
        check(r#"{"method":"id","id":"id"}"#, &[json!("id")]);
        check(r#"{"method":"notifications/x","params":1}"#, &[]);
        check(r#"{"id":4,"result":{"x":1e400}}"#, &[]);
        check(r#"{"id":4,"error":{"code":1}}"#, &[]);
        check(r#"}}]]{"id":4,"method":"m"}"#, &[json!(4)]);
        check(&format!("{{\"id\":\"{}\",\"method\":\"m\"}}", "x".repeat(300)), &[json!(null)]);
    }

    proptest! {
        /// What can be read has the id that is found, in whatever parts it comes.
        #[test]
        fn the_id_of_a_message_is_found(
            id in "[ -~]{0,40}", key in "[a-z\"\\\\{}:,]{0,8}", text in any::<String>(), cut in 0_usize..60
        ) {
            prop_assume!(!["id", "method", "result", "error"].contains(&key.as_str()));
            let line = json!({ key: { "id": text, "x": [text] }, "method": text, "id": id }).to_string();
            let (first, rest) = line.as_bytes().split_at(cut.min(line.len()));
            let mut glance = Glance::default();
            glance.at(first);
            glance.at(rest);
            prop_assert_eq!(glance.whom_to_answer(), [Some(RequestId::String(id.into()))]);
        }

        /// Nothing that can be written makes it fail, and what is JSON stays JSON.
        #[test]
        fn any_bytes_can_be_looked_at(bytes in any::<Vec<u8>>(), text in r#"(\\u[dD][89a-fA-F][0-9a-f]{2}|\\\\|x){0,9}"#) {
            let mut glance = Glance::default();
            glance.at(&bytes);
            glance.whom_to_answer();
            let text = format!("\"{text}\"");
            let better = without_lone_surrogates(text.as_bytes()).unwrap_or(text.into_bytes());
            prop_assert!(serde_json::from_slice::<String>(&better).is_ok());
        }
    }
}
