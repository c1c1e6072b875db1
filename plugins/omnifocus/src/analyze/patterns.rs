//! Detectors of patterns in the whole database: each gives counts and some of the items behind them. There is no
//! overall score.

mod detectors;
mod duplicates;
mod tags;

use iac_plugin::{Fault, Json, json};

use super::scope::{Scope, Usual};
use super::{Analysis, answer};
use crate::answer::Found;
use crate::program::Query;
use crate::{Engine, Moment, answer as answers};

/// One detector: its queries, and the function that reads their answers.
struct Detector {
    name: &'static str,
    ask: fn(&Scope, &Moment) -> Vec<Query>,
    show: fn(Vec<Found>, &Moment) -> Json,
}

const DETECTORS: &[Detector] = &[
    Detector { name: "duplicates", ask: duplicates::ask, show: duplicates::show },
    Detector { name: "dormant_projects", ask: detectors::dormant, show: detectors::show_dormant },
    Detector { name: "tag_audit", ask: tags::ask, show: tags::show },
    Detector { name: "deadline_health", ask: detectors::deadlines, show: detectors::show_deadlines },
    Detector { name: "waiting_for", ask: detectors::waiting, show: detectors::show_waiting },
    Detector { name: "estimation_bias", ask: detectors::estimates, show: detectors::show_estimates },
    Detector { name: "clarify_candidates", ask: detectors::unclear, show: detectors::show_unclear },
    Detector { name: "review_gaps", ask: detectors::reviews, show: detectors::show_reviews },
    Detector { name: "wip_limits", ask: detectors::wip, show: detectors::show_wip },
    Detector { name: "due_date_bunching", ask: detectors::bunching, show: detectors::show_bunching },
    Detector { name: "missing_next_actions", ask: detectors::stuck, show: detectors::show_stuck },
];

pub(super) fn run(analysis: &Analysis<'_>, engine: &mut dyn Engine) -> Result<Json, Fault> {
    analysis.only(&["insights"])?;
    let moment = analysis.moment;
    let chosen = chosen(analysis)?;
    let scope = analysis.scope(Usual::Active)?;
    let asked: Vec<Vec<Query>> = chosen.iter().map(|detector| (detector.ask)(&scope, moment)).collect();
    let lengths: Vec<usize> = asked.iter().map(Vec::len).collect();
    let mut found = answers::run(engine, moment, asked.into_iter().flatten().collect())?;
    let mut insights = json!({});
    for (detector, length) in chosen.iter().zip(lengths) {
        let answers = (0..length).map(|_| found.take()).collect();
        insights[detector.name] = (detector.show)(answers, moment);
    }
    let warned: Vec<&str> = chosen
        .iter()
        .map(|detector| detector.name)
        .filter(|name| insights[*name]["warning"].is_string())
        .collect();
    let data = json!({"insights": insights, "warned": warned});
    Ok(answer("pattern_analysis", data, &scope, moment, found.warnings))
}

fn chosen(analysis: &Analysis<'_>) -> Result<Vec<&'static Detector>, Fault> {
    let names = match &analysis.params {
        Some(params) => params.texts("insights")?.unwrap_or_default(),
        None => vec![],
    };
    let known: Vec<&str> = DETECTORS.iter().map(|detector| detector.name).collect();
    if let Some(name) = names.iter().find(|name| *name != "all" && !known.contains(&name.as_str())) {
        return Err(Fault::invalid(format!("`analysis.params.insights` has `{name}`, which is not known"))
            .suggest(format!("use all, or some of {}", known.join(", "))));
    }
    let all = names.is_empty() || names.iter().any(|name| name == "all");
    Ok(DETECTORS.iter().filter(|detector| all || names.iter().any(|name| name == detector.name)).collect())
}

/// Makes an object of each row; dates are shown in local time.
fn rows(found: &mut Found, fields: &[&str], moment: &Moment) -> Vec<Json> {
    let show = |row: Vec<Json>| {
        let pair =
            |(field, value): (&&str, Json)| ((*field).to_owned(), crate::fields::show(field, value, moment));
        fields.iter().zip(row).map(pair).collect()
    };
    found.take_rows().into_iter().map(show).collect()
}

/// Adds a warning where a count is above a threshold.
fn warn(shown: &mut Json, count: i64, above: i64, what: &str) {
    if count > above {
        shown["warning"] = json!(format!("{count} {what}, more than {above}"));
    }
}
