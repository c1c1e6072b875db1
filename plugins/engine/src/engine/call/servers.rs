//! `language-servers`: a handle is a root that was granted. What crosses is of one shape on both sides, so the generated
//! types are read from what the crate of the servers writes.

use iac_language_servers::Ask;
use serde::de::DeserializeOwned;
use serde_json::{Value as Json, json};
use wasmtime::component::Resource;

use super::State;
use crate::engine::bindings::iac::plugin::language_servers as wit;
use crate::failure::Fault;
use crate::host::Question;

/// A root that was granted and opened in this call.
#[derive(Debug)]
#[expect(unreachable_pub, reason = "the generated bindings export it again")]
pub struct Workspace {
    root: String,
}

/// A function's result: the outer error ends the call, the inner one the guest reads.
type Returned<T> = wasmtime::Result<Result<T, wit::Failure>>;

/// One answer is at most so many times as long as one of an app: it can be about many files.
const LONGER: usize = 4;

impl wit::Host for State {
    async fn roots(&mut self) -> wasmtime::Result<Vec<String>> {
        self.count_call()?;
        Ok(self.setup.grants.language_servers.iter().cloned().collect())
    }

    async fn open(&mut self, root: String) -> Returned<Resource<Workspace>> {
        if !self.setup.grants.language_servers.contains(&root) {
            let message = format!("the plugin was not granted the language servers of `{root}`");
            return Ok(Err(failure(wit::Cause::Outside, message)));
        }
        let bytes = root.len();
        match self.ask_json(Question::OpenWorkspace { root: root.clone() }, bytes).await? {
            Ok(answer) => {
                let opened: Result<(), wit::Failure> = read(answer);
                let full = |_| failure(wit::Cause::TooLarge, "the call holds too many handles".to_owned());
                Ok(opened.and_then(|()| self.table.push(Workspace { root }).map_err(full)))
            }
            Err(fault) => Ok(Err(failure(wit::Cause::Failed, fault.message))),
        }
    }
}

impl wit::HostWorkspace for State {
    async fn root(&mut self, workspace: Resource<Workspace>) -> wasmtime::Result<String> {
        Ok(self.told(&workspace, json!({"question": "root"})).await?.unwrap_or_default())
    }

    async fn servers(&mut self, workspace: Resource<Workspace>) -> wasmtime::Result<Vec<wit::Server>> {
        Ok(self.told(&workspace, json!({"question": "servers"})).await?.unwrap_or_default())
    }

    async fn files(
        &mut self,
        workspace: Resource<Workspace>,
        filter: wit::FileFilter,
    ) -> Returned<wit::Files> {
        self.answered(&workspace, json!({"question": "files", "filter": filter})).await
    }

    async fn text(&mut self, workspace: Resource<Workspace>, path: String) -> Returned<String> {
        self.answered(&workspace, json!({"question": "text", "path": path})).await
    }

    async fn lines(
        &mut self,
        workspace: Resource<Workspace>,
        lines: Vec<wit::Line>,
    ) -> wasmtime::Result<Vec<Option<String>>> {
        let nothing = vec![None; lines.len()];
        Ok(self.told(&workspace, json!({"question": "lines", "lines": lines})).await?.unwrap_or(nothing))
    }

    async fn prepare(
        &mut self,
        workspace: Resource<Workspace>,
        language: String,
        deadline: u32,
    ) -> Returned<wit::Server> {
        let ask = json!({"question": "prepare", "language": language, "deadline": deadline});
        self.answered(&workspace, ask).await
    }

    async fn document_symbols(
        &mut self,
        workspace: Resource<Workspace>,
        paths: Vec<String>,
        deadline: u32,
    ) -> Returned<Vec<Result<wit::Symbols, wit::Failure>>> {
        let ask = json!({"question": "document-symbols", "paths": paths, "deadline": deadline});
        self.answered(&workspace, ask).await
    }

    async fn workspace_symbols(
        &mut self,
        workspace: Resource<Workspace>,
        language: String,
        text: String,
        deadline: u32,
    ) -> Returned<wit::Symbols> {
        let ask = json!({"question": "workspace-symbols", "language": language, "text": text, "deadline": deadline});
        self.answered(&workspace, ask).await
    }

    async fn related(
        &mut self,
        workspace: Resource<Workspace>,
        relation: wit::Relation,
        places: Vec<wit::Place>,
        deadline: u32,
    ) -> Returned<Vec<Result<wit::Locations, wit::Failure>>> {
        let ask =
            json!({"question": "related", "relation": relation, "places": places, "deadline": deadline});
        self.answered(&workspace, ask).await
    }

