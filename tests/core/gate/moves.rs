//! The server follows a moved object by its mark, and moves it back on request.

use iac_core::permission::Choice;
use serde_json::{Value as Json, json};

use super::session::{Session, apps};

const SDEF: &str = r#"<dictionary><suite name="Letters" code="mail">
  <command name="move" code="coremove"><direct-parameter type="specifier"/><parameter name="to" code="insh" type="location specifier"/></command>
  <class name="application" code="capp"><element type="mailbox"/></class>
  <class name="mailbox" code="mbxp" plural="mailboxes"><property name="name" code="pnam" type="text"/><element type="message"/></class>
  <class name="message" code="mssg">
    <property name="id" code="ID  " type="integer" access="r"/>
    <property name="message id" code="meid" type="text" access="r"/>
    <property name="subject" code="subj" type="text"/>
    <property name="read status" code="isrd" type="boolean"/>
    <property name="mailbox" code="mbxp" type="mailbox"/>
  </class>
</suite></dictionary>"#;

const ALLOW: &str = "profile = \"trusted\"";

fn letters(policy: &str, answers: bool) -> Session {
    letters_of("com.apple.mail", policy, answers)
}

fn letters_of(bundle_id: &str, policy: &str, answers: bool) -> Session {
    let message = |id: i64, subject: &str| json!({ "id": id, "messageId": format!("<{subject}>"), "subject": subject, "readStatus": false });
    let world = json!({
        "answers": answers,
        "boxes": [
            { "name": "In", "messages": [message(1, "one"), message(2, "two"), message(3, "three")] },
            { "name": "Done", "messages": [message(9, "old")] },
            { "name": "Later", "messages": [] },
        ],
    });
    Session::with(apps(bundle_id, "Mail", SDEF), include_str!("letters.js"), policy, &world)
}

fn mailbox(name: &str) -> Json {
    json!({ "type": "named", "element": "mailbox", "name": name, "container": "application" })
}

fn messages(session: &mut Session, of: &str) -> Vec<String> {
    let arguments = json!({ "app": "Mail", "container": mailbox(of), "elementType": "message" });
    let listed = session.call("iac_mcp_get_elements", &arguments).body;
    let elements = listed["elements"].as_array().unwrap_or_else(|| panic!("{listed}"));
    elements.iter().map(|each| each["id"].as_str().expect("an id").to_owned()).collect()
}

fn moved(session: &mut Session, target: Json, to: &str) -> Json {
    let arguments =
        json!({ "app": "Mail", "command": "move", "target": target, "arguments": { "to": mailbox(to) } });
    let outcome = session.call("iac_mcp_run_command", &arguments);
    assert!(!outcome.is_error, "{}", outcome.body);
    outcome.body
}

fn read(session: &mut Session, reference: &str) -> Json {
    let arguments = json!({ "reference": reference, "property": "read status", "value": true });
    session.call("iac_mcp_set_property", &arguments).body
}

fn subjects(session: &Session, at: usize) -> Json {
    session.ask(&format!("world.boxes[{at}].messages.map(each => each.subject)"))
}

#[test]
fn what_is_in_a_mailbox_is_found_after_it_was_renamed() {
    let mut session = letters(ALLOW, true);
    let all = messages(&mut session, "In");
    let arguments = json!({ "app": "Mail", "container": "application", "elementType": "mailbox" });
    let boxes = session.call("iac_mcp_get_elements", &arguments).body;
    let rename = json!({ "reference": boxes["elements"][0]["id"], "property": "name", "value": "Read" });
    let outcome = session.call("iac_mcp_set_property", &rename);
    assert_eq!(outcome.body["success"], true, "{}", outcome.body);
    assert_eq!(read(&mut session, &all[0])["success"], true);
}

#[test]
fn a_move_is_taken_back_through_the_same_gate() {
    for answers in [false, true] {
        let mut session = letters("", answers);
        let all = messages(&mut session, "In");
        session.answers = vec![Choice::Once, Choice::Once];
        let undo = moved(&mut session, json!(all[1]), "Done")["undo"].clone();
        assert_eq!(subjects(&session, 1), json!(["old", "two"]));
        let outcome = session.call("iac_mcp_undo", &json!({ "undo": undo }));
        assert_eq!(outcome.body["success"], true, "{}", outcome.body);
        assert_eq!(outcome.body["changes"][0]["verified"], true);
        assert_eq!((subjects(&session, 0), session.asked.len()), (json!(["one", "three", "two"]), 2));
        assert!(session.asked[1].text().contains("message \"two\""), "{}", session.asked[1].text());
        let again = session.call("iac_mcp_undo", &json!({ "undo": undo }));
        assert_eq!(again.body["error"], "invalid_parameter");
    }
}

