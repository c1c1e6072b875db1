//! The only place that starts processes.

use std::ffi::{OsStr, OsString};
use std::io::{self, PipeReader, PipeWriter};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, getpgid, kill_process_group};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};

use crate::settings::Settings;

/// How long the output of a process may take to arrive after the process has ended.
pub(crate) const LATE: Duration = Duration::from_millis(500);

/// A process that leads its own process group. Dropping this kills the group.
#[derive(Debug)]
pub struct Process {
    child: Child,
}

/// The server's ends of a process's pipes.
#[derive(Debug)]
pub struct Pipes {
    pub stdin: ChildStdin,
    pub stdout: ChildStdout,
    pub stderr: ChildStderr,
}

/// A pipe whose write end only this process holds. Guards hold the read end. When the pipe closes, they know that the
/// server has ended.
#[derive(Debug)]
pub struct Liveness {
    far: PipeReader,
    _near: PipeWriter,
}

impl Liveness {
    /// Makes the pipe. Neither end survives an `exec`.
    ///
    /// # Errors
    /// Too many files are open.
    pub fn new() -> io::Result<Self> {
        let (far, near) = io::pipe()?;
        Ok(Self { far, _near: near })
    }

    /// Duplicates the read end, so that the copy survives one `exec`.
    fn inheritable(&self) -> io::Result<OwnedFd> {
        Ok(rustix::io::dup(&self.far)?)
    }
}

impl Process {
    /// Starts `osascript` with these arguments.
    ///
    /// # Errors
    /// The program cannot be started.
    pub(crate) fn start(
        settings: &Settings,
        arguments: &[OsString],
        liveness: &Liveness,
    ) -> io::Result<(Self, Pipes)> {
        let inherited = liveness.inheritable()?;
        Self::spawn(command(settings, arguments, &inherited)?)
    }

    /// Starts a server that is connected by pipes, under a guard if there is one, without this process's environment.
    ///
    /// # Errors
    /// The program cannot be started.
    pub fn server(
        guard: Option<&Path>,
        liveness: &Liveness,
        program: &[OsString],
        directory: &Path,
        environment: &[(OsString, OsString)],
    ) -> io::Result<(Self, Pipes)> {
        let inherited = liveness.inheritable()?;
        let mut command = guarded(guard, program, &inherited)?;
        command
            .current_dir(directory)
            .env_clear()
            .envs(environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0);
        Self::spawn(command)
    }

    fn spawn(mut command: Command) -> io::Result<(Self, Pipes)> {
        let program = command.as_std().get_program().to_owned();
        let mut child = command.spawn().map_err(|error| unstartable(&program, &error))?;
        let piped = || io::Error::other("a pipe is missing");
        let stdin = child.stdin.take().ok_or_else(piped)?;
        let stdout = child.stdout.take().ok_or_else(piped)?;
        let stderr = child.stderr.take().ok_or_else(piped)?;
        Ok((Self { child }, Pipes { stdin, stdout, stderr }))
    }

    /// Waits for the process to end. If a guard was killed, its group is still running and is killed here.
    ///
    /// # Errors
    /// The system does not know the process.
    pub async fn wait(&mut self) -> io::Result<ExitStatus> {
        let leader = self.leader();
        let status = self.child.wait().await?;
        if status.signal().is_some() {
            kill_group(leader);
        }
        Ok(status)
    }

    /// Waits until the process has ended and its output could be read. Its pipes may stay open for ever, if a process
    /// that left the group holds them.
    pub(crate) async fn is_over(&mut self) {
        if let Err(error) = self.wait().await {
            tracing::debug!(%error, "a process cannot be waited for");
        }
        tokio::time::sleep(LATE).await;
    }

    /// Returns the process id of the group leader.
    pub fn pid(&self) -> Option<u32> {
        self.child.id()
    }

    /// Whether a process belongs to this group.
    pub(crate) fn leads(&self, pid: u32) -> bool {
        let group = number(pid).and_then(group_of);
        group.is_some() && group == self.leader()
    }

