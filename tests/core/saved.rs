//! References that remain valid after their process ends.

use iac_core::Millis;
use iac_core::reference::{Limits, Object, RefId, ReferenceError, References};
use iac_core::specifier::read_source;

use crate::support;

const SOURCES: [(&str, &str); 4] = [
    ("com.apple.mail", r#"Application("Mail").inbox"#),
    (
        "com.apple.mail",
        r#"Application("Mail").accounts.byId("A-1").mailboxes.byName("Wörk \"x\"").messages.byId(12)"#,
    ),
    ("com.apple.Notes", r#"Application("Notes").notes.byId("x-coredata://n/1")"#),
    ("com.apple.mail", r#"Application("Mail").inbox.messages.at(3)"#),
];

fn id(n: u8) -> RefId {
    RefId::from_random([0, 0, 0, 0, 0, 0, 0, 0, 0, n])
}

fn object(app: &str, source: &str) -> Object {
    let apps = support::apps();
    let app = apps.find(app).unwrap();
    Object::new(app.bundle_id.clone(), read_source(app.dictionary().unwrap(), source).unwrap())
}

fn store() -> References {
    let mut store = References::default();
    for (n, (app, source)) in (1..).zip(SOURCES) {
        store.intern(object(app, source), Millis(1_000), id(n));
    }
    store
}

#[test]
fn what_is_stable_comes_back_under_its_id() {
    let saved = store().saved();
    let text = serde_json::to_string(&saved).unwrap();
    assert_eq!(saved.len(), 3, "a place in a list means nothing after a restart");
    let mut next = References::default();
    assert_eq!(next.adopt(serde_json::from_str(&text).unwrap(), Millis(2_000)), 3);
    for (n, (app, source)) in (1..).zip(SOURCES).take(3) {
        assert_eq!(next.app_of(id(n)), Some(app));
        next.wake(id(n), &support::apps());
        assert_eq!(next.touch(id(n), Millis(2_000)).unwrap().object, object(app, source));
    }
    assert_eq!(next.touch(id(4), Millis(2_000)), Err(ReferenceError::Unknown(id(4))));
}

#[test]
fn an_occurrence_is_still_one_and_not_its_series() {
    let series = object(SOURCES[0].0, SOURCES[0].1);
    let one = Object { occurrence: Some("2026-03-24T09:00:00+01:00".into()), ..series.clone() };
    let mut store = References::default();
    store.intern(one.clone(), Millis(0), id(1));
    assert_eq!(store.intern(series, Millis(0), id(2)), id(2));
    let mut next = References::default();
    next.adopt(store.saved(), Millis(0));
    next.wake(id(1), &support::apps());
    assert_eq!(next.touch(id(1), Millis(0)).unwrap().object, one);
}

#[test]
fn what_sleeps_is_saved_again_and_what_is_late_is_not() {
    let saved = store().saved();
    let mut next = References::default();
    assert_eq!(next.adopt(saved.clone(), Millis(24 * 60 * 60_000 + 1_001)), 0);
    assert_eq!(next.adopt(saved.clone(), Millis(24 * 60 * 60_000 + 1_000)), 3);
    assert_eq!(next.saved(), saved);
}

#[test]
fn two_ids_may_stand_for_one_object() {
    let saved = store().saved();
    let (app, source) = SOURCES[0];
    let mut next = References::default();
    let fresh = next.intern(object(app, source), Millis(2_000), id(9));
    next.adopt(saved, Millis(2_000));
    next.wake(id(1), &support::apps());
    assert!(next.touch(id(1), Millis(2_000)).is_ok());
    next.release(id(1));
    assert_eq!(next.intern(object(app, source), Millis(2_000), id(10)), fresh);
}

#[test]
fn what_cannot_be_read_any_more_is_forgotten() {
    let mut saved = store().saved();
    saved[0].specifier =
        serde_json::json!({"type": "property", "property": "no such thing", "of": "application"});
    saved[1].id = "damaged".to_owned();
    saved[2].app = "com.example.gone".to_owned();
    let mut next = References::new(Limits { most: 2, ..Limits::default() });
    assert_eq!(next.adopt(saved, Millis(2_000)), 2);
    for n in 1..4 {
        next.wake(id(n), &support::apps());
        assert_eq!(next.touch(id(n), Millis(2_000)), Err(ReferenceError::Unknown(id(n))));
    }
}

/// An app may give anything for the source of an object.
#[test]
fn a_source_that_leads_to_no_single_object_is_refused() {
    let apps = support::apps();
    let app = apps.find("com.apple.mail").unwrap();
    let read = |source: &str| read_source(app.dictionary().unwrap(), source);
    for source in [
        "",
        "Application",
        "Application(",
        "Application()",
        "Application(\"Mail\"",
        "Application(\"Mail)",
        "Application(x)",
        "Application(\"Mail\")inbox",
        "Application(\"Mail\").",
        "Application(\"Mail\").nothing",
        "Application(\"Mail\").nothings.at(1)",
        "Application(\"Mail\").accounts.byId(\"a\"",
        "Application(\"Mail\").accounts.byId(",
        "Application(\"Mail\").accounts.byId(x)",
        "Application(\"Mail\").accounts.byName(1)",
        "Application(\"Mail\").accounts.at(\"a\")",
        "Application(\"Mail\").accounts.at(-1)",
        "Application(\"Mail\").accounts.at(99999999999)",
        "Application(\"Mail\").accounts[-1]",
        "Application(\"Mail\").accounts.whose({})",
        "Application(\"Mail\").accounts.where({})",
        "Application(\"Mail\").accounts()",
    ] {
        assert_eq!(read(source), None, "{source}");
    }
    for source in [
        "Application(\"Mail\")",
        "Application(\"Mail\").accounts[0]",
        "Application(\"Mail\").accounts[\"a\"]",
        "Application(\"Mail\").accounts.byName(\"line\nend é\")",
    ] {
        assert!(read(source).is_some(), "{source}");
    }
}
