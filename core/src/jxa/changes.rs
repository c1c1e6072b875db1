//! Writes as JavaScript: objects that are changed alike share their code, one row of data each.

use indexmap::IndexMap;
use serde_json::{Value as Json, json};

use super::command::Ways;
use super::data::Data;
use super::path::{End, path, pinned};
use crate::action::Preview;
use crate::change::{Change, Home, Slot, Span, Subject};
use crate::dictionary::Identifier;
use crate::specifier::{By, Segment};

/// Writes the body of a look at objects that would be changed; the answer has one entry for each, in their order.
pub(super) fn preview(wanted: &Preview, data: &mut Data) -> String {
    let mut groups = Groups::default();
    let end = if wanted.knows { End::Known } else { End::Sole };
    for subject in &wanted.subjects {
        let mut values = Vec::new();
        let way = match &wanted.anchors {
            Some(anchors) => pinned(&subject.path, anchors, end, &mut values),
            None => path(&subject.path, &mut values),
        };
        let call = format!(
            "p => {way}, {{ mark: {}, labels: [{}], gets: [{}], facts: [{}]{} }}",
            getter(subject.mark.as_ref()),
            subject.labels.iter().map(|label| getter(Some(label))).collect::<Vec<_>>().join(", "),
            gets(subject),
            subject.facts.iter().map(|fact| fact.look.getter()).collect::<Vec<_>>().join(", "),
            looks(subject),
        );
        groups.add(call, Json::from(values));
    }
    groups.write("preview", "", data)
}

/// Writes the body of a write; the answer has one entry for each object, in their order.
pub(super) fn changes(all: &[Change], data: &mut Data) -> String {
    let mut ways = Ways::default();
    let mut groups = Groups::default();
    for change in all {
        let (call, row) = one(change, &mut ways);
        groups.add(call, row);
    }
    let code = ways.code();
    let write = groups.write("changes", &format!(", [{code}]"), data);
    match all.first().and_then(|change| change.save.as_ref()) {
        // The rows are made before the app saves.
        Some(save) => format!("(rows => keep(() => app.{}(), rows))({write})", save.identifier),
        None => write,
    }
}

/// The code of a write, which objects that are changed alike share, and its row of data.
pub(super) fn one(change: &Change, ways: &mut Ways<'_>) -> (String, Json) {
    let mut values = Vec::new();
    let way = path(&change.subject.path, &mut values);
    let call = format!(
        "p => {way}, {{ mark: {}, {}{}{}{}, gets: [{}], sets: [{}] }}",
        getter(change.subject.mark.as_ref()),
        neighbours(&change.subject),
        change.subject.home.as_ref().map(filing).unwrap_or_default(),
        span(change.subject.span),
        looks(&change.subject),
        gets(&change.subject),
        change.subject.slots.iter().map(setter).collect::<Vec<_>>().join(", "),
    );
    let given: Vec<Json> = change.values.iter().map(|value| ways.encode(value)).collect();
    let mut row = vec![json!(values), json!(change.expected.mark), json!(change.expected.old), json!(given)];
    row.extend(change.expected.looks.clone());
    (call, Json::from(row))
}

/// If a name leads to the object, the script also reads the names of its neighbours, because two objects with one name
/// cannot be told apart. If the write sets the name, the script reads the object back by the new one.
fn neighbours(subject: &Subject) -> String {
    match (subject.path.last(), &subject.name) {
        (Some((container, Segment::Element(member, By::Name(_)))), Some(name)) => {
            let mut values = Vec::new();
            let from = format!("{}.{}", path(container, &mut values), member.identifier);
            let renames = subject.slots.iter().position(|slot| slot.identifier == *name);
            let renames = renames.map_or_else(|| "null".to_owned(), |at| at.to_string());
            format!(
                "names: p => {from}.{name}(), name: p => p[{}], renames: {renames}, named: (p, v) => {from}.byName(v), place: (p, i) => {from}.at(i)",
                values.len()
            )
        }
        _ => "names: null, renames: null".to_owned(),
    }
}

/// If a write moves an object elsewhere, the script looks for it there.
fn filing(home: &Home) -> String {
    let Home { slot, collection, id } = home;
    format!(", home: {slot}, leaf: x => x.{collection}, id: x => x.{id}()")
}

/// The indexes of the two dates of an object that takes time, because their order matters.
pub(super) fn span(span: Option<Span>) -> String {
    span.map(|span| format!(", span: {}", span.in_script())).unwrap_or_default()
}

/// The values that tell an object from another one of its name.
fn looks(subject: &Subject) -> String {
    let looks: Vec<String> = subject.looks.iter().map(|look| getter(Some(look))).collect();
    if looks.is_empty() { String::new() } else { format!(", looks: [{}]", looks.join(", ")) }
}

fn gets(subject: &Subject) -> String {
    let get = |slot: &Slot| getter(slot.readable.then_some(&slot.identifier));
    subject.slots.iter().map(get).collect::<Vec<_>>().join(", ")
}

pub(super) fn getter(identifier: Option<&Identifier>) -> String {
    identifier.map_or_else(|| "null".to_owned(), |identifier| format!("x => x.{identifier}()"))
}

fn setter(slot: &Slot) -> String {
    format!("(x, v) => {{ x.{} = v; }}", slot.identifier)
}

/// Rows grouped by their code, with their positions in the request.
#[derive(Default)]
struct Groups {
    calls: IndexMap<String, Vec<(usize, Json)>>,
    count: usize,
}

impl Groups {
    fn add(&mut self, call: String, row: Json) {
        self.calls.entry(call).or_default().push((self.count, row));
        self.count += 1;
    }

    fn write(self, function: &str, rest: &str, data: &mut Data) -> String {
        let calls: Vec<String> = self
            .calls
            .keys()
            .enumerate()
            .map(|(at, call)| format!("() => {function}(d.rows[{at}], {call}{rest})"))
            .collect();
        let (places, rows): (Vec<Vec<usize>>, Vec<Vec<Json>>) =
            self.calls.into_values().map(|group| group.into_iter().unzip()).unzip();
        data.set("places", &places);
        data.set("rows", &rows);
        format!("inOrder([{}])", calls.join(", "))
    }
}
