//! Local times around clock changes, as the language specification defines them.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;
use std::process::Command;

fn check(zone: &str, script: &str, expected: &str) {
    let world = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/world");
    #[expect(clippy::disallowed_methods, reason = "the program under test is started here")]
    let mut command = Command::new(env!("CARGO_BIN_EXE_osascript"));
    command.args(["-l", "JavaScript", "-e", script]).env("IAC_MCP_WORLD", world).env("TZ", zone);
    let output = command.output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(String::from_utf8(output.stdout).unwrap().trim_end(), expected, "{zone} {script}: {told}");
}

#[test]
fn a_skipped_time_is_later_and_a_time_that_occurs_twice_is_the_first() {
    for (zone, written, instant) in [
        ("Europe/Berlin", "2027-03-28T01:30", "2027-03-28T00:30:00.000Z"),
        ("Europe/Berlin", "2027-03-28T02:30", "2027-03-28T01:30:00.000Z"),
        ("Europe/Berlin", "2027-03-28T03:00", "2027-03-28T01:00:00.000Z"),
        ("Europe/Berlin", "2026-10-25T02:30", "2026-10-25T00:30:00.000Z"),
        ("Europe/Berlin", "2026-10-25T03:00", "2026-10-25T02:00:00.000Z"),
        ("Europe/Berlin", "28 March 2027 01:30", "2027-03-28T00:30:00.000Z"),
        ("Europe/Berlin", "2027-03-28", "2027-03-28T00:00:00.000Z"),
        ("Europe/Berlin", "2027-03-28T02:30:00+01:00", "2027-03-28T01:30:00.000Z"),
        ("America/St_Johns", "2027-03-14T02:15", "2027-03-14T05:45:00.000Z"),
        ("America/Los_Angeles", "2026-11-01T01:30", "2026-11-01T08:30:00.000Z"),
        ("Australia/Lord_Howe", "2026-04-05T01:45", "2026-04-04T14:45:00.000Z"),
        ("UTC", "2027-03-28T02:30", "2027-03-28T02:30:00.000Z"),
    ] {
        check(zone, &format!("new Date('{written}').toISOString()"), instant);
        check(zone, &format!("new Date(Date.parse('{written}')).toISOString()"), instant);
    }
}

#[test]
fn parts_and_setters_lead_to_the_same_times() {
    let berlin = |script: &str, expected: &str| check("Europe/Berlin", script, expected);
    berlin("new Date(2027, 2, 28, 1, 30).toISOString()", "2027-03-28T00:30:00.000Z");
    berlin("new Date(2027, 2, 28, 2, 30).getHours()", "3");
    berlin(
        "const d = new Date(2027, 2, 27, 1, 30); d.setDate(28); d.toISOString()",
        "2027-03-28T00:30:00.000Z",
    );
    berlin("const d = new Date(2026, 9, 25); d.setHours(3); d.toISOString()", "2026-10-25T02:00:00.000Z");
    berlin("const d = new Date(NaN); d.setFullYear(2026); String(d.getTime())", "1767222000000");
    berlin(
        "[new Date() instanceof Date, Date.length, typeof Date(), new Date(0).constructor === Date, isNaN(new Date('x'))].join()",
        "true,7,string,true,true",
    );
    berlin(
        "[new Date(new Date(5)).getTime(), new Date(null).getTime(), isNaN(new Date(2026, NaN)), new Date(99, 0).getFullYear()].join()",
        "5,0,true,1999",
    );
}