#[test]
fn without_a_yes_it_stays_where_it_is() {
    let mut session = letters("", false);
    let all = messages(&mut session, "In");
    session.answers = vec![Choice::Once, Choice::Deny];
    let undo = moved(&mut session, json!(all[0]), "Done")["undo"].clone();
    let outcome = session.call("iac_mcp_undo", &json!({ "undo": undo }));
    assert_eq!(outcome.body["error"], "permission_denied");
    assert_eq!(subjects(&session, 1), json!(["old", "one"]));
}

#[test]
fn several_are_taken_back_together_if_they_went_one_way() {
    let mut session = letters(ALLOW, false);
    let all = messages(&mut session, "In");
    let both = moved(&mut session, json!(all[..2]), "Done")["undo"].clone();
    let outcome = session.call("iac_mcp_undo", &json!({ "undo": both }));
    assert_eq!(outcome.body["success"], true, "{}", outcome.body);
    assert_eq!(
        (subjects(&session, 0), subjects(&session, 1)),
        (json!(["three", "one", "two"]), json!(["old"]))
    );
}

#[test]
fn what_went_several_ways_is_taken_back_way_by_way() {
    let mut session = letters(ALLOW, false);
    let all = messages(&mut session, "In");
    let done = moved(&mut session, json!(all[..2]), "Done")["undo"].clone();
    let later = moved(&mut session, json!(all[2]), "Later")["undo"].clone();
    let outcome = session.call("iac_mcp_undo", &json!({ "undo": [done, later] }));
    assert_eq!(outcome.body["success"], true, "{}", outcome.body);
    assert_eq!(outcome.body["changes"].as_array().map(Vec::len), Some(3), "{}", outcome.body);
    assert_eq!(
        (subjects(&session, 0), subjects(&session, 1)),
        (json!(["one", "two", "three"]), json!(["old"]))
    );
}

#[test]
fn a_no_to_one_way_keeps_what_went_back_before() {
    let mut session = letters("", false);
    let all = messages(&mut session, "In");
    session.answers = vec![Choice::Once, Choice::Once, Choice::Once, Choice::Deny];
    let done = moved(&mut session, json!(all[0]), "Done")["undo"].clone();
    let later = moved(&mut session, json!(all[2]), "Later")["undo"].clone();
    let outcome = session.call("iac_mcp_undo", &json!({ "undo": [done, later] }));
    assert_eq!(outcome.body["success"], false, "{}", outcome.body);
    assert_eq!(outcome.body["error"]["error"], "permission_denied", "{}", outcome.body);
    assert_eq!(outcome.body["changes"].as_array().map(Vec::len), Some(1), "{}", outcome.body);
    assert_eq!(subjects(&session, 0).as_array().map(Vec::len), Some(2));
}

#[test]
fn what_went_elsewhere_since_is_not_taken_back() {
    for answers in [false, true] {
        let mut session = letters(ALLOW, answers);
        let all = messages(&mut session, "In");
        let undo = moved(&mut session, json!(all[0]), "Done")["undo"].clone();
        session.eval("world.move(world.boxes[1].messages[1], world.boxes[2])");
        let outcome = session.call("iac_mcp_undo", &json!({ "undo": undo }));
        assert_eq!(outcome.body["error"], "reference_invalid", "{}", outcome.body);
        assert_eq!(subjects(&session, 2), json!(["one"]));
    }
}

#[test]
fn a_reference_follows_what_this_server_moved() {
    for answers in [false, true] {
        let mut session = letters(ALLOW, answers);
        let all = messages(&mut session, "In");
        moved(&mut session, json!(all[0]), "Done");
        if !answers {
            let told = read(&mut session, &all[0]);
            assert_eq!(
                (&told["error"], &told["followed"]),
                (&json!("reference_moved"), &json!(true)),
                "{told}"
            );
            assert_eq!(session.ask("writes.length"), json!(1), "only the move");
        }
        assert_eq!(read(&mut session, &all[0])["success"], true);
        assert_eq!(session.ask("world.boxes[1].messages.map(each => each.readStatus)"), json!([false, true]));
        assert_eq!(
            session.ask("world.boxes[0].messages.map(each => each.readStatus)"),
            json!([false, false])
        );
    }
}

