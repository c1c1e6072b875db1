//! Resolves specifiers in an app's objects, and makes the specifiers that the app itself would return.

mod omnifocus;
pub(crate) mod text;

use crate::os_error::{Answer, BAD_INDEX, FAILED, NO_SUCH_OBJECT, OsError, refuse};
use crate::schema::{ClassInfo, Kind, Member, PropertyInfo, Schema};
use crate::value::specifier::{Filter, Ordinal, Root, Specifier, Step};
use crate::value::{APP, ObjectId, Value, local_seconds};
use crate::world::App;
use crate::world::model::{Children, Model, Place, Symbol};
use iac_core::dictionary::APPLICATION;
use indexmap::IndexMap;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

/// One app's objects, during one event.
pub(crate) struct View<'a> {
    app: &'a App,
    model: &'a Model,
    root: Root,
    /// The world's wall clock, in local seconds.
    now: i64,
    /// How many elements were examined so far.
    listed: Cell<usize>,
    /// A cache of specifiers: for objects, and for all elements of a class in an object.
    given: RefCell<HashMap<Given, Rc<Specifier>>>,
}

/// Chooses one of several elements.
type Choose<'a> = &'a dyn Fn(&[ObjectId]) -> Answer<ObjectId>;

/// An object, or all of its elements of a class.
type Given = (ObjectId, Option<Symbol>);

/// What a specifier refers to.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Found {
    One(ObjectId),
    /// Several results, nested as the specifier's steps nest.
    Many(Vec<Self>),
    /// The value of a property, if it is not an object.
    Leaf(Value),
}

impl<'a> View<'a> {
    pub(crate) fn new(app: &'a App, model: &'a Model, root: Root, now: i64) -> Self {
        Self { app, model, root, now, listed: Cell::new(0), given: RefCell::default() }
    }

