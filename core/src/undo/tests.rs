use super::*;

#[test]
fn every_way_is_read_as_it_was_written() {
    let null = Json::Null;
    for way in [
        Way::Set {
            property: "name".to_owned(),
            old: null.clone(),
            now: null.clone(),
            looks: vec![("creationDate".to_owned(), json!("x"))],
        },
        Way::Move {
            from: null.clone(),
            to: null.clone(),
            landed: None,
            element: "file".to_owned(),
            looks: vec![("creationDate".to_owned(), json!("x"))],
        },
        Way::Call { plugin: "p".to_owned(), tool: "t".to_owned(), arguments: serde_json::Map::new() },
        Way::Lasting { lasting: "ran \"empty\"".to_owned(), why: NO_REVERSE.to_owned() },
    ] {
        let (id, app, words) = ("undo_a".to_owned(), "com.example.App".to_owned(), "x".to_owned());
        let undo = Undo {
            id,
            call: None,
            is_undo: false,
            app,
            object: null.clone(),
            words,
            mark: None,
            at: Millis(1),
            way,
        };
        let text = serde_json::to_string(&undo).expect("plain data");
        assert_eq!(serde_json::from_str::<Undo>(&text).expect("it was just written"), undo, "{text}");
    }
}

#[test]
fn a_path_follows_its_object() {
    let at = |id: &str, of: &Json| json!({ "type": "id", "element": "note", "id": id, "container": of });
    let folder = |name: &str| json!({ "type": "named", "element": "folder", "name": name, "container": "application" });
    let (app, old, new) = (json!("application"), folder("A"), folder("B"));
    let body = |of: Json| json!({ "type": "property", "property": "body", "of": of });
    let check = |path: &Json, from: &Json, to: &Json, expected: Option<&Json>| {
        assert_eq!(replaced(path, from, to).as_ref(), expected, "{path}");
    };
    for path in [at("a", &old), at("a", &folder("C")), at("a", &app)] {
        check(&path, &at("a", &old), &at("b", &new), Some(&at("b", &new)));
    }
    check(&at("a", &app), &at("a", &old), &at("a", &new), Some(&at("a", &app)));
    check(&at("x", &old), &at("a", &old), &at("b", &new), None);
    check(&at("a", &old), &old, &new, Some(&at("a", &new)));
    check(&body(at("a", &old)), &at("a", &old), &at("b", &new), Some(&body(at("b", &new))));
}

/// Records of earlier versions can still be read. Those versions knew neither calls nor new objects.
#[test]
fn what_was_kept_before_is_still_read() {
    let kept = json!([
        { "id": "undo_a", "app": "com.apple.mail", "object": "application", "words": "x", "mark": null, "at": 5,
          "property": "name", "old": "a", "now": "b" },
        { "id": "undo_b", "app": "com.apple.mail", "object": "application", "words": "y", "mark": "m", "at": 6,
          "from": "application", "to": "application", "landed": null, "element": "message" },
    ]);
    let read: Vec<Undo> = serde_json::from_value(kept.clone()).expect("it is understood");
    assert!(matches!((&read[0].way, &read[1].way), (Way::Set { .. }, Way::Move { .. })));
    assert_eq!(read[0].shown_id(), "undo_a");
    assert_eq!(serde_json::to_value(&read).expect("plain data"), kept);
}

