//! Converts suites to terms, as the system's converter does.

use super::entry::Entry;
use super::registry::{Placed, Registry};
use crate::dictionary::merge::{Extension, Terms};
use crate::dictionary::problems::Problems;
use crate::dictionary::{
    APPLICATION, Access, Class, Command, CommandResult, Element, Enumeration, Enumerator, Parameter,
    ProblemKind, Property, Suite, TypeExpr, ValueType,
};
use std::collections::BTreeSet;

/// The code of the class `application`.
const APPLICATION_CODE: &str = "capp";

/// The conversion of one app's suites to terms.
pub(super) struct Conversion<'a> {
    pub(super) registry: &'a Registry,
    pub(super) problems: &'a mut Problems,
    /// The commands that objects other than the application support: the index of the suite, and the command's key.
    supported: BTreeSet<(usize, &'a str)>,
    terms: Terms,
    /// The index of the suite that is being read.
    at: usize,
}

impl<'a> Conversion<'a> {
    pub(super) fn new(registry: &'a Registry, problems: &'a mut Problems) -> Self {
        let supported = supported(registry);
        Self { registry, problems, supported, terms: Terms::default(), at: 0 }
    }

    pub(super) fn terms(mut self) -> Terms {
        for at in 0..self.registry.suites.len() {
            self.at = at;
            self.suite(self.registry.suites[at].entry());
        }
        if !self.terms.classes.contains_key(APPLICATION) {
            let class = Class {
                name: APPLICATION.to_owned(),
                code: APPLICATION_CODE.to_owned(),
                built_in: true,
                ..Class::default()
            };
            self.terms.classes.entry(class.name.clone()).or_default().push(class);
        }
        self.terms
    }

    /// Terms are sorted by name, because a suite keeps no order.
    fn suite(&mut self, suite: Entry<'a>) {
        let name = suite.name();
        let code = suite.text("AppleEventCode").unwrap_or_default().to_owned();
        let description = suite.description();
        self.terms.suites.push(Suite { name: name.clone(), code, description, hidden: false });
        for command in sorted(self.dictionaries(suite, "Commands")) {
            let command = self.command(command, suite, &name);
            self.terms.commands.push(command);
        }
        for class in sorted(self.dictionaries(suite, "Classes")) {
            self.class(class, &name);
        }
        for synonym in sorted(suite.entries("Synonyms").collect()) {
            self.synonym(synonym, &name);
        }
        for enumeration in sorted(self.dictionaries(suite, "Enumerations")) {
            self.enumeration(enumeration);
        }
        for value in suite.entries("ValueTypes") {
            let code = value.value().unwrap_or_default().to_owned();
            let value = ValueType { name: value.name(), code, ..ValueType::default() };
            self.terms.values.entry(value.name.clone()).or_insert(value);
        }
    }

    fn class(&mut self, class: Entry<'a>, suite: &str) {
        let place = place("class", class);
        let code = self.code(&place, class);
        let superclass = class.text("Superclass");
        if let Some((_, base)) = self.registry.extended((self.at, class)) {
            let target =
                self.registry.class(class.key, self.at).map_or_else(|| base.name(), |(_, base)| base.name());
            let class = self.members(class, &place, Class { suite: suite.to_owned(), ..Class::default() });
            return self.terms.extensions.push(Extension { target, class });
        }
        let inherits = superclass.and_then(|name| self.registry.class(name, self.at));
        if let (Some(name), None) = (superclass, inherits) {
            self.defect(&place, format!("no suite has its superclass `{name}`; it has no superclass"));
        }
        let shell = Class { code, inherits: inherits.map(|(_, base)| base.name()), ..shell(class, suite) };
        let class = self.members(class, &place, shell);
        self.define(&place, class);
    }

    /// A synonym becomes a class with all members of the original class.
    fn synonym(&mut self, synonym: Entry<'a>, suite: &str) {
        let place = place("synonym", synonym);
        let Some(name) = synonym.value() else {
            return self.defect(&place, "expected the name of a class; it is skipped".to_owned());
        };
        let found = self.registry.find("Classes", name, self.at);
        let (Some((at, class)), Some((base_at, base))) = (found, self.registry.class(name, self.at)) else {
            return self.defect(&place, format!("no suite has its class `{name}`; it is skipped"));
        };
        let inherits = base.text("Superclass").and_then(|name| self.registry.class(name, base_at));
        let inherits = inherits.map(|(_, base)| base.name());
        let shell = Class { code: synonym.key.to_owned(), inherits, ..shell(synonym, suite) };
        let before = std::mem::replace(&mut self.at, at);
        let class = self.members(class, &place, shell);
        self.at = before;
        self.define(&place, class);
    }

