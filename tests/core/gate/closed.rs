//! Closed files, under any name and through any command, with a policy that allows everything.

use iac_core::Millis;
use iac_core::action::{Action, Deed};
use iac_core::change::{Change, Expected, Slot, Subject};
use iac_core::dictionary::{Identifier, Includes};
use iac_core::marshal::Given;
use iac_core::permission::{Closed, Decision, Links, Where, decide};
use iac_core::specifier::Specifier;
use proptest::prelude::*;
use serde_json::{Value as Json, json};

use super::session::{Session, apps_with};

const FINDER: &str = include_str!(
    "../../../fixtures/mac/System/Library/CoreServices/Finder.app/Contents/Resources/Finder.sdef"
);
const SYSTEM_EVENTS: &str = include_str!(
    "../../../fixtures/mac/System/Library/CoreServices/System Events.app/Contents/Resources/SystemEvents.sdef"
);
const STANDARD: &str =
    include_str!("../../../fixtures/mac/System/Library/ScriptingDefinitions/CocoaStandard.sdef");
const FOLDER_ACTIONS: &str = include_str!(
    "../../../fixtures/mac/System/Library/PrivateFrameworks/FolderActionsKit.framework/Versions/A/Resources/FolderActions.sdef"
);
const STATE: &str = "/Users/alex/Library/Application Support/iac-mcp";

/// An app that is not running, so that the objects at positions cannot be looked up.
const SILENT: &str = "globalThis.writes = []; globalThis.events = 0;
globalThis.Application = () => { events += 1; throw Object.assign(new Error('silent'), { errorNumber: -600 }); };";

/// An app in which every folder has files with these names; `sent` keeps the commands.
const LISTING: &str = r#"globalThis.sent = [];
const NAMES = ["Desktop", ".codex", "notes.txt"];
const node = (way, at) => new Proxy(() => {}, {
  get: (_, property) => {
    if (property === "at") return i => node(way + ".at(" + i + ")", i);
    if (property === "byName") return name => node(way + ".byName(" + name + ")");
    if (property === "length") return NAMES.length;
    return typeof property === "symbol" ? undefined : node(way + "." + property, at);
  },
  apply: () => way.endsWith(".name") ? (at === undefined ? NAMES : NAMES[at]) : null,
});
globalThis.Automation = { getDisplayString: x => "Application()" };
globalThis.Application = () => new Proxy({}, {
  get: (_, property) => property === "running" ? () => true
    : ["delete", "move", "duplicate", "open"].includes(property) ? (...all) => { sent.push(property); return null; } : node("." + String(property)),
});"#;

fn session(app: &str) -> Session {
    session_with(app, SILENT)
}

fn session_with(app: &str, code: &str) -> Session {
    let (id, sdef) = match app {
        "Finder" => ("com.apple.finder", FINDER),
        _ => ("com.apple.systemevents", SYSTEM_EVENTS),
    };
    let framework = "file:///System/Library/PrivateFrameworks/FolderActionsKit.framework/Versions/A/Resources/FolderActions.sdef";
    let includes = Includes::from([
        (
            "file:///System/Library/ScriptingDefinitions/CocoaStandard.sdef".to_owned(),
            STANDARD.as_bytes().to_vec(),
        ),
        (framework.to_owned(), FOLDER_ACTIONS.as_bytes().to_vec()),
    ]);
    let mut session =
        Session::with(apps_with(id, app, sdef, &includes), code, "profile = \"trusted\"", &json!({}));
    let home =
        [".cursor", ".claude", ".claude.json", ".codex", ".config/zed", "Library/Application Support/Claude"];
    let ends = [".mcp.json", ".claude/settings.json", ".vscode/mcp.json"];
    let places = std::iter::once(Where::At(STATE.to_owned()))
        .chain(home.map(|path| Where::InHome(path.to_owned())))
        .chain(ends.map(|path| Where::Ends(path.to_owned())));
    // The only link of this disk.
    let behind = |path: &String| match path.strip_prefix("/x/link").filter(|rest| !rest.starts_with('e')) {
        Some(rest) => format!("{STATE}{rest}"),
        None => path.clone(),
    };
    let links = Links::new(move |paths| Ok(paths.iter().map(behind).collect()));
    let closed = Closed::new("/Users/alex", places.map(|place| (place, "a client".to_owned())));
    session.gate.closed = closed.with_links(links).into();
    session
}

