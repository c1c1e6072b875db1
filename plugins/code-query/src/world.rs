//! What the plugin asks of the world: the interface `language-servers`, as a trait, so that everything but the last
//! step runs and is tested without a host.

use iac_plugin::language_servers as host;
pub use iac_plugin::language_servers::{
    Abilities, Action, Actions, Cause, Completion, Completions, Diagnostic, Diagnostics, Doubt, Edit, Edits,
    Failure, File, FileFilter, Files, Follow, Freshness, Line, Location, Locations, Naming, Neighbour,
    Neighbours, Part, Place, Position, Range, Relation, Search, Server, Shown, State, Step, Symbol, Symbols,
};

/// What a question about many is answered with: one answer for each, in the same order.
pub type Each<T> = Result<Vec<Result<T, Failure>>, Failure>;

/// A granted root with its language servers; see `wit/language-servers.wit` for what each question means.
#[expect(missing_docs, reason = "the interface has its documentation in `wit/`")]
pub trait Workspace {
    fn root(&self) -> String;
    fn servers(&self) -> Vec<Server>;
    fn files(&self, filter: &FileFilter) -> Result<Files, Failure>;
    fn text(&self, path: &str) -> Result<String, Failure>;
    fn lines(&self, lines: &[Line]) -> Vec<Option<String>>;
    fn prepare(&self, language: &str, deadline: u32) -> Result<Server, Failure>;
    fn document_symbols(&self, paths: &[String], deadline: u32) -> Each<Symbols>;
    fn workspace_symbols(&self, language: &str, text: &str, deadline: u32) -> Result<Symbols, Failure>;
    fn symbol_parts(&self, parts: &[Part], deadline: u32) -> Each<Symbols>;
    fn follow(&self, asked: &[Follow], deadline: u32) -> Each<Locations>;
    fn related(&self, relation: Relation, places: &[Place], deadline: u32) -> Each<Locations> {
        let follow = |at: &Place| Follow { relation, at: at.clone() };
        self.follow(&places.iter().map(follow).collect::<Vec<_>>(), deadline)
    }
    fn hierarchy(&self, step: Step, places: &[Place], deadline: u32) -> Each<Neighbours>;
    fn hover(&self, places: &[Place], deadline: u32) -> Each<Shown>;
    fn diagnostics(&self, paths: &[String], deadline: u32) -> Each<Diagnostics>;
    fn workspace_diagnostics(&self, language: &str, deadline: u32) -> Result<Diagnostics, Failure>;
    fn completions(
        &self,
        place: &Place,
        overlay: Option<&str>,
        limit: u32,
        deadline: u32,
    ) -> Result<Completions, Failure>;
    fn rename(&self, place: &Place, name: &str, deadline: u32) -> Result<Edits, Failure>;
    fn actions(&self, at: &Location, kind: Option<&str>, deadline: u32) -> Result<Actions, Failure>;
    fn restart(&self, language: Option<&str>) -> Result<(), Failure>;
}

impl Workspace for host::Workspace {
    fn root(&self) -> String {
        Self::root(self)
    }

    fn servers(&self) -> Vec<Server> {
        Self::servers(self)
    }

    fn files(&self, filter: &FileFilter) -> Result<Files, Failure> {
        Self::files(self, filter)
    }

    fn text(&self, path: &str) -> Result<String, Failure> {
        Self::text(self, path)
    }

    fn lines(&self, lines: &[Line]) -> Vec<Option<String>> {
        Self::lines(self, lines)
    }

    fn prepare(&self, language: &str, deadline: u32) -> Result<Server, Failure> {
        Self::prepare(self, language, deadline)
    }

    fn document_symbols(&self, paths: &[String], deadline: u32) -> Each<Symbols> {
        Self::document_symbols(self, paths, deadline)
    }

    fn workspace_symbols(&self, language: &str, text: &str, deadline: u32) -> Result<Symbols, Failure> {
        Self::workspace_symbols(self, language, text, deadline)
    }

    fn symbol_parts(&self, parts: &[Part], deadline: u32) -> Each<Symbols> {
        Self::symbol_parts(self, parts, deadline)
    }

    fn follow(&self, asked: &[Follow], deadline: u32) -> Each<Locations> {
        Self::related(self, asked, deadline)
    }

    fn hierarchy(&self, step: Step, places: &[Place], deadline: u32) -> Each<Neighbours> {
        Self::hierarchy(self, step, places, deadline)
    }

    fn hover(&self, places: &[Place], deadline: u32) -> Each<Shown> {
        Self::hover(self, places, deadline)
    }

    fn diagnostics(&self, paths: &[String], deadline: u32) -> Each<Diagnostics> {
        Self::diagnostics(self, paths, deadline)
    }

    fn workspace_diagnostics(&self, language: &str, deadline: u32) -> Result<Diagnostics, Failure> {
        Self::workspace_diagnostics(self, language, deadline)
    }

    fn completions(
        &self,
        place: &Place,
        overlay: Option<&str>,
        limit: u32,
        deadline: u32,
    ) -> Result<Completions, Failure> {
        Self::completions(self, place, overlay, limit, deadline)
    }

    fn rename(&self, place: &Place, name: &str, deadline: u32) -> Result<Edits, Failure> {
        Self::rename(self, place, name, deadline)
    }

    fn actions(&self, at: &Location, kind: Option<&str>, deadline: u32) -> Result<Actions, Failure> {
        Self::actions(self, at, kind, deadline)
    }

    fn restart(&self, language: Option<&str>) -> Result<(), Failure> {
        Self::restart(self, language)
    }
}