    fn define(&mut self, place: &str, class: Class) {
        if self.terms.classes.contains_key(&class.name) {
            self.defect(place, "it is defined twice; both definitions are merged".to_owned());
        }
        self.terms.classes.entry(class.name.clone()).or_default().push(class);
    }

    fn members(&mut self, facts: Entry<'a>, place: &str, mut class: Class) -> Class {
        let attributes = self.dictionaries(facts, "Attributes");
        let attributes = attributes.into_iter().map(|each| each.or_words(facts, "ToOneRelationships"));
        let related = self.dictionaries(facts, "ToOneRelationships");
        let related = related.into_iter().map(|each| each.or_words(facts, "Attributes"));
        for property in sorted(attributes.chain(related).collect()) {
            let place = format!("property `{}` of {place}", property.key);
            let access = if property.yes("ReadOnly") { Access::Read } else { Access::ReadWrite };
            if facts.text("DefaultSubcontainerAttribute") == Some(property.key) {
                class.contents = Some(property.name());
            }
            class.properties.push(Property {
                name: property.name(),
                code: self.code(&place, property),
                kind: self.kind(&place, property),
                access,
                description: property.description(),
                hidden: property.term().is_none(),
                synonyms: property.synonyms(),
                ..Property::default()
            });
        }
        // The converter ignores the read-only mark of elements, and apps do make elements with this mark: the system's
        // suite marks TextEdit's documents as read-only.
        for element in self.dictionaries(facts, "ToManyRelationships") {
            let name = element.text("Type").unwrap_or_default();
            match self.registry.class_of_elements(name, element.text("AppleEventCode"), self.at) {
                Some(class_name) => class.elements.push(Element { class: class_name, ..Element::default() }),
                None => {
                    let place = format!("elements `{}` of {place}", element.key);
                    self.defect(&place, format!("no suite has their class `{name}`; they are skipped"));
                }
            }
        }
        class.elements.sort_by(|one, other| one.class.cmp(&other.class));
        class.elements.dedup_by(|one, other| one.class == other.class);
        class
    }

    fn command(&mut self, command: Entry<'a>, owner: Entry<'a>, suite: &str) -> Command {
        let place = place("command", command);
        let class = command.text("AppleEventClassCode").or_else(|| owner.text("AppleEventCode"));
        let id = command.text("AppleEventCode").unwrap_or_default();
        let code = format!("{}{id}", class.unwrap_or_default());
        if code.chars().count() != 8 {
            self.defect(&place, format!("the code `{code}` does not have 8 characters"));
        }
        let mut parameters = Vec::new();
        for parameter in sorted(self.dictionaries(command, "Arguments")) {
            let place = format!("parameter `{}` of {place}", parameter.key);
            parameters.push(Parameter {
                name: parameter.name(),
                code: self.code(&place, parameter),
                hidden: parameter.term().is_none(),
                synonyms: parameter.synonyms(),
                ..self.parameter(&place, parameter)
            });
        }
        parameters.sort_by_key(|parameter| parameter.optional);
        let result = command.text("Type").map(|_| self.kind(&place, command));
        Command {
            name: command.name(),
            code,
            description: command.description(),
            hidden: command.term().is_none(),
            suite: suite.to_owned(),
            direct: self.direct(&place, command),
            parameters,
            result: result.map(|kind| CommandResult { kind, description: None }),
            synonyms: command.synonyms(),
            ..Command::default()
        }
    }

    /// A command without its own direct parameter takes an object as its direct parameter, if objects support the
    /// command.
    fn direct(&mut self, place: &str, command: Entry<'a>) -> Option<Parameter> {
        if let Some(direct) = command.below("UnnamedArgument") {
            return Some(self.parameter(&format!("direct parameter of {place}"), direct));
        }
        let is_supported = self.supported.contains(&(self.at, command.key));
        is_supported.then(|| Parameter { kind: TypeExpr::one("specifier"), ..Parameter::default() })
    }

