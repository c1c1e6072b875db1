//! The approvals of a human, with scope and time.

use serde::{Deserialize, Serialize};

use super::{Level, MANY, Touch};
use crate::Millis;
use crate::dictionary::{APPLICATION, names};
use crate::specifier::{one_line, quoted};

/// How long "for an hour" lasts.
const HOUR: Millis = Millis(60 * 60 * 1000);

/// Everything that humans have allowed and that still counts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Grants(Vec<Grant>);

/// One approval by a human that also counts for later calls.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Grant {
    /// Its name on the command line.
    pub id: String,
    /// Its scope.
    #[serde(flatten)]
    pub scope: Scope,
    /// When it was given.
    pub given: Millis,
    /// When it ends; `None` for always.
    pub until: Option<Millis>,
    /// Who was asked and how, for example `elicitation, Inspector 2.12`.
    pub by: String,
}

/// The scope of a grant: one command or one property of one app at one level.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Scope {
    /// The bundle id.
    pub app: String,
    /// The plugin that may do it; `None` for the client itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plugin: Option<String>,
    /// The level.
    pub level: Level,
    /// The command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<CommandScope>,
    /// The property's term.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub property: Option<String>,
    /// The class of the changed or new object; none for reads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    /// Whether it is for more objects at once than [`super::MANY`]. Approval for one object does not cover a hundred.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub many: bool,
}

/// A command that was allowed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CommandScope {
    /// The term, for people.
    pub name: String,
    /// Eight characters.
    pub code: String,
}

impl Scope {
    /// The scope that covers one touch and nothing else.
    pub(super) fn of(touch: &Touch<'_>) -> Self {
        let command = touch
            .command
            .map(|command| CommandScope { name: command.name.to_owned(), code: command.code.to_owned() });
        Self {
            app: touch.app.to_owned(),
            plugin: touch.plugin.map(str::to_owned),
            level: touch.level,
            command,
            property: touch.property.map(str::to_owned),
            class: touch.class.map(str::to_owned),
            many: touch.is_many,
        }
    }

    /// Makes a grant of this scope. A dangerous action never gets "always"; it gets an hour instead.
    pub fn grant(&self, id: String, always: bool, by: String, now: Millis) -> Grant {
        let until = if always && self.level < Level::Dangerous { None } else { Some(now + HOUR) };
        Grant { id, scope: self.clone(), given: now, until, by }
    }

    /// The rule that would allow it, as one line of the list `rules` in `policy.toml`.
    pub fn policy_line(&self) -> String {
        let mut line = format!("{{ app = {}", toml_text(self.rule_app()));
        let mut add = |key: &str, value: &str| line.push_str(&format!(", {key} = {}", toml_text(value)));
        if let Some(command) = &self.command {
            add("command", &command.name);
        }
        if let Some(property) = &self.property {
            add("property", property);
        }
        if let Some(plugin) = &self.plugin {
            add("plugin", plugin);
        }
        add("level", self.level.as_str());
        add("decision", "allow");
        line + " }"
    }

    /// The command line that adds the rule that would allow it.
    pub fn command_line(&self) -> String {
        let mut line = format!("iac-mcp policy allow {}", shell_word(self.rule_app()));
        if let Some(command) = &self.command {
            line.push_str(&format!(" --command {}", shell_word(&command.name)));
        }
        if let Some(property) = &self.property {
            line.push_str(&format!(" --property {}", shell_word(property)));
        }
        if let Some(plugin) = &self.plugin {
            line.push_str(&format!(" --plugin {}", shell_word(plugin)));
        }
        line.push_str(&format!(" --level {}", self.level.as_str()));
        line
    }

    /// The action as an order: `read "content"`.
    pub fn order(&self) -> String {
        match (&self.command, &self.property, self.level) {
            (Some(command), ..) => format!("run {}", quoted(&command.name)),
            (None, Some(property), Level::Safe) => format!("read {}", quoted(property)),
            (None, Some(property), _) => format!("set {}", quoted(property)),
            (None, None, Level::Safe) => "look at objects".to_owned(),
            (None, None, _) => "make a change".to_owned(),
        }
    }

    /// What an approval of this scope allows, as an order: `set "read status" of any message`.
    pub fn covered(&self) -> String {
        let order = self.order();
        let of = if self.command.is_some() { "on" } else { "of" };
        let class = self.class.as_deref().filter(|class| *class != APPLICATION && !class.is_empty());
        let class = class.map(|class| format!(" {of} any {}", one_line(class))).unwrap_or_default();
        let many = if self.many { format!(", more than {MANY} at once") } else { String::new() };
        format!("{order}{class}{many}")
    }

