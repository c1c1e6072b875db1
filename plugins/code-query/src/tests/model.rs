//! A small model of a language server, for a language in which every line is `KIND NAME …` and indented lines belong
//! to the line above. It behaves like real servers, including their faults: truncated lists, indexes that are not
//! ready, names in the server's own spelling, files that fail.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use iac_plugin::{Json, json};

use crate::kinds;
use crate::tree::key;
use crate::world::*;

/// A project with its server.
pub(super) struct Model {
    pub(super) files: BTreeMap<String, String>,
    pub(super) knobs: Knobs,
    /// The questions that the server was asked, for tests that check them.
    pub(super) asked: RefCell<Vec<String>>,
    prepared: Cell<u32>,
}

/// The faults of a server.
#[derive(Default)]
pub(super) struct Knobs {
    pub(super) root: String,
    /// A link that leads to the root.
    pub(super) link: Option<String>,
    /// The maximum number of symbols that a search returns.
    pub(super) cap: Option<u32>,
    /// A search matches only the beginnings of names.
    pub(super) heads: bool,
    /// The server is ready after this many questions that wait for it.
    pub(super) loading: u32,
    pub(super) doubts: Vec<Doubt>,
    pub(super) degraded: bool,
    /// Files that fail, each with its error.
    pub(super) fail: BTreeMap<String, Cause>,
    /// Questions that the server does not support.
    pub(super) without: Vec<String>,
    pub(super) flat: bool,
    /// The host cannot list every file.
    pub(super) cut: bool,
    pub(super) scoped: bool,
    /// The host asks about every place of a name.
    pub(super) settles: bool,
    /// Names follow Rust's form, and the server does not find uses in files with a name that begins with `macro`.
    pub(super) rust: bool,
    /// Additional files.
    pub(super) files: BTreeMap<String, String>,
    /// Lines that the build leaves out, by file: the first one and the last one, from 0.
    pub(super) hidden: BTreeMap<String, (u32, u32)>,
    /// A name that is declared in a macro and that the server does not know, by file: its line and columns, from 0.
    pub(super) macros: BTreeMap<String, (u32, u32, u32)>,
    /// The problem that a server reports although it knows the project.
    pub(super) warning: Option<String>,
}

impl Knobs {
    pub(super) fn read(json: &Json) -> Self {
        let texts = |name: &str| {
            json[name].as_array().into_iter().flatten().filter_map(Json::as_str).map(str::to_owned)
        };
        let fail = json["fail"].as_object().into_iter().flatten();
        Self {
            root: json["root"].as_str().unwrap_or("/project").to_owned(),
            link: json["link"].as_str().map(str::to_owned),
            cap: json["cap"].as_u64().map(|cap| cap as u32),
            heads: json["heads"] == true,
            loading: json["loading"].as_u64().unwrap_or(0) as u32,
            doubts: texts("doubts").map(|word| doubt(&word)).collect(),
            degraded: json["degraded"] == true,
            fail: fail.map(|(path, word)| (path.clone(), cause(word.as_str().unwrap_or("")))).collect(),
            without: texts("without").collect(),
            flat: json["flat"] == true,
            cut: json["cut"] == true,
            scoped: json["scoped"] == true,
            settles: json["settles"] == true,
            rust: json["rust"] == true,
            files: read_files(&json["files"]),
            hidden: lines(&json["hidden"]),
            macros: names(&json["macros"]),
            warning: json["warning"].as_str().map(str::to_owned),
        }
    }
}

fn read_files(json: &Json) -> BTreeMap<String, String> {
    let text = |(path, text): (&String, &Json)| (path.clone(), text.as_str().unwrap_or("").to_owned());
    json.as_object().into_iter().flatten().map(text).collect()
}

fn lines(json: &Json) -> BTreeMap<String, (u32, u32)> {
    let number = |json: &Json| json.as_u64().unwrap_or(0) as u32;
    let of = |(path, lines): (&String, &Json)| (path.clone(), (number(&lines[0]), number(&lines[1])));
    json.as_object().into_iter().flatten().map(of).collect()
}

