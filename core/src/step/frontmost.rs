//! `iac_mcp_get_frontmost`: the things that the person looks at, in the app in front.

use std::sync::Arc;

use serde_json::{Map, Value as Json, json};

use super::names::{self, Naming};
use super::properties::column;
use super::show::{self, show, value};
use super::{
    Behind, Load, Outcome, Pending, Step, Then, World, done, failed, in_app, out_of_turn, propose, remember,
    rest,
};
use crate::action::{Action, Column, Deed, SystemDeed, Wanted};
use crate::app::App;
use crate::change;
use crate::dictionary::Dictionary;
use crate::fault::Fault;
use crate::identity::{Identity, identity};
use crate::osa_error::OsaError;
use crate::permission::may_read;
use crate::reply::Reply;
use crate::specifier::{By, Id, Mark, Path, Segment, read_source};
use crate::value::Value;
use crate::words::TextWindow;

/// How much of a selected text is shown.
const TEXT: TextWindow = TextWindow { offset: 0, limit: 1_000 };

/// The number of selected objects to name, each with one event; the others are only counted.
const MOST_SELECTED: usize = 10;

/// The apps' names for the things that a person looks at, the best first.
///
/// # Source
/// The dictionaries of the apps that come with macOS 26, and of Chrome, OmniFocus and Keynote.
const SELECTION: &str = "selection";
const FOLDER: &str = "insertion location";
/// A name leads to a document only if no other document has it.
const DOCUMENTS: &str = "documents.name";
const TABS: [&str; 3] = ["current tab", "active tab", "selected tab"];
const PLACES: [&str; 3] = ["URL", "path", "file"];

/// The state while the app is asked.
#[derive(Debug)]
pub(super) enum Front {
    /// The system is asked which app is in front.
    Asked,
    /// The system is asked which app is in front, for an answer about several apps.
    Named,
    /// The dictionary of that app is read.
    Found(String),
    /// The app is asked which objects it shows.
    Looking(Box<Looking>),
}

/// The reads of one app.
#[derive(Debug)]
pub(super) struct Looking {
    app: String,
    reads: Vec<Read>,
    /// Properties that a rule forbids to read.
    denied: Vec<String>,
}

/// An answer while it is put together.
struct Shown {
    body: Json,
    /// The names of all documents, if documents are known by their names.
    documents: Vec<String>,
    /// The selected objects.
    selected: Vec<Path>,
}

/// The read of one object.
#[derive(Debug)]
struct Read {
    field: &'static str,
    wanted: Arc<Wanted>,
}

pub(super) fn start(app: Option<&str>, world: &mut World<'_>) -> Result<Step, Fault> {
    if let Some(app) = app {
        let app = world.apps.find(app)?.bundle_id.to_string();
        return look(&app, 0, world);
    }
    Ok(ask(Front::Asked, world))
}

/// Asks the system which app is in front.
fn ask(front: Front, world: &mut World<'_>) -> Step {
    let action = Action::of_system(SystemDeed::Frontmost);
    let behind = Behind { name: "the system".to_owned(), events: 0 };
    propose(action, behind, Then::Frontmost(front), world)
}

/// Looks at several apps, one after the other.
pub(super) fn start_all(mut apps: Vec<String>, world: &mut World<'_>) -> Step {
    apps.reverse();
    let rest = Rest { apps, current: None, front: Json::Null, done: Outcome::default(), shown: Vec::new() };
    rest::with(ask(Front::Named, world), Some(Box::new(rest::Rest::Front(rest))), world)
}

/// The apps that a call still looks at.
#[derive(Debug)]
pub(super) struct Rest {
    /// The others, the last one first.
    apps: Vec<String>,
    /// The app that the call looks at; `None` while the system is asked.
    current: Option<String>,
    /// The app in front.
    front: Json,
    done: Outcome,
    shown: Vec<Json>,
}

impl Rest {
    /// Takes the answer about an app, and begins with the next one; `None` after the last.
    pub(super) fn next(&mut self, outcome: Outcome, world: &mut World<'_>) -> Option<Step> {
        let done = &mut self.done;
        done.events += outcome.events;
        done.refused = outcome.refused.or_else(|| done.refused.take());
        match &self.current {
            // Without an answer of the system, the answer still tells what each app shows.
            None if outcome.is_error => {}
            None => self.front = outcome.body,
            Some(name) if outcome.is_error => {
                self.shown.push(json!({ "app": { "name": name }, "error": outcome.body }));
            }
            Some(_) => self.shown.push(outcome.body),
        }
        self.begin(world)
    }

