//! Relative dates reach the app as dates in the zone of its Mac; the script computes them by the calendar.

use iac_core::moment::Part;
use rquickjs::{Context, Runtime};
use serde_json::{Value as Json, json};

use crate::engine;

/// A Wednesday, the last day of a January, and the days before the clock changes in spring and autumn.
const WEDNESDAY: &str = "2026-01-28T15:30:00";
const LAST_OF_JANUARY: &str = "2026-01-31T15:30:00";
const BEFORE_SUMMER: &str = "2026-03-28T02:30:00";
const BEFORE_WINTER: &str = "2026-10-24T15:30:00";

#[test]
fn a_moment_is_counted_by_the_calendar() {
    for (now, moment, expected) in [
        (WEDNESDAY, "now", WEDNESDAY),
        (WEDNESDAY, "today", "2026-01-28T00:00:00"),
        (WEDNESDAY, "tomorrow", "2026-01-29T00:00:00"),
        (WEDNESDAY, "yesterday", "2026-01-27T00:00:00"),
        (WEDNESDAY, "now - 14 days", "2026-01-14T15:30:00"),
        (WEDNESDAY, "(current date) - (7 * days)", "2026-01-21T15:30:00"),
        (WEDNESDAY, "now + 90 minutes", "2026-01-28T17:00:00"),
        (WEDNESDAY, "today + 2 weeks", "2026-02-11T00:00:00"),
        (WEDNESDAY, "wednesday", "2026-01-28T00:00:00"),
        (WEDNESDAY, "next wednesday", "2026-02-04T00:00:00"),
        (WEDNESDAY, "last wednesday", "2026-01-21T00:00:00"),
        (WEDNESDAY, "monday", "2026-02-02T00:00:00"),
        (WEDNESDAY, "last monday", "2026-01-26T00:00:00"),
        (WEDNESDAY, "next monday + 9 hours", "2026-02-02T09:00:00"),
        (WEDNESDAY, "monday + 1 month", "2026-03-02T00:00:00"),
        (WEDNESDAY, "tomorrow 15:00", "2026-01-29T15:00:00"),
        (WEDNESDAY, "friday at 5 pm", "2026-01-30T17:00:00"),
        (WEDNESDAY, "wednesday 17:00", "2026-01-28T17:00:00"),
        (WEDNESDAY, "wednesday 9:00", "2026-02-04T09:00:00"),
        (WEDNESDAY, "wednesday 0:00", "2026-01-28T00:00:00"),
        (WEDNESDAY, "next wednesday 17:00", "2026-02-04T17:00:00"),
        (WEDNESDAY, "2 days before wednesday 9:00", "2026-02-02T09:00:00"),
        (WEDNESDAY, "in 3 days at 8:15", "2026-01-31T08:15:00"),
        (WEDNESDAY, "today noon + 2 hours", "2026-01-28T14:00:00"),
        (WEDNESDAY, "this week", "2026-01-26T00:00:00"),
        (WEDNESDAY, "last week", "2026-01-19T00:00:00"),
        (WEDNESDAY, "this month", "2026-01-01T00:00:00"),
        (WEDNESDAY, "next month", "2026-02-01T00:00:00"),
        (WEDNESDAY, "last year", "2025-01-01T00:00:00"),
        (WEDNESDAY, "8pm", "2026-01-28T20:00:00"),
        (WEDNESDAY, "9am on friday", "2026-01-30T09:00:00"),
        (WEDNESDAY, "tomorrow evening at 7", "2026-01-29T19:00:00"),
        (WEDNESDAY, "end of day", "2026-01-28T23:59:59"),
        (WEDNESDAY, "end of month", "2026-01-31T23:59:59"),
        (WEDNESDAY, "end of next week", "2026-02-08T23:59:59"),
        (WEDNESDAY, "this weekend", "2026-01-31T00:00:00"),
        (WEDNESDAY, "last weekend", "2026-01-24T00:00:00"),
        (WEDNESDAY, "tuesday next week 9:00", "2026-02-03T09:00:00"),
        (WEDNESDAY, "a week from friday", "2026-02-06T00:00:00"),
        (LAST_OF_JANUARY, "this weekend", "2026-01-31T00:00:00"),
        (LAST_OF_JANUARY, "end of next month", "2026-02-28T23:59:59"),
        (BEFORE_SUMMER, "end of tomorrow", "2026-03-29T23:59:59"),
        (LAST_OF_JANUARY, "today + 1 month", "2026-02-28T00:00:00"),
        (LAST_OF_JANUARY, "now + 25 months", "2028-02-29T15:30:00"),
        (LAST_OF_JANUARY, "now - 2 months", "2025-11-30T15:30:00"),
        (LAST_OF_JANUARY, "next month", "2026-02-01T00:00:00"),
        (BEFORE_SUMMER, "today + 2 days", "2026-03-30T00:00:00"),
        (BEFORE_SUMMER, "now + 2 days", "2026-03-30T02:30:00"),
        (BEFORE_WINTER, "now + 1 day", "2026-10-25T15:30:00"),
    ] {
        assert_eq!(date(now, moment, expected), 1, "{moment} from {now} is not {expected}");
    }
}

