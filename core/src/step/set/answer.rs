//! The result for one object of a write.

use std::sync::Arc;

use serde_json::{Value as Json, json};

use super::begin::checked;
use super::fold::SO_ALREADY;
use super::{Open, Setting};
use crate::app::App;
use crate::call::LOSES;
use crate::change::{Change, LOST, Slot, holds, is_lossy, labels, lock, place_terms};
use crate::dictionary::Dictionary;
use crate::fault::{Code, Fault};
use crate::marshal::Given;
use crate::osa_error::OsaError;
use crate::permission::may_read;
use crate::specifier::{By, Id, Mark, Path, Segment, find_property, read_source};
use crate::step::World;
use crate::step::command;
use crate::step::moves::kept;
use crate::step::show::{show, told, value};
use crate::step::trace::{HALF, PARTIAL, UNKNOWN};
use crate::undo::{BY_PLACE, NO_OLD, UNCHECKED, Undo, WAS_EMPTY, Way, restorable};
use crate::value::Value;

/// The longest part of a text in an answer, in characters.
const LONGEST: usize = 1_000;

impl Open {
    /// The object in words for the client. The words for a human contain its labels, which a rule may keep from the
    /// client.
    pub(super) fn told(&self, app: &App, world: &World<'_>) -> String {
        let path = &self.change.subject.path;
        let may_read = |term: &str| may_read(term, app, world.gate, world.now);
        let Ok(dictionary) = app.dictionary() else { return told(path, app, world) };
        let named = std::iter::once(path).chain(path.containers().filter(|path| path.is_by_id()));
        let labels = named.flat_map(|path| labels(&app.bundle_id, dictionary, path.class()));
        let mut labels = labels.chain(place_terms(&app.bundle_id, dictionary, path));
        match labels.all(|term| may_read(&term)) {
            true if !self.words.is_empty() => self.words.clone(),
            _ => told(path, app, world),
        }
    }
}

impl Open {
    /// Whether the write may remove something of the object besides the old value.
    pub(super) fn may_lose(&self) -> bool {
        self.change.subject.facts.iter().any(|fact| fact.is_lost)
    }

    /// What the write removes besides the old value, as the look at the object has found: `attachments`, and their
    /// number, if it could be read.
    pub(super) fn lost(&self, dictionary: &Dictionary) -> Option<(String, Option<u64>)> {
        let at = self.change.subject.facts.iter().position(|fact| fact.is_lost)?;
        let read = self.row.get(4).and_then(|facts| facts.get(at)).unwrap_or(&Json::Null);
        let count = match value(read, None, dictionary) {
            Value::Number(count) => count.as_u64(),
            _ => None,
        };
        (count != Some(0)).then(|| (self.change.subject.facts[at].caption.clone(), count))
    }

    /// The error for a change that would remove more than the client may know. The user is asked only after the client
    /// knows.
    pub(super) fn unmeant(&self, lost: &(String, Option<u64>), app: &App, world: &World<'_>) -> Fault {
        let lossy = self.change.subject.slots.iter().find(|slot| self.is_lossy(slot, app));
        let term = lossy.map_or("", |slot| slot.term.as_str());
        unmeant(lost, term, &self.told(app, world), app)
    }

    /// Whether setting a property removes something else of the object.
    fn is_lossy(&self, slot: &Slot, app: &App) -> bool {
        let class = self.change.subject.path.class();
        app.dictionary().is_ok_and(|dictionary| is_lossy(&app.bundle_id, dictionary, class, &slot.term))
    }

