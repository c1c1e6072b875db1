//! The destination of a new object: a given place, another new object, or the app's own choice.

use std::sync::Arc;

use serde_json::{Value as Json, json};

use super::{Tree, no_class};
use crate::action::Into;
use crate::change::Look;
use crate::dictionary::{APPLICATION, Identifier, Property};
use crate::fault::{Code, Fault};
use crate::marshal::{Given, Place};
use crate::permission::may_read;
use crate::specifier::{Member, Path, Segment};
use crate::step::World;
use crate::step::create::Chosen;

/// Apps in which `make` needs the container itself, and not a place among its elements.
///
/// # Source
/// Finder's items have no order: published scripts say `make({new: "folder", at: folder})`.
const BY_CONTAINER: [&str; 1] = ["com.apple.finder"];

/// The first word of properties that say where new objects go.
const DEFAULT: &str = "default ";

/// The depth of nested defaults: an account, and a folder in it.
const DEEPEST: usize = 3;

/// The property for an object's container, and the property for that container's name.
pub(in crate::step::create) const CONTAINER: &str = "container";
pub(in crate::step::create) const CALLED: &str = "name";

/// The most classes that an error names as possible containers.
const MOST_OWNERS: usize = 5;

/// The new object's class, its destination in the script, and the container by which the gate judges it.
pub(super) struct Spot {
    pub(super) class: String,
    pub(super) into: Into,
    pub(super) container: Path,
}

/// The collection for a new object: the properties that lead to it, and the collection itself.
type Found = (Vec<Identifier>, Arc<Member>);

