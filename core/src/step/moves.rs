//! Follows moved objects and undoes moves.

use std::sync::Arc;

use serde_json::{Value as Json, json};

use super::carried::{self, Carried};
use super::command::Sending;
use super::show::{told, value};
use super::{Outcome, Step, Then, World, held, in_app};
use crate::action::{Action, Argument, Deed, Find, Invocation, Moves, Seen};
use crate::app::{App, same_id};
use crate::change::{DELETE, Look, anew, home, mark_of, unmoved};
use crate::dictionary::{Dictionary, Identifier};
use crate::fault::{Code, Fault};
use crate::identity::{Anchors, Identity, identity};
use crate::marshal::{Given, Place};
use crate::osa_error::OsaError;
use crate::permission::classify;
use crate::reference::Object;
use crate::reply::Reply;
use crate::specifier::{By, Id, Member, Path, Segment, Specifier, read_source};
use crate::undo::{Undo, Way};
use crate::value::Value;
use crate::words::{Level, RefId, TextWindow};

/// The event that moves objects.
pub(super) const MOVE: &str = "coremove";

/// The code of the parameter for the destination.
const WHERE: &str = "insh";

/// The moved objects and their target.
#[derive(Debug)]
pub(super) struct Moving {
    /// Each object, with its reference if one was given.
    targets: Vec<(Path, Option<RefId>)>,
    to: Path,
    /// Whether it replaces an existing object of the same name.
    replaces: bool,
    /// The properties that tell a moved object from another one of its name.
    looks: Vec<Identifier>,
}

/// A script's report about one moved object.
#[derive(Debug, Default)]
pub(super) struct Report {
    mark: Option<String>,
    home: Json,
    looks: Vec<Json>,
    landed: bool,
    /// Its id in its new container, if the app has made a new object there.
    arrived: Option<Id>,
    left: bool,
    /// Whether the old path still leads to it.
    here: bool,
    value: Json,
}

/// Returns the values to read during a move and the property for finding the objects again.
pub(super) fn of(
    invocation: &Invocation,
    references: &[Option<RefId>],
    app: &App,
    dictionary: &Dictionary,
) -> Option<(Moves, Moving)> {
    let objects = invocation.direct.as_ref()?.objects();
    let to = match invocation.code.as_str() {
        MOVE => invocation.parameters.iter().find_map(|argument| place(&argument.value)),
        DELETE => bin(app, dictionary).filter(|bin| !objects.iter().any(|path| path.begins_with(bin))),
        _ => None,
    }?;
    let class = objects.first()?.class().to_owned();
    let (container, _) = objects.first()?.last()?;
    let is_container = invocation.parameters.iter().any(|each| each.value == Given::Object(to.clone()));
    let looks = unmoved(&app.bundle_id, dictionary, &class);
    let from = container.class();
    let moves = Moves {
        looks: looks.clone(),
        ..Moves::of(app, dictionary, &class, from, is_container.then_some(&to))
    };
    let reference = |at: usize| references.get(at).copied().flatten();
    let targets = objects.into_iter().cloned().enumerate().map(|(at, path)| (path, reference(at))).collect();
    Some((moves, Moving { targets, to, replaces: invocation.replaces(), looks }))
}

/// Apps in which `delete` is a move, each with the property for the place.
///
/// # Source
/// The description of the command in Finder's dictionary.
const BINS: [(&str, &str); 1] = [("com.apple.finder", "trash")];

fn bin(app: &App, dictionary: &Dictionary) -> Option<Path> {
    let (_, term) = BINS.iter().find(|(id, _)| same_id(id, &app.bundle_id))?;
    read_source(dictionary, &format!("Application(\"{}\").{term}", app.name))
}

