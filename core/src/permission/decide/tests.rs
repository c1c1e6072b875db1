use std::sync::Arc;

use super::*;
use crate::action::{Creation, Following, Into, Seen, StepSet, SystemDeed};
use crate::change::Change;
use crate::marshal::Given;
use crate::permission::classify::tests::{
    act, in_mail, invocation, named, property, record, script as in_app_script, set,
};
use crate::permission::closed::tests::{Way, path};
use crate::permission::question::{may_name, named as named_lines};
use crate::permission::touch::tests::make;
use crate::permission::{Closed, CommandScope, Grants, Links, Policy, Where};
use crate::specifier::Path;
use crate::words::TextWindow;

const NOW: Millis = Millis(1_000);

fn gate(policy: &str) -> Gate {
    Gate { policy: Arc::new(Policy::parse(policy).expect(policy)), ..Gate::default() }
}

fn deletion() -> Scope {
    let command = CommandScope { name: "delete".to_owned(), code: "coredelo".to_owned() };
    Scope {
        app: "com.apple.mail".to_owned(),
        level: Level::Dangerous,
        command: Some(command),
        ..Scope::default()
    }
}

fn granted(gate: Gate, scope: &Scope) -> Gate {
    let mut grants = Grants::default();
    grants.add([scope.grant("g1".to_owned(), false, "a test".to_owned(), NOW)], NOW);
    Gate { grants: Arc::new(grants), ..gate }
}

#[test]
fn a_forecast_says_what_a_call_would_meet() {
    let check = |gate: &Gate, is_shell: bool, now: Millis, expected: Ruling| {
        assert_eq!(forecast(&deletion(), "Mail", is_shell, gate, now).0, expected);
    };
    check(&gate("profile = \"standard\""), false, NOW, Ruling::Ask);
    check(&gate("profile = \"read-only\""), false, NOW, Ruling::Deny);
    let trusted = gate("profile = \"trusted\"");
    check(&trusted, false, NOW, Ruling::Allow);
    check(&trusted, true, NOW, Ruling::Deny);
    let given = granted(gate("profile = \"standard\""), &deletion());
    check(&given, false, NOW, Ruling::Allow);
    let refused = granted(gate("rules = [{ command = \"delete\", decision = \"deny\" }]"), &deletion());
    check(&refused, false, NOW, Ruling::Deny);
    // An earlier yes counts for what it was given for, and for nothing more or less.
    for scope in [
        Scope { plugin: Some("omnifocus".to_owned()), ..deletion() },
        Scope { property: Some("subject".to_owned()), command: None, ..deletion() },
        Scope { class: Some("message".to_owned()), ..deletion() },
    ] {
        let met = |given: &Scope| forecast(&scope, "Mail", false, &granted(Gate::default(), given), NOW).0;
        assert_eq!([met(&scope), met(&deletion())], [Ruling::Allow, Ruling::Ask], "{scope:?}");
    }
}

#[test]
fn a_forecast_asks_for_an_hour_after_foreign_content() {
    let read = Gate { untrusted: Some(NOW), ..gate("profile = \"trusted\"") };
    let at = |after: u64| forecast(&deletion(), "Mail", false, &read, Millis(NOW.0 + after)).0;
    assert_eq!([at(0), at(TAINT.0 - 1), at(TAINT.0)], [Ruling::Ask, Ruling::Ask, Ruling::Allow]);
}

#[test]
fn a_value_that_would_be_asked_about_stands_in_no_answer() {
    let app = App {
        bundle_id: "com.apple.mail".into(),
        name: "Mail".to_owned(),
        version: String::new(),
        counts: None,
        others: Vec::new(),
        dictionary: None,
    };
    let rules = |decision: &str| {
        gate(&format!(
            "rules = [{{ app = \"com.apple.mail\", property = \"subject\", decision = \"{decision}\" }}]"
        ))
    };
    let reads = |property: &str, gate: &Gate| may_read(property, &app, gate, NOW);
    assert!(reads("subject", &Gate::default()));
    assert!(!reads("subject", &rules("ask")));
    assert!(!reads("subject", &rules("deny")));
    assert!(reads("sender", &rules("ask")));
    let scope =
        Scope { app: "com.apple.mail".to_owned(), property: Some("subject".to_owned()), ..Scope::default() };
    assert!(reads("subject", &granted(rules("ask"), &scope)));
    assert!(!reads("subject", &granted(rules("deny"), &scope)));
    // The yes was the client's. A plugin needs its own.
    let of_plugin = Gate { plugin: Some("omnifocus".to_owned()), ..granted(rules("ask"), &scope) };
    assert!(!reads("subject", &of_plugin));
}

