//! The commands of `then`: `it` and `it 2` among their arguments are new objects.

use std::collections::BTreeSet;

use serde_json::{Value as Json, json};

use super::{Tree, Unfit, WHOLE};
use crate::action::{Action, Deed, Following, Invocation, StepSet};
use crate::app::App;
use crate::bind::{bind, candidates};
use crate::call::{CommandCall, IT, Mode, Next};
use crate::change::{SEND, beside, facts};
use crate::dictionary::{Dictionary, Identifier};
use crate::fault::{Code, Fault};
use crate::marshal::{Checker, Given};
use crate::permission::classify;
use crate::specifier::{By, Path, Segment};
use crate::step::create::answer::SAVE;
use crate::step::moves::MOVE;
use crate::step::{World, command, held};
use crate::words::{Level, RefId};

/// Checks that the app has every command of `then`, before the server looks anything up for the first one.
///
/// # Errors
/// The app lacks a command.
pub(in crate::step) fn check_following(
    then: &[Next],
    app: &App,
    dictionary: &Dictionary,
) -> Result<(), Fault> {
    then.iter().filter(|next| next.sets.is_empty()).try_for_each(|next| {
        let call = call_of(next, None, app);
        candidates(&call, app, dictionary).map(drop).map_err(|fault| at_place(fault, &next.place, &[]))
    })
}

/// One command of `then`.
fn call_of(next: &Next, target: Option<Json>, app: &App) -> CommandCall {
    CommandCall {
        app: app.bundle_id.to_string(),
        command: next.command.clone(),
        code: None,
        target,
        arguments: next.arguments.clone(),
        then: Box::default(),
        mode: Mode::Run,
        text: WHOLE,
    }
}

/// A new object among the arguments of a later command. During the check of the arguments, a reference stands for it,
/// so that it fits wherever an object fits.
pub(super) struct StandIn {
    /// The client's word for it besides `it`: `it 2`.
    word: String,
    reference: RefId,
    path: Path,
    /// Its number among all new objects.
    number: usize,
}

/// Makes the error of a later command name its place in the call and the client's own words. The client does not know
/// the placeholders.
pub(super) fn at_place(fault: Fault, place: &str, its: &[StandIn]) -> Fault {
    let message = its.iter().enumerate().fold(fault.message.clone(), |message, (at, it)| {
        message.replace(&it.reference.to_string(), if at == 0 { IT } else { &it.word })
    });
    let inner = fault.context.get("parameter").and_then(Json::as_str);
    let whole = inner.map_or_else(|| place.to_owned(), |inner| format!("{place}.{inner}"));
    Fault { message: format!("`{place}`: {message}"), ..fault }.with("parameter", whole)
}

