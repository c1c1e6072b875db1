//! Plugins' scripts inside apps: their input, the questions, and their results.

use std::sync::Arc;

use iac_core::Millis;
use iac_core::app::{App, Apps};
use iac_core::call::{Act, Call, ScriptCall};
use iac_core::dictionary::{Includes, parse};
use iac_core::permission::{Answer, Choice, Gate, Grants, Level, Policy, Question};
use iac_core::plan::Learned;
use iac_core::reference::{RefId, References};
use iac_core::step::{self, Event, Outcome, RunFailure, Step, World};
use proptest::prelude::*;
use rquickjs::{Context, Runtime};
use serde_json::{Value as Json, json};

const SDEF: &str = r#"<dictionary><suite name="Omni" code="Omni">
  <command name="evaluate javascript" code="OFOCOFEJ"><direct-parameter type="text"/><result type="text"/></command>
  <class name="application" code="capp"/>
</suite></dictionary>"#;

const ECHO: &str = "data => data // the whole of it";

/// A plugin's session with a script engine.
struct Session {
    policy: &'static str,
    answers: Vec<Choice>,
    asked: Vec<Question>,
    failure: Option<RunFailure>,
    /// This many runs succeed before the failure.
    good: usize,
    most: Option<Level>,
    codes: Vec<String>,
    grants: Grants,
    /// Whether the app answers each event with -1712.
    timed_out: bool,
}

fn session(policy: &'static str) -> Session {
    Session {
        policy,
        answers: Vec::new(),
        asked: Vec::new(),
        failure: None,
        good: 0,
        most: None,
        codes: Vec::new(),
        grants: Grants::default(),
        timed_out: false,
    }
}

fn script(text: &str, level: Level, data: Json) -> ScriptCall {
    let objects = vec!["complete \"Buy\u{202e}\nmilk\"".to_owned()];
    ScriptCall {
        app: "test.omni".to_owned(),
        name: "change".to_owned(),
        text: text.to_owned(),
        level,
        acts: Vec::new(),
        data,
        rest: Vec::new(),
        objects,
    }
}

