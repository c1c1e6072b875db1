//! Plugins as their operators and clients use them: built from source, installed, granted, listed, called.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use rmcp::model::{ServerNotification, SubscriptionFilter};
use serde_json::{Value as Json, json};

use crate::session::{Home, Session, modes};

/// The package of a plugin of this repository, built by `plugin build`. Cargo reuses its output between tests.
async fn package(home: &Home, plugin: &str) -> PathBuf {
    let file = home.path().join(format!("{plugin}.wasm"));
    let folder = plugin_folder(plugin);
    let mut command = home.command(&["plugin", "build"]);
    // Coverage counts this program, and not its guests. Cargo finds its own files by the real home folder.
    command.env("HOME", std::env::var_os("HOME").unwrap_or_default());
    for name in ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "RUSTC_WORKSPACE_WRAPPER", "RUSTC_WRAPPER"] {
        command.env_remove(name);
    }
    command.arg(folder).arg("--output").arg(&file);
    command.env("CARGO_TARGET_DIR", guests());
    let output = command.stdin(Stdio::null()).output().await.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    file
}

fn plugin_folder(plugin: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../plugins").join(plugin)
}

fn guests() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("guests")
}

/// Runs a command; returns its output and its exit status.
async fn run(home: &Home, arguments: &[&str]) -> (String, Option<i32>) {
    let output = home.command(arguments).stdin(Stdio::null()).output().await.unwrap();
    let said = [output.stdout, output.stderr].concat();
    (String::from_utf8(said).unwrap(), output.status.code())
}

async fn ok(home: &Home, arguments: &[&str]) -> String {
    let (said, status) = run(home, arguments).await;
    assert_eq!(status, Some(0), "{arguments:?}: {said}");
    said
}

async fn check_fails(home: &Home, arguments: &[&str], status: i32, part: &str) {
    let (said, ended) = run(home, arguments).await;
    assert_eq!(ended, Some(status), "{arguments:?}: {said}");
    assert!(said.contains(part), "{arguments:?}: {part:?} is not in {said}");
}

#[tokio::test]
async fn a_plugin_is_installed_by_whoever_agrees_to_what_it_wants() {
    let home = Home::new();
    let file = package(&home, "inbox-digest").await;
    let file = file.to_str().unwrap();
    let shown = ok(&home, &["plugin", "check", file]).await;
    assert!(shown.contains("it cannot change anything"), "{shown}");
    check_fails(&home, &["plugin", "add", file], 2, "Add `--yes`").await;
    check_fails(&home, &["call", "inbox_digest", "--simulated"], 2, "no tool `inbox_digest`").await;
    ok(&home, &["plugin", "add", file, "--yes"]).await;
    check_fails(&home, &["plugin", "add", file, "--yes"], 1, "already installed").await;
    let asked = ok(&home, &["call", "inbox_digest", "--simulated", "--debug"]).await;
    assert!(asked.contains("asks") && asked.contains("arguments={\""), "{asked}");
    let digest = ok(&home, &["call", "inbox_digest", "--simulated", "--json"]).await;
    let digest: Json = serde_json::from_str(&digest).unwrap();
    assert_eq!(
        (&digest["unread"], &digest["complete"], &digest["untrusted"]),
        (&json!(67), &json!(true), &json!(true))
    );

    ok(&home, &["plugin", "revoke", "inbox-digest", "apps", "com.apple.mail"]).await;
    check_fails(
        &home,
        &["call", "inbox_digest", "--simulated"],
        1,
        "only the user can change this: `iac-mcp plugin grant inbox-digest apps com.apple.mail`",
    )
    .await;
    assert!(ok(&home, &["plugin", "list"]).await.contains("lacks apps com.apple.mail"));
    ok(&home, &["plugin", "grant", "inbox-digest", "apps", "com.apple.finder", "--yes"]).await;
    check_fails(&home, &["call", "inbox_digest", "--simulated"], 1, "has no grant to read").await;
    ok(&home, &["plugin", "remove", "inbox-digest", "--yes"]).await;
    check_fails(&home, &["call", "inbox_digest", "--simulated"], 2, "no tool `inbox_digest`").await;
}

