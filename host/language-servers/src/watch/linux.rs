//! Linux: one inotify watch for each folder, and for each file that a link leads to.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::path::PathBuf;

use cap_std::fs::Dir;
use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
use rustix::io::Errno;

use super::{News, Watch};
use crate::disk::Disk;

/// The most folders to watch. A user has some tens of thousands of watches for all programs together.
const MOST: usize = 20_000;

/// The most names to accept from one read. If there are more, the host walks the root.
const MOST_NAMES: usize = 1_000;

const BUFFER: usize = 16 * 1024;

/// Git's ignore file. A change of it affects other files.
const RULES: &str = ".gitignore";

/// Watches a root.
pub(super) struct Inotify {
    /// `None` once the watches are no longer reliable.
    events: Option<OwnedFd>,
    root: PathBuf,
    device: u64,
    watched: HashMap<i32, String>,
    /// The watches that the current walk has visited.
    met: HashSet<i32>,
}

impl Inotify {
    /// Starts without folders; `None` if the file system does not report changes.
    pub(super) fn begin(disk: &Disk) -> Option<Self> {
        let kind = rustix::fs::fstatfs(disk.dir()).ok()?.f_type;
        let device = rustix::fs::fstat(disk.dir()).ok()?.st_dev;
        // ext, btrfs, xfs, f2fs, zfs, bcachefs, tmpfs and overlay: no other machine writes to them.
        let tells = matches!(
            kind,
            0xef53
                | 0x9123_683e
                | 0x5846_5342
                | 0xf2f5_2010
                | 0x2fc1_2fc1
                | 0xca45_1a4e
                | 0x0102_1994
                | 0x794c_7630
        );
        let events = tells.then(|| inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC))?.ok();
        let root = disk.path().to_owned();
        Some(Self { events, root, device, watched: HashMap::new(), met: HashSet::new() })
    }

    fn add(&mut self, path: &str, also: WatchFlags) {
        let Some(events) = &self.events else { return };
        let flags = also | WatchFlags::MODIFY | WatchFlags::ATTRIB | WatchFlags::MOVE_SELF;
        match inotify::add_watch(events, self.root.join(path), flags) {
            Ok(watch) if self.watched.len() < MOST => {
                self.watched.insert(watch, path.to_owned());
                self.met.insert(watch);
            }
            // It is already gone, and the watch on its folder reports that.
            Err(Errno::NOENT | Errno::NOTDIR) => {}
            // The system allows no more watches.
            _ => self.events = None,
        }
    }
}

impl Watch for Inotify {
    fn begin_walk(&mut self) {
        self.met.clear();
        drop(self.news());
    }

    fn folder(&mut self, dir: &Dir, path: &str) {
        let here = rustix::fs::fstat(dir).is_ok_and(|stat| stat.st_dev == self.device);
        let also = WatchFlags::CREATE
            | WatchFlags::DELETE
            | WatchFlags::DELETE_SELF
            | WatchFlags::MOVED_FROM
            | WatchFlags::MOVED_TO
            | WatchFlags::ONLYDIR
            | WatchFlags::DONT_FOLLOW
            | WatchFlags::EXCL_UNLINK;
        if here { self.add(path, also) } else { self.events = None }
    }

    fn link(&mut self, path: &str) {
        self.add(path, WatchFlags::DELETE_SELF);
    }

    fn end_walk(&mut self) {
        let Some(events) = &self.events else { return self.watched.clear() };
        self.watched.retain(|watch, _| {
            let met = self.met.contains(watch);
            if let Err(error) = if met { Ok(()) } else { inotify::remove_watch(events, *watch) } {
                tracing::trace!(%error, "a watch has ended by itself");
            }
            met
        });
    }

    fn news(&mut self) -> News {
        let Some(events) = &self.events else { return News::Unknown };
        let mut buffer = [MaybeUninit::uninit(); BUFFER];
        let mut reader = Reader::new(events, &mut buffer);
        let mut changed = BTreeSet::new();
        let mut more = false;
        loop {
            match reader.next() {
                Ok(event) => {
                    let name = event.file_name().map(|name| name.to_string_lossy());
                    let heard = heard(&mut self.watched, event.wd(), event.events(), name.as_deref());
                    match heard {
                        Heard::Nothing => {}
                        Heard::Changed(path) => drop(changed.insert(path)),
                        Heard::More => more = true,
                    }
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => break,
                Err(_) => {
                    self.events = None;
                    return News::Unknown;
                }
            }
        }
        if more || changed.len() > MOST_NAMES { News::More } else { News::Changed(changed) }
    }
}

/// What one event means.
enum Heard {
    Nothing,
    Changed(String),
    More,
}

fn heard(watched: &mut HashMap<i32, String>, watch: i32, what: ReadFlags, name: Option<&str>) -> Heard {
    if what.contains(ReadFlags::IGNORED) {
        watched.remove(&watch);
        return Heard::Nothing;
    }
    let only = ReadFlags::MODIFY | ReadFlags::ATTRIB;
    if !only.contains(what) || name == Some(RULES) {
        return Heard::More;
    }
    match (watched.get(&watch), name) {
        (Some(folder), Some(name)) if folder.is_empty() => Heard::Changed(name.to_owned()),
        (Some(folder), Some(name)) => Heard::Changed(format!("{folder}/{name}")),
        (Some(path), None) => Heard::Changed(path.clone()),
        (None, _) => Heard::Nothing,
    }
}
