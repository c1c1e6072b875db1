//! Objects, values and commands in words, for the human who is asked.

mod apart;

pub(super) use apart::Apart;

use std::collections::BTreeMap;

use indexmap::{IndexMap, IndexSet};
use serde_json::Value as Json;

use super::carried::Carried;
use super::show::value;
use super::{World, remember};
use crate::action::{Deed, Invocation};
use crate::app::App;
use crate::change::{
    BY, BY_MAIL, FROM, Fact, Look, REPLACES, RULE, SHARED, Slot, Subject, consequence, is_rare, is_telling,
    labels, may_hold, sends,
};
use crate::dictionary::{APPLICATION, Dictionary, Identifier, names};
use crate::marshal::{Given, Place};
use crate::numbered;
use crate::osa_error::NO_SUCH_OBJECT;
use crate::permission::{NAMED, OPEN, holds_address, is_address, may_read};
use crate::series;
use crate::specifier::{By, Member, Path, Segment, fits_line, one_line, quoted, quoted_to};
use crate::value::Value;
use crate::words::RefId;

/// The names of objects, by the paths that lead to them.
pub(super) type Names = BTreeMap<Path, String>;

/// The number of containers to name in a question, each by one event: objects of one call are seldom in more.
const MOST_OWNERS: usize = 10;

/// The effect of closing or quitting without saving.
const DISCARDS: &str = "changes that are not saved are lost";

/// The largest number of different sets of values in one question. That many still fit on a screen, with two or three
/// lines each, and they are enough for a week of tasks with one date each. No one reads two hundred, and an important
/// one would be hidden among them.
pub(super) const MOST_SETS: usize = 25;

/// The length of a text that a human reads before deciding, in characters.
const LONGEST: usize = 80;

/// The length of a message's text that is shown whole: two screens.
const WHOLE: usize = 2_000;

/// The shown part of a longer text: its beginning is the most important, and its end may reverse it.
const BEGINNING: usize = 1_500;
const END: usize = 400;

/// The number of unchanged characters to show before a difference.
const CONTEXT: usize = 20;

/// The containers of objects, to read their names: those that only an id identifies, outermost first.
pub(super) fn owners<'p>(shown: impl Iterator<Item = &'p Path>, app: &App) -> Vec<Subject> {
    let ways = shown.map(|path| path.containers().collect::<Vec<_>>());
    unnamed(ways.flat_map(|way| way.into_iter().rev()), app)
}

/// The same objects with their containers, each after its container.
pub(super) fn with_owners<'p>(shown: impl Iterator<Item = &'p Path>, app: &App) -> Vec<Subject> {
    let ways = shown.map(|path| std::iter::once(path).chain(path.containers()).collect::<Vec<_>>());
    unnamed(ways.flat_map(|way| way.into_iter().rev()), app)
}

/// The objects that only an id identifies, each once.
fn unnamed<'p>(paths: impl Iterator<Item = &'p Path>, app: &App) -> Vec<Subject> {
    let Ok(dictionary) = app.dictionary() else { return Vec::new() };
    let paths: IndexSet<&Path> = paths.collect();
    let owner = |path: &Path| {
        let label = labels(&app.bundle_id, dictionary, path.class()).into_iter().next()?;
        Some(Subject { labels: vec![Identifier::of(&label)?], ..Subject::at(path.clone()) })
    };
    let paths = paths.into_iter().filter(|path| path.is_by_id() && path.is_stable());
    paths.filter_map(owner).take(MOST_OWNERS).collect()
}

/// The folders of Finder on the way to objects, and the objects that are folders, by their paths: people know
/// `folder "~/Downloads/Old"` better than each step to it.
pub(super) fn folders<'p>(paths: impl Iterator<Item = &'p Path>, app: &App, home: &str) -> Names {
    let has = |term: &str| app.dictionary().is_ok_and(|it| it.property(APPLICATION, term).is_some());
    if !(has("home") && has("startup disk")) {
        return Names::new();
    }
    let all = paths.flat_map(|path| std::iter::once(path).chain(path.containers()));
    let named = |path: &Path| {
        let text = path.to_posix(home.trim_end_matches('/')).filter(|_| path.name().is_some())?;
        Some((path.clone(), format!("folder {}", long(&text))))
    };
    all.filter_map(named).collect()
}

/// The names of containers, from the reply.
pub(super) fn called(owners: &[Subject], rows: &[Json], app: &App) -> Names {
    let mut names = Names::new();
    for (owner, row) in owners.iter().zip(rows) {
        let words = object(owner, row, app, &names);
        names.insert(owner.path.clone(), words);
    }
    names
}

