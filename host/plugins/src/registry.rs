//! The plugins of a running server. At start only their receipts are read; a plugin is loaded when it is first
//! called.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use iac_language_servers::closed::Closed;
use serde_json::{Map, Value as Json};
use tokio::sync::{AcquireError, OnceCell, Semaphore, SemaphorePermit};
use tokio_util::sync::CancellationToken;

use crate::PluginId;
use crate::capability::Capability;
use crate::descriptor::{self, Descriptor};
use crate::engine::{Backend, Cache, Call, Changed, Engine, LoadError, Plugin, Report, Setup, Wall};
use crate::failure::Failure;
use crate::host::Host;
use crate::installed::{InstallError, Installed, Receipt, Receipts};
use crate::journal::{Journal, Recording};
use crate::limits::Limits;
use crate::local::Local;
use crate::manifest::{Prompt, ResourceFile};
use crate::package::{self, PackageError};
use crate::quarantine::Record;

/// The plugins of a running server.
pub struct Registry {
    data: Arc<Dir>,
    slots: BTreeMap<PluginId, Arc<Slot>>,
    /// The installed plugins that the operator has switched off. They have no slot.
    disabled: BTreeSet<PluginId>,
    store: Arc<Store>,
    shared: Arc<Shared>,
}

/// The folders of packages and of compiled code.
struct Store {
    installed: Mutex<Installed>,
    cache: Option<Cache>,
}

/// State that survives when the list of plugins changes.
struct Shared {
    /// Where the stores are, if not beside the list of plugins.
    own: Option<PathBuf>,
    backend: fn() -> Backend,
    engine: OnceLock<Arc<Engine>>,
    turns: Semaphore,
    started: Instant,
    closed: Arc<dyn Closed>,
}

struct Slot {
    receipt: Receipt,
    loaded: OnceCell<Arc<Plugin>>,
    turns: Semaphore,
    calls: AtomicUsize,
    answered: AtomicU64,
    failed: AtomicU64,
    record: Mutex<Record>,
}

/// One call of a tool.
pub struct Request {
    pub tool: String,
    pub arguments: Map<String, Json>,
    /// The instant of the call, and its events before it was suspended.
    pub recording: Recording,
    /// Ends the call early.
    pub cancelled: CancellationToken,
    /// Stopped while a human is asked.
    pub wall: Wall,
    /// Answers the questions about apps.
    pub apps: Arc<dyn Host>,
}

/// The result of a call.
#[derive(Clone, Debug, PartialEq)]
pub struct Called {
    /// The plugin of the tool.
    pub plugin: PluginId,
    /// The answer, or the error.
    pub answer: Result<Json, Failure>,
    /// What is known of its changes.
    pub changed: Changed,
    /// Whether it has received other people's text, so that the words of its error may be theirs.
    pub untrusted: bool,
    /// The questions and answers of the guest.
    pub recording: Recording,
}

/// The state of a plugin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Health {
    pub id: PluginId,
    pub version: String,
    /// How many calls have ended since it was loaded here.
    pub calls: u64,
    /// How many of them ended without an answer.
    pub failures: u64,
    /// Why it is quarantined, if it is.
    pub quarantined: Option<String>,
}