/// The result of a call.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Said {
    /// The path leads to a closed place or to a folder around it.
    Closed,
    /// The gate cannot tell which file is meant.
    Unnamed,
    /// The gate allows it.
    Open,
}

use Said::{Closed as C, Open as O, Unnamed as U};

fn said(app: &str, call: &Json) -> (Said, String) {
    let mut session = session(app);
    let body = match call.get("set") {
        Some(_) => match decide(change(&session, call), app, &session.gate, Millis(0)) {
            Decision::Deny(refusal) => refusal.fault.to_json(),
            _ => json!({}),
        },
        None => {
            let mut call = call.clone();
            let tool = call["tool"].as_str().unwrap_or("iac_mcp_run_command").to_owned();
            call.as_object_mut().expect("an object").remove("tool");
            call["app"] = json!(app);
            session.call(&tool, &call).body
        }
    };
    let text = body.to_string();
    let said = match (body["error"].as_str(), body["message"].as_str().unwrap_or_default()) {
        (Some("permission_denied"), message) if message.contains("may be any file") => U,
        (Some("app_not_running"), message) if message.contains("the user cannot see") => U,
        (Some("permission_denied"), message) if message.contains("leads to") => C,
        (None | Some("unavailable" | "app_not_running"), _) => O,
        _ => panic!("{app} {call}: {text}"),
    };
    // The gate looks up the object at the position before it decides anything.
    assert!(said != C || session.ask("events") == json!(0), "{call}: something ran");
    (said, text)
}

fn check(app: &str, expected: Said, calls: &[Json]) {
    for call in calls {
        let (said, text) = said(app, call);
        // An app that is not running cannot say which object is at a position, so even a harmless one is refused.
        let said = if expected == O && text.contains("the user cannot see") { O } else { said };
        assert_eq!(said, expected, "{app} {call}: {text}");
    }
}

fn home() -> Json {
    json!({ "type": "property", "property": "home", "of": "application" })
}

fn named(class: &str, name: &str, of: &Json) -> Json {
    json!({ "type": "named", "element": class, "name": name, "container": of })
}

fn at(class: &str, index: u32, of: &Json) -> Json {
    json!({ "type": "element", "element": class, "index": index, "container": of })
}

fn property(property: &str, of: &Json) -> Json {
    json!({ "type": "property", "property": property, "of": of })
}

/// A file or folder by its path from the home folder.
fn file(way: &str) -> Json {
    match way.rsplit_once('/') {
        Some((folders, name)) => named("item", name, &folder(folders)),
        None => named("item", way, &home()),
    }
}

fn folder(way: &str) -> Json {
    way.split('/').fold(home(), |of, name| named("folder", name, &of))
}

fn run(command: &str, target: Json, arguments: Json) -> Json {
    json!({ "command": command, "target": target, "arguments": arguments })
}

fn make(class: &str, at: Json, properties: Json) -> Json {
    json!({ "command": "make", "arguments": { "new": class, "at": at, "with properties": properties } })
}

fn elements(of: Json) -> Json {
    json!({ "tool": "iac_mcp_get_elements", "container": of, "elementType": "item" })
}

fn query(specifier: Json) -> Json {
    json!({ "tool": "iac_mcp_query_object", "specifier": specifier })
}

/// Sets a property of an object to a text, as the last step of a call: earlier lookups are left out.
fn set(what: &Json, property: &str, value: &str) -> Json {
    json!({ "set": what, "property": property, "value": value })
}

/// The same for an object whose reference has a mark.
fn marked(what: &Json, mark: &str, property: &str, value: &str) -> Json {
    json!({ "set": what, "property": property, "value": value, "mark": mark })
}

fn rename(what: Json, name: &str) -> Json {
    set(&what, "name", name)
}

