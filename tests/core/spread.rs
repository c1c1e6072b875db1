//! Elements of many containers in one call, against a plain model of the tree: any nesting, empty containers, twins,
//! missing values, columns that the app refuses, and things that appear and disappear meanwhile.

use proptest::prelude::*;
use serde_json::{Value as Json, json};

use crate::engine;

fn thing() -> impl Strategy<Value = Json> {
    let text = prop_oneof![4 => prop::sample::select(&["a", "b", "Ärger", "zz"][..]).prop_map(Json::from), 1 => Just(Json::Null)];
    (0..40_i64, text, -3..4_i64, any::<bool>())
        .prop_map(|(id, text, n, flag)| json!({"id": id, "name": "t", "text": text, "n": n, "flag": flag}))
}

fn box_of(name: &'static str) -> impl Strategy<Value = Json> {
    let things = prop::collection::vec(thing(), 0..5);
    let inner = prop::collection::vec(thing(), 0..3)
        .prop_map(|things| json!({"name": "inner", "things": things, "boxes": []}));
    (things, prop::collection::vec(inner, 0..2))
        .prop_map(move |(things, boxes)| json!({"name": name, "things": things, "boxes": boxes}))
}

/// Rooms of boxes with names, some of which are the same.
fn tree() -> impl Strategy<Value = Json> {
    let boxes = || prop::collection::vec(prop_oneof![box_of("one"), box_of("two"), box_of("three")], 0..4);
    let room = boxes().prop_map(|boxes| json!({"boxes": boxes}));
    (prop::collection::vec(room, 0..4), boxes()).prop_map(|(mut rooms, boxes)| {
        for (at, room) in rooms.iter_mut().enumerate() {
            room["id"] = json!(at + 1);
        }
        json!({"rooms": rooms, "boxes": boxes, "things": []})
    })
}

/// The model's values of each thing in the containers: its text and number, in the app's order.
fn things<'a>(tree: &'a Json, way: &[&str]) -> Vec<&'a Json> {
    let mut nodes = vec![tree];
    for kind in way {
        nodes = nodes.into_iter().flat_map(|node| node[*kind].as_array().unwrap()).collect();
    }
    nodes
}

fn all_boxes(tree: &Json) -> Vec<&Json> {
    let mut level = things(tree, &["boxes"]);
    let mut all = Vec::new();
    while !level.is_empty() {
        all.extend(level.iter().copied());
        level = level.into_iter().flat_map(|node| node["boxes"].as_array().unwrap()).collect();
    }
    all
}

fn shown(body: &Json) -> Vec<(Json, Json)> {
    let elements = body["elements"].as_array().unwrap_or_else(|| panic!("{body}"));
    elements
        .iter()
        .map(|each| (each["properties"]["n"].clone(), each["properties"]["text"].clone()))
        .collect()
}

fn expected(things: &[&Json], least: i64) -> Vec<(Json, Json)> {
    let kept = things.iter().filter(|thing| thing["n"].as_i64().unwrap() >= least);
    kept.map(|thing| (thing["n"].clone(), thing["text"].clone())).collect()
}

fn call(container: Json, least: i64) -> Json {
    json!({"app": "Shelf", "container": container, "elementType": "thing", "properties": ["n", "text"],
        "where": {"property": "n", "op": ">=", "value": least}, "limit": 1000})
}

