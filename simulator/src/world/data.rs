//! Reads an app's data file into its arena, in one pass over the text.

use super::model::{Children, Model, Place, Symbol};
use crate::value::{Data, ObjectId, Value};
use indexmap::IndexMap;
use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::rc::Rc;

/// How dates are shifted when a world is older than its clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Shift {
    #[default]
    None,
    /// By whole days: the newest mail is from today.
    Days,
    /// By whole weeks: Tuesday's meeting stays on a Tuesday.
    Weeks,
}

impl Shift {
    /// Returns by how many seconds to shift dates, so that what was current at `anchor` is current at `now`. Both are
    /// local seconds.
    pub(crate) fn seconds(self, anchor: i64, now: i64) -> i64 {
        const DAY: i64 = 86_400;
        let day = |time: i64| time.div_euclid(DAY);
        // Weeks begin on Monday. Day 0, 1 January 1970, was a Thursday.
        let week = |time: i64| (day(time) + 3).div_euclid(7);
        match self {
            Self::None => 0,
            Self::Days => (day(now) - day(anchor)) * DAY,
            Self::Weeks => (week(now) - week(anchor)) * 7 * DAY,
        }
    }
}

/// The contents of a data file.
#[derive(Debug, Default)]
pub(crate) struct Loaded {
    pub(crate) model: Model,
    pub(crate) shift: Shift,
}

/// Reads a data file.
///
/// # Errors
/// Malformed JSON, an unknown key of the file itself, or a reference to a key that no object has.
pub(crate) fn load(text: &[u8]) -> serde_json::Result<Loaded> {
    let mut reader = Reader::default();
    // Checking the whole text for UTF-8 once is cheaper than checking each string.
    let text = std::str::from_utf8(text).map_err(serde_json::Error::custom)?;
    let mut json = serde_json::Deserializer::from_str(text);
    Seed { reader: &mut reader, part: File }.deserialize(&mut json)?;
    json.end()?;
    reader.finish()
}

#[derive(Default)]
struct Reader {
    loaded: Loaded,
    /// The keys that were referred to. A reference stores an index into this list until all keys are known.
    wanted: Vec<String>,
    /// The objects with unresolved references, in the order of their ids.
    waiting: Vec<ObjectId>,
}

/// Object ids from here on are placeholders for keys.
const PENDING: u32 = 1 << 31;

impl Reader {
    fn want(&mut self, key: String, of: Option<ObjectId>) -> Value {
        let place = u32::try_from(self.wanted.len()).expect("fewer than 2^31 references");
        self.wanted.push(key);
        self.waiting.extend(of.filter(|of| self.waiting.last() != Some(of)));
        Value::Held(ObjectId(PENDING | place))
    }

    fn finish(mut self) -> serde_json::Result<Loaded> {
        let model = &mut self.loaded.model;
        let found = self.wanted.iter().map(|key| {
            model
                .keyed(key)
                .ok_or_else(|| serde_json::Error::custom(format!("no object has the key `{key}`")))
        });
        let found: Vec<ObjectId> = found.collect::<Result<_, _>>()?;
        for id in self.waiting {
            for (_, value) in &mut model.object_mut(id).values {
                settle(value, &found);
            }
        }
        Ok(self.loaded)
    }
}

fn settle(value: &mut Value, found: &[ObjectId]) {
    match value {
        Value::Held(id) if id.0 & PENDING != 0 => *id = found[(id.0 & !PENDING) as usize],
        Value::List(items) => items.iter_mut().for_each(|item| settle(item, found)),
        Value::Record(fields) => fields.values_mut().for_each(|field| settle(field, found)),
        _ => (),
    }
}

/// A part of the file that is a JSON object and is read into the reader.
trait Part: Sized {
    type Read;
    const EXPECTED: &'static str;
    fn read<'de, A: MapAccess<'de>>(self, reader: &mut Reader, map: A) -> Result<Self::Read, A::Error>;
}

struct Seed<'a, P> {
    reader: &'a mut Reader,
    part: P,
}

impl<'de, P: Part> DeserializeSeed<'de> for Seed<'_, P> {
    type Value = P::Read;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<P::Read, D::Error> {
        from.deserialize_map(self)
    }
}

impl<'de, P: Part> Visitor<'de> for Seed<'_, P> {
    type Value = P::Read;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(P::EXPECTED)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<P::Read, A::Error> {
        self.part.read(self.reader, map)
    }
}

/// The whole file.
struct File;

impl Part for File {
    type Read = ();
    const EXPECTED: &'static str = "an app's data: an object with `running`, `shift` and `application`";