/// An object of a series, by one of its dates instead of the first one.
pub(super) fn occurrence(subject: &Subject, row: &Json, date: &str, app: &App, names: &Names) -> String {
    let mut row = row.clone();
    let labels = row.get_mut(1).and_then(Json::as_array_mut).into_iter().flatten();
    labels
        .filter(|label| matches!(Value::decode(label), Ok(Value::Date(_))))
        .for_each(|label| *label = day(date).into());
    object(subject, &row, app, names)
}

/// An object by its name: `message "Invoice" ("Ada Lovelace <ada@example.org>") of mailbox "INBOX"`, and below it a
/// line for each fact. `names` has the names of its containers.
pub(super) fn object(subject: &Subject, row: &Json, app: &App, names: &Names) -> String {
    let path = &subject.path;
    let Ok(dictionary) = app.dictionary() else { return path.in_words(names) };
    let part = |at: usize| row.get(at).and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
    let facts = subject.facts.iter().zip(part(4));
    let repeats =
        facts.clone().any(|(fact, read)| fact.caption == RULE && has_text(&value(read, None, dictionary)));
    let mut told = part(1).iter().take(subject.labels.len()).filter_map(|label| {
        match value(label, None, dictionary) {
            // The date of a series is that of its first event.
            Value::Date(date) if repeats => Some(format!("since {}", day(&date))),
            label => label_text(&label),
        }
    });
    // A name that is a path says more than the name that was read.
    let is_path = path.name().is_some_and(|name| name.starts_with('/') || name.starts_with("~/"));
    let mut words = match told.next() {
        None if path.is_by_id() && subject.facts.iter().any(is_telling) => without_id(path, names),
        None => path.in_words(names),
        Some(_) if path.class().ends_with(SINGLE) => single(path, names),
        Some(_) if is_path => path.in_words(names),
        Some(name) => {
            let more: Vec<String> = told.map(|more| quoted(&more)).collect();
            let more = if more.is_empty() { String::new() } else { format!(" ({})", more.join(", ")) };
            // The root task of a project is in no other task.
            let stands = |(fact, read): (&Fact, &Json)| fact.is_standing() && read.is_array();
            let place = facts.clone().find_map(|(fact, read)| told_place(fact, read, dictionary));
            let place = place.filter(|_| !facts.clone().any(stands));
            let of = path.last().filter(|(container, _)| container.last().is_some() && place.is_none());
            // The account of a recipient has only an id, which tells a person nothing, and a line below names its
            // service.
            let is_nameless = |of: &Path| of.is_by_id() && !names.contains_key(of);
            let of = of
                .filter(|(of, _)| !(is_nameless(of) && subject.facts.iter().any(|fact| fact.caption == BY)));
            let of = of.map_or(place, |(container, _)| Some(format!(" of {}", container.in_words(names))));
            let of = of.unwrap_or_default();
            format!("{} {}{}{more}{of}", path.class(), quoted(&name), length(&name, LONGEST))
        }
    };
    // A short subject is the name of the message already.
    let is_said = |fact: &Fact, read: &Json| {
        let is_label = matches!(&fact.look, Look::Property(way) if subject.labels.first() == way.last() && way.len() == 1);
        is_label && label_text(&value(read, None, dictionary)).is_some_and(|text| fits_line(&text))
    };
    for (fact, read) in facts.filter(|(fact, _)| fact.is_shown()) {
        let line = match fact.is_standing() {
            _ if fact.is_place || is_said(fact, read) => None,
            true => told_standing(fact, read, dictionary),
            // This error means that the object has none: a file has no items. If something prevents the read, the app
            // gives another error.
            false if fact.is_of_some && is_missing(read, dictionary) => None,
            false if is_rare(fact) && is_empty(read, dictionary) => None,
            false if fact.is_of_some && !fact.is_least && *read == 0 => None,
            false if fact.is_lost => told_loss(fact, read, dictionary),
            false if fact.is_sample => some_of(fact, read, dictionary),
            false if fact.caption == SHARED && value(read, None, dictionary) != Value::Bool(true) => None,
            false => Some(format!("{}: {}", fact.caption, told_fact(fact, read, dictionary))),
        };
        words.extend(line.map(|line| format!("\n  {line}")));
    }
    words
}

/// The end of the class names of Finder's own objects: `desktop-object`, `trash-object`.
const SINGLE: &str = "-object";

