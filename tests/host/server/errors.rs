//! Errors and their messages.

use serde_json::{Value as Json, json};

use crate::session::{Home, Session, modes};

fn named(element: &str, name: &str) -> Json {
    json!({ "type": "named", "element": element, "name": name, "container": "application" })
}

/// Checks the parts that every error has, and returns it.
fn shaped(error: Json, code: &str) -> Json {
    assert_eq!(error["error"], code, "{error}");
    for text in ["message", "suggestion"] {
        let text = error[text].as_str().unwrap_or_else(|| panic!("{error}"));
        assert!(!text.is_empty() && !text.ends_with('.') && !text.starts_with(char::is_uppercase), "{error}");
    }
    assert!(error["retryable"].is_boolean(), "{error}");
    error
}

#[tokio::test]
async fn an_object_that_is_not_there_is_an_error_with_near_names() {
    let session = Session::new().await;
    let query = json!({ "app": "Mail", "specifier": named("mailbox", "inbx") });
    let error = session.err("iac_mcp_query_object", query).await;
    assert_eq!(error["error"], "reference_invalid", "{error}");
    assert!(error["message"].as_str().unwrap().contains("inbx"), "{error}");
    let near: Vec<&str> =
        error["near"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    assert!(near.contains(&"inbox"), "{error}");
}

#[tokio::test]
async fn names_that_are_not_in_the_dictionary_are_errors_with_near_names() {
    let session = Session::new().await;
    let property = json!({ "type": "property", "property": "inbocks", "of": "application" });
    let cases = [
        ("unknown_app", json!({ "app": "Mial", "specifier": "application" }), "Mail"),
        ("unknown_element", json!({ "app": "Mail", "specifier": named("mailbocks", "x") }), "mailbox"),
        ("unknown_property", json!({ "app": "Mail", "specifier": property }), "inbox"),
    ];
    for (code, query, near) in cases {
        let error = shaped_loosely(session.err("iac_mcp_query_object", query).await, code);
        assert!(error["near"].as_array().unwrap().contains(&json!(near)), "{error}");
    }
}

/// A message may begin with a capital letter if it begins with a name.
fn shaped_loosely(error: Json, code: &str) -> Json {
    assert_eq!(error["error"], code, "{error}");
    assert!(
        error["message"].is_string() && error["suggestion"].is_string() && error["retryable"].is_boolean()
    );
    error
}

#[tokio::test]
async fn a_reference_that_was_never_issued_has_the_shape_of_the_contract() {
    let session = Session::new().await;
    let reference = "ref_aaaaaaaaaaaaaaaa";
    let error = shaped(
        session.err("iac_mcp_get_properties", json!({ "reference": reference })).await,
        "reference_invalid",
    );
    let fields: Vec<&str> = error.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(fields, ["error", "message", "suggestion", "retryable", "reference"]);
    assert_eq!((&error["retryable"], &error["reference"]), (&json!(false), &json!(reference)));
    let elements = json!({ "container": reference, "elementType": "message" });
    shaped(session.err("iac_mcp_get_elements", elements).await, "reference_invalid");
    let both = session.ok("iac_mcp_get_properties", json!({ "reference": [reference] })).await;
    assert_eq!(both["results"][0]["error"]["error"], "reference_invalid", "{both}");
}

#[tokio::test]
async fn a_reference_is_gone_once_released() {
    let session = Session::new().await;
    let query = json!({ "app": "Mail", "specifier": named("mailbox", "inbox") });
    let reference = session.ok("iac_mcp_query_object", query).await["reference"]["id"].clone();
    let released = session.ok("iac_mcp_release_reference", json!({ "reference": reference })).await;
    assert_eq!(released["released"], 1);
    shaped(
        session.err("iac_mcp_get_properties", json!({ "reference": reference })).await,
        "reference_invalid",
    );
}

#[tokio::test]
async fn a_reference_to_a_place_is_gone_when_its_time_has_passed() {
    let (_, mode) = modes().into_iter().next().unwrap();
    let session = Session::start(mode, &["--ref-ttl", "1000"]).await;
    let attendees = "every attendee of every event of every calendar";
    let list = json!({ "app": "Calendar", "elements": attendees, "limit": 1 });
    let reference = session.ok("iac_mcp_get_elements", list).await["elements"][0]["id"].clone();
    tokio::time::sleep(std::time::Duration::from_millis(1_100)).await;
    shaped(
        session.err("iac_mcp_get_properties", json!({ "reference": reference })).await,
        "reference_invalid",
    );
}

#[tokio::test]
async fn a_read_does_not_launch_an_app() {
    let session = Session::new().await;
    let apps = session.ok("iac_mcp_list_apps", json!({ "search": "contacts" })).await;
    assert_eq!(apps["apps"][0]["running"], false, "{apps}");
    let person = json!({ "type": "element", "element": "person", "index": 0, "container": "application" });
    let error = session.err("iac_mcp_query_object", json!({ "app": "Contacts", "specifier": person })).await;
    assert_eq!(shaped_loosely(error, "app_not_running")["retryable"], true);
    let elements = json!({ "app": "Contacts", "container": "application", "elementType": "person" });
    shaped_loosely(session.err("iac_mcp_get_elements", elements).await, "app_not_running");
    let events = session.trace();
    let sent: Vec<_> = events.iter().filter(|event| event.app == "com.apple.AddressBook").collect();
    assert!(sent.iter().all(|event| event.event == "running"), "{sent:?}");
    let apps = session.ok("iac_mcp_list_apps", json!({ "search": "contacts" })).await;
    assert_eq!(apps["apps"][0]["running"], false, "{apps}");
}

#[tokio::test]
async fn a_named_element_that_is_a_property_says_so() {
    let session = Session::new().await;
    let query = json!({ "app": "Mail", "specifier": named("mailbox", "inbox") });
    let found = session.ok("iac_mcp_query_object", query).await;
    assert_eq!(found["resolvedAs"], "inbox", "{found}");
    assert_eq!(found["reference"]["type"], "mailbox", "{found}");
}

#[tokio::test]
async fn wrong_arguments_are_errors_of_the_tool() {
    let session = Session::new().await;
    let cases = [
        ("iac_mcp_query_object", json!({ "app": "Mail" }), "specifier"),
        ("iac_mcp_query_object", json!({ "app": 1, "specifier": "application" }), "app"),
        ("iac_mcp_get_properties", json!({ "reference": 5 }), "reference"),
        ("iac_mcp_list_apps", json!({ "serach": "mail" }), "serach"),
        ("iac_mcp_get_reference_stats", json!({ "app": "Mail" }), "app"),
        ("system", json!({ "do": "version" }), "do"),
    ];
    for (tool, arguments, parameter) in cases {
        let error = shaped_loosely(session.err(tool, arguments).await, "invalid_parameter");
        assert_eq!(error["parameter"], parameter, "{error}");
    }
    assert!(session.trace().is_empty(), "nothing ran");
}

/// A Mac with a broken `osascript`, and the expected message.
async fn broken(osascript: &str, code: &str) {
    let (_, mode) = modes().into_iter().next().unwrap();
    let session = Session::start(mode, &["--osascript", osascript, "--timeout", "5"]).await;
    let query = json!({ "app": "Mail", "specifier": named("mailbox", "inbox") });
    shaped_loosely(session.err("iac_mcp_query_object", query).await, code);
    session.ok("iac_mcp_get_reference_stats", json!({})).await;
}

#[tokio::test]
async fn a_broken_osascript_is_an_answer_too() {
    broken("/no/such/program", "unavailable").await;
    broken("/bin/sh -c 'echo nonsense; cat >/dev/null'", "unavailable").await;
    broken("/bin/sh -c 'cat >/dev/null; sleep 20'", "timeout").await;
}

#[tokio::test]
async fn without_a_mac_it_says_what_to_do() {
    if std::env::consts::OS == "macos" {
        return;
    }
    let home = Home::new();
    for arguments in [&["serve"][..], &["apps"], &[]] {
        let output = home.command(arguments).stdin(std::process::Stdio::null()).output().await.unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("--simulated"), "{arguments:?}");
    }
}

#[tokio::test]
async fn the_script_is_shown_only_to_whoever_debugs() {
    let query = json!({ "app": "Mail", "specifier": named("mailbox", "nowhere at all") });
    for (more, shown) in [(&[][..], false), (&["--debug"], true)] {
        let (_, mode) = modes().into_iter().next().unwrap();
        let session = Session::start(mode, more).await;
        let error = session.err("iac_mcp_query_object", query.clone()).await;
        assert_eq!(error.get("jxaCode").is_some(), shown, "{error}");
        assert!(
            !error["jxaCode"].as_str().unwrap_or_default().contains("nowhere at all"),
            "data is not code"
        );
    }
}
