//! Measures the time that this server adds to a call, compared with the minimum that rmcp takes, and the time that a
//! worker saves.

use std::process::Command;
use std::time::{Duration, Instant};

use iac_core::jxa::Script;
use iac_core::step::Event;
use iac_osascript::{Kind, Settings, Supervisor};
use serde_json::{Value as Json, json};
use tokio_util::sync::CancellationToken;

use crate::client::{Client, Over};
use crate::echo;
use crate::mac::{BINARY, MAIL, Mac};
use crate::table::{Row, Target, median, milliseconds};

/// How many turns and how many calls in each. This server and the echo take turns, so that both see the machine in
/// the same state.
const TURNS: usize = 40;
const CALLS: u64 = 50;

pub(crate) fn rows() -> Vec<Row> {
    // Two servers of one Mac would wait for each other's turns.
    let macs = [(); 2].map(|()| Mac::new(200, "none"));
    let ways = [
        (Over::Sockets, "over sockets, as from Node's clients:"),
        (Over::Pipes, "over pipes, where rmcp needs no threads:"),
    ];
    let mut all: Vec<_> = ways.iter().zip(&macs).map(|((over, _), mac)| Sides::start(*over, mac)).collect();
    for _ in 0..TURNS {
        all.iter_mut().for_each(Sides::turn);
    }
    ways.into_iter().zip(all).flat_map(|((_, way), sides)| sides.rows(way)).collect()
}

/// This server and the echo server, connected by the same kind of streams, and the milliseconds of a call in each
/// turn.
struct Sides {
    ours: Client,
    echo: Client,
    arguments: Json,
    answer: Json,
    whole: Vec<f64>,
    less: Vec<f64>,
    scriptless: Vec<f64>,
    echoed: Vec<f64>,
    shown: Vec<f64>,
    between: Vec<f64>,
}

impl Sides {
    fn start(over: Over, mac: &Mac) -> Self {
        let mut ours = Client::over(over, &mut mac.server());
        let own = std::env::current_exe().expect("this program has a path");
        let echo = Client::over(over, Command::new(own).arg(echo::ARGUMENT));
        let arguments = one_message(&mut ours);
        let mut answer = ours.ask("iac_mcp_get_properties", &arguments);
        let before = ran(&mut ours);
        each(&mut ours, "iac_mcp_get_properties", &arguments);
        answer["busy"] = json!(((ran(&mut ours) - before) / CALLS as f64 * 1e3).round());
        let [whole, less, scriptless, echoed, shown, between] = [(); 6].map(|()| Vec::new());
        Self { ours, echo, arguments, answer, whole, less, scriptless, echoed, shown, between }
    }

    fn turn(&mut self) {
        let Self { ours, echo, arguments, answer, .. } = self;
        self.scriptless.push(each(ours, "iac_mcp_get_reference_stats", &json!({})));
        let before = ran(ours);
        let all = each(ours, "iac_mcp_get_properties", arguments);
        self.whole.push(all);
        self.less.push(all - (ran(ours) - before) / CALLS as f64);
        self.echoed.push(each(echo, "echo", answer));
        let before = waited(echo);
        let all = each(echo, "show", answer);
        self.shown.push(all - (waited(echo) - before) / CALLS as f64);
        let behind = || drop(ours.call("iac_mcp_get_properties", arguments));
        self.between.push(each_behind(echo, answer, behind));
    }

    fn rows(self, way: &str) -> [Row; 6] {
        let all = [self.whole, self.less, self.scriptless, self.echoed, self.shown, self.between];
        let [whole, less, scriptless, echoed, shown, between] = all.map(median);
        let told = |what: &str, time: f64| {
            Row::told(format!("… {what}"), time * 1e3, "µs").note(format!("{:.2} x", time / echoed))
        };
        [
            Row::told(format!("{way} an echo by rmcp"), echoed * 1e3, "µs"),
            told("the same, less its wait for a process as busy as a script", shown),
            told("the same, each behind a call that runs a script", between),
            told("a call of this server that needs no script", scriptless),
            Row::told("… one that does: three properties of one message", whole * 1e3, "µs"),
            Row::new(
                "… less its wait on the worker's pipe, over the echo",
                less / echoed,
                "x",
                Target::AtMost(1.3),
            )
            .note(format!("{:.0} µs", less * 1e3)),
        ]
    }
}

/// Compares the same script in a worker and in its own process.
pub(crate) fn workers() -> Vec<Row> {
    let mac = Mac::new(200, "none");
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.expect("a runtime");
    let script = Script::probe(MAIL);
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

/// Returns the average milliseconds of a call, over several calls.
fn each(client: &mut Client, tool: &str, arguments: &Json) -> f64 {
    let line = line(tool, arguments);
    let begun = Instant::now();
    for _ in 0..CALLS {
        assert!(client.exchange(&line) > 100);
    }
    begun.elapsed().as_secs_f64() * 1e3 / CALLS as f64
}

/// Returns the average milliseconds of an echo, over several echoes. `behind` runs before each of them and is not
/// counted.
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

/// Returns how many milliseconds scripts have run so far.
fn ran(client: &mut Client) -> f64 {
    let metrics = client.ask("system", &json!({ "action": "metrics" }));
    metrics["osascript"]["apps"][MAIL]["ran"]["totalMs"].as_f64().expect("a time")
}

/// Returns how many milliseconds the echo server has waited for the other process so far.
fn waited(echo: &mut Client) -> f64 {
    echo.ask("waited", &json!({}))["waited"].as_f64().unwrap_or_default() * 1e3
}
