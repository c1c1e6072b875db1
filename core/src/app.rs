//! The apps of this Mac, as reported by the shell.

use std::sync::Arc;

use crate::dictionary::{Counts, Dictionary, names};
use crate::fault::{Code, Fault, did_you_mean};

/// The bundle id for commands that need no app: dialogs, the clipboard, the shell.
pub const STANDARD_ADDITIONS: &str = "com.apple.osax.standardadditions";

/// Whether two bundle ids are the same. macOS compares them without regard to case.
pub fn same_id(one: &str, other: &str) -> bool {
    one.eq_ignore_ascii_case(other)
}

/// One scriptable app.
#[derive(Clone, Debug)]
pub struct App {
    /// For example `com.apple.mail`.
    pub bundle_id: Arc<str>,
    /// For example `Mail`.
    pub name: String,
    /// For example `16.0`; empty if the bundle does not say.
    pub version: String,
    /// The size of its dictionary, once known. The dictionary need not stay loaded for it.
    pub counts: Option<Counts>,
    /// Paths of other bundles that claim its id. The system may send an event to one of them instead.
    pub others: Vec<String>,
    /// Its terminology, once loaded.
    pub dictionary: Option<Arc<Dictionary>>,
}

impl App {
    /// Whether it is a program with its own objects. Standard Additions have only commands, so they lack the commands
    /// that every app has.
    pub(crate) fn is_program(&self) -> bool {
        !same_id(&self.bundle_id, STANDARD_ADDITIONS)
    }

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

/// What scripts can use instead of System Settings, which itself cannot be scripted.
///
/// # Source
/// System Events' dictionary: the suites Appearance, Dock and Network Preferences. Panes open by their address since
/// macOS 13.
const SETTINGS: &str = "the app System Events has the settings of appearance, dock, network and screen saver; StandardAdditions opens a pane: `open location` with x-apple.systempreferences:com.apple.BluetoothSettings";

/// Every scriptable app that was found.
#[derive(Clone, Debug, Default)]
pub struct Apps(pub Vec<App>);

impl Apps {
    /// Finds an app however it is spelled: bundle id, name, or the name with other case and spacing.
    ///
    /// A bundle id comes before a name, in any spelling, because anyone can call an app `com.apple.mail`.
    ///
    /// # Errors
    /// [`Code::UnknownApp`] with the nearest names.
    pub fn find(&self, term: &str) -> Result<&App, Fault> {
        let id = |app: &&App| same_id(&app.bundle_id, term);
        let exact = self.0.iter().find(|app| &*app.bundle_id == term).or_else(|| self.0.iter().find(id));
        let named = || self.0.iter().find(|app| app.name == term);
        exact.or_else(named).or_else(|| self.alike(term)).ok_or_else(|| self.unknown(term))
    }

    fn alike(&self, term: &str) -> Option<&App> {
        let wanted = names::key(term.strip_suffix(".app").unwrap_or(term));
        let name = |app: &&App| names::key(&app.name) == wanted;
        let id = |app: &&App| names::key(&app.bundle_id) == wanted;
        self.0.iter().find(name).or_else(|| self.0.iter().find(id))
    }

    fn unknown(&self, term: &str) -> Fault {
        let known = self.0.iter().map(|app| app.name.as_str());
        let near = names::near(term, known, 3);
        let message = format!("no scriptable app \"{term}\" is installed{}", did_you_mean(&near));
        let suggestion = match names::key(term).as_str() {
            "systemsettings" | "systempreferences" => SETTINGS,
            _ => "iac_mcp_list_apps lists every scriptable app with its bundle id",
        };
        Fault::new(Code::UnknownApp, message, suggestion).with("near", near)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn app(name: &str, id: &str) -> App {
        let (name, version) = (name.to_owned(), String::new());
        App { bundle_id: id.into(), name, version, counts: None, others: Vec::new(), dictionary: None }
    }

    #[test]
    fn no_name_takes_the_place_of_an_id() {
        let apps = Apps(vec![
            app("com.apple.mail", "x.evil"),
            app("COM.APPLE.MAIL", "x.evil.too"),
            app("comapplemail", "x.third"),
            app("Mail", "com.apple.mail"),
        ]);
        for term in ["com.apple.mail", "COM.APPLE.MAIL", "com.Apple.Mail", "Mail", "mail", "Mail.app"] {
            assert_eq!(
                &*apps.find(term).unwrap_or_else(|fault| panic!("{fault:?}")).bundle_id,
                "com.apple.mail",
                "{term}"
            );
        }
    }
}
