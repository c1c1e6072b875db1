//! What the system says has changed below a root, so that nobody has to walk it before every question.
//!
//! Linux says it at once: what was written before a question was asked is known when it comes. Other systems say it
//! later, so there, and on file systems that others write to as well, nothing is heard and roots are walked.

#[cfg(target_os = "linux")]
mod linux;

use std::collections::BTreeSet;

use cap_std::fs::Dir;

use crate::disk::Disk;

/// Hears of changes below a root. Walks tell it which folders there are.
pub(crate) trait Watch: Send {
    /// What has happened until now is seen by the walk.
    fn begin_walk(&mut self);

    /// Watches a folder, before it is read.
    fn folder(&mut self, dir: &Dir, path: &str);

    /// Watches a file by a link to it.
    fn link(&mut self, path: &str);

    /// Forgets what the walk has not come by.
    fn end_walk(&mut self);

    /// Says what has happened since the last walk, or since this was last asked.
    fn news(&mut self) -> News;
}

/// Begins to watch a root; none where the system or the file system does not tell.
pub(crate) fn begin(disk: &Disk) -> Option<Box<dyn Watch>> {
    #[cfg(target_os = "linux")]
    let watch = linux::Inotify::begin(disk).map(|watch| Box::new(watch) as Box<dyn Watch>);
    #[cfg(not(target_os = "linux"))]
    let (watch, _) = (None, disk);
    watch
}

/// What has happened since the last question.
#[derive(Debug, PartialEq, Eq)]
#[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "only Linux tells"))]
pub(crate) enum News {
    /// Files have changed that were there before and are there now; none if there are no names.
    Changed(BTreeSet<String>),
    /// Something was made, removed or renamed, or too much has happened.
    More,
    /// It is not known.
    Unknown,
}
