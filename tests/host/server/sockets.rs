//! A server with sockets as stdin and stdout, as programs on Node start it.

use std::io::{BufRead as _, BufReader, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;

use rustix::fs::{OFlags, fcntl_getfl};
use serde_json::{Value as Json, json};

use crate::session::Home;

/// Answers of 8 KB each: together they exceed the buffer of a socket.
const LISTS: u64 = 200;

#[test]
fn a_session_over_sockets() {
    let home = Home::new();
    let ((stdin, mut near), (far, stdout)) = (UnixStream::pair().unwrap(), UnixStream::pair().unwrap());
    let shared = [stdin.try_clone().unwrap(), stdout.try_clone().unwrap()];
    let mut command = home.command(&["serve", "--simulated"]);
    let mut server =
        command.as_std_mut().stdin(OwnedFd::from(stdin)).stdout(OwnedFd::from(stdout)).spawn().unwrap();
    let nonblocking =
        || shared.each_ref().map(|socket| fcntl_getfl(socket).unwrap().contains(OFlags::NONBLOCK));
    let mut far = BufReader::new(far).lines();
    let mut read = || -> Json { serde_json::from_str(&far.next().unwrap().unwrap()).unwrap() };
    let mut write = |id: u64, method: &str, params: Json| {
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        near.write_all(format!("{message}\n").as_bytes()).unwrap();
    };

    let client = json!({ "name": "test", "version": "1" });
    let hello = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client });
    write(0, "initialize", hello);
    assert_eq!(read()["id"], 0);
    assert_eq!(nonblocking(), [true, true], "no thread waits for them");

    // The client reads nothing until it has sent all requests.
    (1..=LISTS).for_each(|id| write(id, "tools/list", json!({})));
    let inbox = json!({ "type": "property", "property": "inbox", "of": "application" });
    let asked = json!({ "app": "Mail", "specifier": inbox });
    write(LISTS + 1, "tools/call", json!({ "name": "iac_mcp_query_object", "arguments": asked }));
    let mut answers: Vec<Json> = (0..=LISTS).map(|_| read()).collect();
    answers.sort_by_key(|answer| answer["id"].as_u64());
    for (answer, id) in answers.iter().zip(1..=LISTS) {
        assert_eq!(answer["id"], id);
        assert!(answer["result"]["tools"].as_array().is_some_and(|tools| tools.len() > 10), "{answer}");
    }
    let found = &answers[answers.len() - 1]["result"]["structuredContent"];
    assert!(found["reference"]["id"].is_string(), "{found}");

    drop(near);
    assert!(server.wait().unwrap().success());
    assert_eq!(nonblocking(), [false, false], "as they were given");
}