impl Session {
    fn run(&mut self, call: ScriptCall) -> Outcome {
        let runtime = Runtime::new().expect("an engine");
        let context = Context::full(&runtime).expect("a context");
        let app = "globalThis.Automation = { getDisplayString: () => '' }; globalThis.Application = () => ({ running: () => true, \
                   evaluateJavascript: text => { if (globalThis.late) throw Object.assign(new Error('late'), { errorNumber: -1712 }); \
                   return text.includes('be silent') ? null : (0, eval)(text); } });";
        context.with(|js| js.eval::<rquickjs::Value<'_>, _>(app).map(|_| ()).expect("the app's code runs"));
        if self.timed_out {
            context.with(|js| js.eval::<bool, _>("globalThis.late = true").expect("it is set"));
        }
        let (apps, mut references, mut learned) = (apps(), References::default(), Learned::default());
        let policy = Arc::new(Policy::parse(self.policy).expect("a policy"));
        let (plugin, grants) = (Some("omnifocus".to_owned()), Arc::new(self.grants.clone()));
        let gate = Gate { policy, plugin, grants, most: self.most, ..Gate::default() };
        let mut fresh = || RefId::from_random([0; 10]);
        let (references, learned, fresh) = (&mut references, &mut learned, &mut fresh);
        let mut world =
            World { apps: &apps, references, learned, gate: &&gate, home: "", now: Millis(0), fresh };
        let mut step = step::start(Call::Script(call), &mut world);
        loop {
            step = match step {
                Step::Done(outcome) => return outcome,
                Step::Run(run) => {
                    self.codes.push(run.script.code().to_owned());
                    let code = run.script.one_shot();
                    let answer: String = context.with(|js| js.eval(code).expect("the script runs"));
                    let failure = self.failure.clone().filter(|_| self.codes.len() > self.good);
                    let event = failure.map_or(Event::Replied(answer), Event::Failed);
                    step::resume(run.pending, event, &mut world)
                }
                Step::Load(load) => step::resume(load.pending, Event::Loaded, &mut world),
                Step::Ask(ask) => {
                    let (choice, digest) = (self.answers.remove(0), ask.question.digest());
                    self.asked.push(ask.question);
                    let answer = Answer::Chosen { choice, digest, by: "a test".to_owned() };
                    step::resume(ask.pending, Event::Answered(answer), &mut world)
                }
            };
        }
    }
}

fn apps() -> Apps {
    let app = |bundle_id: &str, sdef: &str| {
        let (dictionary, _) = parse(sdef.as_bytes(), &Includes::new());
        App {
            bundle_id: bundle_id.into(),
            name: "Omni".to_owned(),
            version: String::new(),
            counts: None,
            others: Vec::new(),
            dictionary: Some(Arc::new(dictionary)),
        }
    };
    let other = r#"<dictionary><suite name="S" code="Suit"><class name="application" code="capp"/></suite></dictionary>"#;
    Apps(vec![app("test.omni", SDEF), app("test.other", other)])
}

fn message(outcome: &Outcome) -> &str {
    outcome.body["message"].as_str().unwrap_or_default()
}

#[test]
fn what_is_read_is_not_asked_about() {
    let mut session = session("");
    let outcome = session.run(script(ECHO, Level::Safe, json!({ "a": ["b", null, 1.5] })));
    assert_eq!(outcome.body, json!({ "value": { "a": ["b", null, 1.5] }, "untrusted": true }));
    assert_eq!((session.asked.len(), outcome.events), (0, 1));
}

#[test]
fn what_changes_is_asked_in_the_hosts_words_with_the_plugins_beside_them() {
    let mut yes = session("");
    yes.answers = vec![Choice::Once];
    let outcome = yes.run(script("() => 7", Level::Modify, json!(null)));
    assert_eq!(outcome.body["value"], 7);
    assert_eq!(
        yes.asked[0].text(),
        "The plugin \"omnifocus\" wants to run its script \"change\" in Omni\n\
         In the plugin's words:\n\
         - \"complete 'Buy milk'\"\n\
         MODIFY · it makes the change with the plugin's own script"
    );
    let mut no = session("");
    no.answers = vec![Choice::Deny];
    let outcome = no.run(script("() => 7", Level::Dangerous, json!(null)));
    assert_eq!((outcome.body["error"].as_str(), no.codes.len()), (Some("permission_denied"), 0));
    assert!(!no.asked[0].offers(Choice::Always), "never always for what is dangerous");
}

/// An empty line counts an object that an earlier line describes too.
#[test]
fn a_line_may_describe_several_objects() {
    let mut yes = session("");
    yes.answers = vec![Choice::Once];
    let mut call = script("() => 7", Level::Modify, json!(null));
    call.objects = ["flag 3 tasks: a, b, c", "", "", "delete d"].map(str::to_owned).into();
    yes.run(call);
    assert_eq!(
        yes.asked[0].text(),
        "The plugin \"omnifocus\" wants to run its script \"change\" in Omni (4 objects)\n\
         In the plugin's words:\n\
         - \"flag 3 tasks: a, b, c\"\n\
         - \"delete d\"\n\
         MODIFY · it makes the change with the plugin's own script"
    );
}

/// A plugin has put into one line what is equal, so the question has every line for which there is room.
#[test]
fn a_question_has_all_lines_of_a_plugin() {
    for (length, lines, more) in
        [(20, 60, ""), (400, 37, "\n- and 23 more\n"), (1_100, 13, "\n- and 47 more\n")]
    {
        let mut yes = session("");
        yes.answers = vec![Choice::Once];
        let mut call = script("() => 7", Level::Modify, json!(null));
        call.objects = (0..60).map(|at| format!("{at} {}", "x".repeat(length))).collect();
        yes.run(call);
        let text = yes.asked[0].text();
        assert_eq!(text.matches("\n- \"").count(), lines, "{text}");
        assert!(text.contains("(60 objects)") && text.contains(more), "{text}");
        // A dialog has less room: it counts the last lines, but has at least five.
        let shorter = yes.asked[0].text_that(|text| text.lines().count() <= 12);
        assert_eq!(shorter.matches("\n- \"").count(), 8, "{shorter}");
        assert!(shorter.contains("\n- and 52 more\n"), "{shorter}");
        let shortest = yes.asked[0].text_that(|_| false);
        assert_eq!(shortest.matches("\n- \"").count(), 5, "{shortest}");
    }
}

/// The end of a line may name another property.
#[test]
fn a_line_that_would_be_cut_asks_nobody() {
    let asked = |level: Level, length: usize| {
        let mut yes = session("");
        yes.answers = vec![Choice::Once];
        let mut call = script("() => 7", level, json!(null));
        call.objects = vec!["x".repeat(length)];
        let outcome = yes.run(call);
        (outcome.is_error, yes.asked.len())
    };
    assert_eq!(asked(Level::Modify, 1_200), (false, 1));
    assert_eq!(asked(Level::Modify, 1_201), (true, 0));
    assert_eq!(asked(Level::Safe, 1_201), (false, 0));
}

#[test]
fn policies_name_scripts_and_plugins() {
    let check = |policy: &'static str, level: Level, allowed: bool| {
        let mut session = session(policy);
        session.answers = vec![Choice::Deny];
        let outcome = session.run(script("() => 1", level, json!(null)));
        assert_eq!(!outcome.is_error, allowed, "{policy}");
    };
    check(
        "rules = [{ plugin = \"omnifocus\", command = \"script change\", decision = \"allow\" }]",
        Level::Modify,
        true,
    );
    check("rules = [{ plugin = \"other\", decision = \"allow\" }]", Level::Modify, false);
    check("rules = [{ plugin = \"omnifocus\", decision = \"deny\" }]", Level::Safe, false);
    check("profile = \"read-only\"", Level::Modify, false);
    check("profile = \"read-only\"", Level::Safe, true);
    check("levels = [{ command = \"script change\", level = \"DANGEROUS\" }]", Level::Safe, false);
}

