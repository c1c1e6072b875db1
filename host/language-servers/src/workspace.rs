//! A root with its servers, and every question about the root.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

use crate::disk::{Disk, Stamp};
use crate::files::Files as Seen;
use crate::holders::{Holders, Known};
use crate::keeper::{Doubted, House, Keeper};
use crate::listing::{Found, Listing, Wanted, extension};
use crate::part;
use crate::server::{Halt, Server};
use crate::settings::Settings;
use crate::text::Text;
use crate::types::{
    Action, Answered, Cause, Completions, Diagnostic, Edit, Failure, FileFilter, Files, Follow, Line,
    Location, Locations, Neighbour, Part, Place, Shown, SourceFile, State, Status, Step, Symbols,
};

/// The most questions of one call.
const MOST_ASKED: usize = 2_000;

/// The number of requests to one server at a time: enough for every processor. With more, all answers come later, and
/// possibly none before the deadline.
fn at_most() -> usize {
    std::thread::available_parallelism().map_or(4, |processors| (2 * processors.get()).clamp(4, 16))
}

const MOST_FILES: usize = 50_000;
const MOST_TEXT: u64 = 1024 * 1024;
const MOST_LINE: usize = 10_000;
/// The most characters of an answer with lines that are longer than usual.
const MOST_LONG: usize = 4 * 1024 * 1024;
const LONG: usize = 1_000;
const MOST_LINES: usize = 20_000;
const LONGEST: Duration = Duration::from_mins(2);
const STEP: Duration = Duration::from_millis(20);

/// A root with its servers.
pub struct Workspace {
    disk: Arc<Disk>,
    files: Arc<Seen>,
    holders: Holders,
    keepers: Vec<Arc<Keeper>>,
    house: Arc<House>,
}

/// The result of a question about many items: one result for each, in the same order.
pub type Each<T> = Result<Vec<Result<T, Failure>>, Failure>;

impl Workspace {
    pub(crate) fn open(root: &Path, house: &Arc<House>) -> Result<Self, Failure> {
        let disk = Arc::new(Disk::open(root, &house.settings.closed)?);
        let files = Arc::new(Seen::new(Arc::clone(&disk), listed(&house.settings)));
        let keeper = |profile| Keeper::new(Arc::new(profile), house, &disk, &files);
        let keepers = house.settings.profiles.iter().cloned().map(keeper).collect();
        Ok(Self { disk, files, holders: Holders::default(), keepers, house: Arc::clone(house) })
    }

    /// Tells whether this is the folder that is at a path now. A folder that was removed and created again is a
    /// different one.
    pub(crate) fn is_at(&self, root: &Path) -> bool {
        self.disk.is_at(root)
    }

    /// Begins a call, so that its questions see every change before it.
    pub(crate) fn begin(&self) {
        self.files.begin();
    }

    /// Returns the root's absolute path.
    pub fn root(&self) -> String {
        self.disk.path().to_string_lossy().into_owned()
    }

    /// Returns the servers that could answer for the root, without starting any.
    pub fn servers(&self) -> Vec<Status> {
        self.keepers.iter().map(|keeper| keeper.status()).collect()
    }

    /// Lists source files, including those without a server. It starts no server.
    ///
    /// # Errors
    /// `Outside` and `NotFound`.
    pub fn files(&self, filter: &FileFilter) -> Result<Files, Failure> {
        let under = self.disk.below(&filter.under)?;
        if let Some(stamp) = self.files.stamp(&under) {
            let found = Arc::new(Listing { files: vec![Found { path: under, stamp }], cut: false });
            return Ok(self.filtered(&found, "", filter, &mut Known::nothing(letters(filter), &found)));
        }
        if !under.is_empty() && !self.disk.exists(&under) {
            return Err(self.disk.missing(&under));
        }
        if filter.ignored {
            let found = Arc::new(self.files.with_ignored());
            return Ok(self.filtered(&found, &under, filter, &mut Known::nothing(letters(filter), &found)));
        }
        let found = self.files.all();
        let mut known = self.holders.take(letters(filter), &found);
        let files = self.filtered(&found, &under, filter, &mut known);
        self.holders.keep(known);
        Ok(files)
    }

