//! The audit logs: one for each process. Each log names the end of the log before it.
//!
//! Beside each log is a file (`.end`) with the number and hash of its last line, so that the server notices if lines
//! were cut off at the end. `last` names the newest log. When a new log begins, logs are removed whose last entry is
//! more than 90 days old, except the newest ones; the operator can also remove logs. A removal is recorded in a log
//! that stays, so `verify` does not report the removed log as missing.

mod read;

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, FileExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use iac_core::Millis;
use iac_core::audit::{Chain, Entry, Hash, Link, time};

use crate::{StateError, file, regular};

pub(crate) use read::accepted;
pub use read::{Finding, Record, newest, read, verify};

/// A log that is larger than this is followed by a new one.
const LARGEST: u64 = 16 * 1024 * 1024;

/// How long a log is kept after its last entry.
const KEPT: Millis = Millis(90 * DAY);

/// How many of the newest logs always stay, because a clock that is set far ahead makes every log look old.
const SPARED: usize = 16;

/// A day in milliseconds. Younger logs are never removed.
const DAY: u64 = 24 * 60 * 60 * 1000;

/// The start of an entry that names removed logs.
const REMOVED: &str = "audit remove: ";

/// The start of an entry that names a finding which the operator has acknowledged.
const ACCEPTED: &str = "audit accept: ";

/// How long no new log begins after the lock was unavailable. Otherwise each waiting entry would wait for the lock
/// again.
const REST: Duration = Duration::from_secs(1);

/// The most logs that one entry names.
const NAMED: usize = 100;

/// The suffix of a log file.
const LOG: &str = ".jsonl";

/// The suffix of a log file that has no entry yet.
const UNBEGUN: &str = ".new";

/// The suffix of the file with the end of a log.
const END: &str = ".end";

/// The log of this process. It begins with the first entry.
#[derive(Debug)]
pub(crate) struct Log {
    folder: PathBuf,
    lock: PathBuf,
    open: Option<Open>,
    /// When the lock was last unavailable.
    refused: Option<Instant>,
}

#[derive(Debug)]
struct Open {
    name: String,
    log: File,
    end: File,
    chain: Chain,
    size: u64,
}

impl Log {
    pub(crate) fn new(folder: PathBuf, lock: PathBuf) -> Self {
        Self { folder, lock, open: None, refused: None }
    }

    /// Appends entries in one write. Begins a new log if there is none or the current one is large enough.
    pub(crate) fn append(&mut self, entries: &[(Millis, &Entry)], durable: bool) -> Result<(), StateError> {
        let Some((now, _)) = entries.first() else { return Ok(()) };
        let path = self.folder.clone();
        self.open(*now)?.append(entries, durable).map_err(StateError::io(&path))
    }

    /// Removes the logs whose last entry is older than `age`, which is at least a day. Returns how many it removed.
    pub(crate) fn remove(&mut self, now: Millis, age: Millis) -> Result<usize, StateError> {
        let folder = self.folder.clone();
        let lock = self.lock.clone();
        let open = self.open(now)?;
        let _lock = file::lock(&lock)?;
        let old = old_logs(&folder, &open.name, Some(before(now, age.max(Millis(DAY)))));
        let removed = old.and_then(|old| open.remove_old(&folder, now, &names(old)));
        removed.map_err(StateError::io(&folder))
    }

    /// Returns the log of this process, or a new one if that log is too large or was removed.
    fn open(&mut self, now: Millis) -> Result<&mut Open, StateError> {
        let open = match self.open.take().filter(|open| open.size <= LARGEST && open.is_there()) {
            Some(open) => open,
            None => self.begin(now)?,
        };
        Ok(self.open.insert(open))
    }

    pub(crate) fn sync(&self) -> Result<(), StateError> {
        let sync = |open: &Open| open.log.sync_data().and_then(|()| open.end.sync_data());
        self.open.as_ref().map_or(Ok(()), sync).map_err(StateError::io(&self.folder))
    }

