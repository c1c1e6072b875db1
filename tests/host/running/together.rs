//! Several servers and one Mac.

use std::path::Path;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::{Value as Json, json};

use crate::mac::mac;
use crate::server::Server;

#[tokio::test]
async fn a_server_that_was_stopped_in_its_turn() {
    let slow = json!([{ "app": "com.apple.mail", "event": "get", "times": 1, "do": { "slow": 1000 } }]);
    let mac = mac(&slow);
    let state = tempfile::tempdir().unwrap();
    let (stopped, other) = (serve(mac.path(), state.path()).await, serve(mac.path(), state.path()).await);
    let inbox = || {
        let specifier = json!({ "type": "property", "property": "inbox", "of": "application" });
        json!({ "app": "Mail", "specifier": specifier })
    };
    let begun = stopped.begin("iac_mcp_query_object", inbox()).await;
    while metrics(&stopped).await["state"] != "running" {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    stopped.signal(Signal::STOP);

    let started = Instant::now();
    let answer = other.call("iac_mcp_query_object", inbox()).await;
    assert!(answer["reference"].is_object(), "a read goes on: {answer}");
    assert!(started.elapsed() >= Duration::from_secs(2), "but it waits first");
    assert_eq!(metrics(&other).await["withoutTurn"], 1);

    stopped.signal(Signal::CONT);
    let answer = begun.await.unwrap();
    assert!(answer["result"]["structuredContent"]["reference"].is_object(), "{answer}");
    let answer = other.call("iac_mcp_query_object", inbox()).await;
    assert!(answer["reference"].is_object(), "{answer}");
    assert_eq!(metrics(&other).await["withoutTurn"], 1);
}

async fn metrics(server: &Server) -> Json {
    server.call("system", json!({ "action": "metrics" })).await["osascript"]["apps"]["com.apple.mail"].clone()
}

/// A server of a Mac that others use too.
pub(crate) async fn serve(mac: &Path, state: &Path) -> Server {
    Server::start(state, |command| {
        command.arg("--world").arg(mac);
    })
    .await
}
