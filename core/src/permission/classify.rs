//! Rates the harm of an action by event code, app, name, arguments and count, never by the first letters of a verb.
//!
//! The first matching rule decides, in this order: the operator's own rules, the tables for one app, the tables for all
//! apps, the words of the name, and finally [`Level::Modify`]. Arguments can only raise the level.

mod addresses;
mod arguments;
mod tables;

pub(crate) use addresses::{OPEN, holds as holds_address, is_told as is_address};
pub(crate) use tables::READS;

use std::borrow::Cow;
use std::sync::Arc;

use indexmap::IndexSet;

use super::Level;
use super::touch::classes;
use super::writes::MAKE;
use crate::action::{Action, Column, Deed, InAppAct, InAppScript, Invocation, Terms, Wanted};
use crate::app::same_id;
use crate::change::{Change, Slot};
use crate::dictionary::{Command, names};
use crate::marshal::Given;
use crate::specifier::{Path, Segment};

/// The classification of an action for the gate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Classified {
    /// How much harm it can do.
    pub level: Level,
    /// Whether it runs any code that it gets, or types or clicks. It is then refused unless the policy names it.
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
    /// A property's name in any spelling; the rule then applies to writes of it.
    pub property: Option<String>,
    /// The level.
    pub level: Level,
}

/// A change of more objects than this is `DANGEROUS`, whatever its command.
pub const MANY: usize = 50;

/// Says how much harm an action can do; `rules` are the operator's, in the order in which they are tried.
pub fn classify(action: &Action, rules: &[LevelRule]) -> Classified {
    let itself = match &action.deed {
        Deed::Command(invocation) => classify_invocation(action, invocation, rules),
        Deed::Script(script) => classify_script(&action.app, script, rules),
        Deed::Set(_) => classify_set(action, &action.deed.changes(), rules),
        Deed::Create(_) => classify_creation(action, rules),
        Deed::AskConsent { .. } | Deed::AskAccess { .. } => {
            Classified::new(Level::Safe, "lets macOS ask the user for its consent")
        }
        Deed::Web(call) if call.method.level() == Level::Safe => {
            Classified::new(Level::Safe, "reads from a web server")
        }
        // No rule of the operator lowers this level.
        Deed::Web(_) => Classified::new(Level::Dangerous, "sends data to a web server"),
        Deed::RunScript { .. } => Classified::shell("runs a script, which may do anything"),
        _ => Classified::new(Level::Safe, "reads"),
    };
    calls(&action.deed).fold(itself, Classified::or_worse)
}

/// The names that a reading script calls: properties on the way to objects, and the properties to read.
fn calls(deed: &Deed) -> impl Iterator<Item = Classified> {
    let on_the_way = |path: &Path| -> Vec<Classified> {
        let term = |segment: &Segment| match segment {
            Segment::Property(member) => tables::read(&member.term),
            Segment::Element(..) => None,
        };
        path.segments().into_iter().filter_map(term).collect()
    };
    let columns = |columns: &[Column]| -> Vec<Classified> {
        let terms = columns.iter().flat_map(|column| &column.identifiers);
        terms.filter_map(|term| tables::read(term.as_str())).collect()
    };
    let found = match deed {
        Deed::Look { path, .. } | Deed::Value { path, .. } => on_the_way(path),
        Deed::Names { container, .. } => on_the_way(container),
        Deed::Elements(elements) => {
            let ways = elements.containers.iter().flat_map(on_the_way);
            ways.chain(columns(&elements.columns)).collect()
        }
        Deed::Properties { objects, .. } => {
            let of = |object: &Arc<Wanted>| {
                let columns = object.columns.as_deref().map(columns).unwrap_or_default();
                [on_the_way(&object.path), columns].concat()
            };
            objects.iter().flat_map(of).collect()
        }
        Deed::Command(_) | Deed::Create(_) => {
            let values = deed.commands().into_iter().flat_map(Invocation::values);
            let set = deed.changes().into_iter().map(|change| &change.subject.path);
            values.flat_map(|value| value.paths()).chain(set).flat_map(on_the_way).collect()
        }
        Deed::Preview(look) => look.subjects.iter().flat_map(|subject| on_the_way(&subject.path)).collect(),
        Deed::Set(changes) => changes.iter().flat_map(|change| on_the_way(&change.subject.path)).collect(),
        Deed::System(_)
        | Deed::AskConsent { .. }
        | Deed::AskAccess { .. }
        | Deed::Find(_)
        | Deed::Script(_)
        | Deed::RunScript { .. }
        | Deed::Web(_) => Vec::new(),
    };
    found.into_iter()
}

