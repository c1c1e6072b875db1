//! Errors and fields that many objects of one answer share, given only once.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json, json};

/// The errors in the rows of an answer, by property: the first one, and the rows that have the same.
#[derive(Default)]
pub(super) struct Repeated(BTreeMap<String, (Json, Vec<usize>)>);

impl Repeated {
    /// Removes from the next row the parts that an earlier row has given.
    pub(super) fn take(&mut self, at: usize, row: &mut Json) {
        let Some(errors) = row.get_mut("errors").and_then(Json::as_object_mut) else { return };
        errors.retain(|term, fault| {
            let (first, rows) = self.0.entry(term.clone()).or_insert_with(|| (fault.clone(), Vec::new()));
            let is_same = first == fault;
            if is_same {
                rows.push(at);
            }
            !is_same || rows.len() == 1
        });
        without_none(row);
    }

    /// Adds `errors` for the whole answer. If not all rows have an error, `failed` in a row names its properties.
    pub(super) fn tell(self, rows: &mut [Json], body: &mut Json) {
        let mut told = Map::new();
        for (term, (fault, mut at)) in self.0 {
            // The last row may have been left out of the answer for lack of room.
            at.retain(|at| *at < rows.len());
            if at.len() < 2 {
                continue;
            }
            if let Some(errors) = rows[at[0]].get_mut("errors").and_then(Json::as_object_mut) {
                errors.shift_remove(&term);
                without_none(&mut rows[at[0]]);
            }
            let named = if at.len() < rows.len() { at } else { Vec::new() };
            for at in named {
                match rows[at].get_mut("failed").and_then(Json::as_array_mut) {
                    Some(failed) => failed.push(json!(term)),
                    None => rows[at]["failed"] = json!([term]),
                }
            }
            told.insert(term, fault);
        }
        if !told.is_empty() {
            body["errors"] = Json::Object(told);
        }
    }
}

fn without_none(row: &mut Json) {
    if let Some(row) = row.as_object_mut()
        && row.get("errors").and_then(Json::as_object).is_some_and(Map::is_empty)
    {
        row.shift_remove("errors");
    }
}

/// Moves a field from the elements to the answer itself, if it is the same for all elements.
pub(super) fn say_once(field: &str, elements: &mut [Json], body: &mut Json) {
    let Some(first) = elements.first().and_then(|element| element.get(field)).cloned() else { return };
    if first.is_null() || elements.iter().any(|element| element.get(field) != Some(&first)) {
        return;
    }
    body[field] = first;
    for element in elements.iter_mut().filter_map(Json::as_object_mut) {
        element.shift_remove(field);
    }
}
