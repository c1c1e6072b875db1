//! Types that are missing or that nothing defines, and classes that inherit from nothing or from themselves.

use super::{Found, Rule};
use crate::dictionary::{Class, Command, Dictionary, Parameter, Property, TypeExpr, standard};
use indexmap::IndexSet;

pub(super) fn check(dictionary: &Dictionary, found: &mut Found) {
    let known = Known::of(dictionary);
    for class in dictionary.classes.values().filter(|class| !class.built_in) {
        let place = format!("class \"{}\"", class.name);
        lineage(dictionary, class, &place, found);
        known.check(&class.coercions, &place, found);
        for property in class.properties.iter().filter(|property| !property.built_in) {
            known.property(property, &place, found);
        }
        for element in class.elements.iter().filter(|element| dictionary.class(&element.class).is_none()) {
            let message = format!("there is no class `{}`", element.class);
            found.add(Rule::UndefinedClass, format!("element \"{}\" of {place}", element.class), message);
        }
    }
    for record in dictionary.records.values().filter(|record| !record.built_in) {
        let place = format!("record-type \"{}\"", record.name);
        record.properties.iter().for_each(|property| known.property(property, &place, found));
    }
    let commands = dictionary.commands.iter().filter(|command| !command.built_in);
    commands.for_each(|command| known.command(command, "command", found));
    dictionary.events.iter().for_each(|event| known.command(event, "event", found));
}

/// The names that a type may have.
struct Known<'a> {
    names: IndexSet<&'a str>,
    codes: IndexSet<&'a str>,
}

impl<'a> Known<'a> {
    fn of(dictionary: &'a Dictionary) -> Self {
        let classes = dictionary.classes.values().map(|class| (&class.name, &class.code, &class.synonyms));
        let choices = dictionary.enumerations.values().map(|each| (&each.name, &each.code, &each.synonyms));
        let records =
            dictionary.records.values().map(|record| (&record.name, &record.code, &record.synonyms));
        let values = dictionary.values.values().map(|value| (&value.name, &value.code, &value.synonyms));
        let mut known = Self { names: standard::TYPES.into(), codes: IndexSet::new() };
        for (name, code, synonyms) in classes.chain(choices).chain(records).chain(values) {
            known.names.insert(name);
            known.names.extend(synonyms.iter().map(String::as_str));
            known.codes.insert(code);
        }
        known
    }

    fn check(&self, kind: &TypeExpr, place: &str, found: &mut Found) {
        for one in kind.0.iter().filter(|one| !self.names.contains(one.name.as_str())) {
            let hint =
                if self.codes.contains(one.name.as_str()) { "; this is a code and not a name" } else { "" };
            found.add(Rule::UndefinedType, place, format!("nothing defines the type `{}`{hint}", one.name));
        }
    }

    fn property(&self, property: &Property, owner: &str, found: &mut Found) {
        let place = format!("property \"{}\" of {owner}", property.name);
        self.given(&property.kind, &place, found);
    }

    fn command(&self, command: &Command, what: &str, found: &mut Found) {
        let place = format!("{what} \"{}\"", command.name);
        if let Some(direct) = &command.direct {
            self.given(&direct.kind, &format!("direct parameter of {place}"), found);
        }
        for Parameter { name, kind, .. } in &command.parameters {
            self.given(kind, &format!("parameter \"{name}\" of {place}"), found);
        }
        if let Some(result) = &command.result {
            self.given(&result.kind, &format!("result of {place}"), found);
        }
    }

    fn given(&self, kind: &TypeExpr, place: &str, found: &mut Found) {
        if kind.0.is_empty() {
            found.add(Rule::MissingType, place, "no type is given, so any value is accepted");
        }
        self.check(kind, place, found);
    }
}

/// A cycle is reported for its members only, not for every class that inherits from them.
fn lineage(dictionary: &Dictionary, class: &Class, place: &str, found: &mut Found) {
    let lineage = dictionary.lineage(&class.name);
    let Some(parent) = lineage.last().and_then(|last| last.inherits.as_ref()) else { return };
    let parent_class = dictionary.class(parent);
    let within = parent_class.is_some_and(|parent| lineage.iter().any(|each| std::ptr::eq(*each, parent)));
    match parent_class {
        None if lineage.len() == 1 => {
            let message = format!("it inherits from `{parent}`, which does not exist");
            found.add(Rule::UndefinedClass, place, message);
        }
        Some(parent) if within && lineage.first().is_some_and(|first| std::ptr::eq(*first, parent)) => {
            let names: Vec<&str> =
                lineage.iter().map(|class| class.name.as_str()).chain([parent.name.as_str()]).collect();
            found.add(
                Rule::InheritanceCycle,
                place,
                format!("it inherits from itself: {}", names.join(" > ")),
            );
        }
        Some(_) if !within => {
            let message =
                format!("it inherits through more than {} classes, the rest is cut off", lineage.len());
            found.add(Rule::InheritanceCycle, place, message);
        }
        _ => {}
    }
}