    pub(crate) fn app(&self) -> &'a App {
        self.app
    }

    pub(crate) fn model(&self) -> &'a Model {
        self.model
    }

    pub(crate) fn root(&self) -> Root {
        self.root
    }

    pub(crate) fn now(&self) -> i64 {
        self.now
    }

    pub(crate) fn schema(&self) -> &'a Schema {
        &self.app.schema
    }

    /// Returns the answer to an event that gets a specifier's value.
    pub(crate) fn get(&self, specifier: &Specifier) -> Answer<Value> {
        let found = self.resolve(specifier)?;
        Ok(self.answer(found))
    }

    pub(crate) fn resolve(&self, specifier: &Specifier) -> Answer<Found> {
        self.resolve_from(specifier, APP)
    }

    /// Resolves a specifier that begins at this object: the application, or the object that a filter tests.
    pub(crate) fn resolve_from(&self, specifier: &Specifier, root: ObjectId) -> Answer<Found> {
        let pick = |of: &Specifier, choose: Choose<'_>| self.pick(of, root, choose);
        match &specifier.step {
            Step::Root => Ok(Found::One(root)),
            Step::Property { of, term } => match self.resolve_from(of, root)? {
                // A rich text is stored as plain characters.
                found if &**term == "text" && found.is_text() => Ok(found),
                found if found.is_text() => match self.styled(of, term, root)? {
                    Some(style) => Ok(style),
                    None => self.each(found, &|id| self.property(id, term)),
                },
                found => self.each(found, &|id| self.property(id, term)),
            },
            Step::Elements { of, class } => {
                Ok(Found::Many(self.elements(self.resolve_from(of, root)?, class)?))
            }
            Step::Member { of, identifier } => {
                self.each(self.resolve_from(of, root)?, &|id| self.member(id, identifier))
            }
            Step::Where { of, filter } => self.filtered(of, root, filter),
            Step::Index { of, index } => match self.part(specifier, root)? {
                Some(part) => Ok(Found::Leaf(Value::text(part.text()))),
                None => pick(of, &|all| place(all.len(), *index).map(|at| all[at])),
            },
            Step::Ordinal { of, which } => match self.part(specifier, root)? {
                Some(part) => Ok(Found::Leaf(Value::text(part.text()))),
                None => pick(of, &|all| ordinal(all.len(), *which).map(|at| all[at])),
            },
            Step::Name { of, name } => pick(of, &|all| self.named(all, name)),
            Step::Id { of, id } => self.with_id(of, root, id),
            // Nothing is at an insertion location yet.
            Step::Insertion { .. } => refuse(NO_SUCH_OBJECT),
            Step::Each { all } => {
                let all = all.iter().map(|each| self.resolve_from(each, root));
                Ok(Found::Many(all.collect::<Answer<_>>()?))
            }
        }
    }

    fn every(&self, id: ObjectId, class: &str) -> Answer<Vec<Found>> {
        Ok(self.children(id, class)?.into_iter().map(Found::One).collect())
    }

    /// Returns a property or elements, by the identifier that the object's class gives it.
    fn member(&self, id: ObjectId, identifier: &str) -> Answer<Found> {
        match self.class(id).member(identifier) {
            Some(Member::Property { term, .. }) => self.property(id, term),
            Some(Member::Elements { class }) => self.every(id, class).map(Found::Many),
            None => self.property(id, identifier),
        }
    }

    /// Returns the elements that pass a filter, in each of the containers.
    fn filtered(&self, of: &Specifier, root: ObjectId, filter: &Filter) -> Answer<Found> {
        let is_list = |step: &Step| {
            matches!(
                step,
                Step::Elements { .. } | Step::Where { .. } | Step::Member { .. } | Step::Each { .. }
            )
        };
        if !is_list(&of.step) {
            return refuse(NO_SUCH_OBJECT);
        }
        self.passing(self.resolve_from(of, root)?, filter)
    }

    fn passing(&self, found: Found, filter: &Filter) -> Answer<Found> {
        let Found::Many(all) = found else { return refuse(NO_SUCH_OBJECT) };
        let mut kept = Vec::new();
        for each in all {
            match each {
                Found::One(id) if !self.passes(id, filter)? => (),
                Found::Many(_) => kept.push(self.passing(each, filter)?),
                other => kept.push(other),
            }
        }
        Ok(Found::Many(kept))
    }

    /// Applies a step to one object, or to each of several. A value contains no objects.
    fn each(&self, found: Found, step: &dyn Fn(ObjectId) -> Answer<Found>) -> Answer<Found> {
        match found {
            Found::One(id) => step(id),
            Found::Many(all) => {
                let all = all.into_iter().map(|each| self.each_of_many(each, step));
                Ok(Found::Many(all.collect::<Answer<_>>()?))
            }
            Found::Leaf(_) => refuse(NO_SUCH_OBJECT),
        }
    }

    /// As `each`, but in a column of OmniFocus, a missing object gives a missing value: the project of a task in the
    /// inbox has no name.
    fn each_of_many(&self, found: Found, step: &dyn Fn(ObjectId) -> Answer<Found>) -> Answer<Found> {
        match found {
            Found::Leaf(Value::Missing) if self.model.omni => Ok(found),
            found => self.each(found, step),
        }
    }

    /// Chooses one element in each of the containers.
    fn pick(&self, of: &Specifier, root: ObjectId, choose: Choose<'_>) -> Answer<Found> {
        match &of.step {
            Step::Elements { of: container, class } => self
                .each(self.resolve_from(container, root)?, &|id| {
                    Ok(Found::One(choose(&self.children(id, class)?)?))
                }),
            Step::Where { .. } | Step::Member { .. } | Step::Each { .. } => {
                choose_in(self.resolve_from(of, root)?, choose)
            }
            _ => refuse(NO_SUCH_OBJECT),
        }
    }

    /// Returns the elements of a class in one object, in the app's order.
    ///
    /// # Errors
    /// The object's class has no such elements.
    pub(crate) fn children(&self, id: ObjectId, class: &str) -> Answer<Vec<ObjectId>> {
        let id = self.holder(id, class);
        self.offers(id, class)?;
        if self.is_shown(id, class) {
            return Err(OsError::new(FAILED, "The simulated OmniFocus does not tell what its windows show."));
        }
        let children = self.gathered(id, class).unwrap_or_else(|| self.stored(id, class));
        self.listed.set(self.listed.get() + children.len());
        Ok(children)
    }

    /// Returns how many elements the app has examined.
    pub(crate) fn gone_through(&self) -> usize {
        self.listed.get()
    }

    /// Returns the elements that a column, or one of its elements, belongs to.
    pub(crate) fn collection(&self, specifier: &Specifier) -> Answer<Vec<ObjectId>> {
        match &specifier.step {
            Step::Elements { of, class } => match self.resolve(of)? {
                Found::One(id) => self.children(id, class),
                _ => refuse(NO_SUCH_OBJECT),
            },
            _ => specifier.of().map_or_else(|| refuse(NO_SUCH_OBJECT), |of| self.collection(of)),
        }
    }

    fn offers(&self, id: ObjectId, class: &str) -> Answer<()> {
        let narrower = |each: &str| self.model.subclasses && self.schema().is_a(class, each);
        let offered = self.class(id).elements.iter().any(|each| &**each == class || narrower(each));
        if offered { Ok(()) } else { refuse(NO_SUCH_OBJECT) }
    }

    /// Returns the item of a file manager at a path, found by the names of the folders in the path.
    pub(crate) fn at_path(&self, path: &str) -> Option<ObjectId> {
        let Found::One(disk) = self.property(APP, "startup disk").ok()? else { return None };
        let same = |id: &ObjectId, name: &str| {
            let own = self.model.value(*id, "name").and_then(Value::as_text);
            own.is_some_and(|own| own.replace('/', ":").to_lowercase() == name.to_lowercase())
        };
        let mut at = disk;
        for name in path.split('/').filter(|name| !name.is_empty()) {
            let below = self.children(at, "item").ok()?;
            let found = below.into_iter().find(|id| same(id, name));
            at =
                found.or_else(|| self.model.keyed(path).filter(|id| self.class(*id).is_a("trash-object")))?;
        }
        Some(at)
    }

    /// Returns the names of the items in a folder; `None` if the object cannot contain items.
    pub(crate) fn names_in(&self, id: ObjectId) -> Option<Vec<String>> {
        let items = self.children(id, "item").ok()?;
        let name = |id: &ObjectId| self.model.value(*id, "name").and_then(Value::as_text).map(str::to_owned);
        Some(items.iter().filter_map(name).collect())
    }

    pub(crate) fn stored(&self, id: ObjectId, class: &str) -> Vec<ObjectId> {
        let mut found = Vec::new();
        self.store(id, class, &mut found);
        found
    }

    /// Adds the elements of a class in one object, list by list, because a mailbox has long lists.
    fn store(&self, id: ObjectId, class: &str, found: &mut Vec<ObjectId>) {
        for (symbol, children) in &self.model.object(id).elements {
            let group = self.model.name(*symbol);
            let all = self.schema().is_a(group, class);
            if !all && !self.schema().is_a(class, group) {
                continue;
            }
            match children {
                Children::Own(ids) if all => found.extend_from_slice(ids),
                Children::Listed(ids) => {
                    let living = ids.iter().filter(|id| !self.model.object(**id).gone);
                    found.extend(living.filter(|id| all || self.class(**id).is_a(class)));
                }
                Children::Own(ids) => {
                    found.extend(ids.iter().filter(|id| self.class(**id).is_a(class)));
                }
                Children::Union(keys) => {
                    self.living(keys).for_each(|object| self.store(object, class, found));
                }
                Children::Those(keys) => {
                    found.extend(self.living(keys).filter(|id| all || self.class(*id).is_a(class)));
                }
            }
        }
    }

    /// Returns the existing objects with these keys.
    fn living<'b>(&'b self, keys: &'b [Rc<str>]) -> impl Iterator<Item = ObjectId> + 'b {
        keys.iter().filter_map(|key| self.model.keyed(key)).filter(|id| !self.model.object(*id).gone)
    }

    /// Returns an object's class, which may be a subclass of its element's class.
    pub(crate) fn class(&self, id: ObjectId) -> Rc<ClassInfo> {
        let object = self.model.object(id);
        let name = match (object.class, object.place) {
            (Some(class), _) | (None, Place::Element { class, .. }) => {
                Some(Rc::clone(self.model.name(class)))
            }
            (None, Place::Application) => Some(APPLICATION.into()),
            (None, Place::Property { of, term }) => {
                let term = self.model.name(term);
                self.class(of).properties.get(term).and_then(|property| property.class.clone())
            }
        };
        name.and_then(|name| self.schema().class(&name)).unwrap_or_default()
    }

    /// Reads a property of an object.
    pub(crate) fn property(&self, id: ObjectId, term: &str) -> Answer<Found> {
        let class = self.class(id);
        match (class.properties.get(term), term) {
            (_, "class") => Ok(Found::Leaf(Value::Class(Rc::clone(&class.name)))),
            (_, "properties") => Ok(Found::Leaf(self.properties(id, &class)?)),
            (Some(property), _) => Ok(self.typed(id, property)),
            (None, _) => refuse(NO_SUCH_OBJECT),
        }
    }

    fn properties(&self, id: ObjectId, class: &ClassInfo) -> Answer<Value> {
        let mut record = IndexMap::new();
        for property in class.properties.values() {
            if property.access.can_read() && &*property.term != "properties" {
                record.insert(Rc::clone(&property.identifier), self.answer(self.typed(id, property)));
            }
        }
        // The keys are the dictionary's terms. If it has no term for the class property, the key is its
        // four-character code.
        let key =
            class.properties.get("class").map_or_else(|| "pcls".into(), |own| Rc::clone(&own.identifier));
        record.insert(key, Value::Class(Rc::clone(&class.name)));
        Ok(Value::Record(Box::new(record)))
    }

    pub(crate) fn typed(&self, id: ObjectId, property: &PropertyInfo) -> Found {
        let Some(stored) = self.model.value(id, &property.term) else {
            return self.number_of(id, property).map_or_else(|| self.derived(id, property), Found::Leaf);
        };
        match stored {
            Value::Held(object) if self.model.object(*object).gone => Found::Leaf(Value::Missing),
            Value::Held(object) => Found::One(*object),
            value => Found::Leaf(self.read(value, property.kind)),
        }
    }

    /// Returns the value of a property that counts elements.
    fn number_of(&self, id: ObjectId, property: &PropertyInfo) -> Option<Value> {
        let class = self.class(id);
        let counts = class.ancestors.iter().find_map(|name| self.model.counts.get(&**name))?;
        let counted = counts.get(&*property.term)?;
        let (all, wanted) = (self.stored(id, &counted.class), Value::Bool(counted.value));
        let count =
            all.iter().filter(|each| self.model.value(**each, &counted.property) == Some(&wanted)).count();
        i64::try_from(count).ok().map(Value::Int)
    }

    /// Returns the properties that every application has, even if its data lacks them.
    pub(crate) fn of_bundle(&self, id: ObjectId, term: &str) -> Value {
        match (id, term) {
            (APP, "name") => Value::text(self.app.bundle.name.as_str()),
            (APP, "version") => Value::text(self.app.bundle.version.as_str()),
            (APP, "frontmost") => Value::Bool(false),
            _ => Value::Missing,
        }
    }

    /// Converts a stored value to the type of its property.
    pub(crate) fn read(&self, stored: &Value, kind: Kind) -> Value {
        match (stored, kind) {
            (Value::Text(text), Kind::Date) => {
                local_seconds(text).map_or(Value::Missing, |time| Value::Date(time + self.model.shift))
            }
            (Value::Text(path), Kind::File) => Value::File(Rc::clone(path)),
            (Value::Text(name), Kind::Enumerator) => Value::Enumerator(Rc::clone(name)),
            (Value::Text(name), Kind::Class) => Value::Class(Rc::clone(name)),
            (Value::List(items), Kind::Point | Kind::Rectangle) => {
                placed(items).unwrap_or_else(|| stored.clone())
            }
            (Value::List(items), _) => Value::List(items.iter().map(|item| self.read(item, kind)).collect()),
            (other, _) => other.clone(),
        }
    }

    /// Converts a result to an answer. Objects become specifiers.
    pub(crate) fn answer(&self, found: Found) -> Value {
        match found {
            Found::One(id) => Value::Object(self.specifier(id)),
            Found::Many(all) => Value::List(all.into_iter().map(|each| self.answer(each)).collect()),
            Found::Leaf(value) => self.outward(value),
        }
    }

    /// Converts a result to a value. Objects keep their internal form.
    pub(crate) fn inner(&self, found: Found) -> Value {
        match found {
            Found::One(id) => Value::Held(id),
            Found::Many(all) => Value::List(all.into_iter().map(|each| self.inner(each)).collect()),
            Found::Leaf(value) => value,
        }
    }

    /// Converts the objects in a stored value to specifiers.
    pub(crate) fn outward(&self, value: Value) -> Value {
        match value {
            Value::Held(id) => Value::Object(self.specifier(id)),
            Value::List(items) => Value::List(items.into_iter().map(|item| self.outward(item)).collect()),
            Value::Record(fields) => {
                let fields = fields.into_iter().map(|(name, field)| (name, self.outward(field)));
                Value::Record(Box::new(fields.collect()))
            }
            other => other,
        }
    }

    /// Returns the specifier that the app itself gives for one of its objects.
    pub(crate) fn specifier(&self, id: ObjectId) -> Rc<Specifier> {
        if let Some(known) = self.given.borrow().get(&(id, None)) {
            return Rc::clone(known);
        }
        let specifier = self.new_specifier(id);
        self.given.borrow_mut().insert((id, None), Rc::clone(&specifier));
        specifier
    }

    fn new_specifier(&self, id: ObjectId) -> Rc<Specifier> {
        let object = self.model.object(id);
        if let Some(term) = object.through {
            let (of, term) = (Specifier::root(self.root), Rc::clone(self.model.name(term)));
            return Specifier::then(self.root, Step::Property { of, term });
        }
        if let Some(step) = self.in_document(id) {
            return Specifier::then(self.root, step);
        }
        match object.place {
            Place::Application => Specifier::root(self.root),
            Place::Property { of, term } => {
                let (of, term) = (self.specifier(of), Rc::clone(self.model.name(term)));
                Specifier::then(self.root, Step::Property { of, term })
            }
            Place::Element { of, class } => {
                let class = self.element_class(id, of, class);
                let step = self.form(id, of, self.all(of, class), self.model.name(class));
                Specifier::then(self.root, step)
            }
        }
    }

    /// Returns the class under which an app lists one of its elements.
    fn element_class(&self, id: ObjectId, of: ObjectId, listed: Symbol) -> Symbol {
        let own = self.model.object(id).class.filter(|_| self.model.own_class);
        let offered = |class: &Symbol| {
            let name = self.model.name(*class);
            self.class(of).elements.contains(name)
        };
        own.filter(offered).unwrap_or(listed)
    }

    pub(crate) fn all(&self, of: ObjectId, class: Symbol) -> Rc<Specifier> {
        if let Some(known) = self.given.borrow().get(&(of, Some(class))) {
            return Rc::clone(known);
        }
        let step = Step::Elements { of: self.specifier(of), class: Rc::clone(self.model.name(class)) };
        let all = Specifier::then(self.root, step);
        self.given.borrow_mut().insert((of, Some(class)), Rc::clone(&all));
        all
    }

    /// Returns how an app addresses an element: by id if its class has one, or else by name, or else by index.
    fn form(&self, id: ObjectId, container: ObjectId, of: Rc<Specifier>, class: &str) -> Step {
        let info = self.class(id);
        if let Some(value) = self.id_of(id, &info) {
            return Step::Id { of, id: value };
        }
        if let Some(name) = self.name_of(id, &info) {
            return Step::Name { of, name };
        }
        let index = self.stored(container, class).iter().position(|each| *each == id).unwrap_or_default();
        Step::Index { of, index: i64::try_from(index).unwrap_or_default() }
    }

    /// Returns the property that identifies objects of a class.
    pub(crate) fn id_term(&self, class: &ClassInfo) -> &'a str {
        let form = class.ancestors.iter().find_map(|name| self.model.forms.get(&**name));
        form.map_or("id", String::as_str)
    }

    /// Returns the value that identifies an object, if its class has an identifying property.
    fn id_of(&self, id: ObjectId, class: &ClassInfo) -> Option<Value> {
        let property = class.properties.get(self.id_term(class))?;
        match self.typed(id, property) {
            Found::Leaf(value @ (Value::Int(_) | Value::Real(_) | Value::Text(_))) => Some(value),
            _ => None,
        }
    }

    fn name_of(&self, id: ObjectId, class: &ClassInfo) -> Option<Value> {
        if let Some(label) = &self.model.object(id).label {
            return Some(Value::Text(Rc::clone(label)));
        }
        match self.typed(id, class.properties.get("name")?) {
            Found::Leaf(value @ (Value::Text(_) | Value::Utf16(_))) => Some(value),
            _ => None,
        }
    }

    fn named(&self, all: &[ObjectId], name: &Value) -> Answer<ObjectId> {
        let same = |id: &&ObjectId| self.name_of(**id, &self.class(**id)).as_ref() == Some(name);
        all.iter().find(same).copied().map_or_else(|| refuse(NO_SUCH_OBJECT), Ok)
    }

    /// Finds the element with an id, using the index if there is one.
    fn with_id(&self, of: &Specifier, root: ObjectId, wanted: &Value) -> Answer<Found> {
        let Step::Elements { of: container, class } = &of.step else {
            return self.pick(of, root, &|all| self.identified(all, wanted));
        };
        if self.model.omni {
            return self.each(self.resolve_from(container, root)?, &|of| {
                self.omni_with_id(of, class, wanted).map(Found::One)
            });
        }
        let info = self.schema().class(class).unwrap_or_default();
        let term = self.model.known(self.id_term(&info));
        let candidates = term.and_then(|term| self.model.indexed(term, wanted));
        self.each(self.resolve_from(container, root)?, &|of| match &candidates {
            Some(ids) => {
                self.offers(of, class)?;
                let ids: Vec<ObjectId> =
                    ids.iter().copied().filter(|id| self.lists(of, class, *id)).collect();
                Ok(Found::One(self.identified(&ids, wanted)?))
            }
            None => Ok(Found::One(self.identified(&self.children(of, class)?, wanted)?)),
        })
    }

    /// Whether an object is among the elements of a class in a container.
    fn lists(&self, of: ObjectId, class: &str, id: ObjectId) -> bool {
        let object = self.model.object(id);
        let Place::Element { of: container, .. } = object.place else { return false };
        if object.gone || !self.class(id).is_a(class) {
            return false;
        }
        let shows = |(listed, children): &(Symbol, Children)| match children {
            Children::Own(_) => container == of,
            Children::Listed(ids) => ids.contains(&id),
            Children::Those(keys) => self.living(keys).any(|each| each == id),
            Children::Union(keys) => {
                // As in `store`: elements of a subclass can also be requested from a list of the wider class.
                let listed = self.model.name(*listed);
                (self.schema().is_a(listed, class) || self.schema().is_a(class, listed))
                    && keys.iter().filter_map(|key| self.model.keyed(key)).any(|of| self.lists(of, class, id))
            }
        };
        self.model.object(of).elements.iter().any(shows)
    }

    pub(crate) fn identified(&self, all: &[ObjectId], wanted: &Value) -> Answer<ObjectId> {
        let same = |id: &&ObjectId| self.id_of(**id, &self.class(**id)).as_ref() == Some(wanted);
        all.iter().find(same).copied().map_or_else(|| refuse(NO_SUCH_OBJECT), Ok)
    }
}

