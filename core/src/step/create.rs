//! `iac_mcp_create`: the server looks at the destinations, one question shows all new objects, and one script makes and
//! reads them.

mod answer;
mod begin;
mod row;
mod sets;
mod unmake;
mod wording;

use std::borrow::Cow;

use serde_json::Value as Json;

use super::asking::{Behind, ask_seen, ask_unseen, refused, run};
use super::set::{Steps, unmeant};
use super::trace::{self, Sent, Trace};
use super::words::{self, Names};
use super::{Step, Then, World, command, failed, in_app, moves, placing, query, show};
use crate::action::{Action, Argument, Creation, Deed, Following, Invocation, Preview};
use crate::app::App;
use crate::change::{OPENING_WINDOW, SEND, Subject, VISIBLE, drafts, is_lossy, undeletable};
use crate::dictionary::Dictionary;
use crate::fault::{Code, Fault};
use crate::identity::Anchors;
use crate::marshal::Given;
use crate::osa_error::OsaError;
use crate::permission::{Decision, Source, classify, decide};
use crate::reply::Reply;
use crate::specifier::{Path, quoted};
use crate::words::{Level, RefId};

pub(super) use begin::{check_following, launch, looks_of_copy, start, start_after};
pub(super) use unmake::{Unmade, ended as unmade, start as start_unmake};

pub(super) use begin::saving;

/// Objects that are to be made.
#[derive(Debug)]
pub(super) struct Creating {
    creation: Creation,
    /// The classes and parents of all objects, for the answer and the question.
    nodes: Vec<Node>,
    /// The containers to look at.
    places: Vec<Subject>,
    /// The app's default destinations, to look at before a question.
    defaults: Vec<Subject>,
    /// The subjects that are being looked at.
    looking: Vec<Subject>,
    anchors: Anchors,
    /// The names of the containers.
    names: Names,
    /// For commands in a row: the references among the targets of each command.
    references: Vec<Vec<Option<RefId>>>,
    /// The traces of the commands that follow, or of those in a row.
    traces: Vec<Trace>,
    /// The steps that set properties on objects of their own.
    steps: Steps,
    /// Whether a new value may remove a part of an object that the property does not hold, such as attachments.
    may_lose: bool,
    /// Whether the first object existed before, because a command has only opened it.
    is_old: bool,
    /// Whether the running script is the one that makes the objects.
    writes: bool,
}

/// One object of the request.
#[derive(Debug)]
struct Node {
    class: String,
    parent: Option<usize>,
    /// The container, as far as it is known before anything is made.
    container: Option<Path>,
    /// Its destination, if the call gives none.
    chosen: Option<Chosen>,
    /// The client's words for a date, and the date that they mean: `("friday 17:00", …)`.
    dates: Vec<(String, String)>,
}

/// The app's destination for a new object without a place.
#[derive(Clone, Debug)]
enum Chosen {
    /// The default that the dictionary names.
    Default(Path),
    /// The dictionary names no default, and objects of its class are in several containers.
    Unknown,
}

/// Whether a command moves objects that were there before into a new one.
fn gathers(command: &Invocation) -> bool {
    let into_it = |argument: &Argument| argument.value.paths().into_iter().any(Following::leads_to_it);
    let is_new = |given: &Given| given.paths().into_iter().any(Following::leads_to_it);
    command.code == moves::MOVE
        && !command.replaces()
        && command.parameters.iter().any(into_it)
        && !command.direct.iter().any(is_new)
}

/// The error for a destination that takes no new objects. No one is asked about it.
fn closed(place: &str, app: &App) -> Fault {
    let place = place.lines().next().unwrap_or_default();
    let message = format!("{place} takes no new objects: {} says that it is not `writable`", app.name);
    let suggestion = "give another one as `at`: list those whose writable is true";
    Fault::new(Code::ExecutionFailed, message, suggestion).untrusted()
}

/// The containers of places.
fn owners(places: &[Subject], app: &App) -> Vec<Subject> {
    words::owners(places.iter().map(|place| &place.path), app)
}

impl Creating {
    /// Whether the app may have made something although no answer came.
    pub(super) fn writes(&self) -> bool {
        self.writes
    }

    /// Whether several steps change something, so that one may change what a name of another means.
    fn has_steps(&self) -> bool {
        !self.creation.then.is_empty() || !self.creation.sets.is_empty()
    }

    /// The first of some commands in a row, and the others; `None` if objects are made.
    fn row(&self) -> Option<(&Invocation, &[Following])> {
        let (first, rest) = self.creation.then.split_first().filter(|_| self.nodes.is_empty())?;
        Some((&first.sent, rest))
    }

