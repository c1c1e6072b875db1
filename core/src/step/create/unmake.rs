//! Undo of new objects: the server deletes them, unless someone has changed one of them since.

use indexmap::IndexSet;
use serde_json::{Value as Json, json};

use super::saving;
use crate::action::{Action, Deed, Invocation, Preview, Seen};
use crate::app::App;
use crate::change::{DELETE, Look, Subject};
use crate::dictionary::{Dictionary, Identifier};
use crate::fault::{Code, Fault};
use crate::identity::{Anchors, Identity, identity};
use crate::marshal::Given;
use crate::osa_error::{NO_SUCH_OBJECT, OsaError};
use crate::permission::{Decision, classify, decide};
use crate::reply::Reply;
use crate::specifier::{By, Path, Segment, Specifier};
use crate::step::asking::{Behind, run};
use crate::step::carried::{self, Carried};
use crate::step::command::{Sending, uncertain};
use crate::step::{Outcome, Step, Then, World, held, in_app, trace};
use crate::undo::{Made, Undo, Way};
use crate::words::{Level, TextWindow};

/// Begins `iac_mcp_undo` for objects that were made, all in one app.
pub(in crate::step) fn start(undos: &[Undo], world: &mut World<'_>) -> Result<Step, Fault> {
    let first = undos.first().ok_or_else(|| mixed("nothing is named"))?;
    let app = world.apps.find(&first.app)?;
    let dictionary = app.dictionary()?.clone();
    let (mut targets, mut seen, mut left) = (Vec::new(), Vec::new(), Vec::new());
    for undo in undos {
        let Way::Create { made, stays } = &undo.way else {
            return Err(mixed("another kind of write is among them"));
        };
        left.extend(stays.iter().cloned().map(Carried::Left));
        for object in made {
            let specifier = Specifier::parse(&object.object, "object")?;
            let resolved = specifier.resolve(&dictionary, &mut *held(world.references, app, world.now));
            let path = match resolved {
                Ok(resolved) => resolved.path,
                // Some apps can make a part for which their dictionary has no elements, such as an attachment in a
                // message. It is deleted with its owner.
                Err(_) if !object.is_top => continue,
                Err(error) => return Err(error.into()),
            };
            seen.push(as_made(object, path.clone()));
            if object.is_top {
                targets.push(path);
            }
        }
    }
    // The last one made is deleted first.
    targets.reverse();
    let invocation = delete(targets, seen, app, &dictionary)?;
    let action = Action::of(app, Deed::Command(Box::new(invocation)));
    let level = classify(&action, world.gate.policy.levels()).level.max(Level::Modify);
    let Deed::Command(invocation) = &action.deed else { return Err(no_delete(app)) };
    let sending = Sending::back(invocation, level, undos.to_vec());
    let step = in_app(app, action.deed, 0, Then::Command(Box::new(sending)), world);
    Ok(carried::with(step, left))
}

/// The state that an object must have to be deleted: as it was when it was made.
fn as_made(object: &Made, path: Path) -> Seen {
    let looks = object.looks.iter().filter_map(|(look, shown)| Some((Look::read(look)?, shown.clone())));
    let (looks, shown): (Vec<Look>, Vec<Json>) = looks.unzip();
    Seen { path, looks, shown: Json::from(shown) }
}

fn delete(
    targets: Vec<Path>,
    seen: Vec<Seen>,
    app: &App,
    dictionary: &Dictionary,
) -> Result<Invocation, Fault> {
    let command = dictionary.commands.iter().find(|command| command.code == DELETE);
    let command = command.ok_or_else(|| no_delete(app))?;
    let mut targets: Vec<Given> = targets.into_iter().map(Given::Object).collect();
    let each = targets.len() > 1;
    let direct = if each { Given::List(targets) } else { targets.pop().ok_or_else(|| no_delete(app))? };
    Ok(Invocation {
        term: command.name.clone(),
        code: command.code.clone(),
        identifier: Identifier::of(&command.name).ok_or_else(|| no_delete(app))?,
        takes_direct: true,
        direct: Some(direct),
        each,
        parameters: Vec::new(),
        text: TextWindow { offset: 0, limit: 1_000 },
        is_fragile: false,
        seen,
        moves: None,
        copies: None,
        tells: Vec::new(),
        anchors: Some(Anchors::default()),
        save: saving(app, dictionary).map(Box::new),
    })
}

