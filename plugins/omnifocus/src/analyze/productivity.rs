//! Totals, and the items that were completed and created in a period.

use iac_plugin::{Fault, Json, json};
use jiff::Span;

use super::scope::{Range, Scope, Usual};
use super::velocity::{Interval, Unit, intervals};
use super::{Analysis, answer, percent, rate, round};
use crate::answer::{self as answers, Found};
use crate::program::{Group, Kind, Predicate, Query};
use crate::{Engine, Moment};

/// The maximum number of projects and tags of an answer.
const MOST: usize = 50;

const METRICS: &[&str] = &["overview", "completed", "created", "velocity", "overdue", "projects", "tags"];

pub(super) fn run(analysis: &Analysis<'_>, engine: &mut dyn Engine) -> Result<Json, Fault> {
    analysis.only(&["period", "groupBy", "metrics"])?;
    let moment = analysis.moment;
    let unit = analysis
        .word("groupBy", Unit::WORDS)?
        .or(analysis.word("period", Unit::WORDS)?)
        .unwrap_or(Unit::Week);
    let metrics = metrics(analysis)?;
    let scope = analysis.scope(Usual::Everything)?;
    let range = scope.range.unwrap_or_else(|| usual(unit, moment));
    let mut queries = vec![tasks(&scope, range, unit, moment)];
    queries.push(projects(&scope));
    let mut found = answers::run(engine, moment, queries)?;
    let (tasks, mut projects) = (found.take(), found.take());
    let rows = projects.take_rows();
    let overview = overview(&tasks, rows.len(), range, moment);
    let mut stats = json!({"overview": overview, "periods": periods(&tasks, range, unit, moment)});
    let wants = |metric: &str| metrics.is_empty() || metrics.iter().any(|wanted| wanted == metric);
    if wants("projects") {
        let (shown, total) = project_stats(&tasks, rows, range);
        stats["projectStats"] = shown;
        stats["projectCount"] = json!(total);
    }
    if wants("tags") {
        stats["tagStats"] = tag_stats(&tasks);
        stats["tagCount"] = json!(tasks.group_total("tags"));
    }
    let period = json!({"groupBy": unit.word(), "start": moment.text(range.from), "end": moment.text(end(range, moment))});
    let insights = insights(&stats["overview"]);
    let mut data = json!({"period": period, "stats": stats, "insights": insights});
    if !metrics.is_empty() {
        data["metrics"] = chosen(&metrics, &data["stats"]["overview"]);
    }
    Ok(answer("productivity_stats", data, &scope, moment, found.warnings))
}

fn metrics(analysis: &Analysis<'_>) -> Result<Vec<String>, Fault> {
    let Some(params) = &analysis.params else { return Ok(vec![]) };
    let metrics = params.texts("metrics")?.unwrap_or_default();
    match metrics.iter().find(|metric| !METRICS.contains(&metric.as_str())) {
        Some(metric) => Err(Fault::invalid(format!(
            "`{}` has `{metric}`, expected some of {}",
            params.at("metrics"),
            METRICS.join(", ")
        ))),
        None => Ok(metrics),
    }
}

/// The default period: today, or the seven days or the month that end today. It is not the week of the calendar, which
/// has nothing to show on a Monday.
fn usual(unit: Unit, moment: &Moment) -> Range {
    let today = moment.today();
    let first = match unit {
        Unit::Day => today,
        Unit::Week => moment.day_in(-6),
        Unit::Month => today.saturating_sub(Span::new().months(1)).saturating_add(Span::new().days(1)),
    };
    Range::days(first, today, moment)
}

/// A period ends now at the latest.
fn end(range: Range, moment: &Moment) -> i64 {
    range.to.min(moment.milliseconds())
}

fn tasks(scope: &Scope, range: Range, unit: Unit, moment: &Moment) -> Query {
    let now = moment.milliseconds();
    let state = |word: &str| Predicate::Is("status", json!(word));
    let ready = Predicate::flag("available", true);
    let to = end(range, moment);
    let done = Predicate::between("completionDate", range.from, to);
    let bounds = bounds(range, unit, moment);
    Query::new(Kind::Tasks, &scope.tasks(None))
        .count("completed", &state("completed"))
        .count("dropped", &state("dropped"))
        .count("available", &ready)
        .count("overdue", &state("active").and(Predicate::until("effectiveDueDate", now - 1)))
        .count("done", &done)
        .count("created", &Predicate::between("added", range.from, to))
        .group("done", Group::by_spans("completionDate", &bounds).only(&done))
        .group(
            "created",
            Group::by_spans("added", &bounds).only(&Predicate::between("added", range.from, to)),
        )
        .group(
            "projects",
            Group::by_project()
                .count("completed", &state("completed"))
                .count("available", &ready)
                .count("done", &done),
        )
        .group(
            "tags",
            Group::by_tag()
                .count("available", &Predicate::flag("available", true))
                .count("remaining", &state("active"))
                .sort("remaining", -1)
                .most(MOST),
        )
}

fn bounds(range: Range, unit: Unit, moment: &Moment) -> Vec<i64> {
    intervals(range, unit, moment).iter().map(|interval| interval.from).collect()
}

