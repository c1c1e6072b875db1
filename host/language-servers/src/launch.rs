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
    /// Its complete environment.
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
    /// The id of the process, which leads its process group.
    pub pid: Option<u32>,
    /// The process itself.
    pub process: Box<dyn Process>,
}

/// A process with all of its descendants. Dropping it kills them.
pub trait Process: Send {
    /// Waits for the process to end. Returns how it ended, such as `exit code 1`.
    fn wait(&mut self) -> Pin<Box<dyn Future<Output = String> + Send + '_>>;
}

/// Starts processes that end when this process ends, however it ends.
pub trait Launch: Send + Sync {
    /// Starts a program.
    ///
    /// # Errors
    /// The program cannot be started.
    fn launch(&self, program: &Program) -> io::Result<Launched>;

    /// Returns the memory of a process group in bytes, if it can be determined.
    fn memory(&self, pid: u32) -> Pin<Box<dyn Future<Output = Option<u64>> + Send + '_>>;
}
