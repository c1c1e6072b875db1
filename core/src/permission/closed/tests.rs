use std::sync::Arc;

use super::*;
use crate::dictionary::Identifier;
use crate::specifier::Member;
use proptest::prelude::*;

fn closed() -> Closed {
    let state = "/Users/Zoë/Library/Application Support/iac-mcp";
    let places = [
        (Where::At(state.to_owned()), "the state directory".to_owned()),
        (Where::At("/var/folders/x/state".to_owned()), "the state directory".to_owned()),
        (Where::InHome(".cursor".to_owned()), "the configuration of Cursor".to_owned()),
        (Where::Ends(".vscode/mcp.json".to_owned()), "the configuration of VS Code".to_owned()),
    ];
    let leads = [("/tmp/link/policy.toml".to_owned(), format!("{state}/policy.toml"))];
    Closed::new("/Users/Zoë", places).with_leads(leads.into())
}

#[test]
fn however_it_is_spelled_it_is_closed() {
    for spelled in [
        "/Users/Zoë/Library/Application Support/iac-mcp",
        "/Users/Zoë/Library/Application Support/iac-mcp/",
        "/Users/Zoë/Library/Application Support/iac-mcp/policy.toml",
        "/users/zoë/LIBRARY/application support/IAC-MCP/audit/x",
        "/Users/Zoe\u{308}/Library/Application Support/iac-mcp/grants.json",
        "~/Library/Application Support/iac-mcp/policy.toml",
        "~Zoë/Library/Application Support/iac-mcp/policy.toml",
        "~/Documents/../Library//./Application Support/iac-mcp/policy.toml",
        "/../Users/Zoë/Library/Application Support/iac-mcp/policy.toml",
        "file:///Users/Zo%C3%AB/Library/Application%20Support/iac-mcp/policy.toml",
        "FILE://localhost/Users/Zo%C3%AB/Library/Application%20Support/iac-mcp/policy.toml?x#y",
        "file:/Users/Zoë/Library/Application Support/iac-mcp/policy.toml",
        "Macintosh HD:Users:Zoë:Library:Application Support:iac-mcp:policy.toml",
        "/System/Volumes/Data/Users/Zoë/Library/Application Support/iac-mcp/policy.toml",
        "/Volumes/Macintosh HD/Users/Zoë/Library/Application Support/iac-mcp/policy.toml",
        "/.nofollow/Users/Zoë/Library/Application Support/iac-mcp/policy.toml",
        "/.resolve/1/Users/Zoë/Library/Application Support/iac-mcp/policy.toml",
        "/.vol/16777220/4711",
        "/private/var/folders/x/state/policy.toml",
        "/var/folders/x/state/policy.toml",
        " /var/folders/x/state ",
        "/tmp/link/policy.toml",
        "~/.cursor/mcp.json",
        "/Users/somebody/.Cursor/mcp.json",
        "/Volumes/work/project/.vscode/mcp.json",
    ] {
        assert!(closed().holds(spelled).is_some(), "{spelled}");
    }
}

#[test]
fn everything_else_is_open() {
    for spelled in [
        "/Users/Zoë/Library/Application Support/iac-mcp-notes/policy.toml",
        "/Users/Zoë/Library/Application Support",
        "/Users/Zoë/Library/Application Support/iac-mcp/../other",
        "/var/folders/x/stately",
        "/Users/Zoë/cursor/mcp.json",
        "/Users/Zoë/Desktop/.cursor",
        "policy.toml",
        "Meeting: what about 5% of it?",
        "file:",
        "",
        "~",
        "https://example.org/Users/Zoë/.cursor",
    ] {
        assert_eq!(closed().holds(spelled), None, "{spelled}");
    }
    assert!(Closed::default().is_empty() && !closed().is_empty());
}

#[test]
fn without_a_known_home_anybodys_counts() {
    let places = [(Where::InHome(".cursor".to_owned()), "x".to_owned())];
    let closed = Closed::new("", places);
    assert!(closed.holds("~/.cursor/mcp.json").is_some() && closed.holds("/home/ada/.cursor").is_some());
}

/// A way of names, the outermost first: a class and a name, or a property.
fn way(steps: &[(&str, &str)]) -> Path {
    let member = |term: &str, class: &str| {
        let identifier = Identifier::of("items").expect("an identifier");
        Arc::new(Member { term: term.into(), identifier, class: class.into() })
    };
    steps.iter().fold(Path::application(), |path, (class, name)| match *class {
        "property" => path.then(Segment::Property(member(name, "folder"))),
        class => path.then(Segment::Element(member(class, class), By::Name((*name).into()))),
    })
}

#[test]
fn objects_that_are_files_are_read_along_their_way() {
    let library = [("folder", "Library"), ("folder", "Application Support"), ("folder", "iac-mcp")];
    let from = |start: &[(&str, &str)], end: &[(&str, &str)]| {
        let mut found = Vec::new();
        of_path(&way(&[start, &library, end].concat()), &mut found);
        found.iter().any(|name| closed().holds(name).is_some())
    };
    assert!(from(&[("property", "home")], &[("file", "policy.toml")]));
    assert!(from(&[("property", "startup disk"), ("folder", "Users"), ("folder", "zoë")], &[]));
    assert!(from(&[("disk", "Macintosh HD"), ("folder", "Users"), ("folder", "Zoë")], &[]));
    assert!(!from(&[("property", "desktop")], &[]));
    let mut found = Vec::new();
    of_path(&way(&[("disk item", "~/.cursor/mcp.json")]), &mut found);
    of_path(&way(&[("mailbox", "/var/folders/x/state")]), &mut found);
    assert!(found.iter().any(|name| closed().holds(name).is_some()));
    assert!(!found.contains(&"/var/folders/x/state".to_owned()), "a mailbox is no file");
}

#[test]
fn values_are_looked_at_wherever_they_stand() {
    let text = |text: &str| Given::Text(text.to_owned());
    let key = Identifier::of("name").expect("an identifier");
    let nested = Given::List(vec![Given::Record(vec![(key, Given::List(vec![text("/x"), text("/y")]))])]);
    let mut found = Vec::new();
    of_value(&nested, &mut found);
    of_value(&Given::Place(Place::After(way(&[("folder", "z")]))), &mut found);
    assert_eq!(found[..3], ["/x", "/y", "z"]);
}

proptest! {
    #[test]
    fn no_text_is_too_odd(text in ".{0,60}") {
        closed().holds(&text);
        closed().holds(&format!("file:{text}"));
        closed().holds(&format!("~{text}"));
    }

    #[test]
    fn detours_do_not_help(parts in prop::collection::vec("[a-z]{1,4}|\\.", 0..4), up in 0_usize..3) {
        let detour: String = parts.iter().filter(|part| *part != ".").map(|part| format!("{part}/../")).collect();
        let path = format!("/{}{detour}var/{}folders/x/state/f", "../".repeat(up), "./".repeat(parts.len()));
        prop_assert!(closed().holds(&path).is_some(), "{}", path);
    }
}
