use std::sync::Arc;

use super::*;
use crate::permission::{CommandScope, Grants, Policy};

const NOW: Millis = Millis(1_000);

fn gate(policy: &str) -> Gate {
    Gate { policy: Arc::new(Policy::parse(policy).expect(policy)), ..Gate::default() }
}

fn deletion() -> Scope {
    let command = CommandScope { name: "delete".to_owned(), code: "coredelo".to_owned() };
    Scope {
        app: "com.apple.mail".to_owned(),
        level: Level::Dangerous,
        command: Some(command),
        ..Scope::default()
    }
}

fn granted(gate: Gate, scope: &Scope) -> Gate {
    let mut grants = Grants::default();
    grants.add([scope.grant("g1".to_owned(), false, "a test".to_owned(), NOW)], NOW);
    Gate { grants: Arc::new(grants), ..gate }
}

#[test]
fn a_forecast_says_what_a_call_would_meet() {
    let check = |gate: &Gate, is_shell: bool, now: Millis, expected: Ruling| {
        assert_eq!(forecast(&deletion(), "Mail", is_shell, gate, now).0, expected);
    };
    check(&gate("profile = \"standard\""), false, NOW, Ruling::Ask);
    check(&gate("profile = \"read-only\""), false, NOW, Ruling::Deny);
    let trusted = gate("profile = \"trusted\"");
    check(&trusted, false, NOW, Ruling::Allow);
    check(&trusted, true, NOW, Ruling::Deny);
    let given = granted(gate("profile = \"standard\""), &deletion());
    check(&given, false, NOW, Ruling::Allow);
    let refused = granted(gate("rules = [{ command = \"delete\", decision = \"deny\" }]"), &deletion());
    check(&refused, false, NOW, Ruling::Deny);
}

#[test]
fn a_forecast_asks_for_an_hour_after_foreign_content() {
    let read = Gate { untrusted: Some(NOW), ..gate("profile = \"trusted\"") };
    let at = |after: u64| forecast(&deletion(), "Mail", false, &read, Millis(NOW.0 + after)).0;
    assert_eq!([at(0), at(TAINT.0 - 1), at(TAINT.0)], [Ruling::Ask, Ruling::Ask, Ruling::Allow]);
}

#[test]
fn a_value_that_would_be_asked_about_stands_in_no_answer() {
    let app = App {
        bundle_id: "com.apple.mail".into(),
        name: "Mail".to_owned(),
        version: String::new(),
        counts: None,
        others: Vec::new(),
        dictionary: None,
    };
    let rules = |decision: &str| {
        gate(&format!(
            "rules = [{{ app = \"com.apple.mail\", property = \"subject\", decision = \"{decision}\" }}]"
        ))
    };
    let reads = |property: &str, gate: &Gate| may_read(property, &app, gate, NOW);
    assert!(reads("subject", &Gate::default()));
    assert!(!reads("subject", &rules("ask")));
    assert!(!reads("subject", &rules("deny")));
    assert!(reads("sender", &rules("ask")));
    let scope =
        Scope { app: "com.apple.mail".to_owned(), property: Some("subject".to_owned()), ..Scope::default() };
    assert!(reads("subject", &granted(rules("ask"), &scope)));
    assert!(!reads("subject", &granted(rules("deny"), &scope)));
    // The yes was the client's. A plugin needs its own.
    let of_plugin = Gate { plugin: Some("omnifocus".to_owned()), ..granted(rules("ask"), &scope) };
    assert!(!reads("subject", &of_plugin));
}
