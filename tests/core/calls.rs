//! Golden calls: `fixtures/calls/{ok,ask,denied,err}/*.json` with the expected steps of the core.
//!
//! A case is `{"tool","arguments","held"?: {reference: [bundle id, source form, date of an occurrence?]},"replies"?:
//! [envelope, …], "written"?: writes that can be undone, as the state directory keeps them, "policy"?: lines of
//! policy.toml,"answers"?: [choice, …],"alone"?: whether no one can be asked,"next"?: [more calls, which use the
//! remaining replies and the writes that can be undone]}`. The text file beside it shows each script, each question
//! and the answer. `UPDATE_EXPECT=1` rewrites the texts; the diff is the review.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use iac_core::Millis;
use iac_core::call::Call;
use iac_core::fault::Fault;
use iac_core::jxa::Script;
use iac_core::osa_error::known;
use iac_core::permission::{Answer, Choice, Gate, Policy, Question};
use iac_core::plan::Learned;
use iac_core::reference::{Object, RefId, References};
use iac_core::specifier::read_source;
use iac_core::step::{self, Event, Outcome, Step, World};
use iac_core::undo::{Undo, follow};
use serde_json::{Map, Value as Json};

use crate::support;

#[test]
fn calls_that_run() {
    check_folder("ok", false);
}

#[test]
fn calls_that_are_asked() {
    check_folder("ask", false);
}

#[test]
fn calls_that_are_not_allowed() {
    check_folder("denied", true);
}

#[test]
fn calls_that_are_refused() {
    check_folder("err", true);
}

fn check_folder(name: &str, is_error: bool) {
    let folder = support::root().join("fixtures/calls").join(name);
    let mut cases: Vec<PathBuf> =
        fs::read_dir(&folder).expect("the folder is there").map(|e| e.unwrap().path()).collect();
    cases.retain(|path| path.extension().is_some_and(|ending| ending == "json"));
    cases.sort();
    assert!(!cases.is_empty(), "no cases in {}", folder.display());
    let wrong: Vec<String> = cases.iter().filter_map(|case| check(case, is_error).err()).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn check(case: &Path, is_error: bool) -> Result<(), String> {
    let text = fs::read_to_string(case).expect("the case can be read");
    let json: Json =
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", case.display()));
    let (got, failed) = play(&json);
    if failed != is_error {
        return Err(format!("{}: is_error is {failed}\n{got}", case.display()));
    }
    let said = words(&json["replies"]);
    let quotes = |line: &&str| {
        line.trim_start().starts_with("\"message\"") && said.iter().any(|said| line.contains(said))
    };
    if got.lines().any(|line| quotes(&line)) && !got.contains("\"untrusted\": true") {
        return Err(format!("{}: an app's own words are not marked\n{got}", case.display()));
    }
    support::expect(&case.with_extension("txt"), &got)
}

/// The app's error messages in these replies, at any depth.
fn words(reply: &Json) -> Vec<String> {
    match reply {
        Json::Array(items) => items.iter().flat_map(words).collect(),
        Json::Object(fields) => {
            let own = fields.get("message").and_then(Json::as_str).filter(|said| !said.is_empty());
            // These fixtures contain messages from the table of error numbers.
            let own = own.filter(|said| !known().any(|(_, _, meaning, _)| meaning.contains(said)));
            own.map(str::to_owned).into_iter().chain(fields.values().flat_map(words)).collect()
        }
        _ => Vec::new(),
    }
}

/// The field `app` of an error is a bundle id, at any depth, so that a program can name that app again.
fn names_apps_by_id(json: &Json) {
    if let (Some(_), Some(app)) = (json.get("retryable"), json.get("app")) {
        let apps = support::apps();
        assert!(apps.0.iter().any(|known| Some(&*known.bundle_id) == app.as_str()), "{json}");
    }
    match json {
        Json::Array(items) => items.iter().for_each(names_apps_by_id),
        Json::Object(fields) => fields.values().for_each(names_apps_by_id),
        _ => {}
    }
}

/// Plays a case and records every step.
fn play(case: &Json) -> (String, bool) {
    let mut shown = String::new();
    let apps = support::apps();
    let mut references = hold(case, &apps);
    let mut replies = case["replies"].as_array().cloned().unwrap_or_default().into_iter();
    let mut next = 100_u8;
    let mut fresh = || {
        next += 1;
        RefId::from_random([0, 0, 0, 0, 0, 0, 0, 0, 0, next])
    };
    let mut learned = Learned::default();
    let gate = Gate { policy: Arc::new(policy(case)), alone: case["alone"] == true, ..Gate::default() };
    let mut choices = texts(&case["answers"]).into_iter();
    let written = case.get("written").map(|written| serde_json::from_value(written.clone()));
    let mut written: Vec<Undo> =
        written.map(|written| written.expect("writes as they are kept")).unwrap_or_default();
    let mut world = World {
        apps: &apps,
        references: &mut references,
        learned: &mut learned,
        gate: &&gate,
        home: "/Users/alex",
        now: Millis(1_000),
        fresh: &mut fresh,
    };
    let mut failed = false;
    for (at, one) in std::iter::once(case).chain(case["next"].as_array().into_iter().flatten()).enumerate() {
        if at > 0 {
            writeln!(shown, "== next call: {}", one["tool"].as_str().expect("a tool")).unwrap();
        }
        let call = match call(one, &written) {
            Ok(call) => call,
            Err(fault) => {
                shown.push_str(&pretty("answer", &fault.to_json()));
                return (shown, true);
            }
        };
        let Some(outcome) = run(call, &mut world, &mut replies, &mut choices, &mut shown) else {
            return (shown, false);
        };
        failed = outcome.is_error;
        written.retain(|undo| !outcome.undone.contains(&undo.id));
        follow(&mut written, &outcome.renamed);
        written.extend(outcome.undo);
    }
    (shown, failed)
}

fn call(case: &Json, written: &[Undo]) -> Result<Call, Fault> {
    let empty = Map::new();
    let tool = case["tool"].as_str().expect("a tool");
    let arguments = case["arguments"].as_object().unwrap_or(&empty);
    Call::parse(tool, arguments).expect("a tool of the core")?.with_undos(written, Millis(1_000))
}

/// Plays one call to its end; `None` if the case has no more replies.
fn run(
    call: Call,
    world: &mut World<'_>,
    replies: &mut impl Iterator<Item = Json>,
    choices: &mut impl Iterator<Item = String>,
    shown: &mut String,
) -> Option<Outcome> {
    let mut step = step::start(call, world);
    loop {
        match step {
            Step::Done(outcome) => {
                names_apps_by_id(&outcome.body);
                shown.push_str(&pretty("answer", &outcome.body));
                for stays in outcome.undo.iter().filter(|undo| undo.is_lasting()) {
                    writeln!(shown, "== stays\n{}", stays.in_words()).unwrap();
                }
                return Some(outcome);
            }
            Step::Run(run) => {
                has_its_code(&run.script);
                let data: Json = serde_json::from_str(run.script.data()).expect("data is JSON");
                write!(
                    shown,
                    "== script for {:?}\n{}\n{}",
                    run.app,
                    run.script.body(),
                    pretty("data", &data)
                )
                .unwrap();
                step = step::resume(run.pending, Event::Replied(replies.next()?.to_string()), world);
            }
            Step::Load(load) => {
                writeln!(shown, "== dictionary of {}", load.app).unwrap();
                step = step::resume(load.pending, Event::Loaded, world);
            }
            Step::Ask(ask) => {
                let choices_there = ask.question.choices();
                let words: Vec<&str> = choices_there.into_iter().map(Choice::as_str).collect();
                writeln!(shown, "== question\n{}\n[{}]", ask.question.text(), words.join(" ")).unwrap();
                let answer = answer(choices.next().as_deref(), &ask.question);
                step = step::resume(ask.pending, Event::Answered(answer), world);
            }
        }
    }
}

/// Checks that every function that the part of a request calls is in the code that is sent with it.
fn has_its_code(script: &Script) {
    static FUNCTIONS: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/jxa");
        let files = fs::read_dir(folder).expect("a folder").map(|file| file.expect("a file").path());
        let codes = files.filter(|path| path.extension().is_some_and(|kind| kind == "js"));
        let defined = |code: String| {
            let names = code.lines().filter_map(|line| line.strip_prefix("const ")?.split_once(" = "));
            names.map(|(name, _)| name.to_owned()).collect::<Vec<_>>()
        };
        codes.flat_map(|path| defined(fs::read_to_string(path).expect("a text"))).collect()
    });
    let (code, body) = (script.code(), script.body());
    for (at, _) in body.match_indices('(') {
        let start = body[..at].rfind(|c: char| !c.is_ascii_alphanumeric()).map_or(0, |before| before + 1);
        let name = &body[start..at];
        let is_method = body[..start].ends_with('.');
        if !is_method && FUNCTIONS.contains(name) {
            assert!(code.contains(&format!("\nconst {name} = ")), "`{name}` is not in the code of {body}");
        }
    }
}

