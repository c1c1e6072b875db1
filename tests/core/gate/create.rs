//! New objects: one question for all of them, one script, and an undo that does not touch objects that someone has
//! used since.

use iac_core::permission::Choice;
use serde_json::{Value as Json, json};

use super::session::{Session, shelf};
use super::{ALLOW, code};

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
        "Shelf: make 3 objects: 1 tray, 2 things\n\
         - tray {name: \"lunch\"}\n\
         \x20 in it: thing {name: \"bread\", count: 2}\n\
         \x20 in it: thing {name: \"salt\", flag: true}\n\
         MODIFY · it makes objects"
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
    // A new object can be used at once.
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
    assert!(
        (0..9).all(|n| text.contains(&format!("\n- thing (where the app puts new ones) {{name: \"n{n}\"}}"))),
        "{text}"
    );
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
    let equal = json!([{ "properties": { "name": "bread" } }, { "properties": { "name": "bread" } }]);
    let tray = || {
        let mut tray = tray();
        tray["children"] = equal.clone();
        tray
    };
    session.call("iac_mcp_create", &tray());
    let mut another = tray();
    another["properties"]["name"] = json!("another");
    assert_eq!(session.call("iac_mcp_create", &another).body["success"], true);
    let by_command = json!({ "app": "Shelf", "command": "make", "arguments": { "new": "thing" } });
    assert_eq!(session.call("iac_mcp_run_command", &by_command).body["success"], true);
    let other = json!({ "app": "Shelf", "class": "box", "properties": { "name": "c" } });
    assert_eq!(code(&session.call("iac_mcp_create", &other).body), "permission_required");
}

/// A question shows every different object, and its scope would cover any other one.
#[test]
fn of_different_objects_as_many_are_made_as_a_person_reads() {
    let objects = |count: usize| -> Vec<Json> {
        (0..count).map(|n| json!({ "properties": { "name": format!("n{n}") } })).collect()
    };
    let make = |session: &mut Session, objects: Vec<Json>| {
        session.call("iac_mcp_create", &json!({ "app": "Shelf", "class": "thing", "objects": objects }))
    };
    let mut session = Session::new("", &shelf());
    session.answers = vec![Choice::Once, Choice::Once];
    assert_eq!(make(&mut session, objects(25)).body["success"], true);
    assert_eq!(session.asked[0].choices(), [Choice::Once, Choice::Deny]);
    assert!(session.asked[0].text().contains("n24"), "{}", session.asked[0].text());
    let refused = make(&mut session, objects(26));
    assert_eq!(code(&refused.body), "invalid_parameter");
    assert!(
        refused.body["message"].as_str().unwrap().contains("this call makes 26 different objects"),
        "{}",
        refused.body
    );
    let equal = vec![json!({ "properties": { "name": "same" } }); 40];
    assert_eq!(make(&mut session, equal).body["success"], true);
    assert_eq!(session.asked.len(), 2);
    assert!(session.asked[1].text().contains("- 40 times: thing"), "{}", session.asked[1].text());
    // The objects in one tray are a part of it.
    let tray =
        json!({ "app": "Shelf", "class": "tray", "properties": { "name": "t" }, "children": objects(26) });
    session.answers = vec![Choice::Once];
    assert_eq!(session.call("iac_mcp_create", &tray).body["success"], true);
    assert!(session.asked[2].text().contains("n25"), "{}", session.asked[2].text());
    // Nobody is asked, so nobody has to read them.
    let mut allowed = Session::new(ALLOW, &shelf());
    assert_eq!(make(&mut allowed, objects(26)).body["success"], true);
}

