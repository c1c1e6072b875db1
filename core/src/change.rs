//! Property writes: the new values, the objects, and the identity that each object must still have.

mod anew;
mod facts;
mod html;
mod losses;
mod span;
mod tells;
mod verify;

use serde_json::Value as Json;

use crate::app::same_id;
use crate::dictionary::{Dictionary, Identifier, Property, TypeExpr};
use crate::identity::{Anchor, Identity, identity};
use crate::marshal::Given;
use crate::numbered::Numbers;
use crate::specifier::{By, LABELS, Path, Segment};

pub use anew::Anew;
pub(crate) use anew::anew;
pub(crate) use facts::{
    BY, BY_MAIL, DELETE, DELETES_SERIES, DRAFT_UNSEEN, DUPLICATE, FROM, NOT_RESTORED, NOT_SENT,
    OPENING_WINDOW, PASSED_ON, QUIT, REPLACES, RULE, SEND, SEND_TEXT, SHARED, TO_ALL, UNSAVED, VISIBLE,
    begins_with, beside, beyond, binding, consequence, counted_among, counts, drafts, facts, is_rare,
    is_styled, is_telling, makes_draft, may_hold, outlives, place_terms, placed, repeats, sends, shared,
    standing, taken_from, telling, undeletable, unmoved, unshown,
};
pub(crate) use html::as_html;
pub(crate) use losses::{LOST, examples, hidden, is_lossy, lock, loss};
pub use span::Span;
pub(crate) use span::{are_dates, kept_date};
pub use tells::Tell;
pub(crate) use tells::{HOLDS, OLD, tells};
pub(crate) use verify::holds;

/// An object that a call would change. The server looks at it first.
#[derive(Clone, Debug, PartialEq)]
pub struct Subject {
    /// The path to it.
    pub path: Path,
    /// The property with a unique value.
    pub mark: Option<Identifier>,
    /// The property by which the app finds it, if its path ends with a name.
    pub name: Option<Identifier>,
    /// Properties that tell a human which object it is, the best first.
    pub labels: Vec<Identifier>,
    /// Further facts about the object that a human needs for the decision.
    pub facts: Vec<Fact>,
    /// The properties to set.
    pub slots: Vec<Slot>,
    /// How to find it again if a new value moves it.
    pub home: Option<Home>,
    /// The two dates of an object that takes time, if both are set.
    pub span: Option<Span>,
    /// The properties that tell it from another object of its name, for the undo.
    pub looks: Vec<Identifier>,
}

/// A property that says where an object is. Setting it moves the object, and an app may give a moved object another id.
#[derive(Clone, Debug, PartialEq)]
pub struct Home {
    /// The slot of the property.
    pub slot: usize,
    /// The collection of the object, in its old and in its new container.
    pub collection: Identifier,
    /// The property with its id.
    pub id: Identifier,
}

/// Something about an object that a human must know to decide: the recipients of a message, the contents of a folder.
#[derive(Clone, Debug, PartialEq)]
pub struct Fact {
    /// Its label in a question: `to`, `attachments`.
    pub caption: String,
    /// How it is read.
    pub look: Look,
    /// Whether the count may be too low, because there may be more deeper inside.
    pub is_least: bool,
    /// Whether only some objects of the class have it. If an object lacks it, the error of the read is ignored.
    pub is_of_some: bool,
    /// Whether the change removes it for good. A question shows it only if there is some.
    pub is_lost: bool,
    /// Whether the values are only examples of what another fact counts. A question shows the first few, if there are
    /// any.
    pub is_sample: bool,
    /// Whether it is the name of the container. A question shows it beside the name of the object.
    pub is_place: bool,
}

/// What to read from an object.
#[derive(Clone, Debug, PartialEq)]
pub enum Look {
    /// A property, reached through other properties or through elements. An empty path means the object's own value.
    Property(Vec<Identifier>),
    /// How many elements of a kind it has, itself or through properties.
    Count(Vec<Identifier>),
    /// The object that this one represents, as a root task represents its project. Four names: the property that holds
    /// the other object, the property that is equal in both, the property with the name, and the elements to count.
    /// Nothing is read if the object represents only itself.
    Standing([Identifier; 4]),
    /// A property of those elements that meet a condition: the elements, the property that must be true, the property
    /// to read.
    Where(Identifier, Identifier, Identifier),
    /// A digest of each of these properties that has a value, all read with one event: `name 1a2b`.
    Held(Vec<Identifier>),
}