    async fn hierarchy(
        &mut self,
        workspace: Resource<Workspace>,
        step: wit::Step,
        places: Vec<wit::Place>,
        deadline: u32,
    ) -> Returned<Vec<Result<wit::Neighbours, wit::Failure>>> {
        let ask = json!({"question": "hierarchy", "step": step, "places": places, "deadline": deadline});
        self.answered(&workspace, ask).await
    }

    async fn hover(
        &mut self,
        workspace: Resource<Workspace>,
        places: Vec<wit::Place>,
        deadline: u32,
    ) -> Returned<Vec<Result<wit::Shown, wit::Failure>>> {
        let ask = json!({"question": "hover", "places": places, "deadline": deadline});
        self.answered(&workspace, ask).await
    }

    async fn diagnostics(
        &mut self,
        workspace: Resource<Workspace>,
        paths: Vec<String>,
        deadline: u32,
    ) -> Returned<Vec<Result<wit::Diagnostics, wit::Failure>>> {
        let ask = json!({"question": "diagnostics", "paths": paths, "deadline": deadline});
        self.answered(&workspace, ask).await
    }

    async fn workspace_diagnostics(
        &mut self,
        workspace: Resource<Workspace>,
        language: String,
        deadline: u32,
    ) -> Returned<wit::Diagnostics> {
        let ask = json!({"question": "workspace-diagnostics", "language": language, "deadline": deadline});
        self.answered(&workspace, ask).await
    }

    async fn completions(
        &mut self,
        workspace: Resource<Workspace>,
        place: wit::Place,
        overlay: Option<String>,
        limit: u32,
        deadline: u32,
    ) -> Returned<wit::Completions> {
        let ask = json!({"question": "completions", "place": place, "overlay": overlay, "limit": limit,
            "deadline": deadline});
        self.answered(&workspace, ask).await
    }

    async fn restart(&mut self, workspace: Resource<Workspace>, language: Option<String>) -> Returned<()> {
        self.answered(&workspace, json!({"question": "restart", "language": language})).await
    }

    async fn drop(&mut self, workspace: Resource<Workspace>) -> wasmtime::Result<()> {
        self.table.delete(workspace)?;
        Ok(())
    }
}

impl State {
    /// Asks what has a result of its own.
    async fn answered<T: DeserializeOwned>(
        &mut self,
        workspace: &Resource<Workspace>,
        ask: Json,
    ) -> Returned<T> {
        let told: Result<Json, Fault> = self.told_json(workspace, ask).await?;
        Ok(match told {
            Ok(answer) => read(answer),
            Err(fault) => Err(failure(wit::Cause::Failed, fault.message)),
        })
    }

    /// Asks what always has an answer; none where the host has no language servers.
    async fn told<T: DeserializeOwned>(
        &mut self,
        workspace: &Resource<Workspace>,
        ask: Json,
    ) -> wasmtime::Result<Option<T>> {
        let told = self.told_json(workspace, ask).await?;
        Ok(told.ok().and_then(|answer| serde_json::from_value(answer).ok()))
    }

    async fn told_json(
        &mut self,
        workspace: &Resource<Workspace>,
        ask: Json,
    ) -> wasmtime::Result<Result<Json, Fault>> {
        let root = self.table.get(workspace)?.root.clone();
        let bytes = weight(&ask);
        let ask: Ask = match serde_json::from_value(ask) {
            Ok(ask) => ask,
            Err(error) => return Ok(Err(Fault::new("internal", error.to_string()))),
        };
        let answer = self.ask_json(Question::LanguageServers { root, ask }, bytes).await?;
        self.heard = true;
        let weight = answer.as_ref().map_or(0, weight);
        self.count_traffic(weight)?;
        let most = self.setup.limits.reply * LONGER;
        if weight > most {
            let message =
                format!("the answer has {weight} bytes, expected at most {most}: ask about less at once");
            return Ok(Ok(json!({"Err": failure(wit::Cause::TooLarge, message)})));
        }
        Ok(answer.map_err(Fault::from))
    }
}

fn read<T: DeserializeOwned>(answer: Json) -> Result<T, wit::Failure> {
    serde_json::from_value(answer).unwrap_or_else(|error| Err(failure(wit::Cause::Failed, error.to_string())))
}

fn failure(cause: wit::Cause, message: String) -> wit::Failure {
    wit::Failure { cause, message, suggestion: None, retry_after: None }
}

/// About how many bytes an answer has; nobody writes it out only to measure it.
fn weight(json: &Json) -> usize {
    match json {
        Json::String(text) => text.len() + 2,
        Json::Array(items) => items.iter().map(|item| weight(item) + 1).sum::<usize>() + 2,
        Json::Object(fields) => fields.values().map(|value| weight(value) + 8).sum::<usize>() + 2,
        Json::Null | Json::Bool(_) | Json::Number(_) => 4,
    }
}