fn names(json: &Json) -> BTreeMap<String, (u32, u32, u32)> {
    let number = |json: &Json| json.as_u64().unwrap_or(0) as u32;
    let of = |(path, at): (&String, &Json)| (path.clone(), (number(&at[0]), number(&at[1]), number(&at[2])));
    json.as_object().into_iter().flatten().map(of).collect()
}

fn doubt(word: &str) -> Doubt {
    match word {
        "loading" => Doubt::Loading,
        "readiness_unknown" => Doubt::ReadinessUnknown,
        "index_capped" => Doubt::Capped,
        "server_scope" => Doubt::Scope,
        "unopened_only" => Doubt::OpenOnly,
        "restarted" => Doubt::Restarted,
        "deadline" => Doubt::Stale,
        "syntax_errors" => Doubt::Syntax,
        other => panic!("no doubt is called {other}"),
    }
}

fn cause(word: &str) -> Cause {
    match word {
        "timeout" => Cause::Timeout,
        "crashed" => Cause::Crashed,
        "not-installed" => Cause::NotInstalled,
        "start-failed" => Cause::StartFailed,
        "gave-up" => Cause::GaveUp,
        "too-large" => Cause::TooLarge,
        "failed" => Cause::Failed,
        other => panic!("no cause is called {other}"),
    }
}

fn failure(cause: Cause, message: impl Into<String>) -> Failure {
    Failure { cause, message: message.into(), suggestion: None, retry_after: None }
}

/// Files of a language that has no server are listed as well.
fn language(path: &str) -> Option<&'static str> {
    match path.rsplit('.').next() {
        Some("toy") => Some("toy"),
        Some("head") => Some("head"),
        Some("zig") => Some("zig"),
        _ => None,
    }
}

/// A line that declares a symbol.
struct Declared {
    path: String,
    line: u32,
    indent: usize,
    kind: u8,
    name: String,
    rest: String,
    end: (u32, u32),
}

impl Model {
    pub(super) fn new(mut files: BTreeMap<String, String>, knobs: Knobs) -> Self {
        files.extend(knobs.files.clone());
        Self { files, knobs, asked: RefCell::default(), prepared: Cell::new(0) }
    }

    fn ask(&self, what: impl Into<String>) {
        self.asked.borrow_mut().push(what.into());
    }

    fn can(&self, what: &str) -> bool {
        !self.knobs.without.iter().any(|one| one == what)
    }

    fn is_ready(&self) -> bool {
        self.prepared.get() >= self.knobs.loading
    }

    fn freshness(&self) -> Freshness {
        let loading = (!self.is_ready()).then_some(Doubt::Loading);
        let doubts = loading.into_iter().chain(self.knobs.doubts.iter().copied()).collect();
        Freshness { doubts, settled: 1_000, generation: 1 }
    }

    fn declared(&self, path: &str) -> Vec<Declared> {
        let text = &self.files[path];
        let lines: Vec<&str> = text.lines().collect();
        let indent = |line: &str| line.chars().count() - line.trim_start().chars().count();
        let mut all = Vec::new();
        for (at, line) in lines.iter().enumerate() {
            let mut words = line.trim_start().splitn(3, ' ');
            let (Some(word), Some(name)) = (words.next(), words.next()) else { continue };
            if self.hides(path, at as u32) {
                continue;
            }
            let Some(kind) = (1..=26).find(|&kind| kinds::name(kind) == word) else { continue };
            let inner = lines[at + 1..].iter().take_while(|below| indent(below) > indent(line)).count();
            let end = lines[at + inner].chars().count() as u32;
            let (line, indent) = (at as u32, indent(line));
            let rest = words.next().unwrap_or("").to_owned();
            all.push(Declared {
                path: path.to_owned(),
                line,
                indent,
                kind,
                // C macros join parts of names, and declare a name that the call does not contain.
                name: match name.split_once('(').filter(|_| self.knobs.scoped) {
                    Some((_, part)) => format!("{}_made", part.trim_end_matches(')')),
                    None => name.replace("##", ""),
                },
                rest,
                end: (line + inner as u32, end),
            });
        }
        all
    }

