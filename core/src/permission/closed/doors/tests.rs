use super::*;
use crate::action::{Creation, Elements, Find, Following, Preview, Seen, Wanted};
use crate::dictionary::Identifier;
use crate::identity::Identity;
use crate::permission::classify::tests::{invocation, listing, record, set};
use crate::permission::closed::tests::Way::{At, By as ByWay, Named, Property};
use crate::permission::closed::tests::{Way, closed, path};
use crate::permission::closed::{Closed, Links, Where};
use crate::permission::touch::tests::column;
use crate::permission::{App, Gate};
use crate::specifier::Member;
use crate::words::TextWindow;
use std::sync::{Arc, Mutex};

const FINDER: &str = "com.apple.finder";
const NOTES: &str = "test.notes";
const HOME: Way = Property("home", "folder");

/// The result of a deed: it is allowed, it leads to a closed place, or its place is unknown.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Said {
    O,
    C,
    U,
}

use Said::{C, O, U};

fn action(app: &str, deed: Deed) -> Action {
    Action { app: app.into(), terms: Terms::default(), deed }
}

fn said(deed: Deed) -> Said {
    match closed().reached_by(&action(FINDER, deed)).map(|hit| hit.why) {
        None => O,
        Some(Why::Closed(_)) => C,
        Some(Why::Unnamed) => U,
        Some(Why::Silent) => panic!("no disk is silent here"),
    }
}

fn home(rest: impl IntoIterator<Item = Way>) -> Path {
    path(std::iter::once(HOME).chain(rest))
}

fn all_written(action: &Action) -> Vec<String> {
    written(action, &action.deed.commands(), &action.deed.changes())
}

fn folder(name: &'static str) -> Given {
    Given::Object(home([Named("folder", name)]))
}

fn first() -> Path {
    home([At("folder")])
}

/// A folder that only the app knows.
fn target(rest: impl IntoIterator<Item = Way>) -> Path {
    path(std::iter::once(Property("target", "folder")).chain(rest))
}

fn member() -> Arc<Member> {
    let identifier = Identifier::of("files").expect("an identifier");
    Arc::new(Member { term: "file".into(), identifier, class: "file".into() })
}

fn text(text: &str) -> Given {
    Given::Text(text.to_owned())
}

fn command(code: &str, direct: Given, parameters: Vec<(&str, Given)>) -> Deed {
    invocation("x", code, direct, parameters).deed
}

fn names(container: Path) -> Deed {
    Deed::Names { container, collection: member(), name: Identifier::of("name").expect("an identifier") }
}

fn elements(container: Path, is_deep: bool, left_out: &[&str]) -> Deed {
    let shut = |name: &&str| Shut { name: (*name).to_owned(), place: "x".to_owned() };
    let closed = vec![left_out.iter().map(shut).collect()];
    Deed::Elements(Box::new(Elements { inner: is_deep.then(member), closed, ..listing(container) }))
}

#[test]
fn a_list_goes_on_into_a_folder_and_a_look_does_not() {
    let find = |container: Path| {
        let identifier = || Identifier::of("x").expect("an identifier");
        let places = vec![(container, member())];
        Deed::Find(Find { places, mark: identifier(), id: identifier(), marks: Vec::new() })
    };
    assert_eq!([names(first()), elements(first(), false, &[]), find(first())].map(said), [C; 3]);
    let every = || target([ByWay("folder", By::Every)]);
    for (closed, container, expected) in
        [(closed(), first(), false), (closed(), home([]), true), (Closed::default(), every(), true)]
    {
        let app = App {
            bundle_id: FINDER.into(),
            name: "Finder".to_owned(),
            version: String::new(),
            counts: None,
            others: Vec::new(),
            dictionary: None,
        };
        let gate = Gate { closed: Arc::new(closed), ..Gate::default() };
        assert_eq!(gate.may_list(&app, &container), expected, "{container}");
    }
    assert_eq!(Closed::default().reached_by(&action(FINDER, names(every()))), None);
    for (path, expected) in [(first(), O), (home([Named("folder", ".cursor")]), C)] {
        for deed in looks(path) {
            assert_eq!(said(deed.clone()), expected, "{deed:?}");
        }
    }
}

