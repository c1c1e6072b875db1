//! `iac_mcp_query_object`

use serde_json::{Value as Json, json};

use super::carried::{self, Carried, Picked};
use super::first::{First, MOST_NAMESAKES};
use super::occurrence::Within;
use super::show::{self, show, told, value};
use super::{Step, Then, World, done, held, in_app};
use crate::action::Deed;
use crate::app::App;
use crate::change;
use crate::dictionary::{Dictionary, Identifier, TypeRef, names};
use crate::fault::{Code, Fault};
use crate::identity::{Identity, identity};
use crate::osa_error;
use crate::reply::Reply;
use crate::specifier::{By, Id, Mark, Member, Path, Resolved, Segment, Specifier, Target, quoted};
use crate::value::Value;
use crate::words::{RefId, TextWindow};

/// How much of a long text a value holds.
const TEXT: TextWindow = TextWindow { offset: 0, limit: 8_000 };

/// A specifier while the app is asked for it.
#[derive(Debug)]
pub(super) struct Query {
    path: Path,
    target: Target,
    fallback: Option<Path>,
    resolved_as: Option<String>,
    /// The call that waits for the reference.
    first: Option<First>,
    within: Within,
}

pub(super) fn start(app: &str, specifier: &Specifier, world: &mut World<'_>) -> Result<Step, Fault> {
    begin(app, specifier, None, world)
}

/// Looks at the object at a position, for a call that continues there.
pub(super) fn place(
    app: &str,
    specifier: &Specifier,
    first: First,
    world: &mut World<'_>,
) -> Result<Step, Fault> {
    begin(app, specifier, Some(first), world)
}

fn begin(
    app: &str,
    specifier: &Specifier,
    first: Option<First>,
    world: &mut World<'_>,
) -> Result<Step, Fault> {
    let app = world.apps.find(app)?;
    let dictionary = app.dictionary()?;
    let Resolved { path, target, fallback } =
        specifier.resolve(dictionary, &mut *held(world.references, app, world.now))?;
    let within = Within::of(&specifier.references(), world);
    let query = Query { path, target, fallback, resolved_as: None, first, within };
    query.ask(app, 0, world)
}

impl Query {
    /// Whether a call waits for the answer.
    pub(super) fn looks_up(&self) -> bool {
        self.first.as_ref().is_some_and(First::has_call)
    }

    fn ask(self, app: &App, events: u64, world: &World<'_>) -> Result<Step, Fault> {
        let dictionary = app.dictionary()?;
        let is_property = matches!(self.path.last(), Some((_, Segment::Property(_))));
        let deed = if is_property {
            Deed::Value { path: self.path.clone(), text: TEXT }
        } else {
            let class = self.path.class();
            let (identity, mark) =
                (identity(dictionary, class), change::mark(&app.bundle_id, dictionary, class));
            let is_named = matches!(self.path.last(), Some((_, Segment::Element(_, By::Name(_)))));
            let name = dictionary.property_of_code(class, "pnam").filter(|_| is_named);
            let name = name.and_then(|name| Identifier::of(&name.name));
            Deed::Look { path: self.path.clone(), identity, mark, name }
        };
        Ok(in_app(app, deed, events, Then::Query(Box::new(self)), world))
    }

    pub(super) fn resume(
        mut self,
        reply: Reply,
        app: &str,
        events: u64,
        world: &mut World<'_>,
    ) -> Result<Step, Fault> {
        let first = self.first.take();
        match (self.answered(reply, app, events, first.clone(), world), first) {
            (Err(fault), Some(first)) => first.failed(fault, events, world),
            (step, _) => step,
        }
    }

    fn answered(
        mut self,
        reply: Reply,
        app: &str,
        events: u64,
        first: Option<First>,
        world: &mut World<'_>,
    ) -> Result<Step, Fault> {
        self.first = first;
        let app = world.apps.find(app)?;
        match reply.result {
            Ok(answer) if answer["$"] == "several" => self.several(&answer["ids"], app, events, world),
            Ok(answer) => {
                let mut body = self.answer(&answer, app, world)?;
                if self.first.is_some() && body["value"].is_string() && self.is_text_with_parts(app)? {
                    body = self.told(self.reference(self.path.clone(), app, world));
                }
                match self.first {
                    None => Ok(done(body, events)),
                    Some(first) => first.stands(&body, events, world),
                }
            }
            Err(error) if error.is_missing_object() => match self.fallback {
                Some(path) => {
                    let resolved_as = Some(told(&path, app, world));
                    let target = Target::Object(path.class().to_owned());
                    Self { path, target, fallback: None, resolved_as, first: self.first, within: self.within }
                        .ask(app, events, world)
                }
                None => offer_names(&self.path, self.first, app, events, world),
            },
            Err(error) => Err(error.to_fault(&app.bundle_id, &app.name)),
        }
    }

