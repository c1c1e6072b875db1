//! How to reach objects of a class: paths from the application, as specifiers that are ready to use.

use std::collections::{BTreeMap, VecDeque};

use serde_json::{Value as Json, json};

use super::budget::Answer;
use super::{LARGEST, term, unknown};
use crate::app::App;
use crate::dictionary::{APPLICATION, Class, Dictionary, Identifier};
use crate::fault::Fault;

/// One path from the application to objects of a class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    steps: Vec<Leg>,
    fit: Fit,
}

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Leg {
    name: String,
    is_property: bool,
    class: String,
}

/// How certain a path is, most certain first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    /// Objects of the class.
    Exact,
    /// Objects of a class that inherits from it.
    Kind,
    /// Objects of a class that it inherits from. Objects of the class may be among them.
    Perhaps,
}

/// The most steps of a path.
const LONGEST: usize = 6;

/// Paths that exceed the shortest one by this length are left out.
const DETOUR: usize = 2;

/// How many paths to one class are extended further: paths by a property, and paths by an element.
const MOST_TO_ONE: [usize; 2] = [2, 4];

/// The largest number of paths to show.
const MOST: usize = 5;

const NEXT: &str = "pass one as `specifier` to iac_mcp_query_object; index 0 is the first element, and a name or id is more reliable";

pub(super) fn reach(app: &App, dictionary: &Dictionary, wanted: &str) -> Result<Json, Fault> {
    let class = dictionary.class(wanted).ok_or_else(|| {
        let known = dictionary.classes.values().filter(|class| !class.hidden);
        unknown(app, "class", wanted, known.map(|class| class.name.as_str()))
    })?;
    let routes = routes(dictionary, &class.name);
    let first = json!({ "app": &*app.bundle_id, "reach": term(&class.name), "use": NEXT });
    let mut answer = Answer::new(first, LARGEST);
    if routes.is_empty() {
        let none = "no element and no property leads to it; it occurs only as a result, or as an object that `make` creates";
        answer.add("note", json!(none));
    }
    if let Some(list) = routes.first().and_then(|route| route.list(app)) {
        answer.add("listAll", list);
    }
    let shown = routes.iter().take(MOST).map(|route| {
        let mut shown = json!({ "way": route.to_string(), "specifier": route.specifier() });
        if route.fit == Fit::Perhaps {
            shown["note"] = json!(format!("may hold it: it holds any {}", route.class()));
        }
        shown
    });
    answer.list("ways", shown.collect(), 100);
    Ok(answer.finish("there are longer paths"))
}

/// Every path that is not much longer than the shortest one; the surest and shortest come first.
pub(super) fn routes(dictionary: &Dictionary, wanted: &str) -> Vec<Route> {
    let Some(class) = dictionary.class(wanted) else { return Vec::new() };
    let mut found = search(dictionary, class, false);
    if found.is_empty() {
        found = search(dictionary, class, true);
    }
    let surest = found.iter().map(|route| route.fit).min().unwrap_or(Fit::Exact);
    // If a path leads to the class itself, paths that only may lead to it add nothing.
    found.retain(|route| route.fit == surest || route.fit < Fit::Perhaps);
    found.sort_by_key(|route| (route.fit, route.steps.len(), route.elements(), route.to_string().len()));
    let shortest = found.iter().map(|route| route.steps.len()).min().unwrap_or_default();
    found.retain(|route| route.steps.len() <= shortest + DETOUR);
    found
}

fn search(dictionary: &Dictionary, wanted: &Class, with_hidden: bool) -> Vec<Route> {
    let mut found: Vec<Route> = Vec::new();
    let mut times: BTreeMap<(&str, bool), usize> = BTreeMap::new();
    let mut from: BTreeMap<&str, Vec<Hop<'_>>> = BTreeMap::new();
    let mut fits: BTreeMap<&str, Option<Fit>> = BTreeMap::new();
    let mut open: VecDeque<Vec<Hop<'_>>> = VecDeque::from([Vec::new()]);
    while let Some(hops) = open.pop_front() {
        let here = hops.last().map_or(APPLICATION, |hop| hop.class);
        let next = from.entry(here).or_insert_with(|| from_class(dictionary, here, with_hidden));
        for hop in next.iter().filter(|hop| !hops.iter().any(|before| before.class == hop.class)) {
            let hops: Vec<Hop<'_>> = hops.iter().chain([hop]).copied().collect();
            let fit = fits.entry(hop.class).or_insert_with(|| fit(dictionary, hop.class, &wanted.name));
            found.extend(fit.map(|fit| Route::of(&hops, fit)));
            let times = times.entry((hop.class, hop.is_property)).or_default();
            *times += 1;
            let is_one_of_few = *times <= MOST_TO_ONE[usize::from(!hop.is_property)];
            if is_one_of_few && hops.len() < LONGEST && found.len() < 4 * MOST {
                open.push_back(hops);
            }
        }
    }
    found
}

