//! Measures the tasks of the guides, one call each: the calls, Apple events and bytes that a client needs which knows
//! the guides.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use crate::client::Client;
use crate::mac::Mac;
use crate::table::{Row, Target};

/// The guides with their examples. The client tests run the same examples.
const GUIDES: [(&str, &str); 2] = [
    ("the guide to reading", include_str!("../../../docs/query-tools-guide.md")),
    ("the guide to changes", include_str!("../../../docs/changes.md")),
];

pub(crate) fn rows() -> Vec<Row> {
    GUIDES.iter().flat_map(|(name, text)| measured(name, text)).collect()
}

fn measured(name: &str, text: &str) -> [Row; 2] {
    let mac = Mac::new(60, "none");
    mac.trust();
    let mut client = Client::start(&mut mac.server());
    let before = mac.events();
    let mut kept: BTreeMap<String, Json> = BTreeMap::new();
    let (mut calls, mut bytes) = (0, 0);
    for block in text.split("```call\n").skip(1).filter_map(|rest| rest.split("```").next()) {
        let result = play(block, &mut client, &mut kept);
        calls += 1;
        bytes += result["content"][0]["text"].as_str().map_or(0, str::len);
    }
    let (calls, events) = (f64::from(calls), (mac.events() - before) as f64);
    [
        Row::new(
            format!("{name}: {calls} calls, bytes of an answer"),
            bytes as f64 / calls,
            "",
            Target::AtMost(1_500.0),
        )
        .note(format!("{bytes} together")),
        Row::told("Apple events of a call", events / calls, "").note(format!("{events} together")),
    ]
}

/// Runs one example: the tool, its arguments, and lines that name parts of the answer for later calls.
fn play(block: &str, client: &mut Client, kept: &mut BTreeMap<String, Json>) -> Json {
    let (tool, rest) = block.split_once('\n').expect("a tool and its arguments");
    let is_note = |line: &&str| line.starts_with("keeps ") || line.starts_with("shows ");
    let mut arguments: String = rest.lines().filter(|line| !is_note(line)).collect();
    for (name, value) in &*kept {
        arguments = arguments.replace(&format!("\"{name}\""), &value.to_string());
    }
    let result = client.call(tool, &serde_json::from_str(&arguments).expect("arguments"));
    for line in rest.lines().filter_map(|line| line.strip_prefix("keeps ")) {
        let (name, pointer) = line.split_once(' ').expect("a name and where it stands");
        let value = result["structuredContent"].pointer(pointer).expect("the answer holds it");
        kept.insert(name.to_owned(), value.clone());
    }
    result
}
