//! A separate process for each script.

use std::time::Duration;

use iac_core::step::{Event, RunFailure};
use iac_osascript::{Kind, Settings};

use crate::{House, fake};

#[tokio::test]
async fn a_program_that_ends() {
    check("cat >/dev/null; echo '{\"ok\":true}'", |event| {
        assert_eq!(*event, Event::Replied("{\"ok\":true}\n".to_owned()));
    })
    .await;
    check("cat >/dev/null; echo 'execution error: Error: Error: no. (-1743)' >&2; exit 1", |event| {
        let message = "Error: Error: no.".to_owned();
        assert_eq!(*event, Event::Failed(RunFailure::Script { number: -1743, message }));
    })
    .await;
    check("exit 3", |event| {
        let why = "it ended without an answer".to_owned();
        assert_eq!(*event, Event::Failed(RunFailure::Process(why)));
    })
    .await;
    check("sleep 1003 & echo '{\"ok\":true}'", |event| {
        assert!(matches!(event, Event::Replied(_)), "{event:?}")
    })
    .await;
    check("exec yes", |event| assert_eq!(*event, Event::Failed(RunFailure::TooLarge(100_000)))).await;
    check("exec cat", |event| {
        let Event::Failed(RunFailure::Process(why)) = event else { panic!("{event:?}") };
        assert!(why.starts_with("its answer is incomplete or invalid: (d => {"), "{why}");
    })
    .await;
}

#[tokio::test]
async fn a_program_that_cannot_start() {
    let house = House::new(Settings { command: vec!["/nowhere/osascript".into()], ..fake::program("") });
    let event = house.ask("", Kind::Read, "x").await;
    let Event::Failed(RunFailure::Process(why)) = event else { panic!("{event:?}") };
    assert!(why.starts_with("/nowhere/osascript cannot be started: "), "{why}");
    house.close().await;
}

#[tokio::test]
async fn a_program_that_does_not_end() {
    for program in ["sleep 1000 & sleep 1001", "trap '' TERM; exec >&- 2>&-; sleep 1002"] {
        let timeout = Duration::from_secs(1);
        let house = House::new(Settings { workers: false, timeout, ..fake::program(program) });
        let event = house.ask("", Kind::Read, "x").await;
        assert!(matches!(event, Event::Failed(RunFailure::Timeout(_))), "{program}: {event:?}");
        house.close().await;
    }
}

/// Runs a script with `sh -c` instead of `osascript`, and checks the result.
async fn check(program: &str, expect: impl FnOnce(&Event)) {
    let house = House::new(Settings { workers: false, ..fake::program(program) });
    expect(&house.ask("", Kind::Read, "x").await);
    house.close().await;
}
