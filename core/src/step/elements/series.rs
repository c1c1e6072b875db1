//! Events by their dates: a series is listed by its occurrences.

use std::cmp::Ordering;
use std::sync::Arc;

use indexmap::IndexMap;
use serde_json::{Value as Json, json};

use super::{Columns, Listing};
use crate::action::{ByIndex, Column, Deed, Elements, Groups, Rank, Series, TimePart, View, Wanted};
use crate::app::App;
use crate::change;
use crate::dictionary::{Dictionary, Identifier};
use crate::fault::{Code, Fault};
use crate::filter::{Filter, Fold, Operator};
use crate::foreign;
use crate::moment::Part;
use crate::permission::may_read;
use crate::reply::Reply;
use crate::series::{Asked, Chose, Chosen, Dated, Index, Zone, agree, choose, dated};
use crate::specifier::{By, Path, Segment};
use crate::step::names::{self, Objects};
use crate::step::{Step, Then, World, in_app};

/// A page of occurrences while more properties of its elements are read.
#[derive(Debug)]
pub(in crate::step) struct Filling {
    listing: Listing,
    /// The result of the first script.
    found: Json,
    chosen: Chosen,
    /// The columns that it did not read.
    missing: Vec<usize>,
    /// The index of each row of the page among the objects that are read.
    places: Vec<Option<usize>>,
}

/// The time for the properties of one page, in milliseconds; a longer page is cut.
const FILLING: f64 = 8_000.0;

/// The title of an element's container, as `index.js` reads it.
const TITLE: &str = "calendarTitle";

/// The text of a cell that the first script did not read.
const UNREAD: &str = "unread";

impl Columns<'_> {
    /// Adds the columns that occurrences need, if the filter asks for a span of time.
    pub(super) fn series(
        &mut self,
        filter: Option<&Filter<usize>>,
        chosen_by: &[usize],
        containers: &[Path],
        world: &World<'_>,
    ) -> Option<Series> {
        let entry = dated(&self.app.bundle_id, self.class)?;
        let known = self.known.len();
        let found = self.dates(entry, filter?, chosen_by, containers, world);
        if found.is_none() {
            self.known.truncate(known);
        }
        found
    }

    fn dates(
        &mut self,
        entry: &'static Dated,
        filter: &Filter<usize>,
        chosen_by: &[usize],
        containers: &[Path],
        world: &World<'_>,
    ) -> Option<Series> {
        let others = [&entry.end, &entry.whole_days, &entry.rule, &entry.excluded];
        // A rule against reading one of them is not a reason to refuse the requested values.
        let mut terms = std::iter::once(&entry.start).chain(others.into_iter().flatten());
        if !terms.all(|term| may_read(term, self.app, world.gate, world.now)) {
            return None;
        }
        let start = self.place(&entry.start).ok()?;
        let [end, days, rule, excluded] = others.map(|term| term.as_ref().map(|term| self.place(term)));
        let (end, days) = (end.transpose().ok()?, days.transpose().ok()?);
        let (rule, excluded) = (rule.transpose().ok()?, excluded.transpose().ok()?);
        let done = self.known.iter().position(|column| Some(&column.term) == entry.done.as_ref());
        let columns = filter.columns();
        // A filter by the rule selects stored series and not occurrences.
        let is_about_rules = columns.iter().any(|column| [rule, excluded].contains(&Some(*column)));
        let times: Vec<usize> = std::iter::once(start).chain(end).collect();
        if is_about_rules || !(has_bound(filter, &times) || wants_open(filter, done)) {
            return None;
        }
        let done = done.filter(|done| columns.contains(done));
        let part = |(at, column): (usize, &Column)| match column.view {
            Some(View::Part(part)) if column.up == 0 => {
                let is_of = |time: &usize| self.known[*time].identifiers == column.identifiers;
                let of_end = times.iter().position(is_of)? == 1;
                Some(TimePart { column: at, of_end, part })
            }
            _ => None,
        };
        let parts: Vec<TimePart> = self.known.iter().enumerate().filter_map(part).collect();
        let title = self.dictionary.property(&entry.container, &entry.title)?;
        let title = Identifier::of(&title.name)?;
        let is_part = |column: &usize| parts.iter().any(|part| part.column == *column);
        let used = filter.columns().into_iter().chain(chosen_by.iter().copied());
        let used: Vec<usize> = used.filter(|column| !is_part(column)).collect();
        let index = entry.index.as_ref().and_then(|library| self.index(library, entry, &used, containers));
        // Without series and without an index, this way of reading has no advantage.
        (rule.is_some() || index.is_some()).then_some(Series {
            start,
            end,
            days,
            rule,
            excluded,
            done,
            parts,
            title,
            index,
        })
    }

    /// The library, if it has all properties that choose elements, and all elements of the containers.
    fn index(
        &self,
        library: &'static Index,
        entry: &Dated,
        used: &[usize],
        containers: &[Path],
    ) -> Option<ByIndex> {
        let is_whole = |path: &Path| matches!(path.segments().as_slice(), [Segment::Element(member, _)] if member.class == entry.container);
        // The library has only the title of a container.
        let title = self.dictionary.property(&entry.container, &entry.title);
        let title = title.and_then(|title| Identifier::of(&title.name));
        let value = |column: &Column| match column.up {
            0 => Some(library.values.get(&column.term).map(String::as_str)),
            1 => (title.as_slice() == column.identifiers).then_some(Some(TITLE)),
            _ => None,
        };
        let values: Option<Vec<Option<&'static str>>> = self.known.iter().map(value).collect();
        let values = values?;
        // Other columns are read from the app, for one page.
        let is_known = used.iter().all(|column| values[*column].is_some());
        let (_, class) = self.dictionary.element("application", &entry.container)?;
        let containers_have_it = containers.iter().all(is_whole);
        let containers = Identifier::of(&class.plural)?;
        (is_known && containers_have_it).then_some(ByIndex { library, values, containers })
    }
}

