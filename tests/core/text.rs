//! AppleScript's reference form: the texts of real scripts become the specifiers that their authors meant, or are
//! refused with the reason.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use crate::support::corpus::{all, dictionary};
use crate::support::{dictionary as read_dictionary, root};
use iac_core::app::App;
use iac_core::dictionary::Dictionary;
use iac_core::fault::Fault;
use iac_core::filter::{Compare, Filter, Operator};
use iac_core::moment::Moment;
use iac_core::specifier::text::Written;
use iac_core::specifier::{By, Container, Id, Path, Segment, Specifier, SpecifierError};
use iac_core::words::RefId;
use proptest::prelude::*;
use serde_json::{Value as Json, json};

/// Lines `text ⇒ path`, under the name of an app; the file says how a path is written.
const CASES: &str = include_str!("../../fixtures/references.txt");

#[test]
fn references_of_real_scripts_mean_what_their_authors_meant() {
    let apps = everywhere();
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
    assert!(checked > 100, "only {checked} texts");
    assert!(wrong.is_empty(), "{} are wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// Every form that the page shows can be parsed in some app.
#[test]
fn the_page_shows_what_is_read() {
    let (apps, page) = (everywhere(), include_str!("../../docs/objects-as-text.md"));
    let rows = |line: &&str| line.starts_with("| ") && line.contains('`');
    let (objects, moments) = page.split_once("| moment | means |").expect("the table of moments");
    let (mut texts, mut times) = (0, 0);
    for text in objects.lines().filter(rows).flat_map(codes) {
        let text = text.replace("ref_…", "ref_abcdefghijklmnop");
        texts += 1;
        assert!(apps.iter().any(|app| Written::read(&text, dictionary(app)).is_ok()), "{text}");
    }
    for text in moments.lines().filter(rows).flat_map(codes) {
        times += 1;
        assert!(Moment::parse(text).is_some(), "{text}");
    }
    assert!(texts > 15 && times > 10, "{texts} texts, {times} moments");
}

/// The text between backticks in a line.
fn codes(line: &str) -> Vec<&str> {
    line.split('`').skip(1).step_by(2).filter(|code| !["at", "to"].contains(code)).collect()
}

/// Words with a meaning and punctuation, in any order.
const WORDS: [&str; 66] = [
    "of", "in", "the", "every", "first", "last", "whose", "where", "it", "its", "'s", "(", ")", "{", "}",
    ",", "\"", "'", "|", "\\", "--", "(*", "*)", "#", "¬", "-", "+", "*", "/", "«", "»", ".", "1", "0", "-1",
    "3rd", "99999999999", "1.5e9", "id", "index", "named", "thru", "from", "to", "message", "messages",
    "message id", "inbox", "mailbox", "name", "\"a\"", "is", "is not", "contains", "≥", "and", "or", "not",
    "true", "missing value", "now", "today", "days", "application", "item", "is in",
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
    let apps = everywhere();
    let check = |text: String| {
        for app in &apps {
            let _ = Written::read(&text, dictionary(app));
            let _ = Filter::from_text(&text, "message", dictionary(app));
        }
    };
    proptest!(ProptestConfig::with_cases(200), |(text in anything())| check(text));
}

#[test]
fn no_text_takes_long() {
    let apps = everywhere();
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
        format!("messages of inbox whose id is {}", long("(1 * ")),
        format!("messages of inbox whose id is {}1", long("1 * ")),
        format!("messages of inbox whose date received > {}", long("((now) - 1) - ")),
        format!("messages of inbox whose {}", long("\"a\" is in ")),
        long("message ("),
        chain("item 1 of ("),
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
            assert!(took < Duration::from_secs(5), "{}: {shown} takes {took:?}", app.name);
        }
    }
}

/// Every term of every dictionary, one step from each reachable class, and names that may look like anything.
#[test]
fn show_and_parse_agree_for_every_term() {
    let (mut checked, mut wrong) = (0, Vec::new());
    for app in everywhere() {
        for path in paths(dictionary(&app)) {
            checked += 1;
            let text = path.to_text();
            let again =
                Specifier::from_text(&text, dictionary(&app)).map(|again| resolved(&again, dictionary(&app)));
            if again != Ok(Some(path)) {
                wrong.push(format!("[{}] {text}: {again:?}", app.bundle_id));
            }
        }
    }
    println!("{checked} paths");
    assert!(checked > 1_000, "only {checked} paths");
    assert!(
        wrong.is_empty(),
        "{} of {checked} are wrong:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(40)].join("\n")
    );
}

