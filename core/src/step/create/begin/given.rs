//! The properties that a new object takes: those that can be set, and those that only `make` takes.

use serde_json::{Map, Value as Json, json};

use crate::app::{App, same_id};
use crate::call::NewObject;
use crate::dictionary::{Dictionary, Property};
use crate::fault::{Code, Fault};
use crate::marshal::Dated;
use crate::moment::Shift;
use crate::specifier::find_property;
use crate::step::set::begin::writable;

/// Properties that an app takes when it makes an object, and that cannot be set afterwards: an app, a class, and the
/// properties.
///
/// # Source
/// Many published scripts for System Events make a login item with a path and a name, and an item of a property list
/// with its type and its key (Apple's guide to scripting, "Work with Property List Files"). XML parts are named in the
/// same way. Apple's examples for Keynote, Pages and Numbers make an image of a file.
const AT_MAKE: [(&str, &str, &[&str]); 7] = [
    ("com.apple.systemevents", "login item", &["path", "name"]),
    ("com.apple.systemevents", "property list item", &["kind", "name"]),
    ("com.apple.systemevents", "XML element", &["name"]),
    ("com.apple.systemevents", "XML attribute", &["name"]),
    ("com.apple.iWork.Keynote", "image", &["file"]),
    ("com.apple.iWork.Pages", "image", &["file"]),
    ("com.apple.iWork.Numbers", "image", &["file"]),
];

/// How many properties of a child an error names.
const MOST_GIVEN: usize = 3;

/// The codes of properties that an app itself fills in: the id and the class.
const OWN: [&str; 2] = ["ID  ", "pcls"];

/// The property of a new object by a term of the client.
///
/// # Errors
/// The class has no such property, or the app takes no value for it.
pub(super) fn property<'a>(
    app: &App,
    dictionary: &'a Dictionary,
    class: &str,
    term: &str,
) -> Result<&'a Property, Fault> {
    match find_property(dictionary, class, term) {
        Ok(property) if is_taken(app, dictionary, class, property) => Ok(property),
        _ => writable(dictionary, class, term),
    }
}

/// A date that the client counts from another date of the same new object: `start date + 30 minutes`. In a property that
/// holds no dates, these words are a text.
pub(super) fn counted(json: &Json, property: &Property, object: &NewObject) -> Option<Json> {
    let text = json.as_str().filter(|_| property.kind.0.iter().any(|kind| kind.name == "date"))?;
    // The Mac has already told what a date without an offset means.
    let date = |from: &Json| Dated::of(from).map(|is| is.date).or_else(|| from.as_str().map(str::to_owned));
    let mut dates = object.properties.iter();
    dates.find_map(|(term, from)| Shift::parse(text, term)?.of(&date(from)?)).map(Json::from)
}

/// The error for a value that is an element of the new object, such as the phone of a person or the `to` of a message:
/// elements are made as its children.
pub(super) fn as_child(fault: Fault, dictionary: &Dictionary, class: &str, term: &str) -> Fault {
    let own = || dictionary.element(class, term).map(|(_, element)| element);
    let element = own().or_else(|| dictionary.meant_element(class, term));
    let Some(element) = element.filter(|_| fault.code == Code::UnknownProperty) else { return fault };
    let given = dictionary.properties(&element.name).into_iter().filter(|each| !each.hidden);
    let given = given.filter(|each| each.access.can_write()).take(MOST_GIVEN);
    let values: Map<String, Json> = given.map(|each| (each.name.clone(), json!("…"))).collect();
    let children = json!({ "children": [{ "class": element.name, "properties": values }] });
    let suggestion = format!("give each `{}` as a child of the new object: {children}", element.name);
    Fault { suggestion, ..fault }.with("element", element.name.as_str())
}

/// Whether `make` takes a property that the dictionary calls read-only. If all properties of a class are read-only, as
/// those of Calendar's attendees, `make` takes all of them: otherwise the objects could not be told apart.
fn is_taken(app: &App, dictionary: &Dictionary, class: &str, property: &Property) -> bool {
    let mut rows = AT_MAKE.iter().filter(|(id, of, _)| same_id(id, &app.bundle_id) && *of == class);
    let is_told = rows.any(|(.., terms)| terms.contains(&property.name.as_str()));
    let is_fixed = || dictionary.properties(class).iter().all(|each| !each.access.can_write());
    !OWN.contains(&property.code.as_str()) && (is_told || is_fixed())
}
