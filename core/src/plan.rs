//! The costs of reads and the long properties: the app profiles, as data.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;

use crate::action::{Column, Elements};
use crate::app::same_id;
use crate::dictionary::{Dictionary, Property};
use crate::filter::{Filter, Operator};
use crate::identity::Identity;
use crate::specifier::{Member, Path, Segment};
use crate::words::Millis;

/// The costs of reading in one app, in milliseconds. The script uses them to choose how to read, once it knows the
/// number of elements.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Costs {
    /// One event that reads a property of a whole collection, before its values.
    pub event: f64,
    /// The time for each value in the answer of such an event, except texts.
    pub value: f64,
    /// The time for each text in it.
    pub text: f64,
    /// One event that reads a property of one object by its id or name.
    pub single: f64,
    /// One event that reads a property of one object by its index.
    pub index: f64,
    /// The cost of each element that the app's own filter looks at; `None` if that filter is unreliable.
    pub whose: Option<f64>,
}

impl Costs {
    /// The cost of one value of a column.
    ///
    /// A property of a container is read once for all of its elements.
    pub(crate) fn of(&self, column: &Column) -> f64 {
        if column.up > 0 {
            return 0.0;
        }
        if column.is_text() { self.text } else { self.value }
    }
}

struct Profile {
    app: &'static str,
    costs: Costs,
    long: &'static [(&'static str, &'static str)],
}

/// # Source
/// Mail: a column of a mailbox costs about 85 ms, ids and dates of 43,000 messages 1.5 s, subjects and senders 3.5 s, a
/// property by id 16 to 40 ms, any event by index 0.5 s, and its filters take up to 57 s (measured in public on macOS
/// 26 and 27). OmniFocus: 16.7 ms for one property, 60 s for a filter over 1,961 tasks. Contacts: one property of 800
/// people in 0.1 s. Calendar: 7 to 30 s for a filter over 3,700 events in 9 calendars, 1.3 s for the names of 18
/// calendars. Reminders: three properties of 124 reminders in 15 s, by columns.
const PROFILES: [Profile; 7] = [
    Profile {
        app: "com.apple.mail",
        costs: Costs { event: 85.0, value: 0.017, text: 0.04, single: 25.0, index: 500.0, whose: None },
        long: &[("message", "content"), ("message", "source"), ("message", "all headers")],
    },
    Profile { app: "com.apple.Notes", costs: DEFAULT, long: &[("note", "body"), ("note", "plaintext")] },
    Profile {
        app: "com.apple.AddressBook",
        costs: Costs { event: 5.0, value: 0.12, text: 0.12, single: 5.0, ..DEFAULT },
        long: &[("person", "vcard"), ("person", "image")],
    },
    Profile {
        app: "com.apple.iCal",
        costs: Costs { event: 70.0, value: 5.0, text: 5.0, single: 70.0, index: 70.0, whose: Some(5.0) },
        long: &[],
    },
    Profile {
        app: "com.apple.reminders",
        costs: Costs { event: 70.0, value: 40.0, text: 40.0, single: 70.0, index: 70.0, whose: Some(40.0) },
        long: &[],
    },
    Profile { app: "com.omnigroup.OmniFocus4", costs: OMNIFOCUS, long: &[] },
    Profile { app: "com.omnigroup.OmniFocus3", costs: OMNIFOCUS, long: &[] },
];

const OMNIFOCUS: Costs =
    Costs { event: 17.0, value: 3.6, text: 3.6, single: 17.0, index: 17.0, whose: Some(30.0) };

/// The default costs: those of an ordinary Cocoa app. They apply until measurements of the app exist.
const DEFAULT: Costs =
    Costs { event: 10.0, value: 0.05, text: 0.05, single: 10.0, index: 10.0, whose: Some(0.1) };

/// Types of unlimited length, because a person wrote the text.
const LONG_TYPES: [&str; 4] = ["rich text", "data", "picture", "TIFF picture"];

/// The expected costs of an app before any measurement.
fn profile(app: &str) -> Costs {
    PROFILES.iter().find(|profile| same_id(profile.app, app)).map_or(DEFAULT, |profile| profile.costs)
}

/// The measurements: times of each app, and the sizes of its collections.
#[derive(Clone, Debug, Default)]
pub struct Learned {
    costs: BTreeMap<Arc<str>, Costs>,
    sizes: BTreeMap<(Arc<str>, Path, Arc<Member>), usize>,
    said: BTreeMap<String, Millis>,
}

/// The number of collection sizes to remember. A size is only a hint, so it may be dropped at any time.
const MOST_SIZES: usize = 1_000;

/// The server repeats a note after this time, in milliseconds. After an hour, a client may have lost the beginning of
/// its conversation. A note in every answer would cost the client more than it helps.
const NEWS: u64 = 3_600_000;

/// The shortest measurement that counts, in milliseconds. The clock of a script has steps of a millisecond, so shorter
/// times are mostly error.
const TELLING: f64 = 20.0;

/// The weight of a new measurement against the old ones: a single slow answer does not change the plan.
const WEIGHT: f64 = 0.3;

/// The largest factor by which one measurement may differ from what was expected. An app that was stuck once, for as
/// long as a timeout lasts, must not make the server refuse its lists from then on.
const MOST_CHANGE: f64 = 4.0;

impl Learned {
    /// Returns the costs of reading in an app, as measured so far.
    pub fn costs(&self, app: &str) -> Costs {
        self.costs.get(app).copied().unwrap_or_else(|| profile(app))
    }