/// The containers of elements, if the list asks the application itself for them. A partial answer names the containers
/// that it did not read, and an index is asked by container.
pub(super) fn inner(app: &str, class: &str, containers: &[Path], dictionary: &Dictionary) -> Option<Path> {
    let entry = dated(app, class).filter(|entry| entry.rule.is_none())?;
    let [container] = containers else { return None };
    let collection = container.collection(dictionary, &entry.container).ok()?;
    container.last().is_none().then(|| container.then(Segment::Element(collection, By::Every)))
}

/// Whether the app stores elements of a class as series.
pub(super) fn is_repeating(app: &str, class: &str) -> bool {
    dated(app, class).is_some_and(|entry| entry.rule.is_some())
}

/// Whether a filter accepts only open elements.
fn wants_open(filter: &Filter<usize>, done: Option<usize>) -> bool {
    match filter {
        Filter::Compare(compare) if Some(compare.property) == done => match compare.operator {
            Operator::Equal => compare.value == json!(false),
            Operator::NotEqual => compare.value == json!(true),
            _ => false,
        },
        Filter::And(filters) => filters.iter().any(|filter| wants_open(filter, done)),
        Filter::Or(filters) => filters.iter().all(|filter| wants_open(filter, done)),
        Filter::Compare(_) | Filter::Not(_) => false,
    }
}

/// Whether a filter is about a span of time with at least one end.
fn has_bound(filter: &Filter<usize>, times: &[usize]) -> bool {
    match filter {
        Filter::Compare(compare) => {
            let is_bound = !matches!(compare.operator, Operator::NotEqual) && !compare.value.is_null();
            is_bound && times.contains(&compare.property)
        }
        Filter::And(filters) => filters.iter().any(|filter| has_bound(filter, times)),
        Filter::Or(filters) => filters.iter().all(|filter| has_bound(filter, times)),
        Filter::Not(_) => false,
    }
}

