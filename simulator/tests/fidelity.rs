//! Every fact of `tests/fidelity` holds on the simulator; the same runner asks a real Mac.
use std::path::Path;
use std::process::Command;

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
    let Ok(output) = runner.arg("--world").arg(root.join("fixtures/mac")).output() else {
        return println!("skipped: no python3 to run tests/fidelity/run.py with");
    };
    let said = String::from_utf8(output.stdout).unwrap();
    let sum = said.lines().last().unwrap_or_default();
    let facts: usize = sum.split(' ').next().unwrap().parse().unwrap_or_default();
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    assert!(facts >= 150 && sum.contains("0 differ") && sum.contains("0 could not tell"), "{said}");
}

#[test]
fn each_refusal_has_a_fact_that_fails_without_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    #[expect(clippy::disallowed_methods, reason = "the runner is a program of its own")]
    let mut runner = Command::new("python3");
    runner.arg(root.join("tests/fidelity/refusals.py"));
    runner.args(["--osascript", env!("CARGO_BIN_EXE_osascript"), "--world"]).arg(root.join("fixtures/mac"));
    let Ok(output) = runner.output() else {
        return println!("skipped: no python3 to run tests/fidelity/refusals.py with");
    };
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