impl Moves {
    /// The reads for objects of a class that leave a container of another class.
    fn of(app: &App, dictionary: &Dictionary, class: &str, from: &str, to: Option<&Path>) -> Self {
        let id = match identity(dictionary, class) {
            Identity::Id(id) => Some(id),
            _ => None,
        };
        let mark = mark_of(&app.bundle_id, dictionary, class);
        let anew = to.and_then(|to| anew(&app.bundle_id, dictionary, class, to));
        Self {
            id: id.filter(|_| mark.is_none() && anew.is_none()),
            mark,
            home: home(dictionary, class, from),
            anew,
            looks: Vec::new(),
        }
    }
}

/// The container that a place is in.
pub(super) fn place(value: &Given) -> Option<Path> {
    let path = match value {
        Given::Object(path) | Given::Place(Place::Beginning(path, _) | Place::End(path, _)) => Some(path),
        Given::Place(Place::Before(path) | Place::After(path)) => path.last().map(|(container, _)| container),
        _ => None,
    };
    path.filter(|path| path.last().is_some()).cloned()
}

/// Splits a script's answer into the app's result and the report about each object.
pub(super) fn split(answer: &Json) -> (Json, Vec<Report>) {
    match answer {
        Json::Array(items) => {
            let (values, reports) = items.iter().map(one).unzip();
            (Json::Array(values), reports)
        }
        single => {
            let (value, report) = one(single);
            (value, vec![report])
        }
    }
}

fn one(answer: &Json) -> (Json, Report) {
    if answer.get("$").and_then(Json::as_str) != Some("moved") {
        return (answer.clone(), Report::default());
    }
    let value = answer["value"].clone();
    let landed = answer["landed"].as_str().map(str::to_owned);
    let report = Report {
        landed: landed.is_some() || answer["landed"] == json!(true),
        mark: landed.or_else(|| answer["mark"].as_str().map(str::to_owned)),
        home: answer["home"].clone(),
        arrived: id(&answer["arrived"]),
        looks: answer["looks"].as_array().cloned().unwrap_or_default(),
        left: answer["left"] == json!(true),
        here: answer["here"] == json!(true),
        value: value.clone(),
    };
    (value, report)
}

impl Moving {
    /// The same moves to the real path of their destination.
    pub(super) fn to(&self, real: &dyn Fn(&Path) -> Option<Path>) -> Option<Self> {
        let (targets, looks) = (self.targets.clone(), self.looks.clone());
        Some(Self { targets, to: real(&self.to)?, replaces: self.replaces, looks })
    }

    /// Follows the moved objects and returns the inverse of each move, if there is one.
    pub(super) fn moved(&self, reports: &[Report], app: &App, world: &mut World<'_>) -> Vec<Option<Undo>> {
        let Ok(dictionary) = app.dictionary().cloned() else { return Vec::new() };
        let one = |((path, reference), report): (&(Path, Option<RefId>), &Report)| {
            let landed = report
                .landed_at(path, &dictionary)
                .or_else(|| report.arrived_in(&self.to, path.class(), &dictionary));
            if report.left {
                self.follow(path, *reference, landed.as_ref(), report, app, world);
            }
            self.way_back(path, landed, report, app, &dictionary, world)
        };
        self.targets.iter().zip(reports).map(one).collect()
    }

    /// The objects that are still where they were. An element of the application itself is found in the application
    /// even after a move, so it does not count.
    pub(super) fn stay(&self, answer: &Json) -> Vec<bool> {
        let (_, reports) = split(answer);
        let is_elsewhere =
            |path: &Path| path.last().is_some_and(|(from, _)| from.last().is_some() && *from != self.to);
        let stays = |((path, _), report): (&(Path, _), &Report)| report.here && is_elsewhere(path);
        self.targets.iter().zip(&reports).map(stays).collect()
    }

    fn follow(
        &self,
        path: &Path,
        reference: Option<RefId>,
        landed: Option<&Path>,
        report: &Report,
        app: &App,
        world: &mut World<'_>,
    ) {
        for id in reference.into_iter().chain(world.references.of(&app.bundle_id, path)) {
            if let Some(mark) = &report.mark {
                world.references.mark(id, mark);
            }
            match landed {
                Some(path) => {
                    world.references.rebind(id, Object::new(app.bundle_id.clone(), path.clone()));
                }
                None => world.references.went(id, self.to.clone()),
            }
        }
        world.references.renamed(&app.bundle_id, path, landed);
    }

