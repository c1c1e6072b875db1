//! Positions: for any list of them, and with any change by another user meanwhile, a call deletes only the objects
//! that were there.

use iac_core::permission::Choice;
use proptest::prelude::*;
use serde_json::{Value as Json, json};

use super::session::{Session, apps};

const SDEF: &str = r#"<dictionary><suite name="Browser" code="sfri">
  <command name="delete" code="coredelo"><direct-parameter type="specifier"/></command>
  <class name="application" code="capp"><element type="window"/></class>
  <class name="window" code="cwin"><property name="id" code="ID  " type="integer" access="r"/><property name="name" code="pnam" type="text"/>
    <element type="tab"/><element type="pane"/></class>
  <class name="tab" code="bTab"><property name="name" code="pnam" type="text"/><property name="URL" code="pURL" type="text"/></class>
  <class name="pane" code="pane"><property name="height" code="hght" type="integer"/></class>
</suite></dictionary>"#;

/// One object by its position: its kind, the position of its window, and its own position there.
type Place = (&'static str, usize, usize);

/// A change by another user in the app.
const ELSEWHERE: [&str; 6] = [
    "world.windows.forEach(window => window.tabs.unshift({ serial: 900 + window.serial, name: 'new', url: 'new' }))",
    "world.windows.forEach(window => window.tabs.shift())",
    "world.windows.forEach(window => window.tabs.reverse())",
    "world.windows.unshift({ serial: 990, id: 990, name: 'new', tabs: [{ serial: 991, name: 'b', url: 'b' }], panes: [{ serial: 992 }] })",
    "world.windows.reverse()",
    "world.windows.forEach(window => window.tabs.forEach(tab => { tab.name = 'same'; }))",
];

fn world(windows: &[(Vec<u8>, usize)], targets: &[Place]) -> Json {
    let mut serial = 0;
    let mut next = || {
        serial += 1;
        serial
    };
    let windows: Vec<Json> = windows
        .iter()
        .map(|(names, panes)| {
            let own = next();
            let tabs: Vec<Json> = names
                .iter()
                .map(|name| {
                    let serial = next();
                    json!({ "serial": serial, "name": format!("tab {}", name / 2), "url": format!("{name}/{}", serial % 5) })
                })
                .collect();
            let panes: Vec<Json> = (0..*panes).map(|_| json!({ "serial": next(), "height": 10 })).collect();
            json!({ "serial": own, "id": 100 + own, "name": format!("window {}", own % 2), "tabs": tabs, "panes": panes })
        })
        .collect();
    json!({ "windows": windows, "targets": targets, "then": {} })
}

fn specifier(place: &Place) -> Json {
    let (kind, window, index) = place;
    let at = |element: &str, index: usize, container: Json| json!({ "type": "element", "element": element, "index": index, "container": container });
    let window = at("window", *window, json!("application"));
    if *kind == "window" { window } else { at(kind, *index, window) }
}

/// Deletes objects. Returns the objects before, the objects after the other user's change, the deleted ones, and the
/// answer.
fn delete(world: &Json, policy: &str, elsewhere: Option<(u64, &str)>) -> (Json, Json, Json, Json) {
    let mut world = world.clone();
    if let Some((event, code)) = elsewhere {
        world["then"][event.to_string()] = json!(code);
    }
    let app = apps("com.apple.Safari", "Browser", SDEF);
    let mut session = Session::with(app, include_str!("places.js"), policy, &world);
    session.answers = vec![Choice::Once];
    let before = session.ask("standing()");
    let targets: Vec<Json> = world["targets"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|place| {
            let number = |at: usize| place[at].as_u64().unwrap_or_default() as usize;
            let kinds = ["window", "tab", "pane"];
            let kind = kinds.into_iter().find(|kind| place[0] == **kind).unwrap_or("tab");
            specifier(&(kind, number(1), number(2)))
        })
        .collect();
    let arguments = json!({ "app": "Browser", "command": "delete", "target": targets });
    let outcome = session.call("iac_mcp_run_command", &arguments);
    (before, session.ask("after"), session.ask("gone"), outcome.body)
}

/// Positions of windows, tabs and panes. `panes` is the weight of panes, beside 6 for tabs and 1 for windows.
fn places(panes: u32) -> impl Strategy<Value = Vec<Place>> {
    let place = prop_oneof![
        1 => (0_usize..3).prop_map(|window| ("window", window, 0)),
        6 => (0_usize..3, 0_usize..5).prop_map(|(window, tab)| ("tab", window, tab)),
        panes => (0_usize..3, 0_usize..2).prop_map(|(window, pane)| ("pane", window, pane)),
    ];
    prop::collection::vec(place, 1..7)
}

fn windows() -> impl Strategy<Value = Vec<(Vec<u8>, usize)>> {
    prop::collection::vec((prop::collection::vec(0_u8..6, 1..6), 0_usize..3), 1..4)
}

fn list(json: &Json) -> Vec<Json> {
    json.as_array().cloned().unwrap_or_default()
}

const POLICIES: [&str; 2] = ["profile = \"trusted\"", "profile = \"standard\""];

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    /// Without another user: the call deletes all named objects, or it deletes none and the answer says why.
    #[test]
    fn what_is_named_is_what_is_deleted(windows in windows(), targets in places(1), policy in prop::sample::select(&POLICIES[..])) {
        let world = world(&windows, &targets);
        let (before, _, gone, answer) = delete(&world, policy, None);
        let named = list(&before);
        let gone = list(&gone);
        let blind = targets.len() > 1 && targets.iter().any(|(kind, ..)| *kind == "pane");
        let missing = named.contains(&Json::Null);
        if blind || missing {
            prop_assert!(gone.is_empty(), "{}", answer);
            prop_assert!(answer["success"] != true, "{}", answer);
            return Ok(());
        }
        for each in &gone {
            prop_assert!(named.contains(each), "{} of {:?} is gone: {}", each, named, answer);
        }
        for each in &named {
            // If a call also names a window, its contents disappear with it. Objects may also be named twice.
            let window = targets[named.iter().position(|other| other == each).unwrap_or_default()].1;
            let with_window = targets.contains(&("window", window, 0));
            prop_assert!(with_window || gone.contains(each), "{} is still there: {}", each, answer);
        }
    }

    /// Another user changes the app at any event: the call deletes only objects at one of the positions. This test
    /// leaves out panes: a pane has only its position, so whichever pane is there is the named one.
    #[test]
    fn a_neighbour_is_never_deleted(
        windows in windows(), targets in places(0), event in 1_u64..40,
        code in prop::sample::select(&ELSEWHERE[..]), policy in prop::sample::select(&POLICIES[..]),
    ) {
        let world = world(&windows, &targets);
        let (before, after, gone, answer) = delete(&world, policy, Some((event, code)));
        // Two tabs with the same address look the same to every observer.
        let meant: Vec<Json> = list(&before).into_iter().chain(list(&after)).map(|each| each[1].clone()).collect();
        for each in list(&gone) {
            prop_assert!(meant.contains(&each[1]), "{} is gone, meant were {:?}: {}", each, meant, answer);
        }
    }
}

