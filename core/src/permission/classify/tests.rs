mod addresses;
mod arguments;

use std::sync::Arc;

use super::*;
use crate::action::{Argument, Creation, Elements, Following, Preview, StepSet, Terms};
use crate::change::{Expected, Subject};
use crate::dictionary::{Identifier, TypeExpr};
use crate::identity::Identity;
use crate::marshal::{Given, Place};
use crate::permission::closed::tests::{Way, path};
use crate::permission::touch::tests::column;
use crate::specifier::{By, Member, Path, Segment};
use crate::words::TextWindow;

fn check(app: &str, name: &str, code: &str, level: Level, is_shell: bool) {
    let command = Command { name: name.into(), code: code.into(), ..Command::default() };
    let found = classify_command(app, &command, &[]);
    assert_eq!((found.level, found.is_shell), (level, is_shell), "{app} {name} {code}: {}", found.reason);
}

#[test]
fn a_code_lowers_a_level_only_under_its_own_name() {
    check("x.y", "count", "corecnte", Level::Safe, false);
    check("x.y", "delete everything", "corecnte", Level::Dangerous, false);
    check("x.y", "frobnicate", "corecnte", Level::Modify, false);
    check("com.apple.mail", "delete", "emaleafn", Level::Dangerous, false);
    check("com.apple.mail", "send", "aevtoapp", Level::Dangerous, false);
    check("com.apple.mail", "do shell script", "coregetd", Level::Dangerous, true);
    check("com.apple.osax.standardadditions", "path to", "earsffdr", Level::Modify, false);
    check("com.apple.osax.standardadditions", "summarize", "fbcssumm", Level::Modify, false);
    check("x.y", "get", "coredelo", Level::Dangerous, false);
    check("x.y", "count", "coregetd", Level::Modify, false);
    check("x.y", "coregetd", "xxxxyyyy", Level::Modify, false);
    check("com.googlecode.iterm2", "write", "xxxxyyyy", Level::Dangerous, true);
    check("x.y", "write", "xxxxyyyy", Level::Modify, false);
    check("com.barebones.BBEdit", "inside tag", "xxxxyyyy", Level::Safe, false);
    check("com.apple.mail", "send", "emsgsend", Level::Dangerous, false);
    check("com.apple.osax.standardadditions", "do shell script", "sysoexec", Level::Dangerous, true);
    check("com.apple.osax.standardadditions", "read", "rdwrread", Level::Modify, false);
    check("com.apple.Terminal", "do script", "coredosc", Level::Dangerous, true);
    check("com.apple.systemevents", "keystroke", "prcskprs", Level::Dangerous, true);
    check("com.vivaldi.Vivaldi", "execute", "CrSuExJa", Level::Dangerous, true);
    check("com.googlecode.iterm2", "open", "aevtodoc", Level::Dangerous, true);
    for code in ["miscdosc", "Itrmsntx"] {
        check("x.y", "frobnicate", code, Level::Dangerous, true);
    }
    for code in ["miscrvrt", "emsgsend", "ichtsend", "aevtrrst", "aevtrsdn", "aevtrlgo", "aevtlogo"] {
        check("x.y", "frobnicate", code, Level::Dangerous, false);
    }
    for (code, reason) in [("aevtoapp", "launches the app"), ("ascrnoop", "opens the app")] {
        let command = Command { name: "launch".into(), code: code.into(), ..Command::default() };
        assert_eq!(classify_command("x.y", &command, &[]).reason, reason);
    }
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
    check("x.y", "type text", "xxxxyyyy", Level::Dangerous, true);
    check("x.y", "do something", "xxxxyyyy", Level::Modify, false);
    check("x.y", "save workflow", "xxxxyyyy", Level::Modify, false);
    for word in [
        "applescript", "clear", "delete", "destroy", "discard", "empty", "erase", "javascript", "kill",
        "logout", "publish", "purge", "quit", "reboot", "remove", "restart", "revert", "run", "script",
        "send", "shell", "shutdown", "terminate", "trash", "uninstall", "upload", "wipe",
    ] {
        check("x.y", &format!("{word} it"), "xxxxyyyy", Level::Dangerous, false);
    }
    for name in [
        "eval", "evaluate", "execute", "input text", "key code", "keystroke", "send key", "send keys",
        "send text", "type keys", "type text", "do command", "eval macro", "evaluate shortcut",
        "execute shell", "invoke applescript", "run javascript", "trigger workflow", "do script",
    ] {
        check("x.y", name, "xxxxyyyy", Level::Dangerous, true);
    }
    for name in ["eval it", "evaluate it", "execute it", "keystroke it"] {
        check("x.y", name, "xxxxyyyy", Level::Dangerous, false);
    }
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
    let level = |app, class, property, count| {
        classify_write(app, &Terms::default(), class, property, count, &[]).level
    };
    assert_eq!(level("com.apple.mail", "message", "read status", 1), Level::Modify);
    assert_eq!(level("com.apple.mail", "message", "read status", MANY + 1), Level::Dangerous);
    assert_eq!(level("com.apple.mail", "rule", "enabled", 1), Level::Dangerous);
    assert_eq!(level("com.apple.systemevents", "text field", "value", 1), Level::Dangerous);
    let rule =
        LevelRule { app: None, command: None, property: Some("readStatus".into()), level: Level::Safe };
    assert_eq!(
        classify_write("com.apple.mail", &Terms::default(), "message", "read status", 9, &[rule]).level,
        Level::Safe
    );
    let rule = |app: Option<&str>, property: &str| LevelRule {
        app: app.map(str::to_owned),
        command: None,
        property: Some(property.to_owned()),
        level: Level::Dangerous,
    };
    for (rule, expected) in [
        (rule(None, "subject"), Level::Modify),
        (rule(Some("x.y"), "read status"), Level::Modify),
        (rule(Some("com.apple.mail"), "read status"), Level::Dangerous),
    ] {
        let rules = std::slice::from_ref(&rule);
        let found =
            classify_write("com.apple.mail", &Terms::default(), "message", "read status", 1, rules).level;
        assert_eq!(found, expected, "{rule:?}");
        // A rule about a property says nothing about commands.
        let command = Command { name: "move".into(), code: "coremove".into(), ..Command::default() };
        assert_eq!(classify_command("com.apple.mail", &command, rules).level, Level::Modify, "{rule:?}");
    }
}

