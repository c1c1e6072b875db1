//! The parts of an action that rules and grants judge: commands and properties of one app, each at a level.

use std::collections::BTreeSet;

use super::classify::{MANY, classify, classify_act, classify_command, classify_write, count, kinds};
use super::writes::{self, MAKE, Write};
use super::{Classified, Level, Policy};
use crate::action::{Action, Column, Deed, InAppAct, Invocation};
use crate::call::Method;
use crate::change::Subject;
use crate::dictionary::{Command, names};
use crate::marshal::Given;
use crate::schema;
use crate::specifier::{Path, Segment};

/// One thing that an action does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Touch<'a> {
    /// The bundle id; empty if the touch is not about a single app.
    pub app: &'a str,
    /// The app's display name.
    pub app_name: &'a str,
    /// The plugin that does it, if it is not the client itself.
    pub plugin: Option<&'a str>,
    /// How much harm it can do.
    pub level: Level,
    /// Whether it runs code or types keys.
    pub is_shell: bool,
    /// The command.
    pub command: Option<CommandName<'a>>,
    /// The property that is read or set.
    pub property: Option<&'a str>,
    /// The class of the changed or new object, `application` for a command without an object; `None` for reads.
    pub class: Option<&'a str>,
    /// Whether no one can tell that the object is still the intended one.
    pub is_fragile: bool,
    /// Whether it is a change of more than [`MANY`] objects at once.
    pub is_many: bool,
}

/// A command as the dictionary has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CommandName<'a> {
    /// The term.
    pub name: &'a str,
    /// Eight characters.
    pub code: &'a str,
}

/// The name of a request for the consent of macOS, in rules and grants. Dictionaries have no command of this name.
const CONSENT_TERM: &str = "ask for consent";
const CONSENT: &str = "iac?cons";

/// The name of running a script of the client in rules. No dictionary has it, so a rule for a command that runs scripts
/// does not mean it.
const RUN_SCRIPT: CommandName<'_> = CommandName { name: "iac_mcp_run_script", code: "iac?runs" };

/// Tells whether a rule names a command that every app has although no dictionary lists it.
pub fn is_everywhere(command: &str) -> bool {
    let ours = [(CONSENT_TERM, CONSENT), (RUN_SCRIPT.name, RUN_SCRIPT.code)];
    let is_ours = |(term, code): (&str, &str)| names::key(term) == names::key(command) || code == command;
    schema::everywhere(command).is_some() || ours.into_iter().chain(Method::terms()).any(is_ours)
}

