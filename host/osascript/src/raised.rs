//! The messages that `osascript` writes to stderr when a script fails.

use std::sync::{Arc, Mutex, PoisonError};

use iac_core::step::RunFailure;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::task::JoinHandle;

use crate::spawn::LATE;

/// How many bytes from the end of stderr are kept.
const KEPT: usize = 4096;

/// Parses `… execution error: <message> (<number>)`, with or without a path and offsets before it.
///
/// Only the number at the end is interpreted. The message is in the system's language.
pub(crate) fn read(stderr: &[u8]) -> RunFailure {
    let text = String::from_utf8_lossy(stderr);
    let text = text.trim();
    match numbered(text) {
        Some((message, number)) => RunFailure::Script { number, message: message.to_owned() },
        None if text.is_empty() => RunFailure::Process("it ended without an answer".to_owned()),
        None => RunFailure::Process(last(text, 500)),
    }
}

/// The stderr of a process, read in the background. Dropping it stops the reading.
#[derive(Debug)]
pub(crate) struct Said {
    kept: Arc<Mutex<Vec<u8>>>,
    listener: JoinHandle<()>,
}

impl Said {
    /// Starts to read.
    pub(crate) fn by(stderr: impl AsyncRead + Unpin + Send + 'static) -> Self {
        let kept = Arc::default();
        Self { listener: tokio::spawn(listen(stderr, Arc::clone(&kept))), kept }
    }

    /// Returns the end of stderr, after the process has ended.
    pub(crate) async fn all(&mut self) -> Vec<u8> {
        // The pipe may never close, because a process that left the group may hold it open.
        let heard = tokio::time::timeout(LATE, &mut self.listener).await;
        tracing::trace!(to_its_end = heard.is_ok(), "stderr was read");
        std::mem::take(&mut *self.kept.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Drop for Said {
    fn drop(&mut self) {
        self.listener.abort();
    }
}

/// Reads stderr to its end and keeps its last bytes.
async fn listen(mut stderr: impl AsyncRead + Unpin, kept: Arc<Mutex<Vec<u8>>>) {
    let mut buffer = [0; 1024];
    while let Ok(read @ 1..) = stderr.read(&mut buffer).await {
        keep(&mut kept.lock().unwrap_or_else(PoisonError::into_inner), &buffer[..read]);
    }
}

/// Appends bytes and drops the oldest ones.
fn keep(kept: &mut Vec<u8>, more: &[u8]) {
    kept.extend_from_slice(more);
    if kept.len() > KEPT {
        kept.drain(..kept.len() - KEPT);
    }
}

fn numbered(text: &str) -> Option<(&str, i64)> {
    let (before, number) = text.strip_suffix(')')?.rsplit_once('(')?;
    let line = before.trim_end().rsplit(['\n', '\r']).next().unwrap_or(before);
    let message = line.split_once("execution error: ").map_or(line, |(_, message)| message);
    Some((message.trim(), number.parse().ok()?))
}

fn last(text: &str, most: usize) -> String {
    let skipped = text.chars().count().saturating_sub(most);
    text.chars().skip(skipped).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(stderr: &str, number: i64, message: &str) {
        assert_eq!(read(stderr.as_bytes()), RunFailure::Script { number, message: message.to_owned() });
    }

    #[test]
    fn every_form_of_an_error() {
        check(
            "execution error: Error: Error: Can't get object. (-1728)\n",
            -1728,
            "Error: Error: Can't get object.",
        );
        check("/tmp/x.js: execution error: Error: Error: Nein. (-1743)", -1743, "Error: Error: Nein.");
        check(
            "422:445: execution error: Error on line 17: ReferenceError: x (-2700)\n",
            -2700,
            "Error on line 17: ReferenceError: x",
        );
        check(
            "a.js:1676:1700: execution error: Error on line 42: Error: Can't. (-1728)",
            -1728,
            "Error on line 42: Error: Can't.",
        );
        check("a line of console.log\nexecution error: Error: (1) (42)\n", 42, "Error: (1)");
        check(
            "execution error: Finder got an error: AppleEvent timed out. (-1712)",
            -1712,
            "Finder got an error: AppleEvent timed out.",
        );
        check(
            "Ausführungsfehler: Error: Nicht gefunden. (-1728)",
            -1728,
            "Ausführungsfehler: Error: Nicht gefunden.",
        );
    }

    #[test]
    fn anything_else_is_a_fault_of_the_process() {
        assert_eq!(read(b""), RunFailure::Process("it ended without an answer".to_owned()));
        assert_eq!(
            read(b"sh: osascript: not found\n"),
            RunFailure::Process("sh: osascript: not found".to_owned())
        );
        assert_eq!(read(b"boom (x)"), RunFailure::Process("boom (x)".to_owned()));
    }

    #[test]
    fn only_the_end_is_kept() {
        let mut kept = vec![b'a'; KEPT];
        keep(&mut kept, b"execution error: x (-1)");
        assert_eq!(kept.len(), KEPT);
        assert_eq!(read(&kept), RunFailure::Script { number: -1, message: "x".to_owned() });
    }

    proptest! {
        #[test]
        fn no_text_is_a_crash(stderr: Vec<u8>) {
            read(&stderr);
        }
    }
}