fn projects(scope: &Scope) -> Query {
    let active = scope.of_projects().and(Predicate::Is("status", json!("active")));
    Query::new(Kind::Projects, &active).rows(
        &["id", "name", "modified", "completionDate"],
        &[("name", 1)],
        0,
        100_000,
    )
}

fn overview(tasks: &Found, active_projects: usize, range: Range, moment: &Moment) -> Json {
    let (total, completed, done) = (tasks.total(), tasks.count("completed"), tasks.count("done"));
    let days = Range { last: range.last.min(moment.today()), ..range }.length().max(1);
    let completion = round(rate(completed, total), 4);
    #[expect(clippy::cast_precision_loss, reason = "counts are below 2^53")]
    let average = round(done as f64 / days as f64, 1);
    json!({
        "totalTasks": total,
        "completedTasks": completed,
        "droppedTasks": tasks.count("dropped"),
        "availableTasks": tasks.count("available"),
        "completionRate": completion,
        "completionPercent": (completion * 100.0).round().clamp(0.0, 100.0),
        "activeProjects": active_projects,
        "overdueCount": tasks.count("overdue"),
        "completedInPeriod": done,
        "createdInPeriod": tasks.count("created"),
        "daysInPeriod": days,
        "dailyAverage": average,
    })
}

fn periods(tasks: &Found, range: Range, unit: Unit, moment: &Moment) -> Json {
    let (done, created) = (tasks.groups("done"), tasks.groups("created"));
    let show = |(index, interval): (usize, Interval)| {
        let count = |groups: &[answers::Group<'_>]| {
            groups.iter().find(|group| *group.key() == index).map_or(0, |group| group.size())
        };
        interval.show(count(&done), count(&created), moment)
    };
    intervals(range, unit, moment).into_iter().enumerate().map(show).collect()
}

/// Active projects with tasks, or with activity in the period.
fn project_stats(tasks: &Found, rows: Vec<Vec<Json>>, range: Range) -> (Json, usize) {
    let groups = tasks.groups("projects");
    let within = |date: &Json| {
        date.as_f64().is_some_and(|date| date >= as_number(range.from) && date <= as_number(range.to))
    };
    let show = |row: &Vec<Json>| {
        let group = groups.iter().find(|group| *group.key() == row[0]);
        let (total, completed) = group.map_or((0, 0), |group| (group.size(), group.count("completed")));
        let recent = within(&row[2]) || within(&row[3]) || group.is_some_and(|group| group.count("done") > 0);
        (recent || total > 0).then(|| {
            json!({
                "id": row[0],
                "name": row[1],
                "status": "active",
                "total": total,
                "completed": completed,
                "available": group.map_or(0, |group| group.count("available")),
                "completionRate": format!("{}%", percent(completed, total)),
                "hadRecentActivity": recent,
            })
        })
    };
    let mut shown: Vec<Json> = rows.iter().filter_map(show).collect();
    shown.sort_by_key(|project| std::cmp::Reverse(project["total"].as_i64()));
    let total = shown.len();
    shown.truncate(MOST);
    (Json::Array(shown), total)
}

#[expect(clippy::cast_precision_loss, reason = "milliseconds of a date are below 2^53")]
fn as_number(milliseconds: i64) -> f64 {
    milliseconds as f64
}

fn tag_stats(tasks: &Found) -> Json {
    let show = |group: &answers::Group<'_>| {
        let (available, remaining) = (group.count("available"), group.count("remaining"));
        json!({
            "id": group.key(),
            "name": group.name(),
            "available": available,
            "remaining": remaining,
            "blockedRate": round(rate(remaining - available, remaining), 4),
        })
    };
    tasks.groups("tags").iter().filter(|group| group.count("remaining") > 0).map(show).collect()
}

/// The metrics that the caller named.
fn chosen(metrics: &[String], overview: &Json) -> Json {
    let mut chosen = json!({});
    for metric in metrics {
        match metric.as_str() {
            "completed" => chosen["completed"] = overview["completedInPeriod"].clone(),
            "created" => chosen["created"] = overview["createdInPeriod"].clone(),
            "velocity" => chosen["velocity"] = json!({"perDay": overview["dailyAverage"]}),
            "overdue" => chosen["overdue"] = overview["overdueCount"].clone(),
            _ => {}
        }
    }
    chosen
}

fn insights(overview: &Json) -> Vec<String> {
    let mut insights = Vec::new();
    let (done, days) =
        (overview["completedInPeriod"].as_i64().unwrap_or_default(), &overview["daysInPeriod"]);
    match done {
        0 => insights.push(format!("no task was completed in {days} days")),
        1..5 => insights.push(format!("few tasks were completed: {done} in {days} days")),
        51.. => insights.push(format!("many tasks were completed: {done} in {days} days")),
        _ => {}
    }
    match overview["activeProjects"].as_i64().unwrap_or_default() {
        0 => insights.push("no project is active".to_owned()),
        many @ 11.. => insights.push(format!("{many} projects are active")),
        _ => {}
    }
    let completion = overview["completionRate"].as_f64().unwrap_or_default();
    let (completed, total) = (&overview["completedTasks"], &overview["totalTasks"]);
    if completion > 0.8 || (completion < 0.3 && *total != 0) {
        insights.push(format!("{completed} of {total} tasks are completed"));
    }
    insights
}
