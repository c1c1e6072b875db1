//! `iac_mcp_get_properties`

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Map, Value as Json, json};

use super::owner::Outer;
use super::repeated::Repeated;
use super::show::{Shown, all_properties, value};
use super::{Step, Then, World, done, in_app, occurrence, owner};
use crate::action::{Column, Deed, View, Wanted};
use crate::app::{App, same_id};
use crate::call::Named;
use crate::change;
use crate::dictionary::{APPLICATION, Dictionary, Identifier, Property, TypeExpr, TypeRef, names};
use crate::fault::{Code, Fault};
use crate::identity::identity;
use crate::marshal::{Shape, are_named, shapes};
use crate::moment::Part;
use crate::osa_error::OsaError;
use crate::permission::may_read;
use crate::plan;
use crate::reply::Reply;
use crate::specifier::{Container, POSIX_PATH, SpecifierError, find_property, quoted};
use crate::value::Value;
use crate::words::{RefId, ReferenceError, TextWindow};

/// Some references, while their apps are asked one after the other.
#[derive(Debug)]
pub(super) struct Reading {
    list: bool,
    text: TextWindow,
    /// One answer for each reference, in the client's order; empty until its app has answered.
    answers: Vec<Option<Json>>,
    rest: Vec<Group>,
    asked: Group,
}

/// The references of one app.
#[derive(Debug, Default)]
struct Group {
    app: String,
    members: Vec<Member>,
    /// The containers of members, each once: one calendar for all of its events.
    owners: Vec<Arc<Wanted>>,
}

#[derive(Debug)]
struct Member {
    place: usize,
    id: RefId,
    wanted: Arc<Wanted>,
    /// Columns of the object's container: the index among the object's own columns, the column, and the index of the
    /// owner in the group.
    outer: Vec<(usize, Column, usize)>,
    /// Properties that cannot be read at all, while others can.
    wrong: Wrong,
    /// Whether the last column is read only to see whether the occurrence is left out.
    looks: bool,
}

/// The property that holds all properties.
const ALL: &str = "pALL";

/// Names that cannot be read, and why.
type Wrong = Vec<(String, Fault)>;

pub(super) fn start(
    named: Vec<Named>,
    list: bool,
    properties: Option<&[String]>,
    text: TextWindow,
    world: &mut World<'_>,
) -> Result<Step, Fault> {
    let mut reading =
        Reading { list, text, answers: vec![None; named.len()], rest: Vec::new(), asked: Group::default() };
    for (place, named) in named.into_iter().enumerate() {
        let id = match named {
            Ok(Container::Reference(id)) => id,
            Ok(Container::Specifier(_)) => return Err(unsettled()),
            Err(stranger) => {
                reading.answers[place] =
                    Some(json!({ "reference": stranger.given, "error": stranger.fault.to_json() }));
                continue;
            }
        };
        match wanted(id, properties, world) {
            Ok(Found { app, mut wanted, outer, wrong }) => {
                let looks = looked_up(id, &app, &mut wanted, world)?;
                let group = reading.group(app);
                let outer = outer.into_iter().map(|(at, column, owner)| (at, column, group.owner(owner)));
                let outer = outer.collect();
                group.members.push(Member { place, id, wanted: Arc::new(wanted), outer, wrong, looks });
            }
            Err(fault) if list => reading.answers[place] = Some(item_error(id, &fault)),
            Err(fault) => return Err(fault),
        }
    }
    reading.next(0, world)
}

/// The error for an object that should have been looked up before.
pub(super) fn unsettled() -> Fault {
    let message = "an object was not looked up before it was used";
    Fault::new(Code::Internal, message, "this is a bug in the server; please report it")
}

/// The values of one reference.
struct Found {
    /// The bundle id.
    app: String,
    wanted: Wanted,
    /// Columns of the object's container, such as `calendar.name` of an event, each with its index among the others.
    outer: Vec<(usize, Column, Wanted)>,
    /// The properties that cannot be read.
    wrong: Wrong,
}

