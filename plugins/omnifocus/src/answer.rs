//! The answer of the read script.

use iac_plugin::{Fault, Json, json};

use crate::program::{self, Query};
use crate::{Engine, Moment, Script};

/// The answers to the queries of one program, in their order.
#[derive(Clone, Debug)]
pub(crate) struct Answers {
    pub(crate) found: Vec<Found>,
    /// Warnings for a reader, such as names that several projects have.
    pub(crate) warnings: Vec<Json>,
    /// OmniFocus's facts about itself, if the program asked.
    pub(crate) about: Json,
}

/// The answer to one query, or one of its groups.
#[derive(Clone, Debug)]
pub(crate) struct Found(Json);

/// Runs queries as one program.
///
/// # Errors
/// `invalid_parameter` if the queries name something that OmniFocus does not have, and the errors of the engine.
pub(crate) fn run(engine: &mut dyn Engine, moment: &Moment, queries: Vec<Query>) -> Result<Answers, Fault> {
    send(engine, &program::program(moment, queries))
}

/// Runs a program of the read script.
///
/// # Errors
/// As for [`run`].
pub(crate) fn send(engine: &mut dyn Engine, program: &Json) -> Result<Answers, Fault> {
    let mut answer = engine.run(Script::Read, program)?;
    if answer["refusal"].is_object() {
        return Err(refused(&answer["refusal"]));
    }
    let Json::Array(results) = answer["results"].take() else {
        return Err(Fault::new("execution_failed", "the answer of OmniFocus has no form that is known"));
    };
    let warnings = answer["warnings"].as_array().cloned().unwrap_or_default();
    let about = answer["about"].take();
    Ok(Answers { found: results.into_iter().map(Found).collect(), warnings, about })
}

impl Answers {
    /// Takes the answer to the first query that was not taken yet.
    pub(crate) fn take(&mut self) -> Found {
        if self.found.is_empty() { Found(Json::Null) } else { self.found.remove(0) }
    }
}

impl Found {
    /// Returns how many matched.
    pub(crate) fn total(&self) -> i64 {
        self.0["total"].as_i64().unwrap_or_default()
    }

    /// Returns how many matches, or how many of this group, also fulfil the condition with this label.
    pub(crate) fn count(&self, label: &str) -> i64 {
        self.0["counts"][label].as_i64().unwrap_or_default()
    }

    /// Returns a summary of a field, or `None` if no item had a value.
    pub(crate) fn stat(&self, label: &str) -> Option<f64> {
        self.0["stats"][label].as_f64()
    }

    /// Returns the groups under a label.
    pub(crate) fn groups(&self, label: &str) -> Vec<Group<'_>> {
        let list = self.0["groups"][label]["list"].as_array();
        list.map(Vec::as_slice).unwrap_or_default().iter().map(Group).collect()
    }

    /// Returns how many groups there are under a label, including those that were cut off.
    pub(crate) fn group_total(&self, label: &str) -> i64 {
        self.0["groups"][label]["total"].as_i64().unwrap_or_default()
    }

    /// Takes the rows, each a list of values in the order of the fields that were asked for.
    pub(crate) fn take_rows(&mut self) -> Vec<Vec<Json>> {
        let Json::Array(rows) = self.0["rows"].take() else { return Vec::new() };
        rows.into_iter().map(|row| if let Json::Array(values) = row { values } else { Vec::new() }).collect()
    }

    /// Returns the sections that are not empty, each with its label, the number of its items, and the number of its
    /// rows.
    pub(crate) fn sections(&self) -> Vec<(&str, i64, usize)> {
        let all = self.0["sections"].as_array().map(Vec::as_slice).unwrap_or_default();
        all.iter().filter_map(section).filter(|(_, count, _)| *count > 0).collect()
    }

    /// Returns the reasons why each row was suggested.
    pub(crate) fn reasons(&self) -> Option<&[Json]> {
        self.0["reasons"].as_array().map(Vec::as_slice)
    }

    /// Returns how many items had a score.
    pub(crate) fn scored(&self) -> &Json {
        &self.0["scored"]
    }
}

