//! Files and the store, as a guest uses them.

use std::path::Path;
use std::sync::Arc;

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use iac_language_servers::closed::{Closed, Nothing};
use iac_plugins::engine::Backend;
use iac_plugins::host::{Caller, Heard, Host, Question, Refusal};
use iac_plugins::local::Local;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::guests::{Guest, World, call, engine, show, wide};

async fn ask(data: &Path, plugin: &str, question: serde_json::Value) -> String {
    ask_with(data, plugin, Heard::default(), Arc::new(Nothing), question).await
}

async fn ask_with(
    data: &Path,
    plugin: &str,
    heard: Heard,
    closed: Arc<dyn Closed>,
    question: serde_json::Value,
) -> String {
    let data = Dir::open_ambient_dir(data, ambient_authority()).expect("the folder is there");
    let local = Local::new(Arc::new(data), closed, Arc::new(World));
    let caller = Caller {
        plugin: plugin.parse().expect("the test's own id"),
        tool: "tool".to_owned(),
        cancelled: CancellationToken::new(),
        heard,
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

/// Closes a folder and its contents.
#[derive(Debug)]
struct Folder(std::path::PathBuf);

impl Closed for Folder {
    fn holds(&self, path: &Path) -> Option<String> {
        path.starts_with(&self.0).then(|| "a closed place".to_owned())
    }

    fn may_be(&self, name: &str) -> bool {
        self.0.ends_with(name)
    }

    fn places(&self) -> Vec<std::path::PathBuf> {
        vec![self.0.clone()]
    }
}

#[tokio::test]
async fn what_is_closed_is_not_read_below_a_granted_root() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let whole = folder.path().canonicalize().expect("the folder is there");
    root(&whole);
    std::os::unix::fs::symlink("root/sub", whole.join("way")).expect("a link can be made");
    let file = std::fs::File::create(whole.join("root/sub/deep.txt")).expect("a file can be made");
    drop(file);
    let closed = |at: &str| Arc::new(Folder(whole.join(at))) as Arc<dyn Closed>;
    let whole = whole.to_str().expect("the path is text").to_owned();
    let ask = async |root: &str, at: &str, question: serde_json::Value| {
        let mut question = question;
        question["root"] = json!(root);
        ask_with(folder.path(), "demo", Heard::default(), closed(at), question).await
    };
    let read = |path: &str| json!({"ask": "read-text", "path": path, "offset": 0, "limit": 9});
    let list = |path: &str| json!({"ask": "entries", "path": path, "limit": 9});
    // Also where only the folder itself says so, because the closed place is known by another name.
    for at in ["root/sub", "way"] {
        for path in ["root/sub/deep.txt", "way/deep.txt", "way/../sub/deep.txt"] {
            let said = ask(&whole, at, read(path)).await;
            assert_eq!(said, format!("permission_denied: `{path}` is closed to every call"));
        }
        for path in ["root/sub", "way"] {
            let said = ask(&whole, at, list(path)).await;
            assert_eq!(said, format!("permission_denied: `{path}` is closed to every call"));
        }
        let listed = ask(&whole, at, list("root")).await;
        assert!(listed.contains("a.txt") && !listed.contains("sub"), "{listed}");
        let sub = Path::new(&whole).join("root").join("sub");
        let said = ask(sub.to_str().expect("the path is text"), at, json!({"ask": "open-root"})).await;
        assert!(said.starts_with("permission_denied: ") && said.contains("closed to every call"), "{said}");
        assert_eq!(ask(&whole, at, read("root/a.txt")).await, r#"{"text":"grüße"}"#);
    }
}

#[tokio::test]
async fn a_store_knows_whether_untrusted_text_is_in_it() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let nothing = || Arc::new(Nothing) as Arc<dyn Closed>;
    let put = |key: &str| json!({"ask": "store-put", "key": key, "value": "AAAA"});
    let get = |key: &str| json!({"ask": "store-get", "key": key});
    let keys = json!({"ask": "store-keys", "prefix": "", "after": null, "limit": 10});
    let heard = |of: &[Option<&str>]| {
        let mut heard = Heard::default();
        of.iter().for_each(|source| heard.note(*source));
        heard
    };
    let of = async |heard: Heard, question| ask_with(folder.path(), "one", heard, nothing(), question).await;
    assert_eq!(of(heard(&[]), put("a")).await, "{}");
    assert_eq!(of(heard(&[]), get("a")).await, r#"{"value":"AAAA"}"#);
    assert_eq!(of(heard(&[None]), put("b")).await, "{}");
    assert_eq!(of(heard(&[]), get("a")).await, r#"{"value":"AAAA","heard":[]}"#);
    assert_eq!(of(heard(&[Some("com.apple.mail"), Some("https://x.example")]), put("b")).await, "{}");
    assert_eq!(
        of(heard(&[]), get("b")).await,
        r#"{"value":"AAAA","heard":["com.apple.mail","https://x.example"]}"#
    );
    assert_eq!(of(heard(&[]), get("c")).await, r#"{"value":null}"#);
    let listed = of(heard(&[]), keys.clone()).await;
    assert_eq!(listed, r#"{"keys":["a","b"],"heard":["com.apple.mail","https://x.example"]}"#);
    for key in ["a", "b"] {
        assert_eq!(of(heard(&[]), json!({"ask": "store-remove", "key": key})).await, "{}");
    }
    assert_eq!(of(heard(&[]), keys).await, r#"{"keys":[]}"#);
    assert_eq!(of(heard(&[]), put("a")).await, "{}");
    assert_eq!(of(heard(&[]), get("a")).await, r#"{"value":"AAAA"}"#, "nothing of it is left");
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
