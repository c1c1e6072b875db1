//! How many tasks are completed and created from one interval to the next.

use iac_plugin::{Fault, Json, json};

use super::scope::{Range, Usual};
use super::{Analysis, answer, round};
use crate::answer::{self as answers, Found};
use crate::program::{Group, Kind, Predicate, Query};
use crate::{Engine, Moment};

/// The length of an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Day,
    Week,
    Month,
}

impl Unit {
    pub(super) const WORDS: &[(&str, Self)] =
        &[("day", Self::Day), ("week", Self::Week), ("month", Self::Month)];

    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
        }
    }

    fn days(self) -> i64 {
        match self {
            Self::Day => 1,
            Self::Week => 7,
            Self::Month => 30,
        }
    }
}

/// An interval of whole days.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Interval {
    /// Its first millisecond.
    pub(super) from: i64,
    /// Its last millisecond.
    pub(super) to: i64,
}

/// Divides a range into intervals, from its last day backwards; the first one may be shorter.
pub(super) fn intervals(range: Range, unit: Unit, moment: &Moment) -> Vec<Interval> {
    let mut intervals = Vec::new();
    let mut last = range.last;
    while last >= range.first && intervals.len() < MOST {
        let first = last.saturating_sub(jiff::Span::new().days(unit.days() - 1)).max(range.first);
        intervals.push(Interval { from: moment.start_of(first), to: moment.end_of(last) });
        let Ok(before) = first.yesterday() else { break };
        last = before;
    }
    intervals.reverse();
    intervals
}

/// The maximum number of intervals of an answer.
const MOST: usize = 400;

impl Interval {
    pub(super) fn show(self, completed: i64, created: i64, moment: &Moment) -> Json {
        json!({"start": moment.text(self.from), "end": moment.text(self.to), "completed": completed, "created": created})
    }
}

pub(super) fn run(analysis: &Analysis<'_>, engine: &mut dyn Engine) -> Result<Json, Fault> {
    analysis.only(&["groupBy"])?;
    let moment = analysis.moment;
    let unit = analysis.word("groupBy", Unit::WORDS)?.unwrap_or(Unit::Day);
    let scope = analysis.scope(Usual::Everything)?;
    let range = scope.range.unwrap_or_else(|| Range::days(moment.day_in(-6), moment.today(), moment));
    let intervals = intervals(range, unit, moment);
    if range.length() > unit.days() * i64::try_from(MOST).unwrap_or(i64::MAX) {
        return Err(Fault::invalid(format!("`analysis.scope.dateRange` has more than {MOST} intervals"))
            .suggest("group by week or month, or shorten the range"));
    }
    let query = query(&scope.tasks(None), range, &intervals);
    let mut found = answers::run(engine, moment, vec![query])?;
    let tasks = found.take();
    let data = show(&tasks, range, unit, &intervals, moment);
    Ok(answer("task_velocity", data, &scope, moment, found.warnings))
}

fn query(scope: &Predicate, range: Range, intervals: &[Interval]) -> Query {
    let bounds: Vec<i64> = intervals.iter().map(|interval| interval.from).collect();
    let within = |field| Predicate::between(field, range.from, range.to);
    Query::new(Kind::Tasks, scope)
        .count("completed", &within("completionDate"))
        .count("created", &within("added"))
        .stat_of("hours", "median", "completionHours", &within("completionDate"))
        .group("completed", Group::by_spans("completionDate", &bounds).only(&within("completionDate")))
        .group("created", Group::by_spans("added", &bounds).only(&within("added")))
}

fn show(tasks: &Found, range: Range, unit: Unit, intervals: &[Interval], moment: &Moment) -> Json {
    let (completed, created) = (counts(tasks, "completed", intervals), counts(tasks, "created", intervals));
    // Days without activity count. Days in the future do not.
    let past = Range { last: range.last.min(moment.today()), ..range };
    let days = number(past.length().max(1));
    let per_day = |count: &str| number(tasks.count(count)) / days;
    let (done, begun) = (per_day("completed"), per_day("created"));
    let length = number(unit.days());
    let shown = intervals.iter().enumerate();
    let shown: Vec<Json> =
        shown.map(|(index, interval)| interval.show(completed[index], created[index], moment)).collect();
    json!({
        "velocity": {
            "period": {"groupBy": unit.word(), "start": moment.text(range.from), "end": moment.text(range.to)},
            "tasksCompleted": tasks.count("completed"),
            "tasksCreated": tasks.count("created"),
            "averageCompleted": round(done * length, 2),
            "averageCreated": round(begun * length, 2),
            "averagePerDay": round(done, 2),
            "predictedCapacity": round(done * 7.0, 1),
            "predictedPerMonth": round(done * 30.0, 1),
            "backlogGrowthRate": round((begun - done) * length, 2),
            "medianCompletionHours": tasks.stat("hours").map(|hours| round(hours, 1)),
            "tasksAnalyzed": tasks.total(),
            "daysAveraged": days,
        },
        "daily": shown,
        "basis": "averages are over all days of the range up to today, for as many days as an interval has; growth is \
            created less completed; hours are from `added` to `completionDate`; the capacity is per week",
    })
}

fn counts(tasks: &Found, label: &str, intervals: &[Interval]) -> Vec<i64> {
    let mut counts = vec![0; intervals.len()];
    for group in tasks.groups(label) {
        let index = group.key().as_u64().and_then(|index| usize::try_from(index).ok());
        if let Some(count) = index.and_then(|index| counts.get_mut(index)) {
            *count = group.size();
        }
    }
    counts
}

#[expect(clippy::cast_precision_loss, reason = "counts are below 2^53")]
fn number(value: i64) -> f64 {
    value as f64
}
