use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use iac_core::Millis;
use iac_core::audit::Entry;
use iac_core::fault::{Code, Fault};
use iac_core::permission::{Choice, Grant, Level, Profile, Scope};

use super::*;

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

fn open(folder: &tempfile::TempDir) -> State {
    State::open(folder.path().join("state")).unwrap()
}

fn write(state: &State, name: &str, text: &str) {
    let path = state.folder().join(name);
    OpenOptions::new()
        .create(true)
        .truncate(true)
        .write(true)
        .open(path)
        .unwrap()
        .write_all(text.as_bytes())
        .unwrap();
}

fn grant(id: &str, property: &str) -> Grant {
    let scope = Scope {
        app: "com.apple.mail".into(),
        level: Level::Modify,
        property: Some(property.into()),
        ..Scope::default()
    };
    scope.grant(id.into(), true, Choice::Always.as_str().into(), Millis(0))
}

fn order(n: usize) -> Entry {
    Entry::Operator { order: format!("order {n}") }
}

#[test]
fn without_files_the_default_counts() {
    let folder = folder();
    let gate = open(&folder).gate(Millis(0), None).unwrap();
    assert_eq!((gate.policy.profile(), gate.grants.all().len()), (Profile::Standard, 0));
}

#[test]
fn a_policy_is_read_again_when_it_changes() {
    let folder = folder();
    let state = open(&folder);
    for (text, profile) in
        [("profile = \"trusted\"", Profile::Trusted), ("profile = \"read-only\"", Profile::ReadOnly)]
    {
        write(&state, "policy.toml", text);
        assert_eq!(state.gate(Millis(0), None).unwrap().policy.profile(), profile);
    }
    fs::remove_file(state.folder().join("policy.toml")).unwrap();
    assert_eq!(state.gate(Millis(0), None).unwrap().policy.profile(), Profile::Standard);
}

#[test]
fn nothing_runs_on_a_policy_that_cannot_be_read() {
    let folder = folder();
    let state = open(&folder);
    write(&state, "policy.toml", "profile = \"trusted\"\nrules = [{ decision = \"alow\" }]");
    let fault = Fault::from(state.gate(Millis(0), None).unwrap_err());
    assert!(fault.message.contains("policy.toml: line 2, column 23:"), "{}", fault.message);
    assert_eq!((fault.code, fault.retryable), (Code::Unavailable, false));
    write(&state, "policy.toml", "");
    assert!(state.gate(Millis(0), None).is_ok());
    write(&state, "grants.json", "{");
    assert!(state.gate(Millis(0), None).is_err());
    fs::remove_file(state.folder().join("grants.json")).unwrap();
    fs::remove_file(state.folder().join("policy.toml")).unwrap();
    fs::create_dir(state.folder().join("policy.toml")).unwrap();
    assert!(state.gate(Millis(0), None).is_err());
}

#[test]
fn a_policy_that_is_no_text_is_no_policy() {
    let folder = folder();
    let state = open(&folder);
    OpenOptions::new()
        .create(true)
        .truncate(true)
        .write(true)
        .open(state.folder().join("policy.toml"))
        .unwrap()
        .write_all(&[0xff, 0xfe])
        .unwrap();
    assert!(state.gate(Millis(0), None).is_err());
}

#[test]
fn grants_outlive_the_server_and_can_be_taken_back() {
    let folder = folder();
    open(&folder).grant(vec![grant("g1", "read status"), grant("g2", "flagged status")], Millis(5)).unwrap();
    let state = open(&folder);
    assert_eq!(state.grants().unwrap().all().len(), 2);
    assert_eq!(state.revoke(|grant| grant.id == "g1").unwrap(), 1);
    assert_eq!(open(&folder).grants().unwrap().all()[0].id, "g2");
}

#[test]
fn what_several_give_at_once_is_kept() {
    let folder = folder();
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let state = open(&folder);
            scope.spawn(move || {
                for n in 0..10 {
                    let id = format!("g{writer}-{n}");
                    state.grant(vec![grant(&id, &id)], Millis(5)).unwrap();
                    state.record(Millis(1_000 + n), &order(1), n % 3 == 0).unwrap();
                }
            });
        }
    });
    assert_eq!(open(&folder).grants().unwrap().all().len(), 40);
    assert_eq!(audit::verify(open(&folder).folder()).unwrap(), []);
    let records = audit::read(open(&folder).folder()).unwrap();
    assert_eq!(records.iter().filter(|record| record.fields["kind"] == "operator").count(), 40);
}

