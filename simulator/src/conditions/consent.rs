//! Consent: the person's answers to macOS about apps, and the dialog before an answer.

use crate::conditions::wait;
use crate::os_error::{Answer, BROKEN, NOT_AUTHORIZED, OsError, WOULD_ASK, refuse};
use crate::world::{WorldError, content, failed, journal, read_if_there};
use serde::Deserialize;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The person's answer about one app.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Said {
    /// Nothing yet: the next event opens the dialog.
    Unasked,
    Yes,
    No,
}

/// The file of a world.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    /// The program that macOS asks about, by its path; absent if the system does not give it.
    #[serde(default)]
    responsible: Option<String>,
    /// The answer for other apps.
    #[serde(default = "yes")]
    default: Said,
    #[serde(default)]
    apps: BTreeMap<String, Said>,
    /// The person's answer to a dialog; if absent, no one answers.
    #[serde(default)]
    answer: Option<Reaction>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Reaction {
    /// Milliseconds until a button is pressed.
    after: u64,
    allow: bool,
}

fn yes() -> Said {
    Said::Yes
}

/// The consent of one world, as one process sees it.
#[derive(Debug)]
pub(crate) struct Consent {
    written: Written,
    state: PathBuf,
    /// A process that was refused stays refused, even after the switch in System Settings was turned on.
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

    /// The program that macOS asks about.
    pub(crate) fn responsible(&self) -> Option<&str> {
        self.written.responsible.as_deref()
    }

    /// The state of an app, without a dialog.
    ///
    /// # Errors
    /// -1743 if the answer was no, -1744 if no one was asked.
    pub(crate) fn state(&self, app: &str) -> Answer<()> {
        match self.said(app)? {
            Said::Yes => Ok(()),
            Said::No => self.says_no(app),
            Said::Unasked => refuse(WOULD_ASK),
        }
    }

    /// The reaction to an event: a dialog if no one was asked. Until the answer comes, the state is kept as a no, so
    /// that a killed sender leaves a no behind.
    ///
    /// # Errors
    /// -1743 if the answer is no, -1712 if no one answers.
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

    /// The answers since then. A damaged file does not count as a yes.
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
