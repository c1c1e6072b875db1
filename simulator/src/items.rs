//! The disk items of System Events. For each event, objects are made from the files at their paths, because the
//! Finder, the Objective-C bridge and all other processes work on the same files.

mod entry;
mod overlay;
mod plists;
mod writes;

use crate::event::{Event, Kind};
use crate::os_error::{Answer, FAILED, refuse};
use crate::session::{self, Behaviour, Session};
use crate::value::Value;
use crate::value::specifier::{Specifier, Step};
use crate::world::App;
pub(crate) use entry::type_of;
use overlay::Overlay;
use std::rc::Rc;

/// The class of all disk items.
const ITEM: &str = "disk item";

/// Whether an event is about disk items.
pub(crate) fn concerns(app: &App, event: &Event) -> bool {
    if !app.model.borrow().files {
        return false;
    }
    let made = event.parameters.get("new").and_then(Value::as_text);
    let makes =
        made.is_some_and(|class| is_item(app, class) || class.eq_ignore_ascii_case("propertyListFile"));
    let direct = event.direct.iter().chain(event.parameters.values());
    makes || leads_there(app, &event.target) || direct.into_iter().any(|value| names_one(app, value))
}

/// Handles an event about disk items.
pub(crate) fn perform(
    session: &Session,
    app: &Rc<App>,
    event: &Event,
    behaviour: &dyn Behaviour,
) -> Answer<Value> {
    let mut overlay = Overlay::new(session, app, event.target.root);
    let event = overlay.reached(event);
    match &event.kind {
        Kind::Set => writes::set(&mut overlay, &event, behaviour),
        Kind::Command(name) if !event.kind.reads() => {
            overlay.look(|view| view.admitted(&event))?;
            match &**name {
                "delete" => writes::delete(&overlay, &event),
                "move" => writes::relocate(&mut overlay, &event, behaviour),
                "make" => writes::make(&mut overlay, &event, behaviour),
                // `open` does not return the windows that it opens.
                "open" => overlay.look(|view| view.meant(&event.target)).map(|_| Value::Missing),
                _ => refuse(FAILED),
            }
        }
        _ => overlay.look(|view| view.perform(&event).map(|outcome| session::reply(view, outcome.reply))),
    }
}

fn names_one(app: &App, value: &Value) -> bool {
    match value {
        Value::Object(specifier) => leads_there(app, specifier),
        Value::List(items) => items.iter().any(|item| names_one(app, item)),
        _ => false,
    }
}

/// Whether a specifier passes through disk items.
fn leads_there(app: &App, specifier: &Specifier) -> bool {
    let here = match &specifier.step {
        Step::Elements { class, .. } => is_item(app, class),
        Step::Property { term, .. } => is_place(term),
        Step::Each { all } => all.iter().any(|each| leads_there(app, each)),
        _ => false,
    };
    here || specifier.of().is_some_and(|of| leads_there(app, of))
}

fn is_item(app: &App, class: &str) -> bool {
    class == "item" || app.schema.is_a(class, ITEM)
}

/// Whether a property of System Events, of a domain or of a process has a disk item as its value.
fn is_place(term: &str) -> bool {
    term.ends_with(" folder") || ["startup disk", "trash", "container"].contains(&term) || is_program(term)
}

/// Whether a property of a process leads to its app on disk.
fn is_program(term: &str) -> bool {
    ["file", "application file"].contains(&term)
}
