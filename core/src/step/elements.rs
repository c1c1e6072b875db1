//! `iac_mcp_get_elements`

mod folds;
mod notes;
mod series;

use std::sync::Arc;

use serde_json::{Map, Value as Json, json};

use super::compare::{self, comparable};
use super::first::First;
use super::names::{self, Objects};
use super::occurrence::{self, Within};
use super::owner::{self, Outer};
use super::repeated::{Repeated, say_once};
use super::show::{self, Shown, largest, show, value};
use super::{Step, Then, World, done, held, in_app, query};
pub(super) use series::Filling;

use crate::action::{Column, Deed, Elements, Groups, Rank, View};
use crate::app::App;
use crate::call::{GetElements, Range};
use crate::change;
use crate::dictionary::Dictionary;
use crate::fault::{Code, Fault};
use crate::filter::{Compare, Filter};
use crate::identity::{Identity, identity};
use crate::labels;
use crate::osa_error::OsaError;
use crate::permission::may_read;
use crate::plan;
use crate::reply::Reply;
use crate::specifier::{By, Container, Id, Mark, Member, Path, Segment, read_source};
use crate::value::Value;
use crate::words::RefId;

/// # Source
/// Calendar's dictionary: an event has one start date and a `recurrence`; its occurrences are not elements.
const SERIES: &str = "Calendar stores a repeating event once, and this answer counts it once, by its first date; to take its occurrences, filter by a span such as `start date >= today and start date < today + 7 days` and leave out `recurrence`";

/// Finder's word for all that is in a folder, at any depth.
const ENTIRE_CONTENTS: &str = "entire contents";

/// The size of the parts around the elements of an answer, in bytes.
const ENVELOPE: usize = 200;

/// Elements while the app is asked for them.
#[derive(Debug)]
pub(super) struct Listing {
    wanted: Elements,
    /// The reference of the container, if one was given.
    container: Option<String>,
    fallback: Option<Path>,
    resolved_as: Option<String>,
    /// The range of positions in the container, if the call names one: `messages 1 thru 5`.
    range: Option<Range>,
    first: Option<First>,
    within: Within,
}

pub(super) fn start(call: &GetElements, first: Option<First>, world: &mut World<'_>) -> Result<Step, Fault> {
    let app = world.apps.find(&app_of(call, world)?)?;
    let dictionary = app.dictionary()?;
    let mut containers = Vec::new();
    let mut fallback = None;
    for container in &call.containers {
        let found = container.resolve_all(dictionary, &mut *held(world.references, app, world.now))?;
        fallback = found.fallback;
        // Two occurrences of one series have the same container.
        if !containers.contains(&found.path) {
            containers.push(found.path);
        }
    }
    let mut call = call.clone();
    if call.element.is_empty() {
        call.element = any_element(containers.first().map(Path::class).unwrap_or_default(), dictionary)?;
    }
    let owner = containers.first().filter(|path| path.collection(dictionary, &call.element).is_err());
    if let Some(class) = owner.and_then(|path| dictionary.meant_element(path.class(), &call.element)) {
        call.element.clone_from(&class.name);
    }
    if let Some(outer) = with_contents(&containers, &call.element, dictionary) {
        (containers, call.recursive) = (outer, true);
    }
    if call.recursive {
        // A folder inside another one of the list is read with that one.
        let all = containers.clone();
        let is_read = |path: &Path, outer: &Path| outer.class() == path.class() && all.contains(outer);
        containers.retain(|path| !path.containers().any(|outer| is_read(path, outer)));
    }
    let call = &call;
    if let Some(class) =
        containers.iter().find_map(|container| repeated(container, &call.element, dictionary))
    {
        return Err(leads_back(class));
    }
    let Some(container) = containers.first() else {
        return Ok(done(empty(&app.bundle_id), 0));
    };
    let collection = container.collection(dictionary, &call.element)?;
    for other in &containers {
        if other.collection(dictionary, &call.element)?.identifier != collection.identifier {
            return Err(other_kind(&call.element));
        }
    }
    let fallback = fallback.filter(|_| containers.len() == 1);
    let container = match call.containers.as_slice() {
        [Container::Reference(id)] => Some(id.to_string()),
        _ => None,
    };
    let inner = call.recursive.then(|| inner(&containers, &collection, dictionary)).transpose()?;
    let place = Place { containers, collection, inner };
    let wanted = wanted(call, place, first.is_none(), app, dictionary, world)?;
    let within = Within::of(&call.references(), world);
    let listing =
        Listing { wanted, container, fallback, resolved_as: None, range: call.range, first, within };
    Ok(listing.ask(app, 0, world))
}