/// The answer says which date a relative one is.
#[test]
fn the_answer_names_the_date_that_was_meant() {
    let call = json!({ "app": "Shelf", "container": "application", "elementType": "thing", "properties": ["n"],
        "where": "when > tomorrow 15:00" });
    for whose in ["works", "fails"] {
        let world = json!({ "now": WEDNESDAY, "rows": [], "refuses": [], "whose": whose });
        let body = engine::play("iac_mcp_get_elements", &call, &world).outcome.body;
        let said = body["dates"]["when > today at 15:00 + 1 day"].as_str().unwrap_or_default();
        assert!(said.starts_with("2026-01-29T15:00:00"), "{body}");
    }
}

/// A whole week is two comparisons, or one with its end. The answer says which.
#[test]
fn the_answer_says_how_a_date_was_compared() {
    for (filter, told) in [
        ("when is in this week + 1 week", &["when >= this week + 1 week", "when < this week + 2 weeks"][..]),
        ("when <= this week + 1 week", &["when < this week + 2 weeks"]),
        ("when > this week + 1 week", &["when > this week + 1 week"]),
    ] {
        let call = json!({ "app": "Shelf", "container": "application", "elementType": "thing", "properties": ["n"],
            "where": filter });
        let world = json!({ "now": WEDNESDAY, "rows": [], "refuses": [], "whose": "works" });
        let body = engine::play("iac_mcp_get_elements", &call, &world).outcome.body;
        let dates: Vec<&String> = body["dates"].as_object().expect("there are dates").keys().collect();
        assert_eq!(dates, told, "{filter}");
    }
}

