//! AppleScript's reference form: what real scripts write becomes the specifier that their authors meant, or is refused
//! with the reason.
#![expect(clippy::expect_used, clippy::print_stdout, reason = "a test fails loudly and says what it checked")]

mod support;

use std::time::Duration;

use iac_core::app::App;
use iac_core::fault::Fault;
use iac_core::filter::{Compare, Filter};
use iac_core::specifier::text::{Written, application_of};
use iac_core::specifier::{Container, Id, Specifier};
use proptest::prelude::*;
use support::corpus::{all, dictionary};

/// Lines `text ⇒ path`, under the name of an app; the file says how a path is written.
const CASES: &str = include_str!("../../fixtures/references.txt");

#[test]
fn references_of_real_scripts_mean_what_their_authors_meant() {
    let apps = all();
    let (mut checked, mut wrong) = (0, Vec::new());
    let mut app = "";
    for line in CASES.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(name) = line.strip_prefix('[') {
            app = name.trim_end_matches(']');
            continue;
        }
        let (text, expected) = line.split_once(" ⇒ ").expect("a line has an arrow");
        for each in apps.iter().filter(|each| each.name == app) {
            let found = read(text, each);
            checked += 1;
            if !agrees(&found, expected) {
                wrong.push(format!("[{}] {text}\n  expected {expected}\n  found    {found}", each.bundle_id));
            }
        }
    }
    println!("{checked} checked");
    assert!(wrong.is_empty(), "{} are wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// Words that have a meaning, and signs, in any order.
const WORDS: [&str; 64] = [
    "of",
    "in",
    "the",
    "every",
    "first",
    "last",
    "whose",
    "where",
    "it",
    "its",
    "'s",
    "(",
    ")",
    "{",
    "}",
    ",",
    "\"",
    "'",
    "|",
    "\\",
    "--",
    "(*",
    "*)",
    "#",
    "¬",
    "-",
    "+",
    "*",
    "/",
    "«",
    "»",
    ".",
    "1",
    "0",
    "-1",
    "3rd",
    "99999999999",
    "1.5e9",
    "id",
    "index",
    "named",
    "thru",
    "from",
    "to",
    "message",
    "messages",
    "message id",
    "inbox",
    "mailbox",
    "name",
    "\"a\"",
    "is",
    "is not",
    "contains",
    "≥",
    "and",
    "or",
    "not",
    "true",
    "missing value",
    "now",
    "today",
    "days",
    "application",
];

fn anything() -> impl Strategy<Value = String> {
    let words =
        prop::collection::vec(prop::sample::select(WORDS.to_vec()), 0..40).prop_map(|words| words.join(" "));
    let joined =
        prop::collection::vec(prop::sample::select(WORDS.to_vec()), 0..40).prop_map(|words| words.concat());
    prop_oneof![words, joined, any::<String>()]
}

#[test]
fn no_text_breaks_the_parser() {
    let apps = all();
    let check = |text: String| {
        for app in &apps {
            let _ = Written::read(&text, dictionary(app));
            let _ = Filter::from_text(&text, "message", dictionary(app));
        }
        let _ = application_of(&text);
    };
    proptest!(ProptestConfig::with_cases(200), |(text in anything())| check(text));
}

#[test]
fn no_text_takes_long() {
    let apps = all();
    let long = |part: &str| part.repeat(16_000 / part.len());
    let chain = |part: &str| format!("{}inbox", part.repeat(30));
    let texts = [
        long("("),
        long("the "),
        long("a's "),
        long("message's "),
        long("message of "),
        long("name of "),
        long("not "),
        long("it is "),
        long("(*"),
        long("\""),
        long("now + "),
        format!("messages of inbox whose {}", long("(")),
        format!("messages of inbox whose {}", long("not ")),
        format!("messages of inbox whose {}", long("name of ")),
        format!("messages of inbox whose subject is \"a\"{}", long(" or subject is \"a\"")),
        format!("messages of inbox whose id is in {{{}1}}", long("1,")),
        chain("container of "),
        chain("item of the "),
        chain("(every item) of "),
        chain("every text of (every item of "),
        format!("{}inbox{}", "(text of ".repeat(30), ") of item 1".repeat(30)),
    ];
    for text in texts {
        for app in &apps {
            #[expect(clippy::disallowed_methods, reason = "a test measures")]
            let before = std::time::Instant::now();
            let _ = Written::read(&text, dictionary(app));
            let took = before.elapsed();
            let shown: String = text.chars().take(60).collect();
            assert!(took < Duration::from_secs(2), "{}: {shown} takes {took:?}", app.name);
        }
    }
}

/// The app is known before its dictionary is read.
#[test]
fn a_text_may_name_its_app() {
    for (text, app) in [
        ("inbox of application \"Mail\"", Some("Mail")),
        ("tell app \"Mail\" to message 1 of inbox", Some("Mail")),
        ("every window of application \"com.apple.finder\"", Some("com.apple.finder")),
        ("mailbox \"of application\"", None),
        ("inbox", None),
        ("", None),
        ("\"", None),
    ] {
        assert_eq!(application_of(text).as_deref(), app, "{text}");
    }
}

fn read(text: &str, app: &App) -> String {
    match Written::read(text, dictionary(app)) {
        Ok(Written::Object { specifier, .. }) => path(&specifier),
        Ok(Written::File(file)) => format!("path {file}"),
        Ok(Written::Place { position, of, .. }) => {
            format!("place {} {}", position.as_str(), steps(&of).join(" / "))
        }
        Ok(Written::Reference(id)) => id.to_string(),
        Err(error) => {
            let fault = Fault::from(error);
            format!("✗{}: {} ({})", fault.code.name(), fault.message, fault.suggestion)
        }
    }
}

/// A refusal has the code, and the words behind it somewhere.
fn agrees(found: &str, expected: &str) -> bool {
    match expected.strip_prefix('✗').and_then(|refusal| refusal.split_once(": ")) {
        Some((code, words)) => found.starts_with(&format!("✗{code}: ")) && found.contains(words),
        None => found == expected,
    }
}

fn path(specifier: &Specifier) -> String {
    let again = Specifier::parse(&specifier.to_json(), "specifier");
    assert_eq!(again.as_ref(), Ok(specifier), "its JSON is read back");
    let mut found = specifier.container().map(steps).unwrap_or_default();
    found.push(match specifier {
        Specifier::Application => "application".to_owned(),
        Specifier::Text(text) => unreachable!("{text} was read"),
        Specifier::Property { property, .. } => property.clone(),
        Specifier::Element { element, index, .. } => format!("{element}[{index}]"),
        Specifier::Named { element, name, .. } => format!("{element}{name:?}"),
        Specifier::Id { element, id: Id::Number(id), .. } => format!("{element}#{id}"),
        Specifier::Id { element, id: Id::Text(id), .. } => format!("{element}#{id:?}"),
        Specifier::Filter { element, filter, last, .. } => {
            format!("{element}{}{{{}}}", if *last { "!" } else { "?" }, test(filter))
        }
        Specifier::Every { element, range: Some((from, to)), .. } => format!("{element}[{from}..{to}]"),
        Specifier::Every { element, filter: Some(filter), .. } => format!("{element}*{{{}}}", test(filter)),
        Specifier::Every { element, .. } => format!("{element}*"),
    });
    found.join(" / ")
}

fn steps(container: &Container) -> Vec<String> {
    match container {
        Container::Reference(id) => vec![id.to_string()],
        Container::Specifier(specifier) if **specifier == Specifier::Application => Vec::new(),
        Container::Specifier(specifier) => vec![path(specifier)],
    }
}

fn test(filter: &Filter<String>) -> String {
    let all = |filters: &[Filter<String>]| filters.iter().map(test).collect::<Vec<_>>().join(", ");
    match filter {
        Filter::Compare(Compare { property, operator, value }) => {
            format!("{property} {} {value}", operator.as_str())
        }
        Filter::And(filters) => format!("and[{}]", all(filters)),
        Filter::Or(filters) => format!("or[{}]", all(filters)),
        Filter::Not(filter) => format!("not {}", test(filter)),
    }
}
