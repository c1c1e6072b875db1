//! An overview of an app's dictionary.

use serde_json::{Map, Value as Json, json};

use super::budget::Answer;
use super::class::is_object;
use super::term;
use crate::app::App;
use crate::dictionary::{APPLICATION, Command, Dictionary, Way};
use crate::permission::{LevelRule, classify_command};

/// The largest overview, in bytes. Most apps fit into it.
const LARGEST: usize = 2 * 1024;

/// An app with more classes than [`MANY`] gets more room, because its classes take most of the answer.
const LARGEST_OF_MANY: usize = 4 * 1024;
const MANY: usize = 50;

const NEXT: &str = "ask again with class, command, enumeration, search or reach";

pub(super) fn overview(app: &App, dictionary: &Dictionary, rules: &[LevelRule]) -> Json {
    let classes: Vec<Json> = dictionary
        .classes
        .values()
        .filter(|class| !class.hidden && !class.built_in && class.name != APPLICATION)
        .map(|class| json!(term(&class.name)))
        .collect();
    let most = if classes.len() > MANY { LARGEST_OF_MANY } else { LARGEST };
    let mut first = json!({ "app": &*app.bundle_id, "name": term(&app.name), "version": term(&app.version) });
    if dictionary.way != Way::Sdef {
        first["termsFrom"] = dictionary.way.as_str().into();
    }
    let mut answer = Answer::new(first, most);
    let (objects, values) = if app.is_program() { application(dictionary) } else { Default::default() };
    let held = if app.is_program() { elements(dictionary) } else { Vec::new() };
    answer.list("elementsOfApplication", held, 25);
    answer.list("objectsOfApplication", objects, 25);
    answer.add("commands", commands(app, dictionary, rules));
    answer.list("classes", classes, 60);
    answer.list("propertiesOfApplication", values, 50);
    answer.list("enumerations", enumerations(dictionary), 100);
    answer.finish(NEXT)
}

fn elements(dictionary: &Dictionary) -> Vec<Json> {
    let visible = dictionary.elements(APPLICATION).into_iter().filter(|element| !element.hidden);
    visible.map(|element| json!(term(&element.class))).collect()
}

/// Properties of the application: those that hold objects, with their class, and the others.
fn application(dictionary: &Dictionary) -> (Vec<Json>, Vec<Json>) {
    let visible = dictionary.properties(APPLICATION).into_iter().filter(|property| !property.hidden);
    let (objects, values): (Vec<_>, Vec<_>) =
        visible.partition(|property| is_object(&property.kind, dictionary));
    let object = |property: &&crate::dictionary::Property| {
        json!(format!("{}: {}", term(&property.name), term(&property.kind.to_string())))
    };
    (objects.iter().map(object).collect(), values.iter().map(|value| json!(term(&value.name))).collect())
}

/// Command names by level. A command that only reads runs with `iac_mcp_read_command`.
fn commands(app: &App, dictionary: &Dictionary, rules: &[LevelRule]) -> Json {
    let mut by_level: Map<String, Json> = Map::new();
    let offered = |command: &&Command| !command.hidden && (app.is_program() || !command.built_in);
    for command in dictionary.commands.iter().filter(offered) {
        let level = classify_command(&app.bundle_id, command, rules).level.as_str();
        let names = by_level.entry(level).or_insert_with(|| json!([]));
        let name = json!(term(&command.name));
        if let Json::Array(names) = names
            && !names.contains(&name)
        {
            names.push(name);
        }
    }
    Json::Object(by_level)
}

fn enumerations(dictionary: &Dictionary) -> Vec<Json> {
    let visible = dictionary.enumerations.values().filter(|each| !each.hidden && !each.built_in);
    visible.map(|each| json!(term(&each.name))).collect()
}
