//! The least that a server built on rmcp can do: one tool that gives back what it was given.

use std::process::ExitCode;
use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ErrorData, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::transport::io::stdio_pipes;
use rmcp::{RoleServer, ServerHandler, ServiceExt as _};
use serde_json::Value as Json;

/// With this argument the program is the server.
pub(crate) const ARGUMENT: &str = "echo-server";

#[derive(Clone)]
struct Echo;

impl ServerHandler for Echo {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(vec![Tool::new("echo", "gives back", Arc::default())]))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let given = request.arguments.map_or(Json::Null, Json::Object);
        Ok(CallToolResult::structured(given).into())
    }
}

/// Serves until stdin ends, on as many threads and through the same pipes as the server that is measured.
pub(crate) fn serve() -> ExitCode {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    runtime.expect("a runtime").block_on(async {
        let running = Echo.serve(stdio_pipes()).await.expect("a session begins");
        running.waiting().await.expect("it ends in order");
    });
    ExitCode::SUCCESS
}