    fn filtered(&self, listing: &Listing, under: &str, filter: &FileFilter, known: &mut Known) -> Files {
        let below = |path: &str| {
            under.is_empty() || path.strip_prefix(under).is_some_and(|rest| rest.starts_with('/'))
        };
        let most = MOST_FILES.min(filter.limit as usize);
        let mut items = Vec::new();
        for (at, found) in listing.iter().enumerate().filter(|(_, found)| below(&found.path)) {
            let Some(language) = self.language(found.extension()) else { continue };
            let wanted = filter.languages.is_empty() || filter.languages.contains(&language);
            if !wanted || !known.holds(at, |found, letters| self.contains(found, letters)) {
                continue;
            }
            if items.len() >= most {
                return Files { items, truncated: true };
            }
            let Stamp { size, .. } = found.stamp;
            items.push(SourceFile { path: found.path.clone(), language, size, stamp: found.stamp.number() });
        }
        Files { items, truncated: listing.cut }
    }

    /// Whether a file contains a text; `None` if it cannot be read.
    fn contains(&self, found: &Found, letters: &str) -> Option<bool> {
        if letters.is_empty() {
            return Some(true);
        }
        let text = self.files.listed_text(found).ok()?;
        let text = text.as_str();
        Some(match letters.is_ascii() {
            true => part::contains(text, letters),
            false => text.contains(letters) || text.to_lowercase().contains(&letters.to_lowercase()),
        })
    }

    /// Reads a whole file of at most 1 MiB.
    ///
    /// # Errors
    /// `Outside`, `NotFound` and `TooLarge`.
    pub fn text(&self, path: &str) -> Result<String, Failure> {
        let path = self.disk.below(path)?;
        let (text, stamp) = self.files.text(&path)?;
        if stamp.size > MOST_TEXT {
            let message = format!("`{path}` has {} bytes, expected at most {MOST_TEXT}", stamp.size);
            return Err(Failure::new(Cause::TooLarge, message));
        }
        Ok(text.as_str().to_owned())
    }

    /// Reads lines without their line breaks; `None` for a line that does not exist.
    pub fn lines(&self, lines: &[Line]) -> Vec<Option<String>> {
        let mut texts: HashMap<&str, Option<Arc<Text>>> = HashMap::new();
        let read = |path: &str| Some(self.files.text(&self.disk.below(path).ok()?).ok()?.0);
        for line in lines.iter().take(MOST_LINES) {
            texts.entry(&line.path).or_insert_with(|| read(&line.path));
        }
        let mut long = 0;
        let mut line = |line: &Line| {
            let text = texts.get(line.path.as_str())?.as_ref()?;
            let line = text.line(line.number)?;
            let most = if line.len() <= LONG || long < MOST_LONG { MOST_LINE } else { LONG };
            let line: String = line.chars().take(most).collect();
            long += line.len().saturating_sub(LONG);
            Some(line)
        };
        lines.iter().enumerate().map(|(at, it)| if at < MOST_LINES { line(it) } else { None }).collect()
    }

    /// Starts the server of a language if necessary, and waits until it has loaded the project or the deadline
    /// passes.
    ///
    /// # Errors
    /// `NoServer`, `NotInstalled`, `StartFailed` and `GaveUp`.
    pub async fn prepare(&self, language: &str, deadline: u32) -> Result<Status, Failure> {
        let keeper = self.speaking(language)?;
        let deadline = until(deadline);
        match keeper.server(deadline).await {
            Ok(server) => {
                let waits = |state| matches!(state, State::Starting | State::Loading);
                while waits(server.state()) && server.ended().is_none() && Instant::now() + STEP < deadline {
                    sleep(STEP).await;
                }
            }
            Err(failure) if failure.cause == Cause::Timeout => {}
            Err(failure) => return Err(failure),
        }
        Ok(keeper.status())
    }

    /// Returns the outlines of files.
    pub async fn document_symbols(&self, paths: Vec<String>, deadline: u32) -> Each<Symbols> {
        let until = until(deadline);
        let ask = move |server: Arc<Server>, path: Arc<String>| async move {
            Ok(server.document_symbols(&path, until).await?.as_ref().clone())
        };
        self.refresh_once(paths.len());
        self.each(paths, |path| path, until, ask).await
    }

