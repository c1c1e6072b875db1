//! Finds classes that no element, property or command leads to from the application.

use super::{Found, Rule};
use crate::dictionary::{APPLICATION, Class, Dictionary, TypeExpr};
use indexmap::{IndexMap, IndexSet};

pub(super) fn check(dictionary: &Dictionary, found: &mut Found) {
    let reached = reached(dictionary);
    let classes = dictionary.classes.values().filter(|class| !class.built_in);
    for class in classes.filter(|class| !reached.contains(class.name.as_str())) {
        found.add(
            Rule::UnreachableClass,
            format!("class \"{}\"", class.name),
            "no path leads to an object of this class",
        );
    }
}

fn reached(dictionary: &Dictionary) -> IndexSet<&str> {
    let mut heirs: IndexMap<&str, Vec<&str>> = IndexMap::new();
    for class in dictionary.classes.values() {
        if let Some(parent) = &class.inherits {
            heirs.entry(parent).or_default().push(&class.name);
        }
    }
    let mut reached: IndexSet<&str> = [APPLICATION].into();
    reached.extend(from_commands(dictionary));
    let mut next = 0;
    while let Some(name) = reached.get_index(next).copied() {
        next += 1;
        let Some(class) = dictionary.class(name) else { continue };
        reached.insert(&class.name);
        reached.extend(from_class(class));
        reached.extend(heirs.get(name).into_iter().flatten());
    }
    reached
}

fn from_class(class: &Class) -> impl Iterator<Item = &str> {
    let elements = class.elements.iter().map(|element| element.class.as_str());
    let properties = class.properties.iter().flat_map(|property| named(&property.kind));
    elements.chain(properties).chain(class.inherits.as_deref())
}

/// Objects also come from commands. A class that occurs only as an argument counts too, because a script can make one.
fn from_commands(dictionary: &Dictionary) -> impl Iterator<Item = &str> {
    dictionary.commands.iter().chain(&dictionary.events).flat_map(|command| {
        let parameters = command.parameters.iter().chain(&command.direct).flat_map(|each| named(&each.kind));
        parameters.chain(command.result.iter().flat_map(|result| named(&result.kind)))
    })
}

fn named(kind: &TypeExpr) -> impl Iterator<Item = &str> {
    kind.0.iter().map(|one| one.name.as_str())
}
