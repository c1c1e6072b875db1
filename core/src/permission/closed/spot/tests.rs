use std::sync::Arc;

use super::*;
use crate::dictionary::{Identifier, Includes, parse};
use crate::permission::closed::tests::Way::{self, At, Named, Property};
use crate::permission::closed::tests::path;
use crate::specifier::Mark;

const APP: &str = r#"<dictionary><suite name="App" code="appl">
  <class name="application" code="capp">
    <property name="pick" code="pick" type="specifier"/><property name="title" code="titl" type="text"/>
    <property name="open" code="open"><type type="text"/><type type="specifier"/></property>
  </class>
  <class name="leaf" code="ditm"/>
  <class name="sheet" code="shee"><property name="POSIX path" code="posx" type="text"/></class>
  <class name="file" code="file"/>
  <class name="paper" code="pape" inherits="file"/>
  <class name="note" code="note"><property name="name" code="pnam" type="text"/></class>
</suite></dictionary>"#;
const OTHER: &str = "test.app";

fn terms() -> Terms {
    Terms(Some(Arc::new(parse(APP.as_bytes(), &Includes::new()).0)))
}

#[test]
fn a_class_of_files_is_known_by_its_name_and_by_codes() {
    for (app, class, expected) in [
        (FINDER, "file", Kind::Yes),
        (FINDER, "Folder", Kind::Yes),
        (FINDER, "note", Kind::No),
        (OTHER, "file", Kind::Perhaps),
        (OTHER, "folder", Kind::Perhaps),
        (OTHER, "paper", Kind::Perhaps),
        (OTHER, "leaf", Kind::Yes),
        (OTHER, "sheet", Kind::Yes),
        (OTHER, "note", Kind::No),
        (FINDER, "paper", Kind::Yes),
    ] {
        assert_eq!(is_file(app, &terms(), class), expected, "{app} {class}");
    }
    for class in [
        "alias",
        "alias file",
        "application file",
        "audio file",
        "clipping",
        "container",
        "disk",
        "disk item",
        "document file",
        "domain",
        "file",
        "file package",
        "folder",
        "internet location file",
        "item",
        "movie file",
        "package",
        "property list file",
        "XML file",
    ] {
        assert_eq!(is_file(SYSTEM_EVENTS, &Terms::default(), class), Kind::Yes, "{class}");
    }
}

fn found(app: &str, ways: Vec<Way>) -> Found {
    spot(app, &terms(), &path(ways))
}

fn names(all: &[&str]) -> Spot {
    Spot::Named(all.iter().map(|name| (*name).to_owned()).collect())
}

fn below(all: &[&str]) -> Spot {
    Spot::Below(all.iter().map(|name| (*name).to_owned()).collect())
}

const HOME: Way = Property("home", "folder");

#[test]
fn where_an_object_stands() {
    let up = || Property("container", "container");
    for (app, ways, expected) in [
        (FINDER, vec![HOME], names(&["~"])),
        (FINDER, vec![HOME, up()], names(&["~/.."])),
        (FINDER, vec![HOME, At("folder")], below(&["~"])),
        (FINDER, vec![HOME, At("folder"), up()], below(&["~", "~/.."])),
        (FINDER, vec![HOME, At("folder"), Property("x", "folder")], Spot::Anywhere),
        (FINDER, vec![HOME, Property("size", "")], names(&["~"])),
        (FINDER, vec![At("disk")], names(&["/"])),
        (FINDER, vec![Named("disk", "USB")], names(&["/Volumes/USB"])),
        (FINDER, vec![Named("folder", "x")], names(&["~/x", "~/Desktop/x", "//x"])),
        // In a folder it is a file; without one, an app may expand it to a home folder.
        (FINDER, vec![HOME, Named("file", "~ada")], names(&["~/~ada"])),
        (FINDER, vec![Named("file", "~ada")], names(&["~/~ada", "~/Desktop/~ada", "//~ada", "~ada"])),
        (FINDER, vec![Named("file", "~$a.xlsx")], names(&["~/~$a.xlsx", "~/Desktop/~$a.xlsx", "//~$a.xlsx"])),
        // Below a folder without a name only a path tells where the file is.
        (FINDER, vec![HOME, At("folder"), Named("file", "/etc/x")], names(&["/etc/x"])),
        (FINDER, vec![HOME, At("folder"), Named("file", "~ada")], below(&["~"])),
        (FINDER, vec![HOME, Named("file", "~")], names(&["~/~", "~"])),
        (FINDER, vec![At("note")], Spot::Elsewhere),
        (FINDER, vec![Property("pick", "")], Spot::Anywhere),
        (FINDER, vec![Property("open", "")], Spot::Anywhere),
        (FINDER, vec![Property("title", "")], Spot::Elsewhere),
        (FINDER, vec![Property("x", "note")], Spot::Elsewhere),
        (OTHER, vec![Property("pick", "")], Spot::Elsewhere),
        (OTHER, vec![Property("x", "leaf")], Spot::Anywhere),
        (OTHER, vec![HOME], Spot::Elsewhere),
        (OTHER, vec![Property("home", "leaf")], names(&["~"])),
        (OTHER, vec![Property("home", "leaf"), Property("desktop", "")], names(&["~/Desktop"])),
        // A folder of notes has a name, too, but a path is still a file.
        (OTHER, vec![Named("folder", "Ideas")], Spot::Elsewhere),
        (OTHER, vec![Named("folder", "/etc")], names(&["/etc"])),
        (OTHER, vec![Named("folder", "~zoe")], names(&["~zoe"])),
        (OTHER, vec![Named("leaf", "x")], names(&["~/x", "~/Desktop/x", "//x"])),
    ] {
        let shown = path(ways.iter().map(|way| match way {
            Named(a, b) => Named(a, b),
            At(a) => At(a),
            Property(a, b) => Property(a, b),
            Way::By(..) => unreachable!("none here"),
        }));
        assert_eq!(found(app, ways).spot, expected, "{app} {shown}");
    }
    let goes_on = |ways: Vec<Way>| found(FINDER, ways).goes_on;
    assert!(!goes_on(vec![HOME, At("folder")]));
    assert!(goes_on(vec![HOME, At("folder"), At("file")]));
    assert!(goes_on(vec![Property("x", "folder"), At("file")]));
    assert!(goes_on(vec![HOME, Property("entire contents", "")]));
    assert!(goes_on(vec![HOME, At("folder"), Named("folder", "/a"), At("file")]), "the first folder is read");
}