/// With `--json`, all other messages of a command go to stderr.
#[tokio::test]
async fn a_program_hears_what_was_done_as_one_object() {
    let home = Home::new();
    let file = package(&home, "inbox-digest").await;
    let file = file.to_str().unwrap();
    for (line, key, value) in [
        (&["add", file, "--yes"][..], "installed", json!("inbox-digest")),
        (&["update", file], "changed", json!(false)),
        (&["limit", "inbox-digest", "--memory-mib", "32"], "limits", json!({ "memory_mib": 32 })),
        (&["revoke", "inbox-digest", "apps", "com.apple.mail"], "revoked", json!("apps com.apple.mail")),
        (
            &["grant", "inbox-digest", "apps", "com.apple.finder", "--yes"],
            "granted",
            json!("apps com.apple.finder"),
        ),
        (&["disable", "inbox-digest"], "disabled", json!(true)),
        (&["enable", "inbox-digest"], "disabled", json!(false)),
        (&["release", "inbox-digest"], "reason", Json::Null),
        (&["remove", "inbox-digest", "--yes"], "removed", json!("inbox-digest")),
    ] {
        let arguments = [&["plugin"], line, &["--json"]].concat();
        let output = home.command(&arguments).stdin(Stdio::null()).output().await.unwrap();
        let said: Json =
            serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{line:?}: {error}"));
        assert_eq!(said.get(key), Some(&value), "{line:?}: {said}");
    }
}

/// Packs the same code with another manifest.
async fn repacked(home: &Home, version: &str, apps: &str) -> PathBuf {
    package(home, "inbox-digest").await;
    let (manifest, file) = (home.path().join("plugin.toml"), home.path().join(format!("{version}.wasm")));
    let text = std::fs::read_to_string(plugin_folder("inbox-digest").join("plugin.toml")).unwrap();
    let text = text.replace("0.1.0", version).replace("\"com.apple.mail\"", apps);
    std::fs::write(&manifest, text).unwrap();
    let module = guests().join("wasm32-unknown-unknown/release/inbox_digest.wasm");
    let [module, manifest, output] = [&module, &manifest, &file].map(|path| path.to_str().unwrap());
    ok(home, &["plugin", "pack", module, "--manifest", manifest, "--output", output]).await;
    file
}

#[tokio::test]
async fn an_update_that_wants_more_is_held() {
    let home = Home::new();
    let first = package(&home, "inbox-digest").await;
    ok(&home, &["plugin", "add", first.to_str().unwrap(), "--yes"]).await;
    let more = repacked(&home, "0.2.0", "\"com.apple.mail\", \"com.apple.finder\"").await;
    let more = more.to_str().unwrap();
    check_fails(
        &home,
        &["plugin", "update", more],
        1,
        "not updated: the new version needs more permissions (apps com.apple.finder)",
    )
    .await;
    assert!(ok(&home, &["plugin", "list"]).await.contains("0.1.0"));
    ok(&home, &["plugin", "revoke", "inbox-digest", "apps", "com.apple.mail"]).await;
    let same = repacked(&home, "0.1.1", "\"com.apple.mail\"").await;
    ok(&home, &["plugin", "update", same.to_str().unwrap()]).await;
    let listed = ok(&home, &["plugin", "list"]).await;
    assert!(
        listed.contains("0.1.1") && listed.contains("lacks apps com.apple.mail"),
        "what was taken back stays so: {listed}"
    );
    ok(&home, &["plugin", "update", more, "--yes"]).await;
    let listed = ok(&home, &["plugin", "list"]).await;
    assert!(listed.contains("0.2.0") && listed.contains("com.apple.finder"), "{listed}");
    let less = repacked(&home, "0.3.0", "\"com.apple.mail\"").await;
    let said = ok(&home, &["plugin", "update", less.to_str().unwrap()]).await;
    assert!(
        said.contains("no longer has apps com.apple.finder, which the new version does not want"),
        "{said}"
    );
    assert!(!ok(&home, &["plugin", "list"]).await.contains("com.apple.finder"));
}

#[tokio::test]
async fn operators_at_the_same_time_take_turns() {
    let home = Home::new();
    let file = package(&home, "inbox-digest").await;
    let file = file.to_str().unwrap();
    let add = ["plugin", "add", file, "--yes"];
    let added = tokio::join!(run(&home, &add), run(&home, &add), run(&home, &add));
    let mut statuses = [added.0.1, added.1.1, added.2.1];
    statuses.sort_unstable();
    assert_eq!(statuses, [Some(0), Some(1), Some(1)], "{added:?}");
    let grants = ["com.a.one", "com.a.two", "com.a.three"]
        .map(|app| ["plugin", "grant", "inbox-digest", "apps", app, "--yes"]);
    tokio::join!(ok(&home, &grants[0]), ok(&home, &grants[1]), ok(&home, &grants[2]));
    let listed = ok(&home, &["plugin", "list", "--json"]).await;
    assert!(["com.a.one", "com.a.two", "com.a.three"].iter().all(|app| listed.contains(app)), "{listed}");
}

