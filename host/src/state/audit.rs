//! The audit logs: one for each process, each naming where the one before it ended.
//!
//! Beside a log stands its end (`.end`): number and hash of its last line, so that lines cut off at the end are missed.
//! `last` names the newest log.

mod read;

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, FileExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use iac_core::Millis;
use iac_core::audit::{Chain, Entry, Hash, Link, time};

use super::{StateError, file, read_if_there};

pub use read::{AuditError, Finding, Record, newest, read, verify};

/// A log is followed by a new one when it is larger.
const LARGEST: u64 = 16 * 1024 * 1024;

/// How the file of a log ends.
const LOG: &str = ".jsonl";

/// How the file with the end of a log ends.
const END: &str = ".end";

/// The log of this process; it begins with the first entry.
#[derive(Debug)]
pub(super) struct Log {
    folder: PathBuf,
    lock: PathBuf,
    open: Option<Open>,
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
    pub(super) fn new(folder: PathBuf, lock: PathBuf) -> Self {
        Self { folder, lock, open: None }
    }

    /// Appends an entry; begins a log where there is none or the one there is large enough.
    pub(super) fn append(&mut self, now: Millis, entry: &Entry, durable: bool) -> Result<(), StateError> {
        if self.open.as_ref().is_none_or(|open| open.size > LARGEST) {
            let open = self.begin(now)?;
            self.open = Some(open);
        }
        let path = self.folder.clone();
        let Some(open) = &mut self.open else { return Ok(()) };
        open.append(now, entry, durable).map_err(StateError::io(&path))
    }

    pub(super) fn sync(&self) -> Result<(), StateError> {
        let sync = |open: &Open| open.log.sync_data().and_then(|()| open.end.sync_data());
        self.open.as_ref().map_or(Ok(()), sync).map_err(StateError::io(&self.folder))
    }

    /// Only one process begins a log at a time, so that logs stand in one row.
    fn begin(&self, now: Millis) -> Result<Open, StateError> {
        let failed = || StateError::io(&self.folder);
        DirBuilder::new().recursive(true).mode(0o700).create(&self.folder).map_err(failed())?;
        let _lock = file::lock(&self.lock)?;
        let previous = self.previous()?;
        let mut open = Open::create(&self.folder, now).map_err(failed())?;
        let version = env!("CARGO_PKG_VERSION").to_owned();
        let start = Entry::Start { version, process: std::process::id(), previous };
        open.append(now, &start, true).map_err(failed())?;
        file::replace(&self.folder.join("last"), open.name.as_bytes())?;
        Ok(open)
    }

    /// Where the newest log ends now; it may still grow.
    fn previous(&self) -> Result<Option<Link>, StateError> {
        let Some(name) = read_if_there(&self.folder.join("last"))? else { return Ok(None) };
        let end = read_if_there(&self.folder.join(format!("{name}{END}")))?;
        Ok(end.as_deref().and_then(parse_end).map(|(line, hash)| Link {
            file: format!("{name}{LOG}"),
            line,
            hash,
        }))
    }
}

impl Open {
    /// Makes the files of a log that is named by the time and the process.
    fn create(folder: &Path, now: Millis) -> io::Result<Self> {
        let stamp = time(now).replace(':', "-");
        let mut tries = 0;
        loop {
            let more = if tries == 0 { String::new() } else { format!("-{tries}") };
            let name = format!("{stamp}-{}{more}", std::process::id());
            let new = |ending: &str| {
                let path = folder.join(format!("{name}{ending}"));
                OpenOptions::new().create_new(true).write(true).mode(0o600).open(path)
            };
            match new(LOG) {
                Ok(log) => {
                    let end = new(END)?;
                    return Ok(Self { name, log, end, chain: Chain::default(), size: 0 });
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => tries += 1,
                Err(error) => return Err(error),
            }
        }
    }

    /// A line that could be written only in part is taken back, so that the log stays whole.
    fn append(&mut self, now: Millis, entry: &Entry, durable: bool) -> io::Result<()> {
        let mut chain = self.chain.clone();
        let line = chain.append(now, entry);
        let written = self
            .log
            .write_all(line.as_bytes())
            .and_then(|()| if durable { self.log.sync_data() } else { Ok(()) });
        if let Err(error) = written {
            self.log.set_len(self.size)?;
            return Err(error);
        }
        self.size += line.len() as u64;
        self.chain = chain;
        self.end.write_all_at(format_end(&self.chain).as_bytes(), 0)
    }
}

/// Always of the same length, so that it is overwritten in one piece.
fn format_end(chain: &Chain) -> String {
    format!("{:020} {}\n", chain.lines, chain.last.as_str())
}

fn parse_end(text: &str) -> Option<(u64, Hash)> {
    let (line, hash) = text.trim_end().split_once(' ')?;
    Some((line.parse().ok()?, Hash::parse(hash)?))
}
