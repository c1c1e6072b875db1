//! Keeps System Events's list of running apps, and of the app in front, up to date: when an app starts, comes to the
//! front or quits.

use crate::event::{Event, Kind};
use crate::os_error::Answer;
use crate::session::{Session, broken};
use crate::value::specifier::Step;
use crate::value::{APP, ObjectId, Value};
use crate::world::change::{Added, Change};
use crate::world::model::Children;
use crate::world::{App, Changes};
use std::rc::Rc;

const SYSTEM_EVENTS: &str = "com.apple.systemevents";
const FINDER: &str = "com.apple.finder";
const PROCESS: &str = "application process";

/// The first process id of apps that start, above the ids of the processes in the world's data.
const FIRST_PROCESS: i64 = 2000;

impl Session {
    /// Records that an app has started.
    pub(crate) fn has_started(&self, app: &App) -> Answer<()> {
        let Some(events) = self.system_events(app) else { return Ok(()) };
        self.alter(&events, |processes| match processes.of(&app.bundle.id) {
            Some(_) => Vec::new(),
            None => vec![processes.new_one(app)],
        })
    }

    /// Records what an event did to the app that handled it: it came to the front, or it quit.
    pub(crate) fn has_answered(&self, app: &Rc<App>, event: &Event) -> Answer<()> {
        if !app.model.borrow().running {
            return self.has_quit(app);
        }
        if event.kind == Kind::Command("activate".into()) {
            return self.comes_forward(app);
        }
        let is_front = matches!(&event.target.step, Step::Property { term, .. } if &**term == "frontmost");
        if app.bundle.id != SYSTEM_EVENTS || event.kind != Kind::Set || !is_front {
            return Ok(());
        }
        let processes = Processes { app, number: app.model.borrow().len() };
        let set =
            processes.in_front().into_iter().find(|process| !self.is_in_front(&processes.app_of(*process)));
        match set.map(|process| self.world.find(&processes.app_of(process)).map_err(broken)).transpose()? {
            Some(Some(at)) => self.comes_forward(&self.world.app(at)),
            _ => Ok(()),
        }
    }

    /// Returns the id of an app's process, as System Events shows it.
    pub(crate) fn number_of(&self, app: &str) -> Option<i64> {
        let events = self.world.find(SYSTEM_EVENTS).ok().flatten().map(|at| self.world.app(at))?;
        let number = events.model.borrow().len();
        let process = Processes { app: &events, number }.of(app)?;
        let model = events.model.borrow();
        match model.value(process, "unix id") {
            Some(Value::Int(number)) => Some(*number),
            _ => None,
        }
    }

    fn has_quit(&self, app: &App) -> Answer<()> {
        let Some(events) = self.system_events(app) else { return Ok(()) };
        let mut was_in_front = false;
        self.alter(&events, |processes| {
            let process = processes.of(&app.bundle.id);
            was_in_front = process.is_some_and(|process| processes.in_front().contains(&process));
            process.map(Change::Remove).into_iter().collect()
        })?;
        match self.finder() {
            Some((finder, _)) if was_in_front && app.bundle.id != FINDER => self.comes_forward(&finder),
            _ => Ok(()),
        }
    }

    fn comes_forward(&self, app: &Rc<App>) -> Answer<()> {
        let mut before = Vec::new();
        if let Some(events) = self.system_events(app) {
            self.alter(&events, |processes| {
                let front = processes.in_front();
                before = front.iter().map(|process| processes.app_of(*process)).collect();
                let wanted = processes.of(&app.bundle.id);
                let others = front.into_iter().filter(|process| Some(*process) != wanted);
                let set = |object, yes| Change::Set {
                    object,
                    term: "frontmost".to_owned(),
                    value: Value::Bool(yes),
                };
                others
                    .map(|other| set(other, false))
                    .chain(wanted.map(|process| set(process, true)))
                    .collect()
            })?;
        }
        for id in before.iter().filter(|id| **id != app.bundle.id) {
            if let Some(at) = self.world.find(id).map_err(broken)? {
                self.set_front(&self.world.app(at), false)?;
            }
        }
        self.set_front(app, true)
    }

