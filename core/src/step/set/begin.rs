//! Turns arguments into changes. Every error is found before anything runs.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Value as Json, json};

use super::number::{self, Sum};
use super::{Item, Known, Open, Setting};
use crate::app::{App, same_id};
use crate::call::{How, NewValue, SetProperty};
use crate::change::{
    Change, Expected, Fact, Look, SHARED, Save, Slot, Subject, are_dates, as_html, examples, home, kept_date,
    lock, loss, placed, repeats, shared, standing, telling, unmoved,
};
use crate::dictionary::{Dictionary, Identifier, Property, names};
use crate::fault::{Code, Fault};
use crate::identity::identity;
use crate::labels;
use crate::marshal::{Checker, Given, as_meant};
use crate::moment::Shift;
use crate::numbered;
use crate::permission::{may_name, may_read};
use crate::series;
use crate::specifier::{Container, Path, Specifier, SpecifierError, find_property, quoted};
use crate::step::carried::{self, Carried, ReadAs};
use crate::step::properties::unsettled;
use crate::step::show::value;
use crate::step::{Step, World, command, create, held, moves, occurrence};
use crate::undo::{self, Undo, Way};
use crate::value::Value;
use crate::words::RefId;

/// Begins `iac_mcp_set_property`.
pub(in crate::step) fn start(call: &SetProperty, world: &mut World<'_>) -> Result<Step, Fault> {
    let mut setting = Setting::new(call.list);
    // A plugin has no argument for it. The human is asked about its change, too.
    setting.may_lose = call.may_lose || world.gate.plugin.is_some();
    let mut of_app: Option<String> = None;
    let (mut seen, mut added) = (BTreeSet::new(), BTreeSet::new());
    for (named, values) in call.references.iter().zip(&call.values) {
        let id = match named {
            Ok(Container::Reference(id)) => id,
            Ok(Container::Specifier(_)) => return Err(unsettled()),
            Err(stranger) => {
                setting.items.push(Item::default());
                setting.fail_last(stranger.fault.clone().with("given", stranger.given.clone()));
                continue;
            }
        };
        match (seen.insert(*id), call.properties.len()) {
            (true, _) => {}
            // The same values twice are the same change.
            (false, 1) => continue,
            (false, _) => return Err(named_twice(*id)),
        }
        setting.items.push(Item { id: Some(*id), ..Item::default() });
        let opened = one_app(*id, &mut of_app, world)
            .and_then(|bundle_id| open(*id, &bundle_id, &call.properties[*values], world));
        // If two references lead to one object, the call would add to it twice, or count the second value from the
        // first result.
        let twin = opened.as_ref().ok().and_then(Open::added_to);
        if twin.is_some_and(|twin| !added.insert(twin)) {
            return Err(named_twice(*id));
        }
        match opened {
            Ok(open) => setting.open.push(Open { item: setting.items.len() - 1, ..open }),
            Err(fault) if call.list => setting.fail_last(fault),
            Err(fault) => return Err(fault),
        }
    }
    setting.begin(of_app, world)
}

