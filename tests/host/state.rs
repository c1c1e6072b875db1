//! The state directory stays whole if servers are killed at any moment.
#![forbid(unsafe_code)]
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test fails loudly, and starts itself as a writer"
)]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use iac_core::Millis;
use iac_core::audit::Entry;
use iac_core::permission::{Level, Rule, Ruling, Scope};
use iac_core::undo::{Undo, Way};
use iac_state::{State, audit};

/// The maximum number of killed processes: each may have died between its grant and its rule.
const WRITERS: usize = 2 * ROUNDS as usize;

const ROUNDS: u64 = 12;

const FOLDER: &str = "IAC_MCP_TEST_STATE";

#[test]
fn whoever_is_killed_leaves_the_old_or_the_new() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state");
    State::open(state.clone()).unwrap();
    let mut grants = 0;
    for round in 0..ROUNDS {
        let mut writers: Vec<_> = (0..2).map(|_| start_writer(&state)).collect();
        std::thread::sleep(Duration::from_millis(60 + 17 * round));
        for writer in &mut writers {
            writer.kill().unwrap();
            writer.wait().unwrap();
        }
        grants = check(&state, grants);
    }
    assert!(grants > 0, "the writers wrote something");
}

/// All files can be read, no entry is lost, and the logs are intact.
fn check(folder: &Path, before: usize) -> usize {
    let state = State::open(folder.to_owned()).unwrap();
    let gate = state.gate(Millis(0), None).unwrap();
    let grants = gate.grants.all().len();
    assert!(grants >= before, "{grants} grants, and there were {before}");
    state.undos(Millis(1_000)).unwrap();
    let rules = gate.policy.rules();
    assert!(
        rules.len() + WRITERS >= grants,
        "{} rules of {grants} grants: each is added after it",
        rules.len()
    );
    assert!(rules.iter().all(|rule| rule.property.is_some() && rule.decision == Ruling::Ask));
    assert_eq!(audit::verify(folder).unwrap(), []);
    let said =
        audit::read(folder).unwrap().iter().filter(|record| record.fields["kind"] == "operator").count();
    assert!(said >= grants, "{said} entries of {grants} grants: each is written down before it is given");
    grants
}

fn start_writer(folder: &Path) -> std::process::Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["writer", "--exact", "--nocapture"])
        .env(FOLDER, folder)
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

/// Not a test by itself: another test starts this process, which writes until it is killed.
#[test]
fn writer() {
    let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) else { return };
    let state = State::open(folder).unwrap();
    for n in 0_u64.. {
        let id = format!("{}-{n}", std::process::id());
        state.record(Millis(1_000), &Entry::Operator { order: format!("grant {id}") }, true).unwrap();
        let scope = Scope { app: id.clone(), level: Level::Modify, ..Scope::default() };
        state.grant(vec![scope.grant(id.clone(), true, "a test".into(), Millis(0))], Millis(1_000)).unwrap();
        state.keep_undos(&[undo(&id)], &[], &[], Millis(1_000)).unwrap();
        state.add_rule(&rule(&id)).unwrap();
    }
}

fn rule(id: &str) -> Rule {
    Rule {
        app: None,
        command: None,
        property: Some(id.to_owned()),
        level: None,
        plugin: None,
        decision: Ruling::Ask,
        reason: None,
        launch: false,
        line: 0,
    }
}

fn undo(id: &str) -> Undo {
    Undo {
        id: id.to_owned(),
        call: None,
        is_undo: false,
        app: "test.app".to_owned(),
        object: "application".into(),
        words: "something".to_owned(),
        mark: None,
        at: Millis(1_000),
        way: Way::Set {
            property: "name".to_owned(),
            old: "old".into(),
            now: "new".into(),
            looks: Vec::new(),
        },
    }
}
