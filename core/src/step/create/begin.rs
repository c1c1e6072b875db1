//! Turns arguments into new objects. Every error is found before anything runs.

mod following;
mod given;
mod looks;
mod places;
mod sets;

use std::sync::Arc;

use serde_json::{Value as Json, json};

pub(in crate::step) use following::check_following;
pub(super) use following::{WEIGHTY, dangerous, is_weighty};
pub(in crate::step) use looks::looks_of_copy;
use places::Spot;
pub(super) use places::{CALLED, CONTAINER};

use super::row::{answer_of, start_row};
use super::{Chosen, Creating, Node};
use crate::action::{Argument, Creation, Following, Into, Invocation, Make, Renamed, Takes};
use crate::app::App;
use crate::call::{Call, CommandCall, Create, How, NewObject, Next};
use crate::change::{
    Change, DUPLICATE, Expected, Fact, Look, SEND, Slot, Span, Subject, TO_ALL, as_html, begins_with, facts,
    loss, taken_from,
};
use crate::dictionary::{Command, Dictionary, Identifier, Parameter, TypeExpr};
use crate::fault::{Code, Fault};
use crate::identity::{Anchors, Identity, identity};
use crate::marshal::{Checker, Dated, Given, date};
use crate::permission::may_read;
use crate::schema;
use crate::specifier::{By, Container, Member, Path, Segment, SpecifierError};
use crate::step::carried::{self, Carried, ReadAs};
use crate::step::set::Steps;
use crate::step::set::begin::{checked, read_as, slot, twice, writable};
use crate::step::{Step, World, first, held, moves, occurrence, placing, set};
use crate::words::{RefId, TextWindow};

/// The event that makes an object.
const MAKE: &str = "corecrel";

/// The code of a property that holds a name.
const NAME: &str = "pnam";

/// Apps that keep changes only after a save, and the command for it.
///
/// # Source
/// Contacts' dictionary: `save` writes the changes, and the property `unsaved` says that there are some.
const SAVES: [(&str, &str); 1] = [("com.apple.AddressBook", "coresave")];

/// The facts about a message that a command has written.
const TOLD: [&str; 4] = ["to", "cc", "bcc", "text"];

const WHOLE: TextWindow = TextWindow { offset: 0, limit: 1_000 };

/// Begins `iac_mcp_create`.
pub(in crate::step) fn start(call: &Create, world: &mut World<'_>) -> Result<Step, Fault> {
    occurrence::refuse(call.references(), world)?;
    let app = world.apps.find(&app_of(call, world)?)?;
    let dictionary = app.dictionary()?.clone();
    let mut tree = Tree::new(app, &dictionary, Some(command_of(app, &dictionary)?));
    let mut faults = Vec::new();
    for (at, object) in call.objects.iter().enumerate() {
        let place = if call.objects.len() > 1 { format!("objects[{at}]") } else { String::new() };
        let Err(fault) = tree.add(object, None, &place, world) else { continue };
        let parameter = fault.context.get("parameter").and_then(Json::as_str).unwrap_or_default();
        let is_place = parameter == "at" || parameter.ends_with(".at");
        if object.at.is_none() && is_place {
            return first::places(fault, app, world);
        }
        faults.push(fault);
    }
    if let Some(fault) = Fault::joined(faults) {
        return Err(fault);
    }
    let read = std::mem::take(&mut tree.read);
    match tree.finish(&call.then, world) {
        Ok(step) => Ok(carried::with(step, Carried::wrote(read))),
        Err(Unfit::Open(given, container)) => {
            first::argument(Call::Create(call.clone()), &app.bundle_id, given, container, world)
        }
        Err(Unfit::Wrong(fault)) => Err(fault),
    }
}