#[tokio::test]
async fn a_client_has_the_tool_beside_the_others_and_the_log_names_the_plugin() {
    for (name, mode) in modes() {
        let home = Home::new();
        let (file, state) = (package(&home, "inbox-digest").await, home.path().join("state"));
        let state = state.to_str().unwrap();
        ok(&home, &["plugin", "add", file.to_str().unwrap(), "--yes", "--state", state]).await;
        let log = home.command(&["audit", "--json", "--state", state]);
        let session = Session::in_home(home, mode, &["--state", state]).await;
        let tools = session.client.list_all_tools().await.unwrap();
        let tool = tools.iter().find(|tool| tool.name == "inbox_digest").unwrap();
        assert_eq!(tool.annotations.as_ref().unwrap().read_only_hint, Some(true), "{name}");
        let digest = session.ok("inbox_digest", json!({ "senders": 2 })).await;
        assert_eq!(digest["senders"].as_array().unwrap().len(), 2, "{name}");
        let reference = digest["senders"][0]["newest"]["reference"].clone();
        let read = session
            .ok("iac_mcp_get_properties", json!({ "reference": reference, "properties": ["subject"] }))
            .await;
        assert_eq!(read["properties"]["subject"], digest["senders"][0]["newest"]["subject"], "{name}");
        let log = { log }.output().await.unwrap();
        let log: Json = serde_json::from_slice(&log.stdout).unwrap();
        let of_plugin = |entry: &&Json| entry["call"]["plugin"] == "inbox-digest";
        let number = |entry: &Json| entry["call"]["number"].as_u64();
        let entries: Vec<&Json> = log["entries"].as_array().unwrap().iter().filter(of_plugin).collect();
        assert!(entries.iter().any(|entry| entry["kind"] == "decision"), "{name}: {log}");
        // The plugin's requests have numbers; the call of the plugin itself does not, because it runs no script.
        assert_eq!(
            log["entries"].as_array().unwrap().iter().filter_map(number).min(),
            Some(1),
            "{name}: {log}"
        );
    }
}

#[tokio::test]
async fn a_client_that_listens_hears_of_other_tools() {
    let home = Home::new();
    let (file, state) = (package(&home, "inbox-digest").await, home.path().join("state"));
    let state = state.to_str().unwrap().to_owned();
    let command = |arguments: &[&str]| home.command(&[arguments, &["--state", &state]].concat());
    let mut add = command(&["plugin", "add", file.to_str().unwrap(), "--yes"]);
    let (_, mode) = modes().into_iter().find(|(name, _)| *name == "discover").unwrap();
    let session = Session::in_home(Home::new(), mode, &["--state", &state]).await;
    let filter = SubscriptionFilter::builder().tools_list_changed().build();
    let mut subscription = session.client.listen(filter).await.unwrap();
    assert_eq!(subscription.acknowledged().tools_list_changed, Some(true));
    assert!(add.output().await.unwrap().status.success());
    let heard = subscription.next().await.unwrap().unwrap();
    assert!(matches!(heard, ServerNotification::ToolListChangedNotification(_)), "{heard:?}");
    let listed = ok(&home, &["tools", "--state", &state]).await;
    assert!(listed.contains("inbox_digest"), "{listed}");
}

/// Writes a call of the digest beside its package.
fn call_of_digest(home: &Home) -> PathBuf {
    let calls = home.path().join("calls");
    std::fs::create_dir(&calls).unwrap();
    std::fs::write(calls.join("digest.json"), "{\"arguments\": {\"senders\": 2}}").unwrap();
    calls
}