/// The new objects that need a deletion of their own, in the order in which they are deleted: the last one made comes
/// first.
fn tops(undos: &[Undo]) -> Vec<(&Undo, &Made)> {
    let all = undos.iter().flat_map(|undo| undo.made().iter().map(move |made| (undo, made)));
    let mut tops: Vec<(&Undo, &Made)> = all.filter(|(_, made)| made.is_top).collect();
    tops.reverse();
    tops
}

/// An undo of new objects after the deletion. The server looks for those that were not where it made them.
#[derive(Debug)]
pub(in crate::step) struct Unmade {
    undos: Vec<Undo>,
    /// For each object, what its deletion has returned.
    rows: Vec<Json>,
    /// For each object that was not where it was made, how to find out whether it was deleted; `None` if nothing can
    /// show it.
    signs: Vec<Option<Sign>>,
    /// The objects to look at, each once.
    looks: IndexSet<Path>,
}

/// How to find out whether an object was deleted, if it is not where it was made. It was deleted if both looks agree.
#[derive(Debug)]
struct Sign {
    /// The object in the application's own list of its class. It must not exist. `None` if it was made in that list.
    lacks: Option<Path>,
    /// The container that it was made in, if a name leads to it. It must still exist: it may have been renamed, with
    /// the object in it.
    has: Option<Path>,
}

/// Ends an undo of new objects. `answer` is what the deletion has returned; `None` if no object was where it was made.
pub(in crate::step) fn ended(
    undos: &[Undo],
    answer: Option<&Json>,
    app: &App,
    events: u64,
    world: &mut World<'_>,
) -> Step {
    let tops = tops(undos);
    let rows = match answer {
        None => vec![json!({ "$": "error", "number": NO_SUCH_OBJECT }); tops.len()],
        Some(Json::Array(rows)) if tops.len() > 1 => rows.clone(),
        Some(row) => vec![row.clone()],
    };
    let mut sign = |(at, (_, made)): (usize, &(&Undo, &Made))| {
        let is_there = rows.get(at).and_then(is_there);
        if is_there == Some(false) { Sign::of(made, app, world) } else { None }
    };
    let signs: Vec<Option<Sign>> = tops.iter().enumerate().map(&mut sign).collect();
    let looks = signs.iter().flatten().flat_map(|sign| [&sign.lacks, &sign.has]).flatten().cloned().collect();
    let unmade = Unmade { undos: undos.to_vec(), rows, signs, looks };
    let subjects = unmade.subjects(app);
    if subjects.is_empty() {
        return Step::Done(unmade.told(&[], app, events));
    }
    let action = Action::of(app, Deed::Preview(Preview { subjects, ..Preview::default() }));
    match decide(action, &app.name, world.gate, world.now) {
        Decision::Allow(approved) => {
            let behind = Behind { name: app.name.clone(), events };
            run(approved, behind, Then::Unmade(Box::new(unmade)), world)
        }
        Decision::Ask(_) | Decision::Deny(_) => Step::Done(unmade.told(&[], app, events)),
    }
}

impl Sign {
    fn of(made: &Made, app: &App, world: &mut World<'_>) -> Option<Self> {
        let dictionary = app.dictionary().ok()?;
        let specifier = Specifier::parse(&made.object, "object").ok()?;
        let path = specifier.resolve(dictionary, &mut *held(world.references, app, world.now)).ok()?.path;
        // Someone may have renamed an object that is found by its name.
        let (container, Segment::Element(member, By::Id(id))) = path.last()? else { return None };
        if made.is_lost {
            return None;
        }
        let application = Path::application();
        let is_named = |path: &Path| path.name().is_some();
        let lacks = match *container == application {
            true => None,
            // Without such a list, nothing tells whether it is in another container.
            false => Some(application.collection(dictionary, &member.class).ok()?),
        };
        Some(Self {
            lacks: lacks.map(|member| application.then(Segment::Element(member, By::Id(id.clone())))),
            has: path.containers().any(is_named).then(|| container.clone()),
        })
    }
}

/// Whether an object exists, as a row about it tells; `None` if it does not tell.
fn is_there(row: &Json) -> Option<bool> {
    match OsaError::of_row(row, "command") {
        None => Some(true),
        Some(error) => error.is_missing_object().then_some(false),
    }
}

