//! The container of elements: `calendar.name` of an event, or `container.name`, as if it were a property of the event.

use serde_json::{Value as Json, json};

use super::properties::{column, own_column, with_dots};
use crate::action::Column;
use crate::app::App;
use crate::change;
use crate::dictionary::{APPLICATION, Dictionary, Property, names};
use crate::fault::Fault;
use crate::osa_error::NO_SUCH_OBJECT;
use crate::permission::Gate;
use crate::specifier::{By, Path, Segment};

/// The word for the container of an element, of any class.
const CONTAINER: &str = "container";

/// The beginning of the names of properties that lead to the container: `container`, `containing project`.
const CONTAINING: &str = "contain";

/// The objects that a list of elements leads through.
pub(super) struct Outer<'a> {
    /// The containers of the elements.
    pub(super) containers: &'a [Path],
    /// Whether containers inside them are read too, so that only the direct container is known.
    pub(super) is_recursive: bool,
    /// The gate, which decides which lists the error may suggest.
    pub(super) gate: &'a Gate,
}

impl Outer<'_> {
    /// Resolves a property of an element, or of its container. The element's own property comes first. A container in
    /// the path of the list comes before a property that leads to it, because its value is read once for all its
    /// elements.
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
        let found = self.found(app, dictionary, class, term).or_else(|fault| {
            let dotted = with_dots(term);
            let meant = dictionary.meant_path(class, dotted.as_deref().unwrap_or(term));
            // A container's property alone means its name: the `list` of a reminder is its `container.name`.
            let named = || by_property(dictionary, class, &format!("{term}.name"));
            let found = meant.or_else(named).and_then(|path| self.found(app, dictionary, class, &path).ok());
            found.map(|column| Column { other: Some(term.trim().to_owned()), ..column }).ok_or(fault)
        });
        found.map_err(|fault| match self.advice(app, dictionary, class, term) {
            Some(suggestion) => Fault { suggestion, ..fault },
            None => fault,
        })
    }

    fn found(&self, app: &App, dictionary: &Dictionary, class: &str, term: &str) -> Result<Column, Fault> {
        let own = own_column(app, dictionary, class, term);
        if own.is_ok() {
            return own;
        }
        let dotted = with_dots(term);
        let path = dotted.as_deref().unwrap_or(term);
        let found = self.outer(app, dictionary, class, path);
        found.unwrap_or_else(|| column(app, dictionary, class, term))
    }

    /// A path that begins with a container in the path of the list, by `every`, although a property of the element
    /// leads there too: `mailbox.name` of every message of every mailbox.
    pub(super) fn owner_of_every(
        &self,
        app: &App,
        dictionary: &Dictionary,
        class: &str,
        term: &str,
    ) -> Option<Column> {
        let (first, rest) = term.split_once('.')?;
        let property = dictionary.property(class, first.trim())?;
        let owner = self.containers.first().map(Path::class)?;
        let is_every = |path: &Path| {
            matches!(path.last(), Some((_, Segment::Element(_, By::Every)))) && path.class() == owner
        };
        let leads_there = property.kind.0.iter().any(|kind| !kind.list && kind.name == owner);
        if self.is_recursive || !leads_there || !self.containers.iter().all(is_every) {
            return None;
        }
        let containers: Vec<Path> = self.containers.iter().map(|owner| owner.without(1)).collect();
        let around = Outer { containers: &containers, ..*self };
        let found = match around.owner_of_every(app, dictionary, owner, rest) {
            Some(found) => found,
            None => around.found(app, dictionary, owner, rest).ok()?,
        };
        Some(Column {
            term: format!("{}.{}", property.name, found.term),
            asked: None,
            up: found.up + 1,
            long: false,
            ..found
        })
    }

    /// Suggests another list for an owner that this list does not lead through: the list through every such owner, or
    /// through the elements' containers.
    fn advice(&self, app: &App, dictionary: &Dictionary, class: &str, term: &str) -> Option<String> {
        let dotted = with_dots(term);
        let path = dotted.as_deref().unwrap_or(term);
        let (first, rest) = path.split_once('.').map_or((path, None), |(first, rest)| (first, Some(rest)));
        let owner = &dictionary.class(first.trim()).filter(|class| class.name != APPLICATION)?.name;
        let [container] = self.containers else { return None };
        if self.is_recursive || dictionary.property(class, first.trim()).is_some() {
            return None;
        }
        if let Some(list) = below_every(owner, class, container, dictionary)
            && self.gate.may_list(app, &list)
        {
            let list = list.to_text();
            return Some(format!(
                "list `every {class} of {list}`: there each {class} knows the {owner} that it is in"
            ));
        }
        let near = format!("{CONTAINER}.{}", rest.unwrap_or("name"));
        let knows = || self.found(app, dictionary, class, &near).is_ok();
        // Finder's desktop and a folder are both containers of files.
        let is_alike = dictionary.classes.values().any(|kind| {
            dictionary.element(&kind.name, class).is_some()
                && [owner, container.class()].iter().all(|each| dictionary.is_a(each, &kind.name))
        });
        (is_alike && knows())
            .then(|| format!("ask for `{near}`: each {class} of this list is in {}", container.to_text()))
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
        // A container itself is shown by its name.
        let label = || change::label(&app.bundle_id, dictionary, class);
        let rest = rest.map(str::to_owned).or_else(label)?;
        let containers: Vec<Path> = owners.iter().map(|owner| owner.without(1)).collect();
        let around = Outer { containers: &containers, ..*self };
        let found = around.found(app, dictionary, class, &rest);
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

/// Suggests a path with one step less, if the owner of a value does not exist.
pub(super) fn with_less(error: &mut Json, column: &Column) {
    let parts: Vec<&str> = column.shown().split('.').collect();
    let [first, owners @ .., _, last] = parts.as_slice() else { return };
    if error["number"] == NO_SUCH_OBJECT {
        let less: Vec<&str> = std::iter::once(first).chain(owners).chain([last]).copied().collect();
        error["suggestion"] = json!(format!("ask for `{}`, which is one step nearer", less.join(".")));
    }
}

/// A path of properties that leads to the container of an object: `container.name` of a reminder for `list.name`, and
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
    // Apps call the owner of an object its container, even if it has other objects of that class.
    if ways.len() > 1 {
        ways.retain(|way| way.starts_with(CONTAINING));
    }
    match ways.as_slice() {
        [way] => Some(format!("{way}.{rest}")),
        _ => None,
    }
}

/// The container of a list below every object of a class: `every list of every account` for `every list`. An object
/// with a given name is in one owner only, so its list is not read from every owner.
fn below_every(owner: &str, class: &str, container: &Path, dictionary: &Dictionary) -> Option<Path> {
    let top = Path::application();
    let every = |place: &Path, class: &str| {
        Some(place.then(Segment::Element(place.collection(dictionary, class).ok()?, By::Every)))
    };
    let owners = every(&top, owner)?;
    let list = container.segments().into_iter().try_fold(owners, |place, segment| match segment {
        Segment::Element(member, By::Every) => every(&place, &member.class),
        _ => None,
    })?;
    list.collection(dictionary, class).is_ok().then_some(list)
}