impl Tree<'_> {
    /// The one document that takes objects of a class if the app itself does not, such as OmniFocus' default document.
    /// Specifiers as text mean it too.
    pub(super) fn document_for(&self, class: &str) -> Option<Json> {
        if self.own_elements(APPLICATION, class).is_some() {
            return None;
        }
        let holds = |property: &&&Property| {
            let mut held = property.kind.0.iter().filter(|kind| !kind.list);
            held.any(|kind| {
                self.dictionary.is_a(&kind.name, "document") && self.own_elements(&kind.name, class).is_some()
            })
        };
        match self.dictionary.properties(APPLICATION).iter().filter(holds).collect::<Vec<_>>().as_slice() {
            [only] => Some(json!({ "type": "property", "property": only.name, "of": "application" })),
            _ => None,
        }
    }

    /// Whether the app has elements of a class, so that it can choose a destination for a new one.
    ///
    /// # Errors
    /// Only other objects have elements of this class; the error names them, before anyone is asked.
    pub(super) fn has_a_place(&self, class: &str, place: &str) -> Result<(), Fault> {
        let holds = |owner: &str| self.own_elements(owner, class).is_some();
        let owners = self.dictionary.classes.values().filter(|each| !each.hidden && holds(&each.name));
        let owners: Vec<&str> = owners.map(|each| each.name.as_str()).take(MOST_OWNERS).collect();
        let Some(first) = owners.first().filter(|_| !holds(APPLICATION)) else { return Ok(()) };
        let message =
            format!("`{place}` is missing: a new `{class}` must be put into one of: {}", owners.join(", "));
        let fault = Fault::new(Code::InvalidParameter, message, format!("add `at`, such as {first} \"…\""));
        Err(fault.with("parameter", place).with("near", owners.clone()))
    }

    /// The app's default destination for a class; `None` if only the application has elements of it.
    pub(super) fn default_of(&self, class: &str) -> Option<Chosen> {
        let mut home = Path::application();
        while let Some(member) =
            self.default_in(home.class(), class).filter(|_| home.segments().len() < DEEPEST)
        {
            home = home.then(Segment::Property(Arc::new(member)));
        }
        if home.last().is_some() {
            return Some(Chosen::Default(home));
        }
        let others = self.dictionary.classes.values().filter(|each| !each.hidden && each.name != APPLICATION);
        let mut others = others.filter(|each| self.own_elements(&each.name, class).is_some());
        others.next().map(|_| Chosen::Unknown)
    }

    /// The property of an object that says where new objects of a class go in it, such as `default list`.
    fn default_in(&self, owner: &str, class: &str) -> Option<Member> {
        let held = |property: &&Property| {
            let kinds = property.kind.0.iter().filter(|kind| !kind.list);
            let holder = kinds.map(|kind| kind.name.as_str()).find(|kind| {
                // A new folder does not go into the default folder.
                !self.dictionary.is_a(kind, class) && self.own_elements(kind, class).is_some()
            })?;
            Some(holder.to_owned()).filter(|_| property.name.starts_with(DEFAULT))
        };
        let all = self.dictionary.properties(owner);
        let all: Vec<_> = all.iter().filter_map(|each| Some((*each, held(each)?))).collect();
        // New reminders go into the default list, not just into the default account.
        let is_outer = |holder: &str| {
            all.iter().any(|(_, inner)| inner != holder && self.own_elements(holder, inner).is_some())
        };
        let (property, holder) = all.iter().find(|(_, holder)| !is_outer(holder))?;
        Some(Member {
            term: property.name.clone(),
            identifier: Identifier::of(&property.name)?,
            class: holder.clone(),
        })
    }

    /// The container of an object and its name, as far as the client may read it.
    pub(super) fn told_of_home(&self, class: &str, world: &World<'_>) -> Vec<(String, Look)> {
        let may = |term: &str| may_read(term, self.app, world.gate, world.now);
        let home = self.dictionary.property(class, CONTAINER).and_then(|home| Identifier::of(&home.name));
        let (Some(home), Some(name)) = (home, Identifier::of(CALLED)) else { return Vec::new() };
        let told = [(CONTAINER, vec![home.clone()]), (CALLED, vec![home, name])];
        if !may(CONTAINER) || !may(CALLED) {
            return Vec::new();
        }
        told.into_iter().map(|(told, way)| (told.to_owned(), Look::Property(way))).collect()
    }

    /// A place in or beside an existing object.
    pub(super) fn at(
        &self,
        class: Option<String>,
        at: &Json,
        place: &str,
        world: &mut World<'_>,
    ) -> Result<Spot, Fault> {
        let inside = |name: &str| if place.is_empty() { name.to_owned() } else { format!("{place}.{name}") };
        match self.value(at, "location specifier", class.clone(), &inside("at"), world)? {
            Given::Place(position) => {
                let container = match &position {
                    Place::Beginning(of, _) | Place::End(of, _) => Some(of),
                    Place::Before(of) | Place::After(of) => of.last().map(|(container, _)| container),
                };
                let container = container.cloned().unwrap_or_else(Path::application);
                let class = class.unwrap_or_else(|| match &position {
                    Place::Beginning(_, member) | Place::End(_, member) => member.class.clone(),
                    Place::Before(of) | Place::After(of) => of.class().to_owned(),
                });
                Ok(Spot { class, into: Into::At(Given::Place(position)), container })
            }
            Given::Object(path) => {
                let (class, found) = self.among(path.class(), class, &inside("class"))?;
                let into = match found {
                    Some((through, member)) => Into::In(path.clone(), through, member),
                    None => Into::At(Given::Object(path.clone())),
                };
                Ok(Spot { class, into, container: path })
            }
            _ => Err(no_class(&inside("at"))),
        }
    }

    /// A place in another new object, which is made earlier.
    pub(super) fn in_parent(&self, class: Option<String>, parent: usize, place: &str) -> Result<Spot, Fault> {
        let (class, found) = self.among(&self.nodes[parent].class, class, place)?;
        let into = match found {
            Some((through, member)) => Into::Child(parent, through, member),
            None => Into::AtChild(parent),
        };
        Ok(Spot { class, into, container: self.ways[parent].clone() })
    }

    /// The class of a child, and the elements that it joins. If no class is given, the object's only kind of element
    /// decides.
    fn among(
        &self,
        owner: &str,
        class: Option<String>,
        place: &str,
    ) -> Result<(String, Option<Found>), Fault> {
        let all = self.dictionary.elements(owner);
        let class = match (class, all.iter().filter(|each| !each.hidden).collect::<Vec<_>>().as_slice()) {
            (Some(class), _) => class,
            (None, [only]) => only.class.clone(),
            (None, several) => {
                let names: Vec<&str> = several.iter().map(|each| each.class.as_str()).collect();
                let message = format!(
                    "`{place}` is missing, and `{owner}` has elements of several classes: {}",
                    names.join(", ")
                );
                let fault = Fault::new(Code::InvalidParameter, message, "name the class");
                return Err(fault.with("parameter", place).with("near", names));
            }
        };
        let by_container = BY_CONTAINER.iter().any(|id| id.eq_ignore_ascii_case(&self.app.bundle_id));
        let found = if by_container { None } else { self.elements(owner, &class) };
        Ok((class, found))
    }

    /// The collection that takes an object of this class: the owner's own, or that of its text.
    fn elements(&self, owner: &str, class: &str) -> Option<Found> {
        if let Some(member) = self.own_elements(owner, class) {
            return Some((Vec::new(), member));
        }
        let through = |property: &&Property| {
            let kind = property.kind.0.iter().find(|kind| kind.name.ends_with("text"))?;
            Some((vec![Identifier::of(&property.name)?], self.own_elements(&kind.name, class)?))
        };
        self.dictionary.properties(owner).iter().find_map(through)
    }

    fn own_elements(&self, owner: &str, class: &str) -> Option<Arc<Member>> {
        let all = self.dictionary.elements(owner);
        let exact = all.iter().find(|each| each.class == class);
        let element = exact.or_else(|| all.iter().find(|each| self.dictionary.is_a(class, &each.class)))?;
        let identifier = Identifier::of(&self.dictionary.class(&element.class)?.plural)?;
        Some(Arc::new(Member { term: class.to_owned(), identifier, class: class.to_owned() }))
    }
}