    /// The action at the beginning of a sentence: `to read "content" in com.apple.mail`.
    pub fn in_words(&self) -> String {
        let order = self.order();
        if self.app.is_empty() { format!("to {order}") } else { format!("to {order} in {}", self.app) }
    }

    /// The app of a rule: any app if the action is not about a single one.
    fn rule_app(&self) -> &str {
        if self.app.is_empty() { "*" } else { &self.app }
    }

    fn holds(&self, touch: &Touch<'_>) -> bool {
        let command = match (&self.command, touch.command) {
            (None, None) => true,
            (Some(granted), Some(used)) => granted.code == used.code,
            _ => false,
        };
        let property = match (&self.property, touch.property) {
            (None, None) => true,
            (Some(granted), Some(used)) => names::key(granted) == names::key(used),
            _ => false,
        };
        command
            && property
            && self.class.as_deref() == touch.class
            && self.app.eq_ignore_ascii_case(touch.app)
            && self.level == touch.level
            && self.plugin.as_deref() == touch.plugin
            && self.many == touch.is_many
    }
}

impl Default for Scope {
    fn default() -> Self {
        Self {
            app: String::new(),
            plugin: None,
            level: Level::Safe,
            command: None,
            property: None,
            class: None,
            many: false,
        }
    }
}

/// A TOML string. JSON's escapes are also TOML's, and the characters that JSON leaves unescaped are harmless on one
/// line.
fn toml_text(text: &str) -> String {
    serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}

/// A word for a shell: in single quotes unless nothing in it needs them.
fn shell_word(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '/');
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

impl Grant {
    /// Whether it still counts. It ends if the clock was set back to a time before it was given.
    pub fn counts(&self, now: Millis) -> bool {
        self.given <= now && self.until.is_none_or(|until| now < until)
    }
}

