//! The protocols on pipes. Their modules are private to the shell, so this file includes the source files themselves.

use std::future::Future;
use std::str;

use tokio::runtime::Builder;

#[path = "../../host/osascript/src/answer.rs"]
mod answer;
#[path = "../../host/src/mcp/lines.rs"]
#[expect(dead_code, reason = "the server also writes lines, which nothing here does")]
mod client;
#[path = "../../host/language-servers/src/wire.rs"]
mod frames;
#[path = "../../host/osascript/src/lines.rs"]
mod worker;

/// The maximum length of a client's line in these targets.
const LONGEST: usize = 256;

/// A worker's output: lines of bounded length, each an answer or nothing.
pub fn worker_line(data: &[u8]) {
    wait(async {
        let mut lines = worker::Lines::new(data, LONGEST);
        while let Ok(line) = lines.next().await {
            assert!(!line.contains(&b'\n'));
            let Ok(line) = str::from_utf8(&line) else { continue };
            let answered = answer::answer(line, 7).is_some();
            assert!(!answered || line.starts_with("7 "), "{line}");
        }
    });
}

/// A language server's output: frames, and noise before the first.
pub fn language_server_frames(data: &[u8]) {
    wait(async {
        let mut frames = frames::Frames::new(data);
        while let Ok(Some(message)) = frames.next().await {
            let frame = frames::frame(&message);
            let mut again = frames::Frames::new(&frame[..]);
            assert_eq!(again.next().await.ok().flatten(), Some(message));
        }
    });
}

/// A client's output: lines in any form; the reader keeps no line that is too long.
pub fn client_lines(data: &[u8]) {
    wait(async {
        let mut lines = client::Lines::new(data, LONGEST);
        let mut came = 0;
        loop {
            match lines.next().await.expect("memory can be read") {
                client::Came::Line => assert!(lines.line().len() < LONGEST && !lines.line().contains(&b'\n')),
                client::Came::TooLong => assert!(lines.line().is_empty()),
                client::Came::End => break,
            }
            came += 1;
            lines.clear();
        }
        assert_eq!(came, data.iter().filter(|byte| **byte == b'\n').count());
    });
}

fn wait(work: impl Future<Output = ()>) {
    Builder::new_current_thread().build().expect("a runtime").block_on(work);
}