/// Begins a command with `then`: the later steps use the object that the command returns.
pub(in crate::step) fn start_after(
    call: &CommandCall,
    origin: Invocation,
    world: &mut World<'_>,
) -> Result<Step, Fault> {
    occurrence::refuse(call.references(), world)?;
    let app = world.apps.find(&call.app)?;
    let dictionary = app.dictionary()?.clone();
    let Some(answer) = answer_of(&origin, &call.then.object, app, &dictionary)? else {
        return start_row(call, origin, app, &dictionary, world);
    };
    let parts = &call.then.object.children;
    let maker = if parts.is_empty() { None } else { Some(command_of(app, &dictionary)?) };
    let mut tree = Tree::new(app, &dictionary, maker);
    tree.answered(origin, answer, &call.then.object, world)?;
    for part in parts {
        tree.add(part, Some(0), &part.place, world)?;
    }
    let read = std::mem::take(&mut tree.read);
    match tree.finish(&call.then.then, world) {
        Ok(step) => Ok(carried::with(step, Carried::wrote(read))),
        Err(Unfit::Open(given, container)) => {
            first::argument(Call::Command(call.clone()), &app.bundle_id, given, container, world)
        }
        Err(Unfit::Wrong(fault)) => Err(fault),
    }
}

/// The reason to refuse the commands of `then`.
pub(super) enum Unfit {
    Wrong(Fault),
    /// The server must first look up an object among their arguments: the client's text, and its meaning.
    Open(Json, Container),
}

impl From<Fault> for Unfit {
    fn from(fault: Fault) -> Self {
        Self::Wrong(fault)
    }
}

/// The named app, otherwise the app of the references.
fn app_of(call: &Create, world: &World<'_>) -> Result<String, Fault> {
    if let Some(app) = &call.app {
        return Ok(app.clone());
    }
    let references = Call::Create(call.clone()).references();
    let known = references.into_iter().find_map(|id| world.references.app_of(id).map(str::to_owned));
    known.ok_or_else(|| {
        let message = "`app` is missing: no reference among the arguments says it";
        Fault::new(Code::InvalidParameter, message, "add `app`").with("parameter", "app")
    })
}

/// The app's own `make`; if several are defined, they accept the arguments of each.
fn command_of(app: &App, dictionary: &Dictionary) -> Result<Command, Fault> {
    let all: Vec<&Command> = dictionary.commands.iter().filter(|command| command.code == MAKE).collect();
    if all.is_empty() {
        return Err(no_make(app));
    }
    Ok(schema::merged(&all))
}

/// The command that an app needs to keep its changes; `None` for nearly all apps.
pub(in crate::step) fn saving(app: &App, dictionary: &Dictionary) -> Option<Invocation> {
    let (_, code) = SAVES.iter().find(|(id, _)| id.eq_ignore_ascii_case(&app.bundle_id))?;
    let command = dictionary.commands.iter().find(|command| command.code == *code)?;
    Some(invocation(command, Identifier::of(&command.name)?, Vec::new()))
}

/// The command that opens an app and does nothing else.
pub(in crate::step) fn launch() -> Option<Invocation> {
    let command = schema::launch();
    let launch = invocation(&command, Identifier::of(&command.name)?, Vec::new());
    Some(Invocation { anchors: Some(Anchors::default()), ..launch })
}

fn invocation(command: &Command, identifier: Identifier, parameters: Vec<Argument>) -> Invocation {
    Invocation {
        term: command.name.clone(),
        code: command.code.clone(),
        identifier,
        takes_direct: command.direct.is_some(),
        direct: None,
        each: false,
        parameters,
        text: WHOLE,
        is_fragile: false,
        seen: Vec::new(),
        moves: None,
        copies: None,
        tells: Vec::new(),
        anchors: None,
        save: None,
    }
}

