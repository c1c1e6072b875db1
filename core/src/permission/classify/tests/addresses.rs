//! Which texts are addresses, and what opens them.

use super::*;
use crate::app::STANDARD_ADDITIONS;

fn text(text: &str) -> Given {
    Given::Text(text.to_owned())
}

fn of(app: &str, term: &str, code: &str, direct: Given, parameters: Vec<(&str, Given)>) -> Action {
    Action { app: app.into(), ..invocation(term, code, direct, parameters) }
}

/// A command of unknown meaning, with a text.
fn visit(value: &str) -> Action {
    of("x.y", "visit", "xxxxyyyy", text(value), vec![])
}

/// A new object with an address among its properties.
fn made(class: &str, property: &str, address: &str) -> Action {
    let new = vec![("new", Given::Class(class.into())), ("with properties", record(property, text(address)))];
    of("x.y", "make", "corecrel", Given::Null, new)
}

#[test]
fn an_address_has_a_scheme_that_is_known_or_a_host() {
    for scheme in [
        "about", "callto", "data", "facetime", "file", "imessage", "javascript", "mailto", "shortcuts",
        "sip", "sms", "tel", "webcal", "workflow",
    ] {
        assert!(opens_address(&visit(&format!("{scheme}:x"))), "{scheme}");
    }
    for address in ["x-note:x", "tel:/x y", "x1://host"] {
        assert!(opens_address(&visit(address)), "{address}");
    }
    for words in ["note:x", "note:/x", "10://x", "tel: x y", "x-note: x y", " "] {
        assert!(!opens_address(&visit(words)), "{words}");
    }
    assert!(!opens_address(&of("x.y", "open location", "GURLGURL", text(" "), vec![])), "nothing is opened");
}

#[test]
fn a_command_takes_addresses_by_its_name_by_its_code_and_by_a_parameter() {
    for word in ["address", "link", "location", "mailto", "uri", "url", "urls", "web", "webpage", "website"] {
        let by_name = of("x.y", &format!("open {word}"), "xxxxyyyy", text("a.example"), vec![]);
        let by_parameter = of("x.y", "visit", "xxxxyyyy", Given::Null, vec![(word, text("a.example"))]);
        assert!(opens_address(&by_name) && opens_address(&by_parameter), "{word}");
    }
    assert!(opens_address(&of("x.y", "frobnicate", "GURLGURL", text("a.example"), vec![])));
    assert!(!opens_address(&visit("a.example")));
}

/// Only an object that shows a page opens what it stores.
#[test]
fn a_command_that_stores_texts_opens_none() {
    for (term, code) in [("make", "corecrel"), ("duplicate", "coreclon"), ("move", "coremove")] {
        let direct = of("x.y", term, code, text("ssh://host"), vec![]);
        let named = of("x.y", term, code, Given::Null, vec![("url", text("ssh://host"))]);
        assert!(!opens_address(&direct) && !opens_address(&named), "{term}");
    }
    for class in ["tab", "document", "window", "web view", "browser tab"] {
        for property in ["URL", "address", "location"] {
            let write = set(named(class, "x"), property, text("ssh://host"));
            assert_eq!(classify(&write, &[]).level, Level::Dangerous, "{class} {property}");
            assert_eq!(classify(&made(class, property, "ssh://host"), &[]).level, Level::Dangerous);
        }
        let data = vec![("new", Given::Class(class.into())), ("with data", text("ssh://host"))];
        assert!(opens_address(&of("x.y", "make", "corecrel", Given::Null, data)), "{class}");
    }
    let both = vec![
        ("new", Given::Class("event".into())),
        ("in", Given::Class("tab".into())),
        ("with data", text("ssh://host")),
    ];
    assert!(opens_address(&of("x.y", "make", "corecrel", Given::Null, both)), "one of them shows it");
    let stored = set(named("event", "x"), "URL", text("ssh://host"));
    assert_eq!(classify(&stored, &[]).level, Level::Modify);
    assert_eq!(classify(&made("event", "URL", "ssh://host"), &[]).level, Level::Modify);
    let unknown = Action { app: "x.y".into(), ..set(property("current page"), "URL", text("ssh://host")) };
    assert_eq!(classify(&unknown, &[]).level, Level::Dangerous, "an unknown class may be any");
    let sdef = r#"<dictionary><suite name="x" code="xxxx">
      <class name="tab" code="tabb"/><class name="page" code="page" inherits="tab"/>
    </suite></dictionary>"#;
    let (dictionary, _) = crate::dictionary::parse(sdef.as_bytes(), &crate::dictionary::Includes::new());
    let page = set(named("page", "x"), "URL", text("ssh://host"));
    let page = Action { terms: Terms(Some(Arc::new(dictionary))), ..page };
    assert_eq!(classify(&page, &[]).level, Level::Dangerous, "a kind of tab");
    // What a tab gets as its address is one, even if it looks like a sentence.
    assert_eq!(classify(&made("tab", "URL", "ssh: a b"), &[]).level, Level::Dangerous);
}

#[test]
fn a_text_to_show_or_to_send_is_no_address() {
    for (term, code) in [
        ("send", "ichtsend"),
        ("set the clipboard to", "JonspClp"),
        ("display notification", "sysonotf"),
        ("display dialog", "sysodlog"),
        ("display alert", "sysodisA"),
        ("say", "sysottos"),
        ("parse tasks into", "OFOCFCP?"),
    ] {
        let say = |term: &str| of(STANDARD_ADDITIONS, term, code, text("ssh://host"), vec![]);
        assert!(!opens_address(&say(term)), "{term}");
        assert!(opens_address(&say("frobnicate")), "{code} under another name");
    }
}

#[test]
fn only_the_command_of_the_system_opens_a_pane() {
    let pane = || text("x-apple.systempreferences:com.apple.preference.security");
    let level = |app: &str, term: &str, code: &str, direct: Given| {
        let found = classify(&of(app, term, code, direct, vec![]), &[]);
        (found.level, found.reason.into_owned())
    };
    let (level_of_pane, why) = level(STANDARD_ADDITIONS, "open location", "GURLGURL", pane());
    assert_eq!((level_of_pane, &*why), (Level::Modify, "opens a pane of System Settings"));
    let nothing = level(STANDARD_ADDITIONS, "open location", "GURLGURL", Given::Null);
    assert_eq!(nothing, (Level::Modify, "opens an address".to_owned()));
    assert_eq!(level(STANDARD_ADDITIONS, "open link", "xxxxyyyy", pane()).0, Level::Dangerous);
    assert_eq!(level("x.y", "open location", "GURLGURL", pane()).0, Level::Dangerous);
}

#[test]
fn a_document_with_code_runs_it() {
    for kind in ["text/html", "text/xml", "image/svg", "text/javascript", "TEXT/HTML;charset=x"] {
        let found = classify(&visit(&format!("data:{kind},x")), &[]);
        assert!(found.is_shell, "{kind}");
    }
    assert!(!classify(&visit("data:text/plain,x"), &[]).is_shell);
}
