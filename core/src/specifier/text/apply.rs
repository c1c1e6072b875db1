//! Combines a step and its owner to one specifier, checked against the dictionary.

use serde_json::Value as Json;

use super::Parser;
use super::chain::Test;
use super::error::{Fail, shown};
use super::step::How;
use crate::dictionary::{APPLICATION, Property, TypeRef};
use crate::filter::{Compare, Filter, Operator};
use crate::specifier::read::{NAME_CODE, called_by, holders_apart};
use crate::specifier::{Container, Specifier, SpecifierError, resolve};
use crate::words::RefId;

/// The result of a chain so far.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Owner {
    pub(super) container: Container,
    pub(super) class: Class,
    /// Whether the text names the application as the container.
    pub(super) explicit: bool,
}

/// What the dictionary says about the class of an object.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Class {
    /// An object of a class.
    Of(String),
    /// The dictionary leaves it open, so that the app decides.
    Open,
    /// A value, which has no properties: the property that holds it, the class of its owner, and its type.
    Value(String, String, String),
}

impl Class {
    /// The name of the class; empty if the dictionary does not say.
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Of(name) => name,
            Self::Open | Self::Value(..) => "",
        }
    }
}

impl Owner {
    pub(super) fn base(container: Container, class: Class) -> Self {
        Self { container, class, explicit: false }
    }

    pub(super) fn reference(id: RefId) -> Self {
        Self::base(Container::Reference(id), Class::Open)
    }

    /// A file. What its path means depends on what the words want of it, and on the home folder.
    pub(super) fn file(path: &str) -> Self {
        Self::of(Specifier::Text(path.to_owned()), Class::Open)
    }

    fn of(specifier: Specifier, class: Class) -> Self {
        Self::base(Container::Specifier(Box::new(specifier)), class)
    }

    /// Whether it means all elements of a container, so that a test may select among them.
    pub(super) fn is_collection(&self) -> bool {
        let Container::Specifier(specifier) = &self.container else { return false };
        matches!(**specifier, Specifier::Every { filter: None, range: None, .. })
    }

    /// The elements that pass a test; `None` if it is not a collection.
    pub(super) fn filtered(mut self, test: Filter<String>) -> Option<Self> {
        let Container::Specifier(specifier) = &mut self.container else { return None };
        let Specifier::Every { filter: filter @ None, range: None, .. } = &mut **specifier else {
            return None;
        };
        *filter = Some(test);
        Some(self)
    }

    fn is_application(&self) -> bool {
        self.container.is_application()
    }

    /// Whether it means many objects, or one in each of many.
    fn is_of_many(&self) -> bool {
        let mut next = Some(&self.container);
        while let Some(Container::Specifier(specifier)) = next {
            if matches!(**specifier, Specifier::Every { .. }) {
                return true;
            }
            next = specifier.container();
        }
        false
    }
}

/// How many classes with the element an error names.
const MOST_HOLDERS: usize = 5;

/// The classes in which a name with a colon is a path of the classic Mac OS.
pub(super) const FILES: [&str; 7] =
    ["file", "folder", "alias", "disk", "item", "alias file", "document file"];

