//! Errors of a plugin.

use std::borrow::Cow;
use std::fmt;

use serde_json::Value as Json;

use crate::bindings::iac::plugin::types;

/// An error for the caller of a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// One of the server's codes, or one of the plugin's own.
    pub code: Cow<'static, str>,
    /// The message: lower case, no full stop.
    pub message: String,
    /// The suggestion.
    pub suggestion: Option<String>,
    /// Whether the same call may succeed later.
    pub retryable: bool,
    /// More details about the error.
    pub detail: Option<Json>,
}

impl Fault {
    /// Makes an error with a code of the server or of the plugin's own.
    pub fn new(code: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Self { code: code.into(), message: message.into(), suggestion: None, retryable: false, detail: None }
    }

    /// Makes an `invalid_parameter` error.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new("invalid_parameter", message)
    }

    /// Makes an `invalid_parameter` error for a wrong value at a path; a long value is cut.
    pub fn expected(path: &str, value: &Json, accepted: &str) -> Self {
        let mut shown = value.to_string();
        if let Some((end, _)) = shown.char_indices().nth(80) {
            shown.truncate(end);
            shown.push('…');
        }
        Self::invalid(format!("`{path}` is `{shown}`, expected {accepted}"))
    }

    /// Says what to do next.
    #[must_use]
    pub fn suggest(mut self, suggestion: impl Into<String>) -> Self {
        self.suggestion = Some(suggestion.into());
        self
    }

    pub(crate) fn export(self) -> types::Fault {
        types::Fault {
            code: self.code.into_owned(),
            message: self.message,
            suggestion: self.suggestion,
            retryable: self.retryable,
            detail: self.detail.map(|detail| detail.to_string()),
        }
    }
}

impl From<types::Fault> for Fault {
    fn from(fault: types::Fault) -> Self {
        Self {
            code: fault.code.into(),
            message: fault.message,
            suggestion: fault.suggestion,
            retryable: fault.retryable,
            detail: fault.detail.and_then(|detail| serde_json::from_str(&detail).ok()),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for Fault {}

/// Converts the answer of a host function.
pub(crate) fn read(answer: Result<String, types::Fault>) -> Result<Json, Fault> {
    let text = answer.map_err(Fault::from)?;
    serde_json::from_str(&text)
        .map_err(|error| Fault::new("internal", format!("the host's answer is not JSON: {error}")))
}
