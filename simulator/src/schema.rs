//! A dictionary at run time: maps scripts' identifiers to terms, and classes to their own and inherited members.

use iac_core::dictionary::{
    APPLICATION, Access, Class, Command, Dictionary, Identifier, Property, TypeExpr, TypeRef,
};
use indexmap::IndexMap;
use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

/// One app's terminology. Each class is resolved when it is first used.
#[derive(Debug, Default)]
pub(crate) struct Schema {
    dictionary: Dictionary,
    classes: RefCell<HashMap<String, Option<Rc<ClassInfo>>>>,
    terms: OnceCell<HashMap<String, Term>>,
}

/// A class with everything that it inherits.
#[derive(Debug, Default)]
pub(crate) struct ClassInfo {
    pub(crate) name: Rc<str>,
    /// The class itself first.
    pub(crate) ancestors: Vec<Rc<str>>,
    pub(crate) properties: IndexMap<Rc<str>, Rc<PropertyInfo>>,
    /// The names of its elements' classes.
    pub(crate) elements: Vec<Rc<str>>,
    /// The property that stands for the whole object.
    pub(crate) contents: Option<Rc<str>>,
    /// The commands that the dictionary says it responds to.
    responds: Vec<Rc<str>>,
    /// The identifiers that a script may write after an object of this class.
    members: HashMap<String, Member>,
}

/// A property, and how its stored value is read.
#[derive(Debug)]
pub(crate) struct PropertyInfo {
    pub(crate) term: Rc<str>,
    /// Its identifier in scripts; the term itself if no identifier can be made from it.
    pub(crate) identifier: Rc<str>,
    /// How its stored value is read, according to the first of its types that decides this.
    pub(crate) kind: Kind,
    pub(crate) types: Vec<Type>,
    pub(crate) access: Access,
    /// The class of the object that is its value, if the dictionary says so.
    pub(crate) class: Option<Rc<str>>,
}

/// A type that a property or parameter accepts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Type {
    pub(crate) kind: Kind,
    /// The name of the enumeration or class, if it is one.
    pub(crate) name: Rc<str>,
    pub(crate) list: bool,
}

/// How a stored value is interpreted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Kind {
    /// As it is stored.
    #[default]
    Plain,
    Text,
    Number,
    Boolean,
    Date,
    File,
    Enumerator,
    Class,
    Object,
    /// Two numbers: the distance from the left and from the top.
    Point,
    /// Four numbers: the left, top, right and bottom edge.
    Rectangle,
    /// Only missing value.
    Missing,
}

/// What an identifier that follows an object means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Member {
    Property { term: Rc<str>, class: Option<Rc<str>> },
    Elements { class: Rc<str> },
}

/// Everything that an identifier can mean in an app.
#[derive(Clone, Debug, Default)]
struct Term {
    member: Option<Member>,
    command: Option<Rc<str>>,
    constructor: Option<Rc<str>>,
}

/// What an identifier means at one place in a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    Member(Member),
    Command(Rc<str>),
    Constructor(Rc<str>),
}

/// Properties that every object has, in any dictionary.
const UNIVERSAL: [&str; 4] = ["class", "properties", "id", "name"];

/// Properties that every application has.
const OF_APPLICATIONS: [&str; 5] = ["name", "version", "frontmost", "running", "id"];

impl Schema {
    pub(crate) fn new(dictionary: Dictionary) -> Self {
        Self { dictionary, ..Self::default() }
    }

    pub(crate) fn dictionary(&self) -> &Dictionary {
        &self.dictionary
    }

    /// Returns the class of that name. The application class exists even if the dictionary lacks it.
    pub(crate) fn class(&self, name: &str) -> Option<Rc<ClassInfo>> {
        if let Some(known) = self.classes.borrow().get(name) {
            return known.clone();
        }
        let info = self.resolve(name).map(Rc::new);
        self.classes.borrow_mut().insert(name.to_owned(), info.clone());
        info
    }

    pub(crate) fn is_a(&self, class: &str, ancestor: &str) -> bool {
        class == ancestor || self.class(class).is_some_and(|info| info.is_a(ancestor))
    }

