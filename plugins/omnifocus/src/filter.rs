//! Filters: from what a caller writes to one predicate.
//!
//! All keys of an object must hold, `AND` adds more of them, `OR` needs one of its items, and `NOT` negates its
//! object. A filter that cannot match is an error and not an empty answer. No filter is silently widened: an `OR`
//! without items, an empty item and an empty text are errors too.

mod condition;
mod pattern;
mod scope;

use iac_plugin::{Fault, Json, Object};

use crate::program::{Bound, Kind, Predicate};
use crate::{Moment, fields};
use scope::Scope;

/// A parsed filter.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Filter {
    /// The condition, including the default exclusions.
    pub(crate) predicate: Predicate,
    /// The default exclusions.
    pub(crate) defaults: Vec<Predicate>,
    /// The requested items, if they are requested by their ids alone.
    pub(crate) ids: Option<Vec<String>>,
    /// Whether the request is so narrow that a summary says nothing.
    pub(crate) narrow: bool,
    /// Warnings for a reader.
    pub(crate) warnings: Vec<String>,
}

/// Reads the filters of a query. `mode` gives conditions under their keys; a key of the caller replaces the same key
/// of the mode.
pub(crate) fn read(
    filters: Option<&Object<'_>>,
    kind: Kind,
    fast: bool,
    mode: &[(&str, Predicate)],
    moment: &Moment,
) -> Result<Filter, Fault> {
    let mut reader = Reader { kind, fast, moment, warnings: Vec::new(), within: None };
    let mut scope = Scope::default();
    let mut tree = match filters {
        Some(filters) => reader.conjunction(filters, &mut scope)?,
        None => Conjunction::default(),
    };
    let keys = tree.keys.clone();
    let ids = tree.only_ids();
    for (_, predicate) in mode.iter().filter(|(key, _)| !keys.iter().any(|given| own(given) == *key)) {
        scope.add("query.mode", predicate).map_err(|fault| fault.suggest("leave one of them out"))?;
        tree.parts.push(predicate.clone());
    }
    let narrow = tree.narrow();
    let defaults = match remaining(kind) {
        Some(remaining) if ids.is_none() => tree.exclude(&remaining),
        _ => Vec::new(),
    };
    Ok(Filter { predicate: tree.predicate(), defaults, ids, narrow, warnings: reader.warnings })
}

/// The items of a kind that are neither completed nor dropped; `None` for a kind that has no such states.
fn remaining(kind: Kind) -> Option<Predicate> {
    match kind {
        Kind::Tasks => Some(Predicate::Is("status", Json::String("active".to_owned()))),
        Kind::Projects => Some(Predicate::Among("status", vec!["active", "on_hold"])),
        _ => None,
    }
}

/// The value that a key is about. The own and the effective date or flag of an item are about the same value, so
/// either key replaces the other.
fn own(key: &str) -> &str {
    match key {
        "effectiveDueDate" => "dueDate",
        "effectiveDeferDate" => "deferDate",
        "effectivePlannedDate" => "plannedDate",
        "effectiveFlagged" => "flagged",
        key => key,
    }
}

/// Conditions that must all hold.
#[derive(Clone, Debug, Default)]
struct Conjunction {
    keys: Vec<String>,
    parts: Vec<Predicate>,
    ids: Option<Vec<String>>,
    choices: Vec<Vec<Conjunction>>,
    /// Whether it mentions the states (active, completed, dropped) itself.
    states: bool,
}

struct Reader<'a> {
    kind: Kind,
    fast: bool,
    moment: &'a Moment,
    warnings: Vec<String>,
    /// Contradictions in one item of an `OR` or in a `NOT`, where other items may match; `None` at the top, where a
    /// contradiction is an error.
    within: Option<Vec<Fault>>,
}

