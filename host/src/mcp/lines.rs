//! Reads lines of limited length from a client.
//!
//! tokio-util's line codec fails at bytes that are not UTF-8, but the session must go on.

use std::io;

use tokio::io::{AsyncBufReadExt as _, AsyncRead, BufReader};

/// The longest line. No message needs more.
pub(super) const LONGEST: usize = 16 * 1024 * 1024;

/// How many bytes of the buffer are kept between lines.
const KEPT: usize = 64 * 1024;

/// What was read.
#[derive(Debug)]
pub(super) enum Came {
    /// A whole line. [`Lines::line`] returns it until [`Lines::clear`] is called.
    Line,
    /// The end of a line that was too long to keep.
    TooLong,
    /// The end of the input. An unfinished last line does not count as a message.
    End,
}

/// Reads lines. A cancelled read is continued by the next one.
#[derive(Debug)]
pub(super) struct Lines<R> {
    read: BufReader<R>,
    line: Vec<u8>,
    longest: usize,
    /// Whether the current line was too long, so that the rest of it is skipped.
    passing: bool,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(super) fn new(read: R, longest: usize) -> Self {
        Self { read: BufReader::new(read), line: Vec::new(), longest, passing: false }
    }

    /// Waits for a line.
    ///
    /// # Errors
    /// Nothing can be read.
    pub(super) async fn next(&mut self) -> io::Result<Came> {
        loop {
            let available = self.read.fill_buf().await?;
            if available.is_empty() {
                return Ok(Came::End);
            }
            let end = available.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(available.len(), |end| end + 1);
            let part = available.get(..taken).unwrap_or_default();
            if self.line.len() + taken > self.longest {
                self.passing = true;
                self.line = Vec::new();
            }
            if !self.passing {
                self.line.extend_from_slice(part);
            }
            self.read.consume(taken);
            if end.is_some() {
                return Ok(if std::mem::take(&mut self.passing) { Came::TooLong } else { Came::Line });
            }
        }
    }

    /// The line without its line break, and without the byte order mark that some clients write first.
    pub(super) fn line(&self) -> &[u8] {
        let line = self.line.strip_suffix(b"\n").unwrap_or(&self.line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line)
    }

    /// Drops the line, and shrinks the buffer after a long one.
    pub(super) fn clear(&mut self) {
        self.line.clear();
        self.line.shrink_to(KEPT);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads everything. Returns each line; for a line that is too long, the number of requests in it that expect an
    /// answer.
    async fn read(text: &[u8], longest: usize) -> Vec<String> {
        let (mut lines, mut read) = (Lines::new(text, longest), Vec::new());
        loop {
            match lines.next().await.unwrap() {
                Came::Line => read.push(String::from_utf8(lines.line().to_vec()).unwrap()),
                Came::TooLong => read.push("too long".to_owned()),
                Came::End => return read,
            }
            lines.clear();
        }
    }

    #[tokio::test]
    async fn lines_have_an_end_and_a_longest_length() {
        let check = async |text: &str, expected: &[&str]| {
            assert_eq!(read(text.as_bytes(), 20).await, expected, "{text:?}");
        };
        check("", &[]).await;
        check("a\nb\r\n\nc", &["a", "b", ""]).await;
        check("\u{feff}a\n", &["a"]).await;
        check("1234567890123456789\n", &["1234567890123456789"]).await;
        check("12345678901234567890\nb\n", &["too long", "b"]).await;
        check(&format!("{}\nb\n", "y".repeat(40_000)), &["too long", "b"]).await;
        check("a line that is too long and has no end", &[]).await;
    }
}
