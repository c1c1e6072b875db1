//! One app's objects: an arena of untyped records, read through the dictionary's types.

use super::index::Index;
use crate::value::{ObjectId, Value};
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// A term that occurs in an app's data, as a small number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Symbol(u32);

/// An app's objects.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Model {
    objects: Vec<Object>,
    names: Vec<Rc<str>>,
    /// Which name followed each when the data was read.
    #[serde(skip)]
    followers: Vec<Option<Symbol>>,
    #[serde(skip)]
    symbols: HashMap<Rc<str>, Symbol>,
    #[serde(skip)]
    pub(super) index: RefCell<Index>,
    pub(super) keys: HashMap<Rc<str>, ObjectId>,
    /// The property that holds the id of a class's objects, if that is not `id`.
    pub(crate) forms: HashMap<String, String>,
    /// Whether elements are addressed by their own class, as in Finder, or by the class of their list.
    pub(crate) own_class: bool,
    /// Whether elements can be asked for by a subclass that the container's class does not name.
    #[serde(default)]
    pub(crate) subclasses: bool,
    /// Properties that count elements, by class and property.
    #[serde(default)]
    pub(crate) counts: HashMap<String, HashMap<String, Counted>>,
    /// The number of seconds by which dates that are still text are behind the world's clock.
    pub(crate) shift: i64,
    pub(crate) running: bool,
    /// Whether the app is OmniFocus, because its objects have relations that no dictionary describes.
    #[serde(default)]
    pub(crate) omni: bool,
    /// Whether the app's disk items are the files of this Mac, as in System Events.
    #[serde(default)]
    pub(crate) files: bool,
}

/// The elements that a property counts: those of a class with a boolean value, such as unread messages.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Counted {
    pub(crate) class: String,
    pub(crate) property: String,
    pub(crate) value: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Object {
    /// Its own class, if it is a subclass of its element's or property's class.
    pub(crate) class: Option<Symbol>,
    pub(crate) place: Place,
    /// The name that its container uses for it, if that is not its property `name`.
    pub(crate) label: Option<Rc<str>>,
    /// The application's property through which the app addresses it, in any container.
    pub(crate) through: Option<Symbol>,
    pub(crate) values: Vec<(Symbol, Value)>,
    pub(crate) elements: Vec<(Symbol, Children)>,
    /// Deleted: a holder of its id gets nothing.
    pub(crate) gone: bool,
}

/// The place of an object in the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Place {
    Application,
    Element { of: ObjectId, class: Symbol },
    Property { of: ObjectId, term: Symbol },
}

impl Place {
    /// The object that something at this place hangs on.
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
    /// Objects that hang elsewhere and are listed here too, as a person is in groups.
    Listed(Vec<ObjectId>),
    /// The elements of that class of all these objects, by their keys, one after the other.
    Union(Vec<Rc<str>>),
    /// Objects that hang elsewhere, by their keys: the inboxes of all accounts in the unified one.
    Those(Vec<Rc<str>>),
}

impl Model {
    pub(crate) fn symbol(&mut self, name: &str) -> Symbol {
        if let Some(symbol) = self.symbols.get(name) {
            return *symbol;
        }
        self.new_symbol(name)
    }

    /// The symbol of a name that was last seen after another: objects of one class list their terms in one order, so
    /// that most names are found without looking them up.
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

    /// A copy to which objects can be added for a while.
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

    /// Fills in what a snapshot leaves out.
    pub(super) fn restored(mut self) -> Self {
        let numbered = self.names.iter().zip(0..);
        self.symbols = numbered.map(|(name, at)| (Rc::clone(name), Symbol(at))).collect();
        self
    }

    /// The symbol of a name that some object uses.
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

    /// How many objects are not deleted.
    pub(crate) fn living(&self) -> usize {
        self.objects.iter().filter(|object| !object.gone).count()
    }

    /// The application object is the first; an app without data gets an empty one.
    pub(crate) fn application(&mut self) -> ObjectId {
        if self.objects.is_empty() {
            self.add(Place::Application);
        }
        ObjectId(0)
    }

    pub(crate) fn keyed(&self, key: &str) -> Option<ObjectId> {
        self.keys.get(key).copied()
    }

    /// A stored value, untyped; `None` if the data has none.
    pub(crate) fn value(&self, id: ObjectId, term: &str) -> Option<&Value> {
        let symbol = self.known(term)?;
        self.object(id).values.iter().find(|(name, _)| *name == symbol).map(|(_, value)| value)
    }
}
