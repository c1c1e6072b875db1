//! Queries on a dictionary: the meaning of a term, and the members of a class.

use super::{
    Class, Command, Counts, Dictionary, Element, Enumeration, Enumerator, Parameter, Property, TypeRef, names,
};
use indexmap::IndexMap;
use indexmap::map::Entry;
use std::sync::OnceLock;

/// The longest chain of inherited classes. Real dictionaries stay far below it, and it stops a hostile one.
pub(super) const LONGEST_LINEAGE: usize = 64;

impl Dictionary {
    /// Counts the terms of the dictionary.
    pub fn counts(&self) -> Counts {
        let commands = self.commands.iter().filter(|command| !command.hidden && !command.built_in).count();
        let classes = self.classes.values().filter(|class| !class.hidden && !class.built_in).count();
        Counts { commands, classes }
    }

    /// Returns the class of that name, plural, synonym or JXA identifier. A name takes precedence over a plural, and a
    /// plural over a synonym.
    pub fn class(&self, term: &str) -> Option<&Class> {
        self.classes.get(term).or_else(|| {
            let at = *self.index.of(self).classes.get(&names::key(term))?;
            self.classes.get_index(at).map(|(_, class)| class)
        })
    }

    /// Walks from a class through its ancestors, itself first. A cycle ends the walk.
    pub fn lineage<'a>(&'a self, class: &str) -> Vec<&'a Class> {
        let mut line: Vec<&Class> = Vec::new();
        let mut next = self.class(class);
        while let Some(class) = next.filter(|_| line.len() < LONGEST_LINEAGE) {
            if line.iter().any(|seen| std::ptr::eq(*seen, class)) {
                break;
            }
            line.push(class);
            next = class.inherits.as_deref().and_then(|parent| self.class(parent));
        }
        line
    }

    /// Returns own and inherited properties of a class; an own property hides an inherited one of the same name.
    pub fn properties<'a>(&'a self, class: &str) -> Vec<&'a Property> {
        let lineage = self.lineage(class);
        first_of_each(lineage.iter().flat_map(|class| &class.properties), |property| &property.name)
    }

    /// Returns the first of these properties that has a code of four characters.
    pub fn property_of_code<'a>(&'a self, class: &str, code: &str) -> Option<&'a Property> {
        let lineage = self.lineage(class);
        let all = || lineage.iter().flat_map(|class| &class.properties);
        let is_hidden = |at: usize, name: &str| all().take(at).any(|before| before.name == name);
        let mut of_code = all().enumerate().filter(|(_, property)| property.code == code);
        of_code.find(|(at, property)| !is_hidden(*at, &property.name)).map(|(_, property)| property)
    }

    /// Returns own and inherited elements of a class.
    pub fn elements<'a>(&'a self, class: &str) -> Vec<&'a Element> {
        let lineage = self.lineage(class);
        first_of_each(lineage.iter().flat_map(|class| &class.elements), |element| &element.class)
    }

    /// Returns the commands that a class responds to, itself or through an ancestor.
    pub fn responds_to<'a>(&'a self, class: &str) -> Vec<&'a str> {
        let lineage = self.lineage(class);
        let names = lineage.iter().flat_map(|class| &class.responds_to);
        first_of_each(names, |name| name).into_iter().map(String::as_str).collect()
    }

    /// Returns the property that a class has or inherits under a term, JXA identifier or synonym.
    pub fn property<'a>(&'a self, class: &str, term: &str) -> Option<&'a Property> {
        let wanted = names::key(term);
        let places = self.index.of(self).properties.get(&wanted)?;
        let (mut alike, mut synonym) = (None, None);
        for class in self.lineage(class) {
            let own = |of: usize| self.classes.get_index(of).is_some_and(|(_, of)| std::ptr::eq(of, class));
            for (_, at) in places.iter().filter(|(of, _)| own(*of)) {
                let property = class.properties.get(*at)?;
                if property.name == term {
                    return Some(property);
                }
                let rank = if names::key(&property.name) == wanted { &mut alike } else { &mut synonym };
                rank.get_or_insert(property);
            }
        }
        alike.or(synonym)
    }

    /// Whether any class has a property under a term, JXA identifier or synonym.
    pub(crate) fn has_property(&self, term: &str) -> bool {
        self.index.of(self).properties.contains_key(&names::key(term))
    }

    /// Returns how many tokens the longest term of a class or property has. A token is a run of letters and digits, or
    /// a sign.
    pub(crate) fn longest_term(&self) -> usize {
        self.index.of(self).longest
    }

    /// Returns the element that a class has or inherits, by the singular, plural or JXA identifier of its class.
    pub fn element<'a>(&'a self, class: &str, term: &str) -> Option<(&'a Element, &'a Class)> {
        let wanted = self.class(term)?;
        let lineage = self.lineage(class);
        let mut elements = lineage.iter().flat_map(|class| &class.elements);
        let by_name = elements.clone().find(|element| element.class == wanted.name);
        let by_term = || {
            elements
                .find(|element| self.class(&element.class).is_some_and(|class| std::ptr::eq(class, wanted)))
        };
        by_name.or_else(by_term).map(|element| (element, wanted))
    }

    /// Returns whether one class is another or inherits from it.
    pub fn is_a(&self, class: &str, ancestor: &str) -> bool {
        self.lineage(class).iter().any(|each| each.name == ancestor)
    }

    /// Returns every command of that name, synonym or JXA identifier: a name may be defined several times.
    pub fn commands_named<'a>(&'a self, term: &str) -> Vec<&'a Command> {
        let places = self.index.of(self).commands.get(&names::key(term));
        places.into_iter().flatten().filter_map(|at| self.commands.get(*at)).collect()
    }
}

