//! `iac_mcp_get_elements`

use serde_json::{Map, Value as Json, json};

use super::compare::comparable;
use super::first::First;
use super::properties::column;
use super::show::{Shown, largest, value};
use super::{Outcome, Step, Then, World, held, in_app, remember};
use crate::action::{Column, Deed, Elements};
use crate::app::App;
use crate::call::GetElements;
use crate::change;
use crate::dictionary::Dictionary;
use crate::fault::{Code, Fault};
use crate::filter::{Compare, Filter};
use crate::identity::{Identity, identity};
use crate::osa_error::OsaError;
use crate::plan;
use crate::reply::Reply;
use crate::specifier::{By, Container, Id, Mark, Path, Segment};
use crate::words::RefId;

/// Elements while the app is asked for them.
#[derive(Debug)]
pub(super) struct Listing {
    wanted: Elements,
    container: Option<String>,
    fallback: Option<Path>,
    resolved_as: Option<String>,
    first: Option<First>,
}

pub(super) fn start(call: &GetElements, first: Option<First>, world: &mut World<'_>) -> Result<Step, Fault> {
    let app = world.apps.find(&app_of(call, world)?)?;
    let dictionary = app.dictionary()?;
    let found = call.container.resolve(dictionary, &mut *held(world.references, app, world.now))?;
    let costs = world.learned.costs(&app.bundle_id);
    let wanted = wanted(call, found.path, app, dictionary, world.home, &costs)?;
    let container = match &call.container {
        Container::Reference(id) => Some(id.to_string()),
        Container::Specifier(_) => None,
    };
    let listing = Listing { wanted, container, fallback: found.fallback, resolved_as: None, first };
    Ok(listing.ask(app, 0, world))
}

fn app_of(call: &GetElements, world: &mut World<'_>) -> Result<String, Fault> {
    match (&call.app, &call.container) {
        (None, Container::Reference(id)) => {
            Ok(world.references.touch(*id, world.now)?.object.app.to_string())
        }
        (app, _) => Ok(app.clone().unwrap_or_default()),
    }
}

fn wanted(
    call: &GetElements,
    container: Path,
    app: &App,
    dictionary: &Dictionary,
    home: &str,
    costs: &plan::Costs,
) -> Result<Elements, Fault> {
    let collection = container.collection(dictionary, &call.element)?;
    let class = collection.class.clone();
    let mut columns = Columns { app, dictionary, class: &class, home, known: Vec::new() };
    for term in &call.properties {
        columns.place(term)?;
    }
    let wanted = columns.known.len();
    let sort = call
        .sort
        .iter()
        .map(|(term, down)| Ok((columns.place(term)?, *down)))
        .collect::<Result<_, Fault>>()?;
    let filter =
        call.filter.clone().map(|filter| filter.map(&mut |compare| columns.compare(compare))).transpose()?;
    let known = columns.known;
    let filter: Option<Filter<usize>> = filter;
    let mut elements = Elements {
        container,
        collection,
        identity: identity(dictionary, &class),
        mark: change::mark(&app.bundle_id, dictionary, &class),
        filter: filter.map(|filter| filter.cheap_first(&|column| known[column].long)),
        columns: known,
        wanted,
        whose: false,
        sort,
        limit: call.limit,
        offset: call.offset,
        text: call.text,
    };
    elements.whose = plan::by_whose(costs, &elements);
    Ok(elements)
}

/// The properties that are read, each once.
struct Columns<'a> {
    app: &'a App,
    dictionary: &'a Dictionary,
    class: &'a str,
    home: &'a str,
    known: Vec<Column>,
}

impl Columns<'_> {
    fn place(&mut self, term: &str) -> Result<usize, Fault> {
        let new = column(self.app, self.dictionary, self.class, term)?;
        if let Some(place) = self.known.iter().position(|known| known.identifiers == new.identifiers) {
            return Ok(place);
        }
        self.known.push(new);
        Ok(self.known.len() - 1)
    }

    fn compare(&mut self, compare: Compare<String>) -> Result<Compare<usize>, Fault> {
        let property = self.place(&compare.property)?;
        let value = comparable(&compare, &self.known[property], self.dictionary, self.home)?;
        Ok(Compare { property, operator: compare.operator, value })
    }
}

impl Listing {
    fn ask(self, app: &App, events: u64, world: &World<'_>) -> Step {
        let deed = Deed::Elements(self.wanted.clone());
        in_app(app, deed, events, Then::Elements(Box::new(self)), world)
    }

