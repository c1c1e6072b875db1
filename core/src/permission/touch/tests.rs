use std::sync::Arc;

use super::*;
use crate::Millis;
use crate::action::{Creation, Elements, Find, Following, Into, Make, Preview, StepSet, Takes, Wanted};
use crate::call::WebCall;
use crate::change::Save;
use crate::dictionary::Identifier;
use crate::identity::Identity;
use crate::permission::classify::tests::{
    act, in_mail, invocation, listing, named, property, record, script, set,
};
use crate::permission::closed::tests::{Way, path};
use crate::specifier::Member;
use crate::words::TextWindow;

const RULES: &str = "rules = [{ property = \"subject\", decision = \"deny\" }]";

/// Every touch of an action in words.
fn check(deed: Deed, expected: &[&str]) {
    check_under(RULES, deed, expected);
}

fn check_under(rules: &str, deed: Deed, expected: &[&str]) {
    check_in("com.apple.mail", rules, deed, expected);
}

fn check_in(app: &str, rules: &str, deed: Deed, expected: &[&str]) {
    let action = Action { app: app.into(), deed, ..in_mail("x", "x", Given::Null) };
    let policy = Policy::parse(rules).expect("a policy");
    let harm = classify(&action, &[]);
    let words = |touch: Touch<'_>| {
        let command = touch.command.map_or_else(String::new, |command| format!(" {}", command.name));
        let property = touch.property.map_or_else(String::new, |property| format!(" .{property}"));
        let class = touch.class.map_or_else(String::new, |class| format!(" of {class}"));
        let fragile = if touch.is_fragile { " at a place" } else { "" };
        let shell = if touch.is_shell { " as a shell" } else { "" };
        let many = if touch.is_many { ", many" } else { "" };
        format!("{}{command}{property}{class}{fragile}{shell}{many}", touch.level.as_str())
    };
    let found: Vec<String> = touches(&action, "Mail", None, &harm, &policy).into_iter().map(words).collect();
    assert_eq!(found, expected, "{:?}", action.deed);
}

fn identifier(term: &str) -> Identifier {
    Identifier::of(term).expect("an identifier")
}

/// A path that ends with a property.
fn way(term: &str) -> Path {
    let Given::Object(path) = property(term) else { panic!("an object") };
    path
}

fn text() -> TextWindow {
    TextWindow { offset: 0, limit: 1 }
}

fn member() -> Arc<Member> {
    Arc::new(Member { term: "message".into(), identifier: identifier("messages"), class: "message".into() })
}

fn command(term: &str, code: &str, direct: Given, parameters: Vec<(&str, Given)>) -> Invocation {
    let Deed::Command(command) = invocation(term, code, direct, parameters).deed else { panic!("a command") };
    *command
}

pub(in crate::permission) fn column(term: &str) -> Column {
    Column { term: term.into(), identifiers: vec![identifier("x")], ..Column::default() }
}

#[test]
fn a_request_to_a_web_server_is_a_command_of_its_own() {
    let web = |method| WebCall {
        host: "example.org".into(),
        method,
        url: "https://example.org".into(),
        headers: Vec::new(),
        body: Vec::new(),
        secrets: Vec::new(),
        deadline: Millis(1),
    };
    check(Deed::Web(Box::new(web(Method::Get))), &["SAFE http get"]);
    check(Deed::Web(Box::new(web(Method::Post))), &["DANGEROUS http post of application"]);
}

#[test]
fn a_script_of_a_client_is_a_command_of_its_own() {
    let script = Deed::RunScript { language: "JavaScript", text: "1".into() };
    check(script, &["DANGEROUS iac_mcp_run_script of application"]);
}

/// Approval for one act of a script does not cover another.
#[test]
fn each_act_of_a_script_is_judged_by_itself() {
    let acts = || vec![act("script: look", Level::Safe), act("script: edit", Level::Modify)];
    check(script(acts(), 1), &["SAFE script: look", "MODIFY script: edit"]);
    check(script(acts(), 51), &["SAFE script: look", "DANGEROUS script: edit, many"]);
}

#[test]
fn the_names_that_no_dictionary_has_are_known_to_rules() {
    for command in ["ask for consent", "iac?cons", "iac_mcp_run_script", "iac?runs", "http get", "iac?hget"] {
        assert!(is_everywhere(command), "{command}");
    }
    assert!(is_everywhere("AskForConsent") && is_everywhere("quit"));
    assert!(!is_everywhere("frobnicate") && !is_everywhere("iac?none"));
}

