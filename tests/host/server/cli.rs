//! The command line: what it prints to each stream, and its exit status.

use std::process::Stdio;

use serde_json::Value as Json;

use crate::session::Home;

/// The result of a command.
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

/// Runs a command and checks its exit status and a part of its output: on stdout if it succeeds, otherwise on stderr.
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

/// With `--json` an error is an object on stdout too, for every kind of error.
#[tokio::test]
async fn programs_read_errors_as_json() {
    for (arguments, status, kind, part) in [
        (&["describe", "Mial", "--simulated"][..], 1, "failed", "did you mean \"Mail\""),
        (&["aps"], 2, "misuse", "unrecognized subcommand 'aps'"),
        (&["serve", "--world", "/no/such/folder"], 2, "misuse", "/no/such/folder"),
    ] {
        let ended = run(&Home::new(), &[arguments, &["--json"]].concat()).await;
        assert_eq!((ended.status, ended.stderr.as_str()), (Some(status), ""), "{arguments:?}");
        let said: Json = serde_json::from_str(&ended.stdout).unwrap();
        assert_eq!(said["error"], kind, "{arguments:?}");
        let told = format!("{} {}", said["message"], said["suggestion"]).replace("\\\"", "\"");
        assert!(told.contains(part), "{said}");
    }
}

#[tokio::test]
async fn the_help_can_be_installed() {
    check(&["completions", "zsh"], 0, "#compdef iac-mcp").await;
    let home = Home::new();
    let folder = home.path().to_str().unwrap();
    assert_eq!(run(&home, &["man", folder]).await.status, Some(0));
    let page = std::fs::read_to_string(home.path().join("iac-mcp-call.1")).unwrap();
    assert!(page.contains("Examples:"), "{page}");
}

/// Each example of the help works as written, in a shell and on the simulated Mac.
#[tokio::test]
async fn the_examples_of_the_help_work() {
    let home = Home::new();
    let world = home.path().join("world");
    assert_eq!(run(&home, &["sim", "new", world.to_str().unwrap()]).await.status, Some(0));
    let first = run(&home, &["--help"]).await.stdout;
    let commands =
        first.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let names: Vec<&str> = commands
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .collect();
    let mut count = 0;
    for name in [""].iter().chain(&names) {
        let arguments: Vec<&str> = name.split_whitespace().chain(["--help"]).collect();
        let page = run(&home, &arguments).await.stdout;
        let examples = page.lines().skip_while(|line| *line != "Examples:").skip(1);
        for line in examples.take_while(|line| !line.is_empty()).filter(|line| !line.trim().starts_with('#'))
        {
            let line = line.trim().replace("iac-mcp ", &format!("{} ", env!("CARGO_BIN_EXE_iac-mcp")));
            let mut shell = tokio::process::Command::new("sh");
            shell
                .args(["-c", &line])
                .current_dir(home.path())
                .env("IAC_MCP_WORLD", &world)
                .env("HOME", home.path());
            shell.env("XDG_STATE_HOME", home.path()).env("XDG_CACHE_HOME", home.path());
            let ended = shell.stdin(Stdio::null()).output().await.unwrap();
            assert!(ended.status.success(), "{line}: {}", String::from_utf8_lossy(&ended.stderr));
            count += 1;
        }
    }
    assert!(count > 15 && names.len() > 12, "{count} examples of {names:?}");
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

/// The demo takes its text from the answers; this compares the text with the answers.
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
