//! What this server adds to a call beside the least that rmcp takes, and what a kept process saves.

use std::process::Command;
use std::time::{Duration, Instant};

use iac_core::jxa::probe;
use iac_core::step::Event;
use iac_mcp::osascript::{Kind, Settings, Supervisor};
use serde_json::{Value as Json, json};
use tokio_util::sync::CancellationToken;

use crate::client::Client;
use crate::echo;
use crate::mac::{BINARY, MAIL, Mac};
use crate::table::{Row, Target, median, milliseconds};

/// Calls are measured in turns of so many, so that both see the same machine.
const TURNS: usize = 40;
const CALLS: u64 = 50;

pub(crate) fn rows() -> Vec<Row> {
    let mac = Mac::new(200, "none");
    let mut ours = Client::start(&mut mac.server());
    let own = std::env::current_exe().expect("this program has a path");
    let mut echo = Client::start(Command::new(own).arg(echo::ARGUMENT));
    let arguments = one_message(&mut ours);
    let mut answer = ours.ask("iac_mcp_get_properties", &arguments);
    let before = ran(&mut ours);
    each(&mut ours, "iac_mcp_get_properties", &arguments);
    answer["busy"] = json!(((ran(&mut ours) - before) / CALLS as f64 * 1e3).round());
    let [mut less, mut whole, mut echoed, mut shown, mut scriptless, mut between] =
        [(); 6].map(|()| Vec::new());
    for _ in 0..TURNS {
        scriptless.push(each(&mut ours, "iac_mcp_get_reference_stats", &json!({})));
        let before = ran(&mut ours);
        let all = each(&mut ours, "iac_mcp_get_properties", &arguments);
        whole.push(all);
        less.push(all - (ran(&mut ours) - before) / CALLS as f64);
        echoed.push(each(&mut echo, "echo", &answer));
        let before = waited(&mut echo);
        let all = each(&mut echo, "show", &answer);
        shown.push(all - (waited(&mut echo) - before) / CALLS as f64);
        between
            .push(each_behind(&mut echo, &answer, || drop(ours.call("iac_mcp_get_properties", &arguments))));
    }
    let [less, whole, echoed, shown, scriptless, between] =
        [less, whole, echoed, shown, scriptless, between].map(median);
    let over_echo = |time: f64| format!("{:.2} x", time / echoed);
    vec![
        Row::told("a call of an rmcp server that echoes the same answer", echoed * 1e3, "µs"),
        Row::told("the same, less its wait for a process that is as busy as a script", shown * 1e3, "µs")
            .note(over_echo(shown)),
        Row::told("the echo, each behind a call of this server that runs a script", between * 1e3, "µs")
            .note(over_echo(between)),
        Row::told("a call of this server that needs no script", scriptless * 1e3, "µs")
            .note(over_echo(scriptless)),
        Row::told("a call of this server: three properties of one message", whole * 1e3, "µs"),
        Row::new(
            "that call less its wait on the worker's pipe, over the echo",
            less / echoed,
            "x",
            Target::AtMost(1.3),
        )
        .note(format!("{:.0} µs", less * 1e3)),
    ]
}

/// The same script in a process that is kept, and in one of its own.
pub(crate) fn workers() -> Vec<Row> {
    let mac = Mac::new(200, "none");
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.expect("a runtime");
    let script = probe(MAIL);
    let measure = |workers: bool, rounds: usize| {
        let settings = Settings { workers, ..Settings::simulated(BINARY.as_ref(), &mac.world()) };
        let _inside = runtime.enter();
        let supervisor = Supervisor::new(settings).expect("a supervisor");
        let once = || {
            let event = runtime.block_on(supervisor.run(MAIL, Kind::Read, &script, CancellationToken::new()));
            assert!(matches!(event, Event::Replied(_)), "{event:?}");
        };
        once();
        let time = milliseconds(rounds, once);
        runtime.block_on(supervisor.shutdown());
        time
    };
    let (spawned, kept) = (measure(false, 41), measure(true, 400));
    vec![
        Row::told("a script in a process of its own", spawned, "ms"),
        Row::told("the same script in a process that is kept", kept, "ms"),
        Row::new("how much faster that is", spawned / kept, "x", Target::AtLeast(10.0))
            .note("a real osascript takes 30 to 118 ms to start"),
    ]
}

fn one_message(client: &mut Client) -> Json {
    let inbox = json!({ "type": "property", "property": "inbox", "of": "application" });
    let specifier = json!({ "type": "element", "element": "message", "index": 0, "container": inbox });
    let found = client.ask("iac_mcp_query_object", &json!({ "app": "Mail", "specifier": specifier }));
    let properties = ["subject", "sender", "date received"];
    json!({ "reference": found["reference"]["id"], "properties": properties })
}

/// Milliseconds of each of several calls.
fn each(client: &mut Client, tool: &str, arguments: &Json) -> f64 {
    let line = line(tool, arguments);
    let begun = Instant::now();
    for _ in 0..CALLS {
        assert!(client.exchange(&line) > 100);
    }
    begun.elapsed().as_secs_f64() * 1e3 / CALLS as f64
}

/// Milliseconds of each of several echoes, before each of which something else is done that is not counted.
fn each_behind(echo: &mut Client, answer: &Json, mut behind: impl FnMut()) -> f64 {
    let line = line("echo", answer);
    let mut taken = Duration::ZERO;
    for _ in 0..CALLS {
        behind();
        let begun = Instant::now();
        assert!(echo.exchange(&line) > 100);
        taken += begun.elapsed();
    }
    taken.as_secs_f64() * 1e3 / CALLS as f64
}

fn line(tool: &str, arguments: &Json) -> String {
    let params = json!({ "name": tool, "arguments": arguments });
    json!({ "jsonrpc": "2.0", "id": 0, "method": "tools/call", "params": params }).to_string()
}

/// Milliseconds for which scripts ran so far.
fn ran(client: &mut Client) -> f64 {
    let metrics = client.ask("system", &json!({ "action": "metrics" }));
    metrics["osascript"]["apps"][MAIL]["ran"]["totalMs"].as_f64().expect("a time")
}

/// Milliseconds for which the echo waited for another process so far.
fn waited(echo: &mut Client) -> f64 {
    echo.ask("waited", &json!({}))["waited"].as_f64().unwrap_or_default() * 1e3
}
