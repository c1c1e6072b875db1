//! A plugin's call of a script of its package.

use crate::words::Level;
use serde_json::{Map, Value as Json, json};
use sha2::{Digest as _, Sha256};

/// A call of a script from a plugin's package. The script runs in an app.
///
/// The operator has seen and granted its text. Only `data` differs from call to call.
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
    /// The acts of this call, out of the acts that the package declares; empty if it declares none. The script receives
    /// them and refuses all others, so a call that names fewer acts can do less.
    pub acts: Vec<Act>,
    /// The argument.
    pub data: Json,
    /// The arguments of the later runs. One decision covers all runs, and each run receives the result that the run
    /// before it hands on.
    pub rest: Vec<Json>,
    /// Its description in the plugin's words.
    pub objects: Vec<String>,
}

/// One thing that a script can do, as the package declares it and the operator has granted it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Act {
    /// Its name, for example `delete project`.
    pub name: String,
    /// How much harm it can do.
    pub level: Level,
}

impl ScriptCall {
    /// SHA-256 of the text, in hexadecimal.
    pub fn sha256(&self) -> String {
        hex(self.text.as_bytes())
    }

    /// SHA-256 of the text with one of its acts. A grant of that act is bound to it.
    pub fn sha256_of(&self, act: &Act) -> String {
        hex(json!([self.text, act.name]).to_string().as_bytes())
    }

    /// The names of this call's acts, in the given order.
    pub fn act_names(&self) -> Vec<&str> {
        self.acts.iter().map(|act| act.name.as_str()).collect()
    }

    /// Its arguments, for the audit log; the text is identified by its digest.
    pub fn arguments(&self) -> Map<String, Json> {
        let mut said = json!({
            "app": self.app, "script": self.name, "sha256": self.sha256(), "data": self.data,
        });
        if !self.acts.is_empty() {
            said["acts"] = json!(self.act_names());
        }
        if !self.rest.is_empty() {
            said["rest"] = json!(self.rest);
        }
        match said {
            Json::Object(fields) => fields,
            _ => Map::new(),
        }
    }
}

pub(super) fn hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