    fn hides(&self, path: &str, line: u32) -> bool {
        self.knobs.hidden.get(path).is_some_and(|&(first, last)| (first..=last).contains(&line))
    }

    fn hidden(&self, path: &str) -> Vec<Range> {
        let line = |line| Position { line, column: 0 };
        let range = |&(first, last): &(u32, u32)| Range { start: line(first), end: line(last + 1) };
        let name = |&(line, from, to): &(u32, u32, u32)| Range {
            start: Position { line, column: from },
            end: Position { line, column: to },
        };
        let lines = self.knobs.hidden.get(path).map(range).into_iter();
        lines.chain(self.knobs.macros.get(path).map(name)).collect()
    }

    /// The left-out lines that contain the wanted letters.
    fn hidden_of(&self, part: &Part) -> Vec<Range> {
        let text = self.files.get(&part.path).map_or("", String::as_str).to_lowercase();
        let lines: Vec<&str> = text.lines().collect();
        let wants = |line: &&str| part.named.iter().any(|letters| line.contains(&letters.to_lowercase()));
        let holds = |range: &Range| {
            let (start, end) = (range.start.line as usize, range.end.line.max(range.start.line + 1) as usize);
            part.named.is_empty() || lines.iter().take(end).skip(start).any(wants)
        };
        self.hidden(&part.path).into_iter().filter(holds).collect()
    }

    /// Like the host, this follows a link to the root.
    fn relative(&self, path: &str) -> Result<String, Failure> {
        if !path.starts_with('/') {
            return Ok(path.to_owned());
        }
        let roots = [Some(&self.knobs.root), self.knobs.link.as_ref()];
        let rest = roots.into_iter().flatten().find_map(|root| path.strip_prefix(root.as_str()));
        let rest = rest.filter(|rest| rest.is_empty() || rest.starts_with('/'));
        let rest = rest.ok_or_else(|| failure(Cause::Outside, "path is outside the workspace root"))?;
        Ok(rest.trim_start_matches('/').to_owned())
    }

    fn everything(&self) -> Vec<Declared> {
        self.files.keys().flat_map(|path| self.declared(path)).collect()
    }

    fn symbols_of(&self, path: &str) -> Vec<Symbol> {
        let mut open: Vec<(usize, u32)> = Vec::new();
        let declared = self.declared(path);
        let mut symbols = Vec::new();
        for one in &declared {
            open.retain(|(indent, _)| *indent < one.indent);
            let parent = open.last().map(|(_, at)| *at).filter(|_| !self.knobs.flat);
            symbols.push(Symbol { parent, ..one.symbol() });
            open.push((one.indent, symbols.len() as u32 - 1));
        }
        symbols
    }

    fn word_at(&self, place: &Place) -> Option<String> {
        let line: Vec<char> =
            self.files.get(&place.path)?.lines().nth(place.at.line as usize)?.chars().collect();
        let part = |letter: &char| letter.is_alphanumeric() || *letter == '_';
        let at = place.at.column as usize;
        line.get(at).filter(|letter| part(letter))?;
        let start = line[..at].iter().rposition(|letter| !part(letter)).map_or(0, |before| before + 1);
        Some(line[start..].iter().take_while(|letter| part(letter)).collect())
    }

