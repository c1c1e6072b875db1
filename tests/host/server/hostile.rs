//! Hostile or careless clients: the server answers or drops their input as the protocol says, and keeps running.

use serde_json::{Value as Json, json};

use crate::lines::{Lines, call, hello};

/// The inputs, by their kind. One server gets all of them, one after the other.
fn inputs() -> Vec<(&'static str, Vec<u8>)> {
    let message = |json: Json| format!("{json}\n").into_bytes();
    vec![
        ("no JSON", b"hello\n".to_vec()),
        ("nothing", b"\n\r\n \n".to_vec()),
        ("no text", b"\xff\xfe\x00\x01\n".to_vec()),
        ("half a message", b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/\n".to_vec()),
        ("two halves", b"{\"jsonrpc\":\"2.0\",\"id\":1,\n\"method\":\"ping\"}\n".to_vec()),
        ("a list", message(json!([{ "jsonrpc": "2.0", "id": 1, "method": "ping" }]))),
        ("a text", message(json!("ping"))),
        ("another version", message(json!({ "jsonrpc": "1.0", "id": 1, "method": "ping" }))),
        ("an id that is a list", message(json!({ "jsonrpc": "2.0", "id": [1], "method": "ping" }))),
        ("a method that is a number", message(json!({ "jsonrpc": "2.0", "id": 1, "method": 7 }))),
        ("an answer to nothing", message(json!({ "jsonrpc": "2.0", "id": 99, "result": {} }))),
        (
            "an error about nothing",
            message(json!({ "jsonrpc": "2.0", "id": 9, "error": { "code": 1, "message": "" } })),
        ),
        (
            "a request and an answer",
            message(json!({ "jsonrpc": "2.0", "id": 1, "method": "ping", "result": {} })),
        ),
        (
            "an unknown notification",
            message(json!({ "jsonrpc": "2.0", "method": "notifications/x", "params": 1 })),
        ),
        (
            "a cancellation of nothing",
            message(
                json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 77 } }),
            ),
        ),
        ("deep nesting", [b"[".repeat(100_000), b"\n".to_vec()].concat()),
        ("deep arguments", deep()),
        ("a second handshake", message(hello())),
        ("a long line", long_line(1_000_000)),
    ]
}

fn deep() -> Vec<u8> {
    let begin = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"system\",\"arguments\":".to_vec();
    [begin, b"{\"a\":".repeat(5_000), b"1".to_vec(), b"}".repeat(5_000), b"}}\n".to_vec()].concat()
}

/// A call with an argument of this many bytes.
fn long_line(bytes: usize) -> Vec<u8> {
    let text = "x".repeat(bytes);
    format!("{}\n", call(1, "iac_mcp_list_apps", &json!({ "search": text }))).into_bytes()
}

#[test]
fn it_lives_on_in_a_session() {
    let mut server = Lines::start();
    server.hello();
    for (what, bytes) in inputs() {
        server.write(&bytes);
        assert!(server.is_alive(), "{what}");
    }
    server.end();
}

#[test]
fn it_lives_on_before_a_session() {
    for (what, bytes) in inputs().into_iter().filter(|(what, _)| *what != "a second handshake") {
        let mut server = Lines::start();
        server.write(&bytes);
        server.hello();
        assert!(server.is_alive(), "{what}");
        server.end();
    }
}

/// The codes of the answers to a line, by their ids.
type Codes = Vec<(Json, i64)>;

