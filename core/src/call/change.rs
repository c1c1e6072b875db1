//! The arguments of the tools that change something, and of undo.

use serde_json::Value as Json;

use super::arguments::check_names;
use super::command::replace;
use super::{Arguments, HIGHEST_OFFSET, Named, collect};
use crate::fault::{Code, Fault, wrong};
use crate::specifier::Container;
use crate::undo::Wanted;
use crate::words::RefId;

/// The arguments of `iac_mcp_set_property`.
#[derive(Clone, Debug, PartialEq)]
pub struct SetProperty {
    /// The app, in any spelling; may be left out if references determine it.
    pub app: Option<String>,
    /// The objects to change.
    pub references: Vec<Named>,
    /// Whether the call gave a list; the answer is then a list too, with errors among its items.
    pub list: bool,
    /// For each object, the index of its new values in `properties`.
    pub values: Vec<usize>,
    /// Properties with their new values.
    pub properties: Vec<Vec<NewValue>>,
    /// Whether the call says that a new value may remove a part of the object that the property does not hold.
    pub may_lose: bool,
}

/// A property and its change.
#[derive(Clone, Debug, PartialEq)]
pub struct NewValue {
    /// The property, in any spelling.
    pub property: String,
    /// The new value, or the text to add.
    pub value: Json,
    /// How it is combined with the old value.
    pub how: How,
}

/// How a new value is combined with the old one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// The new value replaces the old one.
    Set,
    /// The new value is a text that is added after the old one.
    Append,
    /// The new value is a text that is added before the old one.
    Prepend,
    /// The new value is counted from the old one: a date at a distance from it, a sum, or the opposite of
    /// true or false.
    Shift,
}

impl How {
    /// The word for it in scripts.
    pub(crate) fn in_script(self) -> &'static str {
        match self {
            Self::Set => "set",
            Self::Append => "append",
            Self::Prepend => "prepend",
            Self::Shift => "shift",
        }
    }
}

/// The argument that says that a change may remove attachments for good.
pub(crate) const LOSES: &str = "removeAttachments";

/// The arguments that give new values.
const VALUES: [&str; 5] = ["property", "value", "append", "prepend", "properties"];

/// How many objects one call may change.
pub(crate) const MOST: usize = 200;

impl SetProperty {
    pub(super) fn read(arguments: &Arguments<'_>) -> Result<Self, Fault> {
        arguments.only(&[&["app", "reference", "changes", LOSES], &VALUES[..]].concat())?;
        let app = arguments.text("app")?;
        if let Some(json) = arguments.get("changes") {
            return Self::changes(app, json, arguments);
        }
        let (references, list) = arguments.named("reference", MOST)?;
        let values = vec![0; references.len()];
        let may_lose = arguments.flag(LOSES)?.unwrap_or_default();
        Ok(Self { app, references, list, values, properties: vec![properties(arguments)?], may_lose })
    }

    /// Reads `[{"reference":…,"properties":{…}}]`: objects with values of their own.
    fn changes(app: Option<String>, json: &Json, arguments: &Arguments<'_>) -> Result<Self, Fault> {
        let others = ["reference"].into_iter().chain(VALUES);
        if let Some(other) = others.into_iter().find(|name| arguments.given(name).is_some()) {
            let message = format!("`changes` and `{other}` do not go together");
            let suggestion = "put each object with its values into `changes`";
            return Err(Fault::parameter(other, message, suggestion));
        }
        let expected = "a list of {\"reference\":…,\"properties\":{…}}";
        let items = json.as_array().filter(|items| (1..=MOST).contains(&items.len()));
        let items =
            items.ok_or_else(|| wrong("changes", &format!("{expected}, 1 to {MOST} of them"), json))?;
        let may_lose = arguments.flag(LOSES)?.unwrap_or_default();
        let (references, values, news) = Default::default();
        let mut call = Self { app, references, list: true, values, properties: news, may_lose };
        for (at, item) in items.iter().enumerate() {
            let place = format!("changes[{at}]");
            let fields = item
                .as_object()
                .ok_or_else(|| wrong(&place, "{\"reference\":…,\"properties\":{…}}", item))?;
            let here = |fault: Fault| fault.inside(&place);
            let of = Arguments::new("`changes`", fields);
            of.only(&[&["reference"], &VALUES[..]].concat()).map_err(here)?;
            let (references, _) = of.named("reference", MOST).map_err(here)?;
            call.values.extend(references.iter().map(|_| call.properties.len()));
            call.references.extend(references);
            call.properties.push(properties(&of).map_err(here)?);
        }
        Ok(call)
    }
}

