//! An MCP client for this same program, which it starts as a server in another process.

use std::ffi::OsString;
use std::time::{Duration, Instant};

use rmcp::model::{CallToolRequestParams, CallToolResult, ProtocolVersion};
use rmcp::service::{ClientLifecycleMode, ClientServiceExt as _, RunningService};
use rmcp::{RoleClient, ServiceError};
use serde_json::{Map, Value as Json};

use iac_osascript::own_server;

/// A session with a server that this program started.
pub struct Client {
    service: RunningService<RoleClient, ()>,
    child: tokio::process::Child,
    /// The time from starting the process to its first answer.
    pub first_answer: Duration,
}

/// A server's answer.
#[derive(Clone, Debug)]
pub struct Received {
    /// The answer, or the error.
    pub body: Json,
    /// Whether it is an error.
    pub is_error: bool,
    /// The number of Apple events that it took.
    pub events: u64,
    /// The strategy that the server chose to read, if it had a choice.
    pub strategy: Option<String>,
    /// The time from the request to the answer, as the client sees it.
    pub elapsed: Duration,
}

/// The reason for a missing answer.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    #[error("the server cannot be started: {0}")]
    Start(#[from] std::io::Error),
    #[error("the session with the server failed: {0}")]
    Session(#[from] Box<rmcp::service::ClientInitializeError>),
    #[error("the server did not answer: {0}")]
    Request(#[from] Box<ServiceError>),
}

impl Client {
    /// Starts this program with these arguments, and begins a session of the newest protocol version.
    ///
    /// # Errors
    /// The process cannot be started or does not speak MCP.
    pub async fn start(arguments: &[OsString]) -> Result<Self, ClientError> {
        let started = Instant::now();
        let mut child = own_server(arguments)?;
        let missing = || std::io::Error::other("a pipe is missing");
        let transport = (child.stdout.take().ok_or_else(missing)?, child.stdin.take().ok_or_else(missing)?);
        let mode = ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] };
        let service = ().serve_with_lifecycle(transport, mode).await.map_err(Box::new)?;
        Ok(Self { service, child, first_answer: started.elapsed() })
    }

    /// The protocol version of the session.
    pub fn protocol(&self) -> &'static str {
        ProtocolVersion::V_2026_07_28.as_str()
    }

    /// Lists the tools as JSON.
    ///
    /// # Errors
    /// The server does not answer.
    pub async fn tools(&self) -> Result<Vec<Json>, ClientError> {
        let tools = self.service.list_all_tools().await.map_err(Box::new)?;
        Ok(tools.iter().filter_map(|tool| serde_json::to_value(tool).ok()).collect())
    }

    /// Calls a tool.
    ///
    /// # Errors
    /// The server does not answer, or has no tool of that name.
    pub async fn call(&self, tool: &str, arguments: Map<String, Json>) -> Result<Received, ClientError> {
        let started = Instant::now();
        let request = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        let result = self.service.call_tool(request).await.map_err(Box::new)?;
        Ok(received(result, started.elapsed()))
    }

    /// Ends the session and waits for the server.
    ///
    /// # Errors
    /// The process cannot be waited for.
    pub async fn end(mut self) -> Result<(), ClientError> {
        if let Err(error) = self.service.cancel().await {
            tracing::debug!(%error, "the session ended badly");
        }
        self.child.wait().await?;
        Ok(())
    }
}

fn received(result: CallToolResult, elapsed: Duration) -> Received {
    let meta = result.meta.unwrap_or_default();
    let events = meta.get("iac-mcp/events").and_then(Json::as_u64).unwrap_or_default();
    let strategy = meta.get("iac-mcp/strategy").and_then(Json::as_str).map(str::to_owned);
    let is_error = result.is_error.unwrap_or_default();
    Received { body: result.structured_content.unwrap_or_default(), is_error, events, strategy, elapsed }
}