impl Look {
    /// Writes it in the form that [`Self::read`] reads: `name`; `content.size`; `#messages` for a count;
    /// `documents?modified.name` for the elements that meet a condition; `=containingProject.id.name.tasks` for the
    /// object that this one stands for; `*name.body` for the digests of these.
    pub(crate) fn spelled(&self) -> String {
        match self {
            Self::Property(way) => way.iter().map(Identifier::as_str).collect::<Vec<_>>().join("."),
            Self::Count(way) => {
                format!("#{}", way.iter().map(Identifier::as_str).collect::<Vec<_>>().join("."))
            }
            Self::Standing(parts) => {
                format!("={}", parts.iter().map(Identifier::as_str).collect::<Vec<_>>().join("."))
            }
            Self::Where(elements, is, property) => format!("{elements}?{is}.{property}"),
            Self::Held(properties) => {
                format!("*{}", properties.iter().map(Identifier::as_str).collect::<Vec<_>>().join("."))
            }
        }
    }

    /// Reads the form that [`Self::spelled`] writes.
    pub(crate) fn read(text: &str) -> Option<Self> {
        if let Some((elements, (is, property))) =
            text.split_once('?').and_then(|(elements, rest)| Some((elements, rest.split_once('.')?)))
        {
            let of = Identifier::of;
            return Some(Self::Where(of(elements)?, of(is)?, of(property)?));
        }
        let way = |text: &str| text.split('.').map(Identifier::of).collect::<Option<Vec<_>>>();
        if let Some(properties) = text.strip_prefix('*') {
            return way(properties).map(Self::Held);
        }
        match (text.strip_prefix('#'), text.strip_prefix('=')) {
            (Some(elements), _) => way(elements).map(Self::Count),
            (_, Some(parts)) => way(parts)?.try_into().ok().map(Self::Standing),
            _ => way(text).map(Self::Property),
        }
    }
}

/// A property that would be set.
#[derive(Clone, Debug, PartialEq)]
pub struct Slot {
    /// The dictionary's term.
    pub term: String,
    /// The spelling in the script.
    pub identifier: Identifier,
    /// The type of its values.
    pub kind: TypeExpr,
    /// The words for its numbers, such as the colours of flags.
    pub numbers: Numbers,
    /// Whether its numbers are minutes from the start of an event.
    pub is_interval: bool,
    /// Whether the dictionary lets it be read, too.
    pub readable: bool,
    /// Whether it can be set after its object was made.
    pub writable: bool,
}

/// Properties of one object that are set together, or not at all.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The object.
    pub subject: Subject,
    /// The state that the object must have; otherwise nothing is set.
    pub expected: Expected,
    /// The new values, one for each slot of the subject.
    pub values: Vec<Given>,
    /// The parts of the object that the write removes for good, as the look at it has found: `attachments`.
    pub loses: Option<String>,
    /// The command that the app needs to keep the change.
    pub save: Option<Save>,
}

/// The command with which an app keeps its changes.
#[derive(Clone, Debug, PartialEq)]
pub struct Save {
    /// Its name in the dictionary.
    pub term: String,
    /// Its code.
    pub code: String,
    /// Its name in a script.
    pub identifier: Identifier,
}

/// The state that an object must have to be the intended one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Expected {
    /// The value of its mark, if it is known.
    pub mark: Option<String>,
    /// The old values that a human saw and approved, as the script encodes them.
    pub old: Option<Json>,
    /// The values that tell it from another object of its name, if they are known.
    pub looks: Option<Json>,
}

impl Change {
    /// Whether the write sets something that the object is found by: its name, its mark, or its place.
    pub(crate) fn renames(&self) -> bool {
        if self.subject.home.is_some() {
            return true;
        }
        let own = [self.subject.mark.as_ref(), self.subject.name.as_ref()];
        self.subject.slots.iter().any(|slot| own.contains(&Some(&slot.identifier)))
    }

    /// Whether the object has only a position, so that no one can tell whether it is still the intended object.
    pub fn is_fragile(&self) -> bool {
        !self.subject.path.is_stable() && self.expected.mark.is_none()
    }
}

struct Profile {
    app: &'static str,
    class: &'static str,
    mark: Option<&'static str>,
    labels: &'static [&'static str],
}

const fn profile(
    app: &'static str,
    class: &'static str,
    mark: Option<&'static str>,
    labels: &'static [&'static str],
) -> Profile {
    Profile { app, class, mark, labels }
}

