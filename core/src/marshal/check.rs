//! Checks JSON values against the types of a dictionary.

use std::sync::Arc;

use serde_json::{Map, Value as Json, json};

use super::shape::{self, Shape, shapes};
use super::{Dated, Given, Place};
use crate::dictionary::{Dictionary, Identifier, Property, RecordType, TypeExpr, names};
use crate::fault::{Code, Fault, did_you_mean};
use crate::moment::Moment;
use crate::specifier::text::Written;
use crate::specifier::{Container, Held, Member, Path, Reader, Specifier, SpecifierError, as_shown};

/// AppleScript's word for no value.
pub(crate) const MISSING: &str = "missing value";

/// Bounds the recursion. Real values stay far below it.
const DEEPEST: usize = 16;

/// The data that values are checked against.
pub(crate) struct Checker<'a, 'h> {
    pub(crate) dictionary: &'a Dictionary,
    /// Returns the path of a reference.
    pub(crate) held: &'a mut Held<'h>,
    /// The folder that `~/` means; empty if unknown.
    pub(crate) home: &'a str,
    /// The class of the object to put at the beginning or the end of a container, unless the position names it.
    pub(crate) put: Option<String>,
    /// An object among the values that only the app can identify: the client's text, and its meaning. The server must
    /// look it up before it can check the values.
    pub(crate) open: Option<(Json, Container)>,
}

