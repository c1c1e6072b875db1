//! Questions, answers, and the reliability of an answer.
//!
//! The types match the records of `wit/language-servers.wit`, which explains each field. All of them convert to JSON
//! and back, so that a caller can record a question and its answer.

use serde::{Deserialize, Serialize};

/// The state of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum State {
    Absent,
    Idle,
    Starting,
    Loading,
    Ready,
    Degraded,
    Dead,
}

/// The abilities of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Abilities {
    /// Outlines of files.
    pub document_symbols: bool,
    /// Symbols of the whole project by name.
    pub workspace_symbols: bool,
    /// Uses of a symbol.
    pub references: bool,
    pub definition: bool,
    /// Definitions of types.
    pub type_definition: bool,
    pub implementations: bool,
    /// Callers and callees.
    pub calls: bool,
    /// Subtypes and supertypes.
    pub types: bool,
    /// Signatures and documentation.
    pub hover: bool,
    pub completions: bool,
    /// Diagnostics of a file on request.
    pub pull_diagnostics: bool,
    /// Diagnostics of the root on request.
    pub workspace_diagnostics: bool,
    /// Edits that rename a symbol.
    pub rename: bool,
    /// Fixes and refactorings.
    pub actions: bool,
}

impl Default for Abilities {
    fn default() -> Self {
        Self {
            document_symbols: true,
            workspace_symbols: true,
            references: true,
            definition: true,
            type_definition: true,
            implementations: true,
            calls: true,
            types: false,
            hover: true,
            completions: true,
            pull_diagnostics: false,
            workspace_diagnostics: false,
            rename: true,
            actions: true,
        }
    }
}

/// The form of the names of symbols.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Naming {
    #[default]
    #[serde(alias = "plain")]
    Plain,
    /// Methods are children of `impl Trait for Type`.
    #[serde(alias = "rust")]
    Rust,
    #[serde(alias = "scoped")]
    Scoped,
    #[serde(alias = "receiver")]
    Receiver,
}

/// What the search for symbols finds reliably.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Search {
    pub substring: bool,
    pub cap: Option<u32>,
}

/// One language server of the root, running or not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Status {
    pub profile: String,
    pub languages: Vec<String>,
    pub extensions: Vec<String>,
    pub state: State,
    pub message: Option<String>,
    pub progress: Option<String>,
    pub version: Option<String>,
    pub abilities: Abilities,
    pub naming: Naming,
    pub search: Search,
    pub restarts: u32,
    pub memory: Option<u64>,
}

/// Why an answer may be incomplete or out of date.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Doubt {
    Loading,
    ReadinessUnknown,
    Degraded,
    Capped,
    Scope,
    OpenOnly,
    Restarted,
    /// At the deadline, the server had not looked at the newest text.
    Stale,
    Syntax,
}

/// How reliable an answer is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Freshness {
    pub doubts: Vec<Doubt>,
    pub settled: u64,
    pub generation: u64,
}

impl Freshness {
    /// Adds a doubt in sorted order, if it is not there yet.
    pub(crate) fn doubt(&mut self, doubt: Doubt) {
        if let Err(at) = self.doubts.binary_search(&doubt) {
            self.doubts.insert(at, doubt);
        }
    }
}

/// A position in a text: line and column from 0. Columns count Unicode scalar values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Position {
    pub line: u32,
    pub column: u32,
}

/// A range between two positions. The end is not included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Range {
    pub start: Position,
    pub end: Position,
}

/// A range in a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Location {
    pub path: String,
    pub range: Range,
}

/// A position in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    pub path: String,
    pub at: Position,
}

/// A relation to follow from a place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Follow {
    pub relation: Relation,
    pub at: Place,
}

/// Something that has a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Symbol {
    pub name: String,
    /// The number of its kind in LSP.
    pub kind: u8,
    pub detail: Option<String>,
    pub location: Location,
    pub name_range: Range,
    pub container: Option<String>,
    pub parent: Option<u32>,
    pub deprecated: bool,
}

/// Selects symbols of an outline.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    pub path: String,
    pub around: Vec<Position>,
    pub named: Vec<String>,
}

