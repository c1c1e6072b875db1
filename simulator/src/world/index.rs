//! Finds objects by the value of a property. An index is made once the property was searched often enough to be worth
//! it.

use super::model::{Model, Symbol};
use crate::value::{ObjectId, Value};
use std::collections::HashMap;
use std::rc::Rc;

/// Indexes by property. An entry may be out of date about where its object is and whether it was deleted, but never
/// about its value.
#[derive(Debug, Default)]
pub(crate) struct Index {
    by_term: HashMap<Symbol, HashMap<Key, Vec<ObjectId>>>,
    asked: u32,
}

/// How many searches through all objects precede the making of an index.
const PATIENCE: u32 = 4;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key {
    Int(i64),
    Text(Rc<str>),
}

impl Key {
    fn of(value: &Value) -> Option<Self> {
        match value {
            Value::Int(number) => Some(Self::Int(*number)),
            Value::Text(text) => Some(Self::Text(Rc::clone(text))),
            _ => None,
        }
    }
}

impl Model {
    /// Returns the objects with that value of the property, in any container; `None` if searching the objects is
    /// cheaper.
    pub(crate) fn indexed(&self, term: Symbol, value: &Value) -> Option<Vec<ObjectId>> {
        let key = Key::of(value)?;
        let mut index = self.index.borrow_mut();
        index.asked += 1;
        if index.asked <= PATIENCE {
            return None;
        }
        let all = index.by_term.entry(term).or_insert_with(|| self.build(term));
        Some(all.get(&key).cloned().unwrap_or_default())
    }

    /// Returns the existing objects with that value of the property, using the index if there is one.
    pub(crate) fn having(&self, term: &str, value: &Value) -> Vec<ObjectId> {
        let Some(term) = self.known(term) else { return Vec::new() };
        let has =
            |id: &ObjectId| self.object(*id).values.iter().any(|(name, each)| *name == term && each == value);
        let found = self.indexed(term, value);
        let found = found.unwrap_or_else(|| (0..).map(ObjectId).take(self.len()).filter(has).collect());
        found.into_iter().filter(|id| !self.object(*id).gone).collect()
    }

    fn build(&self, term: Symbol) -> HashMap<Key, Vec<ObjectId>> {
        let mut all: HashMap<Key, Vec<ObjectId>> = HashMap::with_capacity(self.len());
        for id in (0..).map(ObjectId).take(self.len()) {
            if let Some(key) = self.key(id, term) {
                all.entry(key).or_default().push(id);
            }
        }
        all
    }

    fn key(&self, id: ObjectId, term: Symbol) -> Option<Key> {
        let (_, value) = self.object(id).values.iter().find(|(name, _)| *name == term)?;
        Key::of(value)
    }

    pub(super) fn index_add(&self, id: ObjectId) {
        for (term, all) in &mut self.index.borrow_mut().by_term {
            if let Some(key) = self.key(id, *term) {
                all.entry(key).or_default().push(id);
            }
        }
    }

    pub(super) fn index_forget(&self, term: Symbol) {
        self.index.borrow_mut().by_term.remove(&term);
    }
}
