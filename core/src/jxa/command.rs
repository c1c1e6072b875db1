//! Commands as JavaScript: `app.move(a[0], { to: a[1] })`, with every value in the data.

use indexmap::IndexSet;
use serde_json::{Value as Json, json};

use super::changes::getter;
use super::data::Data;
use super::path::{End, path, pinned};
use crate::action::{Copies, Find, Following, Invocation, Moves, Seen};
use crate::change::{Anew, DELETE, Look, QUIT, outlives};
use crate::dictionary::Identifier;
use crate::identity::Anchors;
use crate::marshal::{Given, Place};
use crate::schema;
use crate::specifier::{By, Path, Segment};

/// The code of the command that reads an object.
const GET: &str = "coregetd";

/// Writes the body of a command. Its arguments go to `data.a`, and the paths of objects among them go into the code.
pub(super) fn command(app: &str, invocation: &Invocation, data: &mut Data) -> String {
    let mut ways = Ways { anchors: invocation.anchors.as_ref(), ..Ways::default() };
    let mut values = Vec::new();
    let call = arguments(invocation, &mut |given| {
        ways.is_target = values.is_empty() && invocation.direct.is_some();
        values.push(ways.encode(given));
        format!("a[{}]", values.len() - 1)
    });
    data.set("text", &[invocation.text.offset, invocation.text.limit]);
    data.set("a", &values);
    let ways = ways.code();
    let reads = invocation.direct.as_ref().is_some_and(|given| !is_application(given));
    // Every specifier, even the application, has its own method `get`, so the script reads the target instead of
    // sending the command.
    let event = |target: &str, call: &str| match invocation.code == GET && reads {
        true => format!("{target}()"),
        false => format!("app.{}({call})", invocation.identifier),
    };
    let is_looked_at = is_looked_at(app, invocation);
    let send = |target: &str, call: &str, places: &str| {
        let sent = sent(invocation, target, &event(target, call));
        match invocation.code.as_str() {
            _ if is_looked_at => format!("deleting({target}, {places}, () => {sent})"),
            schema::LAUNCH => format!("standing(app, true, () => {sent})"),
            QUIT => format!("standing(app, false, () => {sent})"),
            _ => filing(invocation, sent),
        }
    };
    let targets: Vec<&Path> = invocation.direct.iter().flat_map(Given::objects).collect();
    let checked = checked(&invocation.seen, &targets, data);
    let kept = |sent: String| {
        let sent = arriving(invocation, sent);
        let kept = match &invocation.save {
            Some(save) => format!("keep(() => app.{}(), {sent})", save.identifier),
            None => sent,
        };
        if is_looked_at { format!("lookedAfter({kept})") } else { kept }
    };
    match (invocation.each, call.strip_prefix("a[0]")) {
        (true, Some(rest)) if invocation.anchors.is_some() => {
            let sent = send("target", &format!("target{rest}"), "places");
            let target = if is_looked_at { "(target, places)" } else { "target" };
            let sent = kept(format!("sendEach(d.a[0], ways, {target} => {sent})"));
            format!(
                "{{ {checked}const ways = [{ways}], a = inbound([null].concat(d.a.slice(1)), ways); return {sent}; }}"
            )
        }
        (true, Some(rest)) => format!(
            "{{ {checked}const a = inbound(d.a, [{ways}]); return each(a[0], target => {}); }}",
            send("target", &format!("target{rest}"), "[]")
        ),
        _ => {
            let sent = kept(telling(invocation, send("a[0]", &call, "found.filter(isPlaced)")));
            format!("{{ {checked}const a = inbound(d.a, [{ways}]); return {sent}; }}")
        }
    }
}

/// Whether the script looks for an object after it has deleted it. Only for single elements, and only if the app does
/// not still show them in a trash.
fn is_looked_at(app: &str, invocation: &Invocation) -> bool {
    let is_lasting = |path: &&Path| match path.last() {
        Some((container, Segment::Element(member, by))) => {
            !matches!(by, By::Every) && !outlives(app, &member.class, container.class())
        }
        _ => false,
    };
    let is_deletion = invocation.code == DELETE && invocation.anchors.is_some();
    let targets: Vec<&Path> = invocation.direct.iter().flat_map(Given::objects).collect();
    is_deletion && !targets.is_empty() && targets.iter().all(is_lasting)
}

/// Sends one event, and follows an object that it moves or copies.
pub(super) fn sent(invocation: &Invocation, target: &str, event: &str) -> String {
    match (&invocation.moves, &invocation.copies) {
        (Some(looks), _) => format!("moving({target}, {}, () => {event})", moves(looks)),
        (None, Some(copies)) => format!("copying({target}, {}, () => {event})", copied(copies)),
        (None, None) => format!("answer(() => {event})"),
    }
}

