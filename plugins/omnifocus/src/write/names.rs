//! What a mutation is about and where it goes: looked up before anybody is asked, and before anything is changed.

use std::collections::BTreeMap;

use iac_plugin::{Fault, Json, json};

use super::plan::{Form, Plan, Step};
use super::show;
use super::tag_names::Tags;
use crate::arguments::nearest;
use crate::program::{Group, Kind, Predicate, Query};
use crate::{Engine, Moment, answer};

/// What the ids and names of a mutation stand for.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    /// Name and place by target and id.
    known: BTreeMap<(&'static str, String), (String, String)>,
    /// Ids of the root tasks of projects.
    roots: Vec<String>,
    /// The projects that have an id or a name that is gone to.
    projects: Vec<Project>,
    /// Id, name and path of every folder, where one is gone to.
    folders: Vec<[String; 3]>,
    /// How many tasks are in a project, or directly below a task, by target and id.
    held: BTreeMap<(&'static str, String), i64>,
    /// All tags, where the mutation is about tags themselves.
    tags: Tags,
    /// Places among the steps that would put a task below itself.
    circles: Vec<usize>,
}

#[derive(Clone, Debug)]
struct Project {
    id: String,
    name: String,
    folder: String,
    status: String,
}

/// Everything below this many folders is looked at.
const ALL: i64 = 100_000;

/// So many characters of a name are shown, so that none pushes what stands behind it out of its line.
const NAME: usize = 60;

/// Quotes a name for whoever is asked.
pub(super) fn quoted(name: &str) -> String {
    let cut: String = name.chars().take(NAME).collect();
    if cut.len() < name.len() { format!("{:?}", cut + "…") } else { format!("{name:?}") }
}

/// Looks up what a mutation names; one run of the read script, none where it names nothing.
///
/// # Errors
/// Those of the engine.
pub(super) fn look_up(plan: &Plan, moment: &Moment, engine: &mut dyn Engine) -> Result<Names, Fault> {
    let mut ids: Vec<String> = plan.steps.iter().filter_map(|step| step.id.clone()).collect();
    ids.extend(plan.steps.iter().filter_map(|step| place(step)?["task"]["id"].as_str().map(str::to_owned)));
    let projects: Vec<String> =
        plan.steps.iter().filter_map(|step| place(step)?["project"].as_str().map(str::to_owned)).collect();
    let folders = plan.steps.iter().any(|step| place(step).is_some_and(|place| place["folder"].is_string()));
    let tags = Tags::ask(&plan.steps);
    if ids.is_empty() && projects.is_empty() && !folders && tags.is_none() {
        return Ok(Names::default());
    }
    let is = |field: &'static str, all: &[String]| -> Vec<Predicate> {
        all.iter().map(|value| Predicate::Is(field, json!(value))).collect()
    };
    ids.extend(projects.iter().cloned());
    let tasks = Query::new(Kind::Tasks, &Predicate::Or(is("id", &ids))).roots();
    let mut tasks = tasks.rows(&["id", "name", "project", "isProjectRoot"], &[], 0, ALL);
    for (at, moved, below) in moved_below(plan) {
        let circle = Predicate::Is("id", json!(below)).and(Predicate::Under(moved.to_owned()));
        tasks = tasks.count(&at.to_string(), &circle);
    }
    let either = Predicate::Or([is("id", &ids), is("name", &projects)].concat());
    let fields = ["id", "name", "folderPath", "status", "taskCounts"];
    let named = Query::new(Kind::Projects, &either).rows(&fields, &[], 0, ALL);
    let gone: Vec<String> =
        plan.steps.iter().filter(|step| step.deletes).filter_map(|step| step.id.clone()).collect();
    let below = Query::new(Kind::Tasks, &Predicate::Or(is("parentTaskId", &gone)));
    let below = below.group("parents", Group::by_value("parentTaskId"));
    let mut queries = vec![tasks, named, below];
    if folders {
        queries.push(Query::new(Kind::Folders, &Predicate::everything()).rows(
            &["id", "name", "path"],
            &[],
            0,
            ALL,
        ));
    }
    let asked = tags.is_some();
    queries.extend(tags);
    let mut answers = answer::run(engine, moment, queries)?;
    let mut names = Names::default();
    let mut tasks = answers.take();
    names.circles =
        moved_below(plan).map(|(at, ..)| at).filter(|at| tasks.count(&at.to_string()) > 0).collect();
    tasks.take_rows().iter().for_each(|row| names.task(row));
    answers.take().take_rows().iter().for_each(|row| names.project(row));
    for group in answers.take().groups("parents") {
        let parent = group.key().as_str().unwrap_or_default().to_owned();
        names.held.insert(("task", parent), group.size());
    }
    if folders {
        let rows = answers.take().take_rows();
        names.folders = rows.iter().map(|row| [0, 1, 2].map(|at| text(row, at))).collect();
    }
    if asked {
        names.tags = Tags::of(&answers.take().take_rows());
    }
    Ok(names)
}