    /// Uses that the server's search leaves out. The host finds them by asking about each place: places with the same
    /// meaning, and places without a meaning for the server.
    fn again(&self, name: &str) -> (Vec<Location>, Vec<Location>) {
        let mut all = Vec::new();
        for (path, text) in &self.files {
            let is_loose = path.starts_with("loose");
            let is_macro = self.knobs.rust && path.starts_with("macro");
            if !is_loose && !is_macro {
                continue;
            }
            for (number, line) in text.lines().enumerate() {
                let code = line.split("//").next().unwrap_or("");
                let plain: String = code.split('"').step_by(2).collect::<Vec<_>>().join("\0");
                for (at, _) in plain.match_indices(name) {
                    let place = location(path, number as u32, at as u32, name.len() as u32);
                    all.push((place, is_loose || self.hides(path, number as u32)));
                }
            }
        }
        let (unsure, added): (Vec<_>, Vec<_>) = all.into_iter().partition(|(_, is_unsure)| *is_unsure);
        let places = |some: Vec<(Location, bool)>| some.into_iter().map(|(place, _)| place).collect();
        if self.is_ready() { (places(added), places(unsure)) } else { Default::default() }
    }

    fn occurrences(&self, name: &str) -> Vec<Location> {
        let mut found = Vec::new();
        for (path, text) in &self.files {
            for (number, line) in text.lines().enumerate() {
                let mut column = 0;
                for word in line.split(|letter: char| !letter.is_alphanumeric() && letter != '_') {
                    let length = word.chars().count();
                    let is_lost = path.starts_with("loose") || self.knobs.rust && path.starts_with("macro");
                    if word == name && !is_lost && !self.hides(path, number as u32) {
                        found.push(location(path, number as u32, column, length as u32));
                    }
                    column += length as u32 + 1;
                }
            }
        }
        found
    }

    fn definitions(&self, place: &Place) -> Vec<Location> {
        let Some(word) = self.word_at(place) else { return Vec::new() };
        if self.hides(&place.path, place.at.line) {
            return Vec::new();
        }
        let named: Vec<Declared> = self.everything().into_iter().filter(|one| one.leaf() == word).collect();
        // Like C servers: leads from a declaration to the definition, and back.
        let here = |one: &&Declared| one.path == place.path && one.line == place.at.line;
        let linked = named.iter().find(here).filter(|one| one.rest.starts_with("declared"));
        let own = named.iter().find(here).filter(|_| linked.is_none());
        let first = named.iter().find(|one| !one.rest.starts_with("declared"));
        let library = word.starts_with("Library").then(|| location("/lib/shapes/mod.toy", 0, 0, 1));
        own.or(first).map(Declared::name_location).or(library).into_iter().collect()
    }

    fn check(&self, path: &str) -> Result<(), Failure> {
        match self.knobs.fail.get(path) {
            Some(&cause) => Err(failure(cause, format!("the server failed with {path}"))),
            None if path.ends_with(".zig") => Err(failure(Cause::NoServer, "no language server for .zig")),
            None if self.files.contains_key(path) => Ok(()),
            None => Err(failure(Cause::NotFound, format!("path not found: {path}"))),
        }
    }

    fn each<Q, T>(&self, what: &str, questions: &[Q], answer: impl Fn(&Q) -> Result<T, Failure>) -> Each<T> {
        self.ask(format!("{what} {}", questions.len()));
        if !self.can(what) {
            return Err(failure(Cause::Unsupported, "unsupported"));
        }
        Ok(questions.iter().map(answer).collect())
    }

    fn diagnostics_of(&self, path: &str) -> Vec<Diagnostic> {
        let said = |(number, line): (usize, &str)| {
            let (before, said) = line.split_once('!')?;
            let (word, message) = said.split_once(' ')?;
            let severity =
                ["error", "warning", "info", "hint"].iter().position(|known| *known == word)? as u8 + 1;
            let location = location(path, number as u32, before.chars().count() as u32, 1);
            Some(Diagnostic {
                location,
                severity,
                code: Some(if message == "unlinked-file" { message } else { "toy" }.to_owned()),
                source: Some("toyc".to_owned()),
                message: message.to_owned(),
            })
        };
        self.files[path].lines().enumerate().filter_map(said).collect()
    }

