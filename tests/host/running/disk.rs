//! Disks and streams that cannot be written.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use rustix::process::{Resource, Rlimit, prlimit};
use serde_json::{Value as Json, json};
use tokio::process::Command;

use crate::server::Server;
use crate::together::{first_message, serve, trusting};

async fn flag(server: &Server, message: &Json, value: u8) -> Json {
    let write = json!({ "reference": message, "property": "flag index", "value": value });
    server.call("iac_mcp_set_property", write).await
}

#[tokio::test]
async fn what_cannot_be_kept_for_an_undo_is_not_offered() {
    let (mac, state) = (trusting(&json!([])), tempfile::tempdir().unwrap());
    let server = serve(mac.path(), state.path()).await;
    let message = first_message(&server).await;
    let change = flag(&server, &message, 1).await["changes"][0].clone();
    assert!(change["undo"].is_string(), "{change}");
    let undos = mac.path().join(".iac-mcp/undo.json");
    std::fs::remove_file(&undos).unwrap();
    std::fs::create_dir(&undos).unwrap();
    let change = flag(&server, &message, 2).await["changes"][0].clone();
    assert_eq!((&change["verified"], &change["undo"]), (&json!(true), &Json::Null), "{change}");
}

/// A server whose files cannot grow from now on, as on a full disk. Its shell sees to it that this is an error and not a
/// signal.
async fn full(mac: &Path, state: &Path) -> Server {
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", "trap '' XFSZ; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_iac-mcp")]);
    shell.stderr(Stdio::null());
    let server = Server::by(shell, state, |command| {
        command.arg("--world").arg(mac);
    })
    .await;
    grow(&server, Some(0));
    server
}

fn grow(server: &Server, current: Option<u64>) {
    let before = prlimit(Some(server.pid()), Resource::Fsize, Rlimit { current, maximum: None });
    before.unwrap();
}

#[tokio::test]
async fn a_log_that_cannot_be_begun_leaves_nothing() {
    let (mac, state) = (trusting(&json!([])), tempfile::tempdir().unwrap());
    let server = full(mac.path(), state.path()).await;
    let mut message = Json::Null;
    for _ in 0..3 {
        message = first_message(&server).await;
        assert!(message.is_string(), "reads go on");
        assert_eq!(flag(&server, &message, 1).await["error"], "unavailable");
    }
    let logs = || std::fs::read_dir(mac.path().join(".iac-mcp/audit")).unwrap().count();
    assert_eq!(logs(), 0);
    grow(&server, None);
    server.call("system", json!({})).await;
    flag(&server, &message, 1).await;
    assert_eq!(logs(), 3, "the log, its end, and `last`");
    assert_eq!(iac_mcp::state::audit::verify(&mac.path().join(".iac-mcp")).unwrap(), []);
}

#[tokio::test]
async fn a_stderr_that_nobody_reads_is_no_reason_to_fail() {
    let (mac, state) = (trusting(&json!([])), tempfile::tempdir().unwrap());
    let (near, far) = std::io::pipe().unwrap();
    drop(near);
    let server = Server::start(state.path(), |command| {
        command.arg("--world").arg(mac.path()).env("IAC_MCP_LOG", "debug").stderr(far);
    })
    .await;
    let asked = async { flag(&server, &first_message(&server).await, 1).await };
    let answered = tokio::time::timeout(Duration::from_secs(30), asked).await;
    assert_eq!(answered.expect("an answer")["success"], true);
}