/// The answer if there is nothing to list.
pub(super) fn empty(app: &str) -> Json {
    json!({ "app": app, "elements": [], "count": 0, "totalCount": 0, "hasMore": false })
}

/// The class of all elements of a container: its only class, or the common base class of all, such as a Finder item.
fn any_element(owner: &str, dictionary: &Dictionary) -> Result<String, Fault> {
    let held = dictionary.elements(owner);
    let classes: Vec<&str> =
        held.iter().filter(|each| !each.hidden).map(|each| each.class.as_str()).collect();
    let is_all = |class: &&&str| classes.iter().all(|other| dictionary.is_a(other, class));
    classes.iter().find(is_all).map(|class| (*class).to_owned()).ok_or_else(|| {
        let message = format!(
            "`elementType` is missing, and `{owner}` has elements of these classes: {}",
            classes.join(", ")
        );
        let fault = Fault::new(Code::InvalidParameter, message, "name one of them as `elementType`");
        fault.with("parameter", "elementType").with("near", classes.clone())
    })
}

/// The containers without `entire contents`, which `recursive` reads; `None` if the words mean something else.
fn with_contents(containers: &[Path], element: &str, dictionary: &Dictionary) -> Option<Vec<Path>> {
    let is_whole = |path: &Path| matches!(path.last(), Some((_, Segment::Property(member))) if member.term == ENTIRE_CONTENTS);
    if containers.is_empty() || !containers.iter().all(is_whole) {
        return None;
    }
    let outer: Vec<Path> = containers.iter().map(|path| path.without(1)).collect();
    let collection = outer.first()?.collection(dictionary, element).ok()?;
    inner(&outer, &collection, dictionary).is_ok().then_some(outer)
}

fn app_of(call: &GetElements, world: &mut World<'_>) -> Result<String, Fault> {
    match (&call.app, call.references().first()) {
        (Some(app), _) => Ok(app.clone()),
        (None, Some(id)) => Ok(world.references.touch(*id, world.now)?.object.app.to_string()),
        (None, None) => Ok(String::new()),
    }
}

/// The class through which a path leads twice, because a property of its elements leads back. The app would list each
/// element once for every element on the path, and again for each further repetition.
fn repeated<'p>(path: &'p Path, element: &str, dictionary: &'p Dictionary) -> Option<&'p str> {
    let leaf = dictionary.class(element).map(|class| class.name.as_str()).unwrap_or_default();
    let mut passed: Vec<&str> = Vec::new();
    let mut is_back = false;
    for segment in path.segments() {
        match segment {
            Segment::Property(_) => is_back = !passed.is_empty(),
            Segment::Element(member, By::Every) if is_back && passed.contains(&member.class.as_str()) => {
                return Some(&member.class);
            }
            Segment::Element(member, By::Every) => passed.push(&member.class),
            Segment::Element(..) => {}
        }
    }
    passed.into_iter().find(|class| is_back && *class == leaf)
}

fn leads_back(class: &str) -> Fault {
    let message = format!(
        "the path leads from every {class} back to every {class}, so each would be listed many times"
    );
    let suggestion = "name the container that holds them all, or list the containers first";
    Fault::new(Code::InvalidSpecifier, message, suggestion)
}

fn other_kind(element: &str) -> Fault {
    let message = format!("`container`: `{element}` is not the same collection in all of these containers");
    Fault::new(Code::InvalidParameter, message, "make one call for each kind of container")
}

