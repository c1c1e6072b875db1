//! Requests of plugins to web servers: the decisions, the questions, and the answers.

use std::sync::Arc;

use iac_core::Millis;
use iac_core::app::Apps;
use iac_core::call::{Call, Method, Secret, WebCall};
use iac_core::permission::{Answer, Choice, Gate, Grants, Level, Policy, Question};
use iac_core::plan::Learned;
use iac_core::reference::{RefId, References};
use iac_core::step::{self, Apart, Event, Outcome, RunFailure, Step, World};
use serde_json::json;

/// A plugin with questions to a human, and the requests that were sent for it.
struct Session {
    policy: &'static str,
    answers: Vec<Choice>,
    asked: Vec<Question>,
    sent: Vec<WebCall>,
    event: Event,
    most: Option<Level>,
    grants: Grants,
    untrusted: Option<Millis>,
}

fn session(policy: &'static str) -> Session {
    let event = Event::Replied(json!({"ok": true, "value": {"status": 200}}).to_string());
    Session {
        policy,
        answers: Vec::new(),
        asked: Vec::new(),
        sent: Vec::new(),
        event,
        most: None,
        grants: Grants::default(),
        untrusted: None,
    }
}

fn request(method: &str, body: &[u8]) -> WebCall {
    WebCall {
        host: "api.example.com".to_owned(),
        method: Method::parse(method).expect("a method"),
        url: "https://api.example.com/items?of=today".to_owned(),
        headers: Vec::new(),
        body: body.to_vec(),
        secrets: Vec::new(),
        deadline: Millis(1000),
    }
}

impl Session {
    fn call(&mut self, call: WebCall) -> Outcome {
        let policy = Arc::new(Policy::parse(self.policy).expect("the test's own policy"));
        let gate = Gate {
            policy,
            most: self.most,
            plugin: Some("weather".to_owned()),
            grants: Arc::new(self.grants.clone()),
            untrusted: self.untrusted,
            ..Gate::default()
        };
        let mut answers = std::mem::take(&mut self.answers).into_iter();
        let (mut references, mut learned) = (References::default(), Learned::default());
        let mut fresh = || RefId::from_random([0; 10]);
        let gate = &&gate;
        let mut world = World {
            apps: &Apps::default(),
            references: &mut references,
            learned: &mut learned,
            gate,
            home: "",
            now: Millis(1_000_000),
            fresh: &mut fresh,
        };
        let mut step = step::start(Call::Web(call), &mut world);
        loop {
            step = match step {
                Step::Run(run) => {
                    assert_eq!(run.apart, Some(Apart::Web));
                    self.sent.extend(run.script.request());
                    step::resume(run.pending, self.event.clone(), &mut world)
                }
                Step::Ask(ask) => {
                    let choice = answers.next().expect("another answer");
                    let digest = ask.question.digest();
                    self.asked.push(ask.question);
                    let answer = Answer::Chosen { choice, digest, by: "test".to_owned() };
                    step::resume(ask.pending, Event::Answered(answer), &mut world)
                }
                Step::Load(_) => panic!("no dictionary is needed"),
                Step::Done(outcome) => return outcome,
            };
        }
    }
}

/// Decides about a request; every question gets the answer no.
fn check(policy: &'static str, method: &str, expected: &str) {
    let mut session = session(policy);
    session.answers = vec![Choice::Deny];
    let outcome = session.call(request(method, b""));
    let came = match (session.asked.len(), outcome.is_error) {
        (0, false) => "sent",
        (0, true) => "refused",
        _ => "asked",
    };
    assert_eq!((came, session.sent.len()), (expected, usize::from(came == "sent")), "{policy} {method}");
}

#[test]
fn a_fetch_is_a_read_and_everything_else_is_dangerous() {
    check("", "GET", "sent");
    check("", "HEAD", "sent");
    for method in ["POST", "PUT", "PATCH", "DELETE"] {
        check("", method, "asked");
        check("profile = \"trusted\"", method, "sent");
        check("profile = \"read-only\"", method, "refused");
    }
    check("profile = \"read-only\"", "GET", "sent");
}