const TRUSTED: &str = "profile = \"trusted\"";

fn of(deed: Deed) -> Action {
    Action { deed, ..in_mail("x", "x", Given::Null) }
}

fn delete() -> Action {
    in_mail("delete", "coredelo", named("message", "x"))
}

fn change() -> Action {
    Action { app: "com.apple.mail".into(), ..set(named("message", "x"), "read status", Given::Bool(true)) }
}

fn of_set(changes: Vec<Change>) -> Action {
    of(Deed::Set(changes))
}

fn consent() -> Action {
    of(Deed::AskConsent { by: "x".into(), opens: false })
}

fn script() -> Action {
    of(Deed::RunScript { language: "JavaScript", text: "1".into() })
}

fn read() -> Action {
    of(Deed::Value { path: Path::application(), text: TextWindow { offset: 0, limit: 1 } })
}

/// The decision about an action, and its source.
fn met(action: Action, gate: &Gate) -> (Ruling, Source) {
    match decide(action, "Mail", gate, NOW) {
        Decision::Allow(approved) => (Ruling::Allow, approved.source),
        Decision::Ask(unasked) => (Ruling::Ask, unasked.source),
        Decision::Deny(refusal) => (Ruling::Deny, refusal.source),
    }
}

fn unasked(action: Action, gate: &Gate) -> Unasked {
    match decide(action, "Mail", gate, NOW) {
        Decision::Ask(unasked) => unasked,
        other => panic!("{other:?}"),
    }
}

fn asked(action: Action, deed: &str) -> Asked {
    let wording = Wording { app: "Mail".into(), deed: deed.into(), count: 1, ..Wording::default() };
    unasked(action, &Gate::default()).ask(wording, Vec::new())
}

#[test]
fn a_plugin_gets_what_it_was_granted_and_no_more() {
    let up_to = |most| Gate { most: Some(most), ..gate(TRUSTED) };
    let ruling = |action, most| met(action, &up_to(most)).0;
    assert_eq!(ruling(read(), Level::Safe), Ruling::Allow);
    let runs = |count: usize| of(in_app_script(vec![act("script x", Level::Modify)], count));
    assert_eq!(ruling(runs(1), Level::Modify), Ruling::Allow);
    assert_eq!(ruling(runs(90), Level::Modify), Ruling::Allow, "it was granted for any number");
    assert_eq!(ruling(runs(1), Level::Safe), Ruling::Deny);
    // A rule about a property also restrains an act that may write it.
    let rule = gate("profile = \"trusted\"\nrules = [{ property = \"subject\", decision = \"ask\" }]");
    assert_eq!(met(runs(1), &rule).0, Ruling::Ask);
    assert_eq!(met(change(), &up_to(Level::Safe)), (Ruling::Deny, Source::Ceiling(Level::Safe)));
    assert_eq!(ruling(change(), Level::Modify), Ruling::Allow);
    assert_eq!(ruling(delete(), Level::Modify), Ruling::Deny);
    assert_eq!(ruling(delete(), Level::Dangerous), Ruling::Allow);
}

#[test]
fn a_plugin_reaches_only_the_app_of_its_handle() {
    let through = |app: &str, policy| Gate { app: Some(app.to_owned()), ..gate(policy) };
    let elsewhere = Source::OtherApp("com.apple.Notes".to_owned());
    for policy in [TRUSTED, "", "rules = [{ decision = \"allow\" }]"] {
        for action in [read(), change(), delete()] {
            let words = format!("{policy} {action:?}");
            let found = met(action.clone(), &through("com.apple.Notes", policy));
            assert_eq!(found, (Ruling::Deny, elsewhere.clone()), "{words}");
            let own = met(action, &through("com.apple.Mail", policy));
            assert_ne!(own.0, Ruling::Deny, "{words}");
        }
    }
    // The server asks the system for times and files on the way to the app.
    let moments = Action::of_system(SystemDeed::Moments { all: Vec::new() });
    assert_eq!(met(moments, &through("com.apple.Notes", "")).0, Ruling::Allow);
}

