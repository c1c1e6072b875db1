//! What a plugin costs: its compiled code from the cache, and a call in a fresh instance. A part of `./bench`.
//!
//! The guest is the least one, so that what is measured is the engine; components that are given as arguments
//! (`plugin pack` makes them) are loaded as well.
#![expect(clippy::print_stdout, reason = "a benchmark prints")]

#[path = "../../../host/benches/numbers/table.rs"]
#[expect(dead_code, reason = "the other benchmarks use all of it")]
mod table;

#[path = "../../../tests/plugins/guests.rs"]
#[expect(dead_code, reason = "the tests use all of it")]
mod guests;

use std::process::ExitCode;
use std::sync::Arc;

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use guests::{Guest, wide};
use iac_plugins::engine::{Backend, Cache, Call, Engine, Plugin};
use serde_json::json;
use table::{Row, Target, milliseconds};
use tokio_util::sync::CancellationToken;

const ROUNDS: usize = 301;

fn main() -> ExitCode {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let runtime = runtime.expect("a runtime");
    let engine = Engine::new(Backend::Native).expect("the engine starts");
    let honest = Guest::read("honest");
    let bytes = runtime.block_on(honest.packed(&engine, &wide())).expect("the guest is packed");
    let plugin = runtime.block_on(honest.plugin(&engine, wide())).expect("the guest is linked");
    let called = milliseconds(ROUNDS, || runtime.block_on(call(&plugin)));
    let mut rows = vec![
        load(&engine, "plugin: compiled code of the least guest from the cache", &bytes),
        Row::new("a fresh store and a call with 1 KiB", called * 1e3, "µs", Target::AtMost(150.0)),
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
    let load = || drop(engine.compile(bytes, &wide(), Some(&cache)).expect("it compiles"));
    load();
    Row::new(what, milliseconds(ROUNDS, load), "ms", Target::AtMost(1.0))
}

async fn call(plugin: &Plugin) {
    let text = "x".repeat(1024);
    let arguments = json!({ "text": text }).as_object().cloned().unwrap_or_default();
    let call = Call { arguments, ..guests::call(CancellationToken::new()) };
    assert!(plugin.call(call).await.0.is_ok(), "the least guest answers");
}
