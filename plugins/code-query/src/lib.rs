//! Answers questions about source code from real language servers, and says whether each answer is complete.
//!
//! Everything except the last step is a function of a [`world::Workspace`] and the arguments, so tests can run it
//! without a host. The modules are in the order in which a query passes through them.

mod near;
mod pattern;
pub mod world;
mod mask;
mod reserved;
mod doubts;
mod trouble;
mod kinds;
mod request;
mod guidance;
mod answer;
mod scope;
mod imports;
mod rounds;
mod status;
mod tree;
mod code;
mod crawl;
mod hidden;
mod find;
mod diagnostics;
mod locate;
mod actions;
mod completions;
mod outline;
mod type_info;
mod uses;
mod asker;
mod kin;
mod relations;
mod structure;
mod rename;

#[cfg(test)]
mod tests;

use iac_plugin::serde_json::Map;
use iac_plugin::{Arguments, Fault, Json, Plugin, Tool, json, language_servers};

use doubts::Reason;
use request::{Ask, Query, Request};
use scope::Desk;
use trouble::Trouble;
use world::{Closed, Step, Workspace};

struct CodeQuery;

impl Plugin for CodeQuery {
    fn tools() -> Vec<Tool> {
        let tool = Tool::reads("code_query", guidance::DESCRIPTION, guidance::schema());
        vec![tool.titled("Questions about source code")]
    }

    fn call(_tool: &str, arguments: Arguments) -> Result<Json, Fault> {
        let arguments: Map<String, Json> = arguments.into()?;
        let mut workspaces: Vec<Box<dyn Workspace>> = Vec::new();
        let mut closed: Vec<Closed> = Vec::new();
        for root in language_servers::roots() {
            match language_servers::open(&root) {
                Ok(opened) => workspaces.push(Box::new(opened)),
                Err(failure) => closed.push(Closed { root, failure }),
            }
        }
        answer(&workspaces, &closed, &arguments)
    }
}

iac_plugin::export!(CodeQuery);

/// Answers one call with `{"results":[…]}`, one element for each query. Granted folders that could not be opened only
/// make answers incomplete.
///
/// # Errors
/// Arguments without any query, and a plugin to which no folder was granted or which could open none.
pub fn answer(
    workspaces: &[Box<dyn Workspace + '_>],
    closed: &[Closed],
    arguments: &Map<String, Json>,
) -> Result<Json, Fault> {
    let request = Request::parse(arguments).map_err(unusable)?;
    if workspaces.is_empty() {
        return Err(none_opened(closed));
    }
    let results = rounds::answer(workspaces, closed, &request.queries, |desk, query| match query {
        Ok(query) => answer::show(query.name(), whole(desk, query), request.form),
        Err(trouble) => answer::show("", Err(trouble.clone()), request.form),
    });
    Ok(json!({"results": results}))
}

fn none_opened(closed: &[Closed]) -> Fault {
    let Some(Closed { failure, .. }) = closed.first() else {
        return Fault::new("unavailable", "no folder was granted to code-query")
            .suggest(format!("only the user can change this: {}", trouble::GRANT));
    };
    let fault = Fault::new("unavailable", failure.message.clone());
    match &failure.suggestion {
        Some(suggestion) => fault.suggest(suggestion.clone()),
        None => fault,
    }
}

/// Runs a query. If it is about every folder and one of them could not be opened, its answer is not complete.
fn whole(desk: &Desk<'_>, query: &Query) -> Result<answer::Answer, Trouble> {
    let notes: Vec<String> = match query.ask.path() {
        None => desk.closed().iter().map(Closed::note).collect(),
        Some(_) => Vec::new(),
    };
    match run(desk, query) {
        Ok(mut answer) => {
            for note in notes {
                answer.doubts.add(Reason::RootClosed);
                answer.doubts.note(note);
            }
            Ok(answer)
        }
        Err(trouble) if trouble.code == "NOT_FOUND" && !notes.is_empty() => {
            Err(trouble.also(&notes.join("; ")))
        }
        Err(trouble) => Err(trouble),
    }
}

fn run(desk: &Desk<'_>, query: &Query) -> Result<answer::Answer, Trouble> {
    let common = &query.common;
    match &query.ask {
        Ask::FindSymbols { pattern, path, kinds, locals } => {
            let path = path.as_deref();
            let (kinds, exclude, what) = (*kinds, common.exclude.as_slice(), query.name());
            let wanted = find::Wanted { pattern, kinds, locals: *locals, path, exclude, what };
            find::symbols(desk, &wanted, common)
        }
        Ask::Outline { path, pattern, kinds, depth, locals } => {
            let pattern = pattern.as_ref();
            let wanted = outline::Wanted { path, pattern, kinds: *kinds, depth: *depth, locals: *locals };
            outline::answer(desk, &wanted, common)
        }
        Ask::Diagnostics { path, severities, source } => {
            let (path, source) = (path.as_deref(), source.as_deref());
            diagnostics::answer(desk, &diagnostics::Wanted { path, severities, source }, common)
        }
        Ask::References { target, declaration } => relations::references(desk, target, *declaration, common),
        Ask::Definition { target } => relations::definition(desk, target, common),
        Ask::Implementations { target } => relations::implementations(desk, target, common),
        Ask::TypeInfo { target } => type_info::answer(desk, target, common),
        Ask::Completions { path, spot } => completions::answer(desk, path, spot, common),
        Ask::Callers { target } => relations::calls(desk, target, Step::Callers, common),
        Ask::Callees { target } => relations::calls(desk, target, Step::Callees, common),
        Ask::Actions { place, only, title } => {
            actions::answer(desk, place, only.as_deref(), title.as_deref(), common)
        }
        Ask::Rename { target, name } => rename::answer(desk, target, name, common),
        Ask::Status => Ok(status::answer(desk, common)),
        Ask::Restart { language } => status::restart(desk, language.as_deref(), common),
    }
}

fn unusable(trouble: Trouble) -> Fault {
    let fault = Fault::new("invalid_parameter", trouble.message);
    match trouble.hint {
        Some(hint) => fault.suggest(hint),
        None => {
            fault.suggest("send {\"type\":\"outline\",\"path\":\"src/main.rs\"} or {\"queries\":[{…},{…}]}")
        }
    }
}