    /// Continues if several objects have the name: a read takes the first and says so, and a change takes none.
    fn several(self, ids: &Json, app: &App, events: u64, world: &mut World<'_>) -> Result<Step, Fault> {
        let dictionary = app.dictionary()?.clone();
        let identity = identity(&dictionary, self.path.class());
        let ids = ids.as_array().map(Vec::as_slice).unwrap_or_default();
        let path = |id: &Json| known_by(&self.path, &value(id, None, &dictionary), &identity);
        let all: Vec<Path> = ids.iter().map(path).collect();
        let first = all.first().cloned().unwrap_or_else(|| self.path.clone());
        if self.first.as_ref().is_some_and(First::changes) {
            let named: Vec<Path> = all.into_iter().take(MOST_NAMESAKES).collect();
            let references: Vec<String> =
                named.into_iter().map(|path| self.within.remember(path, app, world).to_string()).collect();
            let message = format!("{} objects match {}, and one was expected", ids.len(), self.path);
            let suggestion =
                "look at them with iac_mcp_get_properties, and give the reference of the one that is meant";
            let fault = Fault::new(Code::InvalidSpecifier, message, suggestion);
            return Err(fault.with("references", references));
        }
        let body = self.told(self.reference(first, app, world));
        let taken = body["reference"]["id"].as_str().and_then(RefId::parse);
        let picked = taken.map(|taken| Picked::namesake(self.path.to_string(), ids.len(), taken));
        let step = match self.first {
            None => done(body, events),
            Some(first) => first.stands(&body, events, world)?,
        };
        Ok(carried::with(step, picked.map(Carried::Picked).into_iter().collect()))
    }

    fn answer(&self, answer: &Json, app: &App, world: &mut World<'_>) -> Result<Json, Fault> {
        if answer["$"] == "place" {
            let property = change::mark(&app.bundle_id, app.dictionary()?, self.path.class());
            let path = at_place(&self.path, property, &answer["mark"]);
            return Ok(self.told(self.reference(path, app, world)));
        }
        let dictionary = app.dictionary()?.clone();
        let kind = match &self.target {
            Target::Property(kind) => Some(kind),
            Target::Object(_) => None,
        };
        let found = value(answer, kind, &dictionary);
        let is_property = matches!(self.path.last(), Some((_, Segment::Property(_))));
        Ok(self.told(match found {
            Value::Object(ref source) if is_property => self.object(source, app, world),
            Value::Null if is_property => json!({ "value": null }),
            found if is_property => json!({ "value": show(&found, app, world), "untrusted": true }),
            found => {
                let path = known_by(&self.path, &found, &identity(&dictionary, self.path.class()));
                self.reference(path, app, world)
            }
        }))
    }

    /// Whether the path ends at a text that is also an object. Asked for the text, an app returns its characters; asked
    /// for its font or its words, it returns these.
    fn is_text_with_parts(&self, app: &App) -> Result<bool, Fault> {
        let dictionary = app.dictionary()?;
        let Some((_, Segment::Property(_))) = self.path.last() else { return Ok(false) };
        let class = self.path.class();
        Ok(!dictionary.properties(class).is_empty() && !dictionary.elements(class).is_empty())
    }

    fn told(&self, mut json: Json) -> Json {
        if let Some(words) = &self.resolved_as {
            json["resolvedAs"] = json!(words);
        }
        json
    }

    /// The app's own path to an object is better. If it cannot be read, the client's path stays.
    fn object(&self, source: &str, app: &App, world: &mut World<'_>) -> Json {
        let own =
            app.dictionary.as_ref().and_then(|dictionary| crate::specifier::read_source(dictionary, source));
        self.reference(
            own.filter(|path| path.last().is_some()).unwrap_or_else(|| self.path.clone()),
            app,
            world,
        )
    }

    fn reference(&self, path: Path, app: &App, world: &mut World<'_>) -> Json {
        let kind = path.class().to_owned();
        let (stable, name) = (path.is_stable(), show::name(&path, app, world));
        let id = self.within.remember(path, app, world).to_string();
        let mut reference = json!({ "id": id, "type": kind, "app": &*app.bundle_id });
        if let Some(name) = name {
            reference["name"] = json!(name);
        }
        if !stable {
            reference["stable"] = json!(false);
        }
        json!({ "reference": reference })
    }
}

