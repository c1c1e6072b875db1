//! Starts servers as the host does, but without a guard, because this process always ends cleanly.

use std::future::Future;
use std::pin::Pin;
use std::process::Stdio;

use iac_language_servers::launch::{Launch, Launched, Process, Program};
use rustix::process::{Pid, Signal, kill_process_group};
use tokio::process::{Child, Command};

pub(crate) struct Launcher;

struct Group(Child, Option<Pid>);

impl Launch for Launcher {
    #[expect(clippy::disallowed_methods, reason = "a test of what the host starts")]
    fn launch(&self, program: &Program) -> std::io::Result<Launched> {
        let mut command = Command::new(&program.command[0]);
        command
            .args(&program.command[1..])
            .current_dir(&program.directory)
            .env_clear()
            .envs(program.environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0);
        let mut child = command.spawn()?;
        let pid = child.id();
        Ok(Launched {
            stdin: Box::new(child.stdin.take().unwrap()),
            stdout: Box::new(child.stdout.take().unwrap()),
            stderr: Box::new(child.stderr.take().unwrap()),
            pid,
            process: Box::new(Group(child, pid.and_then(|pid| Pid::from_raw(i32::try_from(pid).ok()?)))),
        })
    }

    fn memory(&self, pid: u32) -> Pin<Box<dyn Future<Output = Option<u64>> + Send + '_>> {
        Box::pin(async move {
            let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
            let kilobytes = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
            Some(kilobytes.split_whitespace().next()?.parse::<u64>().ok()? * 1024)
        })
    }
}

impl Process for Group {
    fn wait(&mut self) -> Pin<Box<dyn Future<Output = String> + Send + '_>> {
        Box::pin(async {
            match self.0.wait().await {
                Ok(status) => status.to_string(),
                Err(error) => error.to_string(),
            }
        })
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if let Some(group) = self.1 {
            kill_process_group(group, Signal::KILL).unwrap_or_default();
        }
    }
}
