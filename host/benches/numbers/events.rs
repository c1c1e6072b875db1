//! Counts the Apple events of a call over 10,000 messages on the simulated Mac, and compares them with one event for
//! each property of each element.

use serde_json::{Value as Json, json};

use crate::client::Client;
use crate::mac::Mac;
use crate::table::{Row, Target};

const PROPERTIES: [&str; 3] = ["subject", "sender", "date received"];

/// A script that reads each property of each message by itself instead of whole columns.
pub(crate) fn one_by_one(messages: usize) -> String {
    format!(
        "(() => {{ const mail = Application('com.apple.mail'), begun = Date.now(), rows = [];
        for (let i = 0; i < {messages}; i++) {{
            const m = mail.inbox.messages[i];
            rows.push([m.subject(), m.sender(), m.dateReceived()]);
        }}
        return JSON.stringify({{ rows: rows.length, ms: Date.now() - begun }}); }})()"
    )
}

pub(crate) fn rows() -> Vec<Row> {
    let mac = Mac::new(10_000, "none");
    let mut client = Client::start(&mut mac.server());
    let inbox = json!({ "type": "property", "property": "inbox", "of": "application" });
    let wanted = json!({ "app": "Mail", "container": inbox, "elementType": "message", "properties": PROPERTIES, "limit": 100 });
    let mut filtered = wanted.clone();
    filtered["where"] = json!({ "and": [
        { "property": "date received", "op": ">=", "value": "2025-06-01" },
        { "property": "read status", "op": "==", "value": false },
        { "property": "sender", "op": "contains", "value": "ana" } ] });
    filtered["sort"] = json!([{ "property": "date received", "order": "desc" }]);
    filtered["limit"] = json!(10);
    filtered["properties"] = json!(["subject", "date received"]);
    let (plain, plain_ms) = counted(&mac, &mut client, &wanted);
    let (sorted, sorted_ms) = counted(&mac, &mut client, &filtered);
    let (naive, peers) = mac.run(&one_by_one(100));
    vec![
        Row::new("events: 100 of 10,000 messages, 3 properties", plain as f64, "", Target::AtMost(5.0))
            .note(format!("{plain_ms:.0} ms of the simulator")),
        Row::told("the same, one event for each property of each", peers as f64, "")
            .note(format!("{} ms of the simulator", naive["ms"])),
        Row::new("events: filtered, sorted, 10 of 10,000", sorted as f64, "", Target::AtMost(6.0))
            .note(format!("{sorted_ms:.0} ms of the simulator")),
        Row::told("the same, one event for each property that is needed", 30_000.0 + 10.0, "")
            .note("reckoned, not run"),
    ]
}

/// Returns the number of Apple events of a call, and its milliseconds.
fn counted(mac: &Mac, client: &mut Client, arguments: &Json) -> (usize, f64) {
    let before = mac.events();
    let result = client.call("iac_mcp_get_elements", arguments);
    assert!(result["structuredContent"]["count"].as_u64().is_some_and(|count| count >= 10), "{result}");
    (mac.events() - before, result["_meta"]["iac-mcp/elapsedMs"].as_f64().unwrap_or(f64::NAN))
}