    /// Begins a log under a lock, so that only one process does it at a time and the logs form one chain.
    fn begin(&mut self, now: Millis) -> Result<Open, StateError> {
        if self.refused.is_some_and(|refused| refused.elapsed() < REST) {
            return Err(StateError::Held { path: self.lock.clone() });
        }
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&self.folder)
            .map_err(StateError::io(&self.folder))?;
        let lock = file::lock(&self.lock);
        self.refused = matches!(lock, Err(StateError::Held { .. })).then(Instant::now);
        let _lock = lock?;
        remove_unbegun(&self.folder).map_err(StateError::io(&self.folder))?;
        let mut open = self.start(now)?;
        let worn = worn_logs(&self.folder, &open.name, now);
        if let Err(error) = worn.and_then(|worn| open.remove_old(&self.folder, now, &worn)) {
            tracing::warn!(%error, "old logs stay");
        }
        Ok(open)
    }

    /// Creates a log with its first entry. If that fails, as on a full disk, it removes the files again.
    fn start(&self, now: Millis) -> Result<Open, StateError> {
        let failed = || StateError::io(&self.folder);
        let (version, previous) = (env!("CARGO_PKG_VERSION").to_owned(), self.previous()?);
        let start = Entry::Start { version, process: std::process::id(), previous };
        let mut open = Open::create(&self.folder, now).map_err(failed())?;
        let path = |ending: &str| self.folder.join(format!("{}{ending}", open.name));
        let (unbegun, log) = (path(UNBEGUN), path(LOG));
        let begun = open.append(&[(now, &start)], true).and_then(|()| fs::rename(unbegun, log));
        let begun = begun.map_err(failed());
        match begun
            .and_then(|()| file::replace(&self.folder.join("last"), open.name.as_bytes(), regular::MOST))
        {
            Ok(()) => Ok(open),
            Err(error) => {
                remove(&self.folder, &open.name);
                Err(error)
            }
        }
    }

    /// Returns the current end of the newest log, which may still grow; `None` if that log is damaged, which `verify`
    /// reports.
    fn previous(&self) -> Result<Option<Link>, StateError> {
        let Some(name) = text_if_there(&self.folder.join("last"))? else { return Ok(None) };
        let end = text_if_there(&self.folder.join(format!("{name}{END}")))?;
        Ok(end.as_deref().and_then(parse_end).map(|(line, hash)| Link {
            file: format!("{name}{LOG}"),
            line,
            hash,
        }))
    }
}

impl Open {
    /// Creates the files of a log, named after the time and the process. The log gets its final name with its first
    /// entry, so a process that is killed before that leaves no log.
    fn create(folder: &Path, now: Millis) -> io::Result<Self> {
        let (stamp, process) = (time(now).replace(':', "-"), std::process::id());
        let mut name = format!("{stamp}-{process}");
        // The caller holds the lock, so no other process begins a log meanwhile.
        for more in 1.. {
            if !folder.join(format!("{name}{LOG}")).try_exists()? {
                break;
            }
            name = format!("{stamp}-{process}-{more}");
        }
        let mut new = OpenOptions::new();
        new.create_new(true).mode(0o600);
        let made = |open: &mut OpenOptions, ending: &str| open.open(folder.join(format!("{name}{ending}")));
        // Append mode writes at the end of the file even after a failed line was cut off.
        let log = made(new.clone().append(true), UNBEGUN)?;
        let end = made(new.write(true), END).inspect_err(|_| remove(folder, &name))?;
        Ok(Self { name, log, end, chain: Chain::default(), size: 0 })
    }

    fn is_there(&self) -> bool {
        self.log.metadata().is_ok_and(|found| found.nlink() > 0)
    }

    /// Removes other logs, after their names were recorded.
    fn remove_old(&mut self, folder: &Path, now: Millis, old: &[String]) -> io::Result<usize> {
        for names in old.chunks(NAMED) {
            let order = format!("{REMOVED}{}", names.join(" "));
            self.append(&[(now, &Entry::Operator { order })], true)?;
            names.iter().for_each(|name| remove(folder, name));
        }
        Ok(old.len())
    }

    /// Appends lines. If a write fails halfway, the partial line is cut off, so the log stays valid.
    fn append(&mut self, entries: &[(Millis, &Entry)], durable: bool) -> io::Result<()> {
        let mut chain = self.chain.clone();
        let lines: String = entries.iter().map(|(at, entry)| chain.append(*at, entry)).collect();
        let written = self
            .log
            .write_all(lines.as_bytes())
            .and_then(|()| if durable { self.log.sync_data() } else { Ok(()) });
        if let Err(error) = written {
            self.log.set_len(self.size)?;
            return Err(error);
        }
        self.size += lines.len() as u64;
        self.chain = chain;
        self.end.write_all_at(format_end(&self.chain).as_bytes(), 0)
    }
}

/// Removes a log and its `.end` file.
fn remove(folder: &Path, name: &str) {
    for file in [LOG, END, UNBEGUN].map(|ending| format!("{name}{ending}")) {
        match fs::remove_file(folder.join(&file)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                tracing::warn!(%error, file, "a log stays");
            }
            _ => {}
        }
    }
}

