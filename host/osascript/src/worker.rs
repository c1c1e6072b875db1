//! A process that is kept: one `osascript` that serves a script per line until its input ends.
//!
//! A request is `{"id":7,"program":3,"code":"…","data":{…}}` on one line; the code is sent once and compiled once. Its
//! answer is one line: `7 = ENVELOPE`, or `7 ! {"number":…,"message":…}` if the script raised an error. A worker that
//! says anything else is never asked again, so that no answer can reach another's call.

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

/// The program that it runs in place of a script.
const LOOP: &str = include_str!("worker.js");

/// The beginning of its first line; the number of its process follows.
const HELLO: &str = "iac-mcp worker 1 ";

/// How long it may take to write that line.
const HANDSHAKE: Duration = Duration::from_secs(5);

/// The number of programs that it keeps before the server replaces it.
const MOST_PROGRAMS: usize = 500;

/// After how many scripts its memory is looked at.
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
    /// It ended before it had the whole request, so nothing of it ran.
    #[error("the worker ended before it was asked")]
    Unasked,
    /// It ended with this text on stderr.
    #[error("the worker ended")]
    Ended(Vec<u8>),
    /// It said something that it was not asked.
    #[error("the worker sent an unexpected reply: {0}")]
    Babble(String),
    /// Its answer is longer than this many bytes.
    #[error("the worker's answer is longer than {0} bytes")]
    TooLong(usize),
    /// It did not say in time that it is ready.
    #[error("the worker was not ready in time")]
    Unready,
}

impl Broken {
    /// One word for reports.
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
    /// It is not: this `osascript` cannot do it, or not now.
    pub(crate) async fn start(settings: &Settings, liveness: &Liveness) -> Result<Self, Broken> {
        let (process, Pipes { stdin, stdout, stderr }) =
            Process::start(settings, &arguments(settings), liveness)?;
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
    /// The worker must not be used again.
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
            // The answer comes first, because a worker may write it and then end.
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

    /// Waits until the worker ends, or speaks without being asked.
    pub(crate) async fn falls(&mut self) -> Broken {
        match self.line().await {
            Ok(line) => babble(&line),
            Err(broken) => broken,
        }
    }

    /// Whether a fresh worker should replace it: it has gained more memory than allowed, which it never gives back, or
    /// it holds too many programs. This is checked now and then.
    pub(crate) async fn is_worn(&mut self, growth: u64) -> bool {
        if self.calls % LOOK_EVERY == 1 {
            self.memory = memory::of(self.pid).await;
            self.first.get_or_insert(self.memory);
        }
        let gained = self.memory.saturating_sub(self.first.unwrap_or_default());
        gained > growth || self.programs.len() >= MOST_PROGRAMS
    }

    /// Its memory when last looked at, in bytes; 0 if that is not known.
    pub(crate) fn memory(&self) -> u64 {
        self.memory
    }

    /// The number of its process, if it is one of this system.
    pub(crate) fn pid(&self) -> Option<u32> {
        self.pid
    }

    /// When it was started.
    pub(crate) fn since(&self) -> Instant {
        self.since
    }

    /// How many scripts it was given.
    pub(crate) fn calls(&self) -> u64 {
        self.calls
    }

    async fn line(&mut self) -> Result<String, Broken> {
        let line = tokio::select! {
            // A line comes first, because a worker may write one and then end.
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

    /// The request contains the code only if this worker has not seen it.
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

/// A shell at the far end of `ssh` takes the loop apart unless it is quoted.
fn arguments(settings: &Settings) -> Vec<OsString> {
    let far = settings.command.first().is_some_and(|program| Path::new(program).ends_with("ssh"));
    let script = if far { format!("'{}'", LOOP.replace('\'', r"'\''")) } else { LOOP.to_owned() };
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
            arguments(&far)[3].to_str().is_some_and(|text| text.starts_with('\'') && text.ends_with('\''))
        );
        assert_eq!(arguments(&Settings::default())[3], LOOP);
    }
}