#[test]
fn the_last_change_may_have_no_way_back() {
    let kept = json!([{ "id": "undo_a", "app": "com.apple.mail", "object": "application", "words": "x", "mark": null,
        "at": 5, "property": "name", "old": "a", "now": "b" }]);
    let mut known: Vec<Undo> = serde_json::from_value(kept).expect("it is understood");
    let find = |wanted: &Wanted, known: &[Undo]| find(wanted, known, Millis(9));
    assert_eq!(find(&Wanted::Last, &known).map(|found| found.len()), Ok(1));
    let id = RefId::from_random([7; 10]);
    let did = "Calendar ran \"delete\"".to_owned();
    known.push(Undo::lasting("com.apple.iCal", did, NO_REVERSE, id, Millis(6)));
    let fault = find(&Wanted::Last, &known).expect_err("it has no inverse");
    assert_eq!(
        fault.message,
        "the last change cannot be taken back: Calendar ran \"delete\": this server knows no reverse of it"
    );
    assert!(
        fault.suggestion.ends_with("can be taken back, by {\"undo\":\"undo_a\"}: set name of x"),
        "{}",
        fault.suggestion
    );
    let fault = find(&Wanted::Last, &known[1..]).expect_err("there is no other");
    assert!(!fault.suggestion.contains("undo"), "{}", fault.suggestion);
    let told = list(&find(&Wanted::List(0), &known).expect("all that was written"), 0);
    assert_eq!(told["undo"][0]["undo"], Json::Null);
    assert_eq!(
        told["undo"][0]["noWayBack"],
        json!(["Calendar ran \"delete\": this server knows no reverse of it"])
    );
    assert_eq!((&told["undo"][1]["undo"], &told["undo"][1]["noWayBack"]), (&json!("undo_a"), &Json::Null));
    assert!(find(&Wanted::Ids(vec![known[1].id.clone()]), &known).is_err());
    assert_eq!(find(&Wanted::Ids(vec!["undo_a".to_owned()]), &known).map(|found| found.len()), Ok(1));
}

#[test]
fn a_long_list_shows_the_latest() {
    let way = || Way::Create { made: Vec::new(), stays: Vec::new() };
    let one = |at: u8| Undo {
        way: way(),
        words: format!("list {at}"),
        ..Undo::lasting(
            "com.apple.mail",
            String::new(),
            "",
            RefId::from_random([at; 10]),
            Millis(u64::from(at)),
        )
    };
    let all: Vec<Undo> = (0..12).rev().map(one).collect();
    let told = list(&all, 0);
    assert_eq!((told["undo"].as_array().map(Vec::len), &told["earlier"]), (Some(10), &json!(2)));
    assert_eq!((&told["undo"][0]["wrote"][0], &told["nextOffset"]), (&json!("made list 11"), &json!(10)));
    let rest = list(&all, 10);
    assert_eq!((rest["undo"].as_array().map(Vec::len), &rest["nextOffset"]), (Some(2), &Json::Null));
    assert_eq!(rest["undo"][0]["wrote"][0], "made list 1");
}

#[test]
fn many_objects_of_a_call_stand_in_one_line() {
    let one = |n: u8| Undo {
        call: Some("undo_c".to_owned()),
        words: format!("task \"t{n}\" of list \"Work\""),
        way: Way::Set {
            property: "due date".to_owned(),
            old: Json::Null,
            now: Json::Null,
            looks: Vec::new(),
        },
        ..Undo::lasting("com.apple.reminders", String::new(), "", RefId::from_random([n; 10]), Millis(9))
    };
    let told = list(&(0..25).map(one).collect::<Vec<_>>(), 0);
    assert_eq!(told["undo"][0]["wrote"], json!(["set due date of 25: \"t0\", \"t1\", \"t2\", …"]));
    let told = list(&[one(1)], 0);
    assert_eq!(told["undo"][0]["wrote"], json!(["set due date of task \"t1\" of list \"Work\""]));
}

#[test]
fn what_was_made_is_kept_whole() {
    let made = Made {
        object: json!("application"),
        words: "list \"a\"".to_owned(),
        is_top: true,
        looks: vec![("name".to_owned(), json!("a")), ("#reminders".to_owned(), json!(2))],
        is_lost: false,
    };
    let undo = Undo {
        id: "undo_a".to_owned(),
        call: Some("undo_c".to_owned()),
        is_undo: true,
        app: "x".to_owned(),
        object: json!("application"),
        words: String::new(),
        mark: None,
        at: Millis(1),
        way: Way::Create { made: vec![made], stays: Vec::new() },
    };
    let again: Undo = serde_json::from_str(&json!(undo).to_string()).expect("it is understood");
    assert_eq!(again, undo);
}