fn every(element: &str, container: Json) -> Json {
    json!({"type": "every", "element": element, "container": container})
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn every_thing_of_every_box_of_every_room(
        tree in tree(),
        refuses in prop::sample::subsequence(vec!["id", "n", "text", "objects"], 0..4),
        empty in any::<bool>(),
        least in -3..4_i64,
    ) {
        let world = json!({"tree": tree, "rows": [], "refuses": refuses, "empty": empty});
        let call = call(every("box", every("room", json!("application"))), least);
        let body = engine::play("iac_mcp_get_elements", &call, &world).outcome.body;
        let model = things(&tree, &["rooms", "boxes", "things"]);
        if body["error"].is_null() {
            prop_assert_eq!(shown(&body), expected(&model, least), "{}", body);
        } else {
            // Without a single container, the app may give an error for everything.
            prop_assert!(things(&tree, &["rooms", "boxes"]).is_empty() || refuses.contains(&"objects"), "{}", body);
        }
    }

    /// The container of a thing is a column, for any refusal of the app and any choice of containers by the filter.
    #[test]
    fn things_know_their_box_and_its_room(
        tree in tree(),
        refuses in prop::sample::subsequence(vec!["id", "n", "name", "objects"], 0..4),
        room in 1..5_i64,
        is_room in any::<bool>(),
        name in prop::sample::select(&["one", "two", "nowhere"][..]),
        is_name in any::<bool>(),
        least in -3..4_i64,
    ) {
        let world = json!({"tree": tree, "rows": [], "refuses": refuses});
        let is = |yes| if yes { "==" } else { "!=" };
        let mut call = call(every("box", every("room", json!("application"))), least);
        call["properties"] = json!(["n", "box.name", "room.id"]);
        call["where"] = json!({"and": [call["where"],
            {"property": "room.id", "op": is(is_room), "value": room},
            {"property": "container.name", "op": is(is_name), "value": name}]});
        let body = engine::play("iac_mcp_get_elements", &call, &world).outcome.body;
        let mut model = Vec::new();
        for (at, of) in tree["rooms"].as_array().unwrap().iter().enumerate() {
            for inner in of["boxes"].as_array().unwrap() {
                let fits = ((at as i64 + 1 == room) == is_room) && ((inner["name"] == name) == is_name);
                let things = inner["things"].as_array().unwrap().iter();
                let kept = things.filter(|each| fits && each["n"].as_i64().unwrap() >= least);
                model.extend(kept.map(|each| json!({"n": each["n"], "box.name": inner["name"], "room.id": at + 1})));
            }
        }
        if body["error"].is_null() {
            let shown: Vec<Json> =
                body["elements"].as_array().unwrap().iter().map(|each| each["properties"].clone()).collect();
            prop_assert_eq!(shown, model, "{}", body);
        } else {
            prop_assert!(things(&tree, &["rooms", "boxes"]).is_empty() || refuses.contains(&"objects"), "{}", body);
        }
    }

    #[test]
    fn boxes_inside_boxes(tree in tree(), empty in any::<bool>(), least in -3..4_i64) {
        let world = json!({"tree": tree, "rows": [], "refuses": [], "empty": empty});
        let mut call = call(every("box", json!("application")), least);
        call["recursive"] = json!(true);
        let body = engine::play("iac_mcp_get_elements", &call, &world).outcome.body;
        let model: Vec<&Json> =
            all_boxes(&tree).into_iter().flat_map(|each| each["things"].as_array().unwrap()).collect();
        if body["error"].is_null() {
            let (mut is, mut should) = (shown(&body), expected(&model, least));
            let key = |each: &(Json, Json)| format!("{each:?}");
            is.sort_by_key(key);
            should.sort_by_key(key);
            prop_assert_eq!(is, should, "{}", body);
        } else {
            prop_assert!(things(&tree, &["boxes"]).is_empty(), "{}", body);
        }
    }

    /// If a room also lists the boxes inside its boxes, the answer still has each box once.
    #[test]
    fn boxes_that_a_room_lists_too(
        tree in tree(),
        refuses in prop::sample::subsequence(vec!["id", "n", "name", "objects"], 0..4),
        flat in any::<bool>(),
    ) {
        let world = json!({"tree": tree, "rows": [], "refuses": refuses, "flat": flat});
        let rooms = things(&tree, &["rooms"]);
        let mut all: Vec<Vec<&Json>> = rooms.iter().map(|room| all_boxes(room)).collect();
        let mut call = call(every("box", every("room", json!("application"))), -3);
        call["recursive"] = json!(true);
        let body = engine::play("iac_mcp_get_elements", &call, &world).outcome.body;
        let model: Vec<&Json> = all.iter().flatten().flat_map(|each| each["things"].as_array().unwrap()).collect();
        let sorted = |mut shown: Vec<(Json, Json)>| {
            shown.sort_by_key(|each| format!("{each:?}"));
            shown
        };
        if body["error"].is_null() {
            prop_assert_eq!(sorted(shown(&body)), sorted(expected(&model, -3)), "{}", body);
        } else {
            prop_assert!(all.iter().all(Vec::is_empty) || refuses.contains(&"objects"), "{}", body);
        }
        let call = json!({"app": "Shelf", "elements": "every box of every room", "recursive": true, "limit": 1000});
        let body = engine::play("iac_mcp_get_elements", &call, &world).outcome.body;
        if body["error"].is_null() {
            let count: usize = all.iter_mut().map(|boxes| boxes.drain(..).len()).sum();
            let elements = body["elements"].as_array().unwrap();
            let references: std::collections::BTreeSet<&str> =
                elements.iter().map(|each| each["id"].as_str().unwrap()).collect();
            prop_assert_eq!((elements.len(), references.len()), (count, count), "{}", body);
            prop_assert_eq!(&body["totalCount"], &json!(count));
        }
    }

    #[test]
    fn a_tree_that_changes_while_it_is_read(
        tree in tree(),
        at in 1..8_u64,
        place in 0..6_u64,
        swap in any::<bool>(),
    ) {
        let world = json!({"tree": tree, "rows": [], "refuses": [], "change": {"at": at, "box": place, "swap": swap}});
        let call = call(every("box", every("room", json!("application"))), -3);
        let played = engine::play("iac_mcp_get_elements", &call, &world);
        let body = &played.outcome.body;
        prop_assert!(body["error"].is_null(), "{}", body);
        // No thing in an answer has a value of its neighbour: the number and the text of each thing belong together.
        let mut known: Vec<(Json, Json)> = expected(&things(&tree, &["rooms", "boxes", "things"]), -3);
        known.push((json!(0), json!("newcomer")));
        for pair in shown(body) {
            prop_assert!(known.contains(&pair), "{:?} is no thing: {}", pair, body);
        }
    }

    #[test]
    fn counts_and_sums_of_boxes(tree in tree()) {
        let world = json!({"tree": tree, "rows": [], "refuses": []});
        let call = json!({"app": "Shelf", "container": every("box", every("room", json!("application"))),
            "elementType": "thing", "groupBy": ["flag"], "aggregate": ["sum(n)", "max(n)"]});
        let body = engine::play("iac_mcp_get_elements", &call, &world).outcome.body;
        let model = things(&tree, &["rooms", "boxes", "things"]);
        if body["error"].is_null() {
            for flag in [true, false] {
                let group = body["groups"].as_array().unwrap().iter().find(|group| group["key"]["flag"] == json!(flag));
                let of: Vec<i64> = model.iter().filter(|each| each["flag"] == json!(flag)).map(|each| each["n"].as_i64().unwrap()).collect();
                // Each value of a boolean has a group, unless there is no thing at all.
                prop_assert_eq!(group.is_some(), !model.is_empty(), "{}", body);
                if let Some(group) = group {
                    prop_assert_eq!(&group["count"], &json!(of.len()));
                    prop_assert_eq!(&group["sum(n)"], &json!(of.iter().sum::<i64>()));
                    prop_assert_eq!(&group["max(n)"], &json!(of.iter().max()));
                }
            }
            prop_assert_eq!(&body["totalCount"], &json!(model.len()));
        }
    }
}