    pub(super) fn resume(
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
                let Some(path) = self.fallback.take() else { return Err(self.missing(app)) };
                self.resolved_as = Some(path.to_string());
                self.wanted.container = path;
                return Ok(self.ask(app, events, world));
            }
            Err(error) if error.is_moved() => return Err(self.moved(&error, app, world)),
            Err(error) => return Err(error.to_fault(&app.bundle_id, &app.name)),
        };
        if let Some(size) = answer.get("scanned").and_then(Json::as_u64) {
            let size = usize::try_from(size).unwrap_or(usize::MAX);
            world.learned.seen(&app.bundle_id, &self.wanted.container, &self.wanted.collection, size);
        }
        let body = self.body(&answer, reply.reason, app, world)?;
        if let Some(first) = self.first.take() {
            return first.found(&body, events, world);
        }
        Ok(Step::Done(Outcome { body, events, strategy: reply.strategy, ..Outcome::default() }))
    }

    /// Another object stands where the container was.
    fn moved(&self, error: &OsaError, app: &App, world: &mut World<'_>) -> Fault {
        let fault = error.to_fault(&app.bundle_id, &app.name);
        let Some(id) = &self.container else { return fault };
        if let Some(id) = RefId::parse(id) {
            world.references.fail(id);
        }
        fault.with("reference", id.as_str())
    }

    fn missing(&self, app: &App) -> Fault {
        let message = format!("{} has no {}", app.name, self.wanted.container);
        let fault = Fault::new(
            Code::ReferenceInvalid,
            message,
            "query the container again with iac_mcp_query_object",
        );
        match &self.container {
            Some(id) => fault.with("reference", id.as_str()),
            None => fault,
        }
    }

    fn body(
        &self,
        answer: &Json,
        reason: Option<String>,
        app: &App,
        world: &mut World<'_>,
    ) -> Result<Json, Fault> {
        let dictionary = app.dictionary()?.clone();
        let rows = answer.get("rows").and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
        let total = answer.get("total").and_then(Json::as_u64).unwrap_or_default() as usize;
        let mut elements = Vec::new();
        let mut size = 200;
        for row in rows {
            let element = self.element(row, &dictionary, app, world);
            size += element.to_string().len() + 1;
            if size > largest(world) && !elements.is_empty() {
                break;
            }
            elements.push(element);
        }
        Ok(self.with_counts(elements, rows.len(), total, reason))
    }

    fn with_counts(&self, elements: Vec<Json>, read: usize, total: usize, reason: Option<String>) -> Json {
        let count = elements.len();
        let next = self.wanted.offset + count;
        let mut body =
            json!({ "elements": elements, "count": count, "totalCount": total, "hasMore": next < total });
        if next < total {
            body["nextOffset"] = json!(next);
        }
        if count < read {
            body["note"] = json!(format!(
                "{count} of {read} elements fit into this answer; go on with offset {next}, or ask for fewer properties or a smaller textLimit"
            ));
        }
        if let Some(reason) = reason {
            body["complete"] = json!(false);
            body["reason"] = json!(reason);
        }
        if let Some(words) = &self.resolved_as {
            body["resolvedAs"] = json!(words);
        }
        if self.wanted.wanted > 0 {
            body["untrusted"] = json!(true);
        }
        body
    }

    fn element(&self, row: &Json, dictionary: &Dictionary, app: &App, world: &mut World<'_>) -> Json {
        let empty = Json::Null;
        let cell = |at: usize| row.get(at).unwrap_or(&empty);
        let by = self.by(cell(0), cell(1), cell(3));
        let path = self.wanted.container.then(Segment::Element(self.wanted.collection.clone(), by));
        let (kind, stable) = (self.wanted.collection.class.clone(), path.is_stable());
        let id = remember(path, app, world).to_string();
        let mut fields: Map<String, Json> = Map::new();
        fields.extend([
            ("id".to_owned(), json!(id)),
            ("type".to_owned(), json!(kind)),
            ("app".to_owned(), json!(&*app.bundle_id)),
        ]);
        if !stable {
            fields.insert("stable".to_owned(), json!(false));
        }
        if self.wanted.wanted > 0 {
            self.shown(cell(2), dictionary, app, world).into_fields(&mut fields);
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

    fn shown(&self, cells: &Json, dictionary: &Dictionary, app: &App, world: &mut World<'_>) -> Shown {
        let mut shown = Shown::default();
        let cells = cells.as_array().map(Vec::as_slice).unwrap_or_default();
        for (column, cell) in self.wanted.columns.iter().zip(cells) {
            shown.add(&column.term, &value(cell, Some(&column.kind), dictionary), app, world);
        }
        shown
    }
}
