//! How a server's process is started and watched. The caller supplies the one function that starts processes.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::pin::Pin;

use tokio::io::{AsyncRead, AsyncWrite};

/// What is to be started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The program and its arguments.
    pub command: Vec<OsString>,
    /// Where it runs.
    pub directory: PathBuf,
    /// Its whole environment.
    pub environment: Vec<(OsString, OsString)>,
}

/// Where a process reads from.
pub type Input = Box<dyn AsyncWrite + Send + Unpin>;

/// What a process writes.
pub type Output = Box<dyn AsyncRead + Send + Unpin>;

/// A process that runs.
pub struct Launched {
    /// Its standard input.
    pub stdin: Input,
    /// Its standard output.
    pub stdout: Output,
    /// Its standard error.
    pub stderr: Output,
    /// The leader of its group.
    pub pid: Option<u32>,
    /// The process itself.
    pub process: Box<dyn Process>,
}

/// A process with all that it has started. Dropping it kills them.
pub trait Process: Send {
    /// Waits for the end, and says how it ended, such as `exit code 1`.
    fn wait(&mut self) -> Pin<Box<dyn Future<Output = String> + Send + '_>>;
}

/// Starts processes that end with this one, however it ends.
pub trait Launch: Send + Sync {
    /// Starts a program.
    ///
    /// # Errors
    /// The program cannot be started.
    fn launch(&self, program: &Program) -> io::Result<Launched>;

    /// Returns the bytes that the group of a process holds in memory, where that can be known.
    fn memory(&self, pid: u32) -> Pin<Box<dyn Future<Output = Option<u64>> + Send + '_>>;
}
