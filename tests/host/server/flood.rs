//! Clients that send too much and do not read: the server's memory stays small, and it answers when they read.

use std::io::{BufRead as _, BufReader, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use crate::lines::{Lines, call, hello};
use crate::session::Home;

/// The memory that a server may use for a client that never reads: 64 MB, and the initial memory of an unoptimised
/// program.
const SMALL: u64 = 64 + 40;
/// Answers of 8 KB each. Each took 13 KB of memory while it waited.
const LISTS: u64 = 15_000;

/// An `osascript` that never answers.
const HANGS: [&str; 4] = ["--osascript", "/bin/sh -c 'sleep 1000'", "--timeout", "3600"];

/// Memory in MB: the current value, or the maximum so far.
pub(crate) fn memory(pid: u32, what: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(what)).unwrap_or_default();
    line.trim_start_matches(':').trim().trim_end_matches(" kB").parse::<u64>().unwrap_or_default() / 1024
}

/// Starts a server over sockets or pipes; returns both ends.
fn start(sockets: bool) -> (Child, Home, Box<dyn Write + Send>, Box<dyn std::io::Read + Send>) {
    let home = Home::new();
    let mut command = home.command(&["serve", "--simulated"]).into_std();
    command.stderr(Stdio::null());
    if sockets {
        let ((stdin, near), (far, stdout)) = (UnixStream::pair().unwrap(), UnixStream::pair().unwrap());
        let child = command.stdin(OwnedFd::from(stdin)).stdout(OwnedFd::from(stdout)).spawn().unwrap();
        drop(command);
        return (child, home, Box::new(near), Box::new(far));
    }
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (stdin, stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    (child, home, Box::new(stdin), Box::new(stdout))
}

#[test]
fn a_client_that_does_not_read_takes_little_and_gets_all_answers_later() {
    for sockets in [false, true] {
        let (mut child, _home, mut to, from) = start(sockets);
        let writing = std::thread::spawn(move || {
            writeln!(to, "{}", hello()).unwrap();
            for id in 0..LISTS {
                writeln!(to, "{}", json!({ "jsonrpc": "2.0", "id": id, "method": "tools/list" })).unwrap();
            }
            to
        });
        // Waits until the maximum stays the same: then the server has finished, or has stopped reading.
        let mut most = 0;
        while std::mem::replace(&mut most, memory(child.id(), "VmHWM")) != most {
            std::thread::sleep(Duration::from_secs(2));
        }
        let answers = BufReader::new(from).lines().map(|line| line.unwrap()).take(LISTS as usize + 1);
        let answered = answers.filter(|line| line.contains("\"result\"")).count();
        assert_eq!(answered as u64, LISTS + 1, "sockets: {sockets}");
        assert!(most <= SMALL, "{most} MB, sockets: {sockets}");
        drop(writing.join().unwrap());
        assert!(child.wait().unwrap().success());
    }
}

fn query(id: i64) -> Json {
    let inbox = json!({ "type": "property", "property": "inbox", "of": "application" });
    call(id, "iac_mcp_query_object", &json!({ "app": "Mail", "specifier": inbox }))
}

fn cancel(id: i64) -> Json {
    json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } })
}

#[test]
fn calls_behind_one_that_hangs_are_kept_and_can_be_cancelled() {
    const CALLS: i64 = 10_000;
    let mut server = Lines::start_with(&HANGS);
    server.hello();
    let before = memory(server.pid(), "VmRSS");
    for id in 0..CALLS {
        server.send(&query(id));
    }
    assert!(server.is_alive(), "what needs no app is answered beside them");
    let grown = memory(server.pid(), "VmRSS") - before;
    assert!(grown <= 40, "{grown} MB for {CALLS} calls");
    // If a waiting request is cancelled, it never starts, and its id is free.
    server.send(&cancel(CALLS - 1));
    for id in 0..CALLS - 1 {
        server.send(&cancel(id));
    }
    server.send(&call(CALLS - 1, "system", &json!({})));
    assert_eq!(server.answer(&json!(CALLS - 1))["result"]["isError"], false);
    assert!(server.end().is_empty(), "what was cancelled is not answered");
}

#[test]
fn a_call_that_was_kept_has_so_much_less_time() {
    let mut server = Lines::start_with(&["--osascript", "/bin/sh -c 'sleep 1000'", "--timeout", "2"]);
    server.hello();
    let began = Instant::now();
    // Several times as many requests as may be under way at once.
    for id in 0..600 {
        server.send(&query(id));
    }
    for _ in 0..600 {
        let answer = server.next();
        assert_eq!(answer["result"]["isError"], true, "{answer}");
    }
    assert!(began.elapsed() < Duration::from_secs(8), "{:?}", began.elapsed());
    server.end();
}

/// Sends a line of this many MiB. Returns the answer, how many MB the server grew for it, and how many of them it
/// kept.
fn long(server: &mut Lines, mib: usize, part: &str) -> (Json, u64, u64) {
    let list = format!("[{}0]", part.repeat((mib << 20) / part.len()));
    let arguments = format!("{{\"search\":{list}}}");
    let line = call(7, "iac_mcp_list_apps", &json!("?")).to_string().replace("\"?\"", &arguments);
    let before = memory(server.pid(), "VmRSS");
    server.write((line + "\n").as_bytes());
    let answer = server.answer(&json!(7));
    let most = memory(server.pid(), "VmHWM") - before;
    std::thread::sleep(Duration::from_secs(2));
    (answer, most, memory(server.pid(), "VmRSS").saturating_sub(before))
}

#[test]
fn a_line_of_many_values_is_refused_and_leaves_nothing_behind() {
    for part in ["{\"a\":1},", "[],", "1,", "\"\",", "{},"] {
        let mut server = Lines::start();
        server.hello();
        let (answer, most, kept) = long(&mut server, 14, part);
        let message = answer["error"]["message"].as_str().unwrap_or_default();
        assert!(message.contains("expected at most 100000"), "{answer:.200}");
        assert!(most <= 8 * 14 && kept <= 20, "{part}: {most} MB, {kept} MB later");
        server.end();
    }
}

#[test]
fn a_long_line_takes_eight_times_its_length_and_gives_it_back() {
    let text = format!("\"{}\",", "x".repeat(1_000));
    let object = format!("{{\"name\":{text}\"b\":{text}\"c\":[]}},");
    for part in [text, object] {
        let mut server = Lines::start();
        server.hello();
        let (answer, most, kept) = long(&mut server, 15, &part);
        assert_eq!(answer["result"]["isError"], true, "{answer:.200}");
        assert!(most <= 8 * 15 && kept <= 20, "{part:.9}: {most} MB, {kept} MB later");
        server.end();
    }
}
