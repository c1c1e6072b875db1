//! Complete calls on a separate simulated Mac, with faults, and with a policy that allows everything.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

use iac_apps::{Catalog, Need, Roots};
use iac_core::Millis;
use iac_core::app::Apps;
use iac_core::call::Call;
use iac_core::permission::{Answer, Choice, Gate, Policy, Profile};
use iac_core::plan::Learned;
use iac_core::reference::{Limits, RefId, References};
use iac_core::step::{self, Event, Outcome, Step, World};
use iac_osascript::{Kind, Settings, Supervisor};
use serde_json::Value as Json;
use tokio_util::sync::CancellationToken;

use crate::mac::mac;
use crate::mark::Mark;

/// A Mac, and the program parts that talk to it.
pub(crate) struct Rig {
    pub(crate) supervisor: Supervisor,
    pub(crate) mark: Mark,
    apps: Arc<Apps>,
    memory: Mutex<(References, Learned)>,
    pub(crate) mac: tempfile::TempDir,
}

impl Rig {
    /// Makes a Mac with these faults; `adjust` changes the defaults.
    pub(crate) fn new(faults: &Json, adjust: impl FnOnce(&mut Settings)) -> Self {
        let (mac, mark) = (mac(faults), Mark::new());
        let mut settings = Settings::simulated(Path::new(env!("CARGO_BIN_EXE_iac-mcp")), mac.path());
        settings.environment.push(mark.variable());
        adjust(&mut settings);
        let roots = Roots::below(mac.path());
        let apps = iac_apps::Settings { roots, cache: None, standard: None };
        let wanted = ["Mail", "Calendar"].map(str::to_owned).to_vec();
        Self {
            supervisor: Supervisor::new(settings).unwrap(),
            mark,
            apps: Catalog::new(apps).load(&Need::Dictionaries(wanted)),
            memory: Mutex::new((References::new(Limits::default()), Learned::default())),
            mac,
        }
    }

    /// Calls a tool.
    pub(crate) async fn call(&self, tool: &str, arguments: Json) -> Outcome {
        let call = Call::parse(tool, arguments.as_object().unwrap()).unwrap().unwrap();
        let mut step = self.decide(|world| step::start(call, world));
        loop {
            step = match step {
                Step::Run(run) => {
                    let kind = Kind::from(run.decided.harm.level);
                    let event =
                        self.supervisor.run(&run.app, kind, &run.script, CancellationToken::new()).await;
                    self.decide(|world| step::resume(run.pending, event, world))
                }
                Step::Ask(ask) => {
                    let (choice, digest) = (Choice::Once, ask.question.digest());
                    let yes = Event::Answered(Answer::Chosen { choice, digest, by: "a test".to_owned() });
                    self.decide(|world| step::resume(ask.pending, yes, world))
                }
                Step::Load(load) => self.decide(|world| step::resume(load.pending, Event::Loaded, world)),
                Step::Done(outcome) => return outcome,
            }
        }
    }

    /// Calls a tool that must succeed.
    pub(crate) async fn ok(&self, tool: &str, arguments: Json) -> Json {
        let outcome = self.call(tool, arguments).await;
        assert!(!outcome.is_error, "{tool}: {}", outcome.body);
        outcome.body
    }

    /// Stops everything, and checks that no process is left.
    pub(crate) async fn close(self) {
        self.supervisor.shutdown().await;
        self.mark.gone().await;
    }

    fn decide(&self, decide: impl FnOnce(&mut World<'_>) -> Step) -> Step {
        let mut memory = self.memory.lock().unwrap();
        let (references, learned) = &mut *memory;
        let gate = &Gate { policy: Arc::new(Policy::of(Profile::Trusted)), ..Gate::default() };
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        let now = Millis(u64::try_from(now.as_millis()).unwrap());
        let (apps, home, mut id) = (&self.apps, "", references.stats(now).counters.created);
        let mut fresh = || {
            id += 1;
            RefId::from_random(std::array::from_fn(|at| {
                id.to_be_bytes().get(at).copied().unwrap_or_default()
            }))
        };
        decide(&mut World { apps, references, learned, gate: &gate, home, now, fresh: &mut fresh })
    }
}
