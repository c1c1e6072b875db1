//! Workers that behave correctly.

use std::time::Duration;

use iac_core::jxa::Script;
use iac_core::step::{Event, RunFailure};
use iac_osascript::{Kind, Settings};
use tokio_util::sync::CancellationToken;

use crate::{House, fake};

#[tokio::test]
async fn one_process_serves_many_scripts() {
    let house = House::new(fake::settings(""));
    for n in 0..20 {
        house.works("app", &format!("word {n}")).await;
    }
    let report = house.supervisor.report();
    let app = &report.apps["app"];
    let worker = app.worker.as_ref().unwrap();
    assert_eq!(
        (worker.calls, app.counts.one_shots, app.counts.events, app.counts.ran.count),
        (20, 0, 20, 20)
    );
    assert!(worker.pid.is_some_and(|pid| house.mark.living().contains(&pid)), "{worker:?}");
    house.close().await;
}

#[tokio::test]
async fn the_least_recently_used_worker_makes_room() {
    let house = House::new(Settings { most_workers: 2, ..fake::settings("sleep 0.5; answer") });
    for app in ["a", "b", "c"] {
        house.works(app, "x").await;
    }
    let kept = |app: &str| house.supervisor.report().apps[app].worker.is_some();
    assert_eq!(["a", "b", "c"].map(kept), [false, true, true]);
    let busy = ["b", "c"].map(|app| house.ask(app, Kind::Read, "bad"));
    let both = async { futures(busy).await };
    let third = async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        house.ask("a", Kind::Read, "x").await
    };
    let (_, third) = tokio::join!(both, third);
    assert!(
        matches!(third, Event::Replied(text) if text.contains("alone")),
        "no place is free, but apps do not wait"
    );
    house.close().await;
}

async fn futures(both: [impl Future<Output = Event>; 2]) {
    let [one, other] = both;
    let (one, other) = tokio::join!(one, other);
    assert!(matches!((one, other), (Event::Replied(_), Event::Replied(_))));
}

#[tokio::test]
async fn an_idle_worker_ends() {
    let house = House::new(Settings { idle: Duration::from_millis(300), ..fake::settings("") });
    house.works("app", "x").await;
    house.mark.gone().await;
    assert_eq!(house.supervisor.report().apps["app"].counts.retired["idle"], 1);
    house.works("app", "y").await;
    house.close().await;
}

#[tokio::test]
async fn a_worker_that_dies_between_scripts_is_replaced() {
    let house = House::new(fake::settings(""));
    house.works("app", "x").await;
    let pid = house.supervisor.report().apps["app"].worker.as_ref().unwrap().pid.unwrap();
    let pid = rustix::process::Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    let all = house.mark.living();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    have_ended(&all).await;
    for word in ["y", "z"] {
        let event = house.ask("app", Kind::Change, word).await;
        assert!(matches!(event, Event::Replied(_)), "{event:?}");
    }
    house.close().await;
}

#[tokio::test]
async fn a_worker_that_closes_its_pipes_and_lives_on_is_replaced() {
    let house = House::new(fake::settings("exec 0<&-; answer; sleep 1000"));
    house.works("app", "bad").await;
    let event = house.ask("app", Kind::Change, "next").await;
    assert!(matches!(event, Event::Replied(_)), "it cannot have had the request: {event:?}");
    house.close().await;

    let house = House::new(fake::settings("exec 1>&-; sleep 1000"));
    let event = house.ask("app", Kind::Change, "bad").await;
    assert!(matches!(event, Event::Failed(RunFailure::Process(_))), "nothing more can come: {event:?}");
    house.works("app", "next").await;
    house.close().await;
}

