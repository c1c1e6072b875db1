//! Filter specifiers: the app is asked for what matches, and the first match stands where the filter stood.

use serde_json::{Value as Json, json};

use super::{Step, World, done, elements, start};
use crate::call::{Call, Filter, GetElements, TextWindow};
use crate::fault::{Code, Fault};
use crate::reference::RefId;
use crate::specifier::{Container, Specifier};

/// What waits for the first match.
#[derive(Debug)]
pub(super) struct First {
    /// The call that the filter is a part of; `None` where the filter itself was asked for.
    rest: Option<Call>,
    /// What nothing matched, in words.
    words: String,
}

/// Begins with the innermost filter of a call, if it has one.
pub(super) fn begin(call: &Call, world: &mut World<'_>) -> Option<Result<Step, Fault>> {
    let mut call = call.clone();
    let app = match &call {
        Call::QueryObject { app, .. } => Some(app.clone()),
        Call::GetElements(call) => call.app.clone(),
        _ => None,
    };
    let filter = innermost(&mut call)?.clone();
    let rest = match &call {
        Call::QueryObject { specifier, .. } if *specifier == filter => None,
        _ => Some(call),
    };
    Some(ask(app, filter, rest, world))
}

fn ask(
    app: Option<String>,
    filter: Specifier,
    rest: Option<Call>,
    world: &mut World<'_>,
) -> Result<Step, Fault> {
    let Specifier::Filter { element, container, filter, limit } = filter else {
        return Err(Fault::new(
            Code::Internal,
            "no filter",
            "this is a fault of the server; please report it",
        ));
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
        container,
        element,
        filter: Some(filter),
        properties: Vec::new(),
        sort: Vec::new(),
        limit,
        offset: 0,
        text: TextWindow { offset: 0, limit: 1_000 },
    }
}

impl First {
    /// Goes on with what the app has picked out.
    pub(super) fn found(self, body: &Json, events: u64, world: &mut World<'_>) -> Result<Step, Fault> {
        let Self { rest, words } = self;
        let Some(first) = body["elements"][0]["id"].as_str().and_then(RefId::parse) else {
            return Err(Fault::new(
                Code::ReferenceInvalid,
                words,
                "list what is there with iac_mcp_get_elements",
            ));
        };
        match rest {
            None => Ok(done(matches(body), events)),
            Some(mut call) => {
                if let Some(container) = innermost_container(&mut call) {
                    *container = Container::Reference(first);
                }
                Ok(with_events(start(call, world), events))
            }
        }
    }
}

/// The first match as a query answers it, and the others where more were asked for.
fn matches(body: &Json) -> Json {
    let references: Vec<Json> = body["elements"].as_array().cloned().unwrap_or_default();
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
        Call::GetElements(call) => deepest(&mut call.container),
        _ => None,
    }
}

/// The filter that has no filter in its own container.
fn deepest(container: &mut Container) -> Option<&mut Container> {
    if holds_deeper(container) {
        let Container::Specifier(specifier) = container else { return None };
        return specifier.container_mut().and_then(deepest);
    }
    matches!(container, Container::Specifier(specifier) if matches!(**specifier, Specifier::Filter { .. }))
        .then_some(container)
}

fn holds_deeper(container: &Container) -> bool {
    let Container::Specifier(specifier) = container else { return false };
    let Some(inner) = specifier.container() else { return false };
    matches!(inner, Container::Specifier(specifier) if matches!(**specifier, Specifier::Filter { .. }))
        || holds_deeper(inner)
}