fn change(session: &Session, call: &Json) -> Action {
    let app = session.app();
    let dictionary = app.dictionary.as_ref().expect("a dictionary");
    let specifier = Specifier::parse(&call["set"], "specifier").expect("a specifier");
    let path = specifier.resolve(dictionary, &mut |id| panic!("{id}")).expect("an object").path;
    let term = call["property"].as_str().expect("a property");
    let property = dictionary.property(path.class(), term).unwrap_or_else(|| panic!("{call}"));
    let of = |term: &str| Identifier::of(term).expect("an identifier");
    let text = Given::Text(call["value"].as_str().expect("a text").to_owned());
    let value = if term == "properties" { Given::Record(vec![(of("name"), text)]) } else { text };
    let slot = Slot {
        term: term.to_owned(),
        identifier: of(&property.name),
        kind: property.kind.clone(),
        numbers: &[],
        is_interval: false,
        readable: true,
        writable: true,
    };
    let (slots, (labels, facts, looks)) = (vec![slot], Default::default());
    let subject =
        Subject { path, mark: None, name: None, labels, facts, slots, home: None, span: None, looks };
    let expected = Expected { mark: call["mark"].as_str().map(str::to_owned), ..Expected::default() };
    let change = Change { subject, expected, values: vec![value], loses: None, save: None };
    Action::of(app, Deed::Set(vec![change]))
}

#[test]
fn what_a_copy_is_renamed_to_is_judged_with_it() {
    let copy = |arguments: Json, name: &str| {
        let then = json!([{ "properties": { "name": name } }]);
        json!({ "command": "duplicate", "target": file("p/x.json"), "arguments": arguments, "then": then })
    };
    let path = json!({ "command": "duplicate", "target": "~/x.json", "then": [{ "properties": { "name": ".claude.json" } }] });
    let closed = [copy(json!({}), ".mcp.json"), copy(json!({ "to": home() }), ".claude.json"), path];
    check("Finder", C, &closed);
    check("Finder", O, &[copy(json!({}), "y.json"), copy(json!({ "to": home() }), "y.json")]);
}

#[test]
fn what_stands_at_a_place_is_judged_by_its_name() {
    for command in ["delete", "open", "duplicate"] {
        for (index, is_closed) in [(0, false), (1, true), (2, false)] {
            let mut session = session_with("Finder", LISTING);
            let mut call = run(command, at("item", index, &home()), json!({}));
            call["app"] = json!("Finder");
            let body = session.call("iac_mcp_run_command", &call).body;
            assert_eq!(body["error"] == "permission_denied", is_closed, "{command} {index}: {body}");
            let sent = if is_closed { json!([]) } else { json!([command]) };
            assert_eq!(session.ask("sent"), sent, "{command} {index}: {body}");
        }
    }
}

#[test]
fn what_a_window_shows_is_no_way_around() {
    let target = property(
        "target",
        &json!({ "type": "id", "element": "Finder window", "id": 7, "container": "application" }),
    );
    check(
        "Finder",
        C,
        &[elements(named("folder", ".claude", &target)), query(named("item", ".claude.json", &target))],
    );
    check("Finder", O, &[elements(named("folder", "Pictures", &target)), elements(target.clone())]);
}

#[test]
fn a_folder_that_holds_closed_ones_is_not_attached() {
    let attach =
        |file: &str| json!({ "command": "make", "arguments": { "new": "folder", "at": home(), "to": file } });
    check("Finder", C, &[attach("~"), attach("/"), attach("~/Library"), attach("/Users/alex/.config")]);
}

