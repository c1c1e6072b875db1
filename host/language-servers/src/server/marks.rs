//! Adds symbols that an outline leaves out although the server knows them. Semantic tokens give the kind of every
//! word of a text, so a word that is marked as a declaration is a name. The text shows where such names are possible,
//! and the host requests tokens only for those places.

mod c;
mod literals;
mod rust;
mod script;

use std::collections::HashSet;
use std::ops::Range as Span;

use serde_json::{Value as Json, json};
use tokio::time::Instant;

use super::parse::MOST;
use super::{Halt, Server};
use crate::code::{Code, Shape};
use crate::profile::Dialect;
use crate::text::{Text, converted};
use crate::types::{Cause, Location, Position, Range, State, Symbol};

const FULL: &str = "textDocument/semanticTokens/full";
const RANGE: &str = "textDocument/semanticTokens/range";

/// The most parts of a text that are requested separately. If there are more, the whole text is requested.
const PARTS: usize = 24;

/// A file and what is known about it.
pub(super) struct Page<'a> {
    pub(super) path: &'a str,
    pub(super) text: &'a Text,
    /// Whole lines that the server leaves out.
    pub(super) hidden: &'a [Range],
}

/// What remained unknown.
#[derive(Debug, Default)]
pub(super) struct Unknown {
    /// Names that are declared in macros and that the server does not know.
    pub(super) names: Vec<Range>,
    /// Whether the server was not asked because it is still loading the project.
    pub(super) loading: bool,
    /// Whether it was asked and did not answer.
    pub(super) silent: bool,
}

/// The places in a text where names may be missing.
#[derive(Default)]
struct Open {
    /// Byte ranges for which tokens are requested.
    parts: Vec<Span<usize>>,
    /// Indices of tokens that a macro declares, if it does what it seems to do.
    names: Vec<usize>,
    /// Headers of blocks that the outline leaves out together with their contents.
    blocks: Vec<Symbol>,
}

/// A word that the server marks as a declaration.
struct Mark {
    name: Range,
    /// Its token type.
    word: String,
    defined: bool,
    special: bool,
}

impl Server {
    /// Requests tokens while the outline is made, if that seems necessary. A C server soon discards a parsed text,
    /// and would have to parse it again.
    pub(super) async fn marks_ahead(
        &self,
        path: &str,
        text: &Text,
        deadline: Instant,
    ) -> Option<Result<Json, Halt>> {
        let is_needed = self.profile.marks == Some(Dialect::C)
            && self.legend().is_some()
            && c::seems_open(&Code::read(text.as_str(), Dialect::C, &[]));
        if is_needed { Some(self.ask(FULL, &self.document(path), deadline).await) } else { None }
    }

    /// Adds the missing symbols to an outline. Returns what remains unknown. Cached tokens are not requested again.
    pub(super) async fn add_marked(
        &self,
        page: &Page<'_>,
        symbols: &mut Vec<Symbol>,
        ahead: Option<Result<Json, Halt>>,
        deadline: Instant,
    ) -> Result<Unknown, Halt> {
        let Some(dialect) = self.profile.marks else { return Ok(Unknown::default()) };
        let hidden: Vec<Span<usize>> = page.hidden.iter().map(|lines| span(page.text, *lines)).collect();
        let code = Code::read(page.text.as_str(), dialect, &hidden);
        let open = match dialect {
            Dialect::C => c::open(&code, page.text, symbols),
            Dialect::Rust => rust::open(&code, page, symbols),
            Dialect::Script => {
                symbols.extend(script::again(&code, page, symbols));
                script::settle(symbols);
                script::name_functions(&code, page.text, symbols);
                script::name_aliases(&code, page.text, symbols);
                symbols.extend(literals::members(&code, page, symbols));
                symbols.truncate(MOST);
                return Ok(Unknown::default());
            }
        };
        let mut unknown = Unknown::default();
        if !open.parts.is_empty() {
            unknown.loading = dialect == Dialect::Rust && self.state() == State::Loading;
            let marks = if unknown.loading {
                Some(Vec::new())
            } else {
                self.marks(page, &open.parts, ahead, deadline).await?
            };
            unknown.silent = marks.is_none();
            add(symbols, page, &code, dialect, marks.unwrap_or_default(), &open);
        }
        unknown.names = unmarked(&code, page.text, symbols, &open.names);
        Ok(unknown)
    }