/// An object of which there is only one, as people know it: the desktop, the Trash.
fn single(path: &Path, names: &Names) -> String {
    match path.class().strip_suffix(SINGLE) {
        Some("trash") => "the Trash".to_owned(),
        Some(name) => format!("the {name}"),
        None => path.in_words(names),
    }
}

/// An object whose id says nothing to people, and whose values are in the lines below: `phone of person "Ana"`.
fn without_id(path: &Path, names: &Names) -> String {
    let of = path.last().filter(|(container, _)| container.last().is_some());
    let of = of.map(|(container, _)| format!(" of {}", container.in_words(names)));
    path.class().to_owned() + &of.unwrap_or_default()
}

/// The names of objects that are known only by id, for the answer. A rule may hide a name from the client, but the
/// person who is asked still sees it.
pub(super) fn names<'s>(
    read: impl Iterator<Item = ((Option<RefId>, &'s Subject), &'s Json)>,
    app: &App,
    world: &mut World<'_>,
) -> Option<Carried> {
    let dictionary = app.dictionary().ok()?;
    let mut names = IndexMap::new();
    for ((id, subject), row) in read.filter(|((_, subject), _)| subject.path.is_by_id()) {
        let term = labels(&app.bundle_id, dictionary, subject.path.class()).into_iter().next();
        // A change of the name itself tells the old and the new one.
        let may_tell = |term: &String| {
            !subject.slots.iter().any(|slot| slot.term == *term) && may_read(term, app, world.gate, world.now)
        };
        if !term.as_ref().is_some_and(may_tell) {
            continue;
        }
        let name = row.get(1).and_then(|labels| labels.get(0));
        if let Some(name) = name.and_then(|name| label_text(&value(name, None, dictionary))) {
            let id = id.unwrap_or_else(|| remember(subject.path.clone(), app, world));
            names.insert(id.to_string(), name);
        }
    }
    (!names.is_empty()).then_some(Carried::Names(names))
}

/// An object that another one stands for.
#[derive(Clone, Debug)]
pub(super) struct Standing {
    /// Its kind, such as `project`.
    kind: String,
    /// Its name, in quotes.
    name: String,
}

/// The object that another one stands for, if there is one.
pub(super) fn stands(subject: &Subject, row: &Json, dictionary: &Dictionary) -> Option<Standing> {
    let at = subject.facts.iter().position(Fact::is_standing)?;
    let name = row.get(4)?.get(at)?.as_array()?.first()?;
    let name = text(&plain(&value(name, None, dictionary)));
    Some(Standing { kind: subject.facts[at].caption.clone(), name })
}

/// How much a command would remove together with an object: the elements in it, as far as they were counted, and its
/// unsaved changes. A value that cannot be read counts as the largest.
pub(super) fn weight(subject: &Subject, row: &Json, dictionary: &Dictionary) -> u64 {
    let reads = row.get(4).and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
    let counted = subject.facts.iter().zip(reads).filter(|(fact, _)| fact.weighs());
    let count = |(_, read): (&Fact, &Json)| match value(read, None, dictionary) {
        Value::Number(count) => count.as_u64().unwrap_or_default(),
        Value::Bool(is) => u64::from(is),
        Value::Failed { .. } if !is_missing(read, dictionary) => u64::MAX,
        _ => 0,
    };
    counted.map(count).fold(0, u64::saturating_add)
}

/// Objects in the order in which a question names them: what may hold others comes first, wherever it is in the list.
pub(super) fn containers_first<'p>(paths: impl Iterator<Item = &'p Path>, app: &App) -> Vec<&'p Path> {
    let mut paths: Vec<&Path> = paths.collect();
    if let Some(dictionary) = app.dictionary.as_deref() {
        paths.sort_by_cached_key(|path| !may_hold(&app.bundle_id, dictionary, path.class()));
    }
    paths
}