/// Replaces the last selector by the strongest one that the app gave: an id, or a unique name.
fn known_by(path: &Path, found: &Value, identity: &Identity) -> Path {
    let Some((container, Segment::Element(member, _))) = path.last() else { return path.clone() };
    let by = match (identity, found) {
        (Identity::Id(_), Value::Text(id)) => By::Id(Id::Text(id.clone())),
        (Identity::Id(_), Value::Number(id)) => match id.as_i64() {
            Some(id) => By::Id(Id::Number(id)),
            None => return path.clone(),
        },
        (Identity::Name(_), Value::Text(name)) => By::Name(name.clone()),
        _ => return path.clone(),
    };
    container.then(Segment::Element(member.clone(), by))
}

/// The path to an object that has only a position, with its mark.
fn at_place(path: &Path, property: Option<Identifier>, mark: &Json) -> Path {
    match (path.last(), Mark::of(property, mark)) {
        (Some((container, Segment::Element(member, By::Index(index)))), Some(mark)) => {
            container.then(Segment::Element(member.clone(), By::Place(*index, mark)))
        }
        _ => path.clone(),
    }
}

/// Continues if an object does not exist. If its name is wrong, one more event lists the existing names, because the
/// next call needs them.
///
/// # Errors
/// The object was not given by name, so there is nothing to list.
pub(super) fn offer_names(
    path: &Path,
    first: Option<First>,
    app: &App,
    events: u64,
    world: &World<'_>,
) -> Result<Step, Fault> {
    let path = without_contents(path, app.dictionary()?).clone();
    let missing = Missing { named: path.clone(), path, first };
    missing.ask(app, events, world)
}

/// An object that does not exist, while the names that do exist are read.
#[derive(Debug)]
pub(super) struct Missing {
    path: Path,
    /// The object itself or one that it is in: the first, from the inside, that is given by a name that may be wrong.
    named: Path,
    first: Option<First>,
}

impl Missing {
    /// Whether a call waits for the object.
    pub(super) fn looks_up(&self) -> bool {
        self.first.is_some()
    }

    /// Asks for the names beside the one that may be wrong; the error if there is none.
    fn ask(mut self, app: &App, events: u64, world: &World<'_>) -> Result<Step, Fault> {
        let dictionary = app.dictionary()?;
        let names = |path: &Path| match path.last() {
            Some((container, Segment::Element(member, By::Name(_)))) if !container.is_spread() => {
                let name = dictionary.property_of_code(&member.class, "pnam")?;
                let (container, collection) = (container.clone(), member.clone());
                Some(Deed::Names { container, collection, name: Identifier::of(&name.name)? })
            }
            _ => None,
        };
        let around = std::iter::once(&self.named).chain(self.named.containers());
        let found = around.into_iter().find_map(|path| Some((path.clone(), names(path)?)));
        let Some((named, deed)) = found else { return Err(not_found(&self.path, &[], app, world)) };
        self.named = named;
        let without = self.path.clone();
        match in_app(app, deed, events, Then::Missing(Box::new(self)), world) {
            Step::Run(run) => Ok(Step::Run(run)),
            // A rule against reading names leaves the error as it is.
            _ => Err(not_found(&without, &[], app, world)),
        }
    }

    /// Continues with the names, or with those of the next object outside if they cannot be read: then that object may
    /// be the missing one.
    pub(super) fn resume(
        self,
        reply: Reply,
        app: &str,
        events: u64,
        world: &mut World<'_>,
    ) -> Result<Step, Fault> {
        let first = self.first.clone();
        match (self.answered(reply, app, events, world), first) {
            (Err(fault), Some(first)) => first.failed(fault, events, world),
            (step, _) => step,
        }
    }

    fn answered(mut self, reply: Reply, app: &str, events: u64, world: &World<'_>) -> Result<Step, Fault> {
        let app = world.apps.find(app)?;
        let Ok(names) = reply.result else {
            self.named = self.named.without(1);
            return self.ask(app, events, world);
        };
        let names: Vec<&str> = names.as_array().into_iter().flatten().filter_map(Json::as_str).collect();
        let is_name = |name: &str| names.iter().any(|known| known.eq_ignore_ascii_case(name));
        Err(match self.named != self.path && self.named.name().is_some_and(is_name) {
            true => not_found(&self.path, &[], app, world),
            false => not_found(&self.named, &names, app, world),
        })
    }
}

/// The owner of a property that holds the owner's elements. Every project has a root task, so it is the project that is
/// missing.
pub(super) fn without_contents<'p>(path: &'p Path, dictionary: &Dictionary) -> &'p Path {
    let Some((owner, Segment::Property(member))) = path.last() else { return path };
    let lineage = dictionary.lineage(owner.class());
    let is_contents = lineage.iter().any(|class| class.contents.as_deref() == Some(member.term.as_str()));
    if is_contents { owner } else { path }
}