/// Parts of a date are ordinary columns: in filters of both forms, in an order and as groups.
#[test]
fn parts_of_a_date_are_columns() {
    for (filter, expected) in [
        ("month of when is 12", &[0, 2, 3][..]),
        ("when.month is December", &[0, 2, 3]),
        ("month of when is in {\"jan\", 12} and when's year > 2000", &[1, 2, 3]),
        ("weekday of when is monday", &[0, 1, 2]),
        ("weekday of when is \"Mon\"", &[0, 1, 2]),
        ("weekday of when is in {thurs, \"Mondays\"}", &[0, 1, 2, 3]),
        ("weekday of when is not Mon", &[3, 4]),
        ("when.date is \"2020-12-31\"", &[3]),
        ("when.date is 2020-12-31", &[3]),
        ("when.date is not 2020-12-31", &[0, 1, 2, 4]),
        ("when.date > 2001-01-01", &[2, 3]),
        ("when.date ≥ 2001-01-01 and when.date ≤ date \"2019-12-02\"", &[1, 2]),
        ("when.date < \"2019-12-02\"", &[0, 1]),
        ("when.date starts with \"2019-1\"", &[2]),
        ("when.date < today", &[0, 1, 2, 3]),
        ("when.date is tomorrow or when.date > this week", &[]),
        ("when.week is \"2020-W53\" or when.week is \"2001-W01\"", &[1, 3]),
        ("when.week is \"2020w53\" or when.week is \"2001-W1\"", &[1, 3]),
        ("when.week is 2020-W53 or week of when is 2001W1", &[1, 3]),
        ("when.week ≤ \"2001-W01\"", &[0, 1]),
        ("when.week < this week", &[0, 1, 2, 3]),
        ("when.week ends with \"W01\"", &[1]),
        ("year of when is 2019 or when.year < 1991", &[0, 2]),
        ("year of when > 2019", &[3]),
        ("year of when > 1989.5 and year of when ≤ last year", &[0, 1, 2, 3]),
        ("hours of when ≥ 12", &[1, 2]),
        ("hour of when < 24 and hour of when > 0.5", &[0, 1, 2]),
        ("day of when is 31 or minute of when is 15", &[2, 3]),
        ("when.month is missing value", &[4]),
        ("when.date is missing value or when.weekday is missing value", &[4]),
    ] {
        for whose in ["works", "fails"] {
            assert_eq!(with_parts(json!(filter), whose), expected, "{filter} {whose}");
        }
    }
    let in_json = |property: &str, op: &str, value: Json| {
        with_parts(json!({ "property": property, "op": op, "value": value }), "fails")
    };
    assert_eq!(in_json("when.month", "==", json!("January")), [1]);
    assert_eq!(in_json("date of when", ">=", json!("this year - 8 years")), [2, 3]);
    assert_eq!(in_json("weekday of when", "!=", json!(" mon ")), [3, 4]);
    let sorted = ask_parts(
        json!({ "properties": ["when.day"], "sort": [{ "property": "when.day" }], "limit": 2 }),
        "works",
    );
    assert_eq!(sorted["elements"][0]["properties"], json!({ "when.day": 1 }), "{sorted}");
    let groups = ask_parts(json!({ "groupBy": ["when.month"], "limit": 1 }), "works");
    assert_eq!(groups["groups"], json!([{ "key": { "when.month": 12 }, "count": 3 }]), "{groups}");
    let wrong = ask_parts(json!({ "properties": ["when.decade"] }), "works");
    assert_eq!(wrong["message"], "no part `decade` in the date `when`", "{wrong}");
}

/// A value that no date can have as that part would match nothing, and an empty list looks like an answer.
#[test]
fn a_part_is_compared_with_what_it_can_be() {
    for (property, op, value, told) in [
        ("when.weekday", "==", json!("Mo"), "such as Monday or Mon"),
        ("when.weekday", "==", json!("mondayish"), "such as Monday or Mon"),
        ("when.weekday", "==", json!(1), "such as Monday or Mon"),
        ("when.weekday", "==", json!("today"), "such as Monday or Mon"),
        ("when.weekday", ">", json!("Monday"), "come again and again"),
        ("when.weekday", "contains", json!("Mon"), "come again and again"),
        ("when.week", "==", json!(48), "such as 2026-W48"),
        ("when.week", "==", json!("48"), "such as 2026-W48"),
        ("when.week", "==", json!("2025-W53"), "such as 2026-W48"),
        ("when.week", ">", json!("today"), "such as 2026-W48"),
        ("when.date", "==", json!("2026-02-30"), "such as 2026-01-27"),
        ("when.date", "==", json!("2026-11-24T00:00:00+01:00"), "without a time"),
        ("when.date", "<", json!("now + 3 hours"), "without a time"),
        ("when.date", "==", json!(20_260_127), "such as 2026-01-27"),
        ("when.month", "==", json!(13), "from 1 to 12"),
        ("when.month", "<", json!("Brumaire"), "from 1 to 12"),
        ("when.month", "==", json!("ju"), "from 1 to 12"),
        ("when.day", "!=", json!(0), "from 1 to 31"),
        ("when.hour", "==", json!(24), "from 0 to 23"),
        ("when.hour", "==", json!(9.5), "from 0 to 23"),
        ("when.minute", "==", json!("5"), "from 0 to 59"),
        ("when.year", "==", json!(0), "such as 2026"),
        ("when.year", "==", json!("this month"), "such as 2026"),
        ("when.date", "==", json!(["2026-01-27"]), "{\"or\":[…]}"),
    ] {
        let filter = json!({ "property": property, "op": op, "value": value });
        let body = ask_parts(json!({ "properties": ["n"], "where": filter }), "works");
        assert_eq!(body["error"], "type_mismatch", "{property} {op} {value}: {body}");
        let said = format!("{} {}", body["message"], body["suggestion"].as_str().unwrap_or_default());
        assert!(said.contains(told), "{property} {op} {value}: {body}");
    }
}

