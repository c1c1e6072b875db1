//! Several processes in one world: a change that was answered stays, even if its process was killed.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// Evaluates each line of its input and answers it with one line, until the input ends.
const WORKER: &str = r"
ObjC.import('Foundation'); ObjC.import('stdlib');
const shelf = Application('Shelf');
function run() {
  const input = $.NSFileHandle.fileHandleWithStandardInput, output = $.NSFileHandle.fileHandleWithStandardOutput;
  let rest = '';
  for (;;) {
    const data = input.availableData;
    if (data.length === 0) $.exit(7);
    rest += $.NSString.alloc.initWithDataEncoding(data, $.NSUTF8StringEncoding).js;
    const lines = rest.split('\n');
    rest = lines.pop();
    for (const line of lines) {
      let answer;
      try { answer = String(eval(line)) } catch (e) { answer = `${e.errorNumber ?? -2700} ${e.message}` }
      output.writeData($(answer + '\n').dataUsingEncoding(4));
    }
  }
}";

/// A world in its own temporary folder.
struct World(tempfile::TempDir);

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let base = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/world");
        iac_simulator::worlds::create(&folder.path().join("world"), &base).unwrap();
        Self(folder)
    }

    fn path(&self) -> PathBuf {
        self.0.path().join("world")
    }

    fn osascript(&self, script: &str) -> Command {
        #[expect(clippy::disallowed_methods, reason = "the program under test is started here")]
        let mut command = Command::new(env!("CARGO_BIN_EXE_osascript"));
        command.args(["-l", "JavaScript", "-e", script]).env("IAC_MCP_WORLD", self.path());
        command
    }

    fn answer(&self, script: &str) -> String {
        let output = self.osascript(script).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
    }

    fn worker(&self) -> Worker {
        let mut child = self.osascript(WORKER).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (input, output) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        Worker { child, input, output }
    }
}