/// One step of a path, as the dictionary names it.
#[derive(Clone, Copy)]
struct Hop<'a> {
    name: &'a str,
    is_property: bool,
    class: &'a str,
}

/// The classes that one step from an object reaches. No step leads back to the application.
fn from_class<'a>(dictionary: &'a Dictionary, class: &str, with_hidden: bool) -> Vec<Hop<'a>> {
    let mut hops = Vec::new();
    for property in dictionary.properties(class) {
        let single = property.kind.0.iter().filter(|kind| !kind.list);
        let mut objects = single.filter_map(|kind| dictionary.classes.get(&kind.name));
        let object = objects.find(|class| class.name != APPLICATION);
        let shown = with_hidden || !property.hidden;
        if let Some(found) = object.filter(|_| shown && property.access.can_read())
            && Identifier::of(&property.name).is_some()
        {
            hops.push(Hop { name: &property.name, is_property: true, class: &found.name });
        }
    }
    // The shortest name is the most likely: Mail's inbox before its drafts mailbox.
    hops.sort_by_key(|hop| hop.name.len());
    for element in dictionary.elements(class).into_iter().filter(|element| with_hidden || !element.hidden) {
        let found = dictionary.class(&element.class).filter(|class| class.name != APPLICATION);
        if let Some(found) = found.filter(|class| Identifier::of(&class.plural).is_some()) {
            hops.push(Hop { name: &found.name, is_property: false, class: &found.name });
        }
    }
    hops
}

fn fit(dictionary: &Dictionary, class: &str, wanted: &str) -> Option<Fit> {
    if class == wanted {
        Some(Fit::Exact)
    } else if dictionary.is_a(class, wanted) {
        Some(Fit::Kind)
    } else if dictionary.is_a(wanted, class) {
        Some(Fit::Perhaps)
    } else {
        None
    }
}

impl Route {
    fn of(hops: &[Hop<'_>], fit: Fit) -> Self {
        let leg = |hop: &Hop<'_>| Leg {
            name: hop.name.to_owned(),
            is_property: hop.is_property,
            class: hop.class.to_owned(),
        };
        Self { steps: hops.iter().map(leg).collect(), fit }
    }

    /// The specifier of the first object at the end of the path.
    pub fn specifier(&self) -> Json {
        specifier(&self.steps)
    }

    /// The class of the objects at the end of the path.
    pub fn class(&self) -> &str {
        self.steps.last().map_or(APPLICATION, |leg| leg.class.as_str())
    }

    /// The call that lists all objects at the end of the path, if it is a collection.
    fn list(&self, app: &App) -> Option<Json> {
        let (last, before) = self.steps.split_last()?;
        let container = if before.is_empty() { json!("application") } else { specifier(before) };
        let arguments =
            json!({ "app": &*app.bundle_id, "container": container, "elementType": term(&last.name) });
        (!last.is_property).then(|| json!({ "tool": "iac_mcp_get_elements", "arguments": arguments }))
    }

    fn elements(&self) -> usize {
        self.steps.iter().filter(|leg| !leg.is_property).count()
    }
}

fn specifier(steps: &[Leg]) -> Json {
    let Some((last, before)) = steps.split_last() else { return json!("application") };
    let container = specifier(before);
    if last.is_property {
        return json!({ "type": "property", "property": term(&last.name), "of": container });
    }
    let mut found = json!({ "type": "element", "element": term(&last.name), "index": 0 });
    if !before.is_empty() {
        found["container"] = container;
    }
    found
}

impl std::fmt::Display for Route {
    /// `attachment of message of inbox`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let words: Vec<String> = self.steps.iter().rev().map(|leg| term(&leg.name)).collect();
        f.write_str(&words.join(" of "))
    }
}
