//! Every known way in which a language server fails ends with the right cause or doubt, in time, and leaves no process
//! behind.
#![forbid(unsafe_code)]
#![expect(clippy::unwrap_used, reason = "a test fails loudly")]

#[path = "support/launcher.rs"]
mod launcher;
#[path = "../host/support/mark.rs"]
mod mark;
#[path = "support/rig.rs"]
mod rig;
#[path = "faults/letters.rs"]
mod letters;
#[path = "faults/unasked.rs"]
mod unasked;

use std::sync::Arc;
use std::time::{Duration, Instant};

use iac_language_servers::Ask;
use iac_language_servers::types::{Follow, Location, Position, Range, Relation};
use serde_json::{Value as Json, json};

use rig::{Rig, place, put};

const DEADLINE: u32 = 4_000;

/// Long enough for a server without messages to count as silent.
const SILENT: u32 = 1_200;

/// The maximum time for every answer, whatever the server does.
const IN_TIME: Duration = Duration::from_secs(8);

fn references() -> Ask {
    let follow = Follow { relation: Relation::References, at: place("a.faulty", 1, 8) };
    Ask::Related { asked: vec![follow], deadline: DEADLINE }
}

fn outline() -> Ask {
    Ask::DocumentSymbols { paths: vec!["a.faulty".to_owned()], deadline: DEADLINE }
}

fn search() -> Ask {
    Ask::WorkspaceSymbols { language: "faulty".to_owned(), text: "one".to_owned(), deadline: DEADLINE }
}

fn diagnostics() -> Ask {
    Ask::Diagnostics { paths: vec!["a.faulty".to_owned()], deadline: DEADLINE }
}

fn range(line: u32, start: u32, end: u32) -> Json {
    json!({"start": {"line": line, "character": start}, "end": {"line": line, "character": end}})
}

fn capable(more: &Json) -> Json {
    let mut capabilities = json!({
        "documentSymbolProvider": true, "workspaceSymbolProvider": true, "referencesProvider": true, "textDocumentSync": 1,
    });
    for (key, value) in more.as_object().unwrap() {
        capabilities[key] = value.clone();
    }
    json!({"on": "initialize", "do": [{"answer": {"capabilities": capabilities}}]})
}

/// One line for an answer: the result, or the cause and the message.
fn show(answer: &Json) -> String {
    let answer = answer.get("Ok").unwrap_or(answer);
    let answer = answer.get(0).unwrap_or(answer);
    if let Some(failure) = answer.get("Err") {
        return format!("{}: {}", failure["cause"].as_str().unwrap(), failure["message"].as_str().unwrap());
    }
    let answer = answer.get("Ok").unwrap_or(answer);
    let items = answer["items"].as_array().unwrap();
    let items: Vec<String> = items.iter().map(item).collect();
    format!("{} {}", items.join(","), answer["freshness"]["doubts"])
}

fn item(item: &Json) -> String {
    let location = item.get("location").unwrap_or(item);
    let range = &location["range"];
    let name = item.get("name").or_else(|| item.get("message")).and_then(Json::as_str).unwrap_or_default();
    format!(
        "{name}@{}:{}:{}-{}",
        location["path"].as_str().unwrap(),
        range["start"]["line"],
        range["start"]["column"],
        range["end"]["column"]
    )
}

async fn check_with(script: Json, profile: Json, ask: Ask, expected: &str) {
    let rig = Rig::new(&script, &profile, &json!({}));
    let began = Instant::now();
    let answer = show(&rig.answer(ask).await);
    assert!(began.elapsed() < IN_TIME, "{expected}: took {:?}", began.elapsed());
    let matches = match expected.strip_suffix('…') {
        Some(beginning) => answer.starts_with(beginning),
        None => answer == expected,
    };
    assert!(matches, "expected {expected}\n     got {answer}");
    rig.end().await;
}

async fn check(script: Json, ask: Ask, expected: &str) {
    check_with(script, json!({}), ask, expected).await;
}

#[tokio::test]
async fn it_says_nothing() {
    let profile = json!({"start-ms": 500});
    let script = json!([{"on": "initialize", "do": []}]);
    let expected = "StartFailed: faulty could not be started: it did not answer initialize within 500 ms";
    check_with(script, profile, references(), expected).await;
}

#[tokio::test]
async fn it_is_slow() {
    let answer = json!([{"uri": "file://FOLDER/root/b.faulty", "range": range(0, 0, 3)}]);
    let slow = json!([{"on": "textDocument/references", "do": [{"sleep": 1000}, {"answer": answer}]}]);
    check(slow, references(), "@b.faulty:0:0-3 []").await;
    let never = json!([{"on": "textDocument/references", "do": []}]);
    check(never, references(), "Timeout: faulty did not answer references in time").await;
}