/// Begins `iac_mcp_undo`.
pub(in crate::step) fn start_undo(undos: &[Undo], world: &mut World<'_>) -> Result<Step, Fault> {
    let parts = undo::parts(undos);
    if parts.len() > 1 {
        return Err(undo::apart(&parts));
    }
    if let Some(undo) = undos.iter().find(|undo| matches!(undo.way, Way::Call { .. })) {
        let message = format!("`undo`: `{}` is a change of a plugin, which is taken back alone", undo.id);
        return Err(Fault::new(Code::InvalidParameter, message, "make a call with this id alone"));
    }
    if let Some(undo) = undos.iter().find(|undo| matches!(undo.way, Way::Run { .. })) {
        return command::start_back(undo, world);
    }
    if undos.iter().any(|undo| matches!(undo.way, Way::Create { .. })) {
        return create::start_unmake(undos, world);
    }
    if undos.iter().any(|undo| matches!(undo.way, Way::Move { .. })) {
        return moves::start_back(undos, world);
    }
    let (left, undos): (Vec<&Undo>, Vec<&Undo>) = undos.iter().partition(|undo| undo.is_lasting());
    let chains = chains(undos, world);
    // Undo reverses all writes of a call to one object together, because an app that keeps two properties in step
    // changes both. It also reverses both dates of an object together, because the app refuses one that ends before it
    // starts.
    let mut objects: Vec<Vec<&Chain>> = Vec::new();
    for chain in &chains {
        let joins = |all: &&mut Vec<&Chain>| {
            let is_other = |each: &&Chain| {
                (&each.undo.object, &each.undo.mark) == (&chain.undo.object, &chain.undo.mark)
                    && each.undo.property() != chain.undo.property()
            };
            let goes_along = |each: &&Chain| each.undo.at == chain.undo.at || each.is_span_with(chain);
            all.iter().all(is_other) && all.iter().any(goes_along)
        };
        match objects.iter_mut().find(joins) {
            Some(all) => all.push(chain),
            None => objects.push(vec![chain]),
        }
    }
    let mut setting = Setting::new(objects.len() > 1);
    setting.left = left.into_iter().map(Undo::for_good).collect();
    let of_app = chains.first().map(|chain| chain.undo.app.clone());
    for chains in &objects {
        let ids = chains.iter().flat_map(|chain| chain.ids.clone()).collect();
        setting.items.push(Item { undo: ids, ..Item::default() });
        let undos: Vec<&Undo> = chains.iter().map(|chain| &chain.undo).collect();
        match open_undo(&undos, world) {
            Ok(open) => setting.open.push(Open { item: setting.items.len() - 1, ..open }),
            Err(fault) if setting.list => setting.fail_last(fault),
            Err(fault) => return Err(fault),
        }
    }
    // Properties that identify an object are restored last, because the other writes still need the old ones.
    setting.open.sort_by_key(|open| open.change.renames());
    setting.begin(of_app, world)
}

/// Writes of one property that followed each other, as one: from the last value back to the first.
struct Chain {
    undo: Undo,
    /// The ids of all of them.
    ids: Vec<String>,
}

impl Chain {
    /// Whether both together are the two dates of one object.
    fn is_span_with(&self, other: &Self) -> bool {
        let class = self.undo.object["element"].as_str().unwrap_or_default();
        let pair = self.undo.property().zip(other.undo.property());
        pair.is_some_and(|(one, other)| are_dates(&self.undo.app, class, one, other))
    }
}

/// Joins writes of a property if each found the value that the one before it had left. Otherwise someone else has
/// changed the value in between, and the writes stay separate.
fn chains(mut undos: Vec<&Undo>, world: &World<'_>) -> Vec<Chain> {
    undos.sort_by_key(|undo| std::cmp::Reverse(undo.at.0));
    let mut chains: Vec<Chain> = Vec::new();
    for undo in undos {
        let follows = |chain: &&mut Chain| match (&chain.undo.way, &undo.way) {
            (Way::Set { property, old, .. }, Way::Set { property: before, now, .. }) => {
                (&chain.undo.app, &chain.undo.object, &chain.undo.mark)
                    == (&undo.app, &undo.object, &undo.mark)
                    && property == before
                    && chain.undo.at.0 > undo.at.0
                    && is_value(old, now, &undo.app, world)
            }
            _ => false,
        };
        match (chains.iter_mut().find(follows), &undo.way) {
            (Some(chain), Way::Set { old: first, .. }) => {
                if let Way::Set { old, .. } = &mut chain.undo.way {
                    old.clone_from(first);
                }
                chain.ids.push(undo.id.clone());
            }
            _ => chains.push(Chain { undo: undo.clone(), ids: vec![undo.id.clone()] }),
        }
    }
    chains
}

/// Whether a value as a client gives it is the value that a script has reported.
fn is_value(given: &Json, told: &Json, app: &str, world: &World<'_>) -> bool {
    let Some(dictionary) = world.apps.find(app).ok().and_then(|app| app.dictionary().ok()) else {
        return false;
    };
    value(told, None, dictionary).to_json(&mut |source| Json::from(source)) == *given
}

impl Setting {
    pub(super) fn new(list: bool) -> Self {
        Self {
            list,
            items: Vec::new(),
            open: Vec::new(),
            seen: false,
            is_step: false,
            may_lose: false,
            writes: false,
            rounds: 0,
            undo: Vec::new(),
            lasting: Vec::new(),
            unsaved: None,
            left: Vec::new(),
            lost: Vec::new(),
            search: None,
            naming: None,
            names: Arc::default(),
            zone: Known::Not,
        }
    }

    fn fail_last(&mut self, fault: Fault) {
        if let Some(item) = self.items.last_mut() {
            item.fault = Some(fault);
        }
    }