impl Listing {
    /// Continues with the rows that the first script found.
    pub(super) fn occurrences(
        self,
        found: Json,
        app: &App,
        events: u64,
        world: &mut World<'_>,
    ) -> Result<Step, Fault> {
        let Some(series) = &self.wanted.series else { return Err(out_of_form("no series")) };
        let filter = self.wanted.filter.as_ref().map_or(Json::Null, Filter::to_data);
        let parts = parts(series);
        let asked = Asked {
            start: series.start,
            end: series.end,
            parts: &parts,
            filter: &filter,
            sort: &self.wanted.sort,
            offset: if self.wanted.groups.is_some() { 0 } else { self.wanted.offset },
            limit: if self.wanted.groups.is_some() { usize::MAX } else { self.wanted.limit },
        };
        let mut chosen = choose(&found, &asked).map_err(|error| out_of_form(&error.to_string()))?;
        // Later code reads the cells of a row by column, so a shorter row is an error.
        let is_short =
            |row: &Json| row["cells"].as_array().is_none_or(|cells| cells.len() < self.wanted.wanted);
        if found["rows"].as_array().is_none_or(|rows| rows.iter().any(is_short)) {
            return Err(out_of_form("a row has fewer values than were wanted"));
        }
        if let Some(groups) = &self.wanted.groups {
            let offset = usize::try_from(self.wanted.offset).unwrap_or_default();
            let answer = grouped(groups, &found, &chosen, series, (offset, self.wanted.limit));
            return self.told_of(&answer, &found, &chosen, events, app, world);
        }
        let missing = missing(&self.wanted, &found, &chosen);
        if missing.is_empty() {
            return self.listed(&found, &chosen, events, app, world);
        }
        let dictionary = app.dictionary()?.clone();
        let one = world.learned.costs(&app.bundle_id).single * missing.len() as f64;
        let mut objects: Vec<Arc<Wanted>> = Vec::new();
        let mut places = Vec::new();
        for each in &chosen.page {
            let row = &found["rows"][each.row];
            let by = self.by(&row["id"], &row["place"], &row["mark"]);
            let path = self.from(&row["from"], &dictionary);
            let path = path.map(|path| path.then(Segment::Element(self.wanted.collection.clone(), by)));
            let Some(path) = path else {
                places.push(None);
                continue;
            };
            let known = objects.iter().position(|object| object.path == path);
            // The first object is always read, so that every page returns something.
            if known.is_none() && !objects.is_empty() && one * (objects.len() + 1) as f64 > FILLING {
                break;
            }
            places.push(Some(known.unwrap_or(objects.len())));
            if known.is_none() {
                let columns = missing.iter().map(|column| self.wanted.columns[*column].clone()).collect();
                let identity = self.wanted.identity.clone();
                objects.push(Arc::new(Wanted { path, identity, columns: Some(columns), named: Vec::new() }));
            }
        }
        chosen.page.truncate(places.len());
        let sizes = vec![0; objects.len()];
        let deed = Deed::Properties { objects, sizes, text: self.wanted.text };
        let filling = Filling { listing: self, found, chosen, missing, places };
        Ok(in_app(app, deed, events, Then::Occurrences(Box::new(filling)), world))
    }

