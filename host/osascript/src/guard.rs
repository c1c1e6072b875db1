//! The process between the server and `osascript`. When the server ends for any reason, it kills its process group.
//!
//! `iac-mcp guard FD -- PROGRAM ARGUMENTS…`: FD is the read end of a pipe whose write end only the server holds. When
//! the pipe closes, the server has ended. The guard uses only pipes and process groups, which work the same on every
//! Unix.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ExitCode, ExitStatus};
use std::sync::{Arc, Mutex, PoisonError};

use rustix::process::{
    Signal, getpgrp, getpid, getppid, kill_current_process_group, kill_process_group, setpgid,
};
use rustix::stdio::{dup2_stdin, dup2_stdout};

use crate::spawn;

/// The exit status that a shell uses for a program that it cannot start.
const UNSTARTABLE: u8 = 127;

/// Runs a program under the guard. Its input, output and exit status are the program's own.
pub fn guard(arguments: Vec<OsString>) -> ExitCode {
    let fails = |error: io::Error, code: ExitCode| {
        say(&error);
        code
    };
    // Exit status 127 is only for a program that never ran. Any other program may have done its work.
    match started(&arguments) {
        Ok((program, leads)) => {
            ended(program, &leads).map_or_else(|error| fails(error, ExitCode::FAILURE), code)
        }
        Err(error) => fails(error, ExitCode::from(UNSTARTABLE)),
    }
}

fn started(arguments: &[OsString]) -> io::Result<(Child, Arc<Mutex<bool>>)> {
    let (liveness, program) = parse(arguments)?;
    lead()?;
    let liveness = File::open(format!("/dev/fd/{liveness}"))?;
    let leads = Arc::new(Mutex::new(true));
    let still = Arc::clone(&leads);
    std::thread::Builder::new().spawn(move || kill_at_end(liveness, &still))?;
    let program = spawn::inherit(program)?;
    if let Err(error) = let_go() {
        say(&error);
    }
    Ok((program, leads))
}

fn ended(mut program: Child, leads: &Mutex<bool>) -> io::Result<ExitStatus> {
    let status = program.wait()?;
    leave_none(leads)?;
    Ok(status)
}

fn parse(arguments: &[OsString]) -> io::Result<(u32, &[OsString])> {
    let misuse = || io::Error::other("guard: expected FD -- PROGRAM ARGUMENTS…");
    let [liveness, dashes, program @ ..] = arguments else { return Err(misuse()) };
    let liveness = liveness.to_str().and_then(|text| text.parse().ok());
    match liveness {
        Some(liveness) if dashes == OsStr::new("--") && !program.is_empty() => Ok((liveness, program)),
        _ => Err(misuse()),
    }
}

/// Makes this process the leader of its own group, even if the server did not start it. That group will be killed.
fn lead() -> io::Result<()> {
    if getpgrp() != getpid() {
        setpgid(None, None)?;
    }
    Ok(())
}

/// Closes the guard's own input and output, so that the server notices when the program closes them.
fn let_go() -> io::Result<()> {
    let nothing = File::options().read(true).write(true).open("/dev/null")?;
    dup2_stdin(&nothing)?;
    Ok(dup2_stdout(&nothing)?)
}

/// Waits for the end of the server, then kills the group while `leads` says that the group is this process's own.
fn kill_at_end(mut liveness: File, leads: &Mutex<bool>) {
    let mut nothing = [0; 8];
    while !matches!(liveness.read(&mut nothing), Ok(0) | Err(_)) {}
    let leads = leads.lock().unwrap_or_else(PoisonError::into_inner);
    if *leads && let Err(error) = kill_current_process_group(Signal::KILL) {
        say(&error.into());
    }
}

/// Kills the remaining processes of the program too. The guard first moves to the server's group, so that it survives
/// and can report the exit status. From then on, the end of the server must not kill the group, because the client
/// may be in it.
fn leave_none(leads: &Mutex<bool>) -> io::Result<()> {
    let mut leads = leads.lock().unwrap_or_else(PoisonError::into_inner);
    *leads = false;
    let parents = getppid().and_then(spawn::group_of);
    let moved = parents.is_some_and(|group| setpgid(None, Some(group)).is_ok());
    if !moved {
        return Ok(kill_current_process_group(Signal::KILL)?);
    }
    match kill_process_group(getpid(), Signal::KILL) {
        Ok(()) | Err(rustix::io::Errno::SRCH | rustix::io::Errno::PERM) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

fn code(status: ExitStatus) -> ExitCode {
    if let Some(signal) = status.signal() {
        say(&io::Error::other(format!("the program was ended by signal {signal}")));
    }
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(1);
    ExitCode::from(u8::try_from(code).unwrap_or(1))
}

/// Reports an error on stderr. If stderr is closed because the server has ended, nobody can read the message.
fn say(error: &io::Error) {
    writeln!(io::stderr(), "{error}").unwrap_or_default();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expected: Option<(u32, &[&str])>) {
        let arguments: Vec<OsString> = line.split(' ').map(Into::into).collect();
        let parsed = parse(&arguments).ok();
        let expected =
            expected.map(|(fd, program)| (fd, program.iter().map(Into::into).collect::<Vec<OsString>>()));
        assert_eq!(parsed.map(|(fd, program)| (fd, program.to_vec())), expected, "{line}");
    }

    #[test]
    fn arguments() {
        check("7 -- osascript -l JavaScript", Some((7, &["osascript", "-l", "JavaScript"])));
        check("7 -- --", Some((7, &["--"])));
        check("7 --", None);
        check("7 osascript -", None);
        check("x -- osascript", None);
        check("-1 -- osascript", None);
    }
}
