//! Delivers an event to an app: launches the app if necessary, waits for its turn, applies the conditions, and writes
//! the trace.

use crate::assistive;
use crate::conditions::faults::Effect;
use crate::conditions::latency::Work;
use crate::conditions::wait;
use crate::event::Event;
use crate::items;
use crate::os_error::{
    Answer, CONNECTION, FAILED, NOT_AUTHORIZED, NOT_RUNNING, NOT_UNDERSTOOD, OsError, refuse,
};
use crate::output;
use crate::session::{Behaviour, Session, broken};
use crate::trace::Traced;
use crate::value::Value;
use crate::value::specifier::{Root, Specifier, describe};
use crate::world::change::Change;
use crate::world::{App, Changes};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::{Duration, Instant};

impl Session {
    /// Sends an event, launches the app if it is not running, and writes the trace.
    pub(crate) fn send(&self, event: &Event, behaviour: &dyn Behaviour) -> Answer<Value> {
        let Root::App(at) = event.target.root else { return refuse(NOT_UNDERSTOOD) };
        let app = self.world.app(at);
        self.world.sync().map_err(broken)?;
        self.launch(&app)?;
        let start = Instant::now();
        let manages_files = app.model.borrow().own_class;
        let event = &if manages_files {
            self.look(&app, event.target.root, |view| view.with_items(event))
        } else {
            event.clone()
        };
        let answer = self.consented(&app).and_then(|()| self.deliver(&app, event, behaviour));
        let answer = self.hand_over().and(answer);
        let answer = self.has_answered(&app, event).and(answer);
        let with = if self.trace.is_on() { event.shown() } else { BTreeMap::new() };
        self.record(&app, (event.kind.name(), with), &event.target, start.elapsed(), answer.as_ref().err());
        answer
    }

    /// Asks the user for consent, unless they were asked before.
    fn consented(&self, app: &App) -> Answer<()> {
        let Some(consent) = &self.conditions.consent else { return Ok(()) };
        consent.meet(&app.bundle.id, self.conditions.deadline()).or_else(|error| match error.number {
            NOT_AUTHORIZED => not_authorized(app),
            _ => Err(error),
        })
    }

    /// Implements `AEDeterminePermissionToAutomateTarget`. It launches no app, and opens a dialog only if `asks` is
    /// set.
    pub(crate) fn permission(&self, target: &str, asks: bool) -> i32 {
        let Ok(Some(at)) = self.world.find(target) else { return NOT_RUNNING };
        let app = self.world.app(at);
        if !self.is_running(&app).unwrap_or(false) {
            return NOT_RUNNING;
        }
        let Some(consent) = &self.conditions.consent else { return 0 };
        let id = &app.bundle.id;
        let answer = if asks { consent.meet(id, self.conditions.deadline()) } else { consent.state(id) };
        answer.err().map_or(0, |error| error.number)
    }

    /// Lets the app handle the event once it is this event's turn, under the current conditions.
    fn deliver(&self, app: &Rc<App>, event: &Event, behaviour: &dyn Behaviour) -> Answer<Value> {
        let id = app.bundle.id.as_str();
        let deadline = self.conditions.deadline();
        let turn = self.conditions.turn(id, deadline)?;
        let effect = match &self.conditions.faults {
            Some(faults) => faults.meet(id, event.kind.name(), &describe(&event.target)).map_err(broken)?,
            None => None,
        };
        if effect == Some(Effect::Hang(None)) {
            // The app stays blocked as long as this process lives.
            std::mem::forget(turn);
        }
        if let Some(effect) = &effect {
            self.suffer(app, event, effect, deadline)?;
        }
        let (answer, work) = self.perform(app, event, effect == Some(Effect::Ignore), behaviour);
        if let Some(latency) = &self.conditions.latency {
            wait(Some(latency.of(id, event, work)), deadline)?;
        }
        match effect {
            Some(Effect::Huge(length)) => Ok(Value::text("x".repeat(length))),
            _ => answer,
        }
    }

