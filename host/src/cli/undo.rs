//! `undo`

use std::io::Write as _;

use clap::Args;
use iac_core::audit::time;
use iac_core::call::Tool;
use iac_core::foreign;
use iac_core::undo::Way;
use iac_state::State;
use serde_json::{Map, Value as Json, json};

use super::options::{Common, Mac};
use super::policy::now;
use super::{Failure, call, paint};

/// Undoes verified writes of the last hour; lists all writes of that hour if you name none.
#[derive(Debug, Args)]
pub(super) struct Undo {
    /// Ids of writes: undo_…
    ids: Vec<String>,
    /// Undoes the last call that changed something.
    #[arg(long, conflicts_with = "ids")]
    last: bool,
}

impl Undo {
    pub(super) fn run(self, common: &Common, mac: Mac) -> Result<(), Failure> {
        let (key, value) = match (self.last, &self.ids[..]) {
            (true, _) => ("last", json!(true)),
            (false, []) => return list(&mac.look_at_state(common)?, common),
            (false, [id]) => ("undo", json!(id)),
            (false, ids) => ("undo", json!(ids)),
        };
        let arguments = Map::from_iter([(key.to_owned(), value)]);
        let last = if self.last { latest_undo(&mac.look_at_state(common)?)? } else { None };
        let mut outcome = call::answer(common, mac, Tool::Undo, &arguments)?;
        at_a_terminal(&mut outcome.body, last);
        let body = &outcome.body;
        // An answer with changes has more to show than its error.
        if let Some(message) = body["message"].as_str()
            && !common.json
            && body["changes"].is_null()
        {
            let suggestion = body["suggestion"].as_str().unwrap_or_default();
            return Err(Failure::Failed(format!("{message}\n{suggestion}")));
        }
        paint::answer(body, common.json)?;
        if outcome.is_error { Err(Failure::Said) } else { Ok(()) }
    }
}

/// Returns the id of the last undo if it is the only kind of write that is left. `--last` means none of those.
fn latest_undo(state: &State) -> Result<Option<String>, Failure> {
    let undos = state.undos(now())?;
    let is_all = !undos.is_empty() && undos.iter().all(|undo| undo.is_undo);
    Ok(undos.last().filter(|_| is_all).map(|undo| undo.shown_id().to_owned()))
}

/// Puts the commands of a terminal into the suggestion of an error, in place of arguments of the tool.
fn at_a_terminal(body: &mut Json, last_undo: Option<String>) {
    if body["error"].is_null() {
        return;
    }
    // Only the fault about the last change: the policy or the state may be unreadable too.
    if let Some(id) = last_undo.filter(|_| body["parameter"] == "last") {
        body["message"] = json!("only undos are left, and --last does not take those back");
        body["suggestion"] = json!(format!("take the last undo back with `iac-mcp undo {id}`"));
    } else if let Some(suggestion) = body["suggestion"].as_str() {
        let text = suggestion.replace("{\"list\":true}", "`iac-mcp undo`");
        let text =
            text.replace("give an id such as undo_…, or a list of them", "`iac-mcp undo` lists the ids");
        body["suggestion"] = json!(body["parts"].as_array().map_or(text, |parts| one_by_one(parts)));
    }
}

/// Says how to undo changes that one call cannot undo together.
fn one_by_one(parts: &[Json]) -> String {
    let words = |ids: &Json| match ids {
        Json::Array(ids) => ids.iter().filter_map(Json::as_str).collect::<Vec<_>>().join(" "),
        id => id.as_str().unwrap_or_default().to_owned(),
    };
    let parts = parts.iter().map(words).filter(|ids| !ids.is_empty());
    let commands: Vec<String> = parts.map(|ids| format!("`iac-mcp undo {ids}`")).collect();
    format!("run these in this order: {}", commands.join(", then "))
}

fn list(state: &State, common: &Common) -> Result<(), Failure> {
    let undos = state.undos(now())?;
    if common.json {
        return Ok(paint::answer(&json!({ "undo": undos }), true)?);
    }
    if undos.is_empty() {
        return Ok(writeln!(paint::stdout(), "nothing was written in the last hour")?);
    }
    let mut table = paint::table(&["Id", "Written", "App", "Object", "Property", "Old value"]);
    for undo in &undos {
        let clean = |text: &str| foreign::clean(text, 60);
        let (property, old) = match &undo.way {
            Way::Set { property, old, .. } => {
                (property.as_str(), old.as_str().map_or_else(|| old.to_string(), str::to_owned))
            }
            Way::Move { .. } => ("(moved)", String::new()),
            Way::Run { command, .. } => ("(set by a command)", command.clone()),
            Way::Call { plugin, .. } => ("(changed by a plugin)", plugin.clone()),
            Way::Create { .. } => ("(created)", String::new()),
            Way::Lasting { why, .. } => ("(no way back)", why.clone()),
        };
        table.add_row([
            if undo.is_lasting() { String::new() } else { undo.shown_id().to_owned() },
            time(undo.at).replace('T', " "),
            undo.app.clone(),
            clean(undo.did()),
            clean(property),
            clean(&old),
        ]);
    }
    Ok(paint::print(&table)?)
}