/// Days of the week begin with Monday; weeks and days have a minimum and a maximum.
#[test]
fn parts_of_a_date_have_their_own_order() {
    let sort = |desc: &str| {
        let body = ask_parts(
            json!({ "properties": ["n"], "sort": [{ "property": "when.weekday", "order": desc }, { "property": "n" }] }),
            "works",
        );
        numbers(&body)
    };
    assert_eq!(sort("asc"), [0, 1, 2, 3, 4]);
    assert_eq!(sort("desc"), [3, 0, 1, 2, 4]);
    let folds = ["min(when.week)", "max(when.week)", "max(date of when)", "min(when.hour)", "max(when)"];
    let body = ask_parts(json!({ "aggregate": folds }), "works");
    let group = &body["groups"][0];
    assert_eq!(group["min(when.week)"], "1990-W52", "{body}");
    assert_eq!(group["max(when.week)"], "2020-W53", "{body}");
    assert_eq!(group["max(date of when)"], "2020-12-31", "{body}");
    assert_eq!(group["min(when.hour)"], 0, "{body}");
    for (fold, told) in [
        ("max(when.weekday)", "max cannot be used with `when.weekday`, which holds days of the week"),
        ("sum(when.week)", "sum cannot be used with `when.week`, which holds weeks or days"),
        ("avg(when)", "avg cannot be used with `when`, which holds dates"),
        ("min(name)", "min cannot be used with `name`, which holds a text"),
        ("sum(flag)", "sum cannot be used with `flag`, which holds true or false"),
    ] {
        let body = ask_parts(json!({ "aggregate": [fold] }), "works");
        assert_eq!(body["error"], "type_mismatch", "{fold}: {body}");
        assert!(body["message"].as_str().unwrap_or_default().ends_with(told), "{fold}: {body}");
    }
}

/// Scripts work out the parts from dates, and the core works them out from occurrences. Both must agree on year ends,
/// leap days and the first and last weeks of sixty years.
#[test]
fn scripts_and_core_agree_on_parts() {
    let dates: Vec<jiff::civil::DateTime> = (1985..2045_i16)
        .step_by(3)
        .flat_map(|year| {
            [(1, 1), (1, 4), (2, 28), (3, 1), (6, 30), (12, 28), (12, 31)]
                .map(|(month, day)| (year, month, day))
        })
        .map(|(year, month, day)| jiff::civil::date(year, month, day).at(day % 24, month * 4, 0, 0))
        .collect();
    let row = |(at, date): (usize, &jiff::civil::DateTime)| json!({ "id": at, "name": "x", "n": at, "text": "x", "when": { "date": date.to_string() }, "flag": true, "body": "" });
    let rows: Vec<Json> = dates.iter().enumerate().map(row).collect();
    let world = json!({ "now": WEDNESDAY, "rows": rows, "refuses": [], "whose": "works" });
    let terms: Vec<String> = Part::names().map(|part| format!("when.{part}")).collect();
    let call = json!({ "app": "Shelf", "container": "application", "elementType": "thing",
        "properties": terms, "sort": ["n"], "limit": 1000 });
    let body = engine::play("iac_mcp_get_elements", &call, &world).outcome.body;
    let elements = body["elements"].as_array().unwrap();
    assert_eq!(elements.len(), dates.len());
    for (element, date) in elements.iter().zip(&dates) {
        let civil = jiff::tz::Offset::UTC.to_timestamp(*date).unwrap().as_millisecond();
        for name in Part::names() {
            let part = Part::parse(name).unwrap();
            assert_eq!(element["properties"][format!("when.{name}")], part.of(civil), "{name} of {date}");
            let span = part.span(&part.of(civil));
            let is_within = |[begin, end]: [String; 2]| {
                let at = |text: &str| text.parse::<jiff::civil::Date>().unwrap().at(0, 0, 0, 0);
                at(&begin) <= *date && *date < at(&end)
            };
            assert!(span.is_none_or(is_within), "{name} of {date}");
        }
    }
}

