//! The scope of an analysis.

use iac_plugin::{Fault, Json, Object, json};
use jiff::civil::Date;

use crate::Moment;
use crate::dates::{self, End};
use crate::program::{Match, Predicate};

/// The states that count by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Usual {
    /// Only items that are neither completed nor dropped.
    Active,
    /// All items; without completed items there would be nothing to count.
    Everything,
}

/// The scope of an analysis.
#[derive(Clone, Debug)]
pub(super) struct Scope {
    /// The tags and projects that tasks must have.
    pub(super) place: Predicate,
    /// The tags of tasks; a task must have at least one of them.
    pub(super) tags: Vec<String>,
    /// The projects, by name or id.
    pub(super) projects: Vec<String>,
    /// The first and the last day.
    pub(super) range: Option<Range>,
    pub(super) completed: bool,
    pub(super) dropped: bool,
}

/// A range of whole days, with the last one included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Range {
    pub(super) first: Date,
    pub(super) last: Date,
    /// The first millisecond.
    pub(super) from: i64,
    /// The last millisecond.
    pub(super) to: i64,
}

impl Scope {
    pub(super) fn read(scope: Option<&Object<'_>>, usual: Usual, moment: &Moment) -> Result<Self, Fault> {
        let all = usual == Usual::Everything;
        let empty = Self {
            place: Predicate::everything(),
            tags: vec![],
            projects: vec![],
            range: None,
            completed: all,
            dropped: all,
        };
        let Some(scope) = scope else { return Ok(empty) };
        scope.only(&["dateRange", "tags", "projects", "includeCompleted", "includeDropped"], &[])?;
        let tags = scope.texts("tags")?.unwrap_or_default();
        let projects = scope.texts("projects")?.unwrap_or_default();
        let mut place = Predicate::everything();
        if !tags.is_empty() {
            place = place.and(Predicate::Tags(Match::Any, tags.clone(), false));
        }
        if !projects.is_empty() {
            place = place.and(Predicate::Projects(projects.clone()));
        }
        let completed = scope.flag("includeCompleted")?.unwrap_or(all);
        if all && !completed {
            return Err(Fault::invalid(format!(
                "`{}` is false, and this analysis counts completed items",
                scope.at("includeCompleted")
            ))
            .suggest("leave it out"));
        }
        let dropped = scope.flag("includeDropped")?.unwrap_or(all);
        Ok(Self { place, tags, projects, range: range(scope, moment)?, completed, dropped })
    }

    /// Returns the condition on tasks; the date range applies to the given date of a task.
    pub(super) fn tasks(&self, dated: Option<&'static str>) -> Predicate {
        let mut predicate = self.place.clone().and(self.states());
        if let (Some(field), Some(range)) = (dated, self.range) {
            predicate = predicate.and(Predicate::between(field, range.from, range.to));
        }
        predicate
    }

    /// Returns the condition on projects that `tasks` is for tasks.
    pub(super) fn whole_projects(&self, dated: Option<&'static str>) -> Predicate {
        let mut predicate = self.place.clone().and(match (self.completed, self.dropped) {
            (true, true) => Predicate::everything(),
            (completed, dropped) => {
                let mut states = vec!["active", "on_hold"];
                states.extend(completed.then_some("completed"));
                states.extend(dropped.then_some("dropped"));
                Predicate::Among("status", states)
            }
        });
        if let (Some(field), Some(range)) = (dated, self.range) {
            predicate = predicate.and(Predicate::between(field, range.from, range.to));
        }
        predicate
    }

    /// Returns the condition on projects.
    pub(super) fn of_projects(&self) -> Predicate {
        match self.projects.as_slice() {
            [] => Predicate::everything(),
            names => Predicate::Projects(names.to_vec()),
        }
    }

    fn states(&self) -> Predicate {
        let mut states = vec!["active"];
        states.extend(self.completed.then_some("completed"));
        states.extend(self.dropped.then_some("dropped"));
        if states.len() == 3 { Predicate::everything() } else { Predicate::Among("status", states) }
    }

    /// Returns the scope in the form of an answer.
    pub(super) fn words(&self, moment: &Moment) -> Json {
        let mut words = json!({"includeCompleted": self.completed, "includeDropped": self.dropped});
        if !self.tags.is_empty() {
            words["tags"] = json!(self.tags);
        }
        if !self.projects.is_empty() {
            words["projects"] = json!(self.projects);
        }
        if let Some(range) = self.range {
            words["dateRange"] = json!({"start": moment.text(range.from), "end": moment.text(range.to)});
        }
        words
    }
}

impl Range {
    /// Returns the days from one to another.
    pub(super) fn days(first: Date, last: Date, moment: &Moment) -> Self {
        Self { first, last, from: moment.start_of(first), to: moment.end_of(last) }
    }

    /// Returns the number of days.
    pub(super) fn length(self) -> i64 {
        i64::from(self.first.until(self.last).map_or(0, |span| span.get_days())) + 1
    }
}

fn range(scope: &Object<'_>, moment: &Moment) -> Result<Option<Range>, Fault> {
    let Some(range) = scope.object("dateRange")? else { return Ok(None) };
    range.only(&["start", "end"], &[("from", "use `start`"), ("to", "use `end`")])?;
    let day = |key: &str, end, usual: &str| {
        let usual = json!(usual);
        let value = range.get(key).unwrap_or(&usual);
        dates::read(&range.at(key), value, end, moment).map(|instant| moment.day_of(instant))
    };
    if !range.has("start") {
        return Err(Fault::invalid(format!("`{}` is missing, expected {}", range.at("start"), dates::FORM)));
    }
    let (first, last) = (day("start", End::Left, "today")?, day("end", End::Right, "today")?);
    if first > last {
        return Err(Fault::invalid(format!("`{}` ends before it begins", range.path()))
            .suggest("write the earlier date as `start`"));
    }
    Ok(Some(Range::days(first, last, moment)))
}
