//! Facts that a call has found before its question and its answer: which object a filter picked among several, and what
//! an undo does not restore.

use indexmap::{IndexMap, IndexSet};
use serde_json::{Map, Value as Json, json};

use super::{Pending, Step, Then};
use crate::call::collect;
use crate::specifier::{Specifier, cited, quoted};
use crate::undo::Renamed;
use crate::words::RefId;

/// The length of a filter in a question, in characters.
const LONGEST: usize = 200;

/// The largest number of names in an answer: as many as the objects that it shows.
const MOST_NAMES: usize = 20;

/// A fact for the question and for the answer.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Carried {
    /// The call takes one of several objects.
    Picked(Picked),
    /// The call takes every object that these words mean, which is more than the question names.
    All(String, usize),
    /// Words of the client that were taken as terms of the dictionary: `{"title": "subject"}`.
    Read(Json),
    /// Words of the client that were taken as the properties to set. The question has the app's own names.
    Wrote(ReadAs),
    /// The object to which a name without a container has led.
    Found(String),
    /// The undo does not restore this.
    Left(String),
    /// What to know about the objects that a filter has found.
    Note(String),
    /// Why the list of objects is not complete.
    Half(String),
    /// The names of the first objects of a change, by their references. They were read for the question.
    Names(IndexMap<String, String>),
    /// This server has moved or renamed an object. The answer does not say it; the stored undos follow the object.
    Renamed(Renamed),
}

/// Words of the client with the dictionary's terms.
pub(super) type ReadAs = Map<String, Json>;

/// One of several objects that match.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Picked {
    /// The filter, as AppleScript would write it.
    filter: String,
    is_last: bool,
    matches: usize,
    /// Whether everything was searched, so that there are no further matches.
    is_whole: bool,
    taken: RefId,
}

impl Picked {
    /// The object that a filter picked; `None` if the filter had no choice.
    pub(super) fn of(specifier: &Specifier, body: &Json, taken: Option<&RefId>) -> Option<Self> {
        let Specifier::Filter { last, only: false, .. } = specifier else { return None };
        let matches = body["totalCount"].as_u64().and_then(|count| usize::try_from(count).ok())?;
        let is_whole = body["complete"] != json!(false);
        // If the search was incomplete, another object may match.
        (matches > 1 || !is_whole).then_some(Self {
            filter: specifier.to_text(),
            is_last: *last,
            matches,
            is_whole,
            taken: *taken?,
        })
    }

    /// The first of several objects that have a name.
    pub(super) fn namesake(name: String, matches: usize, taken: RefId) -> Self {
        Self { filter: name, is_last: false, matches, is_whole: true, taken }
    }

