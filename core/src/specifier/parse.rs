//! Reads a [`Specifier`] from JSON. Checks only the form, without a dictionary.

use serde_json::{Map, Value as Json};

use super::{Container, Id, Specifier, SpecifierError};
use crate::filter::Filter;
use crate::words::{HIGHEST_LIMIT, RefId};

/// Bounds the recursion. Real specifiers stay far below it.
const DEEPEST: usize = 32;

const FORMS: &str = "one of application, element, named, id, property, filter, every";

impl Specifier {
    /// Reads a specifier; `place` is its name in messages, such as `specifier`.
    ///
    /// # Errors
    /// [`SpecifierError::Form`] with the place and the expected form.
    pub fn parse(json: &Json, place: &str) -> Result<Self, SpecifierError> {
        parse(json, place, 0)
    }
}

impl Container {
    /// Reads what `container` and `of` accept: a specifier, a reference id or `"application"`.
    ///
    /// # Errors
    /// [`SpecifierError::Form`] with the place and the expected form.
    pub fn parse(json: &Json, place: &str) -> Result<Self, SpecifierError> {
        container(json, place, 0)
    }
}

fn parse(json: &Json, place: &str, depth: usize) -> Result<Specifier, SpecifierError> {
    if depth > DEEPEST {
        return Err(form(place, format!("is nested deeper than {DEEPEST} levels")));
    }
    match json.as_str() {
        Some("application") => return Ok(Specifier::Application),
        Some(text) if text.starts_with("ref_") => return Err(form(place, no_form(text))),
        Some(text) => return Ok(Specifier::Text(text.to_owned())),
        None => {}
    }
    let fields = json
        .as_object()
        .ok_or_else(|| form(place, format!("expected an object with a type, got {}", kind(json))))?;
    let reader = Reader { fields, place, depth };
    match reader.text("type")?.as_str() {
        "application" => reader.only(&[]).map(|()| Specifier::Application),
        "element" => reader.only(&["element", "index", "container"]).and_then(|()| reader.element()),
        "named" => reader.only(&["element", "name", "container"]).and_then(|()| reader.named()),
        "id" => reader.only(&["element", "id", "container"]).and_then(|()| reader.id()),
        "property" => reader.only(&["property", "of"]).and_then(|()| reader.property()),
        "every" => {
            reader.only(&["element", "container", "where", "from", "to"]).and_then(|()| reader.every())
        }
        "filter" => reader
            .only(&["element", "container", "where", "limit", "last", "only"])
            .and_then(|()| reader.filter()),
        other => {
            Err(form(&reader.at("type"), format!("unknown form of specifier `{other}`; expected {FORMS}")))
        }
    }
}

/// Answers show an object as `{"reference":"ref_…","type":…}` or `{"id":"ref_…","type":…}`. A client may pass an object
/// back in these forms.
pub(crate) fn as_shown(json: &Json) -> &Json {
    let shown = json.get("reference").or_else(|| json.get("id"));
    let is_reference = |each: &&Json| each.as_str().is_some_and(|id| RefId::parse(id).is_some());
    let is_shown = json.get("element").is_none() && json.get("property").is_none();
    shown.filter(is_reference).filter(|_| is_shown).unwrap_or(json)
}

fn container(json: &Json, place: &str, depth: usize) -> Result<Container, SpecifierError> {
    let json = as_shown(json);
    match json.as_str().and_then(RefId::parse) {
        Some(id) => Ok(Container::Reference(id)),
        None => Ok(Container::Specifier(Box::new(parse(json, place, depth.max(1))?))),
    }
}

fn no_form(text: &str) -> String {
    format!("`{text}` is neither a reference that an answer gave nor \"application\" nor a specifier")
}

struct Reader<'a> {
    fields: &'a Map<String, Json>,
    place: &'a str,
    depth: usize,
}

