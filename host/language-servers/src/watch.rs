//! The system's reports about changes below a root. With them, the host does not have to walk the root before every
//! question.
//!
//! Linux reports at once: a write before a question is known when the question arrives. Other systems report later.
//! There, and on file systems that other machines can write to, the host uses no reports and walks the roots.

#[cfg(target_os = "linux")]
mod linux;

use std::collections::BTreeSet;

use cap_std::fs::Dir;

use crate::disk::Disk;

/// Watches for changes below a root. A walk tells it which folders exist.
pub(crate) trait Watch: Send {
    /// Marks the start of a walk. The walk sees every change up to now.
    fn begin_walk(&mut self);

    /// Watches a folder. It must be called before the folder is read.
    fn folder(&mut self, dir: &Dir, path: &str);

    /// Watches a file that a link leads to.
    fn link(&mut self, path: &str);

    /// Stops watching what the walk did not visit.
    fn end_walk(&mut self);

    /// Returns the changes since the last walk, or since the last call.
    fn news(&mut self) -> News;
}

/// Starts to watch a root; `None` if the system or the file system does not report changes.
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
    /// Only the contents of existing files have changed; the set is empty if nothing has.
    Changed(BTreeSet<String>),
    /// Something was created, removed or renamed, or there were too many events.
    More,
    /// There are no reliable reports.
    Unknown,
}
