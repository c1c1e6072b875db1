//! Questions, answers, and how far an answer can be relied upon.
//!
//! All of them can be written as JSON and read again, so that a caller can record a question and its answer.

use serde::{Deserialize, Serialize};

/// How a server is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum State {
    /// Its program is not installed.
    Absent,
    /// It is not running; the next question starts it.
    Idle,
    /// It was started and has not answered yet.
    Starting,
    /// It answers, but still reads the project.
    Loading,
    /// It knows the whole project.
    Ready,
    /// It answers, and something is wrong with the project.
    Degraded,
    /// It failed too often.
    Dead,
}

/// What a server answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Abilities {
    /// Outlines.
    pub document_symbols: bool,
    /// Names in the whole project.
    pub workspace_symbols: bool,
    /// Uses.
    pub references: bool,
    /// Definitions.
    pub definition: bool,
    /// Definitions of types.
    pub type_definition: bool,
    /// Implementations.
    pub implementations: bool,
    /// Callers and callees.
    pub calls: bool,
    /// Subtypes and supertypes.
    pub types: bool,
    /// Signatures and documentation.
    pub hover: bool,
    /// Completions.
    pub completions: bool,
    /// Diagnostics of a file on request.
    pub pull_diagnostics: bool,
    /// Diagnostics of the root on request.
    pub workspace_diagnostics: bool,
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
        }
    }
}

/// How names of symbols are to be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Naming {
    /// A name is a name.
    #[default]
    #[serde(alias = "plain")]
    Plain,
    /// Methods are children of `impl Trait for Type`.
    #[serde(alias = "rust")]
    Rust,
    /// `space::Class::method`.
    #[serde(alias = "scoped")]
    Scoped,
    /// `(*Type).method`.
    #[serde(alias = "receiver")]
    Receiver,
}

/// What the search for names can be relied upon for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Search {
    /// Whether small letters find every name that holds them in a row.
    pub substring: bool,
    /// An answer of this many symbols is cut.
    pub cap: Option<u32>,
}

/// One language server of the root, running or not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Status {
    /// The profile's name.
    pub profile: String,
    /// Languages.
    pub languages: Vec<String>,
    /// File name extensions without the dot.
    pub extensions: Vec<String>,
    /// How it is.
    pub state: State,
    /// What a person should know.
    pub message: Option<String>,
    /// What it works at.
    pub progress: Option<String>,
    /// Name and version, as it says itself.
    pub version: Option<String>,
    /// What it answers.
    pub abilities: Abilities,
    /// How its names are to be read.
    pub naming: Naming,
    /// What its search finds.
    pub search: Search,
    /// How often it was started again after it ended by itself.
    pub restarts: u32,
    /// Bytes of memory, where known.
    pub memory: Option<u64>,
}

/// Why an answer may be incomplete or out of date.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Doubt {
    /// The server still reads the project.
    Loading,
    /// The server never says when it knows the project.
    ReadinessUnknown,
    /// The server could not read the project, or a part of it.
    Degraded,
    /// The answer is as long as the server's longest.
    Capped,
    /// The project's own settings keep some of its files from the server.
    Scope,
    /// The server looks at open files only.
    OpenOnly,
    /// The server ended during the question and was started again.
    Restarted,
    /// The server had not looked at the newest text when time was up.
    Stale,
    /// The file has errors in its syntax: what stands behind them may be missing.
    Syntax,
}

/// How far an answer can be relied upon.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Freshness {
    /// Why not, in order, each once.
    pub doubts: Vec<Doubt>,
    /// Milliseconds since the server last had work of its own.
    pub settled: u64,
    /// Counts the changes of files that the server was told of.
    pub generation: u64,
}

impl Freshness {
    /// Adds a doubt in its place, once.
    pub(crate) fn doubt(&mut self, doubt: Doubt) {
        if let Err(at) = self.doubts.binary_search(&doubt) {
            self.doubts.insert(at, doubt);
        }
    }
}