/// Waits until processes have ended and closed everything: their environment disappears first, and their end of a pipe
/// later.
async fn have_ended(all: &[u32]) {
    let is_over = |pid: &u32| {
        let state = std::fs::read_to_string(format!("/proc/{pid}/stat"));
        state.map_or(true, |state| state.contains(") Z"))
    };
    while !all.iter().all(is_over) {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn a_worker_that_grows_is_replaced() {
    let grow = "x=$(head -c 30000000 /dev/zero | tr '\\0' x); answer";
    let house = House::new(Settings { growth: 10 << 20, ..fake::settings(grow) });
    house.works("app", "x").await;
    for _ in 0..25 {
        house.works("app", "bad").await;
    }
    assert_eq!(house.supervisor.report().apps["app"].counts.retired["worn"], 1);
    house.works("app", "y").await;
    house.close().await;
}

#[tokio::test]
async fn without_a_handshake_each_script_has_a_process() {
    for program in [
        "case \"$*\" in *-e*) echo hello ;; *) echo '{\"ok\":true,\"value\":{\"app\":\"x\"}}' ;; esac",
        "case \"$*\" in *-e*) exit 1 ;; *) echo '{\"ok\":true,\"value\":{\"app\":\"x\"}}' ;; esac",
    ] {
        let house = House::new(fake::program(program));
        for _ in 0..2 {
            house.works("app", "x").await;
        }
        let report = house.supervisor.report();
        assert!(report.unfit && report.workers == 0);
        assert_eq!(report.apps["app"].counts.one_shots, 2);
        house.close().await;
    }
}

#[tokio::test]
async fn where_no_process_can_be_started_for_a_while_workers_are_kept_and_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let guard = folder.path().join("guard");
    let own = std::path::Path::new(env!("CARGO_BIN_EXE_iac-mcp"));
    std::os::unix::fs::symlink(own, &guard).unwrap();
    let house = House::new(Settings { guard: Some(guard.clone()), ..fake::settings("") });
    house.works("old", "x").await;
    std::fs::remove_file(&guard).unwrap();
    let event = house.ask("new", Kind::Change, "x").await;
    let Event::Failed(RunFailure::Unstarted(why)) = event else { panic!("{event:?}") };
    assert!(why.contains("cannot be started"), "{why}");
    house.works("old", "y").await;
    std::os::unix::fs::symlink(own, &guard).unwrap();
    house.works("new", "z").await;
    let report = house.supervisor.report();
    let calls = |app: &str| report.apps[app].worker.as_ref().map(|worker| worker.calls);
    assert_eq!((report.unfit, calls("old"), calls("new")), (false, Some(2), Some(1)));
    house.close().await;
}

#[tokio::test]
async fn whose_number_it_says_is_not_believed() {
    for pid in ["0", "1", "2", "4000000000", "-1", "x", ""] {
        let hello = format!("echo \"iac-mcp worker 1 {pid}\"");
        let text = "read -r line; echo '1 = {\"ok\":true,\"value\":{\"app\":\"x\"}}'; sleep 1000";
        let house = House::new(fake::program(&format!("{hello}; {text}")));
        house.works("app", "x").await;
        let report = house.supervisor.report();
        let worker = report.apps["app"].worker.as_ref().unwrap();
        assert_eq!((worker.pid, worker.calls), (None, 1), "{pid}");
        house.close().await;
    }
}

#[tokio::test]
async fn a_cancelled_call_is_answered_at_once() {
    let house = House::new(fake::settings("sleep 0.5; answer"));
    let cancel = CancellationToken::new();
    let script = Script::probe("bad");
    let call = house.supervisor.run("app", Kind::Change, &script, cancel.clone());
    let cancelled = async {
        tokio::time::sleep(Duration::from_millis(200)).await;
        cancel.cancel();
    };
    let (event, ()) = tokio::join!(call, cancelled);
    assert_eq!(event, Event::Failed(RunFailure::Cancelled));
    tokio::task::yield_now().await;
    assert_eq!(house.supervisor.report().apps["app"].state, "busy", "the app still works on it");
    house.works("app", "next").await;
    let report = house.supervisor.report();
    assert_eq!(report.apps["app"].worker.as_ref().unwrap().calls, 2, "the worker was left to end");
    house.close().await;
}

#[tokio::test]
async fn what_has_not_begun_at_the_deadline_never_does() {
    let (timeout, linger) = (Duration::from_secs(1), Duration::from_secs(2));
    let house = House::new(Settings { timeout, linger, ..fake::settings("sleep 1000") });
    let (one, two) =
        tokio::join!(house.ask("app", Kind::Change, "bad 1"), house.ask("app", Kind::Change, "bad 2"));
    assert!(matches!(one, Event::Failed(RunFailure::Timeout(_))), "{one:?}");
    assert!(matches!(two, Event::Failed(RunFailure::Busy(_))), "{two:?}");
    tokio::time::sleep(linger).await;
    house.works("app", "next").await;
    let counts = &house.supervisor.report().apps["app"].counts;
    assert_eq!((counts.began, counts.timeouts, counts.busy, counts.retired["silent"]), (2, 1, 1, 1));
    house.close().await;
}
