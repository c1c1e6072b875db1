//! The detectors that only count and list.

use iac_plugin::{Json, json};

use super::{rows, warn};
use crate::Moment;
use crate::analyze::round;
use crate::analyze::scope::Scope;
use crate::answer::{Found, Group as Counted};
use crate::program::{Bound, Group, Kind, Predicate, Query};

/// The maximum number of items that a detector lists.
const LISTED: i64 = 25;

fn tasks(scope: &Scope) -> Predicate {
    scope.tasks(Some("added"))
}

fn projects(scope: &Scope, states: &[&'static str]) -> Predicate {
    let mut wanted = scope.place.clone().and(Predicate::Among("status", states.to_vec()));
    if let Some(range) = scope.range {
        wanted = wanted.and(Predicate::between("added", range.from, range.to));
    }
    wanted
}

fn above(field: &'static str, least: i64) -> Predicate {
    Predicate::Within(field, Bound::At(least + 1), Bound::Open)
}

fn first(found: Vec<Found>) -> Option<Found> {
    found.into_iter().next()
}

const DORMANT: &[&str] = &["id", "name", "status", "modified", "idleDays", "taskCounts"];

pub(super) fn dormant(scope: &Scope, _: &Moment) -> Vec<Query> {
    let idle = projects(scope, &["active", "on_hold"]).and(above("idleDays", 90));
    vec![Query::new(Kind::Projects, &idle).rows(DORMANT, &[("idleDays", -1)], 0, 10)]
}

pub(super) fn show_dormant(found: Vec<Found>, moment: &Moment) -> Json {
    let Some(mut found) = first(found) else { return Json::Null };
    let items: Vec<Json> = rows(&mut found, DORMANT, moment)
        .into_iter()
        .map(|row| {
            json!({
                "id": row["id"], "name": row["name"], "status": row["status"], "modified": row["modified"],
                "days_dormant": row["idleDays"], "task_count": row["taskCounts"]["total"],
                "available_tasks": row["taskCounts"]["available"],
            })
        })
        .collect();
    let mut shown = json!({"count": found.total(), "threshold_days": 90, "items": items});
    warn(&mut shown, found.total(), 5, "projects and their tasks were not changed for 90 days");
    shown
}

pub(super) fn deadlines(scope: &Scope, moment: &Moment) -> Vec<Query> {
    let (today, now) = (moment.start_in(0), moment.milliseconds());
    let due = |from, to: i64| Predicate::between("effectiveDueDate", from, to - 1);
    let query = Query::new(Kind::Tasks, &tasks(scope))
        .count("overdue", &Predicate::until("effectiveDueDate", now - 1))
        .count("due_today", &due(today, moment.start_in(1)))
        .count("due_within_7_days", &due(now, moment.start_in(8)))
        .group("days", days(today, 10));
    vec![query]
}

/// The days from an instant on, those with the most due tasks first.
fn days(from: i64, most: usize) -> Group {
    const FIELD: &str = "effectiveDueDate";
    Group::by_day(FIELD).only(&Predicate::since(FIELD, from)).sort("count", -1).most(most)
}

pub(super) fn show_deadlines(found: Vec<Found>, _: &Moment) -> Json {
    let Some(found) = first(found) else { return Json::Null };
    let overdue = found.count("overdue");
    let mut shown = json!({
        "overdue": overdue,
        "due_today": found.count("due_today"),
        "due_within_7_days": found.count("due_within_7_days"),
        "crowded_days": crowded(&found, 5),
    });
    warn(&mut shown, overdue, 5, "tasks are overdue");
    shown
}

fn crowded(found: &Found, above: i64) -> Vec<Json> {
    let day = |group: Counted<'_>| json!({"date": group.key(), "tasks": group.size()});
    found.groups("days").into_iter().filter(|group| group.size() > above).map(day).collect()
}

const WAITING: &[&str] = &["id", "name", "project", "tags", "blocked", "added"];

pub(super) fn waiting(scope: &Scope, _: &Moment) -> Vec<Query> {
    let name =
        r"\bwaiting\b|\bwait for\b|\bblocked by\b|\bdepends on\b|\bafter\b|\bonce\b.*\bcomplete|\bpending\b";
    let by_name = Predicate::Matches(&["name"], name.to_owned(), None);
    let by_tag = Predicate::Tagged("wait|pending|blocked".to_owned());
    let blocked = Predicate::flag("blocked", true);
    let said = Predicate::Or(vec![by_name.clone(), by_tag.clone()]);
    let waits = Query::new(Kind::Tasks, &tasks(scope).and(said.clone()))
        .count("by_name", &by_name)
        .count("by_tag", &by_tag)
        .rows(WAITING, &[("added", 1)], 0, LISTED);
    // Most blocked tasks wait for another task and not for a person, so they stand apart.
    let others = tasks(scope).and(blocked).and(Predicate::Not(Box::new(said)));
    vec![waits, Query::new(Kind::Tasks, &others).rows(WAITING, &[("added", 1)], 0, LISTED)]
}

pub(super) fn show_waiting(found: Vec<Found>, moment: &Moment) -> Json {
    let mut found = found.into_iter();
    let (Some(mut said), Some(mut blocked)) = (found.next(), found.next()) else { return Json::Null };
    json!({
        "count": said.total(),
        "by_name": said.count("by_name"),
        "by_tag": said.count("by_tag"),
        "note": "found by words and tags only: some of these may wait for nobody",
        "items": rows(&mut said, WAITING, moment),
        "otherwise_blocked": {"count": blocked.total(), "items": rows(&mut blocked, WAITING, moment)},
    })
}

/// Spans of minutes, and their names.
const MINUTES: [(i64, &str); 5] = [(0, "<=15"), (16, "16-30"), (31, "31-60"), (61, "61-120"), (121, ">120")];

pub(super) fn estimates(scope: &Scope, _: &Moment) -> Vec<Query> {
    const FIELD: &str = "estimatedMinutes";
    let exactly = |minutes: i64| Predicate::Within(FIELD, Bound::At(minutes), Bound::At(minutes));
    let bounds: Vec<i64> = MINUTES.iter().map(|(from, _)| *from).collect();
    let given = Predicate::Exists(FIELD, true);
    let query = ["min", "max", "mean", "median"]
        .into_iter()
        .fold(Query::new(Kind::Tasks, &tasks(scope)), |query, how| query.stat(how, how, FIELD));
    let query = [15, 30, 60, 120]
        .into_iter()
        .fold(query, |query, minutes| query.count(&minutes.to_string(), &exactly(minutes)));
    let query = query
        .count("with", &given)
        .group("spans", Group::by_spans(FIELD, &bounds))
        .group("values", Group::by_value(FIELD).sort("count", -1).most(5));
    let largest = Query::new(Kind::Tasks, &tasks(scope).and(given)).rows(
        &["id", "name", "project", FIELD],
        &[(FIELD, -1)],
        0,
        5,
    );
    vec![query, largest]
}

pub(super) fn show_estimates(found: Vec<Found>, moment: &Moment) -> Json {
    let mut found = found.into_iter();
    let (Some(all), Some(mut largest)) = (found.next(), found.next()) else { return Json::Null };
    let with = all.count("with");
    let stat = |label: &str| all.stat(label).map(|value| round(value, 1));
    let spans = all.groups("spans");
    let span = |(index, (_, name)): (usize, &(i64, &str))| {
        let count = spans.iter().find(|group| *group.key() == index).map_or(0, |group| group.size());
        ((*name).to_owned(), json!(count))
    };
    let exact = ["15", "30", "60", "120"].map(|minutes| (minutes.to_owned(), json!(all.count(minutes))));
    let common =
        all.groups("values").into_iter().map(|group| json!({"minutes": group.key(), "tasks": group.size()}));
    json!({
        "with_estimate": with,
        "without_estimate": all.total() - with,
        "min": stat("min"), "max": stat("max"), "mean": stat("mean"), "median": stat("median"),
        "buckets": MINUTES.iter().enumerate().map(span).collect::<Json>(),
        "exact": exact.into_iter().collect::<Json>(),
        "most_common": common.collect::<Vec<Json>>(),
        "largest": rows(&mut largest, &["id", "name", "project", "estimatedMinutes"], moment),
    })
}

/// Verbs that begin an action, and words that are too vague.
const VERBS: &str = "add|arrange|ask|book|build|buy|call|check|clean|complete|create|draft|email|find|finish|fix|\
    install|learn|make|meet|order|organize|pay|pick|plan|prepare|read|research|review|schedule|send|set|submit|talk|\
    test|update|wash|write";
const VAGUE: &str =
    "stuff|things?|something|misc|miscellaneous|various|etc|ideas?|look into|deal with|think about|maybe";

const UNCLEAR: &[&str] = &["id", "name", "project", "tags", "hasNote", "noteHead", "added"];

pub(super) fn unclear(scope: &Scope, _: &Moment) -> Vec<Query> {
    let name = |pattern: String| Predicate::Matches(&["name"], pattern, None);
    let verb = name(format!(r"^\W*({VERBS})\b"));
    let no_verb = Predicate::Not(Box::new(verb));
    let vague = name(format!(r"\b({VAGUE})\b"));
    let single = name(r"^\s*\S+\s*$".to_owned()).and(no_verb.clone());
    let bare = no_verb.and(Predicate::flag("hasNote", false));
    let screen = Predicate::Or(vec![vague.clone(), single.clone(), bare.clone()]);
    let query = Query::new(Kind::Tasks, &tasks(scope).and(screen))
        .count("vague_word", &vague)
        .count("single_word", &single)
        .count("no_verb_and_no_note", &bare)
        .rows(UNCLEAR, &[("hasNote", 1), ("added", 1)], 0, LISTED);
    vec![query]
}

pub(super) fn show_unclear(found: Vec<Found>, moment: &Moment) -> Json {
    let Some(mut found) = first(found) else { return Json::Null };
    let items = rows(&mut found, UNCLEAR, moment);
    json!({
        "count": found.total(),
        "vague_word": found.count("vague_word"),
        "single_word": found.count("single_word"),
        "no_verb_and_no_note": found.count("no_verb_and_no_note"),
        "note": "a screen by English words: judge each name with the head of its note",
        "items": items,
    })
}

const REVIEWS: &[&str] = &["id", "name", "status", "lastReviewDate", "nextReviewDate", "reviewDays"];

pub(super) fn reviews(scope: &Scope, moment: &Moment) -> Vec<Query> {
    let live = || projects(scope, &["active", "on_hold"]);
    let never = Predicate::Exists("nextReviewDate", false).and(Predicate::Exists("lastReviewDate", false));
    let late = Predicate::until("nextReviewDate", moment.milliseconds() - 1);
    vec![
        Query::new(Kind::Projects, &live().and(never)).rows(REVIEWS, &[("name", 1)], 0, LISTED),
        Query::new(Kind::Projects, &live().and(late)).rows(REVIEWS, &[("nextReviewDate", 1)], 0, LISTED),
    ]
}

pub(super) fn show_reviews(found: Vec<Found>, moment: &Moment) -> Json {
    let mut found = found.into_iter();
    let (Some(mut never), Some(mut late)) = (found.next(), found.next()) else { return Json::Null };
    let fields = &["id", "name", "status", "lastReviewDate", "nextReviewDate", "daysOverdue"];
    let mut shown = json!({
        "never_reviewed": {"count": never.total(), "items": rows(&mut never, fields, moment)},
        "overdue": {"count": late.total(), "items": rows(&mut late, fields, moment)},
    });
    warn(&mut shown, late.total(), 5, "reviews are overdue");
    shown
}

/// A project with more available tasks than this has too many of them.
const WIP: i64 = 5;

pub(super) fn wip(scope: &Scope, _: &Moment) -> Vec<Query> {
    let open = tasks(scope).and(Predicate::flag("available", true));
    vec![Query::new(Kind::Tasks, &open).group("projects", Group::by_project().sort("count", -1))]
}

pub(super) fn show_wip(found: Vec<Found>, _: &Moment) -> Json {
    let Some(found) = first(found) else { return Json::Null };
    let over = |group: &Counted<'_>| group.size() > WIP && !group.key().is_null();
    let over: Vec<Counted<'_>> = found.groups("projects").into_iter().filter(over).collect();
    let limit = usize::try_from(LISTED).unwrap_or(usize::MAX);
    let item =
        |group: &Counted<'_>| json!({"id": group.key(), "name": group.name(), "available": group.size()});
    let items: Vec<Json> = over.iter().take(limit).map(item).collect();
    json!({"count": over.len(), "threshold": WIP, "items": items})
}

/// A day with more due tasks than this has too many of them.
const BUNCH: i64 = 8;

pub(super) fn bunching(scope: &Scope, _: &Moment) -> Vec<Query> {
    let due = tasks(scope).and(Predicate::Exists("dueDate", true));
    vec![Query::new(Kind::Tasks, &due).group("days", Group::by_day("dueDate").sort("count", -1).most(50))]
}

pub(super) fn show_bunching(found: Vec<Found>, _: &Moment) -> Json {
    let Some(found) = first(found) else { return Json::Null };
    let days = found.group_total("days");
    #[expect(clippy::cast_precision_loss, reason = "counts are below 2^53")]
    let average = if days == 0 { 0.0 } else { round(found.total() as f64 / days as f64, 1) };
    let peak = found.groups("days").first().map(|group| json!({"date": group.key(), "tasks": group.size()}));
    json!({
        "days": days, "tasks_with_due_date": found.total(), "average_per_day": average, "peak": peak,
        "threshold": BUNCH, "crowded_days": crowded(&found, BUNCH),
    })
}

const STUCK: &[&str] = &["id", "name", "folderPath", "singleActions", "taskCounts"];

pub(super) fn stuck(scope: &Scope, _: &Moment) -> Vec<Query> {
    let idle = projects(scope, &["active"]).and(Predicate::flag("stalled", true));
    vec![Query::new(Kind::Projects, &idle).rows(STUCK, &[("name", 1)], 0, LISTED)]
}

pub(super) fn show_stuck(found: Vec<Found>, moment: &Moment) -> Json {
    let Some(mut found) = first(found) else { return Json::Null };
    let items = rows(&mut found, STUCK, moment);
    let mut shown = json!({"count": found.total(), "items": items});
    warn(&mut shown, found.total(), 5, "active projects have no available task");
    shown
}