/// Finds the values of one reference.
///
/// # Errors
/// Nothing of it can be read.
fn wanted(id: RefId, properties: Option<&[String]>, world: &mut World<'_>) -> Result<Found, Fault> {
    let object = world.references.touch(id, world.now)?.object.clone();
    let app = world.apps.find(&object.app)?;
    let dictionary = app.dictionary()?;
    let class = object.path.class();
    let (mut wrong, mut outer) = (Vec::new(), Vec::new());
    let container = [object.path.without(1)];
    let around = Outer { containers: &container, is_recursive: false, gate: world.gate };
    let columns = match properties {
        None => None,
        Some(terms) => {
            let mut columns = Vec::new();
            for term in terms {
                match around.column(app, dictionary, class, term) {
                    Ok(column) if column.up > 0 => {
                        let path = object.path.without(column.up);
                        let identity = identity(dictionary, path.class());
                        let own = Column { up: 0, ..column.clone() };
                        let owner = Wanted { path, identity, columns: Some(vec![own]), named: Vec::new() };
                        outer.push((columns.len() + outer.len(), column, owner));
                    }
                    // Two words may mean one property.
                    Ok(column) if columns.iter().any(|known: &Column| known.is_as(&column)) => {}
                    Ok(column) => columns.push(column),
                    Err(fault) => wrong.push((term.clone(), fault)),
                }
            }
            // One wrong name must not hide the values of the others.
            if columns.is_empty()
                && outer.is_empty()
                && let Some((_, fault)) = wrong.pop()
            {
                return Err(fault);
            }
            Some(columns)
        }
    };
    let identity = identity(dictionary, class);
    let named = if columns.is_none() { named(dictionary, object.path.class()) } else { Vec::new() };
    let wanted = Wanted { path: object.path, identity, columns, named };
    Ok(Found { app: object.app.to_string(), wanted, outer, wrong })
}

/// Adds the excluded dates of a series to the values of one of its occurrences. A rule against reading them is not a
/// reason to refuse the others.
fn looked_up(id: RefId, app: &str, wanted: &mut Wanted, world: &mut World<'_>) -> Result<bool, Fault> {
    let app = world.apps.find(app)?;
    let Some(term) = occurrence::excluded(id, world) else { return Ok(false) };
    let Some(columns) = &mut wanted.columns else { return Ok(false) };
    let found = own_column(app, app.dictionary()?, wanted.path.class(), term);
    let found = found.ok().filter(|_| may_read(term, app, world.gate, world.now));
    columns.extend(found.clone());
    Ok(found.is_some())
}

/// The same object with a column for each property; `None` if its columns have names already.
fn one_by_one(wanted: &Wanted, app: &App, world: &World<'_>) -> Option<Wanted> {
    let (dictionary, class) = (app.dictionary.as_deref()?, wanted.path.class());
    let all = dictionary.properties(class).into_iter().filter(|property| property.code != ALL);
    let all = all.filter(|property| may_read(&property.name, app, world.gate, world.now));
    let columns: Vec<Column> =
        all.filter_map(|property| own_column(app, dictionary, class, &property.name).ok()).collect();
    let (path, identity) = (wanted.path.clone(), wanted.identity.clone());
    (wanted.columns.is_none() && !columns.is_empty()).then_some(Wanted {
        path,
        identity,
        columns: Some(columns),
        named: Vec::new(),
    })
}

/// The properties of a class with names from the dictionary as values.
fn named(dictionary: &Dictionary, class: &str) -> Vec<Identifier> {
    let all = dictionary.properties(class).into_iter();
    let named = all.filter(|property| are_named(&shapes(&property.kind, dictionary)));
    named.filter_map(|property| Identifier::of(&property.name)).collect()
}

