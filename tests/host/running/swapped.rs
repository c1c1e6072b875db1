//! Another object has the id when the app comes back.

use std::time::Duration;

use serde_json::{Value as Json, json};

use crate::rig::Rig;

const DATA: &str = "data/com.apple.mail.json";

async fn property(rig: &Rig, message: &Json, name: &str) -> Json {
    let wanted = json!({ "reference": message, "properties": [name] });
    rig.ok("iac_mcp_get_properties", wanted).await["properties"][name].clone()
}

async fn message(rig: &Rig, id: &Json) -> Json {
    let inbox = json!({ "type": "property", "property": "inbox", "of": "application" });
    let specifier = match id {
        Json::Null => json!({ "type": "element", "element": "message", "index": 0, "container": inbox }),
        id => json!({ "type": "id", "element": "message", "id": id, "container": inbox }),
    };
    rig.ok("iac_mcp_query_object", json!({ "app": "Mail", "specifier": specifier })).await["reference"]["id"]
        .clone()
}

/// Exchanges the ids of two messages, as Mail may do when it rebuilds its index.
fn swap(rig: &Rig, one: &Json, other: &Json) {
    let path = rig.mac.path().join(DATA);
    let text = std::fs::read_to_string(&path).unwrap();
    let [one, other] = [one, other].map(|id| format!("\"id\": {id}, \"subject\""));
    assert!([&one, &other].iter().all(|id| text.matches(id.as_str()).count() == 1), "{one} {other}");
    let swapped = text.replace(&one, "ONE").replace(&other, &one).replace("ONE", &other);
    std::fs::write(path, swapped).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_write_behind_one_that_timed_out_does_not_meet_another_object() {
    let hangs = json!({ "app": "com.apple.mail", "event": "set", "target": "read status", "times": 1, "do": { "hang": null } });
    let rig = Rig::new(&json!([hangs]), |settings| {
        (settings.timeout, settings.linger) = (Duration::from_secs(3), Duration::from_secs(4));
        settings.patience = Duration::from_secs(30);
    });
    let meant = message(&rig, &Json::Null).await;
    let id = property(&rig, &meant, "id").await;
    let inbox = json!({ "type": "property", "property": "inbox", "of": "application" });
    let all = json!({ "app": "Mail", "container": inbox, "elementType": "message", "properties": ["id"], "limit": 2 });
    let listed = rig.ok("iac_mcp_get_elements", all).await;
    let other_id = listed["elements"][1]["properties"]["id"].clone();
    let set =
        |property: &str, value: Json| json!({ "reference": meant, "property": property, "value": value });
    rig.ok("iac_mcp_set_property", set("flag index", json!(1))).await;

    let timed_out = rig.call("iac_mcp_set_property", set("read status", json!(false))).await;
    assert_eq!(
        (&timed_out.body["error"], &timed_out.body["outcome"]),
        (&json!("timeout"), &json!("unknown")),
        "{}",
        timed_out.body
    );
    swap(&rig, &id, &other_id);

    let refused = rig.call("iac_mcp_set_property", set("flag index", json!(3))).await;
    assert_eq!(refused.body["error"], "reference_moved", "{}", refused.body);
    let neighbour = message(&rig, &id).await;
    assert_eq!(property(&rig, &neighbour, "flag index").await, -1, "a neighbour is not touched");
    let moved = message(&rig, &other_id).await;
    assert_eq!(property(&rig, &moved, "flag index").await, 1, "nor what was meant");
    rig.close().await;
}
