use super::*;
use crate::permission::CommandName;

fn mistake(text: &str, place: (usize, usize), wrong: &str) {
    let error = Policy::parse(text).expect_err(text);
    assert_eq!((error.line, error.column), place, "{error}");
    assert!(error.wrong.contains(wrong), "{error}");
}

#[test]
fn a_mistake_is_an_error_with_its_place() {
    mistake("profile = \"trustd\"", (1, 11), "did you mean \"trusted\"?");
    mistake("profile = standard", (1, 11), "");
    mistake("\nprofiles = \"standard\"", (2, 1), "unknown field `profiles`");
    mistake("rules = [\n  { app = \"com.apple.mail\" },\n]", (2, 3), "missing field `decision`");
    mistake("rules = [{ decision = \"maybe\" }]", (1, 23), "expected one of allow, ask, deny, got \"maybe\"");
    mistake("rules = [{ level = \"HIGH\", decision = \"ask\" }]", (1, 20), "SAFE, MODIFY, DANGEROUS");
    mistake("rules = [{ app = \"Mail\", decision = \"allow\" }]", (1, 18), "`Mail` is not a bundle id");
    mistake("rules = [{ app = \"\", decision = \"ask\" }]", (1, 18), "empty text");
    mistake("rules = [{ command = \" \", decision = \"deny\" }]", (1, 22), "empty text");
    mistake("rules = [{ apps = \"x\", decision = \"ask\" }]", (1, 12), "unknown field `apps`");
    mistake("[[rules]]\ncommand = \"send\"\nproperty = \"x\"\ndecision = \"ask\"", (1, 1), "but not both");
    mistake("own-content = [\"Finder\"]", (1, 16), "is not a bundle id");
    mistake("rules = [{ launch = \"yes\", decision = \"ask\" }]", (1, 21), "expected a boolean");
    mistake("# é\nprofile = \"é\" # x", (2, 11), "got \"é\"");
}

const MAIL: Touch<'_> = Touch {
    app: "com.apple.mail",
    app_name: "Mail",
    plugin: None,
    level: Level::Safe,
    is_shell: false,
    command: None,
    property: None,
    class: None,
    is_fragile: false,
    is_many: false,
};
const SET: Touch<'_> = Touch { level: Level::Modify, property: Some("read status"), ..MAIL };
const DELETE: Touch<'_> = Touch {
    level: Level::Dangerous,
    command: Some(CommandName { name: "delete", code: "coredelo" }),
    ..MAIL
};
const SHELL: Touch<'_> = Touch {
    app: "com.apple.Terminal",
    app_name: "Terminal",
    is_shell: true,
    level: Level::Dangerous,
    command: Some(CommandName { name: "do script", code: "coredosc" }),
    ..MAIL
};

fn check(text: &str, touch: Touch<'_>, expected: Ruling) {
    let policy = Policy::parse(text).expect(text);
    assert_eq!(policy.judge(&touch, false).ruling, expected, "{text}");
}

#[test]
fn profiles() {
    for (profile, expected) in [
        ("read-only", [Ruling::Allow, Ruling::Deny, Ruling::Deny, Ruling::Deny]),
        ("standard", [Ruling::Allow, Ruling::Ask, Ruling::Ask, Ruling::Deny]),
        ("trusted", [Ruling::Allow, Ruling::Allow, Ruling::Allow, Ruling::Deny]),
    ] {
        for (touch, expected) in [MAIL, SET, DELETE, SHELL].into_iter().zip(expected) {
            check(&format!("profile = \"{profile}\""), touch, expected);
        }
        let policy = Policy::parse(&format!("profile = \"{profile}\"")).expect("a policy");
        assert_eq!(Policy::of(policy.profile()), policy);
        assert_eq!(policy.profile().as_str(), profile);
    }
    check("", SET, Ruling::Ask);
}

#[test]
fn the_first_rule_that_fits_decides() {
    let both = "rules = [{ app = \"com.apple.mail\", decision = \"deny\" }, { decision = \"allow\" }]";
    check(both, SET, Ruling::Deny);
    check(both, Touch { app: "com.apple.finder", app_name: "Finder", ..SET }, Ruling::Allow);
    check("rules = [{ property = \"readStatus\", decision = \"allow\" }]", SET, Ruling::Allow);
    check(
        "rules = [{ property = \"read status\", level = \"SAFE\", decision = \"allow\" }]",
        SET,
        Ruling::Ask,
    );
    check("rules = [{ command = \"delete\", decision = \"allow\" }]", DELETE, Ruling::Allow);
    check("rules = [{ command = \"coredelo\", decision = \"deny\" }]", DELETE, Ruling::Deny);
    check("rules = [{ command = \"coredelo\", decision = \"deny\" }]", SET, Ruling::Ask);
    check("rules = [{ plugin = \"omnifocus\", decision = \"allow\" }]", SET, Ruling::Ask);
    check(
        "rules = [{ plugin = \"omnifocus\", decision = \"allow\" }]",
        Touch { plugin: Some("omnifocus"), ..SET },
        Ruling::Allow,
    );
    check("rules = [{ app = \"com.apple.*\", decision = \"allow\" }]", SET, Ruling::Allow);
    let elsewhere = Touch { app: "org.apple.mail", ..SET };
    check("rules = [{ app = \"com.apple.*\", decision = \"allow\" }]", elsewhere, Ruling::Ask);
    check("rules = [{ app = \"*\", decision = \"allow\" }]", elsewhere, Ruling::Allow);
    check("rules = [{ app = \"COM.APPLE.MAIL\", decision = \"allow\" }]", SET, Ruling::Allow);
    check("rules = [{ app = \"com.apple.mailbox\", decision = \"allow\" }]", SET, Ruling::Ask);
}

