//! An app's objects together with the disk items that one event refers to.

use super::entry::{Entry, parent, spelled};
use super::{ITEM, is_item, is_place, is_program, plists};
use crate::event::Event;
use crate::os_error::{Answer, FAILED, refuse};
use crate::resolve::{Found, View};
use crate::session::Session;
use crate::value::APP;
use crate::value::specifier::{Root, Specifier, Step};
use crate::value::{ObjectId, Value};
use crate::world::App;
use crate::world::model::{Children, Model, Place};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// Classes under which every item can be addressed.
const GUISES: [&str; 3] = ["alias", "property list file", "XML file"];

/// A copy of the app's objects. Disk items are added to it as specifiers refer to them.
pub(super) struct Overlay<'a> {
    pub(super) session: &'a Session,
    pub(super) app: &'a Rc<App>,
    pub(super) root: Root,
    pub(super) model: Model,
    known: HashMap<(String, Option<&'static str>), ObjectId>,
    listed: HashSet<ObjectId>,
}

impl<'a> Overlay<'a> {
    pub(super) fn new(session: &'a Session, app: &'a Rc<App>, root: Root) -> Self {
        let mut model = app.model.borrow().copied();
        model.forms.insert(ITEM.to_owned(), String::new());
        let (known, listed) = Default::default();
        Self { session, app, root, model, known, listed }
    }

    pub(super) fn look<T>(&self, see: impl FnOnce(&View<'_>) -> T) -> T {
        see(&View::new(self.app, &self.model, self.root, self.session.world.now()))
    }

    /// Replaces the disk items in an event's specifiers by the specifiers that System Events uses, and adds those
    /// items.
    pub(super) fn reached(&mut self, event: &Event) -> Event {
        let mut event = event.clone();
        event.target = self.reach(&event.target);
        event.direct = event.direct.map(|direct| self.reach_value(direct));
        let parameters = std::mem::take(&mut event.parameters);
        let parameters = parameters.into_iter().map(|(name, value)| {
            let place = name == "to".into() || name == "at".into();
            let value = if place { self.placed(value) } else { value };
            (name, self.reach_value(value))
        });
        event.parameters = parameters.collect();
        event
    }

    fn reach_value(&mut self, value: Value) -> Value {
        match value {
            Value::Object(specifier) => Value::Object(self.reach(&specifier)),
            Value::List(items) => Value::List(items.into_iter().map(|item| self.reach_value(item)).collect()),
            other => other,
        }
    }

    /// Replaces a path by the item at that path.
    fn placed(&mut self, value: Value) -> Value {
        let path = match &value {
            Value::Text(text) | Value::File(text) => spelled(text, self.home()),
            _ => None,
        };
        let item = path.and_then(|path| self.item(&path, None));
        item.map_or(value, |item| Value::Object(self.look(|view| view.specifier(item))))
    }

    pub(super) fn home(&self) -> &'a str {
        &self.session.world.mac.home
    }

    fn reach(&mut self, specifier: &Rc<Specifier>) -> Rc<Specifier> {
        if let Step::Each { all } = &specifier.step {
            let all = all.iter().map(|each| self.reach(each)).collect();
            return Specifier::then(specifier.root, Step::Each { all });
        }
        let Some(of) = specifier.of() else { return Rc::clone(specifier) };
        let mut of = self.reach(of);
        match &specifier.step {
            Step::Property { term, .. } => {
                of = self.inside_file(of, term);
                self.fill_property(&of, term);
            }
            Step::Elements { class, .. } => {
                of = self.inside_file(of, class);
                self.fill_elements(&of, class);
            }
            Step::Name { name, .. } => {
                if let Some(found) = self.named(&of, name) {
                    return found;
                }
            }
            Step::Id { id, .. } => {
                if let Some(found) = self.identified(&of, id) {
                    return found;
                }
            }
            _ => (),
        }
        Specifier::then(specifier.root, specifier.step.clone().below(of))
    }

    /// The contents of a property list can also be addressed through its file.
    fn inside_file(&mut self, of: Rc<Specifier>, asked: &str) -> Rc<Specifier> {
        if !["property list item", "value", "text", "contents"].contains(&asked) {
            return of;
        }
        let Some(file) =
            self.one(&of).filter(|id| self.look(|view| view.class(*id).is_a("property list file")))
        else {
            return of;
        };
        plists::open(self, file);
        if asked == "contents" {
            return of;
        }
        Specifier::then(self.root, Step::Property { of, term: "contents".into() })
    }

    fn one(&self, specifier: &Specifier) -> Option<ObjectId> {
        match self.look(|view| view.resolve(specifier)) {
            Ok(Found::One(id)) => Some(id),
            _ => None,
        }
    }

