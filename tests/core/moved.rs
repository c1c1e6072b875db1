//! Objects that only a position identifies: the script checks the object there before it reads or changes anything.

use crate::support::desk::Desk;
use serde_json::{Value as Json, json};

/// Makes the arguments of a call for a reference.
type Arguments = fn(&str) -> Json;

/// The reply of a script that found another object at the position.
const MOVED: &str = r#"{"ok":false,"number":20001,"message":"x","at":"object","events":1}"#;

fn is_moved(outcome: &Json) {
    assert_eq!(outcome["error"], "reference_moved", "{outcome}");
    assert_eq!(outcome["retryable"], false);
}

#[test]
fn a_read_says_that_another_stands_there() {
    let mut desk = Desk::default();
    let twin = desk.twin("file:///a");
    let wanted = json!({ "reference": [twin], "properties": ["name"] });
    let row =
        json!({ "ok": true, "events": 1, "value": [{ "$": "error", "number": 20001, "message": "x" }] });
    let (data, outcome) = desk.call("iac_mcp_get_properties", &wanted, &[&row.to_string()]);
    assert!(
        data["body"]
            .as_str()
            .expect("a text")
            .contains("still(app.desktop.items.at(p[0]), x => x.url(), p[1])")
    );
    assert_eq!(data["rows"], json!([[[1, "file:///a"]]]));
    is_moved(&outcome.body["results"][0]["error"]);
    desk.is_forgotten(&twin);
}

#[test]
fn so_does_whatever_begins_at_it() {
    let cases: [(&str, &str, Arguments); 4] = [
        ("iac_mcp_get_elements", "still(", |id| json!({ "container": id, "elementType": "item" })),
        (
            "iac_mcp_query_object",
            "still(",
            |id| json!({ "app": "Finder", "specifier": { "type": "property", "property": "name", "of": id } }),
        ),
        ("iac_mcp_run_command", "hold(", |id| json!({ "app": "Finder", "command": "reveal", "target": id })),
        ("iac_mcp_get_properties", "still(", |id| json!({ "reference": id })),
    ];
    for (tool, looks, arguments) in cases {
        let mut desk = Desk::default();
        let twin = desk.second("folder", "file:///a");
        let (data, outcome) = desk.call(tool, &arguments(&twin), &[MOVED]);
        assert!(data["body"].as_str().expect("a text").contains(looks), "{tool}: {data}");
        is_moved(&outcome.body);
    }
}

#[test]
fn nothing_is_written_to_a_neighbour() {
    let mut desk = Desk::default();
    let twin = desk.twin("file:///a");
    let change = json!({ "reference": twin, "property": "name", "value": "b" });
    let row =
        json!({ "ok": true, "events": 1, "value": [{ "$": "error", "number": 20001, "message": "x" }] });
    let (data, outcome) = desk.call("iac_mcp_set_property", &change, &[&row.to_string()]);
    assert_eq!(data["rows"][0][0][1], "file:///a", "the mark is looked at next to the write, too: {data}");
    is_moved(&outcome.body);
    desk.is_forgotten(&twin);
}

#[test]
fn what_is_listed_by_place_has_its_mark() {
    let mut desk = Desk::default();
    let desktop = json!({ "type": "property", "property": "desktop", "of": "application" });
    let wanted = json!({ "app": "Finder", "container": desktop, "elementType": "item" });
    let rows =
        json!([["only", 0, []], [null, 1, [], "file:///a"], [null, 2, [], "file:///b"], [null, 3, []]]);
    let reply = json!({ "ok": true, "events": 3, "value": { "total": 4, "scanned": 4, "rows": rows } });
    let (_, first) = desk.call("iac_mcp_get_elements", &wanted, &[&reply.to_string()]);
    let stable: Vec<&Json> = (0..4).map(|at| &first.body["elements"][at]["stable"]).collect();
    assert_eq!(stable, [&Json::Null, &json!(false), &json!(false), &json!(false)]);
    let (_, again) = desk.call("iac_mcp_get_elements", &wanted, &[&reply.to_string()]);
    assert_eq!(first.body["elements"], again.body["elements"], "the same objects have the same ids");
    let other = reply.to_string().replace("file:///a", "file:///c");
    let (_, other) = desk.call("iac_mcp_get_elements", &wanted, &[&other]);
    assert_ne!(
        first.body["elements"][1]["id"], other.body["elements"][1]["id"],
        "another object, another id"
    );
}

#[test]
fn a_container_that_only_its_place_leads_to_is_looked_at_first() {
    let desktop = json!({ "type": "property", "property": "desktop", "of": "application" });
    let folder = json!({ "type": "element", "element": "folder", "index": 1, "container": desktop });
    let calls = [
        ("iac_mcp_get_elements", json!({ "app": "Finder", "container": folder, "elementType": "item" })),
        (
            "iac_mcp_query_object",
            json!({ "app": "Finder", "specifier":
                { "type": "named", "element": "item", "name": "x", "container": folder } }),
        ),
    ];
    let place =
        json!({ "ok": true, "value": { "$": "place", "mark": "file:///a" }, "events": 2 }).to_string();
    let gone =
        json!({ "ok": false, "number": -1719, "message": "x", "at": "object", "events": 1 }).to_string();
    for (tool, arguments) in calls {
        let (data, outcome) = Desk::default().call(tool, &arguments, &[&place, MOVED]);
        let body = data["body"].as_str().expect("a text");
        assert!(body.contains("still(app.desktop.folders.at("), "{tool}: {data}");
        is_moved(&outcome.body);
        assert_eq!(outcome.events, 3);
        let (_, outcome) = Desk::default().call(tool, &arguments, &[&gone]);
        assert_eq!(outcome.body["error"], "reference_invalid", "{}", outcome.body);
    }
}
