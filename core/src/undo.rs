//! Writes of the last hour that can be undone.

use std::fmt::Write;

use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use crate::Millis;
use crate::dictionary::{Dictionary, Identifier};
use crate::fault::Fault;
use crate::specifier::{name_in, read_source};
use crate::value::Value;
use crate::words::RefId;

/// The time during which a write can be undone.
const HOUR: Millis = Millis(60 * 60 * 1000);

/// The reason why a command cannot be undone.
pub(crate) const NO_REVERSE: &str = "this server knows no reverse of it";

/// The reason why an old value cannot be restored.
pub(crate) const NO_OLD: &str = "the old value is unknown, or the app does not let it be written";

/// The same, if there was no old value.
pub(crate) const WAS_EMPTY: &str = "it was empty before, and the app does not let it be emptied";

/// The same, if the object has no lasting name.
pub(crate) const BY_PLACE: &str = "only its place finds the object, and another one may be there by then";

/// The same, if the server does not know which value the property has now.
pub(crate) const UNCHECKED: &str = "the new value could not be checked";

/// The longest old value to store. Longer ones would copy the app's content to the state directory.
const LONGEST: usize = 64 * 1024;

/// How to undo one write of a property or one move.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Undo {
    /// `undo_` and 16 base32 characters.
    pub id: String,
    /// The id of all writes of the same call, if there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    /// Whether the write itself was an undo: "the last" means the last write before it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_undo: bool,
    /// The bundle id of the app.
    pub app: String,
    /// The specifier that leads to the object; null if only a plugin knows it.
    pub object: Json,
    /// The object in words.
    pub words: String,
    /// The value of the object's mark, if known.
    pub mark: Option<String>,
    /// When it was written.
    pub at: Millis,
    /// The write.
    #[serde(flatten)]
    pub way: Way,
}

/// A write and its inverse.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Way {
    /// A property was set.
    Set {
        /// The property's term.
        property: String,
        /// The value before the write, as a client would give it.
        old: Json,
        /// The value after the write, as the script encoded it. If the current value differs, someone else changed it
        /// since.
        now: Json,
        /// Values of the object that tell it from another one of its name, each with its property.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        looks: Vec<(String, Json)>,
    },
    /// The object was moved.
    Move {
        /// The specifier of the container that it was in.
        from: Json,
        /// The specifier of the container that it was moved to.
        to: Json,
        /// Its new place, if the app has reported it.
        landed: Option<Json>,
        /// Its class.
        element: String,
        /// Values of the moved object that tell it from another one of its name, each with its property.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        looks: Vec<(String, Json)>,
    },
    /// A plugin changed something. The plugin undoes it with one of its own tools.
    Call {
        /// The plugin.
        plugin: String,
        /// Its tool.
        tool: String,
        /// The arguments, as the plugin has given them.
        arguments: serde_json::Map<String, Json>,
    },
    /// A command changed a setting. The same command sets it back.
    Run {
        /// The command's term.
        command: String,
        /// Its arguments with the old values.
        arguments: serde_json::Map<String, Json>,
    },
    /// Objects were made.
    Create {
        /// In the order in which they were made.
        made: Vec<Made>,
        /// The effects that remain after the objects are deleted, in words.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        stays: Vec<String>,
    },
    /// Something was changed permanently. It is recorded so that "the last" does not mean an older change.
    Lasting {
        /// The change, in words.
        lasting: String,
        /// The reason why it cannot be undone.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        why: String,
    },
}

/// A new object, with the values that were read directly after it was made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Made {
    /// The specifier that leads to it.
    pub object: Json,
    /// The object in words.
    pub words: String,
    /// Whether it needs its own deletion. An object inside another new object is deleted with that one.
    pub is_top: bool,
    /// The values that were read from it. Each name is a property, or `#` and the elements that were counted.
    pub looks: Vec<(String, Json)>,
    /// Whether this server has moved it since, and nothing tells where it is.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_lost: bool,
}

impl Made {
    /// Whether an undo compares a property of it.
    fn shows(&self, property: &str) -> bool {
        let Some(property) = Identifier::of(property) else { return false };
        let names =
            |look: &str| look.trim_start_matches('*').split('.').any(|name| name == property.as_str());
        self.looks.iter().any(|(look, _)| names(look))
    }

