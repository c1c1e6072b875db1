//! Lookups that a call needs first: objects that a text, a filter, a position or `every` names. After the app has
//! answered, references replace them, and the call begins again.

mod faults;
mod places;

use serde_json::{Value as Json, json};

use super::carried::{self, Carried, Picked};
use super::{Outcome, Step, World, done, elements, occurrence, query, remember, started};
use crate::call::{Call, CommandCall, GetElements, MOST_CHANGED, Mode, Named, Stranger};
use crate::fault::{Code, Fault};
use crate::filter::Filter;
use crate::permission::{NAMED, Source, may_read};
use crate::series;
use crate::specifier::{Container, Path, Reader, Specifier};
use crate::words::{HIGHEST_LIMIT, RefId};

use places::with_places;
pub(super) use places::{WRITABLE, places};

/// The state that waits for a lookup.
#[derive(Clone, Debug)]
pub(super) struct First {
    /// The call that it is a part of; `None` if the lookup itself is the answer.
    rest: Option<Call>,
    /// The specifier to look up.
    specifier: Specifier,
    /// The argument of a command that contains it: the client's text, and its meaning.
    argument: Option<(Json, Container)>,
    /// The message if nothing is found.
    words: String,
    /// The error that the found objects complete.
    fault: Option<Fault>,
}

/// Reads the texts of a call by the dictionary of its app.
pub(super) fn read(call: &mut Call, world: &World<'_>) -> Result<(), Fault> {
    let Some(app) = app_of(call, world) else { return Ok(()) };
    // If the app is unknown, or its dictionary cannot be read, the call itself reports it.
    let Ok(app) = world.apps.find(&app) else { return Ok(()) };
    let Ok(dictionary) = app.dictionary() else { return Ok(()) };
    if let Call::Create(create) = call {
        create.place(app, dictionary);
    }
    call.read_texts(Reader { dictionary, home: world.home })
}

/// The app that a call names, or that the first of its references belongs to.
pub(super) fn app_of(call: &Call, world: &World<'_>) -> Option<String> {
    let held = || call.references().first().and_then(|id| world.references.app_of(*id).map(str::to_owned));
    call.app().map(str::to_owned).or_else(held)
}

/// Begins with the innermost part of a call that needs a lookup, if it has one.
pub(super) fn begin(call: &Call, world: &mut World<'_>) -> Option<Result<Step, Fault>> {
    let mut call = match of_each(call) {
        Some(Ok(list)) => return Some(Ok(started(list, world))),
        Some(Err(fault)) => return Some(Err(fault)),
        None => call.clone(),
    };
    let app = app_of(&call, world);
    let inner = next(&mut call)?.clone();
    let rest = match &call {
        Call::QueryObject { specifier, .. } if *specifier == inner => None,
        _ => Some(call),
    };
    let Some(app) = app else { return Some(Err(no_app())) };
    if matches!(rest, Some(Call::QueryObject { .. })) && inner.is_many() {
        return Some(Err(one_of_each(&inner)));
    }
    match inner {
        Specifier::Filter { .. } | Specifier::Every { .. } => Some(list(app, inner, rest, world)),
        Specifier::Element { index, .. } if index < 0 => Some(list(app, inner, rest, world)),
        Specifier::Application => Some(application(&app, rest?, world)),
        place => look(&app, &place, rest?, world),
    }
}

/// The list that answers a query for something of each of many objects: `name of every account`,
/// `attendees of every event whose …`. A read of the first object alone would not answer it.
fn of_each(call: &Call) -> Option<Result<Call, Fault>> {
    let Call::QueryObject { app, specifier } = call else { return None };
    let is_many = match specifier {
        Specifier::Property { .. } => specifier.is_many(),
        Specifier::Every { container, .. } => leads_through_some(container),
        _ => false,
    };
    let list = || {
        let list = GetElements::of(app.clone(), specifier.clone()).settled()?;
        Ok(Call::GetElements(Box::new(list)))
    };
    is_many.then(list)
}

