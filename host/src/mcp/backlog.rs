//! Requests that were read but have not started.
//!
//! They are kept as bytes, in order of arrival. Meanwhile the server goes on reading, because it must see
//! cancellations and answers to questions. It stops reading only when too much is kept.

use std::collections::{HashMap, VecDeque};
use std::time::Instant;

use rmcp::model::RequestId;

use super::flow::{Flow, Lane};

/// The server stops reading when it keeps this many bytes. 10,000 ordinary calls are a third of that.
const MOST: usize = 8 * 1024 * 1024;
/// The memory that a kept request takes besides its bytes.
const BESIDE: usize = 256;
/// The number of ids of cancelled requests that are remembered.
const CANCELLED: usize = 1_000;

/// The state of a request without an answer.
#[derive(Debug, PartialEq)]
enum Stage {
    /// Kept. The number distinguishes it from an earlier, cancelled request with the same id.
    Kept(u64),
    Running,
    Cancelled,
}

/// A request as it was received.
#[derive(Debug)]
pub(super) struct Kept {
    id: RequestId,
    number: u64,
    pub(super) line: Vec<u8>,
    pub(super) since: Instant,
}

/// All requests that were read and not answered.
#[derive(Debug, Default)]
pub(super) struct Backlog {
    kept: [VecDeque<Kept>; 2],
    bytes: usize,
    next: u64,
    stages: HashMap<RequestId, Stage>,
    cancelled: VecDeque<RequestId>,
}

impl Backlog {
    /// Whether more may be read.
    pub(super) fn has_room(&self) -> bool {
        self.bytes < MOST
    }

    /// Whether no request waits to start.
    pub(super) fn is_empty(&self) -> bool {
        self.bytes == 0
    }

    /// Whether an id belongs to an unanswered request. The answers to two requests with one id could not be told
    /// apart, and a cancelled request may still be running.
    pub(super) fn is_taken(&self, id: &RequestId) -> bool {
        self.stages.contains_key(id)
    }

    /// Whether a new request may start at once, without waiting for others of its kind.
    pub(super) fn has_turn(&self, lane: Lane, flow: &Flow) -> bool {
        self.kept[lane as usize].is_empty() && flow.has_room(lane)
    }

    /// Records a request that starts at once.
    pub(super) fn begins(&mut self, id: RequestId) {
        self.stages.insert(id, Stage::Running);
    }

    pub(super) fn keep(&mut self, lane: Lane, id: RequestId, line: Vec<u8>) {
        self.next += 1;
        self.bytes += line.len() + BESIDE;
        self.stages.insert(id.clone(), Stage::Kept(self.next));
        self.kept[lane as usize].push_back(Kept { id, number: self.next, line, since: Instant::now() });
    }

    /// Returns the next request that may start.
    pub(super) fn next(&mut self, flow: &Flow) -> Option<(Lane, Kept)> {
        for lane in Lane::ALL {
            while flow.has_room(lane)
                && let Some(kept) = self.kept[lane as usize].pop_front()
            {
                self.bytes -= kept.line.len() + BESIDE;
                if self.stages.get(&kept.id) == Some(&Stage::Kept(kept.number)) {
                    self.begins(kept.id.clone());
                    return Some((lane, kept));
                }
            }
        }
        None
    }

    /// Removes a request that was answered.
    pub(super) fn answered(&mut self, id: &RequestId) {
        self.stages.remove(id);
    }

    /// Cancels a request. Returns whether it is running, because then rmcp must cancel it too.
    pub(super) fn cancel(&mut self, id: &RequestId) -> bool {
        match self.stages.get(id) {
            Some(Stage::Kept(_)) => {
                self.stages.remove(id);
                false
            }
            Some(Stage::Running) => {
                self.stages.insert(id.clone(), Stage::Cancelled);
                self.cancelled.push_back(id.clone());
                if self.cancelled.len() > CANCELLED
                    && let Some(oldest) = self.cancelled.pop_front()
                    && self.stages.get(&oldest) == Some(&Stage::Cancelled)
                {
                    self.stages.remove(&oldest);
                }
                true
            }
            Some(Stage::Cancelled) | None => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn id(number: i64) -> RequestId {
        RequestId::Number(number)
    }

    #[test]
    fn what_is_cancelled_before_it_begins_never_begins_and_its_id_is_free() {
        let (mut backlog, flow) = (Backlog::default(), Arc::<Flow>::default());
        for number in 0..3 {
            backlog.keep(Lane::Call, id(number), b"old".to_vec());
        }
        assert!(!backlog.cancel(&id(1)), "nobody else knows it");
        assert!(!backlog.is_taken(&id(1)) && backlog.is_taken(&id(2)));
        backlog.keep(Lane::Call, id(1), b"new".to_vec());
        let begun: Vec<_> =
            std::iter::from_fn(|| backlog.next(&flow)).map(|(_, kept)| (kept.id, kept.line)).collect();
        let expected = [(id(0), b"old"), (id(2), b"old"), (id(1), b"new")];
        assert_eq!(begun, expected.map(|(id, line)| (id, line.to_vec())));
        assert!(backlog.is_empty());
        assert!(backlog.cancel(&id(2)) && backlog.is_taken(&id(2)), "it runs");
        backlog.answered(&id(0));
        assert!(!backlog.is_taken(&id(0)));
    }

    #[test]
    fn reading_stops_where_too_much_is_kept() {
        let mut backlog = Backlog::default();
        let mut kept = 0;
        while backlog.has_room() {
            kept += 1;
            backlog.keep(Lane::Call, id(kept), vec![b'x'; 200]);
        }
        assert!((10_000..50_000).contains(&kept), "{kept}");
    }

    #[test]
    fn ids_of_cancelled_requests_are_not_remembered_for_ever() {
        let mut backlog = Backlog::default();
        for number in 0..5_000 {
            backlog.begins(id(number));
            backlog.cancel(&id(number));
        }
        assert_eq!(backlog.stages.len(), CANCELLED);
        assert!(backlog.is_taken(&id(4_999)));
    }
}