    fn parameter(&mut self, place: &str, facts: Entry<'a>) -> Parameter {
        Parameter {
            kind: self.kind(place, facts),
            optional: facts.yes("Optional"),
            description: facts.description(),
            ..Parameter::default()
        }
    }

    fn enumeration(&mut self, enumeration: Entry<'a>) {
        let place = place("enumeration", enumeration);
        let code = self.code(&place, enumeration);
        let name = if code.is_empty() { enumeration.key.to_owned() } else { code.clone() };
        let mut enumerators = Vec::new();
        for each in
            sorted(enumeration.entries("Enumerators").map(|each| each.words_of(enumeration)).collect())
        {
            let Some(code) = each.value() else {
                let place = format!("enumerator `{}` of {place}", each.key);
                self.defect(&place, "expected a code of four characters; it is skipped".to_owned());
                continue;
            };
            enumerators.push(Enumerator {
                name: each.name(),
                code: code.to_owned(),
                description: each.description(),
                hidden: each.term().is_none(),
                synonyms: each.synonyms(),
            });
        }
        let new = Enumeration { name: name.clone(), code, enumerators, ..Enumeration::default() };
        self.terms.enumerations.entry(name).or_default().push(new);
    }

    fn kind(&mut self, place: &str, facts: Entry<'a>) -> TypeExpr {
        let Some(cocoa) = facts.text("Type") else {
            self.defect(place, "it has no type; it can be anything".to_owned());
            return TypeExpr::one("any");
        };
        let (kind, is_known) = self.registry.kind(cocoa, self.at);
        if !is_known {
            self.defect(place, format!("no suite has its type `{cocoa}`; it can be anything"));
        }
        kind
    }

    fn code(&mut self, place: &str, facts: Entry<'a>) -> String {
        let code = facts.text("AppleEventCode").unwrap_or_default();
        if code.chars().count() != 4 {
            self.defect(place, format!("the code `{code}` does not have 4 characters"));
        }
        code.to_owned()
    }

    /// The entries of a section that are dictionaries; any other becomes a problem.
    fn dictionaries(&mut self, owner: Entry<'a>, section: &'a str) -> Vec<Entry<'a>> {
        let (good, bad): (Vec<_>, Vec<_>) = owner.entries(section).partition(|entry| entry.is_dictionary());
        for entry in bad {
            let place = format!("`{}` in {section} of {}", entry.key, owner.key);
            self.defect(&place, "expected a dictionary; it is skipped".to_owned());
        }
        good
    }

    fn defect(&mut self, place: &str, text: String) {
        let file = &self.registry.suites[self.at].file;
        self.problems.add(0, format!("{place} in {file}.scriptSuite"), ProblemKind::Defect(text));
    }
}

fn supported(registry: &Registry) -> BTreeSet<(usize, &str)> {
    let suites = registry.suites.iter().enumerate();
    let classes = suites.flat_map(|(at, suite)| suite.entry().entries("Classes").map(move |each| (at, each)));
    let of_objects = classes.filter(|(_, class)| class.text("AppleEventCode") != Some(APPLICATION_CODE));
    let commands = |(at, class): Placed<'_>| {
        let found =
            class.entries("SupportedCommands").filter_map(|each| registry.find("Commands", each.key, at));
        Vec::from_iter(found.map(|(at, command)| (at, command.key)))
    };
    of_objects.flat_map(commands).collect()
}

/// A class without its members.
fn shell(words: Entry<'_>, suite: &str) -> Class {
    Class {
        name: words.name(),
        plural: words.plural().unwrap_or_default(),
        description: words.description(),
        hidden: words.term().is_none(),
        suite: suite.to_owned(),
        synonyms: words.synonyms(),
        ..Class::default()
    }
}

fn place(what: &str, entry: Entry<'_>) -> String {
    format!("{what} `{}`", entry.key)
}

fn sorted(mut entries: Vec<Entry<'_>>) -> Vec<Entry<'_>> {
    entries.sort_by_cached_key(|entry| entry.name());
    entries
}
