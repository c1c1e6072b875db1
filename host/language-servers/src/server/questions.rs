//! The questions, each as an LSP request. The host sends only requests that read.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value as Json, json};
use tokio::time::{Instant, sleep};

use super::marks::{Page, Unknown};
use super::parse::{MOST, Reader, completions, markdown};
use super::words;
use super::{Halt, OUTLINES, Outline, Reach, Server, declared};
use crate::connection::lock;
use crate::macros;
use crate::profile::Supplement;
use crate::text::{Text, converted, raw_range};
use crate::types::{
    Answered, Cause, Completions, Doubt, Failure, Freshness, Locations, Neighbour, Part, Place, Position,
    Range, Relation, Shown, State, Step, Symbols,
};

/// How long to wait for the report of the lines that a server leaves out of a file.
const HIDDEN: Duration = Duration::from_secs(2);

/// clangd's code for an included file that is missing.
const NOT_FOUND: &str = "pp_file_not_found";

/// clangd's code for a file that it stops parsing.
const TOO_MANY: &str = "fatal_too_many_errors";

/// clangd's code for text before an unknown macro that it takes for a name. It drops the text after the macro.
const DROPS: &str = "invalid_token_after_toplevel_declarator";

const STEP: Duration = Duration::from_millis(20);

impl Server {
    /// Returns the outline of a file. Outlines of unchanged files are cached.
    pub(crate) async fn document_symbols(&self, path: &str, deadline: Instant) -> Result<Arc<Symbols>, Halt> {
        self.require(|abilities| abilities.document_symbols, "documentSymbol")?;
        if self.profile.reopens {
            // The cached outline may depend on included files.
            self.refresh().await;
        }
        let (text, stamp) = self.files.text(path)?;
        let generation = self.freshness(Reach::File, State::Ready).generation;
        if let Some((kept, at, symbols)) = lock(&self.outlines).get(path)
            && *kept == stamp
            && (*at == generation || !self.profile.reopens)
        {
            return Ok(Arc::clone(symbols));
        }
        // Sending a text after the deadline would only delay the next question.
        if Instant::now() >= deadline {
            return Err(self.too_slow("documentSymbol").into());
        }
        self.refresh().await;
        let told = lock(&self.told).get(path) == Some(&stamp);
        if !(self.profile.unopened && told && text.is_exact() && self.state() == State::Ready) {
            self.show(path).await?;
        }
        let before = self.state();
        let document = self.document(path);
        let (answer, ahead) = tokio::join!(
            self.ask("textDocument/documentSymbol", &document, deadline),
            self.marks_ahead(path, &text, deadline)
        );
        let answer = answer?;
        // rust-analyzer answers null until it has loaded the files, even for open ones.
        let is_early = answer.is_null() && before == State::Loading;
        let mut reader = Reader::new(self).knowing(path, Arc::clone(&text));
        let (mut items, flat) = reader.outline(&answer, path);
        if self.profile.supplement == Some(Supplement::Python) && !flat {
            declared::add(&mut items, path, &text, MOST);
        }
        let hidden = self.hidden(path, deadline).await;
        if self.profile.supplement == Some(Supplement::Macros) {
            items.extend(macros::defined(&text, path, hidden.as_deref().unwrap_or_default()));
        }
        let mut freshness = self.freshness(Reach::File, State::Ready);
        let mut left_out = hidden.clone().unwrap_or_default();
        let page = Page { path, text: &text, hidden: &left_out };
        let unknown = if flat {
            Unknown::default()
        } else {
            self.add_marked(&page, &mut items, ahead, deadline).await?
        };
        left_out.extend(unknown.names);
        if hidden.is_none() || unknown.silent {
            freshness.doubt(Doubt::Stale);
        }
        if unknown.loading || is_early {
            freshness.doubt(Doubt::Loading);
        }
        // jdtls gives empty outlines in a project that it could not import. A text without a block declares nothing
        // anyway.
        let has_blocks = || self.profile.words.is_none_or(|words| words::has_blocks(&text, words));
        let is_lost = items.is_empty() && self.state() == State::Degraded && has_blocks();
        if is_lost || self.has_said(path, NOT_FOUND, |_| true) {
            freshness.doubt(Doubt::Degraded);
        }
        // In TSX and JSX, plain text stands between tags, where an apostrophe does not open a string.
        let reads = self.profile.words.filter(|_| !path.ends_with("sx"));
        if self.is_cut(path, &text) || reads.is_some_and(|words| !words::is_balanced(&text, words)) {
            freshness.doubt(Doubt::Syntax);
        }
        let symbols = Arc::new(Symbols { items, flat, hidden: left_out, freshness });
        let is_whole = |doubt: &Doubt| !matches!(doubt, Doubt::Stale | Doubt::Loading);
        if symbols.freshness.doubts.iter().all(is_whole) {
            self.keep_outline(path, (stamp, generation, Arc::clone(&symbols)));
        }
        Ok(symbols)
    }

