//! The adapter that `pack` adds answers WASI calls in a package: always in the same way, and without access to the
//! system.

use iac_plugins::engine::{Backend, Now, Plugin, Report};
use iac_plugins::package;
use tokio_util::sync::CancellationToken;

use crate::guests::{Guest, call, engine, show, wide};

/// Memory from the system, as a libc requests it: the adapter must return whole pages.
const REALLOC: &str = "(func $realloc (export \"cabi_realloc\") (param i32 i32 i32 i32) (result i32)\n\
    (i32.shl (memory.grow (i32.add (i32.const 1) (i32.shr_u (local.get 3) (i32.const 16)))) (i32.const 16)))\n";

fn inline(name: &str, text: &str) -> Guest {
    Guest::inline(name, &format!("{text}\n{REALLOC}"))
}

/// A guest that calls one function of the first version of WASI, with the arguments `with`, before it answers `{}`.
fn guest(function: &str, params: &str, with: &str, data: &str) -> Guest {
    let text = format!(
        "(import \"wasi_snapshot_preview1\" \"{function}\" (func $wasi (param {params}) (result i32)))\n\
         (import \"iac:plugin/log@0.1.0\" \"write\" (func $log (param i32 i32 i32)))\n\
         (data (i32.const 60000) \"{data}\")\n\
         (func $call (param i32 i32 i32 i32) (result i32)\n\
         (i32.store8 (i32.const 59000) (i32.add (i32.const 48) (call $wasi {with})))\n\
         (call $log (i32.const 3) (i32.const 59000) (i32.const 1))\n\
         (i32.const 256))"
    );
    inline(function, &text)
}

async fn plugin(guest: &Guest) -> Plugin {
    guest
        .plugin(&engine(Backend::Native), wide())
        .await
        .unwrap_or_else(|error| panic!("{}: {error}", guest.name))
}

async fn called(plugin: &Plugin, milliseconds: u64) -> (String, Report) {
    let mut call = call(CancellationToken::new());
    call.now = Now { milliseconds, ..Now::default() };
    let (answer, report) = plugin.call(call).await;
    (show(answer), report)
}

fn lines(report: &Report) -> Vec<String> {
    report.log.iter().map(|line| format!("{}: {}", line.level.name(), line.text)).collect()
}

const WRITE: &str = "(i32.const 1) (i32.const 60000) (i32.const 1) (i32.const 59008)";

/// Writes bytes to a stream: one vector at 60000 with their address, and then the bytes.
async fn written(stream: u8, bytes: &str) -> Vec<String> {
    let length = wat_length(bytes);
    let data = format!("\\68\\ea\\00\\00\\{length:02x}\\00\\00\\00{bytes}");
    let with = WRITE.replacen("i32.const 1", &format!("i32.const {stream}"), 1);
    let guest = guest("fd_write", "i32 i32 i32 i32", &with, &data);
    let (answer, report) = called(&plugin(&guest).await, 0).await;
    assert_eq!(answer, "{}", "{:?}", lines(&report));
    lines(&report)
}

/// The length of a text in bytes; `\xx` stands for one byte.
fn wat_length(text: &str) -> usize {
    text.len() - 2 * text.matches('\\').count()
}

#[tokio::test]
async fn output_becomes_lines_of_the_log() {
    assert_eq!(written(1, "one\\0atwo\\0athree").await, ["info: one", "info: two", "debug: 0"]);
    assert_eq!(written(2, "Traceback\\0a").await, ["error: Traceback", "debug: 0"]);
    assert_eq!(written(1, "caf\\c3\\a9 \\ff\\c3 \\ed\\a0\\80\\0a").await, ["info: café ?? ???", "debug: 0"]);
    assert_eq!(written(7, "nowhere\\0a").await, ["debug: 8"], "EBADF");
}

#[tokio::test]
async fn a_package_with_wasi_imports_ours_only() {
    let guest = guest("fd_write", "i32 i32 i32 i32", WRITE, "");
    let bytes = guest.packed(&engine(Backend::Native), &wide()).await.expect("it is packed");
    let imports = package::Inspection::of(&bytes).expect("it is a component").imports;
    assert!(imports.iter().all(|name| name.starts_with("iac:plugin/")), "{imports:?}");
    assert!(package::read(&bytes).expect("it is a package").imports.is_empty(), "nothing has to be granted");
}

