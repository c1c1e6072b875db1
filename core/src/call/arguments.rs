//! Typed reading of a tool's arguments. Every error names the argument and the expected value.

use serde_json::{Map, Value as Json};

use super::{Named, Stranger};
use crate::dictionary::names;
use crate::fault::{Code, Fault, did_you_mean, wrong};
use crate::foreign::clean;
use crate::specifier::{Container, as_shown, quoted};
use crate::words::{LONGEST_TEXT, RefId, TextWindow};

/// The arguments of one tool call.
#[derive(Clone)]
pub(crate) struct Arguments<'a> {
    tool: &'a str,
    fields: &'a Map<String, Json>,
}

impl<'a> Arguments<'a> {
    pub(crate) fn new(tool: &'a str, fields: &'a Map<String, Json>) -> Self {
        Self { tool, fields }
    }

    pub(crate) fn tool(&self) -> &'a str {
        self.tool
    }

    /// Refuses arguments that the tool does not have.
    pub(crate) fn only(&self, known: &[&str]) -> Result<(), Fault> {
        let Some(unknown) = self.fields.keys().find(|name| !known.contains(&name.as_str())) else {
            return Ok(());
        };
        let near = names::near(unknown, known.iter().copied(), 1);
        let message = format!("{} has no argument `{unknown}`{}", self.tool, did_you_mean(&near));
        let suggestion = match known {
            [] => "call it without arguments".to_owned(),
            known => format!("its arguments are {}", known.join(", ")),
        };
        Err(Fault::parameter(unknown.as_str(), message, suggestion))
    }

    /// Checks that no term in the arguments is too long, wherever it stands. A long one would be compared with every
    /// term of the dictionary.
    pub(crate) fn check_terms(&self) -> Result<(), Fault> {
        self.fields.iter().try_for_each(|(name, value)| {
            // `only` refuses an unknown argument.
            let name = clean(name, 40);
            check_terms(&name, value)
        })
    }

    /// Returns an argument; null counts as left out.
    pub(crate) fn get(&self, name: &str) -> Option<&'a Json> {
        self.fields.get(name).filter(|json| !json.is_null())
    }

    /// Returns an argument for which null is a value.
    pub(crate) fn given(&self, name: &str) -> Option<&'a Json> {
        self.fields.get(name)
    }

    pub(crate) fn required(&self, name: &str) -> Result<&'a Json, Fault> {
        self.get(name).ok_or_else(|| {
            let message = format!("{} needs the argument `{name}`", self.tool);
            Fault::parameter(name, message, format!("add `{name}`"))
        })
    }

    pub(crate) fn text(&self, name: &str) -> Result<Option<String>, Fault> {
        self.get(name).map(|json| text(name, json)).transpose()
    }

    pub(crate) fn required_text(&self, name: &str) -> Result<String, Fault> {
        text(name, self.required(name)?)
    }

    pub(crate) fn texts(&self, name: &str) -> Result<Option<Vec<String>>, Fault> {
        let Some(json) = self.get(name) else { return Ok(None) };
        let items = json.as_array().ok_or_else(|| wrong(name, "a list of texts", json))?;
        check_count(name, items)?;
        let one = |item: &Json| match item {
            Json::String(_) => text(name, item),
            _ => Err(wrong(name, "a list of texts", json)),
        };
        items.iter().map(one).collect::<Result<_, _>>().map(Some)
    }

    /// Reads a list of texts, or one text with commas, because no term contains a comma.
    pub(crate) fn one_or_more_texts(&self, name: &str) -> Result<Option<Vec<String>>, Fault> {
        match self.get(name) {
            Some(Json::String(_)) => {
                let text = self.required_text(name)?;
                let names: Vec<&str> = text.split(',').map(str::trim).collect();
                check_count(name, &names)?;
                Ok(Some(names.into_iter().map(str::to_owned).collect()))
            }
            _ => self.texts(name),
        }
    }

    pub(crate) fn flag(&self, name: &str) -> Result<Option<bool>, Fault> {
        let Some(json) = self.get(name) else { return Ok(None) };
        let flag = json.as_bool().or_else(|| json.as_str()?.parse().ok());
        flag.map(Some).ok_or_else(|| wrong(name, "true or false", json))
    }

    pub(crate) fn object(&self, name: &str) -> Result<Option<Map<String, Json>>, Fault> {
        let Some(json) = self.get(name) else { return Ok(None) };
        json.as_object().cloned().map(Some).ok_or_else(|| wrong(name, "an object", json))
    }

    pub(crate) fn count(&self, name: &str, least: usize, most: usize) -> Result<Option<usize>, Fault> {
        let Some(json) = self.get(name) else { return Ok(None) };
        // Some models write numbers as texts.
        let count = json.as_u64().or_else(|| json.as_str()?.trim().parse().ok());
        let count = count.and_then(|count| usize::try_from(count).ok());
        let count = count.filter(|count| (least..=most).contains(count));
        count.map(Some).ok_or_else(|| wrong(name, &format!("an integer from {least} to {most}"), json))
    }

    /// Reads one reference or a list of them.
    pub(crate) fn references(&self, name: &str) -> Result<Vec<RefId>, Fault> {
        let json = self.required(name)?;
        match json.as_array() {
            None => Ok(vec![reference(json, name)?]),
            Some(items) if items.is_empty() => Err(wrong(name, "at least one reference", &Json::from(0))),
            Some(items) => items.iter().map(|json| reference(json, name)).collect(),
        }
    }

    /// Reads one object in any form, or a list of them. In a list, an entry that is not an object gets its own error.
    /// If it is the only one, the call fails.
    pub(crate) fn named(&self, name: &str, most: usize) -> Result<(Vec<Named>, bool), Fault> {
        let json = self.required(name)?;
        let one = |json: &Json| object(json, name).map_err(|fault| Stranger { given: json.clone(), fault });
        match json.as_array() {
            None => Ok((vec![Ok(object(json, name)?)], false)),
            Some(items) if items.is_empty() || items.len() > most => {
                Err(wrong(name, &format!("1 to {most} references"), &Json::from(items.len())))
            }
            Some(items) => Ok((items.iter().map(one).collect(), true)),
        }
    }

    /// Reads `[{"property":…,"order":"asc"|"desc"}]`; a single object or name is taken as a list of one.
    pub(crate) fn sort(&self, name: &str) -> Result<Vec<(String, bool)>, Fault> {
        match self.get(name) {
            None => Ok(Vec::new()),
            Some(Json::Array(items)) => {
                check_count(name, items)?;
                items.iter().map(|item| sort_key(name, item)).collect()
            }
            Some(item) => Ok(vec![sort_key(name, item)?]),
        }
    }

    pub(crate) fn window(&self, limit: usize) -> Result<TextWindow, Fault> {
        Ok(TextWindow {
            offset: self.count("textOffset", 0, HIGHEST_OFFSET)?.unwrap_or_default(),
            limit: self.count("textLimit", 1, LONGEST_TEXT)?.unwrap_or(limit),
        })
    }
}

