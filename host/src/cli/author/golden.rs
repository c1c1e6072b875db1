//! Golden calls. Each has a file with its arguments and its answer, and a journal beside it.
//!
//! References and the ids of changes are random, so the files contain them as `ref_1`, `ref_2`, `undo_1` and so on, in
//! order of appearance: first in the answer, then in the journal.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use std::collections::BTreeMap;

use super::build::{text, write};
use crate::cli::Failure;
use crate::plugins::engine::journal::Recording;

/// The folder of a plugin's golden calls, beside its `plugin.toml`.
pub(super) const CALLS: &str = "calls";

/// A random name is one of these prefixes and that many characters.
const PREFIXES: [&str; 2] = ["ref_", "undo_"];
const CHARACTERS: usize = 16;

/// One golden call.
pub(super) struct Golden {
    pub(super) name: String,
    path: PathBuf,
    pub(super) call: Call,
}

/// The contents of its file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Call {
    /// The tool. It may be omitted if the plugin has only one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) tool: Option<String>,
    #[serde(default)]
    pub(super) arguments: Map<String, Json>,
    /// The operator's settings; the plugin's defaults stand for the others.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub(super) settings: Map<String, Json>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    answer: Option<Json>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<Json>,
}

impl Golden {
    /// Reads the golden calls in a folder, sorted by name.
    ///
    /// # Errors
    /// There is no call, or one has the wrong form.
    pub(super) fn all(folder: &Path) -> Result<Vec<Self>, Failure> {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
        let mut paths: Vec<PathBuf> =
            entries.filter(|path| path.extension().is_some_and(|it| it == "json")).collect();
        paths.sort();
        if paths.is_empty() {
            let what = format!("{} has no calls", folder.display());
            let how = "write one: {\"arguments\": {…}}; `plugin test --update` adds the answer";
            return Err(Failure::Misuse(format!("{what}\n{how}")));
        }
        paths.into_iter().map(Self::read).collect()
    }

    fn read(path: PathBuf) -> Result<Self, Failure> {
        let wrong = |what: &dyn std::fmt::Display| {
            Failure::Misuse(format!("{} is not a golden call: {what}", path.display()))
        };
        let call: Call = serde_json::from_str(&text(&path)?).map_err(|error| wrong(&error))?;
        if call.answer.is_some() && call.error.is_some() {
            return Err(wrong(&"it has both `answer` and `error`, expected one"));
        }
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Self { name, path, call })
    }

    /// Writes the answer into the file.
    pub(super) fn update(&mut self, answer: &Result<Json, Json>) -> Result<(), Failure> {
        self.call.answer = answer.as_ref().ok().cloned();
        self.call.error = answer.as_ref().err().cloned();
        write(&self.path, pretty(&self.call).as_bytes())
    }

    /// Returns the first difference between the expected and the actual answer.
    pub(super) fn difference(&self, answer: &Result<Json, Json>) -> Option<String> {
        match (&self.call, answer) {
            (Call { answer: Some(held), .. }, Ok(got)) => difference("answer", held, got),
            (Call { error: Some(held), .. }, Err(got)) => difference("error", held, got),
            (Call { answer: None, error: None, .. }, got) => {
                let got = match got {
                    Ok(got) => format!("the answer {got}"),
                    Err(got) => format!("the error {got}"),
                };
                Some(format!("the file has no answer; --update writes {got}"))
            }
            (_, Err(got)) => Some(format!("expected an answer, got the error {got}")),
            (_, Ok(got)) => Some(format!("expected an error, got the answer {got}")),
        }
    }

    /// Writes the journal of the call beside it.
    pub(super) fn record(&self, recording: &Recording) -> Result<(), Failure> {
        write(&self.journal(), pretty(recording).as_bytes())
    }

    /// Reads the journal of the call; `None` if it was never recorded.
    pub(super) fn recorded(&self) -> Result<Option<Recording>, Failure> {
        let path = self.journal();
        if !path.is_file() {
            return Ok(None);
        }
        let wrong = |error| Failure::Misuse(format!("{} is not a journal: {error}", path.display()));
        serde_json::from_str(&text(&path)?).map(Some).map_err(wrong)
    }

    fn journal(&self) -> PathBuf {
        self.path.with_extension("journal")
    }
}

fn pretty(value: &impl Serialize) -> String {
    serde_json::to_string_pretty(value).expect("plain data is written as JSON") + "\n"
}

/// Stable names for random references and ids of changes, in order of appearance.
#[derive(Default)]
pub(super) struct Names([BTreeMap<String, usize>; PREFIXES.len()]);