/// Lists things with four dates, three of them on Mondays, and one thing without a date.
fn ask_parts(more: Json, whose: &str) -> Json {
    let times = ["1990-12-24T08:00:00", "2001-01-01T23:30:00", "2019-12-02T12:15:00", "2020-12-31T00:00:00"];
    let when = |at: usize| times.get(at).map(|time| json!({ "date": time }));
    let row = |at: usize| json!({ "id": at, "name": "x", "n": at, "text": "x", "when": when(at), "flag": true, "body": "" });
    let rows: Vec<Json> = (0..=times.len()).map(row).collect();
    let world = json!({ "now": WEDNESDAY, "rows": rows, "refuses": [], "whose": whose });
    let mut call = json!({ "app": "Shelf", "container": "application", "elementType": "thing" });
    for (name, value) in more.as_object().into_iter().flatten() {
        call[name] = value.clone();
    }
    engine::play("iac_mcp_get_elements", &call, &world).outcome.body
}

fn with_parts(filter: Json, whose: &str) -> Vec<u64> {
    numbers(&ask_parts(json!({ "properties": ["n"], "where": filter }), whose))
}

fn numbers(body: &Json) -> Vec<u64> {
    let elements = body["elements"].as_array().unwrap_or_else(|| panic!("{body}"));
    elements.iter().filter_map(|each| each["properties"]["n"].as_u64()).collect()
}

/// In Central Europe, one day of 2026 has 23 hours (29 March), and one has 25 (25 October).
#[test]
fn a_day_has_as_many_hours_as_the_zone_says() {
    if zone() != "Europe/Berlin" {
        return in_zone("Europe/Berlin", "a_day_has_as_many_hours_as_the_zone_says");
    }
    for (now, moment, expected) in [
        (BEFORE_SUMMER, "tomorrow + 24 hours", "2026-03-30T01:00:00"),
        (BEFORE_SUMMER, "today + 2 days", "2026-03-30T00:00:00"),
        (BEFORE_WINTER, "now + 24 hours", "2026-10-25T14:30:00"),
        (BEFORE_WINTER, "now + 1 day", "2026-10-25T15:30:00"),
    ] {
        assert_eq!(date(now, moment, expected), 1, "{moment} from {now} is not {expected}");
    }
}

#[test]
fn the_calendar_holds_in_every_zone() {
    for zone in ["Europe/Berlin", "America/Los_Angeles", "Asia/Kolkata", "UTC"] {
        in_zone(zone, "a_moment_is_counted_by_the_calendar");
    }
}

