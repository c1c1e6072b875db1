//! The name of a plugin.

use std::borrow::Borrow;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The name of a plugin: 2 to 32 characters of `a-z`, `0-9` and `-`, beginning with a letter, without `-` at the end
/// and without `--`. It becomes a folder name, so nothing else is allowed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PluginId(String);

/// The error for a string that is not a plugin's name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidId {
    #[error(
        "`{0}` is not a plugin id, expected 2 to 32 of a-z, 0-9 and single `-`, beginning with a letter and not ending with `-`"
    )]
    Form(String),
    #[error("`{0}` cannot be a plugin id, because the server uses this name itself")]
    Server(String),
    #[error("`{0}` cannot be a plugin id, because some systems reserve this name for a device")]
    Device(String),
}

/// Names that a plugin may not have, because the server's own tools begin with them.
const OF_SERVER: [&str; 3] = ["iac", "iac-mcp", "system"];

/// Names that some systems reserve for devices, so that no folder can have them.
const OF_DEVICES: [&str; 8] = ["con", "prn", "aux", "nul", "com1", "com2", "lpt1", "lpt2"];

impl PluginId {
    /// Returns the id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the prefix of its tools' names.
    pub fn tool_prefix(&self) -> String {
        self.0.replace('-', "_")
    }

    /// Tells whether a tool of this name can belong to the plugin.
    pub fn owns(&self, tool: &str) -> bool {
        let prefix = self.tool_prefix();
        let well_formed = tool.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_'));
        let rest = tool.strip_prefix(&prefix);
        tool.len() <= 40 && well_formed && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
    }
}

impl FromStr for PluginId {
    type Err = InvalidId;

    fn from_str(text: &str) -> Result<Self, InvalidId> {
        let letters = text.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'));
        let ends = text.starts_with(|c: char| c.is_ascii_lowercase()) && !text.ends_with('-');
        let is_formed = letters && ends && !text.contains("--") && (2..=32).contains(&text.len());
        let own = text.to_owned();
        match text {
            _ if !is_formed => Err(InvalidId::Form(own)),
            _ if OF_SERVER.contains(&text) || text.starts_with("iac-mcp-") => Err(InvalidId::Server(own)),
            _ if OF_DEVICES.contains(&text) => Err(InvalidId::Device(own)),
            _ => Ok(Self(own)),
        }
    }
}

impl TryFrom<String> for PluginId {
    type Error = InvalidId;

    fn try_from(text: String) -> Result<Self, InvalidId> {
        text.parse()
    }
}

impl From<PluginId> for String {
    fn from(id: PluginId) -> Self {
        id.0
    }
}

impl Borrow<str> for PluginId {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for PluginId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, valid: bool) {
        assert_eq!(text.parse::<PluginId>().is_ok(), valid, "{text:?}");
    }

    #[test]
    fn ids_are_plain_names() {
        for text in ["omnifocus", "code-query", "a1", "x-2-y"] {
            check(text, true);
        }
        for text in [
            "", "a", "1a", "-a", "a-", "a--b", "A1", "a_b", "a/b", "..", "a.b", "con", "iac-mcp",
            "iac-mcp-x", "ä1",
        ] {
            check(text, false);
        }
        check(&"a".repeat(32), true);
        check(&"a".repeat(33), false);
    }

    fn check_tool(id: &str, tool: &str, owned: bool) {
        let id: PluginId = id.parse().expect("the test's own id");
        assert_eq!(id.owns(tool), owned, "{tool}");
    }

    #[test]
    fn tools_begin_with_the_id() {
        check_tool("code-query", "code_query", true);
        check_tool("code-query", "code_query_outline", true);
        check_tool("code-query", "code_queryx", false);
        check_tool("code-query", "iac_mcp_list_apps", false);
        check_tool("code-query", "code_query_Outline", false);
        check_tool("code-query", "code_query_outline_of_everything_there_is", false);
        check_tool("code-query", "code-query", false);
    }
}