#[test]
fn what_is_made_stands_where_it_is_made() {
    check(
        "Finder",
        C,
        &[
            make("folder", home(), json!({ "name": ".cursor" })),
            make("document file", home(), json!({ "name": ".claude.json" })),
            make("document file", home(), json!({ "name": ".claude", "name extension": "json" })),
            make("folder", folder("p"), json!({ "name": ".vscode" })),
            make("document file", folder("p"), json!({ "name": ".mcp.json" })),
            make("document file", folder(".cursor"), json!({ "name": "x" })),
            make("folder", folder("p"), json!({ "name": "../.claude" })),
            make("folder", folder("p"), json!({ "name": ":.claude" })),
            make("folder", property("container", &folder("p")), json!({ "name": ".claude" })),
            make(
                "folder",
                json!({ "position": "end", "of": home(), "element": "folder" }),
                json!({ "name": ".codex" }),
            ),
            make("folder", json!({ "position": "after", "of": folder("p") }), json!({ "name": ".codex" })),
            make("folder", json!("application"), json!({ "name": ".claude" })),
            json!({ "command": "make", "arguments": { "new": "alias file", "at": home(), "to": folder("p"),
            "with properties": { "name": ".cursor" } } }),
        ],
    );
    check(
        "Finder",
        U,
        &[
            make("folder", property("insertion location", &json!("application")), json!({ "name": "x" })),
            make("folder", at("folder", 3, &home()), json!({ "name": "x" })),
        ],
    );
    check(
        "System Events",
        C,
        &[
            json!({ "command": "make", "arguments": { "new": "property list file",
            "with properties": { "name": "/Users/alex/.claude/x.plist" } } }),
            json!({ "command": "make", "arguments": { "new": "XML file",
            "with properties": { "name": "Macintosh HD:Users:alex:.claude:x.xml" } } }),
            json!({ "command": "make", "arguments": { "new": "folder",
            "at": named("folder", "~", &json!("application")), "with properties": { "name": ".claude" } } }),
        ],
    );
}

#[test]
fn what_gets_another_name_stands_under_that_name() {
    check(
        "Finder",
        C,
        &[
            rename(folder("hooks"), ".claude"),
            rename(file("p/x.json"), ".mcp.json"),
            set(&file("p/.mcp"), "name extension", "json"),
            set(&file("hooks"), "properties", ".claude"),
            rename(folder("config"), ".config"),
            rename(folder("Library/Application Support"), "old"),
            rename(folder("Library"), "old"),
            rename(home(), "old"),
            rename(property("startup disk", &json!("application")), "old"),
            rename(named("folder", "Users", &property("startup disk", &json!("application"))), "old"),
            set(&folder("Library"), "everyones privileges", "none"),
            set(&folder("Library/Application Support"), "locked", "true"),
            rename(file(".cursor/mcp.json"), "x"),
            set(&file("p/x"), "comment", "~/.cursor/mcp.json"),
        ],
    );
    check("System Events", C, &[rename(named("disk item", "~/hooks", &json!("application")), ".claude")]);
    check(
        "Finder",
        U,
        &[rename(at("folder", 2, &home()), "x"), set(&at("item", 2, &home()), "comment", "x")],
    );
}

#[test]
fn a_mark_tells_where_a_file_is() {
    let third = at("item", 2, &home());
    let long = format!("file:///Users/alex/{}", "x/".repeat(300));
    check(
        "Finder",
        C,
        &[
            marked(&third, "file:///Users/alex/.cursor/", "comment", "x"),
            marked(&third, "file:///Users/alex/hooks/", "name", ".claude"),
            marked(&third, "file:///Users/alex/Library/", "name", "x"),
            marked(&file("x"), "file:///.file/id=1.2", "name", ".claude"),
        ],
    );
    check(
        "Finder",
        U,
        &[
            marked(&third, "file:///.file/id=1.2", "comment", "x"),
            marked(&third, &long, "comment", "x"),
            marked(&third, "a name", "comment", "x"),
        ],
    );
    check(
        "Finder",
        O,
        &[
            marked(&third, "file:///Users/alex/a%20b.txt", "name", "c.txt"),
            marked(&file("x"), "file:///.file/id=1.2", "name", "y"),
        ],
    );
}

