//! From elements to terms, as the files write them; [`merge`](crate::dictionary::merge) makes a dictionary of them.

use super::attributes::{Attributes, Raw};
use super::members::one;
use super::stream::{Stream, Tag};
use crate::dictionary::merge::{self, Extension, Terms};
use crate::dictionary::{
    Class, Command, CommandResult, Dictionary, Enumeration, Enumerator, Problem, ProblemKind, RecordType,
    Suite, ValueType, standard,
};
use indexmap::IndexMap;
use quick_xml::events::BytesStart;

/// Reads a whole stream, and after it the standard suite if the files have none.
pub(super) fn read(stream: Stream<'_>) -> (Dictionary, Vec<Problem>) {
    let mut reading = Reading {
        stream,
        terms: Terms::default(),
        built_in: false,
        owner: String::new(),
        strays: Class::default(),
    };
    reading.roots();
    if !reading.terms.classes.contains_key(crate::dictionary::APPLICATION) {
        reading.built_in = true;
        reading.stream.append(standard::SDEF);
        reading.roots();
    }
    let Reading { stream, terms, .. } = reading;
    let mut problems = stream.problems;
    let dictionary = merge::merged(terms, &mut problems);
    (dictionary, problems.into_vec())
}

/// A dictionary that is being read.
pub(super) struct Reading<'a> {
    pub(super) stream: Stream<'a>,
    pub(super) terms: Terms,
    /// Whether the terms come from outside the files.
    pub(super) built_in: bool,
    /// The class, command or other term that is being read, for problems.
    pub(super) owner: String,
    /// Members of the class that is being read, found inside a property that was not closed.
    pub(super) strays: Class,
}

impl<'a> Reading<'a> {
    fn roots(&mut self) {
        while let Some(tag) = self.stream.next() {
            let Tag::Open(element) = tag else { continue };
            if !matches!(element.name().as_ref(), "dictionary" | "suite") {
                let defect =
                    format!("expected a dictionary as the root element, got `{}`", element.name().as_ref());
                self.stream.problem("file", ProblemKind::Defect(defect));
                self.stream.skip(&element);
                continue;
            }
            self.term(element, "");
        }
    }