    fn begin(&mut self, world: &mut World<'_>) -> Option<Step> {
        let app = self.apps.pop()?;
        let current = self.current.insert(app);
        Some(start(Some(current), world).unwrap_or_else(|fault| failed(&fault, 0)))
    }

    pub(super) fn ended(self) -> Outcome {
        let is_error = self.shown.iter().all(|shown| shown.get("error").is_some());
        let mut body = json!({ "apps": self.shown, "untrusted": true });
        if !self.front.is_null() {
            body["inFront"] = self.front;
        }
        Outcome { body, is_error, ..self.done }
    }
}

impl Front {
    pub(super) fn resume(
        self,
        reply: Result<Reply, Fault>,
        events: u64,
        world: &mut World<'_>,
    ) -> Result<Step, Fault> {
        match self {
            Self::Asked => found(reply?, events, world),
            Self::Named => named(reply?, events, world),
            Self::Found(_) => Err(out_of_turn("a script's reply")),
            Self::Looking(looking) => looking.resume(reply, events, world),
        }
    }

    /// Continues when the dictionary is loaded.
    pub(super) fn loaded(self, events: u64, world: &mut World<'_>) -> Result<Step, Fault> {
        match self {
            Self::Found(app) => look(&app, events, world),
            _ => Err(out_of_turn("a dictionary")),
        }
    }

    /// Whether this waits for a dictionary.
    pub(super) fn is_loading(&self) -> bool {
        matches!(self, Self::Found(_))
    }
}

/// The app in front: its name, its bundle id, and whether a script can reach it.
fn in_front<'w>(reply: Reply, world: &World<'w>) -> Result<(Json, Option<&'w App>), Fault> {
    let front = reply.result.map_err(|error| error.to_fault("", "the system"))?;
    let text = |field: &str| front[field].as_str().unwrap_or_default().to_owned();
    let app = world.apps.0.iter().find(|app| app.bundle_id.eq_ignore_ascii_case(&text("id")));
    if let Some(app) = app {
        return Ok((head(app)["app"].clone(), Some(app)));
    }
    let path = text("path");
    let file = path.rsplit('/').next().unwrap_or_default();
    let name = crate::foreign::clean(file.strip_suffix(".app").unwrap_or(file), 80);
    Ok((json!({ "name": name, "bundleId": text("id"), "scriptable": false }), None))
}

/// Ends with the app in front.
fn named(reply: Reply, events: u64, world: &World<'_>) -> Result<Step, Fault> {
    Ok(done(in_front(reply, world)?.0, events))
}

/// Continues with the app that the system has named.
fn found(reply: Reply, events: u64, world: &mut World<'_>) -> Result<Step, Fault> {
    let (front, app) = in_front(reply, world)?;
    let Some(app) = app else {
        let note = "this app is not scriptable; `app` looks at another one";
        return Ok(done(json!({ "app": front, "note": note }), events));
    };
    let (id, name) = (app.bundle_id.clone(), app.name.clone());
    let then = Then::Frontmost(Front::Found(id.to_string()));
    let pending =
        Pending { app: id.clone(), name, events, then, kept: None, carried: Vec::new(), rest: None };
    Ok(Step::Load(Load { app: id.to_string(), pending }))
}

/// Asks an app which objects it shows.
fn look(app: &str, events: u64, world: &mut World<'_>) -> Result<Step, Fault> {
    let app = world.apps.find(app)?;
    let may_read = |term: &str| term.split('.').all(|term| may_read(term, app, world.gate, world.now));
    let dictionary = match app.dictionary() {
        Ok(dictionary) => dictionary,
        Err(fault) => return Ok(without(head(app), &fault, events)),
    };
    let mut reads = Reads::new(app, dictionary, &may_read);
    // If no read is left, the gate's refusal names the rule.
    if reads.found.is_empty() && !reads.denied.is_empty() {
        reads = Reads::new(app, dictionary, &|_| true);
    }
    let Reads { found: reads, denied, .. } = reads;
    if reads.is_empty() {
        let mut body = head(app);
        body["note"] = json!("the dictionary of this app has no windows, documents or selection");
        return Ok(done(body, events));
    }
    let objects: Vec<Arc<Wanted>> = reads.iter().map(|read| Arc::clone(&read.wanted)).collect();
    let deed = Deed::Properties { sizes: vec![0; objects.len()], objects, text: TEXT };
    let id = app.bundle_id.to_string();
    let then = Then::Frontmost(Front::Looking(Box::new(Looking { app: id, reads, denied })));
    Ok(match in_app(app, deed, events, then, world) {
        // A rule against reading is not a reason to hide which app is in front.
        Step::Done(Outcome { body, is_error: true, refused, events, .. }) => {
            let body = with_reason(head(app), &body);
            Step::Done(Outcome { body, refused, events, ..Outcome::default() })
        }
        step => step,
    })
}