/// Resolves a property, or a path of properties joined by dots. A path may begin with the class of the object's
/// container, such as `list.name` of a reminder, if a property of the object leads there.
///
/// # Errors
/// A name in it is unknown, has no identifier, or may not be read.
pub(super) fn column(app: &App, dictionary: &Dictionary, class: &str, term: &str) -> Result<Column, Fault> {
    own_column(app, dictionary, class, term).or_else(|fault| {
        // Some apps keep the number themselves: OmniFocus has a property `number of tasks`.
        let kept = term.strip_prefix("count of ").map(|of| format!("number of {of}"));
        if let Some(kept) = kept.filter(|kept| dictionary.property(class, kept).is_some()) {
            return own_column(app, dictionary, class, &kept);
        }
        let dotted = with_dots(term);
        // `name of container` is the object's own `container.name`, as with dots, before it is another container's.
        let fault = match dotted.as_ref().map(|path| own_column(app, dictionary, class, path)) {
            Some(Ok(found)) => return Ok(Column { asked: Some(term.trim().to_owned()), ..found }),
            Some(Err(fault)) => fault,
            None => fault,
        };
        let path = dotted.as_deref().unwrap_or(term);
        match owner::by_property(dictionary, class, path) {
            Some(way) => {
                let found = own_column(app, dictionary, class, &way)?;
                let asked = Some(path.trim().to_owned());
                // The container of a folder in Notes may be another folder, so the answer says whose name this is.
                let first = way.split('.').next().and_then(|first| dictionary.property(class, first));
                let is_one_of_several = first.is_some_and(|first| first.kind.0.len() > 1);
                Ok(Column { other: asked.clone().filter(|_| is_one_of_several), asked, ..found })
            }
            None => Err(fault),
        }
        .map_err(|fault| match elsewhere(dictionary, class, term.trim()) {
            Some(suggestion) => Fault { suggestion, ..fault },
            None => fault,
        })
    })
}

/// A suggestion for a name that is not a property of the class: a command, elements, or a property of the application.
fn elsewhere(dictionary: &Dictionary, class: &str, term: &str) -> Option<String> {
    if !dictionary.commands_named(term).is_empty() {
        return Some(format!(
            "`{term}` is a command: run it with iac_mcp_read_command or iac_mcp_run_command"
        ));
    }
    let (_, elements) = term.split_once(" of ").unwrap_or(("", term));
    if ["every ", "first ", "last "].iter().any(|word| elements.starts_with(word)) {
        return Some(format!("list them with iac_mcp_get_elements, with `{elements}` as `elements`"));
    }
    let own = dictionary.property(APPLICATION, term).filter(|_| class != APPLICATION)?;
    Some(format!("`{}` is a property of `application`: read it with that as `reference`", own.name))
}

/// A path of properties in AppleScript's words, such as `value of every phone`, as a path with dots.
pub(super) fn with_dots(term: &str) -> Option<String> {
    let bare = |part: &str| {
        let part = part.trim();
        let articles = ["every ", "the ", "all "];
        articles.iter().find_map(|article| part.strip_prefix(article)).unwrap_or(part).to_owned()
    };
    let parts: Vec<String> = term.rsplit(" of ").map(bare).collect();
    (parts.len() > 1).then(|| parts.join("."))
}

/// The most steps of a path of properties, as in a specifier. A script follows the path by recursion.
const DEEPEST: usize = 32;

/// Resolves a path of properties exactly as it is written.
pub(super) fn own_column(
    app: &App,
    dictionary: &Dictionary,
    class: &str,
    term: &str,
) -> Result<Column, Fault> {
    if term.split('.').count() > DEEPEST {
        let message = format!("the path {} has more than {DEEPEST} steps", quoted(term));
        return Err(Fault::new(Code::InvalidParameter, message, "start from an object that is nearer")
            .with("parameter", "properties"));
    }
    let mut way = Way {
        app,
        dictionary,
        class,
        owner: class.to_owned(),
        column: Column::default(),
        is_list: false,
        ends_in_elements: false,
        lists: 0,
    };
    term.split('.').try_for_each(|part| way.follow(part))?;
    way.end()
}

/// A path of properties, as far as it is resolved.
struct Way<'a> {
    app: &'a App,
    dictionary: &'a Dictionary,
    /// The class that it starts from.
    class: &'a str,
    /// The class that it has reached; empty behind a value.
    owner: String,
    column: Column,
    is_list: bool,
    ends_in_elements: bool,
    /// The number of its steps to elements.
    lists: usize,
}

