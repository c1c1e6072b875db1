//! Finds the tool of a name once, and routes its calls.

use std::sync::Arc;
use std::time::Instant;

use iac_core::call;
use iac_core::catalog::CommandTool;
use iac_core::fault::{Code, Fault};
use iac_core::undo::Way;
use serde_json::{Map, Value as Json, json};
use tokio_util::sync::CancellationToken;

use crate::consent::Caller;
use crate::pipeline::{Answer, Pipeline, SYSTEM, refused};
use crate::plugins::{self, Plugins};

/// A tool of this server.
#[derive(Clone, Debug)]
pub enum Tool {
    /// A tool of the core.
    Core(call::Tool),
    /// `system`: information about this server.
    System,
    /// A command of an app as a separate tool.
    Command(Arc<CommandTool>),
    Plugin(plugins::Found),
}

/// Everything that answers tool calls.
#[derive(Debug)]
pub struct Router {
    /// Runs every call to an app.
    pub pipeline: Arc<Pipeline>,
    /// The tools of plugins.
    pub plugins: Plugins,
}

impl Tool {
    fn name(&self) -> &str {
        match self {
            Self::Core(tool) => tool.name(),
            Self::System => SYSTEM,
            Self::Command(tool) => &tool.name,
            Self::Plugin(found) => found.name(),
        }
    }
}

impl Router {
    /// Makes a router for a pipeline and plugins.
    pub fn new(pipeline: Pipeline, plugins: Plugins) -> Self {
        Self { pipeline: Arc::new(pipeline), plugins }
    }

    /// Finds the tool of this name. The server's own tools come first, then commands of apps, then plugins, as in the
    /// list that clients get. If two tools have one name, the first keeps it.
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
        self.plugins.look().await;
        self.plugins.find(name).map(Tool::Plugin)
    }

    /// Answers a call, and shows it in `iac-mcp top` while it is running.
    pub async fn call(
        &self,
        tool: &Tool,
        arguments: &Map<String, Json>,
        caller: &Caller,
        cancel: CancellationToken,
    ) -> Answer {
        let call = self.pipeline.activity().begins(tool.name(), caller);
        let answer = self.answer(tool, arguments, caller, cancel).await;
        call.ends(answer.outcome.is_error, answer.question.is_some());
        answer
    }

    /// Answers a call. Rare cases are boxed, because the future of each call is as large as everything that it may
    /// await.
    async fn answer(
        &self,
        tool: &Tool,
        arguments: &Map<String, Json>,
        caller: &Caller,
        cancel: CancellationToken,
    ) -> Answer {
        let pipeline = &self.pipeline;
        match tool {
            Tool::Core(call::Tool::Undo) => {
                match Box::pin(self.take_back(arguments, caller, cancel.clone())).await {
                    Some(answer) => answer,
                    None => pipeline.call(call::Tool::Undo, arguments, caller, cancel).await,
                }
            }
            Tool::Core(tool) => pipeline.call(*tool, arguments, caller, cancel).await,
            Tool::System => {
                self.plugins.look().await;
                Box::pin(pipeline.system(arguments, caller, self.plugins.status(), cancel)).await
            }
            Tool::Command(tool) => Box::pin(pipeline.run_command(tool, arguments, caller, cancel)).await,
            Tool::Plugin(found) => {
                Box::pin(self.plugins.call(found, pipeline, arguments, caller, cancel, false)).await.0
            }
        }
    }

    /// Undoes a change of a plugin, by calling the plugin's own tools; `None` for every other write.
    async fn take_back(
        &self,
        arguments: &Map<String, Json>,
        caller: &Caller,
        cancel: CancellationToken,
    ) -> Option<Answer> {
        let started = Instant::now();
        let undo = self.pipeline.plugins_change(arguments).await?;
        let Way::Call { plugin, tool, arguments } = &undo.way else { return None };
        self.plugins.look().await;
        let Some(found) = self.plugins.find(tool).filter(|_| self.plugins.owns(plugin, tool)) else {
            let fault = no_way_back(self.plugins.is_disabled(plugin), plugin, tool);
            let mut outcome = refused(&fault);
            self.pipeline.complete_suggestion(&mut outcome.body);
            return Some(Answer { outcome, elapsed: started.elapsed(), question: None });
        };
        let calling = self.plugins.call(&found, &self.pipeline, arguments, caller, cancel, true);
        let (mut answer, has_changed) = calling.await;
        if answer.question.is_some() || answer.outcome.is_error {
            return Some(answer);
        }
        let mut said = std::mem::take(&mut answer.outcome.body);
        let again = said.as_object_mut().and_then(|said| said.remove("undo"));
        // A plugin may answer normally although a human has refused all its changes.
        let success = said["success"] != false && has_changed;
        if success {
            self.pipeline.forget_undo(undo.id).await;
        }
        let is_idle = said["success"] != false && !has_changed;
        let change = json!({ "object": undo.words, "plugin": plugin, "answer": said, "undo": again });
        answer.outcome.body = json!({ "success": success, "changes": [change], "untrusted": true });
        if is_idle {
            let message =
                format!("the plugin `{plugin}` changed nothing, so this change can still be undone");
            let fault = Fault::new(Code::ExecutionFailed, message, "check whether it was already undone");
            let said = fault.to_json().as_object().cloned().unwrap_or_default();
            answer.outcome.body.as_object_mut().expect("an object").extend(said);
        }
        answer.outcome.is_error = !success;
        Some(answer)
    }
}

/// Says why the tool that would undo a change of a plugin is not there. `is_disabled` is `None` if the plugin is not
/// installed.
fn no_way_back(is_disabled: Option<bool>, plugin: &str, tool: &str) -> Fault {
    let (message, suggestion) = match is_disabled {
        None => (
            format!("the plugin `{plugin}` made the change and is not installed any more"),
            "install it again, or change it by hand".to_owned(),
        ),
        Some(true) => (
            format!("the plugin `{plugin}` made the change and is disabled"),
            format!("the user can run `iac-mcp plugin enable {plugin}`; otherwise change it by hand"),
        ),
        Some(false) => (
            format!(
                "the installed version of the plugin `{plugin}` has no tool `{tool}`, which would undo the change"
            ),
            "change it by hand, or let the user install a version that has this tool".to_owned(),
        ),
    };
    Fault::new(Code::Unavailable, message, suggestion)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_way_back_has_its_reason() {
        let check = |is_disabled, message: &str, suggestion: &str| {
            let fault = no_way_back(is_disabled, "notes", "notes_undo");
            assert!(fault.message.contains(message), "{}", fault.message);
            assert!(fault.suggestion.contains(suggestion), "{}", fault.suggestion);
        };
        check(None, "is not installed any more", "install it again");
        check(Some(true), "is disabled", "`iac-mcp plugin enable notes`");
        check(Some(false), "has no tool `notes_undo`", "a version that has this tool");
    }
}
