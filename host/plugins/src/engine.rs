//! The sandbox: one engine for a process, a fresh store for every call.

mod bindings;
mod cache;
mod call;
mod limiter;
mod linker;
mod meter;
mod stub;
mod ticker;
mod wall;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Map, Value as Json};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use wasmtime::component::Component;
use wasmtime::{
    Config, Enabled, Instance as CoreInstance, InstanceAllocationStrategy, Module, PoolingAllocationConfig,
    Store, UpdateDeadline,
};

use crate::PluginId;
use crate::capability::Grants;
use crate::descriptor::Descriptor;
use crate::failure::{Bound, Failure, Fault};
use crate::host::{Caller, Heard, Host, Nothing};
use crate::http::Secret;
use crate::limits::{Limits, MOST_PARTS};
use crate::schema;
use crate::script::Script;

use bindings::exports::iac::plugin::tools;
use call::State;
use ticker::Ticker;

pub use cache::{Cache, Key};
pub use call::{Changed, INTERPRETED, Line, LogLevel, Now};
pub use wall::Wall;

/// How guest code is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Backend {
    /// Compiled to machine code.
    Native,
    /// Compiled to bytecode and interpreted. Calls take about three times as long and computing twenty times as long,
    /// but no executable memory is needed.
    Interpreter,
}

impl Backend {
    /// Returns its name, as it is written in settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Interpreter => "interpreter",
        }
    }
}

/// Runs plugins. A process needs one engine.
pub struct Engine {
    wasmtime: wasmtime::Engine,
    ticker: Ticker,
    backend: Backend,
    /// Held while something is compiled. One compilation already uses all processors, and each would need its own
    /// memory.
    compiling: Mutex<()>,
}

/// Why an engine does not start or a plugin does not load.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    #[error("the plugin engine does not start: {0}")]
    Engine(String),
    #[error("the component cannot be compiled: {0}")]
    Compile(String),
    #[error("the component cannot be linked: {0}")]
    Link(String),
}

/// Compiled code of one component.
#[derive(Clone)]
pub struct Compiled {
    component: Component,
}

/// What a plugin needs besides its code.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Its name.
    pub id: PluginId,
    /// Its grants. Imports without a grant are stubs that refuse.
    pub grants: Grants,
    /// The permissions that its package wants, so that a refusal can say how to grant one.
    pub wanted: Grants,
    /// The limits of its calls.
    pub limits: Limits,
    /// The operator's settings for it.
    pub settings: Map<String, Json>,
    /// Its tools, as they were when the package was made.
    pub tools: Vec<Descriptor>,
    /// The scripts of its package; only granted ones can be run.
    pub scripts: Vec<Script>,
    /// The secrets that it declares. Their values are not here.
    pub secrets: Vec<Secret>,
    /// Whether it checks its arguments itself.
    pub lenient: bool,
}

/// A plugin that can be called.
pub struct Plugin {
    engine: Arc<Engine>,
    linked: bindings::PluginPre<State>,
    setup: Arc<Setup>,
}

/// One call of a tool.
pub struct Call {
    pub tool: String,
    pub arguments: Map<String, Json>,
    /// The instant that the guest sees.
    pub now: Now,
    /// Ends the call early.
    pub cancelled: CancellationToken,
    /// Stopped while a human is asked.
    pub wall: Wall,
    /// Answers the guest's questions.
    pub host: Arc<dyn Host>,
}

/// The resources that a call has used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The time to create the instance in a fresh store.
    pub instantiate: Duration,
    /// The time from the instance to the answer, waiting included.
    pub execute: Duration,
    /// The guest's compute time, measured in ticks; 0 if it was less than a tick.
    pub compute: Duration,
    /// The peak memory in bytes.
    pub memory: usize,
    /// Calls of host functions.
    pub host_calls: u32,
    /// Bytes of questions and answers together.
    pub traffic: usize,
    /// What is known of its changes.
    pub changed: Changed,
    /// Whether it has received other people's text, so that its words may be theirs.
    pub untrusted: bool,
    /// Lines it wrote into the log.
    pub log: Vec<Line>,
    /// The functions that ran when it was stopped, the innermost first; empty if it was not stopped.
    pub place: Vec<String>,
}

