//! Why words of a client lead to no single object.

use serde_json::{Value as Json, json};

use super::First;
use crate::dictionary::names;
use crate::fault::{Code, Fault};
use crate::filter::Filter;
use crate::specifier::Specifier;
use crate::words::RefId;

impl First {
    /// The error if several objects have the name that should identify one.
    pub(super) fn several(&self, total: usize, ids: &[RefId], places: &[String], elements: &[Json]) -> Fault {
        let message = format!("{total} objects match {}, and one was expected", self.specifier.to_text());
        let references: Vec<String> = ids.iter().map(RefId::to_string).collect();
        // Besides the container, only the date of an object is read, which tells it from others of its name.
        let date = |found: &Json| {
            let mut values = found["properties"].as_object()?.iter();
            Some(values.find(|(term, _)| !term.contains('.'))?.1.clone())
        };
        let dates: Vec<Json> = elements.iter().filter_map(date).collect();
        let told = |fault: Fault| match dates.len() == ids.len() {
            true => fault.with("references", references).with("dates", dates),
            false => fault.with("references", references),
        };
        if places.len() < ids.len() {
            let suggestion =
                "list them with iac_mcp_get_elements, and give the reference of the one that is meant";
            return told(Fault::new(Code::InvalidSpecifier, message, suggestion));
        }
        let suggestion = "say which one is meant: by its reference, or in its words from `found`";
        let fault = Fault::new(Code::InvalidSpecifier, message, suggestion);
        told(fault).with("found", places.to_vec()).untrusted()
    }

    /// The text that a filter compares with.
    pub(super) fn sought(&self) -> Option<&str> {
        match &self.specifier {
            Specifier::Filter { filter: Filter::Compare(compare), .. }
            | Specifier::Every { filter: Some(Filter::Compare(compare)), .. } => compare.value.as_str(),
            _ => None,
        }
    }

    /// The error if nothing was found; `body` may name other objects.
    pub(super) fn nothing(&self, body: &Json) -> Fault {
        let suggestion = "list the existing elements with iac_mcp_get_elements";
        let near = body["near"].as_object().into_iter().flat_map(|near| near.values());
        let near: Vec<String> =
            near.filter_map(Json::as_array).flatten().filter_map(Json::as_str).map(str::to_owned).collect();
        let half = body["reason"].as_str().filter(|_| body["complete"] == json!(false));
        let half = half.map(|reason| format!(", and not all was seen: {reason}")).unwrap_or_default();
        let message =
            format!("{}{half}{}", self.words, names::instead(self.sought().unwrap_or_default(), &near));
        // What the filter could not see, and how each comparison was read.
        let told = ["note", "compared"].into_iter().filter(|name| !body[*name].is_null());
        let fault = Fault::new(Code::ReferenceInvalid, message, suggestion);
        let fault = told.fold(fault, |fault, name| fault.with(name, body[name].clone()));
        if near.is_empty() { fault } else { fault.with("near", near).untrusted() }
    }

    /// The error if a value was found, but an object was expected.
    pub(super) fn no_object(&self) -> Fault {
        let message = format!("{} is a value, and an object was expected", self.specifier.to_text());
        let suggestion =
            "read it with iac_mcp_query_object, or name the object and this as one of its properties";
        Fault::new(Code::InvalidSpecifier, message, suggestion)
    }
}
