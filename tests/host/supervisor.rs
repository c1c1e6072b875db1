//! The supervisor against programs that behave as badly as `osascript` can.
#![forbid(unsafe_code)]
#![expect(clippy::unwrap_used, clippy::disallowed_methods, reason = "a test fails loudly")]

#[path = "support/mark.rs"]
mod mark;

use std::time::Duration;

use iac_core::Millis;
use iac_core::action::{Action, Deed};
use iac_core::jxa::Script;
use iac_core::permission::{Decision, Gate, decide};
use iac_core::plan::Learned;
use iac_core::step::{Event, RunFailure};
use iac_mcp::osascript::{Kind, Settings, Supervisor};
use mark::Mark;
use tokio_util::sync::CancellationToken;

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
    check("sleep 1003 & echo '{}'", |event| assert_eq!(*event, Event::Replied("{}\n".to_owned()))).await;
    check("exec yes", |event| assert_eq!(*event, Event::Failed(RunFailure::TooLarge(100_000)))).await;
    check("exec cat", |event| assert!(matches!(event, Event::Replied(text) if text.starts_with("(d => {"))))
        .await;
}

#[tokio::test]
async fn a_program_that_cannot_start() {
    let command = vec!["/nowhere/osascript".into()];
    let supervisor = Supervisor::new(Settings { command, ..settings("") }).unwrap();
    let event = supervisor.run("", Kind::Read, &script(), CancellationToken::new()).await;
    let Event::Failed(RunFailure::Process(why)) = event else { panic!("{event:?}") };
    assert!(why.starts_with("/nowhere/osascript cannot be started: "), "{why}");
}

#[tokio::test]
async fn a_program_that_does_not_end() {
    check("sleep 1000 & sleep 1001", |event| assert!(matches!(event, Event::Failed(RunFailure::Timeout(_)))))
        .await;
    check("trap '' TERM; exec >&- 2>&-; sleep 1002", |event| {
        assert!(matches!(event, Event::Failed(RunFailure::Timeout(_))));
    })
    .await;
}

/// Runs a script with `sh -c` in the place of `osascript` and looks at what became of it.
async fn check(program: &str, expect: impl FnOnce(&Event)) {
    let mark = Mark::new();
    let mut settings = settings(program);
    settings.environment.push(mark.variable());
    let supervisor = Supervisor::new(settings).unwrap();
    let event = supervisor.run("", Kind::Read, &script(), CancellationToken::new()).await;
    expect(&event);
    mark.gone().await;
}

fn settings(program: &str) -> Settings {
    Settings {
        command: vec!["/bin/sh".into(), "-c".into(), program.into(), "osascript".into()],
        guard: Some(env!("CARGO_BIN_EXE_iac-mcp").into()),
        timeout: Duration::from_secs(1),
        output: 100_000,
        ..Settings::default()
    }
}

fn script() -> Script {
    let action = Action { app: "".into(), deed: Deed::Running { apps: vec!["com.apple.mail".to_owned()] } };
    let Decision::Allow(approved) = decide(action, "", &Gate::default(), Millis(0)) else {
        panic!("reads are allowed")
    };
    approved.into_script(&Learned::default().costs(""))
}