#[tokio::test]
async fn both_engines_answer_the_same_call_and_keep_their_own_code() {
    let home = Home::new();
    let file = package(&home, "inbox-digest").await;
    ok(&home, &["plugin", "add", file.to_str().unwrap(), "--yes"]).await;
    // An interpreter that was built for debugging takes its time.
    ok(&home, &["plugin", "limit", "inbox-digest", "--compute-ms", "60000", "--wall-ms", "300000"]).await;
    let kept = || {
        let files = std::fs::read_dir(home.path().join("iac-mcp/plugins")).unwrap().flatten();
        files.filter(|file| file.path().extension().is_some_and(|it| it == "code")).count()
    };
    let call = async |engine: &str| {
        let call =
            ["call", "inbox_digest", "{\"senders\": 1}", "--simulated", "--json", "--plugin-engine", engine];
        serde_json::from_str::<Json>(&ok(&home, &call).await).unwrap()
    };
    let (before, native) = (kept(), call("native").await);
    // This call uses the code that `add` compiled, since limits do not change the code.
    assert_eq!((call("auto").await["unread"].clone(), kept()), (native["unread"].clone(), before));
    let interpreted = call("interpreter").await;
    assert_eq!((&interpreted["unread"], &interpreted["complete"]), (&native["unread"], &native["complete"]));
    assert_eq!(kept(), before + 1);
    let unknown = ["call", "inbox_digest", "--simulated", "--plugin-engine", "fast"];
    check_fails(&home, &unknown, 2, "invalid value 'fast'").await;
}