#[test]
fn a_read_touches_the_properties_on_its_way() {
    check(Deed::AskConsent { by: "x".into(), opens: false }, &["SAFE ask for consent"]);
    check(Deed::Value { path: way("account"), text: text() }, &["SAFE", "SAFE .account"]);
    check(
        Deed::Value { path: way("properties"), text: text() },
        &["SAFE", "SAFE .properties", "SAFE .subject"],
    );
    check(Deed::Elements(Box::new(listing(way("account")))), &["SAFE", "SAFE .account"]);
    let columns = Elements { columns: vec![column("mailbox.name")], ..listing(way("account")) };
    check(Deed::Elements(Box::new(columns)), &["SAFE", "SAFE .account", "SAFE .mailbox", "SAFE .name"]);
    let names = Deed::Names { container: way("account"), collection: member(), name: identifier("name") };
    check(names, &["SAFE", "SAFE .account", "SAFE .name"]);
    let find = Find {
        places: vec![(way("account"), member())],
        mark: identifier("subject"),
        id: identifier("id"),
        marks: Vec::new(),
    };
    check(Deed::Find(find), &["SAFE", "SAFE .account", "SAFE .subject"]);
    let wanted = |columns: Option<Vec<Column>>| {
        let one = Wanted { path: way("account"), identity: Identity::Index, columns, named: Vec::new() };
        Deed::Properties { objects: vec![Arc::new(one)], sizes: Vec::new(), text: text() }
    };
    check(
        wanted(Some(vec![column("mailbox.name")])),
        &["SAFE", "SAFE .account", "SAFE .mailbox", "SAFE .name"],
    );
    // A read of all properties also reads those that rules name.
    let all = ["SAFE", "SAFE .account", "SAFE .properties", "SAFE .subject"];
    check(wanted(None), &all);
    check(wanted(Some(vec![column("properties")])), &all);
}

#[test]
fn a_look_for_a_question_touches_what_it_reads() {
    let Deed::Set(changes) = set(property("account"), "flag", Given::Null).deed else { panic!("a change") };
    let subjects = changes.into_iter().map(|change| change.subject).collect();
    check(
        Deed::Preview(Preview { subjects, ..Preview::default() }),
        &["SAFE", "SAFE .account", "SAFE .flag"],
    );
}

/// An approval counts for these classes.
#[test]
fn the_classes_of_a_command_are_those_of_its_targets() {
    let (object, class, text) = (named("message", "x"), Given::Class("rule".into()), Given::Text("x".into()));
    let file = || Given::File("/x".into());
    let both = Given::List(vec![object.clone(), file()]);
    for (code, direct, new, expected) in [
        ("corecrel", Given::Null, class.clone(), &["rule"][..]),
        ("corecrel", object.clone(), class.clone(), &["rule"]),
        // Only commands that make objects have the class among the arguments.
        ("coreclon", object.clone(), class.clone(), &["message"]),
        ("coreclon", Given::Null, class.clone(), &["application"]),
        ("coreclon", class, Given::Null, &["application"]),
        ("coreclon", text, Given::Null, &["application"]),
        ("coreclon", file(), object.clone(), &["item"]),
        ("coreclon", both, Given::Null, &["item", "message"]),
        ("coreclon", object, file(), &["message"]),
    ] {
        let command = command("x", code, direct, vec![("new", new)]);
        assert_eq!(classes(&command).into_iter().collect::<Vec<_>>(), expected, "{command:?}");
    }
}

#[test]
fn a_command_touches_its_classes_unless_it_reads() {
    let fragile = |command: Invocation| Deed::Command(Box::new(Invocation { is_fragile: true, ..command }));
    check(fragile(command("count", "corecnte", named("message", "x"), vec![])), &["SAFE count"]);
    let moves = command("move", "coremove", named("message", "x"), vec![("to", property("account"))]);
    check(fragile(moves), &["SAFE .account", "MODIFY move of message at a place"]);
    let save = Some(Box::new(command("synchronize", "xxxxsync", Given::Null, vec![])));
    let kept = Invocation { save, ..command("move", "coremove", named("message", "x"), vec![]) };
    check(Deed::Command(Box::new(kept)), &["MODIFY move of message", "MODIFY synchronize of application"]);
}