impl Unmade {
    fn subjects(&self, app: &App) -> Vec<Subject> {
        let Ok(dictionary) = app.dictionary() else { return Vec::new() };
        let subject = |path: &Path| {
            let labels = match identity(dictionary, path.class()) {
                Identity::Id(own) | Identity::Name(own) => vec![own],
                Identity::Index => Vec::new(),
            };
            Subject { labels, ..Subject::at(path.clone()) }
        };
        self.looks.iter().map(subject).collect()
    }

    /// Takes the result of the look.
    pub(in crate::step) fn resume(
        self,
        reply: Option<Reply>,
        app: &str,
        events: u64,
        world: &World<'_>,
    ) -> Result<Step, Fault> {
        let rows = reply.and_then(|reply| reply.result.ok()).unwrap_or_default();
        let rows = rows.as_array().map(Vec::as_slice).unwrap_or_default();
        Ok(Step::Done(self.told(rows, world.apps.find(app)?, events)))
    }

    /// Whether an object was surely deleted, as the rows of the look tell.
    fn is_gone(&self, at: usize, rows: &[Json]) -> bool {
        let is_there = |path: &Path| is_there(rows.get(self.looks.get_index_of(path)?)?);
        self.signs.get(at).and_then(Option::as_ref).is_some_and(|Sign { lacks, has }| {
            lacks.as_ref().is_none_or(|path| is_there(path) == Some(false))
                && has.as_ref().is_none_or(|path| is_there(path) == Some(true))
        })
    }

    fn told(&self, looked: &[Json], app: &App, events: u64) -> Outcome {
        let (mut left, mut lost) = (Vec::new(), 0);
        let mut changes = Vec::new();
        let tops = tops(&self.undos);
        for (at, (undo, made)) in tops.iter().enumerate() {
            let row = self.rows.get(at).cloned().unwrap_or_else(|| json!({ "$": "untried" }));
            let (created, problem) = match OsaError::of_row(&row, "command") {
                // A second undo would not find it either.
                Some(error) if error.is_missing_object() && self.is_gone(at, looked) => ("was gone", None),
                Some(error) if error.is_missing_object() => {
                    lost += 1;
                    ("not found", Some(("error", not_found(made).to_json())))
                }
                Some(error) => {
                    let fault = uncertain(error.to_fault(&app.bundle_id, &app.name));
                    (STAYS, Some(("error", fault.to_json())))
                }
                None if row["$"] == "untried" => {
                    let fault = Fault::new(Code::Unavailable, "it was not tried", "try it again");
                    (STAYS, Some(("error", fault.to_json())))
                }
                None if trace::is_there(&row) => (STAYS, Some(("unverified", json!(trace::STILL_THERE)))),
                None => ("deleted", None),
            };
            let mut change = json!({ "object": made.words, "created": created, "undo": null });
            if let Some((field, problem)) = problem {
                change[field] = problem;
            }
            if created == STAYS {
                left.push(undo.id.as_str());
            }
            changes.push(change);
        }
        let is_done = |undo: &&Undo| lost < tops.len() && !left.contains(&undo.id.as_str());
        let undone: Vec<String> = self.undos.iter().filter(is_done).map(|undo| undo.id.clone()).collect();
        let success = left.is_empty() && lost == 0;
        let body = json!({ "success": success, "changes": changes, "untrusted": true });
        Outcome { body, is_error: undone.is_empty(), events, undone, ..Outcome::default() }
    }
}

/// What an entry says about an object that was not deleted.
const STAYS: &str = "still there";

/// The error for an object that may have been deleted, and may be elsewhere.
fn not_found(made: &Made) -> Fault {
    let message = match made.is_by_name() {
        true => "nothing has its name any more: it was deleted, moved or renamed",
        false => "not found where it was made: it was deleted or moved",
    };
    Fault::new(Code::ReferenceInvalid, message, "look for it if the user wants it deleted")
}

fn mixed(why: &str) -> Fault {
    let message = format!("new objects are deleted by a call of their own, and {why}");
    Fault::new(Code::InvalidParameter, message, "take each back by its own id").with("parameter", "undo")
}

fn no_delete(app: &App) -> Fault {
    let message = format!("{} has no command to delete what was made", app.name);
    Fault::new(Code::UnknownCommand, message, "delete it by hand")
}