#[test]
fn rules_speak_of_hosts_methods_and_plugins() {
    let rule = |rule: &str| -> &'static str { format!("rules = [{{ {rule} }}]").leak() };
    check(rule("app = \"https://*\", decision = \"deny\""), "GET", "refused");
    check(rule("app = \"https://other.example.com\", decision = \"deny\""), "GET", "sent");
    check(
        rule("app = \"https://api.example.com\", command = \"http post\", decision = \"allow\""),
        "POST",
        "sent",
    );
    check(
        rule("app = \"https://api.example.com\", command = \"http post\", decision = \"allow\""),
        "PUT",
        "asked",
    );
    check(rule("command = \"http get\", decision = \"ask\""), "GET", "asked");
    check(rule("plugin = \"weather\", level = \"DANGEROUS\", decision = \"deny\""), "POST", "refused");
    // A rule that allows something must name the host as `https://HOST`.
    check(rule("app = \"api.example.com\", decision = \"allow\""), "POST", "asked");
}

#[test]
fn a_question_shows_what_is_sent() {
    let mut session = session("");
    session.answers = vec![Choice::Once];
    let body = format!("{{\"text\": \"one\u{202e}\ntwo\"}}{}", "x".repeat(5_000));
    let call = WebCall {
        headers: vec![("content-type".to_owned(), "application/json".to_owned())],
        secrets: vec![Secret {
            key: "token".to_owned(),
            header: "authorization".to_owned(),
            prefix: "Bearer ".to_owned(),
        }],
        ..request("POST", body.as_bytes())
    };
    let outcome = session.call(call.clone());
    assert_eq!(session.sent, [call], "what was shown is what is sent");
    assert_eq!(outcome.body, json!({"status": 200, "untrusted": true}));
    let text = session.asked[0].text();
    let head = "The plugin \"weather\" wants to: api.example.com: send a POST request to \
                \"https://api.example.com/items?of=today\"\n\
                - with the headers \"content-type: application/json\"\n\
                - with your secret \"token\" in the header authorization\n\
                - with 5022 bytes: \"{”text”: ”one\u{fffd} ⏎ two”}xxx";
    assert!(text.starts_with(head), "{text}");
    assert!(text.ends_with("DANGEROUS · it sends data to a web server"), "{text}");
    assert!(text.contains("Note: a sent request cannot be taken back"), "{text}");
    assert_eq!(session.asked[0].choices(), [Choice::Once, Choice::Hour, Choice::Deny]);
}

#[test]
fn a_question_shows_the_address_and_says_how_much_is_left_out() {
    let asked = |path: &str, header: &str| {
        let mut session = session("");
        session.answers = vec![Choice::Deny];
        let url = format!("https://api.example.com/{path}");
        let headers = vec![("x-a".to_owned(), header.to_owned())];
        session.call(WebCall { url, headers, ..request("POST", b"all of it") });
        session.asked[0].text()
    };
    let path = format!("{}?delete=everything", "a".repeat(200));
    let text = asked(&path, "1");
    assert!(text.contains(&format!("request to \"https://api.example.com/{path}\"\n- with")), "{text}");
    let text = asked(&"a".repeat(2_000), &"b".repeat(2_000));
    assert!(text.contains("aaa…\"\n- the address has 2024 characters, of which 1200 are shown\n"), "{text}");
    assert!(text.contains("- with the headers of 2005 bytes \"x-a: bbb"), "{text}");
    assert!(text.contains("- with 9 bytes: \"all of it\""), "{text}");
}

#[test]
fn letters_from_right_to_left_stay_in_their_place() {
    let mut session = session("");
    session.answers = vec![Choice::Deny];
    session.call(request("POST", "to: \u{5d0}\u{5d1} 100".as_bytes()));
    let text = session.asked[0].text();
    assert!(text.contains("\"\u{2068}to: \u{5d0}\u{5d1} 100\u{2069}\""), "{text}");
}

