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

#[tokio::test]
async fn a_server_that_was_stopped_in_its_turn_holds_up_changes_no_longer_than_a_client_waits() {
    let subject = json!({ "app": "com.apple.mail", "event": "get", "target": "subject", "times": 1, "do": { "slow": 1000 } });
    let (mac, state) = (trusting(&json!([subject])), tempfile::tempdir().unwrap());
    let (stopped, other) = (serve(mac.path(), state.path()).await, hurried(mac.path(), state.path()).await);
    let (mine, message) = (first_message(&stopped).await, first_message(&other).await);
    let wanted = json!({ "reference": mine, "properties": ["subject"] });
    let begun = stopped.begin("iac_mcp_get_properties", wanted).await;
    while metrics(&stopped).await["state"] != "running" {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    stopped.signal(Signal::STOP);

    let write =
        ("iac_mcp_set_property", json!({ "reference": message, "property": "flag index", "value": 3 }));
    let properties = json!({ "new": "mailbox", "withProperties": { "name": "Another" } });
    let command =
        ("iac_mcp_run_command", json!({ "app": "Mail", "command": "make", "arguments": properties }));
    for (tool, arguments) in [&write, &command] {
        let answered =
            tokio::time::timeout(HURRY + Duration::from_secs(1), other.call(tool, arguments.clone()));
        let answer = answered.await.unwrap_or_else(|_| panic!("{tool}: no answer in time"));
        assert_eq!(answer["error"], "app_busy", "{answer}");
        let holder = stopped.pid().as_raw_nonzero().to_string();
        assert!(answer["message"].as_str().unwrap().contains(&holder), "{answer}");
        let calendars = json!({ "app": "Calendar", "container": "application", "elementType": "calendar" });
        let elsewhere = other.call("iac_mcp_get_elements", calendars).await;
        assert!(elsewhere["elements"].is_array(), "another app works at once: {elsewhere}");
    }

    stopped.signal(Signal::CONT);
    begun.await.unwrap();
    for (tool, arguments) in [write, command] {
        let answer = other.call(tool, arguments).await;
        assert_eq!(answer["success"], true, "{answer}");
    }
}

#[tokio::test]
async fn a_lock_of_shared_files_that_somebody_who_was_stopped_holds() {
    let (mac, state) = (trusting(&json!([])), tempfile::tempdir().unwrap());
    let lock = std::fs::File::create(mac.path().join(".iac-mcp/lock")).unwrap();
    lock.lock().unwrap();
    let server = hurried(mac.path(), state.path()).await;
    let message = first_message(&server).await;
    let write = |value| json!({ "reference": message, "property": "flag index", "value": value });
    let in_time = async |value| {
        let asked = server.call("iac_mcp_set_property", write(value));
        tokio::time::timeout(HURRY + Duration::from_secs(1), asked).await.expect("an answer in time")
    };
    let refused = in_time(1).await;
    assert_eq!(
        (&refused["error"], &refused["retryable"]),
        (&json!("unavailable"), &json!(true)),
        "{refused}"
    );
    assert!(refused["suggestion"].as_str().unwrap().contains("stopped"), "{refused}");
    let names = json!({ "reference": message, "properties": ["subject"] });
    assert!(server.call("iac_mcp_get_properties", names).await["properties"].is_object(), "reads go on");
    lock.unlock().unwrap();
    while in_time(2).await["success"] != true {}
    lock.lock().unwrap();
    assert_eq!(in_time(3).await["success"], true, "the log has begun, and what was done is answered");
    server.signal(Signal::TERM);
    server.mark.gone().await;
}

#[tokio::test]
async fn what_is_sent_without_waiting_is_done_in_its_order() {
    let (mac, state) = (trusting(&json!([])), tempfile::tempdir().unwrap());
    for _ in 0..3 {
        let server = serve(mac.path(), state.path()).await;
        let message = first_message(&server).await;
        let mut begun = Vec::new();
        for value in 0..60 {
            let write = json!({ "reference": message, "property": "flag index", "value": value % 7 });
            begun.push(server.begin("iac_mcp_set_property", write).await);
        }
        let mut before = None;
        for (at, begun) in begun.into_iter().enumerate() {
            let answer = begun.await.unwrap();
            let change = &answer["result"]["structuredContent"]["changes"][0];
            assert_eq!(change["new"], at % 7, "{answer}");
            assert!(before.is_none_or(|before| before == change["old"]), "{at}: {answer}");
            before = Some(change["new"].clone());
        }
        server.close().await;
    }
}

#[tokio::test]
async fn a_read_that_is_sent_right_behind_a_change_sees_it() {
    let (mac, state) = (trusting(&json!([])), tempfile::tempdir().unwrap());
    let mut before = serve(mac.path(), state.path()).await;
    let message = first_message(&before).await;
    before.close().await;
    before.process.wait().await.unwrap();
    // The reference outlives its server; the new servers have read no dictionary when these calls arrive.
    for _ in 0..3 {
        let mut server = serve(mac.path(), state.path()).await;
        let wanted = json!({ "reference": message, "properties": ["flag index"] });
        let mut begun = Vec::new();
        for value in 0..60 {
            let write = json!({ "reference": message, "property": "flag index", "value": value % 7 });
            begun.push((
                server.begin("iac_mcp_set_property", write).await,
                server.begin("iac_mcp_get_properties", wanted.clone()).await,
            ));
        }
        for (at, (change, read)) in begun.into_iter().enumerate() {
            let (change, read) = (change.await.unwrap(), read.await.unwrap());
            assert_eq!(change["result"]["structuredContent"]["success"], true, "{change}");
            let seen = &read["result"]["structuredContent"]["properties"]["flag index"];
            assert_eq!(*seen, at % 7, "{at}: {read}");
        }
        server.close().await;
        server.process.wait().await.unwrap();
    }
}

/// The timeout of a hurried server.
const HURRY: Duration = Duration::from_secs(3);

#[tokio::test]
async fn all_scripts_of_a_call_share_its_time() {
    let mac = mac(&json!([{ "app": "com.apple.mail", "event": "get", "do": { "slow": 2000 } }]));
    let state = tempfile::tempdir().unwrap();
    let server = hurried(mac.path(), state.path()).await;
    // The server first searches for the missing object, and then reads the names of its neighbours to suggest one.
    let specifier =
        json!({ "type": "named", "element": "account", "name": "Nobody", "container": "application" });
    let asked = server.call("iac_mcp_query_object", json!({ "app": "Mail", "specifier": specifier }));
    let answer =
        tokio::time::timeout(HURRY + Duration::from_secs(1), asked).await.expect("an answer in time");
    assert_eq!(answer["error"], "timeout", "{answer}");
}

async fn hurried(mac: &Path, state: &Path) -> Server {
    Server::start(state, |command| {
        command.arg("--world").arg(mac).args(["--timeout", &HURRY.as_secs().to_string()]);
    })
    .await
}

/// A Mac with faults, and a policy that allows everything.
pub(crate) fn trusting(faults: &Json) -> tempfile::TempDir {
    let mac = mac(faults);
    std::fs::create_dir_all(mac.path().join(".iac-mcp")).unwrap();
    std::fs::write(mac.path().join(".iac-mcp/policy.toml"), "profile = \"trusted\"\n").unwrap();
    mac
}

pub(crate) async fn first_message(server: &Server) -> Json {
    let inbox = json!({ "type": "property", "property": "inbox", "of": "application" });
    let specifier = json!({ "type": "element", "element": "message", "index": 0, "container": inbox });
    let asked = json!({ "app": "Mail", "specifier": specifier });
    server.call("iac_mcp_query_object", asked).await["reference"]["id"].clone()
}

async fn metrics(server: &Server) -> Json {
    server.call("system", json!({ "action": "metrics" })).await["osascript"]["apps"]["com.apple.mail"].clone()
}

/// A server on a Mac that others use too.
pub(crate) async fn serve(mac: &Path, state: &Path) -> Server {
    Server::start(state, |command| {
        command.arg("--world").arg(mac);
    })
    .await
}