    /// Begins the write, and tells how words of the client were read.
    fn begin(self, app: Option<String>, world: &mut World<'_>) -> Result<Step, Fault> {
        let read = self.open.iter().flat_map(|open| open.read.clone()).collect();
        Ok(carried::with(self.begun(app, world)?, Carried::wrote(read)))
    }

    /// Begins the write. Only the objects that the question names are asked for their names.
    fn begun(mut self, app: Option<String>, world: &mut World<'_>) -> Result<Step, Fault> {
        let most = may_name(self.open.len());
        let unnamed = self.sets().into_iter().flat_map(|set| set.into_iter().skip(most));
        for at in unnamed.collect::<Vec<_>>() {
            // The dates of a series depend on the property that identifies it.
            if app.as_ref().is_some_and(|app| self.open[at].leaves_out(app)) {
                continue;
            }
            let Open { change, unnamed, .. } = &mut self.open[at];
            let subject = &mut change.subject;
            // The notes count all objects that stand for others, lose something, or are shared. A date that stays is
            // compared for all of them.
            let is_needed = |fact: &&Fact| {
                fact.is_standing() || fact.is_lost || fact.caption == SHARED || !fact.is_shown()
            };
            let kept = subject.facts.iter().filter(is_needed).cloned().collect();
            let facts = std::mem::replace(&mut subject.facts, kept);
            *unnamed = Some((std::mem::take(&mut subject.labels), facts));
        }
        match app {
            Some(app) => {
                let app = world.apps.find(&app)?;
                self.go_on(app, 0, world)
            }
            None => self.done(0, world),
        }
    }
}

/// The changes that a call would make, before anything is read.
///
/// # Errors
/// As [`start`].
pub(in crate::step) fn changes(call: &SetProperty, world: &mut World<'_>) -> Result<Vec<Change>, Fault> {
    let mut of_app: Option<String> = None;
    let ids = call.references.iter().zip(&call.values).filter_map(|(named, values)| match named {
        Ok(Container::Reference(id)) => Some((*id, *values)),
        _ => None,
    });
    let change = |(id, values): (RefId, usize)| {
        let app = one_app(id, &mut of_app, world)?;
        open(id, &app, &call.properties[values], world).map(|open| open.change)
    };
    ids.map(change).collect()
}

fn one_app(id: RefId, of_app: &mut Option<String>, world: &mut World<'_>) -> Result<String, Fault> {
    let app = world.references.touch(id, world.now)?.object.app.to_string();
    match of_app {
        Some(known) if *known != app => Err(several_apps(&app)),
        _ => {
            *of_app = Some(app.clone());
            Ok(app)
        }
    }
}

fn several_apps(app: &str) -> Fault {
    let message = format!("`reference`: expected references of one app, and one belongs to {app}");
    Fault::new(Code::InvalidParameter, message, "make one call for each app")
}

fn named_twice(id: RefId) -> Fault {
    let message = format!("this call names {id} twice, and its values would be set twice");
    let suggestion = "name each object once, with all its values in one item";
    Fault::new(Code::InvalidParameter, message, suggestion).with("reference", id.to_string())
}

fn open(id: RefId, app: &str, values: &[NewValue], world: &mut World<'_>) -> Result<Open, Fault> {
    if !occurrence::leaves_out(id, values, world) {
        occurrence::refuse([id], world)?;
    }
    let held = world.references.touch(id, world.now)?;
    let path = held.object.path.clone();
    let mark = held.mark.as_deref().or(path.mark()).map(str::to_owned);
    let app = world.apps.find(app)?;
    let properties: Vec<(&str, &Json, How)> =
        values.iter().map(|new| (new.property.as_str(), &new.value, new.how)).collect();
    let mut open = opened(path, &properties, Expected { mark, ..Expected::default() }, app, world)
        .map_err(|fault| fault.with("reference", id.to_string()))?;
    open.read_kept_date(app);
    Ok(open)
}

impl Open {
    /// Reads the date that stays, if the change sets only one of the two dates of an object that takes time. It is the
    /// last fact, and no question shows it.
    pub(super) fn read_kept_date(&mut self, app: &App) {
        let subject = &mut self.change.subject;
        self.kept = kept_date(&app.bundle_id, subject.path.class(), &subject.slots);
        let identifier = self.kept.and_then(Identifier::of);
        subject.facts.extend(identifier.map(|term| Fact::new("", Look::Property(vec![term]))));
    }