    /// Returns parts of the outlines of files.
    pub async fn symbol_parts(&self, parts: Vec<Part>, deadline: u32) -> Each<Symbols> {
        let until = until(deadline);
        let ask =
            move |server: Arc<Server>, part: Arc<Part>| async move { server.symbol_part(&part, until).await };
        self.refresh_once(parts.len());
        self.each(parts, |part| &mut part.path, until, ask).await
    }

    /// Finds symbols of a language by a part of their name.
    pub async fn workspace_symbols(
        &self,
        language: &str,
        text: &str,
        deadline: u32,
    ) -> Result<Symbols, Failure> {
        let until = until(deadline);
        let keeper = self.speaking(language)?;
        keeper.ask(until, |server| async move { server.workspace_symbols(text, until).await }).await
    }

    /// Finds the targets of relations from places.
    pub async fn related(&self, asked: Vec<Follow>, deadline: u32) -> Each<Locations> {
        let until = until(deadline);
        let ask = move |server: Arc<Server>, follow: Arc<Follow>| async move {
            server.related(follow.relation, &follow.at, until).await
        };
        self.each(asked, |follow| &mut follow.at.path, until, ask).await
    }

    /// Follows one step of a hierarchy from places.
    pub async fn hierarchy(
        &self,
        step: Step,
        places: Vec<Place>,
        deadline: u32,
    ) -> Each<Answered<Neighbour>> {
        let until = until(deadline);
        let ask = move |server: Arc<Server>, place: Arc<Place>| async move {
            server.hierarchy(step, &place, until).await
        };
        self.each(places, place_path, until, ask).await
    }

    /// Returns the hover texts of places.
    pub async fn hover(&self, places: Vec<Place>, deadline: u32) -> Each<Shown> {
        let until = until(deadline);
        let ask =
            move |server: Arc<Server>, place: Arc<Place>| async move { server.hover(&place, until).await };
        self.each(places, place_path, until, ask).await
    }

    /// Returns the diagnostics of files, each for its newest text.
    pub async fn diagnostics(&self, paths: Vec<String>, deadline: u32) -> Each<Answered<Diagnostic>> {
        let until = until(deadline);
        let ask = move |server: Arc<Server>, path: Arc<String>| async move {
            server.diagnostics(&path, until).await
        };
        self.each(paths, |path| path, until, ask).await
    }

    /// Returns the diagnostics of the whole root from the server of a language.
    pub async fn workspace_diagnostics(
        &self,
        language: &str,
        deadline: u32,
    ) -> Result<Answered<Diagnostic>, Failure> {
        let until = until(deadline);
        let keeper = self.speaking(language)?;
        keeper.ask(until, |server| async move { server.workspace_diagnostics(until).await }).await
    }

    /// Returns the completions at a place.
    pub async fn completions(
        &self,
        mut place: Place,
        overlay: Option<&str>,
        limit: u32,
        deadline: u32,
    ) -> Result<Completions, Failure> {
        let until = until(deadline);
        place.path = self.disk.below(&place.path)?;
        let keeper = self.of(&place.path)?;
        let place = &place;
        keeper
            .ask(
                until,
                |server| async move { server.completions(place, overlay, limit as usize, until).await },
            )
            .await
    }

    /// Returns the changes that would rename the symbol at a place.
    ///
    /// # Errors
    /// Those of a question, and `Failed` if the server would also rename files.
    pub async fn rename(
        &self,
        mut place: Place,
        name: &str,
        deadline: u32,
    ) -> Result<Answered<Edit>, Failure> {
        let until = until(deadline);
        place.path = self.disk.below(&place.path)?;
        let keeper = self.of(&place.path)?;
        let place = &place;
        keeper.ask(until, |server| async move { server.rename(place, name, until).await }).await
    }