    /// Refuses to replace a text that the object hides.
    ///
    /// # Errors
    /// The object is locked, and the app gave no old value.
    pub(super) fn check_lock(&self, row: &Json, app: &App, world: &World<'_>) -> Result<(), Fault> {
        let dictionary = app.dictionary()?;
        let subject = &self.change.subject;
        let Some(lock) = lock(&app.bundle_id, subject.path.class(), &subject.slots) else { return Ok(()) };
        let at = subject.facts.iter().position(|fact| fact.look == lock.look);
        let read = at.and_then(|at| row.get(4)?.get(at)).unwrap_or(&Json::Null);
        let is_locked = value(read, None, dictionary) == Value::Bool(true);
        let is_empty = |(at, slot): (usize, &Slot)| {
            let old = row.get(2).and_then(|old| old.get(at)).unwrap_or(&Json::Null);
            matches!(value(old, Some(&slot.kind), dictionary), Value::Null | Value::Failed { .. })
                || old.as_str() == Some("")
        };
        if !is_locked || !subject.slots.iter().enumerate().any(is_empty) {
            return Ok(());
        }
        let message = format!(
            "{} is locked, so {} hides its text. A new text would replace what nobody can see",
            self.told(app, world),
            app.name
        );
        Err(Fault::new(
            Code::ExecutionFailed,
            message,
            format!("ask the user to unlock it in {} first", app.name),
        ))
    }

    /// The properties whose old values, as the script encoded them, cannot be written back, and whether they are empty.
    pub(super) fn without_way_back(
        &self,
        old: &Json,
        app: &App,
        world: &mut World<'_>,
    ) -> Result<Vec<(String, bool)>, Fault> {
        let dictionary = app.dictionary()?;
        let subject = &self.change.subject;
        let stays = |(at, slot): (usize, &Slot)| {
            let old = old.get(at).unwrap_or(&Json::Null);
            let is_empty = slot.readable && value(old, Some(&slot.kind), dictionary) == Value::Null;
            let lasts = writable_again(old, slot, subject.path.class(), app, world).is_none();
            lasts.then(|| (slot.term.clone(), is_empty))
        };
        Ok(subject.slots.iter().enumerate().filter_map(stays).collect())
    }
}

impl Setting {
    /// Takes the script's report about one object.
    pub(super) fn one_written(
        &mut self,
        open: Open,
        row: &Json,
        app: &App,
        world: &mut World<'_>,
    ) -> Result<(), Fault> {
        let number = |name: &str| row.get(name).and_then(Json::as_i64);
        let message = row.get("message").and_then(Json::as_str).unwrap_or_default().to_owned();
        if row.get("$").is_some() {
            let error = OsaError {
                number: number("number").unwrap_or(-2700),
                message,
                at: "object".to_owned(),
                by: None,
            };
            return self.fail(open, &error, app, world);
        }
        if row.get("moved").is_some() {
            return self.moved(&open, app, world);
        }
        if let Some(number) = number("unknown") {
            let error = OsaError { number, message, at: "set".to_owned(), by: None };
            if self.list && !self.is_undo(&open) {
                let terms: Vec<&str> =
                    open.change.subject.slots.iter().map(|slot| slot.term.as_str()).collect();
                let did = format!("set {} of {}", terms.join(", "), open.told(app, world));
                self.lasting.push((
                    app.bundle_id.to_string(),
                    format!("{did}, with an unknown outcome"),
                    UNKNOWN,
                ));
            }
            return self.tell(&open, command::unknown(error.to_fault(&app.bundle_id, &app.name)));
        }
        if let Some(at) = row.get("refused").and_then(Json::as_u64) {
            let error = OsaError {
                number: number("number").unwrap_or(-2700),
                message,
                at: "set".to_owned(),
                by: None,
            };
            let back = row.get("back") == Some(&json!(true));
            let index = |json: &Json| usize::try_from(json.as_u64()?).ok();
            let set = row.get("done").and_then(Json::as_array);
            let set: Vec<usize> = set.into_iter().flatten().filter_map(index).collect();
            // If the call has a single object, this error ends the call, and `trace::kept` records the partial change.
            if !back && self.list && !self.is_undo(&open) {
                let did = format!("set a part of the properties of {}", open.told(app, world));
                self.lasting.push((app.bundle_id.to_string(), did, HALF));
            }
            return self.tell(
                &open,
                refused_fault(&error, &open, usize::try_from(at).unwrap_or_default(), &set, back, app),
            );
        }
        if row.get("now").is_none() {
            let message = "it was not tried, because the app stopped answering";
            return self
                .tell(&open, Fault::new(Code::Unavailable, message, "try again when the app answers"));
        }
        let open = follow(open, row, app, world);
        self.keep_mark(&open, row, app, world);
        self.tell_changes(&open, row, app, world)
    }

