//! Every question as data, so that one place can refuse, record or replay it.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::types::{
    Action, Answered, Completions, Diagnostic, Edit, Failure, FileFilter, Files, Follow, Line, Location,
    Locations, Neighbour, Part, Place, Shown, Status, Step, Symbols,
};
use crate::workspace::{Each, Workspace};

/// A question about one root.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "question", rename_all = "kebab-case")]
pub enum Ask {
    Root,
    Servers,
    Files { filter: FileFilter },
    Text { path: String },
    Lines { lines: Vec<Line> },
    Prepare { language: String, deadline: u32 },
    DocumentSymbols { paths: Vec<String>, deadline: u32 },
    WorkspaceSymbols { language: String, text: String, deadline: u32 },
    SymbolParts { parts: Vec<Part>, deadline: u32 },
    Related { asked: Vec<Follow>, deadline: u32 },
    Hierarchy { step: Step, places: Vec<Place>, deadline: u32 },
    Hover { places: Vec<Place>, deadline: u32 },
    Diagnostics { paths: Vec<String>, deadline: u32 },
    WorkspaceDiagnostics { language: String, deadline: u32 },
    Completions { place: Place, overlay: Option<String>, limit: u32, deadline: u32 },
    Rename { place: Place, name: String, deadline: u32 },
    Actions { at: Location, kind: Option<String>, deadline: u32 },
    Restart { language: Option<String> },
}

/// The answer to a question: the result of the function that has the same name.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Reply {
    Root(String),
    Servers(Vec<Status>),
    Files(Result<Files, Failure>),
    Text(Result<String, Failure>),
    Lines(Vec<Option<String>>),
    Prepare(Result<Status, Failure>),
    DocumentSymbols(Each<Symbols>),
    WorkspaceSymbols(Result<Symbols, Failure>),
    SymbolParts(Each<Symbols>),
    Related(Each<Locations>),
    Hierarchy(Each<Answered<Neighbour>>),
    Hover(Each<Shown>),
    Diagnostics(Each<Answered<Diagnostic>>),
    WorkspaceDiagnostics(Result<Answered<Diagnostic>, Failure>),
    Completions(Result<Completions, Failure>),
    Rename(Result<Answered<Edit>, Failure>),
    Actions(Result<Answered<Action>, Failure>),
    Restart(Result<(), Failure>),
}

impl Ask {
    /// Subtracts the time since the call began from the deadline of a question, so that all questions of a call share
    /// one deadline.
    #[must_use]
    pub fn after(mut self, passed: Duration) -> Self {
        if let Some(deadline) = self.deadline() {
            let passed = u32::try_from(passed.as_millis()).unwrap_or(u32::MAX);
            *deadline = deadline.saturating_sub(passed);
        }
        self
    }

    fn deadline(&mut self) -> Option<&mut u32> {
        match self {
            Self::Prepare { deadline, .. }
            | Self::DocumentSymbols { deadline, .. }
            | Self::WorkspaceSymbols { deadline, .. }
            | Self::SymbolParts { deadline, .. }
            | Self::Related { deadline, .. }
            | Self::Hierarchy { deadline, .. }
            | Self::Hover { deadline, .. }
            | Self::Diagnostics { deadline, .. }
            | Self::WorkspaceDiagnostics { deadline, .. }
            | Self::Completions { deadline, .. }
            | Self::Rename { deadline, .. }
            | Self::Actions { deadline, .. } => Some(deadline),
            Self::Root
            | Self::Servers
            | Self::Files { .. }
            | Self::Text { .. }
            | Self::Lines { .. }
            | Self::Restart { .. } => None,
        }
    }
}

impl Workspace {
    /// Answers a question. In JSON, results become `{"Ok":…}` and `{"Err":…}`.
    pub async fn answer(&self, ask: Ask) -> Reply {
        match ask {
            Ask::Root => Reply::Root(self.root()),
            Ask::Servers => Reply::Servers(self.servers()),
            Ask::Files { filter } => Reply::Files(self.files(&filter)),
            Ask::Text { path } => Reply::Text(self.text(&path)),
            Ask::Lines { lines } => Reply::Lines(self.lines(&lines)),
            Ask::Prepare { language, deadline } => Reply::Prepare(self.prepare(&language, deadline).await),
            Ask::DocumentSymbols { paths, deadline } => {
                Reply::DocumentSymbols(self.document_symbols(paths, deadline).await)
            }
            Ask::WorkspaceSymbols { language, text, deadline } => {
                Reply::WorkspaceSymbols(self.workspace_symbols(&language, &text, deadline).await)
            }
            Ask::SymbolParts { parts, deadline } => {
                Reply::SymbolParts(self.symbol_parts(parts, deadline).await)
            }
            Ask::Related { asked, deadline } => Reply::Related(self.related(asked, deadline).await),
            Ask::Hierarchy { step, places, deadline } => {
                Reply::Hierarchy(self.hierarchy(step, places, deadline).await)
            }
            Ask::Hover { places, deadline } => Reply::Hover(self.hover(places, deadline).await),
            Ask::Diagnostics { paths, deadline } => {
                Reply::Diagnostics(self.diagnostics(paths, deadline).await)
            }
            Ask::WorkspaceDiagnostics { language, deadline } => {
                Reply::WorkspaceDiagnostics(self.workspace_diagnostics(&language, deadline).await)
            }
            Ask::Completions { place, overlay, limit, deadline } => {
                Reply::Completions(self.completions(place, overlay.as_deref(), limit, deadline).await)
            }
            Ask::Rename { place, name, deadline } => Reply::Rename(self.rename(place, &name, deadline).await),
            Ask::Actions { at, kind, deadline } => {
                Reply::Actions(self.actions(at, kind.as_deref(), deadline).await)
            }
            Ask::Restart { language } => Reply::Restart(self.restart(language.as_deref())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_of_a_call_share_its_time() {
        let ask = Ask::Hover { places: Vec::new(), deadline: 300 };
        let left = |passed| ask.clone().after(Duration::from_millis(passed));
        assert_eq!(left(100), Ask::Hover { places: Vec::new(), deadline: 200 });
        assert_eq!(left(400), Ask::Hover { places: Vec::new(), deadline: 0 });
        assert_eq!(Ask::Root.after(Duration::from_secs(9)), Ask::Root);
    }
}
