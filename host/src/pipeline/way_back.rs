//! Undo for changes of plugins.
//!
//! A plugin that can undo a change returns `undo`: a call of one of its own tools. The server stores that call for an
//! hour and gives the caller an id instead. `iac_mcp_undo` makes the call, and the plugin handles it like any other
//! call.

use std::collections::BTreeSet;

use iac_core::Millis;
use iac_core::call::{Call, Tool};
use iac_core::foreign;
use iac_core::reference::RefId;
use iac_core::step::Outcome;
use iac_core::undo::{Undo, Way};
use serde_json::{Map, Value as Json, json};

use super::{Pipeline, fresh};

/// The largest call to store, in bytes, because the file holds the changes of an hour.
const LONGEST: usize = 256 * 1024;

/// The most characters of the description of a change, and of the app's name.
const WORDS: usize = 160;

/// Why a change of a plugin cannot be undone.
const NONE: &str = "the plugin gave no way back";

/// What the host knows of a call of a plugin's tool.
#[derive(Clone, Debug)]
pub(crate) struct Write {
    /// Whether the call itself was an undo. Undoing "the last call" then skips it.
    pub(crate) is_undo: bool,
    /// Whether the call has changed something, or may have.
    pub(crate) has_changed: bool,
    /// Whether the server has no record of at least one of these changes.
    pub(crate) is_unrecorded: bool,
    /// The ids of the records that the server has made for the call.
    pub(crate) undos: Vec<String>,
    /// The bundle ids of the apps that the call has used. The description of its change can name no other.
    pub(crate) apps: BTreeSet<String>,
}

/// An answer of a plugin's tool.
struct Answered<'a> {
    plugin: &'a str,
    tool: &'a str,
    write: Write,
    id: RefId,
    at: Millis,
}

impl Pipeline {
    /// Replaces the call that undoes a plugin's change by an id, or by null if the call cannot be stored or made.
    /// `fault` says why a call cannot be made.
    pub(crate) async fn keep_way_back(
        &self,
        (plugin, tool): (&str, &str),
        fault: impl Fn(&Json) -> Option<String>,
        write: Write,
        body: &mut Json,
    ) {
        let answered = Answered { plugin, tool, write, id: fresh(), at: self.clock.now() };
        let Some(undo) = answered.undo(fault, body) else { return };
        let id = (!undo.is_lasting()).then(|| json!(undo.id));
        let outcome = Outcome { undo: vec![undo], ..Outcome::default() };
        let is_kept = self.permission.keeps_undos(&outcome, self.clock.now()).await;
        if let Some(id) = id.filter(|_| is_kept) {
            body["undo"] = id;
        }
    }

    /// Finds the one change of a plugin that a call of `iac_mcp_undo` names; `None` for other writes. It is also
    /// `None` for wrong arguments, which the core reports.
    pub(crate) async fn plugins_change(&self, arguments: &Map<String, Json>) -> Option<Undo> {
        let call = Call::read(Tool::Undo, arguments).ok().filter(Call::wants_undos)?;
        let Ok(Call::Undo { undos, .. }) = self.permission.with_undos(call, self.clock.now()).await else {
            return None;
        };
        let [undo] = <[Undo; 1]>::try_from(undos).ok()?;
        matches!(undo.way, Way::Call { .. }).then_some(undo)
    }

    /// Deletes the records of writes that were undone.
    pub(crate) async fn forget_undo(&self, id: String) {
        let outcome = Outcome { undone: vec![id], ..Outcome::default() };
        self.permission.keeps_undos(&outcome, self.clock.now()).await;
    }
}

