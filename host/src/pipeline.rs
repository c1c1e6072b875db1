//! One call, from its arguments to its answer: the core decides, the supervisor runs, the core goes on.

mod system;
pub(crate) mod tools;

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use iac_core::Millis;
use iac_core::app::Apps;
use iac_core::call::Call;
use iac_core::dictionary::describe::describe;
use iac_core::fault::{Code, Fault};
use iac_core::permission::{self, Gate, Level};
use iac_core::plan::Learned;
use iac_core::reference::{Limits, RefId, References};
use iac_core::step::{self, Ask, Decided, Event, Outcome, Run, Step};
use serde_json::{Map, Value as Json};
use tokio_util::sync::CancellationToken;

use crate::apps::{Catalog, Need};
use crate::osascript::{Kind, Supervisor};
use crate::simulated::World;
use crate::{apps, osascript};
pub use tools::ToolsOf;

/// Everything that a pipeline is made of.
#[derive(Debug, Default)]
pub struct Settings {
    /// How apps are found.
    pub apps: apps::Settings,
    /// How scripts are run.
    pub osascript: osascript::Settings,
    /// The simulated Mac, if there is no real one.
    pub world: Option<World>,
    /// The folder that `~/` means there; empty where it is not known.
    pub home: String,
    /// Whose commands are tools of their own.
    pub tools: ToolsOf,
    /// How many references are held, and for how long.
    pub limits: Limits,
    /// Whether an error shows the script that led to it.
    pub debug: bool,
}

/// The way of every call. It owns what the core may look at, and all that the core cannot do.
#[derive(Debug)]
pub struct Pipeline {
    catalog: Arc<Catalog>,
    supervisor: Supervisor,
    world: Option<Arc<World>>,
    home: String,
    tools: tools::Tools,
    debug: bool,
    gate: Gate,
    memory: Mutex<Memory>,
    clock: Clock,
    counters: Counters,
}

/// What the core remembers between calls.
#[derive(Debug)]
struct Memory {
    references: References,
    learned: Learned,
}

/// Points in time that never go back, counted from the Unix epoch.
#[derive(Debug)]
struct Clock {
    started: Instant,
    epoch: Duration,
}

/// What happened since the start.
#[derive(Debug, Default)]
struct Counters {
    calls: AtomicU64,
    errors: AtomicU64,
    events: AtomicU64,
}

/// The answer to a call.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// What the client sees.
    pub outcome: Outcome,
    /// How long it took.
    pub elapsed: Duration,
}

impl Pipeline {
    /// Makes a pipeline; nothing is read and no process is started before the first call.
    ///
    /// # Errors
    /// The supervisor cannot be made.
    pub fn new(settings: Settings) -> io::Result<Self> {
        let Settings { apps, osascript, world, home, tools, limits, debug } = settings;
        let references = References::new(limits);
        Ok(Self {
            catalog: Arc::new(Catalog::new(apps)),
            supervisor: Supervisor::new(osascript)?,
            world: world.map(Arc::new),
            home,
            tools: tools::Tools::new(tools),
            debug,
            gate: Gate::default(),
            memory: Mutex::new(Memory { references, learned: Learned::default() }),
            clock: Clock::start(),
            counters: Counters::default(),
        })
    }

    /// Answers a call of a tool; `None` if there is no such tool.
    pub async fn call(
        &self,
        tool: &str,
        arguments: &Map<String, Json>,
        cancel: CancellationToken,
    ) -> Option<Answer> {
        let started = Instant::now();
        let outcome = match Call::parse(tool, arguments) {
            Some(Ok(call)) => self.drive(call, cancel).await,
            Some(Err(fault)) => refused(&fault),
            None if tool == system::TOOL => self.system(arguments, cancel).await,
            None => self.drive(self.command_tools().await.call(tool, arguments)?, cancel).await,
        };
        self.counters.count(&outcome);
        Some(Answer { outcome, elapsed: started.elapsed() })
    }

    /// The apps of this Mac.
    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// Every scriptable app, with or without its dictionary.
    ///
    /// # Errors
    /// The simulated Mac cannot be made.
    pub async fn every_app(&self) -> Result<Arc<Apps>, Fault> {
        self.apps(Need::Dictionaries(Vec::new())).await
    }

