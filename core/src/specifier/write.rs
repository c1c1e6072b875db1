//! Writes a [`Specifier`] in AppleScript's reference form, so that the client sees what it meant and can use the text
//! again.

use std::fmt::Write;

use serde_json::Value as Json;

use super::show::exact;
use super::{Container, Id, Specifier};
use crate::filter::{Compare, Filter, Operator};

impl Specifier {
    /// Writes the specifier in AppleScript's reference form, as [`Specifier::from_text`] reads it. The form cannot
    /// express how many matches a filter returns.
    pub fn to_text(&self) -> String {
        let element = |word: &str, element: &str| match word {
            "" => element.to_owned(),
            word => format!("{word} {element}"),
        };
        let (mut text, filter) = match self {
            Self::Application => return "application".to_owned(),
            Self::Text(text) => return text.clone(),
            Self::Property { property, .. } => (property.clone(), None),
            Self::Element { element, index, .. } => (format!("{element} {}", place(*index)), None),
            Self::Named { element, name, .. } => (format!("{element} {}", exact(name)), None),
            Self::Id { element, id: Id::Number(id), .. } => (format!("{element} id {id}"), None),
            Self::Id { element, id: Id::Text(id), .. } => (format!("{element} id {}", exact(id)), None),
            Self::Filter { element, filter: Filter::Compare(Compare { value, .. }), only: true, .. } => {
                (format!("{element} {}", exact(value.as_str().unwrap_or_default())), None)
            }
            Self::Filter { element: of, filter, last: false, .. } => (element("first", of), Some(filter)),
            Self::Filter { element: of, filter, last: true, .. } => (element("last", of), Some(filter)),
            Self::Every { element, range: Some((from, to)), .. } => {
                (format!("{element} {} thru {}", place(*from), place(*to)), None)
            }
            Self::Every { element: of, filter, .. } => (element("every", of), filter.as_ref()),
        };
        if let Some(container) = self.container() {
            text += &behind(container);
        }
        if let Some(filter) = filter {
            text += " whose ";
            text += &filter.to_text();
        }
        text
    }

    fn has_filter(&self) -> bool {
        let own = matches!(self, Self::Filter { only: false, .. } | Self::Every { filter: Some(_), .. });
        own || matches!(self.container(), Some(Container::Specifier(inner)) if inner.has_filter())
    }
}

impl Filter<String> {
    /// Writes the filter in AppleScript's words, as [`Filter::from_text`] reads it.
    pub fn to_text(&self) -> String {
        let all = |filters: &[Self], word: &str| {
            let parts: Vec<String> = filters.iter().map(Self::as_part).collect();
            parts.join(word)
        };
        match self {
            Self::Compare(compare) => compare.to_text(),
            Self::And(filters) => all(filters, " and "),
            Self::Or(filters) => all(filters, " or "),
            Self::Not(filter) => format!("not ({})", filter.to_text()),
        }
    }

    fn as_part(&self) -> String {
        match self {
            Self::And(_) | Self::Or(_) => format!("({})", self.to_text()),
            Self::Compare(_) | Self::Not(_) => self.to_text(),
        }
    }
}

impl Compare<String> {
    fn to_text(&self) -> String {
        let mut text = String::new();
        for (at, property) in self.property.rsplit('.').enumerate() {
            let of = if at == 0 { "" } else { " of " };
            write!(text, "{of}{property}").expect("a text takes everything");
        }
        let operator = match self.operator {
            Operator::Equal => "is",
            Operator::NotEqual => "is not",
            Operator::Less => "<",
            Operator::Greater => ">",
            Operator::LessOrEqual => "≤",
            Operator::GreaterOrEqual => "≥",
            Operator::Contains => "contains",
            Operator::StartsWith => "starts with",
            Operator::EndsWith => "ends with",
        };
        let value = match &self.value {
            Json::Null => "missing value".to_owned(),
            Json::String(value) => exact(value),
            value => value.to_string(),
        };
        format!("{text} {operator} {value}")
    }
}

/// AppleScript counts from 1, and from -1 backwards.
fn place(index: i32) -> i64 {
    i64::from(index) + i64::from(index >= 0)
}

/// The text after an object: its container. It is in parentheses if a test in it could be read as a test of the object.
fn behind(container: &Container) -> String {
    match container {
        Container::Reference(id) => format!(" of {id}"),
        Container::Specifier(inner) => match &**inner {
            Specifier::Application => String::new(),
            inner if inner.has_filter() => format!(" of ({})", inner.to_text()),
            inner => format!(" of {}", inner.to_text()),
        },
    }
}
