//! Every fault of an app or of `osascript`, for reads, writes and commands: the client gets the right error in time,
//! another app continues at once, and the app itself as soon as possible.

use std::time::{Duration, Instant};

use iac_core::step::Outcome;
use serde_json::{Value as Json, json};
use tokio::task::JoinSet;

use crate::rig::Rig;

/// Most cases only wait, so several run at once.
const AT_ONCE: usize = 4;

/// How much later than its deadline a client may get its answer, by the clock that the deadline itself uses.
const SLACK: Duration = Duration::from_secs(1);

const MAIL: &str = "com.apple.mail";

/// The request of a client.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Ask {
    Read,
    Write,
    Command,
}

/// The result: success, or the code of an error.
type End = Option<&'static str>;

struct Fault {
    name: &'static str,
    effect: fn() -> Json,
    /// Whether the fault affects only the first events, or all of them.
    once: bool,
    read: End,
    change: End,
    /// The state of the app afterwards.
    then: Then,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Then {
    /// The next call works.
    Works,
    /// The next call works after the hanging script was killed.
    Busy,
    /// The next call gets the same error.
    Same,
    /// The app is gone; a command may launch it.
    Gone,
}

const BOTH: fn(End) -> (End, End) = |end| (end, end);

fn faults() -> Vec<Fault> {
    let fault = |name, effect, once, (read, change), then| Fault { name, effect, once, read, change, then };
    let (timeout, denied) = (Some("timeout"), Some("automation_not_authorized"));
    vec![
        fault("hang", || json!({ "hang": null }), true, BOTH(timeout), Then::Busy),
        fault("block", || json!({ "block": 10_000 }), true, BOTH(timeout), Then::Busy),
        fault("slow", || json!({ "slow": 6000 }), true, BOTH(timeout), Then::Works),
        fault(
            "dialog",
            || json!({ "dialog": { "after": 6000, "allow": true } }),
            true,
            BOTH(timeout),
            Then::Works,
        ),
        fault(
            "refused in a dialog",
            || json!({ "dialog": { "after": 100, "allow": false } }),
            false,
            BOTH(denied),
            Then::Same,
        ),
        fault("deny", || json!({ "error": -1743 }), false, BOTH(denied), Then::Same),
        fault("would prompt", || json!({ "error": -1744 }), false, BOTH(denied), Then::Same),
        fault("-609 once", || json!({ "error": -609 }), true, (None, Some("unavailable")), Then::Works),
        fault("-609", || json!({ "error": -609 }), false, BOTH(Some("unavailable")), Then::Same),
        fault("-1712", || json!({ "error": -1712 }), false, BOTH(timeout), Then::Same),
        fault("die", || json!("die"), true, (Some("app_not_running"), Some("unavailable")), Then::Gone),
        fault("crash once", || json!("crash"), true, (None, Some("unavailable")), Then::Works),
        fault("crash", || json!("crash"), false, BOTH(Some("unavailable")), Then::Same),
        fault("flood", || json!({ "flood": 30_000_000 }), true, BOTH(Some("result_too_large")), Then::Works),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn reads() {
    check_all(Ask::Read).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn writes() {
    check_all(Ask::Write).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn commands() {
    check_all(Ask::Command).await;
}

async fn check_all(ask: Ask) {
    let cases =
        [true, false].into_iter().flat_map(|workers| faults().into_iter().map(move |fault| (fault, workers)));
    let mut running = JoinSet::new();
    for (fault, workers) in cases {
        running.spawn(check(fault, ask, workers));
        if running.len() == AT_ONCE {
            running.join_next().await.unwrap().unwrap();
        }
    }
    running.join_all().await;
}

async fn check(fault: Fault, ask: Ask, workers: bool) {
    let name = format!("{}, {ask:?}, {}", fault.name, if workers { "worker" } else { "alone" });
    let (event, expected) = match ask {
        Ask::Read => ("get", fault.read),
        Ask::Write => ("set", fault.change),
        Ask::Command => ("make", fault.change),
    };
    let mut order = json!({ "app": MAIL, "event": event, "do": (fault.effect)() });
    if ask == Ask::Read {
        order["target"] = json!("subject");
    }
    if fault.once {
        order["times"] = json!(1);
    }
    let timed = expected == Some("timeout");
    let timeout = Duration::from_secs(if timed { 4 } else { 30 });
    let linger = Duration::from_secs(7);
    let patience = Duration::from_secs(if fault.then == Then::Busy { 1 } else { 30 });
    let rig = Rig::new(&json!([order]), |settings| {
        settings.workers = workers;
        (settings.timeout, settings.linger, settings.patience) = (timeout, linger, patience);
    });

    let message = message(&rig).await;
    let began = Instant::now();
    let outcome = tokio::time::timeout(timeout + SLACK, change(&rig, ask, &message)).await;
    let outcome = outcome.unwrap_or_else(|_| panic!("{name}: no answer after {:?}", began.elapsed()));
    expect(&name, &outcome, expected);
    if timed && ask != Ask::Read {
        assert_eq!(
            (&outcome.body["outcome"], &outcome.body["retryable"]),
            (&json!("unknown"), &json!(false)),
            "{name}"
        );
    }

    let other = rig
        .call(
            "iac_mcp_get_elements",
            json!({ "app": "Calendar", "container": "application", "elementType": "calendar", "limit": 1 }),
        )
        .await;
    assert!(!other.is_error, "{name}: {}", other.body);

    let next = match fault.then {
        Then::Works => None,
        Then::Same => expected,
        Then::Gone => (ask != Ask::Command).then_some("app_not_running"),
        Then::Busy => {
            expect(&name, &change(&rig, ask, &message).await, Some("app_busy"));
            None
        }
    };
    let mut outcome = change(&rig, ask, &message).await;
    while fault.then == Then::Busy && outcome.is_error && began.elapsed() < Duration::from_secs(100) {
        expect(&name, &outcome, Some("app_busy"));
        tokio::time::sleep(Duration::from_millis(200)).await;
        outcome = change(&rig, ask, &message).await;
    }
    expect(&name, &outcome, next);
    rig.close().await;
}

async fn message(rig: &Rig) -> Json {
    let inbox = json!({ "type": "property", "property": "inbox", "of": "application" });
    let specifier = json!({ "type": "element", "element": "message", "index": 0, "container": inbox });
    rig.ok("iac_mcp_query_object", json!({ "app": "Mail", "specifier": specifier })).await["reference"]["id"]
        .clone()
}

async fn change(rig: &Rig, ask: Ask, message: &Json) -> Outcome {
    match ask {
        Ask::Read => {
            let wanted = json!({ "reference": message, "properties": ["subject"] });
            rig.call("iac_mcp_get_properties", wanted).await
        }
        Ask::Write => {
            let wanted = json!({ "reference": message, "property": "flag index", "value": 3 });
            rig.call("iac_mcp_set_property", wanted).await
        }
        Ask::Command => {
            let arguments = json!({ "new": "mailbox", "withProperties": { "name": "Another" } });
            rig.call(
                "iac_mcp_run_command",
                json!({ "app": "Mail", "command": "make", "arguments": arguments }),
            )
            .await
        }
    }
}

fn expect(name: &str, outcome: &Outcome, end: End) {
    let code = outcome.is_error.then(|| outcome.body["error"].as_str().unwrap());
    assert_eq!(code, end, "{name}: {}", outcome.body);
}
