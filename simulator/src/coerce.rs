//! Coerces values for an app: tells which values a property or parameter accepts, and which it refuses.
//!
//! Real apps coerce more than this. A coercion that no source documents is refused, so a script that works here also
//! works on a Mac.

use crate::event::{Event, Kind as EventKind};
use crate::os_error::{Answer, COERCION, refuse};
use crate::resolve::{Found, View};
use crate::schema::{Kind, Type};
use crate::value::specifier::{Specifier, Step};
use crate::value::{Fields, ObjectId, Value};
use std::rc::Rc;

impl View<'_> {
    /// Converts a value to the stored form of one of these types. If no types are given, anything is accepted.
    ///
    /// # Errors
    /// -1700 if none of the types accepts the value, -1728 if the value names a missing object.
    pub(crate) fn coerce(&self, value: &Value, types: &[Type]) -> Answer<Value> {
        if types.is_empty() {
            return self.inward(value);
        }
        let mut refusal = refuse(COERCION);
        for each in types {
            match self.coerce_to(value, each) {
                Err(error) if error.number != COERCION => refusal = Err(error),
                Err(_) => (),
                taken => return taken,
            }
        }
        refusal
    }

    fn coerce_to(&self, value: &Value, to: &Type) -> Answer<Value> {
        match value {
            Value::List(items) if to.list => {
                let items = items.iter().map(|item| self.coerce_one(item, to));
                Ok(Value::List(items.collect::<Answer<_>>()?))
            }
            _ if to.list => refuse(COERCION),
            _ => self.coerce_one(value, to),
        }
    }

    fn coerce_one(&self, value: &Value, to: &Type) -> Answer<Value> {
        match (to.kind, value) {
            (Kind::Text, Value::Text(_) | Value::Utf16(_))
            | (Kind::Boolean, Value::Bool(_))
            | (Kind::Number, Value::Int(_))
            | (Kind::Date, Value::Date(_))
            | (Kind::File, Value::File(_))
            | (Kind::Missing, Value::Missing) => Ok(value.clone()),
            (Kind::Number, Value::Real(_)) if &*to.name != "integer" => Ok(value.clone()),
            (Kind::Enumerator, Value::Text(name)) if self.schema().has_enumerator(&to.name, name) => {
                Ok(Value::Enumerator(name.clone()))
            }
            (Kind::Class, Value::Text(name)) => Ok(Value::Class(name.clone())),
            (Kind::Object, Value::Object(specifier)) => self.held(specifier, &to.name),
            (Kind::Object, Value::File(path)) if self.model().own_class => {
                self.held(&self.item(path), &to.name)
            }
            // It is not documented whether an app accepts AppleScript's list form here.
            (Kind::Point, Value::Record(fields)) if has_numbers(fields, &["x", "y"]) => Ok(value.clone()),
            (Kind::Rectangle, Value::Record(fields))
                if has_numbers(fields, &["x", "y", "width", "height"]) =>
            {
                Ok(value.clone())
            }
            (Kind::Plain, _) => self.inward(value),
            _ => refuse(COERCION),
        }
    }

    fn held(&self, specifier: &Specifier, class: &str) -> Answer<Value> {
        match (&specifier.step, class) {
            (Step::Elements { of, .. } | Step::Insertion { of, .. }, "location specifier")
            // `remove(tag, {from: task.tags})`: any specifier is accepted.
            | (Step::Elements { of, .. }, "specifier") => {
                return self.resolve(of).map(|_| Value::Missing);
            }
            // An insertion location is refused where an object is expected.
            (Step::Insertion { .. }, _) => return refuse(COERCION),
            _ => {}
        }
        match self.resolve(specifier)? {
            // Several objects, or a text, as a location: the app decides where exactly that is.
            Found::Many(_) | Found::Leaf(Value::Text(_)) if class == "location specifier" => {
                Ok(Value::Missing)
            }
            Found::One(id) if self.schema().class(class).is_none() || self.class(id).is_a(class) => {
                Ok(Value::Held(id))
            }
            _ => refuse(COERCION),
        }
    }

    /// Returns the specifier of a file manager's item at a path.
    pub(crate) fn item(&self, path: &str) -> Rc<Specifier> {
        match self.at_path(path) {
            Some(id) => self.specifier(id),
            None => {
                let of = Specifier::root(self.root());
                let of = Specifier::then(self.root(), Step::Elements { of, class: "item".into() });
                Specifier::then(self.root(), Step::Name { of, name: Value::text(path) })
            }
        }
    }

    /// Converts an event to a file manager: paths, and lists of paths, become items.
    pub(crate) fn with_items(&self, event: &Event) -> Event {
        let mut event = event.clone();
        if !matches!(event.kind, EventKind::Command(_)) {
            return event;
        }
        match event.direct.take() {
            Some(Value::File(path)) => event.target = self.item(&path),
            Some(Value::List(items)) => match self.items(&items) {
                Some(all) => event.target = Specifier::then(self.root(), Step::Each { all }),
                None => event.direct = Some(Value::List(items)),
            },
            other => event.direct = other,
        }
        for name in ["at", "to"] {
            if let Some(Value::File(path)) = event.parameters.get(name) {
                let item = Value::Object(self.item(path));
                event.parameters.insert(name.into(), item);
            }
        }
        event
    }

    fn items(&self, values: &[Value]) -> Option<Vec<Rc<Specifier>>> {
        let item = |value: &Value| match value {
            Value::File(path) => Some(self.item(path)),
            Value::Object(specifier) => Some(Rc::clone(specifier)),
            _ => None,
        };
        values.iter().map(item).collect()
    }

    /// Keeps a value as it is, but resolves its specifiers.
    pub(crate) fn inward(&self, value: &Value) -> Answer<Value> {
        Ok(match value {
            Value::Object(specifier) => Value::Held(self.object(specifier)?),
            Value::List(items) => {
                Value::List(items.iter().map(|item| self.inward(item)).collect::<Answer<_>>()?)
            }
            Value::Record(fields) => {
                let fields = fields.iter().map(|(name, field)| Ok((name.clone(), self.inward(field)?)));
                Value::Record(Box::new(fields.collect::<Answer<_>>()?))
            }
            other => other.clone(),
        })
    }

    /// Resolves a specifier to one object.
    pub(crate) fn object(&self, specifier: &Specifier) -> Answer<ObjectId> {
        match self.resolve(specifier)? {
            Found::One(id) => Ok(id),
            _ => refuse(COERCION),
        }
    }
}

/// Whether a record has a number in each of these fields.
fn has_numbers(fields: &Fields, names: &[&str]) -> bool {
    names.iter().all(|name| matches!(fields.get(*name), Some(Value::Int(_) | Value::Real(_))))
}