impl Way<'_> {
    fn follow(&mut self, part: &str) -> Result<(), Fault> {
        if self.shows(part) {
            self.owner = String::new();
            return Ok(());
        }
        let (dictionary, column) = (self.dictionary, &mut self.column);
        if holds_values(&column.kind) {
            if holds_dates(&column.kind) && column.view.is_none() {
                return Err(no_part(&column.term, part.trim()));
            }
            let (property, kind) = (column.term.clone(), column.kind.to_string());
            return Err(SpecifierError::NotAnObject { property, owner: self.class.to_owned(), kind }.into());
        }
        // As in AppleScript, the words of a document are those of its text.
        if let Some(text) = text_with(dictionary, &self.owner, part.trim()) {
            column.identifiers.extend(Identifier::of(&text.name));
            column.extend_term(&text.name);
            self.owner = class_held(dictionary, text);
        }
        // Elements in a path make a list: `phones.value` of a person.
        if let Some((plural, class)) = elements(dictionary, &self.owner, part.trim()) {
            column.identifiers.push(plural);
            column.extend_term(part.trim());
            column.kind = TypeExpr::default();
            self.owner = class;
            (self.is_list, self.ends_in_elements) = (true, true);
            self.lists += 1;
            return Ok(());
        }
        self.ends_in_elements = false;
        let property = find_property(dictionary, &self.owner, part.trim())
            .map_err(|error| error.held_by(&column.term))?;
        let identifier = Identifier::of(&property.name)
            .ok_or_else(|| SpecifierError::NoIdentifier(property.name.clone()))?;
        column.long |= plan::is_long(&self.app.bundle_id, dictionary, &self.owner, property);
        column.identifiers.push(identifier);
        column.extend_term(&property.name);
        column.kind = property.kind.clone();
        column.enumerated =
            property.kind.0.iter().any(|kind| dictionary.enumerations.contains_key(&kind.name));
        let shapes = shapes(&property.kind, dictionary);
        column.by_script = shapes.iter().any(|shape| matches!(shape, Shape::File | Shape::ClassName));
        column.named = are_named(&shapes);
        self.owner = class_held(dictionary, property);
        Ok(())
    }

    /// Follows a part that is not a property but says how to show the value before it, such as `count`.
    fn shows(&mut self, part: &str) -> bool {
        let (dictionary, column) = (self.dictionary, &mut self.column);
        let owner = &self.owner;
        if self.ends_in_elements && self.lists == 1 && is_count(dictionary, owner, part) {
            let plural = dictionary.class(owner).map_or(owner, |class| &class.plural);
            column.term = format!("count of {plural}");
            column.kind = TypeExpr::one("integer");
            // The app's own filter cannot count elements.
            (column.view, column.by_script) = (Some(View::Count), true);
            (self.is_list, self.ends_in_elements) = (false, false);
            return true;
        }
        if let Some(url) = file_url(self.app, dictionary, owner, part) {
            let mut asked = column.clone();
            asked.extend_term(POSIX_PATH);
            column.asked = Some(asked.term);
            column.extend_term(&url.name);
            column.extend_term(POSIX_PATH);
            column.identifiers.extend(Identifier::of(&url.name));
            column.kind = url.kind.clone();
            (column.view, column.by_script) = (Some(View::Path), true);
            return true;
        }
        if column.view.is_some() {
            return false;
        }
        if is_posix_path(part) && shapes(&column.kind, dictionary).contains(&Shape::File) {
            // Files are shown by their paths anyway.
            column.extend_term(POSIX_PATH);
            return true;
        }
        let Some(part) = Part::parse(part).filter(|_| holds_dates(&column.kind)) else { return false };
        column.extend_term(part.as_str());
        column.kind = part.kind();
        (column.view, column.by_script) = (Some(View::Part(part)), true);
        true
    }

    fn end(self) -> Result<Column, Fault> {
        let Self { app, dictionary, class, owner, mut column, is_list, mut ends_in_elements, .. } = self;
        // A path that ends in elements shows their names.
        if ends_in_elements
            && let Some(label) =
                change::label(&app.bundle_id, dictionary, &owner).or_else(|| value_of(dictionary, &owner))
            && let Some(property) = dictionary.property(&owner, &label)
            && let Some(identifier) = Identifier::of(&label)
        {
            column.identifiers.push(identifier);
            column.extend_term(&label);
            column.kind = property.kind.clone();
            ends_in_elements = false;
        }
        if is_list {
            column.by_script = true;
            column.kind.0.iter_mut().for_each(|kind| kind.list = true);
        }
        if ends_in_elements {
            return Err(SpecifierError::IsElement { element: owner, owner: class.to_owned() }.into());
        }
        Ok(column)
    }
}

fn is_posix_path(word: &str) -> bool {
    names::key(word) == names::key(POSIX_PATH)
}