/// Every look at one object.
fn looks(path: Path) -> [Deed; 5] {
    let text = TextWindow { offset: 0, limit: 1 };
    let wanted = Wanted { path: path.clone(), identity: Identity::Index, columns: None, named: Vec::new() };
    let Deed::Set(changes) = set(Given::Object(path.clone()), "comment", Given::Null).deed else {
        panic!("a change")
    };
    let look = Preview { subjects: vec![changes[0].subject.clone()], ..Preview::default() };
    let Deed::Command(seen) = command("xxxxyyyy", Given::Null, vec![]) else { panic!("a command") };
    let seen = Invocation {
        seen: vec![Seen { path: path.clone(), looks: Vec::new(), shown: serde_json::Value::Null }],
        ..*seen
    };
    [
        Deed::Look { path: path.clone(), identity: Identity::Index, mark: None, name: None },
        Deed::Value { path, text },
        Deed::Properties { objects: vec![Arc::new(wanted)], sizes: Vec::new(), text },
        Deed::Preview(look),
        Deed::Command(Box::new(seen)),
    ]
}

#[test]
fn a_read_of_everything_needs_all_that_is_closed_left_out() {
    for (deed, expected) in [
        (elements(home([]), false, &[]), O),
        (elements(home([]), true, &[]), C),
        (elements(home([]), true, &["library"]), C),
        (elements(home([]), true, &["x", "y"]), C),
        (elements(home([]), true, &["library", ".cursor"]), O),
        (elements(home([Named("folder", "Documents")]), true, &[]), O),
        (elements(home([Named("folder", "Documents"), At("folder")]), true, &[]), U),
        (elements(home([Named("folder", "Documents"), At("folder")]), false, &[]), O),
        (elements(target([]), true, &[]), U),
    ] {
        assert_eq!(said(deed.clone()), expected, "{deed:?}");
    }
}

#[test]
fn a_column_of_all_contents_reads_everything() {
    for (term, expected) in [("name", O), ("entire contents", C), ("entireContents", C)] {
        let Deed::Elements(list) = elements(home([]), false, &[]) else { panic!("a list") };
        let columns = vec![column(term)];
        assert_eq!(said(Deed::Elements(Box::new(Elements { columns, ..*list }))), expected, "{term}");
    }
}

#[test]
fn what_is_left_out_of_a_list_is_named_once() {
    let place = |name: &str| (Where::InHome(name.to_owned()), "x".to_owned());
    let closed = Closed::new("/Users/Zoë", [place(".config/a"), place(".config/b"), place(".x")]);
    let names = |folder: Path| {
        let left_out = closed.left_out(FINDER, &Terms::default(), &folder);
        left_out.into_iter().map(|shut| shut.name).collect::<Vec<_>>()
    };
    assert_eq!(names(home([])), [".config", ".x"]);
    assert_eq!(names(home([Named("folder", "Documents")])), [""; 0]);
    assert_eq!(names(home([Named("folder", ".config")])), ["a", "b"]);
}

