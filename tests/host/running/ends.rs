//! However the server ends, and whatever it does at that moment: nothing that it started lives on.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value as Json, json};
use tempfile::TempDir;

use crate::mark::Mark;

/// What the server does when it ends.
#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    /// It keeps a worker that rests.
    Idle,
    /// A script runs, and others wait.
    Running,
    /// A script was left alone after its client was answered.
    Left,
    /// A process runs for one script alone.
    Alone,
}

#[derive(Clone, Copy, Debug)]
enum End {
    Killed,
    Terminated,
    Closed,
}

#[tokio::test(flavor = "multi_thread")]
async fn killed() {
    check_all(End::Killed).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn terminated() {
    check_all(End::Terminated).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn stdin_closed() {
    check_all(End::Closed).await;
}

async fn check_all(end: End) {
    for state in [State::Idle, State::Running, State::Left, State::Alone] {
        let mut server = Server::start(state);
        server.bring_to(state).await;
        assert!(server.mark.living().len() > 1, "{state:?}: nothing was started");
        server.end(end);
        server.mark.gone().await;
        server.process.wait().unwrap();
    }
}

/// The real server over the simulated Mac.
struct Server {
    process: Child,
    stdin: Option<ChildStdin>,
    mark: Mark,
    _folder: TempDir,
}

impl Server {
    fn start(state: State) -> Self {
        let (folder, mark) = (TempDir::new().unwrap(), Mark::new());
        let own = env!("CARGO_BIN_EXE_iac-mcp");
        let faults = folder.path().join("faults.json");
        let hang = json!([{ "app": "com.apple.mail", "event": "get", "do": { "hang": null } }]);
        std::fs::write(&faults, json!({ "faults": hang }).to_string()).unwrap();
        let alone = format!("case \"$*\" in *-e*) exit 1 ;; esac; exec {own} osascript \"$@\"");
        let program = folder.path().join("alone");
        std::fs::write(&program, alone).unwrap();
        let mut command = Command::new(own);
        command.args(["serve", "--simulated", "--timeout", "1"]);
        if state == State::Alone {
            command.arg("--osascript").arg(format!("/bin/sh {}", program.display()));
        }
        command
            .env("HOME", folder.path())
            .env("XDG_CACHE_HOME", folder.path())
            .env("XDG_STATE_HOME", folder.path());
        command.env("IAC_MCP_FAULTS", faults).envs([mark.variable()]);
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let stdin = process.stdin.take();
        let mut server = Self { process, stdin, mark, _folder: folder };
        let hello = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" } });
        server.say(&json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello }));
        server.say(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        server
    }

    async fn bring_to(&mut self, state: State) {
        let (asked, answered) = match state {
            State::Idle => (vec![call(1, "iac_mcp_list_apps", &json!({}))], Some(1)),
            State::Running | State::Alone => (vec![inbox(1), inbox(2), inbox(3)], None),
            State::Left => (vec![inbox(1)], Some(1)),
        };
        asked.iter().for_each(|each| self.say(each));
        match answered {
            Some(id) => self.hear(id),
            None => self.wait_for_osascript().await,
        }
    }

    fn say(&mut self, message: &Json) {
        writeln!(self.stdin.as_mut().unwrap(), "{message}").unwrap();
    }

    /// Reads until the answer with this id.
    fn hear(&mut self, id: u64) {
        let lines = BufReader::new(self.process.stdout.as_mut().unwrap()).lines();
        let mut answers = lines.map(|line| serde_json::from_str::<Json>(&line.unwrap()).unwrap());
        assert!(answers.any(|answer| answer["id"] == id), "no answer to {id}");
    }

    /// A server, a guard, and an `osascript`.
    async fn wait_for_osascript(&self) {
        while self.mark.living().len() < 3 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }

    fn end(&mut self, end: End) {
        let pid = Pid::from_child(&self.process);
        match end {
            End::Killed => kill_process(pid, Signal::KILL).unwrap(),
            End::Terminated => kill_process(pid, Signal::TERM).unwrap(),
            End::Closed => self.stdin = None,
        }
    }
}

fn inbox(id: u64) -> Json {
    let specifier = json!({ "type": "property", "property": "inbox", "of": "application" });
    call(id, "iac_mcp_query_object", &json!({ "app": "Mail", "specifier": specifier }))
}

fn call(id: u64, tool: &str, arguments: &Json) -> Json {
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": tool, "arguments": arguments } })
}