/// The classes that give a file URL and no path.
///
/// # Source
/// Finder's dictionary. Scripts write `POSIX path of (x as alias)`, and the coercion makes the path.
const FILE_URLS: [(&str, &str, &str); 1] = [("com.apple.finder", "item", "URL")];

/// The property with the file URL, if a path is asked for that the class itself does not have.
fn file_url<'d>(app: &App, dictionary: &'d Dictionary, class: &str, word: &str) -> Option<&'d Property> {
    let is_asked = is_posix_path(word) || names::key(word) == "path";
    if !is_asked || dictionary.property(class, word.trim()).is_some() {
        return None;
    }
    // An object of unknown class is an item too, such as the container of a file.
    let is_one = |item: &str| class.is_empty() || dictionary.is_a(class, item);
    let row = FILE_URLS.iter().find(|row| same_id(row.0, &app.bundle_id) && is_one(row.1))?;
    dictionary.property(row.1, row.2)
}

/// The property of elements that are nothing but a value with a label: the phones of a person.
fn value_of(dictionary: &Dictionary, class: &str) -> Option<String> {
    dictionary
        .property(class, "value")
        .filter(|property| property.access.can_read())
        .map(|property| property.name.clone())
}

/// The text property of an object that has no such elements itself. A caller may ask the object for its words, and they
/// are those of its text.
fn text_with<'d>(dictionary: &'d Dictionary, owner: &str, part: &str) -> Option<&'d Property> {
    if owner.is_empty()
        || dictionary.property(owner, part).is_some()
        || elements(dictionary, owner, part).is_some()
    {
        return None;
    }
    let texts = ["text", "contents"].into_iter().filter_map(|term| dictionary.property(owner, term));
    texts.into_iter().find(|text| elements(dictionary, &class_held(dictionary, text), part).is_some())
}

/// The class of a property's object; empty if it holds values.
fn class_held(dictionary: &Dictionary, property: &Property) -> String {
    let kinds = &property.kind.0;
    let class = kinds.iter().find(|kind| dictionary.classes.contains_key(&kind.name));
    class.map(|kind| kind.name.clone()).unwrap_or_default()
}

/// The collection of elements that a part of a path names, in the singular or the plural, unless a property has that
/// name.
fn elements(dictionary: &Dictionary, owner: &str, part: &str) -> Option<(Identifier, String)> {
    if owner.is_empty() || dictionary.property(owner, part).is_some() {
        return None;
    }
    let (_, class) = dictionary.element(owner, part)?;
    Some((Identifier::of(&class.plural)?, class.name.clone()))
}

/// Whether a word after elements asks how many there are.
fn is_count(dictionary: &Dictionary, class: &str, word: &str) -> bool {
    let word = word.trim();
    COUNTS.contains(&word) && dictionary.property(class, word).is_none()
}

/// The words of AppleScript for the number of elements.
pub(super) const COUNTS: [&str; 2] = ["count", "number"];

/// Whether the values are dates or missing.
fn holds_dates(kind: &TypeExpr) -> bool {
    let is_date = |kind: &TypeRef| kind.name == "date" && !kind.list;
    kind.0.iter().any(is_date) && kind.0.iter().all(|kind| is_date(kind) || kind.name == "missing value")
}

fn no_part(property: &str, part: &str) -> Fault {
    let known: Vec<&str> = Part::names().collect();
    let message = format!("no part `{}` in the date `{property}`", crate::foreign::clean(part, 40));
    Fault::new(Code::UnknownProperty, message, format!("use one of {}", known.join(", "))).with("near", known)
}

/// Whether nothing of this type has properties.
fn holds_values(kind: &TypeExpr) -> bool {
    const VALUES: [&str; 7] = ["text", "integer", "real", "number", "boolean", "date", "double integer"];
    !kind.0.is_empty() && kind.0.iter().all(|kind| VALUES.contains(&kind.name.as_str()))
}

impl Group {
    /// The index of an owner. It is read once for all its values.
    fn owner(&mut self, wanted: Wanted) -> usize {
        self.owners.iter().position(|known| **known == wanted).unwrap_or_else(|| {
            self.owners.push(Arc::new(wanted));
            self.owners.len() - 1
        })
    }

    fn objects(&self) -> impl Iterator<Item = &Arc<Wanted>> {
        self.members.iter().map(|member| &member.wanted).chain(&self.owners)
    }
}