#[test]
fn what_is_moved_or_copied_keeps_its_name() {
    let to = |to: Json| json!({ "to": to, "replacing": true });
    for command in ["move", "duplicate"] {
        check(
            "Finder",
            C,
            &[
                run(command, file("p/.codex"), to(home())),
                run(command, json!([file("p/x"), file("p/.claude")]), to(home())),
                run(command, file("q/Library"), to(home())),
                run(command, file("q/.config"), to(home())),
                run(command, file("q/.mcp.json"), to(folder("p"))),
                run(command, file("q/.vscode"), to(folder("p"))),
                run(command, file("x"), to(folder(".cursor"))),
                run(
                    command,
                    file("x"),
                    to(json!({ "position": "beginning", "of": folder(".cursor"), "element": "item" })),
                ),
                run(command, folder("Library"), to(folder("p"))),
                run(command, home(), to(folder("p"))),
                run(command, file(".cursor/mcp.json"), to(folder("p"))),
            ],
        );
        check(
            "Finder",
            U,
            &[
                run(command, at("item", 4, &home()), to(folder("p"))),
                run(command, file("x"), to(at("folder", 4, &home()))),
                run(command, property("selection", &json!("application")), to(folder("p"))),
            ],
        );
    }
    let disk_item = |name: &str| named("disk item", name, &json!("application"));
    check(
        "System Events",
        C,
        &[
            run("move", disk_item("~/p/.codex"), json!({ "to": "/Users/alex" })),
            run("move", disk_item("~/p/config"), json!({ "to": "~/.config" })),
            run("move", disk_item("~/p/x"), json!({ "to": "Macintosh HD:Users:alex:.cursor" })),
        ],
    );
}

#[test]
fn what_is_deleted_or_opened_is_known_by_name() {
    check(
        "Finder",
        C,
        &[
            run("delete", file(".codex"), json!({})),
            run("delete", folder("Library"), json!({})),
            run("delete", folder("Library/Application Support"), json!({})),
            run("delete", home(), json!({})),
            run("delete", property("container", &file(".cursor/x")), json!({})),
            run("delete", property("container", &folder("Documents")), json!({})),
            run("erase", property("disk", &file("x")), json!({})),
            run("open", file(".cursor/mcp.json"), json!({})),
            run("open", named("item", "Macintosh HD:Users:alex:.cursor", &json!("application")), json!({})),
            run("reveal", file(".cursor"), json!({})),
            run("delete", at("item", 0, &folder(".cursor")), json!({})),
        ],
    );
    check(
        "Finder",
        U,
        &[
            run("delete", at("item", 3, &home()), json!({})),
            run("delete", json!([file("x"), at("item", 3, &home())]), json!({})),
            run("delete", property("original item", &named("alias file", "x", &home())), json!({})),
            run("open", at("document file", 0, &folder("p")), json!({})),
        ],
    );
    for class in ["XML file", "property list file", "file", "disk item", "alias", "file package"] {
        let item = named(class, "/Users/alex/.claude/settings.json", &json!("application"));
        check("System Events", C, &[run("delete", item.clone(), json!({})), query(property("name", &item))]);
    }
    let domain = property("user domain", &json!("application"));
    let library = property("library folder", &domain);
    let support = property("application support folder", &domain);
    check(
        "System Events",
        C,
        &[
            run("delete", library.clone(), json!({})),
            run("delete", named("folder", "iac-mcp", &support), json!({})),
            query(property(
                "name",
                &named("folder", "iac-mcp", &named("folder", "Application Support", &library)),
            )),
        ],
    );
}

#[test]
fn what_is_closed_is_not_read() {
    check(
        "Finder",
        C,
        &[
            elements(folder(".cursor")),
            query(folder(".cursor")),
            query(property("size", &file(".claude.json"))),
            query(at("item", 0, &folder(".codex"))),
            elements(property("container", &folder(".cursor/logs"))),
            query(property("entire contents", &folder(".cursor"))),
            query(property("entire contents", &home())),
            json!({ "tool": "iac_mcp_read_command", "command": "count", "target": folder(".cursor"), "arguments": { "each": "item" } }),
        ],
    );
}

/// A link whose name stands in words, in two parts or behind a reference is followed as well as in a whole path.
#[test]
fn what_is_behind_a_link_is_closed_however_the_link_is_named() {
    let list = |text: &str| json!({ "tool": "iac_mcp_get_elements", "elements": text });
    let within =
        |text: &str| json!({ "tool": "iac_mcp_get_elements", "container": text, "elementType": "disk item" });
    check(
        "System Events",
        C,
        &[
            within("folder \"/x/link\""),
            within("folder \"link\" of folder \"/x\""),
            list("every disk item of folder \"link\" of folder \"/x\""),
            query(json!("disk item \"untrusted.json\" of folder \"/x/link\"")),
            run("delete", json!("disk item \"untrusted.json\" of folder \"/x/link\""), json!({})),
            run(
                "move",
                json!("disk item \"/x/policy.toml\""),
                json!({ "to": named("folder", "link", &named("folder", "/x", &json!("application"))) }),
            ),
        ],
    );
    check("System Events", O, &[within("folder \"/x\""), within("folder \"linked\" of folder \"/x\"")]);
}