    /// Refuses a change of dates with the result that the object ends before it starts. The app would refuse it, too,
    /// but only after the user has agreed. `row` is what the look at the object has read.
    ///
    /// # Errors
    /// The end would be before the start. A date that stays does not count if the client may not read it, because the
    /// error names it.
    pub(super) fn check_times(&self, row: &Json, app: &App, world: &World<'_>) -> Result<(), Fault> {
        let dictionary = app.dictionary()?;
        let read = row.get(4).and_then(Json::as_array).and_then(|facts| facts.last());
        let date = match value(read.unwrap_or(&Json::Null), None, dictionary) {
            Value::Date(date) => Some(date),
            _ => None,
        };
        let kept = self.kept.filter(|term| may_read(term, app, world.gate, world.now));
        let kept = kept.and_then(|term| Some((term, date.as_deref()?)));
        let subject = &self.change.subject;
        check_times(&app.bundle_id, subject.path.class(), &subject.slots, &self.change.values, kept)
    }
}

/// Opens one object whose properties get their old values back.
fn open_undo<'u>(undos: &[&'u Undo], world: &mut World<'_>) -> Result<Open, Fault> {
    let Some(undo) = undos.first() else { return Err(several_apps("")) };
    let app = world.apps.find(&undo.app)?;
    let specifier = Specifier::parse(&undo.object, "object")?;
    let path = specifier.resolve(app.dictionary()?, &mut *held(world.references, app, world.now))?.path;
    let of = |undo: &&'u Undo| match &undo.way {
        Way::Set { property, old, now, .. } => Ok((property.as_str(), old, now)),
        _ => Err(several_apps(&undo.app)),
    };
    let values = undos.iter().map(of).collect::<Result<Vec<_>, Fault>>()?;
    let news: Vec<_> = values.iter().map(|(property, old, _)| (*property, *old, How::Set)).collect();
    let expected = Expected { mark: undo.mark.clone(), ..Expected::default() };
    let mut open = opened(path, &news, expected, app, world)?;
    let now = |slot: &Slot| values.iter().find(|(property, ..)| *property == slot.term).map(|(.., now)| *now);
    let now: Vec<Option<&Json>> = open.change.subject.slots.iter().map(now).collect();
    open.change.expected.old = Some(json!(now));
    if let Way::Set { looks, .. } = &undo.way
        && !looks.is_empty()
    {
        let (looks, values): (Vec<Option<Identifier>>, Vec<&Json>) =
            looks.iter().map(|(look, is)| (Identifier::of(look), is)).unzip();
        open.change.subject.looks = looks.into_iter().flatten().collect();
        open.change.expected.looks = Some(json!(values));
    }
    open.read_kept_date(app);
    open.words.clone_from(&undo.words);
    Ok(open)
}

