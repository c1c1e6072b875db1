//! The plugins of a server, and how a call reaches one.

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use iac_core::step::Outcome;
use iac_language_servers::closed::Closed;
use iac_plugins::PluginId;
use iac_plugins::descriptor::Descriptor;
use iac_plugins::failure::Failure;
use iac_plugins::host::Host;
use iac_plugins::manifest::{Prompt, ResourceFile};
use iac_plugins::registry::{Called, Health, Registry, Request};
use serde_json::{Map, Value as Json};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::bridge::{self, Bridge};
use super::shelf::Shelf;
use super::waiting::{Waiting, place};
use super::{Engine, FOLDER, Tool};
use crate::closed::Files;
use crate::consent::Caller;
use crate::language_servers::Servers;
use crate::pipeline::{Answer, Pipeline, PluginReport, PluginStatus, Write};

/// How often the server looks for changes of the plugins, so that it can notify clients.
const LOOK: Duration = Duration::from_secs(1);

/// The plugins of this server, as they are installed now.
#[derive(Default)]
pub struct Plugins {
    shelf: Shelf,
    waiting: Waiting,
    servers: Arc<Servers>,
}

/// A tool of a plugin, and the registry that contains it.
#[derive(Clone)]
pub struct Found {
    registry: Arc<Registry>,
    tool: String,
}

impl Found {
    /// The name of the tool.
    pub(crate) fn name(&self) -> &str {
        &self.tool
    }
}

impl Plugins {
    /// Finds the installed plugins below these folders, now and after every change. No plugin is loaded before a call,
    /// and nothing is written if no plugin is installed. If the list cannot be read, it logs a warning, and the server
    /// goes on without plugins. `own` is the state directory of a simulated Mac that uses the plugins of the real one:
    /// their stores are there.
    pub fn open(state: Option<&Path>, own: Option<&Path>, cache: Option<&Path>, engine: Engine) -> Self {
        let below = |folder: Option<&Path>| folder.map(|folder| folder.join(FOLDER));
        let closed: Arc<dyn Closed> = Arc::new(Files::of(state));
        let shelf = Shelf::open(below(state), below(own), below(cache), engine, closed);
        Self { shelf, servers: Arc::new(Servers::new(state)), ..Self::default() }
    }

    /// Looks whether the operator has changed the plugins. Everything else here tells what the last look found.
    pub async fn look(&self) {
        self.shelf.look().await;
    }

    /// Tells whether a plugin was granted a folder, so that it is useful without apps.
    pub fn work_on_folders(&self) -> bool {
        self.registry().is_some_and(|registry| registry.work_on_folders())
    }

    pub fn tools(&self) -> Vec<Tool> {
        let registry = self.registry();
        registry.iter().flat_map(|registry| registry.tools()).map(|(_, tool)| tool.clone()).collect()
    }

    /// Returns the names of the tools of all plugins.
    pub fn names(&self) -> Vec<String> {
        self.tools().into_iter().map(|tool| tool.name).collect()
    }

    /// Finds the tool of that name.
    pub fn find(&self, name: &str) -> Option<Found> {
        let registry = self.registry()?;
        registry.owner(name)?;
        Some(Found { registry, tool: name.to_owned() })
    }

    /// Tells whether a tool belongs to a plugin.
    pub fn owns(&self, plugin: &str, tool: &str) -> bool {
        self.registry()
            .is_some_and(|registry| registry.owner(tool).is_some_and(|owner| owner.as_str() == plugin))
    }

    /// Tells whether a plugin is switched off; `None` if it is not installed.
    pub fn is_disabled(&self, plugin: &str) -> Option<bool> {
        self.registry()?.is_disabled(plugin)
    }

    pub fn prompts(&self) -> Vec<Prompt> {
        self.registry().iter().flat_map(|registry| registry.prompts()).cloned().collect()
    }

    pub fn resources(&self) -> Vec<(PluginId, ResourceFile)> {
        let registry = self.registry();
        let resources = registry.iter().flat_map(|registry| registry.resources());
        resources.map(|(id, resource)| (id.clone(), resource.clone())).collect()
    }

    /// Reads the text of a resource; `None` if there is no resource of that name.
    ///
    /// # Errors
    /// Its package cannot be read.
    pub async fn resource(&self, plugin: &PluginId, name: &str) -> Result<Option<String>, String> {
        let Some(registry) = self.registry() else { return Ok(None) };
        let (plugin, name) = (plugin.clone(), name.to_owned());
        let read = tokio::task::spawn_blocking(move || registry.resource(&plugin, &name)).await;
        read.map_err(|error| error.to_string())?.map_err(|error| error.to_string())
    }

    /// Returns how often each list has changed since the start.
    pub fn changes(&self) -> watch::Receiver<Changes> {
        self.shelf.changes()
    }

