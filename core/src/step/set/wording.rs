//! A write in words, for the human who is asked.

use std::collections::BTreeMap;

use indexmap::{IndexMap, IndexSet};
use serde_json::{Value as Json, json};

use super::begin::is_opposite;
use super::fold::SO_ALREADY;
use super::{Item, Open, Setting};
use crate::call::How;
use crate::change::{SHARED, Slot, beyond, is_styled};
use crate::dictionary::Dictionary;
use crate::fault::{Code, Fault};
use crate::foreign::clean;
use crate::marshal::Given;
use crate::permission::{self, NAMED, Wording};
use crate::specifier::{Path, quoted, read_source};
use crate::step::words::{self, Apart, MOST_SETS, difference, shown, shown_of};
use crate::value::Value;

/// The most new values that the first line of a question tells.
const MOST_PARTS: usize = 3;

/// The most objects of a list that a question says it leaves alone, and the longest reason for one, in characters. The
/// answer has all of them.
const MOST_FAULTS: usize = 3;
const LONGEST_FAULT: usize = 200;

impl Setting {
    /// The indexes of the remaining writes by their new values, so that equal ones are together.
    pub(super) fn sets(&self) -> Vec<Vec<usize>> {
        let mut sets: IndexMap<String, Vec<usize>> = IndexMap::new();
        for (at, open) in self.open.iter().enumerate() {
            sets.entry(open.news()).or_default().push(at);
        }
        sets.into_values().collect()
    }

    /// A human is not asked about more different values than they can read. The old values of an undo have no such
    /// limit, because the client cannot divide them among several calls.
    pub(super) fn check_sets(&self) -> Result<(), Fault> {
        if self.open.iter().any(|open| self.is_undo(open)) {
            return Ok(());
        }
        let count = self.sets().len();
        if count <= MOST_SETS {
            return Apart::of(self.open.iter().flat_map(Open::texts)).check("changes");
        }
        let message = format!(
            "`changes` has {count} different sets of values, expected at most {MOST_SETS}: one question shows them all"
        );
        let suggestion = format!(
            "make several calls with at most {MOST_SETS} of them each; objects that get the same values count once"
        );
        Err(Fault::new(Code::InvalidParameter, message, suggestion).with("parameter", "changes"))
    }

    /// The question: the new values, and for each object its old and new values. If there are many objects, it shows
    /// each set of new values once, with its objects.
    pub(super) fn wording(
        &self,
        app: &str,
        id: &str,
        plugin: Option<String>,
        dictionary: Option<&Dictionary>,
    ) -> Wording {
        let sets = self.sets();
        let is_one_back = self.is_one_change_back();
        let differs = sets.len() > 1;
        let apart = Apart::of(self.open.iter().flat_map(Open::texts));
        let objects = if is_one_back {
            sets.iter().map(|set| self.set_back(set, &apart)).collect()
        } else if differs && self.open.len() > NAMED {
            sets.iter().map(|set| self.set(set, dictionary, &apart)).collect()
        } else {
            let is_said = !differs && self.open.len() > 1 && self.says_all_news(&apart);
            self.open.iter().map(|open| open.line(dictionary, &apart, is_said)).collect::<Vec<_>>()
        };
        let named = if differs { NAMED } else { permission::named(&objects) };
        Wording {
            app: app.into(),
            plugin,
            is_undo: self.open.iter().all(|open| self.is_undo(open)),
            deed: if is_one_back { self.deed_back(dictionary) } else { self.deed(&apart) },
            objects,
            count: self.open.len(),
            others: self.whence(&self.open.iter().collect::<Vec<_>>(), named).into(),
            shared: 0,
            script: Box::default(),
            differs,
            plugins: false,
            consequence: self.effects(id),
        }
    }

