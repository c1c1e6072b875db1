//! The conditions that hold at one place of a filter, to find contradictions among them.

use std::collections::BTreeMap;

use iac_plugin::{Fault, Json, json};

use crate::program::{Bound, Match, Predicate};

/// The conditions that hold, each with its place.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    equal: BTreeMap<&'static str, (Json, String)>,
    ranges: BTreeMap<&'static str, (Option<f64>, Option<f64>, String)>,
    /// Fields that must have no value.
    absent: BTreeMap<&'static str, String>,
    tags: Vec<(Match, Vec<String>, String)>,
}

/// What a condition requires of a field, to compare it with another condition.
#[derive(Clone, Copy, Debug)]
enum Shape {
    Any,
    True,
    Word(&'static str),
}

impl Shape {
    fn fits(self, value: &Json) -> bool {
        match self {
            Self::Any => true,
            Self::True => value == true,
            Self::Word(word) => value == word,
        }
    }
}

/// Pairs of values that exclude each other, besides two values of one field.
const NEVER: &[(&str, Shape, &str, Shape)] = &[
    ("inInbox", Shape::True, "projectId", Shape::Any),
    ("inInbox", Shape::True, "project", Shape::Any),
    ("inInbox", Shape::True, "folder", Shape::Any),
    ("available", Shape::True, "blocked", Shape::True),
    ("available", Shape::True, "status", Shape::Word("completed")),
    ("available", Shape::True, "status", Shape::Word("dropped")),
    ("blocked", Shape::True, "status", Shape::Word("completed")),
    ("blocked", Shape::True, "status", Shape::Word("dropped")),
];

impl Scope {
    /// Adds a condition that was written at `path`.
    ///
    /// # Errors
    /// The condition contradicts an existing one; the error names both places.
    pub(super) fn add(&mut self, path: &str, predicate: &Predicate) -> Result<(), Fault> {
        match predicate {
            Predicate::And(parts) => parts.iter().try_for_each(|part| self.add(path, part)),
            Predicate::Is(field, value) => self.equal(field, value.clone(), path),
            Predicate::Project(name) => self.equal("project", json!(name), path),
            Predicate::ProjectId(id) => self.equal("projectId", json!(id), path),
            Predicate::Parent(id) => self.equal("parentTaskId", json!(id), path),
            // Two lists of ids may have some in common.
            Predicate::Ids(ids) if ids.len() == 1 => self.equal("id", json!(ids), path),
            Predicate::Top => self.folder(Json::Null, path),
            Predicate::Folder(name) => self.folder(json!(name), path),
            Predicate::Within(field, least, most) => self.range(field, *least, *most, path),
            Predicate::Exists(field, false) => self.absent(field, path),
            // Tags below others are known only to OmniFocus.
            Predicate::Tags(how, names, false) => self.tags(*how, names, path),
            _ => Ok(()),
        }
    }

    fn equal(&mut self, field: &'static str, value: Json, path: &str) -> Result<(), Fault> {
        if let Some((other, origin)) = self.equal.get(field) {
            return if *other == value { Ok(()) } else { Err(conflict(origin, path)) };
        }
        self.equal.insert(field, (value, path.to_owned()));
        self.never()
    }

    /// One folder may lie below another. So only "a folder" and "no folder" exclude each other.
    fn folder(&mut self, value: Json, path: &str) -> Result<(), Fault> {
        if let Some((other, origin)) = self.equal.get("folder") {
            return if other.is_null() == value.is_null() { Ok(()) } else { Err(conflict(origin, path)) };
        }
        self.equal.insert("folder", (value, path.to_owned()));
        self.never()
    }

    fn never(&self) -> Result<(), Fault> {
        let at = |field: &str, shape: Shape| {
            let (found, origin) = self.equal.get(field)?;
            shape.fits(found).then_some(origin)
        };
        let pair = |(left, first, right, second): &(&str, Shape, &str, Shape)| {
            Some((at(left, *first)?, at(right, *second)?))
        };
        match NEVER.iter().find_map(pair) {
            Some((left, right)) => Err(conflict(left, right)),
            None => Ok(()),
        }
    }

    fn absent(&mut self, field: &'static str, path: &str) -> Result<(), Fault> {
        if let Some((_, _, held)) = self.ranges.get(field) {
            return Err(conflict(held, path));
        }
        self.absent.entry(field).or_insert_with(|| path.to_owned());
        Ok(())
    }

    fn range(&mut self, field: &'static str, least: Bound, most: Bound, path: &str) -> Result<(), Fault> {
        if let Some(held) = self.absent.get(field) {
            return Err(conflict(held, path));
        }
        let (mut from, mut to) = (least.value(), most.value());
        let mut origin = path.to_owned();
        if let Some((held_from, held_to, held)) = self.ranges.get(field) {
            from = larger(from, *held_from);
            to = larger(to.map(|to| -to), held_to.map(|to| -to)).map(|to| -to);
            if matches!((from, to), (Some(from), Some(to)) if from > to) {
                return Err(conflict(held, path));
            }
            origin.clone_from(held);
        }
        self.ranges.insert(field, (from, to, origin));
        Ok(())
    }

    fn tags(&mut self, how: Match, names: &[String], path: &str) -> Result<(), Fault> {
        for (other, held, origin) in &self.tags {
            let at_odds = match (how, other) {
                (Match::None, Match::None) => false,
                (Match::None, Match::All) => held.iter().any(|name| names.contains(name)),
                (Match::All, Match::None) => names.iter().any(|name| held.contains(name)),
                (Match::None, Match::Any) => held.iter().all(|name| names.contains(name)),
                (Match::Any, Match::None) => names.iter().all(|name| held.contains(name)),
                _ => false,
            };
            if at_odds {
                return Err(conflict(
                    &format!("{origin}.{}", other.word()),
                    &format!("{path}.{}", how.word()),
                ));
            }
        }
        self.tags.push((how, names.to_vec(), path.to_owned()));
        Ok(())
    }
}

fn larger(left: Option<f64>, right: Option<f64>) -> Option<f64> {
    match (left, right) {
        (Some(left), Some(right)) => Some(left.max(right)),
        (left, right) => left.or(right),
    }
}

fn conflict(first: &str, second: &str) -> Fault {
    Fault::invalid(format!("`{first}` and `{second}` contradict each other, so nothing can match"))
        .suggest("leave one of them out, or put them into different items of OR")
}
