//! The system's reports about changes below a root, so that the host does not have to walk it before every question.
//!
//! Linux reports at once: a write before a question is known when the question comes. Other systems report later.
//! There, and on file systems that others write to as well, the host uses no reports and walks the roots.

#[cfg(target_os = "linux")]
mod linux;

use std::collections::BTreeSet;

use cap_std::fs::Dir;

use crate::disk::Disk;

/// Notices changes below a root. Walks tell it which folders exist.
pub(crate) trait Watch: Send {
    /// The walk sees everything that has happened until now.
    fn begin_walk(&mut self);

    /// Watches a folder, before it is read.
    fn folder(&mut self, dir: &Dir, path: &str);

    /// Watches a file by a link to it.
    fn link(&mut self, path: &str);

    /// Forgets what the walk has not come by.
    fn end_walk(&mut self);

    /// Returns the changes since the last walk, or since the last call.
    fn news(&mut self) -> News;
}

/// Begins to watch a root; `None` if the system or the file system does not report changes.
pub(crate) fn begin(disk: &Disk) -> Option<Box<dyn Watch>> {
    #[cfg(target_os = "linux")]
    let watch = linux::Inotify::begin(disk).map(|watch| Box::new(watch) as Box<dyn Watch>);
    #[cfg(not(target_os = "linux"))]
    let (watch, _) = (None, disk);
    watch
}

/// The changes since the last question.
#[derive(Debug, PartialEq, Eq)]
#[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "only Linux tells"))]
pub(crate) enum News {
    /// Files that existed before and still exist have changed; an empty set if there are no names.
    Changed(BTreeSet<String>),
    /// Something was made, removed or renamed, or too much has happened.
    More,
    /// It is not known.
    Unknown,
}
