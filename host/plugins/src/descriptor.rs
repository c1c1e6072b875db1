//! The descriptions of a plugin's tools. They are captured when the package is made and checked here, and a running
//! server never asks the guest for them.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::PluginId;
use crate::failure::{clean, line};
use crate::schema;

/// One tool of a plugin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Descriptor {
    /// Its name, which begins with the plugin's.
    pub name: String,
    /// A title for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Its purpose, for a model.
    pub description: String,
    /// JSON Schema of its arguments.
    pub input_schema: Json,
    /// JSON Schema of its answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Json>,
    /// It changes nothing. The engine enforces this.
    pub read_only: bool,
    /// It may remove or overwrite existing data.
    pub destructive: bool,
    /// A second call with the same arguments changes nothing more.
    pub idempotent: bool,
}

/// Why a list of tools is not valid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DescriptorError {
    #[error("the plugin has {0} tools, expected 1 to 16")]
    Count(usize),
    #[error(
        "a tool is called `{name}`, expected `{prefix}` or `{prefix}_…` of a-z, 0-9 and _, at most 40 characters"
    )]
    Name {
        name: String,
        /// The prefix that it should have.
        prefix: String,
    },
    #[error("two tools are called `{0}`")]
    Twice(String),
    #[error("the {field} of `{tool}` {fault}")]
    Text {
        tool: String,
        /// Which text.
        field: &'static str,
        /// The fault.
        fault: String,
    },
    #[error("the schema of `{tool}` {fault}")]
    Schema {
        tool: String,
        /// The fault.
        fault: String,
    },
}

const MOST_TOOLS: usize = 16;
const MOST_SCHEMA: usize = 16 * 1024;

/// Checks the tools that a plugin lists.
///
/// # Errors
/// The first fault in the list.
pub fn check(id: &PluginId, tools: &[Descriptor]) -> Result<(), DescriptorError> {
    if !(1..=MOST_TOOLS).contains(&tools.len()) {
        return Err(DescriptorError::Count(tools.len()));
    }
    let mut names = BTreeSet::new();
    for tool in tools {
        tool.check(id)?;
        if !names.insert(&tool.name) {
            return Err(DescriptorError::Twice(tool.name.clone()));
        }
    }
    Ok(())
}

/// Finds out why the `undo` of an answer cannot undo a change; `None` if it can. It must be a call of a tool of the
/// same plugin that changes something, with arguments that the host will accept.
pub fn undo_fault(tools: &[Descriptor], lenient: bool, undo: &Json) -> Option<String> {
    let Json::Object(fields) = undo else {
        return Some(format!("`undo` is {}, expected an object with `tool` and `arguments`", shown(undo)));
    };
    let name = fields.get("tool").unwrap_or(&Json::Null);
    let Some(tool) = tools.iter().find(|tool| name.as_str() == Some(&tool.name)) else {
        let known = tools.iter().filter(|tool| !tool.read_only).map(|tool| tool.name.as_str());
        let known: Vec<&str> = known.collect();
        return Some(format!("`undo.tool` is {}, expected one of {}", shown(name), known.join(", ")));
    };
    if tool.read_only {
        return Some(format!("`undo.tool` is `{}`, which only reads", tool.name));
    }
    let arguments = fields.get("arguments").unwrap_or(&Json::Null);
    if !arguments.is_object() {
        return Some(format!("`undo.arguments` is {}, expected an object", shown(arguments)));
    }
    let wrong = schema::misfit(&tool.input_schema, arguments).filter(|_| !lenient)?;
    Some(format!("`undo.arguments` does not fit the schema of `{}`: {wrong}", tool.name))
}

fn shown(value: &Json) -> String {
    match value {
        Json::Null => "missing".to_owned(),
        other => line(&other.to_string(), 80),
    }
}

impl Descriptor {
    fn check(&self, id: &PluginId) -> Result<(), DescriptorError> {
        if !id.owns(&self.name) {
            return Err(DescriptorError::Name { name: clean(&self.name, 80), prefix: id.tool_prefix() });
        }
        self.check_text("title", self.title.as_deref().unwrap_or("x"), 80)?;
        self.check_text("description", &self.description, 2_000)?;
        let wrong = |fault| DescriptorError::Schema { tool: self.name.clone(), fault };
        check_schema(&self.input_schema).map_err(wrong)?;
        let Some(output) = &self.output_schema else { return Ok(()) };
        check_schema(output).map_err(|fault| wrong(format!("of the answer {fault}")))?;
        // The host adds `untrusted` and `undo` to each answer. If the schema forbade them, a client that validates
        // answers would reject every one.
        match output.get("additionalProperties") {
            None | Some(Json::Bool(true)) => Ok(()),
            Some(_) => Err(wrong("of the answer restricts `additionalProperties` at its root".to_owned())),
        }
    }

    fn check_text(&self, field: &'static str, text: &str, most: usize) -> Result<(), DescriptorError> {
        let length = text.chars().count();
        let fault = if text.trim().is_empty() {
            "is empty".to_owned()
        } else if length > most {
            format!("has {length} characters, expected at most {most}")
        } else if clean(text, most) != text {
            "contains control or bidirectional characters".to_owned()
        } else {
            return Ok(());
        };
        Err(DescriptorError::Text { tool: self.name.clone(), field, fault })
    }
}