#[test]
fn the_dialog_of_macos_is_asked_about_unless_it_is_refused() {
    let refused = "rules = [{ command = \"ask for consent\", decision = \"deny\" }]";
    let asked_by_rule = "rules = [{ command = \"ask for consent\", decision = \"ask\" }]";
    for policy in ["", TRUSTED, "profile = \"read-only\"", "rules = [{ decision = \"allow\" }]"] {
        assert_eq!(met(consent(), &gate(policy)), (Ruling::Ask, Source::Dialog), "{policy}");
    }
    let rule = || Source::Rule { line: 1, reason: None };
    assert_eq!(met(consent(), &gate(refused)), (Ruling::Deny, rule()));
    assert_eq!(met(consent(), &gate(asked_by_rule)), (Ruling::Ask, rule()));
    assert_eq!(asked(consent(), "x").question().choices(), [Choice::Once, Choice::Deny]);
}

#[test]
fn a_script_of_a_client_is_read_whatever_was_allowed() {
    let scripts = |more: &str| gate(&format!("scripts = \"ask\"\n{more}"));
    assert_eq!(met(script(), &gate(TRUSTED)), (Ruling::Deny, Source::NoScripts));
    assert_eq!(met(script(), &scripts(TRUSTED)), (Ruling::Ask, Source::Script));
    let read = Gate { untrusted: Some(Millis(0)), ..scripts(TRUSTED) };
    let at = |now: u64| match decide(script(), "Mail", &read, Millis(now)) {
        Decision::Ask(unasked) => unasked.source,
        other => panic!("{other:?}"),
    };
    assert_eq!([at(TAINT.0 - 1), at(TAINT.0)], [Source::Tainted, Source::Script]);
    let rule = "rules = [{ command = \"iac_mcp_run_script\", decision = \"deny\" }]";
    assert_eq!(met(script(), &scripts(rule)).0, Ruling::Deny);
}

#[test]
fn an_app_is_opened_only_where_somebody_said_so() {
    let opens = |action: Action, gate: &Gate| match decide(action, "Mail", gate, NOW) {
        Decision::Allow(approved) => approved.may_launch(),
        other => panic!("{other:?}"),
    };
    assert!(!opens(read(), &Gate::default()));
    assert!(opens(change(), &gate(TRUSTED)));
    assert!(!opens(change(), &gate("rules = [{ decision = \"allow\" }]")));
    assert!(opens(change(), &gate("rules = [{ decision = \"allow\", launch = true }]")));
    let scopes = unasked(change(), &Gate::default()).scopes;
    assert!(opens(change(), &granted(Gate::default(), &scopes[0])));
    let Deed::Set(changes) = change().deed else { panic!("a change") };
    let look = Preview { subjects: vec![changes[0].subject.clone()], ..Preview::default() };
    let look = unasked(change(), &Gate::default()).preview(look).expect("a look");
    for approved in [look, Approved::probe("x.y"), Approved::dictionary("/x"), Approved::access(0, None)] {
        assert!(!approved.may_launch(), "{approved:?}");
    }
}

#[test]
fn a_yes_is_bound_to_all_that_was_shown_and_to_its_scope() {
    let digest = |action: Action, deed: &str| asked(action, deed).question().digest();
    let elsewhere = || Action { app: "com.apple.finder".into(), ..delete() };
    assert_eq!(digest(delete(), "delete"), digest(delete(), "delete"));
    assert_ne!(digest(delete(), "delete"), digest(delete(), "delete it"));
    assert_ne!(digest(delete(), "delete"), digest(elsewhere(), "delete"));
    let mut noted = asked(delete(), "delete");
    noted.note("it is gone");
    let once = noted.question().digest();
    assert_ne!(once, digest(delete(), "delete"));
    assert_eq!(noted.question().wording().consequence.as_deref(), Some("it is gone"));
    noted.note("it is gone");
    assert_eq!(noted.question().wording().consequence.as_deref(), Some("it is gone"));
    assert_eq!(noted.question().digest(), once);
    let yes = |digest| Answer::Chosen { choice: Choice::Once, digest, by: "x".into() };
    let gate = Gate::default();
    let answered = noted.answered(yes(digest(delete(), "delete")), "Mail", &gate, NOW);
    let Answered::Again(noted) = answered else { panic!("a yes to another question counts") };
    assert!(matches!(noted.answered(yes(once), "Mail", &gate, NOW), Answered::Yes(_)));
}