fn plain() -> Json {
    let thing = |id: i64, n: i64| json!({"id": id, "name": "t", "text": "a", "n": n, "flag": true});
    json!({"rooms": [
        {"id": 1, "boxes": [{"name": "one", "things": [thing(1, 1), thing(2, 2)], "boxes": []}, {"name": "two", "things": [], "boxes": []}]},
        {"id": 2, "boxes": [{"name": "one", "things": [thing(3, 3)], "boxes": []}]},
    ], "boxes": [], "things": []})
}

#[test]
fn one_event_for_each_property_and_three_more() {
    let world = json!({"tree": plain(), "rows": [], "refuses": []});
    let call = call(every("box", every("room", json!("application"))), -3);
    let played = engine::play("iac_mcp_get_elements", &call, &world);
    assert_eq!(played.events, 3 + 2, "{}", played.outcome.body);
    let from: Vec<&Json> =
        played.outcome.body["elements"].as_array().unwrap().iter().map(|each| &each["container"]).collect();
    assert_eq!(from, ["box \"one\" of room id 1", "box \"one\" of room id 1", "box \"one\" of room id 2"]);
}

#[test]
fn what_holds_a_thing_costs_one_event_for_each_level() {
    let world = json!({"tree": plain(), "rows": [], "refuses": []});
    let mut call = call(every("box", every("room", json!("application"))), -3);
    call["properties"] = json!(["n", "box.name", "room.id", "container.container.id"]);
    let played = engine::play("iac_mcp_get_elements", &call, &world);
    // Events: the ids twice, the boxes and rooms as objects for the references, the numbers, and the two containers.
    assert_eq!(played.events, 3 + 1 + 2, "{}", played.outcome.body);
    call["properties"] = json!(["n"]);
    call["where"] = json!("room.id is 2 and n > 0");
    let played = engine::play("iac_mcp_get_elements", &call, &world);
    let body = &played.outcome.body;
    assert_eq!(
        (&body["totalCount"], &body["container"]),
        (&json!(1), &json!("box \"one\" of room id 2")),
        "{body}"
    );
}