#[tokio::test]
async fn it_dies_at_initialize() {
    let script = json!([{"on": "initialize", "do": [{"stderr": "no tsserver here"}, {"exit": 1}]}]);
    let expected = "StartFailed: faulty could not be started: it ended during initialize: exit status: 1: no tsserver here";
    check(script, references(), expected).await;
    let expected =
        "StartFailed: faulty could not be started: it ended during initialize: signal: 9 (SIGKILL)";
    check(json!([{"on": "initialize", "do": [{"kill": 0}]}]), references(), expected).await;
}

/// After a server has read the text, it reports the lines that the build leaves out. Without that report the outline
/// is not reliable.
#[tokio::test]
async fn it_leaves_out_lines() {
    let said = |wait: u64| {
        let regions =
            json!([{"start": {"line": 1, "character": 0}, "end": {"line": 1, "character": 9}}, {"start": 1}]);
        let params = json!({"textDocument": {"uri": "file://FOLDER/root/a.faulty"}, "regions": regions});
        let say = json!({"say": {"method": "textDocument/inactiveRegions", "params": params}});
        json!([
            capable(&json!({"inactiveRegionsProvider": true})),
            {"on": "textDocument/documentSymbol", "do": [{"answer": []}, {"sleep": wait}, say]},
        ])
    };
    for (wait, hidden, doubts) in [(0, json!([[1, 2]]), "[]"), (2_500, json!([]), "[\"Stale\"]")] {
        let rig = Rig::new(&said(wait), &json!({"reopens": true}), &json!({}));
        let answer = rig.answer(outline()).await;
        let symbols = &answer["Ok"][0]["Ok"];
        let lines = symbols["hidden"].as_array().unwrap().iter();
        let lines: Vec<Json> =
            lines.map(|range| json!([range["start"]["line"], range["end"]["line"]])).collect();
        assert_eq!(json!(lines), hidden, "{answer}");
        assert_eq!(symbols["freshness"]["doubts"].to_string(), doubts, "{answer}");
        rig.end().await;
    }
}

/// A flat list gives only the range of the whole symbol, but the range in the answer begins at the name.
#[tokio::test]
async fn it_says_only_where_all_is() {
    let whole = json!({"uri": "file://FOLDER/root/a.faulty", "range": range(0, 0, 7)});
    let symbols = json!([{"name": "two", "kind": 12, "location": whole}, {"name": "wo", "kind": 12, "location": whole}]);
    let script = json!([{"on": "textDocument/documentSymbol", "do": [{"answer": symbols}]}]);
    let rig = Rig::new(&script, &json!({}), &json!({}));
    let answer = rig.answer(outline()).await;
    let start = |at: usize| answer["Ok"][0]["Ok"]["items"][at]["name_range"]["start"]["column"].clone();
    assert_eq!((start(0), start(1)), (json!(4), json!(0)), "{answer}");
    rig.end().await;
}