#[test]
fn a_command_is_bound_to_what_was_seen_of_its_objects() {
    let seen = |shown: u32| Seen { path: Path::application(), looks: Vec::new(), shown: shown.into() };
    let bound = |all: Vec<Seen>| {
        let unasked = unasked(delete(), &Gate::default()).after(all);
        assert_eq!(unasked.in_words(), "run \"delete\"");
        let Deed::Command(command) = &unasked.action().deed else { panic!("a command") };
        command.seen.iter().map(|seen| seen.shown.clone()).collect::<Vec<_>>()
    };
    assert_eq!(bound(vec![seen(1), seen(2)]), [1, 2]);
    assert_eq!(bound(Vec::new()), [0; 0]);
}

#[test]
fn a_word_that_is_none_of_ours_is_no_answer() {
    for choice in [Choice::Once, Choice::Hour, Choice::Always, Choice::Deny] {
        assert_eq!(Choice::parse(choice.as_str()), Some(choice));
    }
    for word in ["", "yes", "Once", "once ", "allow", "hour\0"] {
        assert_eq!(Choice::parse(word), None, "{word:?}");
    }
}

#[test]
fn a_question_without_lines_names_no_others() {
    let wording = Wording { app: "Mail".into(), deed: "delete".into(), count: 3, ..Wording::default() };
    let asked = unasked(delete(), &Gate::default()).ask(wording, Vec::new());
    let question = asked.question();
    assert_eq!(question.scopes().len(), 1);
    assert_eq!(question.text(), "Mail: delete (3 objects)\nDANGEROUS · it deletes objects");
    let wording = Wording { objects: vec!["a".into()], ..question.wording().clone() };
    let named = unasked(delete(), &Gate::default()).ask(wording, Vec::new());
    let text = "Mail: delete (3 objects)\n- a\n- and 2 more\nDANGEROUS · it deletes objects";
    assert_eq!(named.question().text(), text);
    let wording = named.question().wording();
    for (shared, told) in [(2, ""), (1, "- and 1 more change\n")] {
        let wording = Wording { shared, ..wording.clone() };
        let text = format!("Mail: delete (3 objects)\n- a\n{told}DANGEROUS · it deletes objects");
        assert_eq!(unasked(delete(), &Gate::default()).ask(wording, Vec::new()).question().text(), text);
    }
    let wording = Wording { plugins: true, objects: Vec::new(), ..question.wording().clone() };
    let without = unasked(delete(), &Gate::default()).ask(wording, Vec::new());
    assert!(!without.question().text().contains("the plugin's words"));
    assert_eq!(question.why(), "asked by the policy's profile \"standard\"");
    let labels = [Choice::Once, Choice::Hour, Choice::Always, Choice::Deny].map(Choice::label);
    assert_eq!(labels, ["Allow once", "Allow for an hour", "Always allow", "Deny"]);
}

#[test]
fn a_yes_for_an_hour_is_not_offered_for_any_file() {
    let choices = |direct: Given| asked(in_mail("mark", "xxxxyyyy", direct), "x").question().choices();
    let hour = [Choice::Once, Choice::Hour, Choice::Always, Choice::Deny];
    assert_eq!(choices(Given::File("/a/b.txt".into())), [Choice::Once, Choice::Deny]);
    assert_eq!(choices(Given::Text("/a/b.txt".into())), hour);
    assert_eq!(choices(named("message", "x")), hour);
}