#[test]
fn a_name_only_makes_it_stricter() {
    check("rules = [{ app = \"Mail\", decision = \"deny\" }]", SET, Ruling::Deny);
    let impostor = Touch { app: "com.evil.mail", app_name: "com.apple.mail", ..SET };
    check("rules = [{ app = \"com.apple.mail\", decision = \"allow\" }]", impostor, Ruling::Ask);
}

#[test]
fn a_shell_is_refused_unless_a_rule_names_it() {
    check("rules = [{ app = \"com.apple.Terminal\", decision = \"allow\" }]", SHELL, Ruling::Deny);
    check(
        "profile = \"trusted\"\nrules = [{ level = \"DANGEROUS\", decision = \"allow\" }]",
        SHELL,
        Ruling::Deny,
    );
    check("rules = [{ command = \"do script\", decision = \"allow\" }]", SHELL, Ruling::Allow);
    check("rules = [{ command = \"coredosc\", decision = \"ask\" }]", SHELL, Ruling::Ask);
    check("rules = [{ app = \"com.apple.Terminal\", decision = \"ask\" }]", SHELL, Ruling::Deny);
}

#[test]
fn a_refusal_of_a_shell_says_who_refuses() {
    let source = |text: &str| Policy::parse(text).expect(text).judge(&SHELL, false).source;
    let rule = Source::Rule { line: 1, reason: None };
    assert_eq!(source("rules = [{ app = \"com.apple.Terminal\", decision = \"deny\" }]"), rule);
    assert_eq!(source("rules = [{ app = \"com.apple.Terminal\", decision = \"ask\" }]"), Source::Shell);
    assert_eq!(source("rules = [{ command = \"do script\", decision = \"ask\" }]"), rule);
    assert_eq!(source("profile = \"read-only\""), Source::Shell);
}

#[test]
fn what_is_refused_is_not_asked_about_for_another_reason() {
    let fragile = Touch { is_fragile: true, ..SET };
    let named = "rules = [{ property = \"read status\", decision = \"allow\" }]";
    check("profile = \"read-only\"", fragile, Ruling::Deny);
    check("profile = \"trusted\"", fragile, Ruling::Ask);
    check("rules = [{ decision = \"allow\" }]", fragile, Ruling::Ask);
    check(named, fragile, Ruling::Allow);
    let tainted = |text: &str| Policy::parse(text).expect(text).judge(&DELETE, true).ruling;
    assert_eq!(tainted("profile = \"read-only\""), Ruling::Deny);
    assert_eq!(tainted("rules = [{ decision = \"deny\" }]"), Ruling::Deny);
}

#[test]
fn every_word_of_the_file_is_the_one_that_is_shown() {
    for (word, ruling) in RULINGS {
        assert_eq!(ruling.as_str(), word);
    }
    for (word, profile) in PROFILES {
        assert_eq!(profile.as_str(), word);
    }
}

#[test]
fn only_reads_is_stronger_than_any_rule() {
    let scripts = Policy::parse("scripts = \"ask\"").expect("a policy");
    assert!(!Policy::parse("scripts = \"off\"").expect("a policy").runs_scripts());
    assert!(scripts.runs_scripts() && !scripts.only_reads().runs_scripts());
    let policy = Policy::parse("rules = [{ decision = \"allow\" }]").expect("a policy").only_reads();
    assert_eq!(policy.judge(&SET, false).ruling, Ruling::Deny);
    assert_eq!(policy.judge(&MAIL, false).ruling, Ruling::Allow);
}

