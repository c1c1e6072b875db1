//! Values as clients see them: objects become references, keys become terms, and cut texts are marked.

use serde_json::{Map, Value as Json, json};

use super::names::{self, Objects};
use super::{World, remember};
use crate::app::App;
use crate::dictionary::{APPLICATION, Class, Dictionary, Identifier, Property, TypeExpr};
use crate::fault::Fault;
use crate::osa_error::OsaError;
use crate::permission::may_read;
use crate::specifier::{By, Path, Segment, read_source};
use crate::value::Value;

/// The largest size of a list in bytes. Elements beyond it are counted and can be fetched by another call.
///
/// A model gains nothing from reading more. A plugin is a program and takes as much as its interface carries.
pub(super) fn largest(world: &World<'_>) -> usize {
    if world.gate.plugin.is_some() { 3 * 1024 * 1024 } else { 32 * 1024 }
}

/// The values that were read from one object.
#[derive(Default)]
pub(super) struct Shown {
    /// Values by term.
    pub(super) properties: Map<String, Json>,
    /// The values that could not be read, by term.
    pub(super) errors: Map<String, Json>,
    /// Which texts are cut, by term.
    pub(super) cut: Map<String, Json>,
    /// The objects that are shown in words, if objects are shown so.
    pub(super) in_words: Option<Objects>,
}

impl Shown {
    /// Adds a value under its term.
    pub(super) fn add(&mut self, term: &str, value: &Value, app: &App, world: &mut World<'_>) {
        match value {
            Value::Failed { number, message } => {
                let error = OsaError {
                    number: *number,
                    message: message.clone(),
                    at: "property".to_owned(),
                    by: None,
                };
                self.errors.insert(term.to_owned(), unread(term, &error, app).to_json());
                return;
            }
            Value::Excerpt(part) => {
                let end = part.from + part.text.chars().count();
                self.cut
                    .insert(term.to_owned(), json!({ "from": part.from, "to": end, "total": part.total }));
            }
            _ => {}
        }
        let shown = match &mut self.in_words {
            None => show(value, app, world),
            Some(objects) => value.to_json(&mut |source| words(source, objects, app, world)),
        };
        self.properties.insert(term.to_owned(), shown);
    }

    /// Adds the field `properties`, and `errors` and `cut` if there are any.
    pub(super) fn into_fields(self, fields: &mut Map<String, Json>) {
        fields.insert("properties".to_owned(), Json::Object(self.properties));
        if !self.errors.is_empty() {
            fields.insert("errors".to_owned(), Json::Object(self.errors));
        }
        if !self.cut.is_empty() {
            fields.insert("cut".to_owned(), Json::Object(self.cut));
        }
    }
}

/// A property of a listed object that could not be read. If the app says that the object does not exist, that may mean
/// that the object is gone, or only that it has no such value.
fn unread(term: &str, error: &OsaError, app: &App) -> Fault {
    let fault = error.to_fault(&app.bundle_id, &app.name);
    if !error.is_missing_object() {
        return fault;
    }
    let message = format!("{} returned no `{term}`: the object has none, or it no longer exists", app.name);
    let suggestion =
        "read other properties of it; if these fail too, query it again with iac_mcp_query_object".to_owned();
    Fault { message, suggestion, ..fault }
}

/// Reads one encoded value and puts the dictionary's terms into its records.
pub(super) fn value(encoded: &Json, kind: Option<&TypeExpr>, dictionary: &Dictionary) -> Value {
    match Value::decode(encoded) {
        Ok(value) => with_terms(value, kind, dictionary),
        Err(error) => Value::Failed { number: -2700, message: error.to_string() },
    }
}

/// Shows a value; objects in it get references.
pub(super) fn show(value: &Value, app: &App, world: &mut World<'_>) -> Json {
    value.to_json(&mut |source| object(source, app, world))
}

/// An object that the app named: a reference if its path can be read, otherwise its source form.
fn object(source: &str, app: &App, world: &mut World<'_>) -> Json {
    let path = app.dictionary.as_ref().and_then(|dictionary| read_source(dictionary, source));
    let Some(path) = path else { return json!({ "object": source }) };
    let kind = path.class().to_owned();
    let (stable, name) = (path.is_stable(), name(&path, app, world));
    let mut json =
        json!({ "reference": remember(path, app, world).to_string(), "type": kind, "app": &*app.bundle_id });
    if let Some(name) = name {
        json["name"] = json!(name);
    }
    if !stable {
        json["stable"] = json!(false);
    }
    json
}

/// The name of an object that is identified by its name, unless a rule hides names of its class from the client.
pub(super) fn name(path: &Path, app: &App, world: &World<'_>) -> Option<String> {
    let dictionary = app.dictionary.as_deref();
    let property = dictionary.and_then(|dictionary| dictionary.property_of_code(path.class(), "pnam"));
    let term = property.map_or("name", |property| &property.name);
    path.name().filter(|_| may_read(term, app, world.gate, world.now)).map(str::to_owned)
}

/// The words that lead to an object, unless there is a name in them that a rule keeps from the client.
pub(super) fn in_words(path: &Path, app: &App, world: &World<'_>) -> Option<String> {
    let mut named = std::iter::once(path).chain(path.containers()).filter(|path| path.name().is_some());
    named.all(|path| name(path, app, world).is_some()).then(|| path.to_text())
}

