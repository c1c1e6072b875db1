//! The allowed comparisons: each property of a small class, each kind of value.

use super::*;
use crate::app::App;
use crate::moment::GRAMMAR;
use crate::step::properties::column;

const DICTIONARY: &[u8] = br#"<dictionary><suite name="S" code="ssss">
<enumeration name="hue" code="hue "><enumerator name="dark red" code="dred" hidden="yes"/><enumerator name="none" code="none"/></enumeration>
<class name="application" code="capp"><element type="note"/><element type="shelf"/></class>
<class name="shelf" code="shlf"><property name="name" code="pnam" type="text"/><element type="note"/></class>
<class name="note book" code="nbok"><element type="note"/></class>
<class name="note" code="note">
<property name="title" code="titl" type="text"/><property name="size" code="size" type="integer"/>
<property name="read" code="read" type="boolean"/><property name="made" code="made" type="date"/>
<property name="hue" code="huep" type="hue"/><property name="class" code="pcls" type="type"/>
<property name="place" code="plac" type="file"/><property name="shelf" code="shel" type="shelf"/>
<property name="book" code="book" type="note book"/><property name="frame" code="fram" type="rectangle"/>
<property name="anything" code="anyt" type="any"/>
<property name="tags" code="tags"><type type="text" list="yes"/></property>
<property name="sizes" code="szes"><type type="integer" list="yes"/></property>
<property name="hues" code="hues"><type type="hue" list="yes"/></property>
<property name="word or size" code="wosz"><type type="text"/><type type="integer"/></property>
</class></suite></dictionary>"#;

/// Shows the script's data, or the reason for a refusal.
fn said(property: &str, operator: &str, value: &Json) -> String {
    let (dictionary, _) = crate::dictionary::parse(DICTIONARY, &Default::default());
    let app = App {
        bundle_id: "com.example.notes".into(),
        name: String::new(),
        version: String::new(),
        counts: None,
        others: Vec::new(),
        dictionary: None,
    };
    let filter = json!({ "property": property, "op": operator, "value": value });
    let Ok(Filter::Compare(compare)) = Filter::parse(&filter, "where") else { return "no filter".to_owned() };
    let column = column(&app, &dictionary, "note", property).expect("a property of the class");
    match comparable(&compare, &column, &dictionary, "/Users/alex") {
        Ok(given) => given.to_string(),
        Err(fault) => format!("{}; {}", fault.message, fault.suggestion),
    }
}

