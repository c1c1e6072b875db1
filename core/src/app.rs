//! The apps of this Mac, as far as the shell has told.

use std::sync::Arc;

use crate::dictionary::{Counts, Dictionary, names};
use crate::fault::{Code, Fault, did_you_mean};

/// The bundle id of what every script can use without an app: dialogs, the clipboard, the shell.
pub const STANDARD_ADDITIONS: &str = "com.apple.osax.standardadditions";

/// One scriptable app.
#[derive(Clone, Debug)]
pub struct App {
    /// For example `com.apple.mail`.
    pub bundle_id: Arc<str>,
    /// For example `Mail`.
    pub name: String,
    /// For example `16.0`; empty if the bundle does not say.
    pub version: String,
    /// How much its dictionary offers, once known; a dictionary need not stay loaded for that.
    pub counts: Option<Counts>,
    /// Its terminology, once loaded.
    pub dictionary: Option<Arc<Dictionary>>,
}

impl App {
    /// Returns the dictionary.
    ///
    /// # Errors
    /// The shell has not loaded it: it could not be read.
    pub fn dictionary(&self) -> Result<&Arc<Dictionary>, Fault> {
        self.dictionary.as_ref().ok_or_else(|| {
            let message = format!("the scripting dictionary of {} could not be read", self.name);
            Fault::new(Code::Unavailable, message, "run `iac-mcp lint` on the app to see why")
        })
    }
}

/// Every scriptable app that was found.
#[derive(Clone, Debug, Default)]
pub struct Apps(pub Vec<App>);

impl Apps {
    /// Finds an app however it is spelled: bundle id, name, or the name with other case and spacing.
    ///
    /// # Errors
    /// [`Code::UnknownApp`] with the nearest names.
    pub fn find(&self, term: &str) -> Result<&App, Fault> {
        let exact = |app: &&App| &*app.bundle_id == term || app.name == term;
        self.0.iter().find(exact).or_else(|| self.alike(term)).ok_or_else(|| self.unknown(term))
    }

    fn alike(&self, term: &str) -> Option<&App> {
        let wanted = names::key(term.strip_suffix(".app").unwrap_or(term));
        self.0.iter().find(|app| names::key(&app.name) == wanted || names::key(&app.bundle_id) == wanted)
    }

    fn unknown(&self, term: &str) -> Fault {
        let known = self.0.iter().map(|app| app.name.as_str());
        let near = names::near(term, known, 3);
        let message = format!("no scriptable app \"{term}\" is installed{}", did_you_mean(&near));
        Fault::new(
            Code::UnknownApp,
            message,
            "iac_mcp_list_apps lists every scriptable app with its bundle id",
        )
        .with("near", near)
    }
}