    fn place(&self) -> &'static str {
        if self.is_last { "last" } else { "first" }
    }

    /// `this takes the first of 4 objects that match "first message of inbox whose …"`
    fn in_words(&self) -> String {
        let filter = cited(&self.filter, LONGEST);
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

impl Carried {
    /// Tells how words of a change were read, if any were.
    pub(super) fn wrote(read: ReadAs) -> Vec<Self> {
        if read.is_empty() { Vec::new() } else { vec![Self::Wrote(read)] }
    }

    /// A note for the question; `None` if the question already says so.
    fn in_words(&self) -> Option<String> {
        Some(match self {
            Self::Picked(picked) => picked.in_words(),
            Self::All(every, count) => format!("{} means {count} objects", cited(every, LONGEST)),
            Self::Found(found) => {
                format!("no place was given, so this uses {}", cited(found, LONGEST))
            }
            Self::Read(words) => {
                let words = words.as_object().into_iter().flatten();
                let words = words.map(|(word, term)| {
                    format!("{} is read as {}", quoted(word), quoted(term.as_str().unwrap_or_default()))
                });
                words.collect::<Vec<_>>().join(", ")
            }
            Self::Left(left) => format!("an undo cannot take this back: {left}"),
            Self::Note(note) if RefId::is_in(note) => return None,
            // The part after it tells the client what to write instead, which does not help the user.
            Self::Note(note) => note.split("; `").next()?.to_owned(),
            // A change of an incomplete list is refused, so it needs no note.
            Self::Names(_) | Self::Half(_) | Self::Renamed(_) | Self::Wrote(_) => return None,
        })
    }

    /// Adds it to the answer, before the answer's own entries of the same kind.
    fn tell(&self, body: &mut Json) {
        let (field, json) = match self {
            // The client has named the objects itself.
            Self::All(..) | Self::Renamed(_) => return,
            Self::Found(found) => {
                let more = body["resolvedAs"].as_str().map(|more| format!("{found}; {more}"));
                body["resolvedAs"] = json!(more.as_ref().unwrap_or(found));
                return;
            }
            Self::Picked(picked) => ("picked", picked.to_json()),
            Self::Note(note) => {
                let more = body["note"].as_str().map(|more| format!("{note}; {more}"));
                body["note"] = json!(more.as_ref().unwrap_or(note));
                return;
            }
            Self::Read(words) => {
                read_as(body, words.as_object().cloned().unwrap_or_default());
                return;
            }
            Self::Wrote(words) => {
                read_as(body, words.clone());
                return;
            }
            Self::Names(names) => {
                // An undo names its objects in words, not by references.
                let told = body.to_string();
                let is_new = |(reference, name): &(&String, &String)| {
                    told.contains(reference.as_str()) || !told.contains(&json!(name).to_string())
                };
                // Of many objects, those that the answer shows have their names first.
                let (shown, others): (Vec<_>, Vec<_>) =
                    names.iter().filter(is_new).partition(|(reference, _)| told.contains(reference.as_str()));
                // A list of changes has an entry for each changed object, so no other name belongs to the answer.
                let is_whole = !shown.is_empty() && body["changes"].is_array();
                let others = others.into_iter().filter(|_| !is_whole);
                let names: IndexMap<_, _> = shown.into_iter().chain(others).take(MOST_NAMES).collect();
                if !names.is_empty() {
                    let count = objects_of(body);
                    if count > names.len() {
                        body["named"] = json!(format!("{} of {count}", names.len()));
                    }
                    body["names"] = json!(names);
                    body["untrusted"] = json!(true);
                }
                return;
            }
            Self::Half(reason) => {
                let more = body["reason"].as_str().map(|more| format!("{reason}; {more}"));
                body["complete"] = json!(false);
                body["reason"] = json!(more.as_ref().unwrap_or(reason));
                return;
            }
            Self::Left(left) => ("left", json!(left)),
        };
        if !body[field].is_array() {
            body[field] = json!([]);
        }
        if let Some(all) = body[field].as_array_mut() {
            all.insert(0, json);
        }
        if let Self::Left(_) = self {
            body["success"] = json!(false);
        }
    }
}

/// Adds words to those of the answer.
fn read_as(body: &mut Json, words: ReadAs) {
    let known = body["readAs"].as_object().cloned().unwrap_or_default();
    body["readAs"] = Json::Object(words.into_iter().chain(known).collect());
}

/// How many objects an answer is about: those that it names, and those that it only counts.
fn objects_of(body: &Json) -> usize {
    fn walk(json: &Json, found: &mut Vec<RefId>, more: &mut u64) {
        for (name, part) in json.as_object().into_iter().flatten() {
            match name.as_str() {
                "reference" | "target" => collect(part, found),
                "more" => *more += part.as_u64().unwrap_or_default(),
                _ => part.as_array().into_iter().flatten().for_each(|part| walk(part, found, more)),
            }
        }
    }
    let (mut found, mut more) = (Vec::new(), 0);
    walk(body, &mut found, &mut more);
    found.into_iter().collect::<IndexSet<_>>().len() + usize::try_from(more).unwrap_or_default()
}

/// Passes the facts on to the question and to the answer of the call.
pub(super) fn with(step: Step, carried: Vec<Carried>) -> Step {
    if carried.is_empty() {
        return step;
    }
    let put = |pending: &mut Pending, mut carried: Vec<Carried>| {
        carried.append(&mut pending.carried);
        pending.carried = carried;
    };
    match step {
        Step::Run(mut run) => {
            put(&mut run.pending, carried);
            Step::Run(run)
        }
        Step::Load(mut load) => {
            put(&mut load.pending, carried);
            Step::Load(load)
        }
        Step::Ask(mut ask) => {
            if let Then::Asked(asking) = &mut ask.pending.then {
                carried.iter().filter_map(Carried::in_words).for_each(|note| asking.note(&note));
                ask.question = asking.question().clone();
            }
            put(&mut ask.pending, carried);
            Step::Ask(ask)
        }
        Step::Done(mut outcome) => {
            if !outcome.is_error && outcome.body.is_object() {
                carried.iter().rev().for_each(|each| each.tell(&mut outcome.body));
            }
            let renamed = carried.into_iter().filter_map(|each| match each {
                Carried::Renamed(renamed) => Some(renamed),
                _ => None,
            });
            outcome.renamed.extend(renamed);
            Step::Done(outcome)
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::Carried;

    #[test]
    fn a_name_that_the_answer_tells_is_not_told_twice() {
        let check = |mut body: Json, expected: Json| {
            let names =
                [("ref_a".to_owned(), "Pay".to_owned()), ("ref_b".to_owned(), "Buy \"it\"".to_owned())];
            Carried::Names(names.into_iter().collect()).tell(&mut body);
            assert_eq!(body["names"], expected);
        };
        let both = json!({ "ref_a": "Pay", "ref_b": "Buy \"it\"" });
        check(json!({ "data": null }), both);
        // An object that no change names is as it was.
        check(json!({ "changes": [{ "reference": "ref_a", "new": "Pay" }] }), json!({ "ref_a": "Pay" }));
        check(json!({ "changes": [{ "objects": ["Pay", "Buy \"it\""] }] }), Json::Null);
        check(json!({ "changes": [{ "objects": ["Buy \"it\""] }] }), json!({ "ref_a": "Pay" }));
    }

    #[test]
    fn of_many_objects_those_of_the_answer_are_named() {
        let names = (0..30).map(|at| (format!("ref_{at:02}"), format!("name {at}"))).collect();
        let mut body = json!({ "reference": ["ref_28"], "more": 29 });
        Carried::Names(names).tell(&mut body);
        let told = body["names"].as_object().expect("there are names");
        assert_eq!(told.len(), 20);
        assert_eq!(told["ref_28"], "name 28");
    }
}
