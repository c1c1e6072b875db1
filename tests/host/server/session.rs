//! A session with the real server on the simulated Mac, through rmcp's own client.

use std::path::{Path, PathBuf};

use iac_simulator::trace::{Traced, read};
use rmcp::model::{CallToolRequestParams, CallToolResult, ProtocolVersion};
use rmcp::service::{ClientLifecycleMode, ClientServiceExt as _, RunningService};
use rmcp::transport::TokioChildProcess;
use rmcp::{RoleClient, ServiceError};
use serde_json::Value as Json;
use tokio::process::Command;

/// The folders and files of one server: its state, its cache, its trace.
pub(crate) struct Home(tempfile::TempDir);

/// A server with its client.
pub(crate) struct Session {
    pub(crate) client: RunningService<RoleClient, ()>,
    home: Home,
}

/// Every way in which a client can begin.
pub(crate) fn modes() -> [(&'static str, ClientLifecycleMode); 3] {
    let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
    [
        ("initialize", ClientLifecycleMode::Initialize),
        ("discover", ClientLifecycleMode::Discover { preferred_versions: preferred_versions.clone() }),
        ("auto", ClientLifecycleMode::Auto { preferred_versions, legacy_version: None }),
    ]
}

impl Home {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    fn trace(&self) -> PathBuf {
        self.path().join("trace.jsonl")
    }

    /// The server's command with these arguments, in this home.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_iac-mcp"));
        command.args(arguments).env("HOME", self.path()).env_remove("IAC_MCP_WORLD");
        command.env("XDG_STATE_HOME", self.path()).env("XDG_CACHE_HOME", self.path());
        command.env("IAC_MCP_TRACE", self.trace());
        command
    }
}

impl Session {
    /// Starts `serve --simulated` with more arguments, and begins a session.
    pub(crate) async fn start(mode: ClientLifecycleMode, more: &[&str]) -> Self {
        Self::in_home(Home::new(), mode, more).await
    }

    /// The same, in a home folder with existing files.
    pub(crate) async fn in_home(home: Home, mode: ClientLifecycleMode, more: &[&str]) -> Self {
        let arguments = [&["serve", "--simulated"], more].concat();
        let transport = TokioChildProcess::new(home.command(&arguments)).unwrap();
        let client = ().serve_with_lifecycle(transport, mode).await.unwrap();
        Self { client, home }
    }

    /// A session of the older era, which most clients still speak.
    pub(crate) async fn new() -> Self {
        Self::start(ClientLifecycleMode::Initialize, &[]).await
    }

    /// Calls a tool; arguments as an object.
    pub(crate) async fn call(
        &self,
        tool: &'static str,
        arguments: Json,
    ) -> Result<CallToolResult, ServiceError> {
        let arguments = arguments.as_object().unwrap().clone();
        self.client.call_tool(CallToolRequestParams::new(tool).with_arguments(arguments)).await
    }

    /// Calls a tool that must succeed.
    pub(crate) async fn ok(&self, tool: &'static str, arguments: Json) -> Json {
        let result = self.call(tool, arguments).await.unwrap();
        assert_ne!(result.is_error, Some(true), "{tool}: {:?}", result.structured_content);
        result.structured_content.unwrap()
    }

    /// Calls a tool that must fail.
    pub(crate) async fn err(&self, tool: &'static str, arguments: Json) -> Json {
        let result = self.call(tool, arguments).await.unwrap();
        assert_eq!(result.is_error, Some(true), "{tool}: {:?}", result.structured_content);
        result.structured_content.unwrap()
    }

    /// Every Apple event that was sent so far.
    pub(crate) fn trace(&self) -> Vec<Traced> {
        read(&self.home.trace()).unwrap()
    }
}
