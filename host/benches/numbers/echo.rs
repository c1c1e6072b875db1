//! The smallest server on rmcp. One tool returns its arguments; one passes them to another process first, as a server
//! does that talks to apps.

use std::io::{BufRead as _, Write as _};
use std::process::{ExitCode, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ErrorData, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::transport::io::stdio_pipes;
use rmcp::{RoleServer, ServerHandler, ServiceExt as _};
use serde_json::{Value as Json, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::Mutex;

/// With this argument, the program is the echo server.
pub(crate) const ARGUMENT: &str = "echo-server";

/// With this argument and a number of microseconds, the program is the other process.
pub(crate) const OTHER: &str = "echo-lines";

#[derive(Clone)]
struct Echo {
    /// `None` until the tool that uses it is called.
    other: Arc<Mutex<Option<Other>>>,
}

/// The process that lines are passed to, and how long it was waited for.
struct Other {
    _process: Child,
    stdin: ChildStdin,
    stdout: Lines<BufReader<ChildStdout>>,
    waited: Duration,
}

impl Other {
    fn start(busy: &str) -> Self {
        let own = std::env::current_exe().expect("this program has a path");
        let mut command = Command::new(own);
        command.args([OTHER, busy]).stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
        let mut process = command.spawn().expect("this program starts");
        let stdin = process.stdin.take().expect("stdin is a pipe");
        let stdout = BufReader::new(process.stdout.take().expect("stdout is a pipe")).lines();
        Self { _process: process, stdin, stdout, waited: Duration::ZERO }
    }

    async fn show(&mut self, line: &str) {
        let begun = Instant::now();
        self.stdin.write_all(line.as_bytes()).await.expect("it reads");
        assert!(self.stdout.next_line().await.is_ok_and(|line| line.is_some()), "it writes");
        self.waited += begun.elapsed();
    }
}

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
        let answer = match &*request.name {
            "echo" => given,
            "show" => {
                let mut other = self.other.lock().await;
                let busy = given["busy"].to_string();
                other.get_or_insert_with(|| Other::start(&busy)).show("a line\n").await;
                given
            }
            _ => {
                json!({ "waited": self.other.lock().await.as_ref().map(|other| other.waited.as_secs_f64()) })
            }
        };
        Ok(CallToolResult::structured(answer).into())
    }
}

/// Serves until stdin ends, with the same runtime and the same kind of streams as the measured server.
pub(crate) fn serve() -> ExitCode {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime").block_on(async {
        let echo = Echo { other: Arc::default() };
        let running = echo.serve(stdio_pipes()).await.expect("a session begins");
        running.waiting().await.expect("it ends in order");
    });
    ExitCode::SUCCESS
}

/// Returns each line after some microseconds of work, until stdin ends.
pub(crate) fn lines(busy: &str) -> ExitCode {
    let busy = Duration::from_secs_f64(busy.parse::<f64>().expect("a number of microseconds") * 1e-6);
    for line in std::io::stdin().lock().lines() {
        let begun = Instant::now();
        while begun.elapsed() < busy {
            std::hint::spin_loop();
        }
        let line = line.expect("text") + "\n";
        let mut stdout = std::io::stdout().lock();
        stdout.write_all(line.as_bytes()).and_then(|()| stdout.flush()).expect("the server reads");
    }
    ExitCode::SUCCESS
}
