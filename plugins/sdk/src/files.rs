//! Text below a granted folder.

use crate::Fault;
use crate::bindings::iac::plugin::files;
pub use crate::bindings::iac::plugin::files::{Entry, Kind};

/// A granted root that was opened in this call.
#[derive(Debug)]
pub struct Directory(files::Directory);

/// Returns the roots that were granted.
pub fn roots() -> Vec<String> {
    files::roots()
}

/// Opens a granted root by the path under which it was granted.
///
/// # Errors
/// `permission_denied` if it was not granted, `unavailable` if it does not exist.
pub fn open(root: &str) -> Result<Directory, Fault> {
    Ok(Directory(files::open(root)?))
}

impl Directory {
    /// Lists a directory, `""` for the root itself, in order of names, from the first one after `after`.
    ///
    /// # Errors
    /// `invalid_parameter` for a path that leaves the root or is not a directory.
    pub fn entries(&self, path: &str, after: Option<&str>, limit: u32) -> Result<Vec<Entry>, Fault> {
        Ok(self.0.entries(path, after, limit)?)
    }

    /// Reads at most `limit` bytes of a file from byte `offset`, cut at the last whole character.
    ///
    /// # Errors
    /// `invalid_parameter` for a path that leaves the root, is not a regular file, or holds no UTF-8 there.
    pub fn read_text(&self, path: &str, offset: u64, limit: u32) -> Result<String, Fault> {
        Ok(self.0.read_text(path, offset, limit)?)
    }
}
