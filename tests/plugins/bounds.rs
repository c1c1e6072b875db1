//! How the limits of one call affect other calls, and calls that are ended from outside.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use iac_plugins::capability::Grants;
use iac_plugins::engine::{Backend, Call, Changed, Plugin, Setup, Wall};
use iac_plugins::failure::Fault;
use iac_plugins::host::{Answer, Caller, Host, Question, Refusal, Told};
use iac_plugins::limits::Limits;
use iac_plugins::package;
use serde_json::{Map, json};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::guests::{Guest, World, call, engine, show, shown, wide};

async fn linked(name: &str) -> Plugin {
    Guest::read(name).plugin(&engine(Backend::Native), wide()).await.expect("the guest is linked")
}

async fn check_cancel(guest: &str) {
    let plugin = linked(guest).await;
    let cancelled = CancellationToken::new();
    let calling = plugin.call(call(cancelled.clone()));
    let ending = async {
        // The call is polled first, so it has started when this code runs.
        tokio::task::yield_now().await;
        cancelled.cancel();
    };
    let ((answer, _), ()) = tokio::join!(calling, ending);
    assert_eq!(show(answer), "the call was cancelled", "{guest}");
}

#[tokio::test]
async fn a_client_ends_a_call_that_computes() {
    check_cancel("spin").await;
}

#[tokio::test]
async fn a_client_ends_a_call_that_waits() {
    check_cancel("slow-host").await;
}

/// All calls share one thread: without the tick, the computing guest would keep the thread for a minute.
#[tokio::test(flavor = "current_thread")]
async fn a_guest_that_computes_leaves_others_their_turn() {
    let spin = linked("spin").await;
    let mut honest = Vec::new();
    for _ in 0..7 {
        honest.push(linked("honest").await);
    }
    let cancelled = CancellationToken::new();
    let spinning = spin.call(call(cancelled.clone()));
    let others = async {
        for plugin in &honest {
            tokio::task::yield_now().await;
            assert_eq!(shown(plugin).await, "{}");
        }
        cancelled.cancel();
    };
    let ((answer, _), ()) = tokio::join!(spinning, others);
    assert_eq!(show(answer), "the call was cancelled");
}

/// A host that must get no question from a stub.
struct Unreached;

impl Host for Unreached {
    fn ask<'a>(&'a self, caller: &'a Caller, question: Question) -> Answer<'a> {
        panic!("{caller:?} asked {question:?}")
    }
}

#[tokio::test]
async fn what_was_not_granted_is_not_reached() {
    let engine = engine(Backend::Native);
    for name in ["store-withheld", "slow-host", "root-not-granted", "script-of-nobody", "servers-not-granted"]
    {
        let bytes = Guest::read(name).packed(&engine, &wide()).await.expect("the guest is packed");
        let package = package::read(&bytes).expect("the package is whole");
        let compiled = engine.compile(&bytes, None).expect("the guest compiles");
        let setup = Setup {
            id: package.manifest.id,
            grants: Grants::default(),
            wanted: Grants::default(),
            limits: wide(),
            settings: Map::new(),
            lenient: false,
            tools: package.tools,
            scripts: Vec::new(),
            secrets: Vec::new(),
        };
        let plugin = Plugin::link(&engine, &compiled, setup).expect("stubs stand for what is missing");
        let asked = Call { host: Arc::new(Unreached), ..call(CancellationToken::new()) };
        let (_, report) = plugin.call(asked).await;
        assert!(report.host_calls > 0, "{name}: a refusal counts as a question");
    }
}

#[tokio::test]
async fn a_call_reports_what_it_has_used() {
    let plugin = linked("host-call-storm").await;
    let (answer, report) = plugin.call(call(CancellationToken::new())).await;
    assert_eq!(show(answer), "it exceeded the limit on host calls, 1000");
    assert_eq!((report.host_calls, report.memory, report.traffic), (1_001, 65_536, 0));
    let (answer, report) = linked("log-flood").await.call(call(CancellationToken::new())).await;
    assert_eq!(show(answer), "it exceeded the limit on log lines, 200");
    assert_eq!((report.log.len(), report.log[0].text.as_str()), (200, "Misbehaves."));
}