/// A longer approval is neither offered nor counted here, because its scope names no files and no people.
#[test]
fn a_yes_for_longer_covers_no_file_and_no_letter() {
    let file = || Given::File("/a/b.txt".into());
    let of = |term: &str, code: &str, parameter: (&str, Given)| {
        let action = invocation(term, code, named("message", "x"), vec![parameter]);
        Action { app: "com.apple.mail".into(), ..action }
    };
    let new = |class: &str| in_mail("make", "corecrel", Given::Class(class.into()));
    let alarm = Action { app: "com.apple.iCal".into(), ..new("mail alarm") };
    let in_files = |direct: Given| invocation("mark", "xxxxyyyy", direct, vec![]);
    let in_answer = |action: Action| {
        let Deed::Set(mut changes) = action.deed else { panic!("a change") };
        let creation = Creation { writes: changes.pop().map(Box::new), ..Creation::default() };
        Action { deed: Deed::Create(Box::new(creation)), ..action }
    };
    let two_values = |one: Given, other: Given| {
        let both = [set(named("message", "x"), "picture", one), set(named("message", "x"), "label", other)];
        let [Deed::Set(mut one), Deed::Set(mut other)] = both.map(|action| action.deed) else {
            panic!("changes")
        };
        one[0].subject.slots.append(&mut other[0].subject.slots);
        one[0].values.append(&mut other[0].values);
        of_set(one)
    };
    let in_rules = |action: Action| Action { app: "com.apple.mail".into(), ..action };
    // Writing any rule is DANGEROUS, so what this one loses does not raise the level.
    let loses = |action: Action| {
        let Deed::Set(mut changes) = action.deed else { panic!("a change") };
        changes[0].loses = Some("conditions".to_owned());
        of_set(changes)
    };
    for (action, once) in [
        (of("save", "coresave", ("in", file())), true),
        (of("save", "coresave", ("as", Given::Text("x".into()))), false),
        (of("make", "corecrel", ("with properties", record("file name", file()))), true),
        (of("mark", "xxxxyyyy", ("x", Given::List(vec![file()]))), true),
        (set(named("message", "x"), "picture", file()), true),
        (set(named("document", "x"), "path", Given::Text("~/Documents/x.txt".into())), true),
        (set(named("document", "x"), "comment", Given::Text("~/Documents/x.txt".into())), false),
        (set(named("document", "x"), "path", Given::List(vec![Given::Text("~/x.txt".into())])), true),
        (in_files(named("disk item", "/Users/ada/Letters")), true),
        (in_files(named("disk item", "Letters")), false),
        (of("make", "corecrel", ("with properties", record("path", Given::Text("/a/b.txt".into())))), true),
        (of("send", "emsgsend", ("to", Given::Null)), true),
        (of("send", "ichtsend", ("to", Given::Null)), true),
        (of("publish", "xxxxyyyy", ("to", Given::Null)), true),
        (of("forward", "emalfwms", ("to", Given::Null)), false),
        (alarm, true),
        // Only a new alarm sends something.
        (
            Action {
                app: "com.apple.iCal".into(),
                ..in_mail("delete", "coredelo", named("mail alarm", "x"))
            },
            false,
        ),
        (new("message"), false),
        (set(named("disk item", "/Users/ada/Letters"), "comment", Given::Null), true),
        (set(named("disk item", "Letters"), "comment", Given::Null), false),
        (
            set(
                Given::Object(path([Way::Named("folder", "/a"), Way::Named("file", "b")])),
                "comment",
                Given::Null,
            ),
            true,
        ),
        (set(named("drawing", "x"), "URL", Given::Text(" file:///a/b".into())), true),
        (set(named("drawing", "x"), "file", Given::Text("~/x.txt".into())), true),
        (set(named("drawing", "x"), "path", Given::Text("x".into())), false),
        (in_rules(set(named("mailbox", "Work/Bills"), "comment", Given::Null)), false),
        (two_values(Given::Null, file()), true),
        (two_values(file(), Given::Null), true),
        (loses(set(named("rule", "x"), "enabled", Given::Bool(true))), true),
        (in_rules(set(named("rule", "x"), "enabled", Given::Bool(true))), false),
        (in_answer(set(named("document", "x"), "path", Given::Text("~/Documents/x.txt".into()))), true),
        (in_answer(set(named("document", "x"), "comment", Given::Text("~/x.txt".into()))), false),
    ] {
        counts_once(action, once);
    }
}

/// Whether a yes to an action counts once: the form offers no longer answer, and an approval for an hour does not cover
/// it.
fn counts_once(action: Action, once: bool) {
    let longer = asked(action.clone(), "x").question().offers(Choice::Hour);
    assert_eq!(longer, !once, "{action:?}");
    let mut grants = Grants::default();
    let judged = judge(&action, "Mail", &classify(&action, &[]), false, &Gate::default(), NOW);
    grants.add(judged.into_iter().map(|part| part.scope.grant("g1".into(), false, "x".into(), NOW)), NOW);
    let given = Gate { grants: Arc::new(grants), ..Gate::default() };
    let expected = if once { Ruling::Ask } else { Ruling::Allow };
    assert_eq!(met(action.clone(), &given).0, expected, "{action:?}");
}

