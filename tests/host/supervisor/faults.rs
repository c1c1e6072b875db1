//! Every fault of a worker or a single process, for reads and for changes: the client gets the right error in time,
//! other apps continue at once, and the app itself as soon as possible.

use std::time::{Duration, Instant};

use iac_core::step::{Event, RunFailure};
use iac_osascript::{Kind, Settings};

use crate::{House, fake};

/// The result of a call, for reads and for changes.
#[derive(Clone, Copy, Debug)]
enum End {
    Replied,
    Timeout,
    TooLarge,
    Number(i64),
    /// The process failed; for a change, the error says that the outcome is unknown.
    Process,
}

/// Whether the app answers the next call.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Then {
    Works,
    /// The app is busy until the hanging process is killed.
    Busy,
}

struct Fault {
    name: &'static str,
    program: &'static str,
    worker: End,
    alone: End,
    then: Then,
}

const fn fault(name: &'static str, program: &'static str, worker: End, alone: End, then: Then) -> Fault {
    Fault { name, program, worker, alone, then }
}

const FAULTS: [Fault; 26] = [
    fault("none", "answer", End::Replied, End::Replied, Then::Works),
    fault("hang", "sleep 1000", End::Timeout, End::Timeout, Then::Busy),
    fault("deaf", "trap '' TERM HUP INT; sleep 1000", End::Timeout, End::Timeout, Then::Busy),
    fault("slow", "sleep 1.2; answer", End::Timeout, End::Timeout, Then::Works),
    fault("flood", "yes | head -c 300000; answer", End::Process, End::TooLarge, Then::Works),
    fault("flood of one line", "yes | tr -d '\\n'", End::TooLarge, End::TooLarge, Then::Works),
    fault("flood of errors", "yes >&2 & sleep 0.3; kill $!; answer", End::Replied, End::Replied, Then::Works),
    fault("die", "kill -9 $$", End::Process, End::Process, Then::Works),
    fault("exit", "exit 0", End::Process, End::Process, Then::Works),
    fault(
        "deny",
        "echo 'execution error: Error: Nein. (-1743)' >&2; exit 1",
        End::Number(-1743),
        End::Number(-1743),
        Then::Works,
    ),
    fault(
        "raise",
        "case $id in '') echo 'error: No. (7)' >&2; exit 1 ;; *) echo \"$id ! {\\\"number\\\":7,\\\"message\\\":\\\"No.\\\"}\" ;; esac",
        End::Number(7),
        End::Number(7),
        Then::Works,
    ),
    fault("stdin closed", "answer; exec 0<&-", End::Replied, End::Replied, Then::Works),
    fault("stdin closed before", "exec 0<&-; answer; exit 0", End::Replied, End::Replied, Then::Works),
    fault(
        "fork bomb of output",
        "for i in 1 2 3 4 5 6 7 8; do yes | tr -d '\\n' & done; wait",
        End::TooLarge,
        End::TooLarge,
        Then::Works,
    ),
    fault("twice", "answer; answer", End::Replied, End::Replied, Then::Works),
    // A process that left the group and cleared its environment holds the pipes, and lives longer than any call waits.
    fault(
        "orphan",
        "env -i PATH=\"$PATH\" setsid sleep 40 & sleep 0.1; exit 3",
        End::Process,
        End::Process,
        Then::Works,
    ),
    fault(
        "orphan after the answer",
        "env -i PATH=\"$PATH\" setsid sleep 40 & sleep 0.1; answer; exit 0",
        End::Replied,
        End::Replied,
        Then::Works,
    ),
    fault(
        "orphan after half of it",
        "printf '%s' \"$id = {\\\"ok\\\":true\"; env -i PATH=\"$PATH\" setsid sleep 40 & sleep 0.1; exit 0",
        End::Process,
        End::Process,
        Then::Works,
    ),
    fault("half", "printf '%s' \"$id = {\\\"ok\\\":true\"; exit 0", End::Process, End::Process, Then::Works),
    fault("no envelope", "echo \"$id = what\"", End::Process, End::Process, Then::Works),
    fault("guard killed", "kill -9 $PPID; sleep 1000", End::Process, End::Process, Then::Works),
    fault("of another", "id=$((id+1)); answer", End::Process, End::Replied, Then::Works),
    fault(
        "of one before",
        "id=$((id-1)); answer; id=$((id+1)); answer",
        End::Process,
        End::Replied,
        Then::Works,
    ),
    fault("garbage", "echo what; answer", End::Process, End::Process, Then::Works),
    fault("no text", "printf '\\377\\376\\n'", End::Process, End::Process, Then::Works),
    fault(
        "children",
        "for i in 1 2 3 4 5; do sleep 1000 & done; answer",
        End::Replied,
        End::Replied,
        Then::Works,
    ),
];

