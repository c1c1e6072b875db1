//! Suggests commands of this program to the operator, with the options that reach the same Mac and state as this
//! server.

use std::path::Path;

use iac_core::step::Outcome;
use serde_json::{Map, Value as Json};

use iac_state::shell_word;

/// The options with which the operator reaches this server's state.
#[derive(Clone, Debug, Default)]
pub struct Operator {
    /// The options between the program's name and a command, each followed by a space.
    options: String,
    /// The same for commands about plugins. All Macs share the installed plugins, so such a command takes no Mac unless
    /// a state directory was named.
    of_plugins: String,
    /// Whether approvals in that state are lost when the server ends.
    forgets: bool,
}

/// The beginning of a command in a text.
const COMMAND: &str = "`iac-mcp ";

/// The suggestion if the state would not keep a rule.
const FORGETS: &str = "only the user can allow this, and this simulated Mac forgets approvals: the user can create a saved one with `iac-mcp sim new DIR` and use it with --world DIR, or keep approvals with --state DIR";

impl Operator {
    /// Keeps the options that were given, with their names. Only with `--state` do they reach plugins too.
    pub fn new(options: &[(&str, Option<&Path>)], forgets: bool) -> Self {
        let given = options.iter().filter_map(|(name, value)| Some((*name, (*value)?)));
        let has_state = given.clone().any(|(name, _)| name == "--state");
        let options = given.map(|(name, value)| match value.to_string_lossy() {
            flag if flag.is_empty() => format!("{name} "),
            value => format!("{name} {} ", shell_word(&value)),
        });
        let options: String = options.collect();
        let of_plugins = if has_state { options.clone() } else { String::new() };
        Self { options, of_plugins, forgets }
    }

    /// Adds the options to the commands that an error or an incomplete answer suggests.
    pub(super) fn complete(&self, mut outcome: Outcome) -> Outcome {
        let is_advice = outcome.is_error || outcome.body["complete"] == false;
        if is_advice && let Some(body) = outcome.body.as_object_mut() {
            self.complete_error(body);
        }
        outcome
    }

    fn complete_error(&self, error: &mut Map<String, Json>) {
        let is_refusal = error.contains_key("policyLine");
        let Some(Json::String(suggestion)) = error.get_mut("suggestion") else { return };
        if self.forgets && is_refusal {
            FORGETS.clone_into(suggestion);
        } else {
            *suggestion = self.with_options(suggestion);
        }
    }

    /// Adds the options to each command of a text. A command that has options already stays as it is: a plugin may pass
    /// on an error of the server.
    pub(super) fn with_options(&self, text: &str) -> String {
        let mut parts = text.split(COMMAND);
        let mut completed = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let options = match part {
                _ if part.starts_with("--") => "",
                _ if part.starts_with("plugin ") => &self.of_plugins,
                _ => &self.options,
            };
            completed.extend([COMMAND, options, part]);
        }
        completed
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn advice_reaches_the_same_files() {
        let check = |operator: &Operator, line: Option<&str>, expected: &str| {
            let advice = "they can allow it with `iac-mcp policy allow com.apple.mail` or in policy.toml";
            let mut body = json!({ "error": "permission_required", "suggestion": advice });
            if let Some(line) = line {
                body["policyLine"] = line.into();
            }
            let outcome = Outcome { body, is_error: true, ..Outcome::default() };
            let suggestion = operator.complete(outcome).body["suggestion"].as_str().unwrap().to_owned();
            assert!(suggestion.contains(expected), "{suggestion}");
        };
        let (world, state) = (Path::new("/a/my world"), Path::new("/it's"));
        let none = Operator::new(&[("--world", None), ("--state", None)], false);
        check(&none, Some("{}"), "`iac-mcp policy allow com.apple.mail`");
        let kept = Operator::new(&[("--world", Some(world)), ("--state", None)], false);
        check(&kept, Some("{}"), "`iac-mcp --world '/a/my world' policy allow com.apple.mail`");
        let both = Operator::new(&[("--simulated", Some(Path::new(""))), ("--state", Some(state))], false);
        check(&both, Some("{}"), "`iac-mcp --simulated --state '/it'\\''s' policy allow");
        let fresh = Operator::new(&[("--simulated", Some(Path::new("")))], true);
        check(&fresh, Some("{}"), "`iac-mcp sim new DIR`");
        check(&fresh, None, "`iac-mcp --simulated policy allow");
    }

    #[test]
    fn a_command_about_plugins_takes_a_mac_only_with_a_state() {
        let check = |options: &[(&str, Option<&Path>)], expected: &str| {
            let operator = Operator::new(options, false);
            let grant = "`iac-mcp plugin grant x store`";
            assert_eq!(operator.with_options(grant), format!("`iac-mcp {expected}plugin grant x store`"));
            let twice = operator.with_options(&operator.with_options("`iac-mcp undo` or `iac-mcp policy`"));
            assert_eq!(twice.matches("--").count(), 2 * options.len(), "{twice}");
        };
        let (world, state) = (Some(Path::new("/w")), Some(Path::new("/s")));
        check(&[("--world", world)], "");
        check(&[("--simulated", Some(Path::new("")))], "");
        check(&[("--state", state)], "--state /s ");
        check(&[("--world", world), ("--state", state)], "--world /w --state /s ");
    }

    #[test]
    fn what_is_no_error_stays_as_it_is() {
        let operator = Operator::new(&[("--world", Some(Path::new("/w")))], false);
        let body = json!({ "suggestion": "`iac-mcp policy`" });
        let outcome = operator.complete(Outcome { body: body.clone(), ..Outcome::default() });
        assert_eq!(outcome.body, body);
    }
}
