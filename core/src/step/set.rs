//! `iac_mcp_set_property`: the gate decides, the server looks at the objects and asks if necessary, and one script
//! writes and checks.

mod answer;
pub(super) mod begin;
mod excluded;
mod fold;
mod lists;
mod number;
mod steps;
mod wording;

use std::sync::Arc;

use indexmap::IndexSet;
use serde_json::{Value as Json, json};

use super::asking::{Behind, put, refused, run};
use super::show::{self, value};
use super::trace::Sent;
use super::words::{self, Names};
use super::{Outcome, Step, Then, World, carried, in_app, moves, query};
use crate::action::{Action, Deed, Find, Preview};
use crate::app::App;
use crate::call::How;
use crate::change::{Change, Expected, Fact, RULE, Subject};
use crate::dictionary::Identifier;
use crate::fault::{Code, Fault};
use crate::jxa;
use crate::marshal::Given;
use crate::moment::Shift;
use crate::osa_error::OsaError;
use crate::permission::{Decision, Unasked, decide, may_name};
use crate::reference::Object;
use crate::reply::Reply;
use crate::specifier::{By, Id, Path, Segment, find_property, quoted, read_source};
use crate::undo::{self, Undo};
use crate::value::Value;
use crate::words::RefId;

pub(super) use answer::unmeant;
pub(super) use begin::{changes, start, start_undo};
use excluded::Known;
use number::Sum;
pub(super) use steps::{Steps, Told};

/// The most containers to search for an object that is no longer where it was.
const MOST_PLACES: usize = 8;

/// The number of permanent writes of a call to name; the others are counted.
const MOST_LASTING: usize = 5;

/// Why an undo does not restore everything.
const LEFT: &str = "the changes in `left` cannot be undone";

/// The advice if an undo of one date would leave an object that ends before it starts.
const TOGETHER: &str = "take back the later change of its other date too, in the same call";

/// How often the server asks about an object that keeps changing.
const MOST_ROUNDS: usize = 3;

/// A write in progress.
#[derive(Debug)]
pub(super) struct Setting {
    /// Whether the call gave a list; the answer is then a list too, with errors among its items.
    list: bool,
    /// The result for each object, in the client's order.
    items: Vec<Item>,
    /// The remaining writes, each with its item.
    open: Vec<Open>,
    /// Whether the server has looked at the objects, so that it can show them.
    seen: bool,
    /// Whether the writes are steps of another call.
    is_step: bool,
    /// The same as [`Item::may_lose`], for all of them.
    may_lose: bool,
    /// Whether the running script is the one that writes.
    writes: bool,
    rounds: usize,
    undo: Vec<Undo>,
    /// The writes without an inverse: the app, the write, and the reason.
    lasting: Vec<(String, String, &'static str)>,
    /// Why the app did not save the changes, if it needs a command for that.
    unsaved: Option<String>,
    /// Other writes of the call that this undo does not reverse, in words.
    left: Vec<String>,
    /// Objects that are not where their references lead, and that a search by mark may find.
    lost: Vec<Open>,
    /// The current search for these objects.
    search: Option<Find>,
    /// The names of the objects' containers, and of objects among the new values.
    names: Arc<Names>,
    /// Old values and their containers whose names are being read.
    naming: Option<Vec<Subject>>,
    /// The time zone of the Mac, if it is known, or the app to continue with while the Mac is asked.
    zone: Known,
}

/// One object of the request.
#[derive(Debug, Default)]
struct Item {
    /// Its reference; an undo has none.
    id: Option<RefId>,
    /// The ids of the writes to undo.
    undo: Vec<String>,
    /// Whether the client knows that a new value may remove a part of the object that the property does not hold.
    may_lose: bool,
    /// The client's answer: one entry for each property, or one error.
    told: Vec<Json>,
    fault: Option<Fault>,
}

/// A change that is not done yet.
#[derive(Debug)]
struct Open {
    item: usize,
    change: Change,
    /// The new values as the client gave them, for the human.
    given: Vec<Json>,
    /// For each value, the addition to the old one (a text or a list of items), if the client gave no whole value.
    joins: Vec<Option<(How, Json)>>,
    /// Words of the client that mean properties of other names.
    read: carried::ReadAs,
    /// The object in words, after the look at it.
    words: String,
    /// Lines below its words in a question.
    facts: String,
    /// Whether it repeats, if that is known.
    repeats: Option<bool>,
    /// The other object that it stands for, if there is one.
    stands: Option<words::Standing>,
    /// The property with the dates that are left out of it, if it is of a class with series.
    excluded: Option<&'static str>,
    /// The date that stays, if the change sets only one of the two dates of an object that takes time.
    kept: Option<&'static str>,
    /// Properties that an undo cannot restore, and whether they have no value now.
    lasts: Vec<(String, bool)>,
    /// The names of objects on the path to it and among its values.
    names: Arc<Names>,
    /// The values that were read besides its old ones.
    row: Json,
    /// The parts of an object that the server does not read if the question only counts it: its labels and its facts.
    unnamed: Option<(Vec<Identifier>, Vec<Fact>)>,
}

impl Setting {
    /// Whether the app may have been changed although no answer came.
    pub(super) fn writes(&self) -> bool {
        self.writes
    }