impl Answered<'_> {
    /// Takes the undo call out of an answer and leaves null there, unless it is the id of a change of this call. A
    /// change without an undo is stored too, so that "the last change" does not mean an older one. The host knows
    /// whether the call has changed something, whatever the plugin answers.
    fn undo(&self, fault: impl Fn(&Json) -> Option<String>, body: &mut Json) -> Option<Undo> {
        let given = match body.get_mut("undo") {
            Some(Json::String(id)) if self.write.undos.contains(id) => return None,
            Some(given) => given.take(),
            None if self.write.is_unrecorded => Json::Null,
            None => return None,
        };
        if !self.write.has_changed {
            if !given.is_null() {
                tracing::debug!(target: "plugin", plugin = self.plugin, "gives an undo, but has changed nothing");
            }
            return None;
        }
        let undo = self.call(fault, given).unwrap_or_else(|| {
            let end = match (body.get("outcome").and_then(Json::as_str), body.get("error")) {
                (Some("unknown"), _) => ", with an unknown outcome",
                (_, Some(_)) => ", which ended with an error",
                (_, None) => "",
            };
            let did = format!("{} ran {:?}{end}", self.plugin, self.tool);
            Undo::lasting("", did, NONE, self.id, self.at)
        });
        Some(Undo { is_undo: self.write.is_undo, ..undo })
    }

    fn call(&self, fault: impl Fn(&Json) -> Option<String>, given: Json) -> Option<Undo> {
        if given.is_null() {
            return None;
        }
        if let Some(why) = fault(&given) {
            tracing::warn!(target: "plugin", plugin = self.plugin, "its change cannot be undone: {why}");
            return None;
        }
        let Json::Object(mut given) = given else { return None };
        let tool = given.get("tool")?.as_str()?.to_owned();
        let Some(Json::Object(arguments)) = given.remove("arguments") else { return None };
        if json!(arguments).to_string().len() > LONGEST {
            tracing::warn!(plugin = self.plugin, "what takes the change back is too long to be kept");
            return None;
        }
        let text =
            |key: &str| foreign::clean(given.get(key).and_then(Json::as_str).unwrap_or_default(), WORDS);
        Some(Undo {
            id: Undo::id(self.id),
            call: None,
            is_undo: false,
            app: Some(text("app")).filter(|app| self.write.apps.contains(app)).unwrap_or_default(),
            object: Json::Null,
            words: text("words"),
            mark: None,
            at: self.at,
            way: Way::Call { plugin: self.plugin.to_owned(), tool, arguments },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn undo(has_changed: bool, body: &mut Json) -> Option<Undo> {
        let undos = vec!["undo_a".to_owned()];
        let write =
            Write { is_undo: false, has_changed, is_unrecorded: has_changed, undos, apps: BTreeSet::new() };
        let id = RefId::from_random([1; 10]);
        let answered = Answered { plugin: "p", tool: "p_write", write, id, at: Millis(1) };
        let fault = |undo: &Json| (undo["tool"] != "p_write").then(|| "no tool".to_owned());
        answered.undo(fault, body)
    }

    #[test]
    fn a_change_without_a_way_back_is_kept_for_the_list() {
        let check = |has_changed, mut body: Json, is_lasting: Option<bool>| {
            let undo = undo(has_changed, &mut body);
            assert_eq!(undo.as_ref().map(Undo::is_lasting), is_lasting, "{body}");
            let is_taken = body.get("undo").is_none_or(|undo| undo.is_null() || undo == "undo_a");
            assert!(is_taken, "{body}");
        };
        let call = |tool: &str| json!({ "undo": { "tool": tool, "arguments": {}, "words": "w" } });
        check(true, call("p_write"), Some(false));
        // A change that cannot be undone, such as a deletion.
        check(true, json!({ "undo": null }), Some(true));
        // A call of another plugin's tool, and a value that is not a call.
        check(true, call("q_write"), Some(true));
        check(true, json!({ "undo": {} }), Some(true));
        // A change of which the plugin tells nothing.
        check(true, json!({ "tasks": [] }), Some(true));
        check(true, json!({ "error": "timeout", "outcome": "unknown" }), Some(true));
        // A change that the server itself has recorded, by its id or not at all.
        check(true, json!({ "undo": "undo_a" }), None);
        check(false, json!({ "error": "timeout", "outcome": "unknown" }), None);
        // A read, or a change that did not happen.
        check(false, json!({ "tasks": [] }), None);
        check(false, json!({ "error": "timeout" }), None);
        check(false, json!({ "undo": null }), None);
        check(false, call("p_write"), None);
        // The id of another call's change.
        check(true, json!({ "undo": "undo_b" }), Some(true));
        check(false, json!({ "undo": "undo_b" }), None);
    }

    #[test]
    fn the_list_tells_how_a_change_without_a_way_back_ended() {
        let check = |mut body: Json, expected: &str| {
            let undo = undo(true, &mut body).expect("it is kept");
            assert_eq!(undo.did(), expected);
        };
        check(json!({}), "p ran \"p_write\"");
        check(
            json!({ "error": "timeout", "outcome": "unknown" }),
            "p ran \"p_write\", with an unknown outcome",
        );
        // An operation before the failed one was done.
        check(
            json!({ "error": "app_busy", "detail": { "done": [1] } }),
            "p ran \"p_write\", which ended with an error",
        );
    }
}