/// The scope of a longer approval holds no address, and no value that raised the level.
#[test]
fn a_yes_for_longer_covers_no_address_and_nothing_that_only_its_values_make_dangerous() {
    let text = |text: &str| Given::Text(text.to_owned());
    let of = |app: &str, action: Action| Action { app: app.into(), ..action };
    let command = |app: &str, term: &str, code: &str, direct: Given, more: Vec<(&str, Given)>| {
        of(app, invocation(term, code, direct, more))
    };
    let open = |address: &str| command("x.y", "open location", "GURLGURL", text(address), vec![]);
    let finder =
        |name: &str| command("com.apple.finder", "open", "aevtodoc", named("document file", name), vec![]);
    let made = |class: &str| {
        let new = vec![
            ("new", Given::Class(class.into())),
            ("with properties", record("URL", text("https://a.example"))),
        ];
        command("com.apple.Safari", "make", "corecrel", Given::Null, new)
    };
    let address =
        |class: &str| of("com.apple.Safari", set(named(class, "x"), "URL", text("https://a.example")));
    let trash = ("to", named("folder", "/Users/alex/.Trash"));
    let moved = |to| command("com.apple.finder", "move", "coremove", named("document file", "x"), vec![to]);
    let no = ("saving", Given::Enumerator("no".into()));
    for (action, once) in [
        (open("https://news.example"), true),
        (open("x-apple.systempreferences:x"), true),
        (command("com.apple.mail", "GetURL", "emalemtg", text("mailto:a@b.example"), vec![]), true),
        (command("x.y", "search the web", "sfrisrch", Given::Null, vec![("for", text("secret"))]), true),
        (command("x.y", "visit", "xxxxyyyy", Given::Null, vec![("url", text("a.example"))]), true),
        (command("x.y", "visit", "xxxxyyyy", text("https://a.example"), vec![]), true),
        (command("x.y", "visit", "xxxxyyyy", text("from: Ann"), vec![]), false),
        (address("tab"), true),
        (address("browser tab"), true),
        (address("event"), false),
        (made("document"), true),
        (made("event"), false),
        (finder("X.app"), true),
        (finder("x.txt"), false),
        (moved(trash), true),
        (moved(("to", named("folder", "Letters"))), false),
        (command("x.y", "close", "coreclos", named("document", "x"), vec![no]), true),
        (command("x.y", "close", "coreclos", named("document", "x"), vec![]), false),
        (delete(), false),
    ] {
        counts_once(action, once);
    }
}

/// What counts once is the change. An earlier yes still covers the reads on the way to its objects.
#[test]
fn a_yes_to_a_read_counts_for_a_change_that_counts_once() {
    let policy = "rules = [{ command = \"send\", decision = \"allow\" }, { property = \"selection\", level = \"SAFE\", decision = \"ask\" }]";
    let sends = || in_mail("send", "emsgsend", property("selection"));
    assert_eq!(met(sends(), &gate(policy)).0, Ruling::Ask);
    let read = Scope {
        app: "com.apple.mail".to_owned(),
        property: Some("selection".to_owned()),
        ..Scope::default()
    };
    assert_eq!(met(sends(), &granted(gate(policy), &read)).0, Ruling::Allow);
}

#[test]
fn a_command_of_macos_is_asked_about_in_its_name() {
    let title = |app: &str| {
        let action = Action { app: app.into(), ..in_mail("beep", "sysobeep", Given::Null) };
        asked(action, "beep").question().title()
    };
    assert_eq!([title(STANDARD_ADDITIONS), title("com.apple.mail")], ["macOS: beep", "Mail: beep"]);
}

/// A label can name no more.
#[test]
fn a_longer_answer_covers_no_more_than_its_label_names() {
    let of = |count: usize| {
        let all = (0..count).map(|at| named(&format!("class {at}"), "x")).collect();
        let asked = asked(in_mail("mark", "xxxxyyyy", Given::List(all)), "x");
        assert_eq!(asked.scopes.len(), count);
        asked.question().offers(Choice::Hour)
    };
    assert_eq!([1, COVERED, COVERED + 1, COVERED + 2].map(of), [true, true, false, false]);
}