    /// Returns the words in parts of a text that the server marks as declarations; `None` if it does not answer.
    async fn marks(
        &self,
        page: &Page<'_>,
        parts: &[Span<usize>],
        ahead: Option<Result<Json, Halt>>,
        deadline: Instant,
    ) -> Result<Option<Vec<Mark>>, Halt> {
        let Some(provider) = self.legend() else { return Ok(Some(Vec::new())) };
        let by_range =
            provider.get("range").is_some_and(|range| *range != Json::Bool(false) && !range.is_null());
        let mut asked = Vec::new();
        if by_range && parts.len() <= PARTS {
            for part in parts {
                let place = |byte| page.text.to_server(page.text.position(byte), self.encoding);
                let mut params = self.document(page.path);
                params["range"] = json!({"start": place(part.start), "end": place(part.end)});
                asked.push((RANGE, params));
            }
        } else {
            asked.push((FULL, self.document(page.path)));
        }
        let legend = Legend::read(provider);
        let (mut marks, mut ahead) = (Vec::new(), ahead);
        for (method, params) in asked {
            let answer = match ahead.take() {
                Some(answer) if method == FULL => answer,
                _ => self.ask(method, &params, deadline).await,
            };
            match answer {
                Ok(answer) => marks.extend(self.read_marks(&answer, page.text, &legend)),
                Err(Halt::Failure(failure)) if failure.cause == Cause::Unsupported => return Ok(Some(marks)),
                Err(Halt::Failure(_)) => return Ok(None),
                Err(ended) => return Err(ended),
            }
        }
        marks.retain(|mark| {
            let at = page.text.offset(mark.name.start);
            parts.iter().any(|part| part.contains(&at))
        });
        Ok(Some(marks))
    }

    fn legend(&self) -> Option<&Json> {
        self.capabilities.get("semanticTokensProvider").filter(|given| given.is_object())
    }

    /// Decodes semantic tokens: five numbers each, for the lines and columns since the last token, the length, the
    /// type, and the modifiers.
    fn read_marks(&self, answer: &Json, text: &Text, legend: &Legend) -> Vec<Mark> {
        let numbers = answer.get("data").and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
        let number =
            |json: &Json| json.as_u64().and_then(|number| u32::try_from(number).ok()).unwrap_or_default();
        let mut at = Position::default();
        let mut marks = Vec::new();
        for word in numbers.chunks_exact(5).take(MOST * 10) {
            let (lines, columns) = (number(&word[0]), number(&word[1]));
            let column = if lines == 0 { at.column.saturating_add(columns) } else { columns };
            at = Position { line: at.line.saturating_add(lines), column };
            let besides = number(&word[4]);
            if besides & legend.declared == 0 {
                continue;
            }
            let end = Position { line: at.line, column: at.column.saturating_add(number(&word[2])) };
            marks.push(Mark {
                name: converted(Range { start: at, end }, text, self.encoding),
                word: legend.words.get(number(&word[3]) as usize).cloned().unwrap_or_default(),
                defined: besides & legend.defined != 0,
                special: besides & legend.special != 0,
            });
        }
        marks
    }
}

/// The server's legend, which gives the numbers their meaning.
struct Legend {
    words: Vec<String>,
    /// Bits of the modifiers for a declaration, a definition and a constructor.
    declared: u32,
    defined: u32,
    special: u32,
}

impl Legend {
    fn read(provider: &Json) -> Self {
        let list =
            |key: &str| provider.get("legend").and_then(|legend| legend.get(key)).and_then(Json::as_array);
        let text = |json: &Json| json.as_str().unwrap_or_default().to_owned();
        let besides: Vec<String> = list("tokenModifiers").into_iter().flatten().map(text).collect();
        let bit = |name: &str| {
            let at = besides.iter().position(|one| one == name).and_then(|at| u32::try_from(at).ok());
            at.and_then(|at| 1_u32.checked_shl(at)).unwrap_or_default()
        };
        let words = list("tokenTypes").into_iter().flatten().map(text).collect();
        let (declared, defined) = (bit("declaration"), bit("definition"));
        Self { words, declared: declared | defined, defined, special: bit("constructorOrDestructor") }
    }
}

