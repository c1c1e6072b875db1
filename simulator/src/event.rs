//! Apple events. Each is one call from a script to an app.

use crate::value::specifier::{Specifier, describe};
use crate::value::{Value, local_text};
use indexmap::IndexMap;
use std::collections::BTreeMap;
use std::rc::Rc;

/// An event that was not sent yet.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    pub(crate) kind: Kind,
    /// The object that it is about: the direct parameter, or else the application.
    pub(crate) target: Rc<Specifier>,
    /// The direct parameter, if it is not a specifier.
    pub(crate) direct: Option<Value>,
    /// The other parameters, by the identifiers that scripts use.
    pub(crate) parameters: IndexMap<Rc<str>, Value>,
}

/// The kind of event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Get,
    Set,
    Count,
    /// A command, by its term.
    Command(Rc<str>),
}

impl Kind {
    /// The event's name in the trace.
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Get => "get",
            Self::Set => "set",
            Self::Count => "count",
            Self::Command(name) => name,
        }
    }
}

impl Kind {
    /// Whether an event never changes anything, so that it needs no lock.
    pub(crate) fn reads(&self) -> bool {
        match self {
            Self::Get | Self::Count => true,
            Self::Set => false,
            Self::Command(name) => matches!(&**name, "exists" | "count"),
        }
    }
}

impl Event {
    /// Returns its parameters as the trace writes them.
    pub(crate) fn shown(&self) -> BTreeMap<String, String> {
        let direct = self.direct.iter().map(|direct| ("direct", direct));
        let named = self.parameters.iter().map(|(name, value)| (&**name, value));
        direct.chain(named).map(|(name, value)| (name.to_owned(), shown(value))).collect()
    }

    pub(crate) fn new(kind: Kind, target: Rc<Specifier>) -> Self {
        Self { kind, target, direct: None, parameters: IndexMap::new() }
    }
}

/// Formats a value in a few words.
fn shown(value: &Value) -> String {
    /// The most characters that are shown, enough to recognize a text.
    const ENOUGH: usize = 80;
    let whole = match value {
        Value::Missing => "null".to_owned(),
        Value::Bool(truth) => truth.to_string(),
        Value::Int(number) => number.to_string(),
        Value::Real(number) => number.to_string(),
        Value::Date(time) => local_text(*time),
        Value::Object(specifier) => describe(specifier),
        Value::List(items) => format!("[{}]", items.iter().map(shown).collect::<Vec<_>>().join(", ")),
        Value::Record(fields) => {
            let fields = fields.iter().map(|(name, field)| format!("{name}: {}", shown(field)));
            format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
        }
        Value::Utf16(_) | Value::Data(_) | Value::Held(_) => "…".to_owned(),
        other => format!("{:?}", other.as_text().unwrap_or_default()),
    };
    if whole.chars().count() <= ENOUGH {
        return whole;
    }
    whole.chars().take(ENOUGH).chain(['…']).collect()
}
