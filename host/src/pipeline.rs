//! Runs one call, from its arguments to its answer: the core decides, the supervisor runs scripts, and the core
//! continues.

mod consents;
mod convert;
mod explain;
mod leads;
mod lookup;
mod operator;
mod permission;
mod screen;
mod status;
mod system;
pub(crate) mod tools;
mod way_back;

use std::cell::LazyCell;
use std::collections::BTreeSet;
use std::io;
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use iac_apps::{Catalog, Definition, Need};
use iac_core::Millis;
use iac_core::app::Apps;
use iac_core::call::{Call, ScriptCall, Tool, WebCall};
use iac_core::catalog::CommandTool;
use iac_core::dictionary::describe::describe;
use iac_core::fault::{Code, Fault};
use iac_core::jxa::Script;
use iac_core::permission::{Decided, Gate, Level, Policy, Question};
use iac_core::plan::Learned;
use iac_core::reference::{Limits, RefId, References};
use iac_core::step::{self, Apart, Ask, Event, Load, Outcome, Run, RunFailure, Step};
use iac_osascript::{Kind, Place, Supervisor};
use iac_state::State;
use iac_state::references::SavedReferences;
use serde_json::{Map, Value as Json};
use tokio_util::sync::CancellationToken;

use crate::activity::Activity;
use crate::consent::Caller;
use crate::simulated::World;
use crate::web::Web;
use consents::Consents;
pub use explain::Explained;
pub use operator::Operator;
pub(crate) use permission::SERVERS;
use permission::{Attempt, Permission};
use screen::Screen;
pub use system::{PluginReport, PluginStatus, TOOL as SYSTEM};
pub use tools::ToolsOf;
pub(crate) use way_back::Write;

/// What the audit log calls a plugin's script.
const SCRIPTS: &str = "app-scripts";

/// What the audit log calls a plugin's web request.
const HTTP: &str = "http";

/// Everything that a pipeline is built from.
#[derive(Debug, Default)]
pub struct Settings {
    /// How apps are found.
    pub apps: iac_apps::Settings,
    /// How scripts are run.
    pub osascript: iac_osascript::Settings,
    /// The simulated Mac, if one is used in place of this Mac.
    pub world: Option<World>,
    /// The folder that `~/` stands for on that Mac; empty if unknown.
    pub home: String,
    /// The apps whose commands become separate tools.
    pub tools: ToolsOf,
    /// How many references are kept, and for how long.
    pub limits: Limits,
    /// Whether an error includes the script that caused it.
    pub debug: bool,
    /// The state directory; `None` for a temporary one that is removed with the pipeline.
    pub state: Option<State>,
    /// Whether a user is logged in to a screen on which a dialog can be shown.
    pub screen: bool,
    /// The command-line options with which the operator reaches the same Mac and state.
    pub operator: Operator,
    /// Sends plugins' requests to web servers.
    pub web: Web,
    /// Settings that differ from the defaults, as `system` reports them: key, value and source.
    pub said: Vec<Json>,
}

/// Runs every call. It owns the data that the core may read, and does everything that the core cannot do itself.
#[derive(Debug)]
pub struct Pipeline {
    catalog: Arc<Catalog>,
    /// Calls that arrive before the list of apps is known wait for this in order.
    line: tokio::sync::Mutex<()>,
    supervisor: Supervisor,
    /// Dropped before the simulated Mac, because its files may be inside that Mac's folder.
    permission: Permission,
    world: Option<Arc<World>>,
    home: String,
    tools: tools::Tools,
    debug: bool,
    memory: Mutex<Memory>,
    /// The file of references that outlive the process.
    saved: Mutex<SavedReferences>,
    /// Whether the references of earlier processes were taken over.
    adopted: AtomicBool,
    clock: Clock,
    counters: Counters,
    activity: Activity,
    screen: Screen,
    consents: Consents,
    operator: Operator,
    web: Web,
    said: Vec<Json>,
}

/// What the core remembers between calls.
#[derive(Debug)]
struct Memory {
    references: References,
    learned: Learned,
}

/// A clock that never goes back and counts from the Unix epoch. Unlike an `Instant`, it advances while the Mac
/// sleeps, so a grant for an hour ends overnight. It also advances if the system clock is set back, because otherwise
/// that hour would last longer.
#[derive(Debug)]
struct Clock {
    started: Instant,
    /// The wall-clock time of `started`. It only increases when the system clock is read again.
    began: AtomicU64,
}