#[test]
fn a_longer_answer_says_what_it_covers() {
    let asked = asked(delete(), "x");
    let labels = asked.question().choices().into_iter().map(|choice| asked.question().label(choice));
    let labels: Vec<String> = labels.collect();
    assert_eq!(labels, ["Allow once", "Allow for an hour: run \"delete\" on any message in Mail", "Deny"]);
    let mut twice = asked;
    twice.question.scopes = vec![deletion(), Scope { level: Level::Modify, ..deletion() }];
    assert_eq!(twice.question().covered(), "run \"delete\" in Mail", "each once");
}

#[test]
fn a_question_names_as_many_objects_as_a_person_reads() {
    let lines = |count: usize, length: usize| named_lines(&vec!["x".repeat(length); count]);
    assert_eq!([may_name(5), may_name(12), may_name(13)], [5, 12, 5]);
    assert_eq!([lines(4, 1), lines(12, 1), lines(13, 1)], [4, 12, 5]);
    assert_eq!([lines(10, 100), lines(10, 101), lines(3, 500)], [10, 5, 3]);
}

#[test]
fn a_yes_for_an_hour_is_not_offered_for_what_follows() {
    let Deed::Command(command) = in_mail("reply", "emalrepl", named("message", "x")).deed else {
        panic!("a command")
    };
    let then = || Following { place: String::new(), judged: (*command).clone(), sent: (*command).clone() };
    let choices = |into: Into, then: Vec<Following>| {
        let makes = vec![make((*command).clone(), into)];
        let creation = Creation { makes, then, ..Creation::default() };
        asked(of(Deed::Create(Box::new(creation))), "x").question().choices()
    };
    let once = [Choice::Once, Choice::Deny];
    assert_eq!(choices(Into::App, vec![then()]), once);
    assert_eq!(choices(Into::Command, Vec::new()), once);
    assert_eq!(choices(Into::App, Vec::new()), [Choice::Once, Choice::Hour, Choice::Always, Choice::Deny]);
}

#[test]
fn a_refusal_names_the_app_and_the_level() {
    let closed =
        Closed::new("/Users/ada", [(Where::InHome(".cursor".to_owned()), "the settings".to_owned())]);
    let gate = Gate { closed: Arc::new(closed), ..gate(TRUSTED) };
    let action = in_mail("delete", "coredelo", Given::File("~/.cursor".into()));
    let Decision::Deny(refusal) = decide(action, "Mail", &gate, NOW) else { panic!("refused") };
    assert_eq!(refusal.source, Source::Closed { place: "the settings".to_owned() });
    let scope = Scope { app: "com.apple.mail".to_owned(), level: Level::Dangerous, ..Scope::default() };
    assert_eq!(refusal.scopes, [scope]);
    let fault = refusal.fault.to_json();
    assert_eq!((fault["app"].as_str(), fault["level"].as_str()), (Some("com.apple.mail"), Some("DANGEROUS")));
}

#[test]
fn a_disk_that_does_not_answer_is_not_a_matter_of_the_policy() {
    let closed =
        Closed::new("/Users/ada", [(Where::InHome(".cursor".to_owned()), "the settings".to_owned())]);
    let closed = closed.with_links(Links::new(|paths| Err(paths.concat())));
    let gate = Gate { closed: Arc::new(closed), ..gate(TRUSTED) };
    let action = in_mail("delete", "coredelo", Given::File("/Volumes/NAS/a".into()));
    let Decision::Deny(refusal) = decide(action, "Mail", &gate, NOW) else { panic!("refused") };
    let fault = refusal.fault.to_json();
    assert_eq!((fault["error"].as_str(), fault["retryable"].as_bool()), (Some("unavailable"), Some(true)));
    assert!(fault["message"].as_str().is_some_and(|text| text.contains("/Volumes/NAS/a")), "{fault}");
}