    /// Returns the changes that the server offers for a range, of one kind or of all kinds.
    pub async fn actions(
        &self,
        mut at: Location,
        kind: Option<&str>,
        deadline: u32,
    ) -> Result<Answered<Action>, Failure> {
        let until = until(deadline);
        at.path = self.disk.below(&at.path)?;
        let keeper = self.of(&at.path)?;
        let at = &at;
        keeper.ask(until, |server| async move { server.actions(at, kind, until).await }).await
    }

    /// Restarts the server of a language, or all running servers.
    ///
    /// # Errors
    /// `NoServer`.
    pub fn restart(&self, language: Option<&str>) -> Result<(), Failure> {
        let spoken = |keeper: &&Arc<Keeper>| language.is_none_or(|language| keeper.profile.speaks(language));
        let chosen: Vec<_> = self.keepers.iter().filter(spoken).collect();
        if let (Some(language), true) = (language, chosen.is_empty()) {
            return Err(self.no_server(language));
        }
        for keeper in chosen {
            let again = keeper.is_active();
            keeper.restart();
            if again {
                let keeper = Arc::clone(keeper);
                tokio::spawn(async move { drop(keeper.server(until(60_000)).await) });
            }
        }
        Ok(())
    }

    /// Asks all servers to stop, without waiting for them.
    pub(crate) fn stop(&self) {
        self.keepers.iter().for_each(|keeper| keeper.stop());
    }

    /// Whether a list of files takes a walk or a search in many files.
    pub(crate) fn is_long(&self, filter: &FileFilter) -> bool {
        filter.containing.is_some() || filter.ignored || self.needs_walk()
    }

    /// Whether the next question is likely to walk the root.
    pub(crate) fn needs_walk(&self) -> bool {
        self.files.is_due()
    }

    /// Stops every list of files until the result is dropped.
    #[cfg(test)]
    pub(crate) fn hold(&self) -> impl Sized {
        self.files.hold()
    }

    pub(crate) fn walk(&self) {
        drop(self.files.all());
    }

    /// Walks the files once, before many servers are asked.
    fn refresh_once(&self, files: usize) {
        if files > 1 {
            drop(self.files.all());
        }
    }

    /// Asks about many items in parallel, and returns the answers in the order of the items.
    async fn each<I, T, F, A>(
        &self,
        items: Vec<I>,
        path: impl Fn(&mut I) -> &mut String,
        until: Instant,
        ask: A,
    ) -> Each<T>
    where
        I: Send + Sync + 'static,
        T: Doubted + Send + 'static,
        F: Future<Output = Result<T, Halt>> + Send + 'static,
        A: Fn(Arc<Server>, Arc<I>) -> F + Clone + Send + Sync + 'static,
    {
        if items.len() > MOST_ASKED {
            let message = format!("{} were asked about at once, expected at most {MOST_ASKED}", items.len());
            return Err(Failure::new(Cause::TooLarge, message).suggest("ask about fewer at once"));
        }
        let alone = items.len() == 1;
        let mut answers: Vec<Option<Result<T, Failure>>> = items.iter().map(|_| None).collect();
        let room = Arc::new(Semaphore::new(at_most()));
        let mut asked = JoinSet::new();
        for (at, mut item) in items.into_iter().enumerate() {
            let keeper = self.disk.below(path(&mut item)).and_then(|below| {
                let keeper = self.of(&below)?;
                *path(&mut item) = below;
                Ok(Arc::clone(keeper))
            });
            match keeper {
                // A single question runs here, because a task would have to wake up another thread.
                Ok(keeper) if alone => answers[at] = Some(one(&keeper, item, until, ask.clone()).await),
                Ok(keeper) => {
                    let (ask, room) = (ask.clone(), Arc::clone(&room));
                    let mut asking = Box::pin(async move {
                        let _turn = room.acquire_owned().await;
                        one(&keeper, item, until, ask).await
                    });
                    // An answer that is available at once needs no task of its own. Any other is awaited in a task.
                    match at_once(asking.as_mut()) {
                        Some(answer) => answers[at] = Some(answer),
                        None => drop(asked.spawn(async move { (at, asking.await) })),
                    }
                }
                Err(failure) => answers[at] = Some(Err(failure)),
            }
        }
        while let Some(done) = asked.join_next().await {
            let (at, answer) = done.map_err(|error| Failure::new(Cause::Failed, error.to_string()))?;
            answers[at] = Some(answer);
        }
        Ok(answers.into_iter().map(|answer| answer.unwrap_or_else(|| Err(lost()))).collect())
    }

