//! A full disk. Only Linux can set the limits of another process.

use std::path::Path;
use std::process::Stdio;

use rustix::process::{Resource, Rlimit, prlimit};
use serde_json::{Value as Json, json};
use tokio::process::Command;

use crate::disk::flag;
use crate::server::Server;
use crate::together::{first_message, trusting};

/// A server whose files cannot grow any more, as on a full disk. Its shell ignores the signal, so a write gives an
/// error.
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
    assert_eq!(iac_state::audit::verify(&mac.path().join(".iac-mcp")).unwrap(), []);
}