    fn listed(
        &self,
        found: &Json,
        chosen: &Chosen,
        events: u64,
        app: &App,
        world: &mut World<'_>,
    ) -> Result<Step, Fault> {
        let Some(series) = &self.wanted.series else { return Err(out_of_form("no series")) };
        let zone: Zone = serde_json::from_value(found["zone"].clone()).unwrap_or_default();
        let date = |time: Option<i64>| time.map(|time| json!({ "$": "date", "v": zone.stamp(time) }));
        let row = |each: &Chose| {
            let row = &found["rows"][each.row];
            let mut cells = row["cells"].as_array().cloned().unwrap_or_default();
            for (column, time) in [(Some(series.start), each.start), (series.end, each.end)] {
                if let Some(cell) = column.and_then(|column| cells.get_mut(column)) {
                    *cell = json!(date(time));
                }
            }
            for part in &series.parts {
                if let Some(cell) = cells.get_mut(part.column) {
                    let time = if part.of_end { each.end } else { each.start };
                    *cell = time.map_or(Json::Null, |time| part.part.of(zone.civil(time)));
                }
            }
            json!([
                row["id"],
                row["place"],
                cells,
                row["mark"],
                row["from"],
                each.occurrence.map(|time| zone.stamp(time))
            ])
        };
        let rows: Vec<Json> = chosen.page.iter().map(row).collect();
        let answer = json!({ "total": chosen.total, "rows": rows, "skipped": found["skipped"], "unread": found["unread"], "dates": found["dates"], "near": found["near"], "compared": found["compared"] });
        self.told_of(&answer, found, chosen, events, app, world)
    }

    /// Whether a page in the order of the dates ends before the dates that are not searched.
    fn is_whole_page(&self, series: &Series, found: &Json, chosen: &Chosen) -> bool {
        let last = chosen.page.last().and_then(|last| last.start);
        let is_cut =
            chosen.page.len() < chosen.total && self.wanted.offset >= 0 && self.wanted.groups.is_none();
        let bound = |at: usize| found["span"][at].as_i64();
        is_cut
            // Without an order, rows are sorted by their start.
            && match (self.wanted.sort.first().copied().unwrap_or((series.start, false)), found["open"].as_str()) {
                ((column, false), Some("after")) => column == series.start && last.is_some() && last < bound(1),
                ((column, true), Some("before")) => column == series.start && last > bound(0),
                _ => false,
            }
    }

    /// The name of a row of an answer, or the id of its element if the answer has no name.
    fn called(&self, body: &Json, at: usize, row: &Json, app: &App) -> Option<String> {
        let id = body["elements"].get(at)?["id"].as_str()?;
        let label = change::label(&app.bundle_id, app.dictionary().ok()?, &self.wanted.collection.class)?;
        let columns = self.wanted.columns.iter().take(self.wanted.wanted);
        let cell = columns.zip(row["cells"].as_array()?).find(|(column, _)| column.term == label);
        let name = cell.and_then(|(_, cell)| cell.as_str());
        let name = foreign::clean(name.unwrap_or_default(), LONGEST_NAME).replace('"', "'");
        Some(if name.is_empty() { id.to_owned() } else { format!("\"{name}\"") })
    }

    /// The answer, with notes about how it was read.
    fn told_of(
        &self,
        answer: &Json,
        found: &Json,
        chosen: &Chosen,
        events: u64,
        app: &App,
        world: &mut World<'_>,
    ) -> Result<Step, Fault> {
        let Some(series) = &self.wanted.series else { return Err(out_of_form("no series")) };
        let mut told = Told::of(found, chosen, series, app);
        told.is_page_whole = self.is_whole_page(series, found, chosen);
        let mut objects = Objects::new();
        let mut body = self.body(answer, told.reason(), &mut objects, app, world)?;
        let mut note: Vec<String> = body["note"].as_str().map(str::to_owned).into_iter().collect();
        note.extend(told.notes());
        note.extend(told.off(|at, each| self.called(&body, at, &found["rows"][each.row], app)));
        if let Some(first) = &self.first {
            if !note.is_empty() {
                body["note"] = json!(note.join("; "));
            }
            return first.clone().found(&body, events, world);
        }
        body["source"] = json!(told.source);
        // A note that holds for every such list is given only once, because a model remembers it. A note that says how
        // to get a better answer is always given.
        let is_told = world.gate.plugin.is_some() || told.is_late();
        note.extend(
            told.general().into_iter().filter(|note| is_told || world.learned.is_news(note, world.now)),
        );
        if !note.is_empty() {
            body["note"] = json!(note.join("; "));
        }
        let strategy = Some(if told.by_index { "index" } else { "rules" }.to_owned());
        if world.gate.plugin.is_some() {
            objects.clear();
        }
        Ok(names::told(body, &objects, app, (events, strategy), world))
    }
}

