//! Runs a package for its author, with the engine and the permission gate of a server, on a simulated Mac made for
//! the call.

use std::path::Path;
use std::sync::Arc;

use iac_plugins::capability::Grants;
use iac_plugins::descriptor::undo_fault;
use iac_plugins::engine::{Cache, Call, Engine, Line, LogLevel, Plugin, Report, Setup, Wall};
use iac_plugins::failure::Failure;
use iac_plugins::host::Host;
use iac_plugins::installed::Installed;
use iac_plugins::journal::{End, Journal, Recording};
use iac_plugins::limits::Limits;
use iac_plugins::local::Local;
use iac_plugins::package::{Package, PackageError};
use serde_json::{Map, Value as Json};
use tokio_util::sync::CancellationToken;

use super::bridge::Bridge;
use crate::closed::Files;
use crate::consent::Caller;
use crate::pipeline::Pipeline;

/// A package, linked with its grants.
pub(crate) struct Trial(Plugin);

/// The result of a call.
pub(crate) struct Tried {
    /// The answer, or the error as clients see it.
    pub(crate) answer: Result<Json, Json>,
    /// The questions and answers of the guest.
    pub(crate) recording: Recording,
    /// The resources that the call has used.
    pub(crate) report: Report,
    /// The number of Apple events that were sent.
    pub(crate) events: u64,
}

impl Trial {
    /// Compiles and links a package without running its code.
    ///
    /// # Errors
    /// It does not compile, or imports something that was not granted.
    pub(crate) fn new(
        engine: &Arc<Engine>,
        bytes: &[u8],
        package: &Package,
        grants: Grants,
        cache: Option<&Cache>,
    ) -> Result<Self, PackageError> {
        let limits = Limits::standard();
        let compiled = engine.compile(bytes, cache)?;
        let setup = Setup {
            id: package.manifest.id.clone(),
            wanted: package.grants(),
            grants,
            limits,
            settings: package.manifest.settings(&Map::new()),
            tools: package.tools.clone(),
            lenient: package.manifest.lenient,
            scripts: package.scripts.clone(),
            secrets: package.manifest.secrets.clone(),
        };
        Ok(Self(Plugin::link(engine, &compiled, setup)?))
    }

    /// Returns the same package with other settings.
    pub(crate) fn with_settings(&self, settings: Map<String, Json>) -> Self {
        Self(self.0.with_settings(settings))
    }

    /// Calls a tool. Its requests go through the pipeline, and its data is stored below `store`.
    ///
    /// # Errors
    /// `store` cannot be created.
    pub(crate) async fn call(
        &self,
        pipeline: &Arc<Pipeline>,
        store: &Path,
        (tool, arguments): (&str, &Map<String, Json>),
        recording: Recording,
    ) -> Result<Tried, String> {
        let data = Installed::open(store).and_then(|installed| installed.data());
        let data = data.map_err(|error| error.to_string())?;
        let bridge =
            Arc::new(Bridge::new(Arc::clone(pipeline), Arc::default(), Caller::alone("iac-mcp plugin test")));
        let closed = Arc::new(Files::of(Some(pipeline.state().folder())));
        let host = Local::new(Arc::new(data), closed, Arc::clone(&bridge) as Arc<dyn Host>);
        let journal = Journal::new(recording, Arc::new(host));
        let (answer, mut report, journal) = self.run((tool, arguments), journal).await;
        let recording = journal.recording();
        if let Some(why) = answer.as_ref().ok().and_then(|answer| self.undo_fault(answer, &recording)) {
            let text = format!("the change cannot be undone: {why}");
            report.log.push(Line { level: LogLevel::Warn, text });
        }
        let answer = answer.map_err(|failure| failure.body(&self.0.setup().id));
        Ok(Tried { answer, recording, report, events: bridge.events() })
    }

    /// Finds out why a server would drop the undo of an answer.
    fn undo_fault(&self, answer: &Json, recording: &Recording) -> Option<String> {
        let (undo, setup) = (answer.get("undo").filter(|undo| !undo.is_null())?, self.0.setup());
        let is_id = undo.as_str().is_some_and(|id| recording.undos().iter().any(|known| known == id));
        if is_id { None } else { undo_fault(&setup.tools, setup.lenient, undo) }
    }

    /// Replays a recorded call. Only the recording answers its questions.
    ///
    /// # Errors
    /// The first difference between its questions and the recorded ones.
    pub(crate) async fn replay(
        &self,
        call: (&str, &Map<String, Json>),
        recording: Recording,
    ) -> Result<Result<Json, Json>, String> {
        let (answer, _, journal) = self.run(call, Journal::new(recording, Arc::new(End))).await;
        if let Err(Failure::Diverged(how)) = answer {
            return Err(how);
        }
        if let Some(question) = journal.unasked() {
            let shown = serde_json::to_string(&question).unwrap_or_default();
            return Err(format!("it did not ask {shown}"));
        }
        Ok(answer.map_err(|failure| failure.body(&self.0.setup().id)))
    }

    async fn run(
        &self,
        (tool, arguments): (&str, &Map<String, Json>),
        journal: Journal,
    ) -> (Result<Json, Failure>, Report, Arc<Journal>) {
        let (now, journal) = (journal.now(), Arc::new(journal));
        let call = Call {
            tool: tool.to_owned(),
            arguments: arguments.clone(),
            now,
            cancelled: CancellationToken::new(),
            wall: Wall::default(),
            host: Arc::clone(&journal) as Arc<dyn Host>,
        };
        let (answer, report) = self.0.call(call).await;
        (answer, report, journal)
    }
}