impl Parser<'_> {
    /// A property of an object; `reach` is how far the text was read.
    pub(super) fn property(&self, owner: &Owner, term: &str, at: usize, reach: usize) -> Result<Owner, Fail> {
        if let Class::Value(property, of, kind) = &owner.class {
            return Err(Fail::unknown(reach, not_an_object(property, of, kind)));
        }
        let class = owner.class.name();
        let Some(property) = self.property_of(class, term) else {
            return Err(self.no_property(owner, term, at, reach));
        };
        let kind = match resolve::class_of(self.dictionary, &property.kind) {
            Some(class) => Class::Of(class.to_owned()),
            None if resolve::is_open(&property.kind) => Class::Open,
            None => Class::Value(property.name.clone(), class.to_owned(), property.kind.to_string()),
        };
        let of = owner.container.clone();
        Ok(Owner::of(Specifier::Property { property: property.name.clone(), of }, kind))
    }

    /// The property of a class, or of a class that inherits from it: the app decides which of them the object is.
    pub(super) fn property_of(&self, class: &str, term: &str) -> Option<&Property> {
        let dictionary = self.dictionary;
        if class.is_empty() {
            return dictionary.classes.keys().find_map(|class| dictionary.property(class, term));
        }
        dictionary.property(class, term).or_else(|| resolve::of_heir(dictionary, class, term))
    }

    fn no_property(&self, owner: &Owner, term: &str, at: usize, reach: usize) -> Fail {
        let class = owner.class.name();
        if !owner.is_application() && self.dictionary.property(APPLICATION, term).is_some() {
            let wrong = format!("{} is a property of the application, not of `{class}`", shown(term));
            let instead = "leave the container behind it out, or put a filter at the end of the text";
            return Fail::refused(at, reach, wrong, instead);
        }
        let near = resolve::near_properties(self.dictionary, class, term);
        let owner = class.to_owned();
        Fail::unknown(reach, SpecifierError::UnknownProperty { property: term.to_owned(), owner, near })
    }

    /// Elements of a container. The flag says whether the parser added a container that the text left out.
    pub(super) fn element(
        &self,
        owner: &Owner,
        class: usize,
        how: &How,
        test: Option<Test>,
        (at, reach): (usize, usize),
    ) -> Result<(Owner, bool), Fail> {
        // With a test, the first one is the first match: `process 1 whose frontmost is true`.
        let is_match = test.as_ref().is_some_and(|test| test.step == 0);
        let how = match how {
            How::Index(0) if is_match => &How::First,
            How::Index(-1) if is_match => &How::Last,
            how => how,
        };
        let element = self.class_at(class).map(|class| class.name.clone()).unwrap_or_default();
        let outer = owner.class.name();
        let meant = match outer.is_empty() || owner.is_application() || self.has_element(outer, &element) {
            true => None,
            false => self.dictionary.meant_element(outer, &element),
        };
        let element = meant.map_or(element, |class| class.name.clone());
        let is_all = match how {
            How::Every => true,
            How::First | How::Last => test.is_some(),
            How::Name(_) => self.name_of(&element).is_some(),
            _ => false,
        };
        let all = is_all.then(|| self.all_holders(owner, &element)).flatten();
        let is_anywhere = all.is_some();
        let (holder, added) = match all {
            Some(holder) => (holder, true),
            None => self.holder(owner, &element, reach)?,
        };
        if let Some(test) = &test
            && !how.takes_test()
        {
            return Err(untestable(&element, how, test.at, reach));
        }
        if test.is_some() && !is_anywhere && matches!(how, How::First | How::Last) && holder.is_of_many() {
            return Err(one_of_each(&element, how, (at, reach)));
        }
        let (element_of, container) = (element.clone(), holder.container.clone());
        let specifier = match (how, test) {
            (How::Every, test) => every(element, container, test.map(|test| test.filter), None),
            (How::Range(from, to), _) => every(element, container, None, Some((*from, *to))),
            (How::First | How::Last, Some(Test { filter, .. })) => Specifier::Filter {
                element,
                container,
                filter,
                limit: 1,
                last: *how == How::Last,
                only: false,
            },
            (How::First, None) => Specifier::Element { element, index: 0, container },
            (How::Last, None) => Specifier::Element { element, index: -1, container },
            (How::Index(index), _) => Specifier::Element { element, index: *index, container },
            (How::Name(name), _)
                if (is_anywhere || self.is_apart(&holder, &element, name))
                    && let Some(property) = self.name_of(&element) =>
            {
                let value = Json::from(name.as_str());
                let compare = Compare { property, operator: Operator::Equal, value };
                let filter = Filter::Compare(compare);
                Specifier::Filter { element, container, filter, limit: 1, last: false, only: true }
            }
            (How::Name(name), _) => {
                self.check_name(&element, name, &holder, (at, reach))?;
                Specifier::Named { element, name: name.clone(), container }
            }
            (How::Id(id), _) => Specifier::Id { element, id: id.clone(), container },
            (How::Bare, _) => {
                let wrong = format!("`{element}` alone does not say which one");
                let instead = format!("write `every {element}`, `{element} 1` or `first {element} whose …`");
                return Err(Fail::refused(at, reach, wrong, instead));
            }
        };
        Ok((Owner::of(specifier, Class::Of(element_of)), added))
    }

    /// Whether a step takes some of a collection by their class, as in `track 2 of (every track of …)`, and not
    /// elements of each object in it.
    pub(super) fn is_one_of(&self, owner: &Owner, class: usize, how: &How) -> bool {
        let Container::Specifier(specifier) = &owner.container else { return false };
        let Specifier::Every { element, range: None, .. } = &**specifier else { return false };
        let Some(class) = self.class_at(class).map(|class| class.name.as_str()) else { return false };
        !matches!(how, How::Name(_) | How::Id(_) | How::Bare | How::Every)
            && self.dictionary.is_a(element, class)
            && !self.has_element(element, class)
    }

    /// `item 2 of (every message of inbox)`: one of a collection.
    pub(super) fn item(&self, owner: Owner, how: &How, at: usize, reach: usize) -> Result<Owner, Fail> {
        let no_item = || {
            let owner = owner.class.name();
            Fail::unknown(reach, resolve::unknown_element(self.dictionary, owner, "item"))
        };
        let Container::Specifier(specifier) = &owner.container else { return Err(no_item()) };
        let (element, container, filter) = match &**specifier {
            Specifier::Every { element, container, filter, range: None } => (element, container, filter),
            Specifier::Property { property, .. } if !matches!(owner.class, Class::Of(_)) => {
                let wrong = format!("`item` of `{property}`, which is a list only in the app's answer");
                let instead =
                    format!("query `{property}` alone; the answer has a reference for each object in it");
                return Err(Fail::refused(at, reach, wrong, instead));
            }
            _ => return Err(no_item()),
        };
        let index = match how {
            How::Every => return Ok(owner),
            How::First => 0,
            How::Last => -1,
            How::Index(index) => *index,
            How::Range(from, to) if filter.is_none() => {
                let some = every(element.clone(), container.clone(), None, Some((*from, *to)));
                return Ok(Owner::of(some, owner.class.clone()));
            }
            How::Range(..) => {
                let instead = format!("list `every {element} … whose …` with `limit` and `offset`");
                return Err(Fail::refused(at, reach, "a range of those that match", instead));
            }
            _ => return Err(no_item()),
        };
        let (element, container) = (element.clone(), container.clone());
        let class = owner.class.clone();
        let specifier = match filter.clone() {
            None => Specifier::Element { element, index, container },
            Some(filter) if index == 0 || index == -1 => {
                Specifier::Filter { element, container, filter, limit: 1, last: index == -1, only: false }
            }
            Some(_) => {
                let wrong = "only the first or the last match can be named".to_owned();
                let instead = format!("list `every {element} … whose …` with `limit` and `offset`");
                return Err(Fail::refused(at, reach, wrong, instead));
            }
        };
        Ok(Owner::of(specifier, class))
    }

    fn check_name(
        &self,
        element: &str,
        name: &str,
        holder: &Owner,
        (at, reach): (usize, usize),
    ) -> Result<(), Fail> {
        let is_outermost = holder.is_application() && !holder.explicit;
        if !is_outermost || !name.contains(':') || name.starts_with('/') || !FILES.contains(&element) {
            return Ok(());
        }
        let wrong = format!("{} is a path with colons", shown(name));
        Err(Fail::refused(at, reach, wrong, "write the path with slashes, such as `POSIX file \"/Users/…\"`"))
    }

    /// The object that has the elements: the object itself, its text or contents, or the one document that the text
    /// left out.
    fn holder(&self, owner: &Owner, element: &str, reach: usize) -> Result<(Owner, bool), Fail> {
        let class = match &owner.class {
            Class::Value(property, of, kind) => {
                return Err(Fail::unknown(reach, not_an_object(property, of, kind)));
            }
            Class::Open => return Ok((owner.clone(), false)),
            Class::Of(class) => class,
        };
        if self.has_element(class, element) {
            return Ok((owner.clone(), false));
        }
        let through = |term: &str| {
            let inner = self.property(owner, term, 0, reach).ok()?;
            matches!(&inner.class, Class::Of(class) if self.has_element(class, element)).then_some(inner)
        };
        // A dictionary may name the property that holds the elements: the root task of OmniFocus' projects.
        let lineage = self.dictionary.lineage(class);
        let named = lineage.iter().filter_map(|class| class.contents.as_deref());
        if let Some(inner) = named.chain(["text", "contents"]).find_map(through) {
            return Ok((inner, false));
        }
        if owner.is_application() {
            let documents = self.dictionary.properties(APPLICATION).into_iter();
            let mut documents = documents.filter(|property| {
                let held = resolve::class_of(self.dictionary, &property.kind);
                held.is_some_and(|held| self.dictionary.is_a(held, "document"))
            });
            if let (Some(document), None) = (documents.next(), documents.next())
                && let Some(inner) = through(&document.name)
            {
                return Ok((inner, true));
            }
        }
        Err(Fail::unknown(reach, self.no_element(class, element)))
    }

    /// Every object of the only class that has these elements, if the application itself has none: `every event` means
    /// the events of every calendar.
    fn all_holders(&self, owner: &Owner, element: &str) -> Option<Owner> {
        if !owner.is_application() || self.has_element(APPLICATION, element) {
            return None;
        }
        let mut holders = self.dictionary.classes.values().filter(|class| {
            !class.hidden
                && class.name != APPLICATION
                && class.elements.iter().any(|held| held.class == element)
        });
        let only = holders.next().filter(|class| self.has_element(APPLICATION, &class.name))?;
        if holders.next().is_some() {
            return None;
        }
        let all = every(only.name.clone(), owner.container.clone(), None, None);
        Some(Owner::of(all, Class::Of(only.name.clone())))
    }

    /// Whether a name without a container cannot be looked up in the application, because the application has only some
    /// of these elements. If the application has a property of that name, such as `inbox`, the name means that
    /// property.
    fn is_apart(&self, holder: &Owner, element: &str, name: &str) -> bool {
        let own = self.dictionary.property(APPLICATION, name);
        let is_meant = |kind: &TypeRef| self.dictionary.is_a(&kind.name, element);
        holder.is_application()
            && !holder.explicit
            && !holders_apart(self.dictionary, element).is_empty()
            && !own.is_some_and(|own| own.kind.0.iter().any(is_meant))
    }

    /// The property that people name an object by.
    pub(super) fn name_of(&self, element: &str) -> Option<String> {
        let named = || self.dictionary.property_of_code(element, NAME_CODE).map(|name| name.name.clone());
        called_by(self.dictionary, element).or_else(named)
    }

    /// The way to the elements through a property of a class that inherits from the owner's: a window of Finder has no
    /// files, and the target of a Finder window has.
    fn way_to(&self, owner: &str, element: &str) -> Option<String> {
        let heirs = self
            .dictionary
            .classes
            .values()
            .filter(|class| !class.hidden && self.dictionary.is_a(&class.name, owner));
        heirs.filter(|heir| owner != APPLICATION && self.has_element(APPLICATION, &heir.name)).find_map(
            |heir| {
                // A property of an open type belongs to the heir alone, so it may be what the words mean.
                let holds = |property: &&Property| match resolve::class_of(self.dictionary, &property.kind) {
                    Some(held) => self.has_element(held, element),
                    None => heir.name != owner && resolve::is_open(&property.kind),
                };
                let way = heir.properties.iter().filter(|property| !property.hidden).find(holds)?;
                Some(format!("{element} of {} of {} 1", way.name, heir.name))
            },
        )
    }

    fn has_element(&self, class: &str, element: &str) -> bool {
        resolve::find_element(self.dictionary, class, element).is_some()
    }

    fn no_element(&self, owner: &str, element: &str) -> SpecifierError {
        let classes = self.dictionary.classes.values().filter(|class| !class.hidden);
        let holds =
            |class: &&crate::dictionary::Class| class.elements.iter().any(|held| held.class == element);
        let mut holders: Vec<String> = classes.filter(holds).map(|class| class.name.clone()).collect();
        // An object that the application holds as a property is nearer than a window: Mail's inbox than its viewers.
        let of_app = self.dictionary.properties(APPLICATION);
        let is_held = |class: &String| {
            of_app.iter().any(|own| !own.hidden && own.kind.0.iter().any(|kind| kind.name == *class))
        };
        holders.sort_by_key(|class| !is_held(class));
        holders.truncate(MOST_HOLDERS);
        if let Some(way) = self.way_to(owner, element) {
            let (element, owner, near) = (element.to_owned(), owner.to_owned(), vec![way]);
            return SpecifierError::UnknownElement { element, owner, near };
        }
        if holders.is_empty() || holders.iter().any(|holder| holder == APPLICATION) {
            return resolve::unknown_element(self.dictionary, owner, element);
        }
        SpecifierError::Elsewhere { element: element.to_owned(), owner: owner.to_owned(), holders }
    }
}