/// Symbols, and how reliable they are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Symbols {
    /// Parents before their children.
    pub items: Vec<Symbol>,
    pub flat: bool,
    /// Whole lines of the file that the server leaves out because a build condition is not met. A range within one
    /// line is a name that a macro declares and that the server does not know.
    #[serde(default)]
    pub hidden: Vec<Range>,
    pub freshness: Freshness,
}

/// Items, and how reliable they are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answered<T> {
    pub items: Vec<T>,
    pub freshness: Freshness,
}

/// The targets of a relation, and how reliable they are.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Locations {
    pub items: Vec<Location>,
    pub added: u32,
    pub unsure: Vec<Location>,
    pub unasked: u32,
    #[serde(default)]
    pub settled: bool,
    pub freshness: Freshness,
}

/// What to find from a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Relation {
    References,
    ReferencesAndDeclaration,
    Definition,
    TypeDefinition,
    Implementations,
}

/// One step in a call or type hierarchy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Step {
    Callers,
    Callees,
    Subtypes,
    Supertypes,
}

/// A symbol one step away in a hierarchy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Neighbour {
    pub symbol: Symbol,
    pub sites: Vec<Location>,
}

/// The hover text of a place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Shown {
    pub markdown: Option<String>,
    pub freshness: Freshness,
}

/// A message of a compiler or linter about a place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Diagnostic {
    pub location: Location,
    pub severity: u8,
    pub code: Option<String>,
    pub source: Option<String>,
    pub message: String,
}

/// A completion at a place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Completion {
    pub label: String,
    /// The number of its kind in LSP; 0 if none is given.
    pub kind: u8,
    pub detail: Option<String>,
    pub insert: String,
}

/// Completions, and how reliable they are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Completions {
    pub items: Vec<Completion>,
    pub total: u32,
    pub freshness: Freshness,
}

/// A proposed change of a text. Nothing applies it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edit {
    pub at: Location,
    pub text: String,
}

/// A change that a server offers. Nothing applies it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Action {
    pub title: String,
    /// Its kind in LSP, such as `quickfix` or `refactor.extract`.
    pub kind: Option<String>,
    pub preferred: bool,
    pub edits: Option<Vec<Edit>>,
    pub command: bool,
}

/// Selects files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileFilter {
    /// A folder, or one file; empty is the root.
    pub under: String,
    pub languages: Vec<String>,
    pub containing: Option<String>,
    /// Whether to include files that Git ignores.
    pub ignored: bool,
    pub limit: u32,
}

/// A file of source code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceFile {
    pub path: String,
    pub language: String,
    pub size: u64,
    /// Changes whenever the file does.
    pub stamp: u64,
}

/// Files, sorted by the bytes of their paths.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Files {
    pub items: Vec<SourceFile>,
    pub truncated: bool,
}

/// One line of a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    pub path: String,
    pub number: u32,
}

/// Why a question has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Cause {
    Outside,
    NotFound,
    /// The question is malformed.
    Invalid,
    NoServer,
    NotInstalled,
    StartFailed,
    /// The server died during the question, and died again when it was asked once more.
    Crashed,
    GaveUp,
    Timeout,
    Unsupported,
    TooLarge,
    Failed,
}

/// Why a question has no answer, and what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[error("{message}")]
pub struct Failure {
    pub cause: Cause,
    pub message: String,
    pub suggestion: Option<String>,
    pub retry_after: Option<u32>,
}

impl Failure {
    /// Makes a failure that will not go away by itself.
    pub fn new(cause: Cause, message: impl Into<String>) -> Self {
        Self { cause, message: message.into(), suggestion: None, retry_after: None }
    }

    /// Adds a suggestion.
    #[must_use]
    pub fn suggest(mut self, suggestion: impl Into<String>) -> Self {
        self.suggestion = Some(suggestion.into());
        self
    }

    /// Sets how long to wait before asking again.
    #[must_use]
    pub fn retry(mut self, milliseconds: u32) -> Self {
        self.retry_after = Some(milliseconds);
        self
    }
}
