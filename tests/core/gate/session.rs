//! A session with an app whose objects can change: scripts run in a real engine, and the session keeps every write
//! that reaches the app.

use std::sync::Arc;

use iac_core::Millis;
use iac_core::app::{App, Apps};
use iac_core::call::Call;
use iac_core::dictionary::{Includes, parse};
use iac_core::permission::{Answer, Choice, Gate, Policy, Question};
use iac_core::plan::Learned;
use iac_core::reference::{RefId, References};
use iac_core::step::{self, Event, Outcome, Step, World};
use iac_core::undo::{Undo, follow};
use rquickjs::{Context, Runtime};
use serde_json::{Value as Json, json};

const SDEF: &str = r#"<dictionary><suite name="Shelf" code="Shlf">
  <enumeration name="mood" code="mood"><enumerator name="very good" code="good"/><enumerator name="bad" code="badd"/></enumeration>
  <command name="delete" code="coredelo"><direct-parameter type="specifier"/></command>
  <command name="make" code="corecrel"><parameter name="new" code="kocl" type="type"/><parameter name="at" code="insh" type="location specifier" optional="yes"/><parameter name="with properties" code="prdt" type="record" optional="yes"/></command>
  <command name="do script" code="Shlfdosc"><direct-parameter type="text"/></command>
  <class name="application" code="capp"><element type="thing"/><element type="slip"/><element type="box"/><element type="tray"/></class>
  <class name="thing" code="thng">
    <property name="id" code="ID  " type="integer" access="r"/>
    <property name="name" code="pnam" type="text"/>
    <property name="flag" code="flag" type="boolean"/>
    <property name="count" code="cont" type="integer"/>
    <property name="when" code="when" type="date"/>
    <property name="mood" code="mood" type="mood"/>
    <property name="secret" code="scrt" type="text"/>
    <property name="drop" code="drop" type="text" access="w"/>
  </class>
  <class name="slip" code="slip"><property name="text" code="text" type="text"/><property name="flag" code="flag" type="boolean"/></class>
  <class name="box" code="boxx" plural="boxes"><property name="name" code="pnam" type="text"/><property name="flag" code="flag" type="boolean"/></class>
  <class name="tray" code="tray"><property name="name" code="pnam" type="text"/><element type="thing"/></class>
</suite></dictionary>"#;

pub(crate) struct Session {
    context: Context,
    apps: Apps,
    references: References,
    learned: Learned,
    next: u16,
    pub(crate) gate: Gate,
    pub(crate) now: Millis,
    /// The questions that the core asked, in order.
    pub(crate) asked: Vec<Question>,
    /// The human's answers; without any there is no human to ask.
    pub(crate) answers: Vec<Choice>,
    /// Apple events of the last call, as the scripts counted them.
    pub(crate) events: u64,
    pub(crate) undos: Vec<Undo>,
}

/// Three things, two slips that only their positions tell apart, and two boxes with the same name.
pub(crate) fn shelf() -> Json {
    let thing = |id: i64, name: &str| {
        json!({ "id": id, "name": name, "flag": false, "count": id, "when": { "date": 0 }, "mood": "bad",
            "secret": "s3cret", "drop": null })
    };
    json!({
        "things": [thing(11, "apple"), thing(12, "pear"), thing(13, "plum")],
        "slips": [{ "text": "first", "flag": false }, { "text": "second", "flag": false }],
        "boxes": [{ "name": "a", "flag": false }, { "name": "b", "flag": false }],
    })
}

impl Session {
    pub(crate) fn new(policy: &str, world: &Json) -> Self {
        Self::with(apps("test.shelf", "Shelf", SDEF), include_str!("app.js"), policy, world)
    }

    /// A session with another app.
    pub(crate) fn with(apps: Apps, code: &str, policy: &str, world: &Json) -> Self {
        let runtime = Runtime::new().expect("an engine");
        let context = Context::full(&runtime).expect("a context");
        let session = Self {
            context,
            apps,
            references: References::default(),
            learned: Learned::default(),
            next: 0,
            gate: Gate { policy: Arc::new(Policy::parse(policy).expect("a policy")), ..Gate::default() },
            now: Millis(1_000),
            asked: Vec::new(),
            answers: Vec::new(),
            events: 0,
            undos: Vec::new(),
        };
        session.eval(&format!("globalThis.world = JSON.parse({});", Json::from(world.to_string())));
        session.eval(code);
        session
    }