    fn set_front(&self, app: &Rc<App>, yes: bool) -> Answer<()> {
        let set = Change::Set { object: APP, term: "frontmost".to_owned(), value: Value::Bool(yes) };
        let work = |changes: &Changes| {
            changes.apply(set);
            Ok(())
        };
        self.world.change(app, work, broken)
    }

    fn is_in_front(&self, id: &str) -> bool {
        let app = self.world.find(id).ok().flatten().map(|at| self.world.app(at));
        app.is_some_and(|app| app.model.borrow().value(APP, "frontmost") == Some(&Value::Bool(true)))
    }

    /// Returns System Events, which lists the processes; `None` for System Events itself, which it does not list.
    fn system_events(&self, of: &App) -> Option<Rc<App>> {
        let other = of.bundle.id != SYSTEM_EVENTS;
        other.then(|| self.world.find(SYSTEM_EVENTS).ok().flatten()).flatten().map(|at| self.world.app(at))
    }

    fn alter(&self, events: &Rc<App>, changes: impl FnOnce(&Processes<'_>) -> Vec<Change>) -> Answer<()> {
        let work = |made: &Changes| {
            let number = events.model.borrow().len();
            let changes = changes(&Processes { app: events, number });
            changes.into_iter().for_each(|change| made.apply(change));
            Ok(())
        };
        self.world.change(events, work, broken)
    }
}

/// The processes in System Events's data.
struct Processes<'a> {
    app: &'a App,
    /// The number of its objects.
    number: usize,
}

impl Processes<'_> {
    fn all(&self) -> Vec<ObjectId> {
        let model = self.app.model.borrow();
        let listed = |(class, children): &(_, Children)| match children {
            Children::Own(ids) if model.name(*class).as_ref() == PROCESS => ids.clone(),
            _ => Vec::new(),
        };
        model.object(APP).elements.iter().flat_map(listed).filter(|id| !model.object(*id).gone).collect()
    }

    fn app_of(&self, process: ObjectId) -> String {
        let model = self.app.model.borrow();
        let id = model.value(process, "bundle identifier").and_then(Value::as_text);
        id.unwrap_or_default().to_owned()
    }

    fn of(&self, app: &str) -> Option<ObjectId> {
        self.all().into_iter().find(|process| self.app_of(*process) == app)
    }

    fn in_front(&self) -> Vec<ObjectId> {
        let model = self.app.model.borrow();
        let in_front = |process: &ObjectId| model.value(*process, "frontmost") == Some(&Value::Bool(true));
        self.all().into_iter().filter(in_front).collect()
    }

    /// Makes the process of an app that has started, without windows.
    fn new_one(&self, app: &App) -> Change {
        let number = FIRST_PROCESS + i64::try_from(self.number).unwrap_or_default();
        let name = || Value::text(app.bundle.name.as_str());
        let values = [
            ("name", name()),
            ("displayed name", name()),
            ("short name", name()),
            ("title", name()),
            ("id", Value::Int(4096 + number)),
            ("unix id", Value::Int(number)),
            ("bundle identifier", Value::text(app.bundle.id.as_str())),
            ("background only", Value::Bool(false)),
            ("visible", Value::Bool(true)),
            ("frontmost", Value::Bool(false)),
            ("has scripting terminology", Value::Bool(true)),
            ("accepts high level events", Value::Bool(true)),
            ("accepts remote events", Value::Bool(false)),
            ("architecture", Value::text("arm64")),
            ("Classic", Value::Bool(false)),
            ("role", Value::text("AXApplication")),
            ("role description", Value::text("application")),
        ];
        let values = values.into_iter().map(|(term, value)| (term.to_owned(), value)).collect();
        Change::Add(Added { of: APP, listed: PROCESS.to_owned(), class: None, at: None, values })
    }
}
