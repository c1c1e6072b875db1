//! From an approved action to a script.

use indexmap::IndexMap;
use serde_json::{Value as Json, json};

use super::{PRELUDE, Script, literal, path::path};
use crate::action::{Action, Column, Deed, Elements, Identity, Wanted};
use crate::call::TextWindow;
use crate::dictionary::Identifier;
use crate::permission::Approved;
use crate::plan::Costs;
use crate::specifier::{By, Path, Segment};

/// Stands between the prelude and what belongs to the request.
pub(super) const BODY: &str = "\nreturn run(app => ";

/// Writes the script of an approved action.
pub(crate) fn script(approved: &Approved, costs: &Costs) -> Script {
    let Action { app, deed } = approved.action();
    let mut data = json!({ "app": &**app });
    let body = match deed {
        Deed::Running { apps } => {
            data = json!({ "apps": apps });
            "running(d.apps)".to_owned()
        }
        Deed::Look { path, identity } => look(path, identity, &mut data),
        Deed::Value { path, text } => value(path, *text, &mut data),
        Deed::Properties { objects, text } => properties(objects, *text, &mut data),
        Deed::Elements(wanted) => elements(wanted, costs, &mut data),
    };
    Script { code: format!("d => {{\n{PRELUDE}{BODY}{body});\n}}"), data: literal::ascii(&data) }
}

fn look(to: &Path, identity: &Identity, data: &mut Json) -> String {
    let Some((container, segment)) = to.last() else { return "null".to_owned() };
    let object = at(to, data);
    match (segment, identity) {
        (Segment::Element(member, By::Index(_)), Identity::Name(name)) => {
            let mut ignored = Vec::new();
            let collection = format!("{}.{}", path(container, &mut ignored), member.identifier);
            format!("{{ const p = d.p; return named({collection}, {object}, x => x.{name}()); }}")
        }
        (Segment::Element(..), Identity::Id(id) | Identity::Name(id)) => {
            format!("{{ const p = d.p; return look({object}, x => x.{id}()); }}")
        }
        _ => format!("{{ const p = d.p; return value({object}); }}"),
    }
}

fn value(to: &Path, text: TextWindow, data: &mut Json) -> String {
    data["text"] = window(text);
    let object = at(to, data);
    format!("{{ const p = d.p; return value({object}); }}")
}

/// Objects that are reached the same way and read the same way share their code: one row of data each.
fn properties(objects: &[Wanted], text: TextWindow, data: &mut Json) -> String {
    let mut groups: IndexMap<(String, String), Vec<(usize, Json)>> = IndexMap::new();
    for (place, wanted) in objects.iter().enumerate() {
        let mut values = Vec::new();
        let way = path(&wanted.path, &mut values);
        groups.entry((way, reads(wanted.columns.as_deref()))).or_default().push((place, Json::from(values)));
    }
    let calls: Vec<String> = groups
        .keys()
        .enumerate()
        .map(|(at, (way, reads))| format!("objects(d.rows[{at}], p => {way}, {reads})"))
        .collect();
    let (places, rows): (Vec<Vec<usize>>, Vec<Vec<Json>>) =
        groups.into_values().map(|group| group.into_iter().unzip()).unzip();
    data["text"] = window(text);
    data["rows"] = json!(rows);
    data["places"] = json!(places);
    format!(
        "{{ const found = []; [{}].forEach((group, g) => group.forEach((each, i) => {{ found[d.places[g][i]] = each; }})); return found; }}",
        calls.join(", ")
    )
}

fn reads(columns: Option<&[Column]>) -> String {
    match columns {
        None => "null".to_owned(),
        Some(columns) => format!("[{}]", columns.iter().map(getter).collect::<Vec<_>>().join(", ")),
    }
}

fn elements(wanted: &Elements, costs: &Costs, data: &mut Json) -> String {
    data["text"] = window(wanted.text);
    data["filter"] = wanted.filter.as_ref().map_or(Json::Null, |filter| filter.to_data());
    data["sort"] = json!(wanted.sort);
    data["limit"] = json!(wanted.limit);
    data["offset"] = json!(wanted.offset);
    data["event"] = json!(costs.event);
    data["single"] = json!(costs.single);
    data["value"] = json!(costs.value);
    let container = at(&wanted.container, data);
    let columns: Vec<String> = wanted.columns.iter().map(getter).collect();
    let long: Vec<&str> =
        wanted.columns.iter().map(|column| if column.long { "true" } else { "false" }).collect();
    let (id, unique, pick) = match &wanted.identity {
        Identity::Id(id) => (format!("x => x.{id}()"), true, "(c, id) => c.byId(id)"),
        Identity::Name(name) => (format!("x => x.{name}()"), false, "(c, id) => c.byName(id)"),
        Identity::Index => ("null".to_owned(), true, "(c, id) => c.at(id)"),
    };
    format!(
        "{{ const p = d.p; return elements({container}.{}, {{ id: {id}, unique: {unique}, pick: {pick}, wanted: {}, long: [{}], columns: [{}] }}); }}",
        wanted.collection.identifier,
        wanted.wanted,
        long.join(", "),
        columns.join(", "),
    )
}

fn at(to: &Path, data: &mut Json) -> String {
    let mut values = Vec::new();
    let code = path(to, &mut values);
    data["p"] = Json::from(values);
    code
}

fn getter(column: &Column) -> String {
    let way: Vec<&str> = column.identifiers.iter().map(Identifier::as_str).collect();
    format!("x => x.{}()", way.join("."))
}

fn window(text: TextWindow) -> Json {
    json!([text.offset, text.limit])
}
