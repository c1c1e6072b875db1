//! The one place that starts a process.

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

/// How long the output of a process may take to arrive after its end.
pub(crate) const LATE: Duration = Duration::from_millis(500);

/// A process that leads its own group; the group is killed when this is dropped.
#[derive(Debug)]
pub struct Process {
    child: Child,
}

/// The near ends of a process's pipes.
#[derive(Debug)]
pub struct Pipes {
    pub stdin: ChildStdin,
    pub stdout: ChildStdout,
    pub stderr: ChildStderr,
}

/// A pipe with its near end in this process alone. Guards read the far end, and its end tells them that the server
/// ended.
#[derive(Debug)]
pub struct Liveness {
    far: PipeReader,
    _near: PipeWriter,
}

impl Liveness {
    /// Makes the pipe; neither end outlives an `exec`.
    ///
    /// # Errors
    /// No more files can be opened.
    pub fn new() -> io::Result<Self> {
        let (far, near) = io::pipe()?;
        Ok(Self { far, _near: near })
    }

    /// The far end once more, to live through one `exec`.
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

    /// Starts a program that is to be talked to, under guard if there is one, with nothing of this environment.
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

    /// Waits for the end. A guard that was killed has left its group behind, which is killed then.
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

    /// Waits until the process has ended and its output can be read. Its pipes may stay open for ever, because a
    /// process that left the group keeps them.
    pub(crate) async fn is_over(&mut self) {
        if let Err(error) = self.wait().await {
            tracing::debug!(%error, "a process cannot be waited for");
        }
        tokio::time::sleep(LATE).await;
    }

    /// Returns the number of the process that leads the group.
    pub fn pid(&self) -> Option<u32> {
        self.child.id()
    }

    /// Whether a process belongs to this group.
    pub(crate) fn leads(&self, pid: u32) -> bool {
        let group = number(pid).and_then(group_of);
        group.is_some() && group == self.leader()
    }

    /// Kills the whole group. A group that was already waited for is left alone, because its number may belong to
    /// another by now.
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

/// The group of a process. On Linux the number of a group may be 0, as that of a kernel thread is, which `getpgid` cannot
/// say.
pub(crate) fn group_of(pid: Pid) -> Option<Pid> {
    match std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())) {
        // The name is in parentheses, and may hold anything.
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

/// Starts a program with the input and output of this one, for the guard.
///
/// # Errors
/// The program cannot be started.
#[expect(clippy::disallowed_methods, reason = "this is the one place that starts a process")]
pub(crate) fn inherit(command: &[OsString]) -> io::Result<std::process::Child> {
    let (program, arguments) =
        command.split_first().ok_or_else(|| io::Error::other("the command is empty"))?;
    std::process::Command::new(program).args(arguments).spawn().map_err(|error| unstartable(program, &error))
}

/// Starts this program once more, as a server to talk to; it is killed when its handle is dropped.
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

/// Names the program and the reason why it did not start.
fn unstartable(program: &OsStr, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{} cannot be started: {error}", program.display()))
}
