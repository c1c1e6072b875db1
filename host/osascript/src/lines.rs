//! Reads lines from a pipe, each up to a maximum length.

use tokio::io::{AsyncRead, AsyncReadExt};

/// The number of bytes to read at once.
const CHUNK: usize = 64 * 1024;

/// A pipe that is read line by line.
#[derive(Debug)]
pub(crate) struct Lines<R> {
    from: R,
    held: Vec<u8>,
    searched: usize,
    most: usize,
}

/// The reason for a missing line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum NoLine {
    /// The pipe ended.
    End,
    /// The line is longer than this many bytes.
    TooLong(usize),
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(crate) fn new(from: R, most: usize) -> Self {
        Self { from, held: Vec::new(), searched: 0, most }
    }

    /// Waits for a whole line and returns it without its line break. Dropping the future loses nothing.
    ///
    /// # Errors
    /// The pipe ended or broke, or the line is too long.
    pub(crate) async fn next(&mut self) -> Result<Vec<u8>, NoLine> {
        loop {
            if let Some(line) = self.whole() {
                return Ok(line);
            }
            if self.held.len() > self.most {
                return Err(NoLine::TooLong(self.most));
            }
            self.held.reserve(CHUNK);
            if matches!(self.from.read_buf(&mut self.held).await, Ok(0) | Err(_)) {
                return Err(NoLine::End);
            }
        }
    }

    /// Takes the first whole line. It is copied out, so that the buffer's memory is used again for the next one.
    fn whole(&mut self) -> Option<Vec<u8>> {
        let Some(end) = self.held[self.searched..].iter().position(|byte| *byte == b'\n') else {
            self.searched = self.held.len();
            return None;
        };
        let end = self.searched + end;
        let line = self.held[..end].to_vec();
        self.held.drain(..=end);
        self.held.shrink_to(2 * CHUNK);
        self.searched = 0;
        Some(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::AsyncWriteExt;

    async fn check(chunks: &[&str], expected: &[Result<&str, &NoLine>]) {
        let (mut near, far) = tokio::io::duplex(1);
        let mut lines = Lines::new(far, 10);
        let write = async move {
            for chunk in chunks {
                near.write_all(chunk.as_bytes()).await.unwrap_or_default();
            }
        };
        let read = async move {
            for each in expected {
                let line = lines.next().await.map(|line| String::from_utf8(line).unwrap());
                assert_eq!(line.as_deref(), *each);
            }
        };
        tokio::join!(write, read);
    }

    #[tokio::test]
    async fn lines_however_they_are_cut() {
        check(&["a\nb\n"], &[Ok("a"), Ok("b"), Err(&NoLine::End)]).await;
        check(&["a", "b", "c\nd", "\n"], &[Ok("abc"), Ok("d"), Err(&NoLine::End)]).await;
        check(&["\n\nhalf"], &[Ok(""), Ok(""), Err(&NoLine::End)]).await;
        check(&["0123456789\n", "0123456789x"], &[Ok("0123456789"), Err(&NoLine::TooLong(10))]).await;
    }
}
