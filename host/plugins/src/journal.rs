//! The questions and answers of a call, so that the call can be restarted and reach the same point.
//!
//! A guest sees only its arguments, one instant and the answers to its questions, so the same answers lead to the
//! same run. If a person must be asked first, the call ends and is later replayed from its recording, so that nothing
//! is done twice.

use std::collections::{BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::engine::Now;
use crate::failure::Fault;
use crate::host::{Answer, Caller, Host, Noted, Progress, Question, Refusal, Told};

/// The events of a call.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Recording {
    /// The instant that the guest sees.
    pub now: Now,
    /// Every question with its answer, in order.
    pub asked: VecDeque<Asked>,
}

/// One question with its answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Asked {
    pub question: Question,
    pub answer: Result<Told, Fault>,
}

/// Wraps a host. It replays the recording first, then asks the host and records the answers.
pub struct Journal {
    host: Arc<dyn Host>,
    pages: Mutex<Pages>,
}

struct Pages {
    now: Now,
    ahead: VecDeque<Asked>,
    behind: VecDeque<Asked>,
}

impl Recording {
    /// Makes an empty recording of a call that begins at `now`.
    pub fn at(now: Now) -> Self {
        Self { now, asked: VecDeque::new() }
    }

    /// Returns the ids of undo records in the answers to changes.
    pub fn undos(&self) -> Vec<String> {
        let answers = self.asked.iter().filter_map(|asked| match &asked.answer {
            Ok(Told::Json(answer)) => Some(answer),
            Ok(Told::Servers(_)) => None,
            Err(fault) => fault.detail.as_ref(),
        });
        let entries = |answer: &Json| answer["changes"].as_array().cloned().unwrap_or_default();
        let ids = answers.flat_map(|answer| std::iter::once(answer.clone()).chain(entries(answer)));
        ids.filter_map(|each| each["undo"].as_str().map(str::to_owned)).collect()
    }

    /// Returns the bundle ids of the apps that were asked.
    pub fn apps(&self) -> BTreeSet<String> {
        let apps = self.asked.iter().filter_map(|asked| match &asked.question {
            Question::App { app, .. } | Question::Script { app, .. } => Some(app.clone()),
            _ => None,
        });
        apps.collect()
    }

    /// Tells whether a web server was asked.
    pub fn asks_the_web(&self) -> bool {
        self.asked.iter().any(|asked| matches!(asked.question, Question::Http { .. }))
    }
}

impl Journal {
    /// Replays a recording, then asks `host`.
    pub fn new(recording: Recording, host: Arc<dyn Host>) -> Self {
        let Recording { now, asked } = recording;
        Self { host, pages: Mutex::new(Pages { now, ahead: asked, behind: VecDeque::new() }) }
    }

    /// Returns the instant that the guest sees.
    pub fn now(&self) -> Now {
        self.pages().now.clone()
    }

    /// Returns the events so far. They can be long, so they are moved out: a second call returns none.
    pub fn recording(&self) -> Recording {
        let mut pages = self.pages();
        Recording { now: pages.now.clone(), asked: std::mem::take(&mut pages.behind) }
    }

    /// Returns the next recorded question that the guest has not repeated.
    pub fn unasked(&self) -> Option<Question> {
        self.pages().ahead.front().map(|asked| asked.question.clone())
    }

    /// Takes the next recorded answer; `None` at the end of the recording.
    fn recorded(&self, question: &Question) -> Option<Result<Told, Refusal>> {
        let mut pages = self.pages();
        let next = pages.ahead.pop_front()?;
        if next.question != *question {
            let how = format!("it asked {} instead of {}", shown(question), shown(&next.question));
            // After a question that differs, the remaining answers fit nothing.
            pages.ahead.clear();
            return Some(Err(Refusal::Diverged(how)));
        }
        pages.behind.push_back(next.clone());
        Some(next.answer.map_err(Refusal::Fault))
    }

    async fn answer(&self, caller: &Caller, question: Question) -> Result<Told, Refusal> {
        if let Some(recorded) = self.recorded(&question) {
            return recorded;
        }
        let answer = self.host.ask(caller, question.clone()).await;
        let answer = match answer {
            Ok(told) => Ok(told),
            Err(Refusal::Fault(fault)) => Err(fault),
            Err(ended) => return Err(ended),
        };
        self.pages().behind.push_back(Asked { question, answer: answer.clone() });
        answer.map_err(Refusal::Fault)
    }