#[test]
fn nothing_goes_beyond_what_the_plugin_was_granted() {
    let mut session = session("profile = \"trusted\"");
    session.most = Some(Level::Safe);
    let outcome = session.run(script(ECHO, Level::Modify, json!(null)));
    assert!(message(&outcome).contains("the plugin was granted no more than SAFE"), "{}", outcome.body);
    assert!(outcome.body["suggestion"].as_str().unwrap().contains("iac-mcp plugin grant omnifocus"));
    assert!(session.codes.is_empty());
}

#[test]
fn what_goes_wrong_inside_is_told() {
    let check = |text: &str, level: Level, part: &str| {
        let outcome = session("profile = \"trusted\"").run(script(text, level, json!(null)));
        assert!(outcome.is_error && message(&outcome).contains(part), "{text}: {}", outcome.body);
        let unknown = (level > Level::Safe).then(|| json!("unknown"));
        assert_eq!(outcome.body.get("outcome"), unknown.as_ref(), "{text}");
    };
    check("() => { throw new Error('no \"such\" task') }", Level::Safe, "threw \"no 'such' task\"");
    check("() => { throw null }", Level::Modify, "threw \"null\"");
    check("() => 'be silent'", Level::Safe, "it answered null, expected JSON");
    let none = session("").run(script("() => undefined", Level::Safe, json!(null)));
    assert_eq!(none.body["value"], Json::Null);
}

#[test]
fn what_cannot_be_run_is_refused_before() {
    let mut session = session("");
    let long = session.run(script(ECHO, Level::Safe, json!("x".repeat(240_000))));
    assert!(message(&long).contains("expected fewer than 240000"), "{}", message(&long));
    let other = ScriptCall { app: "test.other".to_owned(), ..script(ECHO, Level::Safe, json!(null)) };
    let other = session.run(other);
    assert_eq!(other.body["error"], "unknown_command");
    assert!(session.codes.is_empty());
}

