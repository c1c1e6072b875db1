//! How many tasks are completed and created from one interval to the next.

use iac_plugin::{Fault, Json, json};
use jiff::civil::Date;

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

    /// The number of days that an average is for.
    fn days(self) -> i64 {
        match self {
            Self::Day => 1,
            Self::Week => 7,
            Self::Month => 30,
        }
    }

    /// Returns the first day of the day, week or month in which a day lies. A week begins on Monday.
    fn first(self, day: Date) -> Date {
        let since_monday = i64::from(day.weekday().to_monday_zero_offset());
        match self {
            Self::Day => day,
            Self::Week => day.saturating_sub(jiff::Span::new().days(since_monday)),
            Self::Month => day.first_of_month(),
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

/// Divides a range into days, weeks or months of the calendar. The ends of the range cut the first and the last one. If
/// there are too many, the oldest are left out.
pub(super) fn intervals(range: Range, unit: Unit, moment: &Moment) -> Vec<Interval> {
    let mut intervals = Vec::new();
    let mut last = range.last;
    while last >= range.first && intervals.len() < MOST {
        let first = unit.first(last).max(range.first);
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
    if intervals.first().is_some_and(|first| first.from > range.from) {
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
        "basis": "averages are over all days of the range up to today, for 1 day, 7 days or 30 days; growth is \
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

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[track_caller]
    fn check(unit: Unit, first: Date, last: Date, expected: &[&str]) {
        let moment = Moment::new(1_796_119_200_000, "Europe/Vienna", 3_600);
        let intervals = intervals(Range::days(first, last, &moment), unit, &moment);
        let show = |interval: &Interval| {
            let (from, to) = (moment.text(interval.from), moment.text(interval.to));
            format!("{} {}", &from[5..10], &to[5..10])
        };
        assert_eq!(intervals.iter().map(show).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn intervals_are_those_of_the_calendar() {
        let (first, last) = (date(2026, 11, 1), date(2026, 11, 30));
        let weeks =
            ["11-01 11-01", "11-02 11-08", "11-09 11-15", "11-16 11-22", "11-23 11-29", "11-30 11-30"];
        check(Unit::Week, first, last, &weeks);
        check(Unit::Month, first, last, &["11-01 11-30"]);
        check(Unit::Month, date(2026, 10, 29), date(2026, 11, 28), &["10-29 10-31", "11-01 11-28"]);
        check(Unit::Day, last, last, &["11-30 11-30"]);
        check(Unit::Week, date(2026, 12, 28), date(2027, 1, 3), &["12-28 01-03"]);
    }
}