fn section(section: &Json) -> Option<(&str, i64, usize)> {
    let rows = usize::try_from(section["rows"].as_u64()?).ok()?;
    Some((section["label"].as_str()?, section["count"].as_i64()?, rows))
}

/// One group of matches.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Group<'a>(&'a Json);

impl<'a> Group<'a> {
    /// Returns the value that the items of the group share: an id, a day or another value; null for items without one.
    pub(crate) fn key(self) -> &'a Json {
        &self.0["key"]
    }

    /// Returns the name of the project or tag.
    pub(crate) fn name(self) -> &'a Json {
        &self.0["name"]
    }

    /// Returns the number of items in the group.
    pub(crate) fn size(self) -> i64 {
        self.0["count"].as_i64().unwrap_or_default()
    }

    /// Returns how many of them also fulfil a further condition.
    pub(crate) fn count(self, label: &str) -> i64 {
        self.0["counts"][label].as_i64().unwrap_or_default()
    }

    /// Returns a summary of a field.
    pub(crate) fn stat(self, label: &str) -> Option<f64> {
        self.0["stats"][label].as_f64()
    }
}

/// Makes the fault for a program that names something that OmniFocus does not have.
fn refused(refusal: &Json) -> Fault {
    let (what, value) = (refusal["what"].as_str().unwrap_or("item"), &refusal["value"]);
    let near: Vec<String> = refusal["near"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|name| format!("`{}`", name.as_str().unwrap_or("?")))
        .collect();
    let mut fault = match refusal["reason"].as_str() {
        Some("not_found")
            if what == "project" && value.as_str().is_some_and(|name| name.eq_ignore_ascii_case("inbox")) =>
        {
            Fault::invalid(format!("no project `{}`", value.as_str().unwrap_or("?")))
                .suggest("the inbox is not a project: use `project`: null, or `inInbox`: true")
        }
        Some("other_kind") => {
            let other = refusal["near"][0].as_str().unwrap_or("item");
            Fault::invalid(format!("no {what} has the id `{}`", value.as_str().unwrap_or("?")))
                .suggest(format!("it is the id of a {other}: query {other}s, or find tasks by `projectId`"))
        }
        Some("not_found") => Fault::invalid(format!("no {what} `{}`", value.as_str().unwrap_or("?")))
            .suggest(advice(what, &near)),
        Some("ambiguous") => {
            Fault::invalid(format!("several {what}s are named `{}`", value.as_str().unwrap_or("?")))
                .suggest(format!("use one of the ids: {}", near.join(", ")))
        }
        Some("unreadable") => Fault::invalid(format!(
            "OmniFocus does not tell the rules of the {what} `{}`",
            value.as_str().unwrap_or("?")
        ))
        .suggest("filter by what it shows instead; only OmniFocus itself knows its rules"),
        Some("unknown_rules") => Fault::invalid(format!(
            "none of the rules of the {what} `{}` is known, so what it shows cannot be told: {}",
            value.as_str().unwrap_or("?"),
            near.join(", ")
        ))
        .suggest("filter by what it shows instead, such as `dueDate`, `tags` or `available`"),
        Some("bad_pattern") => {
            Fault::invalid(format!("{value} is not a valid regular expression: {}", near.join(", ")))
                .suggest("escape . * + ? ( ) [ ] { } | ^ $ and \\ with \\, or use `contains`")
        }
        Some("slow_pattern") => {
            Fault::invalid(format!("{value} takes longer than 5 seconds over the names and notes"))
                .suggest("use `contains`, match `name` alone, or add other filters")
        }
        Some("too_old") => Fault::invalid(format!("this OmniFocus has no `{what}`"))
            .suggest(format!("it takes version {} or newer; leave it out", value.as_str().unwrap_or("?"))),
        _ => Fault::new("internal", format!("the script does not know {value} of {what}")),
    };
    fault.detail =
        Some(json!({"reason": refusal["reason"], "what": what, "value": value, "near": refusal["near"]}));
    fault
}

fn advice(what: &str, near: &[String]) -> String {
    let all = match what {
        "project" | "tag" | "folder" => format!("query {what}s for their exact names and ids"),
        _ => format!("query {what}s for their ids"),
    };
    if near.is_empty() { all } else { format!("did you mean {}? Else {all}", near.join(" or ")) }
}