/// New objects, while the arguments are read.
pub(super) struct Tree<'a> {
    app: &'a App,
    dictionary: &'a Dictionary,
    /// The app's `make`, if it makes any of the objects.
    command: Option<Command>,
    makes: Vec<Make>,
    nodes: Vec<Node>,
    /// The future paths of the new objects, as far as they are known. The gate judges the objects inside by these
    /// paths.
    ways: Vec<Path>,
    /// The properties to set on an object that a command returns.
    writes: Option<Box<Change>>,
    /// Whether the first object existed before: a document that was opened.
    is_old: bool,
    /// Whether a new value may remove a part of an object that the property does not hold, such as attachments.
    may_lose: bool,
    /// If nothing is made: the first of some commands in a row, with the references among its targets.
    pub(super) row: Option<(Invocation, Vec<Option<RefId>>)>,
    /// The place in the call of the properties to set before the first of these commands.
    pub(super) before: Option<String>,
    /// The client's text for `it` in these commands.
    pub(super) subject: Option<Json>,
    /// Words of the client that mean properties of other names.
    read: ReadAs,
}

/// Properties with their values, and how each is combined with the existing value.
type Values = (Vec<Slot>, Vec<Given>, Vec<How>);

impl<'a> Tree<'a> {
    pub(super) fn new(app: &'a App, dictionary: &'a Dictionary, command: Option<Command>) -> Self {
        let (makes, nodes, ways) = (Vec::new(), Vec::new(), Vec::new());
        let (writes, row, before, subject) = (None, None, None, None);
        let (is_old, may_lose, read) = (false, false, ReadAs::new());
        Self {
            app,
            dictionary,
            command,
            makes,
            nodes,
            ways,
            writes,
            is_old,
            may_lose,
            row,
            before,
            subject,
            read,
        }
    }

    /// Reads the later commands, and looks at the existing objects.
    pub(super) fn finish(self, then: &[Next], world: &mut World<'_>) -> Result<Step, Unfit> {
        // Errors come before any lookup.
        let mut steps = Steps::new();
        let mut sets = self.sets(then, &mut steps, world)?;
        let read = steps.read_as();
        let commands = then.iter().filter(|next| next.sets.is_empty());
        let mut then: Vec<_> = commands.map(|next| self.following(next, world)).collect();
        if let Some(at) = then.iter().position(|next| matches!(next, Err(Unfit::Wrong(_)))) {
            then.swap(0, at);
        }
        let then = then.into_iter().collect::<Result<Vec<_>, Unfit>>()?;
        let (mut then, mut references): (Vec<Following>, Vec<_>) = then.into_iter().unzip();
        following::check_order(&then, self.app, world)?;
        let Self { app, dictionary, makes, nodes, ways, writes, is_old, may_lose, row, before, .. } = self;
        let mut save = saving(app, dictionary);
        if let Some((first, targets)) = row {
            then.insert(0, Following { place: String::new(), judged: first.clone(), sent: first });
            let later = sets.iter_mut().filter(|set| before.as_ref() != Some(&set.place));
            later.for_each(|set| set.after += 1);
            references.insert(0, targets);
            // If the client's own save is the last step, nothing is left to save.
            let is_last = |save: &Invocation| {
                then.last().is_some_and(|last| last.sent.code == save.code)
                    && sets.iter().all(|set| set.after < then.len())
            };
            save = save.filter(|save| !is_last(save));
        }
        following::check_names(&sets, &then)?;
        let save = save.map(Box::new);
        let creation = Creation { makes, save, homes: ways, writes, then, sets, seen: Vec::new() };
        let mut places: Vec<Subject> = Vec::new();
        let origin = creation.origin().into_iter().flat_map(Invocation::values);
        let values = creation.makes.iter().flat_map(|make| &make.values);
        let others = origin.chain(values).chain(creation.then.iter().flat_map(|next| next.sent.values()));
        let others = others.flat_map(|value| value.paths()).filter(|path| !Following::leads_to_it(path));
        let at = creation.makes.iter().filter_map(Make::at).chain(others);
        for path in at.filter(|path| path.last().is_some()) {
            if !places.iter().any(|subject| subject.path == *path) {
                let subject = Subject::of(&app.bundle_id, dictionary, path.clone(), Vec::new());
                places.push(Subject { mark: None, ..subject });
            }
        }
        let ats: Vec<&Path> = creation.makes.iter().filter_map(Make::at).collect();
        for place in places.iter_mut().filter(|place| ats.contains(&&place.path)) {
            place.facts.extend(writable_fact(dictionary, place.path.class()));
        }
        if let (Some(origin), Some(first)) = (creation.origin(), places.first_mut()) {
            first.facts = facts_of(origin, &app.bundle_id, dictionary, first.path.class());
            let set = creation.writes.as_ref().map(|writes| &writes.subject);
            first.facts.extend(set.and_then(|set| loss_of_copy(origin, &app.bundle_id, dictionary, set)));
        }
        looks::tell_apart(&mut places, &creation.then, app, dictionary);
        let commands = creation.makes.iter().map(|make| &make.command);
        let commands = commands.chain(creation.then.iter().map(|next| &next.sent));
        let anchors = commands.map(|command| placing::anchors(app, dictionary, command));
        let own = creation.sets.iter().map(|set| &set.change.subject.path);
        let anchors = Anchors::joined(anchors.chain([placing::anchors_of(app, dictionary, own)]));
        let names = super::Names::new();
        let mut defaults: Vec<Subject> = Vec::new();
        for node in &nodes {
            let Some(Chosen::Default(path)) = &node.chosen else { continue };
            if defaults.iter().all(|subject| subject.path != *path) {
                let subject = Subject::of(&app.bundle_id, dictionary, path.clone(), Vec::new());
                defaults.push(Subject { mark: None, ..subject });
            }
        }
        let looking = Vec::new();
        let (traces, writes) = (Vec::new(), false);
        let mut creating = Creating {
            creation,
            nodes,
            places,
            defaults,
            looking,
            anchors,
            names,
            references,
            traces,
            steps,
            is_old,
            may_lose,
            writes,
        };
        // An object that the undo cannot delete need not be compared.
        if !creating.is_taken_back(dictionary) {
            let makes = &mut creating.creation.makes;
            makes.iter_mut().for_each(|make| make.looks.retain(|look| !matches!(look, Look::Held(_))));
        }
        Ok(carried::with(creating.begin(app, world), Carried::wrote(read)))
    }