/// Paths that an attacker tried: through all elements, up from them, through a disk, a window, and one property.
#[test]
fn no_text_leads_around_what_is_closed() {
    let list = |container: &str, element: &str, recursive: bool| json!({ "tool": "iac_mcp_get_elements", "container": container, "elementType": element, "recursive": recursive });
    let every = |text: &str| json!({ "tool": "iac_mcp_get_elements", "elements": text });
    let value = |text: &str| query(json!(text));
    let calls = [
        list("disk 1", "file", true),
        every("every file of folder \".claude\" of folder \"alex\" of folder \"Users\" of every disk"),
        every(
            "every item of every folder of folder \"Library\" of container of container of every file of desktop",
        ),
        list("container of container of every file of desktop", "folder", true),
        every("every item of every folder of target of front Finder window"),
        list("folder \".claude\" of target of front Finder window", "file", false),
        value(
            "properties of item \"x\" of folder \".claude\" of container of container of file 1 of desktop",
        ),
        value("size of file \".claude.json\" of folder \"alex\" of folder \"Users\" of disk 1"),
    ];
    for call in &calls {
        let (said, text) = said("Finder", call);
        // If the call first needs a lookup and the app is not running, the call ends there.
        let is_asked_first = text.contains("not running") && !text.contains("denied");
        assert!(said != O || is_asked_first, "{call}: {text}");
        assert!(!text.contains("\"elements\""), "{call}: {text}");
    }
    check("Finder", O, &[every("every file of every folder of folder \"Pictures\" of home")]);
}

/// An app with folders in a home folder; `listed` keeps each folder from which a script reads something.
const HOME: &str = r#"globalThis.listed = [];
const TREE = { name: "alex", files: [], folders: [
  { name: "Documents", files: ["a.txt"], folders: [{ name: "Old", files: ["b.txt"], folders: [] }] },
  { name: "LIBRARY", files: ["secret.txt"], folders: [{ name: "Application Support", files: [], folders: [] }] },
] };
const ways = new WeakMap();
const known = (way, made) => (ways.set(made, way), made);
const folder = (way, node) => known(way, new Proxy(() => {}, { get: (_, property) => {
  if (property === "folders") return all(way + ".folders", node, node.folders, folder);
  if (property === "files") return all(way + ".files", node, node.files.map((name) => ({ name: name })), folder);
  return () => node[property] === undefined ? null : node[property];
} }));
const all = (way, owner, nodes, one) => {
  const item = (node) => one(way + ".byName(" + JSON.stringify(node.name) + ")", node);
  const read = (value) => (listed.push(owner.name), value);
  return new Proxy(() => {}, {
    apply: () => read(nodes.map(item)),
    get: (_, property) => {
      if (property === "length") return read(nodes.length);
      if (property === "at") return (i) => item(nodes[i]);
      if (property === "byName") return (name) => item(nodes.find((node) => node.name === name));
      if (property === "folders" || property === "files") return undefined;
      return typeof property === "symbol" ? undefined : () => read(nodes.map((node) => node[property] || null));
    },
  });
};
globalThis.Automation = { getDisplayString: (x) => ways.get(x) || "?" };
globalThis.Application = () => ({ running: () => true, home: folder("Application(\"Finder\").home", TREE) });"#;

