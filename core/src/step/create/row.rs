//! Commands with `then` that return no new object: commands in a row, and a move with properties to set on the moved
//! objects. This module also decides which commands return an object.

use serde_json::Value as Json;

use super::begin::{Tree, Unfit, WEIGHTY, is_weighty};
use crate::action::{Action, Deed, Invocation};
use crate::app::{App, same_id};
use crate::bind::by_object;
use crate::call::{Call, CommandCall, How, Named, NewObject, NewValue, Next, SetProperty};
use crate::change::{DELETE, DUPLICATE, home};
use crate::dictionary::{APPLICATION, Dictionary, Identifier};
use crate::fault::{Code, Fault};
use crate::permission::{Decision, classify, decide, moved_by};
use crate::schema::TARGET;
use crate::specifier::{Container, Reader};
use crate::step::asking::refused;
use crate::step::moves::{self, MOVE};
use crate::step::{Step, World, command, first, placing, remember, set};
use crate::words::Level;

/// Commands that return one object: an app (empty for every app), the command, and whether the object is new.
///
/// # Source
/// The standard suite: `open` returns the document, `duplicate` the copy. Mail's dictionary: `reply`, `forward` and
/// `redirect` return the new outgoing message.
const ANSWERS: [(&str, &str, bool); 5] = [
    ("", DUPLICATE, true),
    ("", "aevtodoc", false),
    ("com.apple.mail", "emalrpms", true),
    ("com.apple.mail", "emalfwms", true),
    ("com.apple.mail", "emalrdms", true),
];

/// Begins commands in a row. The first one returns no new object, so `it` means its target, if that is one object.
pub(super) fn start_row(
    call: &CommandCall,
    origin: Invocation,
    app: &App,
    dictionary: &Dictionary,
    world: &mut World<'_>,
) -> Result<Step, Fault> {
    let mut call = call.clone();
    // Among the arguments, `target` means the same if the command has no parameter of that name.
    call.target = call.target.or_else(|| origin.direct.as_ref().and(call.arguments.get(TARGET).cloned()));
    let change = moved_and_set(&call, &origin, app, dictionary, world);
    let mut before = None;
    if let Some(next) = set_on_target(&call, &origin).filter(|_| change.is_none()) {
        before = Some(next.place.clone()).filter(|_| origin.code == MOVE);
        call.then.object = NewObject::default();
        call.then.then.insert(0, next);
    }
    let call = &call;
    if call.then.object != NewObject::default() {
        let Some(change) = change else { return Err(no_answer(&origin, app)) };
        // A client that may not move an object must not set its container property either.
        let action = Action::of(app, Deed::Command(Box::new(origin)));
        if let Decision::Deny(refusal) = decide(action, &app.name, world.gate, world.now) {
            return Ok(refused(refusal, 0));
        }
        return set::start(&change, world);
    }
    let mut tree = Tree::new(app, dictionary, None);
    tree.before = before;
    let is_one = !origin.each && origin.direct.as_ref().is_some_and(|direct| direct.objects().len() == 1);
    // After a move or a delete, the target's path no longer leads to the object.
    let stays = is_one && ![MOVE, DELETE].contains(&origin.code.as_str());
    let reader = Reader { dictionary, home: world.home };
    tree.subject = call.target.as_ref().filter(|_| stays).map(|target| by_object(target, reader));
    let alone = Action::of(app, Deed::Command(Box::new(origin.clone())));
    let classified = classify(&alone, world.gate.policy.levels());
    let reason = match classified.level {
        Level::Dangerous => Some(classified.reason),
        _ => is_weighty(&origin, app, dictionary).then_some(WEIGHTY.into()),
    };
    if let Some(reason) = reason {
        let message = format!("`{}` {reason}, so nothing may follow it in one call", origin.term);
        let suggestion = "send it in a call of its own, so that the user sees what it is about";
        return Err(Fault::new(Code::InvalidParameter, message, suggestion).with("parameter", "then"));
    }
    if origin.each && origin.values().flat_map(|value| value.paths()).any(placing::has_index) {
        return Err(no_answer(&origin, app));
    }
    tree.row = Some((origin, command::references(call.target.as_ref())));
    match tree.finish(&call.then.then, world) {
        Ok(step) => Ok(step),
        Err(Unfit::Open(given, container)) => {
            first::argument(Call::Command(call.clone()), &app.bundle_id, given, container, world)
        }
        Err(Unfit::Wrong(fault)) => Err(fault),
    }
}

/// The properties to set on the only target of a command, or on the targets of a move, as a step of its own; `None` if
/// the command has another number of targets, or deletes them. A move may give its objects new ids, so this step goes
/// first.
fn set_on_target(call: &CommandCall, origin: &Invocation) -> Option<Next> {
    let object = &call.then.object;
    let is_one = !origin.each && origin.direct.as_ref().is_some_and(|direct| direct.objects().len() == 1);
    let stays = is_one && origin.code != DELETE || origin.code == MOVE;
    if !stays || !object.children.is_empty() {
        return None;
    }
    let sets = new_values(object);
    (!sets.is_empty()).then(|| Next {
        place: object.place.clone(),
        target: call.target.clone(),
        sets,
        may_lose: object.may_lose,
        ..Next::default()
    })
}