    /// Whether an undo compares the elements or their number, and another new object is among them.
    fn counts_in_it(&self, new: &Self) -> bool {
        let is_inside =
            new.object != self.object && replaced(&new.object, &self.object, &self.object).is_some();
        let is_of_elements =
            |look: &str| look.starts_with('#') || look.contains('.') && !look.starts_with(['*', '=']);
        is_inside && self.looks.iter().any(|(look, _)| is_of_elements(look))
    }

    /// Whether only its name leads to it in its container.
    pub(crate) fn is_by_name(&self) -> bool {
        self.object["type"] == "named"
    }
}

/// An object with another path than before, because this server has moved or renamed it.
#[derive(Clone, Debug, PartialEq)]
pub struct Renamed {
    /// The bundle id of the app.
    pub app: String,
    /// The specifier that led to it.
    pub from: Json,
    /// The specifier that leads to it now; `None` if nothing tells where it is.
    pub to: Option<Json>,
}

/// Whether a mark says where an object is, so that another one replaces it when the object is moved or renamed.
pub(crate) fn is_of_place(mark: &str) -> bool {
    mark.starts_with("file:")
}

/// Lets stored writes follow objects to their new paths, in the order in which these were moved or renamed.
pub fn follow(undos: &mut [Undo], renamed: &[Renamed]) {
    for renamed in renamed {
        undos.iter_mut().filter(|undo| undo.app == renamed.app).for_each(|undo| undo.follow(renamed));
    }
}

/// Lets the writes of a call follow the objects that it moves later, because undo moves these back first.
pub(crate) fn follow_moves(undos: &mut [Undo]) {
    for at in 0..undos.len() {
        let (before, rest) = undos.split_at_mut(at);
        let Some(Undo { app, object, way: Way::Move { landed: Some(landed), .. }, .. }) = rest.first() else {
            continue;
        };
        let moved = Renamed { app: app.clone(), from: object.clone(), to: Some(landed.clone()) };
        for undo in before.iter_mut().filter(|undo| undo.object == moved.from) {
            undo.follow(&moved);
            // The app may have given it a new id, and that alone leads to it.
            if let Way::Set { looks, .. } = &mut undo.way
                && landed["type"] == "id"
            {
                looks.clear();
            }
        }
    }
}

/// The specifier of the same object after a change of paths; `None` if it does not lead to the changed object, or
/// through it.
fn replaced(path: &Json, from: &Json, to: &Json) -> Option<Json> {
    // An id means one object, whatever container leads to it. The application itself finds it in every container.
    let has_id = |other: &Json| {
        path["type"] == "id" && ["type", "element", "id"].iter().all(|field| path[*field] == other[*field])
    };
    if path == from || has_id(from) {
        let is_kept = has_id(to) && path["container"] == "application";
        return Some(if is_kept { path.clone() } else { to.clone() });
    }
    let field = ["container", "of"].into_iter().find(|field| path.get(field).is_some())?;
    let mut path = path.clone();
    path[field] = replaced(&path[field], from, to)?;
    Some(path)
}

impl Undo {
    /// Makes an undo id from a new random id.
    pub fn id(fresh: RefId) -> String {
        fresh.to_string().replacen("ref_", "undo_", 1)
    }

    /// A change without an inverse.
    pub fn lasting(app: &str, did: String, why: &str, id: RefId, at: Millis) -> Self {
        Self {
            id: Self::id(id),
            call: None,
            is_undo: false,
            app: app.to_owned(),
            object: Json::Null,
            words: String::new(),
            mark: None,
            at,
            way: Way::Lasting { lasting: did, why: why.to_owned() },
        }
    }

    /// The lasting effect, and the reason: `Reminders ran "delete": this server knows no reverse of it`.
    pub(crate) fn for_good(&self) -> String {
        match &self.way {
            Way::Lasting { lasting, why } if !why.is_empty() => format!("{lasting}: {why}"),
            _ => self.in_words(),
        }
    }

    /// Whether it has no inverse, and is kept only for the list.
    pub fn is_lasting(&self) -> bool {
        matches!(self.way, Way::Lasting { .. })
    }

    /// The object, or the permanent change.
    pub fn did(&self) -> &str {
        match &self.way {
            Way::Lasting { lasting, .. } => lasting,
            _ => &self.words,
        }
    }