/// The tasks that go below another one: the place of the step, what goes, and where.
fn moved_below(plan: &Plan) -> impl Iterator<Item = (usize, &str, &str)> {
    plan.steps.iter().enumerate().filter_map(|(at, step)| {
        Some((at, step.id.as_deref()?, step.json["set"]["move"]["task"]["id"].as_str()?))
    })
}

/// Where a step puts something.
fn place(step: &Step) -> Option<&Json> {
    let place = [&step.json["at"], &step.json["set"]["move"]];
    place.into_iter().find(|place| place.is_object())
}

fn text(row: &[Json], at: usize) -> String {
    row.get(at).and_then(Json::as_str).unwrap_or_default().to_owned()
}

impl Names {
    fn task(&mut self, row: &[Json]) {
        let (id, said) = (text(row, 0), (text(row, 1), text(row, 2)));
        if row.get(3).is_some_and(|root| *root == true) {
            // A project may be named by the id of its root task.
            self.roots.push(id.clone());
            self.known.insert(("project", id), (said.0, String::new()));
        } else {
            self.known.insert(("task", id), said);
        }
    }

    fn project(&mut self, row: &[Json]) {
        let [id, name, folder, status] = [0, 1, 2, 3].map(|at| text(row, at));
        self.known.insert(("project", id.clone()), (name.clone(), folder.clone()));
        self.held.insert(
            ("project", id.clone()),
            row.get(4).map_or(0, |counts| counts["total"].as_i64().unwrap_or(0)),
        );
        self.projects.push(Project { id, name, folder, status });
    }

    /// Returns what an id stands for, in words.
    pub(super) fn of(&self, target: &'static str, id: &str) -> Option<String> {
        let (name, place) = self.known.get(&(target, id.to_owned()))?;
        let behind = if place.is_empty() { String::new() } else { format!(" in {}", quoted(place)) };
        Some(format!("{target} {}{behind}", quoted(name)))
    }

    /// Says how many tasks go with what a step deletes.
    pub(super) fn with(&self, step: &Step) -> String {
        if step.target == "tag" {
            return self.tags.with(step);
        }
        let held = step.id.as_ref().and_then(|id| self.held.get(&(step.target, id.clone())));
        match (held.filter(|_| step.deletes), step.target) {
            (Some(1), _) => " with 1 task in it".to_owned(),
            (Some(held @ 2..), "project") => format!(" with {held} tasks in it"),
            (Some(held @ 2..), _) => format!(" with {held} tasks directly below it"),
            _ => String::new(),
        }
    }

    /// Puts the name of the task that a step goes to into its words, in place of the id.
    pub(super) fn at(&self, step: &Step) -> String {
        let parent = place(step).and_then(|place| place["task"]["id"].as_str());
        match parent.and_then(|id| Some((id, self.name("task", id)?))) {
            Some((id, name)) => step.words.replacen(&format!("{id:?}"), &quoted(name), 1),
            None => step.words.clone(),
        }
    }

    /// Returns the name that an id stands for.
    pub(super) fn name(&self, target: &'static str, id: &str) -> Option<&str> {
        self.known.get(&(target, id.to_owned())).map(|(name, _)| name.as_str())
    }

    /// Refuses what is not there or not certain; in a plan that goes on, only the steps that name it fail.
    ///
    /// # Errors
    /// `invalid_parameter`, for the first such step.
    pub(super) fn check(&self, plan: &mut Plan) -> Result<(), Fault> {
        let goes_on = plan.form != Form::Single && !plan.stop && !plan.atomic;
        let batch = plan.form == Form::Batch;
        for (at, step) in plan.steps.iter_mut().enumerate() {
            let Err(mut fault) = self.check_step(at, step) else { continue };
            if !goes_on {
                if batch {
                    fault.message = format!(
                        "operation {} of the batch: {}; nothing was changed",
                        step.index, fault.message
                    );
                }
                return Err(fault);
            }
            step.failure = Some(json!({"message": fault.message, "suggestion": fault.suggestion}));
        }
        Ok(())
    }

    fn check_step(&self, at: usize, step: &Step) -> Result<(), Fault> {
        if step.target == "tag" {
            return self.tags.check(step);
        }
        if let Some(id) = &step.id
            && self.name(step.target, id).is_none()
        {
            return Err(self.missing(step.target, id));
        }
        let Some(place) = place(step) else { return Ok(()) };
        if let Some(id) = place["task"]["id"].as_str()
            && self.name("task", id).is_none()
        {
            return Err(self.missing("task", id));
        }
        if self.circles.contains(&at) {
            let below = &place["task"]["id"];
            return Err(fault(&json!({"reason": "cycle", "what": "task", "value": below, "near": []})));
        }
        place["project"].as_str().map_or(Ok(()), |name| self.check_project(name))?;
        place["folder"].as_str().map_or(Ok(()), |name| self.check_folder(name))
    }