#[test]
fn a_change_without_an_answer_may_have_happened() {
    for (level, expected) in [(Level::Safe, None), (Level::Modify, Some("unknown"))] {
        let mut session = session("profile = \"trusted\"");
        session.failure = Some(RunFailure::Timeout(Millis(30_000)));
        let outcome = session.run(script(ECHO, level, json!(null)));
        assert_eq!(
            (outcome.body["error"].as_str(), outcome.body["outcome"].as_str()),
            (Some("timeout"), expected)
        );
    }
}

#[test]
fn a_change_that_never_started_did_not_happen() {
    let check = |failure: fn(String) -> RunFailure, outcome: Option<&str>| {
        let mut session = session("profile = \"trusted\"");
        session.failure = Some(failure("no more files can be opened".to_owned()));
        let answer = session.run(script(ECHO, Level::Modify, json!(null)));
        assert_eq!(
            (answer.body["error"].as_str(), answer.body["outcome"].as_str()),
            (Some("unavailable"), outcome),
            "{}",
            answer.body
        );
        // The uncertain change is the last change.
        let kept: Vec<String> = answer.undo.iter().map(iac_core::undo::Undo::in_words).collect();
        let stays =
            outcome.map(|_| "Omni ran a plugin's script \"change\", with an unknown outcome".to_owned());
        assert_eq!(kept, stays.into_iter().collect::<Vec<_>>());
    };
    check(RunFailure::Unstarted, None);
    check(RunFailure::Process, Some("unknown"));
}

/// A script that adds its number to its input, and passes the sum on if the data says so.
const SUM: &str = "(data, before = 0) => { if (data.fail) throw new Error('no'); const sum = before + data.n; \
                   return { sum, carry: data.end ? null : data.long ? 'x'.repeat(data.long) : sum }; }";

fn parts(text: &str, data: &[Json]) -> ScriptCall {
    ScriptCall { rest: data[1..].to_vec(), ..script(text, Level::Modify, data[0].clone()) }
}

#[test]
fn several_runs_are_one_question_and_each_is_handed_what_the_one_before_it_gives() {
    let mut yes = session("");
    yes.answers = vec![Choice::Once];
    let outcome =
        yes.run(parts(SUM, &[json!({ "n": 1 }), json!({ "n": 20 }), json!({ "n": 300, "end": true })]));
    let sums: Vec<&Json> =
        outcome.body["value"].as_array().unwrap().iter().map(|answer| &answer["sum"]).collect();
    assert_eq!(sums, [1, 21, 321]);
    assert_eq!((yes.asked.len(), yes.codes.len(), outcome.events), (1, 3, 3));

    let mut no = session("");
    no.answers = vec![Choice::Deny];
    let outcome = no.run(parts(SUM, &[json!({ "n": 1 }), json!({ "n": 20 })]));
    assert_eq!((outcome.body["error"].as_str(), no.codes.len()), (Some("permission_denied"), 0));
}

#[test]
fn a_question_is_bound_to_the_data_of_every_run() {
    let digest = |last: i32| {
        let mut session = session("");
        session.answers = vec![Choice::Deny];
        session.run(parts(SUM, &[json!({ "n": 1 }), json!({ "n": last })]));
        session.asked[0].digest()
    };
    assert_eq!(digest(2), digest(2));
    assert_ne!(digest(2), digest(3));
}

#[test]
fn runs_end_where_nothing_is_handed_on_or_one_fails() {
    let check = |data: &[Json]| {
        let mut session = session("profile = \"trusted\"");
        (session.run(parts(SUM, data)), session.codes.len())
    };
    let (outcome, runs) = check(&[json!({ "n": 1, "end": true }), json!({ "n": 20 })]);
    assert_eq!((outcome.body["value"].as_array().map(Vec::len), runs), (Some(1), 1));
    let (outcome, runs) = check(&[json!({ "n": 1 }), json!({ "fail": true }), json!({ "n": 3 })]);
    assert_eq!((message(&outcome).contains("threw"), runs), (true, 2));
    assert_eq!(
        (&outcome.body["answers"][0]["sum"], &outcome.body["outcome"]),
        (&json!(1), &json!("unknown"))
    );
    let (outcome, runs) = check(&[json!({ "fail": true }), json!({ "n": 3 })]);
    assert_eq!((outcome.body.get("answers"), runs), (None, 1));
    // The value to pass on may be too long for the data of a script.
    let (outcome, runs) = check(&[json!({ "n": 1, "long": 240_000 }), json!({ "n": 3 })]);
    assert!(message(&outcome).contains("expected fewer than 240000"), "{}", outcome.body);
    assert_eq!((&outcome.body["answers"][0]["sum"], runs), (&json!(1), 1));
    let (outcome, runs) = check(&[json!({ "n": 1 }), json!("x".repeat(240_000))]);
    assert_eq!((message(&outcome).contains("expected fewer than"), runs), (true, 0), "before anything runs");
}