#[test]
fn what_comes_together_is_written_in_its_order() {
    let folder = folder();
    let state = Arc::new(open(&folder));
    let recorder = Recorder::new(state.clone());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    for round in 0..20 {
        (0..5).for_each(|n| recorder.note(Millis(1_000), move || order(round * 6 + n)));
        runtime.block_on(recorder.record(Millis(1_000), move || order(round * 6 + 5))).unwrap();
        let written = audit::read(state.folder()).unwrap().len();
        assert_eq!(written, 1 + (round + 1) * 6, "what somebody waits for stands behind what came before it");
    }
    let orders =
        audit::read(state.folder()).unwrap().into_iter().skip(1).map(|mut line| line.fields.remove("order"));
    let Entry::Operator { order: first } = order(0) else { panic!("an order") };
    let expected = (0..120).map(|n| Some(first.replace('0', &n.to_string()).into()));
    assert!(orders.eq(expected));
    assert_eq!(audit::verify(state.folder()).unwrap(), []);
}

#[test]
fn files_are_for_the_owner_only() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = folder();
    let state = open(&folder);
    state.grant(vec![grant("g1", "x")], Millis(5)).unwrap();
    state.record(Millis(5), &order(1), true).unwrap();
    let mut seen = 0;
    for path in [state.folder().to_owned(), state.folder().join("audit")] {
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o077, 0, "{}", path.display());
        for entry in fs::read_dir(&path).unwrap() {
            let found = entry.unwrap();
            assert_eq!(
                found.metadata().unwrap().permissions().mode() & 0o077,
                0,
                "{}",
                found.path().display()
            );
            seen += 1;
        }
    }
    assert!(seen >= 6, "{seen}");
}

/// Makes two logs: one of three lines, one of two.
fn logs(folder: &tempfile::TempDir) -> Vec<PathBuf> {
    let first = open(folder);
    (0..2).for_each(|n| first.record(Millis(1_000), &order(n), true).unwrap());
    open(folder).record(Millis(2_000), &order(9), true).unwrap();
    let mut logs: Vec<PathBuf> =
        fs::read_dir(first.folder().join("audit")).unwrap().map(|entry| entry.unwrap().path()).collect();
    logs.retain(|path| path.extension().is_some_and(|ending| ending == "jsonl"));
    logs.sort();
    logs
}

fn found(change: impl FnOnce(&[PathBuf])) -> Vec<(Option<u64>, String)> {
    let folder = folder();
    let logs = logs(&folder);
    assert_eq!(audit::verify(&folder.path().join("state")).unwrap(), []);
    change(&logs);
    let findings = audit::verify(&folder.path().join("state")).unwrap();
    findings.into_iter().map(|finding| (finding.line, finding.wrong)).collect()
}

fn rewrite(path: &Path, change: impl FnOnce(String) -> String) {
    let text = change(fs::read_to_string(path).unwrap());
    OpenOptions::new().truncate(true).write(true).open(path).unwrap().write_all(text.as_bytes()).unwrap();
}

#[test]
fn an_edited_log_is_found() {
    let findings = found(|logs| rewrite(&logs[0], |text| text.replace("order 0", "order 7")));
    assert_eq!(findings[0].0, Some(2));
    assert!(findings[0].1.contains("changed"), "{findings:?}");
}

#[test]
fn a_log_that_was_cut_is_found_at_its_end() {
    let cut = |text: String| text.lines().take(2).map(|line| format!("{line}\n")).collect();
    let findings = found(|logs| rewrite(&logs[0], cut));
    assert_eq!(findings[0].0, Some(3), "{findings:?}");
    let findings = found(|logs| {
        rewrite(&logs[1], |text| text.lines().take(1).map(|line| format!("{line}\n")).collect())
    });
    assert_eq!(findings, [(Some(2), "one line was cut off at the end".to_owned())]);
    let findings = found(|logs| rewrite(&logs[1], |text| text[..text.len() - 9].to_owned()));
    assert_eq!(findings[0].0, Some(2), "{findings:?}");
}

#[test]
fn a_log_that_was_removed_is_found() {
    let findings = found(|logs| fs::remove_file(&logs[0]).unwrap());
    assert!(findings.iter().any(|(_, wrong)| wrong.contains("missing")), "{findings:?}");
    let findings = found(|logs| fs::remove_file(&logs[1]).unwrap());
    assert!(findings.iter().any(|(_, wrong)| wrong.contains("newest log was removed")), "{findings:?}");
}

#[test]
fn a_log_that_was_written_anew_is_found() {
    let anew = |_| {
        let mut chain = iac_core::audit::Chain::default();
        (0..3).map(|n| chain.append(Millis(1_000), &order(n))).collect()
    };
    let findings = found(|logs| rewrite(&logs[0], anew));
    assert!(findings.iter().any(|(line, _)| *line == Some(3)), "{findings:?}");
}