pub(super) fn opened(
    path: Path,
    properties: &[(&str, &Json, How)],
    expected: Expected,
    app: &App,
    world: &mut World<'_>,
) -> Result<Open, Fault> {
    let dictionary = app.dictionary()?;
    let (mut slots, mut values, mut given, mut joins) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    // Properties that identify the object are set last, first its name and then its place, because the other properties
    // are set through the old path.
    let place = path.last().and_then(|(container, _)| home(dictionary, path.class(), container.class()));
    let rank = |term: &str| match dictionary.property(path.class(), term) {
        Some(property) if property.code == "pnam" => 1,
        Some(property) if place.is_some() && Identifier::of(&property.name) == place => 2,
        _ => 0,
    };
    let mut properties = properties.to_vec();
    properties.sort_by_key(|(term, ..)| rank(own_term(dictionary, path.class(), term)));
    let read = read_as(dictionary, path.class(), properties.iter().map(|(term, ..)| *term));
    // One error names everything that is wrong, so that one more call is enough.
    let mut faults = Vec::new();
    for (term, json, how) in &properties {
        let property = match writable(dictionary, path.class(), term) {
            Ok(property) => property,
            Err(fault) => {
                faults.push(fault);
                continue;
            }
        };
        if slots.iter().any(|slot: &Slot| slot.term == property.name) {
            return Err(twice(&property.name));
        }
        let own = json.as_str().filter(|_| *how == How::Set).and_then(|text| from_own(text, term, property));
        if let Some(text) = &own {
            joins.push(Some((How::Shift, json!(text))));
            values.push(Given::Text(text.clone()));
            slots.push(slot(&app.bundle_id, property)?);
            given.push(json!(text));
            continue;
        }
        // An addition to a list is one item of it, or several.
        let is_list = *how != How::Set && property.kind.0.iter().any(|kind| kind.list);
        let json = if is_list && !json.is_array() { &json!([json]) } else { *json };
        let value = match checked(json, property, app, world) {
            Ok(value) => value,
            Err(fault) => {
                faults.push(fault);
                continue;
            }
        };
        let html = as_html(&app.bundle_id, path.class(), &property.name, &value);
        let (json, value) = match html {
            Some(html) => (json!(html), Given::Text(html)),
            None => (as_meant(json, &value), value),
        };
        joins.push(join(*how, property, &json, &value)?);
        values.push(value);
        slots.push(slot(&app.bundle_id, property)?);
        given.push(json);
    }
    if let Some(fault) = Fault::joined(faults) {
        return Err(fault);
    }
    check_times(&app.bundle_id, path.class(), &slots, &values, None)?;
    let mut subject = Subject::of(&app.bundle_id, dictionary, path, slots);
    let is_set = |fact: &Fact| {
        let is_it = |slot: &Slot| fact.look == Look::Property(vec![slot.identifier.clone()]);
        subject.slots.iter().any(is_it)
    };
    let repeats = repeats(&app.bundle_id, dictionary, subject.path.class());
    let standing = standing(&app.bundle_id, dictionary, subject.path.class());
    let loss = loss(&app.bundle_id, dictionary, subject.path.class(), &subject.slots);
    let lock = lock(&app.bundle_id, subject.path.class(), &subject.slots);
    let examples = loss.as_ref().and_then(|loss| examples(loss, dictionary));
    let shared = shared(&app.bundle_id, dictionary, subject.path.class());
    let known = repeats.into_iter().filter(|fact| !is_set(fact)).chain(loss).chain(standing).chain(lock);
    let place = placed(&app.bundle_id, dictionary, &subject.path);
    let telling = telling(&app.bundle_id, dictionary, subject.path.class()).filter(|fact| !is_set(fact));
    let facts = telling.chain(known).chain(examples).chain(shared).chain(place).collect();
    subject.facts = facts;
    if subject.name.is_some() {
        let is_kept = |look: &Identifier| !subject.slots.iter().any(|slot| slot.identifier == *look);
        let own = identity(dictionary, subject.path.class()).id();
        let looks = own.into_iter().chain(unmoved(&app.bundle_id, dictionary, subject.path.class()));
        subject.looks = looks.filter(is_kept).collect();
    }
    let expected = Expected { mark: expected.mark.filter(|_| subject.mark.is_some()), ..expected };
    let save = create::saving(app, dictionary).map(|save| Save {
        term: save.term,
        code: save.code,
        identifier: save.identifier,
    });
    let excluded = series::dated(&app.bundle_id, subject.path.class());
    let excluded = excluded.and_then(|class| class.excluded.as_deref());
    Ok(Open {
        item: 0,
        excluded,
        kept: None,
        change: Change { subject, expected, values, loses: None, save },
        given,
        joins,
        read,
        words: String::new(),
        facts: String::new(),
        repeats: None,
        stands: None,
        lasts: Vec::new(),
        names: Arc::default(),
        row: Json::Null,
        unnamed: None,
    })
}

/// The text that counts a new value from the property's own, in the property's own name: `due + 1 day` is `due date +
/// 1 day`. `None` if it does not count from it.
fn from_own(text: &str, term: &str, property: &Property) -> Option<String> {
    let (not, rest) = text.strip_prefix("not ").map_or(("", text), |rest| ("not ", rest));
    let renamed = || Some(format!("{not}{}{}", property.name, rest.strip_prefix(term)?));
    let own = Some(text.to_owned()).filter(|text| is_from_own(text, property));
    own.or_else(|| renamed().filter(|text| is_from_own(text, property)))
}

/// The dictionary's name of a property that a client names by another word.
pub(in crate::step) fn own_term<'a>(dictionary: &'a Dictionary, class: &str, term: &'a str) -> &'a str {
    dictionary.meant_to_set(class, term).map_or(term, |property| property.name.as_str())
}

/// The words of a client that mean properties of other names: `{"title": "name"}`.
pub(in crate::step) fn read_as<'t>(
    dictionary: &Dictionary,
    class: &str,
    terms: impl Iterator<Item = &'t str>,
) -> ReadAs {
    let meant = |term: &str| Some((term.to_owned(), json!(dictionary.meant_to_set(class, term)?.name)));
    terms.filter_map(meant).collect()
}

