//! Random filters over random worlds: the plugin and the independent evaluator agree on the matches and their order.

use std::cmp::Ordering;
use std::sync::{LazyLock, Mutex};

use iac_plugin::{Json, json};
use proptest::prelude::*;
use proptest::sample::select;

use crate::evaluator;
use crate::world::World;

/// A world and its tasks.
type Listed = Mutex<(World, Vec<Json>)>;

/// Three worlds are enough to have differences.
static WORLDS: LazyLock<Vec<Listed>> = LazyLock::new(|| {
    let worlds = [World::new(), World::with_tasks(450, 11), World::with_tasks(800, 12)];
    worlds
        .map(|world| {
            let tasks = evaluator::list(&world);
            Mutex::new((world, tasks))
        })
        .into()
});

const WORDS: [&str; 8] = ["a", "the", "call", "Send", "roof", "ü", "budget", "e"];
const TAGS: [&str; 6] = ["Work", "Home", "Phone", "Ana", "Grocery", "Computer"];
const DATES: [&str; 8] =
    ["now", "now-30d", "now+5h", "today", "today+3d", "2025-12-15", "2026-01-20 12:00", "2026-03-29"];

fn one(key: &'static str, value: impl Strategy<Value = Json> + 'static) -> BoxedStrategy<Json> {
    value.prop_map(move |value| json!({key: value})).boxed()
}

fn flag() -> impl Strategy<Value = Json> {
    any::<bool>().prop_map(Json::from)
}

fn date() -> impl Strategy<Value = Json> {
    prop_oneof![
        (select(vec!["before", "after", "onOrBefore", "onOrAfter"]), select(&DATES[..]))
            .prop_map(|(how, date)| json!({how: date})),
        (select(&DATES[..]), select(&DATES[..])).prop_map(|(from, to)| json!({"between": [from, to]})),
        any::<bool>().prop_map(|there| json!({"exists": there})),
    ]
}

fn minutes() -> impl Strategy<Value = Json> {
    let count = || select(vec![0, 5, 15, 30, 60, 90]);
    prop_oneof![
        count().prop_map(|count| json!({"equals": count})),
        count().prop_map(|count| json!({"lessThan": count})),
        count().prop_map(|count| json!({"greaterThan": count})),
        (count(), count()).prop_map(|(left, right)| json!({"between": [left.min(right), left.max(right)]})),
        any::<bool>().prop_map(|there| json!({"exists": there})),
    ]
}

fn text() -> impl Strategy<Value = Json> {
    (select(&["contains", "matches"][..]), select(&WORDS[..])).prop_map(|(how, word)| json!({how: word}))
}

fn tags() -> impl Strategy<Value = Json> {
    let names = || proptest::collection::vec(select(&TAGS[..]), 1..3);
    (select(&["any", "all", "none"][..]), names()).prop_map(|(how, names)| json!({how: names}))
}

fn leaf() -> BoxedStrategy<Json> {
    let flags = [
        "flagged", "effectiveFlagged", "available", "blocked", "inInbox", "hasNote", "sequential",
        "completed",
    ];
    let dates = [
        "dueDate",
        "deferDate",
        "plannedDate",
        "effectiveDueDate",
        "effectiveDeferDate",
        "effectivePlannedDate",
        "completionDate",
        "added",
        "modified",
    ];
    let folders = vec![json!("work"), json!("Work/Clients"), json!("personal"), Json::Null];
    prop_oneof![
        4 => select(flags.to_vec()).prop_flat_map(|key| one(key, flag())),
        4 => select(dates.to_vec()).prop_flat_map(|key| one(key, date())),
        1 => one("status", select(vec![json!("active"), json!("completed"), json!("dropped")])),
        2 => one("estimatedMinutes", minutes()),
        2 => select(vec!["name", "text"]).prop_flat_map(|key| one(key, text())),
        2 => one("tags", tags()),
        1 => one("project", select(vec![json!("Roof"), json!("Q1 budget"), json!("Health"), Json::Null])),
        1 => one("folder", select(folders)),
    ]
    .boxed()
}