    /// The values that the app may have set although no answer came. An undo that did not finish can be tried again.
    pub(super) fn sent(&self, app: &str) -> Option<Sent> {
        let open: Vec<&Open> = self.open.iter().filter(|open| !self.is_undo(open)).collect();
        let first = open.first().filter(|_| self.writes)?;
        let terms: IndexSet<&str> =
            open.iter().flat_map(|open| &open.change.subject.slots).map(|slot| slot.term.as_str()).collect();
        let terms = terms.into_iter().collect::<Vec<_>>().join(", ");
        let did = match open.len() {
            1 => format!("set {terms} of {}", first.change.subject.path),
            several => format!("set {terms} of {several} objects"),
        };
        Some(Sent { app: app.to_owned(), did })
    }

    /// Decides about the remaining writes, reads the objects, and asks if necessary.
    fn go_on(mut self, app: &App, events: u64, world: &mut World<'_>) -> Result<Step, Fault> {
        if self.open.is_empty() {
            return match self.searched(app, world) {
                Some(find) => {
                    self.search = Some(find.clone());
                    Ok(in_app(app, Deed::Find(find), events, Then::Set(Box::new(self)), world))
                }
                None => {
                    for open in std::mem::take(&mut self.lost) {
                        self.gone(&open, app, world)?;
                    }
                    self.done(events, world)
                }
            };
        }
        // Three kinds of changes depend on a look at the object: an addition on the old value, an excluded date on the
        // dates of its series, and one of two dates on the other one.
        let leaves_out = self.open.iter().any(|open| !self.is_undo(open) && open.leaves_out(&app.bundle_id));
        let keeps = |open: &Open| open.kept.is_some();
        if !self.seen && (leaves_out || self.open.iter().any(|open| open.adds() || keeps(open))) {
            self.writes = false;
            return Ok(in_app(app, Deed::Preview(self.look(app)), events, Then::Set(Box::new(self)), world));
        }
        if self.zone == Known::Not && self.knows_series(app) {
            return Ok(self.ask_zone(app, events, world));
        }
        if self.drop_wrong_dates(app, world)? {
            return self.go_on(app, events, world);
        }
        let changes = self.open.iter().map(|open| open.change.clone()).collect();
        let action = Action::of(app, Deed::Set(changes));
        let behind = Behind { name: app.name.clone(), events };
        Ok(match decide(action, &app.name, world.gate, world.now) {
            // The write may remove parts of the object that the call does not mention, so the server first reads
            // whether the object has such parts.
            Decision::Allow(_) if !self.seen && self.open.iter().any(Open::may_lose) => {
                self.writes = false;
                in_app(app, Deed::Preview(self.look(app)), events, Then::Set(Box::new(self)), world)
            }
            Decision::Allow(approved) => {
                self.writes = true;
                run(approved, behind, Then::Set(Box::new(self)), world)
            }
            Decision::Ask(unasked) => {
                self.check_sets()?;
                self.ask(unasked, behind, app, world)
            }
            Decision::Deny(refusal) => refused(refusal, events),
        })
    }

