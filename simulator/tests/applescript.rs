//! The AppleScript statements that some servers use beside their JavaScript; everything else is refused.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;
use std::process::Command;

/// Returns the status, and the last line of stdout or stderr.
fn ask(script: &str) -> (i32, String) {
    let world = tempfile::tempdir().unwrap();
    let base = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/mac");
    let settings = serde_json::json!({"base": base, "clock": "anchor"}).to_string();
    #[expect(clippy::disallowed_methods, reason = "a test orders its world")]
    std::fs::write(world.path().join("world.json"), settings).unwrap();
    #[expect(clippy::disallowed_methods, reason = "the program under test is started here")]
    let mut command = Command::new(env!("CARGO_BIN_EXE_osascript"));
    let done = command.args(["-e", script]).env("IAC_MCP_WORLD", world.path()).output().unwrap();
    let said = if done.status.success() { done.stdout } else { done.stderr };
    (done.status.code().unwrap(), String::from_utf8(said).unwrap().trim_end_matches('\n').to_owned())
}

#[test]
fn plain_questions_are_answered() {
    for (script, expected) in [
        ("tell application \"System Events\" to return (process \"Mail\" exists)", "true"),
        (
            "tell application \"System Events\"\n  return application process \"Nope\" exists\nend tell",
            "false",
        ),
        ("tell application \"System Events\" to exists process \"Finder\"", "true"),
        ("tell application \"Contacts\"\n  count every person -- all of them\nend tell", "19"),
        ("tell application \"Mail\" to count of mailboxes", "2"),
        ("tell application \"Mail\"\n  return its version\nend tell", "16.0"),
        ("tell application \"Mail\" to name of mailbox 1", "Before 2020"),
        (
            "tell application \"Mail\" to get name of every account",
            "iCloud, Northwind Atelier, Liederkranz Süd e.V.",
        ),
        ("tell application \"OmniFocus\" to return \"ok\"", "ok"),
        ("application \"Contacts\" is running", "false"),
        (
            "tell application \"Contacts\" to launch\ndelay 0.01\nreturn application \"Contacts\" is running",
            "true",
        ),
        ("tell application \"Mail\" to activate", ""),
        (
            "tell application \"Mail\"\n  set name of signature 1 to \"Brief\"\n  name of signature 1\nend tell",
            "Brief",
        ),
        ("42", "42"),
    ] {
        assert_eq!(ask(script), (0, expected.to_owned()), "{script}");
    }
}

#[test]
fn errors_name_the_app_and_carry_the_number() {
    let (status, said) = ask("tell application \"Mail\" to name of mailbox 9");
    assert_eq!((status, said.as_str()), (1, "execution error: Mail got an error: Invalid index. (-1719)"));
    let (status, said) = ask("tell application \"System Events\" to visible of process \"Nope\"");
    assert!(
        status == 1
            && said.starts_with("execution error: System Events got an error: ")
            && said.ends_with("(-1728)")
    );
}

#[test]
fn everything_else_is_refused() {
    for script in [
        "1 + 1",
        "set x to 1",
        "tell application \"Notes\" to make new note",
        "tell application \"No such app\" to activate",
        "tell application \"Mail\"\n  repeat with m in mailboxes\n  end repeat\nend tell",
        "tell application \"Mail\" to count every moon",
        "tell application \"Mail\" to get colour of mailbox 1",
        "tell application \"Mail\"\n  its version",
        "display dialog \"x\"",
        "\"a \\\" b\"",
    ] {
        let (status, said) = ask(script);
        assert!(status == 1 && said.contains("answers only plain questions"), "{script}: {said}");
    }
    let (status, said) = ask("tell application \"Mail\" to inbox");
    assert!(status == 1 && said.contains("does not write this value"), "{said}");
}