    fn way_back(
        &self,
        path: &Path,
        landed: Option<Path>,
        report: &Report,
        app: &App,
        dictionary: &Dictionary,
        world: &mut World<'_>,
    ) -> Option<Undo> {
        let (container, segment) = path.last()?;
        let Segment::Element(member, _) = segment else { return None };
        let own = object(&report.home, dictionary);
        let from = own.or_else(|| Some(container.clone())).filter(is_place)?;
        let known = landed.is_some() || report.mark.is_some();
        // An undo could not bring back a replaced object.
        (report.left && known && !self.replaces && is_place(&self.to)).then(|| Undo {
            id: Undo::id((world.fresh)()),
            call: None,
            is_undo: false,
            app: app.bundle_id.to_string(),
            object: path.to_json(),
            words: told(path, app, world),
            mark: report.mark.clone(),
            at: world.now,
            way: Way::Move {
                from: from.to_json(),
                to: self.to.to_json(),
                landed: landed.map(|path| path.to_json()),
                element: member.class.clone(),
                looks: kept(&self.looks, &report.looks),
            },
        })
    }
}

/// The values that tell an object from another one of its name, each with its property. Those that the app did not
/// return are left out.
pub(super) fn kept(looks: &[Identifier], read: &[Json]) -> Vec<(String, Json)> {
    let is_read = |(_, is): &(&Identifier, &Json)| OsaError::of_row(is, "object").is_none();
    let looks = looks.iter().zip(read).filter(is_read);
    looks.map(|(look, is)| (look.as_str().to_owned(), is.clone())).collect()
}

fn is_place(path: &Path) -> bool {
    path.is_stable() && path.last().is_some()
}

impl Report {
    /// The new path that the app reports, if that path stays valid. Without one, the old path still leads there.
    fn landed_at(&self, path: &Path, dictionary: &Dictionary) -> Option<Path> {
        let reported = object(&self.value, dictionary).or_else(|| Some(path.clone()));
        reported.filter(is_place).filter(|_| self.landed)
    }

    /// The path of the new object that the app has made in a container.
    fn arrived_in(&self, to: &Path, class: &str, dictionary: &Dictionary) -> Option<Path> {
        let member = to.collection(dictionary, class).ok()?;
        let path = to.then(Segment::Element(member, By::Id(self.arrived.clone()?)));
        is_place(&path).then_some(path)
    }
}

/// An id from a script.
fn id(json: &Json) -> Option<Id> {
    match json {
        Json::String(id) => Some(Id::Text(id.clone())),
        id => Some(Id::Number(id.as_i64()?)),
    }
}

fn object(encoded: &Json, dictionary: &Dictionary) -> Option<Path> {
    match value(encoded, None, dictionary) {
        Value::Object(source) => read_source(dictionary, &source),
        _ => None,
    }
}

/// Moves to undo, during the search for their objects.
#[derive(Debug)]
pub(super) struct Back {
    undos: Vec<Undo>,
    from: Path,
    to: Path,
    /// The class of the objects, by which they are searched.
    element: String,
}

