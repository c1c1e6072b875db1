//! Lines to a client.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use tokio::io::{AsyncWrite, AsyncWriteExt as _};

/// Room for so many bytes is kept from one line to the next.
const KEPT: usize = 64 * 1024;

/// Writes lines. What a write that is given up has not written goes before the next line.
#[derive(Debug)]
pub(super) struct Output<W> {
    to: W,
    held: Vec<u8>,
    /// How many bytes of it are written.
    written: usize,
}

impl<W: AsyncWrite + Unpin> Output<W> {
    pub(super) fn new(to: W) -> Self {
        Self { to, held: Vec::new(), written: 0 }
    }

    /// Takes a line, and writes of it what can be written at once; says whether that was all.
    ///
    /// # Errors
    /// Nobody reads any more.
    pub(super) fn begin(&mut self, line: &[u8]) -> io::Result<bool> {
        self.held.extend_from_slice(line);
        let mut nobody = Context::from_waker(Waker::noop());
        while self.written < self.held.len() {
            match Pin::new(&mut self.to).poll_write(&mut nobody, &self.held[self.written..]) {
                Poll::Pending => return Ok(false),
                Poll::Ready(written) => self.wrote(written?)?,
            }
        }
        Ok(Pin::new(&mut self.to).poll_flush(&mut nobody)?.is_ready())
    }

    /// Writes a line, which may be empty, after what is left of those before it.
    ///
    /// # Errors
    /// Nobody reads any more.
    pub(super) async fn write(&mut self, line: &[u8]) -> io::Result<()> {
        self.held.extend_from_slice(line);
        while self.written < self.held.len() {
            let written = self.to.write(&self.held[self.written..]).await?;
            self.wrote(written)?;
        }
        self.to.flush().await
    }

    fn wrote(&mut self, written: usize) -> io::Result<()> {
        if written == 0 {
            return Err(io::ErrorKind::WriteZero.into());
        }
        self.written += written;
        if self.written == self.held.len() {
            self.held.clear();
            self.held.shrink_to(KEPT);
            self.written = 0;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::io::AsyncReadExt as _;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_line_that_was_given_up_is_whole_before_the_next() {
        let (near, mut far) = tokio::io::duplex(8);
        let mut output = Output::new(near);
        let given_up =
            tokio::time::timeout(Duration::from_secs(1), output.write(b"a line that is long\n")).await;
        assert!(given_up.is_err(), "nobody reads");
        let read = async {
            let mut read = vec![0; 25];
            far.read_exact(&mut read).await.map(|_| read)
        };
        let (written, read) = tokio::join!(output.write(b"next\n"), read);
        written.unwrap();
        assert_eq!(String::from_utf8(read.unwrap()).unwrap(), "a line that is long\nnext\n");
    }

    #[tokio::test]
    async fn what_can_be_written_is_written_at_once() {
        let (near, mut far) = tokio::io::duplex(8);
        let mut output = Output::new(near);
        assert!(output.begin(b"short\n").unwrap());
        assert!(!output.begin(b"longer\n").unwrap());
        let mut read = vec![0; 13];
        let (written, all) = tokio::join!(output.write(b""), far.read_exact(&mut read));
        written.and(all.map(drop)).unwrap();
        assert_eq!(String::from_utf8(read).unwrap(), "short\nlonger\n");
    }

    #[tokio::test]
    async fn nobody_reads() {
        let (near, far) = tokio::io::duplex(8);
        drop(far);
        let mut output = Output::new(near);
        assert_eq!(output.begin(b"x\n").unwrap_err().kind(), io::ErrorKind::BrokenPipe);
        assert_eq!(output.write(b"x\n").await.unwrap_err().kind(), io::ErrorKind::BrokenPipe);
    }
}
