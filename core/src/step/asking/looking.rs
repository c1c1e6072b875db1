//! A look at what a command would touch, so that the human who is asked sees names instead of numbers.

use serde_json::Value as Json;

use super::super::words;
use super::{Behind, Step, Then, World, ask, run};
use crate::action::{Deed, Seen};
use crate::app::App;
use crate::change::Subject;
use crate::dictionary::Dictionary;
use crate::fault::Fault;
use crate::osa_error::OsaError;
use crate::permission::{Unasked, Wording};
use crate::reply::Reply;
use crate::specifier::{Path, quoted};

/// How many objects are looked at: no more are named one by one.
const NAMED: usize = 5;

/// Apple event number: the app is not running.
const NOT_RUNNING: i64 = -600;

/// An action that is looked at before somebody is asked about it.
#[derive(Debug)]
pub(in crate::step) struct Looking {
    unasked: Unasked,
    subjects: Vec<Subject>,
    name: String,
    then: Then,
}

/// Asks about an action; looks at its objects first, if it has some.
pub(super) fn look(unasked: Unasked, behind: Behind, then: Then, world: &World<'_>) -> Step {
    let app = world.apps.find(&unasked.action().app).ok();
    let dictionary = app.and_then(|app| app.dictionary.as_deref());
    let subject = |path: &Path| app.zip(dictionary).map(|(app, dictionary)| of(app, dictionary, path));
    let Some(approved) = unasked.preview(NAMED, &subject) else {
        let objects = match &unasked.action().deed {
            Deed::Script(script) => script.objects.clone(),
            _ => Vec::new(),
        };
        return question(unasked, objects, behind, then, world);
    };
    let subjects = match &approved.action().deed {
        Deed::Preview(subjects) => subjects.clone(),
        _ => Vec::new(),
    };
    let name = behind.name.clone();
    run(approved, behind, Then::Looking(Box::new(Looking { unasked, subjects, name, then })), world)
}

/// Of what a command is given only the names are read.
fn of(app: &App, dictionary: &Dictionary, path: &Path) -> Subject {
    Subject { mark: None, ..Subject::of(&app.bundle_id, dictionary, path.clone(), Vec::new()) }
}

impl Looking {
    /// Asks, with what was found; the objects of an app that is not running are named by their way.
    pub(in crate::step) fn resume(self, reply: Reply, events: u64, world: &World<'_>) -> Result<Step, Fault> {
        let Self { unasked, subjects, name, then } = self;
        let behind = Behind { name, events };
        let app = world.apps.find(&unasked.action().app)?;
        let (mut unasked, mut seen) = (unasked, Vec::new());
        let objects = match reply.result {
            Ok(rows) => {
                seen = shown(&subjects, &rows);
                named(&subjects, &rows, app)?
            }
            Err(error) if error.number == NOT_RUNNING => {
                let ways = subjects.iter().map(|subject| subject.path.to_string());
                ways.chain([format!("{} is not running and would be opened", app.name)]).collect()
            }
            Err(error) => return Err(error.to_fault(&app.name)),
        };
        unasked = unasked.after(seen);
        Ok(question(unasked, objects, behind, then, world))
    }
}

/// What of each object a human is shown; what could not be read is not shown.
fn shown(subjects: &[Subject], rows: &Json) -> Vec<Seen> {
    let of = |(at, subject): (usize, &Subject)| {
        let shown = rows.get(at)?.get(1).filter(|_| !subject.labels.is_empty())?;
        Some(Seen { path: subject.path.clone(), labels: subject.labels.clone(), shown: shown.clone() })
    };
    subjects.iter().enumerate().filter_map(of).collect()
}

/// What each object is called. One that is not there is the end of the call: nobody is asked about nothing.
fn named(subjects: &[Subject], rows: &Json, app: &App) -> Result<Vec<String>, Fault> {
    let one = |(at, subject): (usize, &Subject)| {
        let row = rows.get(at).unwrap_or(&Json::Null);
        if let (Some("error"), Some(number)) =
            (row.get("$").and_then(Json::as_str), row.get("number").and_then(Json::as_i64))
        {
            let message = row.get("message").and_then(Json::as_str).unwrap_or_default().to_owned();
            let error = OsaError { number, message, at: "object".to_owned() };
            if error.is_missing_object() {
                return Err(error.to_fault(&app.name).with("object", subject.path.to_string()));
            }
        }
        Ok(words::object(subject, row.get(1).unwrap_or(&Json::Null), app))
    };
    subjects.iter().enumerate().map(one).collect()
}

fn question(unasked: Unasked, objects: Vec<String>, behind: Behind, then: Then, world: &World<'_>) -> Step {
    let (deed, count) = match &unasked.action().deed {
        Deed::Command(invocation) => {
            let direct = invocation.direct.iter().map(|given| given.objects().len()).sum();
            (format!("run {}", words::command(invocation)), direct)
        }
        Deed::Script(script) => (format!("run its own {}", quoted(&script.term)), script.count),
        _ => (unasked.in_words(), 0),
    };
    let count = if objects.is_empty() { count } else { count.max(objects.len()) };
    let wording =
        Wording { app: behind.name.clone(), plugin: world.gate.plugin.clone(), deed, objects, count };
    ask(unasked.ask(wording), behind, then)
}