/// What defines the fields of a record.
#[derive(Clone, Copy)]
pub(crate) enum Fields<'a> {
    /// Those of a class.
    Class(&'a str),
    /// Those of a record type.
    Record(&'a RecordType),
    /// Any that the dictionary knows.
    Known,
}

impl<'a> Checker<'a, '_> {
    /// Checks a value against a type; `place` is its name in messages, such as `` `to` ``.
    ///
    /// # Errors
    /// The value does not fit any alternative of the type, or it contains an unknown name or reference.
    pub(crate) fn value(&mut self, json: &Json, kind: &TypeExpr, place: &str) -> Result<Given, Fault> {
        let shapes = shapes(kind, self.dictionary);
        self.one_of(json, &shapes, place, 0)
    }

    /// Checks named values, such as the properties of a new object.
    ///
    /// # Errors
    /// The value is not an object, a name is unknown, or a value has the wrong type.
    pub(crate) fn record(&mut self, json: &Json, fields: Fields<'_>, place: &str) -> Result<Given, Fault> {
        self.fields(json, fields, place, 0)
    }

    /// Checks a value against alternatives, `depth` lists and records deep.
    ///
    /// # Errors
    /// The value is not one of them.
    pub(crate) fn one_of(
        &mut self,
        json: &Json,
        shapes: &[Shape<'_>],
        place: &str,
        depth: usize,
    ) -> Result<Given, Fault> {
        if depth > DEEPEST {
            return Err(wrong(place, &format!("values nested less than {DEEPEST} deep"), json));
        }
        if let Some(dated) = Dated::of(json) {
            let is_date = shapes.contains(&Shape::Date);
            if is_date && dated.is_skipped {
                return Err(skipped(&dated, place));
            }
            let text = if is_date { dated.date } else { dated.said };
            return self.one_of(&Json::from(text), shapes, place, depth + 1);
        }
        if let Some(meant) = json.as_str().and_then(|text| in_applescript(text, shapes)) {
            return self.one_of(&meant, shapes, place, depth + 1);
        }
        let mut first = None;
        for shape in shapes.iter().filter(|shape| shape.may_be(json)) {
            match self.shape(json, shape, place, depth) {
                Ok(given) => return Ok(given),
                Err(fault) => first = first.or(Some(fault)),
            }
        }
        // A text that fits nothing else is AppleScript's form of an object or of a place.
        if let (None, Json::String(text)) = (&first, json)
            && shapes.iter().any(|shape| matches!(shape, Shape::Object(_) | Shape::Location))
        {
            return self.text(text, shapes, place, depth);
        }
        let objects = shapes.iter().filter(|shape| matches!(shape, Shape::Object(_))).count();
        // If a value fits none of several classes, the error lists all of them.
        Err(first.filter(|fault| objects < 2 || fault.code != Code::InvalidParameter).unwrap_or_else(|| {
            nearest(no_moment(wrong(place, &shape::expected(shapes), json), shapes, json), shapes, json)
        }))
    }

    fn shape(&mut self, json: &Json, shape: &Shape<'_>, place: &str, depth: usize) -> Result<Given, Fault> {
        let refused = || wrong(place, &shape.expected(), json);
        match shape {
            Shape::Null => Ok(Given::Null),
            Shape::Bool => json.as_bool().map(Given::Bool).ok_or_else(refused),
            Shape::Integer => integer(json).ok_or_else(refused),
            Shape::Number => json.as_number().cloned().map(Given::Number).ok_or_else(refused),
            Shape::Date => json.as_str().and_then(date).map(Given::Date).ok_or_else(refused),
            Shape::File => self.file(json, place),
            Shape::Choice(choice) => {
                let found = json.as_str().and_then(|term| choice.value(term));
                found.map(|each| Given::Enumerator(each.name.clone())).ok_or_else(refused)
            }
            Shape::ClassName => self.class_name(json, place),
            Shape::Object(class) => {
                let path = self.object(json, place)?;
                let fits = class.is_none_or(|class| self.is_related(path.class(), &class.name));
                if fits { Ok(Given::Object(path)) } else { Err(other_class(place, &shape.expected(), &path)) }
            }
            Shape::Location => self.location(json, place),
            Shape::Point | Shape::Rectangle | Shape::Color => geometry(json, shape).ok_or_else(refused),
            Shape::Record(Some(record)) => self.fields(json, Fields::Record(record), place, depth),
            Shape::Properties(class) => self.fields(json, Fields::Class(&class.name), place, depth),
            Shape::Record(None) => self.fields(json, Fields::Known, place, depth),
            Shape::List(of) => self.list(json, of, place, depth),
            Shape::Text => json.as_str().map(|text| Given::Text(text.to_owned())).ok_or_else(refused),
            Shape::Any => self.any(json, place, depth),
        }
    }

    fn text(&mut self, text: &str, shapes: &[Shape<'_>], place: &str, depth: usize) -> Result<Given, Fault> {
        let refused = |error: SpecifierError| Fault::from(error).with("parameter", bare(place));
        let mut specifier = Specifier::Text(text.to_owned());
        let reader = Reader { dictionary: self.dictionary, home: self.home };
        let json = match Written::read(text, self.dictionary) {
            Ok(written @ Written::Place { .. }) => written.to_json(),
            _ => {
                specifier.read(reader).map_err(refused)?;
                specifier.to_json()
            }
        };
        let given = self.one_of(&json, shapes, place, depth + 1);
        // The server later searches the arguments for this value, so it must be as the client gave it.
        if let Some((open, _)) = &mut self.open
            && *open == json
        {
            *open = Json::from(text);
        }
        given
    }

    fn list(&mut self, json: &Json, of: &[Shape<'_>], place: &str, depth: usize) -> Result<Given, Fault> {
        let items = json.as_array().ok_or_else(|| wrong(place, "a list", json))?;
        let each = |(at, item): (usize, &Json)| self.one_of(item, of, &format!("{place}[{at}]"), depth + 1);
        items.iter().enumerate().map(each).collect::<Result<_, _>>().map(Given::List)
    }

    /// A value without a declared type is recognised by its form.
    fn any(&mut self, json: &Json, place: &str, depth: usize) -> Result<Given, Fault> {
        match json {
            Json::Null => Ok(Given::Null),
            Json::Bool(value) => Ok(Given::Bool(*value)),
            Json::Number(number) => Ok(Given::Number(number.clone())),
            json if looks_like_object(json) => self.object(json, place).map(Given::Object),
            Json::String(text) => Ok(Given::Text(text.clone())),
            Json::Array(_) => self.list(json, &[Shape::Any], place, depth),
            Json::Object(fields) => match single(fields) {
                Some(("file", path)) => self.file(path, place),
                Some(("date", Json::String(text))) => {
                    date(text).map(Given::Date).ok_or_else(|| wrong(place, &Shape::Date.expected(), json))
                }
                _ => self.fields(json, Fields::Known, place, depth),
            },
        }
    }

    fn object(&mut self, json: &Json, place: &str) -> Result<Path, Fault> {
        let json = as_shown(json);
        let refused = |error: SpecifierError| Fault::from(error).with("parameter", bare(place));
        let mut container = Container::parse(json, &bare(place)).map_err(refused)?;
        container.read(Reader { dictionary: self.dictionary, home: self.home }).map_err(refused)?;
        if container.is_open() {
            self.open.get_or_insert((json.clone(), container.clone()));
        }
        match &container {
            Container::Reference(id) => (self.held)(id),
            Container::Specifier(specifier) => {
                specifier.resolve(self.dictionary, self.held).map(|found| found.path)
            }
        }
        .map_err(refused)
    }

    fn is_related(&self, class: &str, wanted: &str) -> bool {
        let known = |class: &str| self.dictionary.classes.contains_key(class);
        !known(class) || self.dictionary.is_a(class, wanted) || self.dictionary.is_a(wanted, class)
    }

    /// Reads a place: an object, or a position in or beside one. The position may name the class of the elements;
    /// otherwise the object determines it.
    fn location(&mut self, json: &Json, place: &str) -> Result<Given, Fault> {
        let Some(position) = json.get("position") else {
            return match self.all_of(json, place) {
                Some((of, element)) => {
                    let member = self.collection(&of, Some(element), place)?;
                    Ok(Given::Place(Place::End(of, member)))
                }
                None => self.object(json, place).map(Given::Object),
            };
        };
        let of = json.get("of").unwrap_or(&Json::Null);
        let of = if of.is_null() { Path::application() } else { self.object(of, &format!("{place}.of"))? };
        let element =
            json.get("element").and_then(Json::as_str).map(str::to_owned).or_else(|| self.put.clone());
        Ok(Given::Place(match position.as_str() {
            Some("before") => Place::Before(of),
            Some("after") => Place::After(of),
            Some("beginning") => {
                let member = self.collection(&of, element, place)?;
                Place::Beginning(of, member)
            }
            Some("end") => {
                let member = self.collection(&of, element, place)?;
                Place::End(of, member)
            }
            _ => {
                return Err(wrong(
                    &format!("{place}.position"),
                    "one of beginning, end, before, after",
                    position,
                ));
            }
        }))
    }

    /// The container and the class of `tags of ref_…`. An object cannot be put into each of several objects, so this
    /// means the end of the collection.
    fn all_of(&mut self, json: &Json, place: &str) -> Option<(Path, String)> {
        let mut whole = Container::parse(as_shown(json), &bare(place)).ok()?;
        whole.read(Reader { dictionary: self.dictionary, home: self.home }).ok()?;
        let Container::Specifier(whole) = whole else { return None };
        let Specifier::Every { element, container, filter: None, range: None } = *whole else { return None };
        let of = match &container {
            _ if container.is_open() => return None,
            Container::Reference(id) => (self.held)(id).ok()?,
            Container::Specifier(of) => of.resolve(self.dictionary, self.held).ok()?.path,
        };
        Some((of, element))
    }

    fn collection(&self, of: &Path, element: Option<String>, place: &str) -> Result<Arc<Member>, Fault> {
        let element = element.ok_or_else(|| {
            let message = format!("{place}: the beginning and the end of a container need `element`, the class of the object to put there");
            Fault::parameter(bare(place), message, "add `element`")
        })?;
        Ok(of.collection(self.dictionary, &element)?)
    }

    fn class_name(&self, json: &Json, place: &str) -> Result<Given, Fault> {
        let Some(term) = json.as_str() else { return Err(wrong(place, &Shape::ClassName.expected(), json)) };
        if let Some(class) = self.dictionary.class(term) {
            return Ok(Given::Class(class.name.clone()));
        }
        if is_value_class(term) {
            return Ok(Given::Class(term.to_owned()));
        }
        let near = names::near(term, self.dictionary.classes.keys().map(String::as_str), 5);
        let message =
            format!("{place}: no class `{}`{}", crate::foreign::clean(term, 80), did_you_mean(&near));
        Err(Fault::parameter(bare(place), message, "list the classes with iac_mcp_describe_app")
            .with("near", near))
    }

    fn file(&self, json: &Json, place: &str) -> Result<Given, Fault> {
        let refused = || wrong(place, &Shape::File.expected(), json);
        let text = json.as_str().or_else(|| json.get("file").and_then(Json::as_str)).ok_or_else(refused)?;
        let path = match text.strip_prefix("~/") {
            Some(rest) if !self.home.is_empty() => format!("{}/{rest}", self.home.trim_end_matches('/')),
            None if text == "~" && !self.home.is_empty() => self.home.to_owned(),
            _ => text.to_owned(),
        };
        if path.starts_with('/') && !path.contains('\0') { Ok(Given::File(path)) } else { Err(refused()) }
    }

    fn fields(&mut self, json: &Json, of: Fields<'_>, place: &str, depth: usize) -> Result<Given, Fault> {
        let fields = json.as_object().ok_or_else(|| wrong(place, "an object", json))?;
        let mut record: Vec<(Identifier, Given)> = Vec::new();
        for (name, value) in fields {
            let place = format!("{place}.{}", crate::foreign::clean(name, 40));
            let property = self.field(name, of, &place)?;
            let identifier = Identifier::of(&property.name).ok_or_else(|| unwritable(&place))?;
            if record.iter().any(|(known, _)| *known == identifier) {
                return Err(Fault::new(
                    Code::InvalidParameter,
                    format!("{place}: this value occurs twice"),
                    "give it once",
                ));
            }
            // Every property accepts null, independent of its type.
            let kinds = shapes(&property.kind, self.dictionary);
            let is_none = |text: &str| in_applescript(text, &kinds) == Some(Json::Null);
            let given = match value {
                Json::Null => Given::Null,
                Json::String(text) if is_none(text) => Given::Null,
                value => self.one_of(value, &kinds, &place, depth + 1)?,
            };
            record.push((identifier, given));
        }
        Ok(Given::Record(record))
    }

    fn field(&self, name: &str, of: Fields<'_>, place: &str) -> Result<Property, Fault> {
        let dictionary = self.dictionary;
        let (found, known): (Option<&Property>, Vec<&str>) = match of {
            Fields::Class(class) if dictionary.class(class).is_some() => {
                let all = dictionary.properties(class);
                (dictionary.property(class, name), all.iter().map(|each| each.name.as_str()).collect())
            }
            Fields::Record(record) => {
                let alike = |each: &&Property| names::key(&each.name) == names::key(name);
                (
                    record.properties.iter().find(alike),
                    record.properties.iter().map(|each| each.name.as_str()).collect(),
                )
            }
            Fields::Class(_) | Fields::Known => (anywhere(dictionary, name), Vec::new()),
        };
        found.cloned().ok_or_else(|| {
            let near = names::near(name, known.iter().copied(), 5);
            let message = format!("{place}: no such property{}", did_you_mean(&near));
            let code =
                if matches!(of, Fields::Record(_)) { Code::InvalidParameter } else { Code::UnknownProperty };
            Fault::new(code, message, "list the properties with iac_mcp_describe_app")
                .with("parameter", bare(place))
                .with("near", near)
        })
    }
}

impl Shape<'_> {
    /// Whether it is a file, or an object of an app's own class of files.
    fn is_file(&self) -> bool {
        match self {
            Self::File => true,
            Self::Object(Some(class)) => ["file", "alias", "disk item"].contains(&class.name.as_str()),
            _ => false,
        }
    }

    /// Whether a value has the form of this alternative, so that the error of this alternative is the most useful one.
    fn may_be(&self, json: &Json) -> bool {
        match self {
            Self::Null => json.is_null(),
            Self::Bool => json.is_boolean(),
            Self::Integer => integer(json).is_some(),
            Self::Number => json.is_number(),
            Self::Date => json.as_str().is_some_and(|text| date(text).is_some()),
            Self::File => is_file(json),
            Self::Choice(choice) => json.as_str().is_some_and(|term| choice.value(term).is_some()),
            Self::ClassName => json.is_string(),
            Self::Object(_) => looks_like_object(json),
            Self::Location => looks_like_object(json) || json.get("position").is_some(),
            Self::Point | Self::Rectangle | Self::Color => geometry(json, self).is_some(),
            Self::Record(_) | Self::Properties(_) => json.is_object(),
            Self::List(_) => json.is_array(),
            Self::Text => json.is_string(),
            Self::Any => true,
        }
    }
}

fn anywhere<'a>(dictionary: &'a Dictionary, name: &str) -> Option<&'a Property> {
    let in_class = dictionary.classes.keys().find_map(|class| dictionary.property(class, name));
    let wanted = names::key(name);
    let fields = || dictionary.records.values().flat_map(|record| &record.properties);
    in_class.or_else(|| fields().find(|field| names::key(&field.name) == wanted))
}