#[test]
fn things_are_counted_in_each_box() {
    let world = json!({"tree": plain(), "rows": [], "refuses": []});
    let call = json!({"app": "Shelf", "container": every("box", every("room", json!("application"))),
        "elementType": "thing", "groupBy": "container", "limit": 10});
    let played = engine::play("iac_mcp_get_elements", &call, &world);
    let body = &played.outcome.body;
    assert_eq!(
        body["groups"][0],
        json!({"key": {"container": "box \"one\" of room id 1"}, "count": 2}),
        "{body}"
    );
    assert_eq!(body["groups"][1]["count"], 1, "{body}");
}

/// Groups by container include the empty ones, unless the filter excludes them.
#[test]
fn an_empty_container_is_a_group_of_none() {
    let thing = |n: i64| json!({"id": n, "name": "t", "text": "a", "n": n, "flag": n == 1});
    let boxes = json!([
        {"name": "one", "things": [thing(1), thing(2)], "boxes": []},
        {"name": "none", "things": [], "boxes": []},
        {"name": "two", "things": [thing(3)], "boxes": []}]);
    let world = json!({"tree": {"rooms": [{"id": 1, "boxes": boxes}], "things": [], "boxes": boxes}, "rows": [], "refuses": []});
    let groups = |by: &str, filter: &str| {
        let call = json!({"app": "Shelf", "elements": format!("every thing of every box of every room {filter}"),
            "groupBy": [by, "room.id"], "aggregate": ["sum(n)", "max(n)"]});
        let body = engine::play("iac_mcp_get_elements", &call, &world).outcome.body;
        let all = body["groups"].as_array().unwrap_or_else(|| panic!("{body}")).clone();
        let group = |each: &Json| {
            format!("{} {} {} {}", each["key"][by], each["count"], each["sum(n)"], each["max(n)"])
        };
        all.iter().map(group).collect::<Vec<_>>()
    };
    let (one, two, none) = ("\"one\" 2 3 2", "\"two\" 1 3 3", "\"none\" 0 0 null");
    assert_eq!(groups("box.name", ""), [one, two, none]);
    assert_eq!(groups("box.name", "whose n > 2"), [two, "\"one\" 0 0 null", none]);
    assert_eq!(groups("box.name", "whose n > 2 and box.name is not \"one\""), [two, none]);
    assert_eq!(
        groups("container", "whose box.name is \"none\""),
        ["\"box \\\"none\\\" of room id 1\" 0 0 null"]
    );
    assert_eq!(groups("flag", "whose n > 2"), ["false 1 3 3"]);
}

