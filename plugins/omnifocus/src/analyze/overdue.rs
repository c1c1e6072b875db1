//! Overdue items: how long they are overdue, and where they accumulate.

use iac_plugin::{Fault, Json, json};

use super::scope::{Scope, Usual};
use super::{Analysis, answer, percent, round};
use crate::answer::{self as answers, Found};
use crate::program::{Bound, Group, Kind, Predicate, Query};
use crate::{Engine, Moment};

/// The maximum number of rows of an answer. The figures cover all items.
const MOST: i64 = 100;

/// The maximum number of projects that are listed. More would say little: the first ones hold the most overdue tasks.
const PROJECTS: usize = 20;

/// A name for a span of days, both ends included.
const SEVERITIES: [(&str, i64, Option<i64>); 4] =
    [("critical", 31, None), ("high", 8, Some(30)), ("medium", 3, Some(7)), ("low", 0, Some(2))];

const FIELDS: &[&str] = &[
    "id", "name", "project", "projectId", "dueDate", "effectiveDueDate", "overdueDays", "blocked",
    "effectiveFlagged", "tags", "estimatedMinutes",
];

pub(super) fn run(analysis: &Analysis<'_>, engine: &mut dyn Engine) -> Result<Json, Fault> {
    analysis.only(&[])?;
    let moment = analysis.moment;
    let scope = analysis.scope(Usual::Active)?;
    let active = scope.place.clone().and(Predicate::Is("status", json!("active")));
    let overdue = overdue(&scope, moment);
    let rows = Query::new(Kind::Tasks, &active.clone().and(overdue.clone())).rows(
        FIELDS,
        &[("effectiveDueDate", 1)],
        0,
        MOST,
    );
    let mut queries = vec![totals(&active, &overdue), rows];
    if scope.completed || scope.dropped {
        queries.push(late(&scope));
    }
    let mut found = answers::run(engine, moment, queries)?;
    let (totals, mut listed) = (found.take(), found.take());
    let rows: Vec<Json> = listed.take_rows().into_iter().map(|row| show(row, moment)).collect();
    let mut data = json!({
        "summary": summary(&totals, &rows, moment),
        "bySeverity": severities(&totals, &rows),
        "projectBottlenecks": bottlenecks(&totals),
        "insights": insights(&totals),
        "returned_count": rows.len(),
        "truncated": i64::try_from(rows.len()).unwrap_or(i64::MAX) < totals.count("overdue"),
    });
    let projects = totals.group_total("projects");
    if usize::try_from(projects).is_ok_and(|projects| projects > PROJECTS) {
        data["projectsTotal"] = projects.into();
    }
    if scope.completed || scope.dropped {
        data["afterTheFact"] = after(&found.take(), &scope);
    }
    Ok(answer("overdue_analysis", data, &scope, moment, found.warnings))
}

fn overdue(scope: &Scope, moment: &Moment) -> Predicate {
    let past = Predicate::until("effectiveDueDate", moment.milliseconds() - 1);
    match scope.range {
        Some(range) => past.and(Predicate::between("effectiveDueDate", range.from, range.to)),
        None => past,
    }
}

fn totals(active: &Predicate, overdue: &Predicate) -> Query {
    let blocked = overdue.clone().and(Predicate::flag("blocked", true));
    let groups = Group::by_project()
        .only(&overdue.clone().and(Predicate::Exists("project", true)))
        .count("blocked", &blocked)
        .stat("days", "mean", "overdueDays")
        .sort("count", -1)
        .most(PROJECTS);
    let query = Query::new(Kind::Tasks, active)
        .count("overdue", overdue)
        .count("blocked", &blocked)
        .stat_of("days", "mean", "overdueDays", overdue)
        .stat_of("oldest", "min", "effectiveDueDate", overdue)
        .group("projects", groups);
    SEVERITIES.iter().fold(query, |query, (name, least, most)| {
        let most = most.map_or(Bound::Open, Bound::At);
        let days = Predicate::Within("overdueDays", Bound::At(*least), most);
        query.count(name, &overdue.clone().and(days))
    })
}

