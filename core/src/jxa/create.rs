//! New objects as JavaScript: objects that are made alike share their code, one row of data each.

use indexmap::IndexSet;
use serde_json::{Value as Json, json};

use super::changes::{getter, one, span};
use super::command::{Ways, arguments, arriving, checked, filing, sent};
use super::data::Data;
use crate::action::{Creation, Following, Into, Invocation, Make, Renamed, StepSet, Takes};
use crate::call::How;
use crate::change::{DUPLICATE, Slot};
use crate::dictionary::Identifier;
use crate::identity::Identity;
use crate::marshal::Given;
use crate::specifier::{Member, Path, Segment};

/// Writes the body of a script that makes objects. The answer has one entry for each object, in order.
pub(super) fn create(creation: &Creation, data: &mut Data) -> String {
    let mut ways = Ways::default();
    let mut kinds: IndexSet<String> = IndexSet::new();
    let steps = creation.steps();
    let row = |(number, make): (usize, &Make)| {
        let among = among(make, creation.homes.get(number));
        let kind = kinds.insert_full(kind(make, among, !steps.is_empty())).0;
        let place = match &make.into {
            Into::In(path, ..) => ways.encode(&Given::Object(path.clone())),
            Into::At(given) => ways.encode(given),
            Into::Command => {
                let mut values = Vec::new();
                arguments(&make.command, &mut |given| {
                    values.push(ways.encode(given));
                    String::new()
                });
                Json::from(values)
            }
            Into::App | Into::Child(..) | Into::AtChild(_) => Json::Null,
        };
        let given: Vec<Json> = make.values.iter().map(|value| ways.encode(value)).collect();
        match &make.renamed {
            Some(renamed) => {
                let home = ways.encode(&Given::Object(renamed.container.clone()));
                json!([kind, make.parent(), place, given, home])
            }
            None => json!([kind, make.parent(), place, given]),
        }
    };
    let rows: Vec<Json> = creation.makes.iter().enumerate().map(row).collect();
    data.set("rows", &rows);
    let checked = checked(&creation.seen, &[], data);
    let save = match &creation.save {
        Some(save) => format!("() => app.{}()", save.identifier),
        None => "null".to_owned(),
    };
    let kinds: Vec<String> = kinds.into_iter().collect();
    let mut sets = Vec::new();
    let mut step = |step: &Result<&Following, &StepSet>| match step {
        Ok(next) => following(&next.sent, &mut ways),
        Err(set) => {
            let (call, row) = one(&set.change, &mut ways);
            sets.push(row);
            let row = sets.len() - 1;
            let labels = set.change.subject.labels.iter().map(|label| getter(Some(label)));
            let told = match set.is_loose() {
                true => format!("true, [{}]", labels.collect::<Vec<_>>().join(", ")),
                false => "false".to_owned(),
            };
            (format!("(a, ways) => setOne(d.sets[{row}], {call}, ways, {told})"), Json::Null)
        }
    };
    let (then, given): (Vec<String>, Vec<Json>) = steps.iter().map(&mut step).unzip();
    if !sets.is_empty() {
        data.set("sets", &sets);
    }
    let then = match then.as_slice() {
        [] => String::new(),
        then => {
            let numbers = Following::numbers_of(&creation.then);
            let its: Vec<String> = numbers
                .into_iter()
                .map(|number| format!("{number}: {}", beside(creation, number, &mut ways, data)))
                .collect();
            format!(", [{}], {{ {} }}", then.join(", "), its.join(", "))
        }
    };
    if !given.is_empty() {
        data.set("then", &given);
    }
    format!("{{ {checked}return create(d.rows, [{}], [{}], {save}{then}); }}", kinds.join(", "), ways.code())
}

