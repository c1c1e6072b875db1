//! The names of what a mutation is about: looked up before anybody is asked, and before anything is changed.

use std::collections::BTreeMap;

use iac_plugin::{Fault, Json, json};

use super::plan::{Form, Plan};
use crate::program::{Kind, Predicate, Query};
use crate::{Engine, Moment, answer};

/// What the ids of a mutation stand for.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    /// Name and place by target and id.
    known: BTreeMap<(&'static str, String), (String, String)>,
    /// Ids of the root tasks of projects that were taken for tasks.
    roots: Vec<String>,
}

/// Looks up the ids of a mutation; one run of the read script, none where there are no ids.
///
/// # Errors
/// Those of the engine.
pub(super) fn look_up(plan: &Plan, moment: &Moment, engine: &mut dyn Engine) -> Result<Names, Fault> {
    let ids: Vec<String> = plan.steps.iter().filter_map(|step| step.id.clone()).collect();
    if ids.is_empty() {
        return Ok(Names::default());
    }
    let any = Predicate::Or(ids.iter().cloned().map(Predicate::Id).collect());
    let most = 2 * i64::try_from(ids.len()).unwrap_or(i64::MAX / 2);
    let tasks = Query::new(Kind::Tasks, &any).roots();
    let tasks = tasks.rows(&["id", "name", "project", "isProjectRoot"], &[], 0, most);
    let projects = Query::new(Kind::Projects, &any).rows(&["id", "name", "folderPath"], &[], 0, most);
    let mut answers = answer::run(engine, moment, vec![tasks, projects])?;
    let mut names = Names::default();
    for row in answers.take().take_rows() {
        names.task(&row);
    }
    for row in answers.take().take_rows() {
        names.add("project", &row);
    }
    Ok(names)
}

impl Names {
    fn task(&mut self, row: &[Json]) {
        let root = row.get(3).is_some_and(|root| *root == true);
        if root {
            // A project may be named by the id of its root task.
            self.add("project", &row[..2]);
            self.roots.extend(row[0].as_str().map(str::to_owned));
        } else {
            self.add("task", row);
        }
    }

    fn add(&mut self, target: &'static str, row: &[Json]) {
        let text = |at: usize| row.get(at).and_then(Json::as_str).unwrap_or_default().to_owned();
        self.known.insert((target, text(0)), (text(1), text(2)));
    }

    /// Returns what an id stands for, in words.
    pub(super) fn of(&self, target: &'static str, id: &str) -> Option<String> {
        let (name, place) = self.known.get(&(target, id.to_owned()))?;
        let behind = if place.is_empty() { String::new() } else { format!(" in {place:?}") };
        Some(format!("{target} {name:?}{behind}"))
    }

    /// Returns the name that an id stands for.
    pub(super) fn name(&self, target: &'static str, id: &str) -> Option<&str> {
        self.known.get(&(target, id.to_owned())).map(|(name, _)| name.as_str())
    }

    /// Refuses ids that stand for nothing; in a plan that goes on, their steps fail alone.
    ///
    /// # Errors
    /// `invalid_parameter`, with the first such id.
    pub(super) fn check(&self, plan: &mut Plan) -> Result<(), Fault> {
        let goes_on = plan.form != Form::Single && !plan.stop && !plan.atomic;
        for step in &mut plan.steps {
            let Some(id) = &step.id else { continue };
            if self.name(step.target, id).is_some() {
                continue;
            }
            let fault = self.missing(step.target, id);
            if !goes_on {
                return Err(fault);
            }
            step.failure = Some(json!({"message": fault.message, "suggestion": fault.suggestion}));
        }
        Ok(())
    }

    fn missing(&self, target: &str, id: &str) -> Fault {
        let other = if target == "task" { "project" } else { "task" };
        let fault = Fault::invalid(format!("no {target} has the id `{id}`"));
        let mut fault = if target == "task" && self.roots.iter().any(|root| root == id) {
            fault.suggest("it is the root of a project: use target `project`")
        } else if self.known.contains_key(&(if other == "task" { "task" } else { "project" }, id.to_owned()))
        {
            fault.suggest(format!("it is the id of a {other}: use target `{other}`"))
        } else {
            fault.suggest(format!("query {target}s for their ids; it may have been deleted"))
        };
        fault.detail = Some(json!({"reason": "not_found", "what": target, "value": id}));
        fault
    }
}
