//! Suites and terminologies: a pair becomes the same dictionary that the system's converter makes of it.
//!
//! `fixtures/suites/{ok,err}/NAME.scriptSuite` and `NAME.scriptTerminology` are beside `NAME.json`, the description of
//! their dictionary without the system's own terms. `UPDATE_EXPECT=1` rewrites it.

use crate::dictionary::{corpus, read};
use crate::dictionary_golden::expect;
use iac_core::dictionary::describe::describe;
use iac_core::dictionary::lint::lint;
use iac_core::dictionary::sdef::{DEEPEST, MOST_BYTES, MOST_ELEMENTS};
use iac_core::dictionary::suites::{MOST_PAIRS, Pair, parse};
use iac_core::dictionary::{Access, Dictionary, Problem, ProblemKind, Way};
use plist::Value;
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::Value as Json;
use std::path::{Path, PathBuf};

#[test]
fn pairs_say_what_they_mean() {
    check_all("ok", |problems| assert_eq!(problems, [], "a good pair has no problems"));
}

#[test]
fn bad_pairs_say_what_is_wrong() {
    check_all("err", |problems| assert!(!problems.is_empty(), "a bad pair has problems"));
}

fn check_all(folder: &str, expect_problems: fn(&[Problem])) {
    let folder = fixtures().join(folder);
    let entries = std::fs::read_dir(&folder).unwrap();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "scriptSuite"));
    files.sort();
    assert!(!files.is_empty(), "{} holds suites", folder.display());
    for file in files {
        println!("{}", file.display());
        let (dictionary, problems) = parse(&[pair(&file)]);
        expect_problems(&problems);
        let described = without_the_systems(describe(&dictionary, &problems));
        expect(&file.with_extension("json"), serde_json::to_string_pretty(&described).unwrap() + "\n");
    }
}

/// Leaves out the terms that every pair gets.
fn without_the_systems(mut described: Json) -> Json {
    let (system, _) = parse(&[]);
    let system = describe(&system, &[]);
    for key in ["suites", "classes", "commands", "enumerations"] {
        let known = system[key].as_array().unwrap().clone();
        described[key].as_array_mut().unwrap().retain(|each| !known.contains(each));
    }
    described
}

fn pair(suite: &Path) -> Pair {
    let beside = suite.with_extension("scriptTerminology");
    let words = [suite.with_file_name("en.lproj").join(beside.file_name().unwrap()), beside];
    Pair {
        name: suite.file_stem().unwrap().to_string_lossy().into_owned(),
        suite: std::fs::read(suite).unwrap(),
        terminology: words.iter().find_map(|path| std::fs::read(path).ok()),
    }
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/suites")
}

/// The system's converter has written a dictionary for TextEdit. Our conversion of TextEdit's pair has the same terms.
#[test]
fn text_edit_is_what_the_systems_converter_makes_of_it() {
    let Some(corpus) = corpus() else { return };
    let resources = fixtures().join("../mac/System/Applications/TextEdit.app/Contents/Resources");
    let (ours, problems) = parse(&[pair(&resources.join("TextEdit.scriptSuite"))]);
    assert_eq!(problems, []);
    let (theirs, _) = read(&corpus, "TextEdit.sdef");
    // The converter loses the property that represents the whole document. Apple's own examples rely on it.
    assert_eq!(ours.classes["document"].contents.as_deref(), Some("text"));
    let (ours, theirs) = (bare(ours), bare(theirs));
    assert_eq!(theirs.classes.len(), 12);
    for (name, class) in &theirs.classes {
        assert_eq!(ours.classes.get(name), Some(class), "class {name}");
    }
    assert_eq!(ours.classes.len(), theirs.classes.len());
    assert_eq!(theirs.commands.len(), 13);
    assert_eq!(ours.commands, theirs.commands);
    assert_eq!(ours.enumerations, theirs.enumerations);
    assert_eq!(ours.suites, theirs.suites);
    assert_eq!(ours, theirs);
}

/// The dictionary without parts that do not matter to a script: descriptions, and the order of the terms.
fn bare(mut dictionary: Dictionary) -> Dictionary {
    dictionary.way = Way::default();
    // This suite has no terms, so it does not matter.
    dictionary.suites.retain(|suite| suite.name != "Type Names");
    dictionary.suites.iter_mut().for_each(|suite| suite.description = None);
    for class in dictionary.classes.values_mut() {
        (class.description, class.contents) = (None, None);
        class.properties.iter_mut().for_each(|each| each.description = None);
        class.properties.sort_by(|one, other| one.name.cmp(&other.name));
        class.elements.iter_mut().for_each(|each| each.description = None);
    }
    for command in &mut dictionary.commands {
        command.description = None;
        let parameters = command.parameters.iter_mut().chain(&mut command.direct);
        parameters.for_each(|each| each.description = None);
        command.result.iter_mut().for_each(|each| each.description = None);
    }
    for enumeration in dictionary.enumerations.values_mut() {
        enumeration.description = None;
        enumeration.enumerators.iter_mut().for_each(|each| each.description = None);
        enumeration.enumerators.sort_by(|one, other| one.name.cmp(&other.name));
    }
    dictionary
}

