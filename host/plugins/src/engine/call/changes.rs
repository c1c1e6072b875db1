//! Notes the changes that a call sends to apps and web servers, so that its end can tell about them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::capability::Level;
use crate::failure::Fault;
use crate::host::{Operation, Question, Refusal, Told};

/// What is known of the changes of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Changed {
    /// A change was sent, and it was made or may have been made.
    pub any: bool,
    /// A tool of the server or a web server has made one. What a script has done, only the plugin knows.
    pub made: bool,
    /// The server has no record of at least one of them: a script made it, or its answer did not come. The server
    /// records the changes of its own tools itself.
    pub unrecorded: bool,
}

/// The changes of a running call.
#[derive(Clone, Debug, Default)]
pub(in crate::engine) struct Changes {
    known: Changed,
    /// Whether a change was sent and its answer has not come. Shared, because `bounded` reads it while the guest
    /// borrows the state.
    waits: Arc<AtomicBool>,
}

/// Who makes a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// A tool of the server, which records the change.
    Tool,
    /// A script of the package.
    Script,
    /// A web server. Nothing takes such a change back, with or without a record.
    Web,
}

impl Way {
    /// `None` for a question that changes nothing.
    pub(super) fn of(question: &Question) -> Option<Self> {
        match question {
            Question::App {
                operation: Operation::SetProperty | Operation::RunCommand, arguments, ..
            } => (arguments["dryRun"] != true).then_some(Self::Tool),
            Question::Script { script, acts, .. } => {
                let worst = acts.iter().filter_map(|act| script.acts.get(act)).max();
                (*worst.unwrap_or(&script.level) > Level::Safe).then_some(Self::Script)
            }
            Question::Http { request } => (!request.method.reads()).then_some(Self::Web),
            _ => None,
        }
    }
}

impl Changes {
    /// Notes that a question was sent.
    pub(super) fn begin(&self, way: Option<Way>) {
        self.waits.store(way.is_some(), Ordering::SeqCst);
    }

    /// Notes the answer to the question that was sent last.
    pub(super) fn end(&mut self, way: Option<Way>, answer: &Result<Told, Refusal>) {
        self.waits.store(false, Ordering::SeqCst);
        let Some(way) = way else { return };
        let (is_made, is_recorded) = match answer {
            Ok(_) => (true, false),
            Err(Refusal::Fault(fault)) => left(fault),
            Err(Refusal::Diverged(_) | Refusal::Suspended) => (false, false),
        };
        self.known.any |= is_made;
        self.known.made |= is_made && way != Way::Script && !is_unwritten(answer);
        self.known.unrecorded |= is_made && !is_recorded && way == Way::Script;
    }

    /// Tells, also while the guest runs, whether the answer to a change has not come yet.
    pub(in crate::engine) fn watch(&self) -> impl Fn() -> bool + use<> {
        let waits = Arc::clone(&self.waits);
        move || waits.load(Ordering::SeqCst)
    }

    /// What is known at the end of the call. A change without an answer may have been made.
    pub(super) fn known(&self) -> Changed {
        let waits = self.waits.load(Ordering::SeqCst);
        Changed { any: self.known.any || waits, unrecorded: self.known.unrecorded || waits, ..self.known }
    }
}

/// Tells whether the server has written nothing, because every property had its value already.
fn is_unwritten(answer: &Result<Told, Refusal>) -> bool {
    let Ok(Told::Json(answer)) = answer else { return false };
    let entries = answer["changes"].as_array();
    entries.is_some_and(|entries| entries.iter().all(|entry| entry.get("old") == entry.get("new")))
}

/// Tells whether the change behind a fault may have been made, at least in part, and whether the server has a record
/// of that.
fn left(fault: &Fault) -> (bool, bool) {
    let Some(detail) = &fault.detail else { return (false, false) };
    let is_recorded = matches!(detail["outcome"].as_str(), Some("unknown" | "partial"));
    // Some runs of a script were answered before one failed.
    let is_begun = detail["answers"].as_array().is_some_and(|answers| !answers.is_empty());
    (is_recorded || is_begun, is_recorded)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::*;

    fn script(acts: &[&str]) -> Question {
        let levels = [("look", Level::Safe), ("write", Level::Modify)];
        let script = json!({"name": "s", "apps": ["a"], "level": "modify", "reason": "", "text": "",
            "acts": levels.map(|(name, level)| (name.to_owned(), level)).into_iter().collect::<std::collections::BTreeMap<_, _>>()});
        let script = serde_json::from_value(script).expect("the test's own script");
        Question::Script {
            app: "a".to_owned(),
            script,
            data: Json::Null,
            acts: acts.iter().map(|act| (*act).to_owned()).collect(),
            rest: Vec::new(),
            objects: Vec::new(),
        }
    }

    fn tool(operation: Operation, arguments: Json) -> Question {
        Question::App { app: "a".to_owned(), operation, arguments, level: Level::Modify }
    }

    #[test]
    fn a_change_is_known_by_its_question() {
        let check = |question: &Question, expected| assert_eq!(Way::of(question), expected, "{question:?}");
        check(&script(&["write", "look"]), Some(Way::Script));
        check(&script(&["look"]), None);
        check(&script(&[]), Some(Way::Script));
        check(&tool(Operation::RunCommand, json!({})), Some(Way::Tool));
        check(&tool(Operation::SetProperty, json!({"dryRun": true})), None);
        check(&tool(Operation::GetElements, json!({})), None);
        check(&Question::StoreRemove { key: "k".to_owned() }, None);
    }

    #[test]
    fn an_answer_tells_whether_the_change_was_made() {
        let check = |way, answer: Result<Told, Refusal>, any, unrecorded| {
            let made = any && way != Way::Script;
            let mut changes = Changes::default();
            changes.begin(Some(way));
            let waits = Changed { any: true, made: false, unrecorded: true };
            assert_eq!(changes.known(), waits, "it waits");
            changes.end(Some(way), &answer);
            assert_eq!(changes.known(), Changed { any, made, unrecorded }, "{way:?} {answer:?}");
        };
        let fault = |detail: Json| {
            Err(Refusal::Fault(Fault { detail: Some(detail), ..Fault::new("execution_failed", "no") }))
        };
        check(Way::Script, Ok(json!({}).into()), true, true);
        check(Way::Tool, Ok(json!({}).into()), true, false);
        check(Way::Web, Ok(json!({}).into()), true, false);
        check(Way::Script, Err(Fault::new("permission_denied", "no").into()), false, false);
        check(Way::Script, fault(json!({"outcome": "unknown"})), true, false);
        check(Way::Script, fault(json!({"answers": [{}]})), true, true);
        check(Way::Script, fault(json!({"outcome": "not_tried", "answers": []})), false, false);
        check(Way::Script, Err(Refusal::Suspended), false, false);
    }
}
