//! Measures the reference store with 10,000 references: a lookup, an insert that evicts, a clean-up, and the memory
//! of each reference.

use std::sync::Arc;
use std::time::Instant;

use iac_core::Millis;
use iac_core::dictionary::Identifier;
use iac_core::reference::{Limits, Object, RefId, References};
use iac_core::specifier::{By, Id, Member, Path, Segment};

use crate::table::{Row, Target, milliseconds};

const HELD: u64 = 10_000;
const ROUNDS: u64 = 200_000;

pub(crate) fn rows() -> Vec<Row> {
    let mut store = filled(0);
    let lookup = nanoseconds(ROUNDS, |n| assert!(store.touch(id(n * 7 % HELD), Millis(n)).is_ok()));
    let mut next = HELD;
    let inbox = inbox();
    let insert = nanoseconds(ROUNDS, |n| {
        next += 1;
        store.intern(in_container(&inbox, next), Millis(100_000 + n * 1_000), id(next));
    });
    let held = store.stats(Millis(0)).total;
    assert!(held <= 10_000, "{held} are held");
    vec![
        Row::new("reference store at 10,000: lookup", lookup, "ns", Target::AtMost(200.0)),
        Row::new("insert, with eviction", insert / 1e3, "µs", Target::AtMost(2.0)),
        Row::new("clean-up of all", clean_up(), "ms", Target::AtMost(1.0)),
        memory(),
    ]
}

/// Measures a clean-up. A store is filled before each round; the filling is not counted.
fn clean_up() -> f64 {
    let mut stores: Vec<References> = (0..21).map(|_| filled(0)).collect();
    milliseconds(21, || {
        let mut store = stores.pop().expect("one for each round");
        assert_eq!(store.clean_up(Millis(10_000_000)), 10_000);
        std::mem::forget(store);
    })
}

/// Measures memory over many stores, so that the page size does not matter.
fn memory() -> Row {
    let what = "memory of one reference";
    let Some(before) = resident() else { return Row::absent(what, "this system does not tell") };
    let stores: Vec<References> = (0..50).map(|_| filled(0)).collect();
    let after = resident().unwrap_or(before);
    drop(stores);
    Row::new(what, after.saturating_sub(before) as f64 / (50 * HELD) as f64, "B", Target::AtMost(400.0))
}

fn filled(from: u64) -> References {
    let limits = Limits { most: 10_000, most_per_app: 10_000, ..Limits::default() };
    let mut store = References::new(limits);
    let inbox = inbox();
    for n in from..from + HELD {
        store.intern(in_container(&inbox, n), Millis(0), id(n));
    }
    store
}

fn id(n: u64) -> RefId {
    let mut bits = [0; 10];
    bits[2..].copy_from_slice(&n.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_be_bytes());
    RefId::from_random(bits)
}

fn member(term: &str, plural: &str) -> Arc<Member> {
    let identifier = Identifier::of(plural).expect("a legal identifier");
    Arc::new(Member { term: term.into(), identifier, class: term.into() })
}

/// The data that references to one app share.
struct Inbox {
    app: Arc<str>,
    path: Path,
    messages: Arc<Member>,
}

fn inbox() -> Inbox {
    let account = Segment::Element(member("account", "accounts"), By::Id(Id::Text("4B2A4C1E".into())));
    let mailbox = Segment::Element(member("mailbox", "mailboxes"), By::Name("INBOX".into()));
    Inbox {
        app: "com.apple.mail".into(),
        path: Path::application().then(account).then(mailbox),
        messages: member("message", "messages"),
    }
}

fn in_container(Inbox { app, path, messages }: &Inbox, n: u64) -> Object {
    let number = i64::try_from(n).expect("small");
    let path = path.then(Segment::Element(messages.clone(), By::Id(Id::Number(number))));
    Object::new(app.clone(), path)
}

fn nanoseconds(rounds: u64, mut each: impl FnMut(u64)) -> f64 {
    let begun = Instant::now();
    (0..rounds).for_each(&mut each);
    begun.elapsed().as_secs_f64() * 1e9 / rounds as f64
}

fn resident() -> Option<u64> {
    let statm = std::fs::read_to_string("/proc/self/statm").ok()?;
    Some(statm.split(' ').nth(1)?.parse::<u64>().ok()? * 4096)
}