    /// Asks the human if the server has looked at the objects. Otherwise looks at them first.
    fn ask(mut self, unasked: Unasked, behind: Behind, app: &App, world: &World<'_>) -> Step {
        // Some of the objects to be named may already have their new values.
        if self.seen && self.name_the_first() {
            self.seen = false;
        }
        match (!self.seen).then(|| unasked.preview(self.look(app))).flatten() {
            Some(look) => {
                self.writes = false;
                run(look, behind, Then::Set(Box::new(self)), world)
            }
            None => {
                let owners = self.unnamed_owners(app);
                if !owners.is_empty()
                    && let Some(look) =
                        unasked.preview(Preview { subjects: owners.clone(), ..Preview::default() })
                {
                    self.naming = Some(owners);
                    self.writes = false;
                    return run(look, behind, Then::Set(Box::new(self)), world);
                }
                self.writes = true;
                let id = &unasked.action().app;
                let dictionary = app.dictionary.as_deref();
                let mut wording = self.wording(&behind.name, id, world.gate.plugin.clone(), dictionary);
                wording.is_undo |= world.gate.takes_back;
                let parts = jxa::canonical(unasked.action());
                put(unasked, wording, parts, behind, Then::Set(Box::new(self)))
            }
        }
    }

    /// Whether objects among those that the question names are without a name.
    fn name_the_first(&mut self) -> bool {
        let most = may_name(self.open.len());
        let named = self.sets().into_iter().flat_map(|set| set.into_iter().take(most));
        let mut are_some = false;
        for at in named.collect::<Vec<_>>() {
            let Open { change, unnamed, .. } = &mut self.open[at];
            if let Some((labels, facts)) = unnamed.take() {
                (change.subject.labels, change.subject.facts) = (labels, facts);
                are_some = true;
            }
        }
        are_some
    }

    /// A read of the objects of the remaining writes, and then of those among the new values.
    fn look(&self, app: &App) -> Preview {
        let mut subjects: Vec<Subject> = self.open.iter().map(|open| open.change.subject.clone()).collect();
        let wanted = app.dictionary.as_deref().map(|dictionary| {
            let subject =
                |path| Subject { mark: None, ..Subject::of(&app.bundle_id, dictionary, path, Vec::new()) };
            self.wanted().into_iter().map(subject)
        });
        subjects.extend(wanted.into_iter().flatten());
        subjects.extend(self.owners(app));
        Preview { subjects, ..Preview::default() }
    }

    /// The containers of the named objects, of those among the new values, and of the other objects.
    fn owners(&self, app: &App) -> Vec<Subject> {
        let (named, others): (Vec<&Open>, Vec<&Open>) =
            self.open.iter().partition(|open| open.unnamed.is_none());
        let path = |open: &'_ Open| open.change.subject.path.clone();
        let named: Vec<Path> = named.into_iter().map(path).collect();
        let others: Vec<Path> = others.into_iter().map(path).collect();
        words::owners(named.iter().chain(&self.wanted()).chain(&others), app)
    }

    /// The old values that only an id identifies, and their containers of that kind, such as the account of a mailbox.
    fn unnamed_owners(&self, app: &App) -> Vec<Subject> {
        let Some(dictionary) = app.dictionary.as_deref() else { return Vec::new() };
        let named = self.open.iter().filter(|open| open.unnamed.is_none());
        let olds = named.filter_map(|open| open.change.expected.old.as_ref()?.as_array()).flatten();
        let path = |old: &Json| match Value::decode(old) {
            Ok(Value::Object(source)) => read_source(dictionary, &source),
            _ => None,
        };
        let paths: Vec<Path> = olds.filter_map(path).collect();
        let mut owners = words::with_owners(paths.iter(), app);
        owners.retain(|owner| !self.names.contains_key(&owner.path));
        owners
    }

    /// Reads the rows about objects that are only named, which follow the rows to change.
    fn take_names(&mut self, rows: &[Json], app: &App, home: &str) {
        let (wanted, owners) = (self.wanted(), self.owners(app));
        let rows = rows.get(self.open.len()..).unwrap_or_default();
        let (rows, known) = rows.split_at(wanted.len().min(rows.len()));
        let mut names = words::called(&owners, known, app);
        let paths = self.open.iter().map(|open| &open.change.subject.path).chain(&wanted);
        names.extend(words::folders(paths, app, home));
        let Some(dictionary) = app.dictionary.as_deref() else { return };
        for (path, row) in wanted.into_iter().zip(rows) {
            let subject = Subject::of(&app.bundle_id, dictionary, path, Vec::new());
            let words = words::object(&subject, row, app, &names);
            names.insert(subject.path, words);
        }
        Arc::make_mut(&mut self.names).extend(names);
    }