    /// Whether an object already has all new values. Then the server asks no one and writes nothing. It does not
    /// compare values that the client may not read: the answer would say whether the client has guessed them.
    pub(super) fn is_so_already(
        &mut self,
        open: &Open,
        old: &Json,
        app: &App,
        world: &mut World<'_>,
    ) -> Result<bool, Fault> {
        let dictionary = app.dictionary()?.clone();
        let slots = open.change.subject.slots.iter().zip(&open.change.values).enumerate();
        let is_so = |(at, (slot, given)): (usize, (&Slot, &Given))| {
            let old = value(old.get(at).unwrap_or(&Json::Null), Some(&slot.kind), &dictionary);
            slot.readable && is_held(given, &old, &dictionary, world) == Some(true)
        };
        let may_read = |slot: &Slot| may_read(&slot.term, app, world.gate, world.now);
        if !open.change.subject.slots.iter().all(may_read) {
            return Ok(false);
        }
        if !slots.into_iter().all(is_so) {
            return Ok(false);
        }
        self.tell_changes(open, &json!({ "old": old, "now": old, "unwritten": true }), app, world)?;
        Ok(true)
    }

    /// Stores the identity of the object at the time of the write. The object must still have it next time.
    fn keep_mark(&self, open: &Open, row: &Json, app: &App, world: &mut World<'_>) {
        let Some(mark) = row.get("mark").and_then(Json::as_str) else { return };
        let others = world.references.of(&app.bundle_id, &open.change.subject.path);
        self.id_of(open).into_iter().chain(others).for_each(|id| world.references.mark(id, mark));
    }

    fn tell_changes(
        &mut self,
        open: &Open,
        row: &Json,
        app: &App,
        world: &mut World<'_>,
    ) -> Result<(), Fault> {
        let dictionary = app.dictionary()?.clone();
        let cell =
            |name: &str, at: usize| row.get(name).and_then(|list| list.get(at)).cloned().unwrap_or_default();
        let mut told = Vec::new();
        for (at, (slot, given)) in open.change.subject.slots.iter().zip(&open.change.values).enumerate() {
            let written = Written {
                slot,
                given,
                old: cell("old", at),
                now: cell("now", at),
                client: open.given.get(at),
                is_undo: self.is_undo(open),
                adds: open.joins.get(at).is_some_and(Option::is_some),
                is_same: cell("same", at) == json!(true),
                is_home: row.get("filed").is_some_and(|id| !id.is_null())
                    && open.change.subject.home.as_ref().is_some_and(|home| home.slot == at),
            };
            let mut entry = match self.items.get(open.item).and_then(|item| item.id) {
                Some(id) => json!({ "reference": id.to_string() }),
                None => json!({ "object": open.told(app, world) }),
            };
            written.tell(&mut entry, app, &dictionary, world);
            // If a rule hides the value, the answer must not tell whether the value was different before.
            let is_written = row.get("unwritten").is_none()
                && (written.old != written.now || !may_read(&slot.term, app, world.gate, world.now));
            if !is_written && entry["verified"] == json!(true) {
                entry["note"] = json!(SO_ALREADY);
            }
            let lost = open.lost(&dictionary).filter(|_| is_written && open.is_lossy(slot, app));
            let undo = if is_written && lost.is_none() && written.is_known(&entry) {
                written.undo(open, row, app, world)
            } else {
                None
            };
            if let Some(lost) = &lost {
                entry["noWayBack"] = json!([told_loss(lost, &slot.term, app)]);
            }
            // The id of the whole call is at the top.
            if is_written && undo.is_none() {
                entry["undo"] = Json::Null;
                let words = open.told(app, world);
                self.lasting.push((
                    app.bundle_id.to_string(),
                    format!("set {} of {words}", slot.term),
                    if lost.is_some() { LOST } else { written.lasts(&entry, open) },
                ));
            }
            self.undo.extend(undo);
            told.push(entry);
        }
        if let Some(item) = self.items.get_mut(open.item) {
            item.told = told;
        }
        Ok(())
    }
}

