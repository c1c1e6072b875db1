//! The line with which a worker answers.

use iac_core::step::{Event, RunFailure};
use serde::Deserialize;

#[derive(Deserialize)]
struct Raised {
    number: i64,
    message: String,
}

/// Parses a line as the answer to the call with this number; `None` if it is anything else.
pub(crate) fn answer(line: &str, to: u64) -> Option<Event> {
    let (id, answer) = line.split_once(' ')?;
    // As text, because `+7` and `007` are also 7.
    if id != to.to_string() {
        return None;
    }
    match answer.split_once(' ')? {
        ("=", text) => is_envelope(text).then(|| Event::Replied(text.to_owned())),
        ("!", raised) => {
            let Raised { number, message } = serde_json::from_str(raised).ok()?;
            Some(Event::Failed(RunFailure::Script { number, message }))
        }
        _ => None,
    }
}

/// Whether a text begins and ends like an envelope. A truncated text does not; the core checks the rest.
pub(crate) fn is_envelope(text: &str) -> bool {
    text.starts_with("{\"ok\":") && text.trim_ascii_end().ends_with('}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expected: Option<Event>) {
        assert_eq!(answer(line, 7), expected, "{line}");
    }

    #[test]
    fn only_the_answer_that_was_asked_for() {
        check(r#"7 = {"ok":true}"#, Some(Event::Replied(r#"{"ok":true}"#.to_owned())));
        let message = "no (x)".to_owned();
        let raised = Event::Failed(RunFailure::Script { number: -1728, message });
        check(r#"7 ! {"number":-1728,"message":"no (x)"}"#, Some(raised));
        for line in [
            "",
            "7",
            "7 =",
            "8 = {}",
            "77 = {}",
            "7 ? {}",
            "7 ! no",
            "seven = {}",
            r#"+7 = {"ok":true}"#,
            r#"007 = {"ok":true}"#,
            "{}",
            " 7 = {}",
            "7  = {}",
            "7 = {}",
            "7 = what",
            r#"7 = {"ok":true,"value":["half"#,
        ] {
            check(line, None);
        }
    }
}
