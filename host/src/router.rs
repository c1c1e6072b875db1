//! Which tool a name means, found out once, and the way of its calls.

use std::sync::Arc;

use iac_core::call;
use iac_core::catalog::CommandTool;
use serde_json::{Map, Value as Json};
use tokio_util::sync::CancellationToken;

use crate::consent::Caller;
use crate::pipeline::{Answer, Pipeline, SYSTEM};
use crate::plugins::{self, Plugins};

/// A tool of this server.
#[derive(Clone, Debug)]
pub enum Tool {
    /// One that the core knows.
    Core(call::Tool),
    /// `system`: what this server is and how it does.
    System,
    /// A command of an app as a tool of its own.
    Command(Arc<CommandTool>),
    /// A tool of a plugin.
    Plugin(plugins::Found),
}

/// Everything that answers calls.
#[derive(Debug)]
pub struct Router {
    /// The way of every call to an app.
    pub pipeline: Arc<Pipeline>,
    /// What others have added.
    pub plugins: Plugins,
}

impl Router {
    /// Puts plugins beside a pipeline.
    pub fn new(pipeline: Pipeline, plugins: Plugins) -> Self {
        Self { pipeline: Arc::new(pipeline), plugins }
    }

    /// Finds the tool of this name. The server's own tools come first, then commands of apps, then plugins, as in the list
    /// that clients get: a name that is taken stays with whatever has it.
    pub async fn resolve(&self, name: &str) -> Option<Tool> {
        if let Some(tool) = call::Tool::named(name) {
            return Some(Tool::Core(tool));
        }
        if name == SYSTEM {
            return Some(Tool::System);
        }
        if let Some(tool) = Box::pin(self.pipeline.command_tools()).await.find(name) {
            return Some(Tool::Command(tool));
        }
        self.plugins.find(name).map(Tool::Plugin)
    }

    /// Answers a call. What seldom happens has a box of its own: each call carries all that it may have to wait for.
    pub async fn call(
        &self,
        tool: &Tool,
        arguments: &Map<String, Json>,
        caller: &Caller,
        cancel: CancellationToken,
    ) -> Answer {
        let pipeline = &self.pipeline;
        match tool {
            Tool::Core(tool) => pipeline.call(*tool, arguments, caller, cancel).await,
            Tool::System => Box::pin(pipeline.system(arguments, caller, self.plugins.status(), cancel)).await,
            Tool::Command(tool) => Box::pin(pipeline.run_command(tool, arguments, caller, cancel)).await,
            Tool::Plugin(found) => {
                Box::pin(self.plugins.call(found, pipeline, arguments, caller, cancel)).await
            }
        }
    }
}
