//! The properties that an action sets, whichever command sets them.

use super::CommandName;
use super::closed::{Spot, folded, loose, spot};
use super::touch::classes;
use crate::action::{Action, Invocation, Terms};
use crate::app::same_id;
use crate::change::Change;
use crate::dictionary::names;
use crate::marshal::{Given, Place};
use crate::specifier::{By, Path, Segment};

/// One property that is set.
#[derive(Clone, Copy, Debug)]
pub(super) struct Write<'a> {
    /// The class of the object; empty if it is unknown.
    pub(super) class: &'a str,
    /// The property.
    pub(super) term: &'a str,
    /// Its new value.
    pub(super) value: &'a Given,
}

/// The event that makes objects.
pub(super) const MAKE: &str = "corecrel";

/// The event that sets a property.
const SET: &str = "coresetd";

/// The parameter of some apps for the name of a new object, apart from its other properties.
const NAMED: &str = "named";

/// The commands that a write may be equivalent to.
const MOVE: CommandName<'_> = CommandName { name: "move", code: "coremove" };
const DELETE: CommandName<'_> = CommandName { name: "delete", code: "coredelo" };

/// Properties that move the object when they get a new value: an app, a class (including classes that inherit from it),
/// the property.
///
/// # Source
/// The dictionaries of Mail and of OmniFocus.
const MOVES: [(&str, &str, &str); 3] = [
    ("com.apple.mail", "message", "mailbox"),
    ("com.omnigroup.OmniFocus4", "task", "assigned container"),
    ("com.omnigroup.OmniFocus3", "task", "assigned container"),
];

/// The property that moves objects of an app when it is set.
pub(crate) fn moved_by(app: &str) -> Option<&'static str> {
    MOVES.iter().find(|row| same_id(row.0, app)).map(|row| row.2)
}

/// Properties that delete the object: an app, a class (including classes that inherit from it), the property.
///
/// # Source
/// Mail's dictionary: a message with this status is deleted.
const DELETES: [(&str, &str, &str); 1] = [("com.apple.mail", "message", "deleted status")];

/// Properties that hold the container of deleted objects.
///
/// # Source
/// The dictionaries of Finder, System Events and Mail.
const TRASHES: [&str; 2] = ["trash", "trash mailbox"];

/// Containers of deleted objects by their English names: an app, a class, the name without its folders.
///
/// # Source
/// The user guides of Mail and Notes, and the mailboxes of iCloud, Exchange and Gmail accounts.
const DISCARDED: [(&str, &str, &str); 6] = [
    ("com.apple.mail", "mailbox", "trash"),
    ("com.apple.mail", "mailbox", "bin"),
    ("com.apple.mail", "mailbox", "deleted messages"),
    ("com.apple.mail", "mailbox", "deleted items"),
    ("com.apple.mail", "mailbox", "deleted"),
    ("com.apple.Notes", "folder", "recently deleted"),
];

/// The commands that do the same as an action, each with the class of its objects: setting the mailbox of a message
/// moves it, and moving it to the trash deletes it.
pub(super) fn amounts(action: &Action) -> Vec<(CommandName<'static>, &str)> {
    let commands = action.deed.commands();
    let discards = commands.iter().filter(|command| is_discarded(action, command));
    let discarded = discards.flat_map(|command| classes(command)).map(|class| (DELETE, class));
    let writes = action
        .deed
        .changes()
        .into_iter()
        .flat_map(of_change)
        .chain(commands.iter().flat_map(|each| of_command(each)));
    writes.flat_map(|write| write.amounts(action)).chain(discarded).collect()
}

/// Whether a command moves its objects to a container of deleted objects.
pub(super) fn is_discarded(action: &Action, command: &Invocation) -> bool {
    let leads = |given: &Given| leads_to_trash(action, given);
    command.code == MOVE.code && command.parameters.iter().any(|argument| leads(&argument.value))
}

impl<'a> Write<'a> {
    /// Whether it deletes the object.
    pub(super) fn deletes(&self, action: &Action) -> bool {
        let is_taken_back = *self.value == Given::Bool(false);
        (self.is_of(action, &DELETES) && !is_taken_back)
            || (self.is_of(action, &MOVES) && leads_to_trash(action, self.value))
    }

    fn amounts(&self, action: &Action) -> impl Iterator<Item = (CommandName<'static>, &'a str)> + use<'a> {
        let moves = self.is_of(action, &MOVES).then_some(MOVE);
        let deletes = self.deletes(action).then_some(DELETE);
        let class = self.class;
        moves.into_iter().chain(deletes).map(move |command| (command, class))
    }

    /// Whether a table has the property; an unknown class may be any.
    fn is_of(&self, action: &Action, rows: &[(&str, &str, &str)]) -> bool {
        rows.iter().any(|(app, class, term)| {
            same_id(app, &action.app)
                && (self.class.is_empty() || action.terms.is_a(self.class, class))
                && names::key(term) == names::key(self.term)
        })
    }
}