fn check_schema(schema: &Json) -> Result<(), String> {
    let text = schema.to_string();
    if text.len() > MOST_SCHEMA {
        return Err(format!("has {} bytes, expected at most {MOST_SCHEMA}", text.len()));
    }
    if clean(&text, MOST_SCHEMA) != text {
        return Err("contains control or bidirectional characters".to_owned());
    }
    if schema["type"] != "object" || !schema["properties"].is_object() {
        return Err("is not an object with `\"type\":\"object\"` and `properties`".to_owned());
    }
    for word in ["oneOf", "anyOf", "allOf"] {
        if schema.get(word).is_some() {
            return Err(format!("has `{word}` at its root, expected it in a property"));
        }
    }
    if let Some(place) = place_of(schema, "$ref") {
        return Err(format!(
            "has `{place}`, expected the schema itself in this place: not every client follows it"
        ));
    }
    schema::fault(schema).map_or(Ok(()), Err)
}

/// Returns the path of a key, such as `properties.a.$ref`.
fn place_of(json: &Json, key: &str) -> Option<String> {
    let below = |name: String, value: &Json| Some(format!("{name}.{}", place_of(value, key)?));
    match json {
        Json::Object(map) if map.contains_key(key) => Some(key.to_owned()),
        Json::Object(map) => map.iter().find_map(|(name, value)| below(clean(name, 40), value)),
        Json::Array(items) => items.iter().enumerate().find_map(|(at, value)| below(at.to_string(), value)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn tool(name: &str, description: &str, schema: Json) -> Descriptor {
        Descriptor {
            name: name.to_owned(),
            title: None,
            description: description.to_owned(),
            input_schema: schema,
            output_schema: None,
            read_only: true,
            destructive: false,
            idempotent: true,
        }
    }

    fn plain(name: &str) -> Descriptor {
        tool(name, "Does it.", json!({"type": "object", "properties": {}}))
    }

    fn found(tools: &[Descriptor], expected: &str) {
        let id: PluginId = "demo".parse().expect("the test's own id");
        let shown = check(&id, tools).map_or_else(|error| error.to_string(), |()| "ok".to_owned());
        assert!(shown.contains(expected), "{shown}");
    }

    #[test]
    fn an_undo_is_a_call_that_works() {
        let schema = json!({"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]});
        let changes = Descriptor { read_only: false, ..tool("demo_change", "Does it.", schema) };
        let tools = [plain("demo"), changes];
        let check = |undo: Json, lenient: bool, expected: Option<&str>| {
            assert_eq!(undo_fault(&tools, lenient, &undo).as_deref(), expected, "{undo}");
        };
        let call = |arguments: Json| json!({"tool": "demo_change", "arguments": arguments});
        check(call(json!({"id": "a"})), false, None);
        let misfit = "`undo.arguments` does not fit the schema of `demo_change`: `id` is 1, expected string";
        check(call(json!({"id": 1})), false, Some(misfit));
        check(call(json!({"id": 1})), true, None);
        check(call(json!("a")), true, Some("`undo.arguments` is \"a\", expected an object"));
        let reads = "`undo.tool` is `demo`, which only reads";
        check(json!({"tool": "demo", "arguments": {}}), false, Some(reads));
        check(json!({}), false, Some("`undo.tool` is missing, expected one of demo_change"));
        let text = "`undo` is \"undo_b\", expected an object with `tool` and `arguments`";
        check(json!("undo_b"), false, Some(text));
    }

    #[test]
    fn honest_tools_pass() {
        found(&[plain("demo"), plain("demo_two")], "ok");
    }

    #[test]
    fn lying_tools_are_refused() {
        found(&[], "0 tools");
        found(&vec![plain("demo"); 17], "17 tools");
        found(&[plain("demo"), plain("demo")], "two tools are called `demo`");
        found(&[plain("iac_mcp_list_apps")], "a tool is called `iac_mcp_list_apps`");
        found(&[tool("demo", &"x".repeat(1 << 20), json!({}))], "has 1048576 characters");
        found(&[tool("demo", "\u{1b}[2Jhello", json!({}))], "control or bidirectional");
        found(&[tool("demo", " ", json!({}))], "is empty");
        found(&[tool("demo", "d", json!(true))], "is not an object");
        found(&[tool("demo", "d", json!({"type": "object"}))], "is not an object");
        found(
            &[tool("demo", "d", json!({"type": "object", "properties": {}, "anyOf": []}))],
            "`anyOf` at its root",
        );
        found(
            &[tool("demo", "d", json!({"type": "object", "properties": {"a": {"items": {"$ref": "#"}}}}))],
            "has `properties.a.items.$ref`, expected the schema itself",
        );
        let typed = json!({"type": "object", "properties": {"a": {"type": "numbr"}}});
        found(&[tool("demo", "d", typed)], "the schema of `demo` has \"numbr\" for `properties.a.type`");
        let closed = json!({"type": "object", "properties": {}, "additionalProperties": false});
        let output = |schema: Json| Descriptor { output_schema: Some(schema), ..plain("demo") };
        found(&[output(json!({"type": "object", "properties": {}}))], "ok");
        found(&[output(json!(1))], "the schema of `demo` of the answer is not an object");
        found(&[output(closed)], "restricts `additionalProperties`");
    }
}
