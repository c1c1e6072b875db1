//! Runs one script in its own process: the script goes to stdin, and the envelope comes from stdout.

use std::io;

use iac_core::jxa::Script;
use iac_core::step::{Event, RunFailure};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{ChildStdin, ChildStdout};

use crate::answer::is_envelope;
use crate::raised::{self, Said};
use crate::settings::Settings;
use crate::spawn::{Liveness, Pipes, Process};

/// Runs a script to its end. Dropping the future kills the process and all of its descendants.
///
/// # Errors
/// The process cannot be started.
pub(crate) async fn run(settings: &Settings, liveness: &Liveness, script: &Script) -> io::Result<Event> {
    let arguments = ["-l", "JavaScript", "-"].map(Into::into);
    let (mut process, Pipes { stdin, stdout, stderr }) = Process::start(settings, &arguments, liveness)?;
    let (text, mut said, mut answer) = (script.one_shot(), Said::by(stderr), Vec::new());
    let talk = async { tokio::try_join!(feed(stdin, &text), read(stdout, settings.output, &mut answer)) };
    let read = tokio::select! {
        // The order matters: output is read first, because the process may end before all of it is read.
        biased;
        read = talk => read.map(drop),
        () = process.is_over() => Ok(()),
    };
    if read.is_err() {
        process.kill();
    }
    let well = process.wait().await.is_ok_and(|status| status.success());
    Ok(event(read.map(|()| answer), &said.all().await, well))
}

/// Writes the script. If the program does not read it, its answer is the error that counts, not the broken pipe.
async fn feed(mut stdin: ChildStdin, text: &str) -> Result<(), RunFailure> {
    if let Err(error) = stdin.write_all(text.as_bytes()).await {
        tracing::debug!(%error, "osascript did not read its script");
    }
    Ok(())
}

async fn read(stdout: ChildStdout, most: usize, answer: &mut Vec<u8>) -> Result<(), RunFailure> {
    let limit = u64::try_from(most).unwrap_or(u64::MAX).saturating_add(1);
    match stdout.take(limit).read_to_end(answer).await {
        Err(error) => Err(RunFailure::Process(error.to_string())),
        Ok(read) if read > most => Err(RunFailure::TooLarge(most)),
        Ok(_) => Ok(()),
    }
}

fn event(answer: Result<Vec<u8>, RunFailure>, said: &[u8], well: bool) -> Event {
    match answer {
        Ok(text) if well && !text.is_empty() => replied(text),
        Ok(_) => Event::Failed(raised::read(said)),
        Err(failure) => Event::Failed(failure),
    }
}

fn replied(text: Vec<u8>) -> Event {
    match String::from_utf8(text) {
        Ok(text) if is_envelope(&text) => Event::Replied(text),
        Ok(text) => {
            let shown: String = text.trim().chars().take(200).collect();
            Event::Failed(RunFailure::Process(format!("its answer is incomplete or invalid: {shown}")))
        }
        Err(_) => Event::Failed(RunFailure::Process("the answer is not UTF-8".to_owned())),
    }
}
