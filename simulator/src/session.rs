//! One osascript process on a simulated Mac: which apps and files it sees, and how an app handles an event.

use crate::additions::Additions;
use crate::conditions::Conditions;
use crate::conditions::latency::Work;
use crate::event::{Event, Kind as EventKind};
use crate::files::{Attributes, Files, Kind, Refusal};
use crate::os_error::{Answer, BROKEN, OsError, SCRIPT};
use crate::resolve::View;
use crate::trace::Trace;
use crate::value::specifier::{Root, Step};
use crate::value::{APP, ObjectId, Value};
use crate::world::change::Change;
use crate::world::{App, Changes, World, WorldError};
use crate::write::Reply;
use std::cell::RefCell;
use std::rc::Rc;

/// The Finder, whose objects are the user's files.
const FINDER: &str = "com.apple.finder";

/// System Events, which lists the running processes.
pub(crate) const PROCESSES: &str = "com.apple.systemevents";

/// The state of one process on the simulated Mac.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) world: World,
    pub(crate) trace: Trace,
    pub(crate) conditions: Conditions,
    pub(crate) additions: Additions,
    pub(crate) files: Files,
    /// Files in the home folder that an app wrote during its event, with their sizes. Afterwards they become Finder
    /// items.
    pub(crate) saved: RefCell<Vec<(String, i64)>>,
}

/// Behaviour of an app that its dictionary cannot describe.
pub(crate) trait Behaviour {
    /// Handles an event; `None` leaves it to the dictionary.
    fn perform(&self, app: &Rc<App>, event: &Event, changes: &Changes) -> Option<Answer<Value>>;
}

impl Session {
    /// Finds the app for `Application()`.
    pub(crate) fn find(&self, target: &str) -> Answer<usize> {
        let found = self.world.find(target).map_err(broken)?;
        found.ok_or_else(|| OsError::new(SCRIPT, "Application can't be found."))
    }

