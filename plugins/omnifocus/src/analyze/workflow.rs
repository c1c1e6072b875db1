//! How tasks progress: available, blocked, deferred, overdue, in total and by project and tag.

use iac_plugin::{Fault, Json, json};

use super::scope::Usual;
use super::{Analysis, answer, percent, rate, round};
use crate::answer::{self as answers, Found};
use crate::program::{Bound, Group, Kind, Predicate, Query};
use crate::{Engine, Moment};

/// The maximum number of projects and tags of an answer.
const MOST: usize = 50;

/// Words in the names of tasks that recur at set times. The analysis counts deferred tasks with one of these words.
const KEYWORDS: &str = "renewal|movie|annual|seasonal|quarterly|monthly";

/// The number of days at which each span of overdue tasks begins, and the name of the span.
const OVERDUE: [(i64, &str); 7] = [
    (0, "0-1 days"),
    (1, "1-3 days"),
    (3, "3-7 days"),
    (7, "1-2 weeks"),
    (14, "2-4 weeks"),
    (28, "1-3 months"),
    (90, "3+ months"),
];

const METRICS: [&str; 8] = [
    "available",
    "overdue",
    "flagged",
    "blocked",
    "deferred",
    "deferredOver90Days",
    "deferredKeywordMatched",
    "inbox",
];

pub(super) fn run(analysis: &Analysis<'_>, engine: &mut dyn Engine) -> Result<Json, Fault> {
    analysis.only(&[])?;
    let moment = analysis.moment;
    let scope = analysis.scope(Usual::Everything)?;
    let tasks = scope.tasks(Some("added"));
    let deferred = tasks.clone().and(deferred());
    let longest = Query::new(Kind::Tasks, &deferred).rows(
        &["id", "name", "project", "deferDate", "deferDays", "added"],
        &[("deferDate", -1)],
        0,
        10,
    );
    let mut found = answers::run(engine, moment, vec![whole(&tasks), longest])?;
    let (whole, mut longest) = (found.take(), found.take());
    let data = json!({
        "totalTasks": whole.total(),
        "workflowMetrics": metrics(&whole),
        "overdueBuckets": buckets(&whole),
        "averageAgeDays": whole.stat("age").map(|age| round(age, 1)),
        "byProject": by_project(&whole),
        "projectCount": whole.group_total("projects"),
        "byTag": by_tag(&whole),
        "tagCount": whole.group_total("tags"),
        "deferralAnalysis": {
            "total": whole.count("deferred"),
            "over90Days": whole.count("deferredOver90Days"),
            "keywordMatched": whole.count("deferredKeywordMatched"),
            "keywords": KEYWORDS.replace('|', ", "),
            "longest": rows(&mut longest, moment),
        },
        "basis": "available, overdue, flagged and deferred are as a read has them: also through the project or group; \
            deferred is until a time to come; the age is from `added`, of active tasks; dateRange is of `added`",
    });
    Ok(answer("workflow_analysis", data, &scope, moment, found.warnings))
}

fn active() -> Predicate {
    Predicate::Is("status", json!("active"))
}

fn deferred() -> Predicate {
    active().and(Predicate::Within("deferDays", Bound::At(0), Bound::Open))
}

fn part(metric: &str) -> Predicate {
    let days = |field, least| Predicate::Within(field, Bound::At(least), Bound::Open);
    match metric {
        "available" => Predicate::flag("available", true),
        "overdue" => active().and(days("overdueDays", 0)),
        "flagged" => active().and(Predicate::flag("effectiveFlagged", true)),
        "blocked" => Predicate::flag("blocked", true),
        "deferred" => deferred(),
        "deferredOver90Days" => active().and(days("deferDays", 91)),
        "deferredKeywordMatched" => deferred().and(Predicate::Matches(&["name"], KEYWORDS.to_owned(), None)),
        "completed" => Predicate::Is("status", json!("completed")),
        _ => active().and(Predicate::flag("inInbox", true)),
    }
}

fn whole(tasks: &Predicate) -> Query {
    let bounds: Vec<i64> = OVERDUE.iter().map(|(from, _)| *from).collect();
    let mut query = Query::new(Kind::Tasks, tasks).stat("age", "mean", "openAgeDays");
    for metric in METRICS {
        query = query.count(metric, &part(metric));
    }
    query
        .group("overdue", Group::by_spans("overdueDays", &bounds).only(&active()))
        .group("projects", grouped(Group::by_project()))
        .group("tags", grouped(Group::by_tag()))
}

fn grouped(group: Group) -> Group {
    let labels = [
        "available",
        "overdue",
        "blocked",
        "completed",
        "deferred",
        "deferredOver90Days",
        "deferredKeywordMatched",
    ];
    let counted = labels.into_iter().fold(group, |group, label| group.count(label, &part(label)));
    counted
        .stat("minutes", "sum", "remainingMinutes")
        .stat("age", "mean", "openAgeDays")
        .sort("count", -1)
        .most(MOST)
}

fn metrics(whole: &Found) -> Json {
    let show = |metric: &str| {
        let count = whole.count(metric);
        (metric.to_owned(), json!({"count": count, "percentage": percent(count, whole.total())}))
    };
    METRICS.into_iter().map(show).collect()
}

fn buckets(whole: &Found) -> Json {
    let groups = whole.groups("overdue");
    let show = |(index, (_, name)): (usize, &(i64, &str))| {
        let count = groups.iter().find(|group| *group.key() == index).map_or(0, |group| group.size());
        ((*name).to_owned(), json!(count))
    };
    OVERDUE.iter().enumerate().map(show).collect()
}

fn by_project(whole: &Found) -> Json {
    let show = |group: &answers::Group<'_>| {
        json!({
            "id": group.key(),
            "name": group.name(),
            "total": group.size(),
            "completed": group.count("completed"),
            "available": group.count("available"),
            "overdue": group.count("overdue"),
            "blocked": group.count("blocked"),
            "estimatedHours": hours(*group),
            "overdueRate": round(rate(group.count("overdue"), group.size()), 4),
            "availableRate": round(rate(group.count("available"), group.size()), 4),
            "avgAge": group.stat("age").map(|age| round(age, 1)),
            "deferrals": {
                "total": group.count("deferred"),
                "over90Days": group.count("deferredOver90Days"),
                "keywordMatched": group.count("deferredKeywordMatched"),
            },
        })
    };
    whole.groups("projects").iter().map(show).collect()
}

fn by_tag(whole: &Found) -> Json {
    let show = |group: &answers::Group<'_>| {
        json!({
            "id": group.key(),
            "name": group.name(),
            "total": group.size(),
            "completed": group.count("completed"),
            "overdue": group.count("overdue"),
            "estimatedTime": group.stat("minutes").unwrap_or_default(),
        })
    };
    whole.groups("tags").iter().map(show).collect()
}

fn hours(group: answers::Group<'_>) -> f64 {
    round(group.stat("minutes").unwrap_or_default() / 60.0, 1)
}

fn rows(longest: &mut Found, moment: &Moment) -> Json {
    let show = |row: Vec<Json>| {
        json!({
            "id": row[0],
            "name": row[1],
            "project": row[2],
            "deferDate": moment.show(&row[3]),
            "daysUntil": row[4],
            "added": moment.show(&row[5]),
        })
    };
    longest.take_rows().into_iter().map(show).collect()
}
