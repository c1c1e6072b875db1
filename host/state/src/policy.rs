//! Changes `policy.toml` and keeps what people wrote in it.

use iac_core::permission::{Policy, PolicyError, Profile, Rule};
use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, Table, Value};

use crate::{State, StateError, file, regular};

/// The start of a new policy file.
const HEAD: &str = "# The first matching rule decides; see docs/permissions.md.\nprofile = \"standard\"\n";

impl State {
    /// Returns the text of the policy; empty if there is none.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn policy_text(&self) -> Result<String, StateError> {
        Ok(regular::text(&self.policy_path(), regular::MOST)?.unwrap_or_default())
    }

    pub fn policy_path(&self) -> std::path::PathBuf {
        self.folder().join("policy.toml")
    }

    /// Puts a rule before all others.
    ///
    /// # Errors
    /// The policy cannot be read or written, or the rule is not valid.
    pub fn add_rule(&self, rule: &Rule) -> Result<(), StateError> {
        self.edit_policy(|document| put_first(document, rule))
    }

    /// Sets the profile.
    ///
    /// # Errors
    /// The policy cannot be read or written.
    pub fn set_profile(&self, profile: Profile) -> Result<(), StateError> {
        self.edit_policy(|document| {
            document["profile"] = toml_edit::value(profile.as_str());
        })
    }

    /// Switches the scripts of clients on or off.
    ///
    /// # Errors
    /// The file cannot be read as a policy, or cannot be written.
    pub fn set_scripts(&self, on: bool) -> Result<(), StateError> {
        self.edit_policy(|document| {
            document["scripts"] = toml_edit::value(if on { "ask" } else { "off" });
        })
    }

    fn edit_policy(&self, edit: impl FnOnce(&mut DocumentMut)) -> Result<(), StateError> {
        let path = self.policy_path();
        let _lock = file::lock(&self.folder().join("lock"))?;
        let before = regular::text(&path, regular::MOST)?.unwrap_or_else(|| HEAD.to_owned());
        let wrong = |error: PolicyError| StateError::Policy { path: path.clone(), error };
        Policy::parse(&before).map_err(wrong)?;
        let damaged = |error: toml_edit::TomlError| StateError::Damaged {
            path: path.clone(),
            error: error.to_string(),
        };
        let mut document: DocumentMut = before.parse().map_err(damaged)?;
        edit(&mut document);
        let after = document.to_string();
        Policy::parse(&after).map_err(|error| StateError::Policy { path: path.clone(), error })?;
        file::replace(&path, after.as_bytes(), regular::MOST)
    }
}

/// Inserts a rule first, in the form that the file already uses: one table for each rule, or one list with a line for
/// each.
fn put_first(document: &mut DocumentMut, rule: &Rule) {
    if let Some(Item::ArrayOfTables(tables)) = document.get_mut("rules") {
        let mut all = ArrayOfTables::new();
        let mut first = Table::new();
        fields(rule).into_iter().for_each(|(key, value)| first[key] = Item::Value(value));
        all.push(first);
        tables.iter().for_each(|table| all.push(table.clone()));
        document["rules"] = Item::ArrayOfTables(all);
        return;
    }
    let mut line = InlineTable::new();
    line.extend(fields(rule));
    let mut value = Value::InlineTable(line);
    value.decor_mut().set_prefix("\n  ");
    let rules = document.entry("rules").or_insert_with(|| toml_edit::value(Array::new()));
    if let Some(rules) = rules.as_array_mut() {
        rules.insert_formatted(0, value);
        rules.set_trailing_comma(true);
        if !rules.trailing().as_str().is_some_and(|rest| rest.contains('\n')) {
            rules.set_trailing("\n");
        }
    }
}

fn fields(rule: &Rule) -> Vec<(&'static str, Value)> {
    let texts = [
        ("app", rule.app.clone()),
        ("command", rule.command.clone()),
        ("property", rule.property.clone()),
        ("plugin", rule.plugin.clone()),
        ("level", rule.level.map(|level| level.as_str().to_owned())),
        ("decision", Some(rule.decision.as_str().to_owned())),
        ("reason", rule.reason.clone()),
    ];
    let mut fields: Vec<(&str, Value)> =
        texts.into_iter().filter_map(|(key, text)| Some((key, Value::from(text?)))).collect();
    if rule.launch {
        fields.push(("launch", Value::from(true)));
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;
    use iac_core::Millis;
    use iac_core::permission::{Level, Ruling};
    use std::io::Write as _;

    fn rule(property: &str) -> Rule {
        Rule {
            app: Some("com.apple.mail".into()),
            command: None,
            property: Some(property.into()),
            level: Some(Level::Modify),
            plugin: None,
            decision: Ruling::Allow,
            reason: None,
            launch: false,
            line: 0,
        }
    }

    fn check(before: &str, after: &str) {
        let folder = tempfile::tempdir().unwrap();
        let state = State::open(folder.path().to_owned()).unwrap();
        if !before.is_empty() {
            std::fs::File::create(state.policy_path()).unwrap().write_all(before.as_bytes()).unwrap();
        }
        state.add_rule(&rule("read status")).unwrap();
        assert_eq!(state.policy_text().unwrap(), after);
        let policy = state.gate(Millis(0), None).unwrap().policy;
        assert_eq!(policy.rules()[0].property.as_deref(), Some("read status"));
    }

    #[test]
    fn a_rule_is_put_first_in_the_form_that_is_there() {
        const LINE: &str = "{ app = \"com.apple.mail\", property = \"read status\", level = \"MODIFY\", decision = \"allow\" }";
        check("", &format!("{HEAD}rules = [\n  {LINE},\n]\n"));
        check(
            "profile = \"standard\" # mine\nrules = [\n  { decision = \"ask\" }, # the rest\n]\n",
            &format!(
                "profile = \"standard\" # mine\nrules = [\n  {LINE},\n  {{ decision = \"ask\" }}, # the rest\n]\n"
            ),
        );
        check(
            "# top\n[[rules]]\ndecision = \"ask\" # the rest\n",
            "[[rules]]\napp = \"com.apple.mail\"\nproperty = \"read status\"\nlevel = \"MODIFY\"\ndecision = \"allow\"\n# top\n[[rules]]\ndecision = \"ask\" # the rest\n",
        );
    }

    #[test]
    fn a_policy_with_a_mistake_is_not_touched() {
        let folder = tempfile::tempdir().unwrap();
        let state = State::open(folder.path().to_owned()).unwrap();
        std::fs::File::create(state.policy_path()).unwrap().write_all(b"profile = \"x\"").unwrap();
        assert!(state.add_rule(&rule("x")).is_err());
        assert_eq!(state.policy_text().unwrap(), "profile = \"x\"");
    }

    #[test]
    fn the_profile_is_set() {
        let folder = tempfile::tempdir().unwrap();
        let state = State::open(folder.path().to_owned()).unwrap();
        state.set_profile(Profile::Trusted).unwrap();
        state.set_profile(Profile::ReadOnly).unwrap();
        assert_eq!(state.policy_text().unwrap(), HEAD.replace("standard", "read-only"));
    }
}