    /// Returns the language of a file. Files without a server are listed too, so that nobody assumes that they were
    /// read.
    fn language(&self, extension: &str) -> Option<String> {
        let served = self.keepers.iter().find_map(|keeper| keeper.profile.files.get(extension));
        served.or_else(|| self.house.settings.without_server.get(extension)).cloned()
    }

    /// Returns the keeper of the server for a file.
    fn of(&self, path: &str) -> Result<&Arc<Keeper>, Failure> {
        let extension = extension(path);
        let mut speaking = self.keepers.iter().filter(|keeper| keeper.profile.files.contains_key(extension));
        if self.files.stamp(path).is_none() && !self.disk.exists(path) {
            return Err(self.disk.missing(path));
        }
        Self::installed(&mut speaking).unwrap_or_else(|| Err(self.no_server(&format!(".{extension}"))))
    }

    fn speaking(&self, language: &str) -> Result<&Arc<Keeper>, Failure> {
        let mut speaking = self.keepers.iter().filter(|keeper| keeper.profile.speaks(language));
        Self::installed(&mut speaking).unwrap_or_else(|| Err(self.no_server(language)))
    }

    /// Returns the first keeper whose server is installed, or else why the first one is not.
    fn installed<'a>(
        keepers: &mut dyn Iterator<Item = &'a Arc<Keeper>>,
    ) -> Option<Result<&'a Arc<Keeper>, Failure>> {
        let mut missing = None;
        for keeper in keepers {
            match keeper.program() {
                Ok(_) => return Some(Ok(keeper)),
                Err(failure) => missing = missing.or(Some(Err(failure))),
            }
        }
        missing
    }

    fn no_server(&self, what: &str) -> Failure {
        let languages: HashSet<String> =
            self.keepers.iter().flat_map(|keeper| keeper.profile.languages()).collect();
        let mut languages: Vec<String> = languages.into_iter().collect();
        languages.sort_unstable();
        let message = format!("no language server for {what}, expected one of {}", languages.join(", "));
        Failure::new(Cause::NoServer, message)
    }
}

/// Returns which files a listing needs: source files, and files that a server wants to hear about.
fn listed(settings: &Settings) -> Box<Wanted> {
    let served = settings.profiles.iter().flat_map(|profile| profile.files.keys());
    let extensions: HashSet<String> = served.chain(settings.without_server.keys()).cloned().collect();
    let watched = settings.profiles.iter().flat_map(|profile| profile.watched.iter().cloned());
    let names: HashSet<String> = watched.collect();
    Box::new(move |path| {
        extensions.contains(extension(path)) || names.contains(path.rsplit('/').next().unwrap_or(path))
    })
}

/// Asks about one item, and once more if the server dies of it.
async fn one<I, T: Doubted, F: Future<Output = Result<T, Halt>>>(
    keeper: &Arc<Keeper>,
    item: I,
    until: Instant,
    ask: impl Fn(Arc<Server>, Arc<I>) -> F,
) -> Result<T, Failure> {
    let item = Arc::new(item);
    keeper.ask(until, |server| ask(server, Arc::clone(&item))).await
}

/// Polls a future once. Returns its output if it is ready; otherwise the caller awaits it.
fn at_once<F: Future>(asking: Pin<&mut F>) -> Option<F::Output> {
    match asking.poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(answer) => Some(answer),
        Poll::Pending => None,
    }
}

fn place_path(place: &mut Place) -> &mut String {
    &mut place.path
}

/// The text that files must contain; empty if any file will do.
fn letters(filter: &FileFilter) -> &str {
    filter.containing.as_deref().unwrap_or_default()
}

fn until(milliseconds: u32) -> Instant {
    Instant::now() + Duration::from_millis(milliseconds.into()).min(LONGEST)
}

fn lost() -> Failure {
    Failure::new(Cause::Failed, "the question was lost")
}
