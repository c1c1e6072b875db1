//! The stdin and stdout of this process.
//!
//! Most clients run on Node, which starts servers with sockets instead of pipes. For sockets rmcp would use one
//! thread to read and one to write. This module waits for them on the main thread, as for pipes.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net;
use std::pin::Pin;
use std::task::{Context, Poll};

use rmcp::transport::io::stdio_pipes;
use rustix::fs::{OFlags, fcntl_getfl};
use rustix::io::ioctl_fionbio;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::UnixStream;

/// Where a client's lines come from.
pub(super) type Input = Box<dyn AsyncRead + Send + Unpin>;

/// Where lines to a client go.
pub(super) type Output = Box<dyn AsyncWrite + Send + Unpin>;

/// Opens stdin and stdout, each according to its kind.
pub(super) fn standard() -> (Input, Output) {
    let (stdin, stdout) = stdio_pipes();
    (
        Socket::of(io::stdin()).map_or_else(|| Box::new(stdin) as Input, |socket| Box::new(socket)),
        Socket::of(io::stdout()).map_or_else(|| Box::new(stdout) as Output, |socket| Box::new(socket)),
    )
}

/// A non-blocking socket.
struct Socket {
    stream: UnixStream,
    _shared: Shared,
}

/// The flags of a socket, which this process shares with others. They are restored on drop.
struct Shared {
    socket: OwnedFd,
    blocked: bool,
}

impl Socket {
    /// `None` if it is not a Unix socket.
    fn of(given: impl AsFd) -> Option<Self> {
        let socket = given.as_fd().try_clone_to_owned().ok()?;
        let stream = net::UnixStream::from(socket.try_clone().ok()?);
        stream.local_addr().ok()?;
        let blocked = !fcntl_getfl(&socket).ok()?.contains(OFlags::NONBLOCK);
        let shared = Shared { socket, blocked };
        let stream = stream.set_nonblocking(true).and_then(|()| UnixStream::from_std(stream));
        let stream = stream.inspect_err(|error| tracing::warn!(%error, "a socket is not used as one"));
        Some(Self { stream: stream.ok()?, _shared: shared })
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        if self.blocked
            && let Err(error) = ioctl_fionbio(&self.socket, false)
        {
            tracing::debug!(%error, "a socket is not as it was");
        }
    }
}

impl AsyncRead for Socket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, into)
    }
}

impl AsyncWrite for Socket {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    #[tokio::test]
    async fn only_a_socket_is_one() {
        let (_reader, pipe) = io::pipe().unwrap();
        let udp = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
        assert!(Socket::of(pipe).is_none());
        assert!(Socket::of(udp).is_none());
        assert!(Socket::of(File::open("/dev/null").unwrap()).is_none());
    }

    #[tokio::test]
    async fn it_is_given_back_as_it_was() {
        for blocks in [true, false] {
            let (near, far) = net::UnixStream::pair().unwrap();
            near.set_nonblocking(!blocks).unwrap();
            let nonblocking = || fcntl_getfl(&near).unwrap().contains(OFlags::NONBLOCK);
            let mut socket = Socket::of(&near).unwrap();
            assert!(nonblocking());
            far.set_nonblocking(true).unwrap();
            let mut far = UnixStream::from_std(far).unwrap();
            // More than the buffer of a socket holds.
            let sent = vec![7; 1 << 20];
            let mut read = vec![0; sent.len()];
            let (written, read_all) = tokio::join!(socket.write_all(&sent), far.read_exact(&mut read));
            written.and(read_all.map(drop)).unwrap();
            assert_eq!(read, sent);
            far.write_all(b"back").await.unwrap();
            let mut back = [0; 4];
            socket.read_exact(&mut back).await.unwrap();
            assert_eq!(&back, b"back");
            drop(socket);
            assert_eq!(nonblocking(), !blocks);
        }
    }
}
