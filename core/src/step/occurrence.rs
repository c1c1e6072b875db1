//! References to one date of a series. Scripts know only the series. So a change through such a reference is refused,
//! because it would reach every date. Deleting an occurrence leaves its date out of the series.

use std::slice::from_ref;
use std::sync::Arc;

use indexmap::IndexMap;
use serde_json::{Map, Value as Json, json};

use super::{World, keep};
use crate::app::App;
use crate::call::{How, NewValue, SetProperty};
use crate::dictionary::names;
use crate::fault::{Code, Fault};
use crate::reference::Object;
use crate::series::dated;
use crate::specifier::{Container, Path};
use crate::value::Value;
use crate::words::RefId;

/// Makes a reference to one occurrence of a series.
pub(super) fn remember(path: Path, date: &str, app: &App, world: &mut World<'_>) -> RefId {
    keep(Object { app: app.bundle_id.clone(), path, occurrence: Some(date.into()) }, world)
}

/// Refuses a change through references to single occurrences.
///
/// # Errors
/// A reference leads to a single occurrence. The error names the reference of its series.
pub(super) fn refuse(ids: impl IntoIterator<Item = RefId>, world: &mut World<'_>) -> Result<(), Fault> {
    for id in ids {
        let Some(held) = world.references.peek(id) else { continue };
        let Object { app, path, occurrence: Some(date) } = held.object.clone() else { continue };
        let name = world.apps.find(&app).map_or_else(|_| app.to_string(), |app| app.name.clone());
        let class = dated(&app, path.class());
        let can_leave_out = class.is_some_and(|class| class.excluded.is_some());
        let rule = class.and_then(|class| class.rule.as_deref());
        let series = keep(Object::new(app, path), world).to_string();
        let mut one = format!("to change one date, ask the user to do it in {name}");
        if can_leave_out {
            one.push_str(&format!("; to remove only this date, run the command delete on {id}"));
        }
        if let Some(rule) = rule {
            one.push_str(&format!(
                "; `and {rule} is missing value` in a filter takes only what does not repeat"
            ));
        }
        let message = format!(
            "{id} is one date of a series, {date}, and a script can only change a whole series of {name}"
        );
        let first = class.map_or_else(String::new, |class| {
            format!(" (its `{}` is that of its first date, so shift that one)", class.start)
        });
        let suggestion = format!(
            "to change all dates, ask the user first and call again with {series}, the reference of the series{first}; {one}"
        );
        let fault = Fault::new(Code::InvalidParameter, message, suggestion).with("reference", id.to_string());
        return Err(fault.with("occurrence", &*date).with("series", series));
    }
    Ok(())
}

/// Whether a change only leaves dates out of a series. The series itself holds the dates that it leaves out, so no
/// other date changes.
pub(super) fn leaves_out(id: RefId, values: &[NewValue], world: &World<'_>) -> bool {
    let Some(held) = world.references.peek(id) else { return false };
    let excluded =
        dated(&held.object.app, held.object.path.class()).and_then(|class| class.excluded.as_deref());
    let is_it = |new: &NewValue| {
        new.how == How::Append
            && excluded.is_some_and(|property| names::key(property) == names::key(&new.property))
    };
    held.object.occurrence.is_some() && !values.is_empty() && values.iter().all(is_it)
}

/// Turns a deletion of dates of series into the change that leaves them out: the series stays, with its other dates.
/// `None` if no target is a date of a series.
///
/// # Errors
/// The targets mix dates of a series with other objects, and one question can only be about one kind.
pub(super) fn deletion(target: Option<&Json>, world: &World<'_>) -> Option<Result<SetProperty, Fault>> {
    let date = |id: RefId| {
        let property = excluded(id, world)?;
        let object = &world.references.peek(id)?.object;
        Some((object.app.to_string(), object.path.clone(), property, object.occurrence.clone()?))
    };
    let targets = target.map_or(&[][..], |target| target.as_array().map_or(from_ref(target), Vec::as_slice));
    let (mut dates, mut others) = (Vec::new(), Vec::new());
    for target in targets {
        match target.as_str().and_then(RefId::parse).filter(|id| date(*id).is_some()) {
            Some(id) => dates.push(id),
            None => others.push(target),
        }
    }
    if dates.is_empty() {
        return None;
    }
    if !others.is_empty() {
        return Some(Err(mixed(&dates, &others)));
    }
    let mut of_series: IndexMap<Path, (RefId, &str, Vec<Json>)> = IndexMap::new();
    let mut of_app = None;
    for id in dates {
        let Some((app, path, property, date)) = date(id) else { continue };
        of_app = Some(app);
        let (_, _, left_out) = of_series.entry(path).or_insert_with(|| (id, property, Vec::new()));
        if !left_out.contains(&json!(&*date)) {
            left_out.push(json!(&*date));
        }
    }
    let references = of_series.values().map(|(id, ..)| Ok(Container::Reference(*id))).collect();
    let value = |(_, property, dates): &(RefId, &str, Vec<Json>)| {
        vec![NewValue {
            property: (*property).to_owned(),
            value: Json::from(dates.clone()),
            how: How::Append,
        }]
    };
    Some(Ok(SetProperty {
        app: of_app,
        references,
        list: of_series.len() > 1,
        values: (0..of_series.len()).collect(),
        properties: of_series.values().map(value).collect(),
        may_lose: false,
    }))
}

