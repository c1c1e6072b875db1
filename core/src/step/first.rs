//! What stands in a specifier and has to be looked at before the rest: the first match of a filter, and a container that
//! only its place leads to. Once it is known what stands there, that takes its place: by its id, or by its place with what
//! it is told from its neighbours by.

use serde_json::{Value as Json, json};

use super::{Outcome, Step, World, done, elements, query, start};
use crate::call::{Call, GetElements};
use crate::fault::{Code, Fault};
use crate::filter::Filter;
use crate::permission::Source;
use crate::specifier::{Container, Specifier};
use crate::words::{RefId, TextWindow};

/// What waits for it.
#[derive(Debug)]
pub(super) struct First {
    /// The call that it is a part of; `None` where a filter itself was asked for.
    rest: Option<Call>,
    /// What is said where nothing is there.
    words: String,
}

/// Begins with the innermost part of a call that has to be looked at first, if it has one.
pub(super) fn begin(call: &Call, world: &mut World<'_>) -> Option<Result<Step, Fault>> {
    let mut call = call.clone();
    let app = match &call {
        Call::QueryObject { app, .. } => Some(app.clone()),
        Call::GetElements(call) => call.app.clone(),
        _ => None,
    };
    let inner = innermost(&mut call)?.clone();
    let rest = match &call {
        Call::QueryObject { specifier, .. } if *specifier == inner => None,
        _ => Some(call),
    };
    match inner {
        Specifier::Filter { .. } => Some(ask(app, inner, rest, world)),
        place => look(&app?, &place, rest?, world),
    }
}

/// Looks at what stands at a place, if the call is right and its answer names objects that are in there.
fn look(app: &str, place: &Specifier, rest: Call, world: &mut World<'_>) -> Option<Result<Step, Fault>> {
    let as_it_is = match &rest {
        Call::QueryObject { specifier: Specifier::Property { .. }, .. } => return None,
        Call::QueryObject { specifier, .. } if !has_filter(specifier.container()) => {
            query::start(app, specifier, world)
        }
        Call::GetElements(call) if !call.containers.iter().any(|each| has_filter(Some(each))) => {
            elements::start(call, None, world)
        }
        // The first match of a filter comes later: what is wrong around it is told then.
        _ => return Some(query::place(app, place, First::at_a_place(rest), world)),
    };
    match as_it_is {
        Ok(Step::Run(_)) => Some(query::place(app, place, First::at_a_place(rest), world)),
        // What stands there is decided upon by its name, once that is known.
        Ok(Step::Done(outcome)) if is_closed(&outcome) => {
            Some(query::place(app, place, First::at_a_place(rest), world))
        }
        ended => Some(ended),
    }
}

fn is_closed(outcome: &Outcome) -> bool {
    outcome.refused.as_ref().is_some_and(|decided| matches!(decided.source, Source::Closed { .. }))
}

fn has_filter(container: Option<&Container>) -> bool {
    match container {
        Some(Container::Specifier(specifier)) => {
            matches!(**specifier, Specifier::Filter { .. }) || has_filter(specifier.container())
        }
        _ => false,
    }
}

fn ask(
    app: Option<String>,
    filter: Specifier,
    rest: Option<Call>,
    world: &mut World<'_>,
) -> Result<Step, Fault> {
    let Specifier::Filter { element, container, filter, limit, last: false } = filter else {
        return Err(Fault::new(Code::Internal, "no filter", "this is a bug in the server; please report it"));
    };
    let words = format!("no {element} matches the filter");
    let wanted = elements_of(app, element, container, filter, if rest.is_some() { 1 } else { limit });
    elements::start(&wanted, Some(First { rest, words }), world)
}

fn elements_of(
    app: Option<String>,
    element: String,
    container: Container,
    filter: Filter<String>,
    limit: usize,
) -> GetElements {
    GetElements {
        app,
        elements: None,
        containers: vec![container],
        element,
        recursive: false,
        filter: Some(filter),
        properties: Vec::new(),
        sort: Vec::new(),
        group_by: Vec::new(),
        aggregate: Vec::new(),
        limit,
        offset: 0,
        text: TextWindow { offset: 0, limit: 1_000 },
    }
}