/// Where the objects are that a question only counts: `: 3 in mailbox "Lists" of account "iCloud", 1 in inbox`. Empty
/// if all objects are in one container, because the named objects say which. With `are_placed`, the named objects show
/// their containers although the paths do not.
pub(super) fn whence(all: &[&Path], named: &[&Path], names: &Names, are_placed: bool) -> String {
    let container = |path: &Path| path.last().map(|(container, _)| container.clone());
    let places: IndexSet<Option<Path>> = all.iter().map(|path| container(path)).collect();
    let mut counts: IndexMap<Option<Path>, usize> = IndexMap::new();
    for path in all.iter().filter(|path| !named.contains(path)) {
        *counts.entry(container(path)).or_default() += 1;
    }
    if places.len() < 2 || counts.is_empty() {
        let may_be_elsewhere = are_placed && !counts.is_empty();
        return if may_be_elsewhere { ", perhaps in other places".to_owned() } else { String::new() };
    }
    // What is at the top of the app is in no container that has a name.
    let (mut told, mut left, mut elsewhere) = (Vec::new(), 0, 0);
    counts.sort_by(|_, one, _, other| other.cmp(one));
    for (place, count) in counts {
        match place.filter(|place| place.last().is_some()) {
            Some(place) if told.len() < NAMED => told.push(format!("{count} in {}", name(&place, names))),
            _ => (left, elsewhere) = (left + count, elsewhere + 1),
        }
    }
    match (left, elsewhere) {
        (0, _) => {}
        (left, 1) => told.push(format!("{left} elsewhere")),
        (left, places) => told.push(format!("{left} in {places} other places")),
    }
    format!(": {}", told.join(", "))
}

/// Some parts in one sentence: `a, b and c`.
pub(super) fn listed<S: AsRef<str>>(parts: &[S], last: &str) -> String {
    let parts: Vec<&str> = parts.iter().map(AsRef::as_ref).collect();
    match parts.split_last() {
        Some((end, [])) => (*end).to_owned(),
        Some((end, others)) => format!("{}{last}{end}", others.join(", ")),
        None => String::new(),
    }
}

/// A note that some of the objects stand for others; `all` is the number of all objects.
pub(super) fn others<'k>(standing: impl Iterator<Item = &'k Standing>, all: usize) -> Option<String> {
    let standing: Vec<&Standing> = standing.collect();
    let Standing { kind, name } = standing.first()?;
    let names: Vec<&str> = standing.iter().take(NAMED).map(|each| each.name.as_str()).collect();
    let more = standing.len() - names.len();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    Some(match (standing.len(), all) {
        (1, 1) => format!("this is the {kind} itself, with everything in it"),
        (1, _) => format!("1 of the objects is the {kind} {name} itself, with everything in it"),
        (count, _) => {
            let names = names.join(", ");
            format!("{count} of the objects are {kind}s themselves, with all that is in them: {names}{more}")
        }
    })
}

/// The container of an object, which its path does not name: ` of project "Household"`.
fn told_place(fact: &Fact, read: &Json, dictionary: &Dictionary) -> Option<String> {
    let name = label_text(&value(read, None, dictionary)).filter(|_| fact.is_place)?;
    Some(format!(" {} {}", fact.caption, quoted(&name)))
}

/// The object that another one stands for: `it is the project "Move", with 12 items in it`; nothing if it stands only
/// for itself.
fn told_standing(fact: &Fact, read: &Json, dictionary: &Dictionary) -> Option<String> {
    let kind = &fact.caption;
    match value(read, None, dictionary) {
        Value::Null => None,
        Value::List(items) => {
            let told = |at: usize| items.get(at).map_or_else(String::new, |item| text(&plain(item)));
            Some(format!("it is the {kind} {}, with {} items in it", told(0), told(1)))
        }
        _ => Some(format!("whether it is a {kind} cannot be read")),
    }
}

/// What a change removes for good: `attachments that this removes for good: 2`; nothing if there is none.
fn told_loss(fact: &Fact, read: &Json, dictionary: &Dictionary) -> Option<String> {
    let count = told_fact(fact, read, dictionary);
    (count != "0").then(|| format!("{} that this removes for good: {count}", fact.caption))
}

/// The first few values of a fact: `among them: "a.pdf", "b.png" and 3 more`; nothing if there are none, or if the app
/// does not tell them.
fn some_of(fact: &Fact, read: &Json, dictionary: &Dictionary) -> Option<String> {
    let Value::List(items) = value(read, None, dictionary) else { return None };
    let name = |item: &Value| match item {
        Value::Text(name) => quoted(name),
        _ => "one without a name".to_owned(),
    };
    let named: Vec<String> = items.iter().take(NAMED).map(name).collect();
    let more = items.len() - named.len();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    (!named.is_empty()).then(|| format!("{}: {}{more}", fact.caption, named.join(", ")))
}

/// Whether an object has nothing of the kind that was read.
fn is_missing(read: &Json, dictionary: &Dictionary) -> bool {
    matches!(value(read, None, dictionary), Value::Failed { number, .. } if number == NO_SUCH_OBJECT)
}

/// Whether a value is missing or an empty text.
fn is_empty(read: &Json, dictionary: &Dictionary) -> bool {
    match value(read, None, dictionary) {
        Value::Null => true,
        Value::Text(text) => text.is_empty(),
        _ => false,
    }
}