    /// The objects among the new values, each once.
    fn wanted(&self) -> Vec<Path> {
        let values = self.open.iter().flat_map(|open| &open.change.values);
        let objects = values.flat_map(Given::paths).filter(|path| path.last().is_some());
        let objects: IndexSet<&Path> = objects.collect();
        objects.into_iter().cloned().collect()
    }

    /// The first object among the new values that does not exist, with the app's error.
    fn missing_value(&self, rows: &[Json]) -> Option<(Path, OsaError)> {
        let rows = rows.iter().skip(self.open.len());
        self.wanted().into_iter().zip(rows).find_map(|(path, row)| {
            let error = OsaError::of_row(row, "object").filter(OsaError::is_missing_object)?;
            Some((path, error))
        })
    }

    pub(super) fn resume(
        mut self,
        reply: Reply,
        app: &str,
        events: u64,
        world: &mut World<'_>,
    ) -> Result<Step, Fault> {
        if let Known::Asked(id) = &self.zone {
            let app = world.apps.find(&id.clone())?;
            self.zone = Known::of(reply)?;
            return self.go_on(app, events, world);
        }
        let app = world.apps.find(app)?;
        if let Some(owners) = self.naming.take() {
            let rows = reply.result.unwrap_or_default();
            let names = words::called(&owners, rows.as_array().map(Vec::as_slice).unwrap_or_default(), app);
            // If a name cannot be read, the words of the path take its place, so that the server does not ask for it
            // again.
            let unread = owners.iter().map(|owner| (owner.path.clone(), owner.path.in_words(&self.names)));
            let names: Names = unread.chain(names).collect();
            Arc::make_mut(&mut self.names).extend(names);
            for open in &mut self.open {
                open.names = self.names.clone();
            }
            return self.go_on(app, events, world);
        }
        if let Some(find) = self.search.take() {
            self.found(&find, &reply.result.unwrap_or_default(), app, world)?;
            return self.go_on(app, events, world);
        }
        let rows = reply.result.map_err(|error| self.whole(&error, app))?;
        let rows = rows.as_array().cloned().unwrap_or_default();
        if self.writes {
            self.unsaved = reply.reason.or(self.unsaved);
            self.written(&rows, app, world)?;
        } else if let Some((path, error)) = self.missing_value(&rows) {
            if path.name().is_some() {
                return query::offer_names(&path, None, app, events, world);
            }
            let fault = error.to_fault(&app.bundle_id, &app.name);
            return Err(fault.with("object", show::told(&path, app, world)));
        } else {
            // The answer names an object by the reference that the client gave, which may be one of its dates.
            let subjects = self.open.iter().map(|open| (self.id_of(open), &open.change.subject));
            let named = words::names(subjects.zip(&rows), app, world);
            self.looked_at(&rows, app, world)?;
            return Ok(carried::with(self.go_on(app, events, world)?, named.into_iter().collect()));
        }
        self.go_on(app, events, world)
    }

    /// An error of the whole script: nothing was changed, or it is unknown whether something was.
    fn whole(&self, error: &OsaError, app: &App) -> Fault {
        let fault = error.to_fault(&app.bundle_id, &app.name);
        if self.writes { super::command::uncertain(fault) } else { fault }
    }