fn head(app: &App) -> Json {
    json!({ "app": { "name": app.name, "bundleId": &*app.bundle_id } })
}

fn without(body: Json, fault: &Fault, events: u64) -> Step {
    done(with_reason(body, &fault.to_json()), events)
}

fn with_reason(mut body: Json, fault: &Json) -> Json {
    body["complete"] = json!(false);
    body["reason"] = fault["message"].clone();
    body["suggestion"] = fault["suggestion"].clone();
    if let Some(line) = fault.get("policyLine") {
        body["policyLine"] = line.clone();
    }
    body
}

/// Says that the answer leaves out the objects that a rule forbids.
fn with_denied(mut body: Json, denied: &[String]) -> Json {
    if !denied.is_empty() {
        body["complete"] = json!(false);
        body["reason"] = json!(format!("the policy forbids to read `{}`", denied.join("`, `")));
    }
    body
}

/// The objects of an app that a person looks at, with the properties to read.
struct Reads<'a> {
    app: &'a App,
    dictionary: &'a Dictionary,
    may_read: &'a dyn Fn(&str) -> bool,
    found: Vec<Read>,
    denied: Vec<String>,
}

impl<'a> Reads<'a> {
    fn new(app: &'a App, dictionary: &'a Dictionary, may_read: &'a dyn Fn(&str) -> bool) -> Self {
        Self { app, dictionary, may_read, found: Vec::new(), denied: Vec::new() }.all()
    }

    fn all(mut self) -> Self {
        let application = Path::application();
        self.add("application", application.clone(), &[SELECTION, FOLDER, DOCUMENTS]);
        if let Some(window) = first(self.dictionary, &application, "window") {
            let mut terms = known_by(self.app, self.dictionary, window.class());
            for tab in TABS {
                let wanted =
                    [tab.to_owned(), format!("{tab}.name"), format!("{tab}.title"), format!("{tab}.URL")];
                terms.extend(wanted);
            }
            let terms: Vec<&str> = terms.iter().map(String::as_str).collect();
            // A browser's document is its tab.
            if self.add("window", window, &terms) {
                return self;
            }
        }
        if let Some(document) = first(self.dictionary, &application, "document") {
            let mut terms = known_by(self.app, self.dictionary, document.class());
            terms.extend(PLACES.map(str::to_owned));
            terms.push(SELECTION.to_owned());
            let terms: Vec<&str> = terms.iter().map(String::as_str).collect();
            self.add("document", document, &terms);
        }
        self
    }

    /// Adds an object with the given properties that its class has and that may be read, each once. Returns whether it
    /// has tabs.
    fn add(&mut self, field: &'static str, path: Path, terms: &[&str]) -> bool {
        let mut known: Vec<Column> = Vec::new();
        let mut has_tabs = false;
        for term in terms {
            let Ok(column) = column(self.app, self.dictionary, path.class(), term) else { continue };
            has_tabs |= TABS.contains(term);
            if !(self.may_read)(term) {
                self.denied.push(column.term);
            } else if known.iter().all(|each| each.identifiers != column.identifiers) {
                known.push(column);
            }
        }
        if !known.is_empty() {
            let wanted = Wanted { path, identity: Identity::Index, columns: Some(known), named: Vec::new() };
            self.found.push(Read { field, wanted: Arc::new(wanted) });
        }
        has_tabs
    }
}

fn first(dictionary: &Dictionary, container: &Path, element: &str) -> Option<Path> {
    let collection = container.collection(dictionary, element).ok()?;
    Some(container.then(Segment::Element(collection, By::Index(0))))
}