    fn server(&self) -> Server {
        let can = |what: &str| self.can(what);
        let abilities = Abilities {
            document_symbols: true,
            workspace_symbols: can("workspace-symbols"),
            references: can("references"),
            definition: can("definition"),
            type_definition: false,
            implementations: can("implementations"),
            calls: can("calls"),
            types: can("types"),
            hover: can("hover"),
            completions: can("completions"),
            pull_diagnostics: true,
            workspace_diagnostics: can("workspace-diagnostics"),
            rename: can("rename"),
            actions: can("actions"),
        };
        let ready = if self.is_ready() { State::Ready } else { State::Loading };
        Server {
            profile: "toyls".to_owned(),
            languages: vec!["toy".to_owned(), "head".to_owned()],
            extensions: vec!["toy".to_owned(), "head".to_owned()],
            state: if self.knobs.degraded { State::Degraded } else { ready },
            message: self
                .knobs
                .warning
                .clone()
                .or_else(|| self.knobs.degraded.then(|| "no toy.json".to_owned())),
            progress: (!self.is_ready()).then(|| "indexing 40 %".to_owned()),
            version: Some("toyls 1.0".to_owned()),
            abilities,
            naming: match (self.knobs.scoped, self.knobs.rust) {
                (true, _) => Naming::Scoped,
                (_, true) => Naming::Rust,
                _ => Naming::Plain,
            },
            search: Search { substring: !self.knobs.heads, cap: self.knobs.cap },
            restarts: 0,
            memory: None,
        }
    }
}

impl Declared {
    fn leaf(&self) -> &str {
        self.name.rsplit("::").next().unwrap_or(&self.name)
    }

    fn name_location(&self) -> Location {
        let before = self.indent + kinds::name(self.kind).len() + 1 + self.name.len() - self.leaf().len();
        location(&self.path, self.line, before as u32, self.leaf().chars().count() as u32)
    }

    /// Where a name stands in the line of this declaration.
    fn place_of(&self, name: &str, text: &str) -> Location {
        let line = text.lines().nth(self.line as usize).unwrap_or("");
        let at = line.find(name).map_or(0, |at| line[..at].chars().count());
        location(&self.path, self.line, at as u32, name.chars().count() as u32)
    }

    fn symbol(&self) -> Symbol {
        let start = Position { line: self.line, column: self.indent as u32 };
        let end = Position { line: self.end.0, column: self.end.1 };
        Symbol {
            name: self.name.clone(),
            kind: self.kind,
            detail: (!self.rest.is_empty()).then(|| self.rest.clone()),
            location: Location { path: self.path.clone(), range: Range { start, end } },
            name_range: self.name_location().range,
            container: None,
            parent: None,
            deprecated: false,
        }
    }

    fn names(&self, word: &str) -> Vec<String> {
        let after = self.rest.split_once(word).map_or("", |(_, after)| after);
        after.split([' ', ',']).filter(|name| !name.is_empty()).map(str::to_owned).collect()
    }
}

fn location(path: &str, line: u32, column: u32, length: u32) -> Location {
    let start = Position { line, column };
    Location {
        path: path.to_owned(),
        range: Range { start, end: Position { line, column: column + length } },
    }
}

impl Workspace for Model {
    fn root(&self) -> String {
        self.knobs.root.clone()
    }

    fn servers(&self) -> Vec<Server> {
        vec![self.server()]
    }

    fn files(&self, filter: &FileFilter) -> Result<Files, Failure> {
        let filter = &FileFilter { under: self.relative(&filter.under)?, ..filter.clone() };
        let below = |path: &str| {
            filter.under.is_empty()
                || path == filter.under
                || path.strip_prefix(&filter.under).is_some_and(|rest| rest.starts_with('/'))
        };
        if !filter.under.is_empty() && !self.files.keys().any(|path| below(path)) {
            return Err(failure(Cause::NotFound, format!("path not found: {}", filter.under)));
        }
        let holds = |text: &str| {
            let letters = filter.containing.as_deref().unwrap_or("").to_lowercase();
            text.to_lowercase().contains(&letters)
        };
        let known =
            self.files.iter().filter(|(path, text)| below(path) && language(path).is_some() && holds(text));
        let known = known.filter(|(path, _)| filter.ignored || !path.starts_with("ignored/"));
        let mut items: Vec<File> = known
            .map(|(path, text)| File {
                path: path.clone(),
                language: language(path).unwrap_or_default().to_owned(),
                size: if path.starts_with("huge") { 50_000_000 } else { text.len() as u64 },
                stamp: 1,
            })
            .collect();
        let truncated = items.len() > filter.limit as usize || self.knobs.cut;
        items.truncate(filter.limit as usize);
        Ok(Files { items, truncated })
    }

