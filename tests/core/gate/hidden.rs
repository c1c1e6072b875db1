//! If a rule hides a value from the client, it stays hidden after a write, too: in refusals, in undo records, and
//! against guesses.

use iac_core::permission::Choice;
use serde_json::{Value as Json, json};

use super::session::{Session, shelf};
use super::{code, set};

const NO_SECRET: &str = "rules = [{ property = \"secret\", level = \"SAFE\", decision = \"deny\" }]";
const NO_NAME: &str = "rules = [{ property = \"name\", level = \"SAFE\", decision = \"deny\" }]";

#[test]
fn a_refused_undo_does_not_tell_the_old_value() {
    for answers in [vec![], vec![Choice::Deny]] {
        let mut session = Session::new(NO_SECRET, &shelf());
        let one = json!(session.references("thing")[0]);
        session.answers = vec![Choice::Once];
        let wrote = session.call("iac_mcp_set_property", &set(&one, "secret", json!("gone")));
        assert_eq!(wrote.body["success"], true, "{}", wrote.body);
        session.answers = answers;
        let refused = session.call("iac_mcp_undo", &json!({ "last": true }));
        assert!(session.asked[1].text().contains("s3cret"), "the human sees it: {}", session.asked[1].text());
        assert!(!refused.body.to_string().contains("s3cret"), "{}", refused.body);
        let message = refused.body["message"].as_str().unwrap_or_default();
        assert!(message.starts_with("Take back an earlier change. Shelf: set \"secret\": "), "{message}");
    }
}

#[test]
fn what_can_be_undone_is_named_by_its_path_where_its_name_is_hidden() {
    for (policy, named) in [("", true), (NO_NAME, false)] {
        let mut session = Session::new(policy, &shelf());
        let one = json!(session.references("thing")[0]);
        session.answers = vec![Choice::Once];
        session.call("iac_mcp_set_property", &set(&one, "flag", json!(true)));
        assert!(session.asked[0].text().contains("thing \"apple\""));
        let list = session.call("iac_mcp_undo", &json!({ "list": true })).body;
        let expected = if named { "set flag of thing \"apple\"" } else { "set flag of thing id 11" };
        assert_eq!(list["undo"][0]["wrote"][0], expected, "{list}");
        session.answers = vec![Choice::Once];
        let back = session.call("iac_mcp_undo", &json!({ "last": true })).body;
        let object = if named { "thing \"apple\"" } else { "thing id 11" };
        assert_eq!(back["changes"][0]["object"], object, "{back}");
    }
}

/// The server identifies an object without an id by its name. The reference still leads to that object.
#[test]
fn what_is_known_by_its_name_is_shown_without_a_name_that_is_hidden() {
    let mut shelf = shelf();
    shelf["trays"] = json!([{ "name": "private", "things": [] }]);
    for (policy, is_named) in [("", true), (NO_NAME, false)] {
        let mut session = Session::new(policy, &shelf);
        let tray =
            session.call("iac_mcp_query_object", &json!({ "app": "Shelf", "specifier": "tray 1" })).body;
        assert!(tray["reference"]["id"].is_string(), "{tray}");
        assert_eq!(tray["reference"].get("name").is_some(), is_named, "{tray}");
        assert_eq!(tray.to_string().contains("private"), is_named, "{tray}");
    }
}

#[test]
fn a_write_that_cannot_be_undone_or_was_changed_since_is_named_by_its_path() {
    let mut session = Session::new(NO_NAME, &shelf());
    let one = json!(session.references("thing")[0]);
    session.answers = vec![Choice::Once, Choice::Once];
    session.call("iac_mcp_set_property", &set(&one, "flag", json!(true)));
    session.eval("world.things[0].flag = \"other\"");
    let changed = session.call("iac_mcp_undo", &json!({ "last": true })).body;
    assert!(changed.to_string().contains("thing id 11 was changed since"), "{changed}");
    session.eval("world.things[0].flag = null");
    let wrote = session.call("iac_mcp_set_property", &set(&one, "flag", json!(true))).body;
    assert_eq!((&wrote["success"], &wrote["undo"]), (&json!(true), &Json::Null), "{wrote}");
    let lasting = session.call("iac_mcp_undo", &json!({ "last": true })).body;
    assert!(lasting.to_string().contains("set flag of thing id 11"), "{lasting}");
}

#[test]
fn a_right_guess_is_answered_as_a_wrong_one() {
    let with_guess = |guess: &str, policy: &str, answers: &[Choice]| {
        let mut session = Session::new(policy, &shelf());
        let one = json!(session.references("thing")[0]);
        session.answers = answers.to_vec();
        let mut body = session.call("iac_mcp_set_property", &set(&one, "secret", json!(guess))).body;
        body["undo"] = json!(body["undo"].is_string());
        (session.asked.len(), body)
    };
    let own = format!(
        "{}, {{ property = \"secret\", level = \"MODIFY\", decision = \"allow\" }}]",
        &NO_SECRET[..NO_SECRET.len() - 1]
    );
    for (policy, answers) in [(NO_SECRET, &[Choice::Once][..]), (&own, &[])] {
        let (asked, right) = with_guess("s3cret", policy, answers);
        assert_eq!((asked, right.clone()), with_guess("wrong", policy, answers));
        assert_eq!((&right["success"], &right["undo"]), (&json!(true), &Json::Bool(true)), "{right}");
        assert!(right["changes"][0].get("note").is_none(), "{right}");
    }
    let (_, refused) = with_guess("s3cret", NO_SECRET, &[Choice::Deny]);
    assert_eq!(code(&refused), "permission_denied");
}
