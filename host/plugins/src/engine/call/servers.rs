//! `language-servers`: each handle is a granted root.

mod crossing;

use iac_language_servers::{Ask, Reply, types};
use serde::de::DeserializeOwned;
use wasmtime::component::Resource;

use super::State;
use crate::engine::bindings::iac::plugin::language_servers as wit;
use crate::failure::Fault;
use crate::host::{Question, Told};
use crossing::Cross;

/// A root that was granted and opened in this call.
#[derive(Debug)]
#[expect(unreachable_pub, reason = "the generated bindings export it again")]
pub struct Workspace {
    root: String,
}

/// The result of a host function. The outer error ends the call; the inner one is returned to the guest.
type Returned<T> = wasmtime::Result<Result<T, wit::Failure>>;

/// The result of a question about many items, with one result for each.
type Each<T> = Returned<Vec<Result<T, wit::Failure>>>;

/// The root that a question is about.
type Handle = Resource<Workspace>;

/// How many times longer an answer of language servers may be than one of an app, because it can be about many files.
const LONGER: usize = 4;

/// Extracts the variant of `Reply` that fits the question.
macro_rules! only {
    ($kind:ident) => {
        |reply| match reply {
            Reply::$kind(answer) => Some(answer),
            _ => None,
        }
    };
}

impl wit::Host for State {
    async fn roots(&mut self) -> wasmtime::Result<Vec<String>> {
        self.count_call()?;
        Ok(self.setup.grants.language_servers.iter().cloned().collect())
    }

    async fn open(&mut self, root: String) -> Returned<Resource<Workspace>> {
        if !self.setup.grants.language_servers.contains(&root) {
            let message = format!("the plugin has no grant for the language servers of `{root}`");
            let told = self.not_granted(&message, "language-servers DIR", true);
            let suggestion = told.suggestion;
            return Ok(Err(wit::Failure { suggestion, ..failure(wit::Cause::Outside, told.message) }));
        }
        let bytes = root.len();
        match self.ask_json(Question::OpenWorkspace { root: root.clone() }, bytes).await? {
            Ok(answer) => {
                let opened: Result<(), types::Failure> = read(answer);
                let full = |_| failure(wit::Cause::TooLarge, "the call holds too many handles".to_owned());
                Ok(opened.cross().and_then(|()| self.table.push(Workspace { root }).map_err(full)))
            }
            Err(fault) => Ok(Err(failure(wit::Cause::Failed, fault.message))),
        }
    }
}

impl wit::HostWorkspace for State {
    async fn root(&mut self, on: Handle) -> wasmtime::Result<String> {
        Ok(self.told(&on, Ask::Root, only!(Root)).await?.unwrap_or_default())
    }

    async fn servers(&mut self, on: Handle) -> wasmtime::Result<Vec<wit::Server>> {
        Ok(self.told(&on, Ask::Servers, only!(Servers)).await?.unwrap_or_default())
    }

    async fn files(&mut self, on: Handle, filter: wit::FileFilter) -> Returned<wit::Files> {
        self.answered(&on, Ask::Files { filter: filter.into() }, only!(Files)).await
    }

    async fn text(&mut self, on: Handle, path: String) -> Returned<String> {
        self.answered(&on, Ask::Text { path }, only!(Text)).await
    }

    async fn lines(&mut self, on: Handle, lines: Vec<wit::Line>) -> wasmtime::Result<Vec<Option<String>>> {
        let nothing = vec![None; lines.len()];
        let lines = lines.into_iter().map(types::Line::from).collect();
        Ok(self.told(&on, Ask::Lines { lines }, only!(Lines)).await?.unwrap_or(nothing))
    }

    async fn prepare(&mut self, on: Handle, language: String, deadline: u32) -> Returned<wit::Server> {
        self.answered(&on, Ask::Prepare { language, deadline }, only!(Prepare)).await
    }

    async fn document_symbols(
        &mut self,
        on: Handle,
        paths: Vec<String>,
        deadline: u32,
    ) -> Each<wit::Symbols> {
        let ask = Ask::DocumentSymbols { paths, deadline };
        self.answered(&on, ask, only!(DocumentSymbols)).await
    }