#[test]
fn a_tab_that_is_led_elsewhere_keeps_its_reference() {
    let world = world(&[(vec![0, 2, 4], 0), (vec![0, 0], 0)], &[]);
    let app = apps("com.apple.Safari", "Browser", SDEF);
    let mut session = Session::with(app, include_str!("places.js"), POLICIES[0], &world);
    for (window, wanted) in
        [(0, [json!("0/2"), json!("2/3"), json!("4/4")]), (1, [json!("0/1"), json!("0/2"), Json::Null])]
    {
        let list =
            json!({ "app": "Browser", "container": specifier(&("window", window, 0)), "elementType": "tab" });
        let listed = session.call("iac_mcp_get_elements", &list).body;
        let tab = listed["elements"][1]["id"].clone();
        let outcome = session.call(
            "iac_mcp_set_property",
            &json!({ "reference": tab, "property": "URL", "value": "https://x" }),
        );
        assert_eq!(outcome.body["success"], true, "{}", outcome.body);
        let read =
            session.call("iac_mcp_get_properties", &json!({ "reference": tab, "properties": ["URL"] }));
        assert_eq!(read.body["properties"]["URL"], "https://x", "{}", read.body);
        let undo = session.call("iac_mcp_undo", &json!({ "undo": outcome.body["undo"] }));
        assert_eq!(undo.body["success"], true, "{}", undo.body);
        let urls = session
            .ask(&format!("[0, 1, 2].map(i => (world.windows[{window}].tabs[i] || {{ url: null }}).url)"));
        assert_eq!(urls, json!(wanted));
    }
}

#[test]
fn a_list_of_places_is_what_a_human_was_shown() {
    let targets = [("tab", 0, 0), ("tab", 0, 1), ("tab", 0, 2)];
    let world = world(&[(vec![0, 2, 4, 6, 8], 0)], &targets);
    let app = apps("com.apple.Safari", "Browser", SDEF);
    let mut session = Session::with(app, include_str!("places.js"), "", &world);
    session.answers = vec![Choice::Once];
    let target: Vec<Json> = targets.iter().map(specifier).collect();
    let arguments = json!({ "app": "Browser", "command": "delete", "target": target });
    assert!(!session.call("iac_mcp_run_command", &arguments).is_error);
    let shown = &session.asked[0].wording().objects;
    assert_eq!(shown.len(), 3);
    let left = session.ask("world.windows[0].tabs.map(tab => tab.name)");
    assert_eq!(left, json!(["tab 3", "tab 4"]));
    assert!(
        shown.iter().zip(0..).all(|(line, at)| line.starts_with(&format!("tab \"tab {at}\""))),
        "{shown:?}"
    );
}

#[test]
fn places_that_have_no_name_of_their_own_are_taken_from_the_last() {
    let targets = [("tab", 0, 0), ("tab", 0, 1), ("tab", 0, 3)];
    let world = world(&[(vec![0, 1, 0, 1, 0], 0)], &targets);
    for policy in POLICIES {
        let (before, _, gone, answer) = delete(&world, policy, None);
        let last_first: Vec<Json> = list(&before).into_iter().rev().collect();
        assert_eq!(list(&gone), last_first, "{answer}");
    }
}