/// Counts since the start of the server.
#[derive(Debug, Default)]
struct Counters {
    calls: AtomicU64,
    errors: AtomicU64,
    events: AtomicU64,
}

/// The answer to a call.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// What the client gets.
    pub outcome: Outcome,
    /// How long the call took.
    pub elapsed: Duration,
    /// The question for the user, if the client must repeat the call with an answer. The outcome then only says so.
    pub question: Option<Box<Question>>,
}

/// How far a call got.
#[derive(Debug)]
struct Driven {
    outcome: Outcome,
    question: Option<Box<Question>>,
}

impl From<Outcome> for Driven {
    fn from(outcome: Outcome) -> Self {
        Self { outcome, question: None }
    }
}

impl From<Box<Question>> for Driven {
    fn from(question: Box<Question>) -> Self {
        let message =
            format!("{}: this needs the yes of a human, who has not been asked yet", question.told());
        let fault = Fault::new(Code::PermissionRequired, message, "ask, and call again with the answer");
        Self { outcome: refused(&fault.with("requiresPrompt", true)), question: Some(question) }
    }
}

impl Pipeline {
    /// Makes a pipeline. Nothing is read and no process is started before the first call.
    ///
    /// # Errors
    /// The supervisor cannot be made.
    pub fn new(settings: Settings) -> io::Result<Self> {
        let references = References::new(settings.limits);
        let state = settings.state.map_or_else(State::passing, Ok).map_err(io::Error::other)?;
        let saved = Mutex::new(state.saved_references());
        let permission = Permission::new(Arc::new(state), &settings.home);
        Ok(Self {
            catalog: Arc::new(Catalog::new(settings.apps)),
            line: tokio::sync::Mutex::default(),
            supervisor: Supervisor::new(settings.osascript)?,
            world: settings.world.map(Arc::new),
            home: settings.home,
            tools: tools::Tools::new(settings.tools),
            debug: settings.debug,
            saved,
            adopted: AtomicBool::new(false),
            permission,
            memory: Mutex::new(Memory { references, learned: Learned::default() }),
            clock: Clock::start(),
            counters: Counters::default(),
            activity: Activity::default(),
            screen: Screen::new(settings.screen),
            consents: Consents::default(),
            operator: settings.operator,
            web: settings.web,
            said: settings.said,
        })
    }

    /// Answers a call of a core tool.
    pub async fn call(
        &self,
        tool: Tool,
        arguments: &Map<String, Json>,
        caller: &Caller,
        cancel: CancellationToken,
    ) -> Answer {
        let call = Call::read(tool, arguments);
        match &call {
            // The log identifies the script's text by its digest.
            Ok(Call::RunScript(script)) => {
                let arguments = script.arguments();
                Box::pin(self.answer(tool.name(), call, &arguments, caller, cancel)).await
            }
            _ => self.answer(tool.name(), call, arguments, caller, cancel).await,
        }
    }

    /// Answers a call of a command that is a tool of its own.
    pub async fn run_command(
        &self,
        tool: &CommandTool,
        arguments: &Map<String, Json>,
        caller: &Caller,
        cancel: CancellationToken,
    ) -> Answer {
        self.answer(&tool.name, Ok(tool.call(arguments.clone())), arguments, caller, cancel).await
    }

    /// Answers a plugin's call of a script of its package.
    pub async fn run_script(&self, call: ScriptCall, caller: &Caller, cancel: CancellationToken) -> Answer {
        let arguments = call.arguments();
        self.answer(SCRIPTS, Ok(Call::Script(call)), &arguments, caller, cancel).await
    }

    /// Answers a plugin's request to a web server.
    pub async fn request(&self, call: WebCall, caller: &Caller, cancel: CancellationToken) -> Answer {
        let arguments = call.arguments();
        self.answer(HTTP, Ok(Call::Web(call)), &arguments, caller, cancel).await
    }

    /// Answers a call; `name` is its name in the audit log. It reserves a place before it waits for anything, so that
    /// calls start in order of arrival.
    async fn answer(
        &self,
        name: &str,
        call: Result<Call, Fault>,
        arguments: &Map<String, Json>,
        caller: &Caller,
        cancel: CancellationToken,
    ) -> Answer {
        let started = Instant::now();
        self.adopt();
        let place = match &call {
            Ok(call) => self.place(call).await,
            Err(_) => None,
        };
        let attempt = self.permission.attempt(name, arguments, caller);
        let driven = match call {
            Ok(call) => self.drive(call, place, &attempt, cancel).await,
            Err(fault) => refused(&fault).into(),
        };
        self.ended(driven, started)
    }