impl Names {
    /// Replaces the random names in a value by their names.
    pub(super) fn name(&mut self, value: &mut Json) {
        match value {
            Json::String(text) => *text = self.text(text),
            Json::Array(items) => items.iter_mut().for_each(|item| self.name(item)),
            Json::Object(fields) => {
                let named = std::mem::take(fields).into_iter().map(|(key, mut value)| {
                    let key = self.text(&key);
                    self.name(&mut value);
                    (key, value)
                });
                *fields = named.collect();
            }
            _ => {}
        }
    }

    /// Replaces the random names in all questions and answers.
    pub(super) fn recording(&mut self, recording: &Recording) -> Recording {
        let mut json = serde_json::to_value(recording).expect("a recording is plain data");
        self.name(&mut json);
        serde_json::from_value(json).expect("other names leave the form as it was")
    }

    fn text(&mut self, text: &str) -> String {
        let (mut named, mut rest) = (String::new(), text);
        while let Some((at, prefix)) = next_prefix(rest) {
            let (before, found) = rest.split_at(at);
            named.push_str(before);
            let start = PREFIXES[prefix].len();
            let id = found[start..].bytes().take_while(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
            let (found, after) = found.split_at(start + id.count());
            match found.len() == start + CHARACTERS {
                true => named.push_str(&self.of(prefix, found)),
                false => named.push_str(found),
            }
            rest = after;
        }
        named + rest
    }

    fn of(&mut self, prefix: usize, random: &str) -> String {
        let known = &mut self.0[prefix];
        let next = known.len() + 1;
        format!("{}{}", PREFIXES[prefix], known.entry(random.to_owned()).or_insert(next))
    }
}

/// Finds the first prefix in a text: its place, and which one it is.
fn next_prefix(text: &str) -> Option<(usize, usize)> {
    let places = PREFIXES.iter().enumerate();
    places.filter_map(|(which, prefix)| Some((text.find(prefix)?, which))).min()
}

/// Returns where and how two values first differ. The order of fields does not matter.
fn difference(place: &str, held: &Json, got: &Json) -> Option<String> {
    match (held, got) {
        (Json::Object(held), Json::Object(got)) => {
            let missing = held.iter().find_map(|(key, value)| match got.get(key) {
                Some(other) => difference(&format!("{place}.{key}"), value, other),
                None => Some(format!("{place}.{key}: expected {value}, got nothing")),
            });
            let more = || got.iter().find(|(key, _)| !held.contains_key(*key));
            missing.or_else(|| {
                more().map(|(key, value)| format!("{place}.{key}: expected nothing, got {value}"))
            })
        }
        (Json::Array(held), Json::Array(got)) => {
            let mut pairs = held.iter().zip(got).enumerate();
            let inner = pairs.find_map(|(at, (held, got))| difference(&format!("{place}[{at}]"), held, got));
            let lengths = || format!("{place}: expected {} items, got {}", held.len(), got.len());
            inner.or_else(|| (held.len() != got.len()).then(lengths))
        }
        _ => (held != got).then(|| format!("{place}: expected {held}, got {got}")),
    }
}

/// Cuts a text after `most` characters.
pub(super) fn short(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", &text[..at]).into(),
        None => text.into(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn random_names_are_named_as_they_are_met() {
        let mut names = Names::default();
        let check = |names: &mut Names, mut given: Json, expected: Json| {
            names.name(&mut given);
            assert_eq!(given, expected);
        };
        let (one, two) = ("ref_0123456789abcdef", "ref_zzzzzzzzzzzzzzzz");
        check(
            &mut names,
            json!({ "b": two, "a": [one, format!("{two}, {one}")] }),
            json!({"b": "ref_1", "a": ["ref_2", "ref_1, ref_2"]}),
        );
        check(&mut names, json!({ one: 1 }), json!({"ref_2": 1}));
        check(&mut names, json!("ref_ ref_short pref_1 ref_"), json!("ref_ ref_short pref_1 ref_"));
        check(&mut names, json!(format!("{one}0")), json!(format!("{one}0")));
        let undo = "undo_0123456789abcdef";
        check(
            &mut names,
            json!({ "undo": undo, "a": format!("{undo} {two}") }),
            json!({"undo": "undo_1", "a": "undo_1 ref_1"}),
        );
    }

    #[test]
    fn the_first_difference_is_named_by_its_place() {
        let check = |held: Json, got: Json, expected: &str| {
            assert_eq!(difference("a", &held, &got).unwrap_or_default(), expected);
        };
        check(json!({"x": 1, "y": [1]}), json!({"y": [1], "x": 1}), "");
        check(json!({"x": [1, {"y": 2}]}), json!({"x": [1, {"y": 3}]}), "a.x[1].y: expected 2, got 3");
        check(json!({"x": 1}), json!({}), "a.x: expected 1, got nothing");
        check(json!({}), json!({"x": "b"}), "a.x: expected nothing, got \"b\"");
        check(json!([1, 2]), json!([1]), "a: expected 2 items, got 1");
    }
}
