//! A process under guard ends with the process that started it.
#![forbid(unsafe_code)]
#![expect(clippy::unwrap_used, clippy::disallowed_methods, reason = "a test fails loudly")]

#[path = "support/mark.rs"]
mod mark;

use std::io::{PipeWriter, Read, Write, pipe};
use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

use mark::Mark;

#[test]
fn input_output_and_status_are_the_programs_own() {
    check("exit 7", "", "", 7);
    check("cat", "to and fro\n", "to and fro\n", 0);
    check("read line; echo \"$line\"; kill -9 $$", "x\n", "x\n", 128 + 9);
    check("exec /nowhere", "", "", 127);
}

#[test]
fn what_a_program_leaves_behind_dies_with_it() {
    let mark = Mark::new();
    let (child, near) = guarded("sleep 1000 & echo left", &mark);
    assert_eq!(child.wait_with_output().unwrap().stdout, b"left\n");
    drop(near);
    assert_eq!(mark.living(), []);
}

#[tokio::test]
async fn all_dies_when_nobody_holds_the_pipe() {
    for program in ["sleep 1001", "sleep 1002 & sleep 1003", "trap '' HUP TERM; while :; do sleep 1; done"] {
        let mark = Mark::new();
        let (mut child, near) = guarded(&format!("echo ready; {program}"), &mark);
        child.stdout.take().unwrap().read_exact(&mut [0; 6]).unwrap();
        assert!(mark.living().len() > 1);
        drop(near);
        mark.gone().await;
        child.wait().unwrap();
    }
}

/// When its program has ended, a guard moves to another process group, in which its client may be.
#[test]
fn a_server_that_ends_with_the_program_does_not_take_its_client_along() {
    for microseconds in (0..8_000).step_by(20) {
        let (far, near) = pipe().unwrap();
        let far = rustix::io::dup(far).unwrap();
        let client = Command::new("/bin/sh")
            .args(["-c", "\"$@\"; echo alive", "client", env!("CARGO_BIN_EXE_iac-mcp"), "guard"])
            .args([&far.as_raw_fd().to_string(), "--", "/bin/true"])
            .process_group(0)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        drop(far);
        std::thread::sleep(std::time::Duration::from_micros(microseconds));
        drop(near);
        assert_eq!(client.wait_with_output().unwrap().stdout, b"alive\n", "after {microseconds} µs");
    }
}

fn check(program: &str, input: &str, output: &str, status: i32) {
    let (mut child, _near) = guarded(program, &Mark::new());
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let ended = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&ended.stdout), output, "{program}");
    assert_eq!(ended.status.code(), Some(status), "{program}");
}

fn guarded(program: &str, mark: &Mark) -> (Child, PipeWriter) {
    let (far, near) = pipe().unwrap();
    let far = rustix::io::dup(far).unwrap();
    let child = Command::new(env!("CARGO_BIN_EXE_iac-mcp"))
        .args(["guard", &far.as_raw_fd().to_string(), "--", "/bin/sh", "-c", program])
        .envs([mark.variable()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    (child, near)
}
