use std::collections::BTreeSet;
use std::sync::Arc;

use super::spelled::relative;
use super::*;
use crate::dictionary::Identifier;
use crate::specifier::{By, Member, Path, Segment};
use proptest::prelude::*;

pub(super) fn closed() -> Closed {
    let state = "/Users/Zoë/Library/Application Support/iac-mcp";
    let places = [
        (Where::At(state.to_owned()), "the state directory".to_owned()),
        (Where::At("/var/folders/x/state".to_owned()), "the state directory".to_owned()),
        (Where::InHome(".cursor".to_owned()), "the configuration of Cursor".to_owned()),
        (Where::Ends(".vscode/mcp.json".to_owned()), "the configuration of VS Code".to_owned()),
    ];
    Closed::new("/Users/Zoë", places).with_links(link("/tmp/link", state))
}

/// The only link of a disk.
pub(in crate::permission) fn link(at: &str, to: &str) -> Links {
    let (at, to) = (at.to_owned(), to.to_owned());
    let behind = move |path: &String| match path.strip_prefix(&at) {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("{to}{rest}"),
        _ => path.clone(),
    };
    Links::new(move |paths| Ok(paths.iter().map(&behind).collect()))
}

#[test]
fn a_link_is_followed_from_every_spelling_of_its_path() {
    for path in [
        "/tmp/link", "/tmp/link/", "/tmp/x/../link/a", "file:///tmp/link/a", "disk:tmp:link:a",
        "/tmp//./link",
    ] {
        assert!(closed().holds(path).is_some(), "{path}");
    }
    assert_eq!(
        [closed().holds("/tmp"), closed().holds("/tmp/linked"), closed().holds("/tmp/link/..")],
        [None; 3]
    );
    assert_eq!(closed().place("~/.cursor/x"), Some("the configuration of Cursor"));
    assert_eq!(closed().place("~_guest/.cursor"), Some("the configuration of Cursor"));
    assert_eq!(closed().place("~/cursor"), None);
    let above = closed().with_links(link("/tmp/link", "/Users/Zoë/Library"));
    assert!(above.holds_up("/tmp/link").is_some() && above.holds("/tmp/link").is_none());
    assert!(above.holds("/tmp/link/Application Support/iac-mcp").is_some());
    // What no one can check is closed.
    let silent = closed().with_links(Links::new(|paths| Err(paths.concat())));
    assert_eq!(
        [silent.holds("/x"), silent.holds_up("/x"), silent.holds("x")],
        [Some(UNKNOWN), Some(UNKNOWN), None]
    );
}

#[test]
fn only_a_link_needs_a_second_pass() {
    // As the shell answers: links first, then `..` and slashes.
    let behind = |path: &String| straight(&path.replace("/tmp/link", "/srv/real"));
    let closed = closed().with_links(Links::new(move |paths| Ok(paths.iter().map(behind).collect())));
    for (name, expected) in
        [("/tmp/a", 1), ("/tmp//a/", 1), ("/tmp/b/../a", 1), ("/tmp/link", 2), ("/tmp/link/..", 2)]
    {
        let passes = std::cell::Cell::new(0);
        let check = |closed: &Closed| {
            passes.set(passes.get() + 1);
            closed.holds(name).map(str::to_owned)
        };
        assert_eq!(closed.at_once(check), Ok(None), "{name}");
        assert_eq!(passes.get(), expected, "{name}");
    }
}

#[test]
fn a_path_is_read_without_what_only_names_the_disk() {
    for (path, expected) in [
        ("/System/Volumes", 1),
        ("/System/Volumes/Data", 2),
        ("/Volumes", 1),
        ("/Volumes/USB", 2),
        ("/.resolve", 1),
        ("/.resolve/1/x", 2),
        ("/private/x", 1),
    ] {
        assert_eq!(parts(path).len(), expected, "{path}");
    }
    assert_eq!([folded("a\u{1}B."), folded("..."), folded(" ")], ["ab", "...", " "]);
    assert_eq!(Closed::folded("Ab."), "ab");
    assert_eq!(from_url("fi\u{1}le:///a%20b").as_deref(), Some("/a b"));
    for (name, expected) in
        [("", ""), (":", ""), ("a", "a"), ("a:", "a"), (":a", "../a"), ("a:b:", "a/b"), ("a::b", "a/../b")]
    {
        assert_eq!(relative(name), expected, "{name}");
    }
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
        "/tmp/link/policy.toml/..namedfork/data",
        "/.file/id=6571367.4711",
        "file:///.file/id=6571367.4711/",
        "fi\tle:///Users/somebody/.cursor",
        "/Users/somebody/.cur\u{17f}or",
        "/Users/somebody/.cur\u{200c}sor/mcp.json",
        "/Users/somebody/.cursor./mcp.json",
        "/Users/somebody/.cursor/..\u{200c}/..\u{200d}/mcp.json",
        "Macintosh HD:Users:somebody:Desktop::.cursor:mcp.json",
        "Macintosh HD:Users:somebody:.cursor:a/b",
        "Macintosh HD:Users:somebody:.cursor:x/../../..",
        "/System/Volumes/Data/Volumes/Macintosh HD/private/var/folders/x/state",
        "/Volumes/USB/Users/somebody/.cursor",
        "/var/root/.cursor",
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
    let nothing = Closed::new("", [(Where::Ends(String::new()), "x".to_owned())]);
    assert_eq!(nothing.holds("/x"), None, "an end without a name is none");
    assert_eq!(nothing.along(&[Some("x"), Some("y")], true), None);
}

