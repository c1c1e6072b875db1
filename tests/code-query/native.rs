//! The host's crate as the plugin's world: it answers the plugin's questions directly, without a guest and an engine.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use code_query::world::*;
use iac_language_servers::types as host;
use iac_language_servers::{LanguageServers, Workspace as Root};
use tokio::runtime::Handle;

/// A root with a runtime for its questions.
pub(crate) struct Native {
    root: Arc<Root>,
    handle: Handle,
    spent: Rc<Cell<Duration>>,
    began: Rc<Cell<Instant>>,
    _servers: LanguageServers,
}

impl Native {
    pub(crate) fn new(root: Arc<Root>, handle: Handle, servers: LanguageServers) -> Self {
        Self {
            root,
            handle,
            spent: Rc::default(),
            began: Rc::new(Cell::new(Instant::now())),
            _servers: servers,
        }
    }

    /// Returns the time that the questions took since the last reset.
    pub(crate) fn spent(&self) -> Rc<Cell<Duration>> {
        Rc::clone(&self.spent)
    }

    /// The rest of a deadline, which counts from the beginning of the call.
    fn left(&self, deadline: u32) -> u32 {
        let passed = u32::try_from(self.began.get().elapsed().as_millis()).unwrap_or(u32::MAX);
        deadline.saturating_sub(passed)
    }

    /// Returns the cell that holds the beginning of the call.
    pub(crate) fn began(&self) -> Rc<Cell<Instant>> {
        Rc::clone(&self.began)
    }

    fn wait<T>(&self, answer: impl Future<Output = T>) -> T {
        let began = Instant::now();
        let answer = self.handle.block_on(answer);
        self.spent.set(self.spent.get() + began.elapsed());
        answer
    }

    fn each<T, U>(
        &self,
        answers: impl Future<Output = Result<Vec<Result<T, host::Failure>>, host::Failure>>,
        into: impl Fn(T) -> U,
    ) -> Each<U> {
        let answers = self.wait(answers).map_err(failure)?;
        Ok(answers.into_iter().map(|answer| answer.map(&into).map_err(failure)).collect())
    }
}

impl Workspace for Native {
    fn root(&self) -> String {
        self.root.root()
    }

    fn servers(&self) -> Vec<Server> {
        self.root.servers().into_iter().map(server).collect()
    }

    fn files(&self, filter: &FileFilter) -> Result<Files, Failure> {
        let filter = host::FileFilter {
            under: filter.under.clone(),
            languages: filter.languages.clone(),
            containing: filter.containing.clone(),
            ignored: filter.ignored,
            limit: filter.limit,
        };
        let files = self.root.files(&filter).map_err(failure)?;
        let file = |file: host::SourceFile| File {
            path: file.path,
            language: file.language,
            size: file.size,
            stamp: file.stamp,
        };
        Ok(Files { items: files.items.into_iter().map(file).collect(), truncated: files.truncated })
    }

    fn text(&self, path: &str) -> Result<String, Failure> {
        self.root.text(path).map_err(failure)
    }

    fn lines(&self, lines: &[Line]) -> Vec<Option<String>> {
        let lines: Vec<_> =
            lines.iter().map(|line| host::Line { path: line.path.clone(), number: line.number }).collect();
        self.root.lines(&lines)
    }

    fn prepare(&self, language: &str, deadline: u32) -> Result<Server, Failure> {
        self.wait(self.root.prepare(language, self.left(deadline))).map(server).map_err(failure)
    }

    fn document_symbols(&self, paths: &[String], deadline: u32) -> Each<Symbols> {
        self.each(self.root.document_symbols(paths.to_vec(), self.left(deadline)), symbols)
    }

    fn workspace_symbols(&self, language: &str, text: &str, deadline: u32) -> Result<Symbols, Failure> {
        self.wait(self.root.workspace_symbols(language, text, self.left(deadline)))
            .map(symbols)
            .map_err(failure)
    }

    fn symbol_parts(&self, parts: &[Part], deadline: u32) -> Each<Symbols> {
        let place = |at: &Position| host::Position { line: at.line, column: at.column };
        let part = |part: &Part| host::Part {
            path: part.path.clone(),
            around: part.around.iter().map(place).collect(),
            named: part.named.clone(),
        };
        self.each(self.root.symbol_parts(parts.iter().map(part).collect(), self.left(deadline)), symbols)
    }