impl Enumeration {
    /// Returns the value of that name or synonym.
    pub(crate) fn value(&self, term: &str) -> Option<&Enumerator> {
        let wanted = names::key(term);
        let alike = |name: &String| names::key(name) == wanted;
        let known = |each: &&Enumerator| alike(&each.name) || each.synonyms.iter().any(alike);
        let all = || self.enumerators.iter().filter(|_| !wanted.is_empty());
        let exact = self.enumerators.iter().find(|each| each.name == term);
        exact.or_else(|| all().find(|each| alike(&each.name))).or_else(|| all().find(known))
    }

    /// Like [`Self::value`], but for a filter, which changes nothing. So it also accepts the only longer name that
    /// begins with the words: `on hold` finds `on hold status`.
    pub(crate) fn meant(&self, term: &str) -> Option<&Enumerator> {
        self.value(term).or_else(|| {
            let mut longer = self.longer(term);
            longer.next().filter(|_| longer.next().is_none())
        })
    }

    /// Returns the values whose names begin with the words.
    pub(crate) fn longer(&self, term: &str) -> impl Iterator<Item = &Enumerator> {
        let words = names::split(term);
        let begins =
            move |each: &&Enumerator| !words.is_empty() && names::split(&each.name).starts_with(&words);
        self.enumerators.iter().filter(begins)
    }
}

impl Command {
    /// Returns its parameters by name. If the file gives one name several times, the parameter has all their types.
    pub fn named_parameters(&self) -> IndexMap<&str, Parameter> {
        let mut named: IndexMap<&str, Parameter> = IndexMap::new();
        for parameter in &self.parameters {
            match named.entry(&parameter.name) {
                Entry::Vacant(free) => {
                    free.insert(parameter.clone());
                }
                Entry::Occupied(mut first) => widen(first.get_mut(), parameter),
            }
        }
        named
    }
}

fn widen(first: &mut Parameter, other: &Parameter) {
    let new: Vec<TypeRef> =
        other.kind.0.iter().filter(|kind| !first.kind.0.contains(kind)).cloned().collect();
    first.kind.0.extend(new);
    first.optional |= other.optional;
    first.hidden &= other.hidden;
}

fn first_of_each<'a, T>(all: impl Iterator<Item = &'a T>, name: fn(&T) -> &String) -> Vec<&'a T> {
    let mut found: IndexMap<&str, &T> = IndexMap::new();
    for each in all {
        found.entry(name(each)).or_insert(each);
    }
    found.into_values().collect()
}

/// An index of terms, by [`names::key`]. It takes no part in comparisons, and a clone builds its own.
#[derive(Default)]
pub(super) struct Index(OnceLock<Places>);

#[derive(Default)]
struct Places {
    classes: IndexMap<String, usize>,
    commands: IndexMap<String, Vec<usize>>,
    /// For each key, the properties with this name or synonym: the index of the class, and the index of the property in
    /// it.
    properties: IndexMap<String, Vec<(usize, usize)>>,
    longest: usize,
}

impl Index {
    fn of(&self, dictionary: &Dictionary) -> &Places {
        self.0.get_or_init(|| Places::of(dictionary))
    }
}

impl Places {
    fn of(dictionary: &Dictionary) -> Self {
        let mut places = Self::default();
        let classes = || dictionary.classes.values().enumerate();
        classes().for_each(|(at, class)| places.class(&class.name, at));
        classes().for_each(|(at, class)| places.class(&class.plural, at));
        for (at, class) in classes() {
            let own =
                class.properties.iter().flat_map(|property| property.synonyms.iter().chain([&property.name]));
            let terms = own.chain(&class.synonyms).chain([&class.name, &class.plural]);
            places.longest = terms.map(|term| length(term)).max().unwrap_or(0).max(places.longest);
            class.synonyms.iter().for_each(|synonym| places.class(synonym, at));
            class.synonyms.iter().for_each(|synonym| places.class(&format!("{synonym}s"), at));
            for (member, property) in class.properties.iter().enumerate() {
                let terms = property.synonyms.iter().chain([&property.name]);
                terms.for_each(|term| {
                    places.properties.entry(names::key(term)).or_default().push((at, member))
                });
            }
        }
        for (at, command) in dictionary.commands.iter().enumerate() {
            let mut keys: Vec<String> =
                command.synonyms.iter().chain([&command.name]).map(|term| names::key(term)).collect();
            keys.sort();
            keys.dedup();
            keys.into_iter().for_each(|key| places.commands.entry(key).or_default().push(at));
        }
        places
    }

    fn class(&mut self, term: &str, at: usize) {
        self.classes.entry(names::key(term)).or_insert(at);
    }
}

/// The number of tokens in a term, at most.
fn length(term: &str) -> usize {
    let words =
        term.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty()).count();
    words + term.chars().filter(|c| !c.is_alphanumeric() && *c != '_' && !c.is_whitespace()).count()
}

impl Clone for Index {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl PartialEq for Index {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl std::fmt::Debug for Index {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Index")
    }
}
