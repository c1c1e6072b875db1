//! Tasks of different projects whose names are nearly the same.

use iac_plugin::{Json, json};

use crate::Moment;
use crate::analyze::round;
use crate::analyze::scope::Scope;
use crate::answer::Found;
use crate::program::{Group, Kind, Query};

/// The similarity from which two names count as the same: one minus the edits divided by the longer length.
const ALIKE: f64 = 0.85;

/// The maximum numbers of tasks to compare, of pairs to compare letter by letter, and of groups to list.
const TASKS: i64 = 10_000;
const PAIRS: usize = 60_000;
const LISTED: usize = 10;

const FIELDS: &[&str] = &["id", "name", "projectId"];

pub(super) fn ask(scope: &Scope, _: &Moment) -> Vec<Query> {
    let tasks = Query::new(Kind::Tasks, &scope.tasks(Some("added"))).group("projects", Group::by_project());
    vec![tasks.rows(FIELDS, &[], 0, TASKS)]
}

pub(super) fn show(found: Vec<Found>, _: &Moment) -> Json {
    let Some(mut found) = found.into_iter().next() else { return Json::Null };
    let rows = found.take_rows();
    let names: Vec<Name> = rows.iter().map(|row| Name::new(row[1].as_str().unwrap_or_default())).collect();
    let projects: Vec<Option<&str>> = rows.iter().map(|row| row[2].as_str()).collect();
    let (clusters, complete) = clusters(&names, &projects);
    let groups = found.groups("projects");
    let project = |id: &Json| groups.iter().find(|group| group.key() == id).map(|group| group.name());
    let item = |index: &usize| {
        let row = &rows[*index];
        json!({"id": row[0], "name": row[1], "project": project(&row[2])})
    };
    let listed = clusters.iter().take(LISTED).map(|cluster| {
        let least = cluster.least;
        json!({"similarity": round(least, 2), "tasks": cluster.members.iter().map(item).collect::<Vec<Json>>()})
    });
    let mut shown = json!({
        "count": clusters.len(),
        "compared": rows.len(),
        "complete": complete && i64::try_from(rows.len()).unwrap_or(i64::MAX) == found.total(),
        "threshold": ALIKE,
        "clusters": listed.collect::<Vec<Json>>(),
    });
    super::warn(
        &mut shown,
        i64::try_from(clusters.len()).unwrap_or(i64::MAX),
        10,
        "groups of nearly the same name",
    );
    shown
}

/// A name in the form for comparison, with a quick test: the set of its pairs of neighbouring letters, each as one of
/// 128 bits.
struct Name {
    letters: Vec<char>,
    pairs: u128,
}

impl Name {
    fn new(name: &str) -> Self {
        let letters: Vec<char> = name.trim().to_lowercase().chars().collect();
        let bit = |pair: &[char]| 1_u128 << ((u32::from(pair[0]) * 31 + u32::from(pair[1])) % 127);
        let pairs = letters.windows(2).map(bit).fold(0, |pairs, bit| pairs | bit);
        Self { letters, pairs }
    }
}

/// The maximum number of edits between two names that count as the same.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a name is short"
)]
fn most_edits(longest: usize) -> usize {
    ((1.0 - ALIKE) * longest as f64 + 1e-9) as usize
}

struct Cluster {
    members: Vec<usize>,
    least: f64,
}

/// The part of a name that is read for every pair of names. It is read millions of times, so it is compact.
struct Brief {
    pairs: u128,
    length: usize,
    /// The maximum number of edits from this name to one that is not longer and still counts as the same.
    edits: usize,
    index: usize,
}

impl Brief {
    fn of(index: usize, name: &Name) -> Self {
        let length = name.letters.len();
        Self { pairs: name.pairs, length, edits: most_edits(length), index }
    }

    /// Whether this name may be similar to one that is at least as long. An edit changes at most four pairs.
    fn may_equal(&self, other: &Self) -> bool {
        let differing = (self.pairs ^ other.pairs).count_ones() as usize;
        other.length <= self.length + other.edits && differing <= 4 * other.edits
    }
}

/// Puts each name into the group of the first name that is similar, shortest names first. Also says whether all pairs
/// were compared.
fn clusters(names: &[Name], projects: &[Option<&str>]) -> (Vec<Cluster>, bool) {
    let briefs = names.iter().enumerate().map(|(index, name)| Brief::of(index, name));
    let mut briefs: Vec<Brief> = briefs.filter(|brief| brief.length > 0).collect();
    briefs.sort_by_key(|brief| brief.length);
    let mut taken = vec![false; names.len()];
    let mut clusters = Vec::new();
    let mut left = PAIRS;
    for (position, first) in briefs.iter().enumerate() {
        if taken[first.index] {
            continue;
        }
        let mut cluster = Cluster { members: vec![first.index], least: 1.0 };
        for other in &briefs[position + 1..] {
            if other.length > first.length + other.edits || left == 0 {
                break;
            }
            let near = first.may_equal(other) && !taken[other.index];
            if !near || same_project(projects, first.index, other.index) {
                continue;
            }
            left -= 1;
            let letters = [first.index, other.index].map(|index| names[index].letters.as_slice());
            if let Some(similarity) = within(letters[0], letters[1], other.edits) {
                taken[other.index] = true;
                cluster.least = cluster.least.min(similarity);
                cluster.members.push(other.index);
            }
        }
        if cluster.members.len() > 1 {
            clusters.push(cluster);
        }
    }
    (clusters, left > 0)
}