fn check(cases: &[(&str, &str, Json, &str)]) {
    let wrong = cases.iter().filter_map(|(property, operator, value, expected)| {
        let got = said(property, operator, value);
        (got != *expected).then(|| format!("{property} {operator} {value}\n  {got}\n  {expected}"))
    });
    let wrong: Vec<String> = wrong.collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_fits_is_taken() {
    check(&[
        ("title", "contains", json!("x"), r#""x""#),
        ("title", "<", json!("x"), r#""x""#),
        ("title", "==", json!(null), "null"),
        ("size", ">=", json!(1.5), "1.5"),
        ("read", "!=", json!(true), "true"),
        (
            "made",
            ">",
            json!("now - 14 days"),
            r#"{"$":"moment","said":"now - 2 weeks","from":"now","weekday":null,"months":0,"days":-14,"seconds":0}"#,
        ),
        (
            "made",
            "==",
            json!("monday"),
            r#"{"$":"moment","said":"monday","from":"coming","weekday":0,"months":0,"days":0,"seconds":0}"#,
        ),
        ("title", "==", json!("today"), r#""today""#),
        ("anything", "==", json!("today"), r#""today""#),
        ("made", "<", json!("2026-01-27"), r#"{"$":"date","v":"2026-01-27T00:00:00"}"#),
        ("made", "==", json!("2026-01-27T10:00:00+01:00"), r#"{"$":"date","v":"2026-01-27T10:00:00+01:00"}"#),
        (
            "made",
            "==",
            json!("2026-01-27 10:00:00.123456z"),
            r#"{"$":"date","v":"2026-01-27T10:00:00.123Z"}"#,
        ),
        (
            "made",
            "==",
            json!("2026-01-27T10:00:00.5+01:00"),
            r#"{"$":"date","v":"2026-01-27T10:00:00.500+01:00"}"#,
        ),
        ("hue", "==", json!("None"), r#""none""#),
        ("hue", "!=", json!("darkRed"), r#""dark red""#),
        ("class", "==", json!("note book"), r#""noteBook""#),
        ("class", "==", json!("text"), r#""text""#),
        ("place", "==", json!("~/a.txt"), r#""/Users/alex/a.txt""#),
        ("place", "endsWith", json!(".txt"), r#"".txt""#),
        ("shelf", "==", json!(null), "null"),
        ("shelf.name", "startsWith", json!("A"), r#""A""#),
        ("anything", "==", json!("ref_aaaaaaaaaaaaaaaa"), r#""ref_aaaaaaaaaaaaaaaa""#),
        ("anything", ">", json!(1), "1"),
        ("tags", "contains", json!("x"), r#""x""#),
        ("sizes", "contains", json!(3), "3"),
        ("hues", "contains", json!("none"), r#""none""#),
        ("word or size", "==", json!(3), "3"),
    ]);
}

#[test]
fn a_value_of_another_type_is_refused() {
    let date = "a date such as 2026-01-27, 2026-01-27T10:30:00+01:00 or tomorrow 15:00";
    let not_a_date = |operator: &str, got: &str| {
        format!("`made` {operator}: expected {date}, got {got}; give {date}, or {GRAMMAR}")
    };
    check(&[
        ("made", ">", json!(5), &not_a_date(">", "5")),
        ("made", "==", json!(true), &not_a_date("==", "true")),
        ("made", "<", json!(null), &not_a_date("<", "null")),
        ("made", "<", json!("2026-01-27T10:00:00+25:00"), &not_a_date("<", "\"2026-01-27T10:00:00+25:00\"")),
        ("made", "<", json!("some day"), &not_a_date("<", "\"some day\"")),
        ("hue", "==", json!("purpl"), "`hue` ==: expected one of none, got \"purpl\"; give one of none"),
        ("hue", "==", json!(5), "`hue` ==: expected one of none, got 5; give one of none"),
        (
            "class",
            "==",
            json!("nota"),
            "`class` ==: no class `nota`; did you mean \"note\"?; list the classes with iac_mcp_describe_app",
        ),
        (
            "class",
            "==",
            json!(5),
            "`class` ==: expected the name of a class, got 5; give the name of a class",
        ),
        ("title", "==", json!(5), "`title` ==: expected a text, got 5; give a text"),
        (
            "title",
            "==",
            json!(["a", "b"]),
            "`title` ==: expected a text, got [\"a\",\"b\"]; compare with one value at a time, and join the comparisons with {\"or\":[…]}",
        ),
        ("size", "==", json!("5"), "`size` ==: expected a number, got \"5\"; give a number"),
        ("sizes", "contains", json!("5"), "`sizes` contains: expected a number, got \"5\"; give a number"),
        ("read", "==", json!(0), "`read` ==: expected true or false, got 0; give true or false"),
        ("anything", "contains", json!(1), "`anything` contains: expected a text, got 1; give a text"),
        (
            "place",
            "==",
            json!("a.txt"),
            "`place` ==: expected the path of a file, absolute or beginning with ~/, got \"a.txt\"; give the path of a file, absolute or beginning with ~/",
        ),
    ]);
}

#[test]
fn an_operator_that_says_nothing_of_such_values_is_refused() {
    let date = "a date such as 2026-01-27, 2026-01-27T10:30:00+01:00 or tomorrow 15:00";
    let only = |said: &str, operators: &str| format!("{said}; use one of {operators}");
    check(&[
        (
            "hue",
            "contains",
            json!("no"),
            &only("`hue` contains: this operator does not work with one of none", "== !="),
        ),
        (
            "class",
            "startsWith",
            json!("no"),
            &only("`class` startsWith: this operator does not work with the name of a class", "== !="),
        ),
        (
            "read",
            "<",
            json!(true),
            &only("`read` <: this operator does not work with true or false", "== !="),
        ),
        (
            "read",
            "<",
            json!(null),
            &only("`read` <: this operator does not work with true or false", "== !="),
        ),
        (
            "made",
            "contains",
            json!("2026"),
            &only(&format!("`made` contains: this operator does not work with {date}"), "== != < > <= >="),
        ),
        (
            "size",
            "endsWith",
            json!("5"),
            &only("`size` endsWith: this operator does not work with a number", "== != < > <= >="),
        ),
        (
            "hues",
            "<",
            json!("none"),
            &only("`hues` <: this operator does not work with one of none", "== != contains"),
        ),
    ]);
}

#[test]
fn what_cannot_be_told_apart_is_compared_with_null_only() {
    check(&[
        (
            "shelf",
            "==",
            json!("A"),
            "`shelf` ==: a reference (ref_…) or a specifier of class shelf can only be compared with null; compare one of its properties, such as `shelf.name`, or it with null",
        ),
        (
            "shelf",
            "<",
            json!(null),
            "`shelf` <: a reference (ref_…) or a specifier of class shelf can only be compared with null; compare one of its properties, such as `shelf.name`, or it with null",
        ),
        (
            "book",
            "==",
            json!("A"),
            "`book` ==: a reference (ref_…) or a specifier of class note book can only be compared with null; compare another property, or this one with null",
        ),
        (
            "frame",
            "==",
            json!([1, 2, 3, 4]),
            "`frame` ==: a rectangle {\"x\":…,\"y\":…,\"width\":…,\"height\":…} can only be compared with null; compare another property, or this one with null",
        ),
    ]);
}

#[test]
fn a_path_is_compared_in_full() {
    for (given, meant) in [
        ("~", "/Users/alex"),
        ("~/", "/Users/alex"),
        ("~/Desktop/", "/Users/alex/Desktop"),
        ("/", "/"),
        ("~alex/x", "~alex/x"),
        ("/Users/alex", "/Users/alex"),
    ] {
        assert_eq!(path_meant(&json!(given), "/Users/alex"), json!(meant), "{given}");
    }
}

#[test]
fn a_birthday_is_found_by_its_month() {
    let check = |property: &str, operator: &str, value: &str, expected: bool| {
        let column = Column { term: property.to_owned(), kind: TypeExpr::one("date"), ..Column::default() };
        let filter = json!({ "property": property, "op": operator, "value": value });
        let Ok(Filter::Compare(compare)) = Filter::parse(&filter, "where") else { panic!("no filter") };
        assert_eq!(check_birthday(&column, &compare).is_ok(), expected, "{property} {operator} {value}");
    };
    check("birth date", "==", "next month", false);
    check("birth date", "!=", "today", false);
    check("birth date", "<", "today", true);
    check("birth date", "==", "1984-12-24", true);
    check("due date", "==", "next month", true);
}

#[test]
fn a_colour_stands_for_its_number() {
    let found = |app: &str, term: &str, operator: Operator, value: Json| {
        let column = Column { term: term.to_owned(), ..Column::default() };
        numbered(app, &column, &Compare { property: term.to_owned(), operator, value })
    };
    let check = |app: &str, term: &str, value: &str, expected: &[(Operator, i64)]| {
        let Ok(filter) = found(app, term, Operator::Equal, json!(value)) else { panic!("{app} {term}") };
        let sides = match filter {
            Some(Filter::And(sides)) => sides,
            other => other.into_iter().collect(),
        };
        let sides = sides.into_iter().map(|side| match side {
            Filter::Compare(Compare { operator, value, .. }) => (operator, value.as_i64().unwrap_or(-2)),
            other => panic!("{other:?}"),
        });
        assert_eq!(sides.collect::<Vec<_>>(), expected, "{app} {term}");
    };
    check("com.apple.mail", "flag index", "Purple", &[(Operator::Equal, 5)]);
    check("com.apple.finder", "label index", "grey", &[(Operator::Equal, 7)]);
    check("com.apple.finder", "container.label index", "red", &[(Operator::Equal, 2)]);
    let high = [(Operator::GreaterOrEqual, 1), (Operator::LessOrEqual, 4)];
    check("com.apple.reminders", "priority", "high", &high);
    check("com.apple.mail", "flag index", "mauve", &[]);
    check("com.apple.mail", "subject", "red", &[]);
    let fault = found("com.apple.reminders", "priority", Operator::Greater, json!("medium")).unwrap_err();
    assert_eq!(fault.suggestion, "compare with a number: 0 none, 1 high, 5 medium, 9 low");
}
