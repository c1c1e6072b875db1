//! The time of the simulated Mac: from its start to the first answer, and for one event after that.
//!
//! `cargo bench -p iac-simulator --bench events` prints the best and the middle of several runs; there are no
//! assertions, because the machine may be busy.
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark prints, and fails loudly")]

use iac_simulator::worlds::{Amounts, create, generate};
use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// So often a process is started for one number.
const RUNS: usize = 15;

/// Events of one process, and the place in the inbox of the message that each asks for.
const EVENTS: &str = "const n = 2000, m = Application('Mail').inbox.messages; const t = Date.now(); for (let i = 0; i < n; i++) m[i * 4].subject(); (Date.now() - t) / n * 1000";

fn main() {
    // Cargo passes its own arguments, which are for test harnesses.
    let folder = tempfile::tempdir().unwrap();
    let mac = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/mac");
    let (small, large) = (folder.path().join("small"), folder.path().join("large"));
    create(&small, &mac).unwrap();
    let amounts = Amounts { messages: Some(10_000), events: None, files: None, tasks: None, seed: 7 };
    generate(&large, &mac, &amounts).unwrap();
    show("start to first answer, default world", "ms", &started(&small));
    show("start to first answer, 10,000 messages", "ms", &started(&large));
    let each: Vec<f64> = (0..5).map(|_| answer(&large, EVENTS).1.parse().unwrap()).collect();
    show("one event by index, 10,000 messages", "us", &each);
}

fn started(world: &Path) -> Vec<f64> {
    (0..RUNS).map(|_| answer(world, "Application('Mail').inbox.messages.length").0).collect()
}

/// The milliseconds that a script took, including its process, and its answer.
fn answer(world: &Path, script: &str) -> (f64, String) {
    #[expect(clippy::disallowed_methods, reason = "the program that is measured is started here")]
    let mut command = Command::new(env!("CARGO_BIN_EXE_osascript"));
    command.args(["-l", "JavaScript", "-e", script]).env("IAC_MCP_WORLD", world);
    let start = Instant::now();
    let output = command.output().unwrap();
    let took = start.elapsed().as_secs_f64() * 1000.0;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    (took, String::from_utf8(output.stdout).unwrap().trim().to_owned())
}

fn show(what: &str, unit: &str, numbers: &[f64]) {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    println!("{what:42} best {:8.1} {unit}, middle {:8.1} {unit}", sorted[0], sorted[sorted.len() / 2]);
}