#[test]
fn what_somebody_else_moved_is_followed_by_its_mark() {
    let mut session = letters(ALLOW, false);
    let all = messages(&mut session, "In");
    messages(&mut session, "Done");
    assert_eq!(read(&mut session, &all[0])["success"], true, "now its mark is known");
    session.eval("world.move(world.boxes[0].messages[0], world.boxes[1])");
    let both = json!({ "reference": all[..2], "property": "read status", "value": false });
    let told = session.call("iac_mcp_set_property", &both).body;
    assert_eq!(told["changes"][0]["error"]["error"], "reference_moved", "{told}");
    assert_eq!(told["changes"][1]["verified"], true, "the other one is written");
    let back = json!({ "reference": all[0], "property": "read status", "value": false });
    assert_eq!(session.call("iac_mcp_set_property", &back).body["success"], true);
    assert_eq!(session.ask("world.boxes[1].messages[1].readStatus"), json!(false));
}

#[test]
fn an_undo_finds_its_object_by_its_mark() {
    for is_by_us in [false, true] {
        let mut session = letters(ALLOW, false);
        let all = messages(&mut session, "In");
        messages(&mut session, "Later");
        let undo = read(&mut session, &all[0])["undo"].clone();
        if is_by_us {
            moved(&mut session, json!(all[0]), "Later");
        } else {
            messages(&mut session, "Done");
            session.eval("world.move(world.boxes[0].messages[0], world.boxes[1])");
        }
        let there = if is_by_us { 2 } else { 1 };
        let mut back = || session.call("iac_mcp_undo", &json!({ "undo": undo })).body;
        let told = back();
        assert_eq!((&told["error"], &told["followed"]), (&json!("reference_moved"), &json!(true)), "{told}");
        assert_eq!(back()["success"], true);
        let of = format!("world.boxes[{there}].messages.at(-1)");
        assert_eq!(session.ask(&format!("[{of}.subject, {of}.readStatus]")), json!(["one", false]));
    }
}

#[test]
fn what_is_gone_or_there_twice_is_no_more() {
    for change in [
        "world.boxes[0].messages.shift()",
        "world.boxes[1].messages.push({ ...world.boxes[0].messages[0], id: 70 }, { ...world.boxes[0].messages.shift(), id: 71 })",
    ] {
        let mut session = letters(ALLOW, false);
        let all = messages(&mut session, "In");
        messages(&mut session, "Done");
        read(&mut session, &all[0]);
        session.eval(change);
        assert_eq!(read(&mut session, &all[0])["error"], "reference_invalid", "{change}");
        assert_eq!(read(&mut session, &all[0])["error"], "reference_invalid", "it is forgotten");
        assert_eq!(session.ask("writes.length"), json!(1));
    }
}

#[test]
fn without_a_mark_there_is_no_way_back_unless_the_app_tells_it() {
    let mut session = letters_of("test.letters", ALLOW, false);
    let all = messages(&mut session, "In");
    assert_eq!(moved(&mut session, json!(all[0]), "Done")["undo"], Json::Null);
    assert_eq!(read(&mut session, &all[0])["error"], "reference_invalid");
}

#[test]
fn an_object_as_a_value_is_shown_in_words() {
    let mut session = letters("", true);
    let all = messages(&mut session, "In");
    session.answers = vec![Choice::Deny];
    session.call(
        "iac_mcp_set_property",
        &json!({ "reference": all[0], "property": "mailbox", "value": mailbox("Done") }),
    );
    let text = session.asked[0].text();
    assert!(text.contains("set \"mailbox\" to mailbox \"Done\""), "{text}");
    assert!(text.contains("\"mailbox\" old: mailbox \"In\"\n  \"mailbox\" new: mailbox \"Done\""), "{text}");
    let place = json!({ "type": "element", "element": "mailbox", "index": 1, "container": "application" });
    let outcome = session
        .call("iac_mcp_set_property", &json!({ "reference": all[0], "property": "mailbox", "value": place }));
    assert_eq!(outcome.body["error"], "invalid_parameter", "{}", outcome.body);
}

#[test]
fn a_move_that_is_ignored_is_not_verified() {
    let mut session = letters(ALLOW, true);
    session.eval("world.keeps = true");
    let all = messages(&mut session, "In");
    let check = |told: &Json| {
        assert!(told["unverified"].as_str().unwrap_or_default().contains("still there"), "{told}");
        assert!(told.get("undo").is_none_or(Json::is_null), "{told}");
    };
    check(&moved(&mut session, json!(all[0]), "Done"));
    let several = moved(&mut session, json!(all[..2]), "Done");
    several["results"].as_array().expect("results").iter().for_each(check);
    // If the message stays in the same mailbox, it must be found there.
    let same = moved(&mut session, json!(all[0]), "In");
    assert_eq!(same.get("unverified"), None, "{same}");
    session.eval("world.keeps = false");
    assert_eq!(moved(&mut session, json!(all[0]), "Done").get("unverified"), None);
}