    /// Records in the audit log that a plugin has opened a root for its language servers.
    pub(crate) fn note_servers(&self, tool: &str, root: &str, ok: bool, caller: &Caller) {
        self.permission.opened(tool, root, ok, caller, self.clock.now());
    }

    /// Records that a plugin gets from its store what these apps and web servers may have said.
    pub(crate) async fn recalled(&self, sources: &BTreeSet<String>) {
        self.permission.recalled(sources).await;
    }

    fn ended(&self, driven: Driven, started: Instant) -> Answer {
        let Driven { outcome, question } = driven;
        self.counters.count(&outcome);
        Answer { outcome: self.operator.complete(outcome), elapsed: started.elapsed(), question }
    }

    /// Adds the options that reach this server's state to the commands that an error of a plugin suggests.
    pub(crate) fn complete_suggestion(&self, body: &mut Json) {
        if let Some(Json::String(suggestion)) = body.get_mut("suggestion") {
            *suggestion = self.operator.with_options(suggestion);
        }
    }

    /// Returns the current policy. If it cannot be read, returns one that denies everything.
    pub(crate) fn policy(&self) -> Arc<Policy> {
        self.permission.policy()
    }

    /// The state directory.
    pub fn state(&self) -> &State {
        self.permission.state()
    }

    /// The apps of this Mac.
    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// Returns every scriptable app, with or without its dictionary.
    ///
    /// # Errors
    /// The simulated Mac cannot be unpacked.
    pub async fn every_app(&self) -> Result<Arc<Apps>, Fault> {
        self.apps(Need::Dictionaries(Vec::new())).await
    }

    /// Describes the whole dictionary of an app, whose name may be spelled in any way.
    ///
    /// # Errors
    /// There is no such app, or its dictionary cannot be read.
    pub async fn dictionary(&self, app: &str) -> Result<Json, Fault> {
        let definition = self.definition(app).await?;
        let describe = move || describe(&definition.dictionary, &definition.problems);
        tokio::task::spawn_blocking(describe).await.map_err(|error| internal(&error))
    }

    /// Reads the dictionary of an app, whose name may be spelled in any way.
    ///
    /// # Errors
    /// There is no such app, or its dictionary cannot be read.
    pub async fn definition(&self, app: &str) -> Result<Definition, Fault> {
        self.apps(Need::Dictionaries(vec![app.to_owned()])).await?;
        let (catalog, app) = (Arc::clone(&self.catalog), app.to_owned());
        let read = move || Ok(catalog.definition(&app)?.1);
        tokio::task::spawn_blocking(read).await.unwrap_or_else(|error| Err(internal(&error)))
    }

