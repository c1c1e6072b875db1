//! Reads an app's data file into its arena.

use super::model::{Children, Counted, Model, Place, Symbol};
use crate::value::{Data, ObjectId, Value};
use serde::de::{Deserialize, Error as _};
use serde_json::{Map, Result, Value as Json, from_value};
use std::collections::HashMap;
use std::fmt::Display;
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

/// A data file as it is written.
#[derive(Default, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
struct File {
    running: bool,
    shift: Shift,
    forms: HashMap<String, String>,
    counts: HashMap<String, HashMap<String, Counted>>,
    engine: Option<Engine>,
    addresses: String,
    subclasses: bool,
    application: Option<Members>,
}

#[derive(PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
enum Engine {
    OmniFocus,
    Files,
}

type Members = Map<String, Json>;

/// Reads a data file.
///
/// # Errors
/// Malformed JSON, an unknown key of the file itself, or a reference to a key that no object has.
pub(crate) fn load(text: &[u8]) -> Result<Loaded> {
    let file: File = serde_json::from_slice(text)?;
    let mut reader = Reader::default();
    let model = &mut reader.model;
    model.running = file.running;
    model.forms = file.forms;
    model.counts = file.counts;
    model.omni = file.engine == Some(Engine::OmniFocus);
    model.files = file.engine == Some(Engine::Files);
    model.own_class = file.addresses == "own class";
    model.subclasses = file.subclasses;
    if let Some(application) = file.application {
        reader.object(Place::Application, application)?;
    }
    Ok(Loaded { model: reader.finish()?, shift: file.shift })
}

#[derive(Default)]
struct Reader {
    model: Model,
    /// The keys that were referred to. A reference stores an index into this list until all keys are known.
    wanted: Vec<String>,
    /// The objects with unresolved references, in the order of their ids.
    waiting: Vec<ObjectId>,
}

/// Object ids from here on are placeholders for keys.
const PENDING: u32 = 1 << 31;

impl Reader {
    fn object(&mut self, place: Place, members: Members) -> Result<ObjectId> {
        let id = self.model.add(place);
        let mut before = None;
        for (key, value) in members {
            self.member(id, &key, &mut before, value)?;
        }
        Ok(id)
    }

    fn member(&mut self, id: ObjectId, key: &str, before: &mut Option<Symbol>, value: Json) -> Result<()> {
        let model = &mut self.model;
        match key {
            "key" => {
                let key: String = from_value(value)?;
                if model.keys.insert(key.as_str().into(), id).is_some() {
                    return Err(error(format!("two objects have the key `{key}`")));
                }
            }
            "class" => model.object_mut(id).class = Some(model.symbol(&from_value::<String>(value)?)),
            "known as" => model.object_mut(id).label = Some(from_value::<String>(value)?.into()),
            "through" => model.object_mut(id).through = Some(model.symbol(&from_value::<String>(value)?)),
            "elements" => {
                for (class, children) in object(value)? {
                    let class = self.model.symbol(&class);
                    let place = Place::Element { of: id, class };
                    let Json::Array(children) = children else {
                        return Err(error("expected a list of objects"));
                    };
                    let children = children.into_iter().map(|child| self.object(place, object(child)?));
                    let children = Children::Own(children.collect::<Result<_>>()?);
                    self.model.object_mut(id).elements.push((class, children));
                }
            }
            term => {
                let term = model.symbol_after(before, term);
                match shared(&value)? {
                    Some(children) => model.object_mut(id).elements.push((term, children)),
                    None => {
                        let value = self.value(Place::Property { of: id, term }, value)?;
                        self.model.object_mut(id).values.push((term, value));
                    }
                }
            }
        }
        Ok(())
    }

    fn value(&mut self, place: Place, json: Json) -> Result<Value> {
        Ok(match json {
            Json::Null => Value::Missing,
            Json::Bool(value) => Value::Bool(value),
            // Beyond 2^53 JavaScript has no exact number either.
            Json::Number(number) => {
                number.as_i64().map_or_else(|| Value::Real(number.as_f64().unwrap_or_default()), Value::Int)
            }
            Json::String(text) => Value::text(text),
            Json::Array(items) => {
                let items = items.into_iter().map(|item| self.value(place, item));
                Value::List(items.collect::<Result<_>>()?)
            }
            Json::Object(form) => self.special(place, form)?,
        })
    }

    /// Reads a value that JSON has no form for.
    fn special(&mut self, place: Place, form: Members) -> Result<Value> {
        let mut form = form.into_iter();
        let Some((name, value)) = form.next() else {
            return Err(error("an empty object; a record is written {\"record\":{}}"));
        };
        let read = match name.as_str() {
            "ref" => self.want(from_value(value)?, place.of()),
            "object" | "view" => Value::Held(self.object(place, object(value)?)?),
            "record" => {
                let fields = object(value)?.into_iter();
                let fields = fields.map(|(name, field)| Ok((name.into(), self.value(place, field)?)));
                Value::Record(Box::new(fields.collect::<Result<_>>()?))
            }
            "utf16" => Value::Utf16(from_value::<Vec<u16>>(value)?.into()),
            "data" => {
                let base64: String = from_value(value)?;
                let bytes = data_encoding::BASE64.decode(base64.as_bytes()).map_err(error)?;
                let kind = form.next().filter(|(key, _)| key == "type");
                let (_, kind) = kind.ok_or_else(|| error("`data` is followed by its `type`"))?;
                Value::Data(Rc::new(Data { kind: from_value::<String>(kind)?.into(), bytes }))
            }
            "union" | "those" => {
                return Err(error("`union` and `those` stand only for an object's elements"));
            }
            other => return Err(error(format!("unknown form `{other}` of a value"))),
        };
        match form.next() {
            Some(_) => Err(error(format!("`{name}` stands alone in its object"))),
            None => Ok(read),
        }
    }

    fn want(&mut self, key: String, of: Option<ObjectId>) -> Value {
        let place = u32::try_from(self.wanted.len()).expect("fewer than 2^31 references");
        self.wanted.push(key);
        self.waiting.extend(of.filter(|of| self.waiting.last() != Some(of)));
        Value::Held(ObjectId(PENDING | place))
    }

    fn finish(mut self) -> Result<Model> {
        let model = &mut self.model;
        let found = self
            .wanted
            .iter()
            .map(|key| model.keyed(key).ok_or_else(|| error(format!("no object has the key `{key}`"))));
        let found: Vec<ObjectId> = found.collect::<Result<_>>()?;
        for id in self.waiting {
            for (_, value) in &mut model.object_mut(id).values {
                settle(value, &found);
            }
        }
        Ok(self.model)
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

/// Reads elements that belong to other containers, under the name of their class; `None` for a value.
fn shared(json: &Json) -> Result<Option<Children>> {
    let keys = |keys: &Json| Ok(Vec::<String>::deserialize(keys)?.into_iter().map(Into::into).collect());
    Ok(match json.as_object().filter(|form| form.len() == 1).and_then(|form| form.iter().next()) {
        Some((form, value)) if form == "union" => Some(Children::Union(keys(value)?)),
        Some((form, value)) if form == "those" => Some(Children::Those(keys(value)?)),
        _ => None,
    })
}

fn object(json: Json) -> Result<Members> {
    match json {
        Json::Object(members) => Ok(members),
        other => Err(error(format!("expected an object and not `{other}`"))),
    }
}

fn error(message: impl Display) -> serde_json::Error {
    serde_json::Error::custom(message)
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