impl Reader<'_> {
    /// Reads an object: all its keys must hold, in addition to the conditions around it.
    fn conjunction(&mut self, object: &Object<'_>, scope: &mut Scope) -> Result<Conjunction, Fault> {
        let mut found = Conjunction::default();
        let mut later = Vec::new();
        self.gather(object, scope, &mut found, &mut later)?;
        for object in later {
            self.choice(&object, scope, &mut found)?;
            self.negation(&object, &mut found)?;
        }
        Ok(found)
    }

    /// Adds the plain keys of an object and of its `AND`. `OR` and `NOT` come later, because they need to know all
    /// conditions that certainly hold.
    fn gather<'o>(
        &mut self,
        object: &Object<'o>,
        scope: &mut Scope,
        found: &mut Conjunction,
        later: &mut Vec<Object<'o>>,
    ) -> Result<(), Fault> {
        object.only(&fields::conditions(self.kind), condition::redirects(self.kind))?;
        self.overridden(object)?;
        for key in object.keys().filter(|key| !matches!(*key, "AND" | "OR" | "NOT")) {
            self.plain(key, object, scope, found)?;
        }
        if object.has("AND") {
            for item in items(object, "AND")? {
                self.gather(&item, scope, found, later)?;
            }
        }
        later.push(object.clone());
        Ok(())
    }

    fn plain(
        &mut self,
        key: &str,
        object: &Object<'_>,
        scope: &mut Scope,
        found: &mut Conjunction,
    ) -> Result<(), Fault> {
        let loses =
            (key == "status" && object.has("completed")) || (key == "project" && object.has("projectId"));
        let Some(predicate) = condition::read(key, object, self.kind, self.fast, self.moment)? else {
            return Ok(());
        };
        if loses {
            return Ok(());
        }
        if let Err(conflict) = scope.add(&object.at(key), &predicate) {
            match &mut self.within {
                Some(conflicts) => conflicts.push(conflict),
                None => return Err(conflict),
            }
        }
        self.future(key, object, &predicate);
        found.states |= matches!(key, "status" | "completed" | "completionDate" | "dropDate" | "perspective");
        if let Predicate::Ids(ids) = &predicate {
            found.ids = Some(ids.clone());
        }
        found.keys.push(key.to_owned());
        found.parts.push(predicate);
        Ok(())
    }

    /// What has happened is not in the future. A caller who writes `after` with today means today too.
    fn future(&mut self, key: &str, object: &Object<'_>, predicate: &Predicate) {
        let happened = ["completionDate", "dropDate", "added", "modified", "lastReviewDate"].contains(&key);
        if let Predicate::Within(_, Bound::At(from), _) = predicate
            && happened
            && *from > self.moment.milliseconds()
        {
            let path = object.at(key);
            self.warnings.push(format!("`{path}` begins in the future; `onOrAfter` includes the day itself"));
        }
    }

    /// Two keys mean the same thing and one of them wins; if both have the same value, no warning is needed.
    fn overridden(&mut self, object: &Object<'_>) -> Result<(), Fault> {
        if let (Some(completed), Some(status)) =
            (object.flag("completed")?, object.get("status").and_then(Json::as_str))
            && completed != (status == "completed")
        {
            let path = object.at("status");
            self.warnings.push(format!("`{path}` was not used, since `completed` is given and wins"));
        }
        if object.has("project") && object.has("projectId") {
            let path = object.at("project");
            self.warnings.push(format!("`{path}` was not used, since `projectId` is given and wins"));
        }
        Ok(())
    }

    fn choice(&mut self, object: &Object<'_>, scope: &Scope, found: &mut Conjunction) -> Result<(), Fault> {
        if !object.has("OR") {
            return Ok(());
        }
        let (mut branches, mut conflicts) = (Vec::new(), Vec::new());
        for item in items(object, "OR")? {
            let (branch, found) = self.part(&item, &mut scope.clone())?;
            branches.push(branch);
            conflicts.extend(found.into_iter().next().map(|conflict| (item.path().to_owned(), conflict)));
        }
        self.never(branches.len(), conflicts)?;
        if always(&branches) {
            self.warnings.push(format!("`{}` always holds", object.at("OR")));
        }
        found.choices.push(branches);
        Ok(())
    }

    /// Reads a part that may fail to match, and collects the contradictions in it.
    fn part(&mut self, object: &Object<'_>, scope: &mut Scope) -> Result<(Conjunction, Vec<Fault>), Fault> {
        let around = self.within.replace(Vec::new());
        let read = self.conjunction(object, scope);
        let found = std::mem::replace(&mut self.within, around).unwrap_or_default();
        Ok((read?, found))
    }

    /// If no item of an `OR` can match, the `OR` is an error. Otherwise a warning names the items that cannot match.
    fn never(&mut self, branches: usize, conflicts: Vec<(String, Fault)>) -> Result<(), Fault> {
        if conflicts.len() < branches {
            let told =
                |(path, conflict): (String, Fault)| format!("`{path}` matches nothing: {}", conflict.message);
            self.warnings.extend(conflicts.into_iter().map(told));
            return Ok(());
        }
        let Some((_, first)) = conflicts.into_iter().next() else { return Ok(()) };
        match &mut self.within {
            Some(around) => around.push(first),
            None => return Err(first),
        }
        Ok(())
    }

    fn negation(&mut self, object: &Object<'_>, found: &mut Conjunction) -> Result<(), Fault> {
        let Some(value) = object.get("NOT") else { return Ok(()) };
        let inner = Object::of(object.at("NOT"), value)?;
        if inner.keys().next().is_none() {
            return Err(Fault::expected(inner.path(), value, "an object with at least one condition"));
        }
        let path = inner.path().to_owned();
        let (inner, conflicts) = self.part(&inner, &mut Scope::default())?;
        if let Some(conflict) = conflicts.first() {
            let why = conflict.message.replace(", so nothing can match", "");
            self.warnings.push(format!("`{path}` leaves nothing out: {why}"));
        }
        found.states |= inner.speaks();
        found.parts.push(Predicate::Not(Box::new(inner.predicate())));
        Ok(())
    }
}

