//! The properties that an action sets, whichever command sets them.

use super::touch::classes;
use crate::action::Invocation;
use crate::change::Change;
use crate::marshal::Given;
use crate::specifier::Segment;

/// One property that is set.
#[derive(Clone, Copy, Debug)]
pub(super) struct Write<'a> {
    /// The class of the object; empty where no one knows.
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

/// The properties that a change of one object sets, with the fields of a record of properties.
pub(super) fn of_change(change: &Change) -> Vec<Write<'_>> {
    let class = change.subject.path.class();
    let slots = change.subject.slots.iter().map(|slot| slot.term.as_str()).zip(&change.values);
    let each = |(term, value)| [vec![Write { class, term, value }], fields(class, value)].concat();
    slots.flat_map(each).collect()
}

/// The properties that a command sets: `set` names one, and a new object, a copy and a moved object are given theirs in
/// a record.
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
