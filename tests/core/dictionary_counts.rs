//! Compares the description of a dictionary with the counts of an independent reader.

use crate::dictionary_golden::{fixtures, read_with};
use iac_core::dictionary::describe::describe;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

#[test]
fn the_corpus_says_the_same_to_an_independent_reader() {
    let Some(corpus) = crate::dictionary::corpus() else { return };
    check(&corpus, files(&corpus));
}

#[test]
fn the_fixtures_say_the_same_to_an_independent_reader() {
    check(&fixtures().join("included"), files(&fixtures().join("ok")));
}

fn check(includes: &Path, files: Vec<PathBuf>) {
    let Some(expected) = independent(includes, &files) else { return };
    for file in files {
        let expected = &expected[file.to_str().unwrap()];
        let (dictionary, problems) = read_with(&file, includes);
        let actual = summary(&describe(&dictionary, &problems));
        for part in ["classes", "commands", "events", "enumerations", "records", "values"] {
            let (actual, expected) = (sorted(&actual[part]), sorted(&expected[part]));
            assert_eq!(actual, expected, "{part} of {}", file.display());
        }
    }
}

/// Sorts the lists; the test does not compare which of two commands with the same name comes first.
fn sorted(part: &Value) -> Value {
    let mut part = part.clone();
    if let Value::Array(items) = &mut part {
        items.sort_by_key(Value::to_string);
    }
    part
}

/// Runs the reader in Python; without Python, the test prints a note and passes.
fn independent(includes: &Path, files: &[PathBuf]) -> Option<Value> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/core/sdef_counts.py");
    let output = match Command::new("python3").arg(script).arg(includes).args(files).output() {
        Ok(output) => output,
        Err(error) => {
            println!("skipped: python3 does not start: {error}");
            return None;
        }
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(serde_json::from_slice(&output.stdout).unwrap())
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "sdef"));
    files.sort();
    assert!(!files.is_empty(), "{} holds dictionaries", folder.display());
    files
}

/// Converts a description to the form of the independent reader.
fn summary(described: &Value) -> Value {
    let names = |of: &Value, key: &str| -> BTreeSet<String> {
        of.as_array().unwrap().iter().map(|each| each[key].as_str().unwrap().to_owned()).collect()
    };
    let class = |class: &Value| {
        let summary = json!({
            "inherits": class["inherits"],
            "properties": names(&class["properties"], "name"),
            "elements": names(&class["elements"], "type"),
            "inheritedProperties": names(&class["inherited"]["properties"], "name"),
            "inheritedElements": names(&class["inherited"]["elements"], "type"),
        });
        (class["name"].as_str().unwrap().to_owned(), summary)
    };
    let classes: BTreeMap<String, Value> =
        described["classes"].as_array().unwrap().iter().map(class).collect();
    let commands = |key: &str| described[key].as_array().unwrap().iter().map(command).collect::<Vec<Value>>();
    let named = |key: &str, member: &str| -> BTreeMap<String, BTreeSet<String>> {
        let all = described[key].as_array().unwrap().iter();
        all.map(|each| (each["name"].as_str().unwrap().to_owned(), names(&each[member], "name"))).collect()
    };
    json!({
        "classes": classes,
        "commands": commands("commands"),
        "events": commands("events"),
        "enumerations": named("enumerations", "enumerators"),
        "records": named("records", "properties"),
        "values": names(&described["values"], "name"),
    })
}

fn command(command: &Value) -> Value {
    let parameters: Vec<&Value> =
        command["parameters"].as_array().unwrap().iter().map(|parameter| &parameter["name"]).collect();
    let direct = !command["directParameter"].is_null();
    json!([command["name"], command["code"], direct, parameters, !command["result"].is_null()])
}