impl Reader<'_> {
    fn element(&self) -> Result<Specifier, SpecifierError> {
        Ok(Specifier::Element {
            element: self.text("element")?,
            index: self.index("index")?,
            container: self.container("container")?,
        })
    }

    fn named(&self) -> Result<Specifier, SpecifierError> {
        let (element, name) = (self.text("element")?, self.text("name")?);
        Ok(Specifier::Named { element, name, container: self.container("container")? })
    }

    fn id(&self) -> Result<Specifier, SpecifierError> {
        let id =
            match self.field("id")? {
                Json::String(text) => Id::Text(text.clone()),
                json => Id::Number(json.as_i64().ok_or_else(|| {
                    form(&self.at("id"), format!("expected a text or an integer, got {json}"))
                })?),
            };
        Ok(Specifier::Id { element: self.text("element")?, id, container: self.container("container")? })
    }

    fn filter(&self) -> Result<Specifier, SpecifierError> {
        let limit = match self.fields.get("limit") {
            None => 1,
            Some(json) => self.limit(json)?,
        };
        let last = self.flag("last")?;
        let filter = self.condition(self.field("where")?)?;
        Ok(Specifier::Filter {
            element: self.text("element")?,
            container: self.container("container")?,
            filter,
            limit,
            last,
            only: self.flag("only")?,
        })
    }

    /// All elements, those that match, or those of a range. A filter and a range together are refused, because a script
    /// cannot ask an app for both at once.
    fn every(&self) -> Result<Specifier, SpecifierError> {
        let filter = self.fields.get("where").map(|json| self.condition(json)).transpose()?;
        let range = match (self.fields.contains_key("from"), self.fields.contains_key("to")) {
            (false, false) => None,
            _ => Some((self.index("from")?, self.index("to")?)),
        };
        if filter.is_some() && range.is_some() {
            let wrong = "`where` and a range do not go together; expected one of them".to_owned();
            return Err(form(self.place, wrong));
        }
        let container = self.container("container")?;
        Ok(Specifier::Every { element: self.text("element")?, container, filter, range })
    }

    fn index(&self, name: &str) -> Result<i32, SpecifierError> {
        let json = self.field(name)?;
        let index = json.as_i64().and_then(|index| i32::try_from(index).ok());
        let wrong =
            || form(&self.at(name), format!("expected an integer (0 is the first, -1 the last), got {json}"));
        index.ok_or_else(wrong)
    }

    fn condition(&self, json: &Json) -> Result<Filter<String>, SpecifierError> {
        let place = self.at("where");
        let filter = Filter::parse(json, &place);
        filter.map_err(|fault| {
            // The fault's message begins with the place, which the error adds itself.
            let named = format!("`{place}`: ");
            form(&place, fault.message.strip_prefix(&*named).unwrap_or(&fault.message).to_owned())
        })
    }

    /// A container is one object, so only a query's own filter may have more than one match.
    fn limit(&self, json: &Json) -> Result<usize, SpecifierError> {
        let most = if self.depth == 0 { HIGHEST_LIMIT } else { 1 };
        let limit = json.as_u64().and_then(|limit| usize::try_from(limit).ok());
        let wrong = || form(&self.at("limit"), format!("expected an integer from 1 to {most}, got {json}"));
        limit.filter(|limit| (1..=most).contains(limit)).ok_or_else(wrong)
    }

    fn property(&self) -> Result<Specifier, SpecifierError> {
        Ok(Specifier::Property { property: self.text("property")?, of: self.container("of")? })
    }

    /// A missing container means the application, because every path begins there.
    fn container(&self, name: &str) -> Result<Container, SpecifierError> {
        match self.fields.get(name) {
            None => Ok(Container::Specifier(Box::new(Specifier::Application))),
            Some(json) => container(json, &self.at(name), self.depth + 1),
        }
    }

    fn flag(&self, name: &str) -> Result<bool, SpecifierError> {
        let Some(json) = self.fields.get(name) else { return Ok(false) };
        json.as_bool()
            .ok_or_else(|| form(&self.at(name), format!("expected true or false, got {}", kind(json))))
    }

    fn text(&self, name: &str) -> Result<String, SpecifierError> {
        let json = self.field(name)?;
        let text = json.as_str().map(str::to_owned);
        text.ok_or_else(|| form(&self.at(name), format!("expected a text, got {}", kind(json))))
    }

    fn field(&self, name: &str) -> Result<&Json, SpecifierError> {
        self.fields.get(name).ok_or_else(|| form(self.place, format!("the field `{name}` is missing")))
    }

    fn only(&self, known: &[&str]) -> Result<(), SpecifierError> {
        match self.fields.keys().find(|name| *name != "type" && !known.contains(&name.as_str())) {
            None => Ok(()),
            Some(name) => {
                let expected = if known.is_empty() { "no other field".to_owned() } else { known.join(", ") };
                Err(form(&self.at(name), format!("is not a field of this form; expected {expected}")))
            }
        }
    }

    fn at(&self, name: &str) -> String {
        format!("{}.{name}", self.place)
    }
}

fn form(place: &str, wrong: String) -> SpecifierError {
    SpecifierError::Form { place: place.to_owned(), wrong }
}

fn kind(json: &Json) -> &'static str {
    match json {
        Json::Null => "null",
        Json::Bool(_) => "a boolean",
        Json::Number(_) => "a number",
        Json::String(_) => "a text",
        Json::Array(_) => "a list",
        Json::Object(_) => "an object",
    }
}