/// Changes the references that identify an object by its name or mark, if a write has changed that.
fn follow(mut open: Open, row: &Json, app: &App, world: &mut World<'_>) -> Open {
    if let Some(path) = filed(&open.change, row) {
        world.references.renamed(&app.bundle_id, &open.change.subject.path, Some(&path));
        open.change.subject.path = path;
        return open;
    }
    let subject = &mut open.change.subject;
    let Some((container, Segment::Element(member, by))) = subject.path.last() else { return open };
    let mark = row.get("mark").and_then(Json::as_str);
    let place = |index: u32| match (&subject.mark, mark) {
        (Some(property), Some(value)) => {
            let mark = Mark { property: property.clone(), value: value.to_owned() };
            By::Place(index, Arc::new(mark))
        }
        _ => By::Index(index),
    };
    let index = row.get("place").and_then(Json::as_u64).and_then(|index| u32::try_from(index).ok());
    let by = match (row.get("name").and_then(Json::as_str), index, by) {
        (Some(name), ..) => By::Name(name.to_owned()),
        (None, Some(index), _) => place(index),
        (None, None, By::Place(index, known)) if mark.is_some_and(|mark| mark != known.value) => {
            place(*index)
        }
        _ => return open,
    };
    let path = container.then(Segment::Element(member.clone(), by));
    world.references.renamed(&app.bundle_id, &subject.path, Some(&path));
    subject.path = path;
    open
}

/// The container that an object was filed in by its new value, and its id there.
fn filed(change: &Change, row: &Json) -> Option<Path> {
    let id = match row.get("filed")? {
        Json::String(id) => Id::Text(id.clone()),
        id => Id::Number(id.as_i64()?),
    };
    let (_, Segment::Element(member, _)) = change.subject.path.last()? else { return None };
    let Given::Object(place) = change.values.get(change.subject.home.as_ref()?.slot)? else { return None };
    Some(place.then(Segment::Element(member.clone(), By::Id(id))))
}

/// One property that was written.
struct Written<'a> {
    slot: &'a Slot,
    given: &'a Given,
    old: Json,
    now: Json,
    client: Option<&'a Json>,
    is_undo: bool,
    /// Whether a text was added to the old one.
    adds: bool,
    /// Whether the app returned the given object in another form.
    is_same: bool,
    /// Whether the object was found in the place that this property names.
    is_home: bool,
}

