//! Changes `policy.toml` and keeps what people wrote in it.

use iac_core::permission::{Policy, PolicyError, Profile, Rule};
use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, RawString, Table, Value};

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

    /// Puts a rule before all others, and removes the same rule from a later place. Returns false if the rule is there
    /// already and no earlier one decides otherwise.
    ///
    /// # Errors
    /// The policy cannot be read or written, or the rule is not valid.
    pub fn add_rule(&self, rule: &Rule) -> Result<bool, StateError> {
        let mut is_new = true;
        self.edit_policy(|document, policy| {
            let is_same = |other: &Rule| Rule { line: rule.line, ..other.clone() } == *rule;
            let at = policy.rules().iter().position(is_same);
            is_new = !at.is_some_and(|at| {
                let decides = |other: &Rule| (other.decision, other.launch) == (rule.decision, rule.launch);
                policy.rules()[..at].iter().all(decides)
            });
            if is_new {
                at.into_iter().for_each(|at| take_out(document, at));
                put_first(document, rule);
            }
        })?;
        Ok(is_new)
    }

    /// Removes the rule that begins in a line of the file, and keeps every comment. Returns the rule; `None` if no rule
    /// begins there.
    ///
    /// # Errors
    /// The policy cannot be read or written.
    pub fn remove_rule(&self, rule: &Rule) -> Result<bool, StateError> {
        let mut is_removed = false;
        self.edit_policy(|document, policy| {
            if let Some(at) = policy.rules().iter().position(|other| other == rule) {
                is_removed = true;
                take_out(document, at);
            }
        })?;
        Ok(is_removed)
    }

    /// Sets the profile.
    ///
    /// # Errors
    /// The policy cannot be read or written.
    pub fn set_profile(&self, profile: Profile) -> Result<(), StateError> {
        self.edit_policy(|document, _| {
            document["profile"] = toml_edit::value(profile.as_str());
        })
    }

    /// Switches the scripts of clients on or off.
    ///
    /// # Errors
    /// The file cannot be read as a policy, or cannot be written.
    pub fn set_scripts(&self, on: bool) -> Result<(), StateError> {
        self.edit_policy(|document, _| {
            document["scripts"] = toml_edit::value(if on { "ask" } else { "off" });
        })
    }

    fn edit_policy(&self, edit: impl FnOnce(&mut DocumentMut, &Policy)) -> Result<(), StateError> {
        let path = self.policy_path();
        let _lock = file::lock(&self.folder().join("lock"))?;
        let there = regular::text(&path, regular::MOST)?;
        let before = there.clone().unwrap_or_else(|| HEAD.to_owned());
        let wrong = |error: PolicyError| StateError::Policy { path: path.clone(), error };
        let policy = Policy::parse(&before).map_err(wrong)?;
        let damaged = |error: toml_edit::TomlError| StateError::Damaged {
            path: path.clone(),
            error: error.to_string(),
        };
        let mut document: DocumentMut = before.parse().map_err(damaged)?;
        edit(&mut document, &policy);
        let after = document.to_string();
        if there.as_ref() == Some(&after) {
            return Ok(());
        }
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

/// Removes a rule. The comments before it and behind it go to what follows it.
fn take_out(document: &mut DocumentMut, at: usize) {
    if let Some(tables) = document.get_mut("rules").and_then(Item::as_array_of_tables_mut) {
        let text =
            |table: &Table| table.decor().prefix().and_then(RawString::as_str).unwrap_or_default().to_owned();
        let Some(gone) = tables.get(at).map(text) else { return };
        tables.remove(at);
        if let Some(next) = tables.get_mut(at) {
            let joint = joined(&gone, &text(next), "");
            next.decor_mut().set_prefix(joint);
        } else {
            let rest = document.trailing().as_str().unwrap_or_default().to_owned();
            document.set_trailing(joined(&gone, &rest, ""));
        }
    } else if let Some(rules) = document.get_mut("rules").and_then(Item::as_array_mut)
        && at < rules.len()
    {
        let text =
            |value: &Value| value.decor().prefix().and_then(RawString::as_str).unwrap_or_default().to_owned();
        let removed = rules.remove(at);
        let behind = removed.decor().suffix().and_then(RawString::as_str).unwrap_or_default();
        let gone = format!("{}{behind}", text(&removed));
        if let Some(next) = rules.get_mut(at) {
            let joint = joined(&gone, &text(next), "  ");
            next.decor_mut().set_prefix(joint);
        } else {
            let joint = joined(&gone, rules.trailing().as_str().unwrap_or_default(), "");
            rules.set_trailing(joint);
        }
    }
}

/// Joins what stood before a removed rule with what stands before the next one. Without comments only the latter stays.
fn joined(gone: &str, next: &str, indent: &str) -> String {
    let is_behind = next.trim_start_matches([' ', '\t']).starts_with('#');
    match gone.contains('#') || is_behind {
        true => format!("{}\n{indent}{}", gone.trim_end(), next.trim_start()),
        false => next.to_owned(),
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

    #[test]
    fn a_rule_that_decides_already_is_not_written_twice() {
        let folder = tempfile::tempdir().unwrap();
        let state = State::open(folder.path().to_owned()).unwrap();
        assert!(state.add_rule(&rule("a")).unwrap());
        assert!(state.add_rule(&rule("b")).unwrap());
        assert!(!state.add_rule(&rule("a")).unwrap(), "no rule before it decides otherwise");
        let deny = Rule { decision: Ruling::Deny, ..rule("b") };
        assert!(state.add_rule(&deny).unwrap());
        assert!(state.add_rule(&rule("a")).unwrap(), "a rule before it decides otherwise");
        let policy = state.gate(Millis(0), None).unwrap().policy;
        let rules: Vec<_> =
            policy.rules().iter().map(|rule| (rule.property.as_deref().unwrap(), rule.decision)).collect();
        assert_eq!(rules, [("a", Ruling::Allow), ("b", Ruling::Deny), ("b", Ruling::Allow)]);
    }

    #[test]
    fn a_removed_rule_leaves_every_comment() {
        let removed = |before: &str, line: usize| {
            let folder = tempfile::tempdir().unwrap();
            let state = State::open(folder.path().to_owned()).unwrap();
            std::fs::File::create(state.policy_path()).unwrap().write_all(before.as_bytes()).unwrap();
            let policy = state.gate(Millis(0), None).unwrap().policy;
            let rule = policy.rules().iter().find(|rule| rule.line == line).cloned();
            let rule = rule.filter(|rule| state.remove_rule(rule).unwrap());
            (rule.map(|rule| rule.app.unwrap()), state.policy_text().unwrap())
        };
        let one = |app: &str| format!("{{ app = \"{app}\", decision = \"deny\" }}");
        let list = format!(
            "# mine\nrules = [\n  # first\n  {}, # behind\n  # second\n  {},\n  {},\n]\n",
            one("a"),
            one("b"),
            one("c")
        );
        let after = format!(
            "# mine\nrules = [\n  # first\n  # behind\n  # second\n  {},\n  {},\n]\n",
            one("b"),
            one("c")
        );
        assert_eq!(removed(&list, 4), (Some("a".to_owned()), after));
        let after = format!(
            "# mine\nrules = [\n  # first\n  {}, # behind\n  # second\n  {},\n]\n",
            one("a"),
            one("c")
        );
        assert_eq!(removed(&list, 6), (Some("b".to_owned()), after));
        let after = format!(
            "# mine\nrules = [\n  # first\n  {}, # behind\n  # second\n  {},\n]\n",
            one("a"),
            one("b")
        );
        assert_eq!(removed(&list, 7), (Some("c".to_owned()), after));
        assert_eq!(removed(&list, 5), (None, list.clone()), "only a comment stands there");
        let last = format!("rules = [\n  {},\n  {} # why\n]\n", one("a"), one("b"));
        assert_eq!(
            removed(&last, 3),
            (Some("b".to_owned()), format!("rules = [\n  {}\n   # why\n]\n", one("a")))
        );
        assert_eq!(
            removed(&format!("rules = [{}]\n", one("a")), 1),
            (Some("a".to_owned()), "rules = []\n".to_owned())
        );
        let table = |app: &str| format!("[[rules]] # {app}\napp = \"{app}\"\ndecision = \"deny\"\n");
        let tables = format!("# top\n\n# one\n{}\n# two\n{}# end\n", table("a"), table("b"));
        for (at, app, kept) in [(4, "a", "# two\n[[rules]] # b"), (9, "b", "# two\n# end")] {
            let (rule, after) = removed(&tables, at);
            assert_eq!(rule.as_deref(), Some(app), "{after}");
            for comment in ["# top", "# one", kept, "# end"] {
                assert!(after.contains(comment), "{after}");
            }
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