/// The largest index. A script cannot count more elements or characters than this.
pub(crate) const HIGHEST_OFFSET: usize = u32::MAX as usize;

/// Names of apps, commands and properties, and words to search for, are short. A long one would be compared with every
/// term of every dictionary.
const LONGEST_NAME: usize = 10_000;

/// How many names a list of properties has. A class has fewer properties. Every name is looked up, and compared with
/// the others.
const MOST_NAMES: usize = 200;

/// Fields that hold a term wherever they stand in the arguments.
const TERMS: [&str; 3] = ["property", "element", "class"];

fn check_count<T>(name: &str, items: &[T]) -> Result<(), Fault> {
    check_names(name, items.len())
}

/// Checks the number of properties that an argument names.
pub(super) fn check_names(name: &str, count: usize) -> Result<(), Fault> {
    if count <= MOST_NAMES {
        return Ok(());
    }
    let message = format!("`{name}`: expected at most {MOST_NAMES} names, got {count}");
    Err(Fault::parameter(name, message, "name each property once, or make several calls"))
}

/// Checks the length of every term in a value: the names of its fields, and the fields that hold one.
fn check_terms(place: &str, json: &Json) -> Result<(), Fault> {
    match json {
        Json::Array(items) => items.iter().try_for_each(|item| check_terms(place, item)),
        Json::Object(fields) => fields.iter().try_for_each(|(name, value)| {
            check_length(place, name)?;
            match value {
                Json::String(term) if TERMS.contains(&name.as_str()) => check_length(place, term),
                value => check_terms(place, value),
            }
        }),
        _ => Ok(()),
    }
}

fn check_length(name: &str, term: &str) -> Result<(), Fault> {
    if term.len() <= LONGEST_NAME {
        return Ok(());
    }
    let message =
        format!("`{name}`: expected names with at most {LONGEST_NAME} bytes, got one with {}", term.len());
    Err(Fault::parameter(name, message, "give a shorter name"))
}

