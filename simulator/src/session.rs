//! One osascript process at a simulated Mac: sends events to apps, and keeps the trace.

use crate::event::{Event, Kind};
use crate::os_error::{
    Answer, BAD_INDEX, FAILED, NO_SUCH_OBJECT, NOT_MODIFIABLE, NOT_UNDERSTOOD, OsError, refuse,
};
use crate::resolve::{Found, View};
use crate::specifier::{Root, Specifier, describe};
use crate::trace::{Trace, Traced};
use crate::value::Value;
use crate::world::{App, World, WorldError};
use std::time::{Duration, Instant};

/// A process's end of the simulated Mac.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) world: World,
    pub(crate) trace: Trace,
}

/// Commands that every app takes, whatever its dictionary says.
const ALWAYS: [&str; 5] = ["activate", "launch", "open", "quit", "run"];

impl Session {
    /// Whether every app takes a command of that name.
    pub(crate) fn always(command: &str) -> bool {
        ALWAYS.contains(&command)
    }

    /// Finds an app for `Application()`.
    pub(crate) fn find(&self, target: &str) -> Answer<usize> {
        let found = self.world.find(target).map_err(broken)?;
        found.ok_or_else(|| OsError::new(crate::os_error::SCRIPT, "Application can't be found."))
    }

    /// Sends an event, launching the app if it does not run, and writes the trace.
    pub(crate) fn send(&self, event: &Event) -> Answer<Value> {
        let Root::App(at) = event.target.root else { return refuse(NOT_UNDERSTOOD) };
        let app = self.world.app(at);
        self.launch(&app);
        let start = Instant::now();
        let answer = perform(&app, event);
        self.write(&app, event.kind.name(), &event.target, start.elapsed(), answer.as_ref().err());
        answer
    }

    fn launch(&self, app: &App) {
        let was_running = std::mem::replace(&mut app.model.borrow_mut().running, true);
        if !was_running {
            let application = Specifier::root(Root::Current);
            self.write(app, "launch", &application, Duration::ZERO, None);
        }
    }

    fn write(&self, app: &App, event: &str, target: &Specifier, took: Duration, error: Option<&OsError>) {
        if !self.trace.is_on() {
            return;
        }
        let line = Traced {
            app: app.bundle.id.clone(),
            event: event.to_owned(),
            target: describe(target),
            microseconds: u64::try_from(took.as_micros()).unwrap_or(u64::MAX),
            error: error.map(|error| error.number),
        };
        if let Err(error) = self.trace.write(&line) {
            crate::output::complain(&format!("osascript: cannot write the trace: {error}"));
        }
    }
}

/// A world that cannot be read is no fault of the script, and is said in the error's text.
fn broken(error: WorldError) -> OsError {
    OsError::new(FAILED, error.to_string())
}

fn perform(app: &App, event: &Event) -> Answer<Value> {
    let model = app.model.borrow();
    let view = View::new(app, &model, event.target.root);
    match &event.kind {
        Kind::Get => view.get(&event.target),
        Kind::Set => refuse(NOT_MODIFIABLE),
        Kind::Count => count(&view, &event.target),
        Kind::Command(name) => command(&view, name, event),
    }
}

fn command(view: &View<'_>, name: &str, event: &Event) -> Answer<Value> {
    let known = view.schema().commands(name).next().is_some() || ALWAYS.contains(&name);
    match name {
        _ if !known => refuse(NOT_UNDERSTOOD),
        "exists" => exists(view, &event.target),
        "count" => count(view, &event.target),
        "activate" | "launch" | "run" => Ok(Value::Missing),
        _ => refuse(FAILED),
    }
}

fn count(view: &View<'_>, target: &Specifier) -> Answer<Value> {
    match view.resolve(target)? {
        Found::Many(all) => Ok(Value::Int(i64::try_from(all.len()).unwrap_or(i64::MAX))),
        Found::Leaf(Value::List(items)) => Ok(Value::Int(i64::try_from(items.len()).unwrap_or(i64::MAX))),
        _ => refuse(NO_SUCH_OBJECT),
    }
}

/// Whether there is such an object; a container that is missing is an error, as it is in most apps.
fn exists(view: &View<'_>, target: &Specifier) -> Answer<Value> {
    match view.resolve(target) {
        Ok(Found::Leaf(Value::Missing)) => Ok(Value::Bool(false)),
        Ok(Found::Many(all)) => Ok(Value::Bool(!all.is_empty())),
        Ok(_) => Ok(Value::Bool(true)),
        Err(error) if [NO_SUCH_OBJECT, BAD_INDEX].contains(&error.number) => {
            target.of().map_or(Ok(()), |of| view.resolve(of).map(drop))?;
            Ok(Value::Bool(false))
        }
        Err(error) => Err(error),
    }
}
