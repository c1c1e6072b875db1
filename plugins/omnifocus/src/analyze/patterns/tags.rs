//! Which tags are used, how often, and which of them look alike.

use iac_plugin::{Json, json};

use super::duplicates::similarity;
use crate::Moment;
use crate::analyze::round;
use crate::analyze::scope::Scope;
use crate::answer::Found;
use crate::program::{Group, Kind, Predicate, Query};

/// The maximum number of tags to list, and of tags to compare.
const LISTED: usize = 25;
const COMPARED: usize = 600;

pub(super) fn ask(scope: &Scope, _: &Moment) -> Vec<Query> {
    let used = Group::by_tag().stat("projects", "distinct", "projectId").sort("count", -1);
    vec![
        Query::new(Kind::Tasks, &scope.tasks(Some("added"))).group("tags", used),
        Query::new(Kind::Tags, &Predicate::everything()).rows(&["id", "name", "status"], &[], 0, 10_000),
    ]
}

pub(super) fn show(found: Vec<Found>, _: &Moment) -> Json {
    let mut found = found.into_iter();
    let (Some(tasks), Some(mut tags)) = (found.next(), found.next()) else { return Json::Null };
    let groups = tasks.groups("tags");
    let rows = tags.take_rows();
    let use_of = |id: &Json| groups.iter().find(|group| group.key() == id);
    let count = |row: &&Vec<Json>| use_of(&row[0]).map_or(0, |group| group.size());
    let unused: Vec<&Vec<Json>> = rows.iter().filter(|row| count(row) == 0).collect();
    let underused: Vec<&Vec<Json>> = rows.iter().filter(|row| (1..=2).contains(&count(row))).collect();
    let overused: Vec<Json> = groups
        .iter()
        .filter(|group| group.size() > 100)
        .map(|group| json!({"name": group.name(), "tasks": group.size(), "projects": group.stat("projects")}))
        .collect();
    let names =
        |rows: &[&Vec<Json>]| rows.iter().take(LISTED).map(|row| row[1].clone()).collect::<Vec<Json>>();
    let sizes: Vec<i64> = groups.iter().map(|group| group.size()).collect();
    let entropy = entropy(&sizes);
    json!({
        "tags": rows.len(),
        "unused": {"count": unused.len(), "names": names(&unused)},
        "underused": {"count": underused.len(), "names": names(&underused)},
        "overused": overused,
        "look_alike": alike(&rows),
        "entropy": {
            "bits": round(entropy, 2),
            "reading": if entropy < 2.0 { "low: few tags do most of the work" } else if entropy > 5.0 {
                "high: use is spread over many tags"
            } else { "between 2 and 5" },
        },
    })
}

/// How evenly tags are used, as entropy in bits.
#[expect(clippy::cast_precision_loss, reason = "counts are below 2^53")]
fn entropy(sizes: &[i64]) -> f64 {
    let total: i64 = sizes.iter().sum();
    let share = |size: &i64| *size as f64 / total as f64;
    sizes.iter().filter(|size| **size > 0).map(share).map(|share| -share * share.log2()).sum()
}

fn alike(rows: &[Vec<Json>]) -> Vec<Json> {
    let names: Vec<&str> = rows.iter().take(COMPARED).filter_map(|row| row[1].as_str()).collect();
    let mut pairs = Vec::new();
    for (index, left) in names.iter().enumerate() {
        for right in &names[index + 1..] {
            let similarity = similarity(&left.to_lowercase(), &right.to_lowercase());
            if similarity > 0.8 && left != right && pairs.len() < LISTED {
                pairs.push(json!({"names": [left, right], "similarity": round(similarity, 2)}));
            }
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entropy_is_that_of_the_shares() {
        for (sizes, expected) in
            [(&[][..], 0.0), (&[7], 0.0), (&[1, 1], 1.0), (&[1, 1, 1, 1], 2.0), (&[4, 0], 0.0)]
        {
            assert!((entropy(sizes) - expected).abs() < 1e-9, "{sizes:?}");
        }
    }
}