/// Whether a container leads through a part of a collection, which has to be looked up.
fn leads_through_some(container: &Container) -> bool {
    let Container::Specifier(specifier) = container else { return false };
    let is_some = matches!(**specifier, Specifier::Every { ref filter, range, .. } if filter.is_some() || range.is_some());
    is_some || specifier.container().is_some_and(leads_through_some)
}

/// The error for one object in each of many: `tab 1 of every window`.
fn one_of_each(inner: &Specifier) -> Fault {
    let message =
        format!("{} leads to many objects, and a query finds one object in one of them", inner.in_words());
    let suggestion = "name one container, or list with iac_mcp_get_elements what is in all of them: every … of every … whose name is \"…\"";
    Fault::new(Code::InvalidSpecifier, message, suggestion)
}

fn no_app() -> Fault {
    let message = "`app` is missing, and no reference says which app is meant";
    Fault::new(Code::InvalidParameter, message, "add `app`").with("parameter", "app")
}

/// The application itself needs no lookup.
fn application(app: &str, rest: Call, world: &mut World<'_>) -> Result<Step, Fault> {
    let app = world.apps.find(app)?;
    let id = remember(Path::application(), app, world);
    let first = First {
        rest: Some(rest),
        specifier: Specifier::Application,
        argument: None,
        words: String::new(),
        fault: None,
    };
    first.settle(&[id], 0, world)
}

/// Looks up the object at a position, if the call is valid and its answer names objects in that object.
fn look(app: &str, place: &Specifier, rest: Call, world: &mut World<'_>) -> Option<Result<Step, Fault>> {
    let as_it_is = match &rest {
        Call::QueryObject { specifier, .. } if !specifier.is_unanswered() => {
            if matches!(specifier, Specifier::Property { .. }) {
                return None;
            }
            query::start(app, specifier, world)
        }
        // Only a list can check these, because they have no path until the app has answered.
        Call::QueryObject { specifier, .. } if is_listed(specifier) => {
            GetElements::of(app.to_owned(), specifier.clone())
                .settled()
                .and_then(|list| elements::start(&list, None, world))
        }
        Call::GetElements(call) if !call.containers.iter().any(Container::is_open) => {
            elements::start(call, None, world)
        }
        // The outer lookup comes later and reports its own errors.
        _ => return Some(query::place(app, place, First::at(place, rest), world)),
    };
    match as_it_is {
        Ok(Step::Run(_)) => Some(query::place(app, place, First::at(place, rest), world)),
        // The gate decides about that object by its name, after the lookup.
        Ok(Step::Done(outcome)) if is_closed(&outcome) => {
            Some(query::place(app, place, First::at(place, rest), world))
        }
        ended => Some(ended),
    }
}

/// Whether a list can check the whole specifier, because only its last step depends on the app's answer.
fn is_listed(specifier: &Specifier) -> bool {
    let waits =
        matches!(specifier, Specifier::Every { .. } | Specifier::Filter { .. } | Specifier::Element { .. });
    waits && !specifier.container().is_some_and(Container::is_open)
}

fn is_closed(outcome: &Outcome) -> bool {
    outcome.refused.as_ref().is_some_and(|decided| matches!(decided.source, Source::Closed { .. }))
}

/// Lists the matches, or the object at the end of the path.
fn list(app: String, specifier: Specifier, rest: Option<Call>, world: &mut World<'_>) -> Result<Step, Fault> {
    let is_many = rest.is_none() || specifier.is_many();
    let most = rest.as_ref().map_or(MOST_SHOWN, most_of);
    let words = format!("nothing matches {}", specifier.to_text());
    let wanted = sought(GetElements::of(app, specifier.clone()).settled()?, &specifier, world);
    let limit = if is_many { wanted.limit.min(most) } else { 1 };
    let limit = if is_only(&specifier) { MOST_NAMESAKES } else { limit };
    let first = First { rest, specifier, argument: None, words, fault: None };
    elements::start(&GetElements { limit, ..wanted }, Some(first), world)
}

