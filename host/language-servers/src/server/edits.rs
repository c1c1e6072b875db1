//! Changes that a server proposes. The host reads them and applies none.

use serde_json::{Value as Json, json};
use tokio::time::Instant;

use super::parse::{MOST, Reader, text};
use super::questions::doubt_length;
use super::{Halt, Reach, Server};
use crate::text::raw_range;
use crate::types::{Action, Answered, Cause, Doubt, Edit, Failure, Location, Place, Position, Range};

/// The most actions for one range. Each may need a request of its own.
const ACTIONS: usize = 100;

/// The most characters of a title.
const LONGEST_TITLE: usize = 300;

impl Server {
    /// Returns the changes that would rename the symbol at a place, without applying them.
    pub(crate) async fn rename(
        &self,
        place: &Place,
        name: &str,
        deadline: Instant,
    ) -> Result<Answered<Edit>, Halt> {
        self.require(|abilities| abilities.rename, "rename")?;
        self.refresh().await;
        let mut params = self.at(place).await?;
        params["newName"] = json!(name);
        let before = self.state();
        let answer = self.ask("textDocument/rename", &params, deadline).await.map_err(|halt| match halt {
            // The client offers only edits of texts.
            Halt::Failure(failure) if failure.message.contains("does not support rename") => {
                renames_files().into()
            }
            halt => halt,
        })?;
        let items = self.edits(&answer).ok_or_else(renames_files)?;
        let mut freshness = self.freshness(Reach::Project, before);
        doubt_length(&mut freshness, items.len());
        Ok(Answered { items, freshness })
    }

    /// Returns the changes that the server offers for a range, without applying them.
    ///
    /// If a server leaves the edits to a later request, that request is sent. A change that needs a command of the
    /// server has no edits, because the host never runs a command.
    pub(crate) async fn actions(
        &self,
        at: &Location,
        kind: Option<&str>,
        deadline: Instant,
    ) -> Result<Answered<Action>, Halt> {
        self.require(|abilities| abilities.actions, "codeAction")?;
        self.refresh().await;
        let (start, end) =
            (self.place(&at.path, at.range.start).await?, self.place(&at.path, at.range.end).await?);
        let range = json!({"start": start["position"], "end": end["position"]});
        let before = self.state();
        // A server repairs only diagnostics that the client sends, even though they are its own.
        let diagnostics = if kind.is_none_or(|kind| kind.starts_with("quickfix")) {
            let (found, _) = self.raw_diagnostics(&at.path, deadline).await?;
            found.into_iter().filter(|one| touches(one, &range)).collect()
        } else {
            Vec::new()
        };
        let mut context = json!({"diagnostics": diagnostics, "triggerKind": 1});
        if let Some(kind) = kind {
            context["only"] = json!([kind]);
        }
        let params = json!({"textDocument": start["textDocument"], "range": range, "context": context});
        let answer = self.ask("textDocument/codeAction", &params, deadline).await?;
        let offered = answer.as_array().map(Vec::as_slice).unwrap_or_default();
        let later =
            self.capabilities.pointer("/codeActionProvider/resolveProvider") == Some(&Json::Bool(true));
        let mut items = Vec::new();
        for action in offered.iter().filter(|action| action.get("disabled").is_none()).take(ACTIONS) {
            let resolved = if later && action.get("edit").is_none() && action.get("command").is_none() {
                Some(self.ask("codeAction/resolve", action, deadline).await?)
            } else {
                None
            };
            items.extend(self.action(resolved.as_ref().unwrap_or(action), kind));
        }
        // clangd offers the same fix once for each diagnostic that it repairs.
        items.dedup();
        let mut freshness = self.freshness(Reach::Known, before);
        if offered.len() > ACTIONS {
            freshness.doubt(Doubt::Capped);
        }
        Ok(Answered { items, freshness })
    }

    fn action(&self, action: &Json, wanted: Option<&str>) -> Option<Action> {
        let kind = text(action, "kind", LONGEST_TITLE);
        // Some servers send every kind, regardless of the request.
        let is_wanted =
            wanted.is_none_or(|wanted| kind.as_deref().is_some_and(|kind| is_below(kind, wanted)));
        let (edit, command) = edit_of(action);
        is_wanted.then_some(Action {
            title: text(action, "title", LONGEST_TITLE)?,
            kind,
            preferred: action.get("isPreferred") == Some(&Json::Bool(true)),
            edits: edit.and_then(|edit| self.edits(edit)),
            command,
        })
    }