fn every(
    element: String,
    container: Container,
    filter: Option<Filter<String>>,
    range: Option<(i32, i32)>,
) -> Specifier {
    Specifier::Every { element, container, filter, range }
}

pub(super) fn not_an_object(property: &str, owner: &str, kind: &str) -> SpecifierError {
    SpecifierError::NotAnObject {
        property: property.to_owned(),
        owner: owner.to_owned(),
        kind: kind.to_owned(),
    }
}

/// The error for `first tab of every window whose …`: in AppleScript, that is one tab of each window.
fn one_of_each(element: &str, how: &How, (at, reach): (usize, usize)) -> Fail {
    let which = if *how == How::First { "first" } else { "last" };
    let wrong = format!("`{which} {element} of every …` means one in each container");
    let instead = format!(
        "write `every {element} of every … whose …` and take what you need, or name one container: `{which} {element} of … 1 whose …`"
    );
    Fail::refused(at, reach, wrong, instead)
}

fn untestable(element: &str, how: &How, at: usize, reach: usize) -> Fail {
    let every = format!("write `every {element} whose …`");
    let (wrong, instead) = match how {
        How::Bare => {
            let instead = format!("write `first {element} whose …` or `every {element} whose …`");
            (format!("`{element}` alone does not say how many"), instead)
        }
        How::Range(..) => ("a filter on a range".to_owned(), format!("{every} and give a `limit`")),
        _ => ("one object cannot be filtered".to_owned(), format!("{every} or `first {element} whose …`")),
    };
    Fail::refused(at, reach, wrong, instead)
}