    /// Whether it undoes a change that gave many objects the same values. The question then names the values once.
    fn is_one_change_back(&self) -> bool {
        let Some(first) = self.open.first() else { return false };
        let is_alike = |open: &Open| {
            let (slots, firsts) = (&open.change.subject.slots, &first.change.subject.slots);
            let terms = slots.iter().map(|slot| &slot.term).eq(firsts.iter().map(|slot| &slot.term));
            let is_short = open.facts.is_empty();
            self.is_undo(open) && terms && is_short && open.change.expected.old == first.change.expected.old
        };
        self.open.len() > NAMED && self.sets().len() > 1 && self.open.iter().all(is_alike)
    }

    /// `put back "due date", which is "2026-11-27" now`
    fn deed_back(&self, dictionary: Option<&Dictionary>) -> String {
        let Some(first) = self.open.first() else { return String::new() };
        let slots = first.change.subject.slots.iter().enumerate();
        let of = |(at, slot): (usize, &Slot)| {
            format!(
                "{}, which is {} now",
                quoted(&slot.term),
                first.old_and_new(at, dictionary, &Apart::default()).0
            )
        };
        format!("put back {}", slots.map(of).collect::<Vec<_>>().join(", and "))
    }

    /// The values that some objects get back, and the objects: `"2026-11-11": flattened task "Buy the cellar"`.
    fn set_back(&self, places: &[usize], apart: &Apart) -> String {
        let opens: Vec<&Open> = places.iter().filter_map(|at| self.open.get(*at)).collect();
        let Some(first) = opens.first() else { return String::new() };
        let value =
            |at: usize| first.object(at).unwrap_or_else(|| first.shown_at(at, first.wanted(at), apart));
        let values: Vec<String> = (0..first.change.subject.slots.len()).map(value).collect();
        let mut named: Vec<String> = opens.iter().map(|open| open.words.clone()).collect();
        named.truncate(self.named(&named));
        let more = opens.len().saturating_sub(named.len());
        let whence = || self.whence(&opens, named.len());
        let more = if more > 0 { format!(" and {more} more{}", whence()) } else { String::new() };
        format!("back to {}: {}{more}", values.join(", "), named.join(", "))
    }

    /// The effects of the new values beyond what they show, each once.
    pub(super) fn effects(&self, id: &str) -> Option<String> {
        let mut series: IndexMap<&str, IndexSet<&str>> = IndexMap::new();
        for open in self.open.iter().filter(|open| open.repeats != Some(false)) {
            let subject = &open.change.subject;
            let whether = match open.repeats {
                Some(_) => "the event repeats, and",
                None => "if the event repeats,",
            };
            let words = |(at, slot): (usize, &Slot)| match open.left_out(at) {
                Some(_) => Some("its other dates stay"),
                None => beyond(id, subject.path.class(), &slot.term),
            };
            series.entry(whether).or_default().extend(subject.slots.iter().enumerate().filter_map(words));
        }
        let told = series.into_iter().filter(|(_, words)| !words.is_empty());
        let told = told.map(|(whether, words)| {
            format!("{whether} {}", words.into_iter().collect::<Vec<_>>().join("; "))
        });
        let mut effects: IndexSet<String> = told.collect();
        effects.extend(self.losses());
        let is_plain = |open: &Open| {
            let class = open.change.subject.path.class();
            open.change.subject.slots.iter().any(|slot| is_styled(id, class, &slot.term))
        };
        if self.open.iter().any(is_plain) {
            effects.insert("the text is written anew, without its fonts, styles and colours".to_owned());
        }
        effects.extend(self.sharing());
        effects.extend(self.lasting_effects());
        effects.extend(self.so_already());
        effects.extend(self.unchanged());
        effects.extend(self.left.iter().map(|left| format!("an undo cannot take this back: {left}")));
        let standing = self.open.iter().filter_map(|open| open.stands.as_ref());
        effects.extend(words::others(standing, self.open.len()));
        (!effects.is_empty()).then(|| effects.into_iter().collect::<Vec<_>>().join("; "))
    }

