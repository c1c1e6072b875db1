//! Property list files: reads their contents as objects, and writes them back.

use super::overlay::Overlay;
use crate::os_error::{Answer, COERCION, FAILED, refuse};
use crate::value::{ObjectId, Value, local_text};
use crate::world::model::{Children, Place};
use plist::Value as Plist;
use std::io::Cursor;

/// The class of a value in a property list.
pub(super) const ITEM: &str = "property list item";

/// Reads a file's contents into objects. A file that is not a property list gets none.
pub(super) fn open(overlay: &mut Overlay<'_>, file: ObjectId) {
    if overlay.model.value(file, "contents").is_some() {
        return;
    }
    let read = overlay.path_of(file).and_then(|path| read(overlay, &path));
    let contents = read.map_or(Value::Missing, |read| {
        let term = overlay.model.symbol("contents");
        Value::Held(add(overlay, Place::Property { of: file, term }, None, &read))
    });
    overlay.model.set_value(file, "contents", contents);
}

fn read(overlay: &Overlay<'_>, path: &str) -> Option<Plist> {
    Plist::from_reader(Cursor::new(overlay.session.files.read(path)?)).ok()
}

fn add(overlay: &mut Overlay<'_>, place: Place, name: Option<&str>, value: &Plist) -> ObjectId {
    let class = overlay.model.symbol(ITEM);
    let id = overlay.model.add(place);
    overlay.model.object_mut(id).class = Some(class);
    let name = name.map_or(Value::Missing, Value::text);
    for (term, value) in
        [("name", name), ("kind", Value::Class(kind(value).into())), ("value", carried(value))]
    {
        overlay.model.set_value(id, term, value);
    }
    overlay.model.set_value(id, "text", Value::text(xml(value)));
    let below: Vec<(Option<&str>, &Plist)> = match value {
        Plist::Dictionary(fields) => fields.iter().map(|(key, each)| (Some(key.as_str()), each)).collect(),
        Plist::Array(items) => items.iter().map(|each| (None, each)).collect(),
        _ => Vec::new(),
    };
    let place = Place::Element { of: id, class };
    let below: Vec<ObjectId> =
        below.into_iter().map(|(name, each)| add(overlay, place, name, each)).collect();
    overlay.model.object_mut(id).elements.push((class, Children::Own(below)));
    id
}

fn kind(value: &Plist) -> &'static str {
    match value {
        Plist::Array(_) => "list",
        Plist::Dictionary(_) => "record",
        Plist::Boolean(_) => "boolean",
        Plist::Data(_) => "data",
        Plist::Date(_) => "date",
        Plist::Integer(_) | Plist::Real(_) => "number",
        _ => "string",
    }
}

fn carried(value: &Plist) -> Value {
    match value {
        Plist::Array(items) => Value::List(items.iter().map(carried).collect()),
        Plist::Dictionary(fields) => {
            let fields = fields.iter().map(|(key, each)| (key.as_str().into(), carried(each)));
            Value::Record(Box::new(fields.collect()))
        }
        Plist::Boolean(truth) => Value::Bool(*truth),
        Plist::Integer(number) => number.as_signed().map_or(Value::Missing, Value::Int),
        Plist::Real(number) => Value::Real(*number),
        Plist::String(text) => Value::text(text.as_str()),
        Plist::Data(bytes) => {
            Value::Data(crate::value::Data { kind: "rdat".into(), bytes: bytes.clone() }.into())
        }
        Plist::Date(time) => date(&time.to_xml_format()),
        _ => Value::Missing,
    }
}

/// Converts a date from UTC, which property lists use, to local time.
fn date(text: &str) -> Value {
    let time: Option<jiff::Timestamp> = text.parse().ok();
    time.map_or(Value::Missing, |time| {
        let offset = jiff::tz::TimeZone::system().to_offset(time);
        Value::Date(time.as_second() + i64::from(offset.seconds()))
    })
}

