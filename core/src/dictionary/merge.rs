//! Merges the definitions of a term in several files into one term.

use super::problems::Problems;
use super::{
    APPLICATION, Class, Command, Dictionary, Enumeration, Parameter, ProblemKind, Property, RecordType,
    Suite, TypeExpr, ValueType, standard,
};
use indexmap::IndexMap;

/// Everything that a dictionary and its includes say, in their order.
#[derive(Default)]
pub(super) struct Terms {
    pub(super) title: Option<String>,
    pub(super) suites: Vec<Suite>,
    /// All definitions of each class.
    pub(super) classes: IndexMap<String, Vec<Class>>,
    pub(super) extensions: Vec<Extension>,
    pub(super) commands: Vec<Command>,
    pub(super) events: Vec<Command>,
    pub(super) enumerations: IndexMap<String, Vec<Enumeration>>,
    pub(super) records: IndexMap<String, Vec<RecordType>>,
    pub(super) values: IndexMap<String, ValueType>,
    /// The names of terms by their `id`, under which other terms may refer to them.
    pub(super) ids: IndexMap<String, String>,
}

/// An extension of a class that is defined elsewhere.
pub(super) struct Extension {
    /// The class's name or id.
    pub(super) target: String,
    /// The added members; its name is not used.
    pub(super) class: Class,
}

/// Makes a dictionary: it merges extensions and second definitions, replaces ids by names, and adds the terms that
/// every app has.
pub(super) fn merged(mut terms: Terms, problems: &mut Problems) -> Dictionary {
    for extension in std::mem::take(&mut terms.extensions) {
        extend(&mut terms, extension, problems);
    }
    let mut dictionary = Dictionary {
        title: terms.title,
        suites: terms.suites,
        classes: folded(terms.classes, class),
        commands: terms.commands,
        events: terms.events,
        enumerations: folded(terms.enumerations, enumeration),
        records: folded(terms.records, record),
        values: terms.values,
        ..Dictionary::default()
    };
    for class in dictionary.classes.values_mut() {
        inherit_by_name(class, &terms.ids);
    }
    resolve_types(&mut dictionary, &terms.ids);
    complete_application(&mut dictionary);
    dictionary
}

fn extend(terms: &mut Terms, extension: Extension, problems: &mut Problems) {
    let Extension { target, class } = extension;
    let named = |name: &String| terms.classes.contains_key(name).then(|| name.clone());
    let name = named(&target).or_else(|| named(terms.ids.get(&target)?)).unwrap_or_else(|| {
        let place = format!("class-extension \"{target}\"");
        let defect = "the class that it extends is not defined; it is read as the class itself".to_owned();
        problems.add(0, place, ProblemKind::Defect(defect));
        target
    });
    let class = Class { name: name.clone(), ..class };
    terms.classes.entry(name).or_default().push(class);
}

fn folded<T>(terms: IndexMap<String, Vec<T>>, fold: fn(T, Vec<T>) -> T) -> IndexMap<String, T> {
    let one = |(name, parts): (String, Vec<T>)| {
        let mut parts = parts.into_iter();
        Some((name, fold(parts.next()?, parts.collect())))
    };
    terms.into_iter().filter_map(one).collect()
}

fn class(mut class: Class, parts: Vec<Class>) -> Class {
    let mut properties = Places::of(&class.properties, parts.len(), |property| &property.name);
    let mut elements = Places::of(&class.elements, parts.len(), |element| &element.class);
    for part in parts {
        let inherits = part.inherits.filter(|name| *name != class.name);
        class.inherits = class.inherits.filter(|name| *name != class.name).or(inherits);
        class.description = class.description.or(part.description);
        class.contents = class.contents.or(part.contents);
        class.built_in &= part.built_in;
        fill(&mut class.code, part.code);
        fill(&mut class.plural, part.plural);
        properties.lay_over(&mut class.properties, part.properties);
        elements.lay_over(&mut class.elements, part.elements);
        class.responds_to.extend(part.responds_to);
        class.synonyms.extend(part.synonyms);
        class.coercions.0.extend(part.coercions.0);
        class.access_groups.extend(part.access_groups);
    }
    if class.plural.is_empty() {
        class.plural = format!("{}s", class.name);
    }
    class.inherits = class.inherits.filter(|name| *name != class.name);
    class
}

fn enumeration(mut enumeration: Enumeration, parts: Vec<Enumeration>) -> Enumeration {
    let mut places = Places::of(&enumeration.enumerators, parts.len(), |enumerator| &enumerator.name);
    for part in parts {
        places.lay_over(&mut enumeration.enumerators, part.enumerators);
    }
    enumeration
}