    async fn symbol_parts(&mut self, on: Handle, parts: Vec<wit::Part>, deadline: u32) -> Each<wit::Symbols> {
        let parts = parts.into_iter().map(types::Part::from).collect();
        let ask = Ask::SymbolParts { parts, deadline };
        self.answered(&on, ask, only!(SymbolParts)).await
    }

    async fn workspace_symbols(
        &mut self,
        on: Handle,
        language: String,
        text: String,
        deadline: u32,
    ) -> Returned<wit::Symbols> {
        let ask = Ask::WorkspaceSymbols { language, text, deadline };
        self.answered(&on, ask, only!(WorkspaceSymbols)).await
    }

    async fn related(&mut self, on: Handle, asked: Vec<wit::Follow>, deadline: u32) -> Each<wit::Locations> {
        let asked = asked.into_iter().map(types::Follow::from).collect();
        let ask = Ask::Related { asked, deadline };
        self.answered(&on, ask, only!(Related)).await
    }

    async fn hierarchy(
        &mut self,
        on: Handle,
        step: wit::Step,
        at: Vec<wit::Place>,
        deadline: u32,
    ) -> Each<wit::Neighbours> {
        let ask = Ask::Hierarchy { step: step.into(), places: places(at), deadline };
        self.answered(&on, ask, only!(Hierarchy)).await
    }

    async fn hover(&mut self, on: Handle, at: Vec<wit::Place>, deadline: u32) -> Each<wit::Shown> {
        self.answered(&on, Ask::Hover { places: places(at), deadline }, only!(Hover)).await
    }

    async fn diagnostics(&mut self, on: Handle, paths: Vec<String>, deadline: u32) -> Each<wit::Diagnostics> {
        self.answered(&on, Ask::Diagnostics { paths, deadline }, only!(Diagnostics)).await
    }

    async fn workspace_diagnostics(
        &mut self,
        on: Handle,
        language: String,
        deadline: u32,
    ) -> Returned<wit::Diagnostics> {
        let ask = Ask::WorkspaceDiagnostics { language, deadline };
        self.answered(&on, ask, only!(WorkspaceDiagnostics)).await
    }

    async fn completions(
        &mut self,
        on: Handle,
        place: wit::Place,
        overlay: Option<String>,
        limit: u32,
        deadline: u32,
    ) -> Returned<wit::Completions> {
        let ask = Ask::Completions { place: place.into(), overlay, limit, deadline };
        self.answered(&on, ask, only!(Completions)).await
    }

    async fn rename(
        &mut self,
        on: Handle,
        place: wit::Place,
        name: String,
        deadline: u32,
    ) -> Returned<wit::Edits> {
        let ask = Ask::Rename { place: place.into(), name, deadline };
        self.answered(&on, ask, only!(Rename)).await
    }

    async fn actions(
        &mut self,
        on: Handle,
        at: wit::Location,
        kind: Option<String>,
        deadline: u32,
    ) -> Returned<wit::Actions> {
        let ask = Ask::Actions { at: at.into(), kind, deadline };
        self.answered(&on, ask, only!(Actions)).await
    }

    async fn restart(&mut self, on: Handle, language: Option<String>) -> Returned<()> {
        self.answered(&on, Ask::Restart { language }, only!(Restart)).await
    }

    async fn drop(&mut self, on: Handle) -> wasmtime::Result<()> {
        self.table.delete(on)?;
        Ok(())
    }
}

impl State {
    /// Asks a question that has its own type of result.
    async fn answered<T: Cross + DeserializeOwned>(
        &mut self,
        on: &Handle,
        ask: Ask,
        only: fn(&Reply) -> Option<&Result<T, types::Failure>>,
    ) -> Returned<T::Into> {
        let told = match self.told_at_all(on, ask).await? {
            Ok(told) => told,
            Err(fault) => return Ok(Err(failure(wit::Cause::Failed, fault.message))),
        };
        let recorded;
        let answer = match &told {
            Told::Servers(reply) => only(reply),
            Told::Json(json) => {
                recorded = read(json.clone());
                Some(&recorded)
            }
        };
        let Some(answer) = answer else { return Ok(Err(failure(wit::Cause::Failed, FORM.to_owned()))) };
        let (weight, most) = (answer.weight(), self.setup.limits.reply * LONGER);
        self.count_traffic(weight)?;
        if weight > most {
            let message =
                format!("the answer has {weight} bytes, expected at most {most}: ask about less at once");
            return Ok(Err(failure(wit::Cause::TooLarge, message)));
        }
        Ok(answer.cross())
    }