/// Finds the collection that leads from a container to further containers of the same elements: folders of a folder.
fn inner(
    containers: &[Path],
    collection: &Arc<Member>,
    dictionary: &Dictionary,
) -> Result<Arc<Member>, Fault> {
    let holds = |class: &str, element: &str| dictionary.element(class, element).is_some();
    let outer = containers.first().map(Path::class).unwrap_or_default();
    let leads_on = |class: &str| holds(class, class) && holds(class, &collection.class);
    let classes = dictionary.elements(outer).into_iter().map(|element| element.class.clone());
    let held: Vec<String> =
        std::iter::once(outer.to_owned()).chain(classes).filter(|class| leads_on(class)).collect();
    let own = collection.class.as_str();
    if holds(own, own) {
        let wider = wider(own, &held, dictionary);
        return match wider {
            Some(class) => {
                Ok(containers.first().cloned().unwrap_or_default().collection(dictionary, class)?)
            }
            None => Ok(Arc::clone(collection)),
        };
    }
    let missing = || {
        let message = format!(
            "`recursive`: no class in {outer} holds both `{}` and others of its own kind",
            collection.term
        );
        let suggestion = "leave `recursive` out, and name the containers: every … of every …";
        Fault::new(Code::InvalidParameter, message, suggestion).with("parameter", "recursive")
    };
    let class = held.first().ok_or_else(missing)?;
    Ok(containers.first().cloned().unwrap_or_default().collection(dictionary, class)?)
}

/// The widest class in `held` that `class` inherits from, if containers of other classes can be on the way down. Most
/// buttons of System Events are in groups, but a folder of Finder is only in folders.
fn wider<'h>(class: &str, held: &'h [String], dictionary: &Dictionary) -> Option<&'h String> {
    let is_a = |one: &str, other: &str| dictionary.is_a(one, other);
    let has_others = held.iter().any(|other| !is_a(other, class) && !is_a(class, other));
    let mut wider = held.iter().filter(|other| *other != class && is_a(class, other));
    let first = wider.next().filter(|_| has_others)?;
    Some(wider.fold(first, |widest, other| if is_a(widest, other) { other } else { widest }))
}

/// The place in which elements are searched.
struct Place {
    containers: Vec<Path>,
    collection: Arc<Member>,
    inner: Option<Arc<Member>>,
}

fn wanted(
    call: &GetElements,
    place: Place,
    is_shown: bool,
    app: &App,
    dictionary: &Dictionary,
    world: &World<'_>,
) -> Result<Elements, Fault> {
    let costs = world.learned.costs(&app.bundle_id);
    let Place { containers, collection, inner } = place;
    let class = collection.class.clone();
    let outer = Outer { containers: &containers, is_recursive: inner.is_some(), gate: world.gate };
    let mut columns = Columns { app, dictionary, class: &class, outer, home: world.home, known: Vec::new() };
    for term in &call.properties {
        columns.show(term)?;
    }
    // Without properties the answer would be a list of ids, so it also gives the usual name of each element.
    let is_bare = call.properties.is_empty() && call.group_by.is_empty() && call.aggregate.is_empty();
    let label = match is_shown && is_bare && call.limit > 0 {
        true => change::label(&app.bundle_id, dictionary, &class),
        false => None,
    };
    // A rule against reading the name is not a reason to refuse the requested values.
    let label = label.filter(|term| may_read(term, app, world.gate, world.now));
    let label = label.map(|term| columns.place(&term)).transpose()?;
    let wanted = columns.known.len();
    let is_grouped = !call.group_by.is_empty() || !call.aggregate.is_empty();
    let sort = call.sort.iter().filter(|_| !is_grouped);
    let sort =
        sort.map(|(term, down)| Ok((columns.place(term)?, *down))).collect::<Result<Vec<_>, Fault>>()?;
    let text =
        call.filter_text.as_deref().map(|text| Filter::from_text(text, &class, dictionary)).transpose()?;
    let filter = match (call.filter.clone(), text) {
        (Some(one), Some(other)) => Some(Filter::And(vec![one, other])),
        (one, other) => one.or(other),
    };
    let filter = filter.map(|filter| filter.map(&mut |compare| columns.compare(compare))).transpose()?;
    let groups = columns.groups(call)?;
    let sort = groups.as_ref().map_or(sort, Groups::keys_in_order);
    let inside = series::inner(&app.bundle_id, &class, &containers, dictionary).map(|path| vec![path]);
    let within = inside.as_ref().unwrap_or(&containers);
    let grouped = groups.as_ref().map(Groups::columns).unwrap_or_default();
    let chosen_by: Vec<usize> = sort.iter().map(|(column, _)| *column).chain(grouped).collect();
    // A filter by date selects occurrences, both in a list and in a lookup for another part of a call. If nothing
    // repeats, a lookup reads from the app itself.
    let by_date = inner.is_none() && (is_shown || series::is_repeating(&app.bundle_id, &class));
    let series = if by_date { columns.series(filter.as_ref(), &chosen_by, within, world) } else { None };
    let known = columns.known;
    // The server makes the groups of occurrences itself.
    let wanted = if series.is_some() && groups.is_some() { known.len() } else { wanted };
    let containers = inside.filter(|_| series.is_some()).unwrap_or(containers);
    let filter: Option<Filter<usize>> = filter;
    let closed = match inner {
        Some(_) => containers.iter().map(|container| world.gate.left_out(app, container)).collect(),
        None => Vec::new(),
    };
    let mut elements = Elements {
        containers,
        inner,
        closed,
        collection,
        identity: identity(dictionary, &class),
        mark: change::mark(&app.bundle_id, dictionary, &class),
        filter: filter.map(|filter| filter.cheap_first(&|column| known[column].long)),
        columns: known,
        wanted,
        label,
        whose: false,
        sort,
        groups,
        series,
        limit: call.limit,
        offset: call.offset,
        range: call.range.filter(|range| range.first < 0).map(|range| (range.first, range.count)),
        text: call.text,
    };
    elements.whose = !elements.is_spread()
        && !elements.looks_up()
        && elements.series.is_none()
        && elements.groups.is_none()
        && plan::by_whose(&costs, &elements);
    Ok(elements)
}

