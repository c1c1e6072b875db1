//! Many calls of many clients to two servers: every client gets the answer to its own call, and memory and files do
//! not grow.
//!
//! `IAC_MCP_SOAK` sets the number of calls; the test is made for 10,000 and 100,000.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value as Json, json};
use tokio::task::JoinSet;

use super::together::serve;
use crate::mac::mac;
use crate::server::Server;

/// Clients of each server.
const CLIENTS: usize = 4;

/// A read to repeat: references of one server, a property, and its value.
struct Known(Vec<(Json, [&'static str; 1], Json)>);

#[tokio::test(flavor = "multi_thread")]
async fn every_call_has_its_own_answer() {
    let calls: usize = std::env::var("IAC_MCP_SOAK").map_or(4_000, |calls| calls.parse().unwrap());
    let (mac, state) = (mac(&json!([])), tempfile::tempdir().unwrap());
    let mut servers = Vec::new();
    for _ in 0..2 {
        let server = serve(mac.path(), state.path()).await;
        let known = known(&server).await;
        servers.push((Arc::new(server), Arc::new(known)));
    }
    let spare = if calls < 10_000 { SPARE } else { 0 };
    ask_all(&servers, calls / 4).await;
    let mut before = Vec::new();
    for (server, _) in &servers {
        before.push(Held::at_rest(server).await);
    }
    ask_all(&servers, calls - calls / 4).await;
    for ((server, _), before) in servers.iter().zip(before) {
        let (after, report) = (Held::at_rest(server).await, report(server).await);
        println!("{calls} calls: {before:?}, then {after:?}");
        assert_eq!(server.strays(), 0, "an answer came twice");
        assert_eq!(after.files, before.files, "files were left open");
        assert!(after.memory < before.memory + before.memory / 100 + spare, "{before:?} {after:?}");
        for app in report.as_object().unwrap().values() {
            assert_eq!(
                (&app["oneShots"], &app["retried"], &app["timeouts"]),
                (&json!(0), &json!(0), &json!(0)),
                "{report}"
            );
        }
    }
}

async fn ask_all(servers: &[(Arc<Server>, Arc<Known>)], calls: usize) {
    let mut clients = JoinSet::new();
    for client in 0..CLIENTS * servers.len() {
        let (server, known) = servers[client % servers.len()].clone();
        let share = calls / (CLIENTS * servers.len());
        clients.spawn(async move { ask(&server, &known, client, share).await });
    }
    clients.join_all().await;
}

async fn ask(server: &Server, known: &Known, client: usize, calls: usize) {
    for call in 0..calls {
        let (reference, names, expected) = &known.0[(client * 7919 + call * 31) % known.0.len()];
        let answer = server
            .call("iac_mcp_get_properties", json!({ "reference": reference, "properties": names }))
            .await;
        assert_eq!(answer["properties"], *expected, "{reference}");
    }
}

/// Messages of Mail and events of Calendar.
async fn known(server: &Server) -> Known {
    let inbox = json!({ "type": "property", "property": "inbox", "of": "application" });
    let calendar =
        json!({ "type": "element", "element": "calendar", "index": 0, "container": "application" });
    let mut known = Vec::new();
    for (app, element, container, id) in
        [("Mail", "message", inbox, "id"), ("Calendar", "event", calendar, "uid")]
    {
        let wanted = json!({ "app": app, "container": container, "elementType": element, "properties": [id], "limit": 50 });
        let answer = server.call("iac_mcp_get_elements", wanted).await;
        let elements = answer["elements"].as_array().unwrap_or_else(|| panic!("{answer}"));
        known.extend(elements.iter().map(|each| (each["id"].clone(), [id], each["properties"].clone())));
    }
    assert!(known.len() > 50);
    Known(known)
}

async fn report(server: &Server) -> Json {
    server.call("system", json!({ "action": "metrics" })).await["osascript"]["apps"].clone()
}

/// The resources of a process.
#[derive(Debug)]
struct Held {
    /// Resident memory, in kilobytes.
    memory: usize,
    files: usize,
}

/// Memory that fluctuates in any process, in kilobytes; a short run cannot tell it from growth.
const SPARE: usize = 1024;

impl Held {
    /// The resources while the server writes nothing: a file that is open only for a moment does not count.
    async fn at_rest(server: &Server) -> Self {
        let mut held = Self::by(server);
        for _ in 0..20 {
            tokio::time::sleep(Duration::from_millis(50)).await;
            let now = Self::by(server);
            held = Self { files: now.files.min(held.files), ..now };
        }
        held
    }

    fn by(server: &Server) -> Self {
        let process = format!("/proc/{}", server.pid().as_raw_nonzero());
        let status = fs::read_to_string(format!("{process}/status")).unwrap();
        let memory = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        let files = fs::read_dir(format!("{process}/fd")).unwrap().count();
        Self { memory: memory.split_whitespace().next().unwrap().parse().unwrap(), files }
    }
}
