//! The same answer by every route: filters, orders and pages over random rows, against a plain model of the data.
//!
//! The model below is independent: it shares no code with the core or with the prelude.

use std::cmp::Ordering;

use proptest::prelude::*;
use serde_json::{Value as Json, json};

use crate::engine;

const PROPERTIES: [&str; 6] = ["name", "n", "text", "when", "flag", "body"];
const WORDS: [&str; 10] =
    ["", "a", "A", "Ärger", "ärger", "anna", "Anna b", "\"quoted\"", "b\u{2028}c", "zz"];
const DATES: [&str; 4] =
    ["2026-01-20T10:00:00Z", "2026-01-21T00:00:00Z", "2026-01-21T23:59:59Z", "2026-02-01T12:00:00Z"];

fn word() -> impl Strategy<Value = Json> {
    prop_oneof![8 => prop::sample::select(&WORDS[..]).prop_map(Json::from), 1 => Just(Json::Null)]
}

fn date() -> impl Strategy<Value = Json> {
    prop_oneof![4 => prop::sample::select(&DATES[..]).prop_map(|date| json!({ "date": date })), 1 => Just(Json::Null)]
}

fn row() -> impl Strategy<Value = Json> {
    (word(), -3..4_i64, word(), date(), any::<bool>(), word()).prop_map(|(name, n, text, when, flag, body)| {
        json!({"name": name, "n": n, "text": text, "when": when, "flag": flag, "body": body})
    })
}

/// Rows with ids; sometimes two rows share an id.
fn rows() -> impl Strategy<Value = Vec<Json>> {
    (prop::collection::vec(row(), 0..24), any::<u8>()).prop_map(|(mut rows, twins)| {
        for (at, row) in rows.iter_mut().enumerate() {
            let shared = twins > 230 && at == 1;
            row["id"] = json!(if shared { 100 } else { at + 100 });
        }
        rows
    })
}

fn compare() -> impl Strategy<Value = Json> {
    let all = prop::sample::select(vec!["==", "!=", "<", ">", "<=", ">="]);
    let textual = prop::sample::select(vec!["==", "!=", "contains", "startsWith", "endsWith"]);
    prop_oneof![
        (prop::sample::select(vec!["name", "text", "body"]), textual, prop::sample::select(&WORDS[..]))
            .prop_map(|(p, op, v)| json!({"property": p, "op": op, "value": v})),
        (all.clone(), -3..4_i64).prop_map(|(op, v)| json!({"property": "n", "op": op, "value": v})),
        (all, prop::sample::select(&DATES[..]))
            .prop_map(|(op, v)| json!({"property": "when", "op": op, "value": v})),
        any::<bool>().prop_map(|v| json!({"property": "flag", "op": "==", "value": v})),
        prop::sample::select(vec!["==", "!="])
            .prop_map(|op| json!({"property": "text", "op": op, "value": null})),
    ]
}

fn filter() -> impl Strategy<Value = Json> {
    compare().prop_recursive(3, 8, 3, |inner| {
        let some = prop::collection::vec(inner.clone(), 1..4);
        prop_oneof![
            some.clone().prop_map(|all| json!({ "and": all })),
            some.prop_map(|any| json!({ "or": any })),
            inner.prop_map(|not| json!({ "not": not })),
        ]
    })
}

