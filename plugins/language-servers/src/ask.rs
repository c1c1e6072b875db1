//! Every question of `iac:plugin/language-servers` as data, so that one place can refuse, record or replay it.

use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use crate::types::{FileFilter, Line, Place, Relation, Step};
use crate::workspace::Workspace;

/// A question about a root.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "question", rename_all = "kebab-case")]
#[expect(missing_docs, reason = "each is the function of the same name, with its arguments")]
pub enum Ask {
    Root,
    Servers,
    Files { filter: FileFilter },
    Text { path: String },
    Lines { lines: Vec<Line> },
    Prepare { language: String, deadline: u32 },
    DocumentSymbols { paths: Vec<String>, deadline: u32 },
    WorkspaceSymbols { language: String, text: String, deadline: u32 },
    Related { relation: Relation, places: Vec<Place>, deadline: u32 },
    Hierarchy { step: Step, places: Vec<Place>, deadline: u32 },
    Hover { places: Vec<Place>, deadline: u32 },
    Diagnostics { paths: Vec<String>, deadline: u32 },
    WorkspaceDiagnostics { language: String, deadline: u32 },
    Completions { place: Place, overlay: Option<String>, limit: u32, deadline: u32 },
    Restart { language: Option<String> },
}

impl Workspace {
    /// Answers a question: what the function of that name returns, with results as `{"Ok":…}` and `{"Err":…}`.
    pub async fn answer(&self, ask: Ask) -> Json {
        match ask {
            Ask::Root => json!(self.root()),
            Ask::Servers => json!(self.servers()),
            Ask::Files { filter } => json!(self.files(&filter)),
            Ask::Text { path } => json!(self.text(&path)),
            Ask::Lines { lines } => json!(self.lines(&lines)),
            Ask::Prepare { language, deadline } => json!(self.prepare(&language, deadline).await),
            Ask::DocumentSymbols { paths, deadline } => json!(self.document_symbols(paths, deadline).await),
            Ask::WorkspaceSymbols { language, text, deadline } => {
                json!(self.workspace_symbols(&language, &text, deadline).await)
            }
            Ask::Related { relation, places, deadline } => {
                json!(self.related(relation, places, deadline).await)
            }
            Ask::Hierarchy { step, places, deadline } => json!(self.hierarchy(step, places, deadline).await),
            Ask::Hover { places, deadline } => json!(self.hover(places, deadline).await),
            Ask::Diagnostics { paths, deadline } => json!(self.diagnostics(paths, deadline).await),
            Ask::WorkspaceDiagnostics { language, deadline } => {
                json!(self.workspace_diagnostics(&language, deadline).await)
            }
            Ask::Completions { place, overlay, limit, deadline } => {
                json!(self.completions(place, overlay.as_deref(), limit, deadline).await)
            }
            Ask::Restart { language } => json!(self.restart(language.as_deref())),
        }
    }
}
