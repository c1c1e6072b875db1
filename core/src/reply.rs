//! Reads a script's answer.

use serde::Deserialize;
use serde_json::Value as Json;

use crate::foreign;
use crate::osa_error::OsaError;
use crate::plan::Spent;

/// The result of every script.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// The answer, or the error.
    pub result: Result<Json, OsaError>,
    /// How many Apple events the script sent.
    pub events: u64,
    /// How it read, if it had a choice.
    pub strategy: Option<String>,
    /// Why the answer is partial, if it is.
    pub reason: Option<String>,
    /// The times of its events.
    pub spent: Spent,
}

/// An answer in the wrong form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the script's answer has the wrong form: {0}")]
pub struct NotAnEnvelope(String);

#[derive(Deserialize)]
struct Envelope {
    ok: bool,
    #[serde(default)]
    value: Json,
    #[serde(default)]
    events: u64,
    strategy: Option<String>,
    reason: Option<String>,
    #[serde(default)]
    spent: Spent,
    number: Option<i64>,
    message: Option<String>,
    at: Option<String>,
    by: Option<String>,
}

impl Reply {
    /// Reads the text that a script returned.
    ///
    /// # Errors
    /// It is not the envelope that the prelude writes.
    pub fn parse(text: &str) -> Result<Self, NotAnEnvelope> {
        let wrong = |why: String| NotAnEnvelope(format!("{why}; {}", foreign::says("it", text, 200)));
        let envelope: Envelope =
            serde_json::from_str(text.trim_end()).map_err(|error| wrong(error.to_string()))?;
        let Envelope { ok, value, events, strategy, reason, spent, number, message, at, by } = envelope;
        let result = match (ok, number) {
            (true, _) => Ok(value),
            (false, Some(number)) => {
                let (message, at) = (message.unwrap_or_default(), at.unwrap_or_default());
                Err(OsaError { number, message, at, by })
            }
            (false, None) => return Err(wrong("an error without a number".to_owned())),
        };
        Ok(Self { result, events, strategy, reason, spent })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A fast, inexact parser would read this number as `1.1111121099999999e31`.
    #[test]
    fn a_number_keeps_its_last_digit() {
        let reply = Reply::parse(r#"{"ok":true,"value":1.11111211e31}"#).expect("an envelope");
        assert_eq!(reply.result.expect("a value").as_f64(), Some(1.111_112_11e31));
    }
}