impl Tree<'_> {
    /// A command that follows, and the references among its targets. If it needs a target and names none, the target is
    /// the first new object.
    ///
    /// # Errors
    /// The command is dangerous and reaches more than the new object, or its arguments are wrong.
    pub(super) fn following(
        &self,
        next: &Next,
        world: &mut World<'_>,
    ) -> Result<(Following, Vec<Option<RefId>>), Unfit> {
        let (dictionary, app) = (self.dictionary, self.app);
        let place = &next.place;
        // During the check of the arguments, a reference stands for the word, so that it fits wherever an object fits.
        let its = self.stand_ins(next.of);
        let word = |json: Json, it: &StandIn| said(&json, &it.word, &json!(it.reference.to_string()));
        let own = || its.first().map(|it| json!(it.reference.to_string()));
        let own = self.subject.clone().or_else(own).unwrap_or_default();
        let meant = |json: &Json| its.iter().fold(said(json, IT, &own), word);
        let is_its = |given: &Given| is(given, &|path| its.first().is_some_and(|it| *path == it.path));
        let call = |target: Option<Json>| {
            let arguments = next.arguments.iter().map(|(name, json)| (name.clone(), meant(json))).collect();
            CommandCall { arguments, ..call_of(next, target, app) }
        };
        let here = |fault: Fault| at_place(fault, place, &its);
        let known = candidates(&call(None), app, dictionary).map_err(here)?;
        // If the target is optional and left out, the command acts on something else: Finder's `empty` acts on the
        // Trash.
        let needs_target =
            known.iter().filter_map(|command| command.direct.as_ref()).any(|direct| !direct.optional);
        let target = match &next.target {
            Some(json) => Some(meant(json)),
            None => needs_target.then(|| meant(&json!(IT))),
        };
        let references = command::references(target.as_ref());
        let mut held = held(world.references, app, world.now);
        let mut with_it = |id: &RefId| match its.iter().find(|it| it.reference == *id) {
            Some(it) => Ok(it.path.clone()),
            None => held(id),
        };
        let mut checker = Checker { dictionary, held: &mut with_it, home: world.home, put: None, open: None };
        let mut sent = bind(&call(target), &known, app, &mut checker);
        if next.target.is_none()
            && self.subject.is_none()
            && sent.as_ref().is_ok_and(|sent| !sent.direct.iter().all(is_its))
        {
            // The command needs a text or a file. An object cannot replace it.
            sent = bind(&call(None), &known, app, &mut checker);
        }
        if let Some((given, container)) = checker.open.take() {
            let said = given.to_string();
            if its.iter().any(|it| said.contains(&it.reference.to_string())) {
                return Err(away(next, "several objects").into());
            }
            return Err(Unfit::Open(given, container));
        }
        let mut sent = sent.map_err(|fault| match no_such(next, &its) {
            Some(message) => here(Fault::new(Code::InvalidParameter, message, PARTS)),
            None => here(fault),
        })?;
        let values = sent.parameters.iter_mut().map(|argument| &mut argument.value);
        sent.direct.iter_mut().chain(values).for_each(|value| unsaid(value, &its));
        if sent.values().flat_map(Given::paths).any(leads_away) {
            return Err(away(next, "a position or another object").into());
        }
        if self.row.is_some() && sent.values().flat_map(|value| value.paths()).any(Following::leads_to_it) {
            let message = format!(
                "`{place}`: `it` is not known, because the first command is not about one object that stays"
            );
            let suggestion = "name the object as `target`, or send the command in a call of its own";
            return Err(Fault::new(Code::InvalidParameter, message, suggestion)
                .with("parameter", place.as_str())
                .into());
        }
        let mut judged = sent.clone();
        judged.replace_paths(|path| {
            let new = its.iter().find_map(|it| path.replaced(&it.path, self.ways.get(it.number)?));
            new.unwrap_or_else(|| path.clone())
        });
        // The script finds the new object by its id or a name that it checks, so a place that shifts does no harm.
        let is_new = sent.direct.iter().flat_map(Given::objects).all(Following::leads_to_it);
        (sent.is_fragile, judged.is_fragile) = (sent.is_fragile && !is_new, judged.is_fragile && !is_new);
        let alone = Action::of(app, Deed::Command(Box::new(judged.clone())));
        let is_elsewhere = beside(&app.bundle_id, dictionary, &sent.code).is_some();
        let spares = !is_elsewhere && !self.is_old && is_only_about_it(&sent);
        let classified = classify(&alone, world.gate.policy.levels());
        let following = Following { place: place.clone(), judged, sent };
        if !spares && classified.level == Level::Dangerous {
            return Err(dangerous(&following, classified.reason).into());
        }
        if is_weighty(&following.sent, app, dictionary) {
            return Err(dangerous(&following, WEIGHTY).into());
        }
        Ok((following, references))
    }

    /// The new objects as words in the arguments of a later command: those that are not inside other new objects, or
    /// all if there is only one of these. The first is the object that the command follows.
    fn stand_ins(&self, of: usize) -> Vec<StandIn> {
        let is_one = self.nodes.iter().filter(|node| node.parent.is_none()).count() == 1;
        let roots = self.nodes.iter().enumerate().filter(|(_, node)| is_one || node.parent.is_none());
        let mut roots: Vec<(usize, &str)> = roots.map(|(at, node)| (at, node.class.as_str())).collect();
        if roots.is_empty() {
            // Commands in a row make nothing. The word is still understood, so that it can be refused.
            roots.push((0, ""));
        }
        let stand_in = |(at, (number, class)): (usize, (usize, &str))| StandIn {
            word: format!("{IT} {}", at + 1),
            reference: RefId::stand_in(number),
            path: Following::it(number, class),
            number,
        };
        let mut all: Vec<StandIn> = roots.into_iter().enumerate().map(stand_in).collect();
        if of < all.len() {
            all[..=of].rotate_right(1);
        }
        all
    }
}