fn not_found(path: &Path, names: &[&str], app: &App, world: &World<'_>) -> Fault {
    if let Some((container, Segment::Element(member, By::Every))) = path.last() {
        return not_listed(container, member, app, world);
    }
    let is_there = path.name().is_some_and(|name| names.contains(&name));
    if let Some(hint) = osa_error::hint(&app.bundle_id).filter(|_| is_there) {
        let message = format!("{} has {}, but shows nothing of it", app.name, missed(path, app, world));
        return Fault::new(Code::ReferenceInvalid, message, hint).with("app", &*app.bundle_id);
    }
    if is_there && let Some((_, Segment::Element(member, By::Name(name)))) = path.last() {
        let message =
            format!("{} lists {}, but does not find it by its name", app.name, missed(path, app, world));
        let property = app.dictionary.as_ref().and_then(|all| all.property_of_code(&member.class, "pnam"));
        let property = property.map_or("name", |name| name.name.as_str());
        let suggestion = format!("write `first {} of … whose {property} is {}`", member.term, quoted(name));
        return Fault::new(Code::ReferenceInvalid, message, suggestion).with("app", &*app.bundle_id);
    }
    let near = near(path, names, app);
    let message = format!(
        "{} has no {}{}",
        app.name,
        missed(path, app, world),
        names::instead(path.name().unwrap_or_default(), &near)
    );
    let fault = Fault::new(Code::ReferenceInvalid, message, suggestion(path, app, world))
        .with("app", &*app.bundle_id);
    if near.is_empty() { fault } else { fault.with("near", near).untrusted() }
}

/// The container exists, but the app lists no elements of this kind in it: a tag of OmniFocus holds tasks, and no
/// flattened tasks.
fn not_listed(container: &Path, member: &Member, app: &App, world: &World<'_>) -> Fault {
    let message =
        format!("{} has {}, but lists no {} in it", app.name, missed(container, app, world), member.term);
    let base = app.dictionary.as_ref().and_then(|dictionary| {
        let held = dictionary.elements(container.class()).into_iter();
        held.map(|element| &element.class).find(|class| dictionary.is_a(&member.class, class))
    });
    let suggestion = base.map_or_else(
        || "look at the elements of its class with iac_mcp_describe_app".to_owned(),
        |class| format!("write `every {class} of …`, which includes them"),
    );
    Fault::new(Code::ReferenceInvalid, message, suggestion).with("app", &*app.bundle_id)
}

/// The missing object, in the client's own words.
fn missed(path: &Path, app: &App, world: &World<'_>) -> String {
    match path.last() {
        Some((container, segment)) if container.last().is_some() && !container.is_implied() => {
            let own = Path::application().then(segment.clone());
            format!("{own} of {}", told(container, app, world))
        }
        _ => path.to_string(),
    }
}

fn suggestion(path: &Path, app: &App, world: &World<'_>) -> String {
    match path.last() {
        Some((container, Segment::Element(member, _))) => {
            let place = match container.last().is_none() || container.is_implied() {
                true => app.name.clone(),
                false => told(container, app, world),
            };
            let list = format!(
                "list the existing elements with iac_mcp_get_elements (elementType \"{}\" in {place})",
                member.term
            );
            // OmniFocus: a project in a folder is only among the flattened projects of its document.
            let flattened = format!("flattened {}", member.term);
            let has = |all: &std::sync::Arc<Dictionary>| all.element(container.class(), &flattened).is_some();
            match path.name().filter(|_| app.dictionary.as_ref().is_some_and(has)) {
                Some(name) => {
                    format!("write `{flattened} {}`, which searches folders too, or {list}", quoted(name))
                }
                None => list,
            }
        }
        _ => "list the existing elements with iac_mcp_get_elements".to_owned(),
    }
}

/// Names in the collection, and properties of the container that hold such an element, that resemble the missing name.
fn near(path: &Path, names: &[&str], app: &App) -> Vec<String> {
    let Some((container, Segment::Element(member, By::Name(name)))) = path.last() else { return Vec::new() };
    let properties = app.dictionary.as_ref().map(|dictionary| {
        let is_one = |kind: &TypeRef| dictionary.is_a(&kind.name, &member.class);
        let all = dictionary.properties(container.class()).into_iter();
        all.filter(move |property| property.kind.0.iter().any(is_one))
    });
    let properties = properties.into_iter().flatten().map(|property| property.name.as_str());
    let properties = properties.filter(|property| !names::near_texts(name, [*property], 1).is_empty());
    names::offered(name, names.iter().copied().chain(properties), FEW_NAMES)
}

/// The number of names to show if none resembles the requested one, so that a guess saves the call that lists them.
pub(super) const FEW_NAMES: usize = 20;