impl SetProperty {
    /// Replaces the name of an object among the new values by the reference that was found for it.
    pub(crate) fn replace(&mut self, given: &Json, objects: &[Json]) {
        let values = self.properties.iter_mut().flatten();
        values.for_each(|new| replace(&mut new.value, given, objects));
    }

    /// Returns every named reference, including those inside the new values.
    pub(super) fn references(&self) -> Vec<RefId> {
        let mut found: Vec<RefId> =
            self.references.iter().flatten().flat_map(Container::references).collect();
        self.properties.iter().flatten().for_each(|new| collect(&new.value, &mut found));
        found
    }
}

/// Reads either `property` with `value`, `append` or `prepend`, or `properties`. Null is a value here, and does not
/// mean that the argument was left out.
pub(super) fn properties(arguments: &Arguments<'_>) -> Result<Vec<NewValue>, Fault> {
    let text = |name: &str, how| {
        let text = arguments.given(name).map(|json| match json {
            Json::String(text) if !text.is_empty() => Ok((json.clone(), how)),
            _ => Err(wrong(name, "a text to add", json)),
        });
        text.transpose()
    };
    let value = arguments.given("value").map(|value| (value.clone(), How::Set));
    let values = [value, text("append", How::Append)?, text("prepend", How::Prepend)?];
    let mut values = values.into_iter().flatten();
    match (arguments.text("property")?, values.next(), values.next(), arguments.get("properties")) {
        (Some(property), Some((value, how)), None, None) => Ok(vec![NewValue { property, value, how }]),
        (None, None, None, Some(json)) => {
            let fields = json.as_object().filter(|fields| !fields.is_empty());
            let fields = fields
                .ok_or_else(|| wrong("properties", "an object of properties and their new values", json))?;
            check_names("properties", fields.len())?;
            let new = |(name, value): (&String, &Json)| NewValue {
                property: name.clone(),
                value: value.clone(),
                how: How::Set,
            };
            Ok(fields.iter().map(new).collect())
        }
        _ => {
            let message =
                "expected `property` with one of `value`, `append` and `prepend`, or else `properties`";
            Err(Fault::new(Code::InvalidParameter, message, "name the property, and give its new value"))
        }
    }
}

/// Reads the request to `iac_mcp_undo`: ids, the last call, or a list.
pub(super) fn undo(arguments: &Arguments<'_>) -> Result<Wanted, Fault> {
    arguments.only(&["undo", "last", "list", "offset"])?;
    let offset = arguments.count("offset", 0, HIGHEST_OFFSET)?;
    let (last, list) =
        (arguments.flag("last")?.unwrap_or_default(), arguments.flag("list")?.unwrap_or_default());
    match (arguments.get("undo"), last, list) {
        (_, _, false) if offset.is_some() => {
            let suggestion = "leave it out, or give {\"list\":true,\"offset\":10}";
            Err(Fault::parameter("offset", "`offset` is only for `list`", suggestion))
        }
        (Some(json), false, false) => ids(json).map(Wanted::Ids),
        (None, true, false) => Ok(Wanted::Last),
        (None, false, true) => Ok(Wanted::List(offset.unwrap_or_default())),
        _ => {
            let message = "expected one of `undo` (an id or a list of them), `last` and `list`";
            let suggestion = "give {\"undo\":\"undo_…\"}, {\"last\":true} or {\"list\":true}";
            Err(Fault::parameter("undo", message, suggestion))
        }
    }
}

fn ids(json: &Json) -> Result<Vec<String>, Fault> {
    let id = |json: &Json| json.as_str().filter(|id| id.starts_with("undo_")).map(str::to_owned);
    let ids: Option<Vec<String>> = match json {
        Json::Array(items) => items.iter().map(id).collect(),
        one => id(one).map(|id| vec![id]),
    };
    let mut ids = ids.ok_or_else(|| wrong("undo", "an id such as undo_…, or a list of them", json))?;
    if ids.is_empty() || ids.len() > MOST {
        return Err(wrong("undo", &format!("1 to {MOST} ids"), &Json::from(ids.len())));
    }
    let mut seen = std::collections::BTreeSet::new();
    ids.retain(|id| seen.insert(id.clone()));
    Ok(ids)
}