    /// How many objects of a list have the new values already. The question names only the others.
    fn so_already(&self) -> Option<String> {
        if self.is_step {
            return None;
        }
        let is_so = |told: &Json| told["note"] == json!(SO_ALREADY);
        let is_left = |item: &&Item| !item.told.is_empty() && item.told.iter().all(is_so);
        let count = self.items.iter().filter(is_left).count();
        (count > 0).then(|| format!("{count} of {} objects have these values already", self.items.len()))
    }

    /// The objects of a list that stay as they are, and why.
    fn unchanged(&self) -> Option<String> {
        let faults: Vec<&Fault> = self.items.iter().filter_map(|item| item.fault.as_ref()).collect();
        let told = faults.iter().take(MOST_FAULTS).map(|fault| clean(&fault.message, LONGEST_FAULT));
        let told = told.collect::<Vec<_>>().join(", ");
        let more = faults.len().saturating_sub(MOST_FAULTS);
        let more = if more > 0 { format!(", and {more} more") } else { String::new() };
        let (count, all) = (faults.len(), self.items.len());
        (count > 0).then(|| format!("unchanged: {count} of {all} objects: {told}{more}"))
    }

    /// That other people get the change, if objects are shared with them.
    fn sharing(&self) -> Option<String> {
        let shared = self.open.iter().filter(|open| open.is_shared()).count();
        match (self.open.len(), shared) {
            (_, 0) => None,
            (1, _) => Some("the people with whom it is shared get this change".to_owned()),
            (_, 1) => Some("1 of the objects is shared, and others get its change".to_owned()),
            (_, several) => {
                Some(format!("{several} of the objects are shared, and others get their changes"))
            }
        }
    }

    /// What the new values remove besides the old ones, which no undo can restore.
    fn losses(&self) -> Option<String> {
        let lost: Vec<&String> = self.open.iter().filter_map(|open| open.change.loses.as_ref()).collect();
        let what = lost.first()?;
        let all = match (self.open.len(), lost.len()) {
            (1, _) => String::new(),
            (_, 1) => " of 1 object".to_owned(),
            (_, several) => format!(" of {several} objects"),
        };
        Some(format!(
            "this removes {what}{all} for good, and the marks of checklists: an undo cannot bring them back"
        ))
    }

    /// The changes that cannot be undone: `"due date" is empty now, and an undo cannot empty it again`.
    fn lasting_effects(&self) -> Vec<String> {
        let mut terms: IndexMap<(&str, bool), usize> = IndexMap::new();
        for (term, is_empty) in self.open.iter().flat_map(|open| &open.lasts) {
            *terms.entry((term, *is_empty)).or_default() += 1;
        }
        let of = |((term, is_empty), count): ((&str, bool), usize)| {
            let all = if count < self.open.len() { format!(" of {count} objects") } else { String::new() };
            let why = match is_empty {
                true => "is empty now, and an undo cannot empty it again",
                false => "cannot be restored, because its old value is not known",
            };
            format!("{}{all} {why}", quoted(term))
        };
        terms.into_iter().map(of).collect()
    }

    /// A set of new values, and below it the objects that get it; a single object has its old values too.
    fn set(&self, places: &[usize], dictionary: Option<&Dictionary>, apart: &Apart) -> String {
        let opens: Vec<&Open> = places.iter().filter_map(|at| self.open.get(*at)).collect();
        let (first, count) = match opens.as_slice() {
            [] => return String::new(),
            [one] => return one.line(dictionary, apart, false),
            [first, ..] => (first, opens.len()),
        };
        let slots = first.change.subject.slots.iter().enumerate();
        let news =
            slots.map(|(at, slot)| first.new_part(at, &slot.term, apart)).collect::<Vec<_>>().join(", ");
        let line = |open: &&Open| format!("\n  {}{}", open.words, open.below());
        let mut named: Vec<String> = opens.iter().map(line).collect();
        named.truncate(self.named(&named));
        let more = count.saturating_sub(named.len());
        let whence = || self.whence(&opens, named.len());
        let more = if more > 0 { format!("\n  and {more} more{}", whence()) } else { String::new() };
        format!("{news} ({count} objects):{}{more}", named.concat())
    }