#[tokio::test(flavor = "multi_thread")]
async fn workers() {
    check_all(true).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn alone() {
    check_all(false).await;
}

async fn check_all(workers: bool) {
    let cases = FAULTS.iter().flat_map(|fault| [(fault, Kind::Read), (fault, Kind::Change)]);
    let mut running = tokio::task::JoinSet::new();
    for (fault, kind) in cases {
        running.spawn(check(fault, kind, workers));
        if running.len() == 4 {
            running.join_next().await.unwrap().unwrap();
        }
    }
    running.join_all().await;
}

async fn check(fault: &'static Fault, kind: Kind, workers: bool) {
    let name = format!("{}, {kind:?}, {}", fault.name, if workers { "worker" } else { "alone" });
    let mut settings = Settings { workers, ..fake::settings(fault.program) };
    if matches!(fault.worker, End::Timeout) {
        settings.timeout = Duration::from_secs(1);
    }
    let (timeout, linger) = (settings.timeout, settings.linger);
    let house = House::new(settings);
    if workers {
        house.works("app", "before").await;
    }
    let began = Instant::now();
    // Uses the clock of the deadline itself, so a busy machine delays both alike.
    let event = tokio::time::timeout(timeout + Duration::from_secs(1), house.ask("app", kind, "bad")).await;
    let event = event.unwrap_or_else(|_| panic!("{name}: no answer after {:?}", began.elapsed()));
    expect(&name, &event, if workers { fault.worker } else { fault.alone }, kind);

    let at_once = house.ask("other", Kind::Read, "other").await;
    assert!(matches!(at_once, Event::Replied(_)), "{name}: {at_once:?}");
    if fault.then == Then::Busy {
        let event = house.ask("app", Kind::Read, "next").await;
        assert!(matches!(event, Event::Failed(RunFailure::Busy(_))), "{name}: {event:?}");
        assert_eq!(house.supervisor.report().apps["app"].state, "busy", "{name}");
        tokio::time::sleep(linger).await;
    }
    for word in ["next", "after"] {
        let event = house.ask("app", kind, word).await;
        let Event::Replied(text) = &event else { panic!("{name}: {event:?}") };
        assert!(!workers || text.contains(word), "{name}: {text}");
    }
    house.close().await;
}

fn expect(name: &str, event: &Event, end: End, kind: Kind) {
    let right = match (end, event) {
        (End::Replied, Event::Replied(text)) => !text.is_empty(),
        (End::Timeout, Event::Failed(RunFailure::Timeout(_))) => true,
        (End::TooLarge, Event::Failed(RunFailure::TooLarge(_))) => true,
        (End::Number(expected), Event::Failed(RunFailure::Script { number, .. })) => *number == expected,
        (End::Process, Event::Failed(RunFailure::Process(why))) => {
            why.ends_with("is not known") == (kind == Kind::Change)
        }
        _ => false,
    };
    assert!(right, "{name}: expected {end:?}, got {event:?}");
}
