//! Apple events: one call of a script to one app.

use crate::specifier::Specifier;
use crate::value::Value;
use indexmap::IndexMap;
use std::rc::Rc;

/// One event before it is sent.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    pub(crate) kind: Kind,
    /// What it is about: the direct parameter, else the application.
    pub(crate) target: Rc<Specifier>,
    /// The direct parameter where it is no specifier.
    pub(crate) direct: Option<Value>,
    /// Named parameters by the identifiers that scripts use.
    pub(crate) parameters: IndexMap<Rc<str>, Value>,
}

/// Which event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Get,
    Set,
    Count,
    /// Any command, by its term.
    Command(Rc<str>),
}

impl Kind {
    /// The event's name in a trace.
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
    /// Whether an event never changes anything, and so needs no lock.
    pub(crate) fn reads(&self) -> bool {
        match self {
            Self::Get | Self::Count => true,
            Self::Set => false,
            Self::Command(name) => matches!(&**name, "exists" | "count"),
        }
    }
}

impl Event {
    pub(crate) fn new(kind: Kind, target: Rc<Specifier>) -> Self {
        Self { kind, target, direct: None, parameters: IndexMap::new() }
    }
}
