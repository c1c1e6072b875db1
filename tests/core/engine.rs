//! Runs generated scripts in a real JavaScript engine, against an app with one collection.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use iac_core::Millis;
use iac_core::app::{App, Apps};
use iac_core::call::Call;
use iac_core::dictionary::{Includes, parse};
use iac_core::jxa::Script;
use iac_core::permission::Gate;
use iac_core::plan::Learned;
use iac_core::reference::{RefId, References};
use iac_core::step::{self, Event, Outcome, Step, World};
use rquickjs::{Context, Runtime};
use serde_json::{Map, Value as Json};

/// If set, this variable names a file that gets a line of JSON for each play: the app's code, and each script with its
/// answer. The stage `engine` of `./test` plays it again on JavaScriptCore.
const PLAYS: &str = "IAC_MCP_TEST_PLAYS";

/// The maximum number of recorded runs of one test with the same scripts: a property test has hundreds.
const ALIKE: u32 = 12;

const SDEF: &str = r#"<dictionary><suite name="Shelf" code="Shlf">
  <enumeration name="hue" code="hue "><enumerator name="dark red" code="dred"/><enumerator name="none" code="none"/></enumeration>
  <class name="application" code="capp"><element type="thing"/><element type="box"/><element type="room"/></class>
  <class name="room" code="room"><property name="id" code="ID  " type="integer" access="r"/><element type="box"/></class>
  <class name="thing" code="thng">
    <property name="id" code="ID  " type="integer" access="r"/>
    <property name="name" code="pnam" type="text"/>
    <property name="n" code="nnnn" type="integer"/>
    <property name="text" code="text" type="text"/>
    <property name="when" code="when" type="date"/>
    <property name="flag" code="flag" type="boolean"/>
    <property name="body" code="body" type="rich text"/>
    <property name="hue" code="huep" type="hue"/>
    <property name="place" code="plac" type="file"/>
  </class>
  <class name="box" code="boxx" plural="boxes"><property name="name" code="pnam" type="text"/><element type="thing"/><element type="box"/></class>
</suite></dictionary>"#;

/// The result of a call, and the app's view of it.
pub(crate) struct Played {
    pub(crate) outcome: Outcome,
    /// Events that the app counted.
    pub(crate) events: u64,
    /// The time that these events would have taken, in milliseconds.
    pub(crate) clock: f64,
    /// The ids, names and positions that reached the app, in order.
    pub(crate) seen: Json,
    /// The specifiers behind the new references.
    pub(crate) specifiers: Vec<Json>,
    /// Names that the scripts left in the engine.
    pub(crate) globals: Json,
    /// The code of each script, without the data.
    pub(crate) codes: Vec<String>,
}

/// Plays a call with the planner's own costs.
pub(crate) fn play(tool: &str, arguments: &Json, world: &Json) -> Played {
    play_at(tool, arguments, world, None)
}