/// Why a resource cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ResourceError {
    /// The package is missing or was changed.
    #[error(transparent)]
    Install(#[from] InstallError),
    /// The package is not valid.
    #[error(transparent)]
    Package(#[from] PackageError),
}

/// The most calls that run at the same time for one plugin and for all plugins, and the most calls of one plugin that
/// wait.
const TURNS: usize = 2;
const TURNS_OF_ALL: usize = 8;
const WAITING: usize = 16;

/// How long a call waits for its plugin to load. `plugin add` has compiled the plugin, so loading takes this long
/// only if the cache was lost. Clients wait 30 seconds or more.
const LOADING: Duration = Duration::from_secs(25);

impl Registry {
    /// Reads the list of plugins below `state`. Their stores are below `own`; `None` means below `state` too. With
    /// `own`, nothing below `state` is written. Compiled code is cached below `cache`. No plugin is loaded; `backend`
    /// is called when the first one is. No plugin reads what is `closed`.
    ///
    /// # Errors
    /// The list of installed plugins cannot be read.
    pub fn open(
        state: &Path,
        own: Option<PathBuf>,
        cache: Option<&Path>,
        backend: fn() -> Backend,
        closed: Arc<dyn Closed>,
    ) -> Result<Self, InstallError> {
        let shared = Shared {
            own,
            backend,
            engine: OnceLock::new(),
            turns: Semaphore::new(TURNS_OF_ALL),
            started: Instant::now(),
            closed,
        };
        Self::make(state, cache, &BTreeMap::new(), Arc::new(shared))
    }

    /// Reads the list of plugins again. An unchanged plugin stays loaded, and running calls keep the plugin they
    /// began with.
    ///
    /// # Errors
    /// The list of installed plugins cannot be read.
    pub fn again(&self, state: &Path, cache: Option<&Path>) -> Result<Self, InstallError> {
        Self::make(state, cache, &self.slots, Arc::clone(&self.shared))
    }

    fn make(
        state: &Path,
        cache: Option<&Path>,
        held: &BTreeMap<PluginId, Arc<Slot>>,
        shared: Arc<Shared>,
    ) -> Result<Self, InstallError> {
        let installed = Installed::open(state)?;
        let receipts = installed.list()?;
        let data = match &shared.own {
            Some(own) => Installed::open(own)?.data()?,
            None => installed.data()?,
        };
        let data = Arc::new(data);
        let cache = cache.filter(|_| !receipts.is_empty()).and_then(|path| open_cache(path, &installed));
        let slot = |(id, receipt): (PluginId, Receipt)| {
            let same = held.get(&id).filter(|slot| slot.receipt == receipt).map(Arc::clone);
            (id, same.unwrap_or_else(|| Arc::new(Slot::new(receipt))))
        };
        let disabled =
            receipts.iter().filter(|(_, receipt)| receipt.disabled).map(|(id, _)| id.clone()).collect();
        let slots = receipts.into_iter().filter(|(_, receipt)| !receipt.disabled).map(slot).collect();
        let store = Arc::new(Store { installed: Mutex::new(installed), cache });
        Ok(Self { data, slots, disabled, store, shared })
    }

    /// Returns every tool, as it was when its package was made.
    pub fn tools(&self) -> impl Iterator<Item = (&PluginId, &Descriptor)> {
        self.slots.iter().flat_map(|(id, slot)| slot.receipt.tools.iter().map(move |tool| (id, tool)))
    }

    /// Returns every prompt, as it was when its package was made.
    pub fn prompts(&self) -> impl Iterator<Item = &Prompt> {
        self.slots.values().flat_map(|slot| &slot.receipt.prompts)
    }

    /// Returns every resource, as it was when its package was made.
    pub fn resources(&self) -> impl Iterator<Item = (&PluginId, &ResourceFile)> {
        self.slots.iter().flat_map(|(id, slot)| slot.receipt.resources.iter().map(move |it| (id, it)))
    }

    /// Reads the text of a resource from its package; `None` if there is no resource of that name.
    ///
    /// # Errors
    /// The package cannot be read.
    pub fn resource(&self, id: &PluginId, name: &str) -> Result<Option<String>, ResourceError> {
        let Some(slot) = self.slots.get(id) else { return Ok(None) };
        let bytes = self.store.installed().bytes(id, &slot.receipt)?;
        Ok(package::resource(&bytes, name)?)
    }

    /// Tells whether a plugin was granted a folder, so that it is useful without apps.
    pub fn work_on_folders(&self) -> bool {
        let of_folders = [Capability::LanguageServers, Capability::Files];
        self.slots.values().any(|slot| of_folders.into_iter().any(|it| slot.receipt.grants.has(it)))
    }

    /// Returns the state of every plugin.
    pub fn health(&self) -> Vec<Health> {
        let health = |(id, slot): (&PluginId, &Arc<Slot>)| Health {
            id: id.clone(),
            version: slot.receipt.version.clone(),
            calls: slot.answered.load(Ordering::Relaxed),
            failures: slot.failed.load(Ordering::Relaxed),
            quarantined: slot.record().reason().map(str::to_owned),
        };
        self.slots.iter().map(health).collect()
    }

    /// Tells whether a plugin is switched off; `None` if it is not installed.
    pub fn is_disabled(&self, id: &str) -> Option<bool> {
        let is_disabled = self.disabled.contains(id);
        (is_disabled || self.slots.contains_key(id)).then_some(is_disabled)
    }

    pub fn owner(&self, tool: &str) -> Option<&PluginId> {
        self.slot(tool).map(|(id, _)| id)
    }

    /// Finds out why a call cannot undo a change of a plugin that was called; `None` if it can.
    pub fn undo_fault(&self, id: &PluginId, undo: &Json) -> Option<String> {
        let Some(setup) = self.slots.get(id).and_then(|slot| slot.loaded.get()).map(|loaded| loaded.setup())
        else {
            return Some("the plugin is not there any more".to_owned());
        };
        descriptor::undo_fault(&setup.tools, setup.lenient, undo)
    }

    /// Calls a tool; `None` if no plugin has it.
    pub async fn call(&self, request: Request) -> Option<Called> {
        let Request { tool, arguments, recording, cancelled, wall, apps } = request;
        let (id, slot) = self.slot(&tool)?;
        let now = recording.now.clone();
        let closed = Arc::clone(&self.shared.closed);
        let local: Arc<dyn Host> = Arc::new(Local::new(Arc::clone(&self.data), closed, apps));
        let journal = Arc::new(Journal::new(recording, local));
        let host = Arc::clone(&journal) as Arc<dyn Host>;
        let mut report = None;
        let call = Call { tool, arguments, now, cancelled, wall, host };
        let answer = self.run(id, slot, call, &mut report).await;
        slot.answered.fetch_add(1, Ordering::Relaxed);
        if let Err(failure) = &answer {
            slot.failed.fetch_add(1, Ordering::Relaxed);
            self.note(id, slot, failure);
        }
        let (changed, untrusted) =
            report.map(|report: Report| (report.changed, report.untrusted)).unwrap_or_default();
        Some(Called { plugin: id.clone(), answer, changed, untrusted, recording: journal.recording() })
    }

    fn slot(&self, tool: &str) -> Option<(&PluginId, &Arc<Slot>)> {
        let has =
            |(_, slot): &(&PluginId, &Arc<Slot>)| slot.receipt.tools.iter().any(|held| held.name == tool);
        self.slots.iter().find(has)
    }

    async fn run(
        &self,
        id: &PluginId,
        slot: &Arc<Slot>,
        call: Call,
        kept: &mut Option<Report>,
    ) -> Result<Json, Failure> {
        let is_kept = self.keeps_quarantines();
        slot.may_run(is_kept)?;
        let _counted = slot.count()?;
        let cancelled = call.cancelled.clone();
        let plugin = self.loaded(id, slot, &cancelled).await?;
        let _turns = tokio::select! {
            turns = turns(&slot.turns, &self.shared.turns) => turns,
            () = cancelled.cancelled() => return Err(Failure::Cancelled),
        };
        // Earlier calls may have failed and caused a quarantine while this one waited.
        slot.may_run(is_kept)?;
        let (answer, report) = plugin.call(call).await;
        trace(id, &answer, &report);
        *kept = Some(report);
        answer
    }

    /// Returns the plugin once it is loaded. Compiling is slow if nothing is cached; other calls go on meanwhile. If
    /// this call times out, loading goes on for the next one.
    async fn loaded(
        &self,
        id: &PluginId,
        slot: &Arc<Slot>,
        cancelled: &CancellationToken,
    ) -> Result<Arc<Plugin>, Failure> {
        if let Some(plugin) = slot.loaded.get() {
            return Ok(Arc::clone(plugin));
        }
        let (store, shared) = (Arc::clone(&self.store), Arc::clone(&self.shared));
        let (id, slot) = (id.clone(), Arc::clone(slot));
        let loading = tokio::spawn(async move {
            slot.loaded.get_or_try_init(|| load(store, shared, id, slot.receipt.clone())).await.cloned()
        });
        tokio::select! {
            loaded = loading => loaded.unwrap_or_else(|error| Err(host(error))),
            () = tokio::time::sleep(LOADING) => Err(Failure::Compiling(LOADING)),
            () = cancelled.cancelled() => Err(Failure::Cancelled),
        }
    }

    /// Tells whether a quarantine is written to disk. A simulated Mac changes nothing of the plugins of the real one.
    fn keeps_quarantines(&self) -> bool {
        self.shared.own.is_none()
    }

    /// Records a crash of the guest. A quarantine is written to disk, so it outlives the process, except on a simulated
    /// Mac with plugins of the real one.
    fn note(&self, id: &PluginId, slot: &Slot, failure: &Failure) {
        if !failure.is_crash() {
            return;
        }
        let now = u64::try_from(self.shared.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        let why = failure.to_string();
        tracing::warn!(plugin = id.as_str(), why, "a plugin failed");
        let reason = {
            let mut record = slot.record();
            let quarantined = record.crashed(now, &why);
            record.reason().filter(|_| quarantined).map(str::to_owned)
        };
        if let Some(reason) = reason.filter(|_| self.keeps_quarantines()) {
            let kept = self.store.installed().edit(id.as_str(), |receipt| receipt.quarantined = Some(reason));
            kept.unwrap_or_else(|error| tracing::warn!(%error, "the quarantine is not kept"));
        }
    }
}

/// Waits for a turn of the plugin, then for one of all plugins. A call that waits for its own plugin keeps nothing from
/// the others.
async fn turns<'a>(own: &'a Semaphore, all: &'a Semaphore) -> [Result<SemaphorePermit<'a>, AcquireError>; 2] {
    let own = own.acquire().await;
    [own, all.acquire().await]
}

/// Loads a plugin on a blocking thread.
async fn load(
    store: Arc<Store>,
    shared: Arc<Shared>,
    id: PluginId,
    receipt: Receipt,
) -> Result<Arc<Plugin>, Failure> {
    let load = move || store.load(shared.engine().map_err(host)?, id, &receipt);
    tokio::task::spawn_blocking(load).await.unwrap_or_else(|error| Err(host(error)))
}

impl Store {
    fn load(&self, engine: &Arc<Engine>, id: PluginId, receipt: &Receipt) -> Result<Arc<Plugin>, Failure> {
        let bytes = self.installed().bytes(&id, receipt).map_err(host)?;
        let package = package::read(&bytes).map_err(host)?;
        let unset = package.manifest.unset(&receipt.settings);
        if !unset.is_empty() {
            return Err(Failure::Unset(unset));
        }
        let limits = Limits::standard().with(&receipt.limits).map_err(host)?;
        let compiled = engine.compile(&bytes, self.cache.as_ref()).map_err(host)?;
        let setup = Setup {
            id,
            grants: receipt.grants.clone(),
            wanted: package.grants(),
            limits,
            settings: package.manifest.settings(&receipt.settings),
            tools: receipt.tools.clone(),
            lenient: package.manifest.lenient,
            scripts: package.scripts,
            secrets: package.manifest.secrets,
        };
        Plugin::link(engine, &compiled, setup).map(Arc::new).map_err(host)
    }

    fn installed(&self) -> std::sync::MutexGuard<'_, Installed> {
        self.installed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shared {
    fn engine(&self) -> Result<&Arc<Engine>, LoadError> {
        if let Some(engine) = self.engine.get() {
            return Ok(engine);
        }
        let made = Engine::new((self.backend)())?;
        tracing::debug!(engine = made.backend().name(), "the plugin engine starts");
        Ok(self.engine.get_or_init(|| made))
    }
}

fn host(error: impl std::fmt::Display) -> Failure {
    Failure::Host(error.to_string())
}

/// Opens the folder of compiled code. Without it, every start compiles again.
pub fn open_cache(path: &Path, installed: &Installed) -> Option<Cache> {
    let opened =
        std::fs::create_dir_all(path).and_then(|()| Dir::open_ambient_dir(path, ambient_authority()));
    match (opened, installed.secret()) {
        (Ok(directory), Ok(secret)) => Some(Cache::new(directory, secret)),
        (directory, _) => {
            let error = directory.err().map(|error| error.to_string());
            tracing::warn!(error, "compiled plugins are not kept");
            None
        }
    }
}

/// Reads the list of installed plugins, without opening anything else.
///
/// # Errors
/// It cannot be read.
pub fn receipts(state: &Path) -> Result<Receipts, InstallError> {
    Installed::open(state)?.list()
}

fn trace(id: &PluginId, answer: &Result<Json, Failure>, report: &Report) {
    tracing::debug!(
        plugin = id.as_str(),
        ok = answer.is_ok(),
        instantiate = ?report.instantiate,
        execute = ?report.execute,
        memory = report.memory,
        host_calls = report.host_calls,
        traffic = report.traffic,
        place = report.place.join(" called by "),
        "called"
    );
}

impl Slot {
    fn new(receipt: Receipt) -> Self {
        let record = receipt.quarantined.clone().map(Record::quarantined).unwrap_or_default();
        Self {
            receipt,
            loaded: OnceCell::new(),
            turns: Semaphore::new(TURNS),
            calls: AtomicUsize::new(0),
            answered: AtomicU64::new(0),
            failed: AtomicU64::new(0),
            record: Mutex::new(record),
        }
    }

    fn record(&self) -> std::sync::MutexGuard<'_, Record> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Refuses calls of a plugin that is quarantined. `is_kept` says whether quarantines of this process are written to
    /// disk.
    fn may_run(&self, is_kept: bool) -> Result<(), Failure> {
        let is_passing = !is_kept && self.receipt.quarantined.is_none();
        match self.record().reason() {
            Some(reason) => Err(Failure::Quarantined { reason: reason.to_owned(), is_passing }),
            None => Ok(()),
        }
    }

    fn count(&self) -> Result<Counted<'_>, Failure> {
        let counted = Counted(&self.calls);
        let before = self.calls.fetch_add(1, Ordering::SeqCst);
        if before < TURNS + WAITING { Ok(counted) } else { Err(Failure::Busy(before - TURNS)) }
    }
}

/// Counts one call that runs or waits, until it is dropped.
struct Counted<'a>(&'a AtomicUsize);

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use std::task::Poll;

    use super::*;

    #[tokio::test]
    async fn a_call_that_waits_for_its_plugin_keeps_no_turn_of_all() {
        let (own, all) = (Semaphore::new(1), Semaphore::new(2));
        let running = turns(&own, &all).await;
        let mut waiting = std::pin::pin!(turns(&own, &all));
        let polled = std::future::poll_fn(|context| Poll::Ready(waiting.as_mut().poll(context))).await;
        assert!(polled.is_pending());
        assert_eq!(all.available_permits(), 1, "another plugin's turn is free");
        drop(running);
        assert!(waiting.await.iter().all(Result::is_ok));
    }
}