    fn text(&self, path: &str) -> Result<String, Failure> {
        self.files
            .get(path)
            .cloned()
            .ok_or_else(|| failure(Cause::NotFound, format!("path not found: {path}")))
    }

    fn lines(&self, lines: &[Line]) -> Vec<Option<String>> {
        let read =
            |line: &Line| Some(self.files.get(&line.path)?.lines().nth(line.number as usize)?.to_owned());
        lines.iter().map(read).collect()
    }

    fn prepare(&self, language: &str, _: u32) -> Result<Server, Failure> {
        if !matches!(language, "toy" | "head") {
            return Err(failure(Cause::NoServer, format!("no language server for {language}")));
        }
        self.prepared.set(self.prepared.get() + 1);
        match self.knobs.fail.get("*") {
            Some(&cause) => Err(failure(cause, "toyls not found on PATH; install: toy add toyls")),
            None => Ok(self.server()),
        }
    }

    fn document_symbols(&self, paths: &[String], _: u32) -> Each<Symbols> {
        self.each("document-symbols", paths, |path| {
            self.check(path)?;
            let (items, hidden) = (self.symbols_of(path), self.hidden(path));
            Ok(Symbols { items, flat: self.knobs.flat, hidden, freshness: self.freshness() })
        })
    }

    /// Returns only the parts that the interface promises, so that a test fails if the plugin needs more.
    fn symbol_parts(&self, parts: &[Part], _: u32) -> Each<Symbols> {
        self.each("symbol-parts", parts, |part| {
            self.check(&part.path)?;
            let all = self.symbols_of(&part.path);
            let holds =
                |range: &Range, at: &Position| key(range.start) <= key(*at) && key(*at) < key(range.end);
            let wanted = |one: &Symbol| {
                let around = |at| holds(&one.location.range, at) || holds(&one.name_range, at);
                let name = one.name.to_lowercase();
                part.around.iter().any(around)
                    || part.named.iter().any(|part| name.contains(&part.to_lowercase()))
            };
            let held = |outer: &Symbol, inner: &Symbol| {
                let (outer, inner) = (&outer.location.range, &inner.location.range);
                key(outer.start) <= key(inner.start) && key(inner.end) <= key(outer.end)
            };
            let kept: Vec<usize> = (0..all.len())
                .filter(|&at| all.iter().any(|other| wanted(other) && held(&all[at], other)))
                .collect();
            let place = |parent: u32| kept.iter().position(|&at| at == parent as usize).map(|at| at as u32);
            let items =
                kept.iter().map(|&at| Symbol { parent: all[at].parent.and_then(place), ..all[at].clone() });
            let hidden = self.hidden_of(part);
            Ok(Symbols { items: items.collect(), flat: self.knobs.flat, hidden, freshness: self.freshness() })
        })
    }

    fn workspace_symbols(&self, _: &str, text: &str, _: u32) -> Result<Symbols, Failure> {
        self.ask(format!("workspace-symbols {text}"));
        let matches = |name: &str| {
            let name = name.to_lowercase();
            if self.knobs.heads { name.starts_with(text) } else { name.contains(text) }
        };
        let mut items: Vec<Symbol> =
            self.everything().iter().filter(|one| matches(&one.name)).map(Declared::symbol).collect();
        items.truncate(self.knobs.cap.map_or(usize::MAX, |cap| cap as usize));
        Ok(Symbols { items, flat: true, hidden: Vec::new(), freshness: self.freshness() })
    }