    /// Its id in the answer: the id of its call, if the call has several writes.
    pub fn shown_id(&self) -> &str {
        self.call.as_deref().unwrap_or(&self.id)
    }

    /// Whether one call can undo both.
    fn goes_with(&self, other: &Self) -> bool {
        self.app == other.app
            && match (&self.way, &other.way) {
                (Way::Lasting { .. }, Way::Set { .. } | Way::Move { .. } | Way::Lasting { .. })
                | (Way::Set { .. }, Way::Set { .. } | Way::Lasting { .. })
                | (Way::Move { .. }, Way::Lasting { .. })
                | (Way::Create { .. }, Way::Create { .. }) => true,
                (
                    Way::Move { from, to, element, .. },
                    Way::Move { from: other_from, to: other_to, element: other_element, .. },
                ) => (from, to, element) == (other_from, other_to, other_element),
                _ => false,
            }
    }

    /// Whether a later call has changed the same again: a property of the object, or its place.
    fn is_followed_by(&self, later: &Self) -> bool {
        if self.app != later.app || later.is_undo || later.shown_id() == self.shown_id() {
            return false;
        }
        let is_marked = self.mark.is_some() && self.mark == later.mark;
        match (&self.way, &later.way) {
            // Another file may have the name, and the creation date tells.
            (Way::Set { property, looks, .. }, Way::Set { property: again, looks: now, .. }) => {
                property == again && self.object == later.object && looks == now
            }
            (Way::Move { landed, .. }, Way::Move { landed: again, .. }) => {
                is_marked || self.object == later.object || landed.is_some() && landed == again
            }
            // An undo deletes a new object only if nothing in it has changed.
            (Way::Create { made, .. }, Way::Set { property, .. }) => {
                made.iter().any(|made| made.object == later.object && made.shows(property))
            }
            (Way::Create { made, .. }, Way::Create { made: new, .. }) => {
                new.iter().any(|new| made.iter().any(|made| made.counts_in_it(new)))
            }
            _ => false,
        }
    }

    /// The property that was set.
    pub(crate) fn property(&self) -> Option<&str> {
        match &self.way {
            Way::Set { property, .. } => Some(property),
            _ => None,
        }
    }

    /// The objects that were made.
    pub(crate) fn made(&self) -> &[Made] {
        match &self.way {
            Way::Create { made, .. } => made,
            _ => &[],
        }
    }

    /// Follows one object to its new path.
    fn follow(&mut self, Renamed { from, to, .. }: &Renamed) {
        let Some(to) = to else {
            if let Way::Create { made, .. } = &mut self.way {
                made.iter_mut().for_each(|made| made.is_lost |= replaced(&made.object, from, from).is_some());
            }
            return;
        };
        let was = self.object.clone();
        let mut paths = vec![&mut self.object];
        match &mut self.way {
            Way::Move { from, to, landed, .. } => paths.extend([from, to].into_iter().chain(landed)),
            Way::Create { made, .. } => paths.extend(made.iter_mut().map(|made| &mut made.object)),
            Way::Set { .. } | Way::Call { .. } | Way::Run { .. } | Way::Lasting { .. } => {}
        }
        for path in paths {
            if let Some(now) = replaced(path, from, to) {
                *path = now;
            }
        }
        if self.object != was {
            self.mark = self.mark.take().filter(|mark| !is_of_place(mark));
        }
    }

    /// Whether it can still be undone.
    pub fn counts(&self, now: Millis) -> bool {
        now.since(self.at) < HOUR
    }
}

/// The request to `iac_mcp_undo`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Undo these, by the ids of their calls or of single writes.
    Ids(Vec<String>),
    /// Undo the writes of the last call.
    Last,
    /// List the writes, and whether each can be undone, without so many of the latest calls.
    List(usize),
}

/// Gives all writes of one call the same id, and returns the id.
pub(crate) fn together(undos: &mut [Undo], fresh: &mut dyn FnMut() -> RefId) -> Option<String> {
    if undos.len() > 1 {
        let id = Undo::id(fresh());
        undos.iter_mut().for_each(|undo| undo.call = Some(id.clone()));
    }
    undos.first().map(|undo| undo.shown_id().to_owned())
}