impl Written<'_> {
    /// Adds the property, its values, and whether the write is verified.
    fn tell(&self, entry: &mut Json, app: &App, dictionary: &Dictionary, world: &mut World<'_>) {
        let now = value(&self.now, Some(&self.slot.kind), dictionary);
        let verified = match self.slot.readable {
            true if self.is_home || self.is_same => Some(true),
            true => is_held(self.given, &now, dictionary, world),
            false => None,
        };
        entry["property"] = json!(self.slot.term);
        if may_read(&self.slot.term, app, world.gate, world.now) {
            let old = value(&self.old, Some(&self.slot.kind), dictionary);
            let old = show(&old, app, world);
            let new = match verified {
                Some(_) => show(&now, app, world),
                None => self.client.cloned().unwrap_or_default(),
            };
            (entry["old"], entry["new"]) = cut_both(old, new, self.adds);
        } else {
            entry["withheld"] = json!(
                "the old and the new value are hidden, because the policy does not allow reading this property"
            );
        }
        entry["verified"] = json!(verified == Some(true));
        if let Some(note) = note(verified, &now, self.slot) {
            entry["note"] = json!(note);
        }
    }

    /// Whether the app changed the value, although not to the given one.
    fn is_another(&self) -> bool {
        let is_failed = self.now.get("$").and_then(Json::as_str) == Some("error");
        self.slot.readable && !is_failed && !self.now.is_null() && self.old != self.now
    }

    /// Whether the server knows which value the property has now. `entry` is what the answer tells of it.
    fn is_known(&self, entry: &Json) -> bool {
        entry["verified"] == json!(true) || self.is_another()
    }

    /// Why the write has no undo. The reason does not tell whether a value that a rule hides was empty.
    fn lasts(&self, entry: &Json, open: &Open) -> &'static str {
        let was_empty = entry.get("old") == Some(&Json::Null) && self.slot.readable;
        match self.is_known(entry) {
            false => UNCHECKED,
            true if !open.change.subject.path.is_stable() => BY_PLACE,
            true if was_empty => WAS_EMPTY,
            true => NO_OLD,
        }
    }

    /// The undo of the write, if the old value can be written and the object found again.
    fn undo(&self, open: &Open, row: &Json, app: &App, world: &mut World<'_>) -> Option<Undo> {
        let mark = row.get("mark").and_then(Json::as_str).map(str::to_owned);
        let path = &open.change.subject.path;
        if !path.is_stable() && mark.is_none() {
            return None;
        }
        let old = writable_again(&self.old, self.slot, path.class(), app, world)?;
        let looks = row["looks"].as_array().map(Vec::as_slice).unwrap_or_default();
        let looks = kept(&open.change.subject.looks, looks);
        Some(Undo {
            id: Undo::id((world.fresh)()),
            call: None,
            is_undo: self.is_undo,
            app: app.bundle_id.to_string(),
            object: path.to_json(),
            words: open.told(app, world),
            mark,
            at: world.now,
            way: Way::Set { property: self.slot.term.clone(), old, now: self.now.clone(), looks },
        })
    }
}

/// Whether a value is the given one. A folder of Finder and the path of that folder count as equal.
fn is_held(given: &Given, read: &Value, dictionary: &Dictionary, world: &World<'_>) -> Option<bool> {
    let home = world.home.trim_end_matches('/');
    let short = |path: &str| {
        let path = path.trim_end_matches('/');
        let below = path.strip_prefix(home).filter(|rest| !home.is_empty() && rest.starts_with('/'));
        below.map_or_else(|| path.to_owned(), |rest| format!("~{rest}"))
    };
    let given_path = match given {
        Given::Object(path) => path.to_posix(home),
        Given::File(path) => Some(short(path)),
        _ => None,
    };
    let read_path = match read {
        Value::Object(source) => read_source(dictionary, source).and_then(|path| path.to_posix(home)),
        Value::File(path) => Some(short(path)),
        _ => None,
    };
    match holds(given, read, dictionary) {
        Some(true) => Some(true),
        _ if given_path.is_some() && given_path == read_path => Some(true),
        other => other,
    }
}

/// An old value as it would be written back, if that is possible.
fn writable_again(old: &Json, slot: &Slot, class: &str, app: &App, world: &mut World<'_>) -> Option<Json> {
    let dictionary = app.dictionary().ok()?;
    let mut old = restorable(&value(old, Some(&slot.kind), dictionary), dictionary)?;
    // An app may have no value here, although its dictionary does not allow writing none. An empty list or an empty
    // text then means no value.
    if old.is_null() {
        let kinds = &slot.kind.0;
        let is_text = kinds.iter().all(|kind| ["text", "missing value"].contains(&kind.name.as_str()));
        let no_list = kinds.iter().any(|kind| kind.list).then(|| json!([]));
        let no_text = (is_text && no_list.is_none()).then(|| json!(""));
        let property = find_property(dictionary, class, &slot.term).ok()?;
        let mut empty = no_list.into_iter().chain([Json::Null]).chain(no_text);
        old = empty.find(|empty| checked(empty, property, app, world).is_ok())?;
    }
    Some(old)
}

