//! Stores references side by side, so that a pass over all of them reads memory in one direction. Finds them by id and
//! by object.

use super::{Held, Map, RefId, plain};

/// The approximate size of a path, without the parts that it shares with others.
const NODE: usize = 120;

/// References in order of arrival, as long as none was removed.
#[derive(Debug, Default)]
pub(super) struct Table {
    held: Vec<Held>,
    /// The index of each reference.
    by_id: Map<RefId, usize>,
    /// By the hash of the object. If two objects have one hash, this finds the later one; the earlier one is still
    /// found by its id.
    by_object: plain::Map<RefId>,
}

impl Table {
    pub(super) fn len(&self) -> usize {
        self.held.len()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Held> + Clone {
        self.held.iter()
    }

    /// The index of a reference, until another one is removed.
    pub(super) fn place(&self, id: RefId) -> Option<usize> {
        self.by_id.get(&id).copied()
    }

    /// The reference at an index from [`Self::place`].
    pub(super) fn at(&mut self, place: usize) -> &mut Held {
        &mut self.held[place]
    }

    pub(super) fn get(&self, id: RefId) -> Option<&Held> {
        self.place(id).map(|place| &self.held[place])
    }

    pub(super) fn get_mut(&mut self, id: RefId) -> Option<&mut Held> {
        self.place(id).map(|place| &mut self.held[place])
    }

    /// The reference of the object with this hash. Two objects may have the same hash.
    pub(super) fn of_object(&self, key: u64) -> Option<RefId> {
        self.by_object.get(&key).copied()
    }

    /// Adds a reference, which is its object's reference from now on.
    pub(super) fn insert(&mut self, held: Held) {
        self.by_object.insert(held.key, held.id);
        self.push(held);
    }

    /// Adds a reference of an object that may have another one already.
    pub(super) fn insert_beside(&mut self, held: Held) {
        self.by_object.entry(held.key).or_insert(held.id);
        self.push(held);
    }

    /// Records that a reference now leads to another object, with this hash.
    pub(super) fn found_by(&mut self, id: RefId, key: u64) {
        let Some(held) = self.get_mut(id) else { return };
        let before = std::mem::replace(&mut held.key, key);
        forget(id, before, &mut self.by_object);
        self.by_object.entry(key).or_insert(id);
    }

    /// Removes a reference. The last one takes its place.
    pub(super) fn remove(&mut self, id: RefId) -> Option<Held> {
        let place = self.by_id.remove(&id)?;
        let held = self.held.swap_remove(place);
        if let Some(moved) = self.held.get(place) {
            self.by_id.insert(moved.id, place);
        }
        forget(id, held.key, &mut self.by_object);
        Some(held)
    }

    /// Drops every reference that does not stay; returns how many.
    ///
    /// If most entries go, the maps are rebuilt from the rest, because that costs less than removing entries one by
    /// one.
    pub(super) fn retain(&mut self, stays: impl Fn(&Held) -> bool) -> usize {
        let before = self.held.len();
        let going = self.held.iter().filter(|held| !stays(held)).count();
        if going * 2 > before {
            self.held.retain(stays);
            self.index();
        } else if going > 0 {
            let ids: Vec<RefId> = self.held.iter().filter(|held| !stays(held)).map(|held| held.id).collect();
            ids.into_iter().for_each(|id| drop(self.remove(id)));
        }
        going
    }

    /// Frees memory if a quarter of it would be enough.
    pub(super) fn shrink(&mut self) {
        if self.capacity() > 4 * self.len().max(16) {
            self.held.shrink_to_fit();
            self.by_id.shrink_to_fit();
            self.by_object.shrink_to_fit();
        }
    }

    /// The number of references for which there is room.
    pub(super) fn capacity(&self) -> usize {
        self.held.capacity().max(self.by_id.capacity()).max(self.by_object.capacity())
    }

    /// About how much memory they take, in bytes.
    pub(super) fn memory(&self) -> usize {
        let placed = size_of::<RefId>() + size_of::<usize>() + 1;
        let found = size_of::<u64>() + size_of::<RefId>() + 1;
        let maps = self.by_id.capacity() * placed + self.by_object.capacity() * found;
        self.held.capacity() * size_of::<Held>() + maps + self.held.len() * NODE
    }

    fn push(&mut self, held: Held) {
        self.by_id.insert(held.id, self.held.len());
        self.held.push(held);
    }

    fn index(&mut self) {
        self.by_id.clear();
        self.by_object.clear();
        for (place, held) in self.held.iter().enumerate() {
            self.by_id.insert(held.id, place);
            self.by_object.insert(held.key, held.id);
        }
    }

    /// Lets a hash lead to a reference, as if two objects had the same hash.
    #[cfg(test)]
    pub(super) fn found_also_by(&mut self, key: u64, id: RefId) {
        self.by_object.insert(key, id);
    }
}

/// The same object may have another id, which an earlier process gave out.
fn forget(id: RefId, key: u64, by_object: &mut plain::Map<RefId>) {
    if by_object.get(&key) == Some(&id) {
        by_object.remove(&key);
    }
}