/// Adds the marked symbols that are missing, each as a child of the innermost symbol around it.
fn add(
    symbols: &mut Vec<Symbol>,
    page: &Page<'_>,
    code: &Code<'_>,
    dialect: Dialect,
    mut marks: Vec<Mark>,
    open: &Open,
) {
    let known: HashSet<Position> = symbols.iter().map(|symbol| symbol.name_range.start).collect();
    marks.sort_by_key(|mark| mark.name.start);
    marks.dedup_by_key(|mark| mark.name.start);
    marks.retain(|mark| !known.contains(&mark.name.start));
    let named = |mark: &Mark| match dialect {
        Dialect::Rust => rust::symbol(code, page, mark),
        Dialect::C | Dialect::Script => c::symbol(code, page, mark),
    };
    let mut added: Vec<Symbol> = marks.iter().filter_map(named).collect();
    let holds = |block: &&Symbol| added.iter().any(|one| covers(block.location.range, one.name_range.start));
    let blocks: Vec<Symbol> = open.blocks.iter().filter(holds).cloned().collect();
    added.extend(blocks);
    added.sort_by_key(|symbol| (symbol.location.range.start, std::cmp::Reverse(symbol.location.range.end)));
    for mut symbol in added {
        if symbols.len() >= MOST {
            return;
        }
        symbol.parent = innermost(symbols, symbol.name_range.start).and_then(|at| u32::try_from(at).ok());
        symbols.push(symbol);
    }
}

/// The innermost symbol around a place.
fn innermost(symbols: &[Symbol], at: Position) -> Option<usize> {
    let around = symbols.iter().enumerate().filter(|(_, symbol)| covers(symbol.location.range, at));
    let size = |symbol: &Symbol| (symbol.location.range.start, std::cmp::Reverse(symbol.location.range.end));
    around.max_by_key(|(own, symbol)| (size(symbol), *own)).map(|(own, _)| own)
}

fn covers(range: Range, at: Position) -> bool {
    range.start <= at && at < range.end
}

/// Returns the places of names that are still not symbols.
fn unmarked(code: &Code<'_>, text: &Text, symbols: &[Symbol], names: &[usize]) -> Vec<Range> {
    if names.is_empty() {
        return Vec::new();
    }
    let known: HashSet<Position> = symbols.iter().map(|symbol| symbol.name_range.start).collect();
    let places = names.iter().map(|&name| range(text, code.place(name)));
    places.filter(|place| !known.contains(&place.start)).collect()
}

fn symbol(page: &Page<'_>, name: &str, kind: u8, name_range: Range, whole: Span<usize>) -> Symbol {
    Symbol {
        name: name.to_owned(),
        kind,
        detail: None,
        location: Location { path: page.path.to_owned(), range: range(page.text, whole) },
        name_range,
        container: None,
        parent: None,
        deprecated: false,
    }
}

fn range(text: &Text, span: Span<usize>) -> Range {
    Range { start: text.position(span.start), end: text.position(span.end) }
}

fn span(text: &Text, range: Range) -> Span<usize> {
    text.offset(range.start)..text.offset(range.end)
}

/// Returns what ends a declaration of this kind.
fn shape(kind: u8) -> Shape {
    match kind {
        ENUM_MEMBER | FIELD => Shape::Part,
        CONSTANT | TYPE_ALIAS => Shape::Value,
        _ => Shape::Block,
    }
}

// Symbol kinds of LSP.
const MODULE: u8 = 2;
const NAMESPACE: u8 = 3;
const CLASS: u8 = 5;
const METHOD: u8 = 6;
const PROPERTY: u8 = 7;
const FIELD: u8 = 8;
const CONSTRUCTOR: u8 = 9;
const ENUM: u8 = 10;
const INTERFACE: u8 = 11;
const FUNCTION: u8 = 12;
const VARIABLE: u8 = 13;
const CONSTANT: u8 = 14;
const OBJECT: u8 = 19;
const ENUM_MEMBER: u8 = 22;
const STRUCT: u8 = 23;
const OPERATOR: u8 = 25;
const TYPE_ALIAS: u8 = 26;

/// Whether a symbol of this kind can contain code.
fn has_code(kind: u8) -> bool {
    matches!(kind, METHOD | FIELD | CONSTRUCTOR | FUNCTION | VARIABLE | CONSTANT | OPERATOR)
}

#[cfg(test)]
mod tests;