/// The properties that are read, each once.
struct Columns<'a> {
    app: &'a App,
    dictionary: &'a Dictionary,
    class: &'a str,
    outer: Outer<'a>,
    home: &'a str,
    known: Vec<Column>,
}

impl Columns<'_> {
    fn place(&mut self, term: &str) -> Result<usize, Fault> {
        self.column(term).map(|new| self.put(new))
    }

    /// A column to show under the name that was asked for, even if it is known under another one.
    fn show(&mut self, term: &str) -> Result<(), Fault> {
        let new = self.column(term)?;
        match self.known.iter_mut().find(|known| known.is_as(&new)) {
            Some(known) if known.names().any(|known| known.shown() == new.shown()) => {
                known.other = known.other.take().or(new.other);
            }
            Some(known) => known.also.push(new),
            None => self.known.push(new),
        }
        Ok(())
    }

    fn column(&self, term: &str) -> Result<Column, Fault> {
        self.outer.column(self.app, self.dictionary, self.class, term)
    }

    fn put(&mut self, new: Column) -> usize {
        if let Some(place) = self.known.iter().position(|known| known.is_as(&new)) {
            return place;
        }
        self.known.push(new);
        self.known.len() - 1
    }

    /// The same for a group: containers in the path of the list are read once each, and are known even if they are
    /// empty.
    fn place_of_owner(&mut self, term: &str) -> Result<usize, Fault> {
        match self.outer.owner_of_every(self.app, self.dictionary, self.class, term) {
            Some(column) => Ok(self.put(column)),
            None => self.place(term),
        }
    }

    fn compare(&mut self, compare: Compare<String>) -> Result<Filter<usize>, Fault> {
        let column = self.column(&compare.property)?;
        let comparable = |column: &Column, compare: &Compare<String>| {
            comparable(compare, column, self.dictionary, self.home)
        };
        compare::check_birthday(&column, &compare)?;
        if let Some(numbers) = compare::numbered(&self.app.bundle_id, &column, &compare)? {
            return numbers.map(&mut |side| self.compare(side));
        }
        // A day, a week and a year are spans of time that contain the date itself. So the app's own filter, an index
        // and the occurrences of a series can use them too.
        if let Some((date, ends)) = compare::spanned(&column, &compare) {
            let side =
                |value: String| comparable(&date, &Compare { value: Json::from(value), ..compare.clone() });
            let [begin, end] = ends;
            let ends = [side(begin)?, side(end)?];
            return Ok(Filter::of_span(self.put(date), compare.operator, ends));
        }
        let value = comparable(&column, &compare)?;
        let kept = labels::kept(&self.app.bundle_id, &column.term, &compare);
        let (property, operator) = (self.put(column), compare.operator);
        Ok(Filter::of_forms(property, operator, std::iter::once(value).chain(kept)))
    }
}

