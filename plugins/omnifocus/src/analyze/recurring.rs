//! Repeating items: how often they repeat, and when they are due next.

use std::collections::BTreeMap;

use iac_plugin::{Fault, Json, json};

use super::scope::Usual;
use super::{Analysis, answer, percent};
use crate::moment::DAY;
use crate::program::{Kind, Predicate, Query};
use crate::{Engine, Moment, answer as answers};

/// The maximum number of items of each kind to examine, and of items in an answer.
const MOST: i64 = 5_000;
const SHOWN: usize = 100;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    NextDue,
    Frequency,
    Name,
}

/// How often something repeats.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Rhythm {
    /// The rough number of minutes from one occurrence to the next; only for sorting.
    length: i64,
    steps: i64,
    unit: &'static str,
}

/// One repeating task or project.
#[derive(Clone, Debug)]
struct Recurring {
    is_project: bool,
    id: Json,
    name: String,
    project: Json,
    rule: Json,
    rhythm: Option<Rhythm>,
    defer: Json,
    due: Option<i64>,
}

pub(super) fn run(analysis: &Analysis<'_>, engine: &mut dyn Engine) -> Result<Json, Fault> {
    analysis.only(&["operation", "sortBy"])?;
    let moment = analysis.moment;
    let patterns = analysis.word("operation", &[("analyze", false), ("patterns", true)])?.unwrap_or(false);
    let orders = [("nextDue", Order::NextDue), ("frequency", Order::Frequency), ("name", Order::Name)];
    let order = analysis.word("sortBy", &orders)?;
    if patterns && order.is_some() {
        return Err(Fault::invalid("`analysis.params.sortBy` means nothing to the operation `patterns`")
            .suggest("leave it out, or use the operation `analyze`"));
    }
    let scope = analysis.scope(Usual::Active)?;
    let query = |kind, predicate: Predicate, project| {
        let wanted = predicate.and(Predicate::Exists("repetitionRule", true));
        let fields = ["id", "name", project, "repetitionRule", "deferDate", "dueDate"];
        Query::new(kind, &wanted).rows(&fields, &[("dueDate", 1)], 0, MOST)
    };
    let queries = vec![
        query(Kind::Tasks, scope.tasks(Some("dueDate")), "project"),
        query(Kind::Projects, scope.whole_projects(Some("dueDate")), "name"),
    ];
    let mut found = answers::run(engine, moment, queries)?;
    let (mut tasks, mut projects) = (found.take(), found.take());
    let total = tasks.total() + projects.total();
    let mut items: Vec<Recurring> =
        tasks.take_rows().into_iter().map(|row| Recurring::read(row, false)).collect();
    items.extend(projects.take_rows().into_iter().map(|row| Recurring::read(row, true)));
    let data = if patterns {
        groups(&items, total)
    } else {
        sort(&mut items, order.unwrap_or(Order::NextDue));
        list(&items, total, moment)
    };
    Ok(answer("recurring_tasks", data, &scope, moment, found.warnings))
}

impl Recurring {
    fn read(row: Vec<Json>, is_project: bool) -> Self {
        let mut row = row.into_iter();
        let mut next = || row.next().unwrap_or(Json::Null);
        let (id, name, project, rule, defer, due) = (next(), next(), next(), next(), next(), next());
        let rhythm = rule["ruleString"].as_str().and_then(Rhythm::read);
        Self {
            is_project,
            id,
            name: name.as_str().unwrap_or_default().to_owned(),
            project,
            rule,
            rhythm,
            defer,
            due: due.as_i64(),
        }
    }

    fn label(&self) -> String {
        self.rhythm.as_ref().map_or_else(|| "Unknown".to_owned(), Rhythm::label)
    }

