//! References: short names for objects, kept across calls.
//!
//! The store knows no clock and draws no randomness: the time and a fresh id are arguments.

mod saved;
mod table;

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use crate::Millis;
use crate::specifier::Path;
use crate::undo::{Renamed, is_of_place};
use crate::words::HIGHEST_LIMIT;
use table::Table;

pub use crate::words::{RefId, ReferenceError};

/// The object of a reference.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Object {
    /// The bundle id of its app.
    pub app: Arc<str>,
    /// The path to it; its last class is the type that clients see.
    pub path: Path,
    /// The date of the one occurrence that it stands for, if the path leads to a whole series.
    pub occurrence: Option<Arc<str>>,
}

/// One reference and its times.
#[derive(Clone, Debug, PartialEq)]
pub struct Held {
    /// Its own name.
    pub id: RefId,
    /// Its object.
    pub object: Object,
    /// When it was made.
    pub created: Millis,
    /// When it was last used.
    pub used: Millis,
    /// The value of the unique property, such as Mail's message id, if it is known.
    pub mark: Option<Box<str>>,
    /// The container that it was moved to, if this server moved it.
    pub went: Option<Path>,
    /// The hash of the object.
    key: u64,
}

impl Held {
    fn new(id: RefId, object: Object, key: u64, now: Millis) -> Self {
        Self { id, object, created: now, used: now, mark: None, went: None, key }
    }
}

impl Object {
    /// The object at the end of a path.
    pub fn new(app: Arc<str>, path: Path) -> Self {
        Self { app, path, occurrence: None }
    }

    /// The key by which the store finds it; the path includes its hash.
    fn key(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.hash(&mut hasher);
        hasher.finish()
    }
}

/// How many references the store keeps, and for how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How long a reference to a place is valid after its creation and after each use. A stable reference has no such
    /// end: it leads to its object for as long as the app has it.
    pub ttl: Millis,
    /// The maximum number; at least 1.
    pub most: usize,
    /// The largest number for one app; at least 1.
    pub most_per_app: usize,
    /// Whether the app is asked for an object before its reference is used.
    pub validate: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Self { ttl: Millis(15 * 60 * 1000), most: 10_000, most_per_app: 5_000, validate: false }
    }
}

/// A reference younger than this is never evicted: the answer that names it may still be on its way.
const YOUNGEST: Millis = Millis(60_000);

/// The number of evicted ids to remember, so that an error can say "evicted" instead of "unknown".
const EVICTED: usize = 4_096;

#[expect(clippy::disallowed_types, reason = "looked up by key only; what is listed is sorted")]
type Map<K, V> = std::collections::HashMap<K, V>;

/// Every reference that is held.
#[derive(Debug, Default)]
pub struct References {
    limits: Limits,
    table: Table,
    per_app: Map<Arc<str>, usize>,
    /// References from an earlier process, by id. They are restored when they are first used, because only then their
    /// dictionary is read.
    asleep: Map<RefId, Saved>,
    /// Until this time, every reference that could be evicted is too young.
    full_until: Millis,
    /// The same for single apps: one app at its limit does not affect the others.
    app_full_until: Map<Arc<str>, Millis>,
    evicted: VecDeque<RefId>,
    /// Objects that were moved or renamed, until the call hands them on.
    renamed: Vec<Renamed>,
    counters: Counters,
}

pub use saved::Saved;

/// Counts since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// References made.
    pub created: u64,
    /// References that were evicted to make room for others.
    pub evicted: u64,
    /// The number of expired references.
    pub expired: u64,
    /// References that were released.
    pub released: u64,
    /// Objects that were looked up in their apps.
    pub validated: u64,
    /// The number of references with a missing or moved object.
    pub failed: u64,
}

/// The current contents of the store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// References held.
    pub total: usize,
    /// The number of references of each app, by bundle id.
    pub per_app: std::collections::BTreeMap<String, usize>,
    /// The number of references, by bundle id, that were used within the lifetime of a position reference. The store
    /// can drop the others without harm.
    pub busy: std::collections::BTreeMap<String, usize>,
    /// The age of the oldest one.
    pub oldest: Option<Millis>,
    /// The age of the newest one.
    pub newest: Option<Millis>,
    /// References from an earlier process that were not used yet.
    pub asleep: usize,
    /// About how much memory they take, in bytes.
    pub memory: usize,
    /// Counts since the start.
    pub counters: Counters,
}

impl References {
    /// Makes an empty store.
    pub fn new(limits: Limits) -> Self {
        Self { limits, ..Self::default() }
    }

    /// Returns the limits.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// Returns every reference that is held and awake, in the order of their ids.
    pub fn ids(&self) -> Vec<RefId> {
        let mut ids: Vec<RefId> = self.table.iter().map(|held| held.id).collect();
        ids.sort_unstable();
        ids
    }