fn record(mut record: RecordType, parts: Vec<RecordType>) -> RecordType {
    let mut places = Places::of(&record.properties, parts.len(), |property| &property.name);
    for part in parts {
        places.lay_over(&mut record.properties, part.properties);
    }
    record
}

fn fill(text: &mut String, other: String) {
    if text.is_empty() {
        *text = other;
    }
}

/// The index of each member, so that a later definition can replace it.
struct Places<T> {
    by_name: IndexMap<String, usize>,
    name: fn(&T) -> &String,
}

impl<T> Places<T> {
    /// Records the index of each member, unless there are no further parts.
    fn of(members: &[T], parts: usize, name: fn(&T) -> &String) -> Self {
        let mut places = Self { by_name: IndexMap::new(), name };
        if parts > 0 {
            places.note(members, 0);
        }
        places
    }

    /// Merges a later part: its members replace those of the same name, and the others are added.
    fn lay_over(&mut self, members: &mut Vec<T>, part: Vec<T>) {
        let from = members.len();
        for member in part {
            match self.by_name.get((self.name)(&member)) {
                Some(at) => members[*at] = member,
                None => members.push(member),
            }
        }
        self.note(&members[from..], from);
    }

    fn note(&mut self, members: &[T], from: usize) {
        for (at, member) in members.iter().enumerate() {
            self.by_name.entry((self.name)(member).clone()).or_insert(from + at);
        }
    }
}

fn inherit_by_name(class: &mut Class, ids: &IndexMap<String, String>) {
    let name = class.inherits.as_ref().and_then(|name| ids.get(name));
    if let Some(name) = name {
        class.inherits = Some(name.clone()).filter(|name| *name != class.name);
    }
}

/// Replaces ids by names and reads `list of text` and `list`, in every type of the dictionary.
fn resolve_types(dictionary: &mut Dictionary, ids: &IndexMap<String, String>) {
    let Dictionary { classes, commands, events, enumerations, records, values, .. } = dictionary;
    let defined: IndexMap<String, ()> = {
        let names = classes.keys().chain(enumerations.keys()).chain(records.keys()).chain(values.keys());
        names
            .filter(|name| ids.contains_key(*name) || name.starts_with("list"))
            .map(|n| (n.clone(), ()))
            .collect()
    };
    let resolve = |kind: &mut TypeExpr| {
        for one in &mut kind.0 {
            if (ids.is_empty() && !one.name.starts_with("list")) || defined.contains_key(&one.name) {
                continue;
            }
            if let Some(item) = one.name.strip_prefix("list of ") {
                one.name = item.trim().to_owned();
                one.list = true;
            } else if one.name == "list" {
                "any".clone_into(&mut one.name);
                one.list = true;
            }
            if let Some(name) = ids.get(&one.name) {
                one.name.clone_from(name);
            }
        }
    };
    for class in classes.values_mut() {
        class.properties.iter_mut().for_each(|property| resolve(&mut property.kind));
        for element in &mut class.elements {
            let name = ids.get(&element.class).filter(|_| !defined.contains_key(&element.class));
            if let Some(name) = name {
                element.class.clone_from(name);
            }
        }
    }
    let fields = records.values_mut().flat_map(|record: &mut RecordType| &mut record.properties);
    fields.for_each(|property: &mut Property| resolve(&mut property.kind));
    for command in commands.iter_mut().chain(events) {
        resolve_command(command, &resolve);
    }
}

fn resolve_command(command: &mut Command, resolve: &impl Fn(&mut TypeExpr)) {
    let parameters = command.parameters.iter_mut().chain(&mut command.direct);
    parameters.for_each(|parameter: &mut Parameter| resolve(&mut parameter.kind));
    if let Some(result) = &mut command.result {
        resolve(&mut result.kind);
    }
    // Most dictionaries say `any` here. A text must be read as an object, because as a value it would always exist.
    let direct = command.direct.as_mut().filter(|_| command.code == EXISTS);
    if let Some(direct) = direct.filter(|direct| direct.kind.0.iter().all(|kind| kind.name == "any")) {
        direct.kind = TypeExpr::one("specifier");
    }
}

/// The command that asks whether an object exists.
const EXISTS: &str = "coredoex";

/// Adds the properties that every application answers, unless the class has or inherits them.
fn complete_application(dictionary: &mut Dictionary) {
    let known: Vec<String> =
        dictionary.properties(APPLICATION).into_iter().map(|property| property.name.clone()).collect();
    if let Some(application) = dictionary.classes.get_mut(APPLICATION) {
        let missing =
            standard::application_properties().into_iter().filter(|each| !known.contains(&each.name));
        application.properties.extend(missing);
    }
}
