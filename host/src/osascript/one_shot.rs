//! One process for one script: the script on stdin, the envelope on stdout.

use std::io;

use iac_core::jxa::Script;
use iac_core::step::{Event, RunFailure};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{ChildStdin, ChildStdout};

use super::raised;
use super::settings::Settings;
use super::spawn::{Liveness, Pipes, Process};

/// Runs a script to its end. Dropping the future kills the process and all that it started.
///
/// # Errors
/// It cannot be started.
pub(super) async fn run(settings: &Settings, liveness: &Liveness, script: &Script) -> io::Result<Event> {
    let arguments = ["-l", "JavaScript", "-"].map(Into::into);
    let (mut process, Pipes { stdin, stdout, stderr }) = Process::start(settings, &arguments, liveness)?;
    let text = script.one_shot();
    let ((), answer, said) =
        tokio::join!(feed(stdin, &text), read(stdout, settings.output, &process), raised::listen(stderr));
    let ended = process.wait().await;
    Ok(event(answer, &said, ended.is_ok_and(|status| status.success())))
}

/// A program that does not read its script says so by its answer, not by a broken pipe.
async fn feed(mut stdin: ChildStdin, text: &str) {
    if let Err(error) = stdin.write_all(text.as_bytes()).await {
        tracing::debug!(%error, "osascript did not read its script");
    }
}

enum Answer {
    Whole(Vec<u8>),
    TooLarge(usize),
    Broken(io::Error),
}

async fn read(stdout: ChildStdout, most: usize, process: &Process) -> Answer {
    let mut text = Vec::new();
    let limit = u64::try_from(most).unwrap_or(u64::MAX).saturating_add(1);
    let answer = match stdout.take(limit).read_to_end(&mut text).await {
        Err(error) => Answer::Broken(error),
        Ok(read) if read > most => Answer::TooLarge(most),
        Ok(_) => return Answer::Whole(text),
    };
    process.kill();
    answer
}

fn event(answer: Answer, said: &[u8], well: bool) -> Event {
    match answer {
        Answer::Whole(text) if well && !text.is_empty() => replied(text),
        Answer::Whole(_) => Event::Failed(raised::read(said)),
        Answer::TooLarge(most) => Event::Failed(RunFailure::TooLarge(most)),
        Answer::Broken(error) => Event::Failed(RunFailure::Process(error.to_string())),
    }
}

fn replied(text: Vec<u8>) -> Event {
    match String::from_utf8(text) {
        Ok(text) => Event::Replied(text),
        Err(_) => Event::Failed(RunFailure::Process("the answer is not UTF-8".to_owned())),
    }
}