/// Whether a command changes nothing. It may still need approval, because of what it reads.
pub(crate) fn only_reads(action: &Action, rules: &[LevelRule]) -> bool {
    let Deed::Command(invocation) = &action.deed else { return false };
    if classify(action, rules).level == Level::Safe {
        return true;
    }
    // A script sends only the name, and calls what properties on the way to an object name.
    let is_read = |name: &str, code: &str| tables::only_reads(&action.app, name, code);
    let mut namesakes =
        action.terms.0.iter().flat_map(|dictionary| dictionary.commands_named(&invocation.term));
    is_read(&invocation.term, &invocation.code)
        && namesakes.all(|other| is_read(&other.name, &other.code))
        && calls(&action.deed).next().is_none()
}

/// Says how much harm a command can do, before its arguments are known; `app` is a bundle id.
pub fn classify_command(app: &str, command: &Command, rules: &[LevelRule]) -> Classified {
    of_term(app, &command.name, &command.code, rules).0
}

/// Says how much harm writing a property can do; `count` is how many objects are changed.
pub fn classify_write(
    app: &str,
    terms: &Terms,
    class: &str,
    property: &str,
    count: usize,
    rules: &[LevelRule],
) -> Classified {
    let own = rules.iter().find(|rule| {
        rule.property.as_deref().is_some_and(|name| names::key(name) == names::key(property))
            && rule.app.as_deref().is_none_or(|id| same_id(id, app))
    });
    if let Some(rule) = own {
        return Classified::new(rule.level, "has its level from the policy");
    }
    tables::write(app, terms, class, property)
        .unwrap_or_else(|| Classified::new(Level::Modify, "changes properties"))
        .raised_by_count(count)
}

/// A script has the level of its most harmful act in this call.
fn classify_script(app: &str, script: &InAppScript, rules: &[LevelRule]) -> Classified {
    let acts = script.acts.iter().map(|act| classify_act(app, act, script.count, rules));
    // An action without known effects is treated as the worst.
    acts.reduce(Classified::or_worse).unwrap_or_else(|| Classified::new(Level::Dangerous, "runs a script"))
}

/// An act has the level that the package declares, which the operator has read and granted. Many objects raise the
/// level of a change, but not of a read.
pub(super) fn classify_act(app: &str, act: &InAppAct, count: usize, rules: &[LevelRule]) -> Classified {
    if let Some(rule) = rules.iter().find(|rule| rule.is_about(app, &act.term, &act.code)) {
        return Classified::new(rule.level, "has its level from the policy");
    }
    let itself = Classified::new(
        act.level,
        if act.level == Level::Safe {
            "reads with the plugin's own script"
        } else {
            "makes the change with the plugin's own script"
        },
    );
    if act.level == Level::Safe { itself } else { itself.raised_by_count(count) }
}

/// How many objects a deed changes, as far as that is known.
pub(super) fn count(deed: &Deed) -> usize {
    let objects =
        || deed.commands().into_iter().flat_map(|command| &command.direct).map(arguments::objects).sum();
    match deed {
        Deed::Set(changes) => changes.len(),
        Deed::Script(script) => script.count,
        Deed::Create(creation) => creation.makes.len().max(objects()) + creation.sets.len(),
        Deed::Command(_) => objects(),
        _ => 0,
    }
}

