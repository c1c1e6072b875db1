//! The gate before writes: the questions, the writes that reach the app, and those that never do.

mod anything;
mod closed;
mod create;
mod hidden;
mod moves;
mod places;
mod session;
mod sets;

use iac_core::Millis;
use iac_core::permission::Choice;
use serde_json::{Value as Json, json};
use session::{Session, shelf};

const ALLOW: &str = "profile = \"trusted\"";

fn set(reference: &Json, property: &str, value: Json) -> Json {
    json!({ "reference": reference, "property": property, "value": value })
}

fn code(body: &Json) -> &str {
    body["error"].as_str().unwrap_or_default()
}

#[test]
fn many_writes_of_one_call_are_asked_once() {
    let mut session = Session::new("", &shelf());
    let all = json!(session.references("thing"));
    session.answers = vec![Choice::Once];
    let outcome = session.call("iac_mcp_set_property", &set(&all, "flag", json!(true)));
    assert_eq!(session.asked.len(), 1);
    assert_eq!(
        session.asked[0].text(),
        "Shelf: set \"flag\" to true (3 objects)\n\
         - thing \"apple\"\n  \"flag\" old: false\n\
         - thing \"pear\"\n  \"flag\" old: false\n\
         - thing \"plum\"\n  \"flag\" old: false\n\
         MODIFY · it changes properties"
    );
    assert_eq!(session.writes(), json!([[11, "flag", true], [12, "flag", true], [13, "flag", true]]));
    assert_eq!(outcome.body["success"], true);
    let change = &outcome.body["changes"][0];
    assert_eq!(
        (&change["property"], &change["old"], &change["new"], &change["verified"]),
        (&json!("flag"), &json!(false), &json!(true), &json!(true))
    );
}

#[test]
fn without_a_yes_nothing_changes() {
    for (answers, error) in [(vec![Choice::Deny], "permission_denied"), (vec![], "permission_required")] {
        let mut session = Session::new("", &shelf());
        let one = json!(session.references("thing")[0]);
        session.answers = answers;
        let outcome = session.call("iac_mcp_set_property", &set(&one, "flag", json!(true)));
        assert_eq!((outcome.is_error, code(&outcome.body)), (true, error));
        assert_eq!(session.writes(), json!([]));
    }
}

#[test]
fn nobody_to_ask_is_told_what_would_help() {
    let mut session = Session::new("", &shelf());
    let one = json!(session.references("thing")[0]);
    let outcome = session.call("iac_mcp_set_property", &set(&one, "flag", json!(true)));
    assert_eq!(outcome.body["requiresPrompt"], true);
    let line = outcome.body["policyLine"].as_str().expect("a line");
    let mut helped = Session::new(&format!("rules = [{line}]"), &shelf());
    let one = json!(helped.references("thing")[0]);
    assert!(!helped.call("iac_mcp_set_property", &set(&one, "flag", json!(true))).is_error);
}

#[test]
fn a_yes_for_an_hour_counts_for_the_next_ones_and_ends() {
    let mut session = Session::new("", &shelf());
    let things = session.references("thing");
    session.answers = vec![Choice::Hour, Choice::Once];
    for thing in &things {
        assert!(!session.call("iac_mcp_set_property", &set(&json!(thing), "flag", json!(true))).is_error);
    }
    assert_eq!(session.asked.len(), 1);
    session.now = Millis(1_000 + 60 * 60 * 1_000);
    let things = session.references("thing");
    session.call("iac_mcp_set_property", &set(&json!(things[0]), "flag", json!(false)));
    assert_eq!(session.asked.len(), 2);
}

#[test]
fn a_changed_object_is_asked_about_again() {
    let mut session = Session::new("", &shelf());
    let one = json!(session.references("thing")[0]);
    session.answers = vec![Choice::Once, Choice::Deny];
    session.eval("const before = events; world.then = {}; world.then[before + 3] = 'world.things[0].name = \"changed meanwhile\"';");
    let outcome = session.call("iac_mcp_set_property", &set(&one, "name", json!("new")));
    assert_eq!(session.asked.len(), 2, "{}", outcome.body);
    assert!(
        session.asked[1].text().contains("\"name\" old: \"changed meanwhile\"\n  \"name\" new: \"new\""),
        "{}",
        session.asked[1].text()
    );
    assert_eq!(session.writes(), json!([]));
}

