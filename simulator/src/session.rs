//! One osascript process at a simulated Mac: sends events to apps, and keeps the trace.

use crate::additions::Additions;
use crate::conditions::faults::Effect;
use crate::conditions::latency::Work;
use crate::conditions::{Conditions, wait};
use crate::event::Event;
use crate::files::{Files, Kind, Refusal};
use crate::items;
use crate::os_error::{
    Answer, BROKEN, CONNECTION, FAILED, NOT_AUTHORIZED, NOT_UNDERSTOOD, OsError, SCRIPT, refuse,
};
use crate::output;
use crate::resolve::View;
use crate::specifier::{Root, Specifier, describe};
use crate::trace::{Trace, Traced};
use crate::value::{ObjectId, Value};
use crate::world::change::Change;
use crate::world::{App, Changes, World, WorldError};
use crate::write::Reply;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// Whose objects are the files of people.
const FINDER: &str = "com.apple.finder";

/// A process's end of the simulated Mac.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) world: World,
    pub(crate) trace: Trace,
    pub(crate) conditions: Conditions,
    pub(crate) additions: Additions,
    pub(crate) files: Files,
}

/// What an app does that its dictionary does not say.
pub(crate) trait Behaviour {
    /// Performs an event; `None` leaves it to the dictionary.
    fn perform(&self, app: &Rc<App>, event: &Event, changes: &Changes) -> Option<Answer<Value>>;
}

impl Session {
    /// Finds an app for `Application()`.
    pub(crate) fn find(&self, target: &str) -> Answer<usize> {
        let found = self.world.find(target).map_err(broken)?;
        found.ok_or_else(|| OsError::new(SCRIPT, "Application can't be found."))
    }

    /// What stands at a path: a file that scripts can read, else an item of the Finder.
    pub(crate) fn file_kind(&self, path: &str) -> Kind {
        let seen = self.files.kind(path);
        if seen != Kind::Nothing || !self.is_home(path) {
            return seen;
        }
        self.in_finder(
            path,
            |view, id| if view.class(id).is_a("container") { Kind::Folder } else { Kind::File },
        )
        .unwrap_or(Kind::Nothing)
    }

    /// The names in a folder, those that only the Finder knows too.
    pub(crate) fn file_names(&self, path: &str) -> Option<Vec<String>> {
        let mut names = self.files.list(path);
        if self.is_home(path) {
            let items = self.in_finder(path, |view, id| view.names_in(id)).flatten();
            if let Some(items) = items {
                names.get_or_insert_default().extend(items);
            }
        }
        let mut names = names?;
        names.sort();
        names.dedup();
        Some(names)
    }

    /// Where the app lies that is in front.
    pub(crate) fn frontmost_path(&self) -> Option<String> {
        let running = self.world.running().ok()?;
        let (name, ..) = running.into_iter().find(|(.., front)| *front)?;
        let at = self.world.find(&name).ok()??;
        Some(self.world.path_of(&self.world.app(at)))
    }

    /// Whether a path lies in the home, whose files are the Finder's too.
    pub(crate) fn is_home(&self, path: &str) -> bool {
        path.starts_with(&self.world.mac.home)
    }

    /// Writes a file, also into a folder that only the Finder knows so far.
    pub(crate) fn write_file(&self, path: &str, bytes: &[u8]) -> Result<(), Refusal> {
        self.make_room(path);
        self.files.write(path, bytes)
    }

    /// Makes a folder, also in one that only the Finder knows so far.
    pub(crate) fn make_folder(&self, path: &str, between: bool) -> Result<(), Refusal> {
        self.make_room(path);
        self.files.make_folder(path, between)
    }

    /// Copies a file or a folder, also into a folder that only the Finder knows so far.
    pub(crate) fn copy(&self, from: &str, to: &str) -> Result<(), Refusal> {
        self.make_room(to);
        self.files.copy(from, to)
    }

    /// Moves a file or a folder, also into a folder that only the Finder knows so far.
    pub(crate) fn rename(&self, from: &str, to: &str) -> Result<(), Refusal> {
        self.make_room(to);
        self.files.rename(from, to)
    }

    fn make_room(&self, path: &str) {
        let folder = path.trim_end_matches('/').rsplit_once('/').map_or("/", |(folder, _)| folder);
        if self.files.kind(folder) == Kind::Nothing && self.file_kind(folder) == Kind::Folder {
            // Where it cannot be made, writing into it says why.
            _ = self.files.make_folder(folder, true);
        }
    }

    /// The app that keeps the files of people.
    pub(crate) fn finder(&self) -> Option<(Rc<App>, Root)> {
        let at = self.world.find(FINDER).ok().flatten()?;
        Some((self.world.app(at), Root::App(at)))
    }