fn has_text(value: &Value) -> bool {
    matches!(value, Value::Text(text) if !text.is_empty())
}

fn label_text(value: &Value) -> Option<String> {
    match value {
        Value::Text(text) | Value::File(text) => Some(text.clone()),
        Value::Date(date) => Some(day(date)),
        Value::Excerpt(part) => Some(part.text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// The value of a fact. An unreadable fact says so, because its absence would look like "none".
fn told_fact(fact: &Fact, read: &Json, dictionary: &Dictionary) -> String {
    match value(read, None, dictionary) {
        Value::Number(count) if fact.is_least && count.as_u64() != Some(0) => format!("at least {count}"),
        Value::Null => none(fact).to_owned(),
        Value::List(items) if items.is_empty() => none(fact).to_owned(),
        Value::List(items) => items.iter().map(|item| whole(&plain(item))).collect::<Vec<_>>().join(", "),
        Value::Failed { .. } => "unknown (it cannot be read)".to_owned(),
        Value::Date(date) => day(&date),
        Value::Bool(is) => if is { "yes" } else { "no" }.to_owned(),
        value => match plain(&value) {
            Json::String(text) if text.is_empty() => none(fact).to_owned(),
            Json::String(text) => long(&text) + &rule(&text),
            other => shown(&other),
        },
    }
}

/// The text of a fact without a value. For example, a message without a chosen account still leaves from some account.
pub(super) fn none(fact: &Fact) -> &'static str {
    if fact.caption == FROM { BY_MAIL } else { "none" }
}

/// A text that a human must read in full, such as a message to send. A very long one shows the beginning and the end,
/// and the number of characters between them.
pub(super) fn long(text: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    if letters.len() <= WHOLE {
        return quoted_to(text, WHOLE);
    }
    let part = |part: &[char]| quoted_to(&part.iter().collect::<String>(), WHOLE);
    let (beginning, rest) = letters.split_at(BEGINNING);
    let (between, end) = rest.split_at(rest.len() - END);
    format!("{} … {} more characters … {}", part(beginning), thousands(between.len()), part(end))
}

/// A number as people read it: `1,204`.
fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let separated = digits.chars().enumerate().flat_map(|(at, digit)| {
        let is_third = at > 0 && (digits.len() - at).is_multiple_of(3);
        is_third.then_some(',').into_iter().chain([digit])
    });
    separated.collect()
}

/// The whole text that a command sends. The command itself shows only its beginning.
pub(super) fn sent(invocation: &Invocation) -> Option<String> {
    match &invocation.direct {
        Some(Given::Text(text)) if sends(&invocation.code) && text.chars().count() > LONGEST => {
            Some(format!("the text: {}", long(text)))
        }
        _ => None,
    }
}

/// What a message is: its whole text, or its file.
pub(super) fn message(direct: &Given) -> Option<String> {
    match direct {
        Given::Text(text) => Some(format!("text: {}", long(text))),
        Given::File(path) => Some(format!("file: {}", long(path))),
        _ => None,
    }
}

fn plain(value: &Value) -> Json {
    value.to_json(&mut |source| Json::from(source))
}

fn text(value: &Json) -> String {
    value.as_str().map_or_else(|| shown(value), quoted)
}

/// Shows a recipient, a path or an address without the usual cut, because its end matters.
fn whole(value: &Json) -> String {
    value.as_str().map_or_else(|| shown(value), long)
}

/// A date as people read it, with its weekday: `Fri 2026-01-30 17:00 +01:00`. Other words stay as they are.
pub(super) fn day(date: &str) -> String {
    let in_words = || {
        let (day, time) = date.split_once('T')?;
        let day: jiff::civil::Date = day.parse().ok()?;
        let weekday = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
            .get(usize::try_from(day.weekday().to_monday_zero_offset()).ok()?)?;
        let (clock, zone) = time.split_at(time.find(['+', '-', 'Z']).unwrap_or(time.len()));
        // Times are usually whole minutes; seconds are shown only if there are some. No person needs parts of a second.
        let clock = clock.split('.').next().unwrap_or(clock);
        let minutes = if clock.len() == "17:00:00".len() { clock.strip_suffix(":00") } else { None };
        let zone = if zone == "Z" { "UTC" } else { zone };
        let joint = if zone.is_empty() { "" } else { " " };
        Some(one_line(&format!("{weekday} {day} {}{joint}{zone}", minutes.unwrap_or(clock))))
    };
    in_words().unwrap_or_else(|| one_line(date))
}

/// A value as the client gave it, on one line. A cut value has its length beside it.
pub(super) fn shown(value: &Json) -> String {
    match value {
        Json::Null => "nothing".to_owned(),
        Json::String(text) if is_address(text) => long(text),
        Json::String(text) => quoted(text) + &length(text, LONGEST) + &rule(text),
        Json::Bool(_) | Json::Number(_) => value.to_string(),
        // Shows each field and each item, so that a long one does not hide another.
        Json::Object(fields) if !fields.contains_key("$") => {
            let fields =
                fields.iter().map(|(name, value)| format!("{}: {}", one_line(name), shown_of(name, value)));
            format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
        }
        Json::Array(items) => format!("[{}]", items.iter().map(shown).collect::<Vec<_>>().join(", ")),
        other => {
            let text = other.to_string();
            one_line(&text) + &length(&text, LONGEST)
        }
    }
}

/// A recurrence rule in words: ` (every 2 weeks on Monday)`; nothing for other texts.
fn rule(text: &str) -> String {
    series::in_words(text).map(|words| format!(" ({words})")).unwrap_or_default()
}

/// A number of a property with the word that people know it by: `5 (purple)`.
pub(super) fn with_word(slot: &Slot, value: &Json, shown: String) -> String {
    let word = numbered::word(slot.numbers, value).map(str::to_owned);
    match word.or_else(|| numbered::from_start(value).filter(|_| slot.is_interval)) {
        Some(word) => format!("{shown} ({word})"),
        None => shown,
    }
}

/// A value of a property or a parameter as the client gave it. An address is not cut.
pub(super) fn shown_of(term: &str, value: &Json) -> String {
    match value {
        Json::String(text) if holds_address(term) => long(text),
        other => shown(other),
    }
}

/// The length of a text that is shown in part.
fn length(text: &str, most: usize) -> String {
    let count = text.chars().count();
    if count > most { format!(" ({count} characters)") } else { String::new() }
}

/// An old and a new value of a property. If both are long, only the part that differs: its beginning, and its end.
pub(super) fn difference(term: &str, old: &Json, new: &Json) -> (String, String) {
    let (old_words, new_words) = both(term, old, new);
    // Words can be equal although the values differ: they use one kind of quotes and blanks, and cut long texts.
    let note =
        if old_words == new_words && old != new { " (they differ where this does not show it)" } else { "" };
    (old_words, new_words + note)
}

fn both(term: &str, old: &Json, new: &Json) -> (String, String) {
    let as_text = |value: &Json| match value {
        Json::String(text) => text.clone(),
        other => other.to_string(),
    };
    let (before, after): (Vec<char>, Vec<char>) =
        (as_text(old).chars().collect(), as_text(new).chars().collect());
    let is_text = |value: &Json| value.is_string();
    let is_whole = || holds_address(term) || new.as_str().is_some_and(is_address);
    if before.len().max(after.len()) <= LONGEST || !is_text(old) || !is_text(new) || is_whole() {
        return (shown_of(term, old), shown_of(term, new));
    }
    let same = before.iter().zip(&after).take_while(|(a, b)| a == b).count();
    let rest = before.len().min(after.len()) - same;
    let ends = before.iter().rev().zip(after.iter().rev()).take(rest);
    let same_end = ends.take_while(|(a, b)| a == b).count();
    let from = same.saturating_sub(CONTEXT);
    let part = |text: &[char]| {
        let shown = |part: &[char]| quoted(&part.iter().collect::<String>());
        let lead = if from > 0 { "…" } else { "" };
        let last = text.len() - same_end;
        let end = match last.checked_sub(LONGEST / 2).filter(|_| last > from + LONGEST) {
            Some(begin) => format!(" … {}", shown(&text[begin.max(from)..text.len().min(last + CONTEXT)])),
            None => String::new(),
        };
        format!("{lead}{}{end} ({} characters)", shown(&text[from..]), text.len())
    };
    (part(&before), part(&after))
}

/// A command with its named parameters: `"move" (to: mailbox "Archive")`; `names` has the names of objects among them.
pub(super) fn command(invocation: &Invocation, names: &Names) -> String {
    let name = quoted(&invocation.term);
    let direct = invocation.direct.iter().filter(|direct| direct.objects().is_empty());
    let opens =
        |term: &str| invocation.code == OPEN || holds_address(&invocation.term) || holds_address(term);
    let told =
        |term: &str, value: &Given| if opens(term) { address(value, names) } else { given(value, names) };
    let direct = direct.map(|value| told("", value));
    let named = invocation
        .parameters
        .iter()
        .map(|each| format!("{}: {}", one_line(&each.term), told(&each.term, &each.value)));
    let parts: Vec<String> = direct.chain(named).collect();
    if parts.is_empty() { name } else { format!("{name} ({})", parts.join(", ")) }
}

/// The subject of a read, a line for each object or container, because one message and a whole inbox are not the same.
pub(super) fn read(deed: &Deed) -> Vec<String> {
    let names = Names::new();
    match deed {
        Deed::Value { path, .. } => vec![path.in_words(&names)],
        Deed::Properties { objects, .. } => objects.iter().map(|each| each.path.in_words(&names)).collect(),
        Deed::Elements(elements) => {
            let some = match (elements.limit, &elements.groups) {
                (_, Some(_)) | (0, None) => "counted".to_owned(),
                (limit, None) => format!("at most {limit} in the answer"),
            };
            let inner = if elements.inner.is_some() { " and the containers in it" } else { "" };
            let of = |path: &Path| {
                let step = Segment::Element(elements.collection.clone(), By::Every);
                format!("{}{inner}, {some}", path.then(step).in_words(&names))
            };
            elements.containers.iter().map(of).collect()
        }
        _ => Vec::new(),
    }
}

/// The name of an object, or the path to it.
pub(super) fn name(path: &Path, names: &Names) -> String {
    names.get(path).cloned().unwrap_or_else(|| path.in_words(names))
}

/// The permanent effect of a command.
pub(super) fn effect(
    app: &str,
    dictionary: Option<&Dictionary>,
    command: &Invocation,
) -> Option<&'static str> {
    if command.replaces() {
        return Some(REPLACES);
    }
    if command.discards() {
        return Some(DISCARDS);
    }
    let targets: Vec<&Path> = command.direct.iter().flat_map(Given::objects).collect();
    let to: Vec<&Path> = command.parameters.iter().flat_map(|given| given.value.objects()).collect();
    consequence(app, dictionary, &command.code, &targets, &to)
}

