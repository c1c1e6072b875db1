//! Fuzz targets: one function for each text that comes from an untrusted source.
//!
//! A target fails if it panics. Beyond that, each one checks a property of everything that it reads: a text that is
//! parsed and written again means the same, a script is ASCII, and so on. `fuzz/run` runs them; we wrote the seeds in
//! `fuzz/seeds`.

mod launch;
mod protocols;

use std::str;
use std::sync::{Arc, LazyLock};

use iac_core::Millis;
use iac_core::app::{App, Apps};
use iac_core::call::Call;
use iac_core::dictionary::{Dictionary, Includes, describe as whole, lint, parse};
use iac_core::filter::Filter;
use iac_core::jxa::Script;
use iac_core::moment::Moment;
use iac_core::permission::{Answer, Choice, Gate, Policy};
use iac_core::plan::Learned;
use iac_core::reference::{RefId, References};
use iac_core::reply::Reply;
use iac_core::specifier::{Container, Specifier, Written, read_source};
use iac_core::step::{self, Event, Step, World};
use iac_core::{describe, foreign};
use serde_json::{Map, Value as Json, json};

pub use protocols::{client_lines, language_server_frames, worker_line};

/// A small app with containers, all kinds of values, and commands of each level.
const SDEF: &str = include_str!("../shelf.sdef");

/// The maximum number of scripts and questions of one call in these targets.
const STEPS: usize = 12;

static SHELF: LazyLock<Arc<Dictionary>> = LazyLock::new(|| {
    let (dictionary, problems) = parse(SDEF.as_bytes(), &Includes::new());
    assert!(problems.is_empty(), "{problems:?}");
    Arc::new(dictionary)
});

macro_rules! sdef {
    ($path:literal) => {
        include_str!(concat!("../../fixtures/mac/System/", $path))
    };
}

/// The apps that calls may name: those of the golden calls in `fixtures/calls`, which are the seeds.
static APPS: LazyLock<Apps> = LazyLock::new(|| {
    let app = |id: &str, name: &str, dictionary| App {
        bundle_id: id.into(),
        name: name.to_owned(),
        version: String::new(),
        counts: None,
        others: Vec::new(),
        dictionary: Some(dictionary),
    };
    let read = |text: &str| Arc::new(parse(text.as_bytes(), &Includes::new()).0);
    Apps(vec![
        app("test.shelf", "Shelf", Arc::clone(&SHELF)),
        app("com.apple.mail", "Mail", read(sdef!("Applications/Mail.app/Contents/Resources/Mail.sdef"))),
        app("com.apple.Notes", "Notes", read(sdef!("Applications/Notes.app/Contents/Resources/Notes.sdef"))),
        app(
            "com.apple.iCal",
            "Calendar",
            read(sdef!("Applications/Calendar.app/Contents/Resources/iCal.sdef")),
        ),
        app(
            "com.apple.finder",
            "Finder",
            read(sdef!("Library/CoreServices/Finder.app/Contents/Resources/Finder.sdef")),
        ),
    ])
});

/// A scripting dictionary in any encoding: the target reads, describes and searches it, even if it is malformed.
pub fn dictionary(data: &[u8]) {
    let (dictionary, problems) = parse(data, &Includes::new());
    whole::describe(&dictionary, &problems);
    lint::lint(&dictionary, &problems);
    for class in dictionary.classes.keys().take(8) {
        dictionary.lineage(class);
        dictionary.properties(class);
        dictionary.elements(class);
        describe::routes(&dictionary, class);
    }
}

/// A reference in AppleScript's words: if it can be parsed, its text form parses to the same specifier.
pub fn reference(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    let _ = Moment::parse(text);
    foreign::clean(text, 80);
    if let Some(path) = read_source(&SHELF, text) {
        path.to_text();
    }
    if let Ok(written) = Written::read(text, &SHELF) {
        written.to_json();
    }
    let Ok(specifier) = Specifier::from_text(text, &SHELF) else { return };
    let again = Specifier::parse(&specifier.to_json(), "specifier");
    assert_eq!(again.as_ref(), Ok(&specifier), "{text}");
    resolved(&specifier);
}