fn mixed(dates: &[RefId], others: &[&Json]) -> Fault {
    let words: Vec<String> = dates.iter().map(RefId::to_string).collect();
    let message = "nothing was done: `target` mixes dates of a series with other objects; a date is removed by a change of its series, another object is deleted";
    let suggestion = "make one call with `dates` and one with `others`";
    let fault = Fault::new(Code::InvalidParameter, message, suggestion).with("parameter", "target");
    fault.with("dates", words).with("others", json!(others))
}

/// The property of its series that says whether an occurrence is left out.
pub(super) fn excluded(id: RefId, world: &World<'_>) -> Option<&'static str> {
    let object = &world.references.peek(id)?.object;
    object.occurrence.as_ref()?;
    dated(&object.app, object.path.class())?.excluded.as_deref()
}

/// Checks that an occurrence is not among the dates that its series leaves out.
///
/// # Errors
/// The series leaves it out. The error names the reference of the series.
pub(super) fn check(id: RefId, values: &[(String, Value)], world: &mut World<'_>) -> Result<(), Fault> {
    let Some(property) = excluded(id, world) else { return Ok(()) };
    let Some(object) = world.references.peek(id).map(|held| held.object.clone()) else { return Ok(()) };
    let Object { app, path, occurrence: Some(date) } = object else { return Ok(()) };
    let instant = |text: &str| text.parse::<jiff::Timestamp>().ok();
    let is_it = |value: &Value| matches!(value, Value::Date(text) if instant(text) == instant(&date));
    let is_left_out = values.iter().any(
        |(term, value)| matches!(value, Value::List(dates) if term == property && dates.iter().any(is_it)),
    );
    if !is_left_out {
        return Ok(());
    }
    let series = keep(Object::new(app, path), world).to_string();
    let message = format!("the series no longer occurs on {date}: its `{property}` lists that date");
    let suggestion = format!("list the dates again, or use {series}, the reference of the series");
    let fault = Fault::new(Code::ReferenceInvalid, message, suggestion).with("reference", id.to_string());
    Err(fault.with("occurrence", &*date).with("series", series))
}

/// Says that the properties of an occurrence are those of its series.
pub(super) fn tell(id: RefId, fields: &mut Map<String, Json>, app: &App, world: &World<'_>) {
    let Some(date) = world.references.peek(id).and_then(|held| held.object.occurrence.as_deref()) else {
        return;
    };
    fields.insert("occurrence".to_owned(), json!(date));
    let note =
        format!("{} shows the series, with its first date; the occurrence is that of {date}", app.name);
    fields.insert("note".to_owned(), json!(note));
}

/// The occurrence that a call looks into. Objects found there belong to the series too.
#[derive(Clone, Debug, Default)]
pub(super) struct Within(Option<(Path, Arc<str>)>);

impl Within {
    pub(super) fn of(ids: &[RefId], world: &World<'_>) -> Self {
        let held = ids.iter().filter_map(|id| world.references.peek(*id)).map(|held| &held.object);
        let mut occurrences =
            held.filter_map(|object| Some((object.path.clone(), object.occurrence.clone()?)));
        Self(occurrences.next())
    }

    /// Makes a reference to an object that was found.
    pub(super) fn remember(&self, path: Path, app: &App, world: &mut World<'_>) -> RefId {
        match &self.0 {
            Some((series, date)) if path.begins_with(series) => remember(path, date, app, world),
            _ => super::remember(path, app, world),
        }
    }
}
