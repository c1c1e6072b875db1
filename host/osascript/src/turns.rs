//! Turns at an app, shared by all servers of this user, because an app handles one event at a time.
//!
//! There are two files for each app, locked with `flock`. The server that is next holds the first one, and the server
//! that talks to the app holds the second one. If another server is waiting at the end of a turn, the server pauses
//! briefly, so that the other one gets the turn. A series of short scripts shares a turn: the files are locked once
//! for each turn, not for each script.

use std::fs::{File, TryLockError};
use std::io;
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

/// How often to try the lock.
const POLL: Duration = Duration::from_millis(3);

/// The shortest length of a turn, while there are scripts to run.
const SLICE: Duration = Duration::from_millis(5);

/// How long a server pauses to let another one go first. A waiting server tries twice in this time.
const STAND_BACK: Duration = Duration::from_millis(8);

/// The two lock files of one app.
#[derive(Debug)]
pub(crate) struct Turns {
    next: File,
    app: File,
    stand_back: Option<Instant>,
    /// When this server got the turn, if it has it.
    since: Option<Instant>,
}

/// The right to use the app, until it is dropped. The next script can use the rest of the turn.
#[derive(Debug)]
pub(crate) struct Turn<'a>(&'a mut Turns);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    /// The process id.
    pub pid: u32,
    /// When it got the turn, in milliseconds since 1970.
    pub since: u64,
}

impl Turns {
    /// Opens the files of an app, and creates them if necessary.
    ///
    /// # Errors
    /// The directory is not writable.
    pub(crate) fn open(directory: &Path, app: &str) -> io::Result<Self> {
        std::fs::create_dir_all(directory)?;
        let name = file_name(app);
        let open = |kind: &str| {
            let path = directory.join(format!("{name}.{kind}"));
            File::options().read(true).write(true).create(true).truncate(false).open(path)
        };
        Ok(Self { next: open("next")?, app: open("turn")?, stand_back: None, since: None })
    }

    /// Whether other servers still find these same files. A server that holds the turn keeps its files.
    pub(crate) fn are_there(&self) -> bool {
        let is_there = |file: &File| file.metadata().is_ok_and(|found| found.nlink() > 0);
        self.since.is_some() || (is_there(&self.next) && is_there(&self.app))
    }

    /// Takes the turn if it is free and no server waits for it, or continues a turn. [`Self::taken`] returns the
    /// turn.
    pub(crate) fn take_now(&mut self) -> bool {
        self.end_slice();
        if self.since.is_some() {
            return true;
        }
        if self.stand_back.is_some() {
            return false;
        }
        let (Some(waits), Some(has)) = (Locked::now(&self.next), Locked::now(&self.app)) else {
            return false;
        };
        has.keep();
        drop(waits);
        self.begin();
        true
    }

    /// Returns the turn that was just taken.
    pub(crate) fn taken(&mut self) -> Turn<'_> {
        Turn(self)
    }

    /// Waits for the turn.
    ///
    /// # Errors
    /// The files cannot be locked on this file system.
    pub(crate) async fn take(&mut self) -> io::Result<Turn<'_>> {
        if let Some(until) = self.stand_back.take() {
            tokio::time::sleep_until(until.into()).await;
        }
        let waits = Locked::poll(&self.next).await?;
        let has = Locked::poll(&self.app).await?;
        has.keep();
        drop(waits);
        self.begin();
        Ok(Turn(self))
    }

    /// When an idle turn must be given back; `None` if this server has no turn.
    pub(crate) fn kept_until(&self) -> Option<Instant> {
        self.since.map(|since| since + SLICE)
    }

    /// Gives the turn back, and pauses before the next one if another server is waiting.
    pub(crate) fn give_back(&mut self) {
        self.since = None;
        let waited_for = matches!(self.next.try_lock(), Err(TryLockError::WouldBlock));
        let released = [self.next.unlock(), self.app.unlock()];
        if let Some(error) = released.into_iter().find_map(Result::err) {
            tracing::warn!(%error, "a turn at an app cannot be given back");
        }
        self.stand_back = waited_for.then(|| Instant::now() + STAND_BACK);
    }

    /// The server that last wrote its process id into the file. It may have ended by now.
    pub(crate) fn holder(&self) -> Option<Holder> {
        let mut text = [0; 100];
        let read = self.app.read_at(&mut text, 0).ok()?;
        serde_json::Deserializer::from_slice(&text[..read]).into_iter().next()?.ok()
    }

    fn begin(&mut self) {
        self.since = Some(Instant::now());
        self.sign();
    }

    fn end_slice(&mut self) {
        if self.kept_until().is_some_and(|end| end <= Instant::now()) {
            self.give_back();
        }
    }

    /// Writes the process id and time into the file. They are only shown to people, so a failed write does not
    /// matter.
    fn sign(&self) {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
        let holder = Holder { pid: std::process::id(), since: u64::try_from(since).unwrap_or(u64::MAX) };
        let text = serde_json::to_string(&holder).unwrap_or_default();
        if let Err(error) = self.app.write_at(format!("{text:<80}\n").as_bytes(), 0) {
            tracing::debug!(%error, "the holder of a turn cannot be written");
        }
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.end_slice();
    }
}

/// A lock that is released when it is dropped, even by a cancelled future.
struct Locked<'a>(Option<&'a File>);

impl<'a> Locked<'a> {
    fn now(file: &'a File) -> Option<Self> {
        file.try_lock().is_ok().then_some(Self(Some(file)))
    }

    async fn poll(file: &'a File) -> io::Result<Self> {
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self(Some(file))),
                Err(TryLockError::WouldBlock) => tokio::time::sleep(POLL).await,
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
    }

    fn keep(mut self) {
        self.0 = None;
    }
}

impl Drop for Locked<'_> {
    fn drop(&mut self) {
        if let Some(Err(error)) = self.0.map(File::unlock) {
            tracing::warn!(%error, "a lock cannot be given back");
        }
    }
}

/// Makes a file name. A bundle id already is one; other characters are escaped.
fn file_name(app: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    app.bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02x}") })
        .collect()
}