/// The server does not outline symbols that depend on a missing file or that an error hides. The outline without them
/// is marked as incomplete.
#[tokio::test]
async fn it_lacks_what_it_could_not_read() {
    let drops = "invalid_token_after_toplevel_declarator";
    for (code, text, expected) in [
        ("pp_file_not_found", "", r#" ["Degraded"]"#),
        ("fatal_too_many_errors", "", r#" ["Syntax"]"#),
        (drops, "X a * f(void) {\n}\n", r#" ["Syntax"]"#),
        (drops, "X a b[] = {\n};\n", " []"),
        (drops, "X a f(void);\n{\n}\n", " []"),
        ("undeclared_var_use", "X a * f(void) {\n}\n", " []"),
    ] {
        let said = json!([{"range": range(0, 0, 3), "code": code, "message": "an error"}]);
        let params = json!({"uri": "file://FOLDER/root/a.faulty", "diagnostics": said});
        let say = json!({"say": {"method": "textDocument/publishDiagnostics", "params": params}});
        let script = json!([{"on": "textDocument/didOpen", "do": [say]}, {"on": "textDocument/documentSymbol", "do": [{"answer": []}]}]);
        let rig = Rig::new(&script, &json!({}), &json!({}));
        put(&rig.root().join("a.faulty"), text);
        assert_eq!(show(&rig.answer(outline()).await), expected, "{code} {text}");
        rig.end().await;
    }
}

/// An open file is read again when a file that it includes changes.
#[tokio::test]
async fn what_is_included_changes() {
    let symbol = |name: &str| json!([{"name": name, "kind": 12, "range": range(0, 0, 1), "selectionRange": range(0, 0, 1)}]);
    let script = json!([
        {"on": "textDocument/documentSymbol", "unless": "FOLDER/again", "do": [{"answer": symbol("before")}]},
        {"on": "textDocument/documentSymbol", "do": [{"answer": symbol("after")}]},
        {"on": "textDocument/didClose", "do": [{"touch": "FOLDER/again"}]},
    ]);
    let profile = json!({"reopens": true, "included": ["inc"], "watched": ["a.inc"]});
    let rig = Rig::new(&script, &profile, &json!({}));
    assert_eq!(show(&rig.answer(outline()).await), "before@a.faulty:0:0-1 []");
    put(&rig.root().join("b.faulty"), "two\n");
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(show(&rig.answer(outline()).await), "before@a.faulty:0:0-1 []");
    put(&rig.root().join("a.inc"), "");
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(show(&rig.answer(outline()).await), "after@a.faulty:0:0-1 []");
    rig.end().await;
}

#[tokio::test]
async fn it_is_not_there() {
    let profile = json!({"command": ["no-such-server"], "install": "buy one"});
    check_with(json!([]), profile, references(), "NotInstalled: no-such-server not found on PATH").await;
    let ask = Ask::DocumentSymbols { paths: vec!["plain.txt".to_owned()], deadline: DEADLINE };
    check(json!([]), ask, "NoServer: no language server for .txt, expected one of c, cpp, csharp, faulty…")
        .await;
}

#[tokio::test]
async fn it_dies_during_a_question() {
    let always = json!([{"on": "textDocument/references", "do": [{"stderr": "out of memory"}, {"exit": 3}]}]);
    let expected =
        "Crashed: faulty died and was restarted; the question failed twice: exit status: 3: out of memory";
    check(always, references(), expected).await;
    let answer = json!([{"uri": "file://FOLDER/root/b.faulty", "range": range(0, 0, 3)}]);
    let once = json!([
        {"on": "textDocument/references", "unless": "FOLDER/died", "do": [{"touch": "FOLDER/died"}, {"exit": 3}]},
        {"on": "textDocument/references", "do": [{"answer": answer}]},
    ]);
    check(once, references(), r#"@b.faulty:0:0-3 ["Restarted"]"#).await;
}

#[tokio::test]
async fn it_dies_after_its_work() {
    let progress = |kind: &str| json!({"say": {"method": "$/progress", "params": {"token": 1, "value": {"kind": kind, "title": "Indexing"}}}});
    let script = json!([
        {"on": "initialized", "unless": "FOLDER/died",
         "do": [progress("begin"), {"sleep": 100}, progress("end"), {"touch": "FOLDER/died"}, {"exit": 1}]},
        {"on": "initialized", "do": [progress("begin"), progress("end")]},
        {"on": "workspace/symbol", "do": [{"answer": []}]},
    ]);
    let profile = json!({"ready": {"by": "progress", "after": ["Indexing"], "grace-ms": 2000}});
    let rig = Rig::new(&script, &profile, &json!({}));
    rig.answer(Ask::Prepare { language: "faulty".to_owned(), deadline: DEADLINE }).await;
    tokio::time::sleep(Duration::from_millis(800)).await;
    rig.answer(Ask::Prepare { language: "faulty".to_owned(), deadline: DEADLINE }).await;
    assert_eq!(show(&rig.answer(search()).await), " []");
    assert_eq!(rig.answer(Ask::Servers).await[0]["restarts"], 1);
    rig.end().await;
}

#[tokio::test]
async fn it_still_reads_the_project() {
    let begin = json!({"token": 1, "value": {"kind": "begin", "title": "Indexing"}});
    let script = json!([{"on": "initialized", "do": [{"say": {"method": "$/progress", "params": begin}}]}]);
    let profile = json!({"ready": {"by": "progress", "after": ["Indexing"], "grace-ms": 2000}});
    check_with(script, profile, search(), r#" ["Loading"]"#).await;
}

#[tokio::test]
async fn it_never_says_when_it_is_ready() {
    let rig = Rig::new(&json!([]), &json!({"ready": {"by": "unknown"}}), &json!({}));
    rig.answer(Ask::Prepare { language: "faulty".to_owned(), deadline: DEADLINE }).await;
    assert_eq!(show(&rig.answer(search()).await), r#" ["ReadinessUnknown"]"#);
    rig.end().await;
}

#[tokio::test]
async fn it_could_not_read_the_project() {
    let status = json!({"health": "error", "quiescent": true, "message": "no cargo"});
    let script = json!([
        {"on": "initialized", "do": [{"say": {"method": "experimental/serverStatus", "params": status}}]},
        {"on": "textDocument/references", "do": [{"refuse": 0}]},
        {"on": "textDocument/hover", "do": [{"refuse": 0}]},
        capable(&json!({"hoverProvider": true})),
    ]);
    let profile = json!({"ready": {"by": "status", "after": ["x"]}});
    let rig = Rig::new(&script, &profile, &json!({}));
    let prepared = rig.answer(Ask::Prepare { language: "faulty".to_owned(), deadline: DEADLINE }).await;
    assert_eq!(
        (&prepared["Ok"]["state"], &prepared["Ok"]["message"]),
        (&json!("Degraded"), &json!("no cargo"))
    );
    assert_eq!(show(&rig.answer(search()).await), r#" ["Degraded"]"#);
    assert_eq!(show(&rig.answer(references()).await), r#" ["Degraded"]"#);
    let hover = Ask::Hover { places: vec![place("a.faulty", 1, 8)], deadline: DEADLINE };
    let refused = rig.answer(hover).await;
    assert_eq!(refused["Ok"][0]["Err"]["suggestion"], json!("no cargo"), "{refused}");
    rig.end().await;
}

#[tokio::test]
async fn it_floods() {
    let answer = json!([{"uri": "file://FOLDER/root/b.faulty", "range": range(0, 0, 3)}]);
    let script = json!([{"on": "textDocument/references", "do": [{"flood": 5_000}, {"answer": answer}]}]);
    check(script, references(), "@b.faulty:0:0-3 []").await;
}

#[tokio::test]
async fn its_frames_are_broken() {
    let symbol =
        json!([{"name": "é😀", "kind": 12, "range": range(1, 6, 9), "selectionRange": range(1, 6, 9)}]);
    let torn = json!([{"on": "textDocument/documentSymbol", "do": [{"torn": symbol}]}]);
    check(torn, outline(), "é😀@a.faulty:1:6-8 []").await;
    let large = json!([{"on": "textDocument/references", "do": [{"claim": 104_857_600}]}]);
    let expected = "Crashed: faulty died and was restarted; the question failed twice: it sent a frame of 104857600 bytes…";
    check(large, references(), expected).await;
    let cut = json!([{"on": "textDocument/references", "do": [{"write": "Content-Length: 100\r\n\r\n{"}, {"exit": 0}]}]);
    let expected =
        "Crashed: faulty died and was restarted; the question failed twice: its output ended within a frame";
    check(cut, references(), expected).await;
}

#[tokio::test]
async fn it_writes_noise() {
    let greets = json!([
        {"on": "initialize", "do": [{"write": "Welcome!\n"}, {"answer": {"capabilities": {"referencesProvider": true}}}]},
    ]);
    check(greets, references(), " []").await;
    let keeps_on = json!([{"on": "textDocument/references", "do": [
        {"write": "one\n"}, {"say": {"method": "x"}}, {"write": "two\n"}, {"answer": []},
    ]}]);
    let expected = "Crashed: faulty died and was restarted; the question failed twice: it wrote something that is not a frame: `two`";
    check(keeps_on, references(), expected).await;
}

#[tokio::test]
async fn it_serves_nothing_until_it_is_answered() {
    let asked = |method: &str, params: Json| json!({"ask": {"method": method, "params": params}});
    let registration = json!({"registrations": [{"id": "1", "method": "textDocument/hover"}]});
    let script = json!([
        {"on": "initialized", "do": [
            asked("client/registerCapability", registration),
            asked("workspace/configuration", json!({"items": [{"section": "x"}]})),
            asked("window/workDoneProgress/create", json!({"token": 1})),
            asked("workspace/applyEdit", json!({"edit": {}})),
            asked("workspace/workspaceFolders", Json::Null),
            asked("not/known", Json::Null),
        ]},
        {"on": "textDocument/references", "do": [{"answer": []}]},
    ]);
    check(script, references(), " []").await;
}

#[tokio::test]
async fn it_is_disturbed() {
    let answer = json!([{"uri": "file://FOLDER/root/b.faulty", "range": range(0, 0, 3)}]);
    for code in [-32801, -32802] {
        let twice = json!([
            {"on": "textDocument/references", "times": 2, "do": [{"refuse": code}]},
            {"on": "textDocument/references", "do": [{"answer": answer}]},
        ]);
        check(twice, references(), "@b.faulty:0:0-3 []").await;
    }
    let always = json!([{"on": "textDocument/references", "do": [{"refuse": -32801}]}]);
    check(always, references(), "Timeout: faulty was disturbed until time was up: not now").await;
    let refused = json!([{"on": "textDocument/references", "do": [{"refuse": -32603}]}]);
    check(refused, references(), "Failed: faulty refused textDocument/references (-32603): not now").await;
}

#[tokio::test]
async fn its_symbols_are_odd() {
    let without = json!([{"name": "one", "kind": 5, "location": {"uri": "file://FOLDER/root/b.faulty"}}]);
    let script = json!([{"on": "workspace/symbol", "do": [{"answer": without}]}]);
    check(script, search(), "one@b.faulty:0:0-0 []").await;
    let flat = json!([
        {"name": "four", "kind": 12, "location": {"uri": "file://FOLDER/root/a.faulty", "range": range(1, 10, 14)}},
        {"kind": 12}, 7, null,
    ]);
    let script = json!([{"on": "textDocument/documentSymbol", "do": [{"answer": flat}]}]);
    check(script, outline(), "four@a.faulty:1:9-13 []").await;
    let senseless = json!([{"on": "textDocument/documentSymbol", "do": [{"answer": {"a": 1}}]}]);
    check(senseless, outline(), " []").await;
}

#[tokio::test]
async fn its_columns_are_odd() {
    let other = json!([capable(&json!({"positionEncoding": "utf-7"}))]);
    let expected = "StartFailed: faulty could not be started: it chose the position encoding `utf-7`, which was not offered";
    check(other, references(), expected).await;
    let beyond = json!([{"uri": "file://FOLDER/root/a.faulty", "range": range(1, 10, 999)}]);
    for (encoding, start) in [("utf-8", 10), ("utf-16", 9), ("utf-32", 8)] {
        let mut answer = beyond.clone();
        answer[0]["range"]["start"]["character"] = json!(start + 3);
        let script = json!([
            capable(&json!({"positionEncoding": encoding})),
            {"on": "textDocument/references", "do": [{"answer": answer}]},
        ]);
        check(script, references(), "@a.faulty:1:…").await;
    }
}

#[tokio::test]
async fn its_ids_are_odd() {
    let answer = json!([{"uri": "file://FOLDER/root/b.faulty", "range": range(0, 0, 3)}]);
    let script = json!([
        {"on": "textDocument/references", "do": [{"twice": answer}, {"write": "Content-Length: 36\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":99,\"result\":1}"}]},
    ]);
    check(script, references(), "@b.faulty:0:0-3 []").await;
}

#[tokio::test]
async fn its_uris_are_odd() {
    for uri in [
        "file://FOLDER/root/%62.faulty",
        "file://localhostFOLDER/root/./x/../b.faulty",
        "FILE://FOLDER/root/b%2efaulty",
    ] {
        let answer = json!([{"uri": uri, "range": range(0, 0, 3)}]);
        let script = json!([{"on": "textDocument/references", "do": [{"answer": answer}]}]);
        check(script, references(), "@b.faulty:0:0-3 []").await;
    }
    let outside = json!([{"uri": "file:///usr/lib/x.faulty", "range": range(0, 0, 3)}]);
    let script = json!([{"on": "textDocument/references", "do": [{"answer": outside}]}]);
    check(script, references(), "@/usr/lib/x.faulty:0:0-3 []").await;
}

#[tokio::test]
async fn it_never_ends_looking_at_the_workspace() {
    let pull = json!({"diagnosticProvider": {"workspaceDiagnostics": true, "interFileDependencies": true}});
    let script = json!([capable(&pull), {"on": "workspace/diagnostic", "do": []}]);
    let ask = Ask::WorkspaceDiagnostics { language: "faulty".to_owned(), deadline: 1_000 };
    check(script, ask, "Timeout: faulty did not answer diagnostic in time").await;
}

#[tokio::test]
async fn it_sends_diagnostics_late_or_never() {
    let publish = |message: &str, version: u32| {
        let params = json!({"uri": "file://FOLDER/root/a.faulty", "version": version,
            "diagnostics": [{"range": range(0, 0, 3), "severity": 1, "message": message}]});
        json!({"say": {"method": "textDocument/publishDiagnostics", "params": params}})
    };
    let old =
        json!([{"on": "textDocument/didOpen", "do": [publish("old", 0), {"sleep": 300}, publish("new", 1)]}]);
    check(old, diagnostics(), "new@a.faulty:0:0-3 []").await;
    check(json!([]), diagnostics(), r#" ["Stale"]"#).await;
}

#[tokio::test]
async fn it_does_not_read() {
    let script = json!([{"on": "initialized", "do": [{"deaf": 0}]}]);
    check(script, references(), "Timeout: faulty did not answer references in time").await;
}

/// A server that works at something else and sends messages is not restarted, so it keeps its progress.
#[tokio::test]
async fn one_that_speaks_is_not_taken_for_dead() {
    let said = json!({"method": "window/logMessage", "params": {"type": 3, "message": "parsed one more"}});
    let script = json!([{"on": "textDocument/references", "do": [{"sleep": 100}, {"say": said}]}]);
    let rig = Rig::new(&script, &json!({}), &json!({}));
    let follow = || vec![Follow { relation: Relation::References, at: place("a.faulty", 0, 0) }];
    for _ in 0..4 {
        let said = show(&rig.answer(Ask::Related { asked: follow(), deadline: SILENT }).await);
        assert!(said.starts_with("Timeout"), "{said}");
    }
    assert_eq!(rig.workspace.servers()[0].restarts, 0);
    rig.end().await;
}

#[tokio::test]
async fn one_that_stays_silent_is_started_again() {
    let answer = json!([{"uri": "file://FOLDER/root/b.faulty", "range": range(0, 0, 3)}]);
    let script = json!([
        {"on": "initialized", "unless": "FOLDER/deaf", "do": [{"touch": "FOLDER/deaf"}, {"deaf": 0}]},
        {"on": "textDocument/references", "do": [{"answer": answer}]},
    ]);
    let rig = Rig::new(&script, &json!({}), &json!({}));
    let ask = || Ask::Related {
        asked: vec![Follow { relation: Relation::References, at: place("a.faulty", 0, 0) }],
        deadline: SILENT,
    };
    for _ in 0..3 {
        let said = show(&rig.answer(ask()).await);
        assert!(said.starts_with("Timeout"), "{said}");
    }
    assert_eq!(show(&rig.answer(references()).await), "@b.faulty:0:0-3 []");
    rig.end().await;
}

/// A question with almost no time left gets no answer, whatever the server does.
#[tokio::test]
async fn one_that_had_no_time_is_not_taken_for_dead() {
    let script = json!([{"on": "textDocument/references", "do": []}]);
    let rig = Rig::new(&script, &json!({}), &json!({}));
    let follow = || vec![Follow { relation: Relation::References, at: place("a.faulty", 0, 0) }];
    for _ in 0..4 {
        let said = show(&rig.answer(Ask::Related { asked: follow(), deadline: 300 }).await);
        assert!(said.starts_with("Timeout"), "{said}");
    }
    assert_eq!(rig.workspace.servers()[0].restarts, 0);
    rig.end().await;
}

/// A server that sends nothing but works uses more memory from round to round. It is not restarted, so it keeps its
/// progress.
#[tokio::test]
async fn one_that_works_is_not_taken_for_dead() {
    let script = json!([{"on": "textDocument/references", "do": [{"grow": 0}]}]);
    let rig = Rig::new(&script, &json!({}), &json!({}));
    let follow = || vec![Follow { relation: Relation::References, at: place("a.faulty", 0, 0) }];
    for _ in 0..4 {
        let said = show(&rig.answer(Ask::Related { asked: follow(), deadline: 5_500 }).await);
        assert!(said.starts_with("Timeout"), "{said}");
    }
    assert_eq!(rig.workspace.servers()[0].restarts, 0);
    rig.end().await;
}

/// Asks for the uses of several names at once; none of the questions is answered.
async fn in_vain(rig: &Rig) {
    let follow = |column| Follow { relation: Relation::References, at: place("a.faulty", 0, column) };
    let answer = rig.answer(Ask::Related { asked: (0..6).map(follow).collect(), deadline: SILENT }).await;
    let said: Vec<&str> = answer["Ok"]
        .as_array()
        .unwrap()
        .iter()
        .map(|each| each["Err"]["cause"].as_str().unwrap_or_default())
        .collect();
    assert_eq!(said, ["Timeout"; 6], "{answer}");
}

#[tokio::test]
async fn one_that_is_slow_for_many_at_once_is_left_alone() {
    let script = json!([
        {"on": "textDocument/references", "times": 1, "do": [{"sleep": 1500}, {"answer": []}]},
        {"on": "textDocument/references", "do": [{"answer": []}]},
    ]);
    let rig = Rig::new(&script, &json!({}), &json!({}));
    rig.answer(Ask::Prepare { language: "faulty".to_owned(), deadline: DEADLINE }).await;
    in_vain(&rig).await;
    assert_eq!(show(&rig.answer(references()).await), " []");
    assert_eq!(rig.answer(Ask::Servers).await[0]["restarts"], 0);
    rig.end().await;
}

/// If no one waits for a file any more, the host does not send it: the server would read it before the next question.
#[tokio::test]
async fn one_that_is_slow_is_shown_no_more_after_the_deadline() {
    let script = json!([
        {"on": "textDocument/didOpen", "times": 20, "do": []},
        {"on": "textDocument/didOpen", "do": [{"touch": "FOLDER/flooded"}]},
        {"on": "textDocument/documentSymbol", "times": 1, "do": [{"sleep": 800}, {"answer": []}]},
    ]);
    let rig = Rig::new(&script, &json!({}), &json!({}));
    let paths: Vec<String> = (0..60).map(|number| format!("many/{number}.faulty")).collect();
    paths.iter().for_each(|path| put(&rig.root().join(path), "one\n"));
    rig.answer(Ask::Prepare { language: "faulty".to_owned(), deadline: DEADLINE }).await;
    let said = rig.answer(Ask::DocumentSymbols { paths, deadline: 500 }).await;
    assert_eq!(said["Ok"][59]["Err"]["cause"], "Timeout", "{said}");
    assert_eq!(show(&rig.answer(references()).await), " []");
    assert!(!rig.root().join("../flooded").exists());
    rig.end().await;
}

#[tokio::test]
async fn one_that_is_restarted_while_it_starts_does_not_come_back() {
    let script = json!([
        {"on": "initialize", "unless": "FOLDER/first", "do": [{"touch": "FOLDER/first"}, {"sleep": 1500}, {"answer": {"capabilities": {"referencesProvider": true}}}]},
        {"on": "textDocument/references", "do": [{"answer": []}]},
    ]);
    let rig = Rig::new(&script, &json!({}), &json!({}));
    let workspace = Arc::clone(&rig.workspace);
    let asked = tokio::spawn(async move { workspace.answer(references()).await });
    appears(&rig, "first").await;
    let first = rig.mark.living();
    rig.answer(Ask::Restart { language: None }).await;
    assert_eq!(show(&rig.answer(references()).await), " []");
    assert_eq!(
        show(&serde_json::to_value(asked.await.unwrap()).unwrap()),
        " []",
        "who waited is answered too"
    );
    let second = rig.mark.living();
    tokio::time::sleep(Duration::from_millis(2_500)).await;
    let left = rig.mark.living();
    assert!(left.len() == 1 && !first.contains(&left[0]), "{first:?}, {second:?}, {left:?}");
    assert_eq!(rig.answer(Ask::Servers).await[0]["restarts"], 0);
    rig.end().await;
}

#[tokio::test]
async fn a_question_that_holds_others_up_holds_them_no_longer_than_they_wait() {
    let script = json!([
        {"on": "textDocument/completion", "times": 1, "do": [{"touch": "FOLDER/asked"}]},
        {"on": "textDocument/references", "do": [{"answer": []}]},
    ]);
    let rig = Rig::new(&script, &json!({}), &json!({}));
    let (workspace, overlay) = (Arc::clone(&rig.workspace), Some("one.\n".to_owned()));
    let ask = Ask::Completions { place: place("b.faulty", 0, 4), overlay, limit: 10, deadline: 60_000 };
    let held = tokio::spawn(async move { workspace.answer(ask).await });
    appears(&rig, "asked").await;
    let said = tokio::time::timeout(IN_TIME, rig.answer(references())).await;
    let said = show(&said.expect("an answer in time"));
    assert!(said.starts_with("Timeout: faulty was busy with another question"), "{said}");
    held.abort();
    drop(held.await);
    assert_eq!(show(&rig.answer(references()).await), " []", "its texts are free again");
    rig.end().await;
}

/// If a file changes while it is open, and the first question that noticed this was cancelled, the next question sends
/// the change.
#[tokio::test]
async fn a_change_is_followed_though_nobody_waited_for_it() {
    let script = json!([
        {"on": "textDocument/completion", "times": 1, "do": [{"touch": "FOLDER/asked"}]},
        {"on": "textDocument/didClose", "do": [{"touch": "FOLDER/followed"}]},
        {"on": "textDocument/references", "do": [{"answer": []}]},
    ]);
    let rig = Rig::new(&script, &json!({}), &json!({}));
    let follow = |path: &str| Ask::Related {
        asked: vec![Follow { relation: Relation::References, at: place(path, 0, 0) }],
        deadline: 1_000,
    };
    assert_eq!(show(&rig.answer(follow("b.faulty")).await), " []");
    let (workspace, overlay) = (Arc::clone(&rig.workspace), Some("one.\n".to_owned()));
    let ask = Ask::Completions { place: place("a.faulty", 0, 4), overlay, limit: 10, deadline: 60_000 };
    let held = tokio::spawn(async move { workspace.answer(ask).await });
    appears(&rig, "asked").await;
    std::fs::remove_file(rig.root().join("b.faulty")).unwrap();
    tokio::time::sleep(Duration::from_millis(500)).await;
    let given_up = tokio::time::timeout(Duration::from_millis(500), rig.answer(follow("a.faulty"))).await;
    assert!(given_up.is_err(), "the texts are held");
    held.abort();
    drop(held.await);
    assert_eq!(show(&rig.answer(follow("a.faulty")).await), " []");
    appears(&rig, "followed").await;
    rig.end().await;
}

#[tokio::test]
async fn one_that_keeps_dying_is_given_up_and_can_be_restarted() {
    let script = json!([
        {"on": "initialize", "unless": "FOLDER/repaired", "do": [{"stderr": "broken"}, {"exit": 1}]},
        {"on": "textDocument/references", "do": [{"answer": []}]},
    ]);
    let rig = Rig::new(&script, &json!({}), &json!({}));
    let mut said = String::new();
    let began = Instant::now();
    while !said.starts_with("GaveUp") && began.elapsed() < Duration::from_secs(30) {
        said = show(&rig.answer(references()).await);
    }
    assert!(
        said.starts_with("GaveUp: faulty ended 5 times in 5 minutes and is not started any more: "),
        "{said}"
    );
    let status = rig.answer(Ask::Servers).await;
    assert_eq!(status[0]["state"], "Dead", "{status}");
    put(&rig.folder.path().join("repaired"), "");
    rig.answer(Ask::Restart { language: Some("faulty".to_owned()) }).await;
    assert_eq!(show(&rig.answer(references()).await), " []");
    rig.end().await;
}

#[tokio::test]
async fn what_it_has_started_ends_with_it() {
    let script = json!([{"on": "initialized", "do": [{"child": 0}]}, {"on": "textDocument/references", "do": [{"answer": []}]}]);
    check(script, references(), " []").await;
    let dies = json!([{"on": "textDocument/references", "do": [{"child": 0}, {"exit": 0}]}]);
    check(dies, references(), "Crashed: …").await;
}

#[tokio::test]
async fn one_that_nobody_asks_is_stopped() {
    let rig = Rig::new(&json!([]), &json!({}), &json!({"idle-minutes": 0}));
    rig.answer(references()).await;
    rig.mark.gone().await;
    assert_eq!(rig.answer(Ask::Servers).await[0]["state"], "Idle");
    rig.end().await;
}

#[tokio::test]
async fn one_that_holds_too_much_is_started_again() {
    let rig = Rig::new(&json!([]), &json!({}), &json!({"memory-mib": 0}));
    rig.answer(references()).await;
    let end = Instant::now() + Duration::from_secs(10);
    while rig.answer(Ask::Servers).await[0]["state"] != "Idle" {
        assert!(Instant::now() < end);
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let message = rig.answer(Ask::Servers).await[0]["message"].clone();
    assert!(message.as_str().unwrap().starts_with("it held "), "{message}");
    rig.end().await;
}

#[tokio::test]
async fn a_question_that_nobody_waits_for_is_taken_back() {
    let script = json!([
        {"on": "textDocument/references", "do": []},
        {"on": "$/cancelRequest", "do": [{"touch": "FOLDER/cancelled"}]},
    ]);
    let rig = Rig::new(&script, &json!({}), &json!({}));
    rig.answer(Ask::Prepare { language: "faulty".to_owned(), deadline: DEADLINE }).await;
    let asking = tokio::time::timeout(Duration::from_millis(300), rig.answer(references()));
    assert!(asking.await.is_err());
    appears(&rig, "cancelled").await;
    rig.end().await;
}

#[tokio::test]
async fn changes_on_the_disk_are_told() {
    let script = json!([
        {"on": "workspace/didChangeWatchedFiles", "do": [{"touch": "FOLDER/told"}]},
        {"on": "textDocument/didChange", "do": [{"touch": "FOLDER/changed"}]},
    ]);
    let rig = Rig::new(&script, &json!({}), &json!({}));
    rig.answer(references()).await;
    assert!(!rig.folder.path().join("told").exists());
    tokio::time::sleep(Duration::from_millis(600)).await;
    put(&rig.root().join("a.faulty"), "one two\nthree é😀 four five\n");
    put(&rig.root().join("c.faulty"), "new\n");
    let answer = rig.answer(references()).await;
    assert_eq!(answer["Ok"][0]["Ok"]["freshness"]["generation"], 1, "{answer}");
    let told = ["told", "changed"].map(|name| rig.folder.path().join(name).exists());
    assert_eq!(told, [true, true]);
    rig.end().await;
}

#[tokio::test]
async fn places_that_are_not_there() {
    let at =
        |path: &str, line, column| Ask::Hover { places: vec![place(path, line, column)], deadline: DEADLINE };
    check(json!([]), at("a.faulty", 899, 0), "Invalid: line 900 is past the end of a.faulty (3 lines)").await;
    let expected = "Invalid: column 100 is past the end of line 1 of a.faulty (7 characters)";
    check(json!([]), at("a.faulty", 0, 99), expected).await;
    check(json!([]), at("none.faulty", 0, 0), "NotFound: path not found: none.faulty").await;
    check(json!([]), at("../x.faulty", 0, 0), "Outside: path is outside the workspace root: ../x.faulty")
        .await;
    let typed = Ask::Hierarchy {
        step: iac_language_servers::types::Step::Subtypes,
        places: vec![place("a.faulty", 0, 0)],
        deadline: DEADLINE,
    };
    check(json!([]), typed, "Unsupported: faulty does not provide prepareTypeHierarchy").await;
}

#[tokio::test]
async fn a_completion_leaves_no_trace() {
    let script = json!([
        {"on": "textDocument/completion", "do": [{"answer": {"isIncomplete": false, "items": [{"label": "x"}]}}]},
        {"on": "textDocument/didChange", "do": [{"touch": "FOLDER/changed"}]},
    ]);
    let rig = Rig::new(&script, &json!({}), &json!({}));
    let before = std::fs::read(rig.root().join("a.faulty")).unwrap();
    let overlay = Some("one.\n".to_owned());
    let ask = Ask::Completions { place: place("a.faulty", 0, 4), overlay, limit: 10, deadline: DEADLINE };
    let answer = rig.answer(ask).await;
    assert_eq!(answer["Ok"]["items"][0]["label"], "x", "{answer}");
    assert_eq!(std::fs::read(rig.root().join("a.faulty")).unwrap(), before);
    appears(&rig, "changed").await;
    rig.end().await;
}

/// Waits until the server has created a file.
async fn appears(rig: &Rig, name: &str) {
    let end = Instant::now() + Duration::from_secs(5);
    while !rig.folder.path().join(name).exists() {
        assert!(Instant::now() < end, "{name}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
