//! Dates without an offset among new values: `tomorrow 15:00` or `2026-01-27T15:00` as a due date. The Mac resolves
//! them in its time zone before anything is checked, asked or written, so that a question shows the date itself.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json, json};

use super::{Behind, Step, Then, World, first, propose, started};
use crate::action::{Action, SystemDeed};
use crate::call::{Call, NewObject};
use crate::fault::{Code, Fault};
use crate::marshal::{Dated, date};
use crate::moment::Moment;
use crate::reply::Reply;

/// A call while the Mac is asked for its dates.
#[derive(Debug)]
pub(super) struct Dates {
    call: Call,
    texts: Vec<String>,
}

/// Resolves the dates of a call that depend on the Mac's time zone, if it has any that are not known yet.
///
/// This looks up every text that may be a date, because only the property shows whether it is one.
pub(super) fn begin(call: &Call, world: &World<'_>) -> Option<Step> {
    let mut call = call.clone();
    let mut found: BTreeMap<String, Json> = BTreeMap::new();
    each_value(&mut call, &mut |json| {
        if let Some(text) = json.as_str()
            && let Some(data) = data(text)
        {
            found.insert(text.to_owned(), data);
        }
    });
    if found.is_empty() {
        return None;
    }
    let (texts, all) = found.into_iter().unzip();
    let action = Action::of_system(SystemDeed::Moments { all });
    let behind = Behind { name: "the system".to_owned(), events: 0 };
    Some(propose(action, behind, Then::Dates(Box::new(Dates { call, texts })), world))
}

impl Dates {
    /// Begins the call again with its dates.
    pub(super) fn resume(self, reply: Reply, events: u64, world: &mut World<'_>) -> Result<Step, Fault> {
        let Self { mut call, texts } = self;
        let answer = reply.result.map_err(|error| error.to_fault("", "the system"))?;
        let mut dates: BTreeMap<String, Dated> = BTreeMap::new();
        for (at, said) in texts.into_iter().enumerate() {
            let date = answer.get(at).and_then(Json::as_str).ok_or_else(|| too_far(&said))?.to_owned();
            let data = data(&said);
            let local = data.as_ref().and_then(|data| data["v"].as_str());
            let is_skipped = local.is_some_and(|local| !date.starts_with(local));
            dates.insert(said.clone(), Dated { date, said, is_skipped });
        }
        each_value(&mut call, &mut |json| {
            if let Some(dated) = json.as_str().and_then(|text| dates.get(text)) {
                *json = dated.to_json();
            }
        });
        Ok(first::with_events(started(call, world), events))
    }
}

/// A moment or a date without an offset, in the form that the prelude expects.
fn data(text: &str) -> Option<Json> {
    if let Some(moment) = Moment::parse(text) {
        return Some(moment.to_data());
    }
    let is_local = text.parse::<jiff::Timestamp>().is_err();
    let date = date(text).filter(|_| is_local)?;
    Some(json!({ "$": "date", "v": date }))
}

fn too_far(said: &str) -> Fault {
    let message = format!("`{said}` is not a date that this Mac can write");
    Fault::new(Code::InvalidParameter, message, "give a date that is nearer")
}

/// Visits the new values of a call that may hold dates.
fn each_value(call: &mut Call, visit: &mut impl FnMut(&mut Json)) {
    match call {
        Call::SetProperty(call) => {
            call.properties.iter_mut().flatten().for_each(|new| each(&mut new.value, visit));
        }
        Call::Create(call) => {
            call.objects.iter_mut().for_each(|object| each_of_object(object, visit));
            call.then.iter_mut().for_each(|next| each_field(&mut next.arguments, visit));
        }
        Call::Command(call) => {
            each_field(&mut call.arguments, visit);
            each_of_object(&mut call.then.object, visit);
            call.then.then.iter_mut().for_each(|next| each_field(&mut next.arguments, visit));
        }
        _ => {}
    }
}

fn each(json: &mut Json, visit: &mut impl FnMut(&mut Json)) {
    match json {
        Json::String(_) => visit(json),
        Json::Array(items) => items.iter_mut().for_each(|item| each(item, visit)),
        Json::Object(_) if Dated::of(json).is_some() => {}
        Json::Object(fields) => each_field(fields, visit),
        _ => {}
    }
}

fn each_field(fields: &mut Map<String, Json>, visit: &mut impl FnMut(&mut Json)) {
    fields.values_mut().for_each(|value| each(value, visit));
}

fn each_of_object(object: &mut NewObject, visit: &mut impl FnMut(&mut Json)) {
    each_field(&mut object.properties, visit);
    object.children.iter_mut().for_each(|child| each_of_object(child, visit));
}