#[test]
fn a_large_log_is_followed_by_another() {
    let folder = folder();
    let state = open(&folder);
    let large = Entry::Operator { order: "x".repeat(9 * 1024 * 1024) };
    (0..3).for_each(|_| state.record(Millis(1_000), &large, false).unwrap());
    let logs = fs::read_dir(state.folder().join("audit"))
        .unwrap()
        .filter(|entry| entry.as_ref().unwrap().path().extension().is_some_and(|ending| ending == "jsonl"));
    assert_eq!(logs.count(), 2);
    assert_eq!(audit::verify(state.folder()).unwrap(), []);
}

#[test]
fn what_can_be_taken_back_is_shared_for_an_hour() {
    let folder = folder();
    let undo = |id: &str, at: u64| iac_core::undo::Undo {
        id: id.into(),
        call: None,
        is_undo: false,
        app: "com.apple.mail".into(),
        object: serde_json::json!("application"),
        words: "x".into(),
        mark: None,
        at: Millis(at),
        way: iac_core::undo::Way::Set {
            property: "read status".into(),
            old: false.into(),
            now: true.into(),
            looks: Vec::new(),
        },
    };
    open(&folder).keep_undos(&[undo("undo_a", 0), undo("undo_b", 10)], &[], &[], Millis(10)).unwrap();
    let state = open(&folder);
    assert_eq!(state.undos(Millis(60 * 60 * 1000)).unwrap().len(), 1);
    state.keep_undos(&[], &["undo_b".into()], &[], Millis(20)).unwrap();
    assert_eq!(state.undos(Millis(20)).unwrap().len(), 1);
}

#[test]
fn the_newest_entries_of_all_logs_are_told() {
    let folder = folder();
    assert_eq!(audit::newest(folder.path(), 5).unwrap(), []);
    let (first, second) = (open(&folder), open(&folder));
    for n in 0..40 {
        let state = if n % 2 == 0 { &first } else { &second };
        state.record(Millis(1_000 * (n + 1)), &order(usize::try_from(n).unwrap()), true).unwrap();
    }
    let orders = |records: Vec<audit::Record>| -> Vec<String> {
        records.iter().map(|record| record.fields["order"].as_str().unwrap().to_owned()).collect()
    };
    let newest = audit::newest(first.folder(), 3).unwrap();
    assert_eq!(orders(newest), ["order 37", "order 38", "order 39"]);
    let large = Entry::Operator { order: "x".repeat(300 * 1024) };
    first.record(Millis(50_000), &large, true).unwrap();
    first.record(Millis(51_000), &order(50), true).unwrap();
    let newest = audit::newest(first.folder(), 2).unwrap();
    assert_eq!(
        orders(newest),
        ["order 39", "order 50"],
        "what is longer than the end that is read is left out"
    );
}

#[test]
fn records_are_in_the_order_in_which_they_were_written() {
    let folder = folder();
    let (first, second) = (open(&folder), open(&folder));
    for (n, at) in [190, 195, 195, 1_000, 1_002].into_iter().enumerate() {
        let state = if n < 3 { &first } else { &second };
        state.record(Millis(at), &order(n), true).unwrap();
    }
    for records in [audit::read(first.folder()).unwrap(), audit::newest(first.folder(), 20).unwrap()] {
        let orders: Vec<_> =
            records.iter().filter_map(|record| record.fields.get("order")?.as_str()).collect();
        assert_eq!(orders, ["order 0", "order 1", "order 2", "order 3", "order 4"]);
    }
}

/// Makes every log look as if it was last written at the beginning of 1970.
fn age(folder: &Path) {
    for entry in fs::read_dir(folder.join("audit")).unwrap().flatten() {
        let file = OpenOptions::new().append(true).open(entry.path()).unwrap();
        file.set_modified(std::time::UNIX_EPOCH + Duration::from_secs(1)).unwrap();
    }
}

fn count_logs(folder: &Path) -> usize {
    let entries = fs::read_dir(folder.join("audit")).unwrap().flatten();
    entries.filter(|entry| entry.path().extension().is_some_and(|ending| ending == "jsonl")).count()
}