impl Reading {
    /// The group of an app.
    fn group(&mut self, app: String) -> &mut Group {
        let at = self.rest.iter().position(|group| group.app == app).unwrap_or_else(|| {
            self.rest.push(Group { app, ..Group::default() });
            self.rest.len() - 1
        });
        &mut self.rest[at]
    }

    fn next(mut self, events: u64, world: &mut World<'_>) -> Result<Step, Fault> {
        let Some(group) = self.rest.pop() else {
            return Ok(done(self.body(world.gate.plugin.is_none()), events));
        };
        let app = world.apps.find(&group.app)?;
        let objects = group.objects().map(Arc::clone).collect();
        let sizes = group.objects().map(|wanted| world.learned.size(&app.bundle_id, &wanted.path)).collect();
        let deed = Deed::Properties { objects, sizes, text: self.text };
        self.asked = group;
        Ok(in_app(app, deed, events, Then::Properties(self), world))
    }

    pub(super) fn resume(
        mut self,
        reply: Reply,
        app: &str,
        events: u64,
        world: &mut World<'_>,
    ) -> Result<Step, Fault> {
        let asked = std::mem::take(&mut self.asked);
        let app = world.apps.find(app)?;
        for (at, member) in asked.members.iter().enumerate() {
            if let Ok(rows) = &reply.result
                && rows[at]["there"] == json!(true)
                && let Some(wanted) = one_by_one(&member.wanted, app, world)
            {
                let (wrong, outer) = (member.wrong.clone(), Vec::new());
                let again = Member { wanted: Arc::new(wanted), outer, wrong, ..*member };
                self.group(asked.app.clone()).members.push(again);
                continue;
            }
            let answer = match &reply.result {
                Ok(rows) => {
                    let row = |at: usize| rows.get(at).unwrap_or(&Json::Null);
                    let owners = |at: usize| row(asked.members.len() + at);
                    read(member, row(at), &owners, app, world)
                }
                Err(error) => Err(object_fault(
                    error,
                    member.id,
                    &super::show::told(&member.wanted.path, app, world),
                    app,
                )),
            };
            self.answers[member.place] = Some(match answer {
                Ok(fields) if self.list => with_reference(member.id, fields),
                Ok(fields) => Json::Object(fields),
                Err(fault) if self.list => item_error(member.id, &fault),
                Err(fault) => return Err(fault),
            });
        }
        self.next(events, world)
    }

    /// The answer. For a plugin, which looks for an error beside its object, the errors stay there.
    fn body(self, says_errors_once: bool) -> Json {
        let mut answers = self.answers.into_iter().flatten();
        if self.list {
            let mut rows: Vec<Json> = answers.collect();
            let (mut repeated, mut body) = (Repeated::default(), json!({}));
            if says_errors_once {
                say_near_once(&mut rows);
            }
            for (at, row) in rows.iter_mut().enumerate().filter(|_| says_errors_once) {
                repeated.take(at, row);
            }
            repeated.tell(&mut rows, &mut body);
            body["results"] = Json::from(rows);
            body["untrusted"] = json!(true);
            return body;
        }
        let mut body = answers.next().unwrap_or_default();
        if says_errors_once {
            say_near_once(std::slice::from_mut(&mut body));
        }
        body["untrusted"] = json!(true);
        body
    }
}

/// Lists the near names only in the first of several equal errors of an object. Removes them from the error about a
/// property that another object of the list has, because its name is right.
fn say_near_once(rows: &mut [Json]) {
    let read = rows.iter().filter_map(|row| row["properties"].as_object());
    let known: BTreeSet<String> = read.flat_map(|properties| properties.keys().cloned()).collect();
    for errors in rows.iter_mut().filter_map(|row| row.get_mut("errors").and_then(Json::as_object_mut)) {
        let mut said: Option<Json> = None;
        for (term, fault) in errors.iter_mut().filter(|(_, fault)| fault["error"] == "unknown_property") {
            let Some(fault) = fault.as_object_mut() else { continue };
            let near = fault.get("near").cloned();
            if known.contains(term) || said == near {
                fault.shift_remove("near");
            } else {
                said = near;
            }
        }
    }
}

