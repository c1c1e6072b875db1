//! Checks whether objects still exist: before each use if the operator wants that, or all at once.

use crate::support::desk::Desk;
use iac_core::reference::{Limits, References};
use serde_json::{Value as Json, json};

const NOT_RUNNING: &str = r#"{"ok":false,"number":-600,"message":"not running","at":"running","events":0}"#;

/// A script's report about some objects: an error number for each, or 0.
fn rows(numbers: &[i64]) -> String {
    let row = |number: &i64| match number {
        0 => json!({ "$": "list", "v": ["x"] }),
        20_001 => json!({ "$": "error", "number": number, "message": "x" }),
        number => json!({ "$": "list", "v": [{ "$": "error", "number": number, "message": "x" }] }),
    };
    json!({ "ok": true, "events": 1, "value": numbers.iter().map(row).collect::<Vec<_>>() }).to_string()
}

/// Some notes, and an item that only its position identifies.
fn held(desk: &mut Desk) -> (Vec<String>, String) {
    let elements = json!([["a", 0, []], ["b", 1, []], ["c", 2, []]]);
    let reply = json!({ "ok": true, "events": 1, "value": { "total": 3, "scanned": 3, "rows": elements } });
    let wanted = json!({ "app": "Notes", "container": "application", "elementType": "note" });
    let (_, outcome) = desk.call("iac_mcp_get_elements", &wanted, &[&reply.to_string()]);
    let id = |each: &Json| each["id"].as_str().unwrap().to_owned();
    (outcome.body["elements"].as_array().unwrap().iter().map(id).collect(), desk.twin("file:///a"))
}

#[test]
fn all_at_once_with_the_statistics() {
    let mut desk = Desk::default();
    let (notes, twin) = held(&mut desk);
    let asked = json!({ "validate": true });
    let (_, outcome) =
        desk.call("iac_mcp_get_reference_stats", &asked, &[&rows(&[20_001]), &rows(&[0, -1728, -1700])]);
    let expected = json!({ "valid": 1, "gone": 1, "moved": 1, "unknown": 1 });
    assert_eq!(outcome.body["checked"], expected, "{}", outcome.body);
    assert_eq!((&outcome.body["totalReferences"], outcome.events), (&json!(2), 2));
    assert_eq!(outcome.body["validationFailures"], 2);
    desk.is_forgotten(&twin);
    desk.is_forgotten(&notes[1]);
    let (_, outcome) = desk.call("iac_mcp_get_reference_stats", &asked, &[NOT_RUNNING]);
    assert_eq!(outcome.body["checked"]["unknown"], 2, "an app that does not run says nothing of its objects");
    assert_eq!(outcome.body["totalReferences"], 2);
}

#[test]
fn without_being_asked_nothing_runs() {
    let mut desk = Desk::default();
    held(&mut desk);
    let (_, outcome) = desk.call("iac_mcp_get_reference_stats", &json!({}), &[]);
    assert_eq!((&outcome.body["totalReferences"], &outcome.body["health"]), (&json!(4), &json!("good")));
    assert_eq!(outcome.body.get("checked"), None);
    assert!(outcome.body["memoryBytes"].as_u64().unwrap() > 400, "{}", outcome.body);
}

#[test]
fn before_each_use_where_that_is_wanted() {
    let limits = Limits { validate: true, ..Limits::default() };
    let mut desk = Desk::default();
    desk.references = References::new(limits);
    let (notes, _) = held(&mut desk);
    let wanted = json!({ "reference": notes, "properties": ["name"] });
    let (data, outcome) =
        desk.call("iac_mcp_get_properties", &wanted, &[&rows(&[0, -1728, 0]), &rows(&[0, 0])]);
    assert_eq!(outcome.events, 2);
    assert_eq!(data["rows"].as_array().unwrap().len(), 1, "what is gone is not asked for again: {data}");
    let results = outcome.body["results"].as_array().unwrap();
    let errors: Vec<&Json> = results.iter().map(|each| &each["error"]["error"]).collect();
    assert_eq!(errors, [&Json::Null, &json!("reference_invalid"), &Json::Null]);
    let (_, outcome) = desk.call("iac_mcp_get_properties", &wanted, &[NOT_RUNNING, NOT_RUNNING]);
    assert_eq!(outcome.body["results"][0]["error"]["error"], "app_not_running", "{}", outcome.body);
    let released = json!({ "reference": notes });
    let (_, outcome) = desk.call("iac_mcp_release_reference", &released, &[]);
    assert_eq!(outcome.body["released"], 2);
}

#[test]
fn who_makes_thousands_within_a_minute_is_told_to_give_some_back() {
    let mut desk = Desk::default();
    desk.references = References::new(Limits { most: 1, most_per_app: 1, ..Limits::default() });
    let wanted = json!({ "app": "Notes", "container": "application", "elementType": "note" });
    let list = |desk: &mut Desk, from: u32| {
        let rows: Vec<Json> = (from..from + 300).map(|id| json!([id.to_string(), id, []])).collect();
        let reply =
            json!({ "ok": true, "events": 1, "value": { "total": 300, "scanned": 300, "rows": rows } });
        desk.call("iac_mcp_get_elements", &wanted, &[&reply.to_string()]).1
    };
    let listed: Vec<_> = (0..4).map(|at| list(&mut desk, at * 300)).collect();
    assert!(listed.iter().all(|outcome| !outcome.is_error));
    let refused = list(&mut desk, 1_200);
    assert_eq!(refused.body["error"], "too_many_references", "{}", refused.body);
    let (_, outcome) = desk.call("iac_mcp_release_reference", &json!({ "app": "Notes" }), &[]);
    assert_eq!(outcome.body["released"], 1_200);
    assert!(!list(&mut desk, 1_200).is_error);
}