/// Whether a text counts the new value from the property's own: `due date + 1 day`, `rating + 20`, `not flagged`.
fn is_from_own(text: &str, property: &Property) -> bool {
    let is = |name: &str| property.kind.0.iter().any(|kind| kind.name == name && !kind.list);
    let is_shift = is("date") && Shift::parse(text, &property.name).is_some();
    let is_sum = number::is_number(&property.kind) && Sum::parse(text, &property.name).is_some();
    property.access.can_read() && (is_shift || is_sum || is("boolean") && is_opposite(text, &property.name))
}

/// Whether a text is the opposite of a property's own value: `not flagged`.
pub(super) fn is_opposite(text: &str, property: &str) -> bool {
    text.strip_prefix("not ").is_some_and(|own| names::key(own) == names::key(property))
}

/// The addition, if there is one; the property must hold a text or a list that can be read.
fn join(how: How, property: &Property, json: &Json, value: &Given) -> Result<Option<(How, Json)>, Fault> {
    if how == How::Set {
        return Ok(None);
    }
    match value {
        Given::Text(_) | Given::List(_) if property.access.can_read() => Ok(Some((how, json.clone()))),
        _ => {
            let message =
                format!("`{}`: you can add only to a text or a list that can be read", property.name);
            let suggestion = "give the whole new value as `value`";
            Err(Fault::new(Code::TypeMismatch, message, suggestion).with("property", property.name.as_str()))
        }
    }
}

pub(in crate::step) fn writable<'a>(
    dictionary: &'a Dictionary,
    class: &str,
    term: &str,
) -> Result<&'a Property, Fault> {
    let property = match find_property(dictionary, class, term) {
        Err(error @ SpecifierError::IsElement { .. }) => return Err(not_set(error, dictionary)),
        Err(error) => match dictionary.meant_to_set(class, term) {
            Some(property) => property,
            None => return Err(with_move(error.into(), dictionary, class, term)),
        },
        Ok(found) => found,
    };
    if property.access.can_write() {
        return Ok(property);
    }
    let message = format!("property `{}` of `{class}` is read-only", property.name);
    let holder = property.kind.0.iter().find(|kind| dictionary.element(&kind.name, class).is_some());
    let moving = holder.and_then(|holder| moving(dictionary, &holder.name));
    let suggestion = moving.unwrap_or_else(|| settable_instead(dictionary, class, &property.name));
    Err(Fault::new(Code::PropertyReadOnly, message, suggestion).with("property", property.name.as_str()))
}

/// A class with more properties that can be set than this has only some of them named.
const MOST_NAMED: usize = 12;

/// The advice if a property is read-only: the properties that can be set, or those that resemble it if there are many.
fn settable_instead(dictionary: &Dictionary, class: &str, wrong: &str) -> String {
    let all = dictionary.properties(class).into_iter().filter(|each| each.access.can_write() && !each.hidden);
    let all: Vec<&str> = all.map(|each| each.name.as_str()).collect();
    if all.is_empty() {
        return format!("no property of `{class}` can be set");
    }
    if all.len() <= MOST_NAMED {
        return format!("the writable properties of `{class}` are {}", all.join(", "));
    }
    let words = names::split(wrong);
    // `first name` and `last name` for `name`, but not `phonetic last name`.
    let shares = |name: &&&str| {
        let own = names::split(name);
        own.len() <= words.len() + 1 && own.iter().any(|word| words.contains(word))
    };
    let mut near: Vec<&str> = all.iter().filter(shares).copied().collect();
    if near.is_empty() {
        near = all.iter().take(5).copied().collect();
    }
    let others = all.len() - near.len();
    format!("you can set {}, and {others} others: see iac_mcp_describe_app", near.join(", "))
}

/// The call that moves an object into a container, if the app has the command.
fn moving(dictionary: &Dictionary, holder: &str) -> Option<String> {
    let command = dictionary.commands.iter().find(|command| command.code == "coremove")?;
    let to = json!({ "to": format!("{holder} \"…\"") });
    let call = json!({ "command": command.name, "target": "…", "arguments": to });
    Some(format!("this is its place: move it with iac_mcp_run_command {call}"))
}

