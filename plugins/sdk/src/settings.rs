//! The operator's settings for this plugin.

use serde_json::Value as Json;

use crate::bindings::iac::plugin::settings;

/// Returns the value of one setting: the operator's value, otherwise the default in `plugin.toml`, otherwise `None`.
pub fn get(key: &str) -> Option<Json> {
    settings::get(key).and_then(|text| serde_json::from_str(&text).ok())
}