#[test]
fn a_run_that_is_not_answered_keeps_what_was_answered_before() {
    for level in [Level::Safe, Level::Modify] {
        let mut session = session("profile = \"trusted\"");
        session.failure = Some(RunFailure::Timeout(Millis(30_000)));
        session.good = 1;
        let outcome =
            session.run(ScriptCall { level, ..parts(SUM, &[json!({ "n": 1 }), json!({ "n": 2 })]) });
        assert_eq!(
            (&outcome.body["error"], &outcome.body["answers"][0]["sum"]),
            (&json!("timeout"), &json!(1))
        );
    }
}

/// The acts of the call, as the script receives them.
const ACTS: &str = "(data, before, acts) => [Object.isFrozen(acts), ...acts]";

fn acting(acts: &[(&str, Level)]) -> ScriptCall {
    let acts = acts.iter().map(|(name, level)| Act { name: (*name).to_owned(), level: *level }).collect();
    let data = json!({ "acts": ["delete project"] });
    ScriptCall { acts, ..script(ACTS, Level::Dangerous, data) }
}

#[test]
fn a_script_is_told_what_was_decided_and_no_data_alters_it() {
    let mut session = session("profile = \"trusted\"");
    let call = acting(&[("create task", Level::Modify), ("delete task", Level::Dangerous)]);
    assert_eq!(session.run(call.clone()).body["value"], json!([true, "create task", "delete task"]));
    let text = "(data, before, acts) => ({ got: acts.join(), carry: 1 })";
    let rest = vec![json!({ "acts": [] }), json!(null)];
    let parts = session.run(ScriptCall { text: text.to_owned(), rest, ..call });
    let told: Vec<&Json> = parts.body["value"].as_array().unwrap().iter().map(|part| &part["got"]).collect();
    assert_eq!(told, ["create task,delete task"; 3], "every run is told the same");
    let none = "(...all) => all.length";
    assert_eq!(session.run(script(none, Level::Safe, json!(1))).body["value"], json!(1));
}

/// For every two acts: a yes for an hour to one of them does not cover the other.
#[test]
fn a_yes_to_one_act_is_for_no_other() {
    let all = [
        ("create task", Level::Modify),
        ("edit task", Level::Modify),
        ("delete task", Level::Dangerous),
        ("delete project", Level::Dangerous),
    ];
    for granted in all {
        let mut session = session("");
        session.answers = vec![Choice::Hour];
        session.run(acting(&[granted]));
        let scopes = session.asked[0].scopes().to_vec();
        let [scope] = &scopes[..] else { panic!("one act is one scope: {scopes:?}") };
        assert_eq!(scope.level, granted.1, "{granted:?}");
        let grant = scope.grant("g1".into(), false, "a test".into(), Millis(0));
        session.grants.add([grant], Millis(0));
        for other in all {
            session.answers = vec![Choice::Deny];
            session.asked.clear();
            let outcome = session.run(acting(&[other]));
            assert_eq!(outcome.is_error, other != granted, "{granted:?}, {other:?}: {}", outcome.body);
            session.answers = vec![Choice::Deny];
            session.run(acting(&[granted, other]));
            let asked: Vec<&str> = session.asked.iter().flat_map(Question::scopes).map(named).collect();
            assert!(!asked.contains(&format!("script change: {}", granted.0).as_str()), "{asked:?}");
        }
    }
}

