//! The consent of macOS in each of its states: only a call that asks for consent opens the dialog.

use std::process::{Command, Output};
use std::time::Duration;

use serde_json::{Value as Json, json};

use crate::lines::{Lines, call};

const GHOSTTY: &str = "/Applications/Ghostty.app/Contents/MacOS/ghostty";

/// A simulated Mac with this consent.
fn mac(consent: &Json) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    assert!(command(&folder, &["sim", "new", "mac"]).status.success());
    std::fs::write(folder.path().join("mac/consent.json"), consent.to_string()).unwrap();
    folder
}

fn command(folder: &tempfile::TempDir, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_iac-mcp"));
    command.args(arguments).current_dir(folder.path()).env("HOME", folder.path());
    command
        .env("XDG_STATE_HOME", folder.path())
        .env("XDG_CACHE_HOME", folder.path())
        .env_remove("IAC_MCP_WORLD");
    command.output().unwrap()
}

fn on(folder: &tempfile::TempDir, arguments: &[&str]) -> (bool, Json, String) {
    let output = command(folder, &[&["--world", "mac", "--json"], arguments].concat());
    let answer = serde_json::from_slice(&output.stdout).unwrap_or(Json::Null);
    (output.status.success(), answer, String::from_utf8(output.stderr).unwrap())
}

fn read(folder: &tempfile::TempDir, app: &str) -> Json {
    on(
        folder,
        &[
            "call",
            "iac_mcp_query_object",
            &json!({ "app": app, "specifier": "name of window 1" }).to_string(),
        ],
    )
    .1
}

fn mailboxes(folder: &tempfile::TempDir) -> Json {
    let arguments = json!({ "app": "Mail", "elements": "every mailbox", "limit": 1 }).to_string();
    on(folder, &["call", "iac_mcp_get_elements", &arguments]).1
}

/// macOS's record about an app after the calls.
fn kept(folder: &tempfile::TempDir, app: &str) -> Json {
    let text =
        std::fs::read_to_string(folder.path().join("mac/state/consent.json")).unwrap_or("{}".to_owned());
    serde_json::from_str::<Json>(&text).unwrap()[app].clone()
}

fn switch(folder: &tempfile::TempDir, app: &str, said: &str) {
    std::fs::write(folder.path().join("mac/state/consent.json"), json!({ app: said }).to_string()).unwrap();
}

#[test]
fn an_ordinary_call_opens_no_dialog_and_says_who_has_to_allow_what() {
    let mac = mac(
        &json!({ "default": "unasked", "responsible": GHOSTTY, "answer": { "after": 1, "allow": false } }),
    );
    for _ in 0..2 {
        let refused = mailboxes(&mac);
        assert_eq!(
            (&refused["error"], &refused["number"]),
            (&json!("automation_not_authorized"), &json!(-1744))
        );
        assert!(refused["message"].as_str().unwrap().contains("\"Ghostty\" may control it"), "{refused}");
        assert_eq!(refused["responsible"], GHOSTTY);
        let suggestion = refused["suggestion"].as_str().unwrap();
        assert!(suggestion.contains("consent com.apple.mail`"), "{suggestion}");
    }
    assert_eq!(kept(&mac, "com.apple.mail"), Json::Null, "nobody was asked");
    assert_eq!(read(&mac, "Contacts")["error"], "app_not_running", "nobody can be asked before the app runs");
}

#[test]
fn the_command_asks_once_and_the_answer_counts() {
    let mac = mac(
        &json!({ "default": "unasked", "responsible": GHOSTTY, "answer": { "after": 200, "allow": true } }),
    );
    let (ok, answer, said) = on(&mac, &["consent", "Mail"]);
    assert!(ok && answer["state"] == "allowed" && answer["responsible"] == "Ghostty", "{answer} {said}");
    assert!(said.contains("behind other windows"), "{said}");
    assert_eq!(mailboxes(&mac)["count"], 1);
    // The server opens an app that is not running, because macOS could not give its state otherwise.
    let (ok, answer, _) = on(&mac, &["consent", "Contacts"]);
    assert!(ok && answer["state"] == "allowed", "{answer}");
    let (_, answer, said) = on(&mac, &["consent", "Mail"]);
    assert!(answer["state"] == "allowed" && said.is_empty(), "nobody is asked twice: {said}");
    let (_, all, _) = on(&mac, &["consent"]);
    let of = |id: &str| {
        all["apps"].as_array().unwrap().iter().find(|app| app["app"] == id).unwrap()["state"].clone()
    };
    let states = ["com.apple.mail", "com.apple.finder", "com.example.LabelPrinter"].map(of);
    assert_eq!(states, ["allowed", "not asked", "not running"]);
}

