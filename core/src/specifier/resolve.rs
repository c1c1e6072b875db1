//! Resolves a [`Specifier`] to a [`Path`]: every name is checked against the dictionary.

use std::sync::Arc;

use super::{By, Container, Member, Path, Segment, Specifier, SpecifierError};
use crate::dictionary::{APPLICATION, Class, Dictionary, Identifier, Property, TypeExpr, TypeRef, names};
use crate::words::RefId;

/// The meaning of a specifier in one app.
#[derive(Clone, Debug, PartialEq)]
pub struct Resolved {
    /// The path.
    pub path: Path,
    /// The object or value at its end, according to the dictionary.
    pub target: Target,
    /// The path to try if the first one leads to no object: the application property that a named element may mean.
    pub fallback: Option<Path>,
}

/// The end of a path.
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    /// An object of this class.
    Object(String),
    /// A property. It holds a value, or an object that is known only from the app's answer.
    Property(TypeExpr),
}

/// How many similar names an error suggests.
pub(super) const NEAR: usize = 5;

/// If a class has no more properties than this, an error can list all of them.
const FEW: usize = 30;

/// A function that returns the path of a reference to this app.
pub type Held<'a> = dyn FnMut(&RefId) -> Result<Path, SpecifierError> + 'a;

impl Specifier {
    /// Checks a specifier against a dictionary.
    ///
    /// # Errors
    /// An unknown name with the nearest known ones, a value where an object is needed, or the error of `held`.
    pub fn resolve(&self, dictionary: &Dictionary, held: &mut Held<'_>) -> Result<Resolved, SpecifierError> {
        with_fallback(dictionary, false, held, |walk| walk.specifier(self))
    }
}

impl Container {
    /// Checks a container against a dictionary, as [`Specifier::resolve`] does.
    ///
    /// # Errors
    /// As [`Specifier::resolve`]. A property with a plain value is not a container.
    pub fn resolve(&self, dictionary: &Dictionary, held: &mut Held<'_>) -> Result<Resolved, SpecifierError> {
        with_fallback(dictionary, false, held, |walk| walk.container(self).map(object))
    }

    /// Checks a container that may lead through `every` element of a collection.
    ///
    /// # Errors
    /// As [`Container::resolve`].
    pub(crate) fn resolve_all(
        &self,
        dictionary: &Dictionary,
        held: &mut Held<'_>,
    ) -> Result<Resolved, SpecifierError> {
        with_fallback(dictionary, true, held, |walk| walk.container(self).map(object))
    }
}

/// Resolves a specifier as it is written. If names in it may mean application properties, resolves it a second time
/// with that meaning.
fn with_fallback(
    dictionary: &Dictionary,
    spreads: bool,
    held: &mut Held<'_>,
    resolve: impl Fn(&mut Walk<'_, '_>) -> Result<Resolved, SpecifierError>,
) -> Result<Resolved, SpecifierError> {
    let mut walk = Walk { dictionary, spreads, held, names_are_properties: false, met_one: false };
    let mut resolved = resolve(&mut walk)?;
    if walk.met_one {
        walk.names_are_properties = true;
        resolved.fallback = Some(resolve(&mut walk)?.path);
    }
    Ok(resolved)
}

impl Path {
    /// Returns the collection of a container's elements of one class: the step, without the choice of an element.
    ///
    /// # Errors
    /// The class is unknown, or is not an element of the container's class.
    pub fn collection(&self, dictionary: &Dictionary, element: &str) -> Result<Arc<Member>, SpecifierError> {
        let owner = self.class();
        let class = find_element(dictionary, owner, element)
            .ok_or_else(|| unknown_element(dictionary, owner, element).held_by(&self.to_text()))?;
        let identifier = Identifier::of(&class.plural)
            .ok_or_else(|| SpecifierError::NoIdentifier(class.plural.clone()))?;
        Ok(Arc::new(Member { term: class.name.clone(), identifier, class: class.name.clone() }))
    }
}