/// A list of everything in a folder leaves out the closed files, and says so.
#[test]
fn a_read_of_everything_leaves_out_what_is_closed() {
    let mut session = session_with("Finder", HOME);
    let call = json!({ "app": "Finder", "elements": "every file of home", "recursive": true, "properties": ["name"] });
    let body = session.call("iac_mcp_get_elements", &call).body;
    let names: Vec<&str> = body["elements"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|each| each["properties"]["name"].as_str())
        .collect();
    assert_eq!(names, ["a.txt", "b.txt"], "{body}");
    assert_eq!(body["complete"], json!(false));
    assert_eq!(body["skipped"].as_array().map(Vec::len), Some(1), "{body}");
    assert_eq!(body["skipped"][0]["container"], json!("folder \"LIBRARY\" of home"));
    assert_eq!(body["skipped"][0]["error"], json!("permission_denied"));
    let listed = session.ask("listed").to_string();
    assert!(!listed.contains("LIBRARY"), "{listed}");
    let list =
        |elements: &str| json!({ "tool": "iac_mcp_get_elements", "elements": elements, "recursive": true });
    check("Finder", O, &[list("every file of home"), list("every file of folder \"Library\" of home")]);
    // The server does not know the home folders of other users.
    check(
        "Finder",
        C,
        &[list("every file of startup disk"), list("every file of folder \"Users\" of startup disk")],
    );
    check("Finder", C, &[list("every file of folder \".claude\" of home")]);
}

#[test]
fn ordinary_calls_are_not_in_the_way() {
    let desktop = property("desktop", &json!("application"));
    let to = |to: Json| json!({ "to": to });
    check(
        "Finder",
        O,
        &[
            rename(file("Documents/a.txt"), "b.txt"),
            rename(folder("Documents/Library"), "cursor"),
            set(&folder("Library"), "label index", "2"),
            make("folder", desktop.clone(), json!({ "name": "New" })),
            make("folder", home(), json!({ "name": "Projects" })),
            make("folder", folder("Library"), json!({ "name": "Mine" })),
            make(
                "folder",
                json!({ "position": "end", "of": desktop, "element": "folder" }),
                json!({ "name": "New" }),
            ),
            run("move", json!([file("Downloads/a.pdf"), file("Downloads/b.pdf")]), to(folder("Documents"))),
            run("move", file("Downloads/a.pdf"), to(home())),
            run("duplicate", file("Documents/a.txt"), to(desktop.clone())),
            run("delete", file("Downloads/a.pdf"), json!({})),
            run("delete", folder("Documents/.cursor-notes"), json!({})),
            run("open", folder("Documents"), json!({})),
            run("open", home(), json!({})),
            run("reveal", at("item", 0, &home()), json!({})),
            run("select", file("Documents/a.txt"), json!({})),
            run("open", file("Documents/a.pdf"), json!({})),
            elements(home()),
            elements(folder("Library")),
            elements(folder("Documents")),
            query(at("item", 0, &home())),
            query(property("name", &at("item", 0, &desktop))),
            query(property("selection", &json!("application"))),
            query(property("name", &home())),
            run("close", at("Finder window", 0, &json!("application")), json!({})),
            json!({ "tool": "iac_mcp_read_command", "command": "count", "target": home(), "arguments": { "each": "item" } }),
        ],
    );
    let item = named("disk item", "~/Documents/a.txt", &json!("application"));
    check(
        "System Events",
        O,
        &[
            rename(item.clone(), "b.txt"),
            run("move", item.clone(), json!({ "to": "~/Desktop" })),
            run("delete", item, json!({})),
            elements(named("folder", "~/Documents", &json!("application"))),
        ],
    );
}

/// Every spelling that the disk takes for the same name.
fn spelled(name: &'static str) -> impl Strategy<Value = String> {
    let each = |c: char| {
        let mut ways: Vec<String> = vec![c.to_string(), c.to_uppercase().collect()];
        ways.extend(
            ["\u{200c}", "\u{200d}", "\u{ad}", "\u{feff}", "\u{2060}"].map(|seen| format!("{c}{seen}")),
        );
        match c {
            's' => ways.push("\u{17f}".to_owned()),
            'k' => ways.push("\u{212a}".to_owned()),
            _ => {}
        }
        prop::sample::select(ways)
    };
    let ligature = any::<bool>();
    (name.chars().map(each).collect::<Vec<_>>(), ligature).prop_map(move |(parts, ligature)| match ligature {
        // A ligature becomes two letters when its case is folded.
        true => name.replace("fi", "\u{fb01}").to_owned(),
        false => parts.concat(),
    })
}