    /// Takes the result of a read. Missing or different objects are not written.
    fn looked_at(&mut self, rows: &[Json], app: &App, world: &mut World<'_>) -> Result<(), Fault> {
        self.seen = true;
        let dictionary = app.dictionary()?.clone();
        self.take_names(rows, app, world.home);
        for (at, mut open) in std::mem::take(&mut self.open).into_iter().enumerate() {
            let row = rows.get(at).unwrap_or(&Json::Null);
            // A row is not an encoded value: it may hold marks of positions.
            if let Some(error) = OsaError::of_row(row, "object") {
                self.fail(open, &error, app, world)?;
                continue;
            }
            let mark = row.get(0).and_then(Json::as_str);
            let Expected { mark: was, looks, .. } = &open.change.expected;
            let is_another = was.as_deref().is_some_and(|was| Some(was) != mark)
                || looks.as_ref().is_some_and(|looks| row.get(5) != Some(looks));
            if is_another {
                self.moved(&open, app, world)?;
                continue;
            }
            let old = row.get(2).and_then(Json::as_array).map(Vec::len);
            if old != Some(open.change.subject.slots.len()) {
                let message = format!(
                    "the server could not read the current values of {}, so it cannot ask the user about the change",
                    open.told(app, world)
                );
                self.tell(&open, Fault::new(Code::ExecutionFailed, message, "try again later"))?;
                continue;
            }
            let old = row.get(2).cloned().unwrap_or_default();
            // From here on, an error names the object as the question does.
            open.names = self.names.clone();
            open.describe(&words::object(&open.change.subject, row, app, &open.names));
            if let Err(fault) = open.join(&old, app, world) {
                self.tell(&open, fault)?;
                continue;
            }
            if !self.is_step && self.is_so_already(&open, &old, app, world)? {
                continue;
            }
            if let Err(fault) = open.check_lock(row, app, world) {
                self.tell(&open, fault)?;
                continue;
            }
            if self.is_undo(&open) && open.change.expected.old.as_ref() != Some(&old) {
                self.changed_since(&open, app, world)?;
                continue;
            }
            if let Err(fault) = open.check_times(row, app, world) {
                let suggestion = if self.is_undo(&open) { TOGETHER } else { &fault.suggestion };
                self.tell(&open, Fault { suggestion: suggestion.to_owned(), ..fault })?;
                continue;
            }
            open.lasts =
                if self.is_undo(&open) { Vec::new() } else { open.without_way_back(&old, app, world)? };
            open.change.expected.mark = mark.map(str::to_owned);
            open.change.expected.old = Some(old);
            // While a person reads the question, another object may get the name of this one.
            open.change.expected.looks = row.get(5).cloned();
            open.row = row.clone();
            open.stands = words::stands(&open.change.subject, row, &dictionary);
            let lost = open.lost(&dictionary);
            if let Some(lost) = lost.as_ref().filter(|_| !self.is_meant(&open) && !self.is_undo(&open)) {
                let fault = open.unmeant(lost, app, world);
                self.tell(&open, fault)?;
                continue;
            }
            open.change.loses = lost.map(|(what, _)| what);
            let is_rule = |fact: &Fact| fact.caption == RULE;
            let rule = open.change.subject.facts.iter().position(is_rule);
            let fact = rule.and_then(|at| row.get(4)?.get(at));
            open.repeats = fact.and_then(|fact| match value(fact, None, &dictionary) {
                Value::Failed { .. } => None,
                Value::Null => Some(false),
                Value::Text(rule) => Some(!rule.is_empty()),
                _ => Some(true),
            });
            self.open.push(open);
        }
        Ok(())
    }

    /// Takes the result of a write. An object that differed from the shown one stays open.
    fn written(&mut self, rows: &[Json], app: &App, world: &mut World<'_>) -> Result<(), Fault> {
        self.rounds += 1;
        for (at, mut open) in std::mem::take(&mut self.open).into_iter().enumerate() {
            let row = rows.get(at).unwrap_or(&Json::Null);
            let Some(changed) = row.get("changed") else {
                self.one_written(open, row, app, world)?;
                continue;
            };
            if self.is_undo(&open) {
                self.changed_since(&open, app, world)?;
                continue;
            }
            if self.rounds >= MOST_ROUNDS {
                let message = format!("{} changes while the server asks about it", open.told(app, world));
                self.tell(&open, Fault::new(Code::ExecutionFailed, message, "try again later"))?;
                continue;
            }
            if let Err(fault) = open.join(changed, app, world) {
                self.tell(&open, fault)?;
                continue;
            }
            open.change.expected.old = Some(changed.clone());
            self.open.push(open);
        }
        Ok(())
    }

    fn is_undo(&self, open: &Open) -> bool {
        self.items.get(open.item).is_some_and(|item| !item.undo.is_empty())
    }

    /// The error if a value has changed since the write. Undo reverses a write only if it was the last one.
    fn changed_since(&mut self, open: &Open, app: &App, world: &World<'_>) -> Result<(), Fault> {
        let told = open.told(app, world);
        let message = format!("{told} was changed since: its value is no longer the one that was written");
        let suggestion =
            "read it, and set it with iac_mcp_set_property if the user still wants the old value";
        self.tell(open, Fault::new(Code::ExecutionFailed, message, suggestion))
    }