/// The container of a row: a folder of Finder by its path, which says the same in a third of the words.
pub(super) fn place(path: &Path, app: &App, world: &World<'_>) -> Option<String> {
    let words = in_words(path, app, world)?;
    let has = |term: &str| app.dictionary().is_ok_and(|it| it.property(APPLICATION, term).is_some());
    let path = path.to_posix(world.home.trim_end_matches('/'));
    Some(path.filter(|_| has("home") && has("startup disk")).unwrap_or(words))
}

/// The words that lead to an object, for an answer or an error. A name that a rule keeps from the client is left out.
pub(super) fn told(path: &Path, app: &App, world: &World<'_>) -> String {
    if in_words(path, app, world).is_some() {
        return path.to_string();
    }
    let mut told = Path::application();
    let mut way: Vec<&Path> = std::iter::once(path).chain(path.containers()).collect();
    while let Some(step) = way.pop() {
        told = match step.last() {
            Some((_, Segment::Element(member, By::Name(_)))) if name(step, app, world).is_none() => {
                told.then(Segment::Element(member.clone(), By::Name(HIDDEN.to_owned())))
            }
            Some((_, segment)) => told.then(segment.clone()),
            None => step.clone(),
        };
    }
    told.to_string()
}

/// The text in place of a name that a rule hides from the client.
const HIDDEN: &str = "…";

/// An object that the app named, in the words that lead to it. If only a position leads to it, a reference, because the
/// words would lead to another object later.
fn words(source: &str, objects: &mut Objects, app: &App, world: &mut World<'_>) -> Json {
    let path = app.dictionary.as_ref().and_then(|dictionary| read_source(dictionary, source));
    match path.filter(Path::is_stable) {
        Some(path) => Json::from(names::in_short(&path, objects, app, world)),
        None => object(source, app, world),
    }
}

/// The key of an object's class where the dictionary has no property for it: scripts see its code.
const CLASS: &str = "pcls";

/// Splits the answer of `properties()` into properties of the class, under their terms.
pub(super) fn all_properties(encoded: &Json, class: &str, dictionary: &Dictionary) -> Vec<(String, Value)> {
    let Value::Record(fields) = value(encoded, None, dictionary) else { return Vec::new() };
    let known = dictionary.properties(class);
    fields
        .into_iter()
        .map(|(key, value)| {
            let property =
                known.iter().find(|p| Identifier::of(&p.name).is_some_and(|id| id.as_str() == key));
            match property {
                Some(property) => {
                    (property.name.clone(), with_terms(value, Some(&property.kind), dictionary))
                }
                None => match value {
                    Value::Text(class) if key == CLASS => {
                        ("class".to_owned(), Value::Text(class_term(class, dictionary)))
                    }
                    value => (term(&key), value),
                },
            }
        })
        .collect()
}

fn with_terms(value: Value, kind: Option<&TypeExpr>, dictionary: &Dictionary) -> Value {
    match value {
        Value::Record(fields) => {
            let fields = fields.into_iter().map(|(key, value)| match field(&key, kind, dictionary) {
                Some(field) => (field.name.clone(), with_terms(value, Some(&field.kind), dictionary)),
                None => (key, with_terms(value, None, dictionary)),
            });
            Value::Record(fields.collect())
        }
        Value::Text(text) if kind.is_some_and(is_class) => Value::Text(class_term(text, dictionary)),
        Value::List(items) => {
            Value::List(items.into_iter().map(|item| with_terms(item, kind, dictionary)).collect())
        }
        other => other,
    }
}

/// Whether values of a type are names of classes.
pub(super) fn is_class(kind: &TypeExpr) -> bool {
    kind.0.iter().any(|kind| ["type", "type class", "class"].contains(&kind.name.as_str()))
}

/// The dictionary's term for a class, which scripts see as an identifier: `file track` for `fileTrack`.
pub(super) fn class_term(shown: String, dictionary: &Dictionary) -> String {
    let is_it = |class: &&Class| Identifier::of(&class.name).is_some_and(|id| id.as_str() == shown);
    dictionary.class(&shown).filter(is_it).map(|class| class.name.clone()).unwrap_or(shown)
}

/// The dictionary's term for a key of a record: in the declared record type, otherwise in any record type.
fn field<'d>(key: &str, kind: Option<&TypeExpr>, dictionary: &'d Dictionary) -> Option<&'d Property> {
    let declared =
        kind.into_iter().flat_map(|kind| kind.0.iter()).filter_map(|kind| dictionary.records.get(&kind.name));
    let mut fields = declared.chain(dictionary.records.values()).flat_map(|record| record.properties.iter());
    fields.find(|field| Identifier::of(&field.name).is_some_and(|id| id.as_str() == key))
}

/// A camelCase key that no dictionary explains, as words.
fn term(key: &str) -> String {
    let mut words = String::with_capacity(key.len() + 4);
    let mut before_lower = false;
    for c in key.chars() {
        if c.is_ascii_uppercase() && before_lower {
            words.push(' ');
            words.push(c.to_ascii_lowercase());
        } else {
            words.push(c);
        }
        before_lower = c.is_ascii_lowercase();
    }
    words
}