    /// How many objects of a set are named: only those whose names were read.
    fn named(&self, lines: &[String]) -> usize {
        permission::named(lines).min(permission::may_name(self.open.len()))
    }

    /// Where those of some objects are that a question only counts; it names the first `named`.
    fn whence(&self, opens: &[&Open], named: usize) -> String {
        let paths: Vec<&Path> = opens.iter().map(|open| &open.change.subject.path).collect();
        let are_placed = opens.iter().flat_map(|open| &open.change.subject.facts).any(|fact| fact.is_place);
        words::whence(&paths, &paths[..paths.len().min(named)], &self.names, are_placed)
    }

    /// Whether the first line of the question tells the new values, so that no object has to tell them again.
    fn says_all_news(&self, apart: &Apart) -> bool {
        self.parts(apart).len() <= MOST_PARTS
            && self.open.iter().all(|open| open.joins.iter().all(Option::is_none))
    }

    /// The new values, each once.
    fn parts(&self, apart: &Apart) -> IndexSet<String> {
        let of = |open: &Open| {
            let slots = open.change.subject.slots.iter().enumerate();
            slots.map(|(at, slot)| open.new_part(at, &slot.term, apart)).collect::<Vec<_>>()
        };
        self.open.iter().flat_map(of).collect()
    }

    /// `set "read status" to true and "flagged" to false`, or only the names if the values differ.
    fn deed(&self, apart: &Apart) -> String {
        let parts: Vec<String> = self.parts(apart).into_iter().collect();
        let slots = self.open.iter().flat_map(|open| &open.change.subject.slots);
        let names: std::collections::BTreeSet<String> = slots.map(|slot| quoted(&slot.term)).collect();
        let is_same = self.sets().len() == 1 && parts.len() <= names.len();
        if is_same && parts.len() <= MOST_PARTS {
            let word = |(at, part): (usize, &String)| match part.strip_prefix("set ") {
                Some(rest) if at > 0 => rest.to_owned(),
                _ => part.clone(),
            };
            return words::listed(&parts.iter().enumerate().map(word).collect::<Vec<_>>(), " and ");
        }
        let leaves_out =
            |open: &Open| (0..open.change.subject.slots.len()).all(|at| open.left_out(at).is_some());
        if self.open.iter().all(leaves_out) {
            return "leave dates out of their series".to_owned();
        }
        // Different or many values are shown with their objects; here all properties are named.
        format!("set {}", names.into_iter().collect::<Vec<_>>().join(", "))
    }
}

impl Open {
    /// The new values in full, to see whether two objects get the same values, because a question cuts long ones.
    fn news(&self) -> String {
        let new = |at: usize| match self.joins.get(at) {
            Some(Some((how, added))) => json!([how.in_script(), added]),
            _ => json!([self.wanted(at)]),
        };
        let slots = self.change.subject.slots.iter().enumerate();
        let news: BTreeMap<&str, Json> = slots.map(|(at, slot)| (slot.term.as_str(), new(at))).collect();
        json!(news).to_string()
    }