    fn show(&self, moment: &Moment) -> Json {
        let days = self.days(moment);
        let date = |date: &Json| moment.show(date);
        json!({
            "id": self.id,
            "name": self.name,
            "project": self.project,
            "frequency": self.label(),
            "rule": {
                "unit": self.rhythm.as_ref().map(|rhythm| rhythm.unit),
                "steps": self.rhythm.as_ref().map(|rhythm| rhythm.steps),
                "ruleString": self.rule["ruleString"],
                "method": self.rule["method"],
                "scheduleType": self.rule["scheduleType"],
            },
            "deferDate": date(&self.defer),
            "nextDue": date(&json!(self.due)),
            "daysUntilDue": days,
            "isOverdue": self.is_overdue(moment),
            "overdueDays": days.map_or(0, |days| (-days).max(0)),
        })
    }

    fn is_overdue(&self, moment: &Moment) -> bool {
        self.due.is_some_and(|due| due < moment.milliseconds())
    }

    /// Returns the whole days of 24 hours until it is due, as `overdue_analysis` counts them. They are negative if it
    /// has been overdue for one at least.
    fn days(&self, moment: &Moment) -> Option<i64> {
        self.due.map(|due| (due - moment.milliseconds()) / DAY)
    }
}

impl Rhythm {
    /// Reads the parts of a rule that give the frequency.
    fn read(rule: &str) -> Option<Self> {
        let part = |name: &str| {
            rule.split(';')
                .filter_map(|part| part.split_once('='))
                .find(|(key, _)| *key == name)
                .map(|(_, value)| value)
        };
        let steps =
            part("INTERVAL").map_or(Some(1), |steps| steps.parse().ok()).filter(|steps| *steps >= 1)?;
        let (unit, length) = match part("FREQ")? {
            "MINUTELY" => ("minute", 1),
            "HOURLY" => ("hour", 60),
            "DAILY" => ("day", 1_440),
            "WEEKLY" => ("week", 10_080),
            "MONTHLY" => ("month", 43_830),
            "YEARLY" => ("year", 525_960),
            _ => return None,
        };
        Some(Self { length: length * steps, steps, unit })
    }

    fn label(&self) -> String {
        let name = match (self.unit, self.steps) {
            ("minute", 1) => "Every minute",
            ("hour", 1) => "Hourly",
            ("day", 1) => "Daily",
            ("day", 7) | ("week", 1) => "Weekly",
            ("day", 14) | ("week", 2) => "Biweekly",
            ("month", 1) => "Monthly",
            ("month", 3) => "Quarterly",
            ("month", 12) | ("year", 1) => "Yearly",
            (unit, steps) => return format!("Every {steps} {unit}s"),
        };
        name.to_owned()
    }
}

fn sort(tasks: &mut [Recurring], order: Order) {
    let due = |task: &Recurring| task.due.unwrap_or(i64::MAX);
    match order {
        Order::NextDue => tasks.sort_by_key(due),
        Order::Name => tasks.sort_by_key(|task| task.name.to_lowercase()),
        Order::Frequency => {
            let length = |task: &Recurring| task.rhythm.as_ref().map_or(i64::MAX, |rhythm| rhythm.length);
            tasks.sort_by_key(|task| (length(task), due(task)));
        }
    }
}

fn list(tasks: &[Recurring], total: i64, moment: &Moment) -> Json {
    let is_soon = |task: &&Recurring| {
        !task.is_overdue(moment) && task.days(moment).is_some_and(|days| (0..=7).contains(&days))
    };
    let mut frequencies: BTreeMap<String, i64> = BTreeMap::new();
    for task in tasks {
        *frequencies.entry(task.label()).or_default() += 1;
    }
    let shown = |is_project: bool| -> Vec<Json> {
        let all = tasks.iter().take(SHOWN).filter(|task| task.is_project == is_project);
        all.map(|task| task.show(moment)).collect()
    };
    let returned = tasks.len().min(SHOWN);
    json!({
        "summary": {
            "totalRecurring": total,
            "projects": tasks.iter().filter(|task| task.is_project).count(),
            "overdue": tasks.iter().filter(|task| task.is_overdue(moment)).count(),
            "dueThisWeek": tasks.iter().filter(is_soon).count(),
            "byFrequency": frequencies,
        },
        "returned_count": returned,
        "truncated": i64::try_from(returned).unwrap_or(i64::MAX) < total,
        "tasks": shown(false),
        "projects": shown(true),
    })
}

