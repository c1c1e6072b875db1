use iac_plugin::{Arguments, Json, json};
use proptest::prelude::*;

use crate::clock::Day;
use crate::load::Load;
use crate::request::{Request, schema};
use crate::span::{Span, merged, total};
use crate::{Found, chosen};

/// A Wednesday; its week begins on the 16th.
const TODAY: &str = "2026-03-18";

fn today() -> Day {
    Day::parse(TODAY).unwrap()
}

fn request(arguments: Json) -> Result<Request, String> {
    let arguments = Arguments::parse(&arguments.to_string()).unwrap();
    Request::read(arguments, today()).map_err(|fault| format!("{}: {}", fault.code, fault.message))
}

/// One event: title, start and end without the month, and other properties.
fn row((title, start, end, other): &(&str, &str, &str, Json)) -> Json {
    let date = |text: &str| format!("2026-{text}:00+01:00");
    let mut properties = json!({"summary": title, "start date": date(start), "end date": date(end)});
    let others = other.as_object().into_iter().flatten();
    others.for_each(|(name, value)| properties[name] = value.clone());
    json!({"id": "ref_1", "properties": properties})
}

fn answer(arguments: Json, events: &[(&str, &str, &str, Json)]) -> Json {
    let mut found = Found::default();
    let rows: Vec<Json> = events.iter().map(row).collect();
    assert_eq!(found.take(&json!({"elements": rows}), "Home"), events.len());
    found.answer(&request(arguments).unwrap())
}

/// Checks the lines of Monday and Tuesday, of the conflicts and of the reasons.
fn check(arguments: Json, events: &[(&str, &str, &str, Json)], expected: &[&str]) {
    let answer = answer(arguments, events);
    let list = |name: &str| answer[name].as_array().unwrap().clone();
    let mut lines: Vec<String> = list("days").iter().take(2).map(day_line).collect();
    lines.extend(list("conflicts").iter().map(conflict_line));
    lines.extend(list("reasons").iter().map(|reason| reason.as_str().unwrap().to_owned()));
    assert_eq!(lines, expected, "{answer:#}");
    assert_eq!(answer["complete"], list("reasons").is_empty());
}

fn day_line(day: &Json) -> String {
    let slot = |slot: &Json| format!("{}-{}", time(&slot["start"]), time(&slot["end"]));
    let slots: Vec<String> = day["free"].as_array().unwrap().iter().map(slot).collect();
    let (busy, working, free) = (&day["busyHours"], &day["busyWorkingHours"], &day["freeHours"]);
    format!("{} {busy}/{working}/{free} {} {}", day["events"], slots.join(" "), day["allDay"])
}

fn conflict_line(conflict: &Json) -> String {
    let (one, other) = (&conflict["events"][0]["title"], &conflict["events"][1]["title"]);
    format!("{} {} {one} {other}", time(&conflict["start"]), conflict["minutes"])
}

fn time(value: &Json) -> &str {
    &value.as_str().unwrap()[11..]
}

#[test]
fn days_are_measured() {
    let none = || json!({});
    check(none(), &[], &["0 0.0/0.0/8.0 09:00-17:00 []", "0 0.0/0.0/8.0 09:00-17:00 []"]);
    check(
        none(),
        &[("early", "03-16T08:00", "03-16T09:30", none()), ("noon", "03-16T12:00", "03-16T12:20", none())],
        &["2 1.83/0.83/7.16 09:30-12:00 12:20-17:00 []", "0 0.0/0.0/8.0 09:00-17:00 []"],
    );
    check(
        none(),
        &[("night", "03-16T16:40", "03-17T09:10", none())],
        &["1 7.33/0.33/7.66 09:00-16:40 []", "1 9.16/0.16/7.83 09:10-17:00 []"],
    );
    check(
        json!({"minutes": 120, "workStart": "10:00", "workEnd": "16:00"}),
        &[("lunch", "03-16T11:59", "03-16T13:00", none()), ("point", "03-17T12:00", "03-17T12:00", none())],
        &["1 1.01/1.01/4.98 13:00-16:00 []", "1 0.0/0.0/6.0 10:00-16:00 []"],
    );
    check(
        json!({"workingDays": ["tuesday"]}),
        &[("work", "03-16T10:00", "03-16T11:00", none())],
        &["1 1.0/0.0/0.0  []", "0 0.0/0.0/8.0 09:00-17:00 []"],
    );
}

