//! Disks and streams that the server cannot write to.

use std::time::Duration;

use serde_json::{Value as Json, json};

use crate::server::Server;
use crate::together::{first_message, serve, trusting};

pub(crate) async fn flag(server: &Server, message: &Json, value: u8) -> Json {
    let write = json!({ "reference": message, "property": "flag index", "value": value });
    server.call("iac_mcp_set_property", write).await
}

#[tokio::test]
async fn what_cannot_be_kept_for_an_undo_is_not_offered() {
    let (mac, state) = (trusting(&json!([])), tempfile::tempdir().unwrap());
    let server = serve(mac.path(), state.path()).await;
    let message = first_message(&server).await;
    let answer = flag(&server, &message, 1).await;
    assert!(answer["undo"].is_string(), "{answer}");
    let undos = mac.path().join(".iac-mcp/undo.json");
    std::fs::remove_file(&undos).unwrap();
    std::fs::create_dir(&undos).unwrap();
    let answer = flag(&server, &message, 2).await;
    assert_eq!((&answer["success"], &answer["undo"]), (&json!(true), &Json::Null), "{answer}");
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