struct Worker {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Worker {
    fn ask(&mut self, line: &str) -> String {
        self.input.write_all(format!("{line}\n").as_bytes()).unwrap();
        let mut answer = String::new();
        self.output.read_line(&mut answer).unwrap();
        answer.trim_end().to_owned()
    }
}

#[test]
fn a_worker_answers_line_by_line_and_ends_with_its_input() {
    let world = World::new();
    let mut worker = world.worker();
    assert_eq!(worker.ask("shelf.owner()"), "Alex");
    assert_eq!(worker.ask("'ä'.repeat(70000)").chars().count(), 70_000);
    assert_eq!(worker.ask("shelf.boxes[9].name()"), "-1719 Invalid index.");
    drop(worker.input);
    assert_eq!(worker.child.wait().unwrap().code(), Some(7));
}

#[test]
fn what_one_process_writes_the_next_event_of_another_reads() {
    let world = World::new();
    let (mut one, mut other) = (world.worker(), world.worker());
    for round in 0..50 {
        one.ask(&format!("shelf.owner = 'owner {round}'"));
        assert_eq!(other.ask("shelf.owner()"), format!("owner {round}"));
        other.ask(&format!("shelf.currentBox.notes.push(shelf.Note({{subject: 'note {round}'}}))"));
        assert_eq!(one.ask("shelf.currentBox.notes[-1].subject()"), format!("note {round}"));
    }
    assert_eq!(world.answer("Application('Shelf').currentBox.notes.length"), "53");
    iac_simulator::worlds::reset(&world.path()).unwrap();
    assert_eq!(one.ask("shelf.owner()"), "Alex", "a reset is seen by processes that run");
}

/// Writes notes as fast as it can; each line of its output names a note whose write was answered.
fn writer(name: &str, notes: usize) -> String {
    format!(
        "const shelf = Application('Shelf');
         const output = $.NSFileHandle.fileHandleWithStandardOutput;
         for (let at = 0; at < {notes}; at++) {{
           const subject = `{name}-${{at}}`, note = shelf.Note({{subject, body: 'x'.repeat(900)}});
           shelf.boxes[at % 2].notes.push(note);
           note.priority = at;
           if (at % 5 === 4) note.move({{to: shelf.boxes[(at + 1) % 2]}});
           output.writeData($(subject + '\\n').dataUsingEncoding(4));
         }}"
    )
}

/// How many notes the surviving writer writes. Ten thousand take minutes, so a variable sets the number.
fn many() -> usize {
    std::env::var("IAC_MCP_TEST_WRITES").ok().and_then(|count| count.parse().ok()).unwrap_or(300)
}

/// A number that differs in each call.
fn random(below: u64) -> u64 {
    use std::hash::{BuildHasher as _, RandomState};
    RandomState::new().hash_one(0) % below
}

#[test]
fn writers_that_are_killed_at_random_lose_nothing_and_break_nothing() {
    let world = World::new();
    let start =
        |name: &str, notes| world.osascript(&writer(name, notes)).stdout(Stdio::piped()).spawn().unwrap();
    let mut other = start("other", many());
    let mut stdout = other.stdout.take().unwrap();
    let reader = std::thread::spawn(move || {
        let mut answered = String::new();
        stdout.read_to_string(&mut answered).unwrap();
        answered
    });
    let (mut answered, mut killed) = (String::new(), 0);
    while other.try_wait().unwrap().is_none() {
        let mut doomed = start(&format!("doomed{killed}"), 1_000_000);
        std::thread::sleep(std::time::Duration::from_millis(100 + random(400)));
        doomed.kill().unwrap();
        doomed.stdout.take().unwrap().read_to_string(&mut answered).unwrap();
        doomed.wait().unwrap();
        killed += 1;
    }
    assert!(other.wait().unwrap().success());
    answered.push_str(&reader.join().unwrap());
    let answered: BTreeSet<&str> = answered
        .split_inclusive('\n')
        .filter_map(|line| line.strip_suffix('\n'))
        .filter(|line| !line.is_empty())
        .collect();
    let all = world.answer("Application('Shelf').allBox.notes.subject().join('\\n')");
    let there: Vec<&str> = all.lines().filter(|subject| subject.contains('-')).collect();
    let distinct: BTreeSet<&str> = there.iter().copied().collect();
    println!("{} notes answered, {} there, {killed} writers killed", answered.len(), there.len());
    assert_eq!(there.len(), distinct.len(), "nothing is there twice");
    let lost: Vec<&&str> = answered.iter().filter(|subject| !distinct.contains(**subject)).collect();
    assert!(lost.is_empty(), "answered, and lost: {lost:?}");
    assert!(
        there.len() <= answered.len() + killed,
        "at most one write of each that was killed was not answered"
    );
    assert!(killed > 0 && answered.len() >= many(), "somebody was killed, and the other wrote all");
}

#[test]
fn nothing_that_was_answered_is_lost_when_a_writer_is_killed() {
    let world = World::new();
    let start =
        |name: &str, notes| world.osascript(&writer(name, notes)).stdout(Stdio::piped()).spawn().unwrap();
    let (mut doomed, mut other) = (start("doomed", 100_000), start("other", 700));
    let mut answered = String::new();
    other.stdout.take().unwrap().read_to_string(&mut answered).unwrap();
    doomed.kill().unwrap();
    doomed.stdout.take().unwrap().read_to_string(&mut answered).unwrap();
    doomed.wait().unwrap();
    assert!(other.wait().unwrap().success());
    let answered: BTreeSet<&str> = answered
        .split_inclusive('\n')
        .filter_map(|line| line.strip_suffix("\n"))
        .filter(|line| !line.is_empty())
        .collect();
    assert!(answered.len() > 700, "both wrote");
    let all = world.answer("Application('Shelf').allBox.notes.subject().join('\\n')");
    let there: Vec<&str> = all.lines().filter(|subject| subject.contains('-')).collect();
    let distinct: BTreeSet<&str> = there.iter().copied().collect();
    assert_eq!(there.len(), distinct.len(), "nothing is there twice");
    let lost: Vec<&&str> = answered.iter().filter(|subject| !distinct.contains(**subject)).collect();
    assert!(lost.is_empty(), "answered, and lost: {lost:?}");
    assert!(there.len() <= answered.len() + 1, "at most one write was not answered");
    let ids =
        world.answer("const ids = Application('Shelf').allBox.notes.id(); ids.length - new Set(ids).size");
    assert_eq!(ids, "0", "no id is given twice");
    let journal = std::fs::metadata(world.path().join("state/journal")).unwrap().len();
    assert!(journal < 2 << 20, "the journal is cut: {journal} bytes");
}
