//! Our identifiers beside those of the public JXA typings, npm's `@jxa/types`.
//!
//! The typings were made from older dictionaries by different rules. `fixtures/sdef/typings.txt` lists every
//! difference under its reason; the test fails for a difference that is not listed, and for a listed one that no
//! longer exists. `tests/core/typings.sh` fetches the package and runs this test; without the package, the test prints
//! a note and passes.

use crate::dictionary_golden::fixtures;
use iac_core::dictionary::names::key;
use iac_core::dictionary::{Dictionary, Identifier, Includes, Property, parse};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// The typings' files and the corpus' dictionaries.
const APPS: [(&str, &str); 15] = [
    ("Calendar", "Calendar"),
    ("Contacts", "Contacts"),
    ("Finder", "Finder"),
    ("ImageEvents", "Image Events"),
    ("Keynote", "Keynote"),
    ("Mail", "Mail"),
    ("Messages", "Messages"),
    ("Notes", "Notes"),
    ("Reminders", "Reminders"),
    ("Safari", "Safari"),
    ("ScriptEditor", "Script Editor"),
    ("StandardAdditions", "StandardAdditions"),
    ("SystemEvents", "System Events"),
    ("Terminal", "Terminal"),
    ("TextEdit", "TextEdit"),
];

/// The identifiers of each place, such as `property of Message`.
type Identifiers = BTreeMap<String, BTreeSet<String>>;

#[test]
fn identifiers_are_those_of_the_typings_but_for_reasons() {
    let (Some(corpus), Some(package)) = (crate::dictionary::corpus(), package()) else { return };
    let mut differences = BTreeSet::new();
    for (file, name) in APPS {
        let typings = std::fs::read_to_string(package.join(format!("src/core/{file}.d.ts"))).unwrap();
        let bytes = std::fs::read(corpus.join(format!("{name}.sdef"))).unwrap();
        // The typings of Messages were made from a dictionary that included the standard suite.
        let standard = if name == "Messages" { Includes::new() } else { without_standard_suite() };
        let (dictionary, _) = parse(&bytes, &standard);
        compare(name, &ours(&dictionary), &theirs(&typings), &mut differences);
    }
    let listed = listed();
    let unlisted: Vec<&String> = differences.iter().filter(|line| !listed.contains_key(*line)).collect();
    assert!(unlisted.is_empty(), "differences without a reason:\n{}", lines(&unlisted));
    let gone: Vec<&String> = listed.keys().filter(|line| !differences.contains(*line)).collect();
    assert!(gone.is_empty(), "reasons without a difference:\n{}", lines(&gone));
    println!("{} differences, each with its reason", differences.len());
}

/// The typings follow no includes, so this test does not either; the standard suite has other tests.
fn without_standard_suite() -> Includes {
    let path = "/System/Library/ScriptingDefinitions/CocoaStandard.sdef".to_owned();
    Includes::from([(path, b"<dictionary/>".to_vec())])
}

/// The unpacked package; without it, the test prints a note and passes.
fn package() -> Option<PathBuf> {
    let package = std::env::var_os("IAC_MCP_JXA_TYPES").map(PathBuf::from);
    if package.is_none() {
        println!("skipped: IAC_MCP_JXA_TYPES names no unpacked @jxa/types; tests/core/typings.sh fetches it");
    }
    package
}

/// The committed differences, each with its reason.
fn listed() -> BTreeMap<String, String> {
    let text = std::fs::read_to_string(fixtures().join("typings.txt")).unwrap();
    let mut reason = String::new();
    let mut listed = BTreeMap::new();
    for line in text.lines().filter(|line| !line.is_empty()) {
        match line.strip_prefix("# ") {
            Some(text) => text.clone_into(&mut reason),
            None => assert!(
                !reason.is_empty() && listed.insert(line.to_owned(), reason.clone()).is_none(),
                "`{line}` stands twice or has no reason"
            ),
        }
    }
    listed
}

fn lines(lines: &[&String]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn compare(app: &str, ours: &Identifiers, theirs: &Identifiers, differences: &mut BTreeSet<String>) {
    let none = BTreeSet::new();
    let places: BTreeSet<&String> = ours.keys().chain(theirs.keys()).collect();
    for place in places {
        let (ours, theirs) = (ours.get(place).unwrap_or(&none), theirs.get(place).unwrap_or(&none));
        for identifier in ours.difference(theirs) {
            let other = theirs.iter().find(|other| key(other) == key(identifier));
            differences.insert(match other {
                Some(other) => format!("{app}: {place}: {identifier}, theirs {other}"),
                None => format!("{app}: {place}: {identifier}, only ours"),
            });
        }
        let ours: BTreeSet<String> = ours.iter().map(|identifier| key(identifier)).collect();
        for identifier in theirs.iter().filter(|identifier| !ours.contains(&key(identifier))) {
            differences.insert(format!("{app}: {place}: {identifier}, only theirs"));
        }
    }
}

/// The identifiers of classes, records, properties, commands and parameters in a dictionary's own file.
fn ours(dictionary: &Dictionary) -> Identifiers {
    let mut found = Identifiers::new();
    let mut put = |place: &str, term: &str, identifier: Option<Identifier>| {
        let identifier = identifier.map_or_else(|| format!("none for `{term}`"), |each| each.to_string());
        found.entry(place.to_owned()).or_default().insert(identifier);
    };
    let mut class = |name: &str, properties: &[Property]| {
        put("class", name, Identifier::of_class(name));
        let place = format!("property of {}", key(name));
        for property in properties.iter().filter(|property| !property.built_in) {
            put(&place, &property.name, Identifier::of(&property.name));
        }
    };
    dictionary
        .classes
        .values()
        .filter(|each| !each.built_in)
        .for_each(|each| class(&each.name, &each.properties));
    dictionary
        .records
        .values()
        .filter(|each| !each.built_in)
        .for_each(|each| class(&each.name, &each.properties));
    for command in dictionary.commands.iter().filter(|command| !command.built_in) {
        put("command", &command.name, Identifier::of(&command.name));
        for parameter in &command.parameters {
            let place = format!("parameter of {}", key(&command.name));
            put(&place, &parameter.name, Identifier::of(&parameter.name));
        }
    }
    found
}

/// The identifiers in a typings file: interfaces are classes and records, interfaces with `OptionalParameter` in their
/// name are parameters, and the last interface, which extends another, has the commands.
fn theirs(typings: &str) -> Identifiers {
    let mut found = Identifiers::new();
    let mut place: Option<String> = None;
    for line in typings.lines().map(str::trim).filter(|line| !line.starts_with(['*', '/'])) {
        if let Some(header) = line.strip_prefix("export interface ") {
            let name = header.split([' ', '{']).next().unwrap_or_default();
            let of = place_of(name, header);
            if of.starts_with("property") {
                found.entry("class".to_owned()).or_default().insert(name.to_owned());
            }
            place = (!header.ends_with("{}")).then_some(of);
        } else if line.starts_with('}') {
            place = None;
        } else if let (Some(place), Some(end)) = (&place, line.find(['(', '?', ':'])) {
            found.entry(place.clone()).or_default().insert(line[..end].to_owned());
        }
    }
    found
}

fn place_of(name: &str, header: &str) -> String {
    let options = name.trim_end_matches(|c: char| c.is_ascii_digit()).strip_suffix("OptionalParameter");
    match options {
        Some(command) => format!("parameter of {}", key(command)),
        None if header.contains(" extends ") => "command".to_owned(),
        None => format!("property of {}", key(name)),
    }
}
