//! The plugin's questions to its environment: the interface `language-servers` as a trait. So everything except the
//! last step runs without a host, and the tests use that.

use iac_plugin::language_servers as host;
pub use iac_plugin::language_servers::{
    Abilities, Action, Actions, Cause, Completion, Completions, Diagnostic, Diagnostics, Doubt, Edit, Edits,
    Failure, File, FileFilter, Files, Follow, Freshness, Line, Location, Locations, Naming, Neighbour,
    Neighbours, Part, Place, Position, Range, Relation, Search, Server, Shown, State, Step, Symbol, Symbols,
};

/// A granted root that could not be opened, and why.
#[derive(Clone, Debug)]
pub struct Closed {
    /// Its absolute path.
    pub root: String,
    /// The host's reason.
    pub failure: Failure,
}

impl Closed {
    pub(crate) fn note(&self) -> String {
        format!("`{}` was not looked at: {}", self.root, self.failure.message)
    }
}

/// The answer to a question about many items: one answer for each, in the same order.
pub type Each<T> = Result<Vec<Result<T, Failure>>, Failure>;

/// The one list of questions. The macro makes the trait from it, and the host answers each question under the same
/// name.
macro_rules! questions {
    ($(fn $name:ident(&self $(, $argument:ident: $type:ty)*) -> $answer:ty;)*) => {
        /// A granted root with its language servers; see `wit/language-servers.wit` for what each question means.
        #[expect(missing_docs, reason = "the interface has its documentation in `wit/`")]
        pub trait Workspace {
            $(fn $name(&self $(, $argument: $type)*) -> $answer;)*
            fn follow(&self, asked: &[Follow], deadline: u32) -> Each<Locations>;
            fn related(&self, relation: Relation, places: &[Place], deadline: u32) -> Each<Locations> {
                let follow = |at: &Place| Follow { relation, at: at.clone() };
                self.follow(&places.iter().map(follow).collect::<Vec<_>>(), deadline)
            }
        }

        impl Workspace for host::Workspace {
            $(fn $name(&self $(, $argument: $type)*) -> $answer {
                Self::$name(self $(, $argument)*)
            })*
            fn follow(&self, asked: &[Follow], deadline: u32) -> Each<Locations> {
                Self::related(self, asked, deadline)
            }
        }
    };
}

questions! {
    fn root(&self) -> String;
    fn servers(&self) -> Vec<Server>;
    fn files(&self, filter: &FileFilter) -> Result<Files, Failure>;
    fn text(&self, path: &str) -> Result<String, Failure>;
    fn lines(&self, lines: &[Line]) -> Vec<Option<String>>;
    fn prepare(&self, language: &str, deadline: u32) -> Result<Server, Failure>;
    fn document_symbols(&self, paths: &[String], deadline: u32) -> Each<Symbols>;
    fn workspace_symbols(&self, language: &str, text: &str, deadline: u32) -> Result<Symbols, Failure>;
    fn symbol_parts(&self, parts: &[Part], deadline: u32) -> Each<Symbols>;
    fn hierarchy(&self, step: Step, places: &[Place], deadline: u32) -> Each<Neighbours>;
    fn hover(&self, places: &[Place], deadline: u32) -> Each<Shown>;
    fn diagnostics(&self, paths: &[String], deadline: u32) -> Each<Diagnostics>;
    fn workspace_diagnostics(&self, language: &str, deadline: u32) -> Result<Diagnostics, Failure>;
    fn completions(&self, place: &Place, overlay: Option<&str>, limit: u32, deadline: u32) -> Result<Completions, Failure>;
    fn rename(&self, place: &Place, name: &str, deadline: u32) -> Result<Edits, Failure>;
    fn actions(&self, at: &Location, kind: Option<&str>, deadline: u32) -> Result<Actions, Failure>;
    fn restart(&self, language: Option<&str>) -> Result<(), Failure>;
}