    fn fail(&mut self, open: Open, error: &OsaError, app: &App, world: &mut World<'_>) -> Result<(), Fault> {
        if error.is_moved() {
            return self.moved(&open, app, world);
        }
        if !error.is_missing_object() {
            return self.tell(&open, error.to_fault(&app.bundle_id, &app.name));
        }
        // The question about several steps shows all of them, so the call does not stop to search for the object of one
        // step.
        if open.change.expected.mark.is_some() && !self.is_step {
            self.lost.push(open);
            return Ok(());
        }
        self.gone(&open, app, world)
    }

    /// Whether the client knows what its new value may remove.
    fn is_meant(&self, open: &Open) -> bool {
        self.may_lose || self.items.get(open.item).is_some_and(|item| item.may_lose)
    }

    fn id_of(&self, open: &Open) -> Option<RefId> {
        self.items.get(open.item).and_then(|item| item.id)
    }

    fn gone(&mut self, open: &Open, app: &App, world: &mut World<'_>) -> Result<(), Fault> {
        let path = show::told(&open.change.subject.path, app, world);
        if open.change.subject.labels.is_empty() {
            // Nothing else of the object was read, so it may be that only the values are missing.
            let terms: Vec<String> =
                open.change.subject.slots.iter().map(|slot| quoted(&slot.term)).collect();
            let message = format!(
                "{} finds no {} of {path}: it has none, or is not there",
                app.name,
                terms.join(" or ")
            );
            let suggestion = "read what it has with iac_mcp_get_properties";
            return self.tell(open, Fault::new(Code::ReferenceInvalid, message, suggestion));
        }
        self.forget(open, world);
        let message = format!("the object ({path}) is no longer there: it was moved or deleted");
        let fault =
            Fault::new(Code::ReferenceInvalid, message, "query the object again using iac_mcp_query_object");
        self.tell(open, fault)
    }

    /// The places to search for a lost object: where it was moved to, where it was, and where similar objects were.
    fn searched(&mut self, app: &App, world: &World<'_>) -> Option<Find> {
        let dictionary = app.dictionary().ok()?.clone();
        let first = self.lost.first()?.change.subject.path.class().to_owned();
        let mut places: Vec<Path> = Vec::new();
        for open in &self.lost {
            let path = &open.change.subject.path;
            let references = self.id_of(open).into_iter().chain(world.references.of(&app.bundle_id, path));
            places.extend(references.filter_map(|id| world.references.peek(id)?.went.clone()));
            places.extend(path.last().map(|(container, _)| container.clone()));
        }
        places.extend(world.references.containers(&app.bundle_id, &first));
        let mut seen = std::collections::BTreeSet::new();
        places.retain(|place| place.is_stable() && seen.insert(place.clone()));
        let collection = |path: Path| path.collection(&dictionary, &first).ok().map(|member| (path, member));
        let places = places.into_iter().filter_map(collection).take(MOST_PLACES).collect();
        let marks = self.lost.iter().filter_map(|open| open.change.expected.mark.clone()).collect();
        moves::finding(app, &dictionary, places, marks)
    }

    /// Takes the result of a search. The reference now leads to the new place, and nothing was written.
    fn found(&mut self, find: &Find, rows: &Json, app: &App, world: &mut World<'_>) -> Result<(), Fault> {
        for (at, open) in std::mem::take(&mut self.lost).into_iter().enumerate() {
            let Some(path) = moves::found(rows, at, &find.places) else {
                self.gone(&open, app, world)?;
                continue;
            };
            if let Some(id) = self.id_of(&open) {
                world.references.rebind(id, Object::new(app.bundle_id.clone(), path.clone()));
            }
            let was = &open.change.subject.path;
            world.references.renamed(&app.bundle_id, was, Some(&path));
            let was = show::told(was, app, world);
            let path = show::told(&path, app, world);
            let message = format!("the object was moved from {was} to {path}; nothing was changed");
            let suggestion = "the server now finds it there; call again if the user still wants this";
            let fault = Fault::new(Code::ReferenceMoved, message, suggestion).with("followed", true);
            self.tell(&open, fault.retryable(true))?;
        }
        Ok(())
    }