/// How objects of a class are identified, and the property that people know them by.
fn known_by(app: &App, dictionary: &Dictionary, class: &str) -> Vec<String> {
    let id = match identity(dictionary, class) {
        Identity::Id(_) => dictionary.property_of_code(class, "ID  ").map(|property| property.name.clone()),
        _ => None,
    };
    id.into_iter().chain(change::label(&app.bundle_id, dictionary, class)).collect()
}

/// The values of one object, by term; failures among them.
type Values = Vec<(String, Value)>;

impl Looking {
    fn resume(self, reply: Result<Reply, Fault>, events: u64, world: &mut World<'_>) -> Result<Step, Fault> {
        let app = world.apps.find(&self.app)?;
        let rows = match reply
            .and_then(|reply| reply.result.map_err(|error| error.to_fault(&app.bundle_id, &app.name)))
        {
            Ok(rows) => rows,
            Err(fault) => return Ok(without(head(app), &fault, events)),
        };
        let dictionary = app.dictionary()?.clone();
        let mut shown =
            Shown { body: with_denied(head(app), &self.denied), documents: Vec::new(), selected: Vec::new() };
        for (at, read) in self.reads.iter().enumerate() {
            let row = rows.get(at).unwrap_or(&Json::Null);
            shown.add(read, values(read, row, &dictionary), app, &dictionary, world);
        }
        Ok(shown.named(app, events, world))
    }
}

fn values(read: &Read, row: &Json, dictionary: &Dictionary) -> Values {
    let columns = read.wanted.columns.as_deref().unwrap_or_default();
    let cells = row.get("v").and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
    let read = columns.iter().zip(cells);
    read.map(|(column, cell)| (column.term.clone(), value(cell, Some(&column.kind), dictionary))).collect()
}

impl Shown {
    fn add(
        &mut self,
        read: &Read,
        values: Values,
        app: &App,
        dictionary: &Dictionary,
        world: &mut World<'_>,
    ) {
        let Some(path) = self.known(read, &values, dictionary) else {
            self.add_own(values, app, world);
            return;
        };
        let values: Values = values
            .into_iter()
            .filter_map(|(term, value)| {
                Some((term.clone(), self.readable(&format!("{term} of {}", read.field), value, app)?))
            })
            .collect();
        // If no property of an object can be read, the object does not exist.
        if values.is_empty() {
            return;
        }
        let label = change::label(&app.bundle_id, dictionary, path.class());
        let mut said = object(&path, app, world);
        let mut tab = Map::new();
        for (term, value) in values {
            match term.split_once('.') {
                _ if label.as_ref() == Some(&term) => said["name"] = show(&value, app, world),
                Some((_, part)) => drop(tab.insert(part.to_owned(), show(&value, app, world))),
                None if TABS.contains(&term.as_str()) => {
                    if let Some(path) = path_of(&value, app) {
                        tab.extend(object(&path, app, world).as_object().cloned().unwrap_or_default());
                    }
                }
                None if term == SELECTION => self.select(&value, app, world),
                None if PLACES.contains(&term.as_str()) => said[term] = show(&value, app, world),
                None => {}
            }
        }
        self.body[read.field] = said;
        if !tab.is_empty() {
            self.body["tab"] = Json::Object(tab);
        }
    }

    /// The values of the application itself.
    fn add_own(&mut self, values: Values, app: &App, world: &mut World<'_>) {
        for (term, value) in values {
            let Some(value) = self.readable(&term, value, app) else { continue };
            match (term.as_str(), value) {
                (SELECTION, value) => self.select(&value, app, world),
                (FOLDER, value) => {
                    if let Some(path) = path_of(&value, app) {
                        self.body["folder"] = object(&path, app, world);
                    }
                }
                (_, Value::List(names)) => self.documents.extend(names.into_iter().filter_map(text)),
                _ => {}
            }
        }
    }

    /// The value, if there is one. A missing object has none; other failures are reported.
    fn readable(&mut self, term: &str, value: Value, app: &App) -> Option<Value> {
        match value {
            Value::Null => None,
            Value::Failed { number, .. } if crate::osa_error::is_missing(number) => None,
            Value::Failed { number, message } => {
                let error = OsaError { number, message, at: "property".to_owned(), by: None };
                self.body["errors"][term] = error.to_fault(&app.bundle_id, &app.name).to_json();
                None
            }
            value => Some(value),
        }
    }