/// Returns everything an action touches, each once; at least one.
pub(super) fn touches<'a>(
    action: &'a Action,
    app_name: &'a str,
    plugin: Option<&'a str>,
    harm: &Classified,
    policy: &'a Policy,
) -> BTreeSet<Touch<'a>> {
    let safe = Touch {
        app: &action.app,
        app_name,
        plugin,
        level: Level::Safe,
        is_shell: false,
        command: None,
        property: None,
        class: None,
        is_fragile: false,
        is_many: false,
    };
    let is_many = count(&action.deed) > MANY;
    // Each step alone may be about a few objects.
    let least =
        if is_many && matches!(action.deed, Deed::Create(_)) { Level::Dangerous } else { Level::Safe };
    let counted = |touch: Touch<'a>| match touch.level {
        Level::Safe => touch,
        level => Touch { is_many, level: level.max(least), ..touch },
    };
    if let Deed::Script(script) = &action.deed {
        // The gate decides about each act separately: approval for one does not cover another.
        let act = |act: &'a InAppAct| Touch {
            level: classify_act(&action.app, act, script.count, policy.levels()).level,
            command: Some(CommandName { name: &act.term, code: &act.code }),
            ..safe
        };
        return script.acts.iter().map(act).map(counted).collect();
    }
    if let Deed::RunScript { .. } = &action.deed {
        let class = Some(crate::dictionary::APPLICATION);
        return BTreeSet::from([Touch { level: harm.level, command: Some(RUN_SCRIPT), class, ..safe }]);
    }
    if let Deed::Web(call) = &action.deed {
        let (name, code) = call.method.term();
        let class = (harm.level > Level::Safe).then_some(crate::dictionary::APPLICATION);
        let command = Some(CommandName { name, code });
        return BTreeSet::from([Touch { level: harm.level, command, class, ..safe }]);
    }
    let found = Touched::of(&action.deed, policy);
    let making = making(action, policy);
    let harm = making.as_ref().unwrap_or(harm);
    let does = Touch { level: harm.level, is_shell: harm.is_shell, command: found.command, ..safe };
    let reads = found.command.is_some() && harm.level == Level::Safe;
    let does = Touch { is_fragile: found.is_fragile && !reads, ..does };
    let passed = found.passed.into_iter().map(|name| Touch { property: Some(name), ..safe });
    let own = found.own.into_iter().map(|name| Touch { property: Some(name), ..does });
    let own = own.chain(found.set.into_iter().map(|(class, name)| Touch {
        property: Some(name),
        class: Some(class),
        ..does
    }));
    let itself: Vec<Touch<'_>> = match (found.itself, reads || found.command.is_none()) {
        (false, _) => Vec::new(),
        (true, true) => vec![does],
        // Approval for a command covers only the classes that were shown.
        (true, false) => {
            found.classes.into_iter().map(|class| Touch { class: Some(class), ..does }).collect()
        }
    };
    let kept = saved(action, policy).map(|(command, level)| Touch {
        command: Some(command),
        level,
        class: Some(crate::dictionary::APPLICATION),
        ..safe
    });
    let all = passed.chain(own).chain(itself).chain(kept).chain(following(action, safe, policy));
    let all = all.chain(given(action, safe, policy)).chain(amounting(action, safe, policy));
    all.map(counted).collect()
}

/// The commands that do the same as the action, if a rule names one: an operator who forbids `delete` means every way
/// to delete.
fn amounting<'a>(action: &'a Action, safe: Touch<'a>, policy: &Policy) -> Vec<Touch<'a>> {
    let does = |(command, class): (CommandName<'static>, &'a str)| {
        let (name, code) = (command.name.to_owned(), command.code.to_owned());
        let named = Command { name, code, ..Command::default() };
        let level = classify_command(&action.app, &named, policy.levels()).level;
        Touch { level, command: Some(command), class: Some(class), ..safe }
    };
    writes::amounts(action).into_iter().map(does).filter(|touch| policy.names_command_of(touch)).collect()
}

/// The properties that commands set, if a rule names one. Without such a rule only the command is judged, so one
/// approval is enough.
fn given<'a>(action: &'a Action, safe: Touch<'a>, policy: &Policy) -> Vec<Touch<'a>> {
    let writes = action.deed.commands().into_iter().flat_map(writes::of_command);
    let set = writes.map(|Write { class, term, .. }| Touch {
        level: classify_write(&action.app, &action.terms, class, term, 1, policy.levels()).level,
        property: Some(term),
        class: Some(class),
        ..safe
    });
    set.filter(|touch| policy.names_property_of(touch)).collect()
}

/// The harm of making the objects. A rule or an approval for `make` need not cover later commands.
fn making(action: &Action, policy: &Policy) -> Option<Classified> {
    let Deed::Create(creation) = &action.deed else { return None };
    let (app, terms) = (action.app.clone(), action.terms.clone());
    let action = Action { app, terms, deed: Deed::Create(Box::new(creation.alone())) };
    Some(classify(&action, policy.levels()))
}