/// Items that were completed or dropped after their due date.
fn late(scope: &Scope) -> Query {
    let done = Predicate::Within("daysLate", Bound::At(0), Bound::Open);
    let mut place = scope.place.clone();
    if let Some(range) = scope.range {
        place = place.and(Predicate::between("effectiveDueDate", range.from, range.to));
    }
    let state = |word: &str| Predicate::Is("status", json!(word)).and(done.clone());
    Query::new(Kind::Tasks, &place)
        .count("completed", &state("completed"))
        .count("dropped", &state("dropped"))
        .stat_of("completedDays", "mean", "daysLate", &state("completed"))
        .stat_of("droppedDays", "mean", "daysLate", &state("dropped"))
}

fn after(late: &Found, scope: &Scope) -> Json {
    let part = |count: &str, days: &str| json!({"count": late.count(count), "avgDaysLate": late.stat(days).map(|days| round(days, 1))});
    let mut after = json!({});
    if scope.completed {
        after["completedLate"] = part("completed", "completedDays");
    }
    if scope.dropped {
        after["droppedLate"] = part("dropped", "droppedDays");
    }
    after
}

fn show(row: Vec<Json>, moment: &Moment) -> Json {
    FIELDS
        .iter()
        .zip(row)
        .map(|(field, value)| {
            let name = if *field == "overdueDays" { "daysOverdue" } else { field };
            (name.to_owned(), crate::fields::show(field, value, moment))
        })
        .collect()
}

fn summary(totals: &Found, rows: &[Json], moment: &Moment) -> Json {
    let (overdue, blocked, active) = (totals.count("overdue"), totals.count("blocked"), totals.total());
    json!({
        "totalOverdue": overdue,
        "blockedCount": blocked,
        "unblockedCount": overdue - blocked,
        "blockedPercentage": percent(blocked, overdue),
        "avgDaysOverdue": round(totals.stat("days").unwrap_or_default(), 1),
        "totalActive": active,
        "overduePercentage": percent(overdue, active),
        "oldestOverdueDate": totals.stat("oldest").map(|oldest| moment.show(&json!(oldest))),
        "mostOverdue": rows.first().map(|row| json!({"id": row["id"], "name": row["name"], "daysOverdue": row["daysOverdue"]})),
    })
}

/// The rows, grouped by how long they are overdue. Each group has its full count.
fn severities(totals: &Found, rows: &[Json]) -> Json {
    let mut shown = json!({});
    for (name, least, most) in SEVERITIES {
        let within = |row: &&Json| {
            let days = row["daysOverdue"].as_i64().unwrap_or_default();
            days >= least && most.is_none_or(|most| days <= most)
        };
        let tasks: Vec<&Json> = rows.iter().filter(within).collect();
        shown[name] = json!({"count": totals.count(name), "fromDays": least, "toDays": most, "tasks": tasks});
    }
    shown
}

fn bottlenecks(totals: &Found) -> Json {
    let show = |group: &answers::Group<'_>| {
        json!({
            "id": group.key(),
            "name": group.name(),
            "overdueCount": group.size(),
            "blockedCount": group.count("blocked"),
            "avgDaysOverdue": round(group.stat("days").unwrap_or_default(), 1),
            "blockageRate": percent(group.count("blocked"), group.size()),
        })
    };
    totals.groups("projects").iter().map(show).collect()
}

fn insights(totals: &Found) -> Vec<String> {
    let (overdue, blocked) = (totals.count("overdue"), totals.count("blocked"));
    let mut insights = Vec::new();
    let share = percent(blocked, overdue);
    if share > 25.0 {
        let word = if share > 50.0 {
            "most of the overdue tasks are blocked"
        } else {
            "many overdue tasks are blocked"
        };
        insights.push(format!("{word}: {blocked} of {overdue}"));
    }
    let days = round(totals.stat("days").unwrap_or_default(), 1);
    if days > 7.0 {
        let word = if days > 30.0 { "for more than a month" } else { "for more than a week" };
        insights.push(format!("overdue tasks are so {word} on average: {days} days"));
    }
    for group in totals.groups("projects").iter().filter(|group| group.size() > 5 && !group.key().is_null()) {
        insights.push(format!("{} has {} overdue tasks", group.name(), group.size()));
    }
    insights
}