/// Plays a call with costs for reading one property of one object that differ from the planner's.
///
/// The world is `{"rows":[…],"refuses":[…],"drift":n,"whose":"works"|"fails","app":bundle id,"costs":{…}}`.
pub(crate) fn play_at(tool: &str, arguments: &Json, world: &Json, single: Option<f64>) -> Played {
    let runtime = Runtime::new().expect("an engine");
    let context = Context::full(&runtime).expect("a context");
    let apps = apps(world["app"].as_str().unwrap_or("test.shelf"));
    let (mut references, mut learned) = (References::default(), Learned::default());
    let gate = Gate::default();
    let mut next = 0;
    let mut fresh = || {
        next += 1_u16;
        let [a, b] = next.to_be_bytes();
        RefId::from_random([0, 0, 0, 0, 0, 0, 0, 0, a, b])
    };
    let mut world_of = World {
        apps: &apps,
        references: &mut references,
        learned: &mut learned,
        gate: &&gate,
        home: "/Users/alex",
        now: Millis(0),
        fresh: &mut fresh,
    };
    let empty = Map::new();
    let call =
        Call::parse(tool, arguments.as_object().unwrap_or(&empty)).expect("a tool").expect("right arguments");
    context.with(|js| {
        let mut setup = vec![format!("globalThis.world = JSON.parse({});", Json::from(world.to_string()))];
        setup.push(include_str!("engine/app.js").to_owned());
        if !world["tree"].is_null() {
            setup.push(include_str!("engine/tree.js").to_owned());
        }
        for code in &setup {
            js.eval::<rquickjs::Value<'_>, _>(code.as_str()).map(|_| ()).expect("the app's code runs");
        }
        let before: Vec<String> = js.globals().keys::<String>().filter_map(Result::ok).collect();
        let mut step = step::start(call, &mut world_of);
        let (mut codes, mut runs) = (Vec::new(), Vec::new());
        let outcome = loop {
            step = match step {
                Step::Done(outcome) => break outcome,
                Step::Run(run) => {
                    codes.push(run.script.code().to_owned());
                    let (script, answer) = run_in(&js, &run.script, single);
                    runs.push((script, answer.clone()));
                    step::resume(run.pending, Event::Replied(answer), &mut world_of)
                }
                Step::Load(load) => step::resume(load.pending, Event::Loaded, &mut world_of),
                Step::Ask(ask) => panic!("nothing is asked here: {}", ask.question.text()),
            };
        };
        record(&setup, &codes, &runs);
        let specifiers = world_of.references.saved().into_iter().map(|saved| saved.specifier).collect();
        let read = |code: &str| -> Json {
            let text: String = js.eval(format!("JSON.stringify({code})")).expect("the app tells");
            serde_json::from_str(&text).expect("JSON")
        };
        let after = js.globals().keys::<String>().filter_map(Result::ok);
        let globals = after.filter(|name| !before.contains(name)).collect::<Vec<_>>().into();
        Played {
            outcome,
            events: read("events").as_u64().expect("a count"),
            clock: read("clock").as_f64().expect("a time"),
            seen: read("seen"),
            specifiers,
            globals,
            codes,
        }
    })
}

fn record(setup: &[String], codes: &[String], runs: &[(String, String)]) {
    static SEEN: Mutex<BTreeMap<Vec<String>, u32>> = Mutex::new(BTreeMap::new());
    let Some(path) = std::env::var_os(PLAYS) else { return };
    let mut seen = SEEN.lock().expect("no test fails while it holds this");
    let count = seen.entry(codes.to_vec()).or_default();
    *count += 1;
    if *count > ALIKE {
        return;
    }
    let zone = std::env::var_os("TZ").and_then(|zone| zone.into_string().ok());
    let line = format!("{}\n", serde_json::json!({"zone": zone, "setup": setup, "runs": runs}));
    let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
    std::io::Write::write_all(&mut file.expect("the file opens"), line.as_bytes()).expect("it takes a line");
}

/// Runs a script; returns its text and its answer.
fn run_in(js: &rquickjs::Ctx<'_>, script: &Script, single: Option<f64>) -> (String, String) {
    let code = match single {
        None => script.one_shot(),
        Some(price) => repriced(script, price),
    };
    assert!(code.is_ascii(), "a script is ASCII");
    let answer: String = js.eval(code.as_str()).unwrap_or_else(|error| panic!("{error}: {:?}", js.catch()));
    assert!(answer.is_ascii(), "an answer is ASCII");
    (code, answer)
}

fn repriced(script: &Script, single: f64) -> String {
    let mut data: Json = serde_json::from_str(script.data()).expect("data is JSON");
    data["single"] = single.into();
    format!("({})(JSON.parse({}))", script.code(), Json::from(data.to_string()))
}

fn apps(bundle_id: &str) -> Apps {
    let (dictionary, problems) = parse(SDEF.as_bytes(), &Includes::new());
    assert!(problems.is_empty(), "{problems:?}");
    Apps(vec![App {
        bundle_id: bundle_id.into(),
        name: "Shelf".to_owned(),
        version: String::new(),
        counts: None,
        others: Vec::new(),
        dictionary: Some(Arc::new(dictionary)),
    }])
}
