use super::*;
use crate::dictionary::Identifier;
use crate::specifier::{By, Id, Member, Segment};
use std::sync::Arc;

const MINUTE: u64 = 60_000;

fn id(n: u64) -> RefId {
    let mut bits = [0; 10];
    bits[2..].copy_from_slice(&n.to_be_bytes());
    RefId::from_random(bits)
}

fn object(app: &str, n: i64) -> Object {
    known_by(app, By::Id(Id::Number(n)))
}

/// The object at a place of a list.
fn place(app: &str, n: i64) -> Object {
    known_by(app, By::Index(u32::try_from(n).expect("small")))
}

fn known_by(app: &str, by: By) -> Object {
    let identifier = Identifier::of("messages").expect("a legal identifier");
    let member = Member { term: "message".into(), identifier, class: "message".into() };
    Object::new(app.into(), Path::application().then(Segment::Element(Arc::new(member), by)))
}

fn filled(limits: Limits, apps: &[&str], each: u64) -> References {
    filled_with(object, limits, apps, each)
}

fn filled_with(object: fn(&str, i64) -> Object, limits: Limits, apps: &[&str], each: u64) -> References {
    let mut store = References::new(limits);
    let mut next = 0;
    for app in apps {
        for n in 0..each {
            store.intern(object(app, i64::try_from(n).expect("small")), Millis(n), id(next));
            next += 1;
        }
    }
    store
}

#[test]
fn an_id_is_its_text() {
    let made = RefId::from_random([0xff; 10]);
    assert_eq!(made.to_string(), "ref_7777777777777777");
    assert_eq!(RefId::parse(&made.to_string()), Some(made));
    for wrong in
        ["", "ref_", "ref_short", "REF_7777777777777777", "ref_777777777777777!", "ref_77777777777777777"]
    {
        assert_eq!(RefId::parse(wrong), None, "{wrong}");
    }
}

#[test]
fn the_same_object_has_the_same_id() {
    let mut store = References::default();
    let first = store.intern(object("mail", 1), Millis(0), id(1));
    assert_eq!(store.intern(object("mail", 1), Millis(5), id(2)), first);
    assert_ne!(store.intern(object("finder", 1), Millis(5), id(3)), first);
    assert_eq!(store.stats(Millis(5)).total, 2);
}

#[test]
fn use_begins_the_time_of_a_place_anew() {
    let mut store = filled_with(place, Limits::default(), &["mail"], 1);
    assert!(store.touch(id(0), Millis(15 * MINUTE)).is_ok());
    assert!(store.touch(id(0), Millis(30 * MINUTE)).is_ok());
    assert_eq!(store.touch(id(0), Millis(45 * MINUTE + 1)), Err(ReferenceError::Expired(id(0))));
    assert_eq!(store.touch(id(0), Millis(45 * MINUTE + 1)), Err(ReferenceError::Unknown(id(0))));
}

#[test]
fn a_stable_reference_has_no_end() {
    let mut store = filled(Limits::default(), &["mail"], 2);
    let later = Millis(24 * 60 * MINUTE);
    assert_eq!(store.clean_up(later), 0);
    assert!(store.stats(later).busy.is_empty());
    assert!(store.touch(id(0), later).is_ok());
    assert_eq!(store.stats(later).busy, [("mail".to_owned(), 1)].into());
}

#[test]
fn what_was_long_out_of_use_is_not_evicted_but_expired() {
    let mut store = filled(Limits { most: 10, ..Limits::default() }, &["mail"], 10);
    let later = Millis(16 * MINUTE);
    store.intern(object("finder", 0), later, id(1_000));
    let Counters { evicted, expired, .. } = store.stats(later).counters;
    assert_eq!((evicted, expired), (0, 1));
    assert_eq!(store.touch(id(0), later), Err(ReferenceError::Evicted(id(0))));
}

#[test]
fn a_clock_that_is_set_back_expires_nothing() {
    let mut store = References::default();
    store.intern(place("mail", 1), Millis(100 * MINUTE), id(1));
    assert!(store.touch(id(1), Millis(0)).is_ok());
    assert!(store.touch(id(1), Millis(100 * MINUTE)).is_ok());
}