    fn follow(&self, asked: &[Follow], _: u32) -> Each<Locations> {
        self.each("related", asked, |Follow { relation, at: place }| {
            let what = match relation {
                Relation::References | Relation::ReferencesAndDeclaration => "references",
                Relation::Definition => "definition",
                Relation::TypeDefinition => "type-definition",
                Relation::Implementations => "implementations",
            };
            if !self.can(what) {
                return Err(failure(Cause::Unsupported, "unsupported"));
            }
            self.check(&place.path)?;
            let word = self.word_at(place).unwrap_or_default();
            let declared: Vec<(String, u32)> = self
                .everything()
                .iter()
                .filter(|one| one.leaf() == word)
                .map(|one| (one.path.clone(), one.line))
                .collect();
            let is_declared = |one: &Location| declared.contains(&(one.path.clone(), one.range.start.line));
            let items = match relation {
                Relation::References => {
                    self.occurrences(&word).into_iter().filter(|one| !is_declared(one)).collect()
                }
                Relation::ReferencesAndDeclaration => self.occurrences(&word),
                Relation::Definition => self.definitions(place),
                Relation::TypeDefinition => Vec::new(),
                Relation::Implementations => self
                    .everything()
                    .iter()
                    .filter(|one| one.names("implements").contains(&word))
                    .map(Declared::name_location)
                    .collect(),
            };
            let mut found = Locations {
                items,
                added: 0,
                unsure: Vec::new(),
                unasked: 0,
                settled: false,
                freshness: self.freshness(),
            };
            if matches!(relation, Relation::References | Relation::ReferencesAndDeclaration) {
                let (added, unsure) = self.again(&word);
                found.added = added.len() as u32;
                found.items.extend(added);
                found.settled = self.knobs.settles && unsure.is_empty();
                found.unsure = unsure;
            }
            Ok(found)
        })
    }

    fn hierarchy(&self, step: Step, places: &[Place], _: u32) -> Each<Neighbours> {
        let what = if matches!(step, Step::Callers | Step::Callees) { "calls" } else { "types" };
        self.each(what, places, |place| {
            let word = self.word_at(place).unwrap_or_default();
            let all = self.everything();
            let here = |one: &&Declared| one.path == place.path && one.line == place.at.line;
            let own = all.iter().find(here).or_else(|| all.iter().find(|one| one.leaf() == word));
            let called = own.map(|one| one.names("calls")).unwrap_or_default();
            let near = all.iter().filter(|one| match step {
                Step::Callers => one.names("calls").contains(&word),
                Step::Callees => called.iter().any(|name| name == one.leaf()),
                Step::Subtypes => one.names("implements").contains(&word),
                Step::Supertypes => false,
            });
            let site = |one: &Declared| match (step, own) {
                (Step::Callees, Some(own)) => own.place_of(one.leaf(), &self.files[&own.path]),
                _ => one.name_location(),
            };
            let neighbour = |one: &Declared| Neighbour { symbol: one.symbol(), sites: vec![site(one)] };
            Ok(Neighbours { items: near.map(neighbour).collect(), freshness: self.freshness() })
        })
    }

    fn hover(&self, places: &[Place], _: u32) -> Each<Shown> {
        self.each("hover", places, |place| {
            let line = self.files[&place.path].lines().nth(place.at.line as usize).unwrap_or("").trim();
            let markdown =
                self.word_at(place).map(|word| format!("```toy\n{line}\n```\nWhat {word} is for."));
            Ok(Shown { markdown, freshness: self.freshness() })
        })
    }

    fn diagnostics(&self, paths: &[String], _: u32) -> Each<Diagnostics> {
        self.each("diagnostics", paths, |path| {
            self.check(path)?;
            Ok(Diagnostics { items: self.diagnostics_of(path), freshness: self.freshness() })
        })
    }

