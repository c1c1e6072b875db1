//! The classes, as data.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

/// A class with elements that happen at a time. Properties are named by their terms.
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
    /// When it ends.
    pub end: String,
    /// Whether it takes whole days.
    pub whole_days: String,
    /// The rule of a series.
    pub rule: String,
    /// The dates that a series leaves out.
    pub excluded: String,
    /// The library that answers by date, if the system has one.
    pub index: Option<Index>,
}

/// A library of the system that answers by date.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Index {
    /// The library's name.
    pub library: String,
    /// The number by which it knows this kind of data.
    pub entity: u8,
    /// What macOS asks consent for, in words.
    pub subject: String,
    /// The property that is the element's id in the library.
    pub id: String,
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

/// Returns the entry of a class, if its elements happen at a time.
pub fn dated(app: &str, class: &str) -> Option<&'static Dated> {
    CLASSES.iter().find(|each| each.app == app && each.class == class)
}

#[cfg(test)]
mod tests {
    use super::dated;

    #[test]
    fn calendar_has_dated_events_and_nothing_else() {
        let event = dated("com.apple.iCal", "event").expect("the file has it");
        assert_eq!(event.rule, "recurrence");
        let index = event.index.as_ref().expect("EventKit answers by date");
        assert_eq!(index.values[&index.id], "calendarItemIdentifier");
        for (app, class) in [("com.apple.iCal", "calendar"), ("com.apple.mail", "event")] {
            assert!(dated(app, class).is_none(), "{app} {class}");
        }
    }
}