    /// Runs code in the app, like a change by another user.
    pub(crate) fn eval(&self, code: &str) {
        self.context
            .with(|js| js.eval::<rquickjs::Value<'_>, _>(code).map(|_| ()).expect("the app's code runs"));
    }

    /// Evaluates an expression in the app.
    pub(crate) fn ask(&self, code: &str) -> Json {
        let text: String =
            self.context.with(|js| js.eval(format!("JSON.stringify({code})")).expect("it tells"));
        serde_json::from_str(&text).expect("JSON")
    }

    /// Every write that has reached the app: the object, the property, and the value.
    pub(crate) fn writes(&self) -> Json {
        self.ask("writes")
    }

    /// Makes references to every element of a class.
    pub(crate) fn references(&mut self, class: &str) -> Vec<String> {
        let outcome = self.call(
            "iac_mcp_get_elements",
            &json!({ "app": "Shelf", "container": "application", "elementType": class }),
        );
        let elements = outcome.body["elements"].as_array().expect("elements").clone();
        elements.iter().map(|element| element["id"].as_str().expect("an id").to_owned()).collect()
    }

    /// Calls a tool; `answers` has the answers to questions.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Json) -> Outcome {
        let call = Call::parse(tool, arguments.as_object().expect("an object")).expect("a tool of the core");
        let call =
            call.and_then(
                |call| {
                    if call.wants_undos() { call.with_undos(&self.undos, self.now) } else { Ok(call) }
                },
            );
        let call = match call {
            Ok(call) => call,
            Err(fault) => return Outcome { body: fault.to_json(), is_error: true, ..Outcome::default() },
        };
        let mut step = self.decide(|world| step::start(call, world));
        loop {
            step = match step {
                Step::Done(outcome) => {
                    self.events = outcome.events;
                    self.undos.retain(|undo| !outcome.undone.contains(&undo.id));
                    follow(&mut self.undos, &outcome.renamed);
                    self.undos.extend(outcome.undo.clone());
                    return outcome;
                }
                Step::Run(run) => {
                    let event = self.run(&run.script.one_shot());
                    self.decide(|world| step::resume(run.pending, event, world))
                }
                Step::Load(load) => self.decide(|world| step::resume(load.pending, Event::Loaded, world)),
                Step::Ask(ask) => {
                    let answer = self.answer(&ask.question);
                    self.asked.push(ask.question);
                    self.decide(|world| step::resume(ask.pending, Event::Answered(answer), world))
                }
            };
        }
    }

    fn answer(&mut self, question: &Question) -> Answer {
        if self.answers.is_empty() {
            return Answer::NoWay("the client cannot ask".to_owned());
        }
        let choice = self.answers.remove(0);
        if matches!(choice, Choice::Hour | Choice::Always) && question.offers(choice) {
            let mut grants = (*self.gate.grants).clone();
            let now = self.now;
            let given = question.scopes().iter().enumerate();
            grants.add(
                given.map(|(n, scope)| {
                    scope.grant(format!("g{n}"), choice == Choice::Always, "a test".into(), now)
                }),
                now,
            );
            self.gate.grants = Arc::new(grants);
        }
        Answer::Chosen { choice, digest: question.digest(), by: "a test".to_owned() }
    }

    /// The only app.
    pub(crate) fn app(&self) -> &App {
        &self.apps.0[0]
    }

    pub(crate) fn run(&self, code: &str) -> Event {
        let answer: String =
            self.context.with(|js| js.eval(code).unwrap_or_else(|error| panic!("{error}: {:?}", js.catch())));
        Event::Replied(answer)
    }

    pub(crate) fn decide(&mut self, decide: impl FnOnce(&mut World<'_>) -> Step) -> Step {
        let next = &mut self.next;
        let mut fresh = || {
            *next += 1;
            let [a, b] = next.to_be_bytes();
            RefId::from_random([0, 0, 0, 0, 0, 0, 0, 0, a, b])
        };
        decide(&mut World {
            apps: &self.apps,
            references: &mut self.references,
            learned: &mut self.learned,
            gate: &&self.gate,
            home: "/Users/alex",
            now: self.now,
            fresh: &mut fresh,
        })
    }
}

pub(crate) fn apps(bundle_id: &str, name: &str, sdef: &str) -> Apps {
    apps_with(bundle_id, name, sdef, &Includes::new())
}

pub(crate) fn apps_with(bundle_id: &str, name: &str, sdef: &str, includes: &Includes) -> Apps {
    let (dictionary, problems) = parse(sdef.as_bytes(), includes);
    assert!(problems.is_empty(), "{problems:?}");
    Apps(vec![App {
        bundle_id: bundle_id.into(),
        name: name.to_owned(),
        version: String::new(),
        counts: None,
        others: Vec::new(),
        dictionary: Some(Arc::new(dictionary)),
    }])
}