/// # Source
/// The apps' own dictionaries. A message id is unique in the world. A file's URL holds its whole path; a URL with file
/// ids stays the same when the file is renamed.
const PROFILES: [Profile; 14] = [
    profile("com.apple.mail", "message", Some("message id"), &["subject", "sender", "date received"]),
    profile("com.apple.mail", "mailbox", None, &["name"]),
    // A recipient that was typed has no name.
    profile("com.apple.mail", "recipient", None, &["address", "name"]),
    profile("com.apple.finder", "item", Some("URL"), &["name"]),
    profile("com.apple.iCal", "event", Some("uid"), &["summary", "start date"]),
    profile("com.apple.iCal", "calendar", Some("uid"), &["name"]),
    profile("com.apple.Safari", "tab", Some("URL"), &["name", "URL"]),
    profile("com.apple.Music", "track", Some("persistent ID"), &["name", "artist"]),
    profile("com.apple.Terminal", "tab", Some("tty"), &["custom title", "tty"]),
    profile("com.apple.systemevents", "process", Some("unix id"), &["name"]),
    profile("com.apple.MobileSMS", "chat", None, &["name", "id"]),
    profile("com.apple.MobileSMS", "participant", None, &["name", "handle"]),
    profile("com.apple.AddressBook", "person", None, &["name", "organization"]),
    profile("com.apple.Photos", "media item", None, &["filename", "date"]),
];

/// Returns the property that tells an object from its neighbours if only a position leads to it: a unique property if
/// there is one, otherwise a name.
pub(crate) fn mark(app: &str, dictionary: &Dictionary, class: &str) -> Option<Identifier> {
    mark_of(app, dictionary, class).or_else(|| names(dictionary, class).next())
}

/// Returns the property that people know objects of a class by: the app's own choice, otherwise a name or a title.
pub(crate) fn label(app: &str, dictionary: &Dictionary, class: &str) -> Option<String> {
    let own = profile_of(app, dictionary, class).and_then(|profile| profile.labels.first());
    let own = own.and_then(|term| dictionary.property(class, term));
    let known = || {
        let named = dictionary.properties(class).into_iter().find(|property| property.code == "pnam");
        named.or_else(|| LABELS.iter().find_map(|term| dictionary.property(class, term)))
    };
    own.or_else(known).filter(|property| property.access.can_read()).map(|property| property.name.clone())
}

/// Returns the property that is unique in a class, if one is known.
pub(crate) fn mark_of(app: &str, dictionary: &Dictionary, class: &str) -> Option<Identifier> {
    profile_of(app, dictionary, class)?.mark.and_then(|term| known(dictionary, class, term))
}

fn profile_of(app: &str, dictionary: &Dictionary, class: &str) -> Option<&'static Profile> {
    PROFILES.iter().find(|each| same_id(each.app, app) && dictionary.is_a(class, each.class))
}

fn known(dictionary: &Dictionary, class: &str, term: &str) -> Option<Identifier> {
    dictionary.property(class, term).and_then(|found| Identifier::of(&found.name))
}

fn names<'a>(dictionary: &'a Dictionary, class: &'a str) -> impl Iterator<Item = Identifier> {
    named(dictionary, class).filter_map(|property| Identifier::of(&property.name))
}

fn named<'a>(dictionary: &'a Dictionary, class: &'a str) -> impl Iterator<Item = &'a Property> {
    let name = dictionary.properties(class).into_iter().find(|property| property.code == "pnam");
    name.into_iter().chain(LABELS.iter().filter_map(move |term| dictionary.property(class, term)))
}

/// Returns the properties that tell a human which object of a class it is, the best first, as the dictionary names
/// them.
pub(crate) fn labels(app: &str, dictionary: &Dictionary, class: &str) -> Vec<String> {
    let found: Vec<&Property> = match profile_of(app, dictionary, class) {
        Some(profile) => profile.labels.iter().filter_map(|term| dictionary.property(class, term)).collect(),
        None => named(dictionary, class).take(1).collect(),
    };
    found.into_iter().map(|property| property.name.clone()).collect()
}

impl Subject {
    /// Makes a subject with a path and with no values to read of the object.
    pub(crate) fn at(path: Path) -> Self {
        let (labels, facts, slots, looks) = Default::default();
        Self { path, mark: None, name: None, labels, facts, slots, home: None, span: None, looks }
    }

    /// Makes the subject for an object: its path, the properties that identify it, and the properties to set.
    pub(crate) fn of(app: &str, dictionary: &Dictionary, path: Path, slots: Vec<Slot>) -> Self {
        let class = path.class().to_owned();
        let labels = labels(app, dictionary, &class).iter().filter_map(|term| Identifier::of(term)).collect();
        let mark =
            if path.is_stable() { mark_of(app, dictionary, &class) } else { mark(app, dictionary, &class) };
        let by_name = matches!(path.last(), Some((_, Segment::Element(_, By::Name(_)))));
        let name = name(dictionary, &class).filter(|_| by_name);
        let home = mark.as_ref().and_then(|_| Home::of(dictionary, &path, &slots));
        let span = Span::of(app, &class, &slots);
        Self { path, mark, name, labels, facts: Vec::new(), slots, home, span, looks: Vec::new() }
    }
}