/// Counts and sums of groups of occurrences, in the form in which a script answers those of elements.
fn grouped(
    groups: &Groups,
    found: &Json,
    chosen: &Chosen,
    series: &Series,
    (offset, limit): (usize, usize),
) -> Json {
    let zone: Zone = serde_json::from_value(found["zone"].clone()).unwrap_or_default();
    let date = |time: Option<i64>| time.map(|time| json!({ "$": "date", "v": zone.stamp(time) }));
    let cell = |each: &Chose, column: usize| {
        let part = series.parts.iter().find(|part| part.column == column);
        let time = |of_end| if of_end { each.end } else { each.start };
        match part {
            Some(part) => time(part.of_end).map_or(Json::Null, |time| part.part.of(zone.civil(time))),
            None if column == series.start => json!(date(each.start)),
            None if Some(column) == series.end => json!(date(each.end)),
            None => found["rows"][each.row]["cells"][column].clone(),
        }
    };
    let mut all: IndexMap<String, (Json, Vec<&Chose>)> = IndexMap::new();
    for each in &chosen.page {
        let key = |column: &Option<usize>| match column {
            Some(column) => cell(each, *column),
            None => json!({ "$": "from", "v": found["rows"][each.row]["from"] }),
        };
        let key: Json = groups.by.iter().map(key).collect();
        all.entry(key.to_string()).or_insert_with(|| (key, Vec::new())).1.push(each);
    }
    let total = all.len();
    let told = |(place, (key, group)): (usize, (Json, Vec<&Chose>))| {
        let of = |(fold, column): &(Fold, usize)| {
            folded(*fold, group.iter().map(|each| cell(each, *column)).collect())
        };
        let measures: Vec<Json> = groups.of.iter().map(of).collect();
        (place, json!([key, group.len(), measures]))
    };
    let mut all: Vec<(usize, Json)> = all.into_values().enumerate().map(told).collect();
    all.sort_by(|a, b| ranked(groups, a, b));
    let told: Vec<Json> = all.into_iter().skip(offset).take(limit).map(|(_, group)| group).collect();
    json!({
        "total": chosen.total, "groups": { "total": total, "v": told },
        "skipped": found["skipped"], "unread": found["unread"], "dates": found["dates"], "near": found["near"],
        "compared": found["compared"],
    })
}

/// The order of two groups, each with its place among the groups as they were met. The occurrences are sorted by the
/// keys, so groups that differ in one were met in its order.
fn ranked(groups: &Groups, a: &(usize, Json), b: &(usize, Json)) -> Ordering {
    let by_value = |x: &Json, y: &Json, down: bool| match (x.is_null(), y.is_null()) {
        (true, true) => Ordering::Equal,
        (true, false) => Ordering::Greater,
        (false, true) => Ordering::Less,
        (false, false) if down => measured(y, x),
        (false, false) => measured(x, y),
    };
    let by = |(rank, down): &(Rank, bool)| match *rank {
        Rank::Count => by_value(&a.1[1], &b.1[1], *down),
        Rank::Of(at) => by_value(&a.1[2][at], &b.1[2][at], *down),
        Rank::By(at) if a.1[0][at] == b.1[0][at] => Ordering::Equal,
        Rank::By(_) => a.0.cmp(&b.0),
    };
    groups.sort.iter().map(by).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}

/// The order of two counts or aggregates: numbers, texts or dates.
fn measured(x: &Json, y: &Json) -> Ordering {
    let number = |value: &Json| value.as_f64().or_else(|| instant(value).map(|time| time as f64));
    match (number(x), number(y)) {
        (Some(x), Some(y)) => x.total_cmp(&y),
        _ => x.as_str().cmp(&y.as_str()),
    }
}