fn filter() -> impl Strategy<Value = Json> {
    leaf().prop_recursive(3, 12, 3, |inner| {
        let list = || proptest::collection::vec(inner.clone(), 1..4);
        prop_oneof![
            list().prop_map(|items| json!({"AND": items})),
            list().prop_map(|items| json!({"OR": items})),
            inner.clone().prop_map(|item| json!({"NOT": item})),
            (inner.clone(), leaf()).prop_map(|(left, right)| merged(left, &right)),
        ]
    })
}

/// Merges the keys of two filters into one object; if both have a key, the first one's value stays.
fn merged(mut left: Json, right: &Json) -> Json {
    for (key, value) in right.as_object().unwrap() {
        let rivals = ["status", "completed"].contains(&key.as_str())
            && (left.get("status").is_some() || left.get("completed").is_some());
        if left.get(key).is_none() && !rivals {
            left[key] = value.clone();
        }
    }
    left
}

const SORTS: [&str; 7] =
    ["dueDate", "effectiveDueDate", "name", "flagged", "estimatedMinutes", "added", "project"];

fn sorted<'a>(mut tasks: Vec<&'a Json>, field: &str, descending: bool) -> Vec<&'a Json> {
    let key = if field == "estimatedMinutes" { "minutes" } else { field };
    tasks.sort_by(|left, right| match (&left[key], &right[key]) {
        (Json::Null, Json::Null) => Ordering::Equal,
        (Json::Null, _) => Ordering::Greater,
        (_, Json::Null) => Ordering::Less,
        (left, right) => {
            let order = compare(left, right);
            if descending { order.reverse() } else { order }
        }
    });
    tasks
}

fn compare(left: &Json, right: &Json) -> Ordering {
    match (left, right) {
        // The engine compares texts by their UTF-16 units.
        (Json::String(left), Json::String(right)) => {
            left.to_lowercase().encode_utf16().cmp(right.to_lowercase().encode_utf16())
        }
        (Json::Bool(left), Json::Bool(right)) => left.cmp(right),
        (left, right) => left.as_f64().partial_cmp(&right.as_f64()).unwrap(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn both_readers_agree(
        filter in filter(), world in 0..3_usize, field in select(&SORTS[..]), descending: bool, offset in 0..20_usize,
    ) {
        let mut guard = WORLDS[world].lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let (world, tasks) = &mut *guard;
        let order = if descending { "desc" } else { "asc" };
        let query = json!({"query": {
            "type": "tasks", "filters": filter, "fields": ["id"], "sort": [{"field": field, "order": order}],
            "limit": 500, "offset": offset,
        }});
        let expected = sorted(evaluator::matching(&filter, tasks), field, descending);
        match world.try_call("omnifocus_read", &query) {
            Ok(answer) => {
                let rows = answer["data"]["tasks"].as_array().unwrap();
                let found: Vec<&Json> = rows.iter().map(|row| &row["id"]).collect();
                let wanted: Vec<&Json> = expected.iter().skip(offset).take(500).map(|task| &task["id"]).collect();
                let differing = found.iter().zip(&wanted).position(|(left, right)| left != right);
                prop_assert!(found == wanted, "{filter}: {} and {} rows, the first to differ is {differing:?}", found.len(), wanted.len());
                prop_assert_eq!(&answer["metadata"]["total_count"], &json!(expected.len()));
                prop_assert_eq!(&answer["metadata"]["truncated"], &json!(offset + rows.len() < expected.len()));
            }
            // Only a filter without any match is a contradiction; a range that ends before it begins is an error
            // anywhere.
            Err(fault) if fault.message.contains("before it begins") => {}
            Err(fault) => {
                prop_assert!(fault.message.contains("contradict"), "{filter}: {}", fault.message);
                prop_assert!(expected.is_empty(), "{filter}: {} match, {}", expected.len(), fault.message);
            }
        }
    }
}