/// Looks up an object among the arguments of a command.
pub(super) fn argument(
    rest: Call,
    app: &str,
    given: Json,
    mut container: Container,
    world: &mut World<'_>,
) -> Result<Step, Fault> {
    let whole = container.clone();
    let Some(Container::Specifier(specifier)) = deepest(&mut container, false) else {
        return Err(super::properties::unsettled());
    };
    let specifier = (**specifier).clone();
    let limit = if specifier.is_many() { most_of(&rest) } else { 1 };
    let words = format!("nothing matches {}", specifier.to_text());
    let is_listed = match &specifier {
        Specifier::Element { index, .. } => *index < 0,
        _ => true,
    };
    let first = First {
        rest: Some(rest),
        specifier: specifier.clone(),
        argument: Some((given, whole)),
        words,
        fault: None,
    };
    if !is_listed {
        return query::place(app, &specifier, first, world);
    }
    let only = is_only(&specifier);
    let is_counted = match &first.rest {
        Some(Call::Command(call)) => counts(call, &first.specifier),
        _ => false,
    };
    let wanted = sought(GetElements::of(app.to_owned(), specifier.clone()).settled()?, &specifier, world);
    let limit = match (only, is_counted) {
        (true, _) => MOST_NAMESAKES,
        (_, true) => 0,
        _ => wanted.limit.min(limit),
    };
    elements::start(&GetElements { limit, ..wanted }, Some(first), world)
}

/// Extends a list that searches for the only object with a name, if the specifier names no container. The list then
/// searches all containers, and reads their names.
fn sought(mut wanted: GetElements, specifier: &Specifier, world: &World<'_>) -> GetElements {
    let Ok(app) = world.apps.find(wanted.app.as_deref().unwrap_or_default()) else { return wanted };
    let Ok(dictionary) = app.dictionary() else { return wanted };
    wanted.containers.extend(specifier.elsewhere(dictionary));
    // Only if all containers are of one class, a column has their names.
    let holders = specifier.holders(dictionary);
    let [holder] = holders.as_slice() else { return wanted };
    // A rule against reading names is not a reason to find nothing.
    let name = dictionary.property_of_code(holder, "pnam").map(|name| name.name.as_str());
    if let Some(name) = name.filter(|name| may_read(name, app, world.gate, world.now)) {
        wanted.properties.push(format!("{holder}.{name}"));
    }
    if is_only(specifier)
        && let Some(dated) = series::dated(&app.bundle_id, &wanted.element)
        && may_read(&dated.start, app, world.gate, world.now)
    {
        wanted.properties.push(dated.start.clone());
    }
    wanted
}

/// Whether a command asks only how many objects there are: `count every message of inbox whose …`.
fn counts(call: &CommandCall, specifier: &Specifier) -> bool {
    let is_all = matches!(specifier, Specifier::Every { range: None, .. });
    let is_whole = call.target.as_ref().and_then(Json::as_str).is_some();
    is_all && is_whole && call.mode == Mode::Read && call.arguments.is_empty() && call.command == "count"
}

/// Counts the objects of a `count`, if the app itself cannot count them without more arguments.
pub(super) fn count(call: &CommandCall, world: &mut World<'_>) -> Option<Result<Step, Fault>> {
    let target = call.target.clone()?;
    let mut container = Container::parse(&target, "target").ok()?;
    let dictionary = world.apps.find(&call.app).ok()?.dictionary().ok()?.clone();
    container.read(Reader { dictionary: &dictionary, home: world.home }).ok()?;
    let Container::Specifier(specifier) = &container else { return None };
    counts(call, specifier)
        .then(|| argument(Call::Command(call.clone()), &call.app, target, container.clone(), world))
}

/// Whether a command asks only if there is an object: `exists mailbox "Projects"`.
fn is_asked(call: &CommandCall) -> bool {
    let is_one = call.target.as_ref().is_some_and(|target| !target.is_array());
    is_one && call.mode != Mode::DryRun && call.arguments.is_empty() && call.command == "exists"
}