    /// Replaces folders that the app's data names by disk items.
    fn fill_property(&mut self, of: &Specifier, term: &str) {
        if !is_place(term) {
            return;
        }
        for id in self.look(|view| view.meant(of)).unwrap_or_default() {
            let item = match self.model.value(id, term).cloned() {
                Some(Value::Held(folder)) => self.path_of(folder).and_then(|path| self.item(&path, None)),
                _ if is_program(term) => self.program(id).and_then(|path| self.item(&path, Some("alias"))),
                _ => None,
            };
            if let Some(item) = item {
                self.model.set_value(id, term, Value::Held(item));
            }
        }
    }

    /// Returns the path of the app that a process runs; `None` for programs that are not apps of this Mac.
    fn program(&self, process: ObjectId) -> Option<String> {
        let identifier = self.model.value(process, "bundle identifier").and_then(Value::as_text)?;
        let world = &self.session.world;
        let at = world.find(identifier).ok().flatten()?;
        Some(world.path_of(&world.app(at)))
    }

    fn fill_elements(&mut self, of: &Specifier, class: &str) {
        if !is_item(self.app, class) {
            return;
        }
        if of.step == Step::Root {
            // Only the disk is an element of the app itself. The items on the desktop are not.
            _ = (class == "disk").then(|| self.item("/", None));
            return;
        }
        for id in self.look(|view| view.meant(of)).unwrap_or_default() {
            self.list(id);
        }
    }

    /// Returns an item by its name in a folder, or by its path.
    fn named(&mut self, of: &Specifier, name: &Value) -> Option<Rc<Specifier>> {
        let Step::Elements { of: container, class } = &of.step else { return None };
        let name = name.as_text().filter(|_| is_item(self.app, class))?;
        let path = match container.step {
            Step::Root => spelled(name, self.home())?,
            _ => super::entry::below(&self.path_of(self.one(container)?)?, name),
        };
        self.of_class(&path, class)
    }

    /// Returns an item by its id. The id is the item's HFS path, whatever contains it.
    fn identified(&mut self, of: &Specifier, id: &Value) -> Option<Rc<Specifier>> {
        let Step::Elements { class, .. } = &of.step else { return None };
        let path = spelled(id.as_text().filter(|_| is_item(self.app, class))?, self.home())?;
        self.of_class(&path, class)
    }

    fn of_class(&mut self, path: &str, class: &str) -> Option<Rc<Specifier>> {
        let guise = GUISES.into_iter().find(|guise| *guise == class);
        let item = self.item(path, guise)?;
        let fits = class == "item" || self.look(|view| view.class(item).is_a(class));
        fits.then(|| self.look(|view| view.specifier(item)))
    }

    /// Returns the POSIX path of an item.
    pub(super) fn path_of(&self, id: ObjectId) -> Option<String> {
        self.model.value(id, "POSIX path").and_then(Value::as_text).map(str::to_owned)
    }

    /// Returns the POSIX path of an item that an event changes.
    pub(super) fn path(&self, id: ObjectId) -> Answer<String> {
        self.path_of(id).map_or_else(|| refuse(FAILED), Ok)
    }

    /// Returns the object for the item at a path.
    pub(super) fn item(&mut self, path: &str, guise: Option<&'static str>) -> Option<ObjectId> {
        match self.known.get(&(path.to_owned(), guise)) {
            Some(known) => Some(*known),
            None => Entry::at(self.session, path).map(|entry| self.add(&entry, guise)),
        }
    }

    fn add(&mut self, entry: &Entry, guise: Option<&'static str>) -> ObjectId {
        if let Some(known) = self.known.get(&(entry.path.clone(), guise)) {
            return *known;
        }
        let container = (entry.path != "/").then(|| self.item(parent(&entry.path), None)).flatten();
        let class = self.model.symbol(guise.unwrap_or(entry.class));
        let id = self.model.add(Place::Element { of: APP, class });
        self.model.object_mut(id).class = Some(class);
        self.model.object_mut(id).label = Some(entry.colons().into());
        for (term, value) in entry.properties() {
            self.model.set_value(id, term, value);
        }
        self.model.set_value(id, "container", container.map_or(Value::Missing, Value::Held));
        self.known.insert((entry.path.clone(), guise), id);
        self.show(APP, id);
        id
    }

    /// Adds the items in a folder to its elements.
    fn list(&mut self, folder: ObjectId) {
        let Some(path) = self.path_of(folder) else { return };
        if !self.listed.insert(folder) {
            return;
        }
        for entry in Entry::inside(self.session, &path) {
            let item = self.add(&entry, None);
            self.show(folder, item);
        }
    }

    fn show(&mut self, of: ObjectId, item: ObjectId) {
        let listed = self.model.symbol(ITEM);
        let lists = &mut self.model.object_mut(of).elements;
        match lists.iter_mut().find(|(class, _)| *class == listed) {
            Some((_, Children::Listed(items))) => items.push(item),
            _ => lists.push((listed, Children::Listed(vec![item]))),
        }
    }
}