/// A place in a text: a line and Unicode scalar values, from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Position {
    /// Line.
    pub line: u32,
    /// Unicode scalar values from the beginning of the line.
    pub column: u32,
}

/// From one place up to, not including, another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Range {
    /// The first place.
    pub start: Position,
    /// The place after the last one.
    pub end: Position,
}

/// A range in a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Location {
    /// Relative to the root, or absolute where it lies outside.
    pub path: String,
    /// Where.
    pub range: Range,
}

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// Relative to the root.
    pub path: String,
    /// Where.
    pub at: Position,
}

/// A relation from a place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Follow {
    /// What is asked.
    pub relation: Relation,
    /// From where.
    pub at: Place,
}

/// Something that has a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Symbol {
    /// The name, as the server gives it.
    pub name: String,
    /// The kind's number.
    pub kind: u8,
    /// More, such as a signature.
    pub detail: Option<String>,
    /// The whole of it.
    pub location: Location,
    /// Its name in the text.
    pub name_range: Range,
    /// The name of what holds it.
    pub container: Option<String>,
    /// Position of its parent in the same list.
    pub parent: Option<u32>,
    /// Whether it is marked as deprecated.
    pub deprecated: bool,
}

/// Which symbols of an outline are wanted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// Relative to the root.
    pub path: String,
    /// Those around these places, and those whose names stand there.
    pub around: Vec<Position>,
    /// Those whose name holds one of these letters in a row, in any case of ASCII.
    pub named: Vec<String>,
}

/// Symbols and how far they can be relied upon.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Symbols {
    /// Parents before their children.
    pub items: Vec<Symbol>,
    /// Whether the server gave no tree.
    pub flat: bool,
    /// Whole lines of the file that the server leaves out, since a condition of the build is not met. What begins and
    /// ends on one line is a name that is declared in a macro and means nothing to the server.
    #[serde(default)]
    pub hidden: Vec<Range>,
    /// How far they can be relied upon.
    pub freshness: Freshness,
}

/// Items and how far they can be relied upon.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answered<T> {
    /// In the server's order.
    pub items: Vec<T>,
    /// How far they can be relied upon.
    pub freshness: Freshness,
}

/// Where something is, and how far that can be relied upon.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Locations {
    /// In the server's order.
    pub items: Vec<Location>,
    /// How many of the last items the server's own search had left out.
    pub added: u32,
    /// Of uses: places where the name stands in code and means nothing to the server.
    pub unsure: Vec<Location>,
    /// Of uses: how many places of the name were not asked about.
    pub unasked: u32,
    /// Of uses: whether each place of the name was asked about and means something to the server.
    #[serde(default)]
    pub settled: bool,
    /// How far they can be relied upon.
    pub freshness: Freshness,
}

/// What a place refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Relation {
    /// Where it is used, without its declaration.
    References,
    /// Where it is used, and its declaration.
    ReferencesAndDeclaration,
    /// Where it is defined.
    Definition,
    /// Where its type is defined.
    TypeDefinition,
    /// What implements it.
    Implementations,
}

/// One step in a hierarchy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Step {
    /// What calls it.
    Callers,
    /// What it calls.
    Callees,
    /// What derives from it.
    Subtypes,
    /// What it derives from.
    Supertypes,
}

/// What is one step away.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Neighbour {
    /// What it is.
    pub symbol: Symbol,
    /// Where it calls, or is called.
    pub sites: Vec<Location>,
}

/// What a server shows of a place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Shown {
    /// Markdown, or none where there is nothing to show.
    pub markdown: Option<String>,
    /// How far it can be relied upon.
    pub freshness: Freshness,
}

/// What a compiler or linter says about a place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Diagnostic {
    /// Where.
    pub location: Location,
    /// 1 error, 2 warning, 3 information, 4 hint.
    pub severity: u8,
    /// The code, as text.
    pub code: Option<String>,
    /// Who says it.
    pub source: Option<String>,
    /// What it says.
    pub message: String,
}