/// The log contains the random bytes as sixteen hexadecimal digits.
#[tokio::test]
async fn chance_and_time_are_those_of_the_call() {
    let text = |function: &str, params: &str, with: &str| {
        format!(
            "(import \"wasi_snapshot_preview1\" \"{function}\" (func $wasi (param {params}) (result i32)))\n\
             (import \"iac:plugin/log@0.1.0\" \"write\" (func $log (param i32 i32 i32)))\n\
             (func $call (param i32 i32 i32 i32) (result i32) (local $bits i64) (local $at i32)\n\
             (drop (call $wasi {with}))\n\
             (local.set $bits (i64.load (i32.const 59000)))\n\
             (loop $l (i32.store8 (i32.add (i32.const 58000) (local.get $at))\n\
             (i32.add (i32.const 97) (i32.wrap_i64 (i64.and (local.get $bits) (i64.const 15)))))\n\
             (local.set $bits (i64.shr_u (local.get $bits) (i64.const 4)))\n\
             (local.set $at (i32.add (local.get $at) (i32.const 1)))\n\
             (br_if $l (i32.lt_u (local.get $at) (i32.const 16))))\n\
             (call $log (i32.const 2) (i32.const 58000) (i32.const 16)) (i32.const 256))"
        )
    };
    let random = inline("random_get", &text("random_get", "i32 i32", "(i32.const 59000) (i32.const 8)"));
    let time = text("clock_time_get", "i32 i64 i32", "(i32.const 0) (i64.const 0) (i32.const 59000)");
    let (random, time) = (plugin(&random).await, plugin(&inline("clock_time_get", &time)).await);
    let first = lines(&called(&random, 1_000).await.1);
    assert_eq!(first, lines(&called(&random, 1_000).await.1), "a call can be repeated");
    assert_ne!(first, lines(&called(&random, 2_000).await.1));
    assert_eq!(lines(&called(&time, 1_000).await.1), [format!("info: {}", halves(1_000_000_000))]);
}

/// The half bytes of a number as letters, the lowest half byte first.
fn halves(mut number: u64) -> String {
    (0..16)
        .map(|_| {
            let half = u8::try_from(number & 15).expect("four bits fit a byte");
            number >>= 4;
            char::from(b'a' + half)
        })
        .collect()
}

#[tokio::test]
async fn there_are_no_files() {
    let params = "i32 i32 i32 i32 i32 i64 i64 i32 i32";
    let with = "(i32.const 3) (i32.const 0) (i32.const 60000) (i32.const 11) (i32.const 0) (i64.const -1) (i64.const -1) (i32.const 0) (i32.const 59008)";
    let guest = guest("path_open", params, with, "/etc/passwd");
    let (answer, report) = called(&plugin(&guest).await, 0).await;
    assert_eq!(
        (answer.as_str(), lines(&report)),
        ("{}", vec!["debug: 8".to_owned()]),
        "EBADF: no folder is open"
    );
}

#[tokio::test]
async fn a_program_that_ends_itself_says_what_it_has_begun() {
    let text = "(import \"wasi_snapshot_preview1\" \"fd_write\" (func $write (param i32 i32 i32 i32) (result i32)))\n\
        (import \"wasi_snapshot_preview1\" \"proc_exit\" (func $exit (param i32)))\n\
        (data (i32.const 60000) \"\\68\\ea\\00\\00\\04\\00\\00\\00last\")\n\
        (func $call (param i32 i32 i32 i32) (result i32)\n\
        (drop (call $write (i32.const 2) (i32.const 60000) (i32.const 1) (i32.const 59008)))\n\
        (call $exit (i32.const 1)) (i32.const 256))";
    let (answer, report) = called(&plugin(&inline("exit", text)).await, 0).await;
    assert_eq!(lines(&report), ["error: last"]);
    assert!(answer.starts_with("it stopped with an error: \"last\""), "{answer}");
}