#[test]
fn what_is_wrong_is_refused_before_any_event() {
    let mut session = Session::new(ALLOW, &shelf());
    let one = json!(session.references("thing")[0]);
    let before = session.ask("events");
    for (property, value, error) in [
        ("flagg", json!(true), "unknown_property"),
        ("id", json!(3), "property_read_only"),
        ("flag", json!("yes"), "type_mismatch"),
        ("count", json!("many"), "type_mismatch"),
        ("when", json!("soon"), "type_mismatch"),
        ("mood", json!("excellent"), "type_mismatch"),
    ] {
        let outcome = session.call("iac_mcp_set_property", &set(&one, property, value));
        assert_eq!(code(&outcome.body), error, "{}", outcome.body);
    }
    assert_eq!(session.ask("events"), before);
}

#[test]
fn values_of_every_kind_arrive_and_are_verified() {
    let mut session = Session::new(ALLOW, &shelf());
    let one = json!(session.references("thing")[0]);
    let properties = json!({ "count": 7, "when": "2026-01-27T10:30:00Z", "mood": "very good", "name": "Müller \u{2028}\"'\\" });
    let outcome =
        session.call("iac_mcp_set_property", &json!({ "reference": one, "properties": properties }));
    let changes = outcome.body["changes"].as_array().expect("changes");
    assert!(changes.iter().all(|change| change["verified"] == json!(true)), "{}", outcome.body);
    assert_eq!(session.ask("world.things[0].when.date"), json!(1_769_509_800_000_i64));
    assert_eq!(session.ask("world.things[0].mood"), json!("very good"));
}

#[test]
fn one_object_is_set_whole_or_not_at_all() {
    let mut world = shelf();
    world["locked"] = json!(["mood"]);
    let mut session = Session::new(ALLOW, &world);
    let all = json!(session.references("thing"));
    let properties = json!({ "flag": true, "mood": "very good" });
    let outcome =
        session.call("iac_mcp_set_property", &json!({ "reference": all, "properties": properties }));
    assert_eq!(outcome.body["success"], false);
    assert_eq!(code(&outcome.body["changes"][0]["error"]), "property_read_only", "{}", outcome.body);
    assert!(outcome.body["changes"][0]["error"]["note"].as_str().expect("a note").contains("put back"));
    assert_eq!(session.ask("world.things.map(thing => thing.flag)"), json!([false, false, false]));
}

#[test]
fn a_write_that_is_ignored_is_not_verified() {
    let mut world = shelf();
    world["deaf"] = json!(["flag"]);
    let mut session = Session::new(ALLOW, &world);
    let one = json!(session.references("thing")[0]);
    let outcome = session.call("iac_mcp_set_property", &set(&one, "flag", json!(true)));
    let change = &outcome.body["changes"][0];
    assert_eq!(
        (&outcome.body["success"], &change["verified"], &change["new"], &change["undo"]),
        (&json!(false), &json!(false), &json!(false), &Json::Null)
    );
    assert!(change["note"].as_str().expect("a note").contains("kept another"));
}

#[test]
fn what_can_only_be_written_is_not_verified() {
    let mut session = Session::new(ALLOW, &shelf());
    let one = json!(session.references("thing")[0]);
    let outcome = session.call("iac_mcp_set_property", &set(&one, "drop", json!("x")));
    assert_eq!(outcome.body["changes"][0]["verified"], false);
    assert_eq!(session.writes(), json!([[11, "drop", "x"]]));
}

#[test]
fn an_app_that_dies_leaves_the_outcome_unknown() {
    let mut world = shelf();
    world["dies"] = json!("flag");
    let mut session = Session::new(ALLOW, &world);
    let all = json!(session.references("thing"));
    let outcome = session.call("iac_mcp_set_property", &set(&all, "flag", json!(true)));
    let changes = &outcome.body["changes"];
    assert_eq!(changes[0]["error"]["outcome"], "unknown", "{}", outcome.body);
    assert_eq!(changes[0]["error"]["retryable"], false);
    assert_eq!(code(&changes[1]["error"]), "unavailable");
    assert!(outcome.is_error);
}