    /// Returns a part of an outline.
    pub(crate) async fn symbol_part(&self, part: &Part, deadline: Instant) -> Result<Symbols, Halt> {
        let symbols = self.document_symbols(&part.path, deadline).await?;
        let text = if symbols.hidden.is_empty() { None } else { self.files.text(&part.path).ok() };
        Ok(symbols.part(part, text.as_ref().map(|(text, _)| &**text)))
    }

    /// Whether the server reported this code for a file, with a diagnostic that `counts` accepts.
    fn has_said(&self, path: &str, code: &str, counts: impl Fn(&Json) -> bool) -> bool {
        let pushed = lock(&self.heard.pushed);
        let items = pushed.get(path).and_then(|pushed| pushed.items.as_array());
        let is = |item: &&Json| item.get("code").and_then(Json::as_str) == Some(code);
        items.into_iter().flatten().filter(is).any(counts)
    }

    /// Whether a compiler did not parse all of a file: it gave up, or dropped the beginning of a function body.
    fn is_cut(&self, path: &str, text: &Text) -> bool {
        let drops = |item: &Json| {
            let at = item.get("range").and_then(raw_range).map(|range| converted(range, text, self.encoding));
            let rest = at.and_then(|at| text.as_str().get(text.offset(at.start)..)).unwrap_or_default();
            rest.chars().find(|letter| matches!(letter, ';' | '=' | '{')) == Some('{')
        };
        self.has_said(path, TOO_MANY, |_| true) || self.has_said(path, DROPS, drops)
    }

    /// Returns the lines that a server leaves out of an open file; `None` if it should have reported them but has
    /// not. It reports them after it parses the text and before it outlines it.
    async fn hidden(&self, path: &str, deadline: Instant) -> Option<Vec<Range>> {
        if self.capabilities.get("inactiveRegionsProvider") != Some(&Json::Bool(true)) {
            return Some(Vec::new());
        }
        let deadline = deadline.min(Instant::now() + HIDDEN);
        loop {
            if let Some(lines) = lock(&self.heard.hidden).get(path) {
                return Some(lines.iter().map(|&(first, last)| whole_lines(first, last)).collect());
            }
            if Instant::now() + STEP >= deadline || self.ended().is_some() {
                return None;
            }
            sleep(STEP).await;
        }
    }

    fn keep_outline(&self, path: &str, outline: Outline) {
        let mut outlines = lock(&self.outlines);
        if outlines.len() >= OUTLINES {
            outlines.clear();
        }
        if !outline.0.is_recent() {
            outlines.insert(path.to_owned(), outline);
        }
    }

    /// Finds symbols below the root by a part of their name.
    pub(crate) async fn workspace_symbols(&self, text: &str, deadline: Instant) -> Result<Symbols, Halt> {
        self.require(|abilities| abilities.workspace_symbols, "symbol")?;
        self.refresh().await;
        let before = self.state();
        let answer = self.ask("workspace/symbol", &json!({"query": text}), deadline).await?;
        let found = answer.as_array().map(Vec::as_slice).unwrap_or_default();
        let mut reader = Reader::new(self);
        let items = found.iter().take(MOST).filter_map(|item| reader.information(item));
        let items = items.filter(|item| !item.location.path.starts_with('/')).collect();
        let mut freshness = self.freshness(Reach::Project, before);
        let cap = self.profile.search.cap.map_or(MOST, |cap| cap as usize);
        if found.len() >= cap {
            freshness.doubt(Doubt::Capped);
        }
        Ok(Symbols { items, flat: true, hidden: Vec::new(), freshness })
    }