/// Reads the values that the answer tells.
fn telling(invocation: &Invocation, send: String) -> String {
    let reads = |is_before| {
        let tells = invocation.tells.iter().filter(|tell| tell.is_before == is_before);
        tells.map(|tell| tell.look.getter()).collect::<Vec<_>>().join(", ")
    };
    match invocation.tells.as_slice() {
        [] => send,
        [tell] if tell.if_empty => format!("tellingIfEmpty(app, [{}], () => {send})", reads(false)),
        _ => format!("telling(app, [{}], [{}], () => {send})", reads(true), reads(false)),
    }
}

/// The values to read from a copy.
fn copied(Copies { id, looks, .. }: &Copies) -> String {
    let looks: Vec<String> = looks.iter().map(Look::getter).collect();
    format!("{{ id: {}, looks: [{}] }}", getter(id.as_ref()), looks.join(", "))
}

/// Checks for the file of a command that should write one. The index of the file among the values is that of its
/// argument.
pub(super) fn filing(invocation: &Invocation, send: String) -> String {
    if invocation.file_to_be().is_none() || invocation.each {
        return send;
    }
    let is_given = invocation.direct.as_ref().is_some_and(|given| !is_application(given));
    let file = invocation.parameters.iter().position(|argument| !argument.value.files().is_empty());
    match file {
        Some(at) => format!("filing(a[{}], () => {send})", at + usize::from(is_given)),
        None => send,
    }
}

/// The values to read of a moved object: its mark and its container.
fn moves(moves: &Moves) -> String {
    let read = |identifier: Option<&Identifier>| {
        identifier.map_or_else(|| "null".to_owned(), |identifier| format!("x => x.{identifier}()"))
    };
    let kept = moves.anew.as_ref().map(|anew| format!(", kept: {}", kept(anew))).unwrap_or_default();
    let looks: Vec<String> = moves.looks.iter().map(|look| read(Some(look))).collect();
    let looks = if looks.is_empty() { String::new() } else { format!(", looks: [{}]", looks.join(", ")) };
    let [mark, id, home] = [&moves.mark, &moves.id, &moves.home].map(|each| read(each.as_ref()));
    format!("{{ mark: {mark}, id: {id}, home: {home}{kept}{looks} }}")
}

/// The values by which a moved object is known in its new place.
fn kept(anew: &Anew) -> String {
    let reads = anew.kept.iter().map(|identifier| format!("x => x.{identifier}()"));
    format!("[{}]", reads.collect::<Vec<_>>().join(", "))
}

/// Finds the objects that a move has made anew, after all of them are moved. The destination is one of the values.
pub(super) fn arriving(invocation: &Invocation, send: String) -> String {
    let Some(anew) = invocation.moves.as_ref().and_then(|moves| moves.anew.as_ref()) else { return send };
    let is_given = invocation.direct.as_ref().is_some_and(|given| !is_application(given));
    let to = invocation.parameters.iter().position(|argument| matches!(argument.value, Given::Object(_)));
    let Some(to) = to else { return send };
    let there = format!("a[{}].{}", to + usize::from(is_given), anew.collection);
    format!(
        "arriving({{ there: () => {there}, id: x => x.{}(), kept: {} }}, () => {send})",
        anew.id,
        kept(anew)
    )
}

/// Writes the body of a search for objects by their marks.
pub(super) fn find(wanted: &Find, data: &mut Data) -> String {
    let mut rows = Vec::new();
    let collections = wanted.places.iter().enumerate().map(|(at, (container, member))| {
        let mut values = Vec::new();
        let way = format!("{}.{}", path(container, &mut values), member.identifier);
        rows.push(Json::from(values));
        format!("() => (p => {way})(d.places[{at}])")
    });
    let collections = collections.collect::<Vec<_>>().join(", ");
    data.set("places", &rows);
    data.set("marks", &wanted.marks);
    format!("find([{collections}], x => x.{}(), x => x.{}(), d.marks)", wanted.mark, wanted.id)
}