#[test]
fn a_neighbour_is_never_touched() {
    let mut session = Session::new("rules = [{ property = \"flag\", decision = \"allow\" }]", &shelf());
    let things = session.references("thing");
    session.eval("world.things.unshift({ id: 10, name: 'newcomer', flag: false })");
    session.call("iac_mcp_set_property", &set(&json!(things[0]), "flag", json!(true)));
    assert_eq!(session.writes(), json!([[11, "flag", true]]));
    session.eval("world.things = world.things.filter(thing => thing.id !== 12)");
    let outcome = session.call("iac_mcp_set_property", &set(&json!(things[1]), "flag", json!(true)));
    assert_eq!(code(&outcome.body), "reference_invalid");
    let boxes = session.references("box");
    session.eval("world.boxes.unshift({ name: 'a', flag: false })");
    let outcome = session.call("iac_mcp_set_property", &set(&json!(boxes[0]), "flag", json!(true)));
    assert_eq!(code(&outcome.body), "reference_moved", "{}", outcome.body);
    assert_eq!(session.writes().as_array().map(Vec::len), Some(1));
}

#[test]
fn what_only_a_place_leads_to_is_asked_about_even_where_all_is_trusted() {
    let mut session = Session::new(ALLOW, &shelf());
    let slips = session.references("slip");
    session.answers = vec![Choice::Hour, Choice::Once];
    let outcome = session.call("iac_mcp_set_property", &set(&json!(slips[0]), "flag", json!(true)));
    assert_eq!(code(&outcome.body), "", "{}", outcome.body);
    session.call("iac_mcp_set_property", &set(&json!(slips[1]), "flag", json!(true)));
    assert_eq!(session.asked.len(), 2, "a yes for one place is none for another");
}

#[test]
fn a_write_is_taken_back_through_the_same_gate() {
    let mut session = Session::new("", &shelf());
    let one = json!(session.references("thing")[0]);
    session.answers = vec![Choice::Once, Choice::Once];
    let outcome = session.call("iac_mcp_set_property", &set(&one, "name", json!("new")));
    let undo = outcome.body["undo"].clone();
    let outcome = session.call("iac_mcp_undo", &json!({ "undo": undo }));
    assert_eq!(outcome.body["success"], true, "{}", outcome.body);
    assert_eq!(session.asked.len(), 2);
    assert_eq!(session.ask("world.things[0].name"), json!("apple"));
    let again = session.call("iac_mcp_undo", &json!({ "undo": undo }));
    assert_eq!(code(&again.body), "invalid_parameter");
}

#[test]
fn what_somebody_changed_since_is_not_taken_back_unasked() {
    let mut session = Session::new(ALLOW, &shelf());
    let one = json!(session.references("thing")[0]);
    let outcome = session.call("iac_mcp_set_property", &set(&one, "name", json!("new")));
    session.eval("world.things[0].name = 'of somebody else'");
    let undo = outcome.body["undo"].clone();
    let outcome = session.call("iac_mcp_undo", &json!({ "undo": undo }));
    assert!(outcome.is_error, "{}", outcome.body);
    assert_eq!(session.ask("world.things[0].name"), json!("of somebody else"));
}

#[test]
fn what_may_not_be_read_does_not_come_back_from_a_write() {
    let policy =
        "profile = \"trusted\"\nrules = [{ property = \"secret\", level = \"SAFE\", decision = \"deny\" }]";
    let mut session = Session::new(policy, &shelf());
    let one = json!(session.references("thing")[0]);
    let outcome = session.call("iac_mcp_set_property", &set(&one, "secret", json!("new")));
    assert!(!outcome.body.to_string().contains("s3cret"), "{}", outcome.body);
    assert_eq!(outcome.body["changes"][0]["verified"], true);
}