/// Finds the requested writes, the latest first, because undo begins with the last write.
///
/// # Errors
/// One of them is unknown, is too old, or never had an inverse; the last change may be one of these.
pub(crate) fn find(wanted: &Wanted, known: &[Undo], now: Millis) -> Result<Vec<Undo>, Fault> {
    let known = || known.iter().filter(|undo| undo.counts(now));
    let mut found: Vec<Undo> = Vec::new();
    match wanted {
        Wanted::List(_) => found.extend(known().cloned()),
        Wanted::Last => {
            let own = || known().filter(|undo| !undo.is_undo);
            let last = own().max_by_key(|undo| undo.at).ok_or_else(nothing)?;
            // If several have the same time, the one that was stored last counts.
            let last = own().rfind(|undo| undo.at == last.at).unwrap_or(last);
            let id = last.shown_id();
            found.extend(known().filter(|undo| undo.shown_id() == id).cloned());
            if found.iter().all(Undo::is_lasting) {
                let before = own().filter(|undo| !undo.is_lasting()).max_by_key(|undo| undo.at);
                let is_of = |undo: &&Undo| before.is_some_and(|before| undo.shown_id() == before.shown_id());
                return Err(for_good(last, &known().filter(is_of).collect::<Vec<_>>()));
            }
        }
        Wanted::Ids(ids) => {
            for id in ids {
                let is_it = |undo: &&Undo| undo.id == *id || undo.call.as_ref() == Some(id);
                let meant: Vec<&Undo> = known().filter(is_it).collect();
                if meant.iter().all(|undo| undo.is_lasting()) {
                    return Err(unknown(id));
                }
                let fresh = meant.into_iter().filter(|undo| !found.iter().any(|each| each.id == undo.id));
                found.extend(fresh.cloned().collect::<Vec<_>>());
            }
        }
    }
    if let Wanted::Ids(_) = wanted {
        let order = || known().enumerate();
        for undo in &found {
            let at = order().find(|(_, known)| known.id == undo.id).map(|(at, _)| at);
            let is_later = |(place, later): &(usize, &Undo)| {
                Some(*place) > at
                    && undo.is_followed_by(later)
                    && !found.iter().any(|each| each.id == later.id)
            };
            let later: indexmap::IndexSet<&str> =
                order().filter(is_later).map(|(_, later)| later.shown_id()).collect();
            if !later.is_empty() {
                return Err(overwritten(undo, &later));
            }
        }
    }
    // A list, and writes that may be reversed in any order, keep the order in which they were written.
    if !matches!(wanted, Wanted::List(_)) && !are_free(&found) {
        found.sort_by_cached_key(|undo| std::cmp::Reverse(known().position(|known| known.id == undo.id)));
    }
    found.sort_by_key(|undo| std::cmp::Reverse(undo.at));
    Ok(found)
}

/// The error for what later calls have changed. Without it, a property would get a value from between, or the change of
/// a new object would be taken for that of a person.
fn overwritten(undo: &Undo, all: &indexmap::IndexSet<&str>) -> Fault {
    let id = undo.shown_id();
    let later = all.iter().copied().collect::<Vec<_>>().join(", ");
    let together = json!(std::iter::once(id).chain(all.iter().copied()).collect::<Vec<_>>());
    let both = if all.len() == 1 { "both" } else { "all" };
    let what = match undo.property() {
        Some(property) => format!("`{property}` of {}", undo.words),
        None => undo.words.clone(),
    };
    let message = format!("`undo`: {later} changed {what} after {id}");
    let suggestion = format!("give {both}, {{\"undo\":{together}}}, or take back {later} first");
    Fault::parameter("undo", message, suggestion)
}

/// Whether undo may reverse writes in any order. A new name and a move change the path to an object, and a new object
/// may hold a moved one. Several moves go back in the order in which they were made, so that the objects keep theirs.
fn are_free(undos: &[Undo]) -> bool {
    let back = || undos.iter().filter(|undo| !undo.is_lasting());
    let is_move = |undo: &Undo| matches!(undo.way, Way::Move { .. });
    let is_set_by_id = |undo: &Undo| undo.property().is_some() && !leads_by_name(&undo.object);
    back().all(is_move) || back().all(is_set_by_id)
}