/// The error for a container that is given as a property: `list` of a reminder, or `list.name`.
fn with_move(fault: Fault, dictionary: &Dictionary, class: &str, term: &str) -> Fault {
    let term = term.strip_suffix(".name").unwrap_or(term);
    let is_home = |holder: &&str| dictionary.element(holder, class).is_some();
    let own = dictionary.class(term).map(|holder| holder.name.as_str());
    let kept = || {
        let kinds = &dictionary.property(class, term)?.kind.0;
        kinds.iter().map(|kind| kind.name.as_str()).find(is_home)
    };
    let suggestion = own.filter(is_home).or_else(kept).and_then(|holder| moving(dictionary, holder));
    match suggestion {
        Some(suggestion) => Fault { suggestion, ..fault },
        None => fault,
    }
}

/// The advice for putting a new element into an object.
const NEW: &str = "make a new one with iac_mcp_create and this object as `at`";

/// The error for elements. They are made in an object, and cannot be set as a property of it.
fn not_set(error: SpecifierError, dictionary: &Dictionary) -> Fault {
    let SpecifierError::IsElement { element, .. } = &error else { return error.into() };
    let suggestion = match dictionary.commands_named("add").first() {
        Some(add) => {
            let to = add.parameters.iter().find(|parameter| parameter.name == "to");
            let is_place =
                to.is_some_and(|to| to.kind.0.iter().any(|kind| kind.name == "location specifier"));
            let plural = dictionary.class(element).map_or(element, |class| &class.plural);
            let to = if is_place { format!("end of {plural} of …") } else { "…".to_owned() };
            let call =
                json!({ "command": "add", "target": format!("{element} …"), "arguments": { "to": to } });
            format!("put one that exists into it with iac_mcp_run_command {call}, or {NEW}")
        }
        None => format!("{NEW}, or move one that exists into it"),
    };
    Fault { suggestion, ..error.into() }
}

pub(in crate::step) fn checked(
    json: &Json,
    property: &Property,
    app: &App,
    world: &mut World<'_>,
) -> Result<Given, Fault> {
    let dictionary = app.dictionary()?;
    let mut held = held(world.references, app, world.now);
    let mut checker = Checker { dictionary, held: &mut *held, home: world.home, put: None, open: None };
    let place = format!("`{}`", property.name);
    let numbers = numbered::numbers(&app.bundle_id, &property.name);
    let number = json.as_str().and_then(|word| numbered::number(numbers, word)).map(Json::from);
    let label = json.as_str().and_then(|word| labels::own(&app.bundle_id, &property.name, word));
    let meant = number.or(label.map(Json::from));
    let json = meant.as_ref().unwrap_or(json);
    let given = checker.value(json, &property.kind, &place).map_err(|fault| {
        let code = if fault.code == Code::InvalidParameter { Code::TypeMismatch } else { fault.code };
        let is_text = property.kind.0.iter().any(|kind| kind.name == "text");
        let begins_with_own = |text: &str| names::key(text).starts_with(&names::key(&property.name));
        let suggestion = match json.is_null() || json == crate::marshal::MISSING {
            _ if !numbers.is_empty() => format!("give one of {}", numbered::listed(numbers)),
            true if is_text => "give a text; \"\" is an empty one".to_owned(),
            true => format!("{}; by the app's dictionary it cannot be empty", fault.suggestion),
            false if number::is_number(&property.kind) && json.as_str().is_some_and(begins_with_own) => {
                format!("{}, or count from its own value: `{} + 10`", fault.suggestion, property.name)
            }
            false => fault.suggestion,
        };
        Fault { code, suggestion, ..fault }.with("property", property.name.as_str())
    })?;
    if let Given::Text(text) = &given
        && ADDRESSES.iter().any(|(id, term)| same_id(id, &app.bundle_id) && *term == property.name)
        && !text.contains('@')
    {
        return Err(no_address(text, &property.name));
    }
    if let Given::Text(text) = &given
        && series::holds_rules(&app.bundle_id, &property.name)
    {
        series::check_rule(text).map_err(|error| no_rule(&error, &property.name))?;
    }
    match given.paths().into_iter().find(|path| !path.is_stable()) {
        Some(path) => Err(shifting(path, &property.name, dictionary)),
        None => Ok(given),
    }
}

/// Properties that hold an e-mail address: an app, and the property.
///
/// # Source
/// Mail's dictionary: the `address` of a recipient.
const ADDRESSES: [(&str, &str); 1] = [("com.apple.mail", "address")];

