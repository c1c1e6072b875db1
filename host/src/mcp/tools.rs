//! The tools as clients see them.

use std::sync::Arc;

use std::sync::LazyLock;

use iac_core::call;
use iac_core::catalog::{Catalog, CommandTool};
use iac_core::dictionary::names;
use iac_core::permission::Policy;
use rmcp::model::{Tool, ToolAnnotations};

use crate::plugins::{self, Plugins};
use crate::router::Router;

/// `tools.json` is formatted for people to read, and sent as compact JSON.
static BUILT_IN: LazyLock<Vec<Tool>> = LazyLock::new(|| {
    serde_json::from_str(include_str!("tools.json"))
        .expect("the tools are part of the program: a test reads them")
});

/// The server's instructions for a client's model.
pub(super) const INSTRUCTIONS: &str = include_str!("instructions.md");

/// Returns the built-in tools, always in the same order. The tool for scripts is included only if the policy allows
/// scripts.
fn tools(policy: &Policy) -> impl Iterator<Item = &'static Tool> {
    let scripts = policy.runs_scripts();
    BUILT_IN.iter().filter(move |tool| scripts || tool.name != call::Tool::RunScript.name())
}

/// Returns the built-in tool of that name, even if it is not listed.
pub(super) fn find(name: &str) -> Option<&'static Tool> {
    BUILT_IN.iter().find(|tool| tool.name == name)
}

/// Returns the tools for the commands in a catalog, by name.
fn of_commands(catalog: &Catalog) -> impl Iterator<Item = Tool> {
    catalog.tools().map(of_command)
}

/// The names of tools that are similar to an unknown name. `of_plugins` are the names of tools of plugins.
pub(super) fn near(name: &str, commands: &Catalog, of_plugins: &[String]) -> Vec<String> {
    let policy = Policy::default();
    let all = tools(&policy).map(|tool| &*tool.name).chain(commands.tools().map(|tool| tool.name.as_str()));
    names::near(name, all.chain(of_plugins.iter().map(String::as_str)), 3)
}

fn of_command(tool: &CommandTool) -> Tool {
    let schema = tool.input_schema.as_object().cloned().unwrap_or_default();
    let hints = &tool.hints;
    let annotations = ToolAnnotations::new().read_only(hints.read_only).destructive(hints.destructive);
    let annotations = annotations.idempotent(hints.idempotent).open_world(hints.open_world);
    let definition = Tool::new(tool.name.clone(), tool.description.clone(), schema);
    definition.with_title(tool.title.clone()).with_annotations(annotations)
}

/// Adds the tools of plugins. If a name is taken, the earlier tool keeps it.
fn with_plugins(mut tools: Vec<Tool>, plugins: &Plugins) -> Vec<Tool> {
    for tool in plugins.tools().into_iter().map(of_plugin) {
        if !tools.iter().any(|held| held.name == tool.name) {
            tools.push(tool);
        }
    }
    tools
}

fn of_plugin(tool: plugins::Tool) -> Tool {
    let schema = tool.input_schema.as_object().cloned().unwrap_or_default();
    let annotations = ToolAnnotations::new().read_only(tool.read_only).destructive(tool.destructive);
    let annotations = annotations.idempotent(tool.idempotent).open_world(true);
    let definition = Tool::new(tool.name, tool.description, schema);
    let definition = match tool.title {
        Some(title) => definition.with_title(title),
        None => definition,
    };
    let mut definition = definition.with_annotations(annotations);
    definition.output_schema =
        tool.output_schema.and_then(|schema| schema.as_object().cloned()).map(Arc::new);
    definition
}

/// Returns the definitions of a catalog's tools as they are sent.
pub fn commands(catalog: &Catalog) -> Vec<serde_json::Value> {
    let json = |tool| serde_json::to_value(tool).expect("a tool is plain data");
    of_commands(catalog).map(json).collect()
}

/// Returns every tool of a server, in the order in which clients see them.
pub(super) async fn listed(router: &Router) -> Vec<Tool> {
    let commands = router.pipeline.command_tools().await;
    let policy = router.pipeline.policy();
    router.plugins.look().await;
    let own = tools(&policy).cloned().chain(of_commands(&commands));
    with_plugins(own.collect(), &router.plugins)
}

