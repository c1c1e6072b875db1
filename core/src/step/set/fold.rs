//! Joins equal results of many objects, so that a change of two hundred has an answer of a few lines.

use indexmap::IndexMap;
use serde_json::{Map, Value as Json, json};

use crate::specifier::name_in;

/// If the same happened to at least this many objects, the answer says it once for all of them.
const ALIKE: usize = 4;

/// The same for one error: it is long.
const ALIKE_ERRORS: usize = 2;

/// The largest number of different values to show, and of objects for each; the others are counted.
const VALUES: usize = 8;
const OBJECTS: usize = 20;

/// The parts of an entry that may differ within a group.
const OWN: [&str; 4] = ["reference", "object", "old", "new"];

/// Joins entries that are equal for many objects.
pub(super) fn together(entries: Vec<Json>) -> Vec<Json> {
    let mut groups: IndexMap<String, Vec<Json>> = IndexMap::new();
    for entry in entries {
        groups.entry(json!(common(&entry)).to_string()).or_default().push(entry);
    }
    groups.into_values().flat_map(folded).collect()
}

/// The note for an object that was left as it was.
pub(super) const SO_ALREADY: &str = "the property already had this value; nothing was written";

/// The result for an object, without the object and its values; an error names the reference, too.
fn common(entry: &Json) -> Map<String, Json> {
    let mut rest = entry.as_object().cloned().unwrap_or_default();
    OWN.iter().for_each(|own| {
        rest.shift_remove(*own);
    });
    if let Some(error) = rest.get_mut("error").and_then(Json::as_object_mut) {
        error.shift_remove("reference");
    }
    rest
}

/// A group in one entry, if its objects are many and have the same old or the same new value.
fn folded(group: Vec<Json>) -> Vec<Json> {
    if group.len() >= ALIKE && group[0]["note"] == json!(SO_ALREADY) {
        let mut all = common(&group[0]);
        all.insert("count".to_owned(), json!(group.len()));
        return vec![Json::Object(all)];
    }
    let least = if group[0].get("error").is_some() { ALIKE_ERRORS } else { ALIKE };
    let is_same = |name: &str| group.iter().all(|entry| entry.get(name) == group[0].get(name));
    let differs = match (is_same("old"), is_same("new")) {
        _ if group.len() < least => return group,
        (true, true) => None,
        (false, true) => Some(("old", "olds")),
        (true, false) => Some(("new", "news")),
        (false, false) => return group,
    };
    let mut all = common(&group[0]);
    // Errors are never only counted, because each object needs its own answer.
    let most = if all.contains_key("error") { usize::MAX } else { OBJECTS };
    for name in ["old", "new"].iter().filter(|name| differs.is_none_or(|(one, _)| one != **name)) {
        if let Some(value) = group[0].get(*name) {
            all.insert((*name).to_owned(), value.clone());
        }
    }
    let Some((one, many)) = differs else {
        all.extend(objects(&group.iter().collect::<Vec<_>>(), most));
        return vec![Json::Object(all)];
    };
    let mut values: IndexMap<String, Vec<&Json>> = IndexMap::new();
    group.iter().for_each(|entry| values.entry(entry[one].to_string()).or_default().push(entry));
    let told = values.values().take(VALUES).map(|entries| {
        let mut value = Map::from_iter([(one.to_owned(), entries[0][one].clone())]);
        value.extend(objects(entries, OBJECTS / 4));
        Json::Object(value)
    });
    all.insert("count".to_owned(), json!(group.len()));
    all.insert(many.to_owned(), told.collect());
    let left: usize = values.values().skip(VALUES).map(Vec::len).sum();
    if left > 0 {
        all.insert("more".to_owned(), json!(left));
    }
    vec![Json::Object(all)]
}

/// The objects of entries: references, or short names if there are no references.
fn objects(entries: &[&Json], most: usize) -> Map<String, Json> {
    let references: Vec<&Json> = entries.iter().filter_map(|entry| entry.get("reference")).collect();
    let names = entries.iter().filter_map(|entry| entry.get("object")?.as_str());
    let names = names.map(|words| name_in(words).trim_matches('"').to_owned());
    let (name, told): (&str, Vec<Json>) = match references.as_slice() {
        [] => ("objects", names.map(Json::from).collect()),
        [one] if entries.len() == 1 => return Map::from_iter([("reference".to_owned(), (*one).clone())]),
        _ => ("reference", references.into_iter().cloned().collect()),
    };
    let left = told.len().saturating_sub(most);
    let mut map = Map::from_iter([(name.to_owned(), told.into_iter().take(most).collect())]);
    if left > 0 {
        map.insert("more".to_owned(), json!(left));
    }
    map
}