#[test]
fn clean_up_leaves_no_trace() {
    let limits = Limits { most_per_app: 20_000, most: 20_000, ..Limits::default() };
    let mut store = filled_with(place, limits, &["mail"], 10_000);
    assert_eq!(store.clean_up(Millis(20 * MINUTE)), 10_000);
    assert_eq!(store.stats(Millis(20 * MINUTE)).per_app.len(), 0);
    assert!(store.table.capacity() < 100);
    assert_eq!(store.clean_up(Millis(20 * MINUTE)), 0);
}

#[test]
fn whatever_share_goes_the_others_are_still_found() {
    for goes in [0, 1, 4, 5, 6, 9, 10] {
        let mut store = filled_with(place, Limits::default(), &["mail", "finder"], 5);
        let (used, now) = (Millis(10 * MINUTE), Millis(20 * MINUTE));
        let stays: Vec<u64> = (goes..10).map(|n| n * 7 % 10).collect();
        stays.iter().for_each(|n| assert!(store.touch(id(*n), used).is_ok()));
        assert_eq!(store.clean_up(now), usize::try_from(goes).expect("small"));
        for n in 0..10 {
            let (app, of_app) = if n < 5 { ("mail", n) } else { ("finder", n - 5) };
            let object = place(app, i64::try_from(of_app).expect("small"));
            assert_eq!(store.peek(id(n)).map(|held| held.id), stays.contains(&n).then_some(id(n)));
            let expected = if stays.contains(&n) { id(n) } else { id(100 + n) };
            assert_eq!(store.intern(object, now, id(100 + n)), expected, "{goes} go");
        }
        assert_eq!(store.stats(now).per_app.values().sum::<usize>(), 10);
    }
}

#[test]
fn the_least_recently_used_make_room() {
    let limits = Limits { most: 100, most_per_app: 1_000, ..Limits::default() };
    let mut store = filled(limits, &["mail"], 100);
    store.touch(id(0), Millis(2 * MINUTE)).expect("held");
    store.intern(object("finder", 0), Millis(2 * MINUTE), id(1_000));
    assert_eq!(store.stats(Millis(0)).total, 91);
    assert!(store.touch(id(0), Millis(2 * MINUTE)).is_ok());
    assert_eq!(store.touch(id(1), Millis(2 * MINUTE)), Err(ReferenceError::Evicted(id(1))));
    assert!(store.touch(id(11), Millis(2 * MINUTE)).is_ok());
}

#[test]
fn one_app_does_not_push_out_another() {
    let limits = Limits { most: 1_000, most_per_app: 50, ..Limits::default() };
    let mut store = filled(limits, &["mail", "finder"], 50);
    store.intern(object("mail", 99), Millis(2 * MINUTE), id(1_000));
    let stats = store.stats(Millis(2 * MINUTE));
    assert_eq!((stats.per_app["mail"], stats.per_app["finder"]), (46, 50));
}

#[test]
fn the_young_stay() {
    let mut store = filled(Limits { most: 10, ..Limits::default() }, &["mail"], 10);
    store.intern(object("mail", 99), Millis(59_000), id(1_000));
    assert_eq!(store.stats(Millis(59_000)).total, 11);
    assert!(store.touch(id(0), Millis(59_000)).is_ok());
}

#[test]
fn what_is_given_back_is_unknown() {
    let mut store = filled(Limits::default(), &["mail", "finder"], 3);
    assert!(store.release(id(0)));
    assert!(!store.release(id(0)));
    assert_eq!(store.touch(id(0), Millis(0)), Err(ReferenceError::Unknown(id(0))));
    assert_eq!(store.release_app("finder"), 3);
    store.fail(id(1));
    let stats = store.stats(Millis(10));
    assert_eq!((stats.total, stats.counters.released, stats.counters.failed), (1, 4, 1));
    assert_eq!((stats.oldest, stats.newest), (Some(Millis(8)), Some(Millis(8))));
}