fn groups(tasks: &[Recurring], total: i64) -> Json {
    let mut rhythms: BTreeMap<(i64, String), Vec<&Recurring>> = BTreeMap::new();
    let mut projects: BTreeMap<String, i64> = BTreeMap::new();
    for task in tasks {
        let (length, key) = match &task.rhythm {
            Some(rhythm) => (rhythm.length, format!("{}_{}", rhythm.unit, rhythm.steps)),
            None => (i64::MAX, "unknown".to_owned()),
        };
        rhythms.entry((length, key)).or_default().push(task);
        *projects.entry(task.project.as_str().unwrap_or("(inbox)").to_owned()).or_default() += 1;
    }
    let mut shown: Vec<Json> = rhythms.iter().map(|((_, key), tasks)| pattern(key, tasks, total)).collect();
    shown.sort_by_key(|pattern| std::cmp::Reverse(pattern["count"].as_i64()));
    let mut projects: Vec<(String, i64)> = projects.into_iter().collect();
    projects.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let by_project: Vec<Json> =
        projects.into_iter().take(SHOWN).map(|(name, count)| json!({"name": name, "count": count})).collect();
    json!({
        "totalRecurring": total,
        "mostCommon": shown.first().map(|pattern| pattern["frequency"].clone()),
        "patterns": shown,
        "byProject": by_project,
    })
}

fn pattern(key: &str, tasks: &[&Recurring], total: i64) -> Json {
    let count = i64::try_from(tasks.len()).unwrap_or(i64::MAX);
    let examples: Vec<&str> = tasks.iter().take(5).map(|task| task.name.as_str()).collect();
    json!({
        "pattern": key,
        "frequency": tasks.first().map(|task| task.label()),
        "count": count,
        "percentage": percent(count, total),
        "examples": examples,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_have_a_name_for_how_often() {
        for (rule, expected) in [
            ("FREQ=DAILY", "Daily"),
            ("FREQ=DAILY;INTERVAL=7", "Weekly"),
            ("FREQ=WEEKLY;BYDAY=MO,WE", "Weekly"),
            ("FREQ=WEEKLY;INTERVAL=2", "Biweekly"),
            ("FREQ=WEEKLY;INTERVAL=4", "Every 4 weeks"),
            ("FREQ=MONTHLY;INTERVAL=3", "Quarterly"),
            ("FREQ=YEARLY", "Yearly"),
            ("FREQ=HOURLY;INTERVAL=6", "Every 6 hours"),
            ("FREQ=SOMETIMES", "none"),
            ("INTERVAL=2", "none"),
            ("FREQ=DAILY;INTERVAL=x", "none"),
        ] {
            let label = Rhythm::read(rule).map_or_else(|| "none".to_owned(), |rhythm| rhythm.label());
            assert_eq!(label, expected, "{rule}");
        }
    }

    #[test]
    fn days_before_and_after_a_due_date_agree() {
        let moment = Moment::new(1_769_589_000_000, "Europe/Vienna", 3_600);
        for (hours, until, is_overdue, since) in
            [(-126, -5, true, 5), (-24, -1, true, 1), (-5, 0, true, 0), (5, 0, false, 0), (30, 1, false, 0)]
        {
            let due = json!(moment.milliseconds() + hours * 3_600_000);
            let null = Json::Null;
            let row = vec![null.clone(), null.clone(), null.clone(), null.clone(), null, due];
            let shown = Recurring::read(row, false).show(&moment);
            assert_eq!(shown["daysUntilDue"], until, "{hours}");
            assert_eq!((&shown["isOverdue"], &shown["overdueDays"]), (&json!(is_overdue), &json!(since)));
        }
    }
}
