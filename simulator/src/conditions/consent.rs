//! Consent: the user's answers when macOS asks about controlling apps, and the dialog that asks.

use crate::conditions::wait;
use crate::os_error::{Answer, BROKEN, NOT_AUTHORIZED, OsError, WOULD_ASK, refuse};
use crate::world::{WorldError, content, failed, journal, read_if_there};
use serde::Deserialize;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The user's answer about one app.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Said {
    /// The user was not asked yet. The next event opens the dialog.
    Unasked,
    Yes,
    No,
}

/// The consent file of a world.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    /// The path of the program that macOS asks about; absent if the system does not tell.
    #[serde(default)]
    responsible: Option<String>,
    /// The answer for other apps.
    #[serde(default = "yes")]
    default: Said,
    #[serde(default)]
    apps: BTreeMap<String, Said>,
    /// Whether the list Accessibility has the program. macOS adds no program to that list by itself.
    #[serde(default)]
    accessibility: bool,
    /// The user's answer to a dialog; if absent, nobody answers.
    #[serde(default)]
    answer: Option<Reaction>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Reaction {
    /// Milliseconds until the user presses a button.
    after: u64,
    allow: bool,
}

fn yes() -> Said {
    Said::Yes
}

/// The consent of a world, as one process sees it.
#[derive(Debug)]
pub(crate) struct Consent {
    written: Written,
    state: PathBuf,
    /// Apps that refused this process. They keep refusing it, even after the switch in System Settings was turned on.
    refused: RefCell<BTreeSet<String>>,
}

impl Consent {
    pub(super) fn read(path: &Path, state: &Path) -> Result<Self, WorldError> {
        let text = std::fs::read(path).map_err(|error| failed(path, error))?;
        let written = serde_json::from_slice(&text).map_err(|error| content(path, error))?;
        let consent = Self { written, state: state.to_owned(), refused: RefCell::default() };
        consent.kept()?;
        Ok(consent)
    }

    /// Returns whether the user has allowed the program to control the Mac.
    pub(crate) fn accessibility(&self) -> bool {
        self.written.accessibility
    }

    /// Returns the path of the program that macOS asks about.
    pub(crate) fn responsible(&self) -> Option<&str> {
        self.written.responsible.as_deref()
    }

    /// Returns the state of an app, without opening a dialog.
    ///
    /// # Errors
    /// -1743 if the user refused, -1744 if the user was not asked yet.
    pub(crate) fn state(&self, app: &str) -> Answer<()> {
        match self.said(app)? {
            Said::Yes => Ok(()),
            Said::No => self.says_no(app),
            Said::Unasked => refuse(WOULD_ASK),
        }
    }

    /// Handles an event: opens a dialog if the user was not asked yet. Until the answer arrives, the state is stored
    /// as a refusal, so that a killed sender leaves a refusal behind.
    ///
    /// # Errors
    /// -1743 if the user refuses, -1712 if nobody answers.
    pub(crate) fn meet(&self, app: &str, deadline: Instant) -> Answer<()> {
        if self.said(app)? != Said::Unasked {
            return self.state(app);
        }
        self.keep(app, Said::No)?;
        let time = self.written.answer.map(|answer| Duration::from_millis(answer.after));
        wait(time, deadline)?;
        if self.written.answer.is_some_and(|answer| answer.allow) {
            return self.keep(app, Said::Yes);
        }
        self.says_no(app)
    }

    fn says_no(&self, app: &str) -> Answer<()> {
        self.refused.borrow_mut().insert(app.to_owned());
        refuse(NOT_AUTHORIZED)
    }

    fn said(&self, app: &str) -> Answer<Said> {
        if self.refused.borrow().contains(app) {
            return Ok(Said::No);
        }
        let kept = self.kept().map_err(|error| OsError::new(BROKEN, error.to_string()))?.get(app).copied();
        Ok(kept.or_else(|| self.written.apps.get(app).copied()).unwrap_or(self.written.default))
    }

    /// Returns the answers that were stored since. A damaged file is an error and never counts as consent.
    fn kept(&self) -> Result<BTreeMap<String, Said>, WorldError> {
        let file = self.file();
        let Some(text) = read_if_there(&file)? else { return Ok(BTreeMap::new()) };
        serde_json::from_slice(&text).map_err(|error| content(&file, error))
    }

    fn keep(&self, app: &str, said: Said) -> Answer<()> {
        let broken = |error: std::io::Error| OsError::new(BROKEN, error.to_string());
        std::fs::create_dir_all(&self.state).map_err(broken)?;
        let _lock = journal::lock(&self.state.join("consent.lock")).map_err(broken)?;
        let mut kept = self.kept().map_err(|error| OsError::new(BROKEN, error.to_string()))?;
        kept.insert(app.to_owned(), said);
        let text = serde_json::to_vec(&kept).map_err(|error| broken(error.into()))?;
        journal::replace(&self.file().with_extension("next"), &self.file(), &text).map_err(broken)
    }

    fn file(&self) -> PathBuf {
        self.state.join("consent.json")
    }
}