/// The commands that follow a new object, each with its own level and classes: approval to make does not cover sending,
/// and approval to reply does not cover attaching.
fn following<'a>(action: &'a Action, safe: Touch<'a>, policy: &Policy) -> Vec<Touch<'a>> {
    let Deed::Create(creation) = &action.deed else { return Vec::new() };
    let one = |command: &'a Invocation| {
        let (app, terms) = (action.app.clone(), action.terms.clone());
        let alone = Action { app, terms, deed: Deed::Command(Box::new(command.clone())) };
        let harm = classify(&alone, policy.levels());
        let name = Some(CommandName { name: &command.term, code: &command.code });
        let does = Touch { level: harm.level, is_shell: harm.is_shell, command: name, ..safe };
        let does = Touch { is_fragile: command.is_fragile, ..does };
        classes(command).into_iter().map(move |class| Touch { class: Some(class), ..does })
    };
    let set = action.deed.changes().into_iter().flat_map(|change| {
        let of_kinds = move |Write { term, .. }: Write<'a>| {
            kinds(action, change).into_iter().map(move |class| (class, term))
        };
        // The path of an object that the call makes or opens is not known yet.
        let is_fragile = change.is_fragile() && creation.writes.as_deref() != Some(change);
        let (app, terms) = (action.app.clone(), action.terms.clone());
        let alone = Action { app, terms, deed: Deed::Set(vec![change.clone()]) };
        let harm = classify(&alone, policy.levels());
        writes::of_change(change).into_iter().flat_map(of_kinds).map(move |(class, term)| Touch {
            level: harm.level,
            is_shell: harm.is_shell,
            property: Some(term),
            class: Some(class),
            is_fragile,
            ..safe
        })
    });
    let made = creation.parts().iter().map(|make| &make.command);
    made.chain(creation.then.iter().map(|next| &next.judged)).flat_map(one).chain(set).collect()
}

/// The command that saves the new objects, with its own level: a rule may name it.
fn saved<'a>(action: &'a Action, policy: &Policy) -> Option<(CommandName<'a>, Level)> {
    let save = match &action.deed {
        Deed::Create(creation) => creation.save.as_deref()?,
        Deed::Command(invocation) => invocation.save.as_deref()?,
        Deed::Set(changes) => {
            let save = changes.first()?.save.as_ref()?;
            let command = Command { name: save.term.clone(), code: save.code.clone(), ..Command::default() };
            let level = classify_command(&action.app, &command, policy.levels()).level;
            return Some((CommandName { name: &save.term, code: &save.code }, level));
        }
        _ => return None,
    };
    let (app, terms) = (action.app.clone(), action.terms.clone());
    let alone = Action { app, terms, deed: Deed::Command(Box::new(save.clone())) };
    Some((CommandName { name: &save.term, code: &save.code }, classify(&alone, policy.levels()).level))
}

/// The touches of a deed.
#[derive(Default)]
struct Touched<'a> {
    /// Properties on the way to an object.
    passed: BTreeSet<&'a str>,
    /// Properties that the deed is about.
    own: BTreeSet<&'a str>,
    /// The properties to set, each with the class of an object that gets it.
    set: BTreeSet<(&'a str, &'a str)>,
    /// The classes that a command is about; at least one if there is a command.
    classes: BTreeSet<&'a str>,
    /// The command that is sent.
    command: Option<CommandName<'a>>,
    /// Whether no one can tell that an object is still the intended one.
    is_fragile: bool,
    /// Whether the deed does more than use its properties. Listing, for example, also reveals which objects exist.
    itself: bool,
}

/// The property that holds all others. A read that names none is a read of it.
const ALL: &str = "properties";