/// The error for a name in place of an e-mail address. A message to it could not be sent.
fn no_address(text: &str, property: &str) -> Fault {
    let message = format!("`{property}`: expected an e-mail address, got {}", quoted(text));
    let list = json!({ "app": "Contacts", "elements": "every email of every person whose name contains \"…\"", "properties": ["value", "label"] });
    let suggestion =
        format!("give an address such as ana@example.org, or find it with iac_mcp_get_elements {list}");
    Fault::new(Code::TypeMismatch, message, suggestion).with("property", property)
}

/// The error for words such as `weekly`, which do not make the app repeat an event.
fn no_rule(error: &series::WrongRule, property: &str) -> Fault {
    let suggestion = "write such a rule; COUNT=10 or UNTIL=20261231T225959Z ends it, and an empty text means that it does not repeat";
    Fault::new(Code::TypeMismatch, format!("`{property}`: {error}"), suggestion).with("property", property)
}

/// Refuses a new event that ends before it starts, or a change of its dates with that result. `kept` is the date that
/// stays as it is, and its property.
///
/// # Errors
/// The end is before the start. If only one of the dates names its zone, they cannot be compared, and the app decides.
pub(in crate::step) fn check_times(
    app: &str,
    class: &str,
    slots: &[Slot],
    values: &[Given],
    kept: Option<(&str, &str)>,
) -> Result<(), Fault> {
    let Some((start, end)) =
        series::dated(app, class).and_then(|dated| Some((&dated.start, dated.end.as_ref()?)))
    else {
        return Ok(());
    };
    let date = |term: &str| match slots.iter().position(|slot| slot.term == term) {
        Some(at) => match values.get(at)? {
            Given::Date(text) => Some(text.as_str()),
            _ => None,
        },
        None => kept.filter(|(kept, _)| *kept == term).map(|(_, date)| date),
    };
    let (Some(from), Some(to)) = (date(start), date(end)) else { return Ok(()) };
    let civil = |text: &str| text.parse::<jiff::civil::DateTime>().ok();
    let is_wrong = match (from.parse::<jiff::Timestamp>(), to.parse::<jiff::Timestamp>()) {
        (Ok(from), Ok(to)) => to < from,
        (Err(_), Err(_)) => civil(to) < civil(from),
        // A date that stays is in the zone of the Mac. So is a date that counts from the old one, which names no zone.
        _ if kept.is_some() => civil(to).zip(civil(from)).is_some_and(|(to, from)| to < from),
        _ => false,
    };
    if !is_wrong {
        return Ok(());
    }
    let message = format!("the {class} would end before it starts: `{end}` is {to}, and `{start}` is {from}");
    let suggestion = match kept {
        Some((kept, _)) => format!("give a new `{kept}` too, in the same call"),
        None => format!("give an `{end}` that is not before the `{start}`"),
    };
    Err(Fault::new(Code::InvalidParameter, message, suggestion)
        .with("property", kept.map_or(end.as_str(), |(kept, _)| kept)))
}

/// The error for a value that only a position leads to: another object may be there at the time of the write.
fn shifting(path: &Path, property: &str, dictionary: &Dictionary) -> Fault {
    let message = format!(
        "`{property}`: {path} is given by its position, and another object may be there when the property is set"
    );
    let class = path.class();
    let suggestion = match ["id", "name"].iter().any(|term| dictionary.property(class, term).is_some()) {
        true => "give its reference, or a specifier by its id or its name".to_owned(),
        false => format!("objects of class {class} have neither id nor name here, so none can be a value"),
    };
    Fault::new(Code::InvalidParameter, message, suggestion).with("property", property)
}

pub(in crate::step) fn slot(app: &str, property: &Property) -> Result<Slot, Fault> {
    let identifier =
        Identifier::of(&property.name).ok_or_else(|| SpecifierError::NoIdentifier(property.name.clone()))?;
    Ok(Slot {
        numbers: numbered::numbers(app, &property.name),
        is_interval: numbered::is_interval(app, &property.name),
        term: property.name.clone(),
        identifier,
        kind: property.kind.clone(),
        readable: property.access.can_read(),
        writable: property.access.can_write(),
    })
}

pub(in crate::step) fn twice(property: &str) -> Fault {
    let message = format!("`properties`: `{property}` occurs twice, in two spellings");
    Fault::new(Code::InvalidParameter, message, "name each property once")
}
