//! The containers that a new object may be put into, for the error about a missing place.

use serde_json::{Value as Json, json};

use super::First;
use crate::app::App;
use crate::call::GetElements;
use crate::fault::Fault;
use crate::filter::{Compare, Filter, Operator};
use crate::permission::may_read;
use crate::specifier::{Container, Specifier, quoted};
use crate::step::{Step, World, elements};

/// The field of the error that names the containers.
pub(super) const PLACES: &str = "places";

/// The most containers that an error names.
const MOST_PLACES: usize = 10;

/// The property that tells whether an object can be put into a container.
pub(in crate::step) const WRITABLE: &str = "writable";

/// Completes the error about a new object without a place by the containers that it may be put into.
pub(in crate::step) fn places(fault: Fault, app: &App, world: &mut World<'_>) -> Result<Step, Fault> {
    let near = fault.context.get("near").and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
    let [Json::String(owner)] = near else { return Err(fault) };
    let flag = app.dictionary()?.property(owner, WRITABLE).filter(|flag| flag.access.can_read());
    let flag = flag.filter(|flag| may_read(&flag.name, app, world.gate, world.now));
    let filter = flag.map(|flag| {
        Filter::Compare(Compare {
            property: flag.name.clone(),
            operator: Operator::Equal,
            value: json!(true),
        })
    });
    let container = Container::Specifier(Box::new(Specifier::Application));
    let specifier = Specifier::Every { element: owner.clone(), container, filter, range: None };
    let mut wanted = GetElements::of(app.bundle_id.to_string(), specifier.clone()).settled()?;
    let name = app.dictionary()?.property_of_code(owner, "pnam").map(|name| name.name.clone());
    wanted.properties = name.into_iter().filter(|name| may_read(name, app, world.gate, world.now)).collect();
    let (argument, words) = (None, String::new());
    let first = First { rest: None, specifier, argument, words, fault: Some(fault.clone()) };
    match elements::start(&GetElements { limit: MOST_PLACES, ..wanted }, Some(first), world) {
        Ok(step @ Step::Run(_)) => Ok(step),
        // An error about a place asks no one.
        _ => Err(fault),
    }
}

/// Names the containers in the error: `calendar "Home"`.
pub(super) fn with_places(fault: Fault, specifier: &Specifier, elements: &[Json]) -> Fault {
    let Specifier::Every { element, .. } = specifier else { return fault };
    let name = |each: &Json| each["properties"].as_object()?.values().next()?.as_str().map(str::to_owned);
    let named = |each: &Json| Some(format!("{element} {}", quoted(&name(each)?)));
    let places: Vec<String> = elements.iter().filter_map(named).collect();
    if places.is_empty() {
        return fault;
    }
    let suggestion = format!("add `at`: {}", places.join(" or "));
    Fault { suggestion, ..fault }.with(PLACES, places).untrusted()
}