#[test]
fn content_of_others_makes_dangerous_calls_suspicious() {
    let tainted = |text: &str, touch: Touch<'_>| Policy::parse(text).expect(text).judge(&touch, true).ruling;
    let trusted = "profile = \"trusted\"\n";
    assert_eq!(tainted(trusted, DELETE), Ruling::Ask);
    assert_eq!(tainted(trusted, SET), Ruling::Allow);
    assert_eq!(
        tainted(&format!("{trusted}rules = [{{ level = \"DANGEROUS\", decision = \"allow\" }}]"), DELETE),
        Ruling::Ask
    );
    assert_eq!(
        tainted(&format!("{trusted}rules = [{{ command = \"delete\", decision = \"allow\" }}]"), DELETE),
        Ruling::Allow
    );
    let policy = Policy::parse("own-content = [\"com.apple.finder\"]").expect("a policy");
    assert!(
        policy.is_content_of_others("com.apple.mail") && !policy.is_content_of_others("com.apple.Finder")
    );
    assert!(Policy::parse("after-untrusted = \"ask\"").expect("a policy").is_content_of_others("x.y"));
    assert!(!Policy::parse("after-untrusted = \"as-usual\"").expect("a policy").is_content_of_others("x.y"));
}

#[test]
fn the_operator_sets_levels() {
    let policy = Policy::parse("levels = [{ command = \"send\", level = \"modify\" }]").expect("a policy");
    assert_eq!((policy.levels().len(), policy.rules().len()), (1, 0));
    assert_eq!(Policy::parse("rules = [{ decision = \"ask\" }]").expect("a policy").rules().len(), 1);
    for named in ["", "command = \"x\", property = \"y\", "] {
        let text = format!("levels = [{{ {named}level = \"SAFE\" }}]");
        mistake(&text, (1, 11), "either a command or a property");
    }
    mistake(
        "levels = [{ app = \"Mail\", command = \"send\", level = \"SAFE\" }]",
        (1, 19),
        "is not a bundle id",
    );
}

/// A script may reach anything that its level allows, and the server cannot see what it reaches.
#[test]
fn a_rule_for_an_app_holds_back_the_scripts_of_plugins_in_it() {
    use Ruling::{Allow, Ask, Deny};
    let act = |name: &'static str, level: Level| Touch {
        app: "com.omnigroup.OmniFocus4",
        plugin: Some("omnifocus"),
        level,
        command: Some(CommandName { name, code: "0a1b2c3d" }),
        ..MAIL
    };
    let read = || act("script read", Level::Safe);
    let edit = || act("script write: edit task", Level::Modify);
    let delete = || act("script write: delete task", Level::Dangerous);
    for (rule, expected) in [
        ("{ property = \"note\", decision = \"deny\" }", [Ask, Ask, Ask]),
        ("{ property = \"note\", decision = \"ask\" }", [Ask, Ask, Ask]),
        ("{ property = \"note\", level = \"MODIFY\", decision = \"deny\" }", [Allow, Ask, Ask]),
        ("{ app = \"com.apple.mail\", property = \"note\", decision = \"deny\" }", [Allow; 3]),
        ("{ plugin = \"other\", property = \"note\", decision = \"deny\" }", [Allow; 3]),
        ("{ app = \"com.omnigroup.*\", property = \"note\", decision = \"allow\" }", [Allow; 3]),
        ("{ command = \"delete\", decision = \"deny\" }", [Allow, Allow, Deny]),
        ("{ command = \"coredelo\", decision = \"deny\" }", [Allow, Allow, Ask]),
        ("{ command = \"move\", decision = \"ask\" }", [Allow, Ask, Ask]),
        ("{ command = \"launch\", decision = \"ask\" }", [Allow; 3]),
        ("{ command = \"script write: edit task\", decision = \"deny\" }", [Allow, Deny, Allow]),
        ("{ command = \"0a1b2c3e\", decision = \"deny\" }", [Allow; 3]),
        ("{ plugin = \"omnifocus\", property = \"note\", decision = \"deny\" }", [Ask; 3]),
        // Only an act with all words of the command is surely that command.
        ("{ command = \"delete all\", decision = \"deny\" }", [Allow, Allow, Ask]),
        // A digest has eight digits, and this word has three.
        ("{ command = \"add\", decision = \"deny\" }", [Allow, Ask, Ask]),
        // The strictest rule counts.
        (
            "{ command = \"delete\", decision = \"deny\" }, { property = \"note\", decision = \"ask\" }",
            [Ask, Ask, Deny],
        ),
        // The first rule that fits decides about a script, too.
        (
            "{ app = \"com.omnigroup.*\", command = \"script write: delete task\", decision = \"allow\" }, { command = \"delete\", decision = \"deny\" }",
            [Allow; 3],
        ),
    ] {
        let policy = Policy::parse(&format!("profile = \"trusted\"\nrules = [{rule}]")).expect(rule);
        let met = [read(), edit(), delete()].map(|touch| policy.judge_act(&touch, false).ruling);
        assert_eq!(met, expected, "{rule}");
    }
    // Of rules that are as strict the first one is named.
    let policy = Policy::parse(
        "rules = [{ property = \"note\", decision = \"deny\", reason = \"private\" }, { property = \"name\", decision = \"deny\" }]",
    );
    let source = policy.expect("a policy").judge_act(&read(), false).source.to_string();
    let expected =
        "the rule in line 1 of the policy (private; it is about \"note\", which this script may reach)";
    assert_eq!(source, expected);
}
