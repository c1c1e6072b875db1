//! A minimal client, so that the measured time is the server's.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Write as _, pipe};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Stdio};

use serde_json::{Value as Json, json};

/// A server and its client.
pub(crate) struct Client {
    process: Child,
    stdin: Option<File>,
    stdout: BufReader<File>,
    next: u64,
}

/// The kind of stream that is a server's stdin and stdout.
#[derive(Clone, Copy)]
pub(crate) enum Over {
    Pipes,
    /// What every program on Node gives its servers.
    Sockets,
}

impl Over {
    /// Returns the read end and the write end.
    fn ends(self) -> (OwnedFd, OwnedFd) {
        match self {
            Self::Pipes => pipe().map(|(read, write)| (read.into(), write.into())).expect("a pipe"),
            Self::Sockets => UnixStream::pair().map(|(a, b)| (a.into(), b.into())).expect("two sockets"),
        }
    }
}

impl Client {
    /// Starts a server and begins a session.
    pub(crate) fn start(command: &mut Command) -> Self {
        Self::over(Over::Pipes, command)
    }

    /// The same, over this kind of stream.
    pub(crate) fn over(over: Over, command: &mut Command) -> Self {
        let ((stdin, write), (read, stdout)) = (over.ends(), over.ends());
        let spawned = command.stdin(stdin).stdout(stdout).stderr(Stdio::null()).spawn();
        let process = spawned.expect("the server starts");
        // This process closes its copies of the server's streams, so that it notices when the server ends.
        command.stdin(Stdio::null()).stdout(Stdio::null());
        let (stdin, stdout) = (Some(File::from(write)), BufReader::new(File::from(read)));
        let mut client = Self { process, stdin, stdout, next: 0 };
        let info = json!({ "name": "numbers", "version": "0" });
        let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info });
        client.request("initialize", &hello);
        client.write(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string());
        client
    }

    /// Sends a request, and returns its result.
    pub(crate) fn request(&mut self, method: &str, params: &Json) -> Json {
        self.next += 1;
        self.write(
            &json!({ "jsonrpc": "2.0", "id": self.next, "method": method, "params": params }).to_string(),
        );
        let line = self.line();
        let mut answer: Json = serde_json::from_str(&line).expect("a line of JSON");
        assert_eq!(answer["id"], self.next, "{line}");
        answer["result"].take()
    }

    /// Calls a tool that must succeed. Returns the whole result.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Json) -> Json {
        let result = self.request("tools/call", &json!({ "name": tool, "arguments": arguments }));
        assert_ne!(result["isError"], true, "{tool}: {result}");
        result
    }

    /// Calls a tool that must succeed. Returns its structured content.
    pub(crate) fn ask(&mut self, tool: &str, arguments: &Json) -> Json {
        self.call(tool, arguments)["structuredContent"].take()
    }

    /// Writes a prepared line and waits for the next line. Returns the length of that line without parsing it.
    pub(crate) fn exchange(&mut self, line: &str) -> usize {
        self.write(line);
        self.line().len()
    }

    fn write(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().expect("nobody has closed it");
        stdin.write_all(format!("{line}\n").as_bytes()).expect("the server reads");
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.stdout.read_line(&mut line).expect("the server writes");
        line
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        drop(self.stdin.take());
        // The server ends when its input ends. Other tests check its exit status.
        let _ = self.process.wait();
    }
}