#[test]
fn a_yes_to_what_follows_counts_once() {
    let mut session = Session::new("", &shelf());
    session.answers = vec![Choice::Once];
    let make = json!({ "command": "make", "arguments": { "new": "thing", "at": "it" } });
    let call = json!({ "app": "Shelf", "class": "tray", "properties": { "name": "lunch" }, "then": [make] });
    session.call("iac_mcp_create", &call);
    assert_eq!(session.asked[0].level().as_str(), "MODIFY");
    assert_eq!(session.asked[0].choices(), [Choice::Once, Choice::Deny]);
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
    // The object exists: a client that got an error would create another one.
    assert_eq!(outcome.body["success"], true);
    assert!(
        outcome.body["note"].as_str().is_some_and(|note| note.contains("do not create the objects again"))
    );
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
fn what_is_gone_already_counts_as_taken_back() {
    let lasts = ["world.things.pop()", "world.things.splice(3, 1)", "world.trays[0].name = 'dinner'"];
    for policy in ["", ALLOW] {
        // One of them is gone, another one was renamed with all that is in it, or none is where it was.
        for (gone, told, stay) in [
            (&lasts[..1], ["was gone", "deleted", "deleted"], 0),
            (&lasts[2..], ["deleted", "deleted", "not found"], 1),
            (&lasts[..], ["was gone", "was gone", "not found"], 1),
        ] {
            let mut session = Session::new(policy, &shelf());
            session.answers = vec![Choice::Once, Choice::Once];
            let thing = |name: &str| json!({ "class": "thing", "properties": { "name": name } });
            let mut lunch = tray();
            lunch.as_object_mut().and_then(|lunch| lunch.remove("app"));
            let objects = json!([lunch, thing("a"), thing("b")]);
            let made = session.call("iac_mcp_create", &json!({ "app": "Shelf", "objects": objects }));
            assert_eq!(made.body["success"], true, "{}", made.body);
            gone.iter().for_each(|code| session.eval(code));
            let back = session.call("iac_mcp_undo", &json!({ "undo": made.body["undo"] })).body;
            let created: Vec<&Json> =
                back["changes"].as_array().into_iter().flatten().map(|each| &each["created"]).collect();
            // Only its name leads to the tray, so it may have been renamed.
            assert_eq!(json!(created), json!(told), "{gone:?} {back}");
            assert_eq!(back["success"], json!(stay == 0), "{back}");
            assert_eq!(session.ask("[world.things.length, world.trays.length]"), json!([3, stay]), "{back}");
            assert_eq!(session.undos.len(), 0, "{back}");
            let questions: Vec<String> = session.asked.iter().skip(1).map(|asked| asked.text()).collect();
            let is_asked = policy.is_empty() && gone.len() == 1;
            assert_eq!(questions.len(), usize::from(is_asked), "{questions:?}");
            assert!(questions.iter().all(|text| text.contains("(2 objects)")), "{questions:?}");
        }
    }
}

#[test]
fn a_single_object_that_is_gone_counts_as_taken_back() {
    for policy in ["", ALLOW] {
        let mut session = Session::new(policy, &shelf());
        session.answers = vec![Choice::Once];
        let made = session.call("iac_mcp_create", &json!({ "app": "Shelf", "class": "thing" }));
        session.eval("world.things.pop()");
        let back = session.call("iac_mcp_undo", &json!({ "undo": made.body["undo"] })).body;
        assert_eq!((&back["success"], &back["changes"][0]["created"]), (&json!(true), &json!("was gone")));
        assert_eq!((session.undos.len(), session.asked.len()), (0, usize::from(policy.is_empty())));
    }
}

#[test]
fn what_may_be_elsewhere_does_not_count_as_taken_back() {
    for policy in ["", ALLOW] {
        for (change, created) in [
            ("world.trays[0].things.pop()", "was gone"),
            ("world.things.push(world.trays[0].things.pop())", "not found"),
            ("world.trays[0].name = 'dinner'", "not found"),
        ] {
            let mut session = Session::new(policy, &shelf());
            session.answers = vec![Choice::Once, Choice::Once];
            session.call("iac_mcp_create", &tray());
            let at =
                json!({ "type": "named", "element": "tray", "name": "lunch", "container": "application" });
            let made =
                session.call("iac_mcp_create", &json!({ "app": "Shelf", "class": "thing", "at": at })).body;
            session.eval(change);
            let back = session.call("iac_mcp_undo", &json!({ "undo": made["undo"] })).body;
            assert_eq!(back["changes"][0]["created"], created, "{change}: {back}");
            let is_gone = created == "was gone";
            assert_eq!((&back["success"], session.undos.len()), (&json!(is_gone), 2 - usize::from(is_gone)));
            let told = back["changes"][0]["error"]["message"].as_str().unwrap_or_default();
            assert_eq!(told.contains("not found where it was made"), !is_gone, "{back}");
            assert_eq!(
                session.asked.len(),
                if policy.is_empty() { 2 } else { 0 },
                "no question about the undo"
            );
        }
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

#[test]
fn an_older_object_of_the_same_name_is_not_changed() {
    let mut session = Session::new(ALLOW, &shelf());
    let call = |flag: bool| json!({ "app": "Shelf", "class": "box", "properties": { "name": "same", "flag": flag } });
    assert_eq!(session.call("iac_mcp_create", &call(true)).body["success"], true);
    let boxes = "world.boxes.map(each => [each.name, each.flag])";
    let before = session.ask(boxes);
    assert!(before.as_array().unwrap().contains(&json!(["same", true])), "{before}");
    let second = session.call("iac_mcp_create", &call(false)).body;
    assert_eq!((&second["success"], &second["undo"]), (&json!(true), &json!(null)), "{second}");
    let after = session.ask(boxes);
    let is =
        |flag: bool| after.as_array().unwrap().iter().filter(|each| **each == json!(["same", flag])).count();
    assert_eq!((is(true), is(false)), (1, 1), "{after}");
}

/// Creates objects, then deletes the first of them this many times. The app knows new objects by their positions, and
/// puts them before all others.
fn delete_new(session: &mut Session, class: &str, objects: Json, times: usize) -> Json {
    session.eval("world.placed = true");
    let then = vec![json!({ "command": "delete" }); times];
    let at = json!({ "position": "beginning", "of": "application" });
    let call = json!({ "app": "Shelf", "class": class, "at": at, "objects": objects, "then": then });
    session.answers = vec![Choice::Once];
    session.call("iac_mcp_create", &call).body
}

#[test]
fn what_follows_reaches_only_the_new_object() {
    // New objects that are known by id, by a unique name, or only by position: the later commands never delete an
    // older object.
    for (class, objects) in [
        ("thing", json!([{ "properties": { "name": "new" } }])),
        ("box", json!([{ "properties": { "name": "new" } }])),
        ("slip", json!([{ "properties": { "text": "new" } }])),
    ] {
        let mut session = Session::new("", &shelf());
        let lists = "[world.things, world.boxes, world.slips].map(all => all.length)";
        let before = session.ask(lists);
        let made = delete_new(&mut session, class, objects, 2);
        assert_eq!(session.ask(lists), before, "{class}: {made}");
        assert!(made["then"][0].get("error").is_none(), "{made}");
        assert!(made["then"][1]["error"].is_object(), "{made}");
        assert_eq!(made["objects"][0].get("reference"), None, "{made}");
    }
}

#[test]
fn what_follows_is_not_about_the_next_new_object() {
    for (class, name) in [("slip", "text"), ("box", "name")] {
        let mut session = Session::new("", &shelf());
        let objects = json!([{ "properties": { name: "one" } }, { "properties": { name: "two" } }]);
        let made = delete_new(&mut session, class, objects, 1);
        let left = session.ask(&format!(
            "world.{class}{}s.map(each => each.{name})",
            if class == "box" { "e" } else { "" }
        ));
        let left = left.as_array().unwrap();
        assert!(left.contains(&json!("two")), "{made}");
        // The position does not identify it any more, but the name does.
        assert_eq!(left.contains(&json!("one")), class == "slip", "{made}");
        let error = &made["then"][0]["error"];
        assert_eq!(
            error["outcome"],
            if class == "slip" { json!("not_tried") } else { json!(null) },
            "{made}"
        );
    }
}

#[test]
fn two_of_one_name_are_not_told_apart() {
    let mut session = Session::new("", &shelf());
    let objects = json!([{ "properties": { "name": "twin" } }, { "properties": { "name": "twin" } }]);
    session.answers = vec![Choice::Once];
    let call =
        json!({ "app": "Shelf", "class": "box", "objects": objects, "then": [{ "command": "delete" }] });
    let made = session.call("iac_mcp_create", &call).body;
    assert_eq!(
        made["objects"].as_array().unwrap().iter().filter(|each| each.get("reference").is_some()).count(),
        0,
        "{made}"
    );
    let there = json!({ "name": "a", "flag": false });
    assert!(session.ask("world.boxes").as_array().unwrap().contains(&there), "{made}");
    // An older object already has the name of the new one.
    let mut session = Session::new("", &shelf());
    let made = delete_new(&mut session, "box", json!([{ "properties": { "name": "a" } }]), 2);
    assert_eq!(session.ask("world.boxes.length"), json!(2), "{made}");
}

#[test]
fn what_follows_is_only_done_to_what_was_shown() {
    for world in ["world.deaf = ['count']", "world.deaf = ['count']; world.locked = ['count']"] {
        let mut session = Session::new("", &shelf());
        session.eval(world);
        session.answers = vec![Choice::Once];
        let call = json!({ "app": "Shelf", "class": "thing", "properties": { "name": "jar", "count": 4 },
            "then": [{ "command": "delete" }] });
        let made = session.call("iac_mcp_create", &call).body;
        let error = &made["then"][0]["error"];
        assert_eq!((&error["outcome"], &error["property"]), (&json!("not_tried"), &json!("count")), "{made}");
        let message = error["message"].as_str().unwrap();
        assert!(message.contains("`count` was given as 4 and is 0"), "{message}");
        assert_eq!(session.ask("world.things.length"), json!(4));
    }
}

#[test]
fn an_own_way_of_keeping_a_value_is_the_same_value() {
    let mut session = Session::new("", &shelf());
    session.eval(
        "globalThis.noted = (what, row) => { if (what === 'make') { row.name += '\\n'; row.when = { date: row.when.date - 30000 }; row.mood = 'veryGood'; } }",
    );
    session.answers = vec![Choice::Once];
    let properties =
        json!({ "name": "a\nb", "when": "2026-01-27T10:30:30Z", "mood": "very good", "count": 1.0 });
    let call = json!({ "app": "Shelf", "class": "thing", "properties": properties, "then": [{ "command": "delete" }] });
    session.eval("world.deaf = []");
    let made = session.call("iac_mcp_create", &call).body;
    assert!(made["then"][0].get("error").is_none(), "{made}");
    assert_eq!(made["objects"][0]["gone"], true, "{made}");
}
