//! How many tasks are completed and created from one interval to the next.

use iac_plugin::{Fault, Json, json};

use super::scope::{Range, Usual};
use super::{Analysis, answer, round};
use crate::answer::{self as answers, Found};
use crate::program::{Group, Kind, Predicate, Query};
use crate::{Engine, Moment};

/// How long an interval is.
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

/// Whole days.
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

/// Intervals in an answer at most.
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
    let active = (0..intervals.len()).rev().filter(|index| completed[*index] + created[*index] > 0);
    let recent: Vec<usize> = active.take(4).collect();
    let average = |counts: &[i64]| mean(recent.iter().map(|index| counts[*index]));
    let (done, begun) = (average(&completed), average(&created));
    let per_day = done / number(unit.days());
    let shown = intervals.iter().enumerate();
    let shown: Vec<Json> =
        shown.map(|(index, interval)| interval.show(completed[index], created[index], moment)).collect();
    json!({
        "velocity": {
            "period": {"groupBy": unit.word(), "start": moment.text(range.from), "end": moment.text(range.to)},
            "tasksCompleted": tasks.count("completed"),
            "tasksCreated": tasks.count("created"),
            "averageCompleted": round(done, 2),
            "averageCreated": round(begun, 2),
            "averagePerDay": round(per_day, 2),
            "predictedCapacity": round(per_day * 7.0, 1),
            "predictedPerMonth": round(per_day * 30.0, 1),
            "backlogGrowthRate": round(begun - done, 2),
            "medianCompletionHours": tasks.stat("hours").map(|hours| round(hours, 1)),
            "tasksAnalyzed": tasks.total(),
            "intervalsAveraged": recent.len(),
        },
        "daily": shown,
        "basis": "averages are over the 4 most recent intervals in which anything was completed or created; hours are \
            from `added` to `completionDate`; the capacity is per week",
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

fn mean(values: impl ExactSizeIterator<Item = i64>) -> f64 {
    let length = values.len();
    if length == 0 { 0.0 } else { number(values.sum()) / number(i64::try_from(length).unwrap_or(i64::MAX)) }
}

#[expect(clippy::cast_precision_loss, reason = "counts are below 2^53")]
fn number(value: i64) -> f64 {
    value as f64
}
