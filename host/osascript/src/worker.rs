//! A worker: one `osascript` process that is kept and runs one script per line until its input ends.
//!
//! A request is `{"id":7,"program":3,"code":"…","data":{…}}` on one line. The code is sent and compiled only once.
//! The answer is one line: `7 = ENVELOPE`, or `7 ! {"number":…,"message":…}` if the script raised an error. A worker
//! that writes anything else is never used again, so that no answer can reach the wrong call.

use std::collections::HashMap;
use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use iac_core::jxa::Script;
use iac_core::step::Event;
use tokio::io::AsyncWriteExt;
use tokio::process::{ChildStdin, ChildStdout};

use crate::answer::answer;
use crate::lines::{Lines, NoLine};
use crate::memory;
use crate::raised::Said;
use crate::settings::Settings;
use crate::spawn::{Liveness, Pipes, Process};

/// The program that it runs: a loop that serves requests.
const LOOP: &str = include_str!("worker.js");

/// The start of its first line. Its process id follows.
const HELLO: &str = "iac-mcp worker 1 ";

/// How long it may take to write its first line.
const HANDSHAKE: Duration = Duration::from_secs(5);

/// The most programs that it holds before the server replaces it.
const MOST_PROGRAMS: usize = 500;

/// How many scripts it runs between two measurements of its memory.
const LOOK_EVERY: u64 = 25;

/// A running worker.
#[derive(Debug)]
pub(crate) struct Worker {
    process: Process,
    stdin: ChildStdin,
    stdout: Lines<ChildStdout>,
    stderr: Said,
    programs: HashMap<String, usize>,
    pid: Option<u32>,
    since: Instant,
    calls: u64,
    memory: u64,
    first: Option<u64>,
}

/// Why a worker can no longer be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Broken {
    /// It could not be started.
    #[error("{0}")]
    Unstartable(#[from] io::Error),
    /// It ended before it had the whole request, so the script did not run.
    #[error("the worker ended before it was asked")]
    Unasked,
    /// It ended. The bytes are its stderr.
    #[error("the worker ended")]
    Ended(Vec<u8>),
    /// It wrote something that nobody asked for.
    #[error("the worker sent an unexpected reply: {0}")]
    Babble(String),
    /// Its answer is longer than this many bytes.
    #[error("the worker's answer is longer than {0} bytes")]
    TooLong(usize),
    /// It was not ready in time.
    #[error("the worker was not ready in time")]
    Unready,
}

impl Broken {
    /// The reason as one word, for reports.
    pub(crate) fn word(&self) -> &'static str {
        match self {
            Self::Unstartable(_) | Self::Unready => "unfit",
            Self::Unasked | Self::Ended(_) => "ended",
            Self::Babble(_) => "babble",
            Self::TooLong(_) => "flood",
        }
    }
}

impl Worker {
    /// Starts a worker and waits until it is ready.
    ///
    /// # Errors
    /// The worker does not become ready, either now or ever with this `osascript`.
    pub(crate) async fn start(settings: &Settings, liveness: &Liveness) -> Result<Self, Broken> {
        let (process, Pipes { stdin, stdout, stderr }) =
            Process::start(settings, &arguments(settings, LOOP), liveness)?;
        let stdout = Lines::new(stdout, settings.output);
        let mut worker = Self {
            process,
            stdin,
            stdout,
            stderr: Said::by(stderr),
            programs: HashMap::new(),
            pid: None,
            since: Instant::now(),
            calls: 0,
            memory: 0,
            first: None,
        };
        let hello = tokio::time::timeout(HANDSHAKE, worker.line()).await.map_err(|_| Broken::Unready)??;
        let pid = hello.strip_prefix(HELLO).ok_or_else(|| babble(&hello))?;
        worker.pid = pid.parse().ok().filter(|pid| worker.process.leads(*pid));
        Ok(worker)
    }