    /// Returns what an identifier means after an object of a class, or after anything if the class is unknown.
    pub(crate) fn meaning(&self, class: Option<&str>, identifier: &str) -> Option<Meaning> {
        if class == Some(APPLICATION) && OF_APPLICATIONS.contains(&identifier) {
            return Some(property_of_any(identifier));
        }
        let info = class.and_then(|class| self.class(class));
        if let Some(member) = info.and_then(|info| info.members.get(identifier).cloned()) {
            return Some(Meaning::Member(member));
        }
        let term = self.terms.get_or_init(|| self.all_terms()).get(identifier);
        let found = term.and_then(|term| {
            let command = || term.command.clone().map(Meaning::Command);
            let member = || term.member.clone().map(Meaning::Member);
            command().or_else(member).or_else(|| term.constructor.clone().map(Meaning::Constructor))
        });
        found.or_else(|| universal(identifier))
    }

    /// Whether strict flags allow this meaning after an object of a class. Flag 1 requires that the class has the
    /// property or elements, flag 2 that it responds to the command.
    pub(crate) fn allows(&self, class: Option<&str>, meaning: &Meaning, strict: u8) -> bool {
        let Some(info) = class.and_then(|class| self.class(class)) else { return true };
        match meaning {
            Meaning::Member(Member::Property { term, .. }) if strict & 1 != 0 => {
                info.properties.contains_key(term) || UNIVERSAL.contains(&&**term)
            }
            Meaning::Member(Member::Elements { class }) if strict & 1 != 0 => info.elements.contains(class),
            Meaning::Command(name) if strict & 2 != 0 && *info.name != *APPLICATION => {
                info.responds.contains(name)
            }
            _ => true,
        }
    }

    /// Returns all commands of that name.
    pub(crate) fn commands(&self, name: &str) -> impl Iterator<Item = &Command> {
        self.dictionary.commands.iter().filter(move |command| command.name == name)
    }

    fn resolve(&self, name: &str) -> Option<ClassInfo> {
        let application = name == APPLICATION;
        let lineage = self.dictionary.lineage(name);
        if lineage.is_empty() && !application {
            return None;
        }
        let own = lineage.first().map_or(name, |class| class.name.as_str());
        let mut info = ClassInfo { name: own.into(), ..ClassInfo::default() };
        for class in lineage {
            self.inherit(&mut info, class);
        }
        self.name_by_code(&mut info, own);
        if application {
            OF_APPLICATIONS[..3]
                .iter()
                .for_each(|term| info.add_property(Rc::new(PropertyInfo::builtin(term))));
            if info.ancestors.is_empty() {
                info.ancestors.push(name.into());
            }
        }
        Some(info)
    }

    /// Makes `id` and `name` refer to the property with their code, even if the class names it differently, because
    /// an event identifies a property by its code.
    fn name_by_code(&self, info: &mut ClassInfo, class: &str) {
        for (identifier, code) in [("id", "ID  "), ("name", "pnam")] {
            let Some(property) = self.dictionary.property_of_code(class, code) else { continue };
            let Some(property) = info.properties.get(property.name.as_str()) else { continue };
            let member = Member::Property { term: Rc::clone(&property.term), class: property.class.clone() };
            info.members.entry(identifier.to_owned()).or_insert(member);
        }
    }

    fn inherit(&self, info: &mut ClassInfo, class: &Class) {
        info.ancestors.push(class.name.as_str().into());
        info.contents = info.contents.take().or_else(|| class.contents.as_deref().map(Rc::from));
        info.responds.extend(class.responds_to.iter().map(|name| Rc::from(name.as_str())));
        for property in &class.properties {
            info.add_property(Rc::new(self.property(property)));
        }
        for element in &class.elements {
            if let Some(of) = self.dictionary.class(&element.class) {
                info.add_element(of);
            }
        }
    }

    fn property(&self, property: &Property) -> PropertyInfo {
        let types = self.types(&property.kind);
        let telling = types.iter().find(|each| each.kind != Kind::Missing);
        let kind = telling.map_or(Kind::Plain, |each| each.kind);
        let is_class =
            |each: &&Type| each.kind == Kind::Object && self.dictionary.class(&each.name).is_some();
        let class = telling.filter(is_class).map(|each| Rc::clone(&each.name));
        let (term, identifier) = (property.name.as_str().into(), identifier(&property.name));
        PropertyInfo { term, identifier, kind, types, access: property.access, class }
    }

    /// Returns the types that a property or parameter accepts.
    pub(crate) fn types(&self, of: &TypeExpr) -> Vec<Type> {
        let one = |each: &TypeRef| {
            let (kind, name) = self.kind(&each.name);
            Type { kind, name: name.into(), list: each.list }
        };
        of.0.iter().map(one).collect()
    }