/// Chooses one element of a list, or one of each list.
fn choose_in(found: Found, choose: Choose<'_>) -> Answer<Found> {
    let Found::Many(all) = found else { return refuse(NO_SUCH_OBJECT) };
    let ids: Option<Vec<ObjectId>> = all.iter().map(Found::one).collect();
    match ids {
        Some(ids) => Ok(Found::One(choose(&ids)?)),
        None => Ok(Found::Many(all.into_iter().map(|each| choose_in(each, choose)).collect::<Answer<_>>()?)),
    }
}

impl Found {
    /// Whether it is a text, or a list of texts only.
    fn is_text(&self) -> bool {
        match self {
            Self::One(_) => false,
            Self::Many(all) => !all.is_empty() && all.iter().all(Self::is_text),
            Self::Leaf(value) => matches!(value, Value::Text(_) | Value::Utf16(_)),
        }
    }

    fn one(&self) -> Option<ObjectId> {
        match self {
            Self::One(id) => Some(*id),
            _ => None,
        }
    }
}

/// Converts a stored point or rectangle to JavaScript's form. It is stored in AppleScript's order: left, top, right,
/// bottom.
fn placed(stored: &[Value]) -> Option<Value> {
    let named: Vec<(&str, Value)> = match stored {
        [x, y] => vec![("x", x.clone()), ("y", y.clone())],
        [left, top, right, bottom] => {
            let (width, height) = (difference(right, left)?, difference(bottom, top)?);
            vec![("x", left.clone()), ("y", top.clone()), ("width", width), ("height", height)]
        }
        _ => return None,
    };
    Some(Value::Record(Box::new(named.into_iter().map(|(name, value)| (name.into(), value)).collect())))
}

fn difference(from: &Value, less: &Value) -> Option<Value> {
    match (from, less) {
        (Value::Int(from), Value::Int(less)) => Some(Value::Int(from - less)),
        (Value::Real(from), Value::Real(less)) => Some(Value::Real(from - less)),
        _ => None,
    }
}

/// Converts an index to a position. Indices count from 0, or from the end if negative.
fn place(count: usize, index: i64) -> Answer<usize> {
    let place = if index < 0 {
        count.checked_sub(usize::try_from(index.unsigned_abs()).unwrap_or(usize::MAX))
    } else {
        usize::try_from(index).ok()
    };
    place.filter(|place| *place < count).map_or_else(|| refuse(BAD_INDEX), Ok)
}

fn ordinal(count: usize, which: Ordinal) -> Answer<usize> {
    let place = match which {
        Ordinal::First | Ordinal::Any => Some(0),
        Ordinal::Middle => count.checked_sub(1).map(|last| last / 2),
        Ordinal::Last => count.checked_sub(1),
    };
    place.filter(|place| *place < count).map_or_else(|| refuse(BAD_INDEX), Ok)
}
