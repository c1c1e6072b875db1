//! Changes of plugins that are taken back.
//!
//! A plugin that can take a change back answers `undo`: a call of its own tools that does. The server keeps the call for an
//! hour and gives the caller an id in its place. `iac_mcp_undo` makes the call, so that the plugin looks up, asks and
//! decides as in any other.

use iac_core::call::{Call, Tool};
use iac_core::foreign;
use iac_core::step::Outcome;
use iac_core::undo::{Undo, Way};
use serde_json::{Map, Value as Json, json};

use super::{Pipeline, fresh};

/// More is not kept: the file holds an hour of changes.
const LONGEST: usize = 256 * 1024;

/// The longest name of a plugin's change, or of the app, to keep.
const WORDS: usize = 160;

impl Pipeline {
    /// Puts an id in the place of the call that takes a plugin's change back; null if it cannot be kept. `is_undo` says
    /// that the change itself took something back, so that "the last call" does not mean it.
    pub(crate) async fn keep_way_back(
        &self,
        plugin: &str,
        owns: impl Fn(&str) -> bool,
        is_undo: bool,
        body: &mut Json,
    ) {
        let Some(given) = body.get_mut("undo").filter(|undo| undo.is_object()) else { return };
        let given = given.take();
        let Some(undo) = self.undo(plugin, owns, given) else { return };
        let undo = Undo { is_undo, ..undo };
        let id = json!(undo.id);
        let outcome = Outcome { undo: vec![undo], ..Outcome::default() };
        if self.permission.keeps_undos(&outcome, self.clock.now()).await {
            body["undo"] = id;
        }
    }

    fn undo(&self, plugin: &str, owns: impl Fn(&str) -> bool, given: Json) -> Option<Undo> {
        let Json::Object(mut given) = given else { return None };
        let tool = given.get("tool").and_then(Json::as_str).filter(|tool| owns(tool))?.to_owned();
        let Some(Json::Object(arguments)) = given.remove("arguments") else { return None };
        if json!(arguments).to_string().len() > LONGEST {
            tracing::warn!(plugin, "what takes the change back is too long to be kept");
            return None;
        }
        let text =
            |key: &str| foreign::clean(given.get(key).and_then(Json::as_str).unwrap_or_default(), WORDS);
        Some(Undo {
            id: Undo::id(fresh()),
            call: None,
            is_undo: false,
            app: text("app"),
            object: Json::Null,
            words: text("words"),
            mark: None,
            at: self.clock.now(),
            way: Way::Call { plugin: plugin.to_owned(), tool, arguments },
        })
    }

    /// Finds the one change of a plugin that a call of `iac_mcp_undo` names; `None` for other writes, and for wrong
    /// arguments, which the core tells.
    pub(crate) async fn plugins_change(&self, arguments: &Map<String, Json>) -> Option<Undo> {
        let call = Call::read(Tool::Undo, arguments).ok().filter(Call::wants_undos)?;
        let Ok(Call::Undo { undos, .. }) = self.permission.with_undos(call, self.clock.now()).await else {
            return None;
        };
        let [undo] = <[Undo; 1]>::try_from(undos).ok()?;
        matches!(undo.way, Way::Call { .. }).then_some(undo)
    }

    /// Forgets the writes that were taken back.
    pub(crate) async fn forget_undo(&self, id: String) {
        let outcome = Outcome { undone: vec![id], ..Outcome::default() };
        self.permission.keeps_undos(&outcome, self.clock.now()).await;
    }
}
