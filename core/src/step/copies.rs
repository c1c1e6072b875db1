//! Copies of objects: what an undo needs to delete them again.

use serde_json::{Value as Json, json};

use super::set::begin::{checked, slot};
use super::show::{told, value};
use super::{World, create};
use crate::action::{Action, Copies, Deed, Invocation};
use crate::app::App;
use crate::call::{CommandCall, Mode};
use crate::change::{Change, DUPLICATE, Expected, Look, Subject, home};
use crate::dictionary::{Dictionary, Identifier};
use crate::fault::Fault;
use crate::identity::identity;
use crate::marshal::Given;
use crate::permission::may_read;
use crate::specifier::{By, Id, Path, Segment, find_property, quoted, read_source};
use crate::undo::{Made, Undo, Way};
use crate::value::Value;

/// The values to read from each copy; `None` if the command makes none, or replaces older objects by them.
pub(super) fn of(invocation: &Invocation, app: &App, dictionary: &Dictionary) -> Option<Copies> {
    if invocation.code != DUPLICATE || invocation.replaces() {
        return None;
    }
    let class = invocation.direct.as_ref()?.objects().first()?.class().to_owned();
    let (label, looks) = create::looks_of_copy(invocation, &class, app, dictionary);
    let id = identity(dictionary, &class).id();
    let originals = invocation.direct.as_ref()?.objects().into_iter().cloned().collect();
    Some(Copies { id, label, looks, originals })
}

/// The note about a copy that cannot be told from its original.
pub(super) const SHARED: &str = "the app gave the copy the id of its original, so the copy has no reference of its own: find it with iac_mcp_get_elements";

/// Whether an app gave a copy the id of its original.
pub(super) fn is_shared(answer: &Json) -> bool {
    answer.get("$").and_then(Json::as_str) == Some("shared")
}

/// Splits a script's answer into the app's own answer and the undo of each copy.
pub(super) fn split(
    copies: &Copies,
    answer: &Json,
    app: &App,
    world: &mut World<'_>,
) -> (Json, Vec<Option<Undo>>) {
    match answer {
        Json::Array(items) => {
            let (answers, undos) = items.iter().map(|item| one(copies, item, app, world)).unzip();
            (Json::Array(answers), undos)
        }
        single => {
            let (answer, undo) = one(copies, single, app, world);
            (answer, vec![undo])
        }
    }
}

fn one(copies: &Copies, answer: &Json, app: &App, world: &mut World<'_>) -> (Json, Option<Undo>) {
    match answer.get("$").and_then(Json::as_str) {
        Some("copied") => (answer["value"].clone(), undo(copies, answer, app, world)),
        Some("shared") => (Json::Null, None),
        _ => (answer.clone(), None),
    }
}

/// The undo of a copy; `None` if nothing leads to it for certain.
fn undo(copies: &Copies, answer: &Json, app: &App, world: &mut World<'_>) -> Option<Undo> {
    let dictionary = app.dictionary().ok()?;
    let Value::Object(source) = value(&answer["copy"], None, dictionary) else { return None };
    let path = path(read_source(dictionary, &source)?, &answer["id"])?;
    if copies.originals.contains(&path) {
        return None;
    }
    let shown = answer["looks"].as_array()?;
    let label = copies.label.as_ref().filter(|label| may_read(label.as_str(), app, world.gate, world.now));
    let at = label
        .and_then(|label| copies.looks.iter().position(|look| *look == Look::Property(vec![label.clone()])));
    let words = match at.map(|at| value(shown.get(at).unwrap_or(&Json::Null), None, dictionary)) {
        Some(Value::Text(name)) => format!("{} {}", path.class(), quoted(&name)),
        _ => told(&path, app, world),
    };
    let looks = copies.looks.iter().map(Look::spelled).zip(shown.iter().cloned()).collect();
    let made = Made { object: path.to_json(), words, is_top: true, looks, is_lost: false };
    Some(Undo {
        id: Undo::id((world.fresh)()),
        call: None,
        is_undo: false,
        app: app.bundle_id.to_string(),
        object: made.object.clone(),
        words: made.words.clone(),
        mark: None,
        at: world.now,
        way: Way::Create { made: vec![made], stays: Vec::new() },
    })
}

/// The path to a copy: the app's own, or by its id.
fn path(path: Path, id: &Json) -> Option<Path> {
    if path.is_stable() {
        return path.last().is_some().then_some(path);
    }
    let (container, Segment::Element(member, _)) = path.last()? else { return None };
    let id = match id {
        Json::String(id) => Id::Text(id.clone()),
        id => Id::Number(id.as_i64()?),
    };
    let path = container.then(Segment::Element(member.clone(), By::Id(id)));
    path.is_stable().then_some(path)
}

/// The same call with the properties of a copy as values to set on it. An app may ignore the parameter of `duplicate`
/// without an error. The server judges each value that it sets itself by its property, and reads it back.
pub(super) fn set_after(call: &CommandCall, invocation: &Invocation) -> Option<CommandCall> {
    let runs = call.mode == Mode::Run && invocation.code == DUPLICATE;
    let parameter = Identifier::of(WITH_PROPERTIES).filter(|_| runs)?;
    let key = call.arguments.keys().find(|key| Identifier::of(key).as_ref() == Some(&parameter))?.clone();
    let mut call = call.clone();
    let Json::Object(values) = call.arguments.shift_remove(&key).filter(|values| *values != json!({}))?
    else {
        return None;
    };
    let object = &mut call.then.object;
    for (term, value) in values {
        object.properties.entry(term).or_insert(value);
    }
    if object.place.is_empty() {
        object.place = format!("arguments.{key}");
    }
    Some(call)
}

/// The same call with the container of a copy as its destination: a value that moves the copy afterwards would leave
/// its reference and its undo at the old place.
///
/// # Errors
/// The call has a destination, too.
pub(super) fn to_its_container(
    call: &CommandCall,
    invocation: &Invocation,
    app: &App,
    world: &mut World<'_>,
) -> Result<Option<(CommandCall, Action)>, Fault> {
    let dictionary = app.dictionary()?;
    let direct = invocation.direct.iter().flat_map(Given::objects);
    let mut of =
        direct.filter_map(|path| Some((path, home(dictionary, path.class(), path.last()?.0.class())?)));
    let Some((path, home)) = of.next().filter(|_| invocation.code == DUPLICATE) else { return Ok(None) };
    let mut call = call.clone();
    let properties = &mut call.then.object.properties;
    let Some(key) = properties.keys().find(|key| Identifier::of(key).as_ref() == Some(&home)).cloned() else {
        return Ok(None);
    };
    let value = properties.shift_remove(&key).unwrap_or_default();
    // A rule about the property counts, too.
    let property = find_property(dictionary, path.class(), &key)?;
    let values = vec![checked(&value, property, app, world)?];
    let slots = vec![slot(&app.bundle_id, property)?];
    let subject = Subject::of(&app.bundle_id, dictionary, path.clone(), slots);
    let set = Change { subject, expected: Expected::default(), values, loses: None, save: None };
    if call.arguments.insert("to".to_owned(), value).is_some() {
        let message = format!("`to` and `{key}` both say where the copy goes");
        return Err(Fault::parameter(key, message, "give its container once, as `to`"));
    }
    Ok(Some((call, Action::of(app, Deed::Set(vec![set])))))
}

/// The standard suite's parameter of `duplicate` and `make`.
const WITH_PROPERTIES: &str = "with properties";
