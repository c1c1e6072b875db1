//! However the server ends, and whatever it does at that moment, no process that it started survives.

use std::path::Path;
use std::time::Duration;

use rustix::process::Signal;
use serde_json::json;
use tempfile::TempDir;

use crate::server::Server;

/// What the server is doing when it ends.
#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    /// It has an idle worker.
    Idle,
    /// One script runs, and others wait.
    Running,
    /// A script still runs although its client got an answer.
    Left,
    /// A process runs for only one script.
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
        let folder = TempDir::new().unwrap();
        let mut server = start(state, folder.path()).await;
        bring_to(&server, state).await;
        assert!(server.mark.living().len() > 1, "{state:?}: nothing was started");
        match end {
            End::Killed => server.signal(Signal::KILL),
            End::Terminated => server.signal(Signal::TERM),
            End::Closed => server.close().await,
        }
        server.mark.gone().await;
        server.process.wait().await.unwrap();
    }
}

async fn start(state: State, folder: &Path) -> Server {
    let hang = json!([{ "app": "com.apple.mail", "event": "get", "do": { "hang": null } }]);
    let (faults, alone) = (folder.join("faults.json"), folder.join("alone"));
    std::fs::write(&faults, json!({ "faults": hang }).to_string()).unwrap();
    let own = env!("CARGO_BIN_EXE_iac-mcp");
    let no_worker = format!("case \"$*\" in *-e*) exit 1 ;; esac; exec {own} osascript \"$@\"");
    std::fs::write(&alone, no_worker).unwrap();
    Server::start(folder, |command| {
        command.args(["--simulated", "--timeout", "1"]).env("IAC_MCP_FAULTS", faults);
        if state == State::Alone {
            command.arg("--osascript").arg(format!("/bin/sh {}", alone.display()));
        }
    })
    .await
}

async fn bring_to(server: &Server, state: State) {
    let specifier = json!({ "type": "property", "property": "inbox", "of": "application" });
    let inbox = json!({ "app": "Mail", "specifier": specifier });
    match state {
        State::Idle => drop(server.call("iac_mcp_list_apps", json!({})).await),
        State::Left => drop(server.call("iac_mcp_query_object", inbox).await),
        State::Running | State::Alone => {
            for _ in 0..3 {
                server.begin("iac_mcp_query_object", inbox.clone()).await;
            }
            while server.mark.living().len() < 3 {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }
}
