//! One osascript process at a simulated Mac: sends events to apps, and keeps the trace.

use crate::event::{Event, Kind};
use crate::os_error::{Answer, FAILED, NOT_UNDERSTOOD, OsError, SCRIPT, refuse};
use crate::resolve::View;
use crate::specifier::{Root, Specifier, describe};
use crate::trace::{Trace, Traced};
use crate::value::Value;
use crate::world::change::Change;
use crate::world::{App, World, WorldError};
use crate::write::{Outcome, Reply};
use std::time::{Duration, Instant};

/// A process's end of the simulated Mac.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) world: World,
    pub(crate) trace: Trace,
}

impl Session {
    /// Finds an app for `Application()`.
    pub(crate) fn find(&self, target: &str) -> Answer<usize> {
        let found = self.world.find(target).map_err(broken)?;
        found.ok_or_else(|| OsError::new(SCRIPT, "Application can't be found."))
    }

    /// Sends an event, launching the app if it does not run, and writes the trace.
    pub(crate) fn send(&self, event: &Event) -> Answer<Value> {
        let Root::App(at) = event.target.root else { return refuse(NOT_UNDERSTOOD) };
        let app = self.world.app(at);
        self.world.sync().map_err(broken)?;
        self.launch(&app)?;
        let start = Instant::now();
        let answer = if reads(&event.kind) { self.read(&app, event) } else { self.write(&app, event) };
        self.record(&app, event.kind.name(), &event.target, start.elapsed(), answer.as_ref().err());
        answer
    }

    /// Whether an app runs, by what all processes did so far.
    pub(crate) fn is_running(&self, app: &App) -> Answer<bool> {
        self.world.sync().map_err(broken)?;
        Ok(app.model.borrow().running)
    }

    fn launch(&self, app: &App) -> Answer<()> {
        if app.model.borrow().running {
            return Ok(());
        }
        let start = |model: &crate::world::model::Model| {
            let changes = if model.running { Vec::new() } else { vec![Change::Running(true)] };
            Ok(((), changes))
        };
        self.world.change(app, start, broken)?;
        self.record(app, "launch", &Specifier::root(Root::Current), Duration::ZERO, None);
        Ok(())
    }

    fn read(&self, app: &App, event: &Event) -> Answer<Value> {
        let model = app.model.borrow();
        let view = View::new(app, &model, event.target.root, self.world.now());
        let outcome = view.perform(event)?;
        Ok(reply(&view, outcome.reply))
    }

    fn write(&self, app: &App, event: &Event) -> Answer<Value> {
        let (root, now) = (event.target.root, self.world.now());
        let decide = |model: &crate::world::model::Model| {
            let Outcome { changes, reply } = View::new(app, model, root, now).perform(event)?;
            Ok((reply, changes))
        };
        let reply_with = self.world.change(app, decide, broken)?;
        let model = app.model.borrow();
        Ok(reply(&View::new(app, &model, root, now), reply_with))
    }

    fn record(&self, app: &App, event: &str, target: &Specifier, took: Duration, error: Option<&OsError>) {
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

/// Whether an event never changes anything, and so needs no lock.
fn reads(kind: &Kind) -> bool {
    match kind {
        Kind::Get | Kind::Count => true,
        Kind::Set => false,
        Kind::Command(name) => matches!(&**name, "exists" | "count"),
    }
}

fn reply(view: &View<'_>, reply: Reply) -> Value {
    match reply {
        Reply::Nothing => Value::Missing,
        Reply::Value(value) => value,
        Reply::Objects(ids) => match ids.as_slice() {
            [id] => Value::Object(view.specifier(*id)),
            ids => Value::List(ids.iter().map(|id| Value::Object(view.specifier(*id))).collect()),
        },
    }
}