/// Whether a name is that of a container of deleted objects.
pub(crate) fn is_trash_name(app: &str, terms: &Terms, class: &str, name: &str) -> bool {
    let name = folded(name.rsplit('/').next().unwrap_or(name).trim());
    let mut rows = DISCARDED.iter().filter(|(of, _, known)| same_id(of, app) && name == *known);
    rows.any(|(_, of, _)| terms.is_a(class, of))
}

/// Whether only the name of an object tells if it holds deleted objects, and the path does not say the name.
pub(crate) fn may_be_trash(app: &str, terms: &Terms, path: &Path) -> bool {
    let is_unnamed = match path.last() {
        Some((_, Segment::Property(member))) => !TRASHES.contains(&member.term.as_str()),
        Some((_, Segment::Element(_, by))) => !matches!(by, By::Name(_)),
        None => false,
    };
    is_unnamed && DISCARDED.iter().any(|(of, class, _)| same_id(of, app) && terms.is_a(path.class(), class))
}

/// Whether a value leads to a container of deleted objects.
fn leads_to_trash(action: &Action, given: &Given) -> bool {
    match given {
        Given::Object(path) | Given::Place(Place::Beginning(path, _) | Place::End(path, _)) => {
            is_trash(action, path)
        }
        Given::File(path) | Given::Text(path) => is_in_trash(path),
        Given::List(items) => items.iter().any(|item| leads_to_trash(action, item)),
        _ => false,
    }
}

/// Whether a path is in the Trash of a user or of a disk, in any spelling that the disk takes for that folder.
fn is_in_trash(path: &str) -> bool {
    loose(path).iter().any(|part| part == ".trash" || part == ".trashes")
}

fn is_trash(action: &Action, path: &Path) -> bool {
    let is_known = |name: &str| is_trash_name(&action.app, &action.terms, path.class(), name);
    let is_on_disk = || match spot(&action.app, &action.terms, path).spot {
        Spot::Named(names) | Spot::Below(names) => names.iter().any(|name| is_in_trash(name)),
        Spot::Elsewhere | Spot::Anywhere => false,
    };
    let is_named_so =
        |segment: &Segment| matches!(segment, Segment::Element(_, By::Name(name)) if is_in_trash(name));
    let is_known_on_the_way = |segment: &Segment| match segment {
        Segment::Property(member) => TRASHES.contains(&member.term.as_str()),
        Segment::Element(member, By::Name(name)) => {
            is_trash_name(&action.app, &action.terms, &member.class, name)
        }
        Segment::Element(..) => false,
    };
    match path.last() {
        // The container of something in the trash is the trash.
        Some((_, Segment::Property(_))) => {
            path.segments().into_iter().any(is_known_on_the_way) || is_on_disk()
        }
        _ => {
            path.class().starts_with("trash")
                || path.segments().into_iter().any(is_named_so)
                || path.name().is_some_and(is_known)
                || is_on_disk()
        }
    }
}

/// The properties that a change of one object sets, with the fields of a record of properties.
pub(super) fn of_change(change: &Change) -> Vec<Write<'_>> {
    let class = change.subject.path.class();
    let slots = change.subject.slots.iter().map(|slot| slot.term.as_str()).zip(&change.values);
    let each = |(term, value)| [vec![Write { class, term, value }], fields(class, value)].concat();
    slots.flat_map(each).collect()
}

/// The properties that a command sets: `set` names one, and a new, copied or moved object gets its properties in a
/// record.
pub(super) fn of_command(command: &Invocation) -> Vec<Write<'_>> {
    if let Some((class, term)) = assigned(command) {
        let values = command.parameters.iter().map(|argument| &argument.value);
        let each = |value| [vec![Write { class, term, value }], fields(class, value)].concat();
        return values.flat_map(each).collect();
    }
    let given = |class| {
        let named = command.parameter(NAMED).filter(|_| command.code == MAKE);
        let named = named.map(|value| Write { class, term: "name", value });
        command.values().flat_map(move |value| fields(class, value)).chain(named)
    };
    classes(command).into_iter().flat_map(given).collect()
}

/// The property that a command sets, with the class of its owner.
fn assigned(command: &Invocation) -> Option<(&str, &str)> {
    let Given::Object(path) = command.direct.as_ref().filter(|_| command.code == SET)? else { return None };
    match path.last()? {
        (owner, Segment::Property(member)) => Some((owner.class(), &member.term)),
        _ => None,
    }
}

/// The fields of the records in a value.
fn fields<'a>(class: &'a str, value: &'a Given) -> Vec<Write<'a>> {
    let mut found = Vec::new();
    value.visit(&mut |each| {
        if let Given::Record(fields) = each {
            found.extend(fields.iter().map(|(term, value)| Write { class, term: term.as_str(), value }));
        }
    });
    found
}