/// The collection that holds a new object, so that the later commands do not mistake another element for it.
fn beside(creation: &Creation, number: usize, ways: &mut Ways<'_>, data: &mut Data) -> String {
    let Some(make) = creation.makes.get(number) else { return "null".to_owned() };
    let is_its = |member: &Member| Identifier::of(&member.class).as_ref() == Some(&make.class);
    let (container, elements) = match (&make.into, creation.homes.get(number).and_then(Path::last)) {
        (Into::In(path, through, member), _) => (path, elements("", through, member)),
        (_, Some((path, Segment::Element(member, _)))) if is_its(member) => (path, elements("", &[], member)),
        _ => return "null".to_owned(),
    };
    if container.last().is_none() {
        return format!("() => app{elements}");
    }
    let home = format!("home{number}");
    data.set(&home, &ways.encode(&Given::Object(container.clone())));
    format!("ways => inbound(d.{home}, ways){elements}")
}

/// A command that follows, and its values.
fn following(command: &Invocation, ways: &mut Ways<'_>) -> (String, Json) {
    let mut values: Vec<Json> = Vec::new();
    let call = arguments(command, &mut |given| {
        values.push(ways.encode(given));
        format!("a[{}]", values.len() - 1)
    });
    let event = |call: &str| format!("app.{}({call})", command.identifier);
    let code = match call.strip_prefix("a[0]").filter(|_| command.each) {
        Some(rest) => {
            let sent = sent(command, "target", &event(&format!("target{rest}")));
            format!("each(a[0], target => {sent})")
        }
        None => filing(command, sent(command, "a[0]", &event(&call))),
    };
    (format!("a => {}", arriving(command, code)), Json::from(values))
}

/// How to make, set and read objects with the same class, the same kind of place and the same properties. Each reading
/// function is written once, with its index in `g`. If two groups share one, the script asks the app only once.
fn kind(make: &Make, among: Option<String>, is_followed: bool) -> String {
    let keys: Vec<&str> = make.slots.iter().map(|slot| slot.identifier.as_str()).collect();
    let list = |all: Vec<String>| all.join(", ");
    let mut reads: IndexSet<String> = IndexSet::new();
    let mut shared = |getter: String| match getter.as_str() {
        "null" => getter,
        _ => format!("g[{}]", reads.insert_full(getter).0),
    };
    let gets = |slot: &Slot| shared(getter(slot.readable.then_some(&slot.identifier)));
    let gets = make.slots.iter().map(gets).collect();
    let set = |slot: &Slot| match slot.writable {
        true => format!("(x, v) => {{ x.{} = v; }}", slot.identifier),
        false => "null".to_owned(),
    };
    let sets = make.slots.iter().map(set).collect();
    let looks = make.looks.iter().map(|look| shared(look.getter())).collect();
    let id = match &make.identity {
        Identity::Id(id) => Some(id),
        Identity::Name(_) | Identity::Index => None,
    };
    let how: Vec<String> = make.how.iter().map(|how| format!("{:?}", how.in_script())).collect();
    let added = if make.how.iter().all(|how| *how == How::Set) {
        String::new()
    } else {
        format!(", added: [{}]", how.join(", "))
    };
    let (id, name) = (shared(getter(id)), shared(getter(make.label.as_ref())));
    let renamed = make.renamed.as_ref().map(|Renamed { member, slot, .. }| {
        format!(", named: {slot}, renamed: (c, v) => c.{}.byName(v[{slot}])", member.identifier)
    });
    let renamed = renamed.unwrap_or_default();
    let tells: Vec<String> = make.tells.iter().map(|(_, look)| look.getter()).collect();
    let tells = if tells.is_empty() { String::new() } else { format!(", tells: [{}]", tells.join(", ")) };
    let followed = if is_followed { followed(make) } else { String::new() };
    let named = named(make, among);
    let is_copy =
        make.into == Into::Command && make.command.code == DUPLICATE && make.command.direct.is_some();
    let original = if is_copy && id != "null" { ", original: c => c[0]" } else { "" };
    format!(
        "(g => ({{ make: (c, v) => {}, keys: {keys:?}, takes: {:?}, id: {id}, name: {name}, gets: [{}], sets: [{}], looks: [{}]{tells}{named}{followed}{added}{renamed}{original}{} }}))([{}])",
        call(make),
        taken(make),
        list(gets),
        list(sets),
        list(looks),
        span(make.span),
        reads.iter().map(String::as_str).collect::<Vec<_>>().join(", "),
    )
}