/// Compares the objects with those that the human saw, in the event before the command.
pub(super) fn checked(seen: &[Seen], targets: &[&Path], data: &mut Data) -> String {
    if seen.is_empty() {
        return String::new();
    }
    let (mut ways, mut reads) = (IndexSet::new(), IndexSet::new());
    let is_target = |path: &Path| targets.contains(&path);
    // Whether it is a target, or the row of the target that it is in.
    let target = |path: &Path| {
        let holds = |other: &Seen| is_target(&other.path) && path.begins_with(&other.path);
        let outer = if is_target(path) { None } else { seen.iter().position(holds) };
        outer.map_or_else(|| json!(is_target(path)), |at| json!(at))
    };
    let rows = seen.iter().map(|seen| {
        let mut values = Vec::new();
        let way = ways.insert_full(format!("p => {}", path(&seen.path, &mut values))).0;
        let looks = seen.looks.iter().map(Look::getter).collect::<Vec<_>>();
        let read = reads.insert_full(format!("[{}]", looks.join(", "))).0;
        json!([way, read, values, seen.shown, target(&seen.path)])
    });
    data.set("seen", &rows.collect::<Vec<_>>());
    let joined = |set: IndexSet<String>| set.into_iter().collect::<Vec<_>>().join(", ");
    format!(
        "const changed = other(d.seen, [{}], [{}]); if (changed !== null) return changed; ",
        joined(ways),
        joined(reads)
    )
}

/// The direct parameter comes first, or `null` if other arguments follow without it. The named ones form one object.
pub(super) fn arguments(invocation: &Invocation, place: &mut dyn FnMut(&Given) -> String) -> String {
    let direct = invocation.direct.as_ref().filter(|given| !is_application(given)).map(&mut *place);
    let named: Vec<String> = invocation
        .parameters
        .iter()
        .map(|argument| format!("{}: {}", argument.identifier, place(&argument.value)))
        .collect();
    let named = (!named.is_empty()).then(|| format!("{{ {} }}", named.join(", ")));
    match (direct, named) {
        (None, None) => String::new(),
        (Some(only), None) => only,
        (None, Some(named)) if !invocation.takes_direct => named,
        (direct, Some(named)) => format!("{}, {named}", direct.as_deref().unwrap_or("null")),
    }
}

/// A command that is sent to the application itself has no direct parameter.
fn is_application(given: &Given) -> bool {
    matches!(given, Given::Object(path) if path.last().is_none())
}

/// The code for each path to an object, once. Objects with the same code share it.
#[derive(Default)]
pub(super) struct Ways<'a> {
    ways: IndexSet<String>,
    /// How to tell objects at positions apart; `None` if positions may stay.
    anchors: Option<&'a Anchors>,
    /// Whether the values that are being encoded are the objects to change.
    is_target: bool,
}

impl Ways<'_> {
    /// Writes the paths, in the order in which the data numbers them.
    pub(super) fn code(self) -> String {
        self.ways.into_iter().map(|way| format!("p => {way}")).collect::<Vec<_>>().join(", ")
    }

    /// Writes a value as data. Keeps the path of each object in it.
    pub(super) fn encode(&mut self, given: &Given) -> Json {
        match given {
            Given::Null => Json::Null,
            Given::Bool(value) => json!(value),
            Given::Number(number) => Json::Number(number.clone()),
            Given::Text(text) | Given::Enumerator(text) => json!(text),
            Given::Class(class) => {
                json!(Identifier::of(class).map_or_else(|| class.clone(), |id| id.as_str().to_owned()))
            }
            Given::Date(date) => json!({ "$": "date", "v": date }),
            Given::File(path) => json!({ "$": "file", "v": path }),
            Given::List(items) => items.iter().map(|item| self.encode(item)).collect(),
            Given::Record(fields) => {
                let pairs = fields.iter().map(|(key, value)| json!([key.as_str(), self.encode(value)]));
                json!({ "$": "record", "v": pairs.collect::<Vec<_>>() })
            }
            Given::Object(to) => self.way(to, String::new()),
            Given::Place(place) => self.place(place),
        }
    }

    fn place(&mut self, place: &Place) -> Json {
        match place {
            Place::Beginning(to, member) => self.way(to, format!(".{}.beginning", member.identifier)),
            Place::End(to, member) => self.way(to, format!(".{}.end", member.identifier)),
            Place::Before(to) => self.way(to, ".before".to_owned()),
            Place::After(to) => self.way(to, ".after".to_owned()),
        }
    }

    fn way(&mut self, to: &Path, rest: String) -> Json {
        let mut values = Vec::new();
        let code = match self.anchors {
            // An object that the same script makes earlier.
            _ if let Some(number) = Following::number_of_it(to) => {
                let (from, number) = match number {
                    0 => ("app.it".to_owned(), String::new()),
                    number => (format!("app.it{number}"), number.to_string()),
                };
                path(to, &mut values).replacen(&from, &format!("it({number})"), 1)
            }
            Some(anchors) => {
                let is_target = self.is_target && rest.is_empty();
                pinned(to, anchors, if is_target { End::Sole } else { End::Any }, &mut values)
            }
            None => path(to, &mut values),
        };
        let (way, _) = self.ways.insert_full(code + &rest);
        json!({ "$": "object", "way": way, "p": values })
    }
}
