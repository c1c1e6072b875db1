//! Measures calls with the latency that Mail had with 43,000 messages on a real Mac. The simulated app waits that
//! long.

use serde_json::{Value as Json, json};

use crate::client::Client;
use crate::events::one_by_one;
use crate::mac::Mac;
use crate::table::{Row, Target, median, quantile};

const MESSAGES: usize = 43_000;
const PROPERTIES: [&str; 3] = ["subject", "sender", "date received"];

pub(crate) fn rows() -> Vec<Row> {
    let mac = Mac::new(MESSAGES, "mac");
    let mut client = Client::start(&mut mac.server());
    let inbox = json!({ "type": "property", "property": "inbox", "of": "application" });
    let query = |specifier: &Json| json!({ "app": "Mail", "specifier": specifier });
    // Starts the worker, which loads its world.
    client.ask("iac_mcp_query_object", &query(&inbox));
    let elements = json!({ "app": "Mail", "container": inbox, "elementType": "message", "limit": 100 });
    let found = client.ask("iac_mcp_get_elements", &elements);
    let ids: Vec<&Json> = (0..10).map(|at| &found["elements"][at]["id"]).collect();

    let by_place =
        |at: usize| json!({ "type": "element", "element": "message", "index": at, "container": inbox });
    let queries = [vec![inbox.clone(); 8], (0..3).map(by_place).collect()].concat();
    let queried =
        queries.iter().map(|each| elapsed(&mut client, "iac_mcp_query_object", &query(each))).collect();
    let one = json!({ "reference": ids[0], "properties": PROPERTIES });
    let read = (0..9).map(|_| elapsed(&mut client, "iac_mcp_get_properties", &one)).collect();
    let listed = (0..3).map(|_| elapsed(&mut client, "iac_mcp_get_elements", &elements)).collect();
    let mut rows = vec![
        Row::new(
            "Mail with 43,000 messages: query, 90th percentile",
            quantile(queried, 0.9),
            "ms",
            Target::AtMost(1000.0),
        )
        .note("objects by property and by place"),
        Row::new("three properties of one message", median(read), "ms", Target::AtMost(500.0)),
        Row::new("100 elements", median(listed), "ms", Target::AtMost(2000.0)),
    ];
    rows.extend(with_columns(&mac, &mut client, elements));
    rows.extend(batch(&mac, &mut client, &ids));
    rows
}

/// Measures 100 elements with their properties. Most of the time is the app's own.
fn with_columns(mac: &Mac, client: &mut Client, mut elements: Json) -> Vec<Row> {
    elements["properties"] = json!(PROPERTIES);
    let ours = elapsed(client, "iac_mcp_get_elements", &elements);
    let (columns, _) = mac.run(&columns());
    let needed = columns["ms"].as_f64().unwrap_or(f64::NAN);
    let (few, events) = mac.run(&one_by_one(4));
    let peers = few["ms"].as_f64().unwrap_or(f64::NAN) * 25.0;
    vec![
        Row::told("100 elements with three properties", ours, "ms")
            .note(format!("the ids and these columns alone take the app {needed:.0} ms")),
        Row::told("the same, one event for each property of each", peers, "ms")
            .note(format!("25 x what 4 messages took, {events} events by place")),
    ]
}

/// Measures ten references, compared with both ways to read them in a script.
fn batch(mac: &Mac, client: &mut Client, ids: &[&Json]) -> Vec<Row> {
    let ours = json!({ "reference": ids, "properties": PROPERTIES });
    let ours = median((0..3).map(|_| elapsed(client, "iac_mcp_get_properties", &ours)).collect());
    let (columns, _) = mac.run(&columns());
    let (by_id, _) = mac.run(&by_id(10));
    let time = |answer: &Json| answer["ms"].as_f64().unwrap_or(f64::NAN);
    let (columns, by_id) = (time(&columns), time(&by_id));
    vec![
        Row::new(
            "10 references, 3 properties, over the cheaper way",
            ours / columns.min(by_id),
            "x",
            Target::AtMost(1.1),
        )
        .note(format!("{ours:.0} ms; by id {by_id:.0} ms, columns {columns:.0} ms")),
    ]
}

/// Returns the milliseconds that a call took, as the server reports.
fn elapsed(client: &mut Client, tool: &str, arguments: &Json) -> f64 {
    client.call(tool, arguments)["_meta"]["iac-mcp/elapsedMs"].as_f64().expect("a time")
}

fn columns() -> String {
    "(() => { const messages = Application('com.apple.mail').inbox.messages, begun = Date.now();
    const all = [messages.id(), messages.subject(), messages.sender(), messages.dateReceived(), messages.id()];
    return JSON.stringify({ rows: all[0].length, ms: Date.now() - begun }); })()"
        .to_owned()
}

fn by_id(count: usize) -> String {
    format!(
        "(() => {{ const messages = Application('com.apple.mail').inbox.messages;
        const ids = messages.id().slice(0, {count}), begun = Date.now();
        const rows = ids.map(id => {{ const m = messages.byId(id); return [m.subject(), m.sender(), m.dateReceived()]; }});
        return JSON.stringify({{ rows: rows.length, ms: Date.now() - begun }}); }})()"
    )
}
