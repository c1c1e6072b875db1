//! Whether a command wrote the file that it was told to write: an app may answer without an error and write nothing.

use serde_json::{Value as Json, json};

use crate::action::Invocation;
use crate::specifier::quoted;

/// The script's findings at the path of the file.
#[derive(Debug)]
pub(super) struct Filed {
    path: String,
    is: String,
    bytes: Option<u64>,
}

/// Splits an answer into the app's answer and the result for the file; nothing if there was no file to write.
pub(super) fn split(answer: &Json, invocation: &Invocation) -> (Json, Option<Filed>) {
    match invocation.file_to_be() {
        Some(path) => of(answer, path),
        None => (answer.clone(), None),
    }
}

/// The same for the file at a path.
pub(super) fn of(answer: &Json, path: &str) -> (Json, Option<Filed>) {
    if answer["$"] != json!("filed") {
        return (answer.clone(), None);
    }
    let is = answer["is"].as_str().unwrap_or_default().to_owned();
    let filed = Filed { path: path.to_owned(), is, bytes: answer["bytes"].as_u64() };
    (answer["value"].clone(), Some(filed))
}

impl Filed {
    /// Adds it to the answer of the command.
    pub(super) fn tell(&self, body: &mut Json) {
        let path = quoted(&self.path);
        match (self.is.as_str(), self.bytes) {
            ("new", Some(bytes)) => {
                body["saved"] = json!(true);
                body["file"] = json!(self.path);
                body["bytes"] = json!(bytes);
            }
            ("old", _) => {
                body["unverified"] = json!(format!(
                    "the app answered without an error, and the file at {path} is still the old one; tell the user, or save under another name"
                ));
            }
            _ => {
                body["unverified"] = json!(format!(
                    "the app answered without an error, and no file is at {path}; the app may have added an ending or chosen its own folder: look with Finder, and do not tell the user that it is saved before it is found"
                ));
            }
        }
    }
}