fn named(scope: &iac_core::permission::Scope) -> &str {
    scope.command.as_ref().map_or("", |command| &command.name)
}

#[test]
fn always_is_not_offered_where_one_act_is_dangerous_and_every_act_is_named() {
    let check = |acts: &[(&str, Level)], deed: &str, always: bool| {
        let mut session = session("");
        session.answers = vec![Choice::Deny];
        session.run(acting(acts));
        let question = &session.asked[0];
        assert!(question.text().starts_with(&format!("The plugin \"omnifocus\" wants to {deed} in Omni\n")));
        assert_eq!(question.offers(Choice::Always), always, "{deed}");
    };
    let (create, delete) = (("create task", Level::Modify), ("delete project", Level::Dangerous));
    check(&[create], "create a task", true);
    check(&[delete], "delete a project", false);
    check(&[create, delete], "create a task, and delete a project", false);
}

#[test]
fn rules_speak_of_single_acts() {
    let allow = |act: &str| {
        format!(
            "rules = [{{ app = \"test.omni\", command = \"script change: {act}\", decision = \"allow\" }}]"
        )
    };
    let (create, delete) = (("create task", Level::Modify), ("delete project", Level::Dangerous));
    for (rule, acts, asked) in [
        (allow("create task"), &[create][..], 0),
        (allow("create task"), &[delete], 1),
        (allow("create task"), &[create, delete], 1),
        (allow("delete project"), &[create], 1),
    ] {
        let mut session = session(Box::leak(rule.into_boxed_str()));
        session.answers = vec![Choice::Deny];
        session.run(acting(acts));
        assert_eq!(session.asked.len(), asked, "{acts:?}");
    }
}

/// An app that did not answer in time may still carry out the script.
#[test]
fn what_timed_out_is_retried_only_if_it_changes_nothing() {
    for (failure, level) in [
        (RunFailure::Timeout(Millis(1)), Level::Modify),
        (RunFailure::Script { number: -1712, message: "late".to_owned() }, Level::Modify),
        (RunFailure::Script { number: -1712, message: "late".to_owned() }, Level::Safe),
    ] {
        let mut session = session("profile = \"trusted\"");
        session.failure = Some(failure);
        let body = session.run(script(ECHO, level, json!(null))).body;
        let changes = level > Level::Safe;
        assert_eq!((&body["error"], &body["retryable"]), (&json!("timeout"), &json!(!changes)), "{body}");
        assert_eq!(body.get("outcome") == Some(&json!("unknown")), changes, "{body}");
    }
    let mut session = session("profile = \"trusted\"");
    session.timed_out = true;
    let body = session.run(script(ECHO, Level::Modify, json!(null))).body;
    assert_eq!((&body["retryable"], &body["outcome"]), (&json!(false), &json!("unknown")), "{body}");
}

#[test]
fn the_log_has_the_digest_and_not_the_text() {
    let call = script(ECHO, Level::Safe, json!({ "name": "Ada" }));
    let said = Json::Object(call.arguments());
    assert_eq!(said["sha256"].as_str().map(str::len), Some(64));
    assert!(!said.to_string().contains("whole of it"));
    assert_eq!(said.get("rest"), None);
    let said = Json::Object(parts(ECHO, &[json!(1), json!(2)]).arguments());
    assert_eq!((&said["data"], &said["rest"]), (&json!(1), &json!([2])));
}

proptest! {
    /// Data stays data, whatever it contains: the code stays the same, and the value comes back unchanged.
    #[test]
    fn data_never_becomes_code(text in ".*", key in ".*") {
        let mut session = session("");
        let data = json!({ "text": text, "__proto__": 1, "key": [key] });
        let outcome = session.run(script(ECHO, Level::Safe, data.clone()));
        prop_assert_eq!(&outcome.body["value"]["text"], &data["text"]);
        prop_assert_eq!(&outcome.body["value"]["key"], &data["key"]);
        let plain = session.run(script(ECHO, Level::Safe, json!(null)));
        prop_assert!(!plain.is_error);
        prop_assert_eq!(&session.codes[0], &session.codes[1]);
    }
}