/// Something that could stand at a place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Completion {
    /// What a list would show.
    pub label: String,
    /// The kind's number, 0 where it is not told.
    pub kind: u8,
    /// More, such as a signature.
    pub detail: Option<String>,
    /// What would be inserted.
    pub insert: String,
}

/// Completions and how far they can be relied upon.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Completions {
    /// In the server's order of preference.
    pub items: Vec<Completion>,
    /// How many there were before the limit.
    pub total: u32,
    /// How far they can be relied upon.
    pub freshness: Freshness,
}

/// A change of a text that would be made. It is data: nothing applies it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edit {
    /// What would be replaced.
    pub at: Location,
    /// What would stand there.
    pub text: String,
}

/// Something that the server offers to change. It is data: nothing applies it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Action {
    /// What it would do, in the server's words.
    pub title: String,
    /// Its kind in the protocol, such as `quickfix` or `refactor.extract`.
    pub kind: Option<String>,
    /// Whether the server prefers it to others.
    pub preferred: bool,
    /// What would change; none where only a command of the server would change it, or files would be made.
    pub edits: Option<Vec<Edit>>,
    /// Whether the server would run a command as well.
    pub command: bool,
}

/// Which files are wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileFilter {
    /// A folder, or one file; empty is the root.
    pub under: String,
    /// Languages; all that have a server where empty.
    pub languages: Vec<String>,
    /// Only files whose text holds these letters in a row, in any case.
    pub containing: Option<String>,
    /// Also files that Git ignores.
    pub ignored: bool,
    /// How many at most.
    pub limit: u32,
}

/// A file that has a language server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceFile {
    /// Relative to the root.
    pub path: String,
    /// Its language.
    pub language: String,
    /// Bytes.
    pub size: u64,
    /// Changes whenever the file does.
    pub stamp: u64,
}

/// Files, in order of their paths' bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Files {
    /// The files.
    pub items: Vec<SourceFile>,
    /// Whether there are more than the limit.
    pub truncated: bool,
}

/// One line of a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    /// Relative to the root.
    pub path: String,
    /// From 0.
    pub number: u32,
}

/// Why a question has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Cause {
    /// The path leaves the root, or the root was not granted.
    Outside,
    /// There is no such file, folder or root.
    NotFound,
    /// The question makes no sense.
    Invalid,
    /// No server knows the language.
    NoServer,
    /// The server's program is not installed.
    NotInstalled,
    /// The server ended or fell silent before it was ready to be asked.
    StartFailed,
    /// The server ended during the question, twice.
    Crashed,
    /// The server ended too often.
    GaveUp,
    /// The deadline passed.
    Timeout,
    /// The server does not answer this.
    Unsupported,
    /// The file or the answer is too large.
    TooLarge,
    /// The server refused, or said what makes no sense.
    Failed,
}

/// Why a question has no answer, and what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[error("{message}")]
pub struct Failure {
    /// The cause.
    pub cause: Cause,
    /// What happened.
    pub message: String,
    /// What to do next.
    pub suggestion: Option<String>,
    /// When the same question may have an answer, in milliseconds from now.
    pub retry_after: Option<u32>,
}

impl Failure {
    /// Makes a failure that is final.
    pub fn new(cause: Cause, message: impl Into<String>) -> Self {
        Self { cause, message: message.into(), suggestion: None, retry_after: None }
    }

    /// Says what to do next.
    #[must_use]
    pub fn suggest(mut self, suggestion: impl Into<String>) -> Self {
        self.suggestion = Some(suggestion.into());
        self
    }

    /// Says when to ask again.
    #[must_use]
    pub fn retry(mut self, milliseconds: u32) -> Self {
        self.retry_after = Some(milliseconds);
        self
    }
}