/// Refuses a command if its question would not show what earlier commands have put into its new object, which is a
/// message that is sent or an object that is deleted.
pub(super) fn check_order(then: &[Following], app: &App, world: &World<'_>) -> Result<(), Fault> {
    let numbers = |values: Vec<&Path>| -> BTreeSet<usize> {
        values.into_iter().filter_map(Following::number_of_it).collect()
    };
    for (at, next) in then.iter().enumerate() {
        let of = numbers(next.sent.direct.iter().flat_map(Given::paths).collect());
        let is_send = next.sent.code == SEND;
        let alone = Action::of(app, Deed::Command(Box::new(next.judged.clone())));
        if of.is_empty() || classify(&alone, world.gate.policy.levels()).level != Level::Dangerous {
            continue;
        }
        let refuse = |message: String, suggestion: &str| {
            let fault = Fault::new(Code::InvalidParameter, message, suggestion);
            Err(fault.with("parameter", next.place.as_str()))
        };
        if is_send && of.len() > 1 {
            let message = format!("`{}`: `{}` has several targets", next.place, next.sent.term);
            return refuse(message, "send each by a command of its own");
        }
        let fills = |before: &&Following| {
            let into = before.sent.parameters.iter().flat_map(|argument| argument.value.paths());
            let moves_in = before.sent.code == MOVE && !numbers(into.collect()).is_disjoint(&of);
            let all = numbers(before.sent.values().flat_map(Given::paths).collect());
            moves_in || (is_send && before.sent.code != SAVE && !all.is_disjoint(&of))
        };
        if let Some(before) = then.iter().take(at).find(fills) {
            let message = format!(
                "`{}`: `{}` of `{}` changes what `{}` reaches, so the question could not show it",
                next.place, before.sent.term, before.place, next.sent.term
            );
            return refuse(
                message,
                "give the parts of a new object as its `children`, or make a second call",
            );
        }
    }
    Ok(())
}

