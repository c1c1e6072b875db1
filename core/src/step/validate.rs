//! Asks the apps whether the objects of references still exist, many at a time.

use std::sync::Arc;

use serde_json::{Value as Json, json};

use super::properties::column;
use super::{Outcome, Step, Then, World, begin, health, in_app};
use crate::action::{Deed, Wanted};
use crate::app::App;
use crate::call::Call;
use crate::change;
use crate::identity::{Identity, identity};
use crate::osa_error::is_missing;
use crate::reply::Reply;
use crate::specifier::Path;
use crate::value::meant;
use crate::words::{RefId, TextWindow};

/// The largest number of an app's objects to check in one script.
const AT_ONCE: usize = 500;

/// An id or a name is short. The beginning of a mark is enough.
const TEXT: TextWindow = TextWindow { offset: 0, limit: 200 };

/// References while their apps are asked.
#[derive(Debug)]
pub(super) struct Validating {
    rest: Vec<Group>,
    asked: Group,
    found: Found,
    after: After,
}

/// Some references of one app.
#[derive(Debug, Default)]
struct Group {
    app: String,
    members: Vec<(RefId, Wanted)>,
}

/// The results.
#[derive(Debug, Default)]
struct Found {
    valid: usize,
    gone: usize,
    moved: usize,
    /// Their app does not answer, or the server cannot ask it about them.
    unknown: usize,
}

/// The next step.
#[derive(Debug)]
enum After {
    /// The call that uses them.
    Call(Box<Call>),
    /// The statistics.
    Stats,
}

/// Asks for the objects of a call before it uses them; `None` if there is nothing to ask for.
pub(super) fn before(call: &Call, world: &mut World<'_>) -> Option<Step> {
    let ids = match call {
        Call::Release(_) => Vec::new(),
        call => call.references(),
    };
    let validating = Validating::new(&ids, After::Call(Box::new(call.clone())), world);
    (!validating.rest.is_empty()).then(|| validating.next(0, world))
}

/// Asks the apps about every kept reference, and answers with the statistics.
pub(super) fn all(world: &mut World<'_>) -> Step {
    let ids = world.references.ids();
    Validating::new(&ids, After::Stats, world).next(0, world)
}

impl Validating {
    /// Whether a call waits for the answer.
    pub(super) fn looks_up(&self) -> bool {
        matches!(self.after, After::Call(_))
    }

    fn new(ids: &[RefId], after: After, world: &World<'_>) -> Self {
        let mut made = Self { rest: Vec::new(), asked: Group::default(), found: Found::default(), after };
        for id in ids {
            match wanted(*id, world) {
                Some((app, wanted)) => made.join(app, *id, wanted),
                None => made.found.unknown += 1,
            }
        }
        made
    }

    fn join(&mut self, app: String, id: RefId, wanted: Wanted) {
        let group = self.rest.iter_mut().find(|group| group.app == app && group.members.len() < AT_ONCE);
        match group {
            Some(group) => group.members.push((id, wanted)),
            None => self.rest.push(Group { app, members: vec![(id, wanted)] }),
        }
    }

    fn next(mut self, events: u64, world: &mut World<'_>) -> Step {
        while let Some(group) = self.rest.pop() {
            let Ok(app) = world.apps.find(&group.app) else {
                self.found.unknown += group.members.len();
                continue;
            };
            let objects = group.members.iter().map(|(_, wanted)| Arc::new(wanted.clone())).collect();
            let size = |path: &Path| world.learned.size(&app.bundle_id, path);
            let sizes = group.members.iter().map(|(_, wanted)| size(&wanted.path)).collect();
            self.asked = group;
            let deed = Deed::Properties { objects, sizes, text: TEXT };
            return in_app(app, deed, events, Then::Validating(Box::new(self)), world);
        }
        self.done(events, world)
    }

    /// An app that does not answer tells nothing about its objects. The call itself will report the fault.
    pub(super) fn resume(mut self, reply: Option<Reply>, events: u64, world: &mut World<'_>) -> Step {
        let asked = std::mem::take(&mut self.asked);
        let rows = reply.and_then(|reply| reply.result.ok());
        for (at, (id, _)) in asked.members.iter().enumerate() {
            match rows.as_ref().map(|rows| number(rows.get(at).unwrap_or(&Json::Null))) {
                None => self.found.unknown += 1,
                Some(None) => self.found.valid += 1,
                Some(Some(number)) if is_missing(number) => {
                    self.found.gone += 1;
                    world.references.fail(*id);
                }
                Some(Some(number)) if crate::osa_error::is_moved(number) => {
                    self.found.moved += 1;
                    world.references.fail(*id);
                }
                Some(Some(_)) => self.found.unknown += 1,
            }
        }
        self.next(events, world)
    }

    fn done(self, events: u64, world: &mut World<'_>) -> Step {
        let Found { valid, gone, moved, unknown } = self.found;
        world.references.validated(valid + gone + moved);
        match self.after {
            After::Call(call) => super::first::with_events(begin(*call, world), events),
            After::Stats => {
                let mut body = health::stats(world);
                body["checked"] = json!({ "valid": valid, "gone": gone, "moved": moved, "unknown": unknown });
                Step::Done(Outcome { body, events, ..Outcome::default() })
            }
        }
    }
}

/// What to read for one reference, and the bundle id of its app; `None` if there is nothing to read.
fn wanted(id: RefId, world: &World<'_>) -> Option<(String, Wanted)> {
    let object = &world.references.peek(id)?.object;
    let app = world.apps.find(&object.app).ok()?;
    let dictionary = app.dictionary().ok()?;
    let class = object.path.class();
    let identity = identity(dictionary, class);
    let property = match &identity {
        Identity::Id(property) | Identity::Name(property) => Some(property.clone()),
        Identity::Index => change::mark(&app.bundle_id, dictionary, class),
    };
    object.path.last()?;
    let column = column(app, dictionary, class, property?.as_str()).ok()?;
    let wanted =
        Wanted { path: object.path.clone(), identity, columns: Some(vec![column]), named: Vec::new() };
    Some((bundle_id(app), wanted))
}

fn bundle_id(app: &App) -> String {
    app.bundle_id.to_string()
}

/// The number of the error that a row is, or that its only cell is.
fn number(row: &Json) -> Option<i64> {
    let cell = row.get("v").and_then(|cells| cells.get(0)).unwrap_or(row);
    let number = |value: &Json| {
        let message = value["message"].as_str().unwrap_or_default();
        meant(value["number"].as_i64().unwrap_or(-2700), message)
    };
    let failed = |value: &Json| (value["$"] == "error").then(|| number(value));
    failed(row).or_else(|| failed(cell))
}
