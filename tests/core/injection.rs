//! Data never becomes code: any text goes through the generated script and a real engine, and comes back unchanged.

use proptest::prelude::*;
use serde_json::{Value as Json, json};

use crate::engine;

/// A text of any characters, including those that have broken out of literals before.
fn any_text() -> impl Strategy<Value = String> {
    let nasty = prop::sample::select(vec![
        "\"", "'", "`", "\\", "${", "}", "\n", "\r", "\u{2028}", "\u{2029}", "\0", "*/", "//", "</script>",
        "__proto__", "\\u0022", "x-coredata://", "); deleteAll(", "\u{feff}", "\u{202e}", "😀",
    ]);
    prop_oneof![any::<String>(), prop::collection::vec(nasty, 0..8).prop_map(|parts| parts.concat())]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn a_name_reaches_the_app_unchanged_and_nothing_else_happens(name in any_text()) {
        let specifier = json!({"type": "named", "element": "box", "name": name, "container": "application"});
        let played = engine::play("iac_mcp_query_object", &json!({"app": "Shelf", "specifier": specifier}), &world(json!([])));
        prop_assert!(!played.outcome.is_error, "{}", played.outcome.body);
        prop_assert_eq!(&played.seen, &json!(["test.shelf", name]));
        prop_assert_eq!(&played.globals, &json!(["iacApplications"]));
        prop_assert_eq!(played.events, 1);
    }

    #[test]
    fn a_value_comes_back_equal(text in any_text(), body in any_text()) {
        let rows = json!([{"id": 1, "name": text, "n": 1, "text": text, "when": null, "flag": true, "body": body}]);
        let call = json!({"app": "Shelf", "container": "application", "elementType": "thing", "properties": ["text", "body"],
            "where": {"property": "text", "op": "==", "value": text}, "textLimit": 200_000});
        let played = engine::play("iac_mcp_get_elements", &call, &world(rows));
        prop_assert_eq!(&played.outcome.body["elements"][0]["properties"], &json!({"text": text, "body": body}));
    }

    #[test]
    fn no_value_is_in_the_code(name in any_text(), value in any_text()) {
        let codes = codes_with(&name, &value);
        prop_assert!(codes.len() >= 2, "both calls ran a script");
        prop_assert_eq!(codes, codes_with("a", "b"));
    }
}

/// The code of every script for a named object and a filtered list.
fn codes_with(name: &str, value: &str) -> Vec<String> {
    let call = json!({"app": "Shelf", "container": "application", "elementType": "thing", "properties": ["text"],
        "where": {"property": "text", "op": "==", "value": value}});
    let query = json!({"app": "Shelf", "specifier": {"type": "named", "element": "box", "name": name, "container": "application"}});
    let played = [("iac_mcp_get_elements", call), ("iac_mcp_query_object", query)]
        .map(|(tool, call)| engine::play(tool, &call, &world(json!([]))).codes);
    played.concat()
}

#[test]
fn lone_surrogates_become_replacement_characters() {
    let played = with_text(r#"[{"id":1,"name":"a","text":"x\ud800y\udc00\ud83d\ude00"}]"#);
    assert_eq!(played["elements"][0]["properties"]["text"], "x\u{fffd}y\u{fffd}😀");
}

#[test]
fn a_record_may_have_the_key_proto() {
    let played = with_text(r#"[{"id":1,"name":"a","text":{"__proto__":1,"constructor":"x"}}]"#);
    assert_eq!(
        played["elements"][0]["properties"]["text"].to_string(),
        r#"{"__proto__":1,"constructor":"x"}"#
    );
}

#[test]
fn a_text_is_cut_between_code_points() {
    let rows = json!([{"id": 1, "name": "a", "text": "😀😀😀😀"}]);
    let call = json!({"app": "Shelf", "container": "application", "elementType": "thing", "properties": ["text"], "textOffset": 1, "textLimit": 2});
    let body = engine::play("iac_mcp_get_elements", &call, &world(rows)).outcome.body;
    assert_eq!(body["elements"][0]["properties"]["text"], "😀😀");
    assert_eq!(body["elements"][0]["cut"]["text"], json!({"from": 1, "to": 3, "total": 4}));
}

#[test]
fn an_id_is_never_cut() {
    let rows = json!([{"id": "x-coredata://long/id", "name": "a", "text": "long text"}]);
    let call = json!({"app": "Shelf", "container": "application", "elementType": "thing", "properties": ["text"], "textOffset": 2, "textLimit": 2});
    let played = engine::play("iac_mcp_get_elements", &call, &world(rows));
    assert_eq!(played.outcome.body["elements"][0]["properties"]["text"], "ng");
    assert_eq!(played.specifiers[0]["id"], "x-coredata://long/id");
}

/// Reads `text` from rows that are written as JSON in JavaScript, where a lone surrogate is possible.
fn with_text(rows: &str) -> Json {
    let call =
        json!({"app": "Shelf", "container": "application", "elementType": "thing", "properties": ["text"]});
    let world = json!({"rows": [], "refuses": [], "drift": 0, "source": rows});
    engine::play("iac_mcp_get_elements", &call, &world).outcome.body
}

fn world(rows: Json) -> Json {
    json!({"rows": rows, "refuses": [], "drift": 0})
}
