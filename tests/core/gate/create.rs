//! New objects: one question for all of them, one script, and a way back that touches nothing that somebody has used.

use iac_core::permission::Choice;
use serde_json::{Value as Json, json};

use crate::session::{Session, shelf};
use crate::{ALLOW, code};

fn tray() -> Json {
    json!({
        "app": "Shelf", "class": "tray", "properties": { "name": "lunch" },
        "children": [
            { "properties": { "name": "bread", "count": 2 } },
            { "class": "thing", "properties": { "name": "salt", "flag": true } },
        ],
    })
}

#[test]
fn a_tree_is_one_question_that_shows_all_of_it() {
    let mut session = Session::new("", &shelf());
    session.answers = vec![Choice::Once];
    let outcome = session.call("iac_mcp_create", &tray());
    assert_eq!(session.asked.len(), 1);
    assert_eq!(
        session.asked[0].text(),
        "Shelf: make 3 objects: 1 tray, 2 thing\n\
         - tray {name: \"lunch\"}\n\
         \x20 in it: thing {name: \"bread\", count: 2}\n\
         \x20 in it: thing {name: \"salt\", flag: true}\n\
         MODIFY · asked by the policy's profile \"standard\""
    );
    assert_eq!(
        session.writes(),
        json!([["tray", "make", "lunch"], ["thing", "make", "bread"], ["thing", "make", "salt"]])
    );
    assert_eq!(outcome.body["success"], true, "{}", outcome.body);
    let tree = &outcome.body["objects"][0];
    assert_eq!((&tree["type"], &tree["name"]), (&json!("tray"), &json!("lunch")));
    let names: Vec<&Json> = tree["children"].as_array().unwrap().iter().map(|child| &child["name"]).collect();
    assert_eq!(names, [&json!("bread"), &json!("salt")]);
    // What was made can be used at once.
    session.answers = vec![Choice::Once];
    let set = json!({ "reference": tree["children"][0]["reference"], "property": "count", "value": 3 });
    assert_eq!(session.call("iac_mcp_set_property", &set).body["success"], true);
}

#[test]
fn each_of_many_is_shown() {
    let mut session = Session::new("", &shelf());
    session.answers = vec![Choice::Once];
    let all: Vec<Json> = (0..9).map(|n| json!({ "properties": { "name": format!("n{n}") } })).collect();
    let outcome =
        session.call("iac_mcp_create", &json!({ "app": "Shelf", "class": "thing", "objects": all }));
    let text = session.asked[0].text();
    assert!((0..9).all(|n| text.contains(&format!("\n- thing {{name: \"n{n}\"}}"))), "{text}");
    assert!(!text.contains("more"), "{text}");
    assert_eq!(outcome.body["objects"].as_array().unwrap().len(), 9);
}

#[test]
fn without_a_yes_nothing_is_made() {
    for (answers, error) in [(vec![Choice::Deny], "permission_denied"), (vec![], "permission_required")] {
        let mut session = Session::new("", &shelf());
        session.answers = answers;
        let outcome = session.call("iac_mcp_create", &tray());
        assert_eq!((outcome.is_error, code(&outcome.body)), (true, error));
        assert_eq!(session.writes(), json!([]));
    }
}

#[test]
fn a_yes_for_an_hour_is_one_for_the_classes_that_were_shown() {
    let mut session = Session::new("", &shelf());
    session.answers = vec![Choice::Hour];
    session.call("iac_mcp_create", &tray());
    assert_eq!(session.call("iac_mcp_create", &tray()).body["success"], true);
    let by_command = json!({ "app": "Shelf", "command": "make", "arguments": { "new": "thing" } });
    assert_eq!(session.call("iac_mcp_run_command", &by_command).body["success"], true);
    let other = json!({ "app": "Shelf", "class": "box", "properties": { "name": "c" } });
    assert_eq!(code(&session.call("iac_mcp_create", &other).body), "permission_required");
}

#[test]
fn many_at_once_are_dangerous() {
    let mut session = Session::new("", &shelf());
    session.answers = vec![Choice::Deny];
    let all = vec![json!({ "properties": { "name": "x" } }); 51];
    session.call("iac_mcp_create", &json!({ "app": "Shelf", "class": "thing", "objects": all }));
    assert_eq!(session.asked[0].level().as_str(), "DANGEROUS");
    let more = vec![json!({}); 201];
    let refused =
        session.call("iac_mcp_create", &json!({ "app": "Shelf", "class": "thing", "objects": more }));
    assert_eq!(code(&refused.body), "invalid_parameter");
}

#[test]
fn a_place_is_looked_up_before_anybody_is_asked() {
    let mut session = Session::new("", &shelf());
    session.eval("world.trays.push({ tray: true, name: 'first', things: [] }, { tray: true, name: 'second', things: [] })");
    session.answers = vec![Choice::Once];
    let at = json!({ "type": "element", "element": "tray", "index": 1, "container": "application" });
    let call = json!({ "app": "Shelf", "class": "thing", "at": at, "properties": { "name": "cup" } });
    session.call("iac_mcp_create", &call);
    assert!(
        session.asked[0].text().contains("- thing in tray \"second\" {name: \"cup\"}"),
        "{}",
        session.asked[0].text()
    );
    assert_eq!(session.ask("world.trays.map(tray => tray.things.length)"), json!([0, 1]));
}