    /// Finds the targets of a relation from a place.
    pub(crate) async fn related(
        self: &Arc<Self>,
        relation: Relation,
        place: &Place,
        deadline: Instant,
    ) -> Result<Locations, Halt> {
        let (method, reach) = match relation {
            Relation::References | Relation::ReferencesAndDeclaration => {
                ("textDocument/references", Reach::Project)
            }
            Relation::Definition => ("textDocument/definition", Reach::Known),
            Relation::TypeDefinition => ("textDocument/typeDefinition", Reach::Known),
            Relation::Implementations => ("textDocument/implementation", Reach::Project),
        };
        self.require(|abilities| abilities.follow(relation), method)?;
        self.refresh().await;
        let mut params = self.at(place).await?;
        let before = self.state();
        let imports = relation == Relation::References && self.profile.imports_are_declarations;
        if method == "textDocument/references" {
            let declared = imports || relation == Relation::ReferencesAndDeclaration;
            params["context"] = json!({"includeDeclaration": declared});
        }
        let defined = async {
            match imports {
                true => self.ask_project("textDocument/definition", &params, deadline).await,
                false => Ok(Json::Null),
            }
        };
        let (answer, defined) = tokio::join!(self.ask_project(method, &params, deadline), defined);
        let mut reader = Reader::new(self);
        let mut items = reader.locations(&answer?);
        let defined = reader.locations(&defined?);
        items.retain(|item| !defined.contains(item));
        let freshness = self.freshness(reach, before);
        let mut found = Locations { items, freshness, ..Locations::default() };
        if method == "textDocument/references" {
            self.look_again(place, &mut found, deadline).await?;
        }
        doubt_length(&mut found.freshness, found.items.len());
        Ok(found)
    }

    /// Follows one step of a hierarchy from a place.
    pub(crate) async fn hierarchy(
        &self,
        step: Step,
        place: &Place,
        deadline: Instant,
    ) -> Result<Answered<Neighbour>, Halt> {
        let (prepare, method, key) = match step {
            Step::Callers => ("textDocument/prepareCallHierarchy", "callHierarchy/incomingCalls", "from"),
            Step::Callees => ("textDocument/prepareCallHierarchy", "callHierarchy/outgoingCalls", "to"),
            Step::Subtypes => ("textDocument/prepareTypeHierarchy", "typeHierarchy/subtypes", ""),
            Step::Supertypes => ("textDocument/prepareTypeHierarchy", "typeHierarchy/supertypes", ""),
        };
        let of_calls = matches!(step, Step::Callers | Step::Callees);
        self.require(|abilities| if of_calls { abilities.calls } else { abilities.types }, prepare)?;
        self.refresh().await;
        let params = self.at(place).await?;
        let before = self.state();
        let prepared = self.ask_project(prepare, &params, deadline).await?;
        let mut items = Vec::new();
        for item in prepared.as_array().map(Vec::as_slice).unwrap_or_default() {
            let answer = self.ask_project(method, &json!({"item": item}), deadline).await?;
            self.neighbours(step, key, item, &answer, &mut items);
        }
        items.truncate(MOST);
        let reach = if step == Step::Callees { Reach::Known } else { Reach::Project };
        let mut freshness = self.freshness(reach, before);
        doubt_length(&mut freshness, items.len());
        Ok(Answered { items, freshness })
    }

    /// Reads the neighbours. Call ranges are in the caller's file: the neighbour's own file for callers, the item's
    /// file for callees.
    fn neighbours(&self, step: Step, key: &str, item: &Json, answer: &Json, into: &mut Vec<Neighbour>) {
        let mut reader = Reader::new(self);
        let own = item.get("uri").and_then(Json::as_str).map(|uri| self.disk.named(uri)).unwrap_or_default();
        for found in answer.as_array().map(Vec::as_slice).unwrap_or_default() {
            let entry = if key.is_empty() { Some(found) } else { found.get(key) };
            let Some(symbol) = entry.and_then(|entry| reader.entry(entry)) else { continue };
            let path = if step == Step::Callees { own.clone() } else { symbol.location.path.clone() };
            let sites = reader.ranges(found.get("fromRanges"), &path);
            into.push(Neighbour { symbol, sites });
        }
    }