    /// Looks at the item that the Finder has at a path.
    pub(crate) fn in_finder<T>(&self, path: &str, see: impl FnOnce(&View<'_>, ObjectId) -> T) -> Option<T> {
        let (app, root) = self.finder()?;
        self.look(&app, root, |view| view.at_path(path).map(|id| see(view, id)))
    }

    /// Lets an app do what another asks of it.
    pub(crate) fn performed_by(
        &self,
        app: &Rc<App>,
        event: &Event,
        behaviour: &dyn Behaviour,
    ) -> Answer<Value> {
        self.perform(app, event, false, behaviour).0
    }

    /// Deletes an object of an app.
    pub(crate) fn remove_object(&self, app: &Rc<App>, id: ObjectId) -> Answer<()> {
        let remove = |changes: &Changes| {
            changes.apply(Change::Remove(id));
            Ok(())
        };
        self.world.change(app, remove, broken)
    }

    /// Sends an event, launching the app if it does not run, and writes the trace.
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
        let answer = self.deliver(&app, event, behaviour);
        let with = if self.trace.is_on() { event.shown() } else { BTreeMap::new() };
        self.record(&app, (event.kind.name(), with), &event.target, start.elapsed(), answer.as_ref().err());
        answer
    }

    /// Lets the app answer when it is this event's turn, under the conditions that hold.
    fn deliver(&self, app: &Rc<App>, event: &Event, behaviour: &dyn Behaviour) -> Answer<Value> {
        let id = app.bundle.id.as_str();
        let deadline = self.conditions.deadline();
        let turn = self.conditions.turn(id, deadline)?;
        let effect = match &self.conditions.faults {
            Some(faults) => faults.meet(id, event.kind.name(), &describe(&event.target)).map_err(broken)?,
            None => None,
        };
        if effect == Some(Effect::Hang(None)) {
            // The app never serves anybody again while this process lives.
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

    /// What a fault does before the app looks at the event.
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

    /// Looks at an app's objects as they are now.
    pub(crate) fn look<T>(&self, app: &Rc<App>, root: Root, see: impl FnOnce(&View<'_>) -> T) -> T {
        let model = app.model.borrow();
        see(&View::new(app, &model, root, self.world.now()))
    }

    fn perform(
        &self,
        app: &Rc<App>,
        event: &Event,
        ignore: bool,
        behaviour: &dyn Behaviour,
    ) -> (Answer<Value>, Work) {
        if !ignore && items::concerns(app, event) {
            return (items::perform(self, app, event, behaviour), Work::default());
        }
        if event.kind.reads() {
            let nothing = Changes::none(app);
            return match behaviour.perform(app, event, &nothing) {
                Some(answer) => (answer, Work::default()),
                None => self.read(app, event),
            };
        }
        let work = |changes: &Changes| {
            if ignore {
                return self.look(app, event.target.root, |view| view.perform(event)).map(|_| Value::Missing);
            }
            match behaviour.perform(app, event, changes) {
                Some(answer) => answer,
                None => self.by_dictionary(app, event, changes),
            }
        };
        (self.world.change(app, work, broken), Work::default())
    }

    /// What an event does where only the dictionary says what its app is.
    pub(crate) fn by_dictionary(&self, app: &Rc<App>, event: &Event, changes: &Changes) -> Answer<Value> {
        let outcome = self.look(app, event.target.root, |view| view.perform(event))?;
        outcome.changes.into_iter().for_each(|change| changes.apply(change));
        Ok(self.look(app, event.target.root, |view| reply(view, outcome.reply)))
    }

    /// Notes a command of Standard Additions, which the object it is called on performs.
    pub(crate) fn addition(&self, target: &Specifier, command: &str) {
        if let Root::App(at) = target.root {
            let event = (command, BTreeMap::new());
            self.record(&self.world.app(at), event, target, Duration::ZERO, None);
        }
    }

    /// Whether an app runs, by what all processes did so far.
    pub(crate) fn is_running(&self, app: &App) -> Answer<bool> {
        self.world.sync().map_err(broken)?;
        Ok(app.model.borrow().running)
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
        self.record(app, ("launch", BTreeMap::new()), &Specifier::root(Root::Current), Duration::ZERO, None);
        Ok(())
    }

    fn read(&self, app: &Rc<App>, event: &Event) -> (Answer<Value>, Work) {
        let model = app.model.borrow();
        let view = View::new(app, &model, event.target.root, self.world.now());
        let answer = view.perform(event).map(|outcome| reply(&view, outcome.reply));
        let values = answer.as_ref().map_or(0, leaves);
        (answer, Work { elements: view.gone_through(), values })
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

/// A world that cannot be read is no fault of the script, and is said in the error's text.
fn broken(error: WorldError) -> OsError {
    OsError::new(BROKEN, error.to_string())
}

fn not_authorized<T>(app: &App) -> Answer<T> {
    Err(OsError::new(NOT_AUTHORIZED, format!("Not authorized to send Apple events to {}.", app.bundle.name)))
}

/// How many values an answer carries.
fn leaves(value: &Value) -> usize {
    match value {
        Value::List(items) => items.iter().map(leaves).sum(),
        Value::Record(fields) => fields.values().map(leaves).sum(),
        _ => 1,
    }
}

/// What travels back: objects by the specifiers that the app gives them.
pub(crate) fn reply(view: &View<'_>, reply: Reply) -> Value {
    match reply {
        Reply::Nothing => Value::Missing,
        Reply::Value(value) => value,
        Reply::Objects(ids) => match ids.as_slice() {
            [id] => Value::Object(view.specifier(*id)),
            ids => Value::List(ids.iter().map(|id| Value::Object(view.specifier(*id))).collect()),
        },
    }
}
