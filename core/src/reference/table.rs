//! Stores references side by side, so that a pass over all of them reads memory in one direction. Finds them by id and
//! by object.

use indexmap::IndexMap;

use super::{Held, Map, RefId};

/// The approximate size of a path, without the parts that it shares with others.
const NODE: usize = 120;

/// References in order of arrival, as long as none was removed.
#[derive(Debug, Default)]
pub(super) struct Table {
    held: IndexMap<RefId, Held>,
    /// By the hash of the object. If two objects have one hash, this finds the later one; the earlier one is still
    /// found by its id.
    by_object: Map<u64, RefId>,
}

impl Table {
    pub(super) fn len(&self) -> usize {
        self.held.len()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Held> + Clone {
        self.held.values()
    }

    /// The index of a reference, until another one is removed.
    pub(super) fn place(&self, id: RefId) -> Option<usize> {
        self.held.get_index_of(&id)
    }

    /// The reference at an index from [`Self::place`].
    pub(super) fn at(&mut self, place: usize) -> &mut Held {
        &mut self.held[place]
    }

    pub(super) fn get(&self, id: RefId) -> Option<&Held> {
        self.held.get(&id)
    }

    pub(super) fn get_mut(&mut self, id: RefId) -> Option<&mut Held> {
        self.held.get_mut(&id)
    }

    /// The reference of the object with this hash. Two objects may have the same hash.
    pub(super) fn of_object(&self, key: u64) -> Option<RefId> {
        self.by_object.get(&key).copied()
    }

    /// Adds a reference, which is its object's reference from now on.
    pub(super) fn insert(&mut self, held: Held) {
        self.by_object.insert(held.key, held.id);
        self.held.insert(held.id, held);
    }

    /// Adds a reference of an object that may have another one already.
    pub(super) fn insert_beside(&mut self, held: Held) {
        self.by_object.entry(held.key).or_insert(held.id);
        self.held.insert(held.id, held);
    }

    /// Records that a reference now leads to another object, with this hash.
    pub(super) fn found_by(&mut self, id: RefId, key: u64) {
        let Some(held) = self.get_mut(id) else { return };
        let before = std::mem::replace(&mut held.key, key);
        self.forget(id, before);
        self.by_object.entry(key).or_insert(id);
    }

    /// Removes a reference. The last one takes its place.
    pub(super) fn remove(&mut self, id: RefId) -> Option<Held> {
        let held = self.held.swap_remove(&id)?;
        self.forget(id, held.key);
        Some(held)
    }

    /// Drops every reference that does not stay; returns how many.
    pub(super) fn retain(&mut self, stays: impl Fn(&Held) -> bool) -> usize {
        let before = self.held.len();
        self.held.retain(|_, held| stays(held));
        if self.held.len() < before {
            self.by_object.retain(|_, id| self.held.contains_key(id));
        }
        before - self.held.len()
    }

    /// Frees memory if a quarter of it would be enough.
    pub(super) fn shrink(&mut self) {
        if self.capacity() > 4 * self.len().max(16) {
            self.held.shrink_to_fit();
            self.by_object.shrink_to_fit();
        }
    }

    /// The number of references for which there is room.
    pub(super) fn capacity(&self) -> usize {
        self.held.capacity().max(self.by_object.capacity())
    }

    /// About how much memory they take, in bytes.
    pub(super) fn memory(&self) -> usize {
        let placed = size_of::<RefId>() + size_of::<Held>() + 2 * size_of::<usize>();
        let found = size_of::<u64>() + size_of::<RefId>() + 1;
        self.held.capacity() * placed + self.by_object.capacity() * found + self.held.len() * NODE
    }

    /// The same object may have another id, which an earlier process gave out.
    fn forget(&mut self, id: RefId, key: u64) {
        if self.by_object.get(&key) == Some(&id) {
            self.by_object.remove(&key);
        }
    }

    /// Lets a hash lead to a reference, as if two objects had the same hash.
    #[cfg(test)]
    pub(super) fn found_also_by(&mut self, key: u64, id: RefId) {
        self.by_object.insert(key, id);
    }
}
