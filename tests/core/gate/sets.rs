//! Sets of different new values: a question hides no set behind the others.

use iac_core::Millis;
use iac_core::permission::Choice;
use serde_json::{Value as Json, json};

use super::session::{Session, shelf};
use super::{ALLOW, code, set};

/// Fourteen things; one of them gets a different value after all the others.
#[test]
fn no_new_value_is_hidden_behind_others() {
    let things: Vec<Json> =
        (1..=30).map(|id| json!({ "id": id, "name": format!("t{id}"), "flag": false })).collect();
    let mut session = Session::new("", &json!({ "things": things }));
    let all = session.references("thing");
    let change = |at: usize, name: &str| json!({ "reference": all[at], "property": "name", "value": name });
    // The values differ only in the part that a question cuts.
    let long = |end: &str| format!("{}{end}", "long ".repeat(30));
    let mut changes: Vec<Json> = (0..13).map(|at| change(at, &long("a"))).collect();
    changes.push(change(13, &long("b")));
    session.answers = vec![Choice::Hour];
    let outcome = session.call("iac_mcp_set_property", &json!({ "changes": changes }));
    assert_eq!(code(&outcome.body), "permission_denied", "an hour is not offered for values that differ");
    let text = session.asked[0].text();
    assert!(text.contains("(13 objects):\n  thing \"t1\"\n") && text.contains("\n  and 8 more\n"), "{text}");
    assert!(
        text.contains("- thing \"t14\"\n  \"name\" old: \"t14\" (3 characters)\n  \"name\" new: "),
        "{text}"
    );
    assert_eq!(session.asked[0].choices(), [Choice::Once, Choice::Deny]);
    let each: Vec<Json> = (0..26).map(|at| change(at, &format!("n{at}"))).collect();
    session.answers = vec![Choice::Once];
    let too_many = session.call("iac_mcp_set_property", &json!({ "changes": each }));
    assert_eq!((code(&too_many.body), session.writes()), ("invalid_parameter", json!([])));
    let outcome = session.call("iac_mcp_set_property", &json!({ "changes": each[..25] }));
    assert_eq!(outcome.body["success"], true, "{}", outcome.body);
    assert!((0..25).all(|at| session.asked[1].text().contains(&format!("new: \"n{at}\""))));
}

/// A client cannot divide an undo, so the question shows all of it.
#[test]
fn an_undo_of_many_different_values_shows_all_of_them() {
    let things: Vec<Json> =
        (1..=30).map(|id| json!({ "id": id, "name": format!("t{id}"), "flag": false })).collect();
    let mut session = Session::new("", &json!({ "things": things }));
    let all = json!(session.references("thing"));
    session.answers = vec![Choice::Once, Choice::Once];
    session.call("iac_mcp_set_property", &set(&all, "name", json!("same")));
    let back = session.call("iac_mcp_undo", &json!({ "last": true })).body;
    assert_eq!(back["success"], true, "{back}");
    let text = session.asked[1].text();
    assert!(
        text.starts_with("Take back an earlier change. Shelf: put back \"name\", which is \"same\" now (30 objects)\n- back to \"t1\": "),
        "{text}"
    );
    assert!((1..=30).all(|id| text.contains(&format!("\n- back to \"t{id}\": thing "))), "{text}");
}

#[test]
fn a_value_that_the_app_bends_has_a_way_back() {
    let mut session = Session::new(ALLOW, &shelf());
    session.eval("world.bent = { count: 1901 }");
    let one = json!(session.references("thing")[0]);
    let set = session.call("iac_mcp_set_property", &set(&one, "count", json!(1))).body;
    assert_eq!(set["changes"][0]["verified"], false, "{set}");
    session.eval("delete world.bent");
    let undone = session.call("iac_mcp_undo", &json!({ "undo": set["undo"] })).body;
    assert_eq!(undone["success"], true, "{set} {undone}");
    assert_eq!(session.ask("world.things[0].count"), json!(11));
}

#[test]
fn those_that_are_left_are_named() {
    let things: Vec<Json> =
        (1..=30).map(|id| json!({ "id": id, "name": format!("t{id}"), "flag": id < 7 })).collect();
    let mut session = Session::new("", &json!({ "things": things }));
    let all = json!(session.references("thing"));
    session.answers = vec![Choice::Once];
    let done = session.call("iac_mcp_set_property", &set(&all, "flag", json!(true))).body;
    let text = session.asked[0].text();
    assert!((7..=11).all(|id| text.contains(&format!("\n- thing \"t{id}\""))), "{text}");
    assert!(text.contains("and 19 more"), "{text}");
    assert_eq!((session.asked.len(), &done["success"]), (1, &json!(true)), "{done}");
    assert_eq!(session.ask("world.things.filter(each => each.flag).length"), json!(30));
}