fn read<'r>(
    member: &Member,
    row: &Json,
    owners: &dyn Fn(usize) -> &'r Json,
    app: &App,
    world: &mut World<'_>,
) -> Result<Map<String, Json>, Fault> {
    let dictionary = app.dictionary()?.clone();
    // This searches only for the error itself: a cell that cannot be parsed is a separate error.
    if row["$"] == "error"
        && let Value::Failed { number, message } = value(row, None, &dictionary)
    {
        let error = OsaError { number, message, at: "object".to_owned(), by: None };
        return Err(gone(&error, member, app, world));
    }
    let mut values: Vec<(String, Value)> = match &member.wanted.columns {
        None => all_properties(row, member.wanted.path.class(), &dictionary),
        Some(columns) => {
            let cells = row.get("v").and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
            columns
                .iter()
                .zip(cells)
                .map(|(column, cell)| {
                    (column.shown().to_owned(), value(cell, Some(&column.kind), &dictionary))
                })
                .collect()
        }
    };
    if let Some(error) = all_missing(&values) {
        return Err(gone(&error, member, app, world));
    }
    occurrence::check(member.id, &values, world)?;
    if member.looks {
        values.pop();
    }
    for (at, column, owner) in &member.outer {
        let row = owners(*owner);
        let cell = if row["$"] == "error" { row } else { &row["v"][0] };
        let cell = value(cell, Some(&column.kind), &dictionary);
        values.insert((*at).min(values.len()), (column.shown().to_owned(), cell));
    }
    // A plugin gets all properties.
    let is_all = member.wanted.columns.is_none() && world.gate.plugin.is_none();
    let class = member.wanted.path.class();
    let repeats = |term: &str| is_all && plan::repeats(&app.bundle_id, &dictionary, class, term);
    let mut shown = Shown::default();
    for (term, value) in values.iter().filter(|(term, _)| !repeats(term)) {
        shown.add(term, value, app, world);
    }
    let left_out: Vec<&str> =
        values.iter().map(|(term, _)| term.as_str()).filter(|term| repeats(term)).collect();
    for (term, fault) in &member.wrong {
        shown.errors.insert(term.clone(), fault.to_json());
    }
    let mut fields = Map::new();
    shown.into_fields(&mut fields);
    if !left_out.is_empty() {
        fields.insert("leftOut".to_owned(), json!(left_out));
    }
    occurrence::tell(member.id, &mut fields, app, world);
    Ok(fields)
}

/// The error of an object that does not exist, so that none of its values can be read.
fn all_missing(values: &[(String, Value)]) -> Option<OsaError> {
    let missing = |value: &Value| matches!(value, Value::Failed { number, .. } if crate::osa_error::is_missing(*number));
    let (_, Value::Failed { number, message }) = values.first()? else { return None };
    let all = values.iter().all(|(_, value)| missing(value));
    all.then(|| OsaError { number: *number, message: message.clone(), at: "object".to_owned(), by: None })
}

/// The error for a reference to an object that does not exist. Drops the reference, which is of no more use.
fn gone(error: &OsaError, member: &Member, app: &App, world: &mut World<'_>) -> Fault {
    if error.is_missing_object() || error.is_moved() {
        world.references.fail(member.id);
    }
    object_fault(error, member.id, &super::show::told(&member.wanted.path, app, world), app)
}

fn object_fault(error: &OsaError, id: RefId, words: &str, app: &App) -> Fault {
    if !error.is_missing_object() {
        return error.to_fault(&app.bundle_id, &app.name).with("reference", id.to_string());
    }
    let message = format!("the referenced object ({words}) no longer exists or cannot be accessed");
    Fault::new(Code::ReferenceInvalid, message, "query the object again using iac_mcp_query_object")
        .with("reference", id.to_string())
}

fn with_reference(id: RefId, fields: Map<String, Json>) -> Json {
    let first = ("reference".to_owned(), json!(id.to_string()));
    std::iter::once(first).chain(fields).collect::<Map<_, _>>().into()
}

fn item_error(id: RefId, fault: &Fault) -> Json {
    json!({ "reference": id.to_string(), "error": fault.to_json() })
}

impl From<ReferenceError> for Fault {
    fn from(error: ReferenceError) -> Self {
        let id = error.id().to_string();
        Self::new(
            Code::ReferenceInvalid,
            error.to_string(),
            "query the object again using iac_mcp_query_object",
        )
        .with("reference", id)
    }
}