/// The largest number of objects with one name that an error lists.
pub(super) const MOST_NAMESAKES: usize = 5;

fn is_only(specifier: &Specifier) -> bool {
    matches!(specifier, Specifier::Filter { only: true, .. })
}

/// The largest number of objects in the answer to a query, which has no `limit`.
const MOST_SHOWN: usize = 100;

/// Whether a call changes something.
fn changes(call: &Call) -> bool {
    match call {
        Call::SetProperty(_) | Call::Create(_) => true,
        Call::Command(call) => call.mode != Mode::Read,
        _ => false,
    }
}

/// The largest number of objects that a call accepts.
fn most_of(call: &Call) -> usize {
    if matches!(call, Call::SetProperty(_) | Call::Command(_) | Call::Create(_)) {
        MOST_CHANGED
    } else {
        HIGHEST_LIMIT
    }
}

impl First {
    fn at(place: &Specifier, rest: Call) -> Self {
        let words = format!("nothing is there: {}", place.in_words());
        Self { rest: Some(rest), specifier: place.clone(), argument: None, words, fault: None }
    }

    /// Whether a call waits for the lookup, which is otherwise the answer itself.
    pub(super) fn has_call(&self) -> bool {
        self.rest.is_some()
    }

    /// Whether the waiting call changes something.
    pub(super) fn changes(&self) -> bool {
        self.rest.as_ref().is_some_and(changes)
    }

    /// Continues with the elements that the app has selected.
    pub(super) fn found(self, body: &Json, events: u64, world: &mut World<'_>) -> Result<Step, Fault> {
        let elements = body["elements"].as_array().map(Vec::as_slice).unwrap_or_default();
        if let Some(fault) = self.fault {
            return Err(with_places(fault, &self.specifier, elements));
        }
        let ids: Vec<RefId> =
            elements.iter().filter_map(|each| each["id"].as_str().and_then(RefId::parse)).collect();
        let total = body["totalCount"].as_u64().unwrap_or_default() as usize;
        let (places, own) = self.places(elements);
        let ids = if let Some(id) = own.and_then(|at| ids.get(at)) { vec![*id] } else { ids };
        // If the container of an object is looked up first and does not exist, the object does not exist either.
        let is_whole =
            matches!(&self.argument, Some((_, Container::Specifier(whole))) if **whole == self.specifier);
        if matches!(&self.rest, Some(Call::Command(call)) if is_asked(call)) && (is_whole || total == 0) {
            let mut answer = json!({ "success": true, "data": total > 0 });
            with_reasons(&mut answer, body);
            let found = places.into_iter().next().map(Carried::Found);
            return Ok(carried::with(done(answer, events), found.into_iter().collect()));
        }
        if is_only(&self.specifier) && total > 1 && own.is_none() {
            let fault = self.several(total, &ids, &places, elements);
            return self.failed(fault, events, world);
        }
        if let Some(Call::Command(call)) = &self.rest
            && counts(call, &self.specifier)
        {
            return Ok(done(self.counted(total, body), events));
        }
        if body["complete"] == json!(false)
            && let Some(fault) = self.half_seen(body)
        {
            return Err(fault);
        }
        let Some(rest) = &self.rest else {
            let answer = match (elements, is_only(&self.specifier)) {
                ([], _) => return Err(self.nothing(body)),
                (_, true) => only_match(body, &elements[own.unwrap_or_default()]),
                _ => matches(body),
            };
            let found = places.into_iter().next().filter(|_| own.is_none()).map(Carried::Found);
            return Ok(carried::with(done(answer, events), found.into_iter().collect()));
        };
        if self.specifier.is_many() && body["hasMore"] == json!(true) {
            let most = most_of(rest);
            let message =
                format!("{} leads to {total} objects, and one call takes {most}", self.specifier.in_words());
            let suggestion = "narrow it with `whose`, or name a range such as messages 1 thru 200 of inbox";
            return Err(Fault::new(Code::InvalidParameter, message, suggestion));
        }
        let is_empty_list =
            ids.is_empty() && self.specifier.is_many() && matches!(rest, Call::GetElements(_));
        if ids.is_empty()
            && let Some(answer) = self.nothing_of_many(rest, body)
        {
            return Ok(done(answer, events));
        }
        if ids.is_empty() && !is_empty_list {
            let fault = self.nothing(body);
            return self.failed(fault, events, world);
        }
        let ids = if self.specifier.is_many() { &ids[..] } else { &ids[..ids.len().min(1)] };
        let picked = Picked::of(&self.specifier, body, ids.first()).filter(|_| changes(rest));
        let found = places.into_iter().next().filter(|_| own.is_none()).map(Carried::Found);
        let is_bulk = self.specifier.is_many() && ids.len() > NAMED && changes(rest);
        let all = is_bulk.then(|| Carried::All(self.for_a_human(world), ids.len()));
        let read = body.get("readAs").filter(|_| changes(rest)).cloned().map(Carried::Read);
        // A change of an incomplete list was refused above.
        let half = body["reason"].as_str().filter(|_| self.specifier.is_many());
        let half = half.map(|reason| Carried::Half(reason.to_owned()));
        let note = body["note"].as_str().filter(|_| self.specifier.is_many() && changes(rest));
        let note = note.map(|note| Carried::Note(note.to_owned()));
        let step = self.settle(ids, events, world)?;
        let told = [picked.map(Carried::Picked), found, all, read, half, note];
        Ok(carried::with(step, told.into_iter().flatten().collect()))
    }