    fn select(&mut self, value: &Value, app: &App, world: &mut World<'_>) {
        let items = match value {
            Value::List(items) => items.as_slice(),
            one => std::slice::from_ref(one),
        };
        let shown = items.iter().take(MOST_SELECTED).map(|item| match path_of(item, app) {
            Some(path) => {
                let said = object(&path, app, world);
                self.selected.push(path);
                said
            }
            None => show(item, app, world),
        });
        let shown: Vec<Json> = shown.collect();
        let is_cut = shown.len() < items.len();
        self.body["selection"] = Json::from(shown);
        if is_cut {
            self.body["selectionCount"] = json!(items.len());
        }
    }

    /// The best path to the front object: by its id, by a name that no other object has, or by its position; `None` for
    /// the application.
    fn known(&self, read: &Read, values: &Values, dictionary: &Dictionary) -> Option<Path> {
        let (container, segment) = read.wanted.path.last()?;
        let Segment::Element(member, _) = segment else { return None };
        let property = match identity(dictionary, &member.class) {
            Identity::Id(property) | Identity::Name(property) => property,
            Identity::Index => return Some(read.wanted.path.clone()),
        };
        let is_it = |column: &&Column| column.identifiers == [property.clone()];
        let columns = read.wanted.columns.as_deref().unwrap_or_default();
        let term = columns.iter().find(is_it).map(|column| column.term.as_str());
        let found = values.iter().find(|(known, _)| Some(known.as_str()) == term).map(|(_, value)| value);
        let is_id = matches!(identity(dictionary, &member.class), Identity::Id(_));
        let by = match found {
            Some(Value::Text(id)) if is_id => By::Id(Id::Text(id.clone())),
            Some(Value::Number(id)) if is_id && id.is_i64() => {
                By::Id(Id::Number(id.as_i64().unwrap_or_default()))
            }
            Some(Value::Text(name)) if self.is_alone(name) => By::Name(name.clone()),
            Some(Value::Text(name)) => {
                Mark::of(Some(property), &json!(name)).map_or(By::Index(0), |mark| By::Place(0, mark))
            }
            _ => By::Index(0),
        };
        Some(container.then(Segment::Element(member.clone(), by)))
    }

    fn is_alone(&self, name: &str) -> bool {
        let same = |other: &&String| other.to_lowercase() == name.to_lowercase();
        self.documents.iter().filter(same).count() == 1
    }

    /// Asks for the names of the selected objects that are not identified by a name.
    fn named(mut self, app: &App, events: u64, world: &World<'_>) -> Step {
        self.body["untrusted"] = json!(true);
        if ["window", "document", "selection", "folder", "errors"]
            .iter()
            .all(|field| self.body[*field].is_null())
        {
            self.body["note"] = json!("the app shows no window, document or selection to scripts");
        }
        // If the list contains something that is not an object, positions in it do not match.
        let is_all = self.body["selection"].as_array().is_some_and(|all| all.len() == self.selected.len());
        let unnamed = self.selected.iter().enumerate().filter(|(_, path)| is_all && path.name().is_none());
        let place = |at: usize| ["selection".to_owned(), at.to_string(), "name".to_owned()].to_vec();
        let wanted = unnamed.map(|(at, path)| (place(at), path.clone())).collect();
        names::ask(Naming::of(self.body), wanted, app, events, world)
    }
}

fn text(value: Value) -> Option<String> {
    match value {
        Value::Text(text) => Some(text),
        Value::Excerpt(part) => Some(part.text),
        _ => None,
    }
}

fn path_of(value: &Value, app: &App) -> Option<Path> {
    let Value::Object(source) = value else { return None };
    read_source(app.dictionary.as_ref()?, source)
}

/// An object with its reference and in words. The next call accepts either. Words with an id such as
/// `x-coredata://…/ICNote/p101` tell no more than the reference does.
fn object(path: &Path, app: &App, world: &mut World<'_>) -> Json {
    let mut said = json!({ "id": remember(path.clone(), app, world).to_string(), "type": path.class() });
    if let Some(name) = show::name(path, app, world) {
        said["name"] = json!(name);
    }
    if let Some(words) = show::in_words(path, app, world).filter(|_| !has_long_id(path)) {
        said["text"] = json!(words);
    }
    if !path.is_stable() {
        said["stable"] = json!(false);
    }
    said
}

fn has_long_id(path: &Path) -> bool {
    let Some((_, Segment::Element(_, By::Id(Id::Text(id))))) = path.last() else { return false };
    id.len() > names::SHORT
}