/// A value of a property for an app, on one line. An address is not cut.
pub(super) fn given_of(term: &str, value: &Given, names: &Names) -> String {
    if holds_address(term) { address(value, names) } else { given(value, names) }
}

/// The texts that an app opens as addresses, whatever their form.
fn address(value: &Given, names: &Names) -> String {
    match value {
        Given::Text(text) => long(text),
        Given::List(items) => {
            let items: Vec<String> = items.iter().map(|item| address(item, names)).collect();
            format!("[{}]", items.join(", "))
        }
        other => given(other, names),
    }
}

/// A value for an app, on one line. Each text in it is cut and quoted separately, and nothing is left out.
pub(super) fn given(value: &Given, names: &Names) -> String {
    let name = |path: &Path| name(path, names);
    match value {
        Given::Null => "nothing".to_owned(),
        Given::Bool(flag) => flag.to_string(),
        Given::Number(number) => number.to_string(),
        Given::Text(text) if is_address(text) => long(text),
        Given::Text(text) => quoted(text) + &length(text, LONGEST) + &rule(text),
        Given::Date(date) => day(date),
        Given::File(path) => format!("file {}", long(path)),
        Given::Enumerator(name) => one_line(name),
        Given::Class(class) => one_line(class),
        Given::List(items) => {
            let items: Vec<String> = items.iter().map(|item| given(item, names)).collect();
            format!("[{}]", items.join(", "))
        }
        Given::Record(fields) => {
            let fields =
                fields.iter().map(|(key, value)| format!("{key}: {}", given_of(key.as_str(), value, names)));
            format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
        }
        Given::Object(path) => name(path),
        Given::Place(place) => match place {
            Place::Beginning(of, member) => {
                format!("the beginning of the {} of {}", plural(member), name(of))
            }
            Place::End(of, member) => format!("the end of the {} of {}", plural(member), name(of)),
            Place::Before(of) => format!("the place before {}", name(of)),
            Place::After(of) => format!("the place after {}", name(of)),
        },
    }
}

