//! The arguments of `code_query`, read strictly: a misspelt field is an error that names the right one, and never a
//! different query.

mod fields;

#[cfg(test)]
mod tests;

use iac_plugin::Json;
use iac_plugin::serde_json::Map;

use crate::kinds::Kinds;
use crate::near;
use crate::pattern::{PathPattern, Pattern};
use crate::trouble::Trouble;
use fields::Fields;

/// The maximum number of queries of one call.
const MOST: usize = 50;

/// The maximum number of milliseconds of a call. After 60 seconds the engine ends a call, and all results are lost.
pub(crate) const LONGEST: u32 = 55_000;

/// The request.
#[derive(Debug)]
pub(crate) struct Request {
    /// Each query, or the reason why it is not valid.
    pub(crate) queries: Vec<Result<Query, Trouble>>,
    /// The form of the answers.
    pub(crate) form: Form,
}

/// The form of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// `{"result":…}` or `{"error":…}`, with the results grouped by file.
    Plain,
    /// The same, with one object for each result.
    Rows,
    /// `{"success":true,"data":…}` or `{"success":false,"error":…}`
    Envelope,
}

#[derive(Debug)]
pub(crate) struct Query {
    pub(crate) ask: Ask,
    /// The options of every query.
    pub(crate) common: Common,
}

#[derive(Debug)]
pub(crate) enum Ask {
    FindSymbols { pattern: Pattern, path: Option<String>, kinds: Kinds, locals: bool },
    Outline { path: String, pattern: Option<Pattern>, kinds: Kinds, depth: Option<usize>, locals: bool },
    Diagnostics { path: Option<String>, severities: Vec<u8>, source: Option<String> },
    References { target: Target, declaration: bool },
    Definition { target: Target },
    Implementations { target: Target },
    TypeInfo { target: Target },
    Completions { path: String, spot: Spot },
    Callers { target: Target },
    Callees { target: Target },
    Rename { target: Target, name: String },
    Actions { place: Selection, only: Option<String>, title: Option<String> },
    Status,
    Restart { language: Option<String> },
}

/// The subject of a question.
#[derive(Debug)]
pub(crate) enum Target {
    Name {
        pattern: Pattern,
        path: Option<String>,
        kinds: Kinds,
    },
    /// `line` and `character` count from 1. A name beside them chooses among the symbols there.
    Place {
        path: String,
        line: u32,
        character: Option<u32>,
        named: Option<Pattern>,
    },
}

/// The code to change: a symbol, a place, a line, or the range between two places. Lines and characters count from 1.
#[derive(Debug)]
pub(crate) enum Selection {
    Thing(Target),
    Lines { path: String, from: (u32, Option<u32>), to: (u32, Option<u32>) },
}

/// The place to complete; lines and characters count from 1.
#[derive(Debug)]
pub(crate) enum Spot {
    Place { line: u32, character: u32 },
    Text { prefix: String, context: Option<String>, line: Option<u32> },
}

/// The options of every query.
#[derive(Clone, Debug)]
pub(crate) struct Common {
    pub(crate) limit: usize,
    pub(crate) offset: usize,
    /// Results in these paths are dropped. A search skips the files; other queries drop results at the end.
    pub(crate) exclude: Vec<PathPattern>,
    pub(crate) count_only: bool,
    /// Milliseconds from the beginning of the call.
    pub(crate) timeout: u32,
    /// Milliseconds from the beginning of the call.
    pub(crate) wait: u32,
    pub(crate) allow_partial: bool,
    /// Whether to show the code of the results.
    pub(crate) body: bool,
    /// The number of lines to show around it.
    pub(crate) context: usize,
}