impl Columns<'_> {
    /// Reads the grouping of elements; without one, everything is one group if there are aggregates.
    fn groups(&mut self, call: &GetElements) -> Result<Option<Groups>, Fault> {
        if call.group_by.is_empty() && call.aggregate.is_empty() {
            return Ok(None);
        }
        let mut by = Vec::new();
        for term in &call.group_by {
            let is_container = term == "container" && self.dictionary.property(self.class, term).is_none();
            by.push(if is_container { None } else { Some(self.place_of_owner(term)?) });
        }
        let mut of = Vec::new();
        for (fold, term) in &call.aggregate {
            let column = self.place(term)?;
            folds::check(*fold, &self.known[column], term, self.dictionary)?;
            of.push((*fold, column));
        }
        let sort = match call.sort.as_slice() {
            [] => vec![(Rank::Count, true)],
            sort => sort
                .iter()
                .map(|(term, down)| Ok((folds::rank(call, term)?, *down)))
                .collect::<Result<_, Fault>>()?,
        };
        Ok(Some(Groups { by, of, sort }))
    }
}

impl Listing {
    /// Whether a call waits for the answer.
    pub(super) fn looks_up(&self) -> bool {
        self.first.as_ref().is_some_and(First::has_call)
    }

    fn ask(self, app: &App, events: u64, world: &World<'_>) -> Step {
        let deed = Deed::Elements(Box::new(self.wanted.clone()));
        in_app(app, deed, events, Then::Elements(Box::new(self)), world)
    }

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

    fn answered(
        mut self,
        reply: Reply,
        app: &str,
        events: u64,
        world: &mut World<'_>,
    ) -> Result<Step, Fault> {
        let app = world.apps.find(app)?;
        let answer = match reply.result {
            Ok(answer) => answer,
            Err(error) if error.is_missing_object() => {
                let Some(path) = self.fallback.take() else {
                    let [container] = self.wanted.containers.as_slice() else {
                        return Err(self.missing(app));
                    };
                    let dictionary = app.dictionary()?;
                    let path = query::without_contents(container, dictionary);
                    let named = std::iter::once(path).chain(path.containers()).find_map(Path::name);
                    let collection = &self.wanted.collection;
                    // The app may have the container, but not list elements of this kind in it.
                    let is_listed = dictionary.element(container.class(), &collection.class).is_some();
                    let path = match is_listed {
                        true => container.clone(),
                        false => container.then(Segment::Element(collection.clone(), By::Every)),
                    };
                    return match (named, &self.container) {
                        (Some(_), None) => query::offer_names(&path, self.first, app, events, world),
                        _ => Err(self.missing(app)),
                    };
                };
                self.resolved_as = Some(path.to_string());
                self.wanted.containers = vec![path];
                return Ok(self.ask(app, events, world));
            }
            Err(error) if error.is_moved() => return Err(self.moved(&error, app, world)),
            Err(error) => return Err(error.to_fault(&app.bundle_id, &app.name)),
        };
        if self.wanted.series.is_some() {
            return self.occurrences(answer, app, events, world);
        }
        if let Some(size) = answer.get("scanned").and_then(Json::as_u64) {
            let size = usize::try_from(size).unwrap_or(usize::MAX);
            if let [container] = self.wanted.containers.as_slice() {
                world.learned.seen(&app.bundle_id, container, &self.wanted.collection, size);
            }
        }
        let mut objects = Objects::new();
        let body = self.body(&answer, reply.reason, &mut objects, app, world)?;
        if let Some(first) = self.first.take() {
            return first.found(&body, events, world);
        }
        // A plugin needs no names for ids.
        if world.gate.plugin.is_some() {
            objects.clear();
        }
        Ok(names::told(body, &objects, app, (events, reply.strategy), world))
    }