/// Whether a specifier leads through a name.
fn leads_by_name(object: &Json) -> bool {
    object["type"] == "named" || object.get("container").is_some_and(leads_by_name)
}

/// Divides writes, the latest first, into parts that one call can undo. The writes of a part are in one app and of one
/// kind, and nothing else was written in that app between them.
pub(crate) fn parts(undos: &[Undo]) -> Vec<Vec<&Undo>> {
    let mut parts: Vec<Vec<&Undo>> = Vec::new();
    for undo in undos {
        let rest = |at: usize| parts.iter().skip(at + 1).flatten();
        // Writes with the same time come from one call. Undo may reverse them in any order if ids lead to their
        // objects.
        let is_by_id = |other: &Undo| !leads_by_name(&other.object) && !leads_by_name(&undo.object);
        let may_pass = |other: &Undo| other.app != undo.app || other.at == undo.at && is_by_id(other);
        let is_free = |at: usize| rest(at).all(|other| may_pass(other));
        let joins = |at: &usize| parts[*at].iter().all(|other| other.goes_with(undo)) && is_free(*at);
        match (0..parts.len()).find(joins) {
            Some(at) => parts[at].push(undo),
            None => parts.push(vec![undo]),
        }
    }
    parts
}

/// The error for writes that take several calls, with the ids for each, in the order of the calls.
pub(crate) fn apart(parts: &[Vec<&Undo>]) -> Fault {
    let all: Vec<_> = parts.iter().map(|part| ids_of(part, parts)).collect();
    let words: Vec<Vec<String>> = parts.iter().map(|part| in_words(part)).collect();
    let message = format!(
        "`undo`: these take {} calls, because they are of several apps or kinds, or of a plugin",
        parts.len()
    );
    let suggestion =
        "call again with the ids of each of `parts`, in this order: the latest is taken back first";
    let fault = Fault::parameter("undo", message, suggestion);
    fault.with("parts", json!(all)).with("wrote", json!(words)).untrusted()
}

/// The ids of a part: the id of a call covers all its writes, unless some of them are in another part. A change without
/// an inverse has no id of its own.
pub(crate) fn ids_of<'u>(part: &[&'u Undo], parts: &[Vec<&Undo>]) -> indexmap::IndexSet<&'u str> {
    let is_whole = |undo: &Undo| {
        let with_it = |part: &&Vec<&Undo>| part.iter().any(|each| each.shown_id() == undo.shown_id());
        parts.iter().filter(with_it).count() == 1
    };
    let back = part.iter().filter(|undo| !undo.is_lasting());
    back.map(|undo| if is_whole(undo) { undo.shown_id() } else { undo.id.as_str() }).collect()
}

/// Lists the writes and whether they can be undone, the latest call first, without the `offset` latest ones. A long
/// list is cut.
pub(crate) fn list(undos: &[Undo], offset: usize) -> Json {
    let mut calls: indexmap::IndexMap<&str, Vec<&Undo>> = indexmap::IndexMap::new();
    undos.iter().for_each(|undo| calls.entry(undo.shown_id()).or_default().push(undo));
    let one = |(id, writes): (&str, Vec<&Undo>)| {
        let first = writes.first()?;
        let at = i64::try_from(first.at.0).ok().and_then(|at| jiff::Timestamp::from_millisecond(at).ok());
        let (lasting, back): (Vec<&Undo>, Vec<&Undo>) = writes.iter().partition(|undo| undo.is_lasting());
        let id = (!back.is_empty()).then_some(id);
        let wrote = in_words(&writes);
        let mut one =
            json!({ "undo": id, "at": at.map(|at| at.to_string()), "app": first.app, "wrote": wrote });
        if !lasting.is_empty() {
            one["noWayBack"] = lasting.into_iter().map(Undo::for_good).collect();
        }
        Some(one)
    };
    let count = calls.len();
    let all: Vec<Json> = calls.into_iter().skip(offset).take(LISTED).filter_map(one).collect();
    let mut body = json!({ "undo": all, "untrusted": true });
    let next = offset.saturating_add(LISTED);
    if count > next {
        body["earlier"] = json!(count - next);
        body["nextOffset"] = json!(next);
    }
    body
}

/// How many objects of a call are named; the others are only counted.
const TOLD: usize = 3;