/// Returns the property of a class, in any spelling.
///
/// # Errors
/// [`SpecifierError::UnknownProperty`] with the nearest known ones.
pub(crate) fn find_property<'a>(
    dictionary: &'a Dictionary,
    owner: &str,
    term: &str,
) -> Result<&'a Property, SpecifierError> {
    let found = if owner.is_empty() { anywhere(dictionary, term) } else { dictionary.property(owner, term) };
    found.ok_or_else(|| {
        if let Some((_, class)) = dictionary.element(owner, term) {
            return SpecifierError::IsElement { element: class.name.clone(), owner: owner.to_owned() };
        }
        let known = dictionary.properties(owner);
        let mut near = of_kinds(dictionary, owner, term);
        near.extend(near_properties(dictionary, owner, term));
        // No name is similar, but there are so few names that the error can show all of them.
        if near.is_empty() && known.len() <= FEW {
            near = known.iter().filter(|p| !p.hidden).map(|p| p.name.clone()).collect();
        }
        SpecifierError::UnknownProperty { property: term.to_owned(), owner: owner.to_owned(), near }
    })
}

/// How many kinds an error names. Each is a way to go on, and one is enough.
const KINDS: usize = 3;

/// A property that only some kinds of a class have: `smart of every user playlist`.
fn of_kinds(dictionary: &Dictionary, owner: &str, term: &str) -> Vec<String> {
    let is_kind = |class: &&Class| class.name != owner && dictionary.is_a(&class.name, owner);
    let has = |class: &Class| {
        let property = dictionary.property(&class.name, term)?;
        Some(format!("{} of every {}", property.name, class.name))
    };
    dictionary.classes.values().filter(is_kind).filter_map(has).take(KINDS).collect()
}

/// Suggestions for a property that a class does not have: the property that the word means, the path to an object that
/// has it (`current tab of front window`), properties with a similar spelling, and properties that end with the same
/// word.
pub(super) fn near_properties(dictionary: &Dictionary, owner: &str, words: &str) -> Vec<String> {
    let known: Vec<&Property> =
        dictionary.properties(owner).into_iter().filter(|each| !each.hidden).collect();
    let last = |name: &str| names::split(name).pop();
    let (is_many, wanted) = (names::split(words).len() > 1, last(words));
    let is_alike = |name: &&str| is_many && last(name) == wanted;
    let terms = || known.iter().map(|each| each.name.as_str());
    let is_file =
        |each: &&&Property| each.kind.0.iter().any(|kind| kind.name == "file" || kind.name == "alias");
    let files = known.iter().filter(is_file).map(|each| format!("POSIX path of {}", each.name));
    let mut near: Vec<String> =
        dictionary.meant(owner, words).map(|each| each.name.clone()).into_iter().collect();
    near.extend(files.filter(|_| names::key(words) == "posixpath"));
    // `has attachments` is a count.
    if near.is_empty()
        && let Some(has) = dictionary.meant_element(owner, words).filter(|_| words.starts_with("has"))
    {
        near.push(format!("count of {} > 0", has.plural));
    }
    if near.is_empty() {
        near = ways(dictionary, owner, words);
    }
    near.extend(names::near(words, terms(), NEAR));
    near.extend(terms().filter(is_alike).map(str::to_owned));
    if near.is_empty() {
        // `date added` shares a word with the dates that the class has.
        let own = names::split(words);
        let shares = |name: &&str| names::split(name).iter().any(|word| word.len() > 2 && own.contains(word));
        near.extend(terms().filter(shares).map(str::to_owned));
    }
    let mut told: Vec<String> = Vec::new();
    for each in near {
        if told.len() < NEAR && !told.contains(&each) {
            told.push(each);
        }
    }
    told
}

/// How many paths to suggest. More of them would not help.
const MOST_WAYS: usize = 2;

