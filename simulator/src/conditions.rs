//! Conditions that make a simulated app slow, broken or inaccessible: the time that events take, injected faults, and
//! consent.

pub(crate) mod consent;
pub(crate) mod faults;
pub(crate) mod latency;

use crate::os_error::{Answer, OsError, TIMEOUT};
use crate::world::{WorldError, failed, journal};
use consent::Consent;
use faults::Faults;
use latency::Latency;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The variable that names a file of faults. Without it, the world's own `faults.json` is used.
pub const FAULTS_VARIABLE: &str = "IAC_MCP_FAULTS";

/// The variable that names a latency model: a file, `mac` for the measured one, or `none`. Without it, the world's
/// own `latency.json` is used.
pub const LATENCY_VARIABLE: &str = "IAC_MCP_LATENCY";

/// How long an event waits for its answer before it times out.
const EVENT_TIMEOUT: Duration = Duration::from_secs(120);

/// The conditions of one process. Most worlds have none, so checking for them must cost nothing.
#[derive(Debug, Default)]
pub(crate) struct Conditions {
    pub(crate) faults: Option<Faults>,
    pub(crate) latency: Option<Latency>,
    pub(crate) consent: Option<Consent>,
    /// The folder with the files through which processes take turns and count events.
    state: PathBuf,
}

impl Conditions {
    /// Reads the conditions that the environment or the world sets.
    pub(crate) fn open(world: &Path) -> Result<Self, WorldError> {
        let ordered = |variable: &str, own: &str| {
            let own = world.join(own);
            std::env::var_os(variable).map(PathBuf::from).or_else(|| there(own))
        };
        let state = world.join("state");
        let faults = ordered(FAULTS_VARIABLE, "faults.json");
        let latency = ordered(LATENCY_VARIABLE, "latency.json");
        let consent = there(world.join("consent.json"));
        Ok(Self {
            faults: faults.map(|path| Faults::read(&path, &state)).transpose()?,
            latency: latency.map(|path| Latency::read(&path)).transpose()?.flatten(),
            consent: consent.map(|path| Consent::read(&path, &state)).transpose()?,
            state,
        })
    }

    /// Whether the user has allowed the program to control the Mac, in the list Accessibility of System Settings.
    pub(crate) fn accessibility(&self) -> bool {
        self.consent.as_ref().is_some_and(Consent::accessibility)
    }

    fn any(&self) -> bool {
        self.faults.is_some() || self.latency.is_some()
    }

    /// The time at which an event that is sent now will have timed out.
    pub(crate) fn deadline(&self) -> Instant {
        let ordered = self.faults.as_ref().and_then(|faults| faults.timeout);
        Instant::now() + ordered.unwrap_or(EVENT_TIMEOUT)
    }

    /// Waits until the app is free. An app handles one event at a time, from all senders together.
    ///
    /// # Errors
    /// -1712 if the app stays busy until the deadline.
    pub(crate) fn turn(&self, app: &str, deadline: Instant) -> Answer<Option<File>> {
        const PAUSE: Duration = Duration::from_millis(2);
        if !self.any() || std::fs::create_dir_all(&self.state).is_err() {
            return Ok(None);
        }
        let path = self.state.join(format!("{app}.busy"));
        let Ok(file) = File::options().create(true).append(true).open(path) else { return Ok(None) };
        while self.is_blocked(app) || file.try_lock().is_err() {
            if Instant::now() >= deadline {
                return Err(OsError::of(TIMEOUT));
            }
            std::thread::sleep(PAUSE);
        }
        Ok(Some(file))
    }

    /// Makes an app unresponsive for a time, even if this process ends.
    pub(crate) fn block(&self, app: &str, milliseconds: u64) -> Result<(), WorldError> {
        let (path, until) = (self.blocked(app), epoch() + u128::from(milliseconds));
        let next = path.with_extension("next");
        journal::replace(&next, &path, until.to_string().as_bytes()).map_err(|error| failed(&path, error))
    }

    fn is_blocked(&self, app: &str) -> bool {
        let until =
            std::fs::read_to_string(self.blocked(app)).ok().and_then(|until| until.parse::<u128>().ok());
        until.is_some_and(|until| epoch() < until)
    }

    fn blocked(&self, app: &str) -> PathBuf {
        self.state.join(format!("{app}.blocked"))
    }

    /// Waits as long as an EventKit search with this many rows takes.
    pub(crate) fn bridge(&self, rows: u32) {
        if let Some(latency) = &self.latency {
            std::thread::sleep(latency.bridge(rows));
        }
    }

    /// How long osascript takes to start.
    pub(crate) fn start(&self) -> Duration {
        self.latency.as_ref().map(|latency| latency.start).unwrap_or_default()
    }
}

/// Returns the path if something exists there. A file that exists but cannot be read must be an error, not a missing
/// file.
fn there(path: PathBuf) -> Option<PathBuf> {
    path.symlink_metadata().is_ok().then_some(path)
}

/// Milliseconds since 1970, which processes can compare.
fn epoch() -> u128 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis()
}

/// Waits for a time, but not beyond a deadline.
///
/// # Errors
/// -1712 at the deadline.
pub(crate) fn wait(time: Option<Duration>, deadline: Instant) -> Answer<()> {
    let left = deadline.saturating_duration_since(Instant::now());
    match time {
        Some(time) if time < left => {
            std::thread::sleep(time);
            Ok(())
        }
        _ => {
            std::thread::sleep(left);
            Err(OsError::of(TIMEOUT))
        }
    }
}