fn text(name: &str, json: &Json) -> Result<String, Fault> {
    match json.as_str() {
        Some(text) if text.len() <= LONGEST_NAME => Ok(text.to_owned()),
        Some(text) => {
            let message = format!("`{name}`: expected at most {LONGEST_NAME} bytes, got {}", text.len());
            Err(Fault::parameter(name, message, "give a shorter text"))
        }
        None => Err(wrong(name, "a text", json)),
    }
}

/// Reads a reference, even in the form that answers have: `{"id":"ref_…","type":…}`.
fn reference(json: &Json, name: &str) -> Result<RefId, Fault> {
    let text = as_shown(json).as_str().ok_or_else(|| wrong(name, "a reference such as ref_…", json))?;
    RefId::parse(text).ok_or_else(|| never_issued(text))
}

/// Reads an object in any form: a reference, a specifier, or a text.
fn object(json: &Json, name: &str) -> Result<Container, Fault> {
    match as_shown(json) {
        Json::String(text) if text.starts_with("ref_") => reference(json, name).map(Container::Reference),
        Json::String(_) | Json::Object(_) => Ok(Container::parse(json, name)?),
        _ => Err(wrong(name, "a reference such as ref_…, a specifier, or a text such as `inbox`", json)),
    }
}

/// The error for a text that no reference ever had.
fn never_issued(text: &str) -> Fault {
    let message = format!("the reference {} is unknown: the server never issued it", quoted(text));
    Fault::new(Code::ReferenceInvalid, message, "query the object again using iac_mcp_query_object")
        .with("reference", text)
}

fn sort_key(name: &str, item: &Json) -> Result<(String, bool), Fault> {
    let expected = "a list of {\"property\":…,\"order\":\"asc\" or \"desc\"}";
    if let Some(text) = item.as_str() {
        let words = [(" descending", true), (" desc", true), (" ascending", false), (" asc", false)];
        let found = words.iter().find_map(|(word, down)| Some((text.strip_suffix(word)?.to_owned(), *down)));
        return Ok(found.unwrap_or_else(|| (text.to_owned(), false)));
    }
    let property = item.get("property").and_then(Json::as_str).ok_or_else(|| wrong(name, expected, item))?;
    let descending = match item.get("order").map(|order| order.as_str().unwrap_or_default()) {
        None | Some("asc" | "ascending") => false,
        Some("desc" | "descending") => true,
        Some(_) => return Err(wrong(name, expected, item)),
    };
    Ok((property.to_owned(), descending))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_list_of_names_has_a_bound() {
        let names = |count: usize| vec!["name"; count];
        let fields = json!({
            "properties": names(MOST_NAMES),
            "groupBy": names(MOST_NAMES + 1),
            "aggregate": names(MOST_NAMES + 1).join(","),
            "sort": names(MOST_NAMES + 1),
            "long": ["x".repeat(LONGEST_NAME + 1)],
        });
        let arguments = Arguments::new("a tool", fields.as_object().expect("an object"));
        assert!(arguments.one_or_more_texts("properties").is_ok());
        for fault in [
            arguments.one_or_more_texts("groupBy").expect_err("too many"),
            arguments.one_or_more_texts("aggregate").expect_err("too many"),
            arguments.sort("sort").expect_err("too many"),
        ] {
            assert!(fault.message.contains("at most 200 names, got 201"), "{}", fault.message);
        }
        assert!(arguments.one_or_more_texts("long").is_err());
    }

    #[test]
    fn every_term_has_a_bound_wherever_it_stands() {
        let long = "x".repeat(LONGEST_NAME + 1);
        let key = json!({ long.as_str(): 1 });
        for (fields, is_short) in [
            (json!({ "properties": { "body": long } }), true),
            (json!({ "properties": key }), false),
            (json!({ "changes": [{ "properties": key }] }), false),
            (json!({ "specifier": { "type": "property", "property": long, "of": "application" } }), false),
            (json!({ "where": { "and": [{ "property": long, "op": "is", "value": 1 }] } }), false),
            (json!({ "where": { "and": [{ "property": "x", "op": "is", "value": long }] } }), true),
            (json!({ "objects": [{ "class": long }] }), false),
        ] {
            let arguments = Arguments::new("a tool", fields.as_object().expect("an object"));
            assert_eq!(arguments.check_terms().is_ok(), is_short);
        }
    }

    #[test]
    fn a_name_has_a_bound() {
        let fields = json!({ "app": "x".repeat(LONGEST_NAME), "search": "x".repeat(LONGEST_NAME + 1) });
        let arguments = Arguments::new("a tool", fields.as_object().expect("an object"));
        assert!(arguments.required_text("app").is_ok());
        let fault = arguments.text("search").expect_err("too long");
        assert!(fault.message.contains("at most 10000 bytes"), "{}", fault.message);
    }
}
