//! Every question as data, so that one place can refuse, record or replay it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::types::{
    Action, Answered, Cause, Completions, Diagnostic, Edit, Failure, FileFilter, Files, Follow, Line,
    Location, Locations, Neighbour, Part, Place, Shown, Status, Step, Symbols,
};
use crate::workspace::{Each, Workspace};

/// The number of lines that are worth another thread.
const MANY: usize = 200;

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
    /// Answers a question. In JSON, results become `{"Ok":…}` and `{"Err":…}`. A walk of the root, and a search in many
    /// files, run on another thread, so that they do not stop the caller's thread.
    pub async fn answer(self: &Arc<Self>, ask: Ask) -> Reply {
        let ask = self.walk_before(ask).await;
        match ask {
            Ask::Root => Reply::Root(self.root()),
            Ask::Servers => Reply::Servers(self.servers()),
            Ask::Files { filter } if self.is_long(&filter) => {
                Reply::Files(self.apart(move |own| own.files(&filter)).await.unwrap_or_else(Err))
            }
            Ask::Files { filter } => Reply::Files(self.files(&filter)),
            Ask::Text { path } => Reply::Text(self.text(&path)),
            Ask::Lines { lines } if lines.len() > MANY => {
                let none = vec![None; lines.len()];
                Reply::Lines(self.apart(move |own| own.lines(&lines)).await.unwrap_or(none))
            }
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

    /// Walks the root before a question to a server if the server's answer needs that. The time counts.
    async fn walk_before(self: &Arc<Self>, mut ask: Ask) -> Ask {
        if ask.deadline().is_none() || !self.needs_walk() {
            return ask;
        }
        let began = Instant::now();
        drop(self.apart(Self::walk).await);
        ask.after(began.elapsed())
    }

    async fn apart<T: Send + 'static>(
        self: &Arc<Self>,
        read: impl FnOnce(&Self) -> T + Send + 'static,
    ) -> Result<T, Failure> {
        let own = Arc::clone(self);
        let done = tokio::task::spawn_blocking(move || read(&own)).await;
        done.map_err(|error| Failure::new(Cause::Failed, error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::pin::Pin;
    use std::task::{Context, Waker};

    use super::*;
    use crate::LanguageServers;
    use crate::launch::{Launch, Launched, Program};
    use crate::settings::Settings;

    /// Starts nothing.
    struct Nobody;

    impl Launch for Nobody {
        fn launch(&self, _: &Program) -> io::Result<Launched> {
            Err(io::ErrorKind::NotFound.into())
        }

        fn memory(&self, _: u32) -> Pin<Box<dyn Future<Output = Option<u64>> + Send + '_>> {
            Box::pin(async { None })
        }
    }

    #[tokio::test]
    async fn a_walk_leaves_the_thread_to_others() {
        let folder = tempfile::tempdir().unwrap();
        drop(std::fs::File::create(folder.path().join("a.rs")).unwrap());
        let servers = LanguageServers::new(Arc::new(Nobody), Settings::standard([]));
        let workspace = servers.workspace(folder.path()).unwrap();
        let (under, languages, containing) = (String::new(), Vec::new(), None);
        let filter = FileFilter { under, languages, containing, ignored: false, limit: 9 };
        let ask = |ask: Ask| -> Pin<Box<dyn Future<Output = Reply> + Send + '_>> {
            Box::pin(workspace.answer(ask))
        };
        let asked = [
            Ask::Files { filter: filter.clone() },
            Ask::WorkspaceSymbols { language: "none".to_owned(), text: String::new(), deadline: 9 },
        ];
        for question in asked {
            let held = workspace.hold();
            let mut asking = ask(question);
            let is_ready = asking.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready();
            drop(held);
            assert!(!is_ready, "it waits elsewhere");
            drop(asking.await);
        }
        let Reply::Files(Ok(files)) = ask(Ask::Files { filter }).await else { panic!("no list") };
        assert_eq!(files.items.len(), 1);
    }

    #[test]
    fn questions_of_a_call_share_its_time() {
        let ask = Ask::Hover { places: Vec::new(), deadline: 300 };
        let left = |passed| ask.clone().after(Duration::from_millis(passed));
        assert_eq!(left(100), Ask::Hover { places: Vec::new(), deadline: 200 });
        assert_eq!(left(400), Ask::Hover { places: Vec::new(), deadline: 0 });
        assert_eq!(Ask::Root.after(Duration::from_secs(9)), Ask::Root);
    }
}