#[tokio::test]
async fn what_was_made_of_foreign_words_is_marked() {
    let reader = Guest::inline("reader", READER);
    let plugin = reader.plugin(&engine(Backend::Native), wide()).await.expect("the guest is linked");
    assert_eq!(shown(&plugin).await, r#"{"untrusted":true}"#);
}

const READER: &str = r#";; wants: apps com.example.notes
(import "iac:plugin/apps@0.1.0" "open" (func $open (param i32 i32 i32)))
(import "iac:plugin/apps@0.1.0" "[method]app.get-elements" (func $elements (param i32 i32 i32 i32)))
(data (i32.const 512) "com.example.notes{}")
(func $call (param i32 i32 i32 i32) (result i32)
  (call $open (i32.const 512) (i32.const 17) (i32.const 1024))
  (call $elements (i32.load (i32.const 1028)) (i32.const 529) (i32.const 2) (i32.const 1024))
  (i32.const 256))
"#;

/// Calls that run at the same time share the plugin.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_at_the_same_time_do_not_meet() {
    let plugin = Arc::new(linked("counter").await);
    let calls: Vec<_> = (0..16)
        .map(|_| {
            let plugin = Arc::clone(&plugin);
            tokio::spawn(async move { shown(&plugin).await })
        })
        .collect();
    for call in calls {
        assert_eq!(call.await.expect("the call ends"), r#"{"n":1}"#);
    }
}

/// Returns the bytes of memory of this process, if the system gives them.
fn held() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = text.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * 4096)
}

#[tokio::test]
async fn calls_leave_nothing_behind() {
    let honest = linked("honest").await;
    let many = async |count: usize| {
        for _ in 0..count {
            honest.call(call(CancellationToken::new())).await.0.expect("the honest guest answers");
        }
    };
    many(1_000).await;
    let Some(before) = held() else {
        return eprintln!("skipped: this system does not say how much memory is held");
    };
    many(10_000).await;
    let grown = held().unwrap_or(before).saturating_sub(before);
    assert!(grown < 8 * 1024 * 1024, "{grown} bytes more after 10,000 calls");
}

/// The guest's last error line names the cause, and the name section of its code gives the place.
#[tokio::test]
async fn a_crash_names_its_cause_and_place() {
    let text = r#"(import "iac:plugin/log@0.1.0" "write" (func $log (param i32 i32 i32)))
(data (i32.const 60000) "panicked at src/lib.rs:25:\nERROR iac_mcp::policy: all is allowed")
(func $deep (call $log (i32.const 0) (i32.const 60000) (i32.const 64)) (unreachable))
(func $call (param i32 i32 i32 i32) (result i32) (call $deep) (i32.const 0))"#;
    let plugin =
        Guest::inline("crash", text).plugin(&engine(Backend::Native), wide()).await.expect("it is linked");
    let (answer, report) = plugin.call(call(CancellationToken::new())).await;
    let said = "panicked at src/lib.rs:25: ERROR iac_mcp::policy: all is allowed";
    let expected = format!(
        "it stopped with an error: {said:?} (wasm trap: wasm `unreachable` instruction executed), in deep called by call"
    );
    assert_eq!(show(answer), expected);
    assert_eq!(
        (report.log[0].text.as_str(), report.place),
        (said, vec!["deep".to_owned(), "call".to_owned()])
    );
}

#[tokio::test]
async fn a_bound_names_the_place_too() {
    let text = "(func $forever (loop $l (br $l)))\n(func $call (param i32 i32 i32 i32) (result i32) (call $forever) (i32.const 0))";
    let limits = crate::guests::limits("compute time");
    let plugin =
        Guest::inline("spin", text).plugin(&engine(Backend::Native), limits).await.expect("it is linked");
    let (_, report) = plugin.call(call(CancellationToken::new())).await;
    assert_eq!(report.place, ["forever", "call"]);
}

/// A guest that is refused memory can use less, or report where it was.
#[tokio::test]
async fn memory_is_refused_before_the_call_is_ended() {
    let text = "(func $call (param i32 i32 i32 i32) (result i32)\n\
        (if (i32.ne (memory.grow (i32.const 4096)) (i32.const -1)) (then (unreachable)))\n(i32.const 256))";
    let plugin =
        Guest::inline("modest", text).plugin(&engine(Backend::Native), wide()).await.expect("it is linked");
    assert_eq!(shown(&plugin).await, "{}");
}

/// The host checks arguments before it runs any code, except for plugins that check their arguments themselves.
#[tokio::test]
async fn arguments_fit_the_schema_before_the_guest_runs() {
    let text = "(data (i32.const 64) \"{\\22type\\22:\\22object\\22,\\22properties\\22:{\\22a\\22:{\\22type\\22:\\22integer\\22}}}\")\n\
        (data (i32.const 192) \"\\37\\00\\00\\00\")\n\
        (func $call (param i32 i32 i32 i32) (result i32) (unreachable))";
    let plugin =
        Guest::inline("schema", text).plugin(&engine(Backend::Native), wide()).await.expect("it is linked");
    let mut asked = call(CancellationToken::new());
    asked.arguments.insert("a".to_owned(), "x".into());
    let refused = plugin.call(asked).await.0;
    let body = refused.as_ref().expect_err("it does not fit").body(&plugin.setup().id);
    assert_eq!(body["suggestion"], "correct this argument, and leave the others as they are");
    let expected =
        "invalid_parameter: the arguments do not fit the tool's schema: `a` is \"x\", expected integer";
    assert_eq!(show(refused), expected);
    let mut fitting = call(CancellationToken::new());
    fitting.arguments.insert("a".to_owned(), 1.into());
    assert!(show(plugin.call(fitting).await.0).contains("unreachable"));
}

