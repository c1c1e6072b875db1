//! How much harm an action can do: by event code, app, name, arguments and count, never by how a verb begins.
//!
//! Rules stand in an order, and the first that fits decides: the operator's own, the tables for one app, the tables
//! for all apps, what the name says, and else [`Level::Modify`]. What the arguments say can only raise the level.

mod arguments;
mod tables;

use std::borrow::Cow;

use super::Level;
use crate::action::{Action, Deed, InAppAct, InAppScript, Invocation};
use crate::change::{Change, Slot};
use crate::dictionary::{Command, names};

/// What an action is, as far as permission is concerned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Classified {
    /// How much harm it can do.
    pub level: Level,
    /// It runs whatever it is given, or types or clicks anything: it is refused unless the policy names it.
    pub is_shell: bool,
    /// Why, in a few words that end the sentence "it …": `deletes`, `runs a shell command`.
    pub reason: Cow<'static, str>,
}

/// A level that the operator set; such rules come before the built-in ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LevelRule {
    /// A bundle id; `None` for every app.
    pub app: Option<String>,
    /// A command's name in any spelling, or its eight-character code; `None` for every command.
    pub command: Option<String>,
    /// A property's name in any spelling; such a rule speaks of writes of it.
    pub property: Option<String>,
    /// The level.
    pub level: Level,
}

/// More objects than this in one change are never a small thing.
pub const MANY: usize = 50;

/// Says how much harm an action can do; `rules` are the operator's, first one first.
pub fn classify(action: &Action, rules: &[LevelRule]) -> Classified {
    match &action.deed {
        Deed::Running { .. }
        | Deed::Look { .. }
        | Deed::Names { .. }
        | Deed::Value { .. }
        | Deed::Properties { .. }
        | Deed::Find(_)
        | Deed::Elements(_) => Classified::new(Level::Safe, "reads"),
        Deed::Command(invocation) => classify_invocation(&action.app, invocation, rules),
        Deed::Script(script) => classify_script(&action.app, script, rules),
        Deed::Preview(_) => Classified::new(Level::Safe, "reads"),
        Deed::Set(changes) => classify_set(&action.app, changes, rules),
    }
}

/// Says how much harm a command can do, before its arguments are known; `app` is a bundle id.
pub fn classify_command(app: &str, command: &Command, rules: &[LevelRule]) -> Classified {
    of_term(app, &command.name, &command.code, rules).0
}

/// Says how much harm writing a property can do; `count` is how many objects are changed.
pub fn classify_write(
    app: &str,
    class: &str,
    property: &str,
    count: usize,
    rules: &[LevelRule],
) -> Classified {
    let own = rules.iter().find(|rule| {
        rule.property.as_deref().is_some_and(|name| names::key(name) == names::key(property))
            && rule.app.as_deref().is_none_or(|id| id == app)
    });
    if let Some(rule) = own {
        return Classified::new(rule.level, "has its level from the policy");
    }
    tables::write(app, class, property)
        .unwrap_or_else(|| Classified::new(Level::Modify, "changes"))
        .raised_by_count(count)
}

/// A script is as bad as the worst that it does in this call.
fn classify_script(app: &str, script: &InAppScript, rules: &[LevelRule]) -> Classified {
    let acts = script.acts.iter().map(|act| classify_act(app, act, rules));
    // What does nothing that is known is as bad as can be.
    acts.reduce(Classified::or_worse).unwrap_or_else(|| Classified::new(Level::Dangerous, "runs a script"))
}

/// An act is as bad as the package says, which the operator has read and granted.
pub(super) fn classify_act(app: &str, act: &InAppAct, rules: &[LevelRule]) -> Classified {
    match rules.iter().find(|rule| rule.is_about(app, &act.term, &act.code)) {
        Some(rule) => Classified::new(rule.level, "has its level from the policy"),
        None => Classified::new(act.level, "runs a script of the plugin's package inside the app"),
    }
}

/// The worst of what is set.
fn classify_set(app: &str, changes: &[Change], rules: &[LevelRule]) -> Classified {
    let slots = changes.iter().flat_map(|change| change.subject.slots.iter().map(move |slot| (change, slot)));
    let of = |(change, slot): (&Change, &Slot)| {
        classify_write(app, change.subject.path.class(), &slot.term, changes.len(), rules)
    };
    let by_value = changes.iter().filter_map(|change| arguments::script_address(&change.values));
    let worst = slots.map(of).chain(by_value).reduce(Classified::or_worse);
    worst.unwrap_or_else(|| Classified::new(Level::Modify, "changes"))
}

fn classify_invocation(app: &str, invocation: &Invocation, rules: &[LevelRule]) -> Classified {
    let (by_name, own) = of_term(app, &invocation.term, &invocation.code, rules);
    if own || by_name.level == Level::Safe {
        return by_name;
    }
    arguments::raise(by_name, app, invocation)
}

/// Also says whether an operator's rule decided.
fn of_term(app: &str, name: &str, code: &str, rules: &[LevelRule]) -> (Classified, bool) {
    let own = rules.iter().find(|rule| rule.is_about(app, name, code));
    if let Some(rule) = own {
        return (Classified::new(rule.level, "has its level from the policy"), true);
    }
    let found = tables::command(app, name, code).or_else(|| tables::words(name));
    (found.unwrap_or_else(|| Classified::new(Level::Modify, "is not known to be harmless")), false)
}

impl LevelRule {
    fn is_about(&self, app: &str, name: &str, code: &str) -> bool {
        let command = |wanted: &str| wanted == code || names::key(wanted) == names::key(name);
        self.property.is_none()
            && self.app.as_deref().is_none_or(|id| id == app)
            && self.command.as_deref().is_none_or(command)
    }
}

impl Classified {
    fn new(level: Level, reason: &'static str) -> Self {
        Self { level, is_shell: false, reason: Cow::Borrowed(reason) }
    }

    fn shell(reason: &'static str) -> Self {
        Self { is_shell: true, ..Self::new(Level::Dangerous, reason) }
    }

    /// Keeps the worse of two.
    fn or_worse(self, other: Self) -> Self {
        if (other.level, other.is_shell) > (self.level, self.is_shell) { other } else { self }
    }

    fn raised_by_count(self, count: usize) -> Self {
        if count <= MANY {
            return self;
        }
        let reason = Cow::Owned(format!("changes {count} objects at once"));
        self.or_worse(Self { level: Level::Dangerous, is_shell: false, reason })
    }
}

#[cfg(test)]
mod tests;