    fn kind<'a>(&'a self, name: &'a str) -> (Kind, &'a str) {
        let kind = match name {
            "text" | "rich text" | "string" | "styled text" | "unicode text" => Kind::Text,
            "integer" | "real" | "number" | "double integer" => Kind::Number,
            "boolean" => Kind::Boolean,
            "date" => Kind::Date,
            "file" | "alias" => Kind::File,
            "type" | "type class" => Kind::Class,
            "specifier" | "location specifier" => Kind::Object,
            "point" => Kind::Point,
            "rectangle" | "bounding rectangle" => Kind::Rectangle,
            "missing value" => Kind::Missing,
            name if self.dictionary.enumerations.contains_key(name) => Kind::Enumerator,
            name => match self.dictionary.class(name) {
                Some(class) => return (Kind::Object, &class.name),
                None => Kind::Plain,
            },
        };
        (kind, name)
    }

    /// Whether an enumeration has an enumerator of that name.
    pub(crate) fn has_enumerator(&self, enumeration: &str, name: &str) -> bool {
        let found = self.dictionary.enumerations.get(enumeration);
        found.is_some_and(|all| all.enumerators.iter().any(|each| each.name == name))
    }

    fn all_terms(&self) -> HashMap<String, Term> {
        let mut terms: HashMap<String, Term> = HashMap::new();
        for class in self.dictionary.classes.values() {
            for property in &class.properties {
                let info = self.property(property);
                let member = Member::Property { term: info.term, class: info.class };
                add(&mut terms, &property.name, |term| _ = term.member.get_or_insert(member));
            }
        }
        for class in self.dictionary.classes.values() {
            let member = Member::Elements { class: class.name.as_str().into() };
            add(&mut terms, &class.plural, |term| _ = term.member.get_or_insert(member));
            if let Some(constructor) = Identifier::of_class(&class.name) {
                let term = terms.entry(constructor.as_str().to_owned()).or_default();
                term.constructor = Some(class.name.as_str().into());
            }
        }
        for command in &self.dictionary.commands {
            let name: Rc<str> = command.name.as_str().into();
            add(&mut terms, &command.name, |term| _ = term.command.get_or_insert(name));
        }
        terms
    }
}

fn add(terms: &mut HashMap<String, Term>, name: &str, set: impl FnOnce(&mut Term)) {
    if let Some(identifier) = Identifier::of(name) {
        set(terms.entry(identifier.as_str().to_owned()).or_default());
    }
}

fn universal(identifier: &str) -> Option<Meaning> {
    UNIVERSAL.contains(&identifier).then(|| property_of_any(identifier))
}

fn property_of_any(term: &str) -> Meaning {
    Meaning::Member(Member::Property { term: term.into(), class: None })
}

/// Converts a term to the identifier that scripts use.
pub(crate) fn identifier(term: &str) -> Rc<str> {
    Identifier::of(term).map_or_else(|| term.into(), |identifier| identifier.as_str().into())
}

impl ClassInfo {
    /// Returns the member that an identifier means after an object of this class.
    pub(crate) fn member(&self, identifier: &str) -> Option<&Member> {
        self.members.get(identifier)
    }

    /// Returns the property with that term or identifier.
    pub(crate) fn property(&self, name: &str) -> Option<&Rc<PropertyInfo>> {
        self.properties.get(name).or_else(|| match self.members.get(name)? {
            Member::Property { term, .. } => self.properties.get(term),
            Member::Elements { .. } => None,
        })
    }

    pub(crate) fn is_a(&self, ancestor: &str) -> bool {
        self.ancestors.iter().any(|each| &**each == ancestor)
    }

    fn add_property(&mut self, property: Rc<PropertyInfo>) {
        let member = Member::Property { term: Rc::clone(&property.term), class: property.class.clone() };
        self.members.entry(property.identifier.to_string()).or_insert(member);
        self.properties.entry(Rc::clone(&property.term)).or_insert(property);
    }

    fn add_element(&mut self, class: &Class) {
        let name: Rc<str> = class.name.as_str().into();
        let member = Member::Elements { class: Rc::clone(&name) };
        self.members.entry(identifier(&class.plural).to_string()).or_insert(member);
        if !self.elements.contains(&name) {
            self.elements.push(name);
        }
    }
}

impl PropertyInfo {
    fn builtin(term: &str) -> Self {
        let (term, identifier) = (term.into(), identifier(term));
        Self { term, identifier, kind: Kind::Plain, types: Vec::new(), access: Access::Read, class: None }
    }
}