#[test]
fn a_write_touches_every_field_of_a_record() {
    let deed = |object: Given, value: Given| set(object, "properties", value).deed;
    let record = || record("subject", Given::Text("x".into()));
    check(
        deed(named("message", "x"), record()),
        &["MODIFY .properties of message", "MODIFY .subject of message"],
    );
    let through = set(property("account"), "flag", Given::Bool(true)).deed;
    check(through, &["SAFE .account", "MODIFY .flag of "]);
}

/// A rule may name the command that saves the new values.
#[test]
fn a_write_touches_the_command_that_saves_it() {
    let Deed::Set(mut changes) = set(named("person", "x"), "note", Given::Text("x".into())).deed else {
        panic!("a change")
    };
    changes[0].save =
        Some(Save { term: "save".to_owned(), code: "coresave".to_owned(), identifier: identifier("save") });
    check(Deed::Set(changes), &["MODIFY .note of person", "MODIFY save of application"]);
}

/// Without a rule for the property, approval for the command is enough. With one, each touch needs approval.
#[test]
fn a_rule_for_a_property_holds_for_what_objects_are_given() {
    let given = |term: &str| record(term, Given::Text("x".into()));
    let new = || ("new", Given::Class("message".into()));
    let of = |term: &str, code: &str, direct: Given, parameters: Vec<(&str, Given)>| {
        Deed::Command(Box::new(command(term, code, direct, parameters)))
    };
    let make =
        |term: &str| of("make", "corecrel", Given::Null, vec![new(), ("with properties", given(term))]);
    check(make("subject"), &["MODIFY .subject of message", "MODIFY make of message"]);
    check(make("sender"), &["MODIFY make of message"]);
    check_under("rules = [{ decision = \"ask\" }]", make("subject"), &["MODIFY make of message"]);
    for (term, code) in [("duplicate", "coreclon"), ("move", "coremove"), ("import", "xxxximpt")] {
        let deed = of(term, code, named("message", "x"), vec![("with properties", given("subject"))]);
        check(deed, &["MODIFY .subject of message", &format!("MODIFY {term} of message")]);
    }
    let set = of("set", "coresetd", property("subject"), vec![("to", Given::Text("x".into()))]);
    check(set, &["SAFE .subject", "MODIFY .subject of application", "MODIFY set of "]);
    let one = || make_of(command("make", "corecrel", Given::Null, vec![new(), ("x", given("subject"))]));
    let within = |into: Into| Make { into, ..one() };
    let reply = make_of(command("reply", "emalrepl", named("message", "x"), vec![]));
    for makes in [vec![one()], vec![one(), within(Into::AtChild(0))]] {
        let made = create(Creation { makes, ..Creation::default() });
        check(made, &["MODIFY .subject of message", "MODIFY make of message"]);
    }
    let makes = vec![Make { into: Into::Command, ..reply }, within(Into::AtChild(0))];
    check(
        create(Creation { makes, ..Creation::default() }),
        &["MODIFY .subject of message", "MODIFY make of message", "MODIFY reply of message"],
    );
    // Some apps take only the name.
    let label = of("make", "corecrel", Given::Null, vec![new(), ("named", Given::Text("x".into()))]);
    let name = "rules = [{ property = \"name\", decision = \"ask\" }]";
    check_under(name, label, &["MODIFY .name of message", "MODIFY make of message"]);
    let label = of("duplicate", "coreclon", named("message", "x"), vec![("named", Given::Text("x".into()))]);
    check_under(name, label, &["MODIFY duplicate of message"]);
}