    /// Checks regularly whether the operator has changed the plugins, for clients that listen for changes.
    pub async fn watch(&self) {
        let mut was_silent = false;
        loop {
            tokio::time::sleep(LOOK).await;
            let is_silent = !self.shelf.look().await;
            if is_silent && !was_silent {
                tracing::warn!("the list of plugins cannot be read: its volume does not answer");
            }
            was_silent = is_silent;
        }
    }

    /// Returns the state of every plugin.
    pub fn status(&self) -> PluginStatus {
        let health = self.registry().map(|registry| registry.health()).unwrap_or_default();
        PluginStatus {
            reports: health.into_iter().map(report).collect(),
            tools: self.tools().len(),
            problem: self.problem(),
            problem_of_servers: self.servers.problem(),
        }
    }

    /// Returns why the installed plugins cannot be used, if so.
    pub fn problem(&self) -> Option<String> {
        self.shelf.problem()
    }

    /// Returns the plugins that the last look found.
    fn registry(&self) -> Option<Arc<Registry>> {
        self.shelf.registry()
    }

    /// Calls a tool of a plugin.
    ///
    /// If the user must be asked and the client does that by ending the call, the recording of the call is kept until
    /// the client repeats it with the answer. The call is then replayed and goes on from there.
    ///
    /// Also returns whether the call has changed something, or may have.
    pub async fn call(
        &self,
        Found { registry, tool }: &Found,
        pipeline: &Arc<Pipeline>,
        arguments: &Map<String, Json>,
        caller: &Caller,
        cancel: CancellationToken,
        is_undo: bool,
    ) -> (Answer, bool) {
        let started = Instant::now();
        let place = place(tool, arguments);
        let recording = self.waiting.take(caller.asker.brought(), &place);
        let caller = Caller { takes_back: is_undo, ..caller.clone() };
        let bridge = Arc::new(Bridge::new(Arc::clone(pipeline), Arc::clone(&self.servers), caller));
        let request = Request {
            tool: tool.clone(),
            arguments: arguments.clone(),
            recording: recording.unwrap_or_else(bridge::begin),
            cancelled: cancel,
            wall: bridge.wall(),
            apps: Arc::clone(&bridge) as Arc<dyn Host>,
        };
        let called = registry.call(request).await;
        let Called { plugin, answer, changed, untrusted, recording } =
            called.expect("a tool is found in the registry that is called");
        let is_suspended = matches!(answer, Err(Failure::Suspended));
        let question = bridge.question().filter(|_| is_suspended);
        let (undos, apps) = (recording.undos(), recording.apps());
        if let Some(question) = &question {
            self.waiting.keep(&question.digest().to_hex(), place, recording);
        }
        let is_error = answer.is_err();
        let mut body = answer.unwrap_or_else(|failure| match changed.any {
            true => failure.body_after_change(&plugin, changed.made),
            false => failure.body(&plugin),
        });
        if is_error {
            pipeline.complete_suggestion(&mut body);
        }
        if is_error && untrusted {
            body["untrusted"] = Json::Bool(true);
        }
        let undo_fault = |undo: &Json| registry.undo_fault(&plugin, undo);
        // A call that waits for a human goes on later.
        let write = Write {
            is_undo,
            has_changed: changed.any && !is_suspended,
            is_unrecorded: changed.unrecorded && !is_suspended,
            undos,
            apps,
        };
        pipeline.keep_way_back((plugin.as_str(), tool.as_str()), undo_fault, write, &mut body).await;
        let outcome = Outcome { body, is_error, events: bridge.events(), ..Outcome::default() };
        (Answer { outcome, elapsed: started.elapsed(), question }, changed.any)
    }
}

/// How many times each list that clients see has changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// The list of tools.
    pub tools: u64,
    /// The list of prompts.
    pub prompts: u64,
    /// The list of resources.
    pub resources: u64,
}

impl Changes {
    /// Counts the lists that differ. Returns whether any does.
    pub(super) fn count(&mut self, before: Option<&Registry>, after: Option<&Registry>) -> bool {
        let counted = *self;
        let (before, after) = (before.map(seen).unwrap_or_default(), after.map(seen).unwrap_or_default());
        self.tools += u64::from(before.0 != after.0);
        self.prompts += u64::from(before.1 != after.1);
        self.resources += u64::from(before.2 != after.2);
        counted != *self
    }
}

type Seen<'a> = (Vec<&'a Descriptor>, Vec<&'a Prompt>, Vec<(&'a PluginId, &'a ResourceFile)>);

/// What clients see of all plugins.
fn seen(registry: &Registry) -> Seen<'_> {
    let tools = registry.tools().map(|(_, tool)| tool);
    (tools.collect(), registry.prompts().collect(), registry.resources().collect())
}

impl fmt::Debug for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Found").field("tool", &self.tool).finish_non_exhaustive()
    }
}

impl fmt::Debug for Plugins {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Plugins").field("shelf", &self.shelf).finish_non_exhaustive()
    }
}

fn report(health: Health) -> PluginReport {
    let Health { id, version, calls, failures, quarantined } = health;
    PluginReport { id: id.to_string(), version, calls, failures, quarantined }
}