/// Whether an action sends something to other people, now or later.
pub(super) fn sends(action: &Action) -> bool {
    let of = |command: &Invocation| {
        let by_name = tables::command(&action.app, &command.term, &command.code);
        let by_name = by_name.or_else(|| tables::words(&command.term));
        let made = classes(command).into_iter().filter(|_| command.code == MAKE);
        let made = made.filter_map(|class| tables::make(&action.app, &action.terms, class));
        by_name.into_iter().chain(made).any(|found| found.reason.starts_with(SENDS))
    };
    action.deed.commands().into_iter().any(of)
}

/// The first word of the reasons in the tables for everything that leaves the Mac.
const SENDS: &str = "sends";

/// The highest level among the properties to set.
fn classify_set(action: &Action, changes: &[&Change], rules: &[LevelRule]) -> Classified {
    let bare = bare_set(action, changes, rules, changes.len());
    let found = bare.into_iter().chain(raised_set(action, changes)).reduce(Classified::or_worse);
    found.unwrap_or_else(|| Classified::new(Level::Modify, "changes properties"))
}

/// The level of setting these properties, whatever their new values are.
fn bare_set(action: &Action, changes: &[&Change], rules: &[LevelRule], count: usize) -> Option<Classified> {
    let of = |change: &Change, property: &str| {
        let level = |class| classify_write(&action.app, &action.terms, class, property, count, rules);
        kinds(action, change).into_iter().map(level).reduce(Classified::or_worse)
    };
    let each = |change: &&Change| {
        let slots = change.subject.slots.iter().zip(&change.values);
        let terms: Vec<String> = slots.flat_map(|(slot, value)| terms(slot, value)).collect();
        terms.iter().filter_map(|term| of(change, term)).reduce(Classified::or_worse)
    };
    changes.iter().filter_map(each).reduce(Classified::or_worse)
}

/// The class of a changed object, and all that inherit from it if only the app tells which object it is.
pub(super) fn kinds<'a>(action: &'a Action, change: &'a Change) -> Vec<&'a str> {
    let class = change.subject.path.class();
    let dictionary = action.terms.0.as_ref().filter(|_| change.subject.path.is_told());
    let all = dictionary.into_iter().flat_map(|dictionary| {
        let names = dictionary.classes.values().map(|each| each.name.as_str());
        names.filter(move |name| dictionary.is_a(name, class))
    });
    std::iter::once(class).chain(all).collect()
}

/// The level of the new values, and of what the objects lose.
fn raised_set(action: &Action, changes: &[&Change]) -> Option<Classified> {
    let by_value = changes.iter().filter_map(|change| arguments::by_value(action, change));
    let losses = changes.iter().filter_map(|change| change.loses.as_ref()).map(|lost| Classified {
        level: Level::Dangerous,
        is_shell: false,
        reason: Cow::Owned(format!("removes {lost} for good")),
    });
    by_value.chain(arguments::place(action, &[], changes)).chain(losses).reduce(Classified::or_worse)
}

/// The highest level among the commands of a call, and the reason of each that has it.
fn classify_creation(action: &Action, rules: &[LevelRule]) -> Classified {
    let commands = action.deed.commands().into_iter();
    let write = |change| classify_set(action, &[change], rules);
    let found = commands.map(|command| classify_invocation(action, command, rules));
    let found: Vec<Classified> = found.chain(action.deed.changes().into_iter().map(write)).collect();
    let rank = |each: &Classified| (each.level, each.is_shell);
    let Some(worst) = found.iter().max_by_key(|each| rank(each)) else {
        return Classified::new(Level::Modify, "makes objects");
    };
    let reasons = found.iter().filter(|each| rank(each) == rank(worst)).map(|each| &*each.reason);
    let reason = Cow::Owned(reasons.collect::<IndexSet<_>>().into_iter().collect::<Vec<_>>().join(" and "));
    let worst = Classified { reason, ..*worst };
    // Many steps about a few objects each are a change of many objects.
    if worst.level == Level::Safe { worst } else { worst.raised_by_count(count(&action.deed)) }
}

