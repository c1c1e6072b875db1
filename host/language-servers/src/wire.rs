//! Message framing: a header with the length in bytes, then that many bytes.

use serde_json::Value as Json;
use tokio::io::{AsyncBufRead, AsyncBufReadExt as _, AsyncReadExt as _, BufReader};

use crate::launch::Output;

/// The largest frame that is read.
pub(crate) const MOST_FRAME: usize = 64 * 1024 * 1024;

/// The longest header line that is read.
const MOST_LINE: u64 = 8 * 1024;

/// The most bytes of other output before a header. A server that writes more is given up.
const MOST_NOISE: usize = 64 * 1024;

/// Why a server's output cannot be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum WireError {
    #[error("its output cannot be read: {0}")]
    Io(#[from] std::io::Error),
    #[error("it sent a frame of {0} bytes, expected at most {MOST_FRAME}")]
    TooLarge(usize),
    #[error("its output ended within a frame")]
    Cut,
    #[error("it wrote something that is not a frame: `{0}`")]
    Noise(String),
    #[error("it sent a frame that is not JSON: {0}")]
    Json(#[from] serde_json::Error),
}

/// Reads framed messages.
pub(crate) struct Frames<R = BufReader<Output>> {
    from: R,
    forgiven: bool,
}

impl<R: AsyncBufRead + Unpin> Frames<R> {
    pub(crate) fn new(from: R) -> Self {
        Self { from, forgiven: false }
    }

    /// Reads one message; `None` at the end. Other output before a header is tolerated once, because a launcher may
    /// print a greeting.
    pub(crate) async fn next(&mut self) -> Result<Option<Json>, WireError> {
        let Some(length) = self.header().await? else { return Ok(None) };
        if length > MOST_FRAME {
            return Err(WireError::TooLarge(length));
        }
        let mut body = vec![0; length];
        match self.from.read_exact(&mut body).await {
            Ok(_) => Ok(Some(serde_json::from_slice(&body)?)),
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => Err(WireError::Cut),
            Err(error) => Err(error.into()),
        }
    }

    /// Reads headers up to the empty line. Returns the length that they give.
    async fn header(&mut self) -> Result<Option<usize>, WireError> {
        let mut length = None;
        let mut noise = 0;
        loop {
            let Some(line) = self.line().await? else {
                return if length.is_some() { Err(WireError::Cut) } else { Ok(None) };
            };
            match (line.trim_end(), length) {
                ("", Some(length)) => {
                    self.forgiven |= noise > 0;
                    return Ok(Some(length));
                }
                (text, _) => match content_length(text) {
                    Some(named) => length = Some(named),
                    None if is_header(text) => {}
                    None => {
                        noise += line.len();
                        if self.forgiven || noise > MOST_NOISE {
                            return Err(WireError::Noise(text.chars().take(80).collect()));
                        }
                    }
                },
            }
        }
    }

    async fn line(&mut self) -> Result<Option<String>, WireError> {
        let mut line = Vec::new();
        let read = (&mut self.from).take(MOST_LINE).read_until(b'\n', &mut line).await?;
        Ok((read > 0).then(|| String::from_utf8_lossy(&line).into_owned()))
    }
}

pub(crate) fn frame(message: &Json) -> Vec<u8> {
    let body = message.to_string();
    format!("Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

/// Finds the length in a header line, even if other output without a line break comes before it.
fn content_length(line: &str) -> Option<usize> {
    let at = line.to_ascii_lowercase().rfind("content-length:")?;
    line[at + "content-length:".len()..].trim().parse().ok()
}

fn is_header(line: &str) -> bool {
    line.to_ascii_lowercase().starts_with("content-")
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn read(bytes: &[u8]) -> (Vec<String>, String) {
        let mut frames = Frames::new(bytes);
        let mut read = Vec::new();
        loop {
            match frames.next().await {
                Ok(Some(json)) => read.push(json.to_string()),
                Ok(None) => return (read, String::new()),
                Err(error) => return (read, error.to_string()),
            }
        }
    }

    async fn check(bytes: &str, frames: &[&str], error: &str) {
        let (read, said) = read(bytes.as_bytes()).await;
        assert_eq!(read, frames, "{bytes}");
        assert_eq!(said, error, "{bytes}");
    }

    #[tokio::test]
    async fn frames_are_read() {
        check("", &[], "").await;
        check("Content-Length: 2\r\n\r\n{}content-length:4\r\n\r\n\"é\"", &["{}", "\"é\""], "").await;
        check("Content-Type: x; charset=utf-8\r\nContent-Length: 1\r\n\r\n1", &["1"], "").await;
    }

    #[tokio::test]
    async fn noise_is_forgiven_once() {
        check("hello\nworld\nContent-Length: 1\r\n\r\n1", &["1"], "").await;
        check("helloContent-Length: 1\r\n\r\n1", &["1"], "").await;
        let twice = "hello\nContent-Length: 1\r\n\r\n1again\nContent-Length: 1\r\n\r\n1";
        check(twice, &["1"], "it wrote something that is not a frame: `again`").await;
    }

    #[tokio::test]
    async fn what_is_no_frame() {
        check("Content-Length: 3\r\n\r\n{}", &[], "its output ended within a frame").await;
        check("Content-Length: 3\r\n", &[], "its output ended within a frame").await;
        let large = "it sent a frame of 99999999 bytes, expected at most 67108864";
        check("Content-Length: 99999999\r\n\r\n{}", &[], large).await;
        let (_, error) = read(b"Content-Length: 2\r\n\r\n{]").await;
        assert!(error.starts_with("it sent a frame that is not JSON"), "{error}");
    }

    #[test]
    fn a_frame_counts_bytes() {
        assert_eq!(frame(&Json::from("é")), "Content-Length: 4\r\n\r\n\"é\"".as_bytes());
    }
}