    /// The error if another object has taken the container's place.
    fn moved(&self, error: &OsaError, app: &App, world: &mut World<'_>) -> Fault {
        let fault = error.to_fault(&app.bundle_id, &app.name);
        let Some(id) = &self.container else { return fault };
        if let Some(id) = RefId::parse(id) {
            world.references.fail(id);
        }
        fault.with("reference", id.as_str())
    }

    fn missing(&self, app: &App) -> Fault {
        let containers: Vec<String> = self.wanted.containers.iter().map(Path::to_string).collect();
        let message = format!("{} has no {}", app.name, containers.join(", or no "));
        let property = match self.wanted.containers.as_slice() {
            [only] => {
                only.last().filter(|(_, segment)| matches!(segment, Segment::Property(_))).map(|_| only)
            }
            _ => None,
        };
        let suggestion = match property {
            Some(property) => format!(
                "if `{property}` holds a list of objects, read these with iac_mcp_get_properties, which takes it as `reference`"
            ),
            None => "query the container again with iac_mcp_query_object".to_owned(),
        };
        let fault = Fault::new(Code::ReferenceInvalid, message, suggestion);
        match &self.container {
            Some(id) => fault.with("reference", id.as_str()),
            None => fault,
        }
    }

    fn body(
        &self,
        answer: &Json,
        reason: Option<String>,
        objects: &mut Objects,
        app: &App,
        world: &mut World<'_>,
    ) -> Result<Json, Fault> {
        let dictionary = app.dictionary()?.clone();
        let total = answer.get("total").and_then(Json::as_u64).unwrap_or_default() as usize;
        if let Some(groups) = answer.get("groups") {
            let mut body = self.groups(groups, total, reason, objects, app, world);
            self.with_dates(&mut body, &answer["dates"]);
            self.with_unmet(&mut body, answer, &dictionary, world);
            self.with_unread(&mut body, &answer["unread"], app, &dictionary)?;
            self.with_skipped(&mut body, &answer["skipped"], app, &dictionary);
            self.with_empty_groups(&mut body, &dictionary);
            self.with_elsewhere(&mut body, app);
            return Ok(body);
        }
        let rows = answer.get("rows").and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
        let rows = self.in_range(rows, total);
        let mut elements = Vec::new();
        let mut size = ENVELOPE;
        let mut repeated = Repeated::default();
        for (at, row) in rows.iter().enumerate() {
            let mut element = self.element(row, &dictionary, objects, app, world);
            // A plugin looks for an error beside its object, so it stays there.
            if world.gate.plugin.is_none() {
                repeated.take(at, &mut element);
            }
            size += element.to_string().len() + 1;
            // The limit is for answers to the client, and not for a list that only a later step of the call reads.
            if size > largest(world) && !elements.is_empty() && self.first.is_none() {
                break;
            }
            elements.push(element);
        }
        let mut body = json!({ "app": &*app.bundle_id, "type": self.wanted.collection.class });
        say_once("container", &mut elements, &mut body);
        repeated.tell(&mut elements, &mut body);
        self.with_counts(&mut body, elements, rows.len(), total);
        self.told(&mut body, reason);
        self.with_dates(&mut body, &answer["dates"]);
        self.with_unmet(&mut body, answer, &dictionary, world);
        self.with_unread(&mut body, &answer["unread"], app, &dictionary)?;
        self.with_skipped(&mut body, &answer["skipped"], app, &dictionary);
        self.with_elsewhere(&mut body, app);
        Ok(body)
    }