/// A filter in AppleScript's words or as JSON: if it can be parsed, its JSON form is the same filter.
pub fn filter(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    let filter = match serde_json::from_str::<Json>(text) {
        Ok(json) => Filter::parse(&json, "where").ok(),
        Err(_) => Filter::from_text(text, "thing", &SHELF).ok(),
    };
    let Some(filter) = filter else { return };
    let json = filter.to_json();
    let again = Filter::parse(&json, "where");
    assert_eq!(again.map(|filter| filter.to_json()).as_ref(), Ok(&json), "{text}");
}

/// A specifier as JSON: if it can be parsed, its JSON form is the same specifier.
pub fn specifier(data: &[u8]) {
    let Ok(json) = serde_json::from_slice::<Json>(data) else { return };
    if let Ok(specifier) = Specifier::parse(&json, "specifier") {
        let again = Specifier::parse(&specifier.to_json(), "specifier");
        assert_eq!(again.as_ref(), Ok(&specifier), "{json}");
        resolved(&specifier);
    }
    let _ = Container::parse(&json, "container");
}

fn resolved(specifier: &Specifier) {
    let path = &mut |_: &RefId| Ok(iac_core::specifier::Path::application());
    if let Ok(resolved) = specifier.resolve(&SHELF, path) {
        resolved.path.to_text();
        resolved.path.to_json();
    }
}

/// The text that a script returned.
pub fn reply(data: &[u8]) {
    if let Ok(text) = str::from_utf8(data) {
        let _ = Reply::parse(text);
    }
}

/// The text of a `policy.toml`: a mistake is an error with its place.
pub fn policy(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    match Policy::parse(text) {
        Ok(policy) => {
            assert!(policy.rules().len() <= text.lines().count().max(text.len()));
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// A call of a tool, and the answers of the app and the person: `TOOL`, then its arguments, then a reply on each line.
///
/// For any input, the call ends, each script is ASCII, and no script runs after a no.
pub fn call(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    let mut lines = text.lines();
    let (Some(tool), Some(arguments)) = (lines.next(), lines.next()) else { return };
    let Ok(arguments) = serde_json::from_str::<Map<String, Json>>(arguments) else { return };
    let Some(Ok(call)) = Call::parse(tool, &arguments) else { return };
    let (mut references, mut learned, gate) = (References::default(), Learned::default(), Gate::default());
    let mut next = 0_u16;
    let mut fresh = || {
        next += 1;
        let [high, low] = next.to_be_bytes();
        RefId::from_random([0, 0, 0, 0, 0, 0, 0, 0, high, low])
    };
    let mut world = World {
        apps: &APPS,
        references: &mut references,
        learned: &mut learned,
        gate: &&gate,
        home: "/Users/alex",
        now: Millis(0),
        fresh: &mut fresh,
    };
    let mut step = step::start(call, &mut world);
    let mut refused = false;
    for _ in 0..STEPS {
        step = match step {
            Step::Done(outcome) => {
                serde_json::to_string(&outcome.body).expect("an answer is JSON");
                return;
            }
            Step::Run(run) => {
                assert!(!refused, "a script after a no");
                check(&run.script);
                let event = Event::Replied(lines.next().unwrap_or(r#"{"ok":true,"value":null}"#).to_owned());
                step::resume(run.pending, event, &mut world)
            }
            Step::Load(load) => step::resume(load.pending, Event::Loaded, &mut world),
            Step::Ask(ask) => {
                ask.question.text();
                let choice = if lines.next() == Some("no") { Choice::Deny } else { Choice::Once };
                refused = choice == Choice::Deny;
                let (digest, by) = (ask.question.digest(), "fuzz".to_owned());
                step::resume(ask.pending, Event::Answered(Answer::Chosen { choice, digest, by }), &mut world)
            }
        };
    }
}

fn check(script: &Script) {
    assert!(script.one_shot().is_ascii(), "a script is ASCII");
    let data: Json = serde_json::from_str(script.data()).expect("the data of a script is JSON");
    assert_ne!(data, json!(null));
}

/// A file that claims to be a package: checking it runs no guest code.
#[cfg(feature = "packages")]
pub fn package(data: &[u8]) {
    let _ = iac_plugins::package::read(data);
}