/// Groups come in the order of `sort`, and in pages.
#[test]
fn groups_are_sorted_and_paged() {
    let thing = |n: i64| json!({"id": n, "name": "t", "text": "a", "n": n, "flag": n % 2 == 1});
    let boxes = json!([
        {"name": "c", "things": [thing(1), thing(2)], "boxes": []},
        {"name": "a", "things": [thing(7)], "boxes": []},
        {"name": "b", "things": [thing(3), thing(4), thing(5)], "boxes": []}]);
    let world = json!({"tree": {"rooms": [{"id": 1, "boxes": boxes}], "things": [], "boxes": boxes}, "rows": [], "refuses": []});
    let groups = |by: Json, sort: Json, page: Json| {
        let mut call = json!({"app": "Shelf", "elements": "every thing of every box of every room",
            "groupBy": by, "aggregate": ["max(n)"], "sort": sort});
        call.as_object_mut().unwrap().extend(page.as_object().unwrap().clone());
        engine::play("iac_mcp_get_elements", &call, &world).outcome.body
    };
    let check = |by: Json, sort: Json, expected: &str| {
        let body = groups(by, sort, json!({}));
        let values =
            |each: &Json| each.as_object().unwrap().values().map(Json::to_string).collect::<String>();
        let told = body["groups"].as_array().unwrap_or_else(|| panic!("{body}")).iter();
        let told: Vec<String> = told.map(|each| values(&each["key"]).replace('"', "")).collect();
        assert_eq!(told.join(" "), expected, "{body}");
    };
    let (down, up) = (|term: &str| json!({"property": term, "order": "desc"}), |term: &str| json!(term));
    check(json!("box.name"), json!([]), "b c a");
    check(json!("box.name"), json!([up("count")]), "a c b");
    check(json!("box.name"), json!([down("box name")]), "c b a");
    check(json!("box.name"), json!([down("max(n)")]), "a b c");
    check(
        json!(["flag", "box.name"]),
        json!([up("flag"), down("box.name")]),
        "falsec falseb truec trueb truea",
    );
    check(
        json!(["flag", "box.name"]),
        json!([down("count"), up("box.name")]),
        "trueb truea falseb truec falsec",
    );
    check(
        json!(["box.name", "flag"]),
        json!([up("box.name"), down("count")]),
        "atrue btrue bfalse ctrue cfalse",
    );
    let page = groups(json!("box.name"), json!([up("box.name")]), json!({"limit": 1, "offset": 1}));
    assert_eq!(page["groups"][0]["key"]["box.name"], "b", "{page}");
    assert_eq!(
        (&page["hasMore"], &page["nextOffset"], &page["groupCount"]),
        (&json!(true), &json!(2), &json!(3))
    );
    let last = groups(json!("box.name"), json!([]), json!({"offset": 2}));
    assert_eq!((last["groups"].as_array().map(Vec::len), &last["hasMore"]), (Some(1), &Json::Null), "{last}");
    let wrong = groups(json!("box.name"), json!([up("n")]), json!({}));
    assert_eq!(wrong["message"], "`sort`: groups have no `n`", "{wrong}");
}

