//! One enumeration: its values.

use serde_json::{Value as Json, json};

use super::budget::{Answer, Texts};
use super::{LARGEST, term, unknown};
use crate::app::App;
use crate::dictionary::{Dictionary, names};
use crate::fault::Fault;
use crate::foreign;

/// How much of a value's description is shown.
const WORDS: usize = 90;

pub(super) fn enumeration(app: &App, dictionary: &Dictionary, wanted: &str) -> Result<Json, Fault> {
    let key = names::key(wanted);
    let all = || dictionary.enumerations.values();
    let exact = dictionary.enumerations.get(wanted);
    let found = exact.or_else(|| all().find(|each| names::key(&each.name) == key)).ok_or_else(|| {
        unknown(app, "enumeration", wanted, all().filter(|each| !each.hidden).map(|each| each.name.as_str()))
    })?;
    let first = json!({ "app": &*app.bundle_id, "enumeration": term(&found.name) });
    let mut answer = Answer::new(first, LARGEST);
    let visible = found.enumerators.iter().filter(|value| !value.hidden);
    let texts = |said: &Option<String>| {
        let said = foreign::clean(said.as_deref().unwrap_or_default(), WORDS);
        let long = if said.is_empty() { said } else { format!("— {said}") };
        Texts { short: String::new(), long }
    };
    let rows = visible.map(|value| (term(&value.name), texts(&value.description))).collect();
    answer.table("values", rows, 100);
    Ok(answer.finish("search for a value by its name"))
}