#[test]
fn what_lies_around_a_closed_place_is_known() {
    for around in
        ["/", "~", "/Users", "/Users/somebody", "~/Library", "~/library/Application support", "/var/folders"]
    {
        assert!(closed().holds_up(around).is_some(), "{around}");
    }
    for other in [
        "~/Documents",
        "~/.cursor-notes",
        "/Users/Zoë/Library/Caches",
        "/Applications",
        "/var/folders/y",
        "x",
    ] {
        assert_eq!(closed().holds_up(other), None, "{other}");
    }
    assert!(closed().holds_up("/Volumes/work/project/.vscode").is_some());
}

fn in_home(home: &str) -> Closed {
    Closed::new(home, [(Where::InHome(".cursor".to_owned()), "x".to_owned())])
}

#[test]
fn without_a_known_home_anybodys_counts() {
    let closed = in_home("");
    assert!(closed.holds("~/.cursor/mcp.json").is_some() && closed.holds("/home/ada/.cursor").is_some());
    for elsewhere in ["/.cursor", "/Applications/x/.cursor", "/var/x/.cursor", "/opt/root/.cursor"] {
        assert_eq!(closed.holds(elsewhere), None, "{elsewhere}");
    }
}

#[test]
fn a_home_may_be_anywhere() {
    let closed = in_home("/srv/people/ada");
    for (name, is_in, is_around) in [
        ("/srv/people/ada/.cursor", true, true),
        ("/srv/people/ada", false, true),
        ("/srv/people", false, true),
        ("/home", false, true),
        ("/Users", false, true),
        ("/var", false, true),
        ("/private/var", false, true),
        ("/private", false, true),
        ("/System", false, true),
        ("/System/Volumes", false, true),
        ("/Volumes", false, true),
        ("/", false, true),
        ("/opt", false, false),
        ("/srv/people/eve", false, false),
        ("/srv/people/ada/x", false, false),
    ] {
        assert_eq!(closed.holds(name).is_some(), is_in, "{name}");
        assert_eq!(closed.holds_up(name).is_some(), is_around, "{name}");
    }
}

#[test]
fn what_stands_right_below_a_folder_is_left_out() {
    let below = |closed: &Closed, folder: &str| {
        let shut = closed.right_below(&plain(folder))?;
        Some(shut.into_iter().map(|shut| shut.name).collect::<BTreeSet<_>>())
    };
    let names = |names: &[&str]| Some(names.iter().map(|name| (*name).to_owned()).collect());
    for (folder, expected) in [
        ("/Users/Zoë", names(&["library", ".cursor"])),
        ("/Users/Zoë/Library", names(&["application support"])),
        ("/Users/somebody", names(&[".cursor"])),
        ("/Users/somebody/Documents", names(&[])),
        ("/var/folders", names(&["x"])),
        ("/Volumes/work/project/.vscode", names(&["mcp.json"])),
        ("/Applications", names(&[])),
        // The closed place is in every home folder, and which home folders exist is unknown.
        ("/Users", None),
        ("/var", None),
        ("/", None),
    ] {
        assert_eq!(below(&closed(), folder), expected, "{folder}");
    }
}

#[test]
fn names_in_an_unknown_folder_may_lead_into_a_closed_place() {
    let along = |names: &[Option<&str>]| closed().along(names, true).is_some();
    for names in [
        &[Some(".cursor"), Some("mcp.json")][..],
        &[Some("Application Support"), Some("IAC-MCP")],
        &[Some("Application Support"), None],
        &[None, None],
        &[Some("ada"), Some(".cursor")],
        &[Some("a"), None, Some(".vscode"), Some("mcp.json")],
    ] {
        assert!(along(names), "{names:?}");
    }
    for names in [
        &[Some("Library")][..],
        &[Some("Application Support"), Some("x")],
        &[Some("y"), None],
        &[Some("y"), Some("x"), Some("state")],
        &[Some("y"), Some(".vscode")],
    ] {
        assert!(!along(names), "{names:?}");
    }
    for (name, expected) in [(".cursor", false), (".vscode", true)] {
        let names = [Some("Documents"), None, Some(name), Some("mcp.json")];
        assert_eq!(closed().along(&names, false).is_some(), expected, "in no home: {name}");
    }
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

/// One step of a path.
pub(in crate::permission) enum Way {
    Named(&'static str, &'static str),
    At(&'static str),
    By(&'static str, By),
    /// A property, and the class that it holds.
    Property(&'static str, &'static str),
}

pub(in crate::permission) fn path(ways: impl IntoIterator<Item = Way>) -> Path {
    let member = |term: &str, class: &str| {
        let identifier = Identifier::of("x").expect("an identifier");
        Arc::new(Member { term: term.into(), identifier, class: class.into() })
    };
    let step = |way| match way {
        Way::Named(class, name) => Segment::Element(member(class, class), By::Name(name.into())),
        Way::At(class) => Segment::Element(member(class, class), By::Index(0)),
        Way::By(class, by) => Segment::Element(member(class, class), by),
        Way::Property(term, class) => Segment::Property(member(term, class)),
    };
    ways.into_iter().map(step).fold(Path::application(), |path, step| path.then(step))
}

proptest! {
    #[test]
    fn a_name_is_folded_the_same_way_with_and_without_tables(name in "[ -~é\u{17f}.]{0,8}") {
        prop_assert_eq!(Closed::folded(&name), folded(&name));
    }
}