#[test]
fn values_of_one_call_go_back_in_reverse() {
    let mut session = Session::new(ALLOW, &shelf());
    let boxes = session.references("box");
    let change = |at: usize, name: &str| json!({ "reference": boxes[at], "property": "name", "value": name });
    let names = "world.boxes.map(each => each.name)";
    let changes = json!({ "changes": [change(1, "c"), change(0, "b")] });
    let set = session.call("iac_mcp_set_property", &changes).body;
    assert_eq!((&set["success"], session.ask(names)), (&json!(true), json!(["b", "c"])), "{set}");
    // The name "b" is free again only when the first box has its old name back.
    let back = session.call("iac_mcp_undo", &json!({ "last": true })).body;
    assert_eq!((&back["success"], session.ask(names)), (&json!(true), json!(["a", "b"])), "{back}");
}

#[test]
fn a_change_in_part_is_the_last_one() {
    for is_list in [false, true] {
        let mut session = Session::new(ALLOW, &shelf());
        let things = session.references("thing");
        session.call("iac_mcp_set_property", &set(&json!(things[2]), "count", json!(1)));
        // The app refuses the second value, and then the first value cannot be put back either.
        session.eval("world.locked = ['mood']; globalThis.noted = (property) => { if (property === 'flag') world.locked.push('flag'); };");
        let reference = if is_list { json!(things[..2]) } else { json!(things[0]) };
        let properties = json!({ "flag": true, "mood": "very good" });
        let half = session
            .call("iac_mcp_set_property", &json!({ "reference": reference, "properties": properties }))
            .body;
        let error = if is_list { &half["changes"][0]["error"] } else { &half };
        assert_eq!(error["outcome"], "partial", "{half}");
        let last = session.call("iac_mcp_undo", &json!({ "last": true })).body;
        let message = last["message"].as_str().unwrap_or_default();
        assert!(message.starts_with("the last change cannot be taken back: "), "{last}");
        assert_eq!(session.ask("world.things[2].count"), json!(1), "what was set before stays");
    }
}

/// Three calls of two kinds, which are three parts of an undo: the name of the first thing, a new thing, and two
/// properties of the second thing, of which one had no value, so that it cannot be restored.
fn three_parts(session: &mut Session) -> [Json; 3] {
    session.eval("world.things[1].when = null");
    let things = session.references("thing");
    let mut call = |tool: &str, arguments: Json| {
        session.now = session.now + Millis(1_000);
        let outcome = session.call(tool, &arguments);
        assert!(outcome.body["undo"].is_string(), "{}", outcome.body);
        outcome.body["undo"].clone()
    };
    let named = call("iac_mcp_set_property", set(&json!(things[0]), "name", json!("new")));
    let made = call("iac_mcp_create", json!({ "app": "Shelf", "class": "thing" }));
    let both =
        json!({ "reference": things[1], "properties": { "flag": true, "when": "2026-01-27T10:30:00Z" } });
    [named, made, call("iac_mcp_set_property", both)]
}

const THREE: &str = "[world.things.length, world.things[0].name, world.things[1].flag]";

#[test]
fn an_undo_goes_on_after_a_part_that_leaves_something() {
    let mut session = Session::new(ALLOW, &shelf());
    let all = three_parts(&mut session);
    assert_eq!(session.ask(THREE), json!([4, "new", true]));
    let back = session.call("iac_mcp_undo", &json!({ "undo": all })).body;
    assert_eq!(session.ask(THREE), json!([3, "apple", false]), "{back}");
    assert_eq!((&back["success"], &back["notTried"]), (&json!(false), &Json::Null), "{back}");
    assert_eq!(
        back["left"],
        json!(["set when of thing id 12: it was empty before, and the app does not let it be emptied"]),
        "{back}"
    );
    // One id takes back all that the undo has written.
    let again = session.call("iac_mcp_undo", &json!({ "undo": back["undo"] })).body;
    assert_eq!((session.ask(THREE), &again["success"]), (json!([3, "new", true]), &json!(true)), "{again}");
}