    /// Uses a command in place of a `make`. It returns the object that the later steps use.
    ///
    /// # Errors
    /// A value is wrong.
    fn answered(
        &mut self,
        origin: Invocation,
        (class, is_new): (String, bool),
        object: &NewObject,
        world: &mut World<'_>,
    ) -> Result<(), Fault> {
        let (dictionary, app) = (self.dictionary, self.app);
        let place = if object.place.is_empty() { "then" } else { &object.place };
        let (mut slots, mut values, mut how) = self.values(&class, object, place, false, world)?;
        self.read.extend(read_as(dictionary, &class, object.terms()));
        // The name is set last, because the object may be found by its old one.
        if let Some(at) = slots.iter().position(|slot| is_name(dictionary, &class, slot)) {
            slots[at..].rotate_left(1);
            values[at..].rotate_left(1);
            how[at..].rotate_left(1);
        }
        let home = self.home_of(&origin);
        let container = as_container(dictionary, &home, &class).unwrap_or(home);
        let named_at = slots.iter().position(|slot| is_name(dictionary, &class, slot));
        let name = named_at.and_then(|at| match values.get(at) {
            Some(Given::Text(name)) => Some(name.clone()),
            _ => None,
        });
        let kept = origin.direct.as_ref().and_then(|direct| match direct.objects().as_slice() {
            [path] if origin.code == DUPLICATE => path.name().map(str::to_owned),
            _ => None,
        });
        let way = named(self.under(&container, &class), name.or(kept));
        if !slots.is_empty() {
            let subject = Subject::of(&app.bundle_id, dictionary, way.clone(), slots.clone());
            let expected = Expected::default();
            self.writes =
                Some(Box::new(Change { subject, expected, values: values.clone(), loses: None, save: None }));
        }
        let identity = identity(dictionary, &class);
        let renamed = named_at.filter(|_| !matches!(identity, Identity::Id(_))).and_then(|slot| {
            let member = container.collection(dictionary, &class).ok()?;
            Some(Renamed { container: container.clone(), member, slot })
        });
        let (label, looks) = self.looks(&container, &class, &slots, true);
        let span = Span::of(&app.bundle_id, &class, &slots);
        self.is_old = !is_new;
        self.may_lose = object.may_lose;
        self.ways.push(way);
        self.nodes.push(Node {
            class: class.clone(),
            parent: None,
            container: Some(container),
            chosen: None,
            dates: Vec::new(),
        });
        self.makes.push(Make {
            command: origin,
            class: identifier(&class)?,
            into: Into::Command,
            slots,
            values,
            how,
            renamed,
            span,
            takes: Takes::Nothing,
            identity,
            label,
            tells: self.told_of(&class, world),
            looks,
        });
        Ok(())
    }