impl Conjunction {
    fn predicate(self) -> Predicate {
        let choices = self.choices.into_iter().map(|branches| {
            let branches = branches.into_iter().map(Self::predicate).collect();
            Predicate::Or(branches)
        });
        let mut all: Vec<Predicate> = self.parts.into_iter().chain(choices).collect();
        if all.len() == 1 { all.remove(0) } else { Predicate::And(all) }
    }

    /// Leaves out completed and dropped items, unless the filter mentions them itself. If only some items of an `OR`
    /// do, the others still leave them out. Returns the exclusions.
    fn exclude(&mut self, remaining: &Predicate) -> Vec<Predicate> {
        if self.states {
            return Vec::new();
        }
        let speaks = |branches: &&mut Vec<Self>| branches.iter().any(Self::speaks);
        if let Some(branches) = self.choices.iter_mut().find(speaks) {
            let mut excluded: Vec<Predicate> =
                branches.iter_mut().flat_map(|branch| branch.exclude(remaining)).collect();
            excluded.truncate(1);
            return excluded;
        }
        self.parts.push(remaining.clone());
        vec![remaining.clone()]
    }

    fn speaks(&self) -> bool {
        self.states || self.choices.iter().flatten().any(Self::speaks)
    }

    /// Returns the ids, if they are the only condition at the top level. Beside other conditions they are one of them.
    fn only_ids(&self) -> Option<Vec<String>> {
        self.ids.clone().filter(|_| self.parts.len() == 1 && self.choices.is_empty())
    }

    /// Whether all conditions search for a name, a text or an id.
    fn narrow(&self) -> bool {
        let narrow = |key: &String| matches!(key.as_str(), "name" | "text" | "id");
        self.keys.iter().any(narrow)
            || self.choices.iter().any(|branches| !branches.is_empty() && branches.iter().all(Self::narrow))
    }
}

/// Reads the items of `AND` or `OR`.
fn items<'a>(object: &Object<'a>, key: &str) -> Result<Vec<Object<'a>>, Fault> {
    let form = "a list of filters that is not empty";
    let list = object.list(key)?.filter(|list| !list.is_empty()).ok_or_else(|| object.wrong(key, form))?;
    let item = |(index, value): (usize, &'a Json)| {
        let item = Object::of(format!("{}[{index}]", object.at(key)), value)?;
        if item.keys().next().is_none() {
            return Err(Fault::expected(item.path(), value, "an object with at least one condition"));
        }
        Ok(item)
    };
    list.iter().enumerate().map(item).collect()
}

/// Whether two branches are a boolean and its opposite.
fn always(branches: &[Conjunction]) -> bool {
    let single = |branch: &Conjunction| match branch.parts.as_slice() {
        [Predicate::Is(field, Json::Bool(value))] if branch.choices.is_empty() => Some((*field, *value)),
        _ => None,
    };
    let singles: Vec<_> = branches.iter().filter_map(single).collect();
    singles.iter().any(|(field, value)| singles.contains(&(*field, !value)))
}

#[cfg(test)]
mod tests;
