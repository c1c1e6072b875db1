//! The state directory: the operator's policy, the approvals, and the record of changes.
//!
//! Several servers share it. A shared file is changed under a lock and replaced as a whole, so that a killed process
//! leaves the old or the new one. A file with a single writer belongs to one process. Only the owner can read the
//! directory.
//!
//! | file | holds |
//! | --- | --- |
//! | `policy.toml` | profile and rules, written by people and by `iac-mcp policy` |
//! | `grants.json` | what humans have allowed for an hour or always |
//! | `undo.json` | writes of the last hour that can be taken back, with their old values |
//! | `untrusted.json` | when text that others may have written was last read |
//! | `audit/` | one log for each process, chained |
//! | `references/` | references of each process that outlive it |
//! | `servers/` | what each running server does at this moment |
//! | `lock` | nothing; who changes a shared file holds it |

mod shell;
mod error;
pub mod regular;
mod file;
mod volume;
mod untrusted;
mod own;
pub mod references;
pub mod servers;
pub mod audit;
mod folder;
mod policy;
mod undo;
mod recorder;

pub use error::StateError;
pub use folder::State;
pub use recorder::Recorder;
pub use shell::shell_word;

#[cfg(test)]
mod tests;