/// Whether a value is a reference, the word `application`, a specifier, or an object in the form of an answer.
fn looks_like_object(json: &Json) -> bool {
    match as_shown(json) {
        Json::String(text) => text == "application" || crate::words::RefId::parse(text).is_some(),
        Json::Object(fields) => fields.get("type").is_some_and(|kind| {
            matches!(
                kind.as_str(),
                Some("application" | "element" | "named" | "id" | "property" | "filter" | "every")
            )
        }),
        _ => false,
    }
}

fn is_file(json: &Json) -> bool {
    let text =
        json.as_str().or_else(|| single(json.as_object()?).filter(|(name, _)| *name == "file")?.1.as_str());
    text.is_some_and(|text| text.starts_with('/') || text.starts_with("~/") || text == "~")
}

/// The value that a text of AppleScript stands for, if a plain text would mean something else: a file where a file is
/// taken, and no value where there are no texts. A file that may be an object is read as one, so that a person sees
/// what it holds.
fn in_applescript(text: &str, shapes: &[Shape<'_>]) -> Option<Json> {
    if text == MISSING {
        let takes_text = shapes.iter().any(|shape| matches!(shape, Shape::Text | Shape::Any));
        return (!takes_text || shapes.contains(&Shape::Null)).then_some(Json::Null);
    }
    // A property that holds a path as text also takes the file: a desktop picture of System Events.
    let takes_path = shapes.contains(&Shape::Text) && shapes.iter().any(Shape::is_file);
    if !takes_path && shapes.iter().any(|shape| matches!(shape, Shape::Object(_) | Shape::Location)) {
        return None;
    }
    let word = ["POSIX file ", "file ", "alias "]
        .into_iter()
        .find(|word| text.get(..word.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(word)))?;
    let path = text[word.len()..].trim().strip_prefix('"')?.strip_suffix('"')?;
    if !is_file(&json!(path)) || path.contains('"') {
        return None;
    }
    match shapes.contains(&Shape::File) {
        true => Some(json!({ "file": path })),
        false => takes_path.then(|| json!(path)),
    }
}

fn single(fields: &Map<String, Json>) -> Option<(&str, &Json)> {
    let mut all = fields.iter();
    all.next().filter(|_| fields.len() == 1).map(|(name, value)| (name.as_str(), value))
}

/// Names of classes of values, which dictionaries use without defining them.
fn is_value_class(term: &str) -> bool {
    matches!(
        term,
        "text" | "integer" | "real" | "boolean" | "date" | "list" | "record" | "file" | "alias" | "data"
    )
}

/// An integer, even if it is written as `3.0`.
fn integer(json: &Json) -> Option<Given> {
    let number = json.as_i64().or_else(|| json.as_f64().and_then(|real| whole(real).as_i64()))?;
    Some(Given::Number(number.into()))
}

/// A point, a rectangle or a colour. JavaScript for Automation refuses lists for the first two, so AppleScript's lists
/// become records: `{x, y}`, and `{left, top, right, bottom}`.
fn geometry(json: &Json, shape: &Shape<'_>) -> Option<Given> {
    let fields: &[&str] = match shape {
        Shape::Point => &["x", "y"],
        Shape::Rectangle => &["x", "y", "width", "height"],
        _ => &[],
    };
    let number = |json: &Json| json.as_number().cloned().map(Given::Number);
    if let Some(items) = json.as_array() {
        let as_record = |values: Vec<Json>| -> Option<Given> {
            let named = fields.iter().zip(values).map(|(name, value)| ((*name).to_owned(), value));
            geometry(&Json::Object(named.collect()), shape)
        };
        return match (shape, &items[..]) {
            (Shape::Color, [_, _, _]) => items.iter().map(number).collect::<Option<_>>().map(Given::List),
            (Shape::Point, [_, _]) => as_record(items.clone()),
            (Shape::Rectangle, [left, top, right, bottom]) => {
                let length = |from: &Json, to: &Json| {
                    Some(to.as_f64()? - from.as_f64()?).filter(|length| *length >= 0.0)
                };
                let (width, height) = (length(left, right)?, length(top, bottom)?);
                as_record(vec![left.clone(), top.clone(), whole(width), whole(height)])
            }
            _ => None,
        };
    }
    let given = json.as_object().filter(|given| !fields.is_empty() && given.len() == fields.len())?;
    let field = |name: &&str| Some((Identifier::of(name)?, number(given.get(*name)?)?));
    fields.iter().map(field).collect::<Option<_>>().map(Given::Record)
}

/// A number without a fraction if it has none.
fn whole(number: f64) -> Json {
    if number.fract() == 0.0 && number.abs() < 9e15 { json!(number as i64) } else { json!(number) }
}

/// Reads a date, or a date and time. Without an offset, it is in the time zone of the Mac.
///
/// Returns a text that every JavaScript engine reads in the same way: without fractions of a millisecond, with an
/// offset of less than a day.
pub(crate) fn date(text: &str) -> Option<String> {
    if let Ok(stamp) = text.parse::<jiff::Timestamp>() {
        return zoned(text, stamp);
    }
    // JavaScript would ignore the name of a time zone in brackets.
    let local = text.parse::<jiff::civil::DateTime>().ok().filter(|_| !text.contains('['))?;
    Some(local.strftime("%Y-%m-%dT%H:%M:%S").to_string())
}

fn zoned(text: &str, stamp: jiff::Timestamp) -> Option<String> {
    let stamp = jiff::Timestamp::from_millisecond(stamp.as_millisecond()).ok()?;
    let offset = jiff::fmt::temporal::Pieces::parse(text).ok()?.to_numeric_offset()?;
    let digits = if stamp.subsec_millisecond() == 0 { 0 } else { 3 };
    let written = if text.ends_with(['Z', 'z']) {
        format!("{stamp:.digits$}")
    } else {
        format!("{:.digits$}", stamp.display_with_offset(offset))
    };
    (offset.seconds().abs() < FARTHEST).then_some(written)
}

/// A limit on the offset of a time zone from UTC, in seconds. Every real offset is smaller.
const FARTHEST: i32 = 16 * 60 * 60;

/// The error for a value of the wrong type.
fn wrong(place: &str, expected: &str, got: &Json) -> Fault {
    let shown = crate::foreign::clean(&got.to_string(), 80);
    let message = format!("{place}: expected {expected}, got {shown}");
    Fault::parameter(bare(place), message, format!("give {expected}")).with("expected", expected)
}

/// Adds the correct form to the error, if the value is words about a time.
fn no_moment(fault: Fault, shapes: &[Shape<'_>], got: &Json) -> Fault {
    let text = got.as_str().filter(|_| shapes.contains(&Shape::Date));
    let instead = text.and_then(no_such_day).or_else(|| text.and_then(Moment::instead).map(str::to_owned));
    match instead {
        Some(suggestion) => Fault { suggestion, ..fault },
        None => fault,
    }
}

/// What is wrong with a day that its month does not have: `2027-02 has 28 days`.
fn no_such_day(text: &str) -> Option<String> {
    let number = |part: Option<&str>| part?.parse::<i16>().ok();
    let (year, month, day) = (number(text.get(..4))?, number(text.get(5..7))?, number(text.get(8..10))?);
    let days = jiff::civil::Date::new(year, i8::try_from(month).ok()?, 1).ok()?.days_in_month();
    let is_date = text.get(4..5) == Some("-") && text.get(7..8) == Some("-");
    (is_date && day > i16::from(days)).then(|| format!("{} has {days} days", &text[..7]))
}

/// Adds suggestions to the error, if longer names of values begin with the given words. A write does not guess which
/// value was meant.
fn nearest(fault: Fault, shapes: &[Shape<'_>], got: &Json) -> Fault {
    let term = got.as_str().unwrap_or_default();
    let choices = shapes.iter().filter_map(|shape| match shape {
        Shape::Choice(choice) => Some(choice),
        _ => None,
    });
    let near: Vec<String> =
        choices.flat_map(|choice| choice.longer(term)).map(|each| each.name.clone()).collect();
    if near.is_empty() {
        return fault;
    }
    Fault { message: format!("{}{}", fault.message, did_you_mean(&near)), ..fault }.with("near", near)
}

/// The error for a local time that does not exist, because the Mac's clock skips it.
fn skipped(dated: &Dated, place: &str) -> Fault {
    let Dated { date, said, .. } = dated;
    let message = format!(
        "{place}: there is no {said} in the time zone of this Mac, because its clocks are set forward then"
    );
    let suggestion = format!("give a time that exists, such as {date}");
    Fault::new(Code::InvalidParameter, message, suggestion)
        .with("parameter", bare(place))
        .with("exists", date.as_str())
}

fn other_class(place: &str, expected: &str, path: &Path) -> Fault {
    let message = format!("{place}: expected {expected}, got {path}");
    Fault::parameter(bare(place), message, format!("give {expected}")).with("expected", expected)
}

fn unwritable(place: &str) -> Fault {
    let message = format!("{place}: its name cannot be written in JavaScript for Automation");
    Fault::parameter(bare(place), message, "leave it out")
}

/// A place without the backticks that messages put around it.
fn bare(place: &str) -> String {
    place.replace('`', "")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dictionary::TypeRef;
    use crate::marshal::as_meant;

    /// Checks a value against types. `shown` is the value as a question shows it, or the suggestion of the error.
    #[track_caller]
    fn check(kinds: &[&str], given: Json, shown: Json) {
        let kind = |name: &&str| TypeRef { name: (*name).to_owned(), ..TypeRef::default() };
        let kind = kinds.iter().map(kind).collect();
        let mut held = |_: &_| panic!("no reference");
        let dictionary = &Dictionary::default();
        let mut checker = Checker { dictionary, held: &mut held, home: "/Users/alex", put: None, open: None };
        let is = match checker.value(&given, &TypeExpr(kind), "`x`") {
            Ok(value) => as_meant(&given, &value),
            Err(fault) => fault.to_json()["suggestion"].clone(),
        };
        assert_eq!(is, shown, "{kinds:?} {given}");
    }

    #[test]
    fn values_in_the_words_of_applescript() {
        let file = json!("/a b.jpg");
        for said in ["POSIX file \"/a b.jpg\"", "posix file \"/a b.jpg\"", "alias \"/a b.jpg\""] {
            check(&["text", "file"], json!(said), file.clone());
            check(&["file"], json!(said), file.clone());
            check(&["text"], json!(said), json!(said));
        }
        check(&["text", "file"], json!("file \"Macintosh HD:a\""), json!("file \"Macintosh HD:a\""));
        check(&["date", "missing value"], json!("missing value"), json!(null));
        for text in ["2027-02-29", "2027-02-29 10:00"] {
            check(&["date"], json!(text), json!("2027-02 has 28 days"));
        }
        check(&["text"], json!("missing value"), json!("missing value"));
        // A file that may be an object is read as one: this dictionary has none.
        check(&["specifier"], json!("POSIX file \"/a b.jpg\""), json!("name an object of the app"));
    }

    #[test]
    fn edges_become_an_origin_and_a_size() {
        check(&["rectangle"], json!([10, 20, 30, 60]), json!({"x": 10, "y": 20, "width": 20, "height": 40}));
        check(&["rectangle"], json!([0.5, 0, 1, 2]), json!({"x": 0.5, "y": 0, "width": 0.5, "height": 2}));
        check(&["point"], json!([1, 2]), json!({"x": 1, "y": 2}));
        let expected = "give a rectangle {\"x\":…,\"y\":…,\"width\":…,\"height\":…}";
        for wrong in [json!([30, 20, 10, 60]), json!([1, 2, 3]), json!({"x": 1})] {
            check(&["rectangle"], wrong, json!(expected));
        }
    }
}
