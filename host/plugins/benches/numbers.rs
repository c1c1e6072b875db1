//! Measures the cost of a plugin: loading its compiled code from the cache, and one call in a fresh instance with
//! every limit on, compared with the same call of a native function. A part of `./bench`.
//!
//! The guest is the smallest possible one, so the times measure the engine. Components can also be passed as
//! arguments (`plugin pack` makes them).
#![expect(clippy::print_stdout, reason = "a benchmark prints")]

#[path = "../../benches/numbers/table.rs"]
#[expect(dead_code, reason = "the other benchmarks use all of it")]
mod table;

#[path = "../../../tests/plugins/guests.rs"]
#[expect(dead_code, reason = "the tests use all of it")]
mod guests;

use std::hint::black_box;
use std::process::ExitCode;
use std::sync::Arc;

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use guests::{Guest, wide};
use iac_plugins::engine::{Backend, Cache, Call, Engine, Plugin};
use iac_plugins::limits::Limits;
use serde_json::{Map, Value as Json, json};
use table::{Row, Target, milliseconds};
use tokio_util::sync::CancellationToken;

const ROUNDS: usize = 301;

fn main() -> ExitCode {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let runtime = runtime.expect("a runtime");
    let engine = Engine::new(Backend::Native).expect("the engine starts");
    let honest = Guest::read("honest");
    let bytes = runtime.block_on(honest.packed(&engine, &wide())).expect("the guest is packed");
    let called = |engine: &Arc<Engine>| {
        let plugin =
            runtime.block_on(honest.plugin(engine, Limits::standard())).expect("the guest is linked");
        milliseconds(ROUNDS, || runtime.block_on(call(&plugin))) * 1e3
    };
    let interpreter = Engine::new(Backend::Interpreter).expect("the engine starts");
    let (first, native, second) = (called(&engine), milliseconds(ROUNDS, without) * 1e3, called(&engine));
    let sandboxed = first.min(second);
    let beside = format!("a function of the host: {native:.2} µs");
    let mut rows = vec![
        load(&engine, "plugin: compiled code of the least guest from the cache", &bytes),
        Row::new("a fresh store and a call with 1 KiB", sandboxed, "µs", Target::AtMost(150.0)).note(beside),
        Row::told("the same, interpreted", called(&interpreter), "µs"),
        load(&interpreter, "its code for the interpreter from the cache", &bytes),
    ];
    for path in std::env::args().skip(1).filter(|argument| argument.ends_with(".wasm")) {
        let bytes = std::fs::read(&path).expect("a component that can be read");
        let name = std::path::Path::new(&path).file_stem().unwrap_or_default().to_string_lossy().into_owned();
        rows.push(load(&engine, &format!("{name} ({} KB) from the cache", bytes.len() / 1024), &bytes));
    }
    println!("plugins");
    rows.iter().for_each(Row::print);
    ExitCode::from(u8::from(rows.iter().any(|row| row.passed() == Some(false))))
}

fn load(engine: &Arc<Engine>, what: &str, bytes: &[u8]) -> Row {
    let folder = tempfile::tempdir().expect("a folder for things that pass");
    let directory = Dir::open_ambient_dir(folder.path(), ambient_authority()).expect("the folder is there");
    let cache = Cache::new(directory, [7; 32]);
    let load = || drop(engine.compile(bytes, Some(&cache)).expect("it compiles"));
    load();
    Row::new(what, milliseconds(ROUNDS, load), "ms", Target::AtMost(1.0))
}

/// Makes the same call without a sandbox: writes the arguments as text, calls the function, and parses its answer.
fn without() {
    let answer = black_box(function as fn(&str) -> String)(&Json::Object(arguments()).to_string());
    let answer: Json = serde_json::from_str(&answer).expect("the function answers");
    assert!(black_box(answer).is_object());
}

fn function(arguments: &str) -> String {
    black_box(arguments);
    "{}".to_owned()
}

fn arguments() -> Map<String, Json> {
    json!({ "text": "x".repeat(1024) }).as_object().cloned().unwrap_or_default()
}

async fn call(plugin: &Plugin) {
    let call = Call { arguments: arguments(), ..guests::call(CancellationToken::new()) };
    assert!(plugin.call(call).await.0.is_ok(), "the least guest answers");
}
