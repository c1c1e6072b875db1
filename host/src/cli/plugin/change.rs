//! Describes the changes of an update to the operator.

use std::collections::BTreeSet;

use crate::plugins::Tool;
use crate::plugins::engine::capability::{Capability, Grants};
use crate::plugins::engine::installed::Receipt;
use crate::plugins::engine::package::Package;

/// Describes a tool in one line: its name, its effect, and the first sentence of its description.
pub(super) fn shown(tool: &Tool) -> String {
    let sentence = tool.description.split_inclusive(". ").next().unwrap_or_default();
    let (name, effect) = (&tool.name, effect(tool));
    format!("tool {name} ({effect}): {}", sentence.trim())
}

fn effect(tool: &Tool) -> &'static str {
    match (tool.read_only, tool.destructive) {
        (true, _) => "only reads",
        (false, false) => "changes things",
        (false, true) => "changes things and may overwrite some",
    }
}

/// The prompts and resources of a plugin, in one line each.
pub(super) fn texts(receipt: &Receipt) -> Vec<String> {
    let prompts = receipt.prompts.iter().map(|it| format!("prompt {}: {}", it.name, it.description));
    let resources = receipt.resources.iter().map(|it| format!("resource {}: {}", it.name, it.description));
    prompts.chain(resources).collect()
}

/// Lists the differences between the tools of two versions, one line for each.
pub(super) fn tools(old: &[Tool], new: &[Tool]) -> Vec<String> {
    let find = |tools: &[Tool], name: &str| tools.iter().find(|tool| tool.name == name).cloned();
    let gone = old.iter().filter(|tool| find(new, &tool.name).is_none());
    let gone = gone.map(|tool| format!("no longer has the tool {}", tool.name));
    let now = new.iter().filter_map(|tool| {
        let Some(before) = find(old, &tool.name) else { return Some(format!("new {}", shown(tool))) };
        if effect(&before) != effect(tool) {
            return Some(format!("tool {} now {}, before it {}", tool.name, effect(tool), effect(&before)));
        }
        (before != *tool).then(|| format!("changed {}", shown(tool)))
    });
    gone.chain(now).collect()
}

/// Returns a warning if an update may surprise the operator: it goes back to an older version, or changes a package
/// without a new version.
pub(super) fn doubt(old: &Receipt, new: &Package) -> Option<String> {
    let (id, version) = (&new.manifest.id, &new.manifest.version);
    if numbers(version) < numbers(&old.version) {
        return Some(format!("{id} {version} is older than the installed version {}", old.version));
    }
    let other = *version == old.version && new.sha256 != old.sha256;
    other.then(|| format!("{id} {version} has other contents than the installed package of the same version"))
}

/// Parses a version into its three numbers. The version in a receipt was validated before, so no part is lost.
fn numbers(version: &str) -> Vec<u32> {
    version.split('.').filter_map(|part| part.parse().ok()).collect()
}

/// Explains the additional permissions that an update wants, with the author's reasons.
pub(super) fn reasons(package: &Package, more: &Grants) -> Vec<String> {
    let concerned: BTreeSet<Capability> = Capability::ALL.into_iter().filter(|it| more.has(*it)).collect();
    let wants = package.manifest.wants.iter().filter(|want| concerned.contains(&want.capability));
    wants
        .map(|want| {
            let (capability, explained, reason) = (want.capability, want.capability.explain(), &want.reason);
            format!("{capability}: {explained}; reason given by the author: \"{reason}\"")
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn tool(name: &str, description: &str, read_only: bool) -> Tool {
        let fields = json!({
            "name": name, "description": description, "input_schema": {}, "read_only": read_only,
            "destructive": false, "idempotent": true,
        });
        serde_json::from_value(fields).expect("the test's own tool")
    }

    fn check(old: &[Tool], new: &[Tool], expected: &[&str]) {
        assert_eq!(tools(old, new), expected);
    }

    #[test]
    fn what_changes_in_tools_is_told() {
        let (a, b) = (tool("a", "Reads it. And more.", true), tool("b", "B.", false));
        check(std::slice::from_ref(&a), std::slice::from_ref(&a), &[]);
        check(
            std::slice::from_ref(&a),
            std::slice::from_ref(&b),
            &["no longer has the tool a", "new tool b (changes things): B."],
        );
        check(
            std::slice::from_ref(&a),
            &[tool("a", "Reads it.", false)],
            &["tool a now changes things, before it only reads"],
        );
        check(&[a], &[tool("a", "Sends it.", true)], &["changed tool a (only reads): Sends it."]);
    }

    #[test]
    fn versions_are_compared_by_their_numbers() {
        assert!(numbers("0.10.0") > numbers("0.9.9"));
        assert!(numbers("1.0.0") > numbers("0.99.99"));
        assert_eq!(numbers("1.2.3"), [1, 2, 3]);
    }
}
