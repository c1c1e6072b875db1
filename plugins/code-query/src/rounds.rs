//! Runs the queries of one call in rounds. Each query runs as far as the known answers allow, and then all their next
//! questions go to the servers at once. So fifty queries take only as long as the servers need, without fifty round
//! trips.
//!
//! A query is a pure function of the answers to its questions. If a query would have to wait, it is dropped, and it
//! starts again when the answer has arrived. The stored answers lead it to the same point.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use iac_plugin::Json;

use crate::request::{Ask, Query};
use crate::scope::Desk;
use crate::trouble::Trouble;
use crate::world::*;

/// The maximum number of rounds of a query. A query that needs more continues alone.
const MOST: usize = 16;

/// The maximum number of symbols and other answers to keep for later queries.
const KEPT: usize = 50_000;

/// Answers queries in their order.
pub(crate) fn answer(
    workspaces: &[Box<dyn Workspace + '_>],
    closed: &[Closed],
    queries: &[Result<Query, Trouble>],
    run: impl Fn(&Desk<'_>, &Result<Query, Trouble>) -> Json,
) -> Vec<Json> {
    let acts = |query: &Result<Query, Trouble>| query.as_ref().is_ok_and(|query| acts(&query.ask));
    if queries.iter().any(acts) {
        let desk = Desk::new(workspaces.iter().map(AsRef::as_ref), closed);
        return queries.iter().map(|query| run(&desk, query)).collect();
    }
    let known: Vec<Known<'_>> = workspaces.iter().map(|workspace| Known::new(workspace.as_ref())).collect();
    let desk = Desk::new(known.iter().map(|known| known as &dyn Workspace), closed);
    let mut answers: Vec<Option<Json>> = queries.iter().map(|_| None).collect();
    // A query alone has nothing to wait for. Its answers are kept too: the name of a root stands at each of its places.
    let rounds = if queries.len() < 2 { 0 } else { MOST };
    for _ in 0..rounds {
        for (query, answer) in queries.iter().zip(&mut answers).filter(|(_, answer)| answer.is_none()) {
            known.iter().for_each(|known| known.begin(true));
            let found = run(&desk, query);
            *answer = known.iter().all(Known::is_whole).then_some(found);
        }
        let asked = known.iter().filter(|known| known.ask()).count();
        if asked == 0 {
            break;
        }
    }
    known.iter().for_each(|known| known.begin(false));
    queries.iter().zip(answers).map(|(query, answer)| answer.unwrap_or_else(|| run(&desk, query))).collect()
}

/// Whether the order of this query among the others matters: it changes the servers, or reports their state.
fn acts(ask: &Ask) -> bool {
    matches!(ask, Ask::Restart { .. } | Ask::Status)
}

/// A root with the answers for it in this call.
struct Known<'a> {
    world: &'a dyn Workspace,
    run: Run,
    root: OnceCell<String>,
    servers: OnceCell<Vec<Server>>,
    files: Told<FileFilter, Result<Files, Failure>>,
    ready: RefCell<BTreeMap<String, Server>>,
    lines: Told<Line, Option<String>>,
    outlines: Told<String, Result<Symbols, Failure>>,
    parts: Told<Part, Result<Symbols, Failure>>,
    followed: Told<Follow, Result<Locations, Failure>>,
    shown: Told<Place, Result<Shown, Failure>>,
    said: Told<String, Result<Diagnostics, Failure>>,
    /// The places that this run has asked about. If a run repeats a question, it wants fresh diagnostics.
    again: RefCell<BTreeSet<String>>,
}

/// The progress of the running query, and the amount of stored answers.
#[derive(Default)]
struct Run {
    /// Whether unknown answers are to be requested later.
    ahead: Cell<bool>,
    /// Whether an answer was unknown. The rest of the run then has no effect.
    lost: Cell<bool>,
    kept: Cell<usize>,
}

impl Run {
    /// Notes that a query that runs ahead cannot continue. Returns whether the query runs ahead.
    fn stops(&self) -> bool {
        self.lost.set(self.lost.get() || self.ahead.get());
        self.lost.get()
    }

    fn is_full(&self) -> bool {
        self.kept.get() >= KEPT
    }
}

/// The answers to one kind of question, and the questions that wait for an answer, by deadline.
struct Told<Q, A> {
    known: RefCell<BTreeMap<String, A>>,
    wanted: RefCell<BTreeMap<u32, BTreeMap<String, Q>>>,
}

impl<Q, A> Default for Told<Q, A> {
    fn default() -> Self {
        Self { known: RefCell::default(), wanted: RefCell::default() }
    }
}

impl<Q: Clone + Spelled, T: Clone + Weigh> Told<Q, Result<T, Failure>> {
    /// Returns the known answers to questions, and asks for the rest, or notes that it needs them.
    fn each(&self, run: &Run, questions: &[Q], deadline: u32, ask: impl Fn(&[Q], u32) -> Each<T>) -> Each<T> {
        Ok(self.answers(
            run,
            questions,
            deadline,
            |asked, deadline| each(asked, deadline, &ask),
            || Err(unknown()),
        ))
    }
}

impl<Q: Clone + Spelled, A: Clone + Weigh> Told<Q, A> {
    fn answers(
        &self,
        run: &Run,
        questions: &[Q],
        deadline: u32,
        ask: impl Fn(&[Q], u32) -> Vec<A>,
        nothing: impl Fn() -> A,
    ) -> Vec<A> {
        let keys: Vec<String> = questions.iter().map(spelled).collect();
        let mut fresh = BTreeMap::new();
        let unknown = self.unknown(&keys, questions);
        let was_lost = run.lost.get();
        if !unknown.is_empty() && !run.stops() {
            fresh = learned(unknown, deadline, ask);
        } else if !unknown.is_empty() && !was_lost && !run.is_full() {
            self.wanted.borrow_mut().entry(deadline).or_default().extend(unknown);
        }
        let answers = {
            let known = self.known.borrow();
            let answer = |key: &String| known.get(key).or_else(|| fresh.get(key)).cloned();
            keys.iter().map(|key| answer(key).unwrap_or_else(&nothing)).collect()
        };
        self.keep(run, fresh);
        answers
    }

    fn unknown(&self, keys: &[String], questions: &[Q]) -> BTreeMap<String, Q> {
        let known = self.known.borrow();
        let unknown = keys.iter().zip(questions).filter(|(key, _)| !known.contains_key(*key));
        unknown.map(|(key, question)| (key.clone(), question.clone())).collect()
    }

    /// Asks the waiting questions; tells whether there were any.
    fn ask(&self, run: &Run, ask: impl Fn(&[Q], u32) -> Vec<A>) -> bool {
        let wanted = self.wanted.take();
        let any = !wanted.is_empty();
        for (deadline, asked) in wanted {
            self.keep(run, learned(asked, deadline, &ask));
        }
        any
    }

    fn keep(&self, run: &Run, fresh: BTreeMap<String, A>) {
        if !run.is_full() {
            run.kept.set(run.kept.get() + fresh.values().map(Weigh::weight).sum::<usize>());
            self.known.borrow_mut().extend(fresh);
        }
    }
}

fn learned<Q, A>(
    asked: BTreeMap<String, Q>,
    deadline: u32,
    ask: impl Fn(&[Q], u32) -> Vec<A>,
) -> BTreeMap<String, A> {
    let (keys, questions): (Vec<String>, Vec<Q>) = asked.into_iter().unzip();
    keys.into_iter().zip(ask(&questions, deadline)).collect()
}

/// Asks about many places. If there are too many for one request, asks about fewer at once.
fn each<Q, T>(asked: &[Q], deadline: u32, ask: &dyn Fn(&[Q], u32) -> Each<T>) -> Vec<Result<T, Failure>> {
    match ask(asked, deadline) {
        Ok(answers) => answers,
        Err(failure) if failure.cause == Cause::TooLarge && asked.len() > 1 => {
            let (first, rest) = asked.split_at(asked.len() / 2);
            [first, rest].into_iter().flat_map(|half| each(half, deadline, ask)).collect()
        }
        Err(failure) => asked.iter().map(|_| Err(failure.clone())).collect(),
    }
}

/// The identity of a question: its fields in order, each text after its length, so that different questions have
/// different identities.
trait Spelled {
    fn spell(&self, words: &mut String);
}

fn spelled(question: &(impl Spelled + ?Sized)) -> String {
    let mut words = String::new();
    question.spell(&mut words);
    words
}

impl Spelled for str {
    fn spell(&self, words: &mut String) {
        words.push_str(&format!("{}:{self}", self.len()));
    }
}

impl Spelled for String {
    fn spell(&self, words: &mut String) {
        self.as_str().spell(words);
    }
}

impl Spelled for u32 {
    fn spell(&self, words: &mut String) {
        words.push_str(&format!("{self};"));
    }
}

impl<T: Spelled> Spelled for [T] {
    fn spell(&self, words: &mut String) {
        words.push_str(&format!("{}[", self.len()));
        self.iter().for_each(|one| one.spell(words));
    }
}

impl Spelled for Position {
    fn spell(&self, words: &mut String) {
        self.line.spell(words);
        self.column.spell(words);
    }
}

impl Spelled for Place {
    fn spell(&self, words: &mut String) {
        self.path.spell(words);
        self.at.spell(words);
    }
}

impl Spelled for Follow {
    fn spell(&self, words: &mut String) {
        (self.relation as u32).spell(words);
        self.at.spell(words);
    }
}

impl Spelled for Part {
    fn spell(&self, words: &mut String) {
        self.path.spell(words);
        self.around.spell(words);
        self.named.spell(words);
    }
}

impl Spelled for Line {
    fn spell(&self, words: &mut String) {
        self.path.spell(words);
        self.number.spell(words);
    }
}

impl Spelled for FileFilter {
    fn spell(&self, words: &mut String) {
        self.under.spell(words);
        self.languages.spell(words);
        self.containing.as_slice().spell(words);
        u32::from(self.ignored).spell(words);
        self.limit.spell(words);
    }
}

/// A placeholder for an unknown answer; no one sees it.
fn unknown() -> Failure {
    let message = "it was not asked yet".to_owned();
    Failure { cause: Cause::Failed, message, suggestion: None, retry_after: None }
}

/// The memory that a stored answer takes.
trait Weigh {
    fn weight(&self) -> usize {
        1
    }
}

impl Weigh for Option<String> {}
impl Weigh for Shown {}

impl Weigh for Symbols {
    fn weight(&self) -> usize {
        1 + self.items.len()
    }
}

impl Weigh for Locations {
    fn weight(&self) -> usize {
        1 + self.items.len()
    }
}

impl Weigh for Diagnostics {
    fn weight(&self) -> usize {
        1 + self.items.len()
    }
}

impl Weigh for Files {
    fn weight(&self) -> usize {
        1 + self.items.len()
    }
}

impl<T: Weigh> Weigh for Result<T, Failure> {
    fn weight(&self) -> usize {
        self.as_ref().map_or(1, T::weight)
    }
}

impl<'a> Known<'a> {
    fn new(world: &'a dyn Workspace) -> Self {
        Self {
            world,
            run: Run::default(),
            root: OnceCell::new(),
            servers: OnceCell::new(),
            files: Told::default(),
            ready: RefCell::default(),
            lines: Told::default(),
            outlines: Told::default(),
            parts: Told::default(),
            followed: Told::default(),
            shown: Told::default(),
            said: Told::default(),
            again: RefCell::default(),
        }
    }

    /// Begins a query; `ahead` means that it asks no question that takes time.
    fn begin(&self, ahead: bool) {
        self.run.ahead.set(ahead);
        self.run.lost.set(false);
        self.again.borrow_mut().clear();
    }

    /// Asks the host a question that needs no language server and no waiting: for the list of files, or for their
    /// contents.
    fn at_once<T>(&self, ask: impl FnOnce(&Run) -> T) -> T {
        let ahead = self.run.ahead.replace(false);
        let answer = ask(&self.run);
        self.run.ahead.set(ahead);
        answer
    }

    /// Asks a question whose answer is not kept for other queries.
    fn alone<T>(&self, ask: impl FnOnce(&dyn Workspace) -> Result<T, Failure>) -> Result<T, Failure> {
        if self.run.stops() { Err(unknown()) } else { ask(self.world) }
    }

    /// Whether the query has run to its end.
    fn is_whole(&self) -> bool {
        !self.run.lost.get()
    }

    /// Asks the questions of all queries; tells whether there was any.
    fn ask(&self) -> bool {
        let (world, run) = (self.world, &self.run);
        let asked = [
            self.outlines.ask(run, |asked, time| {
                each(asked, time, &|asked, time| world.document_symbols(asked, time))
            }),
            self.parts
                .ask(run, |asked, time| each(asked, time, &|asked, time| world.symbol_parts(asked, time))),
            self.followed.ask(run, |asked, time| each(asked, time, &|asked, time| world.follow(asked, time))),
            self.shown.ask(run, |asked, time| each(asked, time, &|asked, time| world.hover(asked, time))),
            self.said
                .ask(run, |asked, time| each(asked, time, &|asked, time| world.diagnostics(asked, time))),
        ];
        asked.contains(&true)
    }
}

impl Workspace for Known<'_> {
    fn root(&self) -> String {
        self.root.get_or_init(|| self.world.root()).clone()
    }

    fn servers(&self) -> Vec<Server> {
        self.servers.get_or_init(|| self.world.servers()).clone()
    }

    fn files(&self, filter: &FileFilter) -> Result<Files, Failure> {
        let ask =
            |asked: &[FileFilter], _: u32| asked.iter().map(|filter| self.world.files(filter)).collect();
        let filters = std::slice::from_ref(filter);
        let answers = self.at_once(|run| self.files.answers(run, filters, 0, ask, || Err(unknown())));
        answers.into_iter().next().unwrap_or_else(|| Err(unknown()))
    }

    fn text(&self, path: &str) -> Result<String, Failure> {
        if self.run.lost.get() { Err(unknown()) } else { self.world.text(path) }
    }

    fn lines(&self, lines: &[Line]) -> Vec<Option<String>> {
        self.at_once(|run| self.lines.answers(run, lines, 0, |asked, _| self.world.lines(asked), || None))
    }

    /// A server that is ready counts as ready for all queries of a call.
    fn prepare(&self, language: &str, deadline: u32) -> Result<Server, Failure> {
        if let Some(server) = self.ready.borrow().get(language) {
            return Ok(server.clone());
        }
        if self.run.lost.get() {
            return Err(unknown());
        }
        let server = self.world.prepare(language, deadline)?;
        if server.state == State::Ready {
            self.ready.borrow_mut().insert(language.to_owned(), server.clone());
        }
        Ok(server)
    }

    fn document_symbols(&self, paths: &[String], deadline: u32) -> Each<Symbols> {
        self.outlines.each(&self.run, paths, deadline, |asked, time| self.world.document_symbols(asked, time))
    }

    fn symbol_parts(&self, parts: &[Part], deadline: u32) -> Each<Symbols> {
        self.parts.each(&self.run, parts, deadline, |asked, time| self.world.symbol_parts(asked, time))
    }

    fn workspace_symbols(&self, language: &str, text: &str, deadline: u32) -> Result<Symbols, Failure> {
        self.alone(|world| world.workspace_symbols(language, text, deadline))
    }

    fn follow(&self, asked: &[Follow], deadline: u32) -> Each<Locations> {
        self.followed.each(&self.run, asked, deadline, |asked, time| self.world.follow(asked, time))
    }

    fn hierarchy(&self, step: Step, places: &[Place], deadline: u32) -> Each<Neighbours> {
        self.alone(|world| world.hierarchy(step, places, deadline))
    }

    fn hover(&self, places: &[Place], deadline: u32) -> Each<Shown> {
        let first = self.again.borrow_mut().insert(spelled(places));
        if !first {
            return self.alone(|world| world.hover(places, deadline));
        }
        self.shown.each(&self.run, places, deadline, |asked, time| self.world.hover(asked, time))
    }

    fn diagnostics(&self, paths: &[String], deadline: u32) -> Each<Diagnostics> {
        self.said.each(&self.run, paths, deadline, |asked, time| self.world.diagnostics(asked, time))
    }

    fn workspace_diagnostics(&self, language: &str, deadline: u32) -> Result<Diagnostics, Failure> {
        self.alone(|world| world.workspace_diagnostics(language, deadline))
    }

    fn completions(
        &self,
        place: &Place,
        overlay: Option<&str>,
        limit: u32,
        deadline: u32,
    ) -> Result<Completions, Failure> {
        self.alone(|world| world.completions(place, overlay, limit, deadline))
    }

    fn rename(&self, place: &Place, name: &str, deadline: u32) -> Result<Edits, Failure> {
        self.alone(|world| world.rename(place, name, deadline))
    }

    fn actions(&self, at: &Location, kind: Option<&str>, deadline: u32) -> Result<Actions, Failure> {
        self.alone(|world| world.actions(at, kind, deadline))
    }

    fn restart(&self, language: Option<&str>) -> Result<(), Failure> {
        self.alone(|world| world.restart(language))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_that_differ_are_told_apart() {
        let part = |path: &str, named: &[&str]| {
            let named = named.iter().map(|&name| name.to_owned()).collect();
            spelled(&Part { path: path.to_owned(), around: Vec::new(), named })
        };
        let all = [
            part("a", &["b", "c"]),
            part("a", &["b:c"]),
            part("a", &["bc"]),
            part("a1:b", &["c"]),
            part("a", &[]),
        ];
        assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len(), "{all:?}");
        assert_eq!(part("a", &["b"]), part("a", &["b"]));
        let filter = |containing: Option<&str>| {
            let containing = containing.map(str::to_owned);
            spelled(&FileFilter {
                containing,
                under: String::new(),
                languages: Vec::new(),
                ignored: false,
                limit: 1,
            })
        };
        assert_ne!(filter(None), filter(Some("")));
    }
}
