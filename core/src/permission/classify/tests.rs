use std::sync::Arc;

use super::*;
use crate::action::{Argument, Terms};
use crate::call::TextWindow;
use crate::dictionary::Identifier;
use crate::marshal::Given;
use crate::specifier::{By, Member, Path, Segment};

fn check(app: &str, name: &str, code: &str, level: Level, is_shell: bool) {
    let command = Command { name: name.into(), code: code.into(), ..Command::default() };
    let found = classify_command(app, &command, &[]);
    assert_eq!((found.level, found.is_shell), (level, is_shell), "{app} {name} {code}: {}", found.reason);
}

#[test]
fn known_codes_decide_whatever_the_name_says() {
    check("x.y", "count", "corecnte", Level::Safe, false);
    check("x.y", "delete everything", "corecnte", Level::Safe, false);
    check("x.y", "get", "coredelo", Level::Dangerous, false);
    check("com.apple.mail", "send", "emsgsend", Level::Dangerous, false);
    check("com.apple.osax.standardadditions", "do shell script", "sysoexec", Level::Dangerous, true);
    check("com.apple.osax.standardadditions", "read", "rdwrread", Level::Modify, false);
    check("com.apple.Terminal", "do script", "coredosc", Level::Dangerous, true);
    check("com.apple.systemevents", "keystroke", "prcskprs", Level::Dangerous, true);
    check("com.vivaldi.Vivaldi", "execute", "CrSuExJa", Level::Dangerous, true);
}

#[test]
fn an_unknown_command_is_a_change_unless_its_words_say_worse() {
    check("x.y", "frobnicate", "xxxxyyyy", Level::Modify, false);
    check("x.y", "get secrets", "xxxxyyyy", Level::Modify, false);
    check("x.y", "search_and_replace", "xxxxyyyy", Level::Modify, false);
    check("x.y", "find and delete", "xxxxyyyy", Level::Dangerous, false);
    check("x.y", "emptyTrash", "xxxxyyyy", Level::Dangerous, false);
    check("x.y", "send", "xxxxyyyy", Level::Dangerous, false);
    check("x.y", "run workflow", "xxxxyyyy", Level::Dangerous, true);
    check("x.y", "do JavaScript", "xxxxyyyy", Level::Dangerous, true);
    check("x.y", "run VB macro", "xxxxyyyy", Level::Dangerous, true);
    check("x.y", "describe", "xxxxyyyy", Level::Modify, false);
}

#[test]
fn the_operators_rules_come_first() {
    let command = Command { name: "do shell script".into(), code: "sysoexec".into(), ..Command::default() };
    let rule = |app: Option<&str>, command: &str| LevelRule {
        app: app.map(str::to_owned),
        command: Some(command.to_owned()),
        property: None,
        level: Level::Modify,
    };
    for (rule, level) in [
        (rule(None, "doShellScript"), Level::Modify),
        (rule(Some("a.b"), "sysoexec"), Level::Modify),
        (rule(Some("c.d"), "sysoexec"), Level::Dangerous),
        (rule(None, "count"), Level::Dangerous),
    ] {
        assert_eq!(classify_command("a.b", &command, std::slice::from_ref(&rule)).level, level, "{rule:?}");
    }
}

#[test]
fn writes_of_some_properties_are_worse_than_others() {
    let level = |app, class, property, count| classify_write(app, class, property, count, &[]).level;
    assert_eq!(level("com.apple.mail", "message", "read status", 1), Level::Modify);
    assert_eq!(level("com.apple.mail", "message", "read status", MANY + 1), Level::Dangerous);
    assert_eq!(level("com.apple.mail", "rule", "enabled", 1), Level::Dangerous);
    assert_eq!(level("com.apple.systemevents", "text field", "value", 1), Level::Dangerous);
    let rule =
        LevelRule { app: None, command: None, property: Some("readStatus".into()), level: Level::Safe };
    assert_eq!(classify_write("com.apple.mail", "message", "read status", 9, &[rule]).level, Level::Safe);
}

fn invocation(term: &str, code: &str, direct: Given, parameters: Vec<(&str, Given)>) -> Action {
    let identifier = |term: &str| Identifier::of(term).expect("the test's own term");
    let parameters = parameters
        .into_iter()
        .map(|(term, value)| Argument { term: term.into(), identifier: identifier(term), value })
        .collect();
    let invocation = Invocation {
        term: term.into(),
        code: code.into(),
        identifier: identifier(term),
        takes_direct: true,
        direct: Some(direct),
        parameters,
        each: false,
        text: TextWindow { offset: 0, limit: 100 },
        is_fragile: false,
        seen: Vec::new(),
        moves: None,
        anchors: None,
    };
    Action {
        app: "com.apple.systemevents".into(),
        terms: Terms::default(),
        deed: Deed::Command(Box::new(invocation)),
    }
}

