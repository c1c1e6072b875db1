//! Places that a client gives in the words of people: a property that names the container, or the container's plain
//! name.

use serde_json::{Value as Json, json};

use super::{Create, NewObject};
use crate::app::{App, same_id};
use crate::dictionary::{APPLICATION, Dictionary};
use crate::specifier::{Container, Specifier};
use crate::words::RefId;

/// The property that holds the container in many dictionaries.
const CONTAINER: &str = "container";

/// What a path to the name of a container ends with: `list.name`.
const ITS_NAME: &str = ".name";

/// Words that only a path or a place among other objects contains.
const OF_PLACES: [&str; 13] = [
    "of", "in", "every", "first", "last", "whose", "where", "end", "beginning", "before", "after", "front",
    "it",
];

impl Create {
    /// Takes the container from a property that names it, such as the list of a reminder, and reads plain names of
    /// containers.
    pub(crate) fn place(&mut self, app: &App, dictionary: &Dictionary) {
        for object in &mut self.objects {
            if object.at.as_ref().is_some_and(|at| is_app(at, app)) {
                object.at = None;
            }
            let Some(class) = object.class.clone() else { continue };
            if object.at.is_none() {
                take_from_property(object, &class, dictionary);
            }
            let name = object.at.as_ref().and_then(Json::as_str).filter(|text| is_plain(text, dictionary));
            if let Some((name, holder)) = name.zip(innermost(dictionary, &class)) {
                object.at = Some(named(holder, name));
            }
        }
    }
}

/// Whether a place is the app itself. Then the app chooses, and the question tells its choice.
fn is_app(at: &Json, app: &App) -> bool {
    let is_it = |text: &str| {
        let name = text.strip_prefix("application ").map_or(text, |name| name.trim_matches('"'));
        name == APPLICATION || name.eq_ignore_ascii_case(&app.name) || same_id(name, &app.bundle_id)
    };
    match at {
        Json::String(text) => is_it(text.trim()),
        other => other.as_object().is_some_and(|fields| fields.get("type") == Some(&json!(APPLICATION))),
    }
}

/// Takes the place from a property with the name of a containing class, if the class itself has no such property.
fn take_from_property(object: &mut NewObject, class: &str, dictionary: &Dictionary) {
    let given = object.properties.iter().filter(|(_, value)| !value.is_null());
    let taken = given.into_iter().find_map(|(term, value)| {
        let holder = holder(dictionary, class, term)?;
        // A list may be called Reminders, which is also a word for all reminders.
        let is_object = |text: &str| {
            let is_in_words = text.contains('"') || dictionary.property(APPLICATION, text).is_some();
            RefId::parse(text).is_some() || (is_in_words && Specifier::from_text(text, dictionary).is_ok())
        };
        let at = match value {
            Json::String(name) if !is_object(name) => named(holder, name),
            value => value.clone(),
        };
        Some((term.clone(), at))
    });
    if let Some((term, at)) = taken {
        object.properties.shift_remove(&term);
        object.at = Some(at);
    }
}

/// The class of the container that a term means: `list`, `list.name`, or `container` if no one can set it.
fn holder<'a>(dictionary: &'a Dictionary, class: &str, term: &str) -> Option<&'a str> {
    let term = term.strip_suffix(ITS_NAME).unwrap_or(term);
    if term.eq_ignore_ascii_case(CONTAINER) {
        let is_set = dictionary.property(class, CONTAINER).is_some_and(|own| own.access.can_write());
        return innermost(dictionary, class).filter(|_| !is_set);
    }
    let holder = dictionary.class(term).filter(|_| dictionary.property(class, term).is_none())?;
    dictionary.element(&holder.name, class).map(|_| holder.name.as_str())
}

/// The class of objects that hold objects of a class and no other such containers: a list, and not the account with its
/// lists. `None` if several classes are like that.
fn innermost<'a>(dictionary: &'a Dictionary, class: &str) -> Option<&'a str> {
    let class = dictionary.class(class)?.name.as_str();
    let known = dictionary.classes.values().filter(|each| !each.hidden && each.name != APPLICATION);
    let holders: Vec<&str> = known
        .map(|each| each.name.as_str())
        .filter(|each| dictionary.element(each, class).is_some())
        .collect();
    let holds_another = |outer: &str| {
        let mut others = holders.iter().filter(|inner| **inner != outer);
        others.any(|inner| dictionary.element(outer, inner).is_some())
    };
    let mut inner = holders.iter().filter(|each| !holds_another(each));
    inner.next().copied().filter(|_| inner.next().is_none())
}

/// Whether a text is the name of an object and nothing else: no path, no reference, no property or element.
fn is_plain(text: &str, dictionary: &Dictionary) -> bool {
    let is_path = text.starts_with(['/', '~']) || text.contains(['"', '“', ':', '{']);
    let is_of_places = || text.split_whitespace().any(|word| OF_PLACES.contains(&word));
    let is_known = || {
        dictionary.property(APPLICATION, text).is_some()
            || match Specifier::from_text(text, dictionary) {
                // A single word is a property of the application, if the application has it.
                Ok(Specifier::Property { of, .. }) => !of.is_application(),
                Ok(_) => true,
                Err(_) => false,
            }
    };
    let is_name = !text.trim().is_empty() && !is_path && RefId::parse(text).is_none();
    is_name && !is_of_places() && !is_known()
}

fn named(holder: &str, name: &str) -> Json {
    let container = Container::Specifier(Box::new(Specifier::Application));
    json!(Specifier::Named { element: holder.to_owned(), name: name.to_owned(), container }.to_text())
}
