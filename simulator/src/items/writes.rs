//! Events that change disk items. Items in the home folder belong to the Finder's data, all others are the world's
//! files.

use super::entry::{Entry, below, parent, spelled};
use super::overlay::Overlay;
use super::plists;
use crate::event::{Event, Kind};
use crate::files::Refusal;
use crate::os_error::{Answer, FAILED, OsError, refuse};
use crate::session::{self, Behaviour};
use crate::value::specifier::{Root, Specifier, Step};
use crate::value::{ObjectId, Value};
use crate::world::change::Change;
use std::rc::Rc;

/// Carbon's error number for a name that is taken.
const TAKEN: i32 = -48;
const PRIVILEGES: i32 = -10004;

/// Converts a failure of a file operation to an error for the script.
pub(super) fn refused(refusal: Refusal) -> OsError {
    match refusal {
        Refusal::Gone | Refusal::NoFolder => OsError::of(-43),
        Refusal::Denied => OsError::of(PRIVILEGES),
        Refusal::Taken => OsError::of(TAKEN),
    }
}

/// `set`: renames an item, or changes a value in a property list.
pub(super) fn set(overlay: &mut Overlay<'_>, event: &Event, behaviour: &dyn Behaviour) -> Answer<Value> {
    let value = event.direct.as_ref().unwrap_or(&Value::Missing);
    let outcome = overlay.look(|view| view.set(&event.target, value))?;
    for change in outcome.changes {
        let Change::Set { object, term, value } = change else { continue };
        match (term.as_str(), value.as_text()) {
            ("name", Some(name)) => rename(overlay, object, name, behaviour)?,
            ("value", _) => plists::write(overlay, object, None, &value)?,
            _ => return refuse(FAILED),
        }
    }
    Ok(Value::Missing)
}

fn rename(overlay: &Overlay<'_>, item: ObjectId, name: &str, behaviour: &dyn Behaviour) -> Answer<()> {
    let path = overlay.path(item)?;
    if let Some(finder) = Finder::with(overlay, &path) {
        let target = Step::Property { of: finder.specifier(), term: "name".into() };
        let mut event = Event::new(Kind::Set, Specifier::then(finder.root, target));
        event.direct = Some(Value::text(name));
        return finder.perform(&event, behaviour).map(drop);
    }
    let new = below(parent(&path), name);
    free(overlay, &new)?;
    overlay.session.rename(&path, &new).map_err(refused)
}

/// Checks that nothing exists at a path.
fn free(overlay: &Overlay<'_>, path: &str) -> Answer<()> {
    let taken = Entry::at(overlay.session, path).map(|_| refused(Refusal::Taken));
    taken.map_or(Ok(()), Err)
}

/// `delete`: removes items for good, without the trash.
pub(super) fn delete(overlay: &Overlay<'_>, event: &Event) -> Answer<Value> {
    let targets = overlay.look(|view| view.meant(&event.target))?;
    for target in targets {
        let path = movable(overlay, target)?;
        match Finder::with(overlay, &path) {
            Some(finder) => finder.remove()?,
            None => overlay.session.files.remove(&path).map_err(refused)?,
        }
    }
    Ok(Value::Missing)
}

/// `move`: moves items into another folder, in which the name must be free.
pub(super) fn relocate(overlay: &mut Overlay<'_>, event: &Event, behaviour: &dyn Behaviour) -> Answer<Value> {
    // Text that is not a path does not name a folder.
    let Some(Value::Object(to)) = event.parameters.get("to") else { return refuse(FAILED) };
    let to = overlay.look(|view| view.container(to))?;
    let folder = overlay.path(to)?;
    let targets = overlay.look(|view| view.meant(&event.target))?;
    let paths: Vec<String> = targets.iter().map(|id| movable(overlay, *id)).collect::<Answer<_>>()?;
    let mut moved = Vec::new();
    for path in &paths {
        let name = path.rsplit('/').next().unwrap_or_default();
        let new = format!("{}/{name}", folder.trim_end_matches('/'));
        free(overlay, &new)?;
        one_to(overlay, (path, &folder, &new), behaviour)?;
        moved.extend(overlay.item(&new, None));
    }
    let reply = crate::write::Reply::Objects(moved);
    Ok(overlay.look(|view| session::reply(view, reply)))
}

/// Returns the path of an item that can be moved. The disk cannot.
fn movable(overlay: &Overlay<'_>, id: ObjectId) -> Answer<String> {
    let path = overlay.path(id)?;
    if path == "/" { refuse(FAILED) } else { Ok(path) }
}

