//! The command line: what it prints where, and how it ends.

use std::process::Stdio;

use serde_json::Value as Json;

use crate::session::Home;

/// What a command did.
struct Ended {
    status: Option<i32>,
    stdout: String,
    stderr: String,
}

async fn run(home: &Home, arguments: &[&str]) -> Ended {
    let output = home.command(arguments).stdin(Stdio::null()).output().await.unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Ended { status: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

/// Runs a command and checks its exit status, and a part of what it prints: on stdout if it ends well, else on stderr.
async fn check(arguments: &[&str], status: i32, part: &str) {
    let ended = run(&Home::new(), arguments).await;
    let Ended { stdout, stderr, .. } = &ended;
    assert_eq!(ended.status, Some(status), "{arguments:?}: {stderr}");
    let (said, silent) = if status == 0 { (stdout, stderr) } else { (stderr, stdout) };
    assert!(said.contains(part), "{arguments:?}: {part:?} is not in {said}");
    assert_eq!(silent, "", "{arguments:?}");
    assert!(!said.contains('\u{1b}'), "{arguments:?}: colours where nobody sees them");
}

#[tokio::test]
async fn commands_for_people() {
    check(&["--version"], 0, env!("CARGO_PKG_VERSION")).await;
    check(&["help"], 0, "describe").await;
    check(&["apps", "--simulated"], 0, "com.apple.mail").await;
    check(&["--simulated", "apps", "finder"], 0, "Finder").await;
    check(&["tools"], 0, "iac_mcp_query_object").await;
    check(&["tools", "Mail", "--simulated"], 0, "mail_send").await;
    check(&["describe", "Mail", "--simulated"], 0, "outgoing message").await;
    check(&["describe", "Mail", "message", "--simulated"], 0, "dateReceived").await;
    check(&["describe", "Mail", "save options", "--simulated"], 0, "enumeration").await;
    check(&["describe", "com.apple.mail", "check for new mail", "--simulated"], 0, "command").await;
    check(&["lint", "Finder", "--simulated"], 0, "warnings").await;
    check(&["call", "iac_mcp_get_reference_stats", "--simulated"], 0, "totalReferences").await;
}

#[tokio::test]
async fn misuse_is_told_from_failure() {
    check(&["no-such-command"], 2, "no-such-command").await;
    check(&["apps", "--no-such-option"], 2, "--no-such-option").await;
    check(&["call", "no_such_tool", "--simulated"], 2, "iac_mcp_list_apps").await;
    check(&["call", "system", "[]", "--simulated"], 2, "JSON object").await;
    check(&["serve", "--simulated", "--timeout", "0"], 2, "--timeout").await;
    check(&["serve", "--world", "/no/such/folder"], 2, "mac.json").await;
    check(&["describe", "No Such App", "--simulated"], 1, "No Such App").await;
    check(&["describe", "Mail", "mesage", "--simulated"], 1, "similar terms: message").await;
    check(&["describe", "/no/such/file.sdef"], 1, "/no/such/file.sdef").await;
}

#[tokio::test]
async fn a_tool_that_fails_prints_its_error_and_fails() {
    let ended = run(&Home::new(), &["call", "iac_mcp_describe_app", "--json", "--simulated"]).await;
    assert_eq!(ended.status, Some(1));
    let error: Json = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(error["error"], "invalid_parameter");
}

#[tokio::test]
async fn json_is_json() {
    let home = Home::new();
    let cases: [&[&str]; 6] = [
        &["apps", "--json", "--simulated"],
        &["tools", "--json"],
        &["tools", "Finder", "--json", "--simulated"],
        &["describe", "Mail", "--json", "--simulated"],
        &["describe", "Mail", "message", "--json", "--simulated"],
        &["lint", "Mail", "--json", "--simulated"],
    ];
    for arguments in cases {
        let ended = run(&home, arguments).await;
        assert_eq!(ended.status, Some(0), "{arguments:?}: {}", ended.stderr);
        serde_json::from_str::<Json>(&ended.stdout).unwrap_or_else(|error| panic!("{arguments:?}: {error}"));
    }
}

#[tokio::test]
async fn a_hostile_dictionary_is_described_as_far_as_it_goes() {
    let home = Home::new();
    let bomb = "<!DOCTYPE d [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;&a;&a;\">]><dictionary><suite name=\"&b;\" code=\"x\"/>";
    let large = format!("<dictionary>{}</dictionary>", "<suite name=\"s\" code=\"suit\"/>".repeat(1_700_000));
    for (name, text) in
        [("bomb", bomb), ("large", large.as_str()), ("empty", ""), ("cut", "<dictionary><suite")]
    {
        let path = home.path().join(format!("{name}.sdef"));
        std::fs::write(&path, text).unwrap();
        let ended = run(&home, &["describe", path.to_str().unwrap(), "--json"]).await;
        assert_eq!(ended.status, Some(0), "{name}: {}", ended.stderr);
        let described: Json = serde_json::from_str(&ended.stdout).unwrap();
        assert!(!described["problems"].as_array().unwrap().is_empty(), "{name}");
    }
}

/// The demo's words are made of the answers; here they are compared with what the answers say.
#[tokio::test]
async fn the_demo_answers_three_questions() {
    let ended = run(&Home::new(), &["demo", "--json"]).await;
    assert_eq!(ended.status, Some(0), "{}", ended.stderr);
    let told: Vec<Json> = serde_json::from_str(&ended.stdout).unwrap();
    let questions = told.iter().filter(|each| each.get("question").is_some()).count();
    let answers: Vec<&Json> = told.iter().filter(|each| each.get("lines").is_some()).collect();
    assert_eq!((questions, answers.len()), (3, 3));
    let calls: Vec<&Json> = told.iter().filter(|each| each.get("tool").is_some()).collect();
    assert!(calls.iter().all(|call| call["isError"] == false && call["events"].is_u64()), "{told:?}");
    let [mail, files, week] = calls[..] else { panic!("{} calls", calls.len()) };
    let subject = mail["answer"]["elements"][0]["properties"]["subject"].as_str().unwrap();
    assert!(answers[0]["answer"].as_str().unwrap().contains(subject), "{}", answers[0]);
    let count = files["answer"]["count"].to_string();
    assert!(answers[1]["answer"].as_str().unwrap().contains(&count), "{}", answers[1]);
    let lines = answers[2]["lines"].as_array().unwrap().len();
    assert_eq!(lines as u64, week["answer"]["count"].as_u64().unwrap());
    let shown = run(&Home::new(), &["demo"]).await;
    assert_eq!(shown.status, Some(0), "{}", shown.stderr);
    assert!(shown.stdout.contains(subject) && !shown.stdout.contains('\u{1b}'), "{}", shown.stdout);
}

#[tokio::test]
async fn a_simulated_mac_leaves_nothing_behind() {
    let home = Home::new();
    run(&home, &["apps", "--simulated"]).await;
    let left = std::fs::read_dir(home.path().join("iac-mcp/macs")).unwrap().count();
    assert_eq!(left, 0);
}
