//! A script of a package. Its text is fixed when the package is made, shown when it is granted, and pinned by a
//! digest.

use std::collections::{BTreeMap, BTreeSet};

use data_encoding::HEXLOWER;
use serde::{Deserialize, Serialize};
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::capability::Level;

/// A script that a plugin runs inside apps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    pub name: String,
    /// The apps it may run in, by bundle id in lower case; `*` is every app.
    pub apps: BTreeSet<String>,
    /// How much harm it can do.
    pub level: Level,
    /// Its purpose, in the author's words.
    pub reason: String,
    /// An expression that is a function of one argument.
    pub text: String,
    /// Its acts, each with its level; empty if none are declared.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub acts: BTreeMap<String, Level>,
}

impl Script {
    /// Returns a digest of everything that a grant covers: its text, level, apps and acts. A grant is for one pin.
    pub fn pin(&self) -> String {
        let mut all = vec![json!(self.text), json!(self.level), json!(self.apps)];
        if !self.acts.is_empty() {
            all.push(json!(self.acts));
        }
        HEXLOWER.encode(&Sha256::digest(json!(all).to_string().as_bytes()))
    }

    /// Tells whether it may run in an app.
    pub fn is_for(&self, bundle_id: &str) -> bool {
        self.apps.contains("*") || self.apps.contains(&bundle_id.to_ascii_lowercase())
    }
}