/// Whether the values of an action make it more harmful than its commands, classes and properties alone. The scope of
/// an approval holds only these, so a yes to this action would cover every other value that does as much harm: a yes
/// to one program would cover all programs. The number of objects is in the scope.
pub(super) fn is_raised(action: &Action, rules: &[LevelRule]) -> bool {
    let rank = |found: &Classified| (found.level, found.is_shell);
    let by_arguments = |command: &Invocation| {
        let bare = classify_bare(action, command, rules);
        rank(&classify_uncounted(action, command, rules)) > rank(&bare)
    };
    let by_values = |changes: &[&Change]| {
        let bare = bare_set(action, changes, rules, 1);
        raised_set(action, changes).is_some_and(|found| Some(rank(&found)) > bare.as_ref().map(rank))
    };
    match &action.deed {
        Deed::Command(invocation) => by_arguments(invocation),
        Deed::Create(_) => {
            let set = action.deed.changes().into_iter().any(|one| by_values(&[one]));
            set || action.deed.commands().into_iter().any(by_arguments)
        }
        Deed::Set(_) => by_values(&action.deed.changes()),
        _ => false,
    }
}

/// Whether an action opens an address in an app, or passes it to another program.
pub(super) fn opens_address(action: &Action) -> bool {
    !addresses::of(action).is_empty()
}

/// The properties that a slot sets: its own, and the fields of a record of properties.
fn terms(slot: &Slot, value: &Given) -> Vec<String> {
    let mut terms = vec![slot.term.clone()];
    if let Given::Record(fields) = value {
        terms.extend(fields.iter().map(|(term, _)| term.as_str().to_owned()));
    }
    terms
}

fn classify_invocation(action: &Action, invocation: &Invocation, rules: &[LevelRule]) -> Classified {
    let found = classify_uncounted(action, invocation, rules);
    let (by_name, own) = by_name(action, invocation, rules);
    if own || by_name.level == Level::Safe {
        return found;
    }
    found.raised_by_count(arguments::targets(invocation))
}

/// The level of a command with its arguments, whatever the number of its objects.
fn classify_uncounted(action: &Action, invocation: &Invocation, rules: &[LevelRule]) -> Classified {
    let (by_name, own) = by_name(action, invocation, rules);
    if own {
        // The operator knows the arguments that the command takes, but no one can call code harmless beforehand.
        return arguments::code(action, invocation).into_iter().fold(by_name, Classified::or_worse);
    }
    if by_name.level == Level::Safe {
        return by_name;
    }
    let raised = arguments::raise(by_name, action, invocation);
    match arguments::given(action, invocation, rules) {
        Some(given) => raised.or_worse(given),
        None => raised,
    }
}

/// The level of a command and of the classes that it makes, whatever its other arguments are.
fn classify_bare(action: &Action, invocation: &Invocation, rules: &[LevelRule]) -> Classified {
    let (by_name, own) = by_name(action, invocation, rules);
    let made = classes(invocation).into_iter().filter(|_| !own && invocation.code == MAKE);
    let made = made.filter_map(|class| tables::make(&action.app, &action.terms, class));
    made.fold(by_name, Classified::or_worse)
}

/// The level of a command by its name and its code, and whether an operator's rule decided it.
fn by_name(action: &Action, invocation: &Invocation, rules: &[LevelRule]) -> (Classified, bool) {
    let (by_name, own) = of_term(&action.app, &invocation.term, &invocation.code, rules);
    if own {
        return (by_name, own);
    }
    // A script sends only the name. If several commands have it, only the app knows which one will run.
    let namesakes = action.terms.0.iter().flat_map(|dictionary| dictionary.commands_named(&invocation.term));
    let namesakes = namesakes.map(|other| of_term(&action.app, &other.name, &other.code, rules).0);
    let found = namesakes.fold(by_name, Classified::or_worse);
    let said = arguments::saved(invocation).or_else(|| addresses::settings(action, invocation));
    // The arguments say more exactly what an ordinary command does.
    (said.filter(|said| said.level == found.level).unwrap_or(found), false)
}

/// Returns the level of a command, and whether an operator's rule decided it.
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
            && self.app.as_deref().is_none_or(|id| same_id(id, app))
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
    pub(crate) fn or_worse(self, other: Self) -> Self {
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
pub(super) mod tests;