    /// The specifier for a person, to whom a reference says nothing. The lines of the objects name their container.
    fn for_a_human(&self, world: &World<'_>) -> String {
        let mut text = self.specifier.to_text();
        for id in self.specifier.references() {
            let Some(held) = world.references.peek(id) else { continue };
            let path = &held.object.path;
            let words = path.name().map_or_else(|| format!("that {}", path.class()), |_| path.to_text());
            text = text.replace(&id.to_string(), &words);
        }
        text
    }

    /// The containers of the objects that were found by a name without a container, and the index of the object that
    /// the application itself holds. By AppleScript's own rule, the name means that object.
    fn places(&self, elements: &[Json]) -> (Vec<String>, Option<usize>) {
        let Specifier::Filter { element, filter: Filter::Compare(name), container, only: true, .. } =
            &self.specifier
        else {
            return (Vec::new(), None);
        };
        let name = name.value.as_str().unwrap_or_default();
        let named = |element: &str, name: &str, container| {
            let (element, name) = (element.to_owned(), name.to_owned());
            Specifier::Named { element, name, container: Container::Specifier(Box::new(container)) }
        };
        let place = |found: &Json| {
            let (term, holder) = found["properties"].as_object()?.iter().next()?;
            let (class, _) = term.rsplit_once('.')?;
            let holder = named(class, holder.as_str()?, Specifier::Application);
            Some(named(element, name, holder).to_text())
        };
        let own = |found: &Json| found["container"] == json!("application");
        let own = if container.is_application() { elements.iter().position(own) } else { None };
        (elements.iter().filter_map(place).collect(), own)
    }

    /// The error for a change of all objects that match, or of the only one, if some objects were not searched.
    fn half_seen(&self, body: &Json) -> Option<Fault> {
        if !changes(self.rest.as_ref()?) || !(self.specifier.is_many() || is_only(&self.specifier)) {
            return None;
        }
        let reason = body["reason"].as_str().unwrap_or("the list is not complete");
        let message =
            format!("not all of {} was seen, so nothing was changed: {reason}", self.specifier.to_text());
        let suggestion = "narrow it, or name the objects by references from iac_mcp_get_elements";
        let fault = Fault::new(Code::InvalidParameter, message, suggestion);
        Some(match body.get("skipped") {
            Some(skipped) => fault.with("skipped", skipped.clone()),
            None => fault,
        })
    }