/// If nothing matches, the answer suggests values of the property that was read for the filter, and of no other
/// property.
#[test]
fn what_matches_nothing_is_told_what_there_is() {
    let thing = |id: i64, name: &str| json!({"id": id, "name": name, "text": "a", "n": id, "flag": true});
    let boxes = json!([
        {"name": "Kitchen", "things": [thing(1, "Blue kettle"), thing(2, "+49 (30) 231-25")], "boxes": []},
        {"name": "Cellar", "things": [thing(3, "Zoë Müller")], "boxes": []}]);
    let world = json!({"tree": {"rooms": [{"id": 1, "boxes": boxes}], "things": [thing(4, "Blue kettle")], "boxes": []},
        "rows": [], "refuses": []});
    let near = |elements: &str| {
        let call = json!({"app": "Shelf", "elements": elements, "properties": ["n"]});
        let played = engine::play("iac_mcp_get_elements", &call, &world);
        let body = played.outcome.body;
        assert_eq!((&body["totalCount"], &body["elements"]), (&json!(0), &json!([])), "{body}");
        body["near"].clone()
    };
    let all = "every thing of every box of every room";
    assert_eq!(near("every thing whose name is \"blue ketle\""), json!({"name": ["Blue kettle"]}));
    assert_eq!(near("every thing whose name is \"zzzzzzzzzzzz\""), json!({"name": ["Blue kettle"]}));
    assert_eq!(near(&format!("{all} whose name is \"+493023125\"")), json!({"name": ["+49 (30) 231-25"]}));
    assert_eq!(
        near(&format!("{all} whose name contains \"Zoe\" and n > 0")),
        json!({"name": ["Zoë Müller"]})
    );
    assert_eq!(near(&format!("{all} whose box.name is \"Kitchn\"")), json!({"box.name": ["Kitchen"]}));
    // The value exists; another condition is the reason why nothing matches.
    assert_eq!(near("every thing whose name is \"Blue kettle\" and n < 0"), json!(null));
    assert_eq!(near("every thing whose not (name contains \"e\")"), json!(null));
}

/// Each box is one row with one reference, and its container is the box that contains it. If its name is not unique in
/// the list of the room, the reference goes through the containing box.
#[test]
fn a_box_in_a_box_is_listed_once() {
    let held = |name: &str, boxes: Json| json!({"name": name, "things": [], "boxes": boxes});
    let boxes = json!([
        held("work", json!([held("2025", json!([held("bills", json!([]))]))])),
        held("home", json!([held("2025", json!([]))]))
    ]);
    let world = json!({"tree": {"rooms": [{"id": 1, "boxes": boxes}], "boxes": [], "things": []}, "rows": [], "refuses": [], "flat": true});
    for call in [
        json!({"app": "Shelf", "elements": "every box of every room", "recursive": true}),
        json!({"app": "Shelf", "container": ["every room", "every box of every room"], "elementType": "box", "recursive": true}),
    ] {
        let played = engine::play("iac_mcp_get_elements", &call, &world);
        let body = played.outcome.body;
        let shown: Vec<String> = body["elements"]
            .as_array()
            .unwrap_or_else(|| panic!("{body}"))
            .iter()
            .map(|each| format!("{}, {}, {}", each["name"], each["container"], each["stable"]))
            .collect();
        assert_eq!(
            shown,
            [
                r#""work", "room id 1", null"#,
                r#""home", "room id 1", null"#,
                r#""2025", "box \"work\" of room id 1", null"#,
                r#""bills", "box \"2025\" of box \"work\" of room id 1", null"#,
                r#""2025", "box \"home\" of room id 1", null"#,
            ],
            "{body}"
        );
        assert_eq!(body["totalCount"], json!(5));
        assert!(played.events < 12, "{} events", played.events);
    }
}

#[test]
fn counting_reads_no_element() {
    let world = json!({"tree": plain(), "rows": [], "refuses": []});
    let call = json!({"app": "Shelf", "container": {"type": "id", "element": "room", "id": 1}, "elementType": "box", "limit": 0});
    let played = engine::play("iac_mcp_get_elements", &call, &world);
    assert_eq!(
        (played.outcome.body["totalCount"].clone(), played.events),
        (json!(2), 1),
        "{}",
        played.outcome.body
    );
}