impl First {
    fn at_a_place(rest: Call) -> Self {
        Self { rest: Some(rest), words: "there is no object at that position".to_owned() }
    }

    /// Goes on with what the app has picked out.
    pub(super) fn found(self, body: &Json, events: u64, world: &mut World<'_>) -> Result<Step, Fault> {
        if self.rest.is_none() && body["elements"][0]["id"].is_string() {
            return Ok(done(matches(body), events));
        }
        self.stands(&body["elements"][0], events, world)
    }

    /// Goes on with the reference that was found.
    pub(super) fn stands(self, found: &Json, events: u64, world: &mut World<'_>) -> Result<Step, Fault> {
        let id = found["id"].as_str().and_then(RefId::parse);
        let (Some(mut call), Some(id)) = (self.rest, id) else {
            let suggestion = "list the existing elements with iac_mcp_get_elements";
            return Err(Fault::new(Code::ReferenceInvalid, self.words, suggestion));
        };
        if let Some(container) = innermost_container(&mut call) {
            *container = Container::Reference(id);
        }
        Ok(with_events(start(call, world), events))
    }
}

/// The first match as a query answers it, and the others where more were asked for.
fn matches(body: &Json) -> Json {
    let mut references: Vec<Json> = body["elements"].as_array().cloned().unwrap_or_default();
    references.iter_mut().for_each(|reference| reference["app"] = body["app"].clone());
    let mut answer = json!({ "reference": references.first(), "totalCount": body["totalCount"] });
    if references.len() > 1 {
        answer["references"] = Json::from(references);
    }
    for field in ["complete", "reason", "resolvedAs"] {
        if let Some(value) = body.get(field) {
            answer[field] = value.clone();
        }
    }
    answer
}

/// What was spent on the filter counts for the call.
pub(super) fn with_events(step: Step, events: u64) -> Step {
    match step {
        Step::Run(mut run) => {
            run.pending.events += events;
            Step::Run(run)
        }
        Step::Ask(mut ask) => {
            ask.pending.events += events;
            Step::Ask(ask)
        }
        Step::Done(mut outcome) => {
            outcome.events += events;
            Step::Done(outcome)
        }
    }
}

fn innermost(call: &mut Call) -> Option<&mut Specifier> {
    let top_is_filter = matches!(call, Call::QueryObject { specifier: Specifier::Filter { .. }, .. });
    if innermost_container(call).is_none() {
        return match call {
            Call::QueryObject { specifier, .. } if top_is_filter => Some(specifier),
            _ => None,
        };
    }
    match innermost_container(call)? {
        Container::Specifier(specifier) => Some(specifier),
        Container::Reference(_) => None,
    }
}

fn innermost_container(call: &mut Call) -> Option<&mut Container> {
    match call {
        Call::QueryObject { specifier, .. } => specifier.container_mut().and_then(deepest),
        Call::GetElements(call) => call.containers.iter_mut().find_map(deepest),
        _ => None,
    }
}

/// The container that has to be looked at, and has none in its own container.
fn deepest(container: &mut Container) -> Option<&mut Container> {
    if holds_deeper(container) {
        let Container::Specifier(specifier) = container else { return None };
        return specifier.container_mut().and_then(deepest);
    }
    is_looked_at(container).then_some(container)
}

fn is_looked_at(container: &Container) -> bool {
    let Container::Specifier(specifier) = container else { return false };
    matches!(**specifier, Specifier::Filter { .. } | Specifier::Element { .. })
}

fn holds_deeper(container: &Container) -> bool {
    let Container::Specifier(specifier) = container else { return false };
    let Some(inner) = specifier.container() else { return false };
    is_looked_at(inner) || holds_deeper(inner)
}