    /// Reads the edits of a workspace edit; `None` if it would also create, rename or delete files.
    fn edits(&self, answer: &Json) -> Option<Vec<Edit>> {
        let mut reader = Reader::new(self);
        let mut items = Vec::new();
        for (uri, edits) in changes(answer)? {
            for edit in edits.as_array().map(Vec::as_slice).unwrap_or_default().iter().take(MOST) {
                let (Some(range), Some(text)) =
                    (edit.get("range"), edit.get("newText").and_then(Json::as_str))
                else {
                    continue;
                };
                let at = reader.locations(&json!({"uri": uri, "range": range})).pop();
                items.extend(at.map(|at| Edit { at, text: text.to_owned() }));
            }
        }
        Some(items)
    }

    async fn place(&self, path: &str, at: Position) -> Result<Json, Halt> {
        self.at(&Place { path: path.to_owned(), at }).await
    }
}

/// Returns the edit of an action, and whether the action also has a command. If the command's only argument is an
/// edit, the command merely applies it, so that edit is returned alone. jdtls and older clangd send edits this way.
fn edit_of(action: &Json) -> (Option<&Json>, bool) {
    let edit = action.get("edit");
    let command = action.get("command").filter(|command| !command.is_null());
    let Some(command) = command.filter(|_| edit.is_none()) else { return (edit, command.is_some()) };
    let arguments = command.get("arguments").or_else(|| action.get("arguments")).and_then(Json::as_array);
    let is_edit = |one: &&Json| one.get("changes").is_some() || one.get("documentChanges").is_some();
    match arguments.map(Vec::as_slice) {
        Some([only]) if is_edit(&only) => (Some(only), false),
        _ => (None, true),
    }
}

/// Whether a kind equals another one or is below it: `refactor.extract.function` is below `refactor`.
fn is_below(kind: &str, wanted: &str) -> bool {
    kind.strip_prefix(wanted).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Whether a diagnostic overlaps or touches a range, both in the server's own units.
fn touches(diagnostic: &Json, range: &Json) -> bool {
    let of = |range: Range| ((range.start.line, range.start.column), (range.end.line, range.end.column));
    let (Some(one), Some(other)) = (diagnostic.get("range").and_then(raw_range), raw_range(range)) else {
        return false;
    };
    let ((start, end), (from, to)) = (of(one), of(other));
    start <= to && from <= end
}

/// Returns the edits of a workspace edit by file; `None` if it would create, rename or delete files.
fn changes(answer: &Json) -> Option<Vec<(String, &Json)>> {
    if let Some(changes) = answer.get("documentChanges").and_then(Json::as_array) {
        let change = |change| {
            let change: &Json = change;
            let uri = change.pointer("/textDocument/uri")?.as_str()?;
            Some((uri.to_owned(), change.get("edits")?))
        };
        return changes.iter().map(change).collect();
    }
    let changes = answer.get("changes").and_then(Json::as_object);
    Some(changes.into_iter().flatten().map(|(uri, edits)| (uri.clone(), edits)).collect())
}

fn renames_files() -> Failure {
    let message = "this rename would also rename a file or a folder, which a plan of edits cannot hold";
    Failure::new(Cause::Unsupported, message)
        .suggest("rename the file by hand, and change the places that references lists")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_hold_kinds() {
        let check = |kind, wanted, expected| assert_eq!(is_below(kind, wanted), expected, "{kind} {wanted}");
        check("refactor.extract", "refactor", true);
        check("refactor", "refactor", true);
        check("refactoring", "refactor", false);
        check("quickfix", "refactor", false);
    }

    #[test]
    fn diagnostics_touch_ranges() {
        let range = |from: (u32, u32), to: (u32, u32)| json!({"start": {"line": from.0, "character": from.1}, "end": {"line": to.0, "character": to.1}});
        let check = |from, to, expected| {
            let diagnostic = json!({"range": range(from, to)});
            assert_eq!(touches(&diagnostic, &range((2, 4), (2, 8))), expected, "{diagnostic}");
        };
        check((2, 5), (2, 6), true);
        check((2, 8), (2, 9), true);
        check((1, 0), (3, 0), true);
        check((2, 9), (2, 12), false);
        check((1, 0), (2, 3), false);
    }
}