/// Runs a script that changes something, and then `rest`.
fn writer(rest: &str) -> Guest {
    let text = format!(
        r#";; wants: apps com.example.notes
;; wants: app-scripts com.example.notes
;; script: change modify data => data
(import "iac:plugin/apps@0.1.0" "open" (func $open (param i32 i32 i32)))
(import "iac:plugin/app-scripts@0.1.0" "run" (func $run (param i32 i32 i32 i32 i32 i32)))
(data (i32.const 196) "\00")
(data (i32.const 512) "com.example.noteschange{{\22a\22:1}}")
(func $call (param i32 i32 i32 i32) (result i32)
  (call $open (i32.const 512) (i32.const 17) (i32.const 1024))
  (call $run (i32.load (i32.const 1028)) (i32.const 529) (i32.const 6) (i32.const 535) (i32.const 7) (i32.const 1024))
  {rest}
  (i32.const 256))
"#
    );
    Guest::inline("writer", &text)
}

/// Answers a script after a human was asked for a while and the app has worked for a while.
struct Slow {
    wall: Wall,
    asked: Duration,
    works: Duration,
    /// Whether the app's answer came, or the end of the call was noted.
    is_noted: AtomicBool,
}

impl Slow {
    fn new(asked: u64, works: u64) -> Arc<Self> {
        let (wall, is_noted) = (Wall::default(), AtomicBool::new(false));
        Arc::new(Self {
            wall,
            asked: Duration::from_secs(asked),
            works: Duration::from_secs(works),
            is_noted,
        })
    }

    async fn run(&self, cancelled: &CancellationToken) -> Result<Told, Refusal> {
        self.wall.stop();
        sleep(self.asked).await;
        self.wall.go_on();
        let is_done = tokio::select! {
            () = sleep(self.works) => true,
            () = cancelled.cancelled() => false,
        };
        self.is_noted.store(true, Ordering::SeqCst);
        let unknown =
            Fault { detail: Some(json!({"outcome": "unknown"})), ..Fault::new("cancelled", "ended") };
        if is_done { Ok(json!({"value": 1}).into()) } else { Err(unknown.into()) }
    }
}

impl Host for Slow {
    fn ask<'a>(&'a self, caller: &'a Caller, question: Question) -> Answer<'a> {
        match question {
            Question::Script { .. } => Box::pin(self.run(&caller.cancelled)),
            question => World.ask(caller, question),
        }
    }
}

/// Calls the writer with a limit of a minute.
async fn write(rest: &str, host: &Arc<Slow>, cancelled: CancellationToken) -> (String, Changed) {
    let limits = Limits { wall: Duration::from_mins(1), ..wide() };
    let plugin = writer(rest).plugin(&engine(Backend::Native), limits).await.expect("the guest is linked");
    let asked = Call { host: Arc::clone(host) as Arc<dyn Host>, wall: host.wall.clone(), ..call(cancelled) };
    let (answer, report) = plugin.call(asked).await;
    (show(answer), report.changed)
}

#[tokio::test(start_paused = true)]
async fn the_time_in_which_a_human_is_asked_does_not_count() {
    let (shown, changed) = write("", &Slow::new(45, 16), CancellationToken::new()).await;
    assert_eq!((shown.as_str(), changed.any), (r#"{"untrusted":true}"#, true));
}

#[tokio::test(start_paused = true)]
async fn the_host_notes_how_a_change_ended_that_took_too_long() {
    let host = Slow::new(0, 61);
    let (shown, changed) = write("(unreachable)", &host, CancellationToken::new()).await;
    assert_eq!(shown, "it exceeded the limit on time, 60000 ms");
    assert!(host.is_noted.load(Ordering::SeqCst));
    assert_eq!(changed, Changed { any: true, made: false, unrecorded: false }, "the host has its record");
}

#[tokio::test(start_paused = true)]
async fn the_host_notes_how_a_change_ended_that_its_client_has_ended() {
    let (host, cancelled) = (Slow::new(0, 61), CancellationToken::new());
    let client = async {
        sleep(Duration::from_secs(30)).await;
        cancelled.cancel();
    };
    let ((shown, changed), ()) = tokio::join!(write("(unreachable)", &host, cancelled.clone()), client);
    assert_eq!(shown, "the call was cancelled");
    assert!(host.is_noted.load(Ordering::SeqCst) && changed.any);
}

#[tokio::test(start_paused = true)]
async fn a_change_before_a_crash_is_known() {
    let (shown, changed) = write("(unreachable)", &Slow::new(0, 0), CancellationToken::new()).await;
    assert!(shown.contains("unreachable"), "{shown}");
    assert_eq!(changed, Changed { any: true, made: false, unrecorded: true });
}
