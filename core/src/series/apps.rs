//! The classes with dated elements, as data.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::app::same_id;

/// A class with dated elements. Properties are named by their terms.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Dated {
    app: String,
    class: String,
    /// The class of the containers.
    pub container: String,
    /// The property of a container that people know it by.
    pub title: String,
    /// When an element begins.
    pub start: String,
    /// When it ends, if it takes time.
    pub end: Option<String>,
    /// Whether it takes whole days.
    pub whole_days: Option<String>,
    /// The rule of a series, if there are series.
    pub rule: Option<String>,
    /// The dates that a series leaves out.
    pub excluded: Option<String>,
    /// The property that says whether it is done, if the class has one.
    pub done: Option<String>,
    /// The library that answers by date, if the system has one.
    pub index: Option<Index>,
}

/// A library of the system that answers by date.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Index {
    /// The library's name.
    pub library: String,
    /// The number that it uses for this kind of data.
    pub entity: u8,
    /// The subject of macOS's consent, in words.
    pub subject: String,
    /// The property that is the element's id in the library.
    pub id: String,
    /// The text before the library's id in the app's id.
    #[serde(default)]
    pub id_prefix: String,
    /// The library's name of each property that both sides have.
    pub values: BTreeMap<String, String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    class: Vec<Dated>,
}

static CLASSES: LazyLock<Vec<Dated>> = LazyLock::new(|| {
    let file: File = toml::from_str(include_str!("apps.toml")).expect("a test reads the file");
    file.class
});

/// Returns the entry of a class, if its elements have dates.
pub fn dated(app: &str, class: &str) -> Option<&'static Dated> {
    CLASSES.iter().find(|each| same_id(&each.app, app) && each.class == class)
}

/// Whether a property of an app holds the rules of series.
pub fn holds_rules(app: &str, term: &str) -> bool {
    CLASSES.iter().any(|each| each.app == app && each.rule.as_deref() == Some(term))
}

/// Returns the libraries, each with its app.
pub fn indexes() -> impl Iterator<Item = (&'static str, &'static Index)> {
    CLASSES.iter().filter_map(|each| Some((each.app.as_str(), each.index.as_ref()?)))
}

/// Returns the library that macOS protects under this word, such as `calendars`, with its app.
pub fn index(subject: &str) -> Option<(&'static str, &'static Index)> {
    indexes().find(|(_, index)| index.subject == subject)
}

impl Index {
    /// Describes the state of access, in words. Only full access shows anything.
    pub fn standing(&self, status: Option<i64>) -> String {
        let Self { library, subject, .. } = self;
        match status {
            Some(0) => format!("macOS was not asked for access to {subject}; run `iac-mcp access {subject}`"),
            Some(1) => format!("a profile on this Mac forbids access to {subject}"),
            Some(2) => format!("access to {subject} is denied; allow it in {}", self.settings()),
            Some(3) => format!("{library} answers for {subject}"),
            Some(4) => {
                format!("only adding to {subject} is allowed; allow full access in {}", self.settings())
            }
            _ => format!("macOS does not say whether {library} may be read"),
        }
    }

    /// The place where a person changes access.
    pub fn settings(&self) -> String {
        let mut letters = self.subject.chars();
        let first = letters.next().map(|first| first.to_uppercase()).into_iter().flatten();
        format!("System Settings > Privacy & Security > {}", first.chain(letters).collect::<String>())
    }
}

#[cfg(test)]
mod tests {
    use super::{dated, index};

    #[test]
    fn each_state_of_access_has_its_own_words() {
        let (_, calendars) = index("calendars").expect("the file has it");
        let said: Vec<String> = (0..6).map(|status| calendars.standing(Some(status))).collect();
        assert_eq!(said[5], calendars.standing(None));
        let unlike: std::collections::BTreeSet<&String> = said.iter().collect();
        assert_eq!(unlike.len(), 6);
        assert!(said[2].ends_with("Privacy & Security > Calendars"), "{}", said[2]);
        assert!(index("photos").is_none());
    }

    #[test]
    fn calendar_has_dated_events_and_reminders_has_what_is_due() {
        let event = dated("com.apple.iCal", "event").expect("the file has it");
        assert_eq!(event.rule.as_deref(), Some("recurrence"));
        assert!(dated("COM.APPLE.ICAL", "event").is_some(), "ids are compared without regard to case");
        let reminder = dated("com.apple.reminders", "reminder").expect("the file has it");
        assert_eq!((reminder.start.as_str(), &reminder.end, &reminder.rule), ("due date", &None, &None));
        for (each, entity) in [(event, 0), (reminder, 1)] {
            let index = each.index.as_ref().expect("EventKit answers by date");
            assert_eq!((index.values[&index.id].as_str(), index.entity), ("calendarItemIdentifier", entity));
        }
        for (app, class) in [("com.apple.iCal", "calendar"), ("com.apple.mail", "event")] {
            assert!(dated(app, class).is_none(), "{app} {class}");
        }
    }
}
