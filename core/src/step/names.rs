//! Names for objects that an answer shows by their ids. An app is asked once for each of its objects.

use std::sync::Arc;

use indexmap::IndexMap;
use serde_json::{Value as Json, json};

use super::properties::column;
use super::{Step, Then, World, done, in_app, remember, show};
use crate::action::{Deed, Wanted};
use crate::app::App;
use crate::change;
use crate::dictionary::Dictionary;
use crate::identity::identity;
use crate::reply::Reply;
use crate::specifier::{By, Path, Segment};
use crate::value::Value;
use crate::words::TextWindow;

/// The number of objects to name, each with one event at most: a list is about few containers.
const MOST: usize = 20;

/// The length of a reference. Longer words are no better than a reference, because they contain an id, which tells a
/// person nothing.
pub(super) const SHORT: usize = 20;

/// The most characters of a name.
const TEXT: TextWindow = TextWindow { offset: 0, limit: 200 };

/// Objects by the words in which an answer shows them.
pub(super) type Objects = IndexMap<String, Path>;

/// An answer that lacks only names.
#[derive(Debug)]
pub(super) struct Naming {
    body: Json,
    strategy: Option<String>,
    /// The place of each name in the answer: keys, or indexes of a list.
    places: Vec<Vec<String>>,
}

/// Shows an object in a list: in words if they name it or are short, otherwise by its reference. Keeps an object with
/// only an id, so that it gets a name.
pub(super) fn in_short(path: &Path, objects: &mut Objects, app: &App, world: &mut World<'_>) -> String {
    let Some(words) = show::in_words(path, app, world) else {
        return remember(path.clone(), app, world).to_string();
    };
    if !matches!(path.last(), Some((_, Segment::Element(_, By::Id(_))))) {
        return words;
    }
    let shown = if words.len() <= SHORT { words } else { remember(path.clone(), app, world).to_string() };
    if objects.len() < MOST {
        objects.entry(shown.clone()).or_insert_with(|| path.clone());
    }
    shown
}

/// Keeps what only an id leads to on the way to an object, and the object itself, so that it gets a name.
pub(super) fn around(path: &Path, objects: &mut Objects) {
    for each in std::iter::once(path).chain(path.containers()).filter(|each| each.is_by_id()) {
        if objects.len() < MOST {
            objects.entry(each.to_text()).or_insert_with(|| each.clone());
        }
    }
}

/// Ends with an answer that has the names of its objects in the field `names`, by the words that show the objects.
pub(super) fn told(
    body: Json,
    objects: &Objects,
    app: &App,
    (events, strategy): (u64, Option<String>),
    world: &World<'_>,
) -> Step {
    let place = |words: &String| vec!["names".to_owned(), words.clone()];
    let wanted = objects.iter().map(|(words, path)| (place(words), path.clone())).collect();
    ask(Naming { body, strategy, places: Vec::new() }, wanted, app, events, world)
}

/// Asks for the names of some objects, each for its place in the answer.
pub(super) fn ask(
    mut naming: Naming,
    wanted: Vec<(Vec<String>, Path)>,
    app: &App,
    events: u64,
    world: &World<'_>,
) -> Step {
    let Ok(dictionary) = app.dictionary() else { return naming.done(events) };
    let mut objects = Vec::new();
    for (place, path) in wanted {
        if let Some(wanted) = name_of(path, app, dictionary) {
            naming.places.push(place);
            objects.push(Arc::new(wanted));
        }
    }
    if objects.is_empty() {
        return naming.done(events);
    }
    let without = naming.copy();
    let sizes = objects.iter().map(|wanted| world.learned.size(&app.bundle_id, &wanted.path)).collect();
    let deed = Deed::Properties { objects, sizes, text: TEXT };
    match in_app(app, deed, events, Then::Naming(Box::new(naming)), world) {
        Step::Run(run) => Step::Run(run),
        // A rule against reading names leaves the rest of the answer as it is.
        _ => without.done(events),
    }
}

fn name_of(path: Path, app: &App, dictionary: &Dictionary) -> Option<Wanted> {
    let class = path.class();
    let label = change::label(&app.bundle_id, dictionary, class)?;
    let column = column(app, dictionary, class, &label).ok().filter(|column| !column.long)?;
    let identity = identity(dictionary, class);
    Some(Wanted { path, identity, columns: Some(vec![column]), named: Vec::new() })
}

impl Naming {
    pub(super) fn of(body: Json) -> Self {
        Self { body, strategy: None, places: Vec::new() }
    }

    fn copy(&self) -> Self {
        Self { body: self.body.clone(), strategy: self.strategy.clone(), places: Vec::new() }
    }

    /// An object without a name has none in the answer, for any reason.
    pub(super) fn resume(mut self, reply: Option<Reply>, events: u64) -> Step {
        let rows = reply.and_then(|reply| reply.result.ok()).unwrap_or_default();
        let names: Vec<Option<String>> = (0..self.places.len()).map(|at| name(&rows[at]["v"][0])).collect();
        for (place, name) in std::mem::take(&mut self.places).iter().zip(names) {
            let Some(name) = name else { continue };
            let mut spot = &mut self.body;
            for key in place {
                spot = match key.parse::<usize>() {
                    Ok(index) if spot.is_array() => &mut spot[index],
                    _ => &mut spot[key.as_str()],
                };
            }
            *spot = json!(name);
        }
        self.done(events)
    }

    fn done(self, events: u64) -> Step {
        let mut step = done(self.body, events);
        if let Step::Done(outcome) = &mut step {
            outcome.strategy = self.strategy;
        }
        step
    }
}

fn name(cell: &Json) -> Option<String> {
    match Value::decode(cell).ok()? {
        Value::Text(text) => Some(text),
        Value::Excerpt(part) => Some(part.text),
        _ => None,
    }
}
