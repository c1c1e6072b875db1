//! A server as a plain process: bytes in, lines out.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use serde_json::{Value as Json, json};

use crate::session::Home;

/// No answer takes this long; the test waits so long only for a server that hangs.
const PATIENCE: Duration = Duration::from_secs(60);

/// The process, and its output.
pub(crate) struct Lines {
    child: Child,
    stdin: Option<ChildStdin>,
    written: Receiver<String>,
    _home: Home,
}

impl Lines {
    /// Starts `serve --simulated`.
    pub(crate) fn start() -> Self {
        Self::start_with(&[])
    }

    /// Starts `serve --simulated` with more arguments.
    pub(crate) fn start_with(more: &[&str]) -> Self {
        Self::started(&[&["serve", "--simulated"], more].concat())
    }

    /// Starts the program with these arguments.
    pub(crate) fn started(arguments: &[&str]) -> Self {
        let home = Home::new();
        let command = home.command(arguments);
        let mut command: Command = command.into_std();
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let (sender, written) = channel();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || {
            stdout.lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
        });
        let stdin = child.stdin.take();
        Self { child, stdin, written, _home: home }
    }

    /// Writes bytes; if the server has already ended, the bytes are lost.
    pub(crate) fn write(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(bytes).and_then(|()| stdin.flush()).unwrap();
    }

    /// Writes one message.
    pub(crate) fn send(&mut self, message: &Json) {
        self.write(format!("{message}\n").as_bytes());
    }

    /// Begins a session of the older era.
    pub(crate) fn hello(&mut self) {
        self.send(&hello());
        assert!(self.answer(&json!("hello"))["result"]["serverInfo"].is_object());
        self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    }

    /// Begins a session as a client that supports forms.
    pub(crate) fn hello_with_forms(&mut self) {
        let mut hello = hello();
        hello["params"]["capabilities"] = json!({ "elicitation": { "form": {} } });
        self.send(&hello);
        self.answer(&json!("hello"));
        self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    }

    /// Waits for the next line.
    pub(crate) fn next(&mut self) -> Json {
        checked(&self.written.recv_timeout(PATIENCE).unwrap())
    }

    /// Waits this long for a line.
    pub(crate) fn within(&mut self, time: Duration) -> Option<Json> {
        self.written.recv_timeout(time).ok().map(|line| checked(&line))
    }

    /// Waits for the answer to a request; every line before it must be JSON-RPC too.
    pub(crate) fn answer(&mut self, id: &Json) -> Json {
        loop {
            let message = self.next();
            if message.get("id") == Some(id) {
                return message;
            }
        }
    }

    /// The id of its process.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Whether the server still answers.
    pub(crate) fn is_alive(&mut self) -> bool {
        self.send(&json!({ "jsonrpc": "2.0", "id": "alive", "method": "tools/list" }));
        self.answer(&json!("alive"))["result"]["tools"].is_array()
    }

    /// Closes stdin and waits for the end; returns every line that is still unread.
    pub(crate) fn end(mut self) -> Vec<Json> {
        self.stdin = None;
        let mut rest = Vec::new();
        loop {
            match self.written.recv_timeout(PATIENCE) {
                Ok(line) => rest.push(checked(&line)),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("the server does not end"),
            }
        }
        assert!(self.child.wait().unwrap().success());
        rest
    }
}

pub(crate) fn hello() -> Json {
    let client = json!({ "name": "bare", "version": "0" });
    let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client });
    json!({ "jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": params })
}

pub(crate) fn call(id: i64, tool: &str, arguments: &Json) -> Json {
    let params = json!({ "name": tool, "arguments": arguments });
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params })
}

/// Every line is one JSON-RPC message.
fn checked(line: &str) -> Json {
    let message: Json = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line:.200}"));
    assert_eq!(message["jsonrpc"], "2.0", "{line:.200}");
    message
}
