//! A language server that misbehaves as a script says. `faulty-server SCRIPT`, where SCRIPT is a file of JSON:
//!
//! `[{"on": METHOD, "times"?: N, "unless"?: FILE, "do": [STEP…]}…]`
//!
//! The first rule for a method that still counts is followed; a method without a rule is answered as by a server that
//! has nothing to say. Steps: `{"answer": JSON}`, `{"refuse": CODE}`, `{"fail": ERROR}`, `{"sleep": MS}`,
//! `{"exit": CODE}`, `{"kill": 0}`, `{"say": {"method", "params"}}`, `{"ask": {"method", "params"}}` (and waits for the
//! answer), `{"write": TEXT}` (as it is), `{"claim": BYTES}` (a header, and that many), `{"torn": JSON}` (an answer in
//! two pieces within a character), `{"stderr": TEXT}`, `{"touch": FILE}`, `{"litter": FILE}` (a temporary file, and its
//! folder's name in FILE), `{"flood": N}` (diagnostics), `{"twice": JSON}` (the same answer two times),
//! `{"keep": FILE}` (what it was asked, in FILE),
//! `{"child": 0}` (a process that outlives it), `{"deaf": 0}` (never reads again), `{"grow": 0}`
//! (the same, but it works).
#![forbid(unsafe_code)]
#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a test fails loudly"
)]

use std::collections::VecDeque;
use std::fs::File;
use std::io::{BufRead as _, Read as _, Write as _, stdin, stdout};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value as Json, json};

#[derive(Deserialize)]
struct Rule {
    on: String,
    times: Option<u32>,
    unless: Option<String>,
    #[serde(rename = "do")]
    steps: Vec<Json>,
}

struct Server {
    rules: Vec<Rule>,
    waiting: VecDeque<Json>,
    asked: u64,
}

fn main() {
    let script = std::env::args().nth(1).unwrap();
    let rules = serde_json::from_str(&std::fs::read_to_string(script).unwrap()).unwrap();
    let mut server = Server { rules, waiting: VecDeque::new(), asked: 0 };
    while let Some(message) = server.waiting.pop_front().or_else(read) {
        server.hear(&message);
    }
}

impl Server {
    fn hear(&mut self, message: &Json) {
        let Some(method) = message["method"].as_str() else { return };
        let Some(steps) = self.steps(method) else { return default(method, &message["id"]) };
        for step in steps {
            let (name, value) = step.as_object().unwrap().iter().next().unwrap();
            self.step(name, value, message);
        }
    }

    fn steps(&mut self, method: &str) -> Option<Vec<Json>> {
        let rule = self.rules.iter_mut().find(|rule| {
            let is_over = rule.unless.as_ref().is_some_and(|file| Path::new(file).exists());
            rule.on == method && rule.times != Some(0) && !is_over
        })?;
        rule.times = rule.times.map(|times| times - 1);
        Some(rule.steps.clone())
    }

    fn step(&mut self, name: &str, value: &Json, message: &Json) {
        let id = &message["id"];
        match name {
            "answer" => send(&json!({"jsonrpc": "2.0", "id": id, "result": value})),
            "twice" => (0..2).for_each(|_| send(&json!({"jsonrpc": "2.0", "id": id, "result": value}))),
            "fail" => send(&json!({"jsonrpc": "2.0", "id": id, "error": value})),
            "refuse" => {
                send(&json!({"jsonrpc": "2.0", "id": id, "error": {"code": value, "message": "not now"}}))
            }
            "sleep" => sleep(Duration::from_millis(value.as_u64().unwrap())),
            "exit" => std::process::exit(i32::try_from(value.as_i64().unwrap()).unwrap()),
            "kill" => drop(Command::new("kill").args(["-9", &std::process::id().to_string()]).status()),
            "say" => send(&json!({"jsonrpc": "2.0", "method": value["method"], "params": value["params"]})),
            "ask" => self.ask(value),
            "write" => write(value.as_str().unwrap().as_bytes()),
            "claim" => claim(value.as_u64().unwrap()),
            "torn" => torn(&json!({"jsonrpc": "2.0", "id": id, "result": value})),
            "stderr" => eprintln!("{}", value.as_str().unwrap()),
            "touch" => drop(File::create(value.as_str().unwrap()).unwrap()),
            "litter" => litter(value.as_str().unwrap()),
            "keep" => std::fs::write(value.as_str().unwrap(), message["params"].to_string()).unwrap(),
            "flood" => flood(value.as_u64().unwrap()),
            "child" => drop(Command::new("sleep").arg("1000").stdout(Stdio::null()).spawn().unwrap()),
            "grow" => grow(),
            "deaf" => sleep(Duration::from_secs(1_000)),
            other => panic!("no step `{other}`"),
        }
    }