#[test]
fn a_refusal_says_how_it_is_allowed() {
    let only_reads = Gate { policy: Policy::default().only_reads().into(), ..Gate::default() };
    let Decision::Deny(refusal) = decide(change(), "Mail", &only_reads, NOW) else { panic!("refused") };
    let suggestion = refusal.fault.to_json()["suggestion"].to_string();
    assert!(suggestion.contains("without --read-only"), "{suggestion}");
    let said = |source: Source| {
        let fault = denied(source, classify(&delete(), &[]), vec![deletion()]).fault.to_json();
        [&fault["message"], &fault["suggestion"]].map(|text| text.as_str().expect("a text").to_owned())
    };
    let what = "calls to run \"delete\" in com.apple.mail";
    for (source, suggestion) in [
        (Source::OnlyReads, "without --read-only"),
        (Source::Shell, "`iac-mcp policy allow com.apple.mail --command delete --level DANGEROUS`"),
        (Source::NoScripts, "`iac-mcp policy scripts ask`"),
        (
            Source::Ceiling(Level::Safe),
            "`iac-mcp plugin grant PLUGIN apps-change com.apple.mail --level dangerous`",
        ),
        (Source::OtherApp("x.y".into()), "name objects of x.y"),
    ] {
        let [message, suggested] = said(source.clone());
        assert_eq!(message, format!("{what} are not allowed: {source}"));
        assert!(suggested.contains(suggestion), "{suggested}");
    }
    let rule = Source::Rule { line: 1, reason: None };
    assert_eq!(said(rule)[0], format!("the rule in line 1 of the policy does not allow {what}"));
    let mut two = asked(change(), "x");
    let required =
        |asked: Asked| match asked.answered(Answer::NoWay("x".into()), "Mail", &Gate::default(), NOW) {
            Answered::No(refusal) => refusal.fault.to_json()["suggestion"].to_string(),
            _ => panic!("refused"),
        };
    let one = required(asked(change(), "x"));
    assert!(one.contains("by that line"), "{one}");
    two.scopes.push(deletion());
    let both = required(two);
    assert!(both.contains("by those lines"), "{both}");
}

/// Each step alone would be a small change.
#[test]
fn many_steps_are_as_bad_as_one_change_of_as_many_objects() {
    let step = |count: usize| {
        let targets = (0..count).map(|at| named("message", &at.to_string())).collect();
        let Deed::Command(command) = in_mail("mark", "xxxxyyyy", Given::List(targets)).deed else {
            panic!("a command")
        };
        Following { place: String::new(), judged: (*command).clone(), sent: *command }
    };
    let policy = "profile = \"trusted\"\nrules = [{ level = \"DANGEROUS\", decision = \"deny\" }]";
    let met_by = |counts: &[usize]| {
        let creation = Creation { then: counts.iter().copied().map(step).collect(), ..Creation::default() };
        met(of(Deed::Create(Box::new(creation))), &gate(policy)).0
    };
    assert_eq!(met_by(&[25, 25]), Ruling::Allow);
    assert_eq!(met_by(&[25, 26]), Ruling::Deny);
    assert_eq!(met_by(&[51]), Ruling::Deny);
    // A step that a rule allows although it is DANGEROUS lets the others do no more.
    let rules = "{ property = \"deleted status\", level = \"DANGEROUS\", decision = \"allow\" }, { level = \"DANGEROUS\", decision = \"deny\" }";
    let policy = format!("profile = \"trusted\"\nrules = [{rules}]");
    let Deed::Set(mut changes) = set(named("message", "x"), "deleted status", Given::Bool(true)).deed else {
        panic!("a change")
    };
    let deletion = StepSet { place: String::new(), after: 2, change: changes.pop().expect("one change") };
    let met_with = |counts: [usize; 2]| {
        let then = counts.into_iter().map(step).collect();
        let creation = Creation { then, sets: vec![deletion.clone()], ..Creation::default() };
        met(of(Deed::Create(Box::new(creation))), &gate(&policy)).0
    };
    assert_eq!(met_with([20, 20]), Ruling::Allow);
    assert_eq!(met_with([26, 26]), Ruling::Deny);
    assert_eq!(met_with([25, 25]), Ruling::Deny, "a step that sets something is one more");
}

/// A step is judged by its value, as a write alone is.
#[test]
fn a_step_that_sets_code_is_refused() {
    let met_by = |value: &str| {
        let address = set(named("tab", "x"), "URL", Given::Text(value.to_owned()));
        let Deed::Set(mut changes) = address.deed else { panic!("a change") };
        let change = changes.pop().expect("one change");
        let sets = vec![StepSet { place: "then[0]".to_owned(), after: 0, change }];
        let deed = Deed::Create(Box::new(Creation { sets, ..Creation::default() }));
        let rule = "profile = \"trusted\"\nrules = [{ property = \"URL\", level = \"MODIFY\", decision = \"allow\" }]";
        met(Action { app: "com.apple.Safari".into(), ..of(deed) }, &gate(rule)).0
    };
    assert_eq!(met_by("javascript:alert(1)"), Ruling::Deny);
    assert_eq!(met_by("https://a.example"), Ruling::Allow);
}