/// The smallest module that can be called: its one function does nothing.
const LEAST: &[u8] =
    b"\0asm\x01\0\0\0\x01\x04\x01\x60\0\0\x03\x02\x01\0\x07\x05\x01\x01f\0\0\x0a\x04\x01\x02\0\x0b";

/// The most calls that have an instance at the same time. The host runs fewer than this.
const CALLS_AT_ONCE: u32 = 16;

/// The most memories of all calls together. Each reserves 4 GiB of address space, and some systems limit that space.
/// A call uses one to five memories.
const MEMORIES: u32 = 128;

const LARGEST_INSTANCE: usize = 4 * 1024 * 1024;
const LARGEST_MEMORY: usize = 4 * 1024 * 1024 * 1024;
const LARGEST_TABLE: usize = 10_000_000;

/// Bytes that a pool slot keeps resident between calls.
const KEPT_MEMORY: usize = 4 * 1024 * 1024;
const KEPT_TABLE: usize = 64 * 1024;
const KEPT_STACK: usize = 64 * 1024;

/// After a call is stopped, how long to wait for the result of its last change.
const LATE: Duration = Duration::from_secs(2);

const MAX_WASM_STACK: usize = 512 * 1024;
const ASYNC_STACK: usize = 2 * 1024 * 1024;

impl Engine {
    /// Starts an engine with its ticker.
    ///
    /// # Errors
    /// `Engine` if the system refuses something that the backend needs.
    pub fn new(backend: Backend) -> Result<Arc<Self>, LoadError> {
        let failed = |error: wasmtime::Error| LoadError::Engine(format!("{error:#}"));
        let mut config = config(backend).map_err(failed)?;
        let pooled = wasmtime::Engine::new(config.allocation_strategy(places()));
        // If the system cannot reserve so much address space, memory is allocated for each call instead.
        let wasmtime = pooled.or_else(|error| {
            tracing::debug!(error = format!("{error:#}"), "plugins have no places of their own");
            wasmtime::Engine::new(config.allocation_strategy(InstanceAllocationStrategy::OnDemand))
        });
        let wasmtime = wasmtime.map_err(failed)?;
        let ticker = Ticker::start(wasmtime.weak()).map_err(|error| LoadError::Engine(error.to_string()))?;
        Ok(Arc::new(Self { wasmtime, ticker, backend, compiling: Mutex::default() }))
    }

    /// Returns how guest code is run.
    pub fn backend(&self) -> Backend {
        self.backend
    }

    /// Compiles the smallest module and calls it. If the system forbids executable memory, this may kill the process.
    ///
    /// # Errors
    /// The module does not compile or does not run.
    pub fn try_out(&self) -> Result<(), LoadError> {
        let failed = |error: wasmtime::Error| LoadError::Engine(format!("{error:#}"));
        let module = Module::new(&self.wasmtime, LEAST).map_err(failed)?;
        let mut store = Store::new(&self.wasmtime, ());
        store.set_epoch_deadline(u64::MAX / 2);
        let instance = CoreInstance::new(&mut store, &module, &[]).map_err(failed)?;
        let least = instance.get_typed_func::<(), ()>(&mut store, "f").map_err(failed)?;
        least.call(&mut store, ()).map_err(failed)
    }

    /// Compiles a component, or loads it from the cache. Compiling takes a tenth of a second or more, so do not do it
    /// on a thread that answers calls. If the cache fails, the component is compiled again.
    ///
    /// # Errors
    /// `Compile` if the bytes are not a component.
    pub fn compile(&self, wasm: &[u8], cache: Option<&Cache>) -> Result<Compiled, LoadError> {
        let wasm = cache::bare(wasm);
        let key = Key::of(wasm, &self.wasmtime);
        if let Some(component) = cache.and_then(|cache| cache.load(&key, &self.wasmtime)) {
            return Ok(Compiled { component });
        }
        let component = self.compiled(wasm)?;
        if let Some(cache) = cache {
            let saved = component.serialize().map_err(|error| error.to_string());
            let saved = saved.and_then(|code| cache.save(&key, &code).map_err(|error| error.to_string()));
            saved.unwrap_or_else(|error| tracing::debug!(error, "compiled code is not kept"));
        }
        Ok(Compiled { component })
    }

