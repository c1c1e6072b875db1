//! Which values can be summed, which have a minimum and a maximum, and what groups are sorted by.

use serde_json::{Map, Value as Json, json};

use super::show::{show, value};
use super::{Listing, Objects};
use crate::action::{Column, Groups, Rank, View};
use crate::app::App;
use crate::call::GetElements;
use crate::dictionary::{Dictionary, names};
use crate::fault::{Code, Fault};
use crate::filter::Fold;
use crate::marshal::{Shape, expected, shapes};
use crate::moment::Part;
use crate::step::World;

/// The longest answer that shows each group without elements like the others, in bytes.
const LONG: usize = 1_000;

/// The number of empty groups whose keys a long answer lists. If there are more, it counts all of them.
const MOST_EMPTY: usize = 10;

/// The note about lists as keys, such as the tags of a task.
const SEVERAL: &str = "an object with several of these values counts in each of their groups";

/// Checks that a property has values that an aggregate takes. For other values the answer would be empty, as if no
/// element had a value.
///
/// # Errors
/// [`Code::TypeMismatch`]: its values have no sum, or no order.
pub(super) fn check(fold: Fold, column: &Column, term: &str, dictionary: &Dictionary) -> Result<(), Fault> {
    let shapes: Vec<Shape<'_>> =
        shapes(&column.kind, dictionary).into_iter().filter(|shape| *shape != Shape::Null).collect();
    let is_any = |some: &[Shape<'_>]| shapes.iter().any(|shape| some.contains(shape));
    let is_order = matches!(fold, Fold::Least | Fold::Most);
    let is_date = is_any(&[Shape::Date]);
    let is_ordered = is_date || matches!(column.view, Some(View::Part(Part::Week | Part::Date)));
    if is_any(&[Shape::Number, Shape::Integer, Shape::Any]) || (is_order && is_ordered) {
        return Ok(());
    }
    let (held, suggestion) = match column.view {
        _ if is_date => ("dates".to_owned(), "use min or max for dates; sum and avg take numbers"),
        Some(View::Part(Part::Weekday)) => {
            ("days of the week".to_owned(), "count them with `groupBy`, or use min or max of the date itself")
        }
        Some(View::Part(_)) => ("weeks or days".to_owned(), "use min or max; sum and avg take numbers"),
        _ => (
            expected(&shapes),
            "sum and avg take numbers, min and max take numbers and dates; `groupBy` counts other values",
        ),
    };
    let message = format!("`aggregate`: {} cannot be used with `{term}`, which holds {held}", fold.as_str());
    Err(Fault::new(Code::TypeMismatch, message, suggestion).with("parameter", "aggregate"))
}

/// What a term of `sort` means for groups.
///
/// # Errors
/// The name is not a property in `groupBy`, an aggregate such as `sum(size)`, or `count`.
pub(super) fn rank(call: &GetElements, term: &str) -> Result<Rank, Fault> {
    let key = names::key(term);
    let by = call.group_by.iter().position(|term| names::key(term) == key).map(Rank::By);
    let is_this = |(fold, of): &(Fold, String)| names::key(&format!("{}({of})", fold.as_str())) == key;
    let of = || call.aggregate.iter().position(is_this).map(Rank::Of);
    let count = || (key == "count").then_some(Rank::Count);
    by.or_else(of).or_else(count).ok_or_else(|| {
        let message = format!("`sort`: groups have no `{term}`");
        let suggestion = "sort groups by `count`, by a property of `groupBy`, or by an aggregate of the call";
        Fault::new(Code::InvalidParameter, message, suggestion).with("parameter", "sort")
    })
}

impl Listing {
    /// `{"groups":[{"key":{…},"count":3,"sum(size)":…}],"groupCount":…,"totalCount":…}`
    pub(super) fn groups(
        &self,
        answer: &Json,
        total: usize,
        reason: Option<String>,
        objects: &mut Objects,
        app: &App,
        world: &mut World<'_>,
    ) -> Json {
        let Some(Groups { by, of, .. }) = &self.wanted.groups else { return Json::Null };
        let Some(dictionary) = app.dictionary.as_deref() else { return Json::Null };
        let mut groups = Vec::new();
        for group in answer["v"].as_array().into_iter().flatten() {
            let mut key = Map::new();
            for (column, cell) in by.iter().zip(group[0].as_array().into_iter().flatten()) {
                match column {
                    None => {
                        let container = self.from(&cell["v"], dictionary);
                        key.insert("container".to_owned(), json!(self.place(container, objects, app, world)));
                    }
                    Some(column) => {
                        let column = &self.wanted.columns[*column];
                        let shown = show(&value(cell, Some(&column.kind), dictionary), app, world);
                        key.insert(column.shown().to_owned(), shown);
                    }
                }
            }
            let mut said = json!({ "key": key, "count": group[1] });
            for ((fold, column), cell) in of.iter().zip(group[2].as_array().into_iter().flatten()) {
                let column = &self.wanted.columns[*column];
                let shown = show(&value(cell, None, dictionary), app, world);
                said[format!("{}({})", fold.as_str(), column.shown())] = shown;
            }
            groups.push(said);
        }
        let next = self.wanted.offset + groups.len() as i64;
        let mut body = json!({ "app": &*app.bundle_id, "groups": groups, "groupCount": answer["total"], "totalCount": total });
        if answer["total"].as_i64().is_some_and(|all| next < all) {
            body["hasMore"] = json!(true);
            body["nextOffset"] = json!(next);
        }
        // The number of containers without elements, which the answer leaves out.
        if answer["left"].as_u64().is_some_and(|left| left > 0) {
            body["emptyGroups"] = answer["left"].clone();
        }
        shorten(&mut body);
        self.told(&mut body, reason);
        if answer["several"] == json!(true) {
            let note = body["note"].as_str().map(|note| format!("{note}; {SEVERAL}"));
            body["note"] = json!(note.as_deref().unwrap_or(SEVERAL));
        }
        body
    }
}

/// Moves the groups without elements of a long answer to a list of their keys.
fn shorten(body: &mut Json) {
    let is_long = body.to_string().len() > LONG;
    let Some(groups) = body["groups"].as_array_mut().filter(|_| is_long) else { return };
    let (empty, full): (Vec<Json>, Vec<Json>) =
        std::mem::take(groups).into_iter().partition(|group| group["count"] == json!(0));
    *groups = full;
    // The names of the keys stand in the other groups and in the call.
    let keys = empty.iter().map(|group| {
        let mut keys: Vec<Json> =
            group["key"].as_object().into_iter().flatten().map(|(_, key)| key.clone()).collect();
        if keys.len() == 1 { keys.remove(0) } else { Json::Array(keys) }
    });
    let mut keys: Vec<Json> = keys.collect();
    if !keys.is_empty() {
        if keys.len() > MOST_EMPTY {
            body["emptyGroups"] = json!(keys.len());
            keys.truncate(MOST_EMPTY);
        }
        body["empty"] = Json::Array(keys);
    }
}