    /// Updates the costs from the times of one script's events. Measurements that are too short are skipped.
    pub fn measured(&mut self, app: &Arc<str>, spent: &Spent) {
        let costs = self.costs.entry(app.clone()).or_insert_with(|| profile(app));
        if spent.single_ms >= TELLING {
            let single = spent.single_ms / spent.singles.max(1) as f64;
            let single = single.clamp(costs.single / MOST_CHANGE, costs.single * MOST_CHANGE);
            blend(&mut costs.single, single);
        }
        if spent.column_ms >= TELLING && spent.expected_ms > 0.0 {
            let factor = (spent.column_ms / spent.expected_ms).clamp(1.0 / MOST_CHANGE, MOST_CHANGE);
            let ratio = 1.0 + (factor - 1.0) * WEIGHT;
            [&mut costs.event, &mut costs.value, &mut costs.text].into_iter().for_each(|cost| *cost *= ratio);
        }
    }

    /// Whether a note is new for the client: the client did not get it within the last hour.
    pub(crate) fn is_news(&mut self, note: &str, now: Millis) -> bool {
        if self.said.get(note).is_some_and(|said| now.0.saturating_sub(said.0) < NEWS) {
            return false;
        }
        self.said.retain(|_, said| now.0.saturating_sub(said.0) < NEWS);
        self.said.insert(note.to_owned(), now);
        true
    }

    /// Remembers how many elements a collection holds.
    pub(crate) fn seen(&mut self, app: &Arc<str>, container: &Path, collection: &Arc<Member>, size: usize) {
        if self.sizes.len() >= MOST_SIZES {
            self.sizes.clear();
        }
        self.sizes.insert((app.clone(), container.clone(), collection.clone()), size);
    }

    /// Returns how many elements the collection of an object held when it was last read; 0 if it never was.
    pub(crate) fn size(&self, app: &Arc<str>, object: &Path) -> usize {
        let Some((container, Segment::Element(collection, _))) = object.last() else { return 0 };
        self.sizes.get(&(app.clone(), container.clone(), collection.clone())).copied().unwrap_or_default()
    }
}

/// The times of a script's events, by kind of read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
pub struct Spent {
    /// Events that read a property of a whole collection.
    pub columns: u64,
    /// The time they took, in milliseconds.
    pub column_ms: f64,
    /// The time they were supposed to take, in milliseconds.
    pub expected_ms: f64,
    /// Events that read a property of one object.
    pub singles: u64,
    /// The time they took, in milliseconds.
    pub single_ms: f64,
}

fn blend(known: &mut f64, measured: f64) {
    *known += (measured - *known) * WEIGHT;
}

/// Says whether a property is too long to be read from elements that are not returned.
pub(crate) fn is_long(app: &str, dictionary: &Dictionary, class: &str, property: &Property) -> bool {
    let by_type = property.kind.0.iter().any(|kind| LONG_TYPES.contains(&kind.name.as_str()));
    let profile = PROFILES.iter().find(|profile| same_id(profile.app, app));
    let named = |profile: &Profile| {
        profile.long.iter().any(|(of, name)| *name == property.name && dictionary.is_a(class, of))
    };
    by_type || profile.is_some_and(named)
}

/// Properties that repeat others in a form for programs: an app, a class and the properties. A read of all properties
/// leaves these out.
///
/// # Source
/// Mail's dictionary: the source of a message is its headers and its content. Contacts': a vCard has all of a person.
const REPEATING: [(&str, &str, &[&str]); 2] = [
    ("com.apple.mail", "message", &["all headers", "source"]),
    ("com.apple.AddressBook", "person", &["vcard"]),
];

/// Says whether a property repeats others of the class.
pub(crate) fn repeats(app: &str, dictionary: &Dictionary, class: &str, term: &str) -> bool {
    let is_one = |row: &&(&str, &str, &[&str])| same_id(row.0, app) && dictionary.is_a(class, row.1);
    REPEATING.iter().find(is_one).is_some_and(|row| row.2.contains(&term))
}

/// Says whether the app's own filter should choose the elements. It should if it is cheaper than reading the columns,
/// or if a long property would have to be read from every element. The filter must be reliable, and elements must have
/// an id or a unique name.
pub(crate) fn by_whose(costs: &Costs, wanted: &Elements) -> bool {
    let (Some(filter), Some(each)) = (&wanted.filter, costs.whose) else { return false };
    let columns = filter.columns();
    let long = columns.iter().any(|column| wanted.columns[*column].long);
    let read: f64 = columns.iter().map(|column| costs.of(&wanted.columns[*column])).sum();
    let cheaper = each < read;
    (long || cheaper) && wanted.identity != Identity::Index && can_be_whose(filter, &wanted.columns)
}

/// Says whether the app's own filter can express this filter. It cannot compare with missing value, a file or a class,
/// or along a path of properties.
fn can_be_whose(filter: &Filter<usize>, columns: &[Column]) -> bool {
    match filter {
        Filter::And(filters) | Filter::Or(filters) => {
            filters.iter().all(|filter| can_be_whose(filter, columns))
        }
        Filter::Not(filter) => can_be_whose(filter, columns),
        Filter::Compare(compare) => {
            let column = &columns[compare.property];
            let equality = matches!(compare.operator, Operator::Equal | Operator::NotEqual);
            let has_form = !column.by_script && (!column.enumerated || equality);
            column.identifiers.len() == 1 && !compare.value.is_null() && has_form
        }
    }
}

#[cfg(test)]
mod tests {
    use super::profile;

    #[test]
    fn an_app_costs_the_same_in_any_spelling_of_its_id() {
        let costs = |app: &str| format!("{:?}", profile(app));
        assert_eq!(costs("COM.APPLE.ICAL"), costs("com.apple.iCal"));
        assert_ne!(costs("com.apple.iCal"), costs("com.example"));
    }
}
