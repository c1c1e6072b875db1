//! Starts and watches a server's process. The caller supplies the one function that starts processes.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::pin::Pin;

use tokio::io::{AsyncRead, AsyncWrite};

/// The command to start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The program and its arguments.
    pub command: Vec<OsString>,
    /// Its working directory.
    pub directory: PathBuf,
    /// Its whole environment.
    pub environment: Vec<(OsString, OsString)>,
}

/// The input of a process.
pub type Input = Box<dyn AsyncWrite + Send + Unpin>;

/// The output of a process.
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

    /// Returns the memory of a process's group in bytes, if that can be known.
    fn memory(&self, pid: u32) -> Pin<Box<dyn Future<Output = Option<u64>> + Send + '_>>;
}