    /// Compiles a component. A panic of the compiler becomes an error of the component and does not end the server.
    fn compiled(&self, wasm: &[u8]) -> Result<Component, LoadError> {
        let _alone = self.compiling.lock().unwrap_or_else(PoisonError::into_inner);
        // The engine is shared by reference. A panic drops half-built results, so nobody sees them afterwards.
        let compiled = catch_unwind(AssertUnwindSafe(|| Component::from_binary(&self.wasmtime, wasm)));
        match compiled {
            Ok(compiled) => compiled.map_err(|error| LoadError::Compile(format!("{error:#}"))),
            Err(_) => Err(LoadError::Compile("the compiler gave up on it".to_owned())),
        }
    }
}

fn config(backend: Backend) -> wasmtime::Result<Config> {
    let mut config = Config::new();
    config
        .wasm_component_model(true)
        .epoch_interruption(true)
        .consume_fuel(false)
        .wasm_memory64(false)
        // Components that consist of several modules pass strings through code that the engine generates, and that
        // code accesses both memories. A module of the package itself with two memories is refused when the package
        // is read.
        .wasm_multi_memory(true)
        .wasm_relaxed_simd(false)
        .max_wasm_stack(MAX_WASM_STACK)
        .async_stack_size(ASYNC_STACK)
        .generate_address_map(false)
        .cranelift_nan_canonicalization(true);
    if backend == Backend::Interpreter {
        config.target("pulley64")?;
    }
    Ok(config)
}

/// Allocates memories, tables and stacks from a pool that is reserved at the start; that takes only address space.
/// When the store of a call is dropped, its memory is reset (page by page if the system reports which pages were
/// written). The next call finds fresh memory that the system does not have to map again.
fn places() -> InstanceAllocationStrategy {
    let mut places = PoolingAllocationConfig::default();
    let parts = u32::try_from(MOST_PARTS).unwrap_or(u32::MAX);
    let all = parts * CALLS_AT_ONCE;
    // These values do not restrict any call: the call's own limits are lower, and they report which limit was
    // exceeded.
    places
        .total_component_instances(CALLS_AT_ONCE)
        .total_core_instances(all)
        .total_memories(MEMORIES)
        .total_tables(all)
        .total_stacks(CALLS_AT_ONCE)
        .max_core_instances_per_component(parts)
        .max_memories_per_component(parts)
        .max_tables_per_component(parts)
        .max_memories_per_module(parts)
        .max_tables_per_module(parts)
        .max_component_instance_size(LARGEST_INSTANCE)
        .max_core_instance_size(LARGEST_INSTANCE)
        .max_memory_size(LARGEST_MEMORY)
        .table_elements(LARGEST_TABLE)
        .decommit_batch_size(1);
    if PoolingAllocationConfig::is_pagemap_scan_available() {
        places
            .pagemap_scan(Enabled::Yes)
            .linear_memory_keep_resident(KEPT_MEMORY)
            .table_keep_resident(KEPT_TABLE)
            .async_stack_keep_resident(KEPT_STACK);
    }
    InstanceAllocationStrategy::Pooling(places)
}

impl Plugin {
    /// Links a component against its granted interfaces, and against stubs for the others. No guest code runs.
    ///
    /// # Errors
    /// `Link` if it imports something unknown.
    pub fn link(engine: &Arc<Engine>, compiled: &Compiled, setup: Setup) -> Result<Self, LoadError> {
        let failed = |error: wasmtime::Error| LoadError::Link(format!("{error:#}"));
        let linker = linker::linker(&engine.wasmtime, &compiled.component, &setup.grants).map_err(failed)?;
        let linked = linker.instantiate_pre(&compiled.component).map_err(failed)?;
        let linked = bindings::PluginPre::new(linked).map_err(failed)?;
        Ok(Self { engine: Arc::clone(engine), linked, setup: Arc::new(setup) })
    }