#[test]
fn names_in_a_folder_that_only_the_app_knows() {
    let cursor = || Named("folder", ".cursor");
    for (path, expected) in [
        (target([cursor()]), C),
        (target([cursor(), Property("name", "")]), C),
        (target([cursor(), At("file")]), C),
        (target([Named("folder", "ada"), cursor()]), C),
        (target([Named("folder", ".vscode"), Named("folder", "mcp.json"), Named("file", "x")]), C),
        (target([Named("folder", "x"), Named("file", ".vscode")]), O),
        (target([ByWay("folder", By::Every)]), U),
        (target([]), O),
    ] {
        assert_eq!(said(names(path.clone())), expected, "{path}");
    }
    let documents = |name| {
        home([Named("folder", "Documents"), At("folder"), Named("folder", ".vscode"), Named("file", name)])
    };
    for (path, expected) in [
        (target([ByWay("folder", By::Every)]), O),
        (home([Named("folder", "Documents"), At("folder"), cursor()]), O),
        (documents("mcp.json"), C),
        // A property leads elsewhere, so the names before it say nothing.
        (path([Named("window", ".cursor"), Property("target", "folder"), Named("file", "x")]), O),
        (documents("x"), O),
    ] {
        let text = TextWindow { offset: 0, limit: 1 };
        assert_eq!(said(Deed::Value { path: path.clone(), text }), expected, "{path}");
    }
}

#[test]
fn what_a_command_moves_takes_all_of_it_along() {
    let of = |name: &'static str, term: &'static str| {
        Given::Object(home([Named("folder", name), Property(term, "")]))
    };
    let to = |value: Given| vec![("to", value)];
    let document = |name: &'static str| Given::Object(path([Named("document", name)]));
    let into_home = || vec![("in", Given::Object(home([])))];
    for (deed, expected) in [
        (command(SET, of("hooks", "name"), to(text(".cursor"))), C),
        (command(SET, of("hooks", "name"), to(text("y"))), O),
        (command(SET, of("Library", "name"), to(text("y"))), C),
        (command(SET, of("Library", "comment"), to(text("y"))), O),
        (command("xxxxyyyy", of("Library", "comment"), vec![]), C),
        (command(SAVE, document(".cursor"), into_home()), C),
        (command(SAVE, document("Library"), into_home()), O),
        (command("xxxxyyyy", document(".cursor"), into_home()), O),
        (command("coremove", text("/tmp/.cursor"), to(Given::Object(home([])))), C),
        (command("coremove", text("/tmp/.cursor/"), to(Given::Object(home([])))), C),
        (command("coremove", Given::File("/tmp/.cursor".into()), to(Given::Object(home([])))), C),
        (command("coredelo", text("~/Library"), vec![]), C),
        (command("coredelo", Given::File("~/Library".into()), vec![]), C),
        (command("xxxxyyyy", text("~/Library"), vec![]), O),
        (command("xxxxyyyy", Given::Null, to(Given::File("~".into()))), O),
        (command(MAKE, Given::Null, to(Given::File("~".into()))), C),
        (command("miscmvis", folder("Library"), vec![]), O),
        (command("coredelo", folder("Library"), vec![]), C),
        (command("xxxxyyyy", text("~/.cursor/x"), vec![]), C),
        (command("xxxxyyyy", Given::Null, to(Given::File("~/.cursor/x".into()))), C),
        (command("xxxxyyyy", Given::Null, to(folder(".cursor"))), C),
        (command("xxxxyyyy", Given::Object(home([Named("folder", ".cursor"), At("file")])), vec![]), C),
        (command("xxxxyyyy", Given::Object(first()), vec![]), U),
        (new("folder", "x", vec![("at", Given::Place(Place::After(first())))]), U),
        (set(folder("a"), "x", folder(".cursor")).deed, C),
        (set(folder("a"), "x", folder("b")).deed, O),
    ] {
        assert_eq!(said(deed.clone()), expected, "{deed:?}");
    }
}

#[test]
fn a_command_is_known_by_what_it_does_to_a_folder() {
    let both = |code: &str| {
        [folder("Library"), Given::Object(first())].map(|object| said(command(code, object, vec![])))
    };
    for code in [
        "coregetd", "corecnte", "coredoex", "coredsiz", "DATASORT", "miscmvis", "miscslct", "miscactv",
        "fndrfclu", "fndrfupd", "coreclos", "fndrejct",
    ] {
        assert_eq!(both(code), [O, O], "{code} looks");
    }
    for code in ["aevtodoc", "aevtpdoc", SAVE, SET, MAKE] {
        assert_eq!(both(code), [O, U], "{code} leaves it where it is");
    }
    for code in ["coremove", DUPLICATE, "coredelo", "fndrfera"] {
        assert_eq!(both(code), [C, U], "{code}");
        assert_eq!(said(command(code, text("~/Library"), vec![])), C, "{code} takes it away");
    }
    assert_eq!(both("xxxxyyyy"), [C, U]);
}

