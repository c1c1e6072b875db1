//! Runs every case of `cases/` on the world of the tests, and every case of `mac/` on the simulated Mac that comes
//! with the project: each case is a script and the expected result of the process.
//!
//! A case begins with `=== title`; then come its script, a line `--- ok` or `--- fails` (with `events N` where the
//! number of Apple events matters), and the exact stdout or stderr. Lines `+++ name text` before the script put files
//! into the world. `UPDATE_EXPECT=1` writes the actual results.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

#[test]
fn every_case_behaves_as_written() {
    let failures =
        [check_folder("cases", &base("world")), check_folder("mac", &base("../../fixtures/mac"))].concat();
    assert!(failures.is_empty(), "{} cases differ\n{}", failures.len(), failures.join("\n"));
}

fn check_folder(folder: &str, base: &Path) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder);
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.iter().flat_map(|file| check_file(file, base)).collect()
}

struct Case {
    title: String,
    script: String,
    expected: Outcome,
}

#[derive(PartialEq)]
struct Outcome {
    ok: bool,
    events: Option<usize>,
    text: String,
}

fn check_file(file: &Path, base: &Path) -> Vec<String> {
    let cases = read(&std::fs::read_to_string(file).unwrap());
    assert!(!cases.is_empty(), "{} has no case", file.display());
    let happened: Vec<Outcome> = cases.iter().map(|case| run(case, base)).collect();
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        rewrite(file, &cases, &happened);
    }
    let pairs = cases.iter().zip(&happened).filter(|(case, happened)| case.expected != **happened);
    let name = file.file_name().unwrap().to_string_lossy();
    pairs.map(|(case, happened)| difference(&name, case, happened)).collect()
}

fn difference(file: &str, case: &Case, happened: &Outcome) -> String {
    format!(
        "== {file}: {}\n{}expected {}happened {}",
        case.title,
        case.script,
        show(&case.expected),
        show(happened)
    )
}

fn show(outcome: &Outcome) -> String {
    let events = outcome.events.map(|events| format!(" events {events}")).unwrap_or_default();
    format!("--- {}{events}\n{}", if outcome.ok { "ok" } else { "fails" }, outcome.text)
}

fn read(text: &str) -> Vec<Case> {
    let text = format!("\n{}", text.trim_end_matches('\n'));
    text.split("\n=== ").skip(1).map(|case| read_case(&format!("{case}\n"))).collect()
}

fn read_case(text: &str) -> Case {
    let (title, rest) = text.split_once('\n').unwrap();
    let (script, rest) = rest.split_once("\n--- ").unwrap_or_else(|| panic!("no outcome in `{title}`"));
    let (how, text) = rest.split_once('\n').unwrap();
    let mut words = how.split(' ');
    let ok = words.next() == Some("ok");
    let events = words.nth(1).map(|count| count.parse().unwrap());
    let expected = Outcome { ok, events, text: text.to_owned() };
    Case { title: title.to_owned(), script: format!("{script}\n"), expected }
}

fn rewrite(file: &Path, cases: &[Case], happened: &[Outcome]) {
    let mut text = String::new();
    for (case, happened) in cases.iter().zip(happened) {
        write!(text, "=== {}\n{}{}", case.title, case.script, show(happened)).unwrap();
    }
    write(file, &text);
}

fn write(file: &Path, text: &str) {
    #[expect(
        clippy::disallowed_methods,
        reason = "a test orders its world, and writes its expectations on request"
    )]
    std::fs::write(file, text).unwrap();
}

fn base(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder)
}

fn osascript(arguments: &[&str]) -> Command {
    #[expect(clippy::disallowed_methods, reason = "the program under test is started here")]
    let mut command = Command::new(env!("CARGO_BIN_EXE_osascript"));
    command.args(arguments).env("IAC_MCP_WORLD", base("world"));
    command.env("TZ", "Europe/Berlin").env_remove("IAC_MCP_TRACE");
    command
}

fn run(case: &Case, base: &Path) -> Outcome {
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("trace");
    let world = folder.path().join("world");
    let settings = serde_json::json!({"base": base, "clock": "anchor"}).to_string();
    std::fs::create_dir(&world).unwrap();
    write(&world.join("world.json"), &settings);
    let (files, script): (Vec<&str>, Vec<&str>) =
        case.script.lines().partition(|line| line.starts_with("+++ "));
    for file in files {
        let (name, text) = file.trim_start_matches("+++ ").split_once(' ').unwrap();
        write(&world.join(name), text);
    }
    let arguments = ["-l", "JavaScript", "-e", &script.join("\n"), "one", "zwei drei", ""];
    let output =
        osascript(&arguments).env("IAC_MCP_TRACE", &trace).env("IAC_MCP_WORLD", &world).output().unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap().replace(&*world.to_string_lossy(), "WORLD");
    let events = case.expected.events.map(|_| iac_simulator::trace::read(&trace).unwrap().len());
    let ok = output.status.code() == Some(0);
    assert!(ok || output.status.code() == Some(1), "{}: status {:?}\n{stderr}", case.title, output.status);
    Outcome { ok, events, text: if ok { stdout } else { stderr } }
}