    /// The error if another object has taken the place of this one. Nothing was written.
    fn moved(&mut self, open: &Open, app: &App, world: &mut World<'_>) -> Result<(), Fault> {
        self.forget(open, world);
        let path = show::told(&open.change.subject.path, app, world);
        let message = format!(
            "another object of {} is now at {path}, or several objects have that name; nothing was changed",
            app.name
        );
        let fault =
            Fault::new(Code::ReferenceMoved, message, "query the object again using iac_mcp_query_object");
        self.tell(open, fault)
    }

    fn forget(&self, open: &Open, world: &mut World<'_>) {
        if let Some(id) = self.items.get(open.item).and_then(|item| item.id) {
            world.references.fail(id);
        }
    }

    /// Reports an error of one object. If the call has no list, it is the error of the call.
    fn tell(&mut self, open: &Open, fault: Fault) -> Result<(), Fault> {
        let id = self.items.get(open.item).and_then(|item| item.id);
        let fault = id.map_or(fault.clone(), |id| fault.with("reference", id.to_string()));
        if !self.list {
            return Err(fault);
        }
        if let Some(item) = self.items.get_mut(open.item) {
            item.fault = Some(fault);
        }
        Ok(())
    }

    /// The answer, once nothing is open.
    fn done(mut self, events: u64, world: &mut World<'_>) -> Result<Step, Fault> {
        let failed = self.items.iter().filter(|item| item.fault.is_some()).count();
        // An undo may have nothing to restore in an app: then it only names what is left.
        let all_failed = failed == self.items.len() && (failed > 0 || self.left.is_empty());
        let undone = self
            .items
            .iter()
            .filter(|item| item.fault.is_none())
            .flat_map(|item| item.undo.clone())
            .collect();
        let entries: Vec<Json> = self.items.into_iter().flat_map(Item::into_entries).collect();
        let verified = entries.iter().all(|entry| entry["verified"] == json!(true));
        // A plugin gets one entry for each object.
        let entries = if world.gate.plugin.is_none() { fold::together(entries) } else { entries };
        // A write that is kept only for the list has no id in the answer, unless the call has another write that can be
        // undone.
        let is_kept = !self.undo.is_empty();
        let lasting: Vec<_> = std::mem::take(&mut self.lasting);
        let more = lasting.len().saturating_sub(MOST_LASTING);
        for (at, (app, did, why)) in lasting.into_iter().take(MOST_LASTING).enumerate() {
            let is_last = more > 0 && at + 1 == MOST_LASTING;
            let did = if is_last { format!("{did}, and {more} more") } else { did };
            self.undo.push(Undo::lasting(&app, did, why, (world.fresh)(), world.now));
        }
        let undo = undo::together(&mut self.undo, world.fresh).filter(|_| is_kept);
        let is_whole = failed == 0 && verified && self.left.is_empty() && self.unsaved.is_none();
        let mut body = json!({ "success": is_whole, "changes": entries, "undo": undo, "untrusted": true });
        if !self.left.is_empty() {
            body["left"] = json!(self.left);
            body["note"] = json!(LEFT);
        }
        if let Some(unsaved) = self.unsaved {
            body["note"] = json!(unsaved);
        }
        let outcome =
            Outcome { body, is_error: all_failed, events, undo: self.undo, undone, ..Outcome::default() };
        Ok(Step::Done(outcome))
    }
}

impl Open {
    fn adds(&self) -> bool {
        self.joins.iter().any(Option::is_some)
    }

    /// Turns additions into whole values, with the old values from the script.
    ///
    /// # Errors
    /// An old value cannot be read whole, or the whole is not of the property's type.
    fn join(&mut self, old: &Json, app: &App, world: &mut World<'_>) -> Result<(), Fault> {
        let dictionary = app.dictionary()?;
        for (at, join) in self.joins.iter().enumerate() {
            let Some((how, added)) = join else { continue };
            let old = old.get(at).map_or(Value::Null, |old| value(old, None, dictionary));
            let whole = match (added, &old) {
                (added, old) if *how == How::Shift => self.shifted(at, added, old)?,
                (Json::Array(items), Value::Null) => Json::from(items.clone()),
                (added, Value::Null) => added.clone(),
                (Json::String(text), Value::Text(old)) => json!(joined(*how, old, text)),
                (Json::Array(items), Value::List(_)) => {
                    let restored = undo::restorable(&old, dictionary);
                    let Some(Json::Array(old)) = restored else { return Err(self.unreadable(at)) };
                    let (first, last) = if *how == How::Append { (&old, items) } else { (items, &old) };
                    first.iter().chain(last).cloned().collect()
                }
                _ => return Err(self.unreadable(at)),
            };
            let slot = &self.change.subject.slots[at];
            let property = find_property(dictionary, self.change.subject.path.class(), &slot.term)?;
            self.change.values[at] = begin::checked(&whole, property, app, world)?;
            self.given[at] = whole;
        }
        Ok(())
    }