    /// A project is meant by its id, or by the name of the only one of that name that goes on.
    fn check_project(&self, name: &str) -> Result<(), Fault> {
        let by_id = self.name("project", name).is_some();
        let named: Vec<&Project> = self.projects.iter().filter(|project| project.name == name).collect();
        let live = |project: &&&Project| matches!(&*project.status, "active" | "on_hold");
        let reason = match named.iter().filter(live).count() {
            _ if by_id => return Ok(()),
            1 => return Ok(()),
            // The script knows all names, and which of them are near.
            0 if named.is_empty() => return Ok(()),
            0 => "not_live",
            _ => "ambiguous",
        };
        let shown = |project: &&Project| {
            let folder = if project.folder.is_empty() { "no folder" } else { &project.folder };
            format!("{} ({}, {folder})", project.id, project.status)
        };
        let near: Vec<String> =
            named.iter().filter(|project| reason == "not_live" || live(project)).map(shown).collect();
        Err(fault(&json!({"reason": reason, "what": "project", "value": name, "near": near})))
    }

    fn check_folder(&self, wanted: &str) -> Result<(), Fault> {
        let lower = |text: &str| text.replace(" : ", "/").to_lowercase();
        let all = |fits: &dyn Fn(&[String; 3]) -> bool| {
            self.folders.iter().filter(|folder| fits(folder)).collect::<Vec<_>>()
        };
        let exact = all(&|[_, name, path]| name == wanted || path == wanted);
        let found = match exact.as_slice() {
            [] => all(&|[_, name, path]| {
                lower(path) == lower(wanted) || name.to_lowercase() == wanted.to_lowercase()
            }),
            _ => exact,
        };
        if found.len() == 1 || self.folders.iter().any(|[id, ..]| id == wanted) {
            return Ok(());
        }
        if !found.is_empty() {
            let near: Vec<String> = found.iter().map(|[id, _, path]| format!("{id} ({path})")).collect();
            return Err(fault(
                &json!({"reason": "ambiguous", "what": "folder", "value": wanted, "near": near}),
            ));
        }
        let names: Vec<&str> = self.folders.iter().map(|[_, name, _]| name.as_str()).collect();
        let near: Vec<&str> = nearest(wanted, &names).into_iter().collect();
        Err(fault(&json!({"reason": "not_found", "what": "folder", "value": wanted, "near": near})))
    }

    /// Says of the first project that is meant and not there which names are near; one more run of the read script.
    ///
    /// # Errors
    /// `invalid_parameter` where there is one, and those of the engine.
    pub(super) fn near(
        &self,
        plan: &mut Plan,
        moment: &Moment,
        engine: &mut dyn Engine,
    ) -> Result<(), Fault> {
        let known = |name: &str| {
            self.name("project", name).is_some() || self.projects.iter().any(|project| project.name == name)
        };
        let goes_on = plan.form != Form::Single && !plan.stop && !plan.atomic;
        let batch = plan.form == Form::Batch;
        for step in plan.steps.iter_mut().filter(|step| step.failure.is_none()) {
            let Some(name) =
                place(step).and_then(|place| place["project"].as_str()).filter(|name| !known(name))
            else {
                continue;
            };
            let wanted = Predicate::Project(name.to_owned());
            let Err(mut fault) = answer::run(engine, moment, vec![Query::new(Kind::Tasks, &wanted)]) else {
                continue;
            };
            if batch && !goes_on && fault.code == "invalid_parameter" {
                fault.message =
                    format!("operation {} of the batch: {}; nothing was changed", step.index, fault.message);
            }
            if !goes_on || fault.code != "invalid_parameter" {
                return Err(fault);
            }
            step.failure = Some(json!({"message": fault.message, "suggestion": fault.suggestion}));
        }
        Ok(())
    }

    fn missing(&self, target: &'static str, id: &str) -> Fault {
        let other = if target == "task" { "project" } else { "task" };
        let fault = Fault::invalid(format!("no {target} has the id `{id}`"));
        let mut fault = if target == "task" && self.roots.iter().any(|root| root == id) {
            fault.suggest("it is the root of a project: use target `project`")
        } else if self.known.contains_key(&(other, id.to_owned())) {
            fault.suggest(format!("it is the id of a {other}: use target `{other}`"))
        } else {
            fault.suggest(format!("query {target}s for their ids; it may have been deleted"))
        };
        fault.detail = Some(json!({"reason": "not_found", "what": target, "value": id}));
        fault
    }
}

pub(super) fn fault(error: &Json) -> Fault {
    let (message, suggestion) = show::words(error);
    let mut fault = Fault::invalid(message).suggest(suggestion);
    fault.detail = Some(error.clone());
    fault
}