/// A rule against `delete` or `move` covers every way to delete or move.
#[test]
fn a_rule_for_a_command_holds_for_what_does_the_same() {
    let both =
        "rules = [{ command = \"delete\", decision = \"deny\" }, { command = \"move\", decision = \"ask\" }]";
    let message = || named("message", "x");
    let file = |to: Given| set(message(), "mailbox", to).deed;
    let away = ["MODIFY move of message", "DANGEROUS .mailbox of message", "DANGEROUS delete of message"];
    check_under(
        both,
        file(named("mailbox", "Projects")),
        &["MODIFY .mailbox of message", "MODIFY move of message"],
    );
    check_under(both, file(property("trash mailbox")), &away);
    for trash in ["Trash", "[Gmail]/Bin", "Deleted Messages", "Deleted Items", "Work/Deleted"] {
        check_under(both, file(named("mailbox", trash)), &away);
    }
    check(file(named("mailbox", "Trash")), &["DANGEROUS .mailbox of message"]);
    let other = "rules = [{ command = \"send\", decision = \"deny\" }]";
    check_under(other, file(named("mailbox", "Trash")), &["DANGEROUS .mailbox of message"]);
    let mark = |to: bool| set(message(), "deleted status", Given::Bool(to)).deed;
    check_under(both, mark(true), &["DANGEROUS .deleted status of message", "DANGEROUS delete of message"]);
    check_under(both, mark(false), &["DANGEROUS .deleted status of message"]);
    let sent = Deed::Command(Box::new(command(
        "move",
        "coremove",
        message(),
        vec![("to", named("mailbox", "Trash"))],
    )));
    check_under(both, sent.clone(), &["DANGEROUS delete of message", "DANGEROUS move of message"]);
    check(sent, &["DANGEROUS move of message"]);
    let moved = |to: Given| Deed::Command(Box::new(command("move", "coremove", message(), vec![("to", to)])));
    check_under(both, moved(named("mailbox", "Projects")), &["MODIFY move of message"]);
    let copied = vec![("with properties", record("mailbox", property("trash mailbox")))];
    let copied = command("duplicate", "coreclon", message(), copied);
    check_under(
        both,
        Deed::Command(Box::new(copied)),
        &[
            "SAFE .trash mailbox",
            "MODIFY move of message",
            "DANGEROUS delete of message",
            "DANGEROUS duplicate of message",
        ],
    );
    // The same words mean something else in other apps and classes, but an unknown class may be any.
    let trash = || named("mailbox", "Trash");
    check_in("x.y", both, file(trash()), &["MODIFY .mailbox of message"]);
    check_under(
        both,
        set(named("attachment", "x"), "mailbox", trash()).deed,
        &["MODIFY .mailbox of attachment"],
    );
    check_under(
        both,
        set(property("selection"), "mailbox", trash()).deed,
        &["SAFE .selection", "MODIFY move of ", "DANGEROUS .mailbox of ", "DANGEROUS delete of "],
    );
    for app in ["com.omnigroup.OmniFocus3", "com.omnigroup.OmniFocus4"] {
        let filed = set(named("task", "x"), "assigned container", named("project", "y")).deed;
        check_in(app, both, filed, &["MODIFY .assigned container of task", "MODIFY move of task"]);
    }
}

/// Approval for one object does not cover a hundred.
#[test]
fn a_change_of_many_objects_is_told_apart() {
    let messages = |count: usize| Given::List(vec![named("message", "x"); count]);
    let delete =
        |count: usize| Deed::Command(Box::new(command("delete", "coredelo", messages(count), vec![])));
    check(delete(50), &["DANGEROUS delete of message"]);
    check(delete(51), &["DANGEROUS delete of message, many"]);
    // The reads on the way, and the properties that are given as well, keep their level.
    let many = Given::List(vec![property("mailbox"); 51]);
    let given = vec![("with properties", record("subject", Given::Null))];
    let moves = Deed::Command(Box::new(command("move", "coremove", many, given)));
    check(moves, &["SAFE .mailbox", "MODIFY .subject of , many", "DANGEROUS move of , many"]);
    let Deed::Set(changes) = set(named("message", "x"), "read status", Given::Bool(true)).deed else {
        panic!("a change")
    };
    check(Deed::Set(vec![changes[0].clone(); 51]), &["DANGEROUS .read status of message, many"]);
    let make = || {
        make(
            command("make", "corecrel", Given::Null, vec![("new", Given::Class("message".into()))]),
            Into::App,
        )
    };
    let makes = (0..51).map(|_| make()).collect();
    check(create(Creation { makes, ..Creation::default() }), &["DANGEROUS make of message, many"]);
}

/// An object that only a position leads to.
fn at_place(class: &'static str) -> Given {
    Given::Object(path([Way::At(class)]))
}

/// An object that a property leads to.
fn told(term: &'static str, class: &'static str) -> Given {
    Given::Object(path([Way::Property(term, class)]))
}

/// One object that may be another one by then is enough.
#[test]
fn a_write_of_several_is_at_a_place_if_one_of_them_is() {
    let write = |object: Given| match set(object, "flag", Given::Bool(true)).deed {
        Deed::Set(changes) => changes,
        _ => panic!("a change"),
    };
    let all =
        [vec![named("message", "x"), at_place("message")], vec![at_place("message"), named("message", "x")]];
    for objects in all {
        let changes = objects.into_iter().flat_map(write).collect();
        check(Deed::Set(changes), &["MODIFY .flag of message at a place"]);
    }
}

