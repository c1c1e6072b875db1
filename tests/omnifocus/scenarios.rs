//! Scenarios: a call and its answer, with the project's own world.
//!
//! A file contains cases in order: a line of words, the call, and the answer, with one line for each part that fits on
//! one. `writes` before a call says that the call changes the world for the later calls in the file. `UPDATE_EXPECT=1`
//! writes the answers; review the diff.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use iac_plugin::Json;

use crate::world::{World, write};

/// The maximum length of a line.
const WIDTH: usize = 150;

struct Case {
    says: String,
    call: String,
    answer: String,
}

fn read(text: &str) -> Vec<Case> {
    let case = |block: &str| {
        let (says, rest) = block.split_once('\n').unwrap();
        let (call, answer) = rest.split_once('\n').unwrap();
        Case { says: says.to_owned(), call: call.to_owned(), answer: format!("{}\n", answer.trim_end()) }
    };
    text.split("=== ").skip(1).map(case).collect()
}

fn check(path: &Path) {
    let mut world = World::new();
    let (mut wrong, mut whole) = (String::new(), String::new());
    for Case { says, call, answer: expected } in read(&std::fs::read_to_string(path).unwrap()) {
        let before = world.runs;
        let bare = call.strip_prefix("writes ");
        let (tool, arguments) = bare.unwrap_or(&call).split_once(' ').unwrap();
        let answer = world.call(tool, &serde_json::from_str(arguments).unwrap());
        assert!(bare.is_some() || world.runs <= before + 1, "{says}: one call is one run of a script");
        let mut answer_lines = String::new();
        lines(&told(&says, answer), "", &mut answer_lines);
        if answer_lines != expected {
            writeln!(wrong, "{says}\n{answer_lines}expected\n{expected}").unwrap();
        }
        writeln!(whole, "=== {says}\n{call}\n{answer_lines}").unwrap();
    }
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        write(path, &format!("{}\n", whole.trim_end()));
    } else {
        assert!(wrong.is_empty(), "{}:\n{wrong}", path.display());
    }
}

/// Removes parts that follow from the rest, and first checks that they do.
fn told(says: &str, mut answer: Json) -> Json {
    let map = answer.as_object_mut().unwrap();
    if map.contains_key("error") {
        return answer;
    }
    // The undo has its own tests.
    map.shift_remove("undo");
    if map["success"] == true {
        map.shift_remove("success");
    }
    let rows =
        map.get("data").and_then(Json::as_object).and_then(|data| data.values().find_map(Json::as_array));
    let rows = rows.map(Vec::len);
    let Some(metadata) = map.get_mut("metadata").and_then(Json::as_object_mut) else { return answer };
    if let (Some(returned), Some(rows)) = (metadata.shift_remove("returned_count"), rows) {
        assert_eq!(returned, rows, "{says}: the rows that are there are told");
    }
    if let Some(applied) = metadata.shift_remove("filters_applied") {
        let description = metadata["filter_description"].as_str().unwrap();
        for filter in applied.as_array().unwrap() {
            assert!(description.contains(filter.as_str().unwrap()), "{says}: each filter is described");
        }
    }
    metadata.shift_remove("limit");
    if metadata.get("truncated").is_some_and(|truncated| truncated == false) {
        metadata.shift_remove("truncated");
    }
    let total = metadata.get("total_count").cloned();
    if let Some(summary) = map.get_mut("summary").and_then(Json::as_object_mut) {
        assert_eq!(summary.shift_remove("total_count"), total, "{says}: one total");
        summary.shift_remove("returned_count");
    }
    answer
}

/// Writes a value with its path: on one line if it fits or contains only plain values, otherwise one line for each of
/// its parts.
fn lines(value: &Json, path: &str, out: &mut String) {
    let text = value.to_string();
    let is_short = path.chars().count() + text.chars().count() < WIDTH;
    match value {
        Json::Object(map) if path.is_empty() => map.iter().for_each(|(key, part)| lines(part, key, out)),
        Json::Object(map) if !is_short && !map.values().all(is_plain) => {
            map.iter().for_each(|(key, part)| lines(part, &format!("{path}.{key}"), out));
        }
        Json::Array(items) if !is_short && !items.iter().all(is_scalar) => {
            items.iter().enumerate().for_each(|(at, part)| lines(part, &format!("{path}[{at}]"), out));
        }
        _ => writeln!(out, "{path} {text}").unwrap(),
    }
}

fn is_scalar(value: &Json) -> bool {
    !value.is_object() && !value.is_array()
}

fn is_plain(value: &Json) -> bool {
    match value {
        Json::Array(items) => items.iter().all(is_scalar),
        Json::Object(map) => map.values().all(is_scalar) && map.len() < 4,
        _ => true,
    }
}

pub(crate) fn files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn every_scenario_has_its_answer() {
    let files = files("scenarios");
    assert!(files.len() >= 5, "{files:?}");
    files.iter().for_each(|path| check(path));
}