    /// Passes each child of the element that was just opened to `each`.
    pub(super) fn children(&mut self, mut each: impl FnMut(&mut Self, BytesStart<'a>)) {
        while let Some(Tag::Open(element)) = self.stream.next() {
            each(self, element);
        }
    }

    fn term(&mut self, element: BytesStart<'a>, suite: &str) {
        match element.name().as_ref() {
            "dictionary" => self.dictionary(&element, suite),
            "suite" => self.suite(&element),
            "class" => self.class(&element, suite),
            "class-extension" => self.extension(&element, suite),
            "command" => self.command(&element, suite, false),
            "event" => self.command(&element, suite, true),
            "enumeration" => self.enumeration(&element),
            "record-type" => self.record(&element),
            "value-type" => self.value(&element),
            _ => self.pass(&element),
        }
    }

    /// A dictionary within a dictionary includes a whole file: its terms take the place of the include.
    fn dictionary(&mut self, element: &BytesStart<'a>, suite: &str) {
        let title = self.attributes("dictionary", element).title.map(Raw::text);
        if !self.built_in && self.terms.title.is_none() {
            self.terms.title = title;
        }
        self.children(|reading, child| reading.term(child, suite));
    }

    fn suite(&mut self, element: &BytesStart<'a>) {
        let attributes = self.attributes("suite", element);
        let suite = Suite {
            name: attributes.name.map(Raw::text).unwrap_or_default(),
            code: attributes.code.map(Raw::text).unwrap_or_default(),
            description: attributes.description.map(Raw::text),
            hidden: attributes.hidden(),
        };
        let name = suite.name.clone();
        if !self.built_in {
            self.terms.suites.push(suite);
        }
        self.children(|reading, child| reading.term(child, &name));
    }

    fn class(&mut self, element: &BytesStart<'a>, suite: &str) {
        let attributes = self.attributes("class", element);
        let Some(name) = self.named("class", &attributes, element) else { return };
        let mut class = Class {
            code: self.code("class", &name, attributes.code, 4),
            plural: attributes.plural.map(Raw::text).unwrap_or_default(),
            description: attributes.description.map(Raw::text),
            hidden: attributes.hidden(),
            suite: suite.to_owned(),
            inherits: attributes.inherits.map(Raw::text),
            built_in: self.built_in,
            ..Class::default()
        };
        self.identify(attributes.id, &name);
        self.members(&mut class);
        name.clone_into(&mut class.name);
        let extends = class.inherits.as_ref() == Some(&name);
        self.define(|terms| &mut terms.classes, name, class, extends);
    }

    fn extension(&mut self, element: &BytesStart<'a>, suite: &str) {
        let attributes = self.attributes("class-extension", element);
        let Some(target) = attributes.extends.and_then(Raw::term) else {
            self.stream.problem("class-extension", no_name());
            return self.stream.skip(element);
        };
        let hidden = attributes.hidden();
        let mut class = Class { suite: suite.to_owned(), ..Class::default() };
        self.identify(attributes.id, &target);
        self.enter("class-extension", &target);
        self.members(&mut class);
        for property in class.properties.iter_mut().filter(|_| hidden) {
            property.hidden = true;
        }
        for element in class.elements.iter_mut().filter(|_| hidden) {
            element.hidden = true;
        }
        self.terms.extensions.push(Extension { target, class });
    }

    fn command(&mut self, element: &BytesStart<'a>, suite: &str, event: bool) {
        let what = if event { "event" } else { "command" };
        let attributes = self.attributes(what, element);
        let Some(name) = self.named(what, &attributes, element) else { return };
        let mut command = Command {
            code: self.code(what, &name, attributes.code, 8),
            description: attributes.description.map(Raw::text),
            hidden: attributes.hidden(),
            suite: suite.to_owned(),
            built_in: self.built_in,
            ..Command::default()
        };
        self.identify(attributes.id, &name);
        name.clone_into(&mut command.name);
        self.children(|reading, child| reading.command_part(&mut command, child));
        let known = |other: &Command| other.name == command.name || other.code == command.code;
        if self.built_in && self.terms.commands.iter().any(known) {
            return;
        }
        let list = if event { &mut self.terms.events } else { &mut self.terms.commands };
        list.push(command);
    }

    fn command_part(&mut self, command: &mut Command, element: BytesStart<'a>) {
        match element.name().as_ref() {
            "direct-parameter" => command.direct = Some(self.direct_parameter(&element)),
            "parameter" => command.parameters.extend(self.parameter(&element)),
            "result" => command.result = Some(self.result(&element)),
            "synonym" => self.synonym(&element, &mut command.synonyms),
            "access-group" => self.access_group(&element, &mut command.access_groups),
            _ => self.pass(&element),
        }
    }

    fn result(&mut self, element: &BytesStart<'a>) -> CommandResult {
        let attributes = self.attributes("result", element);
        let description = attributes.description.map(Raw::text);
        let kind = one(&attributes);
        CommandResult { kind: self.alternatives(kind, attributes.list()), description }
    }

    fn enumeration(&mut self, element: &BytesStart<'a>) {
        let attributes = self.attributes("enumeration", element);
        let Some(name) = self.named("enumeration", &attributes, element) else { return };
        let mut enumeration = Enumeration {
            code: self.code("enumeration", &name, attributes.code, 4),
            description: attributes.description.map(Raw::text),
            hidden: attributes.hidden(),
            built_in: self.built_in,
            ..Enumeration::default()
        };
        self.identify(attributes.id, &name);
        name.clone_into(&mut enumeration.name);
        self.children(|reading, child| match child.name().as_ref() {
            "enumerator" => enumeration.enumerators.extend(reading.enumerator(&child)),
            "synonym" => reading.synonym(&child, &mut enumeration.synonyms),
            _ => reading.pass(&child),
        });
        self.define(|terms| &mut terms.enumerations, name, enumeration, false);
    }

    fn enumerator(&mut self, element: &BytesStart<'a>) -> Option<Enumerator> {
        let attributes = self.attributes("enumerator", element);
        let name = self.member("enumerator", &attributes, element)?;
        let mut enumerator = Enumerator {
            code: self.code("enumerator", &name, attributes.code, 4),
            name,
            description: attributes.description.map(Raw::text),
            hidden: attributes.hidden(),
            synonyms: Vec::new(),
        };
        self.children(|reading, child| match child.name().as_ref() {
            "synonym" => reading.synonym(&child, &mut enumerator.synonyms),
            _ => reading.pass(&child),
        });
        Some(enumerator)
    }

    fn record(&mut self, element: &BytesStart<'a>) {
        let attributes = self.attributes("record-type", element);
        let Some(name) = self.named("record-type", &attributes, element) else { return };
        let mut record = RecordType {
            code: self.code("record-type", &name, attributes.code, 4),
            description: attributes.description.map(Raw::text),
            hidden: attributes.hidden(),
            built_in: self.built_in,
            ..RecordType::default()
        };
        self.identify(attributes.id, &name);
        name.clone_into(&mut record.name);
        self.children(|reading, child| match child.name().as_ref() {
            "property" => record.properties.extend(reading.property(&child)),
            "synonym" => reading.synonym(&child, &mut record.synonyms),
            _ => reading.pass(&child),
        });
        record.properties.append(&mut std::mem::take(&mut self.strays).properties);
        self.define(|terms| &mut terms.records, name, record, false);
    }

    fn value(&mut self, element: &BytesStart<'a>) {
        let attributes = self.attributes("value-type", element);
        let Some(name) = self.named("value-type", &attributes, element) else { return };
        let mut value = ValueType {
            code: self.code("value-type", &name, attributes.code, 4),
            description: attributes.description.map(Raw::text),
            hidden: attributes.hidden(),
            name: name.clone(),
            synonyms: Vec::new(),
        };
        self.identify(attributes.id, &name);
        self.children(|reading, child| match child.name().as_ref() {
            "synonym" => reading.synonym(&child, &mut value.synonyms),
            _ => reading.pass(&child),
        });
        if self.terms.values.contains_key(&name) {
            self.defect("it is defined twice; the first definition counts");
        }
        self.terms.values.entry(name).or_insert(value);
    }

    /// Keeps a term beside others of its name. Keeps a built-in term only if there is no other.
    fn define<T>(
        &mut self,
        list: fn(&mut Terms) -> &mut IndexMap<String, Vec<T>>,
        name: String,
        term: T,
        extends: bool,
    ) {
        let is_known = list(&mut self.terms).contains_key(&name);
        if is_known && self.built_in {
            return;
        }
        if is_known && !extends {
            self.defect("it is defined twice; both definitions are merged");
        }
        list(&mut self.terms).entry(name).or_default().push(term);
    }

    /// The name of a term that contains others. A term without a name is skipped and reported as a problem.
    fn named(&mut self, what: &str, attributes: &Attributes<'_>, element: &BytesStart<'a>) -> Option<String> {
        let Some(name) = attributes.name.and_then(Raw::term) else {
            self.stream.problem(what, no_name());
            self.stream.skip(element);
            return None;
        };
        self.enter(what, &name);
        Some(name)
    }

    fn enter(&mut self, what: &str, name: &str) {
        self.owner.clear();
        self.owner.extend([what, " \"", name, "\""]);
    }

    fn identify(&mut self, id: Option<Raw<'_>>, name: &str) {
        if let Some(id) = id.filter(|_| !self.built_in) {
            self.terms.ids.entry(id.text()).or_insert_with(|| name.to_owned());
        }
    }

    fn defect(&mut self, text: &str) {
        self.stream.problem(self.owner.clone(), ProblemKind::Defect(text.to_owned()));
    }
}

pub(super) fn no_name() -> ProblemKind {
    ProblemKind::Defect("no name; it is skipped".to_owned())
}
