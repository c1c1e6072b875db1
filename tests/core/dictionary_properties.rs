//! Properties that hold for every file, however broken, and for every term, however spelled.

use iac_core::dictionary::describe::describe;
use iac_core::dictionary::lint::lint;
use iac_core::dictionary::names::{key, near};
use iac_core::dictionary::{Dictionary, Identifier, Includes, Problem, parse};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

const KINDS: &str = include_str!("../../fixtures/sdef/ok/kinds.sdef");
const INCLUDES: &str = include_str!("../../fixtures/sdef/ok/includes.sdef");
const DEFECTS: &str = include_str!("../../fixtures/sdef/err/defects.sdef");

/// Runs every operation on a dictionary before the first question: none of them fails, and the result is complete.
fn read(bytes: &[u8], includes: &Includes) -> (Dictionary, Vec<Problem>) {
    let (dictionary, problems) = parse(bytes, includes);
    describe(&dictionary, &problems);
    lint(&dictionary, &problems);
    for (name, class) in &dictionary.classes {
        assert_eq!(*name, class.name);
        assert!(!class.plural.is_empty());
        assert!(class.inherits.as_ref() != Some(name));
        assert!(std::ptr::eq(dictionary.class(name).unwrap(), class));
        let seen = dictionary.properties(name);
        for property in &seen {
            assert!(std::ptr::eq(dictionary.property(name, &property.name).unwrap(), *property));
        }
        for property in dictionary.lineage(name).iter().flat_map(|class| &class.properties) {
            let first =
                seen.iter().find(|each| each.code == property.code).map(|each| std::ptr::from_ref(*each));
            assert_eq!(dictionary.property_of_code(name, &property.code).map(std::ptr::from_ref), first);
        }
    }
    for command in &dictionary.commands {
        let found = dictionary.commands_named(&command.name);
        assert!(found.iter().any(|each| std::ptr::eq(*each, command)));
    }
    let application = dictionary.properties("application");
    for always in ["name", "frontmost", "version", "id"] {
        assert!(application.iter().any(|property| property.name == always));
    }
    (dictionary, problems)
}