/// The properties of an object, as values to set.
fn new_values(object: &NewObject) -> Vec<NewValue> {
    let new = |property: &str, value: &Json, how| NewValue {
        property: property.to_owned(),
        value: value.clone(),
        how,
    };
    let set = object.properties.iter().map(|(term, value)| new(term, value, How::Set));
    set.chain(object.added.iter().map(|(term, how, value)| new(term, value, *how))).collect()
}

/// A move and the properties to set on the moved objects, as one change, if a property gives their container. `None`
/// otherwise, or if other steps follow.
fn moved_and_set(
    call: &CommandCall,
    origin: &Invocation,
    app: &App,
    dictionary: &Dictionary,
    world: &mut World<'_>,
) -> Option<SetProperty> {
    let object = &call.then.object;
    let only = NewObject {
        properties: object.properties.clone(),
        added: object.added.clone(),
        may_lose: object.may_lose,
        place: object.place.clone(),
        ..NewObject::default()
    };
    if origin.code != MOVE || *object != only || !call.then.then.is_empty() {
        return None;
    }
    let objects = origin.direct.as_ref()?.objects();
    let (class, (container, _)) = (objects.first()?.class(), objects.first()?.last()?);
    let to = origin.parameters.iter().find_map(|argument| moves::place(&argument.value))?;
    let home = home(dictionary, class, container.class())?;
    let properties = dictionary.properties(class);
    let home = properties.iter().find(|each| Identifier::of(&each.name).as_ref() == Some(&home))?;
    if !home.access.can_write() || objects.iter().any(|path| !path.is_stable()) {
        return None;
    }
    let home = NewValue { property: home.name.clone(), value: to.to_json(), how: How::Set };
    let values = new_values(object).into_iter().chain([home]).collect();
    let references: Vec<Named> = objects
        .into_iter()
        .map(|path| Ok(Container::Reference(remember(path.clone(), app, world))))
        .collect();
    Some(SetProperty {
        app: Some(app.bundle_id.to_string()),
        list: references.len() > 1,
        values: vec![0; references.len()],
        references,
        properties: vec![values],
        may_lose: object.may_lose,
    })
}

/// The class of the one object that a command returns, and whether that object is new; `None` if it is not known to
/// return one, or has several targets.
///
/// # Errors
/// It has several targets, and the next steps are about what it returns.
pub(super) fn answer_of(
    origin: &Invocation,
    then: &NewObject,
    app: &App,
    dictionary: &Dictionary,
) -> Result<Option<(String, bool)>, Fault> {
    let row = ANSWERS
        .iter()
        .find(|(id, code, _)| (id.is_empty() || same_id(id, &app.bundle_id)) && *code == origin.code);
    let result = command::result_of(origin, dictionary);
    let mut told = result.iter().flat_map(|result| &result.0).map(|kind| kind.name.as_str());
    let told = told.find(|name| *name != APPLICATION && dictionary.class(name).is_some());
    let targets = origin.direct.as_ref().map(|direct| (direct.objects(), direct.files().len()));
    let own = match &targets {
        Some((objects, _)) if origin.code == DUPLICATE => objects.first().map(|path| path.class()),
        _ => None,
    };
    let is_one = targets.as_ref().is_some_and(|(objects, files)| objects.len() + files == 1) && !origin.each;
    match (row, told.or(own)) {
        (Some((.., is_new)), Some(class)) if is_one => Ok(Some((class.to_owned(), *is_new))),
        (Some(_), Some(_)) if *then != NewObject::default() => {
            let place = if then.place.is_empty() { "then" } else { &then.place };
            let message =
                format!("`{place}`: `{}` has several targets, and this is about one object", origin.term);
            let suggestion = "make one call for each target";
            Err(Fault::new(Code::InvalidParameter, message, suggestion).with("parameter", place))
        }
        _ => Ok(None),
    }
}

fn no_answer(origin: &Invocation, app: &App) -> Fault {
    let message = format!(
        "`then` cannot change an object here, because `{}` of {} does not answer one",
        origin.term, app.name
    );
    let suggestion = match origin.code.as_str() {
        MOVE | DELETE => {
            let moves = moved_by(&app.bundle_id);
            let moves = moves.map(|property| format!(", which also moves an object by its `{property}`"));
            format!(
                "set properties with iac_mcp_set_property{}; make objects with iac_mcp_create",
                moves.unwrap_or_default()
            )
        }
        _ => "name the object to set as `target` of the step; make objects with iac_mcp_create".to_owned(),
    };
    Fault::new(Code::InvalidParameter, message, suggestion).with("parameter", "then")
}
