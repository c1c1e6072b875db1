//! The one place that starts a process.

use std::ffi::OsString;
use std::io;
use std::process::{ExitStatus, Stdio};

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};

use super::settings::Settings;

/// A process that leads its own group; the group is killed when this is dropped.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
}

/// The near ends of a process's pipes.
#[derive(Debug)]
pub(super) struct Pipes {
    pub(super) stdin: ChildStdin,
    pub(super) stdout: ChildStdout,
    pub(super) stderr: ChildStderr,
}

impl Process {
    /// Starts `osascript` with these arguments.
    ///
    /// # Errors
    /// The program cannot be started.
    pub(super) fn start(settings: &Settings, arguments: &[OsString]) -> io::Result<(Self, Pipes)> {
        let mut child = command(settings, arguments)?.spawn()?;
        let piped = || io::Error::other("a pipe is missing");
        let stdin = child.stdin.take().ok_or_else(piped)?;
        let stdout = child.stdout.take().ok_or_else(piped)?;
        let stderr = child.stderr.take().ok_or_else(piped)?;
        Ok((Self { child }, Pipes { stdin, stdout, stderr }))
    }

    /// Waits for the end.
    ///
    /// # Errors
    /// The system does not know the process.
    pub(super) async fn wait(&mut self) -> io::Result<ExitStatus> {
        self.child.wait().await
    }

    /// Kills the whole group. What was waited for already is left alone: its number may be another's by now.
    pub(super) fn kill(&self) {
        let pid = self.child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        if let Some(leader) = pid
            && let Err(error) = kill_process_group(leader, Signal::KILL)
        {
            tracing::debug!(%error, "a process group is gone already");
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

#[expect(clippy::disallowed_methods, reason = "this is the one place that starts a process")]
fn command(settings: &Settings, arguments: &[OsString]) -> io::Result<Command> {
    let (program, first) =
        settings.command.split_first().ok_or_else(|| io::Error::other("no command is set for osascript"))?;
    let mut command = Command::new(program);
    command
        .args(first)
        .args(arguments)
        .envs(settings.environment.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0);
    Ok(command)
}
