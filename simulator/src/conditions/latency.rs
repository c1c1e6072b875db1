//! The time that events take: a model with measured numbers, or a test's own model.

use crate::event::Event;
use crate::value::specifier::{Specifier, Step};
use crate::world::{WorldError, content, failed};
use serde::Deserialize;
use std::path::Path;
use std::time::Duration;

/// Measurements on real Macs.
const MEASURED: &str = include_str!("measured.json");

/// A latency model.
#[derive(Debug)]
pub(crate) struct Latency {
    /// How long osascript takes to start.
    pub(crate) start: Duration,
    rules: Vec<Rule>,
    bridge: Bridge,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    /// In milliseconds.
    start: f64,
    rules: Vec<Rule>,
    #[serde(default)]
    bridge: Bridge,
}

/// The time of a search in EventKit, in milliseconds.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Bridge {
    search: f64,
    /// For each row with its properties.
    row: f64,
    #[expect(dead_code, reason = "for those who read the file")]
    source: String,
}

/// The time of one kind of event. The first rule that fits is used.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rule {
    /// A bundle id; any app if absent.
    #[serde(default)]
    app: Option<String>,
    #[serde(default)]
    form: Option<Form>,
    /// The terms of properties; any property if absent.
    #[serde(default)]
    properties: Option<Vec<String>>,
    /// Milliseconds for the event itself.
    event: f64,
    /// Microseconds for each value in the answer.
    #[serde(default)]
    value: f64,
    /// Microseconds for each element that the app examines to find the object.
    #[serde(default)]
    element: f64,
    /// Where the numbers come from.
    #[serde(default)]
    #[expect(dead_code, reason = "for those who read the file")]
    source: String,
}

/// How an event reaches its object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Form {
    /// A filter.
    Whose,
    /// An element by its index.
    Index,
    /// A property of all elements, or all elements.
    Column,
    /// An element by id or name, or the application.
    Direct,
    /// A write or a command.
    Write,
}

/// The amount of work that an event causes in the app.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Work {
    /// Elements that were listed or tested.
    pub(crate) elements: usize,
    /// Values in the answer.
    pub(crate) values: usize,
}

impl Latency {
    /// Reads a model; `None` for `none`.
    pub(super) fn read(path: &Path) -> Result<Option<Self>, WorldError> {
        let text = match path.to_str() {
            Some("none") => return Ok(None),
            Some("mac") => MEASURED.to_owned(),
            _ => std::fs::read_to_string(path).map_err(|error| failed(path, error))?,
        };
        let written: Written = serde_json::from_str(&text).map_err(|error| content(path, error))?;
        Ok(Some(Self { start: milliseconds(written.start), rules: written.rules, bridge: written.bridge }))
    }

    /// Returns how long an EventKit search takes that finds this many rows.
    pub(crate) fn bridge(&self, rows: u32) -> Duration {
        milliseconds(self.bridge.search + self.bridge.row * f64::from(rows))
    }

    /// Returns how long an event with this much work takes.
    pub(crate) fn of(&self, app: &str, event: &Event, work: Work) -> Duration {
        let (form, property) = (form(event), property(&event.target));
        let rule = self.rules.iter().find(|rule| rule.fits(app, form, property));
        #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
        let took = |rule: &Rule| {
            rule.event + (rule.value * work.values as f64 + rule.element * work.elements as f64) / 1000.0
        };
        milliseconds(rule.map_or(0.0, took))
    }
}

impl Rule {
    fn fits(&self, app: &str, form: Form, property: Option<&str>) -> bool {
        self.app.as_ref().is_none_or(|wanted| wanted == app)
            && self.form.is_none_or(|wanted| wanted == form)
            && self
                .properties
                .as_ref()
                .is_none_or(|all| property.is_some_and(|property| all.iter().any(|each| each == property)))
    }
}

fn milliseconds(time: f64) -> Duration {
    Duration::try_from_secs_f64(time / 1000.0).unwrap_or_default()
}

fn form(event: &Event) -> Form {
    if !event.kind.reads() {
        return Form::Write;
    }
    let mut steps = vec![&event.target.step];
    let mut next = event.target.of();
    while let Some(specifier) = next {
        steps.push(&specifier.step);
        next = specifier.of();
    }
    let has = |wanted: fn(&Step) -> bool| steps.iter().any(|step| wanted(step));
    if has(|step| matches!(step, Step::Where { .. })) {
        Form::Whose
    } else if has(|step| matches!(step, Step::Index { .. } | Step::Ordinal { .. })) {
        Form::Index
    } else if ends_in_column(&event.target) {
        Form::Column
    } else {
        Form::Direct
    }
}

/// Whether a specifier means several objects: all elements, or a property of them.
fn ends_in_column(specifier: &Specifier) -> bool {
    match &specifier.step {
        Step::Elements { .. } => true,
        Step::Property { of, .. } => ends_in_column(of),
        _ => false,
    }
}

fn property(specifier: &Specifier) -> Option<&str> {
    match &specifier.step {
        Step::Property { term, .. } => Some(term),
        _ => None,
    }
}