/// The types of queries, with the fields of each.
const TYPES: [(&str, &[&str]); 14] = [
    ("findSymbols", &["query", "path", "kind", "includeLocals", "body", "contextLines", "exclude"]),
    ("outline", &["path", "symbol", "kind", "depth", "includeLocals"]),
    ("diagnostics", &["path", "severity", "source", "exclude"]),
    (
        "references",
        &["path", "line", "character", "symbol", "kind", "includeDeclaration", "contextLines", "exclude"],
    ),
    ("definition", &["symbol", "path", "line", "character", "kind", "body", "contextLines", "exclude"]),
    ("implementations", &["symbol", "path", "line", "character", "kind", "body", "contextLines", "exclude"]),
    ("typeInfo", &["symbol", "path", "line", "character", "kind"]),
    ("completions", &["path", "line", "character", "prefix", "context"]),
    ("callers", &["symbol", "path", "line", "character", "kind", "body", "contextLines", "exclude"]),
    ("callees", &["symbol", "path", "line", "character", "kind", "body", "contextLines", "exclude"]),
    ("rename", &["symbol", "newName", "path", "line", "character", "kind"]),
    ("actions", &["symbol", "path", "line", "character", "endLine", "endCharacter", "kind", "only", "title"]),
    ("status", &[]),
    ("restart", &["language"]),
];

/// Other names that people and tools use for a type of query, each with the name here.
const WORDS: [(&str, &str); 11] = [
    ("hover", "typeInfo"),
    ("symbols", "findSymbols"),
    ("workspaceSymbol", "findSymbols"),
    ("documentSymbol", "outline"),
    ("usages", "references"),
    ("incomingCalls", "callers"),
    ("outgoingCalls", "callees"),
    ("goToDefinition", "definition"),
    ("codeAction", "actions"),
    ("codeActions", "actions"),
    ("quickFix", "actions"),
];

/// Fields of every type.
const COMMON: [&str; 7] = ["type", "limit", "offset", "countOnly", "timeoutMs", "waitMs", "allowPartial"];

impl Request {
    /// Reads the arguments of a call: a query itself, `{"queries":[…]}`, or `{"args":{…}}` and `{"args":[…]}`.
    ///
    /// # Errors
    /// The arguments contain no query. A wrong query is a separate error.
    pub(crate) fn parse(arguments: &Map<String, Json>) -> Result<Self, Trouble> {
        let mut arguments = arguments.clone();
        let form = form(arguments.remove("format"))?;
        let queries = match batch(&mut arguments)? {
            Some(queries) => queries,
            None => vec![Json::Object(arguments)],
        };
        match queries.len() {
            0 => Err(Trouble::query("no query; give at least one")),
            1..=MOST => Ok(Self { queries: queries.iter().map(Query::parse).collect(), form }),
            many => Err(Trouble::query(format!("{many} queries; a call takes at most {MOST}"))),
        }
    }
}

impl Query {
    fn parse(query: &Json) -> Result<Self, Trouble> {
        let Json::Object(map) = query else {
            return Err(Trouble::query(format!("a query is an object, not {}", fields::kind(query))));
        };
        let (name, own) = type_of(map)?;
        let fields = Fields::new(name, map);
        fields.only(own.iter().chain(&COMMON))?;
        let common = Common::parse(&fields)?;
        Ok(Self { ask: Ask::parse(name, &fields)?, common })
    }

    /// Returns the name of its type.
    pub(crate) fn name(&self) -> &'static str {
        match &self.ask {
            Ask::FindSymbols { .. } => "findSymbols",
            Ask::Outline { .. } => "outline",
            Ask::Diagnostics { .. } => "diagnostics",
            Ask::References { .. } => "references",
            Ask::Definition { .. } => "definition",
            Ask::Implementations { .. } => "implementations",
            Ask::TypeInfo { .. } => "typeInfo",
            Ask::Completions { .. } => "completions",
            Ask::Callers { .. } => "callers",
            Ask::Callees { .. } => "callees",
            Ask::Rename { .. } => "rename",
            Ask::Actions { .. } => "actions",
            Ask::Status => "status",
            Ask::Restart { .. } => "restart",
        }
    }
}