impl Grants {
    /// Reads the list of grants from JSON.
    ///
    /// # Errors
    /// The text is not a list of grants.
    pub fn parse(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// The grants in the order in which they were given.
    pub fn all(&self) -> &[Grant] {
        &self.0
    }

    /// Adds grants. Drops expired grants and those that the new ones replace.
    pub fn add(&mut self, grants: impl IntoIterator<Item = Grant>, now: Millis) {
        for grant in grants {
            self.0.retain(|old| old.counts(now) && old.scope != grant.scope);
            self.0.push(grant);
        }
    }

    /// Revokes grants, and returns how many.
    pub fn revoke(&mut self, is_meant: impl Fn(&Grant) -> bool) -> usize {
        let before = self.0.len();
        self.0.retain(|grant| !is_meant(grant));
        before - self.0.len()
    }

    /// Finds the grant that allows a touch.
    pub(super) fn covering(&self, touch: &Touch<'_>, now: Millis) -> Option<&Grant> {
        self.0.iter().find(|grant| grant.counts(now) && grant.scope.holds(touch))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::permission::{CommandName, Policy, Ruling};
    use proptest::prelude::*;

    const SET: Touch<'_> = Touch {
        app: "com.apple.mail",
        app_name: "Mail",
        plugin: None,
        level: Level::Modify,
        is_shell: false,
        command: None,
        property: Some("read status"),
        class: Some("message"),
        is_fragile: false,
        is_many: false,
    };
    const MINUTE: u64 = 60_000;

    fn granted(always: bool, touch: Touch<'_>) -> Grants {
        let mut grants = Grants::default();
        grants.add([Scope::of(&touch).grant("g1".into(), always, "a test".into(), Millis(0))], Millis(0));
        grants
    }

    #[test]
    fn a_grant_holds_its_own_scope_and_no_other() {
        let grants = granted(true, SET);
        let holds = |touch: Touch<'_>| grants.covering(&touch, Millis(1)).is_some();
        assert!(holds(SET));
        assert!(holds(Touch { property: Some("readStatus"), ..SET }));
        assert!(!holds(Touch { property: Some("subject"), ..SET }));
        assert!(!holds(Touch { property: None, ..SET }));
        assert!(!holds(Touch { app: "com.apple.finder", ..SET }));
        assert!(!holds(Touch { level: Level::Dangerous, ..SET }));
        assert!(!holds(Touch { plugin: Some("omnifocus"), ..SET }));
        assert!(!holds(Touch { class: Some("mailbox"), ..SET }));
        assert!(!holds(Touch { class: None, ..SET }));
        assert!(!holds(Touch { is_many: true, ..SET }));
        assert!(!holds(Touch { command: Some(CommandName { name: "set", code: "coresetd" }), ..SET }));
    }

    #[test]
    fn an_hour_ends_and_always_does_not() {
        assert!(granted(false, SET).covering(&SET, Millis(60 * MINUTE - 1)).is_some());
        assert!(granted(false, SET).covering(&SET, Millis(60 * MINUTE)).is_none());
        assert!(granted(true, SET).covering(&SET, Millis(u64::MAX)).is_some());
        let dangerous = Touch { level: Level::Dangerous, ..SET };
        assert!(granted(true, dangerous).covering(&dangerous, Millis(60 * MINUTE)).is_none());
    }

    #[test]
    fn an_expired_grant_goes_with_the_next_one() {
        let mut grants = granted(false, SET);
        let other = Touch { property: Some("subject"), ..SET };
        let add = |grants: &mut Grants, now: u64| {
            grants.add(
                [Scope::of(&other).grant("g2".into(), false, "a test".into(), Millis(now))],
                Millis(now),
            );
            grants.all().len()
        };
        assert_eq!([add(&mut grants, 1), add(&mut grants, 60 * MINUTE)], [2, 1]);
    }

    #[test]
    fn the_line_that_is_offered_names_the_plugin() {
        let scope = Scope::of(&Touch { plugin: Some("my plugin"), property: Some(""), ..SET });
        assert_eq!(
            scope.policy_line(),
            "{ app = \"com.apple.mail\", property = \"\", plugin = \"my plugin\", level = \"MODIFY\", decision = \"allow\" }"
        );
        assert_eq!(
            scope.command_line(),
            "iac-mcp policy allow com.apple.mail --property '' --plugin 'my plugin' --level MODIFY"
        );
        let plain = Scope::of(&Touch { app: "x-y.z", plugin: Some("a/b_c"), property: None, ..SET });
        assert_eq!(plain.command_line(), "iac-mcp policy allow x-y.z --plugin a/b_c --level MODIFY");
    }

    #[test]
    fn a_scope_is_an_order_in_words() {
        let order = |touch: Touch<'_>| Scope::of(&touch).order();
        let command = Some(CommandName { name: "move", code: "coremove" });
        assert_eq!(order(Touch { command, ..SET }), "run \"move\"");
        assert_eq!(order(SET), "set \"read status\"");
        assert_eq!(order(Touch { level: Level::Safe, ..SET }), "read \"read status\"");
        assert_eq!(order(Touch { property: None, ..SET }), "make a change");
        assert_eq!(order(Touch { property: None, level: Level::Safe, ..SET }), "look at objects");
    }

    #[test]
    fn a_scope_says_what_it_covers() {
        let covered = |touch: Touch<'_>| Scope::of(&touch).covered();
        let command = Some(CommandName { name: "move", code: "coremove" });
        assert_eq!(covered(SET), "set \"read status\" of any message");
        assert_eq!(
            covered(Touch { is_many: true, ..SET }),
            "set \"read status\" of any message, more than 50 at once"
        );
        let moves = Touch { command, property: None, ..SET };
        assert_eq!(covered(moves), "run \"move\" on any message");
        for class in [APPLICATION, ""] {
            assert_eq!(covered(Touch { class: Some(class), ..moves }), "run \"move\"");
        }
        assert_eq!(covered(Touch { level: Level::Safe, class: None, ..SET }), "read \"read status\"");
    }

    #[test]
    fn a_clock_set_back_gives_nothing() {
        let mut grants = Grants::default();
        grants.add([Scope::of(&SET).grant("g1".into(), false, "a test".into(), Millis(100))], Millis(100));
        assert!(grants.covering(&SET, Millis(99)).is_none());
    }

    #[test]
    fn grants_come_back_from_their_file() {
        let grants = granted(true, Touch { plugin: Some("omnifocus"), ..SET });
        let text = serde_json::to_string(&grants).expect("JSON can be written");
        assert_eq!(Grants::parse(&text).expect("grants"), grants);
    }

    #[test]
    fn a_later_grant_replaces_an_earlier_one_and_the_old_go() {
        let mut grants = granted(false, SET);
        grants.add([Scope::of(&SET).grant("g2".into(), true, "a test".into(), Millis(5))], Millis(5));
        assert_eq!(grants.all().len(), 1);
        assert_eq!(grants.revoke(|grant| grant.id == "g1"), 0);
        assert_eq!(grants.revoke(|grant| grant.id == "g2"), 1);
    }

    proptest! {
        #[test]
        fn the_line_that_is_offered_allows_what_was_refused(app in "[a-z]{1,8}\\.\\PC{0,12}", property in "\\PC*[a-z]\\PC*") {
            let touch = Touch { app: &app, property: Some(&property), ..SET };
            let text = format!("rules = [{}]", Scope::of(&touch).policy_line());
            let policy = Policy::parse(&text).unwrap();
            prop_assume!(!app.ends_with('*'));
            prop_assert_eq!(policy.judge(&touch, false).ruling, Ruling::Allow);
        }
    }
}