/// The writes of a call. Objects with the same write share a line: `set name of 25: "a", "b", "c", …`.
pub(crate) fn in_words(writes: &[&Undo]) -> Vec<String> {
    let mut kinds: indexmap::IndexMap<String, Vec<&Undo>> = indexmap::IndexMap::new();
    for undo in writes {
        let kind = match &undo.way {
            Way::Set { property, .. } => format!("set {property} of"),
            Way::Move { .. } => "moved".to_owned(),
            Way::Create { .. } | Way::Call { .. } | Way::Run { .. } | Way::Lasting { .. } => undo.in_words(),
        };
        kinds.entry(kind).or_default().push(undo);
    }
    let one = |(kind, writes): (String, Vec<&Undo>)| match writes.as_slice() {
        [only] => only.in_words(),
        several => {
            let names: Vec<String> = several.iter().take(TOLD).map(|undo| name_in(&undo.words)).collect();
            let more = if several.len() > TOLD { ", …" } else { "" };
            format!("{kind} {}: {}{more}", several.len(), names.join(", "))
        }
    };
    kinds.into_iter().map(one).collect()
}

/// The number of calls to list. An earlier one is seldom needed, and its own answer had its id.
const LISTED: usize = 10;

impl Undo {
    /// The write: `set "name" of folder "Old"`.
    pub fn in_words(&self) -> String {
        match &self.way {
            Way::Set { property, .. } => format!("set {property} of {}", self.words),
            Way::Move { .. } => format!("moved {}", self.words),
            Way::Create { .. } => format!("made {}", self.words),
            Way::Run { command, .. } => format!("ran {}", crate::specifier::quoted(command)),
            Way::Call { plugin, .. } => format!("{plugin}: {}", self.words),
            Way::Lasting { lasting, .. } => lasting.clone(),
        }
    }
}

/// The error for a last change without an inverse. It offers the writes of the last call that has one.
fn for_good(last: &Undo, before: &[&Undo]) -> Fault {
    let message = format!("the last change cannot be taken back: {}", last.for_good());
    let mut suggestion = "tell the user so, or do what brings it back if the message says it".to_owned();
    if let Some(undo) = before.first() {
        let (id, words) = (json!({ "undo": undo.shown_id() }), in_words(before).join(", "));
        write!(suggestion, "; the last one that can be taken back, by {id}: {words}")
            .expect("a text takes everything");
    }
    let fault = Fault::parameter("last", message, suggestion);
    // A script of the client belongs to no app.
    if last.app.is_empty() { fault } else { fault.with("app", last.app.as_str()) }
}

fn nothing() -> Fault {
    let message = "nothing was written in the last hour that can be taken back";
    let suggestion = "the user must undo an older change, or one without an inverse, by hand";
    Fault::parameter("last", message, suggestion)
}

fn unknown(id: &str) -> Fault {
    let message =
        format!("`{id}` cannot be undone: no write of the last hour has that id, or it was undone already");
    let suggestion = "see what can be undone with {\"list\":true}; null in `undo` of an answer means that no inverse exists";
    Fault::parameter("undo", message, suggestion)
}

/// Writes a value in the form that a client would give it; `None` if it cannot be written back.
pub(crate) fn restorable(value: &Value, dictionary: &Dictionary) -> Option<Json> {
    match value {
        Value::Null => Some(Json::Null),
        Value::Bool(flag) => Some(json!(flag)),
        Value::Number(number) => Some(Json::Number(number.clone())),
        Value::Text(text) => (text.len() <= LONGEST).then(|| json!(text)),
        Value::Date(text) | Value::File(text) => Some(json!(text)),
        Value::List(items) => items.iter().map(|item| restorable(item, dictionary)).collect(),
        Value::Record(fields) => {
            let field = |(key, value): &(String, Value)| Some((key.clone(), restorable(value, dictionary)?));
            fields.iter().map(field).collect::<Option<serde_json::Map<_, _>>>().map(Json::Object)
        }
        Value::Object(source) => read_source(dictionary, source)
            .filter(crate::specifier::Path::is_stable)
            .map(|path| path.to_json()),
        Value::Excerpt(_) | Value::Data { .. } | Value::Other(_) | Value::Failed { .. } => None,
    }
}

#[cfg(test)]
mod tests;