    /// Applies a fault before the app handles the event.
    fn suffer(&self, app: &Rc<App>, event: &Event, effect: &Effect, deadline: Instant) -> Answer<()> {
        let id = app.bundle.id.as_str();
        match effect {
            Effect::Error(NOT_AUTHORIZED) | Effect::Dialog { after: 0, allow: false } => not_authorized(app),
            Effect::Error(number) => refuse(*number),
            Effect::Slow(time) | Effect::Hang(Some(time)) => {
                wait(Some(Duration::from_millis(*time)), deadline)
            }
            Effect::Hang(None) => wait(None, deadline),
            Effect::Block(time) => {
                self.conditions.block(id, *time).map_err(broken)?;
                wait(Some(Duration::from_millis(*time)), deadline)
            }
            Effect::Die => {
                let end = |changes: &Changes| {
                    changes.apply(Change::Running(false));
                    Ok(())
                };
                self.world.change(app, end, broken)?;
                refuse(CONNECTION)
            }
            Effect::Crash => std::process::exit(139),
            Effect::Flood(bytes) => {
                let flooded = output::print(&"x".repeat(*bytes));
                flooded.map_err(|error| OsError::new(FAILED, error.to_string()))
            }
            Effect::Dialog { after, allow } => {
                wait(Some(Duration::from_millis(*after)), deadline)?;
                if *allow { Ok(()) } else { not_authorized(app) }
            }
            Effect::Shrink(count) => self.shrink(app, event, *count),
            Effect::Ignore | Effect::Huge(_) => Ok(()),
        }
    }

    /// Deletes the first elements of the collection that an event reads.
    fn shrink(&self, app: &Rc<App>, event: &Event, count: usize) -> Answer<()> {
        let work = |changes: &Changes| {
            let victims = self.look(app, event.target.root, |view| view.collection(&event.target))?;
            victims.into_iter().take(count).for_each(|victim| changes.apply(Change::Remove(victim)));
            Ok(())
        };
        self.world.change(app, work, broken)
    }

    fn perform(
        &self,
        app: &Rc<App>,
        event: &Event,
        ignore: bool,
        behaviour: &dyn Behaviour,
    ) -> (Answer<Value>, Work) {
        if let Some(answer) = assistive::answer(app, event, self.conditions.accessibility()) {
            return (answer, Work::default());
        }
        if !ignore && items::concerns(app, event) {
            return (items::perform(self, app, event, behaviour), Work::default());
        }
        self.carry_out(app, event, ignore, behaviour)
    }

    /// Traces a command of Standard Additions. The object that it is called on performs it.
    pub(crate) fn addition(&self, target: &Specifier, command: &str) {
        if let Root::App(at) = target.root {
            let event = (command, BTreeMap::new());
            self.record(&self.world.app(at), event, target, Duration::ZERO, None);
        }
    }

    /// Opens an app as `/usr/bin/open` does: without asking for consent and without an event.
    pub(crate) fn open(&self, target: &str) -> bool {
        let found = self.world.find(target).ok().flatten();
        found.is_some_and(|at| self.launch(&self.world.app(at)).is_ok())
    }

    fn launch(&self, app: &Rc<App>) -> Answer<()> {
        if app.model.borrow().running {
            return Ok(());
        }
        let start = |changes: &Changes| {
            if !app.model.borrow().running {
                changes.apply(Change::Running(true));
            }
            Ok(())
        };
        self.world.change(app, start, broken)?;
        self.has_started(app)?;
        self.record(app, ("launch", BTreeMap::new()), &Specifier::root(Root::Current), Duration::ZERO, None);
        Ok(())
    }

    fn record(
        &self,
        app: &Rc<App>,
        (event, with): (&str, BTreeMap<String, String>),
        target: &Specifier,
        took: Duration,
        error: Option<&OsError>,
    ) {
        if !self.trace.is_on() {
            return;
        }
        let line = Traced {
            app: app.bundle.id.clone(),
            event: event.to_owned(),
            target: describe(target),
            with,
            microseconds: u64::try_from(took.as_micros()).unwrap_or(u64::MAX),
            error: error.map(|error| error.number),
        };
        if let Err(error) = self.trace.write(&line) {
            output::complain(&format!("osascript: cannot write the trace: {error}"));
        }
    }
}

fn not_authorized<T>(app: &App) -> Answer<T> {
    Err(OsError::new(NOT_AUTHORIZED, format!("Not authorized to send Apple events to {}.", app.bundle.name)))
}