#[test]
fn what_identifies_an_object_can_be_written_and_taken_back() {
    let mut session = Session::new(ALLOW, &shelf());
    let boxes = session.references("box");
    let both = json!({ "reference": boxes[0], "properties": { "name": "renamed", "flag": true } });
    let outcome = session.call("iac_mcp_set_property", &both);
    assert_eq!(outcome.body["success"], true, "{}", outcome.body);
    assert_eq!(outcome.body["changes"][1]["new"], "renamed", "the name is set last: {}", outcome.body);
    let read =
        session.call("iac_mcp_get_properties", &json!({ "reference": boxes[0], "properties": ["name"] }));
    assert_eq!(read.body["properties"]["name"], "renamed", "the reference follows: {}", read.body);
    assert_eq!(session.undos.len(), 2, "one id takes both back");
    let outcome = session.call("iac_mcp_undo", &json!({ "undo": outcome.body["undo"] }));
    assert_eq!(outcome.body["success"], true, "{}", outcome.body);
    assert_eq!(session.ask("world.boxes"), shelf()["boxes"]);
    let read =
        session.call("iac_mcp_get_properties", &json!({ "reference": boxes[0], "properties": ["name"] }));
    assert_eq!(read.body["properties"]["name"], "a", "and follows back: {}", read.body);
}

#[test]
fn the_last_call_is_taken_back_and_all_of_them_are_listed() {
    let mut session = Session::new(ALLOW, &shelf());
    let all = session.references("thing");
    session.call("iac_mcp_set_property", &set(&json!(all[..2]), "flag", json!(true)));
    session.now = session.now + Millis(1_000);
    let both = json!({ "reference": all[2], "properties": { "count": 7, "name": "kiwi" } });
    let last = session.call("iac_mcp_set_property", &both).body["undo"].clone();
    let list = session.call("iac_mcp_undo", &json!({ "list": true })).body;
    let told = list["undo"].as_array().expect("a list");
    assert_eq!((told.len(), &told[0]["undo"]), (2, &last), "{list}");
    assert_eq!(told[0]["at"], "1970-01-01T00:00:02Z");
    assert_eq!(told[1]["wrote"], json!(["set flag of 2: thing id 11, thing id 12"]), "{list}");
    let back = session.call("iac_mcp_undo", &json!({ "last": true }));
    assert_eq!(back.body["success"], true, "{}", back.body);
    assert_eq!(session.ask("[world.things[2].name, world.things[2].count]"), json!(["plum", 13]));
    assert_eq!(session.ask("world.things.map(thing => thing.flag)"), json!([true, true, false]));
    // A write that was undone is not the last write.
    assert_eq!(session.call("iac_mcp_undo", &json!({ "last": true })).body["success"], true);
    assert_eq!(session.ask("world.things.map(thing => thing.flag)"), json!([false, false, false]));
    session.now = session.now + Millis(3_600_000);
    assert_eq!(session.call("iac_mcp_undo", &json!({ "list": true })).body["undo"], json!([]));
    assert_eq!(code(&session.call("iac_mcp_undo", &json!({ "last": true })).body), "invalid_parameter");
    let two = session.call("iac_mcp_undo", &json!({ "last": true, "list": true }));
    assert_eq!(code(&two.body), "invalid_parameter");
}

#[test]
fn what_is_so_already_is_neither_asked_nor_written() {
    for policy in ["", ALLOW] {
        let mut session = Session::new(policy, &shelf());
        let one = json!(session.references("thing")[0]);
        session.answers = vec![Choice::Once];
        let same =
            json!({ "reference": one, "properties": { "flag": false, "when": "1970-01-01T00:00:00Z" } });
        let outcome = session.call("iac_mcp_set_property", &same);
        assert_eq!(
            (&outcome.body["success"], &outcome.body["undo"]),
            (&json!(true), &Json::Null),
            "{}",
            outcome.body
        );
        assert_eq!((session.asked.len(), session.writes()), (0, json!([])));
        let other = json!({ "reference": one, "properties": { "flag": false, "count": 7 } });
        assert_eq!(session.call("iac_mcp_set_property", &other).body["success"], true);
        assert_eq!(session.writes(), json!([[11, "count", 7]]), "of two properties the one that differs");
    }
}

