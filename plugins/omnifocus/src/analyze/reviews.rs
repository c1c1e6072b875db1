//! Projects to review.

use iac_plugin::serde_json::Map;
use iac_plugin::{Arguments, Fault, Json, Object, json};

use super::scope::{Scope, Usual};
use super::{Analysis, answer};
use crate::moment::DAY;
use crate::program::{Kind, Predicate, Query};
use crate::{Engine, Moment, answer as answers, dates, write};

/// The maximum number of projects of an answer.
const MOST: i64 = 100;

/// A review within this many days counts as soon.
const SOON: i64 = 7;

const FIELDS: &[&str] = &["id", "name", "folderPath", "lastReviewDate", "nextReviewDate", "reviewInterval"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operation {
    List,
    Mark,
    Schedule,
}

const OPERATIONS: &[(&str, Operation)] = &[
    ("list", Operation::List),
    ("list_for_review", Operation::List),
    ("update", Operation::Mark),
    ("mark_reviewed", Operation::Mark),
    ("set_schedule", Operation::Schedule),
];

pub(super) fn run(analysis: &Analysis<'_>, engine: &mut dyn Engine) -> Result<Json, Fault> {
    match analysis.word("operation", OPERATIONS)?.unwrap_or(Operation::List) {
        Operation::List => list(analysis, engine),
        operation => change(analysis, operation, engine),
    }
}

/// Marks projects as reviewed, or sets their next review. The call is an update of `omnifocus_write`, and has the
/// answer of one.
fn change(analysis: &Analysis<'_>, operation: Operation, engine: &mut dyn Engine) -> Result<Json, Fault> {
    analysis.only(&["operation", "projectId", "projectIds", "reviewDate", "reviewInterval"])?;
    let params = analysis.params.as_ref().ok_or_else(missing)?;
    if analysis.scope.is_some() {
        return Err(Fault::invalid("`analysis.scope` means nothing where reviews are changed")
            .suggest("name the projects by `projectId` or `projectIds`"));
    }
    let ids = ids(params)?;
    let changes = changes(params, operation, analysis.moment)?;
    let update =
        |id: &String| json!({"operation": "update", "target": "project", "id": id, "changes": changes});
    let mutation = match ids.as_slice() {
        [id] => update(id),
        ids => json!({"operation": "batch", "operations": ids.iter().map(update).collect::<Vec<Json>>()}),
    };
    let arguments = Map::from_iter([("mutation".to_owned(), mutation)]);
    write::call(Arguments::from(arguments), analysis.moment, engine)
}

fn missing() -> Fault {
    Fault::invalid("`analysis.params` names no project, expected exactly one of `projectId` and `projectIds`")
        .suggest("the operation `list` answers the ids of projects to review")
}

fn ids(params: &Object<'_>) -> Result<Vec<String>, Fault> {
    let one = params.text("projectId")?.map(|id| vec![id.to_owned()]);
    match (one, params.texts("projectIds")?) {
        (Some(ids), None) => Ok(ids),
        (None, Some(ids)) if ids.len() <= 100 => Ok(ids),
        (None, Some(_)) => Err(params.wrong("projectIds", "at most 100 ids")),
        _ => Err(missing()),
    }
}

/// The changes of one project. Without a date, the review was done now, and the next one follows from that.
fn changes(params: &Object<'_>, operation: Operation, moment: &Moment) -> Result<Json, Fault> {
    let date = dates::local(params, "reviewDate", moment)?;
    let interval = params.get("reviewInterval").filter(|interval| !interval.is_null());
    let mut changes = json!({});
    match (operation, date) {
        (Operation::Schedule, None) if interval.is_none() => {
            return Err(Fault::invalid(
                "`analysis.params` sets no schedule, expected `reviewInterval` or `reviewDate`",
            ));
        }
        (Operation::Schedule, None) => {}
        (Operation::Schedule, Some(date)) => changes["nextReviewDate"] = json!(date),
        (_, date) => {
            let now = || moment.text(moment.milliseconds())[..16].replace('T', " ");
            changes["lastReviewDate"] = json!(date.unwrap_or_else(now));
        }
    }
    if let Some(interval) = interval {
        changes["reviewInterval"] = interval.clone();
    }
    Ok(changes)
}

fn list(analysis: &Analysis<'_>, engine: &mut dyn Engine) -> Result<Json, Fault> {
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

/// Remaining projects, also those on hold, whose review is past, soon, or not planned at all.
fn wanted(scope: &Scope, moment: &Moment) -> Predicate {
    let due = match scope.range {
        Some(range) => Predicate::between("nextReviewDate", range.from, range.to),
        None => Predicate::Or(vec![
            Predicate::until("nextReviewDate", moment.end_of(moment.day_in(SOON))),
            Predicate::Exists("nextReviewDate", false),
        ]),
    };
    let mut states = vec!["active", "on_hold"];
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
