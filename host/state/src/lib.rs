//! The state directory: the operator's policy, the approvals, and the record of changes.
//!
//! Several servers share it. A shared file is changed under a lock and replaced atomically, so a killed process
//! leaves the old file or the new one. A file with a single writer belongs to one process. Only the owner can read
//! the directory.
//!
//! | file | holds |
//! | --- | --- |
//! | `policy.toml` | the profile and the rules, written by people and by `iac-mcp policy` |
//! | `grants.json` | what people have approved, for an hour or for good |
//! | `undo.json` | writes of the last hour that can be undone, with the old values |
//! | `untrusted.json` | when a server last read text that others may have written |
//! | `audit/` | the audit logs, one for each process, linked by hashes |
//! | `references/` | references that outlive their process, one file for each process |
//! | `servers/` | what each running server is doing now |
//! | `lock` | an empty file, which is locked to change a shared file |

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