    /// The container of the object that a command returns: the destination of a copy, otherwise the container of the
    /// original.
    fn home_of(&self, origin: &Invocation) -> Path {
        let put = origin.parameters.iter().find_map(|argument| moves::place(&argument.value));
        let own = || match origin.direct.as_ref()?.objects().as_slice() {
            [path] => path.last().map(|(container, _)| container.clone()),
            _ => None,
        };
        let home = if origin.code == DUPLICATE { put.or_else(own) } else { None };
        home.unwrap_or_else(Path::application)
    }

    fn add(
        &mut self,
        object: &NewObject,
        parent: Option<usize>,
        place: &str,
        world: &mut World<'_>,
    ) -> Result<(), Fault> {
        let inside = |name: &str| if place.is_empty() { name.to_owned() } else { format!("{place}.{name}") };
        let class = match &object.class {
            Some(term) => Some(self.class(term, &inside("class"), world)?),
            None => None,
        };
        let spot = match (parent, &object.at) {
            (Some(parent), _) => self.in_parent(class, parent, &inside("class"))?,
            (None, Some(at)) => self.at(class, at, place, world)?,
            (None, None) => {
                let class = class.ok_or_else(|| no_class(&inside("class")))?;
                match self.document_for(&class) {
                    Some(document) => self.at(Some(class), &document, place, world)?,
                    None => {
                        self.has_a_place(&class, &inside("at"))?;
                        Spot { class, into: Into::App, container: Path::application() }
                    }
                }
            }
        };
        let Spot { class, into, container } = spot;
        let chosen = if into == Into::App { self.default_of(&class) } else { None };
        let mut make = self.make(&class, into, &container, object, &inside("properties"), world)?;
        // All objects without a place go to the same one, so only the first of a class reports it.
        if chosen.is_some() && self.nodes.iter().all(|node| node.chosen.is_none() || node.class != class) {
            make.tells = self.told_of_home(&class, world);
        }
        self.read.extend(read_as(self.dictionary, &class, object.terms()));
        set::begin::check_times(&self.app.bundle_id, &class, &make.slots, &make.values, None)
            .map_err(|fault| fault.with("parameter", inside("properties")))?;
        self.ways.push(self.way(&make, &class, &container));
        let is_date =
            |date: &str| make.values.iter().any(|given| matches!(given, Given::Date(known) if known == date));
        let said = object.properties.values().filter_map(Dated::of);
        let relative = said.filter(|dated| date(&dated.said).is_none() && is_date(&dated.date));
        let dates = relative.map(|dated| (dated.said, dated.date)).collect();
        let container = parent.is_none().then_some(container);
        self.nodes.push(Node { class, parent, container, chosen, dates });
        self.makes.push(make);
        let own = self.makes.len() - 1;
        for (at, child) in object.children.iter().enumerate() {
            let listed = || inside(&format!("children[{at}]"));
            let place = if child.place.is_empty() { listed() } else { child.place.clone() };
            self.add(child, Some(own), &place, world)?;
        }
        Ok(())
    }