/// The name of a collection: `tasks`, `flattened tasks`.
fn plural(member: &Member) -> String {
    names::split(member.identifier.as_str()).join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_have_a_weekday() {
        let check = |date: &str, expected: &str| assert_eq!(day(date), expected);
        check("2026-01-30T17:00:00+01:00", "Fri 2026-01-30 17:00 +01:00");
        check("2026-11-23T14:00:30-05:00", "Mon 2026-11-23 14:00:30 -05:00");
        check("2026-11-22T00:00:00.000Z", "Sun 2026-11-22 00:00 UTC");
        check("2026-11-22T02:39:40.960+01:00", "Sun 2026-11-22 02:39:40 +01:00");
        check("2026-11-22T09:05", "Sun 2026-11-22 09:05");
        check("2026-02-30T09:00:00", "2026-02-30T09:00:00");
        check("the Third Day", "the Third Day");
    }

    /// The end of an address may decide its host, and a browser drops the blanks in it.
    #[test]
    fn an_address_is_shown_to_its_end() {
        let filler = "a".repeat(90);
        for (term, text, is_shown) in [
            ("x", format!("https://www.apple.com:{filler} @evil.example/steal"), true),
            ("x", format!("https://www.apple.com:{filler}\t@evil.example/steal"), true),
            ("x", format!("https://www.apple.com:{filler}\n@evil.example/steal"), true),
            ("x", format!("ht\ntps:www.apple.com:{filler} @evil.example/steal"), true),
            ("x", format!("ssh://{filler} @evil.example/steal"), true),
            ("x", format!("www.apple.com:{filler}@evil.example/steal"), true),
            ("URL", format!("www.apple.com:{filler} @evil.example/steal"), true),
            ("URL", format!("www.apple.com/{filler} @evil.example/steal"), true),
            ("x", format!("Note: {filler} @evil.example/steal"), false),
            ("x", format!("{filler} @evil.example/steal"), false),
        ] {
            let value = Given::Text(text.clone());
            let key = Identifier::of(term).expect("an identifier");
            let record = Given::Record(vec![(key, value.clone())]);
            let json = Json::String(text.clone());
            let (_, new) = difference(term, &Json::String("b".repeat(100)), &json);
            let opened = Invocation {
                term: "open location".into(),
                code: OPEN.into(),
                identifier: Identifier::of("openLocation").expect("an identifier"),
                takes_direct: true,
                direct: Some(value.clone()),
                each: false,
                parameters: Vec::new(),
                text: crate::words::TextWindow { offset: 0, limit: 0 },
                is_fragile: false,
                seen: Vec::new(),
                moves: None,
                copies: None,
                tells: Vec::new(),
                anchors: None,
                save: None,
            };
            let names = Names::new();
            let mut all = vec![
                given_of(term, &value, &names),
                given(&record, &names),
                shown_of(term, &json),
                shown(&serde_json::json!({ term: text })),
            ];
            all.extend(is_shown.then_some(new));
            for words in all {
                assert_eq!(words.contains("evil.example"), is_shown, "{term} {text:?}: {words}");
            }
            let words = command(&opened, &names);
            assert!(words.contains("evil.example"), "{words}");
        }
    }

    #[test]
    fn long_texts_that_begin_alike_are_shown_where_they_differ() {
        let begin = "Dear colleague, ".repeat(10);
        let far = "and so on ".repeat(20);
        let texts =
            [format!("{begin}pay Ann."), format!("{begin}pay Bob."), format!("{begin}pay Bob.{far}now")];
        let texts: Vec<String> =
            texts.into_iter().chain([format!("{begin}pay Bob.{far}never"), "Hi".to_owned()]).collect();
        let apart = Apart::of(texts.iter().map(String::as_str));
        let shown: Vec<Option<String>> = texts.iter().map(|text| apart.get(text)).collect();
        let all: std::collections::BTreeSet<&Option<String>> = shown.iter().collect();
        assert_eq!((all.len(), &shown[4]), (5, &None), "{shown:#?}");
        assert!(
            shown[0].as_ref().is_some_and(|shown| shown.ends_with("pay Ann.\" (168 characters)")),
            "{shown:#?}"
        );
        assert!(shown[3].as_ref().is_some_and(|shown| shown.contains("never")), "{shown:#?}");
    }

    #[test]
    fn a_text_that_others_only_continue_is_told_apart() {
        let long = "x".repeat(100);
        let apart = Apart::of([long.as_str(), &format!("{long}y")].into_iter());
        assert_ne!(apart.get(&long), apart.get(&format!("{long}y")));
        assert_eq!(apart.get("z"), None);
        let blanks = [format!("{long} y"), format!("{long}  y")];
        let apart = Apart::of(blanks.iter().map(String::as_str));
        assert!(apart.get(&blanks[1]).is_some_and(|shown| shown.contains("(character 102 is U+0020)")));
        assert_ne!(apart.get(&blanks[0]), apart.get(&blanks[1]));
    }
}