impl Ask {
    fn parse(name: &str, fields: &Fields<'_>) -> Result<Self, Trouble> {
        Ok(match name {
            "findSymbols" => Self::FindSymbols {
                pattern: fields.pattern("query")?.ok_or_else(|| fields.needs("query"))?,
                path: fields.text("path")?,
                kinds: fields.kinds()?,
                locals: fields.flag("includeLocals")?.unwrap_or(false),
            },
            "outline" => Self::Outline {
                path: fields.required("path")?,
                pattern: fields.pattern("symbol")?,
                kinds: fields.kinds()?,
                depth: fields.number("depth", 1, 1_000)?.map(|depth| depth as usize),
                locals: fields.flag("includeLocals")?.unwrap_or(false),
            },
            "diagnostics" => Self::Diagnostics {
                path: fields.text("path")?,
                severities: fields.severities()?,
                source: fields.text("source")?,
            },
            "references" => Self::References {
                target: Target::parse(fields)?,
                declaration: fields.flag("includeDeclaration")?.unwrap_or(false),
            },
            "completions" => Self::Completions { path: fields.required("path")?, spot: Spot::parse(fields)? },
            "rename" => Self::Rename { target: Target::parse(fields)?, name: fields.required("newName")? },
            "actions" => Self::Actions {
                place: Selection::parse(fields)?,
                only: fields.text("only")?,
                title: fields.text("title")?,
            },
            "status" => Self::Status,
            "restart" => Self::Restart { language: fields.text("language")? },
            about => {
                let target = Target::parse(fields)?;
                match about {
                    "definition" => Self::Definition { target },
                    "implementations" => Self::Implementations { target },
                    "typeInfo" => Self::TypeInfo { target },
                    "callers" => Self::Callers { target },
                    _ => Self::Callees { target },
                }
            }
        })
    }
}

impl Ask {
    /// Returns the path that it names.
    pub(crate) fn path(&self) -> Option<&str> {
        match self {
            Self::FindSymbols { path, .. } | Self::Diagnostics { path, .. } => path.as_deref(),
            Self::Outline { path, .. } | Self::Completions { path, .. } => Some(path),
            Self::References { target, .. }
            | Self::Definition { target }
            | Self::Implementations { target }
            | Self::TypeInfo { target }
            | Self::Callers { target }
            | Self::Callees { target }
            | Self::Rename { target, .. }
            | Self::Actions { place: Selection::Thing(target), .. } => target.path(),
            Self::Actions { place: Selection::Lines { path, .. }, .. } => Some(path),
            Self::Status | Self::Restart { .. } => None,
        }
    }
}

impl Target {
    fn path(&self) -> Option<&str> {
        match self {
            Self::Name { path, .. } => path.as_deref(),
            Self::Place { path, .. } => Some(path),
        }
    }

    fn parse(fields: &Fields<'_>) -> Result<Self, Trouble> {
        let line = fields.number("line", 1, u32::MAX)?;
        let character = fields.number("character", 1, u32::MAX)?;
        let pattern = fields.pattern("symbol")?;
        match (pattern, line) {
            (Some(_), None) if character.is_some() => {
                Err(fields.trouble("takes \"character\" only with \"line\""))
            }
            (Some(pattern), None) => {
                Ok(Self::Name { pattern, path: fields.text("path")?, kinds: fields.kinds()? })
            }
            (named, Some(line)) => Ok(Self::Place { path: fields.required("path")?, line, character, named }),
            (None, None) if fields.has("path") => {
                Err(fields.trouble("needs \"line\" beside \"path\", or \"symbol\""))
            }
            (None, None) => Err(fields.trouble("needs \"symbol\", or \"path\" and \"line\"")),
        }
    }
}

impl Selection {
    /// With a name, the query means the symbol with that name. Otherwise a line means the whole line, and a line with
    /// a character means the place before that character.
    fn parse(fields: &Fields<'_>) -> Result<Self, Trouble> {
        let end_line = fields.number("endLine", 1, u32::MAX)?;
        let end = fields.number("endCharacter", 1, u32::MAX)?;
        match Target::parse(fields)? {
            Target::Place { path, line, character, named: None } => {
                let to = match (end_line, end) {
                    (None, None) => (line, character),
                    (to, end) => (to.unwrap_or(line), end),
                };
                if (to.0, to.1.unwrap_or(u32::MAX)) < (line, character.unwrap_or(1)) {
                    return Err(fields.trouble(
                        "needs an end (\"endLine\", \"endCharacter\") that is not before its beginning",
                    ));
                }
                Ok(Self::Lines { path, from: (line, character), to })
            }
            _ if end_line.is_some() || end.is_some() => {
                Err(fields.trouble("takes \"endLine\" and \"endCharacter\" only with \"path\" and \"line\""))
            }
            target => Ok(Self::Thing(target)),
        }
    }
}

