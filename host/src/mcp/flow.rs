//! Limits the work of one client.
//!
//! A client may send without end and never read an answer. So this module bounds the requests under way and the
//! unwritten answers. It keeps further requests as raw bytes, up to a limit.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tokio::sync::Notify;

use super::memory::LARGE;

/// Calls of tools under way at once. An answer of 100 KB each makes 13 MB for a client that reads none of them, and no
/// client is known to have more than twenty calls under way.
const CALLS: usize = 128;
/// Other requests under way at once: a `ping` does not wait for 128 calls.
const OTHERS: usize = 32;
/// Calls that wait for a human and so leave their place to others. Each costs some 20 KB.
const PARKED: usize = 500;
/// No request begins while the running requests have this many bytes. One line of 16 MiB may begin beside short ones.
const REQUESTS: usize = 4 * 1024 * 1024;
/// No request begins while this many bytes of answers wait for the client to read them.
const UNWRITTEN: usize = 1024 * 1024;

/// The kind of a request: the two are counted separately.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lane {
    /// A call of a tool, which may wait for an app or a human.
    Call,
    /// Anything else, which is answered at once or listens.
    Other,
}

impl Lane {
    pub(super) const ALL: [Self; 2] = [Self::Other, Self::Call];

    fn most(self) -> usize {
        match self {
            Self::Call => CALLS,
            Self::Other => OTHERS,
        }
    }
}

/// The work under way in one session.
#[derive(Debug, Default)]
pub(super) struct Flow {
    state: Mutex<State>,
    less: Notify,
    freed: Notify,
}

#[derive(Debug, Default)]
struct State {
    running: [usize; 2],
    parked: usize,
    requests: usize,
    unwritten: usize,
}

impl Flow {
    /// Whether another request may begin.
    pub(super) fn has_room(&self, lane: Lane) -> bool {
        let state = self.state();
        state.running[lane as usize] < lane.most() && state.requests < REQUESTS && state.unwritten < UNWRITTEN
    }

    /// Begins a request, with its number of bytes and the time at which it arrived.
    pub(super) fn begin(self: &Arc<Self>, lane: Lane, bytes: usize, since: Instant) -> Arc<Slot> {
        let mut state = self.state();
        state.running[lane as usize] += 1;
        state.requests += bytes;
        Arc::new(Slot { flow: Arc::clone(self), lane, bytes, since, began: Instant::now() })
    }

    /// Counts bytes that wait for the client until the guard is dropped.
    pub(super) fn unwritten(self: &Arc<Self>, bytes: usize) -> Unwritten {
        self.state().unwritten += bytes;
        Unwritten { flow: Arc::clone(self), bytes }
    }

    /// Waits until something is less than it was.
    pub(super) async fn less(&self) {
        self.less.notified().await;
    }

    pub(super) fn frees(&self, bytes: usize) {
        if bytes >= LARGE {
            self.freed.notify_one();
        }
    }

    /// Waits until something large was freed.
    pub(super) async fn freed(&self) {
        self.freed.notified().await;
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A request under way, as long as its task exists, even after a cancellation or a panic.
#[derive(Debug)]
pub(super) struct Slot {
    flow: Arc<Flow>,
    lane: Lane,
    bytes: usize,
    /// When it came in.
    pub(super) since: Instant,
    /// When it began.
    pub(super) began: Instant,
}

impl Slot {
    /// Leaves the place to others while a human is waited for; `None` if too many have done so.
    pub(super) fn park(&self) -> Option<Parked<'_>> {
        let mut state = self.flow.state();
        if state.parked >= PARKED {
            return None;
        }
        state.parked += 1;
        state.running[self.lane as usize] -= 1;
        drop(state);
        self.flow.less.notify_one();
        Some(Parked(self))
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let mut state = self.flow.state();
        state.running[self.lane as usize] -= 1;
        state.requests -= self.bytes;
        drop(state);
        self.flow.less.notify_one();
        self.flow.frees(self.bytes);
    }
}

/// A call that waits for a human. It gets its place back at once, because no call may wait for another call's human.
#[derive(Debug)]
pub(super) struct Parked<'a>(&'a Slot);

impl Drop for Parked<'_> {
    fn drop(&mut self) {
        let mut state = self.0.flow.state();
        state.parked -= 1;
        state.running[self.0.lane as usize] += 1;
    }
}

/// Bytes that wait for the client to read.
#[derive(Debug)]
pub(super) struct Unwritten {
    flow: Arc<Flow>,
    bytes: usize,
}

impl Drop for Unwritten {
    fn drop(&mut self) {
        self.flow.state().unwritten -= self.bytes;
        self.flow.less.notify_one();
        self.flow.frees(self.bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begin(flow: &Arc<Flow>, lane: Lane, bytes: usize) -> Arc<Slot> {
        flow.begin(lane, bytes, Instant::now())
    }

    #[test]
    fn a_place_is_free_again_when_its_request_ends_or_waits_for_a_human() {
        let flow = Arc::<Flow>::default();
        let mut slots: Vec<_> = (0..CALLS).map(|_| begin(&flow, Lane::Call, 1)).collect();
        assert!(!flow.has_room(Lane::Call) && flow.has_room(Lane::Other));
        let parked = slots[0].park();
        assert!(flow.has_room(Lane::Call));
        drop(parked);
        assert!(!flow.has_room(Lane::Call));
        slots.pop();
        assert!(flow.has_room(Lane::Call));
    }

    #[test]
    fn large_requests_and_unread_answers_hold_up_what_follows() {
        let flow = Arc::<Flow>::default();
        let large = begin(&flow, Lane::Call, REQUESTS);
        assert!(!flow.has_room(Lane::Call));
        drop(large);
        let unread = flow.unwritten(UNWRITTEN);
        assert!(!flow.has_room(Lane::Call) && !flow.has_room(Lane::Other));
        drop(unread);
        assert!(flow.has_room(Lane::Call));
    }

    #[test]
    fn only_so_many_leave_their_place() {
        let flow = Arc::<Flow>::default();
        let slots: Vec<_> = (0..=PARKED).map(|_| begin(&flow, Lane::Call, 1)).collect();
        let parked: Vec<_> = slots.iter().filter_map(|slot| slot.park()).collect();
        assert_eq!(parked.len(), PARKED);
    }
}