    /// The number of objects that a command asks for.
    fn counted(&self, total: usize, body: &Json) -> Json {
        let mut answer = json!({ "success": true, "data": total });
        with_reasons(&mut answer, body);
        answer
    }

    /// The answer to a read of all matching objects, if there are none.
    fn nothing_of_many(&self, rest: &Call, body: &Json) -> Option<Json> {
        let is_all = match rest {
            Call::GetProperties { references, .. } => references.len() == 1,
            Call::GetElements(call) => call.containers.len() == 1,
            Call::Command(call) => {
                call.mode == Mode::Read && matches!(self.argument, Some((Json::String(_), _)))
            }
            _ => false,
        };
        if !is_all || !self.specifier.is_many() {
            return None;
        }
        let mut answer = match rest {
            Call::GetElements(_) => elements::empty(body["app"].as_str().unwrap_or_default()),
            _ => json!({ "results": [] }),
        };
        answer["note"] = json!(self.words);
        with_reasons(&mut answer, body);
        Some(answer)
    }

    /// Continues with the one reference that was found, or with the objects that a property lists, such as `selection`.
    pub(super) fn stands(self, found: &Json, events: u64, world: &mut World<'_>) -> Result<Step, Fault> {
        if let Some(id) = found["reference"]["id"].as_str().and_then(RefId::parse) {
            return self.settle(&[id], events, world);
        }
        let listed = found["value"].as_array().map(Vec::as_slice).unwrap_or_default();
        let ids: Option<Vec<RefId>> =
            listed.iter().map(|each| each["reference"].as_str().and_then(RefId::parse)).collect();
        let is_whole =
            matches!(&self.rest, Some(Call::GetProperties { references, .. }) if references.len() == 1);
        if is_whole && found["value"].is_array() && listed.is_empty() {
            return Ok(done(json!({ "results": [], "note": self.words }), events));
        }
        let is_one = matches!(self.rest, Some(Call::QueryObject { .. }));
        let ids = ids.filter(|ids| !ids.is_empty() && !is_one);
        let ids =
            ids.ok_or_else(|| if found["value"].is_null() { self.nothing(found) } else { self.no_object() })?;
        self.settle(&ids, events, world)
    }

    /// Continues if nothing was found: in a list this is the error of one item, elsewhere it is the error of the call.
    pub(super) fn failed(self, fault: Fault, events: u64, world: &mut World<'_>) -> Result<Step, Fault> {
        let Some(mut call) = self.rest else {
            // The original error tells the client more than the error of a lookup that was only made to complete it.
            let is_told = fault.context.contains_key(places::PLACES);
            return Err(self.fault.filter(|_| !is_told).unwrap_or(fault));
        };
        let stranger = Stranger { given: json!(self.specifier.to_text()), fault: fault.clone() };
        let items = match &mut call {
            Call::GetProperties { references, list: true, .. } => references,
            Call::SetProperty(call) if call.list => &mut call.references,
            _ => return Err(fault),
        };
        let open = |named: &mut Named| named.as_mut().is_ok_and(|container| whole(container).is_some());
        let Some(item) = items.iter_mut().find_map(|named| open(named).then_some(named)) else {
            return Err(fault);
        };
        *item = Err(stranger);
        Ok(with_events(started(call, world), events))
    }