    /// Returns the bundle id of the app with a process id, according to System Events.
    pub(crate) fn app_of_process(&self, number: i64) -> Option<String> {
        let at = self.world.find(PROCESSES).ok().flatten()?;
        let all = |view: &View<'_>| {
            let same = |id: &ObjectId| view.model().value(*id, "unix id") == Some(&Value::Int(number));
            let process = view.stored(APP, "process").into_iter().find(same)?;
            view.model().value(process, "bundle identifier")?.as_text().map(str::to_owned)
        };
        self.look(&self.world.app(at), Root::App(at), all)
    }

    /// Returns the kind of file at a path: of a file that scripts can read, or else of a Finder item.
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

    /// Returns the names in a folder, including those of Finder items.
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

    /// Returns the path of the frontmost app.
    pub(crate) fn frontmost_path(&self) -> Option<String> {
        let running = self.world.running().ok()?;
        let (name, ..) = running.into_iter().find(|(.., front)| *front)?;
        let at = self.world.find(&name).ok()??;
        Some(self.world.path_of(&self.world.app(at)))
    }

    /// Whether a path is in the home folder, whose files are also Finder items.
    pub(crate) fn is_home(&self, path: &str) -> bool {
        self.files.absolute(path).starts_with(&self.world.mac.home)
    }

    /// Writes a file, even into a folder that exists only as a Finder item.
    pub(crate) fn write_file(&self, path: &str, bytes: &[u8]) -> Result<(), Refusal> {
        self.make_room(path);
        self.files.write(path, bytes)
    }

    /// Saves a file of a given size for an app: as a Finder item in the home folder, or else as a file that scripts
    /// can read.
    pub(crate) fn save(&self, path: &str, size: i64) -> Result<(), Refusal> {
        let folder = path.trim_end_matches('/').rsplit_once('/').map_or("/", |(folder, _)| folder);
        match (self.file_kind(path), self.file_kind(folder)) {
            (Kind::Folder, _) => Err(Refusal::Denied),
            (Kind::File, _) => Err(Refusal::Taken),
            (Kind::Nothing, Kind::Folder)
                if self.in_finder(folder, |_, _| ()).is_some() && self.is_home(path) =>
            {
                self.saved.borrow_mut().push((path.to_owned(), size));
                Ok(())
            }
            (Kind::Nothing, Kind::Folder) => {
                self.files.write(path, &vec![b'.'; usize::try_from(size).unwrap_or_default()])
            }
            (Kind::Nothing, _) => Err(Refusal::NoFolder),
        }
    }

    /// Returns the size of a file in bytes, from the Finder or from the file itself.
    pub(crate) fn size_of(&self, path: &str) -> Option<i64> {
        let size = |view: &View<'_>, id| match view.model().value(id, "size") {
            Some(Value::Int(size)) => Some(*size),
            _ => None,
        };
        let own = || self.files.attributes(path).and_then(|found| i64::try_from(found.size).ok());
        self.is_home(path).then(|| self.in_finder(path, size).flatten()).flatten().or_else(own)
    }

    /// Returns the attributes of a file: from the file itself, or else from the Finder item.
    pub(crate) fn attributes(&self, path: &str) -> Option<Attributes> {
        let item = |view: &View<'_>, id| {
            let seconds = |term: &str| match view.model().value(id, term) {
                #[expect(clippy::cast_precision_loss, reason = "a script's times are doubles")]
                Some(Value::Date(seconds)) => *seconds as f64,
                _ => 0.0,
            };
            (seconds("modification date"), seconds("creation date"))
        };
        self.files.attributes(path).or_else(|| {
            let (modified, created) = self.is_home(path).then(|| self.in_finder(path, item))??;
            let size = u64::try_from(self.size_of(path)?).ok()?;
            Some(Attributes { kind: self.file_kind(path), size, modified, created })
        })
    }

    /// Makes Finder items for the files that an app has saved.
    pub(crate) fn hand_over(&self) -> Answer<()> {
        let saved = self.saved.take();
        let Some((app, root)) = self.finder().filter(|_| !saved.is_empty()) else { return Ok(()) };
        let work = |changes: &Changes| {
            for (path, size) in &saved {
                let added = self.look(&app, root, |view| view.new_file(path, *size));
                added.into_iter().for_each(|added| changes.apply(Change::Add(added)));
            }
            Ok(())
        };
        self.world.change(&app, work, broken)
    }

    /// Makes a folder, even in one that exists only as a Finder item.
    pub(crate) fn make_folder(&self, path: &str, between: bool) -> Result<(), Refusal> {
        self.make_room(path);
        self.files.make_folder(path, between)
    }

    /// Copies a file or folder, even into a folder that exists only as a Finder item.
    pub(crate) fn copy(&self, from: &str, to: &str) -> Result<(), Refusal> {
        self.make_room(to);
        self.files.copy(from, to)
    }

    /// Moves a file or folder, even into a folder that exists only as a Finder item.
    pub(crate) fn rename(&self, from: &str, to: &str) -> Result<(), Refusal> {
        self.make_room(to);
        self.files.rename(from, to)
    }

    fn make_room(&self, path: &str) {
        let folder = path.trim_end_matches('/').rsplit_once('/').map_or("/", |(folder, _)| folder);
        if self.files.kind(folder) == Kind::Nothing && self.file_kind(folder) == Kind::Folder {
            // If this fails, the following write reports why.
            _ = self.files.make_folder(folder, true);
        }
    }

    /// Returns the Finder.
    pub(crate) fn finder(&self) -> Option<(Rc<App>, Root)> {
        let at = self.world.find(FINDER).ok().flatten()?;
        Some((self.world.app(at), Root::App(at)))
    }

    /// Reads from the Finder item at a path.
    pub(crate) fn in_finder<T>(&self, path: &str, see: impl FnOnce(&View<'_>, ObjectId) -> T) -> Option<T> {
        let (app, root) = self.finder()?;
        let path = self.files.absolute(path);
        self.look(&app, root, |view| view.at_path(&path.to_string_lossy()).map(|id| see(view, id)))
    }

    /// Lets an app perform an event for another app.
    pub(crate) fn performed_by(
        &self,
        app: &Rc<App>,
        event: &Event,
        behaviour: &dyn Behaviour,
    ) -> Answer<Value> {
        self.carry_out(app, event, false, behaviour).0
    }

    /// Deletes an object of an app.
    pub(crate) fn remove_object(&self, app: &Rc<App>, id: ObjectId) -> Answer<()> {
        let remove = |changes: &Changes| {
            changes.apply(Change::Remove(id));
            Ok(())
        };
        self.world.change(app, remove, broken)
    }

    /// Reads an app's objects as they are now.
    pub(crate) fn look<T>(&self, app: &Rc<App>, root: Root, see: impl FnOnce(&View<'_>) -> T) -> T {
        let model = app.model.borrow();
        see(&View::new(app, &model, root, self.world.now()))
    }

    /// Lets an app handle an event: with its behaviour script if that has a handler, or else by its dictionary.
    pub(crate) fn carry_out(
        &self,
        app: &Rc<App>,
        event: &Event,
        ignore: bool,
        behaviour: &dyn Behaviour,
    ) -> (Answer<Value>, Work) {
        if event.kind.reads() {
            let nothing = Changes::none(app);
            return match behaviour.perform(app, event, &nothing) {
                Some(answer) => (answer, Work::default()),
                None => match self.read(app, event) {
                    (Ok(Value::Bool(false)), work) if self.is_on_disk(app, event, &["exists"]) => {
                        (Ok(Value::Bool(true)), work)
                    }
                    answer => answer,
                },
            };
        }
        let work = |changes: &Changes| {
            if ignore {
                return self.look(app, event.target.root, |view| view.perform(event)).map(|_| Value::Missing);
            }
            if self.is_on_disk(app, event, &["open"]) {
                return Ok(Value::Missing);
            }
            if self.is_on_disk(app, event, &["reveal", "select"]) {
                // The selected file is not in the Finder's data, so the selection becomes empty.
                let (term, value) = ("selection".to_owned(), Value::List(Vec::new()));
                changes.apply(Change::Set { object: APP, term, value });
                return Ok(Value::Missing);
            }
            match behaviour.perform(app, event, changes) {
                Some(answer) => answer,
                None => self.by_dictionary(app, event, changes),
            }
        };
        (self.world.change(app, work, broken), Work::default())
    }

    /// Whether one of these commands to the Finder names the path of an existing file that is not a Finder item.
    fn is_on_disk(&self, app: &App, event: &Event, commands: &[&str]) -> bool {
        let asks = matches!(&event.kind, EventKind::Command(name) if commands.contains(&&**name));
        match &event.target.step {
            Step::Name { name: Value::Text(path), .. } if asks && app.model.borrow().own_class => {
                path.starts_with('/') && self.files.kind(path) != Kind::Nothing
            }
            _ => false,
        }
    }

    pub(crate) fn by_dictionary(&self, app: &Rc<App>, event: &Event, changes: &Changes) -> Answer<Value> {
        let outcome = self.look(app, event.target.root, |view| view.perform(event))?;
        outcome.changes.into_iter().for_each(|change| changes.apply(change));
        Ok(self.look(app, event.target.root, |view| reply(view, outcome.reply)))
    }

    /// Whether an app is running, after applying the changes of all processes.
    pub(crate) fn is_running(&self, app: &App) -> Answer<bool> {
        self.world.sync().map_err(broken)?;
        Ok(app.model.borrow().running)
    }

    fn read(&self, app: &Rc<App>, event: &Event) -> (Answer<Value>, Work) {
        let model = app.model.borrow();
        let view = View::new(app, &model, event.target.root, self.world.now());
        let answer = view.perform(event).map(|outcome| reply(&view, outcome.reply));
        let values = answer.as_ref().map_or(0, leaves);
        (answer, Work { elements: view.gone_through(), values })
    }
}

/// Converts a world error. A world that cannot be read is not the script's fault, and the error's text says so.
pub(crate) fn broken(error: WorldError) -> OsError {
    OsError::new(BROKEN, error.to_string())
}

/// Counts the values in an answer.
fn leaves(value: &Value) -> usize {
    match value {
        Value::List(items) => items.iter().map(leaves).sum(),
        Value::Record(fields) => fields.values().map(leaves).sum(),
        _ => 1,
    }
}

/// Converts an answer. Objects become the specifiers that the app gives them.
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