/// The operator may call a write safe. It is still a write to whichever object is at the position by then.
#[test]
fn a_safe_write_at_a_place_is_no_read() {
    let object = at_place("message");
    let action = Action { app: "com.apple.mail".into(), ..set(object, "read status", Given::Bool(true)) };
    let policy =
        Policy::parse("levels = [{ property = \"read status\", level = \"SAFE\" }]").expect("a policy");
    let harm = classify(&action, policy.levels());
    assert_eq!(harm.level, Level::Safe);
    assert!(touches(&action, "Mail", None, &harm, &policy).iter().all(|touch| touch.is_fragile));
}

pub(in crate::permission) fn make(command: Invocation, into: Into) -> Make {
    Make {
        command,
        class: identifier("message"),
        into,
        slots: Vec::new(),
        values: Vec::new(),
        how: Vec::new(),
        span: None,
        renamed: None,
        takes: Takes::Properties,
        identity: Identity::Index,
        label: None,
        tells: Vec::new(),
        looks: Vec::new(),
    }
}

fn make_of(command: Invocation) -> Make {
    make(command, Into::App)
}

fn create(creation: Creation) -> Deed {
    Deed::Create(Box::new(creation))
}

#[test]
fn what_follows_is_judged_apart_from_what_is_made() {
    let new = |class: &str, at: Given| {
        command("make", "corecrel", Given::Null, vec![("new", Given::Class(class.into())), ("at", at)])
    };
    let message = || make(new("message", property("account")), Into::App);
    let send = |of: Given| {
        let send = command("send", "emsgsend", of, vec![]);
        Following { place: String::new(), judged: send.clone(), sent: send }
    };
    let plain = Creation { makes: vec![message()], ..Creation::default() };
    check(create(plain.clone()), &["SAFE .account", "MODIFY make of message"]);
    let save = Some(Box::new(command("synchronize", "xxxxsync", Given::Null, vec![])));
    check(
        create(Creation { save, ..plain.clone() }),
        &["SAFE .account", "MODIFY make of message", "MODIFY synchronize of application"],
    );
    let then = vec![send(property("mailbox"))];
    check(
        create(Creation { then: then.clone(), ..plain.clone() }),
        &["SAFE .account", "SAFE .mailbox", "MODIFY make of message", "DANGEROUS send of "],
    );
    // Commands in a row make nothing.
    check(create(Creation { then, ..Creation::default() }), &["SAFE .mailbox", "DANGEROUS send of "]);
    let shell = command("do shell script", "sysoexec", Given::Text("ls".into()), vec![]);
    let mut fragile = send(named("message", "x"));
    fragile.judged.is_fragile = true;
    let then = vec![Following { place: String::new(), judged: shell.clone(), sent: shell }, fragile];
    check(
        create(Creation { then, ..Creation::default() }),
        &["DANGEROUS send of message at a place", "DANGEROUS do shell script of application as a shell"],
    );
    let step = |object: Given, term: &str| {
        let Deed::Set(mut changes) = set(object, term, Given::Null).deed else { panic!("a change") };
        StepSet { place: String::new(), after: 0, change: changes.pop().expect("one change") }
    };
    // Only the app tells which account it is, and each kind of it may have rules and approvals of its own.
    let sets = vec![step(told("account", "account"), "flag"), step(at_place("message"), "flag")];
    check(
        create(Creation { sets, ..Creation::default() }),
        &[
            "SAFE .account",
            "MODIFY .flag of message at a place",
            "DANGEROUS .flag of account",
            "DANGEROUS .flag of iCloud account",
            "DANGEROUS .flag of imap account",
        ],
    );
    let Deed::Set(mut changes) =
        set(named("message", "x"), "properties", record("subject", Given::Null)).deed
    else {
        panic!("a change")
    };
    check(
        create(Creation { writes: changes.pop().map(Box::new), ..plain }),
        &[
            "SAFE .account",
            "MODIFY .properties of message",
            "MODIFY .subject of message",
            "MODIFY make of message",
        ],
    );
}

#[test]
fn what_is_made_in_an_answer_is_judged_apart_from_it() {
    let reply = make(command("reply", "emalrepl", named("message", "x"), vec![]), Into::Command);
    let rule = command("make", "corecrel", Given::Null, vec![("new", Given::Class("rule".into()))]);
    let makes = vec![reply, make(rule, Into::AtChild(0))];
    check(
        create(Creation { makes, ..Creation::default() }),
        &["MODIFY reply of message", "DANGEROUS make of rule"],
    );
}
