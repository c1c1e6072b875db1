//! A plugin's call of a script of its package.

use serde_json::{Map, Value as Json, json};
use sha2::{Digest as _, Sha256};

use crate::permission::Level;

/// A script of a plugin's package, on its way into an app.
///
/// Its text is what the operator was shown and has granted; only `data` belongs to this call.
#[derive(Clone, Debug, PartialEq)]
pub struct ScriptCall {
    /// The bundle id.
    pub app: String,
    /// The package's name for the script.
    pub name: String,
    /// An expression that is a function of one argument.
    pub text: String,
    /// How much harm the script can do, as the package declares and the operator has granted.
    pub level: Level,
    /// The argument.
    pub data: Json,
    /// The arguments of the runs after the first one. All runs are decided upon at once, and each is given what the one
    /// before it hands on.
    pub rest: Vec<Json>,
    /// What it is about, in the plugin's words.
    pub objects: Vec<String>,
}

impl ScriptCall {
    /// SHA-256 of the text, in hexadecimal.
    pub fn sha256(&self) -> String {
        Sha256::digest(self.text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// What it was called with, for the audit log; the text is known by its digest.
    pub fn arguments(&self) -> Map<String, Json> {
        let mut said = json!({
            "app": self.app, "script": self.name, "sha256": self.sha256(), "data": self.data,
        });
        if !self.rest.is_empty() {
            said["rest"] = json!(self.rest);
        }
        match said {
            Json::Object(fields) => fields,
            _ => Map::new(),
        }
    }
}