/// Runs the program with a script on stdin; returns its status, stdout and stderr.
fn with_stdin(arguments: &[&str], stdin: &str) -> (Option<i32>, String, String) {
    let mut command = osascript(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A program may end without reading its input, which closes the pipe; that is not an error of the test.
    let _ = child.stdin.take().unwrap().write_all(stdin.as_bytes());
    let output = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn a_compiled_script_says_itself_that_it_is_javascript() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("main.scpt");
    let compile = |source: &str, padding: &[u8]| {
        let script = plist::Dictionary::from_iter([("script", source)]);
        let mut bytes = b"JsOsaDAS1.001.00".to_vec();
        plist::Value::Dictionary(script).to_writer_binary(&mut bytes).unwrap();
        bytes.extend_from_slice(padding);
        bytes.extend_from_slice(b"jscr\x00\x01\x00\x0d\xfa\xde\xde\xad");
        std::fs::File::create(&path).unwrap().write_all(&bytes).unwrap();
    };
    let file = path.to_str().unwrap();
    for padding in [&b""[..], b"\0"] {
        compile("function run(argv) { return `${argv[0]} é ✓` }", padding);
        for language in [&[][..], &["-l", "JavaScript"], &["-l", "AppleScript"]] {
            let happened = with_stdin(&[language, &[file, "one"]].concat(), "");
            assert_eq!(happened, (Some(0), "one é ✓\n".to_owned(), String::new()), "{language:?}");
        }
    }
    compile("nothing", b"");
    let (status, _, said) = with_stdin(&[file], "");
    assert!(
        status == Some(1) && said.contains("main.scpt: execution error: Error: ReferenceError"),
        "{said}"
    );
}

#[test]
fn options_and_streams() {
    let file = tempfile::NamedTempFile::with_suffix(".js").unwrap();
    file.as_file()
        .write_all(
            b"#!/usr/bin/env osascript -l JavaScript\nfunction run(argv) { return argv[0] || nothing }",
        )
        .unwrap();
    let path = file.path().to_str().unwrap();
    let js = ["-l", "JavaScript"];
    let check = |arguments: &[&str], stdin: &str, status: i32, out: &str, err: &str| {
        let happened = with_stdin(arguments, stdin);
        assert_eq!(happened, (Some(status), out.to_owned(), err.to_owned()), "{arguments:?}");
    };
    let with = |more: &[&'static str]| [&js[..], more].concat();
    check(&js, "1 + 1", 0, "2\n", "");
    check(&["-lJavaScript"], "1 + 1", 0, "2\n", "");
    check(&with(&["-", "a"]), "function run(argv) { return argv }", 0, "a\n", "");
    check(&with(&["-e", "var a = 1", "-e", "a + 1"]), "", 0, "2\n", "");
    check(&[&js[..], &[path, "x y"]].concat(), "", 0, "x y\n", "");
    let missing =
        format!("{path}: execution error: Error: ReferenceError: Can't find variable: nothing (-2700)\n");
    check(&[&js[..], &[path]].concat(), "", 1, "", &missing);
    let unknown = "execution error: Error: ReferenceError: Can't find variable: nothing (-2700)\n";
    check(&with(&["-s", "o", "-e", "nothing"]), "", 1, unknown, "");
    check(&with(&["-s", "oe", "-e", "nothing"]), "", 1, "", unknown);
    check(&with(&["-ss", "-e", "['a\"b', 1]"]), "", 0, "[\"a\\\"b\", 1]\n", "");
    check(&with(&["/no/such.js"]), "", 1, "", "osascript: /no/such.js: No such file or directory\n");
    check(&with(&["-e", "console.log('a', 1, null)"]), "", 0, "\n", "a 1 null\n");
    let session = ">> => 1\n>> => \"a\"\n>> !! Error on line 1: ReferenceError: Can't find variable: nothing\n>> => undefined\n>> \n";
    check(&with(&["-i"]), "let a = 1; a\n'a'\nnothing\nvar b\n", 0, session, "");
    assert_eq!(with_stdin(&["-z"], "").0, Some(2));
    assert_eq!(with_stdin(&["-l"], "").0, Some(2));
    assert_eq!(with_stdin(&["-l", "Perl", "-e", "1"], "").0, Some(1));
    assert_eq!(with_stdin(&["-e", "1 + 1"], "").0, Some(1), "AppleScript is not simulated");
}
