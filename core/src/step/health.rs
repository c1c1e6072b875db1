//! `iac_mcp_get_reference_stats`: the contents of the store, and advice.

use serde_json::{Value as Json, json};

use super::World;
use crate::reference::{Limits, Stats};

/// The percentage of a limit from which the advice is to release references.
const NEARLY: usize = 80;

/// The fewest validations from which advice can be drawn.
const TELLING: u64 = 5;

/// The statistics of the references.
pub(super) fn stats(world: &World<'_>) -> Json {
    let (stats, limits) = (world.references.stats(world.now), world.references.limits());
    let advice = recommendations(&stats, &limits);
    json!({
        "totalReferences": stats.total,
        "referencesPerApp": stats.per_app,
        "usedLately": stats.busy.values().sum::<usize>(),
        "asleep": stats.asleep,
        "oldestAgeMs": stats.oldest.map(|age| age.0),
        "newestAgeMs": stats.newest.map(|age| age.0),
        "memoryBytes": stats.memory,
        "limits": { "total": limits.most, "perApp": limits.most_per_app, "ttlMs": limits.ttl.0 },
        "created": stats.counters.created,
        "evicted": stats.counters.evicted,
        "expired": stats.counters.expired,
        "released": stats.counters.released,
        "validated": stats.counters.validated,
        "validationFailures": stats.counters.failed,
        "health": if advice.is_empty() { "good" } else { "attention" },
        "recommendations": advice,
    })
}

fn recommendations(stats: &Stats, limits: &Limits) -> Vec<String> {
    let near = |count: usize, most: usize| count * 100 >= most * NEARLY;
    let Stats { busy, counters, .. } = stats;
    let total: usize = busy.values().sum();
    let mut advice = Vec::new();
    if near(total, limits.most) {
        advice.push(format!(
            "the server holds {total} of {} references: release those that you no longer need with iac_mcp_release_reference",
            limits.most
        ));
    }
    for (app, count) in busy.iter().filter(|(_, count)| near(**count, limits.most_per_app)) {
        advice.push(format!(
            "the server holds {count} of {} references of {app}: release all of them with iac_mcp_release_reference and the app",
            limits.most_per_app
        ));
    }
    if counters.evicted > 0 {
        advice.push(format!(
            "{} references were evicted to make room for newer ones: read fewer elements at a time, release references earlier, or ask the user to raise IAC_MCP_REF_MAX",
            counters.evicted
        ));
    }
    if counters.failed >= TELLING && counters.failed * 10 >= counters.created {
        advice.push(format!(
            "{} of {} references led to no object or to another one: query objects again shortly before you use them",
            counters.failed, counters.created
        ));
    }
    advice
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference::Counters;

    fn check(total: usize, of_mail: usize, counters: Counters, expected: &[&str]) {
        let mut busy: std::collections::BTreeMap<String, usize> =
            [("com.apple.mail".to_owned(), of_mail)].into();
        for n in 0..total - of_mail {
            *busy.entry(format!("com.example.app{}", n % 3)).or_default() += 1;
        }
        let stats = Stats { busy, counters, ..Stats::default() };
        let limits = Limits { most: 100, most_per_app: 50, ..Limits::default() };
        let advice = recommendations(&stats, &limits);
        assert_eq!(advice.len(), expected.len(), "{advice:?}");
        for (advice, expected) in advice.iter().zip(expected) {
            assert!(advice.starts_with(expected), "{advice}");
        }
    }

    #[test]
    fn advice_is_given_where_something_can_be_done() {
        let some = |evicted, failed| Counters { created: 100, evicted, failed, ..Counters::default() };
        check(79, 39, some(0, 4), &[]);
        check(80, 10, some(0, 0), &["the server holds 80 of 100 references"]);
        check(60, 40, some(0, 0), &["the server holds 40 of 50 references of com.apple.mail"]);
        check(10, 10, some(3, 0), &["3 references were evicted"]);
        check(10, 10, some(0, 10), &["10 of 100 references led to no object"]);
        check(10, 10, some(0, 9), &[]);
        check(
            100,
            50,
            some(1, 20),
            &[
                "the server holds 100 of 100",
                "the server holds 50 of 50",
                "1 references were evicted",
                "20 of 100 references led",
            ],
        );
    }
}