/// Begins `iac_mcp_undo` for moves: all from one container to one other.
pub(super) fn start_back(undos: &[Undo], world: &mut World<'_>) -> Result<Step, Fault> {
    let (left, undos): (Vec<Undo>, Vec<Undo>) = undos.iter().cloned().partition(Undo::is_lasting);
    let left = left.iter().map(|undo| Carried::Left(undo.for_good())).collect();
    let first = undos.first().ok_or_else(|| several("nothing is named"))?;
    let Way::Move { from, to, element, .. } = &first.way else {
        return Err(several("one of them is not a move"));
    };
    let app = world.apps.find(&first.app)?;
    let dictionary = app.dictionary()?.clone();
    let mut path = |json: &Json| -> Result<Path, Fault> {
        let specifier = Specifier::parse(json, "object")?;
        Ok(specifier.resolve(&dictionary, &mut *held(world.references, app, world.now))?.path)
    };
    let (from, to) = (path(from)?, path(to)?);
    let mut landed = Vec::new();
    for undo in &undos {
        if let Way::Move { landed: Some(json), .. } = &undo.way {
            landed.push(path(json)?);
        }
    }
    let back = Back { from, to, element: element.clone(), undos: undos.clone() };
    if landed.len() == back.undos.len() {
        return Ok(carried::with(back.send(landed, app, 0, world)?, left));
    }
    let marks = back.undos.iter().filter_map(|undo| undo.mark.clone()).collect();
    let member = back.to.collection(&dictionary, element)?;
    let find = finding(app, &dictionary, vec![(back.to.clone(), member)], marks)
        .ok_or_else(|| several("nothing tells the objects apart"))?;
    let step = in_app(app, Deed::Find(find), 0, Then::Back(Box::new(back)), world);
    Ok(carried::with(step, left))
}

fn several(why: &str) -> Fault {
    let message = format!("`undo`: these cannot be undone together: {why}");
    Fault::new(Code::InvalidParameter, message, "make one call for each of `parts`, or for each id")
}

/// The search for objects by their marks; `None` if their class has no mark.
pub(super) fn finding(
    app: &App,
    dictionary: &Dictionary,
    places: Vec<(Path, Arc<Member>)>,
    marks: Vec<String>,
) -> Option<Find> {
    let class = &places.first()?.1.class;
    let mark = mark_of(&app.bundle_id, dictionary, class)?;
    let plan = identity(dictionary, class);
    let Identity::Id(id) = plan else { return None };
    Some(Find { places, mark, id, marks })
}

/// Reads the result of a search: the number of the container and the id in it, or nothing.
pub(super) fn found(rows: &Json, at: usize, places: &[(Path, Arc<Member>)]) -> Option<Path> {
    let row = rows.get(at)?.as_array()?;
    let (container, member) = places.get(usize::try_from(row.first()?.as_u64()?).ok()?)?;
    Some(container.then(Segment::Element(member.clone(), By::Id(id(row.get(1)?)?))))
}

impl Back {
    /// Takes the found objects. Unless all of them exist, nothing is moved.
    pub(super) fn resume(
        self,
        reply: Reply,
        app: &str,
        events: u64,
        world: &mut World<'_>,
    ) -> Result<Step, Fault> {
        let app = world.apps.find(app)?;
        let rows = reply.result.map_err(|error| error.to_fault(&app.bundle_id, &app.name))?;
        let place = [(self.to.clone(), self.to.collection(app.dictionary()?, &self.element)?)];
        let paths: Option<Vec<Path>> = (0..self.undos.len()).map(|at| found(&rows, at, &place)).collect();
        let paths = paths.ok_or_else(|| {
            let message = format!(
                "the moved object is no longer in {}: it was deleted or moved since",
                told(&self.to, app, world)
            );
            Fault::new(Code::ReferenceInvalid, message, "find the object, and move it from there")
        })?;
        self.send(paths, app, events, world)
    }

    /// Moves everything back to its old place, through the same gate as any move.
    fn send(self, paths: Vec<Path>, app: &App, events: u64, world: &mut World<'_>) -> Result<Step, Fault> {
        let dictionary = app.dictionary()?.clone();
        let invocation = self.invocation(&paths, app, &dictionary)?;
        let action = Action::of(app, Deed::Command(Box::new(invocation)));
        let level = classify(&action, world.gate.policy.levels()).level;
        let Deed::Command(invocation) = &action.deed else { return Err(no_move(app)) };
        let sending = Sending::back(invocation, level.max(Level::Modify), self.undos);
        Ok(in_app(app, action.deed, events, Then::Command(Box::new(sending)), world))
    }