fn trash() -> Path {
    let identifier = Identifier::of("trash").expect("an identifier");
    let member = Member { term: "trash".into(), identifier, class: "trash-object".into() };
    Path::application().then(Segment::Property(Arc::new(member)))
}

fn object(index: u32) -> Given {
    let identifier = Identifier::of("items").expect("an identifier");
    let member = Member { term: "item".into(), identifier, class: "item".into() };
    Given::Object(Path::application().then(Segment::Element(Arc::new(member), By::Index(index))))
}

fn named(class: &str, name: &str) -> Given {
    let identifier = Identifier::of("items").expect("an identifier");
    let member = Member { term: class.into(), identifier, class: class.into() };
    Given::Object(Path::application().then(Segment::Element(Arc::new(member), By::Name(name.into()))))
}

fn property(term: &str) -> Given {
    let identifier = Identifier::of(term).expect("an identifier");
    let member = Member { term: term.into(), identifier, class: String::new() };
    Given::Object(Path::application().then(Segment::Property(Arc::new(member))))
}

#[test]
fn arguments_only_raise() {
    use Given::{Class, Enumerator, File, List, Null, Object, Text};
    let cases = [
        (invocation("move", "coremove", object(0), vec![("to", object(1))]), Level::Modify, false),
        (invocation("move", "coremove", object(0), vec![("to", Object(trash()))]), Level::Dangerous, false),
        (invocation("open", "aevtodoc", File("/a/b.txt".into()), vec![]), Level::Modify, false),
        (invocation("open", "aevtodoc", File("/a/b.COMMAND".into()), vec![]), Level::Dangerous, false),
        (
            invocation("save", "coresave", object(0), vec![("in", File("/u/.zshrc".into()))]),
            Level::Dangerous,
            false,
        ),
        (
            invocation("close", "coreclos", object(0), vec![("saving", Enumerator("yes".into()))]),
            Level::Modify,
            false,
        ),
        (
            invocation("close", "coreclos", object(0), vec![("saving", Enumerator("no".into()))]),
            Level::Dangerous,
            false,
        ),
        (invocation("make", "corecrel", Null, vec![("new", Class("window".into()))]), Level::Modify, false),
        (
            invocation("make", "corecrel", Null, vec![("new", Class("login item".into()))]),
            Level::Dangerous,
            false,
        ),
        (invocation("make", "corecrel", Null, vec![("new", Class("script".into()))]), Level::Dangerous, true),
        (invocation("create tab", "Itrmntwp", Null, vec![("command", Null)]), Level::Modify, false),
        (
            invocation("create tab", "Itrmntwp", Null, vec![("command", Text("ls".into()))]),
            Level::Dangerous,
            true,
        ),
        (
            invocation("reveal", "miscmvis", List((0..MANY as u32).map(object).collect()), vec![]),
            Level::Modify,
            false,
        ),
        (
            invocation("reveal", "miscmvis", List((0..=MANY as u32).map(object).collect()), vec![]),
            Level::Dangerous,
            false,
        ),
        (
            invocation("count", "corecnte", List((0..=MANY as u32).map(object).collect()), vec![]),
            Level::Safe,
            false,
        ),
    ];
    let more = [
        (invocation("open", "aevtodoc", named("application file", "Mail"), vec![]), Level::Dangerous, false),
        (invocation("open", "aevtodoc", named("item", "Install.pkg"), vec![]), Level::Dangerous, false),
        (invocation("open", "aevtodoc", named("item", "a.txt"), vec![]), Level::Modify, false),
        (
            invocation("make", "corecrel", Null, vec![("with data", Text(" JavaScript:alert(1)".into()))]),
            Level::Dangerous,
            true,
        ),
        (
            invocation("set", "coresetd", property("value"), vec![("to", Text("x".into()))]),
            Level::Dangerous,
            false,
        ),
        (invocation("set", "coresetd", property("bounds"), vec![]), Level::Modify, false),
    ];
    for (action, level, is_shell) in cases.into_iter().chain(more) {
        let found = classify(&action, &[]);
        assert_eq!((found.level, found.is_shell), (level, is_shell), "{action:?}: {}", found.reason);
    }
}
