//! Calls that have ended with a question, and that the client repeats with the answer.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use iac_plugins::journal::Recording;
use serde_json::{Map, Value as Json, json};

use crate::consent::GOOD;

/// The most calls that are kept. The oldest one is dropped first.
const MOST: usize = 16;

/// The recordings of calls up to their question.
#[derive(Debug, Default)]
pub(super) struct Waiting(Mutex<VecDeque<Kept>>);

#[derive(Debug)]
struct Kept {
    digest: String,
    place: String,
    recording: Recording,
    since: Instant,
}

/// Identifies the call that a recording is for: one tool with the same arguments.
pub(super) fn place(tool: &str, arguments: &Map<String, Json>) -> String {
    let mut arguments = Json::Object(arguments.clone());
    arguments.sort_all_objects();
    json!([tool, arguments]).to_string()
}

impl Waiting {
    pub(super) fn keep(&self, digest: &str, place: String, recording: Recording) {
        let mut kept = self.kept();
        // A recording is kept only as long as the question is valid.
        kept.retain(|held| held.since.elapsed() < GOOD);
        if kept.len() >= MOST {
            kept.pop_front();
        }
        kept.push_back(Kept { digest: digest.to_owned(), place, recording, since: Instant::now() });
    }

    /// Takes the recording that belongs to the answered question.
    pub(super) fn take(&self, digest: Option<&str>, place: &str) -> Option<Recording> {
        let mut kept = self.kept();
        let at = kept.iter().position(|held| Some(held.digest.as_str()) == digest && held.place == place)?;
        kept.remove(at).filter(|held| held.since.elapsed() < GOOD).map(|held| held.recording)
    }

    fn kept(&self) -> std::sync::MutexGuard<'_, VecDeque<Kept>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(json: Json) -> Map<String, Json> {
        json.as_object().expect("an object").clone()
    }

    #[test]
    fn a_recording_is_for_its_own_call_and_once() {
        let waiting = Waiting::default();
        let here = place("a", &arguments(json!({ "x": 1, "y": { "b": 1, "a": 2 } })));
        assert_eq!(here, place("a", &arguments(json!({ "y": { "a": 2, "b": 1 }, "x": 1 }))));
        waiting.keep("d", here.clone(), Recording::default());
        assert_eq!(waiting.take(Some("d"), &place("a", &Map::new())), None);
        assert_eq!(waiting.take(Some("e"), &here), None);
        assert_eq!(waiting.take(None, &here), None);
        assert_eq!(waiting.take(Some("d"), &here), Some(Recording::default()));
        assert_eq!(waiting.take(Some("d"), &here), None, "once");
    }

    #[test]
    fn only_so_many_wait() {
        let waiting = Waiting::default();
        for at in 0..=MOST {
            waiting.keep(&at.to_string(), String::new(), Recording::default());
        }
        assert_eq!(waiting.take(Some("0"), ""), None);
        assert!(waiting.take(Some("1"), "").is_some());
    }
}