/// Every request gets an answer: with its id if the line is one JSON object, otherwise with `null`.
fn unreadable() -> Vec<(Vec<u8>, Codes)> {
    let list = |id: i64, search: &str| {
        let params = format!("{{\"name\":\"iac_mcp_list_apps\",\"arguments\":{{\"search\":{search}}}}}");
        format!("{{\"jsonrpc\":\"2.0\",\"method\":\"tools/call\",\"params\":{params},\"id\":{id}}}")
    };
    let nested = format!("{}1{}", "{\"a\":".repeat(126), "}".repeat(126));
    vec![
        (b"hello".to_vec(), vec![(Json::Null, -32700)]),
        (list(1, "1e400").into(), vec![(json!(1), -32700)]),
        (list(2, &nested).into(), vec![(json!(2), -32700)]),
        (
            list(3, "\"?\"").bytes().map(|byte| if byte == b'?' { 0xff } else { byte }).collect(),
            vec![(json!(3), -32700)],
        ),
        (list(4, "\"a\u{1}\"").into(), vec![(Json::Null, -32700)]),
        ((list(5, "1") + &list(6, "2")).into(), vec![(Json::Null, -32700)]),
        (format!("[{},{}]", list(7, "1"), list(8, "2")).into(), vec![(Json::Null, -32600)]),
        (list(9, "1").replace("2.0", "1.0").into(), vec![(json!(9), -32600)]),
        (deep(), vec![(json!(1), -32700)]),
        (long_line(16_800_000), vec![(Json::Null, -32600)]),
        (long_line(100_000_000), vec![(Json::Null, -32600)]),
    ]
}

#[test]
fn what_cannot_be_read_is_answered() {
    let mut server = Lines::start();
    server.hello();
    for (line, expected) in unreadable() {
        server.write(&[line.trim_ascii_end(), b"\n"].concat());
        let answers: Vec<Json> = expected.iter().map(|_| server.next()).collect();
        let shown = String::from_utf8_lossy(&line);
        let code = |answer: &Json| (answer["id"].clone(), answer["error"]["code"].as_i64().unwrap());
        let codes: Vec<_> = answers.iter().map(code).collect();
        assert_eq!(codes, expected, "{shown:.200}: {answers:?}");
    }
    assert!(server.is_alive());
    server.end();
}

#[test]
fn half_an_emoji_is_a_character_that_is_not_known() {
    let mut server = Lines::start();
    server.hello();
    let line = call(1, "iac_mcp_list_apps", &json!({ "search": "HALF" })).to_string();
    server.write((line.replace("HALF", "\\ud83d") + "\n").as_bytes());
    let answer = server.answer(&json!(1));
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    server.end();
}

#[test]
fn a_second_request_with_the_same_id_is_refused_while_the_first_runs() {
    let mut server = Lines::start_with(&HANGS);
    server.hello();
    server.send(&query(1));
    server.send(&call(1, "system", &json!({})));
    let answer = server.answer(&json!(1));
    assert_eq!(answer["error"]["code"], -32600, "{answer}");
    server.send(
        &json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1 } }),
    );
    server.send(&call(1, "system", &json!({})));
    assert_eq!(server.answer(&json!(1))["error"]["code"], -32600, "what was taken back may still run");
    for _ in 0..2 {
        server.send(&call(2, "system", &json!({})));
        assert_eq!(server.answer(&json!(2))["result"]["isError"], false, "what was answered waits no more");
    }
    server.end();
}

#[test]
fn a_request_before_a_session_says_how_one_begins() {
    let mut server = Lines::start();
    server.send(&call(1, "system", &json!({})));
    let answer = server.answer(&json!(1));
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    assert!(answer["error"]["message"].as_str().unwrap().contains("`initialize`"), "{answer}");
    server.end();
}

#[test]
fn a_session_is_of_the_revision_that_was_asked_for_or_the_one_before_it() {
    let cases = [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2024-11-05"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
        ("2099-01-01", "2025-11-25"),
        ("1.0", "2025-11-25"),
    ];
    for (asked, expected) in cases {
        let mut server = Lines::start();
        let mut hello = hello();
        hello["params"]["protocolVersion"] = asked.into();
        server.send(&hello);
        assert_eq!(server.answer(&json!("hello"))["result"]["protocolVersion"], expected, "{asked}");
        server.end();
    }
}