#[test]
fn a_property_may_take_a_folder_away() {
    for term in [
        "name",
        "displayed name",
        "path",
        "POSIX path",
        "name extension",
        "locked",
        "owner",
        "group",
        "owner privileges",
        "group privileges",
        "everyones privileges",
    ] {
        assert_eq!(said(set(folder("Library"), term, Given::Null).deed), C, "{term}");
    }
    for term in ["comment", "label index"] {
        assert_eq!(said(set(folder("Library"), term, Given::Null).deed), O, "{term}");
    }
    for term in ["name", "displayed name", "path", "POSIX path"] {
        assert_eq!(said(set(folder("hooks"), term, text(".cursor")).deed), C, "{term}");
    }
}

#[test]
fn the_disk_is_asked_once_about_all_paths() {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let asking = Arc::clone(&asked);
    let links = Links::new(move |paths| {
        asking.lock().unwrap().push(paths.len());
        match paths.iter().find(|path| path.starts_with("/silent")) {
            Some(silent) => Err(silent.clone()),
            None => Ok(paths.to_vec()),
        }
    });
    let closed = closed().with_links(links);
    let why = |paths: &mut dyn Iterator<Item = String>| {
        let paths = paths.map(|path| text(&path)).collect();
        let deed = command("xxxxyyyy", Given::List(paths), vec![]);
        closed.reached_by(&action(FINDER, deed)).map(|hit| (hit.name, hit.why))
    };
    assert_eq!(why(&mut (0..150).map(|number| format!("/open/{number}"))), None);
    assert_eq!(std::mem::take(&mut *asked.lock().unwrap()), [150]);
    assert_eq!(
        why(&mut ["/open".to_owned(), "/silent/a".to_owned()].into_iter()),
        Some(("/silent/a".to_owned(), Why::Silent))
    );
}

#[test]
fn a_field_of_a_record_may_take_a_folder_away() {
    for (term, value, expected) in [
        ("properties", record("name", text("old")), C),
        ("properties", record("comment", text("old")), O),
        ("name extension", text("old"), C),
        ("comment", text("old"), O),
    ] {
        let deed = set(folder("Library"), "x", value).deed;
        let Deed::Set(mut changes) = deed else { panic!("a change") };
        changes[0].subject.slots[0].term = term.to_owned();
        assert_eq!(said(Deed::Set(changes.clone())), expected, "{changes:?}");
    }
    // One of several is enough.
    let field = |term: &str| (Identifier::of(term).expect("an identifier"), text("old"));
    let both = Given::Record(vec![field("comment"), field("name")]);
    assert_eq!(said(set(folder("Library"), "properties", both).deed), C);
    let [Deed::Set(mut one), Deed::Set(mut other)] =
        ["comment", "name"].map(|term| set(folder("Library"), term, text("old")).deed)
    else {
        panic!("changes")
    };
    one[0].subject.slots.append(&mut other[0].subject.slots);
    one[0].values.append(&mut other[0].values);
    assert_eq!(said(Deed::Set(one)), C);
}