impl Spot {
    fn parse(fields: &Fields<'_>) -> Result<Self, Trouble> {
        let line = fields.number("line", 1, u32::MAX)?;
        let character = fields.number("character", 1, u32::MAX)?;
        let prefix = fields.text("prefix")?;
        match (prefix, line, character) {
            (Some(_), _, Some(_)) => {
                Err(fields.trouble("takes either \"prefix\" or \"character\", not both"))
            }
            (Some(prefix), line, None) => Ok(Self::Text { prefix, context: fields.text("context")?, line }),
            (None, Some(line), Some(character)) => Ok(Self::Place { line, character }),
            (None, ..) => Err(fields.trouble("needs \"line\" and \"character\", or \"prefix\"")),
        }
    }
}

impl Common {
    fn parse(fields: &Fields<'_>) -> Result<Self, Trouble> {
        let limit = match fields.name {
            "outline" | "rename" => 1_000,
            "completions" => 50,
            _ => 100,
        };
        Ok(Self {
            limit: fields.number("limit", 1, 1_000)?.unwrap_or(limit) as usize,
            offset: fields.number("offset", 0, u32::MAX)?.unwrap_or(0) as usize,
            exclude: fields.path_patterns("exclude")?,
            count_only: fields.flag("countOnly")?.unwrap_or(false),
            timeout: fields.number("timeoutMs", 1, LONGEST)?.unwrap_or(25_000),
            wait: fields.number("waitMs", 0, LONGEST)?.unwrap_or(15_000),
            allow_partial: fields.flag("allowPartial")?.unwrap_or(true),
            body: fields.flag("body")?.unwrap_or(false),
            context: fields.number("contextLines", 0, 50)?.unwrap_or(0) as usize,
        })
    }
}

fn form(format: Option<Json>) -> Result<Form, Trouble> {
    match format {
        None | Some(Json::Null) => Ok(Form::Plain),
        Some(Json::String(word)) if word == "plain" => Ok(Form::Plain),
        Some(Json::String(word)) if word == "rows" => Ok(Form::Rows),
        Some(Json::String(word)) if word == "envelope" => Ok(Form::Envelope),
        Some(other) => {
            Err(Trouble::field(format!("unknown format {other}; use \"plain\", \"rows\" or \"envelope\"")))
        }
    }
}

/// Takes the list of queries out of the arguments, if there is one.
fn batch(arguments: &mut Map<String, Json>) -> Result<Option<Vec<Json>>, Trouble> {
    let (name, value) = match (arguments.remove("queries"), arguments.remove("args")) {
        (Some(_), Some(_)) => return Err(Trouble::field("takes either \"queries\" or \"args\", not both")),
        (Some(value), None) => ("queries", value),
        (None, Some(value)) => ("args", value),
        (None, None) => return Ok(None),
    };
    if let Some(other) = arguments.keys().next() {
        return Err(Trouble::field(format!("\"{other}\" beside \"{name}\"; put it into each query")));
    }
    match value {
        Json::Array(queries) => Ok(Some(queries)),
        Json::Object(_) => Ok(Some(vec![value])),
        other => {
            Err(Trouble::field(format!("\"{name}\" must be a list of queries, not {}", fields::kind(&other))))
        }
    }
}

fn type_of(map: &Map<String, Json>) -> Result<(&'static str, &'static [&'static str]), Trouble> {
    let names = TYPES.map(|(name, _)| name);
    let list = names[..8].join(", ");
    let name = match map.get("type") {
        Some(Json::String(name)) => name,
        Some(other) => {
            return Err(Trouble::query(format!(
                "\"type\" must be a text, not {}; use one of {list}",
                fields::kind(other)
            )));
        }
        None => return Err(Trouble::query(format!("a query needs \"type\"; use one of {list}"))),
    };
    if let Some(&found) = TYPES.iter().find(|(known, _)| known == name) {
        return Ok(found);
    }
    let trouble = Trouble::query(format!("unknown query type \"{name}\"; use one of {list}"));
    let meant = WORDS.iter().find(|(word, _)| word.eq_ignore_ascii_case(name)).map(|(_, meant)| *meant);
    Err(match meant.or_else(|| near::nearest(name, names)) {
        Some(near) => trouble.hint(format!("did you mean \"{near}\"?")),
        None => trouble.hint("also callers, callees, rename, actions, status, restart"),
    })
}