#[test]
fn unknown_methods_and_malformed_parameters_are_told_apart() {
    let mut server = Lines::start();
    server.hello();
    let cases = [
        ("no/such", json!({}), -32601),
        ("tools/delete", json!({}), -32601),
        ("logging/setLevel", json!({ "level": "debug" }), -32601),
        ("prompts/delete", json!({}), -32601),
        ("prompts/get", json!({ "name": "x" }), -32602),
        ("resources/subscribe", json!({ "uri": "iac://apps" }), -32601),
        ("resources/read", json!({}), -32602),
        ("resources/read", json!({ "uri": 5 }), -32602),
        ("tools/list", json!({ "cursor": "page2" }), -32602),
        ("tools/call", json!({}), -32602),
        ("tools/call", json!({ "name": 5 }), -32602),
        ("tools/call", json!({ "name": "no_such_tool" }), -32602),
        ("tools/call", json!({ "name": "no_such_tool", "arguments": [] }), -32602),
    ];
    for (at, (method, params, code)) in cases.into_iter().enumerate() {
        server.send(&json!({ "jsonrpc": "2.0", "id": at, "method": method, "params": params }));
        let answer = server.answer(&json!(at));
        assert_eq!(answer["error"]["code"], code, "{method} {params}: {answer}");
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(code != -32601 || message == format!("there is no method `{method}`"), "{answer}");
    }
    server.end();
}

#[test]
fn arguments_that_are_no_object_are_an_error_of_the_tool() {
    let mut server = Lines::start();
    server.hello();
    for (id, arguments) in [(1, json!([])), (2, json!("search")), (3, json!(5))] {
        server.send(&call(id, "iac_mcp_list_apps", &arguments));
        let result = &server.answer(&json!(id))["result"];
        assert_eq!(result["isError"], true, "{result}");
        assert_eq!(result["structuredContent"]["error"], "invalid_parameter", "{result}");
        assert!(result.get("resultType").is_none(), "the older era has no such field: {result}");
    }
    server.send(&call(4, "iac_mcp_get_reference_stats", &Json::Null));
    assert_eq!(server.answer(&json!(4))["result"]["isError"], false, "no arguments are none");
    server.end();
}

#[test]
fn what_was_asked_before_the_end_of_input_is_answered() {
    let mut server = Lines::start();
    server.hello();
    for id in 0..20 {
        server.send(&call(id, "iac_mcp_get_reference_stats", &json!({})));
    }
    server.write(b"{\"jsonrpc\":\"2.0\",\"id\":99,\"met");
    let mut answered: Vec<i64> = server.end().iter().map(|answer| answer["id"].as_i64().unwrap()).collect();
    answered.sort_unstable();
    assert_eq!(answered, (0..20).collect::<Vec<i64>>());
}

#[test]
fn an_end_of_input_before_anything_is_an_end() {
    assert!(Lines::start().end().is_empty());
    let mut server = Lines::start();
    server.write(b"{\"jsonrpc\":");
    assert!(server.end().is_empty());
}

/// An `osascript` that never answers.
const HANGS: [&str; 4] = ["--osascript", "/bin/sh -c 'sleep 1000'", "--timeout", "3600"];

fn query(id: i64) -> Json {
    let inbox = json!({ "type": "property", "property": "inbox", "of": "application" });
    call(id, "iac_mcp_query_object", &json!({ "app": "Mail", "specifier": inbox }))
}

#[test]
fn a_call_that_is_taken_back_is_not_answered() {
    let mut server = Lines::start_with(&HANGS);
    server.hello();
    server.send(&query(1));
    server.send(
        &json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1 } }),
    );
    assert!(server.is_alive());
    assert_eq!(server.end(), Vec::<Json>::new());
}

#[test]
fn the_end_of_input_does_not_wait_for_an_app_that_hangs() {
    let mut server = Lines::start_with(&HANGS);
    server.hello();
    server.send(&query(1));
    assert!(server.is_alive());
    server.end();
}

#[test]
fn a_flood_is_answered_whole() {
    let mut server = Lines::start();
    server.hello();
    let mut bytes = Vec::new();
    for id in 0..2_000 {
        bytes.extend(format!("{}\n", call(id, "iac_mcp_get_reference_stats", &json!({}))).into_bytes());
    }
    let mut seen = std::collections::BTreeSet::new();
    server.write(&bytes);
    for answer in server.end() {
        seen.insert(answer["id"].as_i64().unwrap());
    }
    assert_eq!(seen.len(), 2_000);
}
