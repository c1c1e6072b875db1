//! The errors of the state directory, and what the operator can do about them.

use std::io;
use std::path::{Path, PathBuf};

use iac_core::fault::{Code, Fault};
use iac_core::permission::PolicyError;

use crate::shell::shell_word;

/// What [`StateError::NotAFile`] calls a folder.
pub(crate) const FOLDER: &str = "a folder";

/// An error of the state directory.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    /// It cannot be read or written.
    #[error("{}: {error}", .path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The system's error.
        error: io::Error,
    },
    /// The policy is not valid.
    #[error("{}: {error}", .path.display())]
    Policy {
        /// The file.
        path: PathBuf,
        /// The error, with its position.
        error: PolicyError,
    },
    /// Another file has the wrong contents.
    #[error("{}: {error}", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        error: String,
    },
    #[error("{}: this is {found}, expected a file", .path.display())]
    NotAFile {
        path: PathBuf,
        /// What it is instead, in words.
        found: &'static str,
    },
    #[error("{}: this file is larger than {}, the largest size that is read", .path.display(), size(*.most))]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The size limit in bytes.
        most: u64,
    },
    #[error("{}: its volume does not respond", .path.display())]
    Silent {
        /// The file or folder.
        path: PathBuf,
    },
    #[error("{}: another process has held this lock for too long", .path.display())]
    Held {
        /// The file.
        path: PathBuf,
    },
}

impl StateError {
    pub fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |error| Self::Io { path, error }
    }
}

impl StateError {
    /// Suggests a command or an action for a damaged file, for something that is not a file, or for a lock that is
    /// held.
    pub fn remedy(&self) -> Option<String> {
        let (path, verb) = match self {
            Self::Damaged { path, .. } | Self::TooLarge { path, .. } => (path, "rm"),
            // A folder may contain something, so it is moved away. A pipe or a link to a device contains nothing.
            Self::NotAFile { path, found } => (path, if *found == FOLDER { "mv" } else { "rm" }),
            Self::Held { .. } => {
                let how = "an iac-mcp process was probably stopped: continue or end it, then try again";
                return Some(how.to_owned());
            }
            Self::Silent { .. } => {
                let how = "reconnect the volume, or name another folder with --state, then try again";
                return Some(how.to_owned());
            }
            Self::Io { .. } | Self::Policy { .. } => return None,
        };
        let word = shell_word(&path.to_string_lossy());
        let lost = match path.file_name()?.to_str()? {
            "grants.json" => "its approvals are then lost",
            "undo.json" => "its writes can no longer be undone",
            "policy.toml" => {
                let how = "fix the file yourself, or delete it to return to `standard` without rules";
                return Some(how.to_owned());
            }
            _ if matches!(self, Self::Damaged { .. } | Self::TooLarge { .. }) => return None,
            _ => "iac-mcp writes a new file when it needs one",
        };
        Some(match verb {
            "rm" => format!("remove it with `rm {word}`; {lost}"),
            _ => format!("move it away with `mv {word} {word}.old`; {lost}"),
        })
    }
}

impl From<StateError> for Fault {
    /// Without a valid policy nothing runs, so the error is final.
    fn from(error: StateError) -> Self {
        let suggestion = match &error {
            StateError::Policy { .. } => {
                "only the user can correct the policy: `iac-mcp policy check` shows the mistake"
            }
            error => &error.remedy().unwrap_or_else(|| {
                "only the user can correct this file or folder; nothing runs until then".to_owned()
            }),
        };
        let passes = matches!(error, StateError::Held { .. } | StateError::Silent { .. });
        Self::new(Code::Unavailable, error.to_string(), suggestion).retryable(passes)
    }
}
/// Formats bytes in KiB or MiB.
fn size(bytes: u64) -> String {
    const MIB: u64 = 1024 * 1024;
    if bytes < MIB { format!("{} KiB", bytes / 1024) } else { format!("{} MiB", bytes / MIB) }
}