    fn workspace_diagnostics(&self, _: &str, _: u32) -> Result<Diagnostics, Failure> {
        let items = self
            .files
            .keys()
            .filter(|path| path.ends_with(".toy"))
            .flat_map(|path| self.diagnostics_of(path))
            .collect();
        Ok(Diagnostics { items, freshness: self.freshness() })
    }

    fn completions(
        &self,
        place: &Place,
        overlay: Option<&str>,
        limit: u32,
        _: u32,
    ) -> Result<Completions, Failure> {
        let text = overlay.unwrap_or(&self.files[&place.path]);
        let line: String = text
            .lines()
            .nth(place.at.line as usize)
            .unwrap_or("")
            .chars()
            .take(place.at.column as usize)
            .collect();
        let holder = line.strip_suffix('.').unwrap_or("").rsplit(' ').next().unwrap_or("").to_owned();
        let all = self.everything();
        let owner = all.iter().position(|one| one.name == holder);
        let members = owner.map(|at| {
            all[at + 1..]
                .iter()
                .take_while(|one| one.path == all[at].path && one.indent > all[at].indent)
                .collect::<Vec<_>>()
        });
        let item = |one: &&Declared| Completion {
            label: one.name.clone(),
            kind: 2,
            detail: None,
            insert: format!("{}()", one.name),
        };
        let items: Vec<Completion> =
            members.unwrap_or_default().iter().map(item).take(limit as usize).collect();
        Ok(Completions { total: items.len() as u32, items, freshness: self.freshness() })
    }

    fn rename(&self, place: &Place, name: &str, _: u32) -> Result<Edits, Failure> {
        if !self.can("rename") {
            return Err(failure(Cause::Unsupported, "unsupported"));
        }
        let word = self.word_at(place).unwrap_or_default();
        let edit = |at: Location| Edit { at, text: name.to_owned() };
        let items = self.occurrences(&word).into_iter().map(edit).collect();
        Ok(Edits { items, freshness: self.freshness() })
    }

    fn actions(&self, at: &Location, kind: Option<&str>, _: u32) -> Result<Actions, Failure> {
        if !self.can("actions") {
            return Err(failure(Cause::Unsupported, "unsupported"));
        }
        let Range { start, end } = at.range;
        self.ask(format!("actions {}:{}-{}:{}", start.line, start.column, end.line, end.column));
        let edit = Edit { at: at.clone(), text: "fixed\n".to_owned() };
        let action = |title: &str, kind: &str, preferred, edits: Option<Vec<Edit>>| Action {
            title: title.to_owned(),
            kind: Some(kind.to_owned()),
            preferred,
            command: edits.as_ref().is_none_or(|edits| edits.len() > 1),
            edits,
        };
        let all = vec![
            action("Fix it", "quickfix", true, Some(vec![edit.clone()])),
            action("Move to new file", "refactor.move", false, None),
            action("Rewrite all", "refactor.rewrite", false, Some(vec![edit.clone(), edit])),
        ];
        let is_wanted = |one: &Action| kind.is_none_or(|kind| one.kind.as_ref().unwrap().starts_with(kind));
        Ok(Actions { items: all.into_iter().filter(is_wanted).collect(), freshness: self.freshness() })
    }

    fn restart(&self, language: Option<&str>) -> Result<(), Failure> {
        match language {
            None | Some("toy") => {
                self.ask("restart");
                Ok(())
            }
            Some(other) => {
                Err(failure(Cause::NoServer, format!("no language server for {other}; there is one for toy")))
            }
        }
    }
}

/// A long project in this language, to test pages and sizes.
pub(super) fn long(files: usize, functions: usize) -> BTreeMap<String, String> {
    let text = |file: usize| -> String {
        (0..functions).map(|at| format!("function handleItem{at}Of{file}\nclass Get{at}\n  method getOne{at} calls setOne{at}\n  method setOne{at}\n")).collect()
    };
    (0..files).map(|file| (format!("src/file{file:03}.toy"), text(file))).collect()
}

/// Scenario fields that are left out.
pub(super) fn none() -> Json {
    json!({})
}