/// Refuses a step about an object that an earlier step of the call renames or moves, or whose name an earlier step
/// gives to another object: the question shows the object that is there now.
pub(super) fn check_names(sets: &[StepSet], then: &[Following]) -> Result<(), Fault> {
    for (at, set) in sets.iter().enumerate().filter(|(_, set)| set.change.renames()) {
        let is_given = |name: &str| {
            let is_it = |value: &Given| matches!(value, Given::Text(new) if new.to_lowercase() == name.to_lowercase());
            set.change.values.iter().any(is_it)
        };
        let own = set.change.subject.path.segments();
        let is_met = |path: &Path| {
            let segments = path.segments();
            let is_named =
                |segment: &&Segment| matches!(segment, Segment::Element(_, By::Name(name)) if is_given(name));
            let goes_through =
                segments.starts_with(&own) && matches!(own.last(), Some(Segment::Element(_, By::Name(_))));
            goes_through || segments.iter().any(is_named)
        };
        let sets = sets[at + 1..].iter().filter(|later| is_met(&later.change.subject.path));
        let commands = then.iter().skip(set.after);
        let commands = commands.filter(|next| next.sent.values().flat_map(Given::paths).any(is_met));
        let place = sets.map(|later| &later.place).chain(commands.map(|next| &next.place)).next();
        if let Some(place) = place {
            let message = format!("`{place}`: `{}` changes which object has this name", set.place);
            let suggestion = "name the object by its id, or make a second call";
            return Err(
                Fault::new(Code::InvalidParameter, message, suggestion).with("parameter", place.as_str())
            );
        }
    }
    for (at, set) in sets.iter().enumerate().filter(|(_, set)| !set.is_loose()) {
        let terms = |set: &StepSet| -> Vec<Identifier> {
            set.change.subject.slots.iter().map(|slot| slot.identifier.clone()).collect()
        };
        let own = terms(set);
        let is_again = |later: &&StepSet| {
            later.change.subject.path == set.change.subject.path
                && terms(later).iter().any(|it| own.contains(it))
        };
        // The undo could not tell which of the values was there before.
        if let Some(later) = sets[at + 1..].iter().find(is_again) {
            let message = format!("`{}` sets what `{}` has set", later.place, set.place);
            let suggestion = "set each property of an object once, or make a second call";
            return Err(Fault::new(Code::InvalidParameter, message, suggestion)
                .with("parameter", later.place.as_str()));
        }
    }
    for (at, next) in then.iter().enumerate().filter(|(_, next)| next.sent.code == MOVE) {
        let moved: Vec<Vec<&Segment>> =
            next.sent.direct.iter().flat_map(Given::objects).map(Path::segments).collect();
        let is_moved = |set: &&StepSet| {
            let own = set.change.subject.path.segments();
            set.after > at && moved.iter().any(|path| own.starts_with(path))
        };
        if let Some(set) = sets.iter().find(is_moved) {
            let message = format!("`{}`: the object is moved before, by `{}`", set.place, next.sent.term);
            let suggestion = "set its properties before it is moved, or in a second call";
            return Err(
                Fault::new(Code::InvalidParameter, message, suggestion).with("parameter", set.place.as_str())
            );
        }
    }
    Ok(())
}

/// Whether a value is an object that passes a test, or a list of only these.
fn is(given: &Given, such: &dyn Fn(&Path) -> bool) -> bool {
    match given {
        Given::Object(path) => such(path),
        Given::List(items) => !items.is_empty() && items.iter().all(|item| is(item, such)),
        _ => false,
    }
}

/// Whether a command acts on new objects and on nothing else. A path that starts at a new object does not count: its
/// container and its contents may have existed before.
fn is_only_about_it(command: &Invocation) -> bool {
    let replaces = command.parameter("replacing").is_some_and(|value| *value != Given::Bool(false));
    let stays = |value: &Given| value.files().is_empty() && value.paths().into_iter().all(Following::is_it);
    let is_target = command.direct.as_ref().is_some_and(|given| is(given, &Following::is_it));
    is_target && !replaces && command.parameters.iter().all(|argument| stays(&argument.value))
}

/// The way to name a part of a new object.
const PARTS: &str = "`it` is the first of `objects`, `it 2` the second; a part of one is named through it, such as folder \"A\" of it";

/// The message for a number that no new object has: `it 3` of two.
fn no_such(next: &Next, its: &[StandIn]) -> Option<String> {
    let given = next.target.iter().chain(next.arguments.values()).filter_map(Json::as_str);
    let word = given.map(last).find(|word| is_number(word) && its.iter().all(|it| it.word != *word))?;
    let count = match its.len() {
        1 => "the call makes one new object".to_owned(),
        count => format!("`{IT} {count}` is the last"),
    };
    Some(format!("there is no `{word}`: {count}"))
}

/// Whether a text names a new object or a part of one.
pub(super) fn is_about_it(text: &str) -> bool {
    last(text) == IT || is_number(last(text))
}

/// The last word of a path: `it 2` in `folder "A" of it 2`.
fn last(text: &str) -> &str {
    text.rsplit_once(OF).map_or(text, |(_, last)| last)
}

fn is_number(word: &str) -> bool {
    word.strip_prefix("it ").is_some_and(|number| number.parse::<usize>().is_ok())
}