fn policy(case: &Json) -> Policy {
    Policy::parse(&texts(&case["policy"]).join("\n")).expect("a policy")
}

fn texts(list: &Json) -> Vec<String> {
    list.as_array().into_iter().flatten().map(|text| text.as_str().expect("a text").to_owned()).collect()
}

/// The human's answer; without one there is no human to ask.
fn answer(word: Option<&str>, question: &Question) -> Answer {
    let by = "a test".to_owned();
    match word {
        None => Answer::NoWay("the client cannot ask".to_owned()),
        Some("silence") => Answer::Unanswered("no answer within 50 seconds".to_owned()),
        Some(word) => {
            let choice = Choice::parse(word).expect("a choice");
            Answer::Chosen { choice, digest: question.digest(), by }
        }
    }
}

fn hold(case: &Json, apps: &iac_core::app::Apps) -> References {
    let mut references = References::default();
    for (id, object) in case["held"].as_object().into_iter().flatten() {
        let app = apps.find(object[0].as_str().expect("a bundle id")).expect("a simulated app");
        let source = object[1].as_str().expect("a source form");
        let path = read_source(app.dictionary().expect("it has a dictionary"), source)
            .expect("a way that is understood");
        let id = RefId::parse(id).expect("a reference");
        let occurrence = object[2].as_str().map(Into::into);
        references.intern(Object { app: app.bundle_id.clone(), path, occurrence }, Millis(0), id);
    }
    references
}

fn pretty(head: &str, json: &Json) -> String {
    format!("== {head}\n{}\n", serde_json::to_string_pretty(&shortened(json)).expect("JSON can be written"))
}

/// No one reviews a text of thousands of characters.
fn shortened(json: &Json) -> Json {
    match json {
        Json::String(text) if text.len() > 400 => {
            Json::from(format!("{}… ({} bytes)", &text[..20], text.len()))
        }
        Json::Array(items) => items.iter().map(shortened).collect(),
        Json::Object(fields) => fields.iter().map(|(name, value)| (name.clone(), shortened(value))).collect(),
        other => other.clone(),
    }
}