#[test]
fn show_and_parse_agree_for_any_name() {
    let apps: Vec<(App, Vec<Path>)> =
        everywhere().into_iter().map(|app| (app.clone(), paths(dictionary(&app)))).collect();
    let name = prop_oneof![
        any::<String>(),
        prop::collection::vec(prop::sample::select(WORDS.to_vec()), 0..6).prop_map(|words| words.join(" ")),
        ".{0,20}[\"'\\\\\n\r\t:/~“”].{0,20}",
    ];
    let pick = prop_oneof![
        name.clone().prop_map(By::Name),
        name.prop_map(|name| By::Id(Id::Text(name))),
        any::<i64>().prop_map(|id| By::Id(Id::Number(id))),
        (0..i32::MAX as u32).prop_map(By::Index),
    ];
    proptest!(ProptestConfig::with_cases(2_000), |(pick in pick, at in any::<prop::sample::Index>(), which in any::<prop::sample::Index>())| {
        let (app, paths) = &apps[at.index(apps.len())];
        prop_assume!(!paths.is_empty());
        let path = &paths[which.index(paths.len())];
        // The last element of the path gets another selector.
        let Some((container, Segment::Element(member, _))) = path.last() else { return Ok(()) };
        let path = container.then(Segment::Element(member.clone(), pick));
        let text = path.to_text();
        let again = Specifier::from_text(&text, dictionary(app));
        prop_assert!(again.is_ok(), "{}: {:?}", text, again);
        prop_assert_eq!(resolved(&again.unwrap(), dictionary(app)), Some(path), "{}", text);
    });
}

/// Filters of Mail's messages: texts, numbers, booleans, dates and missing values, with every operator, and joined in
/// every way.
fn filters() -> impl Strategy<Value = Filter<String>> {
    use Operator::{
        Contains, EndsWith, Equal, Greater, GreaterOrEqual, Less, LessOrEqual, NotEqual, StartsWith,
    };
    let order = [Equal, NotEqual, Less, Greater, LessOrEqual, GreaterOrEqual];
    let all = [order.as_slice(), &[Contains, StartsWith, EndsWith]].concat();
    let compare = |property: &'static str, operators: &[Operator], value: BoxedStrategy<Json>| {
        let operator = prop::sample::select(operators.to_vec());
        (operator, value).prop_map(move |(operator, value)| {
            Filter::Compare(Compare { property: property.to_owned(), operator, value })
        })
    };
    let dates = prop::sample::select(vec!["2026-01-27", "today", "now - 2 weeks", "next monday + 9 hours"]);
    let one = prop_oneof![
        compare("subject", &all, any::<String>().prop_map(Json::from).boxed()),
        compare("mailbox.name", &all, any::<String>().prop_map(Json::from).boxed()),
        compare("message size", &order, any::<i64>().prop_map(Json::from).boxed()),
        compare("read status", &order[..2], any::<bool>().prop_map(Json::from).boxed()),
        compare("date received", &order, dates.prop_map(Json::from).boxed()),
        compare("date received", &order[..2], Just(Json::Null).boxed()),
    ];
    one.prop_recursive(4, 24, 4, |inner| {
        let several = || prop::collection::vec(inner.clone(), 2..4);
        prop_oneof![
            several().prop_map(Filter::And),
            several().prop_map(Filter::Or),
            inner.prop_map(|inner| Filter::Not(Box::new(inner))),
        ]
    })
}

#[test]
fn filters_and_what_they_stand_in_are_read_back() {
    let mail = everywhere().into_iter().find(|app| app.name == "Mail").expect("Mail");
    let inside = |specifier: Specifier| Container::Specifier(Box::new(specifier));
    proptest!(ProptestConfig::with_cases(400), |(filter in filters(), name in any::<String>(), last: bool, index: i32)| {
        let text = filter.to_text();
        prop_assert_eq!(Filter::from_text(&text, "message", dictionary(&mail)), Ok(filter.clone()), "{}", text);
        let message = || "message".to_owned();
        let named = Compare { property: "name".to_owned(), operator: Operator::Equal, value: Json::from(name) };
        let mailbox = Specifier::Filter {
            element: "mailbox".to_owned(),
            container: inside(Specifier::Element { element: "account".to_owned(), index: index.min(i32::MAX - 1), container: inside(Specifier::Application) }),
            filter: Filter::Compare(named),
            limit: 1,
            last,
            only: false,
        };
        let every = Specifier::Every { element: message(), container: inside(mailbox), filter: Some(filter.clone()), range: None };
        for specifier in [
            every.clone(),
            Specifier::Property { property: "subject".to_owned(), of: inside(every) },
            Specifier::Filter { element: message(), container: inside(Specifier::Property { property: "inbox".to_owned(), of: inside(Specifier::Application) }), filter, limit: 1, last, only: false },
            Specifier::Every { element: message(), container: Container::Reference(RefId::from_random([7; 10])), filter: None, range: Some((index.min(i32::MAX - 1), -1)) },
        ] {
            let text = specifier.to_text();
            prop_assert_eq!(Specifier::from_text(&text, dictionary(&mail)), Ok(specifier), "{}", text);
        }
    });
}