    /// Does nothing until it has an answer, as real servers do.
    fn ask(&mut self, value: &Json) {
        self.asked += 1;
        let id = format!("ask-{}", self.asked);
        send(&json!({"jsonrpc": "2.0", "id": id, "method": value["method"], "params": value["params"]}));
        while let Some(message) = read() {
            if message["id"] == id.as_str() && message.get("method").is_none() {
                return eprintln!("answered: {message}");
            }
            self.waiting.push_back(message);
        }
    }
}

fn default(method: &str, id: &Json) {
    let capabilities = json!({
        "documentSymbolProvider": true, "workspaceSymbolProvider": true, "referencesProvider": true, "hoverProvider": true,
        "definitionProvider": true, "completionProvider": {}, "implementationProvider": true, "textDocumentSync": 1,
    });
    match method {
        "exit" => std::process::exit(0),
        "initialize" => send(&json!({"jsonrpc": "2.0", "id": id, "result": {"capabilities": capabilities}})),
        _ if !id.is_null() => send(&json!({"jsonrpc": "2.0", "id": id, "result": null})),
        _ => {}
    }
}

/// Works for ever: it allocates more memory, and uses it.
fn grow() {
    let mut taken = Vec::new();
    loop {
        taken.push(vec![1_u8; 64 * 1024]);
        sleep(Duration::from_millis(200));
    }
}

/// Leaves a file in the folder for temporary files, and writes down the path of that folder.
fn litter(place: &str) {
    let folder = std::env::temp_dir();
    drop(File::create(folder.join("litter")).unwrap());
    File::create(place).unwrap().write_all(folder.to_str().unwrap().as_bytes()).unwrap();
}

fn flood(count: u64) {
    let range = json!({"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 1}});
    for at in 0..count {
        let diagnostics = json!([{"range": range, "message": "x".repeat(500)}]);
        let params = json!({"uri": format!("file:///elsewhere/{at}.faulty"), "diagnostics": diagnostics});
        send(&json!({"jsonrpc": "2.0", "method": "textDocument/publishDiagnostics", "params": params}));
    }
}

fn claim(bytes: u64) {
    write(format!("Content-Length: {bytes}\r\n\r\n").as_bytes());
    let piece = vec![b' '; 64 * 1024];
    for _ in 0..bytes / piece.len() as u64 {
        write(&piece);
    }
}

fn torn(message: &Json) {
    let body = message.to_string();
    let frame = format!("Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes();
    let within = frame.iter().position(|byte| *byte >= 0xC0).unwrap() + 1;
    write(&frame[..within]);
    sleep(Duration::from_millis(50));
    write(&frame[within..]);
}

fn send(message: &Json) {
    let body = message.to_string();
    write(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
}

/// The reader may have ended.
fn write(bytes: &[u8]) {
    let mut out = stdout();
    if out.write_all(bytes).and_then(|()| out.flush()).is_err() {
        std::process::exit(0);
    }
}

fn read() -> Option<Json> {
    let mut input = stdin().lock();
    let mut length = None;
    loop {
        let mut line = String::new();
        if input.read_line(&mut line).unwrap() == 0 {
            return None;
        }
        match line.trim_end().split_once(':') {
            Some(("Content-Length", number)) => length = number.trim().parse().ok(),
            _ if line.trim_end().is_empty() => break,
            _ => {}
        }
    }
    let mut body = vec![0; length.unwrap()];
    input.read_exact(&mut body).unwrap();
    serde_json::from_slice(&body).ok()
}