    /// Counts objects that were looked up in their apps.
    pub fn validated(&mut self, count: usize) {
        self.counters.validated += count as u64;
    }

    /// Returns the id of an object: its existing id, or a fresh one. Either way its lifetime starts again.
    pub fn intern(&mut self, object: Object, now: Millis, fresh: RefId) -> RefId {
        let key = object.key();
        if let Some(id) = self.table.of_object(key)
            && self.touch(id, now).is_ok_and(|held| held.object == object)
        {
            return id;
        }
        self.make_room(&object.app, now);
        *self.per_app.entry(object.app.clone()).or_default() += 1;
        self.table.insert(Held::new(fresh, object, key, now));
        self.counters.created += 1;
        fresh
    }

    /// Returns the object of a reference and restarts its lifetime.
    ///
    /// # Errors
    /// It is unknown or evicted, or it leads to a place and expired.
    pub fn touch(&mut self, id: RefId, now: Millis) -> Result<&Held, ReferenceError> {
        let ttl = self.limits.ttl;
        let Some(at) = self.table.place(id) else {
            let evicted = self.evicted.contains(&id);
            return Err(if evicted { ReferenceError::Evicted(id) } else { ReferenceError::Unknown(id) });
        };
        let held = self.table.at(at);
        if now.since(held.used) > ttl && !held.object.path.is_stable() {
            self.remove(id);
            self.counters.expired += 1;
            return Err(ReferenceError::Expired(id));
        }
        let held = self.table.at(at);
        held.used = held.used.max(now);
        Ok(held)
    }

    /// Stores the mark of a reference's object.
    pub fn mark(&mut self, id: RefId, mark: &str) {
        if let Some(held) = self.table.get_mut(id) {
            held.mark = Some(mark.into());
        }
    }

    /// Records the new place of the object behind a reference.
    pub fn went(&mut self, id: RefId, to: Path) {
        if let Some(held) = self.table.get_mut(id) {
            held.went = Some(to);
        }
    }

    /// Changes a reference so that it leads to the present place of its object.
    pub fn rebind(&mut self, id: RefId, object: Object) {
        let Some(held) = self.table.get_mut(id) else { return };
        (held.object, held.went) = (object, None);
        let key = held.object.key();
        self.table.found_by(id, key);
    }

    /// Returns the references to an object.
    pub fn of(&self, app: &str, path: &Path) -> Vec<RefId> {
        let of = self.table.iter().filter(|held| &*held.object.app == app && held.object.path.is_same(path));
        of.map(|held| held.id).collect()
    }

    /// Takes the objects that were moved or renamed, with their old and new paths.
    pub(crate) fn take_renamed(&mut self) -> Vec<Renamed> {
        std::mem::take(&mut self.renamed)
    }

    /// Changes the path of every reference that leads through an object, including references to its contents. Without
    /// a new path, the object was moved and nothing tells where it is.
    pub fn renamed(&mut self, app: &str, from: &Path, to: Option<&Path>) {
        let to_json = to.map(Path::to_json);
        self.renamed.push(Renamed { app: app.to_owned(), from: from.to_json(), to: to_json });
        let Some(to) = to else { return };
        let led: Vec<RefId> =
            self.table.iter().filter(|held| &*held.object.app == app).map(|held| held.id).collect();
        for id in led {
            let Some(held) = self.table.get(id) else { continue };
            if let Some(path) = held.object.path.replaced(from, to) {
                let object = Object { path, ..held.object.clone() };
                self.rebind(id, object);
                if let Some(held) = self.table.get_mut(id) {
                    held.mark = held.mark.take().filter(|mark| !is_of_place(mark));
                }
            }
        }
    }

    /// Returns a reference without using it.
    pub fn peek(&self, id: RefId) -> Option<&Held> {
        self.table.get(id)
    }

    /// Returns the containers in which the server has seen objects of a class, in order, without containers that are
    /// known only by position.
    pub fn containers(&self, app: &str, class: &str) -> std::collections::BTreeSet<Path> {
        let of =
            self.table.iter().filter(|held| &*held.object.app == app && held.object.path.class() == class);
        of.filter_map(|held| held.object.path.last().map(|(container, _)| container.clone()))
            .filter(Path::is_stable)
            .collect()
    }

    /// Releases a reference; returns whether it was held.
    pub fn release(&mut self, id: RefId) -> bool {
        let held = self.remove(id).is_some();
        self.counters.released += u64::from(held);
        held
    }