/// The paths from an object to related objects that have a property: through its own properties, or through its
/// elements.
fn ways(dictionary: &Dictionary, owner: &str, words: &str) -> Vec<String> {
    let has = |class: &str| dictionary.property(class, words).map(|property| property.name.as_str());
    let held = dictionary.properties(owner).into_iter().filter(|property| !property.hidden);
    let over_properties = held.filter_map(|property| {
        let class = class_of(dictionary, &property.kind)?;
        Some(format!("{} of {}", has(class)?, property.name))
    });
    let elements = dictionary.elements(owner).into_iter().filter(|element| !element.hidden);
    let over_elements = elements.filter_map(|element| {
        let place = if element.class == "window" {
            "front window".to_owned()
        } else {
            format!("{} 1", element.class)
        };
        Some(format!("{} of {place}", has(&element.class)?))
    });
    over_properties.chain(over_elements).take(MOST_WAYS).collect()
}

/// Returns the property from a class that inherits from the owner's class. A dictionary says, for example, that a
/// property holds a track, and the object is a file track, which has a location. The app decides.
pub(super) fn of_heir<'a>(dictionary: &'a Dictionary, owner: &str, term: &str) -> Option<&'a Property> {
    let heirs = dictionary.classes.keys().filter(|heir| dictionary.is_a(heir, owner));
    heirs.filter_map(|heir| dictionary.property(heir, term)).next()
}

/// If the dictionary does not say what an object is, a call may ask for any property that it knows; the app decides.
fn anywhere<'a>(dictionary: &'a Dictionary, term: &str) -> Option<&'a Property> {
    dictionary.classes.keys().find_map(|class| dictionary.property(class, term))
}

pub(super) fn find_element<'a>(dictionary: &'a Dictionary, owner: &str, term: &str) -> Option<&'a Class> {
    if owner.is_empty() {
        return dictionary.class(term);
    }
    dictionary.element(owner, term).map(|(_, class)| class).or_else(|| subclass(dictionary, owner, term))
}

/// A collection holds objects of subclasses too: Finder's folders are items of a container.
fn subclass<'a>(dictionary: &'a Dictionary, owner: &str, term: &str) -> Option<&'a Class> {
    let class = dictionary.class(term)?;
    let mut held = dictionary.elements(owner).into_iter();
    held.any(|element| dictionary.is_a(&class.name, &element.class)).then_some(class)
}

pub(super) fn unknown_element(dictionary: &Dictionary, owner: &str, element: &str) -> SpecifierError {
    let known = dictionary.elements(owner);
    let mut near = names::near(element, known.iter().map(|e| e.class.as_str()), NEAR);
    if near.is_empty() {
        near = known.iter().take(NEAR).map(|e| e.class.clone()).collect();
    }
    SpecifierError::UnknownElement { element: element.to_owned(), owner: owner.to_owned(), near }
}

fn object(path: Path) -> Resolved {
    let target = Target::Object(path.class().to_owned());
    Resolved { path, target, fallback: None }
}

struct Walk<'a, 'h> {
    dictionary: &'a Dictionary,
    /// Whether `every` may occur in the path.
    spreads: bool,
    held: &'a mut Held<'h>,
    names_are_properties: bool,
    met_one: bool,
}

impl Walk<'_, '_> {
    fn specifier(&mut self, specifier: &Specifier) -> Result<Resolved, SpecifierError> {
        match specifier {
            Specifier::Property { property, of } => {
                let owner = self.container(of)?;
                self.property(&owner, property)
            }
            other => self.object(other).map(object),
        }
    }

    fn container(&mut self, container: &Container) -> Result<Path, SpecifierError> {
        match container {
            Container::Reference(id) => (self.held)(id),
            Container::Specifier(specifier) => self.object(specifier),
        }
    }

    fn object(&mut self, specifier: &Specifier) -> Result<Path, SpecifierError> {
        match specifier {
            Specifier::Application => Ok(Path::application()),
            Specifier::Element { element, index, container } => {
                // The server replaces an index that counts from the end before it resolves anything.
                let index =
                    u32::try_from(*index).map_err(|_| unanswered("a place that counts from the end"))?;
                self.pick(element, By::Index(index), container)
            }
            Specifier::Named { element, name, container } => self.named(element, name, container),
            Specifier::Id { element, id, container } => self.pick(element, By::Id(id.clone()), container),
            Specifier::Filter { .. } => Err(unanswered("a filter")),
            Specifier::Every { element, container, filter: None, range: None } if self.spreads => {
                self.pick(element, By::Every, container)
            }
            Specifier::Every { .. } => Err(unanswered("`every`")),
            Specifier::Text(_) => Err(unanswered("a text")),
            Specifier::Property { property, of } => {
                let owner = self.container(of)?;
                let found = self.property(&owner, property)?;
                match found.target {
                    Target::Object(_) => Ok(found.path),
                    Target::Property(kind) => not_an_object(&owner, property, &kind, found.path),
                }
            }
        }
    }