/// The milliseconds of a date.
fn instant(cell: &Json) -> Option<i64> {
    Some(cell["v"].as_str()?.parse::<jiff::Timestamp>().ok()?.as_millisecond())
}

/// An aggregate over encoded values; those that are neither numbers nor dates do not count. Texts are weeks and days,
/// and their order is that of time.
fn folded(fold: Fold, cells: Vec<Json>) -> Json {
    if cells.iter().any(Json::is_string) {
        let texts = cells.iter().filter_map(Json::as_str);
        return if fold == Fold::Least { json!(texts.min()) } else { json!(texts.max()) };
    }
    let value = |cell: Json| match cell.as_f64() {
        Some(number) => Some((number, cell)),
        None => instant(&cell).map(|time| (time as f64, cell)),
    };
    let values: Vec<(f64, Json)> = cells.into_iter().filter_map(value).collect();
    let sum: f64 = values.iter().map(|(number, _)| number).sum();
    let by_value = |a: &&(f64, Json), b: &&(f64, Json)| a.0.total_cmp(&b.0);
    let number = |number: f64| if number.fract() == 0.0 { json!(number as i64) } else { json!(number) };
    match fold {
        Fold::Sum => number(sum),
        Fold::Average if values.is_empty() => Json::Null,
        Fold::Average => number(sum / values.len() as f64),
        Fold::Least => values.iter().min_by(by_value).map_or(Json::Null, |(_, cell)| cell.clone()),
        Fold::Most => values.iter().max_by(by_value).map_or(Json::Null, |(_, cell)| cell.clone()),
    }
}

impl Filling {
    /// Whether a call waits for the answer.
    pub(in crate::step) fn looks_up(&self) -> bool {
        self.listing.looks_up()
    }

    /// Puts the properties into the rows.
    pub(in crate::step) fn resume(
        self,
        reply: Reply,
        app: &str,
        events: u64,
        world: &mut World<'_>,
    ) -> Result<Step, Fault> {
        let Self { listing, mut found, chosen, missing, places } = self;
        let app = world.apps.find(app)?;
        let rows = reply.result.map_err(|error| error.to_fault(&app.bundle_id, &app.name))?;
        for (each, place) in chosen.page.iter().zip(&places) {
            let read = place.and_then(|place| rows.get(place)).unwrap_or(&Json::Null);
            for (at, column) in missing.iter().enumerate() {
                let cell = if read["$"] == "error" { read } else { &read["v"][at] };
                found["rows"][each.row]["cells"][*column] = cell.clone();
            }
        }
        listing.listed(&found, &chosen, events, app, world)
    }
}

/// The columns with parts of the times.
fn parts(series: &Series) -> Vec<(usize, bool, Part)> {
    series.parts.iter().map(|each| (each.column, each.of_end, each.part)).collect()
}

/// The wanted columns without a value yet in some row of the page.
fn missing(wanted: &Elements, found: &Json, chosen: &Chosen) -> Vec<usize> {
    let is_part = |column: usize| {
        wanted.series.iter().flat_map(|series| &series.parts).any(|part| part.column == column)
    };
    let is_unread = |column: usize| {
        !is_part(column)
            && chosen.page.iter().any(|each| found["rows"][each.row]["cells"][column]["$"] == UNREAD)
    };
    (0..wanted.wanted).filter(|column| is_unread(*column)).collect()
}

fn out_of_form(why: &str) -> Fault {
    Fault::new(Code::Internal, why.to_owned(), "this is a bug in the server; please report it").untrusted()
}

/// The notes of an answer about how it was read.
struct Told<'a> {
    app: &'a App,
    found: &'a Json,
    chosen: &'a Chosen,
    /// Its source, in one word.
    source: &'static str,
    by_index: bool,
    /// Whether no unsearched element could be on this page.
    is_page_whole: bool,
    /// The library that could have been asked.
    library: Option<&'static Index>,
    /// Whether the class has series.
    repeats: bool,
    /// The occurrences of this page that were worked out from rules, each with its index on the page.
    by_rules: Vec<(usize, &'a Chose)>,
}

