//! Limits the work of one client.
//!
//! A client may send requests without end and never read an answer. So this module limits the running requests and
//! the unread answers. Further requests wait as raw bytes, up to a limit.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tokio::sync::Notify;

use super::memory::LARGE;

/// The most tool calls that run at once. With answers of 100 KB they make 13 MB for a client that reads none. No
/// known client has more than twenty calls running.
const CALLS: usize = 128;
/// The most requests of other kinds that run at once, so that a `ping` does not wait for 128 calls.
const OTHERS: usize = 32;
/// The most calls that wait for the user and have given up their slot meanwhile. Each costs some 20 KB.
const PARKED: usize = 500;
/// No request starts while the running requests have this many bytes. One line of 16 MiB may still start beside short
/// ones.
const REQUESTS: usize = 4 * 1024 * 1024;
/// No request starts while this many bytes of answers are unread.
const UNWRITTEN: usize = 1024 * 1024;

/// The kind of a request. The two kinds are counted separately.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lane {
    /// A tool call, which may wait for an app or the user.
    Call,
    /// Anything else, which is either answered at once or listens for changes.
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

/// The work of one session.
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
    /// Whether another request may start.
    pub(super) fn has_room(&self, lane: Lane) -> bool {
        let state = self.state();
        state.running[lane as usize] < lane.most() && state.requests < REQUESTS && state.unwritten < UNWRITTEN
    }

    /// Starts a request, given its number of bytes and its time of arrival.
    pub(super) fn begin(self: &Arc<Self>, lane: Lane, bytes: usize, since: Instant) -> Arc<Slot> {
        let mut state = self.state();
        state.running[lane as usize] += 1;
        state.requests += bytes;
        Arc::new(Slot { flow: Arc::clone(self), lane, bytes, since, began: Instant::now() })
    }

    /// Counts bytes that the client has not read, until the guard is dropped.
    pub(super) fn unwritten(self: &Arc<Self>, bytes: usize) -> Unwritten {
        self.state().unwritten += bytes;
        Unwritten { flow: Arc::clone(self), bytes }
    }

    /// Waits until one of the counts has decreased.
    pub(super) async fn less(&self) {
        self.less.notified().await;
    }

    pub(super) fn frees(&self, bytes: usize) {
        if bytes >= LARGE {
            self.freed.notify_one();
        }
    }

    /// Waits until a large request or answer was freed.
    pub(super) async fn freed(&self) {
        self.freed.notified().await;
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A running request. It counts as long as its task exists, even after a cancellation or a panic.
#[derive(Debug)]
pub(super) struct Slot {
    flow: Arc<Flow>,
    lane: Lane,
    bytes: usize,
    /// When it arrived.
    pub(super) since: Instant,
    /// When it started.
    pub(super) began: Instant,
}

impl Slot {
    /// Gives up the slot while the call waits for the user; `None` if too many calls do so already.
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

/// A call that waits for the user. Afterwards it gets its slot back at once, because no call may wait for the user of
/// another one.
#[derive(Debug)]
pub(super) struct Parked<'a>(&'a Slot);

impl Drop for Parked<'_> {
    fn drop(&mut self) {
        let mut state = self.0.flow.state();
        state.parked -= 1;
        state.running[self.0.lane as usize] += 1;
    }
}

/// Bytes that the client has not read yet.
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