/// Data that only later commands need: which values are dictionary words.
fn followed(make: &Make) -> String {
    let is_word = |at: &usize| matches!(make.values[*at], Given::Enumerator(_) | Given::Class(_));
    let words: Vec<usize> = (0..make.values.len()).filter(is_word).collect();
    format!(", words: {words:?}")
}

/// The collection that holds a new object, from its container in `c`, as far as the dictionary names it.
fn among(make: &Make, home: Option<&Path>) -> Option<String> {
    match (&make.into, home.and_then(Path::last)) {
        (Into::In(_, through, member) | Into::Child(_, through, member), _) => {
            Some(elements("c", through, member))
        }
        (Into::App, Some((path, Segment::Element(member, _)))) if path.last().is_none() => {
            Some(elements("app", &[], member))
        }
        (Into::At(Given::Object(at)), Some((path, Segment::Element(member, _)))) if at == path => {
            Some(elements("c", &[], member))
        }
        _ => None,
    }
}

/// The collection that holds a new object, the property by which its elements are found, and the value that becomes the
/// name. Another element of that name must not be mistaken for the new object.
fn named(make: &Make, among: Option<String>) -> String {
    let among = among.map(|among| format!(", among: c => {among}")).unwrap_or_default();
    let Identity::Name(name) = &make.identity else { return among };
    let at = make.slots.iter().position(|slot| slot.identifier == *name);
    let at =
        at.filter(|at| make.how.get(*at) == Some(&How::Set) && matches!(make.values[*at], Given::Text(_)));
    let calls = at.map(|at| format!(", calls: {at}")).unwrap_or_default();
    format!("{among}, called: {}{calls}", getter(Some(name)))
}

/// The indexes of the properties that the command itself takes.
fn taken(make: &Make) -> Vec<usize> {
    let is_name = |at: &usize| matches!(&make.takes, Takes::Named(..)) && make.slots[*at].term == "name";
    let is_taken = |at: &usize| make.takes == Takes::Properties || is_name(at);
    (0..make.slots.len()).filter(is_taken).collect()
}

fn call(make: &Make) -> String {
    let properties = match &make.takes {
        _ if taken(make).is_empty() => String::new(),
        Takes::Properties => ", withProperties: v".to_owned(),
        Takes::Named(parameter) => format!(", {parameter}: v.name"),
        Takes::Nothing => String::new(),
    };
    let at = |at: &str| format!("app.make({{ new: \"{}\"{at}{properties} }})", make.class);
    match &make.into {
        Into::App => at(""),
        Into::At(_) | Into::AtChild(_) => at(", at: c"),
        Into::Command => {
            let mut at = 0;
            let call = arguments(&make.command, &mut |_| {
                at += 1;
                format!("c[{}]", at - 1)
            });
            format!("answered(app.{}({call}))", make.command.identifier)
        }
        Into::In(_, through, member) | Into::Child(_, through, member) => {
            let elements = elements("c", through, member);
            match make.takes {
                Takes::Properties => format!("pushed({elements}, app.{}(v))", constructor(&make.class)),
                Takes::Named(_) | Takes::Nothing => at(&format!(", at: {elements}.end")),
            }
        }
    }
}

fn elements(of: &str, through: &[Identifier], member: &Member) -> String {
    let through: String = through.iter().map(|identifier| format!(".{identifier}")).collect();
    format!("{of}{through}.{}", member.identifier)
}

/// The constructor of a class: the name of the class with a capital letter.
fn constructor(class: &Identifier) -> String {
    let mut letters = class.as_str().chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}