/// A path to a file in a closed place, in many forms.
fn path() -> impl Strategy<Value = String> {
    let closed = prop::sample::select(vec![
        (".cursor", "mcp.json"),
        (".claude", "hooks"),
        (".config", "zed"),
        (".codex", "config.toml"),
    ]);
    let parts = closed.prop_flat_map(|(folder, file)| (spelled(folder), spelled(file)));
    (parts, spelled("alex"), spelled("users"), 0..12_usize, 0..4_usize).prop_map(
        |((folder, file), alex, users, form, detour)| {
            let rest = match detour {
                0 => format!("{folder}/{file}"),
                1 => format!("{folder}/./{file}"),
                2 => format!("Documents/../{folder}//{file}"),
                _ => format!("{folder}/x/../{file}/"),
            };
            let colons = format!("Documents::{folder}:{file}");
            match form {
                0 => format!("~/{rest}"),
                1 => format!("~alex/{rest}"),
                2 => format!("/{users}/{alex}/{rest}"),
                3 => format!("/private/../{users}/{alex}/{rest}"),
                4 => format!("/System/Volumes/Data/{users}/{alex}/{rest}"),
                5 => format!("/Volumes/Macintosh HD/{users}/{alex}/{rest}"),
                6 => format!("file:///{users}/{alex}/{}", rest.replace('c', "%63")),
                7 => format!("FILE://localhost/{users}/{alex}/{rest}?a#b"),
                8 => format!("/.nofollow/{users}/{alex}/{rest}"),
                9 => format!("Macintosh HD:{users}:{alex}:{colons}"),
                10 => format!("/.vol/16777220/4711/{rest}"),
                _ => format!("/home/somebody/{rest}"),
            }
        },
    )
}

#[test]
fn nothing_is_created_in_a_closed_place() {
    let create = |at: Json, object: Json| {
        let mut call = object;
        call["tool"] = json!("iac_mcp_create");
        call["at"] = at;
        call
    };
    let folder = |name: &str, children: Json| json!({ "class": "folder", "properties": { "name": name }, "children": children });
    let file = |name: &str| json!([{ "class": "file", "properties": { "name": name } }]);
    let end = json!({ "position": "end", "of": home() });
    check(
        "Finder",
        C,
        &[
            create(home(), folder(".codex", Json::Null)),
            create(end, folder(".Claude", Json::Null)),
            create(home(), folder(".config", json!([folder("zed", Json::Null)]))),
            create(home(), folder("project", json!([folder(".vscode", file("mcp.json"))]))),
            create(
                json!({ "type": "named", "element": "folder", "name": ".cursor", "container": home() }),
                folder("x", Json::Null),
            ),
        ],
    );
    let unnamed = json!({ "class": "folder", "children": file("mcp.json") });
    check("Finder", U, &[create(home(), unnamed)]);
    check(
        "Finder",
        O,
        &[
            create(home(), folder("project", json!([folder("docs", file("mcp.json"))]))),
            create(
                json!({ "type": "element", "element": "folder", "index": 0, "container": home() }),
                folder("x", Json::Null),
            ),
        ],
    );
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(24) })]

    #[test]
    fn no_spelling_opens_a_door(path in path(), folder_name in spelled(".claude"), file_name in spelled(".mcp.json")) {
        let application = json!("application");
        for class in ["disk item", "XML file", "folder"] {
            let item = named(class, &path, &application);
            check("System Events", C, &[
                run("delete", item.clone(), json!({})),
                rename(item.clone(), "x"),
                run("move", item.clone(), json!({ "to": "~/Desktop" })),
                run("move", named("disk item", "~/x", &application), json!({ "to": path })),
                query(property("name", &item)),
            ]);
        }
        check("System Events", C, &[
            json!({ "command": "make", "arguments": { "new": "property list file", "with properties": { "name": path } } }),
            run("open", json!(path), json!({})),
        ]);
        check("Finder", C, &[
            run("delete", file(&folder_name), json!({})),
            make("folder", home(), json!({ "name": folder_name })),
            make("document file", folder("p"), json!({ "name": file_name })),
            rename(folder("hooks"), &folder_name),
            run("move", file(&format!("p/{folder_name}")), json!({ "to": home() })),
            run("duplicate", file(&format!("q/{file_name}")), json!({ "to": folder("p") })),
            run("open", file(&folder_name), json!({})),
            elements(folder(&folder_name)),
        ]);
    }
}
