//! The real server as a process; the test talks to it line by line.

use std::collections::HashMap;
use std::path::Path;
use std::process::Stdio;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value as Json, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::oneshot;

use crate::mark::Mark;

type Waiting = Arc<Mutex<HashMap<u64, oneshot::Sender<Json>>>>;

/// A server with its one client.
pub(crate) struct Server {
    pub(crate) process: Child,
    pub(crate) mark: Mark,
    stdin: tokio::sync::Mutex<Option<ChildStdin>>,
    waiting: Waiting,
    strays: Arc<AtomicU64>,
    next: AtomicU64,
}

impl Server {
    /// Starts `serve` in a folder, which may be shared with others, and begins a session.
    pub(crate) async fn start(folder: &Path, configure: impl FnOnce(&mut Command)) -> Self {
        Self::by(Command::new(env!("CARGO_BIN_EXE_iac-mcp")), folder, configure).await
    }

    /// The same with a command that gets the program's arguments.
    pub(crate) async fn by(
        mut command: Command,
        folder: &Path,
        configure: impl FnOnce(&mut Command),
    ) -> Self {
        let mark = Mark::new();
        command.arg("serve").env("HOME", folder).envs([mark.variable()]).env("IAC_MCP_LOG", "error");
        command.env("XDG_CACHE_HOME", folder).env("XDG_STATE_HOME", folder);
        configure(&mut command);
        let mut process =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true).spawn().unwrap();
        let (waiting, strays) = (Waiting::default(), Arc::new(AtomicU64::new(0)));
        tokio::spawn(listen(process.stdout.take().unwrap(), waiting.clone(), strays.clone()));
        let stdin = tokio::sync::Mutex::new(process.stdin.take());
        let server = Self { process, mark, stdin, waiting, strays, next: AtomicU64::new(0) };
        let client = json!({ "name": "test", "version": "1" });
        let hello = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client });
        server.request("initialize", hello).await.await.unwrap();
        server.write(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
        server
    }

    /// Calls a tool; the test may wait for the answer or not.
    pub(crate) async fn begin(&self, tool: &str, arguments: Json) -> oneshot::Receiver<Json> {
        self.request("tools/call", json!({ "name": tool, "arguments": arguments })).await
    }

    /// Calls a tool and waits for its structured answer.
    pub(crate) async fn call(&self, tool: &str, arguments: Json) -> Json {
        let answer = self.begin(tool, arguments).await.await.unwrap();
        answer["result"]["structuredContent"].clone()
    }

    /// The number of answers without a request.
    pub(crate) fn strays(&self) -> u64 {
        self.strays.load(Ordering::Relaxed)
    }

    /// The id of its process.
    pub(crate) fn pid(&self) -> Pid {
        Pid::from_raw(i32::try_from(self.process.id().unwrap()).unwrap()).unwrap()
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(self.pid(), signal).unwrap();
    }

    /// Closes its input.
    pub(crate) async fn close(&self) {
        *self.stdin.lock().await = None;
    }

    async fn request(&self, method: &str, params: Json) -> oneshot::Receiver<Json> {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let (sender, answer) = oneshot::channel();
        self.waiting.lock().unwrap().insert(id, sender);
        self.write(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })).await;
        answer
    }

    async fn write(&self, message: &Json) {
        let line = format!("{message}\n");
        self.stdin.lock().await.as_mut().unwrap().write_all(line.as_bytes()).await.unwrap();
    }
}

async fn listen(stdout: ChildStdout, waiting: Waiting, strays: Arc<AtomicU64>) {
    let mut lines = BufReader::new(stdout).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        let message: Json = serde_json::from_str(&line).unwrap();
        let asked = message["id"].as_u64().and_then(|id| waiting.lock().unwrap().remove(&id));
        match asked {
            Some(sender) => drop(sender.send(message)),
            None if message.get("method").is_some() => {}
            None => drop(strays.fetch_add(1, Ordering::Relaxed)),
        }
    }
}
