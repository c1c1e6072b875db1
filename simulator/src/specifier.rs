//! Object specifiers: how a script says which object it means, without asking for it.

use crate::value::Value;
use std::fmt::Write as _;
use std::rc::Rc;

/// One step of a path to an object, holding the step before.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Specifier {
    pub(crate) root: Root,
    pub(crate) step: Step,
}

/// Where a path begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Root {
    /// An app of the world, by its place in the world's list.
    App(usize),
    /// `Application.currentApplication()`: osascript itself, which has no dictionary.
    Current,
    /// `ObjectSpecifier()`: the object under test in a filter.
    It,
}

/// One step.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Step {
    /// The root itself.
    Root,
    /// A property, by the dictionary's term.
    Property {
        of: Rc<Specifier>,
        term: Rc<str>,
    },
    /// All elements of a class, by the class's name.
    Elements {
        of: Rc<Specifier>,
        class: Rc<str>,
    },
    /// Zero-based, counted from the end if negative.
    Index {
        of: Rc<Specifier>,
        index: i64,
    },
    Name {
        of: Rc<Specifier>,
        name: Value,
    },
    Id {
        of: Rc<Specifier>,
        id: Value,
    },
    /// `first`, `last`, `middle` or `any` of elements.
    Ordinal {
        of: Rc<Specifier>,
        which: Ordinal,
    },
}

/// An element by its place in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ordinal {
    First,
    Middle,
    Last,
    Any,
}

impl Specifier {
    pub(crate) fn root(root: Root) -> Rc<Self> {
        Rc::new(Self { root, step: Step::Root })
    }

    pub(crate) fn then(root: Root, step: Step) -> Rc<Self> {
        Rc::new(Self { root, step })
    }

    /// The step before this one.
    pub(crate) fn of(&self) -> Option<&Rc<Self>> {
        match &self.step {
            Step::Root => None,
            Step::Property { of, .. }
            | Step::Elements { of, .. }
            | Step::Index { of, .. }
            | Step::Name { of, .. }
            | Step::Id { of, .. }
            | Step::Ordinal { of, .. } => Some(of),
        }
    }
}

/// Writes a path in the terms of the dictionary, for the trace: `mailbox "INBOX" of account id "A1"`.
pub(crate) fn describe(specifier: &Specifier) -> String {
    let mut text = String::new();
    write_step(&mut text, &specifier.step);
    let mut step = specifier;
    while let Some(of) = step.of() {
        let named_already = !matches!(step.step, Step::Property { .. } | Step::Elements { .. });
        if !named_already && of.step != Step::Root {
            text.push_str(" of ");
            write_step(&mut text, &of.step);
        }
        step = of;
    }
    text
}

fn write_step(text: &mut String, step: &Step) {
    let written = match step {
        Step::Root => write!(text, "application"),
        Step::Property { term, .. } => write!(text, "{term}"),
        Step::Elements { class, .. } => write!(text, "every {class}"),
        Step::Index { of, index } => write!(text, "{} {}", class_of(of), index + i64::from(*index >= 0)),
        Step::Name { of, name } => write!(text, "{} {}", class_of(of), shown(name)),
        Step::Id { of, id } => write!(text, "{} id {}", class_of(of), shown(id)),
        Step::Ordinal { of, which } => write!(text, "{which:?} {}", class_of(of)),
    };
    debug_assert!(written.is_ok(), "writing to a String does not fail");
}

fn class_of(elements: &Specifier) -> &str {
    match &elements.step {
        Step::Elements { class, .. } => class,
        _ => "item",
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::Int(number) => number.to_string(),
        Value::Real(number) => number.to_string(),
        other => format!("{:?}", other.as_text().unwrap_or("…")),
    }
}