    /// Returns its setup.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// Lists the tools by asking the guest. Only the log and the clock are available to it.
    ///
    /// # Errors
    /// The reason why the call ended.
    pub async fn list_tools(&self) -> Result<Vec<Descriptor>, Failure> {
        let call = Call {
            tool: String::new(),
            arguments: Map::new(),
            now: Now::default(),
            cancelled: CancellationToken::new(),
            wall: Wall::default(),
            host: Arc::new(Nothing),
        };
        let mut store = self.store(&call);
        let listing = async |store: &mut Store<State>| {
            let instance = self.linked.instantiate_async(&mut *store).await?;
            store.data_mut().instantiated = Some(Instant::now());
            instance.iac_plugin_tools().call_list_tools(store).await
        };
        let tools = self.bounded(&mut store, (&call.cancelled, &call.wall), listing).await?;
        tools.into_iter().map(descriptor).collect()
    }

    /// Returns the same plugin with other settings of the operator.
    #[must_use]
    pub fn with_settings(&self, settings: Map<String, Json>) -> Self {
        let setup = Setup { settings, ..Setup::clone(&self.setup) };
        Self { engine: Arc::clone(&self.engine), linked: self.linked.clone(), setup: Arc::new(setup) }
    }

    /// Calls a tool in a fresh instance.
    ///
    /// # Errors
    /// The plugin's own error, or the reason why the call ended.
    pub async fn call(&self, call: Call) -> (Result<Json, Failure>, Report) {
        let mut store = self.store(&call);
        let began = Instant::now();
        let tool = self.setup.tools.iter().find(|tool| tool.name == call.tool);
        let arguments = Json::Object(call.arguments);
        let checked = tool.filter(|_| !self.setup.lenient);
        let wrong = checked.and_then(|tool| schema::misfit(&tool.input_schema, &arguments));
        if let Some(wrong) = wrong {
            let message = format!("the arguments do not fit the tool's schema: {wrong}");
            let fault = Fault::new("invalid_parameter", message)
                .suggest("correct this argument, and leave the others as they are");
            return (Err(Failure::Passed(fault)), store.into_data().report(began));
        }
        let arguments = arguments.to_string();
        let calling = async |store: &mut Store<State>| {
            let instance = self.linked.instantiate_async(&mut *store).await?;
            store.data_mut().instantiated = Some(Instant::now());
            instance.iac_plugin_tools().call_call_tool(store, &call.tool, &arguments).await
        };
        let answer = self.bounded(&mut store, (&call.cancelled, &call.wall), calling).await;
        let answer = answer.and_then(|answer| answer.map_err(|fault| store.data().said(fault.into())));
        let answer = answer.and_then(|outcome| {
            refuse_extra("the answer", outcome.extra.as_deref())?;
            let body = self.read(&outcome.value, store.data())?;
            match tool.and_then(|tool| schema::misfit(tool.output_schema.as_ref()?, &body)) {
                Some(wrong) => {
                    Err(Failure::Misfit(format!("it does not fit the tool's own schema: {wrong}")))
                }
                None => Ok(body),
            }
        });
        (answer, store.into_data().report(began))
    }

    /// Reads the answer. If the plugin has read apps or files, the answer may hold other people's words, so it is
    /// marked.
    fn read(&self, text: &str, state: &State) -> Result<Json, Failure> {
        let most = self.setup.limits.output;
        if text.len() > most {
            return Err(Failure::Stopped { bound: Bound::Output, limit: Bound::Output.at(most), said: None });
        }
        match serde_json::from_str(text) {
            Ok(Json::Object(mut body)) => {
                if state.caller.heard.sources().is_some() {
                    body.insert("untrusted".to_owned(), Json::Bool(true));
                }
                Ok(Json::Object(body))
            }
            // The failure names only the kind of value: the value may be private, and a quarantine stores this text.
            Ok(Json::Array(_)) => Err(Failure::Malformed("it is a list".to_owned())),
            Ok(Json::String(_)) => Err(Failure::Malformed("it is a text".to_owned())),
            Ok(_) => Err(Failure::Malformed("it is a single value".to_owned())),
            Err(error) => Err(Failure::Malformed(error.to_string())),
        }
    }

