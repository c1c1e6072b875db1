//! Undo for changes of plugins.
//!
//! A plugin that can undo a change returns `undo`: a call of one of its own tools. The server stores that call for an
//! hour and gives the caller an id instead. `iac_mcp_undo` makes the call, and the plugin handles it like any other
//! call.

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

/// An answer of a plugin's tool that has an `undo`.
struct Answered<'a> {
    plugin: &'a str,
    tool: &'a str,
    /// Whether the change itself was an undo. Undoing "the last call" then skips it.
    is_undo: bool,
    id: RefId,
    at: Millis,
}

impl Pipeline {
    /// Replaces the call that undoes a plugin's change by an id, or by null if the call cannot be stored. `is_undo`
    /// tells whether the change itself was an undo; undoing "the last call" then skips it.
    pub(crate) async fn keep_way_back(
        &self,
        (plugin, tool): (&str, &str),
        owns: impl Fn(&str) -> bool,
        is_undo: bool,
        body: &mut Json,
    ) {
        let answered = Answered { plugin, tool, is_undo, id: fresh(), at: self.clock.now() };
        let Some(undo) = answered.undo(owns, body) else { return };
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
    /// Takes the undo call out of an answer and leaves null there. A change without one is stored too, so that "the
    /// last change" does not mean an older one.
    fn undo(&self, owns: impl Fn(&str) -> bool, body: &mut Json) -> Option<Undo> {
        let is_unknown = body.get("outcome").and_then(Json::as_str) == Some("unknown");
        let given = match body.get_mut("undo") {
            Some(given) if given.is_object() || given.is_null() => given.take(),
            None if is_unknown => Json::Null,
            // Nothing was changed, or the value is an id of a stored change, which is passed on.
            _ => return None,
        };
        let undo = self.call(owns, given).unwrap_or_else(|| {
            let did = format!("{} ran {:?}", self.plugin, self.tool);
            let unknown = if is_unknown { ", with an unknown outcome" } else { "" };
            Undo::lasting("", format!("{did}{unknown}"), NONE, self.id, self.at)
        });
        Some(Undo { is_undo: self.is_undo, ..undo })
    }

    fn call(&self, owns: impl Fn(&str) -> bool, given: Json) -> Option<Undo> {
        let Json::Object(mut given) = given else { return None };
        let tool = given.get("tool").and_then(Json::as_str).filter(|tool| owns(tool))?.to_owned();
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
            app: text("app"),
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

    #[test]
    fn a_change_without_a_way_back_is_kept_for_the_list() {
        let check = |mut body: Json, is_lasting: Option<bool>| {
            let answered = Answered {
                plugin: "p",
                tool: "p_write",
                is_undo: false,
                id: RefId::from_random([1; 10]),
                at: Millis(1),
            };
            let undo = answered.undo(|tool| tool == "p_write", &mut body);
            assert_eq!(undo.as_ref().map(Undo::is_lasting), is_lasting, "{body}");
            let is_taken = body.get("undo").is_none_or(|undo| undo.is_null() || undo == "undo_a");
            assert!(is_taken, "{body}");
        };
        let call = |tool: &str| json!({ "undo": { "tool": tool, "arguments": {}, "words": "w" } });
        check(call("p_write"), Some(false));
        // A change that cannot be undone, such as a deletion.
        check(json!({ "undo": null }), Some(true));
        // A call of another plugin's tool, and a value that is not a call.
        check(call("q_write"), Some(true));
        check(json!({ "undo": {} }), Some(true));
        check(json!({ "error": "timeout", "outcome": "unknown" }), Some(true));
        // A read, a change of the server itself, or a change that did not happen.
        check(json!({ "undo": "undo_a" }), None);
        check(json!({ "tasks": [] }), None);
        check(json!({ "error": "timeout" }), None);
    }
}