#[test]
fn a_few_events_do_it() {
    let mut session = Session::new(ALLOW, &shelf());
    let all = json!(session.references("thing"));
    session.call("iac_mcp_set_property", &set(&all, "flag", json!(true)));
    assert_eq!(session.events, 9, "read, set and read back, for each of three");
}

fn delete(targets: &[String]) -> Json {
    json!({ "app": "Shelf", "command": "delete", "target": targets })
}

#[test]
fn a_dangerous_command_shows_what_it_would_touch() {
    let mut session = Session::new("", &shelf());
    let things = session.references("thing");
    session.answers = vec![Choice::Once];
    let outcome = session.call("iac_mcp_run_command", &delete(&things[..2]));
    assert!(!outcome.is_error, "{}", outcome.body);
    assert_eq!(
        session.asked[0].text(),
        "Shelf: run \"delete\" (2 objects)\n- thing \"apple\"\n- thing \"pear\"\n\
         Note: this server cannot restore deleted objects\nDANGEROUS · it deletes objects"
    );
    assert_eq!(session.asked[0].choices(), [Choice::Once, Choice::Hour, Choice::Deny]);
    assert_eq!(session.ask("world.things.length"), json!(1));
}

#[test]
fn a_yes_for_an_hour_is_one_for_the_class_that_was_shown() {
    let mut session = Session::new("", &shelf());
    let (things, boxes) = (session.references("thing"), session.references("box"));
    session.answers = vec![Choice::Hour, Choice::Hour];
    assert!(!session.call("iac_mcp_run_command", &delete(&things[..1])).is_error);
    assert!(!session.call("iac_mcp_run_command", &delete(&things[1..2])).is_error);
    assert_eq!(session.asked.len(), 1);
    assert!(!session.call("iac_mcp_run_command", &delete(&[things[2].clone(), boxes[0].clone()])).is_error);
    assert_eq!(session.asked.len(), 2, "a box is asked about, also beside a thing");
    session.answers = vec![Choice::Deny];
    let set = set(&json!(boxes[1]), "flag", json!(true));
    assert_eq!(code(&session.call("iac_mcp_set_property", &set).body), "permission_denied");
}

#[test]
fn an_app_that_does_not_run_shows_nothing_so_nothing_is_done_to_it() {
    for policy in ["", ALLOW] {
        for target in [
            json!({ "type": "element", "element": "thing", "index": 0, "container": "application" }),
            json!([{ "type": "id", "element": "thing", "id": 11, "container": "application" },
                { "type": "element", "element": "thing", "index": 1, "container": "application" }]),
        ] {
            let mut session = Session::new(policy, &shelf());
            session.eval("dead = true");
            session.answers = vec![Choice::Once];
            let call = json!({ "app": "Shelf", "command": "delete", "target": target });
            let outcome = session.call("iac_mcp_run_command", &call);
            assert_eq!(code(&outcome.body), "app_not_running", "{}", outcome.body);
            // The only question is whether to open the app; a profile allows the requested action and no more.
            let asked: Vec<String> =
                session.asked.iter().map(|question| question.text().to_owned()).collect();
            let is_launch = |text: &String| text.contains("open it in the background");
            assert!(
                asked.len() == usize::from(policy.is_empty()) && asked.iter().all(is_launch),
                "{asked:?}"
            );
            assert_eq!(session.writes(), json!([]));
        }
    }
}

#[test]
fn always_is_no_answer_to_what_is_dangerous() {
    let mut session = Session::new("", &shelf());
    let things = session.references("thing");
    session.answers = vec![Choice::Always];
    let outcome = session.call("iac_mcp_run_command", &delete(&things[..1]));
    assert_eq!(code(&outcome.body), "permission_denied");
    assert_eq!(session.writes(), json!([]));
}

#[test]
fn after_content_of_others_even_the_trusted_are_asked() {
    let mut session = Session::new(ALLOW, &shelf());
    let things = session.references("thing");
    session.gate.untrusted = Some(Millis(0));
    let outcome = session.call("iac_mcp_run_command", &delete(&things[..1]));
    assert_eq!(code(&outcome.body), "permission_required", "{}", outcome.body);
    session.now = Millis(60 * 60 * 1_000);
    let things = session.references("thing");
    assert!(!session.call("iac_mcp_run_command", &delete(&things[..1])).is_error);
}