impl<'a> Told<'a> {
    fn of(found: &'a Json, chosen: &'a Chosen, series: &Series, app: &'a App) -> Self {
        let library = series.index.as_ref().map(|index| index.library);
        let by_index = found["index"] == "full";
        let source = library.filter(|_| by_index).map_or("Apple events", |library| &library.library);
        let is_by_rule =
            |each: &Chose| each.occurrence.is_some() && found["rows"][each.row]["rule"].is_string();
        let by_rules = chosen.page.iter().enumerate().filter(|(_, each)| is_by_rule(each)).collect();
        Self {
            app,
            found,
            chosen,
            source,
            by_index,
            is_page_whole: false,
            library,
            repeats: series.rule.is_some(),
            by_rules,
        }
    }

    /// Why the answer is partial, if it is.
    fn reason(&self) -> Option<String> {
        let late = self.found["late"].as_array().map(Vec::as_slice).unwrap_or_default();
        let mut reasons = Vec::new();
        if !late.is_empty() {
            let name = |each: &Json| {
                let name = each["name"].as_str().map(|name| foreign::clean(name, LONGEST_NAME));
                let read = each["read"].as_u64().filter(|read| *read > 0);
                let read = read.map(|read| format!(", of which the last {read} were read"));
                let name = name.unwrap_or_else(|| "one".to_owned());
                format!("{name} ({} elements{})", each["size"], read.unwrap_or_default())
            };
            let names: Vec<String> = late.iter().take(MOST_NAMED).map(name).collect();
            let seconds: f64 = late.iter().filter_map(|each| each["ms"].as_f64()).sum::<f64>() / 1000.0;
            reasons.push(format!(
                "{} answers slowly over Apple events: {}{} were not read in full, which would take about {seconds:.0} s; name one container with fewer elements",
                self.app.name,
                names.join(", "),
                if late.len() > MOST_NAMED { ", …" } else { "" },
            ));
        }
        if self.chosen.cut > 0 {
            reasons.push(format!("{} series repeat too often to be followed to the end", self.chosen.cut));
        }
        let zone: Zone = serde_json::from_value(self.found["zone"].clone()).unwrap_or_default();
        let stamp = |at: usize| zone.stamp(self.found["span"][at].as_i64().unwrap_or_default());
        if self.found["span"][0].as_i64() > self.found["span"][1].as_i64() {
            reasons.push(format!("the span ends ({}) before it begins ({})", stamp(1), stamp(0)));
        }
        reasons.extend(self.unsearched().filter(|_| !self.is_page_whole).map(|unsearched| {
            let end = match self.found["open"].as_str() {
                Some("after") => "a later end",
                Some("before") => "an earlier start",
                _ => "both ends",
            };
            format!("{unsearched} are not searched; add a bound for {end}")
        }));
        (!reasons.is_empty()).then(|| reasons.join("; "))
    }

    /// The dates beyond an open end of the span that are not followed.
    fn unsearched(&self) -> Option<String> {
        // Without the library, single events are found however far away they are.
        let what = if self.by_index { "dates" } else { "repeating events" };
        let zone: Zone = serde_json::from_value(self.found["zone"].clone()).unwrap_or_default();
        let stamp = |at: usize| zone.stamp(self.found["span"][at].as_i64().unwrap_or_default());
        let open = match self.found["open"].as_str()? {
            "after" => format!("after {}", stamp(1)),
            "before" => format!("before {}", stamp(0)),
            "around" => format!("before {} and after {}", stamp(0), stamp(1)),
            _ => return None,
        };
        Some(format!("{what} {open}"))
    }

    /// Whether containers were not read in full because that takes too long.
    fn is_late(&self) -> bool {
        self.found["late"].as_array().is_some_and(|late| !late.is_empty())
    }

