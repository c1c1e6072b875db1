//! The plugins of a server, and the way of a call to one.

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use iac_core::step::Outcome;
use iac_plugins::descriptor::Descriptor;
use iac_plugins::engine::Backend;
use iac_plugins::failure::Failure;
use iac_plugins::host::Host;
use iac_plugins::registry::{Called, Registry, Request};
use serde_json::{Map, Value as Json};
use tokio_util::sync::CancellationToken;

use super::bridge::{self, Bridge};
use super::waiting::{Waiting, place};
use super::{FOLDER, Tool};
use crate::consent::Caller;
use crate::pipeline::{Answer, Pipeline};

/// The plugins of this server.
#[derive(Default)]
pub struct Plugins {
    registry: Option<Registry>,
    waiting: Waiting,
}

impl Plugins {
    /// Finds what is installed; nothing is loaded, and nothing is written where nothing is installed. What cannot be
    /// read is warned of, and the server goes on without plugins.
    pub fn open(state: Option<&Path>, cache: Option<&Path>) -> Self {
        let state = state.map(|state| state.join(FOLDER));
        let state = state.filter(|folder| folder.join("installed.json").is_file());
        let cache = cache.map(|cache| cache.join(FOLDER));
        let open = |state: &Path| Registry::open(state, cache.as_deref(), Backend::Native);
        let registry = state.as_deref().map(open).transpose();
        let registry = registry.inspect_err(|error| tracing::error!(%error, "no plugin is used"));
        Self { registry: registry.unwrap_or_default(), waiting: Waiting::default() }
    }

    /// Returns the tools of all plugins.
    pub fn tools(&self) -> Vec<Tool> {
        let tools = self.registry.iter().flat_map(Registry::tools);
        tools.map(|(_, tool)| Tool::from(tool)).collect()
    }

    /// Calls a tool of a plugin; `None` if no plugin has it.
    ///
    /// Where a human has to be asked and the client asks by ending the call, what the plugin has done so far is kept
    /// until the call comes again with the answer; it then goes on from there.
    pub async fn call(
        &self,
        pipeline: &Arc<Pipeline>,
        tool: &str,
        arguments: &Map<String, Json>,
        caller: &Caller,
        cancel: CancellationToken,
    ) -> Option<Answer> {
        let started = Instant::now();
        let registry = self.registry.as_ref()?;
        registry.owner(tool)?;
        let place = place(tool, arguments);
        let recording = self.waiting.take(caller.asker.brought(), &place);
        let bridge = Arc::new(Bridge::new(Arc::clone(pipeline), caller.clone()));
        let request = Request {
            tool: tool.to_owned(),
            arguments: arguments.clone(),
            recording: recording.unwrap_or_else(bridge::begin),
            cancelled: cancel,
            apps: Arc::clone(&bridge) as Arc<dyn Host>,
        };
        let Called { plugin, answer, recording } = registry.call(request).await?;
        let question = bridge.question().filter(|_| matches!(answer, Err(Failure::Suspended)));
        if let Some(question) = &question {
            self.waiting.keep(&question.digest().to_hex(), place, recording);
        }
        let is_error = answer.is_err();
        let body = answer.unwrap_or_else(|failure| failure.body(&plugin));
        let outcome = Outcome { body, is_error, events: bridge.events(), ..Outcome::default() };
        Some(Answer { outcome, elapsed: started.elapsed(), question })
    }
}

impl fmt::Debug for Plugins {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Plugins").field("tools", &self.tools().len()).finish_non_exhaustive()
    }
}

impl From<&Descriptor> for Tool {
    fn from(tool: &Descriptor) -> Self {
        Self {
            name: tool.name.clone(),
            title: tool.title.clone(),
            description: tool.description.clone(),
            input_schema: tool.input_schema.clone(),
            read_only: tool.read_only,
            destructive: tool.destructive,
            idempotent: tool.idempotent,
        }
    }
}
