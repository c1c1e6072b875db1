//! Worlds that are made, looked at and set back.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use iac_simulator::worlds::{self, Amounts};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The simulated Mac that comes with the project.
fn mac() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/mac")
}

fn answer(world: &Path, script: &str) -> String {
    #[expect(clippy::disallowed_methods, reason = "the program under test is started here")]
    let mut command = Command::new(env!("CARGO_BIN_EXE_osascript"));
    let output =
        command.args(["-l", "JavaScript", "-e", script]).env("IAC_MCP_WORLD", world).output().unwrap();
    assert!(output.status.success(), "{script}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
}

#[test]
fn a_generated_world_has_what_was_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let amounts =
        Amounts { messages: Some(250), events: Some(400), files: Some(250), tasks: Some(50), seed: 7 };
    let (one, other) = (folder.path().join("one"), folder.path().join("other"));
    worlds::generate(&one, &mac(), &amounts).unwrap();
    worlds::generate(&other, &mac(), &amounts).unwrap();
    let check = |script: &str, expected: &str| assert_eq!(answer(&one, script), expected, "{script}");
    check("Application('Mail').accounts[0].mailboxes.byName('INBOX').messages.length", "250");
    check("const ids = Application('Mail').accounts[0].mailboxes[0].messages.id(); new Set(ids).size", "250");
    check("Application('Calendar').calendars.events.uid().flat().length", "400");
    check(
        "const a = Application('Finder').home.folders.Documents.folders.Archive.folders; [a.length, a.items.name().flat().length].join()",
        "3,250",
    );
    check("Application('Reminders').lists.reminders.name().flat().length", "50");
    let subjects = "Application('Mail').accounts[0].mailboxes[0].messages.subject().join('|')";
    assert_eq!(answer(&one, subjects), answer(&other, subjects), "the same seed gives the same world");
}

#[test]
fn ten_thousand_tasks_are_one_evaluation() {
    let folder = tempfile::tempdir().unwrap();
    // Whoever wants to look at the time that it takes keeps the world.
    let kept = std::env::var_os("IAC_MCP_KEEP").map(PathBuf::from);
    let world = kept.unwrap_or_else(|| folder.path().join("world"));
    let amounts = Amounts { tasks: Some(10_000), seed: 7, ..Amounts::default() };
    worlds::generate(&world, &mac(), &amounts).unwrap();
    let script = "Application('OmniFocus').evaluateJavascript(`
        const tasks = flattenedTasks.filter((task) => task.project === null);
        const read = tasks.map((task) => [task.id.primaryKey, task.name, task.dueDate, task.taskStatus, task.tags.length, task.containingProject?.name]);
        [read.length, new Set(read.map(([id]) => id)).size, read.every(([, name]) => name.length > 0)].join()`)";
    assert_eq!(answer(&world, script), "10000,10000,true");
}

#[test]
fn a_world_is_shown_and_set_back() {
    let folder = tempfile::tempdir().unwrap();
    let world = folder.path().join("world");
    worlds::create(&world, &mac()).unwrap();
    let contacts = || worlds::show(&world).unwrap().into_iter().find(|app| app.name == "Contacts").unwrap();
    let before = contacts();
    assert!(!before.running && before.objects > 10, "{before:?}");
    answer(&world, "Application('Contacts').people.name()");
    assert!(contacts().running, "an event started it");
    worlds::reset(&world).unwrap();
    assert_eq!(contacts(), before);
    assert!(worlds::create(&world, &mac()).is_err(), "a world is not made twice");
    assert!(worlds::create(&folder.path().join("none"), folder.path()).is_err(), "a base has a mac.json");
    let root = worlds::app_roots(&world).unwrap();
    assert!(root.iter().any(|root| root.ends_with("System/Library/CoreServices")), "{root:?}");
}