/// A comparison with a day uses its beginning and its end, whether the app or the script filters.
#[test]
fn a_day_is_a_whole_day() {
    let times = ["2026-01-27T23:59:59", "2026-01-28T00:00:00", "2026-01-28T23:59:59", "2026-01-29T00:00:00"];
    for whose in ["works", "fails"] {
        let rows = |operator: &str, day: &str| {
            let test = json!({ "property": "when", "op": operator, "value": day });
            found(WEDNESDAY, &times.map(Some), test, whose)
        };
        assert_eq!(rows("==", "today"), [1, 2], "{whose}");
        assert_eq!(rows("!=", "today"), [0, 3], "{whose}");
        assert_eq!(rows("==", "tomorrow"), [3], "{whose}");
        assert_eq!(rows("<", "today"), [0], "{whose}");
        assert_eq!(rows(">", "today"), [2, 3], "{whose}");
        for day in ["2026-01-28", "today", "wednesday"] {
            assert_eq!(rows("==", day), [1, 2], "{whose}: {day}");
            assert_eq!(rows("<=", day), [0, 1, 2], "{whose}: {day}");
            assert_eq!(rows(">=", day), [1, 2, 3], "{whose}: {day}");
        }
        assert_eq!(rows("<=", "this month"), [0, 1, 2, 3], "{whose}");
        assert_eq!(rows("<=", "2026-01-28T00:00"), [0, 1], "{whose}");
    }
}

#[test]
fn what_has_no_date_is_on_no_day() {
    let test = |operator: &str| json!({ "property": "when", "op": operator, "value": "today" });
    let times = [None, Some(WEDNESDAY)];
    assert_eq!(found(WEDNESDAY, &times, test("=="), "fails"), [1]);
    assert_eq!(found(WEDNESDAY, &times, test("!="), "fails"), [0]);
}

/// The number of rows that a filter finds if one row has the given date.
fn date(now: &str, moment: &str, expected: &str) -> usize {
    let side = |operator: &str| json!({ "property": "when", "op": operator, "value": moment });
    found(now, &[Some(expected)], json!({ "and": [side(">="), side("<=")] }), "fails").len()
}

/// The positions of the rows with these dates that a filter finds.
fn found(now: &str, times: &[Option<&str>], test: Json, whose: &str) -> Vec<u64> {
    let row = |(at, time): (usize, &Option<&str>)| {
        let when = time.map(|time| json!({ "date": time }));
        json!({ "id": at, "name": "x", "n": at, "text": "x", "when": when, "flag": true, "body": "" })
    };
    let rows: Vec<Json> = times.iter().enumerate().map(row).collect();
    let world = json!({ "now": now, "rows": rows, "refuses": [], "whose": whose });
    let call = json!({ "app": "Shelf", "container": "application", "elementType": "thing", "properties": ["n"], "where": test });
    let played = engine::play("iac_mcp_get_elements", &call, &world);
    assert!(!played.outcome.is_error, "{}", played.outcome.body);
    let elements = played.outcome.body["elements"].as_array().cloned().unwrap_or_default();
    elements.iter().filter_map(|each| each["properties"]["n"].as_u64()).collect()
}

/// In Boa Vista, daylight saving time ended after only a week in 2000.
#[test]
fn a_change_of_the_zone_that_is_taken_back_soon_is_found() {
    if zone() != "America/Boa_Vista" {
        return in_zone("America/Boa_Vista", "a_change_of_the_zone_that_is_taken_back_soon_is_found");
    }
    let code = include_str!("../../core/src/jxa/zone.js");
    let asked = "JSON.stringify(zoneOf(Date.UTC(2000, 9, 5), Date.UTC(2000, 11, 1)).map((each) => each[1] / 3600000))";
    let context = Context::full(&Runtime::new().expect("an engine")).expect("a context");
    let hours: String = context.with(|ctx| ctx.eval(format!("{code};{asked}"))).expect("the code runs");
    assert_eq!(hours, "[-4,-3,-4]");
}

#[expect(clippy::disallowed_methods, reason = "a test looks at its own zone")]
fn zone() -> String {
    std::env::var("TZ").unwrap_or_default()
}

/// Runs a test of this program again in another zone.
#[expect(clippy::disallowed_methods, reason = "the zone of a process is set when it starts")]
fn in_zone(zone: &str, test: &str) {
    let program = std::env::current_exe().expect("a test is a program");
    let ran = std::process::Command::new(program).args(["--exact", test]).env("TZ", zone).output();
    let ran = ran.expect("the test starts");
    assert!(ran.status.success(), "{zone}: {}", String::from_utf8_lossy(&ran.stdout));
}