    /// Asks a question that always has an answer; `None` if the host has no language servers, or if the answer is too
    /// long.
    async fn told<T: Cross + DeserializeOwned>(
        &mut self,
        on: &Handle,
        ask: Ask,
        only: fn(&Reply) -> Option<&T>,
    ) -> wasmtime::Result<Option<T::Into>> {
        let told = self.told_at_all(on, ask).await?;
        let recorded;
        let answer = match &told {
            Ok(Told::Servers(reply)) => only(reply),
            Ok(Told::Json(json)) => {
                recorded = serde_json::from_value(json.clone()).ok();
                recorded.as_ref()
            }
            Err(_) => None,
        };
        let Some(answer) = answer else { return Ok(None) };
        let weight = answer.weight();
        self.count_traffic(weight)?;
        Ok((weight <= self.setup.limits.reply * LONGER).then(|| answer.cross()))
    }

    async fn told_at_all(&mut self, on: &Handle, ask: Ask) -> wasmtime::Result<Result<Told, Fault>> {
        let root = self.table.get(on)?.root.clone();
        let bytes = weight(&ask);
        let told = self.ask_told(Question::LanguageServers { root, ask }, bytes).await?;
        self.caller.heard.note(None);
        Ok(told.map_err(Fault::from))
    }
}

const FORM: &str = "the host's answer does not fit its question";

fn read<T: DeserializeOwned>(answer: serde_json::Value) -> Result<T, types::Failure> {
    let wrong = |error: serde_json::Error| types::Failure::new(types::Cause::Failed, error.to_string());
    serde_json::from_value(answer).unwrap_or_else(|error| Err(wrong(error)))
}

fn failure(cause: wit::Cause, message: String) -> wit::Failure {
    wit::Failure { cause, message, suggestion: None, retry_after: None }
}

fn places(places: Vec<wit::Place>) -> Vec<types::Place> {
    places.into_iter().map(types::Place::from).collect()
}

/// About how many bytes a question has.
fn weight(ask: &Ask) -> usize {
    const EACH: usize = 16;
    let many = |lengths: &mut dyn Iterator<Item = usize>| lengths.map(|length| length + EACH).sum();
    match ask {
        Ask::Text { path } => path.len(),
        Ask::Files { filter } => filter.under.len() + filter.containing.as_ref().map_or(0, String::len),
        Ask::Lines { lines } => many(&mut lines.iter().map(|line| line.path.len())),
        Ask::DocumentSymbols { paths, .. } | Ask::Diagnostics { paths, .. } => {
            many(&mut paths.iter().map(String::len))
        }
        Ask::SymbolParts { parts, .. } => many(&mut parts.iter().map(|part| {
            let named: usize = part.named.iter().map(String::len).sum();
            part.path.len() + named + part.around.len() * EACH
        })),
        Ask::Related { asked, .. } => many(&mut asked.iter().map(|follow| follow.at.path.len())),
        Ask::Hierarchy { places, .. } | Ask::Hover { places, .. } => {
            many(&mut places.iter().map(|place| place.path.len()))
        }
        Ask::WorkspaceSymbols { text, .. } => text.len(),
        Ask::Completions { place, overlay, .. } => place.path.len() + overlay.as_ref().map_or(0, String::len),
        Ask::Rename { place, name, .. } => place.path.len() + name.len(),
        Ask::Actions { at, kind, .. } => at.path.len() + kind.as_ref().map_or(0, String::len),
        Ask::Root
        | Ask::Servers
        | Ask::Prepare { .. }
        | Ask::WorkspaceDiagnostics { .. }
        | Ask::Restart { .. } => EACH,
    }
}