/// Restores a text that was replaced by a placeholder, because the placeholder was meant only for an object.
fn unsaid(given: &mut Given, its: &[StandIn]) {
    match given {
        Given::Text(text) => {
            let is_last = |it: &StandIn| through(text, &it.reference.to_string()).is_some();
            if let Some(at) = its.iter().position(is_last) {
                let before = text.len() - its[at].reference.to_string().len();
                text.replace_range(before.., if at == 0 { IT } else { &its[at].word });
            }
        }
        Given::List(items) => items.iter_mut().for_each(|item| unsaid(item, its)),
        Given::Record(fields) => fields.iter_mut().for_each(|(_, value)| unsaid(value, its)),
        _ => {}
    }
}

/// Why a command is sent in a call of its own if [`is_weighty`] holds.
pub(in crate::step::create) const WEIGHTY: &str = "may affect more than its target";

/// Whether the question about a command alone says what its targets contain or stand for. The question about several
/// commands does not say it.
pub(in crate::step::create) fn is_weighty(command: &Invocation, app: &App, dictionary: &Dictionary) -> bool {
    let of = |path: &Path| facts(&app.bundle_id, dictionary, &command.code, path.class());
    let objects = command.direct.iter().flat_map(Given::objects).filter(|path| !Following::leads_to_it(path));
    objects.flat_map(of).any(|fact| fact.weighs() || fact.is_standing())
}

/// The error for a later command that the question could not show in full.
pub(in crate::step::create) fn dangerous(next: &Following, reason: impl std::fmt::Display) -> Fault {
    // The first of some commands in a row is not a part of `then`, but nothing may follow it either.
    let place = if next.place.is_empty() { "then" } else { &next.place };
    let message = format!("`{place}`: `{}` {reason}, so `then` refuses it", next.sent.term);
    let suggestion = "send it in a call of its own, so that the user sees what it is about";
    Fault::new(Code::InvalidParameter, message, suggestion).with("parameter", place)
}

/// Classes of text and its parts. They belong to the new object, wherever they stand in it.
const TEXTS: [&str; 7] = ["rich text", "text", "paragraph", "word", "character", "attribute run", "line"];

/// Whether a path goes through a new object to something that the question cannot show: a position may lead to another
/// object by then, and a property such as `container` leads to one that was there before.
fn leads_away(path: &Path) -> bool {
    if !Following::leads_to_it(path) {
        return false;
    }
    let segments = path.segments();
    let is_text = |segment: &&&Segment| match segment {
        Segment::Property(member) | Segment::Element(member, _) => TEXTS.contains(&member.class.as_str()),
    };
    let inside = segments.iter().skip(1).take_while(|segment| !is_text(segment));
    let is_named = |segment: &&Segment| matches!(segment, Segment::Element(_, By::Name(_) | By::Id(_)));
    !inside.into_iter().all(is_named)
}

fn away(next: &Next, to: &str) -> Fault {
    let message =
        format!("`{}`: a path through `it` leads to {to}, which the question could not show", next.place);
    let suggestion = "through a new object, name what this call puts into it, such as folder \"A\" of it; name other objects from the app";
    Fault::new(Code::InvalidParameter, message, suggestion).with("parameter", next.place.as_str())
}

/// Between an object and its container.
const OF: &str = " of ";

/// What stands before a word at the end of a text: nothing, or a path that begins with it (`folder "A" of it`).
fn through<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    // A path of a file is not read as words: `~/Desktop/best of it`.
    let is_file = text.starts_with(['/', '~']);
    text.strip_suffix(word).filter(|before| before.is_empty() || (before.ends_with(OF) && !is_file))
}

/// Replaces a word by another, as a whole text or at the end of a path.
fn said(json: &Json, from: &str, to: &Json) -> Json {
    match json {
        Json::String(text) if text == from => to.clone(),
        Json::String(text) => match (through(text, from), to.as_str()) {
            (Some(before), Some(to)) => json!(format!("{before}{to}")),
            _ => json.clone(),
        },
        Json::Array(items) => items.iter().map(|item| said(item, from, to)).collect(),
        Json::Object(fields) => {
            fields.iter().map(|(name, value)| (name.clone(), said(value, from, to))).collect()
        }
        other => other.clone(),
    }
}
