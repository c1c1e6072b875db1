//! `omnifocus_analyze`: counts and the evidence behind them. There is no score: the reader judges.

mod notes;
mod overdue;
mod patterns;
mod productivity;
mod recurring;
mod reviews;
mod scope;
mod velocity;
mod workflow;

use iac_plugin::{Arguments, Fault, Json, Object, Tool, json};

use crate::{Engine, Moment};
use scope::Scope;

/// Returns the tool. Only marking reviews changes anything, and only the review dates of projects.
pub(crate) fn tool() -> Tool {
    let reading = Tool::reads("omnifocus_analyze", DESCRIPTION, schema()).titled("Analyze OmniFocus");
    Tool { read_only: false, idempotent: false, ..reading }
}

/// One requested analysis.
struct Analysis<'a> {
    scope: Option<Object<'a>>,
    params: Option<Object<'a>>,
    moment: &'a Moment,
}

/// Answers one call.
///
/// # Errors
/// `invalid_parameter` if an argument is not understood or names something missing, and the errors of the engine.
pub(crate) fn call(arguments: Arguments, moment: &Moment, engine: &mut dyn Engine) -> Result<Json, Fault> {
    let analysis = arguments.envelope("analysis", "type")?;
    let object = Object::root("analysis", &analysis);
    object.only(&["type", "scope", "params"], &[("operation", "it belongs into `params`")])?;
    let Some(run) = object.word("type", KINDS)? else {
        let kinds: Vec<&str> = KINDS.iter().map(|(name, _)| *name).collect();
        return Err(Fault::invalid(format!(
            "`analysis.type` is missing, expected one of {}",
            kinds.join(", ")
        )));
    };
    let analysis = Analysis { scope: object.object("scope")?, params: object.object("params")?, moment };
    run(&analysis, engine)
}

type Run = fn(&Analysis<'_>, &mut dyn Engine) -> Result<Json, Fault>;

const KINDS: &[(&str, Run)] = &[
    ("productivity_stats", productivity::run),
    ("task_velocity", velocity::run),
    ("overdue_analysis", overdue::run),
    ("workflow_analysis", workflow::run),
    ("recurring_tasks", recurring::run),
    ("parse_meeting_notes", notes::run),
    ("manage_reviews", reviews::run),
    ("pattern_analysis", patterns::run),
];

impl Analysis<'_> {
    /// Reads the scope; `usual` gives the states that count by default.
    fn scope(&self, usual: scope::Usual) -> Result<Scope, Fault> {
        Scope::read(self.scope.as_ref(), usual, self.moment)
    }

    /// Refuses parameters that this analysis does not have.
    fn only(&self, known: &[&str]) -> Result<(), Fault> {
        match &self.params {
            None => Ok(()),
            Some(params) if known.is_empty() && params.keys().next().is_some() => {
                Err(Fault::invalid("`analysis.params` is given to an analysis that has none")
                    .suggest("leave it out, and use `scope` to look at a part"))
            }
            Some(params) => params.only(known, &[]),
        }
    }

    /// Reads a parameter that is one of some words.
    fn word<T: Copy>(&self, key: &str, words: &[(&str, T)]) -> Result<Option<T>, Fault> {
        self.params.as_ref().map_or(Ok(None), |params| params.word(key, words))
    }
}

fn answer(kind: &str, data: Json, scope: &Scope, moment: &Moment, warnings: Vec<Json>) -> Json {
    let mut metadata =
        json!({"analysis": kind, "scope": scope.words(moment), "asOf": moment.text(moment.milliseconds())});
    if !warnings.is_empty() {
        metadata["warnings"] = Json::Array(warnings);
    }
    json!({"success": true, "data": data, "metadata": metadata})
}

/// Rounds to a number of decimals.
fn round(value: f64, decimals: i32) -> f64 {
    let factor = 10_f64.powi(decimals);
    (value * factor).round() / factor
}

/// Returns the share of a part in a whole; 0 if there is no whole.
#[expect(clippy::cast_precision_loss, reason = "counts are below 2^53")]
fn rate(part: i64, whole: i64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// Returns a part of a whole in percent with one decimal.
fn percent(part: i64, whole: i64) -> f64 {
    round(rate(part, whole) * 100.0, 1)
}

const DESCRIPTION: &str = "Analyzes OmniFocus: counts with the evidence behind them, over the whole database or a \
scope. Values of analysis.type:
- productivity_stats: totals, completion rate, completed and created in the period, by project and tag. params: \
groupBy or period day|week|month (of the calendar), metrics [completed, created, velocity, overdue, projects, tags]
- task_velocity: completed and created per interval, backlog growth, median hours. params: groupBy day|week|month
- overdue_analysis: overdue by severity and project, oldest first
- workflow_analysis: available, blocked, deferred, overdue by project and tag, longest deferrals
- recurring_tasks: params.operation analyze|patterns, sortBy nextDue|frequency|name
- pattern_analysis: params.insights [duplicates, dormant_projects, tag_audit, deadline_health, waiting_for, \
estimation_bias, clarify_candidates, review_gaps, wip_limits, due_date_bunching, missing_next_actions] or all
- parse_meeting_notes: params.text or items [{name, project, tags, dueDate, ..}], defaultProject, defaultTags; creates \
nothing, returns batchPayload for omnifocus_write
- manage_reviews: params.operation list; update (or mark_reviewed: projectId or projectIds, reviewDate) and set_schedule \
(reviewInterval, reviewDate) change review dates and are asked about
SCOPE: {dateRange:{start,end},tags:[names],projects:[names or ids],includeCompleted,includeDropped}; unknown names are \
errors. EXAMPLE: {analysis:{type:\"productivity_stats\",scope:{dateRange:{start:\"2025-01-01\",end:\"2025-01-31\"}},\
params:{groupBy:\"week\"}}}";

fn schema() -> Json {
    let kinds: Vec<&str> = KINDS.iter().map(|(name, _)| *name).collect();
    json!({
        "type": "object",
        "properties": {"analysis": {
            "type": "object",
            "properties": {
                "type": {"enum": kinds},
                "scope": {"type": "object", "properties": {
                    "dateRange": {"type": "object", "properties": {
                        "start": {"type": "string"}, "end": {"type": "string"},
                    }},
                    "tags": {"type": "array", "items": {"type": "string"}},
                    "projects": {"type": "array", "items": {"type": "string"}},
                    "includeCompleted": {"type": "boolean"},
                    "includeDropped": {"type": "boolean"},
                }},
                "params": {"type": "object", "description": "depends on the type; see the description"},
            },
            "required": ["type"],
        }},
        "required": ["analysis"],
    })
}
