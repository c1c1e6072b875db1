//! The state directory of one server.

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use iac_core::Millis;
use iac_core::audit::Entry;
use iac_core::permission::{Gate, Grant, Grants, Policy};

use crate::error::StateError;
use crate::file::{self, Watched};
use crate::references::SavedReferences;
use crate::servers::Status;
use crate::untrusted::{self, Untrusted};
use crate::volume::Volume;
use crate::{audit, regular};

/// The size limit of the grants file, enough for some ten thousand grants.
const MOST_GRANTS: u64 = 4 * regular::MOST;

/// The state directory of one server.
#[derive(Debug)]
pub struct State {
    folder: PathBuf,
    /// Whether only reads are allowed, whatever the policy says.
    only_reads: bool,
    /// Whether the directory is removed when the process ends, so nothing in it has to survive a power failure.
    is_passing: bool,
    /// The temporary directory, removed when this value is dropped.
    _own: Option<tempfile::TempDir>,
    files: Arc<Files>,
    volume: Volume,
    log: Mutex<audit::Log>,
}

/// The files that decide what is permitted.
#[derive(Debug)]
struct Files {
    policy: Mutex<Watched<Policy>>,
    grants: Mutex<Watched<Grants>>,
    untrusted: Untrusted,
}

impl State {
    /// Opens a state directory, which is created if it is missing. Nothing is read yet.
    ///
    /// # Errors
    /// It cannot be created.
    pub fn open(folder: PathBuf) -> Result<Self, StateError> {
        let path = folder.clone();
        let volume = Volume::unknown().reach(&[&folder], move || {
            DirBuilder::new().recursive(true).mode(0o700).create(&path).map_err(StateError::io(&path))?;
            file::clean(&path);
            Ok(Volume::of(&path))
        })?;
        Ok(Self { volume, ..Self::look(folder) })
    }

    /// Opens a state directory for reading only. It creates and writes nothing, and needs no write access.
    pub fn look(folder: PathBuf) -> Self {
        Self {
            files: Arc::new(Files {
                policy: Mutex::new(Watched::new(folder.join("policy.toml"), regular::MOST)),
                grants: Mutex::new(Watched::new(folder.join("grants.json"), MOST_GRANTS)),
                untrusted: Untrusted::new(&folder),
            }),
            volume: Volume::unknown(),
            log: Mutex::new(audit::Log::new(folder.join("audit"), folder.join("lock"))),
            only_reads: false,
            is_passing: false,
            _own: None,
            folder,
        }
    }

    /// Makes a temporary state directory, which is removed when this value is dropped.
    ///
    /// # Errors
    /// It cannot be created.
    pub fn passing() -> Result<Self, StateError> {
        let folder = tempfile::Builder::new().prefix("iac-mcp-").tempdir();
        let folder = folder.map_err(StateError::io(&std::env::temp_dir()))?;
        let state = Self::open(folder.path().join("state"))?;
        Ok(Self { _own: Some(folder), ..state.goes_with_the_process() })
    }

    /// Marks the directory as temporary: another part of the program removes it when the process ends.
    #[must_use]
    pub fn goes_with_the_process(self) -> Self {
        Self { is_passing: true, ..self }
    }

    /// Returns the same directory for a server that only reads.
    #[must_use]
    pub fn only_reads(self) -> Self {
        Self { only_reads: true, ..self }
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns everything that permission decisions depend on, from the current files.
    ///
    /// # Errors
    /// A file cannot be read or parsed. Nothing may run then.
    pub fn gate(&self, now: Millis, plugin: Option<String>) -> Result<Gate, StateError> {
        let files = Arc::clone(&self.files);
        let paths = ["policy.toml", "grants.json", untrusted::NAME].map(|name| self.folder.join(name));
        let (policy, grants, age) =
            self.volume.reach(&paths.each_ref().map(PathBuf::as_path), move || {
                let policy = lock(&files.policy).read(parse_policy)?;
                Ok((policy, lock(&files.grants).read(parse_grants)?, files.untrusted.age()?))
            })?;
        let policy = if self.only_reads { Arc::new((*policy).clone().only_reads()) } else { policy };
        let ago =
            |age: Duration| Millis(now.0.saturating_sub(u64::try_from(age.as_millis()).unwrap_or(u64::MAX)));
        Ok(Gate { policy, grants, untrusted: age.map(ago), plugin, ..Gate::default() })
    }

    /// Records that the server has read untrusted text. Returns whether the other processes that use this state
    /// directory must be told.
    pub fn read_untrusted(&self) -> bool {
        self.files.untrusted.note()
    }

    /// Tells the other processes that use this state directory that untrusted text was read.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn tell_untrusted(&self) -> Result<(), StateError> {
        self.files.untrusted.write()
    }