fn listed(value: &Value) -> Answer<Plist> {
    Ok(match value {
        Value::Bool(truth) => Plist::Boolean(*truth),
        Value::Int(number) => Plist::Integer((*number).into()),
        Value::Real(number) => Plist::Real(*number),
        Value::Text(text) => Plist::String(text.to_string()),
        Value::Date(local) => Plist::Date(moment(*local).unwrap_or_else(|| std::time::UNIX_EPOCH.into())),
        Value::Data(data) => Plist::Data(data.bytes.clone()),
        Value::List(items) => Plist::Array(items.iter().map(listed).collect::<Answer<_>>()?),
        Value::Record(fields) => {
            let fields = fields.iter().map(|(key, each)| Ok((key.to_string(), listed(each)?)));
            Plist::Dictionary(fields.collect::<Answer<_>>()?)
        }
        _ => return refuse(COERCION),
    })
}

fn moment(local: i64) -> Option<plist::Date> {
    let civil: jiff::civil::DateTime = local_text(local).parse().ok()?;
    let moment = civil.to_zoned(jiff::tz::TimeZone::system()).ok()?.timestamp();
    plist::Date::from_xml_format(&moment.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()).ok()
}

fn xml(value: &Plist) -> String {
    let mut text = Vec::new();
    let written = value.to_writer_xml(&mut text);
    written.map(|()| String::from_utf8(text).unwrap_or_default()).unwrap_or_default()
}

/// Replaces a value in a file, or adds one to a dictionary in it.
pub(super) fn write(overlay: &Overlay<'_>, item: ObjectId, added: Option<&str>, value: &Value) -> Answer<()> {
    let value = listed(value)?;
    let (file, keys) = way(overlay, item);
    let path = overlay.path(file)?;
    let mut whole = read(overlay, &path).unwrap_or(Plist::Dictionary(plist::Dictionary::new()));
    if put(&mut whole, &keys, added, value).is_none() {
        return refuse(FAILED);
    }
    overlay.session.write_file(&path, xml(&whole).as_bytes()).map_err(super::writes::refused)
}

/// Puts a value at a path of keys, or under a new name there; `None` if that place does not exist.
fn put(whole: &mut Plist, keys: &[Key], added: Option<&str>, value: Plist) -> Option<()> {
    let mut at = whole;
    for key in keys {
        at = match (at, key) {
            (Plist::Dictionary(fields), Key::Name(name)) => fields.get_mut(name)?,
            (Plist::Array(items), Key::Place(place)) => items.get_mut(*place)?,
            _ => return None,
        };
    }
    match (at, added) {
        (Plist::Dictionary(fields), Some(name)) => _ = fields.insert(name.to_owned(), value),
        (Plist::Array(items), Some(_)) => items.push(value),
        (_, Some(_)) => return None,
        (at, None) => *at = value,
    }
    Some(())
}

/// Writes an empty property list.
pub(super) fn create(overlay: &Overlay<'_>, path: &str) -> Answer<()> {
    let empty = xml(&Plist::Dictionary(plist::Dictionary::new()));
    overlay.session.write_file(path, empty.as_bytes()).map_err(super::writes::refused)
}

enum Key {
    Name(String),
    Place(usize),
}

/// Returns the file that contains a value, and the path of keys to it.
fn way(overlay: &Overlay<'_>, item: ObjectId) -> (ObjectId, Vec<Key>) {
    let (mut at, mut keys) = (item, Vec::new());
    loop {
        match overlay.model.object(at).place {
            Place::Element { of, class } if &**overlay.model.name(class) == ITEM => {
                let name = overlay.model.value(at, "name").and_then(Value::as_text);
                let siblings = overlay.look(|view| view.stored(of, ITEM));
                let place = siblings.iter().position(|each| *each == at).unwrap_or_default();
                keys.push(name.map_or(Key::Place(place), |name| Key::Name(name.to_owned())));
                at = of;
            }
            Place::Property { of, .. } => {
                keys.reverse();
                return (of, keys);
            }
            _ => return (at, keys),
        }
    }
}