/// Removes leftovers of processes that were killed while they began a log. The lock keeps others from beginning one
/// now.
fn remove_unbegun(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        if let Some(name) = entry?.file_name().to_str().and_then(|name| name.strip_suffix(UNBEGUN)) {
            remove(folder, name);
        }
    }
    Ok(())
}

fn before(now: Millis, age: Millis) -> Millis {
    Millis(now.0.saturating_sub(age.0))
}

fn names(logs: Vec<(SystemTime, String)>) -> Vec<String> {
    logs.into_iter().map(|(_, name)| name).collect()
}

/// Returns the names of expired logs, oldest first. A log is expired only if it is old by the clock and also compared
/// with the newest other log. The newest logs are never returned.
fn worn_logs(folder: &Path, own: &str, now: Millis) -> io::Result<Vec<String>> {
    let mut others = old_logs(folder, own, None)?;
    others.sort();
    let written = others.last().and_then(|(at, _)| at.duration_since(SystemTime::UNIX_EPOCH).ok());
    let written = written.map_or(0, |at| u64::try_from(at.as_millis()).unwrap_or(u64::MAX));
    let mut worn = old_logs(folder, own, Some(before(Millis(now.0.min(written)), KEPT)))?;
    others.drain(..others.len().saturating_sub(SPARED));
    worn.retain(|log| !others.contains(log));
    Ok(names(worn))
}

/// Returns the logs that began before a time and were last written before it, each with the time of its last write.
fn old_logs(folder: &Path, own: &str, before: Option<Millis>) -> io::Result<Vec<(SystemTime, String)>> {
    const SECONDS: usize = "2026-01-22T10-00-00".len();
    let until = before.map(|before| SystemTime::UNIX_EPOCH + Duration::from_millis(before.0));
    let stamp = before.map(|before| time(before).replace(':', "-"));
    let mut old = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let Some(name) = name.to_str().and_then(|name| name.strip_suffix(LOG)) else { continue };
        let began_before = stamp.as_ref().is_none_or(|stamp| name.get(..SECONDS) < stamp.get(..SECONDS));
        let written = entry.metadata()?.modified()?;
        if name != own && began_before && until.is_none_or(|until| written < until) {
            old.push((written, name.to_owned()));
        }
    }
    old.sort_by(|(_, one), (_, other)| one.cmp(other));
    Ok(old)
}

/// Reads a text file; `None` if there is none. Bytes that are not UTF-8 are replaced.
fn text_if_there(path: &Path) -> Result<Option<String>, StateError> {
    let bytes = regular::bytes(path, regular::MOST)?;
    Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
}

/// The line has a fixed length, so that it can be overwritten in one write.
fn format_end(chain: &Chain) -> String {
    format!("{:020} {}\n", chain.lines, chain.last.as_str())
}

fn parse_end(text: &str) -> Option<(u64, Hash)> {
    let (line, hash) = text.trim_end().split_once(' ')?;
    Some((line.parse().ok()?, Hash::parse(hash)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_was_taken_back_leaves_no_trace() {
        let folder = tempfile::tempdir().unwrap();
        let mut log = Log::new(folder.path().join("audit"), folder.path().join("lock"));
        let note = |log: &mut Log| {
            log.append(&[(Millis(1_000), &Entry::Operator { order: "x".to_owned() })], true).unwrap();
        };
        note(&mut log);
        // A full disk can cut a line off after its first bytes.
        let open = log.open.as_mut().unwrap();
        open.log.write_all(b"half a li").unwrap();
        open.log.set_len(open.size).unwrap();
        note(&mut log);
        assert_eq!(verify(folder.path()).unwrap(), []);
    }

    #[test]
    fn whoever_is_killed_before_the_first_entry_has_begun_no_log() {
        let folder = tempfile::tempdir().unwrap();
        let audit = folder.path().join("audit");
        let begin = |at| {
            let mut log = Log::new(audit.clone(), folder.path().join("lock"));
            log.append(&[(Millis(at), &Entry::Operator { order: "x".to_owned() })], true).unwrap();
        };
        begin(1_000);
        drop(Open::create(&audit, Millis(2_000)).unwrap());
        assert_eq!(verify(folder.path()).unwrap(), []);
        begin(3_000);
        assert_eq!(verify(folder.path()).unwrap(), []);
        assert_eq!(fs::read_dir(&audit).unwrap().count(), 2 * 2 + 1, "nothing stays of it");
    }
}