    fn invocation(&self, paths: &[Path], app: &App, dictionary: &Dictionary) -> Result<Invocation, Fault> {
        let command = dictionary.commands.iter().find(|command| command.code == MOVE);
        let command = command.ok_or_else(|| no_move(app))?;
        let to = command.parameters.iter().find(|each| each.code == WHERE).ok_or_else(|| no_move(app))?;
        let name = |term: &str| Identifier::of(term).ok_or_else(|| no_move(app));
        let mark = mark_of(&app.bundle_id, dictionary, &self.element);
        let seen = |(path, undo): (&Path, &Undo)| {
            let mark = mark.clone().zip(undo.mark.clone());
            let mark = mark.map(|(mark, is)| (Look::Property(vec![mark]), json!(is)));
            let kept = match &undo.way {
                Way::Move { looks, .. } => looks.as_slice(),
                _ => &[],
            };
            let kept = kept.iter().filter_map(|(look, is)| Some((Look::read(look)?, is.clone())));
            let (looks, shown): (Vec<Look>, Vec<Json>) = mark.into_iter().chain(kept).unzip();
            (!looks.is_empty()).then(|| Seen { path: path.clone(), looks, shown: Json::from(shown) })
        };
        let direct = match paths {
            [one] => Given::Object(one.clone()),
            several => Given::List(several.iter().cloned().map(Given::Object).collect()),
        };
        Ok(Invocation {
            term: command.name.clone(),
            code: command.code.clone(),
            identifier: name(&command.name)?,
            takes_direct: true,
            direct: Some(direct),
            each: paths.len() > 1,
            parameters: vec![Argument {
                term: to.name.clone(),
                identifier: name(&to.name)?,
                value: Given::Object(self.from.clone()),
            }],
            text: TextWindow { offset: 0, limit: 1_000 },
            is_fragile: false,
            seen: paths.iter().zip(&self.undos).filter_map(seen).collect(),
            moves: Some(Moves::of(app, dictionary, &self.element, self.to.class(), Some(&self.from))),
            copies: None,
            tells: Vec::new(),
            anchors: Some(Anchors::default()),
            save: None,
        })
    }
}

fn no_move(app: &App) -> Fault {
    let message = format!("{} has no command to move things back with", app.name);
    Fault::new(Code::UnknownCommand, message, "move it by hand")
}

/// Follows objects to the place that a move back has brought them to.
pub(super) fn follow_back(undos: &[Undo], reports: &[Report], app: &App, world: &mut World<'_>) {
    let Ok(dictionary) = app.dictionary().cloned() else { return };
    for (undo, report) in undos.iter().zip(reports) {
        let Way::Move { from, landed: Some(landed), element, .. } = &undo.way else { continue };
        let mut path = |json: &Json| {
            let specifier = Specifier::parse(json, "object").ok()?;
            let found = specifier.resolve(&dictionary, &mut *held(world.references, app, world.now));
            Some(found.ok()?.path)
        };
        let (Some(from), Some(landed)) = (path(from), path(landed)) else { continue };
        let now =
            report.landed_at(&landed, &dictionary).or_else(|| report.arrived_in(&from, element, &dictionary));
        if let Some(now) = now {
            for id in world.references.of(&app.bundle_id, &landed) {
                report.mark.iter().for_each(|mark| world.references.mark(id, mark));
            }
            world.references.renamed(&app.bundle_id, &landed, Some(&now));
        }
    }
}

/// The answer to undone moves.
pub(super) fn taken_back(undos: &[Undo], reports: &[Report], events: u64) -> Outcome {
    let all = undos.iter().zip(reports);
    let changes: Vec<Json> = all
        .clone()
        .map(|(undo, report)| json!({ "object": undo.words, "moved": "back", "verified": report.left, "undo": null }))
        .collect();
    let undone: Vec<String> =
        all.filter(|(_, report)| report.left).map(|(undo, _)| undo.id.clone()).collect();
    let success = undone.len() == undos.len();
    let body = json!({ "success": success, "changes": changes, "untrusted": true });
    Outcome { body, is_error: undone.is_empty(), events, undone, ..Outcome::default() }
}
