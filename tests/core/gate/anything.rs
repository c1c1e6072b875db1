//! No call, answer, replay or change leads to a write without a valid yes.
//!
//! A client that tries everything to write plays against the core's state machine: several calls at once, true and
//! false answers, answers to other questions, replies that no script gave, an operator who changes the policy, and
//! another user who changes the app. The scripts run in an app that records every write that reaches it. The test
//! works out the allowed writes independently, from the policy, the answers and the time alone.

use std::fmt;
use std::sync::Arc;

use iac_core::Millis;
use iac_core::call::Call;
use iac_core::permission::{Answer, Choice, Gate, Grants, Level, Policy, Question};
use iac_core::step::{self, Event, RunFailure, Step};
use iac_core::undo::{Undo, Wanted, Way};
use proptest::prelude::*;
use serde_json::{Value as Json, json};

use super::session::{Session, shelf};

const HOUR: u64 = 60 * 60 * 1_000;

/// The next event.
#[derive(Clone, Debug)]
enum Move {
    /// The client calls a tool.
    Call(&'static str, Json),
    /// One of the open calls continues: its script runs, or its question is answered.
    Go(usize, Said),
    /// Another user changes the app.
    Elsewhere(&'static str),
    /// The operator changes the policy.
    Operator(Rules),
    /// The operator revokes all grants.
    Revoke,
    /// The client reads other people's content.
    Taint,
    /// Minutes pass.
    Wait(u64),
}

/// An answer from outside. Only the first two are honest: a script really runs, or a human is really asked.
#[derive(Clone, Debug)]
enum Said {
    /// The script runs; a human chooses.
    Truth(Choice),
    /// Another user changes the app, and then the answer is honest, with "once" as the human's choice.
    Meanwhile(&'static str),
    /// An answer to one of the earlier questions.
    Replay(usize, Choice),
    /// No answer comes.
    Silence,
    /// There is no human.
    NoWay,
    /// An event of the wrong kind.
    OutOfTurn,
    /// The script does not run, and the machine gets this text as its reply.
    Forged(&'static str),
    /// The script does not end.
    Timeout,
}

/// A policy: a profile and rules about one property or command each.
#[derive(Clone, Debug)]
struct Rules {
    profile: &'static str,
    rules: Vec<(Option<&'static str>, Option<Level>, &'static str)>,
}

const PROPERTIES: [&str; 2] = ["flag", "name"];
const COMMANDS: [&str; 4] = ["delete", "do script", "move", "make"];

impl Rules {
    fn text(&self) -> String {
        let rule = |(what, level, decision): &(Option<&str>, Option<Level>, &str)| {
            let mut fields = Vec::new();
            if let Some(what) = what {
                let key = if COMMANDS.contains(what) { "command" } else { "property" };
                fields.push(format!("{key} = \"{what}\""));
            }
            fields.extend(level.map(|level| format!("level = \"{}\"", level.as_str())));
            fields.push(format!("decision = \"{decision}\""));
            format!("{{ {} }}", fields.join(", "))
        };
        let rules: Vec<String> = self.rules.iter().map(rule).collect();
        format!("profile = \"{}\"\nrules = [{}]", self.profile, rules.join(", "))
    }

    /// The decision about a write, by the policy alone, and whether a rule that names it decided.
    fn ruling(&self, write: &Write) -> (&'static str, bool) {
        let fits = |(what, level, _): &&(Option<&str>, Option<Level>, &str)| {
            what.is_none_or(|what| what == write.what) && level.is_none_or(|level| level == write.level())
        };
        match self.rules.iter().find(fits) {
            Some((what, _, decision)) => (decision, what.is_some()),
            None if self.profile == "trusted" => ("allow", false),
            None if self.profile == "standard" => ("ask", false),
            None => ("deny", false),
        }
    }
}

/// One write that has reached the app.
#[derive(Clone, Debug)]
struct Write {
    /// The property, or the command.
    what: String,
    /// `thing`, `slip`, `box` or `tray`.
    class: String,
    /// The object's name when it was written.
    name: Json,
    /// Its id; null if it has none.
    id: Json,
    /// The value before and after; null for a command.
    old: Json,
    new: Json,
}

impl Write {
    fn level(&self) -> Level {
        let dangerous = ["delete", "do script"].contains(&self.what.as_str());
        if dangerous { Level::Dangerous } else { Level::Modify }
    }

    /// Whether a question shows exactly this write. After a forged reply to a look, the question may not have the
    /// right name.
    fn is_shown_by(&self, question: &Question, names: &[Json], forged: bool) -> bool {
        if self.what == "do script" {
            return question.wording().deed.contains(&self.name.to_string());
        }
        // Another user may rename the object meanwhile: the question has the name that the look found.
        let called = |names: &Json| names[self.id.to_string()].clone();
        let names = names.iter().map(called).filter(|name| !name.is_null());
        names.chain([self.name.clone()]).any(|name| self.is_in_a_line(question, &name, forged))
    }

    fn is_in_a_line(&self, question: &Question, name: &Json, forged: bool) -> bool {
        if self.what == "make" {
            let new = match name {
                Json::Null => self.class.clone(),
                name => format!("{} {{name: {name}", self.class),
            };
            // If the call names a place, it stands between the class and the properties.
            let words = |part: &str| {
                part.starts_with(&new)
                    || part.starts_with(&self.class) && part.contains(&format!("{{name: {name}"))
            };
            return question.wording().objects.iter().flat_map(|line| line.split("in it: ")).any(words);
        }
        // A slip has no name, and an app may not give the name of a box: the question then shows the position.
        let is_at_place = |line: &String| {
            let behind = line.strip_prefix(&self.class).and_then(|rest| rest.strip_prefix(' '));
            behind.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
        };
        let object = format!("{} {name}", self.class);
        let way = format!("{} id {}", self.class, self.id);
        let word = |value: &Json| if value.is_null() { "nothing".to_owned() } else { value.to_string() };
        let (old, new) = (word(&self.old), word(&self.new));
        let what = &self.what;
        let (was, becomes) = (format!("\n  \"{what}\" old: {old}"), format!("\n  \"{what}\" new: "));
        let change = format!("{was}{becomes}{new}");
        // If all objects get one value, the first line says it, and no line says another.
        let is_said = question.wording().deed.contains(&format!("\"{what}\" to {new}"));
        let is_shown = |line: &String| {
            line.contains(&change) || is_said && line.contains(&was) && !line.contains(&becomes)
        };
        let is_it = |line: &String| match self.class.as_str() {
            "slip" => is_at_place(line),
            "box" => line.starts_with(&object) || is_at_place(line),
            _ => line.starts_with(&object) || line.starts_with(&way) || forged && is_at_place(line),
        };
        let line = |line: &String| match self.what.as_str() {
            "delete" | "move" => is_it(line),
            _ => is_it(line) && is_shown(line),
        };
        question.wording().objects.iter().any(line)
    }
}

/// The lasting approvals: the change, its class, its level, and when the approval ends.
type Granted = (String, String, Level, Option<Millis>);

/// Everything that can justify a write.
#[derive(Clone)]
struct Moment {
    rules: Rules,
    granted: Vec<Granted>,
    tainted: bool,
    now: Millis,
    /// The question to which a human has just said yes.
    yes: Option<Question>,
    /// The names of objects at each question, by their ids.
    names: Vec<Json>,
    /// Whether a reply that no script gave was accepted.
    forged: bool,
}

/// The client's game against the state machine.
struct Game {
    session: Session,
    rules: Rules,
    /// The calls under way, each with the justifications that held when its step was decided.
    open: Vec<(Step, Moment)>,
    /// Each question, with the names of the objects at that time.
    questions: Vec<(Question, Json)>,
    granted: Vec<Granted>,
    forged: bool,
}

impl Game {
    fn new() -> Self {
        let rules = Rules { profile: "standard", rules: Vec::new() };
        let session = Session::new(&rules.text(), &shelf());
        session.eval(include_str!("writes.js"));
        let mut game = Self {
            session,
            rules,
            open: Vec::new(),
            questions: Vec::new(),
            granted: Vec::new(),
            forged: false,
        };
        for class in ["thing", "slip", "box"] {
            game.session.references(class);
        }
        game
    }

    fn play(&mut self, next: Move) {
        match next {
            Move::Call(tool, arguments) => self.call(tool, &arguments),
            Move::Go(_, _) if self.open.is_empty() => {}
            Move::Go(which, said) => {
                let which = which % self.open.len();
                let (step, moment) = self.open.remove(which);
                self.go(step, &moment, said);
            }
            Move::Elsewhere(code) => self.session.eval(code),
            Move::Operator(rules) => {
                let policy = Arc::new(Policy::parse(&rules.text()).expect("a policy"));
                self.session.gate = Gate { policy, ..self.session.gate.clone() };
                self.rules = rules;
            }
            Move::Revoke => {
                self.session.gate.grants = Arc::default();
                self.granted.clear();
            }
            Move::Taint => self.session.gate.untrusted = Some(self.session.now),
            Move::Wait(minutes) => self.session.now = self.session.now + Millis(minutes * 60_000),
        }
    }

    fn call(&mut self, tool: &str, arguments: &Json) {
        let call = Call::parse(tool, arguments.as_object().expect("an object")).expect("a tool of the core");
        let (undos, now) = (self.session.undos.clone(), self.session.now);
        // The undo records to use are chosen by position, since their ids are random.
        let call = call.and_then(|call| match call {
            Call::Undo { .. } => {
                // The undo of new objects is a separate call.
                let is_made = |undo: &&Undo| matches!(undo.way, Way::Create { .. });
                let last = undos.last().filter(is_made);
                let all: Vec<&Undo> = match last {
                    Some(last) => vec![last],
                    None => undos.iter().filter(|undo| !is_made(undo)).collect(),
                };
                let ids = all.into_iter().map(|undo| undo.id.clone()).collect();
                Call::Undo { wanted: Wanted::Ids(ids), undos: Vec::new() }.with_undos(&undos, now)
            }
            call => Ok(call),
        });
        if let Ok(call) = call {
            let step = self.session.decide(|world| step::start(call, world));
            self.keep(step, None);
        }
    }

    fn keep(&mut self, step: Step, yes: Option<Question>) {
        match step {
            Step::Done(outcome) => self.session.undos.extend(outcome.undo),
            Step::Ask(ask) => {
                let names =
                    self.session.ask("Object.fromEntries(world.things.map(thing => [thing.id, thing.name]))");
                self.questions.push((ask.question.clone(), names));
                self.open.push((Step::Ask(ask), self.moment(None)));
            }
            step => self.open.push((step, self.moment(yes))),
        }
    }

    fn moment(&self, yes: Option<Question>) -> Moment {
        let (rules, granted, now) = (self.rules.clone(), self.granted.clone(), self.session.now);
        let tainted = self.session.gate.untrusted.is_some_and(|read| now.since(read) < Millis(HOUR));
        let names = self.questions.iter().map(|(_, names)| names.clone()).collect();
        Moment { rules, granted, tainted, now, yes, names, forged: self.forged }
    }

    fn go(&mut self, step: Step, moment: &Moment, said: Said) {
        let said = match said {
            Said::Meanwhile(code) => {
                self.session.eval(code);
                Said::Truth(Choice::Once)
            }
            said => said,
        };
        match step {
            Step::Run(run) => {
                let event = match said {
                    Said::OutOfTurn => Event::Answered(self.replay(0, Choice::Once)),
                    Said::Forged(reply) => {
                        self.forged = true;
                        Event::Replied(reply.to_owned())
                    }
                    Said::Timeout => Event::Failed(RunFailure::Timeout(Millis(30_000))),
                    _ => self.run(&run.script.one_shot(), moment, run.decided.allowed),
                };
                let step = self.session.decide(|world| step::resume(run.pending, event, world));
                // A write with the answer "once" has now run, or never will.
                self.keep(step, None);
            }
            Step::Ask(ask) => {
                let (event, yes) = self.answer(&ask.question, said);
                let step = self.session.decide(|world| step::resume(ask.pending, event, world));
                self.keep(step, yes);
            }
            Step::Load(load) => {
                let step = self.session.decide(|world| step::resume(load.pending, Event::Loaded, world));
                self.keep(step, None);
            }
            Step::Done(_) => unreachable!("what is done is not kept"),
        }
    }

    fn answer(&mut self, question: &Question, said: Said) -> (Event, Option<Question>) {
        let answer = match said {
            Said::Truth(choice) | Said::Replay(_, choice) if choice == Choice::Deny => {
                let (digest, by) = (question.digest(), "a test".to_owned());
                Answer::Chosen { choice, digest, by }
            }
            Said::Truth(choice) => {
                let is_yes = can_be_said(choice, question);
                if is_yes && choice != Choice::Once {
                    self.grant(question, choice);
                }
                let (digest, by) = (question.digest(), "a test".to_owned());
                let answer = Answer::Chosen { choice, digest, by };
                return (Event::Answered(answer), is_yes.then(|| question.clone()));
            }
            Said::Replay(which, choice) => {
                let replayed = self.replay(which, choice);
                // A question with the same words and values is the same question.
                let same = matches!(&replayed, Answer::Chosen { digest, .. } if *digest == question.digest());
                let is_yes = same && can_be_said(choice, question);
                return (Event::Answered(replayed), is_yes.then(|| question.clone()));
            }
            Said::NoWay => Answer::NoWay("nobody".to_owned()),
            Said::Silence | Said::Timeout | Said::Meanwhile(_) => Answer::Unanswered("silence".to_owned()),
            Said::OutOfTurn => return (Event::Failed(RunFailure::Cancelled), None),
            Said::Forged(reply) => return (Event::Replied(reply.to_owned()), None),
        };
        (Event::Answered(answer), None)
    }

    fn replay(&self, which: usize, choice: Choice) -> Answer {
        match self.questions.get(which % self.questions.len().max(1)) {
            Some((old, _)) => Answer::Chosen { choice, digest: old.digest(), by: "a replay".to_owned() },
            None => Answer::Unanswered("there is no older question".to_owned()),
        }
    }

    /// As the shell does, stores approvals that last longer than one call.
    fn grant(&mut self, question: &Question, choice: Choice) {
        let now = self.session.now;
        let always = choice == Choice::Always;
        let mut grants: Grants = (*self.session.gate.grants).clone();
        let named = question
            .scopes()
            .iter()
            .map(|scope| scope.grant(format!("g{}", self.questions.len()), always, "a test".into(), now));
        grants.add(named, now);
        self.session.gate.grants = Arc::new(grants);
        for scope in question.scopes() {
            let command = scope.command.as_ref().map(|command| command.name.clone());
            let what = command.or_else(|| scope.property.clone()).unwrap_or_default();
            let until = (!always || scope.level == Level::Dangerous).then_some(now + Millis(HOUR));
            let class = scope.class.clone().unwrap_or_default();
            self.granted.push((what, class, scope.level, until));
        }
    }

    /// Runs a script in the app; all its writes must have been allowed.
    fn run(&self, script: &str, moment: &Moment, allowed: bool) -> Event {
        self.session.eval("seen = []");
        let event = self.session.run(script);
        let seen = self.session.ask("seen");
        for write in seen.as_array().expect("a list") {
            let text = |at: usize| write[at].as_str().expect("a text").to_owned();
            let write = Write {
                what: text(0),
                class: text(1),
                name: write[2].clone(),
                old: write[3].clone(),
                new: write[4].clone(),
                id: write[5].clone(),
            };
            assert!(allowed, "{write:?} ran although it was refused");
            if let Err(why) = moment.allows(&write) {
                let Moment { rules, yes, .. } = moment;
                panic!("{write:?} was written: {why}\npolicy: {}\nasked: {yes:#?}", rules.text());
            }
        }
        event
    }
}

impl Moment {
    fn allows(&self, write: &Write) -> Result<(), Why> {
        let (ruling, named) = self.rules.ruling(write);
        let is_shell = write.what == "do script";
        if ruling == "deny" || (is_shell && !named) {
            return Err(Why::Policy);
        }
        // Slips cannot be told apart, and a new one looks the same.
        let is_fragile = write.class == "slip" && write.what != "make";
        let suspicious = self.tainted && write.level() == Level::Dangerous;
        if ruling == "allow" && (named || !(suspicious || is_fragile)) {
            return Ok(());
        }
        let class = if is_shell { "application" } else { &write.class };
        let counts = |(what, of, level, until): &&Granted| {
            *what == write.what
                && of == class
                && *level == write.level()
                && until.is_none_or(|until| self.now < until)
        };
        if !is_fragile && self.granted.iter().any(|grant| counts(&grant)) {
            return Ok(());
        }
        match &self.yes {
            None => Err(Why::Nobody),
            Some(question) if write.is_shown_by(question, &self.names, self.forged) => Ok(()),
            Some(_) => Err(Why::Another),
        }
    }
}

/// "Always" is not offered for dangerous calls.
fn can_be_said(choice: Choice, question: &Question) -> bool {
    choice != Choice::Always || question.level() < Level::Dangerous
}

/// The reason why a write is a violation.
enum Why {
    Policy,
    Nobody,
    Another,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Policy => "the policy refuses it",
            Self::Nobody => "neither the policy nor a grant allows it, and nobody was asked",
            Self::Another => "the human has said yes to something else",
        })
    }
}

/// References are assigned in order: three things, two slips, two boxes.
fn reference(n: u8) -> String {
    iac_core::reference::RefId::from_random([0, 0, 0, 0, 0, 0, 0, 0, 0, n]).to_string()
}

fn value() -> impl Strategy<Value = Json> {
    prop_oneof![
        Just(json!(true)),
        Just(json!(false)),
        Just(json!(7)),
        Just(json!("new")),
        Just(json!("plum")),
        Just(json!({ "confirm": true })),
        Just(Json::Null),
    ]
}

fn target() -> impl Strategy<Value = Json> {
    prop_oneof![
        4 => (1_u8..9).prop_map(|n| json!(reference(n))),
        2 => (4_u8..6).prop_map(|n| json!(reference(n))),
        2 => prop::collection::vec(1_u8..9, 1..4)
            .prop_map(|all| json!(all.into_iter().map(reference).collect::<Vec<_>>())),
        3 => place(),
        2 => prop::collection::vec(prop_oneof![place(), (1_u8..9).prop_map(|n| json!(reference(n)))], 1..5)
            .prop_map(Json::from),
        1 => Just(json!({ "type": "named", "element": "thing", "name": "pear", "container": "application" })),
        1 => Just(json!("application")),
    ]
}

/// Any object by position. Slips are excluded, because nothing tells them from their neighbours.
fn place() -> impl Strategy<Value = Json> {
    (prop::sample::select(&["thing", "box"][..]), 0_u32..4).prop_map(
        |(element, index)| json!({ "type": "element", "element": element, "index": index, "container": "application" }),
    )
}

/// Arguments with which a client might try to allow something itself.
const HOPES: [&str; 6] = ["confirm", "approved", "permission", "requestState", "force", "dryRun"];

fn call() -> impl Strategy<Value = Move> {
    let hope = prop::option::weighted(0.15, prop::sample::select(&HOPES[..]));
    let set = (target(), prop::sample::select(&PROPERTIES[..]), value()).prop_map(|(to, property, value)| {
        ("iac_mcp_set_property", json!({ "reference": to, "property": property, "value": value }))
    });
    let several = (target(), value(), value()).prop_map(|(to, flag, name)| {
        ("iac_mcp_set_property", json!({ "reference": to, "properties": { "flag": flag, "name": name } }))
    });
    let tool = prop_oneof![4 => Just("iac_mcp_run_command"), 1 => Just("iac_mcp_read_command")];
    let run = (tool.clone(), target(), prop::sample::select(&["delete", "Delete", "coredelo"][..]))
        .prop_map(|(tool, to, command)| (tool, json!({ "app": "Shelf", "command": command, "target": to })));
    let shell = (tool, prop::sample::select(&["do script", "doScript", "Shlfdosc"][..]))
        .prop_map(|(tool, command)| (tool, json!({ "app": "Shelf", "command": command, "target": "rm" })));
    let make = (prop::sample::select(&["thing", "slip", "box", "tray"][..]), value(), 0_usize..3).prop_map(
        |(class, name, children)| {
            let properties = if class == "slip" { json!({}) } else { json!({ "name": name }) };
            let child = json!({ "properties": { "name": "inner", "flag": true } });
            let children = if class == "tray" { vec![child; children] } else { Vec::new() };
            let mut call = json!({ "app": "Shelf", "class": class, "properties": properties });
            if !children.is_empty() {
                call["children"] = json!(children);
            }
            if children.is_empty() && class == "thing" {
                call["at"] = json!({ "position": "beginning", "of": "application" });
            }
            ("iac_mcp_create", call)
        },
    );
    let undo = Just(("iac_mcp_undo", json!({ "undo": "undo_aaaaaaaaaaaaaaaa" })));
    let look = (1_u8..9).prop_map(|n| ("iac_mcp_get_properties", json!({ "reference": reference(n) })));
    let calls = prop_oneof![6 => set, 2 => several, 4 => run, 2 => shell, 3 => make, 2 => undo, 1 => look];
    (calls, hope).prop_map(|((tool, mut arguments), hope)| {
        if let Some(hope) = hope {
            arguments[hope] = json!(true);
        }
        Move::Call(tool, arguments)
    })
}

fn choice() -> impl Strategy<Value = Choice> {
    prop::sample::select(&[Choice::Once, Choice::Once, Choice::Hour, Choice::Always, Choice::Deny][..])
}

/// Forged replies: to a look, to a write, to anything. An app may lie about a name; this test does not try that.
const FORGED: [&str; 5] = [
    r#"{"ok":true,"value":[[null,[],[false]]],"events":1}"#,
    r#"{"ok":true,"value":[{"changed":[false]}],"events":1}"#,
    r#"{"ok":true,"value":[{"old":[false],"now":[true],"mark":null}],"events":1}"#,
    r#"{"ok":false,"number":-1728,"message":"x","at":"object"}"#,
    "nothing",
];

fn said() -> impl Strategy<Value = Said> {
    prop_oneof![
        14 => choice().prop_map(Said::Truth),
        4 => prop::sample::select(&ELSEWHERE[..]).prop_map(Said::Meanwhile),
        3 => (0_usize..6, choice()).prop_map(|(which, choice)| Said::Replay(which, choice)),
        1 => Just(Said::Silence),
        1 => Just(Said::NoWay),
        1 => Just(Said::OutOfTurn),
        1 => Just(Said::Timeout),
        1 => prop::sample::select(&FORGED[..]).prop_map(Said::Forged),
    ]
}

const ELSEWHERE: [&str; 7] = [
    "world.things.unshift({ id: 90, name: 'newcomer', flag: false, count: 1 })",
    "world.slips.unshift({ text: 'a new one', flag: true })",
    "world.boxes.reverse()",
    "world.things.forEach(thing => { thing.flag = !thing.flag; })",
    "world.things.forEach(thing => { thing.name = 'other'; })",
    "world.things.pop()",
    "world.boxes.forEach(box => { box.name = 'same'; })",
];

fn rules() -> impl Strategy<Value = Rules> {
    let what = [&PROPERTIES[..], &COMMANDS[..]].concat();
    let level = prop::sample::select(&[Level::Modify, Level::Dangerous][..]);
    let decision = prop::sample::select(&["allow", "ask", "deny"][..]);
    let rule = (
        prop::option::weighted(0.7, prop::sample::select(what)),
        prop::option::weighted(0.3, level),
        decision,
    );
    let profile = prop::sample::select(&["read-only", "standard", "standard", "trusted"][..]);
    (profile, prop::collection::vec(rule, 0..3)).prop_map(|(profile, rules)| Rules { profile, rules })
}

fn moves() -> impl Strategy<Value = Vec<Move>> {
    let one = prop_oneof![
        8 => call(),
        24 => (0_usize..3, said()).prop_map(|(which, said)| Move::Go(which, said)),
        3 => prop::sample::select(&ELSEWHERE[..]).prop_map(Move::Elsewhere),
        2 => rules().prop_map(Move::Operator),
        1 => Just(Move::Revoke),
        1 => Just(Move::Taint),
        1 => (1_u64..90).prop_map(Move::Wait),
    ];
    prop::collection::vec(one, 20..120)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, max_shrink_iters: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_is_written_without_a_yes_that_counts(moves in moves()) {
        let mut game = Game::new();
        for next in moves {
            game.play(next);
        }
    }
}

/// The game proves nothing if it cannot be won: after a yes, everything requested must be written.
#[test]
fn with_a_yes_it_is_written() {
    let mut game = Game::new();
    let set = json!({ "reference": reference(1), "property": "flag", "value": true });
    game.play(Move::Call("iac_mcp_set_property", set));
    (0..3).for_each(|_| game.play(Move::Go(0, Said::Truth(Choice::Once))));
    assert_eq!(game.session.writes(), json!([[11, "flag", true]]));
}

/// The same for new objects.
#[test]
fn with_a_yes_it_is_made() {
    let mut game = Game::new();
    let tray = json!({ "app": "Shelf", "class": "tray", "properties": { "name": "t" }, "children": [{ "properties": { "name": "u" } }] });
    game.play(Move::Call("iac_mcp_create", tray));
    // The three steps: look whether the app runs, ask the question, and write.
    (0..3).for_each(|_| game.play(Move::Go(0, Said::Truth(Choice::Once))));
    assert_eq!(game.session.writes(), json!([["tray", "make", "t"], ["thing", "make", "u"]]));
}

/// Checks that the game notices a machine that writes without asking.
#[test]
fn a_write_without_a_yes_is_noticed() {
    let game = Game::new();
    let unasked = "world.set(0, 'flag', true)";
    let lost = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        game.run(unasked, &game.moment(None), true)
    }));
    assert!(lost.is_err(), "the game does not notice writes");
}