    /// Whether an app contains other people's content, according to the policy that was last read.
    pub fn is_content_of_others(&self, app: &str) -> bool {
        lock(&self.files.policy).last().is_some_and(|policy| policy.is_content_of_others(app))
    }

    /// Returns what people have approved.
    ///
    /// # Errors
    /// The file cannot be read or parsed.
    pub fn grants(&self) -> Result<Arc<Grants>, StateError> {
        lock(&self.files.grants).read(parse_grants)
    }

    /// Stores an approval.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn grant(&self, given: Vec<Grant>, now: Millis) -> Result<(), StateError> {
        self.change_grants(|grants| grants.add(given, now))
    }

    /// Revokes approvals. Returns how many.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn revoke(&self, is_meant: impl Fn(&Grant) -> bool) -> Result<usize, StateError> {
        self.change_grants(|grants| grants.revoke(is_meant))
    }

    /// Returns the store of references that outlive this process.
    pub fn saved_references(&self) -> SavedReferences {
        SavedReferences::new(self.folder.join("references"), self.volume.clone())
    }

    /// Returns where this server publishes its status; `None` if no other process can know this directory.
    pub fn status(&self) -> Option<Status> {
        (!self.is_passing).then(|| Status::new(&self.folder, self.volume.clone()))
    }

    /// Writes an entry to the audit log. If `durable` is set, it waits until the entry is on disk.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn record(&self, now: Millis, entry: &Entry, durable: bool) -> Result<(), StateError> {
        self.record_all(&[(now, entry)], durable)
    }

    /// Writes several entries in one write. If that fails, none is written.
    pub(crate) fn record_all(&self, entries: &[(Millis, &Entry)], durable: bool) -> Result<(), StateError> {
        // A temporary directory need not survive a power failure.
        lock(&self.log).append(entries, durable && !self.is_passing)
    }

    /// Removes the logs whose last entry is older than `age`, which is at least a day. Returns how many it removed.
    ///
    /// # Errors
    /// The removal cannot be recorded.
    pub fn remove_logs(&self, now: Millis, age: Millis) -> Result<usize, StateError> {
        lock(&self.log).remove(now, age)
    }

    /// Acknowledges the current findings about the logs and returns them.
    ///
    /// # Errors
    /// The logs cannot be read, or the entry cannot be written.
    pub fn accept_findings(&self, now: Millis) -> Result<Vec<audit::Finding>, StateError> {
        let note = |order: String| self.record(now, &Entry::Operator { order }, true);
        // If this begins a new log, its first line names the end of the existing log or says that it has none.
        note("audit accept".to_owned())?;
        let findings = audit::verify(&self.folder)?;
        findings.iter().try_for_each(|finding| note(audit::accepted(finding)))?;
        Ok(findings)
    }

    /// Waits until the entries of this process are on disk.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn close(&self) -> Result<(), StateError> {
        lock(&self.log).sync()
    }

    fn change_grants<T>(&self, change: impl FnOnce(&mut Grants) -> T) -> Result<T, StateError> {
        let path = self.folder.join("grants.json");
        let _lock = file::lock(&self.folder.join("lock"))?;
        let mut grants = (*self.grants()?).clone();
        let result = change(&mut grants);
        let text = serde_json::to_string_pretty(&grants).expect("grants are plain data") + "\n";
        file::replace(&path, text.as_bytes(), MOST_GRANTS)?;
        Ok(result)
    }
}

fn parse_policy(path: &Path, text: &str) -> Result<Policy, StateError> {
    Policy::parse(text).map_err(|error| StateError::Policy { path: path.to_owned(), error })
}

fn parse_grants(path: &Path, text: &str) -> Result<Grants, StateError> {
    let damaged =
        |error: serde_json::Error| StateError::Damaged { path: path.to_owned(), error: error.to_string() };
    if text.trim().is_empty() { Ok(Grants::default()) } else { Grants::parse(text).map_err(damaged) }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
