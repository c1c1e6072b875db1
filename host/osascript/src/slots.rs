//! Limits the number of workers. If all slots are taken, the least recently used worker must leave.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Notify;

/// The slots for workers, least recently used first.
#[derive(Debug)]
pub(crate) struct Slots {
    most: usize,
    taken: Mutex<Vec<Slot>>,
}

#[derive(Debug)]
struct Slot {
    app: Arc<str>,
    busy: bool,
    evict: Arc<Notify>,
}

impl Slots {
    pub(crate) fn new(most: usize) -> Self {
        Self { most, taken: Mutex::new(Vec::new()) }
    }

    /// Claims a slot for an app, or keeps the one it has. `evict` is notified when another app needs the slot.
    ///
    /// Returns false if running scripts use all slots.
    pub(crate) fn claim(&self, app: &Arc<str>, evict: &Arc<Notify>) -> bool {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        taken.retain(|slot| slot.app != *app);
        if taken.len() >= self.most {
            let Some(idle) = taken.iter().position(|slot| !slot.busy) else { return false };
            taken.remove(idle).evict.notify_one();
        }
        taken.push(Slot { app: app.clone(), busy: true, evict: evict.clone() });
        true
    }

    /// Marks the app's worker as idle, because its script has ended.
    pub(crate) fn rest(&self, app: &str) {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        taken.iter_mut().filter(|slot| *slot.app == *app).for_each(|slot| slot.busy = false);
    }

    /// Frees the app's slot.
    pub(crate) fn leave(&self, app: &str) {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        taken.retain(|slot| *slot.app != *app);
    }

    pub(crate) fn taken(&self) -> usize {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recently_used_makes_room() {
        let slots = Slots::new(2);
        let [a, b, c] = ["a", "b", "c"].map(Arc::<str>::from);
        let told = [(); 3].map(|()| Arc::new(Notify::new()));
        assert!(slots.claim(&a, &told[0]) && slots.claim(&b, &told[1]));
        assert!(!slots.claim(&c, &told[2]), "both are busy");
        slots.rest(&a);
        slots.rest(&b);
        assert!(slots.claim(&a, &told[0]), "a is used again, so b is the oldest");
        assert!(slots.claim(&c, &told[2]));
        let evicted = |told: &Notify| {
            let mut told = std::pin::pin!(told.notified());
            told.as_mut().enable()
        };
        assert_eq!([0, 1, 2].map(|i| evicted(&told[i])), [false, true, false]);
        slots.leave(&a);
        assert_eq!(slots.taken(), 1);
    }
}
