//! Terms that JXA has no identifier for, that share one, or that are defined twice.

use super::{Found, Rule};
use crate::dictionary::{APPLICATION, Class, Command, Dictionary, Identifier};
use indexmap::{IndexMap, IndexSet};

/// Names that every specifier of JXA has for itself.
const TAKEN: [&str; 7] = ["at", "byId", "byName", "length", "push", "where", "whose"];

pub(super) fn check(dictionary: &Dictionary, found: &mut Found) {
    let mut constructors = Scope::new("classes");
    for class in dictionary.classes.values().filter(|class| !class.built_in) {
        let place = format!("class \"{}\"", class.name);
        constructors.put(Identifier::of_class(&class.name), &class.name, &place, found);
        twice(class.properties.iter().map(|property| &property.name), "property", &place, found);
        twice(class.elements.iter().map(|element| &element.class), "element", &place, found);
        members(dictionary, class, &place, found);
    }
    commands(dictionary, found);
    for enumeration in dictionary.enumerations.values() {
        let place = format!("enumeration \"{}\"", enumeration.name);
        twice(enumeration.enumerators.iter().map(|each| &each.name), "enumerator", &place, found);
    }
}

/// A member of a class must not have the name of another member.
fn members(dictionary: &Dictionary, class: &Class, place: &str, found: &mut Found) {
    let owner = format!("members of {place}");
    let mut scope = Scope::new(&owner);
    for property in class.properties.iter().filter(|property| !property.built_in) {
        let place = format!("property \"{}\" of {place}", property.name);
        scope.put(Identifier::of(&property.name), &property.name, &place, found);
    }
    for element in class.elements.iter().filter(|element| !element.built_in) {
        let Some(of) = dictionary.classes.get(&element.class) else { continue };
        let place = format!("element \"{}\" of {place}", element.class);
        scope.put(Identifier::of(&of.plural), &of.plural, &place, found);
    }
}

fn commands(dictionary: &Dictionary, found: &mut Found) {
    let mut defined: IndexSet<(&str, &str)> = IndexSet::new();
    let mut scope = Scope::new("commands and what the application has");
    for property in dictionary.properties(APPLICATION) {
        scope.hold(Identifier::of(&property.name), &property.name);
    }
    for command in dictionary.commands.iter().filter(|command| !command.built_in) {
        let place = format!("command \"{}\"", command.name);
        scope.put(Identifier::of(&command.name), &command.name, &place, found);
        if !defined.insert((&command.name, &command.code)) {
            let message =
                format!("it is defined twice with the code `{}`; both definitions are kept", command.code);
            found.add(Rule::RedefinedTerm, &place, message);
        }
        parameters(command, &place, found);
    }
}

fn parameters(command: &Command, place: &str, found: &mut Found) {
    twice(command.parameters.iter().map(|parameter| &parameter.name), "parameter", place, found);
    let owner = format!("parameters of {place}");
    let mut scope = Scope { taken: false, ..Scope::new(&owner) };
    for parameter in &command.parameters {
        let place = format!("parameter \"{}\" of {place}", parameter.name);
        scope.put(Identifier::of(&parameter.name), &parameter.name, &place, found);
    }
}

fn twice<'a>(names: impl Iterator<Item = &'a String>, what: &str, owner: &str, found: &mut Found) {
    let mut seen = IndexSet::new();
    for name in names.filter(|name| !seen.insert(*name)) {
        found.add(Rule::RedefinedTerm, format!("{what} \"{name}\" of {owner}"), "it is defined twice");
    }
}

/// The namespace in which every identifier means one term.
struct Scope<'a> {
    name: &'a str,
    /// Whether JXA's own names belong to it.
    taken: bool,
    terms: IndexMap<Identifier, String>,
}

impl<'a> Scope<'a> {
    fn new(name: &'a str) -> Self {
        Self { name, taken: true, terms: IndexMap::new() }
    }

    fn hold(&mut self, identifier: Option<Identifier>, term: &str) {
        if let Some(identifier) = identifier {
            self.terms.insert(identifier, term.to_owned());
        }
    }

    fn put(&mut self, identifier: Option<Identifier>, term: &str, place: &str, found: &mut Found) {
        let Some(identifier) = identifier else {
            let message = format!("`{term}` has no identifier in JXA, so scripts cannot use it");
            return found.add(Rule::NoIdentifier, place, message);
        };
        if self.taken && TAKEN.contains(&identifier.as_str()) {
            let message = format!("JXA uses `{identifier}` itself, and its own meaning wins");
            found.add(Rule::IdentifierCollision, place, message);
        }
        match self.terms.get(&identifier) {
            Some(other) if other != term => {
                let message =
                    format!("`{term}` and `{other}` are both `{identifier}` among the {}", self.name);
                found.add(Rule::IdentifierCollision, place, message);
            }
            Some(_) => {}
            None => {
                self.terms.insert(identifier, term.to_owned());
            }
        }
    }
}
