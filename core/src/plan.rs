//! What things cost and which properties are long: the app profiles, as data.

use crate::action::Identity;
use crate::dictionary::{Dictionary, Identifier, Property};

/// What reading costs in one app, in milliseconds; the script chooses by it once it knows how many elements there are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Costs {
    /// One event that reads a property of a whole collection, before its values.
    pub event: f64,
    /// Each value in the answer of such an event.
    pub value: f64,
    /// One event that reads a property of one object by its id.
    pub single: f64,
}

struct Profile {
    app: &'static str,
    costs: Costs,
    long: &'static [(&'static str, &'static str)],
}

/// # Source
/// Mail: a column of a mailbox costs about 85 ms, 43,000 ids and dates about 1.5 s, a property by id 16 to 40 ms
/// (measured in public on macOS 27). OmniFocus: 16.7 ms for one property. Contacts: one property of 800 people in 0.1 s.
const PROFILES: [Profile; 5] = [
    Profile {
        app: "com.apple.mail",
        costs: Costs { event: 85.0, value: 0.017, single: 25.0 },
        long: &[("message", "content"), ("message", "source"), ("message", "all headers")],
    },
    Profile { app: "com.apple.Notes", costs: DEFAULT, long: &[("note", "body"), ("note", "plaintext")] },
    Profile {
        app: "com.apple.AddressBook",
        costs: Costs { event: 5.0, value: 0.12, single: 5.0 },
        long: &[("person", "vcard"), ("person", "image")],
    },
    Profile {
        app: "com.omnigroup.OmniFocus4",
        costs: Costs { event: 17.0, value: 1.6, single: 17.0 },
        long: &[],
    },
    Profile {
        app: "com.omnigroup.OmniFocus3",
        costs: Costs { event: 17.0, value: 1.6, single: 17.0 },
        long: &[],
    },
];

const DEFAULT: Costs = Costs { event: 10.0, value: 0.05, single: 10.0 };

/// Types whose values are as long as somebody wrote them.
const LONG_TYPES: [&str; 4] = ["rich text", "data", "picture", "TIFF picture"];

/// Returns what reading costs in an app.
pub fn costs(app: &str) -> Costs {
    PROFILES.iter().find(|profile| profile.app == app).map_or(DEFAULT, |profile| profile.costs)
}

/// Says whether a property is too long to be read of elements that are not returned.
pub(crate) fn is_long(app: &str, dictionary: &Dictionary, class: &str, property: &Property) -> bool {
    let by_type = property.kind.0.iter().any(|kind| LONG_TYPES.contains(&kind.name.as_str()));
    let profile = PROFILES.iter().find(|profile| profile.app == app);
    let named = |profile: &Profile| {
        profile.long.iter().any(|(of, name)| *name == property.name && dictionary.is_a(class, of))
    };
    by_type || profile.is_some_and(named)
}

/// Says what objects of a class are known by: the property with the id's code, else a name, else their place.
pub(crate) fn identity(dictionary: &Dictionary, class: &str) -> Identity {
    let all = dictionary.properties(class);
    let by_code = |code: &str| all.iter().find(|p| p.code == code).and_then(|p| Identifier::of(&p.name));
    match (by_code("ID  "), by_code("pnam")) {
        (Some(id), _) => Identity::Id(id),
        (None, Some(name)) => Identity::Name(name),
        (None, None) => Identity::Index,
    }
}