    fn pages(&self) -> std::sync::MutexGuard<'_, Pages> {
        self.pages.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Host for Journal {
    fn ask<'a>(&'a self, caller: &'a Caller, question: Question) -> Answer<'a> {
        Box::pin(self.answer(caller, question))
    }

    fn recalled<'a>(&'a self, sources: &'a BTreeSet<String>) -> Noted<'a> {
        self.host.recalled(sources)
    }

    fn progress(&self, caller: &Caller, progress: Progress) {
        self.host.progress(caller, progress);
    }
}

/// The host for the end of a replay. Any question is an error, because it was not recorded.
#[derive(Clone, Copy, Debug, Default)]
pub struct End;

impl Host for End {
    fn ask<'a>(&'a self, _: &'a Caller, question: Question) -> Answer<'a> {
        let how = format!("it asked {}, but the recording has no more questions", shown(&question));
        Box::pin(async { Err(Refusal::Diverged(how)) })
    }
}

fn shown(question: &Question) -> String {
    serde_json::to_string(question).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use serde_json::json;
    use tokio_util::sync::CancellationToken;

    use super::*;
    use crate::host::Heard;

    /// Counts its questions, and answers only a number of them.
    struct Counting(AtomicUsize, usize);

    impl Host for Counting {
        fn ask<'a>(&'a self, _: &'a Caller, _: Question) -> Answer<'a> {
            let asked = self.0.fetch_add(1, Ordering::SeqCst);
            let answer = if asked < self.1 { Ok(json!(asked).into()) } else { Err(Refusal::Suspended) };
            Box::pin(async { answer })
        }
    }

    fn key(name: &str) -> Question {
        Question::StoreGet { key: name.to_owned() }
    }

    async fn ask(journal: &Journal, name: &str) -> Result<Json, Refusal> {
        let plugin = "demo".parse().expect("the test's own id");
        let caller = Caller {
            plugin,
            tool: "demo".to_owned(),
            cancelled: CancellationToken::new(),
            heard: Heard::default(),
        };
        journal.ask(&caller, key(name)).await.map(Told::into_json)
    }

    #[tokio::test]
    async fn a_call_that_comes_again_does_nothing_twice() {
        let first = Arc::new(Counting(AtomicUsize::new(0), 2));
        let journal = Journal::new(Recording::default(), Arc::clone(&first) as Arc<dyn Host>);
        assert_eq!(ask(&journal, "a").await, Ok(json!(0)));
        assert_eq!(ask(&journal, "b").await, Ok(json!(1)));
        assert_eq!(ask(&journal, "c").await, Err(Refusal::Suspended));

        let second = Arc::new(Counting(AtomicUsize::new(0), 9));
        let again = Journal::new(journal.recording(), Arc::clone(&second) as Arc<dyn Host>);
        assert_eq!(ask(&again, "a").await, Ok(json!(0)));
        assert_eq!(ask(&again, "b").await, Ok(json!(1)));
        assert_eq!(second.0.load(Ordering::SeqCst), 0, "nothing that was recorded is asked");
        assert_eq!(ask(&again, "c").await, Ok(json!(0)));
        assert_eq!(again.recording().asked.len(), 3);
    }

    #[test]
    fn a_recording_knows_the_undo_of_each_change() {
        let asked =
            |answer: Result<Json, Fault>| Asked { question: key("a"), answer: answer.map(Told::Json) };
        let partial =
            Fault { detail: Some(json!({ "undo": "undo_c" })), ..Fault::new("execution_failed", "no") };
        let recording = Recording {
            asked: VecDeque::from([
                asked(Ok(json!({ "undo": "undo_a", "changes": [{ "undo": null }] }))),
                asked(Ok(json!({ "changes": [{ "undo": "undo_b" }], "value": { "undo": "undo_x" } }))),
                asked(Err(partial)),
            ]),
            ..Recording::default()
        };
        assert_eq!(recording.undos(), ["undo_a", "undo_b", "undo_c"]);
    }

    #[tokio::test]
    async fn a_call_that_goes_another_way_is_ended() {
        let host = Arc::new(Counting(AtomicUsize::new(0), 9));
        let recording = Recording {
            asked: VecDeque::from([Asked { question: key("a"), answer: Ok(Json::Null.into()) }]),
            ..Recording::default()
        };
        let journal = Journal::new(recording, Arc::clone(&host) as Arc<dyn Host>);
        let Err(Refusal::Diverged(how)) = ask(&journal, "b").await else { panic!("it went another way") };
        assert!(how.contains("\"b\"") && how.contains("\"a\""), "{how}");
        assert_eq!(host.0.load(Ordering::SeqCst), 0);
    }

    #[tokio::test]
    async fn a_whole_recording_says_what_is_too_much_and_what_is_too_little() {
        let asked = |name| Asked { question: key(name), answer: Ok(Json::Null.into()) };
        let recording = Recording { asked: VecDeque::from([asked("a"), asked("b")]), ..Recording::default() };
        let journal = Journal::new(recording, Arc::new(End));
        assert_eq!(ask(&journal, "a").await, Ok(Json::Null));
        assert_eq!(journal.unasked(), Some(key("b")));
        assert_eq!(ask(&journal, "b").await, Ok(Json::Null));
        assert_eq!(journal.unasked(), None);
        let Err(Refusal::Diverged(how)) = ask(&journal, "c").await else { panic!("it was answered") };
        assert!(how.contains("\"c\"") && how.contains("has no more questions"), "{how}");
    }
}
