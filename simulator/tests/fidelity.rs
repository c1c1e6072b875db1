//! Every fact of `tests/fidelity` must hold on the simulator; the same runner checks a real Mac.
use std::path::Path;
use std::process::{Command, Stdio};

/// A test that does not run must not pass.
const PYTHON: &str = "python3 runs tests/fidelity; install it";

#[test]
fn every_fact_holds() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    #[expect(clippy::disallowed_methods, reason = "the runner is a program of its own")]
    let mut runner = Command::new("python3");
    runner.arg(root.join("tests/fidelity/run.py")).args([
        "--writes",
        "--osascript",
        env!("CARGO_BIN_EXE_osascript"),
    ]);
    let output = runner.arg("--world").arg(root.join("fixtures/mac")).output().expect(PYTHON);
    let said = String::from_utf8(output.stdout).unwrap();
    let sum = said.lines().last().unwrap_or_default();
    let facts: usize = sum.split(' ').next().unwrap().parse().unwrap_or_default();
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    assert!(facts >= 150 && sum.contains("0 differ") && sum.contains("0 could not tell"), "{said}");
}

/// Runs `run.py --first-hour`, and returns its output and its report.
fn first_hour(more: &[&str]) -> (String, serde_json::Value) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folder = tempfile::tempdir().expect("a folder");
    let report = folder.path().join("report.json");
    #[expect(clippy::disallowed_methods, reason = "the runner is a program of its own")]
    let mut runner = Command::new("python3");
    runner.arg(root.join("tests/fidelity/run.py")).args(["--first-hour", "--hours", "0.0001", "--report"]);
    runner.arg(&report).args(["--osascript", env!("CARGO_BIN_EXE_osascript"), "--world"]);
    let output =
        runner.arg(root.join("fixtures/mac")).args(more).stdin(Stdio::null()).output().expect(PYTHON);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    let report = std::fs::read(report).expect("it wrote its report");
    (said, serde_json::from_slice(&report).expect("JSON"))
}

const PARTS: [&str; 7] = ["facts", "questions", "risks", "times", "stores", "worker", "writes"];

#[test]
fn the_first_hour_tells_much_and_nothing_private() {
    let (said, report) = first_hour(&["--yes"]);
    for part in PARTS {
        assert!(report[part]["left_out"].is_null() && report[part]["failed"].is_null(), "{part}: {report}");
    }
    assert!(report["facts"].as_array().unwrap().len() > 200 && said.contains(" 0 differ"), "{said}");
    assert!(
        report["times"]["Mail"]["column_ms"].is_number()
            && report["worker"]["asked"].as_u64().unwrap() >= 200
    );
    assert_eq!(report["left_behind"], serde_json::json!({}), "all that it made is gone");
    let text = report.to_string();
    for private in ["alex", "Alex", "ACME", "Garden", "Lyon", "Northwind", "/Users"] {
        assert!(!text.contains(private), "the report says {private}");
    }
}

#[test]
fn the_first_hour_does_nothing_without_a_yes() {
    let (said, report) = first_hour(&[]);
    assert!(PARTS.iter().all(|part| report[part]["left_out"] == true), "{said}{report}");
}

#[test]
fn each_refusal_has_a_fact_that_fails_without_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    #[expect(clippy::disallowed_methods, reason = "the runner is a program of its own")]
    let mut runner = Command::new("python3");
    runner.arg(root.join("tests/fidelity/refusals.py"));
    runner.args(["--osascript", env!("CARGO_BIN_EXE_osascript"), "--world"]).arg(root.join("fixtures/mac"));
    let output = runner.output().expect(PYTHON);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn every_assumption_has_a_name_in_the_guide() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let guide = std::fs::read_to_string(root.join("docs/simulator.md")).unwrap();
    let mut named = 0;
    for file in std::fs::read_dir(root.join("tests/fidelity/facts")).unwrap() {
        let facts = std::fs::read_to_string(file.unwrap().path()).unwrap();
        for name in facts
            .lines()
            .filter_map(|line| line.strip_prefix("=== ")?.split_once(" [I ")?.1.strip_suffix(']'))
        {
            assert!(
                guide.contains(&format!("`{name}`")),
                "docs/simulator.md does not name the assumption `{name}`"
            );
            named += 1;
        }
    }
    assert!(named >= 10, "the facts name {named} assumptions");
}
