//! Records a program's runs of osascript, and repeats them.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use iac_simulator::record::{self, Osascript, Run};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

struct Desk {
    folder: tempfile::TempDir,
    osascript: Osascript,
}

impl Desk {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let base = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/world");
        let world = folder.path().join("world");
        iac_simulator::worlds::create(&world, &base).unwrap();
        let command = vec![OsString::from(env!("CARGO_BIN_EXE_osascript"))];
        let environment = vec![("IAC_MCP_WORLD".into(), world.into())];
        Self { folder, osascript: Osascript { command, environment } }
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("recording")
    }

    fn record(&self, shell: &str) -> (Option<i32>, Vec<Run>) {
        let command: Vec<OsString> = ["sh", "-c", shell].map(OsString::from).to_vec();
        let own = Path::new(env!("CARGO_BIN_EXE_osascript"));
        let status = record::record(&self.file(), own, &self.osascript, &command).unwrap();
        (status.code(), record::read(&self.file()).unwrap())
    }
}

#[test]
fn every_run_is_a_line() {
    let desk = Desk::new();
    let script = desk.folder.path().join("a script.js");
    #[expect(clippy::disallowed_methods, reason = "a test orders its world")]
    std::fs::write(
        &script,
        "function run(argv) { console.log(argv[0]); return Application('Shelf').name() }",
    )
    .unwrap();
    let (status, runs) = desk.record(&format!(
        "osascript -l JavaScript -e '1 + 1' > /dev/null
         echo \"Application('Shelf').boxes.length\" | osascript -l JavaScript - more > /dev/null
         osascript -l JavaScript '{}' é 2> /dev/null > /dev/null
         osascript -l JavaScript -e 'nothing' 2> /dev/null
         exit 3",
        script.display()
    ));
    assert_eq!(status, Some(3));
    let shown: Vec<(i32, &str, &str)> =
        runs.iter().map(|run| (run.status, run.stdout.as_str(), run.stderr.as_str())).collect();
    let missing = "execution error: Error: ReferenceError: Can't find variable: nothing (-2700)\n";
    assert_eq!(shown, [(0, "2\n", ""), (0, "3\n", ""), (0, "Shelf\n", "é\n"), (1, "", missing)]);
    assert_eq!(runs[1].stdin, "Application('Shelf').boxes.length\n");
    assert_eq!(runs[1].events.iter().map(|event| event.event.as_str()).collect::<Vec<_>>(), ["count"]);
    assert!(runs[2].script.as_ref().unwrap().text.starts_with("function run"), "{:?}", runs[2]);
}

#[test]
fn what_is_passed_on_is_what_was_asked() {
    let desk = Desk::new();
    let (status, runs) = desk.record("test \"$(printf 'a\\nb' | osascript -l JavaScript -e \"ObjC.import('Foundation'); $.NSString.alloc.initWithDataEncoding($.NSFileHandle.fileHandleWithStandardInput.readDataToEndOfFile, 4).js.length\")\" = 3");
    assert_eq!(status, Some(0), "a script reads its own stdin: {runs:?}");
    assert_eq!(runs[0].stdin, "", "which is not recorded");
}

#[test]
fn asked_again_it_agrees_or_differs() {
    let desk = Desk::new();
    let count = "Application('Shelf').boxes.length";
    let (_, runs) = desk.record(&format!(
        "cd '{}'; osascript -l JavaScript -e \"{count}\"; echo '1 +' | osascript -l JavaScript; echo 'oops' > x.js; osascript -l JavaScript x.js; rm x.js",
        desk.folder.path().display()
    ));
    let again = record::again(runs.clone(), &desk.osascript).unwrap();
    assert_eq!(
        again.iter().map(|each| each.differences()).collect::<Vec<_>>(),
        [vec![""; 0], vec![], vec![]]
    );
    let push = format!("const s = Application('Shelf'); s.boxes.push(s.Box({{name: 'New'}})); {count}");
    desk.record(&format!("osascript -l JavaScript -e \"{push}\""));
    let again = record::again(runs, &desk.osascript).unwrap();
    assert_eq!(again[0].differences(), ["stdout"], "{again:?}");
    assert_eq!(again[0].happened.stdout, "4\n");
}

#[test]
fn a_line_that_is_no_run_is_named() {
    let desk = Desk::new();
    for (line, said) in [
        ("{}", "line 1: missing field"),
        (
            r#"{"arguments":[],"script":{"argument":0,"text":""},"status":0,"stdout":"","stderr":""}"#,
            "line 1: no such argument",
        ),
    ] {
        #[expect(clippy::disallowed_methods, reason = "a test orders its world")]
        std::fs::write(desk.file(), line).unwrap();
        let error = record::read(&desk.file()).unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
    }
}