fn new(class: &str, name: &str, more: Vec<(&'static str, Given)>) -> Deed {
    let mut parameters =
        vec![("new", Given::Class(class.to_owned())), ("with properties", record("name", text(name)))];
    parameters.extend(more);
    command(MAKE, Given::Null, parameters)
}

/// The place of something new after a deed.
#[test]
fn where_what_is_new_will_stand() {
    let at = |value: Given| vec![("at", value)];
    let place = |place: Place| at(Given::Place(place));
    let p = || home([Named("folder", "p")]);
    let anywhere = &["~/x", "~/Desktop/x", "//x"][..];
    for (app, deed, expected) in [
        (FINDER, new("folder", "x", vec![]), anywhere),
        (FINDER, new("folder", "x", vec![("to", text("~/p"))]), anywhere),
        (FINDER, new("folder", "x", at(Given::Object(home([])))), &["~/x"]),
        (FINDER, new("folder", "x", at(Given::Object(first()))), &[]),
        (FINDER, new("folder", "x", place(Place::Beginning(home([]), member()))), &["~/x"]),
        (FINDER, new("folder", "x", place(Place::End(home([]), member()))), &["~/x"]),
        (FINDER, new("folder", "x", place(Place::Before(p()))), &["~/p/../x"]),
        (FINDER, new("folder", "x", place(Place::After(p()))), &["~/p/../x"]),
        (FINDER, new("folder", "~zoe", at(Given::Object(home([])))), &["~/~zoe"]),
        (FINDER, new("message", "/etc/x", vec![]), &[]),
        (NOTES, new("folder", "x", vec![]), &[]),
        (NOTES, new("folder", "/etc/x", vec![]), &["/etc/x"]),
        (NOTES, new("folder", "~zoe", vec![]), &["~zoe"]),
        (FINDER, command("coremove", folder("a"), vec![("to", text("/tmp/x"))]), &["/tmp/x/a"]),
        (FINDER, command("coremove", folder("a"), vec![("to", Given::File("/tmp/x".into()))]), &["/tmp/x/a"]),
        (FINDER, command("coremove", folder("a"), vec![("to", text("/tmp/.x"))]), &["/tmp/.x/a", "/tmp/.x"]),
        (FINDER, command(SAVE, Given::Null, vec![("in", Given::File("/tmp/x".into()))]), &["/tmp/x"]),
        (FINDER, command("xxxxyyyy", folder("a"), vec![("to", text("/tmp/.x"))]), &[]),
        (FINDER, set(folder("a"), "name", text("b")).deed, &["~/a/../b"]),
        (FINDER, set(folder("a"), "name extension", text(".b")).deed, &["~/a/../a.b", "~/a/../a.b"]),
        (FINDER, set(folder("a"), "comment", text("b")).deed, &[]),
    ] {
        assert_eq!(all_written(&action(app, deed.clone())), expected, "{app} {deed:?}");
    }
    let mut extended = new("folder", "x", vec![]);
    let Deed::Command(invocation) = &mut extended else { panic!("a command") };
    for (term, expected) in [("nameExtension", &["//x", "//x.txt"][..]), ("comment", &["//x"])] {
        let field = |term, value| (Identifier::of(term).expect("an identifier"), text(value));
        invocation.parameters[1].value = Given::Record(vec![field("name", "x"), field(term, "txt")]);
        let found = all_written(&action(FINDER, Deed::Command(invocation.clone())));
        assert!(expected.iter().all(|name| found.contains(&(*name).to_owned())), "{term}: {found:?}");
        assert_eq!(found.len(), 3 * expected.len(), "{term}: {found:?}");
    }
    let Deed::Set(mut changes) = set(Given::Object(first()), "name", text("b")).deed else {
        panic!("a change")
    };
    for (mark, expected) in [("a name", &[][..]), ("/a", &["/a/../b"])] {
        changes[0].expected.mark = Some(mark.to_owned());
        assert_eq!(all_written(&action(FINDER, Deed::Set(changes.clone()))), expected, "{mark}");
    }
    let Deed::Command(judged) = new("folder", "x", at(Given::Object(home([])))) else { panic!("a command") };
    let then = vec![Following { place: String::new(), judged: (*judged).clone(), sent: *judged }];
    let creation = Creation { writes: changes.pop().map(Box::new), then, ..Creation::default() };
    assert_eq!(all_written(&action(FINDER, Deed::Create(Box::new(creation)))), ["~/x", "/a/../b"]);
}
