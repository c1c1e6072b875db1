//! Values as JSON for the journal and snapshots: strings, numbers and lists as they are, everything else under a key.

use crate::value::{Data, ObjectId, Value};
use indexmap::IndexMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::rc::Rc;

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Stored {
    Nothing,
    Bool(bool),
    Int(i64),
    Real(f64),
    Text(Rc<str>),
    List(Vec<Value>),
    Other(Other),
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Other {
    Utf16(Vec<u16>),
    Date(i64),
    File(Rc<str>),
    Enumerator(Rc<str>),
    Class(Rc<str>),
    Data(Rc<str>, Vec<u8>),
    Record(IndexMap<Rc<str>, Value>),
    Held(u32),
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Missing => Stored::Nothing,
            Self::Bool(truth) => Stored::Bool(*truth),
            Self::Int(number) => Stored::Int(*number),
            Self::Real(number) => Stored::Real(*number),
            Self::Text(text) => Stored::Text(Rc::clone(text)),
            Self::List(items) => Stored::List(items.clone()),
            Self::Utf16(units) => Stored::Other(Other::Utf16(units.to_vec())),
            Self::Date(time) => Stored::Other(Other::Date(*time)),
            Self::File(path) => Stored::Other(Other::File(Rc::clone(path))),
            Self::Enumerator(name) => Stored::Other(Other::Enumerator(Rc::clone(name))),
            Self::Class(name) => Stored::Other(Other::Class(Rc::clone(name))),
            Self::Data(data) => Stored::Other(Other::Data(Rc::clone(&data.kind), data.bytes.clone())),
            Self::Record(fields) => Stored::Other(Other::Record((**fields).clone())),
            Self::Held(id) => Stored::Other(Other::Held(id.0)),
            Self::Object(_) => {
                return Err(serde::ser::Error::custom("a specifier is resolved before it is kept"));
            }
        }
        .serialize(to)
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Ok(match Stored::deserialize(from)? {
            Stored::Nothing => Self::Missing,
            Stored::Bool(truth) => Self::Bool(truth),
            Stored::Int(number) => Self::Int(number),
            Stored::Real(number) => Self::Real(number),
            Stored::Text(text) => Self::Text(text),
            Stored::List(items) => Self::List(items),
            Stored::Other(Other::Utf16(units)) => Self::Utf16(units.into()),
            Stored::Other(Other::Date(time)) => Self::Date(time),
            Stored::Other(Other::File(path)) => Self::File(path),
            Stored::Other(Other::Enumerator(name)) => Self::Enumerator(name),
            Stored::Other(Other::Class(name)) => Self::Class(name),
            Stored::Other(Other::Data(kind, bytes)) => Self::Data(Rc::new(Data { kind, bytes })),
            Stored::Other(Other::Record(fields)) => Self::Record(Box::new(fields)),
            Stored::Other(Other::Held(id)) => Self::Held(ObjectId(id)),
        })
    }
}