#[tokio::test]
async fn a_bench_says_what_a_plugin_costs_beside_what_it_may() {
    let home = Home::new();
    let file = package(&home, "inbox-digest").await;
    let file = file.to_str().unwrap();
    check_fails(&home, &["plugin", "bench", file], 2, "has no calls").await;
    let calls = call_of_digest(&home);
    let bench = ["plugin", "bench", file, "--rounds", "3"];
    let shown = ok(&home, &bench).await;
    for part in
        ["load from the cache", "fresh store and call", "whole call", "≤ 1.00 ms", "≤ 150 µs", "Apple events"]
    {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let said = ok(&home, &[&bench[..], &["--json", "--call", "digest"]].concat()).await;
    let said: Json = serde_json::from_str(&said).unwrap();
    let above_zero = |value: &Json| value.as_f64().is_some_and(|number| number > 0.0);
    assert_eq!((&said["plugin"], &said["engine"]), (&json!("inbox-digest"), &json!("native")));
    assert!(above_zero(&said["load"]["medianMicroseconds"]) && above_zero(&said["load"]["share"]), "{said}");
    let call = &said["calls"][0];
    for field in ["appleEvents", "hostCalls", "memoryBytes", "boundaryBytes", "computeMicroseconds"] {
        assert!(above_zero(&call[field]), "{field}: {said}");
    }
    assert_eq!(call["times"].as_array().unwrap().len(), 2);
    check_fails(
        &home,
        &[&bench[..], &["--call", "other"]].concat(),
        2,
        "no call `other`, expected one of digest",
    )
    .await;

    ok(&home, &["plugin", "add", file, "--yes"]).await;
    std::fs::write(home.path().join("iac-mcp/config.toml"), "plugin-engine = \"interpreter\"\n").unwrap();
    let calls = calls.to_str().unwrap();
    let said =
        ok(&home, &["plugin", "bench", "inbox-digest", "--calls", calls, "--rounds", "3", "--json"]).await;
    assert_eq!(serde_json::from_str::<Json>(&said).unwrap()["engine"], "interpreter", "{said}");
}

/// The power can fail at any moment; afterwards the list of plugins is the old one or the new one.
#[tokio::test]
async fn an_operator_who_is_killed_leaves_everything_whole() {
    let home = Home::new();
    let file = package(&home, "inbox-digest").await;
    let file = file.to_str().unwrap();
    let mut installed = 0;
    for wait in [5, 20, 60, 120, 200, 300, 450, 600, 900] {
        let mut add = home.command(&["plugin", "add", file, "--yes"]);
        let mut add = add.stdout(Stdio::null()).stderr(Stdio::null()).stdin(Stdio::null()).spawn().unwrap();
        tokio::time::sleep(std::time::Duration::from_millis(wait)).await;
        add.kill().await.unwrap();
        let listed = ok(&home, &["plugin", "list", "--json"]).await;
        if listed.contains("inbox-digest") {
            installed += 1;
            ok(&home, &["plugin", "remove", "inbox-digest", "--yes"]).await;
        }
    }
    println!("installed {installed} times before the end");
    ok(&home, &["plugin", "add", file, "--yes"]).await;
    ok(&home, &["call", "inbox_digest", "--simulated"]).await;
    ok(&home, &["plugin", "remove", "inbox-digest", "--yes"]).await;
    let left = std::fs::read_dir(home.path().join("iac-mcp/plugins")).unwrap().flatten();
    let left: Vec<_> = left.map(|entry| entry.file_name().into_string().unwrap()).collect();
    let passing = left.iter().filter(|name| name.ends_with(".new") || name.ends_with(".wasm")).count();
    assert_eq!(passing, 0, "what was half written is swept away: {left:?}");
}

/// Three operators add and remove the same plugin at the same time. The list of plugins must never name a missing
/// file.
#[tokio::test]
async fn operators_who_add_and_remove_at_the_same_time_take_turns() {
    let home = Home::new();
    let file = package(&home, "inbox-digest").await;
    let file = file.to_str().unwrap();
    let both = async || {
        for _ in 0..3 {
            let _ = run(&home, &["plugin", "add", file, "--yes"]).await;
            let _ = run(&home, &["plugin", "remove", "inbox-digest", "--yes"]).await;
        }
    };
    tokio::join!(both(), both(), both());
    let _ = run(&home, &["plugin", "add", file, "--yes"]).await;
    ok(&home, &["call", "inbox_digest", "--simulated"]).await;
}

#[tokio::test]
async fn what_is_no_package_is_refused_whatever_it_is() {
    let home = Home::new();
    let write = |name: &str, bytes: &[u8]| {
        std::fs::write(home.path().join(name), bytes).unwrap();
        home.path().join(name).to_str().unwrap().to_owned()
    };
    check_fails(&home, &["plugin", "add", "/dev/zero", "--yes"], 1, "a device").await;
    check_fails(&home, &["plugin", "add", "/dev/null", "--yes"], 1, "a device").await;
    check_fails(&home, &["plugin", "add", home.path().to_str().unwrap(), "--yes"], 2, "a folder").await;
    check_fails(&home, &["plugin", "add", &write("text", b"hello"), "--yes"], 1, "not a component").await;
    let component = write("short", b"\0asm\x0d\0\x01\0\xff\xff\xff");
    check_fails(&home, &["plugin", "add", &component, "--yes"], 1, "not valid").await;
    assert!(!ok(&home, &["plugin", "list"]).await.contains("inbox"), "nothing is installed");
}

#[tokio::test]
async fn this_program_can_run_what_it_compiles() {
    ok(&Home::new(), &["plugin", "probe"]).await;
}

#[tokio::test]
async fn golden_calls_are_made_recorded_and_repeated() {
    let home = Home::new();
    let file = package(&home, "inbox-digest").await;
    let file = file.to_str().unwrap();
    let calls = home.path().join("calls");
    let (call, journal) = (calls.join("digest.json"), calls.join("digest.journal"));
    let edit = |path: &Path, from: &str, to: &str| {
        let text = std::fs::read_to_string(path).unwrap();
        assert!(text.contains(from), "{from:?} is not in {text}");
        std::fs::write(path, text.replacen(from, to, 1)).unwrap();
    };
    check_fails(&home, &["plugin", "test", file], 2, "has no calls").await;
    std::fs::create_dir(&calls).unwrap();
    std::fs::write(&call, "{\"arguments\": {\"senders\": 2}, \"answers\": 1}").unwrap();
    check_fails(&home, &["plugin", "test", file], 2, "unknown field `answers`").await;
    std::fs::write(&call, "{\"arguments\": {\"senders\": 2}}").unwrap();
    check_fails(&home, &["plugin", "test", file], 1, "--update writes the answer").await;
    check_fails(&home, &["plugin", "test", file, "--replay"], 1, "record one with --record").await;

    assert!(ok(&home, &["plugin", "test", file, "--update", "--record"]).await.contains("written"));
    let written = std::fs::read_to_string(&call).unwrap();
    assert!(written.contains("\"ref_1\"") && written.contains("\"unread\": 67"), "{written}");
    let recorded = std::fs::read_to_string(&journal).unwrap();
    ok(&home, &["plugin", "test", file, "--update", "--record"]).await;
    assert_eq!(std::fs::read_to_string(&call).unwrap(), written, "another Mac answers the same");
    assert_eq!(std::fs::read_to_string(&journal).unwrap(), recorded);
    ok(&home, &["plugin", "test", file, "--replay"]).await;

    edit(&call, "\"unread\": 67", "\"unread\": 66");
    let differs = "answer.unread: expected 66, got 67";
    check_fails(&home, &["plugin", "test", file, "--json"], 1, differs).await;
    check_fails(&home, &["plugin", "test", file, "--replay", "--json"], 1, differs).await;
    std::fs::write(&call, &written).unwrap();

    edit(&journal, "com.apple.mail", "com.apple.notes");
    check_fails(&home, &["plugin", "test", file, "--replay", "--json"], 1, "instead of").await;
}