/// One change to a file's bytes.
#[derive(Clone, Debug)]
enum Change {
    Flip(Index, u8),
    Cut(Index, usize),
    Double(Index, usize),
    Insert(Index, &'static str),
}

fn change() -> impl Strategy<Value = Change> {
    let words = [
        "<",
        ">",
        "</class>",
        "\"",
        "&",
        "&#0;",
        "&amp",
        "<!--",
        "]]>",
        "<![CDATA[",
        "<?xml?>",
        "<!DOCTYPE x [",
        "\0",
        "é",
        "<xi:include href='a'>",
        "<class name='n'>",
        " type='list of list of x'",
        " code='0x00'",
        "<type>",
        "/>",
    ];
    prop_oneof![
        (any::<Index>(), any::<u8>()).prop_map(|(at, byte)| Change::Flip(at, byte)),
        (any::<Index>(), 1..200_usize).prop_map(|(at, length)| Change::Cut(at, length)),
        (any::<Index>(), 1..500_usize).prop_map(|(at, length)| Change::Double(at, length)),
        (any::<Index>(), select(words.to_vec())).prop_map(|(at, word)| Change::Insert(at, word)),
    ]
}

fn changed(bytes: &[u8], changes: &[Change]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for change in changes {
        let place = |at: &Index| at.index(bytes.len().max(1)).min(bytes.len());
        let end = |at: usize, length: usize| (at + length).min(bytes.len());
        match change {
            Change::Flip(at, byte) => {
                let at = place(at);
                bytes.splice(at..end(at, 1), [*byte]);
            }
            Change::Cut(at, length) => {
                let at = place(at);
                bytes.drain(at..end(at, *length));
            }
            Change::Double(at, length) => {
                let at = place(at);
                let part = bytes[at..end(at, *length)].to_vec();
                bytes.splice(at..at, part);
            }
            Change::Insert(at, word) => {
                let at = place(at);
                bytes.splice(at..at, word.bytes());
            }
        }
    }
    bytes
}

fn escaped(text: &str) -> String {
    text.chars().map(|c| format!("&#x{:x};", u32::from(c))).collect()
}

fn legal(identifier: &str) -> bool {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
    identifier.chars().all(word) && identifier.starts_with(|c: char| !c.is_ascii_digit())
}

/// A quarter of the usual number of cases, since each is parsed, described and linted; `PROPTEST_CASES` sets another
/// number.
fn config() -> ProptestConfig {
    let usual = ProptestConfig::default();
    ProptestConfig { failure_persistence: None, cases: usual.cases / 4, ..usual }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn any_bytes_are_read(bytes in vec(any::<u8>(), 0..600), included in vec(any::<u8>(), 0..200)) {
        read(&bytes, &Includes::new());
        read(INCLUDES.as_bytes(), &Includes::from([("relative.sdef".to_owned(), included)]));
    }

    #[test]
    fn any_text_is_read(text in "\\PC{0,200}", xml in "[<>/\"'a-z =&;!\\[\\]?-]{0,300}") {
        read(text.as_bytes(), &Includes::new());
        read(xml.as_bytes(), &Includes::new());
        read(format!("<dictionary>{xml}</dictionary>").as_bytes(), &Includes::new());
    }

    #[test]
    fn broken_dictionaries_are_read(
        file in select(vec![KINDS, INCLUDES, DEFECTS]),
        changes in vec(change(), 1..12),
        included in vec(change(), 0..6),
    ) {
        let names = ["/Library/Parts/suites.sdef", "relative.sdef", "fragment.sdef", "nested.sdef"];
        let part = changed(KINDS.as_bytes(), &included);
        let includes = names.map(|name| (name.to_owned(), part.clone())).into();
        read(&changed(file.as_bytes(), &changes), &includes);
    }

    #[test]
    fn any_xpointer_is_read(pointer in "(xpointer\\()?[/a-z()\\[\\]@='!: *-]{0,40}\\)?") {
        let xml = format!("<dictionary xmlns:xi='http://www.w3.org/2001/XInclude'><xi:include href='x' xpointer=\"{pointer}\"/></dictionary>");
        read(xml.as_bytes(), &Includes::from([("x".to_owned(), KINDS.as_bytes().to_vec())]));
    }

    #[test]
    fn any_name_arrives(name in "\\PC{1,40}", description in any::<String>()) {
        prop_assume!(!name.trim().is_empty() && name.trim() != "application");
        let text: String = description.chars().filter(|c| *c != '\0').collect();
        let xml = format!(
            "<dictionary><suite name='S' code='Suit'><class name='application' code='capp'/><class name='{}' code='Clas' description='{}'/></suite></dictionary>",
            escaped(&name), escaped(&text),
        );
        let (dictionary, problems) = read(xml.as_bytes(), &Includes::new());
        prop_assert_eq!(problems, []);
        let class = dictionary.class(name.trim()).unwrap();
        prop_assert_eq!(class.description.as_ref(), Some(&text));
    }

    #[test]
    fn an_identifier_is_legal_or_none(term in prop_oneof![any::<String>(), "[A-Za-z0-9 _$&/-]{0,30}"]) {
        for identifier in [Identifier::of(&term), Identifier::of_class(&term)].into_iter().flatten() {
            prop_assert!(legal(identifier.as_str()), "{}", identifier);
            prop_assert_eq!(key(identifier.as_str()), key(&term));
        }
    }

    #[test]
    fn words_and_digits_always_give_an_identifier(term in "[A-Za-z][A-Za-z0-9]{0,8}( [A-Za-z0-9]{1,8}){0,4}") {
        let identifier = Identifier::of(&term).unwrap();
        prop_assert!(identifier.as_str().starts_with(|c: char| c.is_ascii_lowercase()));
        let class = Identifier::of_class(&term).unwrap();
        prop_assert!(class.as_str().starts_with(|c: char| c.is_ascii_uppercase()));
    }

    #[test]
    fn near_names_are_among_the_candidates(word in any::<String>(), names in vec("\\PC{0,20}", 0..12), most in 0..6_usize) {
        let found = near(&word, names.iter().map(String::as_str), most);
        prop_assert!(found.len() <= most);
        prop_assert!(found.iter().all(|name| names.contains(name)));
    }
}