pub(in crate::permission) fn invocation(
    term: &str,
    code: &str,
    direct: Given,
    parameters: Vec<(&str, Given)>,
) -> Action {
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
        copies: None,
        tells: Vec::new(),
        anchors: None,
        save: None,
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

pub(in crate::permission) fn named(class: &str, name: &str) -> Given {
    let identifier = Identifier::of("items").expect("an identifier");
    let member = Member { term: class.into(), identifier, class: class.into() };
    Given::Object(Path::application().then(Segment::Element(Arc::new(member), By::Name(name.into()))))
}

pub(in crate::permission) fn property(term: &str) -> Given {
    let identifier = Identifier::of(term).expect("an identifier");
    let member = Member { term: term.into(), identifier, class: String::new() };
    Given::Object(Path::application().then(Segment::Property(Arc::new(member))))
}

pub(in crate::permission) fn record(term: &str, value: Given) -> Given {
    Given::Record(vec![(Identifier::of(term).expect("an identifier"), value)])
}

pub(in crate::permission) fn set(object: Given, term: &str, value: Given) -> Action {
    let Given::Object(path) = object else { panic!("an object") };
    let slot = Slot {
        term: term.into(),
        identifier: Identifier::of(term).expect("an identifier"),
        kind: TypeExpr::default(),
        numbers: &[],
        is_interval: false,
        readable: true,
        writable: true,
    };
    let subject = Subject {
        path,
        mark: None,
        name: None,
        labels: vec![],
        facts: vec![],
        slots: vec![slot],
        home: None,
        span: None,
        looks: Vec::new(),
    };
    let change =
        Change { subject, expected: Expected::default(), values: vec![value], loses: None, save: None };
    Action { deed: Deed::Set(vec![change]), ..invocation("set", "coresetd", Given::Null, vec![]) }
}

/// A script of a plugin, about so many objects.
pub(in crate::permission) fn script(acts: Vec<InAppAct>, count: usize) -> Deed {
    let Deed::Command(command) = invocation("x", "OFOCevjs", Given::Null, vec![]).deed else {
        panic!("a command")
    };
    let (term, objects, rest) = ("x".to_owned(), Vec::new(), None);
    Deed::Script(Box::new(InAppScript { term, acts, objects, count, lines: 0, invocation: *command, rest }))
}

/// One act of a script.
pub(in crate::permission) fn act(term: &str, level: Level) -> InAppAct {
    InAppAct { name: None, term: term.into(), code: "xxxxyyyy".into(), level }
}

/// A list of everything in a container.
pub(in crate::permission) fn listing(container: Path) -> Elements {
    let identifier = Identifier::of("files").expect("an identifier");
    Elements {
        containers: vec![container],
        inner: None,
        closed: Vec::new(),
        collection: Arc::new(Member { term: "file".into(), identifier, class: "file".into() }),
        identity: Identity::Index,
        mark: None,
        columns: Vec::new(),
        wanted: 0,
        label: None,
        whose: false,
        filter: None,
        sort: Vec::new(),
        groups: None,
        series: None,
        limit: 1,
        offset: 0,
        range: None,
        text: TextWindow { offset: 0, limit: 1 },
    }
}

#[test]
fn every_field_of_a_record_is_set() {
    let value = || Given::Text("x".into());
    for (term, level) in [("value", Level::Dangerous), ("title", Level::Modify)] {
        let field = || record(term, value());
        let class = || Given::Class("text field".into());
        for action in [
            set(named("text field", "x"), "properties", field()),
            invocation("set", "coresetd", property("properties"), vec![("to", field())]),
            invocation("make", "corecrel", Given::Null, vec![("new", class()), ("with properties", field())]),
        ] {
            assert_eq!(classify(&action, &[]).level, level, "{action:?}");
        }
    }
}

#[test]
fn what_is_set_of_a_new_object_counts() {
    let Deed::Set(mut changes) = set(named("text field", "x"), "value", Given::Null).deed else {
        panic!("a change")
    };
    let creation = Creation { writes: changes.pop().map(Box::new), ..Creation::default() };
    let action = invocation("make", "corecrel", Given::Null, vec![]);
    let level =
        |creation| classify(&Action { deed: Deed::Create(Box::new(creation)), ..action.clone() }, &[]).level;
    assert_eq!(level(creation), Level::Dangerous);
    assert_eq!(level(Creation::default()), Level::Modify);
    let many = Given::List((0..=MANY as u32).map(object).collect());
    let Deed::Command(count) = invocation("count", "corecnte", many, vec![]).deed else {
        panic!("a command")
    };
    let then = vec![Following { place: String::new(), judged: (*count).clone(), sent: *count }];
    assert_eq!(level(Creation { then, ..Creation::default() }), Level::Safe, "a read of many is a read");
}

/// Only the app tells which object a property holds, and it may be of any kind of its class.
#[test]
fn what_a_property_holds_is_judged_as_the_worst_kind_of_its_class() {
    let sdef = r#"<dictionary><suite name="x" code="xxxx">
      <class name="thing" code="thng"/><class name="rule" code="rule" inherits="thing"/>
      <class name="note" code="note"/>
    </suite></dictionary>"#;
    let (dictionary, _) = crate::dictionary::parse(sdef.as_bytes(), &crate::dictionary::Includes::new());
    let terms = Terms(Some(Arc::new(dictionary)));
    for (way, level) in [
        (Way::Property("current thing", "thing"), Level::Dangerous),
        (Way::Property("current rule", "rule"), Level::Dangerous),
        (Way::Property("current note", "note"), Level::Modify),
        (Way::Named("thing", "x"), Level::Modify),
    ] {
        let change = set(Given::Object(path([way])), "enabled", Given::Bool(true));
        let change = Action { app: "com.apple.mail".into(), terms: terms.clone(), ..change };
        assert_eq!(classify(&change, &[]).level, level, "{change:?}");
    }
}

/// The order of the properties does not matter.
#[test]
fn the_worst_of_several_counts() {
    let fields = |terms: &[&str]| {
        let field = |term: &&str| (Identifier::of(term).expect("an identifier"), Given::Null);
        Given::Record(terms.iter().map(field).collect())
    };
    let new =
        |terms: &[&str]| vec![("new", Given::Class("window".into())), ("with properties", fields(terms))];
    let copied = |classes: &[&str]| Given::List(classes.iter().map(|class| named(class, "x")).collect());
    let changed = |terms: &[&str]| {
        let change = |term: &&str| match set(named("window", "x"), term, Given::Null).deed {
            Deed::Set(changes) => changes,
            _ => panic!("a change"),
        };
        let changes = terms.iter().flat_map(change).collect();
        Action { deed: Deed::Set(changes), ..invocation("set", "coresetd", Given::Null, vec![]) }
    };
    for terms in [["value", "title"], ["title", "value"]] {
        for action in [
            set(named("window", "x"), "properties", fields(&terms)),
            changed(&terms),
            invocation("set", "coresetd", property("properties"), vec![("to", fields(&terms))]),
            invocation("make", "corecrel", Given::Null, new(&terms)),
            invocation("copy", "coreclon", named("window", "x"), vec![("with properties", fields(&terms))]),
        ] {
            assert_eq!(classify(&action, &[]).level, Level::Dangerous, "{action:?}");
        }
    }
    for classes in [["login item", "script"], ["script", "login item"]] {
        let action = invocation("copy", "coreclon", copied(&classes), vec![]);
        assert!(classify(&action, &[]).is_shell, "{action:?}");
    }
    let script = set(named("window", "x"), "value", Given::Text("javascript:1".into()));
    assert!(classify(&script, &[]).is_shell, "its value is worse than its property");
    let visit = |address: &str| match set(named("tab", "x"), "URL", Given::Text(address.into())).deed {
        Deed::Set(changes) => changes,
        _ => panic!("a change"),
    };
    for addresses in [["ssh://host", "javascript:1"], ["javascript:1", "ssh://host"]] {
        let deed = Deed::Set(addresses.into_iter().flat_map(visit).collect());
        assert!(classify(&Action { deed, ..script.clone() }, &[]).is_shell, "{addresses:?}");
    }
    for (name, level) in [(".zshrc", Level::Dangerous), ("x", Level::Modify)] {
        let renamed = set(named("file", "x"), "name", Given::Text(name.into()));
        assert_eq!(classify(&renamed, &[]).level, level, "{name}");
    }
    let both = Given::List(vec![named("button", "x"), named("user", "x")]);
    let made = invocation("x", "corecrel", both, vec![("with properties", fields(&["full name"]))]);
    assert_eq!(classify(&made, &[]).level, Level::Dangerous);
    let enabled = vec![("new", Given::Class("script".into())), ("with properties", fields(&["enabled"]))];
    assert!(classify(&invocation("make", "corecrel", Given::Null, enabled), &[]).is_shell);
    let keys = Given::List((0..=MANY as u32).map(object).collect());
    assert!(classify(&invocation("keystroke", "prcskprs", keys, vec![]), &[]).is_shell);
}

#[test]
fn a_level_of_the_operator_counts_for_what_is_made() {
    let rules =
        [LevelRule { app: None, command: None, property: Some("title".into()), level: Level::Dangerous }];
    let level = |code: &str| {
        let class = Given::Class("window".into());
        let properties = record("title", Given::Text("x".into()));
        let parameters = vec![("new", class), ("with properties", properties)];
        classify(&invocation("x", code, Given::Null, parameters), &rules).level
    };
    assert_eq!(level("corecrel"), Level::Dangerous);
    for (term, code) in [("copy", "coreclon"), ("move", "coremove")] {
        let given = vec![("with properties", record("title", Given::Null))];
        let copy = invocation(term, code, named("window", "x"), given);
        assert_eq!(classify(&copy, &rules).level, Level::Dangerous, "{term}");
    }
    // A command only gets worse by the properties that it sets.
    let mild = [LevelRule { property: Some("value".into()), level: Level::Safe, ..rules[0].clone() }];
    let field =
        vec![("new", Given::Class("field".into())), ("with properties", record("value", Given::Null))];
    assert_eq!(classify(&invocation("make", "corecrel", Given::Null, field), &mild).level, Level::Dangerous);
    assert_eq!(classify(&set(named("field", "x"), "value", Given::Null), &mild).level, Level::Safe);
    for terms in [["title", "name"], ["name", "title"]] {
        let field = |term: &str| (Identifier::of(term).expect("an identifier"), Given::Null);
        let properties = Given::Record(terms.map(field).into());
        let new = vec![("new", Given::Class("window".into())), ("with properties", properties)];
        let made = invocation("make", "corecrel", Given::Null, new);
        assert_eq!(classify(&made, &rules).level, Level::Dangerous, "{terms:?}");
    }
    assert_eq!(level("miscmvis"), Level::Modify, "only a new object is given properties");
    // The operator knows the arguments that the command takes: they do not raise it again.
    let rules = [LevelRule { app: None, command: Some("save".into()), property: None, level: Level::Modify }];
    let save = invocation("save", "coresave", object(0), vec![("in", Given::File("/u/.zshrc".into()))]);
    assert_eq!(classify(&save, &rules).level, Level::Modify);
    assert_eq!(classify(&save, &[]).level, Level::Dangerous);
    let many = Given::List((0..=MANY as u32).map(object).collect());
    assert_eq!(classify(&invocation("save", "coresave", many, vec![]), &rules).level, Level::Modify);
}

/// An operator who calls a command harmless has not read the address that it will get.
#[test]
fn no_level_of_the_operator_makes_code_harmless() {
    let rule = |command: &str, level: Level| {
        [LevelRule { app: None, command: Some(command.into()), property: None, level }]
    };
    for (address, level, is_shell) in [
        ("https://example.org", Level::Safe, false),
        ("javascript:1", Level::Dangerous, true),
        ("shortcuts://run-shortcut?name=x", Level::Dangerous, true),
        ("omnifocus://localhost/omnijs-run?script=1", Level::Dangerous, true),
        ("file:///a/X.app", Level::Dangerous, false),
    ] {
        let open = invocation("open location", "GURLGURL", Given::Text(address.into()), vec![]);
        let found = classify(&open, &rule("open location", Level::Safe));
        assert_eq!((found.level, found.is_shell), (level, is_shell), "{address}");
    }
    let tab = invocation("new tab", "xxxxntab", Given::Null, vec![("command", Given::Text("ls".into()))]);
    assert!(classify(&tab, &rule("new tab", Level::Modify)).is_shell);
}

#[test]
fn what_does_nothing_that_is_known_is_no_read() {
    let level =
        |deed: Deed| classify(&Action { app: "x.y".into(), terms: Terms::default(), deed }, &[]).level;
    assert_eq!(level(script(Vec::new(), 0)), Level::Dangerous);
    assert_eq!(level(Deed::Set(Vec::new())), Level::Modify);
    let (mild, bad) = (|| act("script: a", Level::Modify), || act("script: b", Level::Dangerous));
    for acts in [vec![mild(), bad()], vec![bad(), mild()]] {
        assert_eq!(level(script(acts, 1)), Level::Dangerous, "the worst that it does");
    }
    assert_eq!(level(script(vec![mild()], MANY)), Level::Modify);
    assert_eq!(level(script(vec![mild()], MANY + 1)), Level::Dangerous);
    let reads = || act("script: c", Level::Safe);
    assert_eq!(level(script(vec![reads()], MANY + 1)), Level::Safe, "a read of many is a read");
    let why = |act: InAppAct| classify_act("x.y", &act, 1, &[]).reason;
    assert_eq!(why(reads()), "reads with the plugin's own script");
    assert_eq!(why(mild()), "makes the change with the plugin's own script");
    let rule = LevelRule { app: None, command: Some("script: b".into()), property: None, level: Level::Safe };
    let of_act = |act: &InAppAct| classify_act("x.y", act, 1, std::slice::from_ref(&rule)).level;
    assert_eq!([mild(), bad()].each_ref().map(of_act), [Level::Modify, Level::Safe]);
    let (by, opens) = ("x".to_owned(), false);
    let (_, index) = crate::series::indexes().next().expect("a library of the system");
    for asks in [Deed::AskConsent { by: by.clone(), opens }, Deed::AskAccess { by, index }] {
        let asks = classify(&Action { app: "x.y".into(), terms: Terms::default(), deed: asks }, &[]);
        assert_eq!((asks.level, &*asks.reason), (Level::Safe, "lets macOS ask the user for its consent"));
    }
}

const MAIL: &str = r#"<dictionary><suite name="Mail" code="emal">
  <class name="application" code="capp">
    <element type="account"/><property name="selection" code="sele" type="specifier"/>
  </class>
  <class name="account" code="mact">
    <property name="name" code="pnam" type="text"/>
    <property name="server name" code="host" type="text"/>
    <property name="password" code="macp" type="text"/>
  </class>
  <class name="imap account" code="iact" inherits="account"/>
  <class name="iCloud account" code="itac" inherits="imap account"/>
  <class name="smtp server" code="dact"><property name="uses ssl" code="usss" type="boolean"/></class>
  <class name="rule condition" code="ruco"><property name="expression" code="rexp" type="text"/></class>
  <class name="message" code="mssg"><property name="read status" code="isrd" type="boolean"/></class>
</suite></dictionary>"#;

fn mail() -> Terms {
    let (dictionary, _) = crate::dictionary::parse(MAIL.as_bytes(), &crate::dictionary::Includes::new());
    Terms(Some(Arc::new(dictionary)))
}

pub(in crate::permission) fn in_mail(term: &str, code: &str, value: Given) -> Action {
    let action = invocation(term, code, value, vec![]);
    Action { app: "com.apple.mail".into(), terms: mail(), ..action }
}

/// A script says `count`, and either command may run.
#[test]
fn of_commands_with_one_name_the_worst_counts() {
    let command = |name: &str, code: &str| format!(r#"<command name="{name}" code="{code}"/>"#);
    for (names, level) in [
        (&[("count", "corecnte")][..], Level::Safe),
        (&[("count", "corecnte"), ("exists", "coredelo")], Level::Safe),
        (&[("count", "corecnte"), ("count", "coredelo")], Level::Dangerous),
        (&[("count", "coredelo"), ("count", "corecnte")], Level::Dangerous),
        (&[("count", "corecnte"), ("Count", "xxxxyyyy")], Level::Modify),
        (&[("count", "corecnte"), ("COUNT", "sysoexec")], Level::Dangerous),
    ] {
        let all: String = names.iter().map(|(name, code)| command(name, code)).collect();
        let sdef = format!(r#"<dictionary><suite name="x" code="xxxx">{all}</suite></dictionary>"#);
        let (dictionary, _) = crate::dictionary::parse(sdef.as_bytes(), &crate::dictionary::Includes::new());
        let counts = invocation("count", "corecnte", Given::Null, vec![]);
        let counts = Action { terms: Terms(Some(Arc::new(dictionary))), ..counts };
        assert_eq!(classify(&counts, &[]).level, level, "{names:?}");
        let rule =
            LevelRule { app: None, command: Some("corecnte".into()), property: None, level: Level::Safe };
        assert_eq!(classify(&counts, &[rule]).level, Level::Safe, "the operator knows: {names:?}");
    }
}

#[test]
fn rows_hold_for_classes_that_inherit() {
    let terms = mail();
    let write = |class, property| classify_write("com.apple.mail", &terms, class, property, 1, &[]).level;
    for class in ["account", "imap account", "iCloud account", "IMAPAccount", ""] {
        assert_eq!(write(class, "password"), Level::Dangerous, "{class}");
    }
    for (class, property) in
        [("smtp server", "uses ssl"), ("rule condition", "expression"), ("iCloud account", "properties")]
    {
        assert_eq!(write(class, property), Level::Dangerous, "{class}");
    }
    assert_eq!(write("message", "read status"), Level::Modify);
    assert_eq!(classify_write("x.y", &terms, "account", "password", 1, &[]).level, Level::Modify);
    let elsewhere = Action { app: "x.y".into(), ..in_mail("x", "corecrel", Given::Class("rule".into())) };
    assert_eq!(classify(&elsewhere, &[]).level, Level::Modify);
    assert_eq!(write("", "read status"), Level::Modify);
    for class in ["imap account", "smtp server", "rule condition"] {
        for (code, value) in [
            ("corecrel", Given::Class(class.into())),
            ("coreclon", named(class, "x")),
            ("coremove", named(class, "x")),
        ] {
            let action = in_mail("x", code, value);
            assert_eq!(classify(&action, &[]).level, Level::Dangerous, "{class} {code}");
        }
    }
    assert_eq!(classify(&in_mail("x", "corecrel", Given::Class("message".into())), &[]).level, Level::Modify);
    let both = r#"<dictionary><suite name="x" code="xxxx">
      <class name="login item" code="logi" inherits="script"/><class name="script" code="scpt"/>
    </suite></dictionary>"#;
    let (both, _) = crate::dictionary::parse(both.as_bytes(), &crate::dictionary::Includes::new());
    let found = tables::make("com.apple.systemevents", &Terms(Some(Arc::new(both))), "login item");
    assert!(found.is_some_and(|found| found.is_shell), "the worst row counts");
}

#[test]
fn what_starts_something_later_is_dangerous_to_make_and_to_change() {
    let (events, calendar) = ("com.apple.systemevents", "com.apple.iCal");
    for (app, class, level, is_shell) in [
        (events, "login item", Level::Dangerous, false),
        (events, "folder action", Level::Dangerous, true),
        (events, "script", Level::Dangerous, true),
        (calendar, "open file alarm", Level::Dangerous, false),
        (calendar, "mail alarm", Level::Dangerous, false),
        (calendar, "display alarm", Level::Modify, false),
        ("com.apple.mail", "rule", Level::Dangerous, false),
        ("com.apple.mail", "signature", Level::Modify, false),
    ] {
        let action = invocation("make", "corecrel", Given::Null, vec![("new", Given::Class(class.into()))]);
        let found = classify(&Action { app: app.into(), ..action }, &[]);
        assert_eq!((found.level, found.is_shell), (level, is_shell), "{class}");
    }
    for (app, class, property) in [
        (events, "checkbox", "selected"),
        (events, "folder action", "enabled"),
        (events, "script", "enabled"),
        (events, "application", "folder actions enabled"),
        (events, "login item", "path"),
        (events, "security preferences object", "automatic login"),
        (events, "user", "full name"),
        (calendar, "open file alarm", "filepath"),
        (calendar, "mail alarm", "trigger date"),
    ] {
        let found = classify_write(app, &Terms::default(), class, property, 1, &[]);
        assert_eq!(found.level, Level::Dangerous, "{class} {property}");
    }
}

/// A script that reads such a property would call the command. So the property's dictionary may be that of another app.
#[test]
fn a_property_with_the_name_of_a_command_is_no_read() {
    let text = TextWindow { offset: 0, limit: 1 };
    let of = |deed: Deed| classify(&Action { app: "x.y".into(), terms: Terms::default(), deed }, &[]);
    let way = |term: &str| {
        let Given::Object(path) = property(term) else { panic!("an object") };
        path
    };
    let read = |term: &str| of(Deed::Value { path: way(term), text });
    for term in [
        "activate", "close", "delete", "do script", "do JavaScript", "do shell script", "duplicate",
        "empty trash", "erase", "eval", "execute", "key code", "keystroke", "launch", "log out", "make",
        "move", "open", "open location", "print", "quit", "remove", "restart", "revert", "run", "save",
        "send", "set", "shut down", "sleep",
    ] {
        assert_eq!(read(term).level, Level::Dangerous, "{term}");
    }
    for term in ["name", "deleted status", "sender", "empty", "run script", "show"] {
        assert_eq!(read(term).level, Level::Safe, "{term}");
    }
    assert!(read("do script").is_shell && !read("delete").is_shell);
    let deeds = |term: &str| {
        let identifier = || Identifier::of(term).expect("an identifier");
        let column = || vec![Column { identifiers: vec![identifier()], ..column("x") }];
        let member = || Arc::new(Member { term: "x".into(), identifier: identifier(), class: "x".into() });
        let wanted = |path: Path, columns: Option<Vec<Column>>| {
            let object = Wanted { path, identity: Identity::Index, columns, named: Vec::new() };
            Deed::Properties { objects: vec![Arc::new(object)], sizes: Vec::new(), text }
        };
        let Deed::Set(changes) = set(property(term), "x", Given::Null).deed else { panic!("a change") };
        let subjects = vec![changes[0].subject.clone()];
        let count = || invocation("count", "corecnte", property(term), vec![]).deed;
        let Deed::Command(judged) = count() else { panic!("a command") };
        let then = Following { place: String::new(), judged: (*judged).clone(), sent: *judged };
        let step = StepSet { place: String::new(), after: 0, change: changes[0].clone() };
        [
            Deed::Look { path: way(term), identity: Identity::Index, mark: None, name: None },
            Deed::Names { container: way(term), collection: member(), name: identifier() },
            Deed::Elements(Box::new(listing(way(term)))),
            Deed::Elements(Box::new(Elements { columns: column(), ..listing(way("x")) })),
            wanted(way(term), None),
            wanted(way("x"), Some(column())),
            count(),
            Deed::Create(Box::new(Creation { then: vec![then], ..Creation::default() })),
            Deed::Create(Box::new(Creation { sets: vec![step], ..Creation::default() })),
            Deed::Preview(Preview { subjects, ..Preview::default() }),
            Deed::Set(changes),
        ]
    };
    for (bad, good) in deeds("delete").into_iter().zip(deeds("name")) {
        assert_eq!(of(bad.clone()).level, Level::Dangerous, "{bad:?}");
        assert!(of(good.clone()).level < Level::Dangerous, "{good:?}");
    }
}

/// A call that may only read sends these commands: they change nothing, although what they read needs approval.
#[test]
fn a_command_that_needs_approval_may_only_read() {
    let reads = |app: &str, term: &str, code: &str, names: &[(&str, &str)], direct: Given| {
        let command = |(name, code): &(&str, &str)| format!(r#"<command name="{name}" code="{code}"/>"#);
        let all: String = names.iter().map(command).collect();
        let sdef = format!(r#"<dictionary><suite name="x" code="xxxx">{all}</suite></dictionary>"#);
        let (dictionary, _) = crate::dictionary::parse(sdef.as_bytes(), &crate::dictionary::Includes::new());
        let terms = Terms(Some(Arc::new(dictionary)));
        only_reads(&Action { app: app.into(), terms, ..invocation(term, code, direct, vec![]) }, &[])
    };
    let ours = crate::app::STANDARD_ADDITIONS;
    let own = ("read", "rdwrread");
    for (expected, app, term, code, names) in [
        (true, ours, "read", "rdwrread", &[own][..]),
        (true, ours, "the clipboard", "JonsgClp", &[own]),
        (true, "x.y", "count", "corecnte", &[]),
        (false, "x.y", "read", "rdwrread", &[own]),
        (false, ours, "write", "rdwrread", &[own]),
        (false, ours, "read", "JonsgClp", &[own]),
        (false, ours, "write", "rdwrwrit", &[own]),
        (false, ours, "read", "rdwrread", &[own, ("Read", "rdwrwrit")]),
        (false, ours, "read", "rdwrread", &[("Read", "rdwrwrit"), own]),
    ] {
        assert_eq!(reads(app, term, code, names, Given::Null), expected, "{app} {term} {code} {names:?}");
    }
    assert!(!reads(ours, "read", "rdwrread", &[own], property("delete")), "the script would call `delete`");
    assert!(!only_reads(&set(property("x"), "y", Given::Null), &[]), "a change is no command");
}
