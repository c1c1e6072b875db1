//! Events that change an app's objects: the resulting changes and answers.

mod text;

use crate::event::Event;
use crate::os_error::{
    Answer, FAILED, NO_SUCH_OBJECT, NOT_MODIFIABLE, PARAMETER_MISSING, UNKNOWN_CLASS, refuse,
};
use crate::resolve::{Found, View};
use crate::schema::ClassInfo;
use crate::value::APP;
use crate::value::specifier::{Edge, Specifier, Step};
use crate::value::{ObjectId, Value};
use crate::world::change::{Added, Change};
use crate::world::model::{Children, Place};
use std::collections::BTreeMap;
use std::rc::Rc;

/// What an event does.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) changes: Vec<Change>,
    pub(crate) reply: Reply,
}

/// The answer to an event, made after its changes.
#[derive(Debug, Default)]
pub(crate) enum Reply {
    #[default]
    Nothing,
    Value(Value),
    /// Objects, answered as the specifiers that the app gives them after the changes. A single object is not put in a
    /// list.
    Objects(Vec<ObjectId>),
}

impl From<Vec<Change>> for Outcome {
    fn from(changes: Vec<Change>) -> Self {
        Self { changes, reply: Reply::Nothing }
    }
}

impl View<'_> {
    /// `set`: a property of one object, or of each of several.
    pub(crate) fn set(&self, target: &Specifier, value: &Value) -> Answer<Outcome> {
        let Step::Property { of, term } = &target.step else { return self.set_part(target, value) };
        if let Some(outcome) = self.set_style(of, term, value)? {
            return Ok(outcome);
        }
        let mut changes = Vec::new();
        for id in self.objects(self.resolve(of)?)? {
            let change = self.set_one(id, term, value)?;
            match self.restacked(id, &change) {
                Some(restacked) => changes.extend(restacked),
                None => changes.push(change),
            }
            changes.extend(self.modified(id, term));
        }
        Ok(changes.into())
    }

    fn set_one(&self, id: ObjectId, term: &str, value: &Value) -> Answer<Change> {
        let class = self.class(id);
        let Some(property) = class.properties.get(term) else { return refuse(NO_SUCH_OBJECT) };
        if !property.access.can_write() {
            return refuse(NOT_MODIFIABLE);
        }
        let value = self.coerce(value, &property.types)?;
        Ok(Change::Set { object: self.keeper(id, term), term: term.to_owned(), value })
    }

    /// Renumbers an app's windows after one got another index. Indices count from the front.
    fn restacked(&self, id: ObjectId, change: &Change) -> Option<Vec<Change>> {
        let Change::Set { object, term, value: Value::Int(number) } = change else { return None };
        if *object != id || term != "index" || !self.class(id).is_a("window") {
            return None;
        }
        let Place::Element { of, class } = self.model().object(id).place else { return None };
        let class = self.model().name(class).to_string();
        let mut windows = self.own_elements(of, &class);
        windows.retain(|each| *each != id);
        let at = usize::try_from(number - 1).unwrap_or(0).min(windows.len());
        windows.insert(at, id);
        let numbered = windows.into_iter().zip(1..).map(|(object, number)| Change::Set {
            object,
            term: term.clone(),
            value: Value::Int(number),
        });
        let moved = Change::Move { object: id, to: of, class, at: Some(at) };
        Some(std::iter::once(moved).chain(numbered).collect())
    }

    /// Returns all objects that a specifier means, as a flat list.
    pub(crate) fn meant(&self, specifier: &Specifier) -> Answer<Vec<ObjectId>> {
        self.objects(self.resolve(specifier)?)
    }

    /// Returns all objects in a result, as a flat list.
    fn objects(&self, found: Found) -> Answer<Vec<ObjectId>> {
        match found {
            Found::One(id) => Ok(vec![id]),
            Found::Many(all) => {
                let all: Vec<Vec<ObjectId>> =
                    all.into_iter().map(|each| self.objects(each)).collect::<Answer<_>>()?;
                Ok(all.concat())
            }
            Found::Leaf(_) => refuse(NO_SUCH_OBJECT),
        }
    }

    /// `make`: a new element of a container or of the application.
    pub(crate) fn make(&self, event: &Event) -> Answer<Outcome> {
        if let Some(outcome) = self.make_in_text(event)? {
            return Ok(outcome);
        }
        let class = match event.parameters.get("new").and_then(Value::as_text) {
            Some(name) => self.class_named(name)?,
            None => return refuse(PARAMETER_MISSING),
        };
        let at = match event.parameters.get("at") {
            Some(Value::Object(at)) => Some(at),
            Some(_) => return refuse(FAILED),
            None => None,
        };
        let (of, class) = match at {
            Some(at) => (self.container(at)?, self.class_at(at, class)?),
            None => (APP, class),
        };
        let values = self.initial(&class, event)?;
        let (listed, own) = self.listed(of, &class)?;
        // A new document is in front of the others.
        let front = (at.is_none() && class.is_a("document")).then_some(0);
        let at = at.and_then(|at| self.slot(at, &mut self.own_elements(of, &listed), None)).or(front);
        let added = Added { of, listed, class: own, at, values };
        let new = self.model().next_id();
        Ok(Outcome { changes: vec![Change::Add(added)], reply: Reply::Objects(vec![new]) })
    }

    /// Returns a class by its term, or by the identifier that scripts use.
    pub(crate) fn class_named(&self, name: &str) -> Answer<Rc<ClassInfo>> {
        let spelled = |class: &&String| *class == name || *crate::schema::identifier(class) == *name;
        let found = self.schema().dictionary().classes.keys().find(spelled);
        found.and_then(|class| self.schema().class(class)).map_or_else(|| refuse(UNKNOWN_CLASS), Ok)
    }

    /// Returns the class of a new object at a location: a recipient made among the `to recipients` is a `to
    /// recipient`.
    fn class_at(&self, at: &Specifier, class: Rc<ClassInfo>) -> Answer<Rc<ClassInfo>> {
        let elements = match &at.step {
            Step::Insertion { of, edge: Edge::Beginning | Edge::End } => return self.class_at(of, class),
            Step::Elements { class: elements, .. } => elements,
            _ => return Ok(class),
        };
        match self.schema().class(elements) {
            Some(narrower) if narrower.is_a(&class.name) => Ok(narrower),
            _ if class.is_a(elements) => Ok(class),
            _ => refuse(FAILED),
        }
    }

    /// Returns the container for a new object: the named object, or the one that has the named elements.
    pub(crate) fn container(&self, at: &Specifier) -> Answer<ObjectId> {
        match &at.step {
            // A location in a text belongs to the object that has the text.
            Step::Elements { of, .. } | Step::Index { of, .. } | Step::Ordinal { of, .. }
                if matches!(self.resolve(of), Ok(Found::Leaf(Value::Text(_)))) =>
            {
                self.container(of)
            }
            Step::Property { of, .. } if matches!(self.resolve(at), Ok(Found::Leaf(Value::Text(_)))) => {
                self.object(of)
            }
            Step::Index { of, .. } | Step::Ordinal { of, .. } if self.is_in_text(of) => self.container(of),
            Step::Elements { of, .. } => self.object(of),
            Step::Insertion { of, edge: Edge::Beginning | Edge::End } => self.container(of),
            Step::Insertion { of, .. } => self.beside(of),
            _ => self.object(at),
        }
    }

    /// Returns the object that contains an element or, for a part of a text, the object that has the text.
    fn beside(&self, element: &Specifier) -> Answer<ObjectId> {
        if matches!(self.resolve(element)?, Found::Leaf(Value::Text(_))) {
            return self.container(element);
        }
        let place = self.model().object(self.object(element)?).place;
        Ok(place.of().unwrap_or(APP))
    }

    /// Returns the objects that a container itself lists under a class.
    fn own_elements(&self, of: ObjectId, listed: &str) -> Vec<ObjectId> {
        let lists = self.model().object(of).elements.iter();
        let own = lists.filter(|(class, _)| &**self.model().name(*class) == listed);
        own.filter_map(|(_, children)| match children {
            Children::Own(ids) => Some(ids.clone()),
            _ => None,
        })
        .next()
        .unwrap_or_default()
    }

    /// Returns the index in `all` before which a location is, after removing `moved`; `None` is the end.
    fn slot(&self, at: &Specifier, all: &mut Vec<ObjectId>, moved: Option<ObjectId>) -> Option<usize> {
        let Step::Insertion { of, edge } = &at.step else { return None };
        all.retain(|each| Some(*each) != moved);
        let neighbour = || self.object(of).ok().and_then(|id| all.iter().position(|each| *each == id));
        match edge {
            Edge::Beginning => Some(0),
            Edge::End => None,
            Edge::Before => neighbour(),
            Edge::After => neighbour().map(|place| place + 1),
        }
    }

    /// Whether elements are the elements of a text.
    fn is_in_text(&self, elements: &Specifier) -> bool {
        let Step::Elements { of, .. } = &elements.step else { return false };
        matches!(self.resolve(of), Ok(Found::Leaf(Value::Text(_))))
    }

    /// Returns the class under which a container lists objects of a class, and that class itself if it differs.
    fn listed(&self, of: ObjectId, class: &ClassInfo) -> Answer<(String, Option<String>)> {
        let container = self.class(of);
        let offered = class.ancestors.iter().find(|each| container.elements.contains(each));
        let Some(offered) = offered else { return refuse(FAILED) };
        let shown_elsewhere = self.model().object(of).elements.iter().any(|(listed, children)| {
            matches!(children, Children::Union(_) | Children::Those(_))
                && self.model().name(*listed) == offered
        });
        if shown_elsewhere {
            return refuse(FAILED);
        }
        let own = (*offered != class.name).then(|| class.name.to_string());
        Ok((offered.to_string(), own))
    }

    /// Returns the initial values of a new object: the given values, a new id, and the app's defaults.
    fn initial(&self, class: &ClassInfo, event: &Event) -> Answer<Vec<(String, Value)>> {
        let mut values = Vec::new();
        for (name, value) in given(event)? {
            let Some(property) = class.property(name) else { return refuse(crate::os_error::COERCION) };
            if !property.access.can_write() {
                return refuse(NOT_MODIFIABLE);
            }
            values.push((property.term.to_string(), self.coerce(value, &property.types)?));
        }
        if let Some(data) = event.parameters.get("withData").filter(|data| **data != Value::Missing) {
            let Some(contents) = ["contents", "text", "content"].iter().find_map(|name| class.property(name))
            else {
                return refuse(FAILED);
            };
            values.push((contents.term.to_string(), self.coerce(data, &contents.types)?));
        }
        for property in class.properties.values() {
            if !values.iter().any(|(term, _)| *term == *property.term) {
                let value = self.beginning(class, property);
                values.extend(value.map(|value| (property.term.to_string(), value)));
            }
        }
        Ok(values)
    }

    /// `delete`: removes elements with everything in them.
    pub(crate) fn delete(&self, event: &Event) -> Answer<Outcome> {
        if let Some(outcome) = self.delete_in_text(&event.target)? {
            return Ok(outcome);
        }
        let targets = self.targets(event)?;
        Ok(targets.into_iter().map(Change::Remove).collect::<Vec<_>>().into())
    }

    /// Returns the elements that an event moves or deletes. The application, and an object that is the value of a
    /// property, cannot be moved or deleted.
    fn targets(&self, event: &Event) -> Answer<Vec<ObjectId>> {
        let all = self.objects(self.resolve(&event.target)?)?;
        let loose = |id: &ObjectId| {
            let object = self.model().object(*id);
            matches!(object.place, Place::Element { .. }) && object.through.is_none()
        };
        if all.iter().all(loose) { Ok(all) } else { refuse(FAILED) }
    }

    /// `move`: moves elements to another container.
    pub(crate) fn relocate(&self, event: &Event) -> Answer<Outcome> {
        let Some(Value::Object(to)) = event.parameters.get("to") else { return refuse(PARAMETER_MISSING) };
        let place = to;
        let to = self.container(place)?;
        let mut changes = Vec::new();
        let moved = self.targets(event)?;
        if moved.iter().any(|object| self.is_within(to, *object)) {
            return refuse(FAILED);
        }
        let mut order = moved.clone();
        // Each object is inserted directly after the location, so the last insertion comes first. Reversing keeps
        // their order.
        if matches!(place.step, Step::Insertion { edge: Edge::Beginning | Edge::After, .. }) {
            order.reverse();
        }
        let mut lists: BTreeMap<String, Vec<ObjectId>> = BTreeMap::new();
        for object in order {
            let (class, _) = self.listed(to, &self.class(object))?;
            let all = lists.entry(class.clone()).or_insert_with(|| self.own_elements(to, &class));
            let at = self.slot(place, all, Some(object));
            all.insert(at.unwrap_or(all.len()), object);
            changes.push(Change::Move { object, to, class, at });
        }
        Ok(Outcome { changes, reply: Reply::Objects(moved) })
    }

    /// Whether an object is the other one, or is inside it.
    fn is_within(&self, object: ObjectId, other: ObjectId) -> bool {
        let around = |id: &ObjectId| self.model().object(*id).place.of();
        std::iter::successors(Some(object), around).any(|each| each == other)
    }

    /// `duplicate`: copies elements, into the same container or another one.
    pub(crate) fn duplicate(&self, event: &Event) -> Answer<Outcome> {
        let place = match event.parameters.get("to") {
            Some(Value::Object(to)) => Some(to),
            _ => None,
        };
        let to = place.map(|place| self.container(place)).transpose()?;
        let (mut changes, mut copies) = (Vec::new(), Vec::new());
        for id in self.targets(event)? {
            let Place::Element { of, .. } = self.model().object(id).place else { return refuse(FAILED) };
            let of = to.unwrap_or(of);
            let (listed, _) = self.listed(of, &self.class(id))?;
            let slot = place.and_then(|place| self.slot(place, &mut self.own_elements(of, &listed), None));
            let at = slot.map(|slot| slot + copies.len());
            copies.push(self.copy(id, (of, listed, at), &mut changes));
        }
        Ok(Outcome { changes, reply: Reply::Objects(copies) })
    }

    /// Adds a copy of an object and its contents. Returns the id that the copy will have.
    fn copy(
        &self,
        id: ObjectId,
        (of, listed, at): (ObjectId, String, Option<usize>),
        changes: &mut Vec<Change>,
    ) -> ObjectId {
        let (model, object) = (self.model(), self.model().object(id));
        let before = u32::try_from(changes.len()).expect("fewer than 2^32 copies");
        let new = ObjectId(model.next_id().0 + before);
        let class = self.class(id);
        let fresh = class.property("id").and_then(|id| self.new_id(id, before));
        let values = object.values.iter().map(|(term, value)| {
            let term = model.name(*term);
            let value = fresh.as_ref().filter(|_| &**term == "id").unwrap_or(value);
            (term.to_string(), value.clone())
        });
        let own = object.class.map(|class| model.name(class).to_string());
        changes.push(Change::Add(Added { of, listed, class: own, at, values: values.collect() }));
        for (class, children) in &object.elements {
            if let Children::Own(children) = children {
                for child in children {
                    self.copy(*child, (new, model.name(*class).to_string(), None), changes);
                }
            }
        }
        new
    }
}

/// Returns the properties that were passed to `make`.
fn given(event: &Event) -> Answer<Vec<(&str, &Value)>> {
    match event.parameters.get("withProperties") {
        Some(Value::Record(fields)) => Ok(fields.iter().map(|(name, value)| (&**name, value)).collect()),
        None | Some(Value::Missing) => Ok(Vec::new()),
        Some(_) => refuse(crate::os_error::COERCION),
    }
}
