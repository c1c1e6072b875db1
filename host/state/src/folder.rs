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

/// The most that is read of the grants: some ten thousand.
const MOST_GRANTS: u64 = 4 * regular::MOST;

/// The state directory of one server.
#[derive(Debug)]
pub struct State {
    folder: PathBuf,
    /// Whether only reads are possible, whatever the policy says.
    only_reads: bool,
    /// Whether it ends with the process, so that nothing in it must survive a power failure.
    is_passing: bool,
    /// Removed with this value.
    _own: Option<tempfile::TempDir>,
    files: Arc<Files>,
    volume: Volume,
    log: Mutex<audit::Log>,
}

/// The files that decide.
#[derive(Debug)]
struct Files {
    policy: Mutex<Watched<Policy>>,
    grants: Mutex<Watched<Grants>>,
    untrusted: Untrusted,
}

impl State {
    /// Opens a state directory; it is made if it is not there, and nothing is read yet.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn open(folder: PathBuf) -> Result<Self, StateError> {
        let path = folder.clone();
        let volume = Volume::unknown().reach(&[&folder], move || {
            DirBuilder::new().recursive(true).mode(0o700).create(&path).map_err(StateError::io(&path))?;
            file::clean(&path);
            Ok(Volume::of(&path))
        })?;
        Ok(Self { volume, ..Self::look(folder) })
    }

    /// Looks at a state directory: it makes and writes nothing, and needs no write access.
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

    /// A state directory of its own, which goes with this value.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn passing() -> Result<Self, StateError> {
        let folder = tempfile::Builder::new().prefix("iac-mcp-").tempdir();
        let folder = folder.map_err(StateError::io(&std::env::temp_dir()))?;
        let state = Self::open(folder.path().join("state"))?;
        Ok(Self { _own: Some(folder), ..state.goes_with_the_process() })
    }

    /// The same directory, if another part of the program removes it at the end of the process.
    #[must_use]
    pub fn goes_with_the_process(self) -> Self {
        Self { is_passing: true, ..self }
    }

    /// The same directory, for a server that only reads.
    #[must_use]
    pub fn only_reads(self) -> Self {
        Self { only_reads: true, ..self }
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns everything that decides, from the current files.
    ///
    /// # Errors
    /// A file cannot be read or is not understood; nothing may run then.
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

    /// Notes that the server read untrusted text. Returns whether the other processes of this state directory must
    /// still be told.
    pub fn read_untrusted(&self) -> bool {
        self.files.untrusted.note()
    }

    /// Tells the other processes of this state directory that untrusted text was read.
    ///
    /// # Errors
    /// It cannot be recorded.
    pub fn tell_untrusted(&self) -> Result<(), StateError> {
        self.files.untrusted.write()
    }

    /// Whether an app contains other people's content, by the last policy that was read.
    pub fn is_content_of_others(&self, app: &str) -> bool {
        lock(&self.files.policy).last().is_some_and(|policy| policy.is_content_of_others(app))
    }

    /// Returns what humans have allowed.
    ///
    /// # Errors
    /// The file cannot be read or is not understood.
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

    /// Takes back what humans have allowed; says how much.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn revoke(&self, is_meant: impl Fn(&Grant) -> bool) -> Result<usize, StateError> {
        self.change_grants(|grants| grants.revoke(is_meant))
    }

    /// Returns where references outlive this process.
    pub fn saved_references(&self) -> SavedReferences {
        SavedReferences::new(self.folder.join("references"), self.volume.clone())
    }

    /// Returns the place for this server's status; `None` if no other process can know this directory.
    pub fn status(&self) -> Option<Status> {
        (!self.is_passing).then(|| Status::new(&self.folder, self.volume.clone()))
    }

    /// Writes down what happened; `durable` waits until it is on the disk.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn record(&self, now: Millis, entry: &Entry, durable: bool) -> Result<(), StateError> {
        self.record_all(&[(now, entry)], durable)
    }

    /// Writes several entries in one piece: all of them, or none if that fails.
    pub(crate) fn record_all(&self, entries: &[(Millis, &Entry)], durable: bool) -> Result<(), StateError> {
        // A directory that ends with the process need not survive a power failure.
        lock(&self.log).append(entries, durable && !self.is_passing)
    }

    /// Removes logs with no entry for `age`, which is at least a day. Returns how many it removed.
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
        // A log that starts here links to the existing log, or says that it cannot.
        note("audit accept".to_owned())?;
        let findings = audit::verify(&self.folder)?;
        findings.iter().try_for_each(|finding| note(audit::accepted(finding)))?;
        Ok(findings)
    }

    /// Writes the entries that this process still holds back.
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
