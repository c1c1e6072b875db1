//! What a server is doing, for people who watch with `iac-mcp top`: calls, open questions, the latest answers.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use iac_core::permission::Question;
use serde_json::{Value as Json, json};
use tokio::sync::Notify;

use crate::consent::{Caller, GOOD};

/// The number of finished calls that are kept.
const LATEST: usize = 20;

/// The most calls and questions that are listed. The counts include all of them.
const LISTED: usize = 50;

/// The calls of all clients of this server, as `iac-mcp top` sees them.
#[derive(Debug, Default)]
pub(crate) struct Activity {
    changed: Notify,
    seen: Mutex<Seen>,
}

#[derive(Debug, Default)]
struct Seen {
    answered: u64,
    failed: u64,
    /// The client that made the latest call.
    client: Option<String>,
    next: u64,
    calls: BTreeMap<u64, Underway>,
    /// By the digest of the question, so that a call that is repeated with its answer closes its own question.
    questions: BTreeMap<String, Asked>,
    latest: VecDeque<Json>,
}

#[derive(Debug)]
struct Underway {
    tool: String,
    client: String,
    began: Moment,
}

#[derive(Debug)]
struct Asked {
    /// The text of the question, without values and names that were read only to show them to the user.
    what: String,
    level: &'static str,
    client: String,
    began: Moment,
}

/// A point in time. `at` is for display; `instant` measures durations even if the clock is changed.
#[derive(Clone, Copy, Debug)]
struct Moment {
    at: u64,
    instant: Instant,
}

/// A running call. If it is dropped without an end, the client has cancelled it.
#[derive(Debug)]
pub(crate) struct Call<'a> {
    activity: &'a Activity,
    number: u64,
    result: &'static str,
}

/// A question that the user sees. Dropping it closes the question.
#[derive(Debug)]
pub(crate) struct Open<'a> {
    activity: &'a Activity,
    digest: Option<String>,
}

impl Activity {
    /// Records that a client calls a tool.
    pub(crate) fn begins(&self, tool: &str, caller: &Caller) -> Call<'_> {
        let mut seen = self.seen();
        let number = seen.next;
        seen.next += 1;
        seen.client = Some(caller.client.clone());
        let call = Underway { tool: tool.to_owned(), client: caller.client.clone(), began: Moment::now() };
        seen.calls.insert(number, call);
        self.changed.notify_one();
        Call { activity: self, number, result: "given up" }
    }

    /// Records that the user is asked about a call.
    pub(crate) fn asks(&self, question: &Question, caller: &Caller) -> Open<'_> {
        let digest = question.digest().to_hex();
        let asked = Asked {
            what: question.told(),
            level: question.level().as_str(),
            client: caller.client.clone(),
            began: Moment::now(),
        };
        self.seen().questions.insert(digest.clone(), asked);
        self.changed.notify_one();
        Open { activity: self, digest: Some(digest) }
    }

    /// Waits until something has changed since the last call. While a tool call is running, it waits at most this
    /// long, because the state of the app changes too.
    pub(crate) async fn changed(&self, most: Duration) {
        let is_idle = self.seen().calls.is_empty();
        match is_idle {
            true => self.changed.notified().await,
            false => drop(tokio::time::timeout(most, self.changed.notified()).await),
        }
    }

    /// Returns what the server is doing now.
    pub(crate) fn look(&self) -> Json {
        let mut seen = self.seen();
        seen.questions.retain(|_, asked| asked.began.instant.elapsed() < GOOD);
        let calls = seen
            .calls
            .values()
            .take(LISTED)
            .map(|call| json!({ "tool": call.tool, "client": call.client, "since": call.began.at }));
        let questions = seen.questions.values().take(LISTED).map(|asked| {
            json!({ "what": asked.what, "level": asked.level, "client": asked.client, "since": asked.began.at })
        });
        json!({
            "client": seen.client,
            "answered": seen.answered,
            "failed": seen.failed,
            "underWay": seen.calls.len(),
            "calls": calls.collect::<Vec<_>>(),
            "questions": questions.collect::<Vec<_>>(),
            "latest": seen.latest,
        })
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Call<'_> {
    /// Records the end of a call: an answer, an error, or a question that the client shows before it calls again.
    pub(crate) fn ends(mut self, is_error: bool, asks: bool) {
        self.result = match (asks, is_error) {
            (true, _) => "asks you",
            (false, true) => "error",
            (false, false) => "ok",
        };
    }
}

impl Drop for Call<'_> {
    fn drop(&mut self) {
        let mut seen = self.activity.seen();
        let Some(Underway { tool, client, began }) = seen.calls.remove(&self.number) else { return };
        seen.answered += 1;
        seen.failed += u64::from(self.result == "error");
        seen.latest.truncate(LATEST - 1);
        let elapsed = u64::try_from(began.instant.elapsed().as_millis()).unwrap_or(u64::MAX);
        let ended = json!({
            "tool": tool,
            "client": client,
            "ended": Moment::now().at,
            "elapsedMs": elapsed,
            "result": self.result,
        });
        seen.latest.push_front(ended);
        self.activity.changed.notify_one();
    }
}

impl Open<'_> {
    /// Keeps the question open: the client shows it, and may repeat the call with the answer.
    pub(crate) fn stays(mut self) {
        self.digest = None;
    }
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        if let Some(digest) = self.digest.take() {
            self.activity.seen().questions.remove(&digest);
            self.activity.changed.notify_one();
        }
    }
}

impl Moment {
    fn now() -> Self {
        Self { at: now(), instant: Instant::now() }
    }
}

/// Milliseconds since 1970 by the system clock, which servers and `iac-mcp top` share.
pub(crate) fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_seen_until_it_ends_and_then_among_the_latest() {
        let (activity, caller) = (Activity::default(), Caller::alone("test 1"));
        let (answered, given_up) = (activity.begins("one", &caller), activity.begins("two", &caller));
        let seen = activity.look();
        assert_eq!((&seen["underWay"], &seen["calls"][1]["tool"]), (&json!(2), &json!("two")));
        answered.ends(true, false);
        drop(given_up);
        let seen = activity.look();
        assert_eq!([&seen["underWay"], &seen["answered"], &seen["failed"]], [0, 2, 1]);
        let results: Vec<_> =
            seen["latest"].as_array().unwrap().iter().map(|call| call["result"].clone()).collect();
        assert_eq!(results, ["given up", "error"]);
        for _ in 0..2 * LATEST {
            activity.begins("three", &caller).ends(false, false);
        }
        assert_eq!(activity.look()["latest"].as_array().map(Vec::len), Some(LATEST));
    }

    #[tokio::test(start_paused = true)]
    async fn nothing_wakes_who_waits_while_nothing_happens() {
        let (activity, caller, most) = (Activity::default(), Caller::alone("test 1"), Duration::from_secs(1));
        let changes = |within: u64| tokio::time::timeout(Duration::from_secs(within), activity.changed(most));
        assert!(changes(3600).await.is_err());
        let call = activity.begins("one", &caller);
        assert!(changes(0).await.is_ok(), "the call began");
        assert!(changes(2).await.is_ok(), "it is under way");
        call.ends(false, false);
        assert!(changes(0).await.is_ok(), "it ended");
        assert!(changes(3600).await.is_err());
    }
}
