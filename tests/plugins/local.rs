//! Files and the store, as a guest uses them.

use std::path::Path;
use std::sync::Arc;

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use iac_plugins::engine::Backend;
use iac_plugins::host::{Caller, Host, Question, Refusal};
use iac_plugins::local::Local;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::guests::{Guest, World, call, engine, show, wide};

async fn ask(data: &Path, plugin: &str, question: serde_json::Value) -> String {
    let data = Dir::open_ambient_dir(data, ambient_authority()).expect("the folder is there");
    let local = Local::new(Arc::new(data), Arc::new(World));
    let caller = Caller {
        plugin: plugin.parse().expect("the test's own id"),
        tool: "tool".to_owned(),
        cancelled: CancellationToken::new(),
    };
    let question: Question = serde_json::from_value(question).expect("the test's own question");
    match local.ask(&caller, question).await {
        Ok(answer) => answer.into_json().to_string(),
        Err(Refusal::Fault(fault)) => format!("{}: {}", fault.code, fault.message),
        Err(Refusal::Diverged(how)) => how,
        Err(Refusal::Suspended) => "suspended".to_owned(),
    }
}

/// A root with a text file, a link that leads out of it, a link that leads into it, and a pipe.
fn root(folder: &Path) -> String {
    let root = folder.join("root");
    std::fs::create_dir_all(root.join("sub")).expect("a folder can be made");
    let write = |path: std::path::PathBuf, text: &str| {
        let mut file = std::fs::File::create(path).expect("a file can be made");
        std::io::Write::write_all(&mut file, text.as_bytes()).expect("a file can be written");
    };
    write(root.join("a.txt"), "grüße");
    write(folder.join("secret"), "secret");
    let link = |target: &str, name: &str| {
        std::os::unix::fs::symlink(target, root.join(name)).expect("a link can be made");
    };
    link("../secret", "out");
    link("a.txt", "in");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        root.join("pipe"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR,
        0,
    )
    .expect("a pipe can be made");
    root.to_str().expect("the path is text").to_owned()
}

async fn check_file(path: &str, offset: u64, limit: u32, expected: &str) {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let root = root(folder.path());
    let question = json!({"ask": "read-text", "root": root, "path": path, "offset": offset, "limit": limit});
    let came = ask(folder.path(), "demo", question).await;
    assert!(came.starts_with(expected), "{path}: {came}");
}