    /// Releases all references of an app; returns how many there were.
    pub fn release_app(&mut self, app: &str) -> usize {
        let of_app = self.table.iter().filter(|held| &*held.object.app == app);
        let ids: Vec<RefId> = of_app.map(|held| held.id).collect();
        ids.into_iter().filter(|id| self.release(*id)).count()
    }

    /// Drops a reference to an object that the app no longer has.
    pub fn fail(&mut self, id: RefId) {
        self.counters.failed += u64::from(self.remove(id).is_some());
    }

    /// Drops every expired reference and frees its memory. Returns their number. Stable references stay until others
    /// need the room.
    pub fn clean_up(&mut self, now: Millis) -> usize {
        let ttl = self.limits.ttl;
        let stays = |held: &Held| now.since(held.used) <= ttl || held.object.path.is_stable();
        let dropped = self.table.retain(stays);
        if dropped > 0 {
            self.per_app.clear();
            for held in self.table.iter() {
                *self.per_app.entry(Arc::clone(&held.object.app)).or_default() += 1;
            }
        }
        self.counters.expired += dropped as u64;
        self.table.shrink();
        dropped
    }

    /// Counts the references.
    pub fn stats(&self, now: Millis) -> Stats {
        let ages = || self.table.iter().map(|held| now.since(held.created));
        let mut busy = std::collections::BTreeMap::new();
        for held in self.table.iter().filter(|held| now.since(held.used) <= self.limits.ttl) {
            *busy.entry(held.object.app.to_string()).or_default() += 1;
        }
        Stats {
            total: self.table.len(),
            per_app: self.per_app.iter().map(|(app, count)| (app.to_string(), *count)).collect(),
            busy,
            oldest: ages().max(),
            newest: ages().min(),
            asleep: self.asleep.len(),
            memory: self.table.memory(),
            counters: self.counters,
        }
    }

    /// Whether the store is so full of references that are too young to drop that no call should make more.
    pub fn is_full(&mut self, now: Millis) -> bool {
        // Young references are never evicted, so the store may exceed its limit for a while. Twice the limit plus the
        // elements of one call bounds its memory.
        let most = self.limits.most.saturating_mul(2).saturating_add(HIGHEST_LIMIT);
        if self.table.len() >= most {
            self.make_room_for_all(now);
        }
        self.table.len() >= most
    }

    fn make_room(&mut self, app: &Arc<str>, now: Millis) {
        let of_app = self.per_app.get(app).copied().unwrap_or_default();
        let may_be_old = || self.app_full_until.get(app).is_none_or(|until| now >= *until);
        if of_app >= self.limits.most_per_app && may_be_old() {
            let until = self.evict(self.limits.most_per_app, now, |held| held.object.app == *app);
            self.app_full_until.insert(app.clone(), until);
        }
        self.make_room_for_all(now);
    }

    fn make_room_for_all(&mut self, now: Millis) {
        if self.table.len() >= self.limits.most && now >= self.full_until {
            self.full_until = self.evict(self.limits.most, now, |_| true);
        }
    }

    /// Drops a tenth of the limit at a time, least recently used first, so that the cost is spread over many inserts.
    /// Returns the time before which another attempt would find nothing.
    fn evict(&mut self, limit: usize, now: Millis, counts: impl Fn(&Held) -> bool + Copy) -> Millis {
        let old = self.table.iter().filter(|held| counts(held) && now.since(held.created) >= YOUNGEST);
        let mut by_use: Vec<(Millis, RefId)> = old.map(|held| (held.used, held.id)).collect();
        if by_use.is_empty() {
            return self.grown_up(counts);
        }
        by_use.sort_unstable();
        for (used, id) in by_use.into_iter().take(limit.div_ceil(10)) {
            self.remove(id);
            // No one misses a reference that was unused for so long: only the others count as evicted.
            let is_late = now.since(used) > self.limits.ttl;
            self.counters.expired += u64::from(is_late);
            self.counters.evicted += u64::from(!is_late);
            self.evicted.push_back(id);
        }
        let extra = self.evicted.len().saturating_sub(EVICTED);
        self.evicted.drain(..extra);
        Millis(0)
    }

    /// When the oldest of these may be evicted. An attempt before that would find nothing.
    fn grown_up(&self, counts: impl Fn(&Held) -> bool) -> Millis {
        let created = self.table.iter().filter(|held| counts(held)).map(|held| held.created);
        created.min().map_or(Millis(0), |oldest| oldest + YOUNGEST)
    }

    fn remove(&mut self, id: RefId) -> Option<Held> {
        let held = self.table.remove(id)?;
        if let Some(count) = self.per_app.get_mut(&held.object.app) {
            *count -= 1;
        }
        self.per_app.retain(|_, count| *count > 0);
        Some(held)
    }
}

#[cfg(test)]
mod tests;
