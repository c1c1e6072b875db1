//! The reference store at 10,000 references: time of a lookup, an insert that evicts, a clean-up, and memory of each.
//!
//! Prints each figure beside its target; `cargo bench -p iac-core --bench references`.
#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a benchmark looks at the clock and prints"
)]

use std::sync::Arc;
use std::time::Instant;

use iac_core::Millis;
use iac_core::dictionary::Identifier;
use iac_core::reference::{Limits, Object, RefId, References};
use iac_core::specifier::{By, Id, Member, Path, Segment};

const HELD: u64 = 10_000;
const ROUNDS: u64 = 200_000;

fn main() {
    println!("{:<34} {:>12} {:>12} {:>7}", "reference store at 10,000", "measured", "target", "ratio");
    let mut store = filled(0);
    report(
        "lookup",
        nanoseconds(ROUNDS, |n| assert!(store.touch(id(n * 7 % HELD), Millis(n)).is_ok())),
        200.0,
        "ns",
    );
    let mut next = HELD;
    let inbox = inbox();
    let insert = nanoseconds(ROUNDS, |n| {
        next += 1;
        store.intern(in_container(&inbox, next), Millis(100_000 + n * 1_000), id(next));
    });
    report("insert, with eviction", insert / 1e3, 2.0, "µs");
    let held = store.stats(Millis(0)).total;
    assert!(held <= 10_000, "{held} are held");
    let mut store = filled(0);
    let begun = Instant::now();
    assert_eq!(store.clean_up(Millis(10_000_000)), 10_000);
    report("clean-up of all", begun.elapsed().as_secs_f64() * 1e3, 1.0, "ms");
    memory();
}

/// Many stores, so that the page size does not matter.
fn memory() {
    let Some(before) = resident() else { return println!("memory: not told by this system") };
    let stores: Vec<References> = (0..50).map(|_| filled(0)).collect();
    let after = resident().unwrap_or(before);
    report("memory of one reference", (after - before) as f64 / (50 * HELD) as f64, 400.0, "B");
    drop(stores);
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

fn inbox() -> (Path, Arc<Member>) {
    let account = Segment::Element(member("account", "accounts"), By::Id(Id::Text("4B2A4C1E".into())));
    let mailbox = Segment::Element(member("mailbox", "mailboxes"), By::Name("INBOX".into()));
    (Path::application().then(account).then(mailbox), member("message", "messages"))
}

fn in_container((container, messages): &(Path, Arc<Member>), n: u64) -> Object {
    let number = i64::try_from(n).expect("small");
    let path = container.then(Segment::Element(messages.clone(), By::Id(Id::Number(number))));
    Object { app: "com.apple.mail".into(), path }
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

fn report(what: &str, measured: f64, target: f64, unit: &str) {
    println!("{what:<34} {measured:>9.1} {unit:<2} {target:>9.1} {unit:<2} {:>6.2}x", measured / target);
}