#[tokio::test]
async fn nothing_outside_of_a_root_is_read() {
    check_file("a.txt", 0, 100, r#"{"text":"grüße"}"#).await;
    check_file("in", 0, 100, r#"{"text":"grüße"}"#).await;
    check_file("sub/../a.txt", 0, 100, r#"{"text":"grüße"}"#).await;
    check_file("a.txt", 0, 3, r#"{"text":"gr"}"#).await;
    check_file("a.txt", 100, 3, r#"{"text":""}"#).await;
    check_file("a.txt", 3, 10, "invalid_parameter: `a.txt` is not UTF-8 at byte 3").await;
    check_file("out", 0, 100, "invalid_parameter: `out` is not below the root").await;
    check_file("../secret", 0, 100, "invalid_parameter: `../secret` is not below the root").await;
    check_file("/etc/passwd", 0, 100, "invalid_parameter: `/etc/passwd` is not below the root").await;
    check_file("sub", 0, 100, "invalid_parameter: `sub` is not a regular file").await;
    check_file("pipe", 0, 100, "invalid_parameter: `pipe` is not a regular file").await;
    check_file("none", 0, 100, "unavailable: `none` cannot be read").await;
    check_file("a.txt\0", 0, 100, "invalid_parameter: `a.txt\0` is not below the root").await;
}

#[tokio::test]
async fn a_listing_is_in_order_and_in_pages() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let root = root(folder.path());
    let page = async |path: &str, after: Option<&str>| {
        let question = json!({"ask": "entries", "root": root, "path": path, "after": after, "limit": 3});
        let came = ask(folder.path(), "demo", question).await;
        let came: serde_json::Value = serde_json::from_str(&came).unwrap_or(json!({ "refused": came }));
        let entries = came["entries"].as_array().cloned().unwrap_or_else(|| vec![came.clone()]);
        entries.iter().map(|it| format!("{} {}", it["name"], it["kind"])).collect::<Vec<_>>().join(", ")
    };
    assert_eq!(page("", None).await, r#""a.txt" "file", "in" "link", "out" "link""#);
    assert_eq!(page("", Some("out")).await, r#""pipe" "other", "sub" "directory""#);
    assert_eq!(page("sub", None).await, "");
    assert_eq!(page("..", None).await, "null null");
}

#[tokio::test]
async fn a_store_is_a_plugins_own() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let put =
        |key: &str, bytes: usize| json!({"ask": "store-put", "key": key, "value": "AAAA".repeat(bytes / 3)});
    let get = |key: &str| json!({"ask": "store-get", "key": key});
    assert_eq!(ask(folder.path(), "one", get("a")).await, r#"{"value":null}"#);
    assert_eq!(ask(folder.path(), "one", put("a", 3)).await, "{}");
    assert_eq!(ask(folder.path(), "one", get("a")).await, r#"{"value":"AAAA"}"#);
    assert_eq!(ask(folder.path(), "two", get("a")).await, r#"{"value":null}"#);
    assert_eq!(ask(folder.path(), "one", put("b", 900_000)).await, "{}");
    let full = ask(folder.path(), "one", put("c", 300_000)).await;
    assert!(full.starts_with("result_too_large: the store would have 1200198 bytes"), "{full}");
    assert_eq!(ask(folder.path(), "one", get("c")).await, r#"{"value":null}"#);
    let keys = json!({"ask": "store-keys", "prefix": "", "after": "a", "limit": 10});
    assert_eq!(ask(folder.path(), "one", keys).await, r#"{"keys":["b"]}"#);
    assert_eq!(ask(folder.path(), "one", json!({"ask": "store-remove", "key": "b"})).await, "{}");
    assert_eq!(ask(folder.path(), "one", put("c", 300_000)).await, "{}");
}

#[tokio::test]
async fn a_million_names_without_anything_are_too_much() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let kept: std::collections::BTreeMap<String, &str> =
        (0..15_000).map(|at| (format!("{at:06}"), "")).collect();
    let file = std::fs::File::create(folder.path().join("one.json")).expect("a file can be made");
    serde_json::to_writer(file, &kept).expect("a file can be written");
    let put = |key: &str| json!({"ask": "store-put", "key": key, "value": ""});
    let full = ask(folder.path(), "one", put("one more")).await;
    assert_eq!(full, "result_too_large: the store would have 1050072 bytes, expected at most 1048576");
    assert_eq!(ask(folder.path(), "two", put("one more")).await, "{}", "another plugin has its own");
}

/// Returns the first of its folders as the message of an error.
const ROOTS: &str = r#"
;; wants: files /granted
(import "iac:plugin/files@0.1.0" "roots" (func $roots (param i32)))
(data (i32.const 1536) "told")
(func $call (param i32 i32 i32 i32) (result i32)
  (call $roots (i32.const 2048))
  (i32.store8 (i32.const 3584) (i32.load (i32.const 2052)))
  (i32.store (i32.const 3588) (i32.const 1536))
  (i32.store (i32.const 3592) (i32.const 4))
  (i32.store (i32.const 3596) (i32.load (i32.load (i32.const 2048))))
  (i32.store (i32.const 3600) (i32.load (i32.add (i32.load (i32.const 2048)) (i32.const 4))))
  (i32.const 3584))
"#;

#[tokio::test]
async fn a_guest_learns_which_folders_it_may_read() {
    let plugin = Guest::inline("roots", ROOTS).plugin(&engine(Backend::Native), wide()).await;
    let said = plugin.expect("it is linked").call(call(CancellationToken::new())).await.0;
    assert_eq!(show(said), "told: /granted");
}