#[test]
fn errors_name_the_reference() {
    for error in
        [ReferenceError::Unknown(id(1)), ReferenceError::Expired(id(1)), ReferenceError::Evicted(id(1))]
    {
        assert!(error.to_string().contains("ref_aaaaaaaaaaaaaaab"), "{error}");
        assert_eq!(error.id(), id(1));
    }
}

#[test]
fn a_full_store_of_young_ones_looks_no_further_until_they_are_grown() {
    let mut store = filled(Limits { most: 10, ..Limits::default() }, &["mail"], 10);
    for n in 0..5 {
        store.intern(object("finder", n), Millis(100), id(1_000 + n.unsigned_abs()));
    }
    assert_eq!((store.stats(Millis(100)).total, store.full_until), (15, Millis(60_000)));
    store.intern(object("finder", 99), Millis(60_000), id(2_000));
    assert_eq!(store.stats(Millis(60_000)).counters.evicted, 1);
}

#[test]
fn an_app_full_of_young_ones_lets_the_others_go() {
    let limits = Limits { most: 30, most_per_app: 10, ..Limits::default() };
    let mut store = filled(limits, &["finder", "notes"], 10);
    let later = Millis(2 * MINUTE);
    let add = |store: &mut References, app: &str, at: i64| {
        store.intern(object(app, at), later, id(1_000 + at.unsigned_abs()));
    };
    (0..11).for_each(|at| add(&mut store, "mail", at));
    assert_eq!((store.app_full_until.len(), store.full_until), (1, Millis(0)));
    (11..20).for_each(|at| add(&mut store, "calendar", at));
    let stats = store.stats(later);
    assert_eq!((stats.total, stats.counters.evicted), (28, 12), "a tenth at a time, whenever there are 30");
}

#[test]
fn a_store_of_nothing_but_young_ones_takes_no_more_calls() {
    let mut store = filled(Limits { most: 10, most_per_app: 10, ..Limits::default() }, &["mail"], 1_019);
    assert!(!store.is_full(Millis(1_019)));
    store.intern(object("finder", 0), Millis(1_019), id(5_000));
    assert!(store.is_full(Millis(1_020)));
    assert!(!store.is_full(Millis(2 * MINUTE)), "the oldest are a minute old");
}

#[test]
fn a_hundred_thousand_rounds_leave_nothing_behind() {
    let mut store = filled(Limits::default(), &["mail"], 100);
    let rounds = |store: &mut References, rounds: std::ops::Range<i64>| {
        for n in rounds {
            let fresh = id(1_000_000 + n.unsigned_abs());
            assert_eq!(store.intern(object("finder", n), Millis(n.unsigned_abs()), fresh), fresh);
            assert!(store.release(fresh));
        }
        (store.table.capacity(), store.stats(Millis(0)).memory)
    };
    let (places, memory) = rounds(&mut store, 0..1_000);
    let (places_after, memory_after) = rounds(&mut store, 1_000..101_000);
    // How full a hash map gets before it makes room depends on the seed of the process.
    assert!(places_after <= 2 * places && memory_after <= 2 * memory, "{places_after} {memory_after}");
    store.clean_up(Millis(0));
    let stats = store.stats(Millis(0));
    assert_eq!((stats.total, stats.per_app.len(), store.evicted.len()), (100, 1, 0));
}

#[test]
fn objects_with_one_hash_are_two() {
    let mut store = References::default();
    let (first, second) = (object("mail", 1), object("mail", 2));
    store.intern(first.clone(), Millis(0), id(1));
    store.table.found_also_by(second.key(), id(1));
    assert_eq!(store.intern(second.clone(), Millis(0), id(2)), id(2));
    assert_eq!(store.intern(second, Millis(0), id(3)), id(2));
    assert_eq!(store.peek(id(1)).map(|held| &held.object), Some(&first));
    assert!(store.release(id(1)) && store.release(id(2)));
    assert_eq!(store.ids(), []);
}