#[test]
fn an_undo_goes_on_after_a_part_in_which_one_object_has_changed() {
    let mut session = Session::new(ALLOW, &shelf());
    let [named, made, _] = three_parts(&mut session);
    let things = json!(session.references("thing")[1..3]);
    session.now = session.now + Millis(1_000);
    let counted = session.call("iac_mcp_set_property", &set(&things, "count", json!(5))).body["undo"].clone();
    session.eval("world.things[2].count = 6");
    let back = session.call("iac_mcp_undo", &json!({ "undo": [named, made, counted] })).body;
    assert_eq!(session.ask("world.things.map(each => each.count)"), json!([11, 12, 6]), "{back}");
    assert_eq!(session.ask("world.things[0].name"), json!("apple"), "{back}");
    assert_eq!(back["success"], json!(false), "{back}");
    assert!(back["changes"].to_string().contains("was changed since"), "{back}");
}

#[test]
fn an_undo_goes_on_after_a_part_that_fails() {
    for (change, error) in [
        ("world.things[1].count = 6", "execution_failed"),
        ("world.things.splice(1, 1)", "reference_invalid"),
        ("world.locked = ['count']", "property_read_only"),
    ] {
        let mut session = Session::new(ALLOW, &shelf());
        let [named, made, _] = three_parts(&mut session);
        let second = json!(session.references("thing")[1]);
        session.now = session.now + Millis(1_000);
        let counted =
            session.call("iac_mcp_set_property", &set(&second, "count", json!(5))).body["undo"].clone();
        session.eval(change);
        let back = session.call("iac_mcp_undo", &json!({ "undo": [named, made, counted] }));
        let back = (back.is_error, back.body);
        assert_eq!(session.ask("world.things[0].name"), json!("apple"), "{change}: {back:?}");
        let (is_error, back) = back;
        assert_eq!(
            (is_error, &back["success"], &back["notTried"]),
            (false, &json!(false), &Json::Null),
            "{back}"
        );
        assert_eq!(back["changes"].as_array().map(Vec::len), Some(3), "{back}");
        assert_eq!(back["changes"][0]["error"]["error"], error, "{back}");
        assert!(
            back["changes"][0]["wrote"][0].as_str().is_some_and(|wrote| wrote.starts_with("set count")),
            "{back}"
        );
        let kept: Vec<&str> = session.undos.iter().map(|undo| undo.shown_id()).collect();
        assert!(kept.contains(&counted.as_str().unwrap()), "{back}");
    }
}

#[test]
fn an_undo_of_which_every_part_fails_is_an_error() {
    let mut session = Session::new(ALLOW, &shelf());
    let [_, made, both] = three_parts(&mut session);
    session.eval("world.things[1].flag = null; world.things[3].name = 'x'");
    let back = session.call("iac_mcp_undo", &json!({ "undo": [made, both] }));
    assert!(back.is_error, "{}", back.body);
    let errors = back.body["changes"].as_array().into_iter().flatten().map(|each| &each["error"]["error"]);
    assert!(errors.eq([&json!("execution_failed"), &json!("reference_moved")]), "{}", back.body);
}

#[test]
fn an_undo_stops_when_the_app_does_not_answer() {
    let mut session = Session::new(ALLOW, &shelf());
    let [named, made, both] = three_parts(&mut session);
    session.eval("world.dies = 'flag'");
    let back = session.call("iac_mcp_undo", &json!({ "undo": [named, made, both] })).body;
    assert_eq!(back["notTried"], json!([made, named]), "{back}");
}

#[test]
fn parts_that_an_undo_has_not_tried_are_named() {
    let refused =
        "the undo stopped here, and the changes in `notTried` were not tried: call again with these ids";
    for (answers, things) in [
        (vec![Choice::Deny], json!([4, "new", true])),
        (vec![Choice::Once, Choice::Deny], json!([4, "new", false])),
    ] {
        let mut session = Session::new(ALLOW, &shelf());
        let all = three_parts(&mut session);
        session.gate = Session::new("", &shelf()).gate;
        session.answers.clone_from(&answers);
        let back = session.call("iac_mcp_undo", &json!({ "undo": all })).body;
        assert_eq!(session.ask(THREE), things, "{back}");
        let untried = if answers.len() == 1 { json!([all[1], all[0]]) } else { json!([all[0]]) };
        assert_eq!(back["notTried"], untried, "{back}");
        assert!(back["note"].as_str().is_some_and(|note| note.ends_with(refused)), "{back}");
        session.answers = vec![Choice::Once, Choice::Once];
        let rest = session.call("iac_mcp_undo", &json!({ "undo": back["notTried"] })).body;
        assert_eq!(rest["success"], true, "{rest}");
        assert_eq!(session.ask("world.things[0].name"), json!("apple"), "{rest}");
    }
}