#[test]
fn old_logs_are_removed_and_nothing_is_missed() {
    const DAY: u64 = 24 * 60 * 60 * 1000;
    let folder = folder();
    let state = |at: u64| {
        let state = open(&folder);
        state.record(Millis(at), &order(1), true).unwrap();
        state
    };
    let first = state(DAY);
    let (_newest, folder): (Vec<_>, _) =
        ((0..16).map(|_| state(2 * DAY)).collect(), first.folder().to_owned());
    assert_eq!(
        state(80 * DAY).remove_logs(Millis(80 * DAY), Millis(79 * DAY)).unwrap(),
        0,
        "they are younger"
    );
    age(&folder);
    state(91 * DAY);
    assert_eq!(count_logs(&folder), 19, "no other log says that it is so late");
    let newest = state(92 * DAY);
    assert_eq!(count_logs(&folder), 19, "the first one is gone, and one was begun");
    assert_eq!(audit::verify(&folder).unwrap(), [], "it is not missed");
    assert_eq!(
        newest.remove_logs(Millis(92 * DAY + 2), Millis(0)).unwrap(),
        17,
        "the log of day 91 is written now"
    );
    assert_eq!(audit::verify(&folder).unwrap(), []);
    first.record(Millis(93 * DAY), &order(2), true).unwrap();
    let orders: Vec<_> = audit::read(&folder).unwrap();
    let told = orders.iter().any(|record| record.fields.get("order") == Some(&"order 2".into()));
    assert!(told, "who still writes into what was removed begins another one");
    assert_eq!(audit::verify(&folder).unwrap(), []);
}

#[test]
fn a_clock_far_ahead_removes_no_logs() {
    const YEAR: u64 = 365 * 24 * 60 * 60 * 1000;
    let folder = folder();
    let begin = |at: u64| open(&folder).record(Millis(at), &order(1), true).unwrap();
    (0..20).for_each(|n| begin(56 * YEAR + n));
    for (n, ahead) in [120 * YEAR, 121 * YEAR].into_iter().enumerate() {
        begin(ahead);
        assert_eq!(count_logs(&folder.path().join("state")), 21 + n);
    }
    age(&folder.path().join("state"));
    begin(122 * YEAR);
    begin(123 * YEAR);
    assert!(count_logs(&folder.path().join("state")) >= 16, "the newest stay, whatever the clock says");
}

#[test]
fn what_the_operator_knows_of_is_not_found_again() {
    let folder = folder();
    let first = open(&folder);
    first.record(Millis(5), &order(1), true).unwrap();
    for damage in ["", "\u{fffd}/x", "no-such-log"] {
        write(&first, "audit/last", damage);
        let state = open(&folder);
        assert_ne!(audit::verify(state.folder()).unwrap(), [], "{damage:?}");
        assert_ne!(state.accept_findings(Millis(6)).unwrap(), [], "{damage:?}");
        assert_eq!(audit::verify(state.folder()).unwrap(), [], "{damage:?}");
    }
    let log = audit::read(first.folder()).unwrap().remove(0).file;
    write(&first, &format!("audit/{log}"), "{}\n");
    assert_ne!(audit::verify(first.folder()).unwrap(), [], "what is new is found");
}

#[test]
fn what_killed_processes_left_half_written_is_removed() {
    let folder = folder();
    let state = open(&folder);
    state.record(Millis(5), &order(1), true).unwrap();
    let old = std::time::SystemTime::now() - Duration::from_secs(120);
    for (name, modified) in [(".new-old", Some(old)), ("audit/.new-old", Some(old)), (".new-fresh", None)] {
        write(&state, name, "half");
        let file = OpenOptions::new().append(true).open(state.folder().join(name)).unwrap();
        modified.into_iter().for_each(|time| file.set_modified(time).unwrap());
    }
    let state = open(&folder);
    let left = |name: &str| state.folder().join(name).exists();
    assert_eq!((left(".new-old"), left("audit/.new-old"), left(".new-fresh")), (false, false, true));
    assert!(!audit::read(state.folder()).unwrap().is_empty());
}

#[test]
fn a_lock_that_is_never_given_back_is_not_waited_for() {
    let folder = folder();
    let state = open(&folder);
    let held = fs::File::create(state.folder().join("lock")).unwrap();
    held.lock().unwrap();
    let refused = state.grant(vec![grant("grant_a", "subject")], Millis(1_000)).unwrap_err();
    assert!(matches!(refused, StateError::Held { .. }), "{refused}");
    assert!(refused.remedy().is_some_and(|remedy| remedy.contains("stopped")));
    for n in 0..1000 {
        let refused = state.record(Millis(1_000), &order(n), true).unwrap_err();
        assert!(matches!(refused, StateError::Held { .. }), "{refused}");
    }
    held.unlock().unwrap();
    state.grant(vec![grant("grant_a", "subject")], Millis(1_000)).unwrap();
}
