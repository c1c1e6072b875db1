//! Several calls in a row, with prepared replies instead of apps.

use iac_core::Millis;
use iac_core::call::Call;
use iac_core::permission::{Gate, Policy, Profile};
use iac_core::plan::Learned;
use iac_core::reference::{RefId, References};
use iac_core::step::{self, Event, Outcome, Step, World};
use serde_json::{Value as Json, json};

/// The state between calls, with prepared replies instead of apps.
#[derive(Default)]
pub(crate) struct Desk {
    pub(crate) references: References,
    learned: Learned,
    next: u16,
}

impl Desk {
    /// Plays a call; returns the data of its last script and the outcome.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Json, replies: &[&str]) -> (Json, Outcome) {
        let call = Call::parse(tool, arguments.as_object().unwrap()).unwrap().unwrap();
        let (mut replies, mut data) = (replies.iter(), Json::Null);
        let mut step = self.decide(|world| step::start(call, world));
        loop {
            step = match step {
                Step::Run(run) => {
                    data = serde_json::from_str(run.script.data()).unwrap();
                    data["body"] = json!(run.script.body());
                    let reply =
                        Event::Replied((*replies.next().expect("a reply for each script")).to_owned());
                    self.decide(|world| step::resume(run.pending, reply, world))
                }
                Step::Load(load) => self.decide(|world| step::resume(load.pending, Event::Loaded, world)),
                Step::Ask(ask) => panic!("nothing is asked here: {}", ask.question.text()),
                Step::Done(outcome) => return (data, outcome),
            }
        }
    }

    fn decide(&mut self, decide: impl FnOnce(&mut World<'_>) -> Step) -> Step {
        let gate = Gate { policy: Policy::of(Profile::Trusted).into(), ..Gate::default() };
        let Self { references, learned, next } = self;
        let mut fresh = || {
            *next += 1;
            let [high, low] = next.to_be_bytes();
            RefId::from_random([0, 0, 0, 0, 0, 0, 0, 0, high, low])
        };
        let (apps, home, now) = (&super::apps(), "", Millis(0));
        decide(&mut World { apps, references, learned, gate: &&gate, home, now, fresh: &mut fresh })
    }

    /// The second of two items on the desktop with the same name.
    pub(crate) fn twin(&mut self, mark: &str) -> String {
        self.second("item", mark)
    }

    pub(crate) fn second(&mut self, element: &str, mark: &str) -> String {
        let reply = json!({ "ok": true, "value": { "$": "place", "mark": mark }, "events": 3 }).to_string();
        let desktop = json!({ "type": "property", "property": "desktop", "of": "application" });
        let specifier = json!({ "type": "element", "element": element, "index": 1, "container": desktop });
        let asked = json!({ "app": "Finder", "specifier": specifier });
        let (_, found) = self.call("iac_mcp_query_object", &asked, &[&reply]);
        assert_eq!(found.body["reference"]["stable"], false, "{}", found.body);
        found.body["reference"]["id"].as_str().unwrap().to_owned()
    }

    pub(crate) fn is_forgotten(&mut self, id: &str) {
        let again = json!({ "reference": id, "properties": ["name"] });
        let (_, outcome) = self.call("iac_mcp_get_properties", &again, &[]);
        assert_eq!(outcome.body["error"], "reference_invalid", "{}", outcome.body);
    }
}
