//! Changes of an app's objects. Events produce them, and the journal replays them.

use std::rc::Rc;

use super::model::{Children, Model, Place, Symbol};
use crate::value::{ObjectId, Value};
use serde::{Deserialize, Serialize};

/// A change. Applied in the order of the journal, the same changes give the same objects in every process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Change {
    /// The app was launched or has quit.
    Running(bool),
    Set {
        object: ObjectId,
        term: String,
        value: Value,
    },
    Add(Added),
    /// Removes an object and everything below it.
    Remove(ObjectId),
    /// Adds or removes an object in the elements of another one that is not its container.
    List {
        object: ObjectId,
        of: ObjectId,
        class: String,
        listed: bool,
    },
    Move {
        object: ObjectId,
        to: ObjectId,
        class: String,
        at: Option<usize>,
    },
}

/// A new element.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Added {
    pub(crate) of: ObjectId,
    /// The class under which its container lists it.
    pub(crate) listed: String,
    /// Its own class, if that is different.
    pub(crate) class: Option<String>,
    /// The index before which it is inserted; at the end if absent.
    pub(crate) at: Option<usize>,
    pub(crate) values: Vec<(String, Value)>,
}

impl Model {
    /// Returns the id that the next new object will get.
    pub(crate) fn next_id(&self) -> ObjectId {
        ObjectId(u32::try_from(self.len()).expect("an app has fewer than 2^32 objects"))
    }

    pub(crate) fn apply(&mut self, change: &Change) {
        match change {
            Change::Running(running) => self.running = *running,
            Change::Set { object, term, value } => self.set_value(*object, term, value.clone()),
            Change::Add(added) => self.add_element(added),
            Change::Remove(object) => self.remove(*object),
            Change::List { object, of, class, listed } => self.list(*object, *of, class, *listed),
            Change::Move { object, to, class, at } => self.relocate(*object, *to, class, *at),
        }
    }

    pub(crate) fn set_value(&mut self, id: ObjectId, term: &str, value: Value) {
        let symbol = self.symbol(term);
        let values = &mut self.object_mut(id).values;
        match values.iter_mut().find(|(name, _)| *name == symbol) {
            Some((_, old)) => *old = value,
            None => values.push((symbol, value)),
        }
        self.index_forget(symbol);
    }

    fn add_element(&mut self, added: &Added) {
        let listed = self.symbol(&added.listed);
        let id = self.add(Place::Element { of: added.of, class: listed });
        let class = added.class.as_deref().map(|class| self.symbol(class));
        let values = added.values.iter().map(|(term, value)| (self.symbol(term), value.clone())).collect();
        let object = self.object_mut(id);
        object.class = class;
        object.values = values;
        self.index_add(id);
        self.insert(added.of, &added.listed, id, added.at);
        self.join_unions(added.of, listed, id);
    }

    /// Adds a new object to each union that contains all of its siblings: a new note in a folder is also among all
    /// notes of its account and of the app.
    fn join_unions(&mut self, of: ObjectId, class: Symbol, id: ObjectId) {
        let own = self.object(of).elements.iter().find_map(|(name, children)| match children {
            Children::Own(ids) if *name == class => Some(ids),
            _ => None,
        });
        let others: Vec<ObjectId> = own.into_iter().flatten().copied().filter(|each| *each != id).collect();
        if others.is_empty() {
            return;
        }
        let key: Rc<str> = format!("new {}", id.0).into();
        let mut joined = false;
        for at in 0..self.len() {
            let holder = ObjectId(u32::try_from(at).expect("an app has fewer than 2^32 objects"));
            for list in 0..self.object(holder).elements.len() {
                let Children::Union(keys) = &self.object(holder).elements[list].1 else { continue };
                let named: Vec<ObjectId> = keys.iter().filter_map(|key| self.keyed(key)).collect();
                if !others.iter().all(|each| named.contains(each)) {
                    continue;
                }
                if let Children::Union(keys) = &mut self.object_mut(holder).elements[list].1 {
                    keys.push(Rc::clone(&key));
                    joined = true;
                }
            }
        }
        if joined {
            self.keys.insert(key, id);
        }
    }

    fn insert(&mut self, of: ObjectId, class: &str, id: ObjectId, at: Option<usize>) {
        let symbol = self.symbol(class);
        let lists = &mut self.object_mut(of).elements;
        let own = lists.iter_mut().find_map(|(name, children)| match children {
            Children::Own(ids) if *name == symbol => Some(ids),
            _ => None,
        });
        match own {
            Some(ids) => ids.insert(at.unwrap_or(ids.len()).min(ids.len()), id),
            None => lists.push((symbol, Children::Own(vec![id]))),
        }
    }

    fn remove(&mut self, id: ObjectId) {
        self.unlist(id);
        let mut gone = vec![id];
        while let Some(id) = gone.pop() {
            let object = self.object_mut(id);
            object.gone = true;
            for (_, children) in &object.elements {
                if let Children::Own(ids) = children {
                    gone.extend_from_slice(ids);
                }
            }
        }
    }

    fn list(&mut self, id: ObjectId, of: ObjectId, class: &str, listed: bool) {
        let symbol = self.symbol(class);
        let lists = &mut self.object_mut(of).elements;
        let others = lists.iter_mut().find_map(|(name, children)| match children {
            Children::Listed(ids) if *name == symbol => Some(ids),
            _ => None,
        });
        match others {
            Some(ids) => {
                ids.retain(|each| *each != id);
                ids.extend(listed.then_some(id));
            }
            None if listed => lists.push((symbol, Children::Listed(vec![id]))),
            None => (),
        }
    }

    fn unlist(&mut self, id: ObjectId) {
        if let Place::Element { of, .. } = self.object(id).place {
            for (_, children) in &mut self.object_mut(of).elements {
                if let Children::Own(ids) = children {
                    ids.retain(|each| *each != id);
                }
            }
        }
    }

    /// Moves an object to another container. Its properties that named the old container now name the new one.
    fn relocate(&mut self, id: ObjectId, to: ObjectId, class: &str, at: Option<usize>) {
        let old = self.object(id).place;
        self.unlist(id);
        let listed = self.symbol(class);
        self.object_mut(id).place = Place::Element { of: to, class: listed };
        if let Place::Element { of, .. } = old {
            for (_, value) in &mut self.object_mut(id).values {
                if *value == Value::Held(of) {
                    *value = Value::Held(to);
                }
            }
        }
        self.insert(to, class, id, at);
    }
}