    fn follow(&self, asked: &[Follow], deadline: u32) -> Each<Locations> {
        let relation = |relation| match relation {
            Relation::References => host::Relation::References,
            Relation::ReferencesAndDeclaration => host::Relation::ReferencesAndDeclaration,
            Relation::Definition => host::Relation::Definition,
            Relation::TypeDefinition => host::Relation::TypeDefinition,
            Relation::Implementations => host::Relation::Implementations,
        };
        let asked = asked.iter().map(|follow| host::Follow {
            relation: relation(follow.relation),
            at: places(std::slice::from_ref(&follow.at)).remove(0),
        });
        self.each(self.root.related(asked.collect(), self.left(deadline)), |answer| Locations {
            items: answer.items.into_iter().map(location).collect(),
            added: answer.added,
            unsure: answer.unsure.into_iter().map(location).collect(),
            unasked: answer.unasked,
            settled: answer.settled,
            freshness: freshness(answer.freshness),
        })
    }

    fn hierarchy(&self, step: Step, at: &[Place], deadline: u32) -> Each<Neighbours> {
        let step = match step {
            Step::Callers => host::Step::Callers,
            Step::Callees => host::Step::Callees,
            Step::Subtypes => host::Step::Subtypes,
            Step::Supertypes => host::Step::Supertypes,
        };
        let neighbour = |one: host::Neighbour| Neighbour {
            symbol: symbol(one.symbol),
            sites: one.sites.into_iter().map(location).collect(),
        };
        self.each(self.root.hierarchy(step, places(at), self.left(deadline)), |answer| Neighbours {
            items: answer.items.into_iter().map(neighbour).collect(),
            freshness: freshness(answer.freshness),
        })
    }

    fn hover(&self, at: &[Place], deadline: u32) -> Each<Shown> {
        let shown =
            |shown: host::Shown| Shown { markdown: shown.markdown, freshness: freshness(shown.freshness) };
        self.each(self.root.hover(places(at), self.left(deadline)), shown)
    }

    fn diagnostics(&self, paths: &[String], deadline: u32) -> Each<Diagnostics> {
        self.each(self.root.diagnostics(paths.to_vec(), self.left(deadline)), diagnostics)
    }

    fn workspace_diagnostics(&self, language: &str, deadline: u32) -> Result<Diagnostics, Failure> {
        self.wait(self.root.workspace_diagnostics(language, self.left(deadline)))
            .map(diagnostics)
            .map_err(failure)
    }

    fn completions(
        &self,
        at: &Place,
        overlay: Option<&str>,
        limit: u32,
        deadline: u32,
    ) -> Result<Completions, Failure> {
        let place = places(std::slice::from_ref(at)).remove(0);
        let found =
            self.wait(self.root.completions(place, overlay, limit, self.left(deadline))).map_err(failure)?;
        let item = |one: host::Completion| Completion {
            label: one.label,
            kind: one.kind,
            detail: one.detail,
            insert: one.insert,
        };
        Ok(Completions {
            items: found.items.into_iter().map(item).collect(),
            total: found.total,
            freshness: freshness(found.freshness),
        })
    }

    fn rename(&self, at: &Place, name: &str, deadline: u32) -> Result<Edits, Failure> {
        let place = places(std::slice::from_ref(at)).remove(0);
        let found = self.wait(self.root.rename(place, name, self.left(deadline))).map_err(failure)?;
        let edit = |one: host::Edit| Edit { at: location(one.at), text: one.text };
        Ok(Edits {
            items: found.items.into_iter().map(edit).collect(),
            freshness: freshness(found.freshness),
        })
    }

    fn actions(&self, at: &Location, kind: Option<&str>, deadline: u32) -> Result<Actions, Failure> {
        let position = |at: Position| host::Position { line: at.line, column: at.column };
        let range = host::Range { start: position(at.range.start), end: position(at.range.end) };
        let at = host::Location { path: at.path.clone(), range };
        let found = self.wait(self.root.actions(at, kind, self.left(deadline))).map_err(failure)?;
        let edit = |one: host::Edit| Edit { at: location(one.at), text: one.text };
        let action = |one: host::Action| Action {
            title: one.title,
            kind: one.kind,
            preferred: one.preferred,
            edits: one.edits.map(|edits| edits.into_iter().map(edit).collect()),
            command: one.command,
        };
        Ok(Actions {
            items: found.items.into_iter().map(action).collect(),
            freshness: freshness(found.freshness),
        })
    }

    fn restart(&self, language: Option<&str>) -> Result<(), Failure> {
        let _inside = self.handle.enter();
        self.root.restart(language).map_err(failure)
    }
}

