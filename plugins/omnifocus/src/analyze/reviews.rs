//! Projects to review.

use iac_plugin::{Fault, Json, json};

use super::scope::{Scope, Usual};
use super::{Analysis, answer};
use crate::moment::DAY;
use crate::program::{Kind, Predicate, Query};
use crate::{Engine, Moment, answer as answers};

/// Projects in an answer at most.
const MOST: i64 = 100;

/// Days ahead within which a review is soon.
const SOON: i64 = 7;

const FIELDS: &[&str] = &["id", "name", "folderPath", "lastReviewDate", "nextReviewDate", "reviewInterval"];

pub(super) fn run(analysis: &Analysis<'_>, engine: &mut dyn Engine) -> Result<Json, Fault> {
    let words = [
        ("list", true),
        ("list_for_review", true),
        ("update", false),
        ("mark_reviewed", false),
        ("set_schedule", false),
    ];
    if analysis.word("operation", &words)? == Some(false) {
        return Err(Fault::invalid("reviewing changes a project, and `omnifocus_analyze` only reads").suggest(
            "use omnifocus_write: {\"mutation\":{\"operation\":\"update\",\"target\":\"project\",\"id\":\"…\",\
             \"changes\":{\"lastReviewDate\":\"today\"}}}; `reviewInterval` and `nextReviewDate` set the schedule",
        ));
    }
    analysis.only(&["operation"])?;
    let moment = analysis.moment;
    let scope = analysis.scope(Usual::Active)?;
    let wanted = wanted(&scope, moment);
    let (past, today) = (moment.start_in(0) - 1, moment.start_in(1) - 1);
    let query = Query::new(Kind::Projects, &wanted)
        .count("overdue", &Predicate::until("nextReviewDate", past))
        .count("due_today", &Predicate::between("nextReviewDate", past + 1, today))
        .count("due_soon", &Predicate::since("nextReviewDate", today + 1))
        .count("no_schedule", &Predicate::Exists("nextReviewDate", false))
        .rows(FIELDS, &[("nextReviewDate", 1)], 0, MOST);
    let mut found = answers::run(engine, moment, vec![query])?;
    let mut projects = found.take();
    let rows: Vec<Json> = projects.take_rows().into_iter().map(|row| show(&row, moment)).collect();
    let statuses = ["overdue", "due_today", "due_soon", "no_schedule"];
    let mut summary: Json =
        statuses.iter().map(|status| ((*status).to_owned(), json!(projects.count(status)))).collect();
    summary["total"] = json!(projects.total());
    let data = json!({
        "review_summary": summary,
        "returned_count": rows.len(),
        "truncated": i64::try_from(rows.len()).unwrap_or(i64::MAX) < projects.total(),
        "projects": rows,
    });
    Ok(answer("manage_reviews", data, &scope, moment, found.warnings))
}

/// Active projects whose review is past, soon, or not planned at all.
fn wanted(scope: &Scope, moment: &Moment) -> Predicate {
    let due = match scope.range {
        Some(range) => Predicate::between("nextReviewDate", range.from, range.to),
        None => Predicate::Or(vec![
            Predicate::until("nextReviewDate", moment.end_of(moment.day_in(SOON))),
            Predicate::Exists("nextReviewDate", false),
        ]),
    };
    let mut states = vec!["active"];
    states.extend(scope.completed.then_some("completed"));
    states.extend(scope.dropped.then_some("dropped"));
    scope.place.clone().and(Predicate::Among("status", states)).and(due)
}

fn show(row: &[Json], moment: &Moment) -> Json {
    let (last, next) = (row[3].as_i64(), row[4].as_i64());
    let days = next.map(|next| days(moment, next));
    let status = match days {
        None => "no_schedule",
        Some(days) if days < 0 => "overdue",
        Some(0) => "due_today",
        Some(_) => "due_soon",
    };
    json!({
        "id": row[0],
        "name": row[1],
        "folder": row[2],
        "reviewStatus": status,
        "daysUntilReview": days,
        "daysSinceLastReview": last.map(|last| (moment.milliseconds() - last).div_euclid(DAY)),
        "lastReviewDate": moment.show(&row[3]),
        "nextReviewDate": moment.show(&row[4]),
        "reviewInterval": row[5],
    })
}

/// Local days from today to an instant.
fn days(moment: &Moment, instant: i64) -> i32 {
    moment.today().until(moment.day_of(instant)).map_or(0, |span| span.get_days())
}