    fn class(&self, term: &str, place: &str, world: &mut World<'_>) -> Result<String, Fault> {
        match self.value(&json!(term), "type", None, place, world)? {
            Given::Class(class) => Ok(class),
            _ => Err(no_class(place)),
        }
    }

    fn value(
        &self,
        json: &Json,
        kind: &str,
        put: Option<String>,
        place: &str,
        world: &mut World<'_>,
    ) -> Result<Given, Fault> {
        let mut held = held(world.references, self.app, world.now);
        let mut checker =
            Checker { dictionary: self.dictionary, held: &mut *held, home: world.home, put, open: None };
        checker.value(json, &TypeExpr::one(kind), &format!("`{place}`"))
    }

    fn make(
        &self,
        class: &str,
        into: Into,
        container: &Path,
        object: &NewObject,
        place: &str,
        world: &mut World<'_>,
    ) -> Result<Make, Fault> {
        let takes = self.takes();
        let (slots, values, how) = self.values(class, object, place, takes == Takes::Properties, world)?;
        let at = match &into {
            Into::App | Into::Command => None,
            Into::At(given) => Some(given.clone()),
            Into::In(..) | Into::Child(..) | Into::AtChild(_) => Some(Given::Object(container.clone())),
        };
        // The gate judges an added value together with the rest.
        let fields = slots.iter().zip(&values).map(|(slot, value)| (slot.identifier.clone(), value.clone()));
        let command = self.command(class, at, Given::Record(fields.collect()))?;
        let (label, looks) = self.looks(container, class, &slots, false);
        let span = Span::of(&self.app.bundle_id, class, &slots);
        Ok(Make {
            command,
            class: identifier(class)?,
            into,
            slots,
            values,
            how,
            span,
            renamed: None,
            takes,
            identity: identity(self.dictionary, class),
            label,
            tells: Vec::new(),
            looks,
        })
    }

    /// The properties of a new object. `is_made` tells whether the app takes them together with it.
    fn values(
        &self,
        class: &str,
        object: &NewObject,
        place: &str,
        is_made: bool,
        world: &mut World<'_>,
    ) -> Result<Values, Fault> {
        let (mut slots, mut values, mut all): (Vec<Slot>, Vec<Given>, Vec<How>) = Default::default();
        let set = object.properties.iter().filter(|(_, json)| !json.is_null());
        let set = set.map(|(term, json)| (term, json, How::Set));
        let added = object.added.iter().map(|(term, how, json)| (term, json, *how));
        // One error names everything that is wrong, so that one more call is enough.
        let mut faults = Vec::new();
        for (term, json, how) in set.chain(added) {
            let here = |fault: Fault| fault.with("parameter", format!("{place}.{term}"));
            let property = match is_made && how == How::Set {
                true => given::property(self.app, self.dictionary, class, term),
                false => writable(self.dictionary, class, term),
            };
            let value = property.and_then(|property| {
                let counted = given::counted(json, property, object);
                Ok((property, checked(counted.as_ref().unwrap_or(json), property, self.app, world)?))
            });
            let (property, value) = match value {
                Ok(found) => found,
                Err(fault) => {
                    faults.push(here(given::as_child(fault, self.dictionary, class, term)));
                    continue;
                }
            };
            if slots.iter().any(|each: &Slot| each.term == property.name) {
                return Err(here(twice(&property.name)));
            }
            let is_text = property.kind.0.iter().any(|kind| kind.name.ends_with("text") && !kind.list);
            if how != How::Set && (!is_text || property.code == NAME || !property.access.can_read()) {
                return Err(here(not_added(&property.name)));
            }
            let html = as_html(&self.app.bundle_id, class, &property.name, &value);
            values.push(html.map_or(value, Given::Text));
            slots.push(slot(&self.app.bundle_id, property)?);
            all.push(how);
        }
        if let Some(fault) = Fault::joined(faults) {
            return Err(fault);
        }
        self.begin_with_name(class, &slots, &mut values);
        Ok((slots, values, all))
    }

