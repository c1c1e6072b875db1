//! A script that the client wrote.

use serde_json::{Map, Value as Json, json};

use super::arguments::Arguments;
use super::script::hex;
use crate::fault::Fault;

/// The languages, as `osascript` names them.
const LANGUAGES: [&str; 2] = ["JavaScript", "AppleScript"];

/// A script of the client. It runs only after a human has read all of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunScript {
    /// `JavaScript` or `AppleScript`.
    pub language: &'static str,
    /// The text; its lines end in line feeds.
    pub text: String,
}

impl RunScript {
    pub(super) fn read(arguments: &Arguments<'_>) -> Result<Self, Fault> {
        arguments.only(&["language", "script"])?;
        let given = arguments.required_text("language")?;
        let language = LANGUAGES.into_iter().find(|known| known.eq_ignore_ascii_case(&given));
        let language = language.ok_or_else(|| {
            let message = "`language`: expected JavaScript or AppleScript";
            let suggestion = "JavaScript means JavaScript for Automation";
            Fault::parameter("language", message, suggestion)
        })?;
        Ok(Self { language, text: arguments.required_text("script")?.replace("\r\n", "\n") })
    }

    /// Its arguments, for the audit log; the text is identified by its digest.
    pub fn arguments(&self) -> Map<String, Json> {
        let said = json!({
            "language": self.language, "sha256": hex(self.text.as_bytes()), "script": self.text,
        });
        said.as_object().cloned().unwrap_or_default()
    }
}
