//! What elements are in: `calendar.name` of an event, or `container.name`, as if it were a property of the event.

use serde_json::{Value as Json, json};

use super::properties::{column, own_column, with_dots};
use crate::action::Column;
use crate::app::App;
use crate::change;
use crate::dictionary::{APPLICATION, Dictionary, Property, names};
use crate::fault::Fault;
use crate::specifier::{Path, Segment};

/// The word for the container of an element, of whatever class.
const CONTAINER: &str = "container";

/// How the name of a property begins that leads there: `container`, `containing project`.
const CONTAINING: &str = "contain";

/// The objects that a list of elements leads through.
pub(super) struct Outer<'a> {
    /// The containers of the elements.
    pub(super) containers: &'a [Path],
    /// Whether containers inside them are read too, so that only the next one is known.
    pub(super) is_recursive: bool,
}

impl Outer<'_> {
    /// Resolves a property of an element, or of what it is in; a property of its own comes first, and what the list leads
    /// through comes before a property that leads there, because it is read once for all elements of a container.
    ///
    /// # Errors
    /// As [`column`].
    pub(super) fn column(
        &self,
        app: &App,
        dictionary: &Dictionary,
        class: &str,
        term: &str,
    ) -> Result<Column, Fault> {
        let own = own_column(app, dictionary, class, term);
        if own.is_ok() {
            return own;
        }
        let dotted = with_dots(term);
        let path = dotted.as_deref().unwrap_or(term);
        let found = self.outer(app, dictionary, class, path);
        found.unwrap_or_else(|| column(app, dictionary, class, term))
    }

    /// `None` if the first word names nothing that the list leads through.
    fn outer(
        &self,
        app: &App,
        dictionary: &Dictionary,
        class: &str,
        term: &str,
    ) -> Option<Result<Column, Fault>> {
        let (first, rest) = term.split_once('.').map_or((term, None), |(first, rest)| (first, Some(rest)));
        let first = first.trim();
        let is_own =
            dictionary.property(class, first).is_some() || dictionary.element(class, first).is_some();
        let up = self.steps_to(first, dictionary).filter(|up| !is_own && (*up == 1 || !self.is_recursive))?;
        let owners: Vec<Path> = self.containers.iter().map(|container| container.without(up - 1)).collect();
        let class = owners.first().map(Path::class).filter(|class| *class != APPLICATION)?;
        // The object itself is said by its name.
        let label = || change::label(&app.bundle_id, dictionary, class);
        let rest = rest.map(str::to_owned).or_else(label)?;
        let containers: Vec<Path> = owners.iter().map(|owner| owner.without(1)).collect();
        let around = Outer { containers: &containers, is_recursive: self.is_recursive };
        let found = around.column(app, dictionary, class, &rest);
        Some(found.map(|found| Column {
            term: format!("{first}.{}", found.term),
            asked: found.asked.as_ref().map(|asked| format!("{first}.{asked}")),
            up: found.up + up,
            long: false,
            ..found
        }))
    }

    /// The number of steps from an element to the nearest object of a class, the same from all containers.
    fn steps_to(&self, term: &str, dictionary: &Dictionary) -> Option<usize> {
        if names::key(term) == CONTAINER {
            return Some(1);
        }
        let class = &dictionary.class(term)?.name;
        let steps = |path: &Path| {
            let is_it = |segment: &&Segment| {
                let (Segment::Property(member) | Segment::Element(member, _)) = segment;
                dictionary.is_a(&member.class, class)
            };
            path.segments().iter().rev().position(is_it).map(|at| at + 1)
        };
        let first = self.containers.first().and_then(steps)?;
        self.containers.iter().all(|container| steps(container) == Some(first)).then_some(first)
    }
}

/// Says how an owner that is not there is asked for with one step less.
pub(super) fn with_less(error: &mut Json, column: &Column) {
    let parts: Vec<&str> = column.shown().split('.').collect();
    let [first, owners @ .., _, last] = parts.as_slice() else { return };
    if error["number"] == -1728 {
        let less: Vec<&str> = std::iter::once(first).chain(owners).chain([last]).copied().collect();
        error["suggestion"] = json!(format!("ask for `{}`, which is one step nearer", less.join(".")));
    }
}

/// A path of properties that leads to what holds an object: `container.name` of a reminder for `list.name`, and
/// `mailbox.account.name` of a message for `account.name`.
pub(super) fn by_property(dictionary: &Dictionary, class: &str, term: &str) -> Option<String> {
    let (first, rest) = term.split_once('.')?;
    let first = first.trim();
    let wanted = dictionary.class(first);
    let way = |property: &&Property| {
        let classes = property.kind.0.iter().filter(|kind| !kind.list);
        let mut holders = classes.filter_map(|kind| dictionary.classes.get(&kind.name));
        holders.find_map(|holder| {
            let is_container = property.name.starts_with(CONTAINING);
            if !is_container && dictionary.element(&holder.name, class).is_none() {
                return None;
            }
            if wanted.is_some_and(|wanted| wanted.name == holder.name) {
                return Some(property.name.clone());
            }
            let next = dictionary.property(&holder.name, first)?;
            let leads_on = next.kind.0.iter().any(|kind| dictionary.classes.contains_key(&kind.name));
            leads_on.then(|| format!("{}.{}", property.name, next.name))
        })
    };
    let properties = dictionary.properties(class);
    let mut ways: Vec<String> = properties.iter().filter_map(way).collect();
    // Apps call the owner of an object its container, whatever other objects of that class it has.
    if ways.len() > 1 {
        ways.retain(|way| way.starts_with(CONTAINING));
    }
    match ways.as_slice() {
        [way] => Some(format!("{way}.{rest}")),
        _ => None,
    }
}

/// Says which list knows the owner of an object, if somebody asks for it like a property: `window.index` of a tab.
pub(super) fn advised(fault: Fault, dictionary: &Dictionary, class: &str, term: &str) -> Fault {
    let Some(list) = list_through(dictionary, class, term) else { return fault };
    let suggestion = format!("list `{list}`: there each {class} knows the {term} that it is in");
    Fault { suggestion, ..fault }
}

/// The elements of a class by way of another: `every tab of every window`.
fn list_through(dictionary: &Dictionary, class: &str, term: &str) -> Option<String> {
    let holds = |owner: &str, element: &str| dictionary.element(owner, element).is_some();
    let mut classes = dictionary.classes.values().filter(|each| !each.hidden && each.name != APPLICATION);
    if names::key(term) == CONTAINER {
        let holder = classes.find(|each| holds(&each.name, class))?;
        return Some(format!("every {class} of every {}", holder.name));
    }
    let owner = &dictionary.class(term).filter(|class| class.name != APPLICATION)?.name;
    if holds(owner, class) {
        return Some(format!("every {class} of every {owner}"));
    }
    let leads: Vec<_> = classes.filter(|each| holds(owner, &each.name) && holds(&each.name, class)).collect();
    // A playlist stands for every kind of playlist.
    let is_kind =
        |each: &str| leads.iter().any(|other| other.name != each && dictionary.is_a(each, &other.name));
    let between = leads.iter().find(|each| !is_kind(&each.name))?;
    Some(format!("every {class} of every {} of every {owner}", between.name))
}
