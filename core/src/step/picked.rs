//! Which of several objects a change takes, where a filter stands for one of them: the question and the answer say so.

use serde_json::{Value as Json, json};

use super::{Pending, Step, Then};
use crate::specifier::{Specifier, quoted_to};
use crate::words::RefId;

/// As much of a filter stands in a question, in characters.
const LONGEST: usize = 200;

/// One of several objects that match.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Picked {
    /// The filter, as AppleScript would write it.
    filter: String,
    is_last: bool,
    matches: usize,
    /// Whether everything was searched, so that there are no more matches.
    is_whole: bool,
    taken: RefId,
}

impl Picked {
    /// What a filter picks; `None` if it does not choose among several.
    pub(super) fn of(specifier: &Specifier, body: &Json, taken: Option<&RefId>) -> Option<Self> {
        let Specifier::Filter { last, .. } = specifier else { return None };
        let matches = body["totalCount"].as_u64().and_then(|count| usize::try_from(count).ok())?;
        let is_whole = body["complete"] != json!(false);
        // Where something was not searched, another object may match there.
        (matches > 1 || !is_whole).then_some(Self {
            filter: specifier.to_text(),
            is_last: *last,
            matches,
            is_whole,
            taken: *taken?,
        })
    }

    fn place(&self) -> &'static str {
        if self.is_last { "last" } else { "first" }
    }

    /// `this takes the first of 4 objects that match "first message of inbox whose …"`
    fn in_words(&self) -> String {
        let filter = quoted_to(&self.filter, LONGEST);
        let objects = match (self.is_whole, self.matches) {
            (true, count) => format!("{count} objects that match"),
            (false, 1) => "at least 1 object that matches".to_owned(),
            (false, count) => format!("at least {count} objects that match"),
        };
        format!("this takes the {} of {objects} {filter}", self.place())
    }

    fn to_json(&self) -> Json {
        let mut json = json!({
            "filter": self.filter, "matches": self.matches, "taken": self.place(), "reference": self.taken.to_string(),
        });
        if !self.is_whole {
            json["complete"] = json!(false);
        }
        json
    }
}

/// Carries what was picked to the question and to the answer of its call.
pub(super) fn with(step: Step, mut picked: Vec<Picked>) -> Step {
    if picked.is_empty() {
        return step;
    }
    let put = |pending: &mut Pending, mut picked: Vec<Picked>| {
        picked.append(&mut pending.picked);
        pending.picked = picked;
    };
    match step {
        Step::Run(mut run) => {
            put(&mut run.pending, picked);
            Step::Run(run)
        }
        Step::Load(mut load) => {
            put(&mut load.pending, picked);
            Step::Load(load)
        }
        Step::Ask(mut ask) => {
            if let Then::Asked(asking) = &mut ask.pending.then {
                picked.iter().for_each(|each| asking.note(&each.in_words()));
                ask.question = asking.question().clone();
            }
            put(&mut ask.pending, picked);
            Step::Ask(ask)
        }
        Step::Done(mut outcome) => {
            if !outcome.is_error && outcome.body.is_object() {
                let later = outcome.body["picked"].as_array().cloned().unwrap_or_default();
                let all: Vec<Json> = picked.drain(..).map(|each| each.to_json()).chain(later).collect();
                outcome.body["picked"] = Json::from(all);
            }
            Step::Done(outcome)
        }
    }
}