    /// The notes about this answer.
    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        notes.extend(
            self.unsearched()
                .filter(|_| self.is_page_whole)
                .map(|unsearched| format!("totalCount is without {unsearched}")),
        );
        if self.chosen.unreadable > 0 {
            notes.push(format!(
                "{} series have a rule that cannot be read, so only their first date is known",
                self.chosen.unreadable
            ));
        }
        notes
    }

    /// The series on this page that may be an hour off. `name` gives the name of a row or the id of its element; groups
    /// have neither.
    fn off(&self, name: impl Fn(usize, &Chose) -> Option<String>) -> Option<String> {
        let rows = &self.found["rows"];
        let zone: Zone = serde_json::from_value(self.found["zone"].clone()).unwrap_or_default();
        let can_be_off = |each: &Chose| {
            let (first, is_whole) = (rows[each.row]["start"].as_i64(), rows[each.row]["days"] == json!(true));
            !is_whole && first.zip(each.start).is_some_and(|(first, start)| !agree(&zone, first, start))
        };
        let mut series: IndexMap<usize, Option<String>> = IndexMap::new();
        for (at, each) in self.by_rules.iter().filter(|(_, each)| can_be_off(each)) {
            series.entry(each.row).or_insert_with(|| name(*at, each));
        }
        let names: Vec<&str> = series.values().flatten().map(String::as_str).take(MOST_NAMED).collect();
        let named = match (names.is_empty(), series.len() - names.len()) {
            (true, 0) => return None,
            (true, 1) => "one series".to_owned(),
            (true, count) => format!("{count} series"),
            (false, 0) => names.join(", "),
            (false, more) => format!("{} and {more} more series", names.join(", ")),
        };
        Some(format!("{named} may be an hour off {OFF}"))
    }

    /// The limits of all answers of this kind, and the advice that makes them faster.
    fn general(&self) -> Vec<String> {
        let by_rules = (!self.by_rules.is_empty()).then(|| BY_RULES.to_owned());
        let state = self.library.zip(self.found["index"].as_str());
        by_rules
            .into_iter()
            .chain(state.and_then(|(library, state)| advice(library, state, self.repeats)))
            .collect()
    }
}

/// The length of a container's name in a reason, in characters.
const LONGEST_NAME: usize = 60;

/// The number of containers that a reason names.
const MOST_NAMED: usize = 5;

/// # Source
/// Calendar's dictionary: an event has one start date, a rule and excluded dates, but no zone, and no occurrence that
/// differs from its rule.
const BY_RULES: &str = "dates of a series (with `occurrence`) were worked out from its rule: one that was moved by itself shows where it was";

/// Why a series may be an hour off.
const OFF: &str =
    "if made in another time zone, because the clocks there and here may have changed since the first date";

/// What the user can do so that the library answers next time.
fn advice(index: &Index, state: &str, repeats: bool) -> Option<String> {
    let Index { library, subject, .. } = index;
    let exact = if repeats { "gives the exact dates," } else { "answers" };
    let fast = format!("{library} {exact} in about a second");
    let settings = index.settings();
    Some(match state {
        "full" => return None,
        "not asked" => {
            format!(
                "{fast}, if the user lets it: call `system` with {{\"action\":\"consent\",\"access\":\"{subject}\"}}"
            )
        }
        "denied" => format!("{fast}, but access to {subject} is denied; allow it in {settings}"),
        "write only" => format!("{fast}, but only adding is allowed; allow full access in {settings}"),
        "restricted" => format!("{fast}, but a profile on this Mac forbids access to {subject}"),
        "too long" => format!("{fast} for a span of less than four years"),
        "too far" => format!("{fast} for dates within fifty years"),
        "empty" => format!("{library} shows no {subject} although access is allowed; restart the server"),
        "not there" => format!("{library} does not have this container"),
        other => format!("{library} was not used: {}", foreign::says("it", other, foreign::ERROR)),
    })
}