    /// Puts the object in words, with the values that were read of it.
    fn describe(&mut self, words: &str) {
        let (words, facts) = words.split_once('\n').unwrap_or((words, ""));
        (self.words, self.facts) = (words.to_owned(), facts.to_owned());
    }

    /// Names an event by the one date that is left out of its series. The event's own date is that of the first
    /// occurrence, but people know the date that the call names.
    fn name_by_date(&mut self, app: &App) {
        if let Some([date]) = self.left_out_dates().as_deref() {
            let words = words::occurrence(&self.change.subject, &self.row, date, app, &self.names);
            self.describe(&words);
        }
    }

    /// The dates that the changes leave out of a series.
    fn left_out_dates(&self) -> Option<Vec<String>> {
        let dates = (0..self.joins.len()).find_map(|at| self.left_out(at))?;
        dates.iter().map(|date| date.as_str().map(str::to_owned)).collect()
    }

    /// The object, if something is added to its own values and an id names it.
    fn added_to(&self) -> Option<(String, Id)> {
        let path = &self.change.subject.path;
        let (_, segment) = path.last().filter(|_| self.joins.iter().any(Option::is_some))?;
        match segment {
            Segment::Element(_, By::Id(id)) => Some((path.class().to_owned(), id.clone())),
            _ => None,
        }
    }

    /// The value that is counted from the old one.
    fn shifted(&self, at: usize, by: &Json, old: &Value) -> Result<Json, Fault> {
        let term = &self.change.subject.slots[at].term;
        if by.as_str().is_some_and(|text| begin::is_opposite(text, term)) {
            return match old {
                Value::Bool(is) => Ok(json!(!is)),
                _ => Err(self.unreadable(at)),
            };
        }
        let wrong = |message: String, suggestion: String| {
            Fault::new(Code::TypeMismatch, message, suggestion).with("property", term.as_str())
        };
        let none = |what: &str| {
            let message = format!("`{term}` has no {what}, so none can be counted from it");
            wrong(message, format!("leave out objects without one (`{term} is not null`), or give a {what}"))
        };
        let kind = &self.change.subject.slots[at].kind;
        if let Some(sum) =
            by.as_str().filter(|_| number::is_number(kind)).and_then(|text| Sum::parse(text, term))
        {
            let Value::Number(old) = old else { return Err(none("number")) };
            let too_large =
                || wrong(format!("`{term}` would be too large"), "give a smaller number".to_owned());
            return sum.of(old, kind).ok_or_else(too_large);
        }
        let shift = by.as_str().and_then(|text| Shift::parse(text, term));
        let Value::Date(old) = old else { return Err(none("date")) };
        let date = shift.and_then(|shift| shift.of(old)).ok_or_else(|| self.unreadable(at))?;
        Ok(Json::from(date))
    }

    fn unreadable(&self, at: usize) -> Fault {
        let term = &self.change.subject.slots[at].term;
        let message = format!("the whole of `{term}` cannot be read, so nothing can be added to it");
        Fault::new(Code::TypeMismatch, message, "give the whole new value as `value`")
            .with("property", term.as_str())
    }
}

fn joined(how: How, old: &str, text: &str) -> String {
    if how == How::Append { format!("{old}{text}") } else { format!("{text}{old}") }
}

impl Item {
    fn into_entries(self) -> Vec<Json> {
        match self.fault {
            None => self.told,
            Some(fault) => {
                let mut entry = json!({ "error": fault.to_json() });
                if let Some(id) = self.id {
                    entry["reference"] = json!(id.to_string());
                }
                vec![entry]
            }
        }
    }
}
