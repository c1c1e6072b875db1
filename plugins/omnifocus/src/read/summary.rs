//! The summary of an answer, about all matches and not only the returned rows.

use iac_plugin::serde_json::Map;
use iac_plugin::{Json, json};

use super::mode::{DUE, FLAGGED, Mode, PLANNED};
use super::request::Part;
use crate::Moment;
use crate::answer::Found;
use crate::program::{Group, Predicate, Query};

/// Adds what a summary needs to a query.
pub(super) fn ask(query: Query, part: &Part, moment: &Moment) -> Query {
    let (now, today, tomorrow) = (moment.milliseconds(), moment.start_in(0), moment.start_in(1));
    let active = || Predicate::Is("status", json!("active"));
    let overdue = active().and(Predicate::until(DUE, now - 1));
    let day = |field, from: i64, to: i64| active().and(Predicate::between(field, from, to - 1));
    let mut query = query
        .count("overdue", &overdue)
        .count("overdue_itself", &active().and(Predicate::until("dueDate", now - 1)))
        .count("due_today", &day(DUE, today, tomorrow))
        .count("due_tomorrow", &day(DUE, tomorrow, moment.start_in(2)))
        .count("flagged", &Predicate::flag("flagged", true))
        .count(FLAGGED, &Predicate::flag(FLAGGED, true))
        .count("available", &Predicate::flag("available", true))
        .count("blocked", &Predicate::flag("blocked", true))
        .count("completed", &Predicate::Is("status", json!("completed")))
        .count("planned_today", &day(PLANNED, today, tomorrow))
        .count("planned_past", &active().and(Predicate::until(PLANNED, today - 1)))
        .stat_of("oldest", "min", DUE, &overdue)
        .group("overdue", Group::by_project().only(&overdue).sort("count", -1).most(2));
    if part.mode == Mode::Today {
        let soon = moment.start_in(part.days_ahead.unwrap_or_default());
        query = query
            .count("past", &Predicate::until(DUE, today - 1))
            .count("soon", &Predicate::between(DUE, today, soon - 1));
    }
    query
}

/// Shows the counts, and at most four sentences that explain them.
pub(super) fn show(part: &Part, found: &Found, metadata: &Json, moment: &Moment) -> Json {
    let labels = [
        "overdue", "due_today", "due_tomorrow", "flagged", FLAGGED, "available", "blocked", "completed",
        "planned_today", "planned_past",
    ];
    let counts: Map<String, Json> =
        labels.iter().map(|label| ((*label).to_owned(), json!(found.count(label)))).collect();
    json!({
        "total_count": found.total(),
        "returned_count": metadata["returned_count"],
        "breakdown": counts,
        "key_insights": insights(part, found, metadata, moment),
    })
}

fn insights(_part: &Part, found: &Found, metadata: &Json, moment: &Moment) -> Vec<String> {
    let mut insights = Vec::new();
    if metadata["truncated"] == true {
        let (returned, total) = (&metadata["returned_count"], &metadata["total_count"]);
        insights.push(format!("Showing {returned} of {total} matching tasks (truncated)"));
    }
    let overdue = found.count("overdue");
    if let Some(oldest) = found.stat("oldest") {
        let since = moment.show(&json!(oldest));
        insights.push(format!("{overdue} overdue, the oldest since {}", since.as_str().unwrap_or_default()));
    }
    let outer = overdue - found.count("overdue_itself");
    if outer > 0 {
        insights.push(format!(
            "{outer} overdue by the due date of their project or group, which a date of their own does not change"
        ));
    }
    let crowded =
        found.groups("overdue").into_iter().find(|group| group.size() >= 3 && !group.key().is_null());
    if let Some(project) = crowded {
        insights.push(format!("{} has {} of the overdue tasks", project.name(), project.size()));
    }
    if found.count("due_today") > 0 {
        insights.push(format!("{} due today", found.count("due_today")));
    }
    if found.count("blocked") > 5 {
        insights.push(format!("{} blocked", found.count("blocked")));
    }
    insights.truncate(4);
    insights
}

/// Says why a row of the mode `today` is in the answer.
pub(super) fn reason(row: &mut Map<String, Json>, due: &Json, flagged: &Json, part: &Part, moment: &Moment) {
    let today = moment.start_in(0);
    let soon = moment.start_in(part.days_ahead.unwrap_or_default());
    let reason = match due.as_i64() {
        Some(due) if due < today => {
            let days = moment.day_of(due).until(moment.today()).map_or(0, |span| span.get_days());
            row.insert("daysOverdue".to_owned(), json!(days));
            "overdue"
        }
        Some(due) if due < soon => "due_soon",
        _ if flagged == true => "flagged",
        _ => return,
    };
    row.insert("reason".to_owned(), json!(reason));
}

/// Counts the rows of the mode `today` by reason.
pub(super) fn today(part: &Part, found: &Found, metadata: &mut Json) {
    if part.summary {
        let (past, soon) = (found.count("past"), found.count("soon"));
        metadata["overdue_count"] = json!(past);
        metadata["due_soon_count"] = json!(soon);
        metadata["flagged_count"] = json!(found.count(FLAGGED));
    }
    metadata["due_soon_days"] = json!(part.days_ahead);
}