fn call() -> impl Strategy<Value = Json> {
    let key = (prop::sample::select(&PROPERTIES[..]), prop::sample::select(vec!["asc", "desc"]));
    let sort = prop::collection::vec(key.prop_map(|(p, o)| json!({"property": p, "order": o})), 0..3);
    let wanted = prop::sample::subsequence(PROPERTIES.to_vec(), 0..5);
    (prop::option::of(filter()), sort, wanted, 1..30_usize, 0..6_usize).prop_map(|(filter, sort, wanted, limit, offset)| {
        json!({"app": "Shelf", "container": "application", "elementType": "thing", "where": filter, "sort": sort,
            "properties": wanted, "limit": limit, "offset": offset})
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn every_route_gives_what_the_model_gives(
        rows in rows(),
        call in call(),
        refuses in prop::sample::subsequence(vec!["id", "name", "n", "text", "when", "flag"], 0..4),
        whose in prop::sample::select(vec!["works", "fails"]),
    ) {
        let world = json!({"rows": rows, "refuses": refuses, "drift": 0, "whose": whose});
        let body = engine::play("iac_mcp_get_elements", &call, &world).outcome.body;
        prop_assert_eq!(shown(&body), expected(&rows, &call), "{}", body);
        prop_assert_eq!(body.get("complete"), None);
    }

    #[test]
    fn a_collection_that_changes_while_it_is_read_is_read_again(rows in rows(), call in call(), drift in 1..6_u64) {
        let world = json!({"rows": rows, "refuses": [], "drift": drift, "whose": "fails"});
        let played = engine::play("iac_mcp_get_elements", &call, &world);
        let mut after = rows.clone();
        after.insert(0, json!({"id": -1, "name": "newcomer", "n": 0, "text": "newcomer", "when": null, "flag": false, "body": ""}));
        let body = shown(&played.outcome.body);
        prop_assert!(body == expected(&rows, &call) || body == expected(&after, &call), "{} after {} events", body, played.events);
    }
}

#[test]
fn elements_that_share_an_id_are_not_taken_for_their_neighbours() {
    let bodies = ["a", "b", "c", "", "", "", ""];
    let rows: Vec<Json> = [100, 100, 102, 103, 104, 105, 106]
        .iter()
        .zip(bodies)
        .map(|(id, body)| json!({"id": id, "name": "", "n": 0, "text": "", "when": null, "flag": false, "body": body}))
        .collect();
    let call = json!({"app": "Shelf", "container": "application", "elementType": "thing", "where": null,
        "sort": [{"property": "body", "order": "asc"}], "properties": ["body"], "limit": 5, "offset": 0});
    for drift in 1..12 {
        let world = json!({"rows": rows, "refuses": [], "drift": drift, "whose": "fails"});
        let body = engine::play("iac_mcp_get_elements", &call, &world).outcome.body;
        let first = if body["totalCount"] == 8 { "" } else { "a" };
        assert_eq!(body["elements"][4]["properties"]["body"], first, "{drift}: {body}");
    }
}

#[test]
fn files_are_compared_by_their_paths_and_enumerators_are_not_cut() {
    let row = |id: u8, hue: &str, path: &str| json!({"id": id, "text": "long text", "hue": hue, "place": {"file": path}});
    let rows =
        [row(1, "none", "/b/One.txt"), row(2, "dark red", "/a/two.md"), row(3, "none", "/a/three.txt")];
    let world = json!({"rows": rows, "refuses": [], "drift": 0});
    let call = |filter: Json, columns: Json| {
        json!({"app": "Shelf", "container": "application", "elementType": "thing", "where": filter, "textLimit": 2,
            "properties": columns, "sort": [{"property": "place"}]})
    };
    let check = |property: &str, op: &str, value: &str, columns: Json, expected: Json| {
        let call = call(json!({"property": property, "op": op, "value": value}), columns);
        let body = engine::play("iac_mcp_get_elements", &call, &world).outcome.body;
        let shown = body["elements"].as_array().unwrap().iter().map(|each| each["properties"].clone());
        assert_eq!(shown.collect::<Json>(), expected, "{call}");
    };
    let three = json!({"hue": "none", "text": "lo"});
    check("place", "==", "/a/THREE.txt", json!(["hue", "text"]), json!([three]));
    check(
        "place",
        "endsWith",
        ".txt",
        json!(["place"]),
        json!([{"place": "/a/three.txt"}, {"place": "/b/One.txt"}]),
    );
    check("hue", "!=", "None", json!(["hue"]), json!([{"hue": "dark red"}]));
}

#[test]
fn values_that_cannot_be_read_are_not_taken_for_missing_ones() {
    let row = |n: i64| json!({"id": n, "name": "a", "n": n, "text": "t", "when": null, "flag": n % 2 == 0, "body": ""});
    let rows: Vec<Json> = (0..6).map(row).collect();
    let filter = json!({"property": "flag", "op": "==", "value": false});
    let list = |more: Json| {
        let mut call = json!({"app": "Shelf", "container": "application", "elementType": "thing"});
        call.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        ("iac_mcp_get_elements", call)
    };
    let six = |number: i64| json!(format!("`flag` of 6 things could not be read ({number})"));
    let check = |(tool, call): (&str, Json), number: i64| {
        let world = json!({"rows": rows, "refuses": [], "drift": 0, "broken": {"flag": number}});
        let body = engine::play(tool, &call, &world).outcome.body;
        assert_eq!((&body["complete"], &body["reason"]), (&json!(false), &six(number)), "{call}: {body}");
        let whole = json!({"rows": rows, "refuses": [], "drift": 0});
        assert_eq!(engine::play(tool, &call, &whole).outcome.body.get("complete"), None, "{call}");
    };
    for number in [-10000, -1700, -1728] {
        check(list(json!({"where": filter, "limit": 0})), number);
        check(list(json!({"where": {"not": filter}})), number);
        check(list(json!({"sort": [{"property": "flag"}]})), number);
        check(list(json!({"groupBy": ["flag"]})), number);
        let all =
            json!({"app": "Shelf", "reference": "every thing whose flag is not true", "properties": ["n"]});
        check(("iac_mcp_get_properties", all), number);
    }
    let world = json!({"rows": rows, "refuses": [], "drift": 0, "broken": {"n": -1700}});
    let (tool, call) = list(json!({"aggregate": "max(n)"}));
    let body = engine::play(tool, &call, &world).outcome.body;
    assert_eq!(body["reason"], "`n` of 6 things could not be read (-1700)", "{body}");
    // A change of all matching objects must not become a change of some of them.
    let change =
        json!({"app": "Shelf", "reference": "every thing whose n < 3", "property": "text", "value": "x"});
    let body = engine::play("iac_mcp_set_property", &change, &world).outcome.body;
    assert!(body["message"].as_str().unwrap().contains("so nothing was changed: `n` of 6 things"), "{body}");
    // An object that exists must not be reported as missing.
    let first = json!({"app": "Shelf", "specifier": "first thing whose n < 3"});
    let body = engine::play("iac_mcp_query_object", &first, &world).outcome.body;
    assert!(body["message"].as_str().unwrap().contains("not all was seen: `n` of 6 things"), "{body}");
}

#[test]
fn a_hundred_of_ten_thousand_take_five_events() {
    let rows: Vec<Json> = (0..10_000).map(|n| json!({"id": n, "name": "a", "n": n, "text": "t", "when": null, "flag": n % 2 == 0, "body": "x"})).collect();
    let base = json!({"app": "Shelf", "container": "application", "elementType": "thing", "properties": ["n", "text", "flag"], "limit": 100});
    let with = |more: Json| {
        let mut call = base.clone();
        call.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        engine::play("iac_mcp_get_elements", &call, &json!({"rows": rows, "refuses": [], "drift": 0}))
    };
    let sorted = with(json!({"sort": [{"property": "n", "order": "desc"}]}));
    assert_eq!((sorted.events, sorted.outcome.events), (5, 5));
    assert_eq!(sorted.outcome.body["elements"][0]["properties"]["n"], 9_999);
    assert_eq!(sorted.outcome.body["totalCount"], 10_000);
    let filtered = with(
        json!({"where": {"property": "name", "op": "contains", "value": "A"}, "sort": [{"property": "n", "order": "desc"}]}),
    );
    assert_eq!((filtered.events, filtered.outcome.events), (6, 6));
    assert!(with(json!({})).events <= 5);
}

/// An answer does not show the ids, so rows are identified by their requested values, and by their number.
fn shown(body: &Json) -> Json {
    let elements = body["elements"].as_array().unwrap_or_else(|| panic!("{body}"));
    let rows: Vec<Json> =
        elements.iter().map(|each| each.get("properties").cloned().unwrap_or(json!({}))).collect();
    json!({"rows": rows, "total": body["totalCount"], "more": body["hasMore"]})
}

fn expected(rows: &[Json], call: &Json) -> Json {
    let mut found: Vec<&Json> =
        rows.iter().filter(|row| call["where"].is_null() || fits(row, &call["where"])).collect();
    found.sort_by(|a, b| in_order(a, b, call["sort"].as_array().unwrap()));
    let (offset, limit) =
        (call["offset"].as_u64().unwrap() as usize, call["limit"].as_u64().unwrap() as usize);
    let page: Vec<Json> = found
        .iter()
        .skip(offset)
        .take(limit)
        .map(|row| {
            call["properties"]
                .as_array()
                .unwrap()
                .iter()
                .map(|p| (p.as_str().unwrap().to_owned(), plain(&row[p.as_str().unwrap()])))
                .collect::<serde_json::Map<_, _>>()
                .into()
        })
        .collect();
    json!({"rows": page, "total": found.len(), "more": offset + page.len() < found.len()})
}

/// The engine of the test runs in UTC.
fn plain(value: &Json) -> Json {
    value
        .get("date")
        .map_or_else(|| value.clone(), |date| json!(date.as_str().unwrap().replace('Z', "+00:00")))
}

fn fits(row: &Json, filter: &Json) -> bool {
    if let Some(all) = filter["and"].as_array() {
        return all.iter().all(|each| fits(row, each));
    }
    if let Some(any) = filter["or"].as_array() {
        return any.iter().any(|each| fits(row, each));
    }
    if filter.get("not").is_some() {
        return !fits(row, &filter["not"]);
    }
    let has = &row[filter["property"].as_str().unwrap()];
    holds(filter["op"].as_str().unwrap(), has, &filter["value"])
}

fn holds(op: &str, has: &Json, wants: &Json) -> bool {
    if op == "!=" {
        return !holds("==", has, wants);
    }
    if has.is_null() || wants.is_null() {
        return op == "==" && has == wants;
    }
    let order = sort_key(has).partial_cmp(&sort_key(&wrap(has, wants))).unwrap();
    let (a, b) = (lower(has), lower(wants));
    match op {
        "==" => order == Ordering::Equal,
        "<" => order == Ordering::Less,
        ">" => order == Ordering::Greater,
        "<=" => order != Ordering::Greater,
        ">=" => order != Ordering::Less,
        "contains" => a.contains(&b),
        "startsWith" => a.starts_with(&b),
        "endsWith" => a.ends_with(&b),
        _ => unreachable!("{op}"),
    }
}

/// A date in a filter is a text; the type of the row's value decides how to read it.
fn wrap(has: &Json, wants: &Json) -> Json {
    if has.get("date").is_some() { json!({ "date": wants }) } else { wants.clone() }
}

fn lower(value: &Json) -> String {
    value.as_str().unwrap_or_default().to_lowercase()
}

/// All dates of the test are in one zone, so their texts sort as they do.
fn sort_key(value: &Json) -> (u8, i64, String) {
    match value {
        Json::Bool(flag) => (0, i64::from(*flag), String::new()),
        Json::Number(number) => (0, number.as_i64().unwrap(), String::new()),
        Json::String(text) => (1, 0, text.to_lowercase()),
        date => (2, 0, date["date"].as_str().unwrap().to_owned()),
    }
}

fn in_order(a: &Json, b: &Json, keys: &[Json]) -> Ordering {
    for key in keys {
        let (x, y) = (&a[key["property"].as_str().unwrap()], &b[key["property"].as_str().unwrap()]);
        let order = match (x.is_null(), y.is_null()) {
            (true, true) => Ordering::Equal,
            (true, false) => Ordering::Greater,
            (false, true) => Ordering::Less,
            (false, false) if key["order"] == "desc" => sort_key(y).cmp(&sort_key(x)),
            (false, false) => sort_key(x).cmp(&sort_key(y)),
        };
        if order != Ordering::Equal {
            return order;
        }
    }
    Ordering::Equal
}