#[test]
fn where_a_folder_of_the_system_is() {
    for (term, first) in [
        ("home folder", "~"),
        ("home directory", "~"),
        ("startup disk", "/"),
        ("boot volume", "/"),
        ("computer container", "/Volumes"),
        ("trash", "~/.Trash"),
        ("desktop folder", "~/Desktop"),
        ("documents folder", "~/Documents"),
        ("downloads folder", "~/Downloads"),
        ("movies folder", "~/Movies"),
        ("music folder", "~/Music"),
        ("pictures folder", "~/Pictures"),
        ("public folder", "~/Public"),
        ("sites folder", "~/Sites"),
        ("shared documents folder", "/Users/Shared"),
        ("applications folder", "/Applications"),
        ("utilities folder", "/Applications/Utilities"),
        ("library folder", "~/Library"),
        ("application support folder", "~/Library/Application Support"),
        ("preferences folder", "~/Library/Preferences"),
        ("favorites folder", "~/Library/Favorites"),
        ("fonts folder", "~/Library/Fonts"),
        ("scripts folder", "~/Library/Scripts"),
        ("folder action scripts folder", "~/Library/Scripts/Folder Action Scripts"),
        ("scripting additions folder", "~/Library/ScriptingAdditions"),
        ("workflows folder", "~/Library/Workflows"),
        ("desktop pictures folder", "~/Library/Desktop Pictures"),
    ] {
        let base = base(&key(term)).unwrap_or_default();
        assert_eq!(base.first().map(String::as_str), Some(first), "{term}");
    }
    for (term, whole) in [
        ("applicationsfolder", ["/Applications", "~/Applications"]),
        ("scriptsfolder", ["~/Library/Scripts", "/Library/Scripts"]),
    ] {
        assert_eq!(base(term).unwrap_or_default(), whole);
    }
}

#[test]
fn the_last_name_of_a_path_is_no_empty_one() {
    for (path, expected) in [("/a/b/", Some("b")), ("x:a:b:", Some("b")), ("b", Some("b")), ("/", None)] {
        assert_eq!(last(path), expected, "{path}");
    }
}

#[test]
fn an_id_and_a_mark_may_tell_a_path() {
    let by = |by: By| found(FINDER, vec![HOME, Way::By("file", by)]).spot;
    let id = |text: &str| by(By::Id(Id::Text(text.to_owned())));
    let marked = |property: &str, value: &str| {
        let property = Identifier::of(property).expect("an identifier");
        by(By::Place(0, Arc::new(Mark { property, value: value.to_owned() })))
    };
    let file = names(&["~//etc/x", "~/:etc:x", "/etc/x"]);
    assert_eq!(id("/etc/x"), file);
    assert_eq!(id("x7"), below(&["~"]));
    for property in ["name", "url", "posixPath", "path"] {
        assert_eq!(marked(property, "file:///etc/x"), file, "{property}");
    }
    assert_eq!(marked("size", "/etc/x"), below(&["~"]));
    assert_eq!(marked("url", "file:///.file/id=1.2"), below(&["~"]));
    assert_eq!(told("/.vol/1/2"), None, "a number");
    assert_eq!(told(".vol").as_deref(), Some(".vol"), "a name that is no path");
    assert_eq!(told(&"x".repeat(CUT)), None, "it may be cut");
    assert_eq!(told(&"x".repeat(CUT - 1)), Some("x".repeat(CUT - 1)));
}