#[test]
fn without_a_pair_there_are_the_terms_of_the_system() {
    let (dictionary, problems) = parse(&[]);
    assert_eq!(problems, []);
    let counts = dictionary.counts();
    assert_eq!((counts.classes, counts.commands), (12, 13));
    assert_eq!(dictionary.property("window", "bounds").unwrap().kind.to_string(), "rectangle");
}

#[test]
fn every_form_of_property_list_says_the_same() {
    let ascii = pair(&fixtures().join("ok/kinds.scriptSuite"));
    let (expected, _) = parse(std::slice::from_ref(&ascii));
    let trees = [&ascii.suite, ascii.terminology.as_ref().unwrap()]
        .map(|bytes| Value::from_reader_ascii(bytes.as_slice()).unwrap());
    let written = |write: fn(&Value, &mut Vec<u8>)| {
        let [suite, terminology] = trees.each_ref().map(|tree| {
            let mut bytes = Vec::new();
            write(tree, &mut bytes);
            bytes
        });
        Pair { name: "kinds".to_owned(), suite, terminology: Some(terminology) }
    };
    let xml = written(|tree, bytes| tree.to_writer_xml(bytes).unwrap());
    let binary = written(|tree, bytes| tree.to_writer_binary(bytes).unwrap());
    let wide = |bytes: &[u8]| -> Vec<u8> {
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        [0xFF, 0xFE].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect()
    };
    let utf16 = Pair {
        suite: wide(&ascii.suite),
        terminology: ascii.terminology.as_deref().map(wide),
        ..ascii.clone()
    };
    for form in [xml, binary, utf16] {
        assert_eq!(parse(&[form]), (expected.clone(), Vec::new()));
    }
}

#[test]
fn an_own_suite_takes_the_place_of_the_systems() {
    let suite = r#"{ Name = NSCoreSuite; AppleEventCode = core; Classes = {
        NSApplication = { AppleEventCode = capp; Attributes = { mood = { Type = NSString; AppleEventCode = Mood; }; }; }; }; }"#;
    let words = "{ Name = Own; Classes = { NSApplication = { Name = application; Attributes = { mood = { Name = mood; }; }; }; }; }";
    let own = Pair { name: "NSCoreSuite".to_owned(), suite: suite.into(), terminology: Some(words.into()) };
    let (dictionary, problems) = parse(&[own]);
    assert!(dictionary.property("application", "mood").is_some());
    assert!(dictionary.class("window").is_none());
    // The class of texts inherits from the item class of the missing suite.
    let lost = problems.iter().filter(|problem| problem.kind.to_string().contains("superclass"));
    assert_eq!(lost.count(), 1, "{problems:?}");
}

#[test]
fn an_app_without_an_application_gets_a_bare_one() {
    let suite = "{ Name = NSCoreSuite; AppleEventCode = core; }";
    let words = Some(suite.into());
    let (dictionary, _) = parse(&[Pair { name: "x".to_owned(), suite: suite.into(), terminology: words }]);
    assert!(dictionary.classes["application"].built_in);
    assert!(dictionary.property("application", "version").is_some());
}

#[test]
fn read_only_elements_can_be_made() {
    let (dictionary, _) = parse(&[]);
    let (element, _) = dictionary.element("application", "window").unwrap();
    assert_eq!(element.access, Access::ReadWrite);
}

fn only_limit(suite: &[u8]) -> String {
    let terminology = Some(b"{ Name = Words; }".to_vec());
    let (dictionary, problems) = parse(&[Pair { name: "x".to_owned(), suite: suite.to_vec(), terminology }]);
    assert!(dictionary.classes.contains_key("window"), "the system's suites hold");
    let [problem] = problems.as_slice() else { panic!("one problem was expected: {problems:?}") };
    assert_eq!(problem.place, "x.scriptSuite");
    assert!(matches!(problem.kind, ProblemKind::Limit(_)), "{problem:?}");
    problem.kind.to_string()
}

#[test]
fn a_large_file_is_not_read() {
    assert_eq!(only_limit(&vec![b'{'; MOST_BYTES + 1]), "over the limit: larger than 10 MB");
}

#[test]
fn deep_nesting_ends() {
    let expected = format!("over the limit: nested deeper than {DEEPEST}");
    assert_eq!(only_limit("(".repeat(1_000_000).as_bytes()), expected);
    let xml = format!("<plist>{}", "<array>".repeat(1_000_000));
    assert_eq!(only_limit(xml.as_bytes()), expected);
}

#[test]
fn many_values_end() {
    let expected =
        format!("over the limit: more than {MOST_ELEMENTS} values in the property lists of one app");
    assert_eq!(only_limit(format!("{{ a = ({}); }}", "b, ".repeat(MOST_ELEMENTS)).as_bytes()), expected);
}