/// If a container cannot be read or no longer exists, the answer names it and lists the others as usual.
#[test]
fn a_container_that_cannot_be_read_is_skipped_and_named() {
    let thing = |n: i64| json!({"id": n, "name": "t", "text": "a", "n": n, "flag": false});
    let tree = json!({"rooms": [], "things": [], "boxes": [
        {"name": "one", "things": [thing(1)], "boxes": []},
        {"name": "locked", "things": [thing(2)], "boxes": [], "locked": -10004},
        {"name": "two", "things": [thing(3)], "boxes": []}]});
    let world = json!({"tree": tree, "rows": [], "refuses": []});
    for recursive in [false, true] {
        let mut call = call(every("box", json!("application")), -3);
        if recursive {
            call["container"] = json!("application");
            call["recursive"] = json!(true);
        }
        let body = engine::play("iac_mcp_get_elements", &call, &world).outcome.body;
        assert_eq!(shown(&body), [(json!(1), json!("a")), (json!(3), json!("a"))], "{body}");
        assert_eq!(body["complete"], json!(false), "{body}");
        assert_eq!(body["reason"], "one container was not read");
        assert_eq!(body["skipped"][0]["container"], "box \"locked\"");
        assert_eq!(body["skipped"][0]["message"], "Shelf: the app lacks the privilege");
    }
    let mut counts = call(every("box", json!("application")), -3);
    for field in ["properties", "where"] {
        counts.as_object_mut().unwrap().remove(field);
    }
    counts["groupBy"] = json!(["flag"]);
    let body = engine::play("iac_mcp_get_elements", &counts, &world).outcome.body;
    assert_eq!(body["groups"], json!([{"key": {"flag": false}, "count": 2}]), "{body}");
    assert_eq!(body["skipped"].as_array().map(Vec::len), Some(1), "{body}");
}

/// If nothing matches, the answer says for each comparison how many objects have a value, and how many pass it alone.
#[test]
fn what_matches_nothing_is_counted() {
    let thing = |id: i64, name: Json| json!({"id": id, "name": name, "text": "a", "n": id, "flag": true});
    let boxes = json!([
        {"name": "a", "things": [thing(1, json!("x")), thing(2, json!(null))], "boxes": []},
        {"name": "b", "things": [thing(3, json!("y"))], "boxes": []}]);
    let things = json!([thing(4, json!("x")), thing(5, json!(null))]);
    let world = json!({"tree": {"rooms": [{"id": 1, "boxes": boxes}], "things": things, "boxes": []},
        "rows": [], "refuses": []});
    let counted = |elements: &str, more: Json| {
        let mut call = json!({"app": "Shelf", "elements": elements});
        call.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let played = engine::play("iac_mcp_get_elements", &call, &world);
        let body = played.outcome.body;
        assert_eq!(body["totalCount"], 0, "{body}");
        let one = |each: &Json| {
            let value = each.as_object().unwrap().values().map(Json::to_string).collect::<Vec<_>>().join(" ");
            value.replace('"', "")
        };
        let all = body["compared"].as_array().unwrap_or_else(|| panic!("{body}"));
        (all.iter().map(one).collect::<Vec<_>>(), played.events)
    };
    let all = "every thing of every box of every room";
    let plain = json!({"properties": ["n"]});
    let (told, events) = counted("every thing whose name is \"q\" and n > 4", plain.clone());
    assert_eq!(told, ["name == q 2 1 0", "n > 4 2 2 1"]);
    let matched =
        json!({"app": "Shelf", "elements": "every thing whose name is \"x\" and n > 3", "limit": 0});
    let before = engine::play("iac_mcp_get_elements", &matched, &world);
    assert!(events <= before.events + 1, "the counts need no event of their own");
    assert!(before.outcome.body.get("compared").is_none());
    for more in [json!({"limit": 0}), json!({"groupBy": ["flag"]})] {
        assert_eq!(counted("every thing whose name is \"q\"", more).0, ["name == q 2 1 0"]);
    }
    assert_eq!(counted(&format!("{all} whose not (n > 0)"), plain.clone()).0, ["n > 0 3 3 3"]);
    // The containers are counted where the filter is about them, and then nothing is read from their elements.
    assert_eq!(
        counted(&format!("{all} whose box.name is \"c\" and n > 1"), plain.clone()).0,
        ["box.name == c 2 2 0", "n > 1 0 0 0"]
    );
    let when = "every thing whose when > date \"2026-01-02T03:04:05\" and month of when is 3";
    let (told, _) = counted(when, plain);
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told[1].starts_with("when.month == 3 "), "{told:?}");
}