    /// Runs a script to its end.
    ///
    /// # Errors
    /// The worker broke and must not be used again.
    pub(crate) async fn run(&mut self, script: &Script) -> Result<Event, Broken> {
        self.calls += 1;
        let request = self.request(script);
        let mut asked = false;
        let (stdin, stdout, process) = (&mut self.stdin, &mut self.stdout, &mut self.process);
        let ask = async {
            asked = stdin.write_all(&request).await.is_ok();
            if asked { Ok(()) } else { Err(NoLine::End) }
        };
        let exchange = async { tokio::try_join!(ask, stdout.next()) };
        let ended = tokio::select! {
            // The order matters: the answer is read first, because a worker may write it and then end.
            biased;
            ended = exchange => ended,
            () = process.is_over() => Err(NoLine::End),
        };
        let line = match ended {
            Ok(((), line)) => text(line)?,
            Err(NoLine::End) if !asked => return Err(Broken::Unasked),
            Err(none) => return Err(self.broken(none).await),
        };
        answer(&line, self.calls).ok_or_else(|| babble(&line))
    }

    /// Waits until the worker ends, or writes something that nobody asked for.
    pub(crate) async fn falls(&mut self) -> Broken {
        match self.line().await {
            Ok(line) => babble(&line),
            Err(broken) => broken,
        }
    }

    /// Whether a new worker should replace it: its memory has grown more than allowed (it never shrinks), or it holds
    /// too many programs. The memory is measured only now and then.
    pub(crate) async fn is_worn(&mut self, growth: u64) -> bool {
        if self.calls % LOOK_EVERY == 1 {
            self.memory = memory::of(self.pid).await;
            self.first.get_or_insert(self.memory);
        }
        let gained = self.memory.saturating_sub(self.first.unwrap_or_default());
        gained > growth || self.programs.len() >= MOST_PROGRAMS
    }

    /// Its memory when last measured, in bytes; 0 if unknown.
    pub(crate) fn memory(&self) -> u64 {
        self.memory
    }

    /// Its process id, if the process is on this machine.
    pub(crate) fn pid(&self) -> Option<u32> {
        self.pid
    }

    /// When it was started.
    pub(crate) fn since(&self) -> Instant {
        self.since
    }

    /// How many scripts it has been given.
    pub(crate) fn calls(&self) -> u64 {
        self.calls
    }

    async fn line(&mut self) -> Result<String, Broken> {
        let line = tokio::select! {
            // The order matters: a line is read first, because a worker may write one and then end.
            biased;
            line = self.stdout.next() => line,
            () = self.process.is_over() => Err(NoLine::End),
        };
        match line {
            Ok(line) => text(line),
            Err(none) => Err(self.broken(none).await),
        }
    }

    async fn broken(&mut self, none: NoLine) -> Broken {
        self.process.kill();
        match none {
            NoLine::TooLong(most) => Broken::TooLong(most),
            NoLine::End => Broken::Ended(self.stderr.all().await),
        }
    }

    /// Makes a request. It contains the code only if this worker does not have it yet.
    fn request(&mut self, script: &Script) -> Vec<u8> {
        let id = self.calls;
        let next = self.programs.len();
        let (program, code) = match self.programs.get(script.shape()) {
            Some(program) => (*program, String::new()),
            None => (next, format!(r#","code":{}"#, serde_json::Value::from(script.code()))),
        };
        if program == next {
            self.programs.insert(script.shape().to_owned(), program);
        }
        format!("{{\"id\":{id},\"program\":{program}{code},\"data\":{}}}\n", script.data()).into_bytes()
    }
}

/// Builds the arguments that run a fixed script, which reads its data from its input. `ssh` passes them to a shell on
/// the other side, which would split the script if it were not quoted.
pub(crate) fn arguments(settings: &Settings, script: &str) -> Vec<OsString> {
    let far = settings.command.first().is_some_and(|program| Path::new(program).ends_with("ssh"));
    let script = if far { format!("'{}'", script.replace('\'', r"'\''")) } else { script.to_owned() };
    ["-l".into(), "JavaScript".into(), "-e".into(), script.into()].into()
}

fn text(line: Vec<u8>) -> Result<String, Broken> {
    String::from_utf8(line).map_err(|error| babble(&String::from_utf8_lossy(error.as_bytes())))
}

fn babble(line: &str) -> Broken {
    Broken::Babble(line.chars().take(200).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loop_can_be_a_line_of_a_shell() {
        assert!(LOOP.is_ascii());
        let far = Settings { command: ["/usr/bin/ssh".into(), "mini".into()].into(), ..Settings::default() };
        assert!(
            arguments(&far, LOOP)[3]
                .to_str()
                .is_some_and(|text| text.starts_with('\'') && text.ends_with('\''))
        );
        assert_eq!(arguments(&Settings::default(), LOOP)[3], LOOP);
    }
}