    /// Describes the whole dictionary of an app, in any spelling.
    ///
    /// # Errors
    /// There is no such app, or its dictionary cannot be read.
    pub async fn dictionary(&self, app: &str) -> Result<Json, Fault> {
        self.every_app().await?;
        let (catalog, app) = (Arc::clone(&self.catalog), app.to_owned());
        let read = move || {
            let (_, definition) = catalog.definition(&app)?;
            Ok(describe(&definition.dictionary, &definition.problems))
        };
        tokio::task::spawn_blocking(read).await.unwrap_or_else(|error| Err(internal(&error)))
    }

    /// Unpacks the simulated Mac if there is one to unpack; this may block.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn prepare(&self) -> Result<(), Fault> {
        prepare(self.world.as_deref())
    }

    /// Drops references whose time has passed; says how many.
    pub fn clean_up(&self) -> usize {
        let now = self.clock.now();
        self.memory().references.clean_up(now)
    }

    /// Ends what still runs.
    pub async fn shutdown(&self) {
        self.supervisor.shutdown().await;
    }

    async fn drive(&self, call: Call, cancel: CancellationToken) -> Outcome {
        let apps = match self.apps(self.need(&call)).await {
            Ok(apps) => apps,
            Err(fault) => return refused(&fault),
        };
        let mut step = self.decide(&apps, |world| step::start(call, world));
        let mut shown = None;
        loop {
            step = match step {
                Step::Run(Run { app, script, decided, pending }) => {
                    shown = self.debug.then(|| script.body().to_owned());
                    let event = self.supervisor.run(&app, kind(&decided), &script, cancel.clone()).await;
                    self.decide(&apps, |world| step::resume(pending, event, world))
                }
                Step::Ask(Ask { pending, .. }) => {
                    let nobody = permission::Answer::NoWay("this server cannot ask anybody yet".to_owned());
                    self.decide(&apps, |world| step::resume(pending, Event::Answered(nobody), world))
                }
                Step::Done(outcome) => return with_script(outcome, shown),
            }
        }
    }

    fn need(&self, call: &Call) -> Need {
        match call {
            Call::ListApps { .. } => Need::Counts,
            call => Need::Dictionaries(step::wants(call, &self.memory().references)),
        }
    }

    /// Returns the apps with what a call needs to know of them; files are read on a thread that may wait.
    async fn apps(&self, need: Need) -> Result<Arc<Apps>, Fault> {
        if let Some(apps) = self.catalog.ready(&need) {
            return Ok(apps);
        }
        let (catalog, world) = (Arc::clone(&self.catalog), self.world.clone());
        let read = move || prepare(world.as_deref()).map(|()| catalog.load(&need));
        tokio::task::spawn_blocking(read).await.unwrap_or_else(|error| Err(internal(&error)))
    }

    fn decide(&self, apps: &Apps, decide: impl FnOnce(&mut step::World<'_>) -> Step) -> Step {
        let mut memory = self.memory();
        let Memory { references, learned } = &mut *memory;
        let (now, gate, home) = (self.clock.now(), &self.gate, self.home.as_str());
        decide(&mut step::World { apps, references, learned, gate, home, now, fresh: &mut fresh })
    }

    fn memory(&self) -> std::sync::MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Clock {
    fn start() -> Self {
        let epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self { started: Instant::now(), epoch }
    }

    fn now(&self) -> Millis {
        millis(self.epoch + self.started.elapsed())
    }
}

impl Counters {
    fn count(&self, outcome: &Outcome) {
        self.calls.fetch_add(1, Ordering::Relaxed);
        self.errors.fetch_add(u64::from(outcome.is_error), Ordering::Relaxed);
        self.events.fetch_add(outcome.events, Ordering::Relaxed);
    }
}

/// An outcome of a call that came to nothing before anything ran.
fn refused(fault: &Fault) -> Outcome {
    Outcome { body: fault.to_json(), is_error: true, ..Outcome::default() }
}

fn kind(decided: &Decided) -> Kind {
    if decided.harm.level == Level::Safe { Kind::Read } else { Kind::Change }
}

/// Puts the script beside an error, for whoever looks for its cause.
fn with_script(mut outcome: Outcome, shown: Option<String>) -> Outcome {
    if let (true, Some(code), Some(body)) = (outcome.is_error, shown, outcome.body.as_object_mut()) {
        body.insert("jxaCode".to_owned(), Json::from(code));
    }
    outcome
}

/// The error for a fault of this program.
pub(crate) fn internal(error: &dyn std::fmt::Display) -> Fault {
    let message = format!("the server failed: {error}");
    Fault::new(Code::Internal, message, "this is a fault of the server; please report it with its log")
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