/// Containers without elements are groups of none while there are few of them.
#[test]
fn empty_containers_are_groups_up_to_fifty() {
    let thing = json!({"id": 1, "name": "t", "text": "a", "n": 1, "flag": true});
    let groups = |empty: usize| {
        let mut boxes: Vec<Json> =
            (0..empty).map(|at| json!({"name": format!("e{at}"), "things": [], "boxes": []})).collect();
        boxes.push(json!({"name": "full", "things": [thing], "boxes": []}));
        let world = json!({"tree": {"rooms": [{"id": 1, "boxes": boxes}], "things": [], "boxes": boxes}, "rows": [], "refuses": []});
        let call = json!({"app": "Shelf", "elements": "every thing of every box of every room", "groupBy": ["box.name"]});
        let body = engine::play("iac_mcp_get_elements", &call, &world).outcome.body;
        let count = |field: &str| body[field].as_array().map(Vec::len).unwrap_or_default();
        (count("groups"), count("empty"), body["emptyGroups"].clone())
    };
    assert_eq!(groups(5), (6, 0, Json::Null));
    // A long answer lists a few keys and counts them.
    assert_eq!(groups(50), (1, 10, json!(50)));
    assert_eq!(groups(51), (1, 0, json!(51)));
}

/// If no container can be read, that is an error and not an empty list.
#[test]
fn only_containers_that_cannot_be_read_are_an_error() {
    let tree = json!({"rooms": [], "things": [], "boxes": [{"name": "locked", "things": [], "boxes": [], "locked": -10004}]});
    let world = json!({"tree": tree, "rows": [], "refuses": []});
    let body = engine::play("iac_mcp_get_elements", &call(every("box", json!("application")), -3), &world)
        .outcome
        .body;
    assert_eq!(body["number"], json!(-10004), "{body}");
}

/// The number of elements is a column, also for a filter and an order; the script asks each container for its own
/// number.
#[test]
fn elements_are_counted_in_each_container() {
    let thing = |n: i64| json!({"id": n, "name": "t", "text": "a", "n": n, "flag": false});
    let boxes = json!([
        {"name": "one", "things": [thing(1)], "boxes": []},
        {"name": "none", "things": [], "boxes": []},
        {"name": "two", "things": [thing(2), thing(3)], "boxes": []}]);
    let tree = json!({"rooms": [{"id": 1, "boxes": boxes}], "things": [], "boxes": boxes});
    let world = json!({"tree": tree, "rows": [], "refuses": []});
    let counts = |elements: &str, sort: bool| {
        let mut call =
            json!({"app": "Shelf", "elements": elements, "properties": ["name", "count of things"]});
        if sort {
            call["sort"] = json!([{"property": "things.count", "order": "desc"}]);
        }
        let body = engine::play("iac_mcp_get_elements", &call, &world).outcome.body;
        let all = body["elements"].as_array().unwrap_or_else(|| panic!("{body}")).clone();
        let count =
            |each: Json| (each["properties"]["name"].clone(), each["properties"]["count of things"].clone());
        all.into_iter().map(count).collect::<Vec<_>>()
    };
    let (one, none, two) = ((json!("one"), json!(1)), (json!("none"), json!(0)), (json!("two"), json!(2)));
    assert_eq!(counts("every box", false), [one.clone(), none.clone(), two.clone()]);
    assert_eq!(counts("every box of every room", true), [two.clone(), one.clone(), none.clone()]);
    for filter in
        ["count of things > 1", "(count of things) > 1", "number of every thing is 2", "things.count ≥ 2"]
    {
        assert_eq!(
            counts(&format!("every box whose {filter}"), false),
            std::slice::from_ref(&two),
            "{filter}"
        );
    }
    assert_eq!(counts("every box whose name is \"one\" or (count of things) = 0", false), [one, none]);
    let wrong = json!({"app": "Shelf", "elements": "every thing", "properties": ["count of boxes"]});
    let body = engine::play("iac_mcp_get_elements", &wrong, &world).outcome.body;
    assert_eq!(body["error"], "unknown_property", "{body}");
}