    fn read<'de, A: MapAccess<'de>>(self, reader: &mut Reader, mut map: A) -> Result<(), A::Error> {
        while let Some(Text(key)) = map.next_key()? {
            let model = &mut reader.loaded.model;
            match key.as_ref() {
                "running" => model.running = map.next_value()?,
                "shift" => reader.loaded.shift = map.next_value()?,
                "forms" => model.forms = map.next_value::<HashMap<String, String>>()?,
                "counts" => model.counts = map.next_value()?,
                "engine" => match map.next_value::<Text<'_>>()?.0.as_ref() {
                    "omnifocus" => model.omni = true,
                    "files" => model.files = true,
                    other => {
                        let expected = "there are `omnifocus` and `files`";
                        return Err(A::Error::custom(format!("unknown engine `{other}`; {expected}")));
                    }
                },
                "addresses" => model.own_class = map.next_value::<Text<'_>>()?.0 == "own class",
                "subclasses" => model.subclasses = map.next_value()?,
                "application" => {
                    map.next_value_seed(Seed { reader, part: Object(Place::Application) })?;
                }
                other => return Err(A::Error::custom(format!("unknown key `{other}` in an app's data"))),
            }
        }
        Ok(())
    }
}

/// An object, with its place in the tree.
struct Object(Place);

impl Part for Object {
    type Read = ObjectId;
    const EXPECTED: &'static str = "an object of an app";

    fn read<'de, A: MapAccess<'de>>(self, reader: &mut Reader, mut map: A) -> Result<ObjectId, A::Error> {
        let id = reader.loaded.model.add(self.0);
        let mut before = None;
        while let Some(Text(key)) = map.next_key()? {
            member(reader, id, (key, &mut before), &mut map)?;
        }
        Ok(id)
    }
}

fn member<'de, A: MapAccess<'de>>(
    reader: &mut Reader,
    id: ObjectId,
    (key, before): (Cow<'de, str>, &mut Option<Symbol>),
    map: &mut A,
) -> Result<(), A::Error> {
    let model = &mut reader.loaded.model;
    match key.as_ref() {
        "key" => {
            let key: String = map.next_value()?;
            if model.keys.insert(key.as_str().into(), id).is_some() {
                return Err(A::Error::custom(format!("two objects have the key `{key}`")));
            }
        }
        "class" => {
            let Text(class) = map.next_value()?;
            model.object_mut(id).class = Some(model.symbol(&class));
        }
        "known as" => model.object_mut(id).label = Some(map.next_value::<String>()?.into()),
        "through" => {
            let Text(term) = map.next_value()?;
            model.object_mut(id).through = Some(model.symbol(&term));
        }
        "elements" => map.next_value_seed(Seed { reader, part: Elements { of: id } })?,
        term => {
            let term = model.symbol_after(before, term);
            let read = map.next_value_seed(ValueSeed { reader, place: Place::Property { of: id, term } })?;
            keep(&mut reader.loaded.model, id, term, read);
        }
    }
    Ok(())
}

fn keep(model: &mut Model, id: ObjectId, term: Symbol, read: Read) {
    let object = model.object_mut(id);
    match read {
        Read::Value(value) => object.values.push((term, value)),
        Read::Elements(children) => object.elements.push((term, children)),
    }
}

/// A string, borrowed from the file if it has no escapes.
#[derive(serde::Deserialize)]
#[serde(transparent)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

/// The elements of an object.
struct Elements {
    of: ObjectId,
}

impl Part for Elements {
    type Read = ();
    const EXPECTED: &'static str = "lists of objects by class name";

    fn read<'de, A: MapAccess<'de>>(self, reader: &mut Reader, mut map: A) -> Result<(), A::Error> {
        while let Some(Text(class)) = map.next_key()? {
            let class = reader.loaded.model.symbol(&class);
            let place = Place::Element { of: self.of, class };
            let children = map.next_value_seed(ChildrenSeed { reader, place })?;
            reader.loaded.model.object_mut(self.of).elements.push((class, Children::Own(children)));
        }
        Ok(())
    }
}

struct ChildrenSeed<'a> {
    reader: &'a mut Reader,
    place: Place,
}

impl<'de> DeserializeSeed<'de> for ChildrenSeed<'_> {
    type Value = Vec<ObjectId>;
    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Vec<ObjectId>, D::Error> {
        from.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for ChildrenSeed<'_> {
    type Value = Vec<ObjectId>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of objects")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<ObjectId>, A::Error> {
        let mut children = Vec::new();
        let place = self.place;
        while let Some(child) =
            list.next_element_seed(Seed { reader: &mut *self.reader, part: Object(place) })?
        {
            children.push(child);
        }
        Ok(children)
    }
}

/// What is stored under a property's name.
enum Read {
    Value(Value),
    /// Not a value: elements that belong to other containers, under the name of their class.
    Elements(Children),
}

struct ValueSeed<'a> {
    reader: &'a mut Reader,
    place: Place,
}