#[test]
fn what_the_app_did_not_take_is_set_by_itself() {
    let mut session = Session::new(ALLOW, &shelf());
    session.eval("world.deaf = ['count']");
    let call = json!({ "app": "Shelf", "class": "thing", "properties": { "name": "jar", "count": 4 } });
    let outcome = session.call("iac_mcp_create", &call);
    assert_eq!(
        session.writes(),
        json!([["thing", "make", "jar"], [session.ask("world.things[3].id"), "count", 4]])
    );
    // It is there: who reads a failure makes another one.
    assert_eq!(outcome.body["success"], true);
    assert!(outcome.body["note"].as_str().is_some_and(|note| note.contains("make nothing again")));
    assert!(outcome.body["objects"][0]["unverified"]["count"].is_string(), "{}", outcome.body);
}

#[test]
fn the_undo_deletes_what_was_made() {
    let mut session = Session::new(ALLOW, &shelf());
    let made = session.call("iac_mcp_create", &tray());
    let outcome = session.call("iac_mcp_undo", &json!({ "undo": made.body["undo"] }));
    assert_eq!(outcome.body["success"], true, "{}", outcome.body);
    assert_eq!(session.ask("world.trays"), json!([]));
    assert_eq!(session.undos.len(), 0);
}

#[test]
fn the_undo_leaves_what_somebody_has_used() {
    for used in [
        "world.trays[0].name = 'dinner'",
        "world.trays[0].things[1].flag = false",
        "world.trays[0].things.push({ id: 77, name: 'theirs', flag: false, count: 0 })",
        "world.trays[0].things.pop()",
        "world.trays[0].things[1] = { id: 78, name: 'in its place', flag: false, count: 0 }",
    ] {
        let mut session = Session::new(ALLOW, &shelf());
        let made = session.call("iac_mcp_create", &tray());
        session.eval(used);
        let before = session.ask("world.trays");
        let outcome = session.call("iac_mcp_undo", &json!({ "undo": made.body["undo"] }));
        assert!(outcome.is_error, "{used}: {}", outcome.body);
        assert_eq!(session.ask("world.trays"), before, "{used}");
    }
}

#[test]
fn what_fails_fails_alone_and_the_rest_can_be_taken_back() {
    let mut session = Session::new(ALLOW, &shelf());
    session.eval("PLAIN.slip = () => { throw errorOf(-10000); }");
    let objects = json!([{ "class": "thing", "properties": { "name": "a" } }, { "class": "slip" }, { "class": "thing", "properties": { "name": "b" } }]);
    let made = session.call("iac_mcp_create", &json!({ "app": "Shelf", "objects": objects }));
    assert_eq!((made.is_error, &made.body["success"]), (false, &json!(false)));
    assert_eq!(made.body["objects"][1]["error"]["number"], json!(-10000));
    assert_eq!(session.ask("world.things.length"), json!(5));
    let outcome = session.call("iac_mcp_undo", &json!({ "undo": made.body["undo"] }));
    assert_eq!(outcome.body["success"], true, "{}", outcome.body);
    assert_eq!(session.ask("world.things.length"), json!(3));
}

#[test]
fn an_app_that_dies_leaves_the_rest_untried() {
    let mut session = Session::new(ALLOW, &shelf());
    session.eval("PLAIN.slip = () => { dead = true; throw errorOf(-609); }");
    let objects = json!([{ "class": "thing" }, { "class": "slip" }, { "class": "thing" }]);
    let made = session.call("iac_mcp_create", &json!({ "app": "Shelf", "objects": objects }));
    let objects = made.body["objects"].as_array().unwrap();
    assert_eq!(objects[1]["error"]["outcome"], "unknown", "{}", made.body);
    assert_eq!(objects[2]["error"]["error"], "unavailable");
    assert_eq!(session.ask("world.things.length"), json!(4));
}

#[test]
fn whatever_it_is_called_it_is_data() {
    for name in
        ["\"); world.things = []; (\"", "${dead = true}", "\u{2028}`'", "__proto__", "</script>", "\\"]
    {
        let mut session = Session::new(ALLOW, &shelf());
        let call = json!({ "app": "Shelf", "class": "tray", "properties": { "name": name }, "children": [{ "properties": { "name": name } }] });
        let outcome = session.call("iac_mcp_create", &call);
        assert_eq!(outcome.body["objects"][0]["name"], name, "{}", outcome.body);
        assert_eq!(session.writes(), json!([["tray", "make", name], ["thing", "make", name]]));
        let outcome = session.call("iac_mcp_undo", &json!({ "last": true }));
        assert_eq!(outcome.body["success"], true, "{}", outcome.body);
    }
}