    /// Replaces the lookups by references, and begins the call again.
    fn settle(self, found: &[RefId], events: u64, world: &mut World<'_>) -> Result<Step, Fault> {
        let Some(mut call) = self.rest else { return Err(self.nothing(&Json::Null)) };
        match &mut call {
            Call::QueryObject { specifier, .. } => {
                if let (Some(slot), Some(id)) = (around(specifier), found.first()) {
                    *slot = Container::Reference(*id);
                }
            }
            Call::GetElements(call) => {
                let all = std::mem::take(&mut call.containers);
                call.containers = replaced(all, found, |container| deepest(container, true));
            }
            Call::GetProperties { references, list, .. } => {
                *list |= found.len() != 1 || self.specifier.is_many();
                let all = std::mem::take(references).into_iter().map(|named| (named, ())).collect();
                *references = settled(all, found).into_iter().map(|(named, ())| named).collect();
            }
            Call::SetProperty(call) if self.argument.is_none() => {
                // A change of all matches is not made for only some of them.
                let is_left_out = |id: &&RefId| {
                    call.properties.iter().all(|values| occurrence::leaves_out(**id, values, world))
                };
                let dates: Vec<RefId> = found.iter().filter(|id| !is_left_out(id)).copied().collect();
                occurrence::refuse(dates, world)?;
                call.list |= found.len() != 1 || self.specifier.is_many();
                let values = std::mem::take(&mut call.values);
                let all = std::mem::take(&mut call.references).into_iter().zip(values).collect();
                (call.references, call.values) = settled(all, found).into_iter().unzip();
            }
            Call::Command(_) | Call::Create(_) | Call::SetProperty(_) => {
                let Some((given, container)) = self.argument else {
                    return Err(super::properties::unsettled());
                };
                let objects = replaced(vec![container], found, |container| deepest(container, false));
                let objects: Vec<Json> = objects.iter().map(Container::to_json).collect();
                let before = call.clone();
                match &mut call {
                    Call::Command(call) => call.replace(&given, &objects),
                    Call::Create(call) => call.replace(&given, &objects),
                    Call::SetProperty(call) => call.replace(&given, &objects),
                    _ => {}
                }
                // The specifier is in a text that names a place, so nothing was replaced, and the lookup would repeat
                // without end.
                if call == before {
                    return Err(inside_a_place(&self.specifier));
                }
            }
            _ => return Err(super::properties::unsettled()),
        }
        Ok(with_events(started(call, world), events))
    }
}

fn inside_a_place(specifier: &Specifier) -> Fault {
    let message = format!("{} cannot be looked up inside a place in words", specifier.in_words());
    let suggestion = "give the place as {\"position\":\"end\",\"of\":…}, or the object alone";
    Fault::new(Code::InvalidSpecifier, message, suggestion)
}

/// Replaces the lookup, once for each object that was found.
fn replaced(
    all: Vec<Container>,
    found: &[RefId],
    slot: impl Fn(&mut Container) -> Option<&mut Container>,
) -> Vec<Container> {
    let mut is_done = false;
    let mut result = Vec::new();
    for mut container in all {
        if is_done || slot(&mut container).is_none() {
            result.push(container);
            continue;
        }
        is_done = true;
        for id in found {
            let mut copy = container.clone();
            if let Some(slot) = slot(&mut copy) {
                *slot = Container::Reference(*id);
            }
            result.push(copy);
        }
    }
    result
}

/// Like [`replaced`], for objects with further data.
fn settled<T: Copy>(all: Vec<(Named, T)>, found: &[RefId]) -> Vec<(Named, T)> {
    let mut is_done = false;
    let mut result = Vec::new();
    for (mut named, with) in all {
        if is_done || !named.as_mut().is_ok_and(|container| whole(container).is_some()) {
            result.push((named, with));
            continue;
        }
        is_done = true;
        let replaced = named.into_iter().flat_map(|container| replaced(vec![container], found, whole));
        result.extend(replaced.map(|container| (Ok(container), with)));
    }
    result
}

/// Copies how complete a list is, and which dates it was about.
fn with_reasons(answer: &mut Json, body: &Json) {
    for field in ["complete", "reason", "skipped", "dates", "near", "untrusted"] {
        if let Some(value) = body.get(field) {
            answer[field] = value.clone();
        }
    }
}

