//! The planner against every other way: forty queries under the measured cost of Mail with 43,000 messages. Eight of them
//! run each time; `IAC_MCP_ALL=1` runs all.

mod engine;

use serde_json::{Value as Json, json};

/// # Source
/// As in the profile of Mail: measured in public on macOS 27.
const MAIL: &str =
    r#"{"event": 85, "value": 0.017, "text": 0.04, "single": 25, "index": 500, "whose": 1.33}"#;

#[test]
fn no_other_way_is_a_tenth_cheaper() {
    let costs: Json = serde_json::from_str(MAIL).expect("the test's own JSON");
    let world = json!({"app": "com.apple.mail", "count": 43_000, "refuses": [], "drift": 0, "costs": costs});
    let every = if std::env::var_os("IAC_MCP_ALL").is_some() { 1 } else { 5 };
    queries().iter().step_by(every).for_each(|query| check(query, &world));
}

fn check(query: &Json, world: &Json) {
    let clock = |single: Option<f64>| engine::play_at("iac_mcp_get_elements", query, world, single).clock;
    let (chosen, one_by_one, columns) = (clock(None), clock(Some(0.0)), clock(Some(1e9)));
    let best = one_by_one.min(columns);
    assert!(
        chosen <= 1.1 * best,
        "{query}: chose {chosen} ms, one by one {one_by_one} ms, columns {columns} ms"
    );
}

/// Twenty shapes, each with few and with many rows wanted.
fn queries() -> Vec<Json> {
    let properties = [
        json!([]),
        json!(["text"]),
        json!(["text", "n", "when"]),
        json!(["text", "name", "n", "when", "flag"]),
    ];
    let unread = json!({"property": "flag", "op": "==", "value": false});
    let some = json!({"and": [unread, {"property": "text", "op": "contains", "value": "7"}]});
    let shapes =
        [(Json::Null, false), (Json::Null, true), (unread, false), (some.clone(), true), (some, false)];
    let mut queries = Vec::new();
    for (filter, sorted) in &shapes {
        for wanted in &properties {
            for limit in [1, 10, 100, 1_000] {
                let sort = if *sorted { json!([{"property": "when", "order": "desc"}]) } else { json!([]) };
                queries.push(json!({"app": "Shelf", "container": "application", "elementType": "thing", "where": filter,
                    "sort": sort, "properties": wanted, "limit": limit}));
            }
        }
    }
    queries.into_iter().step_by(2).collect()
}