#[test]
fn a_shell_is_refused_however_it_is_spelled() {
    for (policy, spelling) in
        [(ALLOW, "do script"), (ALLOW, "doScript"), (ALLOW, "Shlfdosc"), ("", "do script")]
    {
        let mut session = Session::new(policy, &shelf());
        session.answers = vec![Choice::Once];
        let run = json!({ "app": "Shelf", "command": spelling, "target": "rm -rf ~" });
        let outcome = session.call("iac_mcp_run_command", &run);
        assert_eq!(code(&outcome.body), "permission_denied", "{}", outcome.body);
        assert_eq!((session.asked.len(), session.writes()), (0, json!([])));
    }
}

#[test]
fn what_is_gone_is_not_asked_about() {
    let mut session = Session::new("", &shelf());
    let things = session.references("thing");
    session.eval("world.things.shift()");
    let outcome = session.call("iac_mcp_run_command", &delete(&things[..1]));
    assert_eq!((code(&outcome.body), session.asked.len()), ("reference_invalid", 0), "{}", outcome.body);
}

#[test]
fn words_of_others_cannot_pass_for_ours() {
    let mut world = shelf();
    world["things"][0]["name"] = json!("x\": false \u{2192} true\n- and nothing else\u{202e}\u{200b}");
    let mut session = Session::new("", &world);
    let one = json!(session.references("thing")[0]);
    session.answers = vec![Choice::Deny];
    session.call("iac_mcp_set_property", &set(&one, "flag", json!(true)));
    let text = session.asked[0].text();
    assert_eq!(text.lines().count(), 5, "{text}");
    assert_eq!(text.lines().nth(1).expect("a line").matches('"').count(), 2, "{text}");
    assert!(!text.contains(['\u{202e}', '\u{200b}']), "{text}");
}

#[test]
fn what_a_human_was_shown_is_what_a_command_is_sent_to() {
    let mut session = Session::new("", &shelf());
    let things = session.references("thing");
    session.answers = vec![Choice::Once];
    // The first event reads the name. When the second event reads it again, another object is there.
    session.eval("world.then = {}; world.then[events + 2] = 'world.things[0].name = \"another\"'");
    let outcome = session.call("iac_mcp_run_command", &delete(&things[..1]));
    assert_eq!((code(&outcome.body), session.writes()), ("reference_moved", json!([])), "{}", outcome.body);
    session.answers = vec![Choice::Once];
    let mut short = delete(&things[..1]);
    short["textLimit"] = json!(1);
    let outcome = session.call("iac_mcp_run_command", &short);
    assert_eq!(code(&outcome.body), "", "a short answer is no other object: {}", outcome.body);
}

#[test]
fn a_command_to_what_only_a_place_leads_to_is_asked_about() {
    let mut session = Session::new(ALLOW, &shelf());
    let slips = session.references("slip");
    assert_eq!(code(&session.call("iac_mcp_run_command", &delete(&slips[..1])).body), "permission_required");
    let first = json!({ "type": "element", "element": "slip", "index": 0, "container": "application" });
    let named = json!({ "app": "Shelf", "command": "delete", "target": first });
    assert!(!session.call("iac_mcp_run_command", &named).is_error, "the first one is meant, whichever it is");
    let policy = "rules = [{ command = \"delete\", decision = \"allow\" }]";
    let mut named = Session::new(policy, &shelf());
    let slips = named.references("slip");
    assert!(!named.call("iac_mcp_run_command", &delete(&slips[..1])).is_error);
}

#[test]
fn a_closed_file_is_refused_under_every_profile() {
    use iac_core::permission::{Closed, Where};
    let places = || [(Where::InHome("Library/state".to_owned()), "the state directory".to_owned())];
    for policy in ["profile = \"read-only\"", "", ALLOW, "rules = [{ decision = \"allow\" }]"] {
        let mut session = Session::new(policy, &shelf());
        session.gate.closed = Closed::new("/Users/alex", places()).into();
        let one = json!(session.references("thing")[0]);
        session.answers = vec![Choice::Once, Choice::Once];
        let outcome =
            session.call("iac_mcp_set_property", &set(&one, "name", json!("~/library/STATE/policy.toml")));
        assert_eq!(code(&outcome.body), "permission_denied", "{}", outcome.body);
        assert!(outcome.body["message"].as_str().unwrap_or_default().contains("the state directory"));
        assert_eq!((session.asked.len(), session.writes()), (0, json!([])));
    }
}

