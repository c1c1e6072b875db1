//! References to one date of a series. The app's scripts know only the series, so no change goes through them: it would
//! reach every date.

use std::sync::Arc;

use serde_json::{Map, Value as Json, json};

use super::{World, keep};
use crate::app::App;
use crate::call::{How, NewValue};
use crate::dictionary::names;
use crate::fault::{Code, Fault};
use crate::reference::Object;
use crate::series::dated;
use crate::specifier::Path;
use crate::value::Value;
use crate::words::RefId;

/// Keeps one occurrence of a series.
pub(super) fn remember(path: Path, date: &str, app: &App, world: &mut World<'_>) -> RefId {
    keep(Object { app: app.bundle_id.clone(), path, occurrence: Some(date.into()) }, world)
}

/// Refuses a change through references to occurrences.
///
/// # Errors
/// One of them is one. The error names the reference of its series.
pub(super) fn refuse(ids: impl IntoIterator<Item = RefId>, world: &mut World<'_>) -> Result<(), Fault> {
    for id in ids {
        let Some(held) = world.references.peek(id) else { continue };
        let Object { app, path, occurrence: Some(date) } = held.object.clone() else { continue };
        let name = world.apps.find(&app).map_or_else(|_| app.to_string(), |app| app.name.clone());
        let excluded = dated(&app, path.class()).and_then(|class| class.excluded.as_deref());
        let series = keep(Object::new(app, path), world).to_string();
        let one = match excluded {
            Some(property) => format!(
                "for one date, the user changes it in {name}; to leave it out, append {date} to `{property}` of {series}"
            ),
            None => format!("for one date, the user changes it in {name}"),
        };
        let message = format!(
            "{id} is one date of a series, {date}, and a script can only change a whole series of {name}"
        );
        let suggestion = format!(
            "to change all dates, ask the user first and call again with {series}, the reference of the series; {one}"
        );
        let fault = Fault::new(Code::InvalidParameter, message, suggestion).with("reference", id.to_string());
        return Err(fault.with("occurrence", &*date).with("series", series));
    }
    Ok(())
}

/// Whether a change only leaves dates out of a series: the series itself holds them, so that no other date changes.
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

/// The property of its series that says whether an occurrence is left out.
pub(super) fn excluded(id: RefId, world: &World<'_>) -> Option<&'static str> {
    let object = &world.references.peek(id)?.object;
    object.occurrence.as_ref()?;
    dated(&object.app, object.path.class())?.excluded.as_deref()
}

/// Checks that an occurrence is not among the dates that its series leaves out.
///
/// # Errors
/// It is. The error names the reference of the series.
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
    let message = format!("the series has no date on {date} any more: it is among its `{property}`");
    let suggestion = format!("list the dates again, or use {series}, the reference of the series");
    let fault = Fault::new(Code::ReferenceInvalid, message, suggestion).with("reference", id.to_string());
    Err(fault.with("occurrence", &*date).with("series", series))
}

/// Says with properties of an occurrence that they are those of its series.
pub(super) fn tell(id: RefId, fields: &mut Map<String, Json>, app: &App, world: &World<'_>) {
    let Some(date) = world.references.peek(id).and_then(|held| held.object.occurrence.as_deref()) else {
        return;
    };
    fields.insert("occurrence".to_owned(), json!(date));
    let note =
        format!("{} shows the series, with its first date; the occurrence is that of {date}", app.name);
    fields.insert("note".to_owned(), json!(note));
}

/// The occurrence that a call looks into: what it finds there belongs to the series too.
#[derive(Clone, Debug, Default)]
pub(super) struct Within(Option<(Path, Arc<str>)>);

impl Within {
    pub(super) fn of(ids: &[RefId], world: &World<'_>) -> Self {
        let held = ids.iter().filter_map(|id| world.references.peek(*id)).map(|held| &held.object);
        let mut occurrences =
            held.filter_map(|object| Some((object.path.clone(), object.occurrence.clone()?)));
        Self(occurrences.next())
    }

    /// Keeps an object that was found.
    pub(super) fn remember(&self, path: Path, app: &App, world: &mut World<'_>) -> RefId {
        match &self.0 {
            Some((series, date)) if path.begins_with(series) => remember(path, date, app, world),
            _ => super::remember(path, app, world),
        }
    }
}
