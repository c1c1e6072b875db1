//! Questions to the human behind a client while calls are open.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value as Json, json};

use crate::lines::{Lines, call};

/// The maximum number of open questions.
const AT_ONCE: usize = 4;

/// A server whose client supports forms.
fn start() -> Lines {
    let mut server = Lines::start();
    server.hello_with_forms();
    server
}

/// A message of the inbox.
fn message(server: &mut Lines) -> Json {
    let inbox = json!({ "type": "property", "property": "inbox", "of": "application" });
    let asked = json!({ "app": "Mail", "container": inbox, "elementType": "message", "limit": 1 });
    server.send(&call(-1, "iac_mcp_get_elements", &asked));
    server.answer(&json!(-1))["result"]["structuredContent"]["elements"][0]["id"].clone()
}

fn write(id: i64, message: &Json) -> Json {
    let wanted = json!({ "reference": message, "property": "flag index", "value": id % 7 });
    call(id, "iac_mcp_set_property", &wanted)
}

fn say(id: &Json, decision: &str) -> Json {
    let result = json!({ "action": "accept", "content": { "decision": decision } });
    json!({ "jsonrpc": "2.0", "id": id, "result": result })
}

fn is_question(line: &Json) -> bool {
    line["method"] == "elicitation/create"
}

#[test]
fn only_a_handful_of_questions_is_open_at_once() {
    const WRITES: i64 = 300;
    let mut server = start();
    let message = message(&mut server);
    for id in 0..WRITES {
        server.send(&write(id, &message));
    }
    let (mut open, mut answered) = (BTreeSet::new(), BTreeSet::new());
    while open.len() < AT_ONCE {
        take(&server.next(), &mut open, &mut answered);
    }
    server.send(&call(READ, "iac_mcp_list_apps", &json!({ "search": "Mail" })));
    while !answered.contains(&READ) {
        take(&server.next(), &mut open, &mut answered);
    }
    // The human takes time to answer.
    while let Some(line) = server.within(Duration::from_secs(1)) {
        take(&line, &mut open, &mut answered);
    }
    assert_eq!(open.len(), AT_ONCE, "and answered: {answered:?}");
    while answered.len() <= WRITES as usize {
        // Answers one question if others wait, and all questions if no more will come.
        let all_came = answered.len() + open.len() > WRITES as usize;
        while open.len() >= AT_ONCE || (all_came && !open.is_empty()) {
            server.send(&say(&json!(open.pop_first().unwrap()), "deny"));
        }
        take(&server.next(), &mut open, &mut answered);
        assert!(open.len() <= AT_ONCE);
    }
    server.end();
}

/// The id of a call that causes no question.
const READ: i64 = -2;

fn take(line: &Json, open: &mut BTreeSet<i64>, answered: &mut BTreeSet<i64>) {
    let id = line["id"].as_i64().unwrap();
    if is_question(line) {
        open.insert(id)
    } else {
        answered.insert(id)
    };
}

#[test]
fn an_answer_counts_only_with_the_very_id_of_its_question() {
    let mut server = start();
    let message = message(&mut server);
    for (id, decision) in [(1, "once"), (2, "deny")] {
        server.send(&write(id, &message));
        let question = server.next();
        assert!(is_question(&question), "{question}");
        let number = question["id"].as_i64().unwrap();
        for text in [number.to_string(), format!(" {number}"), format!("{number}.0"), format!("0{number}")] {
            server.send(&say(&json!(text), "once"));
            let error = json!({ "code": -1, "message": "x" });
            server.send(&json!({ "jsonrpc": "2.0", "id": text, "error": error }));
        }
        // The question is still open, so this answer counts.
        server.send(&say(&json!(number), decision));
        let answer = server.answer(&json!(id));
        assert_eq!(answer["result"]["isError"], decision == "deny", "{answer}");
    }
    server.end();
}