#[test]
fn many_secrets_push_nothing_out_of_sight() {
    let mut session = session("");
    session.answers = vec![Choice::Deny];
    let secret =
        |at: usize| Secret { key: format!("k{at}"), header: format!("x-{at}"), prefix: String::new() };
    session.call(WebCall { secrets: (0..9).map(secret).collect(), ..request("POST", b"all of it") });
    let text = session.asked[0].text();
    assert!(text.contains("- with your secret \"k0\" in the header x-0, \"k1\" in"), "{text}");
    assert!(text.contains("- with 9 bytes: \"all of it\"") && !text.contains("more"), "{text}");
}

#[test]
fn a_yes_is_one_to_exactly_this() {
    let digest = |call: WebCall| {
        let mut session = session("");
        session.answers = vec![Choice::Deny];
        session.call(call);
        session.asked[0].digest()
    };
    let first = request("POST", b"a");
    let longer = |text: &str| request("POST", format!("{}{text}", "x".repeat(2_000)).as_bytes());
    assert_eq!(digest(first.clone()), digest(first.clone()));
    assert_ne!(digest(first.clone()), digest(request("POST", b"b")));
    assert_ne!(digest(longer("a")), digest(longer("b")), "what is not shown counts too");
    let header = vec![("x-a".to_owned(), "1".to_owned())];
    assert_ne!(digest(first.clone()), digest(WebCall { headers: header, ..first }));
}

#[test]
fn a_grant_and_the_content_of_others_bound_what_is_sent() {
    let mut session = session("profile = \"trusted\"");
    session.most = Some(Level::Safe);
    let outcome = session.call(request("POST", b""));
    assert_eq!((outcome.is_error, session.sent.len()), (true, 0), "{}", outcome.body);

    let mut tainted = self::session("profile = \"trusted\"");
    (tainted.untrusted, tainted.answers) = (Some(Millis(999_000)), vec![Choice::Deny]);
    tainted.call(request("POST", b""));
    assert_eq!((tainted.asked.len(), tainted.sent.len()), (1, 0));
}

#[test]
fn a_request_without_an_answer_says_why() {
    let check = |method: &str, failure: RunFailure, expected: serde_json::Value| {
        let mut session = session("profile = \"trusted\"");
        session.event = Event::Failed(failure);
        let body = session.call(request(method, b"")).body;
        let body = json!([body["error"], body["message"], body["retryable"], body["outcome"]]);
        assert_eq!(body, expected);
    };
    let host = |what: &str| format!("api.example.com: {what}");
    let timeout = || RunFailure::Timeout(Millis(2000));
    check("GET", timeout(), json!(["timeout", host("no answer within 2 seconds"), true, null]));
    check("POST", timeout(), json!(["timeout", host("no answer within 2 seconds"), false, "unknown"]));
    let unstarted = || RunFailure::Unstarted("no such host".to_owned());
    check("POST", unstarted(), json!(["unavailable", host("no such host"), false, null]));
    let died = RunFailure::Process("the connection\nbroke".to_owned());
    check("PUT", died, json!(["unavailable", host("the connection broke"), false, "unknown"]));
    let large = RunFailure::TooLarge(9);
    check("GET", large, json!(["result_too_large", host("the answer is larger than 9 bytes"), false, null]));
    check("GET", RunFailure::Cancelled, json!(["cancelled", host("the call was cancelled"), false, null]));
}

#[test]
fn a_body_that_is_no_text_is_counted() {
    let mut session = session("");
    session.answers = vec![Choice::Deny];
    session.call(request("PUT", &[0xff, 0, 1]));
    assert!(session.asked[0].text().contains("- with 3 bytes that are not text"), "{:?}", session.asked);
    let arguments = request("PUT", &[0xff]).arguments();
    assert_eq!(arguments["bytes"], 1);
    assert!(!arguments.contains_key("body"), "the log names what was sent by its digest");
}