    fn named(&mut self, element: &str, name: &str, container: &Container) -> Result<Path, SpecifierError> {
        let path = self.pick(element, By::Name(name.to_owned()), container)?;
        let meant = self.meant_property(&path, name);
        self.met_one |= meant.is_some();
        Ok(meant.filter(|_| self.names_are_properties).unwrap_or(path))
    }

    fn pick(&mut self, element: &str, by: By, container: &Container) -> Result<Path, SpecifierError> {
        let from = self.container(container)?;
        self.element(&from, element, by)
    }

    fn element(&self, from: &Path, element: &str, by: By) -> Result<Path, SpecifierError> {
        Ok(from.then(Segment::Element(from.collection(self.dictionary, element)?, by)))
    }

    fn property(&self, owner: &Path, term: &str) -> Result<Resolved, SpecifierError> {
        let of_heir = || of_heir(self.dictionary, owner.class(), term);
        let found = find_property(self.dictionary, owner.class(), term);
        let property =
            found.or_else(|error| of_heir().ok_or(error)).map_err(|error| error.held_by(&owner.to_text()))?;
        let class = class_of(self.dictionary, &property.kind);
        let member = member(property, class.unwrap_or_default())?;
        let path = owner.then(Segment::Property(Arc::new(member)));
        let target = match class {
            Some(class) => Target::Object(class.to_owned()),
            None => Target::Property(property.kind.clone()),
        };
        Ok(Resolved { path, target, fallback: None })
    }

    /// Mail's `inbox` is a property of the application, but people ask for a mailbox of that name.
    fn meant_property(&self, path: &Path, name: &str) -> Option<Path> {
        let (Path(None), Segment::Element(wanted, _)) = path.last()? else { return None };
        let found = self.property(&Path::application(), name).ok()?;
        let Target::Object(class) = &found.target else { return None };
        self.dictionary.is_a(class, &wanted.class).then_some(found.path)
    }
}

/// The error for a specifier that has no path until the app answers.
fn unanswered(what: &str) -> SpecifierError {
    SpecifierError::Form {
        place: "specifier".to_owned(),
        wrong: format!("{what} has no path until the app has answered"),
    }
}

fn member(property: &Property, class: &str) -> Result<Member, SpecifierError> {
    let identifier =
        Identifier::of(&property.name).ok_or_else(|| SpecifierError::NoIdentifier(property.name.clone()))?;
    Ok(Member { term: property.name.clone(), identifier, class: class.to_owned() })
}

/// The class of the object that a property holds, if it holds one and not a list.
pub(super) fn class_of<'a>(dictionary: &'a Dictionary, kind: &TypeExpr) -> Option<&'a str> {
    let single = kind.0.iter().filter(|each| !each.list);
    single
        .filter_map(|each| dictionary.classes.get(&each.name))
        .map(|class| class.name.as_str())
        .find(|name| *name != APPLICATION)
}

/// A property of an open type (`specifier`, `any`, none) may hold an object.
pub(super) fn is_open(kind: &TypeExpr) -> bool {
    let named = |each: &TypeRef| matches!(each.name.as_str(), "specifier" | "any" | "reference");
    kind.0.is_empty() || kind.0.iter().any(named)
}

/// A property whose type the dictionary leaves open may still hold an object.
fn not_an_object(owner: &Path, property: &str, kind: &TypeExpr, path: Path) -> Result<Path, SpecifierError> {
    if is_open(kind) {
        return Ok(path);
    }
    let (property, owner) = (property.to_owned(), owner.class().to_owned());
    Err(SpecifierError::NotAnObject { property, owner, kind: kind.to_string() })
}