/// A model gets short answers, but a plugin is a program and gets the full one.
#[test]
fn a_plugin_gets_longer_lists() {
    let mut world = shelf();
    let things = (0..400).map(|id| json!({ "id": id, "name": "n".repeat(200) })).collect::<Vec<_>>();
    world["things"] = json!(things);
    let wanted = json!({
        "app": "Shelf", "container": "application", "elementType": "thing", "properties": ["name"], "limit": 400,
    });
    let mut session = Session::new("", &world);
    let short = session.call("iac_mcp_get_elements", &wanted).body;
    assert!(short["count"].as_u64() < Some(200) && short["hasMore"] == true, "{}", short["count"]);
    session.gate.plugin = Some("demo".to_owned());
    let whole = session.call("iac_mcp_get_elements", &wanted).body;
    assert_eq!((&whole["count"], &whole["hasMore"]), (&json!(400), &json!(false)));
}

/// Every part of the action and of the question counts in the digest.
#[test]
fn two_questions_that_differ_have_two_digests() {
    let mut digests = std::collections::BTreeSet::new();
    let mut count = 0;
    for (thing, property, value) in [
        (0, "name", json!("x")),
        (0, "name", json!("y")),
        (1, "name", json!("x")),
        (0, "secret", json!("x")),
        (0, "flag", json!(true)),
    ] {
        let mut session = Session::new("", &shelf());
        let things = session.references("thing");
        session.answers = vec![Choice::Deny];
        session.call("iac_mcp_set_property", &set(&json!(things[thing]), property, value));
        digests.insert(session.asked[0].digest().to_hex());
        count += 1;
    }
    for targets in [0..1, 0..2, 1..2, 0..3] {
        let mut session = Session::new("", &shelf());
        let things = session.references("thing");
        session.answers = vec![Choice::Deny];
        session.call("iac_mcp_run_command", &delete(&things[targets]));
        digests.insert(session.asked[0].digest().to_hex());
        count += 1;
    }
    assert_eq!(digests.len(), count);
}

#[test]
fn objects_take_values_of_their_own_in_one_call() {
    let mut session = Session::new("", &shelf());
    let things = session.references("thing");
    let changes = json!([
        { "reference": things[0], "properties": { "count": 7 } },
        { "reference": things[1], "property": "count", "value": 8 },
    ]);
    session.answers = vec![Choice::Once];
    let outcome = session.call("iac_mcp_set_property", &json!({ "changes": changes }));
    assert_eq!(outcome.body["success"], true, "{}", outcome.body);
    assert_eq!(session.asked.len(), 1, "one question is about all of them");
    let new: Vec<&Json> =
        outcome.body["changes"].as_array().unwrap().iter().map(|each| &each["new"]).collect();
    assert_eq!(new, [7, 8], "{}", outcome.body);
    assert!(outcome.body["undo"].is_string(), "{}", outcome.body);

    let twice = json!([
        { "reference": things[0], "properties": { "count": 1 } },
        { "reference": things[0], "properties": { "flag": true } },
    ]);
    let refused = session.call("iac_mcp_set_property", &json!({ "changes": twice }));
    assert!(refused.is_error, "{}", refused.body);
    let both = json!({ "changes": changes, "property": "count", "value": 1 });
    assert!(session.call("iac_mcp_set_property", &both).is_error);
}