    /// The change of a property: `set "read status" to true`.
    pub(super) fn new_part(&self, at: usize, term: &str, apart: &Apart) -> String {
        if let Some(dates) = self.left_out(at) {
            let date = |date: &Json| date.as_str().map_or_else(|| shown(date), words::day);
            let dates: Vec<String> = dates.iter().map(date).collect();
            return format!("leave {} out of the series", dates.join(", "));
        }
        match self.joins.get(at) {
            Some(Some((How::Shift, by))) if !by.as_str().is_some_and(|by| is_opposite(by, term)) => {
                format!("set {} to {}", quoted(term), by.as_str().unwrap_or_default())
            }
            Some(Some((how @ (How::Append | How::Prepend), added))) => {
                let side = if *how == How::Append { "end" } else { "beginning" };
                let text = match added {
                    Json::Array(items) => self.added_items(at, *how, items),
                    text => self.shown_at(at, text, apart),
                };
                format!("add {text} at the {side} of {}", quoted(term))
            }
            _ => {
                let value = self.object(at).unwrap_or_else(|| self.shown_at(at, self.wanted(at), apart));
                format!("set {} to {value}", quoted(term))
            }
        }
    }

    /// The items that a change adds to a list. Objects and dates are in words, as in the whole list.
    fn added_items(&self, at: usize, how: How, added: &[Json]) -> String {
        let whole = match self.change.values.get(at) {
            Some(Given::List(all)) if self.object(at).is_some() && all.len() >= added.len() => all,
            _ => return added.iter().map(shown).collect::<Vec<_>>().join(", "),
        };
        let (first, last) = (&whole[..added.len()], &whole[whole.len() - added.len()..]);
        let items = if how == How::Append { last } else { first };
        items.iter().map(|item| words::given(item, &self.names)).collect::<Vec<_>>().join(", ")
    }

    /// The object, and below it for each property the old and the new value on lines of their own: side by side, values
    /// in a script that runs from right to left would change places on the screen. New values that the first line of
    /// the question says are left out.
    pub(super) fn line(&self, dictionary: Option<&Dictionary>, apart: &Apart, is_said: bool) -> String {
        let changes = self.change.subject.slots.iter().enumerate().map(|(at, slot)| {
            if let Some(list) = self.list_difference(at, dictionary) {
                return list.lines(&slot.term).iter().map(|line| format!("\n  {line}")).collect();
            }
            let (old, new) = self.old_and_new(at, dictionary, apart);
            let name = quoted(&slot.term);
            if self.stays(at) {
                return format!("\n  {name} stays {old}");
            }
            let new = if is_said { String::new() } else { format!("\n  {name} new: {new}") };
            format!("\n  {name} old: {old}{new}")
        });
        format!("{}{}{}", self.words, self.below(), changes.collect::<String>())
    }

    /// Whether the new value of a property is the old one, and others of the object change.
    fn stays(&self, at: usize) -> bool {
        let old = self.change.expected.old.as_ref().and_then(|olds| olds.get(at)).map(Value::decode);
        match old {
            Some(Ok(old @ (Value::Bool(_) | Value::Number(_) | Value::Text(_)))) => {
                let is_whole = self.joins.get(at).is_none_or(Option::is_none);
                is_whole && self.given.len() > 1 && old.to_json(&mut |_| Json::Null) == *self.wanted(at)
            }
            _ => false,
        }
    }

    /// The old and the new value of a property.
    fn old_and_new(&self, at: usize, dictionary: Option<&Dictionary>, apart: &Apart) -> (String, String) {
        let old = self.change.expected.old.as_ref().and_then(|olds| olds.get(at)).map(Value::decode);
        let term = self.term(at);
        let new = || self.object(at).unwrap_or_else(|| self.shown_at(at, self.wanted(at), apart));
        match old {
            Some(Ok(Value::Failed { .. })) | None => ("(cannot be read)".to_owned(), new()),
            Some(Ok(Value::Object(source))) => (self.way(&source, dictionary), new()),
            Some(Ok(Value::Date(old))) => match (self.joins.get(at), self.wanted(at).as_str()) {
                (Some(Some((How::Shift, _))), Some(new)) => (words::day(&old), words::day(new)),
                _ => (words::day(&old), new()),
            },
            Some(Ok(Value::Null)) if self.object(at).is_some() => ("nothing".to_owned(), new()),
            Some(Ok(Value::List(items))) if items.iter().any(|item| matches!(item, Value::Date(_))) => {
                let told = |item: &Value| match item {
                    Value::Date(date) => words::day(date),
                    other => shown(&other.to_json(&mut |source| Json::from(source))),
                };
                (format!("[{}]", items.iter().map(told).collect::<Vec<_>>().join(", ")), new())
            }
            Some(Ok(old)) => {
                let old = old.to_json(&mut |source| Json::from(source));
                let (before, new) = difference(term, &old, self.wanted(at));
                let (old, new) = (self.with_word(at, &old, before), self.with_word(at, self.wanted(at), new));
                let is_added = self.joins.get(at).is_some_and(Option::is_some);
                let other = self.wanted(at);
                let other = other
                    .as_str()
                    .filter(|_| !is_added && !is_address(term, other))
                    .and_then(|text| apart.get(text));
                (old, other.unwrap_or(new))
            }
            Some(Err(_)) => ("?".to_owned(), new()),
        }
    }