    /// The rows without those behind the end of a range, because only the app's answer tells where `messages 2 thru -2`
    /// ends.
    fn in_range<'r>(&self, rows: &'r [Json], total: usize) -> &'r [Json] {
        let Some(range) = self.range.filter(|range| range.left_out > 0) else { return rows };
        let passed = usize::try_from(self.wanted.offset - range.first).unwrap_or(usize::MAX);
        &rows[..rows.len().min(range.of(total).saturating_sub(passed))]
    }

    fn with_counts(&self, body: &mut Json, elements: Vec<Json>, read: usize, total: usize) {
        let count = elements.len();
        // A negative offset counts from the end.
        let back = usize::try_from(self.wanted.offset.unsigned_abs()).unwrap_or(usize::MAX);
        let (from, total) = match self.range {
            Some(range) => {
                ((self.wanted.offset - range.first).try_into().unwrap_or(usize::MAX), range.of(total))
            }
            None if self.wanted.offset < 0 => (total.saturating_sub(back), total),
            None => (back, total),
        };
        let next = from + count;
        // A count has read everything that was requested.
        let has_more = next < total && self.wanted.limit > 0;
        body["elements"] = Json::from(elements);
        body["count"] = json!(count);
        body["totalCount"] = json!(total);
        body["hasMore"] = json!(has_more);
        if has_more {
            body["nextOffset"] = json!(next);
        }
        if count < read {
            body["note"] = json!(format!(
                "only {count} of {read} elements fit into this answer; continue with offset {next}, or ask for fewer properties or a smaller textLimit"
            ));
        }
    }

    /// Whether events are selected, ordered or counted by their dates in an app that stores a series once.
    fn is_about_dates_of_series(&self, app: &str) -> bool {
        let filter = self.wanted.filter.as_ref().map(Filter::columns).unwrap_or_default();
        let groups = self.wanted.groups.as_ref().map(Groups::columns).unwrap_or_default();
        let sort = self.wanted.sort.iter().map(|(column, _)| *column);
        let is_date = |column: usize| {
            let Column { kind, view, up, .. } = &self.wanted.columns[column];
            let is_part = matches!(view, Some(View::Part(_)));
            *up == 0 && (is_part || kind.0.iter().any(|kind| kind.name == "date"))
        };
        let is_repeating = series::is_repeating(app, &self.wanted.collection.class);
        is_repeating
            && self.wanted.series.is_none()
            && filter.into_iter().chain(groups).chain(sort).any(is_date)
    }

    /// Adds the fields about the whole answer.
    fn told(&self, body: &mut Json, reason: Option<String>) {
        if let Some(reason) = reason {
            body["complete"] = json!(false);
            body["reason"] = json!(reason);
        }
        if let Some(words) = &self.resolved_as {
            body["resolvedAs"] = json!(words);
        }
        let other = |column: &Column| Some((column.other.clone()?, json!(column.term)));
        let read_as: Map<String, Json> =
            self.wanted.columns.iter().flat_map(Column::names).filter_map(other).collect();
        if !read_as.is_empty() {
            body["readAs"] = Json::Object(read_as);
        }
        if self.is_about_dates_of_series(body["app"].as_str().unwrap_or_default()) {
            body["note"] = json!(SERIES);
        }
        if self.wanted.wanted > 0 || self.wanted.groups.is_some() {
            body["untrusted"] = json!(true);
        }
    }

    /// Whether a column names each element's container, by its own property or through one such as `container`.
    fn names_the_container(&self, dictionary: &Dictionary) -> bool {
        let class = self.wanted.containers.first().map(Path::class).unwrap_or_default();
        let leads_there = |term: &str| {
            let property = dictionary.property(&self.wanted.collection.class, term);
            let kinds = property.iter().flat_map(|property| &property.kind.0);
            term == "container"
                || kinds.into_iter().any(|kind| !kind.list && dictionary.is_a(class, &kind.name))
        };
        let mut columns = self.wanted.columns.iter().take(self.wanted.wanted);
        columns.any(|column| {
            let own = || column.term.split_once('.').is_some_and(|(first, _)| leads_there(first));
            let is_path = column.view == Some(View::Path);
            column.up == 1 || (column.up == 0 && !class.is_empty() && (is_path || own()))
        })
    }

    /// A container in words. The answer names each container that only an id identifies.
    fn place(
        &self,
        container: Option<Path>,
        objects: &mut Objects,
        app: &App,
        world: &World<'_>,
    ) -> Option<String> {
        let container = container?;
        // EventKit answers although the app is closed, and an event would open it.
        if self.wanted.series.is_none() {
            names::around(&container, objects);
        }
        show::place(&container, app, world)
    }

    fn reads_the_name(&self) -> bool {
        let Identity::Name(name) = &self.wanted.identity else { return false };
        let mut read = self.wanted.columns.iter().take(self.wanted.wanted);
        self.wanted.label.is_none() && read.any(|column| column.identifiers == [name.clone()])
    }

    /// The container that a row is from, by its number among those that were named, or as the app shows it.
    fn from(&self, from: &Json, dictionary: &Dictionary) -> Option<Path> {
        match from.get(1).and_then(Json::as_str) {
            Some(source) => read_source(dictionary, source),
            None => {
                let number = from.get(0).and_then(Json::as_u64).unwrap_or_default() as usize;
                self.wanted.containers.get(number).cloned()
            }
        }
    }

    fn element(
        &self,
        row: &Json,
        dictionary: &Dictionary,
        objects: &mut Objects,
        app: &App,
        world: &mut World<'_>,
    ) -> Json {
        let empty = Json::Null;
        let cell = |at: usize| row.get(at).unwrap_or(&empty);
        let by = self.by(cell(0), cell(1), cell(3));
        let container = self.from(cell(4), dictionary);
        let mut name = None;
        let mut fields: Map<String, Json> = Map::new();
        match &container {
            Some(container) => {
                let path = container.then(Segment::Element(self.wanted.collection.clone(), by));
                let stable = path.is_stable();
                name = show::name(&path, app, world);
                let id = match cell(5).as_str() {
                    Some(date) => occurrence::remember(path, date, app, world),
                    None => self.within.remember(path, app, world),
                };
                fields.insert("id".to_owned(), json!(id.to_string()));
                if !stable {
                    fields.insert("stable".to_owned(), json!(false));
                }
            }
            // The app shows the container in a form that cannot be read back.
            None => {
                fields.insert("id".to_owned(), Json::Null);
            }
        }
        let cells = cell(2);
        let label = self.wanted.label.and_then(|label| cells.get(label));
        let label = label.map(|cell| value(cell, None, dictionary)).filter(|value| *value != Value::Null);
        let name = label.map(|value| show(&value, app, world)).or_else(|| name.map(Json::from));
        // The client asked for the name as a property, so the answer has it there.
        if let Some(name) = name.filter(|_| !self.reads_the_name()) {
            fields.insert("name".to_owned(), name);
        }
        if let Some(date) = cell(5).as_str() {
            fields.insert("occurrence".to_owned(), json!(date));
        }
        if self.wanted.is_spread() && !self.names_the_container(dictionary) {
            fields.insert("container".to_owned(), json!(self.place(container, objects, app, world)));
        }
        if self.wanted.wanted > 0 && self.wanted.label.is_none() {
            let mut shown = Shown { in_words: Some(std::mem::take(objects)), ..Shown::default() };
            let cells = cells.as_array().map(Vec::as_slice).unwrap_or_default();
            for (column, cell) in self.wanted.columns.iter().zip(cells) {
                let is = value(cell, Some(&column.kind), dictionary);
                for column in column.names() {
                    shown.add(column.shown(), &is, app, world);
                    if let Some(error) = shown.errors.get_mut(column.shown()) {
                        owner::with_less(error, column);
                    }
                }
            }
            *objects = shown.in_words.take().unwrap_or_default();
            shown.into_fields(&mut fields);
        }
        Json::Object(fields)
    }

    fn by(&self, identity: &Json, place: &Json, mark: &Json) -> By {
        match (identity, &self.wanted.identity) {
            (Json::String(name), Identity::Name(_)) => By::Name(name.clone()),
            (Json::String(id), _) => By::Id(Id::Text(id.clone())),
            (Json::Number(id), Identity::Id(_)) if id.is_i64() => {
                By::Id(Id::Number(id.as_i64().unwrap_or_default()))
            }
            _ => {
                let index = place.as_u64().and_then(|index| u32::try_from(index).ok()).unwrap_or(u32::MAX);
                Mark::of(self.wanted.mark.clone(), mark)
                    .map_or(By::Index(index), |mark| By::Place(index, mark))
            }
        }
    }
}