fn failure(failure: host::Failure) -> Failure {
    let cause = match failure.cause {
        host::Cause::Outside => Cause::Outside,
        host::Cause::NotFound => Cause::NotFound,
        host::Cause::Invalid => Cause::Invalid,
        host::Cause::NoServer => Cause::NoServer,
        host::Cause::NotInstalled => Cause::NotInstalled,
        host::Cause::StartFailed => Cause::StartFailed,
        host::Cause::Crashed => Cause::Crashed,
        host::Cause::GaveUp => Cause::GaveUp,
        host::Cause::Timeout => Cause::Timeout,
        host::Cause::Unsupported => Cause::Unsupported,
        host::Cause::TooLarge => Cause::TooLarge,
        host::Cause::Failed => Cause::Failed,
    };
    Failure {
        cause,
        message: failure.message,
        suggestion: failure.suggestion,
        retry_after: failure.retry_after,
    }
}

fn freshness(freshness: host::Freshness) -> Freshness {
    let doubt = |doubt| match doubt {
        host::Doubt::Loading => Doubt::Loading,
        host::Doubt::ReadinessUnknown => Doubt::ReadinessUnknown,
        host::Doubt::Degraded => Doubt::Degraded,
        host::Doubt::Capped => Doubt::Capped,
        host::Doubt::Scope => Doubt::Scope,
        host::Doubt::OpenOnly => Doubt::OpenOnly,
        host::Doubt::Restarted => Doubt::Restarted,
        host::Doubt::Stale => Doubt::Stale,
        host::Doubt::Syntax => Doubt::Syntax,
    };
    let doubts = freshness.doubts.into_iter().map(doubt).collect();
    Freshness { doubts, settled: freshness.settled, generation: freshness.generation }
}

fn server(status: host::Status) -> Server {
    let state = match status.state {
        host::State::Absent => State::Absent,
        host::State::Idle => State::Idle,
        host::State::Starting => State::Starting,
        host::State::Loading => State::Loading,
        host::State::Ready => State::Ready,
        host::State::Degraded => State::Degraded,
        host::State::Dead => State::Dead,
    };
    let naming = match status.naming {
        host::Naming::Plain => Naming::Plain,
        host::Naming::Rust => Naming::Rust,
        host::Naming::Scoped => Naming::Scoped,
        host::Naming::Receiver => Naming::Receiver,
    };
    let can = status.abilities;
    let abilities = Abilities {
        document_symbols: can.document_symbols,
        workspace_symbols: can.workspace_symbols,
        references: can.references,
        definition: can.definition,
        type_definition: can.type_definition,
        implementations: can.implementations,
        calls: can.calls,
        types: can.types,
        hover: can.hover,
        completions: can.completions,
        pull_diagnostics: can.pull_diagnostics,
        workspace_diagnostics: can.workspace_diagnostics,
        rename: can.rename,
        actions: can.actions,
    };
    Server {
        profile: status.profile,
        languages: status.languages,
        extensions: status.extensions,
        state,
        message: status.message,
        progress: status.progress,
        version: status.version,
        abilities,
        naming,
        search: Search { substring: status.search.substring, cap: status.search.cap },
        restarts: status.restarts,
        memory: status.memory,
    }
}

fn position(at: host::Position) -> Position {
    Position { line: at.line, column: at.column }
}

fn range(range: host::Range) -> Range {
    Range { start: position(range.start), end: position(range.end) }
}

fn location(location: host::Location) -> Location {
    Location { path: location.path, range: range(location.range) }
}

fn places(places: &[Place]) -> Vec<host::Place> {
    let at = |place: &Place| host::Position { line: place.at.line, column: place.at.column };
    places.iter().map(|place| host::Place { path: place.path.clone(), at: at(place) }).collect()
}

fn symbol(symbol: host::Symbol) -> Symbol {
    Symbol {
        name: symbol.name,
        kind: symbol.kind,
        detail: symbol.detail,
        location: location(symbol.location),
        name_range: range(symbol.name_range),
        container: symbol.container,
        parent: symbol.parent,
        deprecated: symbol.deprecated,
    }
}

fn symbols(symbols: host::Symbols) -> Symbols {
    let items = symbols.items.into_iter().map(symbol).collect();
    let hidden = symbols.hidden.into_iter().map(range).collect();
    Symbols { items, flat: symbols.flat, hidden, freshness: freshness(symbols.freshness) }
}

fn diagnostics(answer: host::Answered<host::Diagnostic>) -> Diagnostics {
    let item = |one: host::Diagnostic| Diagnostic {
        location: location(one.location),
        severity: one.severity,
        code: one.code,
        source: one.source,
        message: one.message,
    };
    Diagnostics {
        items: answer.items.into_iter().map(item).collect(),
        freshness: freshness(answer.freshness),
    }
}