impl Fact {
    /// A fact that is shown exactly as the app gives it.
    pub(crate) fn new(caption: impl Into<String>, look: Look) -> Self {
        let (is_least, is_of_some, is_lost, is_sample, is_place) = Default::default();
        Self { caption: caption.into(), look, is_least, is_of_some, is_lost, is_sample, is_place }
    }

    /// Whether a question shows it. Facts that are not shown only reveal that another object took the place of this
    /// one.
    pub(crate) fn is_shown(&self) -> bool {
        !self.caption.is_empty()
    }

    /// Whether it says how much the command would take: the contents of an object, or its unsaved changes.
    pub(crate) fn weighs(&self) -> bool {
        (matches!(self.look, Look::Count(_)) || self.caption == UNSAVED) && self.is_shown()
    }

    /// Whether it says which other object this one stands for.
    pub(crate) fn is_standing(&self) -> bool {
        matches!(self.look, Look::Standing(_))
    }
}

impl Home {
    /// `None` unless the object is found by its id. Only then can a move lose it.
    fn of(dictionary: &Dictionary, path: &Path, slots: &[Slot]) -> Option<Self> {
        let (container, Segment::Element(member, By::Id(_))) = path.last()? else { return None };
        let Identity::Id(id) = identity(dictionary, &member.class) else { return None };
        let home = home(dictionary, &member.class, container.class())?;
        let slot = slots.iter().position(|slot| slot.identifier == home)?;
        Some(Self { slot, collection: member.identifier.clone(), id })
    }
}

/// The property that says where an object is: one that holds its container.
pub(crate) fn home(dictionary: &Dictionary, class: &str, container: &str) -> Option<Identifier> {
    let is_it = |property: &&Property| {
        property.name == "container" || property.kind.0.iter().any(|kind| kind.name == container)
    };
    dictionary.properties(class).into_iter().find(|each| is_it(each)).and_then(|p| Identifier::of(&p.name))
}

/// Properties that an app or its server changes on its own: positions on the screen, states, and the dates of changes.
///
/// # Source
/// The apps' dictionaries: Finder's `modification date`, Calendar's `stamp date` and Music's `played count` can be set,
/// and change on their own. Inferred: Mail may still write the `content` of a reply after it has answered.
const RESTLESS: [&str; 19] = [
    "content",
    "modification date",
    "stamp date",
    "index",
    "selected",
    "visible",
    "collapsed",
    "expanded",
    "completely expanded",
    "miniaturized",
    "zoomed",
    "frontmost",
    "modified",
    "path",
    "played count",
    "played date",
    "skipped count",
    "skipped date",
    "bookmark",
];

/// The types of values that are compared: short to read, and the same each time.
const PLAIN: [&str; 7] = ["text", "rich text", "boolean", "integer", "real", "number", "date"];

/// The properties of a class that a person fills in: an undo notices if they are no longer as this server left them.
pub(crate) fn held(dictionary: &Dictionary, class: &str) -> Vec<Identifier> {
    let is_plain = |property: &&Property| {
        let mut kinds = property.kind.0.iter().filter(|kind| kind.name != "missing value").peekable();
        kinds.peek().is_some() && kinds.all(|kind| !kind.list && PLAIN.contains(&kind.name.as_str()))
    };
    let all = dictionary.properties(class).into_iter();
    let kept = all.filter(|property| property.access.can_read() && property.access.can_write());
    let kept = kept.filter(|property| !property.hidden && !RESTLESS.contains(&property.name.as_str()));
    kept.filter(is_plain).filter_map(|property| Identifier::of(&property.name)).collect()
}

/// Returns how to tell elements of a class apart.
pub(crate) fn anchor(app: &str, dictionary: &Dictionary, class: &str) -> Anchor {
    Anchor {
        identity: identity(dictionary, class),
        name: name(dictionary, class),
        mark: mark(app, dictionary, class),
    }
}

/// The property by which the app itself finds objects.
fn name(dictionary: &Dictionary, class: &str) -> Option<Identifier> {
    let all = dictionary.properties(class);
    all.iter().find(|property| property.code == "pnam").and_then(|property| Identifier::of(&property.name))
}

#[cfg(test)]
mod tests {
    use super::Look;

    #[test]
    fn looks_are_read_as_they_are_spelled() {
        let texts = [
            "name",
            "content.size",
            "#messages",
            "#rootTask.tasks",
            "documents?modified.name",
            "=a.id.name.tasks",
            "*name.dueDate",
        ];
        for text in texts {
            assert_eq!(Look::read(text).map(|look| look.spelled()).as_deref(), Some(text));
        }
        for text in ["documents?modified", "documents?.name", "#", "=a.id.name"] {
            assert_eq!(Look::read(text), None, "{text}");
        }
    }
}
