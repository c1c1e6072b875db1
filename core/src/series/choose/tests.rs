use serde_json::json;

use super::*;

const HOUR: i64 = 3_600_000;

/// Rows in a zone without changes: a plain row, a daily series from hour 10, and the results of the index.
fn rows() -> Json {
    json!({
        "moments": [0, 3 * DAY, null],
        "span": [0, 3 * DAY],
        "zone": [[0, 0]],
        "rows": [
            {"id": "plain", "start": 30 * HOUR, "end": 31 * HOUR, "tests": [null, null, true], "keys": ["b"]},
            {"id": "daily", "start": 10 * HOUR, "end": 12 * HOUR, "rule": "FREQ=DAILY", "excluded": [34 * HOUR],
                "tests": [null, null, true], "keys": ["a"]},
            {"id": "moved", "start": 40 * HOUR, "end": 41 * HOUR, "occurrence": 39 * HOUR,
                "tests": [null, null, true], "keys": [null]},
            {"id": "other", "start": 40 * HOUR, "end": 41 * HOUR, "tests": [null, null, false], "keys": ["c"]},
        ],
    })
}

fn ask(filter: &Json, sort: &[(usize, bool)], offset: i64, limit: usize) -> Chosen {
    choose(&rows(), &Asked { start: 0, end: Some(1), parts: &[], filter, sort, offset, limit })
        .expect("the rows have the form")
}

fn check(sort: &[(usize, bool)], offset: i64, limit: usize, expected: &[(usize, i64)]) {
    let filter = json!(["and", [">=", 0, "x"], ["<", 0, "x"], ["==", 2, "work"]]);
    let chosen = ask(&filter, sort, offset, limit);
    assert_eq!(chosen.total, 4);
    let got: Vec<(usize, i64)> =
        chosen.page.iter().map(|each| (each.row, each.start.unwrap_or_default() / HOUR)).collect();
    assert_eq!(got, expected, "{sort:?} {offset} {limit}");
}

#[test]
fn occurrences_are_filtered_sorted_and_cut() {
    check(&[], 0, 10, &[(1, 10), (0, 30), (2, 40), (1, 58)]);
    check(&[(0, true)], 0, 2, &[(1, 58), (2, 40)]);
    check(&[(1, false)], 1, 2, &[(0, 30), (2, 40)]);
    check(&[(2, true)], 0, 10, &[(0, 30), (1, 10), (1, 58), (2, 40)]);
    check(&[], -1, 10, &[(1, 58)]);
    check(&[], -5, 1, &[]);
    check(&[], -6, 4, &[(1, 10), (0, 30)]);
    check(&[], -30, 30, &[(1, 10), (0, 30), (2, 40), (1, 58)]);
}

#[test]
fn a_missing_time_is_null_and_nothing_else() {
    let rows = json!({"moments": [null], "span": [0, DAY], "zone": [[0, 0]], "rows": [
        {"id": 1, "start": null, "end": null, "tests": [null], "keys": []},
        {"id": 2, "start": HOUR, "end": null, "tests": [null], "keys": []}]});
    let count = |operator: &str, wanted: Json| {
        let filter = json!([operator, 0, wanted]);
        let asked =
            Asked { start: 0, end: None, parts: &[], filter: &filter, sort: &[], offset: 0, limit: 9 };
        choose(&rows, &asked)
            .expect("the rows have the form")
            .page
            .iter()
            .map(|each| each.row)
            .collect::<Vec<_>>()
    };
    assert_eq!(count("==", Json::Null), [0]);
    assert_eq!(count("!=", Json::Null), [1]);
    assert_eq!(count("<", Json::Null), [0; 0]);
}

#[test]
fn an_occurrence_keeps_its_length_and_its_own_date() {
    let chosen = ask(&Json::Null, &[], 0, 10);
    let daily: Vec<&Chose> = chosen.page.iter().filter(|each| each.row == 1).collect();
    assert!(daily.iter().all(|each| each.end == each.start.map(|start| start + 2 * HOUR)));
    let moved = chosen.page.iter().find(|each| each.row == 2).expect("it is there");
    assert_eq!(moved.occurrence, Some(39 * HOUR));
}