/// Returns the definitions of every tool of a server as they are sent.
pub async fn of_server(router: &Router) -> Vec<serde_json::Value> {
    let json = |tool| serde_json::to_value(tool).expect("a tool is plain data");
    listed(router).await.iter().map(json).collect()
}

/// Returns the definitions of the built-in tools under a policy, and of plugins, as they are sent.
pub fn of_plugins_too(plugins: &Plugins, policy: &Policy) -> Vec<serde_json::Value> {
    let json = |tool| serde_json::to_value(tool).expect("a tool is plain data");
    with_plugins(tools(policy).cloned().collect(), plugins).iter().map(json).collect()
}

/// Returns the definitions of the built-in tools as they are sent.
pub fn built_in() -> Vec<serde_json::Value> {
    let json = |tool| serde_json::to_value(tool).expect("a tool is plain data");
    tools(&Policy::default()).map(json).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::Value as Json;

    use super::*;

    #[test]
    fn the_list_is_small_and_the_instructions_are_short() {
        let bytes = serde_json::to_string(&built_in()).unwrap().len();
        assert!(bytes <= 10 * 1024, "{bytes} bytes");
        assert!(INSTRUCTIONS.len() <= 2 * 1024, "{} bytes", INSTRUCTIONS.len());
    }

    #[test]
    fn every_tool_is_known_to_the_core_or_the_shell() {
        let names: Vec<&str> = BUILT_IN.iter().map(|tool| &*tool.name).collect();
        assert_eq!(names, crate::pipeline::tools::built_in().collect::<Vec<_>>());
    }

    #[test]
    fn the_tool_for_scripts_is_listed_where_the_policy_switches_it_on() {
        let check = |policy: Policy, expected: bool| {
            let listed = tools(&policy).any(|tool| tool.name == "iac_mcp_run_script");
            assert_eq!(listed, expected, "{policy:?}");
        };
        let on = || Policy::parse("scripts = \"ask\"").unwrap();
        check(Policy::default(), false);
        check(Policy::parse("scripts = \"off\"").unwrap(), false);
        check(on(), true);
        check(on().only_reads(), false);
    }

    /// Checks rules of single clients that are stricter than the standard.
    #[test]
    fn every_schema_is_taken_by_every_client() {
        for tool in BUILT_IN.iter() {
            let name = &tool.name;
            let legal = |c: char| c.is_ascii_lowercase() || c == '_';
            assert!(name.len() <= 40 && name.chars().all(legal), "{name}");
            let description = tool.description.as_deref().unwrap_or_default();
            assert!((20..1_000).contains(&description.len()), "{name}: {} bytes", description.len());
            let schema = Json::Object((*tool.input_schema).clone());
            assert_eq!(schema["type"], "object", "{name}");
            for key in ["anyOf", "oneOf", "allOf", "if", "not", "$schema", "$id", "$defs"] {
                assert!(schema.get(key).is_none(), "{name} has {key} at its root");
            }
            lint(&schema, name);
        }
    }

    fn lint(schema: &Json, place: &str) {
        let fields =
            schema.as_object().unwrap_or_else(|| panic!("{place}: a schema is an object, not {schema}"));
        assert!(!fields.contains_key("$ref") && !fields.contains_key("const"), "{place}");
        assert!(fields.get("type").is_none_or(Json::is_string), "{place}: a list of types");
        let is_typed = ["type", "anyOf"].iter().any(|key| fields.contains_key(*key));
        assert!(is_typed, "{place}: some clients refuse a value without a type");
        if let Some(values) = fields.get("enum") {
            assert!(values.as_array().unwrap().iter().all(Json::is_string), "{place}");
        }
        for (name, below) in fields.get("properties").and_then(Json::as_object).into_iter().flatten() {
            lint(below, &format!("{place}.{name}"));
        }
        for below in fields.get("anyOf").and_then(Json::as_array).into_iter().flatten() {
            lint(below, &format!("{place}|"));
        }
        if let Some(below) = fields.get("items") {
            lint(below, &format!("{place}[]"));
        }
        for required in fields.get("required").and_then(Json::as_array).into_iter().flatten() {
            assert!(schema["properties"].get(required.as_str().unwrap()).is_some(), "{place}: {required}");
        }
    }
}