#[test]
fn a_deletion_that_is_ignored_is_not_verified() {
    // An object with an id, one with only a name, and one with only a position, which later leads to another object.
    let one = |kind: &str, index: u8| json!({ "type": "element", "element": kind, "index": index, "container": "application" });
    for (target, is_told) in [
        (one("thing", 0), true),
        (one("box", 0), true),
        (json!({ "type": "named", "element": "box", "name": "a", "container": "application" }), true),
        (one("slip", 0), false),
        (json!([one("thing", 0), one("thing", 1)]), true),
    ] {
        let delete = json!({ "app": "Shelf", "command": "delete", "target": target });
        for keeps in [true, false] {
            let mut session = Session::new(ALLOW, &shelf());
            session.answers = vec![Choice::Once];
            session.eval(&format!("world.keeps = {keeps}"));
            let done = session.call("iac_mcp_run_command", &delete).body;
            assert_eq!(done["success"], true, "{done}");
            let all = done["results"].as_array().cloned().unwrap_or_else(|| vec![done.clone()]);
            let is_unverified = all.iter().all(|each| each.get("unverified").is_some());
            assert_eq!(is_unverified, keeps && is_told, "{target}: {done}");
        }
    }
}

#[test]
fn what_an_undo_did_not_delete_can_be_tried_again() {
    for names in [&["jar"][..], &["jar", "can"]] {
        let mut session = Session::new(ALLOW, &shelf());
        let objects: Vec<Json> = names.iter().map(|name| json!({ "properties": { "name": name } })).collect();
        let made =
            session.call("iac_mcp_create", &json!({ "app": "Shelf", "class": "thing", "objects": objects }));
        session.eval("world.keeps = true");
        let back = session.call("iac_mcp_undo", &json!({ "undo": made.body["undo"] }));
        assert_eq!((&back.body["success"], back.is_error), (&json!(false), true), "{}", back.body);
        assert_eq!(back.body["changes"][0]["created"], "still there", "{}", back.body);
        session.eval("world.keeps = false");
        let again = session.call("iac_mcp_undo", &json!({ "undo": made.body["undo"] })).body;
        assert_eq!(
            (&again["success"], session.ask("world.things.length")),
            (&json!(true), json!(3)),
            "{again}"
        );
    }
}

#[test]
fn what_was_added_to_a_new_object_is_not_deleted_with_it() {
    let made = |session: &mut Session| {
        session.answers = vec![Choice::Once, Choice::Once];
        let create = json!({ "app": "Shelf", "class": "thing", "properties": { "name": "jar" } });
        session.call("iac_mcp_create", &create).body["undo"].clone()
    };
    for policy in ["", ALLOW] {
        for (change, named) in [
            ("world.things[3].secret = 'call her back'", "(changed: secret)"),
            (
                "world.things[3].count = 5; world.things[3].when = { date: 86400000 }",
                "(changed: count, when)",
            ),
            ("delete world.things[3].flag", "(changed: flag)"),
        ] {
            let mut session = Session::new(policy, &shelf());
            session.eval("world.whole = true");
            let undo = made(&mut session);
            let kept = serde_json::to_string(&session.undos).expect("plain data");
            session.eval(change);
            let back = session.call("iac_mcp_undo", &json!({ "undo": undo })).body;
            assert_eq!(code(&back), "reference_moved", "{change}: {back}");
            let message = back["message"].as_str().unwrap_or_default();
            assert!(policy == ALLOW || message.contains(named), "{change}: {message}");
            assert_eq!(session.ask("world.things.length"), json!(4), "{kept}");
        }
        // No one changed the object. The app gives all its properties at once, or one by one.
        for whole in [true, false] {
            let mut session = Session::new(policy, &shelf());
            session.eval(&format!("world.whole = {whole}"));
            let undo = made(&mut session);
            let back = session.call("iac_mcp_undo", &json!({ "undo": undo })).body;
            assert_eq!(
                (&back["success"], session.ask("world.things.length")),
                (&json!(true), json!(3)),
                "{back}"
            );
        }
    }
}

#[test]
fn the_undo_of_a_new_object_keeps_no_text() {
    let mut session = Session::new(ALLOW, &shelf());
    session.eval("world.whole = true; globalThis.noted = (what, row) => { if (what === 'make') row.secret = 'a private word'; }");
    session.call(
        "iac_mcp_create",
        &json!({ "app": "Shelf", "class": "thing", "properties": { "name": "jar" } }),
    );
    let kept = serde_json::to_string(&session.undos).expect("plain data");
    assert!(kept.contains("secret ") && !kept.contains("private"), "{kept}");
}