#[test]
fn comparisons_are_those_of_the_prelude() {
    for (operator, expected) in
        [("<", 1), ("<=", 2), (">", 2), (">=", 3), ("==", 1), ("!=", 3)].map(|(word, count)| (word, count))
    {
        let row = |id: i64| json!({"id": id, "start": id, "end": id, "tests": [null], "keys": []});
        let answer =
            json!({"moments": [2], "span": [0, 9], "zone": [], "rows": [row(1), row(2), row(3), row(4)]});
        let filter = json!(["or", [operator, 1, "x"]]);
        let asked =
            Asked { start: 0, end: Some(1), parts: &[], filter: &filter, sort: &[], offset: 0, limit: 9 };
        assert_eq!(choose(&answer, &asked).expect("the rows have the form").total, expected, "{operator}");
        let none = json!(["not", filter]);
        let asked = Asked { filter: &none, ..asked };
        assert_eq!(
            choose(&answer, &asked).expect("the rows have the form").total,
            4 - expected,
            "{operator}"
        );
    }
}

#[test]
fn whole_days_end_at_midnight_also_when_the_clocks_change() {
    // Berlin, in which 29 March 2026 has 23 hours.
    let answer = json!({
        "moments": [], "span": [1_774_700_000_000_i64, 1_774_900_000_000_i64],
        "zone": [[0, HOUR], [1_774_746_000_000_i64, 2 * HOUR]],
        "rows": [{"id": "x", "start": 1_774_652_400_000_i64, "end": 1_774_652_400_000_i64 + DAY - 1000, "days": true,
            "rule": "FREQ=DAILY;COUNT=2", "tests": [], "keys": []}],
    });
    let asked =
        Asked { start: 0, end: Some(1), parts: &[], filter: &Json::Null, sort: &[], offset: 0, limit: 9 };
    let chosen = choose(&answer, &asked).expect("the rows have the form");
    let lengths: Vec<i64> =
        chosen.page.iter().map(|each| (each.end.unwrap_or(0) - each.start.unwrap_or(0)) / HOUR).collect();
    assert_eq!(lengths, [24, 23]);
}

#[test]
fn rules_that_cannot_be_read_are_counted() {
    let answer = json!({"moments": [], "span": [0, DAY], "zone": [], "rows": [
        {"id": 1, "start": 5, "end": 6, "rule": "sometimes", "tests": [], "keys": []},
        {"id": 2, "start": 0, "end": null, "rule": "FREQ=SECONDLY;UNTIL=20300101", "tests": [], "keys": []}]});
    let asked = Asked {
        start: 0,
        end: Some(1),
        parts: &[],
        filter: &Json::Null,
        sort: &[(1, false)],
        offset: 0,
        limit: 9,
    };
    let chosen = choose(&answer, &asked).expect("the rows have the form");
    assert_eq!((chosen.unreadable, chosen.cut), (1, 0));
    assert_eq!((chosen.page[0].row, chosen.total), (0, 86_402));
    assert!(choose(&json!({"rows": 1}), &asked).is_err());
}

/// 1 January 1970 was a Thursday.
#[test]
fn a_part_of_a_time_is_that_of_the_occurrence() {
    let answer = json!({"moments": [null], "span": [0, 7 * DAY], "zone": [[0, HOUR]], "rows": [
        {"id": 1, "start": 10 * HOUR, "end": 11 * HOUR, "rule": "FREQ=DAILY", "tests": [null], "keys": [null]}]});
    let parts = [(2, false, Part::Weekday), (3, true, Part::Day)];
    let days = |operator: &str, column: usize, value: Json, sort: &[(usize, bool)]| -> Vec<i64> {
        let filter = json!([operator, column, value]);
        let asked =
            Asked { start: 0, end: Some(1), parts: &parts, filter: &filter, sort, offset: 0, limit: 9 };
        let chosen = choose(&answer, &asked).expect("the rows have the form");
        chosen.page.iter().map(|each| 1 + each.start.unwrap_or_default() / DAY).collect()
    };
    assert_eq!(days("==", 2, json!("friday"), &[]), [2]);
    assert_eq!(days("!=", 2, json!("Friday"), &[]), [1, 3, 4, 5, 6, 7]);
    assert_eq!(days("contains", 2, json!("SATUR"), &[]), [3]);
    assert_eq!(days("startsWith", 2, json!("t"), &[]), [1, 6]);
    assert_eq!(days("endsWith", 2, json!("nesday"), &[]), [7]);
    assert_eq!(days(">=", 3, json!(6), &[(3, true)]), [7, 6]);
    assert_eq!(days("<", 3, json!(2), &[]), [1]);
    assert_eq!(days("<=", 3, json!("2"), &[]), Vec::<i64>::new());
    assert_eq!(days("==", 3, json!(4), &[]), [4]);
}
