//! Why a query has no answer: a stable code, a sentence that says what happened, and what to do next.

use iac_plugin::{Json, json};

use crate::world::{Cause, Failure};

/// The command that grants one more folder.
pub(crate) const GRANT: &str = "`iac-mcp plugin grant code-query language-servers DIR`";

/// Why a query has no answer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Trouble {
    /// One of the codes of `docs/code-query.md`.
    pub(crate) code: &'static str,
    /// The message, without a full stop.
    pub(crate) message: String,
    /// The next step.
    pub(crate) hint: Option<String>,
    /// Milliseconds after which the same query may have an answer.
    pub(crate) retry_after: Option<u32>,
    /// Possible meanings.
    pub(crate) candidates: Vec<Json>,
}

impl Trouble {
    /// Makes an error from a code and a message.
    pub(crate) fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), hint: None, retry_after: None, candidates: Vec::new() }
    }

    /// An unknown type.
    pub(crate) fn query(message: impl Into<String>) -> Self {
        Self::new("BAD_QUERY", message)
    }

    /// A field that is missing, unknown or wrong.
    pub(crate) fn field(message: impl Into<String>) -> Self {
        Self::new("BAD_FIELD", message)
    }

    /// An invalid pattern.
    pub(crate) fn pattern(message: impl Into<String>) -> Self {
        Self::new("BAD_PATTERN", message)
    }

    /// Something that does not exist.
    pub(crate) fn not_found(message: impl Into<String>) -> Self {
        Self::new("NOT_FOUND", message)
    }

    /// A path that is not in any granted folder.
    pub(crate) fn outside() -> Self {
        let hint = format!("only the user can grant another folder: {GRANT}");
        Self::new("OUTSIDE", "path is outside the workspace roots").hint(hint)
    }

    /// Says what to do next.
    #[must_use]
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds to what to do next.
    #[must_use]
    pub(crate) fn also(self, more: &str) -> Self {
        let hint = match &self.hint {
            Some(hint) => format!("{hint}; {more}"),
            None => more.to_owned(),
        };
        self.hint(hint)
    }

    /// The host's error about a question; `what` is the type of the query.
    pub(crate) fn of(failure: Failure, what: &str, timeout: u32) -> Self {
        let (code, message) = match failure.cause {
            Cause::Outside => return Self::outside(),
            Cause::Timeout => ("TIMEOUT", timeout_message(what, timeout)),
            Cause::NotFound => ("NOT_FOUND", failure.message),
            Cause::Invalid => ("BAD_FIELD", failure.message),
            Cause::NoServer => ("NO_SERVER", failure.message),
            Cause::NotInstalled => ("NOT_INSTALLED", failure.message),
            Cause::StartFailed => ("START_FAILED", failure.message),
            Cause::Crashed => ("CRASHED", failure.message),
            Cause::GaveUp => ("GAVE_UP", failure.message),
            Cause::Unsupported => ("UNSUPPORTED", failure.message),
            Cause::TooLarge => ("TOO_LARGE", failure.message),
            Cause::Failed => ("SERVER_ERROR", failure.message),
        };
        Self { hint: failure.suggestion, retry_after: failure.retry_after, ..Self::new(code, message) }
    }

    /// The form of an answer.
    pub(crate) fn show(&self) -> Json {
        let mut shown = json!({"error": self.message, "code": self.code});
        if let Some(hint) = &self.hint {
            shown["hint"] = json!(hint);
        }
        if let Some(retry_after) = self.retry_after {
            shown["retryAfterMs"] = json!(retry_after);
        }
        if !self.candidates.is_empty() {
            shown["candidates"] = json!(self.candidates);
        }
        shown
    }
}

fn timeout_message(what: &str, timeout: u32) -> String {
    format!("{what} took longer than {timeout} ms; raise timeoutMs or narrow path")
}
