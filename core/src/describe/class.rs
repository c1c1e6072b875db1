//! One class: its properties with their types, its elements, its inherited members and the paths to it.

use serde_json::{Value as Json, json};

use super::budget::{Answer, Texts};
use super::{LARGEST, reach, term, unknown};
use crate::app::App;
use crate::dictionary::{APPLICATION, Class, Dictionary, Property, TypeExpr};
use crate::fault::Fault;
use crate::foreign;

/// How much of a property's description is shown.
const WORDS: usize = 90;

/// Enumerations with more values are only named.
const MOST_VALUES: usize = 8;

/// How much of the names of an element's properties is shown.
const MOST_OF_ELEMENT: usize = 120;

const NEXT: &str = "ask for the class that it inherits from, or search for a property by its name";

pub(super) fn class(app: &App, dictionary: &Dictionary, wanted: &str) -> Result<Json, Fault> {
    let class = find(app, dictionary, wanted)?;
    let lineage = dictionary.lineage(&class.name);
    let mut first =
        json!({ "app": &*app.bundle_id, "class": term(&class.name), "plural": term(&class.plural) });
    let above: Vec<String> = lineage.iter().skip(1).map(|class| term(&class.name)).collect();
    if !above.is_empty() {
        first["inherits"] = json!(above);
    }
    let said = foreign::clean(class.description.as_deref().unwrap_or_default(), 200);
    if !said.is_empty() {
        first["description"] = json!(format!("— {said}"));
    }
    let mut answer = Answer::new(first, LARGEST);
    answer.list("foundAs", found(dictionary, class), 15);
    answer.table("properties", rows(dictionary, class, &[]), 70);
    answer.list("elements", elements(dictionary, &class.name), 40);
    answer.table("inheritedProperties", inherited(dictionary, &lineage), 70);
    answer.list("commands", responds(dictionary, class), 100);
    Ok(answer.finish(NEXT))
}

/// The settable parts of a class, for making and changing objects: writable properties, and elements.
pub(super) fn settable(app: &App, dictionary: &Dictionary, wanted: &str) -> Result<Json, Fault> {
    let class = find(app, dictionary, wanted)?;
    let taken = |class: &str| {
        let all = dictionary.properties(class).into_iter();
        all.filter(|property| property.access.can_write() && !property.hidden)
    };
    let rows =
        taken(&class.name).map(|property| (term(&property.name), texts(property, dictionary))).collect();
    let mut answer = Answer::new(json!({ "name": term(&class.name) }), LARGEST);
    answer.table("properties", rows, 70);
    // One call makes an object and what is in it, so their properties are shown too.
    let held = dictionary.elements(&class.name).into_iter().filter(|element| !element.hidden);
    let held = held.map(|element| {
        let names: Vec<String> = taken(&element.class).map(|property| term(&property.name)).collect();
        let long = foreign::clean(&names.join(", "), MOST_OF_ELEMENT);
        (term(&element.class), Texts { short: String::new(), long })
    });
    answer.table("elements", held.collect(), 40);
    Ok(answer.finish(NEXT))
}

fn find<'d>(app: &App, dictionary: &'d Dictionary, wanted: &str) -> Result<&'d Class, Fault> {
    dictionary.class(wanted).ok_or_else(|| {
        let known = dictionary.classes.values().filter(|class| !class.hidden);
        unknown(app, "class", wanted, known.map(|class| class.name.as_str()))
    })
}

/// Whether a property holds one object.
pub(super) fn is_object(kind: &TypeExpr, dictionary: &Dictionary) -> bool {
    kind.0.iter().any(|each| {
        !each.list
            && each.name != APPLICATION
            && each.name != "text"
            && dictionary.classes.contains_key(&each.name)
    })
}

/// The shortest paths to its objects, in words.
fn found(dictionary: &Dictionary, class: &Class) -> Vec<Json> {
    let routes = reach::routes(dictionary, &class.name);
    routes.iter().take(3).map(|route| json!(route.to_string())).collect()
}

fn rows(dictionary: &Dictionary, class: &Class, hidden_by: &[&Property]) -> Vec<(String, Texts)> {
    let visible = class.properties.iter().filter(|property| !property.hidden);
    let own = visible.filter(|property| !hidden_by.iter().any(|known| known.name == property.name));
    own.map(|property| (term(&property.name), texts(property, dictionary))).collect()
}

fn inherited(dictionary: &Dictionary, lineage: &[&Class]) -> Vec<(String, Texts)> {
    let mut known: Vec<&Property> =
        lineage.first().map(|class| class.properties.iter().collect()).unwrap_or_default();
    let mut all = Vec::new();
    for class in lineage.iter().skip(1) {
        all.extend(rows(dictionary, class, &known));
        known.extend(&class.properties);
    }
    all
}

fn texts(property: &Property, dictionary: &Dictionary) -> Texts {
    let mut short = kind(&property.kind, dictionary);
    if !property.access.can_write() {
        short.push_str(", read-only");
    }
    if !property.access.can_read() {
        short.push_str(", write-only");
    }
    let said = foreign::clean(property.description.as_deref().unwrap_or_default(), WORDS);
    let long = if said.is_empty() { short.clone() } else { format!("{short} — {said}") };
    Texts { short, long }
}

/// A type in words; the values of a small enumeration are listed.
pub(super) fn kind(kind: &TypeExpr, dictionary: &Dictionary) -> String {
    let one = |each: &crate::dictionary::TypeRef| {
        let list = if each.list { "list of " } else { "" };
        let values =
            dictionary.enumerations.get(&each.name).filter(|found| found.enumerators.len() <= MOST_VALUES);
        let values = values.map(|found| {
            let names: Vec<&str> = found.enumerators.iter().map(|value| value.name.as_str()).collect();
            format!(" ({})", names.join(" | "))
        });
        format!("{list}{}{}", each.name, values.unwrap_or_default())
    };
    let shown: Vec<String> = kind.0.iter().filter(|each| each.name != "missing value").map(one).collect();
    if shown.is_empty() { "any".to_owned() } else { foreign::clean(&shown.join(" or "), 160) }
}

fn elements(dictionary: &Dictionary, class: &str) -> Vec<Json> {
    let visible = dictionary.elements(class).into_iter().filter(|element| !element.hidden);
    visible.map(|element| json!(term(&element.class))).collect()
}

fn responds(dictionary: &Dictionary, class: &Class) -> Vec<Json> {
    dictionary.responds_to(&class.name).into_iter().map(|name| json!(term(name))).collect()
}