impl<'de> DeserializeSeed<'de> for ValueSeed<'_> {
    type Value = Read;
    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Read, D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ValueSeed<'_> {
    type Value = Read;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "a value, a list, or one of `ref`, `object`, `view`, `record`, `data`, `utf16`, `union`, `those`",
        )
    }

    fn visit_bool<E>(self, value: bool) -> Result<Read, E> {
        Ok(Read::Value(Value::Bool(value)))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Read, E> {
        Ok(Read::Value(Value::Int(value)))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Read, E> {
        #[expect(clippy::cast_precision_loss, reason = "beyond 2^53 JavaScript has no exact number either")]
        Ok(Read::Value(i64::try_from(value).map_or(Value::Real(value as f64), Value::Int)))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Read, E> {
        Ok(Read::Value(Value::Real(value)))
    }

    fn visit_str<E>(self, value: &str) -> Result<Read, E> {
        Ok(Read::Value(Value::text(value)))
    }

    fn visit_unit<E>(self) -> Result<Read, E> {
        Ok(Read::Value(Value::Missing))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Read, A::Error> {
        let mut items = Vec::new();
        let place = self.place;
        while let Some(read) = list.next_element_seed(ValueSeed { reader: &mut *self.reader, place })? {
            items.push(value(read)?);
        }
        Ok(Read::Value(Value::List(items)))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Read, A::Error> {
        let Some(Text(form)) = map.next_key()? else {
            return Err(A::Error::custom("an empty object; a record is written {\"record\":{}}"));
        };
        let read = special(self.reader, self.place, &form, &mut map)?;
        if map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {
            return Err(A::Error::custom(format!("`{form}` stands alone in its object")));
        }
        Ok(read)
    }
}

fn value<E: serde::de::Error>(read: Read) -> Result<Value, E> {
    match read {
        Read::Value(value) => Ok(value),
        Read::Elements(_) => Err(E::custom("`union` and `those` stand only for an object's elements")),
    }
}

fn special<'de, A: MapAccess<'de>>(
    reader: &mut Reader,
    place: Place,
    form: &str,
    map: &mut A,
) -> Result<Read, A::Error> {
    Ok(Read::Value(match form {
        "union" => return Ok(Read::Elements(Children::Union(keys(map)?))),
        "those" => return Ok(Read::Elements(Children::Those(keys(map)?))),
        "ref" => reader.want(map.next_value()?, place.of()),
        "object" | "view" => Value::Held(map.next_value_seed(Seed { reader, part: Object(place) })?),
        "record" => map.next_value_seed(Seed { reader, part: Record(place) })?,
        "utf16" => Value::Utf16(map.next_value::<Vec<u16>>()?.into()),
        "data" => data(&map.next_value::<Text<'_>>()?.0, map)?,
        other => return Err(A::Error::custom(format!("unknown form `{other}` of a value"))),
    }))
}

fn keys<'de, A: MapAccess<'de>>(map: &mut A) -> Result<Vec<Rc<str>>, A::Error> {
    Ok(map.next_value::<Vec<String>>()?.into_iter().map(Into::into).collect())
}

fn data<'de, A: MapAccess<'de>>(base64: &str, map: &mut A) -> Result<Value, A::Error> {
    let bytes = data_encoding::BASE64.decode(base64.as_bytes()).map_err(A::Error::custom)?;
    let Some(("type", kind)) = map.next_entry::<&str, String>()? else {
        return Err(A::Error::custom("`data` is followed by its `type`"));
    };
    Ok(Value::Data(Rc::new(Data { kind: kind.into(), bytes })))
}

/// A record that is a value of an object.
struct Record(Place);

impl Part for Record {
    type Read = Value;
    const EXPECTED: &'static str = "a record";

    fn read<'de, A: MapAccess<'de>>(self, reader: &mut Reader, mut map: A) -> Result<Value, A::Error> {
        let mut fields = IndexMap::new();
        while let Some(name) = map.next_key::<String>()? {
            let read = map.next_value_seed(ValueSeed { reader, place: self.0 })?;
            fields.insert(name.into(), value(read)?);
        }
        Ok(Value::Record(Box::new(fields)))
    }
}

#[cfg(test)]
mod tests {
    use super::Shift;
    use crate::value::local_seconds;

    #[test]
    fn data_of_the_anchors_week_is_of_this_week() {
        let anchor = local_seconds("2026-01-28T09:30:00").unwrap();
        let check = |now: &str, days: i64, weeks: i64| {
            let now = local_seconds(now).unwrap();
            let moved = [Shift::None, Shift::Days, Shift::Weeks].map(|by| by.seconds(anchor, now) / 86_400);
            assert_eq!(moved, [0, days, weeks * 7], "{now}");
        };
        check("2026-01-28T09:30:00", 0, 0);
        check("2026-01-26T00:00:00", -2, 0);
        check("2026-02-01T23:59:59", 4, 0);
        check("2026-02-02T00:00:00", 5, 1);
        check("2026-02-03T12:00:00", 6, 1);
        check("2026-01-25T23:59:59", -3, -1);
        check("2027-01-25T08:00:00", 362, 52);
    }
}