    /// Returns the server's hover text for a place.
    pub(crate) async fn hover(&self, place: &Place, deadline: Instant) -> Result<Shown, Halt> {
        self.require(|abilities| abilities.hover, "hover")?;
        self.refresh().await;
        let params = self.at(place).await?;
        let before = self.state();
        let answer = self.ask("textDocument/hover", &params, deadline).await?;
        Ok(Shown { markdown: markdown(&answer), freshness: self.freshness(Reach::Known, before) })
    }

    /// Returns the completions at a place, in the file's text or in another text.
    pub(crate) async fn completions(
        &self,
        place: &Place,
        overlay: Option<&str>,
        limit: usize,
        deadline: Instant,
    ) -> Result<Completions, Halt> {
        self.require(|abilities| abilities.completions, "completion")?;
        self.refresh().await;
        let method = "textDocument/completion";
        let before = self.state();
        let answer = match overlay {
            Some(text) => {
                let text = Arc::new(Text::new(text.to_owned()));
                let params = invoked(self.position(place, &text)?);
                self.with_overlay(&place.path, text, method, &params, deadline).await?
            }
            None => self.ask(method, &invoked(self.at(place).await?), deadline).await?,
        };
        let mut items = completions(&answer);
        let total = u32::try_from(items.len()).unwrap_or(u32::MAX);
        items.truncate(limit);
        let mut freshness = self.freshness(Reach::Known, before);
        let said = answer.get("isIncomplete") == Some(&Json::Bool(true));
        if self.profile.incomplete.is_cut(total as usize, said) {
            freshness.doubt(Doubt::Capped);
        }
        Ok(Completions { items, total, freshness })
    }

    /// Opens the file in the server, and makes the parameters that name a place in it.
    pub(super) async fn at(&self, place: &Place) -> Result<Json, Halt> {
        let shown = self.show(&place.path).await?;
        Ok(self.position(place, &shown.text)?)
    }

    fn position(&self, place: &Place, text: &Text) -> Result<Json, Failure> {
        let position = text.to_server(place.at, self.encoding).ok_or_else(|| beyond(place, text))?;
        Ok(json!({"textDocument": {"uri": self.disk.uri(&place.path)}, "position": position}))
    }

    pub(super) fn document(&self, path: &str) -> Json {
        json!({"textDocument": {"uri": self.disk.uri(path)}})
    }
}

impl crate::types::Abilities {
    fn follow(&self, relation: Relation) -> bool {
        match relation {
            Relation::References | Relation::ReferencesAndDeclaration => self.references,
            Relation::Definition => self.definition,
            Relation::TypeDefinition => self.type_definition,
            Relation::Implementations => self.implementations,
        }
    }
}

fn whole_lines(first: u32, last: u32) -> Range {
    let line = |line| Position { line, column: 0 };
    Range { start: line(first), end: line(last.saturating_add(1)) }
}

fn invoked(mut params: Json) -> Json {
    params["context"] = json!({"triggerKind": 1});
    params
}

pub(super) fn doubt_length(freshness: &mut Freshness, length: usize) {
    if length >= MOST {
        freshness.doubt(Doubt::Capped);
    }
}

/// The error for a place beyond the text. Line numbers in messages begin at 1.
fn beyond(place: &Place, text: &Text) -> Failure {
    let (path, line) = (&place.path, place.at.line + 1);
    let message = match text.line(place.at.line) {
        None => format!("line {line} is past the end of {path} ({} lines)", text.line_count()),
        Some(found) => {
            let column = place.at.column.saturating_add(1);
            format!(
                "column {column} is past the end of line {line} of {path} ({} characters)",
                found.chars().count()
            )
        }
    };
    Failure::new(Cause::Invalid, message)
}
