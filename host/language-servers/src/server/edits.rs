//! Changes that a server would make: they are read, and nothing makes them.

use serde_json::{Value as Json, json};
use tokio::time::Instant;

use super::parse::{MOST, Reader};
use super::questions::doubt_length;
use super::{Halt, Reach, Server};
use crate::types::{Answered, Cause, Edit, Failure, Place};

impl Server {
    /// Returns what would have to change for what is at a place to have another name. The changes are read and not made.
    pub(crate) async fn rename(
        &self,
        place: &Place,
        name: &str,
        deadline: Instant,
    ) -> Result<Answered<Edit>, Halt> {
        if self.capabilities.get("renameProvider").is_none_or(|it| it.is_null() || *it == Json::Bool(false)) {
            return Err(self.unsupported("rename").into());
        }
        self.refresh().await;
        let mut params = self.at(place).await?;
        params["newName"] = json!(name);
        let before = self.state();
        let answer = self.ask("textDocument/rename", &params, deadline).await?;
        let mut reader = Reader::new(self);
        let mut items = Vec::new();
        for (uri, edits) in changes(&answer).ok_or_else(renames_files)? {
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
        let mut freshness = self.freshness(Reach::Project, before);
        doubt_length(&mut freshness, items.len());
        Ok(Answered { items, freshness })
    }
}

/// The edits of a workspace edit, by file; none where files would be made, renamed or deleted.
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
    Failure::new(
        Cause::Failed,
        "the server would also rename or make files, which a plan of edits cannot hold",
    )
}