    /// The change that the app may have made although no answer came.
    pub(super) fn sent(&self, app: &str, name: &str) -> Option<Sent> {
        let all = vec![true; self.traces.len()];
        let did = self.did(name, &all, 0..self.creation.sets.len()).filter(|_| self.writes)?;
        Some(Sent { app: app.to_owned(), did })
    }

    /// For each new object that is in no other new object, the reason why it cannot be deleted again; `None` if it can.
    fn stay_for_good(&self, app: &str, dictionary: &Dictionary) -> Vec<Option<&'static str>> {
        let roots = self.nodes.iter().filter(|node| node.parent.is_none());
        roots.map(|node| undeletable(app, dictionary, &node.class)).collect()
    }

    /// Whether it leaves a message that the user does not see, and that no step sends or saves.
    fn hides_draft(&self, app: &App, dictionary: &Dictionary) -> bool {
        let yes = Some(&Given::Bool(true));
        let draft = self.nodes.iter().zip(&self.creation.makes).find(|(node, _)| node.parent.is_none());
        let Some((_, make)) = draft.filter(|(node, _)| drafts(&app.bundle_id, dictionary, &node.class))
        else {
            return false;
        };
        let mut values = make.slots.iter().zip(&make.values);
        let is_shown = values.any(|(slot, value)| slot.term == VISIBLE && Some(value) == yes)
            || self.creation.origin().is_some_and(|origin| origin.parameter(OPENING_WINDOW) == yes);
        !is_shown
            && !self.creation.then.iter().any(|next| [SEND, answer::SAVE].contains(&next.sent.code.as_str()))
    }

    /// The permanent effects of the commands that ran, in words; `None` if all of them only show something.
    fn did(&self, name: &str, done: &[bool], sets: impl Iterator<Item = usize>) -> Option<String> {
        let then = self.traces.iter().zip(done).filter(|(_, is_done)| **is_done);
        let then = then.filter_map(|(trace, _)| trace.did().map(str::to_owned));
        let then = then.chain(sets.filter_map(|number| self.steps.did(number)));
        let first = match (self.creation.origin(), self.nodes.first()) {
            // Opening a document changes nothing, unless the call sets something in it.
            (Some(origin), _) => {
                let changes =
                    !trace::shows(origin) || self.nodes.len() > 1 || !self.creation.makes[0].slots.is_empty();
                changes.then(|| format!("ran {}", quoted(&origin.term)))
            }
            (None, Some(node)) => {
                let more = self.nodes.iter().filter(|node| node.parent.is_none()).count() - 1;
                let more = if more > 0 { format!(" and {more} more") } else { String::new() };
                Some(format!("made a new {}{more}", node.class))
            }
            (None, None) => None,
        };
        let all: Vec<String> = first.into_iter().chain(then).collect();
        (!all.is_empty()).then(|| format!("{name} {}", all.join(", then ")))
    }

    /// For each later command the reason why it is dangerous, if it is.
    fn dangers(&self, app: &App, world: &World<'_>) -> Vec<Option<Cow<'static, str>>> {
        let danger = |next: &Following| {
            let alone = Action::of(app, Deed::Command(Box::new(next.judged.clone())));
            let classified = classify(&alone, world.gate.policy.levels());
            (classified.level == Level::Dangerous).then_some(classified.reason)
        };
        self.creation.then.iter().map(danger).collect()
    }

    fn action(&self, app: &App) -> Action {
        Action::of(app, Deed::Create(Box::new(self.creation.clone())))
    }

    /// Looks at the containers first, if there are any: the question shows them, and the server replaces positions by
    /// ids.
    fn begin(self, app: &App, world: &mut World<'_>) -> Step {
        let sets = self.steps.look(app);
        if self.places.is_empty() && sets.is_empty() {
            return self.go(app, 0, world);
        }
        // If the policy refuses it at every destination, the call ends before anything is read.
        match decide(self.action(app), &app.name, world.gate, world.now) {
            // The gate refuses a file without a name. An object at a position may get a name after the lookup.
            Decision::Deny(refusal)
                if !matches!(refusal.source, Source::Closed { .. })
                    || !self.places.iter().any(|place| placing::has_index(&place.path)) =>
            {
                return refused(refusal, 0);
            }
            _ => {}
        }
        let subjects = self.places.iter().cloned().chain(owners(&self.places, app)).chain(sets).collect();
        let look = Preview { subjects, anchors: Some(self.anchors.clone()), knows: self.has_steps() };
        in_app(app, Deed::Preview(look), 0, Then::Create(Box::new(self)), world)
    }

    /// Decides about the whole call, and asks if necessary.
    fn go(mut self, app: &App, events: u64, world: &World<'_>) -> Step {
        self.writes = true;
        let is_row = self.row().is_some();
        let then = self.creation.then.iter_mut().zip(&self.references);
        self.traces = then
            .map(|(next, references)| {
                let trace = Trace::of(&next.judged, app, world);
                match is_row || gathers(&next.sent) {
                    true => trace.following(&mut next.sent, references, app),
                    false => trace,
                }
            })
            .collect();
        let behind = Behind { name: app.name.clone(), events };
        match decide(self.action(app), &app.name, world.gate, world.now) {
            Decision::Allow(approved) => run(approved, behind, Then::Create(Box::new(self)), world),
            Decision::Ask(unasked) => {
                if let Err(fault) = self.check_sets() {
                    return failed(&fault, events);
                }
                let subjects = std::mem::take(&mut self.defaults);
                let all = subjects.iter().cloned().chain(owners(&subjects, app)).collect();
                if let Some(look) = unasked.preview(Preview { subjects: all, ..Preview::default() }) {
                    (self.writes, self.looking) = (false, subjects);
                    return run(look, behind, Then::Create(Box::new(self)), world);
                }
                let mut wording = self.wording(app, world.gate.plugin.clone());
                wording.is_undo |= world.gate.takes_back;
                // If the server has looked at containers, the app is known to run.
                let is_seen = !self.names.is_empty() || self.steps.is_seen();
                let ask = if is_seen { ask_seen } else { ask_unseen };
                ask(unasked, wording, behind, Then::Create(Box::new(self)), world)
            }
            Decision::Deny(refusal) => refused(refusal, events),
        }
    }

    pub(super) fn resume(
        mut self,
        reply: Reply,
        app: &str,
        events: u64,
        world: &mut World<'_>,
    ) -> Result<Step, Fault> {
        let app = world.apps.find(app)?;
        if self.writes {
            let answer = reply
                .result
                .map_err(|error| command::uncertain(error.to_fault(&app.bundle_id, &app.name)))?;
            return self.made(&answer, app, events, world);
        }
        let looking = std::mem::take(&mut self.looking);
        if !looking.is_empty() {
            // The question is asked even if the app does not run, or has no default at this moment.
            let rows = reply.result.ok();
            let rows = rows.as_ref().and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
            let owners = owners(&looking, app);
            self.names.extend(words::called(&owners, rows.get(looking.len()..).unwrap_or_default(), app));
            for (subject, row) in
                looking.iter().zip(rows).filter(|(_, row)| OsaError::of_row(row, "object").is_none())
            {
                let words = words::object(subject, row, app, &self.names);
                self.names.insert(subject.path.clone(), words);
            }
            self.creation.seen.extend(super::asking::shown(&looking, rows));
            return Ok(self.go(app, events, world));
        }
        let rows = reply.result.map_err(|error| placing::unseen(&error, app))?;
        self.looked_at(rows.as_array().map(Vec::as_slice).unwrap_or_default(), app, events, world)
    }

    /// The name of the argument that names an object: a place, or the target or an argument of a later command.
    fn place_of(&self, path: &Path) -> String {
        if self.creation.makes.iter().any(|make| make.at() == Some(path)) {
            return "at".to_owned();
        }
        if let Some(origin) = self.creation.origin() {
            let is_target = origin.direct.iter().any(|given| given.paths().contains(&path));
            let argument = origin.parameters.iter().find(|argument| argument.value.paths().contains(&path));
            match (is_target, argument) {
                (true, _) => return "target".to_owned(),
                (false, Some(argument)) => return format!("arguments.{}", argument.term),
                (false, None) => {}
            }
        }
        for make in &self.creation.makes {
            let mut values = make.slots.iter().zip(&make.values);
            if let Some((slot, _)) = values.find(|(_, value)| value.paths().contains(&path)) {
                return format!("properties.{}", slot.term);
            }
        }
        let of = |next: &Following| {
            let outer = if next.place.is_empty() { String::new() } else { format!("{}.", next.place) };
            let is_in = |given: &Given| given.paths().contains(&path);
            let target = next.sent.direct.as_ref().filter(|given| is_in(given));
            let argument = next.sent.parameters.iter().find(|argument| is_in(&argument.value));
            let argument = argument.map(|argument| format!("{outer}arguments.{}", argument.term));
            target.map(|_| format!("{outer}target")).or(argument)
        };
        self.creation.then.iter().find_map(of).unwrap_or_else(|| "at".to_owned())
    }

    /// Whether a destination is one that takes no new objects, as the look at it has found.
    fn is_closed(&self, subject: &Subject, row: &Json, app: &App) -> bool {
        let fact = app.dictionary().ok().and_then(|it| begin::writable_fact(it, subject.path.class()));
        let at = fact.and_then(|fact| subject.facts.iter().position(|each| *each == fact));
        at.and_then(|at| row.get(4)?.get(at)) == Some(&Json::Bool(false))
    }

    /// Refuses a change that removes something of a copy, unless the call says that it may.
    ///
    /// # Errors
    /// The original has something of the kind.
    fn check_loss(&mut self, subject: &Subject, row: &Json, app: &App) -> Result<(), Fault> {
        let Some(at) = subject.facts.iter().position(|fact| fact.is_lost) else { return Ok(()) };
        let count = row.get(4).and_then(|facts| facts.get(at)).and_then(Json::as_u64);
        let Some(writes) = self.creation.writes.as_mut().filter(|_| count != Some(0)) else { return Ok(()) };
        let what = subject.facts[at].caption.clone();
        if !self.may_lose {
            let class = writes.subject.path.class();
            let is_it =
                |term: &&str| app.dictionary().is_ok_and(|all| is_lossy(&app.bundle_id, all, class, term));
            let term = writes.subject.slots.iter().map(|slot| slot.term.as_str()).find(is_it);
            let name = words::object(subject, row, app, &self.names);
            let name = name.lines().next().unwrap_or_default();
            return Err(unmeant(&(what, count), term.unwrap_or_default(), name, app));
        }
        writes.loses = Some(what);
        Ok(())
    }

    /// Takes the objects at the destinations from the reply.
    fn looked_at(
        mut self,
        rows: &[Json],
        app: &App,
        events: u64,
        world: &mut World<'_>,
    ) -> Result<Step, Fault> {
        let places = std::mem::take(&mut self.places);
        let owners = owners(&places, app);
        let (rows, sets) = rows.split_at(rows.len().min(places.len() + owners.len()));
        self.names.extend(words::called(&owners, rows.get(places.len()..).unwrap_or_default(), app));
        let mut pinned: Vec<(Path, Path)> = Vec::new();
        for (at, subject) in places.iter().enumerate() {
            let row = rows.get(at).unwrap_or(&Json::Null);
            if let Some(error) = OsaError::of_row(row, "object") {
                if error.is_missing_object() && subject.path.name().is_some() {
                    return query::offer_names(&subject.path, None, app, events, world);
                }
                let fault = error.to_fault(&app.bundle_id, &app.name);
                let place = self.place_of(&subject.path);
                return Err(fault
                    .with("parameter", place)
                    .with("object", show::told(&subject.path, app, world)));
            }
            if self.is_closed(subject, row, app) {
                return Err(closed(&words::object(subject, row, app, &self.names), app)
                    .with("parameter", self.place_of(&subject.path)));
            }
            self.check_loss(subject, row, app)?;
            let moves = self.creation.then.iter().filter(|next| next.sent.code == moves::MOVE);
            let mut to = moves.flat_map(|next| &next.sent.parameters).flat_map(|each| each.value.paths());
            let path = placing::found(&subject.path, row.get(3), &self.anchors, self.has_steps());
            if to.any(|to| *to == subject.path) {
                placing::check_trash(&path, row, app)?;
            }
            let there = Subject { path: path.clone(), ..subject.clone() };
            let called = words::object(&there, row, app, &self.names);
            self.names.insert(path.clone(), called);
            pinned.push((subject.path.clone(), path));
        }
        let now = |path: &Path| {
            // One of the objects may hold another, such as the mailbox a message, so the longest part counts.
            let found =
                pinned.iter().filter_map(|(was, is)| Some((was.segments().len(), path.replaced(was, is)?)));
            found.max_by_key(|(length, _)| *length).map_or_else(|| path.clone(), |(_, path)| path)
        };
        let before = self.dangers(app, world);
        self.creation.replace_places(&now);
        // What a position leads to is known only now: it may be the Trash.
        let then = self.creation.then.iter().zip(self.dangers(app, world)).zip(before);
        if let Some(((next, danger), _)) =
            then.into_iter().find(|((_, now), was)| now.is_some() && was.is_none())
        {
            return Err(begin::dangerous(next, danger.unwrap_or_default()));
        }
        self.nodes.iter_mut().for_each(|node| node.container = node.container.as_ref().map(now));
        // The places were looked at before anything is made, and each new object shifts the positions after it.
        let ats = self.creation.makes.iter().filter_map(crate::action::Make::at);
        if ats.clone().count() > 1 && ats.clone().any(placing::has_index) {
            let message = "`at` counts a position, which may shift while several objects are made";
            let suggestion = "make one object in each call, or give a container as `at`";
            return Err(Fault::parameter("at", message, suggestion));
        }
        let subjects: Vec<Subject> =
            places.iter().map(|subject| Subject { path: now(&subject.path), ..subject.clone() }).collect();
        self.creation.seen.extend(super::asking::shown(&subjects, rows));
        if !self.creation.sets.is_empty() {
            self.steps.pin(sets, &self.anchors);
            self.steps.looked_at(sets, &mut self.creation.sets, app, world)?;
        }
        Ok(self.go(app, events, world))
    }
}