fn one_to(
    overlay: &Overlay<'_>,
    (path, folder, new): (&str, &str, &str),
    behaviour: &dyn Behaviour,
) -> Answer<()> {
    match (Finder::with(overlay, path), Finder::with(overlay, folder)) {
        (Some(finder), Some(place)) => {
            let mut event = Event::new(Kind::Command("move".into()), finder.specifier());
            event.parameters.insert("to".into(), Value::Object(place.specifier()));
            finder.perform(&event, behaviour).map(drop)
        }
        // The Finder's items are only data. They have no bytes that could be written elsewhere.
        (Some(_), None) => refuse(PRIVILEGES),
        (None, _) => overlay.session.rename(path, new).map_err(refused),
    }
}

/// `make`: a folder in a folder, a property list file, or a value in one.
pub(super) fn make(overlay: &mut Overlay<'_>, event: &Event, behaviour: &dyn Behaviour) -> Answer<Value> {
    let class = event.parameters.get("new").and_then(Value::as_text).unwrap_or_default();
    let class = overlay.look(|view| view.class_named(class))?;
    let at = match event.parameters.get("at") {
        Some(Value::Object(at)) => Some(overlay.look(|view| view.container(at))?),
        _ => None,
    };
    let given = |term: &str| match event.parameters.get("withProperties") {
        Some(Value::Record(fields)) => fields.get(term).cloned(),
        _ => None,
    };
    let name = given("name").as_ref().and_then(Value::as_text).map(str::to_owned);
    let Some(name) = name else { return refuse(FAILED) };
    if let (plists::ITEM, Some(at)) = (&*class.name, at) {
        plists::write(overlay, at, Some(&name), &given("value").unwrap_or(Value::text("")))?;
        return Ok(Value::Missing);
    }
    let folder = at.map(|at| overlay.path(at)).transpose()?;
    let path = match &folder {
        Some(folder) => Some(below(folder, &name)),
        None => spelled(&name, overlay.home()),
    };
    let Some(path) = path else { return refuse(FAILED) };
    free(overlay, &path)?;
    let guise = match &*class.name {
        "folder" => make_folder(overlay, &path, behaviour).map(|()| None)?,
        "property list file" => plists::create(overlay, &path).map(|()| Some("property list file"))?,
        _ => return refuse(FAILED),
    };
    let made = overlay.item(&path, guise);
    Ok(overlay.look(|view| session::reply(view, crate::write::Reply::Objects(made.into_iter().collect()))))
}

fn make_folder(overlay: &Overlay<'_>, path: &str, behaviour: &dyn Behaviour) -> Answer<()> {
    let folder = parent(path);
    let Some(finder) = Finder::with(overlay, folder) else {
        return overlay.session.make_folder(path, false).map_err(refused);
    };
    let mut event = Event::new(Kind::Command("make".into()), Specifier::root(finder.root));
    event.parameters.insert("new".into(), Value::text("folder"));
    event.parameters.insert("at".into(), Value::Object(finder.specifier()));
    let name = path.rsplit('/').next().unwrap_or_default().replace(':', "/");
    let properties = [("name".into(), Value::text(name))].into_iter().collect();
    event.parameters.insert("withProperties".into(), Value::Record(Box::new(properties)));
    finder.perform(&event, behaviour).map(drop)
}

/// An item of the Finder, which has the files in the home folder.
struct Finder<'a> {
    overlay: &'a Overlay<'a>,
    app: Rc<crate::world::App>,
    root: Root,
    item: ObjectId,
}

impl<'a> Finder<'a> {
    /// Returns the Finder's item at a path, if there is one.
    fn with(overlay: &'a Overlay<'a>, path: &str) -> Option<Self> {
        let session = overlay.session;
        let (app, root) = session.finder().filter(|_| session.is_home(path))?;
        let item = session.in_finder(path, |_, id| id)?;
        Some(Self { overlay, app, root, item })
    }

    fn specifier(&self) -> Rc<Specifier> {
        self.overlay.session.look(&self.app, self.root, |view| view.specifier(self.item))
    }

    fn perform(&self, event: &Event, behaviour: &dyn Behaviour) -> Answer<Value> {
        self.overlay.session.performed_by(&self.app, event, behaviour)
    }

    fn remove(&self) -> Answer<()> {
        self.overlay.session.remove_object(&self.app, self.item)
    }
}