    fn store(&self, call: &Call) -> Store<State> {
        let caller = Caller {
            plugin: self.setup.id.clone(),
            tool: call.tool.clone(),
            cancelled: call.cancelled.child_token(),
            heard: Heard::default(),
        };
        let limits = &self.setup.limits;
        let state = State::new(Arc::clone(&self.setup), caller, call.now.clone(), Arc::clone(&call.host));
        let mut store = Store::new(&self.engine.wasmtime, state);
        store.limiter(|state| &mut state.limiter);
        store.set_hostcall_fuel(limits.crossing);
        store.set_max_component_handles(limits.handles + 16);
        store.set_epoch_deadline(1);
        store.epoch_deadline_callback(|mut context| match context.data_mut().tick() {
            Ok(()) => Ok(UpdateDeadline::Yield(1)),
            Err(stopped) => Err(stopped),
        });
        store
    }

    /// Runs guest code until the wall-clock limit or the client's cancellation. The store enforces the other limits.
    ///
    /// If a change is under way when the call is stopped, the host waits briefly for its result and records it, in its
    /// log and for undo.
    async fn bounded<T>(
        &self,
        store: &mut Store<State>,
        (cancelled, wall): (&CancellationToken, &Wall),
        run: impl AsyncFnOnce(&mut Store<State>) -> wasmtime::Result<T>,
    ) -> Result<T, Failure> {
        let _ticking = self.engine.ticker.tick();
        let most = self.setup.limits.wall;
        let over = store.data().caller.cancelled.clone().drop_guard();
        let changes = store.data().changes.watch();
        store.data_mut().meter.resume();
        let ended = {
            let mut running = pin!(run(store));
            let ended = tokio::select! {
                biased;
                () = cancelled.cancelled() => Err(Failure::Cancelled),
                () = wall.past(most) => Err(Failure::slow(Bound::Wall, most)),
                ended = &mut running => Ok(ended),
            };
            drop(over);
            if ended.is_err() && changes() {
                // The guest does not go on: the answer to its question ends it.
                drop(timeout(LATE, running).await);
            }
            ended
        };
        ended?.map_err(|error| store.data_mut().classify(&error))
    }
}

/// Refuses an argument that only a newer host understands. If it were ignored, the question would mean something
/// else.
fn refuse_extra(of: &str, extra: Option<&str>) -> Result<(), Failure> {
    let Some(extra) = extra else { return Ok(()) };
    let malformed = |what: &str| Failure::Misfit(format!("`extra` of {of} {what}"));
    match serde_json::from_str::<Map<String, Json>>(extra) {
        Err(_) => Err(malformed("is not a JSON object")),
        Ok(keys) => match keys.keys().next() {
            Some(key) => Err(malformed(&format!("has the key {key:?}; this needs a newer iac-mcp"))),
            None => Ok(()),
        },
    }
}

fn descriptor(tool: tools::Tool) -> Result<Descriptor, Failure> {
    let schema = serde_json::from_str(&tool.input_schema);
    let malformed = |error| Failure::Malformed(format!("the schema of `{}`: {error}", tool.name));
    refuse_extra(&format!("the tool {:?}", tool.name), tool.extra.as_deref())?;
    let output = tool.output_schema.as_deref().map(serde_json::from_str).transpose();
    Ok(Descriptor {
        input_schema: schema.map_err(malformed)?,
        output_schema: output.map_err(malformed)?,
        name: tool.name,
        title: tool.title,
        description: tool.description,
        read_only: tool.effects.read_only,
        destructive: tool.effects.destructive,
        idempotent: tool.effects.idempotent,
    })
}
