//! Tests that create, show and reset worlds.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use iac_simulator::worlds::{self, Amounts};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The simulated Mac that comes with the project.
fn mac() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/mac")
}

fn run(world: &Path, script: &str) -> Output {
    #[expect(clippy::disallowed_methods, reason = "the program under test is started here")]
    let mut command = Command::new(env!("CARGO_BIN_EXE_osascript"));
    command.args(["-l", "JavaScript", "-e", script]).env("IAC_MCP_WORLD", world).output().unwrap()
}

fn answer(world: &Path, script: &str) -> String {
    let output = run(world, script);
    assert!(output.status.success(), "{script}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
}

#[expect(clippy::disallowed_methods, reason = "the test damages what it made")]
fn write(path: &Path, text: &[u8]) {
    fs::write(path, text).unwrap();
}

/// Makes a Mac with one app; returns it and the path of the app's data without the extension.
fn small(base: &Path) -> PathBuf {
    let app = "System/Applications/Contacts.app/Contents";
    let data = "data/com.apple.AddressBook";
    let files = ["mac.json", &format!("{app}/Info.plist"), &format!("{data}.json"), &format!("{data}.js")];
    for file in files {
        let to = base.join(file);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(mac().join(file), to).unwrap();
    }
    let resources = base.join(app).join("Resources");
    fs::create_dir_all(&resources).unwrap();
    for file in fs::read_dir(mac().join(app).join("Resources")).unwrap() {
        let file = file.unwrap();
        fs::copy(file.path(), resources.join(file.file_name())).unwrap();
    }
    base.join(data)
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
    // If the variable names a folder, the world stays there, to measure its speed.
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
}

#[test]
fn a_world_with_its_base_inside_can_be_moved() {
    let folder = tempfile::tempdir().unwrap();
    let (before, after) = (folder.path().join("before"), folder.path().join("after"));
    small(&before.join("base"));
    worlds::create(&before, &before.join("base")).unwrap();
    fs::rename(&before, &after).unwrap();
    assert_eq!(answer(&after, "Application('Contacts').people.length > 10"), "true");
    assert_eq!(worlds::base(&after).unwrap(), after.join("base"));
}

#[test]
fn what_cannot_be_read_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let data = small(folder.path());
    let check = |file: &Path| {
        let output = run(folder.path(), "Application('Contacts').people.length");
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && said.contains(&file.display().to_string()), "{said}");
        assert!(said.contains("(-36)"), "{said}");
        let shown = worlds::show(folder.path());
        assert!(shown.is_err(), "{shown:?}");
    };
    let behaviour = data.with_extension("AddressBook.js");
    write(&behaviour, b"({ \xff })");
    check(&behaviour);
    fs::remove_file(&behaviour).unwrap();
    fs::create_dir(&behaviour).unwrap();
    check(&behaviour);
    let json = data.with_extension("AddressBook.json");
    write(&json, b"{");
    check(&json);
}

#[test]
fn a_damaged_file_of_conditions_is_named() {
    let check = |file: &str, text: &str, expected: &str| {
        let folder = tempfile::tempdir().unwrap();
        small(folder.path());
        let path = folder.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        if file.starts_with("state/consent.json") {
            write(&folder.path().join("consent.json"), b"{}");
        }
        if text == "a folder" {
            fs::create_dir(&path).unwrap()
        } else {
            write(&path, text.as_bytes())
        }
        let said = String::from_utf8(run(folder.path(), "1").stderr).unwrap();
        assert!(said.contains(file) && said.contains(expected), "{file} with {text}: {said}");
        let shown = worlds::show(folder.path()).unwrap_err().to_string();
        assert!(shown.contains(file) && shown.contains(expected), "{file} with {text}: {shown}");
    };
    for file in ["faults.json", "latency.json", "additions.json", "consent.json", "eventkit.json"] {
        check(file, "{", "EOF");
        check(file, "a folder", "directory");
        check(file, r#"{"unheardOf": 1}"#, "unheardOf");
    }
    for file in ["state/consent.json", "state/consent.eventkit.json", "state/pasteboard"] {
        check(file, "{", "EOF");
        check(file, "a folder", "directory");
    }
    check("consent.json", r#"{"default": "perhaps"}"#, "perhaps");
    check("eventkit.json", r#"{"consent": {"events": 5}}"#, "the status 5 is not known; expected 0 to 4");
    check(
        "eventkit.json",
        r#"{"zones": {"a": "Europe/Nowhere"}}"#,
        "the zone `Europe/Nowhere` is not known here",
    );
    check(
        "eventkit.json",
        r#"{"moved": {"a": [{"from": "noon", "to": "2026-01-28T09:30:00"}]}}"#,
        "`noon` is not a local time",
    );
}

#[test]
fn what_was_not_made_whole_is_no_world() {
    let folder = tempfile::tempdir().unwrap();
    let (base, world) = (folder.path().join("base"), folder.path().join("world"));
    small(&base);
    write(&base.join("data/com.apple.mail.json"), b"{}");
    let check = |amounts: Amounts, expected: &str| {
        let error = worlds::generate(&world, &base, &amounts).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
        assert!(worlds::show(&world).is_err());
    };
    check(Amounts { messages: Some(10), ..Amounts::default() }, "nothing that could be repeated");
    check(Amounts { tasks: Some(99_999_999_999), ..Amounts::default() }, "no world holds more than 500000");
    worlds::generate(&world, &base, &Amounts { tasks: Some(5), ..Amounts::default() }).unwrap();
    assert!(worlds::show(&world).is_ok(), "what is not there is not repeated");
}

#[test]
fn the_headers_of_a_mail_follow_the_clock() {
    let folder = tempfile::tempdir().unwrap();
    let world = folder.path().join("world");
    worlds::create(&world, &mac()).unwrap();
    let script = "const m = Application('Mail').inbox.messages[0], day = text => new Date(text.match(/Date: (.*)/)[1]).toDateString();
        [day(m.allHeaders()), day(m.source()), new Date(m.headers.byName('Date').content()).toDateString()]
            .every(each => each === m.dateReceived().toDateString())";
    assert_eq!(answer(&world, script), "true");
}

/// Apps store the time at which something happens, and not the time of the world's first change.
#[test]
fn the_clock_of_a_world_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let world = folder.path().join("world");
    worlds::create(&world, &mac()).unwrap();
    let script = "const N = Application('Notes'), made = name => { const n = N.Note({name}); N.folders[0].notes.push(n); return n.creationDate() };
        const first = made('one'); delay(1.2); const wait = made('two') - first; wait >= 1000 && Math.abs(new Date() - first) < 60000";
    assert_eq!(answer(&world, script), "true");
    let later = "const N = Application('Notes'), at = name => N.notes.byName(name).creationDate().getTime(); at('two') > at('one')";
    assert_eq!(answer(&world, later), "true", "the journal keeps the times");
}