/// The only object with a name, in the form of a query's answer.
fn only_match(body: &Json, found: &Json) -> Json {
    let mut reference = found.clone();
    if let Some(fields) = reference.as_object_mut() {
        fields.shift_remove("properties");
    }
    matches(&json!({ "type": body["type"], "app": body["app"], "elements": [reference], "totalCount": 1 }))
}

/// The first match in the form of a query's answer, and the others if the query asked for more.
fn matches(body: &Json) -> Json {
    let mut references: Vec<Json> = body["elements"].as_array().cloned().unwrap_or_default();
    for reference in &mut references {
        for field in ["type", "app", "container"] {
            if let Some(value) = body.get(field) {
                reference[field] = value.clone();
            }
        }
    }
    let mut answer = json!({ "reference": references.first(), "totalCount": body["totalCount"] });
    if references.len() > 1 {
        answer["references"] = Json::from(references);
    }
    for field in ["complete", "reason", "note", "resolvedAs"] {
        if let Some(value) = body.get(field) {
            answer[field] = value.clone();
        }
    }
    answer
}

/// Adds the events of a lookup to those of the call.
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
        Step::Load(mut load) => {
            load.pending.events += events;
            Step::Load(load)
        }
        Step::Done(mut outcome) => {
            outcome.events += events;
            Step::Done(outcome)
        }
    }
}

/// The next part of a call that needs a lookup.
fn next(call: &mut Call) -> Option<&mut Specifier> {
    let slot = match call {
        Call::QueryObject { specifier, .. } => return next_of_query(specifier),
        Call::GetElements(call) => call.containers.iter_mut().find_map(|container| deepest(container, true)),
        Call::GetProperties { references, .. } => references.iter_mut().flatten().find_map(whole),
        Call::SetProperty(call) => call.references.iter_mut().flatten().find_map(whole),
        _ => None,
    };
    match slot? {
        Container::Specifier(specifier) => Some(specifier),
        Container::Reference(_) => None,
    }
}

fn next_of_query(specifier: &mut Specifier) -> Option<&mut Specifier> {
    if around(specifier).is_some() {
        return match around(specifier)? {
            Container::Specifier(specifier) => Some(specifier),
            Container::Reference(_) => None,
        };
    }
    let is_list = match specifier {
        Specifier::Filter { .. } | Specifier::Every { .. } => true,
        Specifier::Element { index, .. } => *index < 0,
        _ => false,
    };
    is_list.then_some(specifier)
}

/// The container of the requested object, or one inside it, that needs a lookup. A list goes through `every`.
fn around(specifier: &mut Specifier) -> Option<&mut Container> {
    let spreads = matches!(specifier, Specifier::Every { .. } | Specifier::Filter { .. });
    specifier.container_mut().and_then(|container| deepest(container, spreads))
}

/// The innermost container that needs a lookup; with `spreads`, an `every` may stay.
fn deepest(container: &mut Container, spreads: bool) -> Option<&mut Container> {
    if holds_deeper(container, spreads) {
        let Container::Specifier(specifier) = container else { return None };
        let spreads = spreads || matches!(**specifier, Specifier::Every { .. } | Specifier::Filter { .. });
        return specifier.container_mut().and_then(|container| deepest(container, spreads));
    }
    is_open(container, spreads).then_some(container)
}

/// The same for an object that has to become a reference.
fn whole(container: &mut Container) -> Option<&mut Container> {
    if holds_deeper(container, false) {
        return deepest(container, false);
    }
    matches!(container, Container::Specifier(_)).then_some(container)
}

fn is_open(container: &Container, spreads: bool) -> bool {
    matches!(container, Container::Specifier(specifier) if specifier.is_open(spreads))
}

fn holds_deeper(container: &Container, spreads: bool) -> bool {
    let Container::Specifier(specifier) = container else { return false };
    // A list goes through `every` itself.
    let spreads = spreads || matches!(**specifier, Specifier::Every { .. } | Specifier::Filter { .. });
    let Some(inner) = specifier.container() else { return false };
    is_open(inner, spreads) || holds_deeper(inner, spreads)
}