    /// Puts a name before the text from which the app takes the name, if the text does not begin with it. Otherwise the
    /// name would be lost.
    fn begin_with_name(&self, class: &str, slots: &[Slot], values: &mut [Given]) {
        for (at, slot) in slots.iter().enumerate() {
            let Some(source) = taken_from(&self.app.bundle_id, class, &slot.term) else { continue };
            let Some(of) = slots.iter().position(|slot| slot.term == source) else { continue };
            if let (Given::Text(name), Given::Text(text)) = (&values[at], &values[of])
                && !begins_with(text, name)
            {
                values[of] = Given::Text(first_line(name) + text);
            }
        }
    }

    /// The contents of a message that a command has written, as far as the client may read them.
    fn told_of(&self, class: &str, world: &World<'_>) -> Vec<(String, Look)> {
        let id = &self.app.bundle_id;
        let may = |identifier: &Identifier| may_read(identifier.as_str(), self.app, world.gate, world.now);
        let tell = |fact: Fact| match &fact.look {
            Look::Property(way) if TOLD.contains(&fact.caption.as_str()) && way.iter().all(may) => {
                Some((fact.caption, fact.look))
            }
            _ => None,
        };
        facts(id, self.dictionary, SEND, class).into_iter().filter_map(tell).collect()
    }

    fn parameter(&self, code: &str) -> Option<&Parameter> {
        self.command.as_ref()?.parameters.iter().find(|each| each.code == code)
    }

    fn takes(&self) -> Takes {
        let mut all = self.command.iter().flat_map(|command| &command.parameters);
        let named = all.find(|each| each.name == "named");
        match (self.parameter("prdt"), named.and_then(|named| Identifier::of(&named.name))) {
            (Some(_), _) => Takes::Properties,
            (None, Some(named)) => Takes::Named(named),
            (None, None) => Takes::Nothing,
        }
    }

    /// The new object as a `make` command, for the gate.
    fn command(&self, class: &str, at: Option<Given>, properties: Given) -> Result<Invocation, Fault> {
        let argument = |code: &str, otherwise: &str, value: Given| {
            let term = self.parameter(code).map_or(otherwise, |parameter| parameter.name.as_str());
            Ok::<_, Fault>(Argument { term: term.to_owned(), identifier: identifier(term)?, value })
        };
        let mut parameters = vec![argument("kocl", "new", Given::Class(class.to_owned()))?];
        if let Some(at) = at {
            parameters.push(argument("insh", "at", at)?);
        }
        parameters.push(argument("prdt", "with properties", properties)?);
        let command = self.command.as_ref().ok_or_else(|| no_make(self.app))?;
        Ok(invocation(command, identifier(&command.name)?, parameters))
    }

    /// The path to any element of a class in a container.
    fn under(&self, container: &Path, class: &str) -> Path {
        let identifier = self.dictionary.class(class).and_then(|class| Identifier::of(&class.plural));
        match identifier {
            Some(identifier) => {
                let member = Member { term: class.to_owned(), identifier, class: class.to_owned() };
                container.then(Segment::Element(Arc::new(member), By::Index(0)))
            }
            None => container.clone(),
        }
    }

    /// The path to a new object: by its given name, if it has one.
    fn way(&self, make: &Make, class: &str, container: &Path) -> Path {
        let way = self.under(container, class);
        let name = make.slots.iter().zip(&make.values).find_map(|(slot, value)| match value {
            Given::Text(name) if slot.term == "name" => Some(name.clone()),
            _ => None,
        });
        named(way, name)
    }
}

/// The path to an element by its name, if that is known.
fn named(way: Path, name: Option<String>) -> Path {
    match (way.last(), name) {
        (Some((container, Segment::Element(member, _))), Some(name)) => {
            container.then(Segment::Element(member.clone(), By::Name(name)))
        }
        _ => way,
    }
}