    /// Kills the whole group. A group whose leader was already waited for is left alone, because its id may have been
    /// reused.
    pub(crate) fn kill(&self) {
        kill_group(self.leader());
    }

    fn leader(&self) -> Option<Pid> {
        self.child.id().and_then(number)
    }
}

fn kill_group(leader: Option<Pid>) {
    if let Some(leader) = leader
        && let Err(error) = kill_process_group(leader, Signal::KILL)
    {
        tracing::debug!(%error, "a process group is gone already");
    }
}

fn number(pid: u32) -> Option<Pid> {
    i32::try_from(pid).ok().and_then(Pid::from_raw)
}

/// Returns the group of a process. On Linux a group id may be 0, as for kernel threads, and `getpgid` cannot return
/// that.
pub(crate) fn group_of(pid: Pid) -> Option<Pid> {
    match std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())) {
        // The process name is in parentheses and may contain any characters.
        Ok(stat) => stat.rsplit_once(')')?.1.split_whitespace().nth(2)?.parse().ok().and_then(number),
        Err(_) if Path::new("/proc/self/stat").exists() => None,
        Err(_) => getpgid(Some(pid)).ok(),
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

fn command(settings: &Settings, arguments: &[OsString], liveness: &impl AsRawFd) -> io::Result<Command> {
    let mut command = guarded(settings.guard.as_deref(), &settings.command, liveness)?;
    command
        .args(arguments)
        .envs(settings.environment.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0);
    Ok(command)
}

#[expect(clippy::disallowed_methods, reason = "this is the one place that starts a process")]
fn guarded(guard: Option<&Path>, program: &[OsString], liveness: &impl AsRawFd) -> io::Result<Command> {
    let (program, first) = program.split_first().ok_or_else(|| io::Error::other("the command is empty"))?;
    let mut command = match guard {
        None => Command::new(program),
        Some(guard) => Command::new(guard),
    };
    if guard.is_some() {
        command.arg("guard").arg(liveness.as_raw_fd().to_string()).arg("--").arg(program);
    }
    command.args(first);
    Ok(command)
}

/// Starts a program that inherits the guard's input and output.
///
/// # Errors
/// The program cannot be started.
#[expect(clippy::disallowed_methods, reason = "this is the one place that starts a process")]
pub(crate) fn inherit(command: &[OsString]) -> io::Result<std::process::Child> {
    let (program, arguments) =
        command.split_first().ok_or_else(|| io::Error::other("the command is empty"))?;
    std::process::Command::new(program).args(arguments).spawn().map_err(|error| unstartable(program, &error))
}

/// Starts this program once more as a server that is connected by pipes. Dropping the handle kills it.
///
/// # Errors
/// The program cannot be started.
#[expect(clippy::disallowed_methods, reason = "this is the one place that starts a process")]
pub fn own_server(arguments: &[OsString]) -> io::Result<Child> {
    let own = std::env::current_exe()?;
    let mut command = Command::new(&own);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
    command.spawn().map_err(|error| unstartable(own.as_os_str(), &error))
}

/// Asks `ps` for the memory of a process in kilobytes, on systems without `/proc`.
///
/// # Errors
/// `ps` cannot be started.
#[expect(clippy::disallowed_methods, reason = "this is the one place that starts a process")]
pub(crate) async fn ps(pid: u32) -> io::Result<Vec<u8>> {
    let mut ps = Command::new("/bin/ps");
    ps.args(["-o", "rss=", "-p", &pid.to_string()])
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true);
    Ok(ps.output().await?.stdout)
}

/// Asks `ps` for the group and the memory, in kilobytes, of every process.
///
/// # Errors
/// `ps` cannot be started.
#[expect(clippy::disallowed_methods, reason = "this is the one place that starts a process")]
pub(crate) async fn ps_all() -> io::Result<Vec<u8>> {
    let mut ps = Command::new("/bin/ps");
    ps.args(["-A", "-o", "pgid=,rss="]).stdin(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
    Ok(ps.output().await?.stdout)
}

/// Makes an error that names the program and says why it did not start.
fn unstartable(program: &OsStr, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{} cannot be started: {error}", program.display()))
}