/// Each list names the list below it many times: 400 bytes that stand for 10^20 values.
#[test]
fn a_small_binary_file_does_not_grow() {
    let (mut bytes, mut offsets) = (b"bplist00".to_vec(), Vec::new());
    for level in 0..20_u8 {
        offsets.push(u8::try_from(bytes.len()).unwrap());
        bytes.extend([0xAA].into_iter().chain([level + 1; 10]));
    }
    offsets.push(u8::try_from(bytes.len()).unwrap());
    bytes.push(0x50);
    let table = u8::try_from(bytes.len()).unwrap();
    bytes.extend(&offsets);
    bytes.extend([0, 0, 0, 0, 0, 0, 1, 1]);
    for number in [u8::try_from(offsets.len()).unwrap(), 0, table] {
        bytes.extend([0, 0, 0, 0, 0, 0, 0, number]);
    }
    assert!(only_limit(&bytes).contains("values in the property lists"));
}

#[test]
fn suites_are_counted() {
    let one = pair(&fixtures().join("ok/flat.scriptSuite"));
    let (_, problems) = parse(&vec![one; MOST_PAIRS + 1]);
    assert!(problems.iter().any(|problem| problem.kind.to_string() == "over the limit: more than 50 suites"));
}

/// Keys and texts that mean something in a suite, and some that do not.
fn word() -> impl Strategy<Value = String> {
    let known = [
        "Name",
        "AppleEventCode",
        "AppleEventClassCode",
        "Classes",
        "Commands",
        "Enumerations",
        "Synonyms",
        "ValueTypes",
        "Attributes",
        "ToOneRelationships",
        "ToManyRelationships",
        "SupportedCommands",
        "Superclass",
        "Type",
        "ReadOnly",
        "Arguments",
        "UnnamedArgument",
        "Enumerators",
        "Optional",
        "PluralName",
        "Description",
        "DefaultSubcontainerAttribute",
        "NSApplication",
        "capp",
        "ctxt",
        "YES",
        "NSCoreSuite.NSApplication",
        "NSTextSuite.NSTextStorage",
        "NSNumber<SaveOptions>",
        "A",
        "B",
        "A.B",
    ];
    prop_oneof![4 => select(known.map(str::to_owned).to_vec()), 1 => ".{0,8}"]
}

fn tree() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        6 => word().prop_map(Value::from),
        1 => any::<bool>().prop_map(Value::from),
        1 => any::<i64>().prop_map(Value::from),
        1 => vec(any::<u8>(), 0..4).prop_map(Value::Data),
    ];
    leaf.prop_recursive(6, 120, 8, |inner| {
        let entries = btree_map(word(), inner.clone(), 0..8);
        let entries = entries.prop_map(|entries| Value::Dictionary(entries.into_iter().collect()));
        prop_oneof![6 => entries, 1 => vec(inner, 0..4).prop_map(Value::Array)]
    })
}

/// Every operation on a dictionary before the first question.
fn survives(pairs: &[Pair]) {
    let (dictionary, problems) = parse(pairs);
    describe(&dictionary, &problems);
    lint(&dictionary, &problems);
    for (name, class) in &dictionary.classes {
        assert_eq!(*name, class.name);
        assert!(class.inherits.as_ref() != Some(name));
        dictionary.properties(name);
        dictionary.elements(name);
    }
    assert!(dictionary.property("application", "version").is_some());
}

proptest! {
    // Each case reads the system's suites too.
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_property_list_breaks_the_reader(trees in vec((tree(), tree()), 1..3)) {
        let written = |tree: &Value| {
            let mut bytes = Vec::new();
            tree.to_writer_binary(&mut bytes).unwrap();
            bytes
        };
        let pairs = trees.iter().map(|(suite, words)| Pair {
            name: "random".to_owned(),
            suite: written(suite),
            terminology: Some(written(words)),
        });
        survives(&Vec::from_iter(pairs));
    }

    #[test]
    fn no_damage_breaks_the_reader(at in any::<proptest::sample::Index>(), new in vec(any::<u8>(), 0..4), form in 0..3_usize) {
        let mut pair = pair(&fixtures().join("ok/kinds.scriptSuite"));
        let tree = Value::from_reader_ascii(pair.suite.as_slice()).unwrap();
        match form {
            0 => {}
            1 => { pair.suite.clear(); tree.to_writer_xml(&mut pair.suite).unwrap(); }
            _ => { pair.suite.clear(); tree.to_writer_binary(&mut pair.suite).unwrap(); }
        }
        let from = at.index(pair.suite.len());
        let to = (from + 2).min(pair.suite.len());
        pair.suite.splice(from..to, new);
        survives(&[pair]);
    }

    #[test]
    fn no_bytes_break_the_reader(bytes in vec(any::<u8>(), 0..200), head in select(vec!["", "bplist00", "<plist><dict>", "{ Classes = {"])) {
        let suite = [head.as_bytes(), &bytes].concat();
        survives(&[Pair { name: "random".to_owned(), suite: suite.clone(), terminology: Some(suite) }]);
    }
}