#[test]
fn whole_days_and_what_was_cancelled_take_no_time() {
    let whole = || json!({"allday event": true});
    check(
        json!({"days": 2}),
        &[
            ("trip", "03-14T00:00", "03-17T00:00", whole()),
            ("feast", "03-17T00:00", "03-17T23:59", whole()),
            ("off", "03-16T10:00", "03-16T11:00", json!({"status": "cancelled"})),
            ("perhaps", "03-16T16:00", "03-16T17:00", json!({"status": "tentative"})),
        ],
        &[r#"1 1.0/1.0/7.0 09:00-16:00 ["trip"]"#, r#"0 0.0/0.0/8.0 09:00-17:00 ["feast"]"#],
    );
}

#[test]
fn what_overlaps_is_a_conflict() {
    let none = || json!({});
    check(
        none(),
        &[
            ("c", "03-16T10:30", "03-16T12:00", none()),
            ("a", "03-16T10:00", "03-16T11:00", none()),
            ("b", "03-16T11:00", "03-16T11:30", none()),
            ("whole", "03-16T00:00", "03-17T00:00", json!({"allday event": true})),
        ],
        &[
            r#"3 2.0/2.0/6.0 09:00-10:00 12:00-17:00 ["whole"]"#,
            "0 0.0/0.0/8.0 09:00-17:00 []",
            r#"10:30 30 "a" "c""#,
            r#"11:00 30 "c" "b""#,
        ],
    );
    let many: Vec<_> = (0..15).map(|_| ("same", "03-16T10:00", "03-16T11:00", json!({}))).collect();
    let answer = answer(json!({}), &many);
    assert_eq!(
        (answer["conflicts"].as_array().map(Vec::len), &answer["otherConflicts"]),
        (Some(100), &json!(5))
    );
}

#[test]
fn what_is_partial_says_so() {
    let mut found = Found::default();
    let unreadable = json!({"id": "ref_1", "properties": {"summary": "x", "start date": null}});
    let page = json!({"elements": [unreadable], "complete": false, "reason": "one event did not answer"});
    found.take(&page, "Home");
    let answer = found.answer(&request(json!({})).unwrap());
    let expected = json!([
        "calendar `Home` has events without dates that can be read: 1",
        "calendar `Home` was not read whole: one event did not answer",
    ]);
    assert_eq!((&answer["complete"], &answer["reasons"]), (&json!(false), &expected));
    let mut found = Found { reasons: vec![String::new(); 30], ..Found::default() };
    for note in ["a may be off; exact dates", "b may be off; exact dates"] {
        found.note(&json!({"complete": true, "note": note}), "nothing");
    }
    let answer = found.answer(&request(json!({})).unwrap());
    assert_eq!(
        (answer["reasons"].as_array().map(Vec::len), &answer["reasons"][20]),
        (Some(21), &json!("and 10 more"))
    );
    assert_eq!(answer["note"], "a may be off; exact dates; b may be off");
}

#[test]
fn arguments_are_strict() {
    let refused = |arguments: Json, part: &str| {
        let said = request(arguments).unwrap_err();
        assert!(said.starts_with("invalid_parameter: ") && said.contains(part), "{said}");
    };
    refused(json!({"day": 1}), "`day` is not known");
    refused(json!({"days": 0}), "`days` is `0`, expected a whole number from 1 to 31");
    refused(json!({"days": 32}), "expected a whole number from 1 to 31");
    refused(json!({"days": "a week"}), "expected a whole number from 1 to 31");
    assert_eq!(request(json!({"days": "9"})).unwrap().days, 9, "some clients write numbers as texts");
    refused(json!({"minutes": 1441}), "from 1 to 1440");
    refused(json!({"from": "tomorrow"}), "`from` is `tomorrow`, expected a date such as 2026-03-18");
    refused(json!({"workStart": "9:00"}), "`workStart` is `9:00`, expected a time such as 09:30");
    refused(json!({"workStart": "17:00"}), "`workEnd` is `17:00`, expected a time after `workStart`");
    refused(json!({"workEnd": "24:01"}), "`workEnd` is `24:01`");
    refused(json!({"workingDays": ["Mo"]}), "`workingDays` holds `Mo`, expected some of monday");
    let standard = request(json!({"from": null})).unwrap();
    assert_eq!(
        (standard.first.to_string(), standard.days, standard.minutes),
        ("2026-03-16".to_owned(), 7, 30)
    );
    let named: Vec<String> = schema()["properties"].as_object().unwrap().keys().cloned().collect();
    let all = json!({"from": TODAY, "days": 1, "minutes": 1, "workStart": "00:00", "workEnd": "24:00", "workingDays": [], "calendars": ["Home"]});
    assert_eq!(named, all.as_object().unwrap().keys().cloned().collect::<Vec<_>>());
    assert!(request(all).is_ok());
}

#[test]
fn calendars_are_chosen_by_name() {
    let rows = ["Home", "Work"].map(|name| json!({"id": name, "properties": {"name": name}}));
    let names = |wanted: Option<&[String]>| {
        chosen(&rows, wanted).map(|all| all.into_iter().map(|(name, _)| name).collect())
    };
    assert_eq!(names(None), Ok(vec!["Home".to_owned(), "Work".to_owned()]));
    assert_eq!(names(Some(&["Work".to_owned()])), Ok(vec!["Work".to_owned()]));
    let said: Result<Vec<String>, _> = names(Some(&["Wrok".to_owned()]));
    assert_eq!(said.unwrap_err().message, "there is no calendar `Wrok`, expected some of `Home`, `Work`");
}

proptest! {
    /// Compares the result with a check of every single minute.
    #[test]
    fn busy_and_free_are_the_working_time(
        events in proptest::collection::vec((-1_500i64..3_000, 0i64..900), 0..12),
        (from, length) in (0i64..1_439).prop_flat_map(|from| (Just(from), 1..=1_440 - from)),
        minutes in 1i64..200,
    ) {
        let asked = Request { work: (from, from + length), ..request(json!({})).unwrap() };
        let day = today();
        let midnight = day.start().0;
        let spans: Vec<Span> = events.iter().map(|(start, long)| Span::new(midnight + start, midnight + start + long)).collect();
        let load = Load::of(day, &merged(spans.clone()), &asked);
        prop_assert_eq!(load.working.minutes(), length);
        prop_assert_eq!(load.busy_working + total(&load.free), length);
        let taken = |minute: i64| spans.iter().any(|span| (span.start.0..span.end.0).contains(&minute));
        let count = |within: std::ops::Range<i64>| i64::try_from(within.filter(|minute| taken(*minute)).count()).unwrap();
        prop_assert_eq!(load.busy, count(midnight..midnight + 1_440));
        prop_assert_eq!(load.busy_working, count(load.working.start.0..load.working.end.0));
        for slot in load.slots(minutes) {
            prop_assert!(slot.minutes() >= minutes);
            prop_assert!(slot.common(load.working) == Some(slot));
            prop_assert!(spans.iter().all(|span| span.common(slot).is_none()));
        }
    }
}