fn same_project(projects: &[Option<&str>], one: usize, other: usize) -> bool {
    projects[one].is_some() && projects[one] == projects[other]
}

/// Returns the similarity of two texts: one minus the edits divided by the longer length.
pub(super) fn similarity(left: &str, right: &str) -> f64 {
    let (left, right): (Vec<char>, Vec<char>) = (left.chars().collect(), right.chars().collect());
    let longest = left.len().max(right.len());
    within(&left, &right, longest).unwrap_or_default()
}

/// Returns the similarity of two texts if at most `edits` edits lie between them. It computes only the cells of the
/// edit table that are this near to the diagonal.
#[expect(clippy::cast_precision_loss, reason = "a name is short")]
fn within(left: &[char], right: &[char], edits: usize) -> Option<f64> {
    const FAR: usize = usize::MAX / 2;
    let longest = left.len().max(right.len());
    if longest == 0 {
        return Some(1.0);
    }
    if left.len().abs_diff(right.len()) > edits {
        return None;
    }
    let mut row: Vec<usize> =
        (0..=right.len()).map(|column| if column <= edits { column } else { FAR }).collect();
    for (index, letter) in left.iter().enumerate() {
        let (first, last) = (index.saturating_sub(edits), right.len().min(index + edits + 1));
        let mut diagonal = row[first];
        row[first] = if first == 0 { index + 1 } else { FAR };
        let mut least = row[first];
        for column in first..last {
            let replaced = diagonal + usize::from(*letter != right[column]);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(row[column] + 1).min(diagonal + 1);
            least = least.min(row[column + 1]);
        }
        if least > edits {
            return None;
        }
    }
    let distance = row[right.len()];
    (distance <= edits).then(|| 1.0 - distance as f64 / longest as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similarity_is_one_less_edits_by_the_longer_length() {
        for (left, right, expected) in
            [("abc", "abc", 1.0), ("abc", "abd", 2.0 / 3.0), ("", "", 1.0), ("ab", "", 0.0)]
        {
            assert!((similarity(left, right) - expected).abs() < 1e-9, "{left} {right}");
        }
    }

    #[test]
    fn names_of_different_projects_make_a_cluster() {
        let texts = ["Call the plumber", "call the plumbers", "Call the plumber ", "Buy milk", "Buy milk"];
        let names: Vec<Name> = texts.iter().map(|text| Name::new(text)).collect();
        let found = |projects: &[Option<&str>]| {
            let (clusters, complete) = clusters(&names, projects);
            assert!(complete);
            clusters.into_iter().map(|cluster| cluster.members).collect::<Vec<_>>()
        };
        assert_eq!(found(&[Some("a"), Some("b"), None, None, None]), [vec![3, 4], vec![0, 2, 1]]);
        assert_eq!(found(&[Some("a"), Some("a"), Some("a"), Some("b"), Some("b")]), Vec::<Vec<usize>>::new());
    }

    #[test]
    fn what_lies_near_the_diagonal_is_all_that_counts() {
        let texts =
            ["", "a", "ab", "kitten", "sitting", "mitten", "knitting", "sit", "bitten apple", "apple bitten"];
        for left in texts {
            for right in texts {
                let (letters, others): (Vec<char>, Vec<char>) =
                    (left.chars().collect(), right.chars().collect());
                let whole = within(&letters, &others, 100);
                for edits in 0..14 {
                    #[expect(clippy::cast_precision_loss, reason = "a name is short")]
                    let least = 1.0 - edits as f64 / letters.len().max(others.len()).max(1) as f64;
                    let expected = whole.filter(|similarity| *similarity >= least - 1e-9);
                    assert_eq!(within(&letters, &others, edits), expected, "{left} {right} {edits}");
                }
            }
        }
    }

    /// The quick checks before the comparison drop no pair that is similar enough.
    #[test]
    fn the_quick_filters_lose_nothing() {
        let words = [
            "review budget", "review budgets", "reviewed budget", "preview budget", "review the budget",
            "rewiev budget",
        ];
        for left in words {
            for right in words {
                let alike = similarity(left, right) >= ALIKE;
                let mut both = [Name::new(left), Name::new(right)];
                both.sort_by_key(|name| name.letters.len());
                let [first, second] = [0, 1].map(|index| Brief::of(index, &both[index]));
                let kept = first.may_equal(&second)
                    && within(&both[0].letters, &both[1].letters, second.edits).is_some();
                assert_eq!(kept, alike, "{left} {right}");
            }
        }
    }
}