/// A text that people see can be parsed again, if no name in it is cut or cleaned.
#[test]
fn what_is_shown_is_read_back() {
    let app = everywhere().into_iter().find(|app| app.name == "Finder").expect("the Finder");
    let file =
        |name: &str| json!({ "type": "named", "element": "file", "name": name, "container": "application" });
    for (name, shown) in [
        ("a.txt", r#"file "a.txt""#),
        (r#"a "b" \ c"#, r#"file "a \"b\" \\ c""#),
        ("HD:a", r#"file "HD:a" of application"#),
        ("/tmp/a", r#"file "/tmp/a" of application"#),
    ] {
        let specifier = Specifier::parse(&file(name), "specifier").unwrap();
        let path = resolved(&specifier, dictionary(&app)).expect("a file");
        assert_eq!(path.to_string(), shown);
        assert_eq!(Specifier::from_text(shown, dictionary(&app)), Ok(specifier), "{shown}");
    }
    let cut =
        resolved(&Specifier::parse(&file("a\nb"), "specifier").unwrap(), dictionary(&app)).expect("a file");
    assert_eq!(cut.to_string(), "file \"a ⏎ b\"");
    assert_eq!(cut.to_text(), r#"file "a\nb""#);
}

/// The dictionaries of the other tests, and the simulated Mac's dictionaries that only these tests need.
fn everywhere() -> Vec<App> {
    let listed = [
        ("Contacts", "System/Applications/Contacts.app/Contents/Resources/Contacts.sdef"),
        ("Messages", "System/Applications/Messages.app/Contents/Resources/Messages.sdef"),
        ("Music", "System/Applications/Music.app/Contents/Resources/com.apple.Music.sdef"),
        ("OmniFocus", "Applications/OmniFocus.app/Contents/Resources/OmniFocus.sdef"),
        ("Reminders", "System/Applications/Reminders.app/Contents/Resources/Reminders.sdef"),
        ("Safari", "System/Cryptexes/App/System/Applications/Safari.app/Contents/Resources/Safari.sdef"),
        (
            "System Events",
            "System/Library/CoreServices/System Events.app/Contents/Resources/SystemEvents.sdef",
        ),
    ];
    let mut apps = all();
    let of = apps[0].clone();
    apps.extend(listed.map(|(name, file)| App {
        bundle_id: name.into(),
        name: name.to_owned(),
        dictionary: Some(Arc::new(read_dictionary(&root().join("fixtures/mac").join(file)).0)),
        ..of.clone()
    }));
    apps
}

/// One path to each reachable class, and from there to each of its properties and elements.
fn paths(dictionary: &Dictionary) -> Vec<Path> {
    let (mut found, mut seen) = (Vec::new(), BTreeSet::new());
    let mut open = VecDeque::from([Specifier::Application]);
    while let Some(owner) = open.pop_front() {
        let Some(path) = resolved(&owner, dictionary) else { continue };
        if path.segments().len() > 6 || !seen.insert(path.class().to_owned()) {
            continue;
        }
        let of = || Container::Specifier(Box::new(owner.clone()));
        let properties = dictionary.properties(path.class()).into_iter();
        let properties =
            properties.map(|property| Specifier::Property { property: property.name.clone(), of: of() });
        let elements = dictionary.elements(path.class()).into_iter().enumerate();
        let elements = elements.map(|(at, element)| match at % 3 {
            0 => Specifier::Named {
                element: element.class.clone(),
                name: "end of \"x\"".to_owned(),
                container: of(),
            },
            1 => Specifier::Id { element: element.class.clone(), id: Id::Number(12), container: of() },
            _ => Specifier::Element { element: element.class.clone(), index: 2, container: of() },
        });
        for next in properties.chain(elements) {
            found.extend(resolved(&next, dictionary));
            open.push_back(next);
        }
    }
    found
}

fn resolved(specifier: &Specifier, dictionary: &Dictionary) -> Option<Path> {
    let mut nobody = |id: &_| panic!("no reference {id}");
    own(specifier).resolve(dictionary, &mut nobody).ok().map(|resolved| resolved.path)
}

/// A name without a container first means the application's own object, and the path shows that object.
fn own(specifier: &Specifier) -> Specifier {
    let top = Container::Specifier(Box::new(Specifier::Application));
    match specifier {
        Specifier::Filter { element, container, filter: Filter::Compare(name), only: true, .. }
            if *container == top =>
        {
            Specifier::Named {
                element: element.clone(),
                name: name.value.as_str().expect("a name").to_owned(),
                container: top,
            }
        }
        Specifier::Property { property, of: Container::Specifier(of) } => {
            Specifier::Property { property: property.clone(), of: Container::Specifier(Box::new(own(of))) }
        }
        Specifier::Element { element, index, container: Container::Specifier(of) } => Specifier::Element {
            element: element.clone(),
            index: *index,
            container: Container::Specifier(Box::new(own(of))),
        },
        other => other.clone(),
    }
}

fn read(text: &str, app: &App) -> String {
    match Written::read(text, dictionary(app)) {
        Ok(Written::Object { specifier, .. }) => {
            let mut application = |_: &RefId| Ok(Path::application());
            let leads = specifier.resolve(dictionary(app), &mut application);
            let is_unanswered = matches!(&leads, Err(SpecifierError::Form { wrong, .. }) if wrong.contains("the app has answered"));
            let of_reference = !specifier.references().is_empty();
            assert!(leads.is_ok() || is_unanswered || of_reference, "{text}: {leads:?}");
            path(&specifier)
        }
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

/// An expected refusal matches if the code is the same and the message contains the words.
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
        // What a path means depends on the home folder too.
        Specifier::Text(file) => format!("path {file}"),
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