/// What a write has removed besides the old value.
fn told_loss((what, count): &(String, Option<u64>), term: &str, app: &App) -> String {
    let count = count.map_or_else(|| "their number is unknown".to_owned(), |count| count.to_string());
    format!("{} removes {what} ({count}) and the marks of checklists when `{term}` is set", app.name)
}

/// The error for a change of `object` that would remove something that the call does not mention.
pub(in crate::step) fn unmeant(lost: &(String, Option<u64>), term: &str, object: &str, app: &App) -> Fault {
    let message =
        format!("nothing was done to {object}, and nobody was asked: {}", told_loss(lost, term, app));
    let suggestion = format!(
        "use another object, such as a new one; if the user wants to lose the {} for good, call again with \"{LOSES}\": true, and the user is asked",
        lost.0
    );
    let count = lost.1.map_or(Json::Null, Json::from);
    let fault = Fault::new(Code::InvalidParameter, message, suggestion).with("property", term);
    fault.with("removes", json!({ lost.0.as_str(): count }))
}

fn note(verified: Option<bool>, now: &Value, slot: &Slot) -> Option<String> {
    match (verified, now) {
        (Some(true), _) => None,
        (_, Value::Failed { message, .. }) => {
            Some(format!("it could not be read back: {}", crate::foreign::says("the app", message, 200)))
        }
        (Some(false), _) => {
            Some("the app accepted the new value without an error but kept another one".to_owned())
        }
        (None, _) if !slot.readable => {
            Some("this property can only be written, so the result cannot be checked".to_owned())
        }
        (None, _) => Some("the app returns the value in its own form, so it cannot be compared".to_owned()),
    }
}

/// The length of the context shown around an addition to a text.
const CONTEXT: usize = 40;

/// Cuts long texts. If something was added to a text, only the new part is shown.
fn cut_both(old: Json, new: Json, adds: bool) -> (Json, Json) {
    let (Json::String(before), Json::String(after), true) = (&old, &new, adds) else {
        return (cut(old), cut(new));
    };
    let (before, after): (Vec<char>, Vec<char>) = (before.chars().collect(), after.chars().collect());
    let same = before.iter().zip(&after).take_while(|(a, b)| a == b).count();
    let behind = before.iter().rev().zip(after.iter().rev()).take_while(|(a, b)| a == b).count();
    let part = |text: &[char]| {
        let from = same.saturating_sub(CONTEXT);
        let to = (text.len() - behind.min(text.len() - same)).saturating_add(CONTEXT).min(text.len());
        let part: String = text[from..to].iter().collect();
        let (lead, rest) = (if from > 0 { "…" } else { "" }, if to < text.len() { "…" } else { "" });
        cut(json!(format!("{lead}{part}{rest}")))
    };
    (part(&before), part(&after))
}

/// Cuts a long text.
fn cut(value: Json) -> Json {
    match value {
        Json::String(text) if text.chars().count() > LONGEST => {
            let part: String = text.chars().take(LONGEST).collect();
            json!(format!("{part}…"))
        }
        other => other,
    }
}

/// The error for a property that the app does not set. `set` are the slots that were set before it.
fn refused_fault(error: &OsaError, open: &Open, at: usize, set: &[usize], back: bool, app: &App) -> Fault {
    let slots = &open.change.subject.slots;
    let fault = error.to_fault(&app.bundle_id, &app.name);
    let fault = match slots.get(at) {
        Some(slot) => fault.with("property", slot.term.as_str()),
        None => fault,
    };
    let value = open.change.values.get(at).filter(|_| error.is_missing_object());
    let fault = match value.and_then(|value| value.paths().into_iter().next()) {
        Some(path) => fault.with("value", path.to_string()),
        None => fault,
    };
    if set.is_empty() {
        return fault;
    }
    let before: Vec<&str> = set.iter().filter_map(|at| Some(slots.get(*at)?.term.as_str())).collect();
    let what = if back { "were put back" } else { "could not be put back, and hold their new values" };
    let fault = if back { fault } else { fault.with("outcome", PARTIAL) };
    fault.with("note", format!("the properties that were set before it ({}) {what}", before.join(", ")))
}
