//! One app's objects: an arena of untyped records. The dictionary gives their values types.

use super::index::Index;
use crate::value::{ObjectId, Value};
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// A name that occurs in an app's data, interned as a small number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Symbol(u32);

/// An app's objects.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Model {
    objects: Vec<Object>,
    names: Vec<Rc<str>>,
    /// For each name, the name that followed it when the data was read.
    #[serde(skip)]
    followers: Vec<Option<Symbol>>,
    #[serde(skip)]
    symbols: HashMap<Rc<str>, Symbol>,
    #[serde(skip)]
    pub(super) index: RefCell<Index>,
    pub(super) keys: HashMap<Rc<str>, ObjectId>,
    /// The property that identifies objects of a class, if it is not `id`.
    pub(crate) forms: HashMap<String, String>,
    /// Whether elements are addressed by their own class, as in the Finder, or by the class of their list.
    pub(crate) own_class: bool,
    /// Whether elements can be requested by a subclass that the container's class does not list.
    #[serde(default)]
    pub(crate) subclasses: bool,
    /// Properties that count elements, by class and property.
    #[serde(default)]
    pub(crate) counts: HashMap<String, HashMap<String, Counted>>,
    /// By how many seconds dates that are still text are behind the world's clock.
    pub(crate) shift: i64,
    pub(crate) running: bool,
    /// Whether the app is OmniFocus, whose objects have relations that no dictionary describes.
    #[serde(default)]
    pub(crate) omni: bool,
    /// Whether the app's disk items are this Mac's files, as in System Events.
    #[serde(default)]
    pub(crate) files: bool,
}

/// Which elements a property counts: those of a class with a given Boolean value, such as unread messages.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Counted {
    pub(crate) class: String,
    pub(crate) property: String,
    pub(crate) value: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Object {
    /// Its own class, if that is a subclass of its element's or property's class.
    pub(crate) class: Option<Symbol>,
    pub(crate) place: Place,
    /// The name that its container uses for it, if that is not its property `name`.
    pub(crate) label: Option<Rc<str>>,
    /// The application's property through which the app addresses it, whatever contains it.
    pub(crate) through: Option<Symbol>,
    pub(crate) values: Vec<(Symbol, Value)>,
    pub(crate) elements: Vec<(Symbol, Children)>,
    /// Whether it was deleted. Whoever still has its id gets nothing.
    pub(crate) gone: bool,
}

/// Where an object is in the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Place {
    Application,
    Element { of: ObjectId, class: Symbol },
    Property { of: ObjectId, term: Symbol },
}

impl Place {
    /// Returns the object that contains this place.
    pub(crate) fn of(self) -> Option<ObjectId> {
        match self {
            Self::Application => None,
            Self::Element { of, .. } | Self::Property { of, .. } => Some(of),
        }
    }
}

/// The elements of one class in one object.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Children {
    Own(Vec<ObjectId>),
    /// Objects of another container that are listed here too, as a person is in groups.
    Listed(Vec<ObjectId>),
    /// The elements of that class in all of these objects, given by their keys, one after the other.
    Union(Vec<Rc<str>>),
    /// Objects of other containers, given by their keys: the unified inbox lists the inboxes of all accounts.
    Those(Vec<Rc<str>>),
}

impl Model {
    pub(crate) fn symbol(&mut self, name: &str) -> Symbol {
        if let Some(symbol) = self.symbols.get(name) {
            return *symbol;
        }
        self.new_symbol(name)
    }

    /// Returns the symbol of a name that follows another name. Objects of one class list their terms in the same
    /// order, so most names are guessed without a lookup.
    pub(super) fn symbol_after(&mut self, before: &mut Option<Symbol>, name: &str) -> Symbol {
        let guess = before.and_then(|before| self.followers.get(before.0 as usize).copied().flatten());
        let symbol = match guess {
            Some(symbol) if *self.names[symbol.0 as usize] == *name => symbol,
            _ => self.symbol(name),
        };
        if let Some(before) = before.replace(symbol) {
            let at = before.0 as usize;
            self.followers.resize(self.followers.len().max(at + 1), None);
            self.followers[at] = Some(symbol);
        }
        symbol
    }

    fn new_symbol(&mut self, name: &str) -> Symbol {
        let symbol = Symbol(u32::try_from(self.names.len()).expect("an app has fewer than 2^32 terms"));
        let name: Rc<str> = name.into();
        self.names.push(Rc::clone(&name));
        self.symbols.insert(name, symbol);
        symbol
    }

    /// Returns a copy to which temporary objects can be added.
    pub(crate) fn copied(&self) -> Self {
        Self {
            objects: self.objects.clone(),
            names: self.names.clone(),
            symbols: self.symbols.clone(),
            keys: self.keys.clone(),
            forms: self.forms.clone(),
            counts: self.counts.clone(),
            followers: Vec::new(),
            index: RefCell::default(),
            ..*self
        }
    }

    /// Restores the fields that a snapshot omits.
    pub(super) fn restored(mut self) -> Self {
        let numbered = self.names.iter().zip(0..);
        self.symbols = numbered.map(|(name, at)| (Rc::clone(name), Symbol(at))).collect();
        self
    }

    /// Returns the symbol of a name, if some object uses it.
    pub(crate) fn known(&self, name: &str) -> Option<Symbol> {
        self.symbols.get(name).copied()
    }

    pub(crate) fn name(&self, symbol: Symbol) -> &Rc<str> {
        &self.names[symbol.0 as usize]
    }

    pub(crate) fn add(&mut self, place: Place) -> ObjectId {
        let like = self.objects.last().map_or(0, |object| object.values.len());
        let id = ObjectId(u32::try_from(self.objects.len()).expect("an app has fewer than 2^32 objects"));
        let (values, elements) = (Vec::with_capacity(like), Vec::new());
        let (class, label, through) = (None, None, None);
        self.objects.push(Object { class, place, label, through, values, elements, gone: false });
        id
    }

    pub(crate) fn object(&self, id: ObjectId) -> &Object {
        &self.objects[id.0 as usize]
    }

    pub(crate) fn object_mut(&mut self, id: ObjectId) -> &mut Object {
        &mut self.objects[id.0 as usize]
    }

    pub(super) fn values_mut(&mut self) -> impl Iterator<Item = &mut Value> {
        self.objects.iter_mut().flat_map(|object| object.values.iter_mut().map(|(_, value)| value))
    }

    pub(crate) fn len(&self) -> usize {
        self.objects.len()
    }

    /// Returns how many objects are not deleted.
    pub(crate) fn living(&self) -> usize {
        self.objects.iter().filter(|object| !object.gone).count()
    }

    /// Returns the application object, which is the first. An app without data gets an empty one.
    pub(crate) fn application(&mut self) -> ObjectId {
        if self.objects.is_empty() {
            self.add(Place::Application);
        }
        ObjectId(0)
    }

    pub(crate) fn keyed(&self, key: &str) -> Option<ObjectId> {
        self.keys.get(key).copied()
    }

    /// Returns a stored value, untyped; `None` if the data has none.
    pub(crate) fn value(&self, id: ObjectId, term: &str) -> Option<&Value> {
        let symbol = self.known(term)?;
        self.object(id).values.iter().find(|(name, _)| *name == symbol).map(|(_, value)| value)
    }
}