    /// Whether the object is shared with other people.
    fn is_shared(&self) -> bool {
        let at = self.change.subject.facts.iter().position(|fact| fact.caption == SHARED);
        let read = at.and_then(|at| self.row.get(4)?.get(at));
        read == Some(&Json::Bool(true))
    }

    /// The dates that a change of a property leaves out of a series, if it leaves out any.
    pub(super) fn left_out(&self, at: usize) -> Option<&[Json]> {
        let term = &self.change.subject.slots.get(at)?.term;
        match self.joins.get(at)? {
            Some((How::Append, Json::Array(dates))) if self.excluded == Some(term) => Some(dates),
            _ => None,
        }
    }

    /// The lines below its words.
    fn below(&self) -> String {
        if self.facts.is_empty() { String::new() } else { format!("\n{}", self.facts) }
    }

    /// The texts that are written, or added.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        let added = self.joins.iter().flatten().map(|(_, added)| added);
        self.given.iter().chain(added).filter_map(Json::as_str)
    }

    fn term(&self, at: usize) -> &str {
        self.change.subject.slots.get(at).map_or("", |slot| &slot.term)
    }

    /// A value as the question shows it. If others of the question begin alike, it also shows the part that differs.
    fn shown_at(&self, at: usize, value: &Json, apart: &Apart) -> String {
        let term = self.term(at);
        let text = value.as_str().filter(|_| !is_address(term, value));
        let told = text.and_then(|text| apart.get(text)).unwrap_or_else(|| shown_of(term, value));
        self.with_word(at, value, told)
    }

    fn with_word(&self, at: usize, value: &Json, shown: String) -> String {
        match self.change.subject.slots.get(at) {
            Some(slot) => words::with_word(slot, value, shown),
            None => shown,
        }
    }

    /// A new value as the client gave it.
    fn wanted(&self, at: usize) -> &Json {
        self.given.get(at).unwrap_or(&Json::Null)
    }

    /// A new value that is an object or a date, in words, because people do not read JSON.
    fn object(&self, at: usize) -> Option<String> {
        match self.change.values.get(at)? {
            value @ (Given::Object(_) | Given::Date(_)) => Some(words::given(value, &self.names)),
            Given::List(items) => {
                let is_one = |item: &Given| matches!(item, Given::Object(_) | Given::Date(_));
                items.iter().any(is_one).then(|| words::given(&Given::List(items.clone()), &self.names))
            }
            _ => None,
        }
    }

    /// An object that the app named, in words if its path can be read.
    fn way(&self, source: &str, dictionary: Option<&Dictionary>) -> String {
        let path = dictionary.and_then(|dictionary| read_source(dictionary, source));
        path.map_or_else(|| quoted(source), |path| words::name(&path, &self.names))
    }
}

/// Whether a value is shown whole, as addresses are.
fn is_address(term: &str, value: &Json) -> bool {
    value.as_str().is_some_and(|text| permission::holds_address(term) || permission::is_address(text))
}