impl<'a> Touched<'a> {
    fn of(deed: &'a Deed, policy: &'a Policy) -> Self {
        let mut found = Self { itself: true, ..Self::default() };
        match deed {
            // A script's touches are its acts, or the script itself.
            Deed::System(_) | Deed::Script(_) | Deed::RunScript { .. } | Deed::Web(_) => {}
            Deed::AskConsent { .. } | Deed::AskAccess { .. } => {
                found.command = Some(CommandName { name: CONSENT_TERM, code: CONSENT });
            }
            Deed::Look { path, .. } | Deed::Value { path, .. } => found.path(path),
            Deed::Names { container, name, .. } => {
                found.path(container);
                found.own.insert(name.as_str());
            }
            Deed::Find(find) => {
                find.places.iter().for_each(|(container, _)| found.path(container));
                found.own.insert(find.mark.as_str());
            }
            Deed::Properties { objects, .. } => objects.iter().for_each(|object| {
                found.path(&object.path);
                match &object.columns {
                    Some(columns) => found.columns(columns),
                    None => drop(found.own.insert(ALL)),
                }
            }),
            Deed::Command(invocation) => {
                found.command = Some(CommandName { name: &invocation.term, code: &invocation.code });
                found.is_fragile = invocation.is_fragile;
                invocation.values().flat_map(Given::objects).for_each(|path| found.path(path));
                found.classes = classes(invocation);
            }
            Deed::Create(creation) => {
                // Commands in a row are judged one by one, like commands in `then`.
                found.itself = !creation.makes.is_empty();
                let commands = || creation.makes.iter().map(|make| &make.command);
                found.command =
                    commands().next().map(|make| CommandName { name: &make.term, code: &make.code });
                let paths = commands().flat_map(Invocation::values).flat_map(|value| value.paths());
                paths.for_each(|path| found.path(path));
                let own = if creation.origin().is_some() { 1 } else { creation.makes.len() };
                found.classes = commands().take(own).flat_map(classes).collect();
                let then = creation.then.iter().flat_map(|next| next.judged.values());
                then.flat_map(|value| value.paths()).for_each(|path| found.path(path));
                creation.sets.iter().for_each(|set| found.path(&set.change.subject.path));
            }
            Deed::Preview(wanted) => wanted.subjects.iter().for_each(|subject| found.subject(subject)),
            Deed::Set(changes) => {
                found.itself = false;
                changes.iter().for_each(|change| {
                    found.path(&change.subject.path);
                    found.set.extend(writes::of_change(change).iter().map(|write| (write.class, write.term)));
                    found.is_fragile |= change.is_fragile();
                });
            }
            Deed::Elements(elements) => {
                elements.containers.iter().for_each(|container| found.path(container));
                found.columns(&elements.columns);
            }
        }
        // The property `properties` holds all of them.
        let all = found.own.iter().chain(&found.passed).any(|term| names::key(term) == ALL);
        if all {
            found.own.extend(policy.named_properties());
        }
        found
    }

    fn subject(&mut self, subject: &'a Subject) {
        self.path(&subject.path);
        self.own.extend(subject.slots.iter().map(|slot| slot.term.as_str()));
    }

    fn path(&mut self, path: &'a Path) {
        let properties = path.segments().into_iter().filter_map(|segment| match segment {
            Segment::Property(member) => Some(member.term.as_str()),
            Segment::Element(..) => None,
        });
        self.passed.extend(properties);
    }

    fn columns(&mut self, columns: &'a [Column]) {
        self.own.extend(columns.iter().flat_map(|column| column.term.split('.')));
    }
}

/// The class of an object that is named by a path: it may be a file, a folder or a disk.
const FILE: &str = "item";

/// The class that a command concerns: the class of the new object, otherwise the classes of its targets, otherwise the
/// app itself.
pub(super) fn classes(invocation: &Invocation) -> BTreeSet<&str> {
    let made = invocation.values().filter(|_| invocation.code == MAKE).filter_map(|value| match value {
        Given::Class(class) => Some(class.as_str()),
        _ => None,
    });
    let mut found: BTreeSet<&str> = made.collect();
    if found.is_empty() {
        found = invocation.direct.iter().flat_map(Given::objects).map(Path::class).collect();
        if invocation.direct.iter().any(|given| !given.files().is_empty()) {
            found.insert(FILE);
        }
    }
    if found.is_empty() {
        found.insert(crate::dictionary::APPLICATION);
    }
    found
}

#[cfg(test)]
pub(super) mod tests;