    /// Unpacks the simulated Mac, if that is still necessary. This may block.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn prepare(&self) -> Result<(), Fault> {
        prepare(self.world.as_deref())
    }

    /// Drops expired references and saves the others. Returns how many it dropped. This may block.
    pub fn clean_up(&self) -> usize {
        let now = self.clock.now();
        let dropped = self.memory().references.clean_up(now);
        self.save();
        dropped
    }

    /// Returns how many calls have ended since the start of the server.
    pub(crate) fn answered(&self) -> u64 {
        self.counters.calls.load(Ordering::Relaxed)
    }

    /// Stops what is still running, and saves the references.
    pub async fn shutdown(&self) {
        self.save();
        self.supervisor.shutdown().await;
    }

    /// Takes over the references of ended processes, before the first call.
    fn adopt(&self) {
        if self.adopted.load(Ordering::Acquire) {
            return;
        }
        let mut kept = self.kept();
        if self.adopted.load(Ordering::Acquire) {
            return;
        }
        let mut left = kept.left();
        let now = self.clock.now();
        let taken = self.memory().references.adopt(std::mem::take(&mut left.saved), now);
        tracing::debug!(taken, "references of earlier processes");
        if self.write(&mut kept) {
            left.taken();
        }
        self.adopted.store(true, Ordering::Release);
    }

    fn save(&self) {
        let mut kept = self.kept();
        if self.adopted.load(Ordering::Acquire) {
            self.write(&mut kept);
        }
    }

    fn write(&self, kept: &mut SavedReferences) -> bool {
        let saved = self.memory().references.saved();
        let written = kept.save(&saved);
        written.inspect_err(|error| tracing::warn!(%error, "references are not saved")).is_ok()
    }

    fn kept(&self) -> std::sync::MutexGuard<'_, SavedReferences> {
        self.saved.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reserves a place for a call's first script, if the call is about one app. Calls start in order of arrival,
    /// although each may have to wait before it can run.
    async fn place(&self, call: &Call) -> Option<Place> {
        let runs = !matches!(call, Call::Describe { .. } | Call::Release(_) | Call::ReferenceStats { .. });
        let wanted = step::wants(call, &self.memory().references);
        let [app] = &wanted[..] else { return None };
        if !runs {
            return None;
        }
        let nobody_waits = self.line.try_lock().is_ok();
        if !nobody_waits || !self.catalog.is_known() {
            Box::pin(self.find_apps()).await;
        }
        Some(self.supervisor.place(&self.catalog.known_as(app)?))
    }

    /// Finds the apps. Calls that wait for this go on in order of arrival.
    async fn find_apps(&self) {
        let _turn = self.line.lock().await;
        if let Err(fault) = self.apps(Need::Dictionaries(Vec::new())).await {
            tracing::debug!("no place is taken: {}", fault.message);
        }
    }

    /// Keeps the reserved place of a call, or reserves one. A call that may have to wait while a dialog is open has
    /// no place meanwhile.
    fn keep(&self, held: Option<Place>, app: &str, decided: &Decided) -> Option<Place> {
        if self.screen.is_touched(app, decided) {
            return None;
        }
        Some(held.filter(|held| held.is_for(app)).unwrap_or_else(|| self.supervisor.place(app)))
    }

    async fn drive(
        &self,
        call: Call,
        place: Option<Place>,
        attempt: &Attempt<'_>,
        cancel: CancellationToken,
    ) -> Driven {
        let prepared = async {
            let call = self.permission.with_undos(call, self.clock.now()).await?;
            let apps = self.apps(self.need(&call)).await?;
            Ok((call, apps))
        };
        let (call, apps) = match prepared.await {
            Ok(prepared) => prepared,
            Err(fault) => return refused(&fault).into(),
        };
        let step = self.begin(&apps, attempt, |world| step::start(call, world));
        match step {
            Ok(step) => self.go_on(step, place, apps, attempt, cancel).await,
            Err(fault) => refused(&fault).into(),
        }
    }

    /// Runs the core's steps until there is an answer. Rare branches are boxed, here and above, because the future of
    /// a call reserves memory for every branch that it may await.
    async fn go_on(
        &self,
        mut step: Step,
        mut held: Option<Place>,
        mut apps: Arc<Apps>,
        attempt: &Attempt<'_>,
        cancel: CancellationToken,
    ) -> Driven {
        let (mut reached, mut shown) = (Vec::new(), None);
        let mut left = self.supervisor.timeout().saturating_sub(attempt.caller.kept);
        loop {
            step = match step {
                Step::Run(run) => {
                    reached.push(Arc::clone(&run.app));
                    let Run { app, script, apart, decided, pending } = run;
                    let place = match apart {
                        Some(_) => None,
                        None => self.keep(held.take(), &app, &decided),
                    };
                    let waited = Instant::now();
                    if let Err(fault) = self.permission.decided(attempt, &decided, self.clock.now()).await {
                        return refused(&fault).into();
                    }
                    left = left.saturating_sub(waited.elapsed());
                    shown = self.debug.then(|| script.body().to_owned());
                    let began = Instant::now();
                    let event = match self.screen.touched(&app, &decided, left, &cancel).await {
                        Ok(_) if apart == Some(Apart::ForHuman) => {
                            self.ask_consent(&app, script, left, &cancel).await
                        }
                        Ok(_quiet) if apart == Some(Apart::OfClient) => {
                            let left = left.saturating_sub(began.elapsed());
                            Box::pin(self.supervisor.alone(&script, left, cancel.clone())).await
                        }
                        Ok(_quiet) if apart == Some(Apart::Web) => {
                            let left = left.saturating_sub(began.elapsed());
                            Box::pin(self.sent(&script, attempt, left, &cancel)).await
                        }
                        Ok(_quiet) => {
                            let (left, kind) = (left.saturating_sub(began.elapsed()), kind(&decided));
                            let place = place.unwrap_or_else(|| self.supervisor.place(&app));
                            self.supervisor.run_at(place, left, kind, &script, cancel.clone()).await
                        }
                        Err(failure) => Event::Failed(failure),
                    };
                    left = left.saturating_sub(began.elapsed());
                    let (what, when) = ((&*app, decided.harm.level), (began, self.clock.now()));
                    self.permission.executed(attempt, what, &event, when).await;
                    self.decide(&apps, attempt, |world| step::resume(pending, event, world))
                }
                Step::Load(Load { app, pending }) => {
                    if let Ok(loaded) = Box::pin(self.apps(Need::Dictionaries(vec![app]))).await {
                        apps = loaded;
                    }
                    self.decide(&apps, attempt, |world| step::resume(pending, Event::Loaded, world))
                }
                Step::Ask(ask) => {
                    // Only this call waits for the user.
                    held = None;
                    let answered = Box::pin(self.asked(ask, &apps, attempt, &cancel)).await;
                    // The time that the user took does not count: the app gets its full time again.
                    left = self.supervisor.timeout();
                    match answered {
                        Ok(step) => step,
                        Err(question) => return question.into(),
                    }
                }
                Step::Done(mut outcome) => {
                    drop(held);
                    self.permission.ended(attempt, &mut outcome, &reached, self.clock.now()).await;
                    return with_script(outcome, shown).into();
                }
            }
        }
    }

    /// Sends the web request that a script stands for.
    async fn sent(
        &self,
        script: &Script,
        attempt: &Attempt<'_>,
        left: Duration,
        cancel: &CancellationToken,
    ) -> Event {
        let Some(call) = script.request() else {
            return Event::Failed(RunFailure::Unstarted("there is no request".to_owned()));
        };
        tokio::select! {
            biased;
            () = cancel.cancelled() => Event::Failed(RunFailure::Cancelled),
            event = self.web.send(&call, attempt.caller.plugin.as_deref(), left) => event,
        }
    }

    /// Asks the user behind a call, and continues with the answer. Returns the question if the call ends with it.
    async fn asked(
        &self,
        Ask { question, pending }: Ask,
        apps: &Apps,
        attempt: &Attempt<'_>,
        cancel: &CancellationToken,
    ) -> Result<Step, Box<Question>> {
        let open = self.activity.asks(&question, attempt.caller);
        let asked = self.permission.ask(&question, attempt, cancel, self.clock.now()).await;
        let Some(answer) = asked else {
            open.stays();
            return Err(Box::new(question));
        };
        let answer = self.or_here(answer, &question, attempt, cancel).await;
        drop(open);
        self.permission.keep_grants(&question, &answer, self.clock.now()).await;
        Ok(self.decide(apps, attempt, |world| step::resume(pending, Event::Answered(answer), world)))
    }

    fn need(&self, call: &Call) -> Need {
        match call {
            Call::ListApps { .. } => Need::Counts,
            call => Need::Dictionaries(step::wants(call, &self.memory().references)),
        }
    }

    /// Returns the apps with what a call needs to know about them. Files are read on a thread that may block.
    async fn apps(&self, need: Need) -> Result<Arc<Apps>, Fault> {
        if let Some(apps) = self.catalog.ready(&need) {
            return Ok(apps);
        }
        let (catalog, world, asked) = (Arc::clone(&self.catalog), self.world.clone(), need.clone());
        let find = move || prepare(world.as_deref()).map(|()| catalog.unconverted(&asked));
        let unconverted = tokio::task::spawn_blocking(find).await.map_err(|error| internal(&error))??;
        Box::pin(self.convert(unconverted)).await;
        let catalog = Arc::clone(&self.catalog);
        tokio::task::spawn_blocking(move || catalog.load(&need)).await.map_err(|error| internal(&error))
    }

    /// Starts the core. If the policy cannot be read, the call ends.
    fn begin(
        &self,
        apps: &Apps,
        attempt: &Attempt<'_>,
        begin: impl FnOnce(&mut step::World<'_>) -> Step,
    ) -> Result<Step, Fault> {
        Ok(self.in_world(apps, &&self.gate_of(attempt)?, begin))
    }

    /// Reads everything that the first decision about a call depends on.
    fn gate_of(&self, attempt: &Attempt<'_>) -> Result<Gate, Fault> {
        let alone = !attempt.caller.asker.is_somebody() && !self.screen.is_there();
        Ok(Gate { alone, ..self.permission.gate(attempt, self.clock.now())? })
    }

    /// Lets the core continue. A script that has run gets its answer even if nothing more may run. Most calls end
    /// here, so the policy is read again only for the others.
    fn decide(
        &self,
        apps: &Apps,
        attempt: &Attempt<'_>,
        decide: impl FnOnce(&mut step::World<'_>) -> Step,
    ) -> Step {
        let gate = LazyCell::new(|| {
            self.permission.gate(attempt, self.clock.now()).unwrap_or_else(|_| permission::shut())
        });
        self.in_world(apps, &gate, decide)
    }

    fn in_world<T>(
        &self,
        apps: &Apps,
        gate: &dyn Deref<Target = Gate>,
        decide: impl FnOnce(&mut step::World<'_>) -> T,
    ) -> T {
        let mut memory = self.memory();
        let Memory { references, learned } = &mut *memory;
        let (now, home) = (self.clock.now(), self.home.as_str());
        decide(&mut step::World { apps, references, learned, gate, home, now, fresh: &mut fresh })
    }

    fn memory(&self) -> std::sync::MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Clock {
    fn start() -> Self {
        Self { started: Instant::now(), began: AtomicU64::new(0) }
    }

    fn now(&self) -> Millis {
        let told = millis(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default());
        self.after(millis(self.started.elapsed()), told)
    }

    /// Returns the time that is `elapsed` after the start, if the system clock now says `told`.
    fn after(&self, elapsed: Millis, told: Millis) -> Millis {
        let began = told.0.saturating_sub(elapsed.0);
        Millis(self.began.fetch_max(began, Ordering::Relaxed).max(began).saturating_add(elapsed.0))
    }
}

impl Counters {
    fn count(&self, outcome: &Outcome) {
        self.calls.fetch_add(1, Ordering::Relaxed);
        self.errors.fetch_add(u64::from(outcome.is_error), Ordering::Relaxed);
        self.events.fetch_add(outcome.events, Ordering::Relaxed);
    }
}

/// Returns the outcome of a call that failed before anything ran.
pub(crate) fn refused(fault: &Fault) -> Outcome {
    Outcome { body: fault.to_json(), is_error: true, ..Outcome::default() }
}

fn kind(decided: &Decided) -> Kind {
    if decided.harm.level == Level::Safe { Kind::Read } else { Kind::Change }
}

/// Adds the script to an error, for `--debug`.
fn with_script(mut outcome: Outcome, shown: Option<String>) -> Outcome {
    if let (true, Some(code), Some(body)) = (outcome.is_error, shown, outcome.body.as_object_mut()) {
        body.insert("jxaCode".to_owned(), Json::from(code));
    }
    outcome
}

/// Makes the error for a bug in this program.
pub(crate) fn internal(error: &dyn std::fmt::Display) -> Fault {
    let message = format!("the server failed: {error}");
    Fault::new(Code::Internal, message, "this is a bug in the server; please report it with its log")
}

fn prepare(world: Option<&World>) -> Result<(), Fault> {
    let unpacked = world.map_or(Ok(()), World::unpack);
    unpacked.map_err(|error| {
        Fault::new(Code::Unavailable, error, "free some space, or name another folder with --cache")
    })
}

fn fresh() -> RefId {
    let mut bits = [0; 10];
    getrandom::fill(&mut bits).expect("the system gives random bytes to every process");
    RefId::from_random(bits)
}

fn millis(duration: Duration) -> Millis {
    Millis(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_goes_on_as_the_system_tells_it_and_never_back() {
        const HOUR: u64 = 3_600_000;
        let clock = Clock::start();
        let check = |elapsed, told, expected| {
            assert_eq!(clock.after(Millis(elapsed), Millis(told)).0, expected, "{elapsed} {told}");
        };
        check(0, 5 * HOUR, 5 * HOUR);
        check(1, 5 * HOUR + 1, 5 * HOUR + 1);
        check(2, 7 * HOUR, 7 * HOUR); // the Mac slept
        check(3, 4 * HOUR, 7 * HOUR + 1); // the clock was set back
        check(HOUR + 3, 5 * HOUR, 8 * HOUR + 1); // an hour still lasts an hour
        check(HOUR + 4, 9 * HOUR, 9 * HOUR);
        assert!(clock.now() <= clock.now());
    }
}