#[test]
fn a_no_is_told_with_its_switch_and_never_asked_again() {
    let mac = mac(
        &json!({ "apps": { "com.apple.mail": "unasked" }, "responsible": "/usr/libexec/sshd-keygen-wrapper",
        "answer": { "after": 1, "allow": false } }),
    );
    let (ok, answer, _) = on(&mac, &["consent", "Mail"]);
    assert!(!ok && answer["number"] == -1743, "{answer}");
    for refused in [answer, mailboxes(&mac)] {
        let suggestion = refused["suggestion"].as_str().unwrap();
        assert!(suggestion.contains("Automation > sshd-keygen-wrapper > Mail"), "{suggestion}");
        assert!(suggestion.contains("on the Mac's own screen"), "{suggestion}");
    }
    let (ok, answer, said) = on(&mac, &["consent", "Mail"]);
    assert!(!ok && answer["number"] == -1743 && said.is_empty(), "macOS would not ask again: {said}");
}

#[test]
fn a_dialog_that_nobody_answers_is_a_no() {
    let mac = mac(&json!({ "apps": { "com.apple.mail": "unasked" } }));
    std::fs::write(mac.path().join("mac/faults.json"), r#"{"timeout": 100, "faults": []}"#).unwrap();
    let (ok, answer, _) = on(&mac, &["consent", "Mail"]);
    assert!(!ok && answer["number"] == -1743, "{answer}");
    assert_eq!(kept(&mac, "com.apple.mail"), "no");
    assert!(answer["message"].as_str().unwrap().contains("the app that started this server"), "{answer}");
}

/// A server whose client supports forms.
fn server(folder: &tempfile::TempDir, more: &[&str]) -> Lines {
    let world = folder.path().join("mac");
    let mut server = Lines::started(&[&["serve", "--world", world.to_str().unwrap()], more].concat());
    server.hello_with_forms();
    server
}

fn ask(server: &mut Lines, id: i64, tool: &str, arguments: &Json) -> Json {
    server.send(&call(id, tool, arguments));
    server.answer(&json!(id))["result"]["structuredContent"].clone()
}

#[test]
fn a_running_server_asks_the_human_first_and_macos_then() {
    let mac = mac(
        &json!({ "default": "unasked", "responsible": GHOSTTY, "answer": { "after": 2500, "allow": true } }),
    );
    let mut server = server(&mac, &["--timeout", "1"]);
    let (mail, mailboxes) = (
        json!({ "action": "consent", "app": "Mail" }),
        json!({ "app": "Mail", "elements": "every mailbox" }),
    );
    server.send(&call(1, "system", &mail));
    let question = server.next();
    assert_eq!(question["method"], "elicitation/create", "{question}");
    let said = question["params"].to_string();
    assert!(said.contains("let macOS ask you now whether") && !said.contains("always"), "{said}");
    for told in ["Ghostty", "until you switch it off"] {
        assert!(said.contains(told), "who gets the access, and for how long: {said}");
    }
    assert_eq!(kept(&mac, "com.apple.mail"), Json::Null, "macOS is not asked before the human agrees");
    let yes = json!({ "action": "accept", "content": { "decision": "once" } });
    server.send(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": yes }));
    let open = server.answer(&json!(1))["result"]["structuredContent"].clone();
    assert_eq!(open["state"], "asking", "the client is answered in time: {open}");
    assert_eq!(
        ask(&mut server, 2, "system", &mail)["state"],
        "asking",
        "and a second call opens no second dialog"
    );
    assert_eq!(
        ask(&mut server, 3, "iac_mcp_get_elements", &mailboxes)["number"],
        -1743,
        "the dialog is still open"
    );
    std::thread::sleep(Duration::from_secs(3));
    assert_eq!(ask(&mut server, 4, "system", &mail)["state"], "allowed");
    assert_eq!(ask(&mut server, 5, "iac_mcp_get_elements", &mailboxes)["count"], 2);
    // The user revokes the consent while the server runs, and gives it again. A process that was refused once would
    // not notice this.
    switch(&mac, "com.apple.mail", "no");
    assert_eq!(ask(&mut server, 6, "iac_mcp_get_elements", &mailboxes)["number"], -1743);
    switch(&mac, "com.apple.mail", "yes");
    assert_eq!(ask(&mut server, 7, "iac_mcp_get_elements", &mailboxes)["count"], 2);
}

#[test]
fn reads_alone_may_ask_too_but_a_rule_may_forbid_it() {
    let mac = mac(&json!({ "default": "unasked", "answer": { "after": 1, "allow": true } }));
    let (ok, answer, said) = on(&mac, &["--read-only", "consent", "Mail"]);
    assert!(ok && answer["state"] == "allowed", "{answer} {said}");
    let rule = r#"rules = [{ app = "com.apple.finder", command = "ask for consent", decision = "deny" }]"#;
    std::fs::create_dir_all(mac.path().join("mac/.iac-mcp")).unwrap();
    std::fs::write(mac.path().join("mac/.iac-mcp/policy.toml"), rule).unwrap();
    let (ok, answer, _) = on(&mac, &["consent", "Finder"]);
    assert!(!ok && answer["error"] == "permission_denied", "{answer}");
    let wrong = on(&mac, &["call", "system", r#"{"action":"status","app":"Mail"}"#]).1;
    assert_eq!(wrong["error"], "invalid_parameter", "only `consent` has an app");
}