/// Whether a slot holds the name of objects of a class.
fn is_name(dictionary: &Dictionary, class: &str, slot: &Slot) -> bool {
    dictionary.property(class, &slot.term).is_some_and(|property| property.code == NAME)
}

/// The facts that a human must know about the original object, besides its name.
fn facts_of(origin: &Invocation, app: &str, dictionary: &Dictionary, class: &str) -> Vec<Fact> {
    let to_all = origin.parameter("reply to all") == Some(&Given::Bool(true));
    let more = if to_all { facts(app, dictionary, TO_ALL, class) } else { Vec::new() };
    facts(app, dictionary, &origin.code, class).into_iter().chain(more).collect()
}

/// A container with a more specific class that has elements of `class`, if its own class has none: the path `~/Letters`
/// is an `item` of Finder, but only a `folder` can hold a copy. `None` if there is no such class.
fn as_container(dictionary: &Dictionary, path: &Path, class: &str) -> Option<Path> {
    let (outer, Segment::Element(member, by)) = path.last()? else { return None };
    if dictionary.element(&member.class, class).is_some() {
        return None;
    }
    let holds = |kind: &&String| {
        dictionary.is_a(kind, &member.class)
            && dictionary.element(kind, class).is_some()
            && dictionary.element(outer.class(), kind).is_some()
    };
    let kinds: Vec<&String> = dictionary.classes.keys().filter(holds).collect();
    // The most specific class: a disk or a folder is also a `container`.
    let is_general = |kind: &str| kinds.iter().any(|other| *other != kind && dictionary.is_a(other, kind));
    let kind = kinds.iter().find(|kind| !is_general(kind))?;
    Some(outer.then(Segment::Element(outer.collection(dictionary, kind).ok()?, by.clone())))
}

/// What new values remove from a copy, as the original has it.
fn loss_of_copy(origin: &Invocation, app: &str, dictionary: &Dictionary, copy: &Subject) -> Option<Fact> {
    let fact = loss(app, dictionary, copy.path.class(), &copy.slots).filter(|_| origin.code == DUPLICATE)?;
    Some(Fact { caption: format!("{} of the copy", fact.caption), ..fact })
}

/// Whether objects can be put into a container, if its class tells it, as that of Calendar's calendars.
pub(super) fn writable_fact(dictionary: &Dictionary, class: &str) -> Option<Fact> {
    let flag = dictionary.property(class, first::WRITABLE).filter(|flag| flag.access.can_read())?;
    let is_flag = matches!(flag.kind.0.as_slice(), [kind] if kind.name == "boolean" && !kind.list);
    let look = Look::Property(vec![Identifier::of(&flag.name)?]);
    is_flag.then(|| Fact { is_of_some: true, ..Fact::new("", look) })
}

fn not_added(property: &str) -> Fault {
    let message =
        format!("cannot add to `{property}` here: expected a text that can be read and is not a name");
    Fault::new(Code::InvalidParameter, message, "give the whole value").with("property", property)
}

fn no_make(app: &App) -> Fault {
    let message = format!("{} has no command `make`: nothing new can be made in it", app.name);
    let suggestion = "see what it can do with iac_mcp_describe_app";
    Fault::new(Code::UnknownCommand, message, suggestion).with("app", &*app.bundle_id)
}

/// A separate line in an HTML text, such as the body of a note.
fn first_line(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    format!("<div>{text}</div>\n")
}

fn identifier(term: &str) -> Result<Identifier, Fault> {
    Ok(Identifier::of(term).ok_or_else(|| SpecifierError::NoIdentifier(term.to_owned()))?)
}

fn no_class(place: &str) -> Fault {
    let message = format!("`{place}` is missing: expected the class of the new object, such as \"note\"");
    Fault::new(Code::InvalidParameter, message, "name the class").with("parameter", place)
}
