//! Every command of every dictionary: its level, its schema, and its name as a tool.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use iac_core::app::STANDARD_ADDITIONS;
use iac_core::catalog::Catalog;
use iac_core::dictionary::Command;
use iac_core::permission::classify_command;
use serde_json::Value as Json;

use crate::support;
use crate::support::corpus::{all, corpus, dictionary};

/// A person has checked each line of this list; a change of a line is a decision.
#[test]
fn every_command_of_the_corpus_has_its_level() {
    let Some(apps) = corpus() else { return };
    let mut table = String::from("app\tcode\tcommand\tlevel\tshell\treason\n");
    for app in &apps {
        let mut lines = BTreeSet::new();
        let is_app = &*app.bundle_id != STANDARD_ADDITIONS;
        for command in dictionary(app).commands.iter().filter(|command| is_app || !command.built_in) {
            let found = classify_command(&app.bundle_id, command, &[]);
            let shell = if found.is_shell { "shell" } else { "" };
            let code = command.code.escape_default();
            lines.insert(format!(
                "{}\t{code}\t{}\t{}\t{shell}\t{}",
                app.name,
                command.name,
                found.level.as_str(),
                found.reason
            ));
        }
        lines.iter().for_each(|line| writeln!(table, "{line}").unwrap());
    }
    support::expect(&support::root().join("fixtures/permission/levels.tsv"), &table).unwrap();
}

/// Not every checkout has the corpus, but the tables must be right in all of them.
#[test]
fn every_line_holds_without_the_corpus() {
    for line in include_str!("../../fixtures/permission/levels.tsv").lines().skip(1) {
        let [app, code, name, level, shell, reason] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        // Only these apps have rows of their own in the tables.
        let app = match app {
            "BBEdit" => "com.barebones.bbedit",
            "Finder" => "com.apple.finder",
            "iTerm2" => "com.googlecode.iterm2",
            "StandardAdditions" => STANDARD_ADDITIONS,
            "System Events" => "com.apple.systemevents",
            "Terminal" => "com.apple.Terminal",
            _ => "x.y",
        };
        let command = Command { name: name.into(), code: code.into(), ..Command::default() };
        let found = classify_command(app, &command, &[]);
        let is_shell = shell == "shell";
        assert_eq!(
            (found.level.as_str(), found.is_shell, &*found.reason),
            (level, is_shell, reason),
            "{line}"
        );
    }
}

#[test]
fn every_schema_is_valid_and_what_clients_take() {
    let apps = all();
    let catalog = Catalog::new(&apps, &BTreeSet::new(), &[]);
    let mut wrong = Vec::new();
    for tool in catalog.tools() {
        if let Err(error) = jsonschema::draft202012::meta::validate(&tool.input_schema) {
            wrong.push(format!("{}: {error}", tool.name));
        }
        jsonschema::draft202012::new(&tool.input_schema).unwrap();
        lint(&tool.input_schema, &tool.name, true, &mut wrong);
        let size = tool.input_schema.to_string().len() + tool.description.len();
        if size > 3 * 1024 {
            wrong.push(format!("{}: {size} bytes", tool.name));
        }
        if tool.description.chars().any(char::is_control) {
            wrong.push(format!("{}: {}", tool.name, tool.description));
        }
    }
    println!("{} tools of {} apps", catalog.tools().count(), apps.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Parts of a schema that some client refuses: see the tests of the whole catalog.
fn lint(schema: &Json, place: &str, is_root: bool, wrong: &mut Vec<String>) {
    let Some(fields) = schema.as_object() else {
        wrong.push(format!("{place}: a schema is no object"));
        return;
    };
    let mut refuse = |what: &str| wrong.push(format!("{place}: {what}"));
    if is_root && (fields.get("type") != Some(&Json::from("object")) || !fields.contains_key("properties")) {
        refuse("the root is no plain object");
    }
    for word in ["$ref", "$schema", "$defs", "const", "oneOf", "allOf", "not", "if"] {
        if fields.contains_key(word) {
            refuse(word);
        }
    }
    if is_root && fields.contains_key("anyOf") {
        refuse("a union at the root");
    }
    if fields.get("type").is_some_and(|kind| !kind.is_string()) {
        refuse("a list of types");
    }
    if !fields.contains_key("type") && !fields.contains_key("anyOf") {
        refuse("no type");
    }
    if let Some(names) = fields.get("enum").and_then(Json::as_array) {
        let unique: BTreeSet<String> = names.iter().map(Json::to_string).collect();
        if names.is_empty() || unique.len() != names.len() {
            refuse("an enumeration that is empty or repeats itself");
        }
    }
    for (name, property) in fields.get("properties").and_then(Json::as_object).into_iter().flatten() {
        let legal = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
        if !name.chars().all(legal) || name.len() > 64 {
            wrong.push(format!("{place}.{name}: a name that is not plain"));
        }
        lint(property, &format!("{place}.{name}"), false, wrong);
    }
    if let Some(items) = fields.get("items") {
        lint(items, &format!("{place}[]"), false, wrong);
    }
    for each in fields.get("anyOf").and_then(Json::as_array).into_iter().flatten() {
        lint(each, &format!("{place}|"), false, wrong);
    }
}

#[test]
fn names_are_short_plain_unique_and_stay() {
    let mut apps = all();
    let catalog = Catalog::new(&apps, &BTreeSet::new(), &[]);
    let names: Vec<&str> = catalog.tools().map(|tool| tool.name.as_str()).collect();
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    for name in &names {
        assert!(name.len() <= 40 && name.chars().all(plain), "{name}");
    }
    let unique: BTreeSet<&str> = names.iter().copied().collect();
    assert_eq!(unique.len(), names.len());
    apps.reverse();
    assert_eq!(
        Catalog::new(&apps, &BTreeSet::new(), &[]),
        catalog,
        "the order of the apps makes no difference"
    );
    let taken: BTreeSet<String> = ["mail_send".to_owned()].into();
    let other = Catalog::new(&apps, &taken, &[]);
    let tools: Vec<&str> =
        other.tools().filter(|tool| tool.title == "Mail: send").map(|tool| tool.name.as_str()).collect();
    assert!(!tools.is_empty() && tools.iter().all(|name| name.starts_with("mail_send_")), "{tools:?}");
}
