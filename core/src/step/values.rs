//! Objects among new values that only the app can identify, such as a mailbox that is in one of the accounts. They are
//! looked up before the values are checked.

use serde_json::Value as Json;

use super::{Step, World, first, held};
use crate::app::App;
use crate::call::{Call, NewObject};
use crate::dictionary::TypeExpr;
use crate::fault::Fault;
use crate::marshal::Checker;
use crate::specifier::{Container, find_property};

/// An object to look up: the client's text, and its meaning.
type Open = (Json, Container);

/// Begins with the first lookup of a change, if it has one.
pub(super) fn begin(call: &Call, world: &mut World<'_>) -> Option<Result<Step, Fault>> {
    let apps = world.apps;
    let (app, (given, container)) = match call {
        Call::SetProperty(set) => set.references.iter().zip(&set.values).find_map(|(named, values)| {
            let Ok(Container::Reference(id)) = named else { return None };
            let object = world.references.peek(*id)?.object.clone();
            let app = apps.find(&object.app).ok()?;
            let mut values = set.properties.get(*values)?.iter();
            let open = |term: &str, json: &Json| property(term, json, object.path.class(), app, world);
            let mut open = open;
            values.find_map(|value| open(&value.property, &value.value)).map(|open| (app, open))
        }),
        Call::Create(create) => {
            let app = apps.find(&first::app_of(call, world)?).ok()?;
            create.objects.iter().find_map(|object| new(object, app, world)).map(|open| (app, open))
        }
        _ => None,
    }?;
    Some(first::argument(call.clone(), &app.bundle_id, given, container, world))
}

fn new(object: &NewObject, app: &App, world: &mut World<'_>) -> Option<Open> {
    let place = TypeExpr::one("location specifier");
    if let Some(open) = object.at.as_ref().and_then(|at| value(at, &place, object.class.clone(), app, world))
    {
        return Some(open);
    }
    let class = object.class.as_deref().unwrap_or_default();
    let of_properties =
        object.properties.iter().find_map(|(term, json)| property(term, json, class, app, world));
    of_properties.or_else(|| object.children.iter().find_map(|child| new(child, app, world)))
}

fn property(term: &str, json: &Json, class: &str, app: &App, world: &mut World<'_>) -> Option<Open> {
    let kind = &find_property(app.dictionary().ok()?, class, term).ok()?.kind;
    value(json, kind, None, app, world)
}

fn value(
    json: &Json,
    kind: &TypeExpr,
    put: Option<String>,
    app: &App,
    world: &mut World<'_>,
) -> Option<Open> {
    let dictionary = app.dictionary().ok()?;
    let mut held = held(world.references, app, world.now);
    let mut checker = Checker { dictionary, held: &mut *held, home: world.home, put, open: None };
    // Errors in a value are reported when the change begins.
    checker.value(json, kind, "").err().and(checker.open)
}
